use chainrule::prelude::*;

#[derive(Clone, Differentiable)]
struct Table {
    entries: Vec<f64>,
    width: usize,
}

#[differentiable]
impl Table {
    fn rows(&self) -> impl Iterator<Item = &[f64]> + '_ {
        self.entries.chunks(self.width)
    }
}

mod other {
    use chainrule::prelude::*;

    #[derive(Clone, Differentiable)]
    pub struct Table2 {
        pub entries: Vec<f64>,
        pub width: usize,
    }

    impl Table2 {
        pub fn rows(&self) -> impl Iterator<Item = &[f64]> + '_ {
            self.entries.chunks(self.width + 1)
        }
    }
}

#[differentiable]
fn squares(table: &other::Table2) -> f64 {
    let mut sum = 0.0;
    for row in table.rows() {
        sum += row[0] * row[0];
    }
    sum
}

fn main() {
    let table = other::Table2 {
        entries: vec![1.0, 2.0],
        width: 1,
    };
    let _ = squares(&table);
    let _ = Table {
        entries: table.entries,
        width: 1,
    };
}
