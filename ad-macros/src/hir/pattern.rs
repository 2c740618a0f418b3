//! Patterns of `let`, parameters and `for`.
//!
//! Patterns are tests and projections: `match`, `if let`, `let else`, `while let` and `?` become tests (`matches!`, verbatim) and `let`s of
//! the bindings. The payload of a variant is a projection of a place, `Proj::Variant`. On the primal it is emitted as a pattern, on a
//! shadow as a hidden accessor that the derive generates, since the caller doesn't know the name of the tangent's type.

use super::Pat;
use super::expr::is_variant;
use super::matches::rest_of;
use super::parse::Parser;
use crate::diagnostics::Whole;

/// The first `ref mut` in a tuple.
fn ref_mut(pat: &syn::PatTuple) -> Option<&syn::PatIdent> {
    struct Finder<'ast>(Option<&'ast syn::PatIdent>);
    impl<'ast> syn::visit::Visit<'ast> for Finder<'ast> {
        fn visit_pat_ident(&mut self, pat: &'ast syn::PatIdent) {
            if pat.by_ref.is_some() && pat.mutability.is_some() {
                self.0.get_or_insert(pat);
            }
            syn::visit::visit_pat_ident(self, pat);
        }
    }
    let mut finder = Finder(None);
    syn::visit::Visit::visit_pat_tuple(&mut finder, pat);
    finder.0
}

impl Parser {
    /// Tuples that nothing borrows are values: a part of one would be a part of a copy.
    pub(super) fn no_ref_mut(&mut self, pat: &syn::PatTuple) {
        if let Some(part) = ref_mut(pat) {
            self.error(
                Whole(part),
                "`ref mut` in a tuple is not supported yet",
                "match a reference, `let (a, b) = &mut pair`, or borrow the part: `&mut pair.0`",
            );
        }
    }

    /// Declares the bindings of `pat`, in the innermost scope.
    pub(super) fn pattern(&mut self, pat: &syn::Pat) -> Pat {
        match pat {
            syn::Pat::Wild(_) => Pat::Wild,
            syn::Pat::Ident(pat) => {
                let var = self.declare(&pat.ident, pat.mutability.is_some());
                match &pat.subpat {
                    Some((_, sub)) => Pat::At(var, Box::new(self.pattern(sub))),
                    None => Pat::Bind {
                        var,
                        by_ref: pat.by_ref.map(|_| pat.mutability.is_some()),
                    },
                }
            }
            syn::Pat::Paren(pat) => self.pattern(&pat.pat),
            syn::Pat::Type(pat) => self.pattern(&pat.pat),
            syn::Pat::Tuple(pat) => {
                self.no_ref_mut(pat);
                let rest = rest_of(pat);
                let elems = pat
                    .elems
                    .iter()
                    .filter(|elem| !matches!(elem, syn::Pat::Rest(_)));
                Pat::Tuple {
                    elems: elems.map(|elem| self.pattern(elem)).collect(),
                    rest,
                }
            }
            syn::Pat::Slice(slice) => self.slice(slice, Self::pattern),
            syn::Pat::Reference(pat) => Pat::Ref(Box::new(self.pattern(&pat.pat))),
            // The only variant of its enum.
            syn::Pat::Struct(syn::PatStruct { path, .. })
            | syn::Pat::TupleStruct(syn::PatTupleStruct { path, .. })
                if is_variant(path) =>
            {
                self.refutable(pat)
            }
            syn::Pat::Struct(pat) => {
                let fields = pat.fields.iter();
                Pat::Struct {
                    fields: fields
                        .map(|f| (f.member.clone(), self.pattern(&f.pat)))
                        .collect(),
                }
            }
            syn::Pat::TupleStruct(pat)
                if !pat
                    .elems
                    .iter()
                    .any(|elem| matches!(elem, syn::Pat::Rest(_))) =>
            {
                let elems = pat.elems.iter().enumerate();
                Pat::Struct {
                    fields: elems
                        .map(|(k, elem)| (syn::Member::from(k), self.pattern(elem)))
                        .collect(),
                }
            }
            other => self.opaque_pattern(other),
        }
    }

    /// Declares the bindings of a pattern that has been tested already.
    pub(super) fn refutable(&mut self, pat: &syn::Pat) -> Pat {
        match pat {
            syn::Pat::Paren(pat) => self.refutable(&pat.pat),
            syn::Pat::Ident(pat) if !super::matches::is_binding(&pat.ident) => Pat::Wild,
            syn::Pat::Lit(_) | syn::Pat::Range(_) | syn::Pat::Path(_) | syn::Pat::Const(_) => {
                Pat::Wild
            }
            other if super::mentions::bound(other).is_empty() => Pat::Wild,
            syn::Pat::Ident(ident) if ident.subpat.is_some() => {
                let var = self.declare(&ident.ident, ident.mutability.is_some());
                match &ident.subpat {
                    // A name beside a test is bound as any name is.
                    Some((_, sub)) if super::mentions::bound(sub).is_empty() => Pat::Bind {
                        var,
                        by_ref: ident.by_ref.map(|_| ident.mutability.is_some()),
                    },
                    Some((_, sub)) => Pat::At(var, Box::new(self.refutable(sub))),
                    None => Pat::name(var),
                }
            }
            syn::Pat::Tuple(tuple) => {
                self.no_ref_mut(tuple);
                let is_rest = |elem: &syn::Pat| matches!(elem, syn::Pat::Rest(_));
                let rest = tuple.elems.iter().position(is_rest);
                let elems = tuple.elems.iter().filter(|elem| !is_rest(elem));
                Pat::Tuple {
                    elems: elems.map(|elem| self.refutable(elem)).collect(),
                    rest,
                }
            }
            syn::Pat::Reference(pat) => Pat::Ref(Box::new(self.refutable(&pat.pat))),
            syn::Pat::Slice(slice) => self.slice(slice, Self::refutable),
            syn::Pat::Struct(pat) => {
                let fields = pat.fields.iter();
                Pat::Variant {
                    path: pat.path.clone(),
                    fields: fields
                        .map(|f| (f.member.clone(), self.refutable(&f.pat)))
                        .collect(),
                }
            }
            syn::Pat::TupleStruct(pat) => {
                let is_rest = |elem: &syn::Pat| matches!(elem, syn::Pat::Rest(_));
                if let Some(rest) = pat.elems.iter().position(is_rest)
                    && rest + 1 < pat.elems.len()
                {
                    self.error(
                        Whole(pat),
                        "`..` in front of other fields is not supported here",
                        "write `_` for each field that is left out",
                    );
                }
                let elems = pat.elems.iter().filter(|elem| !is_rest(elem)).enumerate();
                Pat::Variant {
                    path: pat.path.clone(),
                    fields: elems
                        .map(|(k, elem)| (syn::Member::from(k), self.refutable(elem)))
                        .collect(),
                }
            }
            other => self.pattern(other),
        }
    }

    /// `[a, b]`, `[a, rest @ .., z]`.
    fn slice(&mut self, pat: &syn::PatSlice, sub: fn(&mut Self, &syn::Pat) -> Pat) -> Pat {
        let mut elems: Vec<Pat> = Vec::new();
        let mut middle = None;
        for elem in &pat.elems {
            if is_rest(elem) {
                middle = Some((self.rest_of(elem), std::mem::take(&mut elems)));
            } else {
                elems.push(sub(self, elem));
            }
        }
        match middle {
            None => Pat::Slice(elems),
            Some((middle, front)) => Pat::Ends {
                front,
                middle: Box::new(middle),
                back: elems,
            },
        }
    }

    /// `..`, or `rest @ ..`.
    fn rest_of(&mut self, pat: &syn::Pat) -> Pat {
        match pat {
            syn::Pat::Ident(rest) => Pat::Bind {
                var: self.declare(&rest.ident, false),
                by_ref: rest.by_ref.map(|_| rest.mutability.is_some()),
            },
            _ => Pat::Wild,
        }
    }

    /// A pattern that only verbatim code may match with.
    fn opaque_pattern(&mut self, pat: &syn::Pat) -> Pat {
        let idents = super::mentions::bound(pat);
        let vars = idents
            .iter()
            .map(|(ident, mutable)| self.declare(ident, *mutable))
            .collect();
        if matches!(pat, syn::Pat::Verbatim(_)) {
            self.error(
                Whole(pat),
                "this pattern is not supported",
                "bind a name, and match on it",
            );
        }
        Pat::Verbatim {
            source: Box::new(pat.clone()),
            vars,
        }
    }
}

/// `..` or `rest @ ..`, of a slice.
fn is_rest(pat: &syn::Pat) -> bool {
    match pat {
        syn::Pat::Rest(_) => true,
        syn::Pat::Ident(pat) => pat.subpat.as_ref().is_some_and(|(_, sub)| is_rest(sub)),
        _ => false,
    }
}
