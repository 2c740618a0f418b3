//! [`Subject`]: a function, its rules and its arguments, with everything that is differentiated as rows of floats.

use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::arguments::{Arguments, Feed, Part, Passed, read};
use crate::{Component, Components, Differentiable, Dual, Place, Tan};

/// The rules of a function, as the macro passes them. Each takes all arguments; a reverse rule also takes the code that
/// runs between its halves: it is given the arguments and the result, and returns the cotangent of the result.
#[allow(missing_docs, clippy::type_complexity, reason = "the shapes of rules")]
pub struct Rules<'a, A, R: Differentiable> {
    pub primal: &'a dyn Fn(&mut A) -> R,
    pub frule: &'a dyn Fn(&mut A) -> Dual<R, Tan<R>>,
    pub rrule: &'a dyn Fn(&mut A, &mut dyn FnMut(&mut A, R) -> Tan<R>),
    pub rrule_frule:
        Option<&'a dyn Fn(&mut A, &mut dyn FnMut(&mut A, Dual<R, Tan<R>>) -> Dual<Tan<R>, Tan<R>>)>,
    pub combined: &'a dyn Fn(&mut A, Tan<R>) -> Option<R>,
    pub combined_frule: Option<&'a dyn Fn(&mut A, Dual<Tan<R>, Tan<R>>) -> Option<Dual<R, Tan<R>>>>,
}

/// The components of a value.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Snapshot {
    pub(super) floats: Vec<f64>,
    pub(super) fixed: Vec<u64>,
}

impl Snapshot {
    fn add(&mut self, component: Component) {
        match component {
            Component::Float { value, .. } => self.floats.push(value),
            Component::Fixed(hash) => self.fixed.push(hash),
            Component::Opaque(_) => {}
        }
    }
}

/// One float of an argument or of a result.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    /// Its name in reports: `theta[3]`.
    pub(super) name: String,
    pub(super) value: f64,
    pub(super) epsilon: f64,
    pub(super) movable: bool,
    pub(super) passed: Passed,
}

/// The outcome of a reverse rule.
#[derive(Clone, Debug, Default)]
pub(super) struct Reverse {
    pub(super) outputs: Snapshot,
    /// Tangents of the outputs, in second order.
    pub(super) tangents: Vec<f64>,
    /// Cotangents of the inputs, with the initial content of shadows.
    pub(super) cotangents: Vec<f64>,
    /// Their tangents, in second order.
    pub(super) cotangent_tangents: Vec<f64>,
    /// The arguments, afterwards.
    pub(super) arguments: Snapshot,
    /// Tangents of the arguments, afterwards, in second order.
    pub(super) argument_tangents: Vec<f64>,
}

/// The operands of a reverse rule.
#[derive(Clone, Copy)]
pub(super) struct Seeds<'a> {
    /// Cotangents of the outputs.
    pub(super) outputs: &'a [f64],
    /// The initial content of shadows, one number for each input.
    pub(super) shadows: &'a [f64],
}

/// The tangents of all that goes into a reverse rule.
#[derive(Clone, Copy)]
pub(super) struct Dots<'a> {
    pub(super) arguments: &'a [f64],
    pub(super) outputs: &'a [f64],
    pub(super) shadows: &'a [f64],
}

/// A function with its rules, in floats.
pub(super) trait Subject {
    fn inputs(&self) -> &[Entry];
    fn outputs(&self) -> &[Entry];
    /// Types that don't expose their components, and whose tangents have another number of entries than they have floats.
    fn unreadable(&self) -> &[String];
    fn has_second_order(&self) -> bool;
    /// The arguments as they are at first.
    fn arguments(&self) -> Snapshot;
    /// The outputs at moved arguments; nothing if the function panics there.
    fn primal(&self, shift: &[f64]) -> Option<Snapshot>;
    fn frule(&self, shift: &[f64], direction: &[f64]) -> (Snapshot, Vec<f64>);
    /// `between` runs between the two halves.
    fn rrule(&self, shift: &[f64], seeds: Seeds<'_>, between: &mut dyn FnMut()) -> Reverse;
    fn rrule_frule(&self, seeds: Seeds<'_>, dots: Dots<'_>) -> Reverse;
    fn combined(&self, seeds: Seeds<'_>) -> Option<Reverse>;
    fn combined_frule(&self, seeds: Seeds<'_>, dots: Dots<'_>) -> Option<Reverse>;
}

pub(super) struct Held<'a, A, R: Differentiable> {
    pub(super) rules: Rules<'a, A, R>,
    arguments: A,
    inputs: Vec<Entry>,
    outputs: Vec<Entry>,
    unreadable: Vec<String>,
    /// The number of floats of the result itself.
    result: usize,
}

impl<'a, A: Arguments, R: Differentiable> Held<'a, A, R> {
    pub(super) fn new(rules: Rules<'a, A, R>, arguments: A, names: &[&str]) -> Self {
        let mut held = Held {
            rules,
            arguments,
            inputs: Vec::new(),
            outputs: Vec::new(),
            unreadable: Vec::new(),
            result: 0,
        };
        held.describe(names);
        held
    }

    /// Lists inputs and outputs.
    fn describe(&mut self, names: &[&str]) {
        let mut unreadable = Vec::new();
        let mut inputs = Vec::new();
        self.arguments.each(&mut |i, passed, argument| {
            let mut dot = Vec::new();
            argument.read(Part::Dot, &mut dot);
            entries(
                names[i],
                passed,
                dot.len(),
                &mut inputs,
                &mut unreadable,
                &mut |visit| {
                    argument.visit(visit);
                },
            );
        });
        let mut arguments = self.arguments.fresh();
        let y = (self.rules.primal)(&mut arguments);
        let mut outputs = Vec::new();
        let mut y_dot = Vec::new();
        read(&y.zero_tangent(), &mut y_dot);
        entries(
            "the result",
            Passed::Owned,
            y_dot.len(),
            &mut outputs,
            &mut unreadable,
            &mut |visit| {
                y.visit_components(&mut Components::new(visit));
            },
        );
        self.result = outputs.len();
        arguments.each_mut(&mut |i, passed, argument| {
            if passed == Passed::Unique {
                argument.reshape();
                let mut bar = Vec::new();
                argument.read(Part::Bar, &mut bar);
                let name = alloc::format!("the final {}", names[i]);
                entries(
                    &name,
                    passed,
                    bar.len(),
                    &mut outputs,
                    &mut unreadable,
                    &mut |visit| {
                        argument.visit(visit);
                    },
                );
            }
        });
        (self.inputs, self.outputs, self.unreadable) = (inputs, outputs, unreadable);
    }

    fn moved(&self, shift: &[f64]) -> A {
        let mut arguments = self.arguments.fresh();
        let mut feed = Feed::new(shift);
        arguments.each_mut(&mut |_, _, argument| argument.shift(&mut feed));
        arguments
    }

    /// The result, then the final content of `&mut` arguments.
    fn results(y: &R, arguments: &A) -> Snapshot {
        let mut all = Snapshot::default();
        y.visit_components(&mut Components::new(&mut |_, component| all.add(component)));
        arguments.each(&mut |_, passed, argument| {
            if passed == Passed::Unique {
                argument.visit(&mut |_, component| all.add(component));
            }
        });
        all
    }

    fn snapshot(arguments: &A) -> Snapshot {
        let mut all = Snapshot::default();
        arguments
            .each(&mut |_, _, argument| argument.visit(&mut |_, component| all.add(component)));
        all
    }

    fn all(arguments: &A, part: Part, which: &dyn Fn(Passed) -> bool) -> Vec<f64> {
        let mut all = Vec::new();
        arguments.each(&mut |_, passed, argument| {
            if which(passed) {
                argument.read(part, &mut all);
            }
        });
        all
    }

    /// Fills tangents from a row with one number for each input.
    fn fill(arguments: &mut A, part: Part, numbers: &[f64]) {
        let mut feed = Feed::new(numbers);
        arguments.each_mut(&mut |_, _, argument| argument.fill(part, &mut feed));
    }

    /// Fills the cotangents of outputs: of the result, and those in `&mut` arguments.
    fn seed(y: &R, arguments: &mut A, part: Part, numbers: &[f64]) -> Tan<R> {
        let mut feed = Feed::new(numbers);
        let mut y_bar = y.zero_tangent();
        feed.fill(&mut y_bar);
        arguments.each_mut(&mut |_, passed, argument| {
            if passed == Passed::Unique {
                argument.fill(part, &mut feed);
            }
        });
        y_bar
    }

    /// The arguments with the initial content of shadows; shadows of `&mut` arguments represent outputs, and aren't touched.
    fn with_shadows(&self, shift: &[f64], shadows: &[f64]) -> A {
        let mut arguments = self.moved(shift);
        Self::fill(&mut arguments, Part::Bar, shadows);
        arguments
    }

    fn after(arguments: &A, outputs: Snapshot, tangents: Vec<f64>) -> Reverse {
        Reverse {
            outputs,
            tangents,
            cotangents: Self::all(arguments, Part::Bar, &|_| true),
            cotangent_tangents: Self::all(arguments, Part::BarDot, &|_| true),
            arguments: Self::snapshot(arguments),
            argument_tangents: Self::all(arguments, Part::Dot, &|_| true),
        }
    }

    fn reshape(arguments: &mut A) {
        arguments.each_mut(&mut |_, passed, argument| {
            if passed == Passed::Unique {
                argument.reshape();
            }
        });
    }
}

/// Takes components.
type Visit<'a> = dyn FnMut(&Place<'_>, Component) + 'a;

/// Appends one entry for each float of a value whose tangent has `n` entries.
fn entries(
    name: &str,
    passed: Passed,
    n: usize,
    all: &mut Vec<Entry>,
    unreadable: &mut Vec<String>,
    visit: &mut dyn FnMut(&mut Visit<'_>),
) {
    let before = all.len();
    let mut opaque = None;
    visit(&mut |place, component| match component {
        Component::Float {
            value,
            epsilon,
            movable,
        } => all.push(Entry {
            name: alloc::format!("{name}{place}"),
            value,
            epsilon,
            movable,
            passed,
        }),
        Component::Fixed(_) => {}
        Component::Opaque(of) => opaque = Some(of),
    });
    let found = all.len() - before;
    if let Some(of) = opaque {
        unreadable.push(alloc::format!(
            "`{name}`: `{of}` has no `visit_components`, so that its value can't be read"
        ));
    } else if found != n {
        unreadable.push(alloc::format!(
            "`{name}` has {found} floats, its tangent {n} entries"
        ));
    }
}

impl<A: Arguments, R: Differentiable> Subject for Held<'_, A, R> {
    fn inputs(&self) -> &[Entry] {
        &self.inputs
    }

    fn outputs(&self) -> &[Entry] {
        &self.outputs
    }

    fn unreadable(&self) -> &[String] {
        &self.unreadable
    }

    fn has_second_order(&self) -> bool {
        self.rules.rrule_frule.is_some()
    }

    fn arguments(&self) -> Snapshot {
        Self::snapshot(&self.arguments)
    }

    fn primal(&self, shift: &[f64]) -> Option<Snapshot> {
        let run = || {
            let mut arguments = self.moved(shift);
            let y = (self.rules.primal)(&mut arguments);
            Self::results(&y, &arguments)
        };
        catch_unwind(AssertUnwindSafe(run)).ok()
    }

    fn frule(&self, shift: &[f64], direction: &[f64]) -> (Snapshot, Vec<f64>) {
        let mut arguments = self.moved(shift);
        Self::fill(&mut arguments, Part::Dot, direction);
        let Dual(y, y_dot) = (self.rules.frule)(&mut arguments);
        let mut tangents = Vec::new();
        read(&y_dot, &mut tangents);
        tangents.extend(Self::all(&arguments, Part::Dot, &|passed| {
            passed == Passed::Unique
        }));
        (Self::results(&y, &arguments), tangents)
    }

    fn rrule(&self, shift: &[f64], seeds: Seeds<'_>, between: &mut dyn FnMut()) -> Reverse {
        let mut arguments = self.with_shadows(shift, seeds.shadows);
        let mut outputs = None;
        (self.rules.rrule)(&mut arguments, &mut |arguments, y| {
            outputs = Some(Self::results(&y, arguments));
            Self::reshape(arguments);
            between();
            Self::seed(&y, arguments, Part::Bar, seeds.outputs)
        });
        Self::after(&arguments, outputs.unwrap_or_default(), Vec::new())
    }

    fn rrule_frule(&self, seeds: Seeds<'_>, dots: Dots<'_>) -> Reverse {
        let still = vec![0.0; self.inputs.len()];
        let mut arguments = self.with_shadows(&still, seeds.shadows);
        Self::fill(&mut arguments, Part::Dot, dots.arguments);
        Self::fill(&mut arguments, Part::BarDot, dots.shadows);
        let (mut outputs, mut tangents) = (None, Vec::new());
        if let Some(rule) = self.rules.rrule_frule {
            rule(&mut arguments, &mut |arguments, Dual(y, y_dot)| {
                outputs = Some(Self::results(&y, arguments));
                read(&y_dot, &mut tangents);
                let state = Self::all(arguments, Part::Dot, &|passed| passed == Passed::Unique);
                tangents.extend(state);
                Self::reshape(arguments);
                Dual(
                    Self::seed(&y, arguments, Part::Bar, seeds.outputs),
                    Self::seed(&y, arguments, Part::BarDot, dots.outputs),
                )
            });
        }
        Self::after(&arguments, outputs.unwrap_or_default(), tangents)
    }

    fn combined(&self, seeds: Seeds<'_>) -> Option<Reverse> {
        let still = vec![0.0; self.inputs.len()];
        let mut plain = self.moved(&still);
        let y = (self.rules.primal)(&mut plain);
        let mut arguments = self.with_shadows(&still, seeds.shadows);
        let y_bar = Self::seed(&y, &mut arguments, Part::Bar, seeds.outputs);
        let y = (self.rules.combined)(&mut arguments, y_bar)?;
        let mut outputs = Snapshot::default();
        y.visit_components(&mut Components::new(&mut |_, component| {
            outputs.add(component);
        }));
        Some(Self::after(&arguments, outputs, Vec::new()))
    }

    fn combined_frule(&self, seeds: Seeds<'_>, dots: Dots<'_>) -> Option<Reverse> {
        let still = vec![0.0; self.inputs.len()];
        let mut plain = self.moved(&still);
        let y = (self.rules.primal)(&mut plain);
        let mut arguments = self.with_shadows(&still, seeds.shadows);
        Self::fill(&mut arguments, Part::Dot, dots.arguments);
        Self::fill(&mut arguments, Part::BarDot, dots.shadows);
        let seed = Dual(
            Self::seed(&y, &mut arguments, Part::Bar, seeds.outputs),
            Self::seed(&y, &mut arguments, Part::BarDot, dots.outputs),
        );
        let Dual(y, y_dot) = (self.rules.combined_frule?)(&mut arguments, seed)?;
        let mut outputs = Snapshot::default();
        y.visit_components(&mut Components::new(&mut |_, component| {
            outputs.add(component);
        }));
        let mut tangents = Vec::new();
        read(&y_dot, &mut tangents);
        Some(Self::after(&arguments, outputs, tangents))
    }
}

/// A unit vector.
pub(super) fn unit(n: usize, i: usize, length: f64) -> Vec<f64> {
    let mut unit = vec![0.0; n];
    unit[i] = length;
    unit
}

/// How a value is written in reports.
pub(super) fn written(value: f64) -> String {
    if value == 0.0 || (1e-3..1e6).contains(&value.abs()) {
        value.to_string()
    } else {
        alloc::format!("{value:e}")
    }
}
