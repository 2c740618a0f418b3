//! A function on its way through the compiler: the facts that an entry point has about it, and its IR.

use syn::{Block, GenericArgument, ImplItem, ImplItemFn, ItemImpl, Signature, Visibility};

use crate::attributes::strip_function;
use crate::emit::Threads;
use crate::enclosing::Siblings;
use crate::hir::{self, Surroundings};
use crate::ir::Func;
use crate::options::Options;
use crate::{pipeline, types, unseen};

/// A function or method, wherever it stands.
#[derive(Clone, Copy)]
pub(crate) struct Source<'a> {
    pub(crate) vis: &'a Visibility,
    pub(crate) sig: &'a Signature,
    pub(crate) block: &'a Block,
    /// The item around it, where that is known.
    pub(crate) surroundings: Surroundings<'a>,
    /// The parameters of the surrounding `impl` or trait.
    pub(crate) outer: &'a [GenericArgument],
    pub(crate) method: bool,
    pub(crate) threads: Threads,
    /// It is a method of a trait.
    pub(crate) in_trait: bool,
    pub(crate) emitted: Emitted,
}

/// Which items are made for a function.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Emitted {
    /// Rules, modes and drivers.
    All,
    /// The same for a function whose signature isn't the primal's, except for drivers that call the primal.
    Stubs,
    /// The hidden rules and the modes.
    Hidden,
    /// The hidden rules: the rest is the trait's.
    Rules,
}

impl<'a> Source<'a> {
    /// A private function of which nothing else is known.
    pub(crate) fn new(sig: &'a Signature, block: &'a Block) -> Self {
        Source {
            vis: &Visibility::Inherited,
            sig,
            block,
            surroundings: Surroundings::default(),
            outer: &[],
            method: false,
            threads: Threads::IfBoxed,
            in_trait: false,
            emitted: Emitted::All,
        }
    }
}

/// From syntax to the primal.
pub(crate) fn compile(options: &Options, source: &Source<'_>) -> syn::Result<Func> {
    let here = |surroundings: &Surroundings<'_>| {
        options.types.begin();
        let hir = hir::parse(source.sig, source.block, surroundings, options)?;
        let types = types::resolve(&hir)?;
        pipeline::primal(&hir, &types)
    };
    let surroundings = &source.surroundings;
    let calling = surroundings.siblings.and_then(Siblings::without_bodies);
    let func = match (here(surroundings), calling) {
        // A function whose body can't replace the call can still be called.
        (Err(_), Some(siblings)) => here(&Surroundings {
            siblings: Some(&siblings),
            ..*surroundings
        }),
        (result, _) => result,
    };
    let generics = [Some(&source.sig.generics), surroundings.generics];
    func.map(|func| unseen::checked(func, options, generics, source.outer))
}

/// The function without its body: only the parameters and the result type of its IR mean something.
pub(crate) fn compile_signature(options: &Options, source: &Source<'_>) -> syn::Result<Func> {
    let block = &unreachable_block();
    compile(options, &Source { block, ..*source })
}

/// A body of any type.
pub(super) fn unreachable_block() -> Block {
    syn::parse_quote!({ ::core::unreachable!() })
}

pub(super) fn methods_mut(block: &mut ItemImpl) -> impl Iterator<Item = &mut ImplItemFn> {
    block.items.iter_mut().filter_map(|item| match item {
        ImplItem::Fn(method) => Some(method),
        _ => None,
    })
}

/// Removes `#[constant]` and `#[checkpoint]` from the methods of an `impl`.
pub(super) fn strip_methods(block: &mut ItemImpl) {
    methods_mut(block).for_each(|method| {
        strip_function(&mut method.sig, &mut method.block);
    });
}
