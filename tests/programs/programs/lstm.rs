//! A long short-term memory over a sequence, with a squared loss at each step.

use chainrule::prelude::*;

use crate::check::{flat, table};

/// One gate: an affine map of the input and the last output.
#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Gate {
    input: Vec<f64>,
    recurrent: Vec<f64>,
    bias: Vec<f64>,
}

#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Cell {
    forget: Gate,
    update: Gate,
    candidate: Gate,
    output: Gate,
}

#[derive(Clone, Debug, PartialEq, Differentiable)]
struct State {
    memory: Vec<f64>,
    output: Vec<f64>,
}

flat!(Gate { input: Vec<f64>, recurrent: Vec<f64>, bias: Vec<f64> });
flat!(Cell {
    forget: Gate,
    update: Gate,
    candidate: Gate,
    output: Gate
});
flat!(State { memory: Vec<f64>, output: Vec<f64> });

#[differentiable]
#[inline(never)]
fn sigmoid(z: f64) -> f64 {
    1.0 / (1.0 + (-z).exp())
}

#[differentiable]
impl Gate {
    /// What goes into unit `i` of the gate.
    fn activation(&self, i: usize, x: &[f64], h: &[f64]) -> f64 {
        let mut z = self.bias[i];
        for (j, x) in x.iter().enumerate() {
            z += self.input[i * x_len(&self.input, &self.bias) + j] * x;
        }
        for j in 0..h.len() {
            z += self.recurrent[i * h.len() + j] * h[j];
        }
        z
    }
}

/// How many inputs each unit has.
fn x_len(weights: &[f64], units: &[f64]) -> usize {
    weights.len() / units.len()
}

#[differentiable]
impl Cell {
    fn step(&self, x: &[f64], state: &mut State) {
        let before = state.output.clone();
        for i in 0..before.len() {
            let f = sigmoid(self.forget.activation(i, x, &before));
            let u = sigmoid(self.update.activation(i, x, &before));
            let c = self.candidate.activation(i, x, &before).tanh();
            let o = sigmoid(self.output.activation(i, x, &before));
            state.memory[i] = f * state.memory[i] + u * c;
            state.output[i] = o * state.memory[i].tanh();
        }
    }

    fn loss(
        &self,
        start: &State,
        #[constant] inputs: &[Vec<f64>],
        #[constant] targets: &[f64],
    ) -> f64 {
        let mut state = start.clone();
        let mut loss = 0.0;
        for (x, target) in inputs.iter().zip(targets) {
            self.step(x, &mut state);
            let error = state.output[0] - target;
            loss += error * error;
        }
        loss
    }
}

#[differentiable]
fn sequence_loss(
    cell: &Cell,
    start: &State,
    #[constant] inputs: &[Vec<f64>],
    #[constant] targets: &[f64],
) -> f64 {
    cell.loss(start, inputs, targets)
}

fn gate(seed: f64) -> Gate {
    let weight = |k: usize| (seed + k as f64 * 0.7).sin();
    Gate {
        input: (0..4).map(weight).collect(),
        recurrent: (4..8).map(weight).collect(),
        bias: (8..10).map(weight).collect(),
    }
}

fn cell() -> Cell {
    Cell {
        forget: gate(0.1),
        update: gate(1.3),
        candidate: gate(2.9),
        output: gate(-0.8),
    }
}

fn start() -> State {
    State {
        memory: vec![0.3, -0.5],
        output: vec![0.1, 0.2],
    }
}

fn inputs(n: usize) -> Vec<Vec<f64>> {
    (0..n)
        .map(|t| vec![(t as f64).cos(), 0.4 - 0.3 * t as f64])
        .collect()
}

table! {
    sequence_loss: for n in 0..4, (&cell(), &start(), const &inputs(n), const &[0.3, -0.2, 0.5]);
}
