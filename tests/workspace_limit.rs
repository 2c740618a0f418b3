//! The memory that the workspace keeps is limited. The limit is the same for all threads, and so the tests of this file are one.
#![cfg(feature = "std")]

use chainrule::prelude::*;
use chainrule::workspace;

#[differentiable]
fn product(x: &[f64]) -> f64 {
    let mut p = 1.0;
    for v in x {
        p = p * v.sin() + v;
    }
    p
}

#[test]
fn no_more_is_kept_than_the_limit_allows() {
    let x: Vec<f64> = (0..1000).map(|i| f64::from(i % 17) * 0.1).collect();
    let expected = product::gradient(&x);
    let three_tapes = workspace::kept_bytes();
    assert!((3 * 8000..3 * 8100).contains(&three_tapes), "{three_tapes}");
    assert_eq!(workspace::limit(), 64 << 20);

    // Room for two tapes: the third to come releases the others.
    workspace::set_limit(2 * 8100);
    assert_eq!(product::gradient(&x), expected);
    let kept = workspace::kept_bytes();
    assert!(kept > 0 && kept <= 2 * 8100, "{kept}");

    // A buffer that is larger than the limit isn't kept, and releases none.
    product::gradient(&x[..10]);
    let kept = workspace::kept_bytes();
    workspace::set_limit(4000);
    assert_eq!(product::gradient(&x), expected);
    assert!(workspace::kept_bytes() <= kept);

    workspace::set_limit(0);
    workspace::release();
    assert_eq!(product::gradient(&x), expected);
    assert_eq!(workspace::kept_bytes(), 0);
}
