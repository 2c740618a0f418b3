//! Closures and functions that are known where they are called: a call becomes the body.
//!
//! ```text
//! Input:  let f = |x: f64| a * x; f(b)
//! Output: { let x: f64 = b; a * x }
//! ```
//!
//! The body is resolved in the scopes of its definition, so that nothing at the call captures its names. A capture by
//! reference is the variable itself; a capture of a `move` closure that may change afterwards is a variable of the
//! closure's own. The closure itself stays as a verbatim `let` as long as verbatim code mentions it.
//!
//! A function that returns a reference, an iterator or a closure has no rules: a tangent of its result would have to borrow from tangents
//! of its arguments, or has no name. The macro inlines its body in calls of the same module, in the same way: the body's last expression is
//! read where the call stands, as a chain, a callable, a place or the subject of a pattern. In other modules, stubs with an unsatisfied
//! bound say so.

use std::rc::Rc;

use proc_macro2::Span;
use syn::spanned::Spanned;

use super::build::typed;
use super::chain::Chain;
use super::choice::{OneOf, chooses_boxed};
use super::lets::named_local;
use super::parse::Parser;
use super::{
    Access, Elements, Expr, ExprKind, Iterable, Pat, Scope, Stmt, Var, library, mentions,
    try_operator,
};
use crate::enclosing::{self, SyntaxArgument};
use crate::options::Options;
use crate::syntax::path_of;

/// How many calls of closures become bodies; more would be code out of all proportion.
const MOST_BODIES: usize = 10_000;

/// How many tokens of other functions go into one, and through how many of them.
const MOST_IN_PLACE: usize = 1_000;
const DEEPEST: usize = 3;

/// In how many bodies in each other calls of functions that could be called may become bodies.
pub(crate) fn depth(options: &Options) -> usize {
    if calls_nothing(options) {
        usize::MAX
    } else {
        DEEPEST
    }
}

/// True if all calls become bodies.
pub(super) fn calls_nothing(options: &Options) -> bool {
    options.order.is_some_and(|order| order > 2)
}

/// A function that can be called by its definition.
#[derive(Clone)]
pub(super) enum Callable {
    Closure(Rc<Closure>),
    /// A function's name.
    Path(syn::ExprPath),
    /// One of several.
    OneOf(OneOf),
}

pub(super) struct Closure {
    syntax: syn::ExprClosure,
    /// The names in scope where the closure is written.
    scopes: Vec<Vec<(String, Var)>>,
}

impl Closure {
    /// Returns `true` if a call writes to captures of the closure.
    pub(super) fn mutates(&self, parser: &mut Parser) -> bool {
        let scopes = std::mem::replace(&mut parser.scopes, self.scopes.clone());
        let source = syn::Expr::Closure(self.syntax.clone());
        let mentions = mentions::of_expr(&source, parser);
        parser.scopes = scopes;
        mentions.iter().any(|m| {
            let steps = m.access == Access::Method && parser.is_stepped(m.var);
            m.access == Access::Write || steps
        })
    }
}

/// Where `return` and `?` lead to.
#[derive(Clone, Copy)]
pub(super) struct Returns {
    scope: Scope,
    used: bool,
}

impl Returns {
    pub(super) fn to(scope: Scope) -> Self {
        Returns { scope, used: false }
    }
}

impl Parser {
    /// A `let` whose variable refers to code, with the statements that follow it.
    pub(super) fn known_local(
        &mut self,
        local: &syn::Local,
        rest: &[syn::Stmt],
        stmts: &mut Vec<Stmt>,
    ) -> bool {
        self.callable_local(local, stmts)
            || self.choice_local(local, stmts)
            || self.table_local(local, stmts)
            || self.lazy_local(local, rest, stmts)
            || self.maybe_local(local, stmts)
    }

    /// `let f = |x| ...;` and `let f = function;`, whose calls are known.
    fn callable_local(&mut self, local: &syn::Local, stmts: &mut Vec<Stmt>) -> bool {
        let Some((pat, ty, init)) = named_local(local) else {
            return false;
        };
        let is_closure = self.gives_closure(init);
        if pat.mutability.is_some() && !is_closure {
            return false;
        }
        let Some((callable, kept)) = self.callable_and_value(init, stmts) else {
            return false;
        };
        let var = self.declare(&pat.ident, pat.mutability.is_some());
        self.callables.insert(var, callable);
        if is_closure {
            self.droppable.insert(var);
        }
        // The value is the closure, without its box.
        let of_box = matches!(stripped(init), syn::Expr::Call(call) if boxed(call).is_some());
        let ty = ty.filter(|_| !of_box).cloned();
        stmts.push(typed(Pat::name(var), ty, kept));
        true
    }

    /// The callee of a call of `source`, and its value.
    fn callable_and_value(
        &mut self,
        source: &syn::Expr,
        stmts: &mut Vec<Stmt>,
    ) -> Option<(Callable, Expr)> {
        let both = &mut Self::callable_and_value;
        match stripped(source) {
            syn::Expr::Block(_) if self.gives_closure(source) => self.of_value(source, stmts, both),
            syn::Expr::Call(call) if self.gives_closure(source) => match boxed(call) {
                Some(boxed) => self.callable_and_value(boxed, stmts),
                None => self.given(call, stmts, both)?,
            },
            choice if chooses_boxed(choice) => self.one_of_boxed(choice, stmts),
            _ => {
                let callable = self.callable(source, stmts)?;
                Some((callable, self.argument(source)))
            }
        }
    }

    /// The arguments of a call. A closure that a call returns gets a name.
    pub(super) fn arguments_of(
        &mut self,
        call: &syn::ExprCall,
        stmts: &mut Vec<Stmt>,
    ) -> Vec<Expr> {
        let mut args = Vec::new();
        for arg in &call.args {
            let is_named = matches!(stripped(arg), syn::Expr::Call(_)) && self.gives_closure(arg);
            if !is_named {
                args.push(self.argument(arg));
                continue;
            }
            let Some((callable, kept)) = self.callable_and_value(arg, stmts) else {
                continue;
            };
            let var = self.temporary("closure", arg.span());
            self.callables.insert(var, callable);
            stmts.push(typed(Pat::name(var), None, kept));
            let value = self.read(var, arg.span());
            args.push(match arg {
                syn::Expr::Reference(_) => self.borrow(value),
                _ => value,
            });
        }
        args
    }

    /// The callee of a call of `source`, if that is known here. Moved captures become variables.
    pub(super) fn callable(
        &mut self,
        source: &syn::Expr,
        stmts: &mut Vec<Stmt>,
    ) -> Option<Callable> {
        match stripped(source) {
            syn::Expr::Closure(closure) => Some(self.closure(closure, stmts)),
            syn::Expr::Path(path) => match self.named(path) {
                ExprKind::Var(var) => {
                    let known = self.callables.get(&var).cloned();
                    if known.is_some() {
                        self.named += 1;
                        // A constant's name refers to a function only where it is called.
                        self.droppable.insert(var);
                    }
                    known
                }
                ExprKind::Path(path) => Some(Callable::Path(path)),
                _ => None,
            },
            syn::Expr::Block(_) if self.gives_closure(source) => {
                self.of_value(source, stmts, &mut Self::callable)
            }
            syn::Expr::Call(call) => match boxed(call) {
                Some(boxed) if self.gives_closure(boxed) => self.callable(boxed, stmts),
                Some(_) => None,
                None if self.gives_closure(source) => {
                    self.given(call, stmts, &mut Self::callable)?
                }
                None => None,
            },
            syn::Expr::Unary(of) if matches!(of.op, syn::UnOp::Deref(_)) => {
                self.variable_named(bare(&of.expr))?;
                self.callable(&of.expr, stmts)
            }
            choice if chooses_boxed(choice) => Some(self.one_of_boxed(choice, stmts)?.0),
            _ => None,
        }
    }

    /// Returns `true` if an expression is a closure that is known here: written, or returned by a call.
    pub(super) fn gives_closure(&self, source: &syn::Expr) -> bool {
        match stripped(source) {
            syn::Expr::Closure(_) => true,
            syn::Expr::Block(block) => match block.block.stmts.last() {
                Some(syn::Stmt::Expr(last, None)) if block.label.is_none() => {
                    self.gives_closure(last)
                }
                _ => false,
            },
            syn::Expr::Call(call) => match boxed(call) {
                Some(boxed) => self.gives_closure(boxed),
                None => self
                    .giver(call)
                    .is_some_and(|giver| self.gives_closure(&giver.syntax.body)),
            },
            choice => chooses_boxed(choice),
        }
    }

    /// Applies `f` to the value of an expression: of a block, to its last expression, once its statements are in `stmts`.
    fn of_value<T>(
        &mut self,
        source: &syn::Expr,
        stmts: &mut Vec<Stmt>,
        f: &mut dyn FnMut(&mut Self, &syn::Expr, &mut Vec<Stmt>) -> T,
    ) -> T {
        if let syn::Expr::Block(block) = source
            && let Some((syn::Stmt::Expr(last, None), rest)) = block.block.stmts.split_last()
        {
            let rest = syn::Block {
                brace_token: block.block.brace_token,
                stmts: rest.to_vec(),
            };
            self.scopes.push(Vec::new());
            stmts.extend(self.block_here(&rest).stmts);
            let value = self.of_value(last, stmts, f);
            self.scopes.pop();
            return value;
        }
        f(self, source, stmts)
    }

    /// The callee, if its body is known and is always inlined: a closure, or a function of the same module that has no rules.
    fn giver(&self, call: &syn::ExprCall) -> Option<Rc<Closure>> {
        let path = path_of(stripped(&call.func))?;
        let var = self.variable_named(stripped(&call.func));
        match var.map(|var| self.callables.get(&var)) {
            Some(Some(Callable::Closure(closure))) => Some(Rc::clone(closure)),
            Some(_) => None,
            None => {
                let body = self
                    .body_of(path)
                    .filter(|body| body.borrows_from_arguments && body.takes(&call.args))?;
                Some(Rc::new(Closure {
                    syntax: body.closure.clone(),
                    scopes: Vec::new(),
                }))
            }
        }
    }

    /// Applies `f` to the value of a call of such a callee.
    pub(super) fn given<T>(
        &mut self,
        call: &syn::ExprCall,
        stmts: &mut Vec<Stmt>,
        f: &mut dyn FnMut(&mut Self, &syn::Expr, &mut Vec<Stmt>) -> T,
    ) -> Option<T> {
        let giver = self.giver(call)?;
        let args = self.exprs(&call.args);
        let span = call.span();
        let path = match stripped(&call.func) {
            syn::Expr::Path(path) => path.path.get_ident().map(ToString::to_string),
            _ => None,
        };
        self.in_place.extend(path);
        let value = self.within(&giver, args, span, stmts, |parser, body, stmts| {
            let value = parser.of_value(body, stmts, f);
            if let Some(Returns { used: true, .. }) = parser.leaves {
                parser.error(
                    span,
                    "`return` out of what gives an iterator or a closure is not supported yet",
                    "write nested `for` loops, or return in the closure itself",
                );
            }
            value
        });
        self.in_place.pop();
        value
    }

    /// Returns `true` if a call returns a part of its arguments.
    pub(super) fn gives_reference(&self, call: &syn::ExprCall) -> bool {
        let is_reference = |giver: &Closure| matches!(&giver.syntax.output, syn::ReturnType::Type(_, ty) if matches!(**ty, syn::Type::Reference(_)));
        self.giver(call).is_some_and(|giver| is_reference(&giver))
    }

    /// Returns `true` if the result of an inlined call may borrow from its arguments, and control doesn't leave its body.
    pub(super) fn lends(&self, source: &syn::Expr) -> bool {
        let syn::Expr::Call(call) = source else {
            return false;
        };
        matches!(stripped(&call.func), syn::Expr::Path(path) if self.body_of(path).is_some_and(|body| body.borrows_from_arguments))
            && self
                .giver(call)
                .is_some_and(|giver| mentions::exits(&giver.syntax.body).is_empty())
    }

    /// `let pat = call;` of such: the statements of its body, and `let pat = value`.
    pub(super) fn lent_local(&mut self, local: &syn::Local, stmts: &mut Vec<Stmt>) -> bool {
        let Some(init) = local.init.as_ref().filter(|init| init.diverge.is_none()) else {
            return false;
        };
        let syn::Expr::Call(call) = &*init.expr else {
            return false;
        };
        if !self.lends(&init.expr) {
            return false;
        }
        let output = self.giver(call).map(|giver| giver.syntax.output.clone());
        let value = self.given(call, stmts, &mut |parser, value, _| parser.expr(value));
        let Some(value) = value else {
            return false;
        };
        let (pat, ty) = match (&local.pat, output) {
            (syn::Pat::Type(typed), _) => (&*typed.pat, Some((*typed.ty).clone())),
            (pat, Some(syn::ReturnType::Type(_, ty))) => (pat, Some(*ty)),
            (pat, _) => (pat, None),
        };
        let pat = self.pattern(pat);
        stmts.push(typed(pat, ty, value));
        true
    }

    /// Returns `true` if a call returns an iterator all of whose parts are known.
    pub(super) fn gives_chain(&self, call: &syn::ExprCall) -> bool {
        fn value(source: &syn::Expr) -> &syn::Expr {
            match source {
                syn::Expr::Block(block) => match block.block.stmts.last() {
                    Some(syn::Stmt::Expr(last, None)) => value(last),
                    _ => source,
                },
                _ => source,
            }
        }
        self.giver(call)
            .is_some_and(|giver| self.is_chain(value(&giver.syntax.body)))
    }

    fn closure(&mut self, closure: &syn::ExprClosure, stmts: &mut Vec<Stmt>) -> Callable {
        let mut scopes: Vec<Vec<(String, Var)>> =
            vec![self.scopes.iter().flatten().cloned().collect()];
        if closure.capture.is_some() {
            scopes.push(self.moved(closure, stmts));
        }
        Callable::Closure(Rc::new(Closure {
            syntax: closure.clone(),
            scopes,
        }))
    }

    /// ```text
    /// Input:  let f = move || { state += x; state };
    /// Output: let mut own = state; let f = || { own += x; own };
    /// ```
    fn moved(&mut self, closure: &syn::ExprClosure, stmts: &mut Vec<Stmt>) -> Vec<(String, Var)> {
        let source = syn::Expr::Closure(closure.clone());
        let mut own = Vec::new();
        for mention in mentions::of_expr(&source, self) {
            let data = self.vars[mention.var.0 as usize].clone();
            // An immutable variable needs no copy. `mut self` is a parameter like any other, `&mut self` a reference.
            if !data.mutable || data.ident == "self" || self.callables.contains_key(&mention.var) {
                continue;
            }
            let span = data.ident.span();
            let init = self.read(mention.var, span);
            let name = data.ident.to_string();
            let var = self.state(name.trim_start_matches("r#"), None, init, stmts);
            // Verbatim code in the body finds it by the name.
            self.vars[var.0 as usize].ident = data.ident;
            self.vars[var.0 as usize].synthetic = false;
            own.push((name, var));
        }
        own
    }

    /// A call: the body, with the parameters bound to the arguments.
    pub(super) fn apply(&mut self, callable: &Callable, args: Vec<Expr>, span: Span) -> Expr {
        let mut stmts = Vec::new();
        let value = self.apply_here(callable, args, span, &mut stmts);
        self.after(stmts, value)
    }

    /// A call whose parameters are bound by `stmts`.
    pub(super) fn apply_here(
        &mut self,
        callable: &Callable,
        mut args: Vec<Expr>,
        span: Span,
        stmts: &mut Vec<Stmt>,
    ) -> Expr {
        match callable {
            Callable::Path(path) if args.len() == 1 && library::is_identity(path) => args.remove(0),
            Callable::Path(path) => match library::method_by_path(path, args.clone()) {
                Some(method) => self.node(method, span),
                None => {
                    let kind = self.called(path, args);
                    // The call in an inlined body isn't the caller's own.
                    let own = self.in_place.is_empty();
                    self.node(kind, if own { span } else { path.span() })
                }
            },
            Callable::Closure(closure) => self.body(closure, args, span, stmts),
            Callable::OneOf(choice) => self.apply_choice(choice, args, span, stmts),
        }
    }

    /// The function of the same module that is inlined at its calls.
    pub(super) fn body_of(&self, path: &syn::ExprPath) -> Option<Rc<enclosing::Body>> {
        let name = path
            .path
            .segments
            .iter()
            .map(|segment| segment.ident.to_string());
        let name = name.collect::<Vec<_>>().join("::");
        let body = self.siblings.body(&name)?;
        let is_short =
            self.in_place.len() < DEEPEST && self.in_place_length + body.length <= MOST_IN_PLACE;
        let fits = path.qself.is_none()
            && !self.in_place.contains(&name)
            && !self.ruled_elsewhere.contains(&name)
            && (body.has_no_rules || is_short || self.calls_nothing);
        fits.then(|| Rc::clone(body))
    }

    /// True if it is a function or an iterator that a call hands over.
    fn is_handed_over(&self, var: Var) -> bool {
        self.vars[var.0 as usize].synthetic
            && (self.callables.contains_key(&var) || self.lazies.contains_key(&var))
    }

    /// Returns `true` if the functions that a call passes are known here.
    pub(super) fn knows_functions(&mut self, body: &enclosing::Body, call: &syn::ExprCall) -> bool {
        (call.args.iter().enumerate()).all(|(k, arg)| {
            body.syntax_argument(k) != Some(SyntaxArgument::Function)
                || match stripped(arg) {
                    syn::Expr::Closure(_) => true,
                    syn::Expr::Path(path) => match self.named(path) {
                        ExprKind::Var(var) => self.callables.contains_key(&var),
                        kind => matches!(kind, ExprKind::Path(_)),
                    },
                    _ => false,
                }
        })
    }

    /// A call of such a function.
    pub(super) fn in_place(
        &mut self,
        path: &syn::ExprPath,
        body: &enclosing::Body,
        call: &syn::ExprCall,
    ) -> Expr {
        let span = call.span();
        let mut stmts = Vec::new();
        let mut args = Vec::new();
        for (k, arg) in call.args.iter().enumerate() {
            // Nothing but a name: see `within`.
            let var = match body.syntax_argument(k) {
                Some(SyntaxArgument::Iterator) => {
                    let mut chain = match arg {
                        syn::Expr::Macro(_) => {
                            let made = self.expr(arg);
                            let list = self.held("list", made, &mut stmts);
                            let of = Box::new(self.read(list, arg.span()));
                            let access = Elements::Own;
                            Chain::Source(Iterable::Elements { of, access })
                        }
                        arg => self.iterable(arg, &mut stmts),
                    };
                    self.settle_chain(&mut chain, &mut stmts);
                    let var = self.temporary("iterator", arg.span());
                    self.lazies.insert(var, chain);
                    Some(var)
                }
                Some(SyntaxArgument::Function) => self.callable(arg, &mut stmts).map(|callable| {
                    let var = self.temporary("function", arg.span());
                    self.callables.insert(var, callable);
                    var
                }),
                None => None,
            };
            args.push(match var {
                Some(var) => self.read(var, arg.span()),
                None => self.expr(arg),
            });
        }
        self.in_place_length += body.length;
        self.in_place
            .extend(path.path.get_ident().map(ToString::to_string));
        let closure = Closure {
            syntax: body.closure.clone(),
            scopes: Vec::new(),
        };
        let value = self.apply_here(&Callable::Closure(Rc::new(closure)), args, span, &mut stmts);
        self.in_place.pop();
        self.after(stmts, value)
    }

    fn body(
        &mut self,
        closure: &Closure,
        args: Vec<Expr>,
        span: Span,
        stmts: &mut Vec<Stmt>,
    ) -> Expr {
        let value = self.within(closure, args, span, stmts, |parser, body, _| {
            let body = parser.expr(body);
            parser.returned_to(body, span)
        });
        let Some(mut value) = value else {
            return self.node(ExprKind::Unit, span);
        };
        if let syn::ReturnType::Type(_, ty) = &closure.syntax.output {
            let result = self.temporary("result", span);
            stmts.push(typed(Pat::name(result), Some((**ty).clone()), value));
            value = self.read(result, span);
        }
        value
    }

    /// The body as the block that its `return`s leave, if it has any.
    fn returned_to(&mut self, body: Expr, span: Span) -> Expr {
        match self.leaves {
            Some(Returns { used: true, scope }) => {
                let block = Self::as_block(body);
                self.node(ExprKind::Block(block, Some(scope)), span)
            }
            _ => body,
        }
    }

    /// The iterator that a closure returns.
    pub(super) fn apply_chain(
        &mut self,
        callable: &Callable,
        arg: Expr,
        span: Span,
        stmts: &mut Vec<Stmt>,
    ) -> Option<Chain> {
        let Callable::Closure(closure) = callable else {
            return None;
        };
        self.within(closure, vec![arg], span, stmts, |parser, body, stmts| {
            let chain = parser.of_value(body, stmts, &mut Self::iterable);
            if let Some(Returns { used: true, .. }) = parser.leaves {
                parser.error(
                    span,
                    "`return` out of a closure that gives an iterator is not supported yet",
                    "write nested `for` loops",
                );
            }
            chain
        })
    }

    /// Runs `f` on the body of a closure, in the scopes of its definition, with its parameters bound.
    fn within<T>(
        &mut self,
        closure: &Closure,
        args: Vec<Expr>,
        span: Span,
        stmts: &mut Vec<Stmt>,
        f: impl FnOnce(&mut Self, &syn::Expr, &mut Vec<Stmt>) -> T,
    ) -> Option<T> {
        let syntax = &closure.syntax;
        if args.len() != syntax.inputs.len() {
            self.error(
                span,
                format!("this closure takes {} arguments", syntax.inputs.len()),
                "call it with as many as it has parameters",
            );
            return None;
        }
        self.bodies += 1;
        if self.bodies == MOST_BODIES {
            self.error(
                span,
                "closures that call closures make this function too long to differentiate",
                "write the innermost closure as a `#[differentiable]` function",
            );
        }
        if self.bodies >= MOST_BODIES {
            return None;
        }
        let scopes = std::mem::replace(&mut self.scopes, closure.scopes.clone());
        let labels = std::mem::take(&mut self.labels);
        let scope = self.new_scope();
        let leaves = self.leaves.replace(Returns { scope, used: false });
        self.scopes.push(Vec::new());
        for (pat, arg) in syntax.inputs.iter().zip(args) {
            match (pat, &arg.kind) {
                (syn::Pat::Ident(pat), ExprKind::Var(var)) if self.is_handed_over(*var) => {
                    if let Some(scope) = self.scopes.last_mut() {
                        scope.push((pat.ident.to_string(), *var));
                    }
                }
                _ => self.bind_argument(pat, None, arg, stmts),
            }
            stmts.extend(self.checked_receiver(pat, span));
        }
        self.returns.push(try_operator::returned_by(syntax));
        let collected = self.returned(&syntax.body);
        let value = f(self, collected.as_ref().unwrap_or(&syntax.body), stmts);
        self.returns.pop();
        self.leaves = leaves;
        self.labels = labels;
        self.scopes = scopes;
        Some(value)
    }

    /// The body of a method is chosen by the method's name, so that rustc has to see that the receiver is of the type.
    ///
    /// ```text
    /// { let _: &Own = &__this; }
    /// ```
    fn checked_receiver(&mut self, pat: &syn::Pat, span: Span) -> Option<Stmt> {
        let syn::Pat::Type(param) = pat else {
            return None;
        };
        let own = match &*param.ty {
            syn::Type::Reference(reference) => &reference.elem,
            own => own,
        };
        let is_receiver = matches!(&*param.pat, syn::Pat::Ident(name) if name.ident == "__this");
        let var = self.lookup("__this").filter(|_| is_receiver)?;
        Some(self.checked_type(var, own, span, span))
    }

    /// `return value`, out of the innermost closure or the function.
    pub(super) fn returning(&mut self, value: Option<Box<Expr>>) -> ExprKind {
        match &mut self.leaves {
            None => ExprKind::Return(value),
            Some(returns) => {
                returns.used = true;
                ExprKind::Break(returns.scope, value)
            }
        }
    }

    /// A call of something that has no name, or of a variable.
    pub(super) fn call_value(&mut self, call: &syn::ExprCall, source: &syn::Expr) -> Expr {
        let mut stmts = Vec::new();
        if let Some(callable) = self.callable(&call.func, &mut stmts) {
            let args = self.exprs(&call.args);
            let value = self.apply(&callable, args, source.span());
            return self.after(stmts, value);
        }
        if let Some(choice) = self.indexed(&call.func, &mut stmts) {
            let args = self.exprs(&call.args);
            let value = self.apply(&Callable::OneOf(choice), args, source.span());
            return self.after(stmts, value);
        }
        if let syn::Expr::Path(_) = stripped(&call.func) {
            return self.verbatim(
                source,
                "a call of a function value that is not known here is not supported yet with active values",
                "call the closure or function where it is defined by its own name; choose between two in one `let`, by \
                 `if` or `match`; of a parameter, leave `#[constant]` out",
            );
        }
        self.verbatim(
            source,
            "calling an expression is not supported yet with active arguments",
            "bind the closure with `let`, or name the function in the call; a table of functions is made where it is used",
        )
    }

    /// A closure where a value is wanted.
    pub(super) fn closure_value(&mut self, source: &syn::Expr) -> Expr {
        self.verbatim(
            source,
            "a closure that captures active values is not supported yet as a value",
            "call it by the name that `let` gives it, or hand it to an iterator's adapter; a \
             `#[differentiable]` function can be called from anywhere",
        )
    }
}

/// The closure of `Box::new(closure)`.
pub(super) fn boxed(call: &syn::ExprCall) -> Option<&syn::Expr> {
    let is_box = matches!(stripped(&call.func), syn::Expr::Path(path) if library::is_box_new(path));
    match call.args.first() {
        Some(arg) if is_box && call.args.len() == 1 => Some(arg),
        _ => None,
    }
}

/// Without parentheses.
pub(crate) fn bare(source: &syn::Expr) -> &syn::Expr {
    match source {
        syn::Expr::Paren(inner) => bare(&inner.expr),
        syn::Expr::Group(inner) => bare(&inner.expr),
        other => other,
    }
}

/// Without parentheses and references, which a call looks through.
pub(super) fn stripped(source: &syn::Expr) -> &syn::Expr {
    match bare(source) {
        syn::Expr::Reference(inner) => stripped(&inner.expr),
        other => other,
    }
}
