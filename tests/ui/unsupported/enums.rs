use chainrule::prelude::*;

#[derive(Clone, Copy)]
enum Shape {
    Square(f64),
    Circle(f64),
}

#[differentiable]
fn area(x: f64, #[constant] shape: Shape) -> f64 {
    match shape {
        Shape::Square(side) => side * side * x,
        Shape::Circle(radius) => 3.0 * radius * x,
    }
}

#[differentiable]
fn optional(x: f64) -> f64 {
    let y = Some(x);
    match y {
        Some(y) => y * x,
        None => 0.0,
    }
}

fn main() {
    area::gradient(1.0, Shape::Square(1.0));
    area(1.0, Shape::Circle(1.0));
    optional::gradient(1.0);
}
