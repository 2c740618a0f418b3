//! Pure operations, places and constants, as expressions.
//!
//! The inside of a constant field has no shadow, and only method resolution knows whether a field is constant. `Inside(&mut
//! x_bar.config).or(stand_in).rate` is the field itself, or, if the field's tangent is `NoTangent`, a stand-in whose fields have no tangent
//! either. A rule that borrows the field gets `Lent(&x.scale, &mut x_bar.scale).tangent()`: a reference to the shadow, or to a zero that is
//! made on demand and dropped. `Func::is_in_field` says where that may be so; a slot that refers into a field has a flag for it.

use proc_macro2::{Group, Ident, Literal, Span, TokenStream, TokenTree};
use quote::{format_ident, quote};

use super::buffers::of_rows;
use super::call::unraw;
use super::lookups::lookup;
use super::region::{one_or_tuple, with_runtime};
use super::{Emitter, Pending, real};
use crate::diagnostics::bug;
use crate::ir::{
    BinaryOp, Coerced, Const, Lookup, MathFn, Op, OpKind, Place, Proj, RepeatLen, Slot, SlotKind,
    Ty, UnaryOp, Value, is_std_variant,
};
use crate::types::libm::name_of;

/// How tightly an expression binds.
pub(super) mod prec {
    pub(crate) const ATOM: u8 = 20;
    pub(crate) const UNARY: u8 = 14;
    pub(crate) const CAST: u8 = 13;
    pub(crate) const LOWEST: u8 = 0;
}

fn binary_prec(op: BinaryOp) -> u8 {
    match op {
        BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem => 12,
        BinaryOp::Add | BinaryOp::Sub => 11,
        BinaryOp::Shl | BinaryOp::Shr => 10,
        BinaryOp::BitAnd => 9,
        BinaryOp::BitXor => 8,
        BinaryOp::BitOr => 7,
        BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge | BinaryOp::Eq | BinaryOp::Ne => {
            6
        }
    }
}

pub(super) fn operator(op: BinaryOp) -> TokenStream {
    match op {
        BinaryOp::Add => quote!(+),
        BinaryOp::Sub => quote!(-),
        BinaryOp::Mul => quote!(*),
        BinaryOp::Div => quote!(/),
        BinaryOp::Rem => quote!(%),
        BinaryOp::BitAnd => quote!(&),
        BinaryOp::BitOr => quote!(|),
        BinaryOp::BitXor => quote!(^),
        BinaryOp::Shl => quote!(<<),
        BinaryOp::Shr => quote!(>>),
        BinaryOp::Lt => quote!(<),
        BinaryOp::Le => quote!(<=),
        BinaryOp::Gt => quote!(>),
        BinaryOp::Ge => quote!(>=),
        BinaryOp::Eq => quote!(==),
        BinaryOp::Ne => quote!(!=),
    }
}

/// `+=` and so on.
pub(super) fn compound(op: BinaryOp) -> TokenStream {
    match op {
        BinaryOp::Add => quote!(+=),
        BinaryOp::Sub => quote!(-=),
        BinaryOp::Mul => quote!(*=),
        BinaryOp::Div => quote!(/=),
        BinaryOp::Rem => quote!(%=),
        BinaryOp::BitAnd => quote!(&=),
        BinaryOp::BitOr => quote!(|=),
        BinaryOp::BitXor => quote!(^=),
        BinaryOp::Shl => quote!(<<=),
        BinaryOp::Shr => quote!(>>=),
        BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge | BinaryOp::Eq | BinaryOp::Ne => {
            bug!("a comparison that assigns")
        }
    }
}

impl Pending {
    pub(super) fn atom(tokens: TokenStream) -> Self {
        Pending {
            tokens,
            prec: prec::ATOM,
            reads: false,
            size: 1,
            compound: None,
        }
    }

    /// The expression, in parentheses if it binds less tightly than `min`.
    pub(super) fn at_least(self, min: u8) -> TokenStream {
        let tokens = self.tokens;
        if self.prec < min {
            quote!((#tokens))
        } else {
            tokens
        }
    }
}

/// How a place is reached.
pub(super) enum Access {
    /// By an expression of the place.
    Place(TokenStream),
    /// An expression that is a reference to the place.
    Reference(TokenStream),
    /// The same of a generic function, whose type parameter is not to be inferred from where the reference goes: that may be behind
    /// more pointers.
    Generic(TokenStream),
}

impl Access {
    pub(super) fn place(&self) -> TokenStream {
        match self {
            Access::Place(tokens) => tokens.clone(),
            Access::Reference(tokens) | Access::Generic(tokens) => quote!((*#tokens)),
        }
    }

    pub(super) fn reference(&self, mutable: bool) -> TokenStream {
        match self {
            Access::Place(tokens) if mutable => quote!(&mut #tokens),
            Access::Place(tokens) => quote!(&#tokens),
            Access::Reference(tokens) => tokens.clone(),
            Access::Generic(tokens) if mutable => quote!(&mut *#tokens),
            Access::Generic(tokens) => quote!(&*#tokens),
        }
    }
}

/// A variant's path without the types that the user wrote, `Ok` of `Ok::<_, Infallible>`: a tangent has others.
fn without_types(path: &syn::Path) -> syn::Path {
    let mut path = path.clone();
    for segment in &mut path.segments {
        segment.arguments = syn::PathArguments::None;
    }
    path
}

/// The accessor of a variant's payload, which `#[derive(Differentiable)]` adds to the tangent.
fn accessor(path: &syn::Path, member: &syn::Member, mutable: bool) -> Ident {
    let variant = path.segments.last().map(|last| last.ident.to_string());
    let member = quote!(#member).to_string();
    crate::derive::accessor_name(&variant.unwrap_or_default(), &member, mutable)
}

/// The method of a field's content that returns the payload of std's variant.
fn std_payload(path: &syn::Path) -> Ident {
    let variant = path.segments.last().map(|last| last.ident.to_string());
    format_ident!("{}", variant.unwrap_or_default().to_lowercase())
}

/// A reference to the place of `access`, which is `behind` a reference already or not.
fn borrowed(access: &Access, behind: bool, mutable: bool) -> TokenStream {
    let tokens = access.place();
    match (behind, mutable) {
        (true, true) => quote!(&mut *#tokens),
        (true, false) => quote!(&*#tokens),
        (false, _) => access.reference(mutable),
    }
}

/// The payload of a variant, which is known to be there.
pub(super) fn unpacked(of: &TokenStream, path: &syn::Path, members: &[syn::Member]) -> TokenStream {
    let path = without_types(path);
    let names: Vec<Ident> = (0..members.len())
        .map(|k| Ident::new(&format!("part_{k}"), Span::mixed_site()))
        .collect();
    let parts = one_or_tuple(&names);
    quote! {
        match #of {
            #path { #(#members: #names,)* .. } => #parts,
            #[allow(unreachable_patterns)]
            _ => ::core::unreachable!(),
        }
    }
}

impl Emitter<'_> {
    /// The expression for a value: a pending one, a constant, or its variable.
    pub(super) fn take(&mut self, v: Value) -> Pending {
        if let Some(pending) = self.pending.get(&v).cloned() {
            if pending.size != 0 {
                self.pending.remove(&v);
                self.order.retain(|o| *o != v);
            }
            return pending;
        }
        match self.values.get(&v) {
            Some(ident) => Pending::atom(quote!(#ident)),
            None => bug!("%{} has no name", v.0),
        }
    }

    pub(super) fn tokens(&mut self, v: Value) -> TokenStream {
        self.take(v).tokens
    }

    /// A constant is written wherever it is read: its expression stays pending (size 0).
    pub(super) fn constant(&self, value: &Const, ty: &Ty) -> Pending {
        let constant = self.real_constant(value, ty).or_else(|| {
            let (rt, lanes) = (self.rt, lanes());
            matches!(ty, Ty::Lanes).then(|| quote!(<#lanes as #rt::Lanes>::ZERO))
        });
        if let Some(tokens) = constant {
            return Pending {
                size: 0,
                ..Pending::atom(tokens)
            };
        }
        let tokens = match value {
            Const::Float(digits) => float(digits, ty),
            Const::Zero => float("0.0", ty),
            Const::One => float("1.0", ty),
            Const::Int(digits) => int(digits, ty),
            Const::Bool(b) => quote!(#b),
            Const::Expr(tokens) => with_runtime(tokens, self.rt),
            Const::Unit => quote!(()),
            Const::None => quote!(::core::option::Option::None),
            Const::Undef => match ty {
                Ty::F32 | Ty::F64 => float("0.0", ty),
                Ty::Bool => quote!(false),
                _ => int("0", ty),
            },
        };
        let negative = tokens.to_string().starts_with('-');
        let verbatim = matches!(value, Const::Expr(_));
        let bare = !verbatim || tokens.clone().into_iter().count() == 1 || is_path(&tokens);
        Pending {
            prec: if negative && !verbatim {
                prec::UNARY
            } else {
                prec::ATOM
            },
            size: 0,
            ..Pending::atom(if bare { tokens } else { quote!((#tokens)) })
        }
    }

    /// A pure operation as an expression.
    pub(super) fn pure(&mut self, op: &Op) -> Option<Pending> {
        let result = *op.results.first()?;
        let ty = self.func.ty(result).clone();
        let rt = self.rt;
        let mut reads = false;
        let mut size = 1;
        let mut compound = None;
        let mut get = |this: &mut Self, v: Value, min: u8| {
            let pending = this.take(v);
            reads |= pending.reads;
            size += pending.size;
            pending.at_least(min)
        };
        let (tokens, prec) = match &op.kind {
            OpKind::Unary(UnaryOp::Neg, a) => {
                let a = get(self, *a, prec::UNARY + 1);
                (quote!(-#a), prec::UNARY)
            }
            OpKind::Unary(UnaryOp::Not, a) => {
                let a = get(self, *a, prec::UNARY);
                (quote!(!#a), prec::UNARY)
            }
            OpKind::Binary(operation, a, b) => {
                // A tangent in several directions is multiplied by a number, not the other way round.
                let turned = *operation == BinaryOp::Mul && self.is_in_lanes(*b);
                let [a, b] = if turned { [b, a] } else { [a, b] };
                let p = binary_prec(*operation);
                let comparison = p == 6;
                let name = self
                    .values
                    .get(a)
                    .map(ToString::to_string)
                    .filter(|_| !self.pending.contains_key(a));
                // A cast before `<` would be read as the start of generics.
                let (bare_a, bare_b) = (self.bare(*a), self.bare(*b));
                let left = get(
                    self,
                    *a,
                    if comparison || p == 10 {
                        prec::CAST + 1
                    } else {
                        p
                    },
                );
                let right = get(self, *b, p + 1);
                // One literal takes its type from the other operand.
                let (left, right) = match (bare_a, bare_b) {
                    (Some(bare), None) => (bare, right),
                    (None, Some(bare))
                        if *operation != BinaryOp::Shl && *operation != BinaryOp::Shr =>
                    {
                        (left, bare)
                    }
                    _ => (left, right),
                };
                let sign = operator(*operation);
                if let (Some(name), true) = (name, p == 11 || p == 12) {
                    compound = Some((name, self::compound(*operation), right.clone()));
                }
                (quote!(#left #sign #right), p)
            }
            OpKind::Cast(a) if real::involves_real(self.func.ty(*a), &ty) => {
                let from = self.func.ty(*a).clone();
                let a = get(self, *a, prec::LOWEST);
                (real::cast(&a, &from, &ty, rt), prec::ATOM)
            }
            OpKind::Cast(a) => {
                let to = primitive(&ty);
                let a = get(self, *a, prec::CAST);
                (quote!(#a as #to), prec::CAST)
            }
            OpKind::Math(f, args) if name_of(f).is_some() => {
                // The name is that of the crate's function, or this doesn't compile.
                let name = Ident::new(name_of(f).unwrap_or(f), Span::call_site());
                let args: Vec<_> = args.iter().map(|a| get(self, *a, prec::LOWEST)).collect();
                (
                    quote!(#rt::same(libm::#name, ::libm::#name)(#(#args),*)),
                    prec::ATOM,
                )
            }
            OpKind::Math(f, args) if matches!(ty, Ty::Real(_)) || !(in_core(f) || STD) => {
                let method = Ident::new(f, Span::mixed_site());
                let args: Vec<_> = args.iter().map(|a| get(self, *a, prec::LOWEST)).collect();
                (quote!(#rt::Real::#method(#(#args),*)), prec::ATOM)
            }
            OpKind::Math(f, args) => {
                let method = Ident::new(f, Span::mixed_site());
                let first = get(self, args[0], prec::ATOM);
                let rest: Vec<_> = args[1..]
                    .iter()
                    .map(|a| get(self, *a, prec::LOWEST))
                    .collect();
                (quote!(#first.#method(#(#rest),*)), prec::ATOM)
            }
            OpKind::Select(c, a, b) => {
                let (c, a, b) = (get(self, *c, 0), get(self, *a, 0), get(self, *b, 0));
                (quote!(if #c { #a } else { #b }), prec::LOWEST)
            }
            OpKind::StrongMul(a, b) => {
                let lanes = [a, b].map(|v| self.is_in_lanes(*v));
                let (a, b) = (get(self, *a, 0), get(self, *b, 0));
                let product = match lanes {
                    [_, true] => quote!(#rt::Lanes::strong_factor(#b, #a)),
                    [true, false] => quote!(#rt::Lanes::strong_mul(#a, #b)),
                    [false, false] => quote!(#rt::strong_mul(#a, #b)),
                };
                (product, prec::ATOM)
            }
            OpKind::StrongDiv(a, b) => {
                let lanes = self.is_in_lanes(*a).then(|| quote!(Lanes::));
                let (a, b) = (get(self, *a, 0), get(self, *b, 0));
                (quote!(#rt::#lanes strong_div(#a, #b)), prec::ATOM)
            }
            OpKind::Tuple(vs) => {
                let vs: Vec<_> = vs.iter().map(|v| get(self, *v, 0)).collect();
                (quote!((#(#vs,)*)), prec::ATOM)
            }
            OpKind::Array { elems, .. } if self.is_buffer(result) => {
                if elems.is_empty() {
                    (self.empty_buffer(&ty, None), prec::ATOM)
                } else {
                    let elems: Vec<_> = elems.iter().map(|v| get(self, *v, 0)).collect();
                    (quote!(#rt::workspace::copy_of(&[#(#elems),*])), prec::ATOM)
                }
            }
            // Nothing in an empty one tells its type.
            OpKind::Array { elems, vec: true } if elems.is_empty() => match annotation(&ty, rt) {
                Some(ty) => (quote!(<#ty>::new()), prec::ATOM),
                None => (quote!(#rt::Vec::new()), prec::ATOM),
            },
            OpKind::Array { elems, vec } => {
                let elems: Vec<_> = elems.iter().map(|v| get(self, *v, 0)).collect();
                (
                    if *vec {
                        quote!(#rt::vec![#(#elems),*])
                    } else {
                        quote!([#(#elems),*])
                    },
                    prec::ATOM,
                )
            }
            OpKind::Repeat { elem, len } => {
                let elem = get(self, *elem, 0);
                match len {
                    RepeatLen::Array(len) => (quote!([#elem; #len]), prec::ATOM),
                    RepeatLen::Vec(len) if self.is_buffer(result) => {
                        let (len, filled) = (get(self, *len, 0), of_rows(&ty, "filled"));
                        (quote!(#rt::workspace::#filled(#elem, #len)), prec::ATOM)
                    }
                    RepeatLen::Vec(len) => {
                        let len = get(self, *len, 0);
                        (quote!(#rt::vec![#elem; #len]), prec::ATOM)
                    }
                }
            }
            OpKind::Struct {
                path,
                fields,
                base,
                checked,
                ..
            } => {
                let members = fields.iter().map(|(m, _)| m.clone()).collect::<Vec<_>>();
                let values: Vec<_> = fields.iter().map(|(_, v)| get(self, *v, 0)).collect();
                let base = base.map(|b| get(self, b, 0)).map(|b| quote!(..#b));
                let made = quote!(#path { #(#members: #values,)* #base });
                match checked {
                    Some(ty) => {
                        self.checked.insert(result);
                        (
                            quote!(<#ty as #rt::unseen::Checked>::itself(#made)),
                            prec::ATOM,
                        )
                    }
                    None => (made, prec::LOWEST),
                }
            }
            OpKind::StructTangent {
                variant: Some(path),
                fields,
                ..
            } if is_std_variant(path) && !fields.is_empty() => {
                let members = fields.iter().map(|(m, _)| m.clone()).collect::<Vec<_>>();
                let values: Vec<_> = fields.iter().map(|(_, v)| get(self, *v, 0)).collect();
                let path = without_types(path);
                (quote!(#path { #(#members: #values,)* }), prec::LOWEST)
            }
            OpKind::StructTangent {
                primal,
                variant,
                fields,
                kinds,
                base,
                zeros,
            } => {
                let start = match base {
                    Some(base) => get(self, *base, 0),
                    None => {
                        let primal = get(self, *primal, prec::ATOM);
                        quote!(#rt::Differentiable::zero_tangent(&#primal))
                    }
                };
                let members = fields.iter().map(|(m, _)| m.clone()).collect::<Vec<_>>();
                let values: Vec<_> = fields.iter().map(|(_, v)| get(self, *v, 0)).collect();
                let t = Ident::new("tangent", Span::mixed_site());
                let places = members.iter().map(|member| match variant {
                    Some(path) => {
                        let accessor = accessor(path, member, true);
                        quote!(*#t.#accessor())
                    }
                    None => quote!(#t.#member),
                });
                let mut stores = TokenStream::new();
                if !zeros.is_empty() {
                    let primal = get(self, *primal, prec::ATOM);
                    let zero = Ident::new("zero", Span::mixed_site());
                    stores.extend(quote! {
                        let #zero = #rt::Differentiable::zero_tangent(&#primal);
                        #(#t.#zeros = #zero.#zeros;)*
                    });
                }
                for (k, (place, value)) in places.zip(&values).enumerate() {
                    let from = kinds.get(k).map_or(&[][..], Vec::as_slice);
                    let float = self.func.ty(fields[k].1).is_float();
                    self.fields |= !from.is_empty() || float;
                    let store = if !from.is_empty() {
                        stores.extend(self.ask(&quote!(#rt::Kind::of(&#place)), from, op.span));
                        quote!(#rt::FieldShadow(&mut #place).set(#value);)
                    } else if float && self.checked.contains(primal) {
                        quote!(#rt::unseen::shadow(&mut #place).keep(#value);)
                    } else if float && !kinds.is_empty() {
                        quote!(#rt::FieldShadow(&mut #place).keep(#value);)
                    } else if float {
                        quote!(#rt::FieldShadow(&mut #place).set(#value);)
                    } else {
                        quote!(#place = #value;)
                    };
                    stores.extend(at(op.span, &store));
                }
                (quote!({ let mut #t = #start; #stores #t }), prec::ATOM)
            }
            OpKind::Boxed(v) => {
                let v = get(self, *v, 0);
                (quote!(#rt::Box::new(#v)), prec::ATOM)
            }
            OpKind::Unboxed(v) => {
                let v = get(self, *v, prec::UNARY);
                (quote!(*#v), prec::UNARY)
            }
            OpKind::Coerce { site, value, form } => {
                let (site, value) = (get(self, *site, prec::ATOM), get(self, *value, 0));
                if *form != Coerced::Value {
                    self.imports.insert("object::Hides");
                }
                let tokens = match form {
                    // In one expression the source would be made the target too early.
                    Coerced::Value => {
                        let source = Ident::new("source", Span::mixed_site());
                        quote!({ let #source = #site.source(#value); #site.target(#source) })
                    }
                    Coerced::Tangent => quote!(#site.tangent(#value)),
                    Coerced::Cotangent => quote!(#site.cotangent(#value)),
                };
                (at(op.span, &tokens), prec::ATOM)
            }
            OpKind::Unique(place) => {
                reads = true;
                let place = self.reference(place, false);
                (quote!(#rt::object::unique(#place)), prec::ATOM)
            }
            OpKind::Field(v, member) => {
                let v = get(self, *v, prec::ATOM);
                (quote!(#v.#member), prec::ATOM)
            }
            OpKind::ZeroLike(v) => {
                let v = get(self, *v, prec::ATOM);
                (self.zero(op, &quote!(&#v)), prec::ATOM)
            }
            OpKind::FieldTangent {
                primal,
                tangent,
                clone,
            } => {
                self.fields = true;
                let primal = get(self, *primal, prec::ATOM);
                reads = true;
                // A place behind a reference can't be moved out of.
                let behind = self.is_behind(tangent) || self.goes_inside(tangent);
                let tangent = if *clone || !ty.is_copy() && behind {
                    let tangent = self.reference(tangent, false);
                    quote!(#rt::ToOwned::to_owned(#tangent))
                } else {
                    self.load(tangent, &Ty::Deferred).0
                };
                (
                    quote!(#rt::FieldTangent(#tangent, &#primal).tangent()),
                    prec::ATOM,
                )
            }
            OpKind::KindOf(place) => {
                reads = true;
                let place = self.reference(place, false);
                (quote!(#rt::Kind::of(#place)), prec::ATOM)
            }
            OpKind::TangentSum(a, b) => {
                let (a, b) = (get(self, *a, 0), get(self, *b, 0));
                (quote!(#rt::tangent_sum(#a, #b)), prec::ATOM)
            }
            OpKind::Load(place) => {
                reads = true;
                self.load(place, &ty)
            }
            OpKind::Len(place) => {
                reads = true;
                let place = self.place(place, false);
                (quote!(#place.len()), prec::ATOM)
            }
            OpKind::Locate {
                place,
                lookup: what,
                mutable,
            } => {
                let operands: Vec<TokenStream> = what
                    .operands()
                    .iter()
                    .map(|v| self.bare(*v).unwrap_or_else(|| get(self, *v, 0)))
                    .collect();
                reads = true;
                let place = self.reference(place, false);
                let tokens = match what {
                    Lookup::Index(_) => {
                        self.indexes = true;
                        let at = if *mutable { "at_mut" } else { "at" };
                        let at = Ident::new(at, Span::mixed_site());
                        quote!(#rt::index::Locate(#place, #(#operands),*).#at())
                    }
                    Lookup::Method { name, .. } => {
                        self.borrow_sources.insert((unraw(name), operands.len()));
                        let mut part = lookup(rt, &unraw(name), operands.len()).1;
                        part.set_span(name.span());
                        quote!(#rt::probe::Peel(#place).peel().peel().0.#part(#(#operands),*))
                    }
                    Lookup::View { .. } => bug!("a view that is asked where it is"),
                };
                (tokens, prec::ATOM)
            }
            OpKind::ZeroOf(place) => {
                reads = true;
                let place = self.reference(place, false);
                (self.zero(op, &place), prec::ATOM)
            }
            OpKind::ZeroLeft(place, before) => {
                reads = true;
                let before = self.tokens(*before);
                let place = self.slot(place.root);
                (quote!(#rt::zero_left(&#place, #before)), prec::ATOM)
            }
            OpKind::PushPlaceholder(place) => {
                reads = true;
                self.imports.insert("probe::PushPlaceholderByClone");
                let method = if place.through_field() {
                    self.imports.insert("probe::PushPlaceholderOfAny");
                    quote!(placeholder_of_field)
                } else {
                    quote!(placeholder)
                };
                let place = self.reference(place, false);
                let placeholder = at(
                    op.span,
                    &quote!(#rt::probe::PushPlaceholder(#place).#method()),
                );
                (placeholder, prec::ATOM)
            }
            OpKind::CloneOf(place) => {
                reads = true;
                let sized = self.is_sized(place);
                let place = self.reference(place, false);
                // A type that can't be cloned is an error where the clone is needed.
                let clone = if self.is_buffer(result) {
                    let copy = of_rows(&ty, "copy_of");
                    quote!(#rt::workspace::#copy(#place))
                } else if sized {
                    quote!(#rt::probe::Copied::copied(#place))
                } else {
                    quote!(#rt::ToOwned::to_owned(#place))
                };
                let clone = at(op.span, &clone);
                (clone, prec::ATOM)
            }
            _ => return None,
        };
        Some(Pending {
            tokens,
            prec,
            reads,
            size,
            compound,
        })
    }

    fn is_in_lanes(&self, v: Value) -> bool {
        matches!(self.func.ty(v), Ty::Lanes)
    }

    fn load(&mut self, place: &Place, ty: &Ty) -> (TokenStream, u8) {
        let rt = self.rt;
        if self.func.slot(place.root).in_option && place.path.is_empty() && !ty.is_scalar() {
            let root = self.slot(place.root);
            return (quote!(#rt::take(&mut #root)), prec::ATOM);
        }
        // The variable may hold references to such numbers. A call with this argument type coerces either to the number.
        if self.func.slot(place.root).may_borrow
            && ty.is_scalar()
            && let Some(ty) = annotation(ty, rt)
        {
            let place = self.reference(place, false);
            return (
                quote!(<#ty as ::core::clone::Clone>::clone(#place)),
                prec::ATOM,
            );
        }
        match self.whole(place, false) {
            Access::Place(tokens) => (tokens, prec::ATOM),
            Access::Reference(tokens) | Access::Generic(tokens) => (quote!(*#tokens), prec::UNARY),
        }
    }

    /// The variable of a slot.
    pub(super) fn slot(&mut self, slot: Slot) -> Ident {
        if let Some(ident) = self.slots.get(&slot) {
            return ident.clone();
        }
        let ident = self.names.fresh(&self.func.slot(slot).name);
        self.slots.insert(slot, ident.clone());
        ident
    }

    /// A place, without a leading dereference: a reference's name represents the place behind it.
    pub(super) fn place(&mut self, place: &Place, mutable: bool) -> TokenStream {
        self.access(place, mutable).place()
    }

    fn access(&mut self, place: &Place, mutable: bool) -> Access {
        if let Some(part) = self.part(place) {
            return Access::Reference(quote!(#part));
        }
        if let Some(element) = self.seen(place) {
            return Access::Place(element);
        }
        let root = self.slot(place.root);
        let rt = self.rt;
        let unique = mutable || self.is_looked_up_mutably(place);
        let root = match (self.func.slot(place.root).in_option, unique) {
            (false, _) => Access::Place(quote!(#root)),
            (true, true) => Access::Generic(quote!(#rt::some_mut(&mut #root))),
            (true, false) => Access::Generic(quote!(#rt::some(&#root))),
        };
        match self.projected(root, place, 0, &place.path, unique) {
            Access::Reference(tokens) if unique && !mutable => Access::Place(quote!((*#tokens))),
            access => access,
        }
    }

    /// A place that is read or assigned to: a reference's name is that of a reference.
    fn whole(&mut self, place: &Place, mutable: bool) -> Access {
        let access = self.access(place, mutable);
        if self.is_reference(place) {
            Access::Reference(access.place())
        } else {
            access
        }
    }

    /// Returns `true` if a place is the target of a reference that is a variable.
    fn is_reference(&self, place: &Place) -> bool {
        place.path.is_empty() && self.func.slot(place.root).kind != SlotKind::Owned
    }

    /// The name of a place that has been split from others.
    pub(super) fn part(&self, place: &Place) -> Option<Ident> {
        let mut parts = self.parts.iter();
        parts.find_map(|(part, ident)| (part == place).then(|| ident.clone()))
    }

    /// A part of the place of `base`: `path` are the projections of `place` from the one at `start` on.
    pub(super) fn projected(
        &mut self,
        mut base: Access,
        place: &Place,
        start: usize,
        path: &[Proj],
        mutable: bool,
    ) -> Access {
        let mut tangents = self.func.in_tangent(place);
        let mut in_field = self.func.slot(place.root).in_field;
        if in_field {
            tangents.fill(true);
        }
        let rt = self.rt;
        in_field |= place.path[..start].iter().any(goes_in);
        for (k, proj) in (start..).zip(path) {
            let behind = k == 0 && self.func.slot(place.root).kind != SlotKind::Owned;
            let mut tokens = base.place();
            // A part of a constant field isn't in the tangent.
            if let (Proj::Field(member), true, true) = (proj, in_field, tangents[k]) {
                tokens = self.inside(&borrowed(&base, behind, mutable), member);
            }
            let was_in_field = in_field;
            in_field |= goes_in(proj);
            base = match proj {
                Proj::Variant(path, _) if was_in_field && tangents[k] && is_std_variant(path) => {
                    let of = borrowed(&base, behind, mutable);
                    let payload = std_payload(path);
                    Access::Reference(quote!(#rt::Inside(#of).#payload()))
                }
                Proj::Variant(path, member) if tangents[k] && !is_std_variant(path) => {
                    if in_field {
                        let pair = [false, true].map(|m| accessor(path, member, m));
                        self.inside.payloads.insert(pair);
                    }
                    let accessor = accessor(path, member, mutable);
                    Access::Reference(quote!(#tokens.#accessor()))
                }
                Proj::Variant(path, member) => {
                    let of = borrowed(&base, behind, mutable);
                    Access::Reference(unpacked(&of, path, std::slice::from_ref(member)))
                }
                Proj::Deref if was_in_field && tangents[k] => {
                    let of = borrowed(&base, behind, mutable);
                    Access::Reference(quote!(#rt::Inside(#of).boxed()))
                }
                Proj::Deref if behind => Access::Place(quote!((**#tokens))),
                Proj::Deref => Access::Place(quote!((*#tokens))),
                Proj::Field(member) => Access::Place(quote!(#tokens.#member)),
                Proj::At(
                    Lookup::View {
                        name,
                        args,
                        by_value,
                    },
                    _,
                ) => {
                    self.takes_views = true;
                    let method = if mutable {
                        format_ident!("__{name}_mut")
                    } else {
                        format_ident!("__{name}")
                    };
                    let args: Vec<TokenStream> = args.iter().map(|v| self.peek(*v)).collect();
                    let view = quote!(#tokens.#method(#(#args),*));
                    // A shadow is known by the place that a view refers to.
                    if *by_value && !tangents[k] {
                        Access::Place(view)
                    } else {
                        Access::Place(quote!((*#view)))
                    }
                }
                Proj::At(lookup, Some(located)) if tangents[k] => {
                    // That a type has no rules, rustc says where it is indexed.
                    let span = Span::mixed_site().located_at(self.func.value(*located).span);
                    let part = Ident::new("part", span);
                    let located = at(span, &self.peek(*located));
                    let of = borrowed(&base, behind, mutable);
                    Access::Reference(match lookup {
                        Lookup::Index(i) => {
                            self.indexes = true;
                            let i = self.peek(*i);
                            quote!(#rt::index::Whole(#of).#part(#i, #located))
                        }
                        Lookup::Method { .. } | Lookup::View { .. } => {
                            quote!(#rt::index::Lender(#of).#part(#located))
                        }
                    })
                }
                Proj::Index(i) | Proj::At(Lookup::Index(i), _) => {
                    let i = self.peek(*i);
                    Access::Place(quote!(#tokens[#i]))
                }
                Proj::At(
                    Lookup::Method {
                        name,
                        args,
                        mutable: unique,
                    },
                    _,
                ) => {
                    let args: Vec<TokenStream> = args.iter().map(|v| self.peek(*v)).collect();
                    let part = quote!(#tokens.#name(#(#args),*));
                    if *unique == mutable {
                        Access::Reference(part)
                    } else {
                        Access::Place(quote!((*#part)))
                    }
                }
                Proj::Range(lo, hi) => {
                    let lo = lo.map(|v| self.peek_at(v, 6));
                    let hi = hi.map(|v| self.peek_at(v, 6));
                    Access::Place(quote!(#tokens[#lo..#hi]))
                }
            };
        }
        base
    }

    /// Returns `true` if what a place holds has a size for certain: an element, or what a variable holds itself.
    fn is_sized(&self, place: &Place) -> bool {
        match place.path.last() {
            Some(Proj::Index(_)) => true,
            None | Some(Proj::Field(_)) => self.func.slot(place.root).kind == SlotKind::Owned,
            _ => false,
        }
    }

    /// Returns `true` if a place is known to be behind a reference.
    fn is_behind(&self, place: &Place) -> bool {
        self.func.slot(place.root).kind != SlotKind::Owned
    }

    /// Returns `true` if a place is a field inside of a field that may be constant.
    fn goes_inside(&self, place: &Place) -> bool {
        let tangents = self.func.in_tangent(place);
        let reference = self.func.slot(place.root).in_field;
        let mut in_field = reference;
        place.path.iter().zip(tangents).any(|(proj, tangent)| {
            let inside = in_field && (tangent || reference) && matches!(proj, Proj::Field(_));
            in_field |= goes_in(proj);
            inside
        })
    }

    /// A reference to the base of a field that may be inside of a constant field, which has no tangent: a stand-in then,
    /// whose fields have none either.
    fn inside(&mut self, base: &TokenStream, member: &syn::Member) -> TokenStream {
        let rt = self.rt;
        self.fields = true;
        let stand_in = match member {
            syn::Member::Named(name) => {
                self.inside.named.insert(name.to_string());
                Ident::new("__Named", Span::mixed_site())
            }
            syn::Member::Unnamed(k) => {
                self.inside.unnamed = self.inside.unnamed.max(k.index + 1);
                Ident::new("__Unnamed", Span::mixed_site())
            }
        };
        quote!(#rt::Inside(#base).or(<#stand_in as ::core::default::Default>::default()))
    }

    /// `&place` or `&mut place`.
    pub(super) fn reference(&mut self, place: &Place, mutable: bool) -> TokenStream {
        match self.part(place) {
            Some(part) if mutable => return quote!(&mut *#part),
            Some(part) => return quote!(&*#part),
            None => {}
        }
        let access = self.access(place, mutable);
        if !self.is_reference(place) {
            return access.reference(mutable);
        }
        let tokens = access.place();
        match (mutable, self.func.slot(place.root).kind) {
            (true, _) => quote!(&mut *#tokens),
            (false, SlotKind::Ref) => tokens,
            (false, _) => quote!(&*#tokens),
        }
    }

    /// `place`, to be assigned to.
    pub(super) fn target(&mut self, place: &Place) -> TokenStream {
        match self.whole(place, true) {
            Access::Place(tokens) => tokens,
            Access::Reference(tokens) | Access::Generic(tokens) => quote!(*#tokens),
        }
    }

    /// A non-negative literal without its suffix.
    fn bare(&self, v: Value) -> Option<TokenStream> {
        if matches!(self.func.ty(v), Ty::Real(_) | Ty::Lanes) {
            return None;
        }
        match self.consts.get(&v)? {
            Const::Float(digits) if !digits.starts_with('-') => Some(float(digits, &Ty::Deferred)),
            Const::Int(digits) if !digits.starts_with('-') => Some(int(digits, &Ty::Deferred)),
            Const::Zero if self.func.ty(v).is_float() => Some(float("0.0", &Ty::Deferred)),
            Const::One if self.func.ty(v).is_float() => Some(float("1.0", &Ty::Deferred)),
            _ => None,
        }
    }

    pub(super) fn peek(&mut self, v: Value) -> TokenStream {
        self.peek_at(v, 0)
    }

    /// The expression of an index; a place may be written out more than once, so only names and constants are read here.
    fn peek_at(&mut self, v: Value, min: u8) -> TokenStream {
        match self.bare(v) {
            Some(bare) => bare,
            None => self.take(v).at_least(min),
        }
    }
}

/// Returns `true` if a projection leads to a part that may be constant, so that nothing inside of it has a tangent.
fn goes_in(proj: &Proj) -> bool {
    matches!(proj, Proj::Field(_) | Proj::Variant(..))
}

fn is_path(tokens: &TokenStream) -> bool {
    syn::parse2::<syn::ExprPath>(tokens.clone()).is_ok()
}

/// A primitive type, by a path that no item of the user's can take.
pub(super) fn primitive(ty: &Ty) -> TokenStream {
    let name = match ty {
        Ty::F32 => "f32",
        Ty::F64 => "f64",
        Ty::Int(name) => name,
        Ty::Bool => "bool",
        _ => return quote!(_),
    };
    let ident = Ident::new(name, Span::mixed_site());
    quote!(::core::primitive::#ident)
}

/// Returns `true` if a type is known completely.
fn is_complete(ty: &Ty) -> bool {
    match ty {
        Ty::F32 | Ty::F64 | Ty::Lanes | Ty::Int(_) | Ty::Bool | Ty::Unit | Ty::Real(_) => true,
        Ty::Named(t) | Ty::Inactive(t) => !matches!(**t, syn::Type::Infer(_)),
        Ty::Slice(_) | Ty::Deferred | Ty::Tangent(_) | Ty::Rule | Ty::Tape | Ty::Function => false,
        ty => ty.parts().all(is_complete),
    }
}

/// The type parameter of rules in several directions, which replaces `f64` in tangents.
pub(super) fn lanes() -> Ident {
    Ident::new("__Lanes", Span::mixed_site())
}

/// A type to annotate a variable with, as far as it is known.
pub(super) fn annotation(ty: &Ty, rt: &TokenStream) -> Option<TokenStream> {
    let parts = ty.parts().map(|part| annotation(part, rt));
    let parts = parts.map(|part| part.unwrap_or_else(|| quote!(_)));
    Some(match ty {
        Ty::F32 | Ty::F64 | Ty::Int(_) | Ty::Bool => primitive(ty),
        Ty::Unit => quote!(()),
        Ty::Array(_, n) => quote!([#(#parts)*; #n]),
        Ty::Vec(_) => quote!(#rt::Vec<#(#parts)*>),
        Ty::Deque(_) => quote!(#rt::VecDeque<#(#parts)*>),
        Ty::Option(_) => quote!(::core::option::Option<#(#parts)*>),
        Ty::Result(..) => quote!(::core::result::Result<#(#parts),*>),
        Ty::Boxed(_) => quote!(#rt::Box<#(#parts)*>),
        Ty::Tuple(_) => quote!((#(#parts,)*)),
        Ty::Named(t) | Ty::Inactive(t) => quote!(#t),
        Ty::Real(name) => quote!(#name),
        Ty::Lanes => quote::ToTokens::into_token_stream(lanes()),
        // A type that rustc resolves later has no known tangent until then.
        Ty::Tangent(t) if is_complete(t) => {
            let t = annotation(t, rt)?;
            quote!(#rt::Tan<#t>)
        }
        _ => return None,
    })
}

/// True if floats have all their methods. Without std those that aren't in core are found by the path of a trait, which need
/// not be in scope where the rules are emitted.
const STD: bool = cfg!(any(feature = "std", test));

fn in_core(f: MathFn) -> bool {
    matches!(
        f,
        "abs"
            | "clamp"
            | "copysign"
            | "max"
            | "min"
            | "recip"
            | "signum"
            | "to_degrees"
            | "to_radians"
    )
}

pub(super) fn float(digits: &str, ty: &Ty) -> TokenStream {
    let mut text: String = digits.replace('_', "");
    let negative = text.starts_with('-');
    if negative {
        text.remove(0);
    }
    let suffix = match ty {
        Ty::F32 => "f32",
        Ty::F64 => "f64",
        _ => "",
    };
    let literal = if suffix.is_empty() && !text.contains(['.', 'e', 'E']) {
        format!("{text}.0")
    } else {
        text
    };
    match format!("{}{suffix}", literal.trim_end_matches('.')).parse::<Literal>() {
        Ok(literal) if negative => quote!(-#literal),
        Ok(literal) => quote!(#literal),
        Err(_) => bug!("the float literal {digits}"),
    }
}

fn int(digits: &str, ty: &Ty) -> TokenStream {
    let negative = digits.starts_with('-');
    let digits = digits.trim_start_matches('-');
    let suffix = if let Ty::Int(name) = ty { name } else { "" };
    match format!("{digits}{suffix}").parse::<Literal>() {
        Ok(literal) if negative => quote!(-#literal),
        Ok(literal) => quote!(#literal),
        Err(_) => bug!("the integer literal {digits}"),
    }
}

/// Tokens whose errors rustc reports at the user's span; names in them resolve as before.
pub(crate) fn at(span: Span, tokens: &TokenStream) -> TokenStream {
    tokens
        .clone()
        .into_iter()
        .map(|tree| {
            let mut tree = match tree {
                TokenTree::Group(group) => {
                    TokenTree::Group(Group::new(group.delimiter(), at(span, &group.stream())))
                }
                other => other,
            };
            tree.set_span(tree.span().located_at(span));
            tree
        })
        .collect()
}
