//! Central differences, extrapolated to step zero.

/// A derivative by differences, and an estimate of its error.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Estimate {
    pub(crate) value: f64,
    pub(crate) error: f64,
}

/// The derivative of each component of `f` at zero, by central differences at halved steps and Richardson's extrapolation.
/// Of all entries of the table the one is taken that differs least from those it was made of.
///
/// # Source
/// C. J. F. Ridders, Accurate computation of F'(x) and F'(x) F''(x), Advances in Engineering Software 4 (1982), 75-76.
pub(crate) fn differences(f: &dyn Fn(f64) -> Vec<f64>) -> Vec<Estimate> {
    const ROWS: usize = 8;
    const FIRST_STEP: f64 = 0.0625;
    let n = f(0.0).len();
    let mut best = vec![
        Estimate {
            value: f64::NAN,
            error: f64::INFINITY
        };
        n
    ];
    let mut above: Vec<Vec<f64>> = vec![Vec::new(); n];
    let mut step = FIRST_STEP;
    for _ in 0..ROWS {
        let (right, left) = (f(step), f(-step));
        for i in 0..n {
            let mut row = vec![(right[i] - left[i]) / (2.0 * step)];
            let mut power = 1.0;
            for (k, coarser) in above[i].iter().enumerate() {
                power *= 4.0;
                let finer = row[k];
                let value = finer + (finer - coarser) / (power - 1.0);
                let error = f64::max((value - finer).abs(), (value - coarser).abs());
                if error < best[i].error {
                    best[i] = Estimate { value, error };
                }
                row.push(value);
            }
            above[i] = row;
        }
        step *= 0.5;
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn smooth_functions_to_ten_digits() {
        let got = differences(&|h| vec![(0.7 + h).sin(), (0.3 + h).ln(), 4.0]);
        for (got, want) in got.iter().zip([0.7_f64.cos(), 1.0 / 0.3, 0.0]) {
            assert!((got.value - want).abs() < 1e-10, "{got:?}, {want}");
            assert!(
                (got.value - want).abs() <= 10.0 * got.error + 1e-13,
                "{got:?}, {want}"
            );
        }
    }

    #[test]
    fn no_small_error_at_a_jump() {
        let got = differences(&|h| vec![if h > 0.0 { 1.0 } else { 0.0 }]);
        assert!(got[0].error > 1.0, "{got:?}");
    }
}
