use chainrule::prelude::*;
use num_traits::Float;

#[derive(Clone, Copy, Debug, Differentiable)]
struct Poly<T, const N: usize> {
    coef: [T; N],
}

#[differentiable]
trait Curve<T: Float> {
    fn eval(&self, x: T) -> T;
}

#[differentiable]
impl<T: Float, const N: usize> Curve<T> for Poly<T, N> {
    fn eval(&self, x: T) -> T {
        let mut sum = T::zero();
        for &c in self.coef.iter().rev() {
            sum = sum * x + c;
        }
        sum
    }
}

fn main() {
    Poly { coef: [1.0, 2.0] }.eval(3.0);
}
