//! Rosenbrock's function, a sum of terms of neighbours.

use crate::Kernel;
use chainrule::prelude::*;
use rows::harness::case::Hand;
use rows::harness::input::normal;

const N: usize = 2000;

pub(crate) fn kernel() -> Kernel {
    let x = normal(N);
    let array: [f64; N] = std::array::from_fn(|i| x[i]);
    let zeros = vec![0.0; N];
    let hand = Hand::new(x.clone(), zeros.clone(), |x, x_bar| by_hand(x, x_bar));
    macro_rules! forms {
        ($($form:ident)*) => {
            vec![$(hand.form(
                stringify!($form),
                x.clone(),
                zeros.clone(),
                |x| $form(x),
                |x, x_bar| $form::value_and_gradient_into(x, x_bar),
            )),*]
        };
    }
    let mut forms = forms! { index from_one windows zip while_loop helper generic };
    forms.push(hand.form("array", array, [0.0; N], array_of_n, |x, x_bar| {
        array_of_n::value_and_gradient_into(x, x_bar)
    }));
    Kernel::new(forms)
}

/// Four terms at once, but for the sum, whose order is that of the forms. A component takes `200 a` of the term before.
fn by_hand(x: &[f64], x_bar: &mut [f64]) -> f64 {
    const W: usize = 4;
    let n = x.len();
    let (lanes, _) = x_bar[..n].as_chunks_mut::<W>();
    let full = (n - 1) / W;
    let mut total = 0.0;
    let mut carried = 0.0;
    for (x, x_bar) in x[..full * W]
        .chunks_exact(W)
        .zip(x[1..].chunks_exact(W))
        .zip(lanes)
    {
        let (x, next) = x;
        let mut a_bar = [carried; W + 1];
        let mut terms = [0.0; W];
        let mut own = [0.0; W];
        for j in 0..W {
            let a = next[j] - x[j] * x[j];
            let b = 1.0 - x[j];
            terms[j] = 100.0 * a * a + b * b;
            a_bar[j + 1] = 200.0 * a;
            own[j] = -2.0 * (a_bar[j + 1] * x[j] + b);
        }
        for j in 0..W {
            x_bar[j] = a_bar[j] + own[j];
            total += terms[j];
        }
        carried = a_bar[W];
    }
    for i in full * W..n - 1 {
        let a = x[i + 1] - x[i] * x[i];
        let b = 1.0 - x[i];
        total += 100.0 * a * a + b * b;
        x_bar[i] = carried - 400.0 * a * x[i] - 2.0 * b;
        carried = 200.0 * a;
    }
    x_bar[n - 1] = carried;
    total
}

#[differentiable]
fn index(x: &[f64]) -> f64 {
    let mut total = 0.0;
    for i in 0..x.len() - 1 {
        let a = x[i + 1] - x[i] * x[i];
        let b = 1.0 - x[i];
        total += 100.0 * a * a + b * b;
    }
    total
}

#[differentiable]
fn from_one(x: &[f64]) -> f64 {
    let mut total = 0.0;
    for i in 1..x.len() {
        let a = x[i] - x[i - 1] * x[i - 1];
        let b = 1.0 - x[i - 1];
        total += 100.0 * a * a + b * b;
    }
    total
}

#[differentiable]
fn windows(x: &[f64]) -> f64 {
    x.windows(2)
        .map(|w| 100.0 * (w[1] - w[0] * w[0]).powi(2) + (1.0 - w[0]).powi(2))
        .sum()
}

#[differentiable]
fn zip(x: &[f64]) -> f64 {
    let mut total = 0.0;
    for (a, b) in x.iter().zip(&x[1..]) {
        total += 100.0 * (b - a * a).powi(2) + (1.0 - a).powi(2);
    }
    total
}

#[differentiable]
fn while_loop(x: &[f64]) -> f64 {
    let mut total = 0.0;
    let mut i = 0;
    while i + 1 < x.len() {
        let a = x[i + 1] - x[i] * x[i];
        let b = 1.0 - x[i];
        total += 100.0 * a * a + b * b;
        i += 1;
    }
    total
}

#[differentiable]
fn term(x: f64, next: f64) -> f64 {
    let a = next - x * x;
    let b = 1.0 - x;
    100.0 * a * a + b * b
}

#[differentiable]
fn helper(x: &[f64]) -> f64 {
    let mut total = 0.0;
    for i in 0..x.len() - 1 {
        total += term(x[i], x[i + 1]);
    }
    total
}

#[differentiable]
fn array_of_n(x: &[f64; N]) -> f64 {
    let mut total = 0.0;
    for i in 0..N - 1 {
        let a = x[i + 1] - x[i] * x[i];
        let b = 1.0 - x[i];
        total += 100.0 * a * a + b * b;
    }
    total
}

#[differentiable]
fn generic<T: Real>(x: &[T]) -> T {
    let one = T::from_f64(1.0);
    let hundred = T::from_f64(100.0);
    let mut total = T::from_f64(0.0);
    for i in 0..x.len() - 1 {
        let a = x[i + 1] - x[i] * x[i];
        let b = one - x[i];
        total += hundred * a * a + b * b;
    }
    total
}
