//! Methods that take closures, of `Option`, `Result`, `bool`, arrays and lists: the code of the closures, beside the call itself. Which of the
//! two it is, types will tell.

use proc_macro2::{Ident, Span};
use syn::spanned::Spanned;

use super::closure::{Callable, stripped};
use super::parse::Parser;
use super::{Arm, Block, Expr, ExprKind, MapCall, function};
use crate::std_model::{self, Arg, Method, Of};
use crate::types::methods;

/// The arguments of a method that takes closures.
fn roles(name: &str) -> Option<&'static [Arg]> {
    if methods::of_arrays(name) {
        return Some(&[Arg::Some]);
    }
    let takes_payload = |arg: &Arg| arg.is_function() && *arg != Arg::F;
    let is_map = |method: &&Method| method.of == Of::Bool || method.args.iter().any(takes_payload);
    std_model::named(name)
        .find(is_map)
        .map(|method| method.args)
}

impl Parser {
    /// Returns `true` if a call may be one of a method of std's that takes closures.
    pub(super) fn is_map(&self, call: &syn::ExprMethodCall) -> bool {
        let name = call.method.to_string();
        let Some(roles) = roles(&name).filter(|roles| roles.len() == call.args.len()) else {
            return false;
        };
        roles.iter().zip(&call.args).all(|(role, arg)| match role {
            Arg::Any => true,
            // `then` of an `Ordering` takes a value.
            _ if name == "then" => closure(arg).is_some_and(|f| f.inputs.is_empty()),
            // A name doesn't tell whether the function takes an error.
            Arg::None => closure(arg).is_some_and(|f| f.inputs.len() < 2),
            _ => closure(arg).map_or(self.is_callable(arg), |f| f.inputs.len() == 1),
        })
    }

    /// `receiver.map(f)`, `receiver.map_or(default, f)`, and so on.
    pub(super) fn map_call(&mut self, call: &syn::ExprMethodCall, source: &syn::Expr) -> Expr {
        let (receiver, view) = self.viewed(&call.receiver);
        // Users' types have a `map`, too.
        let args = if function::is_std(&call.method) && call.method != "map" {
            self.exprs(&call.args)
        } else {
            call.args.iter().map(|arg| self.argument(arg)).collect()
        };
        let named = self.named;
        let (mut some, mut none, mut written) = (None, None, true);
        let roles = roles(&call.method.to_string()).unwrap_or_default();
        for (role, arg) in roles.iter().zip(&call.args) {
            if *role == Arg::Any {
                continue;
            }
            let arm = self.arm(arg, *role, call.method.span(), &mut written);
            match role {
                Arg::None => none = arm,
                _ => some = arm,
            }
        }
        // Verbatim, the call has the closures themselves.
        self.named = named;
        let method = MapCall {
            receiver,
            view,
            name: call.method.clone(),
            args,
            written,
            some,
            none,
        };
        self.sourced(ExprKind::Map(Box::new(method)), source)
    }

    /// `&x` of `x.as_ref()`, as in a `match`.
    fn viewed(&mut self, source: &syn::Expr) -> (Expr, Option<Ident>) {
        if let syn::Expr::MethodCall(call) = source
            && call.args.is_empty()
            && let Some(mutable) = std_model::views(&call.method.to_string())
        {
            let of = self.boxed(&call.receiver);
            let of = self.sourced(ExprKind::Ref(mutable, of), source);
            return (of, Some(call.method.clone()));
        }
        (self.expr(source), None)
    }

    fn arm(
        &mut self,
        source: &syn::Expr,
        role: Arg,
        span: Span,
        written: &mut bool,
    ) -> Option<Arm> {
        let mut stmts = Vec::new();
        let f = self.callable(source, &mut stmts)?;
        *written &= matches!(f, Callable::Closure(_));
        let thunk = closure(source).is_some_and(|f| f.inputs.is_empty());
        let var = (!thunk).then(|| self.fixed_temporary("item", span));
        let item = var.map(|var| self.read(var, span)).map(|item| match role {
            Arg::SomeRef => self.borrow(item),
            _ => item,
        });
        let value = self.apply_here(&f, item.into_iter().collect(), span, &mut stmts);
        let value = Some(Box::new(value));
        let body = Block {
            stmts,
            value,
            span: source.span(),
        };
        Some(Arm { var, body })
    }
}

/// A closure that is written here.
fn closure(source: &syn::Expr) -> Option<&syn::ExprClosure> {
    match stripped(source) {
        syn::Expr::Closure(closure) => Some(closure),
        _ => None,
    }
}
