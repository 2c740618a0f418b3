//! Macros of std: they run once, in the forward half, and have no derivative.

use std::cell::Cell;

use chainrule::prelude::*;

use crate::check::table;

thread_local! {
    static RUNS: Cell<u32> = const { Cell::new(0) };
}

/// Counts how often it runs.
fn tick() -> bool {
    RUNS.set(RUNS.get() + 1);
    true
}

#[differentiable]
fn asserts(x: f64, n: usize) -> f64 {
    assert!(x > 0.0);
    assert!(n < 10, "n is {n}, and x is {x}");
    assert_eq!(n % 1, 0, "{} and {:?}", x, n);
    assert_ne!(x, 100.0);
    debug_assert!(x.is_finite());
    debug_assert_eq!(n, n);
    let mut z = x;
    for i in 0..n {
        debug_assert!(i < n, "{i} of {n}: {z}");
        z *= x;
    }
    z
}

#[differentiable]
fn prints(x: f64, n: usize) -> f64 {
    let mut z = x * x;
    println!("{z} and {}", x + 1.0);
    eprintln!("{n}: {z:?} {0} {name}", n, name = x);
    print!("");
    dbg!(n, z);
    for _ in 0..n {
        z = z.sin();
        println!("{z}");
    }
    z
}

#[derive(Clone, Debug, Differentiable)]
struct Pair {
    a: f64,
    b: f64,
}

/// `dbg!` gives what it shows.
#[differentiable]
fn shows(x: f64, n: usize) -> f64 {
    let y = dbg!(x * x) + dbg!(x.sin());
    let pair = dbg!(Pair { a: y, b: x });
    let list = dbg!(vec![pair.a, pair.b]);
    let (a, k) = dbg!(list[0], n + 1);
    let whole = dbg!(&list);
    let mut s = dbg!(whole[1]) * a;
    for i in 0..dbg!(n) {
        s = if dbg!(i == 1) {
            dbg!(s * x)
        } else {
            s + k as f64 * x
        };
    }
    s
}

#[differentiable]
fn diverges(x: f64, n: usize) -> f64 {
    match n {
        0 => x * x,
        1 => panic!("one, at {x}"),
        2 => unreachable!("two"),
        3 => todo!(),
        _ => unimplemented!("more than {n}"),
    }
}

#[differentiable]
fn panics_in_a_branch(x: f64) -> f64 {
    if x < 0.0 {
        panic!("negative: {x}");
    }
    x.sqrt() * x
}

#[differentiable]
fn formats(x: f64, n: usize) -> f64 {
    let text = format!("{n}-{n}");
    let mut out = String::new();
    out.push_str(&text);
    x * text.len() as f64 + x * x * out.len() as f64
}

#[differentiable]
fn matched(x: f64, n: usize) -> f64 {
    if matches!(n, 0 | 2..=3) {
        x * x
    } else {
        x * 3.0
    }
}

#[differentiable]
fn vectors(x: f64, y: f64) -> f64 {
    let a = vec![x, y, x * y];
    let mut b = vec![0.0; a.len()];
    b[1] = a[2] * a[0];
    let c: Vec<f64> = vec![];
    b[1] + a[1] + c.len() as f64
}

#[differentiable]
#[inline(never)]
fn counts(x: f64) -> f64 {
    assert!(tick());
    let a = x * x;
    assert!(tick() && a > 0.0);
    a * x
}

macro_rules! three {
    () => {
        3
    };
}

/// A macro of one's own, without active values.
#[differentiable]
fn own_macro(x: f64) -> f64 {
    let n: i32 = three!();
    x.powi(n)
}

/// As the crates `log` and `tracing` have it.
macro_rules! debug {
    ($($arg:tt)*) => {{
        let _ = format!($($arg)*);
    }};
}

#[differentiable]
fn logs(x: f64, n: usize) -> f64 {
    let mut s = x;
    for k in 0..n {
        s += s * x;
        debug!("step {k}: {s}, {}", x);
    }
    debug!("{s}");
    s
}

/// As the crates `anyhow` and `eyre` have it.
macro_rules! bail {
    ($($arg:tt)*) => {
        return Err(format!($($arg)*))
    };
}

macro_rules! ensure {
    ($condition:expr, $($arg:tt)*) => {
        if !$condition {
            bail!($($arg)*);
        }
    };
}

macro_rules! some_if {
    ($condition:expr) => {
        if !$condition {
            return None;
        }
    };
}

#[differentiable]
#[inline(never)]
fn ensures(x: f64, y: &[f64]) -> Result<f64, String> {
    ensure!(x > 0.0, "x is {x}");
    let mut s = 0.0;
    for (k, v) in y.iter().enumerate() {
        ensure!(v.is_finite(), "y[{}] is {v}", k);
        if *v < -1.0 {
            bail!("y[{k}] is small");
        }
        s += v * x;
    }
    ensure!(s < 100.0, "large: {}", s);
    Ok(s * x)
}

#[differentiable]
#[inline(never)]
fn some(x: f64, y: &mut [f64]) -> Option<f64> {
    y[0] *= x;
    some_if!(y[0] > 0.5);
    y[0] += x;
    Some(y[0] * y[0])
}

/// What is written before a macro returns stays written.
#[differentiable]
fn left(x: f64, y: &[f64]) -> f64 {
    let mut kept = y.to_vec();
    let ensured = ensures(x, y).unwrap_or(x * x * 3.0);
    let some = some(x, &mut kept).unwrap_or(x.sin());
    let closure = |k: f64| -> Result<f64, String> {
        ensure!(k > 0.0, "k is {k}");
        Ok(k.sqrt() * x)
    };
    ensured + some * kept[0] + closure(kept[0] - 0.4).unwrap_or(kept[0])
}

/// As the crate `approx` has it.
macro_rules! close {
    ($a:expr, $b:expr, epsilon = $epsilon:expr) => {
        ($a - $b).abs() < $epsilon
    };
}

#[differentiable]
fn asks(x: f64, y: f64) -> f64 {
    let mut z = x;
    if close!(x, y, epsilon = 0.1) || x > 5.0 {
        z *= y;
    } else if !close!(z, 1.0, epsilon = 0.5) && y > 0.0 {
        z += y.sin();
    }
    while close!(z, 0.0, epsilon = 4.0) {
        z = z * x + 2.0;
    }
    z
}

table! {
    asks: (1.0, 1.05), (2.0, 0.3), (2.0, -0.3), (0.9, 1.3), (7.0, 0.5);
    left: (0.7, &[1.0, 2.0]), (0.3, &[1.0, -2.0, 2.0]), (-0.3, &[1.0]), (9.0, &[2.0, 1.5]);
    logs: for n in 0..4, (0.7, const n);
    asserts: for n in 0..4, (0.7, const n);
    prints: for n in 0..4, (0.7, const n);
    shows: for n in 0..4, (0.7, const n);
    diverges: (0.7, const 0) => [1.4];
    panics_in_a_branch: (0.7);
    formats: (0.7, const 1), (0.7, const 10);
    matched: for n in 0..5, (0.7, const n);
    vectors: (0.7, 1.9);
    own_macro: (0.7) => [3.0 * 0.7 * 0.7];
}

#[test]
fn what_has_effects_runs_once() {
    let runs = |f: &dyn Fn()| {
        RUNS.set(0);
        f();
        RUNS.get()
    };
    let primal = runs(&|| {
        counts(0.7);
    });
    assert_eq!(primal, 2);
    assert_eq!(runs(&|| assert!(counts::gradient(0.7) > 0.0)), primal);
    assert_eq!(runs(&|| assert!(counts::derivative(0.7) > 0.0)), primal);
    assert_eq!(runs(&|| assert!(counts::hvp(0.7, 1.0) > 0.0)), primal);
    assert_eq!(runs(&|| assert!(counts::vjp(0.7, 1.0).0 > 0.0)), primal);
}

#[test]
fn the_error_is_that_of_the_macro() {
    let (value, _) = ensures::jvp(0.5, &[1.0, -3.0], 1.0, &[0.0, 0.0]);
    assert_eq!(value, Err("y[1] is small".to_string()));
    assert_eq!(value, ensures(0.5, &[1.0, -3.0]));
}

#[test]
#[should_panic(expected = "n is 11, and x is 0.7")]
fn assertions_hold_in_the_rules() {
    asserts::gradient(0.7, 11);
}

#[test]
#[should_panic(expected = "one, at 0.7")]
fn panics_keep_their_message() {
    diverges::gradient(0.7, 1);
}

#[test]
#[should_panic(expected = "negative: -1")]
fn panics_in_branches() {
    panics_in_a_branch::derivative(-1.0);
}
