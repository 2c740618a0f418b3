//! Compares derivatives that WebAssembly computes under Node with native ones.

use crate::Result;
use crate::compile::{GLOBAL, Module};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use chainrule_web::arithmetic;
use chainrule_web::bridge::Session;
use serde_json::Value;
use std::fs;
use std::io;
use std::path::Path;
use std::process::Command;

/// The largest relative difference of a value or a derivative with `exp`, `sin` and `cos`, which two libraries of functions may round
/// differently.
const TOLERANCE: f64 = 1e-13;

/// Runs a script that prints the bits of derivatives, and compares them.
pub(crate) fn check(folder: &Path, module: &Module) -> Result<()> {
    let file = folder.join("derivatives.js");
    let base64 = STANDARD.encode(&module.wasm);
    let script = format!(
        r#"{js}
{GLOBAL}.initSync({{ module: Buffer.from("{base64}", "base64") }});
const bits = (numbers) => Array.from(new BigUint64Array(Float64Array.from(numbers).buffer), String);
const session = new {GLOBAL}.Session();
const results = [];
for (let k = 0; k < 4; k++) {{
    results.push(session.value(), ...session.gradient());
    session.next_start();
}}
console.log(JSON.stringify({{ exact: bits({GLOBAL}.exact_arithmetic()), close: bits(results) }}));
"#,
        js = module.js
    );
    fs::write(&file, script)?;
    let output = match Command::new("node").arg(&file).output() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            println!("derivatives skipped: node isn't installed");
            return Ok(());
        }
        output => output?,
    };
    if !output.status.success() {
        let message = String::from_utf8_lossy(&output.stderr);
        return Err(format!("node fails:\n{message}").into());
    }
    let printed: Value = serde_json::from_slice(&output.stdout)?;
    let exact = numbers(&printed["exact"])?;
    let expected = arithmetic();
    if !same(&exact, &expected, |a, b| a.to_bits() == b.to_bits()) {
        return Err("derivatives by + - * / and roots have other bits in WebAssembly".into());
    }
    let close = numbers(&printed["close"])?;
    if !same(&close, &natively(), is_close) {
        return Err("derivatives with exp, sin and cos differ in WebAssembly".into());
    }
    println!(
        "derivatives {} with the bits of native ones, {} with exp, sin and cos within {TOLERANCE:.0e} of them",
        exact.len(),
        close.len()
    );
    Ok(())
}

fn natively() -> Vec<f64> {
    let mut session = Session::new();
    let mut all = Vec::new();
    for _ in 0..4 {
        all.push(session.value());
        all.extend(session.gradient());
        session.next_start();
    }
    all
}

fn is_close(a: f64, b: f64) -> bool {
    (a - b).abs() <= TOLERANCE * (1.0 + b.abs())
}

/// Returns `true` if both lists have the same length, and their numbers agree.
fn same(found: &[f64], expected: &[f64], agree: impl Fn(f64, f64) -> bool) -> bool {
    found.len() == expected.len() && found.iter().zip(expected).all(|(a, b)| agree(*a, *b))
}

/// Numbers from the decimal forms of their bits.
fn numbers(list: &Value) -> Result<Vec<f64>> {
    let list = list.as_array().ok_or("node prints no list of numbers")?;
    list.iter()
        .map(|bits| {
            let bits: u64 = bits.as_str().ok_or("node prints no bits")?.parse()?;
            Ok(f64::from_bits(bits))
        })
        .collect()
}
