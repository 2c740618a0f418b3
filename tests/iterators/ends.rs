//! `first`, `last` and `get` of lists whose type only rustc knows, slices of all elements, lists that shrink and are not read again,
//! options that start as `None`.

use chainrule::prelude::*;

use crate::check::{check, flat};

#[derive(Clone, Copy, Debug, Differentiable)]
struct State {
    q: f64,
    p: f64,
}

flat!(State { q: f64, p: f64 });

#[differentiable]
impl State {
    fn new(q: f64, p: f64) -> State {
        State { q, p }
    }

    fn energy(&self) -> f64 {
        self.q * self.q * self.p
    }
}

#[derive(Clone, Debug, Differentiable)]
struct Lists {
    states: Vec<State>,
    rows: Vec<Vec<f64>>,
    numbers: Vec<f64>,
    maybe: Vec<Option<f64>>,
}

#[differentiable]
impl Lists {
    fn new(x: &[f64]) -> Lists {
        Lists {
            states: vec![State::new(x[0], x[1]), State::new(x[1], x[0] * x[1])],
            rows: vec![vec![x[0] * x[1], x[1]], vec![x[0]]],
            numbers: vec![x[0], x[1] * 2.0, x[0] * x[0]],
            maybe: vec![Some(x[0]), None, Some(x[1])],
        }
    }
}

#[differentiable]
fn trajectory(x: &[f64]) -> Vec<Vec<f64>> {
    let mut all = vec![vec![x[0], x[1]]];
    for _ in 0..3 {
        let last = all.last().unwrap();
        let next = vec![last[0] + 0.1 * last[1], last[1] - 0.1 * last[0].sin()];
        all.push(next);
    }
    all
}

#[differentiable]
fn array_of_structs(x: &[f64]) -> f64 {
    let v = [State { q: x[0], p: x[1] }];
    let s = v.first().unwrap();
    s.q + s.p * s.q
}

#[differentiable]
fn first_of_structs(v: &[State]) -> f64 {
    let s = v.first().unwrap();
    s.q * s.p
}

#[differentiable]
fn ends_of_fields(x: &[f64]) -> f64 {
    let l = Lists::new(x);
    let r = l.rows.get(0).unwrap();
    let sum: f64 = r.iter().sum();
    let both = *l.numbers.first().unwrap() * l.numbers.last().unwrap();
    let nested = l.rows.last().unwrap()[0] * l.rows[0].first().unwrap() * l.rows[0][1];
    let maybe = l.maybe.first().unwrap().unwrap() * l.maybe.last().unwrap().unwrap();
    l.states.first().unwrap().energy() * sum + both * nested + maybe
}

#[differentiable]
fn ends_of_results(x: &[f64]) -> f64 {
    let t = trajectory(x);
    let e = t.last().unwrap();
    let v = trajectory(x).last().unwrap()[0];
    e[0] * e[1] + v * t.first().expect("there is one")[1]
}

#[differentiable]
fn in_a_loop(x: &[f64]) -> f64 {
    let v = vec![
        State { q: x[0], p: x[1] },
        State {
            q: x[1],
            p: 2.0 * x[0],
        },
    ];
    let mut sum = 0.0;
    for i in 0..v.len() {
        let s = v.get(i).unwrap();
        sum += s.energy() * s.q;
    }
    sum
}

#[differentiable]
fn written_through(x: &[f64]) -> f64 {
    let mut v = vec![State { q: x[0], p: x[1] }];
    let s = v.first_mut().unwrap();
    s.p *= 2.0;
    s.q *= s.p;
    v[0].q * v[0].p
}

#[differentiable]
fn slices_of_all(x: &[f64]) -> f64 {
    let l = Lists::new(x);
    let (a, b) = l.numbers.split_at(1);
    let v = x.to_vec();
    let pair = match v.as_slice() {
        [p, q] => p * q,
        _ => 0.0,
    };
    let three = match l.numbers.as_slice() {
        [p, q, r] => p * q * r,
        _ => 0.0,
    };
    a[0] * b[0] + b[1] * pair + three
}

/// In patterns, and copied; a user's own methods of these names are calls.
#[differentiable]
fn that_may_not_be_there(x: &[f64]) -> f64 {
    let mut l = Lists::new(x);
    if let Some(s) = l.states.last_mut() {
        s.q *= 2.0 * x[1];
    }
    let mut sum = 0.0;
    for i in 0..4 {
        if let Some(s) = l.states.get(i) {
            sum += s.energy();
        }
        match l.numbers.get(i) {
            Some(n) => sum *= *n,
            None => sum += x[0],
        }
    }
    let Some(n) = l.numbers.last() else {
        return 0.0;
    };
    let first: f64 = l.numbers.first().copied().unwrap();
    sum * n + first * l.numbers.get(7).copied().unwrap_or(x[1])
}

#[derive(Clone, Debug, Differentiable)]
struct Named(Vec<f64>);

#[differentiable]
impl Named {
    fn first(&self) -> f64 {
        self.0[0] * 2.0
    }

    fn last(&self) -> Option<f64> {
        if self.0[0] > 0.0 {
            Some(self.0[1])
        } else {
            None
        }
    }
}

#[differentiable]
fn of_the_same_name(x: &[f64]) -> f64 {
    let pair = (Named(x.to_vec()), x[0]);
    let first: f64 = pair.0.first();
    let last: Option<f64> = pair.0.last();
    first * last.unwrap() * pair.1
}

#[test]
fn ends() {
    check!(that_may_not_be_there(&[0.7, 1.3]));
    check!(of_the_same_name(&[0.7, 1.3]));
    check!(array_of_structs(&[0.7, 1.3]));
    check!(first_of_structs(&vec![
        State { q: 0.7, p: 1.3 },
        State { q: 0.2, p: 0.1 }
    ]));
    check!(ends_of_fields(&[0.7, 1.3]));
    check!(ends_of_results(&[0.7, 1.3]));
    check!(in_a_loop(&[0.7, 1.3]));
    check!(written_through(&[0.7, 1.3]));
    check!(slices_of_all(&[0.7, 1.3]));
}

#[differentiable]
fn shrink(v: &mut Vec<f64>) -> f64 {
    v.pop().unwrap()
}

#[differentiable]
fn shrunk(x: &[f64], n: usize) -> f64 {
    let l = Lists::new(x);
    let mut v = l.numbers.clone();
    let mut y = v[0] * x[1];
    for _ in 0..n {
        y *= v.remove(0);
    }
    let mut w = l.numbers.clone();
    y *= w.swap_remove(0);
    let mut u = l.numbers.clone();
    if x[0] > 0.0 {
        y += shrink(&mut u);
    }
    y * l.numbers.clone().pop().unwrap()
}

#[differentiable]
fn grown(x: &[f64]) -> f64 {
    let mut l = Lists::new(x);
    l.numbers.extend(x.to_vec());
    l.numbers[0] * l.numbers[4]
}

#[test]
fn lists_that_nothing_reads_again() {
    for n in 0..4 {
        check!(shrunk(&[0.7, 1.3], const n));
    }
    check!(grown(&[0.7, 1.3]));
}

#[differentiable]
fn best_so_far(x: &[f64]) -> f64 {
    let mut best: Option<State> = None;
    for a in x {
        if let Some(s) = best {
            if s.q < *a {
                best = Some(State { q: a * s.p, p: s.q });
            }
        } else {
            best = Some(State { q: *a, p: a * a });
        }
    }
    match best {
        Some(s) => s.q * s.p * x[0],
        None => 0.0,
    }
}

#[test]
fn an_option_that_starts_as_none() {
    check!(best_so_far(&[0.0; 0]));
    check!(best_so_far(&[0.7]));
    check!(best_so_far(&[0.7, 1.3]));
    check!(best_so_far(&[0.7, 1.3, 0.9]));
}

#[derive(Clone, Debug, Differentiable)]
struct Weighted {
    edges: Vec<(usize, f64)>,
    weights: Vec<f64>,
}

/// What a reference to a list is iterated over by are references, whatever the list's type.
#[differentiable]
fn by_reference(g: &Weighted, t: &[f64]) -> f64 {
    let mut sum = 0.0;
    for (i, w) in &g.edges {
        sum += t[*i] * w;
    }
    for (i, w) in &g.edges {
        sum *= *w + t[*i];
    }
    for w in &g.weights {
        if *w > 0.8 {
            continue;
        }
        sum *= *w * w;
    }
    sum
}

#[differentiable]
fn by_unique_reference(x: &[f64]) -> f64 {
    let mut g = Weighted {
        edges: vec![(0, x[0]), (1, 2.0)],
        weights: x.to_vec(),
    };
    for (i, w) in &mut g.edges {
        *w *= x[*i];
    }
    for w in &mut g.weights {
        *w += x[0];
    }
    by_reference(&g, x) * g.edges[1].1
}

#[test]
fn references_to_lists() {
    check!(by_unique_reference(&[0.3, 0.4]));
    check!(by_unique_reference(&[0.7, 1.3]));
}

/// What becomes of an element that may not be there, other than in a pattern.
mod optional {
    use chainrule::prelude::*;

    use crate::check::table;

    #[differentiable]
    fn defaults(x: &[f64]) -> f64 {
        let first = x.first().copied().unwrap_or(1.0);
        let none = x.get(5).copied().unwrap_or(2.0);
        let last = x.last().unwrap_or(&3.0);
        let absent = *x.get(7).unwrap_or(&f64::EPSILON);
        first * none * last + absent * x[0] + x.get(9).copied().unwrap_or_default()
    }

    #[differentiable]
    fn in_variables(x: &[f64]) -> f64 {
        let (a, b) = (x.get(1), x.last());
        let c = if b.is_some() { *b.unwrap() } else { 0.0 };
        let d = if x.get(5).is_none() && b.is_none() {
            0.0
        } else {
            x[0]
        };
        let squared = a.map(|t| t * t).unwrap_or(1.0);
        a.copied().unwrap_or(0.0) * c * squared + a.unwrap().sin() * d + *a.unwrap_or(&0.5)
    }

    #[differentiable]
    fn closures(x: &[f64]) -> f64 {
        let guarded = match x.get(1) {
            Some(v) if *v > 0.1 => v.sin(),
            Some(&v) => v,
            None => 0.0,
        };
        guarded + x.first().map(|v| v * v).unwrap_or(0.0) + x.get(3).map_or(x[0], |v| v * 2.0)
    }

    #[differentiable]
    fn or_error(x: &[f64], i: usize) -> Result<f64, String> {
        let v = *x.get(i).ok_or_else(|| format!("no {i}"))?;
        let w = x.get(i + 1).ok_or("none")?;
        let last = x.last().copied().ok_or("empty")?;
        Ok(v * w * last)
    }

    #[differentiable]
    fn errors(x: &[f64]) -> f64 {
        or_error(x, 0).unwrap_or(0.0) + or_error(x, 7).unwrap_or(2.0) * x[0]
    }

    #[derive(Clone, Debug, Differentiable)]
    struct Rows {
        first: Vec<f64>,
        rows: Vec<Vec<f64>>,
    }

    #[differentiable]
    impl Rows {
        fn at(&self, i: usize, j: usize) -> Option<f64> {
            self.rows.get(i)?.get(j).copied()
        }

        fn default_at(&self, i: usize) -> f64 {
            *self.first.get(i).unwrap_or(&0.5)
        }

        fn squared(&self, i: usize) -> f64 {
            match self.first.get(i) {
                Some(&v) => v * v,
                None => 1.0,
            }
        }

        fn checked(&self, i: usize) -> Result<f64, String> {
            self.first.get(i).copied().ok_or_else(|| format!("no {i}"))
        }
    }

    #[differentiable]
    fn of_fields(x: &[f64]) -> f64 {
        let of = Rows {
            first: x.to_vec(),
            rows: vec![x.to_vec(), vec![x[0]]],
        };
        of.at(0, 1).unwrap_or(0.0) * of.default_at(0) + of.at(4, 0).unwrap_or(1.0) * of.squared(1)
            - of.default_at(3) * of.squared(3) * of.checked(0).unwrap()
            + of.checked(4).unwrap_or(x[1])
    }

    /// A calculator: errors that are text go on as others.
    #[differentiable]
    fn calculate(program: &[&str], x: &[f64]) -> Result<f64, String> {
        let mut stack: Vec<f64> = Vec::new();
        for word in program {
            match *word {
                "+" | "*" => {
                    let b = stack.pop().ok_or("too few operands")?;
                    let a = stack.pop().ok_or_else(|| "too few operands".to_string())?;
                    stack.push(if *word == "+" { a + b } else { a * b });
                }
                "x" => stack.push(*x.first().ok_or("no x")?),
                "y" => stack.push(*x.get(1).ok_or("no y")?),
                number => stack.push(number.parse::<f64>().map_err(|e| e.to_string())?),
            }
        }
        stack.pop().ok_or_else(|| "nothing".to_string())
    }

    #[differentiable]
    fn calculated(x: &[f64]) -> f64 {
        calculate(&["x", "y", "*", "2.5", "x", "*", "+", "x", "*"], x).unwrap()
            + calculate(&["x", "+"], x).unwrap_or(1.0)
            + calculate(&["one"], x).unwrap_or(x[1])
    }

    table! {
        defaults: (&[1.3, 0.7]);
        in_variables: (&[1.3, 0.7]);
        closures: (&[1.3, 0.7]), (&[1.3, 0.05]);
        errors: (&[1.3, 0.7]);
        of_fields: (&[1.3, 0.7]);
        calculated: (&[1.3, 0.7]);
    }
}
#[derive(Clone, Debug, Differentiable)]
struct Buffers {
    v: Vec<f64>,
    m: Vec<Vec<f64>>,
}

fn buffers() -> Buffers {
    Buffers {
        v: vec![1.0, 2.0],
        m: vec![vec![1.0; 2]; 2],
    }
}

#[differentiable]
fn written_ends(x: &[f64]) -> f64 {
    let mut v = vec![1.0; 3];
    if let Some(e) = v.last_mut() {
        *e = x[0];
    }
    if let Some(e) = v.get_mut(0) {
        *e = x[1];
    }
    let mut b = buffers();
    *b.v.last_mut().unwrap() = x[0];
    *b.v.first_mut().unwrap() *= x[1];
    b.m.last_mut().unwrap().push(x[1]);
    if let Some(e) = b.v.get_mut(1) {
        *e *= x[1];
    }
    if let Some(row) = b.m.first_mut() {
        row[0] *= x[0];
    }
    let first = match v.first() {
        Some(&first) if first > 0.0 => first * first,
        Some(&first) => first,
        None => 0.0,
    };
    v[2] * first + b.v[1] * b.v[0] * b.m[1][2] * b.m[0][0]
}

#[test]
fn ends_that_are_written() {
    check!(written_ends(&[0.3, 0.4]));
    check!(written_ends(&[0.7, -1.3]));
}

/// Positions whose types the macro doesn't know.
#[derive(Clone)]
enum Access {
    Write(usize),
    Read(Option<usize>),
}

#[differentiable]
fn positions_of_a_script(x: &[f64], #[constant] script: &[Access]) -> f64 {
    let mut memory = x.to_vec();
    let mut t = 1.0;
    for access in script {
        match access {
            Access::Write(k) => {
                if let Some(m) = memory.get_mut(*k) {
                    *m *= t;
                    t += *m;
                } else {
                    t *= 2.0;
                }
            }
            Access::Read(Some(k)) => t += memory.get(*k).copied().unwrap_or(0.5),
            Access::Read(None) => t = memory.last().copied().unwrap() * t,
        }
    }
    t + memory.iter().sum::<f64>()
}

#[test]
fn positions_of_unknown_type() {
    let script = [
        Access::Write(0),
        Access::Read(Some(1)),
        Access::Write(7),
        Access::Read(None),
        Access::Read(Some(9)),
        Access::Write(1),
    ];
    for n in 0..=6 {
        check!(positions_of_a_script(&vec![0.7, 1.9], const &script[..n]));
    }
}
