//! Iterator chains become the loops that one would write.
//!
//! ```text
//! Input:  x.iter().zip(y).filter(|(a, _)| **a > 0.0).map(|(a, b)| a * b).sum::<f64>()
//! Output: { let mut sum: f64 = -0.0; for (a, b) in x.iter().zip(y) { if *a > 0.0 { sum += a * b; } } sum }
//! ```
//!
//! - [`parse`]: a chain's syntax to [`Chain`].
//! - [`open`]: a chain that a loop can count (ranges, elements, and the adapters that only change positions) is a [`Iterable`]; the
//!   function of a `map` is applied in the loop's body.
//! - [`run`]: all other adapters, as statements around the consumer of an item.
//! - [`consume`]: the ends of chains; [`short_circuit`]: those that end at the first item without a value.
//! - [`select`]: ends that return one item, as an `Option`; [`choose`] keeps it.
//! - [`stepped`]: chains in variables that are stepped by hand, whose items are known by their [`positions`] up to
//!   their [`lengths`]; [`steps`] returns one of them, which [`next_item`] is absent.

mod choose;
mod collect;
mod consume;
mod drain;
mod evaluate_operands;
mod generators;
mod lengths;
mod next_item;
mod open;
mod optional;
mod parse;
mod positions;
mod remainder;
mod run;
mod select;
mod short_circuit;
mod stepped;
mod steps;
mod uses;

pub(super) use collect::collect_to_alias;

use proc_macro2::Span;

use super::closure::Callable;
use super::{Expr, Iterable, Scope, Var};
pub(crate) use collect::is_list_check;
pub(super) use next_item::NextItem;
pub(super) use positions::At;
pub(crate) use run::is_limit;
use stepped::Cursor;
pub(super) use uses::mentions_name;
pub(crate) use uses::{is_of_lists, only_consumes};

/// An iterator, as it is written.
#[derive(Clone)]
pub(super) enum Chain {
    /// A head that a loop can run over.
    Source(Iterable),
    /// The elements of a variable's target, by position, and whether they are borrowed by `&mut`.
    Listed(Var, bool),
    /// `repeat_n(value, n)`; `repeat(value)` without a length.
    Repeat(Var, Option<Expr>),
    /// `from_fn(f)`.
    Given(Callable),
    /// `successors(first, f)`.
    Successors(Var, Callable),
    /// A stepped iterator in a variable. To run it is to step it.
    Cursor(Box<Cursor>),
    /// The items between two positions; without the second, there is no end.
    Positions(Box<At>, Var, Option<Var>),
    Enumerate(Box<Chain>),
    Rev(Box<Chain>),
    /// `copied()`, `cloned()`.
    Cloned(Box<Chain>),
    Zip(Box<Chain>, Box<Chain>),
    Chained(Box<Chain>, Box<Chain>),
    Skip(Box<Chain>, Var),
    Take(Box<Chain>, Var),
    StepBy(Box<Chain>, Var),
    Map(Box<Chain>, Callable),
    Inspect(Box<Chain>, Callable),
    Filter(Box<Chain>, Callable),
    FilterMap(Box<Chain>, Callable),
    TakeWhile(Box<Chain>, Callable),
    SkipWhile(Box<Chain>, Callable),
    MapWhile(Box<Chain>, Callable),
    /// With the initial state.
    Scan(Box<Chain>, Expr, Callable),
    FlatMap(Box<Chain>, Callable),
    Flatten(Box<Chain>),
}

macro_rules! inner {
    ($name:ident, [$($unique:tt)?]) => {
        /// The chains that it adapts or joins.
        fn $name(&$($unique)? self) -> Vec<&$($unique)? Chain> {
            match self {
                Chain::Source(_)
                | Chain::Listed(..)
                | Chain::Repeat(..)
                | Chain::Given(_)
                | Chain::Successors(..)
                | Chain::Cursor(_)
                | Chain::Positions(..) => Vec::new(),
                Chain::Zip(a, b) | Chain::Chained(a, b) => vec![a, b],
                Chain::Enumerate(inner)
                | Chain::Rev(inner)
                | Chain::Cloned(inner)
                | Chain::Flatten(inner)
                | Chain::Skip(inner, _)
                | Chain::Take(inner, _)
                | Chain::StepBy(inner, _)
                | Chain::Map(inner, _)
                | Chain::Inspect(inner, _)
                | Chain::Filter(inner, _)
                | Chain::FilterMap(inner, _)
                | Chain::TakeWhile(inner, _)
                | Chain::SkipWhile(inner, _)
                | Chain::MapWhile(inner, _)
                | Chain::FlatMap(inner, _)
                | Chain::Scan(inner, ..) => vec![inner],
            }
        }
    };
}

impl Chain {
    inner!(inner, []);
    inner!(inner_mut, [mut]);

    /// The chain whose items it selects or orders, if it does nothing else.
    fn kept(&self) -> Option<&Chain> {
        match self {
            Chain::Rev(inner)
            | Chain::Skip(inner, _)
            | Chain::Take(inner, _)
            | Chain::StepBy(inner, _)
            | Chain::Inspect(inner, _)
            | Chain::Filter(inner, _)
            | Chain::TakeWhile(inner, _)
            | Chain::SkipWhile(inner, _) => Some(inner),
            _ => None,
        }
    }
}

/// How much `take` takes.
#[derive(Clone, Copy)]
struct Limit {
    count: Var,
    most: Var,
    /// The scope that ends then.
    stop: Scope,
}

/// State that the loops of a chain share.
struct Run {
    /// Ends the whole.
    stop: Scope,
    /// The innermost loop, which goes on with the next item.
    next: Scope,
    /// Of `take`, here and around: nothing more is taken from a source once a limit is reached.
    limits: Vec<Limit>,
    span: Span,
}
