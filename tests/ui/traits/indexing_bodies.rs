use core::ops::{Index, IndexMut, Range};

use chainrule::prelude::*;

#[derive(Clone, Differentiable)]
struct Grid {
    n: usize,
    data: Vec<f64>,
    perm: Vec<usize>,
}

static ZERO: f64 = 0.0;

struct A(usize);
struct B(usize);
struct C(usize);
struct D(usize);
struct E(usize);

#[differentiable]
impl Index<A> for Grid {
    type Output = f64;

    fn index(&self, a: A) -> &f64 {
        if a.0 < self.n { &self.data[a.0] } else { &ZERO }
    }
}

#[differentiable]
impl Index<B> for Grid {
    type Output = f64;

    fn index(&self, b: B) -> &f64 {
        if b.0 == 0 {
            return &self.data[0];
        }
        &self.data[b.0]
    }
}

#[differentiable]
impl Index<C> for Grid {
    type Output = f64;

    fn index(&self, c: C) -> &f64 {
        self.data.iter().nth(c.0).unwrap()
    }
}

#[differentiable]
impl Index<D> for Grid {
    type Output = usize;

    fn index(&self, d: D) -> &usize {
        &self.perm[self.perm[d.0]]
    }
}

#[differentiable]
impl Index<Range<usize>> for Grid {
    type Output = [f64];

    fn index(&self, range: Range<usize>) -> &[f64] {
        &self.data[range]
    }
}

#[differentiable]
impl Index<E> for Grid {
    type Output = f64;

    fn index(&self, e: E) -> &f64 {
        &self.data[e.0]
    }
}

#[differentiable]
impl IndexMut<E> for Grid {
    fn index_mut(&mut self, _: E) -> &mut f64 {
        let first = self.data.first_mut();
        first.unwrap()
    }
}

struct F(usize);

#[differentiable]
impl Index<F> for Grid {
    type Output = f64;

    fn index(&self, f: F) -> &f64 {
        &self.data[f.0]
    }
}

#[differentiable]
impl IndexMut<F> for Grid {
    fn index_mut(&mut self, f: F) -> &mut f64 {
        self.n += 1;
        &mut self.data[f.0]
    }
}

fn main() {}
