//! Tables of comma-separated values, with errors that name the file and the line.

use crate::Result;
use std::fs;
use std::path::Path;

/// One line of a table.
pub struct Row {
    /// `file:line`, for messages.
    place: String,
    fields: csv::StringRecord,
}

/// Reads a table: its first line, which describes the others, and the others.
///
/// # Errors
///
/// When the file can't be read, is empty, or has nothing after its first line.
pub fn read(path: &Path) -> Result<(Row, Vec<Row>)> {
    let shown = path.display();
    let text = fs::read(path).map_err(|error| format!("cannot read {shown}: {error}"))?;
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        // Rows of the wrong length are reported by whoever knows the right one.
        .flexible(true)
        .trim(csv::Trim::All)
        .from_reader(text.as_slice());
    let mut rows = Vec::new();
    let mut fields = csv::ByteRecord::new();
    let mut lines = Lines::new(&text);
    while reader
        .read_byte_record(&mut fields)
        .map_err(|error| format!("{shown}: {error}"))?
    {
        let start = fields.position().map_or(0, csv::Position::byte);
        let place = format!("{shown}:{}", lines.number(start));
        let fields = csv::StringRecord::from_byte_record(fields.clone())
            .map_err(|_| format!("{place}: the line is not UTF-8 text"))?;
        rows.push(Row { place, fields });
    }
    let mut rows = rows.into_iter();
    let header = rows
        .next()
        .ok_or_else(|| format!("{shown}: the file is empty"))?;
    let rows: Vec<Row> = rows.collect();
    if rows.is_empty() {
        return Err(header.error("no rows follow the first line"));
    }
    Ok((header, rows))
}

impl Row {
    /// The fields as they stand in the file.
    pub fn fields(&self) -> Vec<&str> {
        self.fields.iter().collect()
    }

    /// All fields as finite numbers.
    ///
    /// # Errors
    ///
    /// When there are not exactly `expected` fields, or one is not a finite number.
    pub fn numbers(&self, expected: usize) -> Result<Vec<f64>> {
        if self.fields.len() != expected {
            let found = self.fields.len();
            return Err(self.error(&format!("expected {expected} fields, found {found}")));
        }
        (0..expected).map(|index| self.number(index)).collect()
    }

    /// The first field as a name, and the others as finite numbers.
    ///
    /// # Errors
    ///
    /// When there are not exactly a name and `expected` fields, or one of those is not a finite number.
    pub fn named(&self, expected: usize) -> Result<(String, Vec<f64>)> {
        if self.fields.len() != 1 + expected {
            let found = self.fields.len();
            return Err(self.error(&format!("expected {} fields, found {found}", 1 + expected)));
        }
        let numbers: Result<_> = (1..=expected).map(|index| self.number(index)).collect();
        Ok((self.fields[0].to_string(), numbers?))
    }

    /// A field as a finite number.
    fn number(&self, index: usize) -> Result<f64> {
        let field = &self.fields[index];
        match field.parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(number),
            _ if field.is_empty() => Err(self.error(&format!("field {} is empty", index + 1))),
            _ => Err(self.error(&format!("field {} is not a number: {field:?}", index + 1))),
        }
    }

    /// An error at this line.
    pub fn error(&self, message: &str) -> Box<dyn std::error::Error> {
        format!("{}: {message}", self.place).into()
    }
}

/// Counts lines. The csv crate's own count stands before the blank lines that it skips.
struct Lines<'a> {
    text: &'a [u8],
    counted: usize,
    newlines: usize,
}

impl<'a> Lines<'a> {
    fn new(text: &'a [u8]) -> Self {
        Lines {
            text,
            counted: 0,
            newlines: 0,
        }
    }

    /// The number of the first line with content at or after the byte `start`; calls go forward only.
    fn number(&mut self, start: u64) -> usize {
        let start = usize::try_from(start).unwrap_or(usize::MAX);
        for &byte in &self.text[self.counted..] {
            if self.counted >= start && !matches!(byte, b'\n' | b'\r') {
                break;
            }
            self.counted += 1;
            self.newlines += usize::from(byte == b'\n');
        }
        self.newlines + 1
    }
}
