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
