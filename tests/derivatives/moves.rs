//! What is moved: into calls and back, out of parts and into them, on one of two ways. What was there is gone, but the
//! reverse half may need it, or its shape.

use crate::check::{check, flat, map_table, table};
use chainrule::prelude::*;

#[derive(Clone, Debug, PartialEq, Differentiable)]
struct State {
    v: Vec<f64>,
    k: f64,
}
flat!(State { v: Vec<f64>, k: f64 });

#[differentiable]
fn step(mut v: Vec<f64>) -> Vec<f64> {
    for e in v.iter_mut() {
        *e *= *e + 0.5;
    }
    v
}
#[differentiable]
fn make(x: &[f64]) -> Vec<f64> {
    x.to_vec()
}
#[differentiable]
fn make_state(x: &[f64]) -> State {
    State {
        v: x.to_vec(),
        k: x[0],
    }
}
#[differentiable]
fn advance(s: State) -> State {
    State {
        k: s.k * s.v[0],
        v: step(s.v),
    }
}
#[differentiable]
fn total(v: &[f64]) -> f64 {
    let mut t = 0.0;
    for e in v {
        t += e * e;
    }
    t
}

#[differentiable]
impl State {
    fn next(self) -> State {
        let k = self.k * 2.0;
        State { k, v: step(self.v) }
    }
    fn sum(&self) -> f64 {
        total(&self.v) + self.k
    }
    fn into_v(self) -> Vec<f64> {
        self.v
    }
    fn bump(&mut self, x: f64) {
        self.k += x;
        self.v[0] *= self.k;
    }
}

#[differentiable]
fn chosen(x: &[f64], c: bool) -> f64 {
    let mut v = make(x);
    v = if c { step(v) } else { v };
    total(&v)
}
#[differentiable]
fn chosen_known(x: &[f64], c: bool) -> f64 {
    let mut v = x.to_vec();
    v = if c { step(v) } else { v };
    total(&v)
}
#[differentiable]
fn pair_of_vecs(x: &[f64], n: usize) -> f64 {
    let (mut a, mut b) = (make(x), x.to_vec());
    for _ in 0..n {
        (a, b) = (step(b), a);
    }
    total(&a) - 2.0 * total(&b)
}
#[differentiable]
fn shadowing(x: &[f64]) -> f64 {
    let v = make(x);
    let v = step(v);
    let v = step(v);
    total(&v)
}
#[differentiable]
fn field_moved(x: &[f64], n: usize) -> f64 {
    let mut s = make_state(x);
    for _ in 0..n {
        s.v = step(s.v);
        s.k *= s.v[0];
    }
    total(&s.v) * s.k
}
#[differentiable]
fn struct_moved(x: &[f64], n: usize) -> f64 {
    let mut s = make_state(x);
    for _ in 0..n {
        s = advance(s);
    }
    s.sum()
}
#[differentiable]
fn method_moved(x: &[f64], n: usize) -> f64 {
    let mut s = make_state(x);
    for _ in 0..n {
        s = s.next();
    }
    s.sum()
}
#[differentiable]
fn method_moved_then_read(x: &[f64], n: usize) -> f64 {
    let mut s = make_state(x);
    let mut t = 0.0;
    for _ in 0..n {
        t += s.k;
        s = s.next();
        s.bump(0.1);
    }
    let v = s.into_v();
    total(&v) + t
}
#[differentiable]
fn taken(x: &[f64], n: usize) -> f64 {
    let mut s = make_state(x);
    for _ in 0..n {
        let v = std::mem::take(&mut s.v);
        s.v = step(v);
    }
    s.sum()
}
#[differentiable]
fn early(x: &[f64], n: usize) -> f64 {
    let mut v = make(x);
    for i in 0..4 {
        if i == n {
            return total(&v);
        }
        v = step(v);
    }
    let w = v;
    total(&w) * 2.0
}
#[differentiable]
fn kept(x: &[f64], n: usize) -> f64 {
    let mut v = make(x);
    let mut best = make(x);
    for _ in 0..n {
        let w = step(v.clone());
        if total(&w) < total(&best) {
            best = w;
        } else {
            v = w;
        }
    }
    total(&v) + total(&best)
}
#[differentiable]
fn moved_into_struct(x: &[f64]) -> State {
    let v = make(x);
    let k = total(&v);
    State { v, k }
}
#[differentiable]
fn moved_out_of_struct(s: State) -> Vec<f64> {
    let State { v, k } = s;
    let mut v = step(v);
    v[0] *= k;
    v
}
#[differentiable]
fn returned_early(s: State, c: bool) -> Vec<f64> {
    if c {
        return s.v;
    }
    let mut v = s.v;
    v[0] = s.k;
    v
}
#[differentiable]
fn vec_of_vecs(x: &[f64], n: usize) -> f64 {
    let mut rows = vec![make(x); 2];
    for i in 0..n {
        let row = step(rows[i % 2].clone());
        rows[(i + 1) % 2] = row;
    }
    total(&rows[0]) + 3.0 * total(&rows[1])
}
#[differentiable]
fn shadowed_verbatim(x: f64, word: &str) -> f64 {
    let n = word.len();
    let w = n as f64 * x;
    let n = word.trim();
    let k = if n == "ab" { 2.0 } else { 1.0 };
    let n = n.to_uppercase();
    w * k * n.len() as f64
}
#[differentiable]
fn swapping(x: &[f64], n: usize) -> f64 {
    let mut a = make(x);
    let mut b = make(x);
    for _ in 0..n {
        for i in 0..a.len() {
            b[i] = a[i] * a[0];
        }
        std::mem::swap(&mut a, &mut b);
    }
    total(&a) + b[0]
}
#[differentiable]
fn by_value_param(mut v: Vec<f64>, n: usize) -> f64 {
    for _ in 0..n {
        v = step(v);
    }
    total(&v)
}
#[differentiable]
fn array_carried(x: [f64; 2], n: usize) -> f64 {
    let mut u = x;
    for _ in 0..n {
        let w = [u[1] * u[0], u[0]];
        u = w;
    }
    u[0] - u[1]
}

fn x(n: usize) -> Vec<f64> {
    [0.7, 1.1, -0.4][..n].to_vec()
}
fn s() -> State {
    State { v: x(2), k: 0.3 }
}
#[allow(dropping_copy_types, reason = "users may write it")]
#[differentiable]
fn dropped(x: &[f64]) -> f64 {
    let mut values = x.to_vec();
    let factors = vec![x[0]; 3];
    values.push(factors[1] * x[1]);
    drop(factors);
    let product = values[2] * values[1];
    std::mem::drop(values);
    drop(x[0] * 2.0);
    product
}

table! {
    dropped: (&x(2));
    chosen: (&x(2), const true), (&x(2), const false);
    chosen_known: (&x(2), const true), (&x(2), const false);
    pair_of_vecs: for n in 0..4, (&x(2), const n);
    shadowing: (&x(2));
    field_moved: for n in 0..4, (&x(2), const n);
    struct_moved: for n in 0..4, (&x(2), const n);
    method_moved: for n in 0..4, (&x(2), const n);
    method_moved_then_read: for n in 0..4, (&x(2), const n);
    taken: for n in 0..4, (&x(2), const n);
    early: for n in 0..4, (&x(2), const n);
    kept: for n in 0..4, (&x(2), const n);
    vec_of_vecs: for n in 0..4, (&x(2), const n);
    shadowed_verbatim: (0.7, const &*" ab "), (0.7, const &*"abc");
    swapping: for n in 0..4, (&x(2), const n);
    by_value_param: for n in 0..4, (x(2), const n);
    array_carried: for n in 0..4, ([0.7, 1.1], const n);
}
map_table! {
    moved_into_struct: (&x(2));
    moved_out_of_struct: (s());
    returned_early: (s(), const true), (s(), const false);
}

/// One of several, as an element of a list.
#[derive(Clone, Debug, PartialEq, Differentiable)]
enum Entry {
    List(Vec<f64>),
    State { of: State },
}

#[differentiable]
fn each_field(s: &State, n: usize) -> f64 {
    let list = vec![s.clone(); n];
    let mut sum = 0.0;
    for s in list {
        for v in s.v {
            sum += s.k * v * v;
        }
    }
    sum
}
#[differentiable]
fn each_method(s: &State, n: usize) -> f64 {
    let list = vec![s.clone(); n];
    let mut sum = 0.0;
    for (k, s) in list.into_iter().enumerate() {
        sum += s.sum() * k as f64 + total(&s.next().into_v());
    }
    sum
}
#[differentiable]
fn each_changed(s: &State, n: usize) -> f64 {
    let mut list = Vec::new();
    for s in [s.clone(), advance(s.clone())] {
        list.push(s);
    }
    let mut sum = s.k;
    for mut s in list {
        for _ in 0..n {
            s.bump(sum);
            s.v.push(s.k);
        }
        sum += total(&s.v) * advance(s).k;
    }
    sum
}
#[differentiable]
fn each_part(s: &State, n: usize) -> f64 {
    let list = vec![s.clone(); n];
    let mut sum = 1.0;
    for State { v, k } in list {
        sum += k * total(&step(v)) / sum;
    }
    for (name, s) in [
        (String::from("two"), s.clone()),
        (String::from("one"), advance(s.clone())),
    ] {
        sum += s.into_v()[0] * name.len() as f64;
    }
    let options = vec![Some(s.v.clone()), None];
    for o in options {
        if let Some(v) = o {
            sum += v[0] * s.k;
        }
    }
    sum
}
#[differentiable]
fn each_variant(s: &State, n: usize) -> f64 {
    let mut list = vec![Entry::List(s.v.clone())];
    for _ in 0..n {
        list.push(Entry::State { of: s.clone() });
    }
    let mut sum = 1.0;
    for entry in list {
        sum += match entry {
            Entry::List(v) => total(&step(v)) * s.k,
            Entry::State { of } => of.next().sum() / sum,
        };
    }
    sum
}
#[differentiable]
fn each_of_an_array(s: &State) -> f64 {
    let states = [s.clone(), advance(s.clone())];
    let [first, State { v, k }] = states;
    let mut sum = total(&first.into_v()) * k + v[0];
    for s in [s.clone(), advance(s.clone())] {
        sum *= s.next().sum();
    }
    sum + [s.clone()].into_iter().map(|s| s.k * s.v[0]).sum::<f64>()
}

#[test]
fn elements_are_moved_out_of_lists() {
    let s = State {
        v: vec![0.4, -0.7],
        k: 0.9,
    };
    for n in 0..4 {
        check!(each_field(&s.clone(), const n));
        check!(each_method(&s.clone(), const n));
        check!(each_changed(&s.clone(), const n));
        check!(each_part(&s.clone(), const n));
        check!(each_variant(&s.clone(), const n));
    }
    check!(each_of_an_array(&s.clone()));
}
