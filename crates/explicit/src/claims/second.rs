//! A second look at states: their steps with rule instances, and the values of conditions.

use std::collections::HashMap;
use std::ops::ControlFlow;

use burnside_engine::{Takers, Task, Units};
use burnside_interp::{Fault, Hop, Interpreter, Outcome, StepBuffer, StepEnd};
use burnside_ir::{Layout, Model, PropertyId, RuleId, TypeId};
use burnside_step::{Code, Interpreted, Native, Stepper as _, Successors};
use rustc_hash::FxHashMap;

use crate::partial::Chooser;

/// Native code for the second look, if it is wanted and there is some; otherwise the interpreter does it.
pub(crate) fn compile(task: &Task<'_>, strict: &[TypeId]) -> Option<Code> {
    task.native.then(|| Code::numbered(task, strict)).flatten()
}

/// Looks at one state after the other. One per thread.
pub(crate) struct Second<'a> {
    model: &'a Model,
    layout: &'a Layout,
    interpreter: Interpreter<'a>,
    native: Option<(&'a Code, Successors<Native<'a>>)>,
    /// The state, and a successor.
    words: Vec<u64>,
    next: Vec<u64>,
    steps: StepBuffer,
    values: Vec<i64>,
    instances: Instances,
}

/// Rule instances as far as they matter: the rule, and the units that take the step.
struct Instances {
    units: Units,
    all: Vec<(RuleId, Takers)>,
    numbers: HashMap<(RuleId, Takers), u32>,
    /// By the numbers that native code gives: rule by rule the way, the last one last.
    by_way: FxHashMap<Vec<(RuleId, u64)>, u32>,
}

impl Instances {
    fn number(&mut self, model: &Model, way: &[Hop], last: (RuleId, &[i64])) -> u32 {
        let key = (last.0, self.units.of_step(model, way, last));
        *self.numbers.entry(key).or_insert_with_key(|key| {
            self.all.push(key.clone());
            self.all.len() as u32 - 1
        })
    }

    fn of_way(&mut self, model: &Model, code: &Code, way: &[(RuleId, u64)]) -> u32 {
        if let Some(&known) = self.by_way.get(way) {
            return known;
        }
        let hop = |&(rule, number): &(RuleId, u64)| Hop { rule, args: code.args(rule, number), state: Vec::new() };
        let mut hops: Vec<Hop> = way.iter().map(hop).collect();
        let last = hops.pop().expect("a way has a last rule");
        let number = self.number(model, &hops, (last.rule, &last.args));
        self.by_way.insert(way.to_vec(), number);
        number
    }
}

impl<'a> Second<'a> {
    pub(crate) fn new(task: &Task<'a>, strict: &[TypeId], code: Option<&'a Code>) -> Self {
        let n_words = task.layout.n_words();
        let native = |code: &'a Code| Native::new(code, Interpreted::new(task).strict(strict));
        let units = Units::new(task.model, task.fairness.unit);
        Self {
            model: task.model,
            layout: task.layout,
            interpreter: Interpreter::new(task.model, task.layout, task.step_limits).strict(strict),
            native: code.map(|code| (code, Successors::new(task, native(code)))),
            words: vec![0; n_words],
            next: vec![0; n_words],
            steps: StepBuffer::new(n_words),
            values: vec![0; task.layout.slots().len()],
            instances: Instances { units, all: Vec::new(), numbers: HashMap::new(), by_way: FxHashMap::default() },
        }
    }

    /// The instances met, by number.
    pub(crate) fn into_instances(self) -> Vec<(RuleId, Takers)> {
        self.instances.all
    }

    /// Sets the state.
    pub(crate) fn look_at(&mut self, words: &[u64]) {
        self.words.copy_from_slice(words);
        if self.native.is_none() {
            self.layout.unpack(words, &mut self.values);
        }
    }

    /// Visits every step: its instance and the state it leads to, unless an assumption cuts it off.
    ///
    /// A `chooser` leaves out those that the search has put off; no step then goes through states that are not stored.
    pub(crate) fn expand(&mut self, chooser: Option<&mut Chooser<'_>>, mut visit: impl FnMut(u32, Option<&mut [u64]>)) {
        let is_fired = chooser.and_then(|chooser| self.choose(chooser));
        let mut at = 0;
        let mut counts = || {
            at += 1;
            is_fired.as_ref().is_none_or(|fired| fired[at - 1])
        };
        let Self { model, layout, interpreter, native, words, next, steps, values, instances } = self;
        let Some((code, successors)) = native else {
            interpreter.passages(values, |way, last, outcome, _| {
                if !counts() {
                    return ControlFlow::Continue(());
                }
                let instance = instances.number(model, way, last);
                match outcome {
                    Outcome::Next(values) => {
                        layout.pack(values, next);
                        visit(instance, Some(&mut next[..]));
                    }
                    Outcome::Pruned | Outcome::Fault(..) => visit(instance, None),
                }
                ControlFlow::Continue(())
            });
            return;
        };
        let code: &Code = code;
        successors.for_each_way(words, steps, |way, end, state| {
            if !counts() {
                return;
            }
            let instance = instances.of_way(model, code, way);
            next.copy_from_slice(state);
            visit(instance, (end == StepEnd::Next).then_some(&mut next[..]));
        });
    }

    /// By number of step, whether it is fired; `None` if all are.
    fn choose(&mut self, chooser: &mut Chooser<'_>) -> Option<Vec<bool>> {
        let Self { interpreter, native, words, steps, values, .. } = self;
        let mut instances = Vec::new();
        let mut leads_on = Vec::new();
        match native {
            Some((_, successors)) => successors.for_each_way(words, steps, |way, end, state| {
                instances.extend(way.first().map(|&(rule, number)| chooser.instance(rule, number)));
                leads_on.push(end != StepEnd::Next || state != &words[..]);
            }),
            None => interpreter.passages(values, |_, (rule, args), outcome, _| {
                instances.push(chooser.instance_of(rule, args));
                leads_on.push(!outcome.stays_in(values));
                ControlFlow::Continue(())
            }),
        }
        chooser.choose(words, &instances, |at| leads_on[at])
    }

    /// Appends for each instance of a condition, in order, 1 if it holds, otherwise 0.
    pub(crate) fn evaluate(&mut self, property: PropertyId, truth: &mut Vec<u8>) -> Result<(), Box<Fault>> {
        let begin = truth.len();
        if let Some((_, successors)) = &mut self.native {
            let native = successors.stepper();
            native.look_at(&self.words);
            if native.truth(property, truth).is_some() {
                return Ok(());
            }
            // The interpreter tells which fault it is.
            truth.truncate(begin);
            self.layout.unpack(&self.words, &mut self.values);
        }
        self.interpreter.instances(&self.values, property, |_, holds| truth.push(u8::from(holds)))
    }
}
