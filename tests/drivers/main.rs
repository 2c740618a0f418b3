//! Drivers: the shapes that they check, and where they report a wrong one.

mod checked;
mod panics;
mod shapes;
