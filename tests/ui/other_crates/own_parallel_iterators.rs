use rayon::iter::{IndexedParallelIterator, IntoParallelRefIterator};

/// The items in another order.
trait Backwards {
    fn par_iter(&self) -> rayon::iter::Rev<rayon::slice::Iter<'_, f64>>;
}

impl Backwards for [f64] {
    fn par_iter(&self) -> rayon::iter::Rev<rayon::slice::Iter<'_, f64>> {
        IntoParallelRefIterator::par_iter(self).rev()
    }
}

mod elsewhere {
    use super::Backwards;
    use chainrule::prelude::*;
    use rayon::iter::{IndexedParallelIterator, ParallelIterator};

    #[differentiable]
    pub fn weighted(x: &[f64]) -> f64 {
        x.par_iter().enumerate().map(|(i, x)| i as f64 * x).sum_in_order()
    }
}

fn main() {}
