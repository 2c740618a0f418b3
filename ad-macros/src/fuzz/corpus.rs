//! Functions, types and attributes of this repository's tests.

use std::path::Path;

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::visit::Visit;

use crate::paths::last_name;
use crate::registry::sources;

/// Which macro is expanded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Differentiable,
    Primitive,
    Derive,
    Closure,
    Derivative,
    CheckRules,
    ExamineRules,
}

#[derive(Clone)]
pub(super) struct Sample {
    pub(super) kind: Kind,
    pub(super) attr: TokenStream,
    /// Without the attribute that is expanded.
    pub(super) item: TokenStream,
}

#[derive(Default)]
pub(super) struct Corpus {
    pub(super) samples: Vec<Sample>,
    /// Texts of files.
    pub(super) files: Vec<String>,
}

/// Stands in where the tests aren't there, as in a package.
const ALONE: &str = r#"
#[differentiable]
fn f(x: &[f64], n: usize) -> f64 {
    let mut s = 0.0;
    for i in 0..n {
        if x[i] > 0.0 { s += x[i] * x[i]; } else { break; }
    }
    s
}
#[differentiable(nested)]
fn g(v: &mut Vec<f64>, #[constant] k: usize) -> Option<f64> {
    let t = v.get(k)?;
    Some(match k { 0 => t * 2.0, _ => t.sin() })
}
#[primitive(partials(x = x.cos()))]
fn h(x: f64) -> f64 { x.sin() }
#[derive(Differentiable)]
#[tangent(name = Moved)]
struct P<T> { x: T, #[constant] n: usize }
#[differentiable]
impl P<f64> { fn m(&self, y: f64) -> f64 { self.x * y } }
"#;

impl Corpus {
    pub(super) fn read() -> Corpus {
        let mut corpus = Corpus::default();
        let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests");
        let mut files = Vec::new();
        sources(&tests, &mut files);
        files.sort();
        for file in files {
            if let Ok(text) = std::fs::read_to_string(file)
                && let Ok(parsed) = syn::parse_file(&text)
            {
                corpus.visit_file(&parsed);
                if text.len() < 20_000 && text.contains("differentiable") {
                    corpus.files.push(text);
                }
            }
        }
        corpus.files.push(ALONE.to_owned());
        corpus.visit_file(&syn::parse_file(ALONE).expect("it parses"));
        corpus.add_alone();
        corpus
    }

    fn add_alone(&mut self) {
        let closures = [
            "|x: &[f64]| { let mut t = 0.0; for v in x { t += v * v; } t }",
            "|x: f64, y: f64| -> f64 { x * y.sin() }",
        ];
        let derivatives = [
            "|t: f64| t * t; 1.0",
            "|t: f64| { let mut s = t; while s < 9.0 { s *= 2.0; } s.ln() }; x + 1.0",
        ];
        let checks = ["f, &x, 2.0", "Model::logp, &model, &x; order = 1, seed = 7"];
        for (kind, texts) in [
            (Kind::Closure, closures),
            (Kind::Derivative, derivatives),
            (Kind::CheckRules, checks),
            (Kind::ExamineRules, checks),
        ] {
            for _ in 0..10 {
                for text in texts {
                    self.samples.push(Sample {
                        kind,
                        attr: TokenStream::new(),
                        item: text.parse().expect("tokens"),
                    });
                }
            }
        }
    }

    fn add(&mut self, attrs: &[syn::Attribute], item: &dyn ToTokens) {
        for attr in attrs {
            let name = last_name(attr.path());
            let tokens = match &attr.meta {
                syn::Meta::List(list) => list.tokens.clone(),
                _ => TokenStream::new(),
            };
            let kind = match name.as_deref() {
                Some("differentiable") => Kind::Differentiable,
                Some("primitive") => Kind::Primitive,
                Some("derive") if tokens.to_string().contains("Differentiable") => Kind::Derive,
                _ => continue,
            };
            self.samples.push(Sample {
                kind,
                attr: tokens,
                item: item.to_token_stream(),
            });
        }
    }
}

fn without(attrs: &[syn::Attribute]) -> Vec<syn::Attribute> {
    let own = ["differentiable", "primitive", "derive", "doc"];
    let stays = |attr: &&syn::Attribute| {
        let last = attr.path().segments.last();
        last.is_none_or(|name| !own.iter().any(|own| name.ident == own))
    };
    attrs.iter().filter(stays).cloned().collect()
}

/// Items of a kind, and those in them.
macro_rules! items {
    ($($visit:ident: $Item:ident,)*) => {
        impl<'ast> Visit<'ast> for Corpus {
            $(fn $visit(&mut self, item: &'ast syn::$Item) {
                let attrs = without(&item.attrs);
                self.add(&item.attrs, &syn::$Item { attrs, ..item.clone() });
                syn::visit::$visit(self, item);
            })*
        }
    };
}

items! {
    visit_item_fn: ItemFn,
    visit_item_impl: ItemImpl,
    visit_impl_item_fn: ImplItemFn,
    visit_item_trait: ItemTrait,
    visit_item_struct: ItemStruct,
    visit_item_enum: ItemEnum,
}
