//! Uses of an iterator that a function keeps in a variable, by syntax alone. They tell, before it is made, whether it is
//! stepped, and whether in ways that are known.

use proc_macro2::{Ident, TokenTree};
use quote::ToTokens;
use syn::punctuated::Punctuated;
use syn::visit::{self, Visit};

use crate::enclosing::any_token;
use crate::hir::{bare, bound_names};
use crate::std_model::{self, CONSUMES, GOES_ON, ITERATES, LOOKS, Of, called, does};
use crate::syntax::EachExpr;

/// A use of a name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Use {
    /// It is consumed, or copied first.
    Whole,
    /// It is stepped and goes on.
    Stepped,
    /// Something else is among it.
    Other,
}

/// The uses of the iterator called `name` in statements.
pub(super) fn of_name(name: &Ident, rest: &[syn::Stmt]) -> Use {
    let mut uses = Uses::of(name);
    for stmt in rest {
        uses.visit_stmt(stmt);
    }
    uses.found
}

/// True if statements only consume the iterator called `name`.
pub(crate) fn only_consumes(name: &Ident, rest: &[syn::Stmt]) -> bool {
    of_name(name, rest) == Use::Whole
}

/// Returns `true` if the iterator called `name` is at the same position after a block.
pub(super) fn stays(name: &Ident, block: &syn::Block) -> bool {
    let mut uses = Uses::of(name);
    uses.visit_block(block);
    !uses.moves
}

/// Returns `true` if statements call a method on `name` that only iterators have.
pub(super) fn is_iterator(name: &Ident, rest: &[syn::Stmt]) -> bool {
    let uses = Uses::of(name);
    any_expr(rest, &|expr| {
        let syn::Expr::MethodCall(call) = expr else {
            return false;
        };
        let method = call.method.to_string();
        let is_of = |of: &Of| called(*of, &method, call.args.len()).is_some();
        uses.is_name(&call.receiver)
            && does(&method, CONSUMES)
            && ![Of::Any, Of::Option].iter().any(is_of)
    })
}

/// Returns `true` if statements take a part of a list by `name`, or by a clone of it.
pub(super) fn is_index(name: &Ident, rest: &[syn::Stmt]) -> bool {
    let uses = Uses::of(name);
    any_expr(
        rest,
        &|expr| matches!(expr, syn::Expr::Index(index) if uses.is_name(without_clone(&index.index))),
    )
}

fn any_expr(stmts: &[syn::Stmt], is: &dyn Fn(&syn::Expr) -> bool) -> bool {
    let mut found = false;
    let mut each = EachExpr(|expr: &syn::Expr| found = found || is(expr));
    stmts.iter().for_each(|stmt| each.visit_stmt(stmt));
    found
}

/// `at`, and also `at.clone()`.
pub(super) fn without_clone(index: &syn::Expr) -> &syn::Expr {
    match bare(index) {
        syn::Expr::MethodCall(call) if call.method == "clone" && call.args.is_empty() => {
            bare(&call.receiver)
        }
        index => index,
    }
}

/// Returns `true` if code mentions a name anywhere.
pub(in crate::hir) fn mentions_name(code: &impl ToTokens, name: &Ident) -> bool {
    any_token(code.to_token_stream(), &|token| match token {
        TokenTree::Ident(ident) => ident == name,
        // A format string may name it.
        TokenTree::Literal(literal) => literal.to_string().contains(&format!("{{{name}")),
        _ => false,
    })
}

/// Methods of std's lists, ranges and iterators, and of a library's arrays, in the head of a loop.
pub(crate) fn is_of_lists(method: &str) -> bool {
    let begins = ["rchunks", "chunk_by", "split"];
    let of_map = std_model::method(Of::Map, method).is_some();
    does(method, CONSUMES)
        || does(method, ITERATES) && !of_map
        || matches!(method, "as_slice" | "as_mut_slice" | "drain" | "to_vec")
        || crate::types::foreign::views_of(method).is_some()
        || begins.iter().any(|begin| method.starts_with(begin))
}

struct Uses<'a> {
    name: &'a Ident,
    found: Use,
    /// Something else than a look is done with it.
    moves: bool,
}

impl<'a> Uses<'a> {
    fn of(name: &'a Ident) -> Self {
        Uses {
            name,
            found: Use::Whole,
            moves: false,
        }
    }

    fn is_name(&self, expr: &syn::Expr) -> bool {
        matches!(bare(expr), syn::Expr::Path(path) if path.path.is_ident(self.name))
    }

    fn found(&mut self, found: Use) {
        self.moves = true;
        self.found_by(found);
    }

    fn found_by(&mut self, found: Use) {
        if self.found != Use::Other && found != Use::Whole {
            self.found = found;
        }
    }

    /// Where an iterator is wanted, the name is whole, and `&mut` of it is stepped.
    fn iterable(&mut self, expr: &syn::Expr) {
        match expr {
            syn::Expr::Paren(inner) => self.iterable(&inner.expr),
            syn::Expr::Reference(inner)
                if inner.mutability.is_some() && self.is_name(&inner.expr) =>
            {
                self.found(Use::Stepped);
            }
            _ if self.is_name(expr) => self.found(Use::Whole),
            _ => self.visit_expr(expr),
        }
    }
}

impl<'ast> Visit<'ast> for Uses<'_> {
    fn visit_expr_path(&mut self, path: &'ast syn::ExprPath) {
        if path.path.is_ident(self.name) {
            self.found(Use::Other);
        }
    }

    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        let method = call.method.to_string();
        if self.is_name(&call.receiver) {
            self.moves |= !does(&method, LOOKS);
            self.found_by(if does(&method, GOES_ON) {
                Use::Stepped
            } else if does(&method, CONSUMES) {
                Use::Whole
            } else {
                Use::Other
            });
        } else {
            self.iterable(&call.receiver);
        }
        for arg in &call.args {
            if matches!(method.as_str(), "zip" | "chain" | "extend") {
                self.iterable(arg);
            } else {
                self.visit_expr(arg);
            }
        }
    }

    fn visit_expr_for_loop(&mut self, expr: &'ast syn::ExprForLoop) {
        self.iterable(&expr.expr);
        if !bound_names(&expr.pat).any(|name| *self.name == name) {
            self.visit_block(&expr.body);
        }
    }

    fn visit_local(&mut self, local: &'ast syn::Local) {
        let Some(init) = &local.init else { return };
        self.iterable(&init.expr);
        if let Some((_, diverge)) = &init.diverge {
            self.visit_expr(diverge);
        }
    }

    fn visit_expr_closure(&mut self, closure: &'ast syn::ExprClosure) {
        if closure.capture.is_some() && mentions_name(&closure.body, self.name) {
            self.found(Use::Other);
        }
        visit::visit_expr_closure(self, closure);
    }

    fn visit_macro(&mut self, mac: &'ast syn::Macro) {
        let elements = Punctuated::<syn::Expr, syn::Token![,]>::parse_terminated;
        if let (true, Ok(elements)) = (mac.path.is_ident("vec"), mac.parse_body_with(elements)) {
            elements.iter().for_each(|element| self.visit_expr(element));
        } else if mentions_name(&mac.tokens, self.name) {
            self.found(Use::Other);
        }
    }

    fn visit_item(&mut self, _: &'ast syn::Item) {}
}
