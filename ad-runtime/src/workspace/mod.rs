//! Memory that gradients use again: residuals, shadows of locals and copies are kept between calls.
//!
//! Each thread keeps its own. A rule takes a buffer where it would allocate one, and puts it back at its end; when it panics the buffer is
//! freed. A pullback puts back the buffers that it owns where it is called, and frees them where it is dropped. Memory that is
//! returned to a caller is allocated for it. So nothing is shared, in recursions and in gradients of gradients neither: a buffer
//! that is in use isn't in the pool.
//!
//! Without the feature `std` there are no variables of threads, and everything is allocated at each call.
//!
//! ```
//! use ad_runtime::workspace;
//! # let gradient = |x: &[f64]| x.to_vec();
//! gradient(&[1.0, 2.0]);
//! workspace::release();
//! assert_eq!(workspace::kept_bytes(), 0);
//! ```

use alloc::vec::Vec;

use crate::{Differentiable, Tan};

#[cfg(feature = "std")]
mod memory;
#[cfg(feature = "std")]
mod pool;
mod run;
#[cfg(feature = "std")]
mod shelf;

pub(crate) use run::Residual;

/// Frees the buffers that the calling thread keeps. When a thread ends this happens by itself.
pub fn release() {
    #[cfg(feature = "std")]
    pool::release();
}

/// How many bytes the calling thread keeps that aren't in use.
pub fn kept_bytes() -> usize {
    #[cfg(feature = "std")]
    return pool::bytes();
    #[cfg(not(feature = "std"))]
    0
}

/// How many bytes each thread keeps at most. It is 64 MiB, unless [`set_limit`] changes it.
#[cfg(feature = "std")]
pub fn limit() -> usize {
    pool::limit()
}

/// Sets how many bytes each thread keeps at most, for all threads. With 0 nothing is kept.
///
/// Buffers that are kept already stay until they are used.
#[cfg(feature = "std")]
pub fn set_limit(bytes: usize) {
    pool::set_limit(bytes);
}

/// An empty list with room for so many entries.
#[doc(hidden)]
#[inline(never)]
pub fn list<T>(capacity: usize) -> Vec<T> {
    #[cfg(feature = "std")]
    let list = pool::take_list(capacity);
    #[cfg(not(feature = "std"))]
    let list = Vec::new();
    if list.capacity() < capacity {
        return Vec::with_capacity(capacity);
    }
    list
}

/// Drops the entries of a list, and keeps its memory.
#[doc(hidden)]
#[inline(never)]
pub fn keep<T>(list: Vec<T>) {
    #[cfg(feature = "std")]
    pool::put_list(list);
    #[cfg(not(feature = "std"))]
    drop(list);
}

/// `vec![entry; len]`.
#[doc(hidden)]
#[inline]
pub fn filled<T: Clone>(entry: T, len: usize) -> Vec<T> {
    let mut filled = list(len);
    filled.resize(len, entry);
    filled
}

/// Zero tangents of the elements of a slice.
#[doc(hidden)]
#[inline]
pub fn zeros_of<T: Differentiable>(values: &[T]) -> Vec<Tan<T>> {
    let mut zeros = list(values.len());
    zeros.extend(values.iter().map(T::zero_tangent));
    zeros
}

/// A copy of a slice.
#[doc(hidden)]
#[inline]
pub fn copy_of<T: Clone>(values: &[T]) -> Vec<T> {
    let mut copy = list(values.len());
    copy.extend_from_slice(values);
    copy
}

/// `vec![row; len]`, with rows from the workspace.
#[doc(hidden)]
pub fn filled_rows<T: Clone>(row: Vec<T>, len: usize) -> Vec<Vec<T>> {
    let mut rows = list(len);
    if len == 0 {
        keep(row);
        return rows;
    }
    rows.extend((1..len).map(|_| copy_of(&row)));
    rows.push(row);
    rows
}

/// [`zeros_of`] each row.
#[doc(hidden)]
pub fn zeros_of_rows<T: Differentiable>(values: &[Vec<T>]) -> Vec<Vec<Tan<T>>> {
    let mut zeros = list(values.len());
    zeros.extend(values.iter().map(|row| zeros_of(row)));
    zeros
}

/// [`copy_of`] each row.
#[doc(hidden)]
pub fn copy_of_rows<T: Clone>(values: &[Vec<T>]) -> Vec<Vec<T>> {
    let mut copy = list(values.len());
    copy.extend(values.iter().map(|row| copy_of(row)));
    copy
}

/// Keeps the rows, in the reverse order in which they are taken, and the list of them.
#[doc(hidden)]
pub fn keep_rows<T>(mut rows: Vec<Vec<T>>) {
    while let Some(row) = rows.pop() {
        keep(row);
    }
    keep(rows);
}

#[cfg(all(test, feature = "std"))]
mod tests;
