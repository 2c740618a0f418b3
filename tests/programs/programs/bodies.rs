//! Bodies that attract each other, with structs and methods, in place.

use chainrule::prelude::*;

use crate::check::{flat, table};

#[derive(Clone, Copy, Debug, PartialEq, Differentiable)]
#[tangent(no_add_scaled)]
struct V3([f64; 3]);

#[derive(Clone, Copy, Debug, PartialEq, Differentiable)]
struct Body {
    position: V3,
    velocity: V3,
    mass: f64,
}

flat!(V3 { 0: [f64; 3] });
flat!(Body {
    position: V3,
    velocity: V3,
    mass: f64
});

#[differentiable]
impl V3 {
    fn minus(&self, other: &V3) -> V3 {
        V3([
            self.0[0] - other.0[0],
            self.0[1] - other.0[1],
            self.0[2] - other.0[2],
        ])
    }

    fn square(&self) -> f64 {
        self.0[0] * self.0[0] + self.0[1] * self.0[1] + self.0[2] * self.0[2]
    }

    fn add_scaled(&mut self, k: f64, other: &V3) {
        for (a, b) in self.0.iter_mut().zip(&other.0) {
            *a += k * b;
        }
    }
}

#[differentiable]
impl Body {
    fn kinetic(&self) -> f64 {
        0.5 * self.mass * self.velocity.square()
    }

    fn drift(&mut self, h: f64) {
        let v = self.velocity;
        self.position.add_scaled(h, &v);
    }
}

#[differentiable]
#[inline(never)]
fn kick(bodies: &mut [Body], h: f64) {
    for i in 0..bodies.len() {
        for j in 0..i {
            let d = bodies[i].position.minus(&bodies[j].position);
            let square = d.square() + 0.01;
            let pull = h / (square * square.sqrt());
            let (mi, mj) = (bodies[i].mass, bodies[j].mass);
            bodies[i].velocity.add_scaled(-pull * mj, &d);
            bodies[j].velocity.add_scaled(pull * mi, &d);
        }
    }
}

#[differentiable]
#[inline(never)]
fn energy(bodies: &[Body]) -> f64 {
    let mut total = 0.0;
    for (i, body) in bodies.iter().enumerate() {
        total += body.kinetic();
        for other in &bodies[..i] {
            let d = body.position.minus(&other.position);
            total -= body.mass * other.mass / (d.square() + 0.01).sqrt();
        }
    }
    total
}

/// The change of the energy over some steps.
#[differentiable]
fn drifted(bodies: &mut [Body], h: f64, steps: usize) -> f64 {
    let before = energy(bodies);
    for _ in 0..steps {
        kick(bodies, 0.5 * h);
        for body in bodies.iter_mut() {
            body.drift(h);
        }
        kick(bodies, 0.5 * h);
    }
    energy(bodies) - before
}

fn bodies(n: usize) -> Vec<Body> {
    let body = |p: [f64; 3], v: [f64; 3], mass| Body {
        position: V3(p),
        velocity: V3(v),
        mass,
    };
    let all = [
        body([0.7, 1.9, -0.4], [0.1, 0.2, 0.0], 1.3),
        body([-0.4, 0.3, 0.2], [-0.3, 0.1, 0.4], 0.8),
        body([0.1, -0.9, 1.2], [0.2, 0.3, -0.1], 0.5),
    ];
    all[..n].to_vec()
}

#[test]
fn without_steps_nothing_changes() {
    let (bars, h_bar) = drifted::gradient(&mut bodies(3), 0.1, 0);
    assert_eq!(h_bar, 0.0);
    for bar in bars {
        let floats = [&bar.position.0[..], &bar.velocity.0[..], &[bar.mass]].concat();
        assert!(floats.iter().all(|v| v.abs() < 1e-15));
    }
}

table! {
    energy: for n in 0..4, (&bodies(n));
    drifted: for steps in 1..3, (&mut bodies(3), 0.1, const steps), (&mut bodies(2), 0.1, const steps);
}
