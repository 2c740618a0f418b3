//! Enums with data: matched by value, by reference and in place; recursive ones; structs that hold them.

use chainrule::prelude::*;

use crate::check::{Flat, map_table, table};

#[derive(Clone, Debug, PartialEq, Differentiable)]
enum Shape {
    Circle { r: f64 },
    Rect { w: f64, h: f64 },
    Ring(f64, f64),
    Empty,
}

impl Flat for Shape {
    const ROUNDOFF: f64 = f64::EPSILON;

    fn map(&mut self, f: &mut dyn FnMut(f64) -> f64) {
        match self {
            Shape::Circle { r } => *r = f(*r),
            Shape::Rect { w: a, h: b } | Shape::Ring(a, b) => {
                *a = f(*a);
                *b = f(*b);
            }
            Shape::Empty => {}
        }
    }
}

impl Flat for ShapeTangent {
    const ROUNDOFF: f64 = f64::EPSILON;

    fn map(&mut self, f: &mut dyn FnMut(f64) -> f64) {
        match self {
            ShapeTangent::Circle { r } => *r = f(*r),
            ShapeTangent::Rect { w: a, h: b } | ShapeTangent::Ring(a, b) => {
                *a = f(*a);
                *b = f(*b);
            }
            ShapeTangent::Empty => {}
        }
    }
}

fn circle() -> Shape {
    Shape::Circle { r: 0.7 }
}

fn rect() -> Shape {
    Shape::Rect { w: 1.3, h: 0.4 }
}

fn ring() -> Shape {
    Shape::Ring(1.9, 0.6)
}

#[differentiable]
#[inline(never)]
fn area(shape: &Shape) -> f64 {
    match shape {
        Shape::Circle { r } => 3.0 * r * r,
        Shape::Rect { w, h } => w * h,
        Shape::Ring(outer, inner) => 3.0 * (outer * outer - inner * inner),
        Shape::Empty => 0.0,
    }
}

#[differentiable]
#[inline(never)]
fn area_by_value(shape: Shape) -> f64 {
    match shape {
        Shape::Circle { r } => 3.0 * r * r,
        Shape::Rect { w, h } if w > h => w * h * h,
        Shape::Rect { w: a, h: b } | Shape::Ring(a, b) => a / b,
        Shape::Empty => 0.0,
    }
}

#[differentiable]
fn one_variant(shape: &Shape, y: f64) -> f64 {
    if let Shape::Ring(outer, _) = shape {
        outer * y
    } else {
        y * y
    }
}

#[differentiable]
#[inline(never)]
fn grown(shape: &mut Shape, by: f64) {
    match shape {
        Shape::Circle { r } => *r *= by,
        Shape::Rect { w, h } => {
            *w += by * *h;
            *h = *w;
        }
        Shape::Ring(outer, ..) => *outer *= by * by,
        Shape::Empty => {}
    }
}

#[differentiable]
#[inline(never)]
fn other_variant(shape: &mut Shape, by: f64) {
    *shape = match shape {
        Shape::Circle { r } => Shape::Ring(*r * by, *r),
        Shape::Rect { w, h } => Shape::Circle { r: *w + *h * by },
        Shape::Ring(outer, inner) => Shape::Rect {
            w: *outer,
            h: *inner * by,
        },
        Shape::Empty => Shape::Circle { r: by },
    };
}

#[differentiable]
fn made(x: &[f64]) -> f64 {
    let a = Shape::Circle { r: x[0] };
    let b = Shape::Rect {
        w: x[0],
        h: x[1] * x[1],
    };
    let mut total = area(&a) * area(&b);
    total += area_by_value(a) + area_by_value(b) + area(&Shape::Empty);
    total
}

#[differentiable]
fn changes_of_state(x: &[f64], n: usize) -> f64 {
    let mut state = Shape::Circle { r: x[0] };
    for _ in 0..n {
        state = match state {
            Shape::Circle { r } => Shape::Rect { w: r * x[1], h: r },
            Shape::Rect { w, h } => Shape::Circle { r: w + h },
            other => other,
        };
    }
    area(&state)
}

#[differentiable]
fn changed_by_a_callee(x: &[f64], n: usize) -> f64 {
    let mut a = Shape::Rect { w: x[0], h: x[1] };
    for _ in 0..n {
        grown(&mut a, x[0]);
        other_variant(&mut a, x[1]);
    }
    area(&a)
}

#[differentiable]
impl Shape {
    fn scaled(&self, by: f64) -> Shape {
        match self {
            Self::Circle { r } => Self::Circle { r: r * by },
            Self::Rect { w, h } => Self::Rect {
                w: w * by,
                h: h * by,
            },
            Self::Ring(outer, inner) => Self::Ring(outer * by, inner * by),
            Self::Empty => Self::Empty,
        }
    }

    fn width(&self) -> f64 {
        match *self {
            Shape::Circle { r } => 2.0 * r,
            Shape::Rect { w, .. } => w,
            Shape::Ring(outer, _) => 2.0 * outer,
            Shape::Empty => 0.0,
        }
    }
}

#[differentiable]
fn methods(x: &[f64]) -> f64 {
    let shape = Shape::Ring(x[0], x[1]);
    let big = shape.scaled(x[0]);
    let width: f64 = big.width();
    width * shape.width()
}

#[differentiable]
fn total_area(shapes: &[Shape]) -> f64 {
    let mut total = 0.0;
    for shape in shapes {
        total += area(shape);
    }
    total
}

/// An expression with values at its leaves.
#[derive(Clone, Debug, PartialEq, Differentiable)]
enum Expr {
    Number(f64),
    Variable(#[constant] usize),
    Sum(Box<Expr>, Box<Expr>),
    Product(Box<Expr>, Box<Expr>),
    Sine(Box<Expr>),
    List(Vec<Expr>),
}

impl Flat for Expr {
    const ROUNDOFF: f64 = f64::EPSILON;

    fn map(&mut self, f: &mut dyn FnMut(f64) -> f64) {
        match self {
            Expr::Number(v) => *v = f(*v),
            Expr::Variable(_) => {}
            Expr::Sum(a, b) | Expr::Product(a, b) => {
                a.map(f);
                b.map(f);
            }
            Expr::Sine(a) => a.map(f),
            Expr::List(all) => all.iter_mut().for_each(|e| e.map(f)),
        }
    }
}

impl Flat for ExprTangent {
    const ROUNDOFF: f64 = f64::EPSILON;

    fn map(&mut self, f: &mut dyn FnMut(f64) -> f64) {
        match self {
            ExprTangent::Number(v) => *v = f(*v),
            ExprTangent::Variable(_) => {}
            ExprTangent::Sum(a, b) | ExprTangent::Product(a, b) => {
                a.map(f);
                b.map(f);
            }
            ExprTangent::Sine(a) => a.map(f),
            ExprTangent::List(all) => all.iter_mut().for_each(|e| e.map(f)),
        }
    }
}

#[differentiable]
#[inline(never)]
fn evaluated(e: &Expr, x: &[f64]) -> f64 {
    match e {
        Expr::Number(c) => *c,
        Expr::Variable(i) => x[*i],
        Expr::Sum(a, b) => evaluated(a, x) + evaluated(b, x),
        Expr::Product(a, b) => evaluated(a, x) * evaluated(b, x),
        Expr::Sine(a) => evaluated(a, x).sin(),
        Expr::List(all) => {
            let mut total = 0.0;
            for e in all {
                total += evaluated(e, x);
            }
            total
        }
    }
}

fn tree() -> Expr {
    Expr::Product(
        Box::new(Expr::Number(1.4)),
        Box::new(Expr::Sum(
            Box::new(Expr::Variable(1)),
            Box::new(Expr::Sine(Box::new(Expr::List(vec![
                Expr::Number(0.3),
                Expr::Variable(0),
                Expr::Product(Box::new(Expr::Number(0.6)), Box::new(Expr::Variable(1))),
            ])))),
        )),
    )
}

#[differentiable]
fn built(x: &[f64]) -> f64 {
    let e = Expr::Product(
        Box::new(Expr::Number(x[0] * 2.0)),
        Box::new(Expr::Sum(
            Box::new(Expr::Variable(1)),
            Box::new(Expr::Sine(Box::new(Expr::Number(x[1])))),
        )),
    );
    evaluated(&e, x)
}

/// By value, all the way down.
#[differentiable]
#[inline(never)]
fn consumed(e: Expr, x: f64) -> f64 {
    match e {
        Expr::Number(c) => c * x,
        Expr::Sum(a, b) => consumed(*a, x) + consumed(*b, x),
        Expr::Product(a, b) => consumed(*a, x) * consumed(*b, x),
        Expr::Sine(a) => consumed(*a, x).sin(),
        _ => x,
    }
}

#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Node {
    value: f64,
    next: Option<Box<Node>>,
}

impl Flat for Node {
    const ROUNDOFF: f64 = f64::EPSILON;

    fn map(&mut self, f: &mut dyn FnMut(f64) -> f64) {
        self.value = f(self.value);
        Flat::map(&mut self.next, f);
    }
}

impl Flat for NodeTangent {
    const ROUNDOFF: f64 = f64::EPSILON;

    fn map(&mut self, f: &mut dyn FnMut(f64) -> f64) {
        self.value = f(self.value);
        Flat::map(&mut self.next, f);
    }
}

#[differentiable]
#[inline(never)]
fn sum_of_squares(node: &Node) -> f64 {
    let own = node.value * node.value;
    match &node.next {
        Some(next) => own + sum_of_squares(next),
        None => own,
    }
}

#[differentiable]
#[inline(never)]
fn doubled(node: &mut Node, by: f64) {
    node.value *= by;
    if let Some(next) = &mut node.next {
        doubled(next, by * by);
    }
}

#[differentiable]
fn list(x: &[f64]) -> f64 {
    let mut head = Node {
        value: x[0],
        next: None,
    };
    for i in 1..x.len() {
        head = Node {
            value: x[i] * x[0],
            next: Some(Box::new(head)),
        };
    }
    doubled(&mut head, x[0]);
    sum_of_squares(&head)
}

fn nodes(n: usize) -> Node {
    let next = (n > 1).then(|| Box::new(nodes(n - 1)));
    #[expect(clippy::cast_precision_loss, reason = "small")]
    let value = 0.3 + n as f64 / 7.0;
    Node { value, next }
}

#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Model {
    link: Link,
    bias: Option<f64>,
    #[constant]
    mode: Mode,
}

#[derive(Clone, Debug, PartialEq, Differentiable)]
enum Link {
    Identity,
    Scaled(f64),
    Power {
        exponent: f64,
        #[constant]
        shift: f64,
    },
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Mode {
    Plain,
    Shifted(f64),
}

#[differentiable]
impl Model {
    fn apply(&self, x: f64) -> f64 {
        let linked = match &self.link {
            Link::Identity => x,
            Link::Scaled(k) => k * x,
            Link::Power { exponent, shift } => x.powf(*exponent) + shift * x,
        };
        let biased = match self.bias {
            Some(b) => linked + b * x,
            None => linked,
        };
        match self.mode {
            Mode::Plain => biased,
            Mode::Shifted(by) => biased + by,
        }
    }
}

#[differentiable]
fn models(x: &[f64]) -> f64 {
    let a = Model {
        link: Link::Scaled(x[0]),
        bias: Some(x[1]),
        mode: Mode::Plain,
    };
    let b = Model {
        link: Link::Power {
            exponent: x[0],
            shift: 0.5,
        },
        bias: None,
        mode: Mode::Shifted(2.0),
    };
    let c = Model {
        link: Link::Identity,
        bias: Some(x[0] * x[1]),
        mode: Mode::Plain,
    };
    a.apply(x[1]) * b.apply(x[1]) + c.apply(x[0])
}

/// A tuple struct.
#[derive(Clone, Copy, Debug, PartialEq, Differentiable)]
struct V2(f64, f64);

#[differentiable]
fn tuple_struct(x: &[f64]) -> f64 {
    let v = V2(x[0] * x[1], x[1]);
    let V2(a, b) = v;
    match v {
        V2(p, q) if p > 0.5 => p * q * a,
        V2(_, q) => q * b,
    }
}

#[derive(Clone, Debug, Differentiable)]
enum Held {
    Pair([f64; 2]),
    Many(Vec<f64>),
    One(f64),
}

/// A loop takes the variable apart and fills it again, and it is overwritten afterwards.
#[differentiable]
fn overwritten_after_a_loop(x: f64, n: usize) -> f64 {
    let mut held = Held::Pair([x, 1.0]);
    for _ in 0..n {
        held = match held {
            Held::Pair(q) => Held::One(q[0] * x),
            Held::One(p) => Held::Many(vec![p, x, 0.3]),
            Held::Many(v) => Held::Pair([v[1], v[0]]),
        };
    }
    let before = match &held {
        Held::Pair(q) => q[0],
        Held::Many(v) => v.iter().sum(),
        Held::One(p) => *p,
    };
    held = Held::One(x * before);
    match held {
        Held::Pair(q) => q[1],
        Held::Many(v) => v[0],
        Held::One(p) => p * p,
    }
}

table! {
    overwritten_after_a_loop: for n in 0..5, (0.7, const n);
    area: (&circle()), (&rect()), (&ring()), (&Shape::Empty);
    area_by_value: (circle()), (rect()), (ring()), (Shape::Empty), (Shape::Rect { w: 0.4, h: 1.3 });
    one_variant: (&ring(), 0.7), (&rect(), 0.7);
    made: (&[1.3, 0.7]);
    changes_of_state: for n in 0..4, (&[1.3, 0.7], const n);
    changed_by_a_callee: for n in 0..4, (&[1.3, 0.7], const n);
    methods: (&[1.3, 0.7]);
    total_area: (&[]), (&[circle()]), (&[circle(), rect(), Shape::Empty, ring()]);
    evaluated: (&tree(), &[0.7, 1.9]);
    built: (&[1.3, 0.7]);
    consumed: (tree(), 0.7);
    sum_of_squares: for n in 1..4, (&nodes(n));
    list: for n in 1..4, (&[0.7, 1.9, -0.4][..n].to_vec());
    models: (&[1.3, 0.7]);
    tuple_struct: (&[1.3, 0.7]), (&[0.3, 0.7]);
}

map_table! {
    grown: (&mut circle(), 0.8), (&mut rect(), 0.8), (&mut ring(), 0.8), (&mut Shape::Empty, 0.8);
    doubled: for n in 1..4, (&mut nodes(n), 0.8);
}
