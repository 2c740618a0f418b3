//! Trait objects: `&dyn Trait`, `&mut dyn Trait`, `Box<dyn Trait>`, with and without tangents.

use std::rc::Rc;

use chainrule::prelude::*;

use crate::ad::AnyTangent;
use crate::check::{Flat, check, flat};

/// What tests do with objects.
trait Parts {
    fn map_floats(&mut self, f: &mut dyn FnMut(f64) -> f64);
    fn copy(&self) -> Box<dyn Potential + Send + Sync>;
}

#[differentiable(dyn)]
trait Potential: Parts {
    fn energy(&self, r: f64) -> f64;

    fn total(&self, #[constant] rs: &[f64]) -> f64 {
        let mut sum = 0.0;
        for r in rs {
            sum += self.energy(*r);
        }
        sum
    }

    fn relax(&mut self, by: f64) {
        let _ = by;
    }

    /// What goes in and comes out is a value of another type.
    fn both(&self, (a, b): (f64, f64), out: &mut [f64], n: usize) -> (f64, usize) {
        for k in 0..n {
            out[k] *= self.energy(a + b * k as f64);
        }
        (self.energy(b), n)
    }

    fn name(&self) -> String {
        "potential".to_owned()
    }

    /// Only of types of known size.
    fn scaled(self, by: f64) -> f64
    where
        Self: Sized,
    {
        self.energy(by)
    }
}

macro_rules! parts {
    ($($ty:ty)*) => {$(
        impl Parts for $ty {
            fn map_floats(&mut self, f: &mut dyn FnMut(f64) -> f64) {
                self.map(f);
            }

            fn copy(&self) -> Box<dyn Potential + Send + Sync> {
                Box::new(self.clone())
            }
        }
    )*};
}
parts!(Spring Morse Set);

#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Spring {
    stiffness: f64,
    length: f64,
}
flat!(Spring {
    stiffness: f64,
    length: f64
});

#[differentiable]
impl Potential for Spring {
    fn energy(&self, r: f64) -> f64 {
        let d = r - self.length;
        0.5 * self.stiffness * d * d * d
    }

    fn relax(&mut self, by: f64) {
        self.length += by * self.stiffness;
    }
}

#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Morse {
    depth: f64,
    widths: Vec<f64>,
    #[constant]
    label: &'static str,
}
flat!(Morse { depth: f64, widths: Vec<f64> });

#[differentiable]
impl Potential for Morse {
    fn energy(&self, r: f64) -> f64 {
        let mut sum = 0.0;
        for a in &self.widths {
            let e = 1.0 - (-a * r).exp();
            sum += e * e * self.depth;
        }
        sum
    }

    fn relax(&mut self, by: f64) {
        let last = self.widths[0] * by;
        self.widths.push(last);
    }

    fn name(&self) -> String {
        self.label.to_owned()
    }
}

/// Objects in objects: the methods call those of the same name.
#[derive(Differentiable)]
struct Set {
    parts: Vec<Box<dyn Potential + Send + Sync>>,
    scale: f64,
}

impl Clone for Set {
    fn clone(&self) -> Self {
        let parts = self.parts.iter().map(|part| part.copy()).collect();
        Set { parts, ..*self }
    }
}

impl Flat for Set {
    const ROUNDOFF: f64 = f64::EPSILON;

    fn map(&mut self, f: &mut dyn FnMut(f64) -> f64) {
        for part in &mut self.parts {
            part.map_floats(f);
        }
        self.scale = f(self.scale);
    }
}

#[differentiable]
impl Potential for Set {
    fn energy(&self, r: f64) -> f64 {
        let mut product = self.scale;
        for part in &self.parts {
            product *= part.energy(r * self.scale);
        }
        product
    }

    fn relax(&mut self, by: f64) {
        for part in &mut self.parts {
            part.relax(by * self.scale);
        }
        self.scale *= by;
    }
}

#[differentiable]
#[inline(never)]
fn shared(p: &dyn Potential, #[constant] rs: &[f64], r: f64) -> f64 {
    assert!(!p.name().is_empty());
    p.total(rs) * p.energy(r)
}

#[differentiable]
#[inline(never)]
fn unique(p: &mut dyn Potential, by: f64, r: f64) -> f64 {
    let before: f64 = p.energy(r);
    p.relax(by);
    p.energy(r) * before
}

#[differentiable]
#[inline(never)]
fn unique_spring(p: &mut Spring, by: f64, r: f64) -> f64 {
    unique(p, by, r)
}

#[differentiable]
#[inline(never)]
fn unique_morse(p: &mut Morse, by: f64, r: f64) -> f64 {
    unique(p, by, r)
}

#[differentiable]
#[inline(never)]
fn unique_set(p: &mut Set, by: f64, r: f64) -> f64 {
    unique(p, by, r) * unique(&mut *p.parts[0], r, by)
}

#[differentiable]
#[inline(never)]
fn fixed(#[constant] p: &dyn Potential, r: f64) -> f64 {
    p.energy(r) * r
}

#[differentiable]
#[inline(never)]
fn buffers(p: &dyn Potential, out: &mut [f64], a: f64) -> f64 {
    let (y, n): (f64, usize) = p.both((a, 0.5 * a), out, 2);
    y * out[0] * out[1] * n as f64
}

fn spring() -> Spring {
    Spring {
        stiffness: 1.5,
        length: 0.3,
    }
}

fn morse() -> Morse {
    Morse {
        depth: 1.2,
        widths: vec![0.8, 1.4],
        label: "morse",
    }
}

fn set() -> Set {
    let inner = Set {
        parts: vec![Box::new(spring())],
        scale: 0.9,
    };
    Set {
        parts: vec![Box::new(morse()), Box::new(inner), Box::new(spring())],
        scale: 1.1,
    }
}

#[test]
fn objects_behind_references() {
    let rs = [0.7, 0.95];
    check!(shared(&spring(), const &rs, 1.1));
    check!(shared(&morse(), const &rs, 1.1));
    check!(shared(&set(), const &rs, 1.1));
    check!(shared(&set(), const &[0.0; 0], 1.1));
    check!(unique_spring(&mut spring(), 0.4, 1.1));
    check!(unique_set(&mut set(), 0.4, 1.1));
    check!(fixed(const &set(), 1.1));
    check!(buffers(&set(), &mut [1.5, 0.7, 0.2], 0.8));
}

/// A method that changes the lengths of what is behind the object.
#[test]
fn an_object_that_grows() {
    check!(unique_morse(&mut morse(), 0.4, 1.1));
}

#[differentiable]
#[inline(never)]
fn of_known_types(s: &Spring, m: &mut Morse, all: &Set, r: f64) -> f64 {
    let a: f64 = shared(s, &[0.9], r);
    let b: f64 = unique(m, r, 0.8);
    let c: f64 = shared(&*all.parts[1], &[0.9], r);
    let d: f64 = shared(all, &[0.5], r * r);
    a * b + c * d + all.parts[0].energy(r)
}

#[differentiable]
fn statically<P: Potential + chainrule::DifferentiableValue>(
    p: &P,
    #[constant] q: &P,
    r: f64,
) -> f64 {
    p.total(&[0.7, r_constant()]) * q.energy(r) + p.energy(r)
}

/// The bound by the trait is enough.
#[differentiable]
fn by_its_bound<P: Potential>(p: &P, others: &[P], r: f64) -> f64 {
    let mut sum = p.energy(r);
    for other in others {
        sum += other.energy(sum);
    }
    sum
}

#[differentiable]
#[inline(never)]
fn by_impl(p: &impl Potential, r: f64) -> f64 {
    p.energy(r) * p.energy(r * r)
}

#[differentiable]
#[inline(never)]
fn called_with_known_types(s: &Spring, r: f64) -> f64 {
    let a: f64 = by_its_bound(s, &[s.clone(), s.clone()], r);
    let b: f64 = by_impl(s, a);
    let c: f64 = shared(s, &[0.9], b);
    a * c
}

fn r_constant() -> f64 {
    0.9
}

#[test]
fn a_reference_to_a_known_type_becomes_one_to_an_object() {
    check!(of_known_types(&spring(), &mut morse(), &set(), 1.1));
    check!(statically(&spring(), const &spring(), 1.1));
    check!(statically(&set(), const &set(), 1.1));
    check!(by_its_bound(&spring(), &vec![spring(), spring()], 1.1));
    check!(by_impl(&spring(), 1.1));
    check!(called_with_known_types(&spring(), 0.6));
}

#[differentiable]
#[inline(never)]
fn owned(mut p: Box<dyn Potential + Send + Sync>, by: f64) -> f64 {
    p.relax(by);
    p.energy(by * by)
}

#[differentiable]
#[inline(never)]
fn list(all: &[Box<dyn Potential + Send + Sync>], x: f64) -> f64 {
    let mut y = x;
    for p in all {
        y = p.energy(y);
    }
    y
}

#[differentiable]
#[inline(never)]
fn indexed(all: &mut Vec<Box<dyn Potential + Send + Sync>>, x: f64) -> f64 {
    let mut y = x;
    for i in 0..all.len() {
        if i % 2 == 0 {
            all[i].relax(x);
        }
        y *= all[i].energy(x);
    }
    y
}

#[differentiable]
#[inline(never)]
fn last(o: &Option<Box<dyn Potential + Send + Sync>>, x: f64) -> f64 {
    match o {
        Some(p) => p.energy(x),
        None => x,
    }
}

impl Clone for Box<dyn Potential + Send + Sync> {
    fn clone(&self) -> Self {
        (**self).copy()
    }
}

impl Flat for Box<dyn Potential + Send + Sync> {
    const ROUNDOFF: f64 = f64::EPSILON;

    fn map(&mut self, f: &mut dyn FnMut(f64) -> f64) {
        (**self).map_floats(f);
    }
}

#[test]
fn boxes() {
    check!(owned(set().copy(), 0.4));
    let mut all: Vec<Box<dyn Potential + Send + Sync>> = Vec::new();
    check!(list(&all.clone(), 0.7));
    check!(indexed(&mut all.clone(), 0.7));
    for part in [spring().copy(), morse().copy(), set().copy()] {
        all.push(part);
        check!(list(&all.clone(), 0.7));
        check!(indexed(&mut all.clone(), 0.7));
    }
    check!(last(&Some(set().copy()), 0.7));
    check!(last(&None, 0.7));
}

/// Receivers without tangents, as functions are.
#[differentiable(dyn)]
trait Step {
    fn apply(#[constant] &self, x: f64) -> f64;
}

struct Sine;

struct Power(i32);

#[differentiable]
impl Step for Sine {
    fn apply(#[constant] &self, x: f64) -> f64 {
        x.sin()
    }
}

#[differentiable]
impl Step for Power {
    fn apply(#[constant] &self, x: f64) -> f64 {
        x.powi(self.0)
    }
}

/// Static and dynamic parts in one receiver.
struct Then<A: ?Sized, B: ?Sized>(Box<A>, Box<B>);

#[differentiable]
impl<A: Step + 'static> Step for Then<A, dyn Step> {
    fn apply(#[constant] &self, x: f64) -> f64 {
        self.1.apply(self.0.apply(x))
    }
}

#[differentiable]
fn steps(#[constant] all: &[Rc<dyn Step>], #[constant] one: &dyn Step, x: f64) -> f64 {
    let mut y = x;
    for step in all {
        y = step.apply(y) + one.apply(x);
    }
    y
}

#[test]
fn objects_without_tangents() {
    let power: Box<dyn Step> = Box::new(Power(3));
    let all: Vec<Rc<dyn Step>> = vec![Rc::new(Sine), Rc::new(Then(Box::new(Sine), power))];
    let (one, x) = (Power(2), 0.7_f64);
    let (u, du, ddu) = (x.sin() + x * x, x.cos() + 2.0 * x, 2.0 - x.sin());
    let (sin, cos) = u.sin_cos();
    let (y, dy) = steps::value_and_gradient(&all, &one, x);
    let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-14, "{a} is not {b}");
    close(y, sin.powi(3) + x * x);
    close(dy, 3.0 * sin * sin * cos * du + 2.0 * x);
    let squares = (6.0 * sin * cos * cos - 3.0 * sin.powi(3)) * du * du;
    let second = squares + 3.0 * sin * sin * cos * ddu + 2.0;
    close(steps::hvp(&all, &one, x, 1.0), second);
    assert_eq!(steps::jvp(&all, &one, x, 1.0).0, y);
    let (_, pullback) = steps::rrule(&all, &one, x);
    close(pullback(2.0, &all, &one), 2.0 * dy);
}

/// Where all receivers are constant, objects have no tangent, as integers have none.
#[derive(Differentiable)]
struct Pipeline {
    steps: Vec<Box<dyn Step>>,
    gain: f64,
}

#[differentiable]
fn piped(p: &Pipeline, first: &dyn Step, x: f64) -> f64 {
    let mut y = first.apply(x * p.gain);
    for step in &p.steps {
        y = step.apply(y);
    }
    y
}

#[test]
fn objects_without_tangents_in_structs() {
    let p = Pipeline {
        steps: vec![Box::new(Sine), Box::new(Power(2))],
        gain: 0.8,
    };
    let (x, first) = (0.7_f64, Power(3));
    let (y, (p_bar, chainrule::NoTangent, x_bar)) = piped::value_and_gradient(&p, &first, x);
    let (sin, cos) = (x * 0.8).powi(3).sin_cos();
    let outer = 2.0 * sin * cos * 3.0 * (x * 0.8).powi(2);
    let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-14, "{a} is not {b}");
    close(y, sin * sin);
    close(p_bar.gain, outer * x);
    close(x_bar, outer * 0.8);
}

/// An expression as a tree of objects.
#[differentiable(dyn)]
trait Expr: Send + Sync {
    fn eval(&self, x: &[f64]) -> f64;
}

#[derive(Differentiable)]
struct Constant(f64);

#[derive(Differentiable)]
struct Variable(usize);

#[derive(Differentiable)]
struct Product(Box<dyn Expr>, Box<dyn Expr>);

#[derive(Differentiable)]
struct Exp(Box<dyn Expr>);

#[differentiable]
impl Expr for Constant {
    fn eval(&self, x: &[f64]) -> f64 {
        let _ = x;
        self.0
    }
}

#[differentiable]
impl Expr for Variable {
    fn eval(&self, x: &[f64]) -> f64 {
        x[self.0]
    }
}

#[differentiable]
impl Expr for Product {
    fn eval(&self, x: &[f64]) -> f64 {
        self.0.eval(x) * self.1.eval(x)
    }
}

#[differentiable]
impl Expr for Exp {
    fn eval(&self, x: &[f64]) -> f64 {
        self.0.eval(x).exp()
    }
}

#[differentiable]
fn evaluated(e: &dyn Expr, x: &[f64]) -> f64 {
    e.eval(x)
}

#[test]
fn a_tree_of_objects() {
    // 3 x exp(x y)
    let (x, y) = (0.7_f64, -0.4_f64);
    let product = Product(Box::new(Variable(0)), Box::new(Variable(1)));
    let scaled = Product(Box::new(Constant(3.0)), Box::new(Variable(0)));
    let tree: Box<dyn Expr> = Box::new(Product(Box::new(scaled), Box::new(Exp(Box::new(product)))));
    let e = (x * y).exp();
    let (value, (tree_bar, x_bar)) = evaluated::value_and_gradient(&*tree, &[x, y]);
    let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-14, "{a} is not {b}");
    close(value, 3.0 * x * e);
    close(x_bar[0], 3.0 * e * (1.0 + x * y));
    close(x_bar[1], 3.0 * x * x * e);
    let root: &ProductTangent = tree_bar.downcast_ref().expect("the root is a product");
    let scaled: &ProductTangent = root.0.downcast_ref().expect("its left side, too");
    close(
        scaled.0.downcast_ref::<ConstantTangent>().expect("the 3").0,
        x * e,
    );

    // Second derivatives with respect to the 3 and x.
    let mut direction = tree.zero_tangent();
    let root: &mut ProductTangent = direction.downcast_mut().expect("the root");
    let scaled: &mut ProductTangent = root.0.downcast_mut().expect("its left side");
    scaled.0.downcast_mut::<ConstantTangent>().expect("the 3").0 = 1.0;
    let (_, x_hv) = evaluated::hvp(&*tree, &[x, y], &*direction, &[1.0, 0.0]);
    close(x_hv[0], e * (1.0 + x * y) + 3.0 * e * y * (2.0 + x * y));
}

#[test]
fn tangents_of_objects() {
    let (s, m) = (spring(), morse());
    let g: (AnyTangent, f64) = shared::gradient(&s, &[0.5], 1.1);
    let any = g.0;
    assert!(any.is::<SpringTangent>() && !any.is::<MorseTangent>());
    assert_eq!(any, any.clone());
    assert_ne!(any, AnyTangent::new(m.zero_tangent()));
    let spring_bar: &SpringTangent = any.downcast_ref().expect("a spring's");
    assert_eq!(format!("{any:?}"), format!("{spring_bar:?}"));

    // Where a tangent is lent, one of the value's own type will do.
    let direction = SpringTangent {
        stiffness: 0.5,
        length: -0.25,
    };
    let boxed = AnyTangent::new(direction.clone());
    let by_type = shared::hvp(&s, &[0.5], 1.1, &direction, 0.3);
    let by_object = shared::hvp(&s, &[0.5], 1.1, &*boxed, 0.3);
    assert_eq!(by_type, by_object);
    let mut s_bar = s.zero_tangent();
    let (_, pullback) = shared::rrule(&s, &[0.5], 1.1);
    pullback(1.0, CoDual(&s, &mut s_bar), &[0.5]);
    assert_eq!(&s_bar, spring_bar);

    let mut moved: Box<dyn Potential> = Box::new(s);
    moved.add_scaled_tangent(-1.0, &Box::new(any.clone()));
    let length = spring().length - spring_bar.length;
    assert_eq!(moved.energy(length), 0.0);
}

#[test]
#[should_panic(expected = "shared: the shadow of `p` is")]
fn tangents_of_another_type() {
    let mut bar = morse().zero_tangent();
    shared::value_and_gradient_into(&spring(), &[0.5], 1.1, &mut bar, &mut 0.0);
}

/// A pullback is for the object that its rule was called with.
#[test]
#[should_panic(expected = "a pullback got a trait object of another type than its rule")]
fn another_object_in_the_pullback() {
    let (s, m) = (spring(), morse());
    let (_, pullback) = shared::rrule(&s, &[0.5], 1.1);
    pullback(1.0, CoDual(&m, &mut m.zero_tangent()), &[0.5]);
}

#[test]
fn pullbacks_go_to_other_threads() {
    fn sent<T: Send + Sync>(value: T) -> T {
        value
    }
    let (s, mut bar) = (spring(), spring().zero_tangent());
    let pullback = sent(shared::rrule(&s, &[0.5], 1.1).1);
    let r_bar = std::thread::scope(|scope| {
        let thread = scope.spawn(|| pullback(1.0, CoDual(&s, &mut bar), &[0.5]));
        thread.join().expect("the pullback returns")
    });
    let (expected, r) = shared::gradient(&s, &[0.5], 1.1);
    assert_eq!((expected.downcast_ref(), r), (Some(&bar), r_bar));
}

/// A trait of another crate, one of its types and one from here.
mod across {
    use callee::{Gain, GainTangent, Layer, network};

    use super::*;

    #[derive(Differentiable)]
    struct Sigmoid {
        slope: f64,
    }

    #[differentiable]
    impl Layer for Sigmoid {
        fn apply(&self, x: f64) -> f64 {
            1.0 / (1.0 + (-self.slope * x).exp())
        }
    }

    #[differentiable]
    fn loss(layers: &[Box<dyn Layer>], #[constant] x: f64) -> f64 {
        let y = network(layers, x);
        y * layers[0].apply(x)
    }

    #[test]
    fn objects_of_another_crate() {
        let layers: Vec<Box<dyn Layer>> =
            vec![Box::new(Gain(0.7)), Box::new(Sigmoid { slope: 1.3 })];
        let x = 0.9;
        let (value, gradient) = loss::value_and_gradient(&layers, x);
        let y = 1.0 / (1.0 + (-1.3_f64 * 0.7 * x).exp());
        let dy = y * (1.0 - y);
        let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-14, "{a} is not {b}");
        close(value, y * 0.7 * x);
        let gain: &GainTangent = gradient[0].downcast_ref().expect("a gain");
        close(gain.0, dy * 1.3 * x * 0.7 * x + y * x);
        let sigmoid: &SigmoidTangent = gradient[1].downcast_ref().expect("a sigmoid");
        close(sigmoid.slope, dy * 0.7 * x * 0.7 * x);
    }
}

/// An argument that an operator makes, and that becomes an object where it is handed over.
mod made_by_an_operator {
    use chainrule::prelude::*;

    use crate::check::check;

    #[differentiable(dyn)]
    trait Slope {
        fn slope(&self, x: f64) -> f64;
    }

    #[derive(Clone, Debug, Differentiable)]
    struct Line {
        a: f64,
    }

    #[differentiable(dyn)]
    impl Slope for Line {
        fn slope(&self, x: f64) -> f64 {
            self.a * x
        }
    }

    #[differentiable]
    impl std::ops::Add for Line {
        type Output = Line;

        fn add(self, other: Line) -> Line {
            Line {
                a: self.a + other.a,
            }
        }
    }

    #[differentiable]
    fn squared(slope: &dyn Slope, x: f64) -> f64 {
        slope.slope(x) * slope.slope(x)
    }

    #[differentiable]
    fn of_sum(x: f64) -> f64 {
        squared(&(Line { a: x } + Line { a: 2.0 }), x)
    }

    #[test]
    fn objects() {
        check!(of_sum(1.5)).assert_gradient(&[2.0 * 5.25 * 5.0]);
    }
}
