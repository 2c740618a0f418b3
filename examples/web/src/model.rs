//! The model: a damped oscillation, and the sum of squares of its fit.

use chainrule::prelude::*;

/// The height of the curve at a time.
#[differentiable]
pub fn curve(
    amplitude: f64,
    decay: f64,
    frequency: f64,
    offset: f64,
    // Not a parameter of the fit.
    time: f64,
) -> f64 {
    let envelope = amplitude * (-decay * time).exp();
    let wave = (frequency * time).cos();
    offset + envelope * wave
}

/// The sum of the squared distances of the curve from points `(t, y)`.
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
