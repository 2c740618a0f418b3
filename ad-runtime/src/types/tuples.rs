//! Tuples up to twelve, and [`Dual`], which rules of composed order treat as a pair.

use crate::shape::{field_add_scaled, field_matches};
use crate::{Components, Differentiable, Dual, ShapeMismatch, Tan, Tangent, TangentValue};

/// Types with numbered fields: the tangent is the same constructor with the fields' tangents.
macro_rules! fields {
    ([$($T:ident $i:tt)*], $this:ty, $tangent:ty, |$($t:ident),*| $make:expr) => {
        impl<$($T: Differentiable),*> Differentiable for $this {
            type Tangent = $tangent;
            type OwnedTangent = $tangent;

            #[inline]
            fn zero_tangent(&self) -> $tangent {
                $(let $t = self.$i.zero_tangent();)*
                $make
            }

            #[inline]
            fn matches_shape(&self, tangent: &$tangent) -> Result<(), ShapeMismatch> {
                $(field_matches(&self.$i, &tangent.$i, stringify!($i))?;)*
                Ok(())
            }

            #[inline]
            fn add_scaled_tangent(&mut self, factor: f64, tangent: &$tangent) {
                $(field_add_scaled(&mut self.$i, factor, &tangent.$i);)*
            }

            fn visit_components(&self, components: &mut Components<'_>) {
                $(components.field(stringify!($i), &self.$i);)*
            }

            #[inline]
            fn visit_floats(&self, visit: &mut dyn FnMut(f64)) {
                $(self.$i.visit_floats(visit);)*
            }

            #[inline]
            fn map_floats(&mut self, map: &mut dyn FnMut(f64) -> f64) {
                $(self.$i.map_floats(map);)*
            }
        }

        impl<$($T: TangentValue),*> Tangent for $this {
            #[inline]
            fn set_zero(&mut self) {
                $(self.$i.set_zero();)*
            }

            #[inline]
            fn accumulate(&mut self, other: &Self) {
                $(self.$i.accumulate(&other.$i);)*
            }

            #[inline]
            fn scale(&mut self, factor: f64) {
                $(self.$i.scale(factor);)*
            }

            #[inline]
            fn inner(&self, other: &Self) -> f64 {
                0.0 $(+ self.$i.inner(&other.$i))*
            }

            #[inline]
            fn to_owned_tangent(&self) -> Self {
                self.clone()
            }
        }
    };
}

macro_rules! tuple {
    ($($T:ident $i:tt $t:ident)*) => {
        fields!([$($T $i)*], ($($T,)*), ($(Tan<$T>,)*), |$($t),*| ($($t,)*));
    };
}
fields!([P 0 T 1], Dual<P, T>, Dual<Tan<P>, Tan<T>>, |p, t| Dual(p, t));
tuple!(A 0 a);
tuple!(A 0 a B 1 b);
tuple!(A 0 a B 1 b C 2 c);
tuple!(A 0 a B 1 b C 2 c D 3 d);
tuple!(A 0 a B 1 b C 2 c D 3 d E 4 e);
tuple!(A 0 a B 1 b C 2 c D 3 d E 4 e F 5 f);
tuple!(A 0 a B 1 b C 2 c D 3 d E 4 e F 5 f G 6 g);
tuple!(A 0 a B 1 b C 2 c D 3 d E 4 e F 5 f G 6 g H 7 h);
tuple!(A 0 a B 1 b C 2 c D 3 d E 4 e F 5 f G 6 g H 7 h I 8 i);
tuple!(A 0 a B 1 b C 2 c D 3 d E 4 e F 5 f G 6 g H 7 h I 8 i J 9 j);
tuple!(A 0 a B 1 b C 2 c D 3 d E 4 e F 5 f G 6 g H 7 h I 8 i J 9 j K 10 k);
tuple!(A 0 a B 1 b C 2 c D 3 d E 4 e F 5 f G 6 g H 7 h I 8 i J 9 j K 10 k L 11 l);
