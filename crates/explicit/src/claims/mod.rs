//! Temporal properties, once every state is known.
//!
//! `build` makes the graph of all stored states with the renamings of its steps, `graph` shows it to the crate `temporal`,
//! `formula` brings the model's formulas into the form that is checked there, `concrete` makes an execution of what is
//! found. `docs/internals/temporal.md` has the argument why the quotient is enough.

mod build;
mod concrete;
mod formula;
mod graph;
mod points;
mod possible;
mod second;

use burnside_engine::{Answer, Asked, Breach, ClaimNote, Evidence, Shortfall, Strength, Task, Verdict, Violation};
use burnside_ir::{
    Applied, Automaton, AutomatonEdge, Claim, Condition, Model, PropertyId, PropertyKind, Quantity, TypeId,
};
use burnside_store::{Codec, Set, StateId};
use burnside_symmetry::Reduction;
use burnside_temporal::formula::Formula;
use burnside_temporal::{
    Effort, Exploration, Fairness, Finding, Label, Labeller, MAX_PROPOSITIONS, Observer, PathFormula, Point,
    Quantifier, State, Valuation,
};

use crate::partial::{Forced, PartialOrder};
use crate::visited::Visited;
use build::build;
pub(crate) use build::has_assumptions;
pub(crate) use build::{parameter_types, propositions};
use formula::{WrittenOut, path_formula, state_formula};
use graph::{HAS_ENDED, StateGraph, States};
use points::Points;
use possible::{can_be_tracked, hopeless};
pub(crate) use second::compile;

/// What a search has found.
pub(crate) struct Found<'a, C: Codec> {
    stored: Stored<'a, C>,
    visited: &'a Visited<C>,
    /// By id, the place in the order in which states were found.
    numbers: Vec<State>,
    has_assumptions: bool,
    /// Whether the search was cut short, so that steps may lead to states that were not found.
    is_partial: bool,
    /// Whether to stop, given how many bytes the graph takes.
    stop: &'a (dyn Fn(u64) -> Option<Shortfall> + Sync),
}

/// The number of a state that has none.
const UNKNOWN: State = State::MAX;

/// What every thread may look at.
pub(crate) struct Stored<'a, C: Codec> {
    task: &'a Task<'a>,
    set: &'a Set<C>,
    /// The states in the order in which they were found.
    ids: &'a [StateId],
    reduction: Option<&'a Reduction>,
    /// The temporal properties to be checked.
    properties: &'a [PropertyId],
    /// If not all steps count: how they are chosen, and where all do.
    partial: Option<(&'a PartialOrder, &'a Forced)>,
}

impl<C: Codec> Clone for Stored<'_, C> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<C: Codec> Copy for Stored<'_, C> {}

impl<'a, C: Codec> Stored<'a, C> {
    /// The types whose quantifiers the search evaluated for every value.
    fn strict_types(&self) -> &'a [TypeId] {
        self.reduction.map_or(&[], Reduction::strict_types)
    }
}

/// Why there are no answers.
pub(crate) enum Failure {
    /// A condition faults in a state, or from a state nothing can be reached that a liveness property asks for; its
    /// parameters are in the names of the stored state.
    Broken(StateId, Breach),
    Short(Shortfall),
    /// A successor is not among the states stored, or the interpreter cannot follow what was found.
    Lost,
}

impl<'a, C: Codec> Found<'a, C> {
    pub(crate) fn new(
        task: &'a Task<'a>,
        (visited, ids): (&'a Visited<C>, &'a [StateId]),
        reduction: Option<&'a Reduction>,
        properties: &'a [PropertyId],
        stop: &'a (dyn Fn(u64) -> Option<Shortfall> + Sync),
    ) -> Self {
        let bound = ids.iter().max().map_or(0, |last| last.index() + 1);
        let mut numbers = vec![UNKNOWN; bound];
        for (&id, number) in ids.iter().zip(0..) {
            numbers[id.index()] = number;
        }
        let has_assumptions = has_assumptions(task.model);
        let stored = Stored { task, set: &visited.set, ids, reduction, properties, partial: None };
        Self { stored, visited, numbers, has_assumptions, is_partial: false, stop }
    }

    /// The same if the search fired a part of all steps.
    #[must_use]
    pub(crate) fn with(mut self, partial: Option<(&'a PartialOrder, &'a Forced)>) -> Self {
        self.stored.partial = partial;
        self
    }

    /// The same for a search that was cut short.
    #[must_use]
    pub(crate) fn partial(self) -> Self {
        Self { is_partial: true, ..self }
    }

    /// Whether assumptions may cut executions off.
    pub(crate) fn has_assumptions(&self) -> bool {
        self.has_assumptions
    }

    /// The number of a representative.
    fn number(&self, state: &[u64]) -> Option<State> {
        // What was found but not reported is not there.
        let number = |id: StateId| self.numbers.get(id.index()).copied().filter(|&number| number != UNKNOWN);
        self.visited.find(state).and_then(number)
    }
}

impl<C: Codec> States for Stored<'_, C> {
    fn read(&self, state: State, to: &mut [u64]) {
        self.set.read(self.ids[state as usize], to);
    }
}

/// The answer to every temporal property.
pub(crate) fn answer<C: Codec>(found: &Found<'_, C>) -> Result<Vec<Answer>, Failure> {
    let graph = build(found)?;
    let checker = Checker { task: found.stored.task, graph: &graph };
    let mut answers = Vec::new();
    for &property in found.stored.properties {
        if found.stored.task.model.property(property).kind != PropertyKind::Liveness {
            answers.push(checker.answer(property)?);
        } else if let Some((state, values)) = checker.hopeless(property) {
            let breach = Breach::Liveness(property, values);
            return Err(Failure::Broken(found.stored.ids[state as usize], breach));
        }
    }
    Ok(answers)
}

/// The violations of linear properties among the states of a search that was cut short; nothing where none was found.
///
/// SOUND: every path among these states is one of the model, and which units are enabled is known from all steps, also from
/// those that lead elsewhere. A prefix is not enough, since what follows it may fault or be cut off. That nothing is found
/// says nothing.
pub(crate) fn violations<C: Codec>(found: &Found<'_, C>) -> Result<Vec<Answer>, Failure> {
    assert!(found.is_partial && !found.has_assumptions, "steps that lead elsewhere are possible");
    let model = found.stored.task.model;
    let graph = build(found)?;
    let checker = Checker { task: found.stored.task, graph: &graph };
    let mut reports = Vec::new();
    for &property in found.stored.properties.iter().filter(|&&property| can_be_violated_by_part(model, property)) {
        if let Some(violation) = checker.violation(property)? {
            let (verdict, notes) = (Verdict::Violated(violation), vec![ClaimNote::SearchCut]);
            reports.push(Answer { asked: Asked::Property(property), verdict, notes });
        }
    }
    Ok(reports)
}

/// Whether a lasso among some of the states shows that a property is violated: if it is a formula about paths.
pub(crate) fn can_be_violated_by_part(model: &Model, property: PropertyId) -> bool {
    model.property(property).kind == PropertyKind::Linear && model.claim(property).is_some()
}

/// Whether a formula can be checked up to symmetry. If not, its quantifiers are written out, which names identities.
pub(crate) fn keeps_symmetry(model: &Model, property: PropertyId) -> bool {
    let Some(claim) = model.claim(property) else { return true };
    let points = Points::new(model, None, claim.variables.iter().map(|variable| variable.ty));
    match model.property(property).kind {
        PropertyKind::Linear => path_formula(claim, &points, &|_| 0).is_some(),
        _ => {
            let formula = state_formula(claim, &points, &|_| 0);
            Labeller::new(&Nothing, 0, Fairness::none()).label(&formula).is_ok()
        }
    }
}

/// Whether a liveness property with parameters can be checked up to symmetry.
pub(crate) fn tracks_parameters(model: &Model, property: PropertyId) -> bool {
    can_be_tracked(model, property)
}

struct Checker<'a, 'g> {
    task: &'a Task<'a>,
    graph: &'a StateGraph<'g>,
}

impl Checker<'_, '_> {
    fn answer(&self, property: PropertyId) -> Result<Answer, Failure> {
        let mut notes = Vec::new();
        let outcome = if let Some(automaton) = self.task.model.automaton(property) {
            self.automaton(automaton, &mut notes)?
        } else {
            let claim = self.task.model.claim(property).expect("a verified temporal property has a formula");
            notes = self.vacuous(claim);
            match self.task.model.property(property).kind {
                PropertyKind::Linear => self.linear(claim, &mut notes)?,
                _ => self.branching(claim)?,
            }
        };
        let verdict = match outcome {
            Outcome::Holds => {
                if self.graph.is_cut {
                    notes.push(ClaimNote::ExecutionsCut);
                }
                Verdict::Holds(Evidence::Exhausted)
            }
            Outcome::Unknown(why) => {
                notes.push(ClaimNote::Undecided(why));
                Verdict::Unknown(Shortfall::Formula)
            }
            Outcome::Violated(violation) => Verdict::Violated(violation),
        };
        Ok(Answer { asked: Asked::Property(property), verdict, notes })
    }

    fn fairness(&self, strength: Option<Strength>) -> Fairness {
        match strength {
            None => Fairness::none(),
            Some(_) => Fairness::uniform(self.graph.units.len(), strength),
        }
    }

    /// The number of a condition's truth table.
    fn number(&self, applied: &Applied) -> u32 {
        self.table(applied.condition) as u32
    }

    fn table(&self, condition: PropertyId) -> usize {
        let at = self.graph.truth.iter().position(|table| table.property == condition);
        at.expect("every condition has a truth table")
    }

    fn hopeless(&self, property: PropertyId) -> Option<(State, Vec<i64>)> {
        let types = parameter_types(self.task.model, property);
        hopeless(self.graph, &self.graph.truth[self.table(property)], &types)
    }

    /// An execution among the states that are there that violates a linear property.
    fn violation(&self, property: PropertyId) -> Result<Option<Box<Violation>>, Failure> {
        // Automata may ask whether an execution has ended, which is not known where steps are missing.
        let Some(claim) = self.task.model.claim(property) else { return Ok(None) };
        let (formula, outer) = self.path_formula(claim);
        let Ok(observer) = Observer::of_violations(&formula, Effort::Reduced) else { return Ok(None) };
        let mut exploration = Exploration::new(self.graph, &observer);
        let finding = exploration.find_lasso(&self.fairness(self.task.fairness.strength)).map(Finding::Lasso);
        let outcome = finding.map(|finding| self.violated(claim, &outer, &finding)).transpose()?;
        Ok(outcome.and_then(|outcome| match outcome {
            Outcome::Violated(violation) => Some(violation),
            Outcome::Holds | Outcome::Unknown(_) => None,
        }))
    }

    /// The formula of a linear property, with the variables of the quantifiers in front.
    fn path_formula(&self, claim: &Claim) -> (PathFormula, Vec<u32>) {
        let number = |applied: &Applied| self.number(applied);
        path_formula(claim, &self.graph.points, &number).unwrap_or_else(|| self.written_out_path(claim))
    }

    fn condition(&self, condition: Condition) -> u32 {
        match condition {
            Condition::Property(property) => self.table(property) as u32,
            Condition::Ended => HAS_ENDED,
        }
    }

    /// Whether an execution is accepted by an automaton of the model.
    fn automaton(&self, automaton: &Automaton, notes: &mut Vec<ClaimNote>) -> Result<Outcome, Failure> {
        let Some(observer) = observer(automaton, |condition| self.condition(condition)) else { return Ok(too_large()) };
        match self.observed(&observer, notes) {
            None => Ok(Outcome::Holds),
            Some(finding) => self.violated_by(automaton.property, Vec::new(), &finding),
        }
    }

    fn linear(&self, claim: &Claim, notes: &mut Vec<ClaimNote>) -> Result<Outcome, Failure> {
        let (formula, outer) = self.path_formula(claim);
        let Ok(observer) = Observer::of_violations(&formula, Effort::Reduced) else { return Ok(too_large()) };
        // PERF: of one copy of the automaton and a few values there are few images; of many copies there are many.
        self.graph.merges.set(!formula.outer.is_empty() && formula.inner.is_empty());
        let finding = self.observed(&observer, notes);
        self.graph.merges.set(false);
        match finding {
            None => Ok(Outcome::Holds),
            Some(finding) => self.violated(claim, &outer, &finding),
        }
    }

    /// A fair execution that is accepted, and whether there is none under stronger fairness.
    fn observed(&self, observer: &Observer, notes: &mut Vec<ClaimNote>) -> Option<Finding> {
        let own = self.task.fairness.strength;
        let mut exploration = Exploration::new(self.graph, observer);
        notes.push(ClaimNote::Explored(exploration.n_nodes() as u64));
        let finding = exploration.find(&self.fairness(own))?;
        let starves = |strength: &Strength| !exploration.is_accepting(&self.fairness(Some(*strength)));
        let stronger: &[Strength] = match own {
            None => &[Strength::Weak, Strength::Strong],
            Some(Strength::Weak) => &[Strength::Strong],
            Some(Strength::Strong) => &[],
        };
        notes.extend(stronger.iter().copied().find(starves).map(ClaimNote::HoldsIfFair));
        Some(finding)
    }

    fn violated(&self, claim: &Claim, outer: &[u32], finding: &Finding) -> Result<Outcome, Failure> {
        let arguments = match finding {
            Finding::Lasso(lasso) => &lasso.arguments,
            Finding::Prefix(prefix) => &prefix.arguments,
        };
        let value = |(&variable, &point): (&u32, &Point)| {
            (variable, self.graph.points.value(claim.variables[variable as usize].ty, point))
        };
        let args = outer.iter().zip(arguments).map(value).collect();
        self.violated_by(claim.property, args, finding)
    }

    fn violated_by(&self, property: PropertyId, args: Vec<(u32, i64)>, finding: &Finding) -> Result<Outcome, Failure> {
        let trace = concrete::trace(self.task, self.graph, finding).ok_or(Failure::Lost)?;
        let breach = Breach::Temporal(property, args);
        Ok(Outcome::Violated(Box::new(Violation { breach, trace: Some(trace) })))
    }

    /// A formula whose quantifiers are written out. There is no reduction then, so identities may be named.
    fn written_out_path(&self, claim: &Claim) -> (PathFormula, Vec<u32>) {
        let mut written = self.written_out(claim);
        let formula = written.formula(&|applied| self.number(applied));
        let formula = formula.try_map(&mut |atom| Ok::<_, ()>(atom.clone()), &mut |_| Err(()));
        let formula = formula.expect("all quantifiers are written out");
        (PathFormula { outer: written.domains(), inner: Vec::new(), distinct: false, formula }, Vec::new())
    }

    fn written_out<'c>(&'c self, claim: &'c Claim) -> WrittenOut<'c> {
        assert!(self.graph.tracker.is_none(), "identities are named without reduction only");
        WrittenOut { model: self.task.model, claim, points: &self.graph.points, named: Vec::new() }
    }

    fn branching(&self, claim: &Claim) -> Result<Outcome, Failure> {
        let number = |applied: &Applied| self.number(applied);
        let formula = if keeps_symmetry(self.task.model, claim.property) {
            state_formula(claim, &self.graph.points, &number)
        } else {
            let mut written = self.written_out(claim);
            let formula = written.formula(&number);
            let domains = written.domains().into_iter().enumerate();
            domains.fold(formula, |formula, (variable, domain)| {
                Formula::Quantified(Quantity::Forall, Quantifier { variable, domain }, Box::new(formula))
            })
        };
        let mut labeller = Labeller::new(self.graph, self.graph.n_states, self.fairness(self.task.fairness.strength));
        let Ok(labels) = labeller.label(&formula) else { return Ok(too_large()) };
        let fails = |start: &burnside_temporal::Start| !labels.holds(start.state, &[]);
        let Some(start) = self.graph.starts.iter().position(fails) else { return Ok(Outcome::Holds) };
        if let Some((outer, finding)) = labeller.refuted_by(&formula) {
            let outer: Vec<u32> = outer.iter().map(|quantifier| quantifier.variable as u32).collect();
            let is_own = outer.iter().all(|&variable| (variable as usize) < claim.variables.len());
            return self.violated(claim, if is_own { &outer } else { &[] }, &finding);
        }
        // No single execution shows it: the start state alone is told.
        let origin = &self.graph.origins[start];
        let trace = burnside_engine::Trace {
            start: origin.start,
            start_args: origin.args.clone(),
            first: Some(origin.state.clone()),
            steps: Vec::new(),
            loop_start: None,
        };
        let breach = Breach::Temporal(claim.property, Vec::new());
        Ok(Outcome::Violated(Box::new(Violation { breach, trace: Some(trace) })))
    }

    /// Implications whose left side is false in every state.
    fn vacuous(&self, claim: &Claim) -> Vec<ClaimNote> {
        let mut found = Vec::new();
        claim.formula.for_each_left_side(&mut |applied| {
            if self.graph.truth[self.number(applied) as usize].is_never_true() {
                found.push(ClaimNote::Vacuous(applied.condition));
            }
        });
        found
    }
}

/// What follows an automaton of the model; nothing if it speaks of too many conditions.
fn observer(automaton: &Automaton, number: impl Fn(Condition) -> u32) -> Option<Observer> {
    let mut conditions = Vec::new();
    automaton.for_each_condition(|condition| conditions.push(condition));
    conditions.sort_unstable();
    conditions.dedup();
    if conditions.len() > MAX_PROPOSITIONS as usize {
        return None;
    }
    let bit = |condition| 1 << conditions.binary_search(&condition).expect("every condition was listed");
    let edge = |edge: &AutomatonEdge| {
        let side = |holds| {
            let own = edge.when.iter().filter(move |literal| literal.holds == holds);
            own.fold(0, |bits: Valuation, literal| bits | bit(literal.what))
        };
        let label = Label { positive: side(true), negative: side(false) };
        burnside_temporal::AutomatonEdge { label, target: edge.target, colours: u64::from(edge.accepting) }
    };
    let edges = automaton.states.iter().map(|edges| edges.iter().map(edge).collect()).collect();
    let numbers: Vec<u32> = conditions.iter().map(|&condition| number(condition)).collect();
    Some(Observer::of_automaton(burnside_temporal::Automaton::from_edges(edges, 1), &numbers))
}

enum Outcome {
    Holds,
    Violated(Box<Violation>),
    Unknown(String),
}

fn too_large() -> Outcome {
    Outcome::Unknown("the formula is too large: its automaton does not fit".to_owned())
}

/// A graph without states, on which formulas are tried.
struct Nothing;

impl burnside_temporal::Quotient for Nothing {
    fn degree(&self) -> usize {
        0
    }

    fn starts(&self) -> Vec<burnside_temporal::Start> {
        Vec::new()
    }

    fn for_each_step(&self, _: State, _: impl FnMut(burnside_temporal::Step<'_>)) {}

    fn renaming(&self, _: u32) -> burnside_group::Permutation {
        burnside_group::Permutation::identity(0)
    }

    fn holds(&self, _: State, _: u32, _: &[Point]) -> bool {
        false
    }

    fn n_units(&self) -> usize {
        0
    }

    fn unit_image(&self, unit: u32, _: &burnside_group::Permutation) -> u32 {
        unit
    }

    fn enabled(&self, _: State, _: &mut Vec<u32>) {}

    fn symmetries(&self, _: State) -> Vec<burnside_group::Permutation> {
        Vec::new()
    }

    fn is_pruned(&self) -> bool {
        false
    }

    fn fixes(&self, _: State, _: &burnside_group::Permutation) -> bool {
        true
    }
}
