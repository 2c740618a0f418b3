use chainrule::prelude::*;

/// Stands for the crate of that name.
mod num_traits {
    pub trait Float: Copy + std::ops::Mul<Output = Self> {
        fn sqrt(self) -> Self;
    }
}

use num_traits::Float;

#[differentiable]
fn root<T: Float>(x: T) -> T {
    (x * x).sqrt()
}

#[differentiable]
fn length<T>(x: &[T]) -> T
where
    T: num_traits::Float,
{
    (x[0] * x[0]).sqrt()
}

fn main() {}
