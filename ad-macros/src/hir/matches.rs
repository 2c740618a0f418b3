//! `match` becomes a chain of `if` on conditions.
//!
//! ```text
//! Input:  match e { p if g => a, q => b, _ => c }
//! Output: { let s = e; if p(s) && { let x = s; g } { let x = s; a } else if q(s) { b } else { c } }
//! ```
//!
//! A tuple that is matched is taken apart first. Patterns that bind nothing and aren't literals (`Kind::A`) are conditions
//! of their own: `matches!(s, p)`.

use std::rc::Rc;

use proc_macro2::{Ident, Span};
use syn::spanned::Spanned;

use super::chain::NextItem;
use super::item_patterns::tells_some;
use super::parse::Parser;
use super::{
    Block, Code, Expr, ExprKind, Logic, Mention, Outcome, Pat, Stmt, Var, Verbatim, cases,
    mentions, split_of,
};
use crate::diagnostics::Whole;
use crate::ir::BinaryOp;
use crate::paths::ends_in;
use crate::std_model;

/// The subject of a match: a variable, the place behind a name that was made for it, the components of a tuple, or an
/// iterator's item, for which there is no `Option`.
pub(super) enum Subject {
    One(Var),
    Place(Var),
    Tuple(Vec<Subject>),
    Maybe(Box<NextItem>),
}

impl Parser {
    pub(super) fn match_expr(&mut self, expr: &syn::ExprMatch, source: &syn::Expr) -> Expr {
        let span = source.span();
        let mut stmts = Vec::new();
        let pats: Vec<&syn::Pat> = expr.arms.iter().map(|arm| &arm.pat).collect();
        let subject = self.subject(&expr.expr, &pats, &mut stmts);
        let arms: Vec<syn::Arm> = expr.arms.iter().flat_map(cases::arms).collect();
        let value = self.arms(&subject, &arms, span);
        let block = Block {
            stmts,
            value: value.map(Box::new),
            span,
        };
        let mut block = self.node(ExprKind::Block(block, None), span);
        if expr.arms.iter().any(|arm| takes_apart(&arm.pat)) {
            self.keep_source(&mut block, source);
        }
        block
    }

    /// Code that takes data apart may stay verbatim where nothing active goes through it, if control doesn't leave it.
    pub(super) fn keep_source(&self, expr: &mut Expr, source: &syn::Expr) {
        let _ = self;
        if mentions::exits(source).is_empty() {
            expr.source = Some(Rc::new(source.clone()));
        }
    }

    /// Code that does the same as its source, which may stay verbatim.
    pub(super) fn replaced(&mut self, same: &syn::Expr, source: &syn::Expr) -> Expr {
        let mut expr = self.expr(same);
        self.keep_source(&mut expr, source);
        expr
    }

    /// Evaluates the subject, once. A tuple that some pattern takes apart is taken apart here.
    pub(super) fn subject(
        &mut self,
        source: &syn::Expr,
        pats: &[&syn::Pat],
        stmts: &mut Vec<Stmt>,
    ) -> Subject {
        // `match x.as_ref() { Some(y) => .. }` is `match &x { Some(y) => .. }`.
        if let syn::Expr::MethodCall(call) = source
            && call.args.is_empty()
            && pats.iter().any(|pat| names_option(pat))
        {
            let receiver = &call.receiver;
            if let Some(mutable) = std_model::views(&call.method.to_string()) {
                let unique = mutable.then(<syn::Token![mut]>::default);
                let same = syn::parse_quote!(&#unique #receiver);
                return self.subject(&same, pats, stmts);
            }
        }
        match source {
            syn::Expr::Paren(inner) => return self.subject(&inner.expr, pats, stmts),
            syn::Expr::Group(inner) => return self.subject(&inner.expr, pats, stmts),
            syn::Expr::Tuple(tuple) if !tuple.elems.is_empty() => {
                let quiet = tuple.elems.iter().all(|elem| self.is_quiet(elem));
                let elems = tuple.elems.iter().enumerate();
                let subjects = elems.map(|(k, elem)| {
                    if !quiet && self.steps_to_value(elem) {
                        let value = self.expr(elem);
                        return Subject::One(self.held("subject", value, stmts));
                    }
                    let pats: Vec<&syn::Pat> = pats
                        .iter()
                        .filter_map(|pat| component(pat, k, tuple.elems.len()))
                        .collect();
                    self.subject(elem, &pats, stmts)
                });
                return Subject::Tuple(subjects.collect());
            }
            syn::Expr::Call(call) if self.lends(source) => {
                let subject = self.given(call, stmts, &mut |parser, value, stmts| {
                    parser.subject(value, pats, stmts)
                });
                if let Some(subject) = subject {
                    return subject;
                }
            }
            _ => {}
        }
        if pats.iter().all(|pat| tells_some(pat))
            && let Some(maybe) = self.maybe(source, stmts)
        {
            return Subject::Maybe(Box::new(maybe));
        }
        let span = source.span();
        let init = match self.found(source, stmts) {
            Some(Ok(maybe)) if pats.iter().all(|pat| tells_some(pat)) => {
                return Subject::Maybe(Box::new(maybe));
            }
            Some(Ok(maybe)) => self.option_of(&maybe, span),
            Some(Err(option)) => option,
            None => self.expr(source),
        };
        if let Some(arity) = pats.iter().find_map(|pat| arity(pat)) {
            let vars: Vec<Var> = (0..arity)
                .map(|_| self.temporary("subject", span))
                .collect();
            let elems = vars.iter().map(|var| Pat::name(*var)).collect();
            let pat = Pat::Tuple { elems, rest: None };
            stmts.push(Stmt::bind(pat, init, span));
            return Subject::Tuple(vars.into_iter().map(Subject::One).collect());
        }
        if let ExprKind::Var(var) = init.kind {
            return Subject::One(var);
        }
        let var = self.temporary("subject", span);
        if split_of(&init).is_some() {
            self.splits.insert(var);
        }
        if place(source) && init.root().is_some() {
            let by_ref = Some(false);
            stmts.push(Stmt::bind(Pat::Bind { var, by_ref }, init, span));
            return Subject::Place(var);
        }
        stmts.push(Stmt::bind(Pat::name(var), init, span));
        Subject::One(var)
    }

    fn arms(&mut self, subject: &Subject, arms: &[syn::Arm], span: Span) -> Option<Expr> {
        let (arm, rest) = arms.split_first()?;
        let (pat, guard) = match &arm.pat {
            syn::Pat::Guard(guarded) => (&*guarded.pat, Some(&*guarded.guard)),
            pat => (pat, None),
        };
        let mut cond = self.condition(subject, pat);
        let then = self.scoped(|parser| {
            let stmts = parser.bindings(subject, pat);
            let value = parser.expr(&arm.body);
            Block::with_value(stmts, value, arm.body.span())
        });
        // Patterns are exhaustive, so that the last arm needs no condition.
        if rest.is_empty() && guard.is_none() {
            cond = None;
        }
        if let Some(guard) = guard {
            let guard = self.guard(subject, pat, guard);
            cond = Some(self.both(cond, guard));
        }
        let Some(cond) = cond else {
            return Some(self.node(ExprKind::Block(then, None), arm.body.span()));
        };
        let other = self.arms(subject, rest, span).map(Self::as_block);
        let branch = ExprKind::branch(cond, then, other);
        Some(self.node(branch, span))
    }

    fn both(&mut self, left: Option<Expr>, right: Expr) -> Expr {
        self.join(Logic::And, left, Some(right)).unwrap_or_else(|| {
            let span = Span::call_site();
            self.node(ExprKind::Bool(true), span)
        })
    }

    pub(super) fn join(
        &mut self,
        logic: Logic,
        left: Option<Expr>,
        right: Option<Expr>,
    ) -> Option<Expr> {
        match (left, right) {
            (Some(left), Some(right)) => {
                let span = left.span;
                let kind = ExprKind::Logic(logic, Box::new(left), Box::new(right));
                Some(self.node(kind, span))
            }
            (left, right) => left.or(right),
        }
    }

    /// The condition that the subject matches; `None` where it always does.
    pub(super) fn condition(&mut self, subject: &Subject, pat: &syn::Pat) -> Option<Expr> {
        match (subject, pat) {
            (_, syn::Pat::Wild(_)) => None,
            (subject, syn::Pat::Paren(pat)) => self.condition(subject, &pat.pat),
            (Subject::Maybe(maybe), pat) => self.maybe_condition(maybe, pat),
            (subject, syn::Pat::Ident(pat)) => match &pat.subpat {
                Some((_, sub)) => self.condition(subject, sub),
                None if is_binding(&pat.ident) => None,
                None => {
                    let pat = syn::Pat::Ident(pat.clone());
                    self.matches(subject, &pat)
                }
            },
            (Subject::Tuple(subjects), syn::Pat::Tuple(pat)) => {
                self.no_ref_mut(pat);
                let mut all = None;
                for (subject, pat) in pairs(subjects, pat) {
                    let one = self.condition(subject, pat);
                    all = self.join(Logic::And, all, one);
                }
                all
            }
            (subject, syn::Pat::Or(pat)) if pat.cases.iter().any(|case| !is_test(case)) => {
                let mut any = None;
                for case in &pat.cases {
                    // A case that always matches makes the whole pattern do so.
                    let one = self.condition(subject, case)?;
                    any = self.join(Logic::Or, any, Some(one));
                }
                any
            }
            (Subject::One(var) | Subject::Place(var), syn::Pat::Lit(lit)) => {
                let right = self.expr(&syn::Expr::Lit(lit.clone()));
                Some(self.compare(BinaryOp::Eq, *var, right))
            }
            (Subject::One(var) | Subject::Place(var), syn::Pat::Range(range)) => {
                let lo = range.start.as_ref().map(|lo| {
                    let lo = self.expr(lo);
                    self.compare(BinaryOp::Ge, *var, lo)
                });
                let hi = range.end.as_ref().map(|hi| {
                    let hi = self.expr(hi);
                    let closed = matches!(range.limits, syn::RangeLimits::Closed(_));
                    self.compare(if closed { BinaryOp::Le } else { BinaryOp::Lt }, *var, hi)
                });
                self.join(Logic::And, lo, hi)
            }
            (subject, pat) => self.matches(subject, pat),
        }
    }

    fn compare(&mut self, op: BinaryOp, var: Var, right: Expr) -> Expr {
        let span = right.span;
        let left = self.node(ExprKind::Var(var), span);
        self.node(ExprKind::Test(op, Box::new(left), Box::new(right)), span)
    }

    /// `matches!(subject, pattern)`.
    fn matches(&mut self, subject: &Subject, pat: &syn::Pat) -> Option<Expr> {
        let (Subject::One(var) | Subject::Place(var)) = subject else {
            self.error(
                Whole(pat),
                "this pattern doesn't fit a tuple",
                "write a tuple of patterns, or bind the tuple with `let` before",
            );
            return None;
        };
        let verbatim = Verbatim::inspecting(
            vec![Mention::read(*var)],
            Outcome::Bool,
            Code::Matches(Box::new(tested(pat))),
        );
        Some(self.node(ExprKind::Verbatim(Box::new(verbatim)), pat.span()))
    }

    /// The bindings of the pattern, as `let` statements.
    pub(super) fn bindings(&mut self, subject: &Subject, pat: &syn::Pat) -> Vec<Stmt> {
        let mut stmts = Vec::new();
        self.bind(subject, pat, &mut stmts);
        stmts
    }

    pub(super) fn bind(&mut self, subject: &Subject, pat: &syn::Pat, stmts: &mut Vec<Stmt>) {
        match (subject, pat) {
            (subject, syn::Pat::Paren(pat)) => self.bind(subject, &pat.pat, stmts),
            (subject, syn::Pat::Ident(pat)) if is_binding(&pat.ident) => {
                let span = pat.ident.span();
                let init = self.subject_value(subject, span);
                let var = self.declare(&pat.ident, pat.mutability.is_some());
                let by_ref = pat.by_ref.map(|_| pat.mutability.is_some());
                let pat_bind = Pat::Bind { var, by_ref };
                stmts.push(Stmt::bind(pat_bind, init, span));
                if let Some((_, sub)) = &pat.subpat {
                    self.bind(subject, sub, stmts);
                }
            }
            (Subject::Maybe(maybe), syn::Pat::TupleStruct(some)) => {
                for pat in &some.elems {
                    self.bind_item(maybe, pat, stmts);
                }
            }
            (Subject::Tuple(subjects), syn::Pat::Tuple(pat)) => {
                for (subject, pat) in pairs(subjects, pat) {
                    self.bind(subject, pat, stmts);
                }
            }
            (Subject::One(var), syn::Pat::TupleStruct(some))
                if self.splits.contains(var) && some.elems.first().is_some_and(is_plain) =>
            {
                if let Some(syn::Pat::Ident(both)) = some.elems.first() {
                    self.bind_both(*var, &some.path, &both.ident, stmts);
                }
            }
            (
                _,
                syn::Pat::TupleStruct(_)
                | syn::Pat::Struct(_)
                | syn::Pat::Reference(_)
                | syn::Pat::Slice(_),
            )
            | (Subject::One(_) | Subject::Place(_), syn::Pat::Tuple(_))
                if !mentions::bound(pat).is_empty() =>
            {
                let span = pat.span();
                let init = self.subject_value(subject, span);
                let pat = self.refutable(pat);
                stmts.push(Stmt::bind(pat, init, span));
            }
            // `cases` has taken it apart where there can be branches.
            (_, syn::Pat::Or(cases)) if !mentions::bound(pat).is_empty() => {
                self.error(
                    Whole(cases),
                    "a pattern with `|` that binds names is not supported yet",
                    "bind the names with a `match` before",
                );
            }
            _ => {}
        }
    }

    /// An element and the rest of a list by one name.
    ///
    /// ```text
    /// Input:  Some(both) = subject
    /// Output: Some((one, rest)) = subject, where `both` is `(one, rest)`
    /// ```
    fn bind_both(&mut self, subject: Var, some: &syn::Path, both: &Ident, stmts: &mut Vec<Stmt>) {
        let span = both.span();
        let vars = ["one", "rest"].map(|name| self.fixed_temporary(name, span));
        let elems = vars.map(Pat::name).into();
        let pat = Pat::Variant {
            path: some.clone(),
            fields: vec![(syn::Member::from(0), Pat::Tuple { elems, rest: None })],
        };
        let init = self.node(ExprKind::Var(subject), span);
        stmts.push(Stmt::bind(pat, init, span));
        let elems = vars.map(|var| self.node(ExprKind::Var(var), span)).into();
        let tuple = self.node(ExprKind::Tuple(elems), span);
        let known = self.again(&tuple);
        let var = self.declare(both, false);
        self.tuples.insert(var, known);
        self.droppable.insert(var);
        stmts.push(Stmt::bind(Pat::name(var), tuple, span));
    }

    fn subject_value(&mut self, subject: &Subject, span: Span) -> Expr {
        match subject {
            Subject::One(var) => self.node(ExprKind::Var(*var), span),
            Subject::Place(var) => {
                let name = self.node(ExprKind::Var(*var), span);
                self.node(ExprKind::Deref(Box::new(name)), span)
            }
            Subject::Maybe(maybe) => self.option_of(maybe, span),
            Subject::Tuple(subjects) => {
                let elems = subjects
                    .iter()
                    .map(|s| self.subject_value(s, span))
                    .collect();
                self.node(ExprKind::Tuple(elems), span)
            }
        }
    }
}

/// Where the `..` of a tuple is.
pub(super) fn rest_of(pat: &syn::PatTuple) -> Option<usize> {
    let mut elems = pat.elems.iter();
    elems.position(|elem| matches!(elem, syn::Pat::Rest(_)))
}

/// How many components a pattern takes a tuple apart into.
fn arity(pat: &syn::Pat) -> Option<usize> {
    match pat {
        syn::Pat::Guard(guarded) => arity(&guarded.pat),
        syn::Pat::Paren(pat) => arity(&pat.pat),
        syn::Pat::Or(pat) => pat.cases.iter().find_map(arity),
        syn::Pat::Ident(pat) => pat.subpat.as_ref().and_then(|(_, sub)| arity(sub)),
        syn::Pat::Tuple(pat) if rest_of(pat).is_none() => Some(pat.elems.len()),
        _ => None,
    }
}

/// The pattern of component `k` of `len`.
fn component(pat: &syn::Pat, k: usize, len: usize) -> Option<&syn::Pat> {
    match pat {
        syn::Pat::Guard(guarded) => component(&guarded.pat, k, len),
        syn::Pat::Paren(pat) => component(&pat.pat, k, len),
        syn::Pat::Tuple(pat) => match rest_of(pat) {
            None => pat.elems.get(k),
            Some(rest) if k < rest => pat.elems.get(k),
            Some(_) => (k + pat.elems.len())
                .checked_sub(len)
                .and_then(|k| pat.elems.get(k)),
        },
        _ => None,
    }
}

/// Components with their patterns; `..` skips.
fn pairs<'a>(
    subjects: &'a [Subject],
    pat: &'a syn::PatTuple,
) -> impl Iterator<Item = (&'a Subject, &'a syn::Pat)> {
    let rest = rest_of(pat);
    let skipped = (subjects.len() + 1).saturating_sub(pat.elems.len());
    pat.elems
        .iter()
        .enumerate()
        .filter_map(move |(k, elem)| match rest {
            Some(rest) if k == rest => None,
            Some(rest) if k > rest => Some((subjects.get(k - 1 + skipped)?, elem)),
            _ => Some((subjects.get(k)?, elem)),
        })
}

/// The pattern without its bindings, which is all that a test needs.
fn tested(pat: &syn::Pat) -> syn::Pat {
    use syn::visit_mut::{self, VisitMut};
    struct Unbound;
    impl VisitMut for Unbound {
        fn visit_pat_mut(&mut self, pat: &mut syn::Pat) {
            if let syn::Pat::Ident(ident) = pat
                && is_binding(&ident.ident)
            {
                *pat = match ident.subpat.take() {
                    // Of `rest @ ..`, the dots stay.
                    Some((_, sub)) => *sub,
                    None => syn::parse_quote!(_),
                };
            }
            // `Point { x, .. }`: the shorthand is a binding too.
            if let syn::Pat::Struct(fields) = pat {
                for field in &mut fields.fields {
                    field.colon_token.get_or_insert_default();
                }
            }
            visit_mut::visit_pat_mut(self, pat);
        }
    }
    let mut pat = pat.clone();
    Unbound.visit_pat_mut(&mut pat);
    pat
}

/// Returns `true` if a pattern takes the subject apart.
fn takes_apart(pat: &syn::Pat) -> bool {
    match pat {
        syn::Pat::Guard(guarded) => takes_apart(&guarded.pat),
        syn::Pat::Paren(pat) => takes_apart(&pat.pat),
        syn::Pat::Tuple(pat) => pat.elems.iter().any(takes_apart),
        syn::Pat::Ident(pat) => pat.subpat.as_ref().is_some_and(|(_, sub)| takes_apart(sub)),
        other => !mentions::bound(other).is_empty(),
    }
}

/// Returns `true` if a pattern is for an `Option`.
pub(super) fn names_option(pat: &syn::Pat) -> bool {
    match pat {
        syn::Pat::Guard(guarded) => names_option(&guarded.pat),
        syn::Pat::Paren(pat) => names_option(&pat.pat),
        syn::Pat::TupleStruct(pat) => ends_in(&pat.path, "Some"),
        syn::Pat::Ident(pat) => pat.ident == "None",
        _ => false,
    }
}

/// Returns `true` if a pattern is one for `matches!`: a variant or a constant.
fn is_test(pat: &syn::Pat) -> bool {
    match pat {
        syn::Pat::Paren(pat) => is_test(&pat.pat),
        syn::Pat::Or(pat) => pat.cases.iter().all(is_test),
        syn::Pat::Ident(pat) => !is_binding(&pat.ident),
        syn::Pat::Path(_) | syn::Pat::TupleStruct(_) | syn::Pat::Struct(_) => true,
        _ => false,
    }
}

/// Returns `true` if an identifier in a pattern is a new name: constants and unit variants begin with a capital.
pub(super) fn is_binding(ident: &proc_macro2::Ident) -> bool {
    !ident.to_string().starts_with(char::is_uppercase)
}

/// Returns `true` if an expression is a place, which is matched without being moved.
fn place(source: &syn::Expr) -> bool {
    match source {
        syn::Expr::Path(_) => true,
        syn::Expr::Field(field) => place(&field.base),
        syn::Expr::Index(index) => place(&index.expr),
        syn::Expr::Paren(inner) => place(&inner.expr),
        syn::Expr::Unary(unary) => matches!(unary.op, syn::UnOp::Deref(_)),
        _ => false,
    }
}

/// True for a name that takes a value as it is.
fn is_plain(pat: &syn::Pat) -> bool {
    matches!(pat, syn::Pat::Ident(name) if name.mutability.is_none() && name.subpat.is_none())
}
