//! `#[differentiable]` on an `impl` of an operator: `impl Add for V3`, `impl Mul<&V3> for f64`, `impl AddAssign for V3`,
//! `impl Neg for &V3`.
//!
//! The rules become an implementation of the runtime's `BinaryRules` or `UnaryRules`, by which differentiated code finds them
//! where it doesn't know its operands' types. These take operands by value; of those that the user's `impl` takes by
//! reference, the pullback keeps the copy that it has been given.

mod rules;
mod syntax;

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;

use crate::attributes::{cfgs, is_constant};
use crate::diagnostics::{Whole, error};
use crate::emit::{operator_marker, unary_marker};
use crate::enclosing;
use crate::ir::{BinaryOp, Func, Operator, OperatorKind as Kind, PassedBy};
use crate::options::Options;
use crate::syntax::{methods, typed_params};
use crate::types::written::ungrouped;

/// An operand, as rules have it.
#[derive(Clone)]
struct Operand {
    /// Its variable in the rules.
    name: Ident,
    /// Its type without a reference.
    ty: syn::Type,
    by: PassedBy,
    constant: bool,
}

/// An operator that is being expanded.
#[derive(Clone)]
pub(crate) struct Overload<'a> {
    pub(crate) block: &'a syn::ItemImpl,
    kind: Kind,
    /// The method as a function without a receiver.
    pub(crate) sig: syn::Signature,
    pub(crate) body: syn::Block,
    operands: Vec<Operand>,
    output: syn::Type,
}

/// The attribute that calls the receiver constant.
fn constant_receiver(sig: &syn::Signature) -> Option<&syn::Attribute> {
    let mut attrs = sig.receiver()?.attrs.iter();
    attrs.find(|attr| is_constant(attr))
}

impl<'a> Overload<'a> {
    /// `None` if the `impl` isn't that of an operator.
    pub(crate) fn new(block: &'a syn::ItemImpl) -> Option<syn::Result<Self>> {
        let last = block.trait_.as_ref()?.0.segments.last()?;
        let kind = Kind::of_trait(&last.ident.to_string())?;
        Some(Self::read(block, kind, last))
    }

    fn read(block: &'a syn::ItemImpl, kind: Kind, of: &syn::PathSegment) -> syn::Result<Self> {
        let Some(method) = methods(block).next() else {
            return Err(error(
                Whole(of),
                "an operator without its method",
                "implement the method of the trait",
            ));
        };
        if matches!(kind, Kind::Unary(_))
            && let Some(attr) = constant_receiver(&method.sig)
        {
            return Err(error(
                Whole(attr),
                "an operator whose only operand is `#[constant]` has no derivative",
                "leave `#[constant]` out, and write `stop_gradient(..)` around operands that shall count as constants",
            ));
        }
        let sig = syntax::without_receiver(&method.sig, block);
        let body = syntax::without_self(&method.block);
        let mut operands = Vec::new();
        for (param, name) in typed_params(&sig).zip(["a", "b"]) {
            let (by, ty) = match ungrouped(&param.ty) {
                syn::Type::Reference(ty) if ty.mutability.is_some() => (PassedBy::Mut, &*ty.elem),
                syn::Type::Reference(ty) => (PassedBy::Ref, &*ty.elem),
                ty => (PassedBy::Value, ty),
            };
            operands.push(Operand {
                name: Ident::new(name, Span::mixed_site()),
                ty: ty.clone(),
                by,
                constant: false,
            });
        }
        let wanted = kind.operands();
        if operands.len() != wanted {
            return Err(error(
                Whole(&method.sig),
                format!("the method of an operator takes {wanted} operands"),
                "see the trait's documentation in `core::ops`",
            ));
        }
        let output = match (kind, &sig.output) {
            (Kind::Assign(_), _) | (_, syn::ReturnType::Default) => operands[0].ty.clone(),
            (_, syn::ReturnType::Type(_, ty)) => (**ty).clone(),
        };
        Ok(Overload {
            block,
            kind,
            sig,
            body,
            operands,
            output,
        })
    }

    /// The lifetimes of the `impl` that the operands' types have without their outer references.
    fn lifetimes(&self) -> Vec<syn::Lifetime> {
        let types = self.operands.iter().map(|o| &o.ty).chain([&self.output]);
        syntax::lifetimes(types)
    }

    fn by_ref(&self, k: usize) -> bool {
        self.operands[k].by == PassedBy::Ref
    }

    /// The operator `op` with these two operands.
    fn operator(&self, op: BinaryOp) -> Operator {
        Operator {
            op,
            refs: [self.by_ref(0), self.by_ref(1)],
            assign: matches!(self.kind, Kind::Assign(_)),
        }
    }

    /// The `impl` of the runtime's trait, from the operator's IR.
    pub(crate) fn emit(mut self, options: &Options, func: &Func, rt: &TokenStream) -> TokenStream {
        for (operand, param) in self.operands.iter_mut().zip(&func.params) {
            operand.constant = param.constant;
        }
        let left = &self.operands[0].ty;
        let kinds = self.operands.iter().map(|operand| {
            if operand.constant {
                quote!(#rt::Fixed)
            } else {
                quote!(#rt::Varies)
            }
        });
        let operands = match self.kind {
            Kind::Unary(_) => None,
            _ => Some(quote!(type Operands = (#(#kinds),*);)),
        };
        let implemented = match self.kind {
            Kind::Unary(op) => {
                let marker = unary_marker(op, self.by_ref(0), rt);
                quote!(#rt::UnaryRules<#marker>)
            }
            Kind::Binary(op) | Kind::Assign(op) => {
                let marker = operator_marker(self.operator(op), rt);
                let right = &self.operands[1].ty;
                quote!(#rt::BinaryRules<#marker, #right>)
            }
        };
        let rules = [
            self.primal(),
            self.frule(options, func, rt),
            self.rrule(options, func, rt, false),
            self.rrule(options, func, rt, true),
        ];
        let text = methods(self.block).next().map(|method| {
            let text = enclosing::fingerprint(&method.sig, &method.block);
            quote!(const TEXT: ::core::primitive::u64 = #text;)
        });
        let (output, mut generics) = (&self.output, self.block.generics.clone());
        let lifetimes = self.lifetimes();
        generics.params = generics
            .params
            .into_iter()
            .filter(|p| !matches!(p, syn::GenericParam::Lifetime(p) if !lifetimes.contains(&p.lifetime)))
            .collect();
        let (generics, _, clause) = generics.split_for_impl();
        let cfgs = cfgs(&self.block.attrs);
        quote! {
            #(#cfgs)*
            #[allow(refining_impl_trait)]
            impl #generics #implemented for #left #clause {
                #text
                type Output = #output;
                #operands
                #(#rules)*
            }
        }
    }
}
