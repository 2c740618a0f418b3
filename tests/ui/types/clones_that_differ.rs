use chainrule::prelude::*;

/// The rest is that of another value.
#[derive(Default, Differentiable)]
struct Rest {
    a: f64,
    m: f64,
}

impl Clone for Rest {
    fn clone(&self) -> Self {
        Rest {
            a: self.a,
            ..Default::default()
        }
    }
}

#[differentiable]
fn rest(x: f64) -> f64 {
    let all = Rest { a: x, m: x };
    let copy = all.clone();
    copy.a * copy.m
}

/// A function may compute.
#[derive(Differentiable)]
struct Doubled(f64);

impl Doubled {
    fn new(x: f64) -> Self {
        Doubled(2.0 * x)
    }
}

impl Clone for Doubled {
    fn clone(&self) -> Self {
        Doubled::new(self.0)
    }
}

#[differentiable]
fn doubled(x: f64) -> f64 {
    let one = Doubled(x);
    let two = one.clone();
    two.0 * two.0
}

/// A name may be that of another value by then.
#[derive(Differentiable)]
struct Shadowed {
    a: f64,
}

impl Clone for Shadowed {
    fn clone(&self) -> Self {
        let a = self.a;
        let a = a.sin();
        Shadowed { a }
    }
}

/// Its clone is made of clones.
#[derive(Clone, Differentiable)]
struct Around {
    inner: Vec<Shadowed>,
    k: f64,
}

#[differentiable]
fn around(x: f64) -> f64 {
    let inner = vec![Shadowed { a: x }];
    let all = Around { inner, k: x };
    let copy = all.clone();
    copy.inner[0].a * copy.k
}

#[derive(Differentiable)]
enum Turn {
    Left(f64),
    Right(f64),
    None,
}

impl Clone for Turn {
    fn clone(&self) -> Self {
        match self {
            Turn::Left(x) => Turn::Right(*x),
            Turn::Right(x) => Turn::Left(*x),
            _ => Turn::None,
        }
    }
}

#[differentiable]
fn turned(x: f64) -> f64 {
    let left = Turn::Left(x);
    match left.clone() {
        Turn::Left(x) => x,
        Turn::Right(x) => x * x,
        Turn::None => 0.0,
    }
}

/// The numbers are the same, but not the count.
#[derive(Differentiable)]
struct Counted {
    n: usize,
    a: f64,
}

impl Clone for Counted {
    fn clone(&self) -> Self {
        Counted {
            n: self.n + 1,
            a: self.a,
        }
    }
}

#[differentiable]
fn of_a_list(x: f64) -> f64 {
    let all = vec![Counted { n: 1, a: x }, Counted { n: 2, a: x * x }];
    let mut sum = 0.0;
    for one in all {
        sum += one.a * one.n as f64;
    }
    sum
}

#[differentiable]
fn taken_apart(x: f64) -> f64 {
    let [one, two] = [Counted { n: 1, a: x }, Counted { n: 2, a: x * x }];
    let one = counted(one);
    one * counted(two)
}

#[differentiable]
fn counted(one: Counted) -> f64 {
    one.a * one.n as f64
}

fn main() {}
