//! `check_rules!` and `examine_rules!`: from a call to a check of all rules of the function that is called.
//!
//! ```text
//! // Input:
//! check_rules!(nll, &w, &x)
//! // Output:
//! let (m_0, m_1) = modes(nll::__modes);
//! let report = check("nll", 0, &["w", "x"], (m_0.hold(&w), (m_1.hold(&x), ())), Rules {
//!     primal: &|a| nll(a.0.primal(), a.1.0.primal()),
//!     frule: &|a| nll::frule(a.0.dual(), a.1.0.dual()),
//!     ..
//! });
//! report.assert_passed();
//! ```
//! Which parameters are constant, and how each is passed, isn't seen here: the modes of the function know.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Expr, ExprPath, LitInt, Path, PathArguments, Token, parse_quote};

use crate::depth;
use crate::diagnostics::error;
use crate::paths;

/// A check that panics unless all is right.
pub(crate) fn check(input: TokenStream) -> TokenStream {
    expand(input, |check| {
        if check.options.allow_inconclusive {
            quote!(.assert_not_failed())
        } else {
            quote!(.assert_passed())
        }
    })
}

/// A check that returns its report.
pub(crate) fn examine(input: TokenStream) -> TokenStream {
    expand(input, |_| TokenStream::new())
}

fn expand(input: TokenStream, end: impl Fn(&Check) -> TokenStream) -> TokenStream {
    match depth::check(&input).and_then(|()| syn::parse2::<Check>(input)) {
        Ok(check) => {
            let (report, end) = (check.report(), end(&check));
            quote!({
                #[allow(unused, non_upper_case_globals, clippy::all, clippy::pedantic)]
                let report = #report;
                report #end
            })
        }
        Err(error) => error.to_compile_error(),
    }
}

/// The macro's input: `path, arguments; options`.
struct Check {
    function: ExprPath,
    arguments: Vec<Expr>,
    options: Options,
}

#[derive(Default)]
struct Options {
    seed: Option<LitInt>,
    /// `order = 1`: there is no rule of second order.
    first_order: bool,
    allow_inconclusive: bool,
    /// Where the rules are, if not under the function's name.
    rules: Option<Path>,
    krate: Option<Path>,
}

impl Parse for Check {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let function = match input.parse::<Expr>()? {
            Expr::Path(path) => path,
            Expr::Field(field) => {
                let name = field.member.to_token_stream();
                return Err(error(
                    field.span(),
                    "a method is checked by its path",
                    format!("write `check_rules!(Type::{name}, &receiver, ...)`"),
                ));
            }
            other => {
                return Err(error(
                    other.span(),
                    "expected the path of a function",
                    "write the function and its arguments: `check_rules!(f, &x, 2.0)`",
                ));
            }
        };
        let mut arguments = Vec::new();
        while input.peek(Token![,]) {
            input.parse::<Token![,]>()?;
            if input.is_empty() || input.peek(Token![;]) {
                break;
            }
            arguments.push(input.parse()?);
        }
        let mut options = Options::default();
        if !input.is_empty() {
            input.parse::<Token![;]>()?;
            let all = Punctuated::<OptionItem, Token![,]>::parse_terminated(input)?;
            all.into_iter().try_for_each(|item| options.set(item))?;
        }
        Ok(Check {
            function,
            arguments,
            options,
        })
    }
}

/// `name` or `name = value`.
struct OptionItem {
    name: Ident,
    value: Option<Expr>,
}

impl Parse for OptionItem {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let name = syn::ext::IdentExt::parse_any(input)?;
        let value = if input.parse::<Option<Token![=]>>()?.is_some() {
            Some(input.parse()?)
        } else {
            None
        };
        Ok(OptionItem { name, value })
    }
}

impl Options {
    fn set(&mut self, OptionItem { name, value }: OptionItem) -> syn::Result<()> {
        match (&*name.to_string(), value) {
            (
                "seed",
                Some(Expr::Lit(syn::ExprLit {
                    lit: syn::Lit::Int(seed),
                    ..
                })),
            ) => {
                self.seed = Some(seed);
            }
            ("order", Some(order)) => {
                self.first_order = match &*order.to_token_stream().to_string() {
                    "1" => true,
                    "2" => false,
                    _ => {
                        return Err(error(
                            order.span(),
                            "rules are checked to order 1 or 2",
                            "write `order = 1` for a function without rules of second order",
                        ));
                    }
                };
            }
            ("allow_inconclusive", None) => self.allow_inconclusive = true,
            ("rules", Some(Expr::Path(path))) => self.rules = Some(path.path),
            ("crate", Some(Expr::Path(path))) => self.krate = Some(path.path),
            (other, _) => {
                return Err(error(
                    name.span(),
                    format!("unknown or incomplete option `{other}`"),
                    "write `order = 1`, `allow_inconclusive`, `seed = 7`, `rules = path` or `crate = path`",
                ));
            }
        }
        Ok(())
    }
}

impl Check {
    fn report(&self) -> TokenStream {
        let krate = self.options.krate.as_ref();
        let runtime = krate.map_or_else(paths::runtime_path, paths::private_module);
        let testing = quote!(#runtime::testing);
        let n = self.arguments.len();
        let function = &self.function;
        let names = self.arguments.iter().enumerate().map(|(i, x)| name(i, x));
        let arguments = &self.arguments;
        let title = function.to_token_stream().to_string().replace(' ', "");
        let seed = match &self.options.seed {
            Some(seed) => quote!(#seed),
            None => quote!(0),
        };
        let modes: Vec<Ident> = (0..n).map(|i| local("m", i)).collect();
        let held = list(
            modes
                .iter()
                .zip(arguments)
                .map(|(m, x)| quote!(#m.hold(#x))),
        );
        let hidden_modes = self.hidden("modes");
        let frule = self.public("frule");
        let rrule = self.hidden("rrule");
        let primals = each(n, "primal", &[]);
        let duals = each(n, "dual", &[]);
        let pulls = each(n, "pull", &[]);
        let returned: Vec<Ident> = (0..n).map(|i| local("r", i)).collect();
        let takes = each(n, "take", &returned);
        let combined = self.combined(&testing);
        let second = self.second_order(&testing, &returned);
        let missing = ["combined", "combined_frule", "rrule_frule"].map(|rule| {
            let rule = self.hidden_name(rule);
            quote!(const #rule: #testing::Missing = #testing::Missing;)
        });
        let a = local("a", 0);
        quote!({
            // The path leads there if the type has nothing of its own.
            trait __ChainruleFallback {
                #(#missing)*
            }
            impl<T: ?::core::marker::Sized> __ChainruleFallback for T {}
            let (#(#modes,)*) = #testing::modes(#hidden_modes);
            #testing::check(
                #title,
                #seed,
                &[#(#names),*],
                #held,
                #testing::Rules {
                    primal: &|#a| #function(#(#primals),*),
                    frule: &|#a| #frule(#(#duals),*),
                    rrule: &|#a, between| {
                        let (y, pullback) = #rrule(#(#primals),*);
                        let y_bar = between(#a, y);
                        let (#(#returned,)*) = pullback(y_bar #(, #pulls)*);
                        #(#takes;)*
                    },
                    #combined
                    #second
                },
            )
        })
    }

    fn combined(&self, testing: &TokenStream) -> TokenStream {
        let (a, rule) = (local("a", 0), self.hidden("combined"));
        let (lets, arguments) = self.with_shadows(testing, "both", &quote!(y_bar));
        quote! {
            combined: &|#a, y_bar| {
                #lets
                #testing::try_call(#rule, #arguments)
            },
        }
    }

    fn second_order(&self, testing: &TokenStream, returned: &[Ident]) -> TokenStream {
        if self.options.first_order {
            return quote! {
                rrule_frule: ::core::option::Option::None,
                combined_frule: ::core::option::Option::None,
            };
        }
        let (a, rule) = (local("a", 0), self.hidden("rrule_frule"));
        let n = self.arguments.len();
        let duals = list(each(n, "dual", &[]));
        let pulls = each(n, "pull_dual", &[]);
        let takes = each(n, "take_dual", returned);
        let combined = self.hidden("combined_frule");
        let (lets, arguments) = self.with_shadows(testing, "both_dual", &quote!(y_bar));
        quote! {
            rrule_frule: ::core::option::Option::Some(&|#a, between| {
                let (y, pullback) = #testing::call(#rule, #duals);
                let y_bar = between(#a, y);
                let (#(#returned,)*) = pullback(y_bar #(, #pulls)*);
                #(#takes;)*
            }),
            combined_frule: ::core::option::Option::Some(&|#a, y_bar| {
                #lets
                #testing::try_call(#combined, #arguments)
            }),
        }
    }

    /// All arguments, the seed, and a shadow for each argument that isn't constant, as a list.
    fn with_shadows(
        &self,
        testing: &TokenStream,
        method: &str,
        seed: &TokenStream,
    ) -> (TokenStream, TokenStream) {
        let n = self.arguments.len();
        let (xs, shadows): (Vec<Ident>, Vec<Ident>) =
            (0..n).map(|i| (local("x", i), local("s", i))).unzip();
        let both = each(n, method, &[]);
        let lets = quote!(#(let (#xs, #shadows) = #both;)*);
        let shadows = shadows.iter().rev().fold(
            quote!(()),
            |rest, s| quote!(#testing::Prepend::prepend(#s, #rest)),
        );
        let tail = quote!((#seed, #shadows));
        let all = xs.iter().rev().fold(tail, |rest, x| quote!((#x, #rest)));
        (lets, all)
    }

    /// True for the path of an associated function: `Type::f`, and not `module::f`.
    fn is_associated(&self) -> bool {
        let segments = &self.function.path.segments;
        let before = segments.iter().rev().nth(1);
        self.function.qself.is_some()
            || before.is_some_and(|segment| {
                let name = segment.ident.to_string();
                name.trim_start_matches("r#")
                    .starts_with(char::is_uppercase)
            })
    }

    fn last_name(&self) -> String {
        let last = self.function.path.segments.last();
        let name = last
            .map(|segment| segment.ident.to_string())
            .unwrap_or_default();
        name.trim_start_matches("r#").to_owned()
    }

    fn hidden_name(&self, rule: &str) -> Ident {
        if self.is_associated() {
            format_ident!("__{}_{rule}", self.last_name())
        } else {
            format_ident!("__{rule}")
        }
    }

    fn hidden(&self, rule: &str) -> ExprPath {
        self.rule(self.hidden_name(rule))
    }

    fn public(&self, rule: &str) -> ExprPath {
        self.rule(if self.is_associated() {
            format_ident!("{}_{rule}", self.last_name())
        } else {
            format_ident!("{rule}")
        })
    }

    /// The path of a rule. The function's own generic arguments are the rule's.
    fn rule(&self, name: Ident) -> ExprPath {
        let mut path = self.function.clone();
        let Some(last) = path.path.segments.last_mut() else {
            return path;
        };
        if self.is_associated() {
            last.ident = name;
            return path;
        }
        let generics = std::mem::replace(&mut last.arguments, PathArguments::None);
        if let Some(rules) = &self.options.rules {
            path.path = rules.clone();
        }
        let mut segment: syn::PathSegment = parse_quote!(#name);
        segment.arguments = generics;
        path.path.segments.push(segment);
        path
    }
}

/// A method of each of `n` arguments, called with one of `values` if there are any.
fn each(n: usize, method: &str, values: &[Ident]) -> Vec<TokenStream> {
    let (a, method) = (local("a", 0), format_ident!("{method}"));
    let place = |i| (0..i).fold(quote!(#a), |rest, _| quote!(#rest.1));
    let call = |i| {
        let (place, value) = (place(i), values.get(i));
        quote!(#place.0.#method(#value))
    };
    (0..n).map(call).collect()
}

/// The name of an argument in reports: the variable or field that is passed, or its number.
fn name(i: usize, argument: &Expr) -> String {
    match argument {
        Expr::Reference(reference) => name(i, &reference.expr),
        Expr::Paren(paren) => name(i, &paren.expr),
        Expr::Path(_) | Expr::Field(_) => argument.to_token_stream().to_string().replace(' ', ""),
        _ => format!("argument {}", i + 1),
    }
}

/// `(a, (b, ()))`.
fn list(items: impl IntoIterator<Item = TokenStream>) -> TokenStream {
    let all: Vec<TokenStream> = items.into_iter().collect();
    all.iter()
        .rev()
        .fold(quote!(()), |rest, item| quote!((#item, #rest)))
}

fn local(prefix: &str, i: usize) -> Ident {
    Ident::new(&format!("{prefix}_{i}"), Span::mixed_site())
}
