//! Methods with type and constant parameters of their own, which follow from their arguments.

use chainrule::prelude::*;

use crate::check::{check, flat};

#[derive(Clone, Copy, Debug, PartialEq, Differentiable)]
struct Mat<const R: usize, const C: usize> {
    a: [[f64; C]; R],
}

#[differentiable]
impl<const R: usize, const C: usize> Mat<R, C> {
    fn mul<const K: usize>(&self, other: &Mat<C, K>) -> Mat<R, K> {
        let mut a = [[0.0; K]; R];
        for i in 0..R {
            for j in 0..K {
                for k in 0..C {
                    a[i][j] += self.a[i][k] * other.a[k][j];
                }
            }
        }
        Mat { a }
    }

    fn sum(&self) -> f64 {
        let mut sum = 0.0;
        for i in 0..R {
            for j in 0..C {
                sum += self.a[i][j] * self.a[i][j];
            }
        }
        sum
    }
}

#[differentiable]
#[inline(never)]
fn product(x: &[f64]) -> f64 {
    let a = Mat {
        a: [[x[0], x[1]], [x[1] * x[2], 0.5], [x[0], x[2].sin()]],
    };
    let b = Mat {
        a: [[x[2]], [x[0] * x[1]]],
    };
    a.mul(&b).sum()
}

#[test]
fn a_length_that_follows_from_a_struct() {
    check!(product(&vec![0.3, 1.2, -0.7]));
}

#[differentiable]
trait Weight {
    fn weight(&self) -> f64;
}

#[derive(Clone, Copy, Debug, PartialEq, Differentiable)]
struct Square(f64);

#[differentiable]
impl Weight for Square {
    fn weight(&self) -> f64 {
        self.0 * self.0
    }
}

#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Sine {
    x: f64,
}

#[differentiable]
impl Weight for Sine {
    fn weight(&self) -> f64 {
        self.x.sin()
    }
}

#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Scale {
    k: f64,
}
flat!(Scale { k: f64 });

#[differentiable]
impl Scale {
    fn dot<const N: usize>(&self, v: &[f64; N]) -> f64 {
        let mut sum = 0.0;
        for i in 0..N {
            sum += v[i] * self.k;
        }
        sum
    }
    fn of<T: Weight>(&self, item: &T) -> f64 {
        self.k * item.weight()
    }
    fn of_some(&self, item: &impl Weight) -> f64 {
        self.k / item.weight()
    }
    fn of_two<A: Weight, B: Differentiable + Weight>(self, a: &A, b: B) -> f64 {
        self.k * a.weight() * b.weight()
    }
    fn times<T: Into<f64> + Copy>(&self, #[constant] k: T) -> f64 {
        let k: f64 = k.into();
        self.k * k
    }
    fn sizes<T: AsRef<str> + ?Sized>(&self, #[constant] text: &T) -> f64 {
        let n: usize = text.as_ref().len();
        self.k * self.k * n as f64
    }
    fn shift<const N: usize>(&mut self, v: &mut [f64; N]) {
        for e in v.iter_mut() {
            *e *= self.k;
            self.k += *e;
        }
    }
}

#[differentiable]
#[inline(never)]
fn lengths(s: &Scale, x: &[f64]) -> f64 {
    let v = [x[0], x[1], x[2]];
    s.dot(&[x[1], x[2]]) * s.dot(&v) + s.dot(&[]) + s.dot(&[x[0]])
}

#[differentiable]
#[inline(never)]
fn items(s: &Scale, x: &[f64]) -> f64 {
    let sine = Sine { x: x[1] };
    let mut y = s.of(&Square(x[0])) * s.of(&sine) + s.of_some(&Square(x[2]));
    for k in 0..x.len() {
        y += s.of_some(&sine) * s.of(&Square(x[k]));
    }
    y + s.clone().of_two(&sine, Square(x[2]))
}

#[differentiable]
#[inline(never)]
fn constants(s: &Scale, x: &[f64]) -> f64 {
    s.times(2.0f32) + s.times(3u8) * x[1] + s.sizes("four") * x[0] + s.sizes(&String::from("three"))
}

#[differentiable]
#[inline(never)]
fn written(x: &[f64]) -> f64 {
    let mut s = Scale { k: x[0] };
    let mut v = [x[1], x[2]];
    s.shift(&mut v);
    let mut w = [v[0]];
    s.shift(&mut w);
    s.k * v[1] + w[0]
}

#[test]
fn parameters_that_follow_from_arguments() {
    let x = vec![0.3, 1.2, -0.7];
    check!(lengths(&Scale { k: 0.9 }, &x.clone()));
    check!(items(&Scale { k: 0.9 }, &x.clone()));
    check!(constants(&Scale { k: 0.9 }, &x.clone()));
    check!(written(&x.clone()));
}

#[differentiable]
trait Activation {
    fn at(&self, x: f64) -> f64;

    fn sum<const N: usize>(&self, x: [f64; N]) -> f64 {
        let mut sum = 0.0;
        for v in x {
            sum += self.at(v);
        }
        sum
    }

    fn weigh<W: Weight>(&self, item: &W) -> f64;
}

#[derive(Clone, Copy, Debug, PartialEq, Differentiable)]
struct Leaky(f64);

#[differentiable]
impl Activation for Leaky {
    fn at(&self, x: f64) -> f64 {
        if x > 0.0 { x * x } else { self.0 * x }
    }

    fn weigh<W: Weight>(&self, item: &W) -> f64 {
        self.at(item.weight())
    }
}

#[differentiable]
#[inline(never)]
fn activated(x: &[f64]) -> f64 {
    Leaky(x[0]).sum([x[1], -x[2]]) * through(&Leaky(x[1]), x)
}

/// The receiver's type is a parameter itself.
#[differentiable]
fn through<A: Activation>(a: &A, x: &[f64]) -> f64 {
    a.sum([x[0]]) + a.weigh(&Sine { x: x[2] })
}

#[test]
fn methods_of_traits() {
    check!(activated(&vec![1.3, 1.2, 0.4]));
}

/// The pullbacks of methods that call themselves are boxed, whatever follows from `W`; those of wrappers aren't.
#[derive(Clone, Copy, Debug, PartialEq, Differentiable)]
struct Chain<W> {
    item: W,
    end: f64,
}

#[differentiable]
impl<W: Weight> Chain<W> {
    fn down(&self, t: f64, n: usize) -> f64 {
        if n == 0 {
            return self.end * t;
        }
        self.item.weight() * self.down(t.sin(), n - 1)
    }

    fn even(&self, t: f64, n: usize) -> f64 {
        if n == 0 {
            return t;
        }
        t * Self::odd(self, self.end * t, n - 1)
    }

    fn odd(&self, t: f64, n: usize) -> f64 {
        if n == 0 {
            return self.item.weight();
        }
        self.even(t * t, n - 1) + t
    }
}

#[differentiable]
impl<W: Weight> Weight for Chain<W> {
    fn weight(&self) -> f64 {
        self.item.weight() * self.end
    }
}

#[differentiable]
fn repeated<W: Weight>(w: &W, t: f64, n: usize) -> f64 {
    if n == 0 {
        return t;
    }
    w.weight() * repeated(w, t.cos(), n - 1)
}

#[differentiable]
#[inline(never)]
fn recursive(x: &[f64], n: usize) -> f64 {
    let chain = Chain {
        item: Sine { x: x[0] },
        end: x[1],
    };
    chain.down(x[2], n) + chain.even(x[2], n) * repeated(&chain, x[0], n)
}

#[test]
fn recursion() {
    for n in 0..4 {
        check!(recursive(&vec![1.3, 0.8, 0.4], const n));
    }
}
