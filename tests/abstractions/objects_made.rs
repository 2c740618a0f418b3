//! Trait objects that differentiated code makes: what is in them is differentiated as if its type were known.

use chainrule::prelude::*;

use crate::check::check;

#[differentiable(dyn)]
trait Layer {
    fn apply(&self, x: f64) -> f64;

    fn weaken(&mut self, by: f64) {
        let _ = by;
    }

    /// Another object as an argument.
    fn learn(&mut self, other: &dyn Layer, by: f64) {
        let _ = other;
        let _ = by;
    }
}

#[derive(Differentiable)]
struct Leaky {
    slope: f64,
}

#[derive(Differentiable)]
struct Sigmoid;

#[derive(Differentiable)]
struct Dense {
    weights: Vec<f64>,
    bias: f64,
}

/// An object around an object.
#[derive(Differentiable)]
struct Scaled {
    inner: Box<dyn Layer>,
    by: f64,
}

#[derive(Differentiable)]
struct Generic<T> {
    inner: T,
}

#[differentiable]
impl Layer for Leaky {
    fn apply(&self, x: f64) -> f64 {
        if x > 0.0 {
            x * x * self.slope
        } else {
            self.slope * x
        }
    }

    fn weaken(&mut self, by: f64) {
        self.slope *= by;
    }

    fn learn(&mut self, other: &dyn Layer, by: f64) {
        self.slope += other.apply(by * self.slope);
    }
}

#[differentiable]
impl Layer for Sigmoid {
    fn apply(&self, x: f64) -> f64 {
        1.0 / (1.0 + (-x).exp())
    }
}

#[differentiable]
impl Layer for Dense {
    fn apply(&self, x: f64) -> f64 {
        let mut sum = self.bias;
        for w in &self.weights {
            sum += (w * x).sin();
        }
        sum
    }

    fn weaken(&mut self, by: f64) {
        let last = self.bias * by;
        self.weights.push(last);
    }

    fn learn(&mut self, other: &dyn Layer, by: f64) {
        self.bias = other.apply(self.bias);
        self.weaken(other.apply(by));
    }
}

#[differentiable]
impl Layer for Scaled {
    fn apply(&self, x: f64) -> f64 {
        self.inner.apply(x) * self.by
    }

    fn weaken(&mut self, by: f64) {
        self.inner.weaken(by);
        self.by *= by;
    }
}

#[differentiable]
impl<T: Layer + chainrule::DifferentiableValue<OwnedTangent: 'static> + 'static> Layer
    for Generic<T>
{
    fn apply(&self, x: f64) -> f64 {
        self.inner.apply(x).sin()
    }
}

type Boxed = Box<dyn Layer>;

#[differentiable]
#[inline(never)]
fn named(kind: &str, p: f64) -> Box<dyn Layer> {
    match kind {
        "leaky" => Box::new(Leaky { slope: p }),
        "dense" => {
            let weights = vec![p, p * p];
            Box::new(Dense { weights, bias: p })
        }
        _ => Box::new(Sigmoid),
    }
}

#[differentiable]
#[inline(never)]
fn early(n: usize, p: f64) -> Boxed {
    if n == 0 {
        return Box::new(Sigmoid);
    }
    if n == 2 {
        let slope = p * 2.0;
        return Box::new(Leaky { slope });
    }
    Box::new(Leaky { slope: p })
}

#[differentiable]
#[inline(never)]
fn maybe(n: usize, p: f64) -> Option<Box<dyn Layer>> {
    match n {
        0 => None,
        1 => Some(Box::new(Sigmoid)),
        _ => Some(Box::new(Leaky { slope: p })),
    }
}

#[differentiable]
#[inline(never)]
fn result(n: usize, p: f64) -> Result<Box<dyn Layer>, String> {
    if n > 1 {
        return Err("too many".into());
    }
    let inner = early(n, p);
    Ok(Box::new(Scaled { inner, by: p }))
}

#[differentiable]
#[inline(never)]
fn returned(p: &[f64]) -> f64 {
    let (a, b) = (named("leaky", p[0]), named("dense", p[1]));
    let mut y = a.apply(p[2]) * b.apply(p[1]) + named("", p[0]).apply(p[2]);
    for n in 0..4 {
        y += early(n, p[0]).apply(y);
        if let Some(layer) = maybe(n, p[2]) {
            y *= layer.apply(p[0]);
        }
        match result(n, p[1]) {
            Ok(layer) => y += layer.apply(y),
            Err(_) => y += p[0],
        }
    }
    y
}

#[differentiable]
#[inline(never)]
fn annotated(p: &[f64]) -> f64 {
    let a: Box<dyn Layer> = Box::new(Leaky { slope: p[0] });
    let mut b = Box::new(Scaled {
        inner: Box::new(Leaky { slope: p[1] }),
        by: p[0],
    }) as Box<dyn Layer>;
    b.weaken(p[2]);
    let c: Boxed = Box::new(Sigmoid);
    let (d, e): (Box<dyn Layer>, f64) = (Box::new(Leaky { slope: p[2] }), p[0] * p[1]);
    let mut y = a.apply(p[1]) * b.apply(p[2]) + c.apply(d.apply(e));
    for k in 0..3 {
        let mut one: Box<dyn Layer> = match k {
            0 => Box::new(Leaky { slope: y }),
            1 => Box::new(Sigmoid),
            _ => {
                let bias = p[0] * y;
                let weights = vec![p[1]];
                Box::new(Dense { weights, bias })
            }
        };
        one.weaken(p[2]);
        y += one.apply(p[1]);
        one = Box::new(Leaky { slope: y });
        y *= one.apply(p[0]);
    }
    y
}

#[differentiable]
#[inline(never)]
fn listed(p: &[f64]) -> f64 {
    let three: Vec<Box<dyn Layer>> = vec![
        Box::new(Leaky { slope: p[0] }),
        Box::new(Sigmoid),
        Box::new(Dense {
            weights: vec![p[1], p[2]],
            bias: p[0],
        }),
    ];
    let two: [Box<dyn Layer>; 2] = [named("dense", p[0]), Box::new(Leaky { slope: p[1] })];
    let mut pushed: Vec<Box<dyn Layer>> = Vec::new();
    for k in 0..4 {
        if k % 2 == 0 {
            pushed.push(Box::new(Leaky { slope: p[k % 3] }));
        } else {
            let inner = early(k, p[1]);
            pushed.push(Box::new(Scaled { inner, by: p[2] }));
        }
    }
    let mut y = p[1];
    for layer in &three {
        y = layer.apply(y);
    }
    for layer in pushed.iter_mut() {
        layer.weaken(y);
    }
    pushed.swap(0, 3);
    for k in 0..pushed.len() {
        y += pushed[k].apply(p[0]) * two[k % 2].apply(y);
    }
    y + three.iter().map(|layer| layer.apply(p[2])).sum::<f64>()
}

#[differentiable]
#[inline(never)]
fn taught(layers: &mut [Box<dyn Layer>], x: f64) -> f64 {
    for layer in layers.iter_mut() {
        layer.weaken(x);
    }
    let (a, b) = layers.split_at_mut(1);
    a[0].learn(b[0].as_ref(), x);
    b[1].learn(&*a[0], x * x);
    b[0].as_mut().weaken(x);
    a[0].apply(x) * b[0].as_ref().apply(x) + b[1].apply(x)
}

#[differentiable]
#[inline(never)]
fn consumed_by_a_loop(layers: Vec<Box<dyn Layer>>, x: f64) -> f64 {
    let mut y = x;
    for layer in layers {
        y = layer.apply(y) + (*layer).apply(x);
    }
    y
}

#[differentiable]
#[inline(never)]
fn among_others(p: &[f64]) -> f64 {
    let dense = Dense {
        weights: vec![p[1]],
        bias: p[0],
    };
    let mut layers: Vec<Box<dyn Layer>> = vec![
        Box::new(Leaky { slope: p[0] }),
        Box::new(dense),
        Box::new(Dense {
            weights: Vec::new(),
            bias: p[1],
        }),
    ];
    let y = taught(&mut layers, p[2]);
    y * consumed_by_a_loop(vec![Box::new(Leaky { slope: y }), early(1, p[0])], y)
}

#[test]
fn of_a_written_type() {
    for p in [[0.8, -0.3, 1.2], [-0.8, 0.3, 0.6]] {
        check!(returned(&p));
        check!(annotated(&p));
        check!(listed(&p));
        check!(among_others(&p));
    }
}

#[derive(Differentiable)]
struct Net {
    layers: Vec<Box<dyn Layer>>,
    last: Option<Box<dyn Layer>>,
    bias: f64,
}

#[differentiable]
impl Net {
    fn new(bias: f64) -> Self {
        Net {
            layers: Vec::new(),
            last: None,
            bias,
        }
    }

    fn with(mut self, layer: Box<dyn Layer>) -> Self {
        self.layers.push(layer);
        self
    }

    fn add(&mut self, slope: f64) {
        self.layers.push(Box::new(Leaky { slope }));
        self.last = Some(Box::new(Leaky {
            slope: slope * self.bias,
        }));
    }

    fn run(&self, x: f64) -> f64 {
        let mut y = x;
        for layer in &self.layers {
            y = layer.apply(y);
        }
        if let Some(last) = &self.last {
            y += last.apply(x);
        }
        y + self.bias
    }

    fn width(&self) -> usize {
        self.layers.len()
    }
}

#[derive(Differentiable)]
enum Choice {
    One(Box<dyn Layer>),
    Two {
        x: f64,
        layers: [Option<Box<dyn Layer>>; 2],
    },
}

#[differentiable]
impl Choice {
    fn apply(&self, y: f64) -> f64 {
        match self {
            Choice::One(layer) => layer.apply(y),
            Choice::Two { x, layers } => match &layers[1] {
                Some(layer) => layer.apply(*x * y),
                None => *x,
            },
        }
    }
}

#[derive(Differentiable)]
struct Pair<T>(Box<T>, Box<dyn Layer>, f64);

#[differentiable]
#[inline(never)]
fn fields(p: &[f64]) -> f64 {
    let mut net = Net {
        layers: vec![Box::new(Leaky { slope: p[0] }), Box::new(Sigmoid)],
        last: Some(Box::new(Leaky { slope: p[1] })),
        bias: p[2],
    };
    let mut y = net.run(p[0]);
    net.add(y);
    y += net.run(p[1]);
    net.last = None;
    net.layers[0] = Box::new(Leaky { slope: y });
    y += net.run(p[2]) * net.width() as f64;
    let pair = Pair(Box::new(p[0]), Box::new(Leaky { slope: p[1] }), y);
    y += *pair.0 * pair.1.apply(pair.2);
    let one = Choice::One(Box::new(Leaky { slope: p[1] }));
    let two = Choice::Two {
        x: y,
        layers: [None, Some(Box::new(Leaky { slope: p[0] }))],
    };
    let none = Choice::Two {
        x: p[0],
        layers: [None, None],
    };
    one.apply(y) * two.apply(p[2]) * none.apply(y)
}

#[differentiable]
#[inline(never)]
fn through_all(layers: &[Box<dyn Layer>], first: Box<dyn Layer>, x: f64) -> f64 {
    let mut y = first.apply(x);
    for layer in layers {
        y = layer.apply(y);
    }
    y
}

#[differentiable]
fn kept<T: chainrule::DifferentiableValue>(value: Box<T>) -> T {
    *value
}

#[differentiable]
fn generic<T: Layer + chainrule::DifferentiableValue<OwnedTangent: 'static> + 'static>(
    inner: T,
) -> Box<dyn Layer> {
    Box::new(Generic { inner })
}

#[differentiable]
#[inline(never)]
fn built(p: &[f64]) -> Vec<Box<dyn Layer>> {
    let mut layers: Vec<Box<dyn Layer>> = Vec::new();
    layers.push(Box::new(Leaky { slope: p[0] }));
    for x in p {
        layers.push(Box::new(Dense {
            weights: p.to_vec(),
            bias: *x,
        }));
    }
    layers.push(generic(Leaky { slope: p[1] }));
    layers
}

#[differentiable]
#[inline(never)]
fn arguments(p: &[f64]) -> f64 {
    let net = Net::new(p[0])
        .with(Box::new(Leaky { slope: p[1] }))
        .with(generic(Leaky { slope: p[0] }))
        .with(Box::new(Scaled {
            inner: Box::new(Sigmoid),
            by: p[2],
        }));
    let layers = built(p);
    let leaky = Box::new(Leaky { slope: p[1] });
    let y = through_all(&layers, leaky, kept(Box::new(p[2])));
    let z = through_all(&net.layers, Box::new(Generic { inner: Sigmoid }), y);
    y * net.run(z)
}

#[test]
fn of_a_type_that_rustc_knows() {
    for p in [[0.8, -0.3, 1.2], [-0.8, 0.3, 0.6]] {
        check!(fields(&p));
        check!(arguments(&p));
    }
}

/// What has a tangent, but no `Clone`: objects in it, or nobody has derived it.
#[derive(Differentiable)]
struct Model {
    a: f64,
    v: Vec<f64>,
}

#[differentiable]
impl Model {
    fn density(&self, x: f64) -> f64 {
        self.a * x * self.v[0]
    }

    fn count(&self) -> usize {
        self.v.len()
    }

    fn scale(&mut self, by: f64) -> f64 {
        self.a *= by;
        self.v[0] += self.a;
        self.a
    }
}

#[differentiable]
#[inline(never)]
fn used_again(p: &[f64]) -> f64 {
    let mut y = p[0];
    for k in 0..3 {
        let mut model = Model {
            a: y,
            v: vec![p[1], p[2]],
        };
        model.a += k as f64;
        y = model.density(y);
        y += model.scale(p[0]) * model.density(y);
        if k == 1 {
            y *= model.scale(y);
        }
    }
    let model = Model {
        a: y,
        v: vec![p[1]],
    };
    let z = model.density(p[2]);
    let n = model.count();
    z * n as f64
}

#[derive(Clone, Differentiable)]
struct Consumed {
    a: f64,
}

#[differentiable]
impl Consumed {
    fn density(&self, x: f64) -> f64 {
        (self.a * x).sin()
    }

    fn total(self, by: f64) -> f64 {
        self.a * self.a * by
    }

    fn name(self) -> String {
        "consumed".to_owned()
    }
}

#[differentiable]
#[inline(never)]
fn consumed(p: &[f64]) -> f64 {
    let named = Consumed { a: p[0] * p[1] };
    let y = named.density(p[2]);
    let name = named.name();
    let mut one = Consumed { a: p[0] * p[1] };
    let mut z = one.density(p[2] * y);
    if p[0] < 0.0 {
        return one.total(z);
    }
    one.a *= z;
    z += one.density(z);
    one.total(z) * name.len() as f64
}

/// A list that is filled and moved, in a struct that isn't cloned.
#[derive(Differentiable)]
struct Bag {
    items: Vec<f64>,
    count: usize,
    scale: f64,
}

#[differentiable]
impl Bag {
    fn with(mut self, x: f64) -> Self {
        self.items.push(x * x);
        self.count += 1;
        self
    }
}

/// Another `push`, which needs what it has written.
#[derive(Clone, Differentiable)]
struct Products {
    items: Vec<f64>,
}

#[differentiable]
impl Products {
    fn push(&mut self, x: f64) {
        if let Some(last) = self.items.last_mut() {
            *last *= x;
        }
        self.items.push(x * x);
    }
}

#[derive(Clone, Differentiable)]
struct Around {
    products: Products,
}

#[differentiable]
impl Around {
    fn with(mut self, x: f64) -> Self {
        self.products.push(x);
        self
    }
}

#[differentiable]
#[inline(never)]
fn filled(p: &[f64]) -> f64 {
    let empty = Bag {
        items: Vec::new(),
        count: 0,
        scale: p[2],
    };
    let bag = empty.with(p[0]).with(p[1]).with(p[2]);
    let products = Products { items: Vec::new() };
    let around = Around { products }.with(p[0]).with(p[1]).with(p[2]);
    let mut y = bag.scale * bag.count as f64;
    for k in 0..3 {
        y = y * bag.items[k] + around.products.items[k];
    }
    y
}

#[test]
fn what_is_not_cloned() {
    for p in [[0.8, -0.3, 1.2], [-0.8, 0.3, 0.6]] {
        check!(used_again(&p));
        check!(consumed(&p));
        check!(filled(&p));
    }
}
