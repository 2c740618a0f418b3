//! Plots as SVG. The text is left to whatever shows the file, so no fonts are needed to write it.

use super::Result;
use plotters::coord::ranged1d::{AsRangedCoord, ValueFormatter};
use plotters::prelude::{
    BLACK, ChartBuilder, Circle, Color, IntoDrawingArea, IntoDynElement, LineSeries, PathElement,
    RGBColor, SVGBackend, SeriesLabelPosition, TRANSPARENT, WHITE,
};
use std::ops::Range;
use std::path::Path;

/// A line or a set of points, with its name in the legend.
pub(crate) struct Series {
    pub(crate) name: &'static str,
    pub(crate) colour: RGBColor,
    pub(crate) mark: Mark,
    pub(crate) points: Vec<(f64, f64)>,
}

/// How a series is drawn.
pub(crate) enum Mark {
    Line,
    Dots,
}

/// What stands around the series.
pub(crate) struct Labels {
    pub(crate) title: &'static str,
    pub(crate) x: &'static str,
    pub(crate) y: &'static str,
}

pub(crate) const BLUE: RGBColor = RGBColor(31, 90, 166);
pub(crate) const ORANGE: RGBColor = RGBColor(217, 95, 2);

/// Writes the series as an SVG to `path`; `y` is a range, or a range with `.log_scale()`.
///
/// # Errors
///
/// When the file can't be written.
pub(crate) fn write<Y>(
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
            Mark::Dots => chart.draw_series(
                points
                    .iter()
                    .map(|&point| Circle::new(point, 4, colour.filled())),
            )?,
        };
        let sign = move |(x, y)| match mark {
            Mark::Line => {
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
