//! What a check found as a page that needs nothing else: verdicts in words, and counterexamples as message sequence charts
//! where every step is one of processes.
//!
//! A chart is a table with a column for each process and a row for each step; a handshake is an arrow from one cell to
//! another. What else a step changes stands below it. Wide charts are moved sideways, and the page stays as it is.

use std::fmt::Write as _;

use burnside_diag::Palette;
use burnside_engine::{Task, Trace};

use crate::escaped;
use crate::tell::chart::{Row, rows};
use crate::tell::story::{Teller, TraceStyle};

/// A part of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Section {
    /// A text as it is printed.
    Words(String),
    /// An execution, drawn.
    Chart(String),
}

impl Section {
    /// An execution: a chart, or in words where some step is not one of processes.
    pub fn execution(task: &Task<'_>, trace: &Trace) -> Self {
        match rows(task, trace) {
            Some(rows) => Self::Chart(chart(&rows, trace.loop_start)),
            None => {
                let teller = Teller { task, style: TraceStyle::Diff, palette: Palette::Plain };
                Self::Words(teller.tell(trace))
            }
        }
    }
}

const STYLE: &str = "body{font:15px/1.4 sans-serif;margin:1.5em auto;max-width:72em;padding:0 1em;color:#222}\
    h1{overflow-wrap:anywhere;font-size:1.4em}p{overflow-wrap:anywhere}pre{overflow-x:auto}\
    .wide{overflow-x:auto}table{border-collapse:collapse;min-width:100%}\
    th{padding:.3em .8em;background:#fff}td{padding:.15em .6em;text-align:center;min-width:7em;position:relative}\
    td.n{min-width:1.5em;width:1.5em;text-align:right;color:#666;font-variant-numeric:tabular-nums;position:sticky;left:0;\
    background:#fff;z-index:2}\
    td.p{background:linear-gradient(#bbb,#bbb) center/1px 100% no-repeat}\
    td.p b{font:13px/1.3 monospace;display:inline-block;max-width:18em;background:#eef;border:1px solid #99b;\
    border-radius:3px;padding:.1em .4em;position:relative;z-index:1;overflow-wrap:anywhere}\
    td.over{background:linear-gradient(#357,#357) center/100% 2px no-repeat,linear-gradient(#bbb,#bbb) center/1px 100% \
    no-repeat}td.right{background:linear-gradient(#357,#357) right/50% 2px no-repeat,linear-gradient(#bbb,#bbb) center/1px \
    100% no-repeat}td.left{background:linear-gradient(#357,#357) left/50% 2px no-repeat,linear-gradient(#bbb,#bbb) \
    center/1px 100% no-repeat}\
    td i{position:absolute;top:50%;transform:translateY(-50%);color:#357;font:13px/1 sans-serif}\
    td.left i{right:100%}td.right i{left:100%}\
    td.c{text-align:left;color:#555;font-size:12px;padding-bottom:.6em}\
    td.c span{display:block;position:sticky;left:3em;max-width:min(80vw,60em);overflow-wrap:anywhere}\
    td.m{text-align:left;font-weight:bold}td.m span{position:sticky;left:.6em}\
    @media(max-width:34em){body{padding:0 .4em}td{padding:.15em .3em;min-width:5.5em}td.p b{font-size:11px;max-width:11em}}";

/// A page with everything that was found.
pub fn page(model: &str, sections: &[Section]) -> String {
    let title = escaped(model);
    let mut out = format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title}</title>\n<style>{STYLE}</style></head><body>\n<h1>{title}</h1>\n"
    );
    for section in sections {
        let _ = match section {
            Section::Words(text) if !text.contains('\n') => writeln!(out, "<p>{}</p>", escaped(text)),
            Section::Words(text) => writeln!(out, "<pre>{}</pre>", escaped(text)),
            Section::Chart(table) => writeln!(out, "<div class=\"wide\">{table}</div>"),
        };
    }
    out + "</body></html>\n"
}

fn chart(rows: &[Row], loop_start: Option<usize>) -> String {
    let mut columns: Vec<&str> = Vec::new();
    for (process, _) in rows.iter().flat_map(|row| &row.parts) {
        if !columns.contains(&process.as_str()) {
            columns.push(process);
        }
    }
    let mut out = "<table>\n<tr><th></th>".to_owned();
    columns.iter().for_each(|process| out += &format!("<th>{}</th>", escaped(process)));
    out += "</tr>\n";
    let mark =
        |text: &str| format!("<tr><td class=\"m\" colspan=\"{}\"><span>{text}</span></td></tr>\n", columns.len() + 1);
    for (number, row) in (1..).zip(rows) {
        if loop_start == Some(number - 1) {
            out += &mark("from here on for ever:");
        }
        let _ = writeln!(out, "<tr><td class=\"n\">{number}</td>{}</tr>", cells(&columns, row));
        if !row.changes.is_empty() {
            let changes = escaped(&row.changes.join(", "));
            let width = columns.len().max(1);
            let _ = writeln!(
                out,
                "<tr><td class=\"n\"></td><td class=\"c\" colspan=\"{width}\"><span>{changes}</span></td></tr>"
            );
        }
    }
    match loop_start {
        Some(start) if start < rows.len() => out += &mark(&format!("back to the state after {start}")),
        Some(_) => out += &mark("here the execution ends"),
        None => {}
    }
    out + "</table>"
}

/// The cells of a step, with an arrow from one half of a handshake to the other.
fn cells(columns: &[&str], row: &Row) -> String {
    let place = |part: Option<&(String, String)>| {
        part.and_then(|(process, _)| columns.iter().position(|known| known == process))
    };
    let (from, to) = match row.parts.as_slice() {
        [sender, receiver] => (place(Some(sender)), place(Some(receiver))),
        _ => (None, None),
    };
    let mut out = String::new();
    for (at, process) in columns.iter().enumerate() {
        let (class, head) = match (from, to) {
            (Some(from), Some(to)) if from != to && (from.min(to)..=from.max(to)).contains(&at) => {
                let side = if at == from.min(to) { " right" } else { " left" };
                match (at == from, at == to) {
                    (true, _) => (side, ""),
                    (_, true) if from < to => (side, "<i>▸</i>"),
                    (_, true) => (side, "<i>◂</i>"),
                    _ => (" over", ""),
                }
            }
            _ => ("", ""),
        };
        let text = row.parts.iter().find(|(own, _)| own == process);
        let text = text.map_or_else(String::new, |(_, text)| format!("<b>{}{head}</b>", escaped(text)));
        let _ = write!(out, "<td class=\"p{class}\">{text}</td>");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(parts: &[(&str, &str)], changes: &str) -> Row {
        let parts = parts.iter().map(|(who, what)| ((*who).to_owned(), (*what).to_owned())).collect();
        Row { parts, changes: vec![changes.to_owned()] }
    }

    #[test]
    fn an_arrow_goes_from_the_sender_to_the_receiver() {
        let rows = [
            row(&[("A(0)", "a"), ("C(2)", "x")], "x: 0 → 1"),
            row(&[("B(1)", "1 < 2 && \"b\"")], "<b>"),
            row(&[("C(2)", "c!1"), ("A(0)", "c?v")], "q"),
        ];
        let columns = ["A(0)", "B(1)", "C(2)"];
        let first = cells(&columns, &rows[0]);
        assert_eq!(
            first,
            "<td class=\"p right\"><b>a</b></td><td class=\"p over\"></td><td class=\"p left\"><b>x<i>▸</i></b></td>"
        );
        let back = cells(&columns, &rows[2]);
        assert!(back.starts_with("<td class=\"p right\"><b>c?v<i>◂</i></b></td><td class=\"p over\">"), "{back}");
        let page = page("<m>.pml", &[Section::Chart(chart(&rows, Some(1))), Section::Words("</pre>\n".to_owned())]);
        assert!(page.contains("1 &lt; 2 &amp;&amp; &quot;b&quot;") && page.contains("&lt;b&gt;"), "{page}");
        assert!(page.contains("<h1>&lt;m&gt;.pml</h1>") && page.contains("<pre>&lt;/pre&gt;\n</pre>"), "{page}");
        assert!(page.contains("back to the state after 1") && !page.contains("http"), "{page}");
    }
}
