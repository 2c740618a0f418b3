use chainrule::prelude::*;

#[primitive(partials(x = 1.0))]
struct Data {
    x: f64,
}

trait Shape {
    #[primitive(partials(x = 1.0))]
    fn area(&self, x: f64) -> f64;
}

#[primitive(partials(x = 1.0))]
impl Data {
    fn f(x: f64) -> f64 {
        x
    }
}

fn main() {}
