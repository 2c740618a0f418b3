//! Functions out of a few that are known: a call of one becomes a branch over them.
//!
//! ```text
//! Input:  let f = if c { sin } else { cube }; f(x)
//! Output: let which = if c { 0 } else { 1 }; if which == 0 { sin(x) } else { cube(x) }
//! ```
//!
//! ```text
//! Input:  let table: [fn(f64) -> f64; 2] = [sin, cube]; table[i](x)
//! Output: let which = [0, 1][i]; if which == 0 { sin(x) } else { cube(x) }
//! ```
//!
//! A loop over such a table is one over positions. Boxed closures are chosen in the same way: `if c { Box::new(|x| a * x) } else { .. }`.

use std::collections::HashSet;
use std::rc::Rc;

use proc_macro2::{Ident, Literal, Span};
use quote::{ToTokens, quote};
use syn::punctuated::Punctuated;
use syn::visit::{self, Visit};

use super::build::typed;
use super::closure::{Callable, boxed, stripped};
use super::lets::named_local;
use super::parse::Parser;
use super::{Expr, Pat, Stmt, Var};
use crate::enclosing::has_word;
use crate::ir::BinaryOp;
use crate::syntax::closure_of;

/// The types of arguments, where they are written.
type Inputs = Rc<[Option<syn::Type>]>;

/// A function among others.
#[derive(Clone)]
pub(super) struct OneOf {
    which: Var,
    options: Rc<[Callable]>,
    /// The arguments, if they are known.
    inputs: Option<Inputs>,
}

impl Parser {
    /// `let f = if c { sin } else { cube };`, the same with `match`, and `let f = table[i];`.
    pub(super) fn choice_local(&mut self, local: &syn::Local, stmts: &mut Vec<Stmt>) -> bool {
        let Some((ident, ty, init)) = plain_local(local) else {
            return false;
        };
        let Some((mut choice, which)) = self.one_of(init, stmts) else {
            return false;
        };
        choice.inputs = ty.and_then(inputs).or(choice.inputs);
        // The function itself, for whoever wants it as a value.
        let kept = match which {
            Some(options) => self.function_chosen(&choice, &options),
            None => self.argument(init),
        };
        let var = self.declare(ident, false);
        self.callables.insert(var, Callable::OneOf(choice));
        self.droppable.insert(var);
        stmts.push(typed(Pat::name(var), ty.cloned(), kept));
        true
    }

    /// A chosen function, where a closure is wanted: `|x| f(x)`.
    pub(super) fn chosen_closure(&self, path: &syn::ExprPath) -> Option<syn::ExprClosure> {
        let var = self.lookup(&path.path.get_ident()?.to_string())?;
        let Some(Callable::OneOf(OneOf {
            inputs: Some(types),
            ..
        })) = self.callables.get(&var)
        else {
            return None;
        };
        let args = (0..types.len()).map(|k| Ident::new(&format!("arg{k}"), Span::mixed_site()));
        let args: Vec<Ident> = args.collect();
        let types = types.iter().map(|ty| ty.as_ref().map(|ty| quote!(: #ty)));
        Some(syn::parse_quote!(|#(#args #types),*| #path(#(#args),*)))
    }

    /// `let table = [sin, cube];`.
    pub(super) fn table_local(&mut self, local: &syn::Local, stmts: &mut Vec<Stmt>) -> bool {
        let Some((ident, ty, init)) = plain_local(local) else {
            return false;
        };
        let Some(options) = self.table(init) else {
            return false;
        };
        let kept = self.argument(init);
        let var = self.declare(ident, false);
        self.tables.insert(var, options);
        self.droppable.insert(var);
        stmts.push(typed(Pat::name(var), ty.cloned(), kept));
        true
    }

    /// The functions among which an expression chooses; where it is control flow, as they are written.
    fn one_of(
        &mut self,
        init: &syn::Expr,
        stmts: &mut Vec<Stmt>,
    ) -> Option<(OneOf, Option<Vec<syn::Expr>>)> {
        if let Some(choice) = self.indexed(init, stmts) {
            return Some((choice, None));
        }
        let mut functions = Vec::new();
        let which = numbered(init, &mut functions)?;
        if functions.len() < 2 {
            return None;
        }
        let options = self.options(functions.iter())?;
        let which = self.expr(&which);
        let which = self.which(which, stmts);
        let inputs = functions.iter().find_map(inputs_of);
        let choice = OneOf {
            which,
            options,
            inputs,
        };
        Some((choice, Some(functions)))
    }

    /// The same of boxed closures, with the value.
    pub(super) fn one_of_boxed(
        &mut self,
        init: &syn::Expr,
        stmts: &mut Vec<Stmt>,
    ) -> Option<(Callable, Expr)> {
        let (choice, functions) = self.one_of(init, stmts)?;
        let kept = self.function_chosen(&choice, &functions?);
        Some((Callable::OneOf(choice), kept))
    }

    /// The function that a constant of the body is.
    pub(super) fn constant_function(&mut self, path: &syn::ExprPath) -> Option<Callable> {
        let name = path.path.get_ident()?;
        let constant = self.items.iter().find_map(|item| match item {
            syn::Item::Const(item) if item.ident == *name => Some(item),
            _ => None,
        })?;
        let function = matches!(*constant.ty, syn::Type::FnPtr(_)) && is_function(&constant.expr);
        let expr = constant.expr.clone();
        let callable = || self.callable(&expr, &mut Vec::new());
        function.then(callable).flatten()
    }

    /// `table[i]`.
    pub(super) fn indexed(&mut self, source: &syn::Expr, stmts: &mut Vec<Stmt>) -> Option<OneOf> {
        let syn::Expr::Index(index) = stripped(source) else {
            return None;
        };
        let options = self.table_named(&index.expr)?;
        let positions = (0..options.len()).map(Literal::usize_suffixed);
        let index = &index.index;
        let which = self.expr(&syn::parse_quote!([#(#positions),*][#index]));
        let which = self.which(which, stmts);
        Some(OneOf {
            which,
            options,
            inputs: None,
        })
    }

    fn which(&mut self, which: Expr, stmts: &mut Vec<Stmt>) -> Var {
        let var = self.fixed_temporary("which", which.span);
        let usize = Some(syn::parse_quote!(::core::primitive::usize));
        stmts.push(typed(Pat::name(var), usize, which));
        var
    }

    fn table_named(&self, table: &syn::Expr) -> Option<Rc<[Callable]>> {
        let var = self.variable_named(stripped(table))?;
        self.tables.get(&var).cloned()
    }

    /// The functions of `[sin, cube]` or `vec![sin, cube]`, if all elements are.
    fn table(&mut self, list: &syn::Expr) -> Option<Rc<[Callable]>> {
        match list {
            syn::Expr::Array(array) if array.elems.len() > 1 => self.options(array.elems.iter()),
            syn::Expr::Macro(mac) if self.known_macro(&mac.mac) == "vec" => {
                let elems = Punctuated::<syn::Expr, syn::Token![,]>::parse_terminated;
                let elems = mac.mac.parse_body_with(elems).ok()?;
                self.options(elems.iter()).filter(|all| all.len() > 1)
            }
            _ => None,
        }
    }

    fn options<'a>(
        &mut self,
        functions: impl Iterator<Item = &'a syn::Expr>,
    ) -> Option<Rc<[Callable]>> {
        let mut stmts = Vec::new();
        let options = functions
            .map(|f| {
                let known = is_function(f)
                    .then(|| self.callable(unboxed(f), &mut stmts))
                    .flatten();
                known.filter(|_| stmts.is_empty())
            })
            .collect::<Option<Vec<_>>>()?;
        Some(options.into())
    }

    /// A call of a chosen function.
    pub(super) fn apply_choice(
        &mut self,
        choice: &OneOf,
        args: Vec<Expr>,
        span: Span,
        stmts: &mut Vec<Stmt>,
    ) -> Expr {
        let args: Vec<Var> = args
            .into_iter()
            .map(|arg| self.held("arg", arg, stmts))
            .collect();
        self.branch(choice, span, |parser, _, option| {
            let args = args.iter().map(|arg| parser.read(*arg, span)).collect();
            parser.apply(option, args, span)
        })
    }

    /// The function itself.
    fn function_chosen(&mut self, choice: &OneOf, functions: &[syn::Expr]) -> Expr {
        self.branch(choice, Span::call_site(), |parser, k, _| {
            parser.argument(&functions[k])
        })
    }

    /// `if which == 0 { .. } else if which == 1 { .. } else { .. }`.
    fn branch(
        &mut self,
        choice: &OneOf,
        span: Span,
        mut side: impl FnMut(&mut Self, usize, &Callable) -> Expr,
    ) -> Expr {
        let mut sides = choice.options.iter().enumerate().rev();
        let Some((k, last)) = sides.next() else {
            crate::diagnostics::bug!("a choice among nothing")
        };
        let last = side(self, k, last);
        sides.fold(last, |other, (k, option)| {
            let which = self.read(choice.which, span);
            let number = self.count(&k.to_string(), span);
            let cond = self.binary_of(BinaryOp::Eq, which, number);
            let then = side(self, k, option);
            self.either(cond, then, other)
        })
    }

    /// ```text
    /// Input:  for f in [sin, cube] { body }
    /// Output: { let table = [sin, cube]; for which in 0..2 { let f = table[which]; body } }
    /// ```
    pub(super) fn loop_over_functions(&mut self, expr: &syn::ExprForLoop) -> Option<syn::Expr> {
        let syn::Pat::Ident(f) = &*expr.pat else {
            return None;
        };
        let list = match &*expr.expr {
            syn::Expr::MethodCall(call)
                if call.args.is_empty()
                    && (call.method == "iter" || call.method == "into_iter") =>
            {
                &call.receiver
            }
            list => list,
        };
        let [table, which] =
            ["__table", "__which"].map(|name| Ident::new(name, Span::mixed_site()));
        let list = stripped(list);
        let (options, init, table) = match self.table_named(list) {
            Some(options) => (options, None, quote!(#list)),
            None => (
                self.table(list)?,
                Some(quote!(let #table = #list;)),
                quote!(#table),
            ),
        };
        let n = Literal::usize_suffixed(options.len());
        let (label, body, attrs) = (&expr.label, &expr.body.stmts, &expr.attrs);
        Some(syn::parse_quote! {{
            #init
            #(#attrs)*
            #label for #which in 0usize..#n { let #f = #table[#which]; #(#body)* }
        }})
    }
}

/// The name, type and value of a `let` of one variable that never changes.
fn plain_local(local: &syn::Local) -> Option<(&Ident, Option<&syn::Type>, &syn::Expr)> {
    let (pat, ty, init) = named_local(local)?;
    let fixed = pat.mutability.is_none();
    fixed.then_some((&pat.ident, ty, init))
}

/// The types of the arguments in `fn(f64) -> f64`.
fn inputs(ty: &syn::Type) -> Option<Inputs> {
    let syn::Type::FnPtr(ty) = ty else {
        return None;
    };
    let inputs = ty.inputs.iter().map(|input| Some(input.ty.clone()));
    Some(inputs.collect())
}

/// The same of a closure's parameters.
fn inputs_of(function: &syn::Expr) -> Option<Inputs> {
    let closure = closure_of(unboxed(function))?;
    let written = |input: &syn::Pat| match input {
        syn::Pat::Type(input) => Some((*input.ty).clone()),
        _ => None,
    };
    Some(closure.inputs.iter().map(written).collect())
}

/// The closure of `Box::new(closure)`, or else the function as it is.
fn unboxed(function: &syn::Expr) -> &syn::Expr {
    match stripped(function) {
        syn::Expr::Call(call) => boxed(call).map_or(function, unboxed),
        other => other,
    }
}

/// Returns `true` if an expression chooses among boxed closures.
pub(super) fn chooses_boxed(source: &syn::Expr) -> bool {
    let mut functions = Vec::new();
    let is_boxed = |f: &syn::Expr| matches!(f, syn::Expr::Call(_));
    numbered(source, &mut functions).is_some() && functions.iter().all(is_boxed)
}

/// Returns `true` if an expression is a closure, or a path that ends as functions' names do.
fn is_function(source: &syn::Expr) -> bool {
    match stripped(source) {
        syn::Expr::Closure(_) => true,
        syn::Expr::Call(call) => {
            boxed(call).is_some_and(|boxed| matches!(stripped(boxed), syn::Expr::Closure(_)))
        }
        syn::Expr::Path(path) => path.path.segments.last().is_some_and(|last| {
            let name = last.ident.to_string();
            name.trim_start_matches("r#")
                .starts_with(char::is_lowercase)
        }),
        _ => false,
    }
}

/// An `if` or `match` with numbers in place of its functions, which are put into a list.
fn numbered(source: &syn::Expr, functions: &mut Vec<syn::Expr>) -> Option<syn::Expr> {
    match source {
        syn::Expr::If(branch) => {
            let (_, other) = branch.else_branch.as_ref()?;
            let cond = &branch.cond;
            let before = functions.len();
            let then = numbered_block(&branch.then_branch, functions)?;
            let mut bound = Bound::default();
            bound.visit_expr(cond);
            if bound.is_used_by(&functions[before..]) {
                return None;
            }
            let other = match &**other {
                syn::Expr::Block(block) => numbered_block(&block.block, functions)?,
                other => numbered(other, functions)?,
            };
            Some(syn::parse_quote!(if #cond { #then } else { #other }))
        }
        syn::Expr::Match(choice) => {
            let mut choice = choice.clone();
            for arm in &mut choice.arms {
                let before = functions.len();
                *arm.body = match &*arm.body {
                    syn::Expr::Block(block) => numbered_block(&block.block, functions)?,
                    body => number(body, functions)?,
                };
                let mut bound = Bound::default();
                bound.visit_pat(&arm.pat);
                if bound.is_used_by(&functions[before..]) {
                    return None;
                }
                arm.comma = Some(syn::token::Comma::default());
            }
            Some(syn::Expr::Match(choice))
        }
        _ => None,
    }
}

/// The variables that patterns bind: they are in scope where a function is written only.
#[derive(Default)]
struct Bound(HashSet<String>);

impl Bound {
    fn is_used_by(&self, functions: &[syn::Expr]) -> bool {
        let is_bound = |word: &Ident| self.0.contains(&word.to_string());
        functions
            .iter()
            .any(|f| has_word(f.to_token_stream(), &is_bound))
    }
}

impl Visit<'_> for Bound {
    fn visit_pat_ident(&mut self, pat: &syn::PatIdent) {
        self.0.insert(pat.ident.to_string());
        visit::visit_pat_ident(self, pat);
    }

    fn visit_expr_closure(&mut self, _: &syn::ExprClosure) {}
}

fn numbered_block(block: &syn::Block, functions: &mut Vec<syn::Expr>) -> Option<syn::Expr> {
    match &block.stmts[..] {
        [syn::Stmt::Expr(only, None)] => number(only, functions),
        _ => None,
    }
}

fn number(function: &syn::Expr, functions: &mut Vec<syn::Expr>) -> Option<syn::Expr> {
    if !is_function(function) {
        return numbered(function, functions);
    }
    let k = Literal::usize_suffixed(functions.len());
    functions.push(function.clone());
    Some(syn::parse_quote!(#k))
}
