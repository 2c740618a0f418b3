//! Names, mentions and exits of code that is not parsed further.

use expect_test::{Expect, expect};

use super::mentions::captures;
use super::{Access, ExprKind};
use crate::testing::parsed;

/// Checks the mentions of each piece of verbatim code: `mut x` where it writes, `x.` where a method may.
fn mentions(source: &str, expected: &Expect) {
    let func = parsed(source).expect("no errors");
    let mut lines = String::new();
    func.body.walk(&mut |expr| {
        if let ExprKind::Verbatim(verbatim) = &expr.kind {
            let names: Vec<String> = verbatim
                .mentions
                .iter()
                .map(|mention| {
                    let (ident, n) = (&func.var(mention.var).ident, mention.var.0);
                    match mention.access {
                        Access::Read => format!("{ident}{n}"),
                        Access::Method => format!("{ident}{n}."),
                        Access::Write => format!("mut {ident}{n}"),
                    }
                })
                .collect();
            lines.extend([format!("{:?}: {}\n", verbatim.outcome, names.join(", "))]);
        }
    });
    expected.assert_eq(&lines);
}

fn errors(source: &str) -> String {
    match parsed(source) {
        Ok(_) => "no error".into(),
        Err(errors) => errors
            .into_iter()
            .map(|e| e.to_string() + "\n")
            .collect::<Vec<_>>()
            .concat(),
    }
}

#[test]
fn format_strings_capture() {
    let names = captures("{x} {{no}} {y:.3} {:w$.p$} {0} {} {z:?} {a.b");
    assert_eq!(names, ["x", "y", "w", "p", "z"]);
}

#[test]
fn macros_mention_their_arguments() {
    mentions(
        r#"fn f(x: f64, mut v: Vec<f64>, out: &mut String) {
            println!("{x} {}", v.len());
            assert!(x > 0.0 && v.iter().all(|x| *x > 0.0), "{:?}", v);
            write!(out, "{x}");
            let x = format!("{x}");
            other!(x, y = v; v.x);
            println!("{}", { v[0] += 1.0; 2 });
        }"#,
        &expect![[r#"
            Unit: x0, v1
            Unit: x0, v1
            Inactive: mut out2, x0
            Inactive: x0
            Unknown: x3, v1.
            Unit: mut v1
        "#]],
    );
}

#[test]
fn closures_hide_their_parameters() {
    mentions(
        "fn f(x: f64, n: usize, mut k: usize) {
            other((|x: usize| x + n,));
            other((|| { k += 1; let n = 2; n },));
            other((|v: &mut Vec<f64>| for x in v { *x = f(k); },));
            let kept = |x: usize| x + n;
            other(unsafe { kept });
            let called = |x: usize| x + n;
            called(n);
        }",
        &expect![[r#"
            Unknown: n1
            Unknown: mut k2
            Unknown: k2
            Unknown: kept4
        "#]],
    );
}

#[test]
fn patterns_are_tested_by_verbatim_code() {
    mentions(
        "fn f(x: Option<usize>, y: usize) {
            if let Some(y) = x { println!(); }
            match x { Some(x) => x, None => y };
            while let Some(k) = next(y) {}
        }",
        &expect![[r#"
            Bool: x0
            Unit: 
            Bool: x0
            Bool: subject4
        "#]],
    );
}

#[test]
fn exits_out_of_verbatim_code() {
    expect![[r#"
        `?` inside of a macro's argument is not supported
        help: bind the argument with `let` first
    "#]]
    .assert_eq(&errors(
        "fn f(x: Option<usize>) -> usize {
            let g = |a| return a;
            println!(\"{}\", x?);
            0
        }",
    ));
}
