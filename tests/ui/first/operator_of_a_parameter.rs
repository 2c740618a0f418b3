//! Operators of a type parameter whose bounds are std's.

use std::ops::{Add, Mul};

use chainrule::prelude::*;

#[derive(Clone, Copy, Differentiable)]
struct Pair<T> {
    x: T,
    y: T,
}

#[differentiable]
impl<T: Add<Output = T> + Copy> Add for Pair<T> {
    type Output = Pair<T>;

    fn add(self, other: Pair<T>) -> Pair<T> {
        Pair {
            x: self.x + other.x,
            y: self.y + other.y,
        }
    }
}

#[differentiable]
fn square<T: Mul<Output = T> + Copy>(x: T) -> T {
    x * x
}

fn main() {}
