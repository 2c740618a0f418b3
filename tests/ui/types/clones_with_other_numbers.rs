use chainrule::prelude::*;

/// A clone starts with an empty memory.
#[derive(Differentiable)]
struct Filter {
    gain: f64,
    memory: Vec<f64>,
}

impl Clone for Filter {
    fn clone(&self) -> Self {
        Filter {
            gain: self.gain,
            memory: vec![0.0; self.memory.len()],
        }
    }
}

#[derive(Differentiable)]
enum Level {
    Low(f64),
    High { at: f64, from: f64 },
}

impl Clone for Level {
    fn clone(&self) -> Self {
        match self {
            Level::Low(x) => Level::High { at: *x, from: *x },
            Level::High { at, from } => Level::High {
                at: *from,
                from: *at,
            },
        }
    }
}

#[differentiable]
fn restarted(filter: &Filter, x: f64) -> f64 {
    let fresh = filter.clone();
    fresh.gain * x + fresh.memory[0]
}

#[differentiable]
fn cloned_in_lists(levels: &[Level], x: f64) -> f64 {
    let all = levels.to_vec();
    match &all[0] {
        Level::Low(y) => x * y,
        Level::High { at, from } => x * at - from,
    }
}

#[differentiable]
fn advanced(mut filter: Filter, x: f64) -> Filter {
    filter.memory[0] = filter.memory[0] * x + filter.gain;
    filter
}

#[differentiable]
fn moved_in_a_loop(x: f64, steps: usize) -> f64 {
    let mut filter = Filter {
        gain: x,
        memory: vec![x],
    };
    for _ in 0..steps {
        filter = advanced(filter, x);
    }
    filter.memory[0]
}

fn main() {}
