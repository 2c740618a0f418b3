//! Plots as SVG. The text is left to whatever shows the file, so no fonts are needed to write it.

use crate::Result;
use plotters::coord::ranged1d::{AsRangedCoord, ValueFormatter};
use plotters::prelude::{
    BLACK, ChartBuilder, Circle, Color, IntoDrawingArea, IntoDynElement, LineSeries, PathElement,
    RGBColor, SVGBackend, SeriesLabelPosition, TRANSPARENT, WHITE,
};
use std::ops::Range;
use std::path::Path;

/// A line or a set of points, with its name in the legend.
pub struct Series {
    /// Its name in the legend.
    pub name: &'static str,
    /// Its colour.
    pub colour: RGBColor,
    /// How it is drawn.
    pub mark: Mark,
    /// Its points, from left to right.
    pub points: Vec<(f64, f64)>,
}

/// How a series is drawn.
pub enum Mark {
    /// Points that are joined.
    Line,
    /// A dot for each point.
    Dots,
    /// Points that are joined in pairs.
    Segments,
}

/// What stands around the series.
pub struct Labels<'a> {
    /// What stands above.
    pub title: &'a str,
    /// What the horizontal axis shows, with its unit.
    pub x: &'a str,
    /// What the vertical axis shows, with its unit.
    pub y: &'a str,
}

/// The colour of what comes first.
pub const BLUE: RGBColor = RGBColor(31, 90, 166);
/// The colour of what comes second.
pub const ORANGE: RGBColor = RGBColor(217, 95, 2);

/// The colour of what is behind.
pub const GREY: RGBColor = RGBColor(150, 150, 150);

/// How fine a function is looked at for its contours, in each direction.
const CELLS: u32 = 200;

/// The contours of a function at some levels, as segments, each of two points: where they cross the sides of the cells of a grid.
pub fn contours(
    height: impl Fn(f64, f64) -> f64,
    (x, y): (Range<f64>, Range<f64>),
    levels: &[f64],
) -> Vec<(f64, f64)> {
    let place = |range: &Range<f64>, k: u32| {
        range.start + (range.end - range.start) * f64::from(k) / f64::from(CELLS)
    };
    let mut segments = Vec::new();
    for i in 0..CELLS {
        for j in 0..CELLS {
            let corner = |i, j| {
                let (x, y) = (place(&x, i), place(&y, j));
                (x, y, height(x, y))
            };
            let corners = [
                corner(i, j),
                corner(i + 1, j),
                corner(i + 1, j + 1),
                corner(i, j + 1),
            ];
            for level in levels {
                let crossed = (0..4).filter_map(|k| {
                    let (a, b) = (corners[k], corners[(k + 1) % 4]);
                    let crosses = (a.2 < *level) != (b.2 < *level);
                    let part = (level - a.2) / (b.2 - a.2);
                    crosses.then_some((a.0 + part * (b.0 - a.0), a.1 + part * (b.1 - a.1)))
                });
                // Two, or four at a saddle.
                segments.extend(crossed);
            }
        }
    }
    segments
}

/// Writes the series as an SVG to `path`; `y` is a range, or a range with `.log_scale()`.
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
    let area = SVGBackend::with_string(svg, (800, 480)).into_drawing_area();
    area.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&area)
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
        .x_label_formatter(&|x| format!("{x:.0}"))
        .y_label_formatter(&|y| format!("{y}"))
        .x_desc(labels.x)
        .y_desc(labels.y)
        .draw()?;
    for Series {
        name,
        colour,
        mark,
        points,
    } in series
    {
        let drawn = match mark {
            Mark::Line => chart.draw_series(LineSeries::new(
                points.iter().copied(),
                colour.stroke_width(2),
            ))?,
            Mark::Segments => chart.draw_series(
                points
                    .chunks_exact(2)
                    .map(|ends| PathElement::new(ends.to_vec(), colour.stroke_width(1))),
            )?,
            Mark::Dots => chart.draw_series(
                points
                    .iter()
                    .map(|&point| Circle::new(point, 4, colour.filled())),
            )?,
        };
        let sign = move |(x, y)| match mark {
            Mark::Line | Mark::Segments => {
                PathElement::new(vec![(x, y), (x + 20, y)], colour.stroke_width(2)).into_dyn()
            }
            Mark::Dots => Circle::new((x + 10, y), 4, colour.filled()).into_dyn(),
        };
        drawn.label(*name).legend(sign);
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperRight)
        .background_style(WHITE.mix(0.85))
        .border_style(BLACK.mix(0.3))
        .label_font(("sans-serif", 14))
        .draw()?;
    area.present()?;
    Ok(())
}
