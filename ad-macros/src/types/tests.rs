//! Inferred types, variable by variable.

use expect_test::{Expect, expect};

use super::resolve;
use crate::hir::{self, Var};
use crate::testing::parsed;

/// The types of the user's variables.
fn check(source: &str, expected: &Expect) {
    let hir = parsed(source).expect("no errors");
    let types = resolve(&hir).expect("no errors");
    let named = hir
        .vars
        .iter()
        .enumerate()
        .filter(|(_, data)| !data.synthetic);
    let lines = named.map(|(k, data)| {
        let ty = types.var(Var(hir::index(k)));
        let reference = match ty {
            super::Type::Ref(true, _) => "&mut ",
            super::Type::Ref(false, _) => "&",
            _ => "",
        };
        format!("{}: {reference}{}\n", data.ident, ty.peeled().lower())
    });
    expected.assert_eq(&lines.collect::<Vec<_>>().concat());
}

#[test]
fn literals_follow_what_they_meet() {
    check(
        "fn f(x: f32, n: u8) -> f32 {
            let a = 1.0;
            let b = 2.0;
            let c = 3;
            let d = 4;
            let e = d + 1;
            let g = 0.5;
            let mut s = 0.0;
            s += x * a;
            if n > c { s } else { x.powi(d) }
        }",
        &expect![[r#"
            x: f32
            n: u8
            a: f32
            b: f64
            c: u8
            d: i32
            e: i32
            g: f64
            s: f32
        "#]],
    );
}

#[test]
fn a_counter_that_a_loop_carries_is_a_sum_of_itself() {
    check(
        "fn f(m: &Model, rank: usize) -> f64 {
            let mut low = 0;
            let mut high = m.len() - 1;
            loop {
                let middle = (low + high) / 2;
                if m[low] > m[high] {
                    return m[middle];
                }
                high = high - 1;
            }
        }",
        &expect![[r#"
            m: &Model
            rank: usize
            low: usize
            high: ?
            middle: usize
        "#]],
    );
}

#[test]
fn literals_that_meet_the_unknown_stay_open() {
    check(
        "fn f(x: f64, m: &Model) -> f64 {
            let a = 1.0;
            let b = a * m.scale;
            let c = 2.0;
            let d = g(c);
            let e: f64 = g(1);
            let mut s = 0.0;
            s += g(x);
            let t = if x > 0.0 { 1.0 } else { h(x) };
            let u = [0.0; 3];
            fill(&mut u);
            let w = [0.0; 3];
            d
        }",
        &expect![[r#"
            x: f64
            m: &Model
            a: ?
            b: ?
            c: ?
            d: f64
            e: f64
            s: ?
            t: ?
            u: [?; 3]
            w: [f64; 3]
        "#]],
    );
}

#[test]
fn elements_and_references() {
    check(
        "fn f(x: &[f64], y: &mut Vec<[f32; 2]>, z: [[f64; 3]; 2]) {
            let a = x[0];
            let b = &x[1..];
            let c = &mut y[0];
            let d = c[1];
            let e = z[0];
            let g = z[0][1];
            let h = x.last().unwrap();
            let i = x.to_vec();
            let (j, k) = x.split_at(1);
            for l in x {}
            for (m, n) in y.iter_mut().enumerate() {}
            for o in z {}
            for &p in x.iter().rev() {}
            for q in x.chunks(2) {}
            let [r, s] = y[0];
        }",
        &expect![[r#"
            x: &[f64]
            y: &mut Vec<[f32; 2]>
            z: [[f64; 3]; 2]
            a: f64
            b: &[f64]
            c: &mut [f32; 2]
            d: f32
            e: [f64; 3]
            g: f64
            h: &f64
            i: Vec<f64>
            j: &[f64]
            k: &[f64]
            l: &f64
            n: &mut [f32; 2]
            m: usize
            o: [f64; 3]
            p: f64
            q: &[f64]
            r: f32
            s: f32
        "#]],
    );
}

#[test]
fn tuples_and_calls_of_known_signature() {
    check(
        "fn f(x: f64, n: usize) -> (f64, bool) {
            fn inner(n: usize) -> f32 { 1.0 }
            const K: usize = 3;
            let a = (x, n);
            let (b, c) = a;
            let d = a.1;
            let (e, g) = x.sin_cos();
            let h = inner(n);
            let (i, j) = f(x, n);
            let k = f64::max(x, 1.0);
            let l = core::f64::consts::PI;
            let m = usize::MAX;
            let o = K;
            let p = x.is_nan();
            let q = n.pow(2);
            let (r, s) = g(x);
            a
        }",
        &expect![[r#"
            x: f64
            n: usize
            a: (f64, usize, )
            b: f64
            c: usize
            d: usize
            e: f64
            g: f64
            h: f32
            i: f64
            j: bool
            k: f64
            l: f64
            m: usize
            o: usize
            p: bool
            q: usize
            r: ?
            s: ?
        "#]],
    );
}

#[test]
fn control_flow() {
    check(
        "fn f(x: f64, n: usize) -> f64 {
            let a = loop { break 1.5; };
            let b = 'b: { if n > 1 { break 'b 2; } 3 };
            let c = match n { 0 => x, 1 => return 2.0, _ => panic!() };
            let d;
            if n > 2 { d = 1.0; } else { d = x; }
            let e = { let y = x; y };
            c
        }",
        &expect![[r#"
            x: f64
            n: usize
            a: f64
            b: i32
            c: f64
            d: f64
            y: f64
            e: f64
        "#]],
    );
}

#[test]
fn an_index_that_integers_went_into_is_one() {
    check(
        "fn f(m: &Model, i: usize, x: f64) -> f64 {
            let k = i * width(m) + 1;
            let c = m.count() + 1;
            m.data[k] * x
        }",
        &expect![[r#"
            m: &Model
            i: usize
            x: f64
            k: usize
            c: ?
        "#]],
    );
}
