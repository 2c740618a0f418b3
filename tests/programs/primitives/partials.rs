//! `#[primitive(partials(..))]`: the primal's body is never read, so a derivative that comes out right comes from the
//! partials.

use std::cell::Cell;

use chainrule::prelude::*;

use crate::check::{assert_close, table};

thread_local! {
    static CALLS: Cell<usize> = const { Cell::new(0) };
}

/// Nothing that the compiler would accept: a loop over an iterator chain, and a side effect.
#[primitive(partials(x = cosine(x)))]
fn sine(x: f64) -> f64 {
    CALLS.with(|calls| calls.set(calls.get() + 1));
    let terms = std::iter::successors(Some((x, 1.0)), |(term, n)| {
        Some((-term * x * x / ((n + 1.0) * (n + 2.0)), n + 2.0))
    });
    terms.take(20).map(|(term, _)| term).sum()
}

/// Its partial is a primitive too.
#[primitive(partials(x = -sine(x)))]
fn cosine(x: f64) -> f64 {
    x.cos()
}

#[primitive(result = y, partials(x = y))]
fn exponential(x: f64) -> f64 {
    x.exp()
}

#[primitive(result = y, partials(x = n as f64 * (y - shift - k.powi(3)) / x, k = 3.0 * k * k))]
fn monomial(x: f64, n: i32, #[constant] shift: f64, k: f64) -> f64 {
    std::convert::identity(x).powi(n) + shift + k.powi(3)
}

/// Partials with statements, branches and loops.
#[primitive(partials(
    x = if x > 1.0 {
        2.0 * x
    } else {
        1.0 + x.min(1.0)
    },
    y = {
        let mut power = 1.0;
        for _ in 1..4 {
            power *= y;
        }
        4.0 * power
    },
))]
fn pieces(x: f64, y: f64) -> f64 {
    let of_x = if x > 1.0 { x * x } else { x + 0.5 * x * x };
    std::hint::black_box(of_x + y.powi(4))
}

/// The result and a parameter are borrowed.
#[primitive(result = y, partials(x = { let (a, b) = (&y, &x); *a * *b }))]
fn gauss(x: f64) -> f64 {
    (0.5 * x * x).exp()
}

#[primitive(result = r#type, partials(r#fn = 0.5 / r#type))]
fn r#match(r#fn: f64) -> f64 {
    r#fn.sqrt()
}

/// Parameters are called as the function is, and as generated variables are.
#[primitive(partials(clash = y_bar * y_bar, y_bar = 2.0 * clash * y_bar))]
fn clash(clash: f64, y_bar: f64) -> f64 {
    std::hint::black_box(clash) * y_bar * y_bar
}

/// Its partial calls the function itself.
#[primitive(result = y, partials(x = y * logistic(-x)))]
fn logistic(x: f64) -> f64 {
    1.0 / (1.0 + std::hint::black_box(-x).exp())
}

#[differentiable]
fn nested(x: f64) -> f64 {
    sine(exponential(x) * x) * cosine(x)
}

#[differentiable]
fn summed(x: &[f64], a: f64) -> f64 {
    let mut total = 0.0;
    for v in x {
        if *v > 0.0 {
            total += sine(a * v);
        } else {
            total -= monomial(a, 2, 1.0, *v);
        }
    }
    total
}

#[differentiable]
fn iterated(x: f64, n: usize) -> f64 {
    let mut y = x;
    for _ in 0..n {
        y = sine(y) + 0.5 * y;
    }
    y
}

/// Arguments whose types are only known to rustc, one of them constant here.
#[differentiable]
fn deferred(x: f64) -> f64 {
    let a = exponential(x);
    let b = monomial(a, 3, 2.0, a);
    b * sine(1.5)
}

#[differentiable]
fn foreign(x: f64) -> f64 {
    callee::softplus(x * x) + callee_2021::softplus(-x)
}

table! {
    sine: (0.7) => [0.7_f64.cos()], (-2.1) => [(-2.1_f64).cos()];
    cosine: (0.7) => [-0.7_f64.sin()];
    exponential: (0.7) => [0.7_f64.exp()];
    monomial: (1.3, const 4, const 2.0, 0.6) => [4.0 * 1.3_f64.powi(3), 3.0 * 0.6_f64.powi(2)];
    pieces: (0.4, 1.2) => [1.4, 4.0 * 1.2_f64.powi(3)], (1.7, -0.8) => [3.4, 4.0 * (-0.8_f64).powi(3)];
    gauss: (0.8) => [0.8 * 0.32_f64.exp()];
    r#match: (2.25) => [1.0 / 3.0];
    clash: (0.7, 1.9) => [1.9 * 1.9, 2.0 * 0.7 * 1.9];
    logistic: (0.0) => [0.25], (1.3), (-2.0);
    nested: (0.3), (1.1);
    summed: (&Vec::new(), 0.9), (&vec![0.4], 0.9), (&vec![0.4, -0.7, 1.2], 0.9);
    iterated: for n in 0..4, (0.8, const n);
    deferred: (0.3) => [1.5_f64.sin() * 6.0 * 0.9_f64.exp()];
    foreign: (0.6), (-1.4);
}

#[test]
fn second_derivatives_come_from_the_partials() {
    assert_close(&[sine::hvp(0.7, 2.0)], &[-2.0 * 0.7_f64.sin()]);
    assert_close(&[exponential::hvp(0.7, 2.0)], &[2.0 * 0.7_f64.exp()]);
    let hessian = gauss::hvp(0.8, 1.0);
    assert_close(&[hessian], &[(1.0 + 0.8 * 0.8) * 0.32_f64.exp()]);
    let (x_bar, k_bar) = monomial::hvp(1.3, 4, 2.0, 0.6, 1.0, 10.0);
    assert_close(&[x_bar, k_bar], &[12.0 * 1.3 * 1.3, 60.0 * 0.6]);
}

/// What is declared counts, not what the function computes.
#[primitive(partials(x = 1.0))]
fn straight_through(x: f64) -> f64 {
    x.round()
}

#[differentiable]
fn quantised(x: f64) -> f64 {
    let y = straight_through(3.0 * x);
    y * y
}

#[test]
fn the_declared_partial_is_used_in_all_modes() {
    let Dual(y, y_dot) = quantised::frule(Dual(0.6, 1.0));
    assert_eq!((y, y_dot), (4.0, 12.0));
    assert_eq!(quantised::rrule(0.6).1(1.0), 12.0);
    assert_eq!(quantised::value_and_gradient(0.6), (4.0, 12.0));
    assert_eq!(quantised::hvp(0.6, 1.0), 18.0);
}

#[test]
fn each_rule_calls_the_primal_once() {
    let count = |rule: &dyn Fn()| {
        CALLS.with(|calls| calls.set(0));
        rule();
        CALLS.with(Cell::get)
    };
    assert_eq!(count(&|| _ = sine::frule(Dual(0.7, 1.0))), 1);
    assert_eq!(count(&|| _ = sine::rrule(0.7).1(1.0)), 1);
    assert_eq!(count(&|| _ = sine::gradient(0.7)), 1);
}

/// The partial is infinite at zero.
#[primitive(result = y, partials(x = 0.5 / y))]
fn root(x: f64) -> f64 {
    x.sqrt()
}

#[test]
fn products_with_partials_are_strong() {
    assert_eq!(root::derivative(0.0), f64::INFINITY);
    assert_eq!(root::frule(Dual(0.0, 0.0)).1, 0.0);
    assert_eq!(root::rrule(0.0).1(0.0), 0.0);
    assert_eq!(root::vjp(0.0, 0.0).1, 0.0);
    // 0 * (1/(2*0)) would be NaN.
    assert_eq!(root::frule(Dual(0.0, 1.0)).1, f64::INFINITY);
}

#[primitive(partials(x = (x.abs() as f64) * 2.0, k = 3.0))]
fn widened(x: f32, k: f64) -> f64 {
    f64::from(x.abs()) * f64::from(x) + 3.0 * k
}

#[primitive(partials(x = 2.0 * x))]
fn single(x: f32) -> f32 {
    x * x
}

#[primitive(partials(x = 2.0 * x as f32))]
fn narrowed(x: f64) -> f32 {
    (x * x) as f32
}

#[test]
fn mixed_floats() {
    assert_eq!(widened::gradient(-1.5, 2.0), (3.0_f32, 3.0_f64));
    assert_eq!(widened::frule(Dual(-1.5, 1.0), Dual(2.0, 10.0)).1, 33.0);
    assert_eq!(widened::hvp(1.5, 2.0, 1.0, 0.0), (2.0_f32, 0.0_f64));
    assert_eq!(single::gradient(1.5), 3.0_f32);
    assert_eq!(single::hvp(1.5, 1.0), 2.0_f32);
    assert_eq!(narrowed::gradient(1.5), 3.0_f64);
    assert_eq!(narrowed::frule(Dual(1.5, 2.0)).1, 6.0_f32);
}

mod elsewhere {
    use chainrule::prelude::*;

    #[primitive(rules = power_rules, result = y, partials(x = N as f64 * y / x))]
    pub(super) fn power<const N: usize>(x: f64) -> f64 {
        (0..N).map(|_| x).product()
    }

    #[differentiable(with(power = power_rules))]
    pub(super) fn sum_of_powers(x: f64) -> f64 {
        let y: f64 = power::<3>(x);
        y + power::<2>(y)
    }
}

#[test]
fn rules_of_another_name() {
    assert_eq!(elsewhere::power_rules::gradient::<3>(2.0), 12.0);
    assert_eq!(elsewhere::power_rules::hvp::<3>(2.0, 1.0), 12.0);
    assert_eq!(elsewhere::sum_of_powers::gradient(2.0), 12.0 + 6.0 * 32.0);
    assert_eq!(elsewhere::sum_of_powers::hvp(2.0, 1.0), 12.0 + 30.0 * 16.0);
}

struct Model {
    scale: f64,
}

#[differentiable]
impl Model {
    #[primitive(partials(x = self.scale * x.cos()))]
    fn wave(#[constant] &self, x: f64) -> f64 {
        std::hint::black_box(self.scale) * x.sin()
    }

    fn twice(#[constant] &self, x: f64) -> f64 {
        self.wave(self.wave(x)) * x
    }

    #[primitive(partials(x = 3.0 * Self::square(x)))]
    fn cube(x: f64) -> f64 {
        std::hint::black_box(x) * x * x
    }

    #[primitive(partials(x = 2.0 * x))]
    fn square(x: f64) -> f64 {
        std::hint::black_box(x) * x
    }
}

impl Model {
    #[primitive(result = y, partials(x = self.scale * y))]
    fn growth(#[constant] &self, x: f64) -> f64 {
        (self.scale * x).exp()
    }
}

#[test]
fn methods() {
    let model = Model { scale: 0.8 };
    let (x, a) = (0.7_f64, 0.8);
    assert_close(&[model.wave_gradient(x)], &[a * x.cos()]);
    assert_close(&[model.wave_hvp(x, 1.0)], &[-a * x.sin()]);
    let inner = a * x.sin();
    let want = a * inner.sin() + x * a * inner.cos() * a * x.cos();
    assert_close(&[model.twice_gradient(x)], &[want]);
    let step = 1e-5;
    let differences =
        (model.twice_gradient(x + step) - model.twice_gradient(x - step)) / (2.0 * step);
    assert!((model.twice_hvp(x, 1.0) - differences).abs() < 1e-9);
    assert_close(&[model.growth_gradient(x)], &[a * (a * x).exp()]);
    assert_close(&[model.growth_hvp(x, 1.0)], &[a * a * (a * x).exp()]);
    assert_eq!(Model::cube_gradient(2.0), 12.0);
    assert_eq!(Model::cube_hvp(2.0, 1.0), 12.0);
}
