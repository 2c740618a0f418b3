//! [`World`]: a communicator. [`Ranks`]: the right to communicate, inside of one evaluation of a function.

use alloc::rc::Rc;
use alloc::vec;
use alloc::vec::Vec;
use core::cell::RefCell;
use core::fmt;

use ::mpi::environment::Universe;
use ::mpi::topology::SimpleCommunicator;
use ::mpi::traits::Communicator;

use super::operation::{Lanes, Number, Operation, Phase, is_same};
use crate::{Components, Differentiable, ShapeMismatch, Tangent};

/// The processes of an MPI program that work together. A parameter of this type is `#[constant]`.
///
/// It has a communicator of its own, a duplicate of the given one, so that its messages don't meet others. If a rank panics and the panic
/// isn't caught before the world is dropped, all processes are aborted: the others would wait forever.
///
/// ```no_run
/// use chainrule::mpi::World;
///
/// let world = World::start();
/// println!("rank {} of {}", world.rank(), world.size());
/// ```
#[derive(Clone)]
pub struct World(pub(super) Rc<Inner>);

impl World {
    /// Starts MPI, and returns all processes of the program. MPI ends when the last clone is dropped.
    ///
    /// # Panics
    /// If MPI was started before: [`World::new`] takes a communicator of the crate `mpi`.
    #[track_caller]
    pub fn start() -> Self {
        let universe =
            ::mpi::initialize().expect("MPI was started before: write `World::new(&communicator)`");
        World(Rc::new(Inner {
            communicator: universe.world().duplicate(),
            _universe: Some(universe),
        }))
    }

    /// The processes of a communicator of the crate `mpi`, all of which have to call it. The caller keeps its `Universe` alive.
    pub fn new(communicator: &impl Communicator) -> Self {
        World(Rc::new(Inner {
            communicator: communicator.duplicate(),
            _universe: None,
        }))
    }

    /// The number of this process, from zero.
    pub fn rank(&self) -> usize {
        self.0.rank()
    }

    /// The number of processes.
    pub fn size(&self) -> usize {
        self.0.size()
    }

    /// Whether all ranks have the same numbers, bit for bit. All ranks have to call it.
    ///
    /// A gradient with respect to shared parameters is the same on all ranks. If it isn't, a parameter was used that didn't go through
    /// [`join`](fn@super::join).
    pub fn is_same(&self, x: &[f64]) -> bool {
        is_same(x, &self.0)
    }

    /// The communicator, for communication without derivatives.
    pub fn communicator(&self) -> &SimpleCommunicator {
        &self.0.communicator
    }
}

impl fmt::Debug for World {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rank {} of {}", self.rank(), self.size())
    }
}

/// A communicator that ends the program if its process panics. The fields are dropped in this order: MPI ends last.
pub(super) struct Inner {
    pub(super) communicator: SimpleCommunicator,
    _universe: Option<Universe>,
}

impl Inner {
    pub(super) fn rank(&self) -> usize {
        usize::try_from(self.communicator.rank()).expect("a rank isn't negative")
    }

    pub(super) fn size(&self) -> usize {
        usize::try_from(self.communicator.size()).expect("a size isn't negative")
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        if std::thread::panicking() {
            // The whole program: MPICH ends only what it knows of otherwise.
            SimpleCommunicator::world().abort(101);
        }
    }
}

/// The right to communicate, which [`join`](fn@super::join) and [`join_vec`](fn@super::join_vec) give. Each communication takes it as `&mut Ranks`.
///
/// It belongs to one evaluation: of the function itself, or of one of its derivatives. Functions take it as `ranks: &mut Ranks`, without
/// `#[constant]`. It can't be cloned, so that all communications have one order, which pullbacks reverse.
pub struct Ranks {
    pub(super) at: Rc<Inner>,
    pub(super) rule: Rule,
}

impl fmt::Debug for Ranks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rank {} of {}", self.rank(), self.size())
    }
}

/// What is evaluated.
pub(super) enum Rule {
    Value,
    Forward,
    Reverse(Rc<RefCell<Trace>>),
    Second(Rc<RefCell<Trace>>),
}

impl Rule {
    fn name(&self) -> &'static str {
        match self {
            Rule::Value => "the value",
            Rule::Forward => "the forward rule",
            Rule::Reverse(_) => "the reverse rule",
            Rule::Second(_) => "the rule of second order",
        }
    }
}

/// The communications of one evaluation whose pullbacks haven't run yet.
#[derive(Default)]
pub(super) struct Trace {
    open: Vec<usize>,
    next: usize,
    agreed: bool,
}

impl Trace {
    pub(super) fn open(&mut self, operation: Operation) -> usize {
        self.agreed |= matches!(operation, Operation::Agreed);
        self.open.push(self.next);
        self.next += 1;
        self.next - 1
    }

    #[track_caller]
    pub(super) fn close(&mut self, ticket: usize, operation: Operation) {
        let last = self.open.pop();
        assert!(
            last == Some(ticket),
            "the pullback of `{operation}` ran out of order: communications have to be reversed one by one, the last one first; \
             use all pullbacks of one evaluation, and each once"
        );
    }

    #[track_caller]
    pub(super) fn end(&self) {
        assert!(
            self.open.is_empty(),
            "{} communications were not reversed before `join`",
            self.open.len()
        );
        assert!(
            self.agreed,
            "the result of a function that calls `join` has to be the same on all ranks: return `agreed(result, &mut ranks)`"
        );
    }
}

impl Ranks {
    pub(super) fn new(at: &Rc<Inner>, rule: Rule) -> Self {
        Ranks {
            at: Rc::clone(at),
            rule,
        }
    }

    /// The number of this process, from zero.
    pub fn rank(&self) -> usize {
        self.at.rank()
    }

    /// The number of processes.
    pub fn size(&self) -> usize {
        self.at.size()
    }

    #[track_caller]
    fn belongs(&self, expected: &Rule, operation: Operation) {
        if core::mem::discriminant(&self.rule) == core::mem::discriminant(expected) {
            return;
        }
        let (given, wanted) = (self.rule.name(), expected.name());
        if matches!(expected, Rule::Value) {
            panic!(
                "`{operation}` runs without its rule inside of a derivative: its `ranks` belong to {given}; \
                 write `ranks: &mut Ranks` without `#[constant]`, in all functions that communicate"
            );
        }
        panic!(
            "{wanted} of `{operation}` got `ranks` that belong to {given}: call `join(parameter, world)` inside of the differentiated \
             function, and return `agreed(result, &mut ranks)` from it"
        );
    }

    /// The value of an operation.
    #[track_caller]
    pub(super) fn value<F: Number>(&mut self, operation: Operation, x: &[F]) -> Vec<F> {
        self.belongs(&Rule::Value, operation);
        let [y] = operation.apply(Phase::Value, [x], &self.at);
        y
    }

    /// The value and its tangent.
    #[track_caller]
    pub(super) fn forward<F: Number>(
        &mut self,
        operation: Operation,
        x: Lanes<'_, F, 2>,
    ) -> [Vec<F>; 2] {
        self.belongs(&Rule::Forward, operation);
        operation.apply(Phase::Value, x, &self.at)
    }

    /// The value, and what its pullback needs.
    #[track_caller]
    pub(super) fn reverse<F: Number>(
        &mut self,
        operation: Operation,
        x: &[F],
    ) -> (Vec<F>, Pullback) {
        self.belongs(&Rule::Reverse(Rc::default()), operation);
        let [y] = operation.apply(Phase::Value, [x], &self.at);
        let pullback = self.pullback(operation, x.len(), y.len());
        (y, pullback)
    }

    /// The value and its tangent, and what its pullback needs.
    #[track_caller]
    pub(super) fn second<F: Number>(
        &mut self,
        operation: Operation,
        x: Lanes<'_, F, 2>,
    ) -> ([Vec<F>; 2], Pullback) {
        self.belongs(&Rule::Second(Rc::default()), operation);
        let y = operation.apply(Phase::Value, x, &self.at);
        let pullback = self.pullback(operation, x[0].len(), y[0].len());
        (y, pullback)
    }

    fn pullback(&self, operation: Operation, inputs: usize, outputs: usize) -> Pullback {
        let (Rule::Reverse(trace) | Rule::Second(trace)) = &self.rule else {
            unreachable!("other rules have no pullbacks")
        };
        Pullback {
            at: Rc::clone(&self.at),
            ticket: trace.borrow_mut().open(operation),
            trace: Rc::clone(trace),
            operation,
            inputs,
            outputs,
        }
    }
}

/// The adjoint of one communication that has taken place.
pub(super) struct Pullback {
    at: Rc<Inner>,
    trace: Rc<RefCell<Trace>>,
    ticket: usize,
    operation: Operation,
    inputs: usize,
    outputs: usize,
}

impl Pullback {
    #[track_caller]
    pub(super) fn run<F: Number, const N: usize>(self, y_bar: &[Vec<F>; N]) -> [Vec<F>; N] {
        self.trace.borrow_mut().close(self.ticket, self.operation);
        for lane in y_bar {
            assert!(
                lane.len() == self.outputs,
                "the cotangent of `{}` has length {}, the value {}",
                self.operation,
                lane.len(),
                self.outputs
            );
        }
        let lanes = y_bar.each_ref().map(Vec::as_slice);
        self.operation.adjoint(lanes, self.inputs, &self.at)
    }
}

/// The tangent of [`Ranks`]. It has no entries; it is there so that all communications have derivatives, and in the order that `ranks` are used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RanksTangent;

impl Differentiable for Ranks {
    type Tangent = RanksTangent;
    type OwnedTangent = RanksTangent;

    fn zero_tangent(&self) -> RanksTangent {
        RanksTangent
    }

    fn matches_shape(&self, _: &RanksTangent) -> Result<(), ShapeMismatch> {
        Ok(())
    }

    fn add_scaled_tangent(&mut self, _: f64, _: &RanksTangent) {}

    fn visit_components(&self, _: &mut Components<'_>) {}

    fn visit_floats(&self, _: &mut dyn FnMut(f64)) {}

    fn map_floats(&mut self, _: &mut dyn FnMut(f64) -> f64) {}
}

impl Differentiable for RanksTangent {
    type Tangent = RanksTangent;
    type OwnedTangent = RanksTangent;

    fn zero_tangent(&self) -> RanksTangent {
        RanksTangent
    }

    fn matches_shape(&self, _: &RanksTangent) -> Result<(), ShapeMismatch> {
        Ok(())
    }

    fn add_scaled_tangent(&mut self, _: f64, _: &RanksTangent) {}

    fn visit_components(&self, _: &mut Components<'_>) {}

    fn visit_floats(&self, _: &mut dyn FnMut(f64)) {}

    fn map_floats(&mut self, _: &mut dyn FnMut(f64) -> f64) {}
}

impl Tangent for RanksTangent {
    fn set_zero(&mut self) {}

    fn accumulate(&mut self, _: &Self) {}

    fn scale(&mut self, _: f64) {}

    fn inner(&self, _: &Self) -> f64 {
        0.0
    }

    fn to_owned_tangent(&self) -> RanksTangent {
        RanksTangent
    }

    fn __fixed_entries() -> Option<usize> {
        Some(0)
    }
}

/// Zeros.
pub(super) fn zeros<F: Number>(n: usize) -> Vec<F> {
    vec![F::default(); n]
}
