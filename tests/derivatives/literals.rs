//! Literals and ranges in patterns, also of what may be behind a reference.

use chainrule::prelude::*;

use crate::check::check;

#[derive(Clone, Debug)]
enum Token {
    Number(f64),
    Sign(char),
    Power(i32),
    Name(&'static str),
    Own(String),
    Flag(bool),
    Byte(u8),
    Point { x: i64, y: (u8, char) },
}

fn tokens() -> [Token; 16] {
    [
        Token::Sign('+'),
        Token::Number(1.5),
        Token::Number(0.0),
        Token::Power(2),
        Token::Sign('-'),
        Token::Name("sin"),
        Token::Power(-1),
        Token::Flag(true),
        Token::Own(String::from("twice")),
        Token::Byte(b'x'),
        Token::Name("none"),
        Token::Point { x: 3, y: (0, 'a') },
        Token::Flag(false),
        Token::Point { x: -9, y: (7, 'q') },
        Token::Power(5),
        Token::Byte(3),
    ]
}

#[differentiable]
fn interpreted(x: &[f64], #[constant] tokens: &[Token]) -> f64 {
    let mut s = x[0];
    for token in tokens {
        match token {
            Token::Number(v) => {
                s = match v {
                    0.0 => s + x[2],
                    _ => s * v,
                }
            }
            Token::Sign(c) => {
                s = match c {
                    '+' => s + x[1],
                    '*' | '/' => s,
                    'a'..='z' => s,
                    _ => s * x[1],
                }
            }
            Token::Power(n) => match n {
                -1 => s = 1.0 / s,
                0..=3 => s = s.powi(*n),
                4.. => s *= x[0],
                _ => {}
            },
            Token::Name(name) => match name {
                &"sin" => s = s.sin(),
                _ => s += x[2],
            },
            Token::Own(name) => match name.as_str() {
                "twice" => s *= x[0] * 2.0,
                _ => {}
            },
            Token::Flag(flag) => match flag {
                true => s += x[0] * x[1],
                false => s -= x[0] * s,
            },
            Token::Byte(b) => match b {
                b'x' => s *= x[2],
                b => s += x[0] / f64::from(*b),
            },
            Token::Point { x: a, y } => match y {
                (0, c) => {
                    if let 'a' = c {
                        s *= x[1] * *a as f64;
                    }
                }
                (1..=9, 'q') => s += x[2] * x[2],
                _ => {}
            },
        }
    }
    s
}

#[differentiable]
fn by_value(x: &[f64], #[constant] c: char, name: &str, n: usize) -> f64 {
    let a = match c {
        '+' => x[0] * x[1],
        _ => x[0],
    };
    let b = match name {
        "one" => a,
        "two" => a * x[2],
        _ => a * a,
    };
    match n {
        0 => b,
        1 | 2 => b * x[0],
        3.. => b.sin(),
    }
}

#[test]
fn literals() {
    let x = vec![0.7, 1.3, -0.4];
    let tokens = tokens();
    for n in 0..tokens.len() {
        check!(interpreted(&x.clone(), const &tokens[..n]));
    }
    for (c, name, n) in [('+', "one", 0), ('-', "two", 2), ('a', "three", 4)] {
        check!(by_value(&x.clone(), const c, const &*name, const n));
    }
}
