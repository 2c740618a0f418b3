//! Numbers without a tangent in memory that a call changes: integers, lengths and constant fields are what they were when the reverse half
//! reads them.

use std::collections::VecDeque;

use chainrule::prelude::*;
use chainrule::testing::check_rules;

const X: [f64; 3] = [1.3, 0.5, -0.8];

mod other {
    use chainrule::prelude::*;

    #[derive(Clone, Default, Differentiable)]
    pub(super) struct Log {
        pub(super) a: f64,
        pub(super) seen: Vec<usize>,
    }

    #[differentiable]
    impl Log {
        pub(super) fn feed(&mut self, v: f64) {
            self.a += v * v;
            self.seen.push(1);
        }

        pub(super) fn scaled(&self, v: f64) -> f64 {
            self.a * self.seen.len() as f64 * v
        }
    }

    #[differentiable]
    pub(super) fn count(n: &mut usize, v: f64) -> f64 {
        *n += 1;
        v * *n as f64
    }

    #[differentiable]
    pub(super) fn next(at: &mut usize, x: &[f64]) -> f64 {
        let v = x[*at % x.len()];
        *at += 1;
        v * v
    }

    #[differentiable]
    pub(super) fn append(a: f64, seen: &mut Vec<usize>, v: f64) -> f64 {
        seen.push(1);
        a + v * v
    }
}

#[derive(Clone, Differentiable)]
struct Constant {
    a: f64,
    #[constant]
    n: Vec<usize>,
}

#[differentiable]
fn feed(m: &mut Constant, v: f64, d: usize) {
    m.a += v * v;
    m.n.push(d);
    if d > 0 {
        feed(m, v * 0.5, d - 1);
    }
}

#[differentiable]
fn length_of_a_constant_field(x: &[f64]) -> f64 {
    let mut m = Constant { a: x[0], n: vec![] };
    let mut s = 0.0;
    for i in 0..3 {
        feed(&mut m, x[i], 1);
        s += m.a * m.n.len() as f64;
    }
    s
}

fn push(n: &mut Vec<usize>) {
    n.push(2);
}

#[differentiable]
fn scale(m: &mut Constant, x: f64) {
    m.a *= x * m.n.len() as f64 + m.n[m.n.len() - 1] as f64;
    if x > 1e5 {
        scale(m, x * 0.5);
    }
}

#[differentiable]
fn extend(m: &mut Constant, x: f64) {
    push(&mut m.n);
    m.a *= x;
    if x > 1e5 {
        extend(m, x * 0.5);
    }
}

#[differentiable]
fn field_given_to_a_function_without_rules(x: &[f64]) -> f64 {
    let mut m = Constant { a: x[0], n: vec![] };
    let mut s = 0.0;
    for v in x {
        push(&mut m.n);
        scale(&mut m, *v);
        extend(&mut m, *v);
        s += m.a * m.n.len() as f64;
    }
    s
}

#[derive(Clone, Debug, PartialEq, Differentiable)]
struct State {
    a: f64,
    n: Vec<usize>,
    turned: [usize; 3],
    queue: VecDeque<u8>,
}

impl State {
    fn new(a: f64) -> State {
        State {
            a,
            n: vec![4],
            turned: [0, 1, 2],
            queue: VecDeque::new(),
        }
    }
}

#[differentiable]
fn step(m: &mut State, v: f64) -> f64 {
    m.a += v * v;
    m.n.push(3);
    m.turned.rotate_left(1);
    m.queue.push_back(1);
    m.a * v
}

#[differentiable]
fn fields_without_tangents(x: &[f64]) -> f64 {
    let mut m = State {
        a: x[0],
        n: vec![],
        turned: [0, 1, 2],
        queue: VecDeque::new(),
    };
    let mut s = 0.0;
    for v in x {
        s += step(&mut m, *v) * x[m.turned[0]] * (m.n.len() + m.queue.len()) as f64;
        if s > 1e9 {
            return s;
        }
    }
    s
}

#[derive(Clone, Differentiable)]
struct Heap {
    keys: Vec<f64>,
    ids: Vec<usize>,
}

#[differentiable]
fn exchange(h: &mut Heap, i: usize, j: usize) {
    h.keys.swap(i, j);
    h.ids.swap(i, j);
    if i > 1 {
        exchange(h, i - 1, j);
    }
}

#[differentiable]
fn heap(x: &[f64]) -> f64 {
    let mut h = Heap {
        keys: vec![],
        ids: vec![],
    };
    for i in 0..x.len() {
        h.keys.push(x[i]);
        h.ids.push(i);
    }
    exchange(&mut h, 1, 2);
    let mut s = 0.0;
    for (k, i) in h.keys.iter().zip(&h.ids) {
        s += k * x[*i] * *i as f64;
    }
    s
}

#[derive(Clone, Debug, PartialEq, Differentiable)]
enum Kind {
    Some(f64, Vec<usize>),
    None,
}

#[differentiable]
fn payload(kind: &mut Kind, v: f64) -> f64 {
    let r = match kind {
        Kind::Some(a, n) => {
            *a += v * v;
            n.push(1);
            *a * n.len() as f64
        }
        Kind::None => v,
    };
    if r > 1e9 { payload(kind, v) } else { r }
}

#[differentiable]
fn payloads(x: &[f64]) -> f64 {
    let mut kind = Kind::Some(x[0], vec![]);
    let mut s = 0.0;
    for v in x {
        s += payload(&mut kind, *v) * x[0];
        if let Kind::Some(a, n) = &kind {
            s += a * n.len() as f64;
        }
    }
    s
}

#[differentiable]
fn in_another_module(x: &[f64]) -> f64 {
    let mut log = other::Log::default();
    log.a = x[0];
    let mut s = 0.0;
    for v in x {
        log.feed(*v);
        s += log.scaled(*v) + log.seen.len() as f64 * log.a;
    }
    s
}

#[differentiable]
fn list_of_unknown_type(x: &[f64]) -> f64 {
    let mut a = x[0];
    let mut seen = vec![];
    let mut s = 0.0;
    for v in x {
        a = other::append(a, &mut seen, *v);
        s += a * seen.len() as f64;
    }
    s
}

#[derive(Clone, Differentiable)]
struct Counter {
    a: f64,
    n: usize,
}

#[differentiable]
fn counted(x: &[f64]) -> f64 {
    let mut p = Counter { a: x[0], n: 0 };
    let mut q = vec![(x[0], 0usize); 2];
    let mut s = 0.0;
    for v in x {
        p.a += other::count(&mut p.n, *v);
        q[0].0 += other::count(&mut q[0].1, *v);
        s += p.a * p.n as f64 + q[0].0 * q[0].1 as f64;
    }
    s
}

#[differentiable]
fn read_by_position(x: &[f64]) -> f64 {
    let mut r = Counter { a: x[0], n: 0 };
    let mut s = 0.0;
    while r.n < 8 {
        let v = other::next(&mut r.n, x);
        s += v * r.a * x[r.n % 3];
        r.a = r.a * 0.9 + v * 0.1;
    }
    s
}

#[differentiable]
fn grown(mut m: State, v: f64, d: usize) -> State {
    m.a = m.a * v + 1.0;
    m.n.push(d);
    if d > 0 { grown(m, v * 0.9, d - 1) } else { m }
}

#[differentiable]
fn by_value(x: &[f64]) -> f64 {
    let mut m = State {
        a: x[0],
        n: vec![1],
        turned: [0, 1, 2],
        queue: VecDeque::new(),
    };
    m = grown(m, x[1], 2);
    m.a * m.n.len() as f64
}

#[differentiable]
fn last_replaced(m: &mut State, k: f64) -> f64 {
    m.a = m.a * k + 1.0;
    m.n.push(1);
    let n = m.n.len();
    m.n[n - 1] = 2;
    m.a * m.a
}

#[differentiable]
fn squared(m: &mut Constant, v: f64) -> f64 {
    m.a = m.a * m.a * v;
    if v > 1e9 { squared(m, v) } else { m.a }
}

/// The pullback of `squared` needs `m.a` as it was before the later store.
#[differentiable]
fn calls_between(m: &mut Constant, v: f64) -> f64 {
    m.n.push(2);
    let r = squared(m, v);
    m.a *= v;
    if v > 1e9 {
        calls_between(m, v)
    } else {
        r * m.a
    }
}

#[differentiable]
fn calls_after_code(x: &[f64]) -> f64 {
    let mut m = Constant { a: x[0], n: vec![] };
    let mut s = 0.0;
    for v in x {
        s += calls_between(&mut m, *v);
        s += m.a * m.a * m.n.len() as f64;
    }
    s
}

mod elsewhere {
    use chainrule::prelude::*;

    #[derive(Clone, Debug, PartialEq, Differentiable)]
    pub(super) struct Part {
        pub(super) b: f64,
        pub(super) n: Vec<usize>,
    }

    #[differentiable]
    pub(super) fn squared(m: &mut Part, v: f64) -> f64 {
        m.b = m.b * m.b * v;
        if v > 1e9 { squared(m, v) } else { m.b }
    }

    #[differentiable]
    pub(super) fn coupled(m: &mut [Part], v: f64) -> f64 {
        m[0].b = m[0].b.sin() * m[0].b * v;
        m[1].b += m[0].b * m[0].b;
        if v > 1e9 { coupled(m, v) } else { m[1].b }
    }
}

#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Whole {
    a: f64,
    part: elsewhere::Part,
    list: Vec<elsewhere::Part>,
}

impl Whole {
    fn new(a: f64) -> Whole {
        let part = elsewhere::Part { b: 0.6, n: vec![] };
        Whole {
            a,
            list: vec![part.clone(); 3],
            part,
        }
    }
}

#[differentiable]
fn product(m: &mut Whole, v: f64) -> f64 {
    m.a = m.a * m.a * v + m.part.b;
    if v > 1e9 { product(m, v) } else { m.a }
}

#[differentiable]
fn part_of_another_module(m: &mut Whole, v: f64) -> f64 {
    m.part.n.push(2);
    let r = elsewhere::squared(&mut m.part, v);
    m.a *= v;
    let q = product(m, v);
    m.part.b *= v;
    if v > 1e9 {
        part_of_another_module(m, v)
    } else {
        q * r * m.a * m.part.b
    }
}

#[differentiable]
fn slice_of_another_module(m: &mut [elsewhere::Part], v: f64) -> f64 {
    m[1].n.push(2);
    let r = elsewhere::coupled(m, v);
    m[0].b *= v * m[1].b;
    let q = elsewhere::coupled(&mut m[1..3], v);
    if v > 1e9 {
        slice_of_another_module(m, v)
    } else {
        r * m[0].b * m[1].b + q
    }
}

#[differentiable]
fn list_of_another_module(m: &mut Whole, v: f64) -> f64 {
    m.list[1].n.push(2);
    let r = elsewhere::coupled(&mut m.list, v);
    m.list[0].b *= v;
    let q = product(m, v);
    let p = elsewhere::coupled(&mut m.list[1..], v);
    if v > 1e9 {
        list_of_another_module(m, v)
    } else {
        r * m.a + m.list[1].b * q + p
    }
}

#[differentiable]
fn parts_of_other_modules(x: &[f64]) -> f64 {
    let part = elsewhere::Part { b: 0.6, n: vec![] };
    let mut m = Whole {
        a: x[0],
        list: vec![part.clone(), part.clone(), part.clone()],
        part,
    };
    let mut s = 0.0;
    for v in x {
        s += part_of_another_module(&mut m, *v) + m.a * m.a * m.part.b;
        s += slice_of_another_module(&mut m.list, *v) + m.list[0].b * m.list[1].b;
        s += list_of_another_module(&mut m, *v) + m.list[0].b * m.list[1].b * m.a;
    }
    s
}

#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Inner {
    b: f64,
    n: Vec<usize>,
    groups: Vec<Vec<usize>>,
}

#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Outer {
    a: f64,
    inner: Inner,
    k: usize,
    #[constant]
    w: Vec<f64>,
    #[constant]
    c: f64,
    items: Vec<(f64, usize)>,
    pair: (f64, Vec<u8>),
}

impl Outer {
    fn new(a: f64) -> Outer {
        Outer {
            a,
            inner: Inner {
                b: 2.0 * a,
                n: vec![],
                groups: vec![vec![]; 2],
            },
            k: 0,
            w: vec![0.5],
            c: 1.0,
            items: vec![(a, 0); 2],
            pair: (a, vec![]),
        }
    }
}

#[differentiable]
fn groups(m: &mut Outer, v: f64) -> f64 {
    m.a += v * v;
    m.inner.groups[1].push(3);
    m.inner.groups[0].extend_from_slice(&[1, 2]);
    let r = m.a * m.inner.groups[1].len() as f64;
    if r > 1e9 { groups(m, v) } else { r }
}

#[differentiable]
fn nested(m: &mut Outer, v: f64) -> f64 {
    m.inner.b += v * v;
    m.inner.n.push(m.inner.n.len());
    m.inner.n.push(m.k);
    m.k += 1;
    m.inner.n.reverse();
    m.pair.1.push(1);
    m.pair.0 *= v;
    m.items[0].1 += 1;
    m.items[1].0 += v;
    m.items.swap(0, 1);
    let r = m.inner.b * m.inner.n[0] as f64
        + m.items[1].0 * m.items[0].1 as f64
        + m.pair.1.len() as f64 * m.pair.0;
    if r > 1e9 { nested(m, v) } else { r }
}

mod constants {
    use chainrule::prelude::*;

    #[differentiable]
    pub(super) fn list(#[constant] w: &mut Vec<f64>, v: f64) -> f64 {
        w[0] *= 2.0;
        w.push(1.0);
        v * w[0]
    }

    #[differentiable]
    pub(super) fn number(#[constant] w: &mut f64, v: f64) -> f64 {
        *w *= 2.0;
        v * *w
    }
}

#[differentiable]
fn constant_fields(m: &mut Outer, v: f64) -> f64 {
    m.a += constants::list(&mut m.w, v) + constants::number(&mut m.c, v);
    let r = m.a * m.w[0] * m.c * m.w.len() as f64;
    if r > 1e9 { constant_fields(m, v) } else { r }
}

#[differentiable]
fn early_exit(m: &mut Outer, v: f64) -> Result<f64, usize> {
    for k in 0..3 {
        m.inner.n.push(k);
        m.a += v * v;
        if m.inner.n.len() > 4 {
            return Err(m.inner.n.len());
        }
        if m.a > 1e9 {
            return early_exit(m, v);
        }
    }
    m.inner.n.sort();
    Ok(m.a * m.inner.n.len() as f64 + m.a * m.inner.n[1] as f64)
}

macro_rules! totals {
    ($($name:ident: $step:ident;)*) => {$(
        #[differentiable]
        fn $name(x: &[f64]) -> f64 {
            let mut m = Outer::new(0.4);
            m.a = x[0];
            let mut s = 0.0;
            for v in x {
                s += $step(&mut m, *v) * m.inner.n.len() as f64;
                s += m.a * (m.inner.groups[1].len() + m.k) as f64 + m.w[0] * m.a * m.c;
                s += m.items[0].1 as f64 * m.items[1].0;
            }
            s
        }
    )*};
}

totals! {
    groups_in_a_loop: groups;
    nested_in_a_loop: nested;
    constants_in_a_loop: constant_fields;
}

#[differentiable]
fn exits_in_a_loop(x: &[f64]) -> f64 {
    let mut m = Outer::new(0.4);
    m.a = x[0];
    let mut s = 0.0;
    for v in x {
        match early_exit(&mut m, *v) {
            Ok(r) => s += r * m.inner.n.len() as f64,
            Err(k) => s += m.a * k as f64 * m.inner.n.len() as f64,
        }
    }
    s
}

#[test]
fn reads_after_calls() {
    check_rules!(length_of_a_constant_field, &X);
    check_rules!(field_given_to_a_function_without_rules, &X);
    check_rules!(fields_without_tangents, &X);
    check_rules!(heap, &X);
    check_rules!(payloads, &X);
    check_rules!(in_another_module, &X);
    check_rules!(list_of_unknown_type, &X);
    check_rules!(counted, &X);
    check_rules!(read_by_position, &X);
    check_rules!(by_value, &X);
    check_rules!(calls_after_code, &X);
    check_rules!(parts_of_other_modules, &[0.9, 0.5, -0.8]);
    check_rules!(groups_in_a_loop, &X);
    check_rules!(nested_in_a_loop, &X);
    check_rules!(constants_in_a_loop, &X);
    check_rules!(exits_in_a_loop, &X);
}

#[test]
fn arguments_are_restored() {
    check_rules!(step, &mut State::new(X[0]), 0.5);
    check_rules!(last_replaced, &mut State::new(X[0]), 0.5);
    check_rules!(payload, &mut Kind::Some(X[0], vec![]), 0.5);
    check_rules!(payload, &mut Kind::None, 0.5);
    check_rules!(groups, &mut Outer::new(1.2), 0.7);
    check_rules!(nested, &mut Outer::new(1.2), 0.7);
    check_rules!(constant_fields, &mut Outer::new(1.2), 0.7);
    check_rules!(early_exit, &mut Outer::new(1.2), 0.7);
    check_rules!(product, &mut Whole::new(1.2), 0.7);
}
