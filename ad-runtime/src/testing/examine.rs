//! All comparisons of the rules of one function at one point.

use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;

use super::arguments::Passed;
use super::differences::{Differences, Sample, Steps, differences};
use super::judge::{Precision, Verdict};
use super::report::{Finding, Outcome};
use super::subject::{Dots, Entry, Reverse, Seeds, Snapshot, Subject, unit};
use crate::random::Random;

/// So many components are looked at one by one, in first and second order; more are sampled.
const COMPONENTS: usize = 64;
const COMPONENTS_OF_SECOND_ORDER: usize = 16;
/// So many random directions are tried.
const DIRECTIONS: usize = 3;

/// All findings, and the number of comparisons.
pub(super) fn examine(subject: &dyn Subject, seed: u64) -> (Vec<Finding>, usize) {
    let entries = subject.inputs().iter().chain(subject.outputs());
    let epsilon = entries
        .map(|entry| entry.epsilon)
        .fold(f64::EPSILON, f64::max);
    let mut random = Random::new(seed);
    let n = subject.inputs().len();
    let mut examination = Examination {
        subject,
        precision: Precision(epsilon),
        still: vec![0.0; n],
        probed: random.indices(n, COMPONENTS),
        random,
        value: Snapshot::default(),
        kinks: false,
        findings: Vec::new(),
        comparisons: 0,
    };
    examination.run();
    (examination.findings, examination.comparisons)
}

struct Examination<'a> {
    subject: &'a dyn Subject,
    precision: Precision,
    /// A row of zeros, one for each input.
    still: Vec<f64>,
    /// The inputs that are looked at one by one.
    probed: Vec<usize>,
    random: Random,
    /// The outputs.
    value: Snapshot,
    /// There is a kink in some direction, so that second order says nothing.
    kinks: bool,
    findings: Vec<Finding>,
    comparisons: usize,
}

/// The columns of the Jacobian that are known, by the forward rule.
type Columns = Vec<(usize, Vec<f64>)>;

impl Examination<'_> {
    fn run(&mut self) {
        for problem in self.subject.unreadable() {
            self.inconclusive("its arguments and results", problem.clone());
        }
        if !self.subject.unreadable().is_empty() {
            return;
        }
        match (
            self.subject.primal(&self.still),
            self.subject.primal(&self.still),
        ) {
            (Some(value), Some(again)) if same(&value, &again) => self.value = value,
            _ => {
                self.inconclusive(
                    "the function",
                    "it gives another value when called again".to_string(),
                );
                return;
            }
        }
        let columns = self.forward();
        self.reverse(&columns);
        self.again();
        self.combined();
        if self.subject.has_second_order() {
            self.second_order();
        }
    }

    // The forward rule.

    fn forward(&mut self) -> Columns {
        let n = self.still.len();
        let mut columns = Columns::new();
        for j in self.probed.clone() {
            let (value, tangents) = self.subject.frule(&self.still, &unit(n, j, 1.0));
            if columns.is_empty() {
                self.same_value("the forward rule", &value);
            }
            let input = self.subject.inputs()[j].clone();
            if input.movable {
                let found = self.along_component(j);
                let name = Some(input.name);
                self.against_differences("the forward rule", name.as_deref(), &tangents, &found);
            } else {
                let problem = "it is shared, behind a `&` or an `Rc`, and can't be moved: check a function that makes it \
                               from something owned";
                self.findings.push(Finding {
                    input: Some(input.name),
                    ..finding(
                        Outcome::Inconclusive,
                        "the forward rule",
                        problem.to_string(),
                    )
                });
            }
            columns.push((j, tangents));
        }
        let movable = self.subject.inputs().iter().all(|input| input.movable);
        for _ in 0..if n > 1 { DIRECTIONS } else { 0 } {
            let direction = self.random.numbers(n);
            let (_, tangents) = self.subject.frule(&self.still, &direction);
            if columns.len() == n {
                self.linear(&columns, &direction, &tangents);
            } else if movable {
                let found = self.along(&direction);
                self.against_differences(
                    "the forward rule in a mixed direction",
                    None,
                    &tangents,
                    &found,
                );
            }
        }
        columns
    }

    /// The tangent in a mixed direction is that of its components. One that is the remainder of larger ones beside it, as in the error of a sum, is
    /// rounding.
    fn linear(&mut self, columns: &Columns, direction: &[f64], tangents: &[f64]) {
        let sum = |i: usize| {
            let terms = columns.iter().map(|(j, column)| column[i] * direction[*j]);
            terms.fold((0.0, 0.0), |(sum, size), term: f64| {
                (sum + term, size + term.abs())
            })
        };
        let sums: Vec<(f64, f64)> = (0..tangents.len()).map(sum).collect();
        let sizes = sums.iter().map(|(_, size)| *size);
        let largest = sizes.filter(|size| size.is_finite()).fold(0.0, f64::max);
        for (i, (tangent, (want, size))) in tangents.iter().zip(sums).enumerate() {
            self.comparisons += 1;
            if !self.precision.agree(*tangent, want, size, largest) {
                let values = vec![("in the direction", *tangent), ("by components", want)];
                let output = self.output(i);
                self.findings.push(Finding {
                    output,
                    values,
                    ..failure("the forward rule", "it isn't linear in the direction")
                });
            }
        }
    }

    fn along_component(&self, j: usize) -> Vec<Differences> {
        let input = &self.subject.inputs()[j];
        let sample = |step: f64| -> Sample {
            let taken = rounded(input.value + step, input.epsilon) - input.value;
            self.sample(&unit(self.still.len(), j, step), taken)
        };
        let steps = Steps::of(input.value, self.precision.0);
        differences(&sample, &self.value.floats, steps, self.precision.0)
    }

    fn along(&self, direction: &[f64]) -> Vec<Differences> {
        let sample = |step: f64| {
            let shift: Vec<f64> = direction.iter().map(|d| d * step).collect();
            self.sample(&shift, step)
        };
        differences(
            &sample,
            &self.value.floats,
            Steps::of(1.0, self.precision.0),
            self.precision.0,
        )
    }

    fn sample(&self, shift: &[f64], step: f64) -> Sample {
        let moved = self.subject.primal(shift)?;
        // With another shape it isn't the same function.
        (moved.fixed == self.value.fixed && moved.floats.len() == self.value.floats.len())
            .then_some((step, moved.floats))
    }

    fn against_differences(
        &mut self,
        check: &'static str,
        input: Option<&str>,
        rule: &[f64],
        found: &[Differences],
    ) {
        for (i, (rule, found)) in rule.iter().zip(found).enumerate() {
            let output = self.output(i);
            let verdict = self.precision.judge(*rule, found);
            self.judged(check, input, output, *rule, verdict);
        }
    }

    fn judged(
        &mut self,
        check: &'static str,
        input: Option<&str>,
        output: Option<String>,
        rule: f64,
        verdict: Verdict,
    ) {
        self.comparisons += 1;
        let (outcome, problem, estimate) = match verdict {
            Verdict::Agrees => return,
            Verdict::Kink => {
                self.kinks = true;
                return;
            }
            Verdict::Inconclusive(reason, estimate) => (Outcome::Inconclusive, reason, estimate),
            Verdict::Wrong(reason, estimate) => (Outcome::Failed, reason, estimate),
        };
        self.findings.push(Finding {
            input: input.map(ToString::to_string),
            output,
            values: vec![("the rule", rule), ("differences", estimate.value)],
            error: Some(estimate.error),
            step: (estimate.step > 0.0).then_some(estimate.step),
            ..finding(outcome, check, problem)
        });
    }

    // The reverse rule.

    fn reverse(&mut self, columns: &Columns) {
        const CHECK: &str = "the reverse rule";
        let (n, m) = (self.still.len(), self.value.floats.len());
        let seed = self.random.numbers(m);
        let from_zero = self.rrule(&seed, &self.still.clone());
        self.same_value(CHECK, &from_zero.outputs);
        self.restored(CHECK, &from_zero);
        self.against_columns(CHECK, columns, &seed, &from_zero.cotangents);

        // Shadows that hold something.
        let shadows = self.random.numbers(n);
        let added = self.rrule(&seed, &shadows);
        self.accumulated(CHECK, &added, &from_zero, &shadows, |passed| {
            passed == Passed::Shared
        });

        // The inner products, also of entries that are not compared one by one.
        for _ in 0..DIRECTIONS {
            let direction = self.random.numbers(n);
            let seed = self.random.numbers(m);
            let (_, tangents) = self.subject.frule(&self.still, &direction);
            let back = self.rrule(&seed, &self.still.clone());
            let (left, size) = inner(&seed, &tangents);
            let (right, other_size) = inner(&back.cotangents, &direction);
            self.comparisons += 1;
            if !self.precision.agree(left, right, size.max(other_size), 0.0) {
                let values = vec![
                    ("<y_bar, J x_dot>, forward", left),
                    ("<J' y_bar, x_dot>, reverse", right),
                ];
                self.findings.push(Finding {
                    values,
                    ..failure(
                        CHECK,
                        "its inner product differs from that of the forward rule",
                    )
                });
            }
        }
    }

    fn rrule(&self, outputs: &[f64], shadows: &[f64]) -> Reverse {
        self.subject
            .rrule(&self.still, Seeds { outputs, shadows }, &mut || ())
    }

    /// Cotangents are the seed times columns of the Jacobian.
    fn against_columns(
        &mut self,
        check: &'static str,
        columns: &Columns,
        seed: &[f64],
        cotangents: &[f64],
    ) {
        let products: Vec<(usize, f64, f64)> = columns
            .iter()
            .map(|(j, column)| {
                let (want, size) = inner(seed, column);
                (*j, want, size)
            })
            .collect();
        let largest = products
            .iter()
            .map(|(.., size)| *size)
            .filter(|s| s.is_finite())
            .fold(0.0, f64::max);
        for (j, want, size) in products {
            self.agree(
                check,
                "it differs from the forward rule",
                j,
                ("the reverse rule", cotangents[j]),
                ("the forward rule", want),
                size,
                largest,
            );
        }
    }

    #[allow(
        clippy::too_many_arguments,
        reason = "both values, with their names and sizes"
    )]
    fn agree(
        &mut self,
        check: &'static str,
        problem: &str,
        j: usize,
        got: (&'static str, f64),
        want: (&'static str, f64),
        size: f64,
        largest: f64,
    ) {
        self.comparisons += 1;
        if !self.precision.agree(got.1, want.1, size, largest) {
            self.findings.push(Finding {
                input: Some(self.subject.inputs()[j].name.clone()),
                values: vec![got, want],
                ..failure(check, problem)
            });
        }
    }

    /// The initial content of shadows is still in there.
    fn accumulated(
        &mut self,
        check: &'static str,
        added: &Reverse,
        from_zero: &Reverse,
        shadows: &[f64],
        accumulates: impl Fn(Passed) -> bool,
    ) {
        for (j, input) in self.subject.inputs().to_vec().iter().enumerate() {
            let (got, fresh) = (added.cotangents[j], from_zero.cotangents[j]);
            let (want, problem) = if accumulates(input.passed) {
                let problem = if got == fresh {
                    "its shadow is overwritten, where it should be added to"
                } else {
                    "it doesn't add to what the shadow holds"
                };
                (fresh + shadows[j], problem)
            } else {
                (fresh, "it depends on what the shadow holds")
            };
            let size = fresh.abs() + shadows[j].abs();
            self.agree(
                check,
                problem,
                j,
                ("with a shadow", got),
                ("expected", want),
                size,
                0.0,
            );
        }
    }

    /// `&mut` arguments have their initial content.
    fn restored(&mut self, check: &'static str, after: &Reverse) {
        self.comparisons += 1;
        let before = self.subject.arguments();
        if same(&before, &after.arguments) {
            return;
        }
        let pairs = before.floats.iter().zip(&after.arguments.floats);
        let moved = pairs
            .enumerate()
            .find(|(_, (a, b))| a.to_bits() != b.to_bits());
        let found = match moved {
            Some((j, (before, after))) => Finding {
                input: Some(self.subject.inputs()[j].name.clone()),
                values: vec![("after the pullback", *after), ("at first", *before)],
                ..failure(check, "the argument is not restored")
            },
            None => failure(
                check,
                "the arguments are not restored: a length, an integer or a variant differs",
            ),
        };
        self.findings.push(found);
    }

    fn same_value(&mut self, check: &'static str, value: &Snapshot) {
        self.comparisons += 1;
        if same(&self.value, value) {
            return;
        }
        let pairs = self.value.floats.iter().zip(&value.floats);
        let differs = pairs
            .enumerate()
            .find(|(_, (a, b))| a.to_bits() != b.to_bits());
        let found = match differs {
            Some((i, (want, got))) => Finding {
                output: self.output(i),
                values: vec![("the rule", *got), ("the function", *want)],
                ..failure(check, "its value is not that of the function, bit for bit")
            },
            None => failure(
                check,
                "its value is not that of the function: a length, an integer or a variant differs",
            ),
        };
        self.findings.push(found);
    }

    // Using rules again.

    /// A second use has the same results, also while the first one is between its halves.
    fn again(&mut self) {
        let (n, m) = (self.still.len(), self.value.floats.len());
        let movable = self.subject.inputs().iter().all(|input| input.movable);
        let elsewhere: Vec<f64> = if movable {
            let sizes = self
                .subject
                .inputs()
                .iter()
                .map(|input| 1e-3 * input.value.abs().min(1.0));
            sizes.map(|size| size * self.random.number()).collect()
        } else {
            self.still.clone()
        };
        // Not where the function would panic.
        let elsewhere = if self.subject.primal(&elsewhere).is_some() {
            elsewhere
        } else {
            self.still.clone()
        };
        let (seed, other_seed) = (self.random.numbers(m), self.random.numbers(m));
        let direction = self.random.numbers(n);
        let first = self.rrule(&seed, &self.still.clone());
        let (_, forward) = self.subject.frule(&self.still, &direction);
        let seeds = |outputs| Seeds {
            outputs,
            shadows: &self.still,
        };
        let interleaved = self.subject.rrule(&self.still, seeds(&seed), &mut || {
            let _ = self
                .subject
                .rrule(&elsewhere, seeds(&other_seed), &mut || ());
            let _ = self.subject.frule(&elsewhere, &direction);
        });
        let second = self.rrule(&seed, &self.still.clone());
        let (_, forward_again) = self.subject.frule(&self.still, &direction);
        let uses = [
            (
                "the reverse rule",
                "a second use gives something else",
                &first.cotangents,
                &second.cotangents,
            ),
            (
                "the reverse rule",
                "another use between its two halves changes the result: it keeps something outside of its pullback",
                &first.cotangents,
                &interleaved.cotangents,
            ),
        ];
        for (check, problem, once, again) in uses {
            for (j, (once, again)) in once.iter().zip(again).enumerate() {
                self.comparisons += 1;
                if once.to_bits() != again.to_bits() {
                    self.findings.push(Finding {
                        input: Some(self.subject.inputs()[j].name.clone()),
                        values: vec![("again", *again), ("at first", *once)],
                        ..failure(check, problem)
                    });
                }
            }
        }
        for (i, (once, again)) in forward.iter().zip(&forward_again).enumerate() {
            self.comparisons += 1;
            if once.to_bits() != again.to_bits() {
                self.findings.push(Finding {
                    output: self.output(i),
                    values: vec![("again", *again), ("at first", *once)],
                    ..failure("the forward rule", "a second use gives something else")
                });
            }
        }
    }

    // The combined rule, which drivers such as `value_and_gradient` are made of.

    fn combined(&mut self) {
        const CHECK: &str = "the combined rule of `value_and_gradient`";
        let (n, m) = (self.still.len(), self.value.floats.len());
        let mut seed = self.random.numbers(m);
        // Of the result alone; the final content of `&mut` arguments has no cotangent there.
        let results = self
            .subject
            .outputs()
            .iter()
            .take_while(|output| output.passed != Passed::Unique)
            .count();
        seed[results..].fill(0.0);
        let zeros = self.still.clone();
        let Some(combined) = self.subject.combined(Seeds {
            outputs: &seed,
            shadows: &zeros,
        }) else {
            return;
        };
        let floats = |all: &[f64]| {
            all.iter()
                .take(results)
                .map(|v| v.to_bits())
                .collect::<Vec<_>>()
        };
        self.comparisons += 1;
        if floats(&combined.outputs.floats) != floats(&self.value.floats) {
            self.findings.push(failure(
                CHECK,
                "its value is not that of the function, bit for bit",
            ));
        }
        self.restored(CHECK, &combined);
        let split = self.rrule(&seed, &zeros);
        let largest = split
            .cotangents
            .iter()
            .map(|bar| bar.abs())
            .filter(|b| b.is_finite())
            .fold(0.0, f64::max);
        for j in 0..n {
            let (got, want) = (combined.cotangents[j], split.cotangents[j]);
            let values = (("combined", got), ("the reverse rule", want));
            self.agree(
                CHECK,
                "it differs from the reverse rule",
                j,
                values.0,
                values.1,
                want.abs(),
                largest,
            );
        }
        let mut shadows = self.random.numbers(n);
        for (shadow, input) in shadows.iter_mut().zip(self.subject.inputs()) {
            if input.passed == Passed::Unique {
                *shadow = 0.0;
            }
        }
        if let Some(added) = self.subject.combined(Seeds {
            outputs: &seed,
            shadows: &shadows,
        }) {
            self.accumulated(CHECK, &added, &combined, &shadows, |passed| {
                passed != Passed::Unique
            });
        }
    }

    // Second order.

    fn second_order(&mut self) {
        const CHECK: &str = "the reverse rule of second order";
        let (n, m) = (self.still.len(), self.value.floats.len());
        let (seed, seed_dot) = (self.random.numbers(m), self.random.numbers(m));
        let probed = self.random.indices(n, COMPONENTS_OF_SECOND_ORDER);
        let zeros = self.still.clone();
        let first = self.rrule(&seed, &zeros);
        let of_seed = self.rrule(&seed_dot, &zeros).cotangents;
        let largest = first
            .cotangents
            .iter()
            .map(|b| b.abs())
            .filter(|b| b.is_finite())
            .fold(0.0, f64::max);
        let mut rows: Vec<(usize, Vec<f64>)> = Vec::new();
        for (k, j) in probed.iter().copied().enumerate() {
            let direction = unit(n, j, 1.0);
            let dots = Dots {
                arguments: &direction,
                outputs: &seed_dot,
                shadows: &zeros,
            };
            let seeds = Seeds {
                outputs: &seed,
                shadows: &zeros,
            };
            let second = self.subject.rrule_frule(seeds, dots);
            if k == 0 {
                self.same_value(CHECK, &second.outputs);
                self.restored(CHECK, &second);
                self.restored_tangents(CHECK, &second, &direction);
                self.first_order_part(CHECK, &second, &first, &direction, largest);
                self.accumulated_second(CHECK, &second, seeds.outputs, dots);
            }
            let alone = Dots {
                arguments: &direction,
                outputs: &vec![0.0; m],
                shadows: &zeros,
            };
            let alone = self.subject.rrule_frule(seeds, alone);
            self.second_of_seed(CHECK, &second, &alone, &of_seed);
            self.second_against_differences(CHECK, j, &alone, &seed, &of_seed);
            rows.push((j, alone.cotangent_tangents));
        }
        self.symmetric(CHECK, &rows);
        self.combined_second_order(&seed, &seed_dot);
    }

    /// The value's tangent is that of the forward rule, the cotangents are those of the reverse rule.
    fn first_order_part(
        &mut self,
        check: &'static str,
        second: &Reverse,
        first: &Reverse,
        direction: &[f64],
        largest: f64,
    ) {
        let (_, tangents) = self.subject.frule(&self.still, direction);
        for (i, (got, want)) in second.tangents.iter().zip(&tangents).enumerate() {
            self.comparisons += 1;
            if !self.precision.agree(*got, *want, want.abs(), 0.0) {
                self.findings.push(Finding {
                    output: self.output(i),
                    values: vec![("second order", *got), ("the forward rule", *want)],
                    ..failure(
                        check,
                        "the tangent of its value differs from the forward rule",
                    )
                });
            }
        }
        for (j, want) in first.cotangents.iter().enumerate() {
            let got = ("second order", second.cotangents[j]);
            let problem = "its cotangents differ from those of the reverse rule";
            self.agree(
                check,
                problem,
                j,
                got,
                ("the reverse rule", *want),
                want.abs(),
                largest,
            );
        }
    }

    fn restored_tangents(&mut self, check: &'static str, second: &Reverse, direction: &[f64]) {
        for (j, (after, before)) in second.argument_tangents.iter().zip(direction).enumerate() {
            let (after, before) = (("after the pullback", *after), ("at first", *before));
            self.agree(
                check,
                "the argument's tangent is not restored",
                j,
                after,
                before,
                0.0,
                0.0,
            );
        }
    }

    /// Both parts of shadows are added to.
    fn accumulated_second(
        &mut self,
        check: &'static str,
        from_zero: &Reverse,
        outputs: &[f64],
        dots: Dots<'_>,
    ) {
        let (shadows, shadow_dots) = (
            self.random.numbers(self.still.len()),
            self.random.numbers(self.still.len()),
        );
        let seeds = Seeds {
            outputs,
            shadows: &shadows,
        };
        let added = self.subject.rrule_frule(
            seeds,
            Dots {
                shadows: &shadow_dots,
                ..dots
            },
        );
        self.accumulated(check, &added, from_zero, &shadows, |passed| {
            passed == Passed::Shared
        });
        for (j, input) in self.subject.inputs().to_vec().iter().enumerate() {
            let (got, fresh) = (added.cotangent_tangents[j], from_zero.cotangent_tangents[j]);
            let held = if input.passed == Passed::Shared {
                shadow_dots[j]
            } else {
                0.0
            };
            let problem =
                "the tangent of its cotangent isn't added to what the shadow's tangent holds";
            let size = fresh.abs() + held.abs();
            self.agree(
                check,
                problem,
                j,
                ("with a shadow", got),
                ("expected", fresh + held),
                size,
                0.0,
            );
        }
    }

    /// The tangents of cotangents are those with a constant seed, and the reverse rule's cotangents of the seed's tangent.
    fn second_of_seed(
        &mut self,
        check: &'static str,
        second: &Reverse,
        alone: &Reverse,
        of_seed: &[f64],
    ) {
        let largest = (second.cotangent_tangents.iter().chain(of_seed))
            .map(|h| h.abs())
            .filter(|h| h.is_finite())
            .fold(0.0, f64::max);
        for (k, of_seed) in of_seed.iter().enumerate() {
            let (got, alone) = (second.cotangent_tangents[k], alone.cotangent_tangents[k]);
            let size = alone.abs() + of_seed.abs();
            let problem =
                "it isn't that of a constant seed and the reverse rule of the seed's tangent";
            let expected = ("expected", alone + of_seed);
            self.agree(
                check,
                problem,
                k,
                ("the rule", got),
                expected,
                size,
                largest,
            );
        }
    }

    /// The tangents of cotangents are differences of the reverse rule. The seed is constant: with it steps of the argument would show that are
    /// lost in the function. What differences don't tell of a small derivative they may tell of its sum with `of_seed`.
    fn second_against_differences(
        &mut self,
        check: &'static str,
        j: usize,
        second: &Reverse,
        seed: &[f64],
        of_seed: &[f64],
    ) {
        let inputs = self.subject.inputs().to_vec();
        let Entry {
            value,
            epsilon,
            ref name,
            movable,
            ..
        } = inputs[j];
        if self.kinks || !movable {
            return;
        }
        let n = self.still.len();
        let sample = |step: f64| -> Sample {
            let shift = unit(n, j, step);
            // The reverse rule runs only where the function does.
            let (_, outputs) = self.sample(&shift, step)?;
            if !outputs.iter().all(|y| y.is_finite()) {
                return None;
            }
            let taken = rounded(value + step, epsilon) - value;
            let seeds = Seeds {
                outputs: seed,
                shadows: &self.still,
            };
            Some((
                taken,
                self.subject.rrule(&shift, seeds, &mut || ()).cotangents,
            ))
        };
        let first = self.rrule(seed, &self.still.clone());
        let steps = Steps::of(value, self.precision.0);
        let found = differences(&sample, &first.cotangents, steps, self.precision.0);
        let largest = (second.cotangent_tangents.iter())
            .map(|h| h.abs())
            .filter(|h| h.is_finite())
            .fold(0.0, f64::max);
        for (k, found) in found.iter().enumerate() {
            let of = alloc::format!("the cotangent of `{}`", inputs[k].name);
            let rule = second.cotangent_tangents[k];
            let mut verdict = self.precision.judge_second(rule, found, largest);
            if matches!(verdict, Verdict::Inconclusive(..)) && of_seed[k].is_finite() {
                let sum = found.plus(of_seed[k]);
                verdict = (self.precision).judge_second(rule + of_seed[k], &sum, largest);
            }
            self.judged(check, Some(name.as_str()), Some(of), rule, verdict);
        }
    }

    fn symmetric(&mut self, check: &'static str, rows: &[(usize, Vec<f64>)]) {
        let largest = rows
            .iter()
            .flat_map(|(_, row)| row)
            .map(|h| h.abs())
            .filter(|h| h.is_finite())
            .fold(0.0, f64::max);
        for (k, (i, row)) in rows.iter().enumerate() {
            for (j, other) in &rows[..k] {
                let (a, b) = (row[*j], other[*i]);
                let name = self.subject.inputs()[*j].name.clone();
                self.comparisons += 1;
                if !self.precision.agree(a, b, 10.0 * a.abs(), largest) {
                    self.findings.push(Finding {
                        output: Some(alloc::format!("the cotangent of `{name}`")),
                        input: Some(self.subject.inputs()[*i].name.clone()),
                        values: vec![("the derivative", a), ("with both exchanged", b)],
                        ..failure(check, "it isn't symmetric")
                    });
                }
            }
        }
    }

    fn combined_second_order(&mut self, seed: &[f64], seed_dot: &[f64]) {
        const CHECK: &str = "the combined rule of `hvp`";
        let n = self.still.len();
        let direction = self.random.numbers(n);
        let (mut seed, mut seed_dot) = (seed.to_vec(), seed_dot.to_vec());
        let results = self
            .subject
            .outputs()
            .iter()
            .take_while(|output| output.passed != Passed::Unique)
            .count();
        seed[results..].fill(0.0);
        seed_dot[results..].fill(0.0);
        let zeros = self.still.clone();
        let seeds = Seeds {
            outputs: &seed,
            shadows: &zeros,
        };
        let dots = Dots {
            arguments: &direction,
            outputs: &seed_dot,
            shadows: &zeros,
        };
        let Some(combined) = self.subject.combined_frule(seeds, dots) else {
            return;
        };
        self.restored(CHECK, &combined);
        let split = self.subject.rrule_frule(seeds, dots);
        let finite = |all: &[f64]| {
            all.iter()
                .map(|b| b.abs())
                .filter(|b| b.is_finite())
                .fold(0.0, f64::max)
        };
        let (first, second) = (finite(&split.cotangents), finite(&split.cotangent_tangents));
        for j in 0..n {
            let got = ("combined", combined.cotangents[j]);
            let want = ("the reverse rule", split.cotangents[j]);
            self.agree(
                CHECK,
                "its cotangents differ from the reverse rule's",
                j,
                got,
                want,
                want.1.abs(),
                first,
            );
            let got = ("combined", combined.cotangent_tangents[j]);
            let want = ("the reverse rule", split.cotangent_tangents[j]);
            self.agree(
                CHECK,
                "it differs from the reverse rule of second order",
                j,
                got,
                want,
                10.0 * want.1.abs(),
                second,
            );
        }
    }

    // Reports.

    fn output(&self, i: usize) -> Option<String> {
        self.subject
            .outputs()
            .get(i)
            .map(|output| output.name.clone())
    }

    fn inconclusive(&mut self, check: &'static str, problem: String) {
        self.findings
            .push(finding(Outcome::Inconclusive, check, problem));
    }
}

fn failure(check: &'static str, problem: &str) -> Finding {
    finding(Outcome::Failed, check, problem.to_string())
}

fn finding(outcome: Outcome, check: &'static str, problem: String) -> Finding {
    Finding {
        outcome,
        check,
        input: None,
        output: None,
        problem,
        values: Vec::new(),
        error: None,
        step: None,
    }
}

/// The sum of products, and that of their absolute values.
fn inner(a: &[f64], b: &[f64]) -> (f64, f64) {
    let terms = a.iter().zip(b).map(|(a, b)| a * b);
    terms.fold((0.0, 0.0), |(sum, size), term| {
        (sum + term, size + term.abs())
    })
}

/// Equal, bit for bit.
fn same(a: &Snapshot, b: &Snapshot) -> bool {
    let bits = |all: &[f64]| all.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
    a.fixed == b.fixed && bits(&a.floats) == bits(&b.floats)
}

/// The nearest number of the type with this epsilon.
#[allow(
    clippy::cast_possible_truncation,
    reason = "rounding is what is wanted"
)]
fn rounded(x: f64, epsilon: f64) -> f64 {
    if epsilon > f64::EPSILON {
        f64::from(x as f32)
    } else {
        x
    }
}
