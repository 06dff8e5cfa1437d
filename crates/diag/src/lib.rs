//! Source files, spans, diagnostics and their rendering.
//!
//! Every stage that can find fault with a model returns [`Diagnostic`]s; only the shell renders them, so the terminal
//! text and the JSON report come from the same value. Nothing here reads files or writes to a terminal.

mod diagnostic;
mod render;
mod source;

pub use diagnostic::{Code, Diagnostic, Label, Severity};
pub use render::{Palette, render, render_within};
pub use source::{FileId, Position, SourceFile, SourceMap, Span};
