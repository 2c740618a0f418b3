//! Plans: made once for a pattern, used for each evaluation.

use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

use super::check::holds;
use super::{Pattern, SparseMatrix, coloring};

/// How a sparse Jacobian is computed: which columns go through one pass.
///
/// ```
/// use ad_runtime::sparse::{JacobianPlan, Pattern};
/// // The differences of neighbors, and how they change.
/// let f = |x: &[f64]| -> Vec<f64> { x.windows(2).map(|w| w[1] * w[1] - w[0]).collect() };
/// let along = |x: &[f64], v: &[f64]| -> Vec<f64> {
///     (1..x.len()).map(|i| 2.0 * x[i] * v[i] - v[i - 1]).collect()
/// };
/// let x: Vec<f64> = (0..1000).map(f64::from).collect();
/// let plan = JacobianPlan::new(&Pattern::along(x.len(), |v| along(&x, v)));
/// assert_eq!((f(&x).len(), plan.passes()), (999, 2));
/// let jacobian = plan.jacobian(|v| along(&x, v))?;
/// assert_eq!(jacobian.column(7), (&[6, 7][..], &[14.0, -1.0][..]));
/// # Ok::<(), ad_runtime::sparse::PatternChanged>(())
/// ```
#[derive(Clone, Debug)]
pub struct JacobianPlan {
    pattern: Pattern,
    passes: Passes,
}

/// How a sparse Hessian is computed: which columns go through one pass, and which of the two symmetric entries is read.
#[derive(Clone, Debug)]
pub struct HessianPlan {
    pattern: Pattern,
    passes: Passes,
}

/// All passes.
#[derive(Clone, Debug)]
struct Passes(Vec<Pass>);

/// The columns that go through at once, and for each entry that is read then its row and its place.
#[derive(Clone, Debug, Default)]
struct Pass {
    columns: Vec<usize>,
    reads: Vec<(usize, usize)>,
}

impl JacobianPlan {
    /// A plan for a pattern: columns that have no row in common share a pass.
    ///
    /// Where some rows are long and no column is, plan the transposed pattern, and evaluate it with `|w| f::vjp(&x, w.to_vec()).1`: that is the transposed
    /// Jacobian.
    pub fn new(pattern: &Pattern) -> Self {
        let (colors, count) = coloring::columns(pattern);
        let mut passes = vec![Pass::default(); count];
        let starts = pattern.column_starts();
        for (j, color) in colors.into_iter().enumerate() {
            let pass = &mut passes[color];
            pass.columns.push(j);
            let places = pattern.column(j).iter().zip(starts[j]..);
            pass.reads.extend(places.map(|(row, place)| (*row, place)));
        }
        JacobianPlan {
            pattern: pattern.clone(),
            passes: Passes(passes),
        }
    }

    /// The pattern.
    pub fn pattern(&self) -> &Pattern {
        &self.pattern
    }

    /// How many passes it takes, apart from the one that looks whether the pattern still holds.
    pub fn passes(&self) -> usize {
        self.passes.0.len()
    }

    /// The Jacobian, whose product with a direction `along` returns: `|v| f::jvp(&x, v).1`.
    ///
    /// # Errors
    /// If there are entries outside of the pattern, as the product with a random direction shows: it differs from that of the matrix by more than
    /// rounding explains. Entries down to about `1e-13` of their row are seen, where the function itself doesn't lose digits; those
    /// below pass.
    pub fn jacobian<Y: AsRef<[f64]>>(
        &self,
        along: impl FnMut(&[f64]) -> Y,
    ) -> Result<SparseMatrix, PatternChanged> {
        self.passes.run(&self.pattern, along)
    }
}

impl HessianPlan {
    /// A plan for a pattern, and for the entries across the diagonal from it, since Hessians are symmetric.
    ///
    /// # Panics
    /// If there are more or fewer rows than columns.
    #[track_caller]
    pub fn new(pattern: &Pattern) -> Self {
        assert!(
            pattern.nrows() == pattern.ncols(),
            "the pattern of a Hessian is square, this one is {} by {}",
            pattern.nrows(),
            pattern.ncols()
        );
        let pattern = pattern.union(&pattern.transposed());
        let (colors, count) = coloring::stars(&pattern);
        let mut passes = vec![Pass::default(); count];
        let starts = pattern.column_starts();
        // How many entries a row has in the columns of each color.
        let mut entries = vec![0; count];
        for j in 0..pattern.ncols() {
            passes[colors[j]].columns.push(j);
            let column = pattern.column(j);
            column.iter().for_each(|i| entries[colors[*i]] += 1);
            for (i, place) in column.iter().zip(starts[j]..) {
                // As the entry across the diagonal, where that is alone in row `j`; a star coloring has one of the two alone.
                let (color, row) = if entries[colors[*i]] == 1 {
                    (colors[*i], j)
                } else {
                    (colors[j], *i)
                };
                passes[color].reads.push((row, place));
            }
            column.iter().for_each(|i| entries[colors[*i]] = 0);
        }
        HessianPlan {
            pattern,
            passes: Passes(passes),
        }
    }

    /// The pattern.
    pub fn pattern(&self) -> &Pattern {
        &self.pattern
    }

    /// How many passes it takes, apart from the one that looks whether the pattern still holds.
    pub fn passes(&self) -> usize {
        self.passes.0.len()
    }

    /// The Hessian, whose product with a direction `along` returns: `|v| f::hvp(&x, v)`.
    ///
    /// # Errors
    /// If there are entries outside of the pattern, as the product with a random direction shows: it differs from that of the matrix by more than
    /// rounding explains. Entries down to about `1e-13` of their row are seen, where the function itself doesn't lose digits; those
    /// below pass.
    pub fn hessian<Y: AsRef<[f64]>>(
        &self,
        along: impl FnMut(&[f64]) -> Y,
    ) -> Result<SparseMatrix, PatternChanged> {
        self.passes.run(&self.pattern, along)
    }
}

impl Passes {
    fn run<Y: AsRef<[f64]>>(
        &self,
        pattern: &Pattern,
        mut along: impl FnMut(&[f64]) -> Y,
    ) -> Result<SparseMatrix, PatternChanged> {
        let mut matrix = SparseMatrix::new(pattern.clone(), vec![0.0; pattern.count()]);
        let mut direction = vec![0.0; pattern.ncols()];
        let mut product = |direction: &[f64]| {
            let product = along(direction);
            let found = product.as_ref().len();
            if found == pattern.nrows() {
                Ok(product)
            } else {
                Err(PatternChanged::Rows {
                    expected: pattern.nrows(),
                    found,
                })
            }
        };
        for Pass { columns, reads } in &self.0 {
            columns.iter().for_each(|j| direction[*j] = 1.0);
            let product = product(&direction)?;
            for (row, place) in reads {
                matrix.values_mut()[*place] = product.as_ref()[*row];
            }
            columns.iter().for_each(|j| direction[*j] = 0.0);
        }
        holds(&matrix, product)?;
        Ok(matrix)
    }
}

/// A plan was used for a matrix with entries outside of its pattern: make a new one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PatternChanged {
    /// A row has an entry where the pattern has none.
    Entry {
        /// Which row; of a Hessian perhaps another row that the entry got into, since half of the entries are read across the diagonal.
        row: usize,
    },
    /// There are more or fewer rows.
    Rows {
        /// As many as the pattern has.
        expected: usize,
        /// As many as there are.
        found: usize,
    },
}

impl fmt::Display for PatternChanged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PatternChanged::Entry { row } => {
                write!(f, "row {row} has an entry outside of the pattern")
            }
            PatternChanged::Rows { expected, found } => {
                write!(f, "the pattern has {expected} rows, the matrix {found}")
            }
        }
    }
}

impl core::error::Error for PatternChanged {}
