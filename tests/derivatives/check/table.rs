//! Tables of functions and arguments: one test for each row.

/// One test for each row, by [`check!`](super::check). Functions are those of the surrounding module.
///
/// ```text
/// table! {
///     square: (3.0) => [6.0], (-1.0);                 // arguments, and the gradient where it has a closed form
///     power: for n in 0..4, (1.3, const n);           // the same for several values
/// }
/// ```
macro_rules! table {
    ($($rows:tt)*) => {
        mod values {
            #[allow(unused_imports)]
            use super::*;
            $crate::check::rows!(check $($rows)*);
        }
    };
}
pub(crate) use table;

/// The same for functions whose result is no scalar; the references are gradients of the first output.
macro_rules! map_table {
    ($($rows:tt)*) => {
        mod maps {
            #[allow(unused_imports)]
            use super::*;
            $crate::check::rows!(check_map $($rows)*);
        }
    };
}
pub(crate) use map_table;

macro_rules! rows {
    ($check:ident) => {};
    ($check:ident $name:ident: for $n:ident in $range:expr, $(($($args:tt)*) $(=> $gradient:expr)?),+; $($rest:tt)*) => {
        #[test]
        fn $name() {
            for $n in $range {
                $($crate::check::row!($check $name ($($args)*) $(=> $gradient)?);)+
            }
        }
        $crate::check::rows!($check $($rest)*);
    };
    ($check:ident $name:ident: $(($($args:tt)*) $(=> $gradient:expr)?),+; $($rest:tt)*) => {
        #[test]
        fn $name() {
            $($crate::check::row!($check $name ($($args)*) $(=> $gradient)?);)+
        }
        $crate::check::rows!($check $($rest)*);
    };
}
pub(crate) use rows;

macro_rules! row {
    ($check:ident $name:ident ($($args:tt)*)) => {
        $crate::check::$check!(super::$name($($args)*))
    };
    ($check:ident $name:ident ($($args:tt)*) => $gradient:expr) => {
        $crate::check::$check!(super::$name($($args)*)).assert_gradient(&$gradient)
    };
}
pub(crate) use row;
