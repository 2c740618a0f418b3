//! A method of a type hides one of the same name of a trait.

use chainrule::prelude::*;
use shapes::{By, Shape};

mod shapes {
    use chainrule::prelude::*;

    #[differentiable]
    pub trait Shape {
        fn area(&self) -> f64;

        fn scaled<T: Real>(&self, by: T) -> f64;

        fn halved(&self) -> f64 {
            0.5 * self.area()
        }
    }

    #[differentiable]
    pub trait By<K> {
        fn by(&self, k: f64) -> f64;
    }
}

#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Square {
    side: f64,
}

impl Square {
    fn area(&self) -> f64 {
        self.side * self.side
    }

    fn scaled<T: Real>(&self, by: T) -> f64 {
        self.side * by.to_f64()
    }
}

#[differentiable]
impl Shape for Square {
    fn area(&self) -> f64 {
        self.area()
    }

    fn scaled<T: Real>(&self, by: T) -> f64 {
        self.area() * by.to_f64()
    }
}

#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Circle {
    radius: f64,
}

mod elsewhere {
    impl super::Circle {
        pub fn halved(&self) -> f64 {
            0.5 * self.radius
        }
    }
}

/// The trait provides `halved`.
#[differentiable]
impl Shape for Circle {
    fn area(&self) -> f64 {
        3.0 * self.radius * self.radius
    }

    fn scaled<T: Real>(&self, by: T) -> f64 {
        self.area() * by.to_f64()
    }
}

#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Line {
    length: f64,
}

impl Line {
    fn by(&self, k: f64) -> f64 {
        self.length + k
    }
}

#[differentiable]
impl By<u8> for Line {
    fn by(&self, k: f64) -> f64 {
        self.length * k
    }
}

macro_rules! methods {
    ($of:ident, $name:ident) => {
        impl $of {
            fn $name(&self) -> f64 {
                1.0
            }
        }
    };
}

#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Point {
    x: f64,
}

methods!(Point, area);

/// A macro writes `area`, which only rustc sees.
#[differentiable]
impl Shape for Point {
    fn area(&self) -> f64 {
        self.x
    }

    fn scaled<T: Real>(&self, by: T) -> f64 {
        self.x * by.to_f64()
    }
}

fn main() {}
