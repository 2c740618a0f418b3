use chainrule::prelude::*;

#[derive(Clone, Differentiable)]
struct Path(Vec<f64>);

#[differentiable]
impl FromIterator<f64> for Path {
    fn from_iter<I: IntoIterator<Item = f64>>(items: I) -> Path {
        Path(items.into_iter().collect())
    }
}

/// Of the type's own values only.
#[differentiable]
impl std::iter::Sum<f64> for Path {
    fn sum<I: Iterator<Item = f64>>(items: I) -> Path {
        Path(vec![items.sum()])
    }
}

fn main() {
    let path: Path = [2.0, 1.0].into_iter().collect();
    let sum: Path = path.0.into_iter().sum();
    println!("{}", sum.0.len());
}
