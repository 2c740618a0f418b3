//! The rules of a function whose result is defined by an equation, from the rules of the equation.
//!
//! Input: the surface of the function, and that of its equation, which takes the same parameters and then the result. Output: bodies of
//! hidden rules. They call the function for its value, solve a linear system in the runtime (`ad-runtime/src/implicit`), and never look at
//! how the value was found. With `A` for the derivative of the equation with respect to the result `x`, and `B` for that with respect to
//! the parameters `p`:
//!
//! | equation | linear system | forward | reverse |
//! |---|---|---|---|
//! | `e(x, p) = 0` | `A` | `A x_dot = -B p_dot` | `A' w = -x_bar`, `p_bar += B' w` |
//! | `e(x, p) = x` | `I - A` | `(I - A) x_dot = B p_dot` | `(I - A)' w = x_bar`, `p_bar += B' w` |
//! | `e(x, p)` is minimal | the Hessian | the first row, with the gradient for `e` | the same |

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens as _, quote};

use super::hidden::{Hidden, Order};
use super::{Argument, Surface};
use crate::emit::{Parts, own};
use crate::ir::PassedBy;

/// How an equation defines the result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Equation {
    /// It is zero there.
    Root,
    /// It is the result itself.
    FixedPoint,
    /// It is minimal there: its gradient is zero.
    Minimum,
}

/// A function and its equation.
pub(crate) struct Implicit<'a> {
    pub(crate) surface: &'a Surface<'a>,
    pub(crate) of: &'a Surface<'a>,
    pub(crate) equation: Equation,
    /// The function that solves the linear systems, where it isn't the runtime's own.
    pub(crate) solver: Option<&'a syn::ExprPath>,
}

/// The expression for an argument, or for its tangent.
type Expr<'e> = &'e dyn Fn(&Argument) -> TokenStream;

impl Implicit<'_> {
    /// The forward rule.
    pub(crate) fn frule(&self) -> Parts {
        let rt = self.of.rt;
        let (bind, called, zeros) = (self.bind_duals(), self.called(), self.zeros());
        let (x, x_dot) = (self.x("value"), self.x("dot"));
        let (along_p, along_x, system) = (self.along_parameters(), self.along_x(), self.system());
        let body = quote! {
            #bind
            #called
            #zeros
            let #x_dot = #along_p;
            let #x_dot = #system.tangent(&#x_dot, #along_x);
            #rt::Dual(#x, #x_dot)
        };
        self.hidden().frule_with(&body)
    }

    /// The reverse rule.
    pub(crate) fn rrule(&self) -> Parts {
        let args = self.surface.args.iter();
        let bind = args.map(|a| bound(a, "value", &self.surface.expr(a)));
        let (called, x, seed) = (self.called(), self.x("value"), own("seed"));
        let again = self.again(Order::First);
        let (zeros, products, system) = (self.zeros(), self.products_back(), self.system());
        let weight = self.x("weight");
        let back = self.back(&weight, &|a| {
            let shadows = &a.name;
            quote!(#shadows.1)
        });
        let returned = self.returned(&|a| Surface::bar(a).into_token_stream());
        self.hidden().halves(
            Order::First,
            &quote!(#(#bind)* #called),
            &quote!(::core::clone::Clone::clone(&#x)),
            &seed,
            &quote! {
                #again
                #zeros
                let #weight = #system.cotangent(&#seed, #products);
                #back
                (#(#returned,)*)
            },
        )
    }

    /// The reverse rule of second order. Along the tangents, `A' w = -x_bar` becomes `A' w_dot = -x_bar_dot - A_dot' w`.
    pub(crate) fn second(&self) -> Parts {
        if self.equation == Equation::Minimum {
            let title = &self.surface.title;
            let message = format!(
                "the primitive `{title}` has no rule of second order, which would be a third derivative of the function that `argmin` minimizes\n\
                 help: write `root = loss::gradient(..)` instead, with `#[differentiable(order = 3)]` on `loss`"
            );
            return self.hidden().missing(Order::Second, &message);
        }
        let rt = self.of.rt;
        let (bind, called, zeros) = (self.bind_duals(), self.called(), self.zeros());
        let (x, x_dot) = (self.x("value"), self.x("dot"));
        let (along_p, along_x, system) = (self.along_parameters(), self.along_x(), self.system());
        let (factors, seed, weight, change) = (
            own("factors"),
            own("seed"),
            self.x("weight"),
            self.x("change"),
        );
        let forward = quote! {
            #bind
            #called
            #zeros
            let #factors = #system.factors(#along_x);
            let #x_dot = #system.tangent_from(&#factors, &#along_p, #along_x);
        };
        let again = self.again(Order::Second);
        let products = self.products_back();
        let (rule, pullback) = (self.of.hidden("rrule_frule"), own("pullback"));
        let args = self.of.duals_of(&value, &dot);
        let (patterns, passed) = self.of.handed_again(&value, &dot, &|a| {
            let shadows = &a.name;
            quote!(#rt::Dual(&mut *#shadows.1.0, &mut *#shadows.1.1))
        });
        let back = self.back(&change, &|a| {
            let shadows = &a.name;
            quote!(#shadows.1.1)
        });
        let sums = self.owned().map(|a| {
            let (product, bar) = (Surface::product(a), Surface::bar(a));
            let kept = Surface::of(a, "kept");
            quote! {
                let mut #product = #product;
                #rt::Tangent::accumulate(&mut #product, &#bar);
                let #bar = #kept;
            }
        });
        let kept = self.owned().map(|a| {
            let (kept, bar) = (Surface::of(a, "kept"), Surface::bar(a));
            quote!(let #kept = #bar;)
        });
        let x_product = Surface::product(self.unknown());
        let returned = self.returned(&|a| {
            let (bar, product) = (Surface::bar(a), Surface::product(a));
            quote!(#rt::Dual(#bar, #product))
        });
        let unread = self.solver.map(|_| self.zeros());
        let reverse = quote! {
            #again
            #unread
            let #weight = #system.cotangent_from(&#factors, &#seed.0, #products);
            let (_, #pullback) = #rule(#(#args),*);
            let #change = #rt::Differentiable::zero_tangent(&#weight);
            let (#(#patterns,)*) =
                #pullback(#rt::Dual(::core::clone::Clone::clone(&#weight), #change), #(#passed),*);
            #(#kept)*
            let #change = #rt::implicit::changed(&#weight, #seed.1, &#x_product);
            let #change = #system.cotangent_from(&#factors, &#change, #products);
            #back
            #(#sums)*
            (#(#returned,)*)
        };
        let result = quote!(#rt::Dual(::core::clone::Clone::clone(&#x), ::core::clone::Clone::clone(&#x_dot)));
        self.hidden()
            .halves(Order::Second, &forward, &result, &seed, &reverse)
    }

    fn hidden(&self) -> Hidden<'_> {
        let surface = self.surface;
        Hidden { surface }
    }

    /// The result, as the equation's argument.
    fn unknown(&self) -> &Argument {
        let last = self.of.args.last();
        last.unwrap_or_else(|| crate::diagnostics::bug!("an equation takes the result"))
    }

    fn x(&self, variable: &str) -> Ident {
        Surface::of(self.unknown(), variable)
    }

    fn parameters(&self) -> impl Iterator<Item = &Argument> {
        self.surface.differentiated()
    }

    /// Those that are passed by value.
    fn owned(&self) -> impl Iterator<Item = &Argument> {
        self.parameters().filter(|a| a.by == PassedBy::Value)
    }

    /// The kind of the equation, the function's name, and its result.
    fn system(&self) -> TokenStream {
        let (rt, title, x) = (self.of.rt, &self.surface.title, self.x("value"));
        let kind = match self.equation {
            Equation::Root | Equation::Minimum => quote!(Root),
            Equation::FixedPoint => quote!(FixedPoint),
        };
        let solver = match self.solver {
            Some(path) => quote!(::core::option::Option::Some(#path)),
            None => quote!(::core::option::Option::None),
        };
        quote!(#rt::implicit::System {
            equation: #rt::implicit::Equation::#kind,
            solver: #solver,
            function: #title,
            x: &#x,
        })
    }

    /// Binds the values and tangents of a rule on duals.
    fn bind_duals(&self) -> TokenStream {
        let args = self.surface.args.iter();
        args.map(|a| {
            let name = &a.name;
            let (x, x_dot) = match (a.receiver, a.constant) {
                (true, _) => (self.surface.expr(a), own("self_dot").into_token_stream()),
                (false, true) => (quote!(#name), TokenStream::new()),
                (false, false) => (quote!(#name.0), quote!(#name.1)),
            };
            let dot = (!a.constant).then(|| bound(a, "dot", &x_dot));
            let value = bound(a, "value", &x);
            quote!(#value #dot)
        })
        .collect()
    }

    /// Binds the arguments that a pullback takes again.
    fn again(&self, order: Order) -> TokenStream {
        let args = self.surface.args.iter().filter(|a| a.by == PassedBy::Ref);
        args.map(|a| {
            let name = &a.name;
            if a.constant {
                return bound(a, "value", &quote!(#name));
            }
            if order == Order::First {
                return bound(a, "value", &quote!(#name.0));
            }
            let value = bound(a, "value", &quote!(#name.0.0));
            let dot = bound(a, "dot", &quote!(#name.0.1));
            quote!(#value #dot)
        })
        .collect()
    }

    /// The function's value.
    fn called(&self) -> TokenStream {
        let (primal, x, ty) = (
            self.surface.primal_path(),
            self.x("value"),
            &self.surface.output,
        );
        let args = self.surface.args.iter().map(value);
        quote!(let #x: #ty = #primal(#(#args),*);)
    }

    /// Zero tangents of the parameters; where pullbacks are called for the result's sake, shadows that nobody reads.
    fn zeros(&self) -> TokenStream {
        let rt = self.of.rt;
        let unread = self.equation == Equation::Minimum || self.solver.is_some();
        let args = self.parameters();
        args.map(|a| {
            let (zero, value) = (Surface::of(a, "zero"), variable(a, "value"));
            let place = match a.by {
                PassedBy::Value => quote!(&#value),
                _ => quote!(#value),
            };
            let owned = self.of.owned_tangent(a);
            let shadows = (unread && a.by != PassedBy::Value).then(|| {
                let shadows = [Surface::of(a, "unread"), Surface::of(a, "unused")];
                quote!(#(let mut #shadows: #owned = ::core::clone::Clone::clone(&#zero);)*)
            });
            quote!(let #zero: #owned = #rt::Differentiable::zero_tangent(#place); #shadows)
        })
        .collect()
    }

    /// The zero tangent of a parameter, handed over.
    fn zero_dot(&self, a: &Argument) -> TokenStream {
        self.of.lent_direction(a, &Surface::of(a, "zero"))
    }

    /// `|x_dot| A x_dot`.
    fn along_x(&self) -> TokenStream {
        let direction = own("direction");
        let along = self.along(&|a| {
            if self.is_unknown(a) {
                quote!(#direction)
            } else {
                self.zero_dot(a)
            }
        });
        quote!(|#direction| #along)
    }

    /// The products from which the transposed system is solved: `|x_dot| A x_dot` where the matrix is made of them, `|x_bar| A' x_bar` for another
    /// solver.
    fn products_back(&self) -> TokenStream {
        let symmetric = self.equation == Equation::Minimum;
        if symmetric || self.solver.is_none() {
            return self.along_x();
        }
        let (weight, x_bar) = (own("direction"), Surface::bar(self.unknown()));
        let back = self.back(&weight, &|a| {
            let shadow = self.of.lent(a, &Surface::of(a, "unread"));
            quote!(#shadow)
        });
        quote!(|#weight| { #back #x_bar })
    }

    /// `B p_dot`.
    fn along_parameters(&self) -> TokenStream {
        let (rt, x) = (self.of.rt, self.x("value"));
        self.along(&|a| {
            if self.is_unknown(a) {
                quote!(#rt::Differentiable::zero_tangent(&#x))
            } else {
                dot(a)
            }
        })
    }

    fn is_unknown(&self, a: &Argument) -> bool {
        a.name == self.unknown().name
    }

    /// The derivative of the equation along tangents of all its arguments.
    fn along(&self, dot: Expr<'_>) -> TokenStream {
        if self.equation == Equation::Minimum {
            let second = self.second_of_loss(dot, &|a| self.unread(a));
            let x_product = Surface::product(self.unknown());
            return quote!({ #second #x_product });
        }
        let (rule, args) = (self.of.hidden("frule"), self.of.duals_of(&value, dot));
        quote!(#rule(#(#args),*).1)
    }

    /// `p_bar += B' w`: the cotangents of owned parameters are bound, those behind references are added to `shadow`.
    fn back(&self, weight: &Ident, shadow: Expr<'_>) -> TokenStream {
        let (rt, pullback) = (self.of.rt, own("pullback"));
        if self.equation == Equation::Minimum {
            // The second derivatives are symmetric.
            let along = |a: &Argument| {
                if self.is_unknown(a) {
                    quote!(#weight)
                } else {
                    self.zero_dot(a)
                }
            };
            let second = self.second_of_loss(&along, &|a| {
                let unread = Surface::of(a, "unread");
                let (unread, shadow) = (self.of.lent(a, &unread), shadow(a));
                quote!(#rt::Dual(#unread, &mut *#shadow))
            });
            let bars = self.owned().map(|a| {
                let (bar, product) = (Surface::bar(a), Surface::product(a));
                quote!(let #bar = #product;)
            });
            return quote!(#second #(#bars)*);
        }
        let rule = self.of.hidden("rrule");
        let args = self.of.args.iter().map(value);
        let (patterns, passed) =
            self.of
                .handed(&value, &|a| Surface::bar(a).into_token_stream(), &|a| {
                    let (value, shadow) = (value(a), shadow(a));
                    quote!(#value, &mut *#shadow)
                });
        quote! {
            let (_, #pullback) = #rule(#(#args),*);
            let (#(#patterns,)*) = #pullback(#weight, #(#passed),*);
        }
    }

    /// The gradient of the function that is minimal, and its derivative along tangents.
    fn second_of_loss(&self, dot: Expr<'_>, shadows: Expr<'_>) -> TokenStream {
        let (rt, pullback) = (self.of.rt, own("pullback"));
        let (rule, (one, zero, _)) = (self.of.hidden("rrule_frule"), self.of.unit_seed());
        let args = self.of.duals_of(&value, dot);
        let (patterns, passed) = self.of.handed_again(&value, dot, shadows);
        quote! {
            let (_, #pullback) = #rule(#(#args),*);
            let (#(#patterns,)*) = #pullback(#rt::Dual(#one, #zero), #(#passed),*);
        }
    }

    /// Shadows that nobody reads.
    fn unread(&self, a: &Argument) -> TokenStream {
        let rt = self.of.rt;
        let [first, second] =
            ["unread", "unused"].map(|shadow| self.of.lent(a, &Surface::of(a, shadow)));
        quote!(#rt::Dual(#first, #second))
    }

    /// The results of a hidden pullback.
    fn returned(&self, bar: Expr<'_>) -> Vec<TokenStream> {
        let args = self.surface.args.iter();
        args.map(|a| match (a.by, a.constant) {
            (PassedBy::Value, false) => bar(a),
            _ => quote!(()),
        })
        .collect()
    }
}

/// `let x_value = x;`, the reference of one behind a reference.
fn bound(a: &Argument, name: &str, expr: &TokenStream) -> TokenStream {
    let variable = variable(a, name);
    match a.by {
        PassedBy::Value => quote!(let #variable = #expr;),
        _ => quote!(let #variable = &*#expr;),
    }
}

fn variable(a: &Argument, name: &str) -> Ident {
    Surface::of(a, name)
}

/// An argument's value, which is used again.
fn value(a: &Argument) -> TokenStream {
    used_again(a, "value")
}

/// An argument's tangent, which is used again.
fn dot(a: &Argument) -> TokenStream {
    used_again(a, "dot")
}

fn used_again(a: &Argument, name: &str) -> TokenStream {
    let variable = variable(a, name);
    match a.by {
        PassedBy::Value if !a.known.is_scalar() => quote!(::core::clone::Clone::clone(&#variable)),
        _ => quote!(#variable),
    }
}
