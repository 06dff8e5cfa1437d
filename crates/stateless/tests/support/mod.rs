//! Random small programs and what can be said about all their runs.

use burnside_stateless::{
    Chan, Explorer, Family, Instr, Kind, Model, ObjId, Object, Op, Outcome, Program, Search, Stats, Subject, ThreadId,
    Trace, dependent,
};
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// Which symmetry a generated program has by construction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Form {
    /// Every thread is its own.
    Asymmetric,
    /// All threads run the same code, on shared objects and their own.
    Interchange,
    /// All threads run the same code, on shared objects, their own and their neighbour's.
    Ring,
}

/// Which of the objects of one sort a block uses.
#[derive(Clone, Copy)]
enum Whose {
    Shared(u64),
    Own,
    Next,
}

/// A piece of code that can be written out for any thread.
enum Block {
    One(Kind, Whose, u64),
    OnThread(Kind, Whose),
    Locked(Kind, Kind, Whose, Vec<Block>),
    Attempt(Kind, Kind, Whose, Vec<Block>),
    Wait(Kind, Whose),
    If(u64, Vec<Block>),
    Meet,
    Choose,
}

/// A generated program with its symmetry, if it has one.
pub(crate) struct Generated {
    pub(crate) program: Program,
    pub(crate) family: Option<Family>,
}

const N_SHARED: u64 = 2;

/// Objects of different sorts never share a name.
fn name(sort: u64, whose: Whose, thread: usize, n: usize) -> ObjId {
    let within = match whose {
        Whose::Shared(index) => index,
        Whose::Own => N_SHARED + thread as u64,
        Whose::Next => N_SHARED + ((thread + 1) % n) as u64,
    };
    ObjId::at(1 + sort * 100 + within)
}

fn sort_of(kind: Kind) -> u64 {
    use Kind as K;
    match kind {
        K::MutexLock | K::MutexTryLock | K::MutexTimedLock | K::MutexUnlock => 0,
        K::RwRead | K::RwTryRead | K::RwWrite | K::RwTryWrite | K::RwReadUnlock | K::RwWriteUnlock => 1,
        K::CondWait | K::CondWake | K::CondTimedWake | K::CondSignal | K::CondBroadcast => 2,
        K::SemWait | K::SemTryWait | K::SemPost | K::SemValue => 3,
        K::BarrierArrive => 4,
        K::OnceEnter | K::OnceLeave | K::OncePeek => 5,
        K::Read | K::Write | K::Rmw => 6,
        K::SysvWait | K::SysvPost | K::SysvZero | K::SysvTry => 7,
        _ => 8,
    }
}

struct Generator {
    random: fastrand::Rng,
    form: Form,
}

impl Generator {
    fn whose(&mut self) -> Whose {
        match (self.form, self.random.u32(..10)) {
            (Form::Ring, 0..4) => Whose::Own,
            (Form::Ring, 4..8) => Whose::Next,
            (Form::Interchange, 0..2) => Whose::Own,
            (Form::Asymmetric, 0..1) => Whose::Own,
            (_, r) => Whose::Shared(u64::from(r % 2)),
        }
    }

    fn blocks(&mut self, n: usize, depth: u32) -> Vec<Block> {
        (0..n).map(|_| self.block(depth)).collect()
    }

    fn block(&mut self, depth: u32) -> Block {
        use Kind as K;
        let whose = self.whose();
        let n = self.random.usize(0..2);
        let nested = if depth < 2 { self.random.u32(..20) } else { 99 };
        match nested {
            0..=3 => Block::Locked(K::MutexLock, K::MutexUnlock, whose, self.blocks(n, depth + 1)),
            4 => Block::Locked(K::RwRead, K::RwReadUnlock, whose, self.blocks(n, depth + 1)),
            5 => Block::Locked(K::RwWrite, K::RwWriteUnlock, whose, self.blocks(n, depth + 1)),
            6 => Block::Attempt(K::MutexTryLock, K::MutexUnlock, whose, self.blocks(n, depth + 1)),
            10 => Block::Attempt(K::MutexTimedLock, K::MutexUnlock, whose, self.blocks(n, depth + 1)),
            11 => Block::Attempt(K::RwTryRead, K::RwReadUnlock, whose, self.blocks(n, depth + 1)),
            7 => Block::Attempt(K::RwTryWrite, K::RwWriteUnlock, whose, self.blocks(n, depth + 1)),
            8 => Block::Attempt(K::OnceEnter, K::OnceLeave, whose, self.blocks(n, depth + 1)),
            9 => Block::If(self.random.u64(..2), self.blocks(1, depth + 1)),
            _ => self.flat(whose),
        }
    }

    fn flat(&mut self, whose: Whose) -> Block {
        use Kind as K;
        match self.random.u32(..32) {
            0..=3 => Block::One(K::Read, whose, 0),
            4..=6 => Block::One(K::Write, whose, self.random.u64(1..3)),
            7 => Block::One(K::Rmw, whose, 1),
            8..=9 => Block::One(K::SemWait, whose, 0),
            10..=11 => Block::One(K::SemPost, whose, 0),
            12 => Block::One(K::SemTryWait, whose, 0),
            13 => Block::Wait(K::CondWake, whose),
            14 => Block::Wait(K::CondTimedWake, whose),
            15..=16 => Block::One(K::CondSignal, whose, 0),
            17 => Block::One(K::CondBroadcast, whose, 0),
            18 | 30 => Block::Meet,
            19 => Block::Choose,
            20 => Block::One(K::OncePeek, whose, 0),
            21 => Block::OnThread(K::Park, Whose::Own),
            22 if self.form == Form::Ring => Block::OnThread(K::Unpark, Whose::Next),
            23 if self.form == Form::Ring => Block::OnThread(K::Finished, Whose::Next),
            24 => Block::One(K::SysvPost, whose, self.random.u64(1..3)),
            25 => Block::One(K::SysvWait, whose, self.random.u64(1..3)),
            26 => Block::One(K::SysvTry, whose, self.random.u64(..3)),
            27 => Block::One(K::SysvZero, whose, 0),
            28 => Block::One(K::SemTryWait, whose, 0),
            29 => Block::OnThread(K::ParkTimeout, Whose::Own),
            _ => Block::One(K::SemValue, whose, 0),
        }
    }
}

struct Writer {
    thread: usize,
    n: usize,
    code: Vec<Instr>,
}

impl Writer {
    fn op(&mut self, kind: Kind, whose: Whose, arg: u64) {
        let obj = name(sort_of(kind), whose, self.thread, self.n);
        let obj2 = match kind {
            Kind::CondWait | Kind::CondWake | Kind::CondTimedWake => name(0, Whose::Shared(0), 0, 1),
            Kind::SysvWait | Kind::SysvPost | Kind::SysvZero | Kind::SysvTry => ObjId::at(999),
            _ => ObjId::NONE,
        };
        self.code.push(Instr::Do(Op { kind, obj, obj2, arg }));
    }

    fn blocks(&mut self, blocks: &[Block]) {
        for block in blocks {
            self.block(block);
        }
    }

    fn guarded(&mut self, value: u64, body: impl FnOnce(&mut Self)) {
        let at = self.code.len();
        self.code.push(Instr::Unless(value, 0));
        body(self);
        self.code[at] = Instr::Unless(value, self.code.len() - at - 1);
    }

    fn block(&mut self, block: &Block) {
        match block {
            Block::One(kind, whose, arg) => self.op(*kind, *whose, *arg),
            Block::OnThread(kind, whose) => {
                let target = if matches!(whose, Whose::Next) { (self.thread + 1) % self.n } else { self.thread };
                self.code.push(Instr::Do(Op::thread(*kind, ThreadId::from(target))));
            }
            Block::Locked(lock, unlock, whose, inner) => {
                self.op(*lock, *whose, 0);
                self.blocks(inner);
                self.op(*unlock, *whose, 0);
            }
            Block::Attempt(lock, unlock, whose, inner) => {
                self.op(*lock, *whose, 0);
                self.guarded(1, |writer| {
                    writer.blocks(inner);
                    writer.op(*unlock, *whose, 0);
                });
            }
            Block::Wait(wake, whose) => {
                self.op(Kind::MutexLock, Whose::Shared(0), 0);
                self.op(Kind::CondWait, *whose, 0);
                self.op(*wake, *whose, 0);
                self.op(Kind::MutexUnlock, Whose::Shared(0), 0);
            }
            Block::If(value, inner) => self.guarded(*value, |writer| writer.blocks(inner)),
            Block::Meet => self.code.push(Instr::Meet(name(4, Whose::Shared(0), 0, 1))),
            Block::Choose => self.code.push(Instr::Do(Op::with(Kind::Choose, ObjId::NONE, 2))),
        }
    }
}

/// A program of `n` threads, small enough to look at every interleaving.
pub(crate) fn generate(seed: u64, form: Form) -> Generated {
    let mut generator = Generator { random: fastrand::Rng::with_seed(seed), form };
    let n = generator.random.usize(2..=if form == Form::Asymmetric { 3 } else { 4 });
    let n_blocks = generator.random.usize(1..=[0, 0, 3, 2, 1][n]);
    let template = generator.blocks(n_blocks, 0);
    let mut threads = Vec::new();
    for thread in 0..n {
        let own = if form == Form::Asymmetric { Some(generator.blocks(n_blocks, 0)) } else { None };
        let mut writer = Writer { thread, n, code: Vec::new() };
        writer.blocks(own.as_ref().unwrap_or(&template));
        threads.push(writer.code);
    }
    // Fewer than there are threads: who belongs to a round then depends on the schedule.
    let size = generator.random.u32(2..=n as u32);
    let mut objects = vec![(name(4, Whose::Shared(0), 0, 1), Object::Barrier { size, n_arrived: 0 })];
    for index in 0..N_SHARED + n as u64 {
        // All own semaphores start alike, or the program would not be symmetric.
        let value = if index < N_SHARED { generator.random.u64(..2) } else { 1 };
        objects.push((name(3, Whose::Shared(index), 0, 1), Object::Sem(value)));
        objects.push((name(7, Whose::Shared(index), 0, 1), Object::Sem(value)));
    }
    if form == Form::Asymmetric {
        add_channel(&mut generator.random, &mut threads, &mut objects);
    }
    Generated { program: Program { objects, threads }, family: family(form, n) }
}

/// One thread receives, the others send; a sender may go before it has sent everything.
fn add_channel(random: &mut fastrand::Rng, threads: &mut [Vec<Instr>], objects: &mut Vec<(ObjId, Object)>) {
    if random.bool() {
        return;
    }
    let obj = ObjId::at(1 + 8 * 100);
    let capacity = [None, Some(1)][random.usize(..2)];
    let obj2 = if capacity.is_some() { obj } else { ObjId::NONE };
    let mut chan = Chan::new(capacity);
    chan.n_senders = threads.len() as u32 - 1;
    objects.push((obj, Object::Chan(chan)));
    let instr = |kind| Instr::Do(Op { kind, obj, obj2, arg: 0 });
    for (thread, code) in threads.iter_mut().enumerate() {
        let kinds: &[Kind] = if thread == 0 {
            &[Kind::ChanRecv, Kind::ChanTryRecv, Kind::ReceiverDrop]
        } else {
            &[Kind::ChanSend, Kind::ChanTrySend, Kind::SenderDrop]
        };
        for _ in 0..random.usize(1..=2) {
            let kind = kinds[random.usize(..2)];
            code.insert(0, instr(kind));
        }
        if random.bool() {
            code.push(instr(kinds[2]));
        }
    }
}

fn family(form: Form, n: usize) -> Option<Family> {
    let mut family = match form {
        Form::Asymmetric => return None,
        Form::Interchange => Family::interchange(&(0..n).map(ThreadId::from).collect::<Vec<_>>()),
        Form::Ring => Family::ring(&(0..n).map(ThreadId::from).collect::<Vec<_>>(), &[]),
    };
    for (thread, member) in family.members.iter_mut().enumerate() {
        member.objects = (0..8).map(|sort| name(sort, Whose::Own, thread, n)).collect();
    }
    Some(family)
}

/// The program, for people.
pub(crate) fn listing(program: &Program) -> String {
    let mut text = String::new();
    for (thread, code) in program.threads.iter().enumerate() {
        let _ = write!(text, "  thread {thread}:");
        for instr in code {
            let _ = match instr {
                Instr::Do(op) => write!(text, " {op};"),
                other => write!(text, " {other:?};"),
            };
        }
        text.push('\n');
    }
    let _ = write!(text, "  {:?}", program.objects);
    text
}

/// The events of a trace with their clocks, sorted.
type Canonical = Vec<(u32, u32, Op, Vec<u32>)>;

/// What a whole exploration showed.
#[derive(Debug)]
pub(crate) struct Seen {
    pub(crate) outcomes: BTreeSet<Outcome>,
    pub(crate) traces: BTreeSet<Canonical>,
    pub(crate) stats: Stats,
}

/// Explores `program`, giving up after `limit` runs.
pub(crate) fn explore(program: &Program, mut search: Search, limit: u64) -> Option<Seen> {
    let mut model = Model::new(program.clone());
    let (mut outcomes, mut traces) = (BTreeSet::new(), BTreeSet::new());
    while let Some(cursor) = search.cursor() {
        if search.stats().n_executions >= limit {
            return None;
        }
        let trace = model.run(cursor);
        search.done(&trace).expect("models are deterministic");
        if !matches!(trace.end, Some(burnside_stateless::End::Cut(_))) {
            outcomes.insert(model.outcome(&trace));
            traces.insert(canonical(&trace));
        }
    }
    Some(Seen { outcomes, traces, stats: *search.stats() })
}

/// The Mazurkiewicz trace of a run: its events with their clocks, in an order that depends on nothing else. Computed
/// by the definition, without the library's own clocks.
fn canonical(trace: &Trace) -> Canonical {
    let n = trace.births.len();
    let mut clocks: Vec<Vec<u32>> = Vec::new();
    let mut events: Canonical = Vec::new();
    for (at, event) in trace.events.iter().enumerate() {
        let mut clock = vec![0; n];
        for (earlier, before) in trace.events[..at].iter().zip(&clocks) {
            if dependent(earlier.thread, &earlier.op, event.thread, &event.op) {
                clock.iter_mut().zip(before).for_each(|(slot, value)| *slot = (*slot).max(*value));
            }
        }
        clock[event.thread.index()] += 1;
        events.push((event.thread.0, event.choice, event.op.in_trace(), clock.clone()));
        clocks.push(clock);
    }
    events.sort();
    events
}

/// The least image of an outcome under the symmetries of `form`.
pub(crate) fn representative(outcome: &Outcome, form: Form) -> Outcome {
    let n = outcome.seen.len();
    let images = permutations(form, n);
    images.iter().map(|image| permuted(outcome, image)).min().expect("the identity is a symmetry")
}

fn permuted(outcome: &Outcome, image: &[usize]) -> Outcome {
    let n = image.len();
    let mut seen = outcome.seen.clone();
    for (thread, to) in image.iter().enumerate() {
        seen[*to] = outcome.seen[thread].clone();
    }
    let mut cells: Vec<(ObjId, u64)> = outcome.cells.clone();
    for (obj, _) in &mut cells {
        for (thread, to) in image.iter().enumerate() {
            if *obj == name(6, Whose::Own, thread, n) {
                *obj = name(6, Whose::Own, *to, n);
                break;
            }
        }
    }
    cells.sort_unstable();
    Outcome { end: outcome.end, seen, cells }
}

fn permutations(form: Form, n: usize) -> Vec<Vec<usize>> {
    match form {
        Form::Asymmetric => vec![(0..n).collect()],
        Form::Ring => (0..n).map(|by| (0..n).map(|i| (i + by) % n).collect()).collect(),
        Form::Interchange => {
            let mut all = vec![Vec::new()];
            for _ in 0..n {
                all = all
                    .into_iter()
                    .flat_map(|head: Vec<usize>| {
                        (0..n).filter(|i| !head.contains(i)).map(|i| [&head[..], &[i]].concat()).collect::<Vec<_>>()
                    })
                    .collect();
            }
            all
        }
    }
}

/// A number from the environment, or the usual one.
pub(crate) fn asked(variable: &str, usual: u64) -> u64 {
    std::env::var(variable).ok().and_then(|n| n.parse().ok()).unwrap_or(usual)
}
