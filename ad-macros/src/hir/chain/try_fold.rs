//! `try_fold`, as the loop that it is.
//!
//! ```text
//! Input:  chain.try_fold(init, |acc, item| body)
//! Output: 'fold: {
//!             let step = |acc, item| body;
//!             let mut acc = init;
//!             for item in chain { match step(acc, item) { Some(next) => acc = next, None => break 'fold None } }
//!             Some(acc)
//!         }
//! ```
//!
//! Whether that is an `Option` or a `Result`, the closure says by the names that it uses.

use proc_macro2::Ident;
use syn::visit::{self, Visit};

use crate::hir::Expr;
use crate::hir::parse::Parser;

impl Parser {
    pub(super) fn try_fold(
        &mut self,
        call: &syn::ExprMethodCall,
        source: &syn::Expr,
    ) -> Option<Expr> {
        let args: Vec<&syn::Expr> = call.args.iter().collect();
        let [init, f @ syn::Expr::Closure(_)] = args[..] else {
            return None;
        };
        if call.method != "try_fold" || !self.is_chain(&call.receiver) {
            return None;
        }
        let chain = &call.receiver;
        let (wrap, leave): (syn::Expr, syn::Arm) = match variants(f)? {
            Variants::Option => (
                syn::parse_quote!(Some),
                syn::parse_quote!(None => break '__fold None,),
            ),
            Variants::Result => (
                syn::parse_quote!(Ok),
                syn::parse_quote!(Err(__error) => break '__fold Err(__error),),
            ),
        };
        let mut value = self.expr(&syn::parse_quote!('__fold: {
            let __step = #f;
            let mut __acc = #init;
            for __item in #chain {
                match __step(__acc, __item) {
                    #wrap(__next) => __acc = __next,
                    #leave
                }
            }
            #wrap(__acc)
        }));
        self.keep_source(&mut value, source);
        Some(value)
    }
}

enum Variants {
    Option,
    Result,
}

/// Whose variants a closure names.
fn variants(f: &syn::Expr) -> Option<Variants> {
    struct Named(Option<Variants>);
    impl<'ast> Visit<'ast> for Named {
        fn visit_ident(&mut self, ident: &'ast Ident) {
            match ident.to_string().as_str() {
                "Ok" | "Err" => self.0 = Some(Variants::Result),
                "Some" | "None" if self.0.is_none() => self.0 = Some(Variants::Option),
                _ => {}
            }
        }

        fn visit_macro(&mut self, _: &'ast syn::Macro) {}
    }
    let mut named = Named(None);
    visit::visit_expr(&mut named, f);
    named.0
}
