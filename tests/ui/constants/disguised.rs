//! Numbers that are made of the bits or the text of an active value.

use chainrule::prelude::*;
use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering};

#[differentiable]
fn there_and_back(x: f64) -> f64 {
    f64::from_bits(x.to_bits())
}

#[differentiable]
fn inverse_root(x: f32) -> f32 {
    let bits = 0x5f37_59df - (x.to_bits() >> 1);
    let y = f32::from_bits(bits);
    y * (1.5 - 0.5 * x * y * y)
}

#[differentiable]
fn exponent(x: f64) -> f64 {
    let e = ((x.to_bits() >> 52) & 0x7ff) as i32 - 1022;
    x * 2f64.powi(e) + e as f64
}

#[differentiable]
fn assigned(x: f64) -> f64 {
    let mut bits = 0u64;
    bits ^= x.to_bits();
    f64::from_bits(bits)
}

#[differentiable]
fn listed(x: &[f64]) -> f64 {
    let bits: Vec<u64> = x.iter().map(|v| v.to_bits()).collect();
    let mut sum = 0.0;
    for b in &bits {
        sum += f64::from_bits(*b);
    }
    sum
}

#[differentiable]
fn parsed(x: f64) -> f64 {
    let text = format!("{x:e}");
    let y: f64 = text.parse().unwrap();
    y * y
}

#[differentiable]
fn written(x: f64) -> f64 {
    let mut text = String::new();
    write!(text, "{}", x * x).unwrap();
    text.parse::<f64>().unwrap()
}

#[differentiable]
fn looked_up(x: f64, #[constant] table: &[f64]) -> f64 {
    let hash = x.to_bits() % 7;
    table[hash as usize] * x
}

#[differentiable]
fn shared(x: f64) -> f64 {
    let cell = AtomicU64::new(0);
    cell.store(x.to_bits(), Ordering::Relaxed);
    f64::from_bits(cell.load(Ordering::Relaxed))
}

fn main() {}
