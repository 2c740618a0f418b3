//! Cross entropy of a softmax, for rows of logits and their labels.

use crate::Kernel;
use chainrule::prelude::*;
use rows::harness::case::Hand;
use rows::harness::input::Random;

const ROWS: usize = 60;
const CLASSES: usize = 16;

pub(crate) fn kernel() -> Kernel {
    let z = Random::new(7).normals(ROWS * CLASSES);
    let labels: Vec<usize> = (0..ROWS).map(|i| (7 * i + 3) % CLASSES).collect();
    let rows: Vec<Vec<f64>> = z.chunks_exact(CLASSES).map(<[f64]>::to_vec).collect();
    let input = (z, labels.clone());
    let zeros = vec![0.0; ROWS * CLASSES];
    let hand = Hand::new(input.clone(), zeros.clone(), |(z, labels), bar| {
        by_hand(z, labels, bar)
    });
    macro_rules! forms {
        ($($form:ident)*) => {
            vec![$(hand.form(
                stringify!($form),
                input.clone(),
                zeros.clone(),
                |(z, labels)| $form(z, labels),
                |(z, labels), bar| $form::value_and_gradient_into(z, labels, bar),
            )),*]
        };
    }
    let mut forms =
        forms! { fold max_loop copied comparison softmax_vec scratch_outside log_softmax };
    forms.push(hand.form(
        "vec_of_vec",
        (rows, labels),
        vec![vec![0.0; CLASSES]; ROWS],
        |(z, labels)| vec_of_vec(z, labels),
        |(z, labels), bar| vec_of_vec::value_and_gradient_into(z, labels, bar),
    ));
    Kernel::new(forms)
}

/// The exponentials stand where their cotangents will.
fn by_hand(z: &[f64], labels: &[usize], bar: &mut [f64]) -> f64 {
    let mut total = 0.0;
    let rows = z
        .as_chunks::<CLASSES>()
        .0
        .iter()
        .zip(bar.as_chunks_mut::<CLASSES>().0);
    for ((z, bar), &label) in rows.zip(labels) {
        let mut max = z[0];
        for &z in &z[1..] {
            if z > max {
                max = z;
            }
        }
        let mut sum = 0.0;
        for (e, z) in bar.iter_mut().zip(z) {
            *e = (z - max).exp();
            sum += *e;
        }
        total += sum.ln() + max - z[label];
        let scale = 1.0 / sum;
        for e in &mut *bar {
            *e *= scale;
        }
        bar[label] -= 1.0;
    }
    total
}

#[differentiable]
fn fold(z: &[f64], labels: &[usize]) -> f64 {
    let mut total = 0.0;
    for (i, &label) in labels.iter().enumerate() {
        let row = &z[i * CLASSES..(i + 1) * CLASSES];
        let max = row.iter().fold(f64::NEG_INFINITY, |a, &b| f64::max(a, b));
        let sum: f64 = row.iter().map(|z| (z - max).exp()).sum();
        total += sum.ln() + max - row[label];
    }
    total
}

#[differentiable]
fn max_loop(z: &[f64], labels: &[usize]) -> f64 {
    let mut total = 0.0;
    for i in 0..labels.len() {
        let row = &z[i * CLASSES..(i + 1) * CLASSES];
        let mut max = row[0];
        for j in 1..row.len() {
            max = max.max(row[j]);
        }
        let mut sum = 0.0;
        for j in 0..row.len() {
            sum += (row[j] - max).exp();
        }
        total += max + sum.ln() - row[labels[i]];
    }
    total
}

#[differentiable]
fn log_sum_exp(row: &[f64]) -> f64 {
    let max = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    max + row.iter().map(|z| (z - max).exp()).sum::<f64>().ln()
}

#[differentiable]
fn copied(z: &[f64], labels: &[usize]) -> f64 {
    z.chunks_exact(CLASSES)
        .zip(labels)
        .map(|(row, &label)| log_sum_exp(row) - row[label])
        .sum()
}

#[differentiable]
fn comparison(z: &[f64], labels: &[usize]) -> f64 {
    let mut total = 0.0;
    for (row, label) in z.chunks(CLASSES).zip(labels) {
        let mut max = row[0];
        for &v in row {
            if v > max {
                max = v;
            }
        }
        let mut sum = 0.0;
        for &v in row {
            sum += (v - max).exp();
        }
        total += sum.ln() + max - row[*label];
    }
    total
}

#[differentiable]
fn softmax(z: &[f64]) -> Vec<f64> {
    let max = z.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let e: Vec<f64> = z.iter().map(|z| (z - max).exp()).collect();
    let sum: f64 = e.iter().sum();
    e.iter().map(|e| e / sum).collect()
}

#[differentiable]
fn softmax_vec(z: &[f64], labels: &[usize]) -> f64 {
    let mut total = 0.0;
    for (row, &label) in z.chunks_exact(CLASSES).zip(labels) {
        let p = softmax(row);
        total -= p[label].ln();
    }
    total
}

#[differentiable]
fn scratch_outside(z: &[f64], labels: &[usize]) -> f64 {
    let mut e = vec![0.0; CLASSES];
    let mut total = 0.0;
    for (i, &label) in labels.iter().enumerate() {
        let row = &z[i * CLASSES..(i + 1) * CLASSES];
        let mut max = row[0];
        for j in 1..CLASSES {
            if row[j] > max {
                max = row[j];
            }
        }
        let mut sum = 0.0;
        for j in 0..CLASSES {
            e[j] = (row[j] - max).exp();
            sum += e[j];
        }
        total -= (e[label] / sum).ln();
    }
    total
}

#[differentiable]
fn log_softmax(z: &[f64], labels: &[usize]) -> f64 {
    let mut logs = z.to_vec();
    for row in logs.chunks_exact_mut(CLASSES) {
        let max = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let mut sum = 0.0;
        for z in row.iter() {
            sum += (z - max).exp();
        }
        let shift = max + sum.ln();
        for z in row.iter_mut() {
            *z -= shift;
        }
    }
    let mut total = 0.0;
    for (i, label) in labels.iter().enumerate() {
        total -= logs[i * CLASSES + label];
    }
    total
}

#[differentiable]
fn vec_of_vec(z: &[Vec<f64>], labels: &[usize]) -> f64 {
    let mut total = 0.0;
    for i in 0..z.len() {
        let max = z[i].iter().cloned().fold(f64::NEG_INFINITY, f64::max);
        let mut sum = 0.0;
        for j in 0..z[i].len() {
            sum += (z[i][j] - max).exp();
        }
        total += sum.ln() + max - z[i][labels[i]];
    }
    total
}
