//! Finds the items of a source file without parsing it: the braces that enclose them, and the text before each.
//!
//! In: text. Out: one [`Item`] for each pair of braces and for each semicolon, with its *header*: the text between the end of the previous item
//! and the brace or semicolon, without comments, such as `impl<T: Real> Model<T>`. Text in which braces don't match ends the list early;
//! nothing here fails.

use super::tokens::bare;

/// An item, or any other text that braces or a semicolon end.
#[derive(Debug)]
pub(super) struct Item {
    /// Where the braces that end it are opened and closed, in bytes; `None` for a semicolon.
    pub(super) braces: Option<(usize, usize)>,
    /// Where the brace around it is opened.
    pub(super) inside: Option<usize>,
    pub(super) header: String,
    /// `fn`, `struct` and the like; empty for anything that is no item.
    pub(super) keyword: &'static str,
    /// The name that it declares; empty if there is none.
    pub(super) name: String,
}

impl Item {
    fn new(braces: Option<(usize, usize)>, inside: Option<usize>, header: String) -> Item {
        let header = without_inner_attributes(header);
        let (keyword, name) = declared(&header);
        let name = bare(name).to_owned();
        Item {
            braces,
            inside,
            header,
            keyword,
            name,
        }
    }

    /// The text of the item, without the content of its braces.
    pub(super) fn without_body(&self) -> String {
        let end = if self.braces.is_some() { "{}" } else { ";" };
        format!("{}{end}", self.header)
    }

    pub(super) fn is_type(&self) -> bool {
        ["struct", "enum", "union", "type", "trait"].contains(&self.keyword)
    }

    pub(super) fn is_function(&self) -> bool {
        self.keyword == "fn"
    }

    /// True if it is an import that mentions one of these words.
    pub(super) fn is_use_of(&self, words: &[&str]) -> bool {
        self.keyword == "use" && words.iter().any(|word| self.header.contains(word))
    }
}

/// The items of a text in the order in which they end: inner ones before outer ones.
pub(super) fn items(text: &str) -> Vec<Item> {
    let mut scanner = Scanner {
        text: text.as_bytes(),
        open: vec![Open::new(None, b'}', true)],
        items: Vec::new(),
    };
    let mut at = 0;
    while at < scanner.text.len() {
        let end = token(scanner.text, at);
        scanner.take(at, end, text);
        at = end;
    }
    scanner.items
}

/// The keyword and the name of the item that a header begins, behind attributes, visibility and modifiers.
fn declared(header: &str) -> (&'static str, &str) {
    const KEYWORDS: &str = "const enum fn impl macro_rules mod static struct trait type union use";
    let mut rest = header.trim_start();
    loop {
        let word = tokens(rest).next().unwrap_or("");
        let after = rest[word.len()..].trim_start();
        let next = tokens(after).next().unwrap_or("");
        rest = match word {
            "#" => after_group(after),
            "pub" if next == "(" => after_group(after),
            "pub" | "unsafe" | "async" | "default" | "auto" | "safe" => after,
            "const" | "extern" if ["fn", "unsafe", "async", "extern"].contains(&next) => after,
            "extern" if next.starts_with('"') => after[next.len()..].trim_start(),
            keyword => {
                let known = KEYWORDS.split(' ').find(|known| *known == keyword);
                let mut names = tokens(after).filter(|token| !["mut", "!"].contains(token));
                let name = names.next().filter(|name| is_name(name));
                return match (known, name) {
                    (Some(keyword @ ("impl" | "use")), _) => (keyword, ""),
                    (Some(keyword), Some(name)) => (keyword, name),
                    _ => ("", ""),
                };
            }
        };
    }
}

/// Behind the group of brackets or parentheses that a text begins with.
fn after_group(text: &str) -> &str {
    let (mut depth, mut at) = (0_usize, 0);
    while at < text.len() {
        match text.as_bytes()[at] {
            b'[' | b'(' => depth += 1,
            b']' | b')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        at = token(text.as_bytes(), at);
        if depth == 0 {
            break;
        }
    }
    text[at..].trim_start()
}

/// The name after the first `fn` behind a position: the function that an attribute stands on.
pub(super) fn function_after(text: &str, from: usize) -> Option<&str> {
    let mut rest = tokens(text.get(from..)?).skip_while(|token| *token != "fn");
    rest.next();
    rest.find(|token| is_name(token))
}

/// The words of a text; `None` for each other token.
pub(super) fn words(text: &str) -> impl Iterator<Item = Option<&str>> {
    tokens(text).map(|token| is_name(token).then_some(token))
}

/// The tokens of a text without spaces and comments.
fn tokens(text: &str) -> impl Iterator<Item = &str> {
    let bytes = text.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        while let Some(first) = bytes.get(at) {
            let start = at;
            at = token(bytes, at);
            let is_comment = *first == b'/' && at - start > 1;
            if !first.is_ascii_whitespace() && !is_comment {
                return text.get(start..at);
            }
        }
        None
    })
}

/// True if a token is a name or keyword. Literals with a prefix, such as `b".."`, are none.
fn is_name(token: &str) -> bool {
    let (first, last) = (token.bytes().next(), token.bytes().last());
    first.is_some_and(|first| is_word(first) && !first.is_ascii_digit())
        && last.is_some_and(|last| !matches!(last, b'"' | b'\'' | b'#'))
}

/// A delimiter that is open.
struct Open {
    /// Where, but for the text as a whole.
    at: Option<usize>,
    closing: u8,
    /// There are items in it.
    brace: bool,
    /// The text since the end of the last item, or since it was opened.
    header: String,
}

impl Open {
    fn new(at: Option<usize>, closing: u8, brace: bool) -> Open {
        Open {
            at,
            closing,
            brace,
            header: String::new(),
        }
    }
}

struct Scanner<'a> {
    text: &'a [u8],
    open: Vec<Open>,
    items: Vec<Item>,
}

impl Scanner<'_> {
    /// One token, comment or space.
    fn take(&mut self, at: usize, end: usize, text: &str) {
        match self.text[at] {
            b'{' if !self.in_list() => {
                let last = self.open.last_mut().filter(|open| open.brace);
                let header = last.map_or_else(String::new, |open| std::mem::take(&mut open.header));
                // Its own content starts anew; its header is kept until it is closed.
                let open = || Open::new(Some(at), b'}', true);
                self.open.push(Open { header, ..open() });
                self.open.push(open());
            }
            open @ (b'(' | b'[' | b'{') => {
                self.push(&text[at..end]);
                let closing = match open {
                    b'(' => b')',
                    b'[' => b']',
                    _ => b'}',
                };
                self.open.push(Open::new(Some(at), closing, false));
            }
            closing @ (b')' | b']' | b'}') if self.closes_list(closing) => {
                if let Some(inner) = self.open.pop() {
                    self.push(&inner.header);
                    self.push(&text[at..end]);
                }
            }
            b')' | b']' => {}
            b'}' => self.close(at),
            b';' if self.open.last().is_some_and(|open| open.brace) => self.statement(),
            b'/' if end - at > 1 => self.push(" "),
            _ => self.push(&text[at..end]),
        }
    }

    /// The end of a block.
    fn close(&mut self, at: usize) {
        while self.open.pop_if(|open| !open.brace).is_some() {}
        if self.open.len() > 2 {
            self.open.pop();
            if let Some(block) = self.open.pop()
                && let Some(open) = block.at
            {
                // Around a closure's block there may be parentheses.
                let around = self.open.iter().rfind(|around| around.brace);
                let inside = around.and_then(|around| around.at);
                let braces = Some((open, at));
                self.items.push(Item::new(braces, inside, block.header));
            }
        }
    }

    fn statement(&mut self) {
        if let Some(open) = self.open.last_mut() {
            let (inside, text) = (open.at, std::mem::take(&mut open.header));
            if ["use", "mod", "struct", "type", "const", "static"]
                .iter()
                .any(|word| text.contains(word))
            {
                self.items.push(Item::new(None, inside, text));
            }
        }
    }

    /// True if a brace is one of `use a::{b, c};`, or of `fn f(Pair { a, b }: Pair)`.
    fn in_list(&self) -> bool {
        let in_signature = || {
            let around = self.open.iter().rfind(|around| around.brace);
            around.is_some_and(|around| declared(&around.header).0 == "fn")
        };
        self.open.last().is_some_and(|open| {
            if !open.brace {
                return open.closing == b'}' || in_signature();
            }
            let mut words = open.header.split_whitespace();
            open.header.trim_end().ends_with("::") && words.any(|word| word == "use")
        })
    }

    /// True if a delimiter closes the innermost one, with no items in it.
    fn closes_list(&self, closing: u8) -> bool {
        let last = self.open.last();
        last.is_some_and(|open| !open.brace && open.closing == closing)
    }

    fn push(&mut self, text: &str) {
        if let Some(open) = self.open.last_mut() {
            open.header.push_str(text);
        }
    }
}

/// Without `#![..]` in front, which is an attribute of the enclosing item.
fn without_inner_attributes(text: String) -> String {
    let mut rest = text.trim_start();
    while let Some(attribute) = rest.strip_prefix("#!") {
        rest = after_group(attribute.trim_start());
    }
    if rest.len() == text.trim_start().len() {
        return text;
    }
    rest.to_owned()
}

/// The names before parentheses, alone or behind a dot or `Self::`.
pub(super) fn called(text: &str) -> impl Iterator<Item = &str> {
    // The tokens before, the last one first.
    let mut before = [""; 4];
    tokens(text).filter_map(move |word| {
        let [name, sign, other, of] = before;
        before = [word, name, sign, other];
        let own = match sign {
            ":" => of == "Self",
            _ => sign != "fn",
        };
        (word == "(" && own && name.bytes().next().is_some_and(is_word)).then_some(name)
    })
}

/// Where the token ends that begins at `at`: comments, literals and words are one each, anything else is one character.
fn token(text: &[u8], at: usize) -> usize {
    let rest = &text[at..];
    let after = |length: usize| (at + length).min(text.len());
    match rest {
        [b'/', b'/', ..] => after(rest.iter().position(|b| *b == b'\n').unwrap_or(rest.len())),
        [b'/', b'*', ..] => after(comment(rest)),
        [b'"', ..] => after(string(rest)),
        [b'\'', ..] => after(quote(rest)),
        [b'r', b'"' | b'#', ..] => after(raw(rest, 1)),
        [b'b' | b'c', b'r', b'"' | b'#', ..] => after(raw(rest, 2)),
        [b'b' | b'c', b'"', ..] => after(1 + string(&rest[1..])),
        [b'b', b'\'', ..] => after(1 + quote(&rest[1..])),
        [first, ..] if is_word(*first) => {
            after(rest.iter().position(|b| !is_word(*b)).unwrap_or(rest.len()))
        }
        _ => after(1),
    }
}

/// Words are letters, digits, and whatever isn't ASCII, so that no character is cut in two.
fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii()
}

/// `/* .. /* .. */ .. */`
fn comment(text: &[u8]) -> usize {
    let (mut depth, mut at) = (0_usize, 0);
    while at < text.len() {
        match &text[at..] {
            [b'/', b'*', ..] => (depth, at) = (depth + 1, at + 2),
            [b'*', b'/', ..] => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            break;
        }
    }
    at
}

/// `".. \" .."`
fn string(text: &[u8]) -> usize {
    let mut at = 1;
    while at < text.len() {
        match text[at] {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    text.len()
}

/// `r##".."##`, or a raw name, `r#match`.
fn raw(text: &[u8], start: usize) -> usize {
    let hashes = text[start..].iter().take_while(|b| **b == b'#').count();
    if text.get(start + hashes) != Some(&b'"') {
        let word = text[start + hashes..].iter().take_while(|b| is_word(**b));
        return start + hashes + word.count();
    }
    let mut at = start + hashes + 1;
    while at < text.len() {
        let closing = text[at + 1..].iter().take_while(|b| **b == b'#').count();
        if text[at] == b'"' && closing >= hashes {
            return at + 1 + hashes;
        }
        at += 1;
    }
    text.len()
}

/// A character, or the quote of a lifetime.
fn quote(text: &[u8]) -> usize {
    match text {
        [_, b'\\', _, rest @ ..] => {
            let end = rest.iter().position(|b| *b == b'\'');
            end.map_or(text.len(), |end| end + 4)
        }
        [_, _, b'\'', ..] => 3,
        // A character that isn't ASCII has up to four bytes.
        [_, first, rest @ ..] if !first.is_ascii() => {
            let end = rest.iter().take(4).position(|b| *b == b'\'');
            end.map_or(1, |end| end + 3)
        }
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(text: &str) -> Vec<String> {
        let all = items(text);
        let blocks = all.iter().filter(|item| item.braces.is_some());
        let words = blocks.map(|block| block.header.split_whitespace().collect::<Vec<_>>());
        words.map(|words| words.join(" ")).collect()
    }

    #[test]
    fn headers_are_what_stands_before_a_brace() {
        let text = "use a::B; mod m { impl<T> B<[T; 3]> where T: C { fn f() {} } const X: u8 = 1; trait D {} }";
        assert_eq!(
            headers(text),
            ["fn f()", "impl<T> B<[T; 3]> where T: C", "trait D", "mod m"]
        );
    }

    #[test]
    fn braces_in_literals_and_comments_are_none() {
        let text = r###"
            // impl A {
            /* { /* { */ */
            fn f<'a>(x: &'a str) { "}\"}"; '}'; '\''; '\u{7d}'; b'{'; r#"} "# ; br##"}"# "##; 'é'; 'a: loop {} }
            impl /* here { */ B {}
        "###;
        assert_eq!(
            headers(text),
            ["'a: loop", "fn f<'a>(x: &'a str)", "impl B"]
        );
    }

    #[test]
    fn raw_names_are_no_strings() {
        assert_eq!(
            headers("fn r#match(r#fn: u8) {} struct S;"),
            ["fn r#match(r#fn: u8)"]
        );
    }

    #[test]
    fn a_brace_in_parentheses_is_no_item() {
        assert_eq!(headers("f(A { b: 1 }); mod m {}"), ["", "mod m"]);
    }

    #[test]
    fn text_that_ends_too_early_is_read_as_far_as_it_goes() {
        for text in ["fn f() { \"", "}}} mod m {}", "'", "r#", "/*", "b'", "'\\"] {
            headers(text);
        }
        assert_eq!(headers("} ) ] mod m {}"), ["mod m"]);
    }

    #[test]
    fn imports_are_statements() {
        let text = "pub use a::{b, c::{d, e}}; mod m; mod n { use f::g; } fn f() { a[{ 1 }]; }";
        let all = items(text);
        let statements: Vec<(&str, bool)> = (all.iter())
            .filter(|item| item.braces.is_none())
            .map(|statement| (statement.header.trim(), statement.inside.is_some()))
            .collect();
        assert_eq!(
            statements,
            [
                ("pub use a::{b, c::{d, e}}", false),
                ("mod m", false),
                ("use f::g", true)
            ]
        );
        assert_eq!(all.len(), statements.len() + 3);
    }

    #[test]
    fn keywords_and_names_of_items() {
        for (header, expected) in [
            (
                "#[a(fn = \"fn b\")] pub const unsafe fn f(x: fn(f64) -> f64) ",
                ("fn", "f"),
            ),
            (
                "#[inline]\n    pub(crate) const fn Jnu_Ynu<T>(x: T) ",
                ("fn", "Jnu_Ynu"),
            ),
            ("pub extern \"C\" fn f() ", ("fn", "f")),
            ("pub(in a::b) static mut S: u8 = 0", ("static", "S")),
            ("const N: usize = 1", ("const", "N")),
            ("pub(crate) type r#fn = f64", ("type", "r#fn")),
            ("#[derive(A, B)] struct S<'a>(&'a [f64])", ("struct", "S")),
            ("unsafe impl<const N: usize> A<N> ", ("impl", "")),
            ("#[cfg(test)] mod tests ", ("mod", "tests")),
            ("macro_rules! m ", ("macro_rules", "m")),
            ("pub use a::{b, c}", ("use", "")),
            ("impl Fn for N ", ("impl", "")),
            ("struct $name ", ("", "")),
            ("let f = |x: fn(f64)| ", ("", "")),
            ("if x ", ("", "")),
            ("", ("", "")),
        ] {
            assert_eq!(declared(header), expected, "{header}");
        }
    }

    #[test]
    fn braces_of_patterns_are_in_the_signature() {
        let text = "fn f(P { a, b }: &P, c: [f64; { N }]) -> f64 { 1.0 } fn h() {}";
        assert_eq!(
            headers(text),
            ["fn f(P { a, b }: &P, c: [f64; { N }]) -> f64", "fn h()"]
        );
    }

    #[test]
    fn inner_attributes_belong_to_what_is_around() {
        let text =
            "#![allow(unused)] #![doc = \"a ] b\"] use a::b; mod m { #![cfg(x)] fn f() {} } #![x]";
        let all = items(text);
        assert_eq!(all[0].header.trim(), "use a::b");
        assert_eq!(headers(text), ["fn f()", "mod m"]);
    }

    #[test]
    fn the_function_behind_attributes() {
        let text = "#[differentiable] /* fn g */ #[doc = \"fn h\"] pub(crate) const fn f(x: f64) -> f64 { x }";
        assert_eq!(function_after(text, 0), Some("f"));
        assert_eq!(function_after("struct S;", 0), None);
    }
}
