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
use crate::ir::{Callee, CombinedArg, CombinedCall, Op, Value};

impl Emitter<'_> {
    pub(super) fn combined_call(&mut self, op: &Op, call: &CombinedCall, out: &mut TokenStream) {
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
        let seed = self.seed(&call.seed);
        let rule = if second {
            "combined_call_frule"
        } else {
            "combined_call"
        };
        let rule = self.rule_path(path, *associated, rule);
        let span = self.call_span(op, &call.callee);
        let call = super::expr::at(span, &quote!(#rule(#(#args,)* #seed)));
        out.extend(quote!(let (#y, (#(#patterns,)*)) = #call; #after));
    }

    /// The cotangent of a result: a dual at second order.
    pub(super) fn seed(&mut self, seed: &[Value]) -> TokenStream {
        let rt = self.rt;
        let seed: Vec<TokenStream> = seed.iter().map(|v| self.tokens(*v)).collect();
        match &seed[..] {
            [seed] => quote!(#seed),
            _ => quote!(#rt::Dual(#(#seed),*)),
        }
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
                let Some(place) = arg.place() else {
                    bug!("a reference that is a value")
                };
                let given = self.reference(place, arg.is_unique());
                quote!(#mode.pass(#given))
            }
            CombinedArg::Inactive(arg) => self.give_inactive(arg, mode, second, false, &[], out).0,
            CombinedArg::Shadow { primal, shadow } => {
                self.give(primal, shadow, mode, false, &[], out).0
            }
        }
    }
}
