//! Tables.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::judge::Class;
use crate::rounds::Done;
use crate::sources::Pinned;

/// What is kept of a crate.
#[derive(Clone, Default)]
pub(crate) struct Row {
    pub(crate) name: String,
    version: String,
    /// Accepted, refused, callee, rustc, panic; then right, wrong, not finite and unclear rules.
    counts: [usize; 9],
    reasons: BTreeMap<(String, String), usize>,
}

const HEADS: [&str; 9] = [
    "accepted",
    "refused",
    "callee without rules",
    "rustc's own words",
    "panic",
    "right",
    "wrong",
    "finite in one mode only",
    "unclear",
];

pub(crate) fn row(pinned: &Pinned, done: &Done) -> Row {
    let count = |class| {
        done.fallen
            .values()
            .filter(|fall| fall.class == class)
            .count()
    };
    let mut reasons = BTreeMap::new();
    for fall in done.fallen.values() {
        *reasons
            .entry((format!("{:?}", fall.class), fall.reason.clone()))
            .or_default() += 1;
    }
    Row {
        name: pinned.name.clone(),
        version: pinned.version.clone(),
        counts: [
            done.plan.functions.len(),
            count(Class::Refused),
            count(Class::Callee),
            count(Class::Rustc),
            count(Class::Panic),
            done.checks.right,
            done.checks.wrong.len(),
            done.checks.not_finite.len(),
            done.checks.unclear,
        ],
        reasons,
    }
}

impl Row {
    fn all(&self) -> usize {
        self.counts[..5].iter().sum()
    }

    pub(crate) fn line(&self) -> String {
        let counts = HEADS
            .iter()
            .zip(self.counts)
            .map(|(head, count)| format!("{count} {head}"));
        format!(
            "{} functions: {}",
            self.all(),
            counts.collect::<Vec<_>>().join(", ")
        )
    }

    pub(crate) fn kept(&self) -> String {
        let mut text = format!(
            "{}\t{}\t{}\n",
            self.name,
            self.version,
            self.counts.map(|count| count.to_string()).join("\t")
        );
        for ((class, reason), count) in &self.reasons {
            let _ = writeln!(text, "{count}\t{class}\t{reason}");
        }
        text
    }

    pub(crate) fn read(text: &str) -> Option<Self> {
        let mut lines = text.lines();
        let mut words = lines.next()?.split('\t');
        let mut row = Self {
            name: words.next()?.to_owned(),
            version: words.next()?.to_owned(),
            ..Self::default()
        };
        for count in &mut row.counts {
            *count = words.next()?.parse().ok()?;
        }
        for line in lines {
            let mut words = line.splitn(3, '\t');
            let count = words.next()?.parse().ok()?;
            row.reasons
                .insert((words.next()?.to_owned(), words.next()?.to_owned()), count);
        }
        Some(row)
    }
}

fn share(part: usize, whole: usize) -> String {
    #[expect(clippy::cast_precision_loss, reason = "counts of functions")]
    let share = 100.0 * part as f64 / whole.max(1) as f64;
    format!("{share:.1} %")
}

/// All crates.
pub(crate) fn report(rows: &[Row]) -> String {
    let mut text = String::from("| crate | functions |");
    for head in HEADS {
        let _ = write!(text, " {head} |");
    }
    text.push_str("\n|---|---|---|---|---|---|---|---|---|---|---|\n");
    let mut sum = Row::default();
    for row in rows {
        let _ = writeln!(
            text,
            "| {} {} | {} | {} |",
            row.name,
            row.version,
            row.all(),
            row.counts.map(|count| count.to_string()).join(" | ")
        );
        for (total, count) in sum.counts.iter_mut().zip(row.counts) {
            *total += count;
        }
        for (reason, count) in &row.reasons {
            *sum.reasons.entry(reason.clone()).or_default() += count;
        }
    }
    let all = sum.all();
    let _ = writeln!(
        text,
        "| **all {}** | {all} | {} |",
        rows.len(),
        sum.counts.map(|count| count.to_string()).join(" | ")
    );
    let shares = sum.counts[..5]
        .iter()
        .map(|count| share(*count, all))
        .collect::<Vec<_>>();
    let _ = writeln!(text, "| | | {} | | | | |", shares.join(" | "));
    let mut reasons: Vec<_> = sum.reasons.iter().collect();
    reasons.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    text.push_str("\n| functions | | first error |\n|---|---|---|\n");
    for ((class, reason), count) in reasons {
        let _ = writeln!(text, "| {count} | {class} | {reason} |");
    }
    text
}

/// Everything of one crate, for those who mend things.
pub(crate) fn details(done: &Done) -> String {
    let mut text = String::new();
    for (name, fall) in &done.types {
        let _ = writeln!(
            text,
            "## type {name}: {:?}: {}\n{}",
            fall.class, fall.reason, fall.rendered
        );
    }
    for (number, fall) in &done.fallen {
        let function = &done.found.functions[*number];
        let _ = writeln!(
            text,
            "## {} ({}:{}): {:?}: {}\n{}",
            function.name,
            function.at.file,
            function.at.lines.start(),
            fall.class,
            fall.reason,
            fall.rendered
        );
    }
    for wrong in &done.checks.wrong {
        let _ = writeln!(text, "## WRONG\n{wrong}");
    }
    for report in &done.checks.not_finite {
        let _ = writeln!(text, "## FINITE IN ONE MODE ONLY\n{report}");
    }
    text
}
