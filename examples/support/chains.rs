//! Summaries of Markov chains: means, standard deviations, and how far they can be trusted.

/// A quantity that several chains of the same length have drawn.
pub struct Summary {
    /// The mean of all draws.
    pub mean: f64,
    /// The standard deviation of all draws.
    pub deviation: f64,
    /// The split R-hat: the root of an estimate of the variance from all chains over that within the chains, each of which is cut into halves.
    /// It is near 1 if the chains have mixed. It is that of the draws themselves, not of their ranks.
    pub r_hat: f64,
    /// The number of independent draws whose mean would be as precise.
    pub effective: f64,
}

impl Summary {
    /// Summarises the draws of each chain.
    ///
    /// # Source
    ///
    /// A. Gelman and others, Bayesian Data Analysis, third edition, 2013, sections 11.4 and 11.5. The sum over the autocorrelations ends as
    /// Stan's does: sums of neighbours are summed while they are positive, and not more than the one before (C. Geyer, Practical Markov chain
    /// Monte Carlo, Statistical Science 7, 1992, section 3.3).
    ///
    /// # Panics
    ///
    /// If there are fewer than eight draws of a chain.
    pub fn new(chains: &[Vec<f64>]) -> Summary {
        let length = chains.iter().map(Vec::len).min().unwrap_or(0) / 2;
        assert!(length >= 4, "eight draws of each chain are needed");
        let halves: Vec<&[f64]> = chains
            .iter()
            .flat_map(|chain| [&chain[..length], &chain[chain.len() - length..]])
            .collect();
        let all: Vec<f64> = chains.iter().flatten().copied().collect();
        let means: Vec<f64> = halves.iter().map(|half| mean(half)).collect();
        let n = count(length);
        // The mean over the chains of the autocovariance at a lag.
        let autocovariance = |lag: usize| {
            let of = |(half, mean): (&&[f64], &f64)| {
                let pairs = half.iter().zip(&half[lag..]);
                pairs.map(|(x, y)| (x - mean) * (y - mean)).sum::<f64>() / n
            };
            halves.iter().zip(&means).map(of).sum::<f64>() / count(halves.len())
        };
        let within = autocovariance(0) * n / (n - 1.0);
        let total = (n - 1.0) / n * within + variance(&means);
        let correlation = |lag| 1.0 - (within - autocovariance(lag)) / total;

        let (mut sum, mut last) = (0.0, f64::INFINITY);
        for lag in (0..length - 1).step_by(2) {
            // The autocorrelation at lag 0 is 1.
            let first = if lag == 0 { 1.0 } else { correlation(lag) };
            let pair = first + correlation(lag + 1);
            if pair.is_nan() || pair <= 0.0 {
                break;
            }
            last = pair.min(last);
            sum += last;
        }
        let draws = n * count(halves.len());
        // Chains that alternate around the mean are better than independent draws. As Stan does, we don't believe that they are much better.
        let time = (2.0 * sum - 1.0).max(1.0 / draws.log10());
        Summary {
            mean: mean(&all),
            deviation: variance(&all).sqrt(),
            r_hat: (total / within).sqrt(),
            effective: draws / time,
        }
    }

    /// The standard error of the mean.
    pub fn standard_error(&self) -> f64 {
        self.deviation / self.effective.sqrt()
    }
}

#[allow(clippy::cast_precision_loss, reason = "numbers of draws are small")]
fn count(n: usize) -> f64 {
    n as f64
}

fn mean(x: &[f64]) -> f64 {
    x.iter().sum::<f64>() / count(x.len())
}

fn variance(x: &[f64]) -> f64 {
    let mean = mean(x);
    x.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / (count(x.len()) - 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::rngs::ChaCha8Rng;
    use rand::{RngExt, SeedableRng};

    /// Four chains whose neighbours have the correlation `memory`, around the mean 3 with the variance 1.
    fn chains(memory: f64) -> Vec<Vec<f64>> {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let mut chain = || {
            let mut x = 0.0;
            let mut step = |_| {
                // The sum of twelve uniform numbers is nearly normal.
                let noise = (0..12).map(|_| rng.random_range(-0.5..0.5)).sum::<f64>();
                x = memory * x + (1.0 - memory * memory).sqrt() * noise;
                3.0 + x
            };
            (0..5000).map(&mut step).collect()
        };
        (0..4).map(|_| chain()).collect()
    }

    #[test]
    fn independent_draws_are_all_effective() {
        let found = Summary::new(&chains(0.0));
        assert!((found.mean - 3.0).abs() < 0.03);
        assert!((found.deviation - 1.0).abs() < 0.03);
        assert!((found.r_hat - 1.0).abs() < 0.002);
        assert!((found.effective / 20_000.0 - 1.0).abs() < 0.1);
    }

    #[test]
    fn correlated_draws_are_worth_less_and_alternating_ones_more() {
        // The sum of 1 and twice the powers of the correlation is 3, and a third.
        let found = Summary::new(&chains(0.5)).effective;
        assert!((found / 20_000.0 * 3.0 - 1.0).abs() < 0.15, "{found}");
        let found = Summary::new(&chains(-0.5)).effective;
        assert!((found / 20_000.0 / 3.0 - 1.0).abs() < 0.15, "{found}");
    }

    #[test]
    fn chains_apart_have_a_large_r_hat() {
        let mut apart = chains(0.0);
        apart[0].iter_mut().for_each(|x| *x += 2.0);
        let found = Summary::new(&apart);
        assert!(found.r_hat > 1.2 && found.effective < 20.0);
        // A trend is a difference between the halves.
        let mut drifting = chains(0.0);
        for chain in &mut drifting {
            chain[2500..].iter_mut().for_each(|x| *x += 2.0);
        }
        assert!(Summary::new(&drifting).r_hat > 1.2);
    }
}
