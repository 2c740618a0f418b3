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

table! {
    without_errors: for k in 0..3, ([-0.7, 0.4, 1.3][k]);
    errors_by_into: for k in 0..3, ([-0.7, 0.4, 1.3][k]);
    assigned: for k in 0..3, ([-0.7, 0.4, 1.3][k]);
}
