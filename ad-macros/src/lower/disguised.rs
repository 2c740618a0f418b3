//! An active value that becomes bits or text has no derivative from then on: `x.to_bits()`, `format!("{x}")`. Reading these is
//! fine. A number that is made of them again would silently have the derivative zero, which is an error here.
//!
//! Input: the function as it is lowered, and its activity. A variable is *disguised* if it may hold such bits or such text. The analysis
//! is as coarse as that of activity. Values that only depend on them by control flow (conditions, lengths, positions)
//! aren't disguised.

use quote::ToTokens;

use super::activity::{Activity, is_stop_gradient};
use super::branch::of_mem;
use crate::diagnostics::{Errors, error};
use crate::enclosing::has_word;
use crate::hir::{
    Access, Block, Closure, Code, Expr, ExprKind, Func, Iterable, Part, Pat, Stmt, Var, Verbatim,
};
use crate::paths::last_name;
use crate::types::{Type, Types};
use std::collections::{HashMap, HashSet};

/// An error at each number that is made of bits or text of something active.
pub(super) fn reject(func: &Func, types: &Types, activity: &Activity, errors: &mut Errors) {
    let mut analysis = Analysis {
        func,
        types,
        activity,
        disguised: HashSet::new(),
        closures: HashMap::new(),
        found: false,
    };
    loop {
        let before = analysis.disguised.len();
        analysis.block(&func.body);
        if !analysis.found {
            return;
        }
        if analysis.disguised.len() == before {
            break;
        }
    }
    func.body.each_expr(&mut |expr| {
        analysis.report(expr, errors);
    });
}

struct Analysis<'a> {
    func: &'a Func,
    types: &'a Types,
    activity: &'a Activity,
    disguised: HashSet<Var>,
    /// Closures that are bound to variables.
    closures: HashMap<Var, &'a Closure>,
    /// There is something disguised at all.
    found: bool,
}

impl<'a> Analysis<'a> {
    fn ty(&self, expr: &Expr) -> &'a Type {
        self.types.expr(expr.id)
    }

    /// Numbers that are varied have their derivatives, whatever is beside them.
    fn mark(&mut self, var: Var) {
        let number = self.types.var(var).peeled().is_float();
        if !(number && self.activity.is_varied(var)) {
            self.disguised.insert(var);
        }
    }

    fn block(&mut self, block: &'a Block) {
        for stmt in &block.stmts {
            match stmt {
                Stmt::Let(stmt) => {
                    let Some(init) = &stmt.init else { continue };
                    self.expr(init);
                    self.flows(init, &stmt.pat);
                    if let (Pat::Bind { var, .. }, ExprKind::Closure(closure)) =
                        (&stmt.pat, &init.kind)
                    {
                        self.closures.insert(*var, closure);
                    }
                }
                Stmt::Expr(expr) => {
                    self.called_for_effect(expr);
                    self.expr(expr);
                }
            }
        }
        block.value.iter().for_each(|value| self.expr(value));
    }

    /// A method whose result isn't used stores its arguments, whether its receiver is `mut` or not: `AtomicU64::store`.
    fn called_for_effect(&mut self, call: &Expr) {
        if let ExprKind::Method { receiver, args, .. } = &call.kind
            && args.iter().any(|arg| self.holds(arg))
        {
            receiver.root().into_iter().for_each(|root| self.mark(root));
        }
    }

    fn flows(&mut self, from: &Expr, to: &Pat) {
        if self.holds(from) {
            to.each_var(&mut |var| self.mark(var));
        }
    }

    fn head(&mut self, head: &Iterable, pat: &Pat) {
        if head.any_expr(&mut |of| self.holds(of)) {
            pat.each_var(&mut |var| self.mark(var));
        }
    }

    /// Visits the writes of an expression.
    fn expr(&mut self, expr: &'a Expr) {
        self.found |= self.disguises(expr);
        match &expr.kind {
            ExprKind::Assign(place, value) | ExprKind::AssignOp(_, place, value)
                if self.holds(value) =>
            {
                place.walk(&mut |part| {
                    if let ExprKind::Var(var) = part.kind {
                        self.mark(var);
                    }
                });
            }
            ExprKind::Method { receiver, args, .. } if args.iter().any(|arg| self.holds(arg)) => {
                let root = receiver.root().filter(|root| self.may_write(*root));
                root.into_iter().for_each(|root| self.mark(root));
                self.lent(args);
            }
            ExprKind::Call { args, .. } | ExprKind::Apply(_, args) => {
                if args.iter().any(|arg| self.holds(arg)) {
                    self.lent(args);
                }
                if let ExprKind::Apply(function, args) = &expr.kind
                    && let Some(closure) = self.closures.get(function).copied()
                {
                    for (arg, (param, _)) in args.iter().zip(&closure.params) {
                        self.flows(arg, param);
                    }
                }
            }
            ExprKind::Verbatim(verbatim) if self.in_code(verbatim) => {
                for mention in &verbatim.mentions {
                    if mention.access != Access::Read && self.may_write(mention.var) {
                        self.mark(mention.var);
                    }
                }
            }
            ExprKind::For { pat, head, .. } | ExprKind::Collect { pat, head, .. } => {
                self.head(head, pat);
            }
            _ => {}
        }
        expr.each_part(&mut |part| match part {
            Part::Expr(child) => self.expr(child),
            Part::Block(block) => self.block(block),
        });
    }

    /// Visits the places that a callee may write to.
    fn lent(&mut self, args: &[Expr]) {
        for arg in args {
            let root = match (&arg.kind, self.ty(arg)) {
                (ExprKind::Ref(true, place), _) => place.root(),
                (_, Type::Ref(true, _)) => arg.root(),
                _ => None,
            };
            root.into_iter().for_each(|root| self.mark(root));
        }
    }

    fn may_write(&self, var: Var) -> bool {
        match self.types.var(var) {
            Type::Ref(mutable, _) => *mutable,
            ty => self.func.var(var).mutable && !ty.is_scalar(),
        }
    }

    /// Returns `true` if the bits or the text of an active value are made here.
    fn disguises(&self, expr: &Expr) -> bool {
        let active = |expr: &Expr| self.activity.is_active(expr, self.types);
        match &expr.kind {
            ExprKind::Method { receiver, name, .. } => {
                disguises(&name.to_string()) && active(receiver)
            }
            ExprKind::Call { path, args } => {
                last_name(&path.path).is_some_and(|last| disguises(&last))
                    && args.iter().any(active)
            }
            ExprKind::Verbatim(verbatim) => {
                let varied = |var| self.activity.is_varied(var);
                verbatim.mentions.iter().any(|m| varied(m.var)) && code_disguises(&verbatim.code)
            }
            _ => false,
        }
    }

    /// Returns `true` if the value may be, or hold, bits or text of an active value.
    fn holds(&self, expr: &Expr) -> bool {
        if matches!(self.ty(expr), Type::Bool | Type::Unit | Type::Never) {
            return false;
        }
        match &expr.kind {
            _ if self.disguises(expr) => true,
            // The error is reported where the number is made, so that its value holds nothing.
            ExprKind::Index(of, index) if self.makes(expr) => !self.holds(index) && self.holds(of),
            ExprKind::Apply(function, args) if self.makes(expr) => {
                let made = self.disguised.contains(function);
                let closure = self.closures.get(function);
                !made
                    && !args.iter().any(|arg| self.holds(arg))
                    && closure.is_some_and(|closure| self.holds(&closure.body))
            }
            _ if self.makes(expr) => false,
            ExprKind::Var(var) => self.disguised.contains(var),
            ExprKind::Verbatim(verbatim) => self.in_code(verbatim),
            ExprKind::Call { path, .. } if is_stop_gradient(path) => false,
            ExprKind::Method { name, .. } if is_size(&name.to_string()) => false,
            ExprKind::Position(_) | ExprKind::Distance(..) => false,
            ExprKind::Closure(closure) => {
                let mut captures = closure.captures.iter();
                captures.any(|m| self.disguised.contains(&m.var)) || self.holds(&closure.body)
            }
            // Closures among the arguments choose, unless they are called by name.
            ExprKind::Method { receiver, args, .. } => {
                let closure = |arg: &Expr| matches!(arg.kind, ExprKind::Closure(_));
                self.holds(receiver) || args.iter().any(|arg| !closure(arg) && self.holds(arg))
            }
            ExprKind::Apply(function, args) => {
                let closure = self.closures.get(function);
                self.disguised.contains(function)
                    || closure.is_some_and(|closure| self.holds(&closure.body))
                    || args.iter().any(|arg| self.holds(arg))
            }
            ExprKind::If { then, other, .. } => {
                let mut blocks = std::iter::once(then).chain(other);
                blocks.any(|block| self.result_holds(block))
            }
            ExprKind::Block(block, _) => self.result_holds(block),
            ExprKind::Collect { body, .. } => self.result_holds(body),
            ExprKind::For { .. } | ExprKind::Loop { .. } => false,
            _ => expr.any_child(&mut |child| self.holds(child)),
        }
    }

    fn result_holds(&self, block: &Block) -> bool {
        block.value.iter().any(|value| self.holds(value))
    }

    fn in_code(&self, verbatim: &Verbatim) -> bool {
        let disguised = |var| self.disguised.contains(&var);
        let varied = |var| self.activity.is_varied(var);
        verbatim.mentions.iter().any(|m| disguised(m.var))
            || verbatim.mentions.iter().any(|m| varied(m.var)) && code_disguises(&verbatim.code)
    }

    /// Returns `true` if a number is made here of bits or text, of an active value or not.
    fn makes(&self, expr: &Expr) -> bool {
        let ty = self.ty(expr);
        let named = match &expr.kind {
            ExprKind::Method { name, .. } => name == "parse",
            ExprKind::Call { path, .. } => {
                let last = path.path.segments.last();
                // `core::mem::replace` and `take` make nothing.
                !(is_stop_gradient(path) || of_mem(path).is_some())
                    && (last.is_some_and(|last| reveals(&last.ident.to_string()))
                        || is_number_or_list(ty))
            }
            ExprKind::Verbatim(_) => is_number_or_list(ty),
            ExprKind::Cast(..)
            | ExprKind::Binary(..)
            | ExprKind::Unary(..)
            | ExprKind::Apply(..)
            | ExprKind::Index(..) => false,
            _ => return false,
        };
        named && ty.may_have_tangent() || ty.is_float()
    }

    /// Returns `true` if a number is made here of bits or text of an active value.
    fn is_made(&self, expr: &Expr) -> bool {
        if !self.makes(expr) {
            return false;
        }
        match &expr.kind {
            ExprKind::Verbatim(verbatim) => self.in_code(verbatim),
            // Stored numbers aren't disguised, but the index selects one of them.
            ExprKind::Index(_, index) => self.holds(index),
            ExprKind::Apply(function, _) if self.disguised.contains(function) => true,
            _ => expr.any_child(&mut |child| self.holds(child)),
        }
    }

    fn report(&self, expr: &Expr, errors: &mut Errors) {
        if matches!(&expr.kind, ExprKind::Call { path, .. } if is_stop_gradient(path)) {
            return;
        }
        if self.is_made(expr) {
            errors.push(error(
                expr,
                "this number is made from the bits or the text of an active value, so that its derivative would be lost",
                "write `stop_gradient(..)` around it if its derivative is zero, or a `#[primitive]` function with its partials",
            ));
        }
        expr.each_child(&mut |child| self.report(child, errors));
    }
}

/// Returns `true` if a method makes bits or text of a number.
fn disguises(name: &str) -> bool {
    matches!(
        name,
        "to_bits" | "to_ne_bytes" | "to_le_bytes" | "to_be_bytes" | "to_string"
    )
}

/// Returns `true` if a function makes a number of bits or text.
fn reveals(name: &str) -> bool {
    matches!(
        name,
        "from_bits" | "from_ne_bytes" | "from_le_bytes" | "from_be_bytes" | "from_str"
    )
}

fn is_size(name: &str) -> bool {
    matches!(name, "len" | "capacity" | "count")
}

/// Returns `true` if code that is emitted as it was written makes bits or text.
fn code_disguises(code: &Code) -> bool {
    match code {
        Code::Macro(mac) => mac.path.segments.last().is_some_and(|last| {
            matches!(
                last.ident.to_string().as_str(),
                "format" | "write" | "writeln"
            )
        }),
        Code::Expr(expr) => has_word(expr.to_token_stream(), &|word| {
            word == "format" || disguises(&word.to_string())
        }),
        Code::Matches(_) => false,
    }
}

fn is_number_or_list(ty: &Type) -> bool {
    match ty {
        Type::Option(t) | Type::Result(t, _) | Type::Boxed(t) => is_number_or_list(t),
        Type::Tuple(parts) => parts.iter().any(is_number_or_list),
        ty => ty.peeled().is_float() || ty.element().is_some_and(is_number_or_list),
    }
}
