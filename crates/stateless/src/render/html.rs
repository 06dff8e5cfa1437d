//! The report as one HTML page that needs nothing else.

use super::{Names, cause, counts, headline};
use crate::check::Report;
use crate::op::{Op, ThreadId};
use crate::schedule::Schedule;
use crate::trace::Trace;
use std::fmt::Write as _;

const STYLE: &str = "body{font:14px system-ui,sans-serif;margin:1.5em auto;padding:0 1em;max-width:70em}\
.wide{overflow-x:auto}table{border-collapse:collapse}th,td{padding:.15em .8em;border-left:1px solid #ccc;text-align:left;\
white-space:nowrap;font-family:ui-monospace,monospace}\
tr:hover{background:#f3f3f3}td.run{background:#dbeafe}td.wait{background:#fee2e2}td.step,td.place{color:#777;border:0}\
pre{background:#f6f6f6;padding:.8em;white-space:pre-wrap}code{overflow-wrap:anywhere}h1{font-size:1.3em}";

/// What a page says beside the report.
#[derive(Debug, Clone, Copy, Default)]
pub struct Page<'a> {
    /// What was tested.
    pub subject: &'a str,
    /// How it can be tested again; may be empty.
    pub command: &'a str,
    /// Where the threads are at the end; may be empty.
    pub stacks: &'a str,
}

/// The page.
#[must_use]
pub fn html(report: &Report, names: &Names, page: Page<'_>) -> String {
    let subject = escape(page.subject);
    let mut body = format!("<h1>{subject}: {}</h1>\n", escape(&headline(report)));
    if !page.command.is_empty() {
        let _ = writeln!(body, "<p>Burnside {}: <code>{}</code></p>", env!("CARGO_PKG_VERSION"), escape(page.command));
    }
    if let Some(fault) = &report.fault {
        let fault = fault.renumbered();
        let _ = writeln!(body, "<pre>{}</pre>", escape(&cause(&fault, names)));
        let _ = writeln!(body, "<p>Schedule: <code>{}</code></p>", escape(&Schedule::of(&fault).short()));
        body.push_str(&table(&fault, names));
        if !page.stacks.is_empty() {
            let _ = writeln!(body, "<pre>{}</pre>", escape(page.stacks));
        }
    }
    let _ = writeln!(body, "<pre>{}</pre>", escape(&counts(report)));
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"><title>{subject}: {}</title>\
         <style>{STYLE}</style></head><body>\n{body}</body></html>\n",
        escape(report.verdict.word())
    )
}

fn table(trace: &Trace, names: &Names) -> String {
    let n = trace.births.len();
    let mut text = String::from("<div class=\"wide\"><table>\n<tr><td class=\"step\"></td>");
    for thread in 0..n {
        let _ = write!(text, "<th>{}</th>", escape(&names.thread(ThreadId::from(thread))));
    }
    text.push_str("</tr>\n");
    for (step, event) in trace.events.iter().enumerate() {
        let _ = write!(text, "<tr><td class=\"step\">{step}</td>");
        for thread in 0..n {
            if thread == event.thread.index() {
                let _ = write!(text, "<td class=\"run\">{}</td>", escape(&names.op(&event.op)));
            } else {
                text.push_str("<td></td>");
            }
        }
        let place = names.places.get(step).map_or("", String::as_str);
        let _ = writeln!(text, "<td class=\"place\">{}</td></tr>", escape(place));
    }
    text.push_str("<tr><td class=\"step\">end</td>");
    for op in trace.pending.iter().take(n) {
        if *op == Op::NONE {
            text.push_str("<td>done</td>");
        } else {
            let _ = write!(text, "<td class=\"wait\">{}</td>", escape(&names.op(op)));
        }
    }
    text.push_str("</tr>\n</table></div>\n");
    text
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
