//! Results of which nothing but an annotation says what an error would be.

use chainrule::prelude::*;

use crate::check::table;

#[derive(Clone, Debug)]
enum Failure {
    NotPositive,
}

#[differentiable]
fn without_errors(x: f64) -> f64 {
    let fine: Result<f64, String> = Ok(x);
    let pair: Result<(f64, f64), ()> = Ok((x, x * x));
    let both: Result<f64, String> = if x > 1.0 { Ok(x) } else { Ok(0.5) };
    let pair = pair.map_or(0.0, |(a, b)| a * b);
    fine.unwrap() * both.unwrap_or(1.0) + pair
}
#[differentiable]
fn errors_by_into(x: f64) -> f64 {
    let text: Result<f64, String> = if x > 0.0 {
        Ok(x.sqrt())
    } else {
        Err("negative".into())
    };
    let boxed: Result<f64, Box<dyn std::error::Error>> =
        if x > 1.0 { Err("large".into()) } else { Ok(x) };
    let length = match &text {
        Ok(root) => *root,
        Err(message) => x * message.len() as f64,
    };
    length * boxed.unwrap_or(2.0)
}
#[differentiable]
fn assigned(x: f64) -> f64 {
    let mut list: Result<Vec<f64>, Failure> = Ok(vec![x, 2.0]);
    if x < 0.0 {
        list = Err(Failure::NotPositive);
    }
    list.map_or(x * x, |list| list[0] * list[1])
}

/// Methods of results whose errors aren't `Copy`.
#[differentiable]
fn owned_errors(x: f64) -> f64 {
    let r: Result<f64, String> = if x > 0.0 {
        Ok(x * x)
    } else {
        Err("negative".into())
    };
    let twice = r.as_ref().map(|v| v * 2.0).unwrap_or(x);
    let positive = r.as_ref().map_or(1.0, |v| v.sqrt());
    let default = r.clone().unwrap_or_default();
    let seen = match &r {
        Ok(v) => v * x,
        Err(message) => x * message.len() as f64,
    };
    let last = r.unwrap_or_default() + make(x).unwrap_or_default();
    twice * positive + default + seen + last
}

#[differentiable]
fn make(x: f64) -> Result<f64, String> {
    if x > 1.0 {
        Err("large".into())
    } else {
        Ok(x.sin())
    }
}

table! {
    without_errors: for k in 0..3, ([-0.7, 0.4, 1.3][k]);
    errors_by_into: for k in 0..3, ([-0.7, 0.4, 1.3][k]);
    owned_errors: for k in 0..3, ([-0.7, 0.4, 1.3][k]);
    assigned: for k in 0..3, ([-0.7, 0.4, 1.3][k]);
}
