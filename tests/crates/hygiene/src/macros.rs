//! Functions that are defined by a macro: all of their names have a hygiene of their own.

use ::ad::differentiable;

macro_rules! define {
    ($(#[$attribute:meta])* $name:ident($param:ident: $ty:ty) $body:expr) => {
        $(#[$attribute])*
        #[differentiable]
        pub fn $name($param: $ty, x: f64) -> $ty {
            let x_bar = $body;
            x_bar * x + $param
        }
    };
}

define! {
    /// Its parameter is called like the macro's own, and is another one.
    same_name(y: f64) y * y
}

define! {
    /// An expression with a block.
    block(z: f64) { let x = z * 2.0; x.sin() }
}
