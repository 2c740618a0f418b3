//! Items that may be absent, without an `Option`: a flag, and the item by its position.
//!
//! ```text
//! Input:  let first = it.next(); if let Some(v) = first { a }
//! Output: let k = front; let some = ..; if some { let v = &list[k]; a }
//! ```

use proc_macro2::Span;
use syn::spanned::Spanned;

use super::Chain;
use super::choose::Selected;
use super::positions::At;
use super::stepped::Cursor;
use crate::hir::parse::Parser;
use crate::hir::{Expr, Stmt, Var, bare};

/// An item that may be absent.
#[derive(Clone)]
pub(in crate::hir) struct NextItem {
    pub(in crate::hir) some: Var,
    item: Item,
    /// The variable of the iterator that it is from.
    of: Option<Var>,
}

#[derive(Clone)]
enum Item {
    /// The item at a position.
    At(At, Var),
    /// A value that never changes.
    Fixed(Box<Expr>),
    Ref(Box<Item>),
    Cloned(Box<Item>),
}

impl Cursor {
    /// The item at a position that may be past the end.
    pub(super) fn maybe(&self, some: Var, k: Var) -> NextItem {
        NextItem {
            some,
            item: Item::At(self.at.clone(), k),
            of: Some(self.front),
        }
    }
}

impl NextItem {
    /// A reference to it.
    pub(super) fn by_reference(self) -> NextItem {
        NextItem {
            item: Item::Ref(Box::new(self.item)),
            ..self
        }
    }

    /// The same in other variables.
    fn in_variables(mut self, f: &mut dyn FnMut(Var) -> Var) -> NextItem {
        self.some = f(self.some);
        if let Item::At(_, k) = self.item.at_mut() {
            *k = f(*k);
        }
        self
    }

    /// The variables of this and of another item of the same iterator.
    fn parts_like(&self, other: &NextItem) -> Option<Vec<(Var, Var)>> {
        let k = self.item.position_like(&other.item)?;
        (self.of == other.of).then(|| vec![(self.some, other.some), k])
    }
}

impl Item {
    fn at_mut(&mut self) -> &mut Item {
        match self {
            Item::Ref(inner) | Item::Cloned(inner) => inner.at_mut(),
            item => item,
        }
    }

    fn position_like(&self, other: &Item) -> Option<(Var, Var)> {
        match (self, other) {
            (Item::At(_, k), Item::At(_, other)) => Some((*k, *other)),
            (Item::Ref(inner), Item::Ref(other)) => inner.position_like(other),
            _ => None,
        }
    }
}

impl Parser {
    /// An item that may be absent, where a pattern takes it apart.
    pub(in crate::hir) fn maybe(
        &mut self,
        source: &syn::Expr,
        stmts: &mut Vec<Stmt>,
    ) -> Option<NextItem> {
        let source = bare(source);
        match source {
            syn::Expr::Path(path) => self.known_maybe(path, stmts),
            syn::Expr::MethodCall(call)
                if matches!(call.method.to_string().as_str(), "copied" | "cloned") =>
            {
                let NextItem { some, item, of } = self.maybe(&call.receiver, stmts)?;
                let item = match item {
                    Item::Ref(inner) => *inner,
                    item => Item::Cloned(Box::new(item)),
                };
                Some(NextItem { some, item, of })
            }
            _ => self.step(source, stmts),
        }
    }

    /// The result of a chain, where a pattern takes it apart: an element by its position needs no `Option`, else there is one.
    pub(in crate::hir) fn found(
        &mut self,
        source: &syn::Expr,
        stmts: &mut Vec<Stmt>,
    ) -> Option<Result<NextItem, Expr>> {
        if let syn::Expr::MethodCall(call) = source
            && call.method == "position"
            && self.stepped(&call.receiver).is_none()
        {
            return None;
        }
        let selected = self.selected(source, stmts)?;
        if !self.is_position(&selected.value, &mut Vec::new()) {
            return Some(Err(self.as_option(selected, source.span())));
        }
        stmts.extend(selected.stmts);
        Some(Ok(NextItem {
            some: selected.some,
            item: Item::Fixed(Box::new(selected.value)),
            of: None,
        }))
    }

    /// The current item that a name is bound to.
    pub(super) fn known_maybe(
        &mut self,
        path: &syn::ExprPath,
        stmts: &mut Vec<Stmt>,
    ) -> Option<NextItem> {
        let var = self.lookup(&path.path.get_ident()?.to_string())?;
        let maybe = self.maybes.get(&var)?.clone();
        self.named += 1;
        if !self.vars[var.0 as usize].mutable {
            return Some(maybe);
        }
        let span = path.span();
        Some(maybe.in_variables(&mut |var| {
            let now = self.read(var, span);
            self.fixed("now", now, stmts)
        }))
    }

    /// `let item = it.next();`: the name is bound to an item that may be absent, as long as that is a reference.
    pub(in crate::hir) fn maybe_local(
        &mut self,
        local: &syn::Local,
        stmts: &mut Vec<Stmt>,
    ) -> bool {
        let (Some(init), syn::Pat::Ident(pat)) = (&local.init, &local.pat) else {
            return false;
        };
        let plain = pat.by_ref.is_none() && pat.subpat.is_none();
        if init.diverge.is_some() || !plain || !self.steps_to_reference(&init.expr) {
            return false;
        }
        let Some(mut maybe) = self.step(&init.expr, stmts) else {
            return false;
        };
        let mutable = pat.mutability.is_some();
        if mutable {
            let span = pat.ident.span();
            maybe = maybe.in_variables(&mut |var| {
                let now = self.read(var, span);
                self.state("kept", None, now, stmts)
            });
        }
        let var = self.declare(&pat.ident, mutable);
        self.maybes.insert(var, maybe);
        true
    }

    /// Returns `true` if a step results in a value, which other expressions could change before it is bound.
    pub(in crate::hir) fn steps_to_value(&self, source: &syn::Expr) -> bool {
        self.is_step(copy_of(source)) && !self.steps_to_reference(source)
    }

    /// Returns `true` if an expression doesn't change the items of steps.
    pub(in crate::hir) fn is_quiet(&self, source: &syn::Expr) -> bool {
        match copy_of(source) {
            syn::Expr::Path(_) | syn::Expr::Lit(_) => true,
            syn::Expr::Field(field) => self.is_quiet(&field.base),
            syn::Expr::Reference(inner) => self.is_quiet(&inner.expr),
            source => self.is_step(source),
        }
    }

    fn steps_to_reference(&self, source: &syn::Expr) -> bool {
        let syn::Expr::MethodCall(call) = source else {
            return false;
        };
        match self.stepped(&call.receiver) {
            Some(Chain::Cursor(cursor)) => self.is_step(source) && cursor.at.refers(),
            _ => false,
        }
    }

    /// `item = it.next();`, where `item` has been an item of the same iterator before.
    pub(in crate::hir) fn assign_maybe(&mut self, assign: &syn::ExprAssign) -> Option<Vec<Stmt>> {
        let var = self.variable_named(&assign.left)?;
        let place = self.maybes.get(&var)?.clone();
        let mut stmts = Vec::new();
        let now = self.step(&assign.right, &mut stmts)?;
        let span = assign.eq_token.span;
        for (place, now) in place.parts_like(&now)? {
            let now = self.read(now, span);
            stmts.push(self.set(place, now));
        }
        Some(stmts)
    }

    /// The item, where it is present.
    pub(in crate::hir) fn item_of(
        &mut self,
        maybe: &NextItem,
        span: Span,
        stmts: &mut Vec<Stmt>,
    ) -> Expr {
        self.value_of(&maybe.item, span, stmts)
    }

    fn value_of(&mut self, item: &Item, span: Span, stmts: &mut Vec<Stmt>) -> Expr {
        match item {
            Item::At(at, k) => self.item_at(at, *k, span, stmts),
            Item::Fixed(value) => self.again(value),
            Item::Ref(inner) => {
                let item = self.value_of(inner, span, stmts);
                self.borrow(item)
            }
            Item::Cloned(inner) => {
                let item = self.value_of(inner, span, stmts);
                self.cloned(item)
            }
        }
    }

    /// `Some(item)`, or `None`.
    pub(in crate::hir) fn option_of(&mut self, maybe: &NextItem, span: Span) -> Expr {
        let mut stmts = Vec::new();
        let value = self.item_of(maybe, span, &mut stmts);
        let some = maybe.some;
        self.as_option(Selected { some, stmts, value }, span)
    }
}

/// The receiver of `copied()` or `cloned()`.
fn copy_of(source: &syn::Expr) -> &syn::Expr {
    match source {
        syn::Expr::MethodCall(call) if call.method == "copied" || call.method == "cloned" => {
            &call.receiver
        }
        source => source,
    }
}
