//! Indexing of the user's own types: matrices, vectors of three, rows; read, written, and in loops.

use core::ops::{Index, IndexMut};
use std::collections::{HashMap, VecDeque};
use std::rc::Rc;

use chainrule::prelude::*;
use chainrule::testing::check_rules;

use crate::check::{check, check_map, flat};

/// A matrix with its rows one after the other.
#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Grid {
    n: usize,
    data: Vec<f64>,
}
flat!(Grid { data: Vec<f64> });

#[differentiable]
impl Index<(usize, usize)> for Grid {
    type Output = f64;

    fn index(&self, (i, j): (usize, usize)) -> &f64 {
        assert!(j < self.n);
        &self.data[i * self.n + j]
    }
}

#[differentiable]
impl IndexMut<(usize, usize)> for Grid {
    fn index_mut(&mut self, (i, j): (usize, usize)) -> &mut f64 {
        assert!(j < self.n);
        let k = i * self.n + j;
        &mut self.data[k]
    }
}

/// Rows.
#[differentiable]
impl Index<usize> for Grid {
    type Output = [f64];

    fn index(&self, i: usize) -> &[f64] {
        &self.data[i * self.n..(i + 1) * self.n]
    }
}

#[differentiable]
impl IndexMut<usize> for Grid {
    fn index_mut(&mut self, i: usize) -> &mut [f64] {
        let start = i * self.n;
        &mut self.data[start..start + self.n]
    }
}

fn grid(n: usize, m: usize) -> Grid {
    let entry = |k: usize| 0.7 + 0.3 * k as f64 - 0.11 * (k * k % 7) as f64;
    Grid {
        n,
        data: (0..n * m).map(entry).collect(),
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Differentiable)]
struct V3 {
    x: f64,
    y: f64,
    z: f64,
}
flat!(V3 {
    x: f64,
    y: f64,
    z: f64
});

const V: V3 = V3 {
    x: 0.5,
    y: -1.25,
    z: 2.0,
};

#[differentiable]
impl Index<usize> for V3 {
    type Output = f64;

    fn index(&self, i: usize) -> &f64 {
        match i {
            0 => &self.x,
            1 => &self.y,
            2 => &self.z,
            _ => panic!("no component {i}"),
        }
    }
}

#[differentiable]
impl IndexMut<usize> for V3 {
    fn index_mut(&mut self, i: usize) -> &mut Self::Output {
        if i == 0 {
            &mut self.x
        } else if i == 1 {
            &mut self.y
        } else {
            assert_eq!(i, 2);
            &mut self.z
        }
    }
}

#[differentiable]
#[inline(never)]
fn entry(m: &Grid) -> f64 {
    m[(0, 1)].sin() * m[(1, 0)]
}

#[differentiable]
#[inline(never)]
fn trace_of_square(m: &Grid) -> f64 {
    let mut t = 0.0;
    for i in 0..m.n {
        for j in 0..m.n {
            t += m[(i, j)] * m[(j, i)].exp();
        }
    }
    t
}

#[differentiable]
#[inline(never)]
fn components(v: &V3, k: usize) -> f64 {
    let mut s: f64 = 1.0;
    for i in 0..k {
        s = s * v[i] + v[i].sin();
    }
    s
}

#[test]
fn elements_are_read() {
    check!(entry(&grid(2, 2)));
    for n in 0..4 {
        check!(trace_of_square(&grid(n, n)));
        check!(components(&V, const n));
    }
}

#[differentiable]
#[inline(never)]
fn rows(m: &Grid, i: usize) -> f64 {
    let row = &m[i];
    let mut s = 0.0;
    for j in 0..m.n {
        s += row[j] * m[i][j].cos() * m[(i, 0)];
    }
    s
}

#[differentiable]
#[inline(never)]
fn of_row(row: &[f64]) -> f64 {
    row.iter().map(|x| x * x).product::<f64>()
}

#[differentiable]
#[inline(never)]
fn of_rows(m: &Grid) -> f64 {
    let mut s = 0.0;
    for i in 0..m.data.len() / m.n {
        s += of_row(&m[i]) * of_row(&m[0]);
    }
    s
}

#[test]
fn rows_are_slices() {
    check!(rows(&grid(3, 2), const 1));
    check!(of_rows(&grid(2, 3)));
}

#[differentiable]
#[inline(never)]
fn assigned(mut m: Grid, v: &V3, n: usize) -> f64 {
    for i in 0..n {
        m[(i, 0)] = v[i] * m[(0, 1)];
        m[(0, 1)] += m[(i, 0)].sin();
        m[(i, 1)] *= v[2 - i];
        m[i][0] -= 0.5 * m[(0, 1)];
    }
    let mut s = 0.0;
    for k in 0..m.data.len() {
        s += m.data[k] * m.data[k];
    }
    s
}

#[differentiable]
#[inline(never)]
fn set_in_place(m: &mut Grid, v: &mut V3, n: usize) {
    for i in 0..n {
        m[(i, i)] = m[(i, 0)] * v[i];
        v[i] = m[(i, i)] + v[(i + 1) % 3].exp();
    }
}

#[differentiable]
#[inline(never)]
fn of_element(x: &mut f64, by: f64) -> f64 {
    *x *= by;
    x.sin()
}

#[differentiable]
#[inline(never)]
fn double(row: &mut [f64]) {
    for x in row.iter_mut() {
        *x = 2.0 * *x + x.sin();
    }
}

#[differentiable]
#[inline(never)]
fn lent(m: &Grid, by: f64) -> f64 {
    let mut m = m.clone();
    let s = of_element(&mut m[(1, 0)], by);
    double(&mut m[0]);
    double(&mut m[1]);
    s * m[(1, 0)] + m[(0, 1)]
}

#[test]
fn elements_are_written() {
    for n in 0..4 {
        check!(assigned(grid(2, 3), &V, const n));
        check_map!(set_in_place(&mut grid(3, 3), &mut V, const n));
    }
    check!(lent(&grid(2, 2), 1.5));
}

#[differentiable]
impl Grid {
    fn scale_row(&mut self, i: usize, by: f64) {
        for j in 0..self.n {
            self[(i, j)] *= by;
        }
    }

    fn add_row(&mut self, from: usize, to: usize, by: f64) {
        for j in 0..self.n {
            let x = self[(from, j)];
            self[(to, j)] += by * x;
        }
    }

    fn norm(&self) -> f64 {
        let mut s = 0.0;
        for i in 0..self.data.len() / self.n {
            for j in 0..self.n {
                s += self[(i, j)].powi(2);
            }
        }
        s.sqrt()
    }
}

#[differentiable]
#[inline(never)]
fn by_methods(m: &mut Grid, a: f64) -> f64 {
    let before = m.norm();
    m.scale_row(0, a);
    m.add_row(0, 1, before);
    m.norm() * m[(1, 1)]
}

/// Solves `m x = b` by elimination, with pivots.
#[differentiable]
#[inline(never)]
fn solve(m: &Grid, b: &[f64]) -> Vec<f64> {
    let n = b.len();
    let mut m = m.clone();
    let mut x = b.to_vec();
    for k in 0..n {
        let mut pivot = k;
        for i in k + 1..n {
            if m[(i, k)].abs() > m[(pivot, k)].abs() {
                pivot = i;
            }
        }
        if pivot != k {
            for j in 0..n {
                let t = m[(k, j)];
                m[(k, j)] = m[(pivot, j)];
                m[(pivot, j)] = t;
            }
            x.swap(k, pivot);
        }
        for i in k + 1..n {
            let factor = m[(i, k)] / m[(k, k)];
            for j in k..n {
                m[(i, j)] -= factor * m[(k, j)];
            }
            x[i] -= factor * x[k];
        }
    }
    for k in (0..n).rev() {
        for j in k + 1..n {
            x[k] -= m[(k, j)] * x[j];
        }
        x[k] /= m[(k, k)];
    }
    x
}

#[differentiable]
impl Grid {
    fn zeros(#[constant] n: usize) -> Grid {
        Grid {
            n,
            data: vec![0.0; n * n],
        }
    }
}

#[differentiable]
#[inline(never)]
fn product(a: &Grid, b: &Grid) -> Grid {
    let mut c = Grid {
        n: a.n,
        data: vec![0.0; a.n * a.n],
    };
    for i in 0..a.n {
        for j in 0..a.n {
            for k in 0..a.n {
                c[(i, j)] += a[(i, k)] * b[(k, j)];
            }
        }
    }
    c
}

#[differentiable]
#[inline(never)]
fn power_sum(a: &Grid) -> f64 {
    let b = product(a, a);
    let c = product(&b, a);
    let mut s = 0.0;
    for i in 0..a.n {
        s += c[(i, 0)].sin() * b[(0, i)];
    }
    s
}

#[differentiable]
#[inline(never)]
fn filled(a: &Grid) -> f64 {
    let mut z = Grid::zeros(2);
    for i in 0..2 {
        z[(i, 1 - i)] = a[(i, i)] * 2.0;
    }
    z[(0, 1)] * z[(1, 0)] + z[(1, 1)]
}

#[test]
fn programs() {
    check!(by_methods(&mut grid(2, 2), 0.75));
    let mut m = grid(3, 3);
    m.data[0] = 0.01;
    check_map!(solve(&m, &vec![0.3, -1.0, 2.0]));
    check_map!(product(&grid(2, 2), &grid(2, 2)));
    check!(power_sum(&grid(2, 2)));
    check!(filled(&grid(2, 2)));
}

/// A matrix whose sizes are part of its type.
#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Mat<const R: usize, const C: usize>([[f64; C]; R]);

flat!(Mat<2, 3> { 0: [[f64; 3]; 2] });
flat!(Mat<3, 2> { 0: [[f64; 2]; 3] });

#[differentiable]
impl<const R: usize, const C: usize> Index<(usize, usize)> for Mat<R, C> {
    type Output = f64;

    fn index(&self, at: (usize, usize)) -> &f64 {
        let row = &self.0[at.0];
        &row[at.1]
    }
}

#[differentiable]
impl<const R: usize, const C: usize> IndexMut<(usize, usize)> for Mat<R, C> {
    fn index_mut(&mut self, at: (usize, usize)) -> &mut f64 {
        &mut self.0[at.0][at.1]
    }
}

#[differentiable]
fn transposed<const R: usize, const C: usize>(m: &Mat<R, C>) -> Mat<C, R> {
    let mut t = Mat([[0.0; R]; C]);
    for i in 0..R {
        for j in 0..C {
            t[(j, i)] = m[(i, j)] * m[(0, 0)];
        }
    }
    t
}

/// Numbers of any precision, by name.
#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Named<T: Real> {
    width: T,
    heights: Vec<T>,
    inner: Inner<T>,
}

#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Inner<T: Real> {
    depth: T,
}

flat!(Named<f64> {
    width: f64,
    heights: Vec<f64>,
    inner: Inner<f64>
});
flat!(Inner<f64> { depth: f64 });

#[derive(Clone, Copy, Debug)]
enum Name {
    Width,
    Height(usize),
    Depth,
    Last,
}

#[differentiable]
impl<T: Real> Index<Name> for Named<T> {
    type Output = T;

    fn index(&self, name: Name) -> &T {
        match name {
            Name::Width => &self.width,
            Name::Height(k) if k > 100 => unreachable!(),
            Name::Height(k) => self.heights.get(k).expect("a height"),
            Name::Depth => &self.inner.depth,
            Name::Last => {
                let last = self.heights.len() - 1;
                &self.heights[last]
            }
        }
    }
}

#[differentiable]
impl<T: Real> IndexMut<Name> for Named<T> {
    fn index_mut(&mut self, name: Name) -> &mut T {
        match name {
            Name::Width => &mut self.width,
            Name::Height(k) => &mut self.heights[k],
            Name::Depth => &mut self.inner.depth,
            Name::Last => {
                let last = self.heights.len() - 1;
                &mut self.heights[last]
            }
        }
    }
}

#[differentiable]
fn volume<T: Real>(named: &Named<T>) -> T {
    named[Name::Width] * named[Name::Height(1)] * named[Name::Depth].exp() / named[Name::Last]
}

#[differentiable]
fn grown<T: Real>(named: &mut Named<T>, by: T) -> T {
    for k in 0..3 {
        named[Name::Height(k)] *= by;
        let height = named[Name::Height(k)];
        named[Name::Width] += height.sin();
    }
    let front = named[Name::Depth] * named[Name::Width];
    named[Name::Last] = front;
    volume(named)
}

#[test]
fn generic_types() {
    let m = Mat([[0.5, 1.5, -0.25], [2.0, 0.125, 1.0]]);
    check_map!(transposed(&m));
    let named = Named {
        width: 1.5,
        heights: vec![0.5, 0.75, 1.25],
        inner: Inner { depth: 0.3 },
    };
    check!(volume(&named.clone()));
    check!(grown(&mut named, 1.25));
}

/// Values of the user's own in the user's own.
#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Model {
    grid: Grid,
    #[constant]
    table: Grid,
    points: Points,
    boxed: Box<V3>,
}
flat!(Model {
    grid: Grid,
    points: Points,
    boxed: Box<V3>
});

#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Points {
    all: Vec<V3>,
    order: Vec<usize>,
}
flat!(Points { all: Vec<V3> });

#[differentiable]
impl Index<usize> for Points {
    type Output = V3;

    fn index(&self, i: usize) -> &V3 {
        &self.all[self.order[i]]
    }
}

#[differentiable]
impl IndexMut<usize> for Points {
    fn index_mut(&mut self, i: usize) -> &mut V3 {
        let k = self.order[i];
        &mut self.all[k]
    }
}

fn model() -> Model {
    Model {
        grid: grid(2, 2),
        table: grid(2, 3),
        points: Points {
            all: vec![
                V,
                V3 {
                    x: 0.3,
                    y: 0.9,
                    z: -0.2,
                },
            ],
            order: vec![1, 0],
        },
        boxed: Box::new(V),
    }
}

#[differentiable]
impl Model {
    fn value(&self) -> f64 {
        let mut s = self.boxed[1];
        for i in 0..2 {
            s +=
                self.grid[(i, 1)] * self.table[(i, 0)] * self.points[i][2] + self.points[i].y.sin();
        }
        s
    }

    fn step(&mut self, h: f64) {
        for i in 0..2 {
            for c in 0..3 {
                self.points[i][c] += h * self.boxed[c] * self.table[(c, i)];
            }
            self.points[i].x *= self.grid[(i, i)];
        }
        let first = self.points[0];
        self.points[1] = V3 {
            x: first[1],
            ..self.points[1]
        };
    }
}

#[differentiable]
#[inline(never)]
fn value(model: &Model) -> f64 {
    model.value()
}

#[differentiable]
#[inline(never)]
fn run(model: &mut Model, h: f64, n: usize) -> f64 {
    for _ in 0..n {
        model.step(h);
    }
    model.value()
}

#[differentiable]
#[inline(never)]
fn reordered(points: &Points, n: usize) -> f64 {
    let mut points = points.clone();
    let mut s = 0.0;
    for _ in 0..n {
        s += points[0][1].sin() * points[1].x;
        points[0].y = s;
        points.order.swap(0, 1);
    }
    s
}

#[differentiable]
#[inline(never)]
fn bumped(points: &mut Points, n: usize) -> f64 {
    let mut s = 0.0;
    for i in 0..n {
        s += points[0][i] * points[1].x;
        points.order[0] = i % 2;
        points.order[1] = 1 - i % 2;
        points[1].x += s.sin();
        points.order[0] += 1;
        points.order[0] %= 2;
    }
    s
}

#[test]
fn nested() {
    check!(value(&model()));
    for n in 0..4 {
        check!(run(&mut model(), 0.1, const n));
        check!(reordered(&model().points, const n));
        check!(bumped(&mut model().points, const n));
    }
}

/// A table without rules, which has no tangent either.
#[derive(Clone, Debug, PartialEq)]
struct Table(Vec<f64>);

impl Index<i32> for Table {
    type Output = f64;

    fn index(&self, i: i32) -> &f64 {
        &self.0[i as usize + 1]
    }
}

/// Containers of std, and what is behind pointers.
#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Store {
    boxed: Box<[f64]>,
    shared: Box<Vec<f64>>,
    queue: VecDeque<f64>,
    grid: Box<Grid>,
    #[constant]
    table: Table,
    #[constant]
    weights: HashMap<&'static str, f64>,
}

#[differentiable]
fn stored(store: &Store, #[constant] n: usize) -> f64 {
    let mut s = store.boxed[0];
    for i in 0..n {
        s += store.boxed[i] * store.shared[i].sin() * store.queue[i];
        if i % 2 == 0 {
            s *= store.grid[(0, 1)] + store.grid[0][i];
        }
        s += store.table[i as i32] * store.weights["a"] * store.boxed[i];
    }
    s
}

#[derive(Clone, Debug, Differentiable)]
struct Shared {
    slice: &'static [f64],
    v: &'static V3,
    list: Rc<Vec<f64>>,
    grid: Rc<Grid>,
}

#[differentiable]
fn shared(of: &Shared, #[constant] n: usize) -> f64 {
    let mut s = of.slice[0] * of.v[1];
    for i in 0..n {
        s += of.slice[i] * of.v[i].exp() + of.list[i] * of.grid[(i, 0)];
    }
    s
}

#[test]
fn containers_and_pointers() {
    let store = Store {
        boxed: [0.25, 0.5, 0.75].into(),
        shared: Box::new(vec![0.5, 1.5, -0.5]),
        queue: VecDeque::from([1.0, 2.0, 3.0]),
        grid: Box::new(grid(3, 2)),
        table: Table(vec![9.0, 0.1, 0.2, 0.3]),
        weights: HashMap::from([("a", 1.5)]),
    };
    for n in 0..4 {
        check_rules!(stored, &store, n);
    }

    // What is shared can't be moved by a tangent, and so can't be compared with differences.
    let of = Shared {
        slice: &[0.5, 0.75, -1.0],
        v: &V,
        list: Rc::new(vec![0.5, 1.5]),
        grid: Rc::new(grid(2, 2)),
    };
    let bar = shared::gradient(&of, 2);
    let exp = [V.x.exp(), V.y.exp()];
    assert_eq!(bar.slice, [exp[0] + V.y, exp[1], 0.0]);
    assert_eq!(
        [bar.v.x, bar.v.y, bar.v.z],
        [0.5 * exp[0], 0.5 + 0.75 * exp[1], 0.0]
    );
    assert_eq!(
        **bar.list,
        of.grid.data[..]
            .iter()
            .copied()
            .step_by(2)
            .collect::<Vec<_>>()
    );
    assert_eq!(bar.grid.data, [0.5, 0.0, 1.5, 0.0]);
}

/// Indexed by `impl`s whose bounds don't say that the elements have tangents.
#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Row<T> {
    data: Vec<T>,
}

#[differentiable]
impl<T: num_traits::Float> Index<usize> for Row<T> {
    type Output = T;

    fn index(&self, i: usize) -> &T {
        &self.data[i]
    }
}

#[differentiable]
impl<T: num_traits::Float> IndexMut<usize> for Row<T> {
    fn index_mut(&mut self, i: usize) -> &mut Self::Output {
        &mut self.data[i]
    }
}

#[derive(Clone, Debug, PartialEq, Differentiable)]
struct List<T> {
    data: Vec<T>,
}

#[differentiable]
impl<T> Index<usize> for List<T> {
    type Output = T;

    fn index(&self, i: usize) -> &Self::Output {
        &self.data[i]
    }
}

#[differentiable]
impl<T: Differentiable> IndexMut<usize> for List<T> {
    fn index_mut(&mut self, i: usize) -> &mut T {
        &mut self.data[i]
    }
}

#[differentiable]
fn of_any_element(x: &[f64]) -> f64 {
    let mut row = Row { data: x.to_vec() };
    row[1] *= row[0];
    let mut list = List {
        data: vec![row[0], row[1], 2.0],
    };
    list[2] *= list[1];
    let corner = Corner(x[0], x[1]);
    let corners = List {
        data: vec![corner, corner],
    };
    row[1] * list[2] + corners[1].0 * corners[0].1
}

#[derive(Clone, Copy, Debug, PartialEq, Differentiable)]
struct Corner(f64, f64);

#[test]
fn the_bounds_need_not_say_that_elements_have_tangents() {
    check!(of_any_element(&[0.7, -1.2]));
}
