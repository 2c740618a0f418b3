use chainrule::prelude::*;

/// The configuration may change the module, so that its functions aren't inlined elsewhere.
#[cfg(all())]
mod lists {
    use chainrule::prelude::*;

    #[differentiable]
    pub fn tail(x: &[f64]) -> &[f64] {
        &x[1..]
    }
}

#[differentiable]
fn f(x: &[f64]) -> f64 {
    let tail: &[f64] = lists::tail(x);
    tail[0] * 2.0
}

fn main() {
    f::gradient(&[1.0, 2.0]);
}
