//! Derivatives of derivatives: helpers of the rules of drivers.

use alloc::vec::Vec;

use crate::{Tangent, TangentValue};

/// The rules of a function whose drivers have rules, too.
#[diagnostic::on_unimplemented(
    message = "the drivers of `{Self}` have no derivative rules",
    label = "differentiated in a differentiable function",
    note = "write `#[differentiable(nested)]` on `{Self}`"
)]
pub trait HasDriverRules {
    /// It has them.
    const CHECKED: usize = 0;
}

/// A function that has rules of its own. None of those implements it for which that is in question.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no derivative rules: what it gives borrows from its arguments, or has no name",
    label = "differentiated in a function of another module",
    note = "functions of its own module can call it: move one of the two, or write what it gives through a `&mut` parameter"
)]
pub trait HasRules {}

/// Calls `with` for each unit vector that has the shape of `zero`, in the order of its entries.
pub fn units<T: TangentValue>(zero: &T, mut with: impl FnMut(T)) {
    for i in 0..zero.count_entries() {
        let mut unit = zero.clone();
        unit.set_entry(i, 1.0);
        with(unit);
    }
}

/// The tangent whose entries are the results of `of` for each unit vector.
pub fn by_components<T: TangentValue>(zero: &T, mut of: impl FnMut(T) -> f64) -> T {
    let mut entries = Vec::new();
    units(zero, |unit| entries.push(of(unit)));
    let (mut all, mut entries) = (zero.clone(), entries.into_iter());
    fill_from(&mut all, &mut entries);
    all
}

/// Replaces the entries of `tangent` by those of a row.
pub fn fill<T: Tangent + ?Sized>(tangent: &mut T, row: &[f64]) {
    fill_from(tangent, &mut row.iter().copied());
}

fn fill_from<T: Tangent + ?Sized>(tangent: &mut T, entries: &mut dyn Iterator<Item = f64>) {
    tangent.map_entries(&mut |entry| entries.next().unwrap_or(entry));
}
