//! Text that decides what is computed.

use chainrule::prelude::*;

use crate::check::table;

const TEXTS: [&str; 4] = ["", " ab c", "x. !a", "cc.a! b"];

#[differentiable]
fn letters(x: &[f64], k: usize) -> f64 {
    let text = TEXTS[k];
    let mut sum = x[0];
    for (k, c) in text.chars().enumerate() {
        match c {
            'a'..='c' => sum *= x[k % x.len()],
            '.' => continue,
            '!' if k > 2 => break,
            _ => sum += x[0] * k as f64,
        }
    }
    sum += text.bytes().rev().fold(0.1, |s, b| s * x[1] + b as f64);
    let words = text
        .split(' ')
        .zip(x)
        .map(|(word, v)| v * word.len() as f64)
        .sum::<f64>();
    for part in text.split_whitespace() {
        sum = sum * x[1] + part.len() as f64;
    }
    sum * words
}
#[differentiable]
fn shadowed(x: &[f64], k: usize) -> f64 {
    let text = TEXTS[k];
    let text = text.trim();
    let text: Vec<char> = text.chars().collect();
    let mut sum = 0.0;
    for (v, c) in x.iter().zip(&text) {
        sum += if *c == 'a' { v * v } else { v.sin() };
    }
    let text = text.len();
    sum * text as f64
}

#[derive(Clone)]
enum Token {
    Number(f64),
    Sign(char),
}

const TOKENS: [Token; 4] = [
    Token::Sign('+'),
    Token::Sign('-'),
    Token::Number(0.5),
    Token::Sign('+'),
];

#[differentiable]
fn tokens(x: &[f64], n: usize) -> f64 {
    let tokens: Vec<Token> = TOKENS[..n].to_vec();
    let mut v = x[0];
    let mut at = 0;
    while let Some(Token::Sign(sign @ ('+' | '-'))) = tokens.get(at) {
        at += 1;
        v = if *sign == '+' {
            v + x[1]
        } else {
            v - x[1] * x[0]
        };
    }
    if let Some(Token::Number(k)) = tokens.last() {
        v *= k;
    }
    let signs: Vec<&Token> = tokens
        .iter()
        .filter(|token| matches!(token, Token::Sign(_)))
        .collect();
    v * signs.len() as f64
}

#[differentiable]
fn weighted(s: &[u8], x: f64) -> f64 {
    let mut y = 0.0;
    for &b in s {
        y += x * f64::from(b) / 100.0;
    }
    y
}

#[differentiable]
fn of_an_array(s: &[u8; 3], x: f64) -> f64 {
    weighted(s, x) * x
}

#[differentiable]
fn byte_strings(x: f64) -> f64 {
    let t = b"\x01xyz";
    weighted(b"abc", x) * of_an_array(b"a\nc", x)
        + weighted(t, x) * f64::from(t[1]) / f64::from(b'a')
}

#[differentiable]
fn named(name: &str, x: f64) -> f64 {
    let y = match name {
        "sin" => x.sin(),
        "cos" => x.cos(),
        other => {
            if other.len() > 3 {
                return x * 0.5;
            }
            x * other.len() as f64
        }
    };
    y * y
}

#[differentiable]
fn specified(#[constant] spec: &str, x: f64) -> Result<f64, String> {
    let (kind, arg) = match spec.split_once(':') {
        Some((kind, arg)) => (kind, arg),
        None => return Err(format!("no number in {spec}")),
    };
    let n: f64 = arg.parse().map_err(|_| "no number".to_string())?;
    match kind {
        "mul" => Ok(x * n),
        "pow" => Ok(x.powf(n)),
        other => Err(format!("{other} is unknown")),
    }
}

#[differentiable]
fn or_square(#[constant] spec: &str, x: f64) -> f64 {
    specified(spec, x).unwrap_or(x * x)
}

/// Bits and text of an active value that are looked at, and numbers that are made of other bits and other text.
#[differentiable]
fn looked_at(x: &[f64], #[constant] k: f64) -> f64 {
    let text = format!("{:?}", x);
    let mut sum = if text.is_empty() || x[0].to_bits() >> 63 == 1 {
        0.0
    } else {
        x[0] * x[1]
    };
    let mut seen = Vec::new();
    for v in x {
        if !seen.contains(&v.to_bits()) {
            seen.push(v.to_bits());
            sum += v * v;
        }
    }
    let position = seen.iter().position(|bits| *bits == x[1].to_bits());
    let mut seed = 17u64;
    seed ^= seed << 13;
    let noise = f64::from_bits((seed >> 12) | (1023 << 52)) + f64::from_bits(k.to_bits());
    let other: f64 = k.to_string().parse().unwrap();
    let magnitude = f64::from_bits(stop_gradient(x[0]).to_bits() & !(1 << 63));
    let rounded = stop_gradient(f64::from_bits(x[1].to_bits() & !0xffff));
    sum * noise * other + x[position.unwrap_or(0)] * magnitude * rounded * seen.len() as f64
}

fn looked_at_by_hand(x: &[f64], k: f64, magnitude: f64, rounded: f64) -> f64 {
    let noise = f64::from_bits(((17u64 ^ (17 << 13)) >> 12) | (1023 << 52)) + k;
    let sum = x[0] * x[1] + x[0] * x[0] + x[1] * x[1];
    sum * noise * k + x[1] * magnitude * rounded * 2.0
}

#[test]
fn bits_and_text_decide() {
    let x: [f64; 2] = [0.7, 1.9];
    let (magnitude, rounded): (f64, f64) = (x[0], f64::from_bits(x[1].to_bits() & !0xffff));
    let g = looked_at::gradient(&x, 0.3);
    for (k, g) in g.iter().enumerate() {
        let h = 1e-6;
        let at = |step: f64| {
            let mut x = x;
            x[k] += step;
            looked_at_by_hand(&x, 0.3, magnitude, rounded)
        };
        assert!((g - (at(h) - at(-h)) / (2.0 * h)).abs() < 1e-8, "{k}: {g}");
    }
}

#[differentiable]
fn by_name(x: f64, #[constant] name: &str) -> f64 {
    match name {
        "square" => x * x,
        _ => x.cos(),
    }
}

/// Literals that are chosen by `if` and `match`, in variables, lists and tuples.
#[differentiable]
fn chosen_literals(x: f64, #[constant] k: usize) -> f64 {
    let name = if k > 0 { "square" } else { "cos" };
    let listed = ["square", "cos"];
    let pair = ("square", x);
    let mut s = by_name(x, if k > 1 { "cos" } else { "square" }) * by_name(pair.1, pair.0);
    for name in listed {
        s += by_name(x, name);
    }
    let other = match k {
        0 => "square",
        _ => "other",
    };
    s + by_name(x, name).exp() * by_name(x, other) + by_name(s, listed[k % 2])
}

#[differentiable]
fn ranges_of_characters(x: &[f64]) -> f64 {
    let mut s = ('a'..='c').map(|c| x[0].powi(c as i32 - 96)).sum::<f64>();
    for (i, c) in ('b'..'d').enumerate() {
        s += x[c as usize - 'a' as usize].powi(i as i32 + 1);
    }
    for (c, v) in ('a'..).zip(x) {
        s *= if c == 'b' { *v } else { 1.5 };
    }
    for b in b'a'..=b'c' {
        s += x[2].powi(i32::from(b) - 95);
    }
    s
}

table! {
    chosen_literals: for k in 0..3, (0.7, const k);
    ranges_of_characters: (&vec![0.7, 1.9, -0.4]);
    byte_strings: (0.7);
    named: for name in ["sin", "cos", "abc", "arbitrary"], (const &*name, 0.7);
    or_square: for spec in ["mul:3", "pow:2.5", "pow:x", "pow", "add:1"], (const &*spec, 0.7);
    tokens: for n in 0..5, (&vec![0.7, 1.9], const n);
    letters: for k in 0..4, (&vec![0.7, 1.9], const k);
    shadowed: for k in 0..4, (&vec![0.7, 1.9, -0.4], const k);
}
