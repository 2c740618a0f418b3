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

/// Random words, or a change to what is there.
pub(super) fn attribute(
    attr: &TokenStream,
    kind: Kind,
    corpus: &Corpus,
    random: &mut Random,
) -> TokenStream {
    if random.below(2) == 0 {
        let of_kind: Vec<_> = corpus.samples.iter().filter(|s| s.kind == kind).collect();
        let other = random.of(&of_kind).attr.clone();
        return tokens(attr, &other, random);
    }
    let count = 1 + random.below(6);
    let words: Vec<&str> = (0..count).map(|_| *random.of(WORDS)).collect();
    words.join(" ").parse().unwrap_or_default()
}
