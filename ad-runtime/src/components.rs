//! [`Components`]: the parts of a value, one by one, with the way to each. Rule tests compare values, move them, and name
//! places by it.

use alloc::vec::Vec;
use core::fmt;
use core::hash::{Hash, Hasher};

use crate::{Differentiable, Scalar};

/// Takes the components of a value, in the order of [`Tangent::entries`](crate::Tangent::entries) of its tangent.
///
/// [`Differentiable::visit_components`] hands each part of a value over: floats and everything else, through the fields,
/// elements and variants that lead there.
///
/// ```
/// use ad_runtime::{Component, Components, Differentiable};
///
/// let mut floats = Vec::new();
/// let mut visit = |place: &ad_runtime::Place<'_>, component: Component| {
///     if let Component::Float { value, .. } = component {
///         floats.push((place.to_string(), value));
///     }
/// };
/// (1.5, vec![[2.5]], "text").visit_components(&mut Components::new(&mut visit));
/// assert_eq!(floats, [(".0".to_string(), 1.5), (".1[0][0]".to_string(), 2.5)]);
/// ```
pub struct Components<'a> {
    path: Vec<Step>,
    movable: bool,
    visit: &'a mut dyn FnMut(&Place<'_>, Component),
}

/// One part of a value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Component {
    /// A float, which has a tangent.
    Float {
        /// Its value; an `f32` exactly.
        value: f64,
        /// The distance from 1 to the next larger number of its type.
        epsilon: f64,
        /// True if it can be moved by a tangent: it isn't shared.
        movable: bool,
    },
    /// Something that has no tangent, as a number that differs where it does: an integer, a text, a length, a variant. The number is the same in each run
    /// of a program, but not on targets of another byte order or with a `usize` of another size.
    Fixed(u64),
    /// A type that doesn't expose its components.
    Opaque(&'static str),
}

/// The way to a component, such as `.layers[2].bias`; empty for the whole.
#[derive(Debug)]
pub struct Place<'a>(&'a [Step]);

#[derive(Clone, Copy, Debug)]
enum Step {
    Field(&'static str),
    Element(usize),
}

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|step| match step {
            Step::Field(name) => write!(f, ".{name}"),
            Step::Element(index) => write!(f, "[{index}]"),
        })
    }
}

impl fmt::Debug for Components<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Components at `{}`", Place(&self.path))
    }
}

impl<'a> Components<'a> {
    /// Hands each component to `visit`.
    pub fn new(visit: &'a mut dyn FnMut(&Place<'_>, Component)) -> Self {
        Components {
            path: Vec::new(),
            movable: true,
            visit,
        }
    }

    /// The components of a field.
    pub fn field(&mut self, name: &'static str, x: &(impl Differentiable + ?Sized)) {
        self.path.push(Step::Field(name));
        x.visit_components(self);
        self.path.pop();
    }

    /// The components of all elements, and their number.
    pub fn elements<'x, T: Differentiable + 'x>(
        &mut self,
        elements: impl ExactSizeIterator<Item = &'x T>,
    ) {
        self.fixed(&elements.len());
        for (index, x) in elements.enumerate() {
            self.path.push(Step::Element(index));
            x.visit_components(self);
            self.path.pop();
        }
    }

    /// The variant of an enum.
    pub fn variant(&mut self, name: &'static str) {
        self.fixed(name);
    }

    /// The components of something that is shared, and can't be moved.
    pub fn shared(&mut self, x: &(impl Differentiable + ?Sized)) {
        let movable = core::mem::replace(&mut self.movable, false);
        x.visit_components(self);
        self.movable = movable;
    }

    /// A float.
    pub fn float<T: Scalar>(&mut self, x: T) {
        let component = Component::Float {
            value: x.to_f64(),
            epsilon: T::EPSILON.to_f64(),
            movable: self.movable,
        };
        self.give(component);
    }

    /// Something without a tangent.
    pub fn fixed(&mut self, x: &(impl Hash + ?Sized)) {
        let mut hash = Fnv(0xcbf2_9ce4_8422_2325);
        x.hash(&mut hash);
        self.give(Component::Fixed(hash.finish()));
    }

    /// A value of type `T`, which doesn't expose its components.
    pub fn opaque<T: ?Sized>(&mut self) {
        self.give(Component::Opaque(core::any::type_name::<T>()));
    }

    fn give(&mut self, component: Component) {
        (self.visit)(&Place(&self.path), component);
    }
}

/// The hash of Fowler, Noll and Vo (FNV-1a), which is the same in each run. Integers are hashed by their bytes in memory.
struct Fnv(u64);

impl Hasher for Fnv {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}
