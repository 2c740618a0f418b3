//! Reads `impl`s of operators and of indexing for the file's types: types of operands and results, and bodies that may be inlined.
//!
//! In: an `impl` of a trait of operators. Out: an [`Overload`] or [`Indexing`], and checks by which rustc compares it with the operator.

use std::rc::Rc;

use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote};
use syn::visit_mut::VisitMut;

use super::attributes::are_as_written;
use super::methods::MethodBody;
use super::module::Module;
use super::signatures::borrows_from_arguments;
use super::structs::{Used, absolute};
use super::tokens::{fingerprint, words_of};
use crate::emit::{operator_marker, unary_marker};
use crate::ir::{BinaryOp, Operator, OperatorKind};
use crate::syntax::{
    associated_type, methods, type_arguments, type_path, typed_params, without_self,
};
use crate::types::written::ungrouped;

/// An `impl` of an operator.
#[derive(Clone, Debug)]
pub(crate) struct Overload {
    kind: OperatorKind,
    /// As the `impl` takes them, with `&`.
    pub(super) operands: Vec<syn::Type>,
    pub(crate) output: syn::Type,
    pub(crate) body: Option<Rc<MethodBody>>,
    pub(super) used: Used,
}

impl Overload {
    /// The operator that a block implements, if all that it says stands there; with its body, if a module is given.
    pub(super) fn new(block: &syn::ItemImpl, module: Option<&Module>) -> Option<Self> {
        let (of, name) = (&block.self_ty, block.trait_.as_ref()?.0.segments.last()?);
        let kind = OperatorKind::of_trait(&name.ident.to_string())?;
        let (method, output) = (
            only_method(block)?,
            associated_type(block, "Output").cloned(),
        );
        let own = own_name(of)?;
        let mut sig = method.sig.clone();
        if let Some(output) = &output {
            sig.output = syn::parse_quote!(-> #output);
        }
        let block_of = &method.block;
        let said = words_of(&quote!(#sig #block_of));
        // `Self` is a reference then.
        let by_reference = matches!(ungrouped(of), syn::Type::Reference(_));
        if !block.generics.params.is_empty()
            || !are_as_written(&block.attrs)
            || !are_as_written(&method.attrs)
            || said.contains("Output")
            || by_reference && said.contains("Self")
            || borrows_from_arguments(&sig)
        {
            return None;
        }
        let body = |module| MethodBody::new(own, of, &sig, &method.block, module);
        let body = module.and_then(body).map(|body| MethodBody {
            fingerprint: fingerprint(&method.sig, &method.block),
            ..body
        });
        let itself = syn::parse_quote!(#own);
        without_self(&itself).visit_signature_mut(&mut sig);
        let mut operands = vec![(**of).clone()];
        operands.extend(typed_params(&sig).map(|param| (*param.ty).clone()));
        let mut output = output.unwrap_or_else(|| syn::parse_quote!(()));
        without_self(&itself).visit_type_mut(&mut output);
        (operands.len() == kind.operands()).then(|| Overload {
            kind,
            operands,
            output,
            body: body.map(Rc::new),
            used: Used::default(),
        })
    }

    /// True if it is this operator on operands of these types.
    pub(crate) fn is(&self, kind: OperatorKind, operands: &[String]) -> bool {
        let own = self
            .operands
            .iter()
            .map(|ty| ty.to_token_stream().to_string());
        self.kind == kind && own.eq(operands.iter().cloned())
    }

    /// Items that compile if the operator has this result and body.
    pub(super) fn check(&self, rt: &TokenStream) -> TokenStream {
        let (mut operands, mut output) = (self.operands.clone(), self.output.clone());
        operands
            .iter_mut()
            .for_each(|ty| absolute().visit_type_mut(ty));
        absolute().visit_type_mut(&mut output);
        let refs = |k: usize| matches!(operands.get(k), Some(syn::Type::Reference(_)));
        let bare = |k: usize| match &operands[k] {
            syn::Type::Reference(ty) => &ty.elem,
            _ => &operands[k],
        };
        let rules = |of: BinaryOp, assign: bool| {
            let operator = Operator {
                op: of,
                refs: [refs(0), refs(1)],
                assign,
            };
            let (marker, right) = (operator_marker(operator, rt), bare(1));
            quote!(#rt::BinaryRules<#marker, #right>)
        };
        let rules = match self.kind {
            OperatorKind::Binary(op) => rules(op, false),
            OperatorKind::Assign(op) => rules(op, true),
            OperatorKind::Unary(op) => {
                let marker = unary_marker(op, refs(0), rt);
                quote!(#rt::UnaryRules<#marker>)
            }
        };
        let path = self.kind.method();
        let call = match self.kind {
            OperatorKind::Unary(_) => quote!(|a| #path(a)),
            _ => quote!(|a, b| #path(a, b)),
        };
        let mut taken = operands.clone();
        if let (OperatorKind::Assign(_), Some(first)) = (self.kind, taken.first_mut()) {
            *first = syn::parse_quote!(&mut #first);
        }
        let signature = quote!(const _: fn(#(#taken),*) -> #output = #call;);
        let text = self.body.as_ref().map(|body| {
            let (left, fingerprint, imports) = (bare(0), body.fingerprint, body.imports.checks());
            quote! {
                const _: () = ::core::assert!(<#left as #rules>::TEXT == #fingerprint);
                #imports
            }
        });
        quote!(#signature #text)
    }
}

/// The name of a type, or of that behind a reference.
pub(super) fn own_name(ty: &syn::Type) -> Option<&syn::Ident> {
    match ungrouped(ty) {
        syn::Type::Reference(ty) if ty.mutability.is_none() && ty.lifetime.is_none() => {
            own_name(&ty.elem)
        }
        syn::Type::Path(path) if path.qself.is_none() => path.path.get_ident(),
        _ => None,
    }
}

/// An `impl` of `Sum` or `Product` of a type's own values.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Total {
    /// The operator by which std totals numbers.
    pub(crate) op: BinaryOp,
    /// The items are references: `impl<'a> Sum<&'a V3> for V3`.
    pub(crate) by_ref: bool,
    own: String,
}

impl Total {
    /// `None` if a block is another one. Of generic types it is `None`, too: a call by the type's name would have to infer their arguments.
    pub(crate) fn new(block: &syn::ItemImpl) -> Option<Self> {
        let last = block.trait_.as_ref()?.0.segments.last()?;
        let op = match last.ident.to_string().as_str() {
            "Sum" => BinaryOp::Add,
            "Product" => BinaryOp::Mul,
            _ => return None,
        };
        let own = type_path(&block.self_ty)?;
        let own = own.path.get_ident()?;
        let is_own = |ty: &syn::Type| matches!(ty, syn::Type::Path(path) if path.path.is_ident(own) || path.path.is_ident("Self"));
        let by_ref = match type_arguments(last).as_slice() {
            [] => false,
            [item] if is_own(item) => false,
            [syn::Type::Reference(item)] if is_own(&item.elem) => true,
            _ => return None,
        };
        let own = own.to_string();
        Some(Total { op, by_ref, own })
    }

    pub(super) fn is(&self, op: BinaryOp, own: &str, by_ref: bool) -> bool {
        self.op == op && self.own == own && self.by_ref == by_ref
    }

    /// The associated function that has the rules, and takes a list.
    pub(crate) fn function(&self) -> syn::Ident {
        let name = match self.op {
            BinaryOp::Add => "sum",
            _ => "product",
        };
        let of = if self.by_ref { "_of_references" } else { "" };
        format_ident!("__{name}{of}")
    }

    /// The block as one of the type itself, with that function in place of the method.
    ///
    /// ```text
    /// Input:  impl Sum for V3 { fn sum<I: Iterator<Item = V3>>(iter: I) -> V3 { body } }
    /// Output: impl V3 { pub fn __sum(items: &[V3]) -> V3 { let iter = items.iter().cloned(); body } }
    /// ```
    pub(crate) fn of_list(&self, block: &syn::ItemImpl) -> Option<syn::ItemImpl> {
        let method = only_method(block)?;
        let syn::FnArg::Typed(iterator) = method.sig.inputs.first()? else {
            return None;
        };
        let (own, pat, body, function) = (
            &block.self_ty,
            &iterator.pat,
            &method.block.stmts,
            self.function(),
        );
        let items = if self.by_ref {
            quote!(items.iter())
        } else {
            quote!(items.iter().cloned())
        };
        Some(syn::parse_quote! {
            impl #own {
                #[doc(hidden)]
                pub fn #function(items: &[#own]) -> #own {
                    let #pat = #items;
                    #(#body)*
                }
            }
        })
    }
}

/// An `impl` of `Index` for a type of the file, with that of `IndexMut` if there is one.
#[derive(Clone, Debug)]
pub(crate) struct Indexing {
    own: syn::Ident,
    pub(crate) key: syn::Type,
    pub(crate) output: syn::Type,
    /// Where an element is, if both methods say that it is in the same place.
    pub(crate) part: Option<Part>,
    /// The fingerprints of both methods.
    texts: [Option<u64>; 2],
    /// An element that is updated may be another one than is read.
    pub(crate) differs: bool,
    pub(super) used: Used,
}

/// Where an element is: `self.rows[E][F]`.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    /// The method as a function that returns the positions: `E`, or `(E, F)`.
    pub(crate) body: Rc<MethodBody>,
    /// Fields, and `None` for the next position.
    pub(crate) steps: Vec<Option<syn::Member>>,
}

/// The type of an index, if a block implements indexing, and whether it is `IndexMut`.
fn indexing_of(block: &syn::ItemImpl) -> Option<(&syn::Type, bool)> {
    let last = block.trait_.as_ref()?.0.segments.last()?;
    let mutable = match last.ident.to_string().as_str() {
        "Index" => false,
        "IndexMut" => true,
        _ => return None,
    };
    match type_arguments(last)[..] {
        [key] => Some((key, mutable)),
        _ => None,
    }
}

/// The text of a body, with the names that the method for shared references would have.
fn without_mut(block: &syn::Block) -> String {
    let text = block.to_token_stream().to_string();
    text.replace("_mut", "").replace("mut ", "")
}

/// The method of an `impl` of a trait with one.
fn only_method(block: &syn::ItemImpl) -> Option<&syn::ImplItemFn> {
    let mut methods = methods(block);
    methods.next().filter(|_| methods.next().is_none())
}

impl Indexing {
    /// The indexing that these blocks implement, each of them with its module if it has rules.
    pub(super) fn all(blocks: &[(syn::ItemImpl, Option<&Module>)]) -> Vec<Self> {
        let plain = |block: &syn::ItemImpl| {
            block.generics.params.is_empty() && are_as_written(&block.attrs)
        };
        let mut all = Vec::new();
        for (block, module) in blocks {
            let Some((key, false)) = indexing_of(block) else {
                continue;
            };
            let same = |mutable: bool| {
                blocks.iter().filter(move |(other, _)| {
                    indexing_of(other) == Some((key, mutable)) && other.self_ty == block.self_ty
                })
            };
            let unique = same(true).next();
            let (Some(own), Some(mut output), Some(method)) = (
                own_name(&block.self_ty),
                associated_type(block, "Output").cloned(),
                only_method(block),
            ) else {
                continue;
            };
            let twice = same(false).nth(1).is_some() || same(true).nth(1).is_some();
            if twice || !plain(block) || !are_as_written(&method.attrs) {
                continue;
            }
            without_self(&syn::parse_quote!(#own)).visit_type_mut(&mut output);
            let other = unique.and_then(|(other, _)| only_method(other));
            let differs =
                other.is_some_and(|other| without_mut(&other.block) != without_mut(&method.block));
            let shared = module.and_then(|module| Part::new(own, method, module));
            let mut texts = [Some(fingerprint(&method.sig, &method.block)), None];
            let part = match unique {
                None => shared,
                Some((other, module)) => {
                    let method = only_method(other).filter(|method| are_as_written(&method.attrs));
                    texts[1] = method.map(|method| fingerprint(&method.sig, &method.block));
                    let other = method
                        .filter(|_| plain(other))
                        .zip(*module)
                        .and_then(|(method, module)| Part::new(own, method, module));
                    shared.filter(|part| other.is_some_and(|other| part.is_same(&other)))
                }
            };
            all.push(Indexing {
                own: own.clone(),
                key: key.clone(),
                output,
                part,
                texts,
                differs,
                used: Used::default(),
            });
        }
        all
    }

    /// True if it is indexing of this type.
    pub(super) fn is_of(&self, own: &str) -> bool {
        self.own == own
    }

    /// Items that compile if indexing has this type, and elements are where the methods say.
    pub(super) fn check(&self, rt: &TokenStream) -> TokenStream {
        let (own, mut key, mut output) = (&self.own, self.key.clone(), self.output.clone());
        absolute().visit_type_mut(&mut key);
        absolute().visit_type_mut(&mut output);
        let texts = self.part.as_ref().map(|part| {
            let rules = [quote!(IndexRules), quote!(IndexMutRules)];
            let texts = self.texts.iter().zip(rules);
            let texts = texts.filter_map(|(text, rules)| {
                let text = (*text)?;
                Some(quote!(
                    const _: () =
                        ::core::assert!(<#own as #rt::index::#rules<#key>>::TEXT == #text);
                ))
            });
            let imports = part.body.imports.checks();
            quote!(#(#texts)* #imports)
        });
        quote! {
            const _: fn(&#own, #key) -> &#output = |of, at| ::core::ops::Index::index(of, at);
            // There is no other type of an index that a literal could have.
            const _: fn(&#own) = |of| { let _ = &of[::core::option::Option::unwrap(::core::option::Option::None)]; };
            #texts
        }
    }
}

impl Part {
    /// Where an element is, if the method ends in a place in `self` after statements.
    fn new(own: &syn::Ident, method: &syn::ImplItemFn, module: &Module) -> Option<Self> {
        let (syn::Stmt::Expr(tail, None), stmts) = method.block.stmts.split_last()? else {
            return None;
        };
        let syn::Expr::Reference(tail) = tail else {
            return None;
        };
        let (mut steps, mut positions) = (Vec::new(), Vec::new());
        place_in_self(&tail.expr, &mut steps, &mut positions)?;
        let mut sig = method.sig.clone();
        let syn::FnArg::Typed(param) = sig.inputs.get(1)?.clone() else {
            return None;
        };
        let (pat, ty, at) = (&param.pat, &param.ty, format_ident!("__at"));
        sig.inputs = syn::parse_quote!(&self, #at: #ty);
        let (result, count) = match &positions[..] {
            [one] => (one.to_token_stream(), quote!(::core::primitive::usize)),
            [] => return None,
            _ => {
                let types = positions.iter().map(|_| quote!(::core::primitive::usize));
                (quote!((#(#positions),*)), quote!((#(#types),*)))
            }
        };
        sig.output = syn::parse_quote!(-> #count);
        let block = syn::parse_quote!({ let #pat = #at; #(#stmts)* #result });
        let of = syn::parse_quote!(#own);
        let body = MethodBody::new(own, &of, &sig, &block, module)?;
        Some(Part {
            body: Rc::new(body),
            steps,
        })
    }

    fn is_same(&self, other: &Part) -> bool {
        self.steps == other.steps
            && self.body.block == other.body.block
            && self.body.sig.inputs == other.body.sig.inputs
    }
}

/// The steps of `self.rows[E][F]`, and the positions.
fn place_in_self(
    expr: &syn::Expr,
    steps: &mut Vec<Option<syn::Member>>,
    positions: &mut Vec<syn::Expr>,
) -> Option<()> {
    match expr {
        syn::Expr::Path(path) if path.path.is_ident("self") => {}
        syn::Expr::Paren(inner) => place_in_self(&inner.expr, steps, positions)?,
        syn::Expr::Field(field) => {
            place_in_self(&field.base, steps, positions)?;
            steps.push(Some(field.member.clone()));
        }
        syn::Expr::Index(index) if !matches!(*index.index, syn::Expr::Range(_)) => {
            place_in_self(&index.expr, steps, positions)?;
            steps.push(None);
            positions.push((*index.index).clone());
        }
        _ => return None,
    }
    Some(())
}
