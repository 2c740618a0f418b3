use chainrule::prelude::*;

#[primitive(partials(x = z.cos()))]
fn unknown_name(x: f64) -> f64 {
    x.sin()
}

#[primitive(partials(x = plain(x)))]
fn function_without_rules(x: f64) -> f64 {
    x.sin()
}

fn plain(x: f64) -> f64 {
    x.cos()
}

fn main() {
    unknown_name::gradient(1.0);
    function_without_rules::gradient(1.0);
}
