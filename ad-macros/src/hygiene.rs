//! Facts about tokens of `macro_rules` that the parser loses: which tokens are one argument, and which variables of one name are different.
//!
//! In: tokens as rustc hands them over. Out: tokens whose text alone has their meaning, so that no pass needs to look at a span:
//!
//! ```text
//! $k.powi(2), $k is -2.0         =>  (-2.0).powi(2)
//! let $v = a; let t = b; t * $v, $v is t  =>  let t = a; let t_1 = b; t_1 * t
//! ```

use std::collections::{HashMap, HashSet};

use proc_macro2::{Delimiter, Group, Ident, Literal, Span, TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::visit_mut::{self, VisitMut};
use syn::{Expr, Item};

/// Puts parentheses around arguments of `macro_rules`. rustc hands them over in delimiters that have no text, and forgets these
/// delimiters in what an attribute emits.
pub(crate) fn parenthesize(tokens: TokenStream) -> TokenStream {
    if !has_arguments(&tokens) {
        return tokens;
    }
    let mut trees = tokens.into_iter().peekable();
    let mut out = Vec::new();
    let mut is_attribute = false;
    while let Some(tree) = trees.next() {
        let TokenTree::Group(group) = tree else {
            is_attribute = matches!(&tree, TokenTree::Punct(punct) if punct.as_char() == '#')
                || is_attribute
                    && matches!(&tree, TokenTree::Punct(punct) if punct.as_char() == '!');
            out.push(tree);
            continue;
        };
        // `#[$attribute]`: what `doc = ".."` assigns is no expression.
        if std::mem::take(&mut is_attribute) {
            out.push(TokenTree::Group(group));
            continue;
        }
        let content = parenthesize(group.stream());
        let delimiter = match group.delimiter() {
            Delimiter::None if needs_parentheses(&content, trees.peek()) => Delimiter::Parenthesis,
            delimiter => delimiter,
        };
        let mut new = Group::new(delimiter, content);
        // rustc has no lint against parentheses that a macro wrote.
        new.set_span(match (group.delimiter(), delimiter) {
            (Delimiter::None, Delimiter::Parenthesis) => {
                group.span().resolved_at(Span::mixed_site())
            }
            _ => group.span(),
        });
        out.push(TokenTree::Group(new));
    }
    out.into_iter().collect()
}

fn has_arguments(tokens: &TokenStream) -> bool {
    tokens.clone().into_iter().any(|tree| match tree {
        TokenTree::Group(group) => {
            group.delimiter() == Delimiter::None || has_arguments(&group.stream())
        }
        _ => false,
    })
}

/// Returns `true` if an argument is an expression that other tokens around it could break up. A type isn't, nor is a pattern for which
/// parentheses would be wrong.
fn needs_parentheses(argument: &TokenStream, next: Option<&TokenTree>) -> bool {
    match syn::parse2(argument.clone()) {
        // `&[f64]` is a type as well, which no operator follows.
        Ok(Expr::Reference(_)) => match next {
            Some(TokenTree::Punct(next)) => matches!(next.as_char(), '.' | '?'),
            Some(TokenTree::Group(next)) => next.delimiter() != Delimiter::Brace,
            _ => false,
        },
        Ok(expr) => matches!(
            expr,
            Expr::Assign(_)
                | Expr::Await(_)
                | Expr::Binary(_)
                | Expr::Break(_)
                | Expr::Cast(_)
                | Expr::Closure(_)
                | Expr::Range(_)
                | Expr::Return(_)
                | Expr::Struct(_)
                | Expr::Unary(_)
        ),
        Err(_) => false,
    }
}

/// Renames variables and labels that share their name with others of the item, but come from another macro, or from its caller.
pub(crate) fn tell_apart(item: &mut Item) {
    let mut bound = Bound::default();
    bound.visit_item(item);
    let mut names = HashMap::new();
    for (name, spans) in &bound.names {
        let contexts: Vec<String> = spans.iter().filter_map(|span| context(*span)).collect();
        let mut seen: Vec<&String> = Vec::new();
        for context in &contexts {
            if !seen.contains(&context) {
                seen.push(context);
            }
        }
        for (k, context) in seen.into_iter().enumerate().skip(1) {
            let mut new = format!("{name}_{k}");
            while bound.words.contains(&new) || bound.names.contains_key(&new) {
                new.push('_');
            }
            names.insert((name.clone(), context.clone()), new);
        }
    }
    if !names.is_empty() {
        Rename(names).visit_item_mut(item);
    }
}

/// The macro that a token comes from, or `None` for spans that don't tell. `Debug` is the only way to it: `#4 bytes(10..20)`.
fn context(span: Span) -> Option<String> {
    let text = format!("{span:?}");
    let (context, _) = text.strip_prefix('#')?.split_once(' ')?;
    Some(context.to_owned())
}

/// The variables and labels of an item that are bound more than once.
#[derive(Default)]
struct Bound {
    names: HashMap<String, Vec<Span>>,
    /// All names in expressions.
    words: HashSet<String>,
}

impl<'ast> Visit<'ast> for Bound {
    fn visit_pat_ident(&mut self, pat: &'ast syn::PatIdent) {
        let spans = self.names.entry(pat.ident.to_string()).or_default();
        spans.push(pat.ident.span());
        visit::visit_pat_ident(self, pat);
    }

    fn visit_label(&mut self, label: &'ast syn::Label) {
        let name = &label.name.ident;
        let spans = self.names.entry(format!("'{name}")).or_default();
        spans.push(name.span());
    }

    fn visit_ident(&mut self, word: &'ast Ident) {
        self.words.insert(word.to_string());
    }
}

/// New names, by the old one and the context.
struct Rename(HashMap<(String, String), String>);

impl Rename {
    fn rename(&self, word: &mut Ident, tick: &str) -> bool {
        let Some(context) = context(word.span()) else {
            return false;
        };
        let new = self.0.get(&(format!("{tick}{word}"), context));
        if let Some(new) = new {
            *word = Ident::new(new.trim_start_matches('\''), word.span());
        }
        new.is_some()
    }

    fn tokens(&self, tokens: TokenStream) -> TokenStream {
        let mut is_field = false;
        let trees = tokens.into_iter().map(|tree| match tree {
            TokenTree::Ident(mut word) => {
                if !std::mem::take(&mut is_field) {
                    self.rename(&mut word, "");
                }
                TokenTree::Ident(word)
            }
            TokenTree::Group(group) => {
                is_field = false;
                let mut new = Group::new(group.delimiter(), self.tokens(group.stream()));
                new.set_span(group.span());
                TokenTree::Group(new)
            }
            TokenTree::Punct(punct) => {
                is_field = punct.as_char() == '.';
                TokenTree::Punct(punct)
            }
            TokenTree::Literal(literal) => TokenTree::Literal(self.captured(literal)),
        });
        trees.collect()
    }

    /// The variables in a format string: `"{t} {t:.3}"`.
    fn captured(&self, literal: Literal) -> Literal {
        let (mut text, own) = (literal.to_string(), context(literal.span()));
        if !text.contains('{') {
            return literal;
        }
        for ((name, context), new) in &self.0 {
            if own.as_ref() != Some(context) {
                continue;
            }
            for end in ['}', ':'] {
                // Two braces are text.
                let old = format!("{{{name}{end}");
                let mut parts = text.split(&old);
                let mut renamed = parts.next().unwrap_or("").to_owned();
                for part in parts {
                    let before = renamed.len() - renamed.trim_end_matches('{').len();
                    let name = if before % 2 == 1 { name } else { new };
                    renamed = format!("{renamed}{{{name}{end}{part}");
                }
                text = renamed;
            }
        }
        let Ok(mut renamed) = text.parse::<Literal>() else {
            return literal;
        };
        renamed.set_span(literal.span());
        renamed
    }
}

impl VisitMut for Rename {
    fn visit_pat_ident_mut(&mut self, pat: &mut syn::PatIdent) {
        self.rename(&mut pat.ident, "");
        visit_mut::visit_pat_ident_mut(self, pat);
    }

    fn visit_field_pat_mut(&mut self, field: &mut syn::FieldPat) {
        visit_mut::visit_field_pat_mut(self, field);
        if let (None, syn::Pat::Ident(pat), syn::Member::Named(name)) =
            (field.colon_token, &*field.pat, &field.member)
            && pat.ident != *name
        {
            field.colon_token = Some(syn::Token![:](name.span()));
        }
    }

    fn visit_field_value_mut(&mut self, field: &mut syn::FieldValue) {
        visit_mut::visit_field_value_mut(self, field);
        if let (None, Expr::Path(value), syn::Member::Named(name)) =
            (field.colon_token, &field.expr, &field.member)
            && !value.path.is_ident(name)
        {
            field.colon_token = Some(syn::Token![:](name.span()));
        }
    }

    fn visit_expr_path_mut(&mut self, path: &mut syn::ExprPath) {
        if path.qself.is_none()
            && path.path.leading_colon.is_none()
            && path.path.segments.len() == 1
        {
            self.rename(&mut path.path.segments[0].ident, "");
        }
    }

    fn visit_macro_mut(&mut self, mac: &mut syn::Macro) {
        mac.tokens = self.tokens(std::mem::take(&mut mac.tokens));
    }

    fn visit_label_mut(&mut self, label: &mut syn::Label) {
        self.rename(&mut label.name.ident, "'");
    }

    fn visit_expr_break_mut(&mut self, exit: &mut syn::ExprBreak) {
        if let Some(label) = &mut exit.label {
            self.rename(&mut label.ident, "'");
        }
        visit_mut::visit_expr_break_mut(self, exit);
    }

    fn visit_expr_continue_mut(&mut self, exit: &mut syn::ExprContinue) {
        if let Some(label) = &mut exit.label {
            self.rename(&mut label.ident, "'");
        }
    }
}
