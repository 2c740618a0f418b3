//! Automatic differentiation by compile-time code generation, on stable Rust.
//!
//! The attribute `#[differentiable]` reads an ordinary numeric function while your crate is compiled. It emits the function's
//! derivatives as plain Rust code. There is no operator overloading, no graph at run time, and no need for a nightly compiler.
//!
//! New users start with the guide: [your first gradient](guide::first_gradient), [your first error](guide::first_errors), and
//! [how it works](guide::how_it_works).
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
//! # Derivatives of a function
//!
//! For a free function `f` the macro adds a type that is also called `f`. Its associated functions are the derivatives, such as
//! `f::gradient(x)`. For a method `m` the macro adds methods `m_gradient` and so on. The guide calls all of these
//! [drivers](guide::glossary#driver).
//!
//! | driver | of a function from .. to .. | returns |
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
//! | `frule`, `rrule` | anything | the rules that the drivers call, see below |
//!
//! With one differentiable parameter the gradient is that parameter's [tangent](guide::glossary#tangent). With several it is a
//! tuple in the order of the parameters. Of a function that returns a `Result` or an `Option`, `gradient`, `jacobian`, `hvp`, `hessian` and
//! their kin return one, too: its `Err` or `None` as it is. Parameters marked `#[constant]` are not differentiated. Neither are parameters of types
//! without floats, such as `usize` and `&str`.
//!
//! # Closures
//!
//! [`closure!`] returns an object with the drivers of a closure. [`derivative!`] returns the derivative of a closure at a
//! point. Captured variables are constants. The guide has [an example](guide::first_gradient#a-closure).
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
//! `frule` takes each differentiable argument with its tangent, as a [`Dual`]. It returns the value with its tangent.
//!
//! `rrule` returns the value and a [pullback](guide::glossary#pullback). The pullback takes the cotangent of the result, and
//! each borrowed argument again, with its [shadow](guide::glossary#shadow), as a [`CoDual`]. It *adds* to the shadows, and
//! returns the cotangents of owned arguments.
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
//! A function may write to `&mut` arguments. Drivers and pullbacks restore the old contents before they return.
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
//! # Errors
//!
//! An unsupported construct is a compile error at that construct, which says what to write instead. A function that is called with
//! an [active](guide::glossary#active) argument needs derivative rules: write `#[differentiable]` on it. [`stop_gradient`] marks
//! a value as constant.
//!
//! # Numerics
//!
//! The page [`conventions`] lists the derivatives at kinks and the treatment of infinite partials. [`functions`] has functions
//! that overflow or cancel if they are written naively, such as `logsumexp`, `softmax` and `xlogy`; [`interpolation`] has splines. The feature `special` adds
//! error, gamma and Bessel functions, and `distributions`, the log densities of probability distributions.
//!
//! # Checking
//!
//! With `#[differentiable(checked)]` or the feature `checked`, drivers compare their rules with the function and with each other
//! at each call, and report NaN. See the guide's chapter on [checking](guide::checking).
//!
//! # Without the standard library
//!
//! With `default-features = false` the crate is `no_std` and needs `alloc`. `core` has no `sin` for floats. With the feature
//! `libm`, the trait [`Real`] of the prelude adds the functions of the crate `libm`:
//!
//! ```toml
//! chainrule = { path = "../chainrule", default-features = false, features = ["libm"] }
//! ```
//!
//! The functions may also come from another trait, such as `Float` of `num-traits`. The rules use those of `libm` for partials
//! and for values that they compute again.
#![no_std]
#![forbid(unsafe_code)]

pub mod guide;

// The emitted paths lead to `::chainrule`, in this crate's own examples too.
extern crate self as chainrule;

extern crate alloc;
#[cfg(any(feature = "argmin", feature = "mpi", feature = "nuts-rs"))]
extern crate std;

pub use ad_macros::{Differentiable, closure, derivative, differentiable, primitive};
#[cfg(feature = "rayon")]
pub use ad_runtime::SumInOrder;
pub use ad_runtime::{
    AnyTangent, CoDual, Component, Components, Differentiable, DifferentiableValue, Dual,
    ErasedTangent, Flat, Matrix, NoTangent, Place, Scalar, ShapeMismatch, Tangent, TangentValue,
    stop_gradient,
};
#[cfg(any(feature = "std", feature = "libm"))]
pub use ad_runtime::{Real, RealConstants};
pub use ad_runtime::{implicit, sparse, workspace};

#[cfg(feature = "argmin")]
pub mod argmin;
pub mod conventions;
#[cfg(feature = "special")]
pub mod distributions;
#[cfg(any(feature = "std", feature = "libm"))]
pub mod functions;
pub mod interpolation;
#[cfg(feature = "levenberg-marquardt")]
pub mod levenberg_marquardt;
#[cfg(feature = "mpi")]
pub mod mpi;
#[cfg(feature = "nalgebra")]
pub mod nalgebra;
#[cfg(feature = "nuts-rs")]
pub mod nuts;
#[cfg(feature = "special")]
pub mod special;
/// Tests of rules and of tangent types.
#[cfg(feature = "std")]
pub mod testing {
    pub use ad_macros::{check_rules, examine_rules};
    pub use ad_runtime::testing::{Finding, Outcome, Report, check_tangents};
}

/// The items that most programs need: `use chainrule::prelude::*`.
pub mod prelude {
    #[cfg(any(feature = "std", feature = "libm"))]
    pub use crate::Real;
    #[cfg(feature = "rayon")]
    pub use crate::SumInOrder;
    pub use crate::{
        CoDual, Differentiable, Dual, NoTangent, closure, derivative, differentiable, primitive,
        stop_gradient,
    };
}

/// The items that generated code uses. Nothing in here is stable.
#[doc(hidden)]
pub mod __private {
    pub use ad_runtime::__private::*;

    /// The traits with rules of methods: those of the runtime, and those of this crate.
    pub mod libraries {
        #[cfg(feature = "ndarray")]
        pub use ad_runtime::__private::libraries::ndarray;
        /// The library, for the constructors that its macros are read as.
        #[cfg(feature = "nalgebra")]
        pub use ad_runtime::libraries::nalgebra::library as nalgebra;

        /// The traits.
        pub mod rules {
            #[cfg(feature = "nalgebra")]
            pub use crate::nalgebra::methods::rules::*;
            #[cfg(any(
                feature = "faer",
                feature = "nalgebra",
                feature = "ndarray",
                feature = "num-complex"
            ))]
            pub use ad_runtime::__private::libraries::rules::*;
        }
    }
}
