//! Derived tangents among types that are called like those of the standard library.
#![allow(non_camel_case_types)]

use ::ad::Differentiable;

/// Not a primitive.
#[derive(::core::clone::Clone, ::core::fmt::Debug)]
pub struct f64;
/// Not the one of the standard library.
#[derive(::core::clone::Clone, ::core::fmt::Debug)]
pub struct Vec;
/// Not the one of the standard library.
pub struct Option;
/// Not the one of the standard library.
pub struct Result;
/// Not a primitive.
pub struct bool;
/// Not the one of the standard library.
pub struct PartialEq;
/// Not the one of the standard library.
pub struct Clone;
/// Not the one of the standard library.
pub mod core {}
/// Not the one of the standard library.
pub mod std {}
/// Not the one of the runtime.
pub struct Tangent;
/// Not the one of the runtime.
pub struct Components;

/// A struct with all sorts of fields.
#[derive(::core::clone::Clone, ::core::fmt::Debug, Differentiable)]
pub struct Model<'a, T: ::core::clone::Clone, U, const N: ::core::primitive::usize = 3>
where
    U: ::core::fmt::Debug,
{
    /// Of a parameter's type.
    pub x: T,
    /// Borrowed.
    pub borrowed: &'a [T],
    /// Nested.
    pub nested: [::std::vec::Vec<T>; N],
    /// Constant.
    #[constant]
    pub constant: U,
    /// Constant, and of a type that shadows another one.
    #[constant]
    pub shadowing: (f64, Vec),
    /// Text.
    pub text: &'a str,
    /// A keyword.
    pub r#type: ::core::primitive::f64,
    /// Nothing.
    pub phantom: ::core::marker::PhantomData<U>,
}

/// An enum that contains itself.
#[derive(::core::clone::Clone, ::core::fmt::Debug, Differentiable)]
pub enum Expr {
    /// A leaf.
    Number(::core::primitive::f64, #[constant] Vec),
    /// Two of them.
    Sum {
        /// The first one.
        left: ::std::boxed::Box<Expr>,
        /// The second one.
        right: ::std::boxed::Box<Self>,
    },
    /// Nothing.
    Zero,
}

/// An enum with one variant.
#[derive(::core::fmt::Debug, Differentiable)]
pub enum Single {
    /// The one.
    Only(::core::primitive::f64),
}

/// An enum without values.
#[derive(::core::fmt::Debug, Differentiable)]
pub enum Never {}

/// A private type in a public function's body, and one that is its own tangent.
pub fn steps() -> (::core::primitive::f64, ::core::primitive::f64) {
    #[derive(Differentiable)]
    struct Private(::core::primitive::f64);

    #[derive(::core::clone::Clone, ::core::fmt::Debug, ::core::cmp::PartialEq, Differentiable)]
    #[tangent(Self)]
    struct Own {
        x: ::core::primitive::f64,
    }

    let mut private = Private(1.0);
    private.add_scaled(2.0, &PrivateTangent(3.0));
    let mut own = Own { x: 1.0 };
    own.add_scaled(2.0, &Own { x: 4.0 });
    (private.0, own.x)
}
