use chainrule::prelude::*;

#[derive(Debug)]
enum Failure {
    TooLarge { at: f64 },
}

#[differentiable]
fn checked(x: f64) -> Result<f64, Failure> {
    if x > 1.0 {
        return Err(Failure::TooLarge { at: x });
    }
    Ok(x.sqrt())
}

#[differentiable]
fn either(x: f64) -> f64 {
    let side: Result<f64, f64> = if x > 0.0 { Ok(x) } else { Err(x * x) };
    match side {
        Ok(v) => v,
        Err(v) => -v,
    }
}

#[differentiable]
fn mapped(x: f64) -> f64 {
    let r = checked(x).map_err(|_| x);
    r.unwrap_or(1.0)
}

fn main() {}
