//! Attributes and token streams that nobody would write: the macros end, never panic, point into the input, and leave the functions as they are.
//!
//! Functions, types and attributes of this repository's tests are mutated: tokens and statements are deleted, repeated, exchanged, and
//! taken from elsewhere; attributes are made of options as well. A third of the items stand in a file, which is another one than rustc reads.
//! `CHAINRULE_FUZZ_CASES` sets how many cases run, `CHAINRULE_FUZZ_SEED` the seed.

mod corpus;
mod deep;
mod kept;
mod mutate;

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::mpsc;
use std::time::Duration;

use proc_macro2::{Span, TokenStream, TokenTree};

use crate::enclosing::Site;
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
    /// Messages of errors that stand at the macro as a whole.
    at_the_macro: BTreeMap<String, usize>,
}

/// A macro's arguments and its item, as text.
#[derive(Clone, Debug)]
struct Case {
    kind: Kind,
    attr: String,
    item: String,
    /// The file around it.
    around: Option<(String, String)>,
}

impl Case {
    /// Writes the file, and says where in it the attribute is.
    fn site(&self, path: &Path) -> Option<Site> {
        let (before, after) = self.around.as_ref()?;
        let text = format!("{before}\n#[a({})]\n{}\n{after}", self.attr, self.item);
        std::fs::write(path, text).ok()?;
        let line = before.bytes().filter(|byte| *byte == b'\n').count() + 2;
        let (file, column) = (path.to_owned(), 1);
        Some(Site { file, line, column })
    }
}

/// As the macros in `lib.rs`, which would catch a panic.
fn expanded(kind: Kind, attr: TokenStream, item: TokenStream, site: Option<&Site>) -> TokenStream {
    match kind {
        Kind::Differentiable => crate::entry::differentiable(attr, &item, site),
        Kind::Primitive => crate::entry::primitive(attr, &item, site),
        Kind::Derive => crate::derive::derive(item, site),
        Kind::Closure => crate::entry::closure::closure(item),
        Kind::Derivative => crate::entry::closure::derivative(item),
        Kind::CheckRules => crate::entry::check_rules::check(item),
        Kind::ExamineRules => crate::entry::check_rules::examine(item),
    }
}

/// Returns the fault of the expansion, if it has one.
fn judge(case: &Case, path: &Path, count: &mut Count) -> Result<(), String> {
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
    let (site, input) = (case.site(path), item.clone());
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        expanded(case.kind, attr, item, site.as_ref())
    }));
    let output = outcome.map_err(|_| "it panics".to_owned())?;
    if let Kind::Differentiable | Kind::Primitive = case.kind
        && let Some(lost) = kept::lost(input, output.clone())
    {
        return Err(format!("the body of a function isn't as it was: {lost}"));
    }
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
        if message.trim_matches(['"', ' ']).is_empty() {
            return Err("an error without a message".to_owned());
        }
        if found == here {
            let first = message.split("\\n").next().unwrap_or_default();
            *count.at_the_macro.entry(first.to_owned()).or_default() += 1;
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
    if let Kind::Closure | Kind::Derivative | Kind::CheckRules | Kind::ExamineRules = case.kind {
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
        let file = format!("chainrule_fuzz_{}_{seed}.rs", std::process::id());
        let path = std::env::temp_dir().join(file);
        for _ in 0..cases {
            let case = case(&corpus, &mut random);
            let _ = tell.send(Ok(case.clone()));
            if let Err(why) = judge(&case, &path, &mut count) {
                let Case {
                    kind,
                    attr,
                    item,
                    around,
                } = case;
                let around = around.map(|(before, after)| format!("in {before}\n@\n{after}\n"));
                let around = around.unwrap_or_default();
                let report = format!("{why}\n{kind:?} ({attr})\n{item}\n{around}");
                println!("{report}");
                found.push(report);
            }
        }
        let _ = std::fs::remove_file(path);
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
    let has_attribute = matches!(kind, Kind::Differentiable | Kind::Primitive);
    let part = random.below(4);
    if part == 0 && has_attribute {
        attr = mutate::attribute(&attr, &item, kind, corpus, random);
    } else if part > 0 || !has_attribute {
        let other = random.of(&corpus.samples);
        item = mutate::tokens(&item, &other.item, random);
    }
    let around = (random.below(3) == 0).then(|| {
        let file = random.of(&corpus.files).clone();
        mutate::file(&file, random)
    });
    let (attr, item) = (attr.to_string(), item.to_string());
    Case {
        kind,
        attr,
        item,
        around,
    }
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
    println!("{:#?}", run(seed, cases));
}
