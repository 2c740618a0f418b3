//! Macros that std defines. An attribute macro can't expand any others.
//!
//! A macro of the user's own that stands as a statement or as a condition runs inside of a closure that is `Fn`. So rustc checks that it
//! writes to no variable: it only reads differentiated values. A statement may return from the function if that can be left by `?`: the
//! closure says whether it did.

use std::rc::Rc;

use proc_macro2::{Ident, Span};
use syn::Token;
use syn::parse::{ParseStream, Parser as _};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;

use super::parse::Parser;
use super::{
    Access, Block, Code, Expr, ExprKind, Mention, Outcome, Pat, Stmt, Verbatim, mentions,
    written_output,
};
use crate::configured::{MOST, first_cfg};
use crate::enclosing::has_declaring_macro;
use crate::paths::last_name;

impl Parser {
    /// A macro's call; `statement` where its value is dropped.
    pub(super) fn macro_call(
        &mut self,
        mac: &syn::Macro,
        source: &syn::Expr,
        statement: bool,
    ) -> Expr {
        if let Some(made) = self.matrix_macro(mac) {
            return self.replaced(&made, source);
        }
        let name = self.known_macro(mac);
        if self.callees.array_macro(&mac.path)
            && let Some(made) = self.array_macro(mac, source)
        {
            return made;
        }
        if name == "dbg"
            && !statement
            && let Some(shown) = shown(mac)
        {
            return self.replaced(&shown, source);
        }
        let (outcome, inspects) = match name.as_str() {
            "vec" => return self.vec(mac, source),
            "assert" | "assert_eq" | "assert_ne" | "debug_assert" | "debug_assert_eq"
            | "debug_assert_ne" | "print" | "println" | "eprint" | "eprintln" => {
                (Outcome::Unit, true)
            }
            // Those of `log` and `tracing`.
            "trace" | "debug" | "info" | "warn" | "error" if statement => (Outcome::Unit, true),
            "panic" | "unreachable" | "todo" | "unimplemented" => (Outcome::Never, true),
            "format" | "write" | "writeln" | "concat" | "stringify" | "env" | "include_str" => {
                (Outcome::Inactive, true)
            }
            "matches" => return self.matches_call(mac, source),
            "cfg" => (Outcome::Bool, true),
            "line" | "column" | "file" | "module_path" => (Outcome::Unknown, true),
            "dbg" if statement => (Outcome::Unit, true),
            _ => (Outcome::Unknown, false),
        };
        if statement && (outcome, inspects) == (Outcome::Unknown, false) {
            if let Some(refused) = self.declaring_macro(mac) {
                return refused;
            }
            if let Some(left) = self.leaving_macro(mac, source) {
                return left;
            }
        }
        let why = (
            format!(
                "the macro `{}!` can't be differentiated: an attribute can't expand it",
                name_of(mac)
            ),
            "write out what it expands to, or call a `#[differentiable]` function".to_string(),
        );
        let found = match name.as_str() {
            "cfg" | "line" | "column" | "file" | "module_path" | "concat" | "stringify" | "env"
            | "include_str" => Vec::new(),
            "write" | "writeln" => destination_first(self, mac),
            _ if inspects => self.arguments(mac),
            _ => mentions::of_tokens(&mac.tokens, self),
        };
        let verbatim = Verbatim {
            mentions: found,
            inspects,
            outcome,
            why,
            code: Code::Macro(mac.clone()),
        };
        self.sourced(ExprKind::Verbatim(Box::new(verbatim)), source)
    }

    /// The error for a macro that may declare names for the statements behind it, which wouldn't see them in a rule.
    fn declaring_macro(&mut self, mac: &syn::Macro) -> Option<Expr> {
        let name = name_of(mac);
        let declares =
            name == "thread_local" || self.declaring.contains(&name) || has_declaring_macro(&name);
        declares.then(|| {
            self.rejected(
                mac.path.span(),
                format!(
                    "the macro `{name}!` declares names, which the statements behind it may use"
                ),
                "write out what it expands to, or declare the names outside of the function",
            )
        })
    }

    /// A macro of the library with arrays.
    fn array_macro(&mut self, mac: &syn::Macro, source: &syn::Expr) -> Option<Expr> {
        let (name, span) = (name_of(mac), mac.path.span());
        if mac.path.get_ident().is_some_and(|name| {
            self.own_macros.contains(&name.to_string()) && !self.callees.imports_array_macro(name)
        }) {
            return None;
        }
        let desugared: syn::Expr = match name.as_str() {
            // Which part of an array: a choice without a derivative.
            "s" => {
                let verbatim = Verbatim::inspecting(
                    self.arguments(mac),
                    Outcome::Inactive,
                    Code::Macro(mac.clone()),
                );
                return Some(self.sourced(ExprKind::Verbatim(Box::new(verbatim)), source));
            }
            "array" => {
                let elems = format_args(mac)?;
                let depth = |elem: &syn::Expr| match elem {
                    syn::Expr::Array(row) => match row.elems.first() {
                        Some(syn::Expr::Array(_)) => "arr3",
                        _ => "arr2",
                    },
                    _ => "arr1",
                };
                let made = Ident::new(elems.first().map_or("arr1", depth), span);
                syn::parse_quote_spanned!(span=> ::ndarray::#made(&[#(#elems),*]))
            }
            "azip" => Self::array_zip(mac)?,
            "stack" | "concatenate" => {
                let args = format_args(mac)?;
                let (axis, arrays) = args.split_first()?;
                let made = Ident::new(&name, span);
                syn::parse_quote_spanned!(span=> ::ndarray::#made(#axis, &[#((#arrays).view()),*]).unwrap())
            }
            _ => return None,
        };
        Some(self.replaced(&desugared, source))
    }

    /// A macro of the user's own as a condition.
    ///
    /// ```text
    /// Input:  if close!(x, y) { .. }
    /// Output: if asked(|| close!(x, y)) { .. }
    /// ```
    ///
    /// It returns a `bool` and writes to no variable, which rustc checks: so it only reads differentiated values.
    pub(super) fn asking_macro(&mut self, mac: &syn::Macro, source: &syn::Expr) -> Option<Expr> {
        let own = !matches!(self.known_macro(mac).as_str(), "cfg" | "dbg" | "matches");
        // It might return from a function with such a result.
        let boolean = (self.returns.iter())
            .any(|ty| matches!(ty, syn::Type::Path(path) if path.path.is_ident("bool")));
        if !own || boolean {
            return None;
        }
        let span = mac.path.span();
        let call: syn::Expr = syn::parse_quote_spanned!(span=> __rt::asked(|| #mac));
        Some(self.looking_macro(mac, call, Outcome::Bool, source))
    }

    /// A macro's call that is checked to write to nothing.
    fn looking_macro(
        &mut self,
        mac: &syn::Macro,
        call: syn::Expr,
        outcome: Outcome,
        source: &syn::Expr,
    ) -> Expr {
        let mut mentions = self.arguments(mac);
        mentions
            .iter_mut()
            .for_each(|mention| mention.access = Access::Read);
        let verbatim = Verbatim::inspecting(mentions, outcome, Code::Expr(Rc::new(call)));
        self.sourced(ExprKind::Verbatim(Box::new(verbatim)), source)
    }

    /// A macro that may return from the function, as `ensure!` and `bail!` do, if it is one that can be left by `?`.
    ///
    /// ```text
    /// Input:  ensure!(n > 0, "{n}");
    /// Output: left_by::<Result<f64, Error>>(|| { ensure!(n > 0, "{n}"); Left::through() })?;
    /// ```
    ///
    /// It returns nothing and writes to no variable, which rustc checks: so it only reads differentiated values, as a condition does.
    fn leaving_macro(&mut self, mac: &syn::Macro, source: &syn::Expr) -> Option<Expr> {
        let returns = self.returns.last()?.clone();
        let ends = written_output(&self.hidden_types.unaliased(&returns))?;
        let span = mac.path.span();
        let call: syn::Expr = syn::parse_quote_spanned! {span=>
            __rt::left_by::<#returns>(|| {
                #mac;
                #[allow(unreachable_code)]
                <#returns as __rt::Left>::through()
            })
        };
        let left = Ident::new("left", span.resolved_at(Span::mixed_site()));
        let desugared: syn::Expr = match ends {
            "Option" => syn::parse_quote_spanned! {span=>
                if ::core::option::Option::is_none(&#left) {
                    return ::core::option::Option::None;
                }
            },
            _ => syn::parse_quote_spanned! {span=>
                if let ::core::result::Result::Err(error) = #left {
                    return ::core::result::Result::Err(error);
                }
            },
        };
        let value = self.looking_macro(mac, call.clone(), Outcome::Inactive, &call);
        let body = self.scoped(|parser| {
            let var = parser.declare(&left, false);
            let bound = Stmt::bind(Pat::name(var), value, span);
            let value = parser.expr(&desugared);
            Block::statements(vec![bound, Stmt::Expr(value)], span)
        });
        Some(self.node(ExprKind::Block(body, None), source.span()))
    }

    /// Variables that the arguments of a formatting or asserting macro mention.
    fn arguments(&mut self, mac: &syn::Macro) -> Vec<Mention> {
        let Some(args) = format_args(mac) else {
            return mentions::of_tokens(&mac.tokens, self);
        };
        let mut found: Vec<Mention> = Vec::new();
        for arg in &args {
            for (span, what) in mentions::exits(arg) {
                self.error(
                    span,
                    format!("{what} inside of a macro's argument is not supported"),
                    "bind the argument with `let` first",
                );
            }
            merge(&mut found, mentions::of_expr(arg, self));
            if let syn::Expr::Lit(lit) = arg
                && let syn::Lit::Str(text) = &lit.lit
            {
                for name in mentions::captures(&text.value()) {
                    if let Some(var) = self.lookup(&name) {
                        merge(&mut found, vec![Mention::read(var)]);
                    }
                }
            }
        }
        found
    }

    /// `vec![a, b]` and `vec![x; n]`.
    fn vec(&mut self, mac: &syn::Macro, source: &syn::Expr) -> Expr {
        enum Elements {
            List(Punctuated<syn::Expr, Token![,]>),
            Repeat(Box<[syn::Expr; 2]>),
        }
        let parse = |input: ParseStream| {
            if input.is_empty() {
                return Ok(Elements::List(Punctuated::new()));
            }
            let first: syn::Expr = input.parse()?;
            if input.parse::<Option<Token![;]>>()?.is_some() {
                return Ok(Elements::Repeat(Box::new([first, input.parse()?])));
            }
            let mut list = Punctuated::new();
            list.push_value(first);
            while let Some(comma) = input.parse::<Option<Token![,]>>()? {
                list.push_punct(comma);
                if input.is_empty() {
                    break;
                }
                list.push_value(input.parse()?);
            }
            Ok(Elements::List(list))
        };
        let kind = match parse.parse2(mac.tokens.clone()) {
            Ok(Elements::List(list)) => ExprKind::Array {
                elems: self.exprs(&list),
                vec: true,
            },
            Ok(Elements::Repeat(both)) => {
                let [elem, len] = *both;
                let elem = self.boxed(&elem);
                ExprKind::RepeatVec(elem, self.boxed(&len))
            }
            Err(error) => {
                self.errors.push(error);
                ExprKind::Unit
            }
        };
        self.sourced(kind, source)
    }

    /// `matches!(value, pattern)`: a `bool`, so that an active value ends here.
    fn matches_call(&mut self, mac: &syn::Macro, source: &syn::Expr) -> Expr {
        let parse = |input: ParseStream| {
            let value: syn::Expr = input.parse()?;
            let rest: proc_macro2::TokenStream = input.parse()?;
            Ok((value, rest))
        };
        let found = match parse.parse2(mac.tokens.clone()) {
            Ok((value, rest)) => {
                let mut found = mentions::of_expr(&value, self);
                merge(&mut found, mentions::of_tokens(&rest, self));
                found
            }
            Err(_) => mentions::of_tokens(&mac.tokens, self),
        };
        let verbatim =
            Verbatim::inspecting(found, Outcome::Bool, Code::Expr(Rc::new(source.clone())));
        self.sourced(ExprKind::Verbatim(Box::new(verbatim)), source)
    }
}

/// The last segment of a macro's path.
fn name_of(mac: &syn::Macro) -> String {
    last_name(&mac.path).unwrap_or_default()
}

impl Parser {
    /// The name of a macro of std, or of `log` or `tracing`; of any other macro, nothing.
    pub(super) fn known_macro(&self, mac: &syn::Macro) -> String {
        let roots = ["std", "core", "alloc", "log", "tracing"];
        let is_known = match mac.path.get_ident() {
            Some(name) => !self.own_macros.contains(&name.to_string()),
            None => roots.iter().any(|root| mac.path.segments[0].ident == root),
        };
        if is_known {
            name_of(mac)
        } else {
            String::new()
        }
    }
}

/// The arguments of a formatting macro; for `name = value` the value.
fn format_args(mac: &syn::Macro) -> Option<Vec<syn::Expr>> {
    let list = Punctuated::<syn::Expr, Token![,]>::parse_terminated;
    let args = list.parse2(mac.tokens.clone()).ok()?;
    let value = |arg| match arg {
        syn::Expr::Assign(named) => *named.right,
        other => other,
    };
    Some(args.into_iter().map(value).collect())
}

/// `write!(out, ...)` writes to its first argument.
fn destination_first(parser: &mut Parser, mac: &syn::Macro) -> Vec<Mention> {
    let mut found = parser.arguments(mac);
    if let Some(args) = format_args(mac)
        && let Some(first) = args.first()
    {
        for mut mention in mentions::of_expr(first, parser) {
            mention.access = Access::Write;
            merge(&mut found, vec![mention]);
        }
    }
    found
}

fn merge(found: &mut Vec<Mention>, more: Vec<Mention>) {
    for mention in more {
        match found.iter_mut().find(|m| m.var == mention.var) {
            Some(known) => known.access = known.access.max(mention.access),
            None => found.push(mention),
        }
    }
}

/// The effects of `dbg!(x)`, as statements, so that its value can be differentiated.
fn shown(mac: &syn::Macro) -> Option<syn::Expr> {
    let args = format_args(mac)?;
    let span = mac.path.span();
    let shown = proc_macro2::Ident::new("shown", span.resolved_at(proc_macro2::Span::mixed_site()));
    let shown = |arg: &syn::Expr| -> syn::Expr {
        syn::parse_quote_spanned! {span=> {
            let #shown = #arg;
            ::std::eprintln!("[{}:{}:{}] {} = {:#?}", ::core::file!(), ::core::line!(), ::core::column!(), ::core::stringify!(#arg), #shown);
            #shown
        }}
    };
    let all: Vec<syn::Expr> = args.iter().map(shown).collect();
    match &all[..] {
        [one] => Some(one.clone()),
        all => Some(syn::parse_quote_spanned!(span=> (#(#all),*))),
    }
}

/// An error where a `#[cfg]` is left in the body, or in one that is inlined: the rules would still contain the code that it removes.
pub(super) fn refuse_cfg(name: &Ident, block: &syn::Block, parser: &mut Parser) {
    let inlined = parser.siblings.with_cfg().next().map(|other| {
        let message = format!("`{name}` calls `{other}`, in which `#[cfg]` is not supported here");
        (name.span(), message)
    });
    let own = first_cfg(block).map(|span| (span, "`#[cfg]` is not supported here".into()));
    if let Some((span, message)) = own.or(inlined) {
        parser.error(
            span,
            message,
            format!(
                "put it on a statement, an arm, a field or an element, with at most {MOST} different conditions in a body, or write `if cfg!(...) {{ ... }}`"
            ),
        );
    }
}
