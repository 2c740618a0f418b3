//! Looks for the bodies of an item's functions in its expansion.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::ToTokens;
use syn::visit::Visit;

/// The first body of a function of `item` that isn't in `output`, but for attributes.
pub(super) fn lost(item: TokenStream, output: TokenStream) -> Option<String> {
    let mut bodies = Bodies::default();
    if let Ok(item) = syn::parse2::<syn::Item>(item.clone()) {
        bodies.visit_item(&item);
    } else if let Ok(method) = syn::parse2::<syn::ImplItemFn>(item) {
        bodies.visit_impl_item_fn(&method);
    }
    let output = text(output);
    bodies.found.into_iter().find(|body| !output.contains(body))
}

/// The bodies, but for those with loops whose attribute the expansion replaces.
#[derive(Default)]
struct Bodies {
    found: Vec<String>,
}

impl<'ast> Visit<'ast> for Bodies {
    fn visit_block(&mut self, block: &'ast syn::Block) {
        // In front of the statements of a method stand checks of the facts from the file.
        let tokens: TokenStream = block.stmts.iter().map(ToTokens::to_token_stream).collect();
        if !tokens.to_string().contains("checkpoint") {
            self.found.push(text(tokens));
        }
    }
}

/// The tokens without attributes.
fn text(tokens: TokenStream) -> String {
    let mut text = String::new();
    write(tokens, &mut text);
    text
}

fn write(tokens: TokenStream, text: &mut String) {
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    Delimiter::Parenthesis => ("(", ")"),
                    Delimiter::Brace => ("{", "}"),
                    Delimiter::Bracket => ("[", "]"),
                    Delimiter::None => ("", ""),
                };
                text.push_str(open);
                write(group.stream(), text);
                text.push_str(close);
            }
            TokenTree::Punct(punct) if punct.as_char() == '#' => {
                let is_inner =
                    |next: &TokenTree| matches!(next, TokenTree::Punct(p) if p.as_char() == '!');
                tokens.next_if(is_inner);
                tokens.next_if(|next| matches!(next, TokenTree::Group(_)));
            }
            other => {
                text.push_str(&other.to_string());
                text.push(' ');
            }
        }
    }
}
