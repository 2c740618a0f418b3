//! Functions that say what their gradients do.

use chainrule::prelude::*;

use crate::check::table;

#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Growth {
    rate: f64,
}

#[differentiable(explain)]
impl Growth {
    fn after(&self, n: usize, start: f64) -> f64 {
        let mut size = start;
        for _ in 0..n {
            size += self.rate * size * (1.0 - size);
        }
        size
    }
}

#[differentiable(explain)]
fn sum_of<T: Real>(x: &[T]) -> T {
    let mut sum = T::zero();
    for v in x {
        sum += v.sin();
    }
    sum
}

#[differentiable(explain)]
fn sizes(rate: f64, starts: &[f64]) -> f64 {
    let growth = Growth { rate };
    starts.iter().map(|start| growth.after(3, *start)).sum()
}

table! {
    sizes: (0.5, &[0.1, 0.2]);
}

#[test]
fn what_a_trip_stores() {
    let text = Growth::after_explain();
    assert!(
        text.starts_with("`after`, differentiated by `self`, "),
        "{text}"
    );
    assert!(
        text.contains("a forward and a reverse half; a trip stores "),
        "{text}"
    );
    assert!(sum_of::explain().contains("one loop for everything, nothing is stored"));
    assert!(sizes::explain().contains("`after`: its pullback is kept"));
}
