//! The user's own code, with the names that it mentions bound to where the compiler keeps these variables.
//!
//! A variable that is kept elsewhere, such as in an `Option`, is bound to a reference, and the code reads `(*name)` instead of `name`: it
//! must not see another type than the one that it was written for. One that is kept under another name is read by that, so that it can
//! be moved.

use proc_macro2::{Group, Ident, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::visit_mut::{self, VisitMut};

use super::Emitter;
use crate::diagnostics::bug;
use crate::enclosing::any_token;
use crate::hir::bound_names;
use crate::ir::{Op, RUNTIME_METHODS, SlotKind, Use};

impl Emitter<'_> {
    pub(super) fn opaque(
        &mut self,
        op: &Op,
        tokens: &TokenStream,
        uses: &[Use],
        out: &mut TokenStream,
    ) {
        self.flush_all(out);
        self.split(op, out);
        let mut bindings = TokenStream::new();
        let mut elsewhere = Vec::new();
        for used in uses {
            match used {
                Use::Value(ident, v) => {
                    let value = self.tokens(*v);
                    bindings.extend(quote!(let #ident = #value;));
                }
                Use::Place {
                    ident,
                    place,
                    by_ref,
                    mutable,
                } => {
                    let slot = self.func.slot(place.root);
                    let exact = place.path.is_empty()
                        && self.slots.get(&place.root).is_some_and(|own| own == ident)
                        && self.named.contains(&place.root)
                        && !slot.in_option
                        && *by_ref == (slot.kind != SlotKind::Owned);
                    if exact {
                        continue;
                    }
                    let owned =
                        place.path.is_empty() && slot.kind == SlotKind::Owned && !slot.in_option;
                    let own = self.slots.get(&place.root).filter(|_| owned);
                    if !by_ref {
                        let read = own.map_or_else(|| quote!((*#ident)), |own| quote!(#own));
                        elsewhere.push((ident.to_string(), read));
                        if own.is_some() && !is_formatted(tokens, ident) {
                            continue;
                        }
                    }
                    let reference = self.reference(place, *mutable);
                    bindings.extend(quote!(let #ident = #reference;));
                }
            }
        }
        self.parts.clear();
        self.takes_views |= any_token(
            tokens.clone(),
            &|token| matches!(token, TokenTree::Ident(name) if RUNTIME_METHODS.iter().any(|own| name == own)),
        );
        let tokens = super::region::with_runtime(&reading(tokens, elsewhere), self.rt);
        let code = if bindings.is_empty() {
            tokens
        } else {
            quote!({ #bindings #tokens })
        };
        match op.results.as_slice() {
            [] => out.extend(quote!(#code;)),
            [r] => {
                let ident = self.typed_name(*r);
                out.extend(quote!(let #ident = #code;));
            }
            _ => bug!("verbatim code with several results"),
        }
    }
}

/// ```text
/// Input:  x + { let y = 1.0; y } + y    (y is a reference now)
/// Output: x + { let y = 1.0; y } + (*y)
/// ```
fn reading(tokens: &TokenStream, names: Vec<(String, TokenStream)>) -> TokenStream {
    if names.is_empty() {
        return tokens.clone();
    }
    let mut names = Names {
        names,
        hidden: Vec::new(),
    };
    match syn::parse2::<syn::Expr>(tokens.clone()) {
        Ok(mut expr) => {
            names.visit_expr_mut(&mut expr);
            expr.into_token_stream()
        }
        Err(_) => names.tokens(tokens.clone()),
    }
}

/// Returns `true` if a format string may mention the variable.
fn is_formatted(tokens: &TokenStream, ident: &Ident) -> bool {
    let name = format!("{{{ident}");
    let names = |token: &TokenTree| matches!(token, TokenTree::Literal(text) if text.to_string().contains(&name));
    any_token(tokens.clone(), &names)
}

struct Names {
    /// The variables, and how they are read.
    names: Vec<(String, TokenStream)>,
    /// Names that the code binds itself, innermost last.
    hidden: Vec<String>,
}

impl Names {
    fn read(&self, ident: &Ident) -> Option<&TokenStream> {
        let (name, read) = self.names.iter().find(|(name, _)| ident == name)?;
        (!self.hidden.contains(name)).then_some(read)
    }

    fn hide(&mut self, pat: &syn::Pat) {
        self.hidden.extend(bound_names(pat));
    }

    fn scope(&mut self, f: impl FnOnce(&mut Self)) {
        let before = self.hidden.len();
        f(self);
        self.hidden.truncate(before);
    }

    /// Inside of a macro there is no syntax: anything that looks like a variable is one. Names in format strings stay,
    /// since references are displayed as their targets.
    fn tokens(&self, tokens: TokenStream) -> TokenStream {
        let trees: Vec<TokenTree> = tokens.into_iter().collect();
        let sign = |k: Option<usize>| match k.and_then(|k| trees.get(k)) {
            Some(TokenTree::Punct(punct)) => punct.as_char(),
            _ => ' ',
        };
        let mut out = TokenStream::new();
        for (k, tree) in trees.iter().enumerate() {
            match tree {
                TokenTree::Group(group) => {
                    let mut inner = Group::new(group.delimiter(), self.tokens(group.stream()));
                    inner.set_span(group.span());
                    out.extend([TokenTree::Group(inner)]);
                }
                TokenTree::Ident(ident) if self.read(ident).is_some() => {
                    let (before, earlier) = (sign(k.checked_sub(1)), sign(k.checked_sub(2)));
                    let (after, later) = (sign(Some(k + 1)), sign(Some(k + 2)));
                    let field = before == '.' && earlier != '.';
                    let path = before == ':' && earlier == ':' || after == ':' && later == ':';
                    let name = after == '=' && !matches!(later, '=' | '>') || after == '!';
                    if field || path || name && later != '=' {
                        out.extend([tree.clone()]);
                    } else {
                        out.extend(self.read(ident).cloned());
                    }
                }
                other => out.extend([other.clone()]),
            }
        }
        out
    }
}

impl VisitMut for Names {
    fn visit_expr_mut(&mut self, expr: &mut syn::Expr) {
        if let syn::Expr::Path(path) = expr
            && let Some(read) = path.path.get_ident().and_then(|ident| self.read(ident))
        {
            *expr = syn::Expr::Verbatim(read.clone());
            return;
        }
        visit_mut::visit_expr_mut(self, expr);
    }

    fn visit_field_value_mut(&mut self, field: &mut syn::FieldValue) {
        // `Struct { x }` is `Struct { x: (*x) }`.
        if field.colon_token.is_none() {
            field.colon_token = Some(syn::token::Colon::default());
        }
        self.visit_expr_mut(&mut field.expr);
    }

    fn visit_expr_closure_mut(&mut self, closure: &mut syn::ExprClosure) {
        self.scope(|names| {
            closure.inputs.iter().for_each(|pat| names.hide(pat));
            names.visit_expr_mut(&mut closure.body);
        });
    }

    fn visit_expr_for_loop_mut(&mut self, expr: &mut syn::ExprForLoop) {
        self.visit_expr_mut(&mut expr.expr);
        self.scope(|names| {
            names.hide(&expr.pat);
            names.visit_block_mut(&mut expr.body);
        });
    }

    fn visit_arm_mut(&mut self, arm: &mut syn::Arm) {
        self.scope(|names| {
            names.hide(&arm.pat);
            visit_mut::visit_arm_mut(names, arm);
        });
    }

    fn visit_expr_if_mut(&mut self, expr: &mut syn::ExprIf) {
        self.scope(|names| {
            names.visit_expr_mut(&mut expr.cond);
            names.visit_block_mut(&mut expr.then_branch);
        });
        if let Some((_, other)) = &mut expr.else_branch {
            self.visit_expr_mut(other);
        }
    }

    fn visit_expr_while_mut(&mut self, expr: &mut syn::ExprWhile) {
        self.scope(|names| {
            names.visit_expr_mut(&mut expr.cond);
            names.visit_block_mut(&mut expr.body);
        });
    }

    fn visit_expr_let_mut(&mut self, expr: &mut syn::ExprLet) {
        self.visit_expr_mut(&mut expr.expr);
        self.hide(&expr.pat);
    }

    fn visit_block_mut(&mut self, block: &mut syn::Block) {
        self.scope(|names| visit_mut::visit_block_mut(names, block));
    }

    fn visit_local_mut(&mut self, local: &mut syn::Local) {
        if let Some(init) = &mut local.init {
            self.visit_expr_mut(&mut init.expr);
            if let Some((_, diverge)) = &mut init.diverge {
                self.visit_expr_mut(diverge);
            }
        }
        self.hide(&local.pat);
    }

    fn visit_macro_mut(&mut self, mac: &mut syn::Macro) {
        mac.tokens = self.tokens(mac.tokens.clone());
    }

    fn visit_item_mut(&mut self, _: &mut syn::Item) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rewritten(code: &str) -> String {
        let tokens: TokenStream = code.parse().unwrap_or_default();
        reading(&tokens, vec![("y".to_owned(), quote!((*y)))])
            .to_string()
            .replace(' ', "")
    }

    #[test]
    fn only_the_variable_is_dereferenced() {
        for (code, want) in [
            ("y < 1.0", "(*y)<1.0"),
            ("y.len() + x.y + y::y()", "(*y).len()+x.y+y::y()"),
            ("{ let y = y; y }", "{lety=(*y);y}"),
            ("f(|y| y + 1, y)", "f(|y|y+1,(*y))"),
            ("P { y, x: y }", "P{y:(*y),x:(*y)}"),
            (
                "assert!(y > 0.0, \"{y}\", y = 2)",
                "assert!((*y)>0.0,\"{y}\",y=2)",
            ),
            ("println!(\"{}\", y == x.y)", "println!(\"{}\",(*y)==x.y)"),
            ("match y { y => y }", "match(*y){y=>y}"),
            (
                "if let Some(y) = f(y) { y } else { y }",
                "ifletSome(y)=f((*y)){y}else{(*y)}",
            ),
            (
                "{ for y in y..3 { g(y) } y = 3; }",
                "{foryin(*y)..3{g(y)}(*y)=3;}",
            ),
        ] {
            assert_eq!(rewritten(code), want, "{code}");
        }
    }
}
