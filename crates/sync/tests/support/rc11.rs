//! All executions of small programs of atomics by the axioms of RC11, one after the other.
//!
//! Written from the definitions alone and for no purpose but comparison: every choice of what each read reads from and of
//! the order of writes to each location is tried, relations are matrices, and an execution counts if it satisfies the
//! axioms. Nothing is shared with the library.

use std::collections::BTreeSet;
use std::sync::atomic::Ordering;

/// One instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Instr {
    Load(usize, Ordering),
    Store(usize, u64, Ordering),
    /// Adds to the value; both a read and a write.
    Add(usize, u64, Ordering),
    /// Writes the second value if the first is read, else it is a load with the second ordering.
    Swap(usize, u64, u64, Ordering, Ordering),
    Fence(Ordering),
}

/// A program: what its threads do.
pub(crate) type Program = Vec<Vec<Instr>>;

/// What can be observed: the values read by each thread, then the newest value of each location.
pub(crate) type Outcome = (Vec<Vec<u64>>, Vec<u64>);

/// Which axioms hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Model {
    /// `po ∪ rf ∪ mo ∪ fr` has no cycle.
    Sc,
    Rc11,
}

/// What the axioms allow.
#[derive(Debug, Default)]
pub(crate) struct Allowed {
    pub(crate) outcomes: BTreeSet<Outcome>,
    /// Executions: outcomes with what was read from where and in which order was written.
    pub(crate) n_executions: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Sort {
    Read,
    Write,
    Fence,
}

#[derive(Clone, Copy, Debug)]
struct Event {
    thread: Option<usize>,
    sort: Sort,
    loc: Option<usize>,
    order: Ordering,
    instr: Option<Instr>,
}

/// A relation over at most 32 events: `self.0[a]` has bit `b` if `a` is related to `b`.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Relation(Vec<u32>);

impl Relation {
    fn of(n: usize, holds: impl Fn(usize, usize) -> bool) -> Self {
        let row = |a: usize| (0..n).filter(|b| holds(a, *b)).fold(0, |row, b| row | (1 << b));
        Self((0..n).map(row).collect())
    }

    fn has(&self, a: usize, b: usize) -> bool {
        (self.0[a] >> b) & 1 == 1
    }

    fn union(&self, other: &Self) -> Self {
        Self(self.0.iter().zip(&other.0).map(|(x, y)| x | y).collect())
    }

    fn then(&self, other: &Self) -> Self {
        let row = |row: &u32| (0..self.0.len()).filter(|b| (row >> b) & 1 == 1).fold(0, |sum, b| sum | other.0[b]);
        Self(self.0.iter().map(row).collect())
    }

    fn or_same(&self) -> Self {
        Self(self.0.iter().enumerate().map(|(at, row)| row | (1 << at)).collect())
    }

    fn closure(&self) -> Self {
        let mut all = self.clone();
        loop {
            let more = all.union(&all.then(&all));
            if more == all {
                return all;
            }
            all = more;
        }
    }

    fn is_irreflexive(&self) -> bool {
        (0..self.0.len()).all(|at| !self.has(at, at))
    }

    fn is_acyclic(&self) -> bool {
        self.closure().is_irreflexive()
    }

    fn within(&self, keep: impl Fn(usize, usize) -> bool) -> Self {
        Self::of(self.0.len(), |a, b| self.has(a, b) && keep(a, b))
    }
}

/// All executions that the model allows.
pub(crate) fn enumerate(program: &Program, n_locs: usize, model: Model) -> Allowed {
    let mut allowed = Allowed::default();
    // Whether a compare-and-swap writes is guessed first and checked against the values afterwards.
    let swaps = program.iter().flatten().filter(|instr| matches!(instr, Instr::Swap(..))).count();
    for guess in 0..1u32 << swaps {
        let shape = Shape::new(program, n_locs, guess);
        shape.readings(&mut vec![usize::MAX; shape.events.len()], 0, model, &mut allowed);
    }
    allowed
}

struct Shape {
    events: Vec<Event>,
    /// The write of each read that is half of an update.
    rmw: Vec<Option<usize>>,
    n_threads: usize,
    n_locs: usize,
}

impl Shape {
    fn new(program: &Program, n_locs: usize, mut guess: u32) -> Self {
        let mut shape = Self { events: Vec::new(), rmw: Vec::new(), n_threads: program.len(), n_locs };
        for loc in 0..n_locs {
            shape.push(None, Sort::Write, Some(loc), Ordering::Relaxed, None);
        }
        for (thread, code) in program.iter().enumerate() {
            for instr in code {
                shape.instr(thread, *instr, &mut guess);
            }
        }
        shape
    }

    fn push(&mut self, thread: Option<usize>, sort: Sort, loc: Option<usize>, order: Ordering, instr: Option<Instr>) {
        self.events.push(Event { thread, sort, loc, order, instr });
        self.rmw.push(None);
    }

    fn instr(&mut self, thread: usize, instr: Instr, guess: &mut u32) {
        let (me, some) = (Some(thread), Some(instr));
        match instr {
            Instr::Load(loc, order) => self.push(me, Sort::Read, Some(loc), order, some),
            Instr::Store(loc, _, order) => self.push(me, Sort::Write, Some(loc), order, some),
            Instr::Fence(order) => self.push(me, Sort::Fence, None, order, some),
            Instr::Add(loc, _, order) => self.update(me, loc, order, instr),
            Instr::Swap(loc, _, _, success, failure) => {
                let writes = *guess & 1 == 1;
                *guess >>= 1;
                if writes {
                    self.update(me, loc, success, instr);
                } else {
                    self.push(me, Sort::Read, Some(loc), failure, some);
                }
            }
        }
    }

    fn update(&mut self, thread: Option<usize>, loc: usize, order: Ordering, instr: Instr) {
        let read = self.events.len();
        self.push(thread, Sort::Read, Some(loc), order, Some(instr));
        self.push(thread, Sort::Write, Some(loc), order, Some(instr));
        self.rmw[read] = Some(read + 1);
    }

    fn writes(&self, loc: usize) -> Vec<usize> {
        (0..self.events.len())
            .filter(|at| self.events[*at].sort == Sort::Write && self.events[*at].loc == Some(loc))
            .collect()
    }

    /// Tries every write for every read from `at` on.
    fn readings(&self, rf: &mut Vec<usize>, at: usize, model: Model, allowed: &mut Allowed) {
        let Some(read) = (at..self.events.len()).find(|at| self.events[*at].sort == Sort::Read) else {
            let Some(values) = self.values(rf) else { return };
            return self.orders(&mut Vec::new(), &Candidate { shape: self, rf: rf.clone(), values, model }, allowed);
        };
        for write in self.writes(self.events[read].loc.expect("reads have locations")) {
            rf[read] = write;
            self.readings(rf, read + 1, model, allowed);
        }
        rf[read] = usize::MAX;
    }

    /// The values of all events, if they follow from each other and agree with what was guessed.
    fn values(&self, rf: &[usize]) -> Option<Vec<u64>> {
        let n = self.events.len();
        let mut values: Vec<Option<u64>> = vec![None; n];
        for _ in 0..=n {
            for at in 0..n {
                values[at] = match (self.events[at].sort, self.events[at].instr) {
                    (Sort::Fence, _) => Some(0),
                    (Sort::Read, _) => values[rf[at]],
                    (Sort::Write, None) => Some(0),
                    (Sort::Write, Some(Instr::Store(_, value, _) | Instr::Swap(_, _, value, ..))) => Some(value),
                    (Sort::Write, Some(Instr::Add(_, by, _))) => values[at - 1].map(|value| value + by),
                    (Sort::Write, Some(_)) => unreachable!("loads and fences do not write"),
                };
            }
        }
        let values: Vec<u64> = values.into_iter().collect::<Option<_>>()?;
        let agrees = |at: usize| match (self.events[at].sort, self.events[at].instr) {
            (Sort::Read, Some(Instr::Swap(_, expected, ..))) => (values[at] == expected) == self.rmw[at].is_some(),
            _ => true,
        };
        (0..n).all(agrees).then_some(values)
    }

    /// Tries every order of writes for every location.
    fn orders(&self, mo: &mut Vec<Vec<usize>>, candidate: &Candidate<'_>, allowed: &mut Allowed) {
        if mo.len() == self.n_locs {
            if candidate.is_consistent(mo) {
                allowed.n_executions += 1;
                allowed.outcomes.insert(candidate.outcome(mo));
            }
            return;
        }
        // The initial write comes first.
        let writes = self.writes(mo.len());
        for order in permutations(&writes[1..]) {
            mo.push([&writes[..1], &order[..]].concat());
            self.orders(mo, candidate, allowed);
            mo.pop();
        }
    }
}

fn permutations(items: &[usize]) -> Vec<Vec<usize>> {
    if items.is_empty() {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for (at, item) in items.iter().enumerate() {
        let rest = [&items[..at], &items[at + 1..]].concat();
        all.extend(permutations(&rest).into_iter().map(|tail| [&[*item][..], &tail].concat()));
    }
    all
}

struct Candidate<'a> {
    shape: &'a Shape,
    rf: Vec<usize>,
    values: Vec<u64>,
    model: Model,
}

impl Candidate<'_> {
    fn is_consistent(&self, order: &[Vec<usize>]) -> bool {
        let events = &self.shape.events;
        let n = events.len();
        let place = |at: usize| order[events[at].loc.expect("a write")].iter().position(|write| *write == at);
        let is_write = |at: usize| events[at].sort == Sort::Write;
        let is_read = |at: usize| events[at].sort == Sort::Read;
        let same_loc = |a: usize, b: usize| events[a].loc.is_some() && events[a].loc == events[b].loc;
        let po = Relation::of(n, |a, b| match (events[a].thread, events[b].thread) {
            (None, Some(_)) => true,
            (x, y) => x.is_some() && x == y && a < b,
        });
        let rf = Relation::of(n, |a, b| is_read(b) && self.rf[b] == a);
        let mo = Relation::of(n, |a, b| is_write(a) && is_write(b) && same_loc(a, b) && place(a) < place(b));
        let rmw = Relation::of(n, |a, b| self.shape.rmw[a] == Some(b));
        let fr = Relation::of(n, |a, b| is_read(a) && is_write(b) && same_loc(a, b) && place(self.rf[a]) < place(b));
        // An update comes right after what it reads.
        let atomic = fr.then(&mo).within(|a, b| rmw.has(a, b)).0.iter().all(|row| *row == 0);
        if !atomic {
            return false;
        }
        if self.model == Model::Sc {
            return po.union(&rf).union(&mo).union(&fr).is_acyclic();
        }
        if !po.union(&rf).is_acyclic() {
            return false;
        }
        let hb = po.union(&self.synchronises(&po, &rf, &rmw)).closure();
        let eco = rf.union(&mo).union(&fr).closure();
        if !hb.is_irreflexive() || !hb.then(&eco).is_irreflexive() {
            return false;
        }
        self.psc(&po, &hb, &mo, &fr, &eco).is_acyclic()
    }

    /// `[rel] ; ([F];po)? ; [W] ; (rf;rmw)* ; rf ; [R] ; (po;[F])? ; [acq]`.
    fn synchronises(&self, po: &Relation, rf: &Relation, rmw: &Relation) -> Relation {
        use Ordering::{AcqRel, Acquire, Release, SeqCst};
        let events = &self.shape.events;
        let n = events.len();
        let sort = |at: usize| events[at].sort;
        let releases = |at: usize| matches!(events[at].order, Release | AcqRel | SeqCst);
        let acquires = |at: usize| matches!(events[at].order, Acquire | AcqRel | SeqCst);
        let sequence = rf.then(rmw).closure().or_same();
        let from_write = Relation::of(n, |a, b| a == b && sort(a) == Sort::Write && releases(a));
        let from_fence = po.within(|a, b| sort(a) == Sort::Fence && releases(a) && sort(b) == Sort::Write);
        let to_read = Relation::of(n, |a, b| a == b && sort(a) == Sort::Read && acquires(a));
        let to_fence = po.within(|a, b| sort(a) == Sort::Read && sort(b) == Sort::Fence && acquires(b));
        from_write.union(&from_fence).then(&sequence).then(rf).then(&to_read.union(&to_fence))
    }

    fn psc(&self, po: &Relation, hb: &Relation, mo: &Relation, fr: &Relation, eco: &Relation) -> Relation {
        let events = &self.shape.events;
        let n = events.len();
        let is_sc = |at: usize| events[at].order == Ordering::SeqCst && events[at].thread.is_some();
        let is_fence = |at: usize| is_sc(at) && events[at].sort == Sort::Fence;
        let same_loc = |a: usize, b: usize| events[a].loc.is_some() && events[a].loc == events[b].loc;
        let elsewhere = po.within(|a, b| !same_loc(a, b));
        let scb = po.union(&elsewhere.then(hb).then(&elsewhere)).union(&hb.within(same_loc)).union(mo).union(fr);
        let any = Relation::of(n, |a, b| a == b && is_sc(a));
        let begin = any.union(&hb.within(|a, _| is_fence(a)));
        let end = any.union(&hb.within(|_, b| is_fence(b)));
        let base = begin.then(&scb).then(&end);
        let by_fences = hb.union(&hb.then(eco).then(hb)).within(|a, b| is_fence(a) && is_fence(b));
        base.union(&by_fences)
    }

    fn outcome(&self, order: &[Vec<usize>]) -> Outcome {
        let events = &self.shape.events;
        let read = |thread: usize| {
            let is_own = |at: &usize| events[*at].thread == Some(thread) && events[*at].sort == Sort::Read;
            (0..events.len()).filter(is_own).map(|at| self.values[at]).collect()
        };
        let newest = |writes: &Vec<usize>| self.values[*writes.last().expect("the initial write")];
        ((0..self.shape.n_threads).map(read).collect(), order.iter().map(newest).collect())
    }
}
