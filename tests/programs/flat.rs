//! The floats of values and of their tangents as slices, and back: `Flat`.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

use chainrule::prelude::*;
use chainrule::{Flat, Tangent};

#[derive(Clone, Debug, Differentiable, PartialEq)]
struct Layer {
    weights: Vec<[f64; 2]>,
    bias: Option<f32>,
    #[constant]
    rate: f64,
}

#[derive(Clone, Debug, Differentiable, PartialEq)]
enum Prior {
    Flat,
    Normal { mean: f64, sd: f64 },
    Mixed(Box<Prior>, f64),
}

#[derive(Clone, Debug, Differentiable, PartialEq)]
struct Scale<T>(T, (f64, usize));

#[derive(Clone, Debug, Differentiable, PartialEq)]
struct Net {
    name: String,
    layers: Vec<Layer>,
    prior: Prior,
    scale: Scale<[f64; 1]>,
    sizes: Vec<usize>,
    widths: &'static [usize],
}

#[derive(Clone, Copy, Debug, Differentiable, PartialEq)]
#[tangent(Self)]
struct Point {
    x: f64,
    y: f64,
}

fn net() -> Net {
    let layer = |k: f64, bias| Layer {
        weights: vec![[k, k + 1.0], [k + 2.0, k + 3.0]],
        bias,
        rate: 0.125,
    };
    Net {
        name: "net".into(),
        layers: vec![layer(1.0, Some(5.0)), layer(6.0, None)],
        prior: Prior::Mixed(
            Box::new(Prior::Normal {
                mean: 10.0,
                sd: 11.0,
            }),
            12.0,
        ),
        scale: Scale([13.0], (14.0, 2)),
        sizes: vec![2, 2],
        widths: &[2, 2],
    }
}

const NAMES: [&str; 14] = [
    "layers[0].weights[0][0]",
    "layers[0].weights[0][1]",
    "layers[0].weights[1][0]",
    "layers[0].weights[1][1]",
    "layers[0].bias.0",
    "layers[1].weights[0][0]",
    "layers[1].weights[0][1]",
    "layers[1].weights[1][0]",
    "layers[1].weights[1][1]",
    "prior.0.mean",
    "prior.0.sd",
    "prior.1",
    "scale.0[0]",
    "scale.1.0",
];

#[differentiable]
fn energy(net: &Net) -> f64 {
    let mut sum = 0.0;
    for layer in &net.layers {
        for row in &layer.weights {
            sum += row[0] * row[0] * row[1] * layer.rate;
        }
        if let Some(bias) = layer.bias {
            sum += f64::from(bias) * 3.0;
        }
    }
    if let Prior::Mixed(inner, weight) = &net.prior {
        if let Prior::Normal { mean, sd } = &**inner {
            sum += weight * mean * sd;
        }
    }
    sum * net.scale.0[0] + net.scale.1.0.sin()
}

#[test]
fn values_and_tangents_have_the_same_order() {
    let net = net();
    let flat: Vec<f64> = (1..15).map(f64::from).collect();
    assert_eq!(net.flat_len(), 14);
    assert_eq!(net.to_flat(), flat);
    assert_eq!(net.flat_names(), NAMES);
    let tangent = net.zero_tangent();
    assert_eq!(tangent.to_flat(), [0.0; 14]);
    assert_eq!(tangent.flat_names(), NAMES);
    let mut moved = net.zero_tangent();
    let mut next = 0.0;
    moved.fill_with(&mut || {
        next += 1.0;
        next
    });
    assert_eq!(moved.to_flat(), flat);
    assert_eq!(moved.count_entries(), 14);
}

#[test]
fn what_is_set_is_what_is_read() {
    let mut there = net();
    let odd = [-0.0, f64::INFINITY, f64::MIN_POSITIVE, 1e300];
    let flat: Vec<f64> = (0..14)
        .map(|k| if k == 4 { 0.1 } else { odd[k % 4] })
        .collect();
    there.set_flat(&flat);
    let back = there.to_flat();
    for (k, (to, from)) in back.iter().zip(&flat).enumerate() {
        let from = if k == 4 { f64::from(0.1_f32) } else { *from };
        assert_eq!(to.to_bits(), from.to_bits(), "{k}");
    }
    assert_eq!((there.name.as_str(), there.layers[0].rate), ("net", 0.125));
    there.set_flat(&[f64::NAN; 14]);
    assert!(there.scale.0[0].is_nan());
    there.set_flat(&net().to_flat());
    assert_eq!(there, net());
}

#[test]
fn a_gradient_is_that_of_the_flat_parameters() {
    let net = net();
    let gradient = energy::gradient(&net).to_flat();
    let at = net.to_flat();
    for k in 0..at.len() {
        let value = |step: f64| {
            let (mut net, mut flat) = (net.clone(), at.clone());
            flat[k] += step;
            net.set_flat(&flat);
            energy(&net)
        };
        let h = 1.0 / 64.0;
        let slope = |h: f64| (value(h) - value(-h)) / (2.0 * h);
        let expected = (4.0 * slope(h / 2.0) - slope(h)) / 3.0;
        let error = (gradient[k] - expected).abs();
        assert!(
            error <= 1e-7 * expected.abs().max(1.0),
            "{}: {} and {expected}",
            NAMES[k],
            gradient[k]
        );
    }
}

#[test]
fn buffers_and_the_tangents_of_directions() {
    let mut buffer = [9.0; 2];
    let mut point = Point { x: 1.0, y: 2.0 };
    point.write_flat(&mut buffer);
    assert_eq!(buffer, [1.0, 2.0]);
    point.set_flat(&[3.0, 4.0]);
    assert_eq!(
        (point, point.flat_names()),
        (Point { x: 3.0, y: 4.0 }, vec!["x".into(), "y".into()])
    );
    let mut direction = net().zero_tangent();
    direction.set_flat(&[0.5; 14]);
    assert_eq!(direction.layers[1].weights, [[0.5, 0.5], [0.5, 0.5]]);
    assert_eq!(
        energy::jvp(&net(), &direction).1,
        direction.inner(&energy::gradient(&net()))
    );
}

#[test]
fn an_empty_variant_has_no_floats() {
    assert!(Prior::Flat.to_flat().is_empty());
    assert_eq!((7_usize, "text", [true]).flat_names(), [""; 0]);
    assert_eq!(
        (2.5_f64.to_flat(), 2.5_f64.flat_names()),
        (vec![2.5], vec![String::new()])
    );
}

fn message(f: impl FnOnce()) -> String {
    let panic = catch_unwind(AssertUnwindSafe(f)).unwrap_err();
    panic
        .downcast_ref::<String>()
        .cloned()
        .unwrap_or_else(|| (*panic.downcast_ref::<&str>().unwrap()).into())
}

#[test]
fn wrong_lengths_panic_and_nothing_is_written() {
    let mut point = Point { x: 1.0, y: 2.0 };
    let wrong = "the flat list has length 3, but the value has 2 floats";
    assert_eq!(message(|| point.set_flat(&[5.0; 3])), wrong);
    assert_eq!(point, Point { x: 1.0, y: 2.0 });
    let mut buffer = [0.0; 3];
    assert_eq!(message(|| point.write_flat(&mut buffer)), wrong);
    assert_eq!(buffer, [0.0; 3]);
    let place = std::sync::Arc::new(std::sync::Mutex::new(0));
    let (kept, seen) = (std::panic::take_hook(), place.clone());
    std::panic::set_hook(Box::new(move |info| {
        let at = info.location().unwrap();
        if at.file().ends_with("flat.rs")
            && info
                .payload_as_str()
                .is_none_or(|text| text.contains("length 1"))
        {
            *seen.lock().unwrap() = at.line();
        }
    }));
    let line = line!() + 1;
    let _ = catch_unwind(AssertUnwindSafe(|| point.set_flat(&[5.0])));
    std::panic::set_hook(kept);
    assert_eq!(*place.lock().unwrap(), line);
}

#[test]
fn what_is_shared_is_read_but_not_written() {
    let mut shared = Rc::new(vec![1.0, 2.0]);
    shared.set_flat(&[3.0, 4.0]);
    let other = Rc::clone(&shared);
    assert_eq!(shared.to_flat(), [3.0, 4.0]);
    assert_eq!(
        message(|| shared.set_flat(&[5.0; 2])),
        "a value that is shared can't be written"
    );
    assert_eq!(*other, [3.0, 4.0]);
    let mut lent = &[1.0][..];
    assert_eq!(
        message(|| lent.set_flat(&[5.0])),
        "a value behind a shared reference can't be written"
    );
}

#[differentiable(dyn)]
trait Potential {
    fn at(&self, x: f64) -> f64;
}

#[derive(Clone, Debug, Differentiable, PartialEq)]
struct Spring {
    k: f64,
    #[constant]
    rest: f64,
}

#[differentiable(dyn)]
impl Potential for Spring {
    fn at(&self, x: f64) -> f64 {
        self.k * (x - self.rest) * (x - self.rest)
    }
}

#[test]
fn trait_objects_have_the_floats_of_what_they_are() {
    let mut all: Vec<Box<dyn Potential>> = vec![
        Box::new(Spring { k: 1.0, rest: 5.0 }),
        Box::new(Spring { k: 2.0, rest: 5.0 }),
    ];
    assert_eq!(all.to_flat(), [1.0, 2.0]);
    assert_eq!(all.flat_names(), ["[0].k", "[1].k"]);
    all.set_flat(&[3.0, 4.0]);
    assert_eq!(all[1].at(6.0), 4.0);
    let mut tangent = all.zero_tangent();
    tangent.set_flat(&[0.5, 0.25]);
    assert_eq!(tangent.to_flat(), [0.5, 0.25]);
}
