//! Changes to token streams.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

use super::corpus::{Corpus, Kind};

/// `SplitMix64`, after G. Steele, D. Lea and C. Flood (2014), Fast splittable pseudorandom number generators.
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Random {
        Random(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(super) fn below(&mut self, n: usize) -> usize {
        usize::try_from(self.next() % n.max(1) as u64).unwrap_or(0)
    }

    pub(super) fn of<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.below(list.len())]
    }
}

type Path = Vec<usize>;

/// All groups' places, the stream itself first.
fn groups(tokens: &[TokenTree], at: &mut Path, found: &mut Vec<Path>) {
    found.push(at.clone());
    for (i, token) in tokens.iter().enumerate() {
        if let TokenTree::Group(group) = token {
            at.push(i);
            groups(&list(group.stream()), at, found);
            at.pop();
        }
    }
}

fn list(tokens: TokenStream) -> Vec<TokenTree> {
    tokens.into_iter().collect()
}

/// `f` on the tokens of the group at `path`.
fn edited(
    tokens: TokenStream,
    path: &[usize],
    f: &mut dyn FnMut(&mut Vec<TokenTree>),
) -> TokenStream {
    let mut tokens = list(tokens);
    match path.split_first() {
        None => f(&mut tokens),
        Some((i, rest)) => {
            if let Some(TokenTree::Group(group)) = tokens.get(*i) {
                let inner = edited(group.stream(), rest, f);
                tokens[*i] = TokenTree::Group(Group::new(group.delimiter(), inner));
            }
        }
    }
    tokens.into_iter().collect()
}

/// A group's tokens, each of which is as likely to be changed as any other.
fn place(tokens: &TokenStream, random: &mut Random) -> Path {
    let mut found = Vec::new();
    groups(&list(tokens.clone()), &mut Vec::new(), &mut found);
    random.of(&found).clone()
}

/// The tokens of a group of another stream, up to its statements.
fn foreign(tokens: &TokenStream, random: &mut Random) -> Vec<TokenTree> {
    let path = place(tokens, random);
    let mut inside = Vec::new();
    edited(tokens.clone(), &path, &mut |tokens| {
        inside.clone_from(tokens);
    });
    inside
}

/// Where statements begin and end: behind `;`, and behind braces.
fn statements(tokens: &[TokenTree]) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut start = 0;
    for (i, token) in tokens.iter().enumerate() {
        let ends = match token {
            TokenTree::Punct(punct) => matches!(punct.as_char(), ';' | ','),
            TokenTree::Group(group) => {
                let next = tokens.get(i + 1).map(ToString::to_string);
                let goes_on = matches!(next.as_deref(), Some("else" | "." | ";" | "?" | ","));
                group.delimiter() == Delimiter::Brace && !goes_on
            }
            _ => false,
        };
        if ends || i + 1 == tokens.len() {
            found.push((start, i + 1));
            start = i + 1;
        }
    }
    found
}

/// One to three changes.
pub(super) fn tokens(item: &TokenStream, other: &TokenStream, random: &mut Random) -> TokenStream {
    let mut item = item.clone();
    for _ in 0..=random.below(3) {
        let path = place(&item, random);
        let strange = foreign(other, random);
        item = edited(item, &path, &mut |tokens| change(tokens, &strange, random));
    }
    item
}

fn change(tokens: &mut Vec<TokenTree>, strange: &[TokenTree], random: &mut Random) {
    if tokens.is_empty() {
        tokens.extend_from_slice(strange);
        return;
    }
    let (i, j) = (random.below(tokens.len()), random.below(tokens.len()));
    let own = statements(tokens);
    let (from, to) = *random.of(&own);
    let theirs = statements(strange);
    match random.below(11) {
        0 => drop(tokens.remove(i)),
        1 => tokens.insert(i, tokens[i].clone()),
        2 => tokens.swap(i, j),
        3 => tokens[i] = tokens[j].clone(),
        4 if !strange.is_empty() => tokens[i] = random.of(strange).clone(),
        5 if !strange.is_empty() => tokens.insert(i, random.of(strange).clone()),
        6 => drop(tokens.drain(from..to)),
        7 => {
            let copy = tokens[from..to].to_vec();
            tokens.splice(from..from, copy);
        }
        8 if !theirs.is_empty() => {
            let (first, last) = *random.of(&theirs);
            tokens.splice(from..from, strange[first..last].iter().cloned());
        }
        9 if !theirs.is_empty() => {
            let (first, last) = *random.of(&theirs);
            tokens.splice(from..to, strange[first..last].iter().cloned());
        }
        _ => {
            let (at, end) = *random.of(&own);
            let copy = tokens[at..end].to_vec();
            tokens.splice(from..to, copy);
        }
    }
}

/// The words that attributes are made of.
const WORDS: &[&str] = &[
    "crate",
    "rules",
    "with",
    "recursive",
    "nested",
    "checked",
    "dyn",
    "order",
    "partials",
    "frule",
    "rrule",
    "zero_derivative",
    "name",
    "Self",
    "no_add_scaled",
    "tangent",
    "constant",
    "x",
    "f",
    "self",
    "r#type",
    "=",
    "=",
    ",",
    ",",
    "::",
    "->",
    "|x|",
    "-",
    "0",
    "1",
    "2",
    "3",
    "4",
    "99999999999999999999",
    "1.5",
    "\"x\"",
    "'a",
    "true",
    "false",
    "()",
    "(x)",
    "(x = 1.0)",
    "[..]",
    "{}",
    "f::g",
    "::a::b",
    "<T as U>::f",
    "a!()",
    "#",
    "x.cos()",
    "_",
    "?",
    "..",
];

/// The options of attributes. `@` stands for a value, `$` for a name.
const OPTIONS: &[&str] = &[
    "crate = @",
    "rules = @",
    "with($ = @)",
    "with($ = @, $ = @)",
];
const OPTIONS_OF_FUNCTIONS: &[&str] = &[
    "recursive",
    "nested",
    "explain",
    "dyn",
    "checked",
    "checked = @",
    "order = 1",
    "order = 2",
    "order = 3",
    "order = @",
];
const OPTIONS_OF_PRIMITIVES: &[&str] = &[
    "partials($ = @)",
    "partials($ = @, $ = @)",
    "partials($ = @),result = $",
    "result = $,root = @",
    "result = $,fixed_point = @",
    "result = $,argmin = @,solver = $",
    "result = @",
    "root = @",
    "solver = @",
    "frule = $,rrule = $",
    "frule = @",
    "rrule = @",
    "rrule_frule = @",
    "zero_derivative",
];

/// Texts in the place of a value.
const VALUES: &[&str] = &[
    "2",
    "3",
    "0",
    "-1",
    "99999999999999999999",
    "1.5e400",
    "'c'",
    "true",
    "false",
    "",
    "$",
    "$",
    "$",
    "f::g",
    "$ - $",
    "$ * $.sin()",
    "($ + 1.0) / $",
    "|x| x",
    "move |x| x * $",
    "($, $)",
    "[1.0, $]",
    "{ $ }",
    "{ let a = $; a * a }",
    "vec![$, $]",
    "vec![$; 3]",
    "if $ > 0.0 { 1.0 } else { 2.0 }",
    "match $ { _ => 1.0 }",
    "f(&$, $)",
    "f(f(f($)))",
    "Self::g",
    "<T as U>::f",
    "crate",
    "super::f",
    "r#fn",
    "_",
    "..",
    "$..$",
    "return $",
    "loop {}",
    "for i in 0..2 { $ }",
    "async {}",
    "unsafe { $ }",
    "$ as usize",
    "&mut $",
    "*$",
    "$.0",
    "$[0]",
    "$?",
    "\"\"",
    "\"a b\"",
    "\"fn\"",
    "\"1\"",
    "\"::x\"",
    "b\"x\"",
    "r\"a\"",
    "(((@)))",
    "[[@], [@]]",
    "{{ @ }}",
    "@ + @",
    "f(@, @)",
];

/// One to four options, some of them wrong.
fn options(item: &TokenStream, kind: Kind, random: &mut Random) -> TokenStream {
    let mut names = Vec::new();
    idents(item.clone(), &mut names);
    names.extend(["y", "self", "x", "0", "Self"].map(str::to_owned));
    let own = match kind {
        Kind::Primitive => OPTIONS_OF_PRIMITIVES,
        _ => OPTIONS_OF_FUNCTIONS,
    };
    let count = 1 + random.below(4);
    let mut options: Vec<String> = Vec::new();
    for _ in 0..count {
        let list = if random.below(4) == 0 { OPTIONS } else { own };
        options.push((*random.of(list)).to_owned());
    }
    let mut text = options.join(",");
    while let Some(at) = text.find('@') {
        let value = *random.of(VALUES);
        // Without end, otherwise.
        let value = if text.len() > 300 { "x" } else { value };
        text.replace_range(at..=at, value);
    }
    while let Some(at) = text.find('$') {
        let name = random.of(&names).clone();
        text.replace_range(at..=at, &name);
    }
    text.parse().unwrap_or_default()
}

fn idents(tokens: TokenStream, found: &mut Vec<String>) {
    for token in tokens {
        match token {
            TokenTree::Ident(ident) => found.push(ident.to_string()),
            TokenTree::Group(group) => idents(group.stream(), found),
            _ => {}
        }
    }
}

/// The texts before and behind an item: a file that is cut somewhere, with strange characters in it.
pub(super) fn file(text: &str, random: &mut Random) -> (String, String) {
    const STRANGE: &[&str] = &[
        "{",
        "}",
        "(",
        ")",
        "[",
        "]",
        "\"",
        "'",
        "r#\"",
        "/*",
        "*/",
        "//",
        ";",
        "#",
        "#[",
        "é",
        "\u{feff}",
        "\u{1f600}",
        "'\\",
        "b'",
        "fn",
        "impl",
        "mod m {",
        "use a::{",
        "macro_rules!",
        "struct",
        "\\",
        "\r",
        "::",
        "=",
        "<",
        ">",
        "0",
        "\0",
    ];
    let mut text = text.to_owned();
    for _ in 0..[0, 0, 1, 3][random.below(4)] {
        let at = boundary(&text, random);
        let strange: &str = random.of::<&str>(STRANGE);
        text.insert_str(at, strange);
    }
    let mut at = boundary(&text, random);
    if random.below(3) > 0 {
        at = text[..at].rfind('\n').map_or(0, |end| end + 1);
    }
    let (before, after) = text.split_at(at);
    (before.to_owned(), after.to_owned())
}

fn boundary(text: &str, random: &mut Random) -> usize {
    let mut at = random.below(text.len() + 1);
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// Random words, options, or a change to what is there.
pub(super) fn attribute(
    attr: &TokenStream,
    item: &TokenStream,
    kind: Kind,
    corpus: &Corpus,
    random: &mut Random,
) -> TokenStream {
    let way = random.below(4);
    if way < 2 {
        return options(item, kind, random);
    }
    if way == 2 {
        let of_kind: Vec<_> = corpus.samples.iter().filter(|s| s.kind == kind).collect();
        let other = random.of(&of_kind).attr.clone();
        return tokens(attr, &other, random);
    }
    let count = 1 + random.below(6);
    let words: Vec<&str> = (0..count).map(|_| *random.of(WORDS)).collect();
    words.join(" ").parse().unwrap_or_default()
}
