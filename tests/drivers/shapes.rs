//! Each driver refuses tangents, cotangents and buffers of the wrong shape. The message names the argument and both shapes, and stands at the caller's line.

use std::collections::VecDeque;

use chainrule::prelude::*;
use chainrule::sparse::{HessianPlan, JacobianPlan, Pattern};

use crate::panics::{caught, refused};

/// Three results of two arguments.
#[differentiable]
#[inline(never)]
fn grown(x: &[f64]) -> Vec<f64> {
    let mut y = Vec::new();
    for i in 0..x.len() {
        y.push(x[i] * x[i]);
    }
    y.push(x[0] * x[1]);
    y
}

#[differentiable]
#[inline(never)]
fn rows(x: &[f64]) -> Vec<Vec<f64>> {
    let mut y = Vec::new();
    for i in 0..x.len() {
        let mut row = vec![x[i]];
        if i > 0 {
            row.push(x[i] * x[0]);
        }
        y.push(row);
    }
    y
}

#[derive(Clone, Debug, Differentiable)]
struct Layer {
    weights: Vec<f64>,
    bias: f64,
}

#[differentiable]
#[inline(never)]
fn layer(x: &[f64]) -> Layer {
    Layer {
        weights: vec![x[0], x[0] * x[1]],
        bias: x[1],
    }
}

#[differentiable]
#[inline(never)]
fn maybe(x: &[f64]) -> Option<Vec<f64>> {
    if x[0] > 0.0 {
        Some(vec![x[0] * x[1], x[1]])
    } else {
        None
    }
}

#[differentiable]
#[inline(never)]
fn pair(x: &[f64]) -> (f64, Vec<f64>) {
    (x[0] * x[1], vec![x[1]; 2])
}

#[differentiable]
#[inline(never)]
fn queue(x: &[f64]) -> VecDeque<f64> {
    let mut y = VecDeque::new();
    y.push_back(x[0] * x[1]);
    y.push_front(x[1]);
    y
}

#[differentiable]
#[inline(never)]
fn by_value(x: Vec<f64>) -> Vec<f64> {
    let mut y = x;
    let first = y[0];
    y.push(first * first);
    y
}

#[differentiable]
#[inline(never)]
fn grown_in_place(x: &[f64], v: &mut Vec<f64>) -> Vec<f64> {
    v.push(x[0] * v[0]);
    vec![v[0] * x[1], v[1]]
}

#[differentiable]
#[inline(never)]
fn generic<F: Real>(x: &[F]) -> Vec<F> {
    vec![x[0] * x[1], x[1], x[0]]
}

#[differentiable(recursive)]
#[inline(never)]
fn powers(x: f64, n: usize) -> Vec<f64> {
    if n == 0 {
        return vec![1.0];
    }
    let mut y = powers(x, n - 1);
    let last = y[n - 1] * x;
    y.push(last);
    y
}

#[derive(Clone, Debug, Differentiable)]
struct Model {
    weights: Vec<f64>,
}

#[differentiable]
impl Model {
    #[inline(never)]
    fn predict(&self, x: &[f64]) -> Vec<f64> {
        vec![self.weights[0] * x[0], x[1], self.weights[1]]
    }

    #[inline(never)]
    fn loss(&self, x: &[f64]) -> f64 {
        self.weights[0] * x[0] * x[0] + self.weights[1] * x[1]
    }

    #[inline(never)]
    fn shrink(&mut self, by: f64) -> f64 {
        self.weights[0] *= by;
        self.weights[0] * self.weights[1]
    }
}

struct Alone {
    scale: f64,
}

impl Alone {
    #[differentiable]
    #[inline(never)]
    fn scaled(#[constant] &self, x: &[f64]) -> Vec<f64> {
        vec![self.scale * x[0], x[1]]
    }
}

#[differentiable]
trait Map {
    fn map(&self, x: &[f64]) -> Vec<f64>;
}

#[differentiable]
impl Map for Model {
    #[inline(never)]
    fn map(&self, x: &[f64]) -> Vec<f64> {
        vec![self.weights[0] * x[0], x[1]]
    }
}

mod twice {
    use chainrule::prelude::*;

    #[differentiable]
    #[inline(never)]
    pub(super) fn twice(x: &[f64]) -> Vec<f64> {
        vec![x[0] * 2.0, x[1] * 2.0]
    }
}
use twice::twice;

#[differentiable]
#[inline(never)]
fn loss(w: &[f64], b: f64, m: [f64; 2], v: &mut [f64]) -> f64 {
    v[0] *= w[0];
    w[0] * w[1] * b + m[0] * v[0]
}

#[differentiable]
#[inline(never)]
fn deep(all: &[Vec<f64>], layer: Layer) -> f64 {
    all[0][0] * all[1][1] * layer.weights[1] * layer.bias
}

const X: [f64; 2] = [0.5, -1.5];

fn model() -> Model {
    Model {
        weights: vec![0.5, 2.0],
    }
}

/// The cotangent of a result whose shape is known once the function has run.
mod cotangents {
    use super::*;

    #[test]
    fn of_a_list() {
        refused!(
            grown::vjp(&X, vec![10.0, 20.0, 30.0, 40.0]),
            "grown: the cotangent of the result has length 4, the result 3",
        );
        refused!(
            grown::vjp(&X, vec![10.0, 20.0]),
            "grown: the cotangent of the result has length 2, the result 3",
        );
        refused!(
            grown::vjp(&X, vec![]),
            "grown: the cotangent of the result has length 0, the result 3",
        );
        assert_eq!(
            grown::vjp(&X, vec![1.0, 10.0, 100.0]).1,
            [1.0 - 150.0, -30.0 + 50.0]
        );
    }

    #[test]
    fn of_lists_of_lists() {
        refused!(
            rows::vjp(&X, vec![vec![1.0]]),
            "rows: the cotangent of the result has length 1, the result 2",
        );
        refused!(
            rows::vjp(&X, vec![vec![1.0], vec![1.0]]),
            "rows: the cotangent of the result at `[1]` has length 1, the result 2",
        );
    }

    #[test]
    fn of_structs_and_enums() {
        let wrong = LayerTangent {
            weights: vec![1.0],
            bias: 1.0,
        };
        refused!(
            layer::vjp(&X, wrong.clone()),
            "layer: the cotangent of the result at `.weights` has length 1, the result 2",
        );
        refused!(
            maybe::vjp(&X, None),
            "maybe: the cotangent of the result is `None`, the result `Some`",
        );
        refused!(
            maybe::vjp(&[-1.0, 1.0], Some(vec![])),
            "maybe: the cotangent of the result is `Some`, the result `None`",
        );
        refused!(
            pair::vjp(&X, (1.0, vec![1.0])),
            "pair: the cotangent of the result at `.1` has length 1, the result 2",
        );
        refused!(
            queue::vjp(&X, VecDeque::from([1.0])),
            "queue: the cotangent of the result has length 1, the result 2",
        );
    }

    #[test]
    fn of_arguments_of_all_kinds() {
        refused!(
            by_value::vjp(vec![1.0, 2.0], vec![1.0]),
            "by_value: the cotangent of the result has length 1, the result 3",
        );
        let mut v = vec![3.0];
        refused!(
            grown_in_place::vjp(&X, &mut v, vec![1.0; 3]),
            "grown_in_place: the cotangent of the result has length 3, the result 2",
        );
        refused!(
            generic::vjp(&[1.0_f32, 2.0], vec![1.0]),
            "generic: the cotangent of the result has length 1, the result 3",
        );
        refused!(
            powers::vjp(2.0, 3, vec![1.0]),
            "powers: the cotangent of the result has length 1, the result 4",
        );
    }

    #[test]
    fn of_methods() {
        let m = model();
        refused!(
            m.predict_vjp(&X, vec![1.0; 4]),
            "predict: the cotangent of the result has length 4, the result 3",
        );
        refused!(
            Alone { scale: 2.0 }.scaled_vjp(&X, vec![1.0]),
            "scaled: the cotangent of the result has length 1, the result 2",
        );
        refused!(
            m.map_vjp(&X, vec![1.0; 3]),
            "map: the cotangent of the result has length 3, the result 2",
        );
        refused!(
            twice::vjp(&X, vec![1.0; 3]),
            "twice: the cotangent of the result has length 3, the result 2",
        );
    }

    #[test]
    fn of_closures() {
        let k = 2.0;
        let f = chainrule::closure!(|x: &[f64]| -> Vec<f64> { vec![k * x[0], x[0] * x[1]] });
        refused!(
            f.vjp(&X, vec![1.0; 3]),
            "closure: the cotangent of the result has length 3, the result 2",
        );
        refused!(
            f.vjp(&X, vec![]),
            "closure: the cotangent of the result has length 0, the result 2",
        );
        let g = chainrule::closure!(|x: Vec<f64>| -> Vec<f64> { vec![k * x[0], x[0] * x[1]] });
        refused!(
            g.vjp(X.to_vec(), vec![1.0; 3]),
            "closure: the cotangent of the result has length 3, the result 2",
        );
        assert_eq!(g.vjp(X.to_vec(), vec![1.0, 0.0]).1, [2.0, 0.0]);
    }

    /// A closure can't be told where it is called from: the message says where the rule was.
    #[test]
    fn of_pullbacks() {
        let (_, pullback) = grown::rrule(&X);
        let mut x_bar = vec![0.0; 2];
        let caught = caught(|| pullback(vec![1.0; 4], CoDual(&X, &mut x_bar)));
        let start = "grown: the cotangent of the result has length 4, the result 3";
        let end = format!("in the pullback of {}:{}:", file!(), line!() - 4);
        assert!(
            caught.message.starts_with(start) && caught.message.contains(&end),
            "{}",
            caught.message
        );
        assert_eq!(x_bar, [0.0; 2]);
        let (_, pullback) = grown::rrule(&X);
        pullback(vec![1.0, 10.0, 100.0], CoDual(&X, &mut x_bar));
        assert_eq!(x_bar, [1.0 - 150.0, -30.0 + 50.0]);
    }
}

/// Drivers in differentiable functions: a wrong shape is reported at the function that calls them.
mod nested {
    use super::*;

    const PULLED: u32 = line!() + 2;

    #[differentiable]
    fn pulled(x: &[f64], w: Vec<f64>) -> f64 {
        grown::vjp(x, w).1[0]
    }

    const PUSHED: u32 = line!() + 2;

    #[differentiable]
    fn pushed(x: &[f64], u: &[f64]) -> f64 {
        grown::jvp(x, u).1[0]
    }

    #[differentiable(nested)]
    fn grown(x: &[f64]) -> Vec<f64> {
        vec![x[0] * x[0], x[0] * x[1], x[1]]
    }

    #[track_caller]
    fn refused_at(line: u32, message: &str, run: impl FnOnce()) {
        let caught = caught(run);
        assert_eq!(caught.message, message);
        let lines = line..line + 4;
        assert!(lines.contains(&caught.line), "{caught:?}");
    }

    #[test]
    fn wrong_shapes() {
        let cotangent = "grown: the cotangent of the result has length 4, the result 3";
        let direction = "grown: the shadow of `x` has length 1, the argument 2";
        let four = || vec![1.0; 4];
        refused_at(PULLED, cotangent, || _ = pulled::gradient(&X, four()));
        refused_at(PULLED, cotangent, || {
            _ = pulled::jvp(&X, four(), &[1.0; 2], four());
        });
        refused_at(PUSHED, direction, || _ = pushed::gradient(&X, &[1.0]));
        refused_at(PUSHED, direction, || {
            _ = pushed::jvp(&X, &[1.0], &[1.0; 2], &[1.0]);
        });
    }
}

/// Shapes that are checked at entry.
mod arguments {
    use super::*;

    const W: &str = "loss: the shadow of `w` has length 3, the argument 2";
    const V: &str = "loss: the shadow of `v` has length 1, the argument 2";
    const M: [f64; 2] = [0.25, 4.0];

    #[test]
    fn directions() {
        let v = &mut [0.4, 0.6];
        let dual_w = Dual(&X[..], &[0.0; 3][..]);
        refused!(
            loss::frule(dual_w, Dual(1.0, 0.0), Dual(M, M), Dual(v, &mut [0.0; 2])),
            W
        );
        let dual_w = Dual(&X[..], &X[..]);
        refused!(
            loss::frule(dual_w, Dual(1.0, 0.0), Dual(M, M), Dual(v, &mut [0.0; 1])),
            V
        );
        refused!(
            loss::jvp(&X, 1.0, M, v, &[0.0; 3], 1.0, M, &mut [0.0; 2]),
            W
        );
        refused!(
            loss::jvp(&X, 1.0, M, v, &[0.0; 2], 1.0, M, &mut [0.0; 1]),
            V
        );
        refused!(
            loss::hvp(&X, 1.0, M, v, &[0.0; 3], 1.0, M, &mut [0.0; 2]),
            W
        );
        refused!(
            loss::hvp(&X, 1.0, M, v, &[0.0; 2], 1.0, M, &mut [0.0; 1]),
            V
        );
        refused!(
            loss::value_gradient_and_hvp(&X, 1.0, M, v, &[0.0; 3], 1.0, M, &mut [0.0; 2]),
            W
        );
        assert_eq!(v, &[0.4, 0.6]);
    }

    #[test]
    fn buffers() {
        let (v, b) = (&mut [0.4, 0.6], &mut 0.0);
        refused!(
            loss::value_and_gradient_into(
                &X,
                1.0,
                M,
                v,
                &mut [0.0; 3],
                b,
                &mut [0.0; 2],
                &mut [0.0; 2]
            ),
            W
        );
        refused!(
            loss::value_and_gradient_into(
                &X,
                1.0,
                M,
                v,
                &mut [0.0; 2],
                b,
                &mut [0.0; 2],
                &mut [0.0; 1]
            ),
            V
        );
        refused!(
            grown::jacobian_into(&X, &mut [0.0; 5]),
            "grown: the buffer `x_jacobian` has length 5, the Jacobian 3 rows of 2",
        );
    }

    #[test]
    fn shadows() {
        let (_, pullback) = grown::rrule(&X);
        let found = caught(|| pullback(vec![1.0; 3], CoDual(&X, &mut [0.0; 3])));
        let start = "grown: the shadow of `x` has length 3, the argument 2, in the pullback of ";
        assert!(found.message.starts_with(start), "{}", found.message);
    }

    #[test]
    fn structs_and_lists() {
        let layer = Layer {
            weights: vec![1.0, 2.0],
            bias: 0.5,
        };
        let all = [vec![1.0], vec![2.0, 3.0]];
        let short = LayerTangent {
            weights: vec![0.0],
            bias: 0.0,
        };
        let message = "deep: the shadow of `layer.weights` has length 1, the argument 2";
        refused!(deep::jvp(&all, layer.clone(), &all, short.clone()), message);
        refused!(deep::hvp(&all, layer.clone(), &all, short.clone()), message);
        let message = "deep: the shadow of `all[1]` has length 1, the argument 2";
        let wrong = [vec![0.0], vec![0.0]];
        let right = layer.zero_tangent();
        refused!(
            deep::jvp(&all, layer.clone(), &wrong, right.clone()),
            message
        );
        refused!(
            deep::value_and_gradient_into(
                &all,
                layer.clone(),
                &mut wrong.clone(),
                &mut right.clone()
            ),
            message
        );
    }

    #[test]
    fn methods() {
        let (mut m, zero) = (model(), model().zero_tangent());
        let mut short = ModelTangent {
            weights: vec![0.0; 3],
        };
        let message = "loss: the shadow of `self.weights` has length 3, the argument 2";
        refused!(m.loss_jvp(&X, &short, &X), message);
        refused!(m.loss_hvp(&X, &short, &X), message);
        refused!(
            m.loss_value_and_gradient_into(&X, &mut short.clone(), &mut [0.0; 2]),
            message
        );
        let message = "loss: the shadow of `x` has length 1, the argument 2";
        refused!(m.loss_jvp(&X, &zero, &[1.0]), message);
        let message = "predict: the buffer `x_jacobian` has length 5, the Jacobian 3 rows of 2";
        refused!(
            m.predict_jacobian_into(&X, &mut [0.0; 6], &mut [0.0; 5]),
            message
        );
        let message = "shrink: the shadow of `self.weights` has length 3, the argument 2";
        refused!(m.shrink_jvp(0.5, &mut short, 1.0), message);
        assert_eq!(m.weights, [0.5, 2.0]);
    }

    #[test]
    fn closures() {
        let k = 2.0;
        let f = chainrule::closure!(|x: &[f64]| k * x[0] * x[1]);
        let message = "closure: the shadow of `x` has length 1, the argument 2";
        refused!(f.jvp(&X, &[1.0]), message);
        refused!(f.hvp(&X, &[1.0]), message);
        refused!(f.value_and_gradient_into(&X, &mut [1.0]), message);
        let f = chainrule::closure!(|x: &[f64]| -> Vec<f64> { vec![k * x[0] * x[1]; 3] });
        let message = "closure: the buffer `x_jacobian` has length 5, the Jacobian 3 rows of 2";
        refused!(f.jacobian_into(&X, &mut [1.0; 5]), message);
    }
}

/// Sparse drivers are closures over these.
mod sparse {
    use super::*;

    #[differentiable]
    fn valley(x: &[f64]) -> f64 {
        x[0] * x[0] * x[1]
    }

    #[test]
    fn patterns_of_something_else() {
        let other = Pattern::new(3, 5, [(0, 0), (2, 4)]);
        refused!(
            JacobianPlan::new(&other).jacobian(|v| grown::jvp(&X, v).1),
            "grown: the shadow of `x` has length 5, the argument 2",
        );
        let other = Pattern::new(3, 3, [(0, 0), (2, 2)]);
        refused!(
            HessianPlan::new(&other).hessian(|v| valley::hvp(&X, v)),
            "valley: the shadow of `x` has length 3, the argument 2",
        );
        let other = Pattern::new(2, 5, [(0, 0), (1, 4)]);
        refused!(
            JacobianPlan::new(&other).jacobian(|w| grown::vjp(&X, w.to_vec()).1),
            "grown: the cotangent of the result has length 5, the result 3",
        );
    }

    #[test]
    fn results_of_changing_length() {
        let mut runs = 0;
        refused!(
            Pattern::along(2, |v| {
                runs += 1;
                vec![v[0] + v[1]; runs]
            }),
            "the product with a direction has length 2, with the zero direction 1",
        );
        let mut runs = 5;
        refused!(
            Pattern::along(2, |v| {
                runs -= 1;
                vec![v[0] + v[1]; runs]
            }),
            "the product with a direction has length 3, with the zero direction 4",
        );
    }
}

/// Arguments don't tell how often it doubles.
#[differentiable]
#[inline(never)]
fn doubled<const TIMES: usize>(x: &[f64]) -> Vec<f64> {
    let mut y = vec![x[0], x[1]];
    for _ in 0..TIMES {
        y[0] *= 2.0;
    }
    y
}

#[test]
fn generic_arguments_of_jacobians() {
    assert_eq!(doubled::jacobian::<3>(&X).as_slice(), [8.0, 0.0, 0.0, 1.0]);
}
