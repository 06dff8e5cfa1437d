//! Which engines are asked a question, in which order, and why.
//!
//! Each proposer looks at the question and proposes the whole list of attempts, or leaves it to the next one and says why
//! if the user wanted it. Where one engine declines, the next in the list is asked; the last never declines.

use burnside_adaptive::{Adaptive, NotAdaptive, Virtual};
use burnside_diag::{Code, Diagnostic, Span};
use burnside_engine::pays::{FEW_CONFIGURATIONS, FLOOD_LIMIT, LEAST_ALIKE};
use burnside_engine::{Engine, Report, Task, Verdict};
use burnside_explicit::{Explicit, PartialOrder, tracks_parameters};
use burnside_interpolant::{Interpolant, Mode, n_configurations};
use burnside_ir::{PropertyId, PropertyKind};
use burnside_symmetry::{Reduction, Symmetry};

use crate::plan::{Approach, EngineChoice, Settings, Strategy, SymmetryChoice};

const UNSUPPORTED: Code = Code("unsupported");

/// How many states that were dropped are kept to be shown.
const EXAMPLES: usize = 2;

/// A question and what is known about it before any search.
#[derive(Clone, Copy)]
pub(crate) struct Situation<'a, 'm> {
    pub(crate) task: &'a Task<'m>,
    pub(crate) settings: &'a Settings,
    pub(crate) symmetry: &'a Symmetry,
    /// How steps are put off, if they are.
    pub(crate) partial_order: Option<&'a PartialOrder>,
}

/// An engine to be asked.
pub(crate) struct Attempt {
    pub(crate) engine: Box<dyn Engine + Sync>,
    pub(crate) way: Approach,
    /// Whether it may decline because it does not pay.
    pub(crate) may_decline: bool,
    accepts: Accepts,
}

/// Which answers of an engine count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Accepts {
    Everything,
    /// A violation is left to an engine that finds shortest executions.
    Holds,
}

impl Attempt {
    fn new(engine: impl Engine + Sync + 'static, strategy: Strategy, symmetry: &Symmetry) -> Self {
        let way = Approach::new(engine.name(), strategy, symmetry);
        Self { engine: Box::new(engine), way, may_decline: false, accepts: Accepts::Everything }
    }

    /// Whether an answer counts.
    pub(crate) fn accepts(&self, report: &Report) -> bool {
        self.accepts == Accepts::Everything || matches!(report.verdict, Verdict::Holds(_))
    }
}

/// What a proposer says: attempts in order, none if it is for the next one to propose.
type Proposal = Result<Vec<Attempt>, Box<Diagnostic>>;

/// Everybody who proposes, in the order in which they are asked. The last always has a proposal.
const PROPOSERS: [fn(Situation<'_, '_>, &mut Vec<String>) -> Proposal; 4] =
    [propose_interpolant, propose_virtual, propose_adaptive, propose_explicit];

/// The attempts at a question, or what stands against all of them.
pub(crate) fn propose(situation: Situation<'_, '_>, reasons: &mut Vec<String>) -> Proposal {
    for proposer in PROPOSERS {
        let attempts = proposer(situation, reasons)?;
        if attempts.is_empty() {
            continue;
        }
        for Attempt { engine, .. } in &attempts {
            engine.admit(situation.task).map_err(|unsupported| {
                let message = format!("engine {} cannot treat {}", engine.name(), unsupported.feature);
                let diagnostic = Diagnostic::error(UNSUPPORTED, message, unsupported.span);
                Box::new(diagnostic.help("choose another `--engine` or `--store`"))
            })?;
        }
        return Ok(attempts);
    }
    unreachable!("the explicit engine treats every model")
}

/// The search that learns why states are safe, if it is wanted.
fn propose_interpolant(Situation { settings, symmetry, .. }: Situation<'_, '_>, _: &mut Vec<String>) -> Proposal {
    let EngineChoice::Interpolant(mode) = settings.engine else { return Ok(Vec::new()) };
    let attempt = |mode| Attempt::new(Interpolant { mode, examples: EXAMPLES }, Strategy::Explained(mode), symmetry);
    let modes = [Some(mode), (mode != Mode::None).then_some(Mode::None)];
    Ok(modes.into_iter().flatten().map(attempt).collect())
}

/// The search up to virtual symmetry for temporal properties of no single identity, if rules tell identities apart and most
/// do not; then the explicit one.
fn propose_virtual(situation: Situation<'_, '_>, reasons: &mut Vec<String>) -> Proposal {
    let Situation { task, settings, symmetry, partial_order } = situation;
    let is_open = settings.engine == EngineChoice::Auto && settings.symmetry == SymmetryChoice::Auto;
    // Steps are put off by the explicit search alone.
    let is_open = is_open && partial_order.is_none();
    if !is_open || task.temporal_properties().is_empty() || symmetry.broken.is_empty() {
        return Ok(Vec::new());
    }
    let Ok(engine) = Virtual::new(task.model, task.layout) else { return Ok(Vec::new()) };
    let (n_symmetric, n_rules) = (engine.n_symmetric_rules(), task.model.rules.len());
    if engine.is_symmetric() || 2 * n_symmetric <= n_rules || engine.n_alike() < LEAST_ALIKE {
        return Ok(Vec::new());
    }
    if let Err(unsupported) = engine.admit(task) {
        reasons.push(format!("symmetry virtual is not possible: it cannot treat {}", unsupported.feature));
        return Ok(Vec::new());
    }
    reasons.push(format!(
        "symmetry virtual is tried first: {n_symmetric} of {n_rules} rules treat all identities alike, and the others may \
         lead into the same orbits"
    ));
    let guarded = engine.clone().without_guards();
    let mut attempts = vec![Attempt { may_decline: true, ..Attempt::new(engine, Strategy::Virtual, symmetry) }];
    // What holds of more executions than there are holds.
    if guarded.admit(task).is_ok() {
        attempts.push(Attempt { may_decline: true, ..Attempt::new(guarded, Strategy::Guarded, symmetry) });
    }
    attempts.extend(propose_explicit(situation, reasons)?);
    Ok(attempts)
}

/// The adaptive search if it is wanted, or if nobody wants anything and no identities are interchangeable throughout.
fn propose_adaptive(situation: Situation<'_, '_>, reasons: &mut Vec<String>) -> Proposal {
    let Situation { task, settings, symmetry, partial_order } = situation;
    let wanted = match (settings.engine, settings.symmetry) {
        (EngineChoice::Adaptive | EngineChoice::Auto, SymmetryChoice::Cells) => Some(Strategy::Cells),
        (EngineChoice::Adaptive, _) | (EngineChoice::Auto, SymmetryChoice::Adaptive) => Some(Strategy::Adaptive),
        // Steps are put off by the explicit search alone.
        (EngineChoice::Auto, SymmetryChoice::Auto) if partial_order.is_some() => return Ok(Vec::new()),
        (EngineChoice::Auto, SymmetryChoice::Auto)
            if symmetry.classes.is_empty() && !symmetry.broken.is_empty() && task.temporal_properties().is_empty() =>
        {
            None
        }
        _ => return Ok(Vec::new()),
    };
    let made = adaptive(task, wanted.unwrap_or(Strategy::Adaptive));
    let refused = match &made {
        Ok(adaptive) => {
            adaptive.admit(task).err().map(|unsupported| format!("it cannot treat {}", unsupported.feature))
        }
        Err(why) => Some(why.to_string()),
    };
    let (Ok(adaptive), None) = (made, &refused) else {
        if let (Some(strategy), Some(why)) = (wanted, refused) {
            reasons.push(format!("symmetry {} is not possible: {why}", strategy.name()));
        }
        return Ok(Vec::new());
    };
    let (n_symmetric, n_rules) = (adaptive.n_symmetric_rules(), task.model.rules.len());
    match wanted {
        // SOUND: that a class was proved means that nothing splits its partition, so annotated states are representatives
        // of orbits under all permutations, which is what the explicit search stores under `refine`.
        Some(Strategy::Adaptive) if adaptive.is_full_reduction(symmetry) => {
            reasons.push("symmetry adaptive is `refine` here: no rule or property tells identities apart".to_owned());
            Ok(Vec::new())
        }
        // What is proved is lost in a search that splits partitions at most steps.
        Some(Strategy::Adaptive) if !symmetry.classes.is_empty() && 2 * n_symmetric < n_rules => {
            let why = "beside those that are interchangeable, most rules tell identities apart";
            reasons.push(format!("symmetry adaptive is `refine` here: {why}"));
            Ok(Vec::new())
        }
        Some(strategy) => {
            let mut attempts = vec![Attempt::new(adaptive, strategy, symmetry)];
            // A loop of annotated states may be none of the model; one of orbits under automorphisms always is.
            if strategy == Strategy::Adaptive && !task.temporal_properties().is_empty() {
                let cells = self::adaptive(task, Strategy::Cells).ok().filter(|cells| cells.admit(task).is_ok());
                attempts.extend(cells.map(|cells| Attempt::new(cells, Strategy::Cells, symmetry)));
            }
            attempts.push(plain(situation));
            Ok(attempts)
        }
        None if adaptive.is_symmetric() || 2 * n_symmetric <= n_rules || adaptive.n_alike() < LEAST_ALIKE => {
            Ok(Vec::new())
        }
        None => {
            reasons.push("engine adaptive: some rules or properties tell identities apart, but most do not".to_owned());
            reasons.push(format!(
                "symmetry adaptive: {n_symmetric} of {n_rules} rules treat all identities alike; whatever does not costs \
                 symmetry only where it matters"
            ));
            let mut attempts =
                vec![Attempt { may_decline: true, ..Attempt::new(adaptive, Strategy::Adaptive, symmetry) }];
            attempts.extend(second_choice(situation, reasons));
            // What the adaptive search declines can still be done up to the group of all rules.
            if !symmetry.joints.is_empty() && !asks_of_one_identity(task) {
                attempts.push(reduced(situation, burnside_symmetry::Strategy::Refine));
            }
            attempts.push(plain(situation));
            Ok(attempts)
        }
    }
}

/// The search over annotated states, with one partition for all rules or with as coarse ones as can be.
fn adaptive(task: &Task<'_>, strategy: Strategy) -> Result<Adaptive, NotAdaptive> {
    match strategy {
        Strategy::Cells => Adaptive::standard(task.model, task.layout),
        _ => Adaptive::new(task.model, task.layout),
    }
}

/// Why the search over annotated states cannot treat a task, if it cannot.
pub(crate) fn stands_against_adaptive(task: &Task<'_>) -> Option<String> {
    match Adaptive::new(task.model, task.layout) {
        Ok(adaptive) => {
            adaptive.admit(task).err().map(|unsupported| format!("it cannot treat {}", unsupported.feature))
        }
        Err(why) => Some(why.to_string()),
    }
}

/// The search that learns why states are safe, where it may pay: where control tells few states apart.
fn second_choice(Situation { task, symmetry, .. }: Situation<'_, '_>, reasons: &mut Vec<String>) -> Option<Attempt> {
    let interpolant = Interpolant { examples: 1, ..Interpolant::default() };
    let n_configurations = n_configurations(task).filter(|&it| it <= FEW_CONFIGURATIONS)?;
    interpolant.admit(task).ok()?;
    reasons.push(format!(
        "engine interpolant is tried if the adaptive search gives up: there are {n_configurations} control \
         configurations at most"
    ));
    let attempt = Attempt::new(interpolant, Strategy::Explained(Mode::default()), symmetry);
    Some(Attempt { may_decline: true, accepts: Accepts::Holds, ..attempt })
}

/// The explicit search, with the strategy that was asked for or that pays.
fn propose_explicit(situation: Situation<'_, '_>, reasons: &mut Vec<String>) -> Proposal {
    let Situation { settings, symmetry, .. } = situation;
    let (strategy, reason) = choose_strategy(situation);
    if settings.engine == EngineChoice::Auto {
        reasons.push("engine explicit: it treats every model".to_owned());
    }
    reasons.extend(reason);
    let Some(strategy) = strategy else { return Ok(vec![plain(situation)]) };
    refuse_flood(strategy, symmetry)?;
    // A user who names a strategy, or wants orbits counted, gets it whether it pays or not.
    let may_decline = settings.symmetry == SymmetryChoice::Auto && !settings.orbits;
    Ok(vec![Attempt { may_decline, ..reduced(situation, strategy) }, plain(situation)])
}

/// The explicit search up to symmetry.
fn reduced(situation: Situation<'_, '_>, strategy: burnside_symmetry::Strategy) -> Attempt {
    let Situation { task, symmetry, .. } = situation;
    let reduction = Reduction::new(task.model, task.layout, symmetry, strategy);
    explicit(situation, Some(reduction), Strategy::Reduce(strategy))
}

/// The explicit search of every reachable state, which never declines.
fn plain(situation: Situation<'_, '_>) -> Attempt {
    explicit(situation, None, Strategy::Off)
}

fn explicit(situation: Situation<'_, '_>, reduction: Option<Reduction>, strategy: Strategy) -> Attempt {
    let partial_order = situation.partial_order.cloned();
    let is_partial = partial_order.is_some();
    let attempt = Attempt::new(Explicit { reduction, partial_order }, strategy, situation.symmetry);
    Attempt { way: Approach { partial_order: is_partial, ..attempt.way }, ..attempt }
}

/// The strategy of the explicit search, and why, unless the user asked for it.
fn choose_strategy(
    Situation { task, settings, symmetry, .. }: Situation<'_, '_>,
) -> (Option<burnside_symmetry::Strategy>, Option<String>) {
    let choice = settings.symmetry;
    if choice == SymmetryChoice::Off {
        return (None, None);
    }
    if symmetry.is_trivial() {
        return (None, Some("symmetry off: no interchangeable identities were found".to_owned()));
    }
    if asks_of_one_identity(task) {
        return (None, Some("symmetry off: a liveness property has parameters that are not tracked".to_owned()));
    }
    let names: Vec<String> =
        symmetry.classes.iter().map(|class| format!("the {} members of `{}`", class.size, class.name)).collect();
    let joints = symmetry.joints.iter().map(|joint| {
        let names: Vec<String> = joint.classes.iter().map(|class| format!("`{}`", class.name)).collect();
        format!("permutations of {} change nothing: {}", names.join(" and "), joint.words())
    });
    let strategy = match choice {
        SymmetryChoice::Use(strategy) => strategy,
        _ => burnside_symmetry::Strategy::Refine,
    };
    let interchangeable = (!names.is_empty()).then(|| format!("{} are interchangeable", names.join(" and ")));
    let proved: Vec<String> = interchangeable.into_iter().chain(joints).collect();
    let reason = format!("symmetry {}: {}", strategy.name(), proved.join("; "));
    (Some(strategy), Some(reason))
}

/// Whether a liveness property has parameters that cannot be tracked. An instance of it is about one identity; orbits
/// forget which. Neither does a certificate tell what becomes of identities.
pub(crate) fn asks_of_one_identity(task: &Task<'_>) -> bool {
    let is_tracked = |property| !task.keeps_states && tracks_parameters(task.model, property);
    with_parameters(task).any(|property| !is_tracked(property))
}

/// The liveness properties that have parameters.
pub(crate) fn with_parameters(task: &Task<'_>) -> impl Iterator<Item = PropertyId> {
    let liveness = task.properties(PropertyKind::Liveness).into_iter();
    liveness.filter(|&property| !task.model.property(property).binders.is_empty())
}

/// Refuses what would fill the memory with a single state.
fn refuse_flood(strategy: burnside_symmetry::Strategy, symmetry: &Symmetry) -> Result<(), Box<Diagnostic>> {
    let order = symmetry.group_order();
    let is_small = order.parse::<usize>().is_ok_and(|order| order < FLOOD_LIMIT);
    if strategy != burnside_symmetry::Strategy::Flood || is_small {
        return Ok(());
    }
    let message = format!("symmetry flood cannot treat a group of order {order}: a state has too many images");
    Err(Box::new(
        Diagnostic::error(UNSUPPORTED, message, Span::NOWHERE).help("choose another `--symmetry`, such as `refine`"),
    ))
}
