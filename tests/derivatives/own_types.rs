//! Types of the file: what their fields and methods have for types, and names that mean another type where they are used.

use chainrule::prelude::*;

use crate::check::table;

#[derive(Clone, Debug, Differentiable)]
struct Grid {
    nx: usize,
    ny: usize,
    #[constant]
    weight: f64,
    step: f64,
    u: Vec<f64>,
    corner: [f64; 2],
}

#[differentiable]
impl Grid {
    fn at(&self, i: usize, j: usize) -> f64 {
        self.u[i * self.ny + j]
    }

    fn scaled(&self, k: f64) -> Vec<f64> {
        let mut v = vec![0.0; self.nx];
        for i in 0..self.nx {
            for j in 0..self.ny {
                v[i] += self.at(i, j) * k * self.step;
            }
        }
        v
    }

    fn moved(mut self, k: f64) -> Self {
        for value in &mut self.u {
            *value *= k;
        }
        self.corner[1] += k * k;
        self
    }

    fn push(&mut self, x: f64) -> usize {
        self.u.push(x * self.step);
        self.u.len()
    }
}

#[differentiable]
fn grid(x: &[f64]) -> Grid {
    Grid {
        nx: 3,
        ny: 3,
        weight: 1.5,
        step: x[9],
        u: x[..9].to_vec(),
        corner: [x[10], x[11]],
    }
}

const X: [f64; 12] = [
    0.7, -0.4, 0.9, 1.3, 0.2, -0.8, 0.1, 0.5, -0.6, 0.3, 0.4, -0.9,
];

#[differentiable]
fn by_method(g: &Grid, k: f64) -> f64 {
    let mut e = 0.0;
    for i in 1..g.nx - 1 {
        for j in 1..g.ny - 1 {
            let l = g.at(i - 1, j) + g.at(i + 1, j) + g.at(i, j - 1) + g.at(i, j + 1)
                - 4.0 * g.at(i, j);
            e += l * l * g.weight;
        }
    }
    e * k
}

#[differentiable]
fn by_fields(g: &Grid, k: f64) -> f64 {
    let mut e = g.weight * k;
    for i in 1..g.nx {
        for j in 0..g.ny {
            let d = g.u[i * g.ny + j] - g.u[(i - 1) * g.ny + j];
            e += d * d / g.step * g.weight;
        }
    }
    let row = &g.u[g.ny..2 * g.ny];
    e + row[0] * g.corner[1] + g.corner.iter().map(|c| c * c).sum::<f64>()
}

#[differentiable]
fn by_results(g: &Grid, k: f64) -> f64 {
    let v = g.scaled(k);
    let moved = g.clone().moved(k * v[0]);
    let Grid { u, corner, .. } = &moved;
    v[1] * u[4] + corner[1] * moved.step + moved.at(2, 0)
}

#[differentiable]
fn in_place(mut g: Grid, k: f64) -> f64 {
    let n = g.push(k);
    g.u[0] *= k;
    g.step += g.u[n - 1] * k;
    g.corner = [g.step, g.u[0] * g.weight];
    g.push(g.corner[1]);
    g.u[n] * g.corner[0] + g.u.len() as f64 * g.step
}

/// A field moves out of a value of which another field is used later.
#[differentiable]
fn taken_apart(g: Grid, k: f64) -> f64 {
    let mut u = g.u;
    u.push(k * g.step);
    let last = u[u.len() - 1];
    last * u[1] * g.step * g.corner[0]
}

#[differentiable]
fn all_by_method(x: &[f64], k: f64) -> f64 {
    by_method(&grid(x), k)
}

#[differentiable]
fn all_by_fields(x: &[f64], k: f64) -> f64 {
    by_fields(&grid(x), k)
}

#[differentiable]
fn all_by_results(x: &[f64], k: f64) -> f64 {
    by_results(&grid(x), k)
}

#[differentiable]
fn all_in_place(x: &[f64], k: f64) -> f64 {
    in_place(grid(x), k)
}

#[differentiable]
fn all_taken_apart(x: &[f64], k: f64) -> f64 {
    taken_apart(grid(x), k)
}

/// The same name for another type: in the function, as a parameter, and in another module.
#[differentiable]
fn hidden_by_a_local_type(x: f64) -> f64 {
    #[derive(Clone, Differentiable)]
    struct Grid {
        nx: f64,
        step: usize,
    }
    let g = Grid { nx: x * x, step: 2 };
    g.nx * x * g.step as f64
}

#[differentiable]
fn hidden_by_a_parameter<Grid: Real>(nx: Grid) -> Grid {
    let n = nx;
    n * n.sin()
}

mod other {
    use chainrule::prelude::*;

    #[derive(Clone, Debug, Differentiable)]
    pub(crate) struct Grid {
        pub(crate) nx: f64,
        pub(crate) ny: f64,
    }

    #[differentiable]
    impl Grid {
        pub(crate) fn at(&self, k: f64) -> f64 {
            self.nx * k + self.ny
        }
    }

    #[differentiable]
    pub(crate) fn area(g: &Grid) -> f64 {
        g.nx * g.ny * g.at(g.nx)
    }
}

#[differentiable]
fn of_another_module(g: &other::Grid, k: f64) -> f64 {
    g.nx * g.ny * g.at(k) + other::area(g)
}

#[differentiable]
fn all_of_another_module(x: f64, y: f64) -> f64 {
    let g = other::Grid { nx: x, ny: y };
    of_another_module(&g, x * y)
}

/// Not differentiable itself, so only its numbers without tangents are known.
struct Settings {
    rounds: usize,
    rate: f64,
    clipped: bool,
}

#[differentiable]
fn with_settings(x: f64, #[constant] settings: &Settings) -> f64 {
    let mut y = x;
    for _ in 0..settings.rounds {
        y -= settings.rate * y * y;
        if settings.clipped && y < 0.1 {
            y *= 0.5;
        }
    }
    y
}

#[derive(Clone, Copy, Debug, Differentiable)]
struct Pair(f64, usize);

#[differentiable]
fn of_a_tuple_struct(p: Pair) -> f64 {
    let mut y = p.0;
    for k in 0..p.1 {
        y = y * p.0 + k as f64;
    }
    y
}

/// A trait's method has the name of a method of another type, and a configured one has two.
#[allow(dead_code, reason = "its method is there to have a name")]
trait Sized2 {
    fn at(&self, i: usize, j: usize) -> f64;
}

impl Sized2 for Pair {
    fn at(&self, i: usize, j: usize) -> f64 {
        (i + j) as f64
    }
}

#[differentiable]
impl Pair {
    #[cfg(any())]
    fn twice(&self) -> usize {
        self.1
    }

    #[cfg(not(any()))]
    fn twice(&self) -> f64 {
        2.0 * self.0
    }
}

#[differentiable]
fn configured_method(p: &Pair) -> f64 {
    let y = p.twice();
    y * y + p.0
}

#[differentiable]
fn all_of_pairs(x: f64, n: usize) -> f64 {
    let p = Pair(x, n);
    of_a_tuple_struct(p) * configured_method(&p)
}

fn settings() -> Settings {
    Settings {
        rounds: 3,
        rate: 0.2,
        clipped: true,
    }
}

#[derive(Clone, Debug, Differentiable)]
struct Weighted<T, const N: usize> {
    weight: f64,
    of: [T; N],
}

#[differentiable]
fn without_arguments(x: &[f64]) -> f64 {
    let all: Vec<_> = x
        .windows(2)
        .map(|w| Weighted {
            weight: w[0] * w[1],
            of: [w[0], w[1].sin()],
        })
        .collect();
    let mut s = 1.0;
    for one in &all {
        s += one.weight * one.of[1] * s + one.of[0];
    }
    s * all[0].weight
}

#[derive(Clone, Copy, Debug, Differentiable)]
struct Square<const N: usize>([[f64; N]; N]);

#[differentiable]
impl<const N: usize> Square<N> {
    fn less(self, rhs: Self) -> Self {
        Square(std::array::from_fn(|i| {
            std::array::from_fn(|j| self.0[i][j] - rhs.0[j][i] * rhs.0[i][j])
        }))
    }
}

#[derive(Clone, Copy, Debug, Differentiable)]
struct Triple {
    parts: [f64; 3],
}

#[differentiable]
fn lengths_by_declaration(x: &[f64]) -> f64 {
    let a = Square([[x[0], x[1]], [0.5, x[2]]]);
    let b = Square([[x[1], 2.0], [x[0] * x[2], 1.5]]);
    let c = a.less(b);
    let t = Triple {
        parts: std::array::from_fn(|k| x[k] * x[k] * c.0[k % 2][1]),
    };
    t.parts[0] * t.parts[1] + t.parts[2] * c.0[1][0]
}

table! {
    all_by_method: (&X, 0.8);
    all_by_fields: (&X, 0.8);
    all_by_results: (&X, 0.8);
    all_in_place: (&X, 0.8);
    all_taken_apart: (&X, 0.8);
    hidden_by_a_local_type: (0.7);
    hidden_by_a_parameter: (0.7);
    all_of_another_module: (0.7, -0.4);
    with_settings: (0.7, const &settings());
    all_of_pairs: for n in 0..4, (0.7, const n);
    without_arguments: (&[0.7, -0.4, 1.3]), (&[0.7, -0.4]);
    lengths_by_declaration: (&[0.7, -0.4, 1.3]);
}
