//! Named numbers, and their bits as text.

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt::Write;

use chainrule::{Differentiable, Matrix};

/// How far numbers of two targets may differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exactness {
    /// Not at all: they come from `+ - * /`, roots, `mul_add` and integers.
    Exact,
    /// By the last bits of the target's functions, as double precision.
    Close,
    /// The same, as single precision.
    CloseSingle,
}

const WORDS: [(Exactness, &str); 3] = [
    (Exactness::Exact, "exact"),
    (Exactness::Close, "close"),
    (Exactness::CloseSingle, "close-single"),
];

/// The numbers of one call, or of several calls of one function.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The function.
    pub name: String,
    /// How far they may differ.
    pub exactness: Exactness,
    /// The numbers. Those of single precision stand as `f64`, which holds them exactly.
    pub numbers: Vec<f64>,
}

impl Entry {
    /// Without numbers.
    pub(crate) fn new(name: &str, exactness: Exactness) -> Self {
        Entry {
            name: name.to_string(),
            exactness,
            numbers: Vec::new(),
        }
    }

    /// With further numbers.
    #[must_use]
    pub(crate) fn with(mut self, numbers: &(impl Numbers + ?Sized)) -> Self {
        numbers.give(&mut self.numbers);
        self
    }
}

/// What has numbers.
pub(crate) trait Numbers {
    /// Appends them.
    fn give(&self, to: &mut Vec<f64>);
}

impl<T: Differentiable + ?Sized> Numbers for T {
    fn give(&self, to: &mut Vec<f64>) {
        self.visit_floats(&mut |value| to.push(value));
    }
}

/// The entries of a matrix.
pub(crate) fn of_matrix(matrix: &Matrix) -> &[f64] {
    matrix.as_slice()
}

/// The entries as lines: name, exactness, and the bits of each number.
pub fn report(entries: &[Entry]) -> String {
    let mut text = String::new();
    for entry in entries {
        let word = WORDS.iter().find(|(of, _)| *of == entry.exactness);
        let word = word.map_or("", |(_, word)| word);
        text.push_str(&entry.name);
        text.push(' ');
        text.push_str(word);
        for number in &entry.numbers {
            // A `String` takes everything.
            let _ = write!(text, " {:016x}", number.to_bits());
        }
        text.push('\n');
    }
    text
}

/// The entries of a report, or a line that isn't one.
///
/// # Errors
/// If a line isn't one of a report.
pub fn parse(text: &str) -> Result<Vec<Entry>, String> {
    let entry = |line: &str| {
        let mut words = line.split(' ');
        let name = words.next()?;
        let word = words.next()?;
        let (exactness, _) = WORDS.iter().find(|(_, of)| *of == word)?;
        let numbers: Option<Vec<f64>> = words
            .map(|bits| u64::from_str_radix(bits, 16).ok().map(f64::from_bits))
            .collect();
        Some(Entry {
            name: name.to_string(),
            exactness: *exactness,
            numbers: numbers?,
        })
    };
    text.lines()
        .map(|line| entry(line).ok_or_else(|| line.to_string()))
        .collect()
}
