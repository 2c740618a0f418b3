//! The points and the starts that the page opens with, and the ranges of what can be moved.

use crate::fit::Parameters;

/// The names of the parameters, in their order.
pub const NAMES: [&str; 4] = ["amplitude", "decay", "frequency", "offset"];

/// The ranges of the sliders. The fit may leave them.
pub const RANGES: [(f64, f64); 4] = [(-3.0, 3.0), (0.0, 1.5), (0.0, 4.0), (-2.0, 2.0)];

/// The range of times, and the range of heights, within which points can be dragged.
pub const FRAME: [(f64, f64); 2] = [(0.0, 10.0), (-2.5, 2.5)];

/// The parameters at which the page opens, and the others that it offers. From the last one the
/// fit ends elsewhere: at frequency 0 the derivative for the frequency is exactly 0.
pub const STARTS: [Parameters; 4] = [
    [0.8, 0.6, 1.4, -0.6],
    [2.5, 0.1, 2.1, 1.5],
    [-0.5, 0.3, 1.9, 0.0],
    [1.5, 0.2, 0.0, -0.5],
];

/// Points near the curve with the parameters `[1.8, 0.25, 1.7, 0.3]`.
pub const POINTS: [(f64, f64); 14] = [
    (0.2, 1.95),
    (0.8, 0.66),
    (1.3, -0.42),
    (1.9, -0.92),
    (2.6, -0.02),
    (3.3, 1.11),
    (3.8, 1.02),
    (4.5, 0.52),
    (5.2, -0.21),
    (5.9, -0.07),
    (6.7, 0.49),
    (7.5, 0.66),
    (8.4, 0.21),
    (9.3, 0.05),
];
