//! [`Matrix`]: the result of `jacobian` and `hessian`.

use alloc::vec::Vec;
use core::fmt;
use core::ops::{Index, IndexMut};

use crate::{Components, Differentiable, ShapeMismatch, Tangent};

/// A dense matrix of `f64`, row by row. In a Jacobian rows are outputs and columns are inputs.
///
/// ```
/// use ad_runtime::Matrix;
/// let m = Matrix::from_vec(2, 3, vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
/// assert_eq!((m.nrows(), m.ncols()), (2, 3));
/// assert_eq!(m[(1, 0)], 4.0);
/// assert_eq!(m.row(0), [1.0, 2.0, 3.0]);
/// ```
#[derive(Clone, PartialEq, Default)]
pub struct Matrix {
    entries: Vec<f64>,
    nrows: usize,
    ncols: usize,
}

impl Matrix {
    /// The zero matrix.
    ///
    /// # Panics
    /// If a `usize` can't hold the number of entries.
    #[track_caller]
    pub fn zeros(nrows: usize, ncols: usize) -> Self {
        let Some(count) = nrows.checked_mul(ncols) else {
            panic!("a matrix of {nrows} by {ncols} has too many entries for memory");
        };
        Matrix {
            entries: alloc::vec![0.0; count],
            nrows,
            ncols,
        }
    }

    /// A matrix of entries that stand row by row.
    ///
    /// # Panics
    /// If there aren't `nrows * ncols` entries.
    #[track_caller]
    pub fn from_vec(nrows: usize, ncols: usize, entries: Vec<f64>) -> Self {
        assert!(
            nrows.checked_mul(ncols) == Some(entries.len()),
            "a matrix of {nrows} by {ncols} does not have {} entries",
            entries.len()
        );
        Matrix {
            entries,
            nrows,
            ncols,
        }
    }

    /// The number of rows.
    pub fn nrows(&self) -> usize {
        self.nrows
    }

    /// The number of columns.
    pub fn ncols(&self) -> usize {
        self.ncols
    }

    /// Row `i`.
    ///
    /// # Panics
    /// If there is none.
    #[track_caller]
    pub fn row(&self, i: usize) -> &[f64] {
        &self.entries[self.row_range(i)]
    }

    /// Row `i`, to be written.
    ///
    /// # Panics
    /// If there is none.
    #[track_caller]
    pub fn row_mut(&mut self, i: usize) -> &mut [f64] {
        let range = self.row_range(i);
        &mut self.entries[range]
    }

    /// All entries, row by row.
    pub fn as_slice(&self) -> &[f64] {
        &self.entries
    }

    /// All entries, row by row, to be written.
    pub fn as_mut_slice(&mut self) -> &mut [f64] {
        &mut self.entries
    }

    /// All entries, row by row, without a copy.
    pub fn into_vec(self) -> Vec<f64> {
        self.entries
    }

    #[track_caller]
    fn row_range(&self, i: usize) -> core::ops::Range<usize> {
        assert!(
            i < self.nrows,
            "row {i} of a matrix with {} rows",
            self.nrows
        );
        i * self.ncols..(i + 1) * self.ncols
    }

    #[track_caller]
    fn position(&self, (i, j): (usize, usize)) -> usize {
        assert!(
            i < self.nrows && j < self.ncols,
            "entry ({i}, {j}) of a matrix of {} by {}",
            self.nrows,
            self.ncols
        );
        i * self.ncols + j
    }

    fn extent(&self) -> (usize, usize) {
        (self.nrows, self.ncols)
    }

    #[track_caller]
    fn check_extent(&self, other: &Matrix) {
        let ((n, m), (other_n, other_m)) = (self.extent(), other.extent());
        assert!(
            (n, m) == (other_n, other_m),
            "expected a matrix of {n} by {m}, found {other_n} by {other_m}"
        );
    }
}

impl Index<(usize, usize)> for Matrix {
    type Output = f64;

    #[track_caller]
    fn index(&self, at: (usize, usize)) -> &f64 {
        &self.entries[self.position(at)]
    }
}

impl IndexMut<(usize, usize)> for Matrix {
    #[track_caller]
    fn index_mut(&mut self, at: (usize, usize)) -> &mut f64 {
        let position = self.position(at);
        &mut self.entries[position]
    }
}

/// One row per line.
impl fmt::Debug for Matrix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list()
            .entries((0..self.nrows).map(|i| self.row(i)))
            .finish()
    }
}

/// One row per line, the columns aligned. Precision and width are those of the format: `{m:10.3}`.
impl fmt::Display for Matrix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cell = |x: &f64| match f.precision() {
            Some(precision) => alloc::format!("{x:.precision$}"),
            None => alloc::format!("{x}"),
        };
        let cells: Vec<_> = self.entries.iter().map(cell).collect();
        let width = cells
            .iter()
            .map(alloc::string::String::len)
            .max()
            .unwrap_or(0)
            .max(f.width().unwrap_or(0));
        for i in 0..self.nrows {
            if i > 0 {
                writeln!(f)?;
            }
            for (j, cell) in cells[self.row_range(i)].iter().enumerate() {
                write!(f, "{}{cell:>width$}", if j > 0 { " " } else { "" })?;
            }
        }
        Ok(())
    }
}

impl Differentiable for Matrix {
    type Tangent = Matrix;
    type OwnedTangent = Matrix;

    fn zero_tangent(&self) -> Matrix {
        Matrix::zeros(self.nrows, self.ncols)
    }

    fn matches_shape(&self, tangent: &Matrix) -> Result<(), ShapeMismatch> {
        if self.extent() == tangent.extent() {
            Ok(())
        } else {
            Err(ShapeMismatch::extent(self.extent(), tangent.extent()))
        }
    }

    #[track_caller]
    fn add_scaled_tangent(&mut self, factor: f64, tangent: &Matrix) {
        self.check_extent(tangent);
        self.entries.add_scaled_tangent(factor, &tangent.entries);
    }

    fn visit_components(&self, components: &mut Components<'_>) {
        components.fixed(&self.extent());
        self.entries.visit_components(components);
    }

    fn visit_floats(&self, visit: &mut dyn FnMut(f64)) {
        self.entries.visit_floats(visit);
    }

    fn map_floats(&mut self, map: &mut dyn FnMut(f64) -> f64) {
        self.entries.map_floats(map);
    }
}

impl Tangent for Matrix {
    fn set_zero(&mut self) {
        self.entries.fill(0.0);
    }

    #[track_caller]
    fn accumulate(&mut self, other: &Matrix) {
        self.check_extent(other);
        self.entries.accumulate(&other.entries);
    }

    fn scale(&mut self, factor: f64) {
        self.entries.scale(factor);
    }

    #[track_caller]
    fn inner(&self, other: &Matrix) -> f64 {
        self.check_extent(other);
        self.entries.inner(&other.entries)
    }

    fn to_owned_tangent(&self) -> Matrix {
        self.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::{format, vec};

    #[test]
    fn display_aligns_columns() {
        let m = Matrix::from_vec(2, 2, vec![1.0, -2.5, 10.0, 0.0]);
        assert_eq!(format!("{m}"), "   1 -2.5\n  10    0");
        assert_eq!(format!("{m:.1}"), " 1.0 -2.5\n10.0  0.0");
        assert_eq!(format!("{m:?}"), "[[1.0, -2.5], [10.0, 0.0]]");
    }

    #[test]
    #[should_panic(expected = "entry (0, 2) of a matrix of 2 by 2")]
    fn index_is_checked_in_both_directions() {
        let _ = Matrix::zeros(2, 2)[(0, 2)];
    }

    #[test]
    #[should_panic(expected = "has too many entries for memory")]
    fn the_number_of_entries_is_checked() {
        let half = 1 << (usize::BITS / 2);
        let _ = Matrix::zeros(half, half);
    }

    #[test]
    fn empty_matrices_keep_their_extent() {
        let m = Matrix::zeros(0, 3);
        assert_eq!((m.nrows(), m.ncols(), m.as_slice().len()), (0, 3, 0));
        assert_eq!(format!("{m}"), "");
    }
}
