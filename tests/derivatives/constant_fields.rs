//! What is inside of `#[constant]` fields: fields, elements, variants and references, of types that needn't have a tangent.

use chainrule::prelude::*;

use crate::check::table;

#[derive(Clone, Debug)]
struct Config {
    rate: f64,
    steps: usize,
    table: Vec<f64>,
    kind: Kind,
    sub: Sub,
    pair: (f64, f64),
}
#[derive(Clone, Debug)]
struct Sub {
    z: f64,
}
#[derive(Clone, Debug)]
enum Kind {
    A(f64),
    B { s: f64 },
}
#[derive(Clone, Debug, Differentiable)]
struct Model {
    k: f64,
    #[constant]
    config: Config,
    w: Vec<f64>,
}
#[differentiable]
impl Model {
    fn run(&self, x: f64) -> f64 {
        let mut y = x;
        for i in 0..self.config.steps {
            y += self.k * self.config.rate * y
                + self.config.table[i] * self.w[i]
                + self.config.sub.z * y
                + self.config.pair.1;
        }
        let t = match &self.config.kind {
            Kind::A(v) => v * y,
            Kind::B { s } => s * y * y,
        };
        let table = &self.config.table;
        y += table[0] * self.k;
        let row: &[f64] = &self.config.table[1..];
        y + t + row[0] * y
    }
}
#[differentiable]
fn run(x: &[f64], b: bool) -> f64 {
    let m = Model {
        k: x[0],
        config: Config {
            rate: 0.3,
            steps: 3,
            table: vec![0.3, 0.2, 0.5],
            kind: if b { Kind::A(0.3) } else { Kind::B { s: 0.2 } },
            sub: Sub { z: 0.2 },
            pair: (0.1, 0.2),
        },
        w: vec![x[1], x[0] * x[1], 1.0],
    };
    m.run(x[1])
}
#[derive(Clone, Copy)]
enum Shape {
    Square(f64),
    Circle(f64),
}
#[differentiable]
fn constant_parameter(x: f64, #[constant] shape: Shape) -> f64 {
    match shape {
        Shape::Square(side) => side * side * x,
        Shape::Circle(radius) => 3.0 * radius * x * x,
    }
}
#[derive(Clone, Debug, PartialEq, Differentiable)]
enum Tree<T> {
    Leaf(T),
    Node(Box<Tree<T>>, Box<Tree<T>>),
}
#[differentiable]
fn total(t: &Tree<f64>) -> f64 {
    match t {
        Tree::Leaf(v) => *v * *v,
        Tree::Node(l, r) => total(l) * total(r),
    }
}
#[differentiable]
fn built_tree(x: &[f64]) -> f64 {
    let t = Tree::Node(Box::new(Tree::Leaf(x[0])), Box::new(Tree::Leaf(x[1])));
    total(&t)
}

table! {
    run: (&[1.3, 0.7], const true), (&[1.3, 0.7], const false);
    constant_parameter: (0.7, const Shape::Square(2.0)) => [4.0], (0.7, const Shape::Circle(2.0));
    built_tree: (&[1.3, 0.7]);
}
