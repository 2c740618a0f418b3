//! Types, modules, traits and functions that are called like those of the standard library and of the runtime.
#![allow(non_camel_case_types)]

use ::ad::differentiable;

/// Not the one of the standard library.
pub struct Vec;
/// Not the one of the standard library.
pub struct Option;
/// Not the one of the standard library.
pub struct Some;
/// Not the one of the standard library.
pub struct Box;
/// Not the one of the standard library.
pub struct String;
/// Not the one of the standard library.
pub struct Copy;
/// Not the one of the runtime.
pub struct Dual;
/// Not the one of the runtime.
pub struct CoDual;
/// Not the one of the runtime.
pub struct NoTangent;
/// Not the one of the runtime.
pub struct Tangent;
/// Not a primitive.
pub struct usize;

/// Not the one of the standard library.
pub mod core {}
/// Not the one of the standard library.
pub mod std {}
/// Not the one of the standard library.
pub mod alloc {}
/// Not the crate.
pub mod chainrule {}
/// Not the crate.
pub mod ad {}
/// Not the crate.
pub mod ad_runtime {}

/// Not the one of the standard library: its methods give something else.
pub trait Clone {
    /// Not a copy.
    fn clone(&self) -> &'static str {
        "not a copy"
    }
    /// Not a copy.
    fn to_owned(&self) -> &'static str {
        "not a copy"
    }
}
impl<T: ?::core::marker::Sized> Clone for T {}

/// Not the one of the runtime.
pub trait Differentiable {
    /// Not a tangent.
    fn zero_tangent(&self) -> &'static str {
        "not a tangent"
    }
    /// Not a sum.
    fn accumulate(&self, _: &Self) -> &'static str {
        "not a sum"
    }
}
impl<T: ?::core::marker::Sized> Differentiable for T {}

/// Not the one of the standard library.
pub fn drop() {}
/// Not the one of the standard library.
pub fn panic() {}

/// All of these stand around it.
#[differentiable]
pub fn among_them(x: &[f64], k: f64) -> f64 {
    let mut scratch = [0.0; 2];
    let mut total = k;
    for i in 0..x.len() {
        scratch[i % 2] += x[i] * k;
        if scratch[0] > 10.0 {
            return total;
        }
        total = total * x[i] + scratch[0].exp() * scratch[1];
    }
    total
}

/// A `while` loop, which pushes what it needs.
#[differentiable]
pub fn pushes(x: f64, k: f64) -> f64 {
    let mut z = x;
    let mut n = 0;
    while n < 3 {
        z = (z * k).sin();
        n += 1;
    }
    z
}

/// Calls one of them.
#[differentiable]
pub fn calls(x: &[f64], k: f64) -> f64 {
    among_them(x, k) * pushes(x[0], k)
}

/// Writes through a mutable reference.
#[differentiable]
pub fn writes(x: &mut [f64]) {
    for v in x {
        *v *= *v;
    }
}

/// Functions and types that are called like the primitive.
pub mod primitives {
    use ::ad::differentiable;

    /// The primitive, under a name of its own.
    pub type Real = ::core::primitive::f64;

    /// A function called like the type of its parameter; so are its rules.
    #[differentiable]
    pub fn f64(x: Real) -> Real {
        x * x
    }

    /// Calls it.
    #[differentiable]
    pub fn calls(x: Real) -> Real {
        f64(x) * x
    }

    /// Uses the primitive by its path.
    #[differentiable]
    pub fn by_path(
        x: &[::core::primitive::f64],
        k: ::core::primitive::f64,
    ) -> ::core::primitive::f64 {
        let mut total = k;
        for v in x {
            total = total * *v + k;
        }
        total
    }
}
