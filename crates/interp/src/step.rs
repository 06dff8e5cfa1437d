//! What engines ask for: start states, successors, properties.

use std::ops::ControlFlow;

use burnside_ir::{
    Binder, Block, Expr, Layout, Local, Model, PropertyId, PropertyKind, RuleId, StartId, TypeId, UNDEFINED,
};

use crate::Fault;
use crate::frame::{FrameLayout, Location};
use crate::machine::{Eval, Machine, Program, Scratch, Stop};

/// Room on the stack for the deepest calls that [`Limits`] allow. Reserved, not used: pages are taken when reached.
pub const STACK_BYTES: usize = 512 << 20;

/// How long a single step may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Rounds of one `while` loop.
    pub loop_rounds: u32,
    /// Nested calls.
    pub call_depth: u32,
    /// Scalars of the variables and results of nested calls, all together.
    pub call_slots: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self { loop_rounds: 1000, call_depth: 10_000, call_slots: 1 << 30 }
    }
}

/// In which half of a rule something happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Site {
    /// While the guard was evaluated: the rule did not fire.
    Guard,
    /// While the action was executed.
    Action,
}

/// What became of an instance of a rule or start state.
#[derive(Debug)]
pub enum Outcome<'a> {
    /// It leads to this state, in normal form.
    Next(&'a [i64]),
    /// An assumption inside it failed: it counts as fired but leads nowhere.
    Pruned,
    /// It faulted.
    Fault(Site, Box<Fault>),
}

impl Outcome<'_> {
    /// Whether the instance leads nowhere else: back to the state in which it fired, or into a failed assumption.
    pub fn stays_in(&self, state: &[i64]) -> bool {
        match self {
            Self::Next(values) => *values == state,
            Self::Pruned => true,
            Self::Fault(..) => false,
        }
    }
}

/// Whether a property's condition holds in a state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Truth {
    /// In every instance.
    Everywhere,
    /// Not in the instance with these parameters, the first such.
    FailsFor(Vec<i64>),
}

/// What is to be known of a property's condition in a state while nobody asks why.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Condition {
    /// Every instance (of a cover: no instance) is true.
    Holds,
    /// Some instance is false (of a cover: true).
    Fails,
    /// Evaluation faulted.
    Faults,
}

/// Evaluates a model. Holds scratch memory, so use one per thread.
pub struct Interpreter<'m> {
    program: Program<'m>,
    scratch: Scratch,
}

/// The instances of a rule, start state or property.
#[derive(Clone, Copy)]
struct Family<'p> {
    binders: &'p [Binder],
    locals: &'p [Local],
    frame: &'p FrameLayout,
    /// What parameters must be, where it matters, if not every instance is wanted.
    only: Option<&'p [Option<i64>]>,
}

/// What happens in an instance.
#[derive(Clone, Copy)]
struct Command<'p> {
    guard: Option<&'p Expr>,
    action: &'p Block,
}

impl<'m> Interpreter<'m> {
    /// An evaluator for a verified model and its layout.
    pub fn new(model: &'m Model, layout: &'m Layout, limits: Limits) -> Self {
        Self { program: Program::new(model, layout, limits), scratch: Scratch::default() }
    }

    /// The model.
    /// The model.
    pub fn model(&self) -> &'m Model {
        self.program.model
    }

    /// Makes quantifiers over these types look at every value, also when the answer is known, so that whether they fault
    /// does not depend on the order of values.
    #[must_use]
    pub fn strict(mut self, types: &[TypeId]) -> Self {
        for ty in types {
            self.program.strict[ty.index()] = true;
        }
        self
    }

    /// Collects what `put` statements print from now on.
    pub fn listen(&mut self) {
        self.scratch.output.get_or_insert_default();
    }

    /// What was printed since the last call.
    pub fn take_output(&mut self) -> String {
        self.scratch.output.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// The cover points reached since the last call.
    pub fn take_covered(&mut self) -> Vec<PropertyId> {
        std::mem::take(&mut self.scratch.covered)
    }

    /// Visits every instance of every start state, in order, until told to stop.
    pub fn starts(&mut self, mut visit: impl FnMut(StartId, &[i64], Outcome<'_>) -> ControlFlow<()>) {
        for at in 0..self.program.model.starts.len() {
            let start = StartId(at as u32);
            if self.begin_all(start, None, &mut |args, outcome| visit(start, args, outcome)).is_break() {
                return;
            }
        }
    }

    /// Executes one instance of a start state, given by its parameters; `None` if there is no such instance.
    pub fn begin<R>(&mut self, start: StartId, args: &[i64], then: impl FnOnce(Outcome<'_>) -> R) -> Option<R> {
        let (mut then, mut result) = (Some(then), None);
        let pattern: Vec<Option<i64>> = args.iter().copied().map(Some).collect();
        let _ = self.begin_all(start, Some(&pattern), &mut |candidate, outcome| {
            if candidate == args {
                result = then.take().map(|then| then(outcome));
            }
            ControlFlow::Break(())
        });
        result
    }

    fn begin_all(
        &mut self,
        start: StartId,
        only: Option<&[Option<i64>]>,
        visit: &mut impl FnMut(&[i64], Outcome<'_>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let undefined = vec![UNDEFINED; self.program.layout.slots().len()];
        let definition = self.program.model.start(start);
        let frame = &self.program.frames.starts[start.index()];
        let family = Family { binders: &definition.binders, locals: &definition.locals, frame, only };
        let command = Command { guard: None, action: &definition.action };
        let mut machine = Machine::new(&self.program, &mut self.scratch, &undefined);
        machine.fire_all(family, command, &undefined, visit)
    }

    /// Visits every enabled (or faulting) instance of every rule in a state, in order, until told to stop. Instances
    /// that are not enabled are not visited.
    pub fn successors(&mut self, state: &[i64], mut visit: impl FnMut(RuleId, &[i64], Outcome<'_>) -> ControlFlow<()>) {
        let model = self.program.model;
        let urgent = if model.has_priorities() { self.urgent_priority(state) } else { None };
        for at in 0..model.rules.len() {
            let rule = &model.rules[at];
            if urgent.is_some_and(|urgent| rule.priority != urgent) {
                continue;
            }
            let id = RuleId(at as u32);
            if self.fire_rule(state, id, None, &mut |args, outcome| visit(id, args, outcome)).is_break() {
                return;
            }
        }
    }

    fn fire_rule(
        &mut self,
        state: &[i64],
        rule: RuleId,
        only: Option<&[Option<i64>]>,
        visit: &mut impl FnMut(&[i64], Outcome<'_>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let definition = self.program.model.rule(rule);
        let command = Command { guard: Some(&definition.guard), action: &definition.action };
        let family = Family { only, ..rule_family(&self.program, rule) };
        let mut machine = Machine::new(&self.program, &mut self.scratch, state);
        machine.fire_all(family, command, state, visit)
    }

    /// The least priority among enabled rules; faulting guards count as enabled, so that they are reported.
    fn urgent_priority(&mut self, state: &[i64]) -> Option<i64> {
        let mut least: Option<i64> = None;
        for (at, rule) in self.program.model.rules.iter().enumerate() {
            if least.is_some_and(|least| least <= rule.priority) {
                continue;
            }
            let family = rule_family(&self.program, RuleId(at as u32));
            let mut machine = Machine::new(&self.program, &mut self.scratch, state);
            let found = machine.instances(family, &mut |machine, _| match machine.eval_bool(&rule.guard) {
                Ok(false) => ControlFlow::Continue(()),
                Ok(true) | Err(_) => ControlFlow::Break(()),
            });
            if !matches!(found, Ok(ControlFlow::Continue(()))) {
                least = Some(rule.priority);
            }
        }
        least
    }

    /// Fires one instance of a rule, given by its parameters; `None` if it may not fire.
    pub fn fire<R>(
        &mut self,
        state: &[i64],
        rule: RuleId,
        args: &[i64],
        then: impl FnOnce(Outcome<'_>) -> R,
    ) -> Option<R> {
        let model = self.program.model;
        if model.has_priorities() && self.urgent_priority(state) != Some(model.rule(rule).priority) {
            return None;
        }
        let (mut then, mut result) = (Some(then), None);
        let pattern: Vec<Option<i64>> = args.iter().copied().map(Some).collect();
        let _ = self.fire_rule(state, rule, Some(&pattern), &mut |candidate, outcome| {
            if candidate == args {
                result = then.take().map(|then| then(outcome));
            }
            ControlFlow::Break(())
        });
        result
    }

    /// Visits every enabled (or faulting) instance of one rule whose parameters are as `pattern` says, where it says
    /// something. A fault before all parameters are bound counts for every pattern.
    pub fn fire_matching(
        &mut self,
        state: &[i64],
        rule: RuleId,
        pattern: &[Option<i64>],
        mut visit: impl FnMut(&[i64], Outcome<'_>) -> ControlFlow<()>,
    ) {
        let model = self.program.model;
        if !model.has_priorities() || self.urgent_priority(state) == Some(model.rule(rule).priority) {
            let _ = self.fire_rule(state, rule, Some(pattern), &mut visit);
        }
    }

    /// Whether all instances of a property's condition hold in a state.
    pub fn holds(&mut self, state: &[i64], property: PropertyId) -> Result<Truth, Box<Fault>> {
        let failing = self.find_instance(state, property, false)?;
        Ok(failing.map_or(Truth::Everywhere, Truth::FailsFor))
    }

    /// Whether some instance of a property's condition holds in a state.
    pub fn holds_somewhere(&mut self, state: &[i64], property: PropertyId) -> Result<bool, Box<Fault>> {
        Ok(self.find_instance(state, property, true)?.is_some())
    }

    /// What a property's condition comes to in a state.
    pub fn condition(&mut self, state: &[i64], property: PropertyId) -> Condition {
        let wanted = self.program.model.property(property).kind == PropertyKind::Cover;
        match self.find_instance(state, property, wanted) {
            Ok(None) => Condition::Holds,
            Ok(Some(_)) => Condition::Fails,
            Err(_) => Condition::Faults,
        }
    }

    /// The parameters of the first instance whose condition evaluates to `wanted`.
    ///
    /// An invariant is violated by an instance that fails as well as by one that faults, so the first of either decides.
    /// For every other kind all instances are evaluated: whether one faults must not depend on their order.
    fn find_instance(
        &mut self,
        state: &[i64],
        property: PropertyId,
        wanted: bool,
    ) -> Result<Option<Vec<i64>>, Box<Fault>> {
        let mut found = None;
        let first_decides = self.program.model.property(property).kind == PropertyKind::Invariant;
        self.conditions(state, property, &mut |args, value| {
            if value == wanted && found.is_none() {
                found = Some(args.to_vec());
            }
            if first_decides && found.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        Ok(found)
    }

    /// Visits every instance of a property with the value of its condition in a state.
    pub fn instances(
        &mut self,
        state: &[i64],
        property: PropertyId,
        mut visit: impl FnMut(&[i64], bool),
    ) -> Result<(), Box<Fault>> {
        self.conditions(state, property, &mut |args, value| {
            visit(args, value);
            ControlFlow::Continue(())
        })
    }

    fn conditions(
        &mut self,
        state: &[i64],
        property: PropertyId,
        visit: &mut dyn FnMut(&[i64], bool) -> ControlFlow<()>,
    ) -> Result<(), Box<Fault>> {
        let definition = self.program.model.property(property);
        let frame = &self.program.frames.properties[property.index()];
        let family = Family { binders: &definition.binders, locals: &definition.locals, frame, only: None };
        let mut machine = Machine::new(&self.program, &mut self.scratch, state);
        let mut stopped = None;
        let end = machine.instances(family, &mut |machine, args| match machine.eval_bool(&definition.condition) {
            Ok(value) => visit(args, value),
            Err(stop) => {
                stopped = Some(stop);
                ControlFlow::Break(())
            }
        });
        match stopped.or(end.err()) {
            Some(Stop::Fault(fault)) => Err(fault),
            Some(Stop::Pruned) => panic!("verified conditions make no assumption"),
            None => Ok(()),
        }
    }
}

fn rule_family<'p>(program: &'p Program<'_>, rule: RuleId) -> Family<'p> {
    let definition = program.model.rule(rule);
    let frame = &program.frames.rules[rule.index()];
    Family { binders: &definition.binders, locals: &definition.locals, frame, only: None }
}

type Visit<'p, 's, 'v> = dyn FnMut(&mut Machine<'p, 's>, &[i64]) -> ControlFlow<()> + 'v;

impl<'p, 's> Machine<'p, 's> {
    /// Fires every enabled instance of a command. A fault in a binder ends the family; the parameters then given are
    /// those bound so far, which no other instance has.
    fn fire_all(
        &mut self,
        family: Family<'p>,
        command: Command<'p>,
        state: &[i64],
        visit: &mut impl FnMut(&[i64], Outcome<'_>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let mut bound = Vec::new();
        let end = self.bound_instances(family, &mut bound, &mut |machine, args| {
            match command.guard.map_or(Ok(true), |guard| machine.eval_bool(guard)) {
                Ok(false) => return ControlFlow::Continue(()),
                Ok(true) => {}
                Err(Stop::Fault(fault)) => return visit(args, Outcome::Fault(Site::Guard, fault)),
                Err(Stop::Pruned) => panic!("verified guards make no assumption"),
            }
            let flow = match machine.act(command) {
                Ok(()) => visit(args, Outcome::Next(&machine.scratch.globals)),
                Err(Stop::Pruned) => visit(args, Outcome::Pruned),
                Err(Stop::Fault(fault)) => visit(args, Outcome::Fault(Site::Action, fault)),
            };
            machine.restore(state);
            flow
        });
        match end {
            Ok(flow) => flow,
            Err(Stop::Fault(fault)) => visit(&bound, Outcome::Fault(Site::Guard, fault)),
            Err(Stop::Pruned) => panic!("verified binders make no assumption"),
        }
    }

    fn act(&mut self, command: Command<'p>) -> Eval<()> {
        self.run(command.action)?;
        self.program.layout.normalise(&mut self.scratch.globals);
        Ok(())
    }

    /// Undoes assignments to globals.
    fn restore(&mut self, state: &[i64]) {
        if self.dirty {
            self.scratch.globals.copy_from_slice(state);
            self.dirty = false;
        }
    }

    /// Visits the instances of a family in the order of their parameters. Every visit starts from locals that are
    /// undefined except for what binders set.
    fn instances(&mut self, family: Family<'p>, visit: &mut Visit<'p, 's, '_>) -> Eval<ControlFlow<()>> {
        self.bound_instances(family, &mut Vec::new(), visit)
    }

    /// Like [`instances`](Self::instances); after a fault in a binder, `args` holds the parameters bound so far.
    fn bound_instances(
        &mut self,
        family: Family<'p>,
        args: &mut Vec<i64>,
        visit: &mut Visit<'p, 's, '_>,
    ) -> Eval<ControlFlow<()>> {
        self.enter(family.frame, family.locals);
        self.bind_next(family, 0, args, visit)
    }

    fn bind_next(
        &mut self,
        family: Family<'p>,
        depth: usize,
        args: &mut Vec<i64>,
        visit: &mut Visit<'p, 's, '_>,
    ) -> Eval<ControlFlow<()>> {
        let Some(binder) = family.binders.get(depth) else {
            if family.only.is_some_and(|only| only.len() != args.len()) {
                return Ok(ControlFlow::Continue(()));
            }
            let bound = self.scratch.stack.clone();
            let flow = visit(self, args);
            self.scratch.stack.clone_from(&bound);
            self.enter_again(family.frame, family.locals);
            return Ok(flow);
        };
        let height = self.scratch.stack.len();
        match binder {
            Binder::Param { local, domain } => {
                let mut values = self.domain(domain)?;
                match family.only.map(|only| only.get(args.len())) {
                    None | Some(Some(None)) => {}
                    Some(Some(Some(wanted))) => values.retain(*wanted),
                    Some(None) => return Ok(ControlFlow::Continue(())),
                }
                for value in values {
                    self.scratch.stack.truncate(height);
                    self.set_local(*local, value);
                    args.push(value);
                    if self.bind_next(family, depth + 1, args, visit)?.is_break() {
                        return Ok(ControlFlow::Break(()));
                    }
                    args.pop();
                }
                return Ok(ControlFlow::Continue(()));
            }
            Binder::Value { local, source } => {
                let definition = &family.locals[local.index()];
                let at: Location = self.local_at(*local);
                self.store_operand(at, definition.ty, source, definition.span)?;
            }
            Binder::Reference { local, place } => {
                let at = self.locate(place)?;
                self.bind(*local, at);
            }
        }
        self.scratch.stack.truncate(height);
        self.bind_next(family, depth + 1, args, visit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A rule whose second instance faults while its parameters are bound, and one that prints.
    const MODEL: &str = r#"(model
        (type t2 (range 0 1))
        (type t3 (range 0 0))
        (type t4 (array t3 t2))
        (global g0 "a" t4)
        (start i0 "init" (local l0 "n" t2) (param l0 t2)
          (do (put "start " l0) (assign g0[0] l0)))
        (rule r0 "alias" (local l0 "n" t2) (local l1 "e" t2 ref) (param l0 t2) (ref l1 g0[l0])
          (guard true) (do (assign l1 1)))
        (rule r1 "print" (local l0 "n" t2) (param l0 t2) (guard true) (do (put "rule " l0))))"#;

    fn with_interpreter(test: impl FnOnce(&mut Interpreter<'_>)) {
        let model = burnside_ir::text::parse(MODEL).expect("the model parses");
        let layout = Layout::new(&model).expect("it has a layout");
        test(&mut Interpreter::new(&model, &layout, Limits::default()));
    }

    #[test]
    fn a_fault_in_a_binder_is_blamed_on_what_is_bound() {
        with_interpreter(|interpreter| {
            let mut seen = Vec::new();
            interpreter.successors(&[0], |rule, args, outcome| {
                seen.push((rule, args.to_vec(), matches!(outcome, Outcome::Fault(Site::Guard, _))));
                ControlFlow::Continue(())
            });
            let alias = [(RuleId(0), vec![0], false), (RuleId(0), vec![1], true)];
            assert_eq!(seen[..2], alias);
            let faulted = interpreter.fire(&[0], RuleId(0), &[1], |outcome| matches!(outcome, Outcome::Fault(..)));
            assert_eq!(faulted, Some(true));
        });
    }

    #[test]
    fn one_instance_runs_without_its_siblings() {
        with_interpreter(|interpreter| {
            interpreter.listen();
            let first = interpreter.begin(StartId(0), &[1], |outcome| match outcome {
                Outcome::Next(values) => values.to_vec(),
                other => panic!("{other:?}"),
            });
            assert_eq!((first, interpreter.take_output()), (Some(vec![1]), "start 1".to_owned()));
            assert!(interpreter.fire(&[0], RuleId(1), &[1], |_| ()).is_some());
            assert_eq!(interpreter.take_output(), "rule 1");
            assert!(interpreter.fire(&[0], RuleId(1), &[2], |_| ()).is_none());
        });
    }
}
