//! All states of a model.

use std::collections::{BTreeSet, HashSet};

use super::created::Created;
use super::eval::Context;
use super::moves::{Successor, Turn};
use super::state::State;
use super::{Fault, Stop};
use crate::flow::{ActionId, Location};
use crate::load::Model;
use crate::typed::{ProcId, Program};

/// How far to go.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Most states to store.
    pub n_states: usize,
    /// Most steps to make, those inside `atomic` included.
    pub n_steps: u64,
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// States stored.
    pub n_states: u64,
    /// Arrivals at stored states, the first one included.
    pub n_transitions: u64,
    /// Everything that went wrong on the way.
    pub faults: BTreeSet<Fault>,
    /// Why the search ended early, if it did.
    pub stopped: Option<Stop>,
}

/// Visits all states of a model, within limits.
pub fn explore(model: &Model, limits: Limits) -> Report {
    let mut explorer = Explorer::new(model, limits);
    let stopped = explorer.run().err();
    let Explorer { faults, visited, n_transitions, .. } = explorer;
    Report { n_states: visited.len() as u64, n_transitions, faults, stopped }
}

pub(super) struct Explorer<'a> {
    pub(super) model: &'a Model,
    pub(super) program: &'a Program,
    pub(super) limits: Limits,
    pub(super) faults: BTreeSet<Fault>,
    visited: HashSet<Box<[u8]>>,
    n_transitions: u64,
    /// States still to expand.
    stack: Vec<Successor>,
    /// What came into being, if anybody wants to know.
    pub(super) created: Option<Created>,
    /// The statement that is executed.
    pub(super) doing: Option<(ProcId, ActionId)>,
}

impl<'a> Explorer<'a> {
    pub(super) fn new(model: &'a Model, limits: Limits) -> Self {
        Self {
            model,
            program: &model.program,
            limits,
            faults: BTreeSet::new(),
            visited: HashSet::new(),
            n_transitions: 0,
            stack: Vec::new(),
            created: None,
            doing: None,
        }
    }
}

impl Explorer<'_> {
    pub(super) fn fault(&mut self, fault: Fault) {
        self.faults.insert(fault);
    }

    fn run(&mut self) -> Result<(), Stop> {
        let first = self.first_state()?;
        self.arrive(first)?;
        let mut n_steps = 0_u64;
        while let Some(next) = self.stack.pop() {
            n_steps += 1;
            if n_steps > self.limits.n_steps {
                return Err(Stop::Limit);
            }
            match next.exclusive {
                Some(me) => self.go_on(next.state, me)?,
                None => self.expand(&next.state)?,
            }
        }
        Ok(())
    }

    pub(super) fn first_state(&mut self) -> Result<State, Stop> {
        let globals = &self.program.globals;
        let event = self.model.flow.trace.as_ref().map_or(Location(0), |trace| trace.start);
        let mut state =
            State { globals: vec![0; globals.slots.len()], procs: Vec::new(), chans: Vec::new(), last: 0, event };
        for init in &globals.inits {
            let value = self.first_value(&mut state, Context { me: 0, timeout: false }, init, None, None)?;
            state.globals[init.slot as usize] = globals.slots[init.slot as usize].scalar.store(value);
        }
        for start in &self.program.starts {
            self.start(&mut state, start.proc, &[], start.priority)?;
        }
        Ok(state)
    }

    /// A state that is stored: counted, and expanded if it is new.
    fn arrive(&mut self, state: State) -> Result<(), Stop> {
        self.n_transitions += 1;
        if self.visited.insert(self.key(&state)) {
            if self.visited.len() > self.limits.n_states {
                return Err(Stop::Limit);
            }
            self.stack.push(Successor { state, exclusive: None });
        }
        Ok(())
    }

    fn settle(&mut self, successors: Vec<Successor>) -> Result<(), Stop> {
        for successor in successors {
            match successor.exclusive {
                Some(_) => self.stack.push(successor),
                None => self.arrive(successor.state)?,
            }
        }
        Ok(())
    }

    /// A state inside an `atomic`: only its process moves, unless it blocks.
    fn go_on(&mut self, state: State, me: usize) -> Result<(), Stop> {
        let mut out = Vec::new();
        if self.moves_of(&state, me, Turn::default(), &mut out)? {
            return self.settle(out);
        }
        self.arrive(state)
    }

    fn expand(&mut self, state: &State) -> Result<(), Stop> {
        if state.procs.is_empty() {
            return Ok(());
        }
        for timeout in [false, true] {
            let mut out = Vec::new();
            let mut moved = false;
            for me in (0..state.procs.len()).rev() {
                moved |= self.moves_of(state, me, Turn { offered: None, timeout }, &mut out)?;
            }
            if moved {
                return self.settle(out);
            }
        }
        let rests =
            |process: &super::Process| self.model.flow.procs[process.proc.index()].nodes[process.at.index()].valid_end;
        if !state.procs.iter().all(rests) {
            self.fault(Fault::InvalidEndState);
        }
        Ok(())
    }
}
