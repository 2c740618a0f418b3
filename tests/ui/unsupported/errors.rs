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

#[derive(Debug)]
struct TooBig(f64);

impl std::fmt::Display for TooBig {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "too big: {}", self.0)
    }
}

impl std::error::Error for TooBig {}

type Boxed = Box<dyn std::error::Error>;

#[differentiable]
fn boxed(x: f64) -> Result<f64, Boxed> {
    if x > 3.0 {
        return Err(Box::new(TooBig(x)));
    }
    Ok(x)
}

#[differentiable]
fn converted(x: f64) -> Result<f64, Boxed> {
    if x > 3.0 {
        return Err(TooBig(x).into());
    }
    Ok(x)
}

#[differentiable]
fn of_an_option(x: Option<f64>, y: f64) -> Result<f64, Boxed> {
    Ok(x.ok_or(TooBig(y))? * y)
}

fn main() {}
