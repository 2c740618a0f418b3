//! Functions of floats whose last bits are the target's: `sin`, `exp`, `ln` and so on.

use chainrule::functions::{log1pexp, logsumexp};
use chainrule::prelude::*;

macro_rules! functions {
    ($($(#[doc = $doc:literal])* $name:ident $single:ident: |$x:ident| $value:expr;)*) => {$(
        $(#[doc = $doc])*
        #[differentiable]
        pub fn $name($x: f64) -> f64 {
            $value
        }

        $(#[doc = $doc])*
        ///
        /// In single precision.
        #[differentiable]
        pub fn $single($x: f32) -> f32 {
            $value
        }
    )*};
}
functions! {
    /// The sine.
    sin sin_f32: |x| x.sin();
    /// The cosine.
    cos cos_f32: |x| x.cos();
    /// The tangent.
    tan tan_f32: |x| x.tan();
    /// The inverse of the sine, below 1.
    asin asin_f32: |x| (x / 8.0).asin();
    /// The inverse of the tangent.
    atan atan_f32: |x| x.atan();
    /// The exponential function.
    exp exp_f32: |x| x.exp();
    /// The powers of 2.
    exp2 exp2_f32: |x| x.exp2();
    /// The exponential function, less 1.
    exp_m1 exp_m1_f32: |x| x.exp_m1();
    /// The natural logarithm.
    ln ln_f32: |x| x.ln();
    /// The natural logarithm of the successor.
    ln_1p ln_1p_f32: |x| x.ln_1p();
    /// The logarithm to the base 10.
    log10 log10_f32: |x| x.log10();
    /// The hyperbolic sine.
    sinh sinh_f32: |x| x.sinh();
    /// The hyperbolic tangent.
    tanh tanh_f32: |x| x.tanh();
    /// The cubic root.
    cbrt cbrt_f32: |x| x.cbrt();
    /// An integer power.
    powi powi_f32: |x| x.powi(7);
    /// A power.
    powf powf_f32: |x| x.powf(1.75);
    /// The length of the hypotenuse.
    hypot hypot_f32: |x| x.hypot(1.5);
    /// The angle of a vector.
    atan2 atan2_f32: |x| x.atan2(0.75);
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
