//! Operators of `core::ops` on operands whose types only rustc can resolve.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};

use super::Pending;
use super::expr::{compound, operator};
use crate::diagnostics::bug;
use crate::ir::{BinaryOp, Operator, UnaryOp};

/// The type by which the runtime knows an operator.
pub(crate) fn marker(of: Operator, rt: &TokenStream) -> TokenStream {
    let name = match of.op {
        BinaryOp::Add => "AddOp",
        BinaryOp::Sub => "SubOp",
        BinaryOp::Mul => "MulOp",
        BinaryOp::Div => "DivOp",
        BinaryOp::Rem => "RemOp",
        BinaryOp::BitAnd => "BitAndOp",
        BinaryOp::BitOr => "BitOrOp",
        BinaryOp::BitXor => "BitXorOp",
        // Integers alone have rules for these, for which it is all the same.
        BinaryOp::Shl => return quote!(#rt::ShlOp),
        BinaryOp::Shr => return quote!(#rt::ShrOp),
        BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge | BinaryOp::Eq | BinaryOp::Ne => {
            bug!("a comparison with rules")
        }
    };
    let name = format_ident!("{name}");
    let mut marker = quote!(#rt::#name);
    if of.assign {
        marker = quote!(#rt::Assigning<#marker>);
    }
    match of.refs {
        [false, false] => marker,
        [true, false] => quote!(#rt::LeftByRef<#marker>),
        [false, true] => quote!(#rt::RightByRef<#marker>),
        [true, true] => quote!(#rt::LeftByRef<#rt::RightByRef<#marker>>),
    }
}

/// The same for `-` and `!` on one operand.
pub(crate) fn unary_marker(op: UnaryOp, by_ref: bool, rt: &TokenStream) -> TokenStream {
    let marker = match op {
        UnaryOp::Neg => quote!(#rt::NegOp),
        UnaryOp::Not => quote!(#rt::NotOp),
    };
    if by_ref {
        quote!(#rt::LeftByRef<#marker>)
    } else {
        marker
    }
}

/// `-` or `!` itself, on an operand that is there by value.
pub(crate) fn unary(op: UnaryOp, by_ref: bool, a: &TokenStream) -> TokenStream {
    let borrow = by_ref.then(|| quote!(&));
    match op {
        UnaryOp::Neg => quote!(-#borrow #a),
        UnaryOp::Not => quote!(!#borrow #a),
    }
}

/// The operator itself, on variables that hold the operands by value.
pub(crate) fn operation(of: Operator, a: &Ident, b: &Ident) -> TokenStream {
    primal(of, Pending::atom(quote!(#a)), Pending::atom(quote!(#b)))
}

/// The operator itself, on operands that are there by value.
pub(super) fn primal(of: Operator, a: Pending, b: Pending) -> TokenStream {
    let [left, right] = of.refs.map(|by_ref| by_ref.then(|| quote!(&)));
    if of.assign {
        let (target, sign) = (Ident::new("target", Span::mixed_site()), compound(of.op));
        let (a, b) = (a.tokens, b.at_least(13));
        return quote!({ let mut #target = #a; #target #sign #right #b; #target });
    }
    let sign = operator(of.op);
    let (a, b) = (a.at_least(12), b.at_least(13));
    quote!(#left #a #sign #right #b)
}
