use chainrule::prelude::*;

#[differentiable(dyn)]
trait Model {
    fn at(&self, x: f64) -> f64;
}

#[differentiable]
fn of_any_size<M: Model + ?Sized>(m: &M, x: f64) -> f64 {
    m.at(x)
}

#[differentiable]
fn of_any_size_by_clause<M>(m: &M, x: f64) -> f64
where
    M: Model + ?Sized,
{
    m.at(x)
}

#[differentiable]
fn called(m: &dyn Model, x: f64) -> f64 {
    of_any_size(m, x) * of_any_size_by_clause(m, x)
}

fn main() {}
