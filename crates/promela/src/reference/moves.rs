//! Who may move, and what comes of it.

use super::Stop;
use super::eval::Context;
use super::exec::Outcome;
use super::explore::Explorer;
use super::state::State;

/// A state one move away.
pub(super) struct Successor {
    pub(super) state: State,
    /// The process that goes on exclusively, by index.
    pub(super) exclusive: Option<usize>,
}

/// When a process tries to move.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Turn {
    /// The channel on which a handshake waits for its second half.
    pub(super) offered: Option<usize>,
    pub(super) timeout: bool,
}

impl Explorer<'_> {
    /// All moves of one process; the answer is whether there was any.
    pub(super) fn moves_of(
        &mut self,
        state: &State,
        me: usize,
        turn: Turn,
        out: &mut Vec<Successor>,
    ) -> Result<bool, Stop> {
        let context = Context { me, timeout: turn.timeout };
        if !self.is_provided(state, context)? || !self.has_priority(state, context)? {
            return Ok(false);
        }
        let process = &state.procs[me];
        let automaton = &self.model.flow.procs[process.proc.index()];
        let mut moved = false;
        let mut escape = None;
        for step in automaton.moves(process.at) {
            if escape.is_some() && escape != step.escape {
                break;
            }
            let mut next = state.clone();
            let action = automaton.action(step.action);
            self.doing = Some((process.proc, step.action));
            let outcome = self.execute(&mut next, context, action, (turn.offered, moved))?;
            if outcome == Outcome::Blocked {
                continue;
            }
            if let (Some(to), Some(process)) = (step.to, next.procs.get_mut(me)) {
                process.at = to;
            }
            next.last = me as u8;
            let possible = match outcome {
                Outcome::Offered(chan) => self.partners(&next, me, chan, out)?,
                Outcome::Blocked | Outcome::Done => {
                    out.push(Successor { state: next, exclusive: step.atomic.then_some(me) });
                    true
                }
            };
            // A handshake without a partner has not happened, whatever it escaped from.
            if possible {
                moved = true;
                escape = step.escape;
            } else {
                escape = None;
            }
        }
        Ok(moved)
    }

    /// The second halves of a handshake. Whoever receives has control afterwards.
    fn partners(&mut self, state: &State, sender: usize, chan: usize, out: &mut Vec<Successor>) -> Result<bool, Stop> {
        let mut found = false;
        for receiver in (0..state.procs.len()).rev().filter(|&receiver| receiver != sender) {
            found |= self.moves_of(state, receiver, Turn { offered: Some(chan), timeout: false }, out)?;
        }
        Ok(found)
    }

    fn is_provided(&mut self, state: &State, context: Context) -> Result<bool, Stop> {
        let program = self.program;
        match &program.procs[state.procs[context.me].proc.index()].provided {
            Some(condition) => Ok(self.eval(&mut state.clone(), context, condition)? != 0),
            None => Ok(true),
        }
    }

    /// Whether no process of higher priority can move.
    fn has_priority(&mut self, state: &State, context: Context) -> Result<bool, Stop> {
        if !self.program.uses_priority {
            return Ok(true);
        }
        let own = state.procs[context.me].priority;
        for other in 0..state.procs.len() {
            let higher = other != context.me && state.procs[other].priority > own;
            if higher && self.is_provided(state, Context { me: other, ..context })? && self.enabled(state, other)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
