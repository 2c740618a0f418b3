//! [`SparseMatrix`]: compressed columns.

use alloc::vec;
use alloc::vec::Vec;

use super::Pattern;
use crate::Matrix;

/// A sparse matrix of `f64`, column by column: the CSC format of libraries for sparse matrices.
///
/// ```
/// use ad_runtime::sparse::{Pattern, SparseMatrix};
/// let pattern = Pattern::new(2, 3, [(0, 0), (1, 2), (0, 2)]);
/// let m = SparseMatrix::new(pattern, vec![1.0, 2.0, 3.0]);
/// assert_eq!(m.triplets().collect::<Vec<_>>(), [(0, 0, 1.0), (0, 2, 2.0), (1, 2, 3.0)]);
/// assert_eq!(m.times(&[1.0, 1.0, 10.0]), [21.0, 30.0]);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct SparseMatrix {
    pattern: Pattern,
    values: Vec<f64>,
}

impl SparseMatrix {
    /// A matrix with these values of its entries, column by column.
    ///
    /// # Panics
    /// If there are more or fewer values than entries.
    #[track_caller]
    pub fn new(pattern: Pattern, values: Vec<f64>) -> Self {
        assert!(
            pattern.count() == values.len(),
            "a pattern of {} entries, and {} values",
            pattern.count(),
            values.len()
        );
        SparseMatrix { pattern, values }
    }

    /// Which entries there are.
    pub fn pattern(&self) -> &Pattern {
        &self.pattern
    }

    /// The number of rows.
    pub fn nrows(&self) -> usize {
        self.pattern.nrows()
    }

    /// The number of columns.
    pub fn ncols(&self) -> usize {
        self.pattern.ncols()
    }

    /// The values of the entries, column by column.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The values, to be written.
    pub(super) fn values_mut(&mut self) -> &mut [f64] {
        &mut self.values
    }

    /// The rows and the values of the entries of a column.
    ///
    /// # Panics
    /// If there is no such column.
    #[track_caller]
    pub fn column(&self, j: usize) -> (&[usize], &[f64]) {
        let starts = self.pattern.column_starts();
        let values = &self.values[starts[j]..starts[j + 1]];
        (self.pattern.column(j), values)
    }

    /// All entries as `(row, column, value)`, column by column.
    pub fn triplets(&self) -> impl Iterator<Item = (usize, usize, f64)> + '_ {
        let entries = self.pattern.entries().zip(&self.values);
        entries.map(|((i, j), value)| (i, j, *value))
    }

    /// The same matrix with rows and columns exchanged. Its columns are the rows of this one: the CSR format of libraries.
    #[must_use]
    pub fn transposed(&self) -> SparseMatrix {
        let (pattern, from) = self.pattern.transposed_with_places();
        let values = from.into_iter().map(|k| self.values[k]).collect();
        SparseMatrix { pattern, values }
    }

    /// The product with a vector.
    ///
    /// # Panics
    /// If the vector doesn't have an element for each column.
    #[track_caller]
    pub fn times(&self, v: &[f64]) -> Vec<f64> {
        assert!(
            v.len() == self.ncols(),
            "a matrix with {} columns, times a vector of length {}",
            self.ncols(),
            v.len()
        );
        let mut product = vec![0.0; self.nrows()];
        for (i, j, value) in self.triplets() {
            product[i] += value * v[j];
        }
        product
    }

    /// With all the zeros.
    pub fn to_dense(&self) -> Matrix {
        let mut dense = Matrix::zeros(self.nrows(), self.ncols());
        for (i, j, value) in self.triplets() {
            dense[(i, j)] = value;
        }
        dense
    }
}
