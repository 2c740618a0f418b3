//! Functions as arguments, where they meet the rest of the language.

use chainrule::prelude::*;

use crate::check::{check, check_map};

#[differentiable]
fn integrate<F: Fn(f64) -> f64>(f: F, a: f64, b: f64, n: usize) -> f64 {
    let h = (b - a) / n as f64;
    let mut sum = 0.5 * (f(a) + f(b));
    for i in 1..n {
        sum += f(a + h * i as f64);
    }
    sum * h
}
#[differentiable]
fn total<F>(f: &mut F, h: f64, n: usize) -> f64
where
    F: FnMut(f64) -> f64,
{
    let mut s = 0.0;
    for i in 0..n {
        s += f(h * i as f64);
    }
    s
}
#[differentiable]
#[inline(never)]
fn dynamic(f: &mut dyn FnMut(f64) -> f64, h: f64) -> f64 {
    f(h) * f(2.0 * h)
}

#[differentiable]
#[inline(never)]
fn overwritten(a: f64) -> f64 {
    let mut v = [a, 2.0 * a];
    let y = integrate(|t: f64| v[0] * t * v[1], 0.0, a, 3);
    v[0] *= y;
    v[1] = 0.5;
    y * v[0] * v[1]
}
#[test]
fn what_is_overwritten_after_the_call() {
    check!(overwritten(0.9));
}

#[differentiable]
#[inline(never)]
fn in_loop(x: &[f64], n: usize) -> f64 {
    let mut v = x.to_vec();
    let mut s = 1.0;
    for i in 0..n {
        let k = i as f64;
        s = s * 0.5 + integrate(|t: f64| (v[0] * t + k * s).sin() * v[1], 0.0, x[i], 2);
        v[0] = s * v[1];
    }
    s * v[0]
}
#[test]
fn in_a_loop_that_carries() {
    for n in 0..4 {
        check!(in_loop(&[0.7, 1.2, 0.4], const n));
    }
}

#[differentiable]
#[inline(never)]
fn conditional(a: f64, c: bool) -> f64 {
    let y = if c {
        integrate(|t: f64| a * t, 0.0, a, 2)
    } else {
        integrate(|t| t * t, a, 2.0, 3)
    };
    if y > 100.0 {
        return 0.0;
    }
    y * a
}
#[test]
fn in_branches() {
    check!(conditional(0.7, const true));
    check!(conditional(0.7, const false));
}

#[differentiable]
#[inline(never)]
fn aliases(x: &[f64], out: &mut [f64]) -> f64 {
    let row = &x[1..];
    out[0] *= x[0];
    let y = integrate(|x: f64| x * row[0] * out[0] + row[1], 0.0, x[0], 2);
    out[0] = y * out[1];
    out[1] += y;
    out[0] + out[1]
}
#[test]
fn aliases_and_shadowed_names() {
    check!(aliases(&[0.7, 1.2, 0.4], &mut [0.5, 1.5]));
}

#[differentiable]
#[inline(never)]
fn sequential(a: f64, h: f64) -> f64 {
    let mut c = a;
    let mut f = |t: f64| {
        c += t * a;
        c * t
    };
    let y = total(&mut f, h, 3) + dynamic(&mut f, h) * total(&mut f, a, 2);
    y * c
}
#[test]
fn the_same_state_in_several_calls() {
    check!(sequential(0.7, 1.1));
}

#[differentiable]
#[inline(never)]
fn zero_args(f: impl Fn() -> f64, x: f64) -> f64 {
    f() * x + f()
}
#[differentiable]
#[inline(never)]
fn three(f: impl Fn(f64, f64, usize) -> f64, x: f64) -> f64 {
    f(x, 2.0 * x, 2) + f(0.5, x, 1)
}
#[differentiable]
fn product3(x: f64, y: f64, n: usize) -> f64 {
    x * y * n as f64
}
#[differentiable]
#[inline(never)]
fn arities(a: f64, b: f64) -> f64 {
    zero_args(|| a * b, b) + three(|x, y, n| x * y * a * n as f64, b) + three(product3, a)
}
#[test]
fn other_numbers_of_arguments() {
    check!(arities(0.7, 1.1));
}

#[differentiable]
#[inline(never)]
fn newton2(f: impl Fn(f64) -> (f64, f64), x: f64) -> f64 {
    let mut x = x;
    for _ in 0..5 {
        let (v, d) = f(x);
        x -= v / d;
    }
    x
}
#[differentiable]
#[inline(never)]
fn root2(a: f64, x: f64) -> f64 {
    newton2(|x: f64| (x * x * x - a, 3.0 * x * x), x)
}
#[test]
fn a_function_and_its_derivative() {
    check!(root2(0.7, 1.1));
}

#[derive(Clone, Copy, Debug, PartialEq, Differentiable)]
struct Pair {
    a: f64,
    b: f64,
}
#[differentiable]
#[inline(never)]
fn stepped(f: impl Fn(Pair) -> Pair, g: impl Fn(&Pair) -> f64, x: f64, y: f64) -> f64 {
    let mut p = Pair { a: x, b: y };
    for _ in 0..3 {
        p = f(p);
    }
    p.a * g(&p)
}
#[differentiable]
#[inline(never)]
fn structs(k: f64, x: f64) -> f64 {
    stepped(
        |p: Pair| Pair {
            a: p.a + k * p.b,
            b: p.b - k * p.a,
        },
        |p: &Pair| p.a * k + p.b,
        x,
        1.0,
    ) + stepped(|p| Pair { a: p.b, b: p.a * k }, |p| p.a * k + p.b, x, 1.0)
}
#[test]
fn structs_as_arguments_and_results() {
    check!(structs(0.7, 1.1));
}

#[differentiable]
#[inline(never)]
fn vectors(f: impl Fn(f64) -> Vec<f64>, x: f64) -> f64 {
    let v = f(x);
    let w = f(2.0 * x);
    v[0] * w[1] + v[1]
}
#[differentiable]
#[inline(never)]
fn of_vectors(a: f64, x: f64) -> f64 {
    vectors(|t: f64| vec![a * t, t * t], x)
}
#[test]
fn vectors_as_results() {
    check!(of_vectors(0.7, 1.1));
}

#[differentiable]
fn lifetimes<'a>(f: &'a (dyn Fn(&'a [f64]) -> f64 + Sync), x: &'a [f64]) -> f64 {
    f(x) * f(&x[1..])
}
#[differentiable]
#[inline(never)]
fn with_lifetimes(a: f64, x: &[f64]) -> f64 {
    lifetimes(&|v: &[f64]| v[0] * a, x)
}
#[test]
fn named_lifetimes() {
    check!(with_lifetimes(0.7, &[1.1, 0.4]));
}

#[differentiable]
#[inline(never)]
fn single(f: impl Fn(f32) -> f32 + Send, x: f32) -> f32 {
    f(x) * x
}
#[differentiable]
#[inline(never)]
fn singles(a: f32, x: f32) -> f32 {
    single(|t: f32| t * a + t.sin(), x) + single(f32::exp, a)
}
#[test]
fn single_precision() {
    check!(singles(0.7, 1.1));
}

#[differentiable]
#[inline(never)]
fn branches(f: impl Fn(f64) -> f64, x: f64) -> f64 {
    if f(x) > 0.5 {
        f(2.0 * x)
    } else if f(-x) > 0.0 {
        x
    } else {
        f(x) * f(x)
    }
}
#[differentiable]
#[inline(never)]
fn branched(a: f64, x: f64) -> f64 {
    branches(|t: f64| a * t, x)
}
#[test]
fn branches_on_results() {
    check!(branched(0.7, 1.1));
    check!(branched(0.7, 0.1));
    check!(branched(-0.7, 1.1));
}

#[differentiable]
#[inline(never)]
fn inactive(x: f64, n: usize) -> f64 {
    let g = |k: usize| k * 2;
    let mut count = 0;
    let mut inc = || count += 1;
    inc();
    inc();
    let mut s = x;
    for i in 0..g(n) {
        s *= x + g(i) as f64;
    }
    s * count as f64
}
#[test]
fn inactive_closures_stay_verbatim() {
    check!(inactive(0.7, const 2));
}

#[differentiable]
#[inline(never)]
fn state(x: f64) -> f64 {
    let mut c = 0;
    let mut next = move || {
        c += 1;
        c
    };
    let a = next();
    let mut s = x * a as f64;
    for _ in 0..2 {
        s *= next() as f64 + x;
    }
    s * next() as f64
}
#[test]
fn an_inactive_closure_with_state_of_its_own() {
    check!(state(0.7));
    assert_eq!(state(1.0), 1.0 * 3.0 * 4.0 * 4.0);
}

#[differentiable]
fn through<F: FnMut(f64) -> f64>(mut f: F, x: f64) -> f64 {
    let mut k = 1.0;
    let y = total(
        &mut |t: f64| {
            k += t;
            f(t) * k
        },
        x,
        3,
    );
    y * k + total(&mut f, x, 2)
}
#[differentiable]
#[inline(never)]
fn through_it(a: f64, x: f64) -> f64 {
    let mut c = 1.0;
    through(
        |t: f64| {
            c *= 1.0 + t * a;
            c
        },
        x,
    ) * c
}
#[test]
fn a_parameter_in_a_closure_that_changes() {
    check!(through_it(0.7, 1.1));
}

#[differentiable]
#[inline(never)]
fn map_each(f: impl Fn(f64) -> f64, x: &[f64]) -> Vec<f64> {
    let mut out = vec![0.0; x.len()];
    for i in 0..x.len() {
        out[i] = f(x[i]);
    }
    out
}
#[differentiable]
#[inline(never)]
fn mapped(a: f64, x: &[f64]) -> Vec<f64> {
    map_each(|t: f64| a * t * t, x)
}
#[test]
fn results_in_a_vector() {
    check_map!(mapped(0.7, &[1.1, 0.4]));
}

#[differentiable]
#[inline(never)]
fn early(f: impl Fn(f64) -> f64, x: f64, n: usize) -> f64 {
    let mut y = x;
    for i in 0..n {
        if i == 2 {
            break;
        }
        let z = f(y);
        if z > 5.0 {
            return z * y;
        }
        y = z;
    }
    y
}
#[differentiable]
#[inline(never)]
fn early_it(a: f64, x: f64, n: usize) -> f64 {
    early(|t: f64| a * t * t, x, n)
}
#[test]
fn early_exits_of_the_callee() {
    for n in 0..5 {
        check!(early_it(1.7, 1.1, const n));
        check!(early_it(1.7, 2.1, const n));
    }
}

#[differentiable]
#[inline(never)]
fn outer_unused(a: f64, b: f64) -> f64 {
    let _ = integrate(|t: f64| a * t, 0.0, b, 2);
    a * b
}
#[test]
fn a_call_that_nobody_needs() {
    check!(outer_unused(0.7, 1.1));
}
