use chainrule::prelude::*;

#[differentiable]
fn without_number(x: f64) -> f64 {
    let mut s = x;
    #[checkpoint]
    for _ in 0..1000 {
        s = s.sin();
    }
    s
}

#[differentiable]
fn on_while(x: f64) -> f64 {
    let mut s = x;
    #[checkpoint(100)]
    while s > 0.1 {
        s = s.sin();
    }
    s
}

#[differentiable]
fn over_a_list(x: &[f64]) -> f64 {
    let mut s = x[0];
    #[checkpoint(100)]
    for v in x {
        s = (s * v).sin();
    }
    s
}

#[differentiable]
fn backwards(x: f64) -> f64 {
    let mut s = x;
    #[checkpoint(100)]
    for i in (0..1000).rev() {
        s = (s * i as f64).sin();
    }
    s
}

#[differentiable]
fn to_the_end(x: f64, n: i32) -> f64 {
    let mut s = x;
    #[checkpoint(100)]
    for i in 0..=n {
        s = (s * i as f64).sin();
    }
    s
}

#[differentiable]
fn left_early(x: f64) -> f64 {
    let mut s = x;
    #[checkpoint(100)]
    for i in 0..1000 {
        s = (s * i as f64).sin();
        if s < 0.1 {
            break;
        }
    }
    s
}

#[differentiable]
fn printing(x: f64) -> f64 {
    let mut s = x;
    #[checkpoint(100)]
    for i in 0..1000 {
        s = (s * i as f64).sin();
        assert!(s < 2.0);
        println!("{s}");
    }
    s
}

#[differentiable]
fn drawing(x: f64, #[constant] seed: &mut u64) -> f64 {
    let mut s = x;
    #[checkpoint(100)]
    for _ in 0..1000 {
        *seed = *seed * 5 % 13;
        s = (s * *seed as f64).sin();
    }
    s
}

#[differentiable]
fn given(x: f64, step: impl Fn(f64) -> f64) -> f64 {
    let mut s = x;
    #[checkpoint(100)]
    for _ in 0..1000 {
        s = step(s);
    }
    s
}

#[differentiable]
fn counted(x: f64, #[constant] states: u32) -> f64 {
    let mut s = x;
    #[checkpoint(states)]
    for _ in 0..1000 {
        s = s.sin();
    }
    s
}

fn main() {}
