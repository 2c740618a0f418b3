//! Helpers of the unit tests of several stages.

use quote::quote;

use crate::emit::{Entry, emit_entry, emit_wide};
use crate::ir::{Adapter, Func, OpKind};
use crate::options::Options;
use crate::transform::Shape;
use crate::{hir, pipeline, types};

/// A function that stands alone.
pub(crate) fn parsed(source: &str) -> syn::Result<hir::Func> {
    let item: syn::ItemFn = syn::parse_str(source)?;
    let surroundings = hir::Surroundings::default();
    hir::parse(&item.sig, &item.block, &surroundings, &Options::default())
}

/// A primal, from source.
pub(crate) fn primal(source: &str) -> Func {
    let hir = parsed(source).expect("a supported function");
    let types = types::resolve(&hir).expect("types");
    pipeline::primal(&hir, &types).expect("lowered")
}

/// How many loops of a function's combined rule take several trips at once.
pub(crate) fn stepping_loops(source: &str) -> usize {
    let rule = pipeline::reverse_rule(&primal(source), Shape::Combined);
    let mut found = 0;
    pipeline::for_emission(&rule).walk(&mut |op| {
        if let OpKind::For { range, .. } = &op.kind {
            found += usize::from(matches!(range.adapters.last(), Some(Adapter::StepBy(_))));
        }
    });
    found
}

/// A rule as a user would read it, with the runtime's path as `rt`.
pub(crate) fn emitted(func: &Func, name: &str) -> String {
    emitted_by(emit_entry, func, name)
}

/// The same of a rule in several directions.
pub(crate) fn emitted_wide(func: &Func, name: &str) -> String {
    emitted_by(emit_wide, func, name)
}

fn emitted_by(
    emit: fn(&Func, &Entry<'_>) -> proc_macro2::TokenStream,
    func: &Func,
    name: &str,
) -> String {
    let (rt, generics) = (quote!(rt), syn::Generics::default());
    let entry = Entry {
        dual: name.ends_with("frule"),
        ..Entry::new(&rt, quote::format_ident!("{name}"), &generics)
    };
    let tokens = emit(func, &entry);
    let file = syn::parse2(tokens).expect("emitted code parses");
    prettyplease::unparse(&file)
}
