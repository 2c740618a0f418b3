//! Functions of each element, updates in place, and operators.

use chainrule::prelude::*;
use ndarray as nd;

use crate::check::{check, check_map};

fn v3() -> nd::Array1<f64> {
    nd::arr1(&[0.3, -0.7, 1.1])
}

fn p3() -> nd::Array1<f64> {
    nd::arr1(&[0.3, 0.7, 1.1])
}

fn m23() -> nd::Array2<f64> {
    nd::arr2(&[[0.5, -1.25, 0.75], [1.5, 0.25, -0.5]])
}

fn m32() -> nd::Array2<f64> {
    nd::arr2(&[[0.5, -1.2], [0.7, 0.6], [1.1, -0.4]])
}

fn m33() -> nd::Array2<f64> {
    nd::arr2(&[[0.5, -1.25, 0.75], [1.5, 0.25, -0.5], [0.2, 0.8, 1.3]])
}

mod mapv_path {
    use super::*;
    use ndarray::prelude::*;
    #[differentiable]
    fn f(x: &Array1<f64>) -> Array1<f64> {
        x.mapv(f64::tanh)
    }

    #[test]
    fn derivatives() {
        check_map!(f(&v3()));
    }
}

mod map_ref {
    use super::*;
    use ndarray::prelude::*;
    #[differentiable]
    fn f(x: &Array1<f64>) -> f64 {
        x.map(|v| v * v + 1.0).sum()
    }

    #[test]
    fn derivatives() {
        check!(f(&v3()));
    }
}

mod mapv_inplace {
    use super::*;
    use ndarray::prelude::*;
    #[differentiable]
    fn f(x: &Array1<f64>, k: f64) -> f64 {
        let mut y = x.clone();
        y.mapv_inplace(|v| (k * v).exp());
        y.sum()
    }

    #[test]
    fn derivatives() {
        check!(f(&v3(), 0.5));
    }
}

mod map_inplace {
    use super::*;
    use ndarray::prelude::*;
    #[differentiable]
    fn f(x: &Array1<f64>) -> f64 {
        let mut y = x * 2.0;
        y.map_inplace(|v| *v = v.max(0.0) + *v * *v);
        y.sum()
    }

    #[test]
    fn derivatives() {
        check!(f(&v3()));
    }
}

mod mapv_into {
    use super::*;
    use ndarray::prelude::*;
    #[differentiable]
    fn f(w: &Array2<f64>, x: &Array1<f64>) -> f64 {
        let h = w.dot(x).mapv_into(|v| v.max(0.0));
        h.sum()
    }

    #[test]
    fn derivatives() {
        check!(f(&m23(), &v3()));
    }
}

mod zip_mut_with {
    use super::*;
    use ndarray::prelude::*;
    #[differentiable]
    fn f(x: &Array1<f64>, g: &Array1<f64>) -> f64 {
        let mut y = x.clone();
        y.zip_mut_with(g, |a, &b| *a = *a * b + b);
        y.dot(&y)
    }

    #[test]
    fn derivatives() {
        check!(f(&v3(), &p3()));
    }
}

mod zip_for_each {
    use super::*;
    use ndarray::Zip;
    use ndarray::prelude::*;
    #[differentiable]
    fn f(a: &Array1<f64>, b: &Array1<f64>) -> f64 {
        let mut y = Array1::zeros(a.len());
        Zip::from(&mut y)
            .and(a)
            .and(b)
            .for_each(|y, &a, &b| *y = a * b.sin());
        y.sum()
    }

    #[test]
    fn derivatives() {
        check!(f(&v3(), &p3()));
    }
}

mod zip_map_collect {
    use super::*;
    use ndarray::Zip;
    use ndarray::prelude::*;
    #[differentiable]
    fn f(a: &Array2<f64>, b: &Array2<f64>) -> Array2<f64> {
        Zip::from(a).and(b).map_collect(|&a, &b| (a - b).powi(2))
    }

    #[test]
    fn derivatives() {
        check_map!(f(&m23(), &m32().t().to_owned()));
    }
}

mod zip_fold {
    use super::*;
    use ndarray::Zip;
    use ndarray::prelude::*;
    #[differentiable]
    fn f(a: &Array1<f64>, b: &Array1<f64>) -> f64 {
        Zip::from(a)
            .and(b)
            .fold(0.0, |s, a, b| s + (a - b) * (a - b))
    }

    #[test]
    fn derivatives() {
        check!(f(&v3(), &p3()));
    }
}

mod azip {
    use super::*;
    use ndarray::azip;
    use ndarray::prelude::*;
    #[differentiable]
    fn f(a: &Array1<f64>, b: &Array1<f64>) -> f64 {
        let mut c = Array1::zeros(a.raw_dim());
        azip!((c in &mut c, &a in a, &b in b) *c = a * b + a);
        c.sum()
    }

    #[test]
    fn derivatives() {
        check!(f(&v3(), &p3()));
    }
}

mod fold {
    use super::*;
    use ndarray::prelude::*;
    #[differentiable]
    fn f(x: &Array1<f64>) -> f64 {
        let m = x.fold(f64::NEG_INFINITY, |a, &b| a.max(b));
        let s = x.fold(0.0, |acc, v| acc + (v - m).exp());
        m + s.ln()
    }

    #[test]
    fn derivatives() {
        check!(f(&v3()));
    }
}

mod operators {
    use super::*;
    use ndarray::prelude::*;
    #[differentiable]
    fn f(a: &Array1<f64>, b: &Array1<f64>, k: f64) -> f64 {
        let c = a + b;
        let d = &c - a * k;
        let e = 1.0 / &d + 2.0 * a - k;
        let g = -e * b.view() / 3.0;
        g.sum()
    }

    #[test]
    fn derivatives() {
        check!(f(&p3(), &p3(), 0.4));
    }
}

mod op_assign_rows {
    use super::*;
    use ndarray::prelude::*;
    #[differentiable]
    fn f(a: &Array2<f64>, x: &Array1<f64>) -> f64 {
        let mut s = Array1::<f64>::zeros(a.ncols());
        for i in 0..a.nrows() {
            s += &(&a.row(i) * x[i]);
        }
        s -= x;
        s *= 0.5;
        s.dot(&s)
    }

    #[test]
    fn derivatives() {
        check!(f(&m23(), &v3()));
    }
}

mod scaled_add {
    use super::*;
    use ndarray::prelude::*;
    #[differentiable]
    fn f(x: &Array1<f64>, g: &Array1<f64>, lr: f64) -> f64 {
        let mut y = x.to_owned();
        y.scaled_add(-lr, g);
        y.dot(&y)
    }

    #[test]
    fn derivatives() {
        check!(f(&v3(), &p3(), 0.1));
    }
}

mod element_methods {
    use super::*;
    use ndarray::prelude::*;
    #[differentiable]
    fn f(x: &Array1<f64>) -> f64 {
        let a = x.exp().ln_1p() + x.powi(2).sqrt() + x.abs();
        let b = x.clamp(-0.5, 0.9) * x.powf(2.0) + x.tanh();
        (a * b).sum()
    }

    #[test]
    fn derivatives() {
        check!(f(&v3()));
    }
}

mod matrix_broadcast {
    use super::*;
    use ndarray::prelude::*;
    #[differentiable]
    fn normalise(x: &Array2<f64>) -> Array2<f64> {
        let mu = x.mean_axis(Axis(0)).unwrap();
        let c = x - &mu;
        let v = c.mapv(|d| d * d).mean_axis(Axis(0)).unwrap();
        c / v.mapv(|v| (v + 1e-3).sqrt())
    }

    #[test]
    fn derivatives() {
        check_map!(normalise(&m33()));
    }
}

mod broadcast_method {
    use super::*;
    use ndarray::prelude::*;
    #[differentiable]
    fn f(x: &Array1<f64>) -> f64 {
        let b = x.broadcast((4, 3)).unwrap();
        (&b * &b).sum()
    }

    #[test]
    fn derivatives() {
        check!(f(&v3()));
    }
}

mod indexed_iter {
    use super::*;
    use ndarray::prelude::*;

    #[differentiable]
    fn read(a: &Array2<f64>) -> f64 {
        let mut total = 0.0;
        for ((i, j), v) in a.indexed_iter() {
            total += v * v * (i as f64 + 2.0 * j as f64);
        }
        total
    }

    #[differentiable]
    fn vector(x: &Array1<f64>) -> f64 {
        x.indexed_iter()
            .map(|(i, v)| v.sin() * (i + 1) as f64)
            .sum()
    }

    #[differentiable]
    fn written(a: &Array2<f64>) -> f64 {
        let mut b = a.t().to_owned();
        for ((i, j), v) in b.indexed_iter_mut() {
            if i == j {
                *v *= *v;
            } else {
                *v += a[[i, j]] * a[[j, i]];
            }
        }
        b.sum()
    }

    #[differentiable]
    fn constant(x: f64, #[constant] w: &Array2<f64>) -> f64 {
        let mut total = 0.0;
        for (at, v) in w.indexed_iter() {
            total += x.powi(at.0 as i32 + at.1 as i32) * v;
        }
        total
    }

    #[test]
    fn derivatives() {
        check!(read(&m23()));
        check!(read(&m23().reversed_axes()));
        check!(vector(&v3()));
        check!(written(&m33()));
        check!(constant(0.7, const &m23()));
    }
}

/// Arrays that aren't in standard layout, whose elements the library visits in the order in which they stand in memory.
mod orders {
    use super::*;
    use ndarray::{Array2, Array3, Axis, Zip, azip, s};

    fn m34() -> Array2<f64> {
        Array2::from_shape_fn((3, 4), |(i, j)| ((i * 4 + j) as f64 * 0.7 + 0.3).sin())
    }

    fn m234() -> Array3<f64> {
        let at = |(i, j, k)| ((i * 12 + j * 4 + k) as f64 * 0.7 + 0.3).sin();
        Array3::from_shape_fn((2, 3, 4), at)
    }

    #[differentiable]
    fn folded(m: &Array2<f64>) -> f64 {
        let whole = m.fold(0.1, |s, v| 0.5 * s + v);
        let turned = m.t().fold(0.1, |s, v| 0.5 * s + v * v);
        let odd = m.slice(s![..;-1, ..;2]);
        let even = m.slice(s![..;-1, ..;-1]);
        whole + turned * odd.fold(0.1, |s, v| 0.5 * s + v) + even.fold(0.2, |s, v| s * v + v)
    }

    #[differentiable]
    fn without_state(x: &[f64]) -> f64 {
        let a = Array2::from_shape_vec((2, 3), x.to_vec()).unwrap();
        let turned = a.t();
        let doubled = turned.mapv(|v| v * 2.0);
        let squares = Zip::from(&turned).and(&turned).map_collect(|p, q| p * q);
        let products = turned.map_axis(Axis(0), |c| c[0] * c[1]);
        doubled[[1, 0]] * squares[[2, 1]] + products[1] * x[2]
    }

    #[test]
    fn closures_without_state_take_any_layout() {
        chainrule::testing::check_rules!(without_state, &[0.3, -0.7, 1.1, 0.4, 0.9, -1.3]);
    }

    #[differentiable]
    fn owned(m: &Array2<f64>) -> f64 {
        let t = m.clone().reversed_axes();
        let doubled = &t * 2.0;
        t.fold(0.0, |s, v| 0.5 * s + v) + doubled.fold(0.0, |s, v| 0.7 * s + v.sin())
    }

    #[differentiable]
    fn of_three(m: &Array3<f64>) -> f64 {
        let turned = m.clone().reversed_axes();
        let part = m.slice(s![.., 1.., ..;2]);
        m.fold(0.0, |s, v| 0.5 * s + v)
            + turned.fold(0.0, |s, v| 0.5 * s + v)
            + m.t().fold(0.0, |s, v| 0.5 * s + v)
            + part.fold(0.0, |s, v| 0.5 * s + v)
            + part.t().fold(0.0, |s, v| 0.5 * s + v)
    }

    #[differentiable]
    fn without_order(m: &Array2<f64>) -> f64 {
        let k = m[[0, 0]];
        let mut t = m.t().mapv(|v| v * v + k);
        t.mapv_inplace(|v| v.sin() * k);
        let mut u = m.clone().reversed_axes();
        u.zip_mut_with(&t, |a, b| *a += *b * *b);
        let mut w = u.clone();
        Zip::from(&mut w)
            .and(&u)
            .and(m.t())
            .for_each(|w, u, m| *w = *u * *m);
        azip!((w in &mut w, &u in &u) *w += u * k);
        w.fold(0.0, |s, v| 0.5 * s + v) + w.sum() + u.sum() + t.sum()
    }

    #[differentiable]
    fn counted(m: &Array2<f64>) -> f64 {
        let mut k = 0.0;
        let t = m.mapv(|v| {
            k += 1.0;
            k * v
        });
        t[[0, 1]] + t.sum()
    }

    #[differentiable]
    fn counted_in_place(m: &Array2<f64>) -> f64 {
        let (mut k, mut t) = (0.0, m.clone());
        t.mapv_inplace(|v| {
            k += v;
            k * v
        });
        t[[0, 1]] + t.sum()
    }

    #[differentiable]
    fn zipped(m: &Array2<f64>) -> f64 {
        let mut s = 0.0;
        Zip::from(m).for_each(|v| s = 0.5 * s + v);
        s
    }

    #[differentiable]
    fn zip_folded(m: &Array2<f64>) -> f64 {
        Zip::from(m).and(m).fold(0.0, |s, v, w| 0.5 * s + v * w)
    }

    #[derive(Differentiable)]
    struct Last {
        value: f64,
    }

    /// The state is that of a struct.
    #[differentiable]
    fn last(m: &Array2<f64>) -> f64 {
        let mut last = Last { value: 0.0 };
        let mut t = m.clone();
        t.zip_mut_with(m, |a, b| {
            *a *= last.value;
            last.value = *b;
        });
        t.sum()
    }

    /// The state is behind a shared reference.
    #[differentiable]
    fn cells(m: &Array2<f64>) -> f64 {
        let k = std::cell::Cell::new(0);
        let t = m.mapv(|v| {
            k.set(k.get() + 1);
            v * k.get() as f64
        });
        t[[0, 1]] + t.sum()
    }

    #[differentiable]
    fn of_rows(m: &Array3<f64>) -> f64 {
        let mut s = 0.0;
        Zip::from(m.rows()).for_each(|row| s = 0.5 * s + row.sum());
        s
    }

    #[differentiable]
    fn of_lanes(m: &Array3<f64>) -> f64 {
        let mut k = 0.0;
        let t = m.map_axis(Axis(2), |lane| {
            k += 1.0;
            lane.sum() * k
        });
        t[[0, 1]] + t.sum()
    }

    #[test]
    fn derivatives() {
        check!(cells(&m34()));
        check!(of_rows(&m234()));
        check!(of_lanes(&m234()));
        check!(folded(&m34()));
        check!(folded(&m34().reversed_axes()));
        check!(owned(&m34()));
        check!(of_three(&m234()));
        check!(of_three(&m234().permuted_axes([2, 0, 1])));
        check!(without_order(&m34()));
        check!(without_order(&m34().reversed_axes()));
        check!(counted(&m34()));
        check!(counted_in_place(&m34()));
        check!(zipped(&m34()));
        check!(zip_folded(&m34()));
        check!(last(&m34()));
        // Parts in the same order.
        let part = m34().slice_move(s![.., 1..]);
        check!(zipped(&part.clone()));
        check!(counted_in_place(&part));
    }

    /// The order is another one, which is found out where the loop runs.
    #[test]
    fn other_orders_are_refused() {
        let m = m34().reversed_axes();
        let m3 = m234().reversed_axes();
        let rules: [(&str, &dyn Fn() -> f64); 8] = [
            ("cells", &|| cells::gradient(&m).sum()),
            ("of_rows", &|| of_rows::gradient(&m3).sum()),
            ("of_lanes", &|| of_lanes::gradient(&m3).sum()),
            ("counted", &|| counted::gradient(&m).sum()),
            ("counted_in_place", &|| counted_in_place::gradient(&m).sum()),
            ("zipped", &|| zipped::jvp(&m, &m).1),
            ("zip_folded", &|| zip_folded::hvp(&m, &m).sum()),
            ("last", &|| last::gradient(&m).sum()),
        ];
        for (name, rule) in rules {
            let refused = std::panic::catch_unwind(std::panic::AssertUnwindSafe(rule));
            let Err(message) = refused else {
                panic!("{name} isn't refused")
            };
            let message = message.downcast_ref::<&str>().copied();
            assert!(
                message.is_some_and(|message| message.contains("standard layout")),
                "{name}: {message:?}"
            );
        }
    }
}

/// Functions of lanes.
mod map_axis {
    use super::*;
    use ndarray::{Array1, Array2, Array3, Axis};

    #[differentiable]
    fn log_sum_exp(x: &Array2<f64>) -> Array1<f64> {
        let max = x.map_axis(Axis(1), |r| r.fold(f64::NEG_INFINITY, |a, &b| a.max(b)));
        let e = (x - &max.insert_axis(Axis(1))).mapv(f64::exp);
        e.map_axis(Axis(1), |row| row.sum().ln())
    }

    #[differentiable]
    fn columns(x: &Array2<f64>, w: &Array1<f64>) -> f64 {
        let norms = x.map_axis(Axis(0), |c| c.dot(&c).sqrt());
        let scaled = (x * 2.0).map_axis(Axis(0), |column| {
            let mut total = 0.0;
            for v in column.iter() {
                total += v * v;
            }
            total
        });
        norms.dot(w) + scaled.dot(&norms)
    }

    #[differentiable]
    fn of_three(x: &Array3<f64>) -> f64 {
        let y = x.map_axis(Axis(1), |lane| lane[0] * lane[1]);
        (&y * &y).sum() + y[[1, 0]]
    }

    #[test]
    fn derivatives() {
        let x = Array2::from_shape_fn((2, 3), |(i, j)| ((3 * i + j) as f64).sin());
        check_map!(log_sum_exp(&x.clone()));
        check!(columns(&x.clone(), &v3()));
        check!(columns(&x.t().to_owned().reversed_axes(), &v3()));
        check!(of_three(&Array3::from_shape_fn((2, 2, 3), |(i, j, k)| {
            ((6 * i + 3 * j + k) as f64).sin()
        })));
    }
}

/// Arrays whose number of axes the compiler doesn't know.
mod unknown_axes {
    use super::*;
    use ndarray::{Array1, Array2, Zip, s};

    #[differentiable]
    fn masked(q: &Array2<f64>, k: &Array2<f64>, #[constant] mask: &Array2<bool>) -> f64 {
        let range = s![.., 1..];
        let (q, k) = (q.slice(range), k.slice(range));
        let mut scores = q.dot(&k.t()) / 2.0;
        Zip::from(&mut scores).and(mask).for_each(|s, &m| {
            if !m {
                *s = 0.3;
            } else {
                *s *= *s;
            }
        });
        scores.sum()
    }

    #[differentiable]
    fn of_a_row(m: &Array2<f64>, b: &Array1<f64>) -> f64 {
        let mut m = m.clone();
        m.row_mut(0).zip_mut_with(b, |x, y| *x *= y);
        (&m * &m).sum()
    }

    #[test]
    fn derivatives() {
        let mask = ndarray::arr2(&[[true, false], [true, true]]);
        check!(masked(&m23(), &(m23() * 0.7), const &mask));
        check!(of_a_row(&m23(), &v3()));
    }
}
