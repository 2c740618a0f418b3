use chainrule::prelude::*;

#[primitive(frule = square_frule)]
fn no_reverse_rule(x: f64) -> f64 {
    x * x
}

#[primitive(rrule = square_rrule)]
fn no_forward_rule(x: f64) -> f64 {
    x * x
}

#[primitive(frul = square_frule, rrule = square_rrule)]
fn misspelt_key(x: f64) -> f64 {
    x * x
}

#[primitive(frule = square_frule, partials(x = 2.0 * x))]
fn two_kinds(x: f64) -> f64 {
    x * x
}

#[primitive(frule = |x| x, rrule = square_rrule)]
fn no_path(x: f64) -> f64 {
    x * x
}

fn square_frule(Dual(x, x_dot): Dual<f64, f64>) -> Dual<f64, f64> {
    Dual(x * x, 2.0 * x * x_dot)
}

fn square_rrule(x: f64) -> (f64, impl FnOnce(f64) -> f64 + use<>) {
    (x * x, move |y_bar| 2.0 * x * y_bar)
}

fn main() {
    no_reverse_rule::derivative(1.0);
    no_forward_rule::derivative(1.0);
    misspelt_key::gradient(1.0);
    two_kinds::gradient(1.0);
    no_path::gradient(1.0);
}
