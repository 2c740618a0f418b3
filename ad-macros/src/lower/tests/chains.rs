//! Chains and closures lower to the same IR as the loop and the body.

use super::printed;

/// The operations, without the names of values.
fn operations(source: &str) -> String {
    let text = printed(source);
    let mut lines = String::new();
    for line in text.lines() {
        let words = line.split(' ').filter(|word| !word.is_empty());
        let words: Vec<&str> = words.collect();
        // `%3 name: type = ...`
        let unnamed = words.iter().enumerate().filter(|(k, word)| {
            let named = *k > 0 && words[k - 1].trim_start_matches('(').starts_with('%');
            !(named && word.ends_with(':'))
        });
        lines.extend(unnamed.map(|(_, word)| format!("{word} ")));
        lines.push('\n');
    }
    lines
}

fn same(chain: &str, by_hand: &str) {
    assert_same(&operations(chain), &operations(by_hand));
}

fn assert_same(chain: &str, by_hand: &str) {
    assert!(
        chain == by_hand,
        "the chain:\n{chain}\nwritten by hand:\n{by_hand}"
    );
}

#[test]
fn sums() {
    same(
        "fn f(x: &[f64], y: &[f64]) -> f64 { x.iter().zip(y).map(|(a, b)| a * b).sum::<f64>() }",
        "fn f(x: &[f64], y: &[f64]) -> f64 { let mut s = -0.0; for (a, b) in x.iter().zip(y) { s += a * b; } s }",
    );
    same(
        "fn f(x: &[f64], n: usize) -> f64 { (0..n).map(|i| x[i] * x[i]).sum() }",
        "fn f(x: &[f64], n: usize) -> f64 { let mut s = -0.0; for i in 0..n { s += x[i] * x[i]; } s }",
    );
    same(
        "fn f(x: &[f64], a: f64) -> f64 { x.iter().filter(|v| **v > a).map(|v| v * a).sum() }",
        "fn f(x: &[f64], a: f64) -> f64 { let mut s = -0.0; for v in x { if *v > a { s += v * a; } } s }",
    );
}

#[test]
fn options_that_are_written() {
    same(
        "fn f(x: &[f64], a: f64) -> f64 { x.iter().filter_map(|v| if *v > a { Some(v * a) } else { None }).sum() }",
        "fn f(x: &[f64], a: f64) -> f64 { let mut s = -0.0; for v in x { if *v > a { s += v * a; } } s }",
    );
}

#[test]
fn other_ends() {
    same(
        "fn f(x: &[f64], a: f64) -> f64 { x.iter().rev().fold(0.0, |p, c| p * a + c) }",
        "fn f(x: &[f64], a: f64) -> f64 { let mut p = 0.0; for c in x.iter().rev() { p = p * a + c; } p }",
    );
    same(
        "fn f(x: &mut [f64], a: f64) { x.iter_mut().enumerate().for_each(|(i, v)| *v *= a * i as f64); }",
        "fn f(x: &mut [f64], a: f64) { for (i, v) in x.iter_mut().enumerate() { *v *= a * i as f64; } }",
    );
    same(
        "fn f(x: &[f64]) -> f64 { let (_, p) = x.iter().fold((0.0, 1.0), |(s, p), v| (s + v, p * v)); p }",
        "fn f(x: &[f64]) -> f64 { let (mut s, mut p) = (0.0, 1.0); for v in x { (s, p) = (s + v, p * v); } p }",
    );
    same(
        "fn f(x: &[f64]) -> f64 { let kept = x.iter().enumerate().take_while(|(k, _)| *k < 3); *kept.last().unwrap().1 }",
        "fn f(x: &[f64]) -> f64 { *x.iter().enumerate().take_while(|(k, _)| *k < 3).last().unwrap().1 }",
    );
}

#[test]
fn closures() {
    same(
        "fn f(x: f64, a: f64) -> f64 { let g = |y: f64| y * a; g(x) + g(a) }",
        "fn f(x: f64, a: f64) -> f64 { x * a + a * a }",
    );
    same(
        "fn f(x: &[f64], a: f64) -> f64 { let mut t = a; let mut add = |v: &f64| t += v * a; for v in x { add(v); } t }",
        "fn f(x: &[f64], a: f64) -> f64 { let mut t = a; for v in x { t += v * a; } t }",
    );
}
