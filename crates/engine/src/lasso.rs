//! Temporal counterexamples checked from first principles: the loop closes, it is fair, and the formula, as it was
//! written, is false on it. Nothing here knows automata, quotients or graphs.

use std::collections::{BTreeSet, HashMap};
use std::ops::ControlFlow;

use burnside_interp::{Interpreter, Outcome, Truth};
use burnside_ir::{
    Applied, Automaton, Claim, ClaimFormula, Condition, Model, PropertyId, PropertyKind, Quantity, RuleId,
};
use burnside_temporal::formula::{Binary, Formula, Unary};
use burnside_temporal::{Shape, holds_on_lasso};

use crate::{Strength, Task, Trace, UnitKey, Units};

/// Longest continuation of a finite prefix that is tried.
const MOST_STEPS: usize = 100_000;

/// Checks that an execution violates a temporal property. Its steps must have been replayed already.
///
/// A property of branching time is evaluated only if it is about all executions and nothing else; of others the
/// execution alone is checked, since what it shows is a claim about all that could follow.
///
/// # Errors
/// What is wrong.
pub fn refute(task: &Task<'_>, property: PropertyId, trace: &Trace) -> Result<(), String> {
    let mut execution = Execution::new(task, trace)?;
    let loop_start = match trace.loop_start {
        Some(start) => {
            let start = execution.position(start)?;
            execution.close(start)?;
            execution.check_fairness(trace, start)?;
            start
        }
        None if task.model.property(property).kind == PropertyKind::Branching => return Ok(()),
        None => execution.go_on()?,
    };
    let n_states = execution.states.len();
    // A loop that closes has its first state at the end again; an execution that ends repeats the last one.
    let shape = Shape::new(loop_start, (n_states - 1 - loop_start).max(1));
    if let Some(automaton) = task.model.automaton(property) {
        return accepted(&mut execution, automaton, shape);
    }
    let claim = task.model.claim(property).ok_or("there is no such formula")?;
    let Some(formula) = about_each_path(&claim.formula) else { return Ok(()) };
    let formula = written_out(task.model, claim, formula, &mut Vec::new());
    let mut values = HashMap::new();
    let mut problem = None;
    let truth = holds_on_lasso(&formula, shape, &mut |position, (condition, args): &(PropertyId, Vec<i64>)| {
        execution.value((position, *condition), args, &mut values).unwrap_or_else(|fault| {
            problem.get_or_insert(fault);
            false
        })
    });
    match (problem, truth) {
        (Some(problem), _) => Err(problem),
        (None, Ok(false)) => Ok(()),
        (None, Ok(true)) => Err("the formula is true of this execution".to_owned()),
        (None, Err(_)) => Err("the formula is not about one execution".to_owned()),
    }
}

/// Whether an automaton accepts an execution: whether one of its runs comes back to where it was, in the loop of the
/// execution, over an accepting edge.
fn accepted(execution: &mut Execution<'_>, automaton: &Automaton, shape: Shape) -> Result<(), String> {
    let n_states = automaton.states.len();
    let mut values = HashMap::new();
    // A place of a run is a position of the execution and a state of the automaton.
    let mut ways: Vec<Vec<(usize, bool)>> = Vec::new();
    for position in 0..shape.n_positions() {
        let next = shape.next(position);
        for edges in &automaton.states {
            let mut own = Vec::new();
            for edge in edges {
                let mut is_open = true;
                for literal in &edge.when {
                    let holds = match literal.what {
                        Condition::Property(condition) => execution.value((position, condition), &[], &mut values)?,
                        Condition::Ended => execution.enabled(position).is_none(),
                    };
                    is_open &= holds == literal.holds;
                }
                if is_open {
                    own.push((next * n_states + edge.target as usize, edge.accepting));
                }
            }
            ways.push(own);
        }
    }
    let reached_from = |begin: usize| {
        let mut reached = BTreeSet::from([begin]);
        let mut pending = vec![begin];
        while let Some(place) = pending.pop() {
            pending.extend(ways[place].iter().map(|&(next, _)| next).filter(|&next| reached.insert(next)));
        }
        reached
    };
    let accepting = reached_from(0).into_iter().flat_map(|place| ways[place].iter().map(move |way| (place, way)));
    let mut accepting = accepting.filter(|(_, way)| way.1);
    match accepting.any(|(place, &(next, _))| reached_from(next).contains(&place)) {
        true => Ok(()),
        false => Err("the automaton does not accept this execution".to_owned()),
    }
}

/// Who takes a step, and where it leads.
type Move = (Option<UnitKey>, Vec<i64>);

/// The states of an execution, unpacked.
struct Execution<'m> {
    task: &'m Task<'m>,
    interpreter: Interpreter<'m>,
    assumptions: Vec<PropertyId>,
    /// Those inside steps are left out: they are no positions of an execution.
    states: Vec<Vec<i64>>,
    /// For each of them the number of steps before it.
    at: Vec<usize>,
}

impl<'m> Execution<'m> {
    fn new(task: &'m Task<'m>, trace: &Trace) -> Result<Self, String> {
        let packed = trace.first.iter().chain(trace.steps.iter().filter_map(|step| step.end.as_ref().ok()));
        let states: Vec<Vec<i64>> = packed
            .map(|words| {
                let mut values = vec![0; task.layout.slots().len()];
                task.layout.unpack(words, &mut values);
                values
            })
            .collect();
        if states.len() != trace.steps.len() + 1 {
            return Err("a step has no state".to_owned());
        }
        let interpreter = Interpreter::new(task.model, task.layout, task.step_limits);
        let assumptions = task.properties(PropertyKind::Assumption);
        let mut execution = Self { task, interpreter, assumptions, states: Vec::new(), at: Vec::new() };
        for (at, state) in states.into_iter().enumerate() {
            if at > 0 && execution.interpreter.is_inside(&state) {
                continue;
            }
            if execution.is_excluded(&state) {
                return Err("an assumption excludes a state".to_owned());
            }
            execution.states.push(state);
            execution.at.push(at);
        }
        Ok(execution)
    }

    fn is_excluded(&mut self, state: &[i64]) -> bool {
        let interpreter = &mut self.interpreter;
        self.assumptions.iter().any(|&it| matches!(interpreter.holds(state, it), Ok(Truth::FailsFor(_))))
    }

    /// The position of the state after so many steps.
    fn position(&self, n_steps: usize) -> Result<usize, String> {
        self.at.binary_search(&n_steps).map_err(|_| "the loop begins inside a step".to_owned())
    }

    /// Whether the execution goes on from its end as it did from this place.
    fn close(&mut self, start: usize) -> Result<(), String> {
        let last = self.states.len() - 1;
        if start > last {
            return Err("the loop begins behind the end".to_owned());
        }
        if start < last {
            return if self.states[start] == self.states[last] {
                Ok(())
            } else {
                Err("the loop found does not repeat".to_owned())
            };
        }
        match self.enabled(last) {
            None => Ok(()),
            Some(rule) => {
                Err(format!("the execution does not end: rule `{}` is enabled", self.task.model.rule(rule).name))
            }
        }
    }

    /// A rule that is enabled at a position of the execution.
    fn enabled(&mut self, position: usize) -> Option<RuleId> {
        let mut enabled = None;
        self.interpreter.successors(&self.states[position], |rule, _, _| {
            enabled = Some(rule);
            ControlFlow::Break(())
        });
        enabled
    }

    /// Goes on in some way until a state comes again; what follows makes no difference to a violation that a prefix
    /// shows.
    fn go_on(&mut self) -> Result<usize, String> {
        let begin = self.states.len() - 1;
        let mut met: HashMap<Vec<i64>, usize> = HashMap::from([(self.states[begin].clone(), begin)]);
        for _ in 0..MOST_STEPS {
            let now = self.states[self.states.len() - 1].clone();
            let (n_enabled, steps) = self.steps(&now);
            let Some((_, next)) = steps.into_iter().next() else {
                return if n_enabled == 0 {
                    Ok(self.states.len() - 1)
                } else {
                    Err("no execution goes on from the end".to_owned())
                };
            };
            let at = self.states.len();
            self.states.push(next.clone());
            if let Some(&known) = met.get(&next) {
                return Ok(known);
            }
            met.insert(next, at);
        }
        Err("the execution does not come back to a state it was in".to_owned())
    }

    /// How many steps can begin, and those that lead to states which no assumption excludes, each with who can take it.
    fn steps(&mut self, state: &[i64]) -> (usize, Vec<Move>) {
        let units = Units::new(self.task.model, self.task.fairness.unit);
        let mut steps = Vec::new();
        let mut n_enabled = 0;
        self.interpreter.passages(state, |way, (rule, args), outcome, _| {
            n_enabled += 1;
            if let Outcome::Next(values) = outcome {
                steps.push((units.of_step(self.task.model, way, (rule, args)).mover, values.to_vec()));
            }
            ControlFlow::Continue(())
        });
        steps.retain(|(_, next): &Move| !self.is_excluded(next));
        (n_enabled, steps)
    }

    /// Whether the loop is fair to every unit, by what is enabled in its states.
    fn check_fairness(&mut self, trace: &Trace, start: usize) -> Result<(), String> {
        let Some(strength) = self.task.fairness.strength else { return Ok(()) };
        let units = Units::new(self.task.model, self.task.fairness.unit);
        let taken: BTreeSet<UnitKey> = trace.steps[self.at[start]..]
            .iter()
            .flat_map(|step| units.of(self.task.model, step.rule, &step.args))
            .collect();
        let mut always: Option<BTreeSet<UnitKey>> = None;
        let mut sometimes = BTreeSet::new();
        for at in start..self.states.len() {
            let state = self.states[at].clone();
            let enabled: BTreeSet<UnitKey> = self.steps(&state).1.into_iter().filter_map(|(mover, _)| mover).collect();
            sometimes.extend(enabled.iter().cloned());
            always = Some(match always {
                None => enabled,
                Some(before) => before.intersection(&enabled).cloned().collect(),
            });
        }
        let entitled = match strength {
            Strength::Weak => always.unwrap_or_default(),
            Strength::Strong => sometimes,
        };
        match entitled.difference(&taken).next() {
            None => Ok(()),
            Some(starved) => Err(format!("the loop is not fair to {starved:?}")),
        }
    }

    /// The value of a condition at a position of the execution.
    fn value(
        &mut self,
        (position, condition): (usize, PropertyId),
        args: &[i64],
        known: &mut HashMap<(usize, PropertyId), HashMap<Vec<i64>, bool>>,
    ) -> Result<bool, String> {
        if let Some(instances) = known.get(&(position, condition)) {
            return instances.get(args).copied().ok_or_else(|| "a condition has no such instance".to_owned());
        }
        let mut instances = HashMap::new();
        let end = self.interpreter.instances(&self.states[position], condition, |args, value| {
            instances.insert(args.to_vec(), value);
        });
        end.map_err(|fault| format!("a condition faults: {fault}"))?;
        known.insert((position, condition), instances);
        self.value((position, condition), args, known)
    }
}

/// What a formula says of each path, if that is all it says.
fn about_each_path(formula: &ClaimFormula) -> Option<ClaimFormula> {
    match formula {
        Formula::Unary(Unary::AllPaths, path) => (!path.has_path_quantifier()).then(|| path.as_ref().clone()),
        Formula::Quantified(Quantity::Forall, variable, f) => {
            Some(Formula::Quantified(Quantity::Forall, *variable, Box::new(about_each_path(f)?)))
        }
        // Both are about the same execution only if one of them fails on it, which is what is asked.
        Formula::Binary(Binary::And, f, g) => {
            Some(Formula::binary(Binary::And, about_each_path(f)?, about_each_path(g)?))
        }
        other => (!other.has_path_quantifier()).then(|| other.clone()),
    }
}

/// The formula with a part for each value in place of its quantifiers; `bound` has the values of variables so far.
fn written_out(
    model: &Model,
    claim: &Claim,
    formula: ClaimFormula,
    bound: &mut Vec<(u32, i64)>,
) -> Formula<(PropertyId, Vec<i64>), ()> {
    match formula {
        Formula::Constant(value) => Formula::Constant(value),
        Formula::Proposition(Applied { condition, arguments }) => {
            let value =
                |variable: &u32| bound.iter().rev().find(|(own, _)| own == variable).map_or(0, |(_, value)| *value);
            Formula::Proposition((condition, arguments.iter().map(value).collect()))
        }
        Formula::Unary(op, f) => Formula::unary(op, written_out(model, claim, *f, bound)),
        Formula::Binary(op, f, g) => {
            let f = written_out(model, claim, *f, bound);
            Formula::binary(op, f, written_out(model, claim, *g, bound))
        }
        Formula::Quantified(quantity, variable, f) => {
            let shape = model.types.shape(claim.variables[variable as usize].ty);
            let (op, neutral) = match quantity {
                Quantity::Forall => (Binary::And, true),
                Quantity::Exists => (Binary::Or, false),
            };
            (shape.lo..=shape.hi).fold(Formula::Constant(neutral), |all, value| {
                bound.push((variable, value));
                let part = written_out(model, claim, f.as_ref().clone(), bound);
                bound.pop();
                Formula::binary(op, all, part)
            })
        }
    }
}
