//! Loops over arrays by value, also where the body writes the list: Rust runs over what the list was before.

use chainrule::prelude::*;

use crate::check::table;

const X: [f64; 3] = [1.3, 0.5, 0.8];

#[differentiable]
fn square(x: f64) -> f64 {
    x * x
}

#[derive(Clone, Copy, Debug, Differentiable)]
struct Weights {
    a: [f64; 3],
    k: f64,
}

#[differentiable]
fn update(w: &mut Weights, y: f64) {
    w.a[1] = y;
    w.a[2] *= y;
}

#[differentiable]
impl Weights {
    fn bump(&mut self, y: f64) {
        self.a[2] += y;
    }

    fn assigned(&mut self, y: f64) -> f64 {
        let mut total = 0.0;
        for a in self.a {
            self.a[1] = a * y;
            self.a[2] += 1.0;
            total += square(a) * self.a[1];
        }
        total
    }

    fn through_calls(&mut self) -> f64 {
        let mut total = 0.0;
        for a in self.a {
            update(self, a);
            total += a * self.a[1];
        }
        for (i, a) in self.a.into_iter().enumerate() {
            self.bump(a);
            total += a * i as f64;
        }
        for (a, b) in self.a.into_iter().zip([1.0, 2.0, 3.0]) {
            let Weights { a: list, k } = self;
            list[2] = a * b;
            *k += a;
            total += a;
        }
        total * self.k
    }

    fn read_only(&self) -> f64 {
        let mut total = self.k;
        for a in self.a {
            total += square(a) * self.a[0];
        }
        for mut a in self.a {
            a *= 2.0;
            total += a;
        }
        total
    }
}

#[differentiable]
fn of_fields(x: &[f64]) -> f64 {
    let mut w = Weights {
        a: [x[0], x[1], x[2]],
        k: x[0],
    };
    let assigned = w.assigned(x[1]);
    let called = w.through_calls();
    let mut total = 0.0;
    for a in w.a {
        w.a[1] *= a;
        total += a * w.read_only();
    }
    assigned * called * w.a[1] + total
}

#[differentiable]
fn of_locals(x: &[f64], n: usize) -> f64 {
    let mut v = [x[0], x[1], x[2]];
    let mut pair = ([x[0], x[1]], 1.0);
    let mut total = 0.0;
    for _ in 0..n {
        for a in v {
            v[1] = a * 2.0;
            v[2] += 1.0;
            total += square(a) * v[1];
        }
        for a in pair.0 {
            pair.0[1] = a * 3.0;
            pair.1 *= a;
        }
    }
    total + pair.1 * pair.0[1] + v[1]
}

#[differentiable]
fn of_collected(x: &[f64]) -> f64 {
    let mut v = [x[0], x[1], x[2]];
    let doubled: Vec<f64> = v
        .into_iter()
        .map(|a| {
            v[2] *= a;
            a * v[2]
        })
        .collect();
    doubled[0] * doubled[1] + doubled[2] * v[2]
}

/// What the items are, only their uses say.
#[derive(Clone, Debug, Differentiable)]
struct Mixed {
    a: [f64; 3],
    at: [usize; 2],
    flags: [bool; 2],
}

#[differentiable]
impl Mixed {
    fn total(&self, y: f64) -> f64 {
        let mut t = y;
        for i in self.at {
            t += self.a[i] * i as f64;
            if i > 0 {
                t *= y;
            }
        }
        for w in self.a {
            if w > 0.4 {
                t += w;
            }
            let both = [w, y];
            t += both[0] * both[1] * w.max(0.1);
            t += match w {
                x if x > 1.0 => x * x,
                x => x,
            };
        }
        for flag in self.flags {
            if flag {
                t += y;
            }
            if !flag {
                t *= y;
            }
        }
        t + self
            .a
            .into_iter()
            .map(|w| if w > 0.6 { w * w } else { w })
            .sum::<f64>()
    }
}

#[differentiable]
fn of_mixed_fields(x: &[f64]) -> f64 {
    let mixed = Mixed {
        a: [x[0], x[1], x[2]],
        at: [1, 2],
        flags: [true, false],
    };
    mixed.total(x[1])
}

/// A list that grows by branches, is cloned, swapped with the clone, and emptied.
#[differentiable]
fn grown_and_emptied(x: &[f64]) -> f64 {
    let mut v = Vec::new();
    for i in 0..x.len() {
        if x[i] > 0.0 {
            v.push(x[i] * x[i]);
        } else if v.len() > 1 {
            let t: f64 = v.pop().unwrap();
            v.push(t * x[i]);
            v.push(t);
        }
    }
    let mut s = 0.0;
    let mut w = v.clone();
    w[0] = 2.0 * v[1];
    std::mem::swap(&mut v, &mut w);
    while let Some(t) = v.pop() {
        s = s * 0.7 + t * w[0];
    }
    s
}

table! {
    grown_and_emptied: (&[1.3, 0.5, -0.8, 0.3, -0.4, 0.9]);
    of_mixed_fields: (&X);
    of_fields: (&X);
    of_locals: for n in 0..3, (&X, const n);
    of_collected: (&X);
}
