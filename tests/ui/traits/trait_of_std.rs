use chainrule::prelude::*;

struct Powers(f64, f64);

#[differentiable]
impl Iterator for Powers {
    type Item = f64;

    fn next(&mut self) -> Option<f64> {
        self.1 *= self.0;
        Some(self.1)
    }
}

fn main() {
    let _ = Powers(2.0, 1.0).next();
}
