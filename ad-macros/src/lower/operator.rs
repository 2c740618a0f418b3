//! Operators and casts: operations on known scalars, calls on deferred operands.
//!
//! The order of evaluation is Rust's, since generators of random numbers are ordinary constants here. `place op= value` evaluates the value
//! first if both are primitives. Where only rustc knows that, and the order matters, it is an error. A place that a right side or an
//! argument writes to is read before (also in `method.rs`).

use proc_macro2::Span;
use quote::{ToTokens as _, format_ident, quote, quote_spanned};

use super::activity::is_step;
use super::builder::{Flow, Lowered, Lowerer};
use crate::hir::{Expr, ExprKind};
use crate::ir::{
    Arg, BinaryOp, Call, Callee, OpKind, Operator, OperatorKind, Place, Rule, SlotKind, Ty,
    UnaryOp, Use, Value,
};
use crate::types::{Type, is_comparison};

impl Lowerer<'_> {
    pub(super) fn binary(
        &mut self,
        expr: &Expr,
        op: BinaryOp,
        left: &Expr,
        right: &Expr,
    ) -> Lowered<Value> {
        let (a, b) = (self.ty(left).peeled(), self.ty(right).peeled());
        if is_comparison(op) {
            self.only_compared(left);
            self.only_compared(right);
        }
        if is_builtin(op, a, b) {
            let (a, b) = (self.operand(left)?, self.operand(right)?);
            return Ok(self.builtin(op, a, b, expr.span));
        }
        if a.is_scalar() && b.is_scalar() {
            // Rustc says that they don't fit, about the primal; one message is enough.
            let float = [a, b].into_iter().find(|ty| ty.is_float());
            let ty = float.unwrap_or(a).lower();
            let (a, b) = (self.operand(left)?, self.operand(right)?);
            let [a, b] = [a, b].map(|v| self.emit(OpKind::Cast(v), ty.clone(), "t", expr.span));
            return Ok(self.builtin(op, a, b, expr.span));
        }
        if !is_comparison(op)
            && let Some(value) =
                self.inlined_operator(expr, OperatorKind::Binary(op), &[left, right])?
        {
            return Ok(value);
        }
        if self.is_free(expr) {
            return self.opaque_value(expr);
        }
        if is_comparison(op) {
            return self.compare(op, left, right, expr.span);
        }
        let active = self.activity.is_active(expr, self.types);
        let (a, b) = (self.operand(left)?, self.operand(right)?);
        let ty = self.ty(expr).lower();
        let refs = [left, right].map(|operand| matches!(self.ty(operand), Type::Ref(..)));
        let callee = Callee::Operator(Operator {
            op,
            refs,
            assign: false,
        });
        self.operator(callee, vec![a, b], ty, active, expr.span)
    }

    /// A cast to an integer in an operand of a comparison loses no derivative: a comparison has none.
    fn only_compared(&mut self, operand: &Expr) {
        match &operand.kind {
            ExprKind::Cast(inner, _) => {
                self.compared.insert(operand.id);
                self.only_compared(inner);
            }
            ExprKind::Unary(..) | ExprKind::Binary(..) | ExprKind::Ref(false, _) => {
                operand.each_child(&mut |child| self.only_compared(child));
            }
            _ => {}
        }
    }

    /// The test of a variable for a literal or the end of a range in a pattern. If its type is unknown, a pattern does the test.
    pub(super) fn test(
        &mut self,
        expr: &Expr,
        op: BinaryOp,
        var: &Expr,
        bound: &Expr,
    ) -> Lowered<Flow> {
        let (a, b) = (self.ty(var).peeled(), self.ty(bound).peeled());
        if let (ExprKind::Var(var), Some(source), false) =
            (&var.kind, &bound.source, is_builtin(op, a, b))
        {
            let pat = match op {
                BinaryOp::Ge => syn::parse_quote!(#source..),
                // A macro takes no pattern that begins with `..=`.
                BinaryOp::Le => syn::parse_quote!((..=#source)),
                BinaryOp::Lt => syn::parse_quote!(..#source),
                _ => syn::parse_quote!(#source),
            };
            return self.matches(expr, &pat, *var);
        }
        self.binary(expr, op, var, bound).map(Flow::Value)
    }

    /// An operation on two known scalars.
    pub(super) fn builtin(&mut self, op: BinaryOp, a: Value, b: Value, span: Span) -> Value {
        let ty = if is_comparison(op) {
            Ty::Bool
        } else {
            self.out.ty(a).clone()
        };
        self.emit(OpKind::Binary(op, a, b), ty, "t", span)
    }

    /// An operator on deferred operands.
    pub(super) fn operator(
        &mut self,
        callee: Callee,
        args: Vec<Value>,
        ty: Ty,
        active: bool,
        span: Span,
    ) -> Lowered<Value> {
        if active {
            self.reject_parameter(&args, span)?;
        }
        let call = Call::new(
            callee,
            if active { Rule::Active } else { Rule::Primal },
            args.into_iter().map(Arg::Value).collect(),
        );
        Ok(self.emit(OpKind::Call(Box::new(call)), ty, "t", span))
    }

    /// An operator of a type parameter, whose bounds say nothing of its derivative.
    fn reject_parameter(&mut self, operands: &[Value], span: Span) -> Lowered<()> {
        let hidden = &self.hir.hidden_types;
        let parameter = operands.iter().find_map(|v| match self.out.ty(*v) {
            Ty::Named(ty) if hidden.is_parameter(ty) => Some(ty.to_token_stream()),
            _ => None,
        });
        let Some(of) = parameter else { return Ok(()) };
        self.reject(
            span,
            format!("the bounds of `{of}` don't say that this operator has a derivative"),
            format!("write `{of}: Real` for a number, `f32` or `f64`; it has the operators and functions of both"),
        )
    }

    /// A comparison of deferred operands: a `bool`, so that no derivative goes through it. Places aren't moved.
    fn compare(&mut self, op: BinaryOp, left: &Expr, right: &Expr, span: Span) -> Lowered<Value> {
        let mut uses = Vec::new();
        let mut sides = Vec::new();
        // A reference is compared as it is with an operand that may be one; two references are compared by their targets.
        let is_ref = |expr| matches!(self.ty(expr), Type::Ref(..));
        let one_is = is_ref(left) != is_ref(right);
        for (name, side) in [("left", left), ("right", right)] {
            let ident = self.private(name);
            let reference = matches!(self.ty(side), Type::Ref(..));
            let place = if reference {
                Some(self.reference(side)?)
            } else {
                self.place(side)?
            };
            // A left side that the right side may write is read before.
            let early = name == "left" && !reference && self.may_write(right, side);
            if let (Some(place), true) = (&place, early) {
                let ty = self.ty(side).lower();
                let value = self.emit(OpKind::CloneOf(place.clone()), ty, name, span);
                sides.push(quote!(#ident));
                uses.push(Use::Value(ident, value));
            } else if let Some(place) = place {
                sides.push(if reference && one_is {
                    quote!(#ident)
                } else {
                    quote!(*#ident)
                });
                uses.push(Use::reference(ident, place));
            } else {
                let value = self.value(side)?;
                sides.push(quote!(#ident));
                uses.push(Use::Value(ident, value));
            }
        }
        let (left, right) = (&sides[0], &sides[1]);
        let tokens = match op {
            BinaryOp::Lt => quote!(#left < #right),
            BinaryOp::Le => quote!(#left <= #right),
            BinaryOp::Gt => quote!(#left > #right),
            BinaryOp::Ge => quote!(#left >= #right),
            BinaryOp::Ne => quote!(#left != #right),
            _ => quote!(#left == #right),
        };
        let kind = OpKind::code(tokens, uses);
        Ok(self.emit(kind, Ty::Bool, "t", span))
    }

    pub(super) fn deferred_unary(
        &mut self,
        expr: &Expr,
        op: UnaryOp,
        operand: &Expr,
    ) -> Lowered<Value> {
        if let Some(value) = self.inlined_operator(expr, OperatorKind::Unary(op), &[operand])? {
            return Ok(value);
        }
        if self.is_free(expr) {
            return self.opaque_value(expr);
        }
        let active = self.activity.is_active(expr, self.types);
        let value = self.operand(operand)?;
        let ty = self.ty(expr).lower();
        let by_ref = matches!(self.ty(operand), Type::Ref(..));
        self.operator(
            Callee::Unary { op, by_ref },
            vec![value],
            ty,
            active,
            expr.span,
        )
    }

    /// No derivative goes through an integer, which has to be meant.
    pub(super) fn check_cast(&mut self, expr: &Expr) -> Lowered<()> {
        let ExprKind::Cast(inner, _) = &expr.kind else {
            return Ok(());
        };
        let to_integer = self.ty(inner).is_float() && self.ty(expr).is_int();
        let compared = self.compared.contains(&expr.id);
        if to_integer && !compared && !is_step(inner) && self.activity.is_active(inner, self.types)
        {
            return self.reject(
                expr,
                "an active float is cast to an integer, which has no derivative",
                "write `stop_gradient(...) as` the integer's type, if that is what is meant",
            );
        }
        Ok(())
    }

    /// A position in a range, as a number of the range's type.
    pub(super) fn integer_position(&mut self, expr: &Expr, inner: &Expr) -> Lowered<Value> {
        if self.ty(expr).is_int() {
            return self.cast(expr, inner);
        }
        self.reject(
            expr,
            "stepping a range whose type is not known here is not supported yet",
            "write the type of its beginning: `let lo: usize = ..;`",
        )
    }

    /// How many integers there are from `lo` up to `hi`, which isn't less. The difference itself may overflow, or need more than the 32 bits that a
    /// `usize` may have. That many positions are a panic.
    pub(super) fn distance(&mut self, lo: Value, hi: Value, ty: &Type, span: Span) -> Value {
        let usize = Ty::Int("usize");
        let (mut ends, mut within) = ([lo, hi], ty.lower());
        match ty {
            Type::Int("usize") => {
                return self.emit(OpKind::Binary(BinaryOp::Sub, hi, lo), usize, "len", span);
            }
            Type::Int("u8" | "u16" | "u32") => {}
            Type::Int("i8" | "i16" | "i32") => {
                within = Ty::Int("i64");
                ends = ends.map(|end| self.emit(OpKind::Cast(end), within.clone(), "end", span));
            }
            _ => {
                let (first, last) = (self.private("lo"), self.private("hi"));
                let message = "a range of more numbers than a `usize` holds is not supported beside something else; bound it, or write it without an end: `(lo..)`";
                let at = Span::call_site().located_at(span);
                let tokens = quote_spanned! {at=>
                    <::core::primitive::usize as ::core::convert::TryFrom<_>>::try_from(#last.abs_diff(#first))
                        .ok()
                        .expect(#message)
                };
                let uses = vec![Use::Value(first, lo), Use::Value(last, hi)];
                let kind = OpKind::code(tokens, uses);
                return self.emit(kind, usize, "len", span);
            }
        }
        let [lo, hi] = ends;
        let len = self.emit(OpKind::Binary(BinaryOp::Sub, hi, lo), within, "len", span);
        self.emit(OpKind::Cast(len), usize, "len", span)
    }

    pub(super) fn cast(&mut self, expr: &Expr, inner: &Expr) -> Lowered<Value> {
        let (from, to) = (self.ty(inner), self.ty(expr));
        let active = self.activity.is_active(inner, self.types);
        if from.is_scalar() && to.is_scalar() {
            self.check_cast(expr)?;
            let value = self.value(inner)?;
            let same = match (from, to) {
                (Type::Int(a), Type::Int(b)) => a == b,
                (Type::F64, Type::F64) | (Type::F32, Type::F32) => true,
                (Type::Real(a), Type::Real(b)) => a == b,
                _ => false,
            };
            if same {
                return Ok(value);
            }
            return Ok(self.emit(OpKind::Cast(value), to.lower(), "t", expr.span));
        }
        if self.is_free(inner) {
            return self.opaque_value(expr);
        }
        let value = self.value(inner)?;
        let ty = to.lower();
        if let (Ty::Int(name), true) = (&ty, !active || is_step(inner)) {
            // Nothing is lost: it is a constant, by its type, by `stop_gradient`, or since only floats have such a method and are cast.
            let (ident, to) = (self.private("operand"), format_ident!("{name}"));
            let kind = OpKind::code(
                quote!(#ident as ::core::primitive::#to),
                vec![Use::Value(ident, value)],
            );
            return Ok(self.emit(kind, ty, "t", expr.span));
        }
        self.operator(Callee::Cast, vec![value], ty, active, expr.span)
    }

    /// Verbatim code as a value.
    pub(super) fn opaque_value(&mut self, expr: &Expr) -> Lowered<Value> {
        match self.opaque(expr)? {
            Flow::Value(value) => Ok(value),
            Flow::Unit | Flow::Never => {
                Ok(self.constant(crate::ir::Const::Unit, Ty::Unit, expr.span))
            }
        }
    }

    /// The place of an update, which reads the element that `IndexMut` finds: where `Index` may find another, a reference to it.
    fn updated_place(&mut self, place: &Expr, target: Place) -> Place {
        let mut at = place;
        loop {
            at = match &at.kind {
                ExprKind::Field(base, _) | ExprKind::Deref(base) => base,
                ExprKind::Index(base, _) => {
                    if let Type::Named(own) | Type::Inactive(own) = self.ty(base).peeled()
                        && self
                            .hir
                            .indexing(own)
                            .is_some_and(|indexing| indexing.differs)
                    {
                        break;
                    }
                    base
                }
                _ => return target,
            };
        }
        let ty = self.ty(place).peeled().lower();
        let element = self.slot(ty, SlotKind::RefMut, "element", None, place.span);
        self.effect(OpKind::Borrow(element, target), place.span);
        Place::whole(element)
    }

    pub(super) fn assign_op(
        &mut self,
        expr: &Expr,
        op: BinaryOp,
        place: &Expr,
        value: &Expr,
    ) -> Lowered<Flow> {
        let span = expr.span;
        if self.is_free(expr) && self.is_own_lookup(place, value) {
            return self.opaque(expr);
        }
        if self.update_in_place(op, place, value, span)? {
            return Ok(Flow::Unit);
        }
        let (a, b) = (self.ty(place).peeled(), self.ty(value).peeled());
        let builtin = is_builtin(op, a, b);
        let ty = a.lower();
        let callee = Callee::Operator(Operator {
            op,
            refs: [false, matches!(self.ty(value), Type::Ref(..))],
            assign: true,
        });
        if let ExprKind::Var(var) = &place.kind
            && let super::builder::Binding::Value(_) = self.binding(*var, span)?
        {
            let right = self.operand(value)?;
            let left = self.value(place)?;
            let result = if builtin {
                self.builtin(op, left, right, span)
            } else {
                let active = self.activity.is_varied(*var);
                self.operator(callee, vec![left, right], ty, active, span)?
            };
            self.call_it(result, *var, 0);
            self.bind_value(*var, result);
            return Ok(Flow::Unit);
        }
        if builtin {
            // Of primitives Rust evaluates the right side first, but a reference is none.
            let (target, right) = if matches!(self.ty(value), Type::Ref(..)) {
                let target = self.target(place)?;
                (target, self.operand(value)?)
            } else {
                let right = self.operand(value)?;
                (self.target(place)?, right)
            };
            let target = self.updated_place(place, target);
            let left = self.emit(OpKind::Load(target.clone()), ty, "t", span);
            let result = self.builtin(op, left, right, span);
            self.effect(OpKind::Store(target, result), span);
            return Ok(Flow::Unit);
        }
        if self
            .inlined_operator(expr, OperatorKind::Assign(op), &[place, value])?
            .is_some()
        {
            return Ok(Flow::Unit);
        }
        let (target, right) = self.operands_of_update(place, value)?;
        let target = self.updated_place(place, target);
        let active = self.activity.is_active(place, self.types)
            || self.activity.is_active(value, self.types);
        let read = if ty.is_scalar() {
            OpKind::Load(target.clone())
        } else {
            OpKind::CloneOf(target.clone())
        };
        let left = self.emit(read, ty.clone(), "t", span);
        let result = self.operator(callee, vec![left, right], ty, active, span)?;
        self.effect(OpKind::Store(target, result), span);
        Ok(Flow::Unit)
    }
}

/// Returns `true` if the operator is the language's own on these operands.
fn is_builtin(op: BinaryOp, a: &Type, b: &Type) -> bool {
    if matches!(op, BinaryOp::Shl | BinaryOp::Shr) {
        return a.is_int() && b.is_int();
    }
    match (a, b) {
        (Type::F32, Type::F32) | (Type::F64, Type::F64) | (Type::Bool, Type::Bool) => true,
        (Type::Int(a), Type::Int(b)) => a == b,
        (Type::Real(a), Type::Real(b)) => a == b,
        _ => false,
    }
}
