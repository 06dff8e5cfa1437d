//! Statements, and processes coming and going.

use super::channels::Receive;
use super::eval::Context;
use super::explore::Explorer;
use super::state::{Channel, Process, State};
use super::{Fault, Stop};
use crate::flow::{Action, ActionId, Automaton, Blocked, DStep, DetTarget, Guard};
use crate::typed::{Basic, ChanTypeId, InitValue, ProcId, SlotInit};

/// Longest run of one `d_step`.
const MAX_D_STEP: u32 = 1_000_000;

/// What came of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    /// It cannot be executed now; the state is as before.
    Blocked,
    Done,
    /// The first half of a handshake on this channel, by index.
    Offered(usize),
}

impl Explorer<'_> {
    /// Executes an action. `offered` is the channel on which a handshake waits for its second half, and `moved` whether an
    /// earlier move of the same choice was possible.
    pub(super) fn execute(
        &mut self,
        state: &mut State,
        context: Context,
        action: &Action,
        (offered, moved): (Option<usize>, bool),
    ) -> Result<Outcome, Stop> {
        let free = offered.is_none();
        Ok(match action {
            Action::Basic(basic) => self.basic(state, context, basic, offered)?,
            Action::DStep(d_step) => self.d_step(state, context, d_step, (offered, moved))?,
            Action::Jump if free => Outcome::Done,
            Action::Else if free && !moved => Outcome::Done,
            Action::Terminate if free && context.me + 1 == state.procs.len() => {
                state.procs.pop();
                state.chans.retain(|chan| chan.owner != Some(context.me));
                Outcome::Done
            }
            Action::Jump | Action::Else | Action::Terminate | Action::Structure => Outcome::Blocked,
        })
    }

    fn basic(
        &mut self,
        state: &mut State,
        context: Context,
        basic: &Basic,
        offered: Option<usize>,
    ) -> Result<Outcome, Stop> {
        if let Basic::Receive { chan, pattern, random, keep } = basic {
            let receive = Receive { chan, pattern, random: *random, keep: *keep };
            return self.receive(state, context, offered, &receive);
        }
        if offered.is_some() {
            return Ok(Outcome::Blocked);
        }
        match basic {
            Basic::Condition(expr) => {
                if self.eval(state, context, expr)? == 0 {
                    return Ok(Outcome::Blocked);
                }
            }
            Basic::Assign(target, value) => {
                let value = self.eval(state, context, value)?;
                self.store(state, context, target, value)?;
            }
            Basic::DeclareStruct(_) | Basic::Receive { .. } => {}
            Basic::Send { chan, args, sorted } => return self.send(state, context, chan, args, *sorted),
            Basic::Printf { args, .. } => {
                for arg in args {
                    self.eval(state, context, arg)?;
                }
            }
            Basic::Printm(value) => {
                self.eval(state, context, value)?;
            }
            Basic::Assert(expr) => {
                if self.eval(state, context, expr)? == 0 {
                    self.fault(Fault::Assertion);
                }
            }
            Basic::SetPriority(pid, priority) => {
                let (pid, priority) = (self.eval(state, context, pid)?, self.eval(state, context, priority)?);
                let priority =
                    u8::try_from(priority).ok().filter(|&priority| priority > 0).ok_or(Stop::PriorityRange)?;
                if let Some(process) = usize::try_from(pid).ok().and_then(|index| state.procs.get_mut(index)) {
                    process.priority = priority;
                }
            }
        }
        Ok(Outcome::Done)
    }

    fn d_step(
        &mut self,
        state: &mut State,
        context: Context,
        d_step: &DStep,
        (mut offered, moved): (Option<usize>, bool),
    ) -> Result<Outcome, Stop> {
        let proc = state.procs[context.me].proc;
        let automaton = &self.model.flow.procs[proc.index()];
        if !self.may_begin(state, context, d_step, automaton, (offered, moved))? {
            return Ok(Outcome::Blocked);
        }
        let mut at = d_step.start;
        for _ in 0..MAX_D_STEP {
            let DetTarget::Node(index) = at else { return Ok(Outcome::Done) };
            let node = d_step.nodes[index as usize];
            let outcome = match automaton.action(node.action) {
                Action::Else => Outcome::Done,
                action => self.execute(state, context, action, (offered, false))?,
            };
            at = match (outcome, node.blocked) {
                (Outcome::Done, _) => {
                    // A receive at the beginning completes the handshake.
                    if matches!(automaton.action(node.action), Action::Basic(Basic::Receive { .. })) {
                        offered = None;
                    }
                    node.next
                }
                (Outcome::Blocked, Blocked::Try(next)) => next,
                (Outcome::Blocked, Blocked::Statement | Blocked::Selection) => return Err(Stop::DStepBlocks),
                (Outcome::Offered(_), _) => return Err(Stop::RendezvousInDStep),
            };
        }
        Err(Stop::DStepEndless)
    }

    fn may_begin(
        &mut self,
        state: &State,
        context: Context,
        d_step: &DStep,
        automaton: &Automaton,
        (offered, moved): (Option<usize>, bool),
    ) -> Result<bool, Stop> {
        if d_step.guards.is_empty() {
            return Ok(offered.is_none());
        }
        for guard in &d_step.guards {
            let holds = match guard {
                Guard::Always => offered.is_none(),
                Guard::OuterElse => offered.is_none() && !moved,
                Guard::Statement(action) => self.could(state, context, automaton, *action, offered)?,
            };
            if holds {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether a statement could be executed, without executing it.
    fn could(
        &mut self,
        state: &State,
        context: Context,
        automaton: &Automaton,
        action: ActionId,
        offered: Option<usize>,
    ) -> Result<bool, Stop> {
        let outcome = self.execute(&mut state.clone(), context, automaton.action(action), (offered, false))?;
        Ok(outcome != Outcome::Blocked)
    }

    /// Whether some move of a process is possible, as `enabled` and priorities ask.
    pub(super) fn enabled(&mut self, state: &State, index: usize) -> Result<bool, Stop> {
        let process = &state.procs[index];
        let automaton = &self.model.flow.procs[process.proc.index()];
        let context = Context { me: index, timeout: false };
        for step in automaton.moves(process.at) {
            if self.could(state, context, automaton, step.action, None)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// A new process; its number.
    pub(super) fn start(&mut self, state: &mut State, proc: ProcId, args: &[i32], priority: u8) -> Result<i32, Stop> {
        let index = state.procs.len();
        if index >= 255 {
            return Err(Stop::TooManyProcesses);
        }
        let model = self.model;
        let frame = &model.program.procs[proc.index()].frame;
        let mut locals = vec![0; frame.slots.len()];
        for (slot, (local, &arg)) in frame.slots.iter().zip(locals.iter_mut().zip(args)) {
            *local = slot.scalar.store(arg);
        }
        self.note_process(index, proc, &locals);
        let at = model.flow.procs[proc.index()].start;
        state.procs.push(Process { proc, at, pid: index as i32, priority, locals });
        let context = Context { me: index, timeout: false };
        for init in &frame.inits {
            let value = self.first_value(state, context, init, Some(index), Some(proc))?;
            state.procs[index].locals[init.slot as usize] = frame.slots[init.slot as usize].scalar.store(value);
        }
        Ok(index as i32)
    }

    fn note_process(&mut self, index: usize, proc: ProcId, locals: &[i32]) {
        let n_params = self.program.procs[proc.index()].n_params as usize;
        let doing = self.doing;
        let Some(created) = &mut self.created else { return };
        created.procs.resize_with(created.procs.len().max(index + 1), Default::default);
        created.procs[index].insert(proc);
        for (slot, &value) in locals.iter().enumerate().take(n_params) {
            created.args.entry((proc, slot)).or_default().insert(value);
        }
        if let Some(statement) = doing {
            created.runs.entry(statement).or_default().insert(index);
        }
    }

    fn note_channel(&mut self, index: usize, ty: ChanTypeId, (proc, slot): (Option<ProcId>, u32)) {
        let Some(created) = &mut self.created else { return };
        created.chans.resize_with(created.chans.len().max(index + 1), Default::default);
        created.chans[index].insert(ty);
        created.made.entry((proc, slot)).or_default().insert(index);
    }

    pub(super) fn first_value(
        &mut self,
        state: &mut State,
        context: Context,
        init: &SlotInit,
        owner: Option<usize>,
        proc: Option<ProcId>,
    ) -> Result<i32, Stop> {
        match &init.value {
            InitValue::Expr(expr) => self.eval(state, context, expr),
            InitValue::NewChan(ty) => {
                if state.chans.len() >= 255 {
                    return Err(Stop::TooManyChannels);
                }
                self.note_channel(state.chans.len(), *ty, (proc, init.slot));
                state.chans.push(Channel { ty: *ty, owner, messages: Vec::new() });
                Ok(state.chans.len() as i32)
            }
        }
    }
}
