//! What is captured is a constant, and stays where it is.

use chainrule::closure;

fn main() {
    let (mut count, list) = (0.0, vec![1.0]);
    let counted = closure!(|x: f64| {
        count += x;
        x * x
    });
    let consumed = closure!(|x: f64| {
        let list = list;
        x * list[0]
    });
}
