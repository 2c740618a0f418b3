use chainrule::prelude::*;
use elsewhere::Point;

/// The configuration may change the module, so that only rustc knows the methods in it.
#[cfg(all())]
mod elsewhere {
    use chainrule::prelude::*;

    #[derive(Clone, Copy, Differentiable)]
    pub struct Point {
        pub a: f64,
    }

    #[differentiable]
    impl Point {
        pub fn times(self, other: Point) -> f64 {
            self.a * other.a
        }
    }
}

#[derive(Clone, Differentiable)]
struct State {
    point: Point,
}

#[differentiable]
impl State {
    fn step(&mut self) -> Point {
        self.point.a += 1.0;
        self.point
    }

    fn last(&self) -> Point {
        self.point
    }

    fn energy(&mut self) -> f64 {
        self.point.times(self.last()) + self.point.times(self.step())
    }
}

fn main() {}
