//! Integer polynomials, and systems of linear inequalities over them.
//!
//! A monomial counts as a variable of its own, so that `i * n` and `i` are unrelated. A system that has no solution among the rationals has none among
//! integers. Conservative: [`System::has_no_solution`] returns `false` if a system may have a solution, and where numbers or systems grow too large.

use std::collections::BTreeMap;

/// A variable.
pub(super) type Atom = (u32, bool);

/// By monomials, of which the empty one is the constant. No coefficient is zero.
#[derive(Clone, Default, PartialEq, Debug)]
pub(super) struct Poly(BTreeMap<Vec<Atom>, i64>);

/// The most inequalities of a system.
const MOST: usize = 300;

impl Poly {
    pub(super) fn number(n: i64) -> Self {
        Poly((n != 0).then(|| (Vec::new(), n)).into_iter().collect())
    }

    pub(super) fn atom(atom: Atom) -> Self {
        Poly(std::iter::once((vec![atom], 1)).collect())
    }

    /// `self + factor * other`
    pub(super) fn plus(&self, factor: i64, other: &Self) -> Option<Self> {
        let mut sum = self.clone();
        for (monomial, by) in &other.0 {
            let old = sum.0.remove(monomial).unwrap_or(0);
            let new = by.checked_mul(factor)?.checked_add(old)?;
            if new != 0 {
                sum.0.insert(monomial.clone(), new);
            }
        }
        Some(sum)
    }

    pub(super) fn times(&self, other: &Self) -> Option<Self> {
        let mut product = Poly::default();
        for (a, by) in &self.0 {
            let mut scaled = Poly::default();
            for (b, times) in &other.0 {
                let mut monomial = [&a[..], &b[..]].concat();
                monomial.sort_unstable();
                scaled.0.insert(monomial, *times);
            }
            product = product.plus(*by, &scaled)?;
        }
        Some(product)
    }

    /// Atoms that are multiplied with others.
    pub(super) fn factors(&self) -> impl Iterator<Item = Atom> {
        let products = self.0.keys().filter(|monomial| monomial.len() > 1);
        products.flatten().copied()
    }

    /// Quotient and remainder by an atom.
    pub(super) fn divided(&self, atom: Atom) -> [Self; 2] {
        let [mut quotient, mut rest] = [Poly::default(), Poly::default()];
        for (monomial, by) in &self.0 {
            let mut monomial = monomial.clone();
            match monomial.iter().position(|a| *a == atom) {
                Some(at) => {
                    monomial.remove(at);
                    quotient.0.insert(monomial, *by);
                }
                None => _ = rest.0.insert(monomial, *by),
            }
        }
        [quotient, rest]
    }

    fn constant(&self) -> i64 {
        self.0.get(&[][..]).copied().unwrap_or(0)
    }

    fn is_number(&self) -> bool {
        self.0.keys().all(Vec::is_empty)
    }

    /// The greatest common divisor of the coefficients, of which there is one.
    fn divisor(&self) -> i64 {
        let gcd = |mut a: i64, mut b: i64| {
            while b != 0 {
                (a, b) = (b, a % b);
            }
            a.abs()
        };
        let variables = self.0.iter().filter(|(monomial, _)| !monomial.is_empty());
        variables.fold(0, |divisor, (_, by)| gcd(divisor, *by))
    }

    /// The same inequality in smallest integers.
    fn reduced(mut self) -> Self {
        let divisor = self.divisor();
        for (monomial, by) in &mut self.0 {
            *by = if monomial.is_empty() {
                by.div_euclid(divisor)
            } else {
                *by / divisor
            };
        }
        self.0.retain(|_, by| *by != 0);
        self
    }
}

/// Polynomials that are zero, and those that aren't negative.
#[derive(Clone, Default)]
pub(super) struct System {
    pub(super) zero: Vec<Poly>,
    pub(super) positive: Vec<Poly>,
}

impl System {
    /// Returns `true` if certainly no integers solve the system.
    pub(super) fn has_no_solution(mut self) -> bool {
        self.solve().unwrap_or(false)
    }

    fn solve(&mut self) -> Option<bool> {
        while let Some(equation) = self.zero.pop() {
            if equation.is_number() {
                if equation.constant() != 0 {
                    return Some(true);
                }
                continue;
            }
            if equation.constant() % equation.divisor() != 0 {
                return Some(true);
            }
            let unit = |(monomial, by): (&Vec<Atom>, &i64)| {
                (!monomial.is_empty() && by.abs() == 1).then(|| (monomial.clone(), *by))
            };
            let Some((monomial, by)) = equation.0.iter().find_map(unit) else {
                self.positive.push(Poly::default().plus(-1, &equation)?);
                self.positive.push(equation);
                continue;
            };
            for poly in self.zero.iter_mut().chain(&mut self.positive) {
                if let Some(times) = poly.0.get(&monomial).copied() {
                    *poly = poly.plus(-times * by, &equation)?;
                }
            }
        }
        loop {
            // Of inequalities that differ in their constants, one counts.
            let mut tightest: BTreeMap<Vec<(Vec<Atom>, i64)>, Poly> = BTreeMap::new();
            for poly in std::mem::take(&mut self.positive) {
                if poly.is_number() {
                    if poly.constant() < 0 {
                        return Some(true);
                    }
                    continue;
                }
                let poly = poly.reduced();
                let variables = poly.0.iter().filter(|(monomial, _)| !monomial.is_empty());
                let key = variables.map(|(m, by)| (m.clone(), *by)).collect();
                match tightest.get(&key) {
                    Some(known) if known.constant() <= poly.constant() => {}
                    _ => _ = tightest.insert(key, poly),
                }
            }
            let polys: Vec<Poly> = tightest.into_values().collect();
            let signs = |monomial: &Vec<Atom>| {
                let of = |p: &&Poly| p.0.get(monomial).map_or(0, |by| by.signum());
                [1, -1].map(|sign| polys.iter().filter(|p| of(p) == sign).count())
            };
            let mut monomials: Vec<&Vec<Atom>> = polys.iter().flat_map(|p| p.0.keys()).collect();
            monomials.sort_unstable();
            monomials.dedup();
            monomials.retain(|monomial| !monomial.is_empty());
            let cost = |monomial: &&Vec<Atom>| {
                let [above, below] = signs(monomial);
                above * below
            };
            let Some(next) = monomials.into_iter().min_by_key(cost) else {
                return Some(false);
            };
            let by = |p: &Poly| p.0.get(next).copied().unwrap_or(0);
            for poly in &polys {
                match by(poly) {
                    0 => self.positive.push(poly.clone()),
                    a if a > 0 => {
                        for other in polys.iter().filter(|other| by(other) < 0) {
                            let scaled = Poly::default().plus(by(other).checked_neg()?, poly)?;
                            self.positive.push(scaled.plus(a, other)?);
                        }
                    }
                    _ => {}
                }
            }
            if self.positive.len() > MOST {
                return Some(false);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn poly(terms: &[(i64, &[u32])]) -> Poly {
        let monomial = |atoms: &[u32]| atoms.iter().map(|a| (*a, false)).collect();
        Poly(terms.iter().map(|(by, m)| (monomial(m), *by)).collect())
    }

    #[test]
    fn contradictions_are_found() {
        // a < b, b < c, c < a + 2
        let mut system = System {
            positive: vec![
                poly(&[(1, &[1]), (-1, &[0]), (-1, &[])]),
                poly(&[(1, &[2]), (-1, &[1]), (-1, &[])]),
                poly(&[(1, &[0]), (-1, &[2]), (1, &[])]),
            ],
            ..System::default()
        };
        assert!(system.clone().has_no_solution());
        // c < a + 3
        system.positive[2] = poly(&[(1, &[0]), (-1, &[2]), (2, &[])]);
        assert!(!system.has_no_solution());
    }

    #[test]
    fn strides_that_are_numbers() {
        // 3 a + k = 3 b + l, k and l in 0..3, a < b
        let within = |k: u32| [poly(&[(1, &[k])]), poly(&[(-1, &[k]), (2, &[])])];
        let mut system = System {
            zero: vec![poly(&[(3, &[0]), (1, &[2]), (-3, &[1]), (-1, &[3])])],
            positive: [within(2), within(3)].concat(),
        };
        system
            .positive
            .push(poly(&[(1, &[1]), (-1, &[0]), (-1, &[])]));
        assert!(system.clone().has_no_solution());
        // 2 a = 2 b + 1
        let zero = vec![poly(&[(2, &[0]), (-2, &[1]), (-1, &[])])];
        assert!(
            System {
                zero,
                ..System::default()
            }
            .has_no_solution()
        );
        // k in 0..4
        system.positive[1] = poly(&[(-1, &[2]), (3, &[])]);
        assert!(!system.has_no_solution());
    }

    #[test]
    fn products_and_quotients() {
        let [i, n, one] = [poly(&[(1, &[0])]), poly(&[(1, &[1])]), Poly::number(1)];
        let next = i
            .plus(1, &one)
            .and_then(|next| next.times(&n))
            .expect("no overflow");
        assert_eq!(next, poly(&[(1, &[0, 1]), (1, &[1])]));
        assert_eq!(
            next.divided((1, false)),
            [i.plus(1, &one).expect("a sum"), Poly::default()]
        );
    }
}
