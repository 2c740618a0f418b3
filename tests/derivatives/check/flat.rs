//! [`Flat`]: the floats of a value, in a row.

use std::collections::VecDeque;

/// A value that floats can be read from and written to, in an order of its own.
pub(crate) trait Flat: Clone {
    /// The unit roundoff of the least precise float in it; zero without floats.
    const ROUNDOFF: f64;

    /// Replaces each float by what `f` makes of it.
    fn map(&mut self, f: &mut dyn FnMut(f64) -> f64);

    /// All floats.
    fn flat(&self) -> Vec<f64> {
        let mut all = Vec::new();
        self.clone().map(&mut |v| {
            all.push(v);
            v
        });
        all
    }
}

/// The unit roundoff of a value.
pub(crate) fn roundoff<T: Flat>(_: &T) -> f64 {
    T::ROUNDOFF
}

impl Flat for f64 {
    const ROUNDOFF: f64 = f64::EPSILON;

    fn map(&mut self, f: &mut dyn FnMut(f64) -> f64) {
        *self = f(*self);
    }
}

impl Flat for f32 {
    const ROUNDOFF: f64 = f32::EPSILON as f64;

    #[expect(
        clippy::cast_possible_truncation,
        reason = "rounding to `f32` is what is wanted"
    )]
    fn map(&mut self, f: &mut dyn FnMut(f64) -> f64) {
        *self = f(f64::from(*self)) as f32;
    }
}

impl<T: Flat> Flat for Vec<T> {
    const ROUNDOFF: f64 = T::ROUNDOFF;

    fn map(&mut self, f: &mut dyn FnMut(f64) -> f64) {
        for v in self {
            v.map(f);
        }
    }
}

impl<T: Flat> Flat for VecDeque<T> {
    const ROUNDOFF: f64 = T::ROUNDOFF;

    fn map(&mut self, f: &mut dyn FnMut(f64) -> f64) {
        for v in self {
            v.map(f);
        }
    }
}

impl<T: Flat, const N: usize> Flat for [T; N] {
    const ROUNDOFF: f64 = T::ROUNDOFF;

    fn map(&mut self, f: &mut dyn FnMut(f64) -> f64) {
        for v in self {
            v.map(f);
        }
    }
}

/// Implements [`Flat`] for types without floats.
macro_rules! without_floats {
    ($($ty:ty),*) => {$(
        impl $crate::check::Flat for $ty {
            const ROUNDOFF: f64 = 0.0;

            fn map(&mut self, _: &mut dyn FnMut(f64) -> f64) {}
        }
    )*};
}
pub(crate) use without_floats;

without_floats!((), bool, i32, u8, usize);

/// Implements [`Flat`] for a struct by its fields.
macro_rules! flat {
    ($ty:ty { $($field:tt: $field_ty:ty),* $(,)? }) => {
        impl $crate::check::Flat for $ty {
            const ROUNDOFF: f64 = {
                let mut most = 0.0;
                $(
                    let roundoff = <$field_ty as $crate::check::Flat>::ROUNDOFF;
                    if roundoff > most {
                        most = roundoff;
                    }
                )*
                most
            };

            fn map(&mut self, f: &mut dyn FnMut(f64) -> f64) {
                $($crate::check::Flat::map(&mut self.$field, f);)*
            }
        }
    };
}
pub(crate) use flat;

/// Implements [`Flat`] for tuples.
macro_rules! tuples {
    ($($($name:ident $index:tt)*;)*) => {$(
        impl<$($name: Flat),*> Flat for ($($name,)*) {
            const ROUNDOFF: f64 = {
                let mut most = 0.0;
                $(
                    if $name::ROUNDOFF > most {
                        most = $name::ROUNDOFF;
                    }
                )*
                most
            };

            fn map(&mut self, f: &mut dyn FnMut(f64) -> f64) {
                $(self.$index.map(f);)*
            }
        }
    )*};
}
tuples! {
    A 0;
    A 0 B 1;
    A 0 B 1 C 2;
    A 0 B 1 C 2 D 3;
}

impl<T: Flat> Flat for Option<T> {
    const ROUNDOFF: f64 = T::ROUNDOFF;

    fn map(&mut self, f: &mut dyn FnMut(f64) -> f64) {
        if let Some(v) = self {
            v.map(f);
        }
    }
}

impl<T: Flat, E: Clone> Flat for Result<T, E> {
    const ROUNDOFF: f64 = T::ROUNDOFF;

    fn map(&mut self, f: &mut dyn FnMut(f64) -> f64) {
        if let Ok(v) = self {
            v.map(f);
        }
    }
}

impl<T: Flat> Flat for Box<T> {
    const ROUNDOFF: f64 = T::ROUNDOFF;

    fn map(&mut self, f: &mut dyn FnMut(f64) -> f64) {
        (**self).map(f);
    }
}
