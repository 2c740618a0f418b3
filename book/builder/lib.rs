//! The examples of the chapters that only the book has, as tests. Those of the guide are tests of `chainrule`.

#[cfg(doctest)]
#[doc = include_str!("../src/introduction.md")]
pub mod introduction {}

#[cfg(doctest)]
#[doc = include_str!("../src/comparison.md")]
pub mod comparison {}
