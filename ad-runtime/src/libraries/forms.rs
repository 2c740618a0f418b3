//! The forms of an operator: on values, on references, with assignment. Types of other crates have the same rules for all of them.

use crate::ops::{AddOp, Assigning, DivOp, LeftByRef, MulOp, RightByRef, SubOp};

/// An operator in any of its forms.
pub trait Form {
    /// The operator on two values.
    type Plain;
}

macro_rules! forms {
    ($($op:ident)*) => {$( forms! { @each $op
        [$op] [LeftByRef<$op>] [RightByRef<$op>] [LeftByRef<RightByRef<$op>>] [Assigning<$op>] [RightByRef<Assigning<$op>>]
    } )*};
    (@each $op:ident $([$form:ty])*) => {$(
        impl Form for $form {
            type Plain = $op;
        }
    )*};
}
forms! { AddOp SubOp MulOp DivOp }
