//! Reads a `Clone` that a file writes by hand: whether a clone is equal to the original.
//!
//! In: the `impl`, and members that may differ. Out: true if each literal of the type in it copies each of its other members from the same member.

use std::collections::HashMap;

use syn::visit::{self, Visit};

/// True if the clones that an `impl Clone` returns are equal to the original, but for members of the struct, or of a variant, that may differ.
pub(super) fn copies(
    item: &syn::ItemImpl,
    may_differ: &dyn Fn(&str, &syn::Member) -> bool,
) -> bool {
    let mut methods = item.items.iter().filter_map(|item| match item {
        syn::ImplItem::Fn(method) if method.sig.ident == "clone" => Some(&method.block),
        _ => None,
    });
    let mut copy = Copy {
        may_differ,
        origins: HashMap::new(),
        variant: None,
    };
    methods.next().is_some_and(|body| copy.block(body))
}

struct Copy<'a> {
    may_differ: &'a dyn Fn(&str, &syn::Member) -> bool,
    /// The members that variables are copies of.
    origins: HashMap<String, syn::Member>,
    /// The variant that the original has in an arm of a `match`.
    variant: Option<syn::Ident>,
}

/// The variant that a pattern is of.
fn variant(pattern: &syn::Pat) -> Option<syn::Ident> {
    let path = match pattern {
        syn::Pat::TupleStruct(of) => &of.path,
        syn::Pat::Struct(of) => &of.path,
        syn::Pat::Path(of) => &of.path,
        _ => return None,
    };
    path.segments.last().map(|last| last.ident.clone())
}

impl Copy<'_> {
    fn block(&mut self, block: &syn::Block) -> bool {
        let Some((syn::Stmt::Expr(last, None), before)) = block.stmts.split_last() else {
            return false;
        };
        for stmt in before {
            let syn::Stmt::Local(syn::Local {
                pat: syn::Pat::Ident(name),
                init: Some(init),
                ..
            }) = stmt
            else {
                return false;
            };
            if let Some(member) = self.origin(&init.expr) {
                self.origins.insert(name.ident.to_string(), member);
            }
        }
        self.whole(last)
    }

    /// True if an expression is a copy of `self`.
    fn whole(&mut self, expr: &syn::Expr) -> bool {
        match expr {
            syn::Expr::Block(block) => self.block(&block.block),
            syn::Expr::Match(of) => of.arms.iter().all(|arm| {
                self.bind(&arm.pat);
                self.variant = variant(&arm.pat);
                self.whole(&arm.body)
            }),
            syn::Expr::Unary(syn::ExprUnary {
                op: syn::UnOp::Deref(_),
                expr,
                ..
            }) => matches!(&**expr, syn::Expr::Path(path) if path.path.is_ident("self")),
            syn::Expr::Struct(new) => {
                let mut fields = new.fields.iter();
                let rest = new.rest.as_deref().is_none_or(|rest| self.whole(rest));
                rest && self.is_same(&new.path)
                    && fields.all(|field| self.part(&new.path, &field.member, &field.expr))
            }
            syn::Expr::Call(new) => {
                match &*new.func {
                    syn::Expr::Path(of) => new.args.iter().zip(0..).all(|(arg, k): (_, usize)| {
                        self.part(&of.path, &syn::Member::from(k), arg)
                    }),
                    _ => false,
                }
            }
            syn::Expr::Path(unit) => self.is_same(&unit.path),
            _ => false,
        }
    }

    /// True if a literal has the variant of the original, if there are any.
    fn is_same(&self, of: &syn::Path) -> bool {
        let last = of.segments.last().map(|last| &last.ident);
        self.variant.is_none() || self.variant.as_ref() == last
    }

    /// True if a member of a literal has the numbers of the same member.
    fn part(&self, of: &syn::Path, member: &syn::Member, value: &syn::Expr) -> bool {
        let name = of.segments.last().map(|last| last.ident.to_string());
        name.is_some_and(|name| (self.may_differ)(&name, member))
            || self.origin(value).as_ref() == Some(member)
    }

    /// Binds the names of a pattern to the members that they are of.
    fn bind(&mut self, pattern: &syn::Pat) {
        let mut bind = |member: syn::Member, pat: &syn::Pat| {
            if let syn::Pat::Ident(name) = pat {
                self.origins.insert(name.ident.to_string(), member);
            }
        };
        match pattern {
            syn::Pat::TupleStruct(of) => {
                (of.elems.iter().zip(0_usize..)).for_each(|(pat, k)| bind(k.into(), pat));
            }
            syn::Pat::Struct(of) => {
                (of.fields.iter()).for_each(|field| bind(field.member.clone(), &field.pat));
            }
            _ => {}
        }
    }

    /// The one member from which an expression takes its numbers, if it doesn't compute with them.
    fn origin(&self, expr: &syn::Expr) -> Option<syn::Member> {
        let mut reads = Reads {
            copy: self,
            origin: None,
            computes: false,
        };
        reads.visit_expr(expr);
        reads.origin.filter(|_| !reads.computes)
    }
}

/// The members that an expression reads.
struct Reads<'a> {
    copy: &'a Copy<'a>,
    origin: Option<syn::Member>,
    /// It has more than one, arithmetic, or numbers of its own.
    computes: bool,
}

impl Reads<'_> {
    fn read(&mut self, member: &syn::Member) {
        self.computes |= self.origin.get_or_insert_with(|| member.clone()) != member;
    }
}

impl<'ast> Visit<'ast> for Reads<'_> {
    fn visit_expr(&mut self, expr: &'ast syn::Expr) {
        match expr {
            syn::Expr::Field(of) if matches!(&*of.base, syn::Expr::Path(path) if path.path.is_ident("self")) =>
            {
                self.read(&of.member);
            }
            syn::Expr::Path(path) => {
                let origins = &self.copy.origins;
                let name = path.path.get_ident().map(ToString::to_string);
                if let Some(member) = name.and_then(|name| origins.get(&name)) {
                    self.read(member);
                }
            }
            syn::Expr::Unary(unary) if !matches!(unary.op, syn::UnOp::Deref(_)) => {
                self.computes = true;
            }
            syn::Expr::Binary(_) | syn::Expr::Lit(_) | syn::Expr::Macro(_) => self.computes = true,
            other => visit::visit_expr(self, other),
        }
    }
}
