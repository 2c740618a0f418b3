//! [`Pattern`]: which entries of a matrix can be other than zero, as the caller says or as a run of the function shows.

use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

/// Which entries of a matrix can be other than zero: the rows of each column, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    nrows: usize,
    /// Where the entries of each column start, and where those of the last one end.
    starts: Vec<usize>,
    rows: Vec<usize>,
}

impl Pattern {
    /// The pattern with these entries, `(row, column)`, in any order; an entry may be named several times.
    ///
    /// ```
    /// use ad_runtime::sparse::Pattern;
    /// let tridiagonal = Pattern::new(3, 3, (0..3).flat_map(|i| (i.max(1) - 1..(i + 2).min(3)).map(move |j| (i, j))));
    /// assert_eq!((tridiagonal.count(), tridiagonal.column(2)), (7, &[1, 2][..]));
    /// ```
    ///
    /// # Panics
    /// If an entry lies outside.
    #[track_caller]
    pub fn new(
        nrows: usize,
        ncols: usize,
        entries: impl IntoIterator<Item = (usize, usize)>,
    ) -> Self {
        let mut columns = vec![Vec::new(); ncols];
        for (i, j) in entries {
            assert!(
                i < nrows && j < ncols,
                "entry ({i}, {j}) of a pattern of {nrows} by {ncols}"
            );
            columns[j].push(i);
        }
        Self::from_columns(nrows, columns)
    }

    fn from_columns(nrows: usize, columns: Vec<Vec<usize>>) -> Self {
        let (mut starts, mut rows) = (vec![0], Vec::new());
        for mut column in columns {
            column.sort_unstable();
            column.dedup();
            rows.append(&mut column);
            starts.push(rows.len());
        }
        Pattern {
            nrows,
            starts,
            rows,
        }
    }

    /// The pattern of the linear function `along`, such as `|v| f::jvp(&x, v).1` or `|v| f::hvp(&x, v)`, with `ncols` columns.
    ///
    /// Dependencies are traced by NaN: a NaN in a direction gets into every result that depends on it, so that an entry of a Jacobian counts even if it
    /// happens to be zero at that point. The branches are those that `f` takes there. In a Hessian, a factor of a cotangent that is zero
    /// there may be missed: take a point where nothing happens to vanish, or the [`union`](Pattern::union) of several.
    ///
    /// An interval of columns goes through at once, and is halved as long as it reaches something; intervals that reach no row in common share a
    /// pass. So it takes about the logarithm of `ncols` times as many passes as a row has entries. The method is the hierarchical one of
    /// Andersson, Gillis, Horn, Rawlings and Diehl, "`CasADi`: a software framework for nonlinear optimization and optimal control", 2019.
    ///
    /// ```
    /// use ad_runtime::sparse::Pattern;
    /// let pattern = Pattern::along(3, |v| vec![0.0 * v[1], v[0] + v[2]]);
    /// assert_eq!(pattern, Pattern::new(2, 3, [(0, 1), (1, 0), (1, 2)]));
    /// ```
    ///
    /// # Panics
    /// If a result is not a number along the zero direction: where the function isn't finite, nothing can be followed. And if the length of
    /// the results depends on the direction.
    #[track_caller]
    pub fn along<Y: AsRef<[f64]>>(ncols: usize, mut along: impl FnMut(&[f64]) -> Y) -> Self {
        let mut direction = vec![0.0; ncols];
        let at_rest = along(&direction);
        let at_rest = at_rest.as_ref();
        if let Some(row) = at_rest.iter().position(|y| y.is_nan()) {
            panic!(
                "row {row} is not a number along the zero direction: take a point where the function is finite"
            );
        }
        let nrows = at_rest.len();
        let mut columns = vec![Vec::new(); ncols];
        let mut reached = vec![(0..ncols, (0..nrows).collect::<Vec<_>>())];
        while !reached.is_empty() {
            let mut next = Vec::new();
            for group in disjoint(nrows, &reached) {
                for k in &group {
                    direction[reached[*k].0.clone()].fill(f64::NAN);
                }
                let result = along(&direction);
                let result = result.as_ref();
                assert!(
                    result.len() == nrows,
                    "the product with a direction has length {}, with the zero direction {nrows}",
                    result.len()
                );
                for k in group {
                    let (interval, candidates) = &reached[k];
                    direction[interval.clone()].fill(0.0);
                    let rows = candidates.iter().copied();
                    let rows: Vec<usize> = rows.filter(|i| result[*i].is_nan()).collect();
                    match interval.len() {
                        _ if rows.is_empty() => {}
                        0 => {}
                        1 => columns[interval.start] = rows,
                        n => {
                            let middle = interval.start + n / 2;
                            next.push((interval.start..middle, rows.clone()));
                            next.push((middle..interval.end, rows));
                        }
                    }
                }
            }
            reached = next;
        }
        Self::from_columns(nrows, columns)
    }

    /// The number of rows.
    pub fn nrows(&self) -> usize {
        self.nrows
    }

    /// The number of columns.
    pub fn ncols(&self) -> usize {
        self.starts.len() - 1
    }

    /// The number of entries.
    pub fn count(&self) -> usize {
        self.rows.len()
    }

    /// The rows of a column's entries, in order.
    ///
    /// # Panics
    /// If there is no such column.
    #[track_caller]
    pub fn column(&self, j: usize) -> &[usize] {
        &self.rows[self.starts[j]..self.starts[j + 1]]
    }

    /// Where the entries of each column start among all of them, and where those of the last one end.
    pub fn column_starts(&self) -> &[usize] {
        &self.starts
    }

    /// The rows of all entries, column by column.
    pub fn row_indices(&self) -> &[usize] {
        &self.rows
    }

    /// All entries, `(row, column)`, column by column.
    pub fn entries(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        (0..self.ncols()).flat_map(|j| self.column(j).iter().map(move |i| (*i, j)))
    }

    /// The entries of both, such as those that different branches of a function have.
    ///
    /// # Panics
    /// If the numbers of rows or columns differ.
    #[must_use]
    #[track_caller]
    pub fn union(&self, other: &Pattern) -> Pattern {
        assert!(
            (self.nrows, self.ncols()) == (other.nrows, other.ncols()),
            "patterns of {} by {} and of {} by {}",
            self.nrows,
            self.ncols(),
            other.nrows,
            other.ncols()
        );
        Pattern::new(
            self.nrows,
            self.ncols(),
            self.entries().chain(other.entries()),
        )
    }

    /// Rows and columns exchanged.
    #[must_use]
    pub fn transposed(&self) -> Pattern {
        self.transposed_with_places().0
    }

    /// Rows and columns exchanged, and for each entry its place in this pattern.
    pub(super) fn transposed_with_places(&self) -> (Pattern, Vec<usize>) {
        let mut starts = vec![0; self.nrows + 1];
        for i in &self.rows {
            starts[i + 1] += 1;
        }
        for i in 0..self.nrows {
            starts[i + 1] += starts[i];
        }
        let mut free = starts.clone();
        let (mut rows, mut from) = (vec![0; self.count()], vec![0; self.count()]);
        for (k, (i, j)) in self.entries().enumerate() {
            rows[free[i]] = j;
            from[free[i]] = k;
            free[i] += 1;
        }
        let transposed = Pattern {
            nrows: self.ncols(),
            starts,
            rows,
        };
        (transposed, from)
    }
}

/// Groups of intervals that reach no row in common, first come, first served.
fn disjoint(nrows: usize, reached: &[(Range<usize>, Vec<usize>)]) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    let mut of_row: Vec<Vec<usize>> = vec![Vec::new(); nrows];
    let mut taken: Vec<usize> = Vec::new();
    for (k, (_, rows)) in reached.iter().enumerate() {
        for group in rows.iter().flat_map(|i| &of_row[*i]) {
            taken[*group] = k + 1;
        }
        let free = taken.iter().position(|by| *by != k + 1);
        let group = free.unwrap_or(groups.len());
        if group == groups.len() {
            groups.push(Vec::new());
            taken.push(0);
        }
        groups[group].push(k);
        for i in rows {
            of_row[*i].push(group);
        }
    }
    groups
}
