//! Entry of the stage, and the state that its parts share: scopes, fresh identities, errors.
//!
//! Input: a signature and a body. Output: [`Func`], in which every name is resolved.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use proc_macro2::{Ident, Span, TokenStream};
use syn::spanned::Spanned;
use syn::visit_mut::VisitMut;

use super::borrowing::Borrowing;
use super::chain::{Chain, NextItem};
use super::closure::{Callable, Returns};
use super::stmt::Items;
use super::unused;
use super::{
    Code, Expr, ExprId, ExprKind, Func, Inlining, Outcome, Param, Pat, Scope, Var, VarData,
    Verbatim, index, mentions, signature,
};
use crate::diagnostics::{Errors, Mark, error};
use crate::enclosing::{Callees, FileTypes, ForeignFloats, Siblings, views};
use crate::ir::PassedBy;
use crate::options::Options;
use crate::syntax::path_of;
use crate::types::Declared;

/// The context of a function.
#[derive(Clone, Copy, Default)]
pub(crate) struct Surroundings<'a> {
    /// The type of the `impl`, where it is known.
    pub(crate) self_ty: Option<&'a syn::Type>,
    /// The parameters of the `impl` or trait.
    pub(crate) generics: Option<&'a syn::Generics>,
    /// The methods of the `impl` that return references to parts of `self`, and their result types.
    pub(crate) borrow_sources: &'a [(String, syn::Type)],
    /// The methods beside it that take `&self`.
    pub(crate) readers: &'a [String],
    /// The other items of its module.
    pub(crate) siblings: Option<&'a Siblings>,
    /// It is a closure: a name that it doesn't bind may be a variable that it captures.
    pub(crate) captures: bool,
}

impl<'a> Surroundings<'a> {
    /// Those of a method of an `impl`.
    pub(crate) fn of_impl(block: &'a syn::ItemImpl) -> Self {
        Surroundings {
            self_ty: Some(&block.self_ty),
            generics: Some(&block.generics),
            ..Surroundings::default()
        }
    }

    /// How functions and methods are read that are inlined, if there are any.
    fn inlining(&self, options: &Options) -> Option<Inlining> {
        let has_bodies = self.siblings.is_some_and(Siblings::have_operations);
        has_bodies.then(|| Inlining {
            options: Rc::new(options.clone()),
            inside: Vec::new(),
            made: Rc::default(),
        })
    }
}

/// Resolves names and reads the supported subset of the language; everything that is rejected for its form alone is rejected here.
pub(crate) fn parse(
    sig: &syn::Signature,
    block: &syn::Block,
    surroundings: &Surroundings<'_>,
    options: &Options,
) -> syn::Result<Func> {
    let borrow_sources = surroundings.borrow_sources.iter();
    let siblings = surroundings.siblings.cloned().unwrap_or_default();
    let mut block = options.imports.in_full(surroundings.generics, sig, block);
    let siblings = if siblings.have_borrowing() {
        let borrowing = Borrowing::new(&siblings, surroundings.self_ty);
        borrowing.of_function(sig).visit_block_mut(block.to_mut());
        siblings.configured(|body| borrowing.of_closure(body).visit_expr_closure_mut(body))
    } else {
        siblings
    };
    let views = views(sig);
    if !views.is_empty() {
        block.to_mut().stmts.splice(0..0, views);
    }
    let block = &*block;
    let items = Items::of(block);
    let mut parser = Parser {
        borrow_sources: borrow_sources.map(|(name, _)| name.clone()).collect(),
        hidden_types: Declared::with_aliases(siblings.aliases())
            .with_constants(options.types.constants()),
        file_types: options.types.clone(),
        capitals: options.capitals.clone(),
        foreign_floats: options.imports.foreign_floats.clone(),
        own_macros: options.imports.own_macros.clone(),
        declaring: options.imports.declaring.clone(),
        imported: options.imports.by_name(block),
        matrices: options.imports.matrices,
        runtime: options.runtime(),
        makes_borrowing: options.callees.makes_borrowing(block),
        callees: options.callees.clone(),
        siblings: siblings.without(&items.names()),
        calls_nothing: super::closure::calls_nothing(options),
        ruled_elsewhere: options.ruled_elsewhere(),
        captured: surroundings.captures.then(Vec::new),
        ..Parser::default()
    };
    parser.scopes.push(Vec::new());
    signature::reject(sig, &mut parser.errors);
    super::matrices::refuse_views(sig, &mut parser);
    super::signature::refuse_objects(sig, block, &mut parser);
    surroundings
        .generics
        .into_iter()
        .for_each(|generics| signature::generics(generics, &mut parser));
    signature::generics(&sig.generics, &mut parser);
    let mut params = signature::params(sig, surroundings.self_ty, &mut parser);
    signature::result(sig, &mut parser);
    let output = match &sig.output {
        syn::ReturnType::Default => syn::parse_quote!(()),
        syn::ReturnType::Type(_, ty) => (**ty).clone(),
    };
    super::macros::refuse_cfg(&sig.ident, block, &mut parser);
    items.refuse_inner(sig, block, &mut parser.errors);
    parser.returns.push(output.clone());
    let collected = parser.ending_in_collect(block);
    let mut body = parser.block(collected.as_ref().unwrap_or(block));
    unused::drop_unused(&mut body, &parser.droppable);
    parser.refuse_steps(&body);
    params.extend(parser.captured.take().into_iter().flatten());
    let view_copies = super::matrices::named_copies(&body, &parser.view_copies);
    let func = Func {
        name: sig.ident.clone(),
        params,
        output,
        vars: parser.vars,
        exprs: parser.exprs,
        scopes: parser.scope_count,
        body,
        items: parser.items,
        tested_names: super::mentions::tested_names(block),
        constants: parser.constants,
        droppable: parser.droppable,
        collects: parser.collects,
        unordered: parser.unordered,
        view_copies,
        hidden_types: parser.hidden_types,
        self_ty: surroundings.self_ty.cloned(),
        borrow_sources: surroundings.borrow_sources.to_vec(),
        readers: surroundings.readers.to_vec(),
        siblings: parser.siblings,
        callees: parser.callees,
        file_types: parser.file_types,
        captures: surroundings.captures,
        inlining: surroundings.inlining(options),
        matrices: parser.matrices,
    };
    parser.errors.finish(func)
}

/// A loop or labelled block around the code that is being parsed.
#[derive(Clone)]
pub(super) struct Label {
    pub(super) name: Option<Ident>,
    /// The target of `break`.
    pub(super) scope: Scope,
    /// The target of `continue`.
    pub(super) next: Scope,
    pub(super) is_loop: bool,
}

#[derive(Default)]
pub(super) struct Parser {
    pub(super) vars: Vec<VarData>,
    /// Bindings in reach, innermost last.
    pub(super) scopes: Vec<Vec<(String, Var)>>,
    pub(super) labels: Vec<Label>,
    /// The variables that the rules of a closure capture; `None` in a function.
    pub(super) captured: Option<Vec<Param>>,
    pub(super) exprs: u32,
    pub(super) scope_count: u32,
    pub(super) items: Vec<syn::Item>,
    pub(super) constants: Vec<(String, syn::Type)>,
    /// The paths of functions that are imported by name: rules are found by these.
    pub(super) imported: HashMap<String, syn::Path>,
    /// The types that variables are written with.
    pub(super) written: HashMap<Var, syn::Type>,
    /// Variables that are made as arrays of `ndarray`.
    pub(super) arrays: HashSet<Var>,
    /// Parameters that are functions.
    pub(super) functions: Vec<Var>,
    pub(super) hidden_types: Declared,
    pub(super) errors: Errors,
    /// The result types of the function and of the closures around this point, as written.
    pub(super) returns: Vec<syn::Type>,
    /// Variables whose calls are known.
    pub(super) callables: HashMap<Var, Callable>,
    /// Variables that are tables of functions.
    pub(super) tables: HashMap<Var, Rc<[Callable]>>,
    /// Variables that hold an element and the rest of a list, if there are any.
    pub(super) splits: HashSet<Var>,
    /// Names of tuples of fixed variables.
    pub(super) tuples: HashMap<Var, Expr>,
    /// Variables whose definition only verbatim code may need.
    pub(super) collects: std::collections::HashSet<ExprId>,
    pub(super) unordered: std::collections::HashSet<ExprId>,
    /// Variables that `once` and `repeat` return again, and that are references.
    pub(super) repeated_references: HashSet<Var>,
    /// Copies of views of matrices.
    pub(super) view_copies: HashSet<ExprId>,
    pub(super) droppable: HashSet<Var>,
    /// The remainders of chunks, by the variable that holds the chunks.
    pub(super) remainders: HashMap<Var, Var>,
    /// Variables that hold an iterator, which is inserted where they are used.
    pub(super) lazies: HashMap<Var, Chain>,
    /// Names of items that may be absent.
    pub(super) maybes: HashMap<Var, NextItem>,
    /// Variables of the parser's own that never change.
    pub(super) fixed: HashSet<Var>,
    /// Those of them that are integers.
    pub(super) counters: HashSet<Var>,
    /// How many closures have been looked up by name: code that calls them so can't be verbatim.
    pub(super) named: usize,
    /// Methods of the same `impl` that return references.
    pub(super) borrow_sources: Vec<String>,
    /// Functions whose names begin with a capital.
    pub(super) capitals: Vec<String>,
    /// Traits of floats that have no derivatives.
    pub(super) foreign_floats: ForeignFloats,
    /// The function makes values with lifetimes.
    pub(super) makes_borrowing: bool,
    /// The types, as the file declares them.
    pub(super) file_types: FileTypes,
    /// Macros that may not be those of std.
    pub(super) own_macros: HashSet<String>,
    /// Macros that declare names where they are called.
    pub(super) declaring: HashSet<String>,
    /// The file imports `nalgebra`, and has no functions of its own with the names of its views.
    pub(super) matrices: bool,
    /// The path of the runtime's hidden module.
    pub(super) runtime: TokenStream,
    /// How many views have been written.
    pub(super) views: usize,
    /// Names of functions and types, as the file declares them.
    pub(super) callees: Callees,
    /// How many calls have become bodies.
    pub(super) bodies: usize,
    /// Set inside of a closure's body.
    pub(super) leaves: Option<Returns>,
    /// The other items of the function's module.
    pub(super) siblings: Siblings,
    /// The functions of the same module that are being inlined, and how many tokens of such there have been.
    pub(super) in_place: Vec<String>,
    pub(super) in_place_length: usize,
    /// No calls are wanted: derivatives of third order don't go through them.
    pub(super) calls_nothing: bool,
    /// Functions whose rules the caller finds elsewhere.
    pub(super) ruled_elsewhere: Vec<String>,
}

impl Parser {
    /// Binds `ident` from here to the end of the innermost scope.
    pub(super) fn declare(&mut self, ident: &Ident, mutable: bool) -> Var {
        let var = self.new_var(VarData {
            ident: ident.clone(),
            mutable,
            synthetic: false,
        });
        if let Some(scope) = self.scopes.last_mut() {
            scope.push((ident.to_string(), var));
        }
        var
    }

    /// A variable that the user can't name.
    pub(super) fn temporary(&mut self, name: &str, span: Span) -> Var {
        let ident = Ident::new(name, span.resolved_at(Span::mixed_site()));
        self.new_var(VarData {
            ident,
            mutable: false,
            synthetic: true,
        })
    }

    /// A variable that the user can't name, and that never changes.
    pub(super) fn fixed_temporary(&mut self, name: &str, span: Span) -> Var {
        let var = self.temporary(name, span);
        self.fixed.insert(var);
        var
    }

    /// A variable that a differentiated closure captures. Constants and functions of its surroundings have longer or other names:
    /// `self::f`, `LIMIT`.
    pub(super) fn capture(&mut self, ident: &Ident) -> Option<Var> {
        let name = ident.to_string();
        if self.captured.is_none() || name.starts_with(char::is_uppercase) {
            return None;
        }
        let var = self.new_var(VarData {
            ident: ident.clone(),
            mutable: false,
            synthetic: false,
        });
        self.scopes[0].push((name, var));
        let param = Param {
            ident: ident.clone(),
            ty: syn::parse_quote!(_),
            by: PassedBy::Value,
            lifetime: None,
            constant: true,
            captured: true,
            receiver: false,
            function: None,
            pat: Pat::Bind { var, by_ref: None },
        };
        self.captured.get_or_insert_default().push(param);
        Some(var)
    }

    fn new_var(&mut self, data: VarData) -> Var {
        self.vars.push(data);
        Var(index(self.vars.len() - 1))
    }

    /// The variable that an expression names.
    pub(super) fn variable_named(&self, source: &syn::Expr) -> Option<Var> {
        let path = path_of(source)?;
        self.lookup(&path.path.get_ident()?.to_string())
    }

    pub(super) fn lookup(&self, name: &str) -> Option<Var> {
        let mut bindings = self
            .scopes
            .iter()
            .rev()
            .flat_map(|scope| scope.iter().rev());
        bindings
            .find(|(bound, _)| bound == name)
            .map(|(_, var)| *var)
    }

    /// Runs `f` in a scope of its own.
    pub(super) fn scoped<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        self.scopes.push(Vec::new());
        let result = f(self);
        self.scopes.pop();
        result
    }

    /// Runs `f` inside of a loop or labelled block.
    pub(super) fn labelled<T>(
        &mut self,
        label: Option<&syn::Label>,
        is_loop: bool,
        f: impl FnOnce(&mut Self, Scope) -> T,
    ) -> T {
        let scope = Scope(self.scope_count);
        self.scope_count += 1;
        let name = label.map(|label| label.name.ident.clone());
        self.labels.push(Label {
            name,
            scope,
            next: scope,
            is_loop,
        });
        let result = f(self, scope);
        self.labels.pop();
        result
    }

    /// An expression that is never emitted verbatim.
    pub(super) fn node(&mut self, kind: ExprKind, span: Span) -> Expr {
        let id = ExprId(self.exprs);
        self.exprs += 1;
        Expr {
            id,
            kind,
            span,
            source: None,
        }
    }

    /// An expression with its source.
    pub(super) fn sourced(&mut self, kind: ExprKind, source: &syn::Expr) -> Expr {
        let mut expr = self.node(kind, focus(source));
        expr.source = Some(Rc::new(source.clone()));
        expr
    }

    /// Code that is an error if an active value goes through it, and verbatim else.
    pub(super) fn verbatim(
        &mut self,
        source: &syn::Expr,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Expr {
        let mentions = mentions::of_expr(source, self);
        self.refuse_exits(source);
        let verbatim = Verbatim {
            mentions,
            inspects: false,
            outcome: Outcome::Unknown,
            why: (message.into(), help.into()),
            code: Code::Expr(Rc::new(source.clone())),
        };
        self.sourced(ExprKind::Verbatim(Box::new(verbatim)), source)
    }

    /// Code that is verbatim, whose control must not leave it.
    fn refuse_exits(&mut self, source: &syn::Expr) {
        for (span, what) in mentions::exits(source) {
            self.error(
                span,
                format!("{what} out of code that is not differentiated is not supported yet"),
                "bind the code's result with `let`, and leave by `if` on it",
            );
        }
    }

    pub(super) fn error(
        &mut self,
        mark: impl Mark,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        self.errors.push(error(mark, message.into(), help.into()));
    }

    /// Reports an error and goes on with a unit value.
    pub(super) fn rejected(
        &mut self,
        mark: impl Mark,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Expr {
        let (span, _) = mark.ends();
        self.error(mark, message, help);
        self.node(ExprKind::Unit, span)
    }
}

/// The token that locates an expression in emitted code, and in rustc's messages about it: an operator, a method's
/// name, else the first.
fn focus(source: &syn::Expr) -> Span {
    match source {
        syn::Expr::Binary(binary) => binary.op.span(),
        syn::Expr::MethodCall(call) => call.method.span(),
        syn::Expr::Cast(cast) => cast.as_token.span,
        other => other.span(),
    }
}
