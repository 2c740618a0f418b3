//! Checked drivers: the calls of a driver with `#[differentiable(checked)]`, or with the feature `checked`, before and after it runs.
//!
//! ```text
//! fn value_and_gradient(x: &[f64]) -> (f64, Vec<f64>) {
//!     let mut check = Self::__check(x);           // runs the function and its rules on copies, and compares them
//!     ..                                          // as without checks
//!     check.value("value_and_gradient", &value);
//!     check.returned("value_and_gradient", "x", x, &x_bar);
//!     check.gradient("value_and_gradient");
//!     (value, x_bar)
//! }
//! ```
//!
//! A failure is a panic at the caller of the driver. Arguments that can't be copied, and functions that return another value when they run again,
//! are not compared; shapes and numbers are looked at all the same.

mod copies;

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::borrow::Borrow;
use core::fmt;

pub use copies::{CopiesState, CopiesValue, Copying, NoCopy, NoState, NoValue};

use crate::random::Random;
use crate::{Component, Components, Differentiable, Tangent};

/// A run of the function: its result, and the final content of its `&mut` arguments.
#[derive(Debug, PartialEq)]
pub struct Outcome {
    value: Parts,
    left: Vec<Parts>,
}

impl Outcome {
    /// A run with this result.
    pub fn of<T: Differentiable + ?Sized>(value: &T) -> Self {
        Outcome {
            value: Parts::of(value),
            left: Vec::new(),
        }
    }

    /// Notes the final content of its next `&mut` argument.
    pub fn leaves<T: Differentiable + ?Sized>(&mut self, x: &T) {
        self.left.push(Parts::of(x));
    }
}

/// So many times the rules run, and more often if they seem to disagree.
const ROUNDS: usize = 4;
const ROUNDS_IN_DOUBT: usize = 16;
/// So many times the largest rounding measured is taken for rounding.
const MARGIN: f64 = 32.0;

/// The check of a function's rules at the arguments of a driver, and then of the driver.
///
/// Two inner products, which exact arithmetic makes equal, differ by rounding. How much that is can't be seen from them where larger terms cancel, as in
/// every gradient near a minimum. So it is measured: directions and weights are multiplied with a factor, which changes all
/// roundings, and nothing else once the results are divided by it.
#[derive(Debug)]
pub struct Check {
    function: &'static str,
    random: Random,
    /// The largest distance from 1 to the next number, of all types that floats have here.
    epsilon: f64,
    /// Arguments, directions, cotangents and the result that have been looked at are finite.
    finite: bool,
    /// `&mut` arguments as they were.
    initial: Vec<Parts>,
    /// The value of the function, if a second run returns the same.
    outcome: Option<Outcome>,
    /// The number of rounds that have begun, and the factor of directions and weights in this one.
    rounds: usize,
    factor: f64,
    /// The results of the rules in this round and in the first one, and how much they change from round to round.
    round: Round,
    first: Round,
    rounding: Round,
    /// How many tangents are those of the result.
    of_result: usize,
    /// The cotangent of the result that a driver is given, or 1.
    seed: Vec<f64>,
    /// The cotangents that a driver returns, argument by argument.
    returned: Vec<f64>,
}

/// Inputs and outputs of the rules in one round, divided by the factor.
#[derive(Clone, Debug, Default)]
struct Round {
    /// Random directions for the arguments, and the tangents that the forward rule returns: of the result, then of the final values.
    directions: Vec<f64>,
    tangents: Vec<f64>,
    /// Random cotangents of the same, and the cotangents that the reverse rule returns for the arguments.
    weights: Vec<f64>,
    cotangents: Vec<f64>,
}

// ---- Before a driver runs: the rules. --------------------------------------------------------------------------------

impl Check {
    /// The check of a function.
    pub fn new(function: &'static str) -> Self {
        Check {
            function,
            random: Random::new(0),
            epsilon: f64::EPSILON,
            finite: true,
            initial: Vec::new(),
            outcome: None,
            rounds: 0,
            factor: 1.0,
            round: Round::default(),
            first: Round::default(),
            rounding: Round::default(),
            of_result: 0,
            seed: Vec::new(),
            returned: Vec::new(),
        }
    }

    /// A random direction for the next argument.
    pub fn direction<T: Differentiable + ?Sized>(&mut self, x: &T) -> T::OwnedTangent {
        let mut direction = x.zero_tangent();
        direction.fill_with(&mut || self.random.number() * self.factor);
        direction.entries(&mut |entry| self.round.directions.push(entry / self.factor));
        direction
    }

    /// Looks at an argument.
    pub fn argument<T: Differentiable + ?Sized>(&mut self, x: &T) {
        self.look(&Parts::of(x));
    }

    /// Notes a `&mut` argument.
    pub fn state<T: Differentiable + ?Sized>(&mut self, x: &T) {
        self.initial.push(Parts::of(x));
    }

    /// Notes two runs. If they differ, nothing is compared.
    pub fn runs(&mut self, once: Outcome, again: &Outcome) -> bool {
        self.look(&once.value);
        for left in &once.left {
            self.look(left);
        }
        let same = once == *again;
        self.outcome = same.then_some(once);
        same
    }

    /// Compares the value of a rule, or of a driver, with that of the function.
    ///
    /// # Panics
    /// If it isn't the same, bit for bit.
    #[track_caller]
    pub fn value<T: Differentiable + ?Sized>(&mut self, rule: &str, y: &T) {
        self.look(&Parts::of(y));
        if let Some(outcome) = &self.outcome {
            self.same(&outcome.value, y, &Same::Value { rule });
        }
    }

    /// Compares the final content of the `k`th `&mut` argument of a rule.
    ///
    /// # Panics
    /// If it isn't the same as for the function, bit for bit.
    #[track_caller]
    pub fn left<T: Differentiable + ?Sized>(&self, rule: &str, k: usize, name: &str, x: &T) {
        if let Some(left) = self
            .outcome
            .as_ref()
            .and_then(|outcome| outcome.left.get(k))
        {
            self.same(left, x, &Same::Left { rule, name });
        }
    }

    /// Compares the `k`th `&mut` argument with its initial content.
    ///
    /// # Panics
    /// If it isn't the same, bit for bit.
    #[track_caller]
    pub fn restored<T: Differentiable + ?Sized>(&self, rule: &str, k: usize, name: &str, x: &T) {
        if let Some(initial) = self.initial.get(k) {
            self.same(initial, x, &Same::Restored { rule, name });
        }
    }

    /// Notes a tangent that the forward rule returns: of the result, `name` is empty, and of the final values of `&mut` arguments.
    ///
    /// # Panics
    /// If it doesn't have the value's shape.
    #[track_caller]
    pub fn tangent<T: Differentiable + ?Sized>(&mut self, name: &str, x: &T, x_dot: &T::Tangent) {
        self.shape("the forward rule", "tangent", name, x, x_dot);
        x_dot.entries(&mut |entry| self.round.tangents.push(entry / self.factor));
        if name.is_empty() {
            self.of_result = self.round.tangents.len();
        }
    }

    /// A random cotangent, of the result, and of the final content of `&mut` arguments.
    pub fn weights<T: Differentiable + ?Sized>(&mut self, x: &T) -> T::OwnedTangent {
        let mut weights = x.zero_tangent();
        weights.fill_with(&mut || self.random.number() * self.factor);
        weights.entries(&mut |entry| self.round.weights.push(entry / self.factor));
        weights
    }

    /// Notes a cotangent that the reverse rule returns for the next argument.
    ///
    /// # Panics
    /// If it doesn't have the argument's shape.
    #[track_caller]
    pub fn cotangent<T: Differentiable + ?Sized>(&mut self, name: &str, x: &T, x_bar: &T::Tangent) {
        self.shape("the reverse rule", "cotangent", name, x, x_bar);
        x_bar.entries(&mut |entry| self.round.cotangents.push(entry / self.factor));
    }

    /// Returns `true` if the rules are to run once more. After the last round the forward rule has been compared with the reverse rule.
    ///
    /// # Panics
    /// If their inner products differ by more than rounding explains.
    #[track_caller]
    pub fn again(&mut self) -> bool {
        match self.rounds {
            0 => {}
            1 => self.first = core::mem::take(&mut self.round),
            _ => {
                let round = core::mem::take(&mut self.round);
                let (first, rounding) = (&self.first, &mut self.rounding);
                widen(&mut rounding.tangents, &round.tangents, &first.tangents);
                widen(
                    &mut rounding.cotangents,
                    &round.cotangents,
                    &first.cotangents,
                );
            }
        }
        if self.rounds >= ROUNDS {
            let Round {
                weights,
                tangents,
                cotangents,
                ..
            } = &self.first;
            match self.disagreement((weights, tangents), cotangents, 1.0) {
                None => return false,
                Some(products) if self.rounds >= ROUNDS_IN_DOUBT => {
                    self.disagree("the reverse rule", products);
                }
                Some(_) => {}
            }
        }
        // Each round has the same random numbers, and a factor that isn't a power of two.
        self.factor = match self.rounds {
            0 => 1.0,
            n => {
                let mut factors = Random::new(u64::MAX);
                (0..n).fold(1.0, |_, _| factors.number())
            }
        };
        self.random = Random::new(0);
        self.rounds += 1;
        true
    }
}

/// The larger one of the measured error and of the difference to the first round.
fn widen(rounding: &mut Vec<f64>, round: &[f64], first: &[f64]) {
    rounding.resize(first.len(), 0.0);
    for (k, rounding) in rounding.iter_mut().enumerate() {
        if let (Some(a), Some(b)) = (round.get(k), first.get(k)) {
            *rounding = rounding.max((a - b).abs());
        }
    }
}

// ---- After it has run: the driver. ------------------------------------------------------------------------------------

impl Check {
    /// Looks at a direction that a driver is given.
    pub fn given<T: Tangent + ?Sized>(&mut self, direction: &T) {
        direction.entries(&mut |entry| self.finite &= entry.is_finite());
    }

    /// Notes the cotangent that a driver is given.
    pub fn seed<T: Tangent + ?Sized>(&mut self, seed: &T) {
        self.given(seed);
        seed.entries(&mut |entry| self.seed.push(entry));
    }

    /// Compares the result of a driver for an argument, or for the result.
    ///
    /// # Panics
    /// If it doesn't have the right shape, or isn't a number though everything that it comes from is finite.
    #[track_caller]
    pub fn returned<T: Differentiable + ?Sized, B: Borrow<T::Tangent> + ?Sized>(
        &mut self,
        driver: &str,
        name: &str,
        x: &T,
        tangent: &B,
    ) {
        let tangent: &T::Tangent = tangent.borrow();
        let kind = if name.is_empty() {
            "tangent"
        } else {
            "cotangent"
        };
        self.shape(driver, kind, name, x, tangent);
        let mut undefined = None;
        tangent.visit_components(&mut Components::new(&mut |place, component| {
            if let Component::Float { value, .. } = component
                && value.is_nan()
                && undefined.is_none()
            {
                undefined = Some(place.to_string());
            }
        }));
        tangent.entries(&mut |entry| self.returned.push(entry));
        if let Some(place) = undefined.filter(|_| self.finite) {
            self.fail(format_args!(
                "the {kind} of {} that {} returns is NaN, though the value and all that it comes from is finite",
                At(name, &place),
                Driver(driver)
            ));
        }
    }

    /// Compares the cotangents that a driver returned with the forward rule.
    ///
    /// # Panics
    /// If their inner products differ by more than rounding explains.
    #[track_caller]
    pub fn gradient(&mut self, driver: &str) {
        let returned = core::mem::take(&mut self.returned);
        let tangents = self.first.tangents.get(..self.of_result);
        // The rounding of cotangents was measured with weights that are at least a quarter.
        let seed = self.seed.iter().map(|seed| seed.abs());
        let scale = 4.0 * seed.fold(0.0, f64::max);
        let forward = (&*self.seed, tangents.unwrap_or_default());
        if let Some(products) = self.disagreement(forward, &returned, scale) {
            self.disagree(driver, products);
        }
        // Where these aren't finite, their consequences say nothing.
        self.finite &= returned.iter().all(|entry| entry.is_finite());
    }
}

// ---- Both. ------------------------------------------------------------------------------------------------------------

/// Two things that have to be the same.
enum Same<'a> {
    Value { rule: &'a str },
    Left { rule: &'a str, name: &'a str },
    Restored { rule: &'a str, name: &'a str },
}

impl Check {
    fn look(&mut self, parts: &Parts) {
        self.finite &= parts.are_finite();
        self.epsilon = self.epsilon.max(parts.epsilon());
    }

    #[track_caller]
    fn same<T: Differentiable + ?Sized>(&self, want: &Parts, x: &T, same: &Same<'_>) {
        let Some(Difference { place, floats }) = want.difference(x) else {
            return;
        };
        let (subject, place, other) = match same {
            Same::Value { rule } => (
                alloc::format!("the value of {} is", Driver(rule)),
                At("", &place).to_string(),
                "that of the function",
            ),
            Same::Left { rule, name } => (
                alloc::format!("{} leaves", Driver(rule)),
                At(name, &place).to_string(),
                "the function leaves",
            ),
            Same::Restored { rule, name } => (
                alloc::format!("{} leaves", Driver(rule)),
                At(name, &place).to_string(),
                "which has to be restored:",
            ),
        };
        match floats {
            Some((want, got)) => self.fail(format_args!(
                "{subject} {got:?} in {place}, {other} {want:?}"
            )),
            None => self.fail(format_args!(
                "{subject} another length, variant or integer in {place}"
            )),
        }
    }

    #[track_caller]
    fn shape<T: Differentiable + ?Sized>(
        &self,
        rule: &str,
        kind: &str,
        name: &str,
        x: &T,
        tangent: &T::Tangent,
    ) {
        if let Err(mismatch) = x.matches_shape(tangent) {
            self.fail(format_args!(
                "the {kind} of {} that {} gives has another shape: {mismatch}",
                At(name, ""),
                Driver(rule)
            ));
        }
    }

    /// The square root of epsilon, which floats don't have without the standard library.
    fn half_of_the_digits(&self) -> f64 {
        if self.epsilon > f64::EPSILON {
            3.5e-4
        } else {
            1.5e-8
        }
    }

    /// Both sides of `<weights, tangents> = <cotangents, directions>`, if they differ by more than rounding; that of cotangents is `scale` times the
    /// measured one.
    fn disagreement(
        &self,
        (weights, tangents): (&[f64], &[f64]),
        cotangents: &[f64],
        scale: f64,
    ) -> Option<(f64, f64)> {
        self.outcome.as_ref()?;
        let directions = &self.first.directions;
        let (forward, size) = inner(weights, tangents);
        let (reverse, other_size) = inner(cotangents, directions);
        let size = size.max(other_size);
        let (_, of_tangents) = inner(weights, &self.rounding.tangents);
        let (_, of_cotangents) = inner(directions, &self.rounding.cotangents);
        let rounding =
            self.half_of_the_digits() * size + MARGIN * (of_tangents + scale * of_cotangents);
        // Infinite values have no products to compare.
        let differ = size.is_finite() && (forward - reverse).abs() > rounding;
        differ.then_some((forward, reverse))
    }

    #[track_caller]
    fn disagree(&self, rule: &str, (forward, reverse): (f64, f64)) -> ! {
        self.fail(format_args!(
            "{} disagrees with the forward rule: the product of its cotangents with a random direction is {reverse:?}, that of the forward rule's \
             tangents with the result's cotangent {forward:?}",
            Driver(rule)
        ))
    }

    #[cold]
    #[inline(never)]
    #[track_caller]
    fn fail(&self, message: fmt::Arguments<'_>) -> ! {
        panic!("{}: {message}", self.function)
    }
}

/// A rule as messages call it.
struct Driver<'a>(&'a str);

impl fmt::Display for Driver<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Driver(name) = self;
        if name.contains(' ') {
            f.write_str(name)
        } else {
            write!(f, "`{name}`")
        }
    }
}

/// A place in an argument, or in the result.
struct At<'a>(&'a str, &'a str);

impl fmt::Display for At<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            At("", "") => f.write_str("the result"),
            At("", place) => write!(f, "`{place}` of the result"),
            At(name, place) => write!(f, "`{name}{place}`"),
        }
    }
}

/// The parts of a value.
#[derive(Debug)]
struct Parts(Vec<Component>);

/// The first part that isn't the same, and both numbers if it is one.
struct Difference {
    place: String,
    floats: Option<(f64, f64)>,
}

impl Parts {
    fn of<T: Differentiable + ?Sized>(x: &T) -> Self {
        let mut parts = Vec::new();
        x.visit_components(&mut Components::new(&mut |_, part| parts.push(part)));
        Parts(parts)
    }

    fn are_finite(&self) -> bool {
        self.0.iter().all(|part| match part {
            Component::Float { value, .. } => value.is_finite(),
            Component::Fixed(_) | Component::Opaque(_) => true,
        })
    }

    fn epsilon(&self) -> f64 {
        let epsilons = self.0.iter().map(|part| match part {
            Component::Float { epsilon, .. } => *epsilon,
            Component::Fixed(_) | Component::Opaque(_) => 0.0,
        });
        epsilons.fold(0.0, f64::max)
    }

    /// How another value differs.
    fn difference<T: Differentiable + ?Sized>(&self, x: &T) -> Option<Difference> {
        let (mut parts, mut found) = (self.0.iter(), None);
        x.visit_components(&mut Components::new(&mut |place, got| {
            let want = parts.next();
            if found.is_none() && !want.is_some_and(|want| same(*want, got)) {
                found = Some(Difference {
                    place: place.to_string(),
                    floats: match (want, got) {
                        (
                            Some(Component::Float { value: want, .. }),
                            Component::Float { value, .. },
                        ) => Some((*want, value)),
                        _ => None,
                    },
                });
            }
        }));
        found.or_else(|| {
            parts.next().map(|_| Difference {
                place: String::new(),
                floats: None,
            })
        })
    }
}

impl PartialEq for Parts {
    fn eq(&self, other: &Self) -> bool {
        let mut pairs = self.0.iter().zip(&other.0);
        self.0.len() == other.0.len() && pairs.all(|(a, b)| same(*a, *b))
    }
}

/// The same bits, or both not a number: which NaN it is depends on the order of operands.
fn same(a: Component, b: Component) -> bool {
    match (a, b) {
        (Component::Float { value: a, .. }, Component::Float { value: b, .. }) => {
            a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan())
        }
        (a, b) => a == b,
    }
}

/// The sum of products, and that of their absolute values.
fn inner(a: &[f64], b: &[f64]) -> (f64, f64) {
    let terms = a.iter().zip(b).map(|(a, b)| a * b);
    terms.fold((0.0, 0.0), |(sum, size), term| {
        (sum + term, size + term.abs())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    /// A check of `f(x) = (x, 2)` at `x = [1, 2]`.
    fn check() -> Check {
        let mut check = Check::new("f");
        let x = [1.0, 2.0];
        check.argument(&x);
        let run = || Outcome::of(&(vec![1.0, 2.0], 2_u8));
        assert!(check.runs(run(), &run()));
        check
    }

    #[test]
    fn the_same_value_and_nan_for_nan() {
        check().value("g", &(vec![1.0, 2.0], 2_u8));
        let mut check = Check::new("f");
        check.runs(Outcome::of(&f64::NAN), &Outcome::of(&-f64::NAN));
        check.value("g", &f64::NAN);
    }

    #[test]
    #[should_panic(
        expected = "f: the value of `g` is -0.0 in `.0[1]` of the result, that of the function 2.0"
    )]
    fn another_number() {
        check().value("g", &(vec![1.0, -0.0], 2_u8));
    }

    #[test]
    #[should_panic(
        expected = "f: the value of `g` is another length, variant or integer in `.0` of the result"
    )]
    fn another_length() {
        check().value("g", &(vec![1.0], 2_u8));
    }

    #[test]
    #[should_panic(
        expected = "f: the value of `g` is another length, variant or integer in `.1` of the result"
    )]
    fn another_integer() {
        check().value("g", &(vec![1.0, 2.0], 3_u8));
    }

    #[test]
    #[should_panic(
        expected = "f: the cotangent of `x` that the reverse rule gives has another shape: the tangent has length 1, the value 2"
    )]
    fn another_shape() {
        check().cotangent("x", &vec![1.0, 2.0], &vec![1.0]);
    }

    #[test]
    #[should_panic(
        expected = "f: the tangent of the result that `jvp` gives has another shape: the tangent's `[1]` is `None`, the value's `Some`"
    )]
    fn another_variant() {
        check().returned("jvp", "", &[Some(1.0), Some(2.0)], &[Some(1.0), None]);
    }

    #[test]
    fn a_function_that_changes_is_not_compared() {
        let mut check = Check::new("f");
        assert!(!check.runs(Outcome::of(&1.0), &Outcome::of(&2.0)));
        check.value("g", &3.0);
        check.seed(&1.0);
        check.returned("g", "x", &1.0, &5.0);
        check.gradient("g");
    }

    #[test]
    #[should_panic(expected = "f: `g` leaves 3.0 in `v[1]`, which has to be restored: 2.0")]
    fn memory_that_is_not_restored() {
        let mut check = check();
        check.state(&[1.0, 2.0][..]);
        check.restored("g", 0, "v", &[1.0, 3.0][..]);
    }

    /// The rules of a function with the derivatives `[forward, 2]`, of which the reverse rule says `[1, 2]`, up to this rounding.
    fn rules(forward: f64, mut rounding: impl FnMut() -> f64) -> Check {
        let mut check = check();
        let x = [1.0, 2.0];
        while check.again() {
            let dot = check.direction(&x);
            let y_dot = forward * dot[0] + 2.0 * dot[1] + rounding();
            check.tangent("", &1.0, &y_dot);
            let w = check.weights(&1.0);
            check.cotangent("x", &x, &[w, 2.0 * w]);
        }
        check
    }

    fn gradient(mut check: Check, gradient: [f64; 2]) {
        check.seed(&1.0);
        check.returned("gradient", "x", &[0.0; 2], &gradient);
        check.gradient("gradient");
    }

    #[test]
    fn rules_that_agree() {
        gradient(rules(1.0, || 0.0), [1.0, 2.0]);
    }

    #[test]
    #[should_panic(expected = "f: the reverse rule disagrees with the forward rule")]
    fn rules_that_disagree() {
        rules(1.0 + 1e-6, || 0.0);
    }

    #[test]
    fn rounding_is_measured() {
        let mut random = Random::new(7);
        rules(1.0 + 1e-6, || 1e-6 * random.number());
    }

    #[test]
    #[should_panic(expected = "f: `gradient` disagrees with the forward rule")]
    fn gradients_against_the_forward_rule() {
        gradient(rules(1.0, || 0.0), [1.0, 2.0 + 1e-6]);
    }
}
