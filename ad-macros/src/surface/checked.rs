//! Checked drivers: their calls of `ad_runtime::checked` before and after they run.
//!
//! Input: a surface. Output: `__check`, which runs the function and its rules on copies of the arguments, and statements for each driver. All of it is
//! nothing where drivers aren't checked.
//!
//! NaN is an error and infinity isn't: the slope of `sqrt` at zero is infinite.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens as _, quote};

use super::{Argument, Surface};
use crate::emit::{by_type, own, unraw};
use crate::ir::PassedBy;

/// The statements of one driver.
pub(super) struct Checks<'a> {
    surface: &'a Surface<'a>,
    driver: &'static str,
}

impl Surface<'_> {
    pub(super) fn checks(&self, driver: &'static str) -> Checks<'_> {
        Checks {
            surface: self,
            driver,
        }
    }

    /// The attribute of drivers that only panic where they are checked.
    pub(super) fn tracked(&self) -> Option<TokenStream> {
        self.checked.then(|| quote!(#[track_caller]))
    }

    fn mutable(&self) -> impl Iterator<Item = (usize, &Argument)> {
        let all = self.differentiated().filter(|a| a.by == PassedBy::Mut);
        all.enumerate()
    }

    fn name_of(a: &Argument) -> String {
        if a.receiver {
            "self".to_owned()
        } else {
            unraw(&a.name)
        }
    }
}

impl Checks<'_> {
    fn emit(&self, statements: impl FnOnce(&Ident) -> TokenStream) -> TokenStream {
        if self.surface.checked {
            statements(&own("check"))
        } else {
            TokenStream::new()
        }
    }

    /// At the entry.
    pub(super) fn begin(&self) -> TokenStream {
        self.begin_with(&|a| self.surface.reborrowed(a))
    }

    /// The same where the arguments are these expressions.
    pub(super) fn begin_with(&self, expr: &dyn Fn(&Argument) -> TokenStream) -> TokenStream {
        let surface = self.surface;
        self.emit(|check| {
            let (rt, call) = (surface.rt, surface.path(&surface.hidden_name("check")));
            let given = surface.args.iter().map(|a| {
                let x = expr(a);
                match a.by {
                    PassedBy::Value => quote!(&#x),
                    PassedBy::Ref => x,
                    PassedBy::Mut => quote!(&*#x),
                }
            });
            // An argument that is moved leaves a tangent of its shape.
            let moved = surface.differentiated().filter(|a| Self::is_moved(a));
            let shapes = moved.map(|a| {
                let (shape, owned, x) = (Self::shape(a), surface.owned_tangent(a), expr(a));
                quote!(let #shape: #owned = #rt::Differentiable::zero_tangent(&#x);)
            });
            quote! {
                let mut #check = #call(#(#given),*);
                #(#shapes)*
            }
        })
    }

    fn is_moved(a: &Argument) -> bool {
        a.by == PassedBy::Value && !a.known.is_scalar()
    }

    fn shape(a: &Argument) -> Ident {
        Surface::of(a, "shape")
    }

    /// The directions that the driver is given.
    pub(super) fn given(&self) -> TokenStream {
        self.given_as(&|a| Surface::dot(a).into_token_stream())
    }

    /// The same where they are these expressions.
    pub(super) fn given_as(&self, expr: &dyn Fn(&Argument) -> TokenStream) -> TokenStream {
        let surface = self.surface;
        self.emit(|check| {
            surface
                .differentiated()
                .map(|a| {
                    let dot = expr(a);
                    match a.by {
                        PassedBy::Value => quote!(#check.given(&#dot);),
                        _ => quote!(#check.given(&*#dot);),
                    }
                })
                .collect()
        })
    }

    /// The cotangent that the driver is given.
    pub(super) fn seed(&self, seed: &TokenStream) -> TokenStream {
        self.emit(|check| quote!(#check.seed(&#seed);))
    }

    /// The value, and the places that the driver has to restore.
    pub(super) fn value(&self, y: &TokenStream) -> TokenStream {
        self.places("restored", y, &|a| self.surface.expr(a))
    }

    /// The value of a rule, and the final content of the `&mut` arguments, which are the expressions `expr`.
    pub(super) fn left(
        &self,
        y: &TokenStream,
        expr: &dyn Fn(&Argument) -> TokenStream,
    ) -> TokenStream {
        self.places("left", y, expr)
    }

    fn places(
        &self,
        what: &str,
        y: &TokenStream,
        expr: &dyn Fn(&Argument) -> TokenStream,
    ) -> TokenStream {
        let (driver, what) = (self.driver, own(what));
        self.emit(|check| {
            let places = self.surface.mutable().map(|(k, a)| {
                let (x, name) = (expr(a), Surface::name_of(a));
                quote!(#check.#what(#driver, #k, #name, &*#x);)
            });
            quote!(#check.value(#driver, &#y); #(#places)*)
        })
    }

    /// The tangent of the result.
    pub(super) fn tangent(&self, y: &TokenStream, dot: &TokenStream) -> TokenStream {
        let driver = self.driver;
        self.emit(|check| quote!(#check.returned(#driver, "", &#y, &#dot);))
    }

    /// The cotangents of the arguments, and that they agree with the forward rule.
    pub(super) fn gradient(&self) -> TokenStream {
        self.agrees(&quote!(&))
    }

    /// The same where the cotangents are in buffers of the caller.
    pub(super) fn gradient_in_buffers(&self) -> TokenStream {
        self.agrees(&quote!(&*))
    }

    fn agrees(&self, borrow: &TokenStream) -> TokenStream {
        let driver = self.driver;
        let returned = self.returned(&|a| {
            let bar = Surface::bar(a);
            quote!(#borrow #bar)
        });
        self.emit(|check| quote!(#returned #check.gradient(#driver);))
    }

    /// Checks the returned cotangent for each argument.
    pub(super) fn returned(&self, of: &dyn Fn(&Argument) -> TokenStream) -> TokenStream {
        let (surface, driver) = (self.surface, self.driver);
        self.emit(|check| {
            surface
                .differentiated()
                .map(|a| {
                    let (name, bar) = (Surface::name_of(a), of(a));
                    let x = match a.by {
                        PassedBy::Value if Self::is_moved(a) => {
                            let shape = Self::shape(a);
                            quote!(&#shape)
                        }
                        PassedBy::Value => {
                            let x = surface.expr(a);
                            quote!(&#x)
                        }
                        _ => {
                            let x = surface.expr(a);
                            quote!(&*#x)
                        }
                    };
                    quote!(#check.returned(#driver, #name, #x, #bar);)
                })
                .collect()
        })
    }
}

// ---- The rules on copies. ---------------------------------------------------------------------------------------------

impl Surface<'_> {
    fn copy(a: &Argument) -> Ident {
        Self::of(a, "copy")
    }

    /// The copy of a `&mut` argument, borrowed as the type of the argument.
    fn state(a: &Argument) -> TokenStream {
        let (copy, written) = (Self::copy(a), &a.written);
        quote!(::core::borrow::BorrowMut::<#written>::borrow_mut(&mut #copy))
    }

    /// The expression that a rule takes for an argument.
    fn copied(&self, a: &Argument) -> TokenStream {
        match a.by {
            PassedBy::Value => Self::copy(a).into_token_stream(),
            PassedBy::Ref => self.expr(a),
            PassedBy::Mut => Self::state(a),
        }
    }

    /// `fn __check(&self, x: &T, ..)`, which takes all arguments by shared reference.
    pub(super) fn check_function(&self) -> TokenStream {
        let (rt, title, name) = (self.rt, &self.title, self.hidden_name("check"));
        let (check, copies, run) = (own("check"), own("copies"), own("run"));
        let params = self
            .in_fields
            .then(|| quote!(&self))
            .into_iter()
            .chain(self.args.iter().map(|a| match (a.receiver, self.receiver) {
                (true, Some(_)) => {
                    let this = self.expr(a);
                    quote!(&#this)
                }
                _ => {
                    let (name, written) = (&a.name, &a.written);
                    let ty = by_type(PassedBy::Ref, a.lifetime.as_ref(), &quote!(#written));
                    quote!(#name: #ty)
                }
            }));
        let looks = self.differentiated().map(|a| {
            let x = self.expr(a);
            let state = (a.by == PassedBy::Mut).then(|| quote!(#check.state(&*#x);));
            quote!(#check.argument(&*#x); #state)
        });
        let directions = self.differentiated().map(|a| {
            let (dot, owned, x) = (Self::dot(a), self.owned_tangent(a), self.expr(a));
            quote!(let mut #dot: #owned = #check.direction(&*#x);)
        });
        let of_copies = self.args.iter().filter(|a| a.by != PassedBy::Ref);
        let (made, patterns): (Vec<_>, Vec<_>) = of_copies
            .map(|a| {
                let (x, copy) = (self.expr(a), Self::copy(a));
                match a.by {
                    PassedBy::Value => (
                        quote!((&#rt::checked::Copying(&*#x)).value()?),
                        quote!(#copy),
                    ),
                    _ => (
                        quote!((&#rt::checked::Copying(&*#x)).state()?),
                        quote!(mut #copy),
                    ),
                }
            })
            .unzip();
        let pattern = quote!((#(#patterns,)*));
        let args = (self.args.iter()).map(|a| a.as_declared(self.copied(a), rt));
        let primal = self.primal_path();
        let (y, outcome) = (own("value"), own("outcome"));
        let leaves = self.mutable().map(|(_, a)| {
            let state = Self::state(a);
            quote!(#outcome.leaves(&*#state);)
        });
        let (once, again) = (own("once"), own("again"));
        let some = quote!(::core::option::Option::Some);
        let forward = self.check_forward(&pattern, &once);
        let reverse = self.check_reverse(&pattern, &again);
        let (generics, clause) = (self.impl_generics(), self.where_clause(&[]));
        quote! {
            #[doc(hidden)]
            #[track_caller]
            fn #name #generics (#(#params),*) -> #rt::checked::Check #clause {
                use #rt::checked::{CopiesState as _, CopiesValue as _, NoState as _, NoValue as _};
                let mut #check = #rt::checked::Check::new(#title);
                #(#looks)*
                let #copies = || #some((#(#made,)*));
                let (#some(#once), #some(#again)) = (#copies(), #copies()) else {
                    return #check;
                };
                let #run = |#copies| {
                    let #pattern = #copies;
                    let #y = #primal(#(#args),*);
                    let mut #outcome = #rt::checked::Outcome::of(&#y);
                    #(#leaves)*
                    #outcome
                };
                if !#check.runs(#run(#once), &#run(#again)) {
                    return #check;
                }
                while #check.again() {
                    let (#some(#once), #some(#again)) = (#copies(), #copies()) else {
                        return #check;
                    };
                    #(#directions)*
                    #forward
                    #reverse
                }
                #check
            }
        }
    }

    /// The forward rule; it leaves the cotangent of its result.
    fn check_forward(&self, pattern: &TokenStream, copies: &Ident) -> TokenStream {
        const RULE: &str = "the forward rule";
        let (rt, check, hidden) = (self.rt, own("check"), self.hidden("frule"));
        let (y, y_dot, weights) = (own("value"), own("tangent"), own("weights"));
        let args = self.duals_of(&|a| self.copied(a), &|a| {
            self.lent_direction(a, &Self::dot(a))
        });
        let left = self.mutable().map(|(k, a)| {
            let (state, dot, name) = (Self::state(a), Self::dot(a), Self::name_of(a));
            quote! {
                #check.left(#RULE, #k, #name, &*#state);
                #check.tangent(#name, &*#state, ::core::borrow::Borrow::borrow(&#dot));
            }
        });
        quote! {
            let #weights = {
                let #pattern = #copies;
                let #rt::Dual(#y, #y_dot) = #hidden(#(#args),*);
                #check.value(#RULE, &#y);
                #check.tangent("", &#y, ::core::borrow::Borrow::borrow(&#y_dot));
                #(#left)*
                #check.weights(&#y)
            };
        }
    }

    /// The reverse rule, or that of a closure, which is combined.
    fn check_reverse(&self, pattern: &TokenStream, copies: &Ident) -> TokenStream {
        const RULE: &str = "the reverse rule";
        let (rt, check) = (self.rt, own("check"));
        let (y, weights, pullback) = (own("value"), own("weights"), own("pullback"));
        let args: Vec<_> = self.args.iter().map(|a| self.copied(a)).collect();
        let zero = |a: &Argument| {
            let (bar, owned, x) = (Self::bar(a), self.owned_tangent(a), self.expr(a));
            quote!(let mut #bar: #owned = #rt::Differentiable::zero_tangent(&*#x);)
        };
        let run = if self.in_fields {
            let hidden = self.hidden("combined");
            let zeros = self.differentiated().map(zero);
            let shadows = self.differentiated().map(|a| self.lent(a, &Self::bar(a)));
            quote! {
                #(#zeros)*
                let #y = #hidden(#(#args,)* #weights, #(#shadows),*);
                #check.value(#RULE, &#y);
            }
        } else {
            let hidden = self.hidden("rrule");
            let left = self.mutable().map(|(k, a)| {
                let (state, name) = (Self::state(a), Self::name_of(a));
                let (bar, owned) = (Self::bar(a), self.owned_tangent(a));
                quote! {
                    #check.left(#RULE, #k, #name, &*#state);
                    let mut #bar: #owned = #check.weights(&*#state);
                }
            });
            let references = self.differentiated().filter(|a| a.by == PassedBy::Ref);
            let zeros = references.map(zero);
            let (patterns, passed) = self.handed(
                &|a| self.copied(a),
                &|a| Self::bar(a).into_token_stream(),
                &|a| {
                    let (x, shadow) = (self.copied(a), self.lent(a, &Self::bar(a)));
                    quote!(#x, #shadow)
                },
            );
            quote! {
                let (#y, #pullback) = #hidden(#(#args),*);
                #check.value(#RULE, &#y);
                #(#left)*
                #(#zeros)*
                let (#(#patterns,)*) = #pullback(#weights, #(#passed),*);
            }
        };
        let restored = self.mutable().map(|(k, a)| {
            let (state, name) = (Self::state(a), Self::name_of(a));
            quote!(#check.restored(#RULE, #k, #name, &*#state);)
        });
        let cotangents = self.differentiated().map(|a| {
            let (x, bar, name) = (self.expr(a), Self::bar(a), Self::name_of(a));
            quote!(#check.cotangent(#name, &*#x, ::core::borrow::Borrow::borrow(&#bar));)
        });
        quote! {
            {
                let #pattern = #copies;
                #run
                #(#restored)*
                #(#cotangents)*
            }
        }
    }
}
