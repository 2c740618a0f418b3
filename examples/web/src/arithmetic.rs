//! A gradient by the operations that every machine rounds alike, so that its bits can be compared.

use chainrule::prelude::*;

/// A sum of quotients and roots, over three iterations of a loop.
#[differentiable]
fn quotients(x: f64, y: f64, #[constant] n: u32) -> f64 {
    let mut left = x;
    let mut total = 0.0;
    for k in 1..=n {
        let divisor = y * y + f64::from(k);
        left = (left * left + divisor).sqrt() - y / divisor;
        total += left / (1.0 + x * left);
    }
    total
}

/// Values and gradients at several points: only `+ - * /` and roots. They must have the same bits in WebAssembly.
pub fn arithmetic() -> Vec<f64> {
    let mut all = Vec::new();
    for k in 1..=20_u32 {
        let x = f64::from(k) / 7.0;
        let y = 3.0 - f64::from(k * k) / 31.0;
        let (value, (x_bar, y_bar)) = quotients::value_and_gradient(x, y, 3);
        all.extend([value, x_bar, y_bar]);
    }
    all
}
