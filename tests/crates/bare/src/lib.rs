//! Differentiable functions in a crate without the standard library, as on a microcontroller. `libm` computes `sin` and so on.
//!
//! Built by itself (`cargo test -p bare`) this crate has no `std` in what it depends on. With `--cfg freestanding` it defines
//! the panic handler, which is an error if anything links `std`:
//!
//! ```text
//! cargo rustc -p bare --lib -- --cfg freestanding
//! ```
#![no_std]
#![allow(clippy::cast_precision_loss, reason = "lengths are small")]

use chainrule::functions::{log1pexp, logsumexp};
use chainrule::prelude::*;
use chainrule::special::erf;

/// The angle's cosine, by the position of a slider and the length of a rod.
#[differentiable]
pub fn crank(angle: f64, rod: f64) -> f64 {
    let lift = angle.sin() / rod;
    angle.cos() + rod * (1.0 - lift.powi(2)).sqrt()
}

/// One value of each kind of function that `core` doesn't have.
#[differentiable]
pub fn functions(x: f32, a: f32) -> f32 {
    let powers = x.powf(a) + x.cbrt() + x.hypot(a) + x.exp_m1().ln_1p();
    let angles = x.atan2(a) + f32::tan(x) + x.sin_cos().0 + x.asin() + x.acos();
    let hyperbolic = x.tanh() + x.sinh() * x.cosh() + x.asinh() + x.atanh() + (1.0 + x).acosh();
    powers + angles * hyperbolic + x.mul_add(a, x.floor()) + a.rem_euclid(x) + x.abs().max(a.log2())
}

/// The mean squared error of a filter with the response `1 / (1 + exp(-gain x))`.
#[differentiable]
pub fn loss(gain: f64, #[constant] x: &[f64], #[constant] y: &[f64]) -> f64 {
    let mut total = 0.0;
    for i in 0..x.len() {
        let residual = y[i] - 1.0 / (1.0 + (-gain * x[i]).exp());
        total += residual * residual;
    }
    total / x.len() as f64
}

/// The entropy of weights that need not be normalised.
#[differentiable]
pub fn entropy(weights: &[f64]) -> f64 {
    let mut sum = 0.0;
    for w in weights {
        sum += w;
    }
    let mut entropy = 0.0;
    for w in weights {
        let p = w / sum;
        entropy -= p * p.ln();
    }
    entropy
}

/// Cross-entropy of the class `k`, by the library's functions.
#[differentiable]
pub fn cross_entropy(scores: &[f64], #[constant] k: usize, weight: f64) -> f64 {
    logsumexp(scores) - scores[k] + log1pexp(weight) * erf(weight)
}

/// Calls another one, whose result has a type that only rustc knows.
#[differentiable]
pub fn composed(weights: &[f64], angle: f64) -> f64 {
    let h = entropy(weights);
    h.exp() * crank(angle, 3.0) + h.sqrt()
}

/// Floats have their functions from another trait. The rules need `cos`, which it doesn't have.
pub mod another_trait {
    use chainrule::differentiable;

    /// As those of crates for numbers.
    pub trait Float {
        /// The sine.
        #[must_use]
        fn sin(self) -> Self;
    }

    impl Float for f64 {
        fn sin(self) -> f64 {
            chainrule::Real::sin(self)
        }
    }

    /// The energy of a pendulum at rest.
    #[differentiable]
    pub fn energy(angle: f64, mass: f64) -> f64 {
        let half = (0.5 * angle).sin();
        2.0 * mass * half * half
    }
}

#[cfg(freestanding)]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {}
}
