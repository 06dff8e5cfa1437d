//! One meaning of objects: the reference interpreter of the core, by which the explorers are tested, and the table of
//! objects inside tested programs, which decides who blocks there, are compared on random operations.
//!
//! Operations are drawn as the hooks let them through: nobody unlocks what he does not hold, waits at a condition twice or
//! leaves a barrier he is not at, which end an execution as misuse before the table is asked. Semaphores stay below their
//! greatest value, at which the core's have no limit and a search is inconclusive. What a signal returns is not told to
//! programs; a wake of a futex, which tells, is an operation of a kind that is swapped with nothing.

use std::collections::BTreeMap;

use burnside_stateless::{Kind, ObjId, Object, Op, ThreadId, World};

#[allow(dead_code, reason = "the hooks use the rest of it")]
#[allow(unreachable_pub, reason = "it is a part of another crate")]
#[path = "../../preload/src/objects.rs"]
mod objects;

/// What the table asks of the system.
mod sys {
    pub(crate) fn is_any_ready(_: &[libc::pollfd]) -> bool {
        false
    }
}

use objects::{Objects, Outcome};

const MUTEXES: [ObjId; 2] = [ObjId(8), ObjId(16)];
const RW: ObjId = ObjId(24);
const CONDITION: ObjId = ObjId(32);
const SEMAPHORE: ObjId = ObjId(40);
const SYSV: ObjId = ObjId(48);
const BARRIER: ObjId = ObjId(56);
const ONCE: ObjId = ObjId(64);
const N_THREADS: u32 = 4;

/// What a thread has to finish before it can do anything else, or may finish.
#[derive(Clone, Copy, Default)]
struct Thread {
    waits_with: Option<ObjId>,
    at_barrier: Option<u64>,
    is_initialising: bool,
    n_reads: u32,
    writes: bool,
    is_finished: bool,
}

struct Comparison {
    world: World,
    objects: Objects,
    threads: [Thread; N_THREADS as usize],
    random: u64,
    executed: BTreeMap<Kind, u32>,
}

impl Comparison {
    fn new(seed: u64) -> Comparison {
        let mut new = Comparison {
            world: World::new(),
            objects: Objects::default(),
            threads: [Thread::default(); N_THREADS as usize],
            random: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1,
            executed: BTreeMap::new(),
        };
        let size = 2 + new.below(2) as u32;
        new.world.add(BARRIER, Object::Barrier { size, n_arrived: 0 });
        new.objects.set_barrier(BARRIER, size.into());
        for semaphore in [SEMAPHORE, SYSV] {
            let value = new.below(3) as u64;
            new.world.add(semaphore, Object::Sem(value));
            new.objects.set_semaphore(semaphore, value);
        }
        new
    }

    fn below(&mut self, n: usize) -> usize {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        (self.random >> 33) as usize % n
    }

    /// What `thread` might be about to do.
    fn candidates(&self, thread: ThreadId) -> Vec<Op> {
        let known = &self.threads[thread.index()];
        if known.is_finished {
            return vec![Op::NONE];
        }
        if let Some(mutex) = known.waits_with {
            return [Kind::CondWake, Kind::CondTimedWake].map(|kind| Op::on_two(kind, CONDITION, mutex)).into();
        }
        if let Some(round) = known.at_barrier {
            return vec![Op::with(Kind::BarrierLeave, BARRIER, round)];
        }
        let mut all = vec![
            Op::on_two(Kind::CondWait, CONDITION, ObjId::NONE),
            Op::on(Kind::CondSignal, CONDITION),
            Op::on(Kind::CondBroadcast, CONDITION),
            self.objects.arrival(BARRIER),
            Op::on(Kind::SysvZero, SYSV),
        ];
        for mutex in MUTEXES {
            let kinds = [Kind::MutexLock, Kind::MutexTryLock, Kind::MutexTimedLock];
            all.extend(kinds.map(|kind| Op::on(kind, mutex)));
            if self.world.get(mutex) == Some(&Object::Mutex(Some(thread))) {
                all.extend([Op::on(Kind::MutexUnlock, mutex), Op::on_two(Kind::CondWait, CONDITION, mutex)]);
            }
        }
        all.extend([Kind::RwRead, Kind::RwTryRead, Kind::RwWrite, Kind::RwTryWrite].map(|kind| Op::on(kind, RW)));
        all.extend((known.n_reads > 0).then_some(Op::on(Kind::RwReadUnlock, RW)));
        all.extend(known.writes.then_some(Op::on(Kind::RwWriteUnlock, RW)));
        let kinds = [Kind::SemWait, Kind::SemTryWait, Kind::SemPost, Kind::SemValue];
        all.extend(kinds.map(|kind| Op::on(kind, SEMAPHORE)));
        for count in 1..=2 {
            let kinds = [Kind::SysvWait, Kind::SysvPost, Kind::SysvSet, Kind::SysvTry];
            all.extend(kinds.map(|kind| Op::with(kind, SYSV, count)));
        }
        match known.is_initialising {
            true => all.extend([0, 1].map(|failed| Op::with(Kind::OnceLeave, ONCE, failed))),
            false => all.push(Op::on(Kind::OnceEnter, ONCE)),
        }
        let others = (0..N_THREADS).map(ThreadId).filter(|other| *other != thread);
        all.extend(others.flat_map(|other| [Kind::Join, Kind::Finished].map(|kind| Op::thread(kind, other))));
        all
    }

    /// Tells the table what the next operation on several System V semaphores consists of.
    fn plan(&mut self, thread: ThreadId, op: &Op) {
        let change = match op.kind {
            Kind::SysvTry => -(op.arg as i64),
            // A change by nothing is a wait for zero, which setting a value is not.
            Kind::SysvSet if self.objects.semaphore(SYSV) != op.arg => {
                op.arg as i64 - self.objects.semaphore(SYSV) as i64
            }
            Kind::SysvSet => return self.objects.plan_together(thread, Vec::new()),
            _ => return,
        };
        self.objects.plan_together(thread, vec![(SYSV, change)]);
    }

    /// Compares what everybody could do now.
    fn compare(&mut self, context: &str) {
        for thread in (0..N_THREADS).map(ThreadId) {
            for op in self.candidates(thread) {
                self.plan(thread, &op);
                let (reference, table) = (self.world.enabled(thread, &op), self.objects.enabled(thread, &op));
                assert_eq!(reference, table, "thread {thread} could execute {op}, {context}");
                assert_eq!(self.world.surplus(&op), self.objects.surplus(&op), "{op}, {context}");
                assert_eq!(self.world.label(&op), op, "{context}");
            }
        }
    }

    /// Executes a random operation by both.
    fn step(&mut self, context: &str) {
        let thread = ThreadId(self.below(N_THREADS as usize) as u32);
        let candidates = self.candidates(thread);
        let op = candidates[self.below(candidates.len())];
        if !self.world.enabled(thread, &op) {
            if self.below(100) == 0 && self.threads[thread.index()].may_end() {
                self.world.finish(thread);
                self.objects.finish(thread);
                self.threads[thread.index()].is_finished = true;
            }
            return;
        }
        self.plan(thread, &op);
        let reference = self.world.execute(thread, &op);
        let outcome = self.objects.apply(thread, &op);
        if let Some(table) = told(&op, outcome) {
            assert_eq!(reference, table, "{op} of thread {thread}, {context}");
        }
        self.threads[thread.index()].note(&op, reference);
        *self.executed.entry(op.kind).or_default() += 1;
    }
}

impl Thread {
    fn may_end(&self) -> bool {
        self.waits_with.is_none() && self.at_barrier.is_none() && !self.is_initialising
    }

    /// Takes note of what `op` told.
    fn note(&mut self, op: &Op, told: u64) {
        match op.kind {
            Kind::CondWait => self.waits_with = Some(op.obj2),
            Kind::CondWake | Kind::CondTimedWake => self.waits_with = None,
            Kind::BarrierArrive if told.is_multiple_of(2) => self.at_barrier = Some(told / 2),
            Kind::BarrierLeave => self.at_barrier = None,
            Kind::OnceEnter => self.is_initialising = told == 1,
            Kind::OnceLeave => self.is_initialising = false,
            Kind::RwRead | Kind::RwTryRead => self.n_reads += told as u32,
            Kind::RwReadUnlock => self.n_reads -= 1,
            Kind::RwWrite | Kind::RwTryWrite => self.writes |= told == 1,
            Kind::RwWriteUnlock => self.writes = false,
            _ => {}
        }
    }
}

/// What the table told, as the reference says it; `None` where nobody is told.
fn told(op: &Op, outcome: Outcome) -> Option<u64> {
    Some(match (op.kind, outcome) {
        (Kind::CondSignal | Kind::CondBroadcast, _) => return None,
        (Kind::BarrierArrive, Outcome::Value(round)) => 2 * round,
        (Kind::BarrierArrive, Outcome::Chosen) => 2 * op.round() + 1,
        (Kind::OnceEnter, outcome) => u64::from(outcome == Outcome::Chosen),
        (_, Outcome::Value(value)) => value,
        (Kind::CondWait | Kind::SysvWait | Kind::SysvPost | Kind::SysvZero, Outcome::Done) => 0,
        (Kind::SysvSet | Kind::BarrierLeave | Kind::Join, Outcome::Done) => 0,
        (_, Outcome::Done) => 1,
        (_, Outcome::Refused) => 0,
        (kind, outcome) => panic!("{kind:?} told {outcome:?}"),
    })
}

#[test]
fn objects_inside_programs_mean_what_the_core_says() {
    let mut executed: BTreeMap<Kind, u32> = BTreeMap::new();
    let n_sequences = std::env::var("BURNSIDE_FUZZ").ok().and_then(|n| n.parse().ok()).unwrap_or(1_000);
    for seed in 1..=n_sequences {
        let mut comparison = Comparison::new(seed);
        for step in 0..80 {
            let context = format!("sequence {seed}, step {step}");
            comparison.compare(&context);
            comparison.step(&context);
        }
        for (kind, n) in comparison.executed {
            *executed.entry(kind).or_default() += n;
        }
    }
    assert_eq!(executed.len(), 30, "{executed:?}");
    assert!(executed.values().all(|n| u64::from(*n) > n_sequences / 20), "{executed:?}");
}
