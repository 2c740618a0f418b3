//! Calls and chains whose results no derivative needs: what is left of them in a rule is the primal's own code.

use chainrule::prelude::*;

use crate::check::{flat, table};

#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Weight {
    z: f64,
}

flat!(Weight { z: f64 });

#[differentiable]
impl Weight {
    fn spent(self, a: f64) -> f64 {
        self.z * a.sin()
    }

    fn read(&self, a: f64) -> f64 {
        self.z + a
    }

    fn scaled(&mut self, a: f64) -> f64 {
        self.z *= a;
        self.z
    }
}

#[differentiable]
fn temporary(s: f64) -> f64 {
    let _r = (Weight { z: s }).spent(s);
    s.sin()
}

#[differentiable]
fn local(s: f64) -> f64 {
    let p = Weight { z: s };
    let _r = p.spent(s);
    s * s
}

#[differentiable]
fn parameter(p: Weight, s: f64) -> f64 {
    let z = p.z;
    let _r = p.spent(s);
    s * z
}

#[differentiable]
fn clones_in_a_loop(p: &Weight, s: f64, #[constant] n: usize) -> f64 {
    let mut total = p.z;
    for i in 0..n {
        let q = p.clone();
        let _r = q.spent(s);
        let t = Weight { z: total };
        let _u = t.read(s);
        total += s * i as f64;
    }
    total * p.z
}

/// What the call leaves in its receiver is needed, its result isn't.
#[differentiable]
fn written(s: f64) -> f64 {
    let mut p = Weight { z: s };
    let _r = p.scaled(s);
    let z = p.z;
    let _u = p.spent(s);
    z * s
}

#[differentiable]
fn filtered_total<T: Real>(x: &[T], s: T) -> T {
    let _total = x
        .iter()
        .filter(|&v| *v < T::from_f64(0.1))
        .map(|v| v.atan())
        .sum::<T>()
        .tanh();
    let _product = x.iter().filter(|&v| *v > s).product::<T>();
    s.asinh()
}

/// A total that ends a block with a label, in what may not run at all.
#[differentiable]
#[allow(unused_parens, reason = "rules must not need them either")]
fn labelled_total<T: Real>(x: &[T], s: T, #[constant] n: usize) -> Option<T> {
    let _t = (n == 1)
        .then(|| {
            ('b: {
                if n % 2 == 0 {
                    break 'b (s * s);
                }
                x.iter().enumerate().map(|(_, v)| v.tanh()).sum::<T>()
            })
        })
        .or(Some(s))?;
    Some(s.sin())
}

#[differentiable]
fn labelled(x: &[f64], s: f64, #[constant] n: usize) -> f64 {
    labelled_total(x, s, n).unwrap_or(0.0) * s
}

#[differentiable]
fn needed_total<T: Real>(x: &[T], s: T) -> T {
    let total = x.iter().filter(|&v| *v < s).map(|v| v.atan()).sum::<T>();
    let product = x.iter().filter(|&v| *v > s).copied().product::<T>();
    s.asinh() * total + product
}

#[differentiable]
fn both_precisions(x: &[f64], s: f64) -> f64 {
    filtered_total(x, s) + needed_total(x, s) * filtered_total(&[0.5_f32], 0.25_f32) as f64
}

#[differentiable]
#[inline(never)]
fn applied(f: impl Fn(f64) -> f64, w: &Weight) -> f64 {
    f(w.z).atan()
}

/// Nothing pops what the closure keeps for its reverse half.
#[differentiable]
fn closure_in_a_branch(p: &Weight, #[constant] n: usize) -> f64 {
    if n == 0 {
        return p.z.sin();
    }
    let _r = applied(|t: f64| (p.z.atan() + t).sin(), &Weight { z: p.read(0.1) }).sin();
    p.z * 0.3
}

#[differentiable]
#[inline(never)]
fn closure_before_a_question(p: &Weight, #[constant] n: usize) -> Option<f64> {
    if n == 0 {
        return Some(p.z.sin());
    }
    let r = applied(|t: f64| (p.z.atan() + t).sin(), &Weight { z: p.read(0.1) });
    let list = vec![r.sin(), 0.3];
    let _first = list.first().copied()?;
    (n == 2).then(|| p.z * p.z)
}

#[differentiable]
fn questions(p: &Weight, #[constant] n: usize) -> f64 {
    closure_before_a_question(p, n).unwrap_or(p.z)
}

/// What such a closure captures has no name where the loop is emitted as it was written.
#[differentiable]
fn closures_in_loops(y: &[f64], s: f64, #[constant] n: usize) -> f64 {
    for _ in (0..2).step_by(2) {
        let _g = |t: f64| (y[n % 2] * t * s).cos();
    }
    let mut letters = 0;
    for c in "ab3".chars() {
        let _g = |t: f64| (y[n % 2] * t * s).cos();
        letters += usize::from(c.is_alphabetic());
    }
    y[0] * s * letters as f64
}

table! {
    closure_in_a_branch: for n in 0..2, (&Weight { z: 0.4 }, const n);
    closures_in_loops: (&[0.7, 1.3], 0.4, const 1);
    questions: for n in 0..3, (&Weight { z: 0.4 }, const n);
    temporary: (0.7);
    local: (0.7);
    parameter: (Weight { z: 0.4 }, 0.9);
    clones_in_a_loop: for n in 0..4, (&Weight { z: 0.4 }, 0.9, const n);
    written: (0.8);
    labelled: for n in 0..3, (&vec![0.05, 0.7], 0.2, const n);
    both_precisions: (&vec![0.05, 0.7, -0.4, 0.3], 0.2), (&vec![0.0; 0], 0.2);
}

/// The sum of nothing is the zero that changes nothing.
#[test]
fn a_total_of_nothing() {
    #[differentiable]
    fn total<T: Real>(x: &[T], s: T) -> T {
        s * T::from_f64(0.0) + x.iter().filter(|&v| *v > s).sum::<T>()
    }
    let (value, _) = total_value_and_gradient_f32(&[], -1.0);
    assert!(value == 0.0 && value.is_sign_negative());

    fn total_value_and_gradient_f32(x: &[f32], s: f32) -> (f32, f32) {
        let (value, (_, s_bar)) = total::value_and_gradient(x, s);
        (value, s_bar)
    }
}
