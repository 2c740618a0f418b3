//! Drivers of all kinds of functions, inside of differentiable ones: methods, structs, traits, functions of other modules, and several
//! levels of calls.

use chainrule::prelude::*;

use crate::check::{flat, map_table};

#[derive(Clone, Debug, Differentiable)]
struct Spring {
    stiffness: f64,
    rest: Vec<f64>,
}

flat!(Spring { stiffness: f64, rest: Vec<f64> });

impl Spring {
    #[differentiable(nested)]
    fn energy(&self, at: &[f64]) -> f64 {
        let mut total = 0.0;
        for i in 0..at.len() {
            let d = at[i] - self.rest[i];
            total += 0.5 * self.stiffness * d * d * d;
        }
        total
    }

    #[differentiable(nested)]
    fn power(#[constant] &self, t: f64) -> f64 {
        self.stiffness * t * t * t
    }
}

#[differentiable(nested)]
impl Spring {
    fn softened(&self, by: f64) -> f64 {
        self.stiffness / (1.0 + by * by)
    }

    fn slope_of_softened(&self, by: f64) -> f64 {
        self.softened_gradient(by).1 * by
    }
}

#[differentiable]
fn by_method(spring: &Spring, at: &[f64]) -> [f64; 2] {
    let (of_spring, of_at) = spring.energy_gradient(at);
    [of_at[0] * of_at[1], of_spring.stiffness * of_spring.rest[0]]
}

#[differentiable]
fn by_path(spring: &Spring, at: &[f64]) -> [f64; 2] {
    let (of_spring, of_at) = Spring::energy_gradient(spring, at);
    let (y, y_dot) = Spring::energy_jvp(spring, at, &of_spring, &of_at);
    [y * y_dot, y_dot]
}

#[differentiable]
fn by_constant_receiver(#[constant] spring: &Spring, t: f64) -> [f64; 2] {
    [spring.power_gradient(t), spring.power_derivative(t * t)]
}

#[differentiable]
fn within_an_impl(spring: &Spring, by: f64) -> f64 {
    spring.slope_of_softened(by)
}

/// Structs by value and by reference.
#[differentiable(nested)]
fn stretched(spring: Spring, by: f64) -> f64 {
    spring.stiffness * by * by + spring.rest[0] * by * spring.stiffness
}

#[differentiable]
fn of_a_struct(spring: &Spring, by: f64) -> [f64; 2] {
    let (of_spring, of_by) = stretched::gradient(spring.clone(), by);
    [of_by * of_spring.stiffness, of_spring.rest[0]]
}

mod elsewhere {
    use chainrule::prelude::*;

    #[differentiable(nested)]
    pub(super) fn cubic(x: f64, y: f64) -> f64 {
        x * x * x * y
    }
}

#[differentiable]
#[inline(never)]
fn of_another_module(x: f64, y: f64) -> [f64; 2] {
    let (dx, dy) = elsewhere::cubic::gradient(x, y);
    [dx * dy, elsewhere::cubic::jvp(x, y, y, x).1]
}

/// The derivative is two calls away.
#[differentiable]
fn indirect(x: f64, y: f64) -> f64 {
    of_another_module(x * y, y)[0]
}

/// Arguments that are not differentiated here.
#[differentiable]
fn half_constant(x: f64) -> [f64; 2] {
    let at_one = elsewhere::cubic::gradient(1.0, 2.0);
    let (dx, dy) = elsewhere::cubic::gradient(1.0, x);
    [dx * x + at_one.0, dy * x]
}

#[differentiable(nested)]
fn fills(x: &[f64], out: &mut [f64]) -> f64 {
    for i in 0..x.len() {
        out[i] *= x[i];
    }
    out[0] * out[0]
}

/// Behind `&mut`: a driver leaves it as it was.
#[differentiable]
fn of_mutable(x: &[f64], out: &mut [f64]) -> [f64; 2] {
    let (of_x, of_out) = fills::gradient(x, out);
    out[1] *= of_x[0];
    [of_x[0] * of_out[0], out[1] * out[0]]
}

fn spring() -> Spring {
    Spring {
        stiffness: 1.7,
        rest: vec![0.2, -0.4],
    }
}

map_table! {
    by_method: (&spring(), &[0.7, 0.9]);
    by_path: (&spring(), &[0.7, 0.9]);
    by_constant_receiver: (const &spring(), 0.8);
    within_an_impl: (&spring(), 0.8);
    of_a_struct: (&spring(), 0.8);
    of_another_module: (0.7, 1.3);
    indirect: (0.7, 1.3);
    half_constant: (0.7);
    of_mutable: (&vec![0.7, 0.4], &mut vec![1.3, -0.6]);
}
