//! Gradient descent with a step that adapts itself, in plain Rust.

fn norm(x: impl Iterator<Item = f64>) -> f64 {
    x.map(|x| x * x).sum::<f64>().sqrt()
}

/// Where `value` is smallest.
pub(super) fn argmin(
    start: &[f64],
    value: impl Fn(&[f64]) -> f64,
    slope: impl Fn(&[f64]) -> Vec<f64>,
) -> Vec<f64> {
    let mut x = start.to_vec();
    let (mut fx, mut g) = (value(&x), slope(&x));
    let (mut i, mut eta) = (0, 1e-5);
    loop {
        if norm(g.iter().copied()) <= 1e-5 {
            return x;
        }
        if i == 10 {
            (eta, i) = (eta * 2.0, 0);
            continue;
        }
        let next: Vec<f64> = x.iter().zip(&g).map(|(x, g)| x - eta * g).collect();
        if norm(x.iter().zip(&next).map(|(a, b)| a - b)) <= 1e-5 {
            return x;
        }
        let there = value(&next);
        if there < fx {
            (x, fx) = (next, there);
            g = slope(&x);
            i += 1;
        } else {
            (eta, i) = (eta / 2.0, 0);
        }
    }
}
