use chainrule::prelude::*;

#[derive(Clone, Debug, Differentiable)]
struct Scale {
    by: f64,
}

impl Scale {
    #[primitive(frule = Self::apply_frule, rrule = Self::apply_back)]
    fn apply(&self, x: f64) -> f64 {
        self.by * x
    }

    fn apply_frule(scale: Dual<&Scale, &ScaleTangent>, x: Dual<f64, f64>) -> Dual<f64, f64> {
        Dual(scale.0.by * x.0, scale.1.by * x.0 + scale.0.by * x.1)
    }

    fn apply_back(&self, x: f64) -> (f64, impl FnOnce(f64, CoDual<&Scale, &mut ScaleTangent>) -> f64 + use<>) {
        (self.by * x, move |y_bar, CoDual(scale, bar)| {
            bar.by += y_bar * x;
            y_bar * scale.by
        })
    }
}

fn main() {}
