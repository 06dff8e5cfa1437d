//! The only place that writes to standard output and standard error.

use std::io::{self, IsTerminal, Write};
use std::os::fd::AsFd;
use std::sync::OnceLock;

use burnside_diag::{Diagnostic, Palette, Severity, SourceMap, render_within};

use crate::args::ColorWhen;
use crate::exit::Exit;
use crate::output::words;
use burnside_view::quantity::counted;

/// Why some text for people could not be written.
static FAILURE: OnceLock<String> = OnceLock::new();
/// How many diagnostics of a kind are shown.
const MOST_SHOWN: usize = 20;

/// Where text for people goes.
pub(crate) struct Terminal {
    out: Box<dyn Write>,
    /// Colours of the main text.
    palette: Palette,
    /// Columns of the main text, if a person looks at it.
    width: Option<usize>,
    /// Colours of standard error.
    err_palette: Palette,
}

impl Terminal {
    /// Main text to standard output.
    pub(crate) fn new(color: ColorWhen) -> Self {
        let palette = palette(color, io::stdout().is_terminal());
        Self {
            out: Box::new(io::stdout()),
            palette,
            width: width(&io::stdout()),
            err_palette: palette_of_stderr(color),
        }
    }

    /// Main text to standard error, because standard output is taken.
    pub(crate) fn beside_report(color: ColorWhen) -> Self {
        let palette = palette_of_stderr(color);
        Self { out: Box::new(io::stderr()), palette, width: width(&io::stderr()), err_palette: palette }
    }

    /// Renders a diagnostic as part of the main text.
    pub(crate) fn render(&self, diagnostic: &Diagnostic, sources: &SourceMap) -> String {
        render_within(diagnostic, sources, self.palette, self.width)
    }

    pub(crate) fn palette(&self) -> Palette {
        self.palette
    }

    /// Writes main text as it is. A reader that went away (as in `burnside … | head`) is no reason to stop: the exit
    /// code still tells the verdict. Any other failure is remembered until the end.
    pub(crate) fn write(&mut self, text: &str) {
        if let Err(error) = self.out.write_all(text.as_bytes()).and_then(|()| self.out.flush())
            && error.kind() != io::ErrorKind::BrokenPipe
        {
            let _ = FAILURE.set(words(&error));
        }
    }

    /// How to end, once everything is written: text that got lost is a failure.
    pub(crate) fn settled(exit: Exit) -> Exit {
        match FAILURE.get() {
            None => exit,
            Some(problem) => {
                Self::alarm(&format!("cannot write to standard output: {problem}"));
                Exit::Failed
            }
        }
    }

    /// Writes a line of main text.
    pub(crate) fn say(&mut self, line: &str) {
        self.write(&format!("{line}\n"));
    }

    /// Renders a diagnostic to standard error.
    pub(crate) fn complain(&self, diagnostic: &Diagnostic, sources: &SourceMap) {
        let text = render_within(diagnostic, sources, self.err_palette, width(&io::stderr()));
        let _ = io::stderr().write_all(text.as_bytes());
    }

    /// Renders the first diagnostics of each severity, and says how many more there are.
    pub(crate) fn complain_all<'d>(&self, all: impl Iterator<Item = &'d Diagnostic>, sources: &SourceMap) {
        let severities = [Severity::Error, Severity::Warning, Severity::Note];
        let mut numbers = [0; 3];
        for diagnostic in all {
            let number = &mut numbers[severities.iter().position(|it| *it == diagnostic.severity).unwrap_or(0)];
            *number += 1;
            if *number <= MOST_SHOWN {
                self.complain(diagnostic, sources);
            }
        }
        let more =
            severities.iter().zip(numbers).filter(|(_, number)| *number > MOST_SHOWN).map(|(severity, number)| {
                let word = severity.word();
                counted((number - MOST_SHOWN) as u64, &format!("more {word}"), &format!("more {word}s"))
            });
        let more: Vec<String> = more.collect();
        if !more.is_empty() {
            let _ = writeln!(io::stderr(), "and {}", more.join(" and "));
        }
    }

    /// Writes a failure of the environment or of ours to standard error.
    pub(crate) fn alarm(message: &str) {
        let _ = writeln!(io::stderr(), "burnside: {message}");
    }
}

/// How many columns the terminal behind a stream has, if it is one; `COLUMNS` goes first.
pub(crate) fn width(stream: &(impl IsTerminal + AsFd)) -> Option<usize> {
    if !stream.is_terminal() {
        return None;
    }
    let told = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    let size = || rustix::termios::tcgetwinsize(stream).ok().map(|size| usize::from(size.ws_col));
    told.or_else(size).filter(|columns| *columns > 0)
}

fn palette_of_stderr(color: ColorWhen) -> Palette {
    palette(color, io::stderr().is_terminal())
}

/// Colours only where asked for or where a person looks; see <https://no-color.org>.
fn palette(color: ColorWhen, is_terminal: bool) -> Palette {
    let set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    match color {
        ColorWhen::Always => Palette::Ansi,
        ColorWhen::Auto if is_terminal && !set("NO_COLOR") && !dumb => Palette::Ansi,
        ColorWhen::Auto | ColorWhen::Never => Palette::Plain,
    }
}
