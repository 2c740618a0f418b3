//! Calls of combined rules: value and cotangents in one call.
//!
//! ```text
//! let (d, (_, t_bar, _)) = minor::__combined_call(modes.0.give(a, a_bar), modes.1.pass(t), modes.2.pass(m), bar);
//! ```

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::Member;

use super::Emitter;
use super::call::dual_name;
use crate::diagnostics::bug;
use crate::ir::{Arg, Callee, CombinedArg, CombinedCall, Op, Place, Value};

impl Emitter<'_> {
    pub(super) fn combined_call(&mut self, op: &Op, call: &CombinedCall, out: &mut TokenStream) {
        let rt = self.rt;
        self.settle_operands(op, out);
        let second = call.seed.len() == 2;
        let Callee::Path { path, associated } = &call.callee else {
            bug!("a combined rule that has no path")
        };
        let modes = self.names.fresh("modes");
        let target = self.rule_path(path, *associated, "modes");
        out.extend(quote!(let #modes = #target();));
        let mut results = op.results.iter();
        let y = self.cotangents(&mut results, second);
        let (mut args, mut patterns, mut after) = (Vec::new(), Vec::new(), TokenStream::new());
        for (k, arg) in call.args.iter().enumerate() {
            let mode = Member::from(k);
            let mode = quote!(#modes.#mode);
            args.push(self.combined_arg(arg, &mode, second, out));
            let zero = match arg {
                CombinedArg::Value { zero, .. } if !zero.is_empty() => zero,
                _ => {
                    patterns.push(quote!(_));
                    continue;
                }
            };
            let raw = self.names.fresh("returned");
            let zero: Vec<TokenStream> = zero.iter().map(|v| self.tokens(*v)).collect();
            let bar = self.cotangents(&mut results, second);
            let method = dual_name("cotangent", second);
            after.extend(quote!(let #bar = #mode.#method(#raw, #(#zero),*);));
            patterns.push(quote!(#raw));
        }
        let seed: Vec<TokenStream> = call.seed.iter().map(|v| self.tokens(*v)).collect();
        let (rule, seed) = if second {
            ("combined_call_frule", quote!(#rt::Dual(#(#seed),*)))
        } else {
            ("combined_call", quote!(#(#seed)*))
        };
        let rule = self.rule_path(path, *associated, rule);
        let span = self.call_span(op, &call.callee);
        let call = super::expr::at(span, &quote!(#rule(#(#args,)* #seed)));
        out.extend(quote!(let (#y, (#(#patterns,)*)) = #call; #after));
    }

    /// The pattern of a result: a dual at second order.
    pub(super) fn cotangents<'v>(
        &mut self,
        results: &mut impl Iterator<Item = &'v Value>,
        second: bool,
    ) -> TokenStream {
        let rt = self.rt;
        let names = results.take(if second { 2 } else { 1 });
        let names: Vec<Ident> = names.map(|r| self.name(*r)).collect();
        if second {
            quote!(#rt::Dual(#(#names),*))
        } else {
            quote!(#(#names)*)
        }
    }

    fn combined_arg(
        &mut self,
        arg: &CombinedArg,
        mode: &TokenStream,
        second: bool,
        out: &mut TokenStream,
    ) -> TokenStream {
        match arg {
            CombinedArg::Value { given, .. } => {
                let given: Vec<TokenStream> = given.iter().map(|v| self.tokens(*v)).collect();
                match (second, &given[..]) {
                    (true, [x, dot]) => quote!(#mode.dual(#x, #dot)),
                    (true, [x]) => quote!(#mode.inactive(#x)),
                    _ => quote!(#mode.pass(#(#given)*)),
                }
            }
            CombinedArg::Constant(arg) => {
                let given = self.reference(place_of(arg), matches!(arg, Arg::Mut(_)));
                quote!(#mode.pass(#given))
            }
            CombinedArg::Inactive(arg) => {
                let place = place_of(arg);
                let unread = (!second).then(|| self.unread(place, mode)).flatten();
                if let Some(shadow) = unread {
                    let given = self.reference(place, false);
                    return quote!(#mode.give_zero(#given, #shadow));
                }
                let count = if second { 3 } else { 1 };
                let mut zeros: Vec<Ident> = (0..count)
                    .map(|_| self.temporary(place, &quote!(#mode.zero), out))
                    .collect();
                let given = self.reference(place, false);
                if second {
                    let dot = zeros.remove(0);
                    quote!(#mode.give_dual_zero(#given, &#dot, #(&mut #zeros),*))
                } else {
                    quote!(#mode.give_zero(#given, #(&mut #zeros),*))
                }
            }
            CombinedArg::Shadow { primal, shadow } => {
                let place = place_of(&primal[0]);
                let shadows: Vec<TokenStream> = shadow
                    .iter()
                    .map(|p| self.lent_shadow(place, p, false, out))
                    .collect();
                let dot = primal.get(1).map(place_of);
                let dot = dot.map(|dot| self.lent(place, dot, false, out));
                let dot = dot.iter();
                let given = self.reference(place, false);
                if second {
                    quote!(#mode.give_dual(#given, #(#dot,)* #(#shadows),*))
                } else {
                    quote!(#mode.give(#given, #(#shadows),*))
                }
            }
        }
    }
}

fn place_of(arg: &Arg) -> &Place {
    match arg.place() {
        Some(place) => place,
        None => bug!("a reference that is a value"),
    }
}
