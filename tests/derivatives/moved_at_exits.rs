//! Locals that a loop moves just before it is left, and that are used after the loop too.

use chainrule::prelude::*;

use crate::check::table;

#[derive(Clone, Debug, Differentiable)]
struct State {
    v: Vec<f64>,
    c: f64,
}

#[differentiable]
impl State {
    fn of(x: &[f64]) -> State {
        State {
            v: x.to_vec(),
            c: x[0],
        }
    }

    fn finish(self) -> f64 {
        self.v[0] * self.c + self.v[1]
    }

    fn total(&self) -> f64 {
        self.v[1] * self.c
    }

    fn grow(&mut self) -> f64 {
        self.c *= 1.1;
        self.c
    }

    fn scaled(self, k: f64) -> State {
        State {
            c: self.c * k,
            ..self
        }
    }
}

#[differentiable]
fn finish(s: State) -> f64 {
    s.v[0] * s.c * s.c
}

#[differentiable]
fn product(v: Vec<f64>) -> f64 {
    v[0] * v[1]
}

#[differentiable]
fn next(s: State) -> State {
    State {
        c: s.c + 0.4,
        v: s.v,
    }
}

#[differentiable]
fn receiver(x: &[f64], n: usize) -> f64 {
    let mut s = State::of(x);
    for _ in 0..n {
        if s.c > 1.0 {
            return s.finish();
        }
        s.grow();
    }
    s.finish()
}

#[differentiable]
fn receivers_of_all_kinds(x: &[f64], n: usize) -> f64 {
    let mut s = State::of(x);
    let mut i = 0;
    while i < n {
        i += 1;
        if i == 3 {
            return s.scaled(x[1]).finish() + x[0];
        }
        if i == 2 && x[1] > 0.5 {
            return s.grow() * s.scaled(x[1]).finish();
        }
        if i == 2 && x[1] < 0.0 {
            return s.total();
        }
        s.grow();
    }
    s.finish()
}

#[differentiable]
fn argument(x: &[f64], n: usize) -> f64 {
    let mut s = State::of(x);
    for _ in 0..n {
        if s.c > 1.0 {
            return finish(s);
        }
        s.c += 0.15;
    }
    finish(s)
}

#[differentiable]
fn field(x: &[f64], n: usize) -> f64 {
    let mut s = State::of(x);
    for _ in 0..n {
        if s.c > 1.0 {
            return product(s.v);
        }
        s.c += 0.15;
    }
    finish(s)
}

#[differentiable]
fn not_mutable(x: &[f64], n: usize) -> f64 {
    let s = State {
        v: x.to_vec(),
        c: x[0],
    };
    for i in 0..n {
        if i == 2 {
            return finish(s);
        }
    }
    2.0 * finish(s)
}

#[differentiable]
fn perhaps(x: &[f64], n: usize) -> Option<f64> {
    let s = State::of(x);
    for i in 0..n {
        if x[i % 2] > 5.0 {
            return None;
        }
        if i == 2 {
            return Some(finish(s));
        }
    }
    Some(2.0 * finish(s))
}

#[differentiable]
fn option(x: &[f64], n: usize) -> f64 {
    perhaps(x, n).unwrap_or(0.0)
}

#[differentiable]
fn moved_and_given_back(x: &[f64], n: usize) -> f64 {
    let mut s = State::of(x);
    for _ in 0..n {
        let t = next(s);
        if t.c > 1.8 {
            return product(t.v);
        }
        s = t;
    }
    finish(s)
}

#[differentiable]
fn last(x: &[f64], n: usize) -> State {
    let mut s = State::of(x);
    for i in 0..n {
        s = next(s);
        if i == 2 {
            return s;
        }
        if s.c > 1.5 {
            break;
        }
        s.v[0] *= s.c;
    }
    s
}

#[differentiable]
fn returned(x: &[f64], n: usize) -> f64 {
    finish(last(x, n))
}

#[differentiable]
fn in_an_arm(x: &[f64], n: usize) -> f64 {
    let mut s = State::of(x);
    for i in 0..n {
        match i {
            2 => return finish(s),
            _ => s.c *= 1.5,
        }
    }
    2.0 * finish(s)
}

#[differentiable]
fn broken_with(x: &[f64], n: usize) -> f64 {
    let s = State::of(x);
    let r = 'found: loop {
        for i in 0..n {
            if x[0] * i as f64 > 1.0 {
                break 'found finish(s);
            }
        }
        break finish(s) + 1.0;
    };
    r * r
}

const LOW: [f64; 2] = [0.8, 0.3];
const HIGH: [f64; 2] = [0.9, 0.7];
const NEGATIVE: [f64; 2] = [0.7, -0.4];

table! {
    receiver: (&LOW, const 0), (&LOW, const 1), (&LOW, const 2), (&LOW, const 3), (&LOW, const 9);
    receivers_of_all_kinds: (&LOW, const 0), (&LOW, const 1), (&LOW, const 2), (&LOW, const 3), (&HIGH, const 3), (&NEGATIVE, const 3);
    argument: (&LOW, const 0), (&LOW, const 1), (&LOW, const 2), (&LOW, const 3);
    field: (&LOW, const 0), (&LOW, const 1), (&LOW, const 2), (&LOW, const 3);
    not_mutable: (&LOW, const 0), (&LOW, const 1), (&LOW, const 2), (&LOW, const 3);
    option: (&LOW, const 0), (&LOW, const 1), (&LOW, const 2), (&LOW, const 3);
    moved_and_given_back: (&LOW, const 0), (&LOW, const 1), (&LOW, const 2), (&LOW, const 3);
    returned: (&LOW, const 0), (&LOW, const 1), (&LOW, const 2), (&LOW, const 3);
    in_an_arm: (&LOW, const 0), (&LOW, const 1), (&LOW, const 2), (&LOW, const 3);
    broken_with: (&LOW, const 0), (&LOW, const 1), (&LOW, const 2), (&LOW, const 3);
}
