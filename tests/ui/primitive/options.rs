use chainrule::prelude::*;

#[primitive(partial(x = 1.0))]
fn misspelt(x: f64) -> f64 {
    x
}

#[primitive(partials(x = 1.0), partials(x = 1.0))]
fn twice(x: f64) -> f64 {
    x
}

#[primitive(partials(x = 1.0), zero_derivative)]
fn two_kinds(x: f64) -> f64 {
    x
}

#[primitive]
fn no_rule(x: f64) -> f64 {
    x
}

#[primitive(partials(x: 1.0))]
fn no_expression(x: f64) -> f64 {
    x
}

#[primitive(partials = 1.0)]
fn another_form(x: f64) -> f64 {
    x
}

#[primitive(result = y, zero_derivative)]
fn result_without_partials(x: f64) -> f64 {
    x
}

fn main() {
    misspelt::gradient(1.0);
    twice::gradient(1.0);
    two_kinds::gradient(1.0);
    no_rule::gradient(1.0);
    no_expression::gradient(1.0);
    another_form::gradient(1.0);
    result_without_partials::gradient(1.0);
}
