//! A callee that takes by `&mut`, without `#[constant]`, what is constant for the caller, and an active value that it may store there.

use chainrule::prelude::*;

#[derive(Differentiable, Clone, Default)]
struct Config {
    scale: f64,
    v: Vec<f64>,
}

#[differentiable]
fn put(w: &mut Config, x: f64) {
    w.v.push(x);
}
#[differentiable]
fn pushed(x: f64, #[constant] w: &mut Config) -> f64 {
    w.v.push(x);
    w.v[0]
}
#[differentiable]
fn lent(x: f64, #[constant] w: &mut Config) -> f64 {
    put(w, x);
    w.v[0]
}
#[differentiable]
trait Sink {
    fn sink(&mut self, x: f64);
    fn get(&self) -> f64;
}
#[differentiable]
impl Sink for Config {
    fn sink(&mut self, x: f64) {
        self.v.push(x)
    }
    fn get(&self) -> f64 {
        self.v[0]
    }
}
#[differentiable]
fn traity(x: f64, #[constant] w: &mut Config) -> f64 {
    w.sink(x);
    w.get()
}
#[differentiable]
fn gen_<S: Sink>(x: f64, #[constant] w: &mut Config) -> f64 {
    let mut i = 0;
    while i < 3 {
        w.sink(x);
        i += 1;
    }
    w.get()
}
/// What a closure captures can be stored, too.
#[differentiable]
fn keep(v: &mut Vec<f64>, f: impl Fn(f64) -> f64) {
    v.push(f(1.0));
}
#[differentiable]
fn captured(x: f64, #[constant] w: &mut Vec<f64>) -> f64 {
    keep(w, |a| a * x);
    w[0]
}

fn main() {}
