//! Code with effects inside of differentiable functions: it runs once, in the forward half, whatever is derived, and the
//! reverse half sees what it gave then.
//!
//! Checked drivers run their functions again, which these would notice: they are left out.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;

use chainrule::prelude::*;
use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};

use crate::check::assert_close;

const X: [f64; 3] = [0.7, 1.9, -0.4];

/// Counts how often it is asked.
#[derive(Default)]
struct Counter(Cell<u32>);

impl Counter {
    fn next(&self) -> f64 {
        self.0.set(self.0.get() + 1);
        f64::from(self.0.get())
    }

    fn is_odd(&self) -> bool {
        self.next() % 2.0 == 1.0
    }

    fn index(&self, n: usize) -> usize {
        self.next() as usize % n
    }
}

/// Runs `f` in every mode, each with a counter of its own; all must have asked it as often as the function itself.
macro_rules! once {
    ($f:ident) => {{
        let times = |run: &dyn Fn(&Counter)| {
            let counter = Counter::default();
            run(&counter);
            counter.0.get()
        };
        let plain = times(&|c| {
            $f(&X, c);
        });
        assert!(plain > 0);
        let dot = [1.0, -0.5, 0.25];
        let modes: [(&str, &dyn Fn(&Counter)); 8] = [
            ("frule", &|c| {
                $f::frule(Dual(&X, &dot), c);
            }),
            ("rrule", &|c| {
                let (_, pullback) = $f::rrule(&X, c);
                pullback(1.0, CoDual(&X, &mut [0.0; 3]), c);
            }),
            ("gradient", &|c| {
                $f::gradient(&X, c);
            }),
            ("value_and_gradient", &|c| {
                $f::value_and_gradient(&X, c);
            }),
            ("value_and_gradient_into", &|c| {
                $f::value_and_gradient_into(&X, c, &mut [0.0; 3]);
            }),
            ("jvp", &|c| {
                $f::jvp(&X, c, &dot);
            }),
            ("vjp", &|c| {
                $f::vjp(&X, c, 1.0);
            }),
            ("hvp", &|c| {
                $f::hvp(&X, c, &dot);
            }),
        ];
        for (mode, run) in modes {
            assert_eq!(times(run), plain, "{mode}");
        }
        // All derivatives agree: what the reverse half used is what the forward half got.
        let gradient = $f::gradient(&X, &Counter::default());
        let (_, slope) = $f::jvp(&X, &Counter::default(), &dot);
        let along: f64 = gradient.iter().zip(&dot).map(|(g, d)| g * d).sum();
        assert_close(&[slope], &[along]);
        let (_, pullback) = $f::rrule(&X, &Counter::default());
        let mut x_bar = [0.0; 3];
        pullback(1.0, CoDual(&X, &mut x_bar), &Counter::default());
        assert_close(&x_bar, &gradient);
        gradient
    }};
}

#[differentiable(checked = false)]
fn factors(x: &[f64], #[constant] counter: &Counter) -> f64 {
    let mut total = 0.0;
    for v in x {
        let k: f64 = counter.next();
        total += v * v * k;
    }
    total
}

#[test]
fn each_factor_is_asked_for_once() {
    assert_close(&once!(factors), &[2.0 * 0.7, 4.0 * 1.9, 6.0 * -0.4]);
}

/// Without annotations rustc alone knows that it is a float.
#[differentiable(checked = false)]
fn deferred_factors(x: &[f64], #[constant] counter: &Counter) -> f64 {
    let mut total = 1.0;
    for v in x {
        total = total * v * counter.next() + v * counter.next();
    }
    total
}

#[test]
fn each_factor_of_unknown_type_is_asked_for_once() {
    once!(deferred_factors);
}

#[differentiable(checked = false)]
fn branches(x: &[f64], #[constant] counter: &Counter) -> f64 {
    let mut total = 1.0;
    for v in x {
        if counter.is_odd() {
            total *= v;
        } else if counter.is_odd() && v.abs() < 100.0 {
            total += v * v;
        }
        match counter.index(3) {
            0 => continue,
            1 if counter.is_odd() => total *= v.sin(),
            _ => total -= v,
        }
    }
    total
}

#[test]
fn each_condition_is_asked_for_once() {
    once!(branches);
}

#[differentiable(checked = false)]
fn indices(x: &[f64], #[constant] counter: &Counter) -> f64 {
    let mut w = x.to_vec();
    let mut total = 1.0;
    for _ in 0..counter.index(5) + 2 {
        let i = counter.index(3);
        w[counter.index(3)] *= x[i];
        total = total * w[i] + x[counter.index(3)];
    }
    total * w[0]
}

#[test]
fn each_index_is_asked_for_once() {
    once!(indices);
}

#[differentiable(checked = false)]
fn until(x: &[f64], #[constant] counter: &Counter) -> f64 {
    let mut total = 1.0;
    while counter.next() < 5.0 {
        total *= x[0] * x[1];
    }
    loop {
        total += total * x[2];
        if counter.index(4) == 1 {
            break;
        }
    }
    total
}

#[test]
fn each_end_of_a_loop_is_asked_for_once() {
    once!(until);
}

/// Interior mutability, through a shared reference that is read again.
#[differentiable(checked = false)]
fn logged(x: &[f64], #[constant] log: &RefCell<Vec<String>>) -> f64 {
    let mut total = 1.0;
    for (i, v) in x.iter().enumerate() {
        log.borrow_mut().push(format!("{i}: {v:.1}"));
        total *= v * log.borrow().len() as f64;
    }
    total
}

#[test]
fn a_log_has_each_line_once() {
    let want = ["0: 0.7", "1: 1.9", "2: -0.4"];
    let log = RefCell::new(Vec::new());
    let (y, gradient) = logged::value_and_gradient(&X, &log);
    assert_eq!(log.take(), want);
    assert_close(&gradient, &X.map(|v| y / v));
    let (_, pullback) = logged::rrule(&X, &log);
    log.borrow_mut().clear();
    let mut x_bar = [0.0; 3];
    pullback(1.0, CoDual(&X, &mut x_bar), &log);
    assert_close(&x_bar, &gradient);
    assert!(log.take().is_empty());
    logged::hvp(&X, &log, &[1.0, 0.0, 0.0]);
    assert_eq!(log.take(), want);
}

/// Text and bytes are written, maps are filled.
#[differentiable]
fn written(x: f64, n: usize, #[constant] out: &mut Vec<u8>) -> f64 {
    let mut text = String::new();
    let mut counts = BTreeMap::new();
    for i in 0..n {
        write!(text, "{i},").expect("text grows");
        *counts.entry(i % 2).or_insert(0) += 1;
        writeln!(out, "step {i}").expect("bytes are stored");
    }
    let length = text.len() as f64;
    let even = counts.get(&0).copied().unwrap_or(0);
    x * x * length + x * f64::from(even)
}

#[test]
fn what_is_written_is_written_once() {
    for n in 0..3_usize {
        let want: String = (0..n).map(|i| format!("step {i}\n")).collect();
        let slope = 2.0 * 0.7 * (2 * n) as f64 + n.div_ceil(2) as f64;
        let mut out = Vec::new();
        assert_close(&[written::derivative(0.7, n, &mut out)], &[slope]);
        assert_eq!(String::from_utf8_lossy(&out), want);
        out.clear();
        let Dual(_, y_dot) = written::frule(Dual(0.7, 1.0), n, &mut out);
        assert_close(&[y_dot], &[slope]);
        assert_eq!(String::from_utf8_lossy(&out), want);
        out.clear();
        assert_close(&[written::hvp(0.7, n, &mut out, 1.0)], &[4.0 * n as f64]);
        assert_eq!(String::from_utf8_lossy(&out), want);
    }
}

/// Numbers by the caller's generator: the reverse half must not ask for others.
#[differentiable]
fn noisy(x: &[f64], #[constant] rng: &mut StdRng) -> f64 {
    let mut total = 1.0;
    for v in x {
        let noise: f64 = rng.random();
        if rng.random_bool(0.5) {
            total = total * v + noise * v;
        } else {
            total += v.sin() * rng.random_range(0.0..1.0);
        }
    }
    total
}

/// Monte Carlo with a generator of its own.
#[differentiable]
fn path(drift: f64, volatility: f64, seed: u64, steps: usize) -> f64 {
    let mut rng = StdRng::seed_from_u64(seed);
    let mut s = 1.0;
    for _ in 0..steps {
        let z: f64 = rng.random_range(-1.0..1.0);
        s *= (drift + volatility * z).exp();
    }
    s
}

#[test]
fn each_number_is_drawn_once() {
    let rng = || StdRng::seed_from_u64(7);
    let mut plain = rng();
    let value = noisy(&X, &mut plain);
    let next: f64 = plain.random();
    let mut used = rng();
    let (y, gradient) = noisy::value_and_gradient(&X, &mut used);
    assert_eq!((y, used.random()), (value, next));
    let mut used = rng();
    let (_, y_dot) = noisy::jvp(&X, &mut used, &[1.0, -0.5, 0.25]);
    assert_eq!(used.random::<f64>(), next);
    assert_close(
        &[y_dot],
        &[gradient[0] - 0.5 * gradient[1] + 0.25 * gradient[2]],
    );
    let mut used = rng();
    let (_, pullback) = noisy::rrule(&X, &mut used);
    let mut x_bar = [0.0; 3];
    pullback(1.0, CoDual(&X, &mut x_bar));
    assert_close(&x_bar, &gradient);
    let h = 1e-6;
    for i in 0..3 {
        let at = |step: f64| {
            let mut x = X;
            x[i] += step;
            noisy(&x, &mut rng())
        };
        let slope = (at(h) - at(-h)) / (2.0 * h);
        assert!(
            (gradient[i] - slope).abs() < 1e-8,
            "{} is not {slope}",
            gradient[i]
        );
    }
}

#[test]
fn a_generator_of_its_own() {
    for steps in 0..4 {
        crate::check::check!(path(0.1, 0.3, const 11, const steps));
    }
}

/// A generator of its own, which has no tangent, lent to a function that calls it constant.
#[differentiable]
fn averaged(x: &[f64], seed: u64, paths: usize) -> f64 {
    let mut rng = StdRng::seed_from_u64(seed);
    let mut sum = 0.0;
    for k in 0..paths {
        let one = noisy(x, &mut rng);
        sum += one * one;
        if k == 1 {
            sum *= noisy(&x[1..], &mut rng);
        }
    }
    sum
}

#[test]
fn a_generator_that_is_lent() {
    for paths in 0..4 {
        crate::check::check!(averaged(&X.to_vec(), const 11, const paths));
    }
}
