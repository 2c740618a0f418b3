//! Reads tokens: which names they mention, how long they are, and in which order they stand.
//!
//! In: tokens of one item. Out: facts that hold whatever the names refer to.

use std::collections::HashSet;

use proc_macro2::{Delimiter, Ident, TokenStream, TokenTree};
use quote::{ToTokens, quote};

/// A name, whether it is a raw one or not.
pub(crate) fn bare(name: &str) -> &str {
    name.trim_start_matches("r#")
}

/// All identifiers of tokens.
pub(crate) fn words(tokens: TokenStream, all: &mut HashSet<String>) {
    for token in tokens {
        match token {
            TokenTree::Ident(word) => {
                all.insert(bare(&word.to_string()).to_owned());
            }
            TokenTree::Group(group) => words(group.stream(), all),
            _ => {}
        }
    }
}

/// The paths of several names, without arguments, among the tokens.
pub(super) fn paths_in(tokens: TokenStream) -> Vec<Vec<Ident>> {
    let mut all: Vec<Vec<Ident>> = Vec::new();
    let (mut path, mut colons) = (Vec::new(), 0);
    let mut end = |path: &mut Vec<Ident>| {
        let path = std::mem::take(path);
        if path.len() > 1 && !all.contains(&path) {
            all.push(path);
        }
    };
    let mut inner = Vec::new();
    for tree in tokens {
        match tree {
            TokenTree::Ident(name) => {
                if colons != 2 {
                    end(&mut path);
                }
                path.push(name);
                colons = 0;
                continue;
            }
            TokenTree::Punct(mark) if mark.as_char() == ':' => {
                colons += 1;
                continue;
            }
            TokenTree::Group(group) => inner.push(group.stream()),
            _ => {}
        }
        end(&mut path);
        colons = 0;
    }
    end(&mut path);
    all.extend(inner.into_iter().flat_map(paths_in));
    all
}

/// True if `test` holds of a token, in groups too.
pub(crate) fn any_token(tokens: TokenStream, test: &dyn Fn(&TokenTree) -> bool) -> bool {
    tokens.into_iter().any(|token| match &token {
        TokenTree::Group(group) => any_token(group.stream(), test),
        token => test(token),
    })
}

/// True if a name stands among the tokens, in groups too.
pub(crate) fn has_word(tokens: TokenStream, test: &dyn Fn(&Ident) -> bool) -> bool {
    any_token(
        tokens,
        &|token| matches!(token, TokenTree::Ident(word) if test(word)),
    )
}

/// How often a name stands among the tokens where it may be the first of a path: not behind a `.` or a `::`.
pub(crate) fn first_names(tokens: TokenStream, name: &str) -> usize {
    let (mut all, mut dots, mut colons) = (0, 0, 0);
    for token in tokens {
        let is = |char| matches!(&token, TokenTree::Punct(punct) if punct.as_char() == char);
        let (is_dot, is_colon) = (is('.'), is(':'));
        match token {
            TokenTree::Ident(word) if dots != 1 && colons < 2 => {
                all += usize::from(bare(&word.to_string()) == name);
            }
            TokenTree::Group(group) => all += first_names(group.stream(), name),
            _ => {}
        }
        dots = if is_dot { dots + 1 } else { 0 };
        colons = if is_colon { colons + 1 } else { 0 };
    }
    all
}

/// All identifiers of an item.
pub(super) fn words_of(item: &impl ToTokens) -> HashSet<String> {
    let mut all = HashSet::new();
    words(item.to_token_stream(), &mut all);
    all
}

pub(crate) fn lists(list: &str, word: &str) -> bool {
    list.split(' ').any(|listed| listed == word)
}

/// True if one of these is among the words.
pub(super) fn has_any(words: &HashSet<String>, wanted: &[&str]) -> bool {
    wanted.iter().any(|word| words.contains(*word))
}

/// True if `test` holds somewhere, of the tokens of one group and a position in it.
fn any(tokens: TokenStream, test: &dyn Fn(&[TokenTree], usize) -> bool) -> bool {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    (0..tokens.len()).any(|k| {
        test(&tokens, k)
            || matches!(&tokens[k], TokenTree::Group(group) if any(group.stream(), test))
    })
}

fn is_word(token: &TokenTree, name: &str) -> bool {
    matches!(token, TokenTree::Ident(word) if bare(&word.to_string()) == name)
}

fn is_mark(token: &TokenTree, mark: char) -> bool {
    matches!(token, TokenTree::Punct(token) if token.as_char() == mark)
}

fn is_group(token: Option<&TokenTree>, delimiter: Delimiter) -> bool {
    matches!(token, Some(TokenTree::Group(group)) if group.delimiter() == delimiter)
}

/// True if `Self` is mentioned, which free functions can't.
pub(crate) fn mentions_self(item: &impl ToTokens) -> bool {
    words_of(item).contains("Self")
}

/// Returns `true` if a name refers to something other than a method or a field.
pub(super) fn mentions(tokens: TokenStream, name: &str) -> bool {
    any(tokens, &|all, k| {
        is_word(&all[k], name) && !(k > 0 && is_mark(&all[k - 1], '.'))
    })
}

/// True if a name only occurs in front of arguments.
pub(super) fn is_only_called(tokens: TokenStream, name: &str) -> bool {
    !any(tokens, &|all, k| {
        is_word(&all[k], name) && !is_group(all.get(k + 1), Delimiter::Parenthesis)
    })
}

/// True if there is this lifetime, or a label of its name.
pub(crate) fn names_lifetime(item: &impl ToTokens, name: &str) -> bool {
    any(item.to_token_stream(), &|all, k| {
        is_word(&all[k], name) && k > 0 && is_mark(&all[k - 1], '\'')
    })
}

/// True if there is a `?`, or a macro other than `vec!`.
pub(super) fn leaves_or_expands(tokens: TokenStream) -> bool {
    any(tokens, &|all, k| {
        is_mark(&all[k], '?')
            || matches!(&all[k..], [TokenTree::Ident(name), mark, TokenTree::Group(_), ..]
                if is_mark(mark, '!') && name != "vec")
    })
}

/// True if there is `let [..]`, or a `let` in a condition.
pub(super) fn takes_lists_apart(tokens: TokenStream) -> bool {
    any(tokens, &|all, k| {
        let in_condition = || is_word(&all[k - 1], "if") || is_word(&all[k - 1], "while");
        is_word(&all[k], "let")
            && (k > 0 && in_condition() || is_group(all.get(k + 1), Delimiter::Bracket))
    })
}

pub(super) fn length(tokens: TokenStream) -> usize {
    let inner = |token| match token {
        TokenTree::Group(group) => 2 + length(group.stream()),
        _ => 1,
    };
    tokens.into_iter().map(inner).sum()
}

/// The words that aren't members: `b` and `f` of `a.b.f(f(b))`, without `a`'s own.
pub(super) fn free_words(tokens: TokenStream, all: &mut HashSet<String>) {
    let (mut earlier, mut before) = (' ', ' ');
    for tree in tokens {
        let mark = match &tree {
            TokenTree::Punct(mark) => mark.as_char(),
            _ => ' ',
        };
        match tree {
            TokenTree::Ident(name) if before != '.' || earlier == '.' => {
                all.insert(bare(&name.to_string()).to_owned());
            }
            TokenTree::Group(group) => free_words(group.stream(), all),
            _ => {}
        }
        (earlier, before) = (before, mark);
    }
}

/// A number that tells a function's text from others: FNV-1a over its tokens, which spaces and comments between them don't change.
pub(crate) fn fingerprint(sig: &syn::Signature, block: &syn::Block) -> u64 {
    fn add(tokens: TokenStream, hash: &mut u64) {
        for token in tokens {
            let (text, inner) = match token {
                TokenTree::Group(group) => {
                    (format!("{:?}", group.delimiter()), Some(group.stream()))
                }
                token => (token.to_string(), None),
            };
            for byte in text.bytes().chain([0]) {
                *hash = (*hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
            }
            if let Some(inner) = inner {
                add(inner, hash);
                add(quote!(;), hash);
            }
        }
    }
    let mut hash = 0xcbf2_9ce4_8422_2325;
    add(quote!(#sig #block), &mut hash);
    hash
}
