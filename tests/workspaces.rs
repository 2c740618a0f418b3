//! Memory that is used again doesn't change results, whatever happens to pullbacks, threads and calls that fail.
//!
//! The debug build of the runtime writes NaN to entries of tapes that are handed out, so that a value that is read before it was
//! written shows. Results are compared bit by bit with those of a new thread, which has kept nothing.
#![cfg(feature = "std")]
#![allow(
    clippy::needless_range_loop,
    reason = "loops are of the kinds that are to be differentiated"
)]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;

use allocation_counter::measure;
use chainrule::prelude::*;
use chainrule::workspace;

/// Tapes of runs and a list of its own, which the reverse half puts back step by step.
#[differentiable]
fn chain(x: &[f64], steps: usize) -> f64 {
    let n = x.len();
    let mut y = vec![0.5; n];
    for _ in 0..steps {
        for i in 1..n {
            y[i] += (y[i - 1] * x[i]).sin();
        }
    }
    y[n - 1] * y[n / 2]
}

/// A stack, since only the run tells how often the loop runs.
#[differentiable]
fn limited(x: &[f64], most: f64) -> f64 {
    let mut p = 1.0;
    let mut i = 0;
    while p < most && i < x.len() {
        p = p * (x[i] * x[i]).exp() + x[i];
        i += 1;
    }
    p
}

/// Each depth has a tape and a list.
#[differentiable]
fn tree(x: &[f64], depth: usize) -> f64 {
    let mut w = vec![0.0; x.len()];
    for i in 0..x.len() {
        w[i] = x[i].sin() * x[x.len() - 1 - i];
    }
    let mut p = 0.5;
    for i in 0..x.len() {
        p = p * w[i] + x[i];
    }
    if depth == 0 {
        return p;
    }
    p * tree(&x[1..], depth - 1) + tree(&x[..x.len() - 1], depth - 1)
}

/// Lists in trips, which the reverse half gets back from a tape.
#[differentiable]
fn lists_in_trips(x: &[f64], n: usize) -> f64 {
    let mut w = 1.0;
    for k in 0..n {
        let mut y = vec![0.0; x.len()];
        for i in 0..x.len() {
            y[i] = (x[i] * w).sin();
        }
        for i in 1..x.len() {
            y[i] *= y[i - 1] + 1.0;
        }
        let z = if k % 2 == 0 { y.clone() } else { x.to_vec() };
        w = y[x.len() - 1] + z[k % x.len()];
    }
    w
}

/// Lists that take the places of others.
#[differentiable]
fn replaced_lists(x: &[f64], steps: usize) -> f64 {
    let mut rows = vec![x.to_vec(), x[..2].to_vec()];
    let mut u = x.to_vec();
    for k in 0..steps {
        let mut next = rows.clone();
        let mut v = u.clone();
        for i in 1..u.len() {
            next[k % 2][1] += u[i] * rows[0][i];
            v[i] = u[i - 1] * rows[1][1];
        }
        rows = next;
        if k % 3 == 0 {
            std::mem::swap(&mut u, &mut v);
        }
        if k % 3 == 1 {
            u = v;
        }
    }
    u[2] * rows[0][1] * rows[1][1]
}

#[differentiable(nested)]
fn inner(x: &[f64], a: f64) -> f64 {
    let mut p = a;
    for v in x {
        p = p * v.sin() + v;
    }
    p
}

/// A gradient in a gradient.
#[differentiable]
fn outer(x: &[f64], a: f64) -> f64 {
    let (g, b) = inner::gradient(x, a);
    let mut s = b;
    for i in 0..g.len() {
        let t: f64 = g[i];
        s = s * x[i] + t * t;
    }
    s
}

/// A gradient that is called while another's tapes are in use, and isn't differentiated.
#[differentiable]
fn preconditioned(x: &[f64]) -> f64 {
    let mut p = 0.3;
    for v in x {
        let scale: f64 = slope(stop_gradient(*v));
        p = p * v.cos() + scale * v;
    }
    p
}

fn slope(v: f64) -> f64 {
    chain::gradient(&[v, 0.3, v, 0.2], 3)[1]
}

/// The argument is the function's own.
#[differentiable]
fn consumed(mut x: Vec<f64>, steps: usize) -> f64 {
    for _ in 0..steps {
        for i in 1..x.len() {
            x[i] *= x[i - 1].sin();
        }
    }
    let mut s = 0.0;
    for v in &x {
        s += v * v;
    }
    s
}

#[differentiable]
fn filtered(x: &[f64], a: f64) -> Vec<f64> {
    let mut y = vec![0.0; x.len()];
    y[0] = x[0];
    for i in 1..x.len() {
        y[i] = a * y[i - 1] * x[i] + x[i].sin();
    }
    y
}

fn points(n: usize) -> Vec<f64> {
    (0_u8..)
        .take(n)
        .map(|i| 0.7 + f64::from(i % 7) * 0.1)
        .collect()
}

/// Everything at once, flattened: gradients, products with Hessians, pullbacks.
fn all() -> Vec<f64> {
    let x = points(12);
    let mut out = Vec::new();
    out.extend(chain::gradient(&x, 4));
    out.extend(limited::gradient(&x, 50.0).0);
    out.extend(tree::gradient(&x[..6], 3));
    out.extend(lists_in_trips::gradient(&x, 5));
    out.extend(replaced_lists::gradient(&x[..4], 5));
    out.extend(replaced_lists::hvp(&x[..4], 5, &x[..4]));
    out.extend(outer::gradient(&x, 0.3).0);
    out.extend(preconditioned::gradient(&x));
    out.extend(consumed::gradient(x.clone(), 3));
    out.extend(chain::hvp(&x, 4, &x));
    out.extend(lists_in_trips::hvp(&x, 5, &x));
    out.extend(limited::hvp(&x, 50.0, &x, 0.0).0);
    out.extend(filtered::vjp(&x, 0.3, x.clone()).0);
    out
}

/// The result in a thread that has kept nothing.
fn fresh<T: Send + 'static>(run: impl FnOnce() -> T + Send + 'static) -> T {
    thread::spawn(run).join().unwrap()
}

fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|v| v.to_bits()).collect()
}

#[test]
fn results_are_those_of_a_new_thread() {
    let expected = fresh(all);
    assert!(expected.iter().all(|v| v.is_finite()));
    for _ in 0..4 {
        assert_eq!(bits(&all()), bits(&expected));
    }
}

/// Forward mode has no tapes.
#[test]
fn gradients_agree_with_forward_mode() {
    let x = points(12);
    let x_dot: Vec<f64> = (0..12).map(|i| 0.3 - f64::from(i) * 0.05).collect();
    let inner = |g: &[f64]| g.iter().zip(&x_dot).map(|(g, d)| g * d).sum::<f64>();
    for _ in 0..3 {
        let pairs = [
            (chain::jvp(&x, 4, &x_dot).1, inner(&chain::gradient(&x, 4))),
            (
                limited::jvp(&x, 50.0, &x_dot, 0.0).1,
                inner(&limited::gradient(&x, 50.0).0),
            ),
            (tree::jvp(&x, 3, &x_dot).1, inner(&tree::gradient(&x, 3))),
            (
                lists_in_trips::jvp(&x, 5, &x_dot).1,
                inner(&lists_in_trips::gradient(&x, 5)),
            ),
            (
                outer::jvp(&x, 0.3, &x_dot, 0.0).1,
                inner(&outer::gradient(&x, 0.3).0),
            ),
            (
                consumed::jvp(x.clone(), 3, x_dot.clone()).1,
                inner(&consumed::gradient(x.clone(), 3)),
            ),
        ];
        for (forward, reverse) in pairs {
            let error = (forward - reverse).abs();
            assert!(
                error <= 1e-12 * forward.abs().max(1.0),
                "{forward} is not {reverse}"
            );
        }
    }
}

#[test]
fn lengths_may_change_from_call_to_call() {
    for n in [3, 40, 5, 12, 4, 40, 3] {
        let x = points(n);
        let expected = {
            let x = x.clone();
            fresh(move || (chain::gradient(&x, n), lists_in_trips::gradient(&x, n)))
        };
        let got = (chain::gradient(&x, n), lists_in_trips::gradient(&x, n));
        assert_eq!(got, expected);
    }
}

/// Pullbacks that live beside each other, in any order, some of which are never called.
#[test]
fn pullbacks_may_be_kept_and_dropped() {
    let x = points(12);
    let expected: Vec<Vec<f64>> = (1..5).map(|k| chain::gradient(&x, k)).collect();
    for order in [[0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1]] {
        let mut pullbacks: Vec<_> = (1..5).map(|k| Some(chain::rrule(&x, k).1)).collect();
        let dropped = chain::rrule(&x, 7).1;
        for k in order {
            let mut x_bar = vec![0.0; x.len()];
            let pullback = pullbacks[k].take().unwrap();
            pullback(1.0, CoDual(&x, &mut x_bar));
            assert_eq!(x_bar, expected[k]);
        }
        drop(dropped);
    }
}

/// A pullback as a value of a function of the user's.
fn prepared(x: &[f64]) -> impl FnOnce(f64, CoDual<&[f64], &mut [f64]>) + Send + use<> {
    let (_, pullback) = lists_in_trips::rrule(x, 4);
    move |seed, x| pullback(seed, x)
}

#[test]
fn pullbacks_may_go_to_other_threads() {
    let x = points(12);
    let expected = lists_in_trips::gradient(&x, 4);
    let pullbacks: Vec<_> = (0..4).map(|_| prepared(&x)).collect();
    thread::scope(|scope| {
        for (k, pullback) in pullbacks.into_iter().enumerate() {
            let (x, expected) = (&x, &expected);
            scope.spawn(move || {
                if k == 3 {
                    return drop(pullback);
                }
                let mut x_bar = vec![0.0; x.len()];
                pullback(1.0, CoDual(x, &mut x_bar));
                assert_eq!(x_bar, *expected);
                assert!(workspace::kept_bytes() > 0);
                assert_eq!(lists_in_trips::gradient(x, 4), *expected);
            });
        }
    });
    assert_eq!(lists_in_trips::gradient(&x, 4), expected);
}

/// The primal fails in the middle of a loop, and so does the reverse half.
#[test]
fn calls_that_fail_leave_nothing_behind() {
    #[differentiable]
    fn failing(x: &[f64], at: usize) -> f64 {
        let mut y = vec![0.0; x.len()];
        let mut p = 1.0;
        for i in 0..x.len() {
            p = p * x[i].sin() + 0.5;
            y[i] = p * p;
            assert!(i != at, "as wanted");
        }
        p * y[2]
    }
    let x = points(12);
    let expected = failing::gradient(&x, 100);
    let mut kept = Vec::new();
    for at in 0..12 {
        let failed = catch_unwind(|| failing::gradient(&x, at));
        assert!(failed.is_err());
        assert_eq!(failing::gradient(&x, 100), expected);
        let (_, pullback) = failing::rrule(&x, 100);
        let mut short = [0.0; 3];
        let failed = catch_unwind(AssertUnwindSafe(|| {
            pullback(1.0, CoDual(&x[..], &mut short[..]));
        }));
        assert!(failed.is_err());
        assert_eq!(failing::gradient(&x, 100), expected);
        kept.push(workspace::kept_bytes());
    }
    assert!(kept.iter().all(|bytes| *bytes == kept[0]), "{kept:?}");
}

/// Neither do arguments that are the function's own stay in the workspace, nor does it lose memory to results.
#[test]
fn the_workspace_gets_back_what_it_gave() {
    let x = points(100);
    let round = || {
        all();
        drop(consumed::gradient(x.clone(), 3));
        drop(consumed::rrule(x.clone(), 3).1);
        drop(filtered::rrule(&x, 0.3));
        drop(replaced_lists::rrule(&x[..4], 3));
        drop(chain::rrule(&x, 3));
        let (y, pullback) = filtered::rrule(&x, 0.3);
        assert_eq!(y.capacity(), x.len());
        let mut x_bar = vec![0.0; x.len()];
        pullback(y, CoDual(&x, &mut x_bar));
        assert_eq!(chain::gradient(&x[..7], 3).capacity(), 7);
    };
    for _ in 0..10 {
        round();
    }
    let kept = workspace::kept_bytes();
    for _ in 0..100 {
        round();
    }
    assert_eq!(workspace::kept_bytes(), kept);
    let left = measure(workspace::release);
    assert!(left.bytes_current < 0, "{left:?}");
    assert_eq!(workspace::kept_bytes(), 0);
    round();
}
