//! The model: a damped oscillation, and the sum of squares that the fit makes small.

use chainrule::prelude::*;

/// The height of the curve at time `t`.
#[differentiable]
pub fn curve(amplitude: f64, decay: f64, frequency: f64, offset: f64, #[constant] t: f64) -> f64 {
    let envelope = amplitude * (-decay * t).exp();
    let wave = (frequency * t).cos();
    offset + envelope * wave
}

/// The sum of the squared distances between the curve and the points `(t, y)`.
#[differentiable]
pub fn loss(
    amplitude: f64,
    decay: f64,
    frequency: f64,
    offset: f64,
    #[constant] points: &[(f64, f64)],
) -> f64 {
    let mut total = 0.0;
    for &(t, y) in points {
        let residual = curve(amplitude, decay, frequency, offset, t) - y;
        total += residual * residual;
    }
    total
}
