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
#[inline(never)]
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
#[inline(never)]
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

/// What rules borrow, write and match is the field itself: a constant one takes part as a zero.
mod in_use {
    use chainrule::prelude::*;

    use crate::check::table;

    #[derive(Clone, Debug, Differentiable)]
    struct Layer {
        scale: f64,
        #[constant]
        bias: f64,
        #[constant]
        steps: usize,
        #[constant]
        offsets: Vec<f64>,
        weights: Vec<f64>,
        #[constant]
        cap: Option<f64>,
        floor: Option<f64>,
        #[constant]
        span: (f64, f64),
        #[constant]
        edges: Vec<(usize, f64)>,
        #[constant]
        boxed: Box<f64>,
        #[constant]
        limit: Result<f64, String>,
        #[constant]
        optional: Option<Box<Limits>>,
    }

    #[derive(Clone, Debug)]
    struct Limits {
        lower: f64,
    }

    #[derive(Clone, Debug, Differentiable)]
    enum Link {
        Capped {
            #[constant]
            cap: Option<f64>,
            #[constant]
            rate: f64,
            y: f64,
        },
        Table(#[constant] Vec<f64>, f64),
    }

    #[differentiable]
    #[inline(never)]
    fn make(x: &[f64]) -> Layer {
        Layer {
            scale: x[0],
            bias: 0.7,
            steps: 2,
            offsets: vec![0.3, 0.2],
            weights: vec![x[1], 1.0],
            cap: Some(0.3),
            floor: Some(x[0]),
            span: (0.1, 0.5),
            edges: vec![(0, 0.2), (1, 0.7)],
            boxed: Box::new(0.4),
            limit: Ok(0.6),
            optional: Some(Box::new(Limits { lower: 0.9 })),
        }
    }

    #[differentiable]
    fn methods_of_floats(x: &[f64]) -> f64 {
        let layer = make(x);
        let y = x[1];
        layer.bias.sin() * y * layer.scale
            + layer.weights[0].sin()
            + layer.bias.max(y) * layer.scale
            + layer.offsets[0].exp() * y
            + layer.span.0.powi(2) * y
            + layer.boxed.sqrt() * y
            + layer.weights[1].max(layer.bias).min(layer.offsets[1])
    }

    #[differentiable]
    #[inline(never)]
    fn dot(a: &[f64], b: &[f64]) -> f64 {
        let mut sum = 0.0;
        for i in 0..a.len() {
            sum += a[i] * b[i];
        }
        sum
    }

    #[differentiable]
    #[inline(never)]
    fn dot_constant(#[constant] a: &[f64], b: &[f64]) -> f64 {
        dot(a, b)
    }

    #[differentiable]
    #[inline(never)]
    fn push(list: &mut Vec<f64>, y: f64) -> f64 {
        list.push(y);
        list[0]
    }

    #[differentiable]
    fn arguments(x: &[f64]) -> f64 {
        let mut layer = make(x);
        let first = push(&mut layer.offsets, 2.0) * push(&mut layer.weights, x[0]);
        dot(&layer.offsets, &layer.weights)
            + dot_constant(&layer.offsets, &layer.weights)
            + dot(&layer.weights, &layer.weights[..]) * first
    }

    #[differentiable]
    fn matched(x: &[f64]) -> f64 {
        let layer = make(x);
        let y = x[1];
        let a = match layer.cap {
            Some(cap) => cap * y,
            None => y,
        };
        let b = if let Some(cap) = &layer.cap {
            cap.sin() * y
        } else {
            0.0
        };
        let c = if let Some(floor) = layer.floor {
            floor * y
        } else {
            0.0
        };
        let d = match &layer.limit {
            Ok(limit) => limit.sin() * y,
            Err(_) => 0.0,
        };
        let e = match &layer.optional {
            Some(limits) => limits.lower.sin() * y,
            None => y,
        };
        a + b * c
            + d * e
            + *layer.boxed * y
            + layer.cap.unwrap_or(1.0) * y
            + layer.floor.unwrap_or(0.0) * y
    }

    #[differentiable]
    #[inline(never)]
    fn link(link: &Link, y: f64) -> f64 {
        match link {
            Link::Capped {
                cap: Some(cap),
                rate,
                y: own,
            } => cap.sin() * rate.exp() * own.sin() * y,
            Link::Capped {
                cap: None,
                rate,
                y: own,
            } => rate.sqrt() * own,
            Link::Table(table, own) => {
                table[0].sin() * own.sin() + table.iter().map(|t| t.sin()).sum::<f64>() * y
            }
        }
    }

    #[differentiable]
    fn links(x: &[f64]) -> f64 {
        let capped = |cap| cap;
        let chain = vec![
            Link::Table(vec![1.0, 2.0], x[0]),
            Link::Capped {
                cap: None,
                rate: 0.2,
                y: x[1],
            },
            Link::Capped {
                cap: capped(Some(0.3)),
                rate: 0.7,
                y: x[1],
            },
        ];
        let mut y = x[0];
        for part in &chain {
            y += link(part, y);
        }
        y
    }

    #[differentiable]
    #[inline(never)]
    fn update(layer: &mut Layer, y: f64) -> f64 {
        layer.bias = 0.8;
        layer.scale *= y;
        layer.bias += 0.1;
        layer.weights[0] *= layer.bias;
        layer.steps += 1;
        layer.offsets.push(0.8);
        layer.offsets[0] = 3.0;
        layer.offsets.swap(0, 1);
        for offset in layer.offsets.iter_mut() {
            *offset += 1.0;
        }
        let old = std::mem::replace(&mut layer.span, (2.0, 3.0));
        let offsets = std::mem::take(&mut layer.offsets);
        layer.scale * y * layer.bias * layer.weights[0] * layer.steps as f64 + offsets[2] * y
            - old.1 * y * layer.span.0
    }

    #[differentiable]
    #[inline(never)]
    fn updated(x: &[f64]) -> f64 {
        let mut layer = make(x);
        update(&mut layer, x[1]) * layer.bias * layer.weights[0] + layer.span.1 * x[0]
    }

    #[differentiable]
    fn iterated(x: &[f64]) -> f64 {
        let layer = make(x);
        let mut y = x[1];
        for edge in &layer.edges {
            y *= edge.1.sin() * layer.weights[edge.0];
        }
        for (i, w) in &layer.edges {
            y += w.sin() * layer.weights[*i];
        }
        for offset in layer.offsets.iter() {
            y += offset.sin() * x[0];
        }
        y += layer.offsets.iter().sum::<f64>() * x[0];
        let pairs = layer.offsets.iter().zip(&layer.weights);
        y + pairs.map(|(a, b)| a.sin() * b).sum::<f64>()
    }

    /// What a closure captures goes the same way.
    #[differentiable]
    fn applied<F: Fn(f64) -> f64>(f: F, y: f64) -> f64 {
        f(y)
    }

    #[differentiable]
    #[inline(never)]
    fn captured(x: &[f64]) -> f64 {
        let layer = make(x);
        applied(
            |t| layer.bias.sin() * t * layer.scale.sin() + dot(&layer.offsets, &layer.weights) * t,
            x[1],
        )
    }

    #[derive(Clone, Debug, Differentiable)]
    struct Generic<T> {
        scale: T,
        #[constant]
        bias: T,
        #[constant]
        offsets: Vec<T>,
        weights: Vec<T>,
    }

    #[differentiable]
    fn norm<T: Real>(x: &[T]) -> T {
        let mut sum = T::zero();
        for v in x {
            sum += *v * *v;
        }
        sum.sqrt()
    }

    #[differentiable]
    impl<T: Real> Generic<T> {
        fn value(&self, x: T) -> T {
            let mut sum = self.scale * x + self.bias.sin() * x;
            for i in 0..self.offsets.len() {
                sum += self.offsets[i].exp() * self.weights[i].sin();
            }
            sum + norm(&self.offsets) * x + norm(&self.weights)
        }
    }

    #[differentiable]
    fn generic(x: &[f64]) -> f64 {
        let of = Generic {
            scale: x[0],
            bias: 0.7,
            offsets: vec![1.0, 2.0],
            weights: vec![x[0], 2.0],
        };
        of.value(x[1]) * norm(&of.offsets) * norm(&of.weights)
    }

    table! {
        methods_of_floats: (&[1.3, 0.6]), (&[0.3, -0.7]);
        arguments: (&[1.3, 0.6]);
        matched: (&[1.3, 0.6]);
        links: (&[1.3, 0.6]);
        updated: (&[1.3, 0.6]);
        iterated: (&[1.3, 0.6]);
        captured: (&[1.3, 0.6]);
        generic: (&[1.3, 0.6]);
    }
}

/// What is inactive is stored in constant fields: numbers, constants, what is computed from constant fields, lengths, and what
/// `stop_gradient` gives.
mod stored {
    use chainrule::prelude::*;

    use crate::check::table;

    #[derive(Differentiable, Clone, Default)]
    struct Meter {
        rate: f64,
        #[constant]
        last: f64,
        #[constant]
        step: f64,
        #[constant]
        seen: usize,
        #[constant]
        log: Vec<f64>,
    }
    #[differentiable]
    impl Meter {
        fn new(rate: f64, #[constant] k: f64) -> Meter {
            Meter {
                rate,
                last: k,
                step: k * 2.0,
                seen: 3,
                log: vec![k; 3],
            }
        }
        fn assigned(&mut self, x: f64, #[constant] k: f64) -> f64 {
            self.last = k;
            self.log.push(k * self.step);
            self.log[0] = self.step * 2.0;
            self.rate * self.last * x * self.log[0] + self.log[1] * x
        }
        fn updated(&mut self, x: f64) -> f64 {
            let mut sum = 0.0;
            for _ in 0..3 {
                self.last += self.step;
                self.seen += 1;
                sum += x * self.last * self.rate;
            }
            std::mem::swap(&mut self.last, &mut self.step);
            sum * self.last
        }
        fn stopped(&mut self, x: &[f64]) -> f64 {
            self.seen = x.len();
            self.log.resize(x.len(), 1.0);
            self.last = stop_gradient(0.5);
            self.rate * self.last * x[0] * self.log[0]
        }
        fn reset(&mut self, x: f64) {
            clear(&mut self.log, self.step);
            self.rate *= x;
        }
    }
    #[differentiable]
    #[inline(never)]
    fn clear(log: &mut Vec<f64>, x: f64) {
        log.clear();
        log.push(x);
    }
    #[differentiable]
    #[inline(never)]
    fn keep(log: &mut Vec<f64>, f: impl Fn(f64) -> f64) {
        log.push(f(1.0));
    }
    #[differentiable]
    #[inline(never)]
    fn captured(x: f64, m: &mut Meter) -> f64 {
        let step = m.step;
        keep(&mut m.log, |a| a * step);
        m.log[0] * x
    }
    #[differentiable]
    #[inline(never)]
    fn run(x: &[f64]) -> f64 {
        let mut m = Meter::new(x[0], 0.5);
        let a = m.assigned(x[1], 0.25);
        let b = m.updated(x[1]);
        let c = m.stopped(x);
        m.reset(x[1]);
        a + b * c + m.rate * m.log[0] + captured(x[0], &mut m)
    }
    table! {
        run: (&[0.7, -0.4]);
    }
}

/// A constant field as an argument that the callee differentiates.
mod arguments {
    use super::*;

    #[derive(Clone, Differentiable)]
    struct Model {
        rates: Vec<f64>,
        #[constant]
        weights: Vec<f64>,
        #[constant]
        offsets: Vec<f64>,
    }

    #[differentiable]
    #[inline(never)]
    fn product(x: &[f64], y: &[f64]) -> f64 {
        let mut total = 0.0;
        for i in 0..x.len() {
            if x[i] > 100.0 {
                return x[i];
            }
            total += x[i] * y[i] * y[i];
        }
        total
    }

    #[differentiable]
    impl Model {
        fn shared(&self) -> f64 {
            product(&self.rates, &self.weights) * product(&self.offsets, &self.rates)
        }

        fn unique(&mut self) -> f64 {
            self.rates[0] *= product(&self.rates, &self.weights);
            self.rates[1] += product(&self.weights, &self.offsets) * self.rates[0];
            product(&self.offsets, &self.rates)
        }
    }

    #[differentiable]
    #[inline(never)]
    fn run(x: &[f64]) -> f64 {
        let mut model = Model {
            rates: x.to_vec(),
            weights: vec![0.5, 2.0],
            offsets: vec![1.5, -0.5],
        };
        model.unique() * model.shared() + model.unique()
    }

    table! {
        run: (&[0.7, -0.4]);
    }
}
