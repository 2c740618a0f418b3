//! How each variable is kept.
//!
//! A variable is a value if it is a scalar of known type that is never borrowed, or if it is bound once and only ever used
//! by value. A variable of reference type is a name for a place. Everything else is memory.

use super::activity::Activity;
use super::looping::is_countable;
use super::opaque::own_flags;
use crate::hir::{Access, Block, Code, Expr, ExprKind, Func, Iterable, Let, Part, Pat, Stmt, Var};
use crate::types::{Type, Types};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Storage {
    Value,
    Memory,
    Alias,
}

/// Decides for every variable.
pub(super) fn classify(func: &Func, types: &Types, activity: &Activity) -> Vec<Storage> {
    let mut uses = Uses {
        func,
        types,
        activity,
        of: vec![Use::default(); func.vars.len()],
        inside: vec![0; func.vars.len()],
        loops: Vec::new(),
        leaves: 0,
    };
    uses.block(&func.body);
    let mut storage: Vec<Storage> = (0..func.vars.len())
        .map(|k| {
            let used = uses.of[k];
            let var = Var(crate::hir::index(k));
            match types.var(var) {
                Type::Ref(..) => Storage::Alias,
                ty if ty.is_scalar() => {
                    if used.borrowed {
                        Storage::Memory
                    } else {
                        Storage::Value
                    }
                }
                _ if used.borrowed || used.part || used.assigned => Storage::Memory,
                _ if func.view_copies.contains(&var) => Storage::Memory,
                _ => Storage::Value,
            }
        })
        .collect();
    // A parameter is in memory, unless it is a scalar.
    for param in &func.params {
        if let Pat::Bind { var, .. } | Pat::At(var, _) = &param.pat {
            let kept = &mut storage[var.0 as usize];
            if *kept == Storage::Value && !types.var(*var).is_scalar() {
                *kept = Storage::Memory;
            }
        }
    }
    storage
}

/// Uses of a variable other than reading it by value.
#[derive(Clone, Copy, Default, Debug)]
struct Use {
    borrowed: bool,
    /// A field or element of it is used, or it is a method's receiver, or verbatim code mentions it.
    part: bool,
    /// Assigned, or declared without a value.
    assigned: bool,
}

struct Uses<'a> {
    func: &'a Func,
    types: &'a Types,
    activity: &'a Activity,
    of: Vec<Use>,
    /// In how many loops each variable is declared.
    inside: Vec<usize>,
    /// The loops around the current point: the flags that end them.
    loops: Vec<Option<Var>>,
    /// How many of these are there around the outermost statements that are followed by the loop's end.
    leaves: usize,
}

impl Uses<'_> {
    fn at(&mut self, var: Var) -> &mut Use {
        &mut self.of[var.0 as usize]
    }

    fn block(&mut self, block: &Block) {
        let before = self.leaves;
        if block.stmts.iter().any(|stmt| self.ends_loop(stmt)) {
            self.leaves = self.loops.len();
        }
        self.stmts(block);
        self.leaves = before;
    }

    /// Sets the flag of the innermost loop.
    fn ends_loop(&self, stmt: &Stmt) -> bool {
        let (Stmt::Expr(expr), Some(Some(flag))) = (stmt, self.loops.last()) else {
            return false;
        };
        match &expr.kind {
            ExprKind::Assign(place, _) => matches!(place.kind, ExprKind::Var(var) if var == *flag),
            _ => false,
        }
    }

    fn repeated(&mut self, stop: Option<Var>, body: &Block) {
        self.loops.push(stop);
        self.block(body);
        self.loops.pop();
    }

    fn stmts(&mut self, block: &Block) {
        for stmt in &block.stmts {
            match stmt {
                Stmt::Expr(expr) => self.expr(expr),
                Stmt::Let(stmt) => {
                    match &stmt.init {
                        None => stmt.pat.each_var(&mut |var| self.at(var).assigned = true),
                        Some(init) if self.is_number_by_name(stmt, init) => {}
                        Some(init) => {
                            self.expr(init);
                            if by_ref(&stmt.pat) {
                                self.root(init, |used| used.borrowed = true);
                            }
                        }
                    }
                    self.pattern(&stmt.pat);
                }
            }
        }
        block.value.iter().for_each(|value| self.expr(value));
    }

    /// `let name = &x;`, where `x` is a number that never changes: `name` is another name for it.
    fn is_number_by_name(&self, stmt: &Let, init: &Expr) -> bool {
        let (Pat::Bind { by_ref: None, .. }, ExprKind::Ref(false, inner)) = (&stmt.pat, &init.kind)
        else {
            return false;
        };
        match inner.kind {
            ExprKind::Var(var) => self.types.var(var).is_scalar() && !self.func.var(var).mutable,
            _ => false,
        }
    }

    /// A pattern that binds a whole and its parts: `x @ ..`.
    fn pattern(&mut self, pat: &Pat) {
        pat.each_var(&mut |var| self.inside[var.0 as usize] = self.loops.len());
        if let Pat::At(var, _) = pat {
            self.at(*var).part = true;
        }
    }

    fn root(&mut self, place: &Expr, f: impl FnOnce(&mut Use)) {
        if let Some(var) = place.root() {
            f(self.at(var));
        }
    }

    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            // A value that a loop moves before it ends counts for rustc as moved in each iteration, unless a clone is moved.
            ExprKind::Var(var) if self.inside[var.0 as usize] < self.leaves => {
                self.at(*var).part = true;
            }
            ExprKind::Ref(_, place) => self.root(place, |used| used.borrowed = true),
            ExprKind::Field(base, _) | ExprKind::Index(base, _) | ExprKind::Deref(base) => {
                self.root(base, |used| used.part = true);
            }
            ExprKind::Method { receiver, .. } => self.root(receiver, |used| used.part = true),
            ExprKind::Assign(place, _) | ExprKind::AssignOp(_, place, _) => self.assigned(place),
            ExprKind::For { head, body, .. } => {
                self.head(head);
                // A loop that will be verbatim writes to variables by their names.
                let is_verbatim = expr.source.is_some()
                    && !is_countable(head, self.types)
                    && !self.activity.touches(expr, self.types);
                if is_verbatim {
                    let flags = own_flags(expr);
                    body.walk(&mut |e| {
                        if let ExprKind::Assign(place, _) | ExprKind::AssignOp(_, place, _) =
                            &e.kind
                            && place.root().is_none_or(|root| !flags.contains(&root))
                        {
                            self.root(place, |used| used.borrowed = true);
                        }
                    });
                }
            }
            ExprKind::Closure(closure) => {
                // A verbatim closure borrows all its captures; a region, only those that it writes.
                let region = self.activity.touches(expr, self.types);
                for mention in &closure.captures {
                    let used = self.at(mention.var);
                    used.borrowed |= !region || mention.access == Access::Write;
                    used.part |= mention.access == Access::Method;
                }
            }
            ExprKind::Collect { head, .. } => self.head(head),
            ExprKind::Verbatim(verbatim) => {
                // Captures must live as long as the closure.
                let captures = matches!(
                    &verbatim.code,
                    Code::Expr(source) if matches!(**source, syn::Expr::Closure(_))
                );
                for mention in &verbatim.mentions {
                    let used = self.at(mention.var);
                    used.part = true;
                    used.borrowed |= mention.access == Access::Write || captures;
                }
            }
            _ => {}
        }
        match &expr.kind {
            ExprKind::Loop { body, stop, .. } => self.repeated(*stop, body),
            ExprKind::For {
                pat,
                head,
                body,
                stop,
                ..
            } => {
                head.each_expr(&mut |e| self.expr(e));
                self.loops.push(*stop);
                self.pattern(pat);
                self.loops.pop();
                self.repeated(*stop, body);
            }
            ExprKind::Collect { pat, head, body } => {
                head.each_expr(&mut |e| self.expr(e));
                self.loops.push(None);
                self.pattern(pat);
                self.loops.pop();
                self.repeated(None, body);
            }
            _ => expr.each_part(&mut |part| match part {
                Part::Expr(child) => self.expr(child),
                Part::Block(block) => self.block(block),
            }),
        }
    }

    fn assigned(&mut self, place: &Expr) {
        match &place.kind {
            ExprKind::Var(var) => self.at(*var).assigned = true,
            ExprKind::Tuple(elems) => elems.iter().for_each(|elem| self.assigned(elem)),
            _ => {}
        }
    }

    /// A list that is iterated over is read by element.
    fn head(&mut self, head: &Iterable) {
        head.each_source(&mut |source| {
            if let Iterable::Elements { of, .. }
            | Iterable::Chunks { of, .. }
            | Iterable::Unknown(of) = source
            {
                let scalar = self.types.expr(of.id).is_scalar();
                self.root(of, |used| used.part |= !scalar);
            }
        });
    }
}

/// Returns `true` if a pattern borrows the value that it is matched with.
fn by_ref(pat: &Pat) -> bool {
    match pat {
        Pat::Bind { by_ref, .. } => by_ref.is_some(),
        Pat::At(_, sub) | Pat::Ref(sub) => by_ref(sub),
        Pat::Tuple { elems, .. } | Pat::Slice(elems) => elems.iter().any(by_ref),
        Pat::Ends { front, back, .. } => front.iter().chain(back).any(by_ref),
        Pat::Struct { fields } | Pat::Variant { fields, .. } => {
            fields.iter().any(|(_, sub)| by_ref(sub))
        }
        Pat::Wild => false,
    }
}
