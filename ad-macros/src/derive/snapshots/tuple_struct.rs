#[allow(dead_code, clippy::all, clippy::pedantic)]
const _: () = {
    fn fields<T>()
    where
        T: ::chainrule::__private::Differentiable,
        Vec<T>: ::chainrule::__private::Differentiable + ::core::marker::Sized,
        f64: ::chainrule::__private::Differentiable + ::core::marker::Sized,
    {}
};
/**The tangent of `Scaled`: a gradient, or a direction.

It has the same fields, each with the tangent of what it holds there, and `NoTangent` where that is constant. Made by `#[derive(Differentiable)]`.*/
#[allow(dead_code, unreachable_pub, private_bounds, clippy::all, clippy::pedantic)]
pub struct ScaledTangent<T>(
    ///The tangent of `0`.
    pub(crate) ::chainrule::__private::Tan<Vec<T>>,
    ///The tangent of `1`.
    pub ::chainrule::__private::Tan<f64>,
    ///The tangent of `2`.
    pub ::chainrule::__private::NoTangent,
)
where
    T: ::chainrule::__private::Differentiable;
#[automatically_derived]
impl<T> ::core::clone::Clone for ScaledTangent<T>
where
    T: ::chainrule::__private::Differentiable,
{
    #[inline]
    fn clone(&self) -> Self {
        match self {
            ScaledTangent { 0: field_0, 1: field_1, 2: field_2 } => {
                ScaledTangent {
                    0: ::core::clone::Clone::clone(field_0),
                    1: ::core::clone::Clone::clone(field_1),
                    2: ::core::clone::Clone::clone(field_2),
                }
            }
        }
    }
}
#[automatically_derived]
impl<T> ::core::marker::Copy for ScaledTangent<T>
where
    T: ::chainrule::__private::Differentiable,
    for<'chainrule> ::chainrule::__private::Tan<Vec<T>>: ::core::marker::Copy,
    for<'chainrule> ::chainrule::__private::Tan<f64>: ::core::marker::Copy,
    for<'chainrule> ::chainrule::__private::NoTangent: ::core::marker::Copy,
{}
#[automatically_derived]
impl<T> ::core::cmp::PartialEq for ScaledTangent<T>
where
    T: ::chainrule::__private::Differentiable,
{
    #[inline]
    fn eq(&self, other: &Self) -> ::core::primitive::bool {
        match (self, other) {
            (
                ScaledTangent { 0: left_0, 1: left_1, 2: left_2 },
                ScaledTangent { 0: right_0, 1: right_1, 2: right_2 },
            ) => {
                true && ::core::cmp::PartialEq::eq(left_0, right_0)
                    && ::core::cmp::PartialEq::eq(left_1, right_1)
                    && ::core::cmp::PartialEq::eq(left_2, right_2)
            }
        }
    }
}
#[automatically_derived]
impl<T> ::core::fmt::Debug for ScaledTangent<T>
where
    T: ::chainrule::__private::Differentiable,
{
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self {
            ScaledTangent { 0: field_0, 1: field_1, 2: field_2 } => {
                f.debug_tuple("ScaledTangent")
                    .field(field_0)
                    .field(field_1)
                    .field(field_2)
                    .finish()
            }
        }
    }
}
#[automatically_derived]
#[allow(unused_variables)]
impl<T> ::chainrule::__private::Differentiable for Scaled<T>
where
    T: ::chainrule::__private::Differentiable,
{
    type Tangent = ScaledTangent<T>;
    type OwnedTangent = ScaledTangent<T>;
    #[inline]
    fn zero_tangent(&self) -> ScaledTangent<T> {
        match self {
            Scaled { 0: this_0, 1: this_1, 2: _ } => {
                ScaledTangent {
                    0: ::chainrule::__private::Differentiable::zero_tangent(this_0),
                    1: ::chainrule::__private::Differentiable::zero_tangent(this_1),
                    2: ::chainrule::__private::NoTangent,
                }
            }
        }
    }
    #[inline]
    fn matches_shape(
        &self,
        tangent: &ScaledTangent<T>,
    ) -> ::core::result::Result<(), ::chainrule::__private::ShapeMismatch> {
        match (self, tangent) {
            (
                Scaled { 0: this_0, 1: this_1, 2: _ },
                ScaledTangent { 0: that_0, 1: that_1, 2: _ },
            ) => {
                ::chainrule::__private::field_matches(this_0, that_0, "0")?;
                ::chainrule::__private::field_matches(this_1, that_1, "1")?;
                ::core::result::Result::Ok(())
            }
        }
    }
    #[inline]
    fn add_scaled_tangent(
        &mut self,
        factor: ::core::primitive::f64,
        tangent: &ScaledTangent<T>,
    ) {
        match (self, tangent) {
            (
                Scaled { 0: this_0, 1: this_1, 2: _ },
                ScaledTangent { 0: that_0, 1: that_1, 2: _ },
            ) => {
                ::chainrule::__private::field_add_scaled(this_0, factor, that_0);
                ::chainrule::__private::field_add_scaled(this_1, factor, that_1);
            }
        }
    }
    fn visit_components(&self, components: &mut ::chainrule::__private::Components<'_>) {
        match self {
            Scaled { 0: this_0, 1: this_1, 2: _ } => {
                ::chainrule::__private::Components::field(components, "0", this_0);
                ::chainrule::__private::Components::field(components, "1", this_1);
            }
        }
    }
    #[inline]
    fn visit_floats(&self, visit: &mut dyn ::core::ops::FnMut(::core::primitive::f64)) {
        match self {
            Scaled { 0: this_0, 1: this_1, 2: _ } => {
                ::chainrule::__private::Differentiable::visit_floats(this_0, visit);
                ::chainrule::__private::Differentiable::visit_floats(this_1, visit);
            }
        }
    }
    #[inline]
    fn map_floats(
        &mut self,
        map: &mut dyn ::core::ops::FnMut(
            ::core::primitive::f64,
        ) -> ::core::primitive::f64,
    ) {
        match self {
            Scaled { 0: this_0, 1: this_1, 2: _ } => {
                ::chainrule::__private::Differentiable::map_floats(this_0, map);
                ::chainrule::__private::Differentiable::map_floats(this_1, map);
            }
        }
    }
}
#[automatically_derived]
#[allow(unused_variables)]
impl<T> ::chainrule::__private::Differentiable for ScaledTangent<T>
where
    T: ::chainrule::__private::Differentiable,
{
    type Tangent = ScaledTangent<T>;
    type OwnedTangent = ScaledTangent<T>;
    #[inline]
    fn zero_tangent(&self) -> ScaledTangent<T> {
        match self {
            ScaledTangent { 0: this_0, 1: this_1, 2: _ } => {
                ScaledTangent {
                    0: ::chainrule::__private::Differentiable::zero_tangent(this_0),
                    1: ::chainrule::__private::Differentiable::zero_tangent(this_1),
                    2: ::chainrule::__private::NoTangent,
                }
            }
        }
    }
    #[inline]
    fn matches_shape(
        &self,
        tangent: &ScaledTangent<T>,
    ) -> ::core::result::Result<(), ::chainrule::__private::ShapeMismatch> {
        match (self, tangent) {
            (
                ScaledTangent { 0: this_0, 1: this_1, 2: _ },
                ScaledTangent { 0: that_0, 1: that_1, 2: _ },
            ) => {
                ::chainrule::__private::field_matches(this_0, that_0, "0")?;
                ::chainrule::__private::field_matches(this_1, that_1, "1")?;
                ::core::result::Result::Ok(())
            }
        }
    }
    #[inline]
    fn add_scaled_tangent(
        &mut self,
        factor: ::core::primitive::f64,
        tangent: &ScaledTangent<T>,
    ) {
        match (self, tangent) {
            (
                ScaledTangent { 0: this_0, 1: this_1, 2: _ },
                ScaledTangent { 0: that_0, 1: that_1, 2: _ },
            ) => {
                ::chainrule::__private::field_add_scaled(this_0, factor, that_0);
                ::chainrule::__private::field_add_scaled(this_1, factor, that_1);
            }
        }
    }
    fn visit_components(&self, components: &mut ::chainrule::__private::Components<'_>) {
        match self {
            ScaledTangent { 0: this_0, 1: this_1, 2: _ } => {
                ::chainrule::__private::Components::field(components, "0", this_0);
                ::chainrule::__private::Components::field(components, "1", this_1);
            }
        }
    }
    #[inline]
    fn visit_floats(&self, visit: &mut dyn ::core::ops::FnMut(::core::primitive::f64)) {
        match self {
            ScaledTangent { 0: this_0, 1: this_1, 2: _ } => {
                ::chainrule::__private::Differentiable::visit_floats(this_0, visit);
                ::chainrule::__private::Differentiable::visit_floats(this_1, visit);
            }
        }
    }
    #[inline]
    fn map_floats(
        &mut self,
        map: &mut dyn ::core::ops::FnMut(
            ::core::primitive::f64,
        ) -> ::core::primitive::f64,
    ) {
        match self {
            ScaledTangent { 0: this_0, 1: this_1, 2: _ } => {
                ::chainrule::__private::Differentiable::map_floats(this_0, map);
                ::chainrule::__private::Differentiable::map_floats(this_1, map);
            }
        }
    }
}
#[allow(dead_code, unreachable_pub, clippy::all, clippy::pedantic)]
impl<T> Scaled<T>
where
    T: ::chainrule::__private::Differentiable,
{
    /** Moves it by a multiple of a tangent: `x += factor * tangent`. With a negative rate and a gradient that is a step of gradient descent. What has no tangent stays.

 # Panics
 If lengths or variants differ, or if something that has a tangent is shared.*/
    #[inline]
    #[track_caller]
    pub fn add_scaled(
        &mut self,
        factor: ::core::primitive::f64,
        tangent: &ScaledTangent<T>,
    ) {
        ::chainrule::__private::Differentiable::add_scaled_tangent(self, factor, tangent)
    }
}
#[allow(dead_code, unreachable_pub, clippy::all, clippy::pedantic)]
impl<T> ScaledTangent<T>
where
    T: ::chainrule::__private::Differentiable,
{
    /** Adds a multiple of another tangent.

 # Panics
 If lengths or variants differ.*/
    #[inline]
    #[track_caller]
    pub fn add_scaled(
        &mut self,
        factor: ::core::primitive::f64,
        tangent: &ScaledTangent<T>,
    ) {
        ::chainrule::__private::Differentiable::add_scaled_tangent(self, factor, tangent)
    }
}
#[automatically_derived]
#[allow(unused_variables)]
impl<T> ::chainrule::__private::Tangent for ScaledTangent<T>
where
    T: ::chainrule::__private::Differentiable,
{
    #[inline]
    fn set_zero(&mut self) {
        match self {
            ScaledTangent { 0: this_0, 1: this_1, 2: _ } => {
                ::chainrule::__private::Tangent::set_zero(this_0);
                ::chainrule::__private::Tangent::set_zero(this_1);
            }
        }
    }
    #[inline]
    fn accumulate(&mut self, other: &Self) {
        match (self, other) {
            (
                ScaledTangent { 0: this_0, 1: this_1, 2: _ },
                ScaledTangent { 0: that_0, 1: that_1, 2: _ },
            ) => {
                ::chainrule::__private::Tangent::accumulate(this_0, that_0);
                ::chainrule::__private::Tangent::accumulate(this_1, that_1);
            }
        }
    }
    #[inline]
    fn scale(&mut self, factor: ::core::primitive::f64) {
        match self {
            ScaledTangent { 0: this_0, 1: this_1, 2: _ } => {
                ::chainrule::__private::Tangent::scale(this_0, factor);
                ::chainrule::__private::Tangent::scale(this_1, factor);
            }
        }
    }
    #[inline]
    fn inner(&self, other: &Self) -> ::core::primitive::f64 {
        match (self, other) {
            (
                ScaledTangent { 0: this_0, 1: this_1, 2: _ },
                ScaledTangent { 0: that_0, 1: that_1, 2: _ },
            ) => {
                0.0 + ::chainrule::__private::Tangent::inner(this_0, that_0)
                    + ::chainrule::__private::Tangent::inner(this_1, that_1)
            }
        }
    }
    #[inline]
    fn to_owned_tangent(&self) -> Self {
        ::core::clone::Clone::clone(self)
    }
}
#[automatically_derived]
#[allow(
    dead_code,
    non_snake_case,
    private_interfaces,
    unreachable_patterns,
    unreachable_pub,
    clippy::all,
    clippy::pedantic
)]
impl<T> ScaledTangent<T>
where
    T: ::chainrule::__private::Differentiable,
{
    #[doc(hidden)]
    #[inline(always)]
    pub(crate) fn __Scaled_0(&self) -> &::chainrule::__private::Tan<Vec<T>> {
        match self {
            ScaledTangent { 0: field, .. } => field,
        }
    }
    #[doc(hidden)]
    #[inline(always)]
    pub(crate) fn __Scaled_0_mut(&mut self) -> &mut ::chainrule::__private::Tan<Vec<T>> {
        match self {
            ScaledTangent { 0: field, .. } => field,
        }
    }
    #[doc(hidden)]
    #[inline(always)]
    pub fn __Scaled_1(&self) -> &::chainrule::__private::Tan<f64> {
        match self {
            ScaledTangent { 1: field, .. } => field,
        }
    }
    #[doc(hidden)]
    #[inline(always)]
    pub fn __Scaled_1_mut(&mut self) -> &mut ::chainrule::__private::Tan<f64> {
        match self {
            ScaledTangent { 1: field, .. } => field,
        }
    }
    #[doc(hidden)]
    #[inline(always)]
    pub fn __Scaled_2(&self) -> &::chainrule::__private::NoTangent {
        match self {
            ScaledTangent { 2: field, .. } => field,
        }
    }
    #[doc(hidden)]
    #[inline(always)]
    pub fn __Scaled_2_mut(&mut self) -> &mut ::chainrule::__private::NoTangent {
        match self {
            ScaledTangent { 2: field, .. } => field,
        }
    }
}
