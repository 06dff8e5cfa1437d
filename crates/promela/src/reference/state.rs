//! States.

use crate::flow::Location;
use crate::typed::{ChanTypeId, ProcId};

use super::explore::Explorer;

/// Everything that can change.
#[derive(Debug, Clone)]
pub struct State {
    /// Slots of the global frame.
    pub globals: Vec<i32>,
    /// Processes by number; the youngest is last.
    pub procs: Vec<Process>,
    /// Channels; the value of a channel variable is one more than its index here.
    pub chans: Vec<Channel>,
    /// Who moved last.
    pub last: u8,
    /// Where the `trace` stands.
    pub event: Location,
}

/// A process.
#[derive(Debug, Clone)]
pub struct Process {
    /// Its type.
    pub proc: ProcId,
    /// Where it stands.
    pub at: Location,
    /// The value of `_pid`: its number, unless it received another. Not part of the state.
    pub pid: i32,
    /// Its priority.
    pub priority: u8,
    /// Slots of its frame.
    pub locals: Vec<i32>,
}

/// A channel.
#[derive(Debug, Clone)]
pub struct Channel {
    /// Its kind.
    pub ty: ChanTypeId,
    /// The process it dies with, by index; none for a global one.
    pub owner: Option<usize>,
    /// Messages, the oldest first.
    pub messages: Vec<Vec<i32>>,
}

impl Explorer<'_> {
    /// The part of a state that tells it from others.
    pub(super) fn key(&self, state: &State) -> Box<[u8]> {
        let mut key = Vec::with_capacity(64);
        let mut put = |value: i32| match u8::try_from(value) {
            Ok(small @ 0..=253) => key.push(small),
            _ => {
                key.push(254);
                key.extend_from_slice(&value.to_le_bytes());
            }
        };
        for (slot, &value) in self.program.globals.slots.iter().zip(&state.globals) {
            if slot.in_state {
                put(value);
            }
        }
        put(state.procs.len() as i32);
        for process in &state.procs {
            put(process.proc.0 as i32);
            put(process.at.0 as i32);
            if self.program.uses_priority {
                put(i32::from(process.priority));
            }
            process.locals.iter().for_each(|&value| put(value));
        }
        for channel in &state.chans {
            put(channel.ty.0 as i32);
            put(channel.owner.map_or(-1, |owner| owner as i32));
            put(channel.messages.len() as i32);
            channel.messages.iter().flatten().for_each(|&value| put(value));
        }
        if self.program.uses_last {
            put(i32::from(state.last));
        }
        if self.model.flow.trace.is_some() {
            put(state.event.0 as i32);
        }
        key.into_boxed_slice()
    }
}
