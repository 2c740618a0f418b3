//! Checks that no active value is stored in a constant. Where only rustc can tell which places are constant, the forward rule contains
//! the check; the rules of the other modes have the same values. The values to be checked are returned by closures that are never called.
//!
//! - A callee's parameter is constant by its mode: `modes.1.takes(|| &x_dot);`
//! - A field is constant by the type of its tangent, its *kind*: `Kind::of(&m_dot.last).takes(|| &x_dot);`
//! - A callee may store its other arguments in an argument that it takes by `&mut`, which is constant by its kind:
//!   `modes.0.stores(kind.lost(|| (&x_dot,)));`

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;
use syn::Member;

use super::Emitter;
use super::expr::at;
use crate::ir::{Arg, Call, Function, Lent, Op, Value};

impl Emitter<'_> {
    /// Asks whether something of this kind takes values with these tangents or kinds.
    pub(super) fn ask(&mut self, kind: &TokenStream, of: &[Value], span: Span) -> TokenStream {
        self.fields = true;
        let of: Vec<TokenStream> = of.iter().map(|v| self.tokens(*v)).collect();
        at(span, &quote!(#kind.takes(|| (#(&#of,)*));))
    }

    /// For each argument with a tangent, asks the mode whether the position takes it, and whether arguments that are borrowed beside it do.
    pub(super) fn ask_modes(&mut self, op: &Op, call: &Call, modes: &Ident, out: &mut TokenStream) {
        let rt = self.rt;
        let tangents: Vec<Option<TokenStream>> = (0..call.args.len())
            .map(|k| self.tangents_of(call, k))
            .collect();
        let span = |k: usize| call.at.get(k).copied().unwrap_or(op.span);
        for (k, tangents) in tangents.iter().enumerate() {
            let Some(tangents) = tangents else { continue };
            if matches!(call.args[k], Arg::Function(_)) {
                continue;
            }
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

    /// The evidence that an argument is active: its tangent, or the kinds of the fields that it comes from. Of a closure, those of its captures.
    fn tangents_of(&mut self, call: &Call, k: usize) -> Option<TokenStream> {
        let rt = self.rt;
        let kinds = call.kinds.get(k).map_or(&[][..], Vec::as_slice);
        if !kinds.is_empty() {
            let kinds: Vec<TokenStream> = kinds.iter().map(|v| self.tokens(*v)).collect();
            return Some(quote!((#(&#kinds,)*)));
        }
        if let Arg::Function(Function::Param(_)) = &call.args[k] {
            // Captures aren't known here.
            return Some(quote!(#rt::Kind::of(&1.0)));
        }
        Some(match call.tangents.get(k)?.as_ref()? {
            Arg::Value(dot) => {
                let dot = self.tokens(*dot);
                quote!(&#dot)
            }
            Arg::Ref(dot) | Arg::Mut(dot) | Arg::Receiver(dot) => self.reference(dot, false),
            Arg::Function(_) => return None,
        })
    }

    /// The origins of the operands of an operator, which does the check by itself.
    pub(super) fn origins(&mut self, call: &Call) -> Vec<TokenStream> {
        let rt = self.rt;
        let origin = |(k, tangent): (usize, &Option<Arg>)| match (tangent, call.kinds.get(k)) {
            (None, _) => quote!(#rt::Nowhere),
            (_, Some(kinds)) if !kinds.is_empty() => {
                let kinds: Vec<TokenStream> = kinds.iter().map(|v| self.tokens(*v)).collect();
                quote!(#rt::FromFields((#(#kinds,)*)))
            }
            _ => quote!(#rt::Dependent),
        };
        call.tangents.iter().enumerate().map(origin).collect()
    }
}
