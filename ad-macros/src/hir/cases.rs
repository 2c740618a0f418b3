//! Patterns with `|` that bind names: each case binds them in another place, so that there is a branch for each.
//!
//! ```text
//! Input:  match e { A(x) | B(x, _) => a, _ => b }
//! Output: match e { A(x) => a, B(x, _) => a, _ => b }
//!
//! Input:  let Ok(i) | Err(i) = e;
//! Output: let i = match e { Ok(i) => i, Err(i) => i };
//! ```

use syn::visit_mut::{self, VisitMut};

use super::lets::pattern_and_type;
use super::mentions;

/// The alternatives of a pattern, in the order in which they are tried. None of them has a `|` with names in it.
pub(super) fn cases(pat: &syn::Pat) -> Vec<syn::Pat> {
    let mut first = FirstOr::default();
    let mut without = pat.clone();
    first.visit_pat_mut(&mut without);
    let Some(found) = first.found else {
        return vec![without];
    };
    let with = |case: &syn::Pat| {
        let mut one = pat.clone();
        let mut first = FirstOr {
            found: None,
            instead: Some(case.clone()),
        };
        first.visit_pat_mut(&mut one);
        cases(&one)
    };
    found.cases.iter().flat_map(with).collect()
}

/// An arm for each case.
pub(super) fn arms(arm: &syn::Arm) -> Vec<syn::Arm> {
    let arm_of = |pat| syn::Arm { pat, ..arm.clone() };
    cases(&arm.pat).into_iter().map(arm_of).collect()
}

/// `let` of a pattern with several cases, as `let` of the names by a `match`.
pub(super) fn local(local: &syn::Local) -> Option<syn::Stmt> {
    let init = local.init.as_ref()?;
    let (pat, ty) = pattern_and_type(local);
    let cases = cases(pat);
    if cases.len() < 2 {
        return None;
    }
    let source = super::try_operator::subject(&init.expr);
    let source = match ty {
        Some(ty) => syn::parse_quote!({ let __typed: #ty = #source; __typed }),
        None => source,
    };
    let mut bound = mentions::bound(&cases[0]);
    bound.sort();
    let names: Vec<_> = bound.iter().map(|(name, _)| name).collect();
    let pats = bound.iter().map(|(name, mutable)| {
        let mutable = mutable.then(<syn::Token![mut]>::default);
        quote::quote!(#mutable #name)
    });
    let values = quote::quote!((#(#names),*));
    let leave = init.diverge.as_ref().map(|(_, diverge)| diverge);
    let leave = leave.map(|diverge| quote::quote!(_ => #diverge));
    Some(syn::parse_quote! {
        let (#(#pats),*) = match #source { #(#cases => #values,)* #leave };
    })
}

/// Finds the first `|` with names in it, and puts one case in its place.
#[derive(Default)]
struct FirstOr {
    found: Option<syn::PatOr>,
    instead: Option<syn::Pat>,
}

impl VisitMut for FirstOr {
    fn visit_pat_mut(&mut self, pat: &mut syn::Pat) {
        if self.found.is_some() {
            return;
        }
        if let syn::Pat::Or(or) = pat
            && !mentions::bound(&syn::Pat::Or(or.clone())).is_empty()
        {
            self.found = Some(or.clone());
            if let Some(case) = self.instead.take() {
                *pat = case;
            }
            return;
        }
        visit_mut::visit_pat_mut(self, pat);
    }

    // The guard's own patterns are none of the arm's.
    fn visit_expr_mut(&mut self, _: &mut syn::Expr) {}
}
