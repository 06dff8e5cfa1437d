//! Strategies side by side: as a table, as JSON, and as a page with plots.

use std::fmt::Write as _;
use std::time::Duration;

use serde_json::{Value, json};

use crate::quantity::{bytes, count, seconds};

const SCHEMA: &str = "burnside.compare/1";
/// Width of the longest bar of a plot.
const BAR_WIDTH: f64 = 420.0;

/// What the searches came to.
pub(crate) struct Comparison {
    model: String,
    pub(crate) rows: Vec<Row>,
    group_order: String,
    /// Sizes of orbits, each with the number of orbits, if they were counted.
    orbits: Vec<(String, u64)>,
}

/// What one search came to.
pub(crate) struct Row {
    strategy: &'static str,
    pub(crate) verdict: String,
    /// Why it is inconclusive, or why there was no search.
    reason: Option<String>,
    exact: bool,
    states: u64,
    rules_fired: u64,
    seconds: f64,
    peak_bytes: u64,
}

impl Row {
    /// Reads the report of a search.
    pub(crate) fn new(strategy: &'static str, report: &Value) -> Self {
        let number = |key: &str| report[key].as_u64().unwrap_or(0);
        let text = |value: &Value| value.as_str().map(str::to_owned);
        Self {
            strategy,
            verdict: text(&report["verdict"]).unwrap_or_default(),
            reason: text(&report["shortfall"]).or_else(|| text(&report["diagnostics"][0]["message"])),
            exact: report["symmetry"]["exact"].as_bool().unwrap_or(false),
            states: number("states"),
            rules_fired: number("rules_fired"),
            seconds: report["seconds"].as_f64().unwrap_or(0.0),
            peak_bytes: number("peak_bytes"),
        }
    }

    /// Whether there is anything to plot.
    fn has_searched(&self) -> bool {
        matches!(self.verdict.as_str(), "holds" | "violated" | "inconclusive")
    }

    fn exactness(&self) -> &'static str {
        if self.exact { "yes" } else { "no" }
    }
}

impl Comparison {
    /// Puts together the rows and what the search that counted orbits says about symmetry.
    pub(crate) fn new(model: &str, rows: Vec<Row>, symmetry: &Value) -> Self {
        let sizes = symmetry["orbit_sizes"].as_array().into_iter().flatten();
        let size = |it: &Value| Some((it["size"].as_str()?.to_owned(), it["states"].as_u64()?));
        let group_order = symmetry["group_order"].as_str().unwrap_or("unknown").to_owned();
        Self { model: model.to_owned(), rows, group_order, orbits: sizes.filter_map(size).collect() }
    }

    pub(crate) fn json(&self) -> Value {
        let row = |row: &Row| {
            json!({
                "strategy": row.strategy,
                "verdict": row.verdict,
                "reason": row.reason,
                "exact": row.exact,
                "states": row.states,
                "rules_fired": row.rules_fired,
                "seconds": row.seconds,
                "peak_bytes": row.peak_bytes,
            })
        };
        let orbit = |(size, number): &(String, u64)| json!({ "size": size, "orbits": number });
        json!({
            "schema": SCHEMA,
            "model": self.model,
            "group_order": self.group_order,
            "strategies": self.rows.iter().map(row).collect::<Vec<_>>(),
            "orbit_sizes": self.orbits.iter().map(orbit).collect::<Vec<_>>(),
        })
    }
}

const HEADINGS: [&str; 7] = ["strategy", "verdict", "exact", "states", "rules fired", "time", "memory"];

fn cells(row: &Row) -> [String; 7] {
    let measured = |text: String| if row.has_searched() { text } else { "-".to_owned() };
    [
        row.strategy.to_owned(),
        row.verdict.clone(),
        measured(row.exactness().to_owned()),
        measured(count(row.states)),
        measured(count(row.rules_fired)),
        measured(seconds(Duration::from_secs_f64(row.seconds))),
        measured(bytes(row.peak_bytes)),
    ]
}

/// The comparison as lines of text.
pub(crate) fn table(comparison: &Comparison) -> String {
    let mut lines = vec![HEADINGS.map(str::to_owned)];
    lines.extend(comparison.rows.iter().map(cells));
    let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..HEADINGS.len()).map(width).collect();
    let mut out = format!("{}: group of order {}\n", comparison.model, comparison.group_order);
    for line in &lines {
        for (column, (cell, width)) in line.iter().zip(&widths).enumerate() {
            let _ = if column < 3 { write!(out, "  {cell:<width$}") } else { write!(out, "  {cell:>width$}") };
        }
        out.push('\n');
    }
    for row in &comparison.rows {
        if let Some(reason) = &row.reason {
            let _ = writeln!(out, "{}: {reason}", row.strategy);
        }
    }
    if !comparison.orbits.is_empty() {
        out += "orbits by size:\n";
        for (size, number) in &comparison.orbits {
            let _ = writeln!(out, "  {size:>8} × {}", count(*number));
        }
    }
    out
}

/// A bar of a plot: its name, its length, and the number as text.
type Bar = (String, f64, String);

/// The comparison as a page that needs nothing else.
pub(crate) fn page(comparison: &Comparison) -> String {
    let model = escape(&comparison.model);
    let plot = |value: fn(&Row) -> f64, column: usize| -> Vec<Bar> {
        let searched = comparison.rows.iter().filter(|row| row.has_searched());
        searched.map(|row| (row.strategy.to_owned(), value(row), cells(row)[column].clone())).collect()
    };
    let orbits = comparison.orbits.iter().map(|(size, number)| (size.clone(), *number as f64, count(*number)));
    let mut rows = String::new();
    for row in &comparison.rows {
        let cells = cells(row).map(|cell| format!("<td>{}</td>", escape(&cell))).concat();
        let _ = writeln!(rows, "<tr>{cells}<td>{}</td></tr>", escape(row.reason.as_deref().unwrap_or("")));
    }
    let headings = HEADINGS.map(|heading| format!("<th>{heading}</th>")).concat();
    let mut out = format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>{model}: symmetry strategies</title>\n\
         <style>body{{font:15px sans-serif;margin:2em}}td,th{{padding:.2em .8em;text-align:left}}\
         rect{{fill:#47a}}text{{font-size:13px}}</style>\n\
         <h1>{model}</h1>\n<p>A group of order {}.</p>\n<table>\n<tr>{headings}<th>note</th></tr>\n{rows}</table>\n",
        comparison.group_order
    );
    out += &bars("States stored", &plot(|row| row.states as f64, 3));
    out += &bars("Time", &plot(|row| row.seconds, 5));
    out += &bars("Memory", &plot(|row| row.peak_bytes as f64, 6));
    if !comparison.orbits.is_empty() {
        out += &bars("Orbits by size", &orbits.collect::<Vec<_>>());
    }
    out + "</html>\n"
}

fn bars(title: &str, bars: &[Bar]) -> String {
    let longest = bars.iter().map(|(_, value, _)| *value).fold(f64::MIN_POSITIVE, f64::max);
    let mut out = format!("<h2>{title}</h2>\n<svg width=\"720\" height=\"{}\" role=\"img\">\n", bars.len() * 24);
    for (at, (name, value, text)) in bars.iter().enumerate() {
        let (top, width) = (at * 24, value / longest * BAR_WIDTH);
        let _ = writeln!(
            out,
            "<text x=\"0\" y=\"{}\">{}</text><rect x=\"110\" y=\"{}\" width=\"{width:.1}\" height=\"16\"/>\
             <text x=\"{:.1}\" y=\"{}\">{}</text>",
            top + 16,
            escape(name),
            top + 3,
            width + 118.0,
            top + 16,
            escape(text)
        );
    }
    out + "</svg>\n"
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_has_a_reason_and_no_bar() {
        let refused = json!({ "verdict": "invalid", "diagnostics": [{ "message": "too <large>" }] });
        let found = json!({ "verdict": "holds", "states": 1200, "seconds": 0.5, "symmetry": { "exact": true } });
        let rows = vec![Row::new("off", &found), Row::new("flood", &refused)];
        let symmetry = json!({ "group_order": "6", "orbit_sizes": [{ "size": "3", "states": 400 }] });
        let comparison = Comparison::new("m.m", rows, &symmetry);
        let (text, page) = (table(&comparison), page(&comparison));
        assert!(text.contains("flood: too <large>") && text.contains("3 × 400"), "{text}");
        assert!(page.contains("too &lt;large&gt;") && !page.contains("<large>"), "{page}");
        // One bar in each of three plots, and one for the orbits.
        assert_eq!(page.matches("<rect").count(), 4, "{page}");
    }
}
