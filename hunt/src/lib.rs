//! What a crate of random programs needs at run time: the numbers that its programs are evaluated with a second time
//! ([`oracle`], [`number`]), and the comparisons ([`check`]). The generator is the binary of this package.

pub mod check;
pub mod number;
pub mod oracle;
pub mod random;
