//! A type that only std's operators are implemented for: code that calls one by name compiles for it only if the name is std's.

use core::ops::{
    Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Rem, RemAssign, Sub, SubAssign,
};

/// Stands for a number in code that never runs.
#[derive(Clone, Copy)]
pub struct Number(());

impl Neg for Number {
    type Output = Number;

    fn neg(self) -> Number {
        self
    }
}

macro_rules! operators {
    ($($Op:ident $op:ident $OpAssign:ident $op_assign:ident;)*) => {$(
        impl $Op for Number {
            type Output = Number;

            fn $op(self, _: Number) -> Number {
                self
            }
        }

        impl $OpAssign for Number {
            fn $op_assign(&mut self, _: Number) {}
        }
    )*};
}
operators! {
    Add add AddAssign add_assign;
    Sub sub SubAssign sub_assign;
    Mul mul MulAssign mul_assign;
    Div div DivAssign div_assign;
    Rem rem RemAssign rem_assign;
}
