//! Drivers: the shapes that they check, and where they report a wrong one.

mod panics;
mod shapes;
