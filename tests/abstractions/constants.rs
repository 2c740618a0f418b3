//! `#[constant]` takes what isn't active: numbers, integers, other constants, and `stop_gradient(..)` of anything.

use chainrule::prelude::*;

#[differentiable]
fn kept(x: f64, #[constant] scratch: &mut Vec<f64>, #[constant] n: usize) -> f64 {
    scratch.clear();
    scratch.resize(n, 0.5);
    scratch.push(stop_gradient(x));
    scratch[0] = n as f64;
    let mut s = 0.0;
    for (i, w) in scratch.iter_mut().enumerate() {
        *w += i as f64;
        s += *w * x * x;
    }
    s
}

#[test]
fn constants_are_written_by_what_is_inactive() {
    let mut scratch = vec![7.0; 3];
    let mut at = |x: f64| {
        let (y, y_dot) = kept::jvp(x, &mut scratch, 2, 1.0);
        assert_eq!(scratch, [2.0, 1.5, x + 2.0]);
        assert_eq!(y, (5.5 + x) * x * x);
        y_dot
    };
    assert_eq!(at(3.0), 2.0 * 8.5 * 3.0);
    assert_eq!(kept::derivative(3.0, &mut scratch, 2), 2.0 * 8.5 * 3.0);
    assert_eq!(kept::gradient(3.0, &mut scratch, 2), 2.0 * 8.5 * 3.0);
}
