use chainrule::{DifferentiableValue, prelude::*};

#[differentiable(dyn)]
trait Layer {
    fn forward(&self, x: &[f64]) -> Vec<f64>;
}

#[derive(Clone, Debug, Differentiable)]
struct Twice<L>(L);

#[differentiable]
impl<L: Layer> Layer for Twice<L> {
    fn forward(&self, x: &[f64]) -> Vec<f64> {
        self.0.forward(&self.0.forward(x))
    }
}

#[derive(Clone, Debug, Differentiable)]
struct Chain<K, L> {
    first: K,
    then: Vec<L>,
}

#[differentiable]
impl<K, L> Layer for Chain<K, L>
where
    K: Layer + DifferentiableValue + 'static,
    L: Layer + Clone + 'static,
{
    fn forward(&self, x: &[f64]) -> Vec<f64> {
        let mut x = self.first.forward(x);
        for layer in &self.then {
            x = layer.forward(&x);
        }
        x
    }
}

fn main() {}
