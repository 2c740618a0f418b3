//! Snapshots of the rules that follow from partials, on printed IR.

use expect_test::{Expect, expect};
use quote::quote;

use super::*;
use crate::entry::primitive::options::{Kind, parse};
use crate::transform::{Shape, forward};

/// Checks the output of `f` for the function with these partials.
fn check(attr: TokenStream, item: &str, f: &dyn Fn(&Linearized) -> Func, expected: &Expect) {
    let declaration = parse(attr);
    let Ok(Kind::Partials(partials)) = &declaration.kind else {
        panic!("not partials");
    };
    let item: syn::ItemFn = syn::parse_str(item).expect("the source is a function");
    let source = Source::new(&item.sig, &item.block);
    let options = &declaration.options;
    let primal = compile_signature(options, &source).expect("a signature");
    let parts = Parts::new(&primal, &source, partials);
    let linearized = linearized(options, &source, &parts).expect("partials");
    expected.assert_eq(&pipeline::rule(f(&linearized)).to_string());
}

const POWER: &str = "fn power(x: f64, n: i32, k: f64) -> f64 { k * x.powi(n) }";

#[test]
fn the_tangent_is_the_sum_over_the_partials() {
    check(
        quote!(result = y, partials(k = y / k, x = n as f64 * y / x)),
        POWER,
        &Linearized::forward,
        &expect![[r#"
            fn power(x: dual(%0, %9) f64, const n: %1 i32, k: dual(%2, %11) f64) -> f64 {
              %3 y: f64 = call active power(%0, %1, %2)
              %4 t: f64 = cast %1
              %5 t: f64 = mul %4, %3
              %6 t: f64 = div %5, %0
              %7 t: f64 = div %3, %2
              %10 t: f64 = strong_mul %9, %6
              %12 t: f64 = strong_mul %11, %7
              %13 y_dot: f64 = add %10, %12
              yield %3, %13
            } -> dual(%3, %13)
        "#]],
    );
}

#[test]
fn cotangents_are_products_with_the_partials() {
    check(
        quote!(partials(x = 2.0 * x)),
        "fn square(x: f32) -> f32 { x * x }",
        &|linearized| linearized.reverse(Shape::Split),
        &expect![[r#"
            fn square(x: %0 f32) -> f32 {
              %1 __result: f32 = call active square(%0)
              %2 c: f32 = const 2.0
              %3 t: f32 = mul %2, %0
              yield %1
            } -> %1
            pullback (seed %5, ()) {
              %6 x_bar: f32 = strong_mul %5, %3
              yield %6
            } -> (%6)
        "#]],
    );
    check(
        quote!(partials(x = 2.0)),
        "fn twice(x: f32) -> f64 { 2.0 * x as f64 }",
        &|linearized| linearized.reverse(Shape::Combined),
        &expect![[r#"
            fn twice(x: %0 f32; %4, $0) -> f64 {
              %1 __result: f64 = call active twice(%0)
              %2 c: f64 = const 2.0
              %5 t: f64 = mul %4, %2
              %6 x_bar: f32 = cast %5
              accumulate $0 += %6
              yield %1
            } -> %1
        "#]],
    );
}

#[test]
fn second_order_differentiates_the_partials_and_calls_the_forward_rule() {
    check(
        quote!(result = y, partials(x = y)),
        "fn exponential(x: f64) -> f64 { x.exp() }",
        &|linearized| forward(&linearized.reverse(Shape::Split)),
        &expect![[r#"
            fn exponential(x: dual(%0, %5) f64) -> f64 {
              %1 y: f64, %6 y_dot: f64 = call frule exponential(%0) along (%5)
              yield %1, %6
            } -> dual(%1, %6)
            pullback (seed dual(%3, %7), ()) {
              %4 x_bar: f64 = strong_mul %3, %1
              %8 t: f64 = strong_mul %7, %1
              %9 t: f64 = strong_mul %3, %6
              %10 x_bar_dot: f64 = add %8, %9
              yield %4, %10
            } -> (dual(%4, %10))
        "#]],
    );
}
