//! The rules of a parallel loop, from the rules of a function that runs one of its blocks.
//!
//! Input: the surface of the loop, which takes whole lists, and that of its block, which takes a part of each. Output: bodies of hidden rules. They cut
//! the lists and their tangents and shadows by a [plan](../../../ad-runtime/src/parallel.rs), run the rule of the block for each part on several threads,
//! and join the results in order.
//!
//! | result | reverse rule |
//! |---|---|
//! | a sum, where nothing is written | the combined rule of each block, with the cotangent one: nothing is kept but the gradient, which the pullback scales |
//! | anything else | the reverse rule of each block, whose pullbacks are kept |

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::hidden::{Hidden, Order};
use super::{Argument, Surface};
use crate::emit::{Parts, own};
use crate::ir::PassedBy;

/// A parallel loop and its block.
pub(crate) struct Parallel<'a> {
    pub(crate) surface: &'a Surface<'a>,
    pub(crate) of: &'a Surface<'a>,
    /// One for each parameter of the loop.
    pub(crate) roles: &'a [Role],
    pub(crate) end: End,
    /// The block takes the position of its first item.
    pub(crate) counted: bool,
}

/// What the blocks make.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum End {
    /// A number, which are added.
    Sum,
    /// Nothing: they write to parts of lists.
    Nothing,
    /// A `Vec`, which are concatenated.
    List,
    /// The two halves of a pair.
    Pair,
    /// An integer, which are added.
    Count,
}

/// How a parameter reaches the blocks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Role {
    /// Each block gets its part.
    List {
        mutable: bool,
        /// The parameter with the number of elements of an item, and whether a shorter last item is left out.
        chunks: Option<(Ident, bool)>,
    },
    /// The start of a range, of which each block gets a part; its end is the next parameter.
    Start,
    End,
    /// The least number of items in a block, which blocks don't get.
    Least,
    /// Each block gets it.
    Whole,
}

/// What runs beside the values of a list.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lane {
    Value,
    Dot,
    Bar,
    BarDot,
}

impl Lane {
    fn of(self, k: usize) -> Ident {
        let name = match self {
            Lane::Value => "value",
            Lane::Dot => "dot",
            Lane::Bar => "bar",
            Lane::BarDot => "bar_dot",
        };
        own(&format!("{name}_{k}"))
    }
}

/// The expression for a lane of an argument, as a whole.
type Of<'e> = &'e dyn Fn(&Argument, Lane) -> TokenStream;

impl Parallel<'_> {
    /// The loop itself.
    pub(crate) fn primal(&self) -> TokenStream {
        let rt = self.of.rt;
        let block = self.of.primal_path();
        let args = self.block_args(&|k, a, role| match role {
            Role::List { .. } => quote_ident(&Lane::Value.of(k)),
            _ => quote_ident(&a.name),
        });
        let (pieces, piece) = self.pieces(&|a, lane| {
            let name = &a.name;
            (lane == Lane::Value).then(|| quote!(#name))
        });
        let (plan, results) = (self.plan(&|a, _| quote_ident(&a.name)), own("results"));
        let joined = self.joined(Order::First, &quote!(#results));
        quote! {
            #plan
            let (#results, ()) =
                #rt::parallel::blocks(#pieces, || (), |_, ()| (), |#piece, ()| #block(#(#args),*));
            #joined
        }
    }

    /// The forward rule.
    pub(crate) fn frule(&self) -> Parts {
        let rt = self.of.rt;
        let rule = self.of.hidden("frule");
        let args = self.block_args(&|k, a, role| self.value(Order::Second, k, a, role));
        let (pieces, piece) = self.pieces(&|a, lane| match lane {
            Lane::Value | Lane::Dot => Some(dual_part(a, lane)),
            Lane::Bar | Lane::BarDot => None,
        });
        let (plan, results) = (self.plan(&dual_part), own("results"));
        let joined = self.joined(Order::Second, &quote!(#results));
        let body = quote! {
            #plan
            let (#results, ()) =
                #rt::parallel::blocks(#pieces, || (), |_, ()| (), |#piece, ()| #rule(#(#args),*));
            #joined
        };
        self.hidden().frule_with(&body)
    }

    /// A reverse rule.
    pub(crate) fn reverse(&self, order: Order) -> Parts {
        // A combined rule puts back what it has written.
        let writes =
            (self.roles.iter()).any(|role| matches!(role, Role::List { mutable: true, .. }));
        if self.end == End::Sum && !writes {
            self.reverse_of_sum(order)
        } else {
            self.reverse_of_blocks(order)
        }
    }

    /// A reverse rule whose first half computes the gradient, and whose second half adds a multiple of it to the shadows.
    fn reverse_of_sum(&self, order: Order) -> Parts {
        let rt = self.of.rt;
        let second = order == Order::Second;
        let rule = self
            .of
            .hidden(if second { "combined_frule" } else { "combined" });
        let given = given(order);
        let (gradient, shadows, results) = (own("gradient"), own("shadows"), own("results"));
        let (one, zero, _) = self.of.unit_seed();
        // The gradient with respect to the lists, which blocks have parts of.
        let lists = self.lists().filter(|(_, a, _)| !a.constant);
        let made: TokenStream = lists
            .map(|(k, a, _)| {
                let value = given(a, Lane::Value);
                let bars = bars(order).map(|lane| {
                    let (bar, ty) = (whole(lane, k), self.of.owned_tangent(a));
                    quote!(let mut #bar: #ty = #rt::Differentiable::zero_tangent(&*#value);)
                });
                quote!(#(#bars)*)
            })
            .collect();
        let (pieces, piece) = self.pieces(&|a, lane| match lane {
            Lane::Bar | Lane::BarDot => {
                let bar = whole(lane, self.position(a));
                bars(order)
                    .any(|bar| bar == lane)
                    .then(|| quote!(&mut #bar[..]))
            }
            Lane::Dot if !second => None,
            Lane::Value | Lane::Dot => Some(given(a, lane)),
        });
        let mut args = self.block_args(&|k, a, role| self.value(order, k, a, role));
        args.push(if second {
            quote!(#rt::Dual(#one, #zero))
        } else {
            one
        });
        for (k, a, role) in self.args().filter(|(_, a, _)| !a.constant) {
            args.push(match role {
                Role::List { .. } => pair(order, self.of, &|lane| quote_ident(&lane.of(k))),
                _ => self.shadow(order, a, &shadows),
            });
        }
        let (zeros, merge) = self.shared(order, &given);
        let (plan, joined) = (self.plan(&given), self.joined(order, &quote!(#results)));
        let kept = self
            .args()
            .filter(|(_, a, _)| !a.constant)
            .map(|(k, a, role)| match role {
                Role::List { .. } => {
                    let bars = bars(order).map(|lane| whole(lane, k));
                    quote!((#(#bars,)*))
                }
                _ => {
                    let at = self.index(a);
                    quote!(#shadows.#at)
                }
            });
        let forward = quote! {
            #plan
            #made
            let (#results, #shadows) =
                #rt::parallel::blocks(#pieces, #zeros, #merge, |#piece, #shadows| #rule(#(#args),*));
            let #gradient = (#(#kept,)*);
        };
        let seed = own("seed");
        let added = self.surface.differentiated().enumerate().map(|(k, a)| {
            let (name, at) = (&a.name, syn::Index::from(k));
            let tangent = self.of.tangent(a);
            let part = |part: usize| {
                let part = syn::Index::from(part);
                quote!(::core::borrow::Borrow::<#tangent>::borrow(&#gradient.#at.#part))
            };
            let (first, dot) = (part(0), part(1));
            if second {
                quote! {
                    #rt::parallel::add(&mut *#name.1.0, #seed.0, #first);
                    #rt::parallel::add(&mut *#name.1.1, #seed.1, #first);
                    #rt::parallel::add(&mut *#name.1.1, #seed.0, #dot);
                }
            } else {
                quote!(#rt::parallel::add(&mut *#name.1, #seed, #first);)
            }
        });
        let nothing = self.nothing();
        let reverse = quote!(#(#added)* #nothing);
        self.hidden()
            .halves(order, &forward, &joined, &seed, &reverse)
    }

    /// A reverse rule that keeps the pullback of each block.
    fn reverse_of_blocks(&self, order: Order) -> Parts {
        let rt = self.of.rt;
        let second = order == Order::Second;
        let rule = self.of.hidden(if second { "rrule_frule" } else { "rrule" });
        let (results, pullbacks, pullback) = (own("results"), own("pullbacks"), own("pullback"));
        let (shadows, seed, seeds, lengths) =
            (own("shadows"), own("seed"), own("seeds"), own("lengths"));
        let given = given(order);
        let args = self.block_args(&|k, a, role| self.value(order, k, a, role));
        let (pieces, piece) = self.pieces(&|a, lane| match lane {
            Lane::Dot if !second => None,
            Lane::Value | Lane::Dot => Some(given(a, lane)),
            Lane::Bar | Lane::BarDot => None,
        });
        let (made, joined) = (self.plan(&given), self.joined(order, &quote!(#results)));
        let lengths_of = (self.end == End::List).then(|| {
            let of = if second {
                "lengths_of_duals"
            } else {
                "lengths"
            };
            let of = format_ident!("{of}");
            quote!(let #lengths = #rt::parallel::#of(&#results);)
        });
        let forward = quote! {
            #made
            let (#results, ()) =
                #rt::parallel::blocks(#pieces, || (), |_, ()| (), |#piece, ()| #rule(#(#args),*));
            let (#results, #pullbacks): (#rt::Vec<_>, #rt::Vec<_>) =
                ::core::iter::Iterator::unzip(::core::iter::IntoIterator::into_iter(#results));
            #lengths_of
        };
        // The second half, where each argument is there again, with its shadow.
        let again = |a: &Argument, lane: Lane| {
            let name = &a.name;
            match (a.constant, order, lane) {
                (true, _, _) => quote!(#name),
                (false, Order::First, Lane::Value) => quote!(#name.0),
                (false, Order::First, _) => quote!(#name.1),
                (false, Order::Second, Lane::Value) => quote!(#name.0.0),
                (false, Order::Second, Lane::Dot) => quote!(#name.0.1),
                (false, Order::Second, Lane::Bar) => quote!(#name.1.0),
                (false, Order::Second, Lane::BarDot) => quote!(#name.1.1),
            }
        };
        let (pieces, piece) = self.pieces(&|a, lane| {
            let is_there = matches!(lane, Lane::Value | Lane::Bar) || second;
            // The memory of a constant `&mut` isn't put back.
            let gone = a.constant && matches!(self.role(a), Role::List { mutable: true, .. });
            (is_there && !gone).then(|| again(a, lane))
        });
        let seed_of_block = own("part");
        let first = self.counted.then(|| quote!(()));
        let taken = self.args().filter(|(_, _, role)| **role != Role::Least);
        let handed = first
            .into_iter()
            .chain(taken.map(|(k, a, role)| match (role, a.constant) {
                (Role::List { mutable: true, .. }, true)
                | (Role::Start | Role::End | Role::Least, _) => {
                    quote!(())
                }
                (Role::List { .. }, true) => quote_ident(&Lane::Value.of(k)),
                (Role::List { .. }, false) => {
                    let value = self.value(order, k, a, role);
                    let bar = pair(order, self.of, &|lane| quote_ident(&lane.of(k)));
                    quote!(#rt::CoDual(#value, #bar))
                }
                (Role::Whole, true) if a.by == PassedBy::Value => quote!(()),
                (Role::Whole, true) => quote_ident(&a.name),
                (Role::Whole, false) => {
                    let (value, bar) = (again(a, Lane::Value), self.shadow(order, a, &shadows));
                    if second {
                        let dot = again(a, Lane::Dot);
                        quote!(#rt::CoDual(#rt::Dual(&*#value, &*#dot), #bar))
                    } else {
                        quote!(#rt::CoDual(&*#value, #bar))
                    }
                }
            }));
        let (zeros, merge) = self.shared(order, &again);
        let suffix = if second { "_duals" } else { "" };
        let seeds_of = match self.end {
            End::List => {
                let split = format_ident!("split{suffix}");
                quote!(#rt::parallel::#split(#seed, &#lengths))
            }
            End::Pair => {
                let halves = format_ident!("halves_of{suffix}");
                quote!(#rt::parallel::#halves(#seed))
            }
            _ => quote!(::core::iter::repeat(#seed)),
        };
        let merged = self.whole().map(|a| {
            let (at, tangent) = (self.index(a), self.of.tangent(a));
            let bars = bars(order).enumerate().map(|(k, lane)| {
                let (shadow, k) = (again(a, lane), syn::Index::from(k));
                quote!(#rt::Tangent::accumulate(&mut *#shadow, ::core::borrow::Borrow::<#tangent>::borrow(&#shadows.#at.#k));)
            });
            quote!(#(#bars)*)
        });
        let nothing = self.nothing();
        let reverse = quote! {
            let #seeds = #seeds_of;
            let (_, #shadows) = #rt::parallel::blocks(
                ::core::iter::Iterator::zip(::core::iter::Iterator::zip(#pieces, #seeds), #pullbacks),
                #zeros,
                #merge,
                |((#piece, #seed_of_block), #pullback), #shadows| {
                    let _ = #pullback(#seed_of_block, #(#handed),*);
                },
            );
            #(#merged)*
            #nothing
        };
        self.hidden()
            .halves(order, &forward, &joined, &seed, &reverse)
    }

    /// The result of a pullback that only adds to shadows.
    fn nothing(&self) -> TokenStream {
        let nothing = self.roles.iter().map(|_| quote!(()));
        quote!((#(#nothing,)*))
    }

    /// The results of all blocks as one.
    fn joined(&self, order: Order, results: &TokenStream) -> TokenStream {
        let rt = self.of.rt;
        match (self.end, order) {
            (End::Sum, Order::First) => quote!(#rt::parallel::sum(#results)),
            (End::Sum, Order::Second) => quote!(#rt::parallel::sum_of_duals(#results)),
            (End::Count, Order::First) => quote!(#rt::parallel::sum(#results)),
            (End::Count, Order::Second) => quote!(#rt::parallel::sum_of_constants(#results)),
            (End::Nothing, Order::First) => quote!({ let _ = #results; }),
            (End::Nothing, Order::Second) => {
                quote!({ let _ = #results; #rt::Dual((), #rt::NoTangent) })
            }
            (End::List, Order::First) => quote!(#rt::parallel::concatenated(#results)),
            (End::List, Order::Second) => quote!(#rt::parallel::concatenated_duals(#results)),
            (End::Pair, Order::First) => quote!(#rt::parallel::pair(#results)),
            (End::Pair, Order::Second) => quote!(#rt::parallel::pair_of_duals(#results)),
        }
    }

    /// `let plan = ..;`
    fn plan(&self, of: Of<'_>) -> TokenStream {
        let (rt, plan) = (self.of.rt, own("plan"));
        let mut lengths = Vec::new();
        let mut least = quote!(1);
        for (k, a, role) in self.args() {
            let value = of(a, Lane::Value);
            match role {
                Role::List { chunks: None, .. } => lengths.push(quote!(#value.len())),
                Role::List {
                    chunks: Some((size, exact)),
                    ..
                } => lengths.push(if *exact {
                    quote!(#value.len() / #size)
                } else {
                    quote!(#value.len().div_ceil(#size))
                }),
                Role::Start => {
                    let end = &self.surface.args[k + 1].name;
                    lengths.push(quote!(#rt::parallel::length(&(#value..#end))));
                }
                Role::Least => least = value,
                Role::End | Role::Whole => {}
            }
        }
        quote!(let #plan = #rt::parallel::Plan::new(&[#(#lengths),*], #least);)
    }

    /// An iterator over the blocks' parts of the lists, of the lanes that there are, and a pattern for them.
    fn pieces(
        &self,
        of: &dyn Fn(&Argument, Lane) -> Option<TokenStream>,
    ) -> (TokenStream, TokenStream) {
        let (plan, first) = (own("plan"), own("first"));
        let (mut pieces, mut pattern) = (quote!(#plan.starts()), quote!(#first));
        let mut add = |iterator: TokenStream, name: Ident| {
            pieces = quote!(::core::iter::Iterator::zip(#pieces, #iterator));
            pattern = quote!((#pattern, #name));
        };
        for (k, a, role) in self.args() {
            match role {
                Role::List { mutable, chunks } => {
                    let unit = chunks
                        .as_ref()
                        .map_or_else(|| quote!(1), |(size, _)| quote!(#size));
                    for lane in [Lane::Value, Lane::Dot, Lane::Bar, Lane::BarDot] {
                        if a.constant && lane != Lane::Value {
                            continue;
                        }
                        let Some(list) = of(a, lane) else { continue };
                        let written = *mutable || matches!(lane, Lane::Bar | Lane::BarDot);
                        let cut = format_ident!("{}", if written { "cut_mut" } else { "cut" });
                        add(quote!(#plan.#cut(#list, #unit)), lane.of(k));
                    }
                }
                Role::Start => {
                    let (start, end) = (&a.name, &self.surface.args[k + 1].name);
                    add(quote!(#plan.cut_range(#start..#end)), Lane::Value.of(k));
                }
                Role::End | Role::Least | Role::Whole => {}
            }
        }
        (pieces, pattern)
    }

    fn block_args(&self, of: &dyn Fn(usize, &Argument, &Role) -> TokenStream) -> Vec<TokenStream> {
        let first = self.counted.then(|| quote_ident(&own("first")));
        let args = self.args().filter_map(|(k, a, role)| match role {
            Role::Start => {
                let range = Lane::Value.of(k);
                Some(quote!(#range.start))
            }
            Role::End => {
                let range = Lane::Value.of(k - 1);
                Some(quote!(#range.end))
            }
            Role::Least => None,
            Role::List { .. } | Role::Whole => Some(of(k, a, role)),
        });
        first.into_iter().chain(args).collect()
    }

    /// An argument of the block's rule, with its tangent.
    fn value(&self, order: Order, k: usize, a: &Argument, role: &Role) -> TokenStream {
        let (rt, name) = (self.of.rt, &a.name);
        match (role, a.constant, order) {
            (Role::List { .. }, false, Order::Second) => {
                let (value, dot) = (Lane::Value.of(k), Lane::Dot.of(k));
                quote!(#rt::Dual(#value, #dot))
            }
            (Role::List { .. }, _, _) => quote_ident(&Lane::Value.of(k)),
            (_, false, Order::Second) => quote!(#rt::Dual(#name.0, #name.1)),
            _ => quote!(#name),
        }
    }

    /// The zeros of the shadows that all blocks add to, and how two of them are joined.
    fn shared(&self, order: Order, of: Of<'_>) -> (TokenStream, TokenStream) {
        let (rt, into, from) = (self.of.rt, own("into"), own("from"));
        let zeros = self.whole().map(|a| {
            let value = of(a, Lane::Value);
            let zeros = bars(order).map(|_| quote!(#rt::Differentiable::zero_tangent(&*#value)));
            quote!((#(#zeros,)*))
        });
        let merges = self.whole().map(|a| {
            let (at, tangent) = (self.index(a), self.of.tangent(a));
            let merges = bars(order).enumerate().map(|(k, _)| {
                let k = syn::Index::from(k);
                quote! {
                    #rt::Tangent::accumulate(
                        ::core::borrow::BorrowMut::<#tangent>::borrow_mut(&mut #into.#at.#k),
                        ::core::borrow::Borrow::<#tangent>::borrow(&#from.#at.#k),
                    );
                }
            });
            quote!(#(#merges)*)
        });
        let types = self.whole().map(|a| {
            let owned = self.of.owned_tangent(a);
            let types = bars(order).map(|_| owned.clone());
            quote!((#(#types,)*))
        });
        (
            quote!(|| (#(#zeros,)*)),
            quote!(|#into: &mut (#(#types,)*), #from| { #(#merges)* }),
        )
    }

    /// A block's shadow of an argument that all blocks get.
    fn shadow(&self, order: Order, a: &Argument, shadows: &Ident) -> TokenStream {
        let (at, tangent) = (self.index(a), self.of.tangent(a));
        pair(order, self.of, &|lane| {
            let k = syn::Index::from(usize::from(lane == Lane::BarDot));
            quote!(::core::borrow::BorrowMut::<#tangent>::borrow_mut(&mut #shadows.#at.#k))
        })
    }

    fn hidden(&self) -> Hidden<'_> {
        Hidden {
            surface: self.surface,
        }
    }

    fn args(&self) -> impl Iterator<Item = (usize, &Argument, &Role)> {
        let args = self.surface.args.iter().zip(self.roles).enumerate();
        args.map(|(k, (a, role))| (k, a, role))
    }

    fn lists(&self) -> impl Iterator<Item = (usize, &Argument, &Role)> {
        self.args()
            .filter(|(_, _, role)| matches!(role, Role::List { .. }))
    }

    /// The differentiated parameters that all blocks get.
    fn whole(&self) -> impl Iterator<Item = &Argument> {
        let all = self
            .args()
            .filter(|(_, a, role)| **role == Role::Whole && !a.constant);
        all.map(|(_, a, _)| a)
    }

    fn position(&self, a: &Argument) -> usize {
        let found = self
            .surface
            .args
            .iter()
            .position(|other| other.name == a.name);
        found.unwrap_or_else(|| crate::diagnostics::bug!("a parameter of the loop"))
    }

    fn role(&self, a: &Argument) -> &Role {
        &self.roles[self.position(a)]
    }

    /// Where the shadow of an argument that all blocks get stands among those.
    fn index(&self, a: &Argument) -> syn::Index {
        let found = self.whole().position(|other| other.name == a.name);
        syn::Index::from(found.unwrap_or_else(|| crate::diagnostics::bug!("a shadow of the loop")))
    }
}

/// The lanes of shadows.
fn bars(order: Order) -> impl Iterator<Item = Lane> {
    let second = (order == Order::Second).then_some(Lane::BarDot);
    [Lane::Bar].into_iter().chain(second)
}

/// A shadow, and at second order its tangent.
fn pair(order: Order, of: &Surface<'_>, lane: &dyn Fn(Lane) -> TokenStream) -> TokenStream {
    let (rt, bar) = (of.rt, lane(Lane::Bar));
    if order == Order::First {
        return bar;
    }
    let bar_dot = lane(Lane::BarDot);
    quote!(#rt::Dual(#bar, #bar_dot))
}

/// A whole list of shadows.
fn whole(lane: Lane, k: usize) -> Ident {
    own(&format!("whole_{}", lane.of(k)))
}

/// The lanes of an argument of a rule, in its first half.
fn given(order: Order) -> fn(&Argument, Lane) -> TokenStream {
    match order {
        Order::First => |a, _| quote_ident(&a.name),
        Order::Second => dual_part,
    }
}

/// The value or the tangent of an argument on duals.
fn dual_part(a: &Argument, lane: Lane) -> TokenStream {
    let name = &a.name;
    match (a.constant, lane) {
        (true, _) => quote!(#name),
        (false, Lane::Dot) => quote!(#name.1),
        (false, _) => quote!(#name.0),
    }
}

fn quote_ident(name: &Ident) -> TokenStream {
    quote!(#name)
}
