use chainrule::prelude::*;

#[primitive(partials(x = 2))]
fn integer(x: f64) -> f64 {
    2.0 * x
}

#[primitive(partials(x = 2.0 * x, y = x > 1.0))]
fn other_types(x: f32, y: f64) -> f64 {
    x as f64 + y
}

#[primitive(partials(x = panic!("no derivative")))]
fn without_a_value(x: f64) -> f64 {
    x
}

#[primitive(partials(x = if x > 0.0 { return 1.0 } else { x.checked()? }))]
fn exits(x: f64) -> f64 {
    x
}

fn main() {
    integer::gradient(1.0);
    other_types::gradient(1.0, 2.0);
    without_a_value::gradient(1.0);
    exits::gradient(1.0);
}
