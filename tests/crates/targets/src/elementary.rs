//! Functions of floats whose last bits are the target's: `sin`, `exp`, `ln` and so on.

use chainrule::functions::{log1pexp, logsumexp};
use chainrule::prelude::*;

macro_rules! functions {
    ($($(#[doc = $doc:literal])* $name:ident($x:ident: $t:ident) = $value:expr;)*) => {$(
        $(#[doc = $doc])*
        #[differentiable]
        pub fn $name($x: $t) -> $t {
            $value
        }
    )*};
}
functions! {
    /// The sine.
    sin(x: f64) = x.sin();
    /// The cosine.
    cos(x: f64) = x.cos();
    /// The tangent.
    tan(x: f64) = x.tan();
    /// The inverse of the tangent.
    atan(x: f64) = x.atan();
    /// The exponential function.
    exp(x: f64) = x.exp();
    /// The exponential function, less 1.
    exp_m1(x: f64) = x.exp_m1();
    /// The natural logarithm.
    ln(x: f64) = x.ln();
    /// The natural logarithm of the successor.
    ln_1p(x: f64) = x.ln_1p();
    /// The logarithm to the base 10.
    log10(x: f64) = x.log10();
    /// The hyperbolic tangent.
    tanh(x: f64) = x.tanh();
    /// The hyperbolic sine.
    sinh(x: f64) = x.sinh();
    /// The cubic root.
    cbrt(x: f64) = x.cbrt();
    /// An integer power.
    powi(x: f64) = x.powi(7);
    /// A power.
    powf(x: f64) = x.powf(1.75);
    /// The length of the hypotenuse.
    hypot(x: f64) = x.hypot(8.0);
    /// The angle of a vector.
    atan2(x: f64) = x.atan2(0.75);
    /// The sine in single precision.
    sin_f32(x: f32) = x.sin();
    /// The exponential function in single precision.
    exp_f32(x: f32) = x.exp();
    /// The natural logarithm in single precision.
    ln_f32(x: f32) = x.ln();
    /// The hyperbolic tangent in single precision.
    tanh_f32(x: f32) = x.tanh();
    /// A power in single precision.
    powf_f32(x: f32) = x.powf(1.75);
}

/// The negative log likelihood of a logistic regression with a penalty.
#[differentiable]
pub fn regression(w: &[f64], #[constant] x: &[f64], #[constant] y: &[f64]) -> f64 {
    let d = w.len();
    let mut total = 0.0;
    for i in 0..y.len() {
        let row = &x[i * d..(i + 1) * d];
        let mut z = 0.0;
        for j in 0..d {
            z += w[j] * row[j];
        }
        total += log1pexp(z) - y[i] * z;
    }
    total + 0.5 * logsumexp(w)
}

/// A pendulum by small steps.
#[differentiable]
pub fn pendulum(angle: f64, length: f64, #[constant] steps: usize) -> f64 {
    let (mut angle, mut speed) = (angle, 0.0);
    #[checkpoint(5)]
    for _ in 0..steps {
        speed -= 0.125 / length * angle.sin();
        angle += 0.125 * speed;
    }
    angle
}

/// The density of a mixture of two Gaussians.
#[differentiable]
pub fn mixture(theta: &[f64], #[constant] data: &[f64]) -> f64 {
    let mut total = 0.0;
    for v in data {
        let mut density = 0.0;
        for k in 0..2 {
            let z = (v - theta[2 * k]) / theta[2 * k + 1];
            density += (-0.5 * z * z).exp() / theta[2 * k + 1];
        }
        total += density.ln();
    }
    total
}
