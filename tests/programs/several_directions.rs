//! Jacobians and Hessians by several directions at once: each column is what one direction gives, bit for bit where the operations are the same.

use chainrule::Matrix;
use chainrule::prelude::*;

use crate::check::assert_close;

/// Sizes below, at and above the number of lanes.
const SIZES: [usize; 7] = [0, 1, 3, 7, 8, 9, 17];

fn point(n: usize) -> Vec<f64> {
    let at = |i: usize| 0.3 * f64::from(u32::try_from(i * 7 % 11).unwrap()) - 1.4;
    (0..n).map(at).collect()
}

fn unit(n: usize, k: usize) -> Vec<f64> {
    let mut unit = vec![0.0; n];
    unit[k] = 1.0;
    unit
}

/// Columns, against what `along` gives for each unit vector.
#[track_caller]
fn assert_columns(matrix: &Matrix, n: usize, along: impl Fn(&[f64]) -> Vec<f64>) {
    assert_eq!(matrix.ncols(), n);
    for k in 0..n {
        let column = along(&unit(n, k));
        assert_eq!(matrix.nrows(), column.len());
        for (i, entry) in column.iter().enumerate() {
            assert_eq!(matrix[(i, k)].to_bits(), entry.to_bits(), "({i}, {k})");
        }
    }
}

/// In debug builds and in release builds, several directions are chosen for matrices with many rows.
#[differentiable]
fn sums(x: &[f64], m: usize) -> Vec<f64> {
    let mut y = Vec::with_capacity(m);
    for i in 0..m {
        let mut s = 1.0;
        for j in 0..x.len() {
            if (i + j) % 3 == 0 {
                continue;
            }
            s += (x[j] * (i + j) as f64 * 0.1).sin() * x[j] / (s * s + 1.0);
        }
        y.push(s);
    }
    y
}

#[test]
fn tall_matrices() {
    for n in SIZES {
        let x = point(n);
        for m in [0, 1, 2, 40] {
            let jacobian = sums::jacobian(&x, m);
            assert_eq!((jacobian.nrows(), jacobian.ncols()), (m, n));
            if n.div_ceil(8) <= m {
                assert_columns(&jacobian, n, |v| sums::jvp(&x, m, v).1);
            }
            let (y, both) = sums::value_and_jacobian(&x, m);
            assert_eq!((y, &both), (sums(&x, m), &jacobian));
            let mut buffer = vec![f64::NAN; m * n];
            sums::jacobian_into(&x, m, &mut buffer);
            assert_eq!(buffer, jacobian.as_slice());
        }
    }
}

#[test]
#[should_panic(expected = "sums: the buffer `x_jacobian` has length 5, the Jacobian 4 rows of 3")]
fn buffers_of_another_length() {
    sums::jacobian_into(&point(3), 4, &mut [0.0; 5]);
}

/// Wide: rows are fewer than passes by columns.
#[test]
fn wide_matrices_go_by_rows() {
    let x = point(40);
    let jacobian = sums::jacobian(&x, 2);
    for k in 0..40 {
        let column = sums::jvp(&x, 2, &unit(40, k)).1;
        assert_close(&[jacobian[(0, k)], jacobian[(1, k)]], &column);
    }
}

type Mat = [[f64; 3]; 3];

#[differentiable]
#[inline(never)]
fn product(a: &Mat, b: &Mat) -> [[f64; 3]; 3] {
    let mut c = [[0.0; 3]; 3];
    for i in 0..3 {
        for j in 0..3 {
            for k in 0..3 {
                c[i][j] += a[i][k] * b[k][j];
            }
        }
    }
    c
}

#[differentiable]
#[inline(never)]
fn squared(x: &mut [f64], s: f64) {
    for i in 0..x.len() {
        x[i] *= s * x[i];
        if i > 0 && x[i] > x[i - 1] {
            x.swap(i, i - 1);
        }
    }
}

#[differentiable]
#[inline(never)]
fn weight(s: f64, #[constant] k: f64, depth: usize) -> f64 {
    if depth == 0 {
        return s.abs().sqrt() * k;
    }
    weight(s * 0.5 + k, k, depth - 1).max(s)
}

/// Memory that a callee writes to, arrays, `Option`, recursion, an argument that is inactive here, and one that is constant there.
#[differentiable]
fn through_calls(x: &[f64], a: f64, #[constant] scale: f64) -> Vec<f64> {
    let mut y = vec![0.0; x.len()];
    let mut last: Option<f64> = None;
    for i in 0..x.len() {
        y[i] = match last {
            Some(before) => before * x[i],
            None => x[i].exp(),
        };
        if x[i] > 0.0 {
            last = Some(y[i] + a);
        }
    }
    squared(&mut y, a * a);
    let here: [[f64; 3]; 3] = [[a, 1.0, 2.0], [a * a, 0.5, 0.0], [1.0, a.sin(), 1.0]];
    let there: [[f64; 3]; 3] = [[scale; 3]; 3];
    let all: [[f64; 3]; 3] = product(&here, &there);
    for row in all {
        y.push(row[0] * row[1]);
    }
    let w: f64 = weight(a, scale, 3);
    y.push(w);
    y
}

#[test]
fn calls_of_functions_of_the_module() {
    assert!(through_calls::__has_frule_wide());
    for n in SIZES {
        let x = point(n);
        let (by_x, by_a) = through_calls::jacobian(&x, 0.7, 1.3);
        assert_columns(&by_x, n, |v| through_calls::jvp(&x, 0.7, 1.3, v, 0.0).1);
        assert_columns(&by_a, 1, |v| {
            through_calls::jvp(&x, 0.7, 1.3, &vec![0.0; n], v[0]).1
        });
    }
}

#[derive(Clone, Differentiable)]
struct Pair {
    left: f64,
    right: f64,
}

/// A tangent of the user's own type goes one direction at a time.
#[differentiable]
#[inline(never)]
fn pair_of(x: f64) -> Pair {
    Pair {
        left: x.sin(),
        right: x * x,
    }
}

#[differentiable]
fn through_structs(x: &[f64]) -> Vec<f64> {
    let mut y = vec![0.0; x.len()];
    for i in 0..x.len() {
        let pair = pair_of(x[i]);
        y[i] = pair.left * pair.right;
    }
    y
}

#[differentiable]
#[inline(never)]
fn of_structs(x: f64) -> f64 {
    let pair = pair_of(x);
    pair.left * pair.right
}

/// Its own operations can be done in several directions, those of what it calls can't.
#[differentiable]
fn through_what_cannot(x: &[f64]) -> Vec<f64> {
    let mut y = vec![0.0; x.len()];
    for i in 0..x.len() {
        let z: f64 = of_structs(x[i]);
        y[i] = z * x[0];
    }
    y
}

#[test]
fn what_goes_one_direction_at_a_time() {
    assert!(!through_structs::__has_frule_wide());
    assert!(!through_what_cannot::__has_frule_wide());
    for n in SIZES {
        let x = point(n);
        assert_columns(&through_structs::jacobian(&x), n, |v| {
            through_structs::jvp(&x, v).1
        });
        assert_columns(&through_what_cannot::jacobian(&x), n, |v| {
            through_what_cannot::jvp(&x, v).1
        });
    }
}

/// Quotients of zeros that a branch discards, kinks, and tangents that vanish where a partial is infinite.
#[differentiable]
fn at_kinks(x: &[f64]) -> Vec<f64> {
    let mut y = vec![0.0; x.len() + 2];
    for i in 0..x.len() {
        let q = x[i] / (x[i] - x[i]);
        y[i] = if q.is_nan() { x[i].max(0.0) } else { q };
        y[i] += (x[i] * 0.0).sqrt() + x[i].abs().powi(3);
    }
    y
}

#[test]
fn kinks_and_zeros() {
    for n in SIZES {
        let mut x = point(n);
        x.iter_mut().step_by(2).for_each(|x| *x = 0.0);
        assert_columns(&at_kinks::jacobian(&x), n, |v| at_kinks::jvp(&x, v).1);
    }
}

#[differentiable]
fn energy(x: &[f64], a: f64, p: [f64; 2]) -> f64 {
    let mut total = 0.0;
    let mut y = vec![0.0; x.len()];
    for i in 0..x.len() {
        y[i] = if x[i] > 0.0 {
            (a * x[i]).exp()
        } else {
            x[i] * x[i] / a
        };
        for j in 0..i {
            total += y[j] * y[i] * p[0];
        }
    }
    let mut s = a;
    while s < 10.0 {
        s = s * 1.5 + p[1];
    }
    total * s + p[0].powi(3)
}

#[test]
fn hessians_of_several_arguments() {
    for n in SIZES {
        let (x, a, p) = (point(n), 0.8, [0.4, 1.2]);
        let (of_x, of_a, of_p) = energy::hessian(&x, a, p);
        let zero = vec![0.0; n];
        let columns = (0..n + 3).map(|k| match k.checked_sub(n) {
            None => energy::hvp(&x, a, p, &unit(n, k), 0.0, [0.0; 2]),
            Some(0) => energy::hvp(&x, a, p, &zero, 1.0, [0.0; 2]),
            Some(1) => energy::hvp(&x, a, p, &zero, 0.0, [1.0, 0.0]),
            Some(_) => energy::hvp(&x, a, p, &zero, 0.0, [0.0, 1.0]),
        });
        for (k, (by_x, by_a, by_p)) in columns.enumerate() {
            let (x_block, a_block, p_block, at) = match k.checked_sub(n) {
                None => (&of_x.0, &of_a.0, &of_p.0, k),
                Some(0) => (&of_x.1, &of_a.1, &of_p.1, 0),
                Some(k) => (&of_x.2, &of_a.2, &of_p.2, k - 1),
            };
            let column = |block: &Matrix| {
                (0..block.nrows())
                    .map(|i| block[(i, at)])
                    .collect::<Vec<_>>()
            };
            assert_close(&column(x_block), &by_x);
            assert_close(&column(a_block), &[by_a]);
            assert_close(&column(p_block), &by_p);
        }
    }
}

#[differentiable]
fn moved(x: Vec<f64>, p: (f64, [f64; 2])) -> Vec<(f64, f64)> {
    let mut y = Vec::new();
    for i in 0..x.len() {
        let q: (f64, f64) = (x[i] * p.0, x[i].sin() * p.1[i % 2]);
        y.push(q);
    }
    y
}

#[test]
fn arguments_by_value_and_tuples() {
    let x = point(9);
    let (by_x, by_p) = moved::jacobian(x.clone(), (0.3, [1.5, -2.0]));
    let flat = |y: Vec<(f64, f64)>| y.into_iter().flat_map(|(a, b)| [a, b]).collect::<Vec<_>>();
    assert_columns(&by_x, 9, |v| {
        flat(moved::jvp(x.clone(), (0.3, [1.5, -2.0]), v.to_vec(), (0.0, [0.0; 2])).1)
    });
    assert_columns(&by_p, 3, |v| {
        let v = (v[0], [v[1], v[2]]);
        flat(moved::jvp(x.clone(), (0.3, [1.5, -2.0]), vec![0.0; 9], v).1)
    });
}

#[differentiable]
fn single(x: &[f32]) -> Vec<f32> {
    x.iter().map(|x| x * x).collect()
}

#[test]
fn single_precision_goes_one_direction_at_a_time() {
    let jacobian = single::jacobian(&[1.0, 2.0, 3.0]);
    assert_eq!(
        jacobian.as_slice(),
        [2.0, 0.0, 0.0, 0.0, 4.0, 0.0, 0.0, 0.0, 6.0]
    );
}

#[derive(Clone, Debug, Differentiable)]
struct Scale {
    by: Vec<f64>,
}

#[differentiable]
fn power(scale: &Scale, x: f64, n: usize) -> f64 {
    if n == 0 {
        scale.by[0]
    } else {
        x * power(scale, x, n - 1)
    }
}

#[differentiable]
fn powers(x: &[f64], #[constant] scale: &Scale) -> Vec<f64> {
    let mut y = Vec::new();
    for i in 0..x.len() {
        y.push(power(scale, x[i], 3));
    }
    y
}

/// The callee wants a zero for the constant, which has none in several directions.
#[test]
fn constants_whose_tangents_are_structs() {
    let jacobian = powers::jacobian(&[1.0, 2.0], &Scale { by: vec![0.5] });
    assert_eq!(jacobian.as_slice(), [1.5, 0.0, 0.0, 6.0]);
}

/// Parameters of different extents: a pass takes the last entries of one and the first ones of the next.
#[differentiable]
fn blocks(x: &[f64], a: f64, y: &[f64], b: [f64; 2]) -> Vec<f64> {
    let m = 12 + x.len() + y.len();
    let mut z = vec![0.0; m];
    for i in 0..m {
        let mut s = a * b[i % 2];
        for j in 0..x.len() {
            s += x[j] * (a + (i * j) as f64).sin();
        }
        for j in 0..y.len() {
            s += y[j] * y[j] * b[(i + j) % 2];
        }
        z[i] = s * s;
    }
    z
}

#[differentiable]
fn blocks_summed(x: &[f64], a: f64, y: &[f64], b: [f64; 2]) -> f64 {
    let mut s = a * b[0];
    for j in 0..x.len() {
        s += x[j] * (a * x[j]).sin() * s;
    }
    for j in 0..y.len() {
        s += y[j] * y[j] * b[j % 2] * a + s * y[j];
    }
    s
}

#[test]
fn passes_across_parameters() {
    for n in SIZES {
        for k in SIZES {
            let (x, a, y, b) = (point(n), 0.7, point(k), [0.4, -1.1]);
            let (zx, zy, zb) = (vec![0.0; n], vec![0.0; k], [0.0; 2]);
            let (by_x, by_a, by_y, by_b) = blocks::jacobian(&x, a, &y, b);
            assert_columns(&by_x, n, |v| blocks::jvp(&x, a, &y, b, v, 0.0, &zy, zb).1);
            assert_columns(&by_a, 1, |v| {
                blocks::jvp(&x, a, &y, b, &zx, v[0], &zy, zb).1
            });
            assert_columns(&by_y, k, |v| blocks::jvp(&x, a, &y, b, &zx, 0.0, v, zb).1);
            assert_columns(&by_b, 2, |v| {
                blocks::jvp(&x, a, &y, b, &zx, 0.0, &zy, [v[0], v[1]]).1
            });
            let (rows_x, rows_a, rows_y, rows_b) = blocks_summed::hessian(&x, a, &y, b);
            for (rows, extent) in [(&rows_x, n), (&rows_a, 1), (&rows_y, k), (&rows_b, 2)] {
                assert_eq!(rows.0.nrows(), extent);
                assert_eq!(
                    [
                        rows.0.ncols(),
                        rows.1.ncols(),
                        rows.2.ncols(),
                        rows.3.ncols()
                    ],
                    [n, 1, k, 2]
                );
            }
            let along = |dx: &[f64], da: f64, dy: &[f64], db: [f64; 2]| {
                let (x, a, y, b) = blocks_summed::hvp(&x, a, &y, b, dx, da, dy, db);
                [x, vec![a], y, b.to_vec()].concat()
            };
            let stacked = |of: [&Matrix; 4], column: usize| {
                let entries = of.map(|block| {
                    (0..block.nrows())
                        .map(|i| block[(i, column)])
                        .collect::<Vec<_>>()
                });
                entries.concat()
            };
            for j in 0..n {
                assert_close(
                    &stacked([&rows_x.0, &rows_a.0, &rows_y.0, &rows_b.0], j),
                    &along(&unit(n, j), 0.0, &zy, zb),
                );
            }
            assert_close(
                &stacked([&rows_x.1, &rows_a.1, &rows_y.1, &rows_b.1], 0),
                &along(&zx, 1.0, &zy, zb),
            );
            for j in 0..k {
                assert_close(
                    &stacked([&rows_x.2, &rows_a.2, &rows_y.2, &rows_b.2], j),
                    &along(&zx, 0.0, &unit(k, j), zb),
                );
            }
            for j in 0..2 {
                let unit = if j == 0 { [1.0, 0.0] } else { [0.0, 1.0] };
                assert_close(
                    &stacked([&rows_x.3, &rows_a.3, &rows_y.3, &rows_b.3], j),
                    &along(&zx, 0.0, &zy, unit),
                );
            }
        }
    }
}
