//! The output of the derive, and its errors.

#![allow(
    clippy::needless_raw_string_hashes,
    reason = "as `expect-test` writes them"
)]

use expect_test::{expect, expect_file};
use syn::parse_quote;

use super::expand;

fn printed(input: syn::DeriveInput) -> String {
    let file = syn::parse2(expand(input, None)).expect("emitted code parses");
    prettyplease::unparse(&file)
}

/// All messages, in order.
fn messages(input: syn::DeriveInput) -> String {
    let (_, errors) = super::model::build(input, None);
    let lines: Vec<String> = errors
        .into_iter()
        .flatten()
        .map(|error| error.to_string())
        .collect();
    lines.join("\n")
}

#[test]
fn a_tuple_struct_gets_a_tuple_struct_as_tangent() {
    let emitted = printed(parse_quote! {
        pub struct Scaled<T>(pub(crate) Vec<T>, pub f64, #[constant] pub usize);
    });
    expect_file!["snapshots/tuple_struct.rs"].assert_eq(&emitted);
}

#[test]
fn an_enum_gets_a_tangent_with_the_same_variants() {
    let emitted = printed(parse_quote! {
        enum Expr<'a> { Leaf, Named(#[constant] &'a str, f64), Sum { left: Box<Self>, right: Box<Expr<'a>> } }
    });
    expect_file!["snapshots/enum.rs"].assert_eq(&emitted);
}

#[test]
fn all_errors_come_at_once() {
    let errors = messages(parse_quote! {
        #[constant]
        #[tangent(nme = X)]
        #[tangent(name = A, name = B)]
        struct Bad { #[constant(1)] a: f64, #[constant] #[constant] b: f64, #[tangent(name = C)] c: f64 }
    });
    expect![[r#"
        `#[constant]` on a type
        help: write it on each field that has no tangent
        unknown option `nme` of `#[tangent(...)]`
        help: write `Self`, `name = MyTangent`, `no_add_scaled` or `crate = path`, each once
        repeated option `name` of `#[tangent(...)]`
        help: write `Self`, `name = MyTangent`, `no_add_scaled` or `crate = path`, each once
        `#[constant]` takes no arguments
        help: write `#[constant]`
        `#[constant]` twice on one field
        help: write it once
        `#[tangent(...)]` on a field
        help: write it on the type"#]]
    .assert_eq(&errors);
}

#[test]
fn a_union_is_an_error() {
    let errors = messages(parse_quote!(union U { x: f64, y: f64 }));
    expect![[r#"
        a union has no tangent
        help: use an enum, or keep the union in a field that is marked `#[constant]`"#]]
    .assert_eq(&errors);
}

#[test]
fn a_constant_variant_is_an_error() {
    let errors = messages(parse_quote!(
        enum E {
            #[constant]
            A(f64),
        }
    ));
    expect![[r#"
        `#[constant]` on a variant
        help: write it on each field that has no tangent"#]]
    .assert_eq(&errors);
}
