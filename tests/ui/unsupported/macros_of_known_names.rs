use chainrule::prelude::*;

macro_rules! vec {
    ($($x:expr),*) => { [$(2.0 * $x),*].to_vec() };
}

mod asking {
    macro_rules! nothing {
        ($x:expr, $p:pat) => {
            false
        };
    }
    pub(crate) use nothing as matches;
}

#[differentiable]
fn doubled(x: f64) -> f64 {
    let list = vec![x, x * x];
    list[0] * list[1]
}

#[differentiable]
fn never(x: f64) -> f64 {
    let there = asking::matches!(Some(x), Some(_));
    if there { x * x } else { x }
}

fn main() {
    doubled::gradient(1.0);
    never::gradient(1.0);
}
