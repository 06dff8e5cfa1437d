//! Curves on a logarithmic scale, as SVG.

use std::fmt::Write as _;

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 360.0;
const MARGIN: f64 = 48.0;
const COLOURS: [&str; 5] = ["#888888", "#c2571a", "#1f6fb2", "#2b8a3e", "#862e9c"];

/// A named curve.
#[derive(Debug, Clone)]
pub(crate) struct Series {
    name: &'static str,
    pub(crate) points: Vec<(f64, f64)>,
    /// Where the curve is not known but passes above: drawn as a hollow circle with a stroke upwards.
    pub(crate) bounds: Vec<(f64, f64)>,
}

impl Series {
    pub(crate) fn new(name: &'static str) -> Self {
        Self { name, points: Vec::new(), bounds: Vec::new() }
    }

    fn all(&self) -> impl Iterator<Item = (f64, f64)> {
        self.points.iter().chain(&self.bounds).copied()
    }
}

/// Curves over the same axis; values are positive.
#[derive(Debug, Clone)]
pub(crate) struct Plot {
    pub(crate) title: String,
    pub(crate) series: Vec<Series>,
}

/// What is drawn and where: from data to places on the page.
struct Frame {
    x: (f64, f64),
    decades: (f64, f64),
}

impl Frame {
    fn new(points: &[(f64, f64)]) -> Self {
        let most = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).fold(f64::NEG_INFINITY, f64::max);
        let least = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).fold(f64::INFINITY, f64::min);
        let (from, to) = (least(|point| point.0), most(|point| point.0));
        // A little room on the left, and never an axis without length.
        let x = (from - (to - from).max(1.0) / 12.0, to.max(from + 1.0));
        let low = least(|point| point.1.log10()).floor().min(0.0);
        Self { x, decades: (low, most(|point| point.1.log10()).ceil().max(low + 1.0)) }
    }

    fn x(&self, value: f64) -> f64 {
        MARGIN + (value - self.x.0) / (self.x.1 - self.x.0) * (WIDTH - 2.0 * MARGIN)
    }

    fn y(&self, value: f64) -> f64 {
        let (low, high) = self.decades;
        HEIGHT - MARGIN - (value.log10() - low) / (high - low) * (HEIGHT - 2.0 * MARGIN)
    }
}

impl Plot {
    pub(crate) fn svg(&self) -> String {
        let mut points: Vec<(f64, f64)> = self.series.iter().flat_map(Series::all).collect();
        points.sort_by(|one, other| one.0.total_cmp(&other.0));
        let frame = Frame::new(&points);
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" \
             font-size=\"12\">\n<rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"white\"/>\n\
             <text x=\"{MARGIN}\" y=\"24\" font-size=\"14\">{}</text>\n",
            self.title
        );
        for decade in frame.decades.0 as i32..=frame.decades.1 as i32 {
            let at = frame.y(10_f64.powi(decade));
            let _ = writeln!(
                svg,
                "<line x1=\"{MARGIN}\" x2=\"{}\" y1=\"{at:.1}\" y2=\"{at:.1}\" stroke=\"#dddddd\"/><text x=\"4\" \
                 y=\"{:.1}\">1e{decade}</text>",
                WIDTH - MARGIN,
                at + 4.0
            );
        }
        for (number, series) in self.series.iter().enumerate() {
            draw(series, COLOURS[number % COLOURS.len()], &frame, &mut svg);
            let (below, colour) = (MARGIN + 16.0 * number as f64, COLOURS[number % COLOURS.len()]);
            let _ = writeln!(svg, "<text x=\"64\" y=\"{below}\" fill=\"{colour}\">{}</text>", series.name);
        }
        points.dedup_by(|one, other| one.0 == other.0);
        for (at, _) in points {
            let _ = writeln!(svg, "<text x=\"{:.1}\" y=\"{}\">{at}</text>", frame.x(at) - 6.0, HEIGHT - MARGIN + 18.0);
        }
        svg + "</svg>\n"
    }
}

fn draw(series: &Series, colour: &str, frame: &Frame, svg: &mut String) {
    let place = |&(at, value): &(f64, f64)| (frame.x(at), frame.y(value));
    let line: Vec<String> = series.points.iter().map(place).map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
    let _ =
        writeln!(svg, "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>", line.join(" "));
    for (x, y) in series.points.iter().map(place) {
        let _ = writeln!(svg, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" fill=\"{colour}\"/>");
    }
    for (x, y) in series.bounds.iter().map(place) {
        let _ = writeln!(
            svg,
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" fill=\"white\" stroke=\"{colour}\"/><line x1=\"{x:.1}\" \
             x2=\"{x:.1}\" y1=\"{:.1}\" y2=\"{:.1}\" stroke=\"{colour}\"/>",
            y - 3.0,
            y - 14.0
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_point_is_drawn() {
        let mut series = Series::new("curve");
        series.points = vec![(1.0, 0.01), (2.0, 100.0)];
        series.bounds = vec![(3.0, 100.0)];
        let svg = Plot { title: "t".to_owned(), series: vec![series] }.svg();
        assert_eq!(svg.matches("<circle").count(), 3);
        assert!(svg.contains(">1e-2<") && svg.contains(">1e2<"), "both ends of the scale are named");
    }
}
