//! Functions as arguments: closures with captures, function items, parameters that are functions.

use chainrule::prelude::*;

use crate::check::check;

// ---- What takes functions. -----------------------------------------------------------------------------------------

/// The trapezoidal rule.
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
#[inline(never)]
fn total(mut f: impl FnMut(f64) -> f64, h: f64, n: usize) -> f64 {
    let mut s = 0.0;
    for i in 0..n {
        s += f(h * i as f64);
    }
    s
}

#[differentiable]
#[inline(never)]
fn twice(f: &dyn Fn(f64) -> f64, x: f64) -> f64 {
    f(f(x))
}

#[differentiable]
fn composed<F, G>(f: &F, g: &G, x: f64) -> f64
where
    F: Fn(f64) -> f64,
    G: Fn(f64) -> f64,
{
    f(g(x)) * x
}

/// Further names of a parameter.
#[differentiable]
#[inline(never)]
fn renamed(f: impl FnMut(f64) -> f64, x: f64) -> f64 {
    let mut g = f;
    let first = g(x);
    total(&mut g, x, 3) * first
}

#[differentiable]
#[inline(never)]
fn renamed_in_a_loop(f: &impl Fn(f64) -> f64, x: f64) -> f64 {
    let g = &f;
    let mut s = 0.0;
    for i in 0..3 {
        let h = g;
        s += h(x * i as f64) + twice(h, x);
    }
    s
}

#[differentiable]
#[inline(never)]
fn with_renamed(x: &[f64]) -> f64 {
    let (a, b) = (x[0], x[1]);
    renamed(|t| t * t * a, b) * renamed_in_a_loop(&|t| a * t.sin() * b, a)
}

#[differentiable]
#[inline(never)]
fn pointer(f: fn(f64) -> f64, x: f64) -> f64 {
    f(x) * x
}

/// Newton's method.
#[differentiable]
#[inline(never)]
fn newton(f: impl Fn(f64) -> f64, df: impl Fn(f64) -> f64, mut x: f64) -> f64 {
    for _ in 0..50 {
        let step = f(x) / df(x);
        x -= step;
        if step.abs() < 1e-12 {
            break;
        }
    }
    x
}

#[differentiable]
fn fixed_point<F: Fn(f64) -> f64>(f: F, start: f64, tolerance: f64) -> f64 {
    let mut x = start;
    loop {
        let next = f(x);
        if (next - x).abs() < tolerance {
            return next;
        }
        x = next;
    }
}

/// One level more.
#[differentiable]
fn outer<F: Fn(f64) -> f64>(f: F, x: f64) -> f64 {
    inner(&f, x) + inner(&f, 2.0 * x)
}

#[differentiable]
#[inline(never)]
fn inner(f: &impl Fn(f64) -> f64, x: f64) -> f64 {
    f(x) * x
}

// ---- What passes them. ---------------------------------------------------------------------------------------------

#[differentiable]
fn sine(x: f64) -> f64 {
    x.sin()
}

#[differentiable]
#[inline(never)]
fn captured(a: f64, b: f64, w: &[f64]) -> f64 {
    integrate(|t: f64| w[0] * (a * t).sin() + w[1] * t * b, a, b, 4)
}

#[test]
fn captures_of_a_closure() {
    check!(captured(0.7, 1.9, &[1.3, -0.4]));
}

#[differentiable]
#[inline(never)]
fn untyped(a: f64, b: f64) -> f64 {
    integrate(|t| (a * t).exp() * b, a, b, 3)
}

#[test]
fn a_closure_whose_parameter_has_no_type() {
    check!(untyped(0.7, 1.9));
}

#[differentiable]
#[inline(never)]
fn items(x: f64, y: f64) -> f64 {
    integrate(sine, x, y, 3)
        + twice(&sine, x)
        + pointer(sine, y)
        + total(f64::cos, x, 3)
        + pointer(f64::exp, x)
}

#[test]
fn function_items() {
    check!(items(0.3, 1.1));
}

#[differentiable]
#[inline(never)]
fn decay(x: &[f64], k: f64) -> f64 {
    let mut c = 1.0;
    let f = |t: f64| {
        c *= (-k * t).exp();
        c * x[0]
    };
    total(f, x[1], 4) * c
}

#[test]
fn a_captured_variable_that_changes() {
    check!(decay(&[1.3, 0.2], 0.7));
}

#[differentiable]
#[inline(never)]
fn counted(x: f64) -> f64 {
    let mut calls = 0;
    let y = total(
        |t: f64| {
            calls += 1;
            t * t
        },
        x,
        3,
    );
    y * calls as f64
}

#[test]
fn a_captured_counter() {
    let checked = check!(counted(1.5));
    assert_eq!(checked.gradient(), &[45.0]);
}

#[differentiable]
#[inline(never)]
fn root(a: f64, start: f64) -> f64 {
    newton(|x| x * x - a, |x| 2.0 * x, start)
}

#[test]
fn newtons_method() {
    let checked = check!(root(2.0, 1.0));
    let want = 0.5 / 2.0_f64.sqrt();
    assert!((checked.gradient()[0] - want).abs() < 1e-9);
    assert!(checked.gradient()[1].abs() < 1e-9);
}

#[differentiable]
#[inline(never)]
fn kepler(e: f64, m: f64) -> f64 {
    fixed_point(|x| m + e * x.sin(), m, 1e-14)
}

#[test]
fn a_fixed_point() {
    check!(kepler(0.3, 1.2));
}

#[differentiable]
#[inline(never)]
fn levels(a: f64, x: f64) -> f64 {
    outer(|t: f64| a * t * t, x) + outer(sine, x)
}

#[test]
fn through_two_levels() {
    check!(levels(0.8, 1.2));
}

#[test]
fn further_names_of_a_parameter() {
    check!(with_renamed(&[0.8, 1.2]));
}

#[differentiable]
#[inline(never)]
fn same_twice(a: f64, x: &[f64]) -> f64 {
    let g = |t: f64| a * t + x[0] * t * t;
    composed(&g, &g, x[1]) + composed(&|t: f64| t * a, &sine, a)
}

#[test]
fn the_same_closure_twice() {
    check!(same_twice(0.6, &[0.3, 0.9]));
}

// ---- Arguments and results that aren't scalars. ------------------------------------------------------------------------

/// One step of the classical method of fourth order.
#[differentiable]
fn rk4<F: Fn(f64, [f64; 2]) -> [f64; 2]>(f: F, t: f64, y: [f64; 2], h: f64) -> [f64; 2] {
    let k1 = f(t, y);
    let k2 = f(
        t + h / 2.0,
        [y[0] + h / 2.0 * k1[0], y[1] + h / 2.0 * k1[1]],
    );
    let k3 = f(
        t + h / 2.0,
        [y[0] + h / 2.0 * k2[0], y[1] + h / 2.0 * k2[1]],
    );
    let k4 = f(t + h, [y[0] + h * k3[0], y[1] + h * k3[1]]);
    [
        y[0] + h / 6.0 * (k1[0] + 2.0 * k2[0] + 2.0 * k3[0] + k4[0]),
        y[1] + h / 6.0 * (k1[1] + 2.0 * k2[1] + 2.0 * k3[1] + k4[1]),
    ]
}

#[differentiable]
#[inline(never)]
fn pendulum(length: f64, damping: f64, start: f64, steps: usize) -> f64 {
    let mut y = [start, 0.0];
    for k in 0..steps {
        let t = 0.1 * k as f64;
        y = rk4(
            |t: f64, y: [f64; 2]| [y[1] + 0.01 * t, -y[0].sin() / length - damping * y[1]],
            t,
            y,
            0.1,
        );
    }
    y[0]
}

#[test]
fn an_ordinary_differential_equation() {
    for steps in 0..4 {
        check!(pendulum(1.3, 0.2, 0.8, const steps));
    }
}

#[differentiable]
#[inline(never)]
fn pendulum_untyped(length: f64, start: f64) -> f64 {
    let y = rk4(|_, y| [y[1], -y[0].sin() / length], 0.0, [start, 0.3], 0.1);
    y[0] * y[1]
}

#[test]
fn arrays_of_unknown_type() {
    check!(pendulum_untyped(1.3, 0.8));
}

/// Euler's method, where the right-hand side writes to its second argument.
#[differentiable]
#[inline(never)]
fn euler(f: impl Fn(&[f64], &mut [f64]), y: &mut [f64], h: f64, steps: usize) {
    let mut dy = vec![0.0; y.len()];
    for _ in 0..steps {
        f(y, &mut dy);
        for i in 0..y.len() {
            y[i] += h * dy[i];
        }
    }
}

#[differentiable]
#[inline(never)]
fn predator(p: &[f64], start: &[f64], steps: usize) -> f64 {
    let mut y = start.to_vec();
    euler(
        |y: &[f64], dy: &mut [f64]| {
            dy[0] = p[0] * y[0] - p[1] * y[0] * y[1];
            dy[1] = p[2] * y[0] * y[1] - y[1];
        },
        &mut y,
        0.1,
        steps,
    );
    y[0] * y[1]
}

#[test]
fn a_right_hand_side_that_writes() {
    for steps in 0..4 {
        check!(predator(&[1.1, 0.4, 0.1], &[3.0, 2.0], const steps));
    }
}

#[differentiable]
#[inline(never)]
fn evaluated(f: impl Fn(&[f64]) -> f64, x: &[f64]) -> f64 {
    f(x) + f(&x[1..]) * x[0]
}

#[differentiable]
fn norm(x: &[f64]) -> f64 {
    let mut s = 0.0;
    for v in x {
        s += v * v;
    }
    s.sqrt()
}

#[differentiable]
#[inline(never)]
fn of_slices(w: f64, x: &[f64]) -> f64 {
    evaluated(|v: &[f64]| w * v[0] * v[1], x) + evaluated(norm, x)
}

#[test]
fn functions_of_slices() {
    check!(of_slices(0.7, &[1.2, -0.5, 0.8]));
}

#[differentiable]
fn indexed<F: Fn(usize) -> f64>(f: F, n: usize) -> f64 {
    let mut s = 1.0;
    for i in 0..n {
        s *= f(i);
    }
    s
}

#[differentiable]
#[inline(never)]
fn by_index(x: &[f64]) -> f64 {
    indexed(|i| x[i] * x[0], x.len()) + indexed(|i: usize| x[2] * i as f64, 3)
}

#[test]
fn an_argument_without_a_tangent() {
    check!(by_index(&[1.2, -0.5, 0.8]));
}

#[differentiable]
#[inline(never)]
fn at_each(n: usize, mut f: impl FnMut(usize)) {
    for i in 0..n {
        f(i);
    }
}

#[differentiable]
#[inline(never)]
fn filled(out: &mut [f64], a: f64) -> f64 {
    at_each(out.len(), |i| out[i] *= a * out[0]);
    out[1] * out[2]
}

#[test]
fn a_closure_that_writes_to_a_parameter() {
    check!(filled(&mut [1.1, 0.4, 0.7], 0.6));
}

// ---- Captures. -----------------------------------------------------------------------------------------------------

#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Model {
    weights: Vec<f64>,
    offset: f64,
    degree: usize,
}

#[differentiable]
impl Model {
    fn value(&self, t: f64) -> f64 {
        self.weights[0] * t + self.weights[1] * t * t + self.offset * self.degree as f64
    }

    fn area(&self, b: f64) -> f64 {
        integrate(|t: f64| self.value(t) * self.offset, 0.0, b, 3)
    }

    fn applied(&self, f: impl Fn(f64) -> f64) -> f64 {
        f(self.weights[0]) * f(self.offset)
    }
}

fn model() -> Model {
    Model {
        weights: vec![0.7, -0.3],
        offset: 0.4,
        degree: 2,
    }
}

#[differentiable]
#[inline(never)]
fn with_model(m: &Model, a: f64) -> f64 {
    m.area(a) + m.applied(|t| t * t * a) + integrate(|t| m.value(t) * m.offset * a, a, 2.0, 2)
}

#[test]
fn captured_structs_and_methods() {
    let m = model();
    let value = |w: f64, v: f64, o: f64, a: f64| {
        with_model(
            &Model {
                weights: vec![w, v],
                offset: o,
                degree: 2,
            },
            a,
        )
    };
    let (m_bar, a_bar) = with_model::gradient(&m, 0.9);
    let at = [0.7, -0.3, 0.4, 0.9];
    let got = [m_bar.weights[0], m_bar.weights[1], m_bar.offset, a_bar];
    for k in 0..4 {
        let mut up = at;
        let mut down = at;
        up[k] += 1e-5;
        down[k] -= 1e-5;
        let want =
            (value(up[0], up[1], up[2], up[3]) - value(down[0], down[1], down[2], down[3])) / 2e-5;
        assert!(
            (got[k] - want).abs() < 1e-8,
            "{k}: {} instead of {want}",
            got[k]
        );
    }
}

#[differentiable]
#[inline(never)]
fn weighted(f: impl Fn(f64) -> f64, g: impl Fn(f64) -> f64, x: &[f64]) -> f64 {
    f(x[0]) * g(x[1]) + f(x[1])
}

#[differentiable]
#[inline(never)]
fn one_shadow(x: &[f64], a: f64) -> f64 {
    weighted(|t| x[0] * t * a, |t| x[1] * t * t + a, x)
}

#[test]
fn a_shadow_in_two_closures_and_an_argument() {
    check!(one_shadow(&[0.8, 1.3], 0.6));
}

#[differentiable]
#[inline(never)]
fn local_array(a: f64, b: f64) -> f64 {
    let mut acc = [a, 1.0];
    let s = total(
        |t: f64| {
            acc[0] += t * b;
            acc[1] *= acc[0];
            acc[0] * t
        },
        a,
        3,
    );
    s * acc[1] + acc[0]
}

#[test]
fn a_captured_array_that_changes() {
    check!(local_array(0.8, 1.3));
}

#[differentiable]
#[inline(never)]
fn moved(a: f64, b: f64) -> f64 {
    let mut c = a;
    let f = move |t: f64| {
        c *= t + b;
        c
    };
    c += 1.0;
    total(f, b, 3) * c
}

#[test]
fn a_move_closure_has_a_copy() {
    check!(moved(0.8, 1.3));
}

#[differentiable]
#[inline(never)]
fn nested(a: f64, b: f64) -> f64 {
    integrate(
        |s: f64| integrate(|t: f64| (a * s * t).sin() * b, 0.0, s, 2) * a,
        0.0,
        b,
        3,
    )
}

#[test]
fn nested_closures() {
    check!(nested(0.8, 1.3));
}

#[differentiable]
#[inline(never)]
fn with_control(a: f64, n: usize) -> f64 {
    integrate(
        |t: f64| {
            let mut s = a;
            for i in 0..n {
                if s > 1.2 {
                    return s * t;
                }
                s += t.exp() * a * s;
                if i == 1 {
                    s = s.sqrt();
                }
            }
            let mut k = 0;
            while k < n {
                s *= 1.5 + a;
                k += 1;
            }
            s
        },
        0.1,
        1.0,
        3,
    )
}

#[test]
fn loops_branches_and_return_in_a_closure() {
    for n in 0..4 {
        check!(with_control(0.4, const n));
    }
}

// ---- Parameters that are passed on. ------------------------------------------------------------------------------------

#[differentiable]
fn wrapped<F: Fn(f64) -> f64>(f: F, a: f64, x: f64) -> f64 {
    inner(&|t: f64| a * f(t) * t, x)
}

#[differentiable]
fn shared<F: Fn(f64) -> f64>(f: F, a: f64, x: f64) -> f64 {
    composed(&|t: f64| a * f(t), &|t: f64| f(2.0 * t), x) + composed(&f, &f, a)
}

#[differentiable]
#[inline(never)]
fn passes(a: f64, x: f64) -> f64 {
    wrapped(|t: f64| (a * t).sin(), x, a) + shared(|t: f64| t * t * a, a, x) + shared(sine, x, a)
}

#[test]
fn parameters_in_closures() {
    check!(passes(0.7, 1.1));
}

/// The adaptive midpoint rule, which calls itself.
#[differentiable]
#[inline(never)]
fn adaptive(f: &dyn Fn(f64) -> f64, a: f64, b: f64, depth: usize) -> f64 {
    let middle = 0.5 * (a + b);
    if depth == 0 {
        return (b - a) * f(middle);
    }
    adaptive(f, a, middle, depth - 1) + adaptive(f, middle, b, depth - 1)
}

#[differentiable]
#[inline(never)]
fn recursive(a: f64, b: f64) -> f64 {
    adaptive(&|t: f64| (a * t).exp(), a, b, 2) + adaptive(&sine, a, b, 1)
}

#[test]
fn recursion() {
    check!(recursive(0.7, 1.1));
}

#[differentiable]
fn constants_only<F: Fn(f64) -> f64>(f: F, n: usize) -> f64 {
    if n == 0 { 1.0 } else { f(0.5) * f(2.0) }
}

#[differentiable]
#[inline(never)]
fn captures_only(a: f64, n: usize) -> f64 {
    constants_only(|t| a * t * t, n)
}

#[test]
fn only_captures_are_active() {
    check!(captures_only(0.7, const 0));
    check!(captures_only(0.7, const 3));
}

/// The captures are components of small arrays, which are values.
#[differentiable]
#[inline(never)]
fn captured_components(a: f64, b: f64, n: usize) -> f64 {
    let [p, q] = [a, b].map(f64::sin);
    let (r, s) = ([p * q, b], [a; 2]);
    total(
        |t| {
            let c = [p * t, q];
            if t > b {
                c[0] * s[1]
            } else {
                c[0] + c[1] * r[0]
            }
        },
        a,
        n,
    )
}

#[test]
fn components_in_closures() {
    for n in 0..4 {
        check!(captured_components(0.7, 1.1, const n));
    }
}

#[differentiable]
fn repeated<const N: usize, F: Fn(usize) -> f64>(f: F) -> f64 {
    let mut s = 0.0;
    for i in 0..N {
        s += f(i);
    }
    s
}

#[differentiable]
#[inline(never)]
fn turbofish(a: f64) -> f64 {
    repeated::<3, _>(|i: usize| (a * i as f64).sin())
}

#[test]
fn a_turbofish() {
    check!(turbofish(0.7));
}

#[differentiable]
#[inline(never)]
fn once(f: impl FnOnce(f64) -> f64, x: f64) -> f64 {
    f(x) * x
}

#[differentiable]
#[inline(never)]
fn calls_once(a: f64, v: &[f64]) -> f64 {
    let w = v.to_vec();
    once(move |t: f64| t * w[0] * a, v[1])
}

#[test]
fn a_function_that_is_called_once() {
    check!(calls_once(0.7, &[1.1, 0.4]));
}

#[differentiable]
fn ignores<F: Fn(f64) -> f64>(f: F, x: f64) -> f64 {
    let _unused = f(x);
    let test = f(2.0 * x) > 1e9;
    if test { f(x) } else { x * x }
}

#[differentiable]
#[inline(never)]
fn unused_results(a: f64) -> f64 {
    let mut calls = 0.0;
    let y = ignores(|t: f64| a * t, a);
    let _z = total(
        |t: f64| {
            calls += a;
            t
        },
        a,
        3,
    );
    y + calls
}

#[test]
fn results_that_nobody_uses() {
    check!(unused_results(0.7));
}

#[differentiable]
#[inline(never)]
fn of_untyped_slices(w: f64, x: &[f64]) -> f64 {
    evaluated(|v| w * v[0] * v[1], x) + evaluated(|_| w, x)
}

#[test]
fn references_of_unknown_type() {
    check!(of_untyped_slices(0.7, &[1.2, -0.5, 0.8]));
}

#[differentiable]
#[inline(never)]
fn optional(a: f64, x: f64) -> f64 {
    integrate(
        |t: f64| -> f64 {
            let scaled = if t > 0.5 { Some(a * t) } else { None };
            match scaled {
                Some(s) => s * s,
                None => a,
            }
        },
        0.1,
        x,
        3,
    )
}

#[test]
fn an_option_in_a_closure() {
    check!(optional(0.7, 1.2));
}

#[differentiable]
#[inline(never)]
fn deferred(m: &Model, a: f64) -> f64 {
    let slope = m.offset;
    integrate(|t| slope * t + m.weights[0] * t * t + slope, 0.0, a, 2) * slope
}

#[test]
fn captures_of_unknown_type() {
    let (m_bar, _) = deferred::gradient(&model(), 0.9);
    let f = |offset: f64, weight: f64| {
        deferred(
            &Model {
                weights: vec![weight, -0.3],
                offset,
                degree: 2,
            },
            0.9,
        )
    };
    let h = 1e-5;
    let offset = (f(0.4 + h, 0.7) - f(0.4 - h, 0.7)) / (2.0 * h);
    let weight = (f(0.4, 0.7 + h) - f(0.4, 0.7 - h)) / (2.0 * h);
    assert!((m_bar.offset - offset).abs() < 1e-8 && (m_bar.weights[0] - weight).abs() < 1e-8);
}

mod elsewhere {
    use callee::{integrated, squared};
    use chainrule::prelude::*;

    #[differentiable]
    #[inline(never)]
    pub(super) fn across(a: f64, b: f64) -> f64 {
        integrated(|t: f64| (a * t).sin(), a, b, 3) + integrated(squared, a, b, 2)
    }
}

#[test]
fn functions_of_other_crates() {
    check!(elsewhere::across(0.4, 1.3));
}

/// Functions that nothing differentiated goes through, of all kinds: they are called as they are, and once.
mod constant {
    use super::*;

    #[differentiable]
    #[inline(never)]
    fn by_object(x: &[f64], #[constant] weight: &dyn Fn(usize) -> f64) -> f64 {
        let mut sum = 0.0;
        for i in 0..x.len() {
            sum += x[i] * x[i] * weight(i);
        }
        sum
    }

    #[differentiable]
    #[inline(never)]
    fn by_value(x: &[f64], #[constant] weight: impl Fn(usize) -> f64) -> f64 {
        let mut sum = 0.0;
        for i in 0..x.len() {
            sum += x[i] * x[i] * weight(i);
        }
        sum
    }

    #[differentiable]
    fn that_counts<F: FnMut() -> f64>(x: &[f64], #[constant] next: &mut F) -> f64 {
        let mut sum = 0.0;
        for v in x {
            sum += v * v * next();
        }
        sum
    }

    #[differentiable]
    #[inline(never)]
    fn by_pointer(x: &[f64], #[constant] weight: fn(usize) -> f64) -> f64 {
        by_object(x, &weight) + by_value(x, weight)
    }

    fn weight(i: usize) -> f64 {
        i as f64 + 1.0
    }

    #[test]
    fn functions_that_are_constant() {
        let x = [0.7, -1.3];
        let (y, gradient) = (0.7 * 0.7 + 2.0 * 1.3 * 1.3, vec![1.4, -5.2]);
        let close =
            |a: &[f64], b: &[f64]| assert!(a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-14));
        let captured = 1.0;
        let closure = |i: usize| i as f64 + captured;
        for (value, g) in [
            by_object::value_and_gradient(&x, &closure),
            by_value::value_and_gradient(&x, closure),
            by_value::value_and_gradient(&x, weight),
        ] {
            close(&[value], &[y]);
            close(&g, &gradient);
        }
        close(&by_object::hvp(&x, &closure, &[1.0, 1.0]), &[2.0, 4.0]);
        let (_, pullback) = by_object::rrule(&x, &closure);
        let mut x_bar = [1.0, 0.0];
        pullback(1.0, chainrule::CoDual(&x, &mut x_bar), &closure);
        close(&x_bar, &[2.4, -5.2]);

        let mut calls = 0;
        let mut next = || {
            calls += 1;
            f64::from(calls)
        };
        close(&that_counts::gradient(&x, &mut next), &gradient);
        assert_eq!(calls, 2);
        close(&[by_pointer(&x, weight)], &[2.0 * y]);
        close(&by_pointer::gradient(&x, weight), &[2.8, -10.4]);
    }
}
