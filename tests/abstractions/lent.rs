//! Methods without a rule that give references to something without a tangent: text in a struct with numbers.

use chainrule::prelude::*;

use crate::check::table;

const X: [f64; 3] = [1.3, 0.5, 0.8];

#[derive(Clone, Debug, Differentiable)]
struct Layer {
    name: String,
    w: Vec<f64>,
}

impl Layer {
    fn label(&self) -> &str {
        &self.name
    }
}

#[derive(Clone, Debug, Differentiable)]
enum Term {
    Number(f64),
    Call { name: String, args: Vec<Term> },
}

#[differentiable]
impl Layer {
    fn forward(&mut self, x: f64) -> f64 {
        let mut t = x;
        for _ in 0..2 {
            let name = self.name.as_str();
            if name == "tanh" {
                t = t.tanh();
            } else if name.starts_with("re") {
                t = t.max(0.0);
            }
            self.w[0] += t;
            t *= self.w[0];
        }
        match self.label() {
            "tanh" => t * self.w[1],
            other if other.len() > 5 => t + self.w[1],
            _ => t * 2.0,
        }
    }
}

#[differentiable]
impl Term {
    fn value(&self) -> Result<f64, String> {
        Ok(match self {
            Term::Number(x) => *x,
            Term::Call { name, args } => {
                let mut values = Vec::new();
                for arg in args {
                    values.push(arg.value()?);
                }
                match name.as_str() {
                    "sin" => values[0].sin(),
                    "mul" => values[0] * values[1],
                    _ => return Err(format!("unknown {name}")),
                }
            }
        })
    }
}

#[differentiable]
fn layers(x: &[f64]) -> f64 {
    let mut total = 0.0;
    for name in ["tanh", "relu", "identity"] {
        let mut layer = Layer {
            name: name.to_string(),
            w: x.to_vec(),
        };
        total += layer.forward(x[1]) * layer.w[0];
    }
    total
}

#[differentiable]
fn terms(x: &[f64]) -> f64 {
    let sin = Term::Call {
        name: "sin".to_string(),
        args: vec![Term::Number(x[0])],
    };
    let product = Term::Call {
        name: "mul".to_string(),
        args: vec![sin, Term::Number(x[1])],
    };
    let unknown = Term::Call {
        name: "cos".to_string(),
        args: vec![product.clone()],
    };
    product.value().unwrap() + unknown.value().unwrap_or(x[2])
}

table! {
    layers: (&X);
    terms: (&X);
}
