//! `Option`, `Result`, `Box`, `?`, `if let`, `let else`, `while let` and let chains.

use chainrule::prelude::*;

use crate::check::{map_table, table};

const X: [f64; 4] = [0.7, 1.9, -0.4, 1.3];

fn x(n: usize) -> Vec<f64> {
    X[..n].to_vec()
}

#[derive(Clone, Debug, PartialEq)]
enum Failure {
    Negative(String),
    Zero,
}

impl From<std::num::ParseFloatError> for Failure {
    fn from(error: std::num::ParseFloatError) -> Failure {
        Failure::Negative(error.to_string())
    }
}

#[differentiable]
#[inline(never)]
fn half_root(x: f64) -> Option<f64> {
    if x > 0.0 { Some(x.sqrt() * 0.5) } else { None }
}

#[differentiable]
#[inline(never)]
fn logarithm(x: f64) -> Result<f64, Failure> {
    if x < 0.0 {
        return Err(Failure::Negative(format!("{}", 1)));
    }
    if x == 0.0 {
        return Err(Failure::Zero);
    }
    Ok(x.ln())
}

#[differentiable]
fn match_value(x: &[f64]) -> f64 {
    let found = if x[0] > 0.0 { Some(x[0] * x[1]) } else { None };
    match found {
        Some(v) => v * v,
        None => x[1],
    }
}

#[differentiable]
fn if_let(x: &[f64]) -> f64 {
    let found: Option<f64> = if x[0] > 0.0 { Some(x[0] * x[1]) } else { None };
    if let Some(v) = found {
        v.sin() * x[0]
    } else {
        x[1]
    }
}

#[differentiable]
fn if_let_without_else(x: &[f64]) -> f64 {
    let mut total = x[0] * x[0];
    if let Some(v) = half_root(x[1]) {
        total += v * x[0];
    }
    total
}

#[differentiable]
fn else_if_let(x: &[f64]) -> f64 {
    if let Some(v) = half_root(x[0]) {
        v
    } else if let Some(w) = half_root(x[1]) {
        w * x[0]
    } else {
        x[0] * x[1]
    }
}

#[differentiable]
#[inline(never)]
fn question_mark(a: f64, b: f64) -> Option<f64> {
    let u = half_root(a)?;
    let v = half_root(b * u)?;
    Some(u * v)
}

#[differentiable]
fn question_mark_inside(a: f64, b: f64) -> Option<f64> {
    Some(half_root(a)? * half_root(b)? + half_root(a * b)?)
}

#[differentiable]
fn of_option(x: &[f64]) -> f64 {
    match question_mark(x[0], x[1]) {
        Some(v) => v,
        None => 3.0 * x[0],
    }
}

#[differentiable]
#[inline(never)]
fn result(a: f64, b: f64) -> Result<f64, Failure> {
    let u: f64 = logarithm(a)?;
    let v = logarithm(b)?;
    Ok(u * v + a)
}

#[differentiable]
fn of_result(x: &[f64]) -> f64 {
    match result(x[0], x[1]) {
        Ok(v) => v * x[0],
        Err(Failure::Zero) => x[0],
        Err(_) => x[1] * x[0],
    }
}

/// `?` converts the error.
#[differentiable]
fn parsed(x: f64, text: &str) -> Result<f64, Failure> {
    let scale: f64 = text.parse::<f64>()?;
    Ok(logarithm(x)? * scale)
}

/// What is parsed follows from what the number is bound to.
#[differentiable]
#[inline(never)]
fn parsed_as_annotated(x: f64, text: &str) -> Result<f64, std::num::ParseFloatError> {
    let scale: f64 = text.parse()?;
    let offset: f64 = match text.trim().parse() {
        Ok(v) => v,
        Err(_) => 0.5,
    };
    let n = text.len() as f64;
    Ok(x * scale * n + x.sin() * offset)
}
#[differentiable]
fn parsed_elsewhere(x: f64, text: &str) -> f64 {
    parsed_as_annotated(x * x, text).unwrap_or(x)
}
#[differentiable]
fn result_in_a_loop(x: f64, n: usize) -> Result<f64, String> {
    let mut v = x;
    for i in 0..n {
        v = v * 0.5 + x;
        if v > 100.0 {
            return Err(format!("too large at {i}"));
        }
        if v < 2.0 {
            return Ok(v * v);
        }
    }
    Ok(v)
}

#[differentiable]
fn option_in_a_loop(x: &[f64], n: usize) -> Option<f64> {
    let mut product = 1.0;
    for i in 0..n {
        product *= half_root(x[i])?;
    }
    Some(product)
}

#[differentiable]
fn vec_in_a_loop(x: &[f64], n: usize) -> Vec<f64> {
    for i in 0..n {
        if x[i] > 1.0 {
            return vec![x[i] * x[0], 2.0];
        }
    }
    vec![x[0] * x[0]]
}

#[differentiable]
fn let_else(x: &[f64]) -> f64 {
    let Some(v) = half_root(x[0]) else {
        return x[1];
    };
    let Some(w) = half_root(v * x[1]) else {
        return v;
    };
    v * w
}

#[differentiable]
fn let_else_in_a_loop(x: &[f64], n: usize) -> f64 {
    let mut total = 0.0;
    for i in 0..n {
        let Some(v) = half_root(x[i]) else { continue };
        total += v * x[0];
    }
    total
}

#[differentiable]
fn chain(x: &[f64]) -> f64 {
    if let Some(a) = half_root(x[0])
        && a > 0.3
        && let Some(b) = half_root(x[1] * a)
    {
        a * b
    } else {
        x[0] * x[1]
    }
}

/// Statements in both arms, and arms that are left early.
#[differentiable]
fn chain_of_statements(x: &[f64]) -> f64 {
    let mut s = x[0];
    let o = Some(x[1]).filter(|v| *v > 0.5);
    if let Some(a) = x.first()
        && *a > 1.0
        && let [_, b, ..] = x
    {
        s += a * b;
    } else if let Some(a) = o
        && let Some(b) = x.get(0)
        && a > *b
    {
        s *= a;
    } else {
        s -= x[1] * x[1];
    }
    for v in x {
        if let Some(a) = o
            && a > *v
        {
            s += a * v;
            continue;
        } else {
            s *= *v;
        }
        s += 1.0;
    }
    if let Some(&a) = x.first()
        && a < 0.0
    {
        return s * a;
    } else {
        s += x[1];
    }
    s
}

/// What has no value is evaluated all the same.
#[differentiable]
#[inline(never)]
fn nothing_returned(x: &mut [f64], n: usize) {
    #[differentiable]
    #[inline(never)]
    fn square(x: &mut [f64]) {
        x[0] *= x[0];
    }
    for i in 0..n {
        if x[0] > 1.0 {
            return square(x);
        }
        if i == 1 {
            square(x);
            break;
        }
        x[0] += x[1];
    }
    'all: {
        if x[1] > 0.5 {
            break 'all square(x);
        }
        x[0] -= x[1];
    }
}

#[differentiable]
fn through_statements(x: &[f64], n: usize) -> f64 {
    let mut own = x.to_vec();
    nothing_returned(&mut own, n);
    own[0] * own[1]
}

#[differentiable]
fn chain_without_else(x: &[f64], on: bool) -> f64 {
    let mut total = x[0];
    if on && let Some(a) = half_root(x[0]) {
        total *= a;
    }
    total * x[1]
}

#[differentiable]
#[inline(never)]
fn following(x: f64, k: usize, n: usize) -> Option<f64> {
    if k < n { Some(x * 1.5) } else { None }
}

#[differentiable]
fn while_let(x: &[f64], n: usize) -> f64 {
    let mut k = 0;
    let mut v = x[0];
    let mut total = x[1];
    while let Some(w) = following(v, k, n) {
        total += w * x[1];
        v = w.sin();
        k += 1;
    }
    total * v
}

#[differentiable]
fn while_let_with_exits(x: &[f64], n: usize) -> f64 {
    let mut k = 0;
    let mut v = x[0];
    while let Some(w) = following(v, k, 5) {
        k += 1;
        if k == n {
            continue;
        }
        v = w * x[1];
        if k > n {
            break;
        }
    }
    v
}

/// An option that is kept in a variable and changes.
#[differentiable]
fn best(x: &[f64]) -> f64 {
    let mut best: Option<f64> = None;
    for i in 0..x.len() {
        best = match best {
            Some(b) if b > x[i] => Some(b),
            _ => Some(x[i] * x[i]),
        };
    }
    match best {
        Some(b) => b * x[0],
        None => 0.0,
    }
}

#[differentiable]
fn nested(x: &[f64]) -> f64 {
    let inner = if x[0] > 0.0 {
        Some((x[0], half_root(x[1])))
    } else {
        None
    };
    match inner {
        Some((a, Some(b))) => a * b,
        Some((a, None)) => a * a,
        None => x[1] * x[1],
    }
}

#[differentiable]
fn changed_in_place(x: &[f64]) -> f64 {
    let mut slot: Option<f64> = Some(x[0]);
    if let Some(v) = &mut slot {
        *v *= x[1];
    }
    if let Some(v) = slot.as_mut() {
        *v += x[0];
    }
    match &slot {
        Some(v) => *v * x[0],
        None => 0.0,
    }
}

#[differentiable]
fn option_argument(start: Option<f64>, y: f64) -> f64 {
    let begin: f64 = match start {
        Some(v) => v * y,
        None => y * y,
    };
    begin.sin()
}

#[differentiable]
fn option_reference(start: &Option<f64>, y: f64) -> f64 {
    if let Some(v) = start { v * y } else { y * y }
}

#[differentiable]
fn optional_vec(v: Option<Vec<f64>>, y: f64) -> f64 {
    match v {
        Some(v) => v[0] * v[1] * y,
        None => y,
    }
}

#[differentiable]
fn vec_of_options(v: &[Option<f64>], y: f64) -> f64 {
    let mut total = 0.0;
    for entry in v {
        if let Some(value) = entry {
            total += value * value * y;
        } else {
            total += y;
        }
    }
    total
}

#[differentiable]
fn boxed(x: &[f64]) -> f64 {
    let a = Box::new(x[0] * x[1]);
    let mut b: Box<f64> = Box::new(x[0]);
    *b *= 2.0;
    *a * *b + *a
}

#[differentiable]
fn box_argument(a: Box<f64>, v: &Box<[f64; 2]>) -> f64 {
    *a * v[0] + v[1] * v[1]
}

#[differentiable]
fn unwrapped(x: &[f64]) -> f64 {
    let first = logarithm(x[0]);
    first.unwrap() * logarithm(x[1]).expect("positive")
        + half_root(x[0]).expect("positive") * half_root(x[1]).unwrap()
}

#[differentiable]
fn or_else(x: &[f64]) -> f64 {
    let first: Result<f64, Failure> = logarithm(x[0]);
    match logarithm(x[1]).ok() {
        Some(v) => v * first.unwrap_or(x[1]),
        None => first.unwrap_or(2.0),
    }
}

#[differentiable]
fn combinators(x: &[f64]) -> f64 {
    let o: Option<f64> = if x[0] > 0.0 { Some(x[0]) } else { None };
    let squared = o.map(|v| v * v * x[1]);
    let large = o.and_then(|v| if v > 1.0 { Some(v.sin()) } else { None });
    let scaled = o.map_or(x[1], |v| v * x[1]);
    let or_product = large.unwrap_or_else(|| x[0] * x[1]);
    squared.unwrap_or(x[1]) * scaled + or_product
}

/// A value whose type isn't known here leaves a loop.
#[differentiable]
fn deferred_out_of_a_loop(x: f64, n: usize) -> f64 {
    let found = loop {
        let v = half_root(x);
        if n > 1 {
            break v;
        }
        break half_root(x * x);
    };
    match found {
        Some(v) => v,
        None => x,
    }
}

fn failures(n: usize) -> Option<usize> {
    if n > 2 { Some(n) } else { None }
}

/// Nothing active goes through these.
#[differentiable]
fn inactive(x: f64, n: usize) -> f64 {
    let k = match failures(n) {
        Some(k) => k,
        None => 1,
    };
    let words = ["a", "bc"];
    let length = if let Some(word) = words.get(n) {
        word.len()
    } else {
        7
    };
    let Some(last) = words.last() else { return x };
    x * (k + length + last.len()) as f64
}

#[derive(Clone, Debug, Differentiable)]
struct Gain {
    k: f64,
}

#[differentiable]
impl Gain {
    fn scale(&mut self, y: f64) {
        self.k *= y;
    }

    fn squared(&self) -> f64 {
        self.k * self.k
    }
}

#[derive(Clone, Debug, Differentiable)]
struct Optional {
    w: Option<Vec<f64>>,
    k: Option<f64>,
    gain: Option<Gain>,
    boxed: Option<Box<Gain>>,
}

fn optional() -> Optional {
    Optional {
        w: Some(vec![1.0, 2.0]),
        k: Some(1.5),
        gain: Some(Gain { k: 0.5 }),
        boxed: None,
    }
}

#[differentiable]
impl Optional {
    fn total(&self) -> f64 {
        let w = self.w.as_ref().unwrap();
        w[0] * self.k.as_ref().unwrap()
            + self.w.as_ref().expect("weights").len() as f64
            + self.gain.as_ref().unwrap().squared() * self.boxed.as_ref().unwrap().k
    }

    fn step(&mut self, y: f64) {
        self.w.as_mut().unwrap()[0] *= y;
        self.w.as_mut().expect("weights").push(y * y);
        *self.k.as_mut().unwrap() += y;
        self.gain.as_mut().unwrap().scale(y);
        self.boxed.as_mut().unwrap().scale(y * y);
    }
}

#[differentiable]
fn borrowed_content(x: &[f64]) -> f64 {
    let mut o = Optional {
        w: Some(x.to_vec()),
        k: Some(x[1]),
        gain: Some(Gain { k: x[0] }),
        boxed: Some(Box::new(Gain { k: x[1] })),
    };
    o.step(x[0]);
    let mut other = optional();
    other.w.as_mut().unwrap().push(x[0]);
    other.gain.as_mut().unwrap().scale(x[1]);
    let last = other.w.as_ref().unwrap();
    let gain: Option<Gain> = Some(Gain { k: x[1] });
    o.total() * last[2] * other.gain.as_ref().unwrap().k + gain.as_ref().unwrap().k
}

/// An error that can't be cloned.
#[derive(Debug, PartialEq)]
enum Refusal {
    Negative,
}

impl From<&str> for Refusal {
    fn from(_: &str) -> Refusal {
        Refusal::Negative
    }
}

#[differentiable]
#[inline(never)]
fn refused(x: f64, y: f64) -> Result<f64, Refusal> {
    if x < 0.0 {
        Err("negative")?;
    }
    let root = if y < 0.0 {
        Err(Refusal::Negative)?
    } else {
        y.sqrt()
    };
    Ok(root * x)
}

#[differentiable]
#[inline(never)]
fn refused_in_the_tail(x: f64) -> Result<f64, Failure> {
    if x < 0.0 {
        Err(Failure::Zero)?
    } else {
        Ok(x.sqrt())
    }
}

#[differentiable]
#[inline(never)]
fn refused_in_a_match(x: f64, kind: usize) -> Result<f64, Failure> {
    let factor: f64 = match kind {
        0 => x.sin(),
        1 => 2.0,
        _ => Err(Failure::Zero)?,
    };
    Ok(factor * x)
}

#[differentiable]
#[inline(never)]
fn none_of_it(x: f64, y: f64) -> Option<f64> {
    if x < 0.0 {
        None?;
    }
    let root = if y < 0.0 { None? } else { y.sqrt() };
    Some(root * x)
}

#[differentiable]
fn of_refused(x: &[f64], kind: usize) -> f64 {
    let a = refused(x[0], x[1]).unwrap_or(x[1]);
    let b = refused_in_the_tail(x[0]).unwrap_or(x[0]);
    let c = refused_in_a_match(x[1], kind).unwrap_or(1.0);
    a * b + c * none_of_it(x[0], x[1]).unwrap_or(x[1])
}

#[test]
#[should_panic(expected = "there are no weights")]
fn content_that_is_not_there() {
    #[differentiable]
    fn weights(o: &Optional) -> f64 {
        o.w.as_ref().expect("there are no weights")[0]
    }
    let o = Optional {
        w: None,
        ..optional()
    };
    weights::gradient(&o);
}

table! {
    match_value: (&[1.3, 0.7]), (&[-1.3, 0.7]);
    if_let: (&[1.3, 0.7]), (&[-1.3, 0.7]);
    if_let_without_else: (&[1.3, 0.7]), (&[1.3, -0.7]);
    else_if_let: (&[1.3, 0.7]), (&[-1.3, 0.7]), (&[-1.3, -0.7]);
    of_option: (&[1.3, 0.7]), (&[-1.3, 0.7]), (&[1.3, -0.7]);
    of_result: (&[1.3, 0.7]), (&[-1.3, 0.7]), (&[1.3, -0.7]);
    let_else: (&[1.3, 0.7]), (&[-1.3, 0.7]), (&[1.3, -0.7]);
    let_else_in_a_loop: for n in 0..5, (&x(4), const n);
    chain: (&[1.3, 0.7]), (&[0.1, 0.7]), (&[-1.3, 0.7]), (&[1.3, -0.7]);
    chain_of_statements: (&[1.3, 0.7]), (&[0.1, 0.7]), (&[-1.3, 0.7]), (&[0.1, -0.7]);
    through_statements: for n in 0..4, (&[0.4, 0.3], const n), (&[0.4, 0.8], const n), (&[1.4, 0.8], const n);
    chain_without_else: (&[1.3, 0.7], const true), (&[-1.3, 0.7], const true), (&[1.3, 0.7], const false);
    while_let: for n in 0..4, (&[1.3, 0.7], const n);
    while_let_with_exits: for n in 0..4, (&[1.3, 0.7], const n);
    best: for n in 1..5, (&x(n));
    nested: (&[1.3, 0.7]), (&[-1.3, 0.7]), (&[1.3, -0.7]);
    changed_in_place: (&[1.3, 0.7]);
    borrowed_content: (&[1.3, 0.7]);
    unwrapped: (&[1.3, 0.7]);
    or_else: (&[1.3, 0.7]), (&[-1.3, 0.7]), (&[1.3, -0.7]);
    combinators: (&[1.3, 0.7]), (&[0.3, 0.7]), (&[-0.3, 0.7]);
    option_argument: (Some(1.3), 0.7), (None, 0.7);
    option_reference: (&Some(1.3), 0.7), (&None, 0.7);
    optional_vec: (Some(vec![1.3, 0.4]), 0.7), (None, 0.7);
    vec_of_options: (&[Some(1.3), None, Some(-0.4)], 0.7), (&[], 0.7);
    boxed: (&[1.3, 0.7]);
    box_argument: (Box::new(1.3), &Box::new([0.7, 0.2]));
    deferred_out_of_a_loop: (0.7, const 0), (0.7, const 3), (-0.7, const 3);
    of_refused: for n in 0..3, (&[1.3, 0.7], const n), (&[-1.3, 0.7], const n), (&[1.3, -0.7], const n);
    inactive: for n in 0..4, (0.7, const n);
    parsed_elsewhere: (0.7, const &*"2.5"), (0.7, const &*"no");
}

map_table! {
    half_root: (0.7), (-0.7);
    logarithm: (0.7), (-0.7), (0.0);
    question_mark: (0.7, 1.3), (-0.7, 1.3), (0.7, -1.3);
    question_mark_inside: (0.7, 1.3), (-0.7, 1.3), (0.7, -1.3);
    result: (0.7, 1.3), (-0.7, 1.3), (0.7, -1.3);
    parsed: (0.7, const &*"2.5"), (0.7, const &*"no"), (-0.7, const &*"2.5");
    parsed_as_annotated: (0.7, const &*"2.5"), (0.7, const &*"no");
    result_in_a_loop: for n in 0..4, (0.7, const n), (3.0, const n), (90.0, const n);
    option_in_a_loop: for n in 0..4, (&x(4), const n);
    vec_in_a_loop: for n in 0..4, (&x(4), const n);
}
