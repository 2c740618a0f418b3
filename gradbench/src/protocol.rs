//! `GradBench`'s protocol: one request, one answer. What can't be answered is an answer that says why, and the next request is
//! answered as if nothing had been.

use crate::evals;
use crate::runs::Timing;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A request, of which every kind has some of the fields.
#[derive(Deserialize)]
struct Request {
    id: Value,
    #[serde(default)]
    kind: Value,
    module: Option<String>,
    function: Option<String>,
    #[serde(default)]
    input: Value,
}

/// The answer to a request.
#[derive(Debug, Default, Serialize)]
pub struct Answer {
    /// That of the request; null if it has none that can be read.
    pub id: Value,
    /// Who answers, if that was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<&'static str>,
    /// Whether what was asked for could be done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub success: Option<bool>,
    /// The function's result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<Value>,
    /// One for each run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timings: Option<Vec<Timing>>,
    /// Why it could not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

impl Answer {
    fn to(id: Value) -> Answer {
        Answer {
            id,
            ..Answer::default()
        }
    }

    fn failed(self, error: String) -> Answer {
        Answer {
            success: Some(false),
            error: Some(error),
            ..self
        }
    }
}

/// What an evaluation gives.
pub struct Outcome {
    /// The function's result.
    pub output: Value,
    /// One for each run.
    pub timings: Vec<Timing>,
}

/// Answers one line.
pub fn answer(line: &[u8]) -> Answer {
    let request: Request = match serde_json::from_slice(line) {
        Ok(request) => request,
        Err(error) => {
            let id = serde_json::from_slice(line)
                .ok()
                .and_then(|mut value: Value| value.get_mut("id").map(Value::take));
            return Answer::to(id.unwrap_or_default())
                .failed(format!("malformed request: {error}"));
        }
    };
    let answer = Answer::to(request.id);
    match request.kind.as_str() {
        Some("start") => Answer {
            tool: Some("chainrule"),
            ..answer
        },
        Some("define") => match request.module.as_deref() {
            Some(module) if evals::find(module).is_some() => Answer {
                success: Some(true),
                ..answer
            },
            module => answer.failed(unknown(module)),
        },
        Some("evaluate") => {
            let Some(evaluate) = request.module.as_deref().and_then(evals::find) else {
                return answer.failed(unknown(request.module.as_deref()));
            };
            let function = request.function.unwrap_or_default();
            match evaluate(&function, request.input) {
                Ok(outcome) => Answer {
                    success: Some(true),
                    output: Some(outcome.output),
                    timings: Some(outcome.timings),
                    ..answer
                },
                Err(error) => answer.failed(error),
            }
        }
        // Of an analysis, or of what is not known, nothing is to be said.
        _ => answer,
    }
}

fn unknown(module: Option<&str>) -> String {
    match module {
        Some(module) => format!("there is no module `{module}`"),
        None => "the request names no module".into(),
    }
}
