//! The rules of the drivers, by which other differentiable functions call them: `g::gradient(x, &y)` in a body is a call of an
//! associated function like any other.
//!
//! Input: the surface of a function. Output: modes and hidden rules for each of its drivers, a few lines on top of the function's own
//! hidden rules.
//!
//! Derivatives are symmetric, so that the rules of a function of order 2 are enough for the first derivative of each of its
//! drivers of first order. With `H` for the second derivative and `J` for the first:
//!
//! | driver | forward, in the direction `v` | reverse, with the cotangent `w` |
//! |---|---|---|
//! | `gradient(x)` | `H v` | `H w` |
//! | `jvp(x, u)` | `u H v + J u_dot`, by one pass for each component of the result | to `x`: `H u w`, to `u`: `w J` |
//! | `vjp(x, w)` | `w H v + w_dot J` | to `x`: `w H u`, to `w`: `J u` |
//! | `jacobian(x)` | `H v`, row by row | the sum of `w_i H_i`, row by row |
//!
//! Their second derivatives are third derivatives of the function.
//!
//! So no transform knows of drivers. They are an option, `nested`, since the rules of six drivers double the time that a small function
//! takes to compile. A rule that can't exist has the right type, and is an error when code is generated for it (`surface/hidden.rs`): a
//! bound would have to go through all callers.

mod third;

use std::cell::Cell;

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens as _, quote};

use super::hidden::{Hidden, Order, missing_value};
use super::{Argument, Surface};
use crate::emit::{Parts, is_own_tangent, own, unraw, with_attribute};
use crate::ir::{PassedBy, Ty};

/// A driver, seen as a function of its own.
struct Driver<'a> {
    /// The function whose driver it is.
    of: &'a Surface<'a>,
    /// The driver's own surface: its parameters and its result.
    surface: &'a Surface<'a>,
    kind: Kind,
    /// Up to which order the function has rules.
    order: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Gradient,
    ValueAndGradient,
    Derivative,
    Jvp,
    Vjp,
    Jacobian,
    Hvp,
    Hessian,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Kind::Gradient => "gradient",
            Kind::ValueAndGradient => "value_and_gradient",
            Kind::Derivative => "derivative",
            Kind::Jvp => "jvp",
            Kind::Vjp => "vjp",
            Kind::Jacobian => "jacobian",
            Kind::Hvp => "hvp",
            Kind::Hessian => "hessian",
        }
    }
}

/// Emits the hidden rule of this name from its parts, and says if its arguments are duals.
type EmitRule<'a> = &'a dyn Fn(&Surface<'_>, &str, bool, &Parts) -> TokenStream;

/// The rules of all drivers of a function.
pub(crate) fn rules(
    surface: &Surface<'_>,
    order: Option<usize>,
    emit: EmitRule<'_>,
) -> TokenStream {
    let mut items = TokenStream::new();
    for kind in surface.driver_kinds() {
        items.extend(driver(surface, order, emit, kind));
    }
    items
}

fn driver(of: &Surface<'_>, order: Option<usize>, emit: EmitRule<'_>, kind: Kind) -> TokenStream {
    let generics = of.driver_generics(kind);
    let surface = of.driver_surface(kind, &generics);
    let driver = Driver {
        of,
        surface: &surface,
        kind,
        order: order.unwrap_or(2),
    };
    let rule = |name: &str, dual: bool, parts: &Parts| emit(&surface, name, dual, parts);
    let hidden = Hidden { surface: &surface };
    let mut items = surface.driver_modes();
    let missing = |order, message: &str| hidden.missing(order, message);
    let frule = match driver.unsupported() {
        Some(message) => hidden.frule_with(&missing_value(&message)),
        None if kind == Kind::Hvp => hidden.frule_with(&driver.frule_of_hvp()),
        None => hidden.frule_with(&driver.frule()),
    };
    let rrule = match driver.unsupported() {
        Some(message) => missing(Order::First, &message),
        None if kind == Kind::Hvp => driver.rrule_of_hvp(&hidden),
        None => driver.rrule(&hidden),
    };
    items.extend(tracked(rule("frule", true, &frule)));
    items.extend(tracked(rule("rrule", false, &rrule)));
    let second = if driver.has_third() && kind != Kind::Hvp {
        driver.second_of_gradient(&hidden)
    } else {
        missing(Order::Second, &driver.too_high())
    };
    items.extend(rule("rrule_frule", true, &second));
    items
}

/// Rules that report wrong shapes where they are called.
fn tracked(items: TokenStream) -> TokenStream {
    with_attribute(&quote!(#[track_caller]), items)
}

impl Surface<'_> {
    fn driver_kinds(&self) -> Vec<Kind> {
        if self.differentiated().next().is_none() {
            return Vec::new();
        }
        let mut kinds = vec![Kind::Jvp, Kind::Vjp];
        if self.may_be_scalar() {
            kinds.extend([Kind::Gradient, Kind::ValueAndGradient, Kind::Hvp]);
        }
        if self.one_scalar().is_some() {
            kinds.push(Kind::Derivative);
        }
        if self.has_jacobian() {
            kinds.push(Kind::Jacobian);
        }
        if self.has_hessian() {
            kinds.push(Kind::Hessian);
        }
        kinds
    }

    /// The generics of the driver: an argument by value is needed twice.
    fn driver_generics(&self, kind: Kind) -> syn::Generics {
        let mut generics = self.generics.clone();
        let mut bounds = self.clones();
        if matches!(
            kind,
            Kind::Gradient | Kind::ValueAndGradient | Kind::Hvp | Kind::Hessian
        ) {
            bounds.extend(self.scalar_bound());
        }
        let clause = generics.make_where_clause();
        for bound in bounds {
            clause.predicates.push(syn::parse_quote!(#bound));
        }
        generics
    }

    fn driver_surface<'s>(&'s self, kind: Kind, generics: &'s syn::Generics) -> Surface<'s> {
        let rt = self.rt;
        let name = self.public(kind.name());
        let types: Vec<TokenStream> = self
            .differentiated()
            .map(|a| self.owned_tangent(a))
            .collect();
        let gradient = Self::bare(&types);
        let matrices = Self::bare(&vec![quote!(#rt::Matrix); types.len()]);
        let (output, tangent) = (&self.output, &self.output_tangent);
        let (value, dot) = match kind {
            Kind::Gradient | Kind::Hvp => (gradient.clone(), gradient),
            Kind::ValueAndGradient | Kind::Vjp => {
                (quote!((#output, #gradient)), quote!((#tangent, #gradient)))
            }
            Kind::Jvp => (quote!((#output, #tangent)), quote!((#tangent, #tangent))),
            Kind::Derivative => (tangent.clone(), tangent.clone()),
            Kind::Jacobian if self.is_fallible() => {
                let value = self.output_with(&matrices);
                let dot = quote!(<#value as #rt::Differentiable>::Tangent);
                (value, dot)
            }
            Kind::Jacobian => (matrices.clone(), matrices),
            Kind::Hessian => {
                let blocks = Self::bare(&vec![matrices; types.len()]);
                (blocks.clone(), blocks)
            }
        };
        let mut args: Vec<Argument> = self.args.iter().map(Argument::again).collect();
        match kind {
            Kind::Jvp | Kind::Hvp => {
                args.extend(self.differentiated().map(|a| self.direction_of(a)));
            }
            Kind::Vjp => {
                let (tangent, known) = (tangent.clone(), &self.output_known);
                args.push(tangent_argument(
                    own("seed"),
                    tangent,
                    known,
                    PassedBy::Value,
                ));
            }
            _ => {}
        }
        Surface {
            rt,
            vis: self.vis,
            generics,
            declared: generics,
            outer: self.outer,
            receiver: self.receiver,
            method: Some(unraw(&name)),
            title: format!("{}::{}", self.title, kind.name()),
            primal: quote!(Self::#name),
            mentions: true,
            in_fields: false,
            of: self.of,
            highest: Order::Second,
            checked: false,
            forward_wide: Cell::new(false),
            second_wide: Cell::new(false),
            args,
            output: syn::Type::Verbatim(value),
            output_known: Ty::Deferred,
            output_tangent: dot,
        }
    }

    /// The parameter for the direction of an argument.
    fn direction_of(&self, a: &Argument) -> Argument {
        tangent_argument(Self::dot(a), self.tangent(a), &a.known, a.by)
    }

    /// The modes, by path and, of a method, by method resolution.
    fn driver_modes(&self) -> TokenStream {
        let vis = self.vis;
        let (types, values) = self.mode_types();
        let (generics, clause) = (self.impl_generics(), self.where_clause(&[]));
        let item = |name: Ident, receiver: Option<TokenStream>| {
            quote! {
                #[doc(hidden)]
                #[inline(always)]
                #vis fn #name #generics (#receiver) -> (#(#types,)*) #clause {
                    (#(#values,)*)
                }
            }
        };
        let mut items = item(self.path_name("modes"), None);
        if self.receiver.is_some() {
            items.extend(item(self.hidden_name("modes"), Some(quote!(&self))));
        }
        items
    }
}

/// The parameter for a tangent of a value of type `of`.
fn tangent_argument(name: Ident, tangent: TokenStream, of: &Ty, by: PassedBy) -> Argument {
    Argument {
        name,
        written: syn::Type::Verbatim(tangent),
        known: if is_own_tangent(of) {
            of.clone()
        } else {
            Ty::Deferred
        },
        by,
        lifetime: None,
        constant: false,
        receiver: false,
        function: false,
    }
}

/// The expressions for one argument of the function.
struct Given {
    /// The argument; may be used once for each rule that is called.
    value: TokenStream,
    /// `&` of it.
    place: TokenStream,
}

impl Driver<'_> {
    /// Why the driver has no derivative at all.
    fn unsupported(&self) -> Option<String> {
        let (of, driver) = (&self.of.title, &self.surface.title);
        if matches!(self.kind, Kind::Hvp | Kind::Hessian) && !self.has_third() {
            return Some(self.too_high());
        }
        if self.kind == Kind::Jacobian && self.of.is_fallible() {
            return Some(format!(
                "`{driver}` can't be differentiated, since `{of}` may return no value\nhelp: write a function that returns the value itself, and use \
                 the drivers of that"
            ));
        }
        let mutable = |a: &&Argument| a.by == PassedBy::Mut;
        let a = self.of.args.iter().find(|a| {
            mutable(a)
                && (a.constant || !matches!(self.kind, Kind::Gradient | Kind::ValueAndGradient))
        })?;
        let name = &a.name;
        Some(format!(
            "`{driver}` can't be differentiated, since `{of}` takes `{name}` as `&mut`\nhelp: write a function that takes it by value, and use \
             the drivers of that"
        ))
    }

    fn too_high(&self) -> String {
        let (of, driver, order) = (&self.of.title, &self.surface.title, self.order);
        let above = match self.kind {
            Kind::Hvp if order >= 3 => "fourth",
            _ => "third",
        };
        let help = if order < 3 {
            format!(
                "`#[differentiable(nested, order = 3)]` on `{of}` makes those of `gradient`, `value_and_gradient`, `derivative` and `hvp`"
            )
        } else {
            "of third order are `gradient`, `value_and_gradient`, `derivative` and `hvp` of functions to a number whose arguments aren't `&mut`".to_owned()
        };
        format!(
            "this is a {above} derivative of `{of}`, by way of `{driver}`, which has no rules of that order\nhelp: {help}"
        )
    }

    fn differentiated(&self) -> impl Iterator<Item = &Argument> {
        self.of.differentiated()
    }

    fn given(a: &Argument, expr: &TokenStream) -> Given {
        let (value, place) = match a.by {
            PassedBy::Value if a.known.is_scalar() => (expr.clone(), quote!(&#expr)),
            PassedBy::Value => (quote!(::core::clone::Clone::clone(&#expr)), quote!(&#expr)),
            PassedBy::Ref => (expr.clone(), quote!(&*#expr)),
            PassedBy::Mut => (quote!(&mut *#expr), quote!(&*#expr)),
        };
        Given { value, place }
    }

    /// An argument in a forward rule.
    fn in_frule(&self, a: &Argument) -> Given {
        let name = &a.name;
        let expr = match (a.receiver, a.constant) {
            (true, _) => self.of.expr(a),
            (false, true) => quote!(#name),
            (false, false) => quote!(#name.0),
        };
        Self::given(a, &expr)
    }

    /// An argument in a pullback: it is handed over again, or has been kept.
    fn in_pullback(a: &Argument) -> Given {
        let name = &a.name;
        let expr = match (a.by, a.constant) {
            (PassedBy::Value, _) => Surface::of(a, "kept").into_token_stream(),
            (_, true) => quote!(#name),
            (_, false) => quote!(#name.0),
        };
        Self::given(a, &expr)
    }

    /// The tangent of an argument or direction in a forward rule.
    fn dot(a: &Argument) -> TokenStream {
        let name = &a.name;
        let expr = if a.receiver {
            own("self_dot").into_token_stream()
        } else {
            quote!(#name.1)
        };
        Self::given(a, &expr).value
    }

    /// `let mut x_bar = zero_tangent(&x);`
    fn zero(&self, a: &Argument, variable: &str, given: &Given) -> TokenStream {
        let (rt, place, owned) = (self.of.rt, &given.place, self.of.owned_tangent(a));
        let variable = Surface::of(a, variable);
        quote!(let mut #variable: #owned = #rt::Differentiable::zero_tangent(#place);)
    }

    /// The arguments of a hidden rule on duals.
    fn duals(
        &self,
        given: &dyn Fn(&Argument) -> Given,
        dot: &dyn Fn(&Argument) -> TokenStream,
    ) -> Vec<TokenStream> {
        self.of.duals_of(&|a| given(a).value, dot)
    }

    /// A call of `__rrule_frule` and of its pullback: the bindings are `value`, `tangent`, and of each differentiated argument the
    /// cotangent and its tangent, in `shadows` where it is passed by reference.
    fn second(
        &self,
        given: &dyn Fn(&Argument) -> Given,
        dot: &dyn Fn(&Argument) -> TokenStream,
        seed: &TokenStream,
        shadows: &dyn Fn(&Argument) -> TokenStream,
    ) -> TokenStream {
        let (forward, reverse) = self.halves_of_second(given, dot, seed, shadows);
        quote!(#forward #reverse)
    }

    /// The same in two statements, between which the value is known.
    fn halves_of_second(
        &self,
        given: &dyn Fn(&Argument) -> Given,
        dot: &dyn Fn(&Argument) -> TokenStream,
        seed: &TokenStream,
        shadows: &dyn Fn(&Argument) -> TokenStream,
    ) -> (TokenStream, TokenStream) {
        let rt = self.of.rt;
        let hidden = self.of.hidden("rrule_frule");
        let args = self.duals(given, dot);
        let (value, tangent, pullback) = (own("value"), own("tangent"), own("pullback"));
        let (patterns, passed) = self.of.handed_again(&|a| given(a).value, dot, shadows);
        (
            quote!(let (#rt::Dual(#value, #tangent), #pullback) = #hidden(#(#args),*);),
            quote!(let (#(#patterns,)*) = #pullback(#seed, #(#passed),*);),
        )
    }

    /// Zeros for the shadows of arguments behind references, or of all.
    fn zeros(
        &self,
        given: &dyn Fn(&Argument) -> Given,
        all: bool,
        variables: &[&str],
    ) -> TokenStream {
        self.differentiated()
            .filter(|a| all || a.by != PassedBy::Value)
            .flat_map(|a| variables.iter().map(move |v| self.zero(a, v, &given(a))))
            .collect()
    }

    /// The shape of directions is checked as by the driver itself.
    fn checks(
        &self,
        given: &dyn Fn(&Argument) -> TokenStream,
        shadow: &dyn Fn(&Argument) -> TokenStream,
    ) -> TokenStream {
        let args = self.differentiated();
        args.map(|a| self.of.check(a, &given(a), &shadow(a)))
            .collect()
    }

    /// A variable of each differentiated parameter.
    fn all(&self, variable: &str) -> TokenStream {
        self.of.all(&|a| Surface::of(a, variable))
    }

    /// The body of the forward rule.
    fn frule(&self) -> TokenStream {
        let rt = self.of.rt;
        let given = |a: &Argument| self.in_frule(a);
        let (value, tangent) = (own("value"), own("tangent"));
        let (bars, products) = (self.all("bar"), self.all("product"));
        let direction = |a: &Argument| {
            let direction = self.of.direction_of(a);
            let name = &direction.name;
            Self::given(&direction, &quote!(#name.0)).value
        };
        let direction_dot = |a: &Argument| Self::dot(&self.of.direction_of(a));
        match self.kind {
            Kind::Gradient | Kind::ValueAndGradient => {
                let zeros = self.zeros(&given, true, &["bar", "product"]);
                let hidden = self.of.hidden("combined_frule");
                let args = self.duals(&given, &Self::dot);
                let (one, zero, _) = self.of.unit_seed();
                let shadows = self.differentiated().map(|a| self.of.fresh(a));
                let result = if self.kind == Kind::Gradient {
                    quote!(#rt::Dual(#bars, #products))
                } else {
                    quote!(#rt::Dual((#value, #bars), (#tangent, #products)))
                };
                quote! {
                    #zeros
                    let #rt::Dual(#value, #tangent) = #hidden(#(#args,)* #rt::Dual(#one, #zero), #(#shadows),*);
                    #result
                }
            }
            Kind::Vjp => {
                let zeros = self.zeros(&given, false, &["bar", "product"]);
                let seed = own("seed");
                let (forward, reverse) =
                    self.halves_of_second(&given, &Self::dot, &quote!(#seed), &|a| {
                        self.of.fresh(a)
                    });
                let check = self.of.check_result(&quote!(#value), &quote!(#seed.0));
                quote! {
                    #zeros
                    #forward
                    #check
                    #reverse
                    #rt::Dual((#value, #bars), (#tangent, #products))
                }
            }
            Kind::Jvp => {
                let checks = self.checks(&|a| self.borrowed(a), &direction);
                let first = |dot: &dyn Fn(&Argument) -> TokenStream| {
                    let (hidden, args) = (self.of.hidden("frule"), self.duals(&given, dot));
                    quote!(#hidden(#(#args),*))
                };
                let (along, across, linear) =
                    (first(&direction), first(&Self::dot), first(&direction_dot));
                let curvature = self.curvature(&direction);
                let (first, change) = (own("first"), own("change"));
                quote! {
                    #checks
                    let #rt::Dual(#value, #first) = #along;
                    let #rt::Dual(_, #tangent) = #across;
                    let #rt::Dual(_, mut #change) = #linear;
                    #rt::Tangent::accumulate(&mut #change, ::core::borrow::Borrow::borrow(&#curvature));
                    #rt::Dual((#value, #first), (#tangent, #change))
                }
            }
            Kind::Derivative => {
                let one = self.one();
                let hidden = self.of.hidden("frule");
                let args = self.duals(&given, &|_| one.clone());
                let curvature = self.curvature(&|_| one.clone());
                quote! {
                    let #rt::Dual(#value, #tangent) = #hidden(#(#args),*);
                    let #value = #curvature;
                    #rt::Dual(#tangent, #value)
                }
            }
            Kind::Jacobian => {
                let zeros = self.zeros(&given, false, &["bar", "product"]);
                let primal = self.of.primal_path();
                let args = self.of.args.iter();
                let args: Vec<TokenStream> =
                    args.map(|a| a.as_declared(given(a).value, rt)).collect();
                let args_again = args.clone();
                let driver = self.of.public_path("jacobian");
                let (seed, zero, row) = (own("seed"), own("zero"), own("row"));
                let (jacobians, changes) = (self.all("jacobian"), self.all("change"));
                let rows: TokenStream = (self.differentiated())
                    .map(|a| {
                        let (change, product) = (Surface::of(a, "change"), Surface::product(a));
                        quote!(#rt::jacobian::set_row(#change.as_mut_slice(), #row, &#product);)
                    })
                    .collect();
                let made: TokenStream = (self.differentiated())
                    .map(|a| {
                        let (change, jacobian) =
                            (Surface::of(a, "change"), Surface::of(a, "jacobian"));
                        quote!(let mut #change = #rt::Differentiable::zero_tangent(&#jacobian);)
                    })
                    .collect();
                let second = self.second(
                    &given,
                    &Self::dot,
                    &quote!(#rt::Dual(#seed, ::core::clone::Clone::clone(&#zero))),
                    &|a| self.of.fresh(a),
                );
                quote! {
                    let #jacobians = #driver(#(#args),*);
                    let #zero = #rt::Differentiable::zero_tangent(&#primal(#(#args_again),*));
                    #made
                    let mut #row = 0;
                    #rt::nested::units(&#zero, |#seed| {
                        #zeros
                        #second
                        #rows
                        #row += 1;
                    });
                    #rt::Dual(#jacobians, #changes)
                }
            }
            Kind::Hvp | Kind::Hessian => TokenStream::new(),
        }
    }

    /// An argument in a forward rule, to be looked at.
    fn borrowed(&self, a: &Argument) -> TokenStream {
        let name = &a.name;
        if a.receiver {
            self.of.expr(a)
        } else {
            quote!(#name.0)
        }
    }

    /// One, as the tangent of the only parameter.
    fn one(&self) -> TokenStream {
        let known = self.of.one_scalar().map(|a| &a.known);
        super::unit(known, self.of.rt).0
    }

    /// The second derivative in the direction of the arguments' tangents and in another one: by one pass for each component of the result.
    fn curvature(&self, direction: &dyn Fn(&Argument) -> TokenStream) -> TokenStream {
        let rt = self.of.rt;
        let given = |a: &Argument| self.in_frule(a);
        let (value, seed, zero) = (own("value"), own("seed"), own("zero"));
        let zeros = self.zeros(&given, false, &["bar", "product"]);
        let second = self.second(
            &given,
            &Self::dot,
            &quote!(#rt::Dual(#seed, ::core::clone::Clone::clone(&#zero))),
            &|a| self.of.fresh(a),
        );
        let terms = self.differentiated().map(|a| {
            let product = Surface::product(a);
            let direction = direction(a);
            let direction = match a.by {
                PassedBy::Value => quote!(&#direction),
                _ => direction,
            };
            let tangent = self.of.tangent(a);
            quote!(+ <#tangent as #rt::Tangent>::inner(#direction, ::core::borrow::Borrow::borrow(&#product)))
        });
        quote!({
            let #zero = #rt::Differentiable::zero_tangent(&#value);
            #rt::nested::by_components(&#zero, |#seed| {
                #zeros
                #second
                0.0 #(#terms)*
            })
        })
    }

    /// The reverse rule.
    fn rrule(&self, hidden: &Hidden<'_>) -> crate::emit::Parts {
        let rt = self.of.rt;
        let given = Self::in_pullback;
        let (seed, pullback) = (own("cotangent"), own("pullback"));
        let (value, tangent) = (own("value"), own("tangent"));
        let weights = self.all("weight");
        let along = |a: &Argument| self.of.lent_direction(a, &Surface::of(a, "weight"));
        let y_bar = own("value_bar");
        // The value that is passed back to a function of the arguments: the tangent of its cotangent.
        let to_x = |a: &Argument| {
            let (name, bar) = (&a.name, self.of.lent(a, &Surface::bar(a)));
            quote!(#rt::Dual(#bar, #name.1))
        };
        let returned = |of: &dyn Fn(&Argument) -> TokenStream| -> Vec<TokenStream> {
            let args = self.of.args.iter();
            args.map(|a| match (a.by, a.constant) {
                (PassedBy::Value, false) => of(a),
                _ => quote!(()),
            })
            .collect()
        };
        let product = |a: &Argument| Surface::product(a).into_token_stream();
        let keep = Self::kept_values(&|a| self.of.expr(a), &self.of.args);
        let args = (self.surface.args.iter()).map(|a| self.surface.passed_on(a));
        let driver = self.of.public_path(self.kind.name());
        let called = quote!(#driver(#(#args),*));
        let (forward, result, reverse) = match self.kind {
            Kind::Gradient | Kind::ValueAndGradient => {
                let combined = self.of.hidden("combined_frule");
                let zeros: TokenStream = self
                    .differentiated()
                    .map(|a| {
                        let mut zeros = self.zero(a, "bar", &given(a));
                        if a.by != PassedBy::Ref {
                            zeros.extend(self.zero(a, "product", &given(a)));
                        }
                        zeros
                    })
                    .collect();
                // A shadow behind `&mut` would count as the cotangent of the state that the function leaves.
                let shadows = self.differentiated().map(|a| match a.by {
                    PassedBy::Ref => to_x(a),
                    _ => self.of.fresh(a),
                });
                let sums: TokenStream = (self.differentiated())
                    .filter(|a| a.by == PassedBy::Mut)
                    .map(|a| {
                        let (name, product) = (&a.name, Surface::product(a));
                        quote!(#rt::Tangent::accumulate(&mut *#name.1, ::core::borrow::Borrow::borrow(&#product));)
                    })
                    .collect();
                let duals = self.duals(&given, &along);
                let (one, zero, _) = self.of.unit_seed();
                let mutable = (self.differentiated())
                    .filter(|a| a.by == PassedBy::Mut)
                    .map(|a| Surface::of(a, "weight"));
                let (pattern, second) = match self.kind {
                    Kind::Gradient => (weights, zero),
                    _ => (quote!((#y_bar, #weights)), quote!(#y_bar)),
                };
                let returned = returned(&product);
                let reverse = quote! {
                    let #pattern = #seed;
                    #(let mut #mutable = #mutable;)*
                    #zeros
                    #combined(#(#duals,)* #rt::Dual(#one, #second), #(#shadows),*);
                    #sums
                    (#(#returned,)*)
                };
                (keep, called, reverse)
            }
            Kind::Vjp => {
                let saved = own("seed_kept");
                let own_seed = own("seed");
                let zeros = self.zeros(&given, false, &["bar"]);
                let second = self.second(&given, &along, &quote!(#rt::Dual(#saved, #y_bar)), &to_x);
                let mut returned = returned(&product);
                returned.push(quote!(#tangent));
                let reverse = quote! {
                    let (#y_bar, #weights) = #seed;
                    #zeros
                    #second
                    (#(#returned,)*)
                };
                let keep_seed = quote!(let #saved = ::core::clone::Clone::clone(&#own_seed););
                (quote!(#keep #keep_seed), called, reverse)
            }
            Kind::Jvp | Kind::Derivative => {
                let rrule_frule = self.of.hidden("rrule_frule");
                let derivative = self.kind == Kind::Derivative;
                let one = derivative.then(|| self.one());
                let direct = |a: &Argument| match &one {
                    Some(one) => one.clone(),
                    None => Surface::dot(a).into_token_stream(),
                };
                let checks = if derivative {
                    TokenStream::new()
                } else {
                    self.checks(&|a| self.of.expr(a), &direct)
                };
                let duals = self.of.dual_args(&direct);
                let in_pullback = |a: &Argument| {
                    let dot = Surface::dot(a);
                    quote!(#dot.0)
                };
                let shadows = |a: &Argument| {
                    let (x, dot) = (&a.name, Surface::dot(a));
                    quote!(#rt::Dual(#dot.1, #x.1))
                };
                let (patterns, passed) =
                    self.of
                        .handed_again(&|a| given(a).value, &in_pullback, &shadows);
                let mut returned = returned(&product);
                let (pattern, of_seed, result_of) = if derivative {
                    let zero = quote!(#rt::Differentiable::zero_tangent(&#seed));
                    (
                        TokenStream::new(),
                        quote!(let #y_bar = #zero; let #tangent = #seed;),
                        quote!(#tangent),
                    )
                } else {
                    returned.extend(self.differentiated().map(|a| {
                        if a.by == PassedBy::Value {
                            Surface::bar(a).into_token_stream()
                        } else {
                            quote!(())
                        }
                    }));
                    (
                        quote!(let (#y_bar, #tangent) = #seed;),
                        TokenStream::new(),
                        quote!((#value, #tangent)),
                    )
                };
                let forward = quote! {
                    #checks
                    let (#rt::Dual(#value, #tangent), #pullback) = #rrule_frule(#(#duals),*);
                };
                let reverse = quote! {
                    #pattern
                    #of_seed
                    let (#(#patterns,)*) = #pullback(#rt::Dual(#tangent, #y_bar), #(#passed),*);
                    (#(#returned,)*)
                };
                (forward, result_of, reverse)
            }
            Kind::Jacobian => {
                let primal = self.of.primal_path();
                let again = self.of.args.iter();
                let again: Vec<TokenStream> =
                    again.map(|a| a.as_declared(given(a).value, rt)).collect();
                let (zero, unit, row) = (own("zero"), own("unit"), own("row"));
                let zeros = self.zeros(&given, false, &["bar"]);
                let second = self.second(
                    &given,
                    &along,
                    &quote!(#rt::Dual(#unit, ::core::clone::Clone::clone(&#zero))),
                    &|a| {
                        let (name, bar) = (&a.name, self.of.lent(a, &Surface::bar(a)));
                        quote!(#rt::Dual(#bar, &mut *#name.1))
                    },
                );
                let jacobians = self.all("jacobian");
                let weight: TokenStream = self
                    .differentiated()
                    .map(|a| {
                        let (weight, jacobian) =
                            (Surface::of(a, "weight"), Surface::of(a, "jacobian"));
                        let zero = self.zero(a, "weight", &given(a));
                        quote!(#zero #rt::nested::fill(&mut #weight, #jacobian.row(#row));)
                    })
                    .collect();
                let sums: TokenStream = (self.differentiated())
                    .filter(|a| a.by == PassedBy::Value)
                    .map(|a| self.zero(a, "sum", &given(a)))
                    .collect();
                let add: TokenStream = (self.differentiated())
                    .filter(|a| a.by == PassedBy::Value)
                    .map(|a| {
                        let (sum, product) = (Surface::of(a, "sum"), Surface::product(a));
                        quote!(#rt::Tangent::accumulate(&mut #sum, &#product);)
                    })
                    .collect();
                let returned = returned(&|a| Surface::of(a, "sum").into_token_stream());
                let reverse = quote! {
                    let #jacobians = #seed;
                    let #zero = #rt::Differentiable::zero_tangent(&#primal(#(#again),*));
                    #sums
                    let mut #row = 0;
                    #rt::nested::units(&#zero, |#unit| {
                        #weight
                        #row += 1;
                        #zeros
                        #second
                        #add
                    });
                    (#(#returned,)*)
                };
                (keep, called, reverse)
            }
            Kind::Hvp | Kind::Hessian => Default::default(),
        };
        hidden.halves(Order::First, &forward, &result, &seed, &reverse)
    }
}
