//! `#[constant]` takes what isn't active: numbers, integers, other constants, and `stop_gradient(..)` of anything.

use chainrule::prelude::*;

#[differentiable]
fn kept(x: f64, #[constant] scratch: &mut Vec<f64>, #[constant] n: usize) -> f64 {
    scratch.clear();
    scratch.resize(n, 0.5);
    scratch.push(stop_gradient(x));
    scratch[0] = n as f64;
    let mut s = 0.0;
    for (i, w) in scratch.iter_mut().enumerate() {
        *w += i as f64;
        s += *w * x * x;
    }
    s
}

#[test]
fn constants_are_written_by_what_is_inactive() {
    let mut scratch = vec![7.0; 3];
    let mut at = |x: f64| {
        let (y, y_dot) = kept::jvp(x, &mut scratch, 2, 1.0);
        assert_eq!(scratch, [2.0, 1.5, x + 2.0]);
        assert_eq!(y, (5.5 + x) * x * x);
        y_dot
    };
    assert_eq!(at(3.0), 2.0 * 8.5 * 3.0);
    assert_eq!(kept::derivative(3.0, &mut scratch, 2), 2.0 * 8.5 * 3.0);
    assert_eq!(kept::gradient(3.0, &mut scratch, 2), 2.0 * 8.5 * 3.0);
}

// What is handed to a constant parameter.

#[differentiable]
#[inline(never)]
fn scaled(x: f64, #[constant] k: f64) -> f64 {
    x * k
}

#[differentiable]
#[inline(never)]
fn weighted(x: f64, #[constant] w: &[f64]) -> f64 {
    x * x * w[0]
}

#[differentiable]
fn passed(x: f64, n: usize, #[constant] c: f64) -> f64 {
    let t = [1.0, c];
    scaled(x, 2.0)
        + scaled(x, c * 2.0)
        + scaled(x, stop_gradient(x))
        + scaled(x, n as f64)
        + weighted(x, &t)
        + weighted(x, &[1.5])
        + weighted(x, &vec![c; n])
}

#[test]
fn what_is_inactive_is_handed_over() {
    let (x, n, c) = (3.0, 2, 0.5);
    let expected = 2.0 + 1.0 + x + 2.0 + 2.0 * x * (1.0 + 1.5 + c);
    assert_eq!(passed::derivative(x, n, c), expected);
    assert_eq!(passed::gradient(x, n, c), expected);
    assert_eq!(passed::jvp(x, n, c, 1.0).1, expected);
}

#[derive(Differentiable, Clone)]
struct Model {
    a: f64,
    #[constant]
    k: f64,
    #[constant]
    t: Vec<f64>,
    i: usize,
}

#[differentiable]
impl Model {
    fn one(&self, #[constant] j: f64, x: f64) -> f64 {
        x * j * self.a
    }

    /// What comes from constant fields alone is inactive, also where it is computed.
    fn all(&self, x: f64) -> f64 {
        let kept = self.k;
        let made = self.k * 2.0 + 1.0;
        let list = &self.t;
        scaled(x, self.k)
            + scaled(x, self.k * self.k)
            + scaled(x, kept)
            + scaled(x, made)
            + scaled(x, self.t[self.i])
            + scaled(x, self.i as f64)
            + weighted(x, &self.t)
            + weighted(x, list)
            + weighted(x, &self.t[1..])
            + self.one(self.k, x)
    }
}

#[differentiable]
fn of_a_model(m: &Model, x: f64) -> f64 {
    m.all(x)
}

#[test]
fn constant_fields_are_handed_over() {
    let m = Model {
        a: 0.7,
        k: 1.5,
        t: vec![2.0, 3.0],
        i: 1,
    };
    let x = 3.0;
    let (m_bar, x_bar) = of_a_model::gradient(&m, x);
    let slope = 1.5 + 2.25 + 1.5 + 4.0 + 3.0 + 1.0 + 2.0 * x * (2.0 + 2.0 + 3.0) + 1.5 * 0.7;
    assert!((x_bar - slope).abs() < 1e-12);
    assert!((m_bar.a - x * 1.5).abs() < 1e-12);
}
