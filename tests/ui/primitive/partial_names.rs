use chainrule::prelude::*;

#[primitive(partials(z = y, y = x))]
fn misspelt(x: f64, y: f64) -> f64 {
    x * y
}

#[primitive(partials(x = y, x = y))]
fn missing_and_twice(x: f64, y: f64) -> f64 {
    x * y
}

#[primitive(partials(x = 2.0 * x, n = 1.0, k = 1.0))]
fn not_differentiated(x: f64, n: i32, #[constant] k: f64) -> f64 {
    x * x + k + n as f64
}

#[primitive(result = x, partials(x = x))]
fn result_like_a_parameter(x: f64) -> f64 {
    x.exp()
}

fn main() {
    misspelt::gradient(1.0, 2.0);
    missing_and_twice::gradient(1.0, 2.0);
    not_differentiated::gradient(1.0, 2, 3.0);
    result_like_a_parameter::gradient(1.0);
}
