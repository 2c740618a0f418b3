use chainrule::prelude::*;

#[derive(Clone, Copy, Differentiable)]
struct Point(f64);

#[differentiable]
impl core::ops::Neg for Point {
    type Output = Point;

    fn neg(self) -> Point {
        Point(-self.0)
    }
}

fn main() {
    let _ = -Point(1.0);
}
