//! When symmetry is broken here and there: the adaptive search, and the explicit one behind it.

use burnside_adaptive::Adaptive;
use burnside_engine::{Engine, Monitor, Patience, Report, Task, Unsupported, Verdict};
use burnside_explicit::Explicit;
use burnside_interpolant::{Interpolant, n_configurations};
use burnside_symmetry::{Reduction, Symmetry};

use crate::plan::{EngineChoice, Settings, Strategy, SymmetryChoice, asks_of_one_identity};

/// How many members some class must have: pairs alone, even several, promise too little.
const LEAST_ALIKE: usize = 3;

/// Up to how many control configurations explanations are given a try.
const FEW_CONFIGURATIONS: u64 = 10_000;
/// After how many states they must have covered others.
const TRIAL_STATES: u64 = 1_000;

/// The adaptive search; what it gives up, the explicit search does.
pub(crate) struct NearSymmetric {
    adaptive: Adaptive,
    patience: Patience,
    /// What is tried when the adaptive search gives up.
    interpolant: Option<Interpolant>,
    explicit: Explicit,
}

impl Engine for NearSymmetric {
    fn name(&self) -> &'static str {
        "adaptive"
    }

    fn admit(&self, task: &Task<'_>) -> Result<(), Unsupported> {
        self.explicit.admit(task)
    }

    fn check(&self, task: &Task<'_>, monitor: &Monitor) -> Report {
        match self.adaptive.check(task, monitor, self.patience) {
            Ok(report) => report,
            Err(gave_up) => {
                let report = self.explained(task, monitor).unwrap_or_else(|| self.explicit.check(task, monitor));
                Report { gave_up: Some(gave_up), ..report }
            }
        }
    }
}

impl NearSymmetric {
    /// The answer of the search that learns why states are safe, if that is `holds`. A violation is left to a search
    /// that finds shortest executions.
    fn explained(&self, task: &Task<'_>, monitor: &Monitor) -> Option<Report> {
        let report = self.interpolant.as_ref()?.try_check(task, monitor)?;
        matches!(report.verdict, Verdict::Holds(_)).then_some(report)
    }

    /// How the explicit search brings states together.
    pub(crate) fn fallback(&self) -> Strategy {
        self.explicit.reduction.as_ref().map_or(Strategy::Off, |reduction| Strategy::Reduce(reduction.strategy()))
    }
}

/// The adaptive search if it is wanted, or if nobody wants anything and no identities are interchangeable throughout.
pub(crate) fn choose(
    task: &Task<'_>,
    settings: &Settings,
    symmetry: &Symmetry,
    reasons: &mut Vec<String>,
) -> Option<(Strategy, NearSymmetric)> {
    let wanted = match (settings.engine, settings.symmetry) {
        (EngineChoice::Adaptive, SymmetryChoice::Cells) | (EngineChoice::Auto, SymmetryChoice::Cells) => {
            Some(Strategy::Cells)
        }
        (EngineChoice::Adaptive, _) | (EngineChoice::Auto, SymmetryChoice::Adaptive) => Some(Strategy::Adaptive),
        (EngineChoice::Auto, SymmetryChoice::Auto) if symmetry.classes.is_empty() && !symmetry.broken.is_empty() => {
            None
        }
        _ => return None,
    };
    let made = match wanted {
        Some(Strategy::Cells) => Adaptive::standard(task.model, task.layout),
        _ => Adaptive::new(task.model, task.layout),
    };
    let adaptive = match made.and_then(|adaptive| adaptive.admit(task).map(|()| adaptive)) {
        Ok(adaptive) => adaptive,
        Err(why) => {
            if let Some(strategy) = wanted {
                reasons.push(format!("symmetry {} is not possible: {why}", strategy.name()));
            }
            return None;
        }
    };
    let (n_symmetric, n_rules) = (adaptive.n_symmetric_rules(), task.model.rules.len());
    match wanted {
        // SOUND: that a class was proved means that nothing splits its partition, so annotated states are representatives
        // of orbits under all permutations, which is what the explicit search stores under `refine`.
        Some(Strategy::Adaptive) if adaptive.is_full_reduction(symmetry) => {
            reasons.push("symmetry adaptive is `refine` here: no rule or property tells identities apart".to_owned());
            None
        }
        // What is proved is lost in a search that splits partitions at most steps.
        Some(Strategy::Adaptive) if !symmetry.classes.is_empty() && 2 * n_symmetric < n_rules => {
            let rest = "beside those that are interchangeable, most rules tell identities apart";
            reasons.push(format!("symmetry adaptive is `refine` here: {rest}"));
            None
        }
        Some(strategy) => Some((
            strategy,
            NearSymmetric { adaptive, patience: Patience::Endless, interpolant: None, explicit: Explicit::default() },
        )),
        None if adaptive.is_symmetric() || 2 * n_symmetric <= n_rules || adaptive.n_alike() < LEAST_ALIKE => None,
        None => {
            reasons.push("engine adaptive: some rules or properties tell identities apart, but most do not".to_owned());
            reasons.push(format!(
                "symmetry adaptive: {n_symmetric} of {n_rules} rules treat all identities alike; whatever does not costs \
                 symmetry only where it matters"
            ));
            // What the adaptive search gives up can still be done up to the group of all rules.
            let refine = burnside_symmetry::Strategy::Refine;
            let reduction = (!symmetry.joints.is_empty() && !asks_of_one_identity(task))
                .then(|| Reduction::new(task.model, task.layout, symmetry, refine));
            let near = NearSymmetric {
                adaptive,
                patience: Patience::Limited,
                interpolant: second_choice(task, reasons),
                explicit: Explicit { reduction, ..Explicit::default() },
            };
            Some((Strategy::Adaptive, near))
        }
    }
}

/// The search that learns why states are safe, where it may pay: where control tells few states apart.
fn second_choice(task: &Task<'_>, reasons: &mut Vec<String>) -> Option<Interpolant> {
    let interpolant = Interpolant { examples: 1, patience: Some(TRIAL_STATES), ..Interpolant::default() };
    let n_configurations = n_configurations(task).filter(|&it| it <= FEW_CONFIGURATIONS)?;
    interpolant.admit(task).ok()?;
    reasons.push(format!(
        "engine interpolant is tried if the adaptive search gives up: there are {n_configurations} control \
         configurations at most"
    ));
    Some(interpolant)
}
