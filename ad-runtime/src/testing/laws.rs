//! The laws of tangents, for the tangents of one value.

use core::borrow::Borrow;

use alloc::vec::Vec;

use crate::random::Random;
use crate::{Component, Components, Differentiable, Tan, Tangent, TangentValue};

/// Checks the laws of tangents for the tangents of `x`: for tests of types that implement [`Differentiable`] by hand.
///
/// The zero tangent has the shape of `x`, and is neutral; sums commute and associate; scaling distributes; the inner product is
/// symmetric, linear and positive; and the components
/// that `x` says it is made of are as many as its tangent has entries. Numbers are such that all of this is exact.
///
/// ```
/// use ad_runtime::testing::check_tangents;
/// check_tangents(&(1.5, vec![Some(2.0), None], "text"), 0);
/// ```
///
/// # Panics
/// If a law doesn't hold, with its name.
#[track_caller]
pub fn check_tangents<T: Differentiable + ?Sized>(x: &T, seed: u64) {
    let mut random = Random::new(seed);
    let zero = x.zero_tangent();
    assert!(
        x.matches_shape(zero.borrow()).is_ok(),
        "the zero tangent has the shape of its value"
    );
    assert!(
        entries(&zero).iter().all(|x| *x == 0.0),
        "all entries of the zero tangent are zero"
    );
    let mut floats = 0;
    x.visit_components(&mut Components::new(&mut |_, component| match component {
        Component::Float { .. } => floats += 1,
        Component::Fixed(_) => {}
        Component::Opaque(of) => panic!("`visit_components` says what `{of}` is made of"),
    }));
    assert!(
        floats == entries(&zero).len(),
        "there are as many floats as entries of the tangent"
    );

    let [a, b, c] = [(); 3].map(|()| tangent_of(x, &mut random));
    let k = eighth(&mut random);
    law(&sum(&a, &zero), &a, "zero is neutral");
    law(&sum(&zero, &a), &a, "zero is neutral");
    law(&sum(&a, &b), &sum(&b, &a), "sums commute");
    law(
        &sum(&sum(&a, &b), &c),
        &sum(&a, &sum(&b, &c)),
        "sums associate",
    );
    law(&sum(&a, &scaled(&a, -1.0)), &zero, "there is a negative");
    law(&scaled(&a, 2.0), &sum(&a, &a), "scaling agrees with sums");
    law(
        &scaled(&sum(&a, &b), k),
        &sum(&scaled(&a, k), &scaled(&b, k)),
        "scaling distributes",
    );
    law(&scaled(&a, 0.0), &zero, "zero times a tangent is zero");
    let mut moved = a.clone();
    moved.add_scaled(k, &b);
    law(
        &moved,
        &sum(&a, &scaled(&b, k)),
        "`add_scaled` adds a multiple",
    );
    let mut cleared = a.clone();
    cleared.set_zero();
    law(&cleared, &zero, "`set_zero` gives the zero");

    law(&a.inner(&b), &b.inner(&a), "the inner product is symmetric");
    law(
        &sum(&a, &b).inner(&c),
        &(a.inner(&c) + b.inner(&c)),
        "the inner product is linear",
    );
    law(
        &scaled(&a, k).inner(&b),
        &(k * a.inner(&b)),
        "the inner product is linear",
    );
    let products = entries(&a).into_iter().zip(entries(&b)).map(|(a, b)| a * b);
    law(
        &a.inner(&b),
        &products.sum(),
        "the inner product is that of the entries",
    );
    let positive = entries(&a).iter().any(|x| *x != 0.0);
    law(
        &(a.inner(&a) > 0.0),
        &positive,
        "the inner product is positive",
    );

    let mut copy = zero.clone();
    let mut rest = entries(&a).into_iter();
    copy.map_entries(&mut |_| rest.next().expect("as many entries"));
    law(&copy, &a, "entries go round");
    law(&a.to_owned_tangent(), &a, "a copy is equal");

    law(&a.zero_tangent(), &zero, "a tangent has the same zero");
    assert!(
        a.matches_shape(&b).is_ok(),
        "two tangents of a value have the same shape"
    );
    let mut moved = a.clone();
    moved.add_tangent(&b);
    law(
        &moved,
        &sum(&a, &b),
        "a tangent is moved by another one as by a sum",
    );
}

#[track_caller]
fn law<T: PartialEq + core::fmt::Debug>(got: &T, want: &T, name: &str) {
    assert!(got == want, "{name}: got {got:?}, expected {want:?}");
}

fn eighth(random: &mut Random) -> f64 {
    (random.number() * 64.0).round() / 8.0
}

/// A tangent with entries whose sums and products are exact.
fn tangent_of<T: Differentiable + ?Sized>(x: &T, random: &mut Random) -> Tan<T> {
    let mut t = x.zero_tangent();
    t.fill_with(&mut || eighth(random));
    t
}

fn entries(t: &(impl Tangent + ?Sized)) -> Vec<f64> {
    let mut entries = Vec::new();
    t.entries(&mut |x| entries.push(x));
    entries
}

fn sum<T: TangentValue>(a: &T, b: &T) -> T {
    let mut sum = a.clone();
    sum.accumulate(b);
    sum
}

fn scaled<T: TangentValue>(a: &T, factor: f64) -> T {
    let mut scaled = a.clone();
    scaled.scale(factor);
    scaled
}
