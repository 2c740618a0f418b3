//! Variables that verbatim code mentions: which ones it reads or may write, and whether control leaves it.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use syn::spanned::Spanned;
use syn::visit::{self, Visit};

use super::expr::assigns;
use super::parse::Parser;
use super::{Access, Mention, Var, index};
use crate::paths::ends_in;
use crate::std_model::{READS, does};

/// The variables that `source` mentions.
pub(super) fn of_expr(source: &syn::Expr, parser: &Parser) -> Vec<Mention> {
    Finder::run(&|name| parser.known(name), |finder| {
        finder.visit_expr(source);
    })
}

/// The variables that tokens mention, format strings included. Tokens have no scopes, so a name counts wherever it may
/// be a variable's.
pub(super) fn of_tokens(tokens: &TokenStream, parser: &Parser) -> Vec<Mention> {
    Finder::run(&|name| parser.known(name), |finder| {
        finder.tokens(tokens.clone());
    })
}

/// Which of these names code uses that it doesn't bind itself, in the order in which it does.
pub(crate) fn free_names<'n>(
    source: &syn::Expr,
    names: &'n [String],
) -> impl Iterator<Item = &'n String> {
    let known = |name: &str| {
        let at = names.iter().position(|known| known == name)?;
        Some((Var(index(at)), false))
    };
    let found = Finder::run(&known, |finder| finder.visit_expr(source));
    found.into_iter().map(|found| &names[found.var.0 as usize])
}

impl Parser {
    /// A variable, and whether code may write through its name: it is `mut`, or holds a `&mut`.
    fn known(&self, name: &str) -> Option<(Var, bool)> {
        let var = self.lookup(name)?;
        Some((var, self.vars[var.0 as usize].mutable))
    }
}

/// The names in braces of a format string: `"{x} {y:.3} {:width$}"`.
pub(super) fn captures(format: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut rest = format;
    while let Some(open) = rest.find('{') {
        rest = &rest[open + 1..];
        if let Some(escaped) = rest.strip_prefix('{') {
            rest = escaped;
            continue;
        }
        let Some(close) = rest.find('}') else { break };
        let (name, spec) = rest[..close]
            .split_once(':')
            .unwrap_or((&rest[..close], ""));
        names.push(name.trim().to_string());
        // Widths and precisions: `{:w$.p$}`.
        let parts = spec.split('$').collect::<Vec<_>>();
        for part in parts.split_last().map_or(&[][..], |(_, named)| named) {
            let start = part
                .rfind(|c: char| !c.is_alphanumeric() && c != '_')
                .map_or(0, |k| k + 1);
            names.push(part[start..].to_string());
        }
        rest = &rest[close + 1..];
    }
    names.retain(|name| name.starts_with(|c: char| c.is_alphabetic() || c == '_'));
    names
}

/// The bindings of a pattern, and whether they are `mut`.
pub(super) fn bound(pat: &syn::Pat) -> Vec<(Ident, bool)> {
    struct Bound(Vec<(Ident, bool)>);
    impl<'ast> Visit<'ast> for Bound {
        fn visit_pat_ident(&mut self, pat: &'ast syn::PatIdent) {
            // Constants and unit variants look the same, and begin with a capital.
            if !pat.ident.to_string().starts_with(char::is_uppercase) {
                self.0.push((pat.ident.clone(), pat.mutability.is_some()));
            }
            visit::visit_pat_ident(self, pat);
        }
    }
    let mut bound = Bound(Vec::new());
    bound.visit_pat(pat);
    bound.0
}

/// The names in patterns that may not match: by their case they are bindings, but a constant or a variant could have one of them.
pub(super) fn tested_names(block: &syn::Block) -> Vec<Ident> {
    #[derive(Default)]
    struct Names(Vec<Ident>);
    impl Names {
        fn pattern(&mut self, pat: &syn::Pat) {
            for (ident, _) in bound(pat) {
                if !self.0.contains(&ident) {
                    self.0.push(ident);
                }
            }
        }
    }
    impl<'ast> Visit<'ast> for Names {
        fn visit_arm(&mut self, arm: &'ast syn::Arm) {
            self.pattern(&arm.pat);
            visit::visit_arm(self, arm);
        }

        fn visit_expr_let(&mut self, expr: &'ast syn::ExprLet) {
            self.pattern(&expr.pat);
            visit::visit_expr_let(self, expr);
        }

        fn visit_local(&mut self, local: &'ast syn::Local) {
            if local
                .init
                .as_ref()
                .is_some_and(|init| init.diverge.is_some())
            {
                self.pattern(&local.pat);
            }
            visit::visit_local(self, local);
        }

        fn visit_macro(&mut self, mac: &'ast syn::Macro) {
            let matches = |input: syn::parse::ParseStream<'_>| {
                let subject = input.parse::<syn::Expr>()?;
                input.parse::<syn::Token![,]>()?;
                let pat = syn::Pat::parse_multi_with_leading_vert(input)?;
                input
                    .parse::<proc_macro2::TokenStream>()
                    .map(|_| (subject, pat))
            };
            if ends_in(&mac.path, "matches")
                && let Ok((subject, pat)) = syn::parse::Parser::parse2(matches, mac.tokens.clone())
            {
                self.visit_expr(&subject);
                self.pattern(&pat);
            }
        }
    }
    let mut names = Names::default();
    names.visit_block(block);
    names.0
}

/// The names that a pattern binds.
pub(crate) fn bound_names(pat: &syn::Pat) -> impl Iterator<Item = String> {
    bound(pat).into_iter().map(|(ident, _)| ident.to_string())
}

/// Where control leaves `source`: `return`, `?`, and `break` or `continue` of a loop around it.
pub(super) fn exits(source: &syn::Expr) -> Vec<(Span, &'static str)> {
    let mut finder = Exits {
        loops: 0,
        labels: Vec::new(),
        found: Vec::new(),
    };
    finder.visit_expr(source);
    finder.found
}

struct Finder<'a> {
    known: &'a dyn Fn(&str) -> Option<(Var, bool)>,
    /// Names that the code binds itself, innermost last.
    hidden: Vec<String>,
    found: Vec<Mention>,
}

impl<'a> Finder<'a> {
    fn run(
        known: &'a dyn Fn(&str) -> Option<(Var, bool)>,
        visit: impl FnOnce(&mut Self),
    ) -> Vec<Mention> {
        let (hidden, found) = (Vec::new(), Vec::new());
        let mut finder = Finder {
            known,
            hidden,
            found,
        };
        visit(&mut finder);
        finder.found
    }

    fn mention(&mut self, name: &str, access: Access) {
        if self.hidden.iter().any(|hidden| hidden == name) {
            return;
        }
        let Some((var, _)) = (self.known)(name) else {
            return;
        };
        match self.found.iter_mut().find(|mention| mention.var == var) {
            Some(mention) => mention.access = mention.access.max(access),
            None => self.found.push(Mention { var, access }),
        }
    }

    fn is_mut(&self, name: &str) -> bool {
        (self.known)(name).is_some_and(|(_, mutable)| mutable)
    }

    fn hiding(&mut self, pats: &[&syn::Pat], f: impl FnOnce(&mut Self)) {
        let before = self.hidden.len();
        for pat in pats {
            self.hidden.extend(bound_names(pat));
        }
        f(self);
        self.hidden.truncate(before);
    }

    /// Names the root variable of a place that is written to.
    fn written(&mut self, place: &syn::Expr) {
        match place {
            syn::Expr::Path(path) => {
                if let Some(ident) = path.path.get_ident() {
                    self.mention(&ident.to_string(), Access::Write);
                }
            }
            syn::Expr::Field(field) => self.written(&field.base),
            syn::Expr::Index(index) => self.written(&index.expr),
            syn::Expr::Unary(unary) => self.written(&unary.expr),
            syn::Expr::Paren(inner) => self.written(&inner.expr),
            _ => {}
        }
    }

    fn tokens(&mut self, tokens: TokenStream) {
        let trees: Vec<TokenTree> = tokens.into_iter().collect();
        let punct = |k: usize| match trees.get(k) {
            Some(TokenTree::Punct(punct)) => punct.as_char(),
            _ => ' ',
        };
        for (k, tree) in trees.iter().enumerate() {
            match tree {
                TokenTree::Group(group) => self.tokens(group.stream()),
                TokenTree::Literal(literal) => {
                    if let Ok(text) = syn::parse_str::<syn::LitStr>(&literal.to_string()) {
                        for name in captures(&text.value()) {
                            self.mention(&name, Access::Read);
                        }
                    }
                }
                TokenTree::Ident(ident) => {
                    let before = k.checked_sub(1).map_or(' ', punct);
                    let range = k >= 2 && punct(k - 2) == '.';
                    if before == '.' && !range || before == ':' && k >= 2 && punct(k - 2) == ':' {
                        continue; // a field, a method, or the end of a path
                    }
                    if matches!(punct(k + 1), '!') && punct(k + 2) != '='
                        || punct(k + 1) == ':' && punct(k + 2) == ':'
                    {
                        continue; // a macro, or the beginning of a path
                    }
                    let name = ident.to_string();
                    let borrowed = k >= 2
                        && matches!(&trees[k - 1], TokenTree::Ident(i) if i == "mut")
                        && punct(k - 2) == '&';
                    let assigned = punct(k + 1) == '=' && !matches!(punct(k + 2), '=' | '>')
                        || matches!(punct(k + 1), '+' | '-' | '*' | '/' | '%' | '^' | '|' | '&')
                            && punct(k + 2) == '=';
                    let access = if borrowed || assigned {
                        Access::Write
                    } else if punct(k + 1) == '.' && self.is_mut(&name) {
                        Access::Method
                    } else {
                        Access::Read
                    };
                    self.mention(&name, access);
                }
                TokenTree::Punct(_) => {}
            }
        }
    }
}

impl<'ast> Visit<'ast> for Finder<'_> {
    fn visit_expr_path(&mut self, path: &'ast syn::ExprPath) {
        if let Some(ident) = path.path.get_ident() {
            self.mention(&ident.to_string(), Access::Read);
        }
    }

    fn visit_expr_reference(&mut self, reference: &'ast syn::ExprReference) {
        if reference.mutability.is_some() {
            self.written(&reference.expr);
        }
        visit::visit_expr_reference(self, reference);
    }

    fn visit_expr_assign(&mut self, assign: &'ast syn::ExprAssign) {
        self.written(&assign.left);
        visit::visit_expr_assign(self, assign);
    }

    fn visit_expr_binary(&mut self, binary: &'ast syn::ExprBinary) {
        if assigns(binary.op) {
            self.written(&binary.left);
        }
        visit::visit_expr_binary(self, binary);
    }

    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        // The method may take `&mut self`, if the variable allows it.
        if let Some(name) = root(&call.receiver)
            && self.is_mut(&name)
            && !does(&call.method.to_string(), READS)
        {
            self.mention(&name, Access::Method);
        }
        visit::visit_expr_method_call(self, call);
    }

    fn visit_expr_closure(&mut self, closure: &'ast syn::ExprClosure) {
        let pats: Vec<&syn::Pat> = closure.inputs.iter().collect();
        self.hiding(&pats, |finder| finder.visit_expr(&closure.body));
    }

    fn visit_expr_for_loop(&mut self, expr: &'ast syn::ExprForLoop) {
        self.visit_expr(&expr.expr);
        self.hiding(&[&expr.pat], |finder| finder.visit_block(&expr.body));
    }

    fn visit_arm(&mut self, arm: &'ast syn::Arm) {
        self.hiding(&[&arm.pat], |finder| visit::visit_arm(finder, arm));
    }

    fn visit_expr_if(&mut self, expr: &'ast syn::ExprIf) {
        let before = self.hidden.len();
        self.visit_expr(&expr.cond); // `let` in the condition hides for the block
        self.visit_block(&expr.then_branch);
        self.hidden.truncate(before);
        if let Some((_, other)) = &expr.else_branch {
            self.visit_expr(other);
        }
    }

    fn visit_expr_while(&mut self, expr: &'ast syn::ExprWhile) {
        let before = self.hidden.len();
        self.visit_expr(&expr.cond);
        self.visit_block(&expr.body);
        self.hidden.truncate(before);
    }

    fn visit_expr_let(&mut self, expr: &'ast syn::ExprLet) {
        self.visit_expr(&expr.expr);
        self.hidden.extend(bound_names(&expr.pat));
    }

    fn visit_block(&mut self, block: &'ast syn::Block) {
        let before = self.hidden.len();
        visit::visit_block(self, block);
        self.hidden.truncate(before);
    }

    fn visit_local(&mut self, local: &'ast syn::Local) {
        if let Some(init) = &local.init {
            self.visit_expr(&init.expr);
            if let Some((_, diverge)) = &init.diverge {
                self.visit_expr(diverge);
            }
        }
        self.hidden.extend(bound_names(&local.pat));
    }

    fn visit_macro(&mut self, mac: &'ast syn::Macro) {
        self.tokens(mac.tokens.clone());
    }

    fn visit_field_value(&mut self, field: &'ast syn::FieldValue) {
        self.visit_expr(&field.expr);
    }

    fn visit_item(&mut self, _: &'ast syn::Item) {}
}

/// The variable at the root of a place.
fn root(place: &syn::Expr) -> Option<String> {
    match place {
        syn::Expr::Path(path) => path.path.get_ident().map(ToString::to_string),
        syn::Expr::Field(field) => root(&field.base),
        syn::Expr::Index(index) => root(&index.expr),
        syn::Expr::Paren(inner) => root(&inner.expr),
        _ => None,
    }
}

struct Exits {
    loops: usize,
    labels: Vec<Ident>,
    found: Vec<(Span, &'static str)>,
}

impl Exits {
    fn jump(&mut self, span: Span, label: Option<&syn::Lifetime>, what: &'static str) {
        let inside = match label {
            None => self.loops > 0,
            Some(label) => self.labels.contains(&label.ident),
        };
        if !inside {
            self.found.push((span, what));
        }
    }

    fn inside(&mut self, label: Option<&syn::Label>, is_loop: bool, f: impl FnOnce(&mut Self)) {
        self.loops += usize::from(is_loop);
        let before = self.labels.len();
        self.labels
            .extend(label.map(|label| label.name.ident.clone()));
        f(self);
        self.labels.truncate(before);
        self.loops -= usize::from(is_loop);
    }
}

impl<'ast> Visit<'ast> for Exits {
    fn visit_expr(&mut self, expr: &'ast syn::Expr) {
        let (label, is_loop) = match expr {
            syn::Expr::ForLoop(run) => (&run.label, true),
            syn::Expr::While(run) => (&run.label, true),
            syn::Expr::Loop(run) => (&run.label, true),
            syn::Expr::Block(block) => (&block.label, false),
            syn::Expr::Closure(_) => return,
            syn::Expr::Return(_) => return self.found.push((expr.span(), "`return`")),
            _ => {
                match expr {
                    syn::Expr::Try(of) => self.found.push((of.question_token.span, "`?`")),
                    syn::Expr::Break(to) => self.jump(expr.span(), to.label.as_ref(), "`break`"),
                    syn::Expr::Continue(to) => {
                        self.jump(expr.span(), to.label.as_ref(), "`continue`");
                    }
                    _ => {}
                }
                return visit::visit_expr(self, expr);
            }
        };
        self.inside(label.as_ref(), is_loop, |exits| {
            visit::visit_expr(exits, expr);
        });
    }

    fn visit_item(&mut self, _: &'ast syn::Item) {}
}
