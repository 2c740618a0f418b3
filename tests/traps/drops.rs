//! Values that have a `Drop`: each rule drops them where the primal does.

use std::cell::{Cell, RefCell};
use std::sync::Mutex;

use chainrule::prelude::*;

use crate::check::{check, table};

thread_local! {
    static LOG: RefCell<Vec<u32>> = const { RefCell::new(Vec::new()) };
}

fn logged<T>(run: impl FnOnce() -> T) -> (T, Vec<u32>) {
    LOG.take();
    let result = run();
    (result, LOG.take())
}

/// Says when it goes.
struct Guard(u32);

impl Drop for Guard {
    fn drop(&mut self) {
        LOG.with_borrow_mut(|log| log.push(self.0));
    }
}

enum Held {
    One(Guard),
}

fn guard(n: u32) -> Guard {
    Guard(n)
}

#[differentiable]
fn guarded(x: f64, y: f64) -> f64 {
    let _first = Guard(1);
    let a = {
        let _inner = Guard(2);
        let _held = Held::One(Guard(7));
        let _ = Held::One(Guard(8));
        x * y
    };
    let _ = Guard(3);
    let _ = guard(5);
    guard(6);
    let last = Guard(4);
    if a > 1.0 {
        return a * x;
    }
    drop(last);
    a + y
}

#[differentiable]
#[allow(unused_must_use)]
fn locked(x: f64) -> f64 {
    let m = std::sync::Mutex::new(1);
    *m.lock().unwrap() += 1;
    m.lock().unwrap();
    m.try_lock().unwrap();
    drop(m.lock().unwrap());
    drop(m.lock());
    m.lock().map(|g| *g + 1).ok();
    let k = *m.lock().unwrap();
    x * x * k as f64
}

#[differentiable]
fn guards_in_trips(x: f64, n: usize) -> f64 {
    let mut s = x;
    for k in 0..n {
        let _guard = guard(k as u32);
        if s > 3.0 {
            break;
        }
        s = s * x;
    }
    s
}

/// Guards go when they go in the primal, in the primal half of each rule, and only once.
#[test]
fn guards() {
    for (x, y) in [(2.0, 3.0), (0.5, 0.25)] {
        let (value, order) = logged(|| guarded(x, y));
        let ((got, _), log) = logged(|| guarded::value_and_gradient(x, y));
        assert_eq!((got, &log), (value, &order));
        let (_, log) = logged(|| guarded::jvp(x, y, 1.0, 0.0));
        assert_eq!(log, order);
        let (_, log) = logged(|| guarded::hvp(x, y, 1.0, 0.0));
        assert_eq!(log, order);
        let (pullback, log) = logged(|| guarded::rrule(x, y).1);
        assert_eq!(log, order);
        let (_, log) = logged(|| pullback(1.0));
        assert!(log.is_empty());
        check!(guarded(x, y));
    }
}

/// A lock that a statement takes is free behind it.
#[test]
fn locks_of_statements() {
    check!(locked(1.5));
}

#[test]
fn guards_of_loops() {
    for n in 0..5 {
        let (_, order) = logged(|| guards_in_trips(1.5, n));
        let (_, log) = logged(|| guards_in_trips::gradient(1.5, n));
        assert_eq!(log, order);
        let (_, log) = logged(|| guards_in_trips::jvp(1.5, n, 1.0));
        assert_eq!(log, order);
        let (_, log) = logged(|| guards_in_trips::hvp(1.5, n, 1.0));
        assert_eq!(log, order);
        check!(guards_in_trips(1.5, const n));
    }
}

/// An assignment drops the old value, though nothing reads the new one.
#[differentiable]
#[allow(unused_assignments, unused_variables, unused_mut)]
fn replaced(x: f64, n: usize) -> f64 {
    let mut last = guard(100);
    let mut part = (guard(101), 1.0);
    let mut list = vec![guard(102)];
    let mut maybe = Some(guard(103));
    let mut late;
    late = guard(104);
    let mut s = x;
    for k in 0..n {
        s *= x;
        last = guard(k as u32);
        if s > 3.0 {
            part.0 = guard(105);
            maybe = None;
            break;
        }
        list[0] = guard(106);
    }
    late = guard(107);
    list = Vec::new();
    part = (guard(108), 2.0);
    s * part.1
}

/// A struct with a tangent that is dropped loudly.
#[derive(Differentiable, Clone)]
struct Loud {
    a: f64,
    b: f64,
}

impl Drop for Loud {
    fn drop(&mut self) {
        LOG.with_borrow_mut(|log| log.push((self.a * 10.0) as u32));
    }
}

#[differentiable]
#[allow(unused_assignments, unused_variables)]
fn loud(x: f64) -> f64 {
    let mut r = Loud { a: x, b: 2.0 };
    let y = r.a * r.b;
    r = Loud { a: y, b: x };
    let _guard = guard(1);
    let z = r.a * r.b * y;
    let mut unread = Loud { a: 7.0, b: 2.0 };
    unread = Loud { a: 8.0, b: 2.0 };
    z
}

#[test]
fn replaced_values() {
    for n in 0..5 {
        let (_, order) = logged(|| replaced(1.5, n));
        let (_, log) = logged(|| replaced::gradient(1.5, n));
        assert_eq!(log, order);
        let (_, log) = logged(|| replaced::jvp(1.5, n, 1.0));
        assert_eq!(log, order);
        let (_, log) = logged(|| replaced::hvp(1.5, n, 1.0));
        assert_eq!(log, order);
        check!(replaced(1.5, const n));
    }
    let (_, order) = logged(|| loud(1.5));
    let (_, log) = logged(|| loud::gradient(1.5));
    assert_eq!(log, order);
    let (_, log) = logged(|| loud::hvp(1.5, 1.0));
    assert_eq!(log, order);
    check!(loud(1.5));
}

// ---- What a drop changes. ------------------------------------------------------------------------------------------

thread_local! {
    static STATE: Cell<f64> = const { Cell::new(1.0) };
}

/// Puts the state back at its end.
struct Scope(f64);

impl Scope {
    fn enter(value: f64) -> Scope {
        Scope(STATE.replace(value))
    }
}

impl Drop for Scope {
    fn drop(&mut self) {
        STATE.set(self.0);
    }
}

fn state() -> f64 {
    STATE.get()
}

#[differentiable]
fn scoped(x: f64) -> f64 {
    let a = {
        let _scope = Scope::enter(3.0);
        let k: f64 = state();
        k * x
    };
    let k: f64 = state();
    a * x * k
}

fn maybe_entered(value: f64) -> Option<Scope> {
    (value > 0.0).then(|| Scope::enter(value))
}

fn entered_or(value: f64) -> Result<f64, Scope> {
    if value > 0.0 {
        Err(Scope::enter(value))
    } else {
        Ok(value)
    }
}

/// Scopes that types of the file hide.
#[differentiable]
fn hidden_scopes(x: f64) -> f64 {
    let a = {
        let _scope = maybe_entered(3.0);
        let k: f64 = state();
        k * x
    };
    let b = {
        let _result = entered_or(5.0);
        let k: f64 = state();
        k * x
    };
    let k: f64 = state();
    a * b * k
}

/// Blocks that control leaves, in a loop, and in each other.
#[differentiable]
fn scopes_that_are_left(x: &[f64], n: usize) -> f64 {
    let mut v = x.to_vec();
    let mut s = 1.0;
    for i in 0..n {
        {
            let _scope = Scope::enter(3.0 + i as f64);
            let k: f64 = state();
            v[i] *= k * s;
            s += v[0] * v[i];
            {
                let _scope = Scope::enter(0.5);
                let k: f64 = state();
                s *= k * v[1];
                if s > 40.0 {
                    return s * k;
                }
            }
            if s < -5.0 {
                continue;
            }
            let k: f64 = state();
            s *= k;
        }
        let k: f64 = state();
        s += k * v[i];
    }
    s * v[0]
}

#[differentiable]
fn valued_scope(x: &[f64], limit: usize) -> Option<f64> {
    let mut s = 0.5;
    for i in 0..4 {
        let y = {
            let scope = Scope::enter(2.0);
            let k: f64 = state();
            let v = x.get(i + limit)?;
            k * v * scope.0
        };
        let k: f64 = state();
        s = s * y + k;
    }
    Some(s)
}

#[differentiable]
fn or_zero(x: &[f64], limit: usize) -> f64 {
    valued_scope(x, limit).unwrap_or(x[0])
}

#[differentiable]
fn callee(x: f64) -> f64 {
    let _scope = Scope::enter(3.0);
    let k: f64 = state();
    if x > 2.0 {
        return k * x;
    }
    k * x * x
}

/// The callee's body is inlined, and ends where the callee does.
#[differentiable]
fn caller(x: f64) -> f64 {
    let y = callee(x);
    let k: f64 = state();
    y * k + callee(y) * x
}

#[differentiable]
fn by_closure(x: f64) -> f64 {
    let f = |t: f64| {
        let _scope = Scope::enter(2.0);
        let k: f64 = state();
        k * t * x
    };
    let y = f(x);
    let k: f64 = state();
    y * k + f(y)
}

#[differentiable]
fn pair_of_a_scope(x: f64) -> f64 {
    let (a, b) = {
        let _scope = Scope::enter(2.0);
        let k: f64 = state();
        (k * x, x * x)
    };
    let k: f64 = state();
    a * b * k
}

#[differentiable]
fn labelled_scope(x: f64) -> f64 {
    let a = 'scope: {
        let _scope = Scope::enter(2.0);
        let k: f64 = state();
        if x > 1.0 {
            break 'scope k * x;
        }
        k * x * x
    };
    let k: f64 = state();
    a * k * x
}

/// A cell is borrowed in a block, and again after it.
#[differentiable]
fn cells(#[constant] cell: &RefCell<Vec<f64>>, x: f64) -> f64 {
    let a = {
        let list = cell.borrow();
        list[0] * x
    };
    cell.borrow_mut()[0] = 3.0;
    let k: f64 = cell.borrow()[0];
    a * k * x
}

#[differentiable]
fn locks(#[constant] lock: &Mutex<f64>, x: f64) -> f64 {
    let a = {
        let held = lock.try_lock().unwrap();
        let k: f64 = *held;
        k * x
    };
    let k: f64 = *lock.try_lock().unwrap();
    a * k * x
}

table! {
    hidden_scopes: (0.7) => [2.0 * 15.0 * 0.7];
    scoped: (0.7) => [2.0 * 3.0 * 0.7];
    scopes_that_are_left: for n in 0..4, (&[1.3, 0.7, 0.4], const n), (&[1.3, -2.7, 0.4], const n), (&[2.3, 1.7, 2.4], const n);
    or_zero: for n in 0..3, (&[1.3, 0.7, 0.4, 0.2, 0.9], const n);
    caller: (0.7), (2.5);
    by_closure: (0.7);
    pair_of_a_scope: (0.7) => [6.0 * 0.49];
    labelled_scope: (0.7), (1.7);
    cells: (const &RefCell::new(vec![3.0]), 0.7) => [18.0 * 0.7];
    locks: (const &Mutex::new(2.0), 0.7) => [8.0 * 0.7];
}
