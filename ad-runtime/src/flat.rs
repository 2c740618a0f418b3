//! [`Flat`]: the floats of a value as a slice, and back.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use crate::{Component, Components, Differentiable};

/// The floats of a value, in one list: for optimisers, which work on slices.
///
/// Every [`Differentiable`] type has it, and every tangent, with the floats in the same order: that of fields and of elements. So entry `k`
/// of a flat gradient belongs to entry `k` of the flat parameters. Constants and parts without a tangent are left out; of an enum the
/// floats of its variant are taken. An `f32` is read exactly, and rounded when it is written.
///
/// ```
/// use ad_runtime::Flat;
///
/// let mut params = (vec![[1.0, 2.0], [3.0, 4.0]], Some(5.0), "text");
/// assert_eq!(params.to_flat(), [1.0, 2.0, 3.0, 4.0, 5.0]);
/// assert_eq!(params.flat_names()[2], "0[1][0]");
///
/// // No allocation, with a buffer.
/// let mut flat = [0.0; 5];
/// params.write_flat(&mut flat);
/// flat[4] = -1.0;
/// params.set_flat(&flat);
/// assert_eq!(params.1, Some(-1.0));
/// ```
pub trait Flat: Differentiable {
    /// How many floats it has.
    fn flat_len(&self) -> usize {
        let mut count = 0;
        self.visit_floats(&mut |_| count += 1);
        count
    }

    /// The floats.
    fn to_flat(&self) -> Vec<f64> {
        let mut flat = Vec::with_capacity(self.flat_len());
        self.visit_floats(&mut |x| flat.push(x));
        flat
    }

    /// Writes the floats to a buffer.
    ///
    /// # Panics
    /// If the buffer hasn't as many places as there are floats. Nothing has been written then.
    #[track_caller]
    fn write_flat(&self, buffer: &mut [f64]) {
        check_len(self.flat_len(), buffer.len());
        let mut places = buffer.iter_mut();
        self.visit_floats(&mut |x| *places.next().expect("they were counted") = x);
    }

    /// Replaces the floats by those of a list. Lengths, variants and constants stay.
    ///
    /// # Panics
    /// If the list hasn't as many numbers as there are floats: nothing has been written then. And if a float is shared: behind a `&`, or
    /// in an `Rc` or `Arc` with other owners.
    #[track_caller]
    fn set_flat(&mut self, flat: &[f64]) {
        check_len(self.flat_len(), flat.len());
        let mut numbers = flat.iter();
        self.map_floats(&mut |_| *numbers.next().expect("they were counted"));
    }

    /// The name of each float, such as `layers[0].weights[3]`. That of a mere float is empty.
    ///
    /// # Panics
    /// If a type that isn't derived doesn't name its floats, see [`Differentiable::visit_components`].
    #[track_caller]
    fn flat_names(&self) -> Vec<String> {
        let mut names = Vec::new();
        self.visit_components(&mut Components::new(&mut |place, component| {
            if let Component::Float { .. } = component {
                names.push(place.to_string().trim_start_matches('.').to_string());
            }
        }));
        assert!(
            names.len() == self.flat_len(),
            "a part of `{}` doesn't say what its floats are called: its `Differentiable` lacks `visit_components`",
            core::any::type_name::<Self>()
        );
        names
    }
}

impl<T: Differentiable + ?Sized> Flat for T {}

#[track_caller]
fn check_len(floats: usize, flat: usize) {
    assert!(
        floats == flat,
        "the flat list has length {flat}, but the value has {floats} floats"
    );
}
