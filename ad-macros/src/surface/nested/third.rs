//! The rules of drivers that are third derivatives, by one pass of the combined rule that forward mode went over twice.
//!
//! Input: a driver of a function to a number, of order 3. Output: bodies of its rules. With `T` for the third derivative, the pass at
//! `Dual(Dual(x, a), Dual(b, c))` with the cotangent `Dual(Dual(1, s), Dual(0, t))` adds to its four shadows
//!
//! ```text
//! gradient,   H a + s gradient,   H b,   T a b + H c + s H b + t gradient
//! ```
//!
//! The transform has no line for third order: leaves are duals of duals (`Pattern`), and types follow patterns. The protocol of calls
//! doesn't cover it, since a call has room for one tangent of each argument. So `order = 3` is refused where calls are left after inlining
//! (`entry/rules.rs`).

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens as _, quote};

use super::super::hidden::{Hidden, Order};
use super::super::{Argument, Surface};
use super::{Driver, Given, Kind};
use crate::emit::own;
use crate::ir::PassedBy;

/// The directions of a pass, for each argument.
struct Directions<'d> {
    a: &'d dyn Fn(&Argument) -> TokenStream,
    b: &'d dyn Fn(&Argument) -> TokenStream,
    c: &'d dyn Fn(&Argument) -> TokenStream,
}

impl Driver<'_> {
    /// Returns `true` if there are rules of third order for it.
    pub(super) fn has_third(&self) -> bool {
        let scalar = matches!(
            self.kind,
            Kind::Gradient | Kind::ValueAndGradient | Kind::Hvp
        ) || self.kind == Kind::Derivative && self.of.output_known.is_float();
        self.order >= 3
            && scalar
            && self
                .of
                .args
                .iter()
                .all(|a| a.by != PassedBy::Mut && !a.receiver)
    }

    /// Zeros for all four shadows.
    fn four_zeros(&self, given: &dyn Fn(&Argument) -> Given) -> TokenStream {
        self.zeros(given, true, &["bar", "product", "change", "mixed"])
    }

    /// Those, as a shadow of third order.
    fn four(&self, a: &Argument) -> [TokenStream; 4] {
        ["bar", "product", "change", "mixed"].map(|shadow| self.of.lent(a, &Surface::of(a, shadow)))
    }

    fn pass(
        &self,
        given: &dyn Fn(&Argument) -> Given,
        directions: &Directions<'_>,
        [s, t]: [&TokenStream; 2],
        shadows: &dyn Fn(&Argument) -> [TokenStream; 4],
    ) -> TokenStream {
        let rt = self.of.rt;
        let hidden = self.of.hidden("combined_frule_frule");
        let args = self.of.args.iter().map(|arg| {
            let x = given(arg).value;
            if arg.constant {
                return x;
            }
            let a = (directions.a)(arg);
            let b = (directions.b)(arg);
            let c = (directions.c)(arg);
            quote!(#rt::Dual(#rt::Dual(#x, #a), #rt::Dual(#b, #c)))
        });
        let shadows = self.differentiated().map(|a| {
            let [first, second, third, fourth] = shadows(a);
            quote!(#rt::Dual(#rt::Dual(#first, #second), #rt::Dual(#third, #fourth)))
        });
        let (one, zero, _) = self.of.unit_seed();
        quote! {
            #hidden(#(#args,)* #rt::Dual(#rt::Dual(#one, #s), #rt::Dual(#zero, #t)), #(#shadows),*);
        }
    }

    /// The forward rule of `hvp`.
    pub(super) fn frule_of_hvp(&self) -> TokenStream {
        let rt = self.of.rt;
        let given = |a: &Argument| self.in_frule(a);
        let direction = |a: &Argument| self.of.direction_of(a);
        let along = |a: &Argument| {
            let direction = direction(a);
            let name = &direction.name;
            Self::given(&direction, &quote!(#name.0)).value
        };
        let checks = self.checks(&|a| self.borrowed(a), &along);
        let (_, zero, _) = self.of.unit_seed();
        let directions = Directions {
            a: &along,
            b: &Self::dot,
            c: &|a| Self::dot(&direction(a)),
        };
        let zeros = self.four_zeros(&given);
        let pass = self.pass(&given, &directions, [&zero, &zero], &|a| self.four(a));
        let (products, mixed) = (self.all("product"), self.all("mixed"));
        quote! {
            #checks
            #zeros
            #pass
            #rt::Dual(#products, #mixed)
        }
    }

    /// The reverse rule of `hvp`, from the values of its arguments when the pullback runs: their directions have been kept where they are passed by
    /// value.
    pub(super) fn rrule_of_hvp(&self, hidden: &Hidden<'_>) -> crate::emit::Parts {
        let given = Self::in_pullback;
        let direction = |a: &Argument| self.of.direction_of(a);
        let keep = Self::kept_values(&|a| self.of.expr(a), &self.surface.args);
        let args = (self.surface.args.iter()).map(|a| self.surface.passed_on(a));
        let driver = self.of.public_path("hvp");
        let (_, zero, _) = self.of.unit_seed();
        let directions = Directions {
            a: &|a| Self::in_pullback(&direction(a)).value,
            b: &|a| self.of.lent_direction(a, &Surface::of(a, "weight")),
            c: &|a| self.of.lent_direction(a, &Surface::of(a, "zero")),
        };
        let zeros = self.four_zeros(&given);
        let nothing = self.zeros(&given, true, &["zero"]);
        let pass = self.pass(&given, &directions, [&zero, &zero], &|a| {
            let [first, second, third, fourth] = self.four(a);
            if a.by == PassedBy::Value {
                return [first, second, third, fourth];
            }
            // By symmetry: `H w` belongs to the direction, `T u w` to the argument.
            let (x, dot) = (&a.name, direction(a).name);
            [first, second, quote!(&mut *#dot.1), quote!(&mut *#x.1)]
        });
        let returned = |a: &Argument, variable: Ident| match (a.by, a.constant) {
            (PassedBy::Value, false) => quote!(#variable),
            _ => quote!(()),
        };
        let to_args = self
            .of
            .args
            .iter()
            .map(|a| returned(a, Surface::of(a, "mixed")));
        let to_directions = self
            .differentiated()
            .map(|a| returned(a, Surface::of(a, "change")));
        let returned = to_args.chain(to_directions);
        let weights = self.all("weight");
        let seed = own("cotangent");
        let reverse = quote! {
            let #weights = #seed;
            #zeros
            #nothing
            #pass
            (#(#returned,)*)
        };
        let value = quote!(#driver(#(#args),*));
        hidden.halves(Order::First, &keep, &value, &seed, &reverse)
    }

    /// The reverse rule of second order of `gradient`, `value_and_gradient` and `derivative`.
    pub(super) fn second_of_gradient(&self, hidden: &Hidden<'_>) -> crate::emit::Parts {
        let rt = self.of.rt;
        let kept_dot = |a: &Argument| Surface::of(a, "dot_kept");
        let given = |a: &Argument| {
            let name = &a.name;
            let expr = match (a.by, a.constant) {
                (PassedBy::Value, _) => Surface::of(a, "kept").into_token_stream(),
                (_, true) => quote!(#name),
                (_, false) => quote!(#name.0.0),
            };
            Self::given(a, &expr)
        };
        let dot = |a: &Argument| {
            let name = &a.name;
            let expr = match a.by {
                PassedBy::Value => kept_dot(a).into_token_stream(),
                _ => quote!(#name.0.1),
            };
            Self::given(a, &expr).value
        };
        let directions = Directions {
            a: &|a| self.of.lent_direction(a, &Surface::of(a, "weight")),
            b: &dot,
            c: &|a| self.of.lent_direction(a, &Surface::of(a, "weight_dot")),
        };
        let zeros = self.four_zeros(&given);
        let (y_bar, y_bar_dot) = (own("value_bar"), own("value_bar_dot"));
        let (_, zero, _) = self.of.unit_seed();
        let with_value = self.kind == Kind::ValueAndGradient;
        let [s, t] = if with_value {
            [quote!(#y_bar), quote!(#y_bar_dot)]
        } else {
            [zero.clone(), zero]
        };
        let pass = self.pass(&given, &directions, [&s, &t], &|a| {
            let [first, second, third, fourth] = self.four(a);
            if a.by == PassedBy::Value {
                return [first, second, third, fourth];
            }
            let x = &a.name;
            [first, quote!(&mut *#x.1.0), third, quote!(&mut *#x.1.1)]
        });
        let returned = self.of.args.iter().map(|a| match (a.by, a.constant) {
            (PassedBy::Value, false) => {
                let (product, mixed) = (Surface::product(a), Surface::of(a, "mixed"));
                quote!(#rt::Dual(#product, #mixed))
            }
            _ => quote!(()),
        });
        let (weights, weights_dot) = (self.all("weight"), self.all("weight_dot"));
        let (first, second) = if with_value {
            (
                quote!((#y_bar, #weights)),
                quote!((#y_bar_dot, #weights_dot)),
            )
        } else {
            (weights, weights_dot)
        };
        let seed = own("cotangent");
        let reverse = quote! {
            let #rt::Dual(#first, #second) = #seed;
            #zeros
            #pass
            (#(#returned,)*)
        };
        let by_value = (self.of.args.iter()).filter(|a| a.by == PassedBy::Value);
        let keep = by_value.map(|a| {
            let kept = Surface::of(a, "kept");
            let value = self.in_frule(a).value;
            let dot = (!a.constant).then(|| {
                let (kept, dot) = (kept_dot(a), Self::dot(a));
                quote!(let #kept = #dot;)
            });
            quote!(let #kept = #value; #dot)
        });
        let body = self.frule();
        let value = quote!({ #body });
        hidden.halves(Order::Second, &quote!(#(#keep)*), &value, &seed, &reverse)
    }

    /// `let x_kept = x;` for arguments by value.
    pub(super) fn kept_values(
        expr: &dyn Fn(&Argument) -> TokenStream,
        args: &[Argument],
    ) -> TokenStream {
        let by_value = args.iter().filter(|a| a.by == PassedBy::Value);
        by_value
            .map(|a| {
                let kept = Surface::of(a, "kept");
                let value = Self::given(a, &expr(a)).value;
                quote!(let #kept = #value;)
            })
            .collect()
    }
}
