//! The static channel diagram: which processes send to which channels and receive from which, as far as no step changes it
//! (Donaldson and Miller, *Automatic symmetry detection for model checking using computational group theory*).
//!
//! It shows the processes and channels that there are once `init` has started everything in one `atomic`, or those of the
//! first state; what comes into being later is not in it.

use std::collections::BTreeSet;

use crate::flow::Action;
use crate::load::Model;
use crate::reference::{Limits, Process, State, created};
use crate::typed::{Basic, Frame, Pattern, Place, ProcId, Scope, Target, VarId};

/// Processes, channels, and who uses what.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Diagram {
    /// The processes by their numbers: what each is called.
    pub processes: Vec<String>,
    /// The channels in the order in which they were made.
    pub channels: Vec<Pipe>,
    /// Each once, in order.
    pub uses: Vec<Use>,
    /// The processes that also use channels which a variable names that changes.
    pub open: Vec<usize>,
}

/// A channel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pipe {
    /// The variable it was made for.
    pub name: String,
    /// How many messages it holds; none for a rendezvous.
    pub capacity: u32,
}

/// A process that sends to a channel or receives from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Use {
    /// The process.
    pub process: usize,
    /// The channel.
    pub channel: usize,
    /// Whether it sends.
    pub sends: bool,
}

/// How long to look for the first step.
const LOOK: Limits = Limits { n_states: 100, n_steps: 10_000 };

impl Model {
    /// The static channel diagram.
    pub fn diagram(&self) -> Diagram {
        let Some(state) = created(self, LOOK).start else { return Diagram::default() };
        let changing = self.changing();
        let (mut uses, mut open) = (BTreeSet::new(), BTreeSet::new());
        for (number, process) in state.procs.iter().enumerate() {
            for step in &self.flow.procs[process.proc.index()].actions {
                let (chan, sends) = match &step.action {
                    Action::Basic(Basic::Send { chan, .. }) => (chan, true),
                    Action::Basic(Basic::Receive { chan, .. }) => (chan, false),
                    _ => continue,
                };
                let owner = (chan.scope == Scope::Local).then_some(process.proc);
                if changing.contains(&(owner, chan.var)) {
                    open.insert(number);
                    continue;
                }
                let channels = self.values(chan, process, &state).into_iter();
                let there = channels.filter_map(|value| usize::try_from(value - 1).ok());
                let there = there.filter(|channel| *channel < state.chans.len());
                uses.extend(there.map(|channel| Use { process: number, channel, sends }));
            }
        }
        let processes = state.procs.iter().enumerate();
        let named = |(number, process): (usize, &Process)| {
            format!("{}({number})", self.program.procs[process.proc.index()].name)
        };
        Diagram {
            processes: processes.map(named).collect(),
            channels: (0..state.chans.len()).map(|channel| self.pipe(channel, &state)).collect(),
            uses: uses.into_iter().collect(),
            open: open.into_iter().collect(),
        }
    }

    /// The variables that some statement gives a value.
    fn changing(&self) -> BTreeSet<(Option<ProcId>, VarId)> {
        let mut found = BTreeSet::new();
        for (index, automaton) in self.flow.procs.iter().enumerate() {
            let mut note = |target: &Target| {
                if let Target::Place(place) = target {
                    found.insert(((place.scope == Scope::Local).then_some(ProcId(index as u32)), place.var));
                }
            };
            for step in &automaton.actions {
                match &step.action {
                    Action::Basic(Basic::Assign(target, _)) => note(target),
                    Action::Basic(Basic::Receive { pattern, .. }) => {
                        let stores = pattern.iter().filter_map(|it| match it {
                            Pattern::Store(target) => Some(target),
                            Pattern::Match(_) => None,
                        });
                        stores.for_each(&mut note);
                    }
                    _ => {}
                }
            }
        }
        found
    }

    /// The channels that a place may name: one, or those of all elements where it has an index.
    fn values(&self, chan: &Place, process: &Process, state: &State) -> Vec<i32> {
        let (frame, slots) = match chan.scope {
            Scope::Local => (&self.program.procs[process.proc.index()].frame, &process.locals),
            Scope::Global => (&self.program.globals, &state.globals),
        };
        if chan.indices.is_empty() {
            return slots.get(chan.slot as usize).copied().into_iter().collect();
        }
        let var = &frame.vars[chan.var.index()];
        let last = var.slot + var.length.unwrap_or(1) * var.stride;
        let of_var = var.slot as usize..(last as usize).min(slots.len());
        let is_chan = |slot: &usize| frame.slots[*slot].scalar == chan.scalar;
        of_var.filter(is_chan).map(|slot| slots[slot]).collect()
    }

    fn pipe(&self, channel: usize, state: &State) -> Pipe {
        let made = &state.chans[channel];
        let capacity = self.program.chan_types[made.ty.index()].capacity;
        let (frame, slots, owner) = match made.owner.and_then(|owner| state.procs.get(owner).map(|it| (owner, it))) {
            Some((number, process)) => {
                let proc = &self.program.procs[process.proc.index()];
                (&proc.frame, &process.locals, format!("{}({number}).", proc.name))
            }
            None => (&self.program.globals, &state.globals, String::new()),
        };
        let slot = slots.iter().position(|&value| value == channel as i32 + 1);
        let name = slot.and_then(|slot| name_of(frame, slot, made.ty.index()));
        let name = name.unwrap_or_else(|| format!("#{}", channel + 1));
        Pipe { name: owner + &name, capacity }
    }
}

/// What a slot with a channel of some kind is called.
fn name_of(frame: &Frame, slot: usize, kind: usize) -> Option<String> {
    let var = frame.vars.iter().find(|var| {
        let n_slots = var.length.unwrap_or(1) * var.stride;
        (var.slot as usize..(var.slot + n_slots) as usize).contains(&slot)
    })?;
    var.chan.filter(|it| it.index() == kind)?;
    Some(match var.length {
        Some(_) => format!("{}[{}]", var.name, (slot as u32 - var.slot) / var.stride.max(1)),
        None => var.name.clone(),
    })
}

#[cfg(test)]
mod tests {
    use burnside_diag::FileId;

    use crate::{Options, load};

    #[test]
    fn processes_are_joined_with_their_channels() {
        let text = "
            chan box[2] = [1] of { byte }; chan up = [0] of { byte };
            proctype P(chan own) { byte x; own?x; up!x; own = up; }
            proctype Q(chan own; byte i) { own!1; box[i]!2 }
            init { atomic { run P(box[0]); run Q(box[1], 0) } }";
        let model = load(FileId(0), text, &Options::default(), &mut |_| Err(String::new())).model.expect("it is right");
        let diagram = model.diagram();
        assert_eq!(diagram.processes, ["init(0)", "P(1)", "Q(2)"]);
        let names: Vec<&str> = diagram.channels.iter().map(|it| it.name.as_str()).collect();
        assert_eq!(names, ["box[0]", "box[1]", "up"]);
        let uses: Vec<_> = diagram.uses.iter().map(|it| (it.process, it.channel, it.sends)).collect();
        assert_eq!(uses, [(1, 2, true), (2, 0, true), (2, 1, true)], "P changes its own");
        assert_eq!(diagram.open, [1]);
    }
}
