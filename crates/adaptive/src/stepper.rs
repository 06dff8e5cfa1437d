//! Fires rules and evaluates properties in packed states, by native code or by the interpreter.

use std::ops::ControlFlow;

use burnside_engine::Task;
use burnside_interp::{Condition, Interpreter, Outcome, STACK_BYTES, StepBuffer};
use burnside_ir::{Layout, PropertyId, RuleId, StartId};
use burnside_jit::{Compiled, Context};

use crate::setup::Setup;

/// Native code for a search, if that is wanted and possible.
///
/// Rules of different priority are left to the interpreter: whether one may fire depends on the guards of all.
pub(crate) fn compile(task: &Task<'_>, setup: &Setup) -> Option<Compiled> {
    let model = &setup.extended;
    let wanted = task.native && !model.has_priorities();
    // What the compiler does not treat, and what recurses beyond our stacks, the interpreter does.
    let compiled = wanted.then(|| Compiled::windowed(model, task.layout, task.step_limits, &setup.strict).ok());
    compiled.flatten().filter(|compiled| compiled.stack_bytes() <= STACK_BYTES as u64 / 2)
}

/// Computes with the rules and properties of a model and with the probes. Each thread has its own.
pub(crate) struct Stepper<'m> {
    layout: &'m Layout,
    interpreter: Interpreter<'m>,
    native: Option<Native<'m>>,
    values: Vec<i64>,
}

struct Native<'m> {
    compiled: &'m Compiled,
    context: Context,
    /// By rule and parameter: all values, where the parameter goes through a type.
    widest: &'m [Vec<[i64; 2]>],
    windows: Vec<[i64; 2]>,
}

impl<'m> Stepper<'m> {
    pub(crate) fn new(task: &Task<'m>, setup: &'m Setup, compiled: Option<&'m Compiled>) -> Self {
        let native = compiled.map(|compiled| Native {
            compiled,
            context: compiled.context(),
            widest: &setup.widest,
            windows: Vec::new(),
        });
        let model = &setup.extended;
        Self {
            layout: task.layout,
            interpreter: Interpreter::new(model, task.layout, task.step_limits).strict(&setup.strict),
            native,
            values: vec![0; task.layout.slots().len()],
        }
    }

    /// Appends the steps of the enabled instances of a rule whose parameters are as `args` says, where it says something,
    /// up to the first that faults.
    pub(crate) fn fire(&mut self, state: &[u64], rule: RuleId, args: &[Option<i64>], steps: &mut StepBuffer) {
        if let Some(native) = &mut self.native {
            native.windows.clone_from(&native.widest[rule.index()]);
            for (window, arg) in native.windows.iter_mut().zip(args) {
                if let Some(value) = arg {
                    *window = [*value; 2];
                }
            }
            native.compiled.fire_within(rule, &native.windows, state, &mut native.context, steps);
            return;
        }
        self.layout.unpack(state, &mut self.values);
        let layout = self.layout;
        self.interpreter
            .fire_matching(&self.values, rule, args, |_, outcome| steps.record(layout, (rule, 1), &outcome));
    }

    /// Visits the instances of a start state: parameters, and the state unless an assumption excludes it. A fault ends
    /// this with an error.
    pub(crate) fn begin(&mut self, start: StartId, mut visit: impl FnMut(&[i64], Vec<u64>)) -> Result<(), Faulted> {
        let layout = self.layout;
        let mut end = Ok(());
        self.interpreter.starts(|id, args, outcome| {
            if id != start {
                return ControlFlow::Continue(());
            }
            match outcome {
                Outcome::Next(values) => {
                    let mut packed = vec![0; layout.n_words()];
                    layout.pack(values, &mut packed);
                    visit(args, packed);
                    ControlFlow::Continue(())
                }
                Outcome::Pruned => ControlFlow::Continue(()),
                Outcome::Fault(..) => {
                    end = Err(Faulted);
                    ControlFlow::Break(())
                }
            }
        });
        end
    }

    /// The value of a property's condition; of a cover it is said to fail if some instance is true.
    pub(crate) fn condition(&mut self, property: PropertyId, state: &[u64]) -> Condition {
        if let Some(native) = &mut self.native {
            native.compiled.look_at(state, &mut native.context);
            let condition = native.compiled.condition(property, &mut native.context);
            return condition.expect("assumptions, invariants and covers have native code");
        }
        self.layout.unpack(state, &mut self.values);
        self.interpreter.condition(&self.values, property)
    }

    /// Whether a step met a cover point.
    pub(crate) fn take_covered(&mut self, points: &[PropertyId]) -> Vec<PropertyId> {
        let mut met = self.interpreter.take_covered();
        if let Some(native) = &self.native {
            met.extend(points.iter().filter(|&&point| native.context.is_covered(point)));
        }
        met
    }
}

/// A start state faults.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Faulted;
