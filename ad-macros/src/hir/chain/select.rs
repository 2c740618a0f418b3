//! Ends of chains that return one item, if there is one: `max_by`, `find`, `last`, `reduce`, ...
//!
//! An item that is an element of a list is kept by its position, so that the derivative goes to exactly that element:
//!
//! ```text
//! Input:  x.iter().max_by(|a, b| a.total_cmp(b)).unwrap()
//! Output: let list = &x; let mut some = false; let mut best = 0;
//!         for k in 0..list.len() { if !some || list[best].total_cmp(&list[k]) != Greater { some = true; best = k; } }
//!         if !some { panic } &list[best]
//! ```

use std::rc::Rc;

use proc_macro2::Span;
use syn::spanned::Spanned;

use super::Chain;
use super::choose::{Choice, Selected};
use crate::hir::closure::Callable;
use crate::hir::parse::Parser;
use crate::hir::try_operator::is_number;
use crate::hir::{Code, Expr, ExprKind, Mention, Outcome, Stmt, Verbatim, mentions};
use crate::ir::BinaryOp;
use crate::syntax::method_call;

/// How the items are compared.
enum Compare<'a> {
    By(&'a Callable),
    ByKey(&'a Callable),
    Plain,
}

impl Parser {
    /// An expression that ends in the selection of an item; as `Option` unless it is unwrapped.
    pub(super) fn selection(&mut self, source: &syn::Expr, stmts: &mut Vec<Stmt>) -> Option<Expr> {
        let call = method_call(source)?;
        let span = call.method.span();
        let args: Vec<&syn::Expr> = call.args.iter().collect();
        match (call.method.to_string().as_str(), &args[..]) {
            (name @ ("unwrap" | "expect"), args) => {
                let selected = self.selected(&call.receiver, stmts)?;
                let message = if name == "expect" {
                    Some(*args.first()?)
                } else {
                    None
                };
                let none = self.none_panics(message, span);
                let some = self.read(selected.some, span);
                stmts.push(self.choose_not(some, vec![Stmt::Expr(none)]));
                stmts.extend(selected.stmts);
                Some(selected.value)
            }
            // By reference, the result is borrowed from a copy.
            ("unwrap_or", [syn::Expr::Reference(default)]) if is_number(&default.expr) => {
                let mut selected = self.selected(&call.receiver, stmts)?;
                let default = self.expr(&default.expr);
                selected.value = self.cloned(selected.value);
                let value = self.select(selected, default, span);
                Some(self.borrow(value))
            }
            ("unwrap_or", [default]) => {
                let selected = self.selected(&call.receiver, stmts)?;
                let default = self.expr(default);
                let default = self.held("default", default, stmts);
                let default = self.read(default, span);
                Some(self.select(selected, default, span))
            }
            ("map_or", [default, f]) if self.is_callable(f) => {
                let mut selected = self.selected(&call.receiver, stmts)?;
                let default = self.expr(default);
                let default = self.held("default", default, stmts);
                let f = self.callable(f, stmts)?;
                selected.value =
                    self.apply_here(&f, vec![selected.value], span, &mut selected.stmts);
                let default = self.read(default, span);
                Some(self.select(selected, default, span))
            }
            ("is_some", []) => {
                let selected = self.selected(&call.receiver, stmts)?;
                Some(self.read(selected.some, span))
            }
            ("is_none", []) => {
                let selected = self.selected(&call.receiver, stmts)?;
                let some = self.read(selected.some, span);
                Some(self.node(ExprKind::not(some), span))
            }
            _ => {
                let selected = self.selected(source, stmts)?;
                Some(self.as_option(selected, span))
            }
        }
    }

    /// `if some { Some(item) } else { None }`.
    pub(super) fn as_option(&mut self, selected: Selected, span: Span) -> Expr {
        let Selected { some, stmts, value } = selected;
        let path = syn::parse_quote!(::core::option::Option::Some);
        let value = self.node(ExprKind::variant(path, value), span);
        let path: syn::ExprPath = syn::parse_quote!(::core::option::Option::None);
        let none = self.node(ExprKind::Path(path), span);
        let selected = Selected { some, stmts, value };
        self.select(selected, none, span)
    }

    fn select(&mut self, selected: Selected, default: Expr, span: Span) -> Expr {
        let some = self.read(selected.some, span);
        let value = self.after(selected.stmts, selected.value);
        self.either(some, value, default)
    }

    fn choose_not(&mut self, cond: Expr, then: Vec<Stmt>) -> Stmt {
        let span = cond.span;
        let cond = self.node(ExprKind::not(cond), span);
        self.choose(cond, then, Vec::new())
    }

    /// The panic of `unwrap` and `expect` without an item.
    fn none_panics(&mut self, message: Option<&syn::Expr>, span: Span) -> Expr {
        let none = quote::quote!(::core::option::Option::<::core::convert::Infallible>::None);
        let source: syn::Expr = match message {
            None => syn::parse_quote!(#none.unwrap()),
            Some(message) => syn::parse_quote!(#none.expect(#message)),
        };
        let found = message.map_or_else(Vec::new, |message| mentions::of_expr(message, self));
        let verbatim = Verbatim::inspecting(found, Outcome::Never, Code::Expr(Rc::new(source)));
        self.node(ExprKind::Verbatim(Box::new(verbatim)), span)
    }

    /// The selection of an item, and the results of `copied` and `map` for it.
    pub(super) fn selected(
        &mut self,
        source: &syn::Expr,
        stmts: &mut Vec<Stmt>,
    ) -> Option<Selected> {
        if let Some(step) = self.selected_step(source, stmts) {
            return Some(step);
        }
        let call = match source {
            syn::Expr::MethodCall(call) => call,
            syn::Expr::Paren(inner) => return self.selected(&inner.expr, stmts),
            _ => return None,
        };
        let span = source.span();
        let args: Vec<&syn::Expr> = call.args.iter().collect();
        let name = call.method.to_string();
        match (name.as_str(), &args[..]) {
            ("copied" | "cloned", []) => {
                let mut selected = self.selected(&call.receiver, stmts)?;
                selected.value = self.cloned(selected.value);
                Some(selected)
            }
            ("map", [f]) if self.is_callable(f) && !self.is_chain(&call.receiver) => {
                let mut selected = self.selected(&call.receiver, stmts)?;
                let f = self.callable(f, stmts)?;
                selected.value =
                    self.apply_here(&f, vec![selected.value], span, &mut selected.stmts);
                Some(selected)
            }
            ("next", []) => {
                let chain = self.next_chain(&call.receiver, stmts)?;
                Some(self.first(chain, None, span, stmts))
            }
            ("next_back", []) if !matches!(&*call.receiver, syn::Expr::Path(_)) => {
                let chain = self.read_chain(&call.receiver, stmts)?;
                Some(self.first(Chain::Rev(Box::new(chain)), None, span, stmts))
            }
            ("rfind", [f]) if !matches!(&*call.receiver, syn::Expr::Path(_)) => {
                let (chain, f) = self.chain_and(call, f, stmts)?;
                Some(self.first(Chain::Rev(Box::new(chain)), Some(&f), span, stmts))
            }
            ("last", []) => {
                let chain = self.read_chain(&call.receiver, stmts)?;
                Some(self.last(chain, span, stmts))
            }
            ("nth", [n]) => {
                let chain = self.next_chain(&call.receiver, stmts)?;
                let n = self.expr(n);
                let n = self.fixed("n", n, stmts);
                let chain = Chain::Skip(Box::new(chain), n);
                Some(self.first(chain, None, span, stmts))
            }
            ("find", [f]) => {
                let (chain, f) = self.chain_and(call, f, stmts)?;
                Some(self.first(chain, Some(&f), span, stmts))
            }
            ("find_map", [f]) => {
                let (chain, f) = self.chain_and(call, f, stmts)?;
                let chain = Chain::FilterMap(Box::new(chain), f);
                Some(self.first(chain, None, span, stmts))
            }
            ("position", [f]) => {
                let (chain, f) = self.chain_and(call, f, stmts)?;
                Some(self.position(chain, &f, span, stmts))
            }
            ("reduce", [f]) => {
                let (chain, f) = self.chain_and(call, f, stmts)?;
                Some(self.reduce(chain, &f, span, stmts))
            }
            ("max_by" | "min_by", [f]) => {
                let (chain, f) = self.chain_and(call, f, stmts)?;
                Some(self.extreme(chain, name == "max_by", &Compare::By(&f), span, stmts))
            }
            ("max_by_key" | "min_by_key", [f]) => {
                let (chain, f) = self.chain_and(call, f, stmts)?;
                let largest = name == "max_by_key";
                Some(self.extreme(chain, largest, &Compare::ByKey(&f), span, stmts))
            }
            ("max" | "min", []) => {
                let chain = self.read_chain(&call.receiver, stmts)?;
                Some(self.extreme(chain, name == "max", &Compare::Plain, span, stmts))
            }
            _ => None,
        }
    }

    /// The receiver of `next` and `nth`. An iterator in a variable goes on, which isn't known of all.
    fn next_chain(&mut self, receiver: &syn::Expr, stmts: &mut Vec<Stmt>) -> Option<Chain> {
        if self.stepped(receiver).is_some() {
            return Some(self.taking(receiver));
        }
        if let syn::Expr::Path(_) = receiver {
            return None;
        }
        self.read_chain(receiver, stmts)
    }

    /// The first item that a predicate holds of.
    fn first(
        &mut self,
        chain: Chain,
        f: Option<&Callable>,
        span: Span,
        stmts: &mut Vec<Stmt>,
    ) -> Selected {
        self.choosing(chain, true, span, stmts, &mut |p, _, item, out| {
            f.map(|f| p.holds(f, item, span, out))
        })
    }

    fn last(&mut self, chain: Chain, span: Span, stmts: &mut Vec<Stmt>) -> Selected {
        self.choosing(chain, false, span, stmts, &mut |_, _, _, _| None)
    }

    /// The position of the first item that a predicate holds of.
    fn position(
        &mut self,
        chain: Chain,
        f: &Callable,
        span: Span,
        stmts: &mut Vec<Stmt>,
    ) -> Selected {
        let chain = Chain::Enumerate(Box::new(chain));
        let mut selected = self.choosing(chain, true, span, stmts, &mut |p, _, item, out| {
            let item = p.again(item);
            let item = match item.kind {
                ExprKind::Tuple(mut parts) if parts.len() == 2 => parts.remove(1),
                _ => item,
            };
            Some(p.apply_here(f, vec![item], span, out))
        });
        selected.value = match selected.value.kind {
            ExprKind::Tuple(mut parts) => parts.remove(0),
            _ => {
                let first = ExprKind::Field(Box::new(selected.value), syn::Member::from(0));
                self.node(first, span)
            }
        };
        selected
    }

    /// The largest or smallest item: of equal ones the last or the first, as in std.
    fn extreme(
        &mut self,
        chain: Chain,
        largest: bool,
        compare: &Compare<'_>,
        span: Span,
        stmts: &mut Vec<Stmt>,
    ) -> Selected {
        self.choosing(chain, false, span, stmts, &mut |p, best, item, _| {
            let mut test = Vec::new();
            let greater = p.is_greater(best, item, compare, span, &mut test);
            let better = if largest {
                p.node(ExprKind::not(greater), span)
            } else {
                greater
            };
            Some(p.after(test, better))
        })
    }

    /// A condition that is true if the best item so far is greater than another.
    fn is_greater(
        &mut self,
        best: &Choice,
        item: &Expr,
        compare: &Compare<'_>,
        span: Span,
        out: &mut Vec<Stmt>,
    ) -> Expr {
        let best = self.chosen(best, span, out);
        let item = self.again(item);
        match compare {
            Compare::By(f) => {
                let (best, item) = (self.borrow(best), self.borrow(item));
                let order = self.apply_here(f, vec![best, item], span, out);
                self.is_ordering(order, out)
            }
            Compare::ByKey(f) => {
                let keys = [best, item].map(|value| {
                    let value = self.borrow(value);
                    let key = self.apply_here(f, vec![value], span, out);
                    let key = self.held("key", key, out);
                    self.read(key, span)
                });
                let [a, b] = keys;
                self.binary_of(BinaryOp::Gt, a, b)
            }
            Compare::Plain => self.binary_of(BinaryOp::Gt, best, item),
        }
    }

    /// `matches!(order, Ordering::Greater)`.
    fn is_ordering(&mut self, order: Expr, out: &mut Vec<Stmt>) -> Expr {
        let span = order.span;
        let var = self.held("order", order, out);
        let verbatim = Verbatim::inspecting(
            vec![Mention::read(var)],
            Outcome::Bool,
            Code::Matches(Box::new(syn::parse_quote!(::core::cmp::Ordering::Greater))),
        );
        self.node(ExprKind::Verbatim(Box::new(verbatim)), span)
    }

    /// ```text
    /// Input:  chain.reduce(f)
    /// Output: let mut some = false; let mut acc; for item in chain { if some { acc = f(acc, item); } else { some = true; acc = item; } }
    /// ```
    fn reduce(
        &mut self,
        chain: Chain,
        f: &Callable,
        span: Span,
        stmts: &mut Vec<Stmt>,
    ) -> Selected {
        let no = self.node(ExprKind::Bool(false), span);
        let some = self.state("some", None, no, stmts);
        let acc = self.later("acc", span, stmts);
        self.run_all(chain, span, stmts, &mut |p, _, item, out| {
            let item = p.kept(item, out);
            let first = p.again(&item);
            let first = p.cloned(first);
            let mut then = Vec::new();
            let now = p.read(acc, span);
            let now = p.fixed("acc", now, &mut then);
            let now = p.read(now, span);
            let value = p.apply_here(f, vec![now, item], span, &mut then);
            then.push(p.set(acc, value));
            let yes = p.node(ExprKind::Bool(true), span);
            let other = vec![p.set(some, yes), p.set(acc, first)];
            let flag = p.read(some, span);
            out.push(p.choose(flag, then, other));
        });
        Selected {
            some,
            stmts: Vec::new(),
            value: self.read(acc, span),
        }
    }
}
