//! Variables that may depend on a differentiated parameter. Coarse: a variable either may or may not, wherever it is
//! read. Finer analyses run on the intermediate representation; this one only decides which code must be
//! differentiable, and which may stay verbatim.

use super::branch::{by_mut, of_mem};
use crate::hir::{
    Block, Closure, Code, Elements, Expr, ExprKind, Func, Iterable, Mention, Part, Pat, Stmt, Var,
    Verbatim,
};
use crate::paths::ends_in;
use crate::std_model::{COPIES, READS, does, of_floats};
use crate::transform::is_piecewise_constant;
use crate::types::keyed::keyed;
use crate::types::{Type, Types};
use std::collections::{HashMap, HashSet};

pub(crate) struct Activity {
    varied: Vec<bool>,
    /// True if a variable's name allows writing.
    writable: Vec<bool>,
    /// True if a variable may be a `&mut` through which an active value is written.
    through: Vec<bool>,
}

/// Finds the varied variables, by iteration until nothing changes.
pub(super) fn analyze(func: &Func, types: &Types) -> Activity {
    let mut analysis = Analysis {
        func,
        types,
        closures: HashMap::new(),
        borrow_sources: HashMap::new(),
        results: HashSet::new(),
        activity: Activity {
            varied: vec![false; func.vars.len()],
            through: vec![false; func.vars.len()],
            writable: func
                .vars
                .iter()
                .enumerate()
                .map(|(k, var)| match types.var(Var(crate::hir::index(k))) {
                    Type::Ref(mutable, _) => *mutable,
                    _ => var.mutable,
                })
                .collect(),
        },
        changed: false,
    };
    for param in func.params.iter().filter(|param| !param.constant) {
        param.pat.each_var(&mut |var| analysis.mark(var));
    }
    loop {
        analysis.changed = false;
        analysis.block(&func.body);
        if !analysis.changed {
            return analysis.activity;
        }
    }
}

impl Activity {
    pub(super) fn is_varied(&self, var: Var) -> bool {
        self.varied.get(var.0 as usize).copied().unwrap_or(false)
    }

    /// Returns `true` if an active value is written through a variable, which may be a `&mut` of another.
    pub(super) fn writes_through(&self, var: Var) -> bool {
        self.through.get(var.0 as usize).copied().unwrap_or(false)
    }

    /// Returns `true` if an active value may flow into or through `expr`. Code that only reads active values, and returns
    /// a value without a tangent, doesn't count: lengths, comparisons, code that prints.
    pub(super) fn touches(&self, expr: &Expr, types: &Types) -> bool {
        if !types.expr(expr.id).may_have_tangent() && self.is_plain(expr, types) {
            return false;
        }
        match &expr.kind {
            ExprKind::Var(var) => self.is_varied(*var),
            ExprKind::Verbatim(verbatim) => self.is_active_code(verbatim, types),
            ExprKind::Closure(closure) => self.mentions_varied(&closure.captures),
            ExprKind::Apply(var, _) if self.is_varied(*var) => true,
            ExprKind::Method { args, .. } if self.finds_constant(expr, types) => {
                args.iter().any(|key| !self.is_plain(key, types))
            }
            _ => expr.any_child(&mut |child| self.touches(child, types)),
        }
    }

    fn is_active_code(&self, code: &Verbatim, types: &Types) -> bool {
        let varied = self.mentions_varied(&code.mentions);
        varied && !code.inspects && !gives_length(code, types)
    }

    fn mentions_varied(&self, mentions: &[Mention]) -> bool {
        mentions.iter().any(|mention| self.is_varied(mention.var))
    }

    /// Returns `true` if an expression certainly writes to nothing: it consists of places, operators, and calls that
    /// may only read their arguments.
    fn is_plain(&self, expr: &Expr, types: &Types) -> bool {
        let itself = match &expr.kind {
            ExprKind::Float(..)
            | ExprKind::Int(..)
            | ExprKind::Bool(_)
            | ExprKind::Unit
            | ExprKind::Var(_)
            | ExprKind::Path(_)
            | ExprKind::Unary(..)
            | ExprKind::Deref(_)
            | ExprKind::Binary(..)
            | ExprKind::Test(..)
            | ExprKind::Logic(..)
            | ExprKind::Field(..)
            | ExprKind::Index(..)
            | ExprKind::Range { .. }
            | ExprKind::Ref(false, _)
            | ExprKind::Tuple(_)
            | ExprKind::Cast(..)
            | ExprKind::Position(_)
            | ExprKind::Distance(..) => true,
            ExprKind::Call { args, .. } => args.iter().all(|arg| is_read_only(arg, types)),
            ExprKind::Method {
                receiver,
                name,
                args,
                ..
            } => {
                let own = types.expr(receiver.id);
                let root = receiver.root();
                own.peeled().is_scalar()
                    || own.element().is_some() && does(&name.to_string(), READS)
                    || root.is_some_and(|root| !self.writable[root.0 as usize])
                        && args.iter().all(|arg| is_read_only(arg, types))
            }
            _ => false,
        };
        let mut plain = itself;
        expr.each_child(&mut |child| plain = plain && self.is_plain(child, types));
        plain
    }

    /// True if an expression looks something up in a constant map or set by a key that may depend on a differentiated parameter.
    fn finds_constant(&self, expr: &Expr, types: &Types) -> bool {
        matches!(&expr.kind, ExprKind::Method { receiver, name, args, .. }
            if (name == "get" || name == "contains_key" || name == "contains")
                && args.iter().any(|key| self.is_active(key, types))
                && keyed(types.expr(receiver.id)).is_some()
                && !self.is_active(receiver, types)
                && !self.touches(receiver, types))
    }

    /// Returns `true` if the value of `expr` may be active.
    pub(super) fn is_active(&self, expr: &Expr, types: &Types) -> bool {
        if !types.expr(expr.id).may_have_tangent() || types.is_constant_field(expr.id) {
            return false;
        }
        match &expr.kind {
            ExprKind::Var(var) => self.is_varied(*var),
            ExprKind::Verbatim(verbatim) => self.is_active_code(verbatim, types),
            ExprKind::Closure(closure) => self.mentions_varied(&closure.captures),
            ExprKind::Apply(var, _) => self.is_varied(*var),
            ExprKind::Call { path, .. } if is_stop_gradient(path) => false,
            ExprKind::Method { receiver, .. }
                if is_step(expr) && types.expr(receiver.id).peeled().is_float() =>
            {
                false
            }
            ExprKind::Index(base, _) => self.is_active(base, types),
            ExprKind::Method { .. } if self.finds_constant(expr, types) => false,
            _ => expr.any_child(&mut |child| self.is_active(child, types)),
        }
    }
}

/// Returns `true` if code is `|| list.len()`, or the same with `is_empty`.
fn gives_length(verbatim: &Verbatim, types: &Types) -> bool {
    let (Code::Expr(source), [list]) = (&verbatim.code, &verbatim.mentions[..]) else {
        return false;
    };
    let syn::Expr::Closure(closure) = &**source else {
        return false;
    };
    let syn::Expr::MethodCall(call) = &*closure.body else {
        return false;
    };
    let asks = call.method == "len" || call.method == "is_empty";
    let of_list = matches!(*call.receiver, syn::Expr::Path(_)) && call.args.is_empty();
    asks && of_list && closure.capture.is_none() && types.var(list.var).element().is_some()
}

/// Returns `true` if a call can't write through an argument.
fn is_read_only(arg: &Expr, types: &Types) -> bool {
    match types.expr(arg.id) {
        Type::Ref(mutable, _) => !mutable,
        ty => ty.is_scalar() || matches!(ty, Type::Inactive(_)),
    }
}

/// Returns `true` if the derivative of a float's method is zero wherever it exists: `x.floor()`. Its result doesn't depend on small changes
/// of `x`, and may become an integer.
pub(super) fn is_step(expr: &Expr) -> bool {
    matches!(&expr.kind, ExprKind::Method { name, .. } if is_piecewise_constant(&name.to_string()))
}

/// Returns `true` if a path names the function that ends the flow of derivatives.
pub(super) fn is_stop_gradient(path: &syn::ExprPath) -> bool {
    ends_in(&path.path, "stop_gradient")
}

struct Analysis<'a> {
    func: &'a Func,
    types: &'a Types,
    /// The parameters of closures that are bound to variables.
    closures: HashMap<Var, Vec<Var>>,
    /// The variables that a variable may be a `&mut` of, unless its type rules that out.
    borrow_sources: HashMap<Var, Vec<Var>>,
    /// The variables among these that are the result of a call: references only if something is written through them.
    results: HashSet<Var>,
    activity: Activity,
    changed: bool,
}

impl Analysis<'_> {
    fn mark(&mut self, var: Var) {
        let varied = &mut self.activity.varied[var.0 as usize];
        if !*varied && self.types.var(var).may_have_tangent() {
            *varied = true;
            self.changed = true;
        }
    }

    fn active(&self, expr: &Expr) -> bool {
        self.activity.is_active(expr, self.types)
    }

    fn block(&mut self, block: &Block) {
        for stmt in &block.stmts {
            match stmt {
                Stmt::Expr(expr) => {
                    self.called_for_effect(expr);
                    self.expr(expr);
                }
                Stmt::Let(stmt) => {
                    if let Some(init) = &stmt.init {
                        self.expr(init);
                        self.flows(init, &stmt.pat);
                        if let (Pat::Bind { var, .. }, ExprKind::Closure(closure)) =
                            (&stmt.pat, &init.kind)
                        {
                            self.closures.insert(*var, params_of(closure));
                        }
                    }
                }
            }
        }
        if let Some(value) = &block.value {
            self.expr(value);
        }
    }

    /// A method whose result nobody wants writes to its receiver: if that isn't `mut`, it refers to something else.
    fn called_for_effect(&mut self, call: &Expr) {
        if let ExprKind::Method { receiver, args, .. } = &call.kind
            && let ExprKind::Var(var) = receiver.kind
            && self.borrow_sources.contains_key(&var)
            && args.iter().any(|arg| self.active(arg))
        {
            self.activity.through[var.0 as usize] = true;
        }
    }

    /// From an expression to the bindings of a pattern; and back, where a name for the place is bound.
    fn flows(&mut self, from: &Expr, to: &Pat) {
        let active = self.active(from);
        let borrow_sources = self.lent(from);
        if let Pat::Bind {
            var,
            by_ref: Some(_),
        } = to
        {
            let places = self.roots(from);
            self.lend(*var, &places);
        }
        to.each_var(&mut |var| {
            if active {
                self.mark(var);
            }
            self.borrow(var, &borrow_sources);
            if matches!(to, Pat::Bind { .. }) && is_result(from) {
                self.results.insert(var);
            }
            if self.activity.is_varied(var) && is_mut_ref(self.types.var(var)) {
                self.mark_roots(from);
            }
        });
    }

    /// A variable is made to refer to something else.
    fn refers_to(&mut self, target: &Expr, from: &Expr) {
        match (&target.kind, &from.kind) {
            (ExprKind::Tuple(targets), ExprKind::Tuple(values)) => {
                for (target, value) in targets.iter().zip(values) {
                    self.refers_to(target, value);
                }
            }
            (ExprKind::Tuple(targets), _) => {
                for target in targets {
                    self.refers_to(target, from);
                }
            }
            (ExprKind::Var(var), _) if is_mut_ref(self.types.var(*var)) => {
                let pat = Pat::name(*var);
                self.flows(from, &pat);
            }
            _ => {}
        }
    }

    /// Notes that a variable may be a `&mut` into others. One that is declared `mut` is a value of its own, unless it is known to be a
    /// reference, which is made to lead to something else: of other types, a reference need not be `mut`.
    fn borrow(&mut self, var: Var, borrow_sources: &[Var]) {
        let own = self.func.var(var).mutable && !is_mut_ref(self.types.var(var));
        if borrow_sources.is_empty() || own || !may_borrow_mut(self.types.var(var)) {
            return;
        }
        self.lend(var, borrow_sources);
    }

    /// A variable may come to refer to the targets of another one.
    fn lend_all(&mut self, var: Var, other: Var) {
        let borrow_sources = self.borrow_sources.get(&other).cloned().unwrap_or_default();
        self.lend(var, &borrow_sources);
        if self.activity.is_varied(var) {
            self.written(var);
        }
    }

    fn lend(&mut self, var: Var, borrow_sources: &[Var]) {
        if borrow_sources.is_empty() {
            return;
        }
        let known = self.borrow_sources.entry(var).or_default();
        for lender in borrow_sources {
            if *lender != var && !known.contains(lender) {
                known.push(*lender);
                self.changed = true;
            }
        }
    }

    /// The variables that the result of an expression may borrow mutably: by `&mut`, or by a method that may take `&mut self`.
    fn lent(&self, expr: &Expr) -> Vec<Var> {
        let mut all = Vec::new();
        self.collect_lent(expr, &mut all);
        all
    }

    fn collect_lent(&self, expr: &Expr, all: &mut Vec<Var>) {
        if !may_borrow_mut(self.types.expr(expr.id)) {
            return;
        }
        match &expr.kind {
            ExprKind::Ref(true, place) => all.extend(place.root()),
            // A `&mut` that is handed on.
            ExprKind::Var(var) => {
                all.extend(self.borrow_sources.get(var).into_iter().flatten());
                if is_mut_ref(self.types.var(*var)) {
                    all.push(*var);
                }
            }
            ExprKind::Method {
                receiver,
                name,
                args,
                ..
            } => {
                let root = receiver.root();
                let writable = root.is_some_and(|root| {
                    self.activity.writable[root.0 as usize]
                        || self.borrow_sources.contains_key(&root)
                });
                if writable && !does(&name.to_string(), COPIES) {
                    all.extend(root);
                }
                self.collect_lent(receiver, all);
                args.iter().for_each(|arg| self.collect_lent(arg, all));
            }
            // Values of their own.
            ExprKind::Binary(..)
            | ExprKind::Unary(..)
            | ExprKind::Cast(..)
            | ExprKind::Position(_)
            | ExprKind::Distance(..) => {}
            _ => expr.each_child(&mut |child| self.collect_lent(child, all)),
        }
    }

    /// An active value is written to a part of a variable or of its target: if the variable isn't `mut`, it is a reference.
    fn assigned_through(&mut self, place: &Expr) {
        for root in self.roots(place) {
            if self.borrow_sources.contains_key(&root) {
                self.activity.through[root.0 as usize] = true;
            }
            self.written(root);
        }
    }

    /// Returns `true` if a variable refers to others, for certain or as far as is known.
    fn refers(&self, var: Var) -> bool {
        self.borrow_sources.contains_key(&var) && !self.results.contains(&var)
    }

    /// An active value is written to a variable or to its target.
    fn written(&mut self, var: Var) {
        self.mark(var);
        let Some(borrow_sources) = self.borrow_sources.get(&var).cloned() else {
            return;
        };
        for lender in borrow_sources {
            if !self.activity.is_varied(lender) {
                self.written(lender);
            }
        }
    }

    /// Everything that is written by a write to the place or target of an expression.
    fn mark_roots(&mut self, expr: &Expr) {
        for root in self.roots(expr) {
            self.written(root);
        }
    }

    /// The variables that a place is in, or that a reference may lead to.
    fn roots(&self, expr: &Expr) -> Vec<Var> {
        match &expr.kind {
            ExprKind::Var(var) => vec![*var],
            ExprKind::Field(base, _)
            | ExprKind::Index(base, _)
            | ExprKind::Deref(base)
            | ExprKind::Ref(_, base) => self.roots(base),
            ExprKind::Method { receiver, .. } => {
                let mut all = self.roots(receiver);
                self.collect_lent(expr, &mut all);
                all
            }
            ExprKind::Tuple(elems) => elems.iter().flat_map(|elem| self.roots(elem)).collect(),
            _ => self.lent(expr),
        }
    }

    /// Records the variables that a loop binds by `&mut`.
    fn borrow_elements(&mut self, of: &Expr, pat: &Pat) {
        let roots = self.roots(of);
        pat.each_var(&mut |var| self.borrow(var, &roots));
    }

    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Assign(place, value) => self.refers_to(place, value),
            ExprKind::Call { path, args } if args.len() == 2 && of_mem(path).is_some() => {
                if let [Some(a), Some(b)] = [by_mut(&args[0]), by_mut(&args[1])]
                    && is_mut_ref(self.types.var(a))
                {
                    self.lend_all(a, b);
                    self.lend_all(b, a);
                }
            }
            _ => {}
        }
        match &expr.kind {
            ExprKind::Assign(place, value) | ExprKind::AssignOp(_, place, value)
                if self.active(value) =>
            {
                self.assigned(place);
            }
            ExprKind::Call { args, .. } if args.iter().any(|arg| self.active(arg)) => {
                self.may_be_written(args);
                self.may_be_called(args);
            }
            ExprKind::Apply(_, args) => self.may_be_written(args),
            ExprKind::Method {
                receiver,
                name,
                args,
                ..
            } => {
                let arg = args.iter().any(|arg| self.active(arg));
                if arg || self.active(receiver) {
                    self.may_be_written(args);
                    self.may_be_called(args);
                }
                let shared = matches!(self.types.expr(receiver.id), Type::Ref(false, _));
                let writable = receiver.root().map_or(!shared, |root| {
                    let result =
                        self.borrow_sources.contains_key(&root) && !of_floats(&name.to_string());
                    self.activity.writable[root.0 as usize] || self.refers(root) || result
                });
                let lent = self.lent(receiver);
                for arg in args {
                    if let ExprKind::Closure(closure) = &arg.kind {
                        params_of(closure)
                            .into_iter()
                            .for_each(|param| self.borrow(param, &lent));
                    }
                }
                if arg && writable && !self.types.expr(receiver.id).peeled().is_scalar() {
                    self.mark_roots(receiver);
                }
            }
            ExprKind::For {
                pat, head, body, ..
            }
            | ExprKind::Collect { pat, head, body } => {
                self.head(head, pat);
                self.block(body);
                head.each_expr(&mut |e| self.expr(e));
                return;
            }
            _ => {}
        }
        expr.each_part(&mut |part| match part {
            Part::Expr(child) => self.expr(child),
            Part::Block(block) => self.block(block),
        });
    }

    /// The target of an assignment of something active.
    fn assigned(&mut self, place: &Expr) {
        if let ExprKind::Tuple(elems) = &place.kind {
            for elem in elems {
                self.assigned(elem);
            }
            return;
        }
        match &place.kind {
            // The variable itself.
            ExprKind::Var(var) => self.mark(*var),
            _ => self.assigned_through(place),
        }
    }

    /// The arguments of a call of which one is active.
    fn may_be_written(&mut self, args: &[Expr]) {
        for arg in args {
            match (&arg.kind, self.types.expr(arg.id)) {
                (ExprKind::Ref(true, place), _) => self.assigned_through(place),
                (_, Type::Ref(true, _)) => self.mark_roots(arg),
                (ExprKind::Var(var), _) if self.refers(*var) => self.written(*var),
                _ => {}
            }
        }
    }

    /// Marks the parameters of closures that are passed to an active call.
    fn may_be_called(&mut self, args: &[Expr]) {
        for arg in args {
            let arg = match &arg.kind {
                ExprKind::Ref(_, inner) => inner,
                _ => arg,
            };
            let params = match &arg.kind {
                ExprKind::Closure(closure) => params_of(closure),
                ExprKind::Var(var) => self.closures.get(var).cloned().unwrap_or_default(),
                _ => continue,
            };
            params.into_iter().for_each(|param| self.mark(param));
        }
    }

    fn head(&mut self, head: &Iterable, pat: &Pat) {
        match head {
            Iterable::Range { lo, hi, .. } => {
                self.flows(lo, pat);
                self.flows(hi, pat);
            }
            Iterable::Elements { of, .. } | Iterable::Chunks { of, .. } | Iterable::Unknown(of) => {
                self.flows(of, pat);
                if let Iterable::Elements {
                    access: Elements::Mut,
                    ..
                }
                | Iterable::Chunks { mutable: true, .. } = head
                {
                    self.borrow_elements(of, pat);
                }
            }
            Iterable::Count(_) => {}
            Iterable::Rev(inner)
            | Iterable::Skip(inner, _)
            | Iterable::Take(inner, _)
            | Iterable::StepBy(inner, _) => self.head(inner, pat),
            Iterable::Enumerate(inner) => match pat {
                Pat::Tuple { elems, rest: None } if elems.len() == 2 => self.head(inner, &elems[1]),
                pat => self.head(inner, pat),
            },
            Iterable::Zip(a, b) => match pat {
                Pat::Tuple { elems, rest: None } if elems.len() == 2 => {
                    self.head(a, &elems[0]);
                    self.head(b, &elems[1]);
                }
                pat => {
                    self.head(a, pat);
                    self.head(b, pat);
                }
            },
        }
    }
}

/// Returns `true` for the result of a call whose name isn't that of a method which returns a `&mut`.
fn is_result(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Call { .. } | ExprKind::Apply(..) => true,
        ExprKind::Method { name, .. } => !name.to_string().ends_with("_mut"),
        _ => false,
    }
}

/// Returns `true` if a value of a type may be a `&mut`, or hold one.
fn may_borrow_mut(ty: &Type) -> bool {
    match ty {
        Type::Ref(mutable, _) => *mutable,
        Type::Result(t, _) => may_borrow_mut(t),
        Type::Deferred | Type::Unknown(_) | Type::Named(_) | Type::Foreign(_) => true,
        ty => ty.parts().any(may_borrow_mut),
    }
}

fn is_mut_ref(ty: &Type) -> bool {
    match ty {
        Type::Option(inner) => is_mut_ref(inner),
        ty => matches!(ty, Type::Ref(true, _)),
    }
}

fn params_of(closure: &Closure) -> Vec<Var> {
    let mut params = Vec::new();
    for (pat, _) in &closure.params {
        pat.each_var(&mut |var| params.push(var));
    }
    params
}
