//! Methods of std, by name: one table of their arguments, their results and their effects, which all stages read.
//!
//! A method of that name that a user's type has may be another. Predicates say what std's do; where that isn't certain, types decide.

mod table;

use std::collections::HashMap;
use std::sync::LazyLock;

pub(crate) use table::METHODS;

/// The type that a method belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Of {
    /// Several types have it, so that it tells nothing of its receiver.
    Any,
    Iterator,
    /// Slices, arrays and `Vec`.
    List,
    /// `VecDeque`, where it differs from lists, or lists don't have it.
    Deque,
    Map,
    /// `Option` and `Result`.
    Option,
    Bool,
    Float,
    Int,
    Text,
}

/// An argument.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Arg {
    Any,
    /// A `usize`.
    At,
    /// A position or a range.
    Index,
    I32,
    U32,
    /// An element of the receiver, its payload, or a number of its type.
    Item,
    /// A list of elements.
    Items,
    /// A function.
    F,
    /// A function of the payload.
    Some,
    /// A function of a reference to the payload or element.
    SomeRef,
    /// A function of an error, or of nothing.
    None,
}

impl Arg {
    pub(crate) fn is_function(self) -> bool {
        matches!(self, Arg::F | Arg::Some | Arg::SomeRef | Arg::None)
    }
}

/// A result. References are `&mut` where the method's name contains `mut`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Gives {
    /// It isn't known, or depends on more.
    Other,
    Unit,
    Bool,
    Usize,
    /// A `u32`.
    Bits,
    F64,
    /// Another type without a tangent.
    Inactive,
    /// The receiver's type.
    Own,
    /// Two numbers of the receiver's type.
    Pair,
    /// An element, or the payload.
    Inner,
    /// `Option<T>`.
    Maybe,
    /// `Option<&T>`.
    MaybeRef,
    /// `Option<(&T, &[T])>`.
    Split,
    /// `(&[T], &[T])`.
    Halves,
    /// `&[T]`.
    Slice,
    /// `Option<&[T]>`.
    MaybeSlice,
    /// `Vec<T>`.
    List,
    /// `Result<usize, usize>`.
    Found,
}

/// It takes an iterator by value, or copies it.
pub(crate) const CONSUMES: u32 = 1;
/// It returns another iterator over the items of an iterator.
pub(crate) const ADAPTS: u32 = 1 << 1 | CONSUMES;
/// Where its receiver is the result of a call, this is an iterator: no other type has the method.
pub(crate) const TELLS: u32 = 1 << 2;
/// In the head of a loop, it adapts the iterator that a call returns.
pub(crate) const IN_HEAD: u32 = 1 << 3;
/// The items are the receiver's.
pub(crate) const KEEPS: u32 = 1 << 4;
/// The items are pairs.
pub(crate) const PAIRS: u32 = 1 << 5;
/// Its result is an iterator, whatever the receiver is.
pub(crate) const LAZY: u32 = 1 << 6;
/// It runs an iterator to its end, and doesn't return one of the items.
pub(crate) const RUNS: u32 = 1 << 7;
/// It returns an item, if there is one.
pub(crate) const FINDS: u32 = 1 << 8;
/// It is called on an iterator that is kept in a variable, and goes on.
pub(crate) const GOES_ON: u32 = 1 << 9;
/// It returns the next item, or one after it.
pub(crate) const STEPS: u32 = 1 << 10 | GOES_ON;
/// It stops at some item, and leaves the rest of the iterator.
pub(crate) const STOPS: u32 = 1 << 11 | GOES_ON;
/// It leaves the iterator at its position.
pub(crate) const LOOKS: u32 = 1 << 12;
/// It returns an iterator over a container.
pub(crate) const ITERATES: u32 = 1 << 13;
/// It only reads a container.
pub(crate) const READS: u32 = 1 << 14;
/// It writes to its receiver.
pub(crate) const WRITES: u32 = 1 << 15;
/// It changes the length of its receiver.
pub(crate) const RESHAPES: u32 = 1 << 16 | WRITES;
/// The runtime has its rules.
pub(crate) const RULES: u32 = 1 << 17;
/// Its arguments become elements or the payload.
pub(crate) const STORES: u32 = 1 << 18;
/// It sorts by a function.
pub(crate) const SORTS: u32 = 1 << 19 | WRITES;
/// Its result is a value of its own, whatever it is called on.
pub(crate) const COPIES: u32 = 1 << 20;
/// It may return a reference, or a pointer.
pub(crate) const LENDS: u32 = 1 << 21;
/// It returns an element of a list, if it is present.
pub(crate) const ENDS: u32 = 1 << 22;
/// No type but lists has the method.
pub(crate) const OF_SLICES: u32 = 1 << 23;
/// `as_ref` and the like.
pub(crate) const VIEWS: u32 = 1 << 24;
/// It returns the payload, or panics.
pub(crate) const UNWRAPS: u32 = 1 << 25;

/// It returns clones of its receiver, or of its items.
pub(crate) const CLONES: u32 = 1 << 26 | COPIES;

/// It adds elements at the end, and leaves the others as they are.
pub(crate) const APPENDS: u32 = 1 << 27 | RESHAPES;

/// A method of one type.
pub(crate) struct Method {
    pub(crate) of: Of,
    pub(crate) name: &'static str,
    /// Without the receiver.
    pub(crate) args: &'static [Arg],
    pub(crate) gives: Gives,
    does: u32,
}

impl Method {
    pub(crate) fn does(&self, what: u32) -> bool {
        self.does & what == what
    }

    pub(crate) fn takes_function(&self) -> bool {
        self.args.iter().any(|arg| arg.is_function())
    }

    /// Its references are `&mut`.
    pub(crate) fn is_mut(&self) -> bool {
        self.name.contains("mut")
    }
}

/// The rows of each name.
static BY_NAME: LazyLock<HashMap<&str, Vec<&Method>>> = LazyLock::new(|| {
    let mut rows = HashMap::<_, Vec<_>>::new();
    for method in METHODS {
        rows.entry(method.name).or_default().push(method);
    }
    rows
});

/// The methods of all types that are called `name`.
pub(crate) fn named(name: &str) -> impl Iterator<Item = &'static Method> {
    BY_NAME.get(name).into_iter().flatten().copied()
}

/// The method of a type.
pub(crate) fn method(of: Of, name: &str) -> Option<&'static Method> {
    named(name).find(|method| method.of == of)
}

/// Returns `true` if floats have a method of that name, whatever its arguments.
pub(crate) fn of_floats(name: &str) -> bool {
    method(Of::Float, name).is_some()
}

/// The method of a type that takes so many arguments.
pub(crate) fn called(of: Of, name: &str, args: usize) -> Option<&'static Method> {
    method(of, name).filter(|method| method.args.len() == args)
}

/// Returns `true` if a method of this name does something, by the flags of this module.
pub(crate) fn does(name: &str, what: u32) -> bool {
    named(name).any(|method| method.does(what))
}

/// Returns `true` if a call of a method with so many arguments does something.
pub(crate) fn call_does(name: &str, args: usize, what: u32) -> bool {
    named(name).any(|method| method.args.len() == args && method.does(what))
}

/// The same of a call as it is written.
pub(crate) fn syntax_does(call: &syn::ExprMethodCall, what: u32) -> bool {
    call_does(&call.method.to_string(), call.args.len(), what)
}

/// Returns `true` if a method of this name takes a function.
pub(crate) fn takes_function(name: &str) -> bool {
    named(name).any(Method::takes_function)
}

/// Of a method of an `Option` that borrows the payload: `true` if it does so by `&mut`.
pub(crate) fn views(name: &str) -> Option<bool> {
    let method = method(Of::Option, name).filter(|method| method.does(VIEWS));
    method.map(Method::is_mut)
}

/// Returns `true` if a method writes to an `Option`.
pub(crate) fn writes_option(name: &str) -> bool {
    let mut methods = named(name).filter(|method| matches!(method.of, Of::Any | Of::Option));
    methods.any(|method| method.does(WRITES))
}

/// The methods of this name that slices, arrays, `Vec` and `VecDeque` have.
pub(crate) fn of_lists(name: &str) -> impl Iterator<Item = &'static Method> {
    named(name).filter(|method| matches!(method.of, Of::List | Of::Deque))
}

/// Returns `true` if a method of lists only adds elements at the end.
pub(crate) fn appends(name: &str) -> bool {
    of_lists(name).any(|method| method.does(APPENDS))
}

/// Returns `true` if an argument becomes an element of a list.
pub(crate) fn takes_element(name: &str) -> bool {
    of_lists(name).any(|method| method.args.contains(&Arg::Item))
}

/// Returns `true` if a method changes elements of a list, but not their number.
pub(crate) fn only_writes(name: &str) -> bool {
    method(Of::List, name).is_some_and(|method| method.does(WRITES) && !method.does(RESHAPES))
}

/// Returns `true` if a method looks for a position in a list that is in order.
pub(crate) fn searches(name: &str) -> bool {
    method(Of::List, name).is_some_and(|method| method.does(READS) && method.takes_function())
}

/// The methods of `rayon` by which a chain of parallel iterators begins.
pub(crate) const PARALLEL: &[&str] = &[
    "par_iter",
    "par_iter_mut",
    "into_par_iter",
    "par_chunks",
    "par_chunks_mut",
    "par_chunks_exact",
    "par_chunks_exact_mut",
    "par_bridge",
    "par_windows",
];

#[cfg(test)]
mod tests {
    use super::METHODS;

    #[test]
    fn a_type_has_one_row_for_a_name() {
        for (k, a) in METHODS.iter().enumerate() {
            let again = METHODS[..k]
                .iter()
                .any(|b| (a.of, a.name) == (b.of, b.name));
            assert!(!again, "{:?} `{}`", a.of, a.name);
        }
    }
}
