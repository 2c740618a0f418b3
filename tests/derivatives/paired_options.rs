//! `Option`s made of two, or of one inside of another: `zip` and `flatten`, beside `xor` and `or_else`.

use chainrule::prelude::*;

use crate::check::table;

const X: [f64; 3] = [1.3, 0.5, 0.8];

#[differentiable]
fn zipped(x: &[f64], n: usize) -> f64 {
    let a: Option<f64> = Some(x[0] * x[0]);
    let b = x.get(n).copied();
    let mut total = 0.0;
    if let Some((p, q)) = a.zip(b) {
        total += p * q;
    }
    total += b.zip(a).map(|(p, q)| p + q * q).unwrap_or(x[1]);
    total + a.zip(Some(n)).map_or(1.0, |(p, k)| p * k as f64)
}

#[differentiable]
fn flattened(x: &[f64], n: usize) -> f64 {
    let nested: Option<Option<f64>> = match n {
        0 => None,
        1 => Some(None),
        _ => Some(Some(x[0] * x[0])),
    };
    let positive = Some(x[n]).map(|v| if v > 0.6 { Some(v * v) } else { None });
    nested.flatten().unwrap_or(x[1]) * x[1] + positive.flatten().unwrap_or(x[0])
}

#[derive(Clone, Debug, Differentiable)]
struct Parts {
    a: Option<f64>,
    b: Option<f64>,
    nested: Option<Option<f64>>,
}

#[differentiable]
impl Parts {
    fn total(&self) -> f64 {
        let mut total = self.a.xor(self.b).unwrap_or(2.0);
        if let Some((p, q)) = self.a.zip(self.b) {
            total += p * q;
        }
        total *= self.nested.flatten().unwrap_or(0.5);
        total + self.b.or_else(|| self.a).unwrap()
    }
}

#[differentiable]
fn of_fields(x: &[f64], n: usize) -> f64 {
    let parts = Parts {
        a: Some(x[0] * x[1]),
        b: if n > 0 { Some(x[1]) } else { None },
        nested: if n > 1 { Some(Some(x[2])) } else { Some(None) },
    };
    parts.total()
}

table! {
    zipped: for n in 0..4, (&X, const n);
    flattened: for n in 0..3, (&X, const n);
    of_fields: for n in 0..3, (&X, const n);
}
