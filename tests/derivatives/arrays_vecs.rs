//! Slices, arrays and `Vec`s: indexing, views, literals, moving, returning.

use chainrule::prelude::*;

use crate::check::{check, map_table, table};

const X: [f64; 6] = [0.7, 1.9, -0.4, 1.3, 0.2, -1.1];

fn x(n: usize) -> Vec<f64> {
    X[..n].to_vec()
}

fn rows(n: usize, m: usize) -> Vec<Vec<f64>> {
    (0..n).map(|i| X[i..i + m].to_vec()).collect()
}

#[differentiable]
fn indexed(x: &[f64], i: usize) -> f64 {
    x[i] * x[i + 1] - x[x.len() - 1] * x[i]
}

#[differentiable]
fn views(x: &[f64], k: usize) -> f64 {
    let (a, b, c, d) = (&x[..k], &x[k..], &x[1..=2], &x[..]);
    let mut z = 0.0;
    for i in 0..a.len() {
        z += a[i] * d[i];
    }
    for v in b {
        z = z * v + c[0];
    }
    z * c[1]
}

#[differentiable]
fn view_of_a_view(x: &[f64]) -> f64 {
    let a = &x[1..];
    let b = &a[1..3];
    let mut z = 1.0;
    for v in b {
        z *= v * a[0];
    }
    z
}

#[differentiable]
fn split(x: &[f64], k: usize) -> f64 {
    let (a, b) = x.split_at(k);
    let mut z = 1.0;
    for i in 0..a.len() {
        z = z * a[i] + b[0];
    }
    z
}

#[differentiable]
fn first_and_last(x: &[f64]) -> f64 {
    if x.is_empty() {
        return 2.0;
    }
    let (first, last) = (x.first().unwrap(), x.last().unwrap());
    first * last
}

/// A flat row-major matrix, by rows.
#[differentiable]
fn matrix_vector(a: &[f64], x: &[f64]) -> Vec<f64> {
    let n = x.len();
    let mut y = vec![0.0; a.len() / n];
    for i in 0..y.len() {
        let row = &a[i * n..(i + 1) * n];
        for j in 0..n {
            y[i] += row[j] * x[j];
        }
    }
    y
}

#[differentiable]
fn quadratic_form(a: &[Vec<f64>], x: &[f64]) -> f64 {
    let mut z = 0.0;
    for i in 0..a.len() {
        for j in 0..a[i].len() {
            z += x[i] * a[i][j] * x[j];
        }
    }
    z
}

#[differentiable]
fn rows_of_a_matrix(a: &[Vec<f64>]) -> f64 {
    let mut z = 1.0;
    for row in a {
        let mut s = 0.0;
        for v in row {
            s += v * v;
        }
        z = z * s + row[0];
    }
    z
}

#[differentiable]
fn array_by_value(x: [f64; 3]) -> f64 {
    x[0] * x[1] + x[2] * x[2] * x[0]
}

#[differentiable]
fn array_by_reference(x: &[f64; 3]) -> f64 {
    x[0] * x[1] + x[2] * x[2] * x[0]
}

#[differentiable]
fn array_changed(mut x: [f64; 3], k: f64) -> f64 {
    x[0] *= k;
    for i in 1..3 {
        x[i] += x[i - 1] * x[i];
    }
    x[2] * x[0]
}

#[differentiable]
fn two_dimensional(m: &[[f64; 2]; 3]) -> f64 {
    let mut z = 1.0;
    for i in 0..3 {
        for j in 0..2 {
            z = z * m[i][j] + m[(i + 1) % 3][1 - j];
        }
    }
    z
}

#[differentiable]
fn literal(x: f64, y: f64) -> f64 {
    let a = [x * y, y, 1.5];
    let b = [[x, a[0]], [a[1], 2.0]];
    a[0] * a[2] + b[0][1] * b[1][0] * b[0][0]
}

#[differentiable]
fn repeated(x: f64) -> f64 {
    let mut a = [0.0; 4];
    let b = [x * x; 2];
    for i in 1..4 {
        a[i] = a[i - 1] + x * (i as f64) * b[i % 2];
    }
    a[3] * a[1]
}

#[differentiable]
fn copied_array(x: [f64; 2]) -> f64 {
    let mut a = x;
    let b = a;
    a[0] *= b[1];
    a[0] * x[0] + b[0]
}

#[differentiable]
fn sized<const N: usize>(x: &[f64; N]) -> f64 {
    let mut z = 1.0;
    for i in 0..N {
        z *= x[i] + N as f64;
    }
    z
}

#[differentiable]
fn sized_by_value<const N: usize>(x: [f64; N], k: f64) -> [f64; N] {
    let mut y = [0.0; N];
    for i in 0..N {
        y[i] = x[i] * x[N - 1 - i] * k;
    }
    y
}

#[differentiable]
fn calls_sized(x: [f64; 3]) -> f64 {
    sized(&x) + sized::<3>(&x) * x[0]
}

#[differentiable]
fn array_result(x: f64, y: f64) -> [f64; 3] {
    [x * y, y, x / y]
}

#[differentiable]
fn array_returned(x: [f64; 2]) -> [f64; 2] {
    x
}

#[differentiable]
fn array_of_arrays_result(x: f64) -> [[f64; 2]; 2] {
    let mut m = [[0.0; 2]; 2];
    m[0][1] = x * x;
    m[1][0] = x.sin();
    m[1][1] = m[0][1] * m[1][0];
    m
}

#[differentiable]
fn owned_vec(v: Vec<f64>, k: f64) -> f64 {
    let mut z = k;
    for i in 0..v.len() {
        z *= v[i];
    }
    z
}

#[differentiable]
fn owned_vec_changed(mut v: Vec<f64>, k: f64) -> f64 {
    for i in 1..v.len() {
        v[i] *= v[i - 1] + k;
    }
    v[v.len() - 1]
}

#[differentiable]
fn vec_by_reference(v: &Vec<f64>) -> f64 {
    let mut z = 1.0;
    for x in v.iter() {
        z = z * x + x;
    }
    z
}

#[differentiable]
fn vec_literal(x: f64, y: f64) -> f64 {
    let v = vec![x, x * y, 2.0];
    let mut w = vec![y; 3];
    w[1] *= v[0];
    v[0] * v[1] * w[1] + v[2] * w[0]
}

#[differentiable]
fn vec_of_vecs(x: &[f64], n: usize) -> f64 {
    let mut table = vec![vec![0.0; x.len()]; n];
    for i in 0..n {
        for j in 0..x.len() {
            table[i][j] = x[j] * (i as f64 + 1.0);
            if i > 0 {
                table[i][j] += table[i - 1][j] * x[0];
            }
        }
    }
    let mut z = 0.0;
    for i in 0..n {
        for j in 0..x.len() {
            z += table[i][j] * table[i][j];
        }
    }
    z
}

#[differentiable]
fn vec_per_iteration(x: &[f64], n: usize) -> f64 {
    let mut z = 1.0;
    for k in 0..n {
        let mut v = vec![0.0; x.len()];
        for i in 0..x.len() {
            v[i] = x[i] * z + k as f64;
        }
        for i in 0..x.len() {
            z += v[i] * v[i] * 0.1;
        }
    }
    z
}

#[differentiable]
fn cloned(x: &[f64], k: f64) -> f64 {
    let v = x.to_vec();
    let mut w = v.clone();
    for i in 0..w.len() {
        w[i] *= k * v[i];
    }
    let mut z = 0.0;
    for i in 0..w.len() {
        z += w[i] * v[i];
    }
    z
}

#[differentiable]
fn moved(x: &[f64]) -> f64 {
    let v = x.to_vec();
    let w = v;
    owned_vec(w, x[0])
}

#[differentiable]
fn vec_returned(v: Vec<f64>) -> Vec<f64> {
    v
}

#[differentiable]
fn vec_changed_and_returned(mut v: Vec<f64>, k: f64) -> Vec<f64> {
    for x in &mut v {
        *x = *x * *x * k;
    }
    v
}

#[differentiable]
fn vec_result(x: &[f64], k: f64) -> Vec<f64> {
    let mut y = vec![1.0; x.len()];
    for i in 0..x.len() {
        y[i] += x[i] * k + x[0];
    }
    y
}

#[differentiable]
fn vec_of_vecs_result(x: &[f64]) -> Vec<Vec<f64>> {
    let mut outer = vec![vec![0.0; x.len()]; x.len()];
    for i in 0..x.len() {
        for j in 0..x.len() {
            outer[i][j] = x[i] * x[j];
        }
    }
    outer
}

#[differentiable]
fn pair_of_vecs(x: &[f64]) -> (Vec<f64>, f64) {
    let mut y = x.to_vec();
    let mut s = 0.0;
    for i in 0..y.len() {
        y[i] *= y[i];
        s += y[i];
    }
    (y, s)
}

#[differentiable]
fn array_of_pairs(p: &[(f64, f64)]) -> f64 {
    let mut z = 1.0;
    for i in 0..p.len() {
        z = z * p[i].0 + p[i].1 * p[i].1;
    }
    for (a, b) in p {
        z += a * b;
    }
    z
}

#[differentiable]
fn integers_along(x: &[f64], which: &[usize], weights: Vec<i32>) -> f64 {
    let mut z = 0.0;
    for (k, &i) in which.iter().enumerate() {
        z += x[i] * x[i] * f64::from(weights[k]);
    }
    z
}

#[differentiable]
fn single_matrix(a: &[f32], x: &[f32]) -> f32 {
    let n = x.len();
    let mut z = 0.0;
    for i in 0..n {
        for j in 0..n {
            z += x[i] * a[i * n + j] * x[j];
        }
    }
    z
}

#[differentiable]
fn concatenated(x: &[f64]) -> f64 {
    let list = [x.to_vec(), vec![x[0] * x[1]]].concat();
    let lists: Vec<Vec<f64>> = vec![list.clone(), x.to_vec()];
    let squares: [[f64; 2]; 2] = [[x[0], x[1]], [list[1], x[0] * list[0]]];
    let (flat, whole) = (squares.concat(), lists.concat());
    let words = ["a", "b"].concat();
    whole[x.len()] * flat[3] * whole[x.len() + 1] * words.len() as f64
}

table! {
    of_slices: for n in 3..6, (&x(n));
    concatenated: (&[0.7, 1.9]), (&[0.7, 1.9, -0.4]);
    indexed: (&x(4), const 0), (&x(4), const 2);
    views: for k in 0..5, (&x(4), const k);
    view_of_a_view: (&x(4));
    split: for k in 0..4, (&x(4), const k);
    first_and_last: for n in 0..4, (&x(n));
    quadratic_form: for n in 0..4, (&rows(n, n), &x(n));
    rows_of_a_matrix: for n in 0..4, (&rows(n, 2));
    array_by_value: ([0.7, 1.9, -0.4]) => [1.9 + 0.16, 0.7, 2.0 * -0.4 * 0.7];
    array_by_reference: (&[0.7, 1.9, -0.4]) => [1.9 + 0.16, 0.7, 2.0 * -0.4 * 0.7];
    array_changed: ([0.7, 1.9, -0.4], 1.3);
    two_dimensional: (&[[0.7, 1.9], [-0.4, 1.3], [0.2, -1.1]]);
    literal: (0.7, 1.9);
    repeated: (0.7);
    copied_array: ([0.7, 1.9]);
    calls_sized: ([0.7, 1.9, -0.4]);
    owned_vec: for n in 0..4, (x(n), 1.3);
    owned_vec_changed: for n in 1..4, (x(n), 1.3);
    vec_by_reference: for n in 0..4, (&x(n));
    vec_literal: (0.7, 1.9);
    vec_of_vecs: for n in 0..4, (&x(2), const n), (&x(n), const 2);
    vec_per_iteration: for n in 0..4, (&x(2), const n), (&x(n), const 2);
    cloned: for n in 0..4, (&x(n), 1.3);
    moved: for n in 1..4, (&x(n));
    array_of_pairs: (&[(0.7, 1.9), (-0.4, 1.3)]), (&Vec::<(f64, f64)>::new());
    integers_along: (&x(3), const &[2, 0, 2], const vec![1, -2, 3]);
    single_matrix: (&[0.7, 1.9, -0.4, 1.3], &[0.2, -1.1]);
}

map_table! {
    matrix_vector: (&x(6), &x(2)), (&x(6), &x(3)), (&x(0), &x(1));
    array_result: (0.7, 1.9);
    array_returned: ([0.7, 1.9]);
    array_of_arrays_result: (0.7);
    vec_returned: for n in 0..3, (x(n));
    vec_changed_and_returned: for n in 0..3, (x(n), 1.3);
    vec_result: for n in 0..4, (&x(n), 1.3);
    vec_of_vecs_result: for n in 0..3, (&x(n));
    pair_of_vecs: for n in 0..4, (&x(n));
}

#[test]
fn const_generics() {
    check!(sized(&[0.7, 1.9]));
    check!(sized(&[0.7, 1.9, -0.4]));
    crate::check::check_map!(sized_by_value([0.7, 1.9], 1.3));
    assert_eq!(
        sized::gradient::<2>(&[0.7, 1.9]),
        sized::gradient(&[0.7, 1.9])
    );
}

/// Out of bounds is out of bounds in the rules as well.
#[test]
#[should_panic(expected = "index out of bounds")]
fn bounds_are_checked() {
    indexed::gradient(&[0.7, 1.9], 1);
}

#[differentiable]
fn copied_after_a_return(x: &[f64], n: usize) -> f64 {
    let w = [x[0], x[1], 0.5];
    if n == 0 {
        return w[0];
    }
    let mut v = w.to_vec();
    v[1] *= x[0];
    v[1] * v[2]
}

/// x0 x1 / 2, and x0.
#[test]
fn a_vec_of_an_array_after_an_early_return() {
    assert_eq!(copied_after_a_return::gradient(&[2.0, 3.0], 1), [1.5, 1.0]);
    assert_eq!(copied_after_a_return::gradient(&[2.0, 3.0], 0), [1.0, 0.0]);
}

#[differentiable]
fn of_slices(x: &[f64]) -> f64 {
    let head: [f64; 2] = x[..2].try_into().unwrap();
    let [p, q]: [f64; 2] = x[1..3].try_into().expect("two");
    let list = vec![p * q, x[0], 2.0];
    let mut whole: [f64; 3] = list.try_into().unwrap();
    whole[0] *= head[1];
    let n: i32 = x.len().try_into().unwrap();
    let mut sum = 0.0;
    for pair in x.chunks_exact(2) {
        let pair: [f64; 2] = pair.try_into().unwrap();
        sum += pair[0] * pair[1].powi(n);
    }
    sum + whole[0] * whole[1] + head[0] * whole[2]
}

#[test]
#[should_panic(expected = "length")]
fn a_slice_that_is_too_long() {
    // A checked driver calls the function first, whose panic is another.
    #[differentiable(checked = false)]
    fn two(x: &[f64]) -> f64 {
        let pair: [f64; 2] = x.try_into().unwrap();
        pair[0] * pair[1]
    }
    two::gradient(&x(3));
}
