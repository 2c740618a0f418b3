//! `chainrule::functions`: derivatives against closed forms and differences, and where naive forms overflow or cancel.

use chainrule::prelude::*;

const INF: f64 = f64::INFINITY;
const NAN: f64 = f64::NAN;

mod scalars {
    use chainrule::functions::{log1pexp, logaddexp, logistic, softplus, xlog1py, xlogy};
    use chainrule::prelude::*;

    use super::{INF, NAN};
    use crate::check::{assert_close, table};

    /// Called from a differentiable function, once with arguments of a type that only rustc knows.
    #[differentiable]
    #[inline(never)]
    fn composed(x: f64, y: f64) -> f64 {
        let z = logistic(x) + softplus(y);
        logaddexp(z, x * y) * xlogy(x, z) + xlog1py(y, z * z)
    }

    table! {
        logistic: (0.7), (-3.0), (0.0) => [0.25];
        log1pexp: (0.7), (-3.0), (0.0) => [0.5];
        logaddexp: (0.7, 1.9), (1.9, 0.7), (-0.4, -0.4) => [0.5, 0.5];
        xlogy: (0.7, 1.9) => [1.9_f64.ln(), 0.7 / 1.9], (0.0, 1.9) => [1.9_f64.ln(), 0.0], (-0.7, 0.3);
        xlog1py: (0.7, 1.9) => [1.9_f64.ln_1p(), 0.7 / 2.9], (0.0, -0.4) => [(-0.4_f64).ln_1p(), 0.0];
        composed: (0.7, 1.9), (0.3, -0.6);
    }

    #[test]
    fn values_keep_their_digits() {
        assert_close(
            &[logistic(-40.0), logistic(0.0), logistic(40.0)],
            &[(-40.0_f64).exp(), 0.5, 1.0],
        );
        assert_close(
            &[log1pexp(-40.0), log1pexp(40.0)],
            &[(-40.0_f64).exp(), 40.0],
        );
        assert_close(&[xlog1py(2.0, 1e-20)], &[2e-20]);
        assert_close(
            &[logaddexp(-1000.0, -1000.0)],
            &[-1000.0 + std::f64::consts::LN_2],
        );
    }

    #[test]
    fn slopes_keep_their_digits() {
        let e = (-40.0_f64).exp();
        assert_close(
            &[logistic::derivative(-40.0), logistic::derivative(40.0)],
            &[e, e],
        );
        assert_close(
            &[logistic::hvp(-40.0, 1.0), logistic::hvp(40.0, 1.0)],
            &[e, -e],
        );
        assert_close(
            &[log1pexp::derivative(-40.0), log1pexp::hvp(40.0, 1.0)],
            &[e, e],
        );
        assert_close(&[logaddexp::gradient(40.0, 0.0).1], &[e / (1.0 + e)]);
        // At a tie, and at the middle, the second derivatives are those of the smooth function.
        assert_eq!(
            (logistic::hvp(0.0, 1.0), log1pexp::hvp(0.0, 1.0)),
            (0.0, 0.25)
        );
        assert_eq!(logaddexp::hvp(3.0, 3.0, 1.0, 0.0), (0.25, -0.25));
    }

    #[test]
    fn saturation() {
        for (x, y) in [(-1000.0, 0.0), (-INF, 0.0), (1000.0, 1.0), (INF, 1.0)] {
            assert_eq!(logistic::value_and_gradient(x), (y, 0.0), "{x}");
            assert_eq!(
                (logistic::derivative(x), logistic::hvp(x, 1.0)),
                (0.0, 0.0),
                "{x}"
            );
            let value = if x > 0.0 { x } else { 0.0 };
            assert_eq!(log1pexp::value_and_gradient(x), (value, y), "{x}");
            assert_eq!(
                (log1pexp::derivative(x), log1pexp::hvp(x, 1.0)),
                (y, 0.0),
                "{x}"
            );
        }
        for (a, b, value, bars) in [
            (1000.0, -1000.0, 1000.0, (1.0, 0.0)),
            (-1000.0, 1000.0, 1000.0, (0.0, 1.0)),
            (3.0, -INF, 3.0, (1.0, 0.0)),
            (3.0, INF, INF, (0.0, 1.0)),
            (INF, -INF, INF, (1.0, 0.0)),
            (INF, INF, INF, (0.5, 0.5)),
            (-INF, -INF, -INF, (0.5, 0.5)),
        ] {
            assert_eq!(
                logaddexp::value_and_gradient(a, b),
                (value, bars),
                "{a}, {b}"
            );
            assert_eq!(logaddexp::hvp(a, b, 1.0, 0.0), (0.0, 0.0), "{a}, {b}");
        }
        assert!(logistic(NAN).is_nan() && logistic::derivative(NAN).is_nan());
        assert!(
            log1pexp(NAN).is_nan() && logaddexp(NAN, 1.0).is_nan() && logaddexp(INF, NAN).is_nan()
        );
    }

    #[test]
    fn zero_times_a_logarithm() {
        for y in [0.0, INF, -1.0, 2.0] {
            assert_eq!(xlogy(0.0, y), 0.0);
            assert_eq!(xlogy::jvp(0.0, y, 0.0, 1.0), (0.0, 0.0), "{y}");
            assert_eq!(xlogy::vjp(0.0, y, 0.0).1, (0.0, 0.0), "{y}");
        }
        assert_eq!(xlogy::gradient(0.0, 0.0), (-INF, 0.0));
        assert_eq!(xlogy::gradient(2.0, 0.0), (-INF, INF));
        // The second derivative by both is 1/y, at x = 0 too.
        assert_eq!(xlogy::hvp(0.0, 4.0, 1.0, 0.0), (0.0, 0.25));
        assert_eq!(xlogy::hvp(0.0, 4.0, 0.0, 1.0), (0.25, 0.0));
        assert_eq!(xlog1py(0.0, -1.0), 0.0);
        assert_eq!(xlog1py::gradient(0.0, -1.0), (-INF, 0.0));
        assert_eq!(xlog1py::hvp(0.0, 3.0, 1.0, 0.0), (0.0, 0.25));
        assert!(xlogy(0.0, NAN).is_nan() && xlog1py(0.0, NAN).is_nan());
    }
}

mod slices {
    use chainrule::functions::{logsumexp, norm, softmax, softmax_into};
    use chainrule::prelude::*;

    use super::{INF, NAN};
    use crate::check::{assert_close, map_table, table};

    /// Cross-entropy of a softmax, and a norm that weighs.
    #[differentiable]
    #[inline(never)]
    fn composed(x: &[f64], a: f64) -> f64 {
        let p = softmax(x);
        let mut total = 0.0;
        for i in 0..p.len() {
            total -= p[i].ln() * (i as f64 + a);
        }
        total * norm(x) + logsumexp(x)
    }

    #[differentiable]
    fn into_a_buffer(x: &[f64], w: &[f64]) -> f64 {
        let mut y = vec![0.0; x.len()];
        softmax_into(x, &mut y);
        let mut total = 0.0;
        for i in 0..x.len() {
            total += y[i] * y[i] * w[i];
        }
        total
    }

    table! {
        logsumexp: (&vec![0.4]) => [1.0], (&vec![0.4, -1.1, 2.0]), (&vec![2.0, 2.0]) => [0.5, 0.5];
        norm: (&vec![3.0, 4.0]) => [0.6, 0.8], (&vec![0.4, -1.1, 2.0]), (&vec![-2.0]) => [-1.0];
        composed: (&vec![0.4, -1.1, 2.0], 0.7);
        into_a_buffer: (&vec![0.4, -1.1, 2.0], &vec![1.0, -2.0, 0.5]);
    }

    map_table! {
        softmax: (&vec![0.4, -1.1, 2.0]), (&vec![0.3]);
        softmax_into: (&vec![0.4, -1.1, 2.0], &mut vec![5.0, 6.0, 7.0]);
    }

    #[test]
    fn sums_of_exponentials_at_the_ends() {
        for (x, value, gradient) in [
            ([1000.0, -1000.0], 1000.0, [1.0, 0.0]),
            ([-1000.0, -2000.0], -1000.0, [1.0, 0.0]),
            ([2.0, -INF], 2.0, [1.0, 0.0]),
            ([2.0, INF], INF, [0.0, 1.0]),
            ([INF, INF], INF, [0.5, 0.5]),
            ([-INF, -INF], -INF, [0.5, 0.5]),
        ] {
            assert_eq!(
                logsumexp::value_and_gradient(&x),
                (value, gradient.to_vec()),
                "{x:?}"
            );
            assert_eq!(logsumexp::hvp(&x, &[1.0, 0.0]), [0.0, 0.0], "{x:?}");
            assert_eq!(softmax(&x), gradient, "{x:?}");
            assert!(
                softmax::jacobian(&x).as_slice().iter().all(|p| *p == 0.0)
                    || x == [INF, INF]
                    || x == [-INF, -INF]
            );
        }
        assert_eq!(logsumexp::value_and_gradient(&[]), (-INF, vec![]));
        assert!(softmax(&[]).is_empty());
        for x in [[NAN, 1.0], [1.0, NAN], [INF, NAN], [NAN, -INF]] {
            assert!(
                logsumexp(&x).is_nan()
                    && norm(&x).is_nan()
                    && softmax(&x).iter().any(|y| y.is_nan()),
                "{x:?}"
            );
        }
    }

    #[test]
    fn softmax_of_infinities_has_no_derivative() {
        for x in [[INF, INF], [-INF, -INF]] {
            assert_eq!(softmax::jacobian(&x).as_slice(), [0.0; 4]);
        }
    }

    #[test]
    fn norms_at_the_ends() {
        for (x, value, gradient) in [
            ([0.0, 0.0], 0.0, [0.0, 0.0]),
            ([-0.0, 0.0], 0.0, [0.0, 0.0]),
            ([-INF, 3.0], INF, [-1.0, 0.0]),
        ] {
            assert_eq!(
                norm::value_and_gradient(&x),
                (value, gradient.to_vec()),
                "{x:?}"
            );
            assert_eq!(
                norm::jvp(&x, &[1.0, 1.0]).1,
                gradient[0] + gradient[1],
                "{x:?}"
            );
            assert_eq!(norm::hvp(&x, &[1.0, 0.0]), [0.0, 0.0], "{x:?}");
        }
        for scale in [1e-310, 1e-200, 1.0, 1e200] {
            let (value, gradient) = norm::value_and_gradient(&[3.0 * scale, -4.0 * scale]);
            let error = if scale < 1e-300 { 1e-12 } else { 1e-15 };
            assert!(
                (value / (5.0 * scale) - 1.0).abs() < error,
                "{scale}: {value:e}"
            );
            assert!(
                (gradient[0] - 0.6).abs() < error && (gradient[1] + 0.8).abs() < error,
                "{scale}: {gradient:?}"
            );
        }
        assert_eq!(norm::value_and_gradient(&[]), (0.0, vec![]));
        let half = 0.5_f64.sqrt();
        assert_close(&norm::gradient(&[INF, -INF]), &[half, -half]);
    }

    #[test]
    #[should_panic(expected = "the buffer's length")]
    fn a_buffer_of_another_length() {
        softmax_into(&[1.0, 2.0], &mut [0.0; 3]);
    }
}

mod in_single_precision {
    use chainrule::functions::single::{
        log1pexp, logaddexp, logistic, logsumexp, norm, softmax, xlogy,
    };

    use crate::check::table;

    table! {
        logistic: (0.7), (0.0) => [0.25];
        log1pexp: (-0.7);
        logaddexp: (0.7, 1.2);
        xlogy: (0.7, 1.2);
        logsumexp: (&vec![0.4_f32, -1.1, 2.0]);
        norm: (&vec![3.0_f32, 4.0]);
    }

    #[test]
    fn saturation() {
        assert_eq!(logistic::value_and_gradient(-200.0), (0.0, 0.0));
        assert_eq!(log1pexp::value_and_gradient(200.0), (200.0, 1.0));
        assert_eq!(logsumexp::gradient(&[200.0, -200.0]), [1.0, 0.0]);
        assert_eq!(softmax(&[200.0, 200.0]), [0.5, 0.5]);
        let (value, gradient) = norm::value_and_gradient(&[3e30, 4e30]);
        assert!((value / 5e30 - 1.0).abs() < 1e-6 && (gradient[0] - 0.6).abs() < 1e-6);
        assert_eq!(norm::gradient(&[0.0, 0.0]), [0.0, 0.0]);
    }
}

/// A cotangent of zero where a partial is infinite.
#[differentiable]
fn weighted(w: f64, x: f64, y: f64) -> f64 {
    w * chainrule::functions::xlogy(x, y)
}

#[test]
fn zero_cotangents_are_strong() {
    assert_eq!(weighted::gradient(0.0, 2.0, 0.0), (-INF, 0.0, 0.0));
    assert_eq!(weighted::hvp(0.0, 2.0, 0.0, 0.0, 1.0, 0.0).1, 0.0);
}
