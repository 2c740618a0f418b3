//! `lstm`: the loss of a network of diagonal LSTM cells that predicts the next character.

use super::{check, flat, no_function, read, run};
use crate::protocol::Outcome;
use crate::runs::Limits;
use chainrule::prelude::*;
use serde::Deserialize;
use serde_json::Value;

/// The logistic function.
#[differentiable]
pub fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// The loss on a sequence of characters of `b` bits each.
///
/// `main` has two rows of `4 b` numbers for each layer, weights and biases, in the order forget, in, out, change; `extra` has the
/// input's weights, the output's weights, the output's biases. `state` has two rows of `b` numbers for each layer: hidden, cell.
#[differentiable]
pub fn objective(
    main: &[f64],
    extra: &[f64],
    #[constant] start: &[f64],
    #[constant] sequence: &[f64],
    b: usize,
) -> f64 {
    let layers = start.len() / (2 * b);
    let steps = sequence.len() / b - 1;
    let mut state = start.to_vec();
    let mut x = vec![0.0; b];
    let mut total = 0.0;
    for t in 0..steps {
        let input = &sequence[t * b..(t + 1) * b];
        let target = &sequence[(t + 1) * b..(t + 2) * b];
        for j in 0..b {
            x[j] = input[j] * extra[j];
        }
        for layer in 0..layers {
            let weight = &main[8 * layer * b..(8 * layer + 4) * b];
            let bias = &main[(8 * layer + 4) * b..(8 * layer + 8) * b];
            let (hidden, cell) = state[2 * layer * b..(2 * layer + 2) * b].split_at_mut(b);
            for j in 0..b {
                let forget = sigmoid(x[j] * weight[j] + bias[j]);
                let ingate = sigmoid(hidden[j] * weight[b + j] + bias[b + j]);
                let outgate = sigmoid(x[j] * weight[2 * b + j] + bias[2 * b + j]);
                let change = (hidden[j] * weight[3 * b + j] + bias[3 * b + j]).tanh();
                cell[j] = cell[j] * forget + ingate * change;
                hidden[j] = outgate * cell[j].tanh();
                x[j] = hidden[j];
            }
        }
        let mut sum = 2.0;
        for j in 0..b {
            x[j] = x[j] * extra[b + j] + extra[2 * b + j];
            sum += x[j].exp();
        }
        let log_sum = sum.ln();
        for j in 0..b {
            total += target[j] * (x[j] - log_sum);
        }
    }
    -total / (b * steps) as f64
}

#[derive(Deserialize)]
struct Input {
    main_params: Vec<Vec<f64>>,
    extra_params: Vec<Vec<f64>>,
    state: Vec<Vec<f64>>,
    sequence: Vec<Vec<f64>>,
    #[serde(flatten)]
    limits: Limits,
}

/// Answers `objective` and `jacobian`.
///
/// # Errors
///
/// What is wrong with the request.
pub fn evaluate(function: &str, input: Value) -> Result<Outcome, String> {
    let input: Input = read(input)?;
    let b = input.sequence.first().map_or(0, Vec::len);
    check(
        b > 0 && input.sequence.len() > 1,
        "`sequence` must have two characters or more",
    )?;
    check(
        input.extra_params.len() == 3,
        "`extra_params` must have 3 rows",
    )?;
    check(
        input.main_params.len() == input.state.len() && input.state.len().is_multiple_of(2),
        "`main_params` and `state` must have two rows for each layer",
    )?;
    let main = flat(&input.main_params, 4 * b, "main_params")?;
    let extra = flat(&input.extra_params, b, "extra_params")?;
    let state = flat(&input.state, b, "state")?;
    let sequence = flat(&input.sequence, b, "sequence")?;
    match function {
        "objective" => run(
            input.limits,
            0.0,
            |y| *y = objective(&main, &extra, &state, &sequence, b),
            |y| y,
        ),
        "jacobian" => run(
            input.limits,
            (vec![0.0; main.len()], vec![0.0; extra.len()]),
            |(main_bar, extra_bar)| {
                objective::value_and_gradient_into(
                    &main, &extra, &state, &sequence, b, main_bar, extra_bar,
                );
            },
            |(main, extra)| [main, extra].concat(),
        ),
        _ => no_function(function),
    }
}
