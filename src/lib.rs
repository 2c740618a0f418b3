//! Automatic differentiation by compile-time code generation, on stable Rust.
//!
//! `#[differentiable]` reads an ordinary numeric function while your crate is compiled and emits its derivative rules beside
//! it, as plain Rust: no tape, no operator overloading, no nightly compiler, nothing to prepare at run time.
//!
//! ```
//! use chainrule::prelude::*;
//!
//! /// Negative log-likelihood of logistic regression.
//! #[differentiable]
//! fn nll(w: &[f64], #[constant] x: &[f64], #[constant] y: &[f64]) -> f64 {
//!     let d = w.len();
//!     let mut total = 0.0;
//!     for i in 0..y.len() {
//!         let row = &x[i * d..(i + 1) * d];
//!         let mut z = 0.0;
//!         for j in 0..d {
//!             z += w[j] * row[j];
//!         }
//!         total += z.exp().ln_1p() - y[i] * z;
//!     }
//!     total
//! }
//!
//! let (w, x, y) = ([0.5, -0.25], [1.0, 2.0, 3.0, -1.0], [1.0, 0.0]);
//! let (value, gradient) = nll::value_and_gradient(&w, &x, &y);
//! assert_eq!(value, nll(&w, &x, &y));
//! assert!((gradient[0] - 2.055_858_4).abs() < 1e-6);
//! ```
//!
//! # What a function gets
//!
//! A free function `f` gets a type `f` with its rules as associated functions, so that `f::gradient(x)` stands beside `f(x)`;
//! a method `m` gets sibling methods `m_gradient` and so on.
//!
//! | | for | returns |
//! |---|---|---|
//! | `derivative(args)` | one differentiable scalar to a scalar | the derivative |
//! | `gradient(args)`, `value_and_gradient(args)` | anything to a scalar | the gradient; `(value, gradient)` |
//! | `value_and_gradient_into(args, buffers)` | anything to a scalar | the value; overwrites one buffer for each differentiable parameter |
//! | `jvp(args, directions)` | anything | `(y, y_dot)` |
//! | `vjp(args, y_bar)` | anything | `(y, cotangents)` |
//! | `jacobian(args)`, `value_and_jacobian(args)` | anything to several numbers | a [`Matrix`] for each differentiable parameter; `(value, jacobian)` |
//! | `jacobian_into(args, buffers)` | anything to several numbers | the value; overwrites one slice for each differentiable parameter, row by row |
//! | `hvp(args, directions)` | anything to a scalar | the product of the Hessian with the directions |
//! | `second_derivative(args)` | one differentiable scalar to a scalar | the second derivative |
//! | `hessian(args)` | anything to a scalar | a [`Matrix`]; with several differentiable parameters a tuple of rows of blocks |
//! | `value_gradient_and_hvp(args, directions)`, `value_gradient_and_hessian(args)` | anything to a scalar | all three |
//! | `frule`, `rrule` | anything | the rules themselves, see below |
//!
//! With one differentiable parameter its tangent comes back bare; with several, a tuple in parameter order. A parameter marked
//! `#[constant]`, or of a type written with types that have no tangent (`usize`, `&str`, ...), is not differentiated.
//!
//! # Closures
//!
//! [`closure!`] differentiates a closure where it stands, and [`derivative!`] does so in one line. What is captured is a constant.
//!
//! ```
//! let k = 3.0;
//! assert_eq!(chainrule::derivative!(|t: f64| k * t * t; 2.0), 12.0);
//!
//! let spring = chainrule::closure!(|x: &[f64]| 0.5 * k * (x[1] - x[0] - 1.0) * (x[1] - x[0] - 1.0));
//! let (energy, force) = spring.value_and_gradient(&[0.0, 3.0]);
//! assert_eq!((energy, force), (6.0, vec![-6.0, 6.0]));
//! ```
//!
//! # The rules
//!
//! `frule` takes each differentiable argument with its tangent, as [`Dual`], and returns the value with its own. `rrule` returns
//! the value and a pullback: a closure that takes the cotangent of the result, and every reference again with its shadow, as
//! [`CoDual`]. It *adds* to the shadows, and returns the cotangents of owned arguments.
//!
//! ```
//! use chainrule::prelude::*;
//!
//! #[differentiable]
//! fn scaled(x: &[f64], k: f64) -> f64 {
//!     let mut s = 0.0;
//!     for i in 0..x.len() {
//!         s += x[i];
//!     }
//!     k * s
//! }
//!
//! let Dual(y, y_dot) = scaled::frule(Dual(&[1.0, 2.0], &[1.0, 0.0]), Dual(10.0, 0.0));
//! assert_eq!((y, y_dot), (30.0, 10.0));
//!
//! let x = [1.0, 2.0];
//! let (y, pullback) = scaled::rrule(&x, 10.0);
//! let mut x_bar = [0.0; 2];
//! let k_bar = pullback(1.0, CoDual(&x, &mut x_bar));
//! assert_eq!((y, x_bar, k_bar), (30.0, [10.0, 10.0], 3.0));
//! ```
//!
//! Memory behind `&mut` arguments holds, when a pullback or a driver returns, what it held at first.
//!
//! # Your own types
//!
//! ```
//! use chainrule::prelude::*;
//!
//! #[derive(Clone, Copy, Differentiable)]
//! struct Spring {
//!     stiffness: f64,
//!     length: f64,
//! }
//!
//! #[differentiable]
//! impl Spring {
//!     fn energy(&self, r: f64) -> f64 {
//!         let d = r - self.length;
//!         0.5 * self.stiffness * d * d
//!     }
//! }
//!
//! let spring = Spring { stiffness: 4.0, length: 1.0 };
//! let (spring_bar, r_bar) = spring.energy_gradient(3.0);
//! assert_eq!((spring_bar.stiffness, spring_bar.length, r_bar), (2.0, -8.0, 8.0));
//! ```
//!
//! # What is not differentiated is an error
//!
//! A construct that is not supported is an error where it stands, with what to write instead. A call with an active argument needs
//! rules: those of `#[differentiable]` on the callee. [`stop_gradient`] says that a value is to be taken as a constant.
//!
//! What counts as the derivative at kinks, and what is done about infinite partials, says the page [`conventions`].
//! [`functions`] has what overflows or cancels when it is written naively (`logsumexp`, `softmax`, `xlogy`, ...), and with the
//! feature `special` there are error, gamma and Bessel functions.
//!
//! # Checking
//!
//! With `#[differentiable(checked)]`, or the feature `checked`, drivers compare their rules with the function and with each other, and report NaN, see
//! the guide's chapter on [checking](guide::checking).
//!
//! # Without the standard library
//!
//! With `default-features = false` the crate is `no_std` and needs `alloc`. Floats have no `sin` there; with the feature `libm`
//! the trait [`Real`], which is in the prelude, gives them the functions of the crate `libm`:
//!
//! ```toml
//! chainrule = { version = "0.1", default-features = false, features = ["libm"] }
//! ```
//!
//! Functions may come from another trait (such as `Float` of `num-traits`) as well. The rules use `libm`'s for partials and
//! where they compute a value again.
#![no_std]
#![forbid(unsafe_code)]

pub mod guide;

// The emitted paths lead to `::chainrule`, in this crate's own examples too.
extern crate self as chainrule;

extern crate alloc;
#[cfg(feature = "argmin")]
extern crate std;

pub use ad_macros::{Differentiable, closure, derivative, differentiable, primitive};
pub use ad_runtime::{
    AnyTangent, CoDual, Component, Components, Differentiable, DifferentiableValue, Dual,
    ErasedTangent, Flat, Matrix, NoTangent, Place, Scalar, ShapeMismatch, Tangent, TangentValue,
    stop_gradient,
};
#[cfg(any(feature = "std", feature = "libm"))]
pub use ad_runtime::{Real, RealConstants};
pub use ad_runtime::{sparse, workspace};

#[cfg(feature = "argmin")]
pub mod argmin;
pub mod conventions;
#[cfg(any(feature = "std", feature = "libm"))]
pub mod functions;
#[cfg(feature = "nalgebra")]
pub mod nalgebra;
#[cfg(feature = "special")]
pub mod special;
/// Tests of rules and of tangent types.
#[cfg(feature = "std")]
pub mod testing {
    pub use ad_macros::{check_rules, examine_rules};
    pub use ad_runtime::testing::{Finding, Outcome, Report, check_tangents};
}

/// What most programs need: `use chainrule::prelude::*`.
pub mod prelude {
    #[cfg(any(feature = "std", feature = "libm"))]
    pub use crate::Real;
    pub use crate::{
        CoDual, Differentiable, Dual, NoTangent, closure, derivative, differentiable, primitive,
        stop_gradient,
    };
}

/// What generated code needs. Nothing in here is stable.
#[doc(hidden)]
pub mod __private {
    pub use ad_runtime::__private::*;

    /// The traits with rules of methods: those of the runtime, and those of this crate.
    pub mod libraries {
        /// The library, for the constructors that its macros are read as.
        #[cfg(feature = "nalgebra")]
        pub use ::nalgebra;
        #[cfg(feature = "ndarray")]
        pub use ad_runtime::__private::libraries::ndarray;

        /// The traits.
        pub mod rules {
            #[cfg(feature = "nalgebra")]
            pub use crate::nalgebra::methods::rules::*;
            #[cfg(any(feature = "nalgebra", feature = "ndarray", feature = "num-complex"))]
            pub use ad_runtime::__private::libraries::rules::*;
        }
    }
}
