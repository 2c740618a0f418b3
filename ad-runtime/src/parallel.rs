//! Parallel iterators of `rayon` in rules: work in blocks, whose results and shadows are joined in an order of their own.
//!
//! How `rayon` cuts its work depends on how busy its threads are. Rules cut it by its length alone, so that sums of floats are the same with
//! any number of threads. Each block runs the rules of a sequential function on its parts of the lists. Shadows of lists are cut like the
//! lists. Of a shadow that all blocks add to, each right half of the work has its own, which is added to that of the left half when both are
//! done: there are never more of them than threads times the depth of this tree.

use alloc::vec::Vec;
use core::ops::{AddAssign, Range};

use rayon::iter::{IndexedParallelIterator, ParallelIterator};

use crate::{Dual, NoTangent, Scalar, Tangent};

/// The largest number of blocks.
const BLOCKS: usize = 256;

/// How many items there are, and how they are cut into blocks.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    items: usize,
    /// Of each block but the last.
    per_block: usize,
    blocks: usize,
}

/// The length of the blocks that so many items are cut into, if blocks have at least `least` items.
#[inline]
pub fn block_length(items: usize, least: usize) -> usize {
    items.div_ceil(BLOCKS).max(least).max(1)
}

impl Plan {
    /// A plan for the shortest of several lists, for blocks of at least `least` items.
    pub fn new(lengths: &[usize], least: usize) -> Self {
        let items = lengths.iter().copied().min().unwrap_or(0);
        let per_block = block_length(items, least);
        Plan {
            items,
            per_block,
            // A function of no items has a value, too.
            blocks: items.div_ceil(per_block).max(1),
        }
    }

    /// The first item of each block.
    pub fn starts(self) -> impl Iterator<Item = usize> {
        (0..self.blocks).map(move |k| k * self.per_block)
    }

    /// The items of each block.
    fn blocks(self) -> impl Iterator<Item = Range<usize>> {
        self.starts()
            .map(move |start| start..(start + self.per_block).min(self.items))
    }

    /// The elements of each block, of a list with `unit` elements for each item.
    pub fn cut<T>(self, list: &[T], unit: usize) -> impl Iterator<Item = &[T]> {
        let end = list.len();
        self.blocks().map(move |items| {
            let elements = elements(&items, unit, end);
            &list[elements]
        })
    }

    /// The elements of each block, of a list with `unit` elements for each item.
    pub fn cut_mut<T>(self, list: &mut [T], unit: usize) -> impl Iterator<Item = &mut [T]> {
        let (end, mut rest, mut at) = (list.len(), list, 0);
        self.blocks().map(move |items| {
            let elements = elements(&items, unit, end);
            let (part, after) = core::mem::take(&mut rest).split_at_mut(elements.end - at);
            (rest, at) = (after, elements.end);
            part
        })
    }

    /// The part of a range for each block.
    pub fn cut_range<I: Integer>(self, range: Range<I>) -> impl Iterator<Item = Range<I>> {
        self.blocks()
            .map(move |items| range.start.moved(items.start)..range.start.moved(items.end))
    }
}

/// The elements of some items. The last item of a list may have fewer than the others.
#[inline]
fn elements(items: &Range<usize>, unit: usize, end: usize) -> Range<usize> {
    let element = |item: usize| item.saturating_mul(unit).min(end);
    element(items.start)..element(items.end)
}

/// Integers that ranges count with.
pub trait Integer: Copy {
    /// The integer that is so many steps further.
    #[must_use]
    fn moved(self, steps: usize) -> Self;
    /// The length of a range.
    fn length(range: &Range<Self>) -> usize;
}

macro_rules! integers {
    ($($int:ty)*) => {$(
        impl Integer for $int {
            #[inline]
            #[allow(clippy::cast_possible_truncation, clippy::cast_possible_wrap)]
            fn moved(self, steps: usize) -> Self {
                self.wrapping_add(steps as $int)
            }

            #[inline]
            #[allow(clippy::unnecessary_fallible_conversions)]
            fn length(range: &Range<Self>) -> usize {
                if range.start < range.end { usize::try_from(range.end.abs_diff(range.start)).unwrap_or(usize::MAX) } else { 0 }
            }
        }
    )*};
}
// Those whose ranges have a length that fits a `usize` on all targets, as in `rayon`.
integers!(u8 u16 u32 usize i8 i16 i32 isize u64 i64);

/// The length of a range.
#[inline]
pub fn length<I: Integer>(range: &Range<I>) -> usize {
    I::length(range)
}

/// Runs `leaf` for each block, on several threads. Returns the results, in order, and the sum of the shadows that the blocks added to.
pub fn blocks<P: Send, S: Send, R: Send>(
    pieces: impl Iterator<Item = P>,
    zero: impl Fn() -> S + Sync,
    merge: impl Fn(&mut S, S) + Sync,
    leaf: impl Fn(P, &mut S) -> R + Sync,
) -> (Vec<R>, S) {
    let mut slots: Vec<Slot<P, R>> = pieces.map(Slot::Piece).collect();
    let mut shadows = zero();
    halves(&mut slots, &mut shadows, &zero, &merge, &leaf);
    let results = slots.into_iter().filter_map(|slot| match slot {
        Slot::Result(result) => Some(result),
        Slot::Piece(_) | Slot::Taken => None,
    });
    (results.collect(), shadows)
}

/// A block before, in and after its work.
enum Slot<P, R> {
    Piece(P),
    Taken,
    Result(R),
}

/// The left half of the blocks adds to `shadows`, the right half to shadows of its own. The tree depends on the number of blocks alone.
fn halves<P: Send, S: Send, R: Send>(
    slots: &mut [Slot<P, R>],
    shadows: &mut S,
    zero: &(impl Fn() -> S + Sync),
    merge: &(impl Fn(&mut S, S) + Sync),
    leaf: &(impl Fn(P, &mut S) -> R + Sync),
) {
    if let [slot] = slots {
        if let Slot::Piece(piece) = core::mem::replace(slot, Slot::Taken) {
            *slot = Slot::Result(leaf(piece, shadows));
        }
        return;
    }
    let (left, right) = slots.split_at_mut(slots.len() / 2);
    let ((), own) = rayon::join(
        || halves(left, shadows, zero, merge, leaf),
        || {
            let mut own = zero();
            halves(right, &mut own, zero, merge, leaf);
            own
        },
    );
    merge(shadows, own);
}

/// The sum of the blocks' results, from first to last.
pub fn sum<T: AddAssign>(results: Vec<T>) -> T {
    let mut results = results.into_iter();
    let mut sum = results
        .next()
        .unwrap_or_else(|| unreachable!("there is a block"));
    results.for_each(|result| sum += result);
    sum
}

/// Adds a multiple of a derivative to a shadow. Nothing is added for a cotangent that is zero.
#[inline]
pub fn add<S: Tangent + ?Sized>(shadow: &mut S, seed: impl Scalar, derivative: &S) {
    let factor = seed.to_f64();
    if factor != 0.0 {
        shadow.add_scaled(factor, derivative);
    }
}

/// The same of values with tangents.
pub fn sum_of_duals<T: AddAssign, S: AddAssign>(results: Vec<Dual<T, S>>) -> Dual<T, S> {
    let (values, dots) = results
        .into_iter()
        .map(|Dual(value, dot)| (value, dot))
        .unzip();
    Dual(sum(values), sum(dots))
}

/// The same of values without tangents.
pub fn sum_of_constants<T: AddAssign>(results: Vec<Dual<T, NoTangent>>) -> Dual<T, NoTangent> {
    let values = results.into_iter().map(|Dual(value, NoTangent)| value);
    Dual(sum(values.collect()), NoTangent)
}

/// The blocks' lists as one.
pub fn concatenated<T>(results: Vec<Vec<T>>) -> Vec<T> {
    let mut all = Vec::with_capacity(results.iter().map(Vec::len).sum());
    results.into_iter().for_each(|result| all.extend(result));
    all
}

/// The same of lists with tangents.
pub fn concatenated_duals<T, S>(results: Vec<Dual<Vec<T>, Vec<S>>>) -> Dual<Vec<T>, Vec<S>> {
    let (values, dots) = results
        .into_iter()
        .map(|Dual(value, dot)| (value, dot))
        .unzip();
    Dual(concatenated(values), concatenated(dots))
}

/// The lengths of the blocks' lists.
pub fn lengths<T>(results: &[Vec<T>]) -> Vec<usize> {
    results.iter().map(Vec::len).collect()
}

/// The lengths of the blocks' lists.
pub fn lengths_of_duals<T, S>(results: &[Dual<Vec<T>, Vec<S>>]) -> Vec<usize> {
    results.iter().map(|result| result.0.len()).collect()
}

/// The blocks' parts of a list.
pub fn split<T>(list: Vec<T>, lengths: &[usize]) -> impl Iterator<Item = Vec<T>> {
    let mut list = list.into_iter();
    lengths
        .iter()
        .map(move |&length| list.by_ref().take(length).collect())
}

/// The blocks' parts of a list with tangents.
pub fn split_duals<T, S>(
    Dual(values, dots): Dual<Vec<T>, Vec<S>>,
    lengths: &[usize],
) -> impl Iterator<Item = Dual<Vec<T>, Vec<S>>> {
    split(values, lengths)
        .zip(split(dots, lengths))
        .map(|(values, dots)| Dual(values, dots))
}

/// The two halves of a pair.
type Halves<A, B> = (Option<A>, Option<B>);

/// The results of two blocks that make a half each.
pub fn pair<A, B>(results: Vec<Halves<A, B>>) -> (A, B) {
    let (mut left, mut right) = (None, None);
    for (a, b) in results {
        (left, right) = (left.or(a), right.or(b));
    }
    match (left, right) {
        (Some(left), Some(right)) => (left, right),
        _ => unreachable!("two blocks make a half each"),
    }
}

/// The same of values with tangents.
pub fn pair_of_duals<A, B, S, T>(
    results: Vec<Dual<Halves<A, B>, Halves<S, T>>>,
) -> Dual<(A, B), (S, T)> {
    let (values, dots) = results
        .into_iter()
        .map(|Dual(value, dot)| (value, dot))
        .unzip();
    Dual(pair(values), pair(dots))
}

/// The cotangents of two blocks that make a half each.
pub fn halves_of<A, B>((left, right): (A, B)) -> impl Iterator<Item = Halves<A, B>> {
    [(Some(left), None), (None, Some(right))].into_iter()
}

/// The same of values with tangents.
pub fn halves_of_duals<A, B, S, T>(
    Dual(values, dots): Dual<(A, B), (S, T)>,
) -> impl Iterator<Item = Dual<Halves<A, B>, Halves<S, T>>> {
    halves_of(values)
        .zip(halves_of(dots))
        .map(|(values, dots)| Dual(values, dots))
}

/// Functions that take what the methods of `rayon` return by which parallel chains begin. For a method of that name that is another they
/// don't compile.
pub mod begins {
    use rayon::iter::ParallelIterator;
    use rayon::{range, slice};

    /// What a method returns, as a type.
    #[diagnostic::on_unimplemented(
        message = "this method isn't that of `rayon`, so its rules aren't either",
        label = "returns `{Self}`",
        note = "a differentiable function can begin a parallel loop by a method of `rayon` only; give this one another name"
    )]
    pub trait Returned<Method> {}

    macro_rules! methods {
        ($($method:ident $Method:ident [$($generics:tt)*] $iterator:ty, [$($bound:tt)*];)*) => {$(
            #[doc = concat!("`", stringify!($method), "`")]
            pub struct $Method;
            #[diagnostic::do_not_recommend]
            impl<$($generics)*> Returned<$Method> for $iterator where $($bound)* {}
            #[doc = concat!("Takes what `", stringify!($method), "` returns.")]
            pub fn $method(_: impl Returned<$Method>) {}
        )*};
    }
    methods! {
        par_iter ParIter ['a, T] slice::Iter<'a, T>, [T: Sync];
        par_iter_mut ParIterMut ['a, T] slice::IterMut<'a, T>, [T: Send];
        par_chunks ParChunks ['a, T] slice::Chunks<'a, T>, [T: Sync];
        par_chunks_mut ParChunksMut ['a, T] slice::ChunksMut<'a, T>, [T: Send];
        par_chunks_exact ParChunksExact ['a, T] slice::ChunksExact<'a, T>, [T: Sync];
        par_chunks_exact_mut ParChunksExactMut ['a, T] slice::ChunksExactMut<'a, T>, [T: Send];
        into_par_iter IntoParIter [I] range::Iter<I>, [range::Iter<I>: ParallelIterator];
    }
}

/// Sums that don't depend on the number of threads.
///
/// The `sum` of `rayon` adds in an order that depends on how busy the threads are, so that its last bits change from run to run. This one adds
/// blocks of fixed length, each from first to last, and then the sums of the blocks. The rules of a differentiable function add in the same order.
///
/// ```
/// use ad_runtime::SumInOrder;
/// use rayon::prelude::*;
///
/// let x: Vec<f64> = (0..10_000).map(|k| f64::from(k).sqrt()).collect();
/// let sum = || x.par_iter().map(|x| x.sin()).sum_in_order();
/// assert_eq!(sum(), sum());
/// ```
pub trait SumInOrder: IndexedParallelIterator<Item: Scalar> {
    /// The sum of all items.
    fn sum_in_order(self) -> Self::Item {
        let start = || -Self::Item::ZERO;
        let length = block_length(self.len(), 1);
        let blocks: Vec<_> = self.fold_chunks(length, start, |sum, x| sum + x).collect();
        if blocks.is_empty() {
            start()
        } else {
            sum(blocks)
        }
    }
}

impl<I: IndexedParallelIterator<Item: Scalar>> SumInOrder for I {}

#[cfg(test)]
mod tests {
    use alloc::vec;
    use alloc::vec::Vec;
    use core::sync::atomic::{AtomicUsize, Ordering};

    use rayon::iter::IntoParallelRefIterator;

    use super::*;

    fn pool(threads: usize) -> rayon::ThreadPool {
        let builder = rayon::ThreadPoolBuilder::new().num_threads(threads);
        builder.build().expect("threads")
    }

    #[test]
    fn blocks_cover_all_items_once() {
        for items in [0, 1, 2, 255, 256, 257, 1000, 1023] {
            for least in [0, 1, 7, 5000] {
                let plan = Plan::new(&[items, items + 3], least);
                let list: Vec<usize> = (0..items).collect();
                assert_eq!(
                    plan.cut(&list, 1).flatten().copied().collect::<Vec<_>>(),
                    list
                );
                assert_eq!(plan.cut_range(0..items).flatten().collect::<Vec<_>>(), list);
                assert_eq!(plan.starts().count(), plan.cut(&list, 1).count());
                let mut written = vec![0; items + 3];
                for (first, part) in plan.starts().zip(plan.cut_mut(&mut written, 1)) {
                    for (k, x) in part.iter_mut().enumerate() {
                        *x += first + k;
                    }
                }
                assert_eq!(written[..items], list[..]);
                assert_eq!(written[items..], [0; 3]);
            }
        }
    }

    #[test]
    fn chunks_may_end_with_a_short_one() {
        let list: Vec<usize> = (0..1000).collect();
        let chunks = list.len().div_ceil(3);
        let cut = || Plan::new(&[chunks], 1).cut(&list, 3);
        assert_eq!(cut().flatten().count(), 1000);
        assert!(but_the_last(cut()).all(|length| length % 3 == 0));
        // Without the last one, whose elements belong to no item.
        let exact = Plan::new(&[list.len() / 3], 1);
        assert_eq!(exact.cut(&list, 3).flatten().count(), 999);
    }

    /// The lengths of all parts but the last.
    fn but_the_last<'a>(parts: impl Iterator<Item = &'a [usize]>) -> impl Iterator<Item = usize> {
        let mut lengths: Vec<usize> = parts.map(<[usize]>::len).collect();
        lengths.pop();
        lengths.into_iter()
    }

    #[test]
    fn ranges_of_signed_integers_keep_their_ends() {
        let plan = Plan::new(&[length(&(-3_i32..5))], 1);
        assert_eq!(plan.cut_range(-3_i32..5).flatten().sum::<i32>(), 4);
        assert_eq!(
            length(&Range {
                start: 5_i64,
                end: 2
            }),
            0
        );
        assert_eq!(length(&(-100_i8..100)), 200);
    }

    #[test]
    fn sums_of_any_number_of_threads_are_the_same() {
        let x: Vec<f64> = (0..5000).map(|k| f64::from(k).sin() * 1e3).collect();
        let sums = |threads: usize| {
            pool(threads).install(|| {
                let plan = Plan::new(&[x.len()], 1);
                let (results, shadow) = blocks(
                    plan.cut(&x, 1),
                    || 0.0,
                    |into: &mut f64, from| *into += from,
                    |part, shadow| {
                        for x in part {
                            *shadow += x * x;
                        }
                        part.iter().sum::<f64>()
                    },
                );
                (sum(results), shadow, x.par_iter().copied().sum_in_order())
            })
        };
        let one = sums(1);
        assert_eq!(one.0, one.2);
        for threads in [2, 3, 8] {
            assert_eq!(sums(threads), one);
        }
    }

    /// A shadow that is counted.
    struct Counted<'a>(&'a AtomicUsize);

    impl Drop for Counted<'_> {
        fn drop(&mut self) {
            self.0.fetch_sub(1, Ordering::SeqCst);
        }
    }

    #[test]
    fn there_are_few_shadows_at_a_time() {
        let (alive, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let threads = 4;
        pool(threads).install(|| {
            let zero = || {
                let now = alive.fetch_add(1, Ordering::SeqCst) + 1;
                most.fetch_max(now, Ordering::SeqCst);
                Counted(&alive)
            };
            let plan = Plan::new(&[100_000], 1);
            blocks(
                plan.starts(),
                zero,
                |_, _| {},
                |_, _| core::hint::spin_loop(),
            );
        });
        assert_eq!(alive.load(Ordering::SeqCst), 0);
        // One for each level of the tree of 256 blocks, and thread.
        let most = most.load(Ordering::SeqCst);
        assert!(most <= threads * 8 + 1, "{most}");
    }

    #[test]
    #[should_panic = "in a block"]
    fn a_panic_goes_on_in_the_caller() {
        let plan = Plan::new(&[100], 1);
        let leaf = |k: usize, (): &mut ()| assert!(k < 50, "in a block");
        blocks(plan.starts(), || (), |(), ()| (), leaf);
    }
}
