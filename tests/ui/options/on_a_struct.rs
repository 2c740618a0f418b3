use chainrule::prelude::*;

#[differentiable]
struct Params {
    scale: f64,
}

fn main() {
    let _ = Params { scale: 1.0 };
}
