//! Small helpers of generated code: residual stacks, locals that a call may move, sums of tangents.

use alloc::{boxed::Box, vec::Vec};

use crate::workspace::Residual;
use crate::{AnyTangent, Differentiable, ErasedTangent, Tan, Tangent};

/// Compiles only if `function` is the function that another name refers to.
#[inline(always)]
pub fn same<F>(function: F, _: F) -> F {
    function
}

/// A stack of residuals.
pub trait Tape<T> {
    /// The last entry.
    fn last_entry(&mut self) -> Option<T>;
}

impl<T> Tape<T> for Vec<T> {
    #[inline(always)]
    fn last_entry(&mut self) -> Option<T> {
        self.pop()
    }
}

/// A stack of at most `N` residuals, without allocation.
#[derive(Debug)]
pub struct FixedTape<T, const N: usize> {
    entries: [Option<T>; N],
    len: usize,
}

impl<T, const N: usize> FixedTape<T, N> {
    /// An empty stack.
    #[inline(always)]
    #[allow(clippy::new_without_default)]
    pub fn new() -> Self {
        FixedTape {
            entries: [const { None }; N],
            len: 0,
        }
    }

    /// Pushes an entry.
    ///
    /// # Panics
    /// If there are `N` already.
    #[inline(always)]
    pub fn push(&mut self, entry: T) {
        self.entries[self.len] = Some(entry);
        self.len += 1;
    }
}

impl<T, const N: usize> Tape<T> for FixedTape<T, N> {
    #[inline(always)]
    fn last_entry(&mut self) -> Option<T> {
        self.len = self.len.checked_sub(1)?;
        self.entries[self.len].take()
    }
}

/// Residuals of a counted loop, one run of it after the other. Memory is kept from run to run, and from tape to tape.
#[derive(Debug)]
pub struct RunTape<T: Residual> {
    entries: Box<[T]>,
    used: usize,
}

impl<T: Residual> RunTape<T> {
    /// An empty tape.
    #[inline(always)]
    #[allow(clippy::new_without_default)]
    pub fn new() -> Self {
        RunTape {
            entries: Box::default(),
            used: 0,
        }
    }

    /// As many further entries as a run has trips. Their content is arbitrary.
    #[inline(always)]
    pub fn run(&mut self, trips: usize) -> &mut [T] {
        if self.entries.len() - self.used < trips {
            self.grow(trips);
        }
        let run = &mut self.entries[self.used..][..trips];
        self.used += trips;
        run
    }

    /// Makes room for the runs of a nest of loops with so many trips each.
    #[inline]
    pub fn reserve<const N: usize>(&mut self, trips: [usize; N]) {
        let all = trips
            .iter()
            .fold(1_usize, |all, trips| all.saturating_mul(*trips));
        if self.entries.len() - self.used < all {
            self.grow(all);
        }
    }

    #[inline(never)]
    fn grow(&mut self, trips: usize) {
        let needed = self.used.saturating_add(trips);
        let len = needed.max(self.entries.len().saturating_mul(2));
        let entries = core::mem::take(&mut self.entries);
        self.entries = if self.used == 0 {
            if !entries.is_empty() {
                T::keep_run(entries);
            }
            T::run(len)
        } else {
            T::longer_run(entries, self.used, len)
        };
    }

    /// The entries that the last run that hasn't been reversed has stored.
    ///
    /// # Panics
    /// If that had fewer trips. Runs mirror each other, so it never has.
    #[inline(always)]
    pub fn again(&mut self, trips: usize) -> &[T] {
        self.used -= trips;
        &self.entries[self.used..][..trips]
    }
}

impl<T: Residual> Drop for RunTape<T> {
    #[inline]
    fn drop(&mut self) {
        if !self.entries.is_empty() {
            T::keep_run(core::mem::take(&mut self.entries));
        }
    }
}

/// How many trips a loop from `lo` to `hi` has.
#[inline(always)]
pub fn trips(lo: usize, hi: usize) -> usize {
    hi.saturating_sub(lo)
}

/// How many terms are added beside each other.
const LANES: usize = 4;

/// The sum of the terms for each position of slices that are as long as the first: in lanes, since an addition needn't wait for another then.
#[inline]
pub fn sum<T, const N: usize>(parts: [&[T]; N], term: impl Fn([T; N]) -> T) -> T
where
    T: Copy + Default + core::ops::Add<Output = T>,
{
    let len = parts.first().map_or(0, |part| part.len());
    let parts = parts.map(|part| part[..len].as_chunks::<LANES>());
    let blocks = len / LANES;
    let (whole, rest) = (
        parts.map(|part| &part.0[..blocks]),
        parts.map(|part| part.1),
    );
    let mut lanes = [T::default(); LANES];
    for k in 0..blocks {
        let block = whole.map(|part| &part[k]);
        for (l, lane) in lanes.iter_mut().enumerate() {
            *lane = *lane + term(block.map(|entries| entries[l]));
        }
    }
    // Added in this order, lanes side by side are the two halves of a vector of two.
    let mut total = (lanes[0] + lanes[2]) + (lanes[1] + lanes[3]);
    for k in 0..len % LANES {
        total = total + term(rest.map(|part| part[k]));
    }
    total
}

/// A place of a tangent whose size need not be known.
pub trait Assign<Owned> {
    /// Writes it there.
    fn assign(&mut self, value: Owned);
}

impl<T> Assign<T> for T {
    #[inline(always)]
    fn assign(&mut self, value: T) {
        *self = value;
    }
}

impl<T> Assign<Vec<T>> for [T] {
    #[inline]
    fn assign(&mut self, value: Vec<T>) {
        #[cfg(feature = "checked")]
        if self.len() != value.len() {
            crate::shape::length_panic(self.len(), value.len());
        }
        for (to, from) in self.iter_mut().zip(value) {
            *to = from;
        }
    }
}

impl Assign<AnyTangent> for dyn ErasedTangent {
    #[inline]
    fn assign(&mut self, value: AnyTangent) {
        self.set(value);
    }
}

/// Takes the last residual off a stack.
///
/// # Panics
/// If the stack is empty. Pops mirror pushes, so it never is.
#[inline]
pub fn pop<T>(tape: &mut impl Tape<T>) -> T {
    match tape.last_entry() {
        Some(residual) => residual,
        None => empty(),
    }
}

/// Takes the payload of an `Option`.
///
/// # Panics
/// If it holds nothing: a value that was moved is used again, which rustc rejects in the primal.
#[inline]
pub fn take<T>(place: &mut Option<T>) -> T {
    match place.take() {
        Some(value) => value,
        None => empty(),
    }
}

/// The payload of an `Option`.
///
/// # Panics
/// As [`take`] does.
#[inline]
pub fn some<T>(place: &Option<T>) -> &T {
    match place {
        Some(value) => value,
        None => empty(),
    }
}

/// The payload of an `Option`, to be changed.
///
/// # Panics
/// As [`take`] does.
#[inline]
pub fn some_mut<T>(place: &mut Option<T>) -> &mut T {
    match place {
        Some(value) => value,
        None => empty(),
    }
}

/// A zero of the shape of a local after a call, or the one of the value before, if the call took it.
#[inline(always)]
pub fn zero_left<T: Differentiable>(place: &Option<T>, before: Tan<T>) -> Tan<T> {
    match place {
        Some(value) => value.zero_tangent(),
        None => before,
    }
}

#[cold]
fn empty() -> ! {
    panic!("internal error in chainrule: a residual is missing, please report")
}

/// The sum of two tangents.
#[inline]
#[allow(clippy::needless_pass_by_value, reason = "generated code has values")]
pub fn tangent_sum<T: Tangent>(mut a: T, b: T) -> T {
    a.accumulate(&b);
    a
}

/// The result of a function that may be left by `?`.
#[diagnostic::on_unimplemented(
    message = "a macro may return from a function only if that returns an `Option` or a `Result`"
)]
pub trait Left {
    /// The same without a value.
    type Through;

    /// It isn't left.
    fn through() -> Self::Through;
}

impl<T, E> Left for Result<T, E> {
    type Through = Result<(), E>;

    #[inline(always)]
    fn through() -> Self::Through {
        Ok(())
    }
}

impl<T> Left for Option<T> {
    type Through = Option<()>;

    #[inline(always)]
    fn through() -> Self::Through {
        Some(())
    }
}

/// Runs a macro that may return from a function with the result `R`. Its result tells whether it does, and with what
/// error. It writes to no variable.
#[inline(always)]
pub fn left_by<R: Left>(run: impl Fn() -> R::Through) -> R::Through {
    run()
}

/// The value of a macro that is a condition. It writes to no variable.
#[inline(always)]
pub fn asked(ask: impl Fn() -> bool) -> bool {
    ask()
}

/// The default of the type of something.
#[inline(always)]
pub fn default_of<T: Default>(_: &T) -> T {
    T::default()
}
