//! Functions whose rules are written by hand, and values that count as constant.

mod by_hand;
mod equations;
mod foreign;
mod implicit;
mod partials;
mod stop_gradient;
mod zero_derivative;
