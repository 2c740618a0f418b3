//! Survival with censoring: options as fields, and constants in lists of references.

use std::collections::HashMap;

use chainrule::prelude::*;

use crate::check::{flat, table};

#[derive(Clone, Debug)]
struct Patient {
    event: Option<f64>,
    last_seen: f64,
    covariates: Vec<f64>,
    stratum: Option<usize>,
}

#[derive(Clone, Debug, Differentiable)]
struct Weibull {
    log_shape: f64,
    beta: Vec<f64>,
    strata: Option<Vec<f64>>,
}
flat!(Weibull {
    log_shape: f64,
    beta: Vec<f64>,
    strata: Option<Vec<f64>>
});

#[differentiable]
impl Weibull {
    fn predictor(&self, #[constant] p: &Patient) -> f64 {
        let base: f64 = self
            .beta
            .iter()
            .zip(p.covariates.iter())
            .map(|(b, x)| b * x)
            .sum();
        let shift = match (&self.strata, p.stratum) {
            (Some(s), Some(i)) => s.get(i).copied().unwrap_or(0.0),
            _ => 0.0,
        };
        base + shift
    }

    fn log_likelihood(&self, #[constant] patients: &[Patient]) -> f64 {
        let mut total = 0.0;
        for p in patients {
            let eta = self.predictor(p);
            let t = p.event.unwrap_or(p.last_seen);
            let k = self.log_shape.exp();
            if let Some(time) = p.event {
                total += self.log_shape + (k - 1.0) * time.ln() + eta;
            }
            total -= (k * t.ln() + eta).exp();
        }
        total
            + self
                .strata
                .as_ref()
                .map_or(0.0, |s| s.iter().map(|v| v * v).sum())
    }
}

#[differentiable]
fn by_groups(model: &Weibull, #[constant] groups: &HashMap<String, Vec<Patient>>) -> f64 {
    let mut names: Vec<&String> = groups.keys().collect();
    names.sort();
    let mut total = 0.0;
    for name in names {
        total += model.log_likelihood(&groups[name]) * name.len() as f64;
    }
    total
}

fn patient(event: Option<f64>, last_seen: f64, stratum: Option<usize>) -> Patient {
    let covariates = vec![0.5 * last_seen, 1.0 - last_seen];
    Patient {
        event,
        last_seen,
        covariates,
        stratum,
    }
}

fn groups() -> HashMap<String, Vec<Patient>> {
    let a = vec![
        patient(Some(2.0), 2.0, Some(0)),
        patient(None, 1.5, Some(1)),
    ];
    let b = vec![patient(Some(0.5), 0.5, None), patient(None, 1.0, Some(9))];
    HashMap::from([("a".to_owned(), a), ("other".to_owned(), b)])
}

fn weibull(strata: Option<Vec<f64>>) -> Weibull {
    Weibull {
        log_shape: 0.2,
        beta: vec![0.3, -0.4],
        strata,
    }
}

table! {
    by_groups: (&weibull(Some(vec![0.1, 0.2])), const &groups()), (&weibull(None), const &groups());
}
