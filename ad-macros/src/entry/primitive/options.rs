//! The arguments of `#[primitive(...)]`.
//!
//! Input: the attribute's tokens. Output: [`Declaration`], whose rules are an error if anything is misspelt, missing or given twice.

use darling::ast::NestedMeta;
use proc_macro2::{Ident, Span, TokenStream};
use syn::parse::Parser as _;
use syn::punctuated::Punctuated;

use crate::diagnostics::{Errors, Mark, Whole, error};
use crate::options::{self, Options};
use crate::surface::implicit::Equation;

/// The user's declaration.
pub(super) struct Declaration {
    pub(super) options: Options,
    /// The rules, if there is no mistake in the declaration.
    pub(super) kind: syn::Result<Kind>,
}

/// Where the rules come from.
pub(super) enum Kind {
    Partials(Partials),
    ByHand(Box<ByHand>),
    Implicit(Box<Implicit>),
    ZeroDerivative,
}

/// `partials(x = .., y = ..), result = name`.
pub(super) struct Partials {
    /// The partial derivative with respect to each parameter named.
    pub(super) each: Vec<(Ident, syn::Expr)>,
    /// The name under which the partials use the function's value.
    pub(super) result: Option<Ident>,
}

/// `frule = path, rrule = path, rrule_frule = path`.
pub(super) struct ByHand {
    pub(super) frule: syn::ExprPath,
    pub(super) rrule: syn::ExprPath,
    pub(super) rrule_frule: Option<syn::ExprPath>,
}

/// `result = name, root = expression`, or another kind of equation.
pub(super) struct Implicit {
    pub(super) kind: Equation,
    pub(super) expr: syn::Expr,
    /// The name under which the equation uses the function's value.
    pub(super) result: Ident,
    /// `solver = path`: a function that solves the linear systems.
    pub(super) solver: Option<syn::ExprPath>,
}

/// The options as given, before they are checked against each other.
#[derive(Default)]
struct Given {
    options: Options,
    partials: Option<(Ident, Vec<(Ident, syn::Expr)>)>,
    result: Option<Ident>,
    /// `frule`, `rrule` and `rrule_frule`, as they come.
    by_hand: Vec<(Ident, syn::ExprPath)>,
    /// `root`, `fixed_point` and `argmin`, as they come.
    equations: Vec<(Ident, Equation, syn::Expr)>,
    solver: Option<(Ident, syn::ExprPath)>,
    zero_derivative: Option<Ident>,
}

const FORMS: &str = "write `partials(x = ..)` with a partial derivative for each parameter, \
                     `result = y, root = ..` with an equation for the result, \
                     `frule = path, rrule = path` with functions that compute the rules, or \
                     `zero_derivative`";

/// Parses the attribute's arguments.
pub(super) fn parse(tokens: TokenStream) -> Declaration {
    let mut given = Given::default();
    let mut errors = Errors::default();
    let mut seen: Vec<String> = Vec::new();
    let items = errors.take(NestedMeta::parse_meta_list(tokens));
    for item in items.into_iter().flatten() {
        let Some(name) = options::name(&item) else {
            errors.push(unknown(&item));
            continue;
        };
        if seen.contains(&name) {
            let message = format!("`{name}` is given twice");
            errors.push(error(Whole(&item), message, "give it once"));
            continue;
        }
        errors.take(option(&name, &item, &mut given));
        seen.push(name);
    }
    let options = std::mem::take(&mut given.options);
    let kind = errors.finish(given).and_then(Given::kind);
    Declaration { options, kind }
}

fn option(name: &str, item: &NestedMeta, given: &mut Given) -> syn::Result<()> {
    match name {
        "crate" | "rules" | "with" => return options::option(name, item, &mut given.options),
        "partials" => {
            let form = "the partials: `partials(x = .., y = ..)`";
            let NestedMeta::Meta(syn::Meta::List(list)) = item else {
                return Err(options::wrong(item, name, form));
            };
            given.partials = Some((keyword(item, name), partials(list)?));
        }
        "result" => {
            given.result = Some(options::value(item, name, "a name: `result = y`")?);
        }
        "frule" | "rrule" | "rrule_frule" | "solver" => {
            let form = format!("the path of a function: `{name} = path`");
            let NestedMeta::Meta(syn::Meta::NameValue(pair)) = item else {
                return Err(options::wrong(item, name, &form));
            };
            let syn::Expr::Path(path) = &pair.value else {
                return Err(options::wrong(item, name, &form));
            };
            let path = (keyword(item, name), path.clone());
            match name {
                "solver" => given.solver = Some(path),
                _ => given.by_hand.push(path),
            }
        }
        "root" | "fixed_point" | "argmin" => {
            let (kind, form) = match name {
                "root" => (Equation::Root, "`root = residual(&y, p)`"),
                "fixed_point" => (Equation::FixedPoint, "`fixed_point = step(&y, p)`"),
                _ => (Equation::Minimum, "`argmin = loss(&y, p)`"),
            };
            let form = format!("an expression of the result and the parameters: {form}");
            let NestedMeta::Meta(syn::Meta::NameValue(pair)) = item else {
                return Err(options::wrong(item, name, &form));
            };
            let equation = (keyword(item, name), kind, pair.value.clone());
            given.equations.push(equation);
        }
        "zero_derivative" => {
            let _: bool = options::value(item, name, "no value: `zero_derivative`")?;
            given.zero_derivative = Some(keyword(item, name));
        }
        _ => return Err(unknown(item)),
    }
    Ok(())
}

/// `x = expression, y = expression`.
fn partials(list: &syn::MetaList) -> syn::Result<Vec<(Ident, syn::Expr)>> {
    let parser = Punctuated::<Partial, syn::Token![,]>::parse_terminated;
    let all = parser.parse2(list.tokens.clone())?;
    Ok(all.into_iter().map(|p| (p.name, p.expr)).collect())
}

struct Partial {
    name: Ident,
    expr: syn::Expr,
}

impl syn::parse::Parse for Partial {
    fn parse(input: syn::parse::ParseStream<'_>) -> syn::Result<Self> {
        let name: Ident = input.parse()?;
        input.parse::<syn::Token![=]>()?;
        let expr = input.parse()?;
        Ok(Partial { name, expr })
    }
}

impl Given {
    /// Exactly one kind of rules, with all that belongs to it and nothing else.
    fn kind(self) -> syn::Result<Kind> {
        let kinds: Vec<&Ident> = [
            self.partials.as_ref().map(|(keyword, _)| keyword),
            self.by_hand.first().map(|(keyword, _)| keyword),
            self.zero_derivative.as_ref(),
        ]
        .into_iter()
        .flatten()
        .chain(self.equations.iter().map(|(keyword, ..)| keyword))
        .collect();
        if let [first, second, ..] = kinds[..] {
            return Err(error(
                second.span(),
                format!("`{first}` and `{second}` exclude each other"),
                "give one of them",
            ));
        }
        if let Some((keyword, kind, expr)) = self.equations.into_iter().next() {
            let Some(result) = self.result else {
                return Err(error(
                    keyword.span(),
                    format!("`{keyword}` needs a name for the function's value"),
                    format!(
                        "add `result = y`, and use `y` in the expression: `result = y, {keyword} = ..`"
                    ),
                ));
            };
            let solver = self.solver.map(|(_, path)| path);
            return Ok(Kind::Implicit(Box::new(Implicit {
                kind,
                expr,
                result,
                solver,
            })));
        }
        if let Some((keyword, _)) = &self.solver {
            return Err(error(
                keyword.span(),
                "`solver` solves the linear systems of `root`, `fixed_point` and `argmin`",
                "leave it out",
            ));
        }
        if let (Some(result), None) = (&self.result, &self.partials) {
            return Err(error(
                result.span(),
                "`result` is the name by which partials and equations use the function's value",
                "leave it out",
            ));
        }
        Ok(match (self.partials, self.zero_derivative) {
            (Some((_, each)), _) => Kind::Partials(Partials {
                each,
                result: self.result,
            }),
            (None, Some(_)) => Kind::ZeroDerivative,
            (None, None) => Kind::ByHand(Box::new(by_hand(self.by_hand)?)),
        })
    }
}

/// Both modes: the one is never taken for the other.
fn by_hand(all: Vec<(Ident, syn::ExprPath)>) -> syn::Result<ByHand> {
    let (mut frule, mut rrule, mut rrule_frule) = (None, None, None);
    let mut place = Span::call_site();
    for (keyword, path) in all {
        place = keyword.span();
        match keyword.to_string().as_str() {
            "frule" => frule = Some(path),
            "rrule" => rrule = Some(path),
            _ => rrule_frule = Some(path),
        }
    }
    let missing = |name: &str, mode: &str| {
        error(
            place,
            format!("`{name}`, the {mode} rule, is missing"),
            format!("add `{name} = path`, the path of a function that computes it"),
        )
    };
    match (frule, rrule) {
        (Some(frule), Some(rrule)) => Ok(ByHand {
            frule,
            rrule,
            rrule_frule,
        }),
        (Some(_), None) => Err(missing("rrule", "reverse")),
        (None, Some(_)) => Err(missing("frule", "forward")),
        (None, None) if rrule_frule.is_some() => {
            let mut error = missing("frule", "forward");
            error.combine(missing("rrule", "reverse"));
            Err(error)
        }
        (None, None) => Err(error(place, "`#[primitive]` has no rule", FORMS)),
    }
}

/// The name of an option, where it stands.
fn keyword(item: &NestedMeta, name: &str) -> Ident {
    Ident::new(name, Whole(item).ends().0)
}

fn unknown(item: &NestedMeta) -> syn::Error {
    error(
        Whole(item),
        "unknown option of `#[primitive]`",
        "the options are `partials(parameter = expression)`, `result = name`, `root = expression`, \
         `fixed_point = expression`, `argmin = expression`, `solver = path`, `frule = path`, `rrule = path`, `rrule_frule = path`, \
         `zero_derivative`, `crate = path`, `rules = name` and `with(function = path)`",
    )
}
