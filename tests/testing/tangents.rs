//! Derived tangent types: their laws, for every kind of type, and what they look like.

use std::collections::VecDeque;
use std::fmt::Debug;
use std::marker::PhantomData;

use chainrule::testing::check_tangents;
use chainrule::{Differentiable, NoTangent, Tangent};
use proptest::collection::vec;
use proptest::prelude::*;

#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Params {
    weights: Vec<f64>,
    bias: f64,
    layers: Vec<Layer>,
    #[constant]
    name: String,
}

#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Layer {
    scale: [f32; 2],
    width: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Differentiable)]
struct Tuple(f64, #[constant] u8, f64);

#[derive(Clone, Copy, Debug, PartialEq, Differentiable)]
struct Unit;

#[derive(Clone, Copy, Debug, PartialEq, Differentiable)]
struct Empty();

#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Pair<A, B = f64>(A, B);

#[derive(Clone, Debug, PartialEq, Differentiable)]
struct View<'a> {
    data: &'a [f64],
    offset: f64,
}

#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Tagged<T, K, const N: usize>
where
    K: Clone,
{
    values: [T; N],
    #[constant]
    key: K,
    marker: PhantomData<K>,
    r#type: f64,
    // Named like what the derive writes.
    this_0: f64,
    factor: f64,
    components: f64,
}

#[derive(Clone, Debug, PartialEq, Differentiable)]
enum Expr {
    Leaf,
    Number(f64),
    Named(#[constant] &'static str, f64),
    Sum(Box<Expr>, Box<Expr>),
    Scaled { by: f64, inner: Box<Self> },
    Many(Vec<Expr>),
}

#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Node {
    value: f64,
    next: Option<Box<Node>>,
}

#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Tree<T> {
    value: T,
    children: Vec<Tree<T>>,
}

#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Items<I: Iterator> {
    first: Option<I::Item>,
    rest: VecDeque<<I as Iterator>::Item>,
}

/// An iterator, for its items.
#[derive(Clone, Debug, PartialEq)]
struct Forever;

impl Iterator for Forever {
    type Item = f64;

    fn next(&mut self) -> Option<f64> {
        Some(1.0)
    }
}

/// Its own tangent.
#[derive(Clone, Copy, Debug, PartialEq, Differentiable)]
#[tangent(Self)]
struct V3 {
    x: f64,
    y: f64,
    z: f64,
}

#[derive(Clone, Debug, PartialEq, Differentiable)]
#[tangent(Self)]
struct Quantity<T, U> {
    value: T,
    more: Vec<T>,
    unit: PhantomData<U>,
}

#[derive(Clone, Copy, Debug, PartialEq, Differentiable)]
#[tangent(Self)]
enum Shape {
    Point,
    Circle(f64),
    Box { corner: V3, size: [f32; 3] },
}

#[derive(Clone, Debug, PartialEq, Differentiable)]
#[tangent(name = Change, no_add_scaled)]
struct Account(f64);

impl Account {
    /// What the type has already.
    fn add_scaled(&self, rate: f64) -> f64 {
        self.0 * (1.0 + rate)
    }
}

/// Numbers whose sums are exact.
fn small() -> impl Strategy<Value = f64> {
    (-512_i32..=512).prop_map(|n| f64::from(n) / 16.0)
}

#[allow(
    clippy::cast_possible_truncation,
    reason = "these numbers are exact in both types"
)]
fn single() -> impl Strategy<Value = f32> {
    small().prop_map(|x| x as f32)
}

fn v3() -> impl Strategy<Value = V3> {
    [small(), small(), small()].prop_map(|[x, y, z]| V3 { x, y, z })
}

fn layer() -> impl Strategy<Value = Layer> {
    ([single(), single()], any::<usize>()).prop_map(|(scale, width)| Layer { scale, width })
}

fn expr() -> impl Strategy<Value = Expr> {
    let leaf = prop_oneof![
        Just(Expr::Leaf),
        small().prop_map(Expr::Number),
        small().prop_map(|x| Expr::Named("x", x)),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|(a, b)| Expr::Sum(Box::new(a), Box::new(b))),
            (small(), inner.clone()).prop_map(|(by, inner)| Expr::Scaled {
                by,
                inner: Box::new(inner)
            }),
            vec(inner, 0..3).prop_map(Expr::Many),
        ]
    })
}

/// Moving by a tangent and back gives the same value; moving changes it where there is something to move.
fn check_steps<T: Differentiable + Clone + PartialEq + Debug>(
    x: &T,
    seed: f64,
    step: impl Fn(&mut T, f64, &T::OwnedTangent),
) {
    let mut t = x.zero_tangent();
    t.fill_with(&mut || seed);
    let mut n = 0;
    t.entries(&mut |_| n += 1);
    let mut moved = x.clone();
    step(&mut moved, 1.0, &t);
    assert_eq!(moved == *x, n == 0 || seed == 0.0);
    step(&mut moved, -1.0, &t);
    assert_eq!(moved, *x);
}

macro_rules! laws {
    ($($name:ident: $strategy:expr;)*) => {
        proptest! {$(
            #[test]
            fn $name(x in $strategy, seed in any::<u64>(), by in small()) {
                check_tangents(&x, seed);
                check_tangents(&x.zero_tangent(), seed);
                check_steps(&x, by, |x, factor, t| x.add_scaled(factor, t));
                check_steps(&x.zero_tangent(), by, |x, factor, t| x.add_scaled(factor, t));
            }
        )*}
    };
}
laws! {
    structs: (vec(small(), 0..4), small(), vec(layer(), 0..3), "[a-z]*")
        .prop_map(|(weights, bias, layers, name)| Params { weights, bias, layers, name });
    tuple_structs: (small(), any::<u8>(), small()).prop_map(|(a, b, c)| Tuple(a, b, c));
    unit_structs: Just(Unit);
    empty_structs: Just(Empty());
    generic_structs: (v3(), vec(prop::option::of(small()), 0..4)).prop_map(|(a, b)| Pair(a, b));
    default_parameters: (v3(), small()).prop_map(|(a, b)| -> Pair<V3> { Pair(a, b) });
    const_generics: ([single(), single()], small()).prop_map(|(values, x)| Tagged {
        values, key: "k", marker: PhantomData, r#type: x, this_0: x, factor: x, components: x,
    });
    enums: expr();
    lists: vec(small(), 0..5).prop_map(|values| {
        let link = |next, value| Node { value, next: Some(Box::new(next)) };
        values.into_iter().fold(Node { value: 1.0, next: None }, link)
    });
    trees: (small(), small(), small()).prop_map(|(a, b, c)| {
        let leaf = |value| Tree { value, children: vec![] };
        Tree { value: a, children: vec![leaf(b), Tree { value: c, children: vec![leaf(a)] }] }
    });
    associated_types: vec(small(), 0..4).prop_map(|all| Items::<Forever> {
        first: all.first().copied(),
        rest: all.into(),
    });
    own_tangents: v3();
    generic_own_tangents: (v3(), vec(v3(), 0..3)).prop_map(|(value, more)| Quantity {
        value, more, unit: PhantomData::<String>,
    });
    enums_that_are_own_tangents: prop_oneof![
        Just(Shape::Point),
        small().prop_map(Shape::Circle),
        (v3(), single()).prop_map(|(corner, side)| Shape::Box { corner, size: [side; 3] }),
    ];
}

proptest! {
    #[test]
    fn named_tangents(x in small().prop_map(Account), seed in any::<u64>(), by in small()) {
        check_tangents(&x, seed);
        check_steps(&x, by, Account::add_scaled_tangent);
        prop_assert_eq!(x.add_scaled(1.0), 2.0 * x.0);
        let Change(zero) = x.zero_tangent();
        prop_assert_eq!(zero, 0.0);
    }

    #[test]
    fn borrowed_fields(data in vec(small(), 0..4), offset in small(), seed in any::<u64>()) {
        let x = View { data: &data, offset };
        check_tangents(&x, seed);
        let zero: Vec<f64> = x.zero_tangent().data;
        prop_assert_eq!(zero, vec![0.0; data.len()]);
    }
}

#[test]
#[should_panic(expected = "a value behind a shared reference can't be moved by a tangent")]
fn borrowed_values_are_not_moved() {
    let mut x = View {
        data: &[1.0],
        offset: 2.0,
    };
    let mut t = x.zero_tangent();
    t.data[0] = 1.0;
    x.add_scaled(1.0, &t);
}

#[test]
fn a_gradient_step() {
    let mut params = Params {
        weights: vec![1.0, 2.0],
        bias: 3.0,
        layers: vec![],
        name: "linear".into(),
    };
    let gradient = ParamsTangent {
        weights: vec![10.0, -10.0],
        bias: 1.0,
        layers: vec![],
        name: NoTangent,
    };
    params.add_scaled(-0.5, &gradient);
    assert_eq!(params.weights, [-4.0, 7.0]);
    assert_eq!((params.bias, &*params.name), (2.5, "linear"));
    let mut momentum = gradient.clone();
    momentum.add_scaled(-1.0, &gradient);
    assert_eq!(momentum, params.zero_tangent());
}

#[test]
fn tangents_print_and_copy_as_their_fields_do() {
    fn copies<T: Copy>(_: T) {}
    copies(TupleTangent(1.0, NoTangent, 2.0));
    copies(UnitTangent);
    copies(PairTangent::<f64, V3>(
        1.0,
        V3 {
            x: 1.0,
            y: 2.0,
            z: 3.0,
        },
    ));
    let x = Tagged {
        values: [1.0, 2.0],
        key: "k",
        marker: PhantomData,
        r#type: 4.0,
        this_0: 0.0,
        factor: 0.0,
        components: 0.0,
    };
    assert_eq!(
        format!("{:?}", x.zero_tangent()),
        "TaggedTangent { values: [0.0, 0.0], key: NoTangent, marker: NoTangent, type: 0.0, this_0: 0.0, factor: 0.0, \
         components: 0.0 }"
    );
    assert_eq!(format!("{:?}", Expr::Leaf.zero_tangent()), "Leaf");
}

#[test]
fn mismatches_say_where_and_what() {
    let x = Expr::Many(vec![Expr::Leaf, Expr::Number(1.0)]);
    let other = Expr::Many(vec![Expr::Leaf, Expr::Leaf]).zero_tangent();
    assert_eq!(
        x.matches_shape(&other).unwrap_err().to_string(),
        "the tangent's `.0[1]` is `Leaf`, the value's `Number`"
    );
}

#[test]
#[should_panic(expected = "expected a tangent that is `Leaf`, found `Number`")]
fn variants_are_checked() {
    Expr::Leaf
        .zero_tangent()
        .accumulate(&Expr::Number(1.0).zero_tangent());
}

#[test]
#[should_panic(expected = "expected a tangent that is `Leaf`, found `Number`")]
fn variants_are_checked_in_steps() {
    let mut x = Expr::Leaf;
    x.add_scaled(1.0, &Expr::Number(1.0).zero_tangent());
}

/// Types in functions, with the function's parameters in bounds.
#[test]
fn types_inside_of_functions() {
    #[derive(Clone, Debug, PartialEq, Differentiable)]
    struct Local<T: Clone>
    where
        Vec<T>: Debug,
    {
        all: Vec<T>,
    }
    check_tangents(
        &Local {
            all: vec![1.0, 2.0],
        },
        0,
    );
}
