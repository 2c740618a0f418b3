//! Lowering, on printed operations and by comparison with rustc.

mod agree;
mod chains;
mod constructs;
mod interpret;
mod rejected;
mod verbatim;

use crate::ir::Func;
use crate::options::Options;
use crate::{hir, ir, lower, types};

/// Lowers and verifies a function.
fn lowered(source: &str) -> syn::Result<Func> {
    let item: syn::ItemFn = syn::parse_str(source)?;
    let self_ty: syn::Type = syn::parse_quote!(Model);
    let hir = hir::parse(
        &item.sig,
        &item.block,
        &hir::Surroundings {
            self_ty: Some(&self_ty),
            ..hir::Surroundings::default()
        },
        &Options::default(),
    )?;
    let types = types::resolve(&hir)?;
    let func = lower::lower(&hir, &types)?;
    ir::verify(&func).map_err(|broken| syn::Error::new(broken.span, broken.message))?;
    Ok(func)
}

/// The operations that a function becomes, or the errors.
fn printed(source: &str) -> String {
    match lowered(source) {
        Ok(func) => func.to_string(),
        Err(errors) => {
            let all: Vec<String> = errors
                .into_iter()
                .map(|e| format!("error: {e}\n"))
                .collect();
            all.concat()
        }
    }
}
