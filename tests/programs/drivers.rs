//! What every rule offers: shapes of results, buffers, panics, options, visibility, generic parameters.

use chainrule::prelude::*;
use chainrule::{Matrix, Tangent};

use crate::check::{assert_close, check, irregular};

#[differentiable]
#[inline(never)]
fn cube(x: f64) -> f64 {
    x * x * x
}

/// Doc comments and attributes stay with the function.
#[differentiable]
#[inline]
#[must_use]
fn nll(w: &[f64], #[constant] x: &[f64], #[constant] y: &[f64]) -> f64 {
    let d = w.len();
    let mut total = 0.0;
    for i in 0..y.len() {
        let row = &x[i * d..(i + 1) * d];
        let mut z = 0.0;
        for j in 0..d {
            z += w[j] * row[j];
        }
        total += z.exp().ln_1p() - y[i] * z;
    }
    total
}

#[differentiable]
fn polar(p: &[f64]) -> Vec<f64> {
    vec![p[0] * p[1].cos(), p[0] * p[1].sin(), p[0] * p[0]]
}

#[differentiable]
fn wide(x: [f64; 3]) -> [f64; 2] {
    [x[0] * x[1], x[1] + x[2].sin()]
}

#[differentiable]
fn tall(x: &[f64; 2], #[constant] k: f64) -> [f64; 4] {
    [k * x[0], x[1] * x[0], k, x[1] * x[1]]
}

#[differentiable]
fn moved(v: Vec<f64>) -> Vec<f64> {
    let mut v = v;
    for i in 1..v.len() {
        v[i] *= v[i - 1];
    }
    v
}

#[differentiable]
fn of_an_array(x: [f64; 3]) -> f64 {
    x[0] * x[1] * x[2] + x[2] * x[2]
}

#[differentiable]
fn of_a_vec(x: Vec<f64>) -> f64 {
    let mut z = 1.0;
    for i in 0..x.len() {
        z *= x[i];
    }
    z
}

#[differentiable]
#[inline(never)]
fn several(a: f64, x: &[f64], #[constant] k: f64, m: [f64; 2], v: &mut [f64], n: usize) -> f64 {
    v[0] *= a;
    a * x[0] * m[1] + k * v[0] * m[0] * n as f64
}

type Loss = f64;

#[differentiable]
#[inline(never)]
fn behind_an_alias(x: f64) -> Loss {
    let y: Loss = cube(x);
    y
}

#[test]
fn derivative() {
    assert_eq!(cube::derivative(2.0), 12.0);
    assert_eq!(cube::gradient(2.0), 12.0);
    assert_eq!(cube::value_and_gradient(2.0), (8.0, 12.0));
    assert_eq!(cube::jvp(2.0, 0.5), (8.0, 6.0));
    assert_eq!(cube::vjp(2.0, 0.5), (8.0, 6.0));
    assert_eq!(cube::hvp(2.0, 0.5), 6.0);
    let (y, pullback) = cube::rrule(2.0);
    assert_eq!((y, pullback(0.5)), (8.0, 6.0));
    assert_eq!(cube::frule(Dual(2.0, 0.5)), Dual(8.0, 6.0));
    let mut x_bar = 100.0;
    assert_eq!(cube::value_and_gradient_into(2.0, &mut x_bar), 8.0);
    assert_eq!(x_bar, 12.0);
}

/// The example of the documentation, in its types.
#[test]
fn logistic_regression() {
    let (w, x, y) = (
        vec![0.3, -0.8],
        vec![1.0, 0.5, -1.5, 2.0, 0.1, 0.4],
        vec![1.0, 0.0, 1.0],
    );
    let (value, gradient): (f64, Vec<f64>) = nll::value_and_gradient(&w, &x, &y);
    assert_eq!(value, nll(&w, &x, &y));
    let mut want = vec![0.0; 2];
    for i in 0..3 {
        let z = w[0] * x[2 * i] + w[1] * x[2 * i + 1];
        for j in 0..2 {
            want[j] += (1.0 / (1.0 + (-z).exp()) - y[i]) * x[2 * i + j];
        }
    }
    assert_close(&gradient, &want);
    let mut buffer = vec![f64::NAN; 2];
    assert_eq!(nll::value_and_gradient_into(&w, &x, &y, &mut buffer), value);
    assert_eq!(buffer, gradient);
    let w_dot = vec![0.5, 0.25];
    let Dual(value_again, y_dot) = nll::frule(Dual(&w, &w_dot), &x, &y);
    assert_eq!(value_again, value);
    assert_close(&[y_dot], &[0.5 * want[0] + 0.25 * want[1]]);
    let (_, pullback) = nll::rrule(&w, &x, &y);
    let mut w_bar = vec![1.0, 2.0];
    pullback(2.0, CoDual(&w, &mut w_bar), &x, &y);
    assert_close(&w_bar, &[1.0 + 2.0 * want[0], 2.0 + 2.0 * want[1]]);
    let _product: Vec<f64> = nll::hvp(&w, &x, &y, &w_dot);
    check!(nll(&w, const &x, const &y));
}

/// The gradient of a borrowed slice is a `Vec`; of an array, an array; of several parameters, a tuple.
#[test]
fn forms_of_gradients() {
    let mut v = [0.4, 0.6];
    let (a_bar, x_bar, m_bar, v_bar): (f64, Vec<f64>, [f64; 2], Vec<f64>) =
        several::gradient(2.0, &[3.0, 5.0], 0.5, [0.25, 4.0], &mut v, 2);
    assert_eq!(v, [0.4, 0.6]);
    assert_eq!(
        (a_bar, x_bar),
        (12.0 + 0.5 * 0.4 * 0.25 * 2.0, vec![8.0, 0.0])
    );
    assert_eq!((m_bar, v_bar), ([0.5 * 0.8 * 2.0, 6.0], vec![0.5, 0.0]));
    let (mut a_buffer, mut x_buffer, mut m_buffer, mut v_buffer) =
        (9.0, [9.0; 2], [9.0; 2], [9.0; 2]);
    let y = several::value_and_gradient_into(
        2.0,
        &[3.0, 5.0],
        0.5,
        [0.25, 4.0],
        &mut v,
        2,
        &mut a_buffer,
        &mut x_buffer,
        &mut m_buffer,
        &mut v_buffer,
    );
    assert_eq!(
        y,
        several(2.0, &[3.0, 5.0], 0.5, [0.25, 4.0], &mut [0.4, 0.6], 2)
    );
    assert_eq!(
        (a_buffer, x_buffer.to_vec(), m_buffer, v_buffer.to_vec()),
        several::gradient(2.0, &[3.0, 5.0], 0.5, [0.25, 4.0], &mut v, 2)
    );
    check!(several(2.0, &[3.0, 5.0], const 0.5, [0.25, 4.0], &mut [0.4, 0.6], const 2));
}

#[test]
fn jacobian_by_columns_and_by_rows() {
    let p = [2.0, 0.5_f64];
    let (s, c) = p[1].sin_cos();
    let j: Matrix = polar::jacobian(&p);
    assert_eq!((j.nrows(), j.ncols()), (3, 2));
    assert_close(j.as_slice(), &[c, -2.0 * s, s, 2.0 * c, 4.0, 0.0]);
    assert_eq!(j.row(2), [4.0, 0.0]);
    assert_eq!(j[(0, 0)], c);
    let j = wide::jacobian([2.0, 3.0, 0.5]);
    assert_eq!((j.nrows(), j.ncols()), (2, 3));
    assert_close(j.as_slice(), &[3.0, 2.0, 0.0, 0.0, 1.0, 0.5_f64.cos()]);
    let j = tall::jacobian(&[2.0, 3.0], 1.5);
    assert_eq!(j.into_vec(), [1.5, 0.0, 3.0, 2.0, 0.0, 0.0, 0.0, 6.0]);
    let j = moved::jacobian(vec![2.0, 3.0, 5.0]);
    assert_eq!(
        j.as_slice(),
        [1.0, 0.0, 0.0, 3.0, 2.0, 0.0, 15.0, 10.0, 6.0]
    );
    let j = moved::jacobian(Vec::new());
    assert_eq!((j.nrows(), j.ncols()), (0, 0));
}

#[test]
fn hessian_of_owned_parameters() {
    let h = of_an_array::hessian([2.0, 3.0, 5.0]);
    assert_eq!(h.as_slice(), [0.0, 5.0, 3.0, 5.0, 0.0, 2.0, 3.0, 2.0, 2.0]);
    let h = of_a_vec::hessian(vec![2.0, 3.0, 5.0]);
    assert_eq!(h.as_slice(), [0.0, 5.0, 3.0, 5.0, 0.0, 2.0, 3.0, 2.0, 0.0]);
    assert!(of_a_vec::hessian(Vec::new()).as_slice().is_empty());
}

/// The macro can't know that the result is a float; rustc does.
#[test]
fn result_behind_an_alias() {
    assert_eq!(behind_an_alias::gradient(2.0), 12.0);
    assert_eq!(behind_an_alias::value_and_gradient(2.0), (8.0, 12.0));
    assert_eq!(behind_an_alias::derivative(2.0), 12.0);
    check!(behind_an_alias(0.7));
}

/// A gradient can be used as what it is: a vector.
#[test]
fn gradients_are_tangents() {
    let mut g = of_an_array::gradient([2.0, 3.0, 5.0]);
    g.scale(2.0);
    assert_eq!(g, [30.0, 20.0, 32.0]);
    assert_eq!(g.inner(&[1.0, 0.0, 1.0]), 62.0);
}

macro_rules! panics {
    ($($name:ident: $call:expr, $message:literal;)*) => {$(
        #[test]
        #[should_panic(expected = $message)]
        fn $name() {
            let _ = $call;
        }
    )*};
}

/// Shapes are checked at entry, and both lengths are said.
mod shapes {
    use super::*;

    const W: [f64; 2] = [0.3, -0.8];

    panics! {
        direction_of_frule: nll::frule(Dual(&W, &[0.0; 3]), &[], &[]),
            "nll: the shadow of `w` has length 3, the argument 2";
        direction_of_jvp: nll::jvp(&W, &[], &[], &[0.0]), "nll: the shadow of `w` has length 1, the argument 2";
        direction_of_hvp: nll::hvp(&W, &[], &[], &[0.0; 4]), "nll: the shadow of `w` has length 4, the argument 2";
        buffer: nll::value_and_gradient_into(&W, &[], &[], &mut [0.0]),
            "nll: the shadow of `w` has length 1, the argument 2";
        shadow: nll::rrule(&W, &[], &[]).1(1.0, CoDual(&W, &mut [0.0; 3]), &[], &[]),
            "nll: the shadow of `w` has length 3, the argument 2";
    }

    /// Nothing has been written by then.
    #[test]
    fn nothing_is_written_before_the_check() {
        let (mut v, mut buffers) = ([0.4, 0.6], (9.0, [9.0; 2], [9.0; 2], [9.0; 3]));
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            several::value_and_gradient_into(
                2.0,
                &[3.0, 5.0],
                0.5,
                [0.25, 4.0],
                &mut v,
                2,
                &mut buffers.0,
                &mut buffers.1,
                &mut buffers.2,
                &mut buffers.3,
            )
        }));
        let message = *result.unwrap_err().downcast::<String>().unwrap();
        assert_eq!(
            message,
            "several: the shadow of `v` has length 3, the argument 2"
        );
        assert_eq!(
            (v, buffers),
            ([0.4, 0.6], (9.0, [9.0; 2], [9.0; 2], [9.0; 3]))
        );
    }
}

/// Where a function and its rules are seen.
mod visibility {
    mod inside {
        use chainrule::prelude::*;

        #[differentiable]
        #[inline(never)]
        pub(super) fn seen(x: f64) -> f64 {
            unseen(x) * x
        }

        #[differentiable]
        #[inline(never)]
        fn unseen(x: f64) -> f64 {
            x * x
        }
    }

    use inside::seen;

    /// One `use` brings both.
    #[test]
    fn function_and_rules() {
        assert_eq!((seen(2.0), seen::gradient(2.0)), (8.0, 12.0));
    }
}

/// A module that has the name of its function; and a name for the rules.
mod erf {
    use chainrule::prelude::*;

    #[differentiable(rules = erf_rules)]
    pub(super) fn erf(x: f64) -> f64 {
        x * x
    }
}
use erf::{erf, erf_rules};

#[test]
fn rules_under_another_name() {
    assert_eq!((erf(3.0), erf_rules::gradient(3.0)), (9.0, 6.0));
}

/// The generated paths can be told where the crate is.
mod elsewhere {
    pub(super) mod hidden {
        pub(crate) use chainrule as renamed;
    }

    #[chainrule::differentiable(crate = crate::drivers::elsewhere::hidden::renamed)]
    pub(super) fn square(x: f64) -> f64 {
        x * x
    }
}

#[test]
fn path_of_the_crate() {
    assert_eq!(elsewhere::square::gradient(3.0), 6.0);
}

#[differentiable]
fn weighted<const N: usize>(w: &[f64; N], x: [f64; N]) -> f64 {
    let mut z = 0.0;
    for i in 0..N {
        z += w[i] * x[i];
    }
    z
}

#[differentiable]
fn with_lifetimes<'a, 'b: 'a>(x: &'a [f64], y: &'b [f64]) -> f64
where
    'b: 'a,
{
    x[0] * y[0]
}

#[test]
fn generic_parameters_are_those_of_the_function() {
    assert_eq!(
        weighted::gradient::<2>(&[2.0, 3.0], [5.0, 7.0]),
        ([5.0, 7.0], [2.0, 3.0])
    );
    check!(weighted(&[0.7, 1.9, -0.4], [0.3, -0.8, 1.1]));
    assert_eq!(
        with_lifetimes::gradient(&[2.0], &[3.0]),
        (vec![3.0], vec![2.0])
    );
    check!(with_lifetimes(&[0.7], &[1.9]));
}

#[differentiable]
const fn constant_function(x: f64) -> f64 {
    x * x
}

#[test]
fn const_functions_have_rules() {
    const NINE: f64 = constant_function(3.0);
    assert_eq!((NINE, constant_function::gradient(3.0)), (9.0, 6.0));
}

/// Functions without anything to differentiate still have rules, for callers that can't know.
#[differentiable]
fn without_parameters() -> f64 {
    1.5
}

#[differentiable]
fn only_constants(n: usize, #[constant] x: f64, s: &str) -> f64 {
    x * n as f64 + s.len() as f64
}

#[test]
fn nothing_to_differentiate() {
    assert_eq!(without_parameters::frule(), Dual(1.5, 0.0));
    let (y, pullback) = without_parameters::rrule();
    pullback(1.0);
    assert_eq!(y, 1.5);
    assert_eq!(only_constants::frule(2, 0.5, "abc"), Dual(4.0, 0.0));
    let (y, pullback) = only_constants::rrule(2, 0.5, "abc");
    pullback(1.0, "abc");
    assert_eq!(y, 4.0);
}

/// A pullback may go to another thread, and be called after its arguments have moved.
#[test]
fn pullbacks_hold_no_references() {
    let w = irregular(5, 1.0);
    let (_, pullback) = nll::rrule(&w, &[], &[]);
    let moved = w;
    let handle = std::thread::spawn(move || {
        let mut w_bar = vec![1.0; 5];
        pullback(1.0, CoDual(&moved, &mut w_bar), &[], &[]);
        w_bar
    });
    assert_eq!(handle.join().unwrap(), [1.0; 5]);
}
