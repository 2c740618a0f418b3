//! `gradient` and `value_and_gradient` of functions whose result may not be there.

use chainrule::prelude::*;

#[differentiable]
fn root(x: f64, y: &[f64]) -> Result<f64, String> {
    if x < 0.0 {
        return Err(format!("{x} is negative"));
    }
    Ok(x.sqrt() * y[0])
}

#[differentiable]
fn first(x: &[f64]) -> Option<f64> {
    let a = x.first()?;
    Some(a * a)
}

#[differentiable]
#[allow(clippy::unnecessary_wraps, reason = "of the kind that is tested")]
fn of_io(x: f64) -> std::io::Result<f64> {
    Ok(x * x)
}

#[differentiable]
fn generic<T: Real>(x: T) -> Option<T> {
    if x > T::ZERO { Some(x * x) } else { None }
}

/// Writes to what it is lent, and then fails.
#[differentiable]
#[allow(clippy::ptr_arg, reason = "of the kind that is tested")]
fn scratched(x: f64, scratch: &mut Vec<f64>) -> Result<f64, &'static str> {
    scratch[0] = x * 2.0;
    if x > 3.0 {
        return Err("too large");
    }
    Ok(scratch[0] * x)
}

struct Settings {
    limit: usize,
}

#[differentiable]
impl Settings {
    fn bounded(&self, x: f64) -> Option<f64> {
        if x < self.limit as f64 {
            Some(x * x * x)
        } else {
            None
        }
    }
}

#[test]
fn what_is_there_has_a_gradient() {
    assert_eq!(
        root::value_and_gradient(4.0, &[2.0]),
        Ok((4.0, (0.5, vec![2.0])))
    );
    assert_eq!(root::gradient(4.0, &[2.0]), Ok((0.5, vec![2.0])));
    let (_, gradient) = root::vjp(4.0, &[2.0], Ok(1.0));
    assert_eq!(root::gradient(4.0, &[2.0]), Ok(gradient));
    assert_eq!(
        first::value_and_gradient(&[3.0, 1.0]),
        Some((9.0, vec![6.0, 0.0]))
    );
    assert_eq!(of_io::gradient(3.0).unwrap(), 6.0);
    assert_eq!(generic::gradient(3.0_f32), Some(6.0));
    assert_eq!(
        Settings { limit: 3 }.bounded_value_and_gradient(2.0),
        Some((8.0, 12.0))
    );
}

#[test]
fn what_is_not_there_comes_back() {
    assert_eq!(
        root::gradient(-4.0, &[2.0]),
        Err("-4 is negative".to_owned())
    );
    assert_eq!(
        root::value_and_gradient(-4.0, &[2.0]),
        Err("-4 is negative".to_owned())
    );
    assert_eq!(first::gradient(&[]), None);
    assert_eq!(generic::gradient(-3.0), None);
    assert_eq!(Settings { limit: 1 }.bounded_gradient(2.0), None);
}

#[test]
fn what_was_lent_is_put_back() {
    let mut scratch = vec![7.0];
    assert_eq!(
        scratched::value_and_gradient(2.0, &mut scratch),
        Ok((8.0, (8.0, vec![0.0])))
    );
    assert_eq!(scratch, [7.0]);
    assert_eq!(scratched::gradient(5.0, &mut scratch), Err("too large"));
    assert_eq!(scratch, [7.0]);
}

#[derive(Clone, Debug, PartialEq)]
enum Bad {
    Negative(i32),
}

#[differentiable]
fn cubic(x: &[f64]) -> Result<f64, Bad> {
    if x[0] < 0.0 {
        return Err(Bad::Negative(1));
    }
    Ok(x[0] * x[0] * x[1])
}

#[differentiable]
fn of_array(x: [f64; 2], #[constant] k: &[f64]) -> Option<f64> {
    if x[0] < 0.0 {
        None
    } else {
        Some(x[0] * x[0] * x[1] * k[0])
    }
}

#[differentiable]
#[allow(clippy::trivially_copy_pass_by_ref)]
fn of_two(a: f64, b: &f32, n: usize) -> std::io::Result<f64> {
    if n == 0 {
        return Err(std::io::Error::other("no"));
    }
    Ok(a.sin() * f64::from(*b))
}

struct Scale {
    k: f64,
}

impl Scale {
    #[differentiable]
    fn cube(#[constant] &self, x: f64) -> Option<f64> {
        (x > 0.0).then(|| x.powi(3) * self.k)
    }
}

#[test]
fn products_with_the_hessian() {
    assert_eq!(cubic::hvp(&[1.0, 2.0], &[1.0, 0.0]), Ok(vec![4.0, 2.0]));
    assert_eq!(
        cubic::value_gradient_and_hvp(&[1.0, 2.0], &[1.0, 0.0]),
        Ok((2.0, vec![4.0, 1.0], vec![4.0, 2.0]))
    );
    assert_eq!(cubic::hvp(&[-1.0, 2.0], &[1.0, 0.0]), Err(Bad::Negative(1)));
    assert_eq!(
        of_array::hvp([1.0, 2.0], &[3.0], [0.0, 1.0]),
        Some([6.0, 0.0])
    );
    let error = of_two::hvp(0.5, &2.0, 0, 1.0, &1.0).unwrap_err();
    assert_eq!(error.to_string(), "no");
    assert_eq!(Scale { k: 2.0 }.cube_hvp(3.0, 1.0), Some(36.0));
    assert_eq!(Scale { k: 2.0 }.cube_hvp(-3.0, 1.0), None);
    assert_eq!(generic::hvp(3.0_f32, 1.0), Some(2.0));
}

#[test]
fn hessians() {
    let hessian = cubic::hessian(&[1.0, 2.0]).unwrap();
    assert_eq!(hessian.as_slice(), [4.0, 2.0, 2.0, 0.0]);
    assert_eq!(cubic::hessian(&[-1.0, 2.0]), Err(Bad::Negative(1)));
    let hessian = of_array::hessian([1.0, 2.0], &[3.0]).unwrap();
    assert_eq!(hessian.as_slice(), [12.0, 6.0, 6.0, 0.0]);
    assert_eq!(of_array::hessian([-1.0, 2.0], &[3.0]), None);
    let (value, gradient, hessian) = of_two::value_gradient_and_hessian(0.5, &2.0, 1).unwrap();
    assert_eq!(value, 0.5_f64.sin() * 2.0);
    assert_eq!(gradient.0, 0.5_f64.cos() * 2.0);
    assert_eq!(hessian.0.0.as_slice(), [-0.5_f64.sin() * 2.0]);
    let mixed = 0.5_f64.cos();
    for block in [&hessian.0.1, &hessian.1.0] {
        assert!((block.as_slice()[0] - mixed).abs() < 1e-7);
    }
}
