//! Methods on receivers whose type only rustc can resolve: found by method resolution, as in the primal.
//!
//! For `x.m(a)` the macro writes
//! ```text
//! let modes = Peel(&x).peel().peel().0.__m_modes();
//! let method = modes.0.method(&x, &modes, |x, (a,)| x.m(a));
//! let (y, pullback) = modes.0.receiver_shared(&x).__m_rrule(modes.1.pass(a)).or_inactive(&x, method);
//! ```
//! with [`FloatRules`] and [`CloneRules`] in scope for the methods of std, and beside it two local traits. One has
//! `__m_modes` for `&T` whatever `T` is; all methods of that name take `&self`, so they are found first. It returns
//! [`Absent`](crate::mode::Absent) in each position, whose receiver is [`NoReceiver`], and the other trait has the rules'
//! names for that. The result says whether there was a rule:
//!
//! - `(y, pullback)` or a [`Dual`](crate::Dual): there was one. [`HasRule::or_inactive`] does nothing.
//! - [`NoRule`]: there was none. [`NoRule::or_inactive`] calls the method, and is an error unless its result has no tangent.
//!   The pullback is then [`Inactive`], which returns nothing.
//!
//! [`Pull::pull`] calls both kinds of pullback. `tests/probe.rs` spells the whole out.

mod clone;
mod containers;
mod fallback;
#[cfg(any(feature = "std", feature = "libm"))]
mod float;
mod hidden;
mod keep;
mod keyed;
mod listed;
mod peel;
mod push_placeholder;

pub use clone::{CloneRules, Copied, IsSlice, ToOwnedRules, ToVecRules};
pub use containers::{
    CloneFromRules, CopyRules, DequeCloneRules, DequeListRules, DequeRules, Elements, IntoDeque,
    IntoList, IsDeque, IsOption, IsResult, IsVec, ListRules, OptionChoiceRules, OptionCloneRules,
    OptionDefaultRules, OptionFlattenRules, OptionRules, OptionZipRules, ResultDefaultRules,
    ResultRules, SliceCloneRules, SliceRules, VecCloneRules, VecDropRules, VecRules, order_by,
    order_by_key,
};
pub use fallback::{
    Dropped, HasOnlyRule, HasRule, Inactive, NoReceiver, NoRule, OfNumber, Pull, ToNumber,
    WithoutTangent, constant,
};
#[cfg(any(feature = "std", feature = "libm"))]
pub use float::FloatRules;
/// Without `std` and `libm` floats have no such methods.
#[cfg(not(any(feature = "std", feature = "libm")))]
pub trait FloatRules {}
pub use hidden::{
    Both, Hidden, NoRules, OfTrait, OfType, RulesOf, SameMethod, both, check_clone, compare,
};
pub use keep::{Keep, KeepByRef};
pub use keyed::{Entry, entries, keys, values};
pub use listed::{List, TotalByFold, check_list, check_of_std, check_one_type, check_total};
pub use peel::{NoPeel, Peel, PeelObject, PeelPointer};
pub use push_placeholder::{PushPlaceholder, PushPlaceholderByClone, PushPlaceholderOfAny};
