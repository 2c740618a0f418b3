//! Parallel iterators of `rayon`: each chain becomes a function of its own, whose rules run on several threads.
//!
//! Input: a function, and its body with chains of parallel iterators. Output: the body with calls in their place, and for each chain two functions
//! with hidden rules: the *block*, a sequential chain over parts of the lists, which is compiled like any function; and the *loop*, whose rules run
//! those of the block (`surface::parallel`).
//!
//! ```text
//! // Input:
//! fn f(mu: f64, #[constant] data: &[f64]) -> f64 { data.par_iter().map(|y| (y - mu) * (y - mu)).sum::<f64>() }
//!
//! // Output:
//! fn __block_0_of_f(__part_0: &[f64], mu: &f64) -> f64 { let mu = *mu; __part_0.iter().map(|y| (y - mu) * (y - mu)).sum::<f64>() }
//! fn __loop_0_of_f(__part_0: &[f64], mu: &f64) -> f64 { .. }
//! // and the rules are those of
//! fn f(mu: f64, data: &[f64]) -> f64 { Self::__loop_0_of_f(&data[..], &mu) }
//! ```
//!
//! The functions have signatures, so the types of what a chain uses have to be known: they are found in the function with sequential chains.
//!
//! So all passes see plain loops. An operation of the IR for parallel loops would have to be understood by every pass, and its emission
//! would have to prove to rustc that threads write to disjoint parts. The rules run on blocks of a fixed number of items, and shadows are
//! added in a tree of fixed shape, so results don't depend on the number of threads (`ad-runtime/src/parallel.rs`). The rule of a sum runs
//! the combined rule of each block with the cotangent one: nothing is kept but the gradient.

mod probe;
mod syntax;

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::{Block, Expr, Signature};

use self::probe::{Probed, captures, ends, level, probe_name, probed, written};
use self::syntax::{Chain, Chunks, Kind, range_names, replace};
use super::associated::{Context, on_surface};
use super::primitive::primal;
use super::rules::{Rules, rules_as_configured};
use super::source::{Emitted, Source, compile_signature};
use crate::attributes::strip;
use crate::diagnostics::{Whole, error};
use crate::emit::{allows, unraw};
use crate::enclosing::has_word;
use crate::ir::{PassedBy, Rule};
use crate::options::Options;
use crate::std_model::PARALLEL;
use crate::surface::Surface;
use crate::surface::parallel::{End, Parallel, Role};
use crate::syntax::renamed;
use crate::transform::{Shape, reverse};
use crate::types::Type;

/// A body in which calls stand in the place of chains, and the rules of what is called.
pub(super) struct Outlined {
    pub(super) block: Block,
    pub(super) rules: Rules,
}

/// Takes the chains of parallel iterators out of a function, if there are any.
pub(super) fn outlined(options: &Options, source: &Source<'_>) -> syn::Result<Option<Outlined>> {
    let body = source.block;
    let is_begin = |word: &Ident| word == "rayon" || PARALLEL.iter().any(|begin| word == begin);
    if !cfg!(feature = "rayon") || !has_word(quote!(#body), &is_begin) {
        return Ok(None);
    }
    let mut found = source.block.clone();
    let mut is_parallel = false;
    replace(&mut found, level(source), &mut |chain| {
        is_parallel = true;
        Ok(chain.sequential)
    })?;
    if !is_parallel {
        return Ok(None);
    }
    if source.in_trait || source.emitted == Emitted::Rules {
        return Err(error(
            source.sig.ident.span(),
            "parallel iterators in methods of traits and in operators are not supported in differentiable functions",
            "write them in a function, and call it here",
        ));
    }
    let probed = probed(options, source)?;
    let mut block = source.block.clone();
    let (mut items, mut errors) = (TokenStream::new(), TokenStream::new());
    let mut k = 0;
    replace(&mut block, level(source), &mut |chain| {
        let outline = Outline::new(source, &probed, &chain, k)?;
        k += 1;
        let (more, failed) = outline.rules(options, source)?;
        items.extend(more);
        errors.extend(failed);
        Ok(outline.call)
    })?;
    let errors = (!errors.is_empty()).then_some(errors);
    Ok(Some(Outlined {
        block,
        rules: (items, errors),
    }))
}

/// The two functions of a chain.
struct Outline {
    call: Expr,
    of_loop: Signature,
    of_block: Signature,
    body: Block,
    roles: Vec<Role>,
    end: End,
    counted: bool,
    /// Calls that compile if the methods are those of `rayon`.
    checks: Vec<TokenStream>,
}

impl Outline {
    fn new(source: &Source<'_>, probed: &Probed, chain: &Chain, k: usize) -> syn::Result<Self> {
        let name = unraw(&source.sig.ident);
        refuse_items(source.block, chain)?;
        let mut params = Params {
            lets: items_of(source.block),
            ..Params::default()
        };
        let checks = chain.sources.iter().filter_map(|list| check(chain, list));
        let checks = checks.collect();
        for list in &chain.sources {
            let ty = probed.ty(&probe_name(k, &list.name.to_string()));
            match (list.kind, &list.list) {
                (Kind::Range, Expr::Range(range)) => {
                    let (start, end) = ends(range)?;
                    let int = match ty.peeled() {
                        Type::Int(int) => format_ident!("{int}"),
                        _ => return Err(unknown(Whole(range), "the range")),
                    };
                    let [from, to] = range_names(&list.name);
                    params.add(quote!(#from: #int), quote!(#start), Role::Start);
                    params.add(quote!(#to: #int), quote!(#end), Role::End);
                }
                (Kind::List { mutable, chunks }, expr) => {
                    let Some(item) = ty.element().and_then(written) else {
                        return Err(unknown(Whole(expr), "this list"));
                    };
                    let param = probed.param(&probe_name(k, &list.name.to_string()));
                    let constant = param.filter(|param| param.constant);
                    let constant = constant.map(|_| quote!(#[constant]));
                    let (part, mutability) = (&list.name, mutable.then(|| quote!(mut)));
                    let chunks =
                        chunks.map(|Chunks { size, exact }| (chain.sizes[size].0.clone(), exact));
                    params.add(
                        quote!(#constant #part: &#mutability [#item]),
                        quote!(&#mutability #expr[..]),
                        Role::List { mutable, chunks },
                    );
                }
                _ => crate::diagnostics::bug!("a range that is none"),
            }
        }
        for (size, expr) in &chain.sizes {
            params.add(quote!(#size: usize), quote!(#expr), Role::Whole);
        }
        if let Some(least) = &chain.least {
            let name = chain.name("least");
            params.add(quote!(#name: usize), quote!(#least), Role::Least);
        }
        for capture in captures(chain, &probed.bound) {
            if chain.sizes.iter().any(|(size, _)| *size == capture) {
                continue;
            }
            params.capture(source, probed, &capture, k)?;
        }
        let result = probed.ty(&probe_name(k, "result"));
        let end = match (chain.end, &result) {
            (End::Sum, Type::Int(_)) => End::Count,
            (End::Sum, ty) if !ty.is_float() && !matches!(ty, Type::Deferred) => {
                return Err(error(
                    chain.span,
                    "parallel sums of anything but numbers are not supported in differentiable functions",
                    "collect the items to a `Vec`, and add them up in a loop",
                ));
            }
            (End::List, ty) if !matches!(ty, Type::Vec(_) | Type::Deferred) => {
                return Err(error(
                    chain.span,
                    "parallel iterators are collected to a `Vec` only in differentiable functions",
                    "collect to a `Vec`, and convert it in a loop",
                ));
            }
            (end, _) => end,
        };
        let output = |ty: &Type| match written(ty) {
            _ if chain.end == End::Nothing => Ok(TokenStream::new()),
            Some(ty) => Ok(quote!(-> #ty)),
            None => Err(unknown(chain.span, "the result")),
        };
        let output_of_block = output(&match &result {
            Type::Tuple(halves) if chain.end == End::Pair => {
                let halves = halves.iter().cloned();
                Type::Tuple(halves.map(|half| Type::Option(half.into())).collect())
            }
            result => result.clone(),
        })?;
        let output = output(&result)?;
        let [of_loop, of_block] = ["loop", "block"].map(|of| format_ident!("__{of}_{k}_of_{name}"));
        let (generics, _, clause) = source.sig.generics.split_for_impl();
        let arguments = crate::surface::arguments(&source.sig.generics);
        let turbofish = (!arguments.is_empty()).then(|| quote!(::<#(#arguments),*>));
        let Params {
            of_loop: loop_params,
            of_block: block_params,
            args,
            lets,
            roles,
            this,
        } = params;
        let first = chain.counted.then(|| {
            let first = chain.first();
            quote!(#first: usize,)
        });
        let sequential = &chain.sequential;
        let sequential = quote!(#sequential);
        let sequential: Expr = syn::parse2(if this {
            renamed(sequential, "self", "__this")
        } else {
            sequential
        })?;
        Ok(Outline {
            call: syn::parse_quote!(Self::#of_loop #turbofish(#(#args),*)),
            of_loop: syn::parse_quote!(fn #of_loop #generics(#(#loop_params),*) #output #clause),
            of_block: syn::parse_quote!(fn #of_block #generics(#first #(#block_params),*) #output_of_block #clause),
            body: match chain.end {
                End::Nothing => syn::parse_quote!({ #(#lets)* #sequential; }),
                _ => syn::parse_quote!({ #(#lets)* #sequential }),
            },
            roles,
            end,
            counted: chain.counted,
            checks,
        })
    }

    /// Both functions with their rules.
    fn rules(&self, options: &Options, source: &Source<'_>) -> syn::Result<Rules> {
        let of_block = Source {
            vis: &syn::Visibility::Inherited,
            sig: &self.of_block,
            block: &self.body,
            method: true,
            emitted: Emitted::Hidden,
            ..*source
        };
        let (mut items, errors) = rules_as_configured(options, &of_block);
        items.extend(written_out(&self.of_block, &self.body));
        let func = compile_signature(options, &of_block)?;
        let rt = options.runtime();
        let of = Surface::new(
            &func,
            &rt,
            of_block.vis,
            &self.of_block.generics,
            source.outer,
            None,
            true,
        );
        let body = super::source::unreachable_block();
        let of_loop = Source {
            sig: &self.of_loop,
            block: &body,
            ..of_block
        };
        let func = primal::caller(options, &of_loop, Rule::Active)?;
        let own = &primal::with_own_rules(options, &of_loop);
        items.extend(on_surface(own, &of_loop, &func, &|surface| {
            let rules = Parallel {
                surface,
                of: &of,
                roles: &self.roles,
                end: self.end,
                counted: self.counted,
            };
            let context = Context {
                options: own,
                source: &of_loop,
                surface,
                boxed: false,
            };
            let mut items = context.item("frule", true, &rules.frule());
            let order = crate::surface::hidden::Order::First;
            items.extend(context.item("rrule", false, &rules.reverse(order)));
            let order = crate::surface::hidden::Order::Second;
            items.extend(context.item("rrule_frule", true, &rules.reverse(order)));
            if surface.may_be_scalar() {
                items.extend(context.combined(reverse(&func, Shape::Combined)));
            }
            let (primal, checks) = (rules.primal(), &self.checks);
            let used = items_of(source.block);
            let body = syn::parse_quote!({
                #(#used)*
                #(let _ = || #rt::parallel::begins::#checks;)*
                #primal
            });
            items.extend(written_out(&self.of_loop, &body));
            items
        }));
        Ok((items, errors))
    }
}

/// The items of a body that chains may use.
fn items_of(block: &Block) -> Vec<TokenStream> {
    let items = block.stmts.iter().filter_map(|stmt| match stmt {
        syn::Stmt::Item(item @ (syn::Item::Use(_) | syn::Item::Const(_))) => Some(quote!(#item)),
        _ => None,
    });
    items.collect()
}

/// Functions and types of a body aren't there outside of it.
fn refuse_items(block: &Block, chain: &Chain) -> syn::Result<()> {
    let chain = &chain.sequential;
    let mut items = block.stmts.iter().filter_map(|stmt| match stmt {
        syn::Stmt::Item(syn::Item::Fn(item)) => Some(&item.sig.ident),
        syn::Stmt::Item(syn::Item::Struct(item)) => Some(&item.ident),
        syn::Stmt::Item(syn::Item::Enum(item)) => Some(&item.ident),
        syn::Stmt::Item(syn::Item::Type(item)) => Some(&item.ident),
        syn::Stmt::Item(syn::Item::Static(item)) => Some(&item.ident),
        _ => None,
    });
    match items.find(|name| has_word(quote!(#chain), &|word| word == *name)) {
        None => Ok(()),
        Some(name) => Err(error(
            name.span(),
            format!("`{name}` is declared in the function, and a parallel iterator uses it"),
            "declare it outside of the function",
        )),
    }
}

/// A call that compiles if the method by which a chain begins is that of `rayon`.
fn check(chain: &Chain, list: &syntax::Source) -> Option<TokenStream> {
    let (method, mut part) = (list.begins.as_ref()?, list.name.clone());
    let at = Span::call_site().located_at(method.span());
    part.set_span(at);
    Some(match list.kind {
        Kind::Range => {
            let [from, to] = range_names(&part);
            quote_spanned!(at=> into_par_iter((#from..#to).#method()))
        }
        Kind::List { mutable, chunks } => {
            let size = chunks.map(|chunks| &chain.sizes[chunks.size].0);
            let of = match (chunks, mutable) {
                (None, false) => format_ident!("par_iter"),
                (None, true) => format_ident!("par_iter_mut"),
                (Some(_), _) => method.clone(),
            };
            quote_spanned!(at=> #of(#part.#method(#size)))
        }
    })
}

/// The parameters of the two functions.
#[derive(Default)]
struct Params {
    of_loop: Vec<TokenStream>,
    of_block: Vec<TokenStream>,
    args: Vec<TokenStream>,
    /// What the block's body begins with.
    lets: Vec<TokenStream>,
    roles: Vec<Role>,
    /// `self` is among them, under another name.
    this: bool,
}

impl Params {
    fn add(&mut self, param: TokenStream, arg: TokenStream, role: Role) {
        if role != Role::Least {
            self.of_block.push(param.clone());
        }
        self.of_loop.push(param);
        self.args.push(arg);
        self.roles.push(role);
    }

    /// A variable of the function, which both get by reference.
    fn capture(
        &mut self,
        source: &Source<'_>,
        probed: &Probed,
        name: &Ident,
        chain: usize,
    ) -> syn::Result<()> {
        if name == "self" {
            let Some(own) = source.surroundings.self_ty else {
                return Err(unknown(name.span(), "`self`"));
            };
            self.this = true;
            let this = this();
            let receiver = source.sig.receiver().map(|receiver| &receiver.kind);
            let arg = match receiver {
                Some(syn::ReceiverKind::Reference(..)) => quote!(self),
                _ => quote!(&self),
            };
            self.add(quote!(#this: &#own), arg, Role::Whole);
            return Ok(());
        }
        let probe = probe_name(chain, &name.to_string());
        let ty = probed.ty(&probe);
        if let Type::Function(_) = ty.peeled() {
            return Err(error(
                name.span(),
                format!(
                    "`{name}` is a closure, which a parallel iterator can't use in a differentiable function"
                ),
                "write its body here, or write a function with `#[differentiable]`",
            ));
        }
        let param = probed.param(&probe);
        let declared = param.map(|param| &param.ty).map(|ty| quote!(#ty));
        let Some(target) = declared.or_else(|| written(ty.peeled())) else {
            return Err(unknown(name.span(), &format!("`{name}`")));
        };
        let is_reference = match param {
            Some(param) => param.by != PassedBy::Value,
            None => matches!(ty, Type::Ref(..)),
        };
        let constant = param.filter(|param| param.constant);
        let constant = constant.map(|_| quote!(#[constant]));
        let arg = if is_reference {
            quote!(&*#name)
        } else {
            quote!(&#name)
        };
        if !is_reference && ty.lower().is_copy() {
            self.lets.push(quote!(let #name = *#name;));
        }
        self.add(quote!(#constant #name: &#target), arg, Role::Whole);
        Ok(())
    }
}

fn unknown(mark: impl crate::diagnostics::Mark, what: &str) -> syn::Error {
    error(
        mark,
        format!("the macro doesn't know the type of {what}, which a parallel iterator uses"),
        "write the type: `let name: Type = ..`",
    )
}

/// The name of `self` in the functions of a chain.
fn this() -> Ident {
    Ident::new("__this", Span::call_site())
}

/// A function, so that rustc checks it as it is written.
pub(super) fn written_out(sig: &Signature, block: &Block) -> TokenStream {
    let (mut sig, allow) = (sig.clone(), allows());
    strip(&mut sig);
    quote! {
        #[doc(hidden)]
        #allow
        #[allow(dead_code)]
        #sig #block
    }
}
