//! Structs that are built by methods which take them and give them back.

use chainrule::prelude::*;

use crate::check::check;

#[derive(Clone, Debug, Differentiable)]
struct Descent {
    rate: f64,
    decay: f64,
    #[constant]
    name: String,
}

// Each setter has the name of its parameter.
#[differentiable]
impl Descent {
    fn new(#[constant] name: impl Into<String>) -> Self {
        Self {
            rate: 1.0,
            decay: 0.0,
            name: name.into(),
        }
    }
    fn rate(mut self, rate: f64) -> Self {
        self.rate = rate;
        self
    }
    fn decay(self, decay: f64) -> Self {
        Self { decay, ..self }
    }
    fn run(&self, run: f64) -> f64 {
        (run - self.rate * (self.decay * run).exp()) * self.name.len() as f64
    }
    fn scale(scale: f64, run: &[f64]) -> f64 {
        scale * run[0]
    }
}

#[differentiable]
#[inline(never)]
fn built(rate: f64, decay: f64) -> f64 {
    let start = Descent::new("plain").rate(rate).decay(decay * rate);
    start.run(rate) * Descent::scale(rate, &[decay])
}

#[test]
fn setters_named_as_their_parameters() {
    check!(built(0.7, -1.2));
}

/// A map of the line, whose methods take `self`, and put it together with what a call makes.
#[derive(Clone, Differentiable)]
struct Affine(Vec<f64>);

#[differentiable]
impl Affine {
    fn scale(factor: f64, origin: f64) -> Self {
        Affine(vec![factor, origin - origin * factor])
    }

    fn compose(&self, first: &Self) -> Self {
        Affine(vec![
            self.0[0] * first.0[0],
            self.0[0] * first.0[1] + self.0[1],
        ])
    }

    fn scaled(mut self, factor: f64, origin: f64) -> Self {
        self.0 = self.compose(&Self::scale(factor, origin)).0;
        self
    }

    fn twice(self, factor: f64) -> Self {
        self.scaled(factor, 0.5).scaled(factor, factor)
    }

    fn replaced(mut self, factor: f64) -> Self {
        self = self.compose(&self.clone().scaled(factor, 1.0));
        self
    }
}

#[differentiable]
#[inline(never)]
fn composed(factor: f64, origin: f64) -> f64 {
    let map = Affine::scale(factor, origin).scaled(origin, factor);
    let map = map.twice(factor).replaced(origin);
    map.0[0] * map.0[1] + map.0[0]
}

#[test]
fn methods_that_put_themselves_together_with_what_calls_make() {
    check!(composed(0.7, -1.2));
    check!(composed(1.3, 0.4));
}

/// A table whose constant fields grow with the others.
#[derive(Clone, Debug, Default, Differentiable)]
struct Table {
    #[constant]
    times: Vec<f64>,
    #[constant]
    rows: Vec<Vec<f64>>,
    values: Vec<f64>,
    lists: Vec<Vec<f64>>,
}

#[differentiable]
impl Table {
    fn with(mut self, #[constant] time: f64, value: f64) -> Self {
        self.times.push(time);
        self.rows.push(vec![time, time * time]);
        self.values.push(value);
        self.lists.push(vec![value * value, value]);
        self
    }

    fn total(&self) -> f64 {
        let mut total = 0.0;
        for (k, (time, value)) in self.times.iter().zip(&self.values).enumerate() {
            total += time * value * value + self.rows[k][1] * self.lists[k][0];
        }
        total
    }
}

#[differentiable]
#[inline(never)]
fn grown(x: &[f64]) -> f64 {
    let mut table = Table::default();
    let mut sum = 0.0;
    for (i, v) in x.iter().enumerate() {
        let trial = table.clone().with(i as f64 + 0.5, v * v);
        sum += trial.total() * v;
        table = table.with(i as f64 + 0.7, *v);
    }
    sum + table.total()
}

#[test]
fn methods_that_push_to_constant_fields() {
    check!(grown(&[0.7, -1.2, 0.4]));
    check!(grown(&[0.7]));
    check!(grown(&[0.7][..0].to_vec()));
}

/// Update syntax behind a reference: the fields that it takes are `Copy`, the struct isn't.
mod behind_references {
    use chainrule::prelude::*;
    use chainrule::testing::check_rules;

    #[derive(Clone, Debug, Differentiable)]
    struct Rates {
        absorption: f64,
        clearance: f64,
        lag: Option<f64>,
        doses: usize,
        #[constant]
        weight: f64,
    }

    #[derive(Clone, Debug, Differentiable)]
    struct Patient {
        rates: Rates,
        scale: f64,
    }

    impl Patient {
        #[differentiable]
        fn with_absorption(&self, k: f64) -> f64 {
            let rates = Rates {
                absorption: k,
                ..self.rates
            };
            rates.absorption * rates.clearance
                + rates.lag.unwrap_or(1.0) * self.scale * rates.doses as f64 * rates.weight
        }
    }

    #[differentiable]
    fn scaled(rates: &Rates, k: f64) -> Rates {
        Rates {
            absorption: k * rates.absorption,
            ..*rates
        }
    }

    #[derive(Clone, Debug, Differentiable)]
    struct Listed {
        a: f64,
        list: Vec<f64>,
    }

    #[differentiable]
    fn list_replaced(of: &Listed, k: f64) -> f64 {
        let new = Listed {
            list: vec![k, 1.0],
            ..*of
        };
        new.a * new.list[0]
    }

    #[differentiable]
    fn owned(of: Listed, k: f64) -> f64 {
        let new = Listed { a: k, ..of };
        new.a * new.list[0]
    }

    #[test]
    fn take_single_fields() {
        let rates = Rates {
            absorption: 0.3,
            clearance: 0.7,
            lag: Some(0.4),
            doses: 3,
            weight: 2.0,
        };
        let patient = Patient {
            rates: rates.clone(),
            scale: 1.4,
        };
        let listed = Listed {
            a: 0.3,
            list: vec![0.4],
        };
        check_rules!(Patient::with_absorption, &patient, 0.3);
        check_rules!(scaled, &rates, 0.3);
        check_rules!(list_replaced, &listed, 0.3);
        check_rules!(owned, listed.clone(), 0.3);
    }
}
