//! Snapshots of the output of the transforms, on printed IR; and checks that every function of the language has partials.

use expect_test::{Expect, expect};

use super::{Shape, forward, reverse};
use crate::pipeline::{forward_rule, reverse_rule, rule};
use crate::std_model::{Arg, Gives, METHODS, Of};
use crate::testing::primal;

fn check(func: crate::ir::Func, expected: &Expect) {
    expected.assert_eq(&rule(func).to_string());
}

const SUM: &str = "fn f(x: &[f64], a: f64) -> f64 {
    let mut s = 0.0;
    for i in 0..x.len() {
        s += (a * x[i]).sin();
    }
    s
}";

const STORE: &str = "fn f(v: &mut [f64], a: f64) -> f64 {
    v[0] = v[0] * a;
    v[0]
}";

const BRANCH: &str = "fn f(x: f64) -> f64 {
    if x > 0.0 { x * x } else { x.exp() }
}";

#[test]
fn forward_keeps_primals_and_adds_tangents() {
    check(
        forward(&primal(BRANCH)),
        &expect![[r#"
            fn f(x: dual(%0, %6) f64) -> f64 {
              %1 c: f64 = const 0.0
              %2 t: bool = gt %0, %1
              %5 t: f64, %11 t_dot: f64 = if %2 {
                %3 t: f64 = mul %0, %0
                %7 t: f64 = mul %6, %0
                %9 t_dot: f64 = add %7, %7
                yield %3, %9
              } else {
                %4 t: f64 = exp %0
                %10 t_dot: f64 = strong_mul %6, %4
                yield %4, %10
              }
              yield %5, %11
            } -> dual(%5, %11)
        "#]],
    );
}

#[test]
fn a_loop_stores_partials_and_runs_backwards() {
    check(
        reverse(&primal(SUM), Shape::Split),
        &expect![[r#"
            fn f(x: $0 &[f64], a: %0 f64) -> f64 {
              tape $3 cos_tape: tape of runs
              %1 s: f64 = const 0.0
              %2 c: usize = const 0
              %3 len: usize = len $0
              run $4 cos_run: Vec<f64> of $3 for %2..%3
              %10 s: f64 = for %4 i: usize in %2..%3 carry (%5 s: f64 = %1) {
                %6 x: f64 = load $0[%4]
                %7 t: f64 = mul %0, %6
                %8 t: f64 = sin %7
                %16 cos: f64 = cos %7
                %9 s: f64 = add %5, %8
                store $4[%4] = %16
                yield %9
              }
              yield %10
            } -> %10
            pullback (seed %11, $0/$1, ()) {
              %12 len: usize = len $0
              borrow $2 x_bar: &mut [f64] = $1[..%12]
              %23 zero: f64 = const zero
              run $5 cos_run: Vec<f64> of $3 for %2..%3 again
              %25 a_bar: f64 = for %13 i: usize in %2..%3 carry (%15 a_bar: f64 = %23) {
                %17 cos: f64 = load $5[%13]
                %18 t_bar: f64 = strong_mul %11, %17
                %19 x: f64 = load $0[%13]
                %20 t: f64 = mul %18, %19
                %21 a_bar: f64 = add %15, %20
                %22 x_bar: f64 = mul %0, %18
                accumulate $2[%13] += %22
                yield %21
              }
              yield %25
            } -> ((), %25)
        "#]],
    );
}

#[test]
fn a_sum_of_terms_is_fused_and_stores_nothing() {
    check(
        reverse(&primal(SUM), Shape::Combined),
        &expect![[r#"
        fn f(x: $0 &[f64], a: %0 f64; %11, $1, $3) -> f64 {
          %12 len: usize = len $0
          borrow $2 x_bar: &mut [f64] = $1[..%12]
          %1 s: f64 = const 0.0
          %2 c: usize = const 0
          %3 len: usize = len $0
          %19 zero: f64 = const zero
          %10 s: f64, %20 a_bar: f64 = for %4 i: usize in %2..%3 carry (%5 s: f64 = %1, %13 a_bar: f64 = %19) {
            %6 x: f64 = load $0[%4]
            %7 t: f64 = mul %0, %6
            %8 t: f64 = sin %7
            %14 cos: f64 = cos %7
            %9 s: f64 = add %5, %8
            %15 t_bar: f64 = strong_mul %11, %14
            %16 t: f64 = mul %15, %6
            %17 a_bar: f64 = add %13, %16
            %18 x_bar: f64 = mul %0, %15
            accumulate $2[%4] += %18
            yield %9, %17
          }
          accumulate $3 += %20
          yield %10
        } -> %10
    "#]],
    );
}

#[test]
fn a_store_is_undone_and_its_cotangent_is_taken() {
    check(
        reverse(&primal(STORE), Shape::Split),
        &expect![[r#"
            fn f(v: $0 &mut [f64], a: %0 f64) -> f64 {
              %1 c: usize = const 0
              %2 v: f64 = load $0[%1]
              %3 t: f64 = mul %2, %0
              store $0[%1] = %3
              %6 v: f64 = load $0[%1]
              yield %6
            } -> %6
            pullback (seed %7, $0/$1, ()) {
              %8 len: usize = len $0
              borrow $2 v_bar: &mut [f64] = $1[..%8]
              accumulate $2[%1] += %7
              %10 t_bar: f64 = load $2[%1]
              store $0[%1] = %2
              %12 v_bar: f64 = mul %10, %0
              %13 a_bar: f64 = mul %2, %10
              store $2[%1] = %12
              yield %13
            } -> ((), %13)
        "#]],
    );
}

#[test]
fn a_branch_yields_what_its_reverse_half_reads() {
    check(
        reverse(&primal(BRANCH), Shape::Split),
        &expect![[r#"
            fn f(x: %0 f64) -> f64 {
              %1 c: f64 = const 0.0
              %2 t: bool = gt %0, %1
              %5 t: f64, %10 t: f64 = if %2 {
                %3 t: f64 = mul %0, %0
                %12 undef: f64 = const undef
                yield %3, %12
              } else {
                %4 t: f64 = exp %0
                yield %4, %4
              }
              yield %5
            } -> %5
            pullback (seed %6, ()) {
              %13 x_bar: f64 = if %2 {
                %7 x_bar: f64 = mul %6, %0
                %9 x_bar: f64 = add %7, %7
                yield %9
              } else {
                %11 x_bar: f64 = strong_mul %6, %10
                yield %11
              }
              yield %13
            } -> (%13)
        "#]],
    );
}

#[test]
fn forward_accepts_what_reverse_makes() {
    check(
        forward(&reverse(&primal(STORE), Shape::Split)),
        &expect![[r#"
            fn f(v: dual($0, $3) &mut [f64], a: dual(%0, %14) f64) -> f64 {
              %15 len: usize = len $0
              borrow $4 v_dot: &mut [f64] = $3[..%15]
              %1 c: usize = const 0
              %2 v: f64 = load $0[%1]
              %16 v_dot: f64 = load $4[%1]
              %3 t: f64 = mul %2, %0
              %17 t: f64 = mul %16, %0
              %18 t: f64 = mul %2, %14
              %19 t_dot: f64 = add %17, %18
              store $0[%1] = %3
              store $4[%1] = %19
              %6 v: f64 = load $0[%1]
              %21 v_dot: f64 = load $4[%1]
              yield %6, %21
            } -> dual(%6, %21)
            pullback (seed dual(%7, %22), dual($0, $3)/dual($1, $5), ()) {
              %23 len: usize = len $0
              borrow $6 v_dot: &mut [f64] = $3[..%23]
              %24 len: usize = len $1
              borrow $7 v_bar_dot: &mut [f64] = $5[..%24]
              %8 len: usize = len $0
              borrow $2 v_bar: &mut [f64] = $1[..%8]
              borrow $8 v_bar_dot: &mut [f64] = $7[..%8]
              accumulate $8[%1] += %22
              accumulate $2[%1] += %7
              %10 t_bar: f64 = load $2[%1]
              %25 t_bar_dot: f64 = load $8[%1]
              store $0[%1] = %2
              store $6[%1] = %16
              %12 v_bar: f64 = mul %10, %0
              %27 t: f64 = mul %25, %0
              %28 t: f64 = mul %10, %14
              %29 v_bar_dot: f64 = add %27, %28
              %13 a_bar: f64 = mul %2, %10
              %30 t: f64 = mul %16, %10
              %31 t: f64 = mul %2, %25
              %32 a_bar_dot: f64 = add %30, %31
              store $8[%1] = %29
              store $2[%1] = %12
              yield %13, %32
            } -> ((), dual(%13, %32))
        "#]],
    );
}

#[test]
fn entries_of_tapes_are_pushed_and_popped_with_one_width() {
    // `powi(0)` is varied, but its tangent is structurally zero.
    let source = "fn f(w: &mut [f64], a: f64) -> f64 {
        let mut k = 0;
        while k < w.len() {
            w[k] = (w[k] * a.sin().powi(0)).sin();
            k += 2;
        }
        w[0]
    }";
    let func = forward(&reverse(&primal(source), Shape::Split));
    let mut widths = Vec::new();
    let mut visit = |op: &crate::ir::Op| match &op.kind {
        crate::ir::OpKind::Push(_, values) => widths.push(values.len()),
        crate::ir::OpKind::Pop(_) => widths.push(op.results.len()),
        _ => {}
    };
    func.body.walk(&mut visit);
    if let Some(pullback) = &func.pullback {
        pullback.body.walk(&mut visit);
    }
    assert!(widths.len() == 2 && widths[0] == widths[1], "{widths:?}");
}

#[test]
fn every_float_method_has_partials() {
    for method in METHODS.iter().filter(|method| method.of == Of::Float) {
        let args: Vec<&str> = method
            .args
            .iter()
            .map(|kind| if *kind == Arg::I32 { "n" } else { "y" })
            .collect();
        let source = format!(
            "fn f(x: f64, y: f64, n: i32) -> f64 {{ let t = x.{}({}); x }}",
            method.name,
            args.join(", ")
        );
        let source = if method.gives == Gives::Own {
            source.replace("; x }", "; t }")
        } else {
            source
        };
        let func = primal(&source);
        rule(forward(&func));
        rule(forward(&reverse(&func, Shape::Combined)));
    }
}

/// The verifier looks at each rule of functions whose loops store what their reverse halves read: a slot that is declared twice, or out of its scope.
#[test]
fn rules_of_loops_with_tapes_and_states_are_well_formed() {
    for source in [
        "fn f(x: &[f64], a: f64) -> f64 {
            let mut v = vec![0.0; x.len()];
            let mut s = 1.0;
            for i in 0..x.len() {
                s = s * 0.5 + x[i] * a;
                v[i] = s * s;
                if i > 0 { v[i] += v[i - 1] * x[i]; }
            }
            let mut t = 0.0;
            for i in 0..v.len() { t += (v[i] * a).sin(); }
            t
        }",
        "fn f(x: &[f64], n: usize) -> f64 {
            let mut s = x[0];
            let mut u = x[1];
            #[checkpoint(3)]
            for i in 0..n { let t = s * 0.9 + u.sin() * x[i % x.len()]; u = u * 0.5 + s; s = t; }
            s * u
        }",
        "fn f(a: f64, b: f64) -> f64 {
            let mut x = a;
            let mut k = 0;
            loop {
                let y = x * x * x - b;
                if y.abs() < 1e-6 || k > 30 { break; }
                x -= y / (3.0 * x * x);
                k += 1;
            }
            x * a
        }",
        // The list is joined with the variable that it is moved to.
        "fn f(y: &[f64]) -> f64 {
            let z: Vec<f64> = y.chunks(2).map(|c| c[0] * c[c.len() - 1]).collect();
            z.iter().sum::<f64>()
        }",
    ] {
        let primal = primal(source);
        forward_rule(&primal);
        for shape in [Shape::Split, Shape::Combined] {
            forward_rule(&reverse_rule(&primal, shape));
        }
    }
}
