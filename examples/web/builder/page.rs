//! Puts the page together: one file that needs no server.

use crate::Result;
use crate::compile::Module;
use crate::emitted::Rule;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use std::fmt::Write;
use std::fs;
use std::path::Path;

/// The scripts of the page, in the order in which they use each other.
const SCRIPTS: [&str; 7] = [
    "numbers.js",
    "svg.js",
    "chart.js",
    "history.js",
    "code.js",
    "page.js",
    "check.js",
];

/// The page, from the files in `folder`.
pub(crate) fn assemble(folder: &Path, module: &Module, rules: &[Rule]) -> Result<String> {
    let read = |name: &str| {
        fs::read_to_string(folder.join(name)).map_err(|error| format!("page/{name}: {error}"))
    };
    let mut scripts = String::new();
    for name in SCRIPTS {
        let _ = writeln!(scripts, "// {name}\n{}", read(name)?);
    }
    let parts = [
        ("style", read("style.css")?),
        ("bindings", module.js.clone()),
        ("wasm", STANDARD.encode(&module.wasm)),
        ("scripts", scripts),
        ("tabs", tabs(rules)),
        ("panels", panels(rules)),
    ];
    if let Some((name, _)) = parts[..4]
        .iter()
        .find(|(_, text)| text.contains("</script"))
    {
        return Err(format!("the part {name} of the page would end its script").into());
    }
    fill(&read("index.html")?, &parts)
}

/// The template, with each `{{name}}` replaced by the part of that name.
fn fill(template: &str, parts: &[(&str, String)]) -> Result<String> {
    let mut page = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once("{{") {
        let (name, after) = after
            .split_once("}}")
            .ok_or("the template has {{ without }}")?;
        let part = parts.iter().find(|(of, _)| *of == name);
        let (_, text) = part.ok_or_else(|| format!("the template asks for {name}"))?;
        page.push_str(before);
        page.push_str(text.trim_end());
        rest = after;
    }
    page.push_str(rest);
    Ok(page)
}

/// One button for each rule. The first one is chosen.
fn tabs(rules: &[Rule]) -> String {
    let mut html = String::new();
    for (k, rule) in rules.iter().enumerate() {
        let (selected, index) = if k == 0 {
            ("true", "0")
        } else {
            ("false", "-1")
        };
        let _ = writeln!(
            html,
            r#"<button type="button" role="tab" id="tab-{k}" aria-controls="rule-{k}" aria-selected="{selected}" tabindex="{index}">{}</button>"#,
            escape(rule.title)
        );
    }
    html
}

fn panels(rules: &[Rule]) -> String {
    let mut html = String::new();
    for (k, rule) in rules.iter().enumerate() {
        let hidden = if k == 0 { "" } else { " hidden" };
        let _ = writeln!(
            html,
            r#"<pre role="tabpanel" id="rule-{k}" aria-labelledby="tab-{k}" tabindex="0"{hidden}><code class="rust">{}</code></pre>"#,
            escape(rule.code.trim_end())
        );
    }
    html
}

/// Text as HTML.
fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::{escape, fill};

    #[test]
    fn fills_each_place_once() {
        let parts = [("a", "{{b}}".to_string()), ("b", "2\n".to_string())];
        assert_eq!(fill("<{{a}}|{{b}}>", &parts).expect("filled"), "<{{b}}|2>");
        assert!(fill("{{c}}", &parts).is_err());
        assert!(fill("{{a", &parts).is_err());
    }

    #[test]
    fn escapes_markup() {
        assert_eq!(escape("a < b && c > d"), "a &lt; b &amp;&amp; c &gt; d");
    }
}
