//! A plain exploration of a model by the reference evaluator: what every engine must agree with.

use std::collections::HashSet;
use std::ops::ControlFlow;

use burnside_interp::{Fault, Interpreter, Limits, Outcome};
use burnside_ir::{Layout, Model};

/// What exploring a model brought to light.
#[derive(Debug, Default)]
pub struct Exploration {
    /// All states, or as many as were allowed.
    pub states: HashSet<Vec<i64>>,
    /// The faults of rules and start states.
    pub faults: Vec<Fault>,
    /// Whether there are more states.
    pub cut: bool,
}

/// Visits the reachable states of a model, at most `max_states`; what faults leads nowhere.
pub fn explore(model: &Model, max_states: usize) -> Exploration {
    let layout = Layout::new(model).expect("random models are small");
    let mut interpreter =
        Interpreter::new(model, &layout, Limits { loop_rounds: 50, call_depth: 50, ..Limits::default() });
    let mut exploration = Exploration::default();
    let mut frontier = Vec::new();
    interpreter.starts(|_, _, outcome| exploration.note(outcome, &mut frontier));
    while let Some(state) = frontier.pop() {
        if exploration.states.len() > max_states {
            exploration.cut = true;
            break;
        }
        interpreter.passages(&state, |_, _, outcome, _| exploration.note(outcome, &mut frontier));
    }
    exploration
}

impl Exploration {
    fn note(&mut self, outcome: Outcome<'_>, frontier: &mut Vec<Vec<i64>>) -> ControlFlow<()> {
        match outcome {
            Outcome::Next(state) => {
                if self.states.insert(state.to_vec()) {
                    frontier.push(state.to_vec());
                }
            }
            Outcome::Pruned => {}
            Outcome::Fault(_, fault) => self.faults.push(*fault),
        }
        ControlFlow::Continue(())
    }
}
