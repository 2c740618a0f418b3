use chainrule::prelude::*;

mod erf {
    use chainrule::prelude::*;

    #[differentiable]
    pub fn erf(x: f64) -> f64 {
        x * x
    }
}
use erf::erf;

fn main() {
    erf::gradient(1.0);
}
