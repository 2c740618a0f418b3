//! Reads a `Clone` that a file writes by hand, and tells whether a clone is equal to the original.
//!
//! In: the `impl`, and the members that may differ. Out: true if the method builds the type, or the variant that the original has, and copies each other
//! member from the same member.

use std::collections::HashMap;

use super::attributes::are_as_written;
use crate::paths::last_name;
use crate::std_model::{CLONES, does};

/// True if the clones that an `impl Clone` of the type `own` returns are equal to the original, but for members of the struct, or of a variant, that may
/// differ.
pub(super) fn copies(
    own: &str,
    item: &syn::ItemImpl,
    may_differ: &dyn Fn(&str, &syn::Member) -> bool,
) -> bool {
    let copy = Copy {
        name: own.to_owned(),
        own,
        may_differ,
        origins: HashMap::new(),
    };
    match &item.items[..] {
        [syn::ImplItem::Fn(clone)] => {
            are_as_written(&item.attrs) && are_as_written(&clone.attrs) && copy.block(&clone.block)
        }
        _ => false,
    }
}

#[derive(Clone)]
struct Copy<'a> {
    /// The type, or the variant that the original has in an arm of a `match`.
    name: String,
    own: &'a str,
    may_differ: &'a dyn Fn(&str, &syn::Member) -> bool,
    /// The members that variables are copies of.
    origins: HashMap<String, syn::Member>,
}

impl Copy<'_> {
    /// True if a block returns a copy of `self`.
    fn block(mut self, block: &syn::Block) -> bool {
        let Some((syn::Stmt::Expr(last, None), before)) = block.stmts.split_last() else {
            return false;
        };
        before.iter().all(|stmt| self.bind(stmt)) && self.whole(last)
    }

    /// Takes the variable of a `let`; false for other statements.
    fn bind(&mut self, stmt: &syn::Stmt) -> bool {
        let syn::Stmt::Local(local) = stmt else {
            return false;
        };
        let (syn::Pat::Ident(name), Some(init)) = (&local.pat, &local.init) else {
            return false;
        };
        let origin = self.origin(&init.expr);
        self.name_copy(&name.ident, origin);
        true
    }

    fn name_copy(&mut self, name: &syn::Ident, origin: Option<syn::Member>) {
        match origin {
            Some(member) => self.origins.insert(name.to_string(), member),
            None => self.origins.remove(&name.to_string()),
        };
    }

    /// True if an expression is a copy of `self`.
    fn whole(&self, expr: &syn::Expr) -> bool {
        match expr {
            syn::Expr::Block(block) => self.clone().block(&block.block),
            syn::Expr::Match(of) => {
                is_self(&of.expr) && of.arms.iter().all(|arm| self.arm(&arm.pat, &arm.body))
            }
            syn::Expr::Unary(_) => is_self(expr),
            syn::Expr::Struct(new) => {
                let mut fields = new.fields.iter();
                new.rest.as_deref().is_none_or(is_self)
                    && self.is_same(&new.path)
                    && fields.all(|field| self.part(&field.member, &field.expr))
            }
            syn::Expr::Call(new) => {
                let mut args = new.args.iter().zip(0_usize..);
                matches!(&*new.func, syn::Expr::Path(of) if self.is_same(&of.path))
                    && args.all(|(arg, k)| self.part(&k.into(), arg))
            }
            syn::Expr::Path(unit) => self.is_same(&unit.path),
            _ => false,
        }
    }

    /// True if an arm of a `match` on `self` returns a copy.
    fn arm(&self, pattern: &syn::Pat, body: &syn::Expr) -> bool {
        let (path, parts): (_, Vec<(syn::Member, &syn::Pat)>) = match pattern {
            syn::Pat::TupleStruct(of) => {
                let parts = of.elems.iter().zip(0_usize..);
                (&of.path, parts.map(|(pat, k)| (k.into(), pat)).collect())
            }
            syn::Pat::Struct(of) => {
                let parts = of.fields.iter();
                let parts = parts.map(|field| (field.member.clone(), &*field.pat));
                (&of.path, parts.collect())
            }
            syn::Pat::Path(of) => (&of.path, Vec::new()),
            _ => return false,
        };
        let mut inner = self.clone();
        inner.name = self.last(path);
        for (member, pat) in parts {
            if let syn::Pat::Ident(name) = pat {
                inner.name_copy(&name.ident, Some(member));
            }
        }
        inner.whole(body)
    }

    /// The last name of a path, without `Self`.
    fn last(&self, path: &syn::Path) -> String {
        let last = last_name(path);
        last.filter(|last| last != "Self")
            .unwrap_or_else(|| self.own.to_owned())
    }

    /// True if a literal is of the type, or of the variant, that the original has.
    fn is_same(&self, of: &syn::Path) -> bool {
        self.last(of) == self.name
    }

    /// True if a member of a literal is equal to the same member of the original, or may differ.
    fn part(&self, member: &syn::Member, value: &syn::Expr) -> bool {
        (self.may_differ)(&self.name, member) || self.origin(value).as_ref() == Some(member)
    }

    /// The member that an expression is a copy of.
    fn origin(&self, expr: &syn::Expr) -> Option<syn::Member> {
        match expr {
            syn::Expr::Field(of) if is_self(&of.base) => Some(of.member.clone()),
            syn::Expr::Path(path) => {
                let name = path.path.get_ident()?.to_string();
                self.origins.get(&name).cloned()
            }
            syn::Expr::Paren(of) => self.origin(&of.expr),
            syn::Expr::Reference(of) => self.origin(&of.expr),
            syn::Expr::Unary(of) if matches!(of.op, syn::UnOp::Deref(_)) => self.origin(&of.expr),
            syn::Expr::MethodCall(call) => {
                let origin = self.origin(&call.receiver)?;
                let copies = match call.args.first() {
                    None => is_copying(&call.method),
                    Some(arg) => call.method == "map" && self.maps_to_copies(arg, &origin),
                };
                copies.then_some(origin)
            }
            syn::Expr::Call(call) if call.args.len() == 1 && is_copying_path(&call.func) => {
                self.origin(call.args.first()?)
            }
            _ => None,
        }
    }

    /// True if a function returns a copy of its argument, which is a part of the member.
    fn maps_to_copies(&self, function: &syn::Expr, member: &syn::Member) -> bool {
        let syn::Expr::Closure(closure) = function else {
            return is_copying_path(function);
        };
        let Some(syn::Pat::Ident(name)) = closure.inputs.first() else {
            return false;
        };
        let mut inner = self.clone();
        inner.origins = HashMap::new();
        inner.name_copy(&name.ident, Some(member.clone()));
        inner.origin(&closure.body).is_some()
    }
}

/// True for `self` and `*self`.
fn is_self(expr: &syn::Expr) -> bool {
    match expr {
        syn::Expr::Unary(of) => matches!(of.op, syn::UnOp::Deref(_)) && is_self(&of.expr),
        syn::Expr::Path(path) => path.path.is_ident("self"),
        _ => false,
    }
}

/// True for a method that returns clones, or an iterator or list of the same values.
fn is_copying(name: &syn::Ident) -> bool {
    let name = name.to_string();
    does(&name, CLONES) || ["iter", "collect"].contains(&name.as_str())
}

/// True for `Box::new`, `f64::clone` and the like.
fn is_copying_path(function: &syn::Expr) -> bool {
    let syn::Expr::Path(path) = function else {
        return false;
    };
    let segments: Vec<_> = path.path.segments.iter().collect();
    match segments[..] {
        [of, last] if last.ident == "new" || last.ident == "from" => {
            ["Box", "Vec"].iter().any(|known| of.ident == known)
        }
        [.., last] => last.ident == "Some" || segments.len() > 1 && is_copying(&last.ident),
        [] => false,
    }
}
