//! The names and the links in a page.

use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{
    BufferQueue, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};
use std::cell::RefCell;
use std::collections::BTreeSet;

/// What a page has, and what it leads to.
#[derive(Default)]
pub(crate) struct Page {
    /// The names of its elements.
    pub(crate) ids: BTreeSet<String>,
    /// The addresses of links, pictures, scripts and styles.
    pub(crate) links: BTreeSet<String>,
}

struct Sink(RefCell<Page>);

impl TokenSink for Sink {
    type Handle = ();

    fn process_token(&self, token: Token, _line: u64) -> TokenSinkResult<()> {
        if let Token::TagToken(tag) = token {
            let mut page = self.0.borrow_mut();
            for attribute in tag.attrs {
                let value = attribute.value.to_string();
                match &*attribute.name.local {
                    "id" => page.ids.insert(value),
                    "href" | "src" => page.links.insert(value),
                    _ => true,
                };
            }
        }
        TokenSinkResult::Continue
    }
}

/// Reads the text of a page.
pub(crate) fn page(text: &str) -> Page {
    let input = BufferQueue::default();
    input.push_back(StrTendril::from(text));
    let tokenizer = Tokenizer::new(Sink(RefCell::default()), TokenizerOpts::default());
    let _ = tokenizer.feed(&input);
    tokenizer.end();
    tokenizer.sink.0.into_inner()
}

#[cfg(test)]
mod tests {
    #[test]
    fn reads_attributes_of_tags_only() {
        let page = super::page(
            "<!-- <a href='no'> --><p id=a>href=\"no\" <a class=\"x\" href='b#c&amp;d'>e</a><img src=f.svg>",
        );
        assert_eq!(page.ids.into_iter().collect::<Vec<_>>(), ["a"]);
        assert_eq!(
            page.links.into_iter().collect::<Vec<_>>(),
            ["b#c&d", "f.svg"]
        );
    }
}
