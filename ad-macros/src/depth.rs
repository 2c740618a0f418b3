//! How deeply code nests: the compiler descends into it, and a descent without end of the stack would end rustc without a message.
//!
//! In: tokens, before they are parsed, since the parser descends as well. Out: an error where they nest too deeply. The depth is an estimate by
//! operators and delimiters: a sum of `n` terms is `n` deep, and statements stand beside each other.

use proc_macro2::{Delimiter, Group, Spacing, Span, TokenStream, TokenTree};

use crate::diagnostics::error;

/// The depth that fits into rustc's stack if the macro is compiled without optimisation. A test in `fuzz/deep.rs` measures it.
const LIMIT: usize = 400;
/// The stack of rustc's threads in bytes, unless `RUST_MIN_STACK` says otherwise.
const STACK: usize = 8 << 20;

/// Operators by precedence: an operand of one level consists of those below. Relations and `&&`; sums; products; and what belongs to one operand.
const LEVELS: usize = 4;

/// An error if the tokens nest too deeply for the stack.
pub(crate) fn check(tokens: &TokenStream) -> syn::Result<()> {
    let stack = std::env::var("RUST_MIN_STACK").ok();
    let stack = stack.and_then(|bytes| bytes.parse().ok()).unwrap_or(STACK);
    let limit = LIMIT.saturating_mul(stack.max(STACK) / 1024) / (STACK / 1024);
    let found = Nesting { limit }.depth(tokens.clone(), 0);
    found.map(drop).map_err(|at| {
        error(
            at,
            "this code nests too deeply for the compiler's stack",
            "take parts of it into variables by `let`, or into functions; or give rustc a larger stack: set the environment variable \
             `RUST_MIN_STACK=67108864`",
        )
    })
}

struct Nesting {
    limit: usize,
}

/// The part of an expression that is being read: operators at each level, and the deepest operand so far.
#[derive(Default)]
struct Part {
    operators: [usize; LEVELS],
    deepest: [usize; LEVELS],
    /// `else` before it, each of which is inside of the one before.
    alternatives: usize,
    /// Generic arguments that are open, and how many were at once.
    angles: usize,
    most_angles: usize,
}

impl Part {
    /// Ends the operands below a level.
    fn end_below(&mut self, level: usize) {
        for inner in (level + 1..LEVELS).rev() {
            let depth = self.operators[inner] + self.deepest[inner];
            (self.operators[inner], self.deepest[inner]) = (0, 0);
            self.deepest[inner - 1] = self.deepest[inner - 1].max(depth);
        }
    }

    fn operator(&mut self, level: usize) {
        self.end_below(level);
        self.operators[level] += 1;
    }

    fn operand(&mut self, depth: usize) {
        let last = LEVELS - 1;
        self.deepest[last] = self.deepest[last].max(depth);
    }

    /// The depth of the whole, which begins anew.
    fn end(&mut self) -> usize {
        self.end_below(0);
        let angles = 4 * self.most_angles;
        let depth = self.alternatives + angles + self.operators[0] + self.deepest[0];
        *self = Part::default();
        depth
    }
}

impl Nesting {
    /// The depth of tokens that are `outside` deep themselves, or where it exceeds the limit.
    fn depth(&self, tokens: TokenStream, outside: usize) -> Result<usize, Span> {
        let mut deepest = 0;
        let mut part = Part::default();
        let mut start = None;
        let mut before = None;
        let mut after_a_name = false;
        let mut tokens = tokens.into_iter().peekable();
        while let Some(token) = tokens.next() {
            let first = *start.get_or_insert(token.span());
            let follows_a_name =
                std::mem::replace(&mut after_a_name, !matches!(token, TokenTree::Punct(_)));
            let ends = match &token {
                TokenTree::Group(group) => {
                    let own = match group.delimiter() {
                        Delimiter::Parenthesis if !follows_a_name && is_one(group) => 1,
                        _ => 3,
                    };
                    if outside + own > self.limit {
                        return Err(group.span_open());
                    }
                    part.operand(own + self.depth(group.stream(), outside + own)?);
                    group.delimiter() == Delimiter::Brace && !goes_on(tokens.peek())
                }
                TokenTree::Ident(ident) if ident == "else" => {
                    let alternatives = part.alternatives + 1;
                    let depth = part.end();
                    part.alternatives = alternatives;
                    part.deepest[0] = depth.saturating_sub(alternatives - 1);
                    false
                }
                TokenTree::Ident(ident) if ident == "as" || ident == "return" => {
                    part.operator(3);
                    false
                }
                TokenTree::Punct(punct) => punctuation(
                    &mut part,
                    before,
                    punct.as_char(),
                    matches!(tokens.peek(), Some(TokenTree::Punct(next))
                        if punct.spacing() == Spacing::Joint && next.as_char() == punct.as_char()),
                ),
                _ => false,
            };
            before = match &token {
                TokenTree::Punct(punct) if punct.spacing() == Spacing::Joint => {
                    Some(punct.as_char())
                }
                _ => None,
            };
            if ends || tokens.peek().is_none() {
                deepest = deepest.max(part.end());
                if outside + deepest > self.limit {
                    return Err(first);
                }
                start = None;
            }
        }
        Ok(deepest)
    }
}

/// Reads one character of an operator, of which `before` is joined to it; `doubled` if it follows once more. True if it ends a part.
fn punctuation(part: &mut Part, before: Option<char>, char: char, doubled: bool) -> bool {
    match (before, char) {
        (_, ';' | ',') => return true,
        // The second characters of operators, and arrows.
        (Some('-' | '='), '>') | (Some('&'), '&') | (Some('|'), '|') | (Some('.'), '.') => {}
        (_, '&' | '|') if doubled => {
            part.angles = 0;
            part.operator(0);
        }
        (_, '<') => {
            part.angles += 1;
            part.most_angles = part.most_angles.max(part.angles);
        }
        (_, '>') => part.angles = part.angles.saturating_sub(1),
        (_, '.') if doubled => part.operator(0),
        (_, '+' | '-' | '|' | '^') => part.operator(1),
        (_, '*' | '/' | '%') => part.operator(2),
        (_, '.' | '?' | '!' | '&') => part.operator(3),
        _ => {}
    }
    false
}

/// True for parentheses that make no tuple.
fn is_one(group: &Group) -> bool {
    let is_comma =
        |token: TokenTree| matches!(token, TokenTree::Punct(punct) if punct.as_char() == ',');
    !group.stream().into_iter().any(is_comma)
}

/// True if an expression that ends with braces goes on.
fn goes_on(next: Option<&TokenTree>) -> bool {
    match next {
        Some(TokenTree::Ident(ident)) => ident == "else" || ident == "as",
        Some(TokenTree::Punct(punct)) => punct.as_char() != '#',
        _ => false,
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    fn depth(code: &str) -> usize {
        let tokens = code.parse().expect("tokens");
        let limit = usize::MAX;
        Nesting { limit }.depth(tokens, 0).expect("no limit")
    }

    #[test]
    fn operands_nest_and_statements_do_not() {
        for (code, expected) in [
            ("x", 0),
            ("x + x + x", 2),
            ("a * x + b * x + c", 3),
            ("x.sin().cos() + x.sin()", 6),
            ("((x))", 2),
            ("((x, y), z)", 6),
            ("f(f(x))", 6),
            ("x[i[j]]", 6),
            ("let a = x + x; let b = a + a; let c = b + b;", 1),
            ("{ { x } }", 6),
            ("if a > b { x } if a > b { x } if a > b { x }", 3),
            ("if a { x } else if b { x } else { x }", 5),
            ("Vec<Vec<f64>>", 8),
            ("(a < b, c < d, e < f)", 7),
            ("a < b && c < d && e < f", 6),
            ("x: Vec<f64>, y: Vec<f64>", 4),
            ("match x { A => { x } B => { x } C => x, }", 6),
            ("#[doc = 1] #[doc = 2] fn f() -> f64 { x }", 4),
            ("|x| |y| x + y", 5),
            ("for i in 0..n { for j in 0..n { } }", 8),
        ] {
            assert_eq!(depth(code), expected, "{code}");
        }
    }

    #[test]
    fn an_error_stands_where_the_depth_is() {
        let code = format!("let a = 1;\nlet b = 2{};", " + b".repeat(LIMIT + 1));
        let tokens: TokenStream = code.parse().expect("tokens");
        let error = check(&tokens).expect_err("too deep");
        assert_eq!(error.span().start().line, 2);
        assert!(error.to_string().starts_with("this code nests too deeply"));
        let code = format!("{}x{}", "(".repeat(LIMIT + 1), ")".repeat(LIMIT + 1));
        assert!(check(&code.parse().expect("tokens")).is_err());
    }

    /// A function that nests in one way.
    fn function(form: &str, n: usize) -> String {
        let around = |open: &str, close: &str| format!("{}x{}", open.repeat(n), close.repeat(n));
        let body = match form {
            "sum" => format!("x{}", " + x".repeat(n)),
            "methods" => format!("x{}", ".sin()".repeat(n)),
            "signs" => format!("{}x", "-".repeat(n)),
            "alternatives" => format!("{}{{ x }}", "if x > 1.0 { x * x } else ".repeat(n)),
            "loops" => format!(
                "let mut s = x; {} s *= x; {} s",
                "for i in 0..2 { ".repeat(n),
                "}".repeat(n)
            ),
            "parentheses" => around("(1.0 + ", ")"),
            "calls" => around("f(", ")"),
            "indices" => format!("v[{}0{}]", "w[".repeat(n), "]".repeat(n)),
            "branches" => around("if x > 1.0 { ", " } else { x * x }"),
            "blocks" => around("{ let y = x; ", " }"),
            "cases" => around("match k { 0 => ", ", _ => x }"),
            "closures" => around("(|x: f64| ", ")(x)"),
            "lists" => around("vec![", "][0]"),
            _ => around("", ""),
        };
        let param = match form {
            "types" => format!("t: {}f64{}", "Vec<".repeat(n), ">".repeat(n)),
            "tuples" => format!("t: {}f64{}", "(".repeat(n), ",)".repeat(n)),
            _ => "k: usize, v: &[f64], w: &[usize]".to_owned(),
        };
        format!("fn f(x: f64, {param}) -> f64 {{ {body} }}")
    }

    pub(crate) const FORMS: [&str; 15] = [
        "sum",
        "methods",
        "signs",
        "alternatives",
        "loops",
        "parentheses",
        "calls",
        "indices",
        "branches",
        "blocks",
        "cases",
        "closures",
        "lists",
        "types",
        "tuples",
    ];

    /// The deepest function of a form that is let in.
    pub(crate) fn deepest(form: &str) -> String {
        let fits = |n: &usize| {
            let tokens = function(form, *n).parse().expect("tokens");
            check(&tokens).is_ok()
        };
        let (mut low, mut high) = (0, 2 * LIMIT);
        while high - low > 1 {
            let middle = usize::midpoint(low, high);
            *(if fits(&middle) { &mut low } else { &mut high }) = middle;
        }
        function(form, low)
    }
}
