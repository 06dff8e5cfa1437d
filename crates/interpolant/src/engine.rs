//! The engine as others see it.

use std::ops::ControlFlow;

use burnside_diag::Span;
use burnside_engine::pays::EXPLAINED_STATES;
use burnside_engine::{
    Breach, Counts, CoveredState, Declined, Engine, Evidence, Monitor, Reason, Reasoning, Report, Shortfall, StoreMode,
    Task, Unsupported, Verdict, Violation, replay,
};
use burnside_interp::{Interpreter, Outcome};
use burnside_ir::{Local, Model, PropertyId, PropertyKind, StartId};
use burnside_symmetry::{Reduction, Strategy, Symmetry};

use crate::names::Names;
use crate::search::{Config, Halt, Search};
use crate::setup::Setup;
use crate::words::Words;

/// What states are dropped for. All but [`All`](Self::All) are there to be compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mode {
    /// Being known already ("no symmetry reduction").
    None,
    /// Being known up to the model's proved symmetry, rings included ("rotational symmetry reduction").
    Rotations,
    /// Being covered by an explanation as it stands ("symbolic interpolation").
    Plain,
    /// Being covered by an explanation under the one renaming that takes names in order.
    One,
    /// Being covered by an explanation under some renaming ("complete symmetry reduction").
    #[default]
    All,
}

impl Mode {
    /// All modes.
    pub const ALL: [Self; 5] = [Self::None, Self::Rotations, Self::Plain, Self::One, Self::All];

    /// The name used on the command line and in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "nsr",
            Self::Rotations => "rsr",
            Self::Plain => "si",
            Self::One => "csr",
            Self::All => "csr-all",
        }
    }

    pub(crate) fn explains(self) -> bool {
        matches!(self, Self::Plain | Self::One | Self::All)
    }
}

/// The search that learns why states are safe.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Interpolant {
    /// What states are dropped for.
    pub mode: Mode,
    /// How many dropped states are handed back, with what covers them.
    pub examples: usize,
}

impl Engine for Interpolant {
    fn name(&self) -> &'static str {
        "interpolant"
    }

    /// Explanations are about safety, and about states without multisets.
    fn admit(&self, task: &Task<'_>) -> Result<(), Unsupported> {
        let nowhere = Span::NOWHERE;
        let unsupported = |feature: &str, span| Err(Unsupported { feature: feature.to_owned(), span });
        for (id, property) in (0..).map(PropertyId).zip(&task.model.properties) {
            if !task.properties(property.kind).contains(&id) {
                continue;
            }
            if let Some(feature) = refusal(property.kind) {
                return unsupported(feature, property.span);
            }
        }
        if let Some(span) = multiset(task.model) {
            return unsupported("a multiset: facts about its elements are not supported", span);
        }
        if task.store != StoreMode::Exact {
            return unsupported("a store that is not exact: explanations belong to states", nowhere);
        }
        if task.pauses {
            return unsupported("a search that can go on later", nowhere);
        }
        if task.keeps_states {
            return unsupported("a certificate: states that were dropped are not stored", nowhere);
        }
        Ok(())
    }

    fn check(&self, task: &Task<'_>, monitor: &Monitor) -> Result<Report, Declined> {
        let starts = match starts(task, monitor) {
            Ok(starts) => starts,
            Err(shortfall) => return Ok(unknown(task, self.mode, shortfall)),
        };
        let states: Vec<Vec<i64>> = starts.iter().map(|(_, _, state)| state.clone()).collect();
        let setup = Setup::new(task, &states);
        let reduction = (self.mode == Mode::Rotations).then(|| {
            let symmetry = Symmetry::find(task.model);
            Reduction::new(task.model, task.layout, &symmetry, Strategy::Refine)
        });
        let config = Config {
            setup: &setup,
            monitor,
            mode: self.mode,
            reduction: reduction.as_ref(),
            keeps_coverings: self.examples,
            patience: task.may_decline.then_some(EXPLAINED_STATES),
        };
        let mut search = Search::new(config);
        let verdict = match search.run(starts) {
            Ok(()) if self.mode == Mode::None => Verdict::Holds(Evidence::Exhausted),
            Ok(()) => Verdict::Holds(Evidence::Explained),
            Err(Halt::Short(shortfall)) => Verdict::Unknown(shortfall),
            Err(Halt::NotWorth) => return Err(Reason::LittleCovered.into()),
            // Evaluating every value of a quantifier may meet a fault that the interpreter does not.
            Err(Halt::Found(violation)) if reduction.is_some() && !is_real(task, &violation) => {
                return Err(Reason::Unexplained.into());
            }
            Err(Halt::Found(violation)) => Verdict::Violated(violation),
        };
        let words = Words { setup: &setup, terms: &search.terms };
        let examples = search.coverings.iter().map(|covering| CoveredState {
            state: covering.state.clone(),
            by: covering.by.clone(),
            renaming: words.renaming(&covering.renaming),
            facts: covering.facts.iter().map(|&fact| words.fact(fact)).collect(),
        });
        let reasoning = Reasoning { mode: self.mode.name(), examples: examples.collect(), ..search.tally };
        let fired = std::mem::take(&mut search.fired);
        Ok(Report { fired, reasoning: Some(Box::new(reasoning)), ..Report::new(task, verdict, search.counts) })
    }
}

/// Why a kind of property is not treated.
fn refusal(kind: PropertyKind) -> Option<&'static str> {
    match kind {
        PropertyKind::Invariant | PropertyKind::Assumption | PropertyKind::Ending | PropertyKind::Proposition => None,
        PropertyKind::Liveness => Some("a liveness property: explanations are about safety"),
        PropertyKind::Linear
        | PropertyKind::Branching
        | PropertyKind::Never
        | PropertyKind::Acceptance
        | PropertyKind::NonProgress => Some("a temporal property: explanations are about safety"),
        PropertyKind::Cover => Some("a cover property: a state that is dropped might be the one looked for"),
        PropertyKind::CoverPoint => Some("a cover point: a step that is dropped might be the one looked for"),
        PropertyKind::Passing => Some("states inside steps: only steps from stored states are explained"),
    }
}

fn is_real(task: &Task<'_>, violation: &Violation) -> bool {
    !matches!(violation.breach, Breach::Fault(_) | Breach::PropertyFault(..)) || replay(task, violation).is_ok()
}

/// A start state, and what it was made by.
type Start = (StartId, Vec<i64>, Vec<i64>);

/// All start states that do not fault, unless there are too many.
fn starts(task: &Task<'_>, monitor: &Monitor) -> Result<Vec<Start>, Shortfall> {
    let mut interpreter = Interpreter::new(task.model, task.layout, task.step_limits);
    let mut starts = Vec::new();
    let mut bytes = 0;
    let mut shortfall = None;
    interpreter.starts(|start, args, outcome| {
        if let Outcome::Next(values) = outcome {
            starts.push((start, args.to_vec(), values.to_vec()));
            bytes += (size_of::<Start>() + 8 * (args.len() + values.len()) + 32) as u64;
        }
        if starts.len() % 1024 == 1023 {
            shortfall = monitor.publish(Counts { bytes, ..Counts::default() });
        }
        if shortfall.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    shortfall.map_or(Ok(starts), Err)
}

/// The report on a search that did not begin.
fn unknown(task: &Task<'_>, mode: Mode, shortfall: Shortfall) -> Report {
    let fired = vec![0; task.model.rules.len()];
    let reasoning = Some(Box::new(Reasoning { mode: mode.name(), ..Reasoning::default() }));
    Report { fired, reasoning, ..Report::new(task, Verdict::Unknown(shortfall), Counts::default()) }
}

/// How many control configurations there are at most, up to renaming; none if they are too many to count.
pub fn n_configurations(task: &Task<'_>) -> Option<u64> {
    let names = Names::new(task.model, task.layout);
    let mut product: u64 = 1;
    for (class, control) in names.classes.iter().zip(&names.control) {
        let mut n_colours: u64 = 1;
        for slot in control {
            let shape = task.model.types.shape(task.layout.slots()[slot.first as usize].ty);
            n_colours = n_colours.checked_mul(shape.cardinality())?;
        }
        // Multisets of `size` colours.
        let mut multisets: u64 = 1;
        for at in 1..=u64::from(class.size) {
            multisets = multisets.checked_mul(n_colours.checked_add(at - 1)?)? / at;
        }
        product = product.checked_mul(multisets)?;
    }
    Some(product)
}

/// Where a multiset is declared, if there is one.
fn multiset(model: &Model) -> Option<Span> {
    let is_one = |ty: burnside_ir::TypeId| model.types.shape(ty).has_multiset;
    let in_locals = |locals: &[Local]| locals.iter().find(|local| is_one(local.ty)).map(|local| local.span);
    let globals = model.globals.iter().find(|global| is_one(global.ty)).map(|global| global.span);
    globals
        .or_else(|| model.rules.iter().find_map(|rule| in_locals(&rule.locals)))
        .or_else(|| model.functions.iter().find_map(|function| in_locals(&function.locals)))
        .or_else(|| model.properties.iter().find_map(|property| in_locals(&property.locals)))
}
