//! What temporal properties ask of a search.

use burnside_diag::{Code, Diagnostic, Span};
use burnside_engine::Task;
use burnside_explicit::keeps_symmetry;
use burnside_ir::PropertyKind;
use burnside_symmetry::Strategy;

use crate::plan::{EngineChoice, Settings, SymmetryChoice};
use crate::propose::{asks_of_one_identity, stands_against_adaptive, with_parameters};

const STRATEGY: Code = Code("other-strategy");
const LOST_SYMMETRY: Code = Code("quantifier-under-operator");

/// The settings as temporal properties need them, with a note on everything that is not as asked for.
///
/// SOUND: they are decided on a graph whose steps know what becomes of every name, which `refine` alone tells, unless the
/// search by partitions admits them: if they are about executions and no names. That all states are stored is what the engine asks for.
pub(crate) fn adapted(task: &Task<'_>, settings: &Settings) -> (Settings, Vec<Diagnostic>) {
    let (mut settings, mut notes) = (settings.clone(), Vec::new());
    let properties = task.temporal_properties();
    if properties.is_empty() && (with_parameters(task).next().is_none() || asks_of_one_identity(task)) {
        return (settings, notes);
    }
    if properties.is_empty() && matches!(settings.engine, EngineChoice::Interpolant(_)) {
        // It refuses such properties, as it should when it is asked for.
        return (settings, notes);
    }
    let by_partitions = settings.engine == EngineChoice::Adaptive
        || settings.engine == EngineChoice::Auto
            && matches!(settings.symmetry, SymmetryChoice::Cells | SymmetryChoice::Adaptive);
    if by_partitions && stands_against_adaptive(task).is_none() {
        return (settings, notes);
    }
    let mut instead = |asked: &str, taken: &str| {
        let what = if properties.is_empty() { "liveness properties with parameters" } else { "temporal properties" };
        let message = format!("{what} need {taken}, so that is used instead of {asked}");
        notes.push(Diagnostic::note(STRATEGY, message, Span::NOWHERE));
    };
    if settings.engine == EngineChoice::Adaptive {
        instead("`--engine adaptive`", "`--engine explicit`");
    }
    if settings.engine != EngineChoice::Auto || settings.symmetry != SymmetryChoice::Auto {
        settings.engine = EngineChoice::Explicit;
    }
    settings.symmetry = match settings.symmetry {
        SymmetryChoice::Use(strategy) if strategy != Strategy::Refine => {
            instead(&format!("`--symmetry {}`", strategy.name()), "`--symmetry refine`");
            SymmetryChoice::Use(Strategy::Refine)
        }
        SymmetryChoice::Cells | SymmetryChoice::Adaptive => {
            instead("partitions of the identities", "`--symmetry refine`");
            SymmetryChoice::Use(Strategy::Refine)
        }
        choice => choice,
    };
    let passing = task.model.properties_of(PropertyKind::Passing).next();
    if let (Some(passing), Some(_)) = (passing, settings.fairness.strength)
        && settings.symmetry != SymmetryChoice::Off
    {
        // SOUND: of several ways through states that are not stored one is taken for all, and whom it belongs to may depend
        // on names.
        let message = "steps go through states that are not stored, so fairness is checked without symmetry";
        notes.push(Diagnostic::note(LOST_SYMMETRY, message, task.model.property(passing).span));
        settings.symmetry = SymmetryChoice::Off;
    }
    for &property in properties.iter().filter(|&&property| !keeps_symmetry(task.model, property)) {
        if settings.symmetry != SymmetryChoice::Off {
            let property = task.model.property(property);
            let message = format!(
                "a quantifier of `{}` stands under a temporal operator and cannot be moved to the front, so symmetry is \
                 not used",
                property.name
            );
            let help = "write it with `forall` outside, or `exists` next inside, of all temporal operators";
            notes.push(Diagnostic::note(LOST_SYMMETRY, message, property.span).help(help));
            settings.symmetry = SymmetryChoice::Off;
        }
    }
    (settings, notes)
}
