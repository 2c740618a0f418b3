//! Operators by the names of their methods, and methods that have no row in the table of std's methods.

use super::infer::inactive;
use super::ty::Type;
use crate::enclosing::lists;
use crate::ir::BinaryOp;

/// True if std's floats have a method of that name without a known derivative.
pub(crate) fn is_underived(name: &str) -> bool {
    const UNDERIVED: &str = "gamma ln_gamma erf erfc midpoint next_up next_down to_ne_bytes to_le_bytes \
        to_be_bytes to_int_unchecked to_string to_owned";
    lists(UNDERIVED, name)
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

/// Methods that no type of std has, and a library's arrays do.
pub(crate) fn of_arrays(name: &str) -> bool {
    matches!(name, "mapv" | "mapv_into" | "mapv_inplace" | "map_inplace")
}

/// The result of a method of `Ordering` and of `Option<Ordering>`, which is all that is known of comparisons' results.
pub(crate) fn of_ordering(name: &str) -> Option<Type> {
    match name {
        "is_eq" | "is_ne" | "is_lt" | "is_gt" | "is_le" | "is_ge" => Some(Type::Bool),
        "unwrap" | "expect" | "unwrap_or" | "reverse" | "then" | "then_with" => Some(inactive()),
        _ => None,
    }
}
