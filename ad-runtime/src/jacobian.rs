//! What the drivers `jacobian` and `hessian` are made from: rows and columns of dense matrices, row by row in a slice.

use alloc::vec::Vec;

use crate::wide::WIDTH;
use crate::{Matrix, Tangent};

/// Where a driver writes a Jacobian.
pub enum Target<'a> {
    /// A matrix of the driver, which gets its extent.
    Made(&'a mut Matrix),
    /// A buffer of the caller, which has to have it, and what messages call it.
    Given(&'a mut [f64], &'static str),
}

impl<'a> Target<'a> {
    /// The entries.
    ///
    /// # Panics
    /// If a buffer of the caller has another length.
    #[track_caller]
    pub fn entries(self, nrows: usize, ncols: usize) -> &'a mut [f64] {
        match self {
            Target::Made(matrix) => {
                *matrix = Matrix::zeros(nrows, ncols);
                matrix.as_mut_slice()
            }
            Target::Given(entries, name) => {
                assert!(
                    entries.len() == nrows * ncols,
                    "{name} has length {}, the Jacobian {nrows} rows of {ncols}",
                    entries.len()
                );
                entries
            }
        }
    }
}

/// Whether a Jacobian costs less by several columns at once than by one at a time, or by rows.
pub fn by_lanes(nrows: usize, ncols: usize) -> bool {
    ncols > 1 && ncols.div_ceil(WIDTH) <= nrows
}

/// Writes the entries of `tangent` to a row of `jacobian`.
pub fn set_row<T: Tangent + ?Sized>(jacobian: &mut [f64], row: usize, tangent: &T) {
    let ncols = tangent.count_entries();
    tangent.__copy_entries(&mut jacobian[row * ncols..][..ncols]);
}

/// Writes the entries of `tangent` to a column of `jacobian`, which has `ncols`; `scratch` has a place for each row.
pub fn set_column<T: Tangent + ?Sized>(
    jacobian: &mut [f64],
    ncols: usize,
    column: usize,
    scratch: &mut [f64],
    tangent: &T,
) {
    tangent.__copy_entries(scratch);
    for (row, entry) in jacobian.chunks_exact_mut(ncols).zip(scratch) {
        row[column] = *entry;
    }
}

/// Writes a tangent in several directions to as many columns of `jacobian`, which has `ncols`, from `first` on; those beyond the last are left
/// out. `scratch` is memory that is used again.
pub fn set_columns<T: Tangent + ?Sized>(
    jacobian: &mut [f64],
    ncols: usize,
    first: usize,
    scratch: &mut Vec<f64>,
    tangent: &T,
) {
    scratch.clear();
    scratch.resize(tangent.count_entries(), 0.0);
    tangent.__copy_entries(scratch);
    let count = WIDTH.min(ncols - first);
    let rows = jacobian.chunks_exact_mut(ncols);
    for (row, entries) in rows.zip(scratch.chunks_exact(WIDTH)) {
        row[first..][..count].copy_from_slice(&entries[..count]);
    }
}
