//! A chapter that rustdoc reads, as a page for mdBook.

use crate::Result;
use crate::documentation::Documentation;
use pulldown_cmark::{
    BrokenLink, CodeBlockKind, CowStr, Event, LinkType, Options, Parser, Tag, TagEnd,
};
use std::cell::RefCell;
use std::ops::Range;

/// The names and the titles of the book's chapters, by which links between them are found.
pub(crate) struct Titles(pub(crate) Vec<(String, String)>);

impl Titles {
    fn of(&self, name: &str) -> Option<&str> {
        let found = self.0.iter().find(|(of, _)| of == name);
        found.map(|(_, title)| title.as_str())
    }
}

/// A replacement of a part of the text.
type Edit = (Range<usize>, String);

/// Rewrites a chapter:
///
/// - links to chapters of the guide, `crate::guide::cost#memory`, and to items, `crate::Matrix`; any other link of rustdoc is an error;
/// - links into a module whose feature is off in the documentation become their text;
/// - the name of a chapter in code, "the chapter `cost`", which rustdoc can't link to without the feature of the chapter, becomes a link;
/// - headings are those of sections of a page that has a title;
/// - code blocks without a language are Rust.
pub(crate) fn chapter(
    name: &str,
    text: &str,
    titles: &Titles,
    documentation: &Documentation,
) -> Result<String> {
    let title = titles.of(name).ok_or("a chapter without a title")?;
    let unresolved = RefCell::new(Vec::new());
    let unknown = |link: BrokenLink| {
        if link.reference.starts_with('`') || link.reference.contains("::") {
            unresolved.borrow_mut().push(link.reference.to_string());
        }
        None::<(CowStr, CowStr)>
    };
    let options = Options::ENABLE_TABLES | Options::ENABLE_FOOTNOTES;
    let parser = Parser::new_with_broken_link_callback(text, options, Some(unknown));
    let mut edits: Vec<Edit> = Vec::new();
    let mut headings = Vec::new();
    let mut link_depth = 0;
    for (event, range) in parser.into_offset_iter() {
        let source = &text[range.clone()];
        match event {
            Event::Start(Tag::Link {
                link_type,
                dest_url,
                ..
            }) => {
                link_depth += 1;
                if documentation.is_without(&dest_url) {
                    let end = source.rfind("](").ok_or("a link without address")?;
                    edits.push((range.start..range.start + 1, String::new()));
                    edits.push((range.start + end..range.end, String::new()));
                    continue;
                }
                let new = address(&dest_url, titles, documentation)
                    .map_err(|error| format!("{name}: {error}"))?;
                if new == *dest_url {
                    continue;
                }
                if link_type != LinkType::Inline {
                    return Err(format!("{name}: write the address in the link: {source}").into());
                }
                let start = source.rfind(&*dest_url).ok_or("a link without address")?;
                let start = range.start + start;
                edits.push((start..start + dest_url.len(), new));
            }
            Event::End(TagEnd::Link) => link_depth -= 1,
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(language))) => {
                let fence = source.len() - source.trim_start_matches('`').len();
                let at = range.start + fence;
                if language.is_empty() {
                    edits.push((at..at, "rust".to_owned()));
                } else if !["text", "toml", "rust"].contains(&&*language) {
                    // An attribute of rustdoc, such as `compile_fail`.
                    edits.push((at..at, "rust,".to_owned()));
                }
            }
            Event::Start(Tag::Heading { level, .. }) => {
                headings.push((level as usize, range.start));
            }
            Event::Code(code) if link_depth == 0 => {
                if let Some(title) = titles.of(&code)
                    && ["chapter ", "chapters ", "guide's "]
                        .iter()
                        .any(|word| text[..range.start].ends_with(word))
                {
                    edits.push((range, format!("[{title}]({code}.md)")));
                }
            }
            _ => {}
        }
    }
    if let Some(link) = unresolved.into_inner().first() {
        return Err(format!("{name}: the link [{link}] has no address").into());
    }
    // Below the title, which is of the first level.
    if headings.iter().any(|(level, _)| *level == 1) {
        edits.extend(headings.iter().map(|(_, at)| (*at..*at, "#".to_owned())));
    }
    Ok(format!("# {title}\n\n{}", applied(text, edits)))
}

/// The address of a link in the book.
fn address(address: &str, titles: &Titles, documentation: &Documentation) -> Result<String> {
    if address.starts_with("https://") || address.starts_with('#') {
        return Ok(address.to_owned());
    }
    let (path, anchor) = match address.split_once('#') {
        Some((path, anchor)) => (path, format!("#{anchor}")),
        None => (address, String::new()),
    };
    if let Some(chapter) = path.strip_prefix("crate::guide::") {
        return match titles.of(chapter) {
            Some(_) => Ok(format!("{chapter}.md{anchor}")),
            None => {
                Err(format!("a link to the chapter `{chapter}`, which isn't in SUMMARY.md").into())
            }
        };
    }
    // A file of the book's own, in chapters that rustdoc doesn't read.
    if let Some(chapter) = path.strip_suffix(".md")
        && titles.of(chapter).is_some()
    {
        return Ok(address.to_owned());
    }
    // The book and the crate's documentation are folders side by side.
    Ok(format!(
        "../doc/chainrule/{}{anchor}",
        documentation.page(path)?
    ))
}

fn applied(text: &str, mut edits: Vec<Edit>) -> String {
    edits.sort_by_key(|(range, _)| range.start);
    let (mut result, mut end) = (String::new(), 0);
    for (range, new) in edits {
        result.push_str(&text[end..range.start]);
        result.push_str(&new);
        end = range.end;
    }
    result.push_str(&text[end..]);
    result
}

#[cfg(test)]
mod tests {
    use super::{Titles, chapter};
    use crate::documentation::Documentation;
    use std::path::Path;

    fn rewritten(text: &str) -> Result<String, String> {
        let titles = [("cost", "Cost"), ("speed", "Performance")];
        let titles = Titles(titles.map(|(a, b)| (a.into(), b.into())).into());
        let documentation = Documentation::at(Path::new("absent"));
        chapter("cost", text, &titles, &documentation).map_err(|error| error.to_string())
    }

    #[test]
    fn links_lead_to_chapters() {
        assert_eq!(
            rewritten("A [b](crate::guide::speed#memory), [c](#d), the chapter `speed`, `speed`."),
            Ok("# Cost\n\nA [b](speed.md#memory), [c](#d), the chapter [Performance](speed.md), `speed`.".into())
        );
    }

    #[test]
    fn links_to_modules_that_are_left_out_are_text() {
        assert_eq!(
            rewritten("[`join`](fn@crate::mpi::join) and [all](crate::mpi)."),
            Ok("# Cost\n\n`join` and all.".into())
        );
    }

    #[test]
    fn unknown_links_are_errors() {
        for text in [
            "[a](crate::guide::absent)",
            "[a](crate::Absent)",
            "[a](absent.md)",
            "[`Matrix`]",
            "[a][b]\n\n[b]: crate::guide::speed",
            "[a](http://example.com)",
        ] {
            assert!(rewritten(text).is_err(), "{text}");
        }
        assert!(rewritten("`x[i]`, and x[0] in text").is_ok());
    }

    #[test]
    fn headings_and_code() {
        assert_eq!(
            rewritten("# A\n\n```\n# hidden\n```\n\n## B\n\n```compile_fail\n```\n\n```text\n```\n"),
            Ok("# Cost\n\n## A\n\n```rust\n# hidden\n```\n\n### B\n\n```rust,compile_fail\n```\n\n```text\n```\n".into())
        );
        assert_eq!(rewritten("## A\n"), Ok("# Cost\n\n## A\n".into()));
    }
}
