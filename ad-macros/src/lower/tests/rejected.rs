//! Rejected code, with the error messages.

use expect_test::expect;

use super::printed;

/// The messages for several functions.
fn messages(sources: &[&str]) -> String {
    sources
        .iter()
        .map(|source| printed(source) + "\n")
        .collect::<Vec<_>>()
        .concat()
}

#[test]
fn signatures() {
    expect![[r#"
        error: `async` functions are not supported
        help: differentiate a plain function

        error: `unsafe` functions are not supported
        help: differentiate a safe function that wraps it

        error: `extern` functions are not supported
        help: differentiate a Rust function, and call it from the `extern` one

        fn f(x: %0 f64, g: $0 impl Fn(f64) -> f64) -> f64 {
          %1 g: f64 = call active function $0(%0)
          yield %1
        } -> %1

        error: returned references are not supported here yet
        help: return the value, or write it through a `&mut` parameter; a method of an `impl` without a trait can return a reference to a part of `self`, a free function one to a part of its arguments, unless it is recursive, takes apart a parameter, or has a constant one that holds floats

        error: references to floats inside of a parameter's type are not supported yet
        help: take the values: `Option<f64>`, `&[f64]`; or mark the parameter `#[constant]`

        error: a receiver with a written type is not supported yet
        help: write `self`, `&self` or `&mut self`

    "#]]
    .assert_eq(&messages(&[
        r#"async fn f(x: f64) -> f64 { x }"#,
        r#"unsafe fn f(x: f64) -> f64 { x }"#,
        r#"extern "C" fn f(x: f64) -> f64 { x }"#,
        r#"fn f(x: f64, g: impl Fn(f64) -> f64) -> f64 { g(x) }"#,
        r#"fn f(x: &[f64]) -> &f64 { &x[0] }"#,
        r#"fn f(x: &[&f64]) -> f64 { *x[0] }"#,
        r#"fn f(self: Box<Self>, x: f64) -> f64 { x }"#,
    ]));
}

#[test]
fn control_flow() {
    expect![[r#"
        error: `?` is supported where the function is written to return an `Option` or a `Result`
        help: write the return type as `Option<..>` or `Result<..>`, of a closure as `|x| -> Option<f64> { .. }`, or `match` on the value

        error: a reference out of a branch or loop, to a value that is made in it, is not supported yet
        help: make the value with `let` before that, and refer to the variable

        error: a reference that each trip of a loop moves deeper, or between too many variables, is not supported yet
        help: walk a list of boxes by recursion; keep what the reference may lead to in one list, and an index

        error: `v` gets its first value in a branch or loop
        help: initialise it where it is declared: `let x = if ... { ... } else { ... };`, or annotate it if it is a number: `let x: f64;`

        error: `cycle` of an iterator over active values is not supported yet
        help: index with a remainder: `x[k % x.len()]`

        error: assigning a reference that a call returned, among others, is not supported yet
        help: assign it in a statement of its own

    "#]].assert_eq(&messages(&[
        r#"fn f(x: Option<f64>) -> Output { let v = x?; v }"#,
        r#"fn f(x: &[f64], c: bool) -> f64 { let r = if c { &x[1..] } else { &[x[0], x[1]] }; r[0] }"#,
        r#"fn f(list: &List) -> f64 { let mut at: &List = list; while let Some(next) = &at.next { at = next; } at.value }"#,
        r#"fn f(x: f64) -> f64 { let v; for i in 0..3 { v = vec![x]; } v[0] }"#,
        r#"fn f(x: &[f64]) -> f64 { let mut s = 0.0; for v in x.iter().filter(|v| **v > 0.5).cycle() { s += v; } s }"#,
        r#"fn f(x: f64, #[constant] m: &Model) -> f64 { let mut a: &Rate = m.rate(0); let mut b: &Rate = m.rate(1); (a, b) = (m.rate(1), m.rate(0)); x * a.k * b.k }"#,
    ]));
}

#[test]
fn active_values() {
    expect![[r#"
        error: `cycle` of an iterator over active values is not supported yet
        help: index with a remainder: `x[k % x.len()]`

        error: an iterator over active values is not supported yet as a value, or with a function that is not known here
        help: end the chain where it is written, loop over it with `for`, or bind it with `let mut` and step it in this function by `next()`, `nth(n)`, `peek()` or `by_ref()`; write its closures in it, or bind them with `let`

        error: a closure that captures active values is not supported yet as a value (`x` is active)
        help: call it by the name that `let` gives it, or hand it to an iterator's adapter; a `#[differentiable]` function can be called from anywhere

        fn f(x: $0 &[f64]) -> f64 {
          %3 helper: f64 = call active helper(&$0, |%0| -> (%2)) {
            %1 c: ? = const 2.0
            %2 t: ? = call active operator mul(%0, %1)
            yield %2
          }
          yield %3
        } -> %3

        error: an active float is cast to an integer, which has no derivative
        help: write `stop_gradient(...) as` the integer's type, if that is what is meant

        error: an active float is cast to an integer, which has no derivative
        help: write `stop_gradient(...) as` the integer's type, if that is what is meant

        error: the method `gamma` of floats has no known derivative
        help: write a `#[differentiable]` function for it, or `stop_gradient(...)` if its derivative is zero

        error: the type that `into` converts a number to is not known here
        help: write the type that it becomes, `f64::from(x)` or `Complex64::from(x)`, or give the result a name and its type: `let y: f64 = x.into();`; of a `Box` or an `Option`, write `Box::new(x)` or `Some(x)`

        error: `zip` of two iterators whose lengths aren't known before is not supported yet
        help: collect one of them to a `Vec` first

        error: the result of `first` as an `Option` is not supported yet
        help: take it apart with `if let Some(..)` or `match`, or write `.copied()` after it

        error: a reference as a value is not supported yet
        help: use the value that it refers to, or pass it to a call as it is

        error: a reference as a value is not supported yet
        help: use the value that it refers to, or pass it to a call as it is

    "#]].assert_eq(&messages(&[
        r#"fn f(x: &[f64]) -> f64 { x.iter().filter(|v| **v > 0.5).cycle().take(7).sum() }"#,
        r#"fn f(x: &[f64], s: S) -> f64 { held(x.iter().map(s.f).fuse()) }"#,
        r#"fn f(x: f64) -> f64 { let g = [|t: f64| t * x]; g[0](2.0) }"#,
        r#"fn f(x: &[f64]) -> f64 { helper(x, |a| a * 2.0) }"#,
        r#"fn f(x: f64) -> f64 { let n = x as usize; n as f64 * x }"#,
        r#"fn f(x: f64) -> f64 { let mut seen = Vec::<i64>::new(); seen.push(x as i64); seen[0] as f64 * x }"#,
        r#"fn f(x: f64) -> f64 { x.gamma() + f64::midpoint(x, 2.0) }"#,
        r#"fn f(x: f64) -> f64 { helper(x.into()) }"#,
        r#"fn f(x: &[Vec<f64>]) -> f64 { x.iter().flatten().zip(x.iter().flatten()).map(|(a, b)| a * b).sum() }"#,
        r#"fn f(x: &[f64]) -> f64 { x.first().or(x.last()).copied().unwrap_or(0.0) }"#,
        r#"fn f(x: &[f64], y: &[f64]) -> f64 { let t = (x, y); t.0[0] }"#,
        r#"fn f(x: &f64) -> f64 { let p = Point { x: 1.0, y: x }; p.x }"#,
    ]));
}

#[test]
fn macros_and_attributes() {
    expect![[r#"
        error: the macro `my_macro!` can't be differentiated: an attribute can't expand it (`x` is active)
        help: write out what it expands to, or call a `#[differentiable]` function

        error: `x` is active, and written to in code that is not differentiated
        help: write to it in a statement of its own

        error: `#[cfg]` is not supported here
        help: put it on a statement, an arm, a field or an element, with at most 4 different conditions in a body, or write `if cfg!(...) { ... }`

        error: `unsafe` blocks on active values are not supported (`x` is active)
        help: wrap the block in a function with a hand-written rule

        error: `static mut` is not supported
        help: pass the state as a `&mut` parameter

    "#]].assert_eq(&messages(&[
        r#"fn f(x: f64) -> f64 { my_macro!(x) }"#,
        r#"fn f(x: f64) -> f64 { println!("{}", { x += 1.0; x }); x }"#,
        r#"fn f(x: f64) -> f64 { #[cfg(test)] let x = x * 2.0; x }"#,
        r#"fn f(x: f64) -> f64 { unsafe { read(&x) } }"#,
        r#"fn f(x: f64) -> f64 { static mut K: f64 = 1.0; x }"#,
    ]));
}

#[test]
fn all_errors_of_a_stage() {
    expect![[r#"
        error: an active float is cast to an integer, which has no derivative
        help: write `stop_gradient(...) as` the integer's type, if that is what is meant
        error: the method `gamma` of floats has no known derivative
        help: write a `#[differentiable]` function for it, or `stop_gradient(...)` if its derivative is zero
        error: the macro `my_macro!` can't be differentiated: an attribute can't expand it (`x` is active)
        help: write out what it expands to, or call a `#[differentiable]` function

        error: `async` functions are not supported
        help: differentiate a plain function
        error: `unsafe` functions are not supported
        help: differentiate a safe function that wraps it
        error: `?` is supported where the function is written to return an `Option` or a `Result`
        help: write the return type as `Option<..>` or `Result<..>`, of a closure as `|x| -> Option<f64> { .. }`, or `match` on the value

    "#]].assert_eq(&messages(&[
        r#"fn f(x: f64) -> f64 {
    let a = x as usize;
    let b = x.gamma();
    let c = a + 1;
    my_macro!(x);
    c as f64 + b
}"#,
        r#"async unsafe fn f(x: f64) -> f64 { x? }"#,
    ]));
}

#[test]
fn types_that_do_not_fit() {
    expect![[r#"
        error: this can't be differentiated: condition %0 of type f64; in `if`
        help: if it compiles without `#[differentiable]`, please report it

        fn f(x: %0 f64) -> f64 {
          %1 c: f64 = const undef
          unreachable
          yield %1
        } -> %1

        fn f(x: %0 f64) -> f64 {
          %1 t: (f64, f64, ) = tuple %0, %0
          init $0 t: (f64, f64, ) = %1
          %2 t: f64 = load $0.7
          yield %2
        } -> %2

        error: this can't be differentiated: $0[%0] has an index of type f64; in `load $0[%0]`
        help: if it compiles without `#[differentiable]`, please report it

        fn f(x: %0 f64) -> f64 {
          %1 t: f64 = opaque {unknown + n} use (n = %0)
          yield %1
        } -> %1

    "#]]
    .assert_eq(&messages(&[
        r#"fn f(x: f64) -> f64 { if x { 1.0 } else { 2.0 } }"#,
        r#"fn f(x: f64) -> f64 { return; }"#,
        r#"fn f(x: f64) -> f64 { let t = (x, x); t.7 }"#,
        r#"fn f(x: &[f64], i: f64) -> f64 { x[i] }"#,
        r#"fn f(x: f64) -> f64 { let n: usize = x; unknown + n }"#,
    ]));
}
