use chainrule::prelude::*;

struct Table<'a> {
    rows: &'a [f64],
}

impl Table<'_> {
    #[differentiable]
    fn scaled(#[constant] &self, x: f64) -> f64 {
        self.rows[0] * x
    }
}

fn main() {
    Table { rows: &[1.0] }.scaled(1.0);
}
