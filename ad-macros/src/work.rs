//! Measures how the work of expansions grows with the size of the input. Work is measured in allocated bytes, which are the same on every machine.
//!
//! To keep it small: operands are read in place, walks allocate nothing for operations without regions, ids are hashed by one
//! multiplication, common subexpressions are keyed by operands, and liveness follows one set instead of copying it at each operation. No
//! pass keys on addresses: an operation is known by its number in a walk, a side of a branch by the branch's result.

use std::fmt::Write as _;
use std::path::PathBuf;

use proc_macro2::TokenStream;

use crate::enclosing::Site;
use crate::entry::differentiable;

const ATTRIBUTE: &str = "#[differentiable]";

/// A source file that is there as long as the test runs.
struct File(PathBuf);

impl File {
    fn new(name: &str, text: &str) -> File {
        let name = format!("chainrule_{}_{name}.rs", std::process::id());
        let file = File(std::env::temp_dir().join(name));
        file.write(text);
        file
    }

    fn write(&self, text: &str) {
        std::fs::write(&self.0, text).expect("a file for temporary use");
    }

    /// The expansion of each annotated function, made when it is asked for.
    fn expanded(&self) -> impl DoubleEndedIterator<Item = String> {
        let text = std::fs::read_to_string(&self.0).expect("it was written");
        let lines: Vec<String> = text.lines().map(ToOwned::to_owned).collect();
        let attributes: Vec<usize> = (0..lines.len())
            .filter(|line| lines[*line] == ATTRIBUTE)
            .collect();
        let path = self.0.clone();
        attributes.into_iter().map(move |at| {
            let end = lines[at..].iter().position(|line| *line == "}");
            let item = lines[at + 1..=at + end.expect("a closing brace")].join("\n");
            let item: TokenStream = item.parse().expect("a function");
            let site = Site {
                file: path.clone(),
                line: at + 1,
                column: 1,
            };
            let tokens = differentiable(TokenStream::new(), &item, Some(&site)).to_string();
            assert!(!tokens.contains("compile_error"), "{tokens}");
            tokens
        })
    }

    /// The work for the last function, after that for two before it.
    fn work(&self) -> u64 {
        let mut last: Vec<String> = self.expanded().rev().skip(1).take(2).collect();
        let measured = allocation_counter::measure(|| last.extend(self.expanded().next_back()));
        measured.bytes_total
    }
}

impl Drop for File {
    fn drop(&mut self) {
        drop(std::fs::remove_file(&self.0));
    }
}

/// Functions of which each calls the one before, too long to be inlined or not, and one that is always inlined.
fn functions(count: usize, long: bool) -> String {
    let mut text = format!(
        "use std::mem::swap;\nconst LIMIT: f64 = 3.0;\ntype Row = [f64; 3];\n\
         {ATTRIBUTE}\nfn square(x: f64) -> f64 {{\n    x * x\n}}\n\
         {ATTRIBUTE}\nfn first_0(x: &[f64], r: Row) -> f64 {{\n    x[0] + r[0]\n}}\n"
    );
    for k in 1..=count {
        let before = k - 1;
        let middle = "    if total > LIMIT {\n        total -= 0.5 * square(r[1]);\n    }\n"
            .repeat(if long { 6 } else { 1 });
        write!(
            text,
            "{ATTRIBUTE}\nfn first_{k}(x: &[f64], r: Row) -> f64 {{\n    let mut total = first_{before}(x, r);\n\
             {middle}    for v in x {{\n        total += square(*v);\n    }}\n    total\n}}\n"
        )
        .expect("a string");
    }
    text
}

fn straight(lines: usize) -> String {
    let mut text = format!("{ATTRIBUTE}\nfn straight(x: f64) -> f64 {{\n    let v0 = x;\n");
    for k in 1..lines {
        let before = k - 1;
        writeln!(text, "    let v{k} = v{before} * v0 + v{before}.sin();").expect("a string");
    }
    let last = lines - 1;
    write!(text, "    v{last}\n}}\n").expect("a string");
    text
}

/// Each function costs the same, however many there are.
#[track_caller]
fn assert_same_for_each(name: &str, long: bool) {
    let work = |count| File::new(&format!("{name}_{count}"), &functions(count, long)).work();
    let (among_few, among_many) = (work(10), work(100));
    // The test itself reads the file's text.
    assert!(
        among_many < among_few * 11 / 10,
        "the last of 10 functions: {among_few} bytes, of 100: {among_many} bytes"
    );
}

#[test]
fn functions_cost_the_same_in_files_of_any_length() {
    assert_same_for_each("short", false);
}

#[test]
fn long_functions_cost_the_same_in_files_of_any_length() {
    assert_same_for_each("long", true);
}

#[test]
fn work_is_linear_in_the_length_of_a_function() {
    let work = |lines| File::new(&format!("straight_{lines}"), &straight(lines)).work();
    let (short, long) = (work(50), work(200));
    assert!(
        long < short * 22 / 5,
        "50 lines: {short} bytes, 200 lines: {long} bytes"
    );
}

/// Each level of an expression is looked at a bounded number of times, so that 30 levels take no longer than the files of a crate.
#[test]
fn work_does_not_double_with_each_level() {
    const LEVELS: usize = 30;
    let nested = |open: &str, close: &str| {
        let (open, close) = (open.repeat(LEVELS), close.repeat(LEVELS));
        let mut text = format!(
            "{ATTRIBUTE}\nfn nested(e: f64, q: f64, v: &[f64], k: &[usize]) -> f64 {{\n    let mut s = e;\n"
        );
        for value in [
            "s = X;",
            "s *= X * q;",
            "if q > 1.0 { s = X; }",
            "let t = X; s += t;",
        ] {
            let value = value.replace('X', &format!("{open}(3.0 * e){close}"));
            writeln!(text, "    {value}").expect("a string");
        }
        text + "    s\n}\n"
    };
    let forms = [
        nested("(2.0 + e * ", ")"),
        nested("-(q - ", ")"),
        nested("(q.max(", "))"),
        nested("f64::hypot(q, ", ")"),
        nested("other(q, ", ")"),
        nested("(if q > 2.0 { q } else { ", "})"),
        nested("{ let u = ", "; u * u }"),
        nested("v[k[0]..].iter().fold(0.0, |a, b| a + b * ", ")"),
        nested("(q, ", ").1"),
        nested("v[(", ") as usize]"),
        nested("(|u: f64| u * q)(", ")"),
        nested("Some(", ").unwrap_or(q)"),
        nested("(match v.len() { 0 => q, _ => ", "})"),
        nested("[q, ", "][1]"),
    ];
    for (number, form) in forms.into_iter().enumerate() {
        let (done, ended) = std::sync::mpsc::channel();
        let text = form.clone();
        let run = move || {
            let file = File::new(&format!("nested_{number}"), &text);
            let item: TokenStream = text.replace(ATTRIBUTE, "").parse().expect("a function");
            let site = Site {
                file: file.0.clone(),
                line: 1,
                column: 1,
            };
            differentiable(TokenStream::new(), &item, Some(&site));
            done.send(()).is_ok()
        };
        let thread = std::thread::Builder::new().stack_size(64 << 20).spawn(run);
        thread.expect("a thread");
        let ended = ended.recv_timeout(std::time::Duration::from_secs(30));
        assert!(ended.is_ok(), "no end of\n{form}");
    }
}

/// A file that changes while the compiler runs, as under an editor, is read again.
#[test]
fn a_file_that_changes_is_read_again() {
    let text = |body: &str| {
        format!(
            "{ATTRIBUTE}\nfn inner(x: f64) -> f64 {{\n    {body}\n}}\n{ATTRIBUTE}\nfn outer(x: f64) -> f64 {{\n    inner(x) + 1.0\n}}\n"
        )
    };
    let file = File::new("changes", &text("x * x"));
    let before: Vec<String> = file.expanded().collect();
    assert!(before[1].contains("x * x"), "{}", before[1]);
    file.write(&text("x.sin() * x"));
    let after: Vec<String> = file.expanded().collect();
    assert!(after[1].contains("x . sin ()"), "{}", after[1]);
    let fresh = File::new("fresh", &text("x.sin() * x"));
    assert_eq!(after, fresh.expanded().collect::<Vec<_>>());
}
