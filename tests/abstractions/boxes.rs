//! Methods of what is in a `Box`: dereference finds them, and moves out of the `Box` where they take `self`.

use chainrule::prelude::*;

use crate::check::{check, flat};

#[derive(Clone, Debug, PartialEq, Differentiable)]
enum Tree {
    Leaf { v: f64 },
    Node { l: Box<Tree>, r: Box<Tree> },
}

#[differentiable]
impl Tree {
    fn total(&self) -> f64 {
        match self {
            Tree::Leaf { v } => v.sin(),
            Tree::Node { l, r } => l.total() * r.total(),
        }
    }

    fn scaled(self, k: f64) -> Tree {
        match self {
            Tree::Leaf { v } => Tree::Leaf { v: v * k },
            Tree::Node { l, r } => Tree::Node {
                l: Box::new(l.scaled(k)),
                r: Box::new(r.scaled(k)),
            },
        }
    }
}

#[differentiable]
#[inline(never)]
fn trees(x: &[f64]) -> f64 {
    let tree = Tree::Node {
        l: Box::new(Tree::Leaf { v: x[0] }),
        r: Box::new(Tree::Leaf { v: x[1] }),
    };
    tree.scaled(x[2]).total()
}

#[test]
fn a_tree_is_mapped_by_value() {
    check!(trees(&vec![1.3, 1.2, 0.4]));
}

#[derive(Clone, Debug, PartialEq, Differentiable)]
struct State {
    k: f64,
    v: Vec<f64>,
}
flat!(State { k: f64, v: Vec<f64> });

#[differentiable]
impl State {
    fn next(self, k: f64) -> State {
        let first = self.v[0] * k;
        let mut v = self.v;
        v.push(first);
        State { k: self.k * k, v }
    }
    fn sum(&self) -> f64 {
        let mut sum = self.k;
        for v in &self.v {
            sum += v * v * self.k;
        }
        sum
    }
    fn add(&mut self, k: f64) {
        self.k += k;
        self.v[0] *= self.k;
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Differentiable)]
struct Point {
    x: f64,
}

#[differentiable]
impl Point {
    fn by(self, k: f64) -> Point {
        Point { x: self.x * k }
    }
    fn square(&self) -> f64 {
        self.x * self.x
    }
}

#[differentiable]
#[inline(never)]
fn moved(x: &[f64]) -> f64 {
    let b = Box::new(State {
        k: x[0],
        v: vec![x[1]],
    });
    b.next(x[0]).sum()
}

#[differentiable]
#[inline(never)]
fn moved_twice(x: &[f64]) -> f64 {
    let b = Box::new(Box::new(State {
        k: x[0],
        v: vec![x[1]],
    }));
    b.next(x[2]).sum()
}

#[differentiable]
#[inline(never)]
fn used_before(x: &[f64], n: usize) -> f64 {
    let mut b = Box::new(State {
        k: x[0],
        v: vec![x[1]],
    });
    b.add(x[2]);
    let mut sum = b.sum();
    for _ in 0..n {
        b.add(sum);
        b = Box::new(b.next(x[1]));
        sum += 0.25 * b.sum();
    }
    sum * b.next(sum).sum()
}

#[differentiable]
#[inline(never)]
fn copied(x: &[f64]) -> f64 {
    let b = Box::new(Point { x: x[0] });
    let list = vec![b.clone(), Box::new(Point { x: x[1] })];
    b.by(x[1]).square() + b.square() * list[1].by(x[0]).square()
}

#[differentiable]
#[inline(never)]
fn given(b: Box<State>, c: Box<Point>, k: f64) -> f64 {
    c.by(k).square() * b.next(k).sum()
}

#[differentiable]
#[inline(never)]
fn gives(x: &[f64]) -> f64 {
    let b = Box::new(State {
        k: x[0],
        v: vec![x[1]],
    });
    given(b, Box::new(Point { x: x[2] }), x[0])
}

#[derive(Clone, Debug, Differentiable)]
enum Nested {
    Leaf(f64),
    Neg(Box<Nested>),
}

#[differentiable]
impl Nested {
    fn value(&self) -> f64 {
        match self {
            Nested::Leaf(x) => *x,
            Nested::Neg(inner) => -inner.value(),
        }
    }

    fn squared(self) -> Nested {
        match self {
            Nested::Neg(inner) => Nested::Neg(Box::new((*inner).squared())),
            Nested::Leaf(x) => Nested::Leaf(x * x),
        }
    }
}

#[differentiable]
#[inline(never)]
fn out_of_a_box(x: &[f64]) -> f64 {
    let nested = Nested::Neg(Box::new(Nested::Neg(Box::new(Nested::Leaf(x[0])))));
    let boxed = Box::new(Nested::Neg(Box::new(Nested::Leaf(x[1]))));
    nested.squared().value() * (*boxed).squared().value() * x[2]
}

#[test]
fn methods_of_what_is_inside() {
    let x = vec![0.8, 1.2, -0.7];
    check!(moved(&x.clone()));
    check!(moved_twice(&x.clone()));
    for n in 0..4 {
        check!(used_before(&x.clone(), const n));
    }
    check!(copied(&x.clone()));
    check!(gives(&x.clone()));
    check!(out_of_a_box(&x.clone()));
}
