//! Methods and associated functions called by path, associated constants, `const` blocks.

use chainrule::prelude::*;

use crate::check::{check, check_map, flat};

#[derive(Clone, Copy, Debug, PartialEq, Differentiable)]
struct V2 {
    x: f64,
    y: f64,
}
flat!(V2 { x: f64, y: f64 });

#[differentiable]
impl V2 {
    const SCALE: f64 = 1.5;

    fn new(x: f64, y: f64) -> Self {
        V2 { x, y }
    }

    fn dot(self, o: V2) -> f64 {
        self.x * o.x + self.y * o.y
    }

    fn norm(&self) -> f64 {
        Self::dot(*self, *self).sqrt() * Self::SCALE
    }

    fn grow(&mut self, k: f64) {
        self.x *= k;
        self.y += k * Self::SCALE;
    }

    fn weighted<const K: usize>(#[constant] &self, k: f64) -> f64 {
        let mut sum = k;
        for i in 0..K {
            sum += k * k * i as f64;
        }
        sum
    }

    fn grown(&self, k: f64) -> f64 {
        let mut v = *self;
        Self::grow(&mut v, k);
        V2::grow(&mut v, k * k);
        Self::norm(&v) + V2::dot(v, Self::new(k, 1.0)) + V2::weighted::<3>(&stop_gradient(*self), k)
    }
}

#[differentiable]
#[inline(never)]
fn by_path(v: V2, w: &V2, k: f64) -> f64 {
    V2::dot(v, *w) + V2::norm(w) * V2::norm(&v) + V2::grown(w, k)
}

#[differentiable]
#[inline(never)]
fn in_place(v: &mut V2, k: f64) -> f64 {
    V2::grow(v, k);
    <V2>::grow(v, 2.0);
    V2::norm(v)
}

#[differentiable]
#[inline(never)]
fn of_constants(#[constant] v: V2, #[constant] w: &V2, k: f64) -> f64 {
    V2::dot(v, *w) * k + V2::norm(w) + V2::grown(w, k)
}

#[test]
fn methods_of_a_type() {
    let (v, w) = (V2 { x: 0.3, y: 1.1 }, V2 { x: -0.6, y: 0.4 });
    check!(by_path(v, &w, 0.8));
    check!(in_place(&mut v.clone(), 0.8));
    check!(of_constants(const v, const &w, 0.8));
}

#[differentiable]
trait Shape {
    const CORNERS: usize;
    const EPS: f64 = 0.25;

    fn make(size: f64) -> Self;

    fn area(&self, k: f64) -> f64;

    fn twice(&self, k: f64) -> f64 {
        Self::area(self, k) + Shape::area(self, k * Self::EPS)
    }

    fn larger(self, k: f64) -> Self;
}

#[derive(Clone, Copy, Debug, PartialEq, Differentiable)]
struct Square(f64);
flat!(Square { 0: f64 });

#[differentiable]
impl Shape for Square {
    const CORNERS: usize = 4;

    fn make(size: f64) -> Self {
        Square(size * size)
    }

    fn area(&self, k: f64) -> f64 {
        self.0 * self.0 * k + Self::CORNERS as f64 * k * k
    }

    fn larger(self, k: f64) -> Self {
        Square(self.0 * k)
    }
}

#[differentiable]
fn through_the_trait<S: Shape + Copy>(s: S, k: f64) -> f64 {
    let larger = S::larger(s, k);
    let made = S::make(k * S::EPS);
    <S as Shape>::area(&larger, k) * Shape::twice(&s, 2.0) + made.area(k) * S::CORNERS as f64
}

#[differentiable]
#[inline(never)]
fn of_the_type(s: &Square, k: f64) -> f64 {
    Square::twice(s, k) + <Square as Shape>::area(s, k) * Square::EPS
}

#[test]
fn methods_of_a_trait() {
    check!(through_the_trait(Square(0.7), 1.3));
    check!(of_the_type(&Square(0.7), 1.3));
}

static OFFSET: f64 = 0.5;

#[differentiable]
#[inline(never)]
fn constants(x: &[f64; 3]) -> [f64; 2] {
    const LOCAL: f64 = 2.0;
    let scale = const { LOCAL * 3.0 };
    [
        x[0] * scale + OFFSET,
        x[1] * V2::SCALE * x[2] * <Square as Shape>::EPS * core::f64::consts::PI,
    ]
}

#[test]
fn constants_and_statics() {
    check_map!(constants(&[0.3, 0.5, 0.7]));
}

/// Functions of std: what they give back, and `clone` of anything.
#[differentiable]
#[inline(never)]
fn of_std(x: &[f64], k: f32) -> f64 {
    let y = std::convert::identity(x[0]);
    let v = V2 { x: y, y: x[1] };
    let (copy, list) = (Clone::clone(&v), Vec::clone(&x.to_vec()));
    let scalars = f64::clone(&x[0]) * <f64 as Clone>::clone(&x[1]);
    let same: f64 = x.iter().copied().map(std::convert::identity).sum();
    let (z, n): (f64, f64) = (x[1].into(), 3u8.into());
    let wide: f64 = k.into();
    std::hint::black_box(v.norm()) * V2::clone(&copy).y * list[1] * scalars + same * z * n * wide
}

#[test]
fn functions_of_std() {
    check!(of_std(&[0.3, 0.5], 0.75_f32));
}
