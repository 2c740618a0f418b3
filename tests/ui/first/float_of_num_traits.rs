use chainrule::prelude::*;
mod num_traits {
    pub trait Float: Copy + std::ops::Mul<Output = Self> {}
    impl Float for f64 {}
}
#[differentiable]
fn f<T: num_traits::Float>(x: T, y: &[T]) -> T {
    x * y[0]
}
fn main() {
    f::gradient(1.0, &[2.0]);
}
