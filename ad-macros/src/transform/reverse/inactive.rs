//! Puts back memory without a tangent.
//!
//! Parts without a tangent of what a `&mut` parameter refers to have no shadow, so that no pullback undoes what code that only rustc
//! understands, or a call, writes to them. Yet the caller's other pullbacks read their elements and lengths again.
//!
//! ```text
//! m.n.sort()   =>  old = clone(m.n); m.n.sort()     |  m.n = old
//! m.n.push(k)  =>  old = m.n.len(); m.n.push(k)     |  m.n.truncate(old)
//! ```

use proc_macro2::{Delimiter, Ident, Span, TokenStream, TokenTree};
use quote::quote;

use super::Reverse;
use crate::ir::{Arg, Op, OpKind, Place, Proj, Rule, Slot, SlotKind, Ty, Use, Value};
use crate::std_model::appends;

/// A part that an operation may write to.
struct Written {
    place: Place,
    ty: Ty,
    /// The operation adds elements at its end, and does nothing else to it.
    appends: bool,
}

impl Reverse<'_> {
    /// Restores the inactive parts that operation `i` may have written to.
    pub(super) fn put_back_inactive(&mut self, op: &Op, i: usize) {
        for Written { place, ty, appends } in self.inactive_writes(op) {
            let (root, depth) = (self.root(place.root), self.depth());
            if !self.puts_back(root) {
                continue;
            }
            let (kept, ty) = if appends {
                (OpKind::Len(place.clone()), Ty::Int("usize"))
            } else {
                (OpKind::CloneOf(place.clone()), ty)
            };
            let kept = self.seq_before(i).value(kept, ty, "old");
            self.at_home(kept, depth, Some(i));
            let kept = self.need(kept);
            let place = self.resolved(&place);
            self.restore(root);
            let undo = if appends {
                truncation(place, kept)
            } else {
                OpKind::Store(place, kept)
            };
            self.seq().push(undo);
        }
    }

    fn inactive_writes(&self, op: &Op) -> Vec<Written> {
        let appended = appended(&op.kind);
        let places = self.left_written(op).into_iter();
        let parts = places.flat_map(|place| self.src.inactive_parts(&place).known);
        let written = parts.map(|(place, ty)| Written {
            appends: ty.element().is_some() && appended.as_ref() == Some(&place),
            place,
            ty,
        });
        written.collect()
    }

    /// Returns `true` if all inactive parts of a slot that an operation may write to are put back.
    pub(super) fn is_put_back(&self, op: &Op, root: Slot) -> bool {
        let is_known =
            |place: Place| self.root(place.root) != root || !self.src.inactive_parts(&place).more;
        self.puts_back(root) && self.left_written(op).into_iter().all(is_known)
    }

    pub(super) fn puts_back(&self, root: Slot) -> bool {
        self.src.slot(root).kind == SlotKind::RefMut && self.plan.restore.contains(&root)
    }

    /// The places that an operation may write to, and whose writes no pullback undoes.
    fn left_written(&self, op: &Op) -> Vec<Place> {
        match &op.kind {
            OpKind::Opaque { uses, tokens, .. } => {
                let places = uses.iter().filter_map(|used| match used {
                    Use::Place {
                        ident,
                        place,
                        mutable: true,
                        ..
                    } => Some((ident, place)),
                    _ => None,
                });
                let all = places.flat_map(|(ident, place)| {
                    let mut chains = Vec::new();
                    take_chains(tokens.clone(), ident, &mut chains);
                    (chains.into_iter()).map(|chain| place.extended(&chain))
                });
                outermost(all.collect())
            }
            OpKind::Call(call) => {
                let places = call.args.iter().filter_map(|arg| match arg {
                    Arg::Mut(place) | Arg::Receiver(place) => Some(place),
                    Arg::Value(_) | Arg::Ref(_) | Arg::Function(_) => None,
                });
                // The pullback of the call gets the others, and undoes what was written to them.
                let left =
                    places.filter(|place| call.rule == Rule::Primal || self.src.is_inactive(place));
                left.cloned().collect()
            }
            _ => Vec::new(),
        }
    }
}

/// The places that are not inside of others.
fn outermost(mut places: Vec<Place>) -> Vec<Place> {
    places.sort_by_key(|place| place.path.len());
    let mut all: Vec<Place> = Vec::new();
    for place in places {
        let holds = |outer: &Place| outer.root == place.root && place.path.starts_with(&outer.path);
        if !all.iter().any(holds) {
            all.push(place);
        }
    }
    all
}

/// Adds the chains of fields by which code reaches parts of a variable: `.inner.n` of `m.inner.n.push(k)`.
fn take_chains(tokens: TokenStream, of: &Ident, chains: &mut Vec<Vec<Proj>>) {
    let mut trees = tokens.into_iter().peekable();
    while let Some(tree) = trees.next() {
        match tree {
            TokenTree::Group(group) => take_chains(group.stream(), of, chains),
            TokenTree::Ident(found) if found == *of => {
                let mut chain = Vec::new();
                while trees.next_if(is_dot).is_some() {
                    let members = members(trees.next());
                    // A method ends the chain.
                    if members.is_empty() || trees.peek().is_some_and(is_call) {
                        break;
                    }
                    chain.extend(members);
                }
                chains.push(chain);
            }
            _ => {}
        }
    }
}

fn is_dot(tree: &TokenTree) -> bool {
    matches!(tree, TokenTree::Punct(dot) if dot.as_char() == '.')
}

/// The arguments of a call, or their types, follow a name.
fn is_call(tree: &TokenTree) -> bool {
    match tree {
        TokenTree::Group(group) => group.delimiter() == Delimiter::Parenthesis,
        TokenTree::Punct(colon) => colon.as_char() == ':',
        _ => false,
    }
}

/// The fields behind a dot. `1.0` is one number.
fn members(tree: Option<TokenTree>) -> Vec<Proj> {
    let field = |member| Proj::Field(member);
    match tree {
        Some(TokenTree::Ident(name)) => vec![field(syn::Member::Named(name))],
        Some(TokenTree::Literal(number)) => {
            let number = number.to_string();
            let all = number
                .split('.')
                .map(|k| Some(field(syn::Member::from(k.parse::<usize>().ok()?))));
            all.collect::<Option<_>>().unwrap_or_default()
        }
        _ => Vec::new(),
    }
}

/// The list to which code adds elements at the end, if it does nothing else: `m.list.push(k)`.
fn appended(kind: &OpKind) -> Option<Place> {
    let OpKind::Opaque { uses, tokens, .. } = kind else {
        return None;
    };
    let syn::Expr::MethodCall(call) = syn::parse2(tokens.clone()).ok()? else {
        return None;
    };
    if !appends(&call.method.to_string()) || !call.args.iter().all(is_plain) {
        return None;
    }
    let (mut list, mut members) = (&*call.receiver, Vec::new());
    while let syn::Expr::Field(field) = list {
        members.insert(0, Proj::Field(field.member.clone()));
        list = &field.base;
    }
    let syn::Expr::Path(variable) = list else {
        return None;
    };
    uses.iter().find_map(|used| match used {
        Use::Place { ident, place, .. } if variable.path.is_ident(ident) => {
            Some(place.extended(&members))
        }
        _ => None,
    })
}

/// Returns `true` for an argument that calls nothing.
fn is_plain(arg: &syn::Expr) -> bool {
    match arg {
        syn::Expr::Path(_) | syn::Expr::Lit(_) => true,
        syn::Expr::Field(field) => is_plain(&field.base),
        syn::Expr::Tuple(tuple) => tuple.elems.iter().all(is_plain),
        syn::Expr::Paren(inner) => is_plain(&inner.expr),
        _ => false,
    }
}

/// `list.truncate(len)`
fn truncation(list: Place, len: Value) -> OpKind {
    let [list_name, len_name] = ["list", "len"].map(|name| Ident::new(name, Span::mixed_site()));
    OpKind::code(
        quote!(#list_name.truncate(#len_name)),
        vec![
            Use::Place {
                ident: list_name,
                place: list,
                by_ref: true,
                mutable: true,
            },
            Use::Value(len_name, len),
        ],
    )
}
