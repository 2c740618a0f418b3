//! `[&a, &b]`: what loops run over, and what an index chooses from.

use chainrule::prelude::*;

use crate::check::table;

fn x() -> Vec<f64> {
    vec![0.8, 0.3, -1.1]
}

#[differentiable]
fn shared(x: &[f64]) -> f64 {
    let (a, b) = (vec![x[0], 1.0], vec![x[1], 2.0]);
    let mut s = 0.0;
    for v in [&a, &b] {
        s += v[0] * v[1] * s.cos();
    }
    for v in [x, &[1.0, -2.0], &a[..]] {
        s = s * v[0] + v[1];
    }
    s + a[0]
}

#[differentiable]
fn mutable(x: &[f64]) -> f64 {
    let (mut a, mut b) = (x[0], 2.0);
    for r in [&mut a, &mut b] {
        *r *= x[1] + *r;
    }
    let (mut u, mut v) = (vec![0.0; 2], x.to_vec());
    for (k, m) in [&mut u, &mut v].into_iter().enumerate() {
        m[k] += a;
        m.push(b);
    }
    a * b * x[1] + u[0] * v[1] + u[2] * v[3]
}

#[differentiable]
fn bound(x: &[f64], k: usize) -> f64 {
    let (a, b) = (vec![x[0], 1.0], vec![x[1], 2.0]);
    let all = [&a[..], x, &b];
    let mut s = all[k][0] * x[0] + all[1][k];
    for row in all {
        s += row[0] * row[1];
    }
    for (i, row) in all.iter().enumerate() {
        for (p, q) in row.iter().zip(all[(i + 1) % 3]) {
            s = s * p + q;
        }
    }
    for (row, w) in all.iter().zip([1.0, 2.0, 3.0]) {
        s += row[0] * w;
    }
    s * all[k].len() as f64 + all.iter().map(|r| r[0] * r[0]).sum::<f64>()
}

#[differentiable]
fn numbers(x: &[f64], k: usize) -> f64 {
    let (a, b) = (x[0] * x[1], x[1]);
    let all = [&a, &b];
    let squares: f64 = all.iter().map(|v| **v * **v).sum();
    squares * all[k]
}

#[differentiable]
fn written_at(x: &[f64], k: usize) -> f64 {
    let (mut a, mut b) = (vec![1.0, x[0]], vec![2.0, 3.0]);
    {
        let all = [&mut a, &mut b];
        all[k][1] *= x[1];
        *all[0] = vec![x[2], x[0]];
        all[k][0] += x[0];
    }
    a[0] * a[1] + b[0] * b[1]
}

#[test]
#[should_panic(expected = "index out of bounds: the len is 2 but the index is 2")]
fn indices_are_checked() {
    #[differentiable]
    fn f(x: &[f64], k: usize) -> f64 {
        let all = [&x[..1], &x[1..]];
        all[k][0]
    }
    f::gradient(&x(), 2);
}

#[differentiable]
fn collected_references(x: &[f64], #[constant] w: &[f64]) -> f64 {
    let all: Vec<&f64> = w.iter().collect();
    let mut sorted = all.clone();
    sorted.sort_by(|a, b| a.total_cmp(b));
    let median = *sorted[1];
    let own: Vec<&f64> = x.iter().collect();
    let mut s = *all[0] * x[0] * x[0] + median * x[1];
    for (v, o) in all.iter().zip(&own) {
        s += **v * **o * s.sin();
    }
    s * own[1] + sorted.last().map_or(0.0, |v| **v * x[2])
}

#[differentiable]
fn pushed(x: f64, #[constant] w: &[f64]) -> f64 {
    let mut positive: Vec<&f64> = Vec::new();
    for v in w {
        if *v > 0.0 {
            positive.push(v);
        }
    }
    let first = *positive[0];
    first * x * x + positive.iter().map(|v| **v * x.sin()).sum::<f64>()
}

#[differentiable]
fn given(
    x: &[f64],
    #[constant] all: &[&f64],
    #[constant] (first, second): (&f64, f64),
    #[constant] pairs: &[(&f64, usize)],
) -> f64 {
    let mut s = *all[0] * x[0] + *first * x[1] * x[1] * second;
    for v in all {
        s += **v * s.sin();
    }
    pairs.iter().fold(s, |s, (w, k)| s + **w * x[*k] * x[0])
}

table! {
    shared: (&x());
    mutable: (&x());
    bound: for k in 0..3, (&x(), const k);
    numbers: for k in 0..2, (&x(), const k);
    written_at: for k in 0..2, (&x(), const k);
    collected_references: (&x(), const &[0.3, 1.7, -0.4]);
    pushed: (0.7, const &[-0.4, 0.3, 1.7]);
    given: (&x(), const &[&0.3, &1.7], const (&0.6, 2.0), const &[(&0.9, 1), (&1.1, 2)]);
}

mod in_tuples {
    use chainrule::prelude::*;

    use crate::check::assert_close;

    #[differentiable]
    fn combined(y: &[f64], terms: &[(f64, &[f64])]) -> f64 {
        let mut s = 0.0;
        for (c, k) in terms {
            for i in 0..y.len() {
                s += c * k[i] * y[i];
            }
        }
        s + terms[1].0 * terms[0].1[1]
    }

    #[test]
    fn are_read_in_place() {
        let (y, a, b) = ([0.4, 1.7], [0.3, -0.8], [1.2, 0.7]);
        let terms = [(0.5, &a[..]), (-1.3, &b[..])];
        let (value, (of_y, of_terms)) = combined::value_and_gradient(&y, &terms);
        assert_eq!(value.to_bits(), combined(&y, &terms).to_bits());
        let dot = |k: &[f64; 2]| k[0] * y[0] + k[1] * y[1];
        for i in 0..2 {
            assert_close(&[of_y[i]], &[0.5 * a[i] - 1.3 * b[i]]);
            let more = if i == 1 { -1.3 } else { 0.0 };
            assert_close(&[of_terms[0].1[i]], &[0.5 * y[i] + more]);
            assert_close(&[of_terms[1].1[i]], &[-1.3 * y[i]]);
        }
        assert_close(&[of_terms[0].0], &[dot(&a)]);
        assert_close(&[of_terms[1].0], &[dot(&b) + a[1]]);
    }
}
