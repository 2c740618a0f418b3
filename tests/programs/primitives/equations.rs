//! `#[primitive(root = ..)]`, `fixed_point` and `argmin`: the derivatives of results that an equation defines, against closed forms, differences,
//! and each other.

use chainrule::Matrix;
use chainrule::implicit::{gmres, newton};
use chainrule::prelude::*;

use crate::check::{assert_close, check, check_map};

/// `x - e sin x = mean`, by Newton's method.
#[primitive(result = x, root = x - e * x.sin() - mean)]
fn kepler(mean: f64, e: f64) -> f64 {
    let mut x = mean;
    for _ in 0..20 {
        x -= (x - e * x.sin() - mean) / (1.0 - e * x.cos());
    }
    x
}

#[test]
fn a_number_has_the_derivatives_of_its_closed_form() {
    for (mean, e) in [(0.0, 0.5), (0.9, 0.3), (2.4, 0.7)] {
        check!(kepler(mean, e));
        let x = kepler(mean, e);
        let slope = 1.0 - e * x.cos();
        let (mean_bar, e_bar) = kepler::gradient(mean, e);
        assert_close(&[mean_bar, e_bar], &[1.0 / slope, x.sin() / slope]);
        // d²x/dM² = -e sin x / (1 - e cos x)³
        let (curvature, _) = kepler::hvp(mean, e, 1.0, 0.0);
        assert_close(&[curvature], &[-e * x.sin() / slope.powi(3)]);
    }
}

#[primitive(result = y, root = y * y - x)]
fn root(x: f32) -> f32 {
    x.sqrt()
}

#[test]
fn single_precision_stays() {
    assert_eq!(
        (root::derivative(4.0), root::hvp(4.0, 1.0)),
        (0.25, -1.0 / 32.0)
    );
}

#[differentiable]
fn difference(a: &[f64], x: &[f64], b: &[f64]) -> Vec<f64> {
    let n = b.len();
    let mut all = Vec::with_capacity(n);
    for i in 0..n {
        let mut sum = -b[i];
        for j in 0..n {
            sum += a[i * n + j] * x[j];
        }
        all.push(sum);
    }
    all
}

/// The solution of a linear system, by elimination with pivoting.
#[primitive(result = x, root = difference(a, &x, b))]
fn solve(a: &[f64], b: &[f64]) -> Vec<f64> {
    let n = b.len();
    let (mut a, mut x) = (a.to_vec(), b.to_vec());
    for k in 0..n {
        let pivot = (k..n)
            .max_by(|i, j| a[i * n + k].abs().total_cmp(&a[j * n + k].abs()))
            .unwrap();
        (0..n).for_each(|j| a.swap(k * n + j, pivot * n + j));
        x.swap(k, pivot);
        for i in k + 1..n {
            let factor = a[i * n + k] / a[k * n + k];
            (k..n).for_each(|j| a[i * n + j] -= factor * a[k * n + j]);
            x[i] -= factor * x[k];
        }
    }
    for k in (0..n).rev() {
        let known: f64 = (k + 1..n).map(|j| a[k * n + j] * x[j]).sum();
        x[k] = (x[k] - known) / a[k * n + k];
    }
    x
}

#[differentiable]
#[inline(never)]
fn quadratic_form(a: &[f64], b: &[f64]) -> f64 {
    let x = solve(a, b);
    let mut total = 0.0;
    for i in 0..b.len() {
        total += b[i] * x[i] * x[0];
    }
    total
}

#[test]
fn linear_systems() {
    let a = vec![0.0, 2.0, 1.0, 4.0, 1.0, -1.0, 2.0, 5.0, 0.5];
    let b = vec![1.0, -2.0, 0.25];
    check_map!(solve(&a.clone(), &b.clone()));
    check!(quadratic_form(&a.clone(), &b.clone()));
    let (by_a, by_b) = solve::jacobian(&a, &b);
    let x = solve(&a, &b);
    // dx/db is the inverse, dx/da_ij that times -x_j.
    for j in 0..3 {
        let unit: Vec<f64> = (0..3).map(|i| f64::from(u8::from(i == j))).collect();
        let column = solve(&a, &unit);
        for i in 0..3 {
            assert_close(&[by_b[(i, j)]], &[column[i]]);
            for k in 0..3 {
                assert_close(&[by_a[(i, 3 * j + k)]], &[-column[i] * x[k]]);
            }
        }
    }
    // A system without unknowns.
    let (by_a, by_b) = solve::jacobian(&[], &[]);
    assert_eq!((by_a, by_b), (Matrix::zeros(0, 0), Matrix::zeros(0, 0)));
}

/// Three species that bind each other, and whose total amounts are given.
#[derive(Clone, Debug, Differentiable)]
struct Mixture {
    total: Vec<f64>,
    /// Of the pairs 01, 12, 02.
    binding: [f64; 3],
    #[constant]
    rounds: usize,
}

#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Free {
    first: f64,
    others: [f64; 2],
}

#[differentiable]
impl Mixture {
    fn missing(&self, free: &Free, temperature: f64) -> Free {
        let [k01, k12, k02] = self.binding;
        let (a, [b, c]) = (free.first, free.others);
        let f = 1.0 / temperature;
        Free {
            first: a + f * (k01 * a * b + k02 * a * c) - self.total[0],
            others: [
                b + f * (k01 * a * b + k12 * b * c) - self.total[1],
                c + f * (k12 * b * c + k02 * a * c) - self.total[2],
            ],
        }
    }

    /// The free amounts.
    #[primitive(result = free, root = self.missing(&free, temperature))]
    fn equilibrium(&self, temperature: f64) -> Free {
        let [k01, k12, k02] = self.binding;
        let f = 1.0 / temperature;
        let [mut a, mut b, mut c] = [self.total[0], self.total[1], self.total[2]];
        for _ in 0..self.rounds {
            a = self.total[0] / (1.0 + f * (k01 * b + k02 * c));
            b = self.total[1] / (1.0 + f * (k01 * a + k12 * c));
            c = self.total[2] / (1.0 + f * (k12 * b + k02 * a));
        }
        Free {
            first: a,
            others: [b, c],
        }
    }

    /// How much of the first species is bound.
    fn bound(&self, temperature: f64) -> f64 {
        let free = self.equilibrium(temperature);
        (self.total[0] - free.first) / self.total[0] + free.others[0] * free.others[1]
    }

    /// The same rules, for whom the mixture is a constant.
    #[primitive(result = free, root = self.missing(&free, temperature))]
    fn equilibrium_at(#[constant] &self, temperature: f64) -> Free {
        self.equilibrium(temperature)
    }

    /// An associated function.
    #[primitive(result = y, root = y * y * y - x)]
    fn cubic(x: f64) -> f64 {
        x.cbrt()
    }
}

impl Mixture {
    /// A single method.
    #[primitive(result = y, fixed_point = (y + self.total[0] * x / y) * 0.5)]
    fn mean(&self, x: f64) -> f64 {
        (self.total[0] * x).sqrt()
    }
}

fn mixture() -> Mixture {
    Mixture {
        total: vec![1.0, 0.7, 1.3],
        binding: [0.8, 0.5, 1.2],
        rounds: 200,
    }
}

#[test]
fn methods_with_results_of_own_types() {
    let m = mixture();
    chainrule::testing::check_rules!(Mixture::equilibrium, &m, 1.5);
    chainrule::testing::check_rules!(Mixture::equilibrium_at, &m, 1.5);
    chainrule::testing::check_rules!(Mixture::bound, &m, 1.5);
    chainrule::testing::check_rules!(Mixture::mean, &m, 1.5);
    assert_close(&[Mixture::cubic_derivative(8.0)], &[1.0 / 12.0]);
    let (m_bar, x_bar) = m.mean_gradient(4.0);
    assert_close(&[m_bar.total[0], x_bar], &[1.0, 0.25]);
    let (by_temperature, by_both) = (m.equilibrium_at_jacobian(1.5), m.equilibrium_jacobian(1.5));
    assert_close(by_temperature.as_slice(), by_both.1.as_slice());
}

/// A step of an iteration.
#[differentiable]
fn step(x: [f64; 2], p: f64, k: f64) -> [f64; 2] {
    [(p * x[1]).cos() * 0.5, (x[0] * k).sin() * 0.3]
}

/// The limit of the steps; the start is no argument of the equation.
#[primitive(result = x, fixed_point = step(x, p, k))]
fn limit(p: f64, #[constant] start: Vec<f64>, k: f64) -> [f64; 2] {
    let mut x = [start[0], start[1]];
    for _ in 0..100 {
        x = step(x, p, k);
    }
    x
}

/// The same through the iteration.
#[differentiable]
fn iterated(p: f64, k: f64) -> f64 {
    let mut x = [0.0, 0.0];
    for _ in 0..100 {
        x = step(x, p, k);
    }
    x[0] - 2.0 * x[1] * x[1]
}

#[differentiable]
fn of_limit(p: f64, k: f64) -> f64 {
    let x = limit(p, vec![0.1, 0.2], k);
    x[0] - 2.0 * x[1] * x[1]
}

#[test]
fn fixed_points_have_the_derivatives_of_the_iteration() {
    check_map!(limit(0.7, const vec![0.1, 0.2], 1.6));
    check!(of_limit(0.7, 1.6));
    let (got, want) = (of_limit::gradient(0.7, 1.6), iterated::gradient(0.7, 1.6));
    assert_close(&[got.0, got.1], &[want.0, want.1]);
    let (got, want) = (of_limit::hessian(0.7, 1.6), iterated::hessian(0.7, 1.6));
    let entries = |h: ((Matrix, Matrix), (Matrix, Matrix))| {
        [h.0.0, h.0.1, h.1.0, h.1.1].map(|block| block[(0, 0)])
    };
    assert_close(&entries(got), &entries(want));
}

/// A ridge regression.
#[differentiable(order = 3)]
fn loss(w: &[f64], x: &[f64], y: &[f64], strength: f64) -> f64 {
    let d = w.len();
    let mut total = 0.0;
    for i in 0..y.len() {
        let mut r = -y[i];
        for j in 0..d {
            r += w[j] * x[i * d + j];
        }
        total += 0.5 * r * r;
    }
    for j in 0..d {
        total += 0.5 * strength * w[j] * w[j];
    }
    total
}

/// Its weights, from the normal equations.
#[primitive(result = w, argmin = loss(&w, x, y, strength))]
fn ridge(x: &[f64], y: &[f64], strength: f64) -> Vec<f64> {
    let d = x.len() / y.len();
    let (mut a, mut b) = (vec![0.0; d * d], vec![0.0; d]);
    for (row, y) in x.chunks(d).zip(y) {
        for i in 0..d {
            for j in 0..d {
                a[i * d + j] += row[i] * row[j];
            }
            b[i] += row[i] * y;
        }
    }
    (0..d).for_each(|i| a[i * d + i] += strength);
    solve(&a, &b)
}

/// The same as the root of the gradient, which has second derivatives.
#[primitive(result = w, root = loss::gradient(&w, x, y, strength).0)]
fn ridge_by_root(x: &[f64], y: &[f64], strength: f64) -> Vec<f64> {
    ridge(x, y, strength)
}

#[differentiable]
fn norm_of_weights(x: &[f64], y: &[f64], strength: f64) -> f64 {
    let w = ridge_by_root(x, y, strength);
    let mut total = 0.0;
    for i in 0..w.len() {
        total += w[i] * w[i];
    }
    total
}

/// By value.
#[primitive(result = w, argmin = (w - x * scale[0]).powi(2) + (w * scale[1]).exp())]
fn owned(x: f64, scale: Vec<f64>) -> f64 {
    let mut w = 0.0;
    for _ in 0..50 {
        let e = (w * scale[1]).exp();
        w -= (2.0 * (w - x * scale[0]) + scale[1] * e) / (2.0 + scale[1] * scale[1] * e);
    }
    w
}

#[test]
fn minima() {
    let x = vec![1.0, 0.5, 0.2, 1.0, -0.7, 0.3];
    let y = vec![1.0, 2.0, 0.5];
    check_map!(ridge(&x.clone(), &y.clone(), 0.3));
    check_map!(ridge_by_root(&x.clone(), &y.clone(), 0.3));
    check!(norm_of_weights(&x.clone(), &y.clone(), 0.3));
    let (got, want) = (
        ridge::jacobian(&x, &y, 0.3),
        ridge_by_root::jacobian(&x, &y, 0.3),
    );
    assert_close(got.0.as_slice(), want.0.as_slice());
    // (X'X + s) dw/ds = -w
    let w = ridge(&x, &y, 0.3);
    let (_, along) = ridge::jvp(&x, &y, 0.3, &[0.0; 6], &[0.0; 3], 1.0);
    let (a, b) = (1.0 + 0.04 + 0.49 + 0.3, 0.5 + 0.2 - 0.21);
    let c = 0.25 + 1.0 + 0.09 + 0.3;
    assert_close(
        &[a * along[0] + b * along[1], b * along[0] + c * along[1]],
        &[-w[0], -w[1]],
    );

    let (x_bar, scale_bar) = owned::gradient(0.7, vec![1.2, 0.4]);
    let h = 1e-6;
    let slope = |x: f64, a: f64, b: f64| owned(x, vec![a, b]);
    let differences = [
        slope(0.7 + h, 1.2, 0.4) - slope(0.7 - h, 1.2, 0.4),
        slope(0.7, 1.2 + h, 0.4) - slope(0.7, 1.2 - h, 0.4),
        slope(0.7, 1.2, 0.4 + h) - slope(0.7, 1.2, 0.4 - h),
    ];
    for (got, want) in [x_bar, scale_bar[0], scale_bar[1]]
        .into_iter()
        .zip(differences)
    {
        assert!((got - want / (2.0 * h)).abs() < 1e-8);
    }
    let (_, along) = owned::jvp(0.7, vec![1.2, 0.4], 1.0, vec![0.0, 2.0]);
    assert_close(&[along], &[x_bar + 2.0 * scale_bar[1]]);
}

/// The same by products with the matrix.
#[primitive(result = x, root = difference(a, &x, b), solver = gmres)]
fn solve_by_products(a: &[f64], b: &[f64]) -> Vec<f64> {
    solve(a, b)
}

#[differentiable]
#[inline(never)]
fn quadratic_form_by_products(a: &[f64], b: &[f64]) -> f64 {
    let x = solve_by_products(a, b);
    let mut total = 0.0;
    for i in 0..b.len() {
        total += b[i] * x[i] * x[0];
    }
    total
}

#[primitive(result = x, fixed_point = step(x, p, k), solver = gmres)]
fn limit_by_products(p: f64, k: f64) -> [f64; 2] {
    limit(p, vec![0.0, 0.0], k)
}

#[differentiable]
fn of_limit_by_products(p: f64, k: f64) -> f64 {
    let x = limit_by_products(p, k);
    x[0] - 2.0 * x[1] * x[1]
}

#[primitive(result = w, argmin = loss(&w, x, y, strength), solver = gmres)]
fn ridge_by_products(x: &[f64], y: &[f64], strength: f64) -> Vec<f64> {
    ridge(x, y, strength)
}

#[test]
fn systems_are_solved_by_products() {
    let a = vec![0.0, 2.0, 1.0, 4.0, 1.0, -1.0, 2.0, 5.0, 0.5];
    let b = vec![1.0, -2.0, 0.25];
    check_map!(solve_by_products(&a.clone(), &b.clone()));
    check!(quadratic_form_by_products(&a.clone(), &b.clone()));
    check_map!(limit_by_products(0.7, 1.6));
    check!(of_limit_by_products(0.7, 1.6));
    let x = vec![1.0, 0.5, 0.2, 1.0, -0.7, 0.3];
    let y = vec![1.0, 2.0, 0.5];
    check_map!(ridge_by_products(&x.clone(), &y.clone(), 0.3));
    let got = quadratic_form_by_products::hessian(&a, &b);
    let want = quadratic_form::hessian(&a, &b);
    assert_close(got.0.1.as_slice(), want.0.1.as_slice());
}

/// The net flow of heat into each part of a rod that conducts heat and radiates it away. It is zero in equilibrium.
#[differentiable]
fn flow(t: &[f64], source: &[f64], conductivity: f64) -> Vec<f64> {
    let n = t.len();
    let mut all = Vec::with_capacity(n);
    for i in 0..n {
        let left = if i > 0 { t[i - 1] } else { 1.0 };
        let right = if i + 1 < n { t[i + 1] } else { 1.0 };
        let radiated = t[i] * t[i] * t[i] * t[i];
        all.push(conductivity * (left - 2.0 * t[i] + right) + source[i] - radiated);
    }
    all
}

/// Solves a system with a tridiagonal matrix, from three products, by elimination.
fn tridiagonal(product: &mut dyn FnMut(&[f64]) -> Vec<f64>, b: &[f64]) -> Vec<f64> {
    let n = b.len();
    let columns = [0, 1, 2].map(|color| {
        let units: Vec<f64> = (0..n)
            .map(|j| f64::from(u8::from(j % 3 == color)))
            .collect();
        product(&units)
    });
    let at = |i: usize, j: usize| columns[j % 3][i];
    let (mut x, mut diagonal) = (b.to_vec(), vec![0.0; n]);
    for i in 0..n {
        diagonal[i] = at(i, i);
        if i > 0 {
            let factor = at(i, i - 1) / diagonal[i - 1];
            diagonal[i] -= factor * at(i - 1, i);
            x[i] -= factor * x[i - 1];
        }
    }
    for i in (0..n).rev() {
        if i + 1 < n {
            x[i] -= at(i, i + 1) * x[i + 1];
        }
        x[i] /= diagonal[i];
    }
    x
}

#[primitive(result = t, root = flow(&t, source, conductivity), solver = tridiagonal)]
fn temperatures(source: &[f64], conductivity: f64) -> Vec<f64> {
    let mut t = vec![1.0; source.len()];
    for _ in 0..30 {
        let missing = flow(&t, source, conductivity);
        let zero = vec![0.0; source.len()];
        let step = tridiagonal(
            &mut |v| flow::jvp(&t, source, conductivity, v, &zero, 0.0).1,
            &missing,
        );
        t.iter_mut().zip(step).for_each(|(t, step)| *t -= step);
    }
    t
}

/// The same by elimination in a dense matrix.
#[primitive(result = t, root = flow(&t, source, conductivity))]
fn temperatures_by_elimination(source: &[f64], conductivity: f64) -> Vec<f64> {
    temperatures(source, conductivity)
}

/// The same by products alone.
#[primitive(result = t, root = flow(&t, source, conductivity), solver = gmres)]
fn temperatures_by_products(source: &[f64], conductivity: f64) -> Vec<f64> {
    temperatures(source, conductivity)
}

#[differentiable]
fn hottest(source: &[f64], conductivity: f64) -> f64 {
    let t = temperatures(source, conductivity);
    let mut sum = 0.0;
    for t in t {
        sum += t.powi(8);
    }
    sum.powf(0.125)
}

#[test]
fn solvers_of_the_users_own() {
    let source: Vec<f64> = (0..60).map(|i| 1.0 + 0.5 * f64::from(i % 5)).collect();
    let seed: Vec<f64> = (0..60).map(|i| f64::from(i % 3)).collect();
    let want = temperatures_by_elimination::vjp(&source, 3.0, seed.clone());
    let got = temperatures::vjp(&source, 3.0, seed.clone());
    assert_close(&got.1.0, &want.1.0);
    let got = temperatures_by_products::vjp(&source, 3.0, seed.clone());
    assert_close(&got.1.0, &want.1.0);
    let want = temperatures_by_elimination::jvp(&source, 3.0, &seed, 1.0);
    let got = temperatures::jvp(&source, 3.0, &seed, 1.0);
    assert_close(&got.1, &want.1);
    check!(hottest(&source[..12].to_vec(), 3.0));
}

#[primitive(result = x, root = [x[0] - p, x[1] - p], solver = too_short)]
fn with_wrong_solver(p: f64) -> [f64; 2] {
    [p, p]
}

fn too_short(product: &mut dyn FnMut(&[f64]) -> Vec<f64>, b: &[f64]) -> Vec<f64> {
    product(b)[..1].to_vec()
}

#[test]
#[should_panic(expected = "with_wrong_solver: the solver's solution has 1 entries, the result 2")]
fn as_many_entries_as_unknowns() {
    with_wrong_solver::jvp(1.0, 1.0);
}

/// A function whose equation has other solutions.
#[primitive(result = x, root = x * x - p)]
fn not_a_root(p: f64) -> f64 {
    2.0 * p
}

#[test]
#[should_panic(expected = "not_a_root")]
fn the_test_of_rules_finds_wrong_equations() {
    chainrule::testing::check_rules!(not_a_root, 1.5);
}

/// By the library's own Newton method.
#[primitive(result = x, root = crossing(&x, p))]
fn crossed(p: &[f64; 2]) -> Vec<f64> {
    newton(&[3.0, 0.5], |x| {
        (crossing(x, p), crossing::jacobian(x, p).0)
    })
    .expect("a crossing")
}

#[differentiable]
fn crossing(x: &[f64], p: &[f64; 2]) -> Vec<f64> {
    vec![x[0] * x[0] + x[1] * x[1] - p[0], x[0] * x[1] - p[1]]
}

#[test]
fn newtons_method_finds_the_result() {
    assert_eq!(crossed(&[5.0, 2.0]), [2.0, 1.0]);
    check_map!(crossed(&[5.0, 2.0]));
}

#[primitive(result = x, root = [x[0] + x[1] - p, 2.0 * (x[0] + x[1] - p)])]
fn singular(p: f64) -> [f64; 2] {
    [p, 0.0]
}

#[differentiable]
fn without_weight(p: f64, weight: f64) -> f64 {
    weight * singular(p)[0]
}

#[test]
fn a_singular_system_gives_nan_where_it_counts() {
    assert!(singular::jvp(1.0, 1.0).1.iter().all(|x| x.is_nan()));
    assert!(singular::vjp(1.0, [1.0, 0.0]).1.is_nan());
    assert!(without_weight::hvp(1.0, 2.0, 1.0, 0.0).0.is_nan());
    assert_eq!(singular::jvp(1.0, 0.0).1, [0.0, 0.0]);
    assert_eq!(without_weight::gradient(1.0, 0.0), (0.0, 1.0));
}

#[primitive(result = x, root = vec![x[0] - p])]
fn underdetermined(p: f64) -> Vec<f64> {
    vec![p, 0.0]
}

#[test]
#[should_panic(expected = "underdetermined: the equation has 1 entries, the result 2")]
fn as_many_equations_as_unknowns() {
    underdetermined::jvp(1.0, 1.0);
}

#[primitive(result = x, root = x * x - a * b)]
fn of_a_pair((a, b): (f64, f64)) -> f64 {
    (a * b).sqrt()
}

#[primitive(result = x, root = x * x - p)]
fn of_variables(#[constant] mut start: f64, mut p: f64) -> f64 {
    start += p;
    p += start - start;
    p.sqrt()
}

#[differentiable]
fn squares<const N: usize>(x: &[f64; N], p: &[f64; N]) -> [f64; N] {
    let mut all = [0.0; N];
    for i in 0..N {
        all[i] = x[i] * x[i] - p[i];
    }
    all
}

#[primitive(result = x, root = squares(&x, p))]
fn of_any_size<const N: usize>(p: &[f64; N]) -> [f64; N] {
    p.map(f64::sqrt)
}

#[primitive(result = x, root = x * x - p)]
fn of_any_precision<T: Real>(p: T) -> T {
    p.sqrt()
}

#[derive(Clone, Debug, Differentiable)]
struct Model<'a, T> {
    factor: T,
    #[constant]
    name: &'a str,
}

#[differentiable]
impl<'a, T: Real> Model<'a, T> {
    #[primitive(result = x, root = x * x - p * self.factor)]
    fn solution(&self, p: T) -> T {
        assert_eq!(self.name, "model");
        (p * self.factor).sqrt()
    }
}

#[primitive(result = x, root = x * x - p * m.factor)]
fn of_a_model<'a>(m: &'a Model<'a, f64>, p: f64) -> f64 {
    m.solution(p)
}

mod of_a_module {
    use chainrule::prelude::*;

    #[primitive(result = x, root = x * x - p)]
    pub(super) fn of_a_module(p: f64) -> f64 {
        p.sqrt()
    }
}
use of_a_module::of_a_module;

#[primitive(result = x, root = (x.0 * x.1 - p, x.0 - x.1))]
fn of_a_tuple(p: f64) -> (f64, f64) {
    (p.sqrt(), p.sqrt())
}

#[differentiable]
fn of_all(p: f64) -> f64 {
    let m = Model {
        factor: p,
        name: "model",
    };
    let (a, b) = of_a_tuple(p);
    let [c, d] = of_any_size(&[p, 2.0 * p]);
    let e = of_any_precision(p) * m.solution(p * p) * of_a_model(&m, p);
    of_a_pair((p, 2.0)) + of_variables(1.0, p) + a * b * c * d * e + of_a_module(p)
}

#[test]
fn signatures_of_all_kinds() {
    check!(of_all(1.3));
    chainrule::testing::check_rules!(of_a_pair, (1.5, 2.0));
    chainrule::testing::check_rules!(of_variables, 1.5, 2.0);
    chainrule::testing::check_rules!(of_a_tuple, 1.5);
    // With roots for all: (2 + √2) √p + √2 p⁵.
    let p: f64 = 1.3;
    let two = 2_f64.sqrt();
    let slope = (2.0 + two) * 0.5 / p.sqrt() + 5.0 * two * p.powi(4);
    assert_close(&[of_all::derivative(p)], &[slope]);
}

#[cfg(feature = "nalgebra")]
mod matrices {
    use chainrule::prelude::*;
    use chainrule::testing::check_rules;
    use nalgebra::{DMatrix, DVector, Vector2};

    #[primitive(result = x, root = a * &x - b)]
    fn solve(a: &DMatrix<f64>, b: &DVector<f64>) -> DVector<f64> {
        a.clone().lu().solve(b).unwrap()
    }

    #[differentiable]
    fn length(a: &DMatrix<f64>, b: &DVector<f64>) -> f64 {
        let x = solve(a, b);
        x.dot(&x)
    }

    #[primitive(result = x, root = Vector2::new(x[0] * x[1] - p[0], x[0] - x[1] * p[1]))]
    fn crossing(p: &Vector2<f64>) -> Vector2<f64> {
        let y = (p[0] / p[1]).sqrt();
        Vector2::new(y * p[1], y)
    }

    #[test]
    fn results_of_nalgebra() {
        let a = DMatrix::from_row_slice(2, 2, &[2.0, 1.0, -0.5, 3.0]);
        let b = DVector::from_vec(vec![1.0, 2.0]);
        check_rules!(solve, &a, &b);
        check_rules!(length, &a, &b);
        check_rules!(crossing, &Vector2::new(2.0, 0.5));
    }
}
