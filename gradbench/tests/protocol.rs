//! Drives the tool as `GradBench`'s runner does: a process, a request a line. Values are held against what doesn't come from
//! chainrule: closed forms, and differences of the tool's own values.

use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// The tool, running.
struct Tool {
    process: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
    asked: u64,
}

impl Tool {
    fn start() -> Tool {
        let mut process = Command::new(env!("CARGO_BIN_EXE_gradbench"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the tool starts");
        Tool {
            requests: process.stdin.take().expect("piped"),
            answers: BufReader::new(process.stdout.take().expect("piped")),
            process,
            asked: 0,
        }
    }

    /// Sends a line and gives the answer to it.
    fn send(&mut self, line: &str) -> Value {
        writeln!(self.requests, "{line}").expect("the tool reads");
        let mut answer = String::new();
        self.answers
            .read_line(&mut answer)
            .expect("the tool answers");
        serde_json::from_str(&answer).expect("the answer is one JSON value")
    }

    fn ask(&mut self, mut request: Value) -> Value {
        self.asked += 1;
        request["id"] = json!(self.asked);
        let answer = self.send(&request.to_string());
        assert_eq!(answer["id"], json!(self.asked));
        answer
    }

    fn evaluate(&mut self, module: &str, function: &str, input: &Value) -> Value {
        let mut input = input.clone();
        let limited = input.is_object();
        if limited {
            input["min_runs"] = json!(3);
            input["min_seconds"] = json!(0.0);
        }
        let request =
            json!({"kind": "evaluate", "module": module, "function": function, "input": input});
        let answer = self.ask(request);
        assert_eq!(
            answer["success"],
            json!(true),
            "{module}::{function}: {answer}"
        );
        let runs = answer["timings"].as_array().expect("timings").len();
        assert_eq!(runs, if limited { 3 } else { 1 });
        answer["output"].clone()
    }

    fn define(&mut self, module: &str) {
        self.ask(json!({"kind": "start", "eval": module, "config": {}}));
        let answer = self.ask(json!({"kind": "define", "module": module}));
        assert_eq!(answer["success"], json!(true), "{answer}");
    }
}

impl Drop for Tool {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// All numbers of a value, in order.
fn numbers(value: &Value) -> Vec<f64> {
    match value {
        Value::Number(number) => vec![number.as_f64().expect("a float")],
        Value::Array(all) => all.iter().flat_map(numbers).collect(),
        Value::Object(all) => all.values().flat_map(numbers).collect(),
        other => panic!("{other} is no number"),
    }
}

/// How many numbers a value has.
fn count(value: &Value) -> usize {
    numbers(value).len()
}

/// The number at a position among all numbers of a value.
fn number_at(value: &mut Value, position: usize) -> &mut Value {
    fn find<'a>(value: &'a mut Value, left: &mut usize) -> Option<&'a mut Value> {
        match value {
            Value::Number(_) if *left == 0 => Some(value),
            Value::Number(_) => {
                *left -= 1;
                None
            }
            Value::Array(all) => all.iter_mut().find_map(|value| find(value, left)),
            Value::Object(all) => all.values_mut().find_map(|value| find(value, left)),
            _ => None,
        }
    }
    let mut left = position;
    find(value, &mut left).expect("it has that many numbers")
}

#[track_caller]
fn close(found: f64, wanted: f64, tolerance: f64, what: &str) {
    let error = (found - wanted).abs() / found.abs().max(wanted.abs()).max(1.0);
    assert!(error <= tolerance, "{what}: {found}, wanted {wanted}");
}

/// Holds a gradient against differences of `primal`'s value in the field `name` of the input.
fn against_differences(
    tool: &mut Tool,
    module: &str,
    primal: &str,
    input: &Value,
    name: &str,
    gradient: &[f64],
) {
    assert_eq!(gradient.len(), count(&input[name]), "{module}: {name}");
    for (k, gradient) in gradient.iter().enumerate() {
        let mut at = |moved: f64| {
            let mut input = input.clone();
            let number = number_at(&mut input[name], k);
            *number = json!(number.as_f64().expect("a float") + moved);
            numbers(&tool.evaluate(module, primal, &input))
        };
        let h = 1e-3;
        let [far_up, up, down, far_down] = [2.0 * h, h, -h, -2.0 * h].map(|moved| at(moved).pop());
        let [far_up, up, down, far_down] =
            [far_up, up, down, far_down].map(|value| value.expect("a value"));
        let wanted = (8.0 * (up - down) - (far_up - far_down)) / (12.0 * h);
        close(*gradient, wanted, 1e-7, &format!("{module}: {name}[{k}]"));
    }
}

fn uniform(random: &mut StdRng, n: usize) -> Vec<f64> {
    (0..n).map(|_| random.random_range(0.0..1.0)).collect()
}

fn uniform_rows(random: &mut StdRng, n: usize, width: usize) -> Vec<Vec<f64>> {
    (0..n).map(|_| uniform(random, width)).collect()
}

#[test]
fn hello() {
    let mut tool = Tool::start();
    tool.define("hello");
    let mut x = 1.0;
    for expected in [1.0, 4.0, 64.0, 16384.0] {
        let y = tool.evaluate("hello", "square", &json!(x));
        assert_eq!(y, json!(expected));
        let double = tool.evaluate("hello", "double", &y);
        assert_eq!(double, json!(2.0 * expected));
        x = double.as_f64().expect("a float");
    }
}

/// The derivative of a determinant is the matrix of cofactors: expanded along each row, it gives the determinant.
#[test]
fn det() {
    let mut tool = Tool::start();
    let mut random = StdRng::seed_from_u64(31337);
    for n in 1..7 {
        let a = uniform(&mut random, n * n);
        let input = json!({"A": a, "ell": n});
        let determinant = tool
            .evaluate("det", "primal", &input)
            .as_f64()
            .expect("a float");
        let gradient = numbers(&tool.evaluate("det", "gradient", &input));
        for i in 0..n {
            for j in 0..n {
                let sum: f64 = (0..n).map(|k| a[i * n + k] * gradient[j * n + k]).sum();
                close(
                    sum,
                    if i == j { determinant } else { 0.0 },
                    1e-13,
                    "cofactors",
                );
            }
        }
    }
}

#[test]
fn gmm() {
    let mut tool = Tool::start();
    let mut random = StdRng::seed_from_u64(31337);
    for (d, k, n, m, gamma) in [(2, 3, 4, 0, 1.0), (3, 2, 5, 2, 0.7), (1, 2, 3, 1, 1.3)] {
        let triangle = d * (d - 1) / 2;
        let input = json!({
            "d": d, "k": k, "n": n, "m": m, "gamma": gamma,
            "x": uniform_rows(&mut random, n, d),
            "alpha": uniform(&mut random, k),
            "mu": uniform_rows(&mut random, k, d),
            "q": uniform_rows(&mut random, k, d),
            "l": uniform_rows(&mut random, k, triangle),
        });
        let jacobian = tool.evaluate("gmm", "jacobian", &input);
        for name in ["alpha", "mu", "q", "l"] {
            assert_eq!(jacobian[name].as_array().map(Vec::len), Some(k));
            let gradient = numbers(&jacobian[name]);
            against_differences(&mut tool, "gmm", "objective", &input, name, &gradient);
        }
    }
}

/// One component of variance one at a point: the density of the normal distribution, and a prior in closed form.
#[test]
fn gmm_of_one_component() {
    let mut tool = Tool::start();
    let input = json!({
        "d": 1, "k": 1, "n": 1, "m": 0, "gamma": 1.0,
        "x": [[0.5]], "alpha": [0.3], "mu": [[0.1]], "q": [[0.0]], "l": [[]],
    });
    let found = tool
        .evaluate("gmm", "objective", &input)
        .as_f64()
        .expect("a float");
    let density = -0.5 * (2.0 * std::f64::consts::PI).ln() - 0.5 * 0.4 * 0.4;
    // N = 2: 2 (0 - ln(2) / 2) - lnGamma(1), less half of exp(0)^2.
    let prior = -std::f64::consts::LN_2 - 0.5;
    close(found, density + prior, 1e-14, "the log posterior");
}

fn small_ba() -> Value {
    json!({
        "n": 2, "m": 3, "p": 4,
        "cam": [0.1, -0.2, 0.3, 0.4, 0.5, 0.6, 1.7, 0.8, -0.9, 0.01, -0.02],
        "x": [1.5, -1.2, 3.4], "w": 0.7, "feat": [0.3, 0.2],
    })
}

#[test]
fn ba() {
    let mut tool = Tool::start();
    let input = small_ba();
    let jacobian = tool.evaluate("ba", "jacobian", &input);
    let (rows, cols, vals) = (
        numbers(&jacobian["rows"]),
        numbers(&jacobian["cols"]),
        numbers(&jacobian["vals"]),
    );
    // Two rows of 15 for each of four observations, and one entry for each of four weights.
    let expected: Vec<f64> = (0..=8)
        .map(|i| 15.0 * f64::from(i))
        .chain((1..=4).map(|i| 120.0 + f64::from(i)))
        .collect();
    // All 13 of them, and the last one again.
    assert_eq!(rows[..13], expected);
    let first: Vec<f64> = (0..11).chain(22..25).chain([31]).map(f64::from).collect();
    assert_eq!(cols[..15], first);
    assert_eq!(cols[15..30], first);
    assert_eq!(cols[30], 34.0);
    close(vals[30], -1.4, 1e-15, "the error of a weight");
    for component in 0..2 {
        let gradient = &vals[15 * component..15 * (component + 1)];
        let mut at = |name: &str, k: usize, moved: f64| {
            let mut input = input.clone();
            let number = number_at(&mut input[name], k);
            *number = json!(number.as_f64().expect("a float") + moved);
            let errors = tool.evaluate("ba", "objective", &input);
            assert_eq!(errors["reproj_error"]["repeated"], json!(4));
            numbers(&errors["reproj_error"]["elements"])[component]
        };
        let names = (0..11)
            .map(|k| ("cam", k))
            .chain((0..3).map(|k| ("x", k)))
            .chain([("w", 0)]);
        for ((name, k), gradient) in names.zip(gradient) {
            let h = 1e-3;
            let wanted = (8.0 * (at(name, k, h) - at(name, k, -h))
                - (at(name, k, 2.0 * h) - at(name, k, -2.0 * h)))
                / (12.0 * h);
            close(*gradient, wanted, 1e-7, name);
        }
    }
}

fn hand(random: &mut StdRng, vertices: usize, points: usize, mirrored: bool) -> Value {
    let bones = 22;
    let mut matrix = || -> Vec<Vec<f64>> {
        let mut rows = uniform_rows(random, 3, 4);
        rows.push(vec![0.0, 0.0, 0.0, 1.0]);
        rows
    };
    let relatives: Vec<_> = (0..bones).map(|_| matrix()).collect();
    let inverses: Vec<_> = (0..bones).map(|_| matrix()).collect();
    let parents: Vec<i64> = (0..bones)
        .map(|b| {
            if b == 0 {
                -1
            } else if b % 4 == 1 {
                0
            } else {
                b - 1
            }
        })
        .collect();
    let mut positions = uniform_rows(random, vertices, 4);
    positions.iter_mut().for_each(|p| p[3] = 1.0);
    let bones = parents.len();
    json!({
        "theta": uniform(random, 26),
        "us": uniform_rows(random, points, 2),
        "data": {
            "correspondences": (0..points).map(|i| i % (vertices - 2)).collect::<Vec<_>>(),
            "points": uniform_rows(random, points, 3),
            "model": {
                "bone_count": bones,
                "bone_names": vec!["bone"; bones],
                "parents": parents,
                "base_relatives": relatives,
                "inverse_base_absolutes": inverses,
                "base_positions": positions,
                "weights": uniform_rows(random, vertices, bones).iter().map(|row| row.iter().map(|w| w / 22.0).collect::<Vec<_>>()).collect::<Vec<_>>(),
                "triangles": (0..vertices - 2).map(|v| [v, v + 1, v + 2]).collect::<Vec<_>>(),
                "is_mirrored": mirrored,
            },
        },
    })
}

#[test]
fn ht() {
    let mut tool = Tool::start();
    let mut random = StdRng::seed_from_u64(5);
    for (complicated, mirrored) in [(true, false), (false, true)] {
        let mut input = hand(&mut random, 5, 3, mirrored);
        if !complicated {
            input["us"] = json!([]);
        }
        let jacobian: Vec<Vec<f64>> =
            serde_json::from_value(tool.evaluate("ht", "jacobian", &input)).expect("rows");
        assert_eq!(jacobian.len(), 9);
        let own = if complicated { 2 } else { 0 };
        let mut columns: Vec<(&str, usize, Option<usize>)> = Vec::new();
        for point in 0..if complicated { 3 } else { 0 } {
            columns.extend((0..2).map(|k| ("us", 2 * point + k, Some(point))));
        }
        columns.extend((0..26).map(|k| ("theta", k, None)));
        for (name, k, point) in columns {
            let mut at = |moved: f64| {
                let mut input = input.clone();
                let number = number_at(&mut input[name], k);
                *number = json!(number.as_f64().expect("a float") + moved);
                numbers(&tool.evaluate("ht", "objective", &input))
            };
            let h = 1e-3;
            let [far_up, up, down, far_down] = [2.0 * h, h, -h, -2.0 * h].map(&mut at);
            let column = point.map_or(own + k, |_| k % 2);
            for row in 0..9 {
                if point.is_some_and(|point| row / 3 != point) {
                    continue;
                }
                let wanted =
                    (8.0 * (up[row] - down[row]) - (far_up[row] - far_down[row])) / (12.0 * h);
                close(jacobian[row][column], wanted, 1e-7, &format!("{name}[{k}]"));
            }
        }
    }
}

/// Newton's step leads from a centroid to the mean of the points that are nearest to it.
#[test]
fn kmeans() {
    let mut tool = Tool::start();
    let mut random = StdRng::seed_from_u64(31337);
    let (n, k, d) = (40, 3, 2);
    let points = uniform_rows(&mut random, n, d);
    let centroids = points[n - k..].to_vec();
    let input = json!({"points": points, "centroids": centroids});
    let direction: Vec<Vec<f64>> =
        serde_json::from_value(tool.evaluate("kmeans", "dir", &input)).expect("rows");
    let mut sums = vec![vec![0.0; d]; k];
    let mut counts = vec![0.0; k];
    let mut cost = 0.0;
    for point in &points {
        let distance =
            |c: &Vec<f64>| -> f64 { point.iter().zip(c).map(|(p, c)| (p - c) * (p - c)).sum() };
        let nearest = (0..k)
            .min_by(|i, j| distance(&centroids[*i]).total_cmp(&distance(&centroids[*j])))
            .expect("centroids");
        cost += distance(&centroids[nearest]);
        counts[nearest] += 1.0;
        sums[nearest]
            .iter_mut()
            .zip(point)
            .for_each(|(sum, p)| *sum += p);
    }
    close(
        tool.evaluate("kmeans", "cost", &input)
            .as_f64()
            .expect("a float"),
        cost,
        1e-13,
        "cost",
    );
    for c in 0..k {
        for j in 0..d {
            close(
                direction[c][j],
                centroids[c][j] - sums[c][j] / counts[c],
                1e-12,
                "direction",
            );
        }
    }
}

#[test]
fn llsq() {
    let mut tool = Tool::start();
    let mut random = StdRng::seed_from_u64(31337);
    for (n, m) in [(16, 8), (17, 1), (5, 12)] {
        let input = json!({"x": uniform(&mut random, m), "n": n});
        let gradient = numbers(&tool.evaluate("llsq", "gradient", &input));
        against_differences(&mut tool, "llsq", "primal", &input, "x", &gradient);
    }
}

/// The gradient is the softmax.
#[test]
fn lse() {
    let mut tool = Tool::start();
    let mut random = StdRng::seed_from_u64(31337);
    for n in [1, 2, 100] {
        let x = uniform(&mut random, n);
        let input = json!({"x": x});
        let sum: f64 = x.iter().map(|x| x.exp()).sum();
        close(
            tool.evaluate("lse", "primal", &input)
                .as_f64()
                .expect("a float"),
            sum.ln(),
            1e-13,
            "value",
        );
        for (gradient, x) in numbers(&tool.evaluate("lse", "gradient", &input))
            .iter()
            .zip(&x)
        {
            close(*gradient, x.exp() / sum, 1e-13, "gradient");
        }
    }
}

#[test]
fn lstm() {
    let mut tool = Tool::start();
    let mut random = StdRng::seed_from_u64(31337);
    let (layers, b, c) = (2, 2, 4);
    let input = json!({
        "main_params": uniform_rows(&mut random, 2 * layers, 4 * b),
        "extra_params": uniform_rows(&mut random, 3, b),
        "state": uniform_rows(&mut random, 2 * layers, b),
        "sequence": uniform_rows(&mut random, c, b),
    });
    let gradient = numbers(&tool.evaluate("lstm", "jacobian", &input));
    let (main, extra) = gradient.split_at(2 * layers * 4 * b);
    against_differences(&mut tool, "lstm", "objective", &input, "main_params", main);
    against_differences(
        &mut tool,
        "lstm",
        "objective",
        &input,
        "extra_params",
        extra,
    );
}

/// The last component is `2^n / n!` times the product of `x`, up to the method's error.
#[test]
fn ode() {
    let mut tool = Tool::start();
    let mut random = StdRng::seed_from_u64(31337);
    let (n, s) = (6, 1000);
    let x = uniform(&mut random, n);
    let input = json!({"x": x, "s": s});
    let product: f64 = x.iter().product();
    let last = 64.0 / 720.0 * product;
    let state = numbers(&tool.evaluate("ode", "primal", &input));
    assert_eq!(state.len(), n);
    assert!((state[n - 1] / last - 1.0).abs() < 1e-9);
    for (gradient, x) in numbers(&tool.evaluate("ode", "gradient", &input))
        .iter()
        .zip(&x)
    {
        assert!((gradient * x / last - 1.0).abs() < 1e-9);
    }
}

/// What can't be answered is said, and the tool goes on.
#[test]
fn wrong_requests() {
    let mut tool = Tool::start();
    for line in [
        "{",
        "[]",
        "7",
        "\"text\"",
        "{\"kind\":\"start\"}",
        "{\"id\":1,\"kind\":\"evaluate\",\"module\":[]}",
        "\u{0}",
    ] {
        let answer = tool.send(line);
        assert_eq!(answer["success"], json!(false), "{line}: {answer}");
        assert!(answer["error"].is_string());
    }
    let refused = |tool: &mut Tool, request: Value, part: &str| {
        let answer = tool.ask(request);
        assert_eq!(answer["success"], json!(false), "{answer}");
        let error = answer["error"].as_str().unwrap_or_default();
        assert!(error.contains(part), "{error}");
    };
    refused(
        &mut tool,
        json!({"kind": "define", "module": "nothing"}),
        "`nothing`",
    );
    refused(&mut tool, json!({"kind": "define"}), "names no module");
    let evaluate = |module: &str, function: &str, input: Value| json!({"kind": "evaluate", "module": module, "function": function, "input": input});
    refused(&mut tool, evaluate("nothing", "f", json!(1)), "`nothing`");
    refused(&mut tool, evaluate("hello", "cube", json!(1.0)), "`cube`");
    refused(
        &mut tool,
        evaluate("hello", "square", json!("1")),
        "wrong input",
    );
    refused(
        &mut tool,
        evaluate("det", "primal", json!({"A": [1.0], "ell": 2})),
        "ell * ell",
    );
    refused(
        &mut tool,
        evaluate("lse", "primal", json!({"x": []})),
        "empty",
    );
    refused(
        &mut tool,
        evaluate("ode", "primal", json!({"x": [1.0], "s": 0})),
        "`s`",
    );
    refused(
        &mut tool,
        evaluate(
            "kmeans",
            "cost",
            json!({"points": [[1.0], [1.0, 2.0]], "centroids": [[1.0]]}),
        ),
        "1 numbers",
    );
    let mut ba = small_ba();
    ba["cam"] = json!([1.0]);
    refused(&mut tool, evaluate("ba", "objective", ba), "wrong input");
    let mut ht = hand(&mut StdRng::seed_from_u64(1), 4, 2, false);
    ht["data"]["correspondences"] = json!([0, 9]);
    refused(&mut tool, evaluate("ht", "objective", ht), "triangle");
    // Of other kinds nothing is said but the id.
    let answer = tool.ask(json!({"kind": "analysis", "of": 1, "valid": true}));
    assert_eq!(answer.as_object().map(serde_json::Map::len), Some(1));
    let answer = tool.ask(json!({"kind": "later"}));
    assert_eq!(answer.as_object().map(serde_json::Map::len), Some(1));
    assert_eq!(tool.evaluate("hello", "double", &json!(3.0)), json!(6.0));
}
