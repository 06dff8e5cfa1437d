//! The only place that writes to standard output and standard error.

use std::io::{self, IsTerminal, Write};

use burnside_diag::{Diagnostic, Palette, SourceMap, render};

use crate::args::ColorWhen;

/// Where text for people goes.
pub(crate) struct Terminal {
    out: Box<dyn Write>,
    /// Colours of the main text.
    palette: Palette,
    /// Colours of standard error.
    err_palette: Palette,
}

impl Terminal {
    /// Main text to standard output.
    pub(crate) fn new(color: ColorWhen) -> Self {
        let palette = palette(color, io::stdout().is_terminal());
        Self { out: Box::new(io::stdout()), palette, err_palette: palette_of_stderr(color) }
    }

    /// Main text to standard error, because standard output is taken.
    pub(crate) fn beside_report(color: ColorWhen) -> Self {
        let palette = palette_of_stderr(color);
        Self { out: Box::new(io::stderr()), palette, err_palette: palette }
    }

    pub(crate) fn palette(&self) -> Palette {
        self.palette
    }

    /// Writes main text as it is. A reader that went away (as in `burnside … | head`) is no reason to stop: the exit
    /// code still tells the verdict.
    pub(crate) fn write(&mut self, text: &str) {
        let _ = self.out.write_all(text.as_bytes()).and_then(|()| self.out.flush());
    }

    /// Writes a line of main text.
    pub(crate) fn say(&mut self, line: &str) {
        self.write(&format!("{line}\n"));
    }

    /// Renders a diagnostic to standard error.
    pub(crate) fn complain(&self, diagnostic: &Diagnostic, sources: &SourceMap) {
        let _ = io::stderr().write_all(render(diagnostic, sources, self.err_palette).as_bytes());
    }

    /// Writes a failure of the environment or of ours to standard error.
    pub(crate) fn alarm(message: &str) {
        let _ = writeln!(io::stderr(), "burnside: {message}");
    }
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
