//! `#[cfg]` on statements, arms, fields and elements of a body. An attribute macro can't query the configuration, so that there are rules
//! for each combination, of which rustc keeps one.
//!
//! ```text
//! Input:  { #[cfg(fast)] let y = a; #[cfg(not(fast))] let y = b; y }
//! Output: #[cfg(all(fast))] rules of { let y = a; y }
//!         #[cfg(all(not(fast)))] rules of { let y = b; y }
//! ```
//!
//! The functions beside it that are inlined into the body are configured with it.
//!
//! The conditions of inlined functions that return references, iterators or closures count as the caller's. Other functions with a `#[cfg]`
//! in their bodies are called, not inlined. A `#[cfg]` that is left over is an error.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::visit::Visit;
use syn::visit_mut::{self, VisitMut};
use syn::{Attribute, Block, Expr, Stmt, Token};

use crate::enclosing::Siblings;

/// The most conditions in one body: the number of combinations doubles with each.
pub(crate) const MOST: usize = 4;

/// A function as one configuration has it.
pub(crate) struct Variant {
    /// The condition for it.
    pub(crate) attribute: Attribute,
    pub(crate) block: Block,
    /// The functions that are inlined into it.
    pub(crate) siblings: Option<Siblings>,
}

/// A variant for each combination of the conditions of `#[cfg]`s, in the body and in code that is inlined into it. None where there is no
/// `#[cfg]`.
pub(crate) fn variants(block: &Block, siblings: Option<&Siblings>) -> Vec<Variant> {
    let mut asked = Asked(Vec::new());
    asked.visit_block(block);
    for inlined in siblings.iter().flat_map(|siblings| siblings.closures()) {
        asked.visit_expr_closure(inlined);
    }
    let conditions = asked.0;
    if conditions.is_empty() || conditions.len() > MOST {
        return Vec::new();
    }
    let combinations = 0..1_u32 << conditions.len();
    let variants = combinations.map(|chosen| {
        let hold = |k: usize| chosen & (1 << k) != 0;
        let terms = conditions.iter().enumerate().map(|(k, condition)| {
            if hold(k) {
                quote!(#condition)
            } else {
                quote!(not(#condition))
            }
        });
        let attribute = syn::parse_quote!(#[cfg(all(#(#terms),*))]);
        let mut block = block.clone();
        let holds = |condition: &TokenStream| {
            let text = condition.to_string();
            let k = conditions.iter().position(|c| c.to_string() == text);
            k.is_some_and(hold)
        };
        let mut chosen = Chosen { holds: &holds };
        chosen.visit_block_mut(&mut block);
        let configure = |closure: &mut syn::ExprClosure| {
            Chosen { holds: &holds }.visit_expr_closure_mut(closure);
        };
        Variant {
            attribute,
            block,
            siblings: siblings.map(|siblings| siblings.configured(configure)),
        }
    });
    variants.collect()
}

/// A body as it may be: itself, or one of its variants, if a signature is all that is wanted.
pub(crate) fn any_variant<T>(block: &Block, compile: impl Fn(&Block) -> Option<T>) -> Option<T> {
    let variants = variants(block, None);
    match &variants[..] {
        [] => compile(block),
        variants => variants.iter().find_map(|variant| compile(&variant.block)),
    }
}

/// Where the first attribute is in a body, items in it excepted, by which rustc removes something or changes attributes.
pub(crate) fn first_cfg(block: &Block) -> Option<Span> {
    struct First(Option<Span>);
    impl<'ast> Visit<'ast> for First {
        fn visit_attribute(&mut self, attr: &'ast Attribute) {
            if attr.path().is_ident("cfg") || attr.path().is_ident("cfg_attr") {
                self.0.get_or_insert_with(|| attr.span());
            }
        }

        fn visit_macro(&mut self, mac: &'ast syn::Macro) {
            if mentions_cfg(mac.tokens.clone()) {
                self.0.get_or_insert_with(|| mac.span());
            }
        }

        fn visit_item(&mut self, _: &'ast syn::Item) {}
    }
    let mut first = First(None);
    first.visit_block(block);
    first.0
}

/// The condition of a `#[cfg]`, and whether it is negated.
fn condition(attr: &Attribute) -> Option<(TokenStream, bool)> {
    if !attr.path().is_ident("cfg") {
        return None;
    }
    let meta: syn::Meta = attr.parse_args().ok()?;
    match &meta {
        syn::Meta::List(list) if list.path.is_ident("not") => Some((list.tokens.clone(), false)),
        meta => Some((meta.to_token_stream(), true)),
    }
}

/// The different conditions in a body, items in it excepted: those keep their attributes.
struct Asked(Vec<TokenStream>);

impl Asked {
    fn add(&mut self, condition: TokenStream) {
        let text = condition.to_string();
        if self.0.iter().all(|known| known.to_string() != text) {
            self.0.push(condition);
        }
    }
}

impl<'ast> Visit<'ast> for Asked {
    fn visit_attribute(&mut self, attr: &'ast Attribute) {
        if let Some((condition, _)) = condition(attr) {
            self.add(condition);
        }
    }

    fn visit_macro(&mut self, mac: &'ast syn::Macro) {
        let Some(args) = configured_arguments(mac) else {
            return;
        };
        let mut inner = Asked(Vec::new());
        args.iter().for_each(|arg| inner.visit_expr(arg));
        for condition in inner.0 {
            self.add(condition);
        }
    }

    fn visit_item(&mut self, _: &'ast syn::Item) {}
}

/// The arguments of a macro that takes expressions, if there is a `#[cfg]` among them.
fn configured_arguments(mac: &syn::Macro) -> Option<Punctuated<Expr, Token![,]>> {
    if !mentions_cfg(mac.tokens.clone()) {
        return None;
    }
    mac.parse_body_with(Punctuated::parse_terminated).ok()
}

/// Returns `true` if there is a `#[cfg(..)]` or `#[cfg_attr(..)]` among the tokens.
fn mentions_cfg(tokens: TokenStream) -> bool {
    let mut after_hash = false;
    tokens.into_iter().any(|token| match token {
        TokenTree::Punct(mark) => {
            after_hash = mark.as_char() == '#';
            false
        }
        TokenTree::Group(group) => {
            let first = group.stream().into_iter().next();
            let is_cfg = matches!(first, Some(TokenTree::Ident(name)) if name == "cfg" || name == "cfg_attr");
            std::mem::take(&mut after_hash) && is_cfg || mentions_cfg(group.stream())
        }
        TokenTree::Ident(_) | TokenTree::Literal(_) => {
            after_hash = false;
            false
        }
    })
}

/// Keeps the configured parts.
struct Chosen<'a> {
    holds: &'a dyn Fn(&TokenStream) -> bool,
}

impl Chosen<'_> {
    /// Returns `true` if an item stays, which then has no `#[cfg]` any more.
    fn stays(&self, attrs: &mut Vec<Attribute>) -> bool {
        let asked =
            |attr: &Attribute| condition(attr).is_none_or(|(c, yes)| (self.holds)(&c) == yes);
        let stays = attrs.iter().all(asked);
        attrs.retain(|attr| condition(attr).is_none());
        stays
    }

    fn stmt_stays(&self, stmt: &mut Stmt) -> bool {
        match stmt {
            Stmt::Local(local) => self.stays(&mut local.attrs),
            Stmt::Macro(mac) => self.stays(&mut mac.attrs),
            Stmt::Item(_) => true,
            Stmt::Expr(expr, _) => self.expr_stays(leftmost(expr)),
        }
    }

    fn expr_stays(&self, expr: &mut Expr) -> bool {
        let mut stays = true;
        First(Some(&mut |attrs| stays = self.stays(attrs))).visit_expr_mut(expr);
        stays
    }

    /// Elements of a list, or arguments.
    fn elements(&self, elements: &mut Punctuated<Expr, Token![,]>) {
        let stays: Vec<bool> = elements
            .iter_mut()
            .map(|element| self.expr_stays(leftmost(element)))
            .collect();
        if stays.contains(&false) {
            let all = std::mem::take(elements).into_iter().zip(stays);
            *elements = all
                .filter_map(|(element, stays)| stays.then_some(element))
                .collect();
        }
    }
}

impl VisitMut for Chosen<'_> {
    fn visit_block_mut(&mut self, block: &mut Block) {
        block.stmts.retain_mut(|stmt| self.stmt_stays(stmt));
        visit_mut::visit_block_mut(self, block);
    }

    fn visit_expr_match_mut(&mut self, expr: &mut syn::ExprMatch) {
        expr.arms.retain_mut(|arm| self.stays(&mut arm.attrs));
        visit_mut::visit_expr_match_mut(self, expr);
    }

    fn visit_expr_struct_mut(&mut self, expr: &mut syn::ExprStruct) {
        let fields = std::mem::take(&mut expr.fields);
        let stay = |mut field: syn::FieldValue| self.stays(&mut field.attrs).then_some(field);
        expr.fields = fields.into_iter().filter_map(stay).collect();
        visit_mut::visit_expr_struct_mut(self, expr);
    }

    fn visit_pat_struct_mut(&mut self, pat: &mut syn::PatStruct) {
        let fields = std::mem::take(&mut pat.fields);
        let stay = |mut field: syn::FieldPat| self.stays(&mut field.attrs).then_some(field);
        pat.fields = fields.into_iter().filter_map(stay).collect();
        visit_mut::visit_pat_struct_mut(self, pat);
    }

    fn visit_expr_array_mut(&mut self, expr: &mut syn::ExprArray) {
        self.elements(&mut expr.elems);
        visit_mut::visit_expr_array_mut(self, expr);
    }

    fn visit_macro_mut(&mut self, mac: &mut syn::Macro) {
        if let Some(mut args) = configured_arguments(mac) {
            args.iter_mut().for_each(|arg| self.visit_expr_mut(arg));
            mac.tokens = args.to_token_stream();
        }
    }

    fn visit_expr_tuple_mut(&mut self, expr: &mut syn::ExprTuple) {
        self.elements(&mut expr.elems);
        visit_mut::visit_expr_tuple_mut(self, expr);
    }

    fn visit_expr_call_mut(&mut self, expr: &mut syn::ExprCall) {
        self.elements(&mut expr.args);
        visit_mut::visit_expr_call_mut(self, expr);
    }

    fn visit_expr_method_call_mut(&mut self, expr: &mut syn::ExprMethodCall) {
        self.elements(&mut expr.args);
        visit_mut::visit_expr_method_call_mut(self, expr);
    }

    fn visit_item_mut(&mut self, _: &mut syn::Item) {}
}

/// Where the parser puts the attributes of a statement.
fn leftmost(expr: &mut Expr) -> &mut Expr {
    match expr {
        Expr::Assign(assign) => leftmost(&mut assign.left),
        Expr::Binary(binary) => leftmost(&mut binary.left),
        Expr::Cast(cast) => leftmost(&mut cast.expr),
        other => other,
    }
}

type OfAttributes<'a> = dyn FnMut(&mut Vec<Attribute>) + 'a;

/// The attributes of an expression itself.
struct First<'a>(Option<&'a mut OfAttributes<'a>>);

impl VisitMut for First<'_> {
    fn visit_attributes_mut(&mut self, attrs: &mut Vec<Attribute>) {
        if let Some(f) = self.0.take() {
            f(attrs);
        }
    }
}
