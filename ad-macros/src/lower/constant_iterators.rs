//! Loops over constants whose elements can't be read by position are loops over iterators of unknown type.
//!
//! ```text
//! Input:  for t in mesh.iter() { .. }          (the elements of `mesh`)
//! Output: for t in mesh.iter() { .. }          (an iterator of a type that only rustc can resolve)
//! ```
//! `iter` is a method of the user's own type. So is that of `mesh.iter().rev()`.
//!
//! ```text
//! Input:  for (i, w) in data::TABLE { x[*i] }  (the elements of `TABLE`)
//! Output: for (i, w) in data::TABLE { x[*i] }  (an iterator of a type that only rustc can resolve)
//! ```
//! Only rustc can resolve whether `i` and `w` are references.
//!
//! ```text
//! Input:  for e in graph.edges(i) { .. }       (a `Range<usize>`)
//! Output: { let range = graph.edges(i); for e in range.start..range.end { .. } }
//! ```

use std::rc::Rc;

use proc_macro2::{Ident, Span};

use super::activity;
use super::hir_builder::HirBuilder;
use super::stepping::written;
use crate::hir::{
    Block, Code, Elements, Expr, ExprKind, Func, Iterable, Mention, Outcome, Pat, Stmt, Verbatim,
};
use crate::types::keyed::keyed;
use crate::types::{Type, Types};

pub(super) fn rewrite(func: &mut Func, types: &mut Types) {
    let mut any = false;
    func.body.walk(&mut |expr| {
        let (ExprKind::For { pat, head, .. } | ExprKind::Collect { pat, head, .. }) = &expr.kind
        else {
            return;
        };
        head.each_source(&mut |source| {
            any |= own(source, types).is_some()
                || range_of(source, types).is_some()
                || of_characters(source, types).is_some();
        });
        each_taken_apart(head, pat, types, &mut |_| any = true);
    });
    if !any {
        return;
    }
    let activity = activity::analyze(func, types);
    let mut body = func.take_body();
    let mut maker = HirBuilder { func, types };
    body.each_expr_mut(&mut |expr| {
        rewrite_expr(expr, &mut |expr| {
            let (ExprKind::For { pat, head, .. } | ExprKind::Collect { pat, head, .. }) =
                &mut expr.kind
            else {
                return;
            };
            let held = hold_range(head, &mut maker);
            let mut stepped = Vec::new();
            each_taken_apart(head, pat, maker.types, &mut |of| {
                if !activity.touches(of, maker.types) {
                    stepped.push(of.id);
                }
            });
            head.each_source_mut(&mut |source| {
                if let Iterable::Elements { of, .. } = source
                    && stepped.contains(&of.id)
                {
                    *source = Iterable::Unknown(of.clone());
                } else if let Some((lo, hi)) = range_in(source, &mut maker) {
                    *source = Iterable::Range {
                        lo,
                        hi,
                        inclusive: false,
                        adapters: Vec::new(),
                    };
                } else if let Some(iterator) = characters(source, &mut maker) {
                    *source = iterator;
                } else if let Some(of) = own(source, maker.types)
                    && !activity.touches(of, maker.types)
                {
                    let of = of.clone();
                    *source = Iterable::Unknown(Box::new(called(&mut maker, of, "iter")));
                }
            });
            adapted(head, &mut maker);
            if let Some(held) = held {
                let (ty, span) = (maker.types.expr(expr.id).clone(), expr.span);
                let run = std::mem::replace(expr, maker.unit(span));
                let block = Block::with_value(vec![held], run, span);
                *expr = maker.node(ExprKind::Block(block, None), ty, span);
            }
        });
    });
    func.body = body;
}

/// Gives the range that a call returns a name, if a loop runs over nothing else.
fn hold_range(head: &mut Iterable, maker: &mut HirBuilder<'_>) -> Option<Stmt> {
    let mut sources = 0;
    head.each_source(&mut |_| sources += 1);
    let mut held = None;
    head.each_source_mut(&mut |source| {
        let is_call = range_of(source, maker.types).is_some_and(|of| of.root().is_none());
        if let Iterable::Elements { of, .. } | Iterable::Unknown(of) = source
            && is_call
            && sources == 1
        {
            let (ty, span) = (maker.types.expr(of.id).clone(), of.span);
            let range = maker.variable("range", ty, false, span);
            maker.func.vars[range.0 as usize].synthetic = false;
            let ident = &maker.func.var(range).ident;
            let named = syn::parse_quote!(#ident);
            let read = written(maker.read(range, span), named);
            let call = std::mem::replace(&mut **of, read);
            held = Some(Stmt::bind(Pat::name(range), call, span));
        }
    });
    held
}

/// A range that is iterated by value, or cloned first.
fn range_of<'h>(source: &'h Iterable, types: &Types) -> Option<&'h Expr> {
    let (Iterable::Elements { of, .. } | Iterable::Unknown(of)) = source else {
        return None;
    };
    let of = match of.as_method() {
        Some((of, name, [])) if name == "clone" => of,
        _ => of,
    };
    (types.expr(of.id).range_ends() == Some((true, true))).then_some(of)
}

/// Its ends.
fn range_in(source: &Iterable, maker: &mut HirBuilder<'_>) -> Option<(Box<Expr>, Box<Expr>)> {
    let of = range_of(source, maker.types)?.clone();
    // Rustc checks that no other type has this name.
    let (root, code) = (of.root()?, of.source.as_ref()?);
    let check = Verbatim::inspecting(
        vec![Mention::read(root)],
        Outcome::Unit,
        Code::Expr(Rc::new(syn::parse_quote!({
            let _: &::core::ops::Range<_> = &#code;
        }))),
    );
    let check = maker.node(ExprKind::Verbatim(Box::new(check)), Type::Unit, of.span);
    let mut end = |name: &str| {
        let member = Ident::new(name, of.span).into();
        let end = ExprKind::Field(Box::new(of.clone()), member);
        Box::new(maker.node(end, Type::Int("usize"), of.span))
    };
    let (lo, hi) = (end("start"), end("end"));
    let checked = Block::with_value(vec![Stmt::Expr(check)], *lo, of.span);
    let checked = ExprKind::Block(checked, None);
    let lo = maker.node(checked, Type::Int("usize"), of.span);
    Some((Box::new(lo), hi))
}

/// The ends of `'a'..='e'` or `'a'..`.
fn of_characters<'h>(
    source: &'h Iterable,
    types: &Types,
) -> Option<(&'h Expr, Option<&'h Expr>, bool)> {
    let ends = match source {
        Iterable::Range {
            lo, hi, inclusive, ..
        } => (&**lo, Some(&**hi), *inclusive),
        Iterable::Count(lo) => (&**lo, None, false),
        _ => return None,
    };
    let is_char = |ty: &syn::Type| matches!(ty, syn::Type::Path(ty) if ty.path.is_ident("char"));
    matches!(types.expr(ends.0.id), Type::Inactive(ty) if is_char(ty)).then_some(ends)
}

/// They can't be counted: the iterator, as it is written.
fn characters(source: &Iterable, maker: &mut HirBuilder<'_>) -> Option<Iterable> {
    let (lo, hi, inclusive) = of_characters(source, maker.types)?;
    let (from, to) = (lo.source.as_ref()?, hi.and_then(|hi| hi.source.as_ref()));
    let code = if inclusive {
        syn::parse_quote!(#from..=#to)
    } else {
        syn::parse_quote!(#from..#to)
    };
    let range = ExprKind::Range {
        lo: Some(Box::new(lo.clone())),
        hi: hi.cloned().map(Box::new),
        inclusive,
    };
    let range = maker.node(range, Type::Deferred, lo.span);
    Some(Iterable::Unknown(Box::new(written(range, code))))
}

fn rewrite_expr(expr: &mut Expr, f: &mut dyn FnMut(&mut Expr)) {
    expr.each_child_mut(&mut |child| rewrite_expr(child, f));
    f(expr);
}

/// Each list of unknown type that is iterated by value, whose items are taken apart.
fn each_taken_apart(head: &Iterable, pat: &Pat, types: &Types, f: &mut dyn FnMut(&Expr)) {
    match (head, pat) {
        (Iterable::Zip(a, b), Pat::Tuple { elems, .. }) if elems.len() == 2 => {
            each_taken_apart(a, &elems[0], types, f);
            each_taken_apart(b, &elems[1], types, f);
        }
        (Iterable::Enumerate(inner), Pat::Tuple { elems, .. }) if elems.len() == 2 => {
            each_taken_apart(inner, &elems[1], types, f);
        }
        (Iterable::Elements { of, access }, Pat::Bind { var, .. })
            if *access == Elements::Own
                && of.source.is_some()
                && matches!(types.expr(of.id), Type::Deferred)
                && matches!(types.var(*var), Type::Tuple(_)) =>
        {
            f(of);
        }
        _ => {}
    }
}

/// `of.name()`, as code.
fn called(maker: &mut HirBuilder<'_>, of: Expr, name: &str) -> Expr {
    let (span, receiver) = (of.span, of.source.clone());
    let method = Ident::new(name, span.resolved_at(Span::mixed_site()));
    let code = syn::parse_quote_spanned!(span=> #receiver.#method());
    let call = maker.method(of, name, Vec::new(), Type::Deferred, span);
    written(call, code)
}

/// Makes one iterator of it and its adapters.
fn adapted(head: &mut Iterable, maker: &mut HirBuilder<'_>) {
    let inner = match head {
        Iterable::Zip(a, b) => {
            adapted(a, maker);
            return adapted(b, maker);
        }
        Iterable::Enumerate(inner) => return adapted(inner, maker),
        Iterable::Rev(inner) => inner,
        _ => return,
    };
    adapted(inner, maker);
    let of = match &**inner {
        Iterable::Unknown(of) if is_iter(of) => (**of).clone(),
        Iterable::Enumerate(counted) => match &**counted {
            Iterable::Unknown(of) if is_iter(of) => called(maker, (**of).clone(), "enumerate"),
            _ => return,
        },
        _ => return,
    };
    *head = Iterable::Unknown(Box::new(called(maker, of, "rev")));
}

/// Returns `true` if it comes from a method `iter`.
fn is_iter(of: &Expr) -> bool {
    match &of.kind {
        ExprKind::Method { name, .. } if name == "iter" => true,
        ExprKind::Method { receiver, .. } => is_iter(receiver),
        _ => false,
    }
}

/// The receiver of `.iter()`, if that may be a method of its own type.
fn own<'h>(source: &'h Iterable, types: &Types) -> Option<&'h Expr> {
    let Iterable::Elements {
        of,
        access: Elements::Shared,
    } = source
    else {
        return None;
    };
    let ty = types.expr(of.id);
    let named = matches!(ty.peeled(), Type::Named(_) | Type::Inactive(_));
    (named && keyed(ty).is_none() && of.source.is_some()).then_some(of)
}
