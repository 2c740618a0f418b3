use chainrule::prelude::*;

#[derive(Clone, Copy, Differentiable)]
struct Point(f64, f64);

#[differentiable]
impl std::iter::Sum for Point {
    fn sum<I: Iterator<Item = Point>>(points: I) -> Point {
        points.fold(Point(0.0, 0.0), |a, b| Point(a.0 + b.0, a.1 + b.1))
    }
}

fn main() {
    let _: Point = [Point(2.0, 1.0)].into_iter().sum();
}
