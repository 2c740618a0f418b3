//! Derivatives by differences, central and one-sided, extrapolated to step zero, with estimates of their errors.

use alloc::vec;
use alloc::vec::Vec;

/// A derivative by differences.
#[derive(Clone, Copy, Debug)]
pub(super) struct Estimate {
    pub(super) value: f64,
    pub(super) error: f64,
    /// The finest step that it was made of.
    pub(super) step: f64,
}

impl Estimate {
    const NONE: Estimate = Estimate {
        value: f64::NAN,
        error: f64::INFINITY,
        step: 0.0,
    };

    pub(super) fn exists(&self) -> bool {
        self.error.is_finite()
    }

    /// Returns `true` if another family of steps agrees, as far as both exist.
    fn agrees(&self, other: &Estimate) -> bool {
        let gap = (self.value - other.value).abs();
        !self.exists() || !other.exists() || gap <= 10.0 * self.error.min(other.error)
    }
}

/// All that differences say of one output.
#[derive(Clone, Debug)]
pub(super) struct Differences {
    pub(super) central: Estimate,
    /// From the side of positive steps.
    pub(super) right: Estimate,
    pub(super) left: Estimate,
    pub(super) flatness: Flatness,
    /// The output jumps at step zero.
    pub(super) jumps: bool,
    /// The largest change by a unit step, at the step of the best estimate.
    pub(super) slope: f64,
}

impl Differences {
    /// Those of an output to which a line of this slope is added.
    pub(super) fn plus(&self, slope: f64) -> Differences {
        let moved = |of: Estimate| Estimate {
            value: of.value + slope,
            ..of
        };
        Differences {
            central: moved(self.central),
            right: moved(self.right),
            left: moved(self.left),
            flatness: match self.flatness {
                _ if slope != 0.0 => Flatness::Changes,
                flatness => flatness,
            },
            slope: self.slope.max(slope.abs()),
            ..*self
        }
    }
}

/// How an output changes, if it does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Flatness {
    /// At the steps that count.
    Changes,
    /// At no step, up to rounding. A slope of this would have been seen.
    Never { slope: f64 },
    /// Only at large steps, where a constant piece of the function ends at a kink.
    Piece,
    /// Only at large steps: it is saturated there, or made of steps.
    Saturated { slope: f64 },
}

/// The outputs at a step, and the step as it was really taken.
pub(super) type Sample = Option<(f64, Vec<f64>)>;

/// The steps: `largest` and its halves, down to `smallest`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Steps {
    pub(super) largest: f64,
    pub(super) smallest: f64,
}

impl Steps {
    /// Those that suit an argument of this size.
    pub(super) fn of(x: f64, epsilon: f64) -> Steps {
        let size = if x.is_finite() { x.abs() } else { 1.0 };
        // Differences over less than this have hardly a correct digit.
        let least = epsilon.powf(0.75);
        let small = if size > 0.0 && size < 1.0 {
            size.max(1e-150)
        } else {
            1.0
        };
        Steps {
            largest: 4.0 * size.max(1.0).log2().floor().exp2(),
            smallest: least * small,
        }
    }

    fn list(self) -> Vec<f64> {
        let halves = core::iter::successors(Some(self.largest), |step| Some(step * 0.5));
        halves.take_while(|step| *step >= self.smallest).collect()
    }
}

/// Differences of all outputs of `f` at zero; `epsilon` is the precision that `f` is computed in.
///
/// They are taken with several families of steps. The estimate of one alone isn't reliable: its steps may be periods of the function, or
/// rounding may agree by chance.
pub(super) fn differences(
    f: &dyn Fn(f64) -> Sample,
    at_zero: &[f64],
    steps: Steps,
    epsilon: f64,
) -> Vec<Differences> {
    let family = |part: f64| of_family(f, at_zero, steps, epsilon, part);
    let (mut all, second) = (family(1.0), family(0.83));
    let apart = |(a, b): (&Differences, &Differences)| {
        let pairs = [(a.central, b.central), (a.right, b.right), (a.left, b.left)];
        pairs.iter().any(|(a, b)| !a.agrees(b))
    };
    if !all.iter().zip(&second).any(apart) {
        return all;
    }
    let third = family(0.59);
    for ((a, b), c) in all.iter_mut().zip(&second).zip(&third) {
        a.central = likeliest([a.central, b.central, c.central]);
        a.right = likeliest([a.right, b.right, c.right]);
        a.left = likeliest([a.left, b.left, c.left]);
    }
    all
}

/// Of three estimates, one of the two that are closest to each other, as precise as they are close.
fn likeliest(estimates: [Estimate; 3]) -> Estimate {
    let [a, b, c] = estimates;
    let pairs = [(a, b), (a, c), (b, c)];
    let known = pairs.iter().filter(|(a, b)| a.exists() && b.exists());
    let gap = |(a, b): &(Estimate, Estimate)| (a.value - b.value).abs();
    let closest = known.min_by(|x, y| gap(x).total_cmp(&gap(y)));
    let Some((x, y)) = closest else {
        // A single estimate isn't confirmed by others.
        return if a.exists() { a } else { Estimate::NONE };
    };
    let best = if y.error < x.error { y } else { x };
    Estimate {
        error: best.error.max(gap(&(*x, *y))),
        ..*best
    }
}

/// Differences with one family of steps: `part` of each.
fn of_family(
    f: &dyn Fn(f64) -> Sample,
    at_zero: &[f64],
    steps: Steps,
    epsilon: f64,
    part: f64,
) -> Vec<Differences> {
    let samples: Vec<(f64, Sample, Sample)> = steps
        .list()
        .into_iter()
        .map(|step| step * part)
        .map(|step| (step, f(step), f(-step)))
        .collect();
    (0..at_zero.len())
        .map(|i| {
            of_output(&Output {
                i,
                f,
                y: at_zero[i],
                samples: &samples,
                epsilon,
            })
        })
        .collect()
}

/// One output, at all steps.
struct Output<'a> {
    i: usize,
    f: &'a dyn Fn(f64) -> Sample,
    y: f64,
    samples: &'a [(f64, Sample, Sample)],
    epsilon: f64,
}

impl Output<'_> {
    /// The step that was taken and the output there, if it is finite.
    fn at(&self, sample: &Sample) -> Option<(f64, f64)> {
        let (step, outputs) = sample.as_ref()?;
        let y = *outputs.get(self.i)?;
        (y.is_finite() && *step != 0.0).then_some((*step, y))
    }

    /// Changes below this are rounding.
    fn noise(&self) -> f64 {
        4.0 * self.epsilon * self.y.abs()
    }

    /// How far off outputs are, as far as it shows: between the smallest steps on one side of zero a function with a derivative is a line, and any
    /// deviation from it is noise. Where the output is the remainder of larger terms, that is more than its own rounding.
    fn scatter(&self) -> f64 {
        const STEPS: usize = 6;
        let smallest = &self.samples[self.samples.len().saturating_sub(STEPS)..];
        let slope = |sample| self.at(sample).map(|(h, y)| (h, (y - self.y) / h));
        let apart = |coarse, fine| {
            let ((_, coarse), (h, fine)) = (slope(coarse)?, slope(fine)?);
            Some(((coarse - fine) * h).abs())
        };
        let scatters = smallest.windows(2).flat_map(|pair| {
            let ((_, right, left), (_, finer_right, finer_left)) = (&pair[0], &pair[1]);
            [apart(right, finer_right), apart(left, finer_left)]
        });
        scatters.flatten().fold(self.lost(smallest), f64::max)
    }

    /// How far off outputs are where the smallest steps change nothing: they are lost in a sum with something large, and the output changes
    /// by jumps, of which the smallest shows. A larger one is no rounding, but the end of a constant piece.
    fn lost(&self, smallest: &[(f64, Sample, Sample)]) -> f64 {
        let change = |sample: &Sample| self.at(sample).map(|(_, y)| (y - self.y).abs());
        let is_lost = |(_, right, left): &(f64, Sample, Sample)| {
            change(right) == Some(0.0) && change(left) == Some(0.0)
        };
        if !smallest.iter().any(is_lost) {
            return 0.0;
        }
        let changes =
            (self.samples.iter()).flat_map(|(_, right, left)| [change(right), change(left)]);
        let changes = changes.flatten().filter(|change| *change > 0.0);
        let least = changes.fold(f64::INFINITY, f64::min);
        if least <= self.epsilon.sqrt() * self.y.abs() {
            least
        } else {
            0.0
        }
    }
}

fn of_output(output: &Output<'_>) -> Differences {
    let (y, noise) = (output.y, output.noise());
    let scatter = output.scatter();
    let rounding = |step: f64, most: f64| (output.epsilon * most).max(scatter) / step.abs();
    let quotients = |side: Side| -> Vec<Option<Quotient>> {
        let each = output.samples.iter().map(|(step, right, left)| {
            let ((h, right), (k, left)) = match side {
                Side::Both => (output.at(right)?, output.at(left)?),
                Side::Right => (output.at(right)?, (0.0, y)),
                Side::Left => ((0.0, y), output.at(left)?),
            };
            Some(Quotient {
                step: *step,
                value: (right - left) / (h - k),
                rounding: rounding(h - k, right.abs().max(left.abs())),
            })
        });
        each.collect()
    };
    let mut central = extrapolate(&quotients(Side::Both), 4.0);
    let (right, left) = if y.is_finite() {
        (
            extrapolate(&quotients(Side::Right), 2.0),
            extrapolate(&quotients(Side::Left), 2.0),
        )
    } else {
        (Estimate::NONE, Estimate::NONE)
    };
    let change = |sample: &Sample| output.at(sample).map_or(0.0, |(_, at)| (at - y).abs());
    let slope = output
        .samples
        .iter()
        .filter(|(step, ..)| *step == central.step)
        .map(|(step, right, left)| change(right).max(change(left)) / step)
        .fold(0.0, f64::max);
    // Where the sides cancel, as at an extremum, the remainder of the derivative itself is rounding.
    let steepest = (output.samples.iter())
        .filter(|(step, ..)| (central.step / 16.0..=central.step).contains(step))
        .map(|(step, right, left)| change(right).max(change(left)) / step)
        .fold(0.0, f64::max);
    central.error = central.error.max(2.0 * output.epsilon * steepest);
    let jumps = output.samples.last().is_some_and(|(step, right, left)| {
        let slopes = [right, left].map(change);
        let most = slopes[0].max(slopes[1]);
        // A change that the smallest step can't have made.
        most > 1e-3 * y.abs().max(largest_change(output))
            && most > noise
            && most / step > 1e3 * slope
    });
    Differences {
        central,
        right,
        left,
        flatness: flatness(output),
        jumps,
        slope,
    }
}

#[derive(Clone, Copy)]
enum Side {
    Both,
    Right,
    Left,
}

#[derive(Clone, Copy)]
struct Quotient {
    step: f64,
    value: f64,
    rounding: f64,
}

/// Richardson's extrapolation of difference quotients at halved steps, whose error has a series in powers of `base` per halving.
/// Of all entries of the table that one counts that differs least from those it was made of, unless finer steps, where they are
/// sure of it, say otherwise.
///
/// # Source
/// C. J. F. Ridders, Accurate computation of F'(x) and F'(x) F''(x), Advances in Engineering Software 4 (1982), 75-76.
fn extrapolate(quotients: &[Option<Quotient>], base: f64) -> Estimate {
    const COLUMNS: usize = 7;
    let mut rows: Vec<Estimate> = Vec::new();
    let mut above: Vec<f64> = Vec::new();
    for quotient in quotients {
        let Some(Quotient {
            step,
            value,
            rounding,
        }) = *quotient
        else {
            above.clear();
            continue;
        };
        let mut row = vec![value];
        let mut best = Estimate::NONE;
        let mut power = 1.0;
        for coarser in above.iter().take(COLUMNS) {
            power *= base;
            let finer = row[row.len() - 1];
            let value = finer + (finer - coarser) / (power - 1.0);
            let error = (value - finer).abs().max((value - coarser).abs()) + rounding;
            if error < best.error {
                best = Estimate { value, error, step };
            }
            row.push(value);
        }
        above = row;
        if best.exists() {
            rows.push(best);
        }
    }
    select(&rows)
}

/// The best estimate that no much finer one contradicts.
fn select(rows: &[Estimate]) -> Estimate {
    let least = |rows: &[Estimate]| {
        let best = rows
            .iter()
            .copied()
            .reduce(|a, b| if b.error < a.error { b } else { a });
        best.unwrap_or(Estimate::NONE)
    };
    let finer = |step: f64| -> Vec<Estimate> {
        let finer = rows.iter().filter(|row| row.step * 8.0 <= step);
        finer.copied().collect()
    };
    let mut best = least(rows);
    let mut step = best.step;
    loop {
        let other = least(&finer(step));
        if !other.exists() {
            return best;
        }
        // Estimates that agree may still be on the same flat piece: the finer ones are compared, too.
        if (other.value - best.value).abs() > 10.0 * (other.error + best.error) {
            best = other;
        }
        step = other.step;
    }
}

fn largest_change(output: &Output<'_>) -> f64 {
    let changes = output.samples.iter().flat_map(|(_, right, left)| {
        [right, left].map(|side| output.at(side).map_or(0.0, |(_, at)| (at - output.y).abs()))
    });
    changes.fold(0.0, f64::max)
}

fn flatness(output: &Output<'_>) -> Flatness {
    let (y, noise) = (output.y, output.noise());
    let still = |sample: &Sample| {
        output
            .at(sample)
            .is_none_or(|(_, at)| (at - y).abs() <= noise)
    };
    let seen = |sample: &Sample| output.at(sample).is_some();
    let quiet: Vec<bool> = output
        .samples
        .iter()
        .map(|(_, right, left)| still(right) && still(left))
        .collect();
    let Some(last_loud) = quiet.iter().rposition(|quiet| !quiet) else {
        let step = output
            .samples
            .iter()
            .find(|(_, right, left)| seen(right) || seen(left));
        return match step {
            Some((step, ..)) => Flatness::Never {
                slope: (2.0 * noise + f64::MIN_POSITIVE) / step,
            },
            None => Flatness::Changes,
        };
    };
    let Some((flat, right, left)) = output.samples.get(last_loud + 1) else {
        return Flatness::Changes;
    };
    // Exactly flat on both sides, and over a step that would have shown a change as fast as the one beyond.
    let exactly = |sample: &Sample| output.at(sample).is_some_and(|(_, at)| at == y);
    let (loud, loud_right, loud_left) = &output.samples[last_loud];
    let change = |sample: &Sample| output.at(sample).map_or(0.0, |(_, at)| (at - y).abs());
    let beyond = change(loud_right).max(change(loud_left));
    if !(exactly(right) && exactly(left)) || beyond <= 64.0 * noise.max(f64::MIN_POSITIVE) {
        return Flatness::Changes;
    }
    let sign = if change(loud_right) > noise {
        1.0
    } else {
        -1.0
    };
    if ends_in_a_kink(output, sign * flat, sign * loud) {
        Flatness::Piece
    } else {
        Flatness::Saturated {
            slope: (2.0 * noise + f64::MIN_POSITIVE) / flat,
        }
    }
}

/// Returns `true` if the constant piece that `flat` is in, and `loud` isn't, ends with a finite slope, like `max`, and unlike
/// `floor` or `tanh`.
fn ends_in_a_kink(output: &Output<'_>, flat: f64, loud: f64) -> bool {
    let change = |step: f64| -> Option<f64> {
        let sample = (output.f)(step);
        output.at(&sample).map(|(_, at)| at - output.y)
    };
    let (mut inside, mut outside) = (flat, loud);
    for _ in 0..60 {
        let middle = 0.5 * (inside + outside);
        match change(middle) {
            Some(0.0) => inside = middle,
            Some(_) => outside = middle,
            None => return false,
        }
    }
    let width = (loud - flat) / 64.0;
    let slopes =
        [1.0, 0.25, 0.0625].map(|part| change(outside + part * width).map(|c| c / (part * width)));
    let [Some(a), Some(b), Some(c)] = slopes else {
        return false;
    };
    // With a kink of any order the slopes go as a power of the distance; behind a jump they are unbounded.
    let (first, second) = (a / b, b / c);
    let power = |ratio: f64| (0.7..20.0).contains(&ratio);
    power(first) && power(second) && (first - second).abs() <= 0.3 * first
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(f: impl Fn(f64) -> f64, x: f64) -> Differences {
        let sample = |step: f64| Some(((x + step) - x, vec![f(x + step)]));
        let all = differences(&sample, &[f(x)], Steps::of(x, f64::EPSILON), f64::EPSILON);
        all[0].clone()
    }

    fn assert_near(f: impl Fn(f64) -> f64, x: f64, want: f64) {
        let got = at(f, x);
        let Estimate { value, error, .. } = got.central;
        assert!((value - want).abs() <= 10.0 * error, "{got:?}, {want}");
        assert!(error <= 1e-8 * want.abs().max(1e-3), "{got:?}, {want}");
    }

    #[test]
    fn smooth_functions_to_many_digits() {
        assert_near(f64::sin, 0.7, 0.7_f64.cos());
        assert_near(f64::ln, 0.3, 1.0 / 0.3);
        assert_near(f64::ln, 1e-8, 1e8);
        assert_near(|x| x * x, 0.0, 0.0);
        assert_near(|x| x * x + 5.0, 1e6, 2e6);
        assert_near(|x| (1e3 * x).sin(), 0.7, 1e3 * 700_f64.cos());
        assert_near(f64::exp, 10.0, 10_f64.exp());
    }

    /// A remainder of large terms that cancel isn't known better than these are.
    #[test]
    fn remainders_of_large_terms() {
        for k in 0..300 {
            let (x, large) = (0.3 + 0.01 * f64::from(k), 30.0 + f64::from(k));
            let got = at(|x| (x * x + large / x) - large / x, x).central;
            let off = (got.value - 2.0 * x).abs();
            assert!(off <= 10.0 * got.error && got.error <= 1e-8, "{x}: {got:?}");
        }
    }

    #[test]
    fn both_sides_of_a_kink() {
        let got = at(f64::abs, 0.0);
        assert!((got.right.value - 1.0).abs() < 1e-9, "{got:?}");
        assert!((got.left.value + 1.0).abs() < 1e-9, "{got:?}");
    }

    #[test]
    fn one_side_of_a_domain() {
        let got = at(|x| x.powf(1.5), 0.0);
        assert!(!got.central.exists() && !got.left.exists(), "{got:?}");
        assert!(got.right.value.abs() < 1e-4, "{got:?}");
    }

    #[test]
    fn jumps_are_seen() {
        assert!(at(|x| if x > 0.0 { 1.0 } else { 0.0 }, 0.0).jumps);
        assert!(at(|x| if x == 0.0 { 1.0 } else { x }, 0.0).jumps);
        assert!(!at(|x| 1e3 * x, 0.0).jumps);
        assert!(!at(f64::abs, 0.0).jumps);
        assert!(!at(f64::sin, 0.3).jumps);
    }

    #[test]
    fn flat_pieces_and_saturation() {
        let saturated = |d: Differences| matches!(d.flatness, Flatness::Saturated { .. });
        assert!(saturated(at(|x| (1e3 * x).tanh(), 5.0)));
        assert!(saturated(at(|x| (1e3 * x).tanh(), 0.3)));
        assert!(saturated(at(f64::round, 0.3)));
        assert!(saturated(at(|x| (10.0 * x).floor(), 0.33)));
        assert_eq!(at(|x| x.max(2.0), 1.0).flatness, Flatness::Piece);
        assert_eq!(at(|x| x.max(0.0), -1.0).flatness, Flatness::Piece);
        assert!(matches!(at(|_| 3.0, 1.0).flatness, Flatness::Never { .. }));
        assert_eq!(at(f64::sin, 1.0).flatness, Flatness::Changes);
        assert_eq!(at(|x| x * x, 0.0).flatness, Flatness::Changes);
        assert_eq!(at(|x| x * x + 5.0, 0.0).flatness, Flatness::Changes);
        assert_eq!(at(|x| 1.0 + 1e-9 * x, 1.0).flatness, Flatness::Changes);
    }

    /// Wide flat pieces on both sides of a smooth piece that few steps fit in.
    #[test]
    fn short_pieces_between_constants() {
        let short = |x: f64| {
            if x > 0.1 && x < 1.3 && x.sin() + 0.1 <= 0.5 {
                x.sin() + 0.1
            } else {
                0.0
            }
        };
        let got = at(short, 0.21).central;
        assert!((got.value - 0.21_f64.cos()).abs() <= 1e-7, "{got:?}");
    }

    /// Asserts that no estimate is off by more than its error, and by more than `judge` allows.
    fn assert_never_wrong(f: impl Fn(f64) -> f64, derivative: impl Fn(f64) -> f64) {
        for k in 0..300 {
            let x = -1.5 + 0.01 * f64::from(k);
            let (got, want) = (at(&f, x).central, derivative(x));
            let allowed = 10.0 * got.error + 2e-10 * want.abs();
            assert!((got.value - want).abs() <= allowed, "{x}: {got:?}, {want}");
        }
    }

    #[test]
    fn periods_that_steps_are_multiples_of() {
        const TURN: f64 = 2.0 * core::f64::consts::PI;
        assert_never_wrong(|x| (TURN * x).sin(), |x| TURN * (TURN * x).cos());
        // Rastrigin's function.
        assert_never_wrong(
            |x| 10.0 + x * x - 10.0 * (TURN * x).cos(),
            |x| 2.0 * x + 10.0 * TURN * (TURN * x).sin(),
        );
        assert_never_wrong(
            |x| (8.0 * TURN * x).sin(),
            |x| 8.0 * TURN * (8.0 * TURN * x).cos(),
        );
    }
}
