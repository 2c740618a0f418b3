use std::ops::Add;

use chainrule::prelude::*;

#[derive(Clone, Copy, Debug)]
struct V2 {
    x: f64,
    y: f64,
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Free,
    Fixed,
}

#[derive(Clone)]
struct Body {
    pos: V2,
    vel: V2,
    mass: f64,
    kind: Kind,
    name: String,
}

#[differentiable]
impl Add for V2 {
    type Output = V2;

    fn add(self, o: V2) -> V2 {
        V2 { x: self.x + o.x, y: self.y + o.y }
    }
}

#[differentiable]
impl V2 {
    fn dot(self, o: V2) -> f64 {
        self.x * o.x + self.y * o.y
    }

    fn scaled(&self, k: f64) -> V2 {
        V2 { x: self.x * k, y: self.y * k }
    }
}

#[differentiable]
impl Body {
    fn step(&mut self, force: &V2, h: f64) {
        if self.kind == Kind::Free {
            self.vel = self.vel + force.scaled(h / self.mass);
            self.pos = self.pos + self.vel.scaled(h);
        }
    }
}

#[differentiable]
fn energy(bodies: &[Body]) -> f64 {
    bodies.iter().map(|b| 0.5 * b.mass * b.vel.dot(b.vel)).sum()
}

#[differentiable]
fn simulate(bodies: &[Body], force: V2, n: usize) -> f64 {
    let mut all = bodies.to_vec();
    for _ in 0..n {
        for body in &mut all {
            body.step(&force, 0.1);
        }
    }
    energy(&all)
}

fn main() {
    let zero = V2 { x: 0.0, y: 0.0 };
    let name = "a".to_owned();
    let body = Body { pos: zero, vel: zero, mass: 1.0, kind: Kind::Fixed, name };
    simulate::gradient(&[body], zero, 3);
}
