//! The findings of a check.

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use super::subject::written;

/// How a check ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// All rules are right at this point.
    Passed,
    /// Something could not be told: differences say nothing where a function is saturated, jumps, or ends.
    Inconclusive,
    /// A rule is wrong.
    Failed,
}

/// A finding in one place.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// [`Outcome::Failed`] or [`Outcome::Inconclusive`].
    pub outcome: Outcome,
    /// The item that was compared: "the forward rule".
    pub check: &'static str,
    /// The component of an argument that it is about, such as `theta[3]`, if it is about one.
    pub input: Option<String>,
    /// The component of the result, such as `the result.0`, if it is about one.
    pub output: Option<String>,
    /// The problem, in words.
    pub problem: String,
    /// The two values that should agree, with their origins.
    pub values: Vec<(&'static str, f64)>,
    /// The error that differences may have.
    pub error: Option<f64>,
    /// The step of the differences.
    pub step: Option<f64>,
}

impl Finding {
    /// The difference of the two values, relative to the larger one, where that is finite.
    pub fn relative_error(&self) -> Option<f64> {
        let [(_, a), (_, b)] = self.values[..] else {
            return None;
        };
        let relative = (a - b).abs() / a.abs().max(b.abs());
        relative.is_finite().then_some(relative)
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.outcome {
            Outcome::Failed => "wrong",
            _ => "inconclusive",
        };
        write!(f, "{kind}: {}", self.check)?;
        if let Some(output) = &self.output {
            write!(f, ", {output}")?;
        }
        if let Some(input) = &self.input {
            write!(f, ", with respect to `{input}`")?;
        }
        write!(f, ": {}", self.problem)?;
        let names = self.values.iter().map(|(name, _)| name.len());
        let width = names.max().unwrap_or(0).max("relative error".len());
        for (i, (name, value)) in self.values.iter().enumerate() {
            write!(f, "\n    {name:width$}  {}", written(*value))?;
            if let (1, Some(error)) = (i, self.error) {
                write!(f, " (error {error:.1e}")?;
                if let Some(step) = self.step {
                    write!(f, ", step {step:.1e}")?;
                }
                write!(f, ")")?;
            }
        }
        if let Some(relative) = self.relative_error() {
            write!(f, "\n    {:width$}  {relative:.1e}", "relative error")?;
        }
        Ok(())
    }
}

/// All that a check found, in order; empty if all is right.
///
/// Printed, it names the function, and for each finding the component of the argument and of the result, both values, their
/// relative error, and the step of the differences.
#[derive(Clone, Debug, PartialEq)]
#[must_use]
pub struct Report {
    function: String,
    seed: u64,
    /// The number of comparisons.
    comparisons: usize,
    findings: Vec<Finding>,
}

impl Report {
    pub(super) fn new(
        function: &str,
        seed: u64,
        comparisons: usize,
        findings: Vec<Finding>,
    ) -> Self {
        Report {
            function: function.to_string(),
            seed,
            comparisons,
            findings,
        }
    }

    /// The worst of all findings.
    pub fn outcome(&self) -> Outcome {
        let outcomes = self.findings.iter().map(|finding| finding.outcome);
        outcomes.max().unwrap_or(Outcome::Passed)
    }

    /// The findings: failures and inconclusive comparisons.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// How many pairs of values were compared.
    pub fn comparisons(&self) -> usize {
        self.comparisons
    }

    /// Panics with the report unless the outcome is [`Outcome::Passed`].
    ///
    /// # Panics
    /// If a rule is wrong, or the check is inconclusive.
    #[track_caller]
    pub fn assert_passed(&self) {
        assert!(self.outcome() == Outcome::Passed, "{self}");
    }

    /// Panics with the report if a rule is wrong; inconclusive comparisons pass.
    ///
    /// # Panics
    /// If a rule is wrong.
    #[track_caller]
    pub fn assert_not_failed(&self) {
        assert!(self.outcome() != Outcome::Failed, "{self}");
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 8;
        let Report {
            function,
            seed,
            comparisons,
            findings,
        } = self;
        match self.outcome() {
            Outcome::Passed => {
                return write!(
                    f,
                    "the rules of `{function}` are right ({comparisons} comparisons)"
                );
            }
            Outcome::Inconclusive => write!(f, "the check of `{function}` is inconclusive")?,
            Outcome::Failed => write!(f, "the rules of `{function}` are wrong")?,
        }
        write!(f, " ({comparisons} comparisons, seed {seed})")?;
        let mut shown: Vec<&Finding> = findings.iter().collect();
        shown.sort_by_key(|finding| core::cmp::Reverse(finding.outcome));
        for finding in shown.iter().take(SHOWN) {
            write!(f, "\n  {finding}")?;
        }
        if findings.len() > SHOWN {
            write!(f, "\n  and {} more", findings.len() - SHOWN)?;
        }
        if self.outcome() == Outcome::Inconclusive {
            write!(
                f,
                "\n  help: choose arguments where the function changes smoothly, or let this through with \
                 `; allow_inconclusive`"
            )?;
        }
        Ok(())
    }
}
