//! The ways to name a callee, and to call it: paths, imports, recursion, several times, with the same argument twice.

use callee::by_ref as imported;
use chainrule::prelude::*;

use super::callees;
use crate::check::{map_table, table};

#[differentiable]
#[inline(never)]
fn local(x: f64, y: f64) -> f64 {
    x * y.sin()
}

mod inner {
    use chainrule::prelude::*;

    #[differentiable]
    #[inline(never)]
    pub(super) fn cube(x: f64) -> f64 {
        x * x * x
    }

    #[differentiable]
    #[inline(never)]
    pub(super) fn outwards(x: f64, y: f64) -> f64 {
        super::local(x, y) * cube(x) + self::cube(y) + crate::calls::callees::owned(x)
    }

    pub(super) mod deeper {
        pub(in super::super) use super::cube as renamed;
    }
}

#[differentiable]
fn paths(x: f64, y: f64) -> f64 {
    inner::outwards(x, y) * self::local(x, y) + callee::owned(x) - callee_2021::owned(y)
        + callees::owned(x * y)
}

#[differentiable]
fn imports(x: &[f64]) -> f64 {
    imported(x) * inner::deeper::renamed(x[0])
}

#[differentiable]
fn nested_functions(x: f64, y: f64) -> f64 {
    #[differentiable]
    #[inline(never)]
    fn helper(a: f64, b: f64) -> f64 {
        a * b + a
    }
    helper(x, y) * helper(y, y)
}

/// More parameters than std's traits for tuples go up to.
#[allow(
    clippy::too_many_arguments,
    clippy::type_complexity,
    reason = "that is what it is about"
)]
#[differentiable]
#[inline(never)]
fn lengths(
    a: f64,
    b: f64,
    c: f64,
    d: f64,
    e: f64,
    f: f64,
    g: f64,
    h: f64,
    i: f64,
    j: f64,
    k: f64,
    l: f64,
    m: f64,
    n: usize,
) -> (f64, f64) {
    (
        a * b + c * d * e + f * g * h,
        i * j * k + l.sin() * m + n as f64,
    )
}

#[derive(Clone, Debug, Differentiable)]
struct Ellipsoid {
    flattening: f64,
}

impl Ellipsoid {
    #[allow(clippy::too_many_arguments, reason = "that is what it is about")]
    #[differentiable]
    #[inline(never)]
    fn lengths(
        &self,
        a: f64,
        b: f64,
        c: f64,
        d: f64,
        e: f64,
        f: f64,
        g: f64,
        h: f64,
        i: f64,
        j: f64,
        k: f64,
        l: f64,
        n: usize,
    ) -> (f64, f64) {
        (
            a * b * self.flattening + c * d * e,
            f * g * h + i * j * k * l + n as f64,
        )
    }

    #[differentiable]
    #[inline(never)]
    fn distance(&self, x: f64) -> f64 {
        let (m12, m0) = self.lengths(x, 0.5, x, x, 1.5, x, 0.3, x, 2.0, x, x, 0.2, 3);
        m12 * m0
    }
}

#[differentiable]
fn many_arguments(x: f64, y: f64) -> f64 {
    let (p, q) = lengths(x, y, 0.3, x, x, y, 0.2, y, x, 1.0, y, x, y, 2);
    p * q
}

#[differentiable]
fn many_arguments_of_a_method(x: f64, y: f64) -> f64 {
    Ellipsoid { flattening: y * y }.distance(x) * x
}

/// Names as formulas have them: types begin like that, too.
#[allow(non_snake_case, reason = "that is what it is about")]
#[differentiable]
#[inline(never)]
fn N(x: f64) -> f64 {
    1.0 / (1.0 + (-1.7 * x).exp())
}

#[derive(Clone, Debug, Differentiable)]
struct Wrapped(f64);

impl Wrapped {
    #[allow(non_snake_case, reason = "that is what it is about")]
    #[differentiable]
    #[inline(never)]
    fn Scaled(&self, k: f64) -> f64 {
        self.0 * k
    }
}

#[differentiable]
fn names_with_capitals(x: f64, y: f64) -> f64 {
    let w = Wrapped(x * y);
    x * N(y) - Wrapped::Scaled(&w, N(x))
}

#[differentiable]
fn twice(x: f64, y: f64) -> f64 {
    let a: f64 = local(x, y);
    let b: f64 = local(a, x);
    local(b, a) * local(local(x, x), y)
}

#[differentiable]
fn in_expressions(x: f64, y: f64) -> f64 {
    (local(x, y) + 2.0 * local(y, x)).sqrt() / (1.0 + local(x, x).abs()) - -local(y, y)
}

#[differentiable]
fn in_a_loop(x: f64, n: usize) -> f64 {
    let mut z = x;
    for i in 0..n {
        z = local(z, x) + i as f64;
    }
    z
}

#[differentiable]
fn in_a_branch(x: f64, y: f64, which: usize) -> f64 {
    let z = match which {
        0 => local(x, y),
        1 => callee::owned(x),
        _ => x,
    };
    if which % 2 == 0 { z * local(z, y) } else { z }
}

#[differentiable]
fn in_a_loop_with_exits(x: f64, n: usize) -> f64 {
    let mut z = x;
    let mut i = 0;
    loop {
        z = local(z, x);
        if i >= n {
            return z * x;
        }
        if z < -100.0 {
            break;
        }
        i += 1;
    }
    local(x, z)
}

#[differentiable]
fn in_a_while(x: &[f64], n: usize) -> f64 {
    let mut v = x.to_vec();
    let mut i = 0;
    let mut z = 1.0;
    while i < n {
        z += callee::by_mut(&mut v);
        i += 1;
    }
    z * v[0]
}

#[differentiable]
#[inline(never)]
fn product(x: &[f64], y: &[f64]) -> f64 {
    let mut z = 0.0;
    for i in 0..x.len() {
        z += x[i] * y[i] * y[i];
    }
    z
}

#[differentiable]
fn same_argument_twice(x: &[f64]) -> f64 {
    product(x, x)
}

#[differentiable]
fn parts_of_an_argument(x: &[f64], k: usize) -> f64 {
    product(&x[..k], &x[k..]) + product(&x[1..], &x[..x.len() - 1])
}

#[differentiable]
fn same_value_twice(x: f64) -> f64 {
    local(x, x) * local(x * x, x)
}

#[differentiable]
fn same_local_twice(x: f64, y: f64) -> f64 {
    let v = [x, y, x * y];
    let w = vec![y, x];
    product(&v, &v) + product(&w, &v[1..]) + product(&v[..2], &v[1..])
}

#[differentiable]
fn element_and_whole(x: &[f64]) -> f64 {
    callee::constant_ref(x[0], &[1.0, 2.0]) * scaled(x, x[1]) * callee::by_ref_float(&x[0])
}

#[differentiable]
#[inline(never)]
fn scaled(x: &[f64], k: f64) -> f64 {
    let mut z = 1.0;
    for v in x {
        z = z * v * k + v;
    }
    z
}

/// What the caller differentiates is a constant of the callee.
#[differentiable]
#[inline(never)]
fn constant_in_the_callee(x: f64, w: [f64; 2]) -> f64 {
    callee::constant_ref(x, &stop_gradient(w)) * w[1] + callee::constant(x, stop_gradient(w[0]))
}

/// What is constant in the caller is differentiated by the callee.
#[differentiable]
fn constant_in_the_caller(x: f64, #[constant] w: &[f64]) -> f64 {
    product(w, w) * x + callee::by_ref(w) * scaled(w, x)
}

#[differentiable]
fn fully_inactive_call(x: f64, #[constant] k: f64, n: usize) -> f64 {
    let a: f64 = callee::owned(k);
    let m = callee::make_count(n);
    a * x * x + x * m as f64
}

/// A plain function without rules, on values that are not active.
#[differentiable]
fn plain_inactive_call(x: f64, n: usize) -> f64 {
    fn plain(n: usize) -> f64 {
        n as f64 + 0.5
    }
    x * plain(n) + x * x * f64::from(u32::try_from(n).unwrap_or(0))
}

#[differentiable]
#[inline(never)]
fn factorial_like(x: f64, n: usize) -> f64 {
    if n == 0 {
        x
    } else {
        factorial_like(x, n - 1) * (x + n as f64)
    }
}

#[differentiable]
#[inline(never)]
fn fibonacci(x: f64, n: usize) -> f64 {
    if n < 2 {
        return x;
    }
    let a: f64 = fibonacci(x, n - 1);
    a * x + fibonacci(x, n - 2)
}

#[differentiable]
#[inline(never)]
fn recursive_sum(x: &[f64]) -> f64 {
    if x.is_empty() {
        0.0
    } else {
        let rest: f64 = recursive_sum(&x[1..]);
        x[0] * rest + x[0].sin()
    }
}

#[differentiable]
#[inline(never)]
fn recursive_in_place(x: &mut [f64], k: f64) -> f64 {
    if x.is_empty() {
        return k;
    }
    x[0] *= k;
    let first = x[0];
    let rest: f64 = recursive_in_place(&mut x[1..], first);
    rest * first
}

#[differentiable(recursive)]
fn even(x: f64, n: usize) -> f64 {
    if n == 0 { x } else { odd(x, n - 1) * x }
}

#[differentiable(recursive)]
fn odd(x: f64, n: usize) -> f64 {
    if n == 0 {
        1.0
    } else {
        even(x, n - 1) + x.sin()
    }
}

#[differentiable]
#[inline(never)]
fn argument_returned(v: Vec<f64>) -> Vec<f64> {
    v
}

#[differentiable]
fn of_a_returned_argument(x: f64, y: f64) -> f64 {
    let v = argument_returned(vec![x, y]);
    let w = argument_returned(v);
    product(&w, &w)
}

#[differentiable]
#[inline(never)]
fn pair(x: f64, y: f64) -> (f64, f64) {
    (x * y, x + y)
}

#[differentiable]
fn of_a_pair(x: f64, y: f64) -> f64 {
    let (a, b) = pair(x, y);
    let p = pair(a, b);
    p.0 * p.1 + a
}

#[differentiable]
#[inline(never)]
fn changes(x: &mut [f64], k: f64) -> f64 {
    let old = x[0];
    x[0] *= k;
    old
}

/// The same memory is changed by several calls, and read between them.
#[differentiable]
fn several_changes(x: &mut [f64], k: f64) -> f64 {
    let a: f64 = changes(x, k);
    let between = x[0] * x[1];
    let b: f64 = changes(&mut x[1..], a);
    changes(x, b * between);
    x[0] * x[1] * a
}

#[differentiable(rules = renamed_rules)]
fn under_another_name(x: f64) -> f64 {
    x * x * x
}

#[differentiable(with(under_another_name = renamed_rules))]
fn with_rules_elsewhere(x: f64) -> f64 {
    under_another_name(x) * x
}

#[differentiable]
fn vec_to_slice(v: &Vec<f64>, a: &[f64; 2]) -> f64 {
    product(v, a) * callee::by_ref(a) * callee::by_ref(v)
}

#[differentiable]
fn box_to_slice(x: f64) -> f64 {
    let v: Vec<f64> = vec![x, 2.0 * x];
    callee::by_ref(v.as_slice()) * x
}

/// A long chain: each pullback is part of the next one's type.
macro_rules! chain {
    ($($name:ident calls $next:ident;)*) => {$(
        #[differentiable]
        fn $name(x: f64) -> f64 {
            let y: f64 = $next(x * 1.01);
            y.sin() + x
        }
    )*};
}
chain! {
    c_0 calls c_1; c_1 calls c_2; c_2 calls c_3; c_3 calls c_4; c_4 calls c_5; c_5 calls c_6; c_6 calls c_7; c_7 calls c_8;
    c_8 calls c_9; c_9 calls c_10; c_10 calls c_11; c_11 calls c_12; c_12 calls c_13; c_13 calls c_14; c_14 calls c_15;
    c_15 calls c_16; c_16 calls c_17; c_17 calls c_18; c_18 calls c_19; c_19 calls end;
}

#[differentiable]
fn end(x: f64) -> f64 {
    x * x
}

const X: [f64; 4] = [0.7, 1.9, -0.4, 1.3];

fn x(n: usize) -> Vec<f64> {
    X[..n].to_vec()
}

table! {
    paths: (0.7, 1.9);
    imports: (&x(3));
    nested_functions: (0.7, 1.9);
    many_arguments: (0.7, 1.9);
    many_arguments_of_a_method: (0.7, 1.9);
    names_with_capitals: (0.7, 1.9);
    twice: (0.7, 1.9);
    in_expressions: (0.7, 1.9);
    in_a_loop: for n in 0..4, (0.7, const n);
    in_a_branch: for which in 0..4, (0.7, 1.9, const which);
    in_a_loop_with_exits: for n in 0..4, (0.7, const n);
    in_a_while: for n in 0..4, (&x(2), const n);
    same_argument_twice: for n in 0..4, (&x(n));
    parts_of_an_argument: (&x(2), const 1), (&x(4), const 2);
    same_value_twice: (0.7);
    same_local_twice: (0.7, 1.9);
    element_and_whole: (&x(3));
    constant_in_the_caller: (0.7, const &x(3));
    fully_inactive_call: (0.7, const 1.9, const 3);
    plain_inactive_call: (0.7, const 3);
    factorial_like: for n in 0..4, (0.7, const n);
    fibonacci: for n in 0..6, (0.7, const n);
    recursive_sum: for n in 0..4, (&x(n));
    recursive_in_place: for n in 0..4, (&mut x(n), 1.3);
    even: for n in 0..5, (0.7, const n);
    odd: for n in 0..5, (0.7, const n);
    of_a_returned_argument: (0.7, 1.9);
    of_a_pair: (0.7, 1.9);
    several_changes: (&mut x(3), 1.3);
    with_rules_elsewhere: (0.7) => [4.0 * 0.7 * 0.7 * 0.7];
    vec_to_slice: (&x(2), &[0.3, -0.8]);
    box_to_slice: (0.7);
    c_0: (0.7);
}

map_table! {
    argument_returned: for n in 0..3, (x(n));
}

/// What the callee takes for constant contributes nothing there, so that differences can't be the reference.
#[test]
fn constants_of_a_callee() {
    let (x, w) = (0.7, [0.3, -0.8]);
    let (y, (x_bar, w_bar)) = constant_in_the_callee::value_and_gradient(x, w);
    let s = x * x * (w[0] + w[1]);
    assert_eq!(y, constant_in_the_callee(x, w));
    crate::check::assert_close(&[x_bar], &[2.0 * x * (w[0] + w[1]) * w[1] + 2.0 * x * w[0]]);
    crate::check::assert_close(&w_bar, &[0.0, s]);
    let y_dot = constant_in_the_callee::jvp(x, w, 0.0, [3.0, 2.0]).1;
    crate::check::assert_close(&[y_dot], &[2.0 * s]);
}

#[test]
fn rules_under_another_name() {
    assert_eq!(renamed_rules::gradient(2.0), 12.0);
    assert_eq!(renamed_rules::derivative(2.0), 12.0);
}
