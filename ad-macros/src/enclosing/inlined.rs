//! Finds the functions whose bodies replace their calls.
//!
//! In: a differentiable function. Out: a [`Body`], if the tokens of the function mean the same wherever they are, and a check by which rustc
//! compares a hash of its text with that of the function as it is compiled.
//!
//! The callee publishes a hash of its tokens, `__TEXT`, and a `const _` of the caller compares it with that of the text which the caller's
//! expansion read. A function qualifies if it has no constant parameters, generics, items, patterns on lists or macros, and at most 250
//! tokens. An argument that is passed as `&mut` has to be a whole variable. A parameter that is a function, and that the body only calls,
//! becomes a name for the closure or function that the call passes. Where the result can't be differentiated, the call stays a call
//! (`entry::source::compile`); `#[inline(never)]` keeps it one.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::visit::Visit;

use super::Imports;
use super::methods::{as_function_of, text_of_method};
use super::module::Module;
use super::signatures::{
    SyntaxArgument, SyntaxParams, borrows_from_arguments, is_monomorphic, is_plain,
    is_plain_receiver, without_lifetimes,
};
use super::tokens::{
    bare, fingerprint, has_any, is_only_called, leaves_or_expands, length, lists, mentions,
    names_lifetime, takes_lists_apart, words_of,
};
use crate::attributes::is_constant;
use crate::configured::first_cfg;
use crate::syntax::EachExpr;
use crate::types::{Declared, primitive};

/// A function whose body may replace a call of it.
#[derive(Clone, Debug)]
pub(crate) struct Body {
    /// The function as a closure, which captures nothing.
    pub(crate) closure: syn::ExprClosure,
    /// Its result borrows from its arguments, or is an iterator or a closure.
    pub(crate) borrows_from_arguments: bool,
    /// It has no rules: its result borrows, or it takes an iterator.
    pub(crate) has_no_rules: bool,
    /// The parameters that have names only: the arguments stand where the body uses them.
    syntax_arguments: Vec<Option<SyntaxArgument>>,
    /// How long it is, in tokens.
    pub(crate) length: usize,
    /// The constant by which rustc compares its text, and the text's hash.
    text: syn::Path,
    fingerprint: u64,
    imports: Imports,
}

/// The longest function whose body replaces its calls, in tokens.
const LONGEST: usize = 250;

impl Body {
    /// The body of a function that is called by this path, unless something in it depends on where it stands.
    pub(super) fn new(module: &Module, path: &syn::Path, item: &syn::ItemFn) -> Option<Body> {
        let fingerprint = fingerprint(&item.sig, &item.block);
        Body::compared(module, item, syn::parse_quote!(#path::__TEXT), fingerprint)
    }

    /// The body of a method without rules, as a function.
    pub(super) fn of_method(
        module: &Module,
        own: &syn::Ident,
        method: &syn::ImplItemFn,
    ) -> Option<Body> {
        let function = borrowing_function(own, &method.sig, &method.block)?;
        let text = text_of_method(&method.sig.ident);
        let fingerprint = fingerprint(&method.sig, &method.block);
        Body::compared(
            module,
            &function,
            syn::parse_quote!(#own::#text),
            fingerprint,
        )
    }

    fn compared(
        module: &Module,
        item: &syn::ItemFn,
        text: syn::Path,
        fingerprint: u64,
    ) -> Option<Body> {
        if !may_replace_calls(&item.sig, &item.block) {
            return None;
        }
        let imports = Imports::of(module, &item.to_token_stream());
        let block = imports.in_full(None, &item.sig, &item.block);
        let functions = SyntaxParams::of(&item.sig);
        let sig = without_lifetimes(&item.sig);
        let inputs = sig.inputs.iter().zip(&functions.params);
        let inputs = inputs.filter_map(|(input, function)| match (input, function) {
            (_, Some((name, _))) => Some(syn::parse_quote!(#name)),
            (syn::FnArg::Typed(input), None) => Some(syn::Pat::Type(input.clone())),
            (syn::FnArg::Receiver(_), None) => None,
        });
        let output = &sig.output;
        let closure = syn::parse2(quote!(|#(#inputs),*| #output #block));
        Some(Body {
            closure: closure.ok()?,
            borrows_from_arguments: borrows_from_arguments(&item.sig),
            has_no_rules: has_no_rules(&item.sig),
            syntax_arguments: (functions.params.iter())
                .map(|param| param.as_ref().map(|(_, kind)| *kind))
                .collect(),
            length: length(block.to_token_stream()),
            text,
            fingerprint,
            imports,
        })
    }

    /// True if the argument at this position is a function that the body calls, or an iterator that it consumes.
    pub(crate) fn syntax_argument(&self, position: usize) -> Option<SyntaxArgument> {
        self.syntax_arguments.get(position).copied().flatten()
    }

    /// True if the body can work on the arguments themselves: it writes to variables of the caller's as a whole, not to parts that have names.
    pub(crate) fn takes<'e>(&self, args: impl IntoIterator<Item = &'e syn::Expr>) -> bool {
        self.closure.inputs.iter().zip(args).all(|(param, arg)| {
            let unique = matches!(param, syn::Pat::Type(param)
                if matches!(&*param.ty, syn::Type::Reference(ty) if ty.mutability.is_some()));
            let variable = matches!(arg, syn::Expr::Reference(arg)
                if matches!(&*arg.expr, syn::Expr::Path(path) if path.path.get_ident().is_some()));
            !unique || variable
        })
    }

    /// Items that compile if the text is that of the function as it is compiled.
    pub(super) fn check(&self) -> TokenStream {
        let (text, fingerprint, imports) = (&self.text, self.fingerprint, self.imports.checks());
        quote!(const _: () = ::core::assert!(#text == #fingerprint); #imports)
    }
}

/// True if a function has no rules, so that its body replaces its calls: its result borrows or has no name, or it takes an iterator.
pub(crate) fn has_no_rules(sig: &syn::Signature) -> bool {
    borrows_from_arguments(sig) || SyntaxParams::of(sig).any_is(SyntaxArgument::Iterator)
}

/// A method whose result borrows in part, or has no name, as a function of its receiver. It has no rules, so that its body replaces its calls.
fn borrowing_function(
    own: &syn::Ident,
    sig: &syn::Signature,
    block: &syn::Block,
) -> Option<syn::ItemFn> {
    let whole = |output: &syn::ReturnType| matches!(output, syn::ReturnType::Type(_, ty) if matches!(**ty, syn::Type::Reference(_)));
    let by_name = |this: &syn::Receiver| {
        matches!(
            this.kind,
            syn::ReceiverKind::Value | syn::ReceiverKind::Reference(..)
        )
    };
    let borrows =
        sig.receiver().is_some_and(by_name) && borrows_from_arguments(sig) && !whole(&sig.output);
    borrows.then(|| as_function_of(own, sig, block))?
}

/// True if the body of a differentiable method of a type replaces its calls, since it can't have rules.
pub(crate) fn replaces_calls(own: &syn::Type, sig: &syn::Signature, block: &syn::Block) -> bool {
    let syn::Type::Path(own) = own else {
        return false;
    };
    own.path.get_ident().is_some_and(|own| {
        borrowing_function(own, sig, block)
            .is_some_and(|function| may_replace_calls(&function.sig, &function.block))
    })
}

/// True if the body of a differentiable function can replace its calls: its tokens mean the same elsewhere, and it is short, or it has no rules
/// that could be called.
pub(crate) fn may_replace_calls(sig: &syn::Signature, block: &syn::Block) -> bool {
    let has_rules = !has_no_rules(sig);
    let params = sig.inputs.iter().all(|param| match param {
        syn::FnArg::Typed(param) => {
            let plain = param.attrs.is_empty()
                || !has_rules
                    && param.attrs.iter().all(is_constant)
                    && primitive(&param.ty, &Declared::default())
                        .is_some_and(|ty| !ty.may_have_tangent());
            plain && matches!(&*param.pat, syn::Pat::Ident(pat) if pat.by_ref.is_none())
        }
        syn::FnArg::Receiver(_) => false,
    });
    let tokens = block.to_token_stream();
    let functions = SyntaxParams::of(sig);
    let only_used_as_such = || {
        let mut params = functions.params.iter().flatten();
        params.all(|(name, kind)| match kind {
            SyntaxArgument::Function => is_only_called(tokens.clone(), bare(&name.to_string())),
            SyntaxArgument::Iterator => crate::hir::only_consumes(name, &block.stmts),
        })
    };
    let text = words_of(block);
    let others = || {
        let others = functions.left_out(sig);
        // A function that takes an iterator can only be inlined; rustc checks its lifetimes and types.
        let iterates = functions.any_is(SyntaxArgument::Iterator);
        if iterates {
            without_lifetimes(&others)
        } else {
            others
        }
    };
    // An argument becomes an object where it is passed on, which a `let` of a value whose type isn't known may not show.
    let takes_objects = || words_of(&functions.left_out(sig).inputs).contains("dyn");
    let params_in_body = sig.generics.params.iter().any(|param| match param {
        syn::GenericParam::Lifetime(param) => {
            names_lifetime(&tokens, &param.lifetime.ident.to_string())
        }
        syn::GenericParam::Type(param) => text.contains(bare(&param.ident.to_string())),
        syn::GenericParam::Const(_) => true,
    });
    let is_simple = || {
        // Patterns take the parameters' types apart, which may have more parts than the arguments.
        first_cfg(block).is_none()
            && !has_any(&text, &["match", "ref"])
            && length(tokens.clone()) <= LONGEST
            && !leaves_or_expands(tokens.clone())
            && !takes_lists_apart(tokens.clone())
            && !loops_over_results(block)
    };
    params
        && (is_plain(sig)
            || !params_in_body
                && (borrows_from_arguments(sig) && is_plain(&without_lifetimes(sig))
                    || is_plain(&others()) && only_used_as_such()))
        && !text.iter().any(|word| lists(DECLARING, word))
        && !mentions(tokens.clone(), bare(&sig.ident.to_string()))
        && (!has_rules || is_simple() && !takes_objects())
}

/// True if the operations of a differentiable function or method can be inlined: its tokens mean the same elsewhere, and it isn't long.
pub(crate) fn may_be_inlined(sig: &syn::Signature, block: &syn::Block) -> bool {
    let is_name = |param: &syn::FnArg| match param {
        syn::FnArg::Typed(param) => {
            param.attrs.iter().all(is_constant)
                && matches!(&*param.pat, syn::Pat::Ident(pat) if pat.by_ref.is_none())
        }
        syn::FnArg::Receiver(receiver) => receiver.attrs.is_empty() && is_plain_receiver(receiver),
    };
    let tokens = block.to_token_stream();
    sig.inputs.iter().all(is_name)
        && is_monomorphic(sig, &["dyn"])
        && !borrows_from_arguments(sig)
        && !words_of(block).iter().any(|word| lists(DECLARING, word))
        && first_cfg(block).is_none()
        && !mentions(tokens.clone(), bare(&sig.ident.to_string()))
        && length(tokens) <= LONGEST
}

/// Words of bodies that declare items, that no rule supports, or whose rules are functions of their own.
const DECLARING: &str = "async const enum fn impl macro_rules static struct trait type unsafe use par_iter par_iter_mut into_par_iter par_chunks \
                         par_chunks_mut par_chunks_exact par_chunks_exact_mut rayon";

/// True if a loop runs over the result of a method that isn't one of std's lists or iterators: it borrows an argument, which the caller may
/// write to later.
fn loops_over_results(block: &syn::Block) -> bool {
    let mut found = false;
    let mut each = EachExpr(|expr: &syn::Expr| {
        if let syn::Expr::ForLoop(run) = expr {
            let mut head = &*run.expr;
            while let syn::Expr::MethodCall(call) = head {
                found |= !crate::hir::is_of_lists(&call.method.to_string());
                head = &call.receiver;
            }
        }
    });
    each.visit_block(block);
    found
}
