//! Programs as data: the smallest subject, for tests, examples and the paper's experiments.
//!
//! A thread is a list of instructions over the objects of a [`World`]; all threads exist from the start, as the
//! processes of the paper do. What each thread learned and the final cells make up the outcome of a run.

use crate::cursor::{Cursor, Step};
use crate::explorer::Subject;
use crate::op::{Kind, ObjId, Op, ThreadId};
use crate::set::ThreadSet;
use crate::trace::{End, Failure, FailureKind, Trace};
use crate::world::{Object, World};

/// One instruction of a thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Instr {
    /// Executes a visible operation and remembers what it returned.
    Do(Op),
    /// Arrives at a barrier and leaves with the rest of the round.
    Meet(ObjId),
    /// Skips the next `n` instructions unless the last operation returned `value`.
    Unless(u64, usize),
    /// Fails the run unless the last operation returned `value`.
    Check(u64),
}

/// A closed program.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Program {
    /// The objects that do not start in their default state.
    pub objects: Vec<(ObjId, Object)>,
    /// The threads.
    pub threads: Vec<Vec<Instr>>,
}

/// What can be observed of a run: how it ended, what each thread saw, what the cells hold.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Outcome {
    /// The word of the end.
    pub end: &'static str,
    /// Per thread, where it stopped and what its operations returned.
    pub seen: Vec<(usize, Vec<u64>)>,
    /// The final values of the cells.
    pub cells: Vec<(ObjId, u64)>,
}

/// Runs a [`Program`] as a [`Subject`].
#[derive(Clone, Debug)]
pub struct Model {
    program: Program,
    threads: Vec<Thread>,
    world: World,
    failure: Option<Failure>,
}

#[derive(Clone, Debug, Default)]
struct Thread {
    at: usize,
    /// The second half of an instruction that takes two transitions.
    leaving: Option<Op>,
    seen: Vec<u64>,
}

impl Model {
    /// A subject for `program`.
    #[must_use]
    pub fn new(program: Program) -> Self {
        Self { program, threads: Vec::new(), world: World::new(), failure: None }
    }

    /// The outcome of the last run.
    #[must_use]
    pub fn outcome(&self, trace: &Trace) -> Outcome {
        let mut cells: Vec<(ObjId, u64)> = trace
            .objects()
            .into_iter()
            .filter_map(|obj| match self.world.get(obj) {
                Some(Object::Cell(value)) => Some((obj, *value)),
                _ => None,
            })
            .collect();
        cells.sort_unstable();
        Outcome {
            end: trace.end.as_ref().map_or("running", End::word),
            seen: self.threads.iter().map(|thread| (thread.at, thread.seen.clone())).collect(),
            cells,
        }
    }

    fn reset(&mut self, cursor: &mut Cursor) {
        self.world.clear();
        for (obj, object) in &self.program.objects {
            self.world.add(*obj, object.clone());
        }
        self.failure = None;
        self.threads = vec![Thread::default(); self.program.threads.len()];
        for thread in 1..self.threads.len() {
            let name = cursor.born(ThreadId::MAIN);
            assert_eq!(name.index(), thread, "all threads of a model are born before the first transition");
        }
        for thread in 0..self.threads.len() {
            self.settle(ThreadId::from(thread));
        }
    }

    /// Runs a thread up to its next visible operation.
    fn settle(&mut self, thread: ThreadId) {
        let code = &self.program.threads[thread.index()];
        let state = &mut self.threads[thread.index()];
        let last = state.seen.last().copied().unwrap_or(0);
        while let Some(instr) = code.get(state.at) {
            match instr {
                Instr::Do(_) | Instr::Meet(_) => return,
                Instr::Unless(value, n) => state.at += if last == *value { 1 } else { 1 + n },
                Instr::Check(value) if last == *value => state.at += 1,
                Instr::Check(value) => {
                    let message = format!("expected {value}, found {last}");
                    self.failure.get_or_insert(Failure { kind: FailureKind::Assertion, thread, message });
                    state.at = code.len();
                }
            }
        }
        self.world.finish(thread);
    }

    fn pending(&self, thread: usize) -> Op {
        let state = &self.threads[thread];
        if let Some(op) = state.leaving {
            return op;
        }
        match self.program.threads[thread].get(state.at) {
            Some(Instr::Do(op)) => self.world.label(op),
            Some(Instr::Meet(barrier)) => self.world.label(&Op::on(Kind::BarrierArrive, *barrier)),
            _ => Op::NONE,
        }
    }

    fn execute(&mut self, thread: ThreadId, choice: u32, op: &Op) {
        let learned = self.world.execute(thread, op);
        let state = &mut self.threads[thread.index()];
        match op.kind {
            Kind::BarrierArrive => {
                state.seen.push(learned % 2);
                state.leaving = Some(Op::with(Kind::BarrierLeave, op.obj, learned / 2));
                return;
            }
            Kind::BarrierLeave => state.leaving = None,
            Kind::Choose => state.seen.push(u64::from(choice)),
            _ => state.seen.push(learned),
        }
        state.at += 1;
        self.settle(thread);
    }

    fn quiet_end(&self, pending: &[Op]) -> End {
        match &self.failure {
            Some(failure) => End::Failed(failure.clone()),
            None if pending.iter().all(|op| *op == Op::NONE) => End::Completed,
            None => End::Deadlock,
        }
    }
}

impl Subject for Model {
    /// A thread that fails a check stops; the others go on, so that every run is maximal.
    fn run(&mut self, mut cursor: Cursor) -> Trace {
        self.reset(&mut cursor);
        let mut current = ThreadId::MAIN;
        loop {
            let pending: Vec<Op> = (0..self.threads.len()).map(|thread| self.pending(thread)).collect();
            let enabled: ThreadSet = (0..pending.len())
                .map(ThreadId::from)
                .filter(|thread| self.world.enabled(*thread, &pending[thread.index()]))
                .collect();
            if enabled.is_empty() {
                let end = self.quiet_end(&pending);
                return cursor.finish(end, &pending);
            }
            match cursor.next(current, &enabled, &pending) {
                Step::Cut(cut) => return cursor.finish(End::Cut(cut), &pending),
                Step::Run(pick) => {
                    current = pick.thread;
                    let op = pending[pick.thread.index()];
                    cursor.remark(self.world.surplus(&op));
                    self.execute(pick.thread, pick.choice, &op);
                }
            }
        }
    }
}
