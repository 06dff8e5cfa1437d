//! Strategies side by side: as a table, as JSON, and as a page with plots.

use std::fmt::Write as _;

use burnside_driver::SymmetryChoice;
use serde_json::{Value, json};

use crate::TOOL;
use crate::escaped;
use crate::quantity::count;

const SCHEMA: &str = "burnside.compare/1";

/// What the searches came to.
pub struct Comparison {
    /// The model with the constants that were given other values.
    model: String,
    /// What was typed.
    command: String,
    /// What came of each strategy, in the order of the searches.
    pub rows: Vec<Row>,
    /// The order of the group, once it is known.
    group_order: Option<String>,
    /// Sizes of orbits, each with the number of orbits, if they were counted.
    orbits: Vec<(String, u64)>,
}

/// What one search came to.
pub struct Row {
    choice: SymmetryChoice,
    /// `holds`, `violated`, `inconclusive` or `invalid`.
    pub verdict: String,
    /// Why it is inconclusive, or why there was no search, or what was searched instead.
    reason: Option<String>,
    exact: bool,
    states: u64,
    rules_fired: u64,
    seconds: f64,
    peak_bytes: u64,
}

impl Row {
    /// Reads the report of a search.
    pub fn new(choice: SymmetryChoice, report: &Value) -> Self {
        let number = |key: &str| report[key].as_u64().unwrap_or(0);
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let taken = report["symmetry"]["strategy"].as_str().filter(|taken| *taken != choice.name());
        let instead = taken.map(|taken| format!("gains nothing here, so `{taken}` was used"));
        Self {
            choice,
            verdict: text(&report["verdict"]).unwrap_or_default(),
            reason: text(&report["shortfall"]).or_else(|| refusal(report)).or(instead),
            exact: report["symmetry"]["exact"].as_bool().unwrap_or(false),
            states: number("states"),
            rules_fired: number("rules_fired"),
            seconds: report["seconds"].as_f64().unwrap_or(0.0),
            peak_bytes: number("peak_bytes"),
        }
    }

    fn strategy(&self) -> &'static str {
        self.choice.name()
    }

    /// Whether there is anything to plot.
    fn has_searched(&self) -> bool {
        matches!(self.verdict.as_str(), "holds" | "violated" | "inconclusive")
    }

    fn exactness(&self) -> &'static str {
        if self.exact { "yes" } else { "no" }
    }
}

/// Why a strategy does not treat the model. Notes about the model are told once, not for each strategy.
fn refusal(report: &Value) -> Option<String> {
    let is_error = |it: &&Value| it["severity"].as_str().is_none_or(|severity| severity == "error");
    let first = report["diagnostics"].as_array()?.iter().find(is_error)?;
    first["message"].as_str().map(str::to_owned)
}

impl Comparison {
    /// A comparison that has not begun.
    pub fn new(model: String, command: String) -> Self {
        Self { model, command, rows: Vec::new(), group_order: None, orbits: Vec::new() }
    }

    /// Takes over what the search that counted orbits says about symmetry.
    pub fn count_orbits(&mut self, symmetry: &Value) {
        let sizes = symmetry["orbit_sizes"].as_array().into_iter().flatten();
        let size = |it: &Value| Some((it["size"].as_str()?.to_owned(), it["states"].as_u64()?));
        self.group_order = symmetry["group_order"].as_str().map(str::to_owned);
        self.orbits = sizes.filter_map(size).collect();
    }

    /// The comparison as JSON.
    pub fn json(&self) -> Value {
        let row = |row: &Row| {
            json!({
                "strategy": row.strategy(),
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
            "tool": { "name": TOOL, "version": env!("CARGO_PKG_VERSION") },
            "command": self.command,
            "model": self.model,
            "group_order": self.group_order.as_deref().unwrap_or("unknown"),
            "strategies": self.rows.iter().map(row).collect::<Vec<_>>(),
            "orbit_sizes": self.orbits.iter().map(orbit).collect::<Vec<_>>(),
        })
    }

    /// Each reason with the strategies it applies to.
    fn reasons(&self) -> Vec<(String, Vec<&'static str>)> {
        let mut reasons: Vec<(String, Vec<&'static str>)> = Vec::new();
        for row in &self.rows {
            let Some(reason) = &row.reason else { continue };
            match reasons.iter_mut().find(|(known, _)| known == reason) {
                Some((_, strategies)) => strategies.push(row.strategy()),
                None => reasons.push((reason.clone(), vec![row.strategy()])),
            }
        }
        reasons
    }
}

const HEADINGS: [&str; 7] = ["strategy", "verdict", "exact", "states", "rules fired", "seconds", "memory MB"];
/// Wide enough for what is likely: rows are told before the later ones are known.
const WIDTHS: [usize; 7] = [9, 12, 5, 14, 16, 9, 9];
/// What the columns mean.
const LEGEND: &str =
    "exact: one state is stored for each orbit; states: how many are stored; memory: the most the process held";

fn cells(row: &Row) -> [String; 7] {
    let measured = |text: String| if row.has_searched() { text } else { "-".to_owned() };
    [
        row.strategy().to_owned(),
        row.verdict.clone(),
        measured(row.exactness().to_owned()),
        measured(count(row.states)),
        measured(count(row.rules_fired)),
        measured(format!("{:.3}", row.seconds)),
        measured(format!("{:.1}", row.peak_bytes as f64 / f64::from(1 << 20))),
    ]
}

fn aligned(cells: &[String; 7]) -> String {
    let columns = cells.iter().zip(WIDTHS).enumerate();
    let columns = columns.map(|(column, (cell, width))| match column {
        0..3 => format!("  {cell:<width$}"),
        _ => format!("  {cell:>width$}"),
    });
    columns.collect::<String>().trim_end().to_owned()
}

/// What stands above the rows.
pub fn heading(comparison: &Comparison) -> String {
    format!("{}\n{}", comparison.model, aligned(&HEADINGS.map(str::to_owned)))
}

/// One row.
pub fn line(row: &Row) -> String {
    aligned(&cells(row))
}

/// What stands below the rows.
pub fn notes(comparison: &Comparison) -> String {
    let mut out = format!("{LEGEND}\n");
    for (reason, strategies) in comparison.reasons() {
        let _ = writeln!(out, "{}: {reason}", strategies.join(", "));
    }
    if let Some(order) = &comparison.group_order {
        let _ = writeln!(out, "the proved group has order {order}");
    }
    if !comparison.orbits.is_empty() {
        let widest = comparison.orbits.iter().map(|(size, _)| size.len()).max().unwrap_or(0);
        out += "orbits by size:\n";
        for (size, number) in &comparison.orbits {
            let _ = writeln!(out, "  {size:>widest$} × {}", count(*number));
        }
    }
    out
}

/// A bar of a plot: its name, its length, and the number as text.
type Bar = (String, f64, String);

const STYLE: &str = "body{font:15px/1.4 sans-serif;margin:1.5em auto;max-width:56em;padding:0 1em;color:#222}\
    h1{overflow-wrap:anywhere}.wide{overflow-x:auto}table{border-collapse:collapse}td,th{padding:.25em .8em;text-align:left;\
    border-bottom:1px solid #ddd;white-space:nowrap}td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}\
    code{background:#f3f3f3;padding:.1em .3em;overflow-wrap:anywhere}\
    .bars{display:grid;grid-template-columns:max-content 1fr;gap:.2em .8em;align-items:center;max-width:48em;margin:0}\
    .bars b{font-weight:normal}.bars span{display:flex;align-items:center;gap:.5em}\
    .bars i{flex:none;height:1em;background:#47a;width:calc((100% - 7em)*var(--w)/100)}\
    dt{font-weight:bold}dd{margin:0 0 .3em 1.5em}\
    @media(max-width:34em){table{font-size:11px}td,th{padding:.2em}th{white-space:normal;vertical-align:bottom}}";

/// The comparison as a page that needs nothing else.
pub fn page(comparison: &Comparison) -> String {
    let model = escaped(&comparison.model);
    let order = comparison.group_order.as_deref().unwrap_or("unknown");
    let mut out = format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{model}: symmetry strategies</title>\n<style>{STYLE}</style></head><body>\n<h1>{model}</h1>\n\
         <p>Burnside {} compared the ways to bring symmetric states together; the proved group has order {order}.</p>\n\
         <p><code>{}</code></p>\n",
        env!("CARGO_PKG_VERSION"),
        escaped(&comparison.command),
    );
    out += &rows(comparison);
    let plot = |value: fn(&Row) -> f64, column: usize| -> Vec<Bar> {
        let searched = comparison.rows.iter().filter(|row| row.has_searched());
        searched.map(|row| (row.strategy().to_owned(), value(row), cells(row)[column].clone())).collect()
    };
    out += &bars("States stored", &plot(|row| row.states as f64, 3));
    out += &bars("Seconds", &plot(|row| row.seconds, 5));
    out += &bars("Memory in MB", &plot(|row| row.peak_bytes as f64, 6));
    if !comparison.orbits.is_empty() {
        let orbits = comparison.orbits.iter().map(|(size, number)| (size.clone(), *number as f64, count(*number)));
        out += &bars("Orbits by size", &orbits.collect::<Vec<_>>());
    }
    out += "<h2>Strategies</h2>\n<dl>\n";
    for row in &comparison.rows {
        let _ = writeln!(out, "<dt>{}</dt><dd>{}.</dd>", row.strategy(), quoted(row.choice.about()));
    }
    out + "</dl>\n</body></html>\n"
}

fn rows(comparison: &Comparison) -> String {
    let class = |column: usize| if column < 3 { "" } else { " class=\"n\"" };
    let mut out = String::from("<div class=\"wide\"><table>\n<tr>");
    for (column, heading) in HEADINGS.iter().enumerate() {
        let _ = write!(out, "<th{}>{heading}</th>", class(column));
    }
    out += "</tr>\n";
    for row in &comparison.rows {
        out += "<tr>";
        for (column, cell) in cells(row).iter().enumerate() {
            let _ = write!(out, "<td{}>{}</td>", class(column), escaped(cell));
        }
        out += "</tr>\n";
    }
    let _ = writeln!(out, "</table></div>\n<p>{}.</p>", escaped(LEGEND));
    for (reason, strategies) in comparison.reasons() {
        let _ = writeln!(out, "<p><b>{}</b>: {}.</p>", strategies.join(", "), quoted(&reason));
    }
    out
}

fn bars(title: &str, bars: &[Bar]) -> String {
    let longest = bars.iter().map(|(_, value, _)| *value).fold(f64::MIN_POSITIVE, f64::max);
    let mut out = format!("<h2>{title}</h2>\n<div class=\"bars\" role=\"img\" aria-label=\"{title}\">\n");
    for (name, value, text) in bars {
        let width = value / longest * 100.0;
        let _ = writeln!(out, "<b>{}</b><span><i style=\"--w:{width:.1}\"></i>{}</span>", escaped(name), escaped(text));
    }
    out + "</div>\n"
}

/// Words in backticks, as they are printed.
fn quoted(text: &str) -> String {
    let parts = escaped(text);
    let parts = parts.split('`').enumerate();
    parts.map(|(at, part)| if at % 2 == 1 { format!("<code>{part}</code>") } else { part.to_owned() }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compared() -> Comparison {
        let refused = json!({ "verdict": "invalid", "diagnostics": [{ "message": "too <large>" }] });
        let found = json!({ "verdict": "holds", "states": 1200, "seconds": 0.5,
            "symmetry": { "exact": true, "strategy": "off" }, "diagnostics": [{ "severity": "note", "message": "odd" }] });
        let mut comparison = Comparison::new("m.m".to_owned(), "burnside compare m.m".to_owned());
        comparison.rows.push(Row::new(SymmetryChoice::Off, &found));
        comparison.rows.push(Row::new(SymmetryChoice::Cells, &refused));
        comparison.rows.push(Row::new(SymmetryChoice::Adaptive, &refused));
        comparison.count_orbits(&json!({ "group_order": "6", "orbit_sizes": [{ "size": "3", "states": 400 }] }));
        comparison
    }

    #[test]
    fn a_refusal_has_a_reason_and_no_bar() {
        let comparison = compared();
        let (text, page) = (notes(&comparison), page(&comparison));
        assert!(text.contains("3 × 400") && !text.contains("odd"), "{text}");
        // What is true of two strategies is said once.
        assert!(text.contains("\ncells, adaptive: too <large>\n"), "{text}");
        assert_eq!(quoted("`a` and `<b>`"), "<code>a</code> and <code>&lt;b&gt;</code>");
        assert!(page.contains("too &lt;large&gt;") && !page.contains("<large>"), "{page}");
        assert!(
            page.contains(env!("CARGO_PKG_VERSION")) && page.contains("<code>burnside compare m.m</code>"),
            "{page}"
        );
        // One bar in each of three plots, and one for the orbits.
        assert_eq!(page.matches("<i style").count(), 4, "{page}");
    }

    #[test]
    fn numbers_stand_below_each_other() {
        let comparison = compared();
        let lines: Vec<String> = comparison.rows.iter().map(line).collect();
        let heading = heading(&comparison);
        let columns = heading.lines().last().expect("a heading");
        assert!(lines.iter().all(|line| line.chars().count() == columns.chars().count()), "{columns}\n{lines:#?}");
    }
}
