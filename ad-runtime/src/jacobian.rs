//! What the drivers `jacobian` and `hessian` are made from: rows and columns of dense matrices, row by row in a slice.

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

/// Writes the entries of `tangent` to a row of `jacobian`.
pub fn set_row<T: Tangent + ?Sized>(jacobian: &mut [f64], row: usize, tangent: &T) {
    let ncols = tangent.count_entries();
    let mut places = jacobian.iter_mut().skip(row * ncols);
    tangent.entries(&mut |entry| {
        if let Some(place) = places.next() {
            *place = entry;
        }
    });
}

/// Writes the entries of `tangent` to a column of `jacobian`, which has `ncols`.
pub fn set_column<T: Tangent + ?Sized>(
    jacobian: &mut [f64],
    ncols: usize,
    column: usize,
    tangent: &T,
) {
    let mut places = jacobian.iter_mut().skip(column).step_by(ncols.max(1));
    tangent.entries(&mut |entry| {
        if let Some(place) = places.next() {
            *place = entry;
        }
    });
}

/// Writes the entries of `tangent` to a column of `matrix`.
pub fn set_matrix_column<T: Tangent + ?Sized>(matrix: &mut Matrix, column: usize, tangent: &T) {
    let ncols = matrix.ncols();
    set_column(matrix.as_mut_slice(), ncols, column, tangent);
}
