use chainrule::prelude::*;

mod model {
    #[derive(Clone, Debug)]
    pub struct Params {
        pub a: f64,
    }
}

use model::Params;

#[derive(Clone, Differentiable)]
struct Both {
    params: Params,
    k: f64,
}

#[differentiable]
fn f(p: &Params, x: f64) -> f64 {
    p.a * x
}

fn main() {
    f(&Params { a: 1.0 }, 1.0);
}
