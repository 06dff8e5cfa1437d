//! Whether steps that need not be taken now are put off.

use burnside_diag::{Code, Diagnostic, Span};
use burnside_engine::Task;
use burnside_explicit::PartialOrder;
use burnside_symmetry::Symmetry;

use crate::plan::{EngineChoice, PartialOrderChoice, Settings, SymmetryChoice};

const NOT_REDUCED: Code = Code("no-partial-order");

/// The reduction, if it is wanted and changes no answer. If not, and the user insists, a note says why.
pub(crate) fn find(
    task: &Task<'_>,
    settings: &Settings,
    symmetry: &Symmetry,
    reasons: &mut Vec<String>,
    notes: &mut Vec<Diagnostic>,
) -> Option<PartialOrder> {
    if settings.partial_order == PartialOrderChoice::Off {
        return None;
    }
    let is_explicit = match settings.engine {
        EngineChoice::Auto => !matches!(settings.symmetry, SymmetryChoice::Cells | SymmetryChoice::Adaptive),
        EngineChoice::Explicit => true,
        EngineChoice::Adaptive | EngineChoice::Interpolant(_) => false,
    };
    let is_symmetric = settings.symmetry != SymmetryChoice::Off && !symmetry.is_trivial();
    let found = if is_explicit {
        PartialOrder::new(task, is_symmetric)
    } else {
        Err("only the explicit engine puts steps off".to_owned())
    };
    match found {
        Ok(found) => {
            reasons.push(format!("partial order: {}", found.describe()));
            Some(found)
        }
        Err(why) => {
            reasons.push(format!("partial order off: {why}"));
            if settings.partial_order == PartialOrderChoice::On {
                let message = format!("partial-order reduction is not used: {why}");
                notes.push(Diagnostic::note(NOT_REDUCED, message, Span::NOWHERE));
            }
            None
        }
    }
}
