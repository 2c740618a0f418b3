//! The derivatives of all functions of this crate.

extern crate ad;

#[allow(
    dead_code,
    unused_imports,
    unused_macros,
    reason = "not all of it is of use here"
)]
#[path = "../../../derivatives/check/mod.rs"]
mod check;

use hygiene::structs::Params;
use hygiene::{generics, items, macros, parameters, structs};

use check::{check, check_map, flat};

flat!(Params {
    x_dot: f64,
    x_bar: f64,
    r#type: f64
});

#[test]
fn names_of_parameters() {
    check!(parameters::tangents(0.7, 1.9, -0.4));
    check!(parameters::parts(0.7, 1.9, -0.4, 1.3, 0.2));
    check!(parameters::raw(0.7, &[1.9], &mut -0.4));
    check!(parameters::r#move(0.7));
    check!(parameters::counters(&[0.7, 1.9], const 2, -0.4, 1.3));
    check!(parameters::memory(
        &[0.7, 1.9, -0.4],
        &mut [1.3, 0.2, 0.9],
        &mut [0.3, -0.8, 1.1]
    ));
    check!(parameters::hessian(&[0.7, 1.9]));
    check_map!(parameters::jacobian([0.7, 1.9]));
    check!(parameters::calls(0.7, 1.9, &[-0.4]));
    check!(parameters::control(0.7, const 4, const true));
    check!(parameters::control(0.7, const 4, const false));
    check!(parameters::f(0.7));
    check!(parameters::public(0.7));
}

#[test]
fn names_of_rules() {
    check!(parameters::rules::gradient(0.7, 1.9));
    check!(parameters::rules::rrule(0.7));
    check!(parameters::rules::__rrule(0.7));
    check!(parameters::rules::unused(0.7, const 1.9, const 3));
}

#[test]
fn matrices() {
    assert_eq!(
        parameters::hessian::hessian(&[2.0, 3.0]).as_slice(),
        [6.0, 4.0, 4.0, 0.0]
    );
    assert_eq!(
        parameters::jacobian::jacobian([2.0, 3.0]).as_slice(),
        [3.0, 2.0, 1.0, 1.0]
    );
}

#[test]
fn names_of_items() {
    check!(items::among_them(&[0.7, 1.9, -0.4], 1.3));
    check!(items::pushes(0.7, 1.9));
    check!(items::calls(&[0.7, 1.9], 1.3));
    check_map!(items::writes(&mut [0.7, 1.9]));
    check!(items::primitives::f64(0.7));
    check!(items::primitives::calls(0.7));
    check!(items::primitives::by_path(&[0.7, 1.9], -0.4));
}

#[test]
fn names_of_fields_and_methods() {
    let params = Params::new(0.7, 1.9);
    assert_eq!(structs::constant(&params), 0.5);
    check!(structs::uses(&params, 1.3));
}

#[test]
fn defined_by_a_macro() {
    check!(macros::same_name(0.7, 1.9));
    check!(macros::block(0.7, 1.9));
}

flat!(generics::Pair<f64> { a: f64, b: f64 });

#[test]
fn generic_items() {
    let pair = || generics::Pair { a: 0.7, b: 1.9 };
    check!(generics::sines(&[0.7, 1.9], -0.4));
    check!(generics::measured(&pair(), pair(), 1.3));
}

#[test]
fn derived_tangents() {
    assert_eq!(hygiene::tangents::steps(), (7.0, 9.0));
    let x = hygiene::tangents::Expr::Zero;
    assert_eq!(
        format!("{:?}", ad::Differentiable::zero_tangent(&x)),
        "Zero"
    );
}
