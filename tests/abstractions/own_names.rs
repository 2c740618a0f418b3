//! Methods of the file's types that are named like those of std, and methods that return iterators in several notations.

use chainrule::prelude::*;

use crate::check::check;

/// The first entry is none of the series.
#[derive(Clone, Debug, Differentiable)]
struct Series {
    data: Vec<f64>,
}

#[derive(Clone, Debug, Differentiable)]
struct Station {
    series: Series,
    weight: f64,
}

#[differentiable]
impl Series {
    fn of(x: &[f64]) -> Series {
        Series { data: x.to_vec() }
    }

    fn doubled(&self) -> Self {
        Series {
            data: self.data.iter().map(|v| 2.0 * v).collect(),
        }
    }

    fn iter(&self) -> impl Iterator<Item = f64> {
        self.data[1..].iter().map(|v| 2.0 * v)
    }

    fn values(&self) -> impl Iterator<Item = &f64> {
        self.data[1..].iter()
    }

    fn first(&self) -> Option<&f64> {
        self.data.iter().find(|v| **v > 1.0)
    }

    /// By the name of the type.
    fn interior(&self) -> std::slice::Iter<'_, f64> {
        self.data[1..].iter()
    }

    /// Over positions, which capture nothing.
    fn neighbours(&self, i: usize) -> impl Iterator<Item = usize> + use<> {
        let n = self.data.len();
        [n - 1, 1].into_iter().map(move |d| (i + d) % n)
    }

    fn around(&self, t: f64, i: usize) -> f64 {
        self.neighbours(i).map(|j| self.data[j] * t).sum()
    }

    /// With lifetimes.
    fn variances<'a>(&'a self, r: &'a [f64]) -> impl Iterator<Item = f64> + 'a {
        r.iter().map(move |r| self.data[0] + self.data[1] * r * r)
    }
}

#[differentiable]
fn on_a_literal(x: &[f64]) -> f64 {
    let s = Series { data: x.to_vec() };
    s.iter().map(|v| v * v).sum()
}

#[differentiable]
fn on_a_result(x: &[f64]) -> f64 {
    let s = Series::of(x).doubled();
    let t = s.clone();
    let mut total = 0.0;
    for v in s.iter() {
        total += v * x[0];
    }
    total + t.values().map(|v| v * v).sum::<f64>()
}

#[differentiable]
fn on_a_field(station: &Station) -> f64 {
    let mut total = 0.0;
    for v in station.series.iter() {
        total += v * station.weight;
    }
    if let Some(v) = station.series.first() {
        total += v * v;
    }
    total
}

#[differentiable]
fn hidden(s: &Series) -> f64 {
    let mut total: f64 = s.iter().sum();
    {
        let s = vec![total, 2.0];
        total += s.iter().map(|v| v * v).sum::<f64>();
    }
    let lists = [vec![1.0, 2.0], vec![3.0]];
    for s in &lists {
        total += s.iter().map(|v| v * total).sum::<f64>();
    }
    total + s.iter().map(|v| v * v).sum::<f64>()
}

#[differentiable]
fn by_the_name_of_an_iterator(s: &Series) -> f64 {
    s.interior().map(|v| v * v).sum()
}

#[differentiable]
fn with_lifetimes(s: &Series, r: &[f64]) -> f64 {
    s.variances(r).map(f64::ln).sum()
}

#[test]
fn own_methods_hide_those_of_std() {
    let x = [0.7, 1.4, 0.3];
    let s = Series { data: x.to_vec() };
    check!(on_a_literal(&x)).assert_gradient(&[0.0, 11.2, 2.4]);
    check!(on_a_result(&x));
    let station = Station {
        series: s.clone(),
        weight: 1.5,
    };
    let gradient = on_a_field::gradient(&station);
    assert_eq!(gradient.weight, 3.4);
    assert_eq!(gradient.series.data, [0.0, 5.8, 3.0]);
    let h = |data: [f64; 3]| {
        hidden(&Series {
            data: data.to_vec(),
        })
    };
    let slope = (h([0.7, 1.4 + 1e-6, 0.3]) - h([0.7, 1.4 - 1e-6, 0.3])) / 2e-6;
    let gradient = hidden::gradient(&s).data;
    assert!(
        gradient[0] == 0.0 && (gradient[1] - slope).abs() < 1e-6 * slope.abs(),
        "{gradient:?}, {slope}"
    );
}

#[test]
fn iterators_as_results() {
    let s = Series {
        data: vec![0.7, 1.4, 0.3],
    };
    assert_eq!(
        by_the_name_of_an_iterator::gradient(&s).data,
        [0.0, 2.8, 0.6]
    );
    let (of_self, of_t) = s.around_gradient(0.5, 1);
    assert_eq!((of_self.data, of_t), (vec![0.5, 0.0, 0.5], 1.0));
    let (of_s, of_r) = with_lifetimes::gradient(&s, &[1.0, 2.0]);
    let variances = [2.1, 0.7 + 1.4 * 4.0];
    let expected = [
        1.0 / variances[0] + 1.0 / variances[1],
        1.0 / variances[0] + 4.0 / variances[1],
        0.0,
    ];
    for (a, b) in of_s.data.iter().zip(expected) {
        assert!((a - b).abs() < 1e-14, "{a} {b}");
    }
    assert!((of_r[1] - 5.6 / variances[1]).abs() < 1e-14);
}

/// The types of the file are known in bodies with imports, too.
mod imports {
    use chainrule::prelude::*;

    #[derive(Clone, Copy, Debug)]
    pub(super) enum Activation {
        Linear,
        Bent,
    }

    #[derive(Clone, Debug)]
    pub(super) struct Layer {
        pub(super) w: Vec<f64>,
        pub(super) kind: Activation,
    }

    pub(super) const TAU: f64 = 2.0;

    #[differentiable]
    pub(super) fn with_variants(x: f64, #[constant] layer: &Layer) -> f64 {
        use Activation::*;
        let mut y = x;
        for w in &layer.w {
            y = match layer.kind {
                Linear => w * y,
                Bent => (w * y).tanh(),
            };
        }
        y
    }

    /// Not the module's.
    #[differentiable]
    pub(super) fn with_a_hidden_constant(x: f64, #[constant] layer: &Layer) -> f64 {
        use std::f64::consts::TAU;
        let mut y = x;
        for w in &layer.w {
            y *= w * TAU;
        }
        y
    }

    #[differentiable]
    pub(super) fn with_a_constant(x: f64, #[constant] layer: &Layer) -> f64 {
        use std::f64::consts::PI;
        let mut y = x * TAU;
        for w in &layer.w {
            y *= w * PI;
        }
        y
    }
}

#[test]
fn bodies_with_imports() {
    use imports::{Activation, Layer, with_a_constant, with_a_hidden_constant, with_variants};
    use std::f64::consts::{PI, TAU};

    let layer = |kind| Layer {
        w: vec![0.5, 3.0],
        kind,
    };
    let linear = layer(Activation::Linear);
    check!(with_variants(0.7, const &linear)).assert_gradient(&[1.5]);
    check!(with_variants(0.7, const &layer(Activation::Bent)));
    assert_eq!(imports::TAU, 2.0);
    check!(with_a_hidden_constant(0.7, const &linear)).assert_gradient(&[1.5 * TAU * TAU]);
    check!(with_a_constant(0.7, const &linear)).assert_gradient(&[2.0 * 1.5 * PI * PI]);
}
