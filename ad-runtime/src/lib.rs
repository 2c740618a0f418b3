//! The runtime of `chainrule`: tangent types, the descriptions that generated code calls generated code by, operators on
//! values whose type only rustc can resolve, and the rules of the primitives.
//!
//! Programs use `chainrule`, which re-exports all public items of this crate.
#![no_std]
// `workspace::memory` alone allows it.
#![deny(unsafe_code)]
// Scalar formulas and functions of types without size: rules are only fast if these leave nothing behind.
#![allow(clippy::inline_always)]

extern crate alloc;
#[cfg(any(feature = "std", test))]
extern crate std;

#[doc(hidden)]
pub mod checked;
#[doc(hidden)]
pub mod checkpoint;
mod components;
mod constants;
mod differentiable;
mod dual;
mod fallible;
mod field;
mod flat;
pub mod implicit;
#[doc(hidden)]
pub mod index;
#[doc(hidden)]
pub mod item;
#[doc(hidden)]
pub mod jacobian;
#[doc(hidden)]
pub mod libraries;
mod matrix;
#[doc(hidden)]
pub mod mode;
#[doc(hidden)]
pub mod nested;
#[doc(hidden)]
pub mod object;
#[doc(hidden)]
pub mod ops;
#[cfg(feature = "rayon")]
#[doc(hidden)]
pub mod parallel;
#[cfg(any(feature = "std", feature = "libm"))]
#[doc(hidden)]
pub mod partials;
#[doc(hidden)]
pub mod probe;
mod random;
#[cfg(any(feature = "std", feature = "libm"))]
mod real;
mod scalar;
mod shape;
pub mod sparse;
mod support;
mod tangent;
#[cfg(feature = "std")]
pub mod testing;
mod types;
#[doc(hidden)]
pub mod unseen;
#[doc(hidden)]
pub mod wide;
pub mod workspace;

pub use components::{Component, Components, Place};
pub use constants::RealConstants;
pub use differentiable::{Differentiable, DifferentiableValue};
pub use dual::{CoDual, Dual};
pub use flat::Flat;
pub use matrix::Matrix;
pub use object::{AnyTangent, ErasedTangent};
#[cfg(feature = "rayon")]
pub use parallel::SumInOrder;
#[cfg(any(feature = "std", feature = "libm"))]
pub use real::Real;
pub use scalar::{Scalar, stop_gradient};
pub use shape::ShapeMismatch;
pub use tangent::{NoTangent, Tangent, TangentValue};

pub(crate) use differentiable::Tan;

/// Items that generated code needs. Nothing in here is stable.
#[doc(hidden)]
pub mod __private {
    pub use crate::checked;
    pub use crate::checkpoint;
    pub use crate::differentiable::{DifferentiableValue, Tan};
    pub use crate::fallible::Fallible;
    pub use crate::field::{
        AnyField, AnyFieldTangent, AnyInside, AnyKind, AnyLent, AnyZero, FieldShadow, FieldTangent,
        Inside, Kind, Lent, Zero,
    };
    pub use crate::implicit::system as implicit;
    pub use crate::index;
    pub use crate::item;
    pub use crate::jacobian;
    pub use crate::libraries;
    pub use crate::mode::{self, CopyReceiver};
    pub use crate::nested;
    pub use crate::nested::HasRules;
    pub use crate::object;
    pub use crate::ops::{
        self, AddOp, Assigning, BinaryRules, BitAndOp, BitOrOp, BitXorOp, CastRules, Dependent,
        DivOp, Fixed, FromFields, InactiveTangent, LeftByRef, MulOp, NegOp, NotOp, Nowhere, Number,
        RemOp, RightByRef, ShlOp, ShrOp, SubOp, UnaryRules, Varies, inactive, inactive_value,
        rem_quotient,
    };
    #[cfg(feature = "rayon")]
    pub use crate::parallel;
    #[cfg(any(feature = "std", feature = "libm"))]
    pub use crate::partials;
    pub use crate::probe::{
        self, CloneRules, FloatRules, HasOnlyRule, HasRule, Inactive, NoPeel, NoReceiver, NoRule,
        OfNumber, Peel, PeelObject, Pull, ToOwnedRules, ToVecRules, WithoutTangent, order_by,
        order_by_key,
    };
    #[cfg(any(feature = "std", feature = "libm"))]
    pub use crate::real::Real;
    pub use crate::scalar::{strong_div, strong_mul};
    pub use crate::shape::{
        check_result, check_result_in_pullback, check_shape, check_shape_in_pullback,
        field_add_scaled, field_matches, length_panic, variant_panic,
    };
    pub use crate::support::{
        Assign, FixedTape, Left, RunTape, asked, default_of, left_by, pop, same, some, some_mut,
        sum, take, tangent_sum, trips, zero_left,
    };
    pub use crate::tangent::{AsConstant, ConstantTangent};
    #[cfg(feature = "std")]
    pub use crate::testing::private as testing;
    pub use crate::unseen;
    pub use crate::wide::{self, Lanes};
    pub use crate::workspace;
    pub use crate::{
        CoDual, Components, Differentiable, Dual, Matrix, NoTangent, RealConstants, Scalar,
        ShapeMismatch, Tangent, TangentValue, stop_gradient,
    };
    pub use alloc::borrow::ToOwned;
    pub use alloc::boxed::Box;
    pub use alloc::collections::VecDeque;
    pub use alloc::string::String;
    pub use alloc::vec::Vec;
    pub use alloc::{format, vec};
}
