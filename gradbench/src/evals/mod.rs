//! The evals, one module each.

use crate::protocol::Outcome;
use crate::runs::{Limits, repeat};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

pub mod ba;
pub mod det;
pub mod gmm;
pub mod hello;
pub mod ht;
pub mod kmeans;
pub mod llsq;
pub mod lse;
pub mod lstm;
pub mod ode;

/// Answers a request to evaluate a function of an eval.
pub type Evaluate = fn(&str, Value) -> Result<Outcome, String>;

/// The eval of this name.
pub fn find(module: &str) -> Option<Evaluate> {
    Some(match module {
        "ba" => ba::evaluate,
        "det" => det::evaluate,
        "gmm" => gmm::evaluate,
        "hello" => hello::evaluate,
        "ht" => ht::evaluate,
        "kmeans" => kmeans::evaluate,
        "llsq" => llsq::evaluate,
        "lse" => lse::evaluate,
        "lstm" => lstm::evaluate,
        "ode" => ode::evaluate,
        _ => return None,
    })
}

/// The input of a function, as it stands in the request.
fn read<T: DeserializeOwned>(input: Value) -> Result<T, String> {
    serde_json::from_value(input).map_err(|error| format!("wrong input: {error}"))
}

/// Runs `run` on `state` as often as `limits` want and gives what is left in it.
fn run<S, O: Serialize>(
    limits: Limits,
    mut state: S,
    mut run: impl FnMut(&mut S),
    output: impl FnOnce(S) -> O,
) -> Result<Outcome, String> {
    let timings = repeat(limits, || run(&mut state));
    let output = serde_json::to_value(output(state)).map_err(|error| error.to_string())?;
    Ok(Outcome { output, timings })
}

/// The answer to a function that an eval doesn't have.
fn no_function(function: &str) -> Result<Outcome, String> {
    Err(format!("there is no function `{function}`"))
}

/// An input is wrong unless `holds`.
fn check(holds: bool, what: &str) -> Result<(), String> {
    if holds {
        Ok(())
    } else {
        Err(format!("wrong input: {what}"))
    }
}

/// Rows of `width` numbers each, one after another.
fn flat(rows: &[Vec<f64>], width: usize, name: &str) -> Result<Vec<f64>, String> {
    check(
        rows.iter().all(|row| row.len() == width),
        &format!("each row of `{name}` must have {width} numbers"),
    )?;
    Ok(rows.concat())
}

/// The rows of a matrix of `count` rows, which may have no columns.
fn rows(all: &[f64], count: usize) -> Vec<&[f64]> {
    let width = all.len().checked_div(count).unwrap_or(0);
    (0..count)
        .map(|i| &all[i * width..(i + 1) * width])
        .collect()
}
