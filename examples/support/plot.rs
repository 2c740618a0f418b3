//! Plots as SVG. The viewer of the file draws the text, so no fonts are needed to write it.

use crate::Result;
use plotters::coord::combinators::WithKeyPoints;
use plotters::coord::ranged1d::{AsRangedCoord, BoldPoints, Ranged, ValueFormatter};
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::{
    BindKeyPoints, ChartBuilder, Circle, Color, IntoDrawingArea, IntoLogRange, LineSeries,
    LogCoord, PathElement, RGBColor, SVGBackend, TRANSPARENT, Text, WHITE,
};
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

/// A place in the plot.
pub type Point = (f64, f64);

/// A line or a set of points, with its name in the legend.
pub struct Series<'a> {
    /// Its name in the legend.
    pub name: &'a str,
    /// Its colour.
    pub colour: RGBColor,
    /// How it is drawn, and where.
    pub mark: Mark,
}

/// How a series is drawn.
pub enum Mark {
    /// Points that are joined.
    Line(Vec<Point>),
    /// A dot for each point.
    Dots(Vec<Point>),
    /// Several thin lines.
    Curves(Vec<Vec<Point>>),
}

/// The texts around the plot.
pub struct Labels<'a> {
    /// The title.
    pub title: &'a str,
    /// The quantity on the horizontal axis, with its unit.
    pub x: &'a str,
    /// The quantity on the vertical axis, with its unit.
    pub y: &'a str,
}

/// The colour of the first series.
pub const BLUE: RGBColor = RGBColor(31, 90, 166);
/// The colour of the second series.
pub const ORANGE: RGBColor = RGBColor(217, 95, 2);
/// The colour of the third series.
pub const GREEN: RGBColor = RGBColor(27, 128, 82);
/// The colour of the fourth series.
pub const PURPLE: RGBColor = RGBColor(128, 60, 150);
/// The colour of a background.
pub const GREY: RGBColor = RGBColor(150, 150, 150);

/// Width and height of the picture in pixels, without the legend.
const SIZE: (u32, u32) = (800, 480);
/// The largest number of labels on an axis.
const TICKS: usize = 11;
/// Height of a row of the legend, which has two entries.
const ROW: u32 = 20;
/// Cells of the grid for contours, in each direction.
const CELLS: u32 = 200;

/// Writes the series as an SVG to `path`; `y` is a range, or a [`log`] of one.
///
/// # Errors
///
/// When the file can't be written.
pub fn write<Y>(
    path: &Path,
    labels: &Labels,
    (x, y): (Range<f64>, Y),
    series: &[Series],
) -> Result<()>
where
    Y: AsRangedCoord<Value = f64>,
    Y::CoordDescType: ValueFormatter<f64>,
{
    let mut svg = String::new();
    draw(&mut svg, labels, (x, y), series)?;
    std::fs::write(path, svg)
        .map_err(|error| format!("cannot write {}: {error}", path.display()).into())
}

/// A logarithmic axis with labels at 1, 2 and 5 times powers of ten.
pub fn log(range: Range<f64>) -> WithKeyPoints<LogCoord<f64>> {
    let ticks = log_ticks(&range);
    range.log_scale().with_key_points(ticks)
}

/// The contours of a function at some levels.
pub fn contours(
    height: impl Fn(f64, f64) -> f64,
    (x, y): (Range<f64>, Range<f64>),
    levels: &[f64],
) -> Vec<Vec<Point>> {
    let along = |range: &Range<f64>, k| {
        range.start + (range.end - range.start) * f64::from(k) / f64::from(CELLS)
    };
    let place = |(i, j): Corner| (along(&x, i), along(&y, j));
    let heights: Vec<Vec<f64>> = (0..=CELLS)
        .map(|i| {
            (0..=CELLS)
                .map(|j| place((i, j)))
                .map(|(x, y)| height(x, y))
                .collect()
        })
        .collect();
    let at = |(i, j): Corner| heights[i as usize][j as usize];
    let mut curves = Vec::new();
    for level in levels {
        let mut segments = Vec::new();
        for i in 0..CELLS {
            for j in 0..CELLS {
                let (a, b, c, d) = ((i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1));
                let sides = [(a, b), (b, c), (d, c), (a, d)];
                let crossed: Vec<Side> = sides
                    .into_iter()
                    .filter(|&(from, to)| (at(from) < *level) != (at(to) < *level))
                    .collect();
                // Two, or four at a saddle.
                segments.extend(crossed.chunks_exact(2).map(|pair| (pair[0], pair[1])));
            }
        }
        curves.extend(joined(&segments).into_iter().map(|sides| {
            let cross = |(from, to): Side| {
                let part = (level - at(from)) / (at(to) - at(from));
                let ((x, y), (end_x, end_y)) = (place(from), place(to));
                (x + part * (end_x - x), y + part * (end_y - y))
            };
            // Every second crossing is enough for the eye.
            let last = sides.len() - 1;
            let kept = (0..sides.len()).filter(|&k| k % 2 == 0 || k == last);
            kept.map(|k| cross(sides[k])).collect()
        }));
    }
    curves
}

/// A corner of a cell of the grid.
type Corner = (u32, u32);
/// A side of a cell, from the corner with the smaller index.
type Side = (Corner, Corner);

/// Segments joined to lines.
fn joined(segments: &[(Side, Side)]) -> Vec<Vec<Side>> {
    let mut next: BTreeMap<Side, Vec<Side>> = BTreeMap::new();
    for &(a, b) in segments {
        next.entry(a).or_default().push(b);
        next.entry(b).or_default().push(a);
    }
    // Lines that end at the border first, so that they start at an end. The others are closed.
    let mut starts: Vec<Side> = next.keys().copied().collect();
    starts.sort_by_key(|side| next[side].len());
    let mut lines = Vec::new();
    for start in starts {
        let mut line = vec![start];
        let mut end = start;
        while let Some(to) = next.get_mut(&end).and_then(Vec::pop) {
            next.entry(to).or_default().retain(|back| *back != end);
            line.push(to);
            end = to;
        }
        if line.len() > 1 {
            lines.push(line);
        }
    }
    lines
}

/// 1, 2 and 5 times powers of ten within `range`.
fn log_ticks(range: &Range<f64>) -> Vec<f64> {
    let mut ticks = Vec::new();
    let mut power = 10.0_f64.powf(range.start.log10().floor());
    while power <= range.end {
        ticks.extend([1.0, 2.0, 5.0].map(|factor| factor * power));
        power *= 10.0;
    }
    ticks.retain(|tick| range.contains(tick));
    ticks
}

/// Labels of ticks in equal steps: all with the digits that the step needs.
fn linear_label(ticks: &[f64]) -> impl Fn(&f64) -> String + use<> {
    let step = match ticks {
        [first, second, ..] => second - first,
        _ => 1.0,
    };
    let digits = (0..12)
        .find(|&digits| {
            let scaled = step * 10.0_f64.powi(digits);
            (scaled - scaled.round()).abs() < 1e-6 * scaled
        })
        .unwrap_or(12);
    move |tick| {
        let label = format!("{tick:.*}", digits.unsigned_abs() as usize);
        match label.strip_prefix('-') {
            Some(zero) if !zero.contains(|digit| ('1'..='9').contains(&digit)) => zero.to_owned(),
            _ => label,
        }
    }
}

/// Labels of ticks of any distance: each with the digits that it needs.
fn log_label(tick: f64) -> String {
    linear_label(&[0.0, tick])(&tick)
}

fn draw<Y>(
    svg: &mut String,
    labels: &Labels,
    (x, y): (Range<f64>, Y),
    series: &[Series],
) -> Result<()>
where
    Y: AsRangedCoord<Value = f64>,
    Y::CoordDescType: ValueFormatter<f64>,
{
    let (width, height) = SIZE;
    let rows = u32::try_from(series.len().div_ceil(2))?;
    let area =
        SVGBackend::with_string(svg, (width, height + ROW * rows + ROW / 2)).into_drawing_area();
    area.fill(&WHITE)?;
    let (plot, legend) = area.split_vertically(height);
    let (x, y): (RangedCoordf64, Y::CoordDescType) = (x.into(), y.into());
    let x_label = linear_label(&x.key_points(BoldPoints(TICKS)));
    let y_ticks = y.key_points(BoldPoints(TICKS));
    let y_label = linear_label(&y_ticks);
    let equal_steps = y_ticks
        .windows(3)
        .all(|t| (t[2] - 2.0 * t[1] + t[0]).abs() < 1e-6 * (t[2] - t[0]));
    let mut chart = ChartBuilder::on(&plot)
        .caption(labels.title, ("sans-serif", 20))
        .margin(15)
        .x_label_area_size(45)
        .y_label_area_size(60)
        .build_cartesian_2d(x, y)?;
    chart
        .configure_mesh()
        .light_line_style(TRANSPARENT)
        .label_style(("sans-serif", 14))
        .axis_desc_style(("sans-serif", 15))
        .x_labels(TICKS)
        .y_labels(TICKS)
        .x_label_formatter(&x_label)
        .y_label_formatter(&|y| {
            if equal_steps {
                y_label(y)
            } else {
                log_label(*y)
            }
        })
        .x_desc(labels.x)
        .y_desc(labels.y)
        .draw()?;
    let column = i32::try_from(width / 2)?;
    let row = i32::try_from(ROW)?;
    for (place, series) in (0..).zip(series) {
        let (left, top) = (75 + place % 2 * (column - 60), row / 2 + place / 2 * row);
        legend.draw(&Text::new(
            series.name,
            (left + 30, top - 6),
            ("sans-serif", 14),
        ))?;
        let sample = |width| {
            PathElement::new(
                [(left, top), (left + 20, top)],
                series.colour.stroke_width(width),
            )
        };
        let dot = series.colour.filled();
        match &series.mark {
            Mark::Line(points) => {
                legend.draw(&sample(2))?;
                let style = series.colour.stroke_width(2);
                chart.draw_series(LineSeries::new(points.iter().copied(), style))?;
            }
            Mark::Dots(points) => {
                legend.draw(&Circle::new((left + 10, top), 4, dot))?;
                chart.draw_series(points.iter().map(|&point| Circle::new(point, 4, dot)))?;
            }
            Mark::Curves(lines) => {
                legend.draw(&sample(1))?;
                let style = series.colour.stroke_width(1);
                let path = |line: &Vec<Point>| PathElement::new(line.clone(), style);
                chart.draw_series(lines.iter().map(path))?;
            }
        }
    }
    area.present()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels_of(range: Range<f64>) -> Vec<String> {
        let ticks = RangedCoordf64::from(range).key_points(BoldPoints(TICKS));
        ticks.iter().map(linear_label(&ticks)).collect()
    }

    #[test]
    fn labels_have_the_digits_of_the_step() {
        assert_eq!(
            labels_of(-1.6..1.6),
            ["-1.5", "-1.0", "-0.5", "0.0", "0.5", "1.0", "1.5"]
        );
        assert_eq!(labels_of(0.0..0.3).last().unwrap(), "0.30");
        assert_eq!(labels_of(0.0..40_000.0)[1], "5000");
        assert_eq!(labels_of(1899.5..1920.5)[0], "1900");
    }

    #[test]
    fn zero_has_no_sign() {
        assert_eq!(linear_label(&[-0.5, 0.0])(&-0.0), "0.0");
        assert_eq!(linear_label(&[-2.0, -1.0])(&-1e-17), "0");
        assert_eq!(linear_label(&[-0.5, 0.0])(&-0.5), "-0.5");
    }

    #[test]
    fn logarithmic_axes_have_labels_at_1_2_and_5() {
        let ticks = log_ticks(&(0.03..40.0));
        let labels: Vec<String> = ticks.iter().copied().map(log_label).collect();
        assert_eq!(
            labels,
            ["0.05", "0.1", "0.2", "0.5", "1", "2", "5", "10", "20"]
        );
    }

    #[test]
    fn contours_are_whole_lines() {
        let circle = contours(|x, y| x * x + y * y, (-2.0..2.0, -2.0..2.0), &[1.0]);
        assert_eq!(circle.len(), 1);
        assert_eq!(circle[0].first(), circle[0].last());
        assert!(
            circle[0]
                .iter()
                .all(|(x, y)| (x.hypot(*y) - 1.0).abs() < 1e-3)
        );
        let lines = contours(|x, _| x * x, (-2.0..2.0, -2.0..2.0), &[1.0]);
        assert_eq!(lines.len(), 2);
    }
}
