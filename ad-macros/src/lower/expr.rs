//! Expressions.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};

use super::builder::{Binding, Flow, Lowered, Lowerer};
use super::keyed::holder;
use crate::diagnostics::looking_at;
use crate::hir::{Expr, ExprKind, Logic};
use crate::ir::{BinaryOp, Const, OpKind, Place, Proj, RepeatLen, Ty, UnaryOp, Use, Value};
use crate::types::Type;

impl Lowerer<'_> {
    /// The value of an expression.
    pub(super) fn value(&mut self, expr: &Expr) -> Lowered<Value> {
        match self.flow(expr)? {
            Flow::Value(value) => Ok(value),
            Flow::Unit => Ok(self.constant(Const::Unit, Ty::Unit, expr.span)),
            Flow::Never => Ok(self.unreachable_value(expr)),
        }
    }

    /// A value that no run reaches.
    pub(super) fn unreachable_value(&mut self, expr: &Expr) -> Value {
        let ty = self.ty(expr).lower();
        if ty.is_scalar() {
            return self.constant(Const::Undef, ty, expr.span);
        }
        self.emit(OpKind::unreachable(), Ty::Deferred, "never", expr.span)
    }

    /// A value where Rust would take a reference too: the operand of an operator, a method's argument.
    pub(super) fn operand(&mut self, expr: &Expr) -> Lowered<Value> {
        if !matches!(self.ty(expr), Type::Ref(..)) {
            return self.value(expr);
        }
        if let Some(value) = self.scalar_behind(expr) {
            return Ok(value);
        }
        let ty = self.ty(expr).peeled().lower();
        let place = self.reference(expr)?;
        let kind = if ty.is_scalar() {
            OpKind::Load(place)
        } else {
            OpKind::CloneOf(place)
        };
        Ok(self.emit(kind, ty, "t", expr.span))
    }

    /// Lowers an expression.
    pub(super) fn flow(&mut self, expr: &Expr) -> Lowered<Flow> {
        looking_at(expr.span);
        let (span, ty) = (expr.span, self.ty(expr).lower());
        let value = match &expr.kind {
            ExprKind::Float(digits, _) => self.constant(Const::Float(digits.clone()), ty, span),
            ExprKind::Int(digits, _) => self.constant(Const::Int(digits.clone()), ty, span),
            ExprKind::Bool(value) => self.boolean(*value, span),
            ExprKind::Undef => self.constant(Const::Undef, ty, span),
            ExprKind::Unit => return Ok(Flow::Unit),
            ExprKind::Path(path) if matches!(self.ty(expr), Type::Option(_)) && is_none(path) => {
                self.constant(Const::None, ty, span)
            }
            ExprKind::Path(path) => {
                let tokens = quote::ToTokens::to_token_stream(path);
                self.constant(Const::Expr(tokens), ty, span)
            }
            ExprKind::Var(_) | ExprKind::Field(..) | ExprKind::Index(..) | ExprKind::Deref(_) => {
                self.read(expr)?
            }
            ExprKind::Unary(op, operand) => self.unary(expr, *op, operand)?,
            ExprKind::Binary(op, left, right) => self.binary(expr, *op, left, right)?,
            ExprKind::Test(op, var, bound) => return self.test(expr, *op, var, bound),
            ExprKind::Logic(logic, left, right) => self.logic(*logic, left, right, span)?,
            ExprKind::Assign(place, value) => return self.assign(expr, place, value),
            ExprKind::AssignOp(op, place, value) => {
                return self.assign_op(expr, *op, place, value);
            }
            ExprKind::Hole => {
                return self.reject(span, "`_` is not a value", "write an expression");
            }
            ExprKind::Ref(..) | ExprKind::Range { .. } => return self.reference_value(expr),
            ExprKind::Tuple(_) | ExprKind::Array { .. } => self.made(expr)?,
            ExprKind::Repeat(elem, len) => {
                let elem = self.value(elem)?;
                let len = RepeatLen::Array(quote::ToTokens::to_token_stream(&**len));
                self.emit(OpKind::Repeat { elem, len }, ty, "array", span)
            }
            ExprKind::RepeatVec(elem, len) => {
                let (elem, len) = (self.value(elem)?, self.value(len)?);
                self.emit(
                    OpKind::Repeat {
                        elem,
                        len: RepeatLen::Vec(len),
                    },
                    ty,
                    "vec",
                    span,
                )
            }
            ExprKind::Boxed(inner) => {
                let inner = self.value(inner)?;
                self.emit(OpKind::Boxed(inner), ty, "boxed", span)
            }
            ExprKind::Struct {
                variant: true,
                fields,
                ..
            } if self.is_free(expr)
                && fields
                    .iter()
                    .any(|(_, field)| matches!(self.ty(field), Type::Ref(..))) =>
            {
                return self.opaque(expr);
            }
            ExprKind::Struct {
                fields,
                base: Some(base),
                ..
            } if self.is_updated(base, fields) => {
                let mut values = Vec::new();
                for (member, field) in fields {
                    values.push((member.clone(), self.value(field)?));
                }
                let updated = self.updated(base, values, ty, span)?;
                return Ok(Flow::Value(updated));
            }
            ExprKind::Struct { .. } => {
                self.check_error(expr)?;
                self.check_tangent(expr)?;
                self.made(expr)?
            }
            ExprKind::Coerce(inner) => self.coerced(expr, inner)?,
            ExprKind::Cast(inner, _) => self.cast(expr, inner)?,
            ExprKind::Position(inner) => self.integer_position(expr, inner)?,
            ExprKind::Distance(lo, hi) => {
                let ty = self.ty(lo).clone();
                let [lo, hi] = [self.value(lo)?, self.value(hi)?];
                self.distance(lo, hi, &ty, span)
            }
            ExprKind::Call { path, args } => return self.call(expr, path, args),
            ExprKind::Apply(var, args) => return self.apply(expr, *var, args),
            ExprKind::Closure(_) => return self.closure_value(expr),
            ExprKind::Method { .. } => return self.method(expr),
            ExprKind::Neutral(op) => {
                self.check_total(expr, *op)?;
                let neutral = neutral(*op, &ty);
                self.constant(neutral, ty, span)
            }
            ExprKind::Verbatim(verbatim) => return self.verbatim(expr, verbatim),
            _ => return self.control(expr),
        };
        Ok(Flow::Value(value))
    }

    fn control(&mut self, expr: &Expr) -> Lowered<Flow> {
        match &expr.kind {
            ExprKind::If { .. } | ExprKind::Block(..) if self.is_free(expr) => self.opaque(expr),
            ExprKind::If { cond, then, other } => self.branch(expr, cond, then, other.as_ref()),
            ExprKind::Block(block, _) => {
                // A chain that only tests or counts is nobody's business but its own.
                if self.can_be_verbatim(expr) && self.only_inspects(expr) {
                    return self.opaque(expr);
                }
                self.check_collected(expr)?;
                if self.ends_guards(expr, block) {
                    return self.scoped(expr, block);
                }
                self.block(block)
            }
            ExprKind::Collect { pat, head, body } => {
                self.collected(expr, pat, head, body).map(Flow::Value)
            }
            ExprKind::For {
                pat,
                head,
                body,
                stop,
                ..
            } => self.for_loop(expr, pat, head, body, *stop),
            ExprKind::Loop { body, stop, .. } => self.endless_loop(expr, body, *stop),
            _ => crate::diagnostics::bug!("an exit has not been rewritten"),
        }
    }

    fn values(&mut self, exprs: &[Expr]) -> Lowered<Vec<Value>> {
        exprs.iter().map(|expr| self.value(expr)).collect()
    }

    /// The components of a tuple, without making it where it is written as one.
    pub(super) fn components(&mut self, expr: &Expr, len: usize) -> Lowered<Vec<Value>> {
        match &expr.kind {
            ExprKind::Tuple(elems) if elems.len() == len => self.values(elems),
            ExprKind::Block(block, None)
                if self.touches(expr) && !self.ends_guards(expr, block) =>
            {
                self.statements(&block.stmts)?;
                match &block.value {
                    Some(value) => self.components(value, len),
                    None => Ok(Vec::new()),
                }
            }
            ExprKind::Method {
                receiver,
                name,
                args,
                ..
            } if len == 2
                && name == "sin_cos"
                && args.is_empty()
                && self.ty(receiver).peeled().is_float() =>
            {
                let x = self.operand(receiver)?;
                Ok(self.sin_cos(x, expr.span).to_vec())
            }
            _ => {
                let types = match self.ty(expr) {
                    Type::Tuple(types) if types.len() == len => types.clone(),
                    _ => vec![Type::Deferred; len],
                };
                let value = self.value(expr)?;
                Ok(self.untuple(value, &types, expr.span))
            }
        }
    }

    /// A place as a value.
    fn read(&mut self, expr: &Expr) -> Lowered<Value> {
        let (span, ty) = (expr.span, self.ty(expr));
        if let ExprKind::Var(var) = &expr.kind
            && let Binding::Value(value) = self.binding(*var, span)?
        {
            return Ok(value);
        }
        if let ExprKind::Deref(inner) = &expr.kind
            && let Some(value) = self.scalar_behind(inner)
        {
            return Ok(value);
        }
        if matches!(ty, Type::Ref(false, _)) && self.is_free(expr) && self.can_be_verbatim(expr) {
            return self.opaque_value(expr);
        }
        if matches!(ty, Type::Ref(..)) {
            return self.reject(
                expr,
                "a reference as a value is not supported yet",
                "use the value that it refers to, or pass it to a call as it is",
            );
        }
        if self.is_lookup(expr) && self.is_free(expr) {
            return self.opaque_value(expr);
        }
        if let Some(place) = self.place(expr)? {
            if self.out.slot(place.root).ty.is_function() {
                return self.reject(
                    expr,
                    "a parameter that is a function is not supported as a value",
                    "call it, pass it to a call as it is, or bind it with `let`",
                );
            }
            let copied =
                matches!(&expr.kind, ExprKind::Var(var) if self.hir.view_copies.contains(var));
            if copied {
                return Ok(self.emit(OpKind::CloneOf(place), ty.lower(), "view", span));
            }
            return Ok(self.load(place, ty.lower(), span));
        }
        match &expr.kind {
            // A component of a temporary.
            ExprKind::Field(base, member) => {
                let value = self.value(base)?;
                if let (Type::Tuple(types), syn::Member::Unnamed(k)) = (self.ty(base), member) {
                    let parts = self.untuple(value, types, span);
                    if let Some(part) = parts.get(k.index as usize) {
                        return Ok(*part);
                    }
                }
                let kind = OpKind::Field(value, member.clone());
                Ok(self.emit(kind, ty.lower(), "part", span))
            }
            _ if self.is_free(expr) => self.opaque_value(expr),
            ExprKind::Index(base, index) => {
                let of = self.ty(base).peeled().clone();
                let base = self.value(base)?;
                let place = self.spill(base, span);
                let place = self.element(&place, &of, index)?;
                Ok(self.load(place, ty.lower(), span))
            }
            _ => {
                self.reject_container(holder(expr), expr.span)?;
                self.reject(
                    expr,
                    "dereferencing what is not a reference to a variable is not supported yet",
                    "bind what is behind it with `let`",
                )
            }
        }
    }

    fn load(&mut self, place: Place, ty: Ty, span: Span) -> Value {
        let name = self.hint(&place);
        self.emit(OpKind::Load(place), ty, &name, span)
    }

    /// The name of an element: that of the variable that holds it.
    fn hint(&self, place: &Place) -> String {
        self.out.slot(place.root).name.clone()
    }

    /// A reference or range where a value is wanted.
    fn reference_value(&mut self, expr: &Expr) -> Lowered<Flow> {
        if self.is_free(expr) {
            return self.opaque(expr);
        }
        if let ExprKind::Range { lo, hi, inclusive } = &expr.kind
            && !self.touches(expr)
        {
            let mut uses = Vec::new();
            let mut tokens = [TokenStream::new(), TokenStream::new()];
            for ((end, name), tokens) in [(lo, "lo"), (hi, "hi")].into_iter().zip(&mut tokens) {
                if let Some(end) = end {
                    let (value, ident) = (self.value(end)?, self.private(name));
                    *tokens = ident.to_token_stream();
                    uses.push(Use::Value(ident, value));
                }
            }
            let [lo, hi] = tokens;
            let code = if *inclusive {
                quote!(#lo..=#hi)
            } else {
                quote!(#lo..#hi)
            };
            let ty = self.ty(expr).lower();
            let range = self.emit(OpKind::code(code, uses), ty, "range", expr.span);
            return Ok(Flow::Value(range));
        }
        if let ExprKind::Ref(true, element) = &expr.kind
            && element
                .root()
                .is_some_and(|list| self.hir.var(list).synthetic)
        {
            return self.reject(
                expr,
                "a `&mut` element that may be missing is not supported yet as the result of a chain",
                "`unwrap` it directly, or look for its position: `if let Some(k) = x.iter().position(..) { x[k] = ..; }`",
            );
        }
        self.reject(
            expr,
            "a reference kept as a value is not supported yet",
            "pass the reference to a call directly, or bind it with `let`",
        )
    }

    /// Input:  a && b
    /// Output: if a { b } else { false }
    fn logic(&mut self, logic: Logic, left: &Expr, right: &Expr, span: Span) -> Lowered<Value> {
        let cond = self.value(left)?;
        let when_known = |lowerer: &mut Self| {
            let known = lowerer.boolean(logic == Logic::Or, span);
            Ok(Flow::Value(known))
        };
        let evaluate = |lowerer: &mut Self| lowerer.value(right).map(Flow::Value);
        let assigned = self.assigned_in(&[right]);
        let flow = match logic {
            Logic::And => self.choose(cond, evaluate, when_known, Ty::Bool, &assigned, span)?,
            Logic::Or => self.choose(cond, when_known, evaluate, Ty::Bool, &assigned, span)?,
        };
        match flow {
            Flow::Value(value) => Ok(value),
            Flow::Unit | Flow::Never => Ok(self.constant(Const::Undef, Ty::Bool, span)),
        }
    }

    /// Returns `true` if update syntax replaces a field that may be of another shape.
    fn is_updated(&self, base: &Expr, fields: &[(syn::Member, Expr)]) -> bool {
        matches!(base.kind, ExprKind::Method { .. } | ExprKind::Call { .. })
            && self.touches(base)
            && fields.iter().any(|(_, field)| !self.ty(field).is_scalar())
            && !fields.iter().any(|(_, field)| self.has_site(field))
    }

    /// A list that replaces another one may be of another length, so that it has to be assigned. Inactive fields need no
    /// shadow of that length.
    ///
    /// ```text
    /// Input:  Model { list, ..other.clone() }
    /// Output: { let mut new = other.clone(); new.list = list; new }
    /// ```
    fn updated(
        &mut self,
        base: &Expr,
        fields: Vec<(syn::Member, Value)>,
        ty: Ty,
        span: Span,
    ) -> Lowered<Value> {
        let base = self.value(base)?;
        let new = self.spill(base, span);
        for (member, value) in fields {
            let field = new.extended(&[Proj::Field(member)]);
            self.effect(OpKind::Store(field, value), span);
        }
        Ok(self.emit(OpKind::Load(new), ty, "new", span))
    }

    /// The meaning of `sum` and `product` is known only for numbers.
    fn check_total(&mut self, expr: &Expr, op: BinaryOp) -> Lowered<()> {
        let (name, sign, of) = match op {
            BinaryOp::Add => ("sum", "+", "Sum"),
            _ => ("product", "*", "Product"),
        };
        if let Ty::Named(of) = self.ty(expr).lower()
            && self.hir.siblings.own_type(&of).is_none()
        {
            let check = quote_spanned!(expr.span=> __rt::probe::check_total::<#of>(););
            self.effect(OpKind::code(check, Vec::new()), expr.span);
            return Ok(());
        }
        match self.ty(expr) {
            ty if ty.is_scalar() || !ty.may_have_tangent() => Ok(()),
            // A literal, of which rustc finds out the type, and that it is a float.
            Type::Deferred => Ok(()),
            Type::Option(_) | Type::Result(..) => self.reject(
                expr,
                format!("`{name}` of values that may be missing needs the type of its result"),
                format!("write the type: `.{name}::<Option<f64>>()` or `.{name}::<Result<f64, _>>()`"),
            ),
            _ => self.reject(
                expr,
                format!("`{name}` of values that aren't numbers needs rules for their `impl {of}`"),
                format!(
                    "write `#[differentiable]` on the `impl {of}`, which has to stand in this module, and whose type can't be generic; or write \
                     `fold(init, |a, b| a {sign} b)` here"
                ),
            ),
        }
    }

    fn unary(&mut self, expr: &Expr, op: UnaryOp, operand: &Expr) -> Lowered<Value> {
        // A negative literal is one constant.
        if let (UnaryOp::Neg, ExprKind::Float(digits, _)) = (op, &operand.kind) {
            let ty = self.ty(expr).lower();
            let value = Const::Float(format!("-{digits}"));
            return Ok(self.constant(value, ty, expr.span));
        }
        // As two operations, the literal of the least integer would overflow.
        if let (UnaryOp::Neg, ExprKind::Int(digits, _)) = (op, &operand.kind) {
            let ty = self.ty(expr).lower();
            let value = Const::Int(format!("-{digits}"));
            return Ok(self.constant(value, ty, expr.span));
        }
        if !self.ty(operand).peeled().is_scalar() {
            return self.deferred_unary(expr, op, operand);
        }
        let a = self.operand(operand)?;
        let ty = self.out.ty(a).clone();
        Ok(self.emit(OpKind::Unary(op, a), ty, "t", expr.span))
    }
}

pub(super) fn is_none(path: &syn::ExprPath) -> bool {
    let last = path.path.segments.last();
    path.qself.is_none() && last.is_some_and(|last| last.ident == "None")
}

/// The initial value of std's `sum` and `product`: for floats the neutral zero is the negative one.
fn neutral(op: BinaryOp, ty: &Ty) -> Const {
    let sum = op == BinaryOp::Add;
    match ty {
        Ty::F32 | Ty::F64 | Ty::Real(_) | Ty::Deferred => {
            Const::Float(if sum { "-0.0" } else { "1.0" }.into())
        }
        Ty::Int(_) => Const::Int(if sum { "0" } else { "1" }.into()),
        _ => {
            let (ends, bound) = if sum {
                (quote::quote!(sum), quote::quote!(::core::iter::Sum))
            } else {
                (quote::quote!(product), quote::quote!(::core::iter::Product))
            };
            // Said where it is known: nothing else tells it if nobody needs the total.
            let written = match ty {
                Ty::Named(ty) | Ty::Inactive(ty) => quote::quote!(::<#ty>),
                _ => quote::quote!(),
            };
            Const::Expr(quote::quote!({
                fn neutral<T: #bound<T>>() -> T {
                    #bound::#ends(::core::iter::empty::<T>())
                }
                neutral #written ()
            }))
        }
    }
}
