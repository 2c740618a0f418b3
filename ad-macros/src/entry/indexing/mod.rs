//! `#[differentiable]` on `impl Index<I>`, on `impl IndexMut<I>`, and on methods that return references to parts of `self`.
//!
//! The tangent of an element is in the value's tangent where the element is in the value. Where that is, the method's body says:
//!
//! ```text
//! fn index(&self, (i, j): (usize, usize)) -> &f64 {
//!     assert!(i < self.n);
//!     &self.data[i * self.n + j]
//! }
//! ```
//!
//! becomes a method that does the same up to the last step, and keeps the values that this needs:
//!
//! ```text
//! fn locate(&self, (i, j): (usize, usize)) -> impl Located<..> {
//!     assert!(i < self.n);
//!     let k = i * self.n + j;
//!     let at = Locate(&self.data, k).at();
//!     projection(
//!         move |t: &GridTangent| &*Whole(&t.data).part(k, at),
//!         move |t: &mut GridTangent| &mut *Whole(&mut t.data).part(k, at),
//!     )
//! }
//! ```
//!
//! Where the place is one of several (`if`, `match`), each side is a projection of its own, and a `Choice` says which ran. The
//! user's statements stand where they stood, with `self` as it was, so that nothing of them has to be understood.
//!
//! The macro knows that a method returns a reference within one `impl`, from an annotation, or from its use (`types/returned_references.rs`): a result
//! that isn't `mut` and is written through is a `&mut`. Anywhere else a copy stands in for the reference (`entry/lending_methods.rs`): the method
//! has the rules of one that returns `self.row(i).to_vec()`, whose pullback adds to the part. A `&mut`, or a type that can't be copied, is
//! an error that says to annotate (`mode/lending.rs`).

mod place;

use std::collections::HashSet;

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::visit::Visit;

use super::bounds::require_tangents;
use super::source::{Emitted, Source};
use crate::attributes::cfgs;
use crate::diagnostics::{Whole, error};
use crate::emit::{allows, parameters, respanned, unraw};
use crate::enclosing::mentions_self;
use crate::syntax::methods;
use crate::types::written;
use place::Located;

/// The help for a body that isn't understood.
const HELP: &str = "write `&self.data[k]` or another place in `self`, after any statements that compute `k`, or choose between \
     such places with `if` or `match`";

/// Which trait is implemented.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Index,
    IndexMut,
}

/// Expands an `impl` of `Index` or `IndexMut`, of which `of_rules` has the bounds that rules need; `None` if it is of another trait.
pub(crate) fn implementation(
    rt: &TokenStream,
    block: &syn::ItemImpl,
    of_rules: &syn::ItemImpl,
) -> Option<TokenStream> {
    let last = block.trait_.as_ref()?.0.segments.last()?;
    let kind = match last.ident.to_string().as_str() {
        "Index" => Kind::Index,
        "IndexMut" => Kind::IndexMut,
        _ => return None,
    };
    let rules = rules(rt, of_rules, kind, last).unwrap_or_else(|error| error.to_compile_error());
    let allow = allows();
    Some(quote!(#block #allow const _: () = { #rules };))
}

/// The `impl` of the runtime's trait.
fn rules(
    rt: &TokenStream,
    block: &syn::ItemImpl,
    kind: Kind,
    of: &syn::PathSegment,
) -> syn::Result<TokenStream> {
    let (Some(method), syn::PathArguments::AngleBracketed(args)) =
        (methods(block).next(), &of.arguments)
    else {
        return Err(error(
            Whole(of),
            "indexing without its method, or without the type of an index",
            "implement the trait as its documentation in `core::ops` says",
        ));
    };
    let (Some(syn::FnArg::Typed(param)), 2) = (method.sig.inputs.last(), method.sig.inputs.len())
    else {
        return Err(error(
            Whole(&method.sig),
            "the method of indexing takes `self` and an index",
            "implement the trait as its documentation in `core::ops` says",
        ));
    };
    if is_range(&param.ty) {
        return Err(error(
            Whole(&param.ty),
            "indexing by a range is not supported yet",
            "index the field that holds the elements where they are used, `m.data[a..b]`, or give rows a number",
        ));
    }
    let body = Reader::new(rt, kind, quote!(Self::Part)).body(&method.block)?;
    let text = crate::enclosing::fingerprint(&method.sig, &method.block);

    let (pat, ty, index) = (&param.pat, &param.ty, &args.args);
    let (self_ty, module) = (&block.self_ty, quote!(#rt::index));
    let (implemented, name) = match kind {
        Kind::Index => (quote!(IndexRules), quote!(locate)),
        Kind::IndexMut => (quote!(IndexMutRules), quote!(locate_mut)),
    };
    let captured = block.generics.params.iter().map(|param| match param {
        syn::GenericParam::Type(t) => t.ident.to_token_stream(),
        syn::GenericParam::Const(c) => c.ident.to_token_stream(),
        syn::GenericParam::Lifetime(l) => l.lifetime.to_token_stream(),
    });
    let mut generics = block.generics.clone();
    require_tangents(&mut generics, &elements(block, &method.sig), rt);
    let (generics, _, clause) = generics.split_for_impl();
    let cfgs = cfgs(&block.attrs);
    Ok(quote! {
        use #module::{
            AnyLender as _, AnyLenderMut as _, AnyWhole as _, AnyWholeMut as _, AtByRules as _, AtMutByRules as _, AtNowhere as _,
        };
        #(#cfgs)*
        #[allow(refining_impl_trait)]
        impl #generics #module::#implemented<#index> for #self_ty #clause {
            const TEXT: ::core::primitive::u64 = #text;
            type Part = <<Self as ::core::ops::Index<#index>>::Output as #rt::Differentiable>::Tangent;

            #[inline]
            fn #name(
                &self,
                #pat: #ty,
            ) -> impl #module::Located<#rt::Tan<Self>, #index, Part = Self::Part> + use<#(#captured),*> {
                #body
            }
        }
    })
}

/// The types that say what the elements are.
fn elements(block: &syn::ItemImpl, sig: &syn::Signature) -> TokenStream {
    let mut output = block.items.iter().filter_map(|item| match item {
        syn::ImplItem::Type(item) => Some(&item.ty),
        _ => None,
    });
    match output.next() {
        Some(output) => output.to_token_stream(),
        // `&mut Self::Output`
        None if mentions_self(&sig.output) => block.self_ty.to_token_stream(),
        None => sig.output.to_token_stream(),
    }
}

/// The type behind the reference that a method returns, if that is a part of `self`.
pub(crate) fn part_of_self<'a>(source: &Source<'a>) -> Option<&'a syn::TypeReference> {
    if source.emitted == Emitted::All && !source.in_trait {
        returned_part(source.sig)
    } else {
        None
    }
}

/// The type behind the reference that a method returns, if it takes `self` by reference.
pub(crate) fn returned_part(sig: &syn::Signature) -> Option<&syn::TypeReference> {
    let syn::ReturnType::Type(_, ty) = &sig.output else {
        return None;
    };
    match (&sig.receiver()?.kind, written::ungrouped(ty)) {
        (syn::ReceiverKind::Reference(..), syn::Type::Reference(part)) => Some(part),
        _ => None,
    }
}

/// `__m_part(&self, ..)`, which returns the position in the tangent of the part that the method returns a reference to.
pub(crate) fn part_method(
    rt: &TokenStream,
    source: &Source<'_>,
    part: &syn::TypeReference,
) -> syn::Result<TokenStream> {
    let (vis, sig) = (source.vis, source.sig);
    let kind = match part.mutability {
        Some(_) => Kind::IndexMut,
        None => Kind::Index,
    };
    let named =
        |kind: &str| format_ident!("__{}_{kind}", unraw(&sig.ident), span = sig.ident.span());
    let name = named("part");
    let target = &part.elem;
    let tangent = quote!(<#target as #rt::Differentiable>::Tangent);
    let body = Reader::new(rt, kind, tangent.clone()).body(source.block)?;
    let params = sig.inputs.iter().skip(1).map(|input| match input {
        syn::FnArg::Typed(param) => {
            let (pat, ty) = (&param.pat, &param.ty);
            quote!(#pat: #ty)
        }
        syn::FnArg::Receiver(_) => TokenStream::new(),
    });
    let declared = parameters(&sig.generics);
    let captured = source.outer.iter().chain(&declared);
    let (generics, _, clause) = sig.generics.split_for_impl();
    let module = quote!(#rt::index);
    Ok(quote! {
        #[doc(hidden)]
        #[inline]
        #vis fn #name #generics (
            &self,
            #(#params),*
        ) -> impl #module::Located<#rt::Tan<Self>, (), Part = #tangent> + use<#(#captured),*> #clause {
            use #module::{
                AnyLender as _, AnyLenderMut as _, AnyWhole as _, AnyWholeMut as _, AtByRules as _, AtMutByRules as _, AtNowhere as _,
            };
            #body
        }
    })
}

fn is_range(ty: &syn::Type) -> bool {
    let syn::Type::Path(path) = ty else {
        return false;
    };
    let last = path.path.segments.last();
    last.is_some_and(|last| last.ident.to_string().starts_with("Range"))
}

/// A variable of the generated code, which no code of the user's sees.
fn own(name: &str) -> Ident {
    Ident::new(name, Span::mixed_site())
}

/// Turns the method's body into one that returns projections.
struct Reader<'a> {
    rt: &'a TokenStream,
    kind: Kind,
    /// The type of the tangent's part.
    part: TokenStream,
    /// References that the body has bound: `let row = &self.rows[i];`.
    aliases: Vec<(Ident, Located)>,
    /// How many positions there are.
    count: usize,
    /// The fields of `self` that hold the elements.
    holders: HashSet<syn::Member>,
    /// References to places in `self`, as the user wrote them.
    places: Vec<syn::Expr>,
}

impl<'a> Reader<'a> {
    fn new(rt: &'a TokenStream, kind: Kind, part: TokenStream) -> Self {
        Reader {
            rt,
            kind,
            part,
            aliases: Vec::new(),
            count: 0,
            holders: HashSet::new(),
            places: Vec::new(),
        }
    }

    /// The body of the method that returns projections.
    fn body(mut self, block: &syn::Block) -> syn::Result<TokenStream> {
        let body = self.block(block)?;
        self.check_positions(block)?;
        Ok(body)
    }

    fn block(&mut self, block: &syn::Block) -> syn::Result<TokenStream> {
        let Some((syn::Stmt::Expr(tail, None), stmts)) = block.stmts.split_last() else {
            return Err(error(
                Whole(block),
                "a body that doesn't end in a reference to a part of `self`",
                HELP,
            ));
        };
        let known = self.aliases.len();
        let mut out = TokenStream::new();
        for stmt in stmts {
            match self.alias(stmt)? {
                Some(alias) => out.extend(alias),
                None => stmt.to_tokens(&mut out),
            }
        }
        out.extend(self.tail(tail)?);
        self.aliases.truncate(known);
        Ok(out)
    }

    /// `let row = &self.rows[i];`
    fn alias(&mut self, stmt: &syn::Stmt) -> syn::Result<Option<TokenStream>> {
        let syn::Stmt::Local(local) = stmt else {
            return Ok(None);
        };
        let (syn::Pat::Ident(pat), Some(init)) = (&local.pat, &local.init) else {
            return Ok(None);
        };
        let syn::Expr::Reference(reference) = &*init.expr else {
            return Ok(None);
        };
        if !self.is_in_self(&reference.expr) {
            return Ok(None);
        }
        let located = self.place(&reference.expr)?;
        let (setup, primal, name) = (&located.setup, &located.primal, &pat.ident);
        let tokens = quote!(#setup let #name = &#primal;);
        self.aliases.push((pat.ident.clone(), located.bound()));
        Ok(Some(tokens))
    }

    /// An expression that the method returns.
    fn tail(&mut self, expr: &syn::Expr) -> syn::Result<TokenStream> {
        if let Some(projections) = self.sides(expr)? {
            return Ok(projections);
        }
        match expr {
            syn::Expr::Paren(_) | syn::Expr::Group(_) => self.tail(crate::hir::bare(expr)),
            syn::Expr::Block(inner) if inner.label.is_none() => {
                let block = self.block(&inner.block)?;
                Ok(quote!({ #block }))
            }
            syn::Expr::Reference(reference) => {
                let located = self.place(&reference.expr)?;
                Ok(self.projection(&located, expr))
            }
            expr => match self.reference(expr)? {
                Some(located) => Ok(self.projection(&located, expr)),
                None => Err(
                    if matches!(expr, syn::Expr::Path(path) if path.path.is_ident("self")) {
                        error(
                            Whole(expr),
                            "a method that returns `self` by reference is not supported",
                            "let it return nothing, and write each call as a statement of its own: `x.scale(2.0); x.shift(1.0);`",
                        )
                    } else {
                        error(
                            Whole(expr),
                            "this is not a reference to a part of `self`",
                            HELP,
                        )
                    },
                ),
            },
        }
    }

    /// A branch: which side runs, is part of where the element is.
    fn sides(&mut self, expr: &syn::Expr) -> syn::Result<Option<TokenStream>> {
        match expr {
            syn::Expr::If(_) => {
                let count = count_ends(expr);
                let mut next = 0;
                self.if_side(expr, &mut next, count).map(Some)
            }
            syn::Expr::Match(choice) => {
                let count = choice.arms.iter().filter(|a| !diverges(&a.body)).count();
                let mut next = 0;
                let mut arms = TokenStream::new();
                for arm in &choice.arms {
                    let body = self.side(&arm.body, &mut next, count)?;
                    let pat = &arm.pat; // with its guard
                    arms.extend(quote!(#pat => #body,));
                }
                let of = &choice.expr;
                Ok(Some(quote!(match #of { #arms })))
            }
            _ => Ok(None),
        }
    }

    fn if_side(
        &mut self,
        expr: &syn::Expr,
        next: &mut usize,
        count: usize,
    ) -> syn::Result<TokenStream> {
        let syn::Expr::If(choice) = expr else {
            return self.side(expr, next, count);
        };
        let Some((_, other)) = &choice.else_branch else {
            return Err(error(
                Whole(expr),
                "an `if` without `else` is not a reference to a part of `self`",
                HELP,
            ));
        };
        let cond = &choice.cond;
        let then = syn::Expr::Block(syn::ExprBlock {
            attrs: Vec::new(),
            label: None,
            block: choice.then_branch.clone(),
        });
        let then = self.side(&then, next, count)?;
        let other = self.if_side(other, next, count)?;
        Ok(quote!(if #cond { #then } else { #other }))
    }

    /// One of `count` sides; those that don't return aren't counted.
    fn side(
        &mut self,
        expr: &syn::Expr,
        next: &mut usize,
        count: usize,
    ) -> syn::Result<TokenStream> {
        if diverges(expr) {
            return Ok(expr.to_token_stream());
        }
        let rt = self.rt;
        let position = *next;
        *next += 1;
        let mut tokens = self.tail(expr)?;
        if position + 1 < count {
            tokens = quote!(#rt::index::Choice::First(#tokens));
        }
        for _ in 0..position {
            tokens = quote!(#rt::index::Choice::Rest(#tokens));
        }
        Ok(tokens)
    }

    /// The closures that find a part of the tangent.
    fn projection(&self, located: &Located, of: &syn::Expr) -> TokenStream {
        let (rt, part, t) = (self.rt, &self.part, own("t"));
        let setup = &located.setup;
        // Where there is no such part, rustc says it of the place.
        let span = syn::spanned::Spanned::span(of);
        let [shared, unique] = [false, true].map(|mutable| located.tangent(rt, &t, mutable));
        let shared = respanned(span, &quote!(#rt::index::held::<_, #part>(&#shared)));
        let unique = respanned(
            span,
            &quote!(#rt::index::held_mut::<_, #part>(&mut #unique)),
        );
        quote!({
            #setup
            #rt::index::projection::<#rt::Tan<Self>, #part, _, _>(move |#t| #shared, move |#t| #unique)
        })
    }

    /// Where an element is can't depend on elements: these may be written between the two halves.
    fn check_positions(&self, block: &syn::Block) -> syn::Result<()> {
        let mut reads = Reads {
            reader: self,
            found: None,
        };
        reads.visit_block(block);
        match reads.found {
            Some(error) => Err(error),
            None => Ok(()),
        }
    }
}

/// How many sides of an `if` return.
fn count_ends(expr: &syn::Expr) -> usize {
    let syn::Expr::If(choice) = expr else {
        return usize::from(!diverges(expr));
    };
    let other = choice.else_branch.as_ref();
    let then = usize::from(!block_diverges(&choice.then_branch));
    then + other.map_or(0, |(_, other)| count_ends(other))
}

/// True if a side of a branch never returns, as far as its syntax says.
fn diverges(expr: &syn::Expr) -> bool {
    match expr {
        syn::Expr::Macro(call) => is_panic(&call.mac),
        syn::Expr::Block(inner) => block_diverges(&inner.block),
        syn::Expr::Paren(inner) => diverges(&inner.expr),
        _ => false,
    }
}

fn block_diverges(block: &syn::Block) -> bool {
    match block.stmts.last() {
        Some(syn::Stmt::Macro(call)) => is_panic(&call.mac),
        Some(syn::Stmt::Expr(expr, _)) => diverges(expr),
        _ => false,
    }
}

fn is_panic(call: &syn::Macro) -> bool {
    let names = ["panic", "unreachable", "todo", "unimplemented"];
    let last = call.path.segments.last();
    last.is_some_and(|last| names.iter().any(|name| last.ident == name))
}

/// Looks for reads that positions may not depend on, and for exits.
struct Reads<'a> {
    reader: &'a Reader<'a>,
    found: Option<syn::Error>,
}

impl<'ast> Visit<'ast> for Reads<'_> {
    fn visit_expr(&mut self, expr: &'ast syn::Expr) {
        match expr {
            syn::Expr::Return(_) => {
                self.found = Some(error(
                    Whole(expr),
                    "`return` is not supported in a method that returns a part of `self`",
                    HELP,
                ));
            }
            syn::Expr::Assign(assign) if self.reader.is_in_self(&assign.left) => {
                self.found = Some(writes(expr));
            }
            syn::Expr::Binary(assign)
                if crate::hir::assigns(assign.op) && self.reader.is_in_self(&assign.left) =>
            {
                self.found = Some(writes(expr));
            }
            // Its indices are looked at, it itself isn't read.
            place if self.reader.places.contains(place) => self.indices(place),
            syn::Expr::MethodCall(call) if is_size(&call.method) => {
                call.args.iter().for_each(|arg| self.visit_expr(arg));
            }
            syn::Expr::Field(field)
                if is_self(&field.base) && self.reader.holders.contains(&field.member) =>
            {
                self.found = Some(error(
                    Whole(expr),
                    "the position of an element can't depend on the content of the same field",
                    "keep the numbers that the position depends on in a field of their own",
                ));
            }
            // Closures have exits of their own.
            syn::Expr::Closure(_) => {}
            _ => syn::visit::visit_expr(self, expr),
        }
    }

    fn visit_item(&mut self, _: &'ast syn::Item) {}
}

impl Reads<'_> {
    fn indices(&mut self, place: &syn::Expr) {
        match place {
            syn::Expr::Field(field) => self.indices(&field.base),
            syn::Expr::Index(index) => {
                self.visit_expr(&index.index);
                self.indices(&index.expr);
            }
            syn::Expr::MethodCall(call) => {
                call.args.iter().for_each(|arg| self.visit_expr(arg));
                self.indices(&call.receiver);
            }
            syn::Expr::Paren(inner) => self.indices(&inner.expr),
            syn::Expr::Unary(inner) => self.indices(&inner.expr),
            _ => {}
        }
    }
}

fn writes(expr: &syn::Expr) -> syn::Error {
    error(
        Whole(expr),
        "an element can't be looked up by a method that changes something",
        "do that in a method of its own, and call it before",
    )
}

/// Methods that tell a size, which writing to elements doesn't change.
fn is_size(method: &Ident) -> bool {
    ["len", "is_empty", "nrows", "ncols", "rows", "cols"]
        .iter()
        .any(|name| method == name)
}

fn is_self(expr: &syn::Expr) -> bool {
    matches!(expr, syn::Expr::Path(path) if path.path.is_ident("self"))
}

#[cfg(test)]
mod tests;
