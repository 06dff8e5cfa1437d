//! Diagnostics as text with the source line and a caret below the place.

use std::fmt::Write as _;

use crate::{Diagnostic, Label, Severity, SourceFile, SourceMap, Span};

/// Terminal escape sequences, or nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Palette {
    /// Plain text.
    Plain,
    /// ANSI colours.
    Ansi,
}

impl Palette {
    fn paint(self, escape: &str, text: &str) -> String {
        match self {
            Self::Plain => text.to_owned(),
            Self::Ansi => format!("\x1b[{escape}m{text}\x1b[0m"),
        }
    }

    /// Emphasis without a colour.
    pub fn bold(self, text: &str) -> String {
        self.paint("1", text)
    }

    /// Violations and errors.
    pub fn red(self, text: &str) -> String {
        self.paint("1;31", text)
    }

    /// Warnings and inconclusive verdicts.
    pub fn yellow(self, text: &str) -> String {
        self.paint("1;33", text)
    }

    /// Good news.
    pub fn green(self, text: &str) -> String {
        self.paint("1;32", text)
    }

    /// Frames, line numbers and secondary labels.
    pub fn blue(self, text: &str) -> String {
        self.paint("1;34", text)
    }

    /// What may be skipped on a first reading.
    pub fn dim(self, text: &str) -> String {
        self.paint("2", text)
    }
}

/// Lines of a model that are longer than this are cut even where nobody's terminal is.
const LONGEST_LINE: usize = 240;
/// The least that is shown of a line, however narrow the terminal is.
const SHORTEST_LINE: usize = 24;

/// Renders one diagnostic, ending in a line break.
pub fn render(diagnostic: &Diagnostic, sources: &SourceMap, palette: Palette) -> String {
    render_within(diagnostic, sources, palette, None)
}

/// The same for a terminal with so many columns: lines of the model are cut to what fits around the place.
pub fn render_within(diagnostic: &Diagnostic, sources: &SourceMap, palette: Palette, columns: Option<usize>) -> String {
    let heading = format!("{}[{}]", diagnostic.severity.word(), diagnostic.code.0);
    let heading = match diagnostic.severity {
        Severity::Error => palette.red(&heading),
        Severity::Warning => palette.yellow(&heading),
        Severity::Note => palette.green(&heading),
    };
    let mut out = format!("{heading}: {}\n", palette.bold(&diagnostic.message));
    if let Some(file) = sources.get(diagnostic.primary.span.file) {
        let _ = writeln!(out, "  {} {}", palette.blue("-->"), sources.locate(diagnostic.primary.span));
        render_snippets(&mut out, diagnostic, file, (palette, columns));
    }
    if let Some(help) = &diagnostic.help {
        let _ = writeln!(out, "{}: {help}", palette.bold("help"));
    }
    out
}

/// Prints each labelled line once, in order of appearance in the file.
fn render_snippets(
    out: &mut String,
    diagnostic: &Diagnostic,
    file: &SourceFile,
    (palette, columns): (Palette, Option<usize>),
) {
    let home = diagnostic.primary.span.file;
    let secondary = diagnostic.secondary.iter().filter(|label| label.span.file == home);
    let mut labels: Vec<(&Label, bool)> =
        std::iter::once((&diagnostic.primary, true)).chain(secondary.map(|label| (label, false))).collect();
    labels.sort_by_key(|(label, primary)| (file.position(label.span.start).line, label.span.start, !primary));
    let last_line = labels.iter().map(|(label, _)| file.position(label.span.start).line).max().unwrap_or(1);
    let gutter = last_line.to_string().len();
    let room = columns.map_or(LONGEST_LINE, |columns| columns.saturating_sub(gutter + 3).max(SHORTEST_LINE));

    let mut shown = 0;
    let mut window = Window { first: 0, room };
    for (label, primary) in labels {
        let at = file.position(label.span.start);
        let source = file.line(at.line).replace('\t', " ");
        let width = width_on_line(file, label.span);
        if at.line != shown || !window.shows(at.column as usize - 1) {
            window = Window::around(&source, at.column as usize - 1, width, room);
            let number = palette.blue(&format!("{:>gutter$} |", at.line));
            let _ = writeln!(out, "{number} {}", window.cut(&source));
            shown = at.line;
        }
        let indent = at.column as usize - 1 - window.first;
        let marks = if primary { "^" } else { "-" }.repeat(width.min(room.saturating_sub(indent)).max(1));
        let marks = if primary { palette.red(&marks) } else { palette.blue(&marks) };
        let bar = palette.blue(&format!("{:gutter$} |", ""));
        let line = format!("{bar} {}{marks} {}", " ".repeat(indent), label.text);
        let _ = writeln!(out, "{}", line.trim_end());
    }
}

/// The part of a line that is shown.
struct Window {
    /// The first character, counted from 0.
    first: usize,
    /// How many characters there is room for.
    room: usize,
}

impl Window {
    /// As much as there is room for, with the place in it, preferably from the line's beginning.
    fn around(line: &str, place: usize, width: usize, room: usize) -> Self {
        let length = line.chars().count();
        if length <= room || place + width < room {
            return Self { first: 0, room };
        }
        // A third of the room before the place, unless the line ends before the room does.
        Self { first: place.saturating_sub(room / 3).min(length.saturating_sub(room)), room }
    }

    fn shows(&self, place: usize) -> bool {
        (self.first..self.first + self.room).contains(&place)
    }

    /// The part, with an ellipsis for its first or last character where something is left out.
    fn cut(&self, line: &str) -> String {
        let length = line.chars().count();
        let shown = line.chars().enumerate().skip(self.first).take(self.room);
        let is_cut = |at: usize| {
            at == self.first && self.first > 0 || at + 1 == self.first + self.room && self.first + self.room < length
        };
        shown.map(|(at, character)| if is_cut(at) { '…' } else { character }).collect()
    }
}

/// How many characters of the span lie on its first line, at least one so that the caret shows.
fn width_on_line(file: &SourceFile, span: Span) -> usize {
    let text = file.slice(span);
    text.split(['\n', '\r']).next().unwrap_or("").chars().count().max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Code, FileId};

    fn span_of(text: &str, needle: &str) -> Span {
        let start = text.find(needle).expect("needle occurs");
        Span::new(FileId(0), start, start + needle.len())
    }

    #[test]
    fn shows_both_lines_and_the_remedy() {
        let text = "var\n  turn: 0..3;\nrule\n\tturn := 5;\n";
        let mut sources = SourceMap::default();
        sources.add(SourceFile::new("peterson.m", text));
        let diagnostic =
            Diagnostic::error(Code("value-out-of-range"), "`5` does not fit the range `0..3`", span_of(text, "5"))
                .label("this value")
                .also(span_of(text, "0..3"), "range declared here")
                .help("assign a value in `0..3`");
        let expected = "\
error[value-out-of-range]: `5` does not fit the range `0..3`
  --> peterson.m:4:10
2 |   turn: 0..3;
  |         ---- range declared here
4 |  turn := 5;
  |          ^ this value
help: assign a value in `0..3`
";
        assert_eq!(render(&diagnostic, &sources, Palette::Plain), expected);
    }

    #[test]
    fn a_long_line_is_cut_around_the_place() {
        let text = format!("{} here {}", "a".repeat(300), "b".repeat(300));
        let mut sources = SourceMap::default();
        sources.add(SourceFile::new("m", text.as_str()));
        let diagnostic = Diagnostic::error(Code("syntax"), "wrong", span_of(&text, "here"));
        let shown = render_within(&diagnostic, &sources, Palette::Plain, Some(40));
        let expected = format!("1 | …{} here {}…\n  | {}^^^^\n", "a".repeat(10), "b".repeat(18), " ".repeat(12));
        assert!(shown.ends_with(&expected), "{shown}\n{expected}");
        // Without a terminal there is more room, and a short line is not touched.
        assert!(render(&diagnostic, &sources, Palette::Plain).lines().all(|line| line.chars().count() <= 244));
        let end = Diagnostic::error(Code("syntax"), "wrong", Span::new(FileId(0), text.len(), text.len()));
        assert!(render_within(&end, &sources, Palette::Plain, Some(40)).ends_with(&format!("{}^\n", " ".repeat(36))));
    }

    #[test]
    fn a_span_at_the_end_of_the_file_still_shows_a_caret() {
        let mut sources = SourceMap::default();
        sources.add(SourceFile::new("m", "rule"));
        let diagnostic = Diagnostic::error(Code("syntax"), "unexpected end", Span::new(FileId(0), 4, 4));
        assert!(render(&diagnostic, &sources, Palette::Plain).contains("1 | rule\n  |     ^\n"));
    }
}
