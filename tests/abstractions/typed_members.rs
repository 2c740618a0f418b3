//! Members of the file's types whose types the macro reads: fields and methods of generic types, payloads of variants, results that are aliases or text.
//! Implementors of traits that hold no floats.

use chainrule::prelude::*;

use crate::check::check;

type Point = [f64; 3];

#[derive(Clone, Debug, Differentiable)]
struct Body {
    at: Point,
    #[constant]
    name: String,
}

#[differentiable]
impl Body {
    fn at(&self) -> Point {
        self.at
    }

    fn name(&self) -> String {
        self.name.clone()
    }

    fn moved(&self, k: f64) -> Point {
        self.at().map(|c| c * k + c * c)
    }

    /// An error that holds text, of a type that has no tangent and may hold a number.
    fn checked(&self, k: f64) -> Result<f64, Refused> {
        if k < 0.0 {
            return Err(Refused::Named(self.name()));
        }
        if k > 10.0 {
            return Err(Refused::Large {
                by: stop_gradient(k) - 10.0,
            });
        }
        Ok(self.at[0] * k)
    }
}

#[derive(Clone, Debug, PartialEq)]
enum Refused {
    Named(String),
    Large { by: f64 },
}

#[differentiable]
fn of_aliases(x: f64) -> f64 {
    let body = Body {
        at: [x, x * x, 1.0],
        name: String::from("b"),
    };
    let moved = body.moved(x).map(|c| c * c);
    moved.iter().sum::<f64>() + body.at().map(|c| c * x)[1] + body.checked(x).unwrap_or(0.0)
}

#[derive(Clone, Copy, Debug, Differentiable)]
struct Grid<const R: usize, const C: usize>([[f64; C]; R]);

#[differentiable]
impl<const R: usize, const C: usize> Grid<R, C> {
    fn from_fn(f: impl Fn(usize, usize) -> f64) -> Self {
        let mut all = [[0.0; C]; R];
        for i in 0..R {
            for j in 0..C {
                all[i][j] = f(i, j);
            }
        }
        Grid(all)
    }

    fn row(&self, k: usize, by: f64) -> [f64; C] {
        self.0[k].map(|v| v * by)
    }

    fn scaled(&self, by: f64) -> Self {
        Grid(self.0.map(|row| row.map(|v| v * by)))
    }

    fn square(&self) -> f64 {
        let mut sum = 0.0;
        for i in 0..R {
            for j in 0..C {
                sum += self.0[i][j] * self.0[i][j];
            }
        }
        sum
    }
}

#[differentiable]
fn of_constants(x: f64) -> f64 {
    let grid = Grid([[x, x * x], [1.0, x]]);
    let made: Grid<2, 3> = Grid::from_fn(|i, j| x * (i + 2 * j) as f64);
    grid.row(0, x).iter().sum::<f64>() + grid.scaled(x).square() * made.square()
}

#[derive(Clone, Debug, Differentiable)]
struct Image<T> {
    pixels: Vec<T>,
    width: usize,
}

#[differentiable]
impl<T: Real> Image<T> {
    fn zeros(width: usize) -> Self {
        Image {
            pixels: vec![T::from_f64(0.0); width],
            width,
        }
    }

    fn squared(&self) -> Image<T> {
        let mut out = Image::zeros(self.width);
        for i in 0..self.width {
            out.pixels[i] = self.pixels[i] * self.pixels[i];
        }
        out
    }

    fn total(&self) -> T {
        let mut sum = T::from_f64(0.0);
        for i in 0..self.width {
            sum += self.pixels[i];
        }
        sum
    }
}

#[differentiable]
fn of_types(x: &[f64]) -> f64 {
    let image = Image {
        pixels: x.to_vec(),
        width: x.len(),
    };
    let doubled = image.pixels.iter().map(|p| 2.0 * p).sum::<f64>();
    image.squared().total() * doubled
}

/// Its impl has other names for the parameters, so that nothing is known of its methods.
#[derive(Clone, Debug, Differentiable)]
struct Pair<A, B> {
    left: A,
    right: B,
}

#[differentiable]
impl<B: Real, A: Real> Pair<B, A> {
    fn swapped(&self) -> Pair<A, B> {
        Pair {
            left: self.right,
            right: self.left,
        }
    }
}

#[differentiable]
fn of_swapped(x: f64) -> f64 {
    let pair = Pair {
        left: x,
        right: x * x,
    };
    let swapped = pair.swapped();
    swapped.left * swapped.left * pair.left + pair.right
}

#[derive(Clone, Debug, Differentiable)]
enum Term {
    Number(f64),
    Sum(Box<Term>, Box<Term>),
    Product { left: Box<Term>, right: Box<Term> },
    Power(Box<Term>, i32),
    All(Vec<Term>),
    Scaled(f64, Box<Term>),
}

#[differentiable]
fn value(term: &Term) -> f64 {
    match term {
        Term::Number(v) => *v,
        Term::Sum(a, b) => value(a.as_ref()) + value(b.as_ref()),
        Term::Product { left, right } => value(left) * value(&right),
        Term::Power(a, n) => value(a).powi(*n),
        Term::All(all) => all.iter().map(|term| value(term)).sum(),
        Term::Scaled(k, a) => {
            let mut scale = *k;
            for _ in 0..2 {
                scale *= *k;
            }
            scale * value(a)
        }
    }
}

#[differentiable]
fn of_terms(x: f64) -> f64 {
    let number = |v: f64| Box::new(Term::Number(v));
    let product = Term::Product {
        left: number(x),
        right: number(x * x),
    };
    let sum = Term::Sum(number(x), Box::new(product.clone()));
    let all = vec![
        sum,
        Term::Power(number(x), 3),
        Term::Scaled(x, number(2.0)),
        product,
    ];
    value(&Term::All(all))
}

#[derive(Clone, Copy, Debug, Differentiable)]
enum Shape<T> {
    Disc { radius: T },
    Rect(T, T),
    Empty,
}

#[differentiable]
impl Shape<f64> {
    fn area(&self) -> f64 {
        match self {
            Self::Disc { radius } => radius * radius * 3.0,
            Shape::Rect(a, b) => a * b,
            Shape::Empty => 0.0,
        }
    }
}

#[differentiable]
fn of_shapes(x: f64) -> f64 {
    let mut sum = 0.0;
    for shape in [
        Shape::Disc { radius: x },
        Shape::Rect(x, x * x),
        Shape::Empty,
    ] {
        sum += match shape {
            Shape::Rect(a, _) => a.sin() * x,
            other => other.area(),
        };
    }
    sum
}

#[differentiable]
trait Kernel {
    fn eval(&self, r: f64) -> f64;

    fn twice(&self, r: f64) -> f64 {
        self.eval(self.eval(r))
    }
}

#[differentiable]
trait Prior {
    fn logp(&self, x: f64) -> f64;
}

#[differentiable]
fn scaled(#[constant] n: f64, r: f64) -> f64 {
    n * r * r
}

struct Unit;

struct Order {
    n: u8,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Square,
    Cube(u32),
}

#[differentiable]
impl Kernel for Unit {
    fn eval(&self, r: f64) -> f64 {
        (-r * r).exp()
    }
}

#[differentiable]
impl Kernel for Order {
    fn eval(&self, r: f64) -> f64 {
        let n: f64 = self.n.into();
        r * n + scaled(self.n.into(), r)
    }
}

#[differentiable]
impl Kernel for Kind {
    fn eval(&self, r: f64) -> f64 {
        match self {
            Kind::Square => r * r,
            Kind::Cube(n) => r * r * r * *n as f64,
        }
    }
}

#[differentiable]
impl Prior for Kind {
    fn logp(&self, x: f64) -> f64 {
        if *self == Kind::Square { -x * x } else { x }
    }
}

#[derive(Clone, Debug, Differentiable)]
struct Model {
    kind: Kind,
    w: f64,
}

#[differentiable]
impl Model {
    fn at(&self, x: f64) -> f64 {
        self.w * self.kind.twice(x) + self.kind.logp(self.w)
    }
}

#[differentiable]
fn both<K: Kernel + Prior>(kernel: &K, x: f64) -> f64 {
    kernel.eval(x) * kernel.logp(x)
}

#[differentiable]
fn of_implementors(x: f64) -> f64 {
    let kinds = [Kind::Square, Kind::Cube(2)];
    let model = Model {
        kind: kinds[0],
        w: x,
    };
    let all: f64 = kinds.iter().map(|kind| kind.eval(x)).sum();
    all + both(&Kind::Cube(2), x)
        + Unit.eval(x)
        + Order { n: 3 }.eval(x * x)
        + Order { n: 2 }.twice(x)
        + model.at(x)
}

#[derive(Clone, Debug, Differentiable)]
struct Metric {
    scale: f64,
}

#[differentiable]
impl Metric {
    fn norm(&self, [a, b]: [f64; 2]) -> f64 {
        self.scale * (a * a + b * b).sqrt()
    }
}

#[differentiable]
fn norm([a, b]: [f64; 2]) -> f64 {
    (a * a + 2.0 * b * b).sqrt()
}

/// The parameter says how long the array is.
#[differentiable]
fn of_made_arrays(scale: f64, x: &[f64]) -> f64 {
    let metric = Metric { scale };
    let p = std::array::from_fn(|i| x[i] * x[i]);
    let mut q = std::array::from_fn(|i| x[i].sin());
    let first = norm(q);
    q = std::array::from_fn(|i| x[i]);
    metric.norm(p) * metric.norm(std::array::from_fn(|i| x[i] + 1.0)) + first * norm(q)
}

#[test]
fn lengths_of_parameters() {
    check!(of_made_arrays(0.7, &[0.5, 1.5]));
}

#[test]
fn fields_and_results() {
    check!(of_aliases(0.8));
    check!(of_constants(0.8));
    check!(of_types(&[0.7, 1.3]));
    check!(of_swapped(1.3));
    assert_eq!(of_swapped(2.0), 36.0);
    let body = Body {
        at: [1.0; 3],
        name: String::from("b"),
    };
    assert_eq!(body.checked(-1.0), Err(Refused::Named(String::from("b"))));
    assert_eq!(body.checked(12.0), Err(Refused::Large { by: 2.0 }));
}

#[test]
fn payloads() {
    check!(of_terms(1.3));
    check!(of_shapes(0.8));
}

#[test]
fn implementors_without_floats() {
    check!(of_implementors(0.8));
}
