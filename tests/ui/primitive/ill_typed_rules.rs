#![allow(unused_variables)]

use chainrule::prelude::*;

#[primitive(frule = constant_frule, rrule = good_rrule)]
fn argument_of_frule(a: &[f64], k: f64) -> f64 {
    a[0] * k
}

#[primitive(frule = good_frule, rrule = good_frule)]
fn wrong_mode(a: &[f64], k: f64) -> f64 {
    a[0] * k
}

#[primitive(frule = good_frule, rrule = no_shadow_rrule)]
fn position_of_pullback(a: &[f64], k: f64) -> f64 {
    a[0] * k
}

#[primitive(frule = good_frule, rrule = single_rrule)]
fn seed_of_pullback(a: &[f64], k: f64) -> f64 {
    a[0] * k
}

#[primitive(frule = good_frule, rrule = no_cotangent_rrule)]
fn result_of_pullback(a: &[f64], k: f64) -> f64 {
    a[0] * k
}

#[primitive(frule = good_frule, rrule = borrowing_rrule)]
fn pullback_that_borrows(a: &[f64], k: f64) -> f64 {
    a[0] * k
}

#[primitive(frule = good_frule, rrule = good_rrule, rrule_frule = good_rrule)]
fn second_order(a: &[f64], k: f64) -> f64 {
    a[0] * k
}

fn good_frule(a: Dual<&[f64], &[f64]>, k: Dual<f64, f64>) -> Dual<f64, f64> {
    Dual(a.0[0] * k.0, a.1[0] * k.0 + a.0[0] * k.1)
}

fn constant_frule(a: Dual<&[f64], &[f64]>, k: f64) -> Dual<f64, f64> {
    Dual(a.0[0] * k, a.1[0] * k)
}

type Shadow<'a> = CoDual<&'a [f64], &'a mut [f64]>;

fn good_rrule(a: &[f64], k: f64) -> (f64, impl FnOnce(f64, Shadow<'_>) -> f64 + use<>) {
    let a0 = a[0];
    (a0 * k, move |y_bar, CoDual(_, a_bar): Shadow<'_>| {
        a_bar[0] += k * y_bar;
        a0 * y_bar
    })
}

fn no_shadow_rrule(a: &[f64], k: f64) -> (f64, impl FnOnce(f64) -> f64 + use<>) {
    let a0 = a[0];
    (a0 * k, move |y_bar| a0 * y_bar)
}

fn single_rrule(a: &[f64], k: f64) -> (f64, impl FnOnce(f32, Shadow<'_>) -> f64 + use<>) {
    let a0 = a[0];
    (a0 * k, move |_, _: Shadow<'_>| a0)
}

fn no_cotangent_rrule(a: &[f64], k: f64) -> (f64, impl FnOnce(f64, Shadow<'_>) + use<>) {
    (a[0] * k, move |y_bar, CoDual(_, a_bar): Shadow<'_>| a_bar[0] += k * y_bar)
}

fn borrowing_rrule(a: &[f64], k: f64) -> (f64, impl FnOnce(f64, Shadow<'_>) -> f64) {
    (a[0] * k, move |y_bar, CoDual(_, a_bar): Shadow<'_>| {
        a_bar[0] += k * y_bar;
        a[0] * y_bar
    })
}

fn main() {}
