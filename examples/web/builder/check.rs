//! Checks the page in a browser: it uses its own controls, and its fits have to be those of native code.

use crate::Result;
use crate::browser::Browser;
use chainrule_web::data::{POINTS, STARTS};
use chainrule_web::fit::{Fit, Method};
use serde_json::Value;
use std::fs;
use std::path::Path;

/// Width and height of the windows in which the page is tried.
const WINDOWS: [(u32, u32); 2] = [(1360, 1000), (420, 800)];
/// Width and height of the pictures, whether they are dark, and the part of the page's address that says how it opens.
const PICTURES: [(&str, (u32, u32), bool, &str); 3] = [
    ("light", (1360, 1980), false, "#steps=12"),
    ("dark", (1360, 1980), true, "#steps=400"),
    ("narrow", (420, 3000), false, "#steps=12"),
];

/// Opens the page, compares what it reports, and takes pictures.
pub(crate) fn run(folder: &Path, page: &Path) -> Result<()> {
    let Some(browser) = Browser::find(folder) else {
        println!("browser     skipped: Chromium isn't installed, or isn't on the path");
        return Ok(());
    };
    let page = fs::canonicalize(page)?;
    let url = format!("file://{}", page.display());
    for size in WINDOWS {
        let document = browser.document(&format!("{url}#check"), size)?;
        let report = report(&document)?;
        let actions = actions(&report)?;
        let (fits, largest) = fits(&report)?;
        println!(
            "browser     {actions} actions on the page, {} pixels wide; {fits} fits within {largest:.0e} of native ones",
            size.0
        );
    }
    for (name, size, is_dark, how) in PICTURES {
        let file = folder.join(format!("{name}.png"));
        browser.screenshot(&format!("{url}{how}"), &file, size, is_dark)?;
        println!("picture     {}", file.display());
    }
    Ok(())
}

/// The report that the page writes into itself.
fn report(document: &str) -> Result<Value> {
    let start = r#"<script type="application/json" id="report">"#;
    let (_, rest) = document
        .split_once(start)
        .ok_or("the page writes no report, so its scripts fail or take too long")?;
    let (json, _) = rest
        .split_once("</script>")
        .ok_or("the report has no end")?;
    Ok(serde_json::from_str(json)?)
}

/// The number of actions that the page tried on itself; an error if one didn't do what it should.
fn actions(report: &Value) -> Result<usize> {
    let actions = report["actions"]
        .as_array()
        .ok_or("the page tried nothing")?;
    let failed: Vec<String> = actions
        .iter()
        .filter(|action| action["ok"] != true)
        .map(|action| format!("{}: {}", action["name"], action["detail"]))
        .collect();
    if failed.is_empty() {
        return Ok(actions.len());
    }
    Err(format!("the page fails:\n{}", failed.join("\n")).into())
}

/// The number of fits, and their largest difference to native ones; an error if one isn't the native one.
fn fits(report: &Value) -> Result<(usize, f64)> {
    let fits = report["fits"].as_array().ok_or("the page fitted nothing")?;
    if fits.len() != 2 * (STARTS.len() - 1) {
        return Err(format!("the page reports {} fits", fits.len()).into());
    }
    let mut largest = 0.0_f64;
    for found in fits {
        let start = usize::try_from(found["start"].as_u64().ok_or("a start is missing")?)?;
        // Gradient descent ends where rounding hides the decrease, and that is early.
        let (method, tolerance) = if found["marquardt"] == true {
            (Method::Marquardt, 1e-9)
        } else {
            (Method::Descent, 1e-5)
        };
        let difference = difference(found, &natively(start, method))?;
        if difference > tolerance {
            return Err(format!(
                "{method:?} from start {start} ends {difference:.1e} away from the native fit: {found}"
            )
            .into());
        }
        largest = largest.max(difference);
    }
    Ok((fits.len(), largest))
}

/// The largest difference of the sum of squares and the parameters.
fn difference(found: &Value, expected: &Fit) -> Result<f64> {
    let number = |value: &Value| value.as_f64().ok_or("a number of the page is missing");
    let mut largest = (number(&found["value"])? - expected.value()).abs();
    for (i, expected) in expected.parameters().iter().enumerate() {
        largest = largest.max((number(&found["parameters"][i])? - expected).abs());
    }
    Ok(largest)
}

/// The fit at rest.
fn natively(start: usize, method: Method) -> Fit {
    let mut fit = Fit::new(STARTS[start], &POINTS);
    while !fit.is_at_rest() {
        fit.step(method);
    }
    fit
}
