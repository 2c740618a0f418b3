//! Functions that are chosen: by `if` and `match`, out of tables, in loops over tables, and constants.

use chainrule::prelude::*;

use crate::check::table;

const X: [f64; 3] = [1.3, 0.5, 0.8];

#[differentiable]
fn cube(x: f64) -> f64 {
    x * x * x
}

#[differentiable]
fn sine(x: f64) -> f64 {
    x.sin()
}

#[differentiable]
fn scale(x: &mut f64, by: f64) -> f64 {
    *x *= by;
    by
}

#[differentiable]
fn shift(x: &mut f64, by: f64) -> f64 {
    *x += by;
    *x
}

#[differentiable]
fn indexed(x: &[f64]) -> f64 {
    let table: [fn(f64) -> f64; 3] = [sine, cube, f64::exp];
    let list: Vec<fn(f64) -> f64> = vec![cube, |v| v * v];
    let mut total = 0.0;
    for i in 0..x.len() {
        total += table[i](x[i]) * list[i % 2](x[0]);
    }
    let second = table[1];
    total + table[0](x[1]) * second(x[0])
}

#[differentiable]
fn looped(x: &[f64]) -> f64 {
    let table: [fn(f64) -> f64; 2] = [sine, cube];
    let mut total = 0.0;
    for f in [cube, sine] {
        total += f(x[0]) * x[1];
    }
    'outer: for f in table {
        for g in &table {
            if total > 4.0 {
                continue 'outer;
            }
            total += f(g(x[1])) * total;
        }
    }
    for f in table.iter() {
        total *= f(x[2]);
    }
    total
}

#[differentiable]
fn chosen_by_if(x: &[f64]) -> f64 {
    let mut total = 0.0;
    for v in x {
        let f: fn(f64) -> f64 = if *v > 0.6 { sine } else { cube };
        let g = if *v > 1.0 {
            cube
        } else if *v > 0.7 {
            sine
        } else {
            f64::exp
        };
        total += f(*v) * f(total + 1.0) * g(*v);
    }
    total
}

#[differentiable]
fn chosen_by_match(x: &[f64], k: usize) -> f64 {
    let f: fn(f64) -> f64 = match k {
        0 => sine,
        1 => |v| v * v,
        k if k > 2 => cube,
        _ => f64::exp,
    };
    f(x[0]) * x[1] + x.iter().map(|v| f(*v)).sum::<f64>()
}

#[differentiable]
fn chosen_with_references(x: &[f64], k: usize) -> f64 {
    let mut state = x[0];
    let table: [fn(&mut f64, f64) -> f64; 2] = [scale, shift];
    let mut total = 0.0;
    for v in x {
        total += table[k % 2](&mut state, *v) * state;
    }
    let f = if k > 1 { scale } else { shift };
    total + f(&mut state, x[1]) * state
}

#[differentiable]
fn chosen_by_reference(x: f64, a: f64) -> f64 {
    let scaled = |y: f64| y * a;
    let shifted = |y: f64| y + a;
    let f: &dyn Fn(f64) -> f64 = if a > 0.0 { &scaled } else { &shifted };
    f(x) * f(a)
}

#[differentiable]
#[inline(never)]
fn applied(f: fn(f64) -> f64, x: f64) -> f64 {
    f(x) * x
}

#[differentiable]
fn handed_on(x: &[f64], k: usize) -> f64 {
    let f: fn(f64) -> f64 = if k == 0 { sine } else { cube };
    applied(f, x[0]) * x.iter().copied().map(f).sum::<f64>()
}

#[differentiable]
#[inline(never)]
fn applied_object(f: &dyn Fn(f64) -> f64, x: f64) -> f64 {
    f(x) * x
}

/// The object itself is handed on. It is read where it was made: `b` is another variable afterwards.
#[differentiable]
fn boxed(x: &[f64], a: f64, k: usize) -> f64 {
    let b = a * a;
    let f: Box<dyn Fn(f64) -> f64> = match k {
        0 => Box::new(move |t| t * b),
        1 => Box::new(|t: f64| (t * a).sin()),
        _ => Box::new(|t| t * t * t),
    };
    let b = f(0.5);
    let of_one: Box<dyn Fn(f64) -> f64> = Box::new(move |t| t * a);
    applied_object(&f, x[0]) * applied_object(&*f, 2.0) + f(x[1]) * b + applied_object(&*of_one, a)
}

/// It uses a variable of the function that makes it.
#[differentiable]
fn kernel(k: usize, params: &[f64]) -> Box<dyn Fn(f64) -> f64> {
    let (width, height) = (params[0] * 2.0, params[1]);
    if k == 0 {
        Box::new(move |r| {
            if r > 10.0 {
                return 0.0;
            }
            height * (-r * r / width).exp()
        })
    } else {
        Box::new(move |r| height * r / width)
    }
}

#[differentiable]
fn made(x: &[f64], k: usize) -> f64 {
    let f = kernel(k, x);
    let sum: f64 = x.iter().map(|r| f(*r)).sum();
    sum + applied_object(&f, x[2]) * applied_object(&*f, 20.0)
}

#[differentiable]
fn with_a_state(x: &[f64], k: usize) -> f64 {
    let mut s = 0.0;
    {
        let mut add: Box<dyn FnMut(f64) + '_> = if k == 0 {
            Box::new(|t| s += t * x[0])
        } else {
            Box::new(|t| s = s * x[1] + t)
        };
        for v in x {
            add(*v);
        }
    }
    s
}

#[differentiable]
fn constant(x: &[f64]) -> f64 {
    const F: fn(f64) -> f64 = cube;
    F(x[0]) * x[1]
}

#[test]
#[should_panic(expected = "index out of bounds")]
fn what_is_not_in_the_table_panics() {
    indexed::gradient(&[1.0; 4]);
}

table! {
    indexed: (&X);
    looped: (&X);
    chosen_by_if: (&X), (&X[..0].to_vec());
    chosen_by_match: for k in 0..4, (&X, const k);
    chosen_with_references: for k in 0..3, (&X, const k);
    chosen_by_reference: (1.3, 0.5), (1.3, -0.5);
    handed_on: for k in 0..2, (&X, const k);
    boxed: for k in 0..3, (&X, 0.7, const k);
    made: for k in 0..2, (&X, const k);
    with_a_state: for k in 0..2, (&X, const k);
    constant: (&X);
}
