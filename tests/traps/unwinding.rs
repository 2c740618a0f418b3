//! Panics in primals, closures and pullbacks: what is left behind, and what runs afterwards.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use chainrule::prelude::*;
use chainrule::workspace;

use crate::check::{check, table};

const X: [f64; 6] = [1.3, 0.5, -0.8, 0.3, 0.9, -0.4];

/// The function panics, and prints nothing.
fn panics<T>(run: impl FnOnce() -> T) {
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let result = catch_unwind(AssertUnwindSafe(run));
    std::panic::set_hook(hook);
    assert!(result.is_err(), "it did not panic");
}

/// Writes to its argument, and panics at a step.
#[differentiable]
fn fails_at(v: &mut [f64], at: usize) -> f64 {
    let mut s = 1.0;
    let mut w = vec![0.0; v.len()];
    for i in 1..v.len() {
        v[i] = v[i] * v[i - 1] + s;
        s = s * 0.5 + v[i] * v[i];
        w[i] = s * v[0];
        assert!(i != at, "as wanted");
        v[0] *= 1.1;
    }
    s * w[2] + v[0]
}

/// After an `&mut` argument was written halfway and the primal failed, everything that runs later is as on a new thread.
#[test]
fn a_primal_that_fails() {
    let fresh = || {
        let mut v = X;
        let gradient = fails_at::gradient(&mut v, 99);
        let hessian = fails_at::hvp(&mut v, 99, &mut X.clone());
        assert_eq!(v, X);
        (gradient, hessian)
    };
    let expected = std::thread::spawn(fresh).join().expect("no panic");
    let mut kept = Vec::new();
    for at in 1..X.len() {
        // The drivers leave behind the same as the primal alone.
        let mut plain = X;
        panics(|| fails_at(&mut plain, at));
        let mut v = X;
        panics(|| fails_at::gradient(&mut v, at));
        assert_eq!(v, plain);
        let mut v = X;
        panics(|| fails_at::rrule(&mut v, at).0);
        assert_eq!(v, plain);
        let (mut v, mut dot) = (X, X);
        panics(|| fails_at::frule(Dual(&mut v[..], &mut dot[..]), at));
        assert_eq!(v, plain);
        let mut v = X;
        panics(|| fails_at::jvp(&mut v, at, &mut X.clone()));
        let mut v = X;
        panics(|| fails_at::hvp(&mut v, at, &mut X.clone()));
        assert_eq!(fresh(), expected);
        kept.push(workspace::kept_bytes());
    }
    assert!(kept.iter().all(|bytes| *bytes == kept[0]), "{kept:?}");
}

/// A callee whose pullback can be told to fail.
#[primitive(frule = fragile_frule, rrule = fragile_rrule)]
fn fragile(x: f64) -> f64 {
    x * x
}

thread_local! {
    static CALLS: RefCell<(usize, usize)> = const { RefCell::new((0, usize::MAX)) };
}

fn counted() {
    CALLS.with_borrow_mut(|(calls, limit)| {
        *calls += 1;
        assert!(*calls != *limit, "as wanted");
    });
}

fn fragile_frule(Dual(x, x_dot): Dual<f64, f64>) -> Dual<f64, f64> {
    Dual(x * x, 2.0 * x * x_dot)
}

fn fragile_rrule(x: f64) -> (f64, impl FnOnce(f64) -> f64) {
    (x * x, move |y_bar: f64| {
        counted();
        2.0 * x * y_bar
    })
}

fn with_limit<T>(limit: usize, run: impl FnOnce() -> T) -> T {
    CALLS.set((0, limit));
    run()
}

#[differentiable]
fn through_fragile(v: &mut [f64], n: usize) -> f64 {
    let mut s = 0.5;
    for k in 0..n {
        let i = k % v.len();
        v[i] = fragile(v[i] * s) + 0.1;
        let w: Vec<f64> = v.iter().map(|e| e * s).collect();
        s = s * w[(i + 1) % v.len()] + fragile(w[i]);
    }
    s
}

/// A pullback that fails in the middle of the reverse half, at each of its calls.
#[test]
fn pullbacks_that_fail() {
    let n = 5;
    let run = || {
        let mut v = X;
        let gradient = through_fragile::gradient(&mut v, n);
        assert_eq!(v, X);
        gradient
    };
    let expected = with_limit(usize::MAX, run);
    let total = CALLS.with_borrow(|calls| calls.0);
    assert_eq!(total, 2 * n);
    let mut kept = Vec::new();
    for at in 1..=total {
        panics(|| with_limit(at, run));
        panics(|| {
            with_limit(at, || {
                let mut v = X;
                let (_, pullback) = through_fragile::rrule(&mut v, n);
                let mut bar = [0.0; 6];
                pullback(1.0, CoDual(&mut v[..], &mut bar[..]));
            });
        });
        assert_eq!(with_limit(usize::MAX, run), expected);
        kept.push(workspace::kept_bytes());
    }
    assert!(kept.iter().all(|bytes| *bytes == kept[0]), "{kept:?}");
}

/// A pullback that is never called, one that is called while unwinding is caught elsewhere, and one from before a failure.
#[test]
fn pullbacks_from_before_a_failure() {
    let (mut first, mut second) = (X, X);
    let (_, kept) = fails_at::rrule(&mut first, 99);
    let (_, dropped) = fails_at::rrule(&mut second, 99);
    let mut third = X;
    panics(|| fails_at::gradient(&mut third, 3));
    drop(dropped);
    let mut bar = [0.0; 6];
    kept(1.0, CoDual(&mut first[..], &mut bar[..]));
    assert_eq!(first, X);
    let mut v = X;
    assert_eq!(fails_at::gradient(&mut v, 99), bar);
}

/// Fails in a closure that a chain calls.
#[differentiable]
fn fails_in_chain(x: &[f64], at: usize) -> f64 {
    let mut total = 1.0;
    let list: Vec<f64> = x
        .iter()
        .enumerate()
        .map(|(i, v)| {
            total = total * v + 1.0;
            assert!(i != at, "as wanted");
            v * total
        })
        .collect();
    list.iter().map(|v| v * v).sum::<f64>() * total
}

#[test]
fn a_chain_that_fails() {
    let expected = fails_in_chain::gradient(&X, 99);
    for at in 0..6 {
        panics(|| fails_in_chain::gradient(&X, at));
        panics(|| fails_in_chain::hessian(&X, at));
        assert_eq!(fails_in_chain::gradient(&X, 99), expected);
    }
    check!(fails_in_chain(&X, const 99));
}

/// Fails in recursion, whose levels all have lists of their own.
#[differentiable(recursive)]
fn descends(x: &[f64], depth: usize, at: usize) -> f64 {
    let mut list = vec![0.0; x.len()];
    for i in 0..x.len() {
        list[i] = x[i] * x[(i + depth) % x.len()];
    }
    assert!(depth != at, "as wanted");
    if depth == 0 {
        return list[0] * list[1];
    }
    let mut s = descends(&list, depth - 1, at);
    for i in 0..x.len() {
        s = s * 0.5 + list[i] * x[i];
    }
    s
}

#[test]
fn a_recursion_that_fails() {
    check!(descends(&X, const 3, const 99));
    let expected = descends::gradient(&X, 3, 99);
    descends::gradient(&X, 3, 99);
    for at in 0..4 {
        panics(|| descends::gradient(&X, 3, at));
        panics(|| descends::hessian(&X, 3, at));
        assert_eq!(descends::gradient(&X, 3, 99), expected);
    }
}

/// The buffers of `value_and_gradient_into` are only written by a call that ends.
#[test]
fn buffers_after_a_failure() {
    let mut v = X;
    let mut into = [7.0; 6];
    panics(|| fails_at::value_and_gradient_into(&mut v, 2, &mut into));
    let mut v = X;
    fails_at::value_and_gradient_into(&mut v, 99, &mut into);
    let mut v = X;
    assert_eq!(into[..], fails_at::gradient(&mut v, 99));
}

/// An overflow of the index arithmetic is a panic in the rules where it is one in the primal.
#[differentiable]
fn underflows(x: &[f64], n: usize) -> f64 {
    let mut k = n;
    let mut s = 0.0;
    for v in x {
        s += v * x[k];
        k -= 1;
    }
    s
}

#[test]
#[cfg(debug_assertions)]
fn integers_that_underflow() {
    panics(|| underflows(&X, 3));
    panics(|| underflows::gradient(&X, 3));
    panics(|| underflows::jvp(&X, 3, &X));
    panics(|| underflows::hessian(&X, 3));
}

table! {
    fails_at: (&mut X, const 99);
    through_fragile_like: (&mut X, const 4);
}

/// As `through_fragile`, for second order.
#[differentiable]
fn through_fragile_like(v: &mut [f64], n: usize) -> f64 {
    let mut s = 0.5;
    for k in 0..n {
        let i = k % v.len();
        let t = v[i] * s;
        v[i] = t * t + 0.1;
        let w: Vec<f64> = v.iter().map(|e| e * s).collect();
        s = s * w[(i + 1) % v.len()] + w[i] * w[i];
    }
    s
}
