//! One row of the benchmarks: a function, its gradient by chainrule, and its gradient by hand.

use std::hint::black_box;

/// A function on fixed input with two gradients.
pub struct Case {
    name: &'static str,
    problem: Box<dyn Problem>,
    /// The size of the largest numbers whose difference is a component of the gradient.
    cancelling: f64,
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

    /// Compares chainrule's value and gradient with the hand-written ones.
    ///
    /// # Panics
    ///
    /// When they differ by more than rounding explains, or when one of them leaves a part of the gradient as it
    /// was.
    pub fn check(&mut self) {
        const TOLERANCE: f64 = 1e-12;
        let name = self.name;
        let primal = self.run(Which::Primal);
        let (ours, our_gradient) = self.problem.fresh(Which::Ours);
        let (hand, hand_gradient) = self.problem.fresh(Which::Hand);
        for (label, value) in [("chainrule's", ours), ("the hand-written", hand)] {
            assert!(
                (value - primal).abs() <= TOLERANCE * primal.abs(),
                "{name}: {label} value is {value}, the function's {primal}"
            );
        }
        let largest = hand_gradient
            .iter()
            .fold(self.cancelling, |a: f64, b| a.max(b.abs()));
        for (i, (ours, hand)) in our_gradient.iter().zip(&hand_gradient).enumerate() {
            assert!(
                (ours - hand).abs() <= TOLERANCE * largest,
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

impl<const N: usize> Gradient for [f64; N] {
    fn fill(&mut self, value: f64) {
        self.as_mut_slice().fill(value);
    }

    fn append_to(&self, components: &mut Vec<f64>) {
        components.extend_from_slice(self);
    }

    fn ends(&self) -> u64 {
        self.iter().fold(0, |bits, x| bits ^ x.to_bits())
    }
}

impl Gradient for Vec<f64> {
    fn fill(&mut self, value: f64) {
        self.as_mut_slice().fill(value);
    }

    fn append_to(&self, components: &mut Vec<f64>) {
        components.extend_from_slice(self);
    }

    fn ends(&self) -> u64 {
        let bits = |x: Option<&f64>| x.map_or(0, |x| x.to_bits());
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
