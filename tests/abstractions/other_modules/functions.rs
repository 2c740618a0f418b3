//! Functions that are called by their paths.

use chainrule::prelude::*;

use super::types::{Grid, Row};

pub(crate) mod errors {
    #[derive(Debug, Clone, PartialEq)]
    pub(crate) struct Bad(pub i32);
}

#[differentiable]
pub(crate) fn rows(x: &[f64]) -> Vec<Row> {
    vec![x.iter().map(|v| v * 2.0).collect(), x.to_vec()]
}

#[differentiable]
pub(crate) fn scaled(x: &[f64]) -> Option<f64> {
    if x.is_empty() { None } else { Some(x[0] * 3.0) }
}

#[differentiable]
pub(crate) fn grid(x: &[f64]) -> Grid {
    Grid::new(x[0], x[1])
}

#[differentiable]
pub(crate) fn checked(x: f64) -> Result<f64, errors::Bad> {
    if x > 50.0 {
        Err(errors::Bad(3))
    } else {
        Ok(x * x)
    }
}

#[differentiable]
pub(crate) fn twice(f: impl Fn(&Grid) -> f64, g: &Grid) -> f64 {
    f(g) * 2.0
}

#[differentiable]
pub(crate) fn grow(g: &mut Grid, v: f64) {
    g.w += v * v;
    g.inner.ids.push(3);
    if v > 1e9 {
        grow(g, v);
    }
}
