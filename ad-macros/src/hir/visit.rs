//! Walks over the parsed function.

use proc_macro2::Ident;

use super::{Adapter, Block, Expr, ExprKind, Iterable, Pat, Stmt, Var};
use crate::std_model::{self, ENDS, Gives, Of, UNWRAPS};

/// The receiver of `first()`, `last()`, `front()`, `back()`, `get(i)` and their `_mut` forms, and whether it is one of these. `get(&k)` is a map's.
pub(crate) fn end_of(expr: &Expr) -> Option<(&Expr, bool)> {
    let (receiver, name, args) = expr.as_method()?;
    let method = std_model::called(Of::List, &name.to_string(), args.len())?;
    let of_map = args.iter().any(|arg| matches!(arg.kind, ExprKind::Ref(..)));
    (method.does(ENDS) && !of_map).then(|| (receiver, method.is_mut()))
}

/// The receiver of `split_first()`, `split_last()` and their `_mut` forms, and whether it is one of these.
pub(crate) fn split_of(expr: &Expr) -> Option<(&Expr, bool)> {
    let (receiver, name, args) = expr.as_method()?;
    let method = std_model::called(Of::List, &name.to_string(), args.len())?;
    (method.gives == Gives::Split).then(|| (receiver, method.is_mut()))
}

/// The `Option` whose content a method called `name` on `borrowed` returns, and whether by `&mut`: `o.as_ref().unwrap()`.
pub(crate) fn payload_of<'a>(borrowed: &'a Expr, name: &str) -> Option<(&'a Expr, bool)> {
    let (receiver, borrow, args) = borrowed.as_method()?;
    match borrow.to_string().as_str() {
        "as_ref" | "as_mut" if std_model::does(name, UNWRAPS) && args.is_empty() => {
            Some((receiver, borrow == "as_mut"))
        }
        _ => None,
    }
}

/// Something directly below an expression.
pub(crate) enum Part<E, B> {
    Expr(E),
    Block(B),
}

/// The walks over expressions, by reference and by unique reference.
macro_rules! visitors {
    ($each_part:ident, $each_child:ident, $each_expr:ident, $each_source:ident, $iter:ident, [$($unique:tt)?]) => {
impl Expr {
    /// Calls `f` on the expressions directly below, those of blocks included.
    pub(crate) fn $each_child<'a>(&'a $($unique)? self, f: &mut dyn FnMut(&'a $($unique)? Expr)) {
        self.$each_part(&mut |part| match part {
            Part::Expr(expr) => f(expr),
            Part::Block(block) => block.$each_expr(f),
        });
    }

    /// Calls `f` on the expressions and blocks directly below.
    pub(crate) fn $each_part<'a>(&'a $($unique)? self, f: &mut dyn FnMut(Part<&'a $($unique)? Expr, &'a $($unique)? Block>)) {
        use Part::{Block as B, Expr as E};
        match &$($unique)? self.kind {
            ExprKind::Float(..)
            | ExprKind::Int(..)
            | ExprKind::Bool(_)
            | ExprKind::Unit
            | ExprKind::Var(_)
            | ExprKind::Path(_)
            | ExprKind::Hole
            | ExprKind::Continue(_)
            | ExprKind::Neutral(_)
            | ExprKind::Verbatim(_)
            | ExprKind::Undef => {}
            ExprKind::Unary(_, a)
            | ExprKind::Deref(a)
            | ExprKind::Field(a, _)
            | ExprKind::Ref(_, a)
            | ExprKind::Cast(a, _)
            | ExprKind::Position(a)
            | ExprKind::Boxed(a)
            | ExprKind::Coerce(a)
            | ExprKind::Repeat(a, _) => f(E(a)),
            ExprKind::Binary(_, a, b)
            | ExprKind::Distance(a, b)
            | ExprKind::Test(_, a, b)
            | ExprKind::Logic(_, a, b)
            | ExprKind::Assign(a, b)
            | ExprKind::AssignOp(_, a, b)
            | ExprKind::Index(a, b)
            | ExprKind::RepeatVec(a, b) => {
                f(E(a));
                f(E(b));
            }
            ExprKind::Range { lo, hi, .. } => {
                lo.$iter().chain(hi).for_each(|end| f(E(end)));
            }
            ExprKind::Tuple(elems) | ExprKind::Array { elems, .. } => elems.$iter().for_each(|e| f(E(e))),
            ExprKind::Struct { fields, base, .. } => {
                for (_, value) in fields {
                    f(E(value));
                }
                if let Some(base) = base {
                    f(E(base));
                }
            }
            ExprKind::Call { args, .. } | ExprKind::Apply(_, args) => args.$iter().for_each(|e| f(E(e))),
            ExprKind::Closure(closure) => f(E(&$($unique)? closure.body)),
            ExprKind::Method { receiver, args, .. } => {
                f(E(receiver));
                args.$iter().for_each(|e| f(E(e)));
            }
            ExprKind::If { cond, then, other } => {
                f(E(cond));
                f(B(then));
                if let Some(other) = other {
                    f(B(other));
                }
            }
            ExprKind::Block(block, _) | ExprKind::Loop { body: block, .. } => f(B(block)),
            ExprKind::For { head, body, .. } | ExprKind::Collect { head, body, .. } => {
                head.$each_expr(&mut |e| f(E(e)));
                f(B(body));
            }
            ExprKind::Map(method) => {
                f(E(&$($unique)? method.receiver));
                method.args.$iter().for_each(|e| f(E(e)));
                for arm in [&$($unique)? method.some, &$($unique)? method.none].into_iter().flatten() {
                    f(B(&$($unique)? arm.body));
                }
            }
            ExprKind::Break(_, value) | ExprKind::Return(value) => {
                if let Some(value) = value {
                    f(E(value));
                }
            }
        }
    }
}

impl Block {
    /// Calls `f` on the expressions of the statements and on the block's value.
    pub(crate) fn $each_expr<'a>(&'a $($unique)? self, f: &mut dyn FnMut(&'a $($unique)? Expr)) {
        for stmt in &$($unique)? self.stmts {
            match stmt {
                Stmt::Let(stmt) => stmt.init.$iter().for_each(&mut *f),
                Stmt::Expr(expr) => f(expr),
            }
        }
        self.value.$iter().for_each(|value| f(value));
    }
}

impl Iterable {
    /// Calls `f` on the expressions of the sources and of the adapters.
    pub(crate) fn $each_expr<'a>(&'a $($unique)? self, f: &mut dyn FnMut(&'a $($unique)? Expr)) {
        match self {
            Iterable::Range {
                lo, hi, adapters, ..
            } => {
                f(lo);
                f(hi);
                for adapter in adapters {
                    if let Adapter::StepBy(step) | Adapter::Checkpoint(step) = adapter {
                        f(step);
                    }
                }
            }
            Iterable::Elements { of, .. } | Iterable::Count(of) | Iterable::Unknown(of) => f(of),
            Iterable::Chunks { of, size, .. } => {
                f(of);
                f(size);
            }
            Iterable::Enumerate(head) | Iterable::Rev(head) => head.$each_expr(f),
            Iterable::Skip(head, n) | Iterable::Take(head, n) | Iterable::StepBy(head, n) => {
                head.$each_expr(f);
                f(n);
            }
            Iterable::Zip(a, b) => {
                a.$each_expr(f);
                b.$each_expr(f);
            }
        }
    }

    /// Calls `f` on each head that is no adapter: where the items come from.
    pub(crate) fn $each_source<'a>(&'a $($unique)? self, f: &mut dyn FnMut(&'a $($unique)? Iterable)) {
        match self {
            Iterable::Enumerate(head)
            | Iterable::Rev(head)
            | Iterable::Skip(head, _)
            | Iterable::Take(head, _)
            | Iterable::StepBy(head, _) => head.$each_source(f),
            Iterable::Zip(a, b) => {
                a.$each_source(f);
                b.$each_source(f);
            }
            source => f(source),
        }
    }
}
    };
}

visitors!(each_part, each_child, each_expr, each_source, iter, []);
visitors!(
    each_part_mut,
    each_child_mut,
    each_expr_mut,
    each_source_mut,
    iter_mut,
    [mut]
);

impl Expr {
    /// Calls `f` on the expression and on every expression in it.
    pub(crate) fn walk<'a>(&'a self, f: &mut dyn FnMut(&'a Expr)) {
        f(self);
        self.each_child(&mut |child| child.walk(f));
    }

    /// True if `f` holds of the expression or of one in it.
    pub(crate) fn any(&self, f: &mut dyn FnMut(&Expr) -> bool) -> bool {
        let mut found = false;
        self.walk(&mut |expr| found = found || f(expr));
        found
    }

    /// True if `f` holds of an expression directly below.
    pub(crate) fn any_child(&self, f: &mut dyn FnMut(&Expr) -> bool) -> bool {
        let mut found = false;
        self.each_child(&mut |child| found = found || f(child));
        found
    }

    /// The receiver, the name and the arguments of a method call.
    pub(crate) fn as_method(&self) -> Option<(&Expr, &Ident, &[Expr])> {
        match &self.kind {
            ExprKind::Method {
                receiver,
                name,
                args,
                ..
            } => Some((receiver, name, args)),
            _ => None,
        }
    }

    /// The variable at the root of a place, through fields, indices, references and dereferences.
    pub(crate) fn root(&self) -> Option<Var> {
        match &self.kind {
            ExprKind::Var(var) => Some(*var),
            ExprKind::Field(base, _)
            | ExprKind::Index(base, _)
            | ExprKind::Deref(base)
            | ExprKind::Ref(_, base) => base.root(),
            _ => None,
        }
    }
}

impl Iterable {
    /// True if `f` holds of an expression of the sources or of the adapters.
    pub(crate) fn any_expr(&self, f: &mut dyn FnMut(&Expr) -> bool) -> bool {
        let mut found = false;
        self.each_expr(&mut |expr| found = found || f(expr));
        found
    }
}

impl Block {
    /// Calls `f` on the block and on those inside of it, from the outside in.
    pub(crate) fn each_block<'a>(&'a self, f: &mut dyn FnMut(&'a Block)) {
        f(self);
        self.walk(&mut |expr| {
            expr.each_part(&mut |part| {
                if let Part::Block(inner) = part {
                    f(inner);
                }
            });
        });
    }

    /// Calls `f` on every expression in the block.
    pub(crate) fn walk<'a>(&'a self, f: &mut dyn FnMut(&'a Expr)) {
        self.each_expr(&mut |expr| expr.walk(f));
    }

    /// True if `f` holds of an expression in the block.
    pub(crate) fn any(&self, f: &mut dyn FnMut(&Expr) -> bool) -> bool {
        let mut found = false;
        self.walk(&mut |expr| found = found || f(expr));
        found
    }
}

impl Pat {
    /// Calls `f` on every variable that the pattern binds.
    pub(crate) fn each_var(&self, f: &mut dyn FnMut(Var)) {
        match self {
            Pat::Wild => {}
            Pat::Bind { var, .. } => f(*var),
            Pat::At(var, sub) => {
                f(*var);
                sub.each_var(f);
            }
            Pat::Tuple { elems, .. } | Pat::Slice(elems) => {
                for elem in elems {
                    elem.each_var(f);
                }
            }
            Pat::Ends {
                front,
                middle,
                back,
            } => {
                for elem in front.iter().chain([&**middle]).chain(back) {
                    elem.each_var(f);
                }
            }
            Pat::Ref(sub) => sub.each_var(f),
            Pat::Struct { fields } | Pat::Variant { fields, .. } => {
                fields.iter().for_each(|(_, sub)| sub.each_var(f));
            }
        }
    }
}
