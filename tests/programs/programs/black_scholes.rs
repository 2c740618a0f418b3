//! Option prices and their Greeks, which have closed forms.

use chainrule::prelude::*;

use crate::check::{check, flat, table};

/// The normal distribution function, by its power series summed until it doesn't change.
#[differentiable]
#[inline(never)]
fn normal(x: f64) -> f64 {
    if x.abs() > 8.0 {
        return if x > 0.0 { 1.0 } else { 0.0 };
    }
    let mut term = x;
    let mut sum = x;
    let mut n = 1;
    while term.abs() > 1e-18 {
        n += 2;
        term *= x * x / n as f64;
        sum += term;
    }
    0.5 + sum * density(x)
}

#[differentiable]
#[inline(never)]
fn density(x: f64) -> f64 {
    const ROOT: f64 = 2.5066282746310002;
    (-0.5 * x * x).exp() / ROOT
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Call,
    Put,
}

#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Market {
    spot: f64,
    volatility: f64,
    rate: f64,
}

flat!(Market {
    spot: f64,
    volatility: f64,
    rate: f64
});

#[differentiable]
impl Market {
    fn price(&self, strike: f64, maturity: f64, #[constant] kind: Kind) -> f64 {
        let spread = self.volatility * maturity.sqrt();
        let d1 = ((self.spot / strike).ln()
            + (self.rate + 0.5 * self.volatility.powi(2)) * maturity)
            / spread;
        let d2 = d1 - spread;
        let discounted = strike * (-self.rate * maturity).exp();
        match kind {
            Kind::Call => self.spot * normal(d1) - discounted * normal(d2),
            Kind::Put => discounted * normal(-d2) - self.spot * normal(-d1),
        }
    }
}

#[differentiable]
#[inline(never)]
fn price(market: &Market, strike: f64, maturity: f64, #[constant] kind: Kind) -> f64 {
    market.price(strike, maturity, kind)
}

fn market() -> Market {
    Market {
        spot: 1.1,
        volatility: 0.3,
        rate: 0.05,
    }
}

#[test]
fn greeks() {
    let (m, strike, t) = (market(), 1.0, 0.8);
    let root = 0.8_f64.sqrt();
    let d1 = ((1.1_f64).ln() + (0.05 + 0.045) * t) / (0.3 * root);
    let d2 = d1 - 0.3 * root;
    let discount = (-0.05 * t).exp();
    for kind in [Kind::Call, Kind::Put] {
        let sign = if kind == Kind::Call { 1.0 } else { -1.0 };
        let vega = m.spot * density(d1) * root;
        let want = [
            sign * normal(sign * d1),
            vega,
            sign * strike * t * discount * normal(sign * d2),
            -sign * discount * normal(sign * d2),
            m.spot * density(d1) * 0.3 / (2.0 * root)
                + sign * 0.05 * strike * discount * normal(sign * d2),
        ];
        check!(price(&market(), strike, t, const kind)).assert_gradient(&want);
        let gamma = market_hvp(&m, kind);
        assert!((gamma - density(d1) / (m.spot * 0.3 * root)).abs() < 1e-11);
    }
}

fn market_hvp(m: &Market, kind: Kind) -> f64 {
    let along = MarketTangent {
        spot: 1.0,
        volatility: 0.0,
        rate: 0.0,
    };
    let (hv, _, _) = price::hvp(m, 1.0, 0.8, kind, &along, 0.0, 0.0);
    hv.spot
}

table! {
    normal: (0.7) => [density(0.7)], (-2.3) => [density(2.3)], (0.0) => [density(0.0)], (9.0) => [0.0];
}
