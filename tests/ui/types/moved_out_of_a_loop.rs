use chainrule::prelude::*;

#[derive(Differentiable)]
struct State {
    level: f64,
    steps: usize,
}

#[differentiable]
fn f(x: f64, n: usize) -> State {
    let mut state = State { level: x, steps: 0 };
    for _ in 0..n {
        state.level *= x;
        state.steps += 1;
        if state.level > 3.0 {
            return state;
        }
    }
    state
}

fn main() {
    f(1.0, 2);
}
