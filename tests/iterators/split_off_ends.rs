//! `split_first`, `split_last` and their `_mut` forms: an element and the rest.

use chainrule::prelude::*;

use crate::check::{check_map, table};

const X: [f64; 4] = [1.3, 0.5, 0.8, -0.7];

fn x(n: usize) -> Vec<f64> {
    X[..n].to_vec()
}

#[derive(Clone, Debug, Differentiable)]
struct Pair {
    a: f64,
    b: f64,
}

#[derive(Clone, Debug, Differentiable)]
struct List {
    v: Vec<f64>,
}

#[differentiable]
fn both_ends(x: &[f64]) -> f64 {
    let (a, rest) = x.split_first().unwrap();
    let (z, middle) = rest.split_last().expect("two");
    let mut t = *a;
    for v in rest {
        t = t * v + a;
    }
    a * z * middle[0] + t
}

#[differentiable]
fn from_the_front(x: &[f64]) -> f64 {
    match x.split_first() {
        Some((a, rest)) => a * a + from_the_front(rest) * a,
        None => 1.0,
    }
}

#[differentiable]
fn from_the_back(x: &[f64]) -> f64 {
    let n = x.len() as f64;
    if let Some((&z, rest)) = x.split_last() {
        z * from_the_back(rest) + n
    } else {
        1.0
    }
}

#[differentiable]
fn with_guards(x: &[f64]) -> f64 {
    let Some((z, rest)) = x.split_last() else {
        return 2.0;
    };
    match rest.split_last() {
        Some((y, front)) if front.len() > 1 => y * z * front[0],
        Some((y, _)) => y - z * y,
        _ => z * z,
    }
}

#[differentiable]
fn in_place(x: &[f64]) -> f64 {
    let mut v = x.to_vec();
    {
        let (a, b) = v.split_first_mut().unwrap();
        *a = x[1];
        b[0] = x[0] * *a;
    }
    if let Some((z, rest)) = v.split_last_mut() {
        *z *= rest[0];
        rest[1] += *z;
    }
    let mut total = 0.0;
    for (i, y) in v.iter().enumerate() {
        total += y * y * (i as f64 + 1.0);
    }
    total
}

#[differentiable]
impl List {
    fn spread(&mut self) {
        if let Some((head, tail)) = self.v.split_first_mut() {
            for t in tail.iter_mut() {
                *t *= *head;
            }
        }
    }

    fn ends(&self, y: f64) -> f64 {
        let (head, tail) = self.v.split_first().unwrap();
        head * tail[0] * y
    }
}

#[differentiable]
fn of_a_field(x: &[f64]) -> f64 {
    let mut list = List { v: x.to_vec() };
    let before = list.ends(x[1]);
    list.spread();
    before * list.ends(x[0])
}

#[differentiable]
fn scale_rest(pairs: &mut [Pair]) {
    if let Some((first, rest)) = pairs.split_first_mut() {
        first.a *= first.b;
        for pair in rest.iter_mut() {
            pair.b *= first.a;
        }
        scale_rest(rest);
    }
}

#[differentiable]
fn of_structs(x: &[f64]) -> f64 {
    let mut pairs = vec![
        Pair { a: x[0], b: x[1] },
        Pair { a: x[1], b: x[2] },
        Pair { a: x[2], b: x[0] },
    ];
    scale_rest(&mut pairs);
    pairs[0].a * pairs[1].a * pairs[2].b + pairs[2].a
}

/// Nothing differentiated is in the list.
#[differentiable]
fn of_constants(x: f64) -> f64 {
    let list = vec![2.0, 3.0];
    let k = match list.split_first() {
        Some((a, rest)) => *a * rest[0],
        None => x,
    };
    k * x
}

#[derive(Clone, Debug, PartialEq)]
enum Error {
    Empty,
    Short,
}

#[differentiable]
fn or_an_error(x: &[f64]) -> Result<f64, Error> {
    let (&a, rest) = x.split_first().ok_or(Error::Empty)?;
    let (z, middle) = rest.split_last().ok_or_else(|| Error::Short)?;
    let b = middle.first().ok_or(Error::Short)?;
    Ok(a * z * b + middle.iter().sum::<f64>() * a)
}

#[differentiable]
fn by_one_name(x: &[f64], #[constant] y: &[f64]) -> f64 {
    let (first, rest) = match x.split_first() {
        Some(parts) => parts,
        None => return 0.5,
    };
    let (weight, weights) = match y.split_last() {
        Some(parts) => parts,
        None => return first * first,
    };
    let mut t = first * weight;
    if let Some(parts) = rest.split_first() {
        t += parts.0 * first * weights.len() as f64 + parts.1.len() as f64;
    }
    t
}

#[differentiable]
fn of_elements(x: &[f64]) -> f64 {
    let mut t = 0.0;
    for k in 0..3 {
        if let Some([a, b]) = x.chunks(2).nth(k) {
            t += a * b;
        }
    }
    if let Some(&[a, b, ref c @ ..]) = x.get(1..) {
        t += a * b * b + c.len() as f64;
    }
    match x.split_first() {
        Some((a, [b])) => t * a + b,
        Some((a, [b, .., c])) => t * a * b * c,
        Some((a, _)) => t + a * a,
        None => 1.0,
    }
}

#[differentiable]
fn of_literals(x: f64, #[constant] y: &[f64], k: usize) -> f64 {
    match y.get(k) {
        Some(0.5) => x * x,
        Some(v) => v * x,
        None => x.sin(),
    }
}

table! {
    both_ends: for n in 3..5, (&x(n));
    from_the_front: for n in 0..4, (&x(n));
    from_the_back: for n in 0..4, (&x(n));
    with_guards: for n in 0..5, (&x(n));
    in_place: for n in 3..5, (&x(n));
    of_a_field: for n in 2..4, (&x(n));
    of_structs: (&x(3));
    of_constants: (0.7);
    by_one_name: for n in 0..4, (&x(n), const &[0.7, 0.3]), (&x(2), const &[]);
    of_elements: for n in 0..5, (&x(n));
    of_literals: for k in 0..3, (0.7, const &x(2), const k);
}

#[test]
fn errors_are_those_of_the_function() {
    for n in 0..5 {
        check_map!(or_an_error(&x(n)));
    }
    assert_eq!(or_an_error(&[]), Err(Error::Empty));
    assert_eq!(or_an_error(&[1.0]), Err(Error::Short));
}
