//! Methods of std's containers that write to their receiver, with the hidden rules that a user's method would have.
//!
//! Such a method moves elements: the forward rule moves their tangents in the same way. The pullback takes
//! it back, on the elements and on their cotangents: where the method puts an element in, the pullback takes its cotangent
//! out, and the other way round. It is entered with shadows of the final shape and leaves them in the initial one; elements
//! that were dropped has the cotangent zero. Positions are constant.
//!
//! ```text
//! v.push(x)          x_bar += v_bar.pop();         v.pop()
//! y = v.remove(i)    v_bar.insert(i, y_bar);       v.insert(i, y)
//! v.truncate(n)      v_bar.extend(zeros);          v.extend(dropped)
//! v.swap(i, j)       v_bar.swap(i, j);             v.swap(i, j)
//! ```

mod copies;
mod deque;
mod lists;
mod moved;
mod option;
mod paired;
mod result;
mod slice;
mod unwraps;
mod vec;

pub use copies::{CloneFromRules, CopyRules};
pub use deque::{DequeCloneRules, DequeRules, IntoDeque, IntoList, IsDeque};
pub use lists::{DequeListRules, ListRules};
pub use option::{IsOption, OptionChoiceRules, OptionCloneRules, OptionDefaultRules, OptionRules};
pub use paired::{OptionFlattenRules, OptionZipRules};
pub use result::{IsResult, ResultDefaultRules, ResultRules};
pub use slice::{Elements, SliceCloneRules, SliceRules, order_by, order_by_key};
pub use vec::{IsVec, VecCloneRules, VecDropRules, VecRules};

use crate::{CoDual, Differentiable, Dual};

/// The argument of pullbacks for a receiver behind `&mut`, in first and in second order.
type At<'a, X> = CoDual<&'a mut X, &'a mut <X as Differentiable>::Tangent>;
type At2<'a, X> = CoDual<
    Dual<&'a mut X, &'a mut <X as Differentiable>::Tangent>,
    Dual<&'a mut <X as Differentiable>::Tangent, &'a mut <X as Differentiable>::Tangent>,
>;

/// The argument of pullbacks for a shared argument, in first and in second order.
type Shared<'a, X> = CoDual<&'a X, &'a mut <X as Differentiable>::Tangent>;
type Shared2<'a, X> = CoDual<
    Dual<&'a X, &'a <X as Differentiable>::Tangent>,
    Dual<&'a mut <X as Differentiable>::Tangent, &'a mut <X as Differentiable>::Tangent>,
>;

/// A list that the method made longer is at least as long afterwards.
const SHORT: &str = "the list is as long as the method left it";
