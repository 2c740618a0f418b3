//! One row of the benchmarks: a function, its gradient by chainrule, and its gradient by hand.

use std::hint::black_box;

/// A function on fixed input with two gradients.
pub struct Case {
    name: &'static str,
    problem: Box<dyn Problem>,
    /// The size of the largest numbers whose difference is a component of the gradient.
    cancelling: f64,
    /// How far the hand-written gradient and chainrule's may be apart, in units of the largest component.
    tolerance: f64,
}

/// What is run.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Which {
    /// The function itself.
    Primal,
    /// Value and gradient by chainrule.
    Ours,
    /// Value and gradient by a hand-written adjoint.
    Hand,
    /// Nothing but the call, whose cost is to be subtracted.
    Empty,
}

impl Case {
    /// A case on `input`; `gradient` has the shape of the gradient, whatever it holds.
    ///
    /// `ours` and `hand` overwrite their second argument and return the value.
    pub fn new<I: 'static, G: Gradient>(
        name: &'static str,
        input: I,
        gradient: G,
        primal: fn(&I) -> f64,
        ours: fn(&I, &mut G) -> f64,
        hand: fn(&I, &mut G) -> f64,
    ) -> Case {
        let problem = Box::new(Typed {
            inputs: vec![input],
            gradient,
            last: 0,
            primal,
            ours,
            hand,
        });
        Case {
            name,
            problem,
            cancelling: 0.0,
            tolerance: 1e-12,
        }
    }

    /// Components of the gradient are differences of numbers of this size, and have their rounding.
    #[must_use]
    pub fn cancelling(self, cancelling: f64) -> Case {
        Case { cancelling, ..self }
    }

    /// The name of the row.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Runs it once and returns the value.
    #[inline]
    pub fn run(&mut self, which: Which) -> f64 {
        self.problem.run(which)
    }

    /// Runs it `calls` times, and once before that, which warms it up.
    pub fn run_counted(&mut self, which: Which, calls: u32) {
        black_box(self.run(which));
        counted(self, which, calls);
    }

    /// Compares chainrule's value and gradient with the hand-written ones.
    ///
    /// # Panics
    ///
    /// When they differ by more than rounding explains, or when one of them leaves a part of the gradient as it
    /// was.
    pub fn check(&mut self) {
        let Case {
            name, tolerance, ..
        } = *self;
        let primal = self.run(Which::Primal);
        let (ours, our_gradient) = self.problem.fresh(Which::Ours);
        let (hand, hand_gradient) = self.problem.fresh(Which::Hand);
        for (label, value) in [("chainrule's", ours), ("the hand-written", hand)] {
            assert!(
                (value - primal).abs() <= tolerance * primal.abs(),
                "{name}: {label} value is {value}, the function's {primal}"
            );
        }
        let largest = hand_gradient
            .iter()
            .fold(self.cancelling, |a: f64, b| a.max(b.abs()));
        for (i, (ours, hand)) in our_gradient.iter().zip(&hand_gradient).enumerate() {
            assert!(
                (ours - hand).abs() <= tolerance * largest,
                "{name}: component {i} of the gradient is {ours}, by hand {hand}"
            );
        }
    }
}

/// A case with its types erased.
trait Problem {
    fn run(&mut self, which: Which) -> f64;

    /// The value and the gradient, computed into a buffer of NaN.
    fn fresh(&mut self, which: Which) -> (f64, Vec<f64>);
}

struct Typed<I, G> {
    /// One input only, but its index is not known before the call before has ended.
    inputs: Vec<I>,
    gradient: G,
    /// Bits of what the call before computed.
    last: u64,
    primal: fn(&I) -> f64,
    ours: fn(&I, &mut G) -> f64,
    hand: fn(&I, &mut G) -> f64,
}

impl<I, G: Gradient> Problem for Typed<I, G> {
    fn run(&mut self, which: Which) -> f64 {
        // Calls of a few nanoseconds would overlap otherwise.
        let index = usize::from(black_box(self.last) & black_box(0) != 0);
        let input = &self.inputs[black_box(index)];
        let gradient = &mut self.gradient;
        let value = match which {
            Which::Primal => black_box(self.primal)(input),
            Which::Ours => black_box(self.ours)(input, gradient),
            Which::Hand => black_box(self.hand)(input, gradient),
            Which::Empty => black_box((|_| 0.0) as fn(&I) -> f64)(input),
        };
        self.last = value.to_bits() ^ self.gradient.ends();
        value
    }

    fn fresh(&mut self, which: Which) -> (f64, Vec<f64>) {
        self.gradient.fill(f64::NAN);
        let value = self.run(which);
        let mut components = Vec::new();
        self.gradient.append_to(&mut components);
        (value, components)
    }
}

/// The calls that `callgrind.sh` counts the instructions of; it knows this function by its name.
#[inline(never)]
fn counted(case: &mut Case, which: Which, calls: u32) {
    for _ in 0..calls {
        black_box(case.run(which));
    }
}

/// The adjoint by hand that all forms of a kernel are compared with.
pub struct Hand<I, G> {
    input: I,
    gradient: G,
    adjoint: fn(&I, &mut G) -> f64,
}

impl<I: Clone + 'static, G: Gradient + Clone> Hand<I, G> {
    /// An adjoint that overwrites `gradient`.
    pub fn new(input: I, gradient: G, adjoint: fn(&I, &mut G) -> f64) -> Hand<I, G> {
        Hand {
            input,
            gradient,
            adjoint,
        }
    }

    /// A case that compares a form, whose input and gradient have types of their own, with this adjoint. The components
    /// of the gradients stand in the same order.
    ///
    /// Forms sum in orders of their own, so that the gradients are compared with a tolerance of 1e-9.
    pub fn form<J: 'static, F: Gradient>(
        &self,
        name: &'static str,
        input: J,
        gradient: F,
        primal: fn(&J) -> f64,
        ours: fn(&J, &mut F) -> f64,
    ) -> Case {
        let form = Typed {
            inputs: vec![input],
            gradient,
            last: 0,
            primal,
            ours,
            hand: ours,
        };
        let hand = Typed {
            inputs: vec![self.input.clone()],
            gradient: self.gradient.clone(),
            last: 0,
            primal: |_| 0.0,
            ours: self.adjoint,
            hand: self.adjoint,
        };
        Case {
            name,
            problem: Box::new(Pair { form, hand }),
            cancelling: 0.0,
            tolerance: 1e-9,
        }
    }
}

/// A form and the adjoint by hand of its kernel.
struct Pair<J, F, I, G> {
    form: Typed<J, F>,
    hand: Typed<I, G>,
}

impl<J, F: Gradient, I, G: Gradient> Problem for Pair<J, F, I, G> {
    fn run(&mut self, which: Which) -> f64 {
        match which {
            Which::Hand => self.hand.run(which),
            _ => self.form.run(which),
        }
    }

    fn fresh(&mut self, which: Which) -> (f64, Vec<f64>) {
        match which {
            Which::Hand => self.hand.fresh(which),
            _ => self.form.fresh(which),
        }
    }
}

/// A gradient with the buffers that an adjoint keeps from call to call.
#[derive(Clone)]
pub struct With<G, S> {
    /// The buffers that the adjoint overwrites.
    pub gradient: G,
    /// Its scratch memory.
    pub scratch: S,
}

impl<G: Gradient, S: 'static> Gradient for With<G, S> {
    fn fill(&mut self, value: f64) {
        self.gradient.fill(value);
    }

    fn append_to(&self, components: &mut Vec<f64>) {
        self.gradient.append_to(components);
    }

    fn ends(&self) -> u64 {
        self.gradient.ends()
    }
}

/// What a gradient is computed into: a number or a vector for each argument.
pub trait Gradient: 'static {
    /// Sets every component.
    fn fill(&mut self, value: f64);

    /// Appends every component to `components`.
    fn append_to(&self, components: &mut Vec<f64>);

    /// Bits that depend on the first and the last component.
    fn ends(&self) -> u64;
}

impl Gradient for f64 {
    fn fill(&mut self, value: f64) {
        *self = value;
    }

    fn append_to(&self, components: &mut Vec<f64>) {
        components.push(*self);
    }

    fn ends(&self) -> u64 {
        self.to_bits()
    }
}

impl<G: Gradient, const N: usize> Gradient for [G; N] {
    fn fill(&mut self, value: f64) {
        self.iter_mut().for_each(|x| x.fill(value));
    }

    fn append_to(&self, components: &mut Vec<f64>) {
        self.iter().for_each(|x| x.append_to(components));
    }

    fn ends(&self) -> u64 {
        let bits = |x: Option<&G>| x.map_or(0, Gradient::ends);
        bits(self.first()) ^ bits(self.last())
    }
}

impl<G: Gradient> Gradient for Vec<G> {
    fn fill(&mut self, value: f64) {
        self.iter_mut().for_each(|x| x.fill(value));
    }

    fn append_to(&self, components: &mut Vec<f64>) {
        self.iter().for_each(|x| x.append_to(components));
    }

    fn ends(&self) -> u64 {
        let bits = |x: Option<&G>| x.map_or(0, Gradient::ends);
        bits(self.first()) ^ bits(self.last())
    }
}

macro_rules! tuples {
    ($(($($name:ident)*))*) => {$(
        #[allow(non_snake_case, reason = "each variable is called like its type")]
        impl<$($name: Gradient),*> Gradient for ($($name,)*) {
            fn fill(&mut self, value: f64) {
                let ($($name,)*) = self;
                $($name.fill(value);)*
            }

            fn append_to(&self, components: &mut Vec<f64>) {
                let ($($name,)*) = self;
                $($name.append_to(components);)*
            }

            fn ends(&self) -> u64 {
                let ($($name,)*) = self;
                0 $(^ $name.ends())*
            }
        }
    )*};
}

tuples! { (A B) (A B C) (A B C D) }

/// Implements [`Gradient`] for tangents of structs, field by field.
#[macro_export]
macro_rules! gradient_of_structs {
    ($($name:ident { $($field:ident),* })*) => {$(
        impl $crate::harness::case::Gradient for $name {
            fn fill(&mut self, value: f64) {
                $($crate::harness::case::Gradient::fill(&mut self.$field, value);)*
            }

            fn append_to(&self, components: &mut Vec<f64>) {
                $($crate::harness::case::Gradient::append_to(&self.$field, components);)*
            }

            fn ends(&self) -> u64 {
                0 $(^ $crate::harness::case::Gradient::ends(&self.$field))*
            }
        }
    )*};
}
