//! Attributes and token streams that nobody would write: the macros end, never panic, and point into the input.
//!
//! Functions, types and attributes of this repository's tests are mutated: tokens and statements are deleted, repeated, exchanged, and
//! taken from elsewhere. `CHAINRULE_FUZZ_CASES` sets how many cases run, `CHAINRULE_FUZZ_SEED` the seed.

mod corpus;
mod mutate;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc;
use std::time::Duration;

use proc_macro2::{Span, TokenStream, TokenTree};

use corpus::{Corpus, Kind, Sample};
use mutate::Random;

/// The number of cases that run by default.
const CASES: usize = 150;

/// The time that one case may take, on a machine that does something else as well.
const LIMIT: Duration = Duration::from_secs(60);

#[derive(Default, Debug)]
struct Count {
    accepted: usize,
    refused: usize,
    unread: usize,
}

/// A macro's arguments and its item, as text.
#[derive(Clone, Debug)]
struct Case {
    kind: Kind,
    attr: String,
    item: String,
}

fn expanded(case: &Case, attr: TokenStream, item: TokenStream) -> Option<TokenStream> {
    Some(match case.kind {
        Kind::Differentiable => crate::entry::differentiable(attr, &item, None),
        Kind::Primitive => crate::entry::primitive(attr, &item, None),
        Kind::Derive => crate::derive::expand(syn::parse2(item).ok()?, None),
        Kind::Closure => crate::entry::closure::closure(item),
        Kind::CheckRules => crate::entry::check_rules::check(item),
    })
}

/// Returns the fault of the expansion, if it has one.
fn judge(case: &Case, count: &mut Count) -> Result<(), String> {
    // In one text, which is the file of all spans.
    let text = format!("({}) {{{}}}", case.attr, case.item);
    let Ok(both) = text.parse::<TokenStream>() else {
        count.unread += 1;
        return Ok(());
    };
    let file = both
        .clone()
        .into_iter()
        .next()
        .map(|token| token.span().file());
    let parts: Vec<TokenStream> = both
        .into_iter()
        .filter_map(|token| match token {
            TokenTree::Group(group) => Some(group.stream()),
            _ => None,
        })
        .collect();
    let [attr, item] =
        <[TokenStream; 2]>::try_from(parts).map_err(|_| "not two groups".to_owned())?;
    let outcome = catch_unwind(AssertUnwindSafe(|| expanded(case, attr, item)));
    let output = match outcome {
        Ok(Some(output)) => output,
        Ok(None) => {
            count.unread += 1;
            return Ok(());
        }
        Err(_) => return Err("it panics".to_owned()),
    };
    let mut errors = Vec::new();
    errors_in(output.clone(), &mut errors);
    for (span, message) in &errors {
        if message.contains("a bug in chainrule") {
            return Err(message.clone());
        }
        let here = Span::call_site().file();
        let found = span.file();
        if Some(&found) != file.as_ref() && found != here {
            return Err(format!("an error stands outside of the input: {message}"));
        }
    }
    if errors.is_empty() {
        count.accepted += 1;
        return parses(case, &output);
    }
    count.refused += 1;
    Ok(())
}

/// An expansion without an error is Rust code.
fn parses(case: &Case, output: &TokenStream) -> Result<(), String> {
    if let Kind::Closure | Kind::CheckRules = case.kind {
        return syn::parse2::<syn::Expr>(output.clone())
            .map(drop)
            .or_else(|_| syn::parse2::<syn::Block>(quote::quote!({ #output })).map(drop))
            .map_err(|error| format!("what is emitted isn't an expression: {error}"));
    }
    let Err(error) = syn::parse2::<syn::File>(output.clone()) else {
        return Ok(());
    };
    let as_method = quote::quote!(impl T { #output });
    match syn::parse2::<syn::ItemImpl>(as_method) {
        Ok(_) => Ok(()),
        Err(_) => Err(format!("what is emitted doesn't parse: {error}")),
    }
}

/// Where each `compile_error!` stands, and its text.
fn errors_in(tokens: TokenStream, found: &mut Vec<(Span, String)>) {
    let mut before: Option<Span> = None;
    for token in tokens {
        match token {
            TokenTree::Ident(ident) if ident == "compile_error" => before = Some(ident.span()),
            TokenTree::Punct(_) => {}
            TokenTree::Group(group) => match before.take() {
                Some(span) => found.push((span, group.stream().to_string())),
                None => errors_in(group.stream(), found),
            },
            _ => before = None,
        }
    }
}

/// Runs cases one after the other, in a thread that is watched.
fn run(seed: u64, cases: usize) -> Count {
    let (tell, told) = mpsc::channel::<Result<Case, Count>>();
    let worker = std::thread::Builder::new().stack_size(256 << 20);
    let worker = worker.spawn(move || {
        let corpus = Corpus::read();
        let mut random = Random::new(seed);
        let mut count = Count::default();
        let mut found = Vec::new();
        for _ in 0..cases {
            let case = case(&corpus, &mut random);
            let _ = tell.send(Ok(case.clone()));
            if let Err(why) = judge(&case, &mut count) {
                let Case { kind, attr, item } = case;
                let report = format!("{why}\n{kind:?} ({attr})\n{item}\n");
                println!("{report}");
                found.push(report);
            }
        }
        let _ = tell.send(Err(count));
        assert!(
            found.is_empty(),
            "seed {seed}, {} of {cases} cases:\n{}",
            found.len(),
            found.join("\n")
        );
    });
    let worker = worker.expect("a thread");
    let mut last = None;
    let count = loop {
        match told.recv_timeout(LIMIT) {
            Ok(Ok(case)) => last = Some(case),
            Ok(Err(count)) => break count,
            Err(mpsc::RecvTimeoutError::Timeout) => panic!("seed {seed}: no end of {last:?}"),
            Err(mpsc::RecvTimeoutError::Disconnected) => break Count::default(),
        }
    };
    if let Err(payload) = worker.join() {
        std::panic::resume_unwind(payload);
    }
    count
}

/// A sample with another attribute, other tokens, or both.
fn case(corpus: &Corpus, random: &mut Random) -> Case {
    let sample = random.of(&corpus.samples);
    let Sample { kind, attr, item } = sample.clone();
    let (mut attr, mut item) = (attr, item);
    if random.below(3) == 0 {
        attr = mutate::attribute(&attr, kind, corpus, random);
    } else {
        let other = random.of(&corpus.samples);
        item = mutate::tokens(&item, &other.item, random);
    }
    let (attr, item) = (attr.to_string(), item.to_string());
    Case { kind, attr, item }
}

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

#[test]
fn mutants_of_a_fixed_seed() {
    let count = run(1, CASES);
    assert!(count.accepted > CASES / 20, "{count:?}");
    assert!(count.refused > CASES / 20, "{count:?}");
}

/// Run by hand, with more cases: `CHAINRULE_FUZZ_CASES=5000 cargo test -p ad-macros --lib fuzz -- --ignored --nocapture`.
#[test]
#[ignore = "a fresh seed may fail on a function that has nothing to do with a change"]
fn mutants_of_a_fresh_seed() {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let fresh = now.map_or(2, |now| u64::from(now.subsec_nanos()));
    let seed = number("CHAINRULE_FUZZ_SEED").unwrap_or(fresh);
    let cases = number("CHAINRULE_FUZZ_CASES").and_then(|cases| usize::try_from(cases).ok());
    let cases = cases.unwrap_or(CASES);
    println!("CHAINRULE_FUZZ_SEED={seed} CHAINRULE_FUZZ_CASES={cases}");
    println!("{:?}", run(seed, cases));
}
