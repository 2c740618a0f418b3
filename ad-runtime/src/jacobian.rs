//! Parts of the drivers `jacobian` and `hessian`: rows and columns of dense matrices, row by row in a slice.

use alloc::vec::Vec;

use crate::wide::WIDTH;
use crate::{Matrix, Tangent};

/// Where a driver writes a Jacobian.
pub enum Target<'a> {
    /// A matrix of the driver, which gets its extent.
    Made(&'a mut Matrix),
    /// A buffer of the caller, which must have the right length, and its name in messages.
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
                    nrows.checked_mul(ncols) == Some(entries.len()),
                    "{name} has length {}, the Jacobian {nrows} rows of {ncols}",
                    entries.len()
                );
                entries
            }
        }
    }
}

/// Returns `true` if a Jacobian costs less by several columns at once than by one at a time, or by rows.
pub fn by_lanes(nrows: usize, ncols: usize) -> bool {
    ncols > 1 && ncols.div_ceil(WIDTH) <= nrows
}

/// Writes the entries of `tangent` to a row of `jacobian`.
pub fn set_row<T: Tangent + ?Sized>(jacobian: &mut [f64], row: usize, tangent: &T) {
    let ncols = tangent.count_entries();
    tangent.__copy_entries(&mut jacobian[row * ncols..][..ncols]);
}

/// A tangent of any type, entry by entry.
pub trait Entries {
    /// [`Tangent::set_entry`].
    fn set(&mut self, k: usize, value: f64);

    /// Writes the entries to a row.
    fn copy_to_row(&self, row: &mut [f64]);

    /// Writes a tangent along unit vectors to their columns of a block, which has so many. `scratch` is memory that is used again.
    fn copy_to_columns(
        &self,
        block: &mut [f64],
        columns: usize,
        part: Part,
        scratch: &mut Vec<f64>,
    );
}

impl<T: Tangent> Entries for T {
    #[inline]
    fn set(&mut self, k: usize, value: f64) {
        self.set_entry(k, value);
    }

    #[inline]
    fn copy_to_row(&self, row: &mut [f64]) {
        self.__copy_entries(row);
    }

    #[inline]
    fn copy_to_columns(
        &self,
        block: &mut [f64],
        columns: usize,
        part: Part,
        scratch: &mut Vec<f64>,
    ) {
        let mut few = [0.0; 2 * WIDTH];
        let entries = match T::__fixed_entries() {
            Some(count) if count <= few.len() => &mut few[..count],
            _ => {
                scratch.resize(block.len() / columns * part.lanes, 0.0);
                &mut scratch[..]
            }
        };
        self.__copy_entries(entries);
        let rows = block.chunks_exact_mut(columns);
        for (row, entries) in rows.zip(entries.chunks_exact(part.lanes)) {
            row[part.column..][..part.count].copy_from_slice(&entries[part.lane..][..part.count]);
        }
    }
}

/// The unit vectors that one pass takes, each in a lane of its own: those of the parameters' entries from `first` on, counted over all
/// parameters.
#[derive(Clone, Copy, Debug)]
pub struct Units<const N: usize> {
    entries: [usize; N],
    first: usize,
    lanes: usize,
}

/// The unit vectors of a pass that belong to one parameter: those of entries `column..column + count`, in lanes from `lane` on.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    column: usize,
    lane: usize,
    count: usize,
    lanes: usize,
}

/// All unit vectors of parameters with so many entries, as many in each pass as there are lanes.
#[inline]
pub fn units<const N: usize>(entries: [usize; N], lanes: usize) -> impl Iterator<Item = Units<N>> {
    let all = (0..entries.iter().sum()).step_by(lanes);
    all.map(move |first| Units {
        entries,
        first,
        lanes,
    })
}

impl<const N: usize> Units<N> {
    /// Sets the entries of the unit vectors in `directions`, which has one tangent for each parameter, to `value`.
    #[inline]
    pub fn set(self, directions: &mut [&mut dyn Entries; N], value: f64) {
        self.each_part(|parameter, part| {
            for k in 0..part.count {
                directions[parameter].set((part.column + k) * part.lanes + part.lane + k, value);
            }
        });
    }

    #[inline]
    fn each_part(self, mut f: impl FnMut(usize, Part)) {
        let (mut column, mut lane) = (self.first, 0);
        for (parameter, entries) in self.entries.into_iter().enumerate() {
            let count = (self.lanes - lane).min(entries.saturating_sub(column));
            if count > 0 {
                let lanes = self.lanes;
                f(
                    parameter,
                    Part {
                        column,
                        lane,
                        count,
                        lanes,
                    },
                );
            }
            column = column.saturating_sub(entries);
            lane += count;
        }
    }
}

/// The blocks of a Jacobian, one for each parameter.
pub struct Blocks<'a, const N: usize> {
    entries: [&'a mut [f64]; N],
    columns: [usize; N],
    scratch: Vec<f64>,
}

impl<'a, const N: usize> Blocks<'a, N> {
    /// Blocks of `rows` rows, and of as many columns as the parameters have entries.
    ///
    /// # Panics
    /// If a buffer of the caller has another length.
    #[inline]
    #[track_caller]
    pub fn new(targets: [Target<'a>; N], rows: usize, columns: [usize; N]) -> Self {
        let mut entries = [(); N].map(|()| <&mut [f64]>::default());
        for ((block, target), columns) in entries.iter_mut().zip(targets).zip(columns) {
            *block = target.entries(rows, columns);
        }
        let scratch = Vec::new();
        Blocks {
            entries,
            columns,
            scratch,
        }
    }

    /// Writes a tangent along unit vectors to their columns.
    #[inline]
    pub fn set_columns(&mut self, units: Units<N>, tangent: &dyn Entries) {
        units.each_part(|parameter, part| {
            let block = &mut *self.entries[parameter];
            tangent.copy_to_columns(block, self.columns[parameter], part, &mut self.scratch);
        });
    }

    /// Writes the cotangents of the parameters to a row.
    #[inline]
    pub fn set_row(&mut self, row: usize, cotangents: [&dyn Entries; N]) {
        for ((block, columns), cotangent) in
            self.entries.iter_mut().zip(self.columns).zip(cotangents)
        {
            cotangent.copy_to_row(&mut block[row * columns..][..columns]);
        }
    }
}

/// The blocks of a Hessian, by rows, then columns.
pub struct Hessian<const N: usize> {
    /// One for each pair of parameters.
    pub blocks: [[Matrix; N]; N],
    scratch: Vec<f64>,
}

impl<const N: usize> Hessian<N> {
    /// Of parameters with so many entries.
    #[inline]
    pub fn new(entries: [usize; N]) -> Self {
        Hessian {
            blocks: entries.map(|rows| entries.map(|columns| Matrix::zeros(rows, columns))),
            scratch: Vec::new(),
        }
    }

    /// Writes the products with unit vectors, one for each parameter, to the columns of these.
    #[inline]
    pub fn set_columns(&mut self, units: Units<N>, products: [&dyn Entries; N]) {
        units.each_part(|parameter, part| {
            for (row, product) in self.blocks.iter_mut().zip(products) {
                let block = &mut row[parameter];
                let columns = block.ncols();
                product.copy_to_columns(block.as_mut_slice(), columns, part, &mut self.scratch);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::Target;

    /// The product of these numbers has more bits than a `usize`, of which the last ones are zero.
    #[test]
    #[should_panic(expected = "x has length 0, the Jacobian")]
    fn an_empty_buffer_is_not_that_of_a_large_jacobian() {
        let half = 1 << (usize::BITS / 2);
        Target::Given(&mut [], "x").entries(half, half);
    }
}
