//! Methods of `Option`, `Result` and `bool` that take closures, where the receiver's type is known and where it isn't.

use chainrule::prelude::*;

use crate::check::table;

#[derive(Clone, Debug, Differentiable)]
struct Node {
    weight: f64,
    next: Option<Box<Node>>,
}

#[derive(Clone, Debug, Differentiable)]
struct Model {
    on: bool,
    scale: Option<f64>,
    pair: Option<(f64, f64)>,
    list: Vec<Option<f64>>,
    tail: Option<Node>,
}

#[differentiable]
fn square(x: f64) -> f64 {
    x * x
}

#[differentiable]
fn logarithm(x: f64) -> Option<f64> {
    if x > 0.0 { Some(x.ln()) } else { None }
}

#[differentiable]
fn root(x: f64) -> Result<f64, String> {
    if x > 0.0 {
        Ok(x.sqrt())
    } else {
        Err("negative".to_string())
    }
}

#[differentiable]
impl Node {
    fn mapped(&self, x: f64) -> f64 {
        self.weight * x + self.next.as_ref().map(|n| n.mapped(x * x)).unwrap_or(0.0)
    }

    fn map_or(&self, x: f64) -> f64 {
        self.weight * x + self.next.as_deref().map_or(x, |n| n.map_or(x.sin()))
    }

    fn scaled(&mut self, x: f64) {
        self.weight *= x;
        self.next.as_mut().map(|n| n.scaled(x * x));
    }
}

#[differentiable]
impl Model {
    fn map(&self, x: f64) -> f64 {
        self.scale.map(|s| s * x).unwrap_or(x)
    }

    fn and_then(&self, x: f64) -> Option<f64> {
        self.scale.and_then(|s| (s > 0.0).then_some(s * x))
    }

    fn unwrap_or_else(&self, x: f64) -> f64 {
        self.scale.unwrap_or_else(|| x * x)
    }

    fn named(&self, x: f64) -> f64 {
        let scaled = |s: f64| s * x;
        self.scale.map_or(x, scaled) + self.scale.map(scaled).unwrap_or(x)
    }

    fn functions(&self, x: f64) -> f64 {
        self.scale.map(square).unwrap_or(x) * self.scale.and_then(logarithm).map_or(x, f64::sin)
    }

    fn map_or_else(&self, x: f64) -> f64 {
        self.scale.as_ref().map_or_else(|| x.sin(), |s| *s * x)
    }

    fn filter(&self, x: f64) -> f64 {
        self.scale.filter(|s| *s > x).map_or(x.cos(), |s| s * s)
    }

    fn inspect(&self, x: f64) -> f64 {
        let mut seen = x;
        let same = self.scale.inspect(|s| seen *= *s);
        seen * same.unwrap_or(x)
    }

    fn is_some_and(&self, x: f64) -> f64 {
        let mut last = x;
        let large = self.scale.is_some_and(|s| {
            last *= s;
            s > 1.0
        });
        if large { last * x } else { last }
    }

    fn or_else(&self, x: f64) -> f64 {
        self.scale.or_else(|| Some(x * x)).map_or(0.0, |v| v.exp())
    }

    fn ok_or_else(&self, x: f64) -> Result<f64, String> {
        self.scale.ok_or_else(|| "none".to_string()).map(|v| v * x)
    }

    /// The type of a method's result isn't known, but only an `Option` has `ok_or`.
    fn ok_or(&self, x: f64) -> f64 {
        let scaled = self.and_then(x).ok_or("none");
        let limited = scaled.and_then(|v| if v > 0.3 { Ok(v * x) } else { Err("small") });
        limited.unwrap_or(x)
    }

    fn question(&self, x: f64) -> Option<f64> {
        let scale = self.scale.map(|s| s * x)?;
        self.pair.map(|(a, b)| a * b * scale)
    }

    fn elements(&self) -> f64 {
        let product: f64 = self.list.iter().map(|o| o.unwrap_or_else(|| 2.0)).product();
        product
            + self
                .list
                .iter()
                .map(|o| o.map_or(1.0, |v| v * v))
                .sum::<f64>()
    }

    fn cloned(&self, x: f64) -> f64 {
        self.tail.clone().map_or(x, |node| node.weight * x)
    }

    fn replaced(&mut self, x: f64) {
        self.scale = self.scale.map(|s| s * x);
        self.tail.as_mut().map(|node| node.scaled(x));
    }

    fn then(&self, x: f64) -> f64 {
        self.on.then(|| self.weight() * x).unwrap_or(x) + self.on.then_some(x * x).unwrap_or(x)
    }

    fn weight(&self) -> f64 {
        self.tail.as_ref().map_or(1.0, |node| node.weight)
    }
}

#[differentiable]
fn model(p: &[f64]) -> Model {
    let leaf = Node {
        weight: p[0],
        next: None,
    };
    Model {
        on: true,
        scale: Some(p[0]),
        pair: Some((p[1], p[2])),
        list: vec![Some(p[1]), None, Some(p[2])],
        tail: Some(Node {
            weight: p[1],
            next: Some(Box::new(leaf)),
        }),
    }
}

#[differentiable]
fn empty() -> Model {
    Model {
        on: false,
        scale: None,
        pair: None,
        list: Vec::new(),
        tail: None,
    }
}

#[differentiable]
fn of_fields(p: &[f64], some: bool) -> f64 {
    let m = if some { model(p) } else { empty() };
    let x = p[1];
    let mut sum = m.map(x) + m.and_then(x).unwrap_or(x) * m.unwrap_or_else(x) + m.named(x);
    sum += m.map_or_else(x) * m.filter(x) + m.inspect(x) * m.is_some_and(x) + m.or_else(x);
    sum += m.ok_or_else(x).unwrap_or(x) + m.question(x).unwrap_or(x * x) * m.elements();
    sum += m.ok_or(x);
    sum + m.cloned(x) * m.then(x)
}

#[differentiable]
fn by_name(p: &[f64], some: bool) -> f64 {
    let m = if some { model(p) } else { empty() };
    m.functions(p[1])
}

#[differentiable]
fn recursive(p: &[f64]) -> f64 {
    let mut m = model(p);
    let tail = m.tail.clone().unwrap();
    let before = tail.mapped(p[2]) * tail.map_or(p[2]);
    m.replaced(p[2]);
    let tail = m.tail.clone().unwrap();
    before + tail.mapped(p[1]) * m.map(p[0])
}

#[differentiable]
fn errors(x: f64) -> Result<f64, usize> {
    root(x).map(|v| v * x).map_err(|e| e.len())
}

#[differentiable]
fn chained(x: f64) -> Result<f64, String> {
    let y = root(x).map(|v| v + x)?;
    root(y).and_then(|v| root(v - 0.5))
}

#[differentiable]
fn recovered(x: f64) -> Result<f64, String> {
    let found: Result<f64, String> = root(x);
    found.or_else(|e| if e.is_empty() { Ok(x) } else { root(x + 5.0) })
}

#[differentiable]
fn of_results(x: f64) -> f64 {
    let mut sum = errors(x).unwrap_or(x * x) + chained(x).ok().map_or(x, |v| v * x);
    sum += root(x).unwrap_or_else(|e| x * e.len() as f64);
    sum += root(x).map_or_else(|e| x * e.len() as f64, |v| v * x);
    let known: Result<f64, String> = root(x);
    sum + known.map(|v| v * v * x).unwrap_or(x) * recovered(x).unwrap()
}

#[differentiable]
fn of_known_options(x: &[f64]) -> f64 {
    let mut product = 1.0;
    let some = Some(1usize);
    let is = some.is_some_and(|k| {
        product *= x[k];
        true
    });
    (x.len() > 1).then(|| product *= x[0]);
    let mut kept = Some(1.0);
    kept.as_mut().map(|e| *e = x[0]);
    let lent = &kept;
    let seen = lent.map(|v| v * x[1]).unwrap_or(1.0);
    if is { product * seen } else { seen }
}

/// The default is evaluated after the receiver, which changes it.
#[differentiable]
fn order(x: &[f64]) -> f64 {
    let mut v = x.to_vec();
    let a = v.pop().map_or(v.len() as f64, |a| a * 2.0);
    v.clear();
    let b = v.pop().map_or(v.len() as f64 * x[0] + x[1], |b| b * x[0]);
    let c = (v.len() == 0).then_some(a * b);
    c.map_or(a, |c| c * a)
}

#[derive(Clone, Copy, Debug, Differentiable)]
struct Pair {
    a: f64,
    b: f64,
}

/// `map` is a method of users' types, too.
#[differentiable]
impl Pair {
    fn map(self, f: impl Fn(f64) -> f64) -> Pair {
        Pair {
            a: f(self.a),
            b: f(self.b),
        }
    }
}

#[derive(Clone, Copy, Debug, Differentiable)]
struct Holder {
    pair: Pair,
    list: [f64; 2],
}

#[differentiable]
impl Holder {
    fn listed(&self) -> [f64; 2] {
        self.list.map(|v| v.sin())
    }
}

#[differentiable]
fn of_other_types(x: &[f64]) -> f64 {
    let pair = Pair { a: x[0], b: x[1] };
    let known = pair.map(|v| v * x[2]);
    let list = [x[0], x[2]];
    let holder = Holder { pair, list };
    let field = holder.pair.map(|v| v * v).a;
    let named = holder.pair.map(square).b;
    let annotated: [f64; 2] = holder.list.map(|v| v * x[1]);
    known.a * known.b + field * named + annotated[1] * holder.listed()[0]
}

/// Nothing active goes through these.
#[differentiable]
fn inactive(x: f64, words: &[&str]) -> f64 {
    let longest = words.iter().map(|w| w.len()).max().map_or(0, |n| n + 1);
    let first = words.first().map(|w| w.len()).filter(|n| *n > 1);
    let parsed = "2.5".parse::<f64>().map(|v| v + 1.0).unwrap_or(0.0);
    x * (longest + first.unwrap_or_else(|| 7)) as f64 * parsed
}

mod elsewhere {
    use chainrule::prelude::*;

    #[differentiable]
    pub(super) fn root(x: f64) -> Option<f64> {
        if x > 0.0 { Some(x.sqrt()) } else { None }
    }
}

#[differentiable]
fn mapped_to_itself(x: f64) -> f64 {
    let mut d = elsewhere::root(x);
    d = d.map(|x| x * x * x);
    d = d.and_then(|x| if x < 1.0 { Some(x + 1.0) } else { None });
    d.unwrap_or(2.0 * x)
}

const P: [f64; 3] = [0.8, 0.3, 1.2];

table! {
    of_fields: (&P, const true), (&P, const false), (&[1.8, -0.3, 0.4], const true);
    by_name: (&P, const true), (&P, const false);
    recursive: (&P);
    of_results: (0.8), (-0.3);
    of_known_options: (&P);
    order: (&P);
    of_other_types: (&P);
    mapped_to_itself: (0.7), (1.5), (-0.5);
    inactive: (0.7, const &["a", "bcd"][..]), (0.7, const &[][..]);
}
