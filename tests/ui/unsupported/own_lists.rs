//! A type that has the name of a list of std, and positions in another order.

use chainrule::prelude::*;

mod bags {
    use std::ops::Index;

    pub struct VecDeque<T>(pub Vec<T>);

    impl<T> VecDeque<T> {
        pub fn len(&self) -> usize {
            self.0.len()
        }
    }

    impl<T> Index<usize> for VecDeque<T> {
        type Output = T;

        fn index(&self, i: usize) -> &T {
            &self.0[self.0.len() - 1 - i]
        }
    }

    impl<'a, T> IntoIterator for &'a VecDeque<T> {
        type Item = &'a T;
        type IntoIter = std::slice::Iter<'a, T>;

        fn into_iter(self) -> Self::IntoIter {
            self.0.iter()
        }
    }
}

use bags::VecDeque;

#[differentiable]
fn f(#[constant] bag: &VecDeque<f64>, x: f64) -> f64 {
    let mut sum = 0.0;
    for value in bag {
        sum = sum * x + value;
    }
    sum
}

fn main() {}
