//! Closures that can't be differentiated where they stand.

use chainrule::closure;

fn main() {
    let untyped = closure!(|x| x * x);

    let named = closure!(f64::sin);

    let unsupported = closure!(|x: f64| unsafe { x * x });

    let nothing = chainrule::derivative!(|x: f64| x * x);
}
