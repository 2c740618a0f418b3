//! Where pointers become pointers to trait objects: constructors and calls around them.
//!
//! All values are there before their uses are shown to rustc, so that nothing else stays open.
//!
//! ```text
//! Input:  System { springs: vec![Box::new(a)], scale: s }
//! Output: p = boxed a;  site = sites (q) { v = vec [q]; yield struct System { springs: v, scale: s } };
//!         o = coerce p at site;  v = vec [o];  struct System { springs: v, scale: s }
//! ```

use proc_macro2::Span;

use super::builder::{Lowered, Lowerer};
use crate::hir::{Expr, ExprKind};
use crate::ir::{Arg, Call, Callee, Coerced, Op, OpKind, Region, Rule, Ty, Value, is_std_variant};
use crate::types::Type;

/// An operand of a constructor or call.
enum Part<'e> {
    Given(Arg),
    /// A pointer that may become one to an object.
    Pointer(Value, Span),
    /// A tuple, list or variant around other parts.
    Made(&'e Expr, Vec<Part<'e>>),
}

impl Lowerer<'_> {
    /// A tuple, list or struct.
    pub(super) fn made(&mut self, expr: &Expr) -> Lowered<Value> {
        let parts = parts(expr);
        if is_transparent(expr) || !parts.iter().any(|part| self.has_site(part)) {
            let values: Lowered<Vec<Value>> = parts.iter().map(|part| self.value(part)).collect();
            return Ok(self.assemble(expr, values?));
        }
        let parts: Lowered<Vec<Part<'_>>> = parts.iter().map(|part| self.part(part)).collect();
        let parts = parts?;
        let used = |this: &mut Self, args: Vec<Arg>| this.assemble(expr, values(args));
        let args = self.coerced_parts(&parts, expr.span, used);
        Ok(self.assemble(expr, values(args)))
    }

    /// The arguments of a call, after those that are there already.
    pub(super) fn arguments(
        &mut self,
        expr: &Expr,
        callee: &Callee,
        mut before: Vec<Arg>,
        args: &[Expr],
    ) -> Lowered<Vec<Arg>> {
        let args: Vec<&Expr> = args.iter().collect();
        if !args.iter().any(|arg| self.has_site(arg)) {
            for arg in args {
                before.push(self.arg(arg)?);
            }
            return Ok(before);
        }
        let mut parts: Vec<Part<'_>> = before.into_iter().map(Part::Given).collect();
        for arg in args {
            parts.push(if self.has_site(arg) {
                self.part(arg)?
            } else {
                Part::Given(self.arg(arg)?)
            });
        }
        let ty = self.ty(expr).lower();
        let used = |this: &mut Self, args: Vec<Arg>| {
            let args = args.into_iter().map(|arg| this.never_run(arg)).collect();
            this.used(callee, args, ty, expr.span)
        };
        Ok(self.coerced_parts(&parts, expr.span, used))
    }

    /// A call that never runs.
    fn used(&mut self, callee: &Callee, args: Vec<Arg>, ty: Ty, span: Span) -> Value {
        let call = Call::new(callee.clone(), Rule::Primal, args);
        self.emit(OpKind::Call(Box::new(call)), ty, "used", span)
    }

    /// The value that is assigned to a field or element, if it may be a pointer to an object there.
    pub(super) fn assigned_pointer(
        &mut self,
        place: &Expr,
        value: &Expr,
    ) -> Lowered<Option<Value>> {
        if !self.has_site(value) {
            return Ok(None);
        }
        let (target, span) = (self.target(place)?, value.span);
        let parts = [self.part(value)?];
        let used = |this: &mut Self, args: Vec<Arg>| {
            let place = this.never_run(Arg::Mut(target));
            let callee = Callee::Path {
                path: syn::parse_quote!(::core::mem::replace),
                associated: false,
            };
            let args = [place].into_iter().chain(args).collect();
            this.used(&callee, args, Ty::Deferred, span)
        };
        let args = self.coerced_parts(&parts, span, used);
        Ok(values(args).pop())
    }

    /// A pointer that becomes one to an object of a type that is written, or of whatever type where nothing tells.
    pub(super) fn coerced(&mut self, expr: &Expr, inner: &Expr) -> Lowered<Value> {
        let value = self.value(inner)?;
        let ty = self.ty(expr).lower();
        if matches!(ty, Ty::Deferred) {
            return Ok(value);
        }
        let target = self.out.new_value(ty.clone(), "object", expr.span);
        let region = Region {
            params: vec![target],
            ..Region::default()
        };
        let sites = self.sites(region, expr.span);
        Ok(self.coerce(sites[0], value, ty, expr.span))
    }

    fn coerce(&mut self, site: Value, value: Value, ty: Ty, span: Span) -> Value {
        let kind = OpKind::Coerce {
            site,
            value,
            form: Coerced::Value,
        };
        self.emit(kind, ty, "object", span)
    }

    fn sites(&mut self, region: Region, span: Span) -> Vec<Value> {
        let results: Vec<Value> = (region.params.iter())
            .map(|_| self.out.new_value(Ty::Rule, "site", span))
            .collect();
        self.ops.push(Op::new(
            OpKind::CoercionSites(region),
            results.clone(),
            span,
        ));
        results
    }

    pub(super) fn has_site(&self, expr: &Expr) -> bool {
        if let ExprKind::Coerce(_) = expr.kind {
            return matches!(self.ty(expr), Type::Deferred);
        }
        is_transparent(expr) && parts(expr).into_iter().any(|part| self.has_site(part))
    }

    /// Evaluates a part of a constructor.
    fn part<'e>(&mut self, expr: &'e Expr) -> Lowered<Part<'e>> {
        if !self.has_site(expr) {
            let value = self.value(expr)?;
            return Ok(Part::Given(Arg::Value(value)));
        }
        if let ExprKind::Coerce(inner) = &expr.kind {
            let value = self.value(inner)?;
            return Ok(Part::Pointer(value, expr.span));
        }
        let parts: Lowered<_> = (parts(expr).into_iter())
            .map(|part| self.part(part))
            .collect();
        Ok(Part::Made(expr, parts?))
    }

    /// The parts, with coerced pointers as `used` has them.
    fn coerced_parts(
        &mut self,
        parts: &[Part<'_>],
        span: Span,
        used: impl FnOnce(&mut Self, Vec<Arg>) -> Value,
    ) -> Vec<Arg> {
        // With a function among the arguments, the wanted types can't be found this way.
        let functional = |part: &Part<'_>| matches!(part, Part::Given(Arg::Function(_)));
        if parts.iter().any(functional) {
            return self.put(parts, &mut |_, value, _| value);
        }
        let mut params = Vec::new();
        let (ops, result) = self.region(|this| {
            let args = this.put(parts, &mut |this, _, span| {
                params.push(this.out.new_value(Ty::Deferred, "object", span));
                params[params.len() - 1]
            });
            used(this, args)
        });
        let region = Region {
            params,
            ops,
            yields: vec![result],
        };
        let mut sites = self.sites(region, span).into_iter();
        self.put(parts, &mut |this, value, span| match sites.next() {
            Some(site) => this.coerce(site, value, Ty::Deferred, span),
            None => value,
        })
    }

    /// The parts as arguments, with `pointer` for each pointer.
    fn put(
        &mut self,
        parts: &[Part<'_>],
        pointer: &mut dyn FnMut(&mut Self, Value, Span) -> Value,
    ) -> Vec<Arg> {
        (parts.iter())
            .map(|part| match part {
                Part::Given(arg) => arg.clone(),
                Part::Pointer(value, span) => Arg::Value(pointer(self, *value, *span)),
                Part::Made(expr, parts) => {
                    let args = self.put(parts, pointer);
                    Arg::Value(self.assemble(expr, values(args)))
                }
            })
            .collect()
    }

    /// An argument in code that never runs, which writes nothing.
    fn never_run(&mut self, arg: Arg) -> Arg {
        match arg {
            Arg::Receiver(place) => Arg::Ref(place),
            Arg::Mut(place) => {
                let span = self.out.slot(place.root).span;
                Arg::Value(self.emit(OpKind::Unique(place), Ty::Deferred, "unique", span))
            }
            arg => arg,
        }
    }

    /// A tuple, list or struct of these values.
    fn assemble(&mut self, expr: &Expr, values: Vec<Value>) -> Value {
        let (kind, name) = match &expr.kind {
            ExprKind::Tuple(_) => (OpKind::Tuple(values), "tuple"),
            ExprKind::Array { vec, .. } => {
                let (elems, vec) = (values, *vec);
                (OpKind::Array { elems, vec }, "array")
            }
            ExprKind::Struct {
                path,
                variant,
                fields,
                base,
            } => {
                let base = base.as_ref().and_then(|_| values.last().copied());
                let members = fields.iter().map(|(member, _)| member.clone());
                let kind = OpKind::Struct {
                    checked: None,
                    path: path.clone(),
                    variant: *variant,
                    fields: members.zip(values).collect(),
                    base,
                };
                (kind, "new")
            }
            _ => crate::diagnostics::bug!("not put together of parts"),
        };
        let ty = self.ty(expr).lower();
        self.emit(kind, ty, name, expr.span)
    }
}

/// The parts of a tuple, list or struct.
fn parts(expr: &Expr) -> Vec<&Expr> {
    match &expr.kind {
        ExprKind::Tuple(elems) | ExprKind::Array { elems, .. } => elems.iter().collect(),
        ExprKind::Struct { fields, base, .. } => {
            let fields = fields.iter().map(|(_, value)| value);
            fields.chain(base.as_deref()).collect()
        }
        _ => Vec::new(),
    }
}

/// Returns `true` if the wanted type of the whole determines those of its parts: a tuple, a list, `Some(x)`.
fn is_transparent(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Tuple(_) | ExprKind::Array { .. } => true,
        ExprKind::Struct { path, variant, .. } => *variant && is_std_variant(path),
        _ => false,
    }
}

fn values(args: Vec<Arg>) -> Vec<Value> {
    (args.into_iter())
        .map(|arg| match arg {
            Arg::Value(value) => value,
            _ => crate::diagnostics::bug!("a part that is no value"),
        })
        .collect()
}
