//! `if let`, `while let`, `let ... else` and let chains: patterns that may fail.
//!
//! ```text
//! Input:  if let p = e { a } else { b }
//! Output: { let s = e; if s matches p { let parts of s; a } else { b } }
//!
//! Input:  if let p | q = e { a } else { b }
//! Output: { let s = e; if s matches p { let parts of s; a } else if s matches q { let parts of s; a } else { b } }
//!
//! Input:  if let p = e && c { a } else { b }
//! Output: 'chain: { let s = e; if s matches p { let parts of s; if c { break 'chain a; } } b }
//!
//! Input:  while let p = e { body }
//! Output: loop { if let p = e { body } else { break } }
//!
//! Input:  let p = e else { leave };
//! Output: let s = e; if s matches p {} else { leave } let parts of s;
//! ```

use proc_macro2::Span;
use syn::spanned::Spanned;

use super::cases::cases;
use super::closure::bare;
use super::matches::Subject;
use super::parse::Parser;
use super::{Block, Expr, ExprKind, Scope, Stmt};

/// An operand of `&&`: a condition or a `let`.
enum Link<'a> {
    Cond(&'a syn::Expr),
    Let(&'a syn::ExprLet),
}

/// The links of a condition, in order.
fn links(cond: &syn::Expr) -> Vec<Link<'_>> {
    match cond {
        syn::Expr::Paren(inner) if has_let(&inner.expr) => links(&inner.expr),
        syn::Expr::Group(inner) => links(&inner.expr),
        syn::Expr::Let(link) => vec![Link::Let(link)],
        syn::Expr::Binary(binary) if matches!(binary.op, syn::BinOp::And(_)) && has_let(cond) => {
            let mut all = links(&binary.left);
            all.extend(links(&binary.right));
            all
        }
        other => vec![Link::Cond(other)],
    }
}

/// Returns `true` if a condition contains `let`.
pub(super) fn has_let(cond: &syn::Expr) -> bool {
    match bare(cond) {
        syn::Expr::Let(_) => true,
        syn::Expr::Binary(binary) => has_let(&binary.left) || has_let(&binary.right),
        _ => false,
    }
}

impl Parser {
    /// `if let`, with its source where the whole may stay verbatim.
    pub(super) fn if_let(&mut self, branch: &syn::ExprIf, source: &syn::Expr) -> Expr {
        let span = source.span();
        let links = links(&branch.cond);
        let mut expr = if let [Link::Let(only)] = &links[..] {
            self.single_let(only, branch, span)
        } else if branch.else_branch.is_none() {
            let block = self.chain(&links, span, &mut |parser| {
                parser.block(&branch.then_branch)
            });
            self.node(ExprKind::Block(block, None), span)
        } else {
            self.chain_or_else(&links, branch, span)
        };
        self.keep_source(&mut expr, source);
        expr
    }

    fn single_let(&mut self, only: &syn::ExprLet, branch: &syn::ExprIf, span: Span) -> Expr {
        let mut stmts = Vec::new();
        let subject = self.subject(&only.expr, &[&only.pat], &mut stmts);
        let value = self.matched(
            &subject,
            &cases(&only.pat),
            &mut |parser| parser.block(&branch.then_branch),
            &mut |parser| {
                let (_, other) = branch.else_branch.as_ref()?;
                let other = parser.expr(other);
                Some(Self::as_block(other))
            },
            span,
        );
        let block = Block::with_value(stmts, value, span);
        self.node(ExprKind::Block(block, None), span)
    }

    /// `then`, with the bindings of the first case that matches, or `other` where none does.
    fn matched(
        &mut self,
        subject: &Subject,
        cases: &[syn::Pat],
        then: &mut dyn FnMut(&mut Parser) -> Block,
        other: &mut dyn FnMut(&mut Parser) -> Option<Block>,
        span: Span,
    ) -> Expr {
        let (case, rest) = cases.split_first().expect("a pattern is a case, too");
        let cond = self.condition(subject, case);
        let fits = self.scoped(|parser| {
            let mut stmts = parser.bindings(subject, case);
            let block = then(parser);
            stmts.extend(block.stmts);
            Block { stmts, ..block }
        });
        let Some(cond) = cond else {
            return self.node(ExprKind::Block(fits, None), span);
        };
        let other = if rest.is_empty() {
            other(self)
        } else {
            let next = self.matched(subject, rest, then, other, span);
            Some(Self::as_block(next))
        };
        let kind = ExprKind::branch(cond, fits, other);
        self.node(kind, span)
    }

    /// The links one inside of the other, `end` in the innermost.
    fn chain(
        &mut self,
        links: &[Link<'_>],
        span: Span,
        end: &mut dyn FnMut(&mut Parser) -> Block,
    ) -> Block {
        let Some((first, rest)) = links.split_first() else {
            return end(self);
        };
        let mut stmts = Vec::new();
        let branch = match first {
            Link::Cond(cond) => {
                let cond = self.expr(cond);
                let then = self.chain(rest, span, end);
                let branch = ExprKind::branch(cond, then, None);
                self.node(branch, span)
            }
            Link::Let(link) => {
                let subject = self.subject(&link.expr, &[&link.pat], &mut stmts);
                let then = &mut |parser: &mut Parser| parser.chain(rest, span, end);
                self.matched(&subject, &cases(&link.pat), then, &mut |_| None, span)
            }
        };
        // A pattern that always fits needs no branch.
        if let ExprKind::Block(then, None) = branch.kind {
            stmts.extend(then.stmts);
            return Block { stmts, ..then };
        }
        stmts.push(Stmt::Expr(branch));
        Block::statements(stmts, span)
    }

    fn chain_or_else(&mut self, links: &[Link<'_>], branch: &syn::ExprIf, span: Span) -> Expr {
        let scope = self.new_scope();
        let mut block = self.chain(links, span, &mut |parser| {
            let then = parser.block(&branch.then_branch);
            let then = parser.node(ExprKind::Block(then, None), span);
            let leave = parser.node(ExprKind::Break(scope, Some(Box::new(then))), span);
            Block::statements(vec![Stmt::Expr(leave)], span)
        });
        let other = branch.else_branch.as_ref();
        block.value = other.map(|(_, other)| self.boxed(other));
        self.node(ExprKind::Block(block, Some(scope)), span)
    }

    /// `while let p = e { body }`, as the loop's body.
    pub(super) fn while_let(&mut self, expr: &syn::ExprWhile, scope: Scope, span: Span) -> Block {
        let links = links(&expr.cond);
        let inner = self.new_scope();
        // Input:  while let p = e && c { body }
        // Output: loop { 'next: { if p matches e { if c { body; break 'next } } break } }
        let mut block = self.chain(&links, span, &mut |parser| {
            let body = parser.block(&expr.body);
            let body = parser.node(ExprKind::Block(body, None), span);
            let next = parser.leave(inner, span);
            Block::statements(vec![Stmt::Expr(body), next], span)
        });
        block.stmts.push(self.leave(scope, span));
        let labelled = self.node(ExprKind::Block(block, Some(inner)), span);
        Block::statements(vec![Stmt::Expr(labelled)], span)
    }

    /// `let p = e else { leave };`
    pub(super) fn let_else(
        &mut self,
        local: &syn::Local,
        diverge: &syn::Expr,
        stmts: &mut Vec<Stmt>,
    ) {
        let span = local.span();
        let Some(init) = &local.init else { return };
        let (pat, ty) = pattern_and_type(local);
        let ty = ty.cloned();
        let before = stmts.len();
        let subject = self.subject(&init.expr, &[pat], stmts);
        if let (Some(ty), Subject::One(_) | Subject::Place(_), Some(Stmt::Let(subject))) =
            (ty, &subject, stmts.get_mut(before))
        {
            subject.ty = Some(ty);
        }
        if let Some(cond) = self.condition(&subject, pat) {
            let leave = self.expr(diverge);
            let then = Block::statements(Vec::new(), span);
            let branch = ExprKind::branch(cond, then, Some(Self::as_block(leave)));
            let branch = self.node(branch, span);
            stmts.push(Stmt::Expr(branch));
        }
        let bindings = self.bindings(&subject, pat);
        stmts.extend(bindings);
    }
}

/// The pattern of a `let` without its type, and that.
pub(super) fn pattern_and_type(local: &syn::Local) -> (&syn::Pat, Option<&syn::Type>) {
    match &local.pat {
        syn::Pat::Type(typed) => (&typed.pat, Some(&typed.ty)),
        pat => (pat, None),
    }
}

/// The name, type and value of a `let` of one variable.
pub(super) fn named_local(
    local: &syn::Local,
) -> Option<(&syn::PatIdent, Option<&syn::Type>, &syn::Expr)> {
    let init = local.init.as_ref().filter(|init| init.diverge.is_none())?;
    match pattern_and_type(local) {
        (syn::Pat::Ident(pat), ty) if pat.by_ref.is_none() && pat.subpat.is_none() => {
            Some((pat, ty, &*init.expr))
        }
        _ => None,
    }
}
