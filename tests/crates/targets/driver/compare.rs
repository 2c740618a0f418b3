//! Compares the numbers of two targets.

use targets::{Entry, Exactness};

/// By so many units in the last place numbers may differ that come from functions such as `sin` and `exp`.
pub(crate) const ULPS: u64 = 16;

/// How the numbers of an entry differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Difference {
    pub(crate) name: String,
    /// How many numbers have other bits.
    pub(crate) count: usize,
    /// The largest difference, in units in the last place.
    pub(crate) ulps: u64,
}

/// The entries with other bits. With `close`, numbers of entries that aren't exact may differ by so many units in the last place.
///
/// # Errors
/// If an entry is missing, or its numbers differ by more.
pub(crate) fn compare(
    found: &[Entry],
    expected: &[Entry],
    close: Option<u64>,
) -> Result<Vec<Difference>, String> {
    let names = |entries: &[Entry]| -> Vec<(String, usize)> {
        let of = |entry: &Entry| (entry.name.clone(), entry.numbers.len());
        entries.iter().map(of).collect()
    };
    if names(found) != names(expected) {
        return Err(format!("other entries: {:?}", names(found)));
    }
    let mut all = Vec::new();
    let mut wrong = Vec::new();
    for (found, expected) in found.iter().zip(expected) {
        // Of exact numbers no bit may differ, not even the sign of zero.
        let limit = match found.exactness {
            Exactness::Exact => None,
            Exactness::Close | Exactness::CloseSingle => close,
        };
        let is_single = found.exactness == Exactness::CloseSingle;
        let mut difference = Difference {
            name: found.name.clone(),
            count: 0,
            ulps: 0,
        };
        for (k, (a, b)) in found.numbers.iter().zip(&expected.numbers).enumerate() {
            if a.to_bits() == b.to_bits() {
                continue;
            }
            let ulps = if is_single {
                let [a, b] = [a, b].map(|v| position(single(*v).to_bits().into(), 32));
                a.abs_diff(b)
            } else {
                position(a.to_bits(), 64).abs_diff(position(b.to_bits(), 64))
            };
            difference.count += 1;
            difference.ulps = difference.ulps.max(ulps);
            // NaN is close to nothing.
            if limit.is_none_or(|limit| ulps > limit) || a.is_nan() || b.is_nan() {
                wrong.push(format!(
                    "{} [{k}]: {a:e} and {b:e}, {ulps} ulps",
                    found.name
                ));
            }
        }
        if difference.count > 0 {
            all.push(difference);
        }
    }
    if wrong.is_empty() {
        return Ok(all);
    }
    let more = wrong.len().saturating_sub(10);
    wrong.truncate(10);
    if more > 0 {
        wrong.push(format!("and {more} more"));
    }
    Err(format!("numbers differ:\n  {}", wrong.join("\n  ")))
}

/// A number of single precision, which stands as `f64`.
#[allow(clippy::cast_possible_truncation, reason = "it was an `f32`")]
fn single(v: f64) -> f32 {
    v as f32
}

/// The position of a float of so many bits among all in their order; both zeros have one.
fn position(bits: u64, size: u32) -> i64 {
    let sign = 1_u64 << (size - 1);
    let size = i64::try_from(bits & (sign - 1)).unwrap_or(i64::MAX);
    if bits & sign == 0 { size } else { -size }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(exactness: Exactness, numbers: &[f64]) -> Entry {
        Entry {
            name: "f".to_string(),
            exactness,
            numbers: numbers.to_vec(),
        }
    }

    fn ulps(exactness: Exactness, a: f64, b: f64) -> Result<u64, String> {
        let entries = [[a], [b]].map(|numbers| [entry(exactness, &numbers)]);
        let all = compare(&entries[0], &entries[1], Some(4))?;
        Ok(all.first().map_or(0, |difference| difference.ulps))
    }

    #[test]
    fn one_bit_of_an_exact_number_is_a_failure() {
        assert_eq!(ulps(Exactness::Exact, 1.5, 1.5), Ok(0));
        assert!(ulps(Exactness::Exact, 1.5, 1.5_f64.next_up()).is_err());
        assert!(ulps(Exactness::Exact, 0.0, -0.0).is_err());
    }

    #[test]
    fn units_in_the_last_place_are_counted() {
        let close = Exactness::Close;
        assert_eq!(ulps(close, 1.0, 1.0_f64.next_down()), Ok(1));
        assert_eq!(ulps(close, f64::from_bits(2), -f64::from_bits(1)), Ok(3));
        assert_eq!(ulps(close, -2.0, (-2.0_f64).next_up().next_up()), Ok(2));
        assert!(ulps(close, 1.0, 1.0 + 5.0 * f64::EPSILON).is_err());
        assert!(ulps(close, f64::NAN, 1.0).is_err());
        assert!(ulps(close, f64::MAX, -f64::MAX).is_err());
        let single = 1.0 + 3.0 * f64::from(f32::EPSILON);
        assert_eq!(ulps(Exactness::CloseSingle, 1.0, single), Ok(3));
        assert!(ulps(close, 1.0, single).is_err());
    }

    #[test]
    fn without_a_limit_nothing_may_differ() {
        let one = [entry(Exactness::Close, &[1.0])];
        let other = [entry(Exactness::Close, &[1.0_f64.next_up()])];
        assert!(compare(&one, &other, None).is_err());
        assert_eq!(compare(&one, &one, None), Ok(Vec::new()));
    }

    #[test]
    fn a_missing_number_is_a_failure() {
        let one = [entry(Exactness::Close, &[1.0])];
        let two = [entry(Exactness::Close, &[1.0, 2.0])];
        assert!(compare(&one, &two, Some(4)).is_err());
        assert!(compare(&[], &one, Some(4)).is_err());
    }
}
