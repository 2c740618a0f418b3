//! Constructs that published crates are written with: traits that give methods to floats, functions of a float's trait by path, casts that
//! are only compared, methods that call each other.

use chainrule::prelude::*;

use crate::check::check;

mod by_path_of_a_float {
    use chainrule::prelude::*;
    use num_traits::Float;

    #[differentiable]
    pub(super) fn length(x: f64, y: f64) -> f64 {
        let square = Float::powi(x, 2) + Float::powi(y, 2);
        Float::max(Float::sqrt(square), 0.1)
    }
}

/// A trait of one's own may have the names of those of `num-traits`.
mod num {
    use chainrule::prelude::*;

    #[differentiable]
    pub(super) trait Float {
        fn sqrt(self) -> f64;
    }

    #[differentiable]
    impl Float for f64 {
        fn sqrt(self) -> f64 {
            0.5 * self * self
        }
    }
}

mod by_path_of_another_float {
    use super::num::Float;
    use chainrule::prelude::*;

    #[differentiable]
    pub(super) fn raised(x: f64) -> f64 {
        Float::sqrt(x) + x
    }
}

mod by_path_in_its_module {
    mod num_traits {
        use chainrule::prelude::*;

        #[differentiable]
        pub(super) trait Float {
            fn exp(self) -> f64;
        }

        #[differentiable]
        impl Float for f64 {
            fn exp(self) -> f64 {
                3.0 * self
            }
        }
    }

    use chainrule::prelude::*;
    use num_traits::Float;

    #[differentiable]
    pub(super) fn raised(x: f64) -> f64 {
        Float::exp(x) * x + num_traits::Float::exp(x)
    }
}

#[test]
fn other_traits_of_that_name() {
    check!(by_path_of_another_float::raised(4.0)).assert_gradient(&[5.0]);
    check!(by_path_in_its_module::raised(2.0)).assert_gradient(&[15.0]);
}

#[differentiable]
trait Numbers {
    fn squared(self) -> f64;
    fn half(&self) -> f64;
    fn mixed(self, other: f64, n: usize) -> f64;
}

#[differentiable]
impl Numbers for f64 {
    fn squared(self) -> f64 {
        self * self
    }

    fn half(&self) -> f64 {
        *self / 2.0
    }

    fn mixed(self, other: f64, n: usize) -> f64 {
        let mut product = self;
        for _ in 0..n {
            product *= other.sin();
        }
        product
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Differentiable)]
struct Pair {
    x: f64,
    y: f64,
}

#[differentiable]
fn methods_of_a_trait(x: f64, y: f64, list: &[f64], n: usize) -> f64 {
    let p = Pair { x, y };
    let mut sum = p.x.squared().half();
    for v in list {
        sum += v.squared() * p.y.mixed(*v, n);
    }
    sum * (p.x * p.y + 1.0).half()
}

#[differentiable]
fn compared(a: f64, x: f64) -> f64 {
    if (a as usize) >= 3 && a as i32 % 2 == 1 {
        a * x
    } else {
        a + x
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Differentiable)]
struct Cycle {
    weight: f64,
}

impl Cycle {
    #[differentiable]
    fn even(&self, x: f64, #[constant] n: usize) -> f64 {
        if n == 0 {
            x
        } else {
            self.weight
                * Cycle {
                    weight: self.weight + x,
                }
                .odd(x, n - 1)
        }
    }

    #[differentiable]
    fn odd(&self, x: f64, #[constant] n: usize) -> f64 {
        if n == 0 {
            1.0
        } else {
            x.sin() * self.even(x, n - 1)
        }
    }
}

#[differentiable]
fn in_a_cycle(weight: f64, x: f64, #[constant] n: usize) -> f64 {
    let cycle = Cycle { weight };
    cycle.even(x, n) * x
}

#[test]
fn floats_by_path() {
    check!(by_path_of_a_float::length(0.7, -1.3));
    check!(by_path_of_a_float::length(0.03, 0.04));
}

#[test]
fn methods_that_a_trait_gives_to_floats() {
    for n in 0..3 {
        check!(methods_of_a_trait(0.7, -1.3, &vec![0.4, 1.9, -0.2], const n));
    }
}

#[test]
fn casts_that_are_compared() {
    for a in [1.5, 3.5, 4.5] {
        check!(compared(a, 0.7));
    }
    assert_eq!(compared::gradient(3.5, 0.7), (0.7, 3.5));
    assert_eq!(compared::gradient(4.5, 0.7), (1.0, 1.0));
}

#[test]
fn methods_that_call_each_other() {
    for n in 0..5 {
        check!(in_a_cycle(0.6, 1.2, const n));
    }
}
