//! Disjoint parts of one variable that one operation uses, at least one of them mutably. rustc sees that fields are disjoint,
//! but not that ranges and elements are, so they are split as the user has split them.
//!
//! ```text
//! f(&mut x[..k], &mut x[k..])      let (left, right) = x.split_at_mut(k); f(&mut *left, &mut *right)
//! f(&mut x[0], &x[1])              let [run, run_1] = x.get_disjoint_mut([0, 1]).unwrap(); f(&mut *run, &*run_1)
//! ```

use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;

use super::Emitter;
use super::expr::Access;
use crate::diagnostics::bug;
use crate::ir::{Arg, Const, Op, OpKind, Place, Proj, PullArg, Use, Value};

/// A place, and the rest of its path.
struct Part {
    place: Place,
    rest: Vec<Proj>,
}

/// How an operation uses a place: shared or uniquely.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Uniqueness {
    Shared,
    /// A receiver: only the method says how it is taken.
    Perhaps,
    Unique,
}

/// On which side of a position a part lies, and its path from there.
enum Side {
    Left(Vec<Proj>),
    Right(Vec<Proj>),
}

impl Emitter<'_> {
    /// Splits the places that the operation uses in parts; until it has been emitted, they have names.
    pub(super) fn split(&mut self, op: &Op, out: &mut TokenStream) {
        let mut places = Vec::new();
        match &op.kind {
            OpKind::Swap(a, b) => places.extend([a, b].map(|place| (place, Uniqueness::Unique))),
            OpKind::Call(call) => {
                for arg in call.args.iter().chain(call.tangents.iter().flatten()) {
                    places.extend(arg.place().map(|place| (place, self.uniqueness(arg))));
                }
            }
            OpKind::ApplyPullback(apply) => {
                for arg in &apply.args {
                    match arg {
                        PullArg::Nothing
                        | PullArg::Open
                        | PullArg::Value { .. }
                        | PullArg::Function(_) => {}
                        PullArg::Inactive(arg) => {
                            places.extend(arg.place().map(|place| (place, self.uniqueness(arg))));
                        }
                        PullArg::Shadow { primal, shadow } => {
                            for arg in primal {
                                places
                                    .extend(arg.place().map(|place| (place, self.uniqueness(arg))));
                            }
                            places.extend(shadow.iter().map(|place| (place, Uniqueness::Unique)));
                        }
                    }
                }
            }
            // Names for parts.
            OpKind::Opaque { uses, .. } => {
                for used in uses {
                    if let Use::Place {
                        place,
                        by_ref: true,
                        mutable,
                        ..
                    } = used
                    {
                        let unique = if *mutable {
                            Uniqueness::Unique
                        } else {
                            Uniqueness::Shared
                        };
                        places.push((place, unique));
                    }
                }
            }
            OpKind::Combined(call) => {
                for arg in &call.args {
                    for primal in arg.primals() {
                        let uniqueness = self.uniqueness(primal);
                        places.extend(primal.place().map(|place| (place, uniqueness)));
                    }
                    let shadows = arg.shadows().iter();
                    places.extend(shadows.map(|place| (place, Uniqueness::Unique)));
                }
            }
            _ => {}
        }
        while let Some((first, _)) = places.first() {
            let root = first.root;
            let (group, others): (Vec<_>, Vec<_>) = places
                .into_iter()
                .partition(|(place, _)| place.root == root);
            places = others;
            let unique = group.iter().map(|(_, unique)| *unique).max();
            let parts = group.into_iter().map(|(place, _)| Part {
                place: place.clone(),
                rest: place.path.clone(),
            });
            let parts: Vec<Part> = parts.collect();
            let splits = match unique {
                Some(Uniqueness::Unique) => parts.len() > 1,
                Some(Uniqueness::Perhaps) => self.common(&parts).is_some(),
                _ => false,
            };
            if splits {
                self.flush_all(out);
                let base = self.place(&Place::whole(root), true);
                // A call in the user's own code has two such references at once only if they are apart.
                let is_call = !matches!(op.kind, OpKind::Swap(..));
                let apart = is_call && unique == Some(Uniqueness::Unique) && parts.len() == 2;
                self.split_parts(&base, parts, apart, out);
            }
        }
    }

    fn uniqueness(&self, arg: &Arg) -> Uniqueness {
        match arg {
            Arg::Mut(_) => Uniqueness::Unique,
            Arg::Receiver(place) if self.func.receiver_may_write(place.root) => Uniqueness::Perhaps,
            _ => Uniqueness::Shared,
        }
    }

    /// How long the path is that all parts have in common, if they lie on both sides of a position there.
    fn common(&self, parts: &[Part]) -> Option<usize> {
        let first = parts.first()?;
        let common = (0..first.rest.len())
            .take_while(|k| {
                parts
                    .iter()
                    .all(|part| part.rest.get(*k) == first.rest.get(*k))
            })
            .count();
        let rests = parts.iter().map(|part| &part.rest[common..]);
        self.boundary(&rests.collect::<Vec<_>>()).map(|_| common)
    }

    fn split_parts(
        &mut self,
        base: &TokenStream,
        mut parts: Vec<Part>,
        apart: bool,
        out: &mut TokenStream,
    ) {
        parts.dedup_by(|a, b| a.place == b.place);
        if parts.len() == 1 {
            for part in parts {
                let ident = self.names.fresh("part");
                let reference = if part.rest.is_empty() {
                    quote!(&mut *#base)
                } else {
                    let start = part.place.path.len() - part.rest.len();
                    let base = Access::Place(base.clone());
                    let part = self.projected(base, &part.place, start, &part.rest, true);
                    part.reference(true)
                };
                out.extend(quote!(let #ident = #reference;));
                self.parts.push((part.place, ident));
            }
            return;
        }
        let common = (0..parts[0].rest.len())
            .take_while(|k| {
                let first = parts[0].rest.get(*k);
                parts.iter().all(|part| part.rest.get(*k) == first)
            })
            .count();
        let (place, rest) = (&parts[0].place, &parts[0].rest);
        let start = place.path.len() - rest.len();
        let base = Access::Place(base.clone());
        let base = self.projected(base, place, start, &rest[..common], true);
        let base = base.place();
        parts
            .iter_mut()
            .for_each(|part| drop(part.rest.drain(..common)));
        let rests: Vec<&[Proj]> = parts.iter().map(|part| &part.rest[..]).collect();
        let Some(at) = self.boundary(&rests) else {
            let listed =
                |rest: &&[Proj]| matches!(rest.first(), Some(Proj::Index(_) | Proj::Range(..)));
            if self.are_apart(&rests) || apart && rests.iter().all(listed) {
                self.split_runs(&base, parts, out);
            }
            return;
        };
        let [left, right] = ["left", "right"].map(|name| self.names.fresh(name));
        let position = self.peek(at);
        out.extend(quote!(let (#left, #right) = #base.split_at_mut(#position);));
        let (mut lefts, mut rights) = (Vec::new(), Vec::new());
        for mut part in parts {
            match self.side(&part.rest, at) {
                Some(Side::Left(rest)) => {
                    part.rest = rest;
                    lefts.push(part);
                }
                Some(Side::Right(rest)) => {
                    part.rest = rest;
                    rights.push(part);
                }
                None => {}
            }
        }
        self.split_parts(&quote!(#left), lefts, false, out);
        self.split_parts(&quote!(#right), rights, false, out);
    }

    /// Borrows the elements and ranges that the parts begin with, all at once.
    fn split_runs(&mut self, base: &TokenStream, parts: Vec<Part>, out: &mut TokenStream) {
        let mut runs: Vec<Vec<Part>> = Vec::new();
        for part in parts {
            let same = |run: &&mut Vec<Part>| run[0].rest.first() == part.rest.first();
            match runs.iter_mut().find(same) {
                Some(run) => run.push(part),
                None => runs.push(vec![part]),
            }
        }
        let element = |run: &[Part]| match run[0].rest.first() {
            Some(Proj::Index(at)) => Some(*at),
            _ => None,
        };
        let elements: Option<Vec<Value>> = runs.iter().map(|run| element(run)).collect();
        let only_elements = elements.is_some();
        let bounds: Vec<TokenStream> = match elements {
            Some(elements) => elements.into_iter().map(|at| self.peek(at)).collect(),
            None => {
                let len = self.names.fresh("len");
                out.extend(quote!(let #len = #base.len();));
                runs.iter()
                    .map(|run| self.bounds(&len, &run[0].rest))
                    .collect()
            }
        };
        let names: Vec<_> = runs.iter().map(|_| self.names.fresh("run")).collect();
        out.extend(quote!(let [#(#names),*] = #base.get_disjoint_mut([#(#bounds),*]).unwrap();));
        for (name, mut run) in names.into_iter().zip(runs) {
            if !only_elements && element(&run).is_some() {
                out.extend(quote!(let #name = &mut #name[0];));
            }
            run.iter_mut().for_each(|part| drop(part.rest.remove(0)));
            self.split_parts(&quote!(#name), run, false, out);
        }
    }

    /// The range of the elements that a path begins with, in a list of this length.
    fn bounds(&mut self, len: &Ident, rest: &[Proj]) -> TokenStream {
        match rest.first() {
            Some(Proj::Index(at)) => {
                let (at, after) = (self.peek(*at), self.position(*at).map(|at| at + 1));
                let after = after.map(Literal::u64_unsuffixed);
                after.map_or_else(|| quote!(#at..#at + 1), |after| quote!(#at..#after))
            }
            Some(Proj::Range(lo, hi)) => {
                let lo = lo.map_or_else(|| quote!(0), |lo| self.peek(lo));
                let hi = hi.map_or_else(|| quote!(#len), |hi| self.peek(hi));
                quote!(#lo..#hi)
            }
            _ => bug!("neither an element nor a range"),
        }
    }

    /// True if parts begin with elements or ranges that are the same or certainly disjoint, and some are disjoint.
    fn are_apart(&self, parts: &[&[Proj]]) -> bool {
        let firsts: Option<Vec<&Proj>> = parts.iter().map(|rest| rest.first()).collect();
        let Some(firsts) = firsts else { return false };
        let different = |a: &Proj, b: &Proj| a == b || self.disjoint(a, b) || self.disjoint(b, a);
        firsts.iter().any(|first| *first != firsts[0])
            && (firsts.iter().enumerate())
                .all(|(k, a)| firsts[k + 1..].iter().all(|b| different(a, b)))
    }

    /// True if `a` certainly ends in front of `b`, or both are elements at different constant positions.
    fn disjoint(&self, a: &Proj, b: &Proj) -> bool {
        let (end, start) = match (a, b) {
            (Proj::Index(a), Proj::Index(b)) => {
                return (self.position(*a).zip(self.position(*b))).is_some_and(|(a, b)| a != b);
            }
            (Proj::Range(_, Some(end)), Proj::Index(start) | Proj::Range(Some(start), _)) => {
                (self.position(*end), *start)
            }
            (Proj::Index(at), Proj::Range(Some(start), _)) => {
                (self.position(*at).map(|at| at + 1), *start)
            }
            _ => return false,
        };
        matches!(a, Proj::Range(_, Some(end)) if self.same(*end, start))
            || (end.zip(self.position(start))).is_some_and(|(end, start)| end <= start)
    }

    /// The number that an index is, if it is a constant.
    fn position(&self, v: Value) -> Option<u64> {
        match self.consts.get(&v) {
            Some(Const::Int(digits)) => digits.parse().ok(),
            _ => None,
        }
    }

    /// A position that has each part on one of its sides, and some on both.
    fn boundary(&self, parts: &[&[Proj]]) -> Option<Value> {
        let ends = parts.iter().filter_map(|rest| match rest.first()? {
            Proj::Range(lo, hi) => Some([*lo, *hi]),
            _ => None,
        });
        let mut candidates = ends.flatten().flatten();
        candidates.find(|at| {
            let sides = parts.iter().map(|rest| self.side(rest, *at));
            let sides: Option<Vec<Side>> = sides.collect();
            sides.is_some_and(|sides| {
                let left = sides.iter().filter(|side| matches!(side, Side::Left(_)));
                let left = left.count();
                left > 0 && left < sides.len()
            })
        })
    }

    fn side(&self, rest: &[Proj], at: Value) -> Option<Side> {
        let (first, after) = rest.split_first()?;
        let with = |proj: Option<Proj>| proj.into_iter().chain(after.iter().cloned()).collect();
        match first {
            Proj::Range(lo, Some(hi)) if self.same(*hi, at) => {
                let proj = lo.map(|lo| Proj::Range(Some(lo), None));
                Some(Side::Left(with(proj)))
            }
            Proj::Range(Some(lo), None) if self.same(*lo, at) => Some(Side::Right(with(None))),
            _ => None,
        }
    }

    fn same(&self, a: Value, b: Value) -> bool {
        let digits = |v: Value| match self.consts.get(&v) {
            Some(Const::Int(digits)) => Some(digits),
            _ => None,
        };
        a == b || digits(a).is_some_and(|a| digits(b) == Some(a))
    }
}
