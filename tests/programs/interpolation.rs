//! `chainrule::interpolation`: values and gradients against references of 80 digits (mpmath 1.3: dense systems, the pieces in
//! powers), all modes against each other, identities, and the ends.

use chainrule::interpolation::*;
use chainrule::prelude::*;

use crate::check::{check, check_map};

const NODES: [f64; 5] = [0.0, 0.75, 1.0, 2.5, 3.25];
const VALUES: [f64; 5] = [1.0, -0.5, 0.25, 2.0, -1.0];

fn near(got: f64, want: f64) {
    assert!(
        (got - want).abs() <= 1e-13 * want.abs().max(1.0),
        "got {got:e}, expected {want:e}"
    );
}

/// The point, the value, and the derivatives by the point, the nodes and the values.
const SPLINE: [(f64, f64, [f64; 11]); 4] = [
    (
        0.3,
        -0.078_357_894_736_842_07,
        [
            -2.987_087_719_298_245_7,
            2.329_827_811_634_349,
            -1.027_691_671_283_471_8,
            1.687_089_196_675_900_3,
            0.017_662_493_074_792_243,
            -0.019_800_110_803_324_1,
            0.472_673_684_210_526_36,
            0.941_136_842_105_263_2,
            -0.420_884_210_526_315_8,
            0.010_610_526_315_789_473,
            -0.003_536_842_105_263_157_7,
        ],
    ),
    (
        0.9,
        -0.097_199_999_999_999_93,
        [
            3.324_070_175_438_596_4,
            -0.074_195_087_719_298_24,
            -0.967_500_350_877_192_8,
            -2.284_308_771_929_824_7,
            -0.015_980_350_877_192_982,
            0.017_914_385_964_912_28,
            -0.012_799_999_999_999_999,
            0.422_399_999_999_999_9,
            0.596_800_000_000_000_1,
            -0.0096,
            0.0032,
        ],
    ),
    (
        1.7,
        2.154_704_093_567_251_5,
        [
            1.666_175_438_596_491_3,
            0.190_332_817_619_096_48,
            2.186_983_985_499_812,
            -4.193_420_908_997_64,
            1.022_111_325_878_047_9,
            -0.872_182_658_595_807_2,
            0.032_835_867_446_393_76,
            -0.919_404_288_499_025_3,
            1.473_347_368_421_052_7,
            0.569_016_764_132_553_5,
            -0.155_795_711_500_974_65,
        ],
    ),
    (
        3.0,
        0.177_582_846_003_898_65,
        [
            -4.532_748_538_011_696,
            -0.018_078_725_077_801_717,
            -0.207_730_241_783_796_73,
            0.347_751_444_889_025_7,
            1.238_437_125_953_284_7,
            3.172_368_934_030_983_7,
            -0.003_118_908_382_066_276_7,
            0.087_329_434_697_855_76,
            -0.125_536_062_378_167_64,
            0.432_358_674_463_937_6,
            0.608_966_861_598_440_6,
        ],
    ),
];

#[test]
fn natural_cubics() {
    for (x, want, gradient) in SPLINE {
        let (y, (x_bar, nodes_bar, values_bar)) =
            natural_cubic::value_and_gradient(x, &NODES, &VALUES);
        near(y, want);
        let all = [vec![x_bar], nodes_bar, values_bar].concat();
        for (got, want) in all.into_iter().zip(gradient) {
            near(got, want);
        }
        let (nodes, values) = (NODES.to_vec(), VALUES.to_vec());
        check!(natural_cubic(x, &nodes, &values));
    }
    // Beyond the nodes.
    for x in [-0.5, 4.0] {
        let (nodes, values) = (NODES.to_vec(), VALUES.to_vec());
        check!(natural_cubic(x, &nodes, &values));
        let curvatures = vec![0.5, -1.0, 2.0, 0.25, -0.75];
        let (nodes, values) = (NODES.to_vec(), VALUES.to_vec());
        check!(cubic(x, &nodes, &values, &curvatures));
    }
}

#[test]
fn lines() {
    for (x, want, slope) in [
        (0.3, 0.4, -2.0),
        (0.9, -0.05, 3.0),
        (-0.5, 2.0, -2.0),
        (4.0, -4.0, -4.0),
    ] {
        let (y, (x_bar, ..)) = linear::value_and_gradient(x, &NODES, &VALUES);
        near(y, want);
        near(x_bar, slope);
        let (nodes, values) = (NODES.to_vec(), VALUES.to_vec());
        check!(linear(x, &nodes, &values));
    }
}

#[test]
fn several_points() {
    let points = vec![0.3, 3.0, 1.7, -0.5, 4.0];
    let (nodes, values) = (NODES.to_vec(), VALUES.to_vec());
    let (on_lines, on_cubics) = (
        linear_at(&points, &nodes, &values),
        natural_cubic_at(&points, &nodes, &values),
    );
    for i in 0..points.len() {
        assert_eq!(on_lines[i], linear(points[i], &nodes, &values));
        assert_eq!(on_cubics[i], natural_cubic(points[i], &nodes, &values));
    }
    check_map!(linear_at(&points.clone(), &nodes.clone(), &values.clone()));
    check_map!(natural_cubic_at(
        &points.clone(),
        &nodes.clone(),
        &values.clone()
    ));
    check_map!(natural_curvatures(&nodes, &values));
}

/// The curve goes through the values; its slope and its second derivative are continuous, and that of `natural_curvatures`.
#[test]
fn smooth_at_nodes() {
    let curvatures = natural_curvatures(&NODES, &VALUES);
    assert_eq!((curvatures[0], curvatures[4]), (0.0, 0.0));
    let along = |x: f64| natural_cubic::hvp(x, &NODES, &VALUES, 1.0, &[0.0; 5], &[0.0; 5]).0;
    let slope = |x: f64| natural_cubic::gradient(x, &NODES, &VALUES).0;
    for i in 0..5 {
        let x: f64 = NODES[i];
        assert_eq!(natural_cubic(x, &NODES, &VALUES), VALUES[i]);
        assert_eq!(linear(x, &NODES, &VALUES), VALUES[i]);
        let (below, above) = (x - 1e-9, x + 1e-9);
        assert!((slope(below) - slope(above)).abs() < 1e-7, "at {x}");
        assert!((along(below) - curvatures[i]).abs() < 1e-6, "at {x}");
        assert!((along(above) - curvatures[i]).abs() < 1e-6, "at {x}");
    }
}

/// Also with curvatures at the ends, from where the curve goes on as a tangent.
#[test]
fn tangents_at_the_ends() {
    let curvatures = [0.5, -1.0, 2.0, 0.25, -0.75];
    let slope = |x: f64| cubic::gradient(x, &NODES, &VALUES, &curvatures).0;
    for (node, value) in [(0.0, 1.0), (3.25, -1.0)] {
        assert!((slope(node - 1e-9) - slope(node + 1e-9)).abs() < 1e-8);
        let outside: f64 = if node == 0.0 { -0.5 } else { 4.0 };
        near(
            cubic(outside, &NODES, &VALUES, &curvatures),
            value + slope(outside) * (outside - node),
        );
    }
}

/// Jacobians in columns of several directions.
#[test]
fn jacobians() {
    let points = [0.3, 3.0, 1.7];
    let (_, by_nodes, by_values) = natural_cubic_at::jacobian(&points, &NODES, &VALUES);
    for (i, x) in points.into_iter().enumerate() {
        let (_, nodes_bar, values_bar) = natural_cubic::gradient(x, &NODES, &VALUES);
        for j in 0..5 {
            near(by_nodes[(i, j)], nodes_bar[j]);
            near(by_values[(i, j)], values_bar[j]);
        }
    }
}

/// Straight lines are reproduced, and the curve moves along with its nodes.
#[test]
fn identities() {
    for x in [-1.0, 0.3, 0.75, 1.7, 3.25, 5.0] {
        let values = NODES.map(|node| 2.0 - 3.0 * node);
        near(natural_cubic(x, &NODES, &values), 2.0 - 3.0 * x);
        near(linear(x, &NODES, &values), 2.0 - 3.0 * x);
        for (x_bar, nodes_bar, values_bar) in [
            natural_cubic::gradient(x, &NODES, &VALUES),
            linear::gradient(x, &NODES, &VALUES),
        ] {
            near(values_bar.iter().sum(), 1.0);
            near(
                values_bar
                    .iter()
                    .zip(NODES)
                    .map(|(weight, node)| weight * node)
                    .sum(),
                x,
            );
            near(x_bar + nodes_bar.iter().sum::<f64>(), 0.0);
        }
    }
    // Two nodes.
    near(natural_cubic(0.5, &[0.0, 2.0], &[1.0, 3.0]), 1.5);
    assert!(natural_cubic(f64::NAN, &NODES, &VALUES).is_nan());
    assert!(linear(f64::NAN, &NODES, &VALUES).is_nan());
    assert!(natural_cubic_at(&[], &NODES, &VALUES).is_empty());
}

/// A table of values inside of a model, with constant nodes.
#[differentiable]
fn model(values: &[f64], shift: f64, #[constant] nodes: &[f64], #[constant] x: &[f64]) -> f64 {
    let mut total = 0.0;
    for v in x {
        let y: f64 = linear(*v + shift, nodes, values);
        total += y * natural_cubic(*v - shift, nodes, values);
    }
    total
}

#[test]
fn calls() {
    check!(model(&VALUES.to_vec(), 0.125, const &NODES, const &[0.3, 1.7, 4.0]));
}

#[test]
#[should_panic(expected = "the nodes increase, from 1 to 2")]
fn nodes_out_of_order() {
    natural_cubic::gradient(0.5, &[0.0, 2.0, 1.0], &[0.0; 3]);
}

#[test]
#[should_panic(expected = "the nodes increase, from 0 to 1")]
fn equal_nodes() {
    linear::gradient(0.5, &[1.0, 1.0], &[0.0; 2]);
}

#[test]
#[should_panic(expected = "the number of values")]
fn missing_values() {
    linear_at(&[0.5], &[0.0, 1.0], &[0.0; 3]);
}

#[test]
#[should_panic(expected = "at least two nodes")]
fn one_node() {
    linear(0.5, &[0.0], &[0.0]);
}
