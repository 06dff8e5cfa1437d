//! Curves on a logarithmic scale, as SVG.

use std::fmt::Write as _;

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 360.0;
const MARGIN: f64 = 48.0;
const COLOURS: [&str; 3] = ["#888888", "#c2571a", "#1f6fb2"];

/// A named curve.
#[derive(Debug, Clone)]
pub(super) struct Series {
    name: &'static str,
    pub(super) points: Vec<(f64, f64)>,
}

impl Series {
    pub(super) fn new(name: &'static str) -> Self {
        Self { name, points: Vec::new() }
    }
}

/// Curves over the same axis; values are at least 1.
#[derive(Debug, Clone)]
pub(super) struct Plot {
    pub(super) title: String,
    pub(super) series: Vec<Series>,
}

impl Plot {
    pub(super) fn svg(&self) -> String {
        let points = || self.series.iter().flat_map(|series| &series.points);
        let most_x = points().map(|point| point.0).fold(1.0, f64::max);
        let decades = points().map(|point| point.1).fold(10.0, f64::max).log10().ceil();
        let x = |value: f64| MARGIN + value / most_x * (WIDTH - 2.0 * MARGIN);
        let y = |value: f64| HEIGHT - MARGIN - value.log10() / decades * (HEIGHT - 2.0 * MARGIN);
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" \
             font-size=\"12\">\n<rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"white\"/>\n\
             <text x=\"{MARGIN}\" y=\"24\" font-size=\"14\">{}</text>\n",
            self.title
        );
        for decade in 0..=decades as i32 {
            let at = y(10_f64.powi(decade));
            let _ = writeln!(
                svg,
                "<line x1=\"{MARGIN}\" x2=\"{}\" y1=\"{at:.1}\" y2=\"{at:.1}\" stroke=\"#dddddd\"/><text x=\"4\" \
                 y=\"{:.1}\">1e{decade}</text>",
                WIDTH - MARGIN,
                at + 4.0
            );
        }
        for (number, series) in self.series.iter().enumerate() {
            let colour = COLOURS[number % COLOURS.len()];
            let line: Vec<String> =
                series.points.iter().map(|&(at, value)| format!("{:.1},{:.1}", x(at), y(value))).collect();
            let _ = writeln!(
                svg,
                "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>",
                line.join(" ")
            );
            for &(at, value) in &series.points {
                let (x, y) = (x(at), y(value));
                let _ = writeln!(svg, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" fill=\"{colour}\"/>");
            }
            let below = MARGIN + 16.0 * number as f64;
            let _ = writeln!(svg, "<text x=\"64\" y=\"{below}\" fill=\"{colour}\">{}</text>", series.name);
        }
        let ticks = self.series.first().map(|series| &series.points[..]).unwrap_or_default();
        for &(at, _) in ticks {
            let _ = writeln!(svg, "<text x=\"{:.1}\" y=\"{}\">{at}</text>", x(at) - 6.0, HEIGHT - MARGIN + 18.0);
        }
        svg + "</svg>\n"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_point_is_drawn() {
        let mut series = Series::new("curve");
        series.points = vec![(1.0, 10.0), (2.0, 100.0)];
        let svg = Plot { title: "t".to_owned(), series: vec![series] }.svg();
        assert_eq!(svg.matches("<circle").count(), 2);
    }
}
