#[allow(dead_code, clippy::all, clippy::pedantic)]
const _: () = {
    fn fields<'a>()
    where
        f64: ::chainrule::__private::Differentiable + ::core::marker::Sized,
        Box<Expr<'a>>: ::chainrule::__private::Differentiable + ::core::marker::Sized,
        Box<Expr<'a>>: ::chainrule::__private::Differentiable + ::core::marker::Sized,
    {}
};
/**The tangent of `Expr`: a gradient, or a direction.

It has the same variants and fields, each with the tangent of what it holds there, and `NoTangent` where that is constant. Made by `#[derive(Differentiable)]`.*/
#[allow(dead_code, unreachable_pub, private_bounds, clippy::all, clippy::pedantic)]
enum ExprTangent<'a> {
    ///The tangent of `Leaf`.
    Leaf,
    ///The tangent of `Named`.
    Named(
        ///The tangent of `0`.
        ::chainrule::__private::ConstantTangent<&'a str>,
        ///The tangent of `1`.
        ::chainrule::__private::Tan<f64>,
    ),
    ///The tangent of `Sum`.
    Sum {
        ///The tangent of `left`.
        left: ::chainrule::__private::Tan<Box<Expr<'a>>>,
        ///The tangent of `right`.
        right: ::chainrule::__private::Tan<Box<Expr<'a>>>,
    },
}
#[automatically_derived]
impl<'a> ::core::clone::Clone for ExprTangent<'a> {
    #[inline]
    fn clone(&self) -> Self {
        match self {
            ExprTangent::Leaf {} => ExprTangent::Leaf {},
            ExprTangent::Named { 0: field_0, 1: field_1 } => {
                ExprTangent::Named {
                    0: ::core::clone::Clone::clone(field_0),
                    1: ::core::clone::Clone::clone(field_1),
                }
            }
            ExprTangent::Sum { left: field_0, right: field_1 } => {
                ExprTangent::Sum {
                    left: ::core::clone::Clone::clone(field_0),
                    right: ::core::clone::Clone::clone(field_1),
                }
            }
        }
    }
}
#[automatically_derived]
impl<'a> ::core::marker::Copy for ExprTangent<'a>
where
    for<'chainrule> ::chainrule::__private::ConstantTangent<
        &'a str,
    >: ::core::marker::Copy,
    for<'chainrule> ::chainrule::__private::Tan<f64>: ::core::marker::Copy,
    for<'chainrule> ::chainrule::__private::Tan<Box<Expr<'a>>>: ::core::marker::Copy,
    for<'chainrule> ::chainrule::__private::Tan<Box<Expr<'a>>>: ::core::marker::Copy,
{}
#[automatically_derived]
impl<'a> ::core::cmp::PartialEq for ExprTangent<'a> {
    #[inline]
    fn eq(&self, other: &Self) -> ::core::primitive::bool {
        match (self, other) {
            (ExprTangent::Leaf {}, ExprTangent::Leaf {}) => true,
            (
                ExprTangent::Named { 0: left_0, 1: left_1 },
                ExprTangent::Named { 0: right_0, 1: right_1 },
            ) => {
                true && ::core::cmp::PartialEq::eq(left_0, right_0)
                    && ::core::cmp::PartialEq::eq(left_1, right_1)
            }
            (
                ExprTangent::Sum { left: left_0, right: left_1 },
                ExprTangent::Sum { left: right_0, right: right_1 },
            ) => {
                true && ::core::cmp::PartialEq::eq(left_0, right_0)
                    && ::core::cmp::PartialEq::eq(left_1, right_1)
            }
            _ => false,
        }
    }
}
#[automatically_derived]
impl<'a> ::core::fmt::Debug for ExprTangent<'a> {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self {
            ExprTangent::Leaf {} => f.write_str("Leaf"),
            ExprTangent::Named { 0: field_0, 1: field_1 } => {
                f.debug_tuple("Named").field(field_0).field(field_1).finish()
            }
            ExprTangent::Sum { left: field_0, right: field_1 } => {
                f.debug_struct("Sum")
                    .field("left", field_0)
                    .field("right", field_1)
                    .finish()
            }
        }
    }
}
#[automatically_derived]
#[allow(unused_variables)]
impl<'a> ::chainrule::__private::Differentiable for Expr<'a> {
    type Tangent = ExprTangent<'a>;
    type OwnedTangent = ExprTangent<'a>;
    #[inline]
    fn zero_tangent(&self) -> ExprTangent<'a> {
        match self {
            Expr::Leaf {} => ExprTangent::Leaf {},
            Expr::Named { 0: _, 1: this_1 } => {
                ExprTangent::Named {
                    0: ::chainrule::__private::NoTangent,
                    1: ::chainrule::__private::Differentiable::zero_tangent(this_1),
                }
            }
            Expr::Sum { left: this_0, right: this_1 } => {
                ExprTangent::Sum {
                    left: ::chainrule::__private::Differentiable::zero_tangent(this_0),
                    right: ::chainrule::__private::Differentiable::zero_tangent(this_1),
                }
            }
        }
    }
    #[inline]
    fn matches_shape(
        &self,
        tangent: &ExprTangent<'a>,
    ) -> ::core::result::Result<(), ::chainrule::__private::ShapeMismatch> {
        match (self, tangent) {
            (Expr::Leaf {}, ExprTangent::Leaf {}) => ::core::result::Result::Ok(()),
            (
                Expr::Named { 0: _, 1: this_1 },
                ExprTangent::Named { 0: _, 1: that_1 },
            ) => {
                ::chainrule::__private::field_matches(this_1, that_1, "1")?;
                ::core::result::Result::Ok(())
            }
            (
                Expr::Sum { left: this_0, right: this_1 },
                ExprTangent::Sum { left: that_0, right: that_1 },
            ) => {
                ::chainrule::__private::field_matches(this_0, that_0, "left")?;
                ::chainrule::__private::field_matches(this_1, that_1, "right")?;
                ::core::result::Result::Ok(())
            }
            (this_0, that_0) => {
                ::core::result::Result::Err(
                    ::chainrule::__private::ShapeMismatch::variant(
                        match this_0 {
                            Expr::Leaf { .. } => "Leaf",
                            Expr::Named { .. } => "Named",
                            Expr::Sum { .. } => "Sum",
                        },
                        match that_0 {
                            ExprTangent::Leaf { .. } => "Leaf",
                            ExprTangent::Named { .. } => "Named",
                            ExprTangent::Sum { .. } => "Sum",
                        },
                    ),
                )
            }
        }
    }
    #[inline]
    fn add_scaled_tangent(
        &mut self,
        factor: ::core::primitive::f64,
        tangent: &ExprTangent<'a>,
    ) {
        match (self, tangent) {
            (Expr::Leaf {}, ExprTangent::Leaf {}) => {}
            (
                Expr::Named { 0: _, 1: this_1 },
                ExprTangent::Named { 0: _, 1: that_1 },
            ) => {
                ::chainrule::__private::field_add_scaled(this_1, factor, that_1);
            }
            (
                Expr::Sum { left: this_0, right: this_1 },
                ExprTangent::Sum { left: that_0, right: that_1 },
            ) => {
                ::chainrule::__private::field_add_scaled(this_0, factor, that_0);
                ::chainrule::__private::field_add_scaled(this_1, factor, that_1);
            }
            (this_0, that_0) => {
                ::chainrule::__private::variant_panic(
                    match this_0 {
                        Expr::Leaf { .. } => "Leaf",
                        Expr::Named { .. } => "Named",
                        Expr::Sum { .. } => "Sum",
                    },
                    match that_0 {
                        ExprTangent::Leaf { .. } => "Leaf",
                        ExprTangent::Named { .. } => "Named",
                        ExprTangent::Sum { .. } => "Sum",
                    },
                )
            }
        }
    }
    fn visit_components(&self, components: &mut ::chainrule::__private::Components<'_>) {
        match self {
            Expr::Leaf {} => {
                ::chainrule::__private::Components::variant(components, "Leaf");
            }
            Expr::Named { 0: _, 1: this_1 } => {
                ::chainrule::__private::Components::variant(components, "Named");
                ::chainrule::__private::Components::field(components, "1", this_1);
            }
            Expr::Sum { left: this_0, right: this_1 } => {
                ::chainrule::__private::Components::variant(components, "Sum");
                ::chainrule::__private::Components::field(components, "left", this_0);
                ::chainrule::__private::Components::field(components, "right", this_1);
            }
        }
    }
    #[inline]
    fn visit_floats(&self, visit: &mut dyn ::core::ops::FnMut(::core::primitive::f64)) {
        match self {
            Expr::Leaf {} => {}
            Expr::Named { 0: _, 1: this_1 } => {
                ::chainrule::__private::Differentiable::visit_floats(this_1, visit);
            }
            Expr::Sum { left: this_0, right: this_1 } => {
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
            Expr::Leaf {} => {}
            Expr::Named { 0: _, 1: this_1 } => {
                ::chainrule::__private::Differentiable::map_floats(this_1, map);
            }
            Expr::Sum { left: this_0, right: this_1 } => {
                ::chainrule::__private::Differentiable::map_floats(this_0, map);
                ::chainrule::__private::Differentiable::map_floats(this_1, map);
            }
        }
    }
}
#[automatically_derived]
#[allow(unused_variables)]
impl<'a> ::chainrule::__private::Differentiable for ExprTangent<'a> {
    type Tangent = ExprTangent<'a>;
    type OwnedTangent = ExprTangent<'a>;
    #[inline]
    fn zero_tangent(&self) -> ExprTangent<'a> {
        match self {
            ExprTangent::Leaf {} => ExprTangent::Leaf {},
            ExprTangent::Named { 0: _, 1: this_1 } => {
                ExprTangent::Named {
                    0: ::chainrule::__private::NoTangent,
                    1: ::chainrule::__private::Differentiable::zero_tangent(this_1),
                }
            }
            ExprTangent::Sum { left: this_0, right: this_1 } => {
                ExprTangent::Sum {
                    left: ::chainrule::__private::Differentiable::zero_tangent(this_0),
                    right: ::chainrule::__private::Differentiable::zero_tangent(this_1),
                }
            }
        }
    }
    #[inline]
    fn matches_shape(
        &self,
        tangent: &ExprTangent<'a>,
    ) -> ::core::result::Result<(), ::chainrule::__private::ShapeMismatch> {
        match (self, tangent) {
            (ExprTangent::Leaf {}, ExprTangent::Leaf {}) => {
                ::core::result::Result::Ok(())
            }
            (
                ExprTangent::Named { 0: _, 1: this_1 },
                ExprTangent::Named { 0: _, 1: that_1 },
            ) => {
                ::chainrule::__private::field_matches(this_1, that_1, "1")?;
                ::core::result::Result::Ok(())
            }
            (
                ExprTangent::Sum { left: this_0, right: this_1 },
                ExprTangent::Sum { left: that_0, right: that_1 },
            ) => {
                ::chainrule::__private::field_matches(this_0, that_0, "left")?;
                ::chainrule::__private::field_matches(this_1, that_1, "right")?;
                ::core::result::Result::Ok(())
            }
            (this_0, that_0) => {
                ::core::result::Result::Err(
                    ::chainrule::__private::ShapeMismatch::variant(
                        match this_0 {
                            ExprTangent::Leaf { .. } => "Leaf",
                            ExprTangent::Named { .. } => "Named",
                            ExprTangent::Sum { .. } => "Sum",
                        },
                        match that_0 {
                            ExprTangent::Leaf { .. } => "Leaf",
                            ExprTangent::Named { .. } => "Named",
                            ExprTangent::Sum { .. } => "Sum",
                        },
                    ),
                )
            }
        }
    }
    #[inline]
    fn add_scaled_tangent(
        &mut self,
        factor: ::core::primitive::f64,
        tangent: &ExprTangent<'a>,
    ) {
        match (self, tangent) {
            (ExprTangent::Leaf {}, ExprTangent::Leaf {}) => {}
            (
                ExprTangent::Named { 0: _, 1: this_1 },
                ExprTangent::Named { 0: _, 1: that_1 },
            ) => {
                ::chainrule::__private::field_add_scaled(this_1, factor, that_1);
            }
            (
                ExprTangent::Sum { left: this_0, right: this_1 },
                ExprTangent::Sum { left: that_0, right: that_1 },
            ) => {
                ::chainrule::__private::field_add_scaled(this_0, factor, that_0);
                ::chainrule::__private::field_add_scaled(this_1, factor, that_1);
            }
            (this_0, that_0) => {
                ::chainrule::__private::variant_panic(
                    match this_0 {
                        ExprTangent::Leaf { .. } => "Leaf",
                        ExprTangent::Named { .. } => "Named",
                        ExprTangent::Sum { .. } => "Sum",
                    },
                    match that_0 {
                        ExprTangent::Leaf { .. } => "Leaf",
                        ExprTangent::Named { .. } => "Named",
                        ExprTangent::Sum { .. } => "Sum",
                    },
                )
            }
        }
    }
    fn visit_components(&self, components: &mut ::chainrule::__private::Components<'_>) {
        match self {
            ExprTangent::Leaf {} => {
                ::chainrule::__private::Components::variant(components, "Leaf");
            }
            ExprTangent::Named { 0: _, 1: this_1 } => {
                ::chainrule::__private::Components::variant(components, "Named");
                ::chainrule::__private::Components::field(components, "1", this_1);
            }
            ExprTangent::Sum { left: this_0, right: this_1 } => {
                ::chainrule::__private::Components::variant(components, "Sum");
                ::chainrule::__private::Components::field(components, "left", this_0);
                ::chainrule::__private::Components::field(components, "right", this_1);
            }
        }
    }
    #[inline]
    fn visit_floats(&self, visit: &mut dyn ::core::ops::FnMut(::core::primitive::f64)) {
        match self {
            ExprTangent::Leaf {} => {}
            ExprTangent::Named { 0: _, 1: this_1 } => {
                ::chainrule::__private::Differentiable::visit_floats(this_1, visit);
            }
            ExprTangent::Sum { left: this_0, right: this_1 } => {
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
            ExprTangent::Leaf {} => {}
            ExprTangent::Named { 0: _, 1: this_1 } => {
                ::chainrule::__private::Differentiable::map_floats(this_1, map);
            }
            ExprTangent::Sum { left: this_0, right: this_1 } => {
                ::chainrule::__private::Differentiable::map_floats(this_0, map);
                ::chainrule::__private::Differentiable::map_floats(this_1, map);
            }
        }
    }
}
#[allow(dead_code, unreachable_pub, clippy::all, clippy::pedantic)]
impl<'a> Expr<'a> {
    /** Moves it by a multiple of a tangent: `x += factor * tangent`. With a negative rate and a gradient that is a step of gradient descent. What has no tangent stays.

 # Panics
 If lengths or variants differ, or if something that has a tangent is shared.*/
    #[inline]
    #[track_caller]
    fn add_scaled(&mut self, factor: ::core::primitive::f64, tangent: &ExprTangent<'a>) {
        ::chainrule::__private::Differentiable::add_scaled_tangent(self, factor, tangent)
    }
}
#[allow(dead_code, unreachable_pub, clippy::all, clippy::pedantic)]
impl<'a> ExprTangent<'a> {
    /** Adds a multiple of another tangent.

 # Panics
 If lengths or variants differ.*/
    #[inline]
    #[track_caller]
    fn add_scaled(&mut self, factor: ::core::primitive::f64, tangent: &ExprTangent<'a>) {
        ::chainrule::__private::Differentiable::add_scaled_tangent(self, factor, tangent)
    }
}
#[automatically_derived]
#[allow(unused_variables)]
impl<'a> ::chainrule::__private::Tangent for ExprTangent<'a> {
    #[inline]
    fn set_zero(&mut self) {
        match self {
            ExprTangent::Leaf {} => {}
            ExprTangent::Named { 0: _, 1: this_1 } => {
                ::chainrule::__private::Tangent::set_zero(this_1);
            }
            ExprTangent::Sum { left: this_0, right: this_1 } => {
                ::chainrule::__private::Tangent::set_zero(this_0);
                ::chainrule::__private::Tangent::set_zero(this_1);
            }
        }
    }
    #[inline]
    fn accumulate(&mut self, other: &Self) {
        match (self, other) {
            (ExprTangent::Leaf {}, ExprTangent::Leaf {}) => {}
            (
                ExprTangent::Named { 0: _, 1: this_1 },
                ExprTangent::Named { 0: _, 1: that_1 },
            ) => {
                ::chainrule::__private::Tangent::accumulate(this_1, that_1);
            }
            (
                ExprTangent::Sum { left: this_0, right: this_1 },
                ExprTangent::Sum { left: that_0, right: that_1 },
            ) => {
                ::chainrule::__private::Tangent::accumulate(this_0, that_0);
                ::chainrule::__private::Tangent::accumulate(this_1, that_1);
            }
            (this_0, that_0) => {
                ::chainrule::__private::variant_panic(
                    match this_0 {
                        ExprTangent::Leaf { .. } => "Leaf",
                        ExprTangent::Named { .. } => "Named",
                        ExprTangent::Sum { .. } => "Sum",
                    },
                    match that_0 {
                        ExprTangent::Leaf { .. } => "Leaf",
                        ExprTangent::Named { .. } => "Named",
                        ExprTangent::Sum { .. } => "Sum",
                    },
                )
            }
        }
    }
    #[inline]
    fn scale(&mut self, factor: ::core::primitive::f64) {
        match self {
            ExprTangent::Leaf {} => {}
            ExprTangent::Named { 0: _, 1: this_1 } => {
                ::chainrule::__private::Tangent::scale(this_1, factor);
            }
            ExprTangent::Sum { left: this_0, right: this_1 } => {
                ::chainrule::__private::Tangent::scale(this_0, factor);
                ::chainrule::__private::Tangent::scale(this_1, factor);
            }
        }
    }
    #[inline]
    fn inner(&self, other: &Self) -> ::core::primitive::f64 {
        match (self, other) {
            (ExprTangent::Leaf {}, ExprTangent::Leaf {}) => 0.0,
            (
                ExprTangent::Named { 0: _, 1: this_1 },
                ExprTangent::Named { 0: _, 1: that_1 },
            ) => 0.0 + ::chainrule::__private::Tangent::inner(this_1, that_1),
            (
                ExprTangent::Sum { left: this_0, right: this_1 },
                ExprTangent::Sum { left: that_0, right: that_1 },
            ) => {
                0.0 + ::chainrule::__private::Tangent::inner(this_0, that_0)
                    + ::chainrule::__private::Tangent::inner(this_1, that_1)
            }
            (this_0, that_0) => {
                ::chainrule::__private::variant_panic(
                    match this_0 {
                        ExprTangent::Leaf { .. } => "Leaf",
                        ExprTangent::Named { .. } => "Named",
                        ExprTangent::Sum { .. } => "Sum",
                    },
                    match that_0 {
                        ExprTangent::Leaf { .. } => "Leaf",
                        ExprTangent::Named { .. } => "Named",
                        ExprTangent::Sum { .. } => "Sum",
                    },
                )
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
impl<'a> ExprTangent<'a> {
    #[doc(hidden)]
    #[inline(always)]
    fn __Named_0(&self) -> &::chainrule::__private::ConstantTangent<&'a str> {
        match self {
            ExprTangent::Named { 0: field, .. } => field,
            _ => ::core::unreachable!("a tangent of `Expr` that isn't a `Named`"),
        }
    }
    #[doc(hidden)]
    #[inline(always)]
    fn __Named_0_mut(
        &mut self,
    ) -> &mut ::chainrule::__private::ConstantTangent<&'a str> {
        match self {
            ExprTangent::Named { 0: field, .. } => field,
            _ => ::core::unreachable!("a tangent of `Expr` that isn't a `Named`"),
        }
    }
    #[doc(hidden)]
    #[inline(always)]
    fn __Named_1(&self) -> &::chainrule::__private::Tan<f64> {
        match self {
            ExprTangent::Named { 1: field, .. } => field,
            _ => ::core::unreachable!("a tangent of `Expr` that isn't a `Named`"),
        }
    }
    #[doc(hidden)]
    #[inline(always)]
    fn __Named_1_mut(&mut self) -> &mut ::chainrule::__private::Tan<f64> {
        match self {
            ExprTangent::Named { 1: field, .. } => field,
            _ => ::core::unreachable!("a tangent of `Expr` that isn't a `Named`"),
        }
    }
    #[doc(hidden)]
    #[inline(always)]
    fn __Sum_left(&self) -> &::chainrule::__private::Tan<Box<Expr<'a>>> {
        match self {
            ExprTangent::Sum { left: field, .. } => field,
            _ => ::core::unreachable!("a tangent of `Expr` that isn't a `Sum`"),
        }
    }
    #[doc(hidden)]
    #[inline(always)]
    fn __Sum_left_mut(&mut self) -> &mut ::chainrule::__private::Tan<Box<Expr<'a>>> {
        match self {
            ExprTangent::Sum { left: field, .. } => field,
            _ => ::core::unreachable!("a tangent of `Expr` that isn't a `Sum`"),
        }
    }
    #[doc(hidden)]
    #[inline(always)]
    fn __Sum_right(&self) -> &::chainrule::__private::Tan<Box<Expr<'a>>> {
        match self {
            ExprTangent::Sum { right: field, .. } => field,
            _ => ::core::unreachable!("a tangent of `Expr` that isn't a `Sum`"),
        }
    }
    #[doc(hidden)]
    #[inline(always)]
    fn __Sum_right_mut(&mut self) -> &mut ::chainrule::__private::Tan<Box<Expr<'a>>> {
        match self {
            ExprTangent::Sum { right: field, .. } => field,
            _ => ::core::unreachable!("a tangent of `Expr` that isn't a `Sum`"),
        }
    }
}
