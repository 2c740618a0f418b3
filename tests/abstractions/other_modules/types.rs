//! Types, and what belongs to them.

use std::collections::HashMap;

use chainrule::prelude::*;

pub(crate) type Row = Vec<f64>;

pub(crate) const N: usize = 3;

#[derive(Clone, Debug, PartialEq, Differentiable)]
pub(crate) struct Inner {
    pub b: f64,
    pub ids: Vec<usize>,
}

#[derive(Clone, Debug, PartialEq, Differentiable)]
pub(crate) struct Grid {
    pub w: f64,
    pub h: f64,
    pub n: usize,
    pub rows: Vec<Row>,
    pub inner: Inner,
    pub parts: [f64; N],
    secret: f64,
    #[constant]
    pub data: Vec<f64>,
    #[constant]
    hidden: Vec<f64>,
    #[constant]
    pub names: HashMap<String, usize>,
}

#[differentiable]
impl Grid {
    pub(crate) fn new(w: f64, h: f64) -> Grid {
        Grid {
            w,
            h,
            n: 3,
            rows: vec![vec![w, h]; 2],
            inner: Inner {
                b: w * h,
                ids: vec![1, 0],
            },
            parts: [w; N],
            secret: h,
            data: vec![0.5, 1.5],
            hidden: vec![2.0],
            names: HashMap::from([("a".to_owned(), 2)]),
        }
    }

    pub(crate) fn area(&self) -> f64 {
        self.w * self.h * self.secret * self.hidden[0]
    }

    pub(crate) fn row(&self, k: usize) -> &Row {
        &self.rows[k]
    }

    pub(crate) fn len(&self) -> usize {
        self.n
    }

    fn private(&self) -> f64 {
        self.w
    }

    pub(crate) fn repeated(&self, k: usize) -> f64 {
        if k == 0 {
            self.w + self.private()
        } else {
            self.h * self.repeated(k - 1)
        }
    }

    pub(crate) fn bounded(&self, x: f64) -> Option<f64> {
        if x > 100.0 { None } else { Some(x * self.w) }
    }
}

#[derive(Clone, Debug, PartialEq, Differentiable)]
pub(crate) enum Shape {
    Circle { r: f64 },
    Rect(f64, f64),
    Empty,
}
