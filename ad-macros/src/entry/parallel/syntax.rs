//! Chains of parallel iterators, as syntax.
//!
//! Input: a body. Output: its chains, each with the lists it runs over, and the same chain of sequential iterators over a part of each list.
//!
//! ```text
//! data.par_iter().zip(&w).map(|(y, w)| w * (y - mu)).sum::<f64>()
//! --> lists data, w; __part_0.iter().zip(__part_1.iter()).map(|(y, w)| w * (y - mu)).sum::<f64>()
//! ```

use proc_macro2::{Ident, Span};
use quote::format_ident;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::visit_mut::{self, VisitMut};
use syn::{Block, Expr, ExprMethodCall};

use crate::diagnostics::{Errors, error};
use crate::hir::{bare, begins_parallel};
use crate::std_model::PARALLEL;
use crate::surface::parallel::End;

const ADAPTERS: &str =
    "`map`, `zip`, `enumerate`, `filter`, `filter_map`, `copied`, `cloned`, `with_min_len`";
const ENDS: &str = "`sum`, `sum_in_order`, `count`, `for_each` and `collect`";

/// A list or range that a chain runs over.
#[derive(Clone, Debug)]
pub(super) struct Source {
    pub(super) list: Expr,
    pub(super) name: Ident,
    pub(super) kind: Kind,
    /// The method by which the chain begins with it.
    pub(super) begins: Option<Ident>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    List {
        mutable: bool,
        /// Each item is a chunk.
        chunks: Option<Chunks>,
    },
    Range,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Chunks {
    /// Which of the chain's sizes.
    pub(super) size: usize,
    /// A last chunk that is shorter is left out.
    pub(super) exact: bool,
}

#[derive(Clone, Debug)]
pub(super) struct Chain {
    /// How many chains there are around it.
    pub(super) level: usize,
    pub(super) span: Span,
    pub(super) sources: Vec<Source>,
    /// The sizes of chunks.
    pub(super) sizes: Vec<(Ident, Expr)>,
    /// The least number of items in a block.
    pub(super) least: Option<Expr>,
    /// The position of a block's first item is needed.
    pub(super) counted: bool,
    pub(super) sequential: Expr,
    /// Another expression that has the type of the result.
    pub(super) item: Option<Expr>,
    pub(super) end: End,
}

/// The names of the ends of a block's part of a range.
pub(super) fn range_names(name: &Ident) -> [Ident; 2] {
    ["from", "to"].map(|end| format_ident!("{name}_{end}"))
}

/// The chains of a body, each replaced by what `replace` makes of it. `level` tells the names in chains from those in the chains around it.
pub(super) fn replace(
    block: &mut Block,
    level: usize,
    replace: &mut dyn FnMut(Chain) -> syn::Result<Expr>,
) -> syn::Result<()> {
    let mut chains = Chains {
        level,
        errors: Errors::default(),
        replace,
    };
    chains.visit_block_mut(block);
    chains.errors.finish(())
}

struct Chains<'a> {
    level: usize,
    errors: Errors,
    replace: &'a mut dyn FnMut(Chain) -> syn::Result<Expr>,
}

impl VisitMut for Chains<'_> {
    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        match expr {
            Expr::MethodCall(call) if begins_parallel(call) && !has_ended(&call.receiver) => {
                match chain(call, self.level).and_then(|chain| (self.replace)(chain)) {
                    Ok(new) => *expr = new,
                    Err(error) => self.errors.push(error),
                }
            }
            Expr::Call(call) if is_join(call) => {
                match join(call, self.level).and_then(|chain| (self.replace)(chain)) {
                    Ok(new) => *expr = new,
                    Err(error) => self.errors.push(error),
                }
            }
            other => visit_mut::visit_expr_mut(self, other),
        }
    }

    fn visit_item_mut(&mut self, _: &mut syn::Item) {}
}

/// `rayon::join`.
fn is_join(call: &syn::ExprCall) -> bool {
    let Expr::Path(path) = bare(&call.func) else {
        return false;
    };
    let mut segments = path.path.segments.iter().rev();
    segments.next().is_some_and(|last| last.ident == "join")
        && segments.next().is_some_and(|krate| krate.ident == "rayon")
}

/// `rayon::join(|| a, || b)` as a chain over two items, which make halves of the result.
fn join(call: &syn::ExprCall, level: usize) -> syn::Result<Chain> {
    let args: Vec<&Expr> = call.args.iter().map(bare).collect();
    let [Expr::Closure(left), Expr::Closure(right)] = args[..] else {
        return Err(error(
            crate::diagnostics::Whole(call),
            "`join` of anything but two closures is not supported in differentiable functions",
            "write `rayon::join(|| .., || ..)`",
        ));
    };
    let mut chain = Chain::new(level, call.span(), End::Pair);
    let both: Expr = syn::parse_quote!((0usize..2usize));
    chain.source(bare(&both), Kind::Range, None);
    let [from, _] = range_names(&chain.sources[0].name);
    let (left, right) = (&left.body, &right.body);
    chain.item = Some(syn::parse_quote!((#left, #right)));
    chain.sequential = syn::parse_quote! {
        if #from == 0 {
            (::core::option::Option::Some(#left), ::core::option::Option::None)
        } else {
            (::core::option::Option::None, ::core::option::Option::Some(#right))
        }
    };
    Ok(chain)
}

/// What ends a chain.
fn end(method: &Ident) -> Option<End> {
    match method.to_string().as_str() {
        "sum" | "sum_in_order" => Some(End::Sum),
        "for_each" => Some(End::Nothing),
        "collect" => Some(End::List),
        "count" => Some(End::Count),
        _ => None,
    }
}

/// True if what a method is called on is the result of a whole chain.
fn has_ended(receiver: &Expr) -> bool {
    match bare(receiver) {
        Expr::MethodCall(call) => end(&call.method).is_some() || has_ended(&call.receiver),
        _ => false,
    }
}

fn chain(call: &ExprMethodCall, level: usize) -> syn::Result<Chain> {
    let name = call.method.to_string();
    let Some(end) = end(&call.method) else {
        return Err(if PARALLEL.contains(&name.as_str()) {
            error(
                call.method.span(),
                "a parallel iterator that isn't used where it is made is not supported in differentiable functions",
                format!("write the whole chain in one expression, up to {ENDS}"),
            )
        } else {
            unsupported(&call.method)
        });
    };
    let mut chain = Chain::new(level, call.method.span(), end);
    let receiver = chain.iterator(&call.receiver)?;
    let in_order = name == "sum_in_order";
    if in_order {
        // The order that `SumInOrder` describes, which no adapter changes.
        chain.least = None;
        chain.item = Some(syn::parse_quote!(#receiver.last().unwrap()));
    }
    let mut sequential = call.clone();
    *sequential.receiver = receiver;
    if in_order {
        sequential.method = Ident::new("sum", call.method.span());
    }
    chain.sequential = Expr::MethodCall(sequential);
    Ok(chain)
}

fn unsupported(method: &Ident) -> syn::Error {
    error(
        method.span(),
        format!("`{method}` of parallel iterators is not supported in differentiable functions"),
        format!("supported are {ADAPTERS} and, at the end, {ENDS}"),
    )
}

impl Chain {
    fn new(level: usize, span: Span, end: End) -> Self {
        Chain {
            level,
            span,
            sources: Vec::new(),
            sizes: Vec::new(),
            least: None,
            counted: false,
            sequential: Expr::PLACEHOLDER,
            item: None,
            end,
        }
    }

    /// A name of its own.
    pub(super) fn name(&self, name: &str) -> Ident {
        format_ident!("__{name}_{}", self.level)
    }

    /// The name of the position of a block's first item.
    pub(super) fn first(&self) -> Ident {
        self.name("first")
    }

    /// The sequential iterator of a parallel one.
    fn iterator(&mut self, expr: &Expr) -> syn::Result<Expr> {
        let Expr::MethodCall(call) = bare(expr) else {
            return Err(error(
                crate::diagnostics::Whole(expr),
                "only chains that begin with a parallel iterator over a list or a range are supported in differentiable functions",
                "begin the chain with `par_iter`, `par_iter_mut`, `par_chunks`, `par_chunks_mut`, or `(a..b).into_par_iter()`",
            ));
        };
        let name = call.method.to_string();
        let begins = Some(call.method.clone());
        let list = |mutable| Kind::List {
            mutable,
            chunks: None,
        };
        match name.as_str() {
            "par_iter" => Ok(self.source(&call.receiver, list(false), begins)),
            "par_iter_mut" => Ok(self.source(&call.receiver, list(true), begins)),
            "into_par_iter" => match bare(&call.receiver) {
                Expr::Range(_) => Ok(self.source(bare(&call.receiver), Kind::Range, begins)),
                Expr::Reference(reference) => {
                    let mutable = reference.mutability.is_some();
                    Ok(self.source(&reference.expr, list(mutable), begins))
                }
                _ => Err(error(
                    call.method.span(),
                    "`into_par_iter` of a list that is passed by value is not supported in differentiable functions",
                    "write `par_iter()`, or `par_iter_mut()`",
                )),
            },
            "par_chunks" | "par_chunks_mut" | "par_chunks_exact" | "par_chunks_exact_mut" => {
                let Some(size) = call.args.first() else {
                    return Err(unsupported(&call.method));
                };
                let chunks = Chunks {
                    size: self.sizes.len(),
                    exact: name.contains("exact"),
                };
                let size_name = self.name(&format!("size_{}", self.sizes.len()));
                self.sizes.push((size_name, size.clone()));
                let kind = Kind::List {
                    mutable: name.ends_with("mut"),
                    chunks: Some(chunks),
                };
                Ok(self.source(&call.receiver, kind, begins))
            }
            "map" | "filter" | "filter_map" | "copied" | "cloned" => self.adapted(call),
            "with_min_len" if call.args.len() == 1 => {
                self.least = call.args.first().cloned();
                self.iterator(&call.receiver)
            }
            "enumerate" => {
                let inner = self.adapted(call)?;
                self.counted = true;
                let first = self.first();
                Ok(syn::parse_quote!(
                    #inner.map(|(__position, __item)| (__position + #first, __item))
                ))
            }
            "zip" if call.args.len() == 1 => {
                let mut zipped = call.clone();
                *zipped.receiver = self.iterator(&call.receiver)?;
                let arg = &call.args[0];
                zipped.args[0] = match bare(arg) {
                    Expr::Reference(reference) => {
                        self.source(&reference.expr, list(reference.mutability.is_some()), None)
                    }
                    Expr::Range(_) => self.source(bare(arg), Kind::Range, None),
                    Expr::Path(_) | Expr::Field(_) => self.source(arg, list(false), None),
                    _ => self.iterator(arg)?,
                };
                Ok(Expr::MethodCall(zipped))
            }
            _ => Err(unsupported(&call.method)),
        }
    }

    /// The same call of a sequential iterator.
    fn adapted(&mut self, call: &ExprMethodCall) -> syn::Result<Expr> {
        let mut call = call.clone();
        *call.receiver = self.iterator(&call.receiver)?;
        Ok(Expr::MethodCall(call))
    }

    /// The sequential iterator over a part of a list.
    fn source(&mut self, list: &Expr, kind: Kind, begins: Option<Ident>) -> Expr {
        let name = self.name(&format!("part_{}", self.sources.len()));
        let iterator = match kind {
            Kind::Range => {
                let [from, to] = range_names(&name);
                syn::parse_quote!((#from..#to))
            }
            Kind::List {
                mutable,
                chunks: None,
            } => {
                let iter = format_ident!("iter{}", if mutable { "_mut" } else { "" });
                syn::parse_quote!(#name.#iter())
            }
            Kind::List {
                mutable,
                chunks: Some(Chunks { size, exact }),
            } => {
                let (exact, mutable) = (
                    if exact { "_exact" } else { "" },
                    if mutable { "_mut" } else { "" },
                );
                let (chunks, size) = (format_ident!("chunks{exact}{mutable}"), &self.sizes[size].0);
                syn::parse_quote!(#name.#chunks(#size))
            }
        };
        self.sources.push(Source {
            list: list.clone(),
            name,
            kind,
            begins,
        });
        iterator
    }
}

/// The names that a body binds, anywhere.
pub(super) fn names_bound_in(block: &Block) -> Vec<String> {
    struct Bound(Vec<String>);
    impl<'ast> Visit<'ast> for Bound {
        fn visit_pat_ident(&mut self, pat: &'ast syn::PatIdent) {
            self.0.push(pat.ident.to_string());
            visit::visit_pat_ident(self, pat);
        }
    }
    let mut bound = Bound(Vec::new());
    bound.visit_block(block);
    bound.0
}
