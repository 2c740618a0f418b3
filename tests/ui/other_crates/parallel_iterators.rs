use chainrule::prelude::*;
use rayon::prelude::*;

#[differentiable]
fn reduced(x: &[f64]) -> f64 {
    x.par_iter().map(|x| x * x).reduce(|| 0.0, |a, b| a + b)
}

#[differentiable]
fn kept(x: &[f64]) -> f64 {
    let all = x.par_iter();
    all.map(|x| x * x).sum()
}

#[differentiable]
fn by_value(x: &[f64]) -> f64 {
    x.to_vec().into_par_iter().map(|x| x * x).sum()
}

#[differentiable]
fn inclusive(x: &[f64]) -> f64 {
    (1..=3).into_par_iter().map(|i| x[i] * x[0]).sum()
}

#[differentiable]
fn with_a_closure(x: &[f64], k: f64) -> f64 {
    let scaled = |x: f64| x * k;
    x.par_iter().map(|x| scaled(*x)).sum()
}

#[differentiable]
fn of_functions(x: &[f64]) -> f64 {
    let half = || x[0] * 0.5;
    rayon::join(half, || x[0]).0 * x[1]
}

#[differentiable]
trait Energy: DifferentiableValue {
    fn energy(&self, x: &[f64]) -> f64;
}

#[derive(Clone, Differentiable)]
struct Spring(f64);

#[differentiable]
impl Energy for Spring {
    fn energy(&self, x: &[f64]) -> f64 {
        x.par_iter().map(|x| self.0 * x * x).sum()
    }
}

use chainrule::DifferentiableValue;

#[differentiable]
fn to_a_result(x: &[f64]) -> Result<f64, String> {
    let all: Result<Vec<f64>, String> = x.par_iter().map(|x| Ok(x * x)).collect();
    Ok(all?[0])
}

#[differentiable]
fn with_a_function(x: &[f64]) -> f64 {
    #[differentiable]
    fn square(x: f64) -> f64 {
        x * x
    }
    x.par_iter().map(|x| square(*x)).sum()
}

fn main() {}
