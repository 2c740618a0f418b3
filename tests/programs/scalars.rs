//! Functions of floats where textbook formulas fail: kinks, ends of domains, overflow, infinite and NaN arguments; in
//! known types and in those that only rustc knows, which must not differ.

mod invariants;
mod points;
mod powers;
