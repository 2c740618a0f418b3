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

// Functions that the macro inlines into their callers, each with parts that are configured away.

#[differentiable]
fn shadowed(x: f64) -> f64 {
    let y = x;
    #[cfg(any())]
    let y = 3.0;
    y * x
}

#[differentiable]
fn left_early(x: f64) -> f64 {
    {
        #[cfg(any())]
        {
            return 5.0 * x;
        }
    }
    x * x
}

#[differentiable]
fn chosen(v: &[f64]) -> &f64 {
    #[cfg(debug_assertions)]
    let v = &v[1..];
    #[cfg(any())]
    let v = &v[7..];
    &v[0]
}

#[differentiable]
fn counting(x: f64) -> impl FnMut() -> f64 {
    #[cfg(debug_assertions)]
    let x = x * x;
    let mut n = 0.0;
    move || {
        #[cfg(not(debug_assertions))]
        {
            n += 1.0;
        }
        n += 1.0;
        n * x
    }
}

#[differentiable]
fn inlined(x: f64) -> f64 {
    shadowed(x) * left_early(x + 1.0)
}

#[differentiable]
fn inlined_references(v: &[f64]) -> f64 {
    #[cfg(debug_assertions)]
    let scale = v[0];
    #[cfg(not(debug_assertions))]
    let scale = v[1].sin();
    let mut next = counting(scale);
    let first = chosen(v);
    first * first * scale * next() * next()
}

/// Elements and arguments.
#[differentiable]
fn elements(x: f64) -> f64 {
    let list = [
        x,
        #[cfg(any())]
        7.0,
        x * x,
        #[cfg(debug_assertions)]
        x.sin(),
    ];
    let (a, b) = (
        x,
        #[cfg(any())]
        8.0,
        list[1],
    );
    list[list.len() - 1]
        * a
        * b.powf(
            #[cfg(any())]
            9.0,
            1.5,
        )
}

#[differentiable]
fn fields_of_patterns(x: f64) -> f64 {
    let State {
        a,
        #[cfg(debug_assertions)]
        b,
    } = State::of(&[x, x * x]);
    #[cfg(not(debug_assertions))]
    let b = x;
    a * b
}

table! {
    inlined: (1.3), (-0.7);
    inlined_references: (&[1.3, 0.7]);
    elements: (1.3);
    fields_of_patterns: (1.3);
    statements: for k in 0..4, (&[1.3, 0.7], const k);
    fields: (&[1.3, 0.7]);
    operators_and_traits: (&[1.3, 0.7]);
}
