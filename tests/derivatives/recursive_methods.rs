//! Recursive methods of generic types: which calls are those of the type's own method, the fields tell.

use chainrule::prelude::*;

use crate::check::table;

#[differentiable]
trait Shape {
    fn area(&self, s: f64) -> f64;
}

#[derive(Clone, Debug, Differentiable)]
struct Square {
    a: f64,
}

#[differentiable]
impl Shape for Square {
    fn area(&self, s: f64) -> f64 {
        self.a * self.a * s
    }
}

/// A wrapper, whose method of the same name isn't recursive.
#[derive(Clone, Debug, Differentiable)]
struct Scaled<P> {
    inner: P,
    k: f64,
}

#[differentiable]
impl<P: Shape> Shape for Scaled<P> {
    fn area(&self, s: f64) -> f64 {
        self.inner.area(s) * self.k
    }
}

#[derive(Clone, Debug, Differentiable)]
struct Tree<S> {
    item: S,
    children: Vec<Tree<S>>,
}

#[differentiable]
impl<S: Shape> Tree<S> {
    fn total(&self, s: f64) -> f64 {
        let mut total = self.item.area(s);
        for child in &self.children {
            total += child.total(s).sin();
        }
        total
    }
}

#[derive(Clone, Debug, Differentiable)]
struct Pair<T> {
    item: T,
    left: Option<Box<Pair<T>>>,
    right: Option<Box<Pair<T>>>,
}

#[differentiable]
impl<S: Shape> Pair<S> {
    fn total(&self, s: f64) -> f64 {
        let mut total = self.item.area(s);
        if let Some(left) = &self.left {
            total *= left.total(s);
        }
        if let Some(right) = &self.right {
            total += right.total(s).exp();
        }
        total
    }
}

#[differentiable]
fn of_lists(a: f64, s: f64) -> f64 {
    let leaf = Tree {
        item: Square { a: a * s },
        children: vec![],
    };
    let inner = Tree {
        item: Square { a: 0.5 },
        children: vec![leaf.clone()],
    };
    let tree = Tree {
        item: Square { a },
        children: vec![inner, leaf],
    };
    tree.total(s)
}

#[differentiable]
fn of_boxes(a: f64, s: f64) -> f64 {
    let leaf = Pair {
        item: Scaled {
            inner: Square { a: a.sin() },
            k: s,
        },
        left: None,
        right: None,
    };
    let pair = Pair {
        item: Scaled {
            inner: Square { a },
            k: a,
        },
        left: Some(Box::new(leaf.clone())),
        right: Some(Box::new(leaf)),
    };
    pair.total(s)
}

table! {
    of_lists: (0.7, 0.9);
    of_boxes: (0.7, 0.9);
}
