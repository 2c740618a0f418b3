//! The user's function with names resolved: the output of [`parse`] for the syntax tree.
//!
//! - Every binding has a [`Var`], so shadowing is solved here.
//! - `match` has become `if` on conditions, `while` has become `loop`, macros that std defines have been read.
//! - Code that the compiler has no operation for is [`ExprKind::Verbatim`], with the variables that it mentions: whether that is
//!   an error depends on activity, which is known only after types are.
//! - Every expression has an [`ExprId`], under which its type is found, and its source, for code that is emitted verbatim.

mod argument;
mod arrays;
mod borrowing;
mod build;
mod cases;
mod chain;
mod checkpoint;
mod choice;
mod closure;
mod destructured;
mod expr;
mod function;
mod get_or_insert;
mod guards;
mod item_patterns;
mod items;
mod lets;
mod library;
mod macros;
mod mapped;
mod matches;
pub(crate) mod matrices;
mod mentions;
mod parse;
mod pattern;
mod prelude;
mod signature;
mod stmt;
#[cfg(test)]
mod tests;
mod try_operator;
mod unused;
mod visit;

pub(crate) use chain::{is_limit, is_list_check, is_of_lists, only_consumes};
pub(crate) use closure::{bare, depth};
pub(crate) use expr::{assigns, begins_parallel};
pub(crate) use function::parameter as function_parameter;
pub(crate) use items::{is_dereferenced, is_taken_as_reference};
pub(crate) use mentions::{bound_names, free_names};
pub(crate) use parse::{Surroundings, parse};
pub(crate) use signature::{sibling, takes_functions};
pub(crate) use unused::drop_unused;
pub(crate) use visit::{Part, end_of, payload_of, split_of};

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use proc_macro2::{Ident, Span};

use crate::diagnostics::{Mark, Whole};
use crate::enclosing::{Callees, FileTypes, Siblings};
use crate::ir::{BinaryOp, FunctionType, PassedBy, UnaryOp};
use crate::options::Options;
use crate::syntax::type_path;
use crate::types::Declared;

/// A binding; an index into [`Func::vars`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct Var(pub(crate) u32);

/// Names an expression in side tables.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct ExprId(pub(crate) u32);

/// A loop or labelled block that `break` and `continue` may name.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct Scope(pub(crate) u32);

#[derive(Clone, Debug)]
pub(crate) struct VarData {
    pub(crate) ident: Ident,
    pub(crate) mutable: bool,
    /// Made by the compiler: verbatim code can't mention it.
    pub(crate) synthetic: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct Func {
    pub(crate) name: Ident,
    pub(crate) params: Vec<Param>,
    /// As written; `()` where there is none.
    pub(crate) output: syn::Type,
    pub(crate) vars: Vec<VarData>,
    /// How many expressions there are.
    pub(crate) exprs: u32,
    /// How many scopes there are.
    pub(crate) scopes: u32,
    pub(crate) body: Block,
    /// Items declared in the body.
    pub(crate) items: Vec<syn::Item>,
    /// Names in patterns that may not match, which have to be bindings.
    pub(crate) tested_names: Vec<Ident>,
    /// Constants whose type is written in reach: const generics, and constants and statics declared in the body.
    pub(crate) constants: Vec<(String, syn::Type)>,
    /// Closures, which go where nothing mentions them.
    pub(crate) droppable: HashSet<Var>,
    /// Blocks that push the collected items to a list, or to two. The type of the result is only known from the context.
    pub(crate) collects: HashSet<ExprId>,
    /// Arrays of a library whose elements a method visits in an order that depends on their place in memory.
    pub(crate) unordered: HashSet<ExprId>,
    /// Variables that hold a copy of a view of a matrix, and may be used by value any number of times.
    pub(crate) view_copies: HashSet<Var>,
    /// Type parameters and types declared in the body.
    pub(crate) hidden_types: Declared,
    /// The type of the `impl`, where it is known.
    pub(crate) self_ty: Option<syn::Type>,
    /// Methods of that type that return references to parts of it, and their result types.
    pub(crate) borrow_sources: Vec<(String, syn::Type)>,
    /// The methods of the same `impl` that take `&self`.
    pub(crate) readers: Vec<String>,
    /// The other items of its module.
    pub(crate) siblings: Siblings,
    /// The called functions, as the file declares them.
    pub(crate) callees: Callees,
    /// The types, as the file declares them.
    pub(crate) file_types: FileTypes,
    /// Names that it doesn't bind may be variables that it captures.
    pub(crate) captures: bool,
    /// The file imports `nalgebra`: a `map` of something unknown may be a matrix's.
    pub(crate) matrices: bool,
    /// How methods are read that are inlined, if there are any.
    pub(crate) inlining: Option<Inlining>,
}

/// The options and the memory of inlining.
#[derive(Clone, Debug)]
pub(crate) struct Inlining {
    pub(crate) options: Rc<Options>,
    /// The methods that this one is inlined in.
    pub(crate) inside: Vec<String>,
    /// The methods that have been lowered; `None` for one that can't be inlined.
    pub(crate) made: Rc<RefCell<HashMap<String, Option<Rc<crate::ir::Func>>>>>,
}

#[derive(Clone, Debug)]
pub(crate) struct Param {
    pub(crate) ident: Ident,
    /// As written, without the outer reference.
    pub(crate) ty: syn::Type,
    pub(crate) by: PassedBy,
    /// The lifetime of the outer reference, if the result may have it.
    pub(crate) lifetime: Option<syn::Lifetime>,
    pub(crate) constant: bool,
    /// A variable of the surroundings of a differentiated closure: a constant of a type that rustc knows.
    pub(crate) captured: bool,
    pub(crate) receiver: bool,
    pub(crate) function: Option<Rc<FunctionType>>,
    pub(crate) pat: Pat,
}

#[derive(Clone, Debug)]
pub(crate) struct Closure {
    /// With their types, where these are written.
    pub(crate) params: Vec<(Pat, Option<syn::Type>)>,
    pub(crate) body: Expr,
    /// It owns its captures.
    pub(crate) is_move: bool,
    pub(crate) captures: Vec<Mention>,
}

#[derive(Clone, Debug)]
pub(crate) struct Block {
    pub(crate) stmts: Vec<Stmt>,
    pub(crate) value: Option<Box<Expr>>,
    pub(crate) span: Span,
}

impl Block {
    /// A block without a value.
    pub(crate) fn statements(stmts: Vec<Stmt>, span: Span) -> Self {
        let value = None;
        Block { stmts, value, span }
    }

    pub(crate) fn with_value(stmts: Vec<Stmt>, value: Expr, span: Span) -> Self {
        let value = Some(Box::new(value));
        Block { stmts, value, span }
    }

    /// A block without statements.
    pub(crate) fn of(value: Expr) -> Self {
        let span = value.span;
        Block::with_value(Vec::new(), value, span)
    }
}

#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "most statements are expressions")]
pub(crate) enum Stmt {
    Let(Box<Let>),
    Expr(Expr),
}

#[derive(Clone, Debug)]
pub(crate) struct Let {
    pub(crate) pat: Pat,
    pub(crate) ty: Option<syn::Type>,
    pub(crate) init: Option<Expr>,
    pub(crate) span: Span,
}

#[derive(Clone, Debug)]
pub(crate) enum Pat {
    Wild,
    /// `x`, `mut x`; `ref x` and `ref mut x` with their mutability.
    Bind {
        var: Var,
        by_ref: Option<bool>,
    },
    /// `x @ pattern`.
    At(Var, Box<Pat>),
    /// With the position of `..`, if any.
    Tuple {
        elems: Vec<Pat>,
        rest: Option<usize>,
    },
    /// `[a, b]`.
    Slice(Vec<Pat>),
    /// `[a, rest @ .., z]`, of a list that is long enough.
    Ends {
        front: Vec<Pat>,
        middle: Box<Pat>,
        back: Vec<Pat>,
    },
    /// `&pattern`.
    Ref(Box<Pat>),
    /// `Path { field: pattern, .. }` or `Path(pattern, ..)`, of a struct.
    Struct {
        fields: Vec<(syn::Member, Pat)>,
    },
    /// The same of a value that may be a variant of an enum, which has been tested.
    Variant {
        path: syn::Path,
        fields: Vec<(syn::Member, Pat)>,
    },
}

#[derive(Clone, Debug)]
pub(crate) struct Expr {
    pub(crate) id: ExprId,
    pub(crate) kind: ExprKind,
    pub(crate) span: Span,
    /// `None` for expressions that the compiler made, and for those that are never emitted verbatim.
    pub(crate) source: Option<Rc<syn::Expr>>,
}

/// A variable that verbatim code mentions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Mention {
    pub(crate) var: Var,
    pub(crate) access: Access,
}

impl Mention {
    pub(crate) fn read(var: Var) -> Self {
        let access = Access::Read;
        Mention { var, access }
    }
}

/// Accesses of verbatim code to a variable. The stronger is the greater.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Access {
    Read,
    /// Calls a method that may take `&mut self`, unless the variable is a scalar.
    Method,
    Write,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Logic {
    And,
    Or,
}

/// The type of verbatim code's result, as far as it is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Outcome {
    Unit,
    Never,
    Bool,
    /// A type that has no tangent, such as `String`.
    Inactive,
    Unknown,
}

/// Code that is emitted as it was written, if no active value goes through it.
#[derive(Clone, Debug)]
pub(crate) struct Verbatim {
    pub(crate) mentions: Vec<Mention>,
    /// Reads the variables that it mentions, but its result doesn't depend on them: `println!("{x}")`.
    pub(crate) inspects: bool,
    pub(crate) outcome: Outcome,
    /// The reason why it can't be differentiated, and a replacement.
    pub(crate) why: (String, String),
    pub(crate) code: Code,
}

impl Verbatim {
    /// Code that the compiler makes: no result of it is differentiated.
    pub(crate) fn inspecting(mentions: Vec<Mention>, outcome: Outcome, code: Code) -> Self {
        Verbatim {
            mentions,
            inspects: true,
            outcome,
            why: (String::new(), String::new()),
            code,
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) enum Code {
    Expr(Rc<syn::Expr>),
    Macro(syn::Macro),
    /// A test if the first mention matches a pattern that binds nothing.
    Matches(Box<syn::Pat>),
}

#[derive(Clone, Debug)]
pub(crate) enum ExprKind {
    /// Digits without suffix, and the suffix.
    Float(String, Option<String>),
    Int(String, Option<String>),
    Bool(bool),
    Unit,
    Var(Var),
    /// A constant, static or function.
    Path(syn::ExprPath),
    Unary(UnaryOp, Box<Expr>),
    Deref(Box<Expr>),
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// The comparison of a variable, or of its target, with a literal or constant, as a pattern does it.
    Test(BinaryOp, Box<Expr>, Box<Expr>),
    Logic(Logic, Box<Expr>, Box<Expr>),
    Assign(Box<Expr>, Box<Expr>),
    AssignOp(BinaryOp, Box<Expr>, Box<Expr>),
    /// `_` on the left of an assignment.
    Hole,
    Field(Box<Expr>, syn::Member),
    Index(Box<Expr>, Box<Expr>),
    /// A range, in an index.
    Range {
        lo: Option<Box<Expr>>,
        hi: Option<Box<Expr>>,
        inclusive: bool,
    },
    Ref(bool, Box<Expr>),
    Tuple(Vec<Expr>),
    /// `[a, b]`, or `vec![a, b]`.
    Array {
        elems: Vec<Expr>,
        vec: bool,
    },
    /// `[x; n]`.
    Repeat(Box<Expr>, Rc<syn::Expr>),
    /// `vec![x; n]`.
    RepeatVec(Box<Expr>, Box<Expr>),
    Struct {
        path: syn::Path,
        /// It may be a variant of an enum: `Some(x)`, `Shape::Circle { radius }`.
        variant: bool,
        fields: Vec<(syn::Member, Expr)>,
        base: Option<Box<Expr>>,
    },
    /// `Box::new(x)`.
    Boxed(Box<Expr>),
    /// A pointer where rustc makes one to a trait object of it. Of which, the type says, if it is known.
    Coerce(Box<Expr>),
    Call {
        path: syn::ExprPath,
        args: Vec<Expr>,
    },
    Method {
        receiver: Box<Expr>,
        name: Ident,
        turbofish: Option<syn::AngleBracketedGenericArguments>,
        args: Vec<Expr>,
    },
    /// A call of a variable that is a function.
    Apply(Var, Vec<Expr>),
    Closure(Box<Closure>),
    Cast(Box<Expr>, syn::Type),
    /// A `usize` as an integer of the type that the context tells, as that of a literal.
    Position(Box<Expr>),
    /// How many integers there are from the first one up to the second one, which isn't less, as a `usize`.
    Distance(Box<Expr>, Box<Expr>),
    If {
        cond: Box<Expr>,
        then: Block,
        other: Option<Block>,
    },
    Block(Block, Option<Scope>),
    For {
        scope: Scope,
        pat: Pat,
        head: Box<Iterable>,
        body: Block,
        /// Set by the rewriting of exits: the variable that ends the loop.
        stop: Option<Var>,
    },
    Loop {
        scope: Scope,
        body: Block,
        stop: Option<Var>,
        /// Written `while`.
        is_while: bool,
    },
    /// `head.map(|pat| body).collect()`.
    Collect {
        pat: Pat,
        head: Box<Iterable>,
        body: Block,
    },
    /// `receiver.map(f)`, which types will tell to be a `match` of an `Option`, [`ExprKind::Collect`] of an array, or any
    /// other method.
    Map(Box<MapCall>),
    /// The neutral element of a sum or product, with which std begins.
    Neutral(BinaryOp),
    Break(Scope, Option<Box<Expr>>),
    Continue(Scope),
    Return(Option<Box<Expr>>),
    Verbatim(Box<Verbatim>),
    /// The initial value of a variable that is assigned before it is read.
    Undef,
}

/// The parts of `receiver.map(f)`, and of other methods that take closures: `receiver.map_or(x, f)`.
#[derive(Clone, Debug)]
pub(crate) struct MapCall {
    /// Of `x.as_ref()`, this is `&x`.
    pub(crate) receiver: Expr,
    /// `as_ref` and the like, where the receiver is a call of it.
    pub(crate) view: Option<Ident>,
    pub(crate) name: Ident,
    /// As the method takes them.
    pub(crate) args: Vec<Expr>,
    /// All functions among the arguments are closures.
    pub(crate) written: bool,
    /// The code where a value is present.
    pub(crate) some: Option<Arm>,
    /// The code where no value is present, or for an error.
    pub(crate) none: Option<Arm>,
}

impl MapCall {
    /// Returns `true` if the first argument is a value: `map_or(x, f)`, `then_some(x)`.
    pub(crate) fn has_value(&self) -> bool {
        self.name == "map_or" || self.name == "then_some"
    }
}

/// The body of a closure that a method takes, and the value that its parameter is bound to.
#[derive(Clone, Debug)]
pub(crate) struct Arm {
    pub(crate) var: Option<Var>,
    pub(crate) body: Block,
}

/// The iterator of a `for`.
#[derive(Clone, Debug)]
pub(crate) enum Iterable {
    Range {
        lo: Box<Expr>,
        hi: Box<Expr>,
        inclusive: bool,
        adapters: Vec<Adapter>,
    },
    /// `&x`, `&mut x`, `x.iter()`, `x.iter_mut()`, `x`: by the expression's type, or as `mutable` says.
    Elements {
        of: Box<Expr>,
        access: Elements,
    },
    Chunks {
        of: Box<Expr>,
        size: Box<Expr>,
        kind: Chunks,
        mutable: bool,
    },
    /// `lo..`.
    Count(Box<Expr>),
    Enumerate(Box<Iterable>),
    Zip(Box<Iterable>, Box<Iterable>),
    Rev(Box<Iterable>),
    Skip(Box<Iterable>, Box<Expr>),
    Take(Box<Iterable>, Box<Expr>),
    StepBy(Box<Iterable>, Box<Expr>),
    /// An iterator that isn't known.
    Unknown(Box<Expr>),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Elements {
    /// `.iter()`.
    Shared,
    /// `.iter_mut()`.
    Mut,
    /// By the type: `for v in x`, `x.into_iter()`.
    Own,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Chunks {
    /// The last may be shorter.
    All,
    Exact,
    Windows,
}

#[derive(Clone, Debug)]
pub(crate) enum Adapter {
    Rev,
    StepBy(Box<Expr>),
    /// `#[checkpoint(k)]` on the loop.
    Checkpoint(Box<Expr>),
}

/// The type and the name of an associated function: `Own::new`.
pub(crate) fn of_type(path: &syn::ExprPath) -> Option<(syn::Type, &Ident)> {
    let mut segments = path.path.segments.iter();
    let (Some(own), Some(name), None) = (segments.next(), segments.next(), segments.next()) else {
        return None;
    };
    let plain = path.qself.is_none() && own.arguments.is_none() && name.arguments.is_none();
    let own = &own.ident;
    plain.then(|| (syn::parse_quote!(#own), &name.ident))
}

impl Func {
    pub(crate) fn var(&self, var: Var) -> &VarData {
        &self.vars[var.0 as usize]
    }

    pub(crate) fn new_scope(&mut self) -> Scope {
        self.scopes += 1;
        Scope(self.scopes - 1)
    }

    /// The body, which is put back after it is rewritten.
    pub(crate) fn take_body(&mut self) -> Block {
        let span = self.body.span;
        std::mem::replace(&mut self.body, Block::statements(Vec::new(), span))
    }

    pub(crate) fn new_var(&mut self, name: &str, span: Span, mutable: bool) -> Var {
        let ident = Ident::new(name, span.resolved_at(Span::mixed_site()));
        self.vars.push(VarData {
            ident,
            mutable,
            synthetic: true,
        });
        Var(index(self.vars.len() - 1))
    }
}

impl Mark for &Expr {
    /// Of control flow, the keyword is enough.
    fn ends(&self) -> (Span, Span) {
        use syn::Expr as E;
        match self.source.as_deref() {
            None | Some(E::If(_) | E::While(_) | E::Match(_) | E::ForLoop(_) | E::Unsafe(_)) => {
                self.span.ends()
            }
            Some(source) => Whole(source).ends(),
        }
    }
}

impl Iterable {
    /// `lo..hi`
    pub(crate) fn between(lo: Expr, hi: Expr) -> Self {
        Iterable::Range {
            lo: Box::new(lo),
            hi: Box::new(hi),
            inclusive: false,
            adapters: Vec::new(),
        }
    }
}

impl ExprKind {
    /// `if cond { then } else { other }`
    pub(crate) fn branch(cond: Expr, then: Block, other: Option<Block>) -> Self {
        let cond = Box::new(cond);
        ExprKind::If { cond, then, other }
    }

    /// `for pat in head { body }`
    pub(crate) fn run(scope: Scope, pat: Pat, head: Iterable, body: Block) -> Self {
        ExprKind::For {
            scope,
            pat,
            head: Box::new(head),
            body,
            stop: None,
        }
    }

    /// `while true { body }`
    pub(crate) fn endless(scope: Scope, body: Block) -> Self {
        ExprKind::Loop {
            scope,
            body,
            stop: None,
            is_while: true,
        }
    }

    /// `!of`
    pub(crate) fn not(of: Expr) -> Self {
        ExprKind::Unary(UnaryOp::Not, Box::new(of))
    }

    /// `vec![]`
    pub(crate) fn empty_list() -> Self {
        let elems = Vec::new();
        ExprKind::Array { elems, vec: true }
    }

    /// `Some(value)`, or another variant of an enum
    pub(crate) fn variant(path: syn::Path, value: Expr) -> Self {
        ExprKind::Struct {
            path,
            variant: true,
            fields: vec![(syn::Member::from(0), value)],
            base: None,
        }
    }

    /// `receiver.name(args)`
    pub(crate) fn method(receiver: Expr, name: Ident, args: Vec<Expr>) -> Self {
        ExprKind::Method {
            receiver: Box::new(receiver),
            name,
            turbofish: None,
            args,
        }
    }
}

impl Stmt {
    /// `let pat = init;`.
    pub(crate) fn bind(pat: Pat, init: Expr, span: Span) -> Stmt {
        Stmt::Let(Box::new(Let {
            pat,
            ty: None,
            init: Some(init),
            span,
        }))
    }

    /// The variable of `let var;`.
    pub(crate) fn declared(&self) -> Option<Var> {
        match self {
            Stmt::Let(stmt) if stmt.init.is_none() => match stmt.pat {
                Pat::Bind { var, .. } => Some(var),
                _ => None,
            },
            _ => None,
        }
    }
}

impl Pat {
    /// `var`.
    pub(crate) fn name(var: Var) -> Pat {
        Pat::Bind { var, by_ref: None }
    }
}

/// The name of a written result if that is an `Option` or a `Result`.
fn written_output(ty: &syn::Type) -> Option<&'static str> {
    let path = type_path(crate::types::written::ungrouped(ty))?;
    let last = path.path.segments.last()?;
    ["Option", "Result"]
        .into_iter()
        .find(|name| last.ident == name)
}

/// An index of a table. No function has four thousand million variables.
pub(crate) fn index(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}
