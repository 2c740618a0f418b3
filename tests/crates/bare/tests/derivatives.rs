//! The rules of functions without the standard library, against closed forms and differences.

use bare::{composed, crank, cross_entropy, entropy, functions, loss};

/// The derivative of `f` at zero by central differences, whose error is of fourth order.
fn difference(f: impl Fn(f64) -> f64) -> f64 {
    let h = 1e-3;
    let slope = |h: f64| (f(h) - f(-h)) / (2.0 * h);
    (4.0 * slope(h) - slope(2.0 * h)) / 3.0
}

fn close(got: f64, want: f64, error: f64) {
    assert!(
        (got - want).abs() <= error * want.abs().max(1.0),
        "got {got}, expected {want}"
    );
}

#[test]
fn scalars() {
    let (value, (angle, rod)) = crank::value_and_gradient(0.7, 2.5);
    assert_eq!(value, crank(0.7, 2.5));
    close(angle, difference(|h| crank(0.7 + h, 2.5)), 1e-9);
    close(rod, difference(|h| crank(0.7, 2.5 + h)), 1e-9);
    let (second, mixed) = crank::hvp(0.7, 2.5, 1.0, 0.0);
    close(
        second,
        difference(|h| crank::gradient(0.7 + h, 2.5).0),
        1e-9,
    );
    close(mixed, difference(|h| crank::gradient(0.7 + h, 2.5).1), 1e-9);
}

#[test]
fn all_functions() {
    let (x, a) = (0.3, 0.8);
    let (value, (x_bar, a_bar)) = functions::value_and_gradient(x, a);
    assert_eq!(value, functions(x, a));
    assert_eq!(functions::jvp(x, a, 1.0, 0.0).0, value);
    close(functions::jvp(x, a, 1.0, 0.0).1.into(), x_bar.into(), 1e-5);
    let slope = |right: f32, left: f32| f64::from((right - left) / 0.02);
    let by_x = slope(functions(0.31, a), functions(0.29, a));
    let by_a = slope(functions(x, 0.81), functions(x, 0.79));
    close(x_bar.into(), by_x, 1e-2);
    close(a_bar.into(), by_a, 1e-2);
}

#[test]
fn rules_need_no_trait_in_scope() {
    use bare::another_trait::energy;

    let (angle, mass) = energy::gradient(0.7, 2.5);
    close(angle, difference(|h| energy(0.7 + h, 2.5)), 1e-9);
    close(mass, energy(0.7, 1.0), 1e-12);
    let (second, _) = energy::hvp(0.7, 2.5, 1.0, 0.0);
    close(
        second,
        difference(|h| energy::gradient(0.7 + h, 2.5).0),
        1e-9,
    );
}

#[test]
fn slices() {
    let (x, y) = ([0.4, -1.1, 2.0], [1.0, 0.0, 1.0]);
    let (_, gain) = loss::value_and_gradient(0.9, &x, &y);
    close(gain, difference(|h| loss(0.9 + h, &x, &y)), 1e-9);
    close(
        loss::hvp(0.9, &x, &y, 1.0),
        difference(|h| loss::gradient(0.9 + h, &x, &y)),
        1e-9,
    );
    // At equal weights the entropy is largest.
    let gradient = entropy::gradient(&[2.0, 2.0, 2.0]);
    assert!(gradient.iter().all(|g| g.abs() < 1e-15), "{gradient:?}");
}

#[test]
fn library_functions() {
    let scores = [0.2, 1000.0, 999.0];
    let (value, (s_bar, w_bar)) = cross_entropy::value_and_gradient(&scores, 2, 0.7);
    assert_eq!(value, cross_entropy(&scores, 2, 0.7));
    let p = 1.0 / (1.0 + f64::exp(-1.0));
    assert_eq!(s_bar[0], 0.0);
    close(s_bar[1], p, 1e-14);
    close(s_bar[2], -p, 1e-14);
    close(
        w_bar,
        difference(|h| cross_entropy(&scores, 2, 0.7 + h)),
        1e-9,
    );
}

#[test]
fn calls() {
    let weights = [0.2, 0.5, 0.9];
    let (value, (w_bar, angle)) = composed::value_and_gradient(&weights, 0.7);
    assert_eq!(value, composed(&weights, 0.7));
    close(angle, difference(|h| composed(&weights, 0.7 + h)), 1e-9);
    close(
        w_bar[1],
        difference(|h| composed(&[0.2, 0.5 + h, 0.9], 0.7)),
        1e-9,
    );
}
