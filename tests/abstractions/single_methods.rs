//! The attribute on one function of an `impl`, with and without a receiver: it finds out what it stands in, and whose generics.

use chainrule::prelude::*;

use crate::check::check;

#[derive(Clone, Copy, Debug, PartialEq, Differentiable)]
struct Line<T> {
    slope: T,
    at: T,
}

impl<T: Real> Line<T> {
    /// Nothing in it says that it isn't free.
    #[differentiable]
    #[inline(never)]
    fn square(x: f64) -> f64 {
        x * x.sin()
    }

    #[differentiable]
    #[inline(never)]
    fn new(slope: T, at: T) -> Self {
        Line {
            slope: slope * at,
            at,
        }
    }

    #[differentiable]
    #[inline(never)]
    fn value(&self, x: T) -> T {
        self.slope * (x - self.at).sin()
    }

    #[differentiable]
    fn values<U: Real>(&self, x: &[T], weight: U) -> Vec<U>
    where
        T: Into<f64>,
        U: From<f64>,
    {
        let mut all = Vec::new();
        for v in x {
            all.push(weight * weight);
            let _ = v;
        }
        all
    }

    fn plain(&self) -> usize {
        3
    }
}

#[differentiable]
#[inline(never)]
fn through(x: f64, y: f64) -> f64 {
    let line = Line::new(x, y);
    line.value(x * y) + Line::<f64>::square(y) * x
}

#[test]
fn generics_of_the_impl() {
    check!(through(0.7, 1.2));
    assert_eq!(Line::<f64>::new_jvp(0.7, 1.2, 1.0, 0.0).1.slope, 1.2);
    let line = Line {
        slope: 2.0,
        at: 0.5,
    };
    assert_eq!(line.plain(), 3);
    let (line_bar, x_bar) = line.value_gradient(1.5);
    assert_eq!(
        (line_bar.slope, x_bar),
        (1.0_f64.sin(), 2.0 * 1.0_f64.cos())
    );
    let dot = LineTangent {
        slope: 0.0,
        at: 0.0,
    };
    assert_eq!(line.values_jvp(&[1.0], 3.0, &dot, &[0.0], 1.0).1, [6.0]);
}

struct Tables<'a, const N: usize> {
    weights: &'a [f64; N],
}

impl<'a, const N: usize> Tables<'a, N> {
    #[differentiable]
    fn sum(#[constant] &self, x: &[f64]) -> f64 {
        let mut sum = 0.0;
        for i in 0..N {
            sum += self.weights[i] * x[i].exp();
        }
        sum
    }

    #[differentiable]
    fn mean(x: &[f64]) -> f64 {
        let mut sum = 0.0;
        for i in 0..N {
            sum += x[i] * x[i];
        }
        sum / N as f64
    }
}

#[test]
fn lifetimes_and_lengths_of_the_impl() {
    let tables = Tables {
        weights: &[0.5, 2.0],
    };
    assert_eq!(tables.sum_gradient(&[0.0, 0.0]), [0.5, 2.0]);
    assert_eq!(Tables::<2>::mean_gradient(&[1.0, 3.0]), [1.0, 3.0]);
}

mod inner {
    use super::*;

    // In a module, in a function, and in a block they are free.
    #[cfg_attr(all(), differentiable)]
    pub(super) fn cube(x: f64) -> f64 {
        x * x * x
    }

    pub(super) fn local(x: f64) -> f64 {
        #[differentiable]
        #[inline(never)]
        fn free(x: f64) -> f64 {
            x.exp()
        }
        if x > 0.0 {
            #[differentiable]
            fn freer(x: f64) -> f64 {
                x.ln()
            }
            return freer::gradient(x);
        }
        free::gradient(x)
    }

    pub(super) struct Cubes;

    impl Cubes {
        #[cfg_attr(all(), differentiable)]
        pub(super) fn cube(x: f64) -> f64 {
            #[differentiable]
            #[inline(never)]
            fn free(x: f64) -> f64 {
                x * x
            }
            free(x) * x
        }

        /* impl { */
        #[rustfmt::skip] #[differentiable]        pub(super) fn r#fn(x: f64) -> f64 { x.cos() }

        #[primitive(partials(x = x.exp()))]
        pub(super) fn exp(x: f64) -> f64 {
            x.exp()
        }
    }
}

#[differentiable]
#[inline(never)]
fn cubes(x: f64) -> f64 {
    inner::Cubes::cube(x) * inner::Cubes::exp(x) + inner::Cubes::r#fn(x)
}

#[test]
fn wherever_it_stands() {
    check!(inner::cube(1.5));
    check!(cubes(1.5));
    assert_eq!(inner::Cubes::fn_gradient(0.5), -(0.5_f64.sin()));
    assert_eq!(inner::local(-1.0), (-1.0_f64).exp());
    assert_eq!(inner::local(2.0), 0.5);
}

/// A macro's `impl` can't be read, but that it is one.
macro_rules! scaled {
    ($name:ident, $scale:expr) => {
        struct $name;

        impl $name {
            #[differentiable]
            fn scaled(x: f64) -> f64 {
                x * x * $scale
            }
        }
    };
}

scaled!(Double, 2.0);

#[test]
fn in_an_impl_that_a_macro_writes() {
    assert_eq!(Double::scaled_gradient(3.0), 12.0);
}

/// Only who calls a deprecated function is warned.
#[deny(warnings)]
mod outdated {
    use super::*;

    #[deprecated(note = "use another")]
    #[differentiable]
    #[inline(never)]
    pub(super) fn old(x: f64) -> f64 {
        x * x * x
    }

    pub(super) struct Old;

    impl Old {
        #[deprecated]
        #[differentiable]
        #[inline(never)]
        pub(super) fn square(x: f64) -> f64 {
            x * x
        }
    }

    #[allow(deprecated)]
    #[differentiable]
    #[inline(never)]
    pub(super) fn caller(x: f64) -> f64 {
        old(x) * Old::square(x)
    }
}

#[test]
fn deprecated_functions() {
    check!(outdated::caller(1.1));
}
