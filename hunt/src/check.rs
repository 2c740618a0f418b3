//! [`Program`]: one random program with its rules, and what is compared.
//!
//! Every program has the same signature, so that all of this is compiled once: made by [`crate::program!`].
//! Inputs are the entries of `x`, those of `y`, then `s`; outputs are the result, then what is left in `y`.
//!
//! - `frule`, `value_and_gradient`, `hvp` are held against [`crate::oracle`], along random directions;
//! - `rrule` by inner products, with shadows that hold something already and cotangents of all outputs;
//! - values are the primal's, bit for bit; arguments behind `&mut` are what they were;
//! - the oracle itself is held against extrapolated differences. Where these disagree while the rules agree with the
//!   oracle, it is the differences that are wrong, and counted;
//! - for each operation, an oracle that is wrong there on purpose must be found out. Where it isn't, the program is blind to that operation
//!   (what it computes reaches no output), and that is counted, too.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::oracle::{D, broken, gap, reset_gap, take_used};
use crate::random::Random;

/// The pieces of one program, with flat signatures.
#[derive(Clone, Copy, Debug)]
pub struct Program {
    /// The function as written.
    pub primal: Primal,
    /// The function over the oracle's numbers.
    pub oracle: Oracle,
    /// `(x, x_dot, y, y_dot, s, s_dot, c, n)` to the result and its tangent.
    pub frule: Frule,
    /// `(x, x_bar, y, y_bar, s, c, n, result_bar, y_final)` to the result and the cotangent of `s`.
    pub rrule: Rrule,
    /// The value and the gradient.
    pub gradient: Gradient,
    /// The Hessian times `(x_dot, y_dot, s_dot)`, of a program with second derivatives.
    pub hvp: Option<Hvp>,
    /// A closure that is differentiated where it stands, and the same over the oracle's numbers.
    pub captured: Option<(Captured, CapturedOracle)>,
    /// Whether derivatives are among its values, so that each rule rounds these in its own way.
    pub drivers: bool,
}

type Primal = fn(&[f64], &mut [f64], f64, &[f64], usize) -> f64;
type Oracle = fn(&[D], &mut [D], D, &[D], usize) -> D;
type Gradient = fn(&[f64], &mut [f64], f64, &[f64], usize) -> (f64, Triple);
type Triple = (Vec<f64>, Vec<f64>, f64);
type Frule = fn(&[f64], &[f64], &mut [f64], &mut [f64], f64, f64, &[f64], usize) -> (f64, f64);
type Rrule = fn(
    &[f64],
    &mut [f64],
    &mut [f64],
    &mut [f64],
    f64,
    &[f64],
    usize,
    f64,
    &mut Vec<f64>,
) -> (f64, f64);
/// `(x, s, c, n, x_dot)`, of which the closure captures all but `x`, to the value, the gradient, and the Hessian times `x_dot`.
type Captured = fn(&[f64], f64, &[f64], usize, &[f64]) -> Closure;
type Closure = (f64, Vec<f64>, Vec<f64>);
type CapturedOracle = fn(&[D], D, &[D], usize) -> D;
type Hvp = fn(&[f64], &mut [f64], f64, &[f64], usize, &[f64], &mut [f64], f64) -> Triple;

/// The [`Program`] of the modules `$primal` and `$oracle`, which have a function `entry` each.
#[macro_export]
macro_rules! program {
    ($primal:ident, $oracle:ident) => {
        $crate::check::Program {
            hvp: Some(|x, y, s, c, n, x_dot, y_dot, s_dot| {
                $primal::entry::hvp(x, y, s, c, n, x_dot, y_dot, s_dot)
            }),
            ..$crate::program!($primal, $oracle, first order)
        }
    };
    ($primal:ident, $oracle:ident, first order) => {
        $crate::check::Program {
            primal: |x, y, s, c, n| $primal::entry(x, y, s, c, n),
            oracle: |x, y, s, c, n| $oracle::entry(x, y, s, c, n),
            frule: |x, x_dot, y, y_dot, s, s_dot, c, n| {
                use ::chainrule::prelude::Dual;
                let Dual(r, r_dot) =
                    $primal::entry::frule(Dual(x, x_dot), Dual(y, y_dot), Dual(s, s_dot), c, n);
                (r, r_dot)
            },
            rrule: |x, x_bar, y, y_bar, s, c, n, r_bar, y_final| {
                use ::chainrule::prelude::CoDual;
                let (r, pullback) = $primal::entry::rrule(x, y, s, c, n);
                y_final.extend_from_slice(y);
                let s_bar = pullback(r_bar, CoDual(x, x_bar), CoDual(y, y_bar), c);
                (r, s_bar)
            },
            gradient: |x, y, s, c, n| $primal::entry::value_and_gradient(x, y, s, c, n),
            hvp: None,
            captured: None,
            drivers: false,
        }
    };
}

impl Program {
    /// The same values: bit for bit, unless derivatives are among them.
    fn agree(&self, a: &[f64], b: &[f64]) -> bool {
        let near = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-10 * (1.0 + a.abs());
        same(a, b) || self.drivers && a.len() == b.len() && a.iter().zip(b).all(near)
    }
}

/// Where a program is evaluated.
struct Point {
    x: Vec<f64>,
    y: Vec<f64>,
    s: f64,
    c: Vec<f64>,
    n: usize,
}

impl Point {
    fn new(random: &mut Random, round: usize) -> Self {
        let mut numbers = |n: usize| (0..n).map(|_| random.away_from_zero()).collect::<Vec<_>>();
        let (x, y, c) = (numbers(4 + round % 2), numbers(4), numbers(4));
        let s = numbers(1)[0];
        Self {
            x,
            y,
            s,
            c,
            n: round % 4,
        }
    }

    fn inputs(&self) -> usize {
        self.x.len() + self.y.len() + 1
    }

    fn split<'a>(&self, of: &'a [f64]) -> (&'a [f64], &'a [f64], f64) {
        let (x, rest) = of.split_at(self.x.len());
        let (y, s) = rest.split_at(self.y.len());
        (x, y, s[0])
    }
}

/// What the oracle says: for the result, then for each entry of `y`.
type Expected = Vec<D>;

fn expected(program: &Program, at: &Point, u: &[f64], v: &[f64]) -> Expected {
    let value = [&at.x[..], &at.y, &[at.s]].concat();
    let all: Vec<D> = (0..at.inputs())
        .map(|i| D {
            x: value[i],
            u: u[i],
            v: v[i],
            uv: 0.0,
        })
        .collect();
    let (x, rest) = all.split_at(at.x.len());
    let (y, s) = rest.split_at(at.y.len());
    let mut y = y.to_vec();
    let c: Vec<D> = at.c.iter().map(|c| D::c(*c)).collect();
    let mut out = vec![(program.oracle)(x, &mut y, s[0], &c, at.n)];
    out.extend(y);
    out
}

/// What came of a program.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// Everything agrees.
    Agrees(Seen),
    /// A derivative is wrong.
    Mismatch(String),
    /// The oracle can't tell: a kink or cancellation.
    Unclear(&'static str),
    /// The program itself panics, or gives no finite number.
    Invalid(&'static str),
}

/// What is known of a program that agrees.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    /// Whether the differences agree, too.
    pub differences: bool,
    /// The operations that are differentiated.
    pub used: BTreeSet<&'static str>,
    /// Those of them whose derivatives could be wrong by a thousandth without anything being found at any point.
    pub blind: BTreeSet<&'static str>,
}

/// Compares everything at a few points. `digest` collects what debug and release builds should agree on.
pub fn check(program: &Program, seed: u64, digest: &mut Vec<f64>) -> Outcome {
    let mut random = Random::new(seed);
    let mut all: Option<Seen> = None;
    for round in 0..4 {
        let at = Point::new(&mut random, round);
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            check_at(program, &at, &mut random, digest)
        }));
        match outcome.unwrap_or_else(|_| Outcome::Mismatch("a rule panics".to_owned())) {
            Outcome::Agrees(here) => {
                all = Some(match all {
                    None => here,
                    Some(before) => before.and(&here),
                });
            }
            Outcome::Mismatch(what) => {
                return Outcome::Mismatch(format!(
                    "{what}, at x = {:?}, y = {:?}, s = {:?}, c = {:?}, n = {}",
                    at.x, at.y, at.s, at.c, at.n
                ));
            }
            other => return other,
        }
    }
    all.map_or(Outcome::Invalid("no point"), Outcome::Agrees)
}

impl Seen {
    /// At some other point, too.
    fn and(&self, other: &Self) -> Self {
        let seen = |s: &Self| -> BTreeSet<_> { s.used.difference(&s.blind).copied().collect() };
        let seen = &seen(self) | &seen(other);
        let used = &self.used | &other.used;
        Self {
            differences: self.differences && other.differences,
            blind: &used - &seen,
            used,
        }
    }
}

fn check_at(program: &Program, at: &Point, random: &mut Random, digest: &mut Vec<f64>) -> Outcome {
    let m = at.inputs();
    let mut direction = || (0..m).map(|_| random.away_from_zero()).collect::<Vec<_>>();
    let (u, v) = (direction(), direction());
    let shadows = direction();
    let seeds = direction();
    let mut y = at.y.clone();
    let Ok(value) = catch_unwind(AssertUnwindSafe(|| {
        (program.primal)(&at.x, &mut y, at.s, &at.c, at.n)
    })) else {
        return Outcome::Invalid("the program panics");
    };
    let primal = [&[value][..], &y].concat();
    reset_gap();
    take_used();
    let Ok(want) = catch_unwind(AssertUnwindSafe(|| expected(program, at, &u, &v))) else {
        return Outcome::Invalid("the oracle panics");
    };
    let gap = gap();
    let used = take_used();
    if want
        .iter()
        .any(|d| ![d.x, d.u, d.v, d.uv].iter().all(|x| x.is_finite()))
    {
        return Outcome::Invalid("not finite");
    }
    if !program.agree(&primal, &want.iter().map(|d| d.x).collect::<Vec<_>>()) {
        return Outcome::Invalid("the oracle's value differs");
    }
    if gap < 1e-9 {
        return Outcome::Unclear("at a kink");
    }
    // How much derivatives change when inputs are rounded: what cancellation costs.
    let nudged = Point {
        x: at.x.iter().map(|x| x * (1.0 + 1e-13)).collect(),
        y: at.y.iter().map(|x| x * (1.0 - 1e-13)).collect(),
        s: at.s * (1.0 + 1e-13),
        c: at.c.clone(),
        n: at.n,
    };
    let other = expected(program, &nudged, &u, &v);
    let noise = |part: fn(&D) -> f64| {
        let change = want
            .iter()
            .zip(&other)
            .map(|(a, b)| (part(a) - part(b)).abs());
        let size = want.iter().map(|d| part(d).abs());
        1e3 * change.fold(0.0, f64::max) + 1e-10 * (1.0 + size.fold(0.0, f64::max))
    };
    let (first, second) = (noise(|d| d.u).max(noise(|d| d.v)), noise(|d| d.uv));
    if first > 1e-3 || second > 1e-1 {
        return Outcome::Unclear("cancellation");
    }
    let compared = |want: &[D], digest: &mut Vec<f64>| {
        compare(
            program,
            at,
            &[&u, &v, &shadows, &seeds],
            &primal,
            want,
            (first, second),
            digest,
        )
    };
    if let Err(what) = compared(&want, digest) {
        return Outcome::Mismatch(what);
    }
    match captured(program, at, &u, &v) {
        Ok(()) => {}
        Err(outcome) => return outcome,
    }
    // Were the rule of an operation wrong, it would be seen: the oracle's is wrong instead.
    let blind = used.iter().copied().filter(|operation| {
        let wrong = broken(operation, || expected(program, at, &u, &v));
        compared(&wrong, &mut Vec::new()).is_ok()
    });
    Outcome::Agrees(Seen {
        differences: differences_agree(program, at, &u, &want),
        blind: blind.collect(),
        used,
    })
}

/// Holds a closure that is differentiated where it stands against the oracle.
fn captured(program: &Program, at: &Point, u: &[f64], v: &[f64]) -> Result<(), Outcome> {
    let Some((closure, oracle)) = program.captured else {
        return Ok(());
    };
    let constants: Vec<D> = at.c.iter().map(|c| D::c(*c)).collect();
    let along = |scale: f64| -> Option<D> {
        let directions = u.iter().zip(v);
        let x: Vec<D> =
            at.x.iter()
                .zip(directions)
                .map(|(x, (u, v))| D {
                    x: x * scale,
                    u: *u,
                    v: *v,
                    uv: 0.0,
                })
                .collect();
        catch_unwind(AssertUnwindSafe(|| {
            oracle(&x, D::c(at.s), &constants, at.n)
        }))
        .ok()
    };
    reset_gap();
    let (Some(want), Some(nudged)) = (along(1.0), along(1.0 + 1e-13)) else {
        return Err(Outcome::Invalid("the oracle of the closure panics"));
    };
    let size = |d: &D| d.u.abs().max(d.v.abs()).max(d.uv.abs()).max(d.x.abs());
    let tolerance = 1e3 * size(&(want - nudged)) + 1e-9 * (1.0 + size(&want));
    if gap() < 1e-9 || tolerance.is_nan() || tolerance > 1e-2 {
        return Err(Outcome::Unclear("in the closure"));
    }
    let (value, gradient, product) = closure(&at.x, at.s, &at.c, at.n, &u[..at.x.len()]);
    let got = [
        ("value", value, want.x),
        ("gradient", dot(&gradient, u), want.u),
        ("gradient", dot(&gradient, v), want.v),
        ("hvp", dot(&product, v), want.uv),
    ];
    for (what, got, want) in got {
        if (got - want).abs() > tolerance || what == "value" && got.to_bits() != want.to_bits() {
            return Err(Outcome::Mismatch(format!(
                "closure!, {what}: {got:?} instead of {want:?} (tolerance {tolerance:.1e})"
            )));
        }
    }
    Ok(())
}

/// Holds the rules against the oracle.
fn compare(
    program: &Program,
    at: &Point,
    [u, v, shadows, seeds]: &[&[f64]; 4],
    primal: &[f64],
    want: &[D],
    (first, second): (f64, f64),
    digest: &mut Vec<f64>,
) -> Result<(), String> {
    let near = |what: &str, got: f64, want: f64, tolerance: f64| {
        if (got - want).abs() <= tolerance {
            Ok(())
        } else {
            Err(format!(
                "{what}: {got:?} instead of {want:?} (tolerance {tolerance:.1e})"
            ))
        }
    };
    let exactly = |what: &str, got: &[f64], want: &[f64]| {
        if program.agree(got, want) {
            Ok(())
        } else {
            Err(format!("{what}: {got:?} instead of {want:?}"))
        }
    };

    let (x_dot, y_dot, s_dot) = at.split(u);
    let (mut y, mut y_tangent) = (at.y.clone(), y_dot.to_vec());
    let (r, r_dot) = (program.frule)(
        &at.x,
        x_dot,
        &mut y,
        &mut y_tangent,
        at.s,
        s_dot,
        &at.c,
        at.n,
    );
    exactly("frule, the value", &[&[r][..], &y].concat(), primal)?;
    near("frule, the result's tangent", r_dot, want[0].u, first)?;
    for (i, (got, want)) in y_tangent.iter().zip(&want[1..]).enumerate() {
        near(
            &format!("frule, the tangent of y[{i}]"),
            *got,
            want.u,
            first,
        )?;
    }

    let (x_bar, y_bar, _) = at.split(shadows);
    let (seed, y_seed) = (seeds[0], &seeds[1..=at.y.len()]);
    let (mut x_bar_after, mut y_bar_after) = (x_bar.to_vec(), y_seed.to_vec());
    let _ = y_bar;
    let mut y = at.y.clone();
    let mut y_final = Vec::new();
    let (r, s_bar) = (program.rrule)(
        &at.x,
        &mut x_bar_after,
        &mut y,
        &mut y_bar_after,
        at.s,
        &at.c,
        at.n,
        seed,
        &mut y_final,
    );
    exactly("rrule, the value", &[&[r][..], &y_final].concat(), primal)?;
    exactly("rrule, y after the pullback", &y, &at.y)?;
    let added: Vec<f64> = x_bar_after
        .iter()
        .zip(x_bar)
        .map(|(after, before)| after - before)
        .collect();
    let cotangent = [&added[..], &y_bar_after, &[s_bar]].concat();
    for (direction, part) in [(u, (|d| d.u) as fn(&D) -> f64), (v, |d| d.v)] {
        let outputs =
            seed * part(&want[0]) + dot(y_seed, &want[1..].iter().map(part).collect::<Vec<_>>());
        near(
            "rrule, <x_bar, x_dot>",
            dot(&cotangent, direction),
            outputs,
            10.0 * first,
        )?;
    }

    let mut y = at.y.clone();
    let (r, (gx, gy, gs)) = (program.gradient)(&at.x, &mut y, at.s, &at.c, at.n);
    exactly("value_and_gradient, the value", &[r], &primal[..1])?;
    exactly("value_and_gradient, y afterwards", &y, &at.y)?;
    let gradient = [&gx[..], &gy, &[gs]].concat();
    near(
        "value_and_gradient, along u",
        dot(&gradient, u),
        want[0].u,
        first,
    )?;
    near(
        "value_and_gradient, along v",
        dot(&gradient, v),
        want[0].v,
        first,
    )?;
    digest.push(r);
    digest.extend(gradient);

    let Some(hvp) = program.hvp else {
        return Ok(());
    };
    for (along, other) in [(u, v), (v, u)] {
        let (x_dot, y_dot, s_dot) = at.split(along);
        let (mut y, mut y_tangent) = (at.y.clone(), y_dot.to_vec());
        let (hx, hy, hs) = hvp(
            &at.x,
            &mut y,
            at.s,
            &at.c,
            at.n,
            x_dot,
            &mut y_tangent,
            s_dot,
        );
        exactly("hvp, y afterwards", &y, &at.y)?;
        let product = [&hx[..], &hy, &[hs]].concat();
        near("hvp", dot(&product, other), want[0].uv, second)?;
        digest.extend(product);
    }
    Ok(())
}

/// Extrapolated central differences of the primal along a direction, against the oracle.
fn differences_agree(program: &Program, at: &Point, u: &[f64], want: &[D]) -> bool {
    let (x_dot, y_dot, s_dot) = at.split(u);
    let value = |h: f64| {
        let moved = |x: &[f64], by: &[f64]| {
            x.iter()
                .zip(by)
                .map(|(x, by)| x + h * by)
                .collect::<Vec<_>>()
        };
        let mut y = moved(&at.y, y_dot);
        (program.primal)(&moved(&at.x, x_dot), &mut y, at.s + h * s_dot, &at.c, at.n)
    };
    let central = |h: f64| (value(h) - value(-h)) / (2.0 * h);
    // Richardson, two steps: what is left is of sixth order.
    let h = 1e-3;
    let (a, b, c) = (central(h), central(h / 2.0), central(h / 4.0));
    let (ab, bc) = ((4.0 * b - a) / 3.0, (4.0 * c - b) / 3.0);
    let estimate = (16.0 * bc - ab) / 15.0;
    (estimate - want[0].u).abs() <= 1e-6 * (1.0 + want[0].u.abs()) + 10.0 * (bc - ab).abs()
}

/// As many products as the shorter of them has entries.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The same bits.
fn same(a: &[f64], b: &[f64]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.to_bits() == b.to_bits())
}

/// Checks programs, all or those that the command line names, and prints a line for each: name, outcome, digest.
pub fn main(programs: &[(&str, u64, Program)]) {
    let chosen: Vec<String> = std::env::args().skip(1).collect();
    std::panic::set_hook(Box::new(|_| {}));
    for (name, seed, program) in programs {
        if !chosen.is_empty() && !chosen.iter().any(|c| c == name) {
            continue;
        }
        println!("start {name}");
        let mut digest = Vec::new();
        let line = match check(program, *seed, &mut digest) {
            Outcome::Agrees(seen) => {
                let differences = if seen.differences { "" } else { "differ" };
                let list = |of: &BTreeSet<&str>| of.iter().copied().collect::<Vec<_>>().join(",");
                format!(
                    "agrees {differences};{};{}",
                    list(&seen.used),
                    list(&seen.blind)
                )
            }
            Outcome::Mismatch(what) => format!("mismatch {what}"),
            Outcome::Unclear(what) => format!("unclear {what}"),
            Outcome::Invalid(what) => format!("invalid {what}"),
        };
        let digest: Vec<String> = digest.iter().map(|x| format!("{x:e}")).collect();
        println!("end {name} {}\t{line}", digest.join(","));
    }
}
