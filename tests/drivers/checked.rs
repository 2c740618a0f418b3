//! `#[differentiable(checked)]`: right rules pass in each driver, each kind of mistake is reported at the caller's line.

use std::cell::Cell;

use chainrule::prelude::*;

use crate::panics::{caught, refused};

/// Functions with right rules, of every kind of argument and result: their drivers give what they give without checks.
mod right {
    use super::*;

    macro_rules! twice {
        ($($(#[$meta:meta])* fn $name:ident $args:tt $(-> $output:ty)? $body:block)*) => {
            mod plain {
                use super::*;
                $(#[differentiable] $(#[$meta])* pub(super) fn $name $args $(-> $output)? $body)*
            }
            $(#[differentiable(checked)] $(#[$meta])* fn $name $args $(-> $output)? $body)*
        };
    }

    #[derive(Clone, Debug, PartialEq, Differentiable)]
    struct Layer {
        weights: Vec<f64>,
        bias: f64,
        #[constant]
        name: &'static str,
    }

    fn layer() -> Layer {
        Layer {
            weights: vec![0.5, -1.5],
            bias: 0.25,
            name: "first",
        }
    }

    /// It can't be copied.
    #[derive(Debug, PartialEq, Differentiable)]
    struct Single {
        scale: f64,
    }

    twice! {
        fn cube(x: f64) -> f64 { x * x * x }
        fn single_precision(x: f32) -> f32 { x.sin() * x }
        fn weighted(w: &[f64], #[constant] x: &[f64]) -> f64 {
            let mut total = 0.0;
            for i in 0..w.len() {
                total += (w[i] * x[i]).sin();
            }
            total
        }
        fn several(a: f64, x: &[f64], k: usize, m: [f64; 2], v: &mut [f64]) -> f64 {
            v[0] *= a;
            v[1] = v[0] * x[0];
            a * x[k] * m[1] + v[1] * m[0]
        }
        fn polar(p: &[f64]) -> Vec<f64> { vec![p[0] * p[1].cos(), p[0] * p[1].sin(), p[0]] }
        fn moved(x: Vec<f64>, layer: Layer) -> (f64, Vec<f64>) {
            let mut y = x;
            y.push(layer.bias * y[0]);
            (y[1] * layer.weights[1], y)
        }
        fn grown(v: &mut Vec<f64>, x: f64) {
            v.push(x * v[0]);
        }
        fn perhaps(x: &[f64]) -> Option<f64> {
            if x.is_empty() { None } else { Some(x[0] * x[0]) }
        }
        fn not_copied(a: Single, b: &mut Single) -> f64 {
            b.scale *= a.scale;
            b.scale * b.scale
        }
        fn constant_state(x: f64, #[constant] count: &mut usize) -> f64 {
            *count += 1;
            x * *count as f64
        }
    }

    const X: [f64; 2] = [0.7, -0.4];

    /// Both give the same.
    macro_rules! same {
        ($name:ident :: $driver:ident ($($arg:expr),*)) => {
            assert_eq!($name::$driver($($arg),*), plain::$name::$driver($($arg),*))
        };
    }

    #[test]
    fn of_numbers() {
        same!(cube::derivative(0.7));
        same!(cube::gradient(0.7));
        same!(cube::value_and_gradient(0.7));
        same!(cube::value_and_gradient_into(0.7, &mut 0.0));
        same!(cube::jvp(0.7, 0.5));
        same!(cube::vjp(0.7, 0.5));
        same!(cube::hvp(0.7, 0.5));
        same!(cube::hessian(0.7));
        same!(cube::second_derivative(0.7));
        same!(cube::value_gradient_and_hvp(0.7, 0.5));
        same!(cube::value_gradient_and_hessian(0.7));
        same!(cube::frule(Dual(0.7, 0.5)));
        assert_eq!(cube::rrule(0.7).1(0.5), plain::cube::rrule(0.7).1(0.5));
        same!(single_precision::gradient(0.7));
        same!(single_precision::second_derivative(0.7));
    }

    #[test]
    fn of_lists() {
        let x = [1.5, 2.5];
        same!(weighted::value_and_gradient(&X, &x));
        same!(weighted::value_and_gradient_into(&X, &x, &mut [0.0; 2]));
        same!(weighted::jvp(&X, &x, &[1.0, 2.0]));
        same!(weighted::vjp(&X, &x, 2.0));
        same!(weighted::hvp(&X, &x, &[1.0, 2.0]));
        same!(weighted::hessian(&X, &x));
        same!(weighted::frule(Dual(&X, &[1.0, 2.0]), &x));
        same!(polar::jvp(&X, &[1.0, 2.0]));
        same!(polar::vjp(&X, vec![1.0, 2.0, 3.0]));
        same!(polar::jacobian(&X));
        same!(polar::value_and_jacobian(&X));
        same!(polar::jacobian_into(&X, &mut [0.0; 6]));
        same!(perhaps::jvp(&X, &[1.0, 2.0]));
        same!(perhaps::vjp(&[], None));
    }

    #[test]
    fn of_arguments_of_all_kinds() {
        let m = [0.25, 4.0];
        let v = &mut [0.4, 0.6];
        same!(several::value_and_gradient(2.0, &X, 1, m, v));
        same!(several::vjp(2.0, &X, 1, m, v, 0.5));
        same!(several::hvp(2.0, &X, 1, m, v, 1.0, &X, m, &mut [0.1, 0.2]));
        same!(several::jvp(2.0, &X, 1, m, v, 1.0, &X, m, &mut [0.1, 0.2]));
        assert_eq!(v, &[0.4, 0.6]);
        let x_dot = vec![1.0, 2.0];
        let seed = || (1.0, vec![1.0, 2.0, 3.0]);
        same!(moved::vjp(X.to_vec(), layer(), seed()));
        same!(moved::jvp(
            X.to_vec(),
            layer(),
            x_dot.clone(),
            layer().zero_tangent()
        ));
        same!(grown::jvp(&mut vec![1.0], 2.0, &mut vec![3.0], 4.0));
        let (v, v_dot) = (&mut vec![1.0], &mut vec![3.0]);
        grown::frule(Dual(v, v_dot), Dual(2.0, 4.0));
        assert_eq!((&v[..], &v_dot[..]), (&[1.0, 2.0][..], &[3.0, 10.0][..]));
        let (mut v, mut v_bar) = (vec![1.0], vec![1.0, 10.0]);
        let ((), pullback) = grown::rrule(&mut v, 2.0);
        assert_eq!(pullback(NoTangent, CoDual(&mut v, &mut v_bar)), 10.0);
        assert_eq!((v, v_bar), (vec![1.0], vec![21.0]));
        let mut count = 3;
        assert_eq!(constant_state::gradient(2.0, &mut count), 4.0);
        assert_eq!(count, 4);
    }

    /// Such functions are not compared with their rules.
    #[test]
    fn of_what_cannot_be_copied() {
        let (a, b) = (|| Single { scale: 2.0 }, &mut Single { scale: 3.0 });
        assert_eq!(not_copied::gradient(a(), b).0.scale, 2.0 * 2.0 * 9.0);
        assert_eq!(b.scale, 3.0);
    }

    #[differentiable(checked)]
    fn generic<F: Real, T: chainrule::DifferentiableValue>(x: &[F], _t: T) -> F {
        x[0] * x[1]
    }

    #[differentiable(checked)]
    fn boxed(x: f64, n: usize) -> f64 {
        if n == 0 { x } else { x * boxed(x, n - 1) }
    }

    struct Line {
        slope: f64,
    }

    #[differentiable(checked)]
    impl Line {
        fn at(#[constant] &self, x: f64) -> f64 {
            self.slope * x * x
        }

        fn lists(#[constant] &mut self, x: &[f64]) -> Vec<f64> {
            self.slope += 1.0;
            vec![self.slope * x[0], x[1]]
        }
    }

    #[differentiable(checked)]
    impl Layer {
        fn apply(&self, x: &[f64]) -> f64 {
            self.weights[0] * x[0] + self.weights[1] * x[1] + self.bias
        }

        fn shift(&mut self, by: f64) -> f64 {
            self.bias *= by;
            self.bias * self.weights[0]
        }

        fn consume(self, x: f64) -> Vec<f64> {
            let mut weights = self.weights;
            weights[0] *= x;
            weights
        }
    }

    #[differentiable(checked)]
    trait Shape {
        fn area(&self, scale: f64) -> f64;
    }

    #[differentiable(checked)]
    impl Shape for Layer {
        fn area(&self, scale: f64) -> f64 {
            self.bias * scale * scale
        }
    }

    #[test]
    fn of_methods_and_generics() {
        assert_eq!(generic::gradient(&[2.0, 3.0], 1.0).0, [3.0, 2.0]);
        assert_eq!(generic::gradient(&[2.0_f32, 3.0], 1.0).0, [3.0, 2.0]);
        assert_eq!(boxed::gradient(2.0, 2), 12.0);
        let mut line = Line { slope: 2.0 };
        assert_eq!(line.at_hvp(3.0, 1.0), 4.0);
        assert_eq!(line.lists_vjp(&X, vec![1.0, 2.0]).1, [3.0, 2.0]);
        assert_eq!(line.slope, 3.0);
        let mut l = layer();
        assert_eq!(l.apply_gradient(&X).1, [0.5, -1.5]);
        assert_eq!(
            l.apply_hvp(&X, &layer().zero_tangent(), &[1.0, 0.0])
                .0
                .weights,
            [1.0, 0.0]
        );
        assert_eq!(l.shift_gradient(2.0).1, 0.125);
        assert_eq!(l, layer());
        assert_eq!(l.area_gradient(2.0).1, 1.0);
        assert_eq!(l.consume_vjp(2.0, vec![1.0, 0.0]).1.1, 0.5);
    }

    #[differentiable(checked)]
    fn spread(m: &[f64], #[constant] data: &[f64]) -> f64 {
        let mut total = 0.0;
        for k in 0..data.len() {
            let difference = m[k % m.len()].exp() - data[k];
            total += difference * difference;
        }
        total
    }

    /// Near a minimum larger terms cancel, and what is left is rounding in each rule.
    #[test]
    fn of_what_cancels() {
        for n in 1..60 {
            let data: Vec<f64> = (0..6 * n)
                .map(|k| 1.5 + (1.7 * f64::from(k * k)).sin())
                .collect();
            for parts in 1..4 {
                let mean = |k: usize| {
                    let part: Vec<f64> = data.iter().skip(k).step_by(parts).copied().collect();
                    (part.iter().sum::<f64>() / part.len() as f64).ln()
                };
                let m: Vec<f64> = (0..parts).map(mean).collect();
                let gradient = spread::gradient(&m, &data);
                assert!(gradient.iter().all(|bar| bar.abs() < 1e-11));
                spread::hvp(&m, &data, &vec![1.0; parts]);
                spread::vjp(&m, &data, 3.0);
            }
        }
    }

    /// It gives another value each time.
    #[differentiable(checked)]
    fn counted(x: f64, #[constant] count: &Cell<f64>) -> f64 {
        count.set(count.get() + 1.0);
        x * x * count.get()
    }

    #[test]
    fn of_what_is_not_a_function() {
        assert!(counted::gradient(1.5, &Cell::new(0.0)) >= 3.0);
    }
}

/// The derivative of a primitive is what its rules say, which may be wrong.
mod wrong {
    use super::*;

    #[primitive(partials(x = x))]
    fn right(x: f64) -> f64 {
        0.5 * x * x
    }

    #[primitive(frule = reverse_frule, rrule = reverse_rrule, rrule_frule = reverse_rrule_frule)]
    fn reverse(x: f64) -> f64 {
        x * x
    }

    fn reverse_frule(Dual(x, x_dot): Dual<f64, f64>) -> Dual<f64, f64> {
        Dual(x * x, 2.0 * x * x_dot)
    }

    fn reverse_rrule(x: f64) -> (f64, impl FnOnce(f64) -> f64) {
        (x * x, move |y_bar: f64| 2.5 * x * y_bar)
    }

    fn reverse_rrule_frule(
        Dual(x, x_dot): Dual<f64, f64>,
    ) -> (
        Dual<f64, f64>,
        impl FnOnce(Dual<f64, f64>) -> Dual<f64, f64>,
    ) {
        let pullback = move |Dual(y_bar, y_bar_dot)| {
            Dual(2.5 * x * y_bar, 2.5 * (x_dot * y_bar + x * y_bar_dot))
        };
        (Dual(x * x, 2.0 * x * x_dot), pullback)
    }

    #[differentiable(checked)]
    fn of_reverse(x: f64) -> f64 {
        reverse(x) + right(x)
    }

    #[test]
    fn forward_and_reverse_rules_disagree() {
        let caught = caught(|| _ = of_reverse::gradient(1.0));
        let start = "of_reverse: the reverse rule disagrees with the forward rule: the product of its cotangents with a random direction is ";
        assert!(caught.message.starts_with(start), "{}", caught.message);
        assert_eq!((&*caught.file, caught.line), (file!(), line!() - 3));
        for run in [
            || _ = of_reverse::derivative(1.0),
            || _ = of_reverse::jvp(1.0, 1.0),
            || _ = of_reverse::vjp(1.0, 1.0),
            || _ = of_reverse::hvp(1.0, 1.0),
            || _ = of_reverse::hessian(1.0),
            || _ = of_reverse::second_derivative(1.0),
            || _ = of_reverse::value_gradient_and_hessian(1.0),
            || _ = of_reverse::value_and_gradient_into(1.0, &mut 0.0),
            || _ = of_reverse::frule(Dual(1.0, 1.0)),
            || _ = of_reverse::rrule(1.0).0,
        ] {
            let found = super::caught(run);
            assert!(found.message.starts_with(start), "{}", found.message);
            let lines = line!() - 14..line!();
            assert!(found.file == file!() && lines.contains(&found.line));
        }
    }

    #[primitive(frule = value_frule, rrule = value_rrule)]
    fn value(x: f64) -> f64 {
        x * 3.0
    }

    fn value_frule(Dual(x, x_dot): Dual<f64, f64>) -> Dual<f64, f64> {
        Dual(x + x + x + 1e-9, 3.0 * x_dot)
    }

    fn value_rrule(x: f64) -> (f64, impl FnOnce(f64) -> f64) {
        (x * 3.0, |y_bar| 3.0 * y_bar)
    }

    #[differentiable(checked)]
    fn of_value(x: &[f64]) -> Vec<f64> {
        vec![x[0], value(x[1])]
    }

    #[test]
    fn another_value() {
        refused!(
            of_value::vjp(&[1.0, 2.0], vec![1.0, 1.0]),
            "of_value: the value of the forward rule is 6.000000001 in `[1]` of the result, that of the function 6.0"
        );
    }

    #[primitive(frule = state_frule, rrule = state_rrule)]
    fn state(v: &mut [f64], k: f64) {
        v[0] *= k;
    }

    fn state_frule(
        Dual(v, v_dot): Dual<&mut [f64], &mut [f64]>,
        Dual(k, k_dot): Dual<f64, f64>,
    ) -> Dual<(), NoTangent> {
        v_dot[0] = v_dot[0] * k + v[0] * k_dot;
        v[0] *= k;
        Dual((), NoTangent)
    }

    /// Its pullback restores nothing.
    fn state_rrule(
        v: &mut [f64],
        k: f64,
    ) -> (
        (),
        impl FnOnce(NoTangent, CoDual<&mut [f64], &mut [f64]>) -> f64 + use<>,
    ) {
        let before = v[0];
        v[0] *= k;
        let pullback = move |_: NoTangent, CoDual(_, v_bar): CoDual<&mut [f64], &mut [f64]>| {
            let k_bar = v_bar[0] * before;
            v_bar[0] *= k;
            k_bar
        };
        ((), pullback)
    }

    #[differentiable(checked)]
    fn of_state(v: &mut [f64], k: f64) -> f64 {
        state(v, k);
        v[0] * 2.0
    }

    #[test]
    fn memory_that_is_not_restored() {
        let v = &mut [3.0, 4.0];
        refused!(
            of_state::gradient(v, 2.0),
            "of_state: the reverse rule leaves 6.0 in `v[0]`, which has to be restored: 3.0"
        );
    }

    #[differentiable(checked)]
    fn difference(x: &[f64]) -> f64 {
        x[0] + x[1].sqrt() - (2.0 * x[1]).sqrt()
    }

    #[differentiable(checked)]
    fn root(x: f64) -> f64 {
        x.sqrt()
    }

    #[test]
    fn numbers_that_are_none() {
        refused!(
            difference::gradient(&[1.0, 0.0]),
            "difference: the cotangent of `x[1]` that `value_and_gradient` returns is NaN, though the value and all that it comes from is finite"
        );
        // Nothing else is expected of values that aren't finite.
        assert!(difference::gradient(&[f64::INFINITY, 0.0])[1].is_nan());
        assert!(difference::jvp(&[1.0, 0.0], &[f64::NAN, 0.0]).1.is_nan());
        // An infinite derivative may be right.
        assert_eq!(root::gradient(0.0), f64::INFINITY);
        assert_eq!(root::derivative(0.0), f64::INFINITY);
    }
}
