//! Types that have the names of types of std: a list with its positions in another order, and a box of two values.

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

mod by_glob {
    use chainrule::prelude::*;

    use super::bags::*;

    #[differentiable]
    fn g(#[constant] bag: &VecDeque<f64>, x: f64) -> f64 {
        let mut sum = 0.0;
        for value in bag {
            sum = sum * x + value;
        }
        sum
    }
}

mod by_path {
    use chainrule::prelude::*;

    #[differentiable]
    fn h(#[constant] bag: &super::bags::VecDeque<f64>, x: f64) -> f64 {
        let mut sum = 0.0;
        for value in bag {
            sum = sum * x + value;
        }
        sum
    }
}

mod boxes {
    use std::ops::Deref;

    use chainrule::prelude::*;

    struct Box<T> {
        first: T,
        second: T,
    }

    impl<T> Deref for Box<T> {
        type Target = T;

        fn deref(&self) -> &T {
            &self.second
        }
    }

    impl<T> Box<T> {
        fn as_ref(&self) -> &T {
            &self.first
        }
    }

    #[differentiable]
    fn k(#[constant] both: &Box<f64>, x: f64) -> f64 {
        **both * x + both.as_ref() * x * x
    }
}

fn main() {}
