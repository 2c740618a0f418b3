//! What is active isn't handed to a constant position, which only the callee's mode knows: `modes.1.takes(|| &x_dot);`, a closure that is
//! never called. The forward rule asks; those of the other modes are called with the same arguments.

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::Member;

use super::Emitter;
use super::expr::at;
use crate::ir::{Arg, Call, Op};

impl Emitter<'_> {
    /// Asks the mode of each argument with a tangent whether the position takes it.
    pub(super) fn ask_modes(&mut self, op: &Op, call: &Call, modes: &Ident, out: &mut TokenStream) {
        for (k, dot) in call.tangents.iter().enumerate() {
            let Some(dot) = dot else { continue };
            let tangents = match (call.kinds.get(k), dot) {
                (Some(kinds), _) if !kinds.is_empty() => {
                    let kinds: Vec<TokenStream> = kinds.iter().map(|v| self.tokens(*v)).collect();
                    quote!((#(#kinds,)*))
                }
                (_, Arg::Value(dot)) => {
                    let dot = self.tokens(*dot);
                    quote!(&#dot)
                }
                (_, Arg::Ref(dot) | Arg::Mut(dot) | Arg::Receiver(dot)) => {
                    self.reference(dot, false)
                }
                (_, Arg::Function(_)) => continue,
            };
            let mode = Member::from(k);
            let span = call.at.get(k).copied().unwrap_or(op.span);
            out.extend(at(span, &quote!(#modes.#mode.takes(|| #tangents);)));
        }
    }
}
