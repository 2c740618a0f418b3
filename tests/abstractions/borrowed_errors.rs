//! Results that borrow: errors with a lifetime, which the tangent doesn't have, so that pullbacks don't hold it.

use chainrule::prelude::*;

use crate::check::{check, check_map};

#[differentiable]
fn root<'a>(x: f64) -> Result<f64, &'a str> {
    if x > 0.0 {
        Ok(x * x.sqrt())
    } else {
        Err("negative")
    }
}

#[differentiable]
fn named<'a>(x: f64, name: &'a str) -> Result<f64, &'a str> {
    if x > 0.0 { Ok(x * x) } else { Err(name) }
}

/// The lifetime has no name.
#[differentiable]
#[inline(never)]
fn unnamed(x: f64, name: &str) -> Result<f64, &str> {
    if x > 0.0 { Ok(x * x.exp()) } else { Err(name) }
}

#[derive(Debug, PartialEq)]
struct Failure<'a>(&'a str);

/// The error has the lifetime of a differentiated list.
#[differentiable]
fn first<'a>(x: &'a [f64], name: &'a str) -> Result<f64, Failure<'a>> {
    if x.is_empty() {
        return Err(Failure(name));
    }
    Ok(x[0] * x[0].sin())
}

#[differentiable]
fn passed_on<'b>(x: f64, name: &'b str) -> Result<f64, &'b str> {
    let y = named(x, name)?;
    let z = unnamed(y, name)?;
    Ok(root(y)? * z)
}

#[differentiable]
#[inline(never)]
fn matched(x: f64, name: &str) -> f64 {
    match named(x, name) {
        Ok(y) => y * x,
        Err(name) => x * name.len() as f64,
    }
}

#[differentiable]
#[inline(never)]
fn of_literals(x: f64) -> f64 {
    let y = match named(x, "abc") {
        Ok(y) => y,
        Err(name) => x * name.len() as f64,
    };
    y * root(x).unwrap_or(x)
}

#[test]
fn errors_with_lifetimes() {
    for x in [0.7, -0.7] {
        check!(matched(x, const &*"two"));
        check!(of_literals(x));
    }
    check_map!(root(0.7));
    check_map!(named(0.7, const &*"n"));
    check_map!(unnamed(0.7, const &*"n"));
    check_map!(passed_on(0.7, const &*"n"));
    assert_eq!(passed_on::jvp(-0.7, "n", 1.0).0, Err("n"));
    let (value, x_bar) = first::vjp(&[0.5], "n", Ok(1.0));
    assert_eq!(value, Ok(0.5 * 0.5_f64.sin()));
    assert!((x_bar[0] - (0.5_f64.sin() + 0.5 * 0.5_f64.cos())).abs() < 1e-15);
    assert_eq!(first::jvp(&[], "n", &[]).0, Err(Failure("n")));
}
