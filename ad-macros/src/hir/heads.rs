//! `for` loops: what they run over.

use super::parse::Parser;
use super::{Adapter, Chunks, Elements, Expr, ExprKind, Head};

impl Parser {
    pub(super) fn for_loop(&mut self, expr: &syn::ExprForLoop, source: &syn::Expr) -> Expr {
        let head = Box::new(self.head(&expr.expr));
        let kind = self.labelled(expr.label.as_ref(), true, |parser, scope| {
            parser.scoped(|parser| {
                let pat = parser.pattern(&expr.pat);
                let body = parser.block(&expr.body);
                ExprKind::For {
                    scope,
                    pat,
                    head,
                    body,
                    stop: None,
                }
            })
        });
        self.sourced(kind, source)
    }

    /// Peels the adapters that have a form as a counted loop.
    fn head(&mut self, source: &syn::Expr) -> Head {
        match source {
            syn::Expr::Paren(inner) => return self.head(&inner.expr),
            syn::Expr::Group(inner) => return self.head(&inner.expr),
            syn::Expr::Range(range) => {
                if let (Some(lo), Some(hi)) = (&range.start, &range.end) {
                    return Head::Range {
                        lo: self.boxed(lo),
                        hi: self.boxed(hi),
                        inclusive: matches!(range.limits, syn::RangeLimits::Closed(_)),
                        adapters: Vec::new(),
                    };
                }
            }
            syn::Expr::MethodCall(call) => {
                if let Some(head) = self.adapter(call) {
                    return head;
                }
            }
            syn::Expr::Reference(_)
            | syn::Expr::Path(_)
            | syn::Expr::Field(_)
            | syn::Expr::Index(_)
            | syn::Expr::Array(_) => return self.elements(source, Elements::Own),
            _ => {}
        }
        Head::Other(self.boxed(source))
    }

    fn elements(&mut self, of: &syn::Expr, access: Elements) -> Head {
        Head::Elements {
            of: self.boxed(of),
            access,
        }
    }

    /// An adapter that the loop can do without; `None` for all others.
    fn adapter(&mut self, call: &syn::ExprMethodCall) -> Option<Head> {
        let receiver = &call.receiver;
        let args: Vec<&syn::Expr> = call.args.iter().collect();
        Some(match (call.method.to_string().as_str(), &args[..]) {
            ("iter", []) => self.elements(receiver, Elements::Shared),
            ("iter_mut", []) => self.elements(receiver, Elements::Mut),
            ("into_iter", []) => match self.head(receiver) {
                Head::Other(_) => self.elements(receiver, Elements::Own),
                known => known,
            },
            ("chunks", [size]) => self.chunks(receiver, size, Chunks::All, false),
            ("chunks_mut", [size]) => self.chunks(receiver, size, Chunks::All, true),
            ("chunks_exact", [size]) => self.chunks(receiver, size, Chunks::Exact, false),
            ("chunks_exact_mut", [size]) => self.chunks(receiver, size, Chunks::Exact, true),
            ("windows", [size]) => self.chunks(receiver, size, Chunks::Windows, false),
            ("enumerate", []) => Head::Enumerate(self.known(receiver)?),
            ("copied" | "cloned", []) => Head::Copied(self.known(receiver)?),
            ("zip", [other]) => {
                let first = self.known(receiver)?;
                Head::Zip(first, Box::new(self.head(other)))
            }
            ("rev", []) => match *self.known(receiver)? {
                Head::Range {
                    lo,
                    hi,
                    inclusive,
                    mut adapters,
                } => {
                    adapters.push(Adapter::Rev);
                    Head::Range {
                        lo,
                        hi,
                        inclusive,
                        adapters,
                    }
                }
                other => Head::Rev(Box::new(other)),
            },
            ("step_by", [step]) if is_range(receiver) => match *self.known(receiver)? {
                Head::Range {
                    lo,
                    hi,
                    inclusive,
                    mut adapters,
                } => {
                    adapters.push(Adapter::StepBy(self.boxed(step)));
                    Head::Range {
                        lo,
                        hi,
                        inclusive,
                        adapters,
                    }
                }
                _ => return None,
            },
            _ => return None,
        })
    }

    fn chunks(&mut self, of: &syn::Expr, size: &syn::Expr, kind: Chunks, mutable: bool) -> Head {
        Head::Chunks {
            of: self.boxed(of),
            size: self.boxed(size),
            kind,
            mutable,
        }
    }

    /// The head that an adapter applies to, if all of it is known.
    fn known(&mut self, source: &syn::Expr) -> Option<Box<Head>> {
        is_known(source).then(|| Box::new(self.head(source)))
    }
}

/// Whether `source` is a range with adapters.
fn is_range(source: &syn::Expr) -> bool {
    match source {
        syn::Expr::Paren(inner) => is_range(&inner.expr),
        syn::Expr::Group(inner) => is_range(&inner.expr),
        syn::Expr::Range(range) => range.start.is_some() && range.end.is_some(),
        syn::Expr::MethodCall(call) => {
            (call.method == "rev" || call.method == "step_by") && is_range(&call.receiver)
        }
        _ => false,
    }
}

/// Whether `source` ends in something that [`Parser::head`] knows; only then may an adapter be peeled.
fn is_known(source: &syn::Expr) -> bool {
    match source {
        syn::Expr::Paren(inner) => is_known(&inner.expr),
        syn::Expr::Group(inner) => is_known(&inner.expr),
        syn::Expr::Range(range) => range.start.is_some() && range.end.is_some(),
        syn::Expr::MethodCall(call) => match call.method.to_string().as_str() {
            "iter" | "iter_mut" | "chunks" | "chunks_mut" | "chunks_exact" | "chunks_exact_mut"
            | "windows" => true,
            "into_iter" | "enumerate" | "copied" | "cloned" | "zip" | "rev" => {
                is_known(&call.receiver)
            }
            "step_by" => is_range(&call.receiver),
            _ => false,
        },
        _ => false,
    }
}
