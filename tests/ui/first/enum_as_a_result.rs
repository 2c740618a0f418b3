use chainrule::prelude::*;
#[derive(Clone, Copy)]
enum Kind {
    Low,
    High,
}
#[differentiable]
fn kind(x: f64) -> Kind {
    if x > 1.0 { Kind::High } else { Kind::Low }
}
fn main() {
    kind(1.0);
}
