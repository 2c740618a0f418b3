//! The syntax of chains.

use proc_macro2::Span;
use syn::spanned::Spanned;

use super::Chain;
use super::drain::drained_range;
use super::uses::{self, Use};
use crate::hir::arrays::is_in_any_order;
use crate::hir::closure::{Callable, bare, stripped};
use crate::hir::lets::named_local;
use crate::hir::parse::Parser;
use crate::hir::{Chunks, Elements, Expr, ExprKind, Iterable, Pat, Stmt, Var, build};
use crate::paths::{ends_in, of_std};
use crate::std_model::{
    ADAPTS, IN_HEAD, ITERATES, KEEPS, Of, TELLS, called, does, syntax_does, takes_function,
};
use crate::syntax::path_of;

impl Parser {
    /// The chain that an expression is, if it is one that can be read. Expressions that are evaluated when it is made go to `stmts`.
    pub(in crate::hir) fn read_chain(
        &mut self,
        source: &syn::Expr,
        stmts: &mut Vec<Stmt>,
    ) -> Option<Chain> {
        self.is_chain(source)
            .then(|| self.known_chain(source, stmts))
    }

    /// The chain that a method ends which an `Option` doesn't have: `given().zip(x).map(f).sum()`.
    pub(super) fn ended_chain(
        &mut self,
        end: &syn::ExprMethodCall,
        stmts: &mut Vec<Stmt>,
    ) -> Option<Chain> {
        if let Some(chain) = self.read_chain(&end.receiver, stmts) {
            return Some(chain);
        }
        self.is_ended_chain(end)
            .then(|| self.iterable(&end.receiver, stmts))
    }

    /// Returns `true` if the call is the end of a chain that can be read.
    pub(super) fn is_ended_chain(&self, end: &syn::ExprMethodCall) -> bool {
        let runs = matches!(
            end.method.to_string().as_str(),
            "for_each" | "fold" | "try_for_each" | "try_fold"
        );
        self.is_chain(&end.receiver)
            || runs && is_given(&end.receiver)
            || matches!(stripped(&end.receiver), syn::Expr::MethodCall(call) if self.adapts_given(call))
    }

    /// Returns `true` if an expression is an iterator all of whose parts are known.
    pub(in crate::hir) fn is_chain(&self, source: &syn::Expr) -> bool {
        match source {
            syn::Expr::Paren(inner) => {
                matches!(&*inner.expr, syn::Expr::Range(range) if range.start.is_some())
                    || self.is_chain(&inner.expr)
            }
            syn::Expr::Group(inner) => self.is_chain(&inner.expr),
            syn::Expr::Path(path) => self.lazy(path).is_some(),
            syn::Expr::Reference(_) => self.stepped(source).is_some(),
            syn::Expr::Call(call) => is_iter_function(call) || self.gives_chain(call),
            syn::Expr::MethodCall(call) => {
                if drained_range(call).is_some() || syntax_does(call, ITERATES) {
                    return true;
                }
                if syntax_does(call, ADAPTS) {
                    return self.knows_function(call)
                        && (is_of_iterators(call) || self.is_chain(&call.receiver));
                }
                match (call.method.to_string().as_str(), call.args.len()) {
                    ("by_ref", 0) => self.stepped(source).is_some(),
                    ("cycle", 0) => {
                        self.is_chain(&call.receiver) && goes_by_position(&call.receiver)
                    }
                    ("clone", 0) => match &*call.receiver {
                        syn::Expr::Path(path) => self.lazy(path).is_some(),
                        _ => false,
                    },
                    _ => is_of_text(call) || self.matrix_lines(call).is_some(),
                }
            }
            _ => false,
        }
    }

    /// Returns `true` if the function that an adapter takes, if it takes one, is known.
    fn knows_function(&self, call: &syn::ExprMethodCall) -> bool {
        let name = call.method.to_string();
        let mut last = call.args.last().into_iter();
        !takes_function(&name)
            || last.all(|f| is_literal(f) || name != "flat_map" && self.is_callable(f))
    }

    /// Returns `true` if a chain goes on from an iterator of a type that only rustc can resolve.
    fn goes_on_from_given(&self, source: &syn::Expr) -> bool {
        match source {
            syn::Expr::MethodCall(call) if is_of_text(call) => true,
            syn::Expr::MethodCall(call) if self.is_chain(source) => {
                let receiver = &*call.receiver;
                is_of_iterators(call) && !self.is_chain(receiver)
                    || self.goes_on_from_given(receiver)
            }
            _ => false,
        }
    }

    pub(in crate::hir) fn is_callable(&self, source: &syn::Expr) -> bool {
        match stripped(source) {
            syn::Expr::Closure(_) => true,
            syn::Expr::Block(_) | syn::Expr::Call(_) => self.gives_closure(source),
            syn::Expr::Path(path) => match path.path.get_ident() {
                Some(ident) => match self.lookup(&ident.to_string()) {
                    Some(var) => self.callables.contains_key(&var),
                    None => true,
                },
                None => true,
            },
            _ => false,
        }
    }

    /// The chain that a variable holds.
    pub(in crate::hir) fn lazy(&self, path: &syn::ExprPath) -> Option<&Chain> {
        let var = self.lookup(&path.path.get_ident()?.to_string())?;
        self.lazies.get(&var)
    }

    /// The range that a variable holds, or a clone of it: `let at = lo..hi; &x[at.clone()]`.
    pub(in crate::hir) fn held_range(&mut self, index: &syn::Expr) -> Option<Expr> {
        let path = path_of(uses::without_clone(index))?;
        let chain = self.lazy(path)?.clone();
        self.range_again(&chain, index.span())
    }

    /// A range whose ends have been evaluated.
    fn range_again(&mut self, chain: &Chain, span: Span) -> Option<Expr> {
        let Chain::Source(Iterable::Range {
            lo,
            hi,
            inclusive,
            adapters,
        }) = chain
        else {
            return None;
        };
        let fits = adapters.is_empty() && self.is_settled(lo) && self.is_settled(hi);
        fits.then(|| {
            let [lo, hi] = [lo, hi].map(|end| Some(Box::new(self.again(end))));
            let inclusive = *inclusive;
            self.node(ExprKind::Range { lo, hi, inclusive }, span)
        })
    }

    /// `let name = chain;`: the chain stands where the variable is used.
    ///
    /// One that `rest`, the statements after it, steps by hand is used at the position after its steps.
    pub(in crate::hir) fn lazy_local(
        &mut self,
        local: &syn::Local,
        rest: &[syn::Stmt],
        stmts: &mut Vec<Stmt>,
    ) -> bool {
        let Some((pat, ty, init)) = named_local(local) else {
            return false;
        };
        let ty = ty.cloned();
        if pat.mutability.is_some() {
            match uses::of_name(&pat.ident, rest) {
                Use::Whole => {}
                Use::Stepped if self.goes_on_from_given(init) => return false,
                Use::Stepped => return self.stepped_local(pat, ty, init, stmts),
                Use::Other => return false,
            }
        }
        let mut chain = match stripped(init) {
            // It may be an `Option`, but for its uses.
            syn::Expr::MethodCall(call)
                if self.adapts_given(call) && uses::is_iterator(&pat.ident, rest) =>
            {
                self.known_method(call, stmts)
            }
            syn::Expr::Range(range)
                if range.start.is_some()
                    && range.end.is_some()
                    && uses::is_index(&pat.ident, rest) =>
            {
                self.range(range)
            }
            _ => match self.read_chain(init, stmts) {
                Some(chain) => chain,
                None => return false,
            },
        };
        self.settle_chain(&mut chain, stmts);
        let rest = self.leave_over(&chain, pat.ident.span(), stmts);
        // Should something else be done with it, the variable is there.
        let kept = match self.range_again(&chain, init.span()) {
            Some(range) => range,
            None => self.expr(init),
        };
        let var = self.declare(&pat.ident, pat.mutability.is_some());
        self.remainders.extend(rest.map(|rest| (var, rest)));
        self.lazies.insert(var, chain);
        self.droppable.insert(var);
        stmts.push(build::typed(Pat::name(var), ty, kept));
        true
    }

    /// The operand of `for`, `zip`, `chain` or `extend`: a chain, or anything with elements.
    pub(in crate::hir) fn iterable(&mut self, source: &syn::Expr, stmts: &mut Vec<Stmt>) -> Chain {
        let source = bare(source);
        match source {
            syn::Expr::Range(range) if range.start.is_some() => self.range(range),
            _ if self.is_chain(source) => self.known_chain(source, stmts),
            syn::Expr::Reference(_)
            | syn::Expr::Path(_)
            | syn::Expr::Field(_)
            | syn::Expr::Index(_)
            | syn::Expr::Array(_) => self.elements(source, Elements::Own),
            syn::Expr::Call(call) if is_stop_gradient(&call.func) || self.gives_reference(call) => {
                self.elements(source, Elements::Own)
            }
            syn::Expr::MethodCall(call)
                if self.borrow_sources.iter().any(|name| call.method == name) =>
            {
                self.elements(source, Elements::Own)
            }
            syn::Expr::MethodCall(call) if self.adapts_given(call) => {
                self.known_method(call, stmts)
            }
            _ => self.other(source),
        }
    }

    /// Returns `true` if a method in the head of a loop adapts an iterator that a call returns.
    fn adapts_given(&self, call: &syn::ExprMethodCall) -> bool {
        is_given(&call.receiver) && syntax_does(call, IN_HEAD) && self.knows_function(call)
            || is_of_iterators(call)
    }

    pub(super) fn range(&mut self, range: &syn::ExprRange) -> Chain {
        let lo = match &range.start {
            Some(lo) => self.boxed(lo),
            None => Box::new(self.integer("0", range.span())),
        };
        Chain::Source(match &range.end {
            Some(hi) => Iterable::Range {
                lo,
                hi: self.boxed(hi),
                inclusive: matches!(range.limits, syn::RangeLimits::Closed(_)),
                adapters: Vec::new(),
            },
            None => Iterable::Count(lo),
        })
    }

    /// An iterator that isn't known.
    fn other(&mut self, source: &syn::Expr) -> Chain {
        Chain::Source(Iterable::Unknown(self.boxed(source)))
    }

    fn elements(&mut self, of: &syn::Expr, access: Elements) -> Chain {
        Chain::Source(Iterable::Elements {
            of: self.boxed(of),
            access,
        })
    }

    /// Reads a chain for which [`Self::is_chain`] holds.
    fn known_chain(&mut self, source: &syn::Expr, stmts: &mut Vec<Stmt>) -> Chain {
        match source {
            syn::Expr::Paren(inner) => match &*inner.expr {
                syn::Expr::Range(range) => self.range(range),
                inner => self.known_chain(inner, stmts),
            },
            syn::Expr::Group(inner) => self.known_chain(&inner.expr, stmts),
            _ if self.is_stepping(source) => self.taking(source),
            syn::Expr::MethodCall(call) => self.known_method(call, stmts),
            syn::Expr::Call(call) if is_iter_function(call) => self.known_function(call, stmts),
            syn::Expr::Call(call) => {
                let chain = self.given(call, stmts, &mut Self::iterable);
                chain.unwrap_or_else(|| self.other(source))
            }
            syn::Expr::Path(path) => {
                self.named += 1;
                match self.lazy(path).cloned() {
                    Some(chain) if chain.is_stepped() => self.left(chain, source.span(), stmts),
                    Some(chain) => chain,
                    None => self.other(source),
                }
            }
            _ => self.other(source),
        }
    }

    fn known_function(&mut self, call: &syn::ExprCall, stmts: &mut Vec<Stmt>) -> Chain {
        let args: Vec<&syn::Expr> = call.args.iter().collect();
        let name = iter_function(&call.func).unwrap_or_default();
        match (name.as_str(), &args[..]) {
            ("zip", [a, b]) => {
                let a = self.iterable(a, stmts);
                Chain::Zip(Box::new(a), Box::new(self.iterable(b, stmts)))
            }
            ("from_fn", [f]) => match self.callable(f, stmts) {
                Some(f) => Chain::Given(f),
                None => self.other(f),
            },
            ("repeat_with", [f]) => {
                let f: syn::Expr = match stripped(f) {
                    syn::Expr::Closure(f) => {
                        let mut f = f.clone();
                        let body = &f.body;
                        f.output = syn::ReturnType::Default;
                        *f.body = syn::parse_quote!(::core::option::Option::Some(#body));
                        syn::Expr::Closure(f)
                    }
                    f => f.clone(),
                };
                match self.callable(&f, stmts) {
                    Some(f) => Chain::Given(f),
                    None => self.other(&f),
                }
            }
            ("successors", [first, f]) => {
                let first = self.expr(first);
                let first = self.fixed("first", first, stmts);
                match self.callable(f, stmts) {
                    Some(f) => Chain::Successors(first, f),
                    None => self.other(f),
                }
            }
            (_, [value, rest @ ..]) => {
                let span = value.span();
                let value = self.expr(value);
                let is_reference = matches!(value.kind, ExprKind::Ref(false, _));
                let value = self.fixed("repeated", value, stmts);
                if is_reference {
                    self.repeated_references.insert(value);
                }
                let len = match rest {
                    [n] => Some(self.expr(n)),
                    _ if name == "once" => Some(self.count("1", span)),
                    _ => None,
                };
                Chain::Repeat(value, len)
            }
            _ => self.other(&syn::Expr::Call(call.clone())),
        }
    }

    fn known_method(&mut self, call: &syn::ExprMethodCall, stmts: &mut Vec<Stmt>) -> Chain {
        let receiver = &*call.receiver;
        let name = call.method.to_string();
        let args: Vec<&syn::Expr> = call.args.iter().collect();
        if let Some(lines) = self.matrix_lines(call) {
            return self.known_chain(&lines, stmts);
        }
        if let Some(drained) = self.drained(call, stmts) {
            let of = Box::new(self.read(drained, call.method.span()));
            let access = Elements::Own;
            return Chain::Source(Iterable::Elements { of, access });
        }
        match (name.as_str(), &args[..]) {
            ("iter" | "iter_mut" | "into_iter", _)
                if name != "into_iter" || !self.is_chain(receiver) =>
            {
                let of = self.boxed(receiver);
                if is_in_any_order(call) {
                    self.unordered.insert(of.id);
                }
                let access = match name.as_str() {
                    "iter" => Elements::Shared,
                    "iter_mut" => Elements::Mut,
                    _ => Elements::Own,
                };
                return Chain::Source(Iterable::Elements { of, access });
            }
            (_, [size]) if does(&name, ITERATES) => {
                let kind = match name.trim_end_matches("_mut") {
                    "chunks" => Chunks::All,
                    "windows" => Chunks::Windows,
                    _ => Chunks::Exact,
                };
                return self.chunks(receiver, size, kind, name.ends_with("_mut"));
            }
            ("indexed_iter" | "indexed_iter_mut", []) => {
                return match self.indexed_array(call) {
                    Some(same) => self.iterable(&same, stmts),
                    None => self.other(&syn::Expr::MethodCall(call.clone())),
                };
            }
            ("keys" | "values", []) => {
                return self.other(&syn::Expr::MethodCall(call.clone()));
            }
            _ => {}
        }
        if is_of_text(call) {
            return self.other(&syn::Expr::MethodCall(call.clone()));
        }
        let inner = Box::new(self.iterable(receiver, stmts));
        if matches!(*inner, Chain::Source(Iterable::Unknown(_)))
            && does(&name, KEEPS)
            && !takes_function(&name)
        {
            return self.other(&syn::Expr::MethodCall(call.clone()));
        }
        match (name.as_str(), &args[..]) {
            ("cycle", _) => match self.cycle(&inner, call.method.span(), stmts) {
                Some(chain) => chain,
                None => self.other(&syn::Expr::MethodCall(call.clone())),
            },
            ("enumerate", _) => Chain::Enumerate(inner),
            ("rev", _) => Chain::Rev(inner),
            ("copied" | "cloned", _) => Chain::Cloned(inner),
            ("flatten", _) => Chain::Flatten(inner),
            ("zip", [other]) => Chain::Zip(inner, Box::new(self.iterable(other, stmts))),
            ("chain", [other]) => Chain::Chained(inner, Box::new(self.iterable(other, stmts))),
            ("skip" | "take" | "step_by", [n]) => {
                let n = self.expr(n);
                let ty = syn::parse_quote!(usize);
                let n = self.fixed_as(&name, Some(ty), n, stmts);
                match name.as_str() {
                    "skip" => Chain::Skip(inner, n),
                    "take" => Chain::Take(inner, n),
                    _ => Chain::StepBy(inner, n),
                }
            }
            ("scan", [init, f]) => {
                let init = self.expr(init);
                match self.callable(f, stmts) {
                    Some(f) => Chain::Scan(inner, init, f),
                    None => *inner,
                }
            }
            (_, [f]) => match self.callable(f, stmts) {
                Some(f) => with_function(&name, inner, f),
                None => *inner,
            },
            _ => *inner,
        }
    }

    fn chunks(&mut self, of: &syn::Expr, size: &syn::Expr, kind: Chunks, mutable: bool) -> Chain {
        Chain::Source(Iterable::Chunks {
            of: self.boxed(of),
            size: self.boxed(size),
            kind,
            mutable,
        })
    }

    /// `let name = init;`, with a variable that never changes.
    pub(super) fn fixed(&mut self, name: &str, init: Expr, stmts: &mut Vec<Stmt>) -> Var {
        self.fixed_as(name, None, init, stmts)
    }

    pub(super) fn fixed_as(
        &mut self,
        name: &str,
        ty: Option<syn::Type>,
        init: Expr,
        stmts: &mut Vec<Stmt>,
    ) -> Var {
        if let ExprKind::Var(var) = init.kind
            && self.is_fixed(&init)
        {
            return var;
        }
        let var = self.fixed_temporary(name, init.span);
        stmts.push(build::typed(Pat::name(var), ty, init));
        var
    }
}

fn with_function(name: &str, inner: Box<Chain>, f: Callable) -> Chain {
    match name {
        "map" => Chain::Map(inner, f),
        "inspect" => Chain::Inspect(inner, f),
        "filter" => Chain::Filter(inner, f),
        "filter_map" => Chain::FilterMap(inner, f),
        "take_while" => Chain::TakeWhile(inner, f),
        "skip_while" => Chain::SkipWhile(inner, f),
        "map_while" => Chain::MapWhile(inner, f),
        _ => Chain::FlatMap(inner, f),
    }
}

/// Returns `true` if a chain may give its items by their positions, as often as wanted.
fn goes_by_position(source: &syn::Expr) -> bool {
    match stripped(source) {
        syn::Expr::Range(range) => range.end.is_some(),
        syn::Expr::MethodCall(call) if syntax_does(call, ITERATES) => true,
        syn::Expr::MethodCall(call) => match call.method.to_string().as_str() {
            "chain" | "zip" => {
                goes_by_position(&call.receiver) && call.args.iter().all(goes_by_position)
            }
            "cloned" | "copied" | "enumerate" | "map" | "rev" | "skip" | "step_by" | "take" => {
                goes_by_position(&call.receiver)
            }
            _ => false,
        },
        _ => false,
    }
}

/// Returns `true` if a method is one of strings that returns an iterator.
fn is_of_text(call: &syn::ExprMethodCall) -> bool {
    called(Of::Text, &call.method.to_string(), call.args.len()).is_some()
}

/// Returns `true` if it is the result of a call.
fn is_given(source: &syn::Expr) -> bool {
    matches!(
        stripped(source),
        syn::Expr::Call(_) | syn::Expr::MethodCall(_)
    )
}

/// Returns `true` if only iterators have a method of that name, where its receiver is the result of another call.
fn is_of_iterators(call: &syn::ExprMethodCall) -> bool {
    // A cyclic iterator has an error of its own.
    let goes_around = matches!(
        stripped(&call.receiver),
        syn::Expr::MethodCall(receiver) if receiver.method == "cycle"
    );
    is_given(&call.receiver) && !goes_around && syntax_does(call, TELLS)
}

/// Returns `true` if a call returns an iterator that is known.
fn is_iter_function(call: &syn::ExprCall) -> bool {
    let Some(name) = iter_function(&call.func) else {
        return false;
    };
    match (name.as_str(), call.args.len()) {
        ("zip" | "repeat_n", 2) | ("repeat" | "once", 1) => true,
        ("successors", 2) | ("from_fn" | "repeat_with", 1) => {
            call.args.last().is_some_and(is_literal)
        }
        _ => false,
    }
}

/// The function of `core::iter` that a path names.
fn iter_function(func: &syn::Expr) -> Option<String> {
    let path = path_of(func)?;
    of_std(&path.path, "iter").map(ToString::to_string)
}

/// Returns `true` if a function is written as a closure.
fn is_literal(source: &syn::Expr) -> bool {
    matches!(stripped(source), syn::Expr::Closure(_))
}

fn is_stop_gradient(func: &syn::Expr) -> bool {
    matches!(func, syn::Expr::Path(path) if ends_in(&path.path, "stop_gradient"))
}
