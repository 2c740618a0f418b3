//! Colors: columns of one color go through one pass, and every entry can still be told apart.
//!
//! The greedy algorithms of Gebremedhin, Manne and Pothen, "What color is your Jacobian? Graph coloring for computing derivatives", SIAM Review
//! 47 (2005), in the order of columns and in that of falling degree, whichever needs fewer colors.

use alloc::vec;
use alloc::vec::Vec;

use super::Pattern;

/// Marks a column that has no color yet.
const NONE: usize = usize::MAX;

/// A color for each column, and how many there are.
pub(super) type Colors = (Vec<usize>, usize);

/// Columns of one color have no row in common: the distance-2 coloring of the columns in the graph of rows and columns (algorithm 3.1).
pub(super) fn columns(pattern: &Pattern) -> Colors {
    let rows = pattern.transposed();
    best(pattern, |colors, j, forbid| {
        for i in pattern.column(j) {
            for k in rows.column(*i) {
                forbid(colors[*k]);
            }
        }
    })
}

/// Of a symmetric pattern: neighbors have different colors, and every path of four columns has three (algorithm 4.1, a star coloring). So each
/// entry, or the one across the diagonal, is alone in its row among the columns of its color.
pub(super) fn stars(pattern: &Pattern) -> Colors {
    best(pattern, |colors, v, forbid| {
        for w in pattern.column(v).iter().filter(|w| **w != v) {
            forbid(colors[*w]);
            for x in pattern.column(*w).iter().filter(|x| **x != v && *x != w) {
                // Where the color between is the lower one, the path goes on from there in no third color.
                if colors[*w] == NONE || (colors[*x] != NONE && colors[*x] < colors[*w]) {
                    forbid(colors[*x]);
                }
            }
        }
    })
}

/// The better of both orders.
fn best(pattern: &Pattern, forbidden: impl Fn(&[usize], usize, &mut dyn FnMut(usize))) -> Colors {
    let natural: Vec<usize> = (0..pattern.ncols()).collect();
    let mut falling = natural.clone();
    falling.sort_by_key(|j| core::cmp::Reverse(pattern.column(*j).len()));
    let natural = greedy(&natural, &forbidden);
    let falling = greedy(&falling, &forbidden);
    if falling.1 < natural.1 {
        falling
    } else {
        natural
    }
}

/// Each column gets the first color that isn't forbidden.
fn greedy(order: &[usize], forbidden: &impl Fn(&[usize], usize, &mut dyn FnMut(usize))) -> Colors {
    let mut colors = vec![NONE; order.len()];
    // For which column a color was forbidden last.
    let mut forbidden_for: Vec<usize> = Vec::new();
    for j in order.iter().copied() {
        forbidden(&colors, j, &mut |color| {
            if color != NONE {
                forbidden_for[color] = j;
            }
        });
        let free = forbidden_for.iter().position(|by| *by != j);
        colors[j] = free.unwrap_or(forbidden_for.len());
        if colors[j] == forbidden_for.len() {
            forbidden_for.push(NONE);
        }
    }
    (colors, forbidden_for.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A pseudo-random symmetric pattern with its diagonal.
    fn symmetric(n: usize, edges: usize, mut seed: u64) -> Pattern {
        let mut next = || {
            seed = seed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            usize::try_from(seed >> 33).expect("31 bits") % n
        };
        let pairs: Vec<_> = (0..edges).map(|_| (next(), next())).collect();
        let across = pairs.iter().map(|(i, j)| (*j, *i));
        let diagonal = (0..n).map(|i| (i, i));
        Pattern::new(n, n, pairs.iter().copied().chain(across).chain(diagonal))
    }

    #[test]
    fn no_row_has_two_columns_of_one_color() {
        for seed in 0..50 {
            let pattern = symmetric(30, 40, seed);
            let (colors, count) = columns(&pattern);
            let rows = pattern.transposed();
            for i in 0..30 {
                let mut seen = vec![false; count];
                for j in rows.column(i) {
                    assert!(!core::mem::replace(&mut seen[colors[*j]], true));
                }
            }
        }
    }

    #[test]
    fn paths_of_four_have_three_colors() {
        for seed in 0..200 {
            let pattern = symmetric(16, 10 + usize::try_from(seed).expect("small") % 40, seed);
            let (colors, _) = stars(&pattern);
            let next = |v: usize| pattern.column(v).iter().copied().filter(move |w| *w != v);
            for a in 0..16 {
                for b in next(a) {
                    assert_ne!(colors[a], colors[b], "seed {seed}");
                    for c in next(b).filter(|c| *c != a) {
                        for d in next(c).filter(|d| *d != b && *d != a) {
                            let two = colors[a] == colors[c] && colors[b] == colors[d];
                            assert!(!two, "seed {seed}: {a} {b} {c} {d}");
                        }
                    }
                }
            }
        }
    }

    /// An arrow needs two colors as a symmetric matrix, and as many as it has columns otherwise.
    #[test]
    fn arrows() {
        let n = 20;
        let pattern = Pattern::new(n, n, (0..n).flat_map(|i| [(i, i), (0, i), (i, 0)]));
        assert_eq!((stars(&pattern).1, columns(&pattern).1), (2, n));
    }
}
