//! Places that patterns take apart by value: `match *self`, `match self.kind`, `let [a, b] = *x else { .. }`.

use chainrule::prelude::*;

use crate::check::{check, table};

const X: [f64; 4] = [1.3, 0.5, 0.8, 0.7];

#[differentiable]
fn square(x: f64) -> f64 {
    x * x
}

#[differentiable]
fn product(v: Vec<f64>) -> f64 {
    v[0] * v[1]
}

#[derive(Clone, Debug, Differentiable)]
enum Shape {
    Circle(f64),
    Box { a: f64, b: f64 },
    Path(Vec<f64>),
    Nothing,
}

#[differentiable]
impl Shape {
    fn area(&self) -> f64 {
        match *self {
            Shape::Circle(r) => square(r) * r,
            Shape::Box { a, b } => square(a) * b,
            Shape::Path(ref v) => v[0] * v[1],
            Shape::Nothing => 1.0,
        }
    }

    fn scale(&mut self, k: f64) {
        match *self {
            Shape::Circle(ref mut r) => *r *= k,
            Shape::Box { ref mut a, b } => *a += k * b,
            Shape::Path(ref mut v) => v.push(k),
            Shape::Nothing => {}
        }
    }

    fn next(&self, k: f64) -> Shape {
        match *self {
            Shape::Circle(r) => Shape::Path(vec![r, k]),
            Shape::Path(ref v) => Shape::Box { a: v[0], b: v[1] },
            Shape::Box { a, .. } => Shape::Circle(a * k),
            Shape::Nothing => Shape::Nothing,
        }
    }
}

#[differentiable]
fn behind_self(x: &[f64]) -> f64 {
    let shape = Shape::Circle(x[0]);
    let mut next = shape.next(x[1]);
    let mut last = next.next(x[2]);
    next.scale(x[0]);
    last.scale(x[1]);
    shape.area() + next.area() * last.area() * last.next(x[2]).area() + Shape::Nothing.area()
}

#[derive(Clone, Debug, Differentiable)]
struct Scene {
    shapes: Vec<Shape>,
    main: Shape,
    limit: Option<f64>,
    next: Option<Box<Scene>>,
}

#[differentiable]
impl Scene {
    fn total(&self) -> f64 {
        let mut total = match self.main {
            Shape::Circle(r) if r > 1.0 => square(r),
            Shape::Circle(r) => r,
            Shape::Box { a, b } => a * square(b),
            _ => 1.0,
        };
        for i in 0..self.shapes.len() {
            total += match self.shapes[i] {
                Shape::Circle(r) => square(r),
                Shape::Box { a, .. } => a,
                _ => 2.0,
            };
        }
        for shape in &self.shapes {
            let Shape::Box { a, b } = *shape else {
                continue;
            };
            total *= square(a) + b;
        }
        if let Some(limit) = self.limit
            && total > limit
        {
            total = square(limit) * total;
        }
        match self.next {
            Some(ref next) => total * next.total(),
            None => total,
        }
    }

    fn into_total(self) -> f64 {
        let own = match self.main {
            Shape::Path(v) => product(v),
            Shape::Circle(r) => square(r),
            _ => 1.0,
        };
        match self.next {
            Some(next) => own * next.into_total(),
            None => own,
        }
    }
}

#[differentiable]
fn in_fields(x: &[f64]) -> f64 {
    let mut scene = Scene {
        shapes: vec![
            Shape::Circle(x[0]),
            Shape::Box { a: x[1], b: x[2] },
            Shape::Nothing,
        ],
        main: Shape::Circle(x[0]),
        limit: Some(x[1]),
        next: None,
    };
    let inner = scene.clone();
    scene.main = Shape::Path(x.to_vec());
    scene.next = Some(Box::new(inner));
    scene.total() + scene.into_total()
}

#[derive(Clone, Debug, Differentiable)]
struct Parts {
    v: Option<Vec<f64>>,
    w: Vec<f64>,
}

#[differentiable]
impl Parts {
    fn one_of_them(self) -> f64 {
        let Some(v) = self.v else {
            return self.w[0];
        };
        product(v) * self.w[1]
    }
}

#[differentiable]
fn one_field_moved(x: &[f64]) -> f64 {
    let both = Parts {
        v: Some(x.to_vec()),
        w: x.to_vec(),
    };
    let one = Parts {
        v: None,
        w: x.to_vec(),
    };
    both.one_of_them() + one.one_of_them()
}

/// What was matched may change: the parts are those of before.
#[derive(Clone, Copy, Debug, Differentiable)]
enum Phase {
    Up(f64),
    Down(f64),
}

#[derive(Clone, Debug, Differentiable)]
struct Machine {
    phase: Phase,
    total: f64,
}

#[differentiable]
impl Machine {
    fn step(&mut self, u: f64) -> f64 {
        match self.phase {
            Phase::Up(x) => {
                self.phase = Phase::Down(x * u);
                self.total += x;
                square(x)
            }
            Phase::Down(y) => {
                self.phase = Phase::Up(y + u);
                self.total *= y;
                y
            }
        }
    }
}

#[differentiable]
fn overwritten(x: &[f64], n: usize) -> f64 {
    let mut machine = Machine {
        phase: Phase::Up(x[0]),
        total: 1.0,
    };
    let mut sum = 0.0;
    for i in 0..n {
        sum += machine.step(x[i % 3]);
    }
    sum * machine.total + x[1]
}

#[differentiable]
fn exactly_three(x: &[f64]) -> f64 {
    let [a, b, c] = *x else { return 0.0 };
    square(a) * b + c
}

#[differentiable]
fn by_length(x: &[f64]) -> f64 {
    match *x {
        [] => 1.0,
        [a] => square(a),
        [a, b] => square(a) * b,
        [a, .., y, z] if a > 1.0 => square(a) * y * square(z),
        [a, .., z] => a - square(z),
    }
}

#[differentiable]
fn by_recursion(x: &[f64]) -> f64 {
    match *x {
        [a, ref rest @ ..] => square(a) + by_recursion(rest) * a,
        [] => 1.0,
    }
}

#[differentiable]
fn rotate(v: &mut [f64]) -> f64 {
    let [a, ref middle @ .., c] = *v else {
        return 0.0;
    };
    let k = middle[0] * middle[0];
    v[0] = 3.0 * c;
    v[2] = a;
    a * c * k
}

#[differentiable]
fn scale_ends(v: &mut [f64]) {
    match *v {
        [a, ref mut middle @ .., c] => middle[0] *= a * c,
        _ => {}
    }
    if let [a, ref mut b, ..] = *v {
        *b += a * a;
    }
}

#[differentiable]
fn overwritten_lists(x: &[f64]) -> f64 {
    let mut v = x.to_vec();
    let rotated = rotate(&mut v);
    scale_ends(&mut v);
    rotated * v[2] + v[0] * v[1]
}

#[differentiable]
fn overwritten_arrays(x: &[f64]) -> f64 {
    let mut v = [x[0], x[1], x[2]];
    let [a, .., c] = v;
    let [_, rest @ ..] = v;
    v[0] = 5.0 * c;
    v[2] = a * a;
    let [p, q, ..] = &v;
    a * c * v[0] + v[2] * rest[1] * p * q
}

#[derive(Clone, Debug, Differentiable)]
enum Tree {
    Leaf(f64),
    Neg(Box<Tree>),
    Mul(Box<Tree>, Box<Tree>),
}

#[differentiable]
impl Tree {
    fn value(&self) -> f64 {
        match *self {
            Tree::Leaf(x) => x,
            Tree::Neg(ref t) => -t.value(),
            Tree::Mul(ref a, ref b) => a.value() * b.value(),
        }
    }

    fn simplified(self) -> Tree {
        match self {
            Tree::Neg(inner) => match *inner {
                Tree::Leaf(x) => Tree::Leaf(-x),
                other => Tree::Neg(Box::new(other.simplified())),
            },
            Tree::Mul(a, b) => Tree::Mul(Box::new(a.simplified()), Box::new(b.simplified())),
            other => other,
        }
    }
}

#[differentiable]
fn boxed(x: &[f64]) -> f64 {
    let leaf = Tree::Leaf(x[0]);
    let product = Tree::Mul(Box::new(leaf.clone()), Box::new(Tree::Leaf(x[1])));
    let tree = Tree::Neg(Box::new(Tree::Neg(Box::new(product))));
    tree.value() * tree.simplified().value() + Tree::Neg(Box::new(leaf)).simplified().value()
}

#[derive(Clone, Debug, Differentiable)]
struct Lists {
    v: Vec<f64>,
    o: Option<Vec<f64>>,
}

#[derive(Clone, Debug, Differentiable)]
struct Outer {
    lists: Lists,
    k: f64,
}

#[differentiable]
fn outer(x: &[f64]) -> Outer {
    let lists = Lists {
        v: x.to_vec(),
        o: Some(x.to_vec()),
    };
    Outer { lists, k: x[0] }
}

#[differentiable]
fn moved_out_of_a_result(x: &[f64]) -> f64 {
    let outer = outer(x);
    let Lists { v, o } = outer.lists;
    let o = o.unwrap();
    v[0] * o[1] * outer.k
}

table! {
    behind_self: (&X);
    in_fields: (&X), (&[0.3, 0.5, -0.8]);
    one_field_moved: (&X);
    overwritten: for n in 0..5, (&X, const n);
    exactly_three: for n in 2..5, (&X[..n].to_vec());
    by_length: for n in 0..5, (&X[..n].to_vec());
    by_recursion: for n in 0..4, (&X[..n].to_vec());
    overwritten_lists: (&X[..3].to_vec());
    overwritten_arrays: (&X);
    boxed: (&X);
    moved_out_of_a_result: (&X);
}

#[test]
fn a_list_of_another_length() {
    check!(by_length(&[0.5, 1.0, 2.0, 1.5]));
}
