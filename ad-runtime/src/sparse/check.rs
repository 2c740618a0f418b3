//! A plan's pattern still holds if the function's product with a random direction is that of the matrix which the plan has read.
//!
//! An entry `e` outside of the pattern is missing in the matrix, or was added to an entry of its row whose column shares its pass. The two products
//! then differ by `e` times a number of order 1. They differ by rounding as well, which has two parts:
//!
//! - A row's sum of `n` terms, in whatever order, is off by at most `n` epsilons of the sum of the terms' absolute values (Higham, "Accuracy and
//!   Stability of Numerical Algorithms", 2002, section 4.2), once in the function and once here, and each entry is itself rounded.
//! - The function may have cancelled larger terms on its way, or may compute in `f32`. That part is measured where the first one doesn't
//!   explain the difference: if it were not for rounding, the product with a direction would be the sum of those with its parts.

use alloc::vec::Vec;

use super::{PatternChanged, SparseMatrix};

/// In so many ways the direction is taken apart to measure the rounding of a row that looks wrong.
const PARTITIONS: usize = 12;
/// So many times the largest rounding measured is taken for rounding. That it is that much smaller in all partitions is improbable.
const MARGIN: f64 = 16.0;

/// A row whose products differ by more than the sum's rounding.
struct Suspect {
    row: usize,
    product: f64,
    error: f64,
    /// The difference that rounding explains.
    explained: f64,
}

/// Compares the products with a random direction.
///
/// # Errors
/// If a row's differ by more than rounding explains, or `along` fails.
pub(super) fn holds<Y: AsRef<[f64]>>(
    matrix: &SparseMatrix,
    mut along: impl FnMut(&[f64]) -> Result<Y, PatternChanged>,
) -> Result<(), PatternChanged> {
    // Another direction for other values, so that no entry escapes time and again.
    let values = matrix.values().iter();
    let mut state = values.fold(1_u64, |hash, value| {
        (hash ^ value.to_bits()).wrapping_mul(0x0100_0000_01b3)
    });
    let direction: Vec<f64> = (0..matrix.ncols()).map(|_| irregular(&mut state)).collect();
    let mut suspects = suspects(matrix, &direction, along(&direction)?.as_ref());
    for _ in 0..PARTITIONS {
        if suspects.is_empty() {
            return Ok(());
        }
        // Each part of the columns with a factor of its own; at most 1, so that nothing overflows that didn't before.
        let parts: Vec<bool> = direction
            .iter()
            .map(|_| irregular(&mut state) > 0.0)
            .collect();
        let mut product_of = |part| {
            let factor = irregular(&mut state) / 1.5;
            let columns = direction.iter().zip(&parts);
            let scaled: Vec<f64> = columns
                .map(|(d, of)| if *of == part { d * factor } else { 0.0 })
                .collect();
            along(&scaled).map(|product| (factor, product))
        };
        let ((f, first), (g, second)) = (product_of(false)?, product_of(true)?);
        let (first, second) = (first.as_ref(), second.as_ref());
        suspects.retain_mut(|suspect| {
            let sum = first[suspect.row] / f + second[suspect.row] / g;
            let rounding = (sum - suspect.product).abs();
            suspect.explained = suspect.explained.max(MARGIN * rounding);
            // A product that isn't finite is not explained.
            let explained = suspect.error <= suspect.explained;
            !explained
        });
    }
    match suspects.first() {
        None => Ok(()),
        Some(suspect) => Err(PatternChanged::Entry { row: suspect.row }),
    }
}

/// The rows whose sums' rounding doesn't explain how the products differ.
fn suspects(matrix: &SparseMatrix, direction: &[f64], product: &[f64]) -> Vec<Suspect> {
    // Of each row the sum of its terms, of their absolute values, and their number.
    let mut rows = alloc::vec![(0.0_f64, 0.0_f64, 0_u32); matrix.nrows()];
    for (i, j, value) in matrix.triplets() {
        let term = value * direction[j];
        let (sum, size, count) = rows[i];
        rows[i] = (sum + term, size + term.abs(), count + 1);
    }
    let all = rows.iter().zip(product).enumerate();
    all.filter_map(|(row, (&(sum, size, count), &product))| {
        // Of entries that are not finite there is no sum to compare with.
        if !size.is_finite() {
            return None;
        }
        let error = (sum - product).abs();
        let roundings = f64::from(2 * count + 2);
        let explained = roundings * (f64::EPSILON * size + f64::MIN_POSITIVE);
        let is_explained = error <= explained;
        (!is_explained).then_some(Suspect {
            row,
            product,
            error,
            explained,
        })
    })
    .collect()
}

/// Numbers between 0.5 and 1.5, of either sign, without a regularity that entries could have.
fn irregular(state: &mut u64) -> f64 {
    *state = state
        .wrapping_mul(6_364_136_223_846_793_005)
        .wrapping_add(1_442_695_040_888_963_407);
    let bits = u32::try_from(*state >> 32).unwrap_or_default();
    let size = 0.5 + f64::from(bits >> 1) / f64::from(u32::MAX >> 1);
    if bits & 1 == 0 { size } else { -size }
}

#[cfg(test)]
mod tests {
    use super::super::{HessianPlan, JacobianPlan, Pattern};
    use super::*;
    use alloc::vec::Vec;

    struct Random(u64);

    impl Random {
        /// Between 0 and 1.
        fn number(&mut self) -> f64 {
            (irregular(&mut self.0).abs() - 0.5).clamp(0.0, 1.0)
        }

        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "it is small"
        )]
        fn below(&mut self, n: usize) -> usize {
            ((self.number() * 1e6) as usize) % n
        }

        /// Of either sign, and of any size between `10^-digits` and `10^digits`.
        fn scaled(&mut self, digits: f64) -> f64 {
            let sign = if self.number() < 0.5 { -1.0 } else { 1.0 };
            sign * 10_f64.powf(digits * (2.0 * self.number() - 1.0)) * (0.5 + self.number())
        }
    }

    /// Rows of terms `(column, factor)`, of which a column may have several: their sum is the entry.
    #[derive(Clone)]
    struct Rows(usize, Vec<Vec<(usize, f64)>>);

    impl Rows {
        fn random(random: &mut Random, digits: f64) -> Self {
            let n = 4 + random.below(12);
            let row = |_| {
                let count = 1 + random.below(6);
                let scale = random.scaled(2.0 * digits);
                let mut row: Vec<(usize, f64)> = Vec::new();
                for _ in 0..count {
                    row.push((random.below(n), scale * random.scaled(digits)));
                }
                row
            };
            let rows = (0..n).map(row).collect();
            Rows(n, rows)
        }

        fn along(&self, v: &[f64]) -> Vec<f64> {
            let row = |row: &Vec<(usize, f64)>| row.iter().map(|(j, a)| a * v[*j]).sum();
            self.1.iter().map(row).collect()
        }

        fn pattern(&self) -> Pattern {
            let entries = self.1.iter().enumerate();
            let entries = entries.flat_map(|(i, row)| row.iter().map(move |(j, _)| (i, *j)));
            Pattern::new(self.1.len(), self.0, entries)
        }
    }

    #[test]
    fn new_entries_are_found_however_small() {
        for digits in 3..=13 {
            let (mut tried, mut found) = (0, 0);
            for seed in 0..400 {
                let mut random = Random(seed);
                let mut rows = Rows::random(&mut random, 1.0);
                let (pattern, n) = (rows.pattern(), rows.0);
                let plan = JacobianPlan::new(&pattern);
                let (i, j) = (random.below(n), random.below(n));
                if pattern.column(j).contains(&i) {
                    continue;
                }
                let size: f64 = rows.1[i].iter().map(|(_, a)| a.abs()).sum();
                rows.1[i].push((j, size * 10_f64.powi(-digits)));
                tried += 1;
                match plan.jacobian(|v| rows.along(v)) {
                    Err(changed) => {
                        assert_eq!(changed, PatternChanged::Entry { row: i });
                        found += 1;
                    }
                    Ok(_) => assert!(digits >= 12, "seed {seed}, digits {digits}"),
                }
            }
            assert!(tried > 200);
            // In a pass with an entry of its row, a new one is seen by the difference of two random numbers.
            assert!(100 * found >= 95 * tried, "1e-{digits}: {found} of {tried}");
        }
    }

    #[test]
    fn entries_in_rows_without_any() {
        let plan = JacobianPlan::new(&Pattern::new(2, 2, [(0, 0)]));
        for size in [1e-300, 1e-13, 1.0, 1e300, f64::INFINITY, f64::NAN] {
            let changed = plan.jacobian(|v| [2.0 * v[0], size * v[1]]);
            assert_eq!(changed, Err(PatternChanged::Entry { row: 1 }), "{size}");
        }
    }

    #[test]
    fn small_entries_in_second_derivatives() {
        for digits in 3..=13 {
            let small = 10_f64.powi(-digits);
            let plan = HessianPlan::new(&Pattern::new(3, 3, [(0, 0), (0, 1), (2, 2)]));
            let along = |v: &[f64], small: f64| {
                [
                    2.0 * v[0] + 0.3 * v[1],
                    0.3 * v[0] + small * v[2],
                    small * v[1] + v[2],
                ]
            };
            assert!(plan.hessian(|v| along(v, 0.0)).is_ok());
            let changed = plan.hessian(|v| along(v, small));
            assert!(matches!(changed, Err(PatternChanged::Entry { .. })));
        }
    }

    #[test]
    fn rounding_is_no_change() {
        for seed in 0..4000 {
            let mut random = Random(seed);
            let rows = Rows::random(&mut random, f64::from(u32::try_from(seed % 12).unwrap()));
            let plan = JacobianPlan::new(&rows.pattern());
            let changed = plan.jacobian(|v| rows.along(v)).err();
            assert_eq!(changed, None, "seed {seed}");
        }
    }

    /// An entry may be the remainder of much larger terms.
    #[test]
    fn cancellation_is_no_change() {
        for seed in 0..4000 {
            let mut random = Random(seed);
            let mut rows = Rows::random(&mut random, 2.0);
            for row in &mut rows.1 {
                for (column, factor) in row.clone() {
                    let large = factor * 10_f64.powf(14.0 * random.number());
                    row.insert(random.below(row.len()), (column, large));
                    row.push((column, -large));
                }
            }
            let plan = JacobianPlan::new(&rows.pattern());
            let changed = plan.jacobian(|v| rows.along(v)).err();
            assert_eq!(changed, None, "seed {seed}");
        }
    }

    /// As of a function that computes in `f32`.
    #[test]
    #[allow(
        clippy::cast_possible_truncation,
        reason = "rounding is what is wanted"
    )]
    fn coarse_numbers_are_no_change() {
        for seed in 0..1000 {
            let mut random = Random(seed);
            let rows = Rows::random(&mut random, 2.0);
            let along = |v: &[f64]| -> Vec<f64> {
                let row = |row: &Vec<(usize, f64)>| {
                    let terms = row.iter().map(|(j, a)| (*a as f32) * (v[*j] as f32));
                    f64::from(terms.sum::<f32>())
                };
                rows.1.iter().map(row).collect()
            };
            let plan = JacobianPlan::new(&rows.pattern());
            assert_eq!(plan.jacobian(along).err(), None, "seed {seed}");
        }
    }
}
