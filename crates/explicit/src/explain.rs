//! From "something is wrong here" to what it is and how to get there, by the reference interpreter.

use std::ops::ControlFlow;

use burnside_engine::{Breach, Step, Task, Trace, Violation};
use burnside_interp::{Hop, Interpreter, Outcome};
use burnside_ir::{PropertyId, TypeId};
use burnside_step::{Judge, faulty_start};
use burnside_store::{Codec, StateId};
use burnside_symmetry::{Canonicaliser, Exactness, Reduction};

use crate::claims::parameter_types;
use crate::expander::Quotient;
use crate::ledger::Finding;
use crate::visited::Visited;

pub(crate) struct Explainer<'a, C: Codec> {
    task: &'a Task<'a>,
    visited: &'a Visited<C>,
    interpreter: Interpreter<'a>,
    lookup: Lookup<'a, C>,
    /// The last state of the trace told so far.
    values: Vec<i64>,
    packed: Vec<u64>,
}

impl<'a, C: Codec> Explainer<'a, C> {
    pub(crate) fn new(task: &'a Task<'a>, visited: &'a Visited<C>, quotient: Option<Quotient<'a>>) -> Self {
        let interpreter = Interpreter::new(task.model, task.layout, task.step_limits);
        let values = vec![0; task.layout.slots().len()];
        let packed = vec![0; task.layout.n_words()];
        let orbits = quotient.map(|quotient| Orbits {
            reduction: quotient.reduction,
            canonicaliser: quotient.canonicaliser(),
            exact: quotient.reduction.exact(),
            representative: packed.clone(),
        });
        let lookup = Lookup { visited, orbits };
        Self { task, visited, interpreter, lookup, values, packed }
    }

    pub(crate) fn task(&self) -> &'a Task<'a> {
        self.task
    }

    /// Whether stored states stand for orbits.
    pub(crate) fn reduces(&self) -> bool {
        self.lookup.orbits.is_some()
    }

    /// Whether the search may have left out states that are symmetric to none it visited.
    pub(crate) fn is_approximate(&self) -> bool {
        let orbits = self.lookup.orbits.as_ref();
        orbits.is_some_and(|it| it.reduction.strategy().exactness() == Exactness::Approximate)
    }

    /// What is wrong and how to get there; `None` if the interpreter sees nothing wrong, as may happen under reduction
    /// where faults depend on the order of identities.
    pub(crate) fn explain(mut self, finding: Finding) -> Option<Violation> {
        let (breach, trace) = match finding {
            Finding::StartFault => faulty_start(&mut self.interpreter)?,
            Finding::RuleFault(state) => self.rule_fault(state)?,
            Finding::Property(state) => {
                let trace = self.trace_to(state)?;
                (Judge::new(self.task).breach(&mut self.interpreter, &self.values)?, trace)
            }
            Finding::Deadlock(state) => (Breach::Deadlock, self.trace_to(state)?),
        };
        Some(Violation { breach, trace: Some(trace) })
    }

    /// The types whose quantifiers the search evaluated for every value.
    pub(crate) fn strict_types(&self) -> &'a [TypeId] {
        self.lookup.orbits.as_ref().map_or(&[], |orbits| orbits.reduction.strict_types())
    }

    /// The trace to a state that violates a liveness property. Its condition may fault in the state that stands for
    /// others and not in the one at hand, or fault with other identities.
    pub(crate) fn explain_liveness(&mut self, state: StateId, breach: Breach) -> Option<(Breach, Trace)> {
        let trace = self.trace_to(state)?;
        let breach = match breach {
            Breach::PropertyFault(property, _) => {
                let fault = self.interpreter.instances(&self.values, property, |_, _| ()).err()?;
                Breach::PropertyFault(property, fault)
            }
            Breach::Liveness(property, args) if !args.is_empty() => {
                Breach::Liveness(property, self.concrete_args(property, &args)?)
            }
            other => other,
        };
        Some((breach, trace))
    }

    /// What parameters in the names of the stored state are called in the state that the trace ends in.
    ///
    /// SOUND: any permutation that takes this state to the stored one will do: two of them differ by one that fixes the
    /// stored state, which takes parameters that violate a property there to such that do.
    fn concrete_args(&mut self, property: PropertyId, args: &[i64]) -> Option<Vec<i64>> {
        let Some(orbits) = &self.lookup.orbits else { return Some(args.to_vec()) };
        let mut images = Vec::new();
        self.task.layout.pack(&self.values, &mut self.packed);
        orbits.reduction.tracker().canonicalise(&mut self.packed, &mut images);
        let model = self.task.model;
        let concrete = |(ty, &arg): (TypeId, &i64)| {
            let (vertices, lo) = (orbits.reduction.vertices(ty), model.types.shape(ty).lo);
            let Some(vertex) = vertices.get((arg - lo) as usize).copied().flatten() else { return Some(arg) };
            let before = images.iter().position(|&image| image == vertex)? as u32;
            let number = vertices.iter().position(|&own| own == Some(before))?;
            Some(lo + number as i64)
        };
        parameter_types(model, property).into_iter().zip(args).map(concrete).collect()
    }

    /// The way by which a state was found. It is followed forward, since the set need not give back states: of the
    /// states that can come next, the set knows which one has the right number.
    ///
    /// Under reduction the set holds representatives, and the trace is concrete all the same: some step leads from the
    /// representative to a state that the next one stands for, and the state at hand, which is symmetric to the
    /// representative, has a step to a state symmetric to that.
    pub(crate) fn trace_to(&mut self, state: StateId) -> Option<Trace> {
        let way = self.visited.way_to(state);
        let mut trace = self.start(way[0])?;
        for &next in &way[1..] {
            trace.steps.extend(self.step(next)?);
        }
        Some(trace)
    }

    fn start(&mut self, state: StateId) -> Option<Trace> {
        let mut found = None;
        self.interpreter.starts(|start, args, outcome| {
            let Outcome::Next(values) = outcome else { return ControlFlow::Continue(()) };
            self.task.layout.pack(values, &mut self.packed);
            if self.lookup.find(&self.packed) != Some(state) {
                return ControlFlow::Continue(());
            }
            self.values.copy_from_slice(values);
            let first = Some(self.packed.clone().into());
            found = Some(Trace { start, start_args: args.to_vec(), first, steps: Vec::new(), loop_start: None });
            ControlFlow::Break(())
        });
        found
    }

    /// The rule instances that make up a step; more than one if it goes through states that are not stored.
    fn step(&mut self, to: StateId) -> Option<Vec<Step>> {
        let target = if self.lookup.orbits.is_some() { Some(self.symmetric_target(to)?) } else { None };
        let mut next = None;
        self.interpreter.passages(&self.values, |way, (rule, args), outcome, _| {
            let Outcome::Next(values) = outcome else { return ControlFlow::Continue(()) };
            self.task.layout.pack(values, &mut self.packed);
            let is_right = match &target {
                Some(target) => self.lookup.canonical(&self.packed) == *target,
                None => self.visited.find(&self.packed) == Some(to),
            };
            if !is_right {
                return ControlFlow::Continue(());
            }
            let mut steps = hops(self.task, way);
            steps.push(Step { rule, args: args.to_vec(), end: Ok(self.packed.clone().into()) });
            next = Some((values.to_vec(), steps));
            ControlFlow::Break(())
        });
        let (values, steps) = next?;
        self.values = values;
        Some(steps)
    }

    /// Goes from one representative to the next, and returns the canonical form of what the step leads to.
    fn symmetric_target(&mut self, to: StateId) -> Option<Vec<u64>> {
        let mut representative = self.values.clone();
        self.task.layout.unpack(&self.lookup.orbits.as_ref()?.representative, &mut representative);
        let mut target = None;
        self.interpreter.passages(&representative, |_, _, outcome, _| {
            let Outcome::Next(values) = outcome else { return ControlFlow::Continue(()) };
            self.task.layout.pack(values, &mut self.packed);
            if self.lookup.find(&self.packed) != Some(to) {
                return ControlFlow::Continue(());
            }
            target = Some(self.lookup.canonical(&self.packed));
            ControlFlow::Break(())
        });
        target
    }

    fn rule_fault(&mut self, state: StateId) -> Option<(Breach, Trace)> {
        let mut trace = self.trace_to(state)?;
        let mut found = None;
        self.interpreter.passages(&self.values, |way, (rule, args), outcome, _| {
            let Outcome::Fault(site, fault) = outcome else { return ControlFlow::Continue(()) };
            let mut steps = hops(self.task, way);
            steps.push(Step { rule, args: args.to_vec(), end: Err(site) });
            found = Some((Breach::Fault(fault), steps));
            ControlFlow::Break(())
        });
        let (breach, steps) = found?;
        trace.steps.extend(steps);
        Some((breach, trace))
    }
}

/// The steps through states that are not stored.
pub(crate) fn hops(task: &Task<'_>, way: &[Hop]) -> Vec<Step> {
    let step = |hop: &Hop| {
        let mut packed = vec![0; task.layout.n_words()];
        task.layout.pack(&hop.state, &mut packed);
        Step { rule: hop.rule, args: hop.args.clone(), end: Ok(packed.into()) }
    };
    way.iter().map(step).collect()
}

/// Finds the numbers of states, up to symmetry under reduction.
struct Lookup<'a, C: Codec> {
    visited: &'a Visited<C>,
    orbits: Option<Orbits<'a>>,
}

/// What stands for what.
struct Orbits<'a> {
    reduction: &'a Reduction,
    canonicaliser: Box<dyn Canonicaliser + 'a>,
    /// Brings all states of an orbit together, which the reduction's strategy need not do.
    exact: Box<dyn Canonicaliser + 'a>,
    /// What stands for the state looked up last.
    representative: Vec<u64>,
}

impl<C: Codec> Lookup<'_, C> {
    /// The number of what stands for a state.
    fn find(&mut self, state: &[u64]) -> Option<StateId> {
        let Some(orbits) = &mut self.orbits else { return self.visited.find(state) };
        orbits.representative.copy_from_slice(state);
        orbits.canonicaliser.canonicalise(&mut orbits.representative);
        self.visited.find(&orbits.representative)
    }

    /// The same for all states of an orbit.
    fn canonical(&mut self, state: &[u64]) -> Vec<u64> {
        let mut canonical = state.to_vec();
        if let Some(orbits) = &mut self.orbits {
            orbits.exact.canonicalise(&mut canonical);
        }
        canonical
    }
}
