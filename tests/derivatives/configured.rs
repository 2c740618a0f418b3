//! `#[cfg]` on statements, arms and fields, and other attributes of statements. The tests run with and without `debug_assertions`.

use chainrule::prelude::*;

use crate::check::table;

#[derive(Clone, Debug, Differentiable)]
struct State {
    a: f64,
    #[cfg(debug_assertions)]
    b: f64,
}

#[differentiable]
fn statements(x: &[f64], k: usize) -> f64 {
    #[cfg(debug_assertions)]
    let mut y = x[0] * x[0];
    #[cfg(not(debug_assertions))]
    let mut y = x[0].sin();
    #[allow(clippy::needless_range_loop)]
    for i in 0..x.len() {
        #[cfg(debug_assertions)]
        {
            y += x[i] * y;
        }
        #[cfg(all(test, not(debug_assertions)))]
        {
            y *= x[i];
        }
        #[cfg(not(test))]
        {
            y.missing();
        }
    }
    #[cfg(debug_assertions)]
    if k == 1 {
        return y * x[1];
    }
    y += match k {
        #[cfg(debug_assertions)]
        0 => x[0],
        2 => x[1] * y,
        _ => 1.0,
    };
    #[cfg(debug_assertions)]
    println!("{y} of {}", x.len());
    #[cfg(debug_assertions)]
    {
        y * y
    }
    #[cfg(not(debug_assertions))]
    {
        3.0 * y
    }
}

#[differentiable]
impl State {
    fn of(x: &[f64]) -> State {
        State {
            a: x[0] * x[1],
            #[cfg(debug_assertions)]
            b: x[1],
        }
    }

    fn energy(&self) -> f64 {
        #[cfg(debug_assertions)]
        let e = self.a * self.b;
        #[cfg(not(debug_assertions))]
        let e = self.a * self.a;
        e
    }
}

#[differentiable]
fn fields(x: &[f64]) -> f64 {
    let state = State::of(x);
    state.energy() * x[0]
}

#[derive(Clone, Copy, Debug, Differentiable)]
struct Pair {
    a: f64,
    b: f64,
}

#[differentiable]
impl std::ops::Mul for Pair {
    type Output = Pair;

    fn mul(self, other: Pair) -> Pair {
        #[cfg(debug_assertions)]
        let a = self.a * other.b;
        #[cfg(not(debug_assertions))]
        let a = self.a + other.b;
        Pair {
            a,
            b: self.b * other.a,
        }
    }
}

#[differentiable(dyn)]
trait Weight {
    fn weight(&self, x: f64) -> f64 {
        #[cfg(debug_assertions)]
        let x = x * x;
        x * self.scale()
    }

    fn scale(&self) -> f64;
}

#[derive(Clone, Debug, Differentiable)]
struct Constant {
    k: f64,
}

#[differentiable(dyn)]
impl Weight for Constant {
    fn scale(&self) -> f64 {
        #[cfg(not(debug_assertions))]
        return self.k;
        #[cfg(debug_assertions)]
        return self.k * self.k;
    }
}

#[differentiable]
fn operators_and_traits(x: &[f64]) -> f64 {
    let pair = Pair { a: x[0], b: x[1] } * Pair { a: x[1], b: 2.0 };
    let constant = Constant { k: x[0] };
    let object: &dyn Weight = &constant;
    object.weight(pair.a) * constant.weight(pair.b)
}

table! {
    statements: for k in 0..4, (&[1.3, 0.7], const k);
    fields: (&[1.3, 0.7]);
    operators_and_traits: (&[1.3, 0.7]);
}
