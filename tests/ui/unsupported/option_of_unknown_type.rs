use chainrule::prelude::*;

#[derive(Clone, Copy, Differentiable)]
struct Model {
    o: Option<f64>,
}

impl Model {
    #[differentiable]
    fn mapped(&self, x: f64) -> f64 {
        self.o.map(|q| q * x).unwrap_or(x)
    }

    #[differentiable]
    fn chained(&self, x: f64) -> Option<f64> {
        self.o.and_then(|q| (q > 0.0).then_some(q * x))
    }

    #[differentiable]
    fn or_else(&self, x: f64) -> f64 {
        self.o.unwrap_or_else(|| x * x)
    }

    #[differentiable]
    fn by_name(&self, x: f64) -> f64 {
        let scaled = |q: f64| q * x;
        self.o.map_or(x, scaled) + self.o.map(scaled).unwrap_or(x)
    }

    #[differentiable]
    fn annotated(&self, x: f64) -> f64 {
        let o: Option<f64> = self.o;
        o.map_or(x, |q| q * x)
    }
}

fn main() {
    let model = Model { o: Some(2.0) };
    model.mapped_gradient(1.0);
    model.or_else_gradient(1.0);
    model.by_name_gradient(1.0);
    model.annotated_gradient(1.0);
}
