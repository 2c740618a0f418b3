//! The order of evaluation, where it is observable: where one side writes a place that the other one reads.
//!
//! For primitives `place op= value` evaluates the value first, otherwise the place. A receiver by value is read before the
//! arguments, and one by reference when the method runs. Where only rustc can tell which it is, the function is refused.

use proc_macro2::{Ident, Span};
use quote::quote;

use super::builder::{Lowered, Lowerer};
use crate::hir::{Expr, ExprKind, Mention};
use crate::ir::{OpKind, Place, Use, Value};
use crate::std_model::{READS, WRITES, does, of_floats, of_lists};
use crate::types::Type;

impl Lowerer<'_> {
    /// The sides of `place op= value`, which may be primitives, in Rust's order: of primitives the right side comes first, of all
    /// else the left.
    pub(super) fn operands_of_update(
        &mut self,
        place: &Expr,
        value: &Expr,
    ) -> Lowered<(Place, Value)> {
        let known = |ty: &Type| !matches!(ty, Type::Deferred);
        let (left, right) = (self.ty(place).peeled(), self.ty(value).peeled());
        let certain = known(left) && (known(right) || !left.is_scalar());
        if certain || !self.order_shows(place, value) {
            let target = self.target(place)?;
            return Ok((target, self.operand(value)?));
        }
        if !known(left) {
            return self.reject(
                place,
                "the order of evaluation depends on types that the macro can't see",
                "give the list a type, `let mut v: Vec<f64> = ..;`, or bind what a call gives before: `let i = next(&mut rng); v[i] += ..;`",
            );
        }
        let right = self.operand(value)?;
        let target = self.target(place)?;
        let ty = left.lower();
        let left = self.emit(OpKind::Load(target.clone()), ty, "t", place.span);
        let [a, b] = ["a", "b"].map(|name| Ident::new(name, Span::mixed_site()));
        let check = OpKind::code(
            quote!(__rt::probe::check_one_type(#a, #b);),
            vec![Use::Value(a, left), Use::Value(b, right)],
        );
        self.effect(check, value.span);
        Ok((target, right))
    }

    /// Returns `true` if evaluating `later` may write to the place `read`, as far as their names tell.
    pub(super) fn may_write(&self, later: &Expr, read: &Expr) -> bool {
        let Some(root) = read.root() else {
            return false;
        };
        let mentions = self.mentions(later);
        let mut of_root = mentions.iter().filter(|mention| mention.var == root);
        self.writable(root) && of_root.any(|mention| self.writes(*mention))
    }

    /// Returns `true` if finding the place may write a variable that the value reads, or the other way round.
    fn order_shows(&self, place: &Expr, value: &Expr) -> bool {
        let mut finding = Vec::new();
        each_index(place, &mut |index| finding.extend(self.mentions(index)));
        let writes = |mention: &Mention| self.writes(*mention) && self.writable(mention.var);
        let right = self.mentions(value);
        finding.iter().any(|a| {
            let b = right.iter().find(|b| b.var == a.var);
            b.is_some_and(|b| writes(a) || writes(b))
        })
    }

    /// Returns `true` if a receiver can only be taken by value, so that it is read before the arguments, which write to
    /// it: `v[0].max({ v[0] += 1.0; y })`.
    pub(super) fn is_read_early(&self, receiver: &Expr, name: &Ident, args: &[Expr]) -> bool {
        let whole = matches!(receiver.kind, ExprKind::Var(_));
        let number = !whole && of_floats(&name.to_string());
        // An argument that mentions the receiver finds it there only if it was copied.
        let by_value = self.takes_by_value(receiver, name);
        let mut written = by_value && args.iter().any(|arg| self.may_write(arg, receiver));
        for arg in args {
            written |= number && self.may_write(arg, receiver);
            arg.walk(&mut |part| {
                if let ExprKind::Assign(place, _)
                | ExprKind::AssignOp(_, place, _)
                | ExprKind::Ref(true, place) = &part.kind
                {
                    written |= may_overlap(place, receiver);
                }
            });
        }
        written && !matches!(self.ty(receiver), Type::Ref(..))
    }

    /// True if a method of a type of the file takes its receiver by value.
    fn takes_by_value(&self, receiver: &Expr, name: &Ident) -> bool {
        let method = self.method_of_the_file(receiver, name);
        let receiver = method.and_then(syn::Signature::receiver);
        receiver.is_some_and(|receiver| matches!(receiver.kind, syn::ReceiverKind::Value))
    }

    /// The signature of a method of a type of the file.
    fn method_of_the_file(&self, receiver: &Expr, name: &Ident) -> Option<&syn::Signature> {
        let (Type::Named(own) | Type::Inactive(own)) = self.ty(receiver).peeled() else {
            return None;
        };
        self.hir.own(own)?.own.method(&name.to_string())
    }

    /// `s.pos.dot(s.step())`: whether `s.pos` is read before `step` writes to it depends on whether `dot` takes it by value.
    pub(super) fn reject_disorder(
        &mut self,
        receiver: &Expr,
        name_of: &Ident,
        args: &[Expr],
    ) -> Lowered<()> {
        let name = name_of.to_string();
        let ty = match receiver.kind {
            ExprKind::Var(_) => self.ty(receiver).peeled(),
            _ => self.ty(receiver),
        };
        let unknown = match ty {
            Type::Deferred | Type::Foreign(_) => true,
            Type::Named(_) => self.method_of_the_file(receiver, name_of).is_none(),
            _ => false,
        };
        let writes = receiver.root().is_some_and(|root| self.writable(root));
        let by_reference = of_floats(&name)
            || does(&name, READS)
            || of_lists(&name).any(|method| method.does(WRITES));
        if !unknown || !writes || by_reference {
            return Ok(());
        }
        let mut found = None;
        for arg in args {
            arg.walk(&mut |part| {
                if let ExprKind::Method {
                    receiver: of, name, ..
                } = &part.kind
                    && may_overlap(of, receiver)
                    && !self.only_looks(of, &name.to_string())
                {
                    found.get_or_insert(name.clone());
                }
            });
        }
        let Some(called) = found else { return Ok(()) };
        self.reject(
            called.span(),
            format!(
                "`{called}` may run before or after `{name}` reads its receiver: the signature of `{name}` is not in this file"
            ),
            format!("call `{called}` first: `let value = ..;`"),
        )
    }

    /// Returns `true` if a method only reads its receiver, as far as its name tells.
    fn only_looks(&self, of: &Expr, name: &str) -> bool {
        let own = matches!(of.kind, ExprKind::Var(var) if self.hir.var(var).ident == "self");
        does(name, READS)
            || of_floats(name)
            || own && self.hir.readers.iter().any(|reader| reader == name)
            || self.ty(of).peeled().is_scalar()
    }
}

/// Visits the expressions that are evaluated to find a place.
fn each_index(place: &Expr, f: &mut dyn FnMut(&Expr)) {
    match &place.kind {
        ExprKind::Index(base, index) => {
            each_index(base, f);
            f(index);
        }
        ExprKind::Field(base, _) | ExprKind::Deref(base) => each_index(base, f),
        ExprKind::Method { receiver, args, .. } => {
            each_index(receiver, f);
            args.iter().for_each(f);
        }
        _ => {}
    }
}

/// Returns `true` if two places may overlap: they are of one variable, and don't go on with different fields.
fn may_overlap(a: &Expr, b: &Expr) -> bool {
    let same = a.root().is_some() && a.root() == b.root();
    let (a, b) = (fields(a), fields(b));
    same && a.iter().zip(&b).all(|(a, b)| a == b)
}

/// The fields that come first on the way from a variable to a place.
fn fields(place: &Expr) -> Vec<&syn::Member> {
    match &place.kind {
        ExprKind::Field(base, member) => {
            let mut all = fields(base);
            let direct = matches!(base.kind, ExprKind::Var(_) | ExprKind::Field(..));
            all.extend(direct.then_some(member));
            all
        }
        ExprKind::Index(base, _) | ExprKind::Deref(base) => fields(base),
        _ => Vec::new(),
    }
}
