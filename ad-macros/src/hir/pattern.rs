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
        self.declared(pat, false)
    }

    /// Declares the bindings of a pattern that has been tested already.
    pub(super) fn refutable(&mut self, pat: &syn::Pat) -> Pat {
        self.declared(pat, true)
    }

    fn declared(&mut self, pat: &syn::Pat, tested: bool) -> Pat {
        let binds = |pat: &syn::Pat| !super::mentions::bound(pat).is_empty();
        // A variant in a pattern that always fits is the only one of its enum.
        let tested = tested
            || matches!(pat, syn::Pat::Struct(syn::PatStruct { path, .. })
                | syn::Pat::TupleStruct(syn::PatTupleStruct { path, .. }) if is_variant(path));
        match pat {
            syn::Pat::Paren(pat) => self.declared(&pat.pat, tested),
            syn::Pat::Type(pat) => self.declared(&pat.pat, tested),
            pat if tested && !binds(pat) => Pat::Wild,
            syn::Pat::Ident(pat) => {
                let var = self.declare(&pat.ident, pat.mutability.is_some());
                match &pat.subpat {
                    // A name beside a test is bound as any name is.
                    Some((_, sub)) if !tested || binds(sub) => {
                        Pat::At(var, Box::new(self.declared(sub, tested)))
                    }
                    _ => Pat::Bind {
                        var,
                        by_ref: pat.by_ref.map(|_| pat.mutability.is_some()),
                    },
                }
            }
            syn::Pat::Tuple(pat) => {
                self.no_ref_mut(pat);
                let rest = rest_of(pat);
                let elems = pat.elems.iter().filter(|elem| !is_dots(elem));
                Pat::Tuple {
                    elems: elems.map(|elem| self.declared(elem, tested)).collect(),
                    rest,
                }
            }
            syn::Pat::Slice(slice) => self.slice(slice, tested),
            syn::Pat::Reference(pat) => Pat::Ref(Box::new(self.declared(&pat.pat, tested))),
            syn::Pat::Struct(pat) => {
                let fields = pat.fields.iter();
                let field = |f: &syn::FieldPat| (f.member.clone(), self.declared(&f.pat, tested));
                fields_of(&pat.path, fields.map(field).collect(), tested)
            }
            syn::Pat::TupleStruct(pat) => {
                let rest = pat.elems.iter().position(is_dots);
                if rest.is_some_and(|rest| rest + 1 < pat.elems.len()) {
                    self.error(
                        Whole(pat),
                        "`..` in front of other fields is not supported here",
                        "write `_` for each field that is left out",
                    );
                }
                let elems = pat.elems.iter().filter(|elem| !is_dots(elem));
                let elems = elems.map(|elem| self.declared(elem, tested));
                let fields = elems
                    .enumerate()
                    .map(|(k, pat)| (syn::Member::from(k), pat));
                fields_of(&pat.path, fields.collect(), tested)
            }
            pat if !binds(pat) => Pat::Wild,
            other => {
                self.error(
                    Whole(other),
                    "this pattern is not supported here",
                    "bind a name, and match on it",
                );
                for (name, mutable) in super::mentions::bound(other) {
                    self.declare(&name, mutable);
                }
                Pat::Wild
            }
        }
    }

    /// `[a, b]`, `[a, rest @ .., z]`.
    fn slice(&mut self, pat: &syn::PatSlice, tested: bool) -> Pat {
        let mut elems: Vec<Pat> = Vec::new();
        let mut middle = None;
        for elem in &pat.elems {
            if is_rest(elem) {
                middle = Some((self.rest_of(elem), std::mem::take(&mut elems)));
            } else {
                elems.push(self.declared(elem, tested));
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
}

/// The parts of a struct, or of what may be a variant.
fn fields_of(path: &syn::Path, fields: Vec<(syn::Member, Pat)>, tested: bool) -> Pat {
    if tested {
        let path = path.clone();
        return Pat::Variant { path, fields };
    }
    Pat::Struct { fields }
}

/// `..`.
fn is_dots(pat: &syn::Pat) -> bool {
    matches!(pat, syn::Pat::Rest(_))
}

/// `..` or `rest @ ..`, of a slice.
fn is_rest(pat: &syn::Pat) -> bool {
    match pat {
        syn::Pat::Rest(_) => true,
        syn::Pat::Ident(pat) => pat.subpat.as_ref().is_some_and(|(_, sub)| is_rest(sub)),
        _ => false,
    }
}
