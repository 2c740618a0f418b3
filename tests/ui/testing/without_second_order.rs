use chainrule::Dual;
use chainrule::__private::mode::{Owned, owned};
use chainrule::testing::check_rules;

fn square(x: f64) -> f64 {
    x * x
}

#[allow(non_camel_case_types)]
enum square {}

impl square {
    fn __modes() -> (Owned<f64>,) {
        (owned(),)
    }

    fn frule(Dual(x, x_dot): Dual<f64, f64>) -> Dual<f64, f64> {
        Dual(x * x, 2.0 * x * x_dot)
    }

    fn __rrule(x: f64) -> (f64, impl FnOnce(f64, ()) -> (f64,)) {
        (x * x, move |y_bar, ()| (2.0 * x * y_bar,))
    }
}

fn main() {
    check_rules!(square, 3.0; order = 1);
    check_rules!(square, 3.0);
}
