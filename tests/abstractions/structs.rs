//! Structs: literals, fields, updates, by value and by reference, in `Vec`s and arrays, methods.

use chainrule::prelude::*;

use crate::check::{check, flat, map_table, table, without_floats};

#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Point {
    x: f64,
    y: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Differentiable)]
struct Scale(f64, f64);

#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Layer {
    weights: Vec<f64>,
    bias: f64,
    inputs: usize,
    #[constant]
    temperature: f64,
}

#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Network {
    layers: Vec<Layer>,
    origin: Point,
    scales: [Scale; 2],
    label: String,
}

#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Pair<A, B> {
    first: A,
    second: B,
}

#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Nothing;

#[derive(Clone, Debug, PartialEq, Differentiable)]
struct WithLength<const N: usize> {
    values: [f64; N],
}

flat!(Point { x: f64, y: f64 });
flat!(Scale { 0: f64, 1: f64 });
flat!(Layer { weights: Vec<f64>, bias: f64 });
flat!(Network { layers: Vec<Layer>, origin: Point, scales: [Scale; 2] });
flat!(Pair<f64, Point> { first: f64, second: Point });
without_floats!(Nothing);
flat!(WithLength<2> { values: [f64; 2] });

fn point() -> Point {
    Point { x: 0.7, y: 1.9 }
}

fn layer(n: usize, inputs: usize) -> Layer {
    Layer {
        weights: [0.3, -0.8, 1.1, 0.4, -0.2, 0.6][..n].to_vec(),
        bias: 0.25,
        inputs,
        temperature: 1.5,
    }
}

fn network(n: usize) -> Network {
    Network {
        layers: vec![layer(2, 2); n],
        origin: point(),
        scales: [Scale(0.7, 1.9), Scale(-0.4, 1.3)],
        label: "test".to_owned(),
    }
}

#[differentiable]
fn by_value(p: Point) -> f64 {
    p.x * p.y + p.x
}

#[differentiable]
fn by_reference(p: &Point, k: f64) -> f64 {
    p.x * p.y * k + p.y
}

#[differentiable]
fn by_mut(p: &mut Point, k: f64) -> f64 {
    p.x *= k;
    p.y = p.x * p.y;
    p.x + p.y * p.y
}

#[differentiable]
fn destructured(p: Point, s: Scale) -> f64 {
    let Point { x, y: other } = p;
    let Scale(a, b) = s;
    x * a + other * b * x
}

#[differentiable]
fn destructured_parameter(Point { x, y }: Point, Scale(a, _): Scale) -> f64 {
    x * a + y
}

#[differentiable]
fn literal(x: f64, y: f64) -> Point {
    Point { x: x * y, y: x + y }
}

#[differentiable]
fn literal_with_shorthand(x: f64, k: f64) -> Point {
    let y = x * k;
    Point { x, y }
}

#[differentiable]
fn local_literal(x: f64, y: f64) -> f64 {
    let mut p = Point { x: x * y, y };
    p.x += p.y;
    let q = Point { y: p.x * 2.0, ..p };
    q.x * q.y
}

#[differentiable]
fn update_syntax(p: Point, k: f64) -> Point {
    Point { x: k * k, ..p }
}

#[differentiable]
fn tuple_struct(s: Scale, x: f64) -> Scale {
    Scale(s.0 * x, s.1 + x)
}

#[differentiable]
fn tuple_struct_in_place(s: &mut Scale, x: f64) {
    s.0 *= s.1;
    s.1 -= x * s.0;
}

#[differentiable]
#[inline(never)]
fn copied(s: &Scale) -> f64 {
    let mut t = *s;
    t.0 *= s.1;
    t.0 * s.0 + t.1
}

#[differentiable]
fn fields_of_many_kinds(l: &Layer, x: f64) -> f64 {
    let mut z = l.bias;
    for i in 0..l.weights.len() {
        z += l.weights[i] * x / l.temperature;
    }
    z * l.inputs as f64
}

#[differentiable]
fn apply(l: &Layer, x: &[f64]) -> Vec<f64> {
    let n: usize = l.inputs;
    let mut y = vec![0.0; l.weights.len() / n];
    for i in 0..y.len() {
        let mut s: f64 = l.bias;
        for j in 0..n {
            s += l.weights[i * n + j] * x[j];
        }
        y[i] = (s / l.temperature).tanh();
    }
    y
}

#[differentiable]
fn nested(n: &Network, x: f64) -> f64 {
    let mut z = n.origin.x * x;
    for i in 0..n.layers.len() {
        z = z * n.layers[i].weights[1] + n.layers[i].bias;
    }
    for s in &n.scales {
        z = z * s.0 + s.1;
    }
    z * n.origin.y
}

#[differentiable]
fn nested_in_place(n: &mut Network, x: f64) -> f64 {
    n.origin.x *= x;
    for i in 0..n.layers.len() {
        n.layers[i].weights[0] *= n.origin.x;
        n.layers[i].bias += n.layers[i].weights[0];
    }
    n.scales[1].0 = n.scales[0].1 * x;
    let mut z: f64 = n.scales[1].0 * n.origin.x;
    for l in &n.layers {
        z += l.bias * l.bias;
    }
    z
}

#[differentiable]
fn reference_to_a_field(n: &Network, k: usize) -> f64 {
    let origin = &n.origin;
    let layer = &n.layers[k];
    let w = &layer.weights;
    let mut z = 0.0;
    for i in 0..w.len() {
        z += w[i] * w[i] * origin.x;
    }
    z
}

#[differentiable]
fn slice_of_points(points: &[Point]) -> f64 {
    let mut z = 0.0;
    for i in 1..points.len() {
        let (a, b) = (&points[i - 1], &points[i]);
        z += ((a.x - b.x).powi(2) + (a.y - b.y).powi(2)).sqrt();
    }
    z
}

#[differentiable]
fn points_in_place(points: &mut [Point], h: f64) {
    for p in points.iter_mut() {
        p.x += h * p.y;
        p.y -= h * p.x;
    }
}

#[differentiable]
fn points_made(x: f64, n: usize) -> f64 {
    let mut points = vec![Point { x: 0.0, y: x }; n];
    for i in 0..n {
        points[i].x = points[i].y * (i as f64) * x;
    }
    let mut z = 0.0;
    for p in &points {
        z += p.x * p.y;
    }
    z
}

#[differentiable]
fn generic_struct(p: &Pair<f64, Point>) -> f64 {
    let k: f64 = p.first;
    k * p.second.x + p.second.y * p.second.y
}

#[differentiable]
fn without_floats(_nothing: &Nothing, x: f64) -> f64 {
    x * x
}

#[differentiable]
fn with_length(w: WithLength<2>) -> f64 {
    w.values[0] * w.values[1]
}

#[differentiable]
fn returned_unchanged(p: Point) -> Point {
    p
}

#[differentiable]
fn vec_of_structs(x: f64, n: usize) -> Vec<Point> {
    let mut points = vec![Point { x, y: 1.0 }; n];
    for i in 0..n {
        points[i].y *= x * x;
    }
    points
}

#[differentiable]
impl Point {
    fn norm(&self) -> f64 {
        (self.x * self.x + self.y * self.y).sqrt()
    }

    fn area(&self) -> f64 {
        self.x * self.y
    }

    fn stretch(&mut self, k: f64) {
        self.x *= k;
        self.y *= k * self.x;
    }

    fn into_sum(self, k: f64) -> f64 {
        self.x + k * self.y
    }

    fn new(x: f64, k: f64) -> Point {
        Point { x, y: k * x }
    }

    fn norm_of_another(#[constant] &self, x: f64) -> f64 {
        x * x * self.x
    }
}

impl Scale {
    #[differentiable]
    #[inline(never)]
    fn applied(&self, x: f64) -> f64 {
        self.0 * x + self.1
    }
}

#[differentiable]
fn through_methods(p: &Point, k: f64) -> f64 {
    let n: f64 = p.norm();
    let mut q = Point::new(n, k);
    q.stretch(k * 0.5);
    let m: f64 = q.norm();
    let s: f64 = q.into_sum(m);
    let t: f64 = Scale(s, k).applied(n);
    t * m
}

#[derive(Clone, Debug, Differentiable)]
struct Series {
    #[constant]
    labels: Vec<usize>,
    values: Vec<f64>,
    range: (f64, f64),
    scale: f64,
}

#[differentiable]
#[inline(never)]
fn powers(x: f64) -> (f64, f64) {
    (x, x * x)
}

/// What takes the place of a list may be of another length.
#[differentiable]
impl Series {
    fn new(x: &[f64]) -> Series {
        Series {
            labels: vec![1, 2],
            values: x.to_vec(),
            range: (x[0], x[1]),
            scale: x[1],
        }
    }

    fn tail(&self) -> Series {
        Series {
            labels: vec![self.labels.len()],
            values: self.values[1..].to_vec(),
            ..self.clone()
        }
    }

    fn ranged(&self, x: f64) -> Series {
        Series {
            range: powers(x),
            scale: x,
            ..self.tail()
        }
    }
}

#[differentiable]
fn updated_lists(x: &[f64]) -> f64 {
    let mut series = Series::new(x);
    let first = Series {
        values: vec![x[0] * x[1]],
        ..Series::new(x)
    };
    for k in 0..2 {
        series = series.ranged(x[k] * series.values[0]);
    }
    let longer = Series {
        values: series.values.iter().chain(x).map(|v| v * x[0]).collect(),
        ..first.clone()
    };
    longer.values[1] * longer.scale * series.range.1 * first.values[0] * series.labels.len() as f64
        + longer.values[0]
        + series.scale
}

table! {
    updated_lists: (&[0.8, -0.3, 1.2]);
    by_value: (point()) => [2.9, 0.7];
    by_reference: (&point(), 1.3);
    by_mut: (&mut point(), 1.3);
    destructured: (point(), Scale(0.3, -0.8));
    destructured_parameter: (point(), Scale(0.3, -0.8));
    local_literal: (0.7, 1.9);
    copied: (&Scale(0.7, 1.9));
    fields_of_many_kinds: for n in 0..4, (&layer(n, 3), 0.7);
    nested: for n in 0..4, (&network(n), 0.7);
    nested_in_place: for n in 0..4, (&mut network(n), 0.7);
    reference_to_a_field: (&network(2), const 1);
    slice_of_points: (&vec![point(), Point { x: 0.1, y: -0.3 }, Point { x: 1.1, y: 0.3 }]), (&vec![point()]), (&Vec::<Point>::new());
    points_made: for n in 0..4, (0.7, const n);
    generic_struct: (&Pair { first: 0.3, second: point() });
    without_floats: (&Nothing, 0.7) => [1.4];
    with_length: (WithLength { values: [0.7, 1.9] }) => [1.9, 0.7];
    through_methods: (&point(), 1.3);
}

map_table! {
    literal: (0.7, 1.9);
    literal_with_shorthand: (0.7, 1.9);
    update_syntax: (point(), 1.3);
    tuple_struct: (Scale(0.7, 1.9), 1.3);
    tuple_struct_in_place: (&mut Scale(0.7, 1.9), 1.3);
    apply: (&layer(4, 2), &[0.7, 1.9]), (&layer(6, 2), &[0.7, 1.9]), (&layer(2, 2), &[0.7, 1.9]), (&layer(0, 2), &[0.7, 1.9]);
    points_in_place: (&mut vec![point(), Point { x: 0.1, y: -0.3 }], 0.1), (&mut Vec::<Point>::new(), 0.1);
    returned_unchanged: (point());
    vec_of_structs: for n in 0..3, (0.7, const n);
}

/// Tangents have the fields of their structs, and no others.
#[test]
fn gradients_are_structs() {
    let p_bar: PointTangent = by_value::gradient(point());
    assert_eq!(p_bar, PointTangent { x: 2.9, y: 0.7 });
    let (l_bar, _): (LayerTangent, f64) = fields_of_many_kinds::gradient(&layer(1, 3), 0.7);
    assert_eq!(
        l_bar,
        LayerTangent {
            weights: vec![0.7 / 1.5 * 3.0],
            bias: 3.0,
            inputs: NoTangent,
            temperature: NoTangent
        }
    );
}

/// The sibling functions of methods.
#[test]
fn drivers_of_methods() {
    let p = point();
    let area = 0.7 * 1.9;
    assert_eq!(
        p.area_value_and_gradient(),
        (area, PointTangent { x: 1.9, y: 0.7 })
    );
    assert_eq!(p.area_gradient(), PointTangent { x: 1.9, y: 0.7 });
    let mut buffer = PointTangent { x: 5.0, y: 5.0 };
    assert_eq!(p.area_value_and_gradient_into(&mut buffer), area);
    assert_eq!(buffer, PointTangent { x: 1.9, y: 0.7 });
    let direction = PointTangent { x: 1.0, y: 0.0 };
    assert_eq!(Point::area_frule(Dual(&p, &direction)), Dual(area, 1.9));
    assert_eq!(p.area_jvp(&direction), (area, 1.9));
    let (y, pullback) = p.area_rrule();
    let mut p_bar = PointTangent { x: 1.0, y: 1.0 };
    pullback(2.0, CoDual(&p, &mut p_bar));
    assert_eq!(
        (y, p_bar),
        (
            area,
            PointTangent {
                x: 1.0 + 3.8,
                y: 1.0 + 1.4
            }
        )
    );
    assert_eq!(p.area_vjp(2.0), (area, PointTangent { x: 3.8, y: 1.4 }));
    assert_eq!(p.area_hvp(&direction), PointTangent { x: 0.0, y: 1.0 });
    let (s_bar, k_bar) = point().into_sum_gradient(1.3);
    assert_eq!((s_bar, k_bar), (PointTangent { x: 1.0, y: 1.3 }, 1.9));
    assert_eq!(p.norm_of_another_gradient(0.3), 2.0 * 0.3 * 0.7);
    assert_eq!(p.norm_of_another_derivative(0.3), 2.0 * 0.3 * 0.7);
    let (_, pullback) = Point::new_rrule(0.7, 1.9);
    assert_eq!(pullback(PointTangent { x: 1.0, y: 1.0 }), (2.9, 0.7));
    assert_eq!(
        Scale(2.0, 3.0).applied_gradient(0.7),
        (ScaleTangent(0.7, 1.0), 2.0)
    );
    let mut q = point();
    let (_, pullback) = q.stretch_rrule(1.3);
    let mut q_bar = PointTangent { x: 1.0, y: 0.0 };
    let k_bar = pullback(NoTangent, CoDual(&mut q, &mut q_bar));
    assert_eq!(
        (q, q_bar, k_bar),
        (point(), PointTangent { x: 1.3, y: 0.0 }, 0.7)
    );
}

/// Structs in a module of their own, with private fields.
mod elsewhere {
    use chainrule::prelude::*;

    #[derive(Clone, Debug, PartialEq, Differentiable)]
    pub(crate) struct Hidden {
        secret: f64,
        pub(crate) open: f64,
    }

    crate::check::flat!(Hidden {
        secret: f64,
        open: f64
    });

    #[differentiable]
    impl Hidden {
        pub(crate) fn new(secret: f64) -> Self {
            Hidden {
                secret,
                open: secret * secret,
            }
        }

        pub(crate) fn value(&self) -> f64 {
            self.secret * self.open
        }
    }
}

#[differentiable]
#[inline(never)]
fn private_fields(x: f64, h: &elsewhere::Hidden) -> f64 {
    let made = elsewhere::Hidden::new(x);
    let a: f64 = made.value();
    let b: f64 = h.value();
    a * b + made.open * h.open
}

#[test]
fn private_fields_of_another_module() {
    check!(private_fields(0.7, &elsewhere::Hidden::new(1.3)));
}

#[derive(Clone, Copy, Debug, PartialEq, Differentiable)]
struct Meters(f64);
flat!(Meters { 0: f64 });

#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Weighted<T>(Vec<T>, T, #[constant] usize, #[constant] f64);
flat!(Weighted<f64> { 0: Vec<f64>, 1: f64 });

#[differentiable]
impl Meters {
    fn squared(self) -> Self {
        Self(self.0 * self.0)
    }

    fn all(x: &[f64]) -> Vec<Self> {
        let mut all = Vec::new();
        for meters in x.iter().copied().map(Self) {
            all.push(meters);
        }
        all
    }
}

#[differentiable]
impl core::ops::Mul<f64> for Meters {
    type Output = Self;

    fn mul(self, k: f64) -> Self {
        Self(self.0 * k)
    }
}

#[differentiable]
impl<T: Real> Weighted<T> {
    fn new(x: &[T], k: T, #[constant] exponent: f64) -> Self {
        Self(x.to_vec(), k * k, x.len(), exponent)
    }

    fn value(&self) -> T {
        let mut sum = T::ZERO;
        for x in &self.0 {
            sum += *x;
        }
        sum * self.1 * T::from_usize(self.2) * T::from_f64(self.3)
    }
}

#[differentiable]
#[inline(never)]
fn constructors_by_self(x: &[f64], k: f64, #[constant] exponent: f64) -> f64 {
    let w = Weighted::<f64>::new(x, k, exponent);
    let value: f64 = w.value();
    let meters: Meters = Meters(value).squared() * k;
    let all: Vec<Meters> = Meters::all(x);
    meters.0 * w.1 + all.iter().map(|m| m.0.sin()).sum::<f64>()
}

#[differentiable]
#[inline(never)]
fn constructors_as_functions(x: &[f64], k: f64) -> f64 {
    let o: Option<f64> = if x.is_empty() { None } else { Some(k) };
    let mut sum = o.map(Meters).map_or(0.3, |m| m.0 * k);
    sum += x
        .iter()
        .map(|x| x * k)
        .map(Meters)
        .fold(0.0, |sum, m| sum + m.0 * m.0);
    sum += x
        .iter()
        .copied()
        .map(Some)
        .map(|v| v.unwrap_or(0.0) * k)
        .sum::<f64>();
    for boxed in x.iter().copied().map(Box::new) {
        sum *= *boxed;
    }
    let nested: Option<Option<f64>> = o.map(Some);
    if let Some(Some(k)) = nested {
        sum *= k;
    }
    let make = Meters;
    sum + make(k).0 * make(sum).0
}

#[test]
fn constructors() {
    let x = [0.7, -1.2, 0.4];
    for n in 0..4 {
        check!(constructors_by_self(&x[..n].to_vec(), 1.3, const 0.5));
        check!(constructors_as_functions(&x[..n].to_vec(), 1.3));
    }
}
