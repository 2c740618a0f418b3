//! What unit tests of several stages share.

use quote::quote;

use crate::emit::{Entry, emit_entry};
use crate::ir::{self, Func};
use crate::options::Options;
use crate::transform::{leave_nothing_moved, place_receivers};
use crate::{hir, lower, types};

/// A primal, from source.
pub(crate) fn primal(source: &str) -> Func {
    let item: syn::ItemFn = syn::parse_str(source).expect("the source is a function");
    let hir = hir::parse(
        &item.sig,
        &item.block,
        &hir::Surroundings::default(),
        &Options::default(),
    )
    .expect("a supported function");
    let types = types::resolve(&hir).expect("types");
    let func = place_receivers(leave_nothing_moved(
        lower::lower(&hir, &types).expect("lowered"),
    ));
    verified(func)
}

/// The function, if it satisfies the verifier.
pub(crate) fn verified(func: Func) -> Func {
    if let Err(message) = ir::verify(&func) {
        panic!("{message}\n{func}");
    }
    func
}

/// A rule as a user would read it, with the runtime's path as `rt`.
pub(crate) fn emitted(func: &Func, name: &str) -> String {
    let rt = quote!(rt);
    let entry = Entry {
        rt: &rt,
        vis: &syn::Visibility::Inherited,
        name: quote::format_ident!("{name}"),
        generics: &syn::Generics::default(),
        outer: &[],
        receiver: None,
        boxed: false,
        sendable: false,
        dual: name.ends_with("frule"),
        with: &[],
    };
    let tokens = emit_entry(func, &entry);
    let file = syn::parse2(tokens).expect("emitted code parses");
    prettyplease::unparse(&file)
}
