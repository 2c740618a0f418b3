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

table! {
    statements: for k in 0..4, (&[1.3, 0.7], const k);
    fields: (&[1.3, 0.7]);
}
