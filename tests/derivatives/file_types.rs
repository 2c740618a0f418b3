//! Types that the file declares and that hold no floats: constants without an annotation.

use chainrule::prelude::*;

use crate::check::check;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Linear,
    Square,
    Shifted { by: i32 },
    Power(u8),
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Settings {
    steps: usize,
    name: String,
    order: Vec<usize>,
    on: Option<bool>,
    inner: Inner,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Inner {
    text: &'static str,
    pair: (u8, [i64; 2]),
}

/// Under an attribute that changes nothing.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
struct Id(u32);

#[derive(Clone, Debug, Differentiable)]
struct Layer {
    kind: Kind,
    kinds: Vec<Kind>,
    w: f64,
}

#[differentiable]
fn by_value(k: Kind, x: f64) -> f64 {
    match k {
        Kind::Linear => x,
        Kind::Square => x * x,
        Kind::Shifted { by } => x + by as f64 * x * x,
        Kind::Power(n) => x.powi(n as i32),
    }
}

#[differentiable]
#[inline(never)]
fn called(k: Kind, x: f64) -> f64 {
    if k == Kind::Linear { 2.0 * x } else { x * x }
}

#[differentiable]
fn by_slice(ks: &[Kind], x: f64) -> f64 {
    let mut y = x;
    for k in ks {
        y = by_value(*k, y) + called(*k, y);
    }
    y
}

#[differentiable]
fn by_reference(s: &Settings, x: f64) -> f64 {
    let mut y = x;
    for i in 0..s.steps {
        y += x * s.order[i] as f64;
    }
    if s.inner.pair.0 > 1 && s.on == Some(true) && s.name.is_empty() && s.inner.text.is_empty() {
        y * y
    } else {
        y
    }
}

#[differentiable]
fn in_a_field(l: &Layer, x: f64) -> f64 {
    let a = match l.kind {
        Kind::Linear => x * l.w,
        _ => x,
    };
    let mut s = a;
    for k in &l.kinds {
        s += called(*k, l.w * x);
    }
    s + called(l.kind, x) * l.w
}

#[differentiable]
fn updated(l: &Layer, x: f64) -> f64 {
    let m = Layer { w: x, ..l.clone() };
    in_a_field(&m, x) * l.w
}

#[differentiable]
fn in_a_local(x: f64) -> f64 {
    let mut k = Kind::Linear;
    let mut s = 0.0;
    for _ in 0..3 {
        if x * s > 1.0 {
            k = Kind::Square;
        }
        s += match k {
            Kind::Linear => x,
            _ => x * x * x,
        };
    }
    let id = Id(3);
    let all = vec![Kind::Square, Kind::Linear];
    for one in all {
        s += called(one, x);
    }
    s * id.0 as f64
}

#[differentiable]
impl Settings {
    fn run(&self, k: Kind, x: f64) -> f64 {
        let y = by_reference(self, x);
        by_value(k, y)
    }
}

impl Id {
    #[differentiable]
    fn scaled(self, x: f64) -> f64 {
        self.0 as f64 * x * x
    }
}

#[differentiable]
fn by_method(s: &Settings, x: f64) -> f64 {
    s.run(Kind::Square, x)
}

/// The names of the module around, and others of the same text.
mod inside {
    use super::*;

    #[differentiable]
    pub(crate) fn from_around(k: Kind, x: f64) -> f64 {
        if k == Kind::Square { x * x } else { x }
    }

    pub(crate) mod of_its_own {
        use chainrule::prelude::*;

        #[derive(Clone, Copy, Debug, Differentiable)]
        pub(crate) struct Kind(pub(crate) f64);

        #[differentiable]
        pub(crate) fn product(k: Kind, x: f64) -> f64 {
            k.0 * x
        }
    }
}

/// Floats under the name of an integer.
mod hidden {
    use chainrule::prelude::*;

    #[allow(non_camel_case_types)]
    type usize = f64;

    #[derive(Clone, Copy, Debug, Differentiable)]
    pub(crate) struct Count {
        pub(crate) n: usize,
    }

    #[differentiable]
    pub(crate) fn product(c: Count, x: f64) -> f64 {
        c.n * x
    }
}

#[differentiable]
fn type_of_the_body(x: f64) -> f64 {
    #[derive(Clone, Copy, Differentiable)]
    struct Id(f64);
    let id = Id(x * x);
    id.0 * x
}

#[differentiable]
fn type_parameter<Kind: Real>(k: Kind, x: Kind) -> Kind {
    k * x
}

/// A type that has a tangent all the same is what it was.
#[derive(Clone, Copy, Debug, PartialEq, Differentiable)]
#[allow(dead_code, reason = "one variant is enough to call with")]
enum Derived {
    A,
    B,
}

#[differentiable]
fn derived(d: Derived, x: f64) -> f64 {
    match d {
        Derived::A => x,
        Derived::B => x * x,
    }
}

fn settings() -> Settings {
    Settings {
        steps: 2,
        order: vec![1, 2],
        on: Some(true),
        inner: Inner {
            pair: (2, [0, 1]),
            ..Inner::default()
        },
        ..Settings::default()
    }
}

#[test]
fn as_parameters() {
    for k in [
        Kind::Linear,
        Kind::Square,
        Kind::Shifted { by: 2 },
        Kind::Power(3),
    ] {
        check!(by_value(const k, 1.3));
        check!(inside::from_around(const k, 1.3));
    }
    check!(by_slice(const &[Kind::Power(2), Kind::Linear], 1.1));
    check!(by_reference(const &settings(), 1.3));
    check!(by_method(const &settings(), 0.7));
}

#[differentiable]
fn made(w: f64) -> Layer {
    Layer {
        kind: Kind::Linear,
        kinds: vec![Kind::Square, Kind::Linear],
        w: w * w,
    }
}

#[differentiable]
fn in_fields(x: &[f64]) -> f64 {
    let layer = made(x[0]);
    in_a_field(&layer, x[1]) * updated(&layer, x[2])
}

#[test]
fn as_fields() {
    check!(in_fields(&[0.7, 1.3, 0.8]));
}

#[test]
fn in_locals() {
    check!(in_a_local(0.9));
    assert_eq!(Id(2).scaled_gradient(3.0), 12.0);
}

#[test]
fn other_types_of_the_same_name() {
    let (k_bar, x_bar) = inside::of_its_own::product::gradient(inside::of_its_own::Kind(2.0), 3.0);
    assert_eq!((k_bar.0, x_bar), (3.0, 2.0));
    let (c_bar, x_bar) = hidden::product::gradient(hidden::Count { n: 2.0 }, 3.0);
    assert_eq!((c_bar.n, x_bar), (3.0, 2.0));
    check!(type_of_the_body(1.3));
    check!(type_parameter(1.3, 0.7));
    let (DerivedTangent::B, x_bar) = derived::gradient(Derived::B, 3.0) else {
        panic!("it has a tangent");
    };
    assert_eq!(x_bar, 6.0);
}
