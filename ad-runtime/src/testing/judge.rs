//! Decides if a rule agrees with differences, and with another rule.

use alloc::string::String;

use super::differences::{Differences, Estimate, Flatness};
use super::subject::written;

/// The outcome of comparing a derivative with differences.
#[derive(Debug)]
pub(super) enum Verdict {
    Agrees,
    /// It lies between the one-sided differences of a kink.
    Kink,
    Inconclusive(String, Estimate),
    Wrong(String, Estimate),
}

/// How precisely things are computed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Precision(pub(super) f64);

impl Precision {
    /// How well two rules agree, relatively: `1e-12` in `f64`.
    pub(super) fn agreement(self) -> f64 {
        4_500.0 * self.0
    }

    /// The relative error of differences that still say something.
    fn conclusive(self) -> f64 {
        self.0.cbrt()
    }

    /// Errors of differences that their estimates may leave out.
    fn slack(self) -> f64 {
        self.0.powf(0.625)
    }

    /// Compares a derivative with differences.
    pub(super) fn judge(self, rule: f64, d: &Differences) -> Verdict {
        let nothing = Estimate {
            value: f64::NAN,
            error: f64::INFINITY,
            step: 0.0,
        };
        match d.flatness {
            Flatness::Never { .. } if rule == 0.0 => return Verdict::Agrees,
            Flatness::Never { slope } if rule.abs() <= slope => {
                let reason = "the function doesn't change enough for differences to be seen";
                return Verdict::Inconclusive(reason.into(), d.central);
            }
            Flatness::Piece if rule == 0.0 => return Verdict::Agrees,
            Flatness::Saturated { slope } if rule.abs() <= slope => {
                let reason = "the function is saturated or made of steps here: all differences vanish, except over \
                              large steps";
                return Verdict::Inconclusive(reason.into(), d.central);
            }
            _ => {}
        }
        if d.jumps {
            return Verdict::Inconclusive("the function jumps here".into(), nothing);
        }
        if !rule.is_finite() {
            let reason = "the derivative is not finite, which differences can't confirm";
            return Verdict::Inconclusive(reason.into(), d.central);
        }
        if self.is_kink(d) {
            return self.between(rule, d);
        }
        // At the end of the domain there is one side.
        let best = [d.central, d.right, d.left]
            .into_iter()
            .find(Estimate::exists);
        let Some(best) = best else {
            let reason =
                "there are no differences: the function is not finite nearby, or panics there";
            return Verdict::Inconclusive(reason.into(), nothing);
        };
        self.against(rule, best, d.slope)
    }

    /// Compares a second derivative with differences of the first one, which may well be made of steps. `largest` is the largest of the second derivatives
    /// beside it: of a first derivative that is the remainder of such terms both tell nothing but rounding.
    pub(super) fn judge_second(self, rule: f64, d: &Differences, largest: f64) -> Verdict {
        match d.flatness {
            _ if rule.abs().max(d.central.value.abs()) <= 16.0 * self.0 * largest => {
                Verdict::Agrees
            }
            Flatness::Saturated { .. } if rule == 0.0 => Verdict::Agrees,
            _ => self.judge(rule, d),
        }
    }

    fn against(self, rule: f64, best: Estimate, slope: f64) -> Verdict {
        let size = rule.abs().max(best.value.abs());
        let allowed = 10.0 * best.error + self.slack() * size;
        if (rule - best.value).abs() > allowed {
            // Differences that know nothing can't refute.
            let known = best.error <= 0.1 * size;
            return if known {
                Verdict::Wrong("it differs from differences".into(), best)
            } else {
                Verdict::Inconclusive("differences are too inaccurate here".into(), best)
            };
        }
        if best.error > self.conclusive() * size.max(slope) {
            return Verdict::Inconclusive("differences are too inaccurate here".into(), best);
        }
        Verdict::Agrees
    }

    /// The derivatives from both sides are known, and apart.
    fn is_kink(self, d: &Differences) -> bool {
        let (right, left) = (d.right, d.left);
        if !right.exists() || !left.exists() {
            return false;
        }
        let size = right.value.abs().max(left.value.abs());
        let errors = right.error + left.error;
        let gap = (right.value - left.value).abs();
        gap > 50.0 * errors && gap > 100.0 * self.slack() * size && errors <= 1e-2 * size
    }

    fn between(self, rule: f64, d: &Differences) -> Verdict {
        let (low, high) = if d.left.value < d.right.value {
            (d.left, d.right)
        } else {
            (d.right, d.left)
        };
        let slack = |e: Estimate| 10.0 * e.error + self.slack() * e.value.abs();
        if rule >= low.value - slack(low) && rule <= high.value + slack(high) {
            return Verdict::Kink;
        }
        let nearest = if rule < low.value { low } else { high };
        Verdict::Wrong(
            alloc::format!(
                "there is a kink, and it isn't between the one-sided differences, {} and {}",
                written(low.value),
                written(high.value)
            ),
            nearest,
        )
    }

    /// Returns `true` if two rules agree, given the size of the summed terms and of the largest value around.
    pub(super) fn agree(self, a: f64, b: f64, size: f64, largest: f64) -> bool {
        a == b
            || (a.is_nan() && b.is_nan())
            || (a - b).abs() <= self.agreement() * size + 16.0 * self.0 * largest
    }
}
