//! A function without rules, and another one of its name that has some.

use chainrule::prelude::*;

#[differentiable]
fn helper(x: f64) -> f64 {
    x * 3.0
}

mod plain {
    pub fn helper(x: f64) -> f64 {
        9.0 * x
    }

    pub fn scale(x: f64) -> f64 {
        5.0 * x
    }
}

mod squares {
    use chainrule::prelude::*;

    #[differentiable]
    pub fn scale(x: f64) -> f64 {
        x * x
    }
}

use plain::scale;
#[allow(unused_imports)]
use squares::*;

#[differentiable]
fn of_the_body(x: f64) -> f64 {
    fn helper(x: f64) -> f64 {
        x * 5.0
    }
    helper(x) * x
}

#[differentiable]
fn of_a_block(x: f64) -> f64 {
    let t = {
        fn helper(x: f64) -> f64 {
            x * 5.0
        }
        helper(x) * x
    };
    t * x
}

#[differentiable]
fn imported_by_the_body(x: f64) -> f64 {
    use plain::helper;
    helper(x) * x
}

#[differentiable]
fn imported_by_a_block(x: f64) -> f64 {
    let t = {
        use plain::helper;
        helper(x) * x
    };
    t * x
}

#[differentiable]
fn named_beside_all(x: f64) -> f64 {
    scale(x) * x
}

fn main() {}
