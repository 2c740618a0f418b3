use std::borrow::Cow;
use std::cell::RefCell;
use std::rc::Rc;

use chainrule::prelude::*;

#[differentiable]
fn shared_cell(x: Rc<RefCell<Vec<f64>>>) -> f64 {
    x.borrow()[0]
}

#[differentiable]
fn cow(x: Cow<'_, [f64]>) -> f64 {
    x[0]
}

fn main() {}
