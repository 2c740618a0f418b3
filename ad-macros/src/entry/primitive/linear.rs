//! A scalar function with its partials, and the rules that follow from them, IR to IR.
//!
//! Input: [`Linearized`], whose body computes the function's value, by a call of the primal, and its partials. Output: the
//! forward and the reverse rules. The forward transform differentiates them like any others; the call of the primal gets the
//! forward rule made here then, and the partials those of the functions that they call.
//!
//! ```text
//! forward   y = f(a, b); p = ..; q = ..;   y_dot = a_dot * p + b_dot * q
//! reverse   y = f(a, b); p = ..; q = ..;   a_bar = y_bar * p, b_bar = y_bar * q
//! ```
//!
//! These products are strong: a zero tangent or cotangent times an infinite partial is zero, as with the functions of the
//! standard library.

use crate::diagnostics::bug;
use crate::ir::{
    Func, Op, OpKind, PassedBy, Pattern, Place, Pullback, Region, SlotData, SlotKind, Ty, Value,
};
use crate::transform::{Seq, Shape};

/// A function's value and its partials.
pub(super) struct Linearized {
    /// The body yields nothing yet.
    pub(super) func: Func,
    /// The function's value.
    pub(super) y: Value,
    /// Each differentiated parameter, by position, and the partial with respect to it, in the type of the value.
    pub(super) partials: Vec<(usize, Value)>,
}

impl Linearized {
    /// The forward rule.
    pub(super) fn forward(&self) -> Func {
        let mut func = self.func.clone();
        let mut ops = std::mem::take(&mut func.body.ops);
        let mut y_dot = None;
        for (k, partial) in &self.partials {
            let (ty, name) = self.param(*k);
            let span = func.params[*k].ident.span();
            let x_dot = func.new_value(ty, format!("{name}_dot"), span);
            let pattern = &mut func.params[*k].pattern;
            *pattern = Pattern::dual(pattern.clone(), Pattern::Value(x_dot));
            let mut s = seq(&mut func, &mut ops);
            let x_dot = converted(&mut s, x_dot, self.func.ty(self.y));
            let term = s.strong_mul(x_dot, *partial);
            y_dot = Some(match y_dot {
                Some(sum) => s.add(sum, term),
                None => term,
            });
        }
        let y_dot = y_dot.unwrap_or_else(|| seq(&mut func, &mut ops).zero(self.func.ty(self.y)));
        func.values[y_dot.0 as usize].name = "y_dot".into();
        func.result = Pattern::dual(Pattern::Value(self.y), Pattern::Value(y_dot));
        func.body = body(ops, vec![self.y, y_dot]);
        func
    }

    /// The reverse rule.
    pub(super) fn reverse(&self, shape: Shape) -> Func {
        let mut func = self.func.clone();
        let ops = std::mem::take(&mut func.body.ops);
        func.body = body(ops, vec![self.y]);
        func.result = Pattern::Value(self.y);
        let y_bar = func.new_value(self.func.ty(self.y).clone(), "y_bar", func.name.span());
        let seed = Pattern::Value(y_bar);
        match shape {
            Shape::Split => self.split(&mut func, seed, y_bar),
            Shape::Combined => self.combined(&mut func, seed, y_bar),
        }
        func
    }

    fn split(&self, func: &mut Func, seed: Pattern, y_bar: Value) {
        let mut ops = Vec::new();
        let mut results: Vec<Pattern> = func.params.iter().map(|_| Pattern::Unit).collect();
        let mut yields = Vec::new();
        for (k, partial) in &self.partials {
            let bar = self.cotangent(func, &mut ops, *k, *partial, y_bar);
            results[*k] = Pattern::Value(bar);
            yields.push(bar);
        }
        let params = func.params.iter().map(|p| match p.by {
            PassedBy::Ref => p.pattern.clone(),
            PassedBy::Value | PassedBy::Mut => Pattern::Unit,
        });
        func.pullback = Some(Pullback {
            seed,
            params: params.collect(),
            body: body(ops, yields),
            results,
        });
    }

    fn combined(&self, func: &mut Func, seed: Pattern, y_bar: Value) {
        let mut ops = std::mem::take(&mut func.body.ops);
        func.extra = vec![seed];
        for (k, partial) in &self.partials {
            let (ty, name) = self.param(*k);
            let shadow = func.new_slot(SlotData::new(
                ty,
                SlotKind::RefMut,
                format!("{name}_bar"),
                func.params[*k].ident.span(),
            ));
            func.extra.push(Pattern::Slot(shadow));
            let bar = self.cotangent(func, &mut ops, *k, *partial, y_bar);
            seq(func, &mut ops).push(OpKind::Accumulate(Place::whole(shadow), bar));
        }
        func.body.ops = ops;
    }

    /// The cotangent of parameter `k`.
    fn cotangent(
        &self,
        func: &mut Func,
        ops: &mut Vec<Op>,
        k: usize,
        partial: Value,
        y_bar: Value,
    ) -> Value {
        let (ty, name) = self.param(k);
        let mut s = seq(func, ops);
        let product = s.strong_mul(y_bar, partial);
        let bar = converted(&mut s, product, &ty);
        func.values[bar.0 as usize].name = format!("{name}_bar");
        bar
    }

    /// The type and name of a parameter.
    fn param(&self, k: usize) -> (Ty, String) {
        match &self.func.params[k].pattern {
            Pattern::Value(v) => (self.func.ty(*v).clone(), self.func.value(*v).name.clone()),
            Pattern::Slot(s) => (
                self.func.slot(*s).ty.clone(),
                self.func.slot(*s).name.clone(),
            ),
            _ => bug!("a parameter of a primal with a tangent"),
        }
    }
}

/// `v`, cast where the types differ.
fn converted(s: &mut Seq<'_>, v: Value, ty: &Ty) -> Value {
    match (s.func.ty(v), ty) {
        (Ty::F32, Ty::F32) | (Ty::F64, Ty::F64) => v,
        _ => s.cast(v, ty),
    }
}

fn seq<'a>(func: &'a mut Func, ops: &'a mut Vec<Op>) -> Seq<'a> {
    let span = func.name.span();
    Seq::new(func, ops, span)
}

fn body(ops: Vec<Op>, yields: Vec<Value>) -> Region {
    Region::new(ops, yields)
}
