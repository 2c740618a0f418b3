//! Types as published crates write them: fields that borrow lists, generic structs without their arguments, constants that can't be cloned, messages
//! that live as long as the program.

use chainrule::prelude::*;

use crate::check::{check, check_map};

/// Data that several calls read.
#[derive(Clone, Debug, Differentiable)]
struct Context<'a> {
    eps: f64,
    #[constant]
    n: usize,
    list: &'a [f64],
}

/// The fields of a reference, by value: the list stays where it is.
#[differentiable]
fn taken_apart(context: &Context<'_>, mut x: f64) -> f64 {
    let &Context { eps, n, list } = context;
    for k in 0..n {
        x = x * eps + list[k] * list[k];
    }
    x
}

#[differentiable]
fn bound(context: &Context<'_>, x: f64) -> f64 {
    let list = context.list;
    let Context { eps, .. } = *context;
    x * list[0] * list[1] + eps * list[1]
}

#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Scaled<K> {
    #[constant]
    key: K,
    scale: f64,
    half: f64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Reason {
    Negative,
}

impl<K> Scaled<K> {
    #[differentiable]
    fn new(#[constant] key: K, scale: f64) -> Result<Self, Reason> {
        if scale.is_nan() {
            return Err(Reason::Negative);
        }
        let half = scale * scale * 0.5;
        match scale > 0.0 {
            true => Ok(Scaled { key, scale, half }),
            false => Err(Reason::Negative),
        }
    }
}

#[differentiable]
fn of_generic_struct(scale: f64, x: f64) -> f64 {
    match Scaled::new("key", scale * x) {
        Ok(made) if made.key == "key" => made.half * x + made.scale,
        _ => x * scale,
    }
}

/// A type parameter that no argument has, which may be shorter-lived than the program.
#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Table<L> {
    values: Vec<f64>,
    #[constant]
    of: std::marker::PhantomData<L>,
}

impl<L> Table<L> {
    #[differentiable]
    fn powers(x: f64, n: usize) -> Self {
        let mut power = x;
        let mut values = Vec::new();
        for _ in 0..n {
            values.push(power);
            power *= x;
        }
        Table {
            values,
            of: std::marker::PhantomData,
        }
    }

    /// Not differentiated. A block of a closure in parentheses ends it.
    fn lengths(lists: &[Vec<L>]) -> Vec<usize> {
        lists
            .iter()
            .map(|list| {
                let length = list.len();
                length + 1
            })
            .collect()
    }

    #[differentiable]
    fn scaled(x: f64, y: f64) -> f64 {
        x * y * y
    }
}

#[differentiable]
fn of_a_table<L>(x: f64, y: f64) -> f64 {
    let table = Table::<L>::powers(x, 3);
    table.values[0] + table.values[2] * y
}

/// Tuple structs of the function's own, with names that variables have elsewhere.
#[differentiable]
#[allow(non_camel_case_types)]
fn of_terms(x: f64) -> f64 {
    #[allow(non_camel_case_types)]
    struct term(i32, f64);
    let mut sum = 0.0;
    for part in [term(1, 0.5), term(3, -0.25)].iter() {
        sum += part.1 * x.powi(part.0);
    }
    let only = term(2, 0.125);
    sum + only.1 * x.powi(only.0)
}

/// It can't be cloned.
#[derive(Debug)]
enum Tail {
    Left,
    Right,
}

#[differentiable]
fn of_a_choice(x: f64, y: f64, #[constant] tail: Tail) -> (f64, f64) {
    match tail {
        Tail::Left => (x * y, x.sin()),
        Tail::Right => (x + y, y.sin()),
    }
}

#[derive(Clone, Debug, PartialEq, Differentiable)]
enum Outcome {
    Number(f64),
    Failed { message: &'static str },
}

#[differentiable]
fn failed(message: &'static str) -> Outcome {
    Outcome::Failed { message }
}

#[differentiable]
fn of_messages(x: f64) -> f64 {
    let outcome = if x > 0.0 {
        Outcome::Number(x * x)
    } else {
        failed("not positive")
    };
    match outcome {
        Outcome::Number(y) => y * x,
        Outcome::Failed { message } => x * message.len() as f64,
    }
}

#[test]
fn lists_that_fields_borrow() {
    let list = [0.7, -1.2, 0.4];
    let context = Context {
        eps: 0.3,
        n: 2,
        list: &list,
    };
    let ([l0, l1, _], eps, x) = (list, context.eps, 1.1);
    let dot = ContextTangent {
        eps: 0.4,
        n: chainrule::NoTangent,
        list: vec![-0.8, 0.5, 0.9],
    };
    let (l0_dot, l1_dot, eps_dot, x_dot) = (dot.list[0], dot.list[1], dot.eps, -0.7);

    let (value, (bar, x_bar)) = bound::value_and_gradient(&context, x);
    assert_eq!(value, x * l0 * l1 + eps * l1);
    close([bar.eps, x_bar], [l1, l0 * l1]);
    close(bar.list, [x * l1, x * l0 + eps, 0.0]);
    let (_, value_dot) = bound::jvp(&context, x, &dot, x_dot);
    let products = x_dot * l0 * l1 + x * l0_dot * l1 + x * l0 * l1_dot;
    close([value_dot], [products + eps_dot * l1 + eps * l1_dot]);
    let (product, x_product) = bound::hvp(&context, x, &dot, x_dot);
    close(
        [product.eps, x_product],
        [l1_dot, l0_dot * l1 + l0 * l1_dot],
    );
    let of_list = [
        x_dot * l1 + x * l1_dot,
        x_dot * l0 + x * l0_dot + eps_dot,
        0.0,
    ];
    close(product.list, of_list);

    let (value, (bar, x_bar)) = taken_apart::value_and_gradient(&context, x);
    assert_eq!(value, (x * eps + l0 * l0) * eps + l1 * l1);
    close([bar.eps, x_bar], [2.0 * x * eps + l0 * l0, eps * eps]);
    close(bar.list, [2.0 * l0 * eps, 2.0 * l1, 0.0]);
    let (_, value_dot) = taken_apart::jvp(&context, x, &dot, x_dot);
    let of_list = 2.0 * l0 * l0_dot * eps + 2.0 * l1 * l1_dot;
    let of_eps = (2.0 * x * eps + l0 * l0) * eps_dot;
    close([value_dot], [x_dot * eps * eps + of_list + of_eps]);
    let (product, x_product) = taken_apart::hvp(&context, x, &dot, x_dot);
    let of_eps = 2.0 * (x_dot * eps + x * eps_dot + l0 * l0_dot);
    close([product.eps, x_product], [of_eps, 2.0 * eps * eps_dot]);
    let of_list = [2.0 * (l0_dot * eps + l0 * eps_dot), 2.0 * l1_dot, 0.0];
    close(product.list, of_list);
}

/// Numbers that are the same but for rounding.
fn close(found: impl AsRef<[f64]>, expected: impl AsRef<[f64]>) {
    let (found, expected) = (found.as_ref(), expected.as_ref());
    assert_eq!(found.len(), expected.len());
    for (a, b) in found.iter().zip(expected) {
        assert!((a - b).abs() <= 1e-14 * (1.0 + b.abs()), "{a} is not {b}");
    }
}

#[test]
fn generic_structs_without_arguments() {
    check!(of_generic_struct(0.8, 1.3));
    check!(of_generic_struct(-0.8, 1.3));
}

#[test]
fn type_parameters_of_no_argument() {
    let (x, y) = (0.8, 1.7);
    let (value, (x_bar, y_bar)) = of_a_table::value_and_gradient::<&str>(x, y);
    close([value], [x + x * x * x * y]);
    close([x_bar, y_bar], [1.0 + 3.0 * x * x * y, x * x * x]);
    let (x_product, y_product) = of_a_table::hvp::<&str>(x, y, 1.0, -0.5);
    close(
        [x_product, y_product],
        [6.0 * x * y - 0.5 * 3.0 * x * x, 3.0 * x * x],
    );
    let (table, tangent) = Table::<&str>::powers_jvp(x, 3, 2.0);
    close(table.values, [x, x * x, x * x * x]);
    close(tangent.values, [2.0, 4.0 * x, 6.0 * x * x]);
}

#[test]
fn structs_of_the_function() {
    check!(of_terms(1.3));
}

#[test]
fn methods_behind_closures_with_blocks() {
    assert_eq!(Table::<u8>::lengths(&[vec![1, 2], vec![]]), [3, 1]);
    let (value, gradient) = Table::<u8>::scaled_value_and_gradient(0.8, 1.7);
    assert_eq!(value, 0.8 * 1.7 * 1.7);
    close([gradient.0, gradient.1], [1.7 * 1.7, 2.0 * 0.8 * 1.7]);
}

#[test]
fn constants_that_are_not_cloned() {
    let (x, y) = (0.4_f64, 1.7_f64);
    let (value, tangent) = of_a_choice::jvp(x, y, Tail::Left, 1.0, 0.0);
    assert_eq!(value, (x * y, x.sin()));
    assert_eq!(tangent, (y, x.cos()));
    let (value, (x_bar, y_bar)) = of_a_choice::vjp(x, y, Tail::Right, (2.0, 3.0));
    assert_eq!(value, (x + y, y.sin()));
    assert_eq!((x_bar, y_bar), (2.0, 2.0 + 3.0 * y.cos()));
}

#[test]
fn messages_of_the_program() {
    check!(of_messages(1.3));
    check!(of_messages(-1.3));
    check_map!(outcome_of(0.6));
}

/// The arms of a result that holds numbers or none.
#[differentiable]
fn outcome_of(x: f64) -> (f64, f64) {
    match failed("none") {
        Outcome::Number(y) => (y, x),
        Outcome::Failed { message } => (x * message.len() as f64, x * x),
    }
}
