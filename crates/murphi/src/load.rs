//! The whole way from text to model.

use burnside_diag::{Diagnostic, FileId};
use burnside_ir::Model;

use crate::check::check;
use crate::lower::{Undefined, lower};
use crate::parse::parse;

/// How to read a model.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Values for top-level constants, in place of the declared ones.
    pub overrides: Vec<(String, i64)>,
    /// Whether the plain copy `x := y` of an undefined variable, and `=` on an undefined member of a scalarset or union,
    /// are faults, as in Rumur. In CMurphi the one copies "undefined" and the other takes it for one more member.
    pub strict_undefined: bool,
}

/// What came of reading a model.
#[derive(Debug)]
pub struct Loaded {
    /// The model, if there was no error.
    pub model: Option<Model>,
    /// Everything worth saying, in the order of the text.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads a model.
pub fn load(file: FileId, text: &str, options: &Options) -> Loaded {
    let (ast, mut diagnostics) = parse(file, text);
    let (program, found) = check(&ast, file, &options.overrides);
    diagnostics.extend(found);
    diagnostics.sort_by_key(|diagnostic| diagnostic.primary.span.start);
    let undefined = if options.strict_undefined { Undefined::Refused } else { Undefined::Tolerated };
    let sound = !diagnostics.iter().any(Diagnostic::is_error);
    Loaded { model: sound.then(|| lower(program, undefined)), diagnostics }
}
