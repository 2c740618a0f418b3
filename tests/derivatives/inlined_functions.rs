//! Functions that are inlined as operations: with constant parameters, early exits and patterns, into functions and methods.

use chainrule::prelude::*;

use crate::check::{irregular, table};

const SCALE: f64 = 2.0;

#[differentiable]
fn weighted(a: f64, w: &[f64], #[constant] x: &[f64]) -> f64 {
    let mut sum = a;
    for (w, x) in w.iter().zip(x) {
        let z = w - x;
        if z > 5.0 {
            return a * w * SCALE;
        }
        sum += z * z;
    }
    sum
}

#[differentiable]
fn newton(a: f64, #[constant] steps: usize) -> Result<f64, &'static str> {
    let mut y = a;
    for k in 0..steps {
        if y <= 0.0 {
            return Err("left");
        }
        let next = 0.5 * (y + a / y);
        if (next - y).abs() < 1e-3 && k > 2 {
            return Ok(next);
        }
        y = next;
    }
    Ok(y)
}

#[differentiable]
fn fill(out: &mut [f64], w: &[f64], #[constant] x: &[f64]) {
    if x.is_empty() {
        return;
    }
    for i in 0..out.len() {
        out[i] = w[i] * x[i % x.len()] + out[i] * 0.5;
    }
}

#[differentiable]
fn kind(a: f64, k: Option<usize>) -> f64 {
    match k {
        Some(0) => a.sin(),
        Some(k) => a * k as f64,
        None => a * a,
    }
}

#[differentiable]
fn all(w: &[f64]) -> f64 {
    let data = [0.5, 1.5, -2.0];
    let mut out = vec![w[0]; w.len()];
    let mut s = 0.0;
    for k in 0..3 {
        fill(&mut out, w, &data[k..]);
        fill(&mut out[1..], &w[1..], &data);
        s += weighted(w[k], &out, &data) + weighted(w[k] * 9.0, w, &data[1..]);
        s += newton(w[k] * w[k] + 1.0, 9).unwrap_or(w[k]) + newton(-w[k].abs(), 9).unwrap_or(w[0]);
        s += kind(w[k], Some(k)) + kind(w[k], None);
    }
    s
}

#[derive(Clone, Debug, Differentiable)]
struct Model {
    w: Vec<f64>,
    b: f64,
}

#[differentiable]
impl Model {
    fn loss(&self, #[constant] x: &[f64]) -> f64 {
        let mut terms = vec![self.b; self.w.len()];
        fill(&mut terms, &self.w, x);
        let mut s = 0.0;
        for k in 0..self.w.len() {
            s += weighted(self.w[k] * self.b, &terms, x)
                * newton(terms[k] * terms[k] + 0.3, 7).unwrap_or(1.0);
        }
        s
    }
}

#[differentiable]
fn by_method(w: &[f64], b: f64) -> f64 {
    let m = Model { w: w.to_vec(), b };
    m.loss(&[0.5, 0.2, 0.9])
}

table! {
    all: (&irregular(6, 0.3)), (&irregular(5, 0.6));
    by_method: (&irregular(4, 0.3), 0.8);
}

/// Functions that are inlined in each other, with constants of the module and names of the caller's.
mod mixed {
    use super::*;
    use chainrule::testing::check_rules;

    const LIM: f64 = 0.9;
    const TABLE: [f64; 3] = [0.5, 1.5, -1.0];
    #[derive(Clone, Debug, Differentiable)]
    struct Acc {
        v: Vec<f64>,
        s: f64,
        #[constant]
        k: f64,
    }
    #[derive(Clone, Copy, Debug, PartialEq)]
    enum Mode {
        Up,
        Down(usize),
    }

    #[differentiable]
    fn counted(mut a: f64, #[constant] mut n: usize) -> f64 {
        while n > 0 {
            a = a.sin() + LIM;
            n -= 1;
            if a > 1.4 {
                return a;
            }
        }
        a
    }
    #[differentiable]
    fn owned(mut v: Vec<f64>, #[constant] w: f64) -> f64 {
        if v.is_empty() {
            return w;
        }
        v[0] *= w;
        v.iter().sum()
    }
    #[differentiable]
    fn of_acc(a: &Acc, #[constant] scale: f64) -> f64 {
        if a.v.len() < 3 {
            return a.s * scale;
        }
        a.v[2] * a.s + a.k * scale
    }
    #[differentiable]
    fn change(a: &mut Acc, #[constant] by: f64, x: f64) -> f64 {
        if by < 0.0 {
            return x;
        }
        a.s += x * by;
        a.v[0] = a.s;
        a.v.swap(0, 1);
        a.s
    }
    #[differentiable]
    fn by_mode(x: f64, #[constant] m: Mode) -> f64 {
        match m {
            Mode::Up => x.exp(),
            Mode::Down(0) => -x,
            Mode::Down(k) => x / k as f64,
        }
    }
    #[differentiable]
    fn table(x: f64, #[constant] k: usize) -> f64 {
        let t = TABLE[k % 3];
        if t < 0.0 {
            return x * t * t;
        }
        x + t
    }
    #[differentiable]
    fn deep(x: f64, #[constant] k: usize) -> f64 {
        if k == 0 {
            return table(x, 2);
        }
        table(counted(x, k), k) * by_mode(x, Mode::Down(k))
    }
    #[differentiable]
    fn deeper(x: f64, #[constant] k: usize) -> f64 {
        let mut s = 0.0;
        for j in 0..k {
            if j == 4 {
                return s;
            }
            s += deep(x * (j + 1) as f64, j);
        }
        s
    }
    #[differentiable]
    fn rec(x: f64, #[constant] n: usize) -> f64 {
        if n == 0 {
            return x;
        }
        rec(x * LIM, n - 1) + x * x
    }
    #[differentiable]
    fn part(out: &mut [f64], x: &[f64], #[constant] from: usize) {
        for i in from..out.len() {
            if i >= x.len() {
                return;
            }
            out[i] += x[i] * out[from];
        }
    }
    #[differentiable]
    fn pair(x: f64, y: f64, #[constant] k: i32) -> (f64, f64) {
        if k < 0 {
            return (y, x);
        }
        (x.powi(k), y * k as f64)
    }
    #[differentiable]
    fn find(x: &[f64], #[constant] at: f64) -> f64 {
        for i in 0..x.len() {
            if x[i] > at {
                return x[i] * x[i];
            }
        }
        x[0]
    }

    #[differentiable]
    impl Acc {
        fn total(&self, #[constant] n: usize) -> f64 {
            let mut t = Vec::new();
            for i in 0..n {
                t.push(deep(self.s * (i + 1) as f64, i) + find(&self.v, 0.45));
            }
            let mut s = of_acc(self, 1.5);
            for v in &t {
                s += v * self.k;
            }
            s
        }
        fn step(&mut self, x: f64) -> f64 {
            let a = change(self, 0.3, x);
            let b = change(self, -1.0, x);
            part(&mut self.v, &[x, x * x, 2.0], 1);
            a * b
        }
    }

    #[differentiable]
    fn loops_that_return(x: &[f64]) -> f64 {
        counted(x[0], 3) + counted(x[1], 0) + counted(x[1] * x[0], 7)
    }

    #[differentiable]
    fn lists_by_value(x: &[f64]) -> f64 {
        let v = x.to_vec();
        let a = owned(v.clone(), 0.5);
        a * owned(v, 2.0) + owned(Vec::new(), 0.1) * x[0]
    }

    #[differentiable]
    fn parts_of_a_struct(x: &[f64]) -> f64 {
        let mut a = Acc {
            v: vec![x[0], x[1], 1.0],
            s: x[1],
            k: 2.0,
        };
        let mut s = 0.0;
        for i in 0..4 {
            s += change(&mut a, i as f64 - 1.0, x[i % 2]);
            s += of_acc(&a, i as f64 * 0.5);
        }
        s * a.v[1]
    }

    #[differentiable]
    fn in_a_method(x: &[f64]) -> f64 {
        let a = Acc {
            v: x.to_vec(),
            s: x[1],
            k: 0.5,
        };
        a.total(5)
    }

    #[differentiable]
    fn in_a_method_that_writes(x: &[f64]) -> f64 {
        let mut a = Acc {
            v: x.to_vec(),
            s: x[1],
            k: 0.5,
        };
        let mut s = 0.0;
        for v in x {
            s += a.step(*v);
        }
        s + a.v[0] * a.s
    }

    #[differentiable]
    fn by_patterns(x: &[f64]) -> f64 {
        let mut s = 0.0;
        for (k, m) in [Mode::Up, Mode::Down(0), Mode::Down(3)]
            .into_iter()
            .enumerate()
        {
            s += by_mode(x[k % 2], m) * x[0];
        }
        s
    }

    #[differentiable]
    fn in_each_other(x: &[f64]) -> f64 {
        let t = x[0];
        let k = 2;
        let lim = t;
        deeper(t, 6) + deeper(x[1], k) * lim
    }

    #[differentiable]
    fn recursive(x: &[f64]) -> f64 {
        rec(x[0], 4) * rec(x[1], 0)
    }

    #[differentiable]
    fn slices(x: &[f64]) -> f64 {
        let mut y = x.to_vec();
        part(&mut y, x, 0);
        part(&mut y[1..], x, 0);
        let n = y.len();
        part(&mut y[..n - 1], &x[..1], 0);
        y.iter().sum()
    }

    #[differentiable]
    fn pairs(x: &[f64]) -> f64 {
        let (mut a, mut b) = (x[0], x[1]);
        for k in -1..3 {
            (a, b) = pair(a, b, k);
            a += 0.1 * x[0];
        }
        a * b + a
    }

    #[differentiable]
    fn searches(x: &[f64]) -> f64 {
        let mut s = 0.0;
        for k in 0..3 {
            s += find(&x[..2], k as f64 * 0.4) * find(x, -3.0);
        }
        s
    }

    #[differentiable]
    fn in_closures(x: &[f64]) -> f64 {
        let f = |v: f64| deep(v, 2) + table(v, 1);
        x.iter().map(|v| f(*v)).sum()
    }

    #[differentiable]
    fn names_of_the_caller(x: &[f64]) -> f64 {
        let table = x[0];
        let t = table * 2.0;
        let s = t;
        deep(s, 1) + t
    }

    #[differentiable]
    fn in_a_while_loop(x: &[f64]) -> f64 {
        let mut m = 0.0;
        let mut n = 3;
        while n > 0 {
            m += counted(x[n % 2], n) * m.cos();
            n -= 1;
        }
        m
    }

    #[test]
    fn they_have_the_rules_of_the_calls() {
        for x in [&[0.7, -0.4, 1.3, 0.2, -0.9][..], &[0.55, 1.1]] {
            check_rules!(loops_that_return, x; allow_inconclusive);
            check_rules!(lists_by_value, x; allow_inconclusive);
            check_rules!(parts_of_a_struct, x; allow_inconclusive);
            check_rules!(in_a_method, x; allow_inconclusive);
            check_rules!(in_a_method_that_writes, x; allow_inconclusive);
            check_rules!(by_patterns, x; allow_inconclusive);
            check_rules!(in_each_other, x; allow_inconclusive);
            check_rules!(recursive, x; allow_inconclusive);
            check_rules!(slices, x; allow_inconclusive);
            check_rules!(pairs, x; allow_inconclusive);
            check_rules!(searches, x; allow_inconclusive);
            check_rules!(in_closures, x; allow_inconclusive);
            check_rules!(names_of_the_caller, x; allow_inconclusive);
            check_rules!(in_a_while_loop, x; allow_inconclusive);
        }
    }
}
