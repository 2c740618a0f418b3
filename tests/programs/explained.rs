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

/// Code whose types stand elsewhere in the file: nothing of it is left to rustc.
mod typed {
    use core::f64::consts::{PI, TAU as TURN};

    use chainrule::DifferentiableValue;
    use chainrule::functions::log1pexp;

    use super::*;

    /// No tangent: its numbers are constants.
    #[derive(Clone, Debug)]
    struct Observation {
        at: f64,
        kind: Kind,
    }

    #[derive(Clone, Debug)]
    enum Kind {
        Exact,
        Noisy { scale: f64 },
    }

    #[derive(Debug, PartialEq)]
    enum Refused {
        Negative,
    }

    #[derive(Clone, Debug, PartialEq, Default, Differentiable)]
    struct Line {
        slope: f64,
        offset: f64,
    }

    #[differentiable]
    impl Line {
        fn at(&self, #[constant] x: f64) -> Result<f64, Refused> {
            if x < 0.0 {
                return Err(Refused::Negative);
            }
            Ok(self.slope * x + self.offset)
        }
    }

    #[differentiable(explain)]
    fn misfit(line: &Line, #[constant] seen: &[Observation]) -> Result<f64, Refused> {
        let mut total = 0.0;
        for of in seen {
            let r = line.at(of.at)? - of.at;
            total += match of.kind {
                Kind::Exact => r * r,
                Kind::Noisy { scale } => r * r / scale,
            };
        }
        Ok(total)
    }

    #[differentiable(dyn)]
    trait Density {
        fn log_density(&self, #[constant] x: f64) -> f64;
    }

    #[derive(Clone, Debug, PartialEq, Differentiable)]
    struct Normal {
        mean: f64,
    }

    #[differentiable]
    impl Density for Normal {
        fn log_density(&self, #[constant] x: f64) -> f64 {
            let z = x - self.mean;
            -0.5 * z * z
        }
    }

    #[differentiable(explain)]
    fn of_a_parameter<D: Density + DifferentiableValue>(of: &D, #[constant] x: f64) -> f64 {
        of.log_density(x) * of.log_density(2.0 * x)
    }

    #[derive(Clone, Debug, PartialEq, Differentiable)]
    struct Mixture<D> {
        parts: Vec<D>,
    }

    #[differentiable(explain)]
    impl<D: Density + DifferentiableValue> Mixture<D> {
        fn total(&self, #[constant] x: f64) -> f64 {
            let mut total = 0.0;
            for part in &self.parts {
                total += part.log_density(x).exp();
            }
            total.ln()
        }
    }

    #[differentiable(explain)]
    fn of_objects(mean: f64) -> f64 {
        let all: Vec<Box<dyn Density>> = vec![
            Box::new(Normal { mean }),
            Box::new(Normal { mean: 2.0 * mean }),
        ];
        let mut product = 1.0;
        for of in &all {
            product *= of.log_density(0.5);
        }
        product
    }

    #[differentiable(explain)]
    fn imported(angle: f64) -> f64 {
        let turned = (angle + PI).rem_euclid(TURN) - PI;
        turned * log1pexp(angle)
    }

    #[differentiable(explain)]
    fn by_default(x: f64) -> f64 {
        let mut line = Line::default();
        line.slope += x;
        line.slope * line.slope + line.offset
    }

    #[primitive(partials(x = 2.0 * x))]
    fn square(x: f64) -> f64 {
        x * x
    }

    #[differentiable(explain)]
    fn by_hand(x: &[f64]) -> f64 {
        let mut total = 0.0;
        for x in x {
            total += square(*x) * 3.0;
        }
        total
    }

    #[derive(Clone, Debug, PartialEq, Differentiable)]
    enum Tree {
        Leaf(f64),
        Node(Box<Tree>, Box<Tree>),
    }

    #[differentiable(explain)]
    impl Tree {
        fn product(&self) -> f64 {
            match self {
                Tree::Leaf(x) => *x,
                Tree::Node(left, right) => left.product() * right.product(),
            }
        }
    }

    table! {
        imported: (4.0), (-1.0);
        by_default: (1.5);
        by_hand: (&[1.0, -2.0]);
        of_objects: (0.75);
    }

    #[test]
    fn nothing_is_left_to_rustc() {
        let texts = [
            misfit::explain(),
            of_a_parameter::explain(),
            Mixture::<Normal>::total_explain(),
            of_objects::explain(),
            imported::explain(),
            by_default::explain(),
            by_hand::explain(),
            Tree::product_explain(),
        ];
        for text in texts {
            assert!(!text.contains("Types that only rustc knows"), "{text}");
        }
    }

    #[test]
    fn numbers_of_types_without_tangents_are_constants() {
        let line = Line {
            slope: 2.0,
            offset: 1.0,
        };
        let seen = [
            Observation {
                at: 1.0,
                kind: Kind::Exact,
            },
            Observation {
                at: 3.0,
                kind: Kind::Noisy { scale: 4.0 },
            },
        ];
        let (value, gradient) = misfit::value_and_gradient(&line, &seen).unwrap();
        // r is 2 and 4.
        assert_eq!(value, 8.0);
        let expected = (
            2.0 * 2.0 + 2.0 * 4.0 * 3.0 / 4.0,
            2.0 * 2.0 + 2.0 * 4.0 / 4.0,
        );
        assert_eq!((gradient.slope, gradient.offset), expected);
        let negative = Observation {
            at: -1.0,
            kind: Kind::Exact,
        };
        assert_eq!(
            misfit::gradient(&line, &[negative]).unwrap_err(),
            Refused::Negative
        );
    }

    #[test]
    fn methods_of_traits_return_numbers() {
        let normal = Normal { mean: 0.5 };
        // Of (1 - m)^2 (2 - m)^2 / 4.
        let expected = -(2.0 * 0.5 * 2.25 + 2.0 * 0.25 * 1.5) / 4.0;
        assert_eq!(of_a_parameter::gradient(&normal, 1.0).mean, expected);
        let mixture = Mixture {
            parts: vec![normal.clone(), normal],
        };
        let gradient = Mixture::total_gradient(&mixture, 1.0);
        approx::assert_relative_eq!(gradient.parts[0].mean, 0.25, max_relative = 1e-14);
        let tree = Tree::Node(Tree::Leaf(3.0).into(), Tree::Leaf(5.0).into());
        let (value, _) = Tree::product_value_and_gradient(&tree);
        assert_eq!(value, 15.0);
    }
}
