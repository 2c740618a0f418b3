//! The laws of tangents, for each type: a value's zero tangent has its shape, tangents are a vector space with an inner
//! product, and a mismatch of shapes is a panic that says what was expected.

use std::collections::VecDeque;
use std::marker::PhantomData;
use std::rc::Rc;
use std::sync::Arc;

use ad_runtime::testing::check_tangents;
use ad_runtime::{Differentiable, Dual, Matrix, NoTangent, Scalar, Tangent};
use proptest::prelude::*;

/// Numbers whose sums and products are exact, so that the laws hold exactly.
fn small() -> impl Strategy<Value = f64> {
    (-512_i32..=512).prop_map(|n| f64::from(n) / 16.0)
}

fn entries(t: &(impl Tangent + ?Sized)) -> Vec<f64> {
    let mut entries = Vec::new();
    t.entries(&mut |x| entries.push(x));
    entries
}

/// Moving by a tangent and back gives the same value, and moving changes it.
fn check_add<T: Differentiable + Clone + PartialEq + std::fmt::Debug>(x: &T, numbers: &[f64]) {
    use std::borrow::Borrow;
    let mut t = x.zero_tangent();
    let mut numbers = numbers.iter().cycle();
    t.fill_with(&mut || *numbers.next().expect("cycles"));
    let mut moved = x.clone();
    moved.add_tangent(t.borrow());
    assert_eq!(moved == *x, entries(&t).iter().all(|x| *x == 0.0));
    moved.add_scaled_tangent(-1.0, t.borrow());
    assert_eq!(moved, *x);
    moved.add_scaled_tangent(2.0, t.borrow());
    t.scale(2.0);
    let mut other = x.clone();
    other.add_tangent(t.borrow());
    assert_eq!(moved, other);
}

macro_rules! laws {
    ($($name:ident: $strategy:expr;)*) => {
        proptest! {$(
            #[test]
            fn $name(x in $strategy, numbers in prop::collection::vec(small(), 7), seed in any::<u64>()) {
                check_tangents(&x, seed);
                check_add(&x, &numbers);
            }
        )*}
    };
}
laws! {
    floats: small();
    single_floats: small().prop_map(f32::from_f64);
    integers: any::<i64>();
    text: any::<String>();
    units: Just(());
    phantoms: Just(PhantomData::<f64>);
    arrays: [small(), small(), small()];
    nested_arrays: [[small(), small()], [small(), small()]];
    vectors: prop::collection::vec(small(), 0..6);
    nested_vectors: prop::collection::vec(prop::collection::vec(small(), 0..3), 0..4);
    vectors_of_pairs: prop::collection::vec((small(), any::<bool>()), 0..4);
    deques: prop::collection::vec(small(), 0..6).prop_map(VecDeque::from);
    options: prop::option::of(small());
    inclusive_ranges: (any::<u8>(), any::<u8>()).prop_map(|(a, b)| a..=b);
    functions: Just(f64::sin as fn(f64) -> f64);
    results: prop::result::maybe_ok(small(), any::<u8>());
    boxes: small().prop_map(Box::new);
    boxed_slices: prop::collection::vec(small(), 0..4).prop_map(Vec::into_boxed_slice);
    pairs: (small(), any::<u32>());
    twelve: ((small(), small(), small()), small(), small(), small(), small(), small(), any::<char>(), small(), small());
    ranges: (small(), small()).prop_map(|(a, b)| a..b);
    integer_ranges: (any::<u8>(), any::<u8>()).prop_map(|(a, b)| a..b);
    duals: (small(), small()).prop_map(|(a, b)| Dual(a, b));
    matrices: (0_usize..3, 0_usize..3, small())
        .prop_map(|(n, m, x)| Matrix::from_vec(n, m, vec![x; n * m]));
    mixed: (prop::option::of([small(), small()]), prop::collection::vec(Just("text"), 0..3), small());
}

#[test]
fn tuples_go_up_to_twelve() {
    let x = (
        1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0,
    );
    check_tangents(&x, 1);
    check_add(&x, &[1.0, -2.0, 0.5, 3.0, 4.0]);
}

#[test]
fn references_and_shared_pointers_have_tangents_of_their_own() {
    check_tangents(&&[1.0, 2.0][..], 1);
    check_tangents(&Rc::new((1.0, 2)), 2);
    check_tangents(&Arc::new(vec![1.0; 2]), 3);
    check_tangents(&[1.0, 2.0][..], 4);
    assert_eq!([1.0, 2.0][..].zero_tangent(), vec![0.0; 2]);
    assert_eq!("text".zero_tangent(), NoTangent);
    assert_eq!((&"text").zero_tangent(), NoTangent);
    let mut unshared = Rc::new(1.0);
    unshared.add_tangent(&Box::new(0.5));
    assert_eq!(*unshared, 1.5);
}

#[test]
#[should_panic(expected = "shared")]
fn shared_values_are_not_moved() {
    let a = Rc::new(1.0);
    let mut b = Rc::clone(&a);
    b.add_tangent(&Box::new(0.5));
}

#[test]
fn slices_are_unsized_with_an_owned_form() {
    let x: &[f64] = &[1.0, 2.0];
    let mut t: Vec<f64> = <[f64]>::zero_tangent(x);
    let slice: &mut [f64] = &mut t;
    slice.accumulate(&[1.0, 2.0]);
    slice.scale(2.0);
    assert_eq!(slice.inner(&[1.0, 1.0]), 6.0);
    assert_eq!(slice.to_owned_tangent(), vec![2.0, 4.0]);
    slice.set_zero();
    assert_eq!(t, [0.0, 0.0]);
}

#[test]
fn option_of_nothing_keeps_its_shape() {
    let t: Option<NoTangent> = Some(()).zero_tangent();
    assert_eq!(t, Some(NoTangent));
}

#[test]
fn results_have_tangents_of_their_ok_side() {
    let ok: Result<f64, String> = Ok(1.0);
    let err: Result<f64, String> = Err("no".into());
    assert_eq!(ok.zero_tangent(), Ok(0.0));
    assert_eq!(err.zero_tangent(), Err(NoTangent));
    let mismatch = ok.matches_shape(&Err(NoTangent)).unwrap_err();
    assert_eq!(mismatch.to_string(), "the tangent is `Err`, the value `Ok`");
}

#[test]
#[should_panic(expected = "expected a tangent of length 2, found one of length 3")]
fn lengths_are_checked() {
    vec![0.0; 2].accumulate(&vec![1.0; 3]);
}

#[test]
#[should_panic(expected = "expected a tangent of length 2, found one of length 3")]
fn lengths_are_checked_in_inner_products() {
    let _ = vec![0.0; 2].inner(&vec![1.0; 3]);
}

#[test]
#[should_panic(expected = "expected a tangent that is `Some`, found `None`")]
fn variants_are_checked() {
    Some(0.0).accumulate(&None);
}

#[test]
#[should_panic(expected = "expected a matrix of 1 by 2, found 2 by 1")]
fn extents_are_checked() {
    Matrix::zeros(1, 2).accumulate(&Matrix::zeros(2, 1));
}
