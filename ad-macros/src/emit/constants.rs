//! What is active doesn't get into what is constant. Where only rustc knows what is constant, the forward rule asks; those of the other
//! modes do the same with the same values. What is asked about is given by closures that are never called.
//!
//! - A callee's parameter is constant by its mode: `modes.1.takes(|| &x_dot);`
//! - A field is constant by the type of its tangent, its *kind*: `Kind::of(&m_dot.last).takes(|| &x_dot);`
//! - A callee may store its other arguments in what it takes by `&mut`, which is constant by its kind:
//!   `modes.0.stores(kind.lost(|| (&x_dot,)));`

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;
use syn::Member;

use super::Emitter;
use super::expr::at;
use crate::ir::{Arg, Call, Lent, Op, Value};

impl Emitter<'_> {
    /// Asks whether something of this kind takes values with these tangents or kinds.
    pub(super) fn ask(&mut self, kind: &TokenStream, of: &[Value], span: Span) -> TokenStream {
        self.fields = true;
        let of: Vec<TokenStream> = of.iter().map(|v| self.tokens(*v)).collect();
        at(span, &quote!(#kind.takes(|| (#(&#of,)*));))
    }

    /// Asks the mode of each argument with a tangent whether the position takes it, and whether others take it that are lent beside it.
    pub(super) fn ask_modes(&mut self, op: &Op, call: &Call, modes: &Ident, out: &mut TokenStream) {
        let rt = self.rt;
        let tangents: Vec<Option<TokenStream>> = (0..call.args.len())
            .map(|k| self.tangents_of(call, k))
            .collect();
        let span = |k: usize| call.at.get(k).copied().unwrap_or(op.span);
        for (k, tangents) in tangents.iter().enumerate() {
            let Some(tangents) = tangents else { continue };
            let mode = Member::from(k);
            out.extend(at(span(k), &quote!(#modes.#mode.takes(|| #tangents);)));
        }
        for (k, lent) in call.lent.iter().enumerate() {
            let kind = match lent {
                Lent::Active => continue,
                Lent::Field(kind) => self.tokens(*kind),
                Lent::Constant => quote!(#rt::Kind::of(&#rt::NoTangent)),
            };
            self.fields = true;
            let mode = Member::from(k);
            for (other, tangents) in tangents.iter().enumerate().filter(|(j, _)| *j != k) {
                let Some(tangents) = tangents else { continue };
                let stores = quote!(#modes.#mode.stores(#kind.lost(|| #tangents)););
                out.extend(at(span(other), &stores));
            }
        }
    }

    /// What says whether an argument is active, if it has a tangent.
    fn tangents_of(&mut self, call: &Call, k: usize) -> Option<TokenStream> {
        let dot = call.tangents.get(k)?.as_ref()?;
        Some(match (call.kinds.get(k), dot) {
            (Some(kinds), _) if !kinds.is_empty() => {
                let kinds: Vec<TokenStream> = kinds.iter().map(|v| self.tokens(*v)).collect();
                quote!((#(#kinds,)*))
            }
            (_, Arg::Value(dot)) => {
                let dot = self.tokens(*dot);
                quote!(&#dot)
            }
            (_, Arg::Ref(dot) | Arg::Mut(dot) | Arg::Receiver(dot)) => self.reference(dot, false),
            (_, Arg::Function(_)) => return None,
        })
    }
}
