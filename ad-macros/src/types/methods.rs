//! Methods of std's scalars: one table for inference and lowering.

use super::infer::inactive;
use super::ty::Type;
use crate::ir::BinaryOp;

/// The type of an argument or result of a float's method.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// The receiver's type.
    Own,
    I32,
    Bool,
    /// Another type without a tangent, by name; empty where it isn't a scalar.
    Other(&'static str),
    /// A pair of the receiver's type.
    Pair,
}

/// A method of `f32` and `f64`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Method {
    pub(crate) name: &'static str,
    /// Without the receiver.
    pub(crate) args: &'static [Kind],
    pub(crate) result: Kind,
}

const fn method(name: &'static str, args: &'static [Kind], result: Kind) -> Method {
    Method { name, args, result }
}

const fn unary(name: &'static str) -> Method {
    method(name, &[], Kind::Own)
}

const fn binary(name: &'static str) -> Method {
    method(name, &[Kind::Own], Kind::Own)
}

const fn test(name: &'static str) -> Method {
    method(name, &[], Kind::Bool)
}

/// The methods that become operations. One that returns a float is a `Math` operation, zero derivatives included.
pub(crate) const FLOAT: &[Method] = &[
    method("powi", &[Kind::I32], Kind::Own),
    binary("powf"),
    unary("sqrt"),
    unary("cbrt"),
    unary("exp"),
    unary("exp2"),
    unary("exp_m1"),
    unary("ln"),
    unary("ln_1p"),
    binary("log"),
    unary("log2"),
    unary("log10"),
    unary("sin"),
    unary("cos"),
    unary("tan"),
    unary("asin"),
    unary("acos"),
    unary("atan"),
    binary("atan2"),
    unary("sinh"),
    unary("cosh"),
    unary("tanh"),
    unary("asinh"),
    unary("acosh"),
    unary("atanh"),
    method("sin_cos", &[], Kind::Pair),
    binary("hypot"),
    method("mul_add", &[Kind::Own, Kind::Own], Kind::Own),
    unary("abs"),
    unary("signum"),
    binary("copysign"),
    unary("recip"),
    binary("max"),
    binary("min"),
    method("clamp", &[Kind::Own, Kind::Own], Kind::Own),
    binary("rem_euclid"),
    unary("fract"),
    unary("to_degrees"),
    unary("to_radians"),
    unary("floor"),
    unary("ceil"),
    unary("round"),
    unary("round_ties_even"),
    unary("trunc"),
    binary("div_euclid"),
    // `Real`'s; a cast.
    method("to_f64", &[], Kind::Other("f64")),
    // Tests and bits: not floats, so that no derivative goes through them.
    test("is_nan"),
    test("is_finite"),
    test("is_infinite"),
    test("is_normal"),
    test("is_subnormal"),
    test("is_sign_positive"),
    test("is_sign_negative"),
    method("to_bits", &[], Kind::Other("")),
    method("total_cmp", &[Kind::Own], Kind::Other("")),
    method("partial_cmp", &[Kind::Own], Kind::Other("")),
    method("classify", &[], Kind::Other("")),
];

/// The method of floats called `name` with so many arguments.
pub(crate) fn float(name: &str, args: usize) -> Option<&'static Method> {
    FLOAT
        .iter()
        .find(|method| method.name == name && method.args.len() == args)
}

/// True if std's floats have a method of that name without a known derivative.
pub(crate) fn is_underived(name: &str) -> bool {
    matches!(
        name,
        "gamma"
            | "ln_gamma"
            | "erf"
            | "erfc"
            | "midpoint"
            | "next_up"
            | "next_down"
            | "to_ne_bytes"
            | "to_le_bytes"
            | "to_be_bytes"
            | "to_int_unchecked"
            | "to_string"
            | "to_owned"
    )
}

/// Returns `true` if floats have a method of that name, whatever its arguments.
pub(crate) fn is_float_method(name: &str) -> bool {
    FLOAT.iter().any(|method| method.name == name)
}

/// An operator, by the name of its method.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Operator {
    Neg,
    Binary(BinaryOp),
    Assign(BinaryOp),
}

impl Operator {
    pub(crate) fn assigns(self) -> bool {
        matches!(self, Operator::Assign(_))
    }
}

/// The operator whose method has this name, and so many arguments.
pub(crate) fn operator(name: &str, args: usize) -> Option<Operator> {
    if (name, args) == ("neg", 0) {
        return Some(Operator::Neg);
    }
    let op = match name.strip_suffix("_assign").unwrap_or(name) {
        "add" => BinaryOp::Add,
        "sub" => BinaryOp::Sub,
        "mul" => BinaryOp::Mul,
        "div" => BinaryOp::Div,
        "rem" => BinaryOp::Rem,
        _ => return None,
    };
    let operator = if name.ends_with("_assign") {
        Operator::Assign(op)
    } else {
        Operator::Binary(op)
    };
    (args == 1).then_some(operator)
}

/// The method that a path names, where the segment before it is the trait with the operator's name: `Mul::mul`, `std::ops::Mul::mul`.
pub(crate) fn of_operator_trait(path: &syn::ExprPath) -> Option<String> {
    let mut names = path.path.segments.iter().rev();
    let (last, parent) = (names.next()?, names.next()?);
    let (name, owner) = (last.ident.to_string(), parent.ident.to_string());
    let same = owner.to_lowercase() == name.replace('_', "");
    (path.qself.is_none() && same && owner.starts_with(char::is_uppercase)).then_some(name)
}

/// Returns `true` if an `Option` or a `Result` may have a method, by its name.
pub(crate) fn of_options(name: &str) -> bool {
    matches!(
        name,
        "unwrap"
            | "expect"
            | "unwrap_or"
            | "unwrap_or_default"
            | "is_some"
            | "is_none"
            | "is_ok"
            | "is_err"
            | "ok"
            | "err"
            | "ok_or"
            | "or"
            | "xor"
            | "and"
            | "zip"
            | "take"
            | "replace"
            | "copied"
            | "cloned"
            | "flatten"
            | "transpose"
            | "as_ref"
            | "as_mut"
            | "as_deref"
            | "as_deref_mut"
            | "clone"
    )
}

/// Methods that no type of std has, and a library's arrays do.
pub(crate) fn of_arrays(name: &str) -> bool {
    matches!(name, "mapv" | "mapv_into" | "mapv_inplace" | "map_inplace")
}

/// Methods of integers that return the receiver's type.
pub(crate) fn int_gives_own(name: &str) -> bool {
    matches!(
        name,
        "abs"
            | "pow"
            | "min"
            | "max"
            | "clamp"
            | "signum"
            | "isqrt"
            | "rem_euclid"
            | "div_euclid"
            | "div_ceil"
            | "next_power_of_two"
            | "next_multiple_of"
            | "wrapping_add"
            | "wrapping_sub"
            | "wrapping_mul"
            | "wrapping_neg"
            | "saturating_add"
            | "saturating_sub"
            | "saturating_mul"
            | "rotate_left"
            | "rotate_right"
            | "swap_bytes"
            | "reverse_bits"
    )
}

/// Methods of integers that return a `u32`.
pub(crate) fn int_gives_u32(name: &str) -> bool {
    matches!(
        name,
        "count_ones"
            | "count_zeros"
            | "leading_zeros"
            | "trailing_zeros"
            | "leading_ones"
            | "trailing_ones"
            | "ilog"
            | "ilog2"
            | "ilog10"
    )
}

/// Methods of `Option` that write to it.
pub(crate) fn writes_option(name: &str) -> bool {
    matches!(
        name,
        "as_mut"
            | "as_deref_mut"
            | "get_or_insert"
            | "get_or_insert_default"
            | "get_or_insert_with"
            | "insert"
            | "iter_mut"
            | "replace"
            | "take"
            | "take_if"
    )
}

/// Methods of std's containers that don't write to their receiver.
pub(crate) fn reads_only(name: &str) -> bool {
    matches!(
        name,
        "len"
            | "is_empty"
            | "capacity"
            | "iter"
            | "get"
            | "first"
            | "last"
            | "front"
            | "back"
            | "contains"
            | "clone"
            | "to_vec"
            | "to_owned"
            | "to_string"
            | "as_slice"
            | "as_ref"
            | "chunks"
            | "chunks_exact"
            | "windows"
            | "partition_point"
            | "binary_search"
            | "binary_search_by"
            | "binary_search_by_key"
            | "starts_with"
            | "ends_with"
            | "is_sorted"
    )
}

/// Methods whose result is a value of its own, whatever they are called on.
pub(crate) fn gives_own_value(name: &str) -> bool {
    matches!(
        name,
        "clone"
            | "to_owned"
            | "to_vec"
            | "to_string"
            | "len"
            | "is_empty"
            | "iter"
            | "pop"
            | "pop_back"
            | "pop_front"
            | "remove"
            | "swap_remove"
            | "copied"
            | "cloned"
    )
}

/// Methods that return an element of a list, if it is present.
pub(crate) fn is_end(name: &str, args: usize) -> bool {
    matches!(
        (name, args),
        (
            "first"
                | "last"
                | "first_mut"
                | "last_mut"
                | "front"
                | "back"
                | "front_mut"
                | "back_mut",
            0
        ) | ("get" | "get_mut", 1)
    )
}

/// Methods of slices and `Vec`s that no other type has under these names.
pub(crate) fn only_of_slices(name: &str) -> bool {
    matches!(
        name,
        "as_slice"
            | "as_mut_slice"
            | "split_at"
            | "split_at_mut"
            | "split_first"
            | "split_first_mut"
            | "split_last"
            | "split_last_mut"
    ) || searches(name)
}

/// Methods that look for a position in a list that is in order.
pub(crate) fn searches(name: &str) -> bool {
    matches!(
        name,
        "partition_point" | "binary_search_by" | "binary_search_by_key"
    )
}

/// The result of a method of `Ordering` and of `Option<Ordering>`, which is all that is known of comparisons' results.
pub(crate) fn of_ordering(name: &str) -> Option<Type> {
    match name {
        "is_eq" | "is_ne" | "is_lt" | "is_gt" | "is_le" | "is_ge" => Some(Type::Bool),
        "unwrap" | "expect" | "unwrap_or" | "reverse" | "then" | "then_with" => Some(inactive()),
        _ => None,
    }
}
