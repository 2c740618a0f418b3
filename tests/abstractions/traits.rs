//! Traits with differentiable methods: implementations, defaults, calls through bounds.

use chainrule::prelude::*;

use crate::check::{check, flat};

/// A potential, with an active receiver.
#[differentiable]
trait Potential {
    const WEIGHT: f64 = 1.0;

    fn energy(&self, r: f64) -> f64;

    fn total(&self, #[constant] rs: &[f64]) -> f64 {
        let mut sum = 0.0;
        for r in rs {
            sum += self.energy(*r);
        }
        sum * Self::WEIGHT
    }

    fn relax(&mut self, by: f64) {
        let _ = by;
    }

    fn name(&self) -> String {
        "potential".to_owned()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Differentiable)]
struct Spring {
    stiffness: f64,
    length: f64,
}
flat!(Spring {
    stiffness: f64,
    length: f64
});

#[differentiable]
impl Potential for Spring {
    const WEIGHT: f64 = 2.0;

    fn energy(&self, r: f64) -> f64 {
        let d = r - self.length;
        0.5 * self.stiffness * d * d
    }

    fn relax(&mut self, by: f64) {
        self.length += by * self.stiffness;
    }

    fn name(&self) -> String {
        format!("spring of {}", self.length)
    }
}

#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Morse {
    depth: f64,
    widths: Vec<f64>,
}
flat!(Morse { depth: f64, widths: Vec<f64> });

#[differentiable]
impl Potential for Morse {
    fn energy(&self, r: f64) -> f64 {
        let mut sum = 0.0;
        for a in self.widths.iter() {
            let e = 1.0 - (-a * r).exp();
            sum += e * e * self.depth;
        }
        sum
    }

    fn total(&self, #[constant] rs: &[f64]) -> f64 {
        let last: f64 = self.energy(rs[rs.len() - 1]);
        last * last
    }
}

#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Product<A, B>(A, B);
flat!(Product<Spring, Morse> { 0: Spring, 1: Morse });

#[differentiable]
impl<A: Potential, B: Potential> Potential for Product<A, B> {
    fn energy(&self, r: f64) -> f64 {
        self.0.energy(r) * self.1.energy(r)
    }

    fn relax(&mut self, by: f64) {
        self.0.relax(by);
        self.1.relax(by * 0.5);
    }
}

#[differentiable]
fn stretched<P: Potential>(p: &P, #[constant] rs: &[f64], r: f64) -> f64 {
    p.total(rs) * p.energy(r)
}

#[differentiable]
#[inline(never)]
fn of_any(p: &impl Potential, r: f64) -> f64 {
    p.energy(r * r) + r
}

#[differentiable]
fn fixed<P>(#[constant] p: &P, r: f64) -> f64
where
    P: Potential,
{
    p.energy(r) * r
}

#[differentiable]
fn by_value<P: Potential + Clone>(p: P, r: f64) -> f64 {
    assert!(!p.name().is_empty());
    let mut q = p.clone();
    q.relax(r);
    p.energy(r) + q.energy(2.0 * r)
}

fn spring() -> Spring {
    Spring {
        stiffness: 1.5,
        length: 0.7,
    }
}

fn morse() -> Morse {
    Morse {
        depth: 1.2,
        widths: vec![0.8, 1.4],
    }
}

#[test]
fn methods_through_bounds() {
    let rs = [0.4, 0.95, 1.3];
    check!(stretched(&spring(), const &rs, 1.1));
    check!(stretched(&morse(), const &rs, 1.1));
    check!(stretched(&Product(spring(), morse()), const &rs, 1.1));
    check!(of_any(&Product(spring(), morse()), 1.1));
    check!(fixed(const &morse(), 1.1));
    check!(by_value(spring(), 0.6));
    check!(by_value(Product(spring(), morse()), 0.6));
}

#[test]
fn drivers_of_trait_methods() {
    let (spring_bar, r_bar) = spring().energy_gradient(1.7);
    assert_eq!(
        (spring_bar, r_bar),
        (
            SpringTangent {
                stiffness: 0.5,
                length: -1.5
            },
            1.5
        )
    );
    let total_bar = spring().total_gradient(&[1.7]);
    assert_eq!(
        total_bar,
        SpringTangent {
            stiffness: 1.0,
            length: -3.0
        }
    );
    let Dual(y, y_dot) = Spring::energy_frule(
        Dual(
            &spring(),
            &SpringTangent {
                stiffness: 1.0,
                length: 0.0,
            },
        ),
        Dual(1.7, 0.0),
    );
    assert_eq!((y, y_dot), (0.75, 0.5));
}

#[differentiable]
#[inline(never)]
fn mutated(p: &mut Spring, by: f64) -> f64 {
    p.relax(by);
    p.relax(by * by);
    p.energy(by)
}

#[test]
fn methods_that_change_their_receiver() {
    check!(mutated(&mut spring(), 0.6));
}

/// Generic traits, associated types, generic methods, functions without a receiver, results of type `Self`.
#[differentiable]
trait Space<T: Real>: Sized {
    type Scalar: Real;

    fn build(x: T, y: T) -> Self;

    fn scaled(self, k: T) -> Self;

    fn norm(&self) -> T;

    fn moment<const K: usize>(&self, k: T) -> T {
        let mut m = self.norm();
        for _ in 1..K {
            m *= k;
        }
        m
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Differentiable)]
struct Plane<T> {
    x: T,
    y: T,
}
flat!(Plane<f64> { x: f64, y: f64 });
flat!(Plane<f32> { x: f32, y: f32 });

#[differentiable]
impl<T: Real> Space<T> for Plane<T> {
    type Scalar = T;

    fn build(x: T, y: T) -> Self {
        Plane { x, y: y * x }
    }

    fn scaled(self, k: T) -> Self {
        Plane {
            x: self.x * k,
            ..self
        }
    }

    fn norm(&self) -> T {
        self.x.hypot(self.y)
    }
}

#[differentiable]
fn in_space<T: Real, S: Space<T> + Copy>(s: S, k: T) -> T {
    let doubled = s.scaled(k);
    doubled.norm() * s.moment::<3>(k)
}

#[differentiable]
fn built<T: Real, S: Space<T>>(x: T, y: T) -> T {
    let s = S::build(x, y);
    s.norm()
}

#[test]
fn generic_traits() {
    check!(in_space(Plane { x: 0.3, y: 1.1 }, 0.8));
    check!(in_space(Plane { x: 0.3f32, y: 1.1 }, 0.8));
    let h = 1e-6;
    let (gx, gy) = built::gradient::<f64, Plane<f64>>(0.3, 1.1);
    let f = |x: f64, y: f64| built::<f64, Plane<f64>>(x, y);
    assert!((gx - (f(0.3 + h, 1.1) - f(0.3 - h, 1.1)) / (2.0 * h)).abs() < 1e-8);
    assert!((gy - (f(0.3, 1.1 + h) - f(0.3, 1.1 - h)) / (2.0 * h)).abs() < 1e-8);
}

/// An associated type that has no tangent in one implementation.
#[differentiable]
trait Measured {
    type Measure: Differentiable;

    fn measure(&self, x: f64) -> Self::Measure;

    fn is_positive(&self) -> bool;
}

#[differentiable]
impl Measured for Spring {
    type Measure = usize;

    fn measure(&self, x: f64) -> usize {
        if x > self.length { 3 } else { 2 }
    }

    fn is_positive(&self) -> bool {
        [self.stiffness, self.length].iter().all(|v| *v > 0.0)
    }
}

#[differentiable]
impl Measured for Morse {
    type Measure = f64;

    fn measure(&self, x: f64) -> f64 {
        self.depth * x
    }

    fn is_positive(&self) -> bool {
        self.depth > 0.0
    }
}

#[differentiable]
fn counted<M: Measured<Measure = usize>>(m: &M, x: f64) -> f64 {
    let n: usize = m.measure(x);
    x * x * n as f64
}

#[differentiable]
fn measured<M: Measured<Measure = f64>>(m: &M, x: f64) -> f64 {
    let y: f64 = m.measure(x);
    if m.is_positive() { y * x } else { y }
}

#[test]
fn associated_types_with_and_without_tangent() {
    check!(counted(&spring(), 1.1)).assert_gradient(&[0.0, 0.0, 6.6]);
    check!(measured(&morse(), 1.1));
}

/// A trait, operators and generic functions of another crate.
mod across {
    use callee::{Complex, Gaussian, Kernel, squares};

    use super::*;

    flat!(Gaussian { length: f64 });
    flat!(Complex<f64> { re: f64, im: f64 });

    #[derive(Clone, Copy, Debug, PartialEq, Differentiable)]
    struct Rational {
        scale: f64,
    }
    flat!(Rational { scale: f64 });

    #[differentiable]
    impl Kernel for Rational {
        fn covariance(&self, distance: f64) -> f64 {
            1.0 / (1.0 + distance * distance * self.scale)
        }
    }

    #[differentiable]
    fn summed<K: Kernel>(kernel: &K, points: &[f64], k: f64) -> f64 {
        kernel.total(points) + kernel.covariance(k) * squares(points)
    }

    #[differentiable]
    #[inline(never)]
    fn product(a: Complex<f64>, b: Complex<f64>) -> f64 {
        let c = a * b + b;
        let (re, im): (f64, f64) = (c.re, c.im);
        squares(&[re, im, re * im])
    }

    #[test]
    fn items_of_another_crate() {
        let points = vec![0.3, 0.9, -0.4];
        check!(summed(&Gaussian { length: 1.3 }, &points.clone(), 0.6));
        check!(summed(&Rational { scale: 0.8 }, &points.clone(), 0.6));
        let (a, b) = (Complex { re: 0.3, im: 1.2 }, Complex { re: -0.4, im: 0.9 });
        check!(product(a, b));
        assert_eq!(Gaussian { length: 1.0 }.covariance_gradient(0.0).1, 0.0);
    }
}

/// A value of its own type, which a trait returns with its parameter, and an implementation with a type or an alias of it.
mod results_with_parameters {
    use super::*;

    #[derive(Clone, Copy, Debug, PartialEq, Differentiable)]
    struct One<T>(T);

    #[derive(Clone, Copy, Debug, PartialEq, Differentiable)]
    struct Many<const N: usize>([f64; N]);

    #[differentiable]
    trait Dynamics<T: Real> {
        fn step(&self, x: &One<T>) -> One<T>;

        fn twice(&self, x: &One<T>) -> One<T> {
            self.step(&self.step(x))
        }
    }

    #[differentiable]
    trait Field<const N: usize> {
        fn at(&self, x: &Many<N>) -> Many<N>;
    }

    #[derive(Clone, Debug, PartialEq, Differentiable)]
    struct Decay {
        rate: f64,
    }

    #[derive(Clone, Debug, PartialEq, Differentiable)]
    struct Growth<T> {
        rate: T,
    }

    #[derive(Clone, Debug, PartialEq, Differentiable)]
    struct Aliased {
        rate: f64,
    }

    type Number = One<f64>;

    #[differentiable]
    impl Dynamics<f64> for Decay {
        fn step(&self, x: &One<f64>) -> One<f64> {
            One(-self.rate * x.0 * x.0)
        }
    }

    #[differentiable]
    impl Dynamics<f64> for Aliased {
        fn step(&self, x: &Number) -> Number {
            One((self.rate * x.0).sin())
        }
    }

    #[differentiable]
    impl<T: Real> Dynamics<T> for Growth<T> {
        fn step(&self, x: &One<T>) -> One<T> {
            One(self.rate * x.0)
        }
    }

    #[differentiable]
    impl Field<2> for Decay {
        fn at(&self, x: &Many<2>) -> Many<2> {
            Many([self.rate * x.0[0], x.0[0] * x.0[1]])
        }
    }

    #[differentiable]
    fn all(rates: &[f64; 3], x: f64) -> f64 {
        let decay = Decay { rate: rates[0] };
        let aliased = Aliased { rate: rates[1] };
        let growth = Growth { rate: rates[2] };
        let a = decay.twice(&One(x)).0 + aliased.step(&One(x)).0 * growth.twice(&One(x)).0;
        let many = decay.at(&Many([a, x]));
        many.0[0] * many.0[1]
    }

    #[test]
    fn derivatives() {
        check!(all(&[0.7, 1.2, 0.4], 0.9));
    }
}

/// Associated types of arguments and results have a tangent without a bound that says so; those of constants need none.
mod associated_types {
    use super::*;

    struct Names(Vec<&'static str>);

    #[differentiable]
    trait Kernel {
        type Params;
        type Data;
        type Features: Clone;

        fn between(p: &Self::Params, distance: f64) -> f64;

        fn features(p: &Self::Params, #[constant] data: &Self::Data) -> Self::Features;
    }

    struct Gaussian;

    #[derive(Differentiable, Clone)]
    struct Scales {
        length: f64,
        height: f64,
    }

    #[differentiable]
    impl Kernel for Gaussian {
        type Params = Scales;
        type Data = Names;
        type Features = Vec<f64>;

        fn between(p: &Scales, distance: f64) -> f64 {
            p.height * (-(distance / p.length).powi(2)).exp()
        }

        fn features(p: &Scales, #[constant] data: &Names) -> Vec<f64> {
            let mut all = vec![p.length; data.0.len()];
            all[0] *= p.height;
            all
        }
    }

    #[differentiable]
    fn total<K: Kernel<Features = Vec<f64>>>(
        p: &K::Params,
        #[constant] x: &[f64],
        #[constant] data: &K::Data,
    ) -> f64 {
        let mut total = 0.0;
        for i in 0..x.len() {
            for j in 0..i {
                total += K::between(p, x[i] - x[j]);
            }
        }
        total + K::features(p, data).iter().map(|v| v * v).sum::<f64>()
    }

    #[differentiable]
    fn of_gaussian(length: f64, height: f64) -> f64 {
        let names = Names(vec!["a", "b"]);
        total::<Gaussian>(&Scales { length, height }, &[0.0, 0.5, 1.5], &names)
    }

    #[test]
    fn derivatives() {
        check!(of_gaussian(1.3, 0.8));
    }
}

/// A trait without the attribute: the methods of a type of the module have rules all the same.
mod without_attribute {
    use super::*;

    trait Shape {
        type Scale;
        const FACTOR: f64;

        fn area(&self) -> f64;
        fn scaled(&self, k: f64) -> Self;
        fn grow(&mut self, k: f64);
        fn of_radius(r: f64) -> Self;
        fn weighted(&self, scale: &Self::Scale) -> f64;
        fn twice(&self) -> f64 {
            2.0 * self.area()
        }
    }

    #[derive(Differentiable, Clone)]
    struct Disc {
        r: f64,
    }

    #[differentiable]
    impl Shape for Disc {
        type Scale = [f64; 2];
        const FACTOR: f64 = 3.0;

        fn area(&self) -> f64 {
            Self::FACTOR * self.r * self.r
        }

        fn scaled(&self, k: f64) -> Self {
            Disc { r: self.r * k }
        }

        fn grow(&mut self, k: f64) {
            self.r += k * k;
        }

        fn of_radius(r: f64) -> Self {
            Disc { r: 2.0 * r }
        }

        fn weighted(&self, scale: &Self::Scale) -> f64 {
            scale[0] * self.area() + scale[1]
        }
    }

    #[derive(Differentiable, Clone)]
    struct Square<T> {
        side: T,
    }

    trait Sized2<T> {
        fn size(&self, by: T) -> T;
    }

    #[differentiable]
    impl<T: Real> Sized2<T> for Square<T> {
        fn size(&self, by: T) -> T {
            self.side * self.side * by
        }
    }

    #[differentiable]
    fn all(r: f64, k: f64) -> f64 {
        let a = Disc { r };
        let mut b = a.scaled(k);
        b.grow(k);
        let c = Disc::of_radius(k);
        let square = Square { side: k.sin() };
        b.area() * c.area() + a.weighted(&[k, a.r]) + square.size(a.r)
    }

    #[test]
    fn derivatives() {
        check!(all(1.3, 0.7));
        let disc = Disc { r: 1.3 };
        assert_eq!(disc.twice(), 2.0 * disc.area());
    }
}
