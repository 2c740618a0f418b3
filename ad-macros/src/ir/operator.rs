//! Operators that users implement for their types.

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;

use super::{BinaryOp, UnaryOp};

/// An operator that a trait of `core::ops` represents.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum OperatorKind {
    Binary(BinaryOp),
    /// `a op= b`
    Assign(BinaryOp),
    Unary(UnaryOp),
}

const TRAITS: [(&str, &str, BinaryOp); 8] = [
    ("Add", "add", BinaryOp::Add),
    ("Sub", "sub", BinaryOp::Sub),
    ("Mul", "mul", BinaryOp::Mul),
    ("Div", "div", BinaryOp::Div),
    ("Rem", "rem", BinaryOp::Rem),
    ("BitAnd", "bitand", BinaryOp::BitAnd),
    ("BitOr", "bitor", BinaryOp::BitOr),
    ("BitXor", "bitxor", BinaryOp::BitXor),
];

impl OperatorKind {
    /// The operator of a trait, by the trait's name.
    pub(crate) fn of_trait(name: &str) -> Option<Self> {
        match name {
            "Neg" => return Some(OperatorKind::Unary(UnaryOp::Neg)),
            "Not" => return Some(OperatorKind::Unary(UnaryOp::Not)),
            _ => {}
        }
        let base = name.strip_suffix("Assign").unwrap_or(name);
        let (.., op) = TRAITS.iter().find(|(of, ..)| *of == base)?;
        Some(if name.ends_with("Assign") {
            OperatorKind::Assign(*op)
        } else {
            OperatorKind::Binary(*op)
        })
    }

    /// How many operands it has.
    pub(crate) fn operands(self) -> usize {
        match self {
            OperatorKind::Unary(_) => 1,
            _ => 2,
        }
    }

    /// The trait's method, by its path.
    pub(crate) fn method(self) -> TokenStream {
        let named = |of: BinaryOp, trait_suffix: &str, suffix: &str| {
            let known = TRAITS.iter().find(|(.., op)| *op == of);
            let (of, method) = known.map_or(("Add", "add"), |(of, method, _)| (*of, *method));
            (format!("{of}{trait_suffix}"), format!("{method}{suffix}"))
        };
        let (of, method) = match self {
            OperatorKind::Unary(UnaryOp::Neg) => ("Neg".to_owned(), "neg".to_owned()),
            OperatorKind::Unary(UnaryOp::Not) => ("Not".to_owned(), "not".to_owned()),
            OperatorKind::Binary(op) => named(op, "", ""),
            OperatorKind::Assign(op) => named(op, "Assign", "_assign"),
        };
        let [of, method] = [of, method].map(|name| Ident::new(&name, Span::call_site()));
        quote!(::core::ops::#of::#method)
    }
}
