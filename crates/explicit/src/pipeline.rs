//! Who does what next.
//!
//! A job is expanded by any thread, then inserted into every shard, then settled. Threads come to the desk, a lock held
//! for a fraction of a microsecond, hand in what they have done and take what is to be done next. Three rules keep the
//! order of a search with one thread: jobs take states from the frontier in its order; every shard takes the jobs in
//! their order; jobs are settled in their order. Expansion may run ahead of that, so that all threads have work, but no
//! further than a few jobs. There are no levels to wait for: what a job has found can be expanded as soon as that job
//! is settled.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard};

use burnside_engine::{SearchOrder, Shortfall, Task};
use burnside_step::Stepper;
use burnside_store::{Codec, Set, Shard};

use crate::expander::{Expander, Representatives};
use crate::frontier::{Found, Frontier};
use crate::job::{Config, Job, Scratch};
use crate::ledger::{Halt, Ledger};
use crate::partial::Forced;
use crate::visited::Visited;

/// How many steps a job should have: enough to make the desk's cost vanish and to fetch memory in time, but few enough
/// to stay in the cache.
const STEPS_PER_JOB: u64 = if cfg!(test) { 8 } else { 512 };

/// How many states are expanded, where each is a job of its own, until counts are published.
const STATES_PER_REPORT: u64 = if cfg!(test) { 4 } else { 64 };

/// Most states expanded in one job.
const SOURCES_PER_JOB: u64 = 256;

/// How many jobs may be under way for each thread: so many that others can go on while the system runs something else in
/// place of a thread on whose job the order depends. Where nothing is in the way, only a few are.
const JOBS_PER_THREAD: usize = 16;

/// With fewer states in the frontier, waking a thread costs more than it can contribute.
const WORTH_WAKING: usize = if cfg!(test) { 2 } else { 64 };

/// A search under way.
pub(crate) struct Pipeline<'t, C: Codec> {
    set: Set<C>,
    config: Config,
    /// The states that are expanded once more.
    forced: Arc<Forced>,
    /// Whether each state is a job of its own, and no job is begun before the one before is settled.
    is_depth_first: bool,
    desk: Mutex<Desk<'t, C>>,
    /// Signals that there is more to do than the threads awake can take, or that all is done.
    wake: Condvar,
}

/// What a search begins with.
pub(crate) struct Beginning<'t> {
    pub(crate) ledger: Ledger<'t>,
    /// The steps to the start states; none if the search goes on with the frontier.
    pub(crate) first: Job,
    pub(crate) frontier: Frontier,
    /// The states in it that were expanded before, if steps were left out.
    pub(crate) forced: Arc<Forced>,
}

/// What is left of a search.
pub(crate) struct Finished<'t, C: Codec> {
    pub(crate) ledger: Box<Ledger<'t>>,
    pub(crate) visited: Visited<C>,
    /// The states that all settled jobs together have left to be expanded.
    pub(crate) frontier: Frontier,
    /// Whether the frontier became empty, or why not.
    pub(crate) end: Result<(), Halt>,
}

/// Something to be done by one thread, with all it needs.
enum Work<'t, C: Codec> {
    Expand(u64, Job),
    Insert(usize, Box<Shard<C>>, Arc<Job>),
    Settle(Box<Ledger<'t>>, Job),
}

/// Work done.
enum Done<'t, C: Codec> {
    Expanded(u64, Job),
    Inserted(usize, Box<Shard<C>>, Arc<Job>),
    Settled(Box<Ledger<'t>>, Job, Result<(), Halt>),
}

impl<'t, C: Codec> Pipeline<'t, C> {
    /// A search that is about to insert what its first job has found.
    pub(crate) fn new(task: &Task<'_>, config: Config, visited: Visited<C>, beginning: Beginning<'t>) -> Self {
        let (Visited { set, shards }, Beginning { ledger, first, frontier, forced }) = (visited, beginning);
        let n_threads = shards.len();
        let is_depth_first = task.order == SearchOrder::DepthFirst;
        let shards = shards.into_iter().map(|shard| Turn { shard: Some(Box::new(shard)), job: 0 }).collect();
        let desk = Desk {
            frontier,
            torn: None,
            jobs: VecDeque::from([Underway { job: Some(Arc::new(first)), n_inserted: 0 }]),
            first_job: 0,
            max_jobs: n_threads * JOBS_PER_THREAD,
            shards,
            ledger: Some(Box::new(ledger)),
            spare: Vec::new(),
            n_sources: 0,
            n_steps: 0,
            n_asleep: 0,
            end: None,
        };
        Self { set, config, forced, is_depth_first, desk: Mutex::new(desk), wake: Condvar::new() }
    }

    /// Works until the search is over. `thread` is the number of a thread, less than that of shards.
    pub(crate) fn work(&self, thread: usize, expander: &mut Expander<'_, impl Stepper, impl Representatives>) {
        let _alarm = Alarm(self);
        let mut scratch = Scratch::new(self.config, Arc::clone(&self.forced));
        if self.is_depth_first {
            return self.work_alone(expander, &mut scratch);
        }
        let mut done = None;
        while let Some(work) = self.exchange(thread, done) {
            done = Some(match work {
                Work::Expand(number, mut job) => {
                    job.expand(&self.set, self.config, expander, &mut scratch);
                    Done::Expanded(number, job)
                }
                Work::Insert(number, mut shard, job) => {
                    job.insert((number, &mut shard), self.config, expander);
                    Done::Inserted(number, shard, job)
                }
                Work::Settle(mut ledger, job) => {
                    let result = ledger.settle(&job, &self.set);
                    Done::Settled(ledger, job, result)
                }
            });
        }
    }

    /// The same where only one job is under way at a time: there is nobody to hand anything to.
    // PERF: depth first, where every state is a job, handing over took a third of the time.
    fn work_alone(&self, expander: &mut Expander<'_, impl Stepper, impl Representatives>, scratch: &mut Scratch) {
        let mut guard = self.desk();
        let desk = &mut *guard;
        let first = desk.jobs.pop_front().and_then(|first| first.job).expect("the first is made");
        let mut job = Arc::into_inner(first).expect("nobody else has it");
        let ledger = desk.ledger.as_deref_mut().expect("nobody settles");
        let shard = desk.shards[0].shard.as_deref_mut().expect("nobody inserts");
        let mut n_jobs = 0_u64;
        let end = loop {
            job.insert((0, shard), self.config, expander);
            n_jobs += 1;
            let settled = match n_jobs.is_multiple_of(STATES_PER_REPORT) {
                true => ledger.settle(&job, &self.set),
                false => ledger.enter(&job, &self.set),
            };
            let result = settled.and(ledger.hand_on(job.depth, &mut desk.frontier));
            if ledger.is_torn {
                desk.torn = Some((job.depth, std::mem::take(&mut job.frontier)));
            }
            job.clear();
            if result.is_err() {
                break result;
            }
            let Some(depth) = desk.frontier.take(1, &mut job.frontier) else { break Ok(()) };
            job.depth = depth + 1;
            job.expand(&self.set, self.config, expander, scratch);
        };
        desk.end = Some(end);
    }

    /// Hands in what was done and waits for something to do; `None` when the search is over.
    fn exchange(&self, thread: usize, done: Option<Done<'t, C>>) -> Option<Work<'t, C>> {
        let mut desk = self.desk();
        if let Some(done) = done {
            desk.hand_in(done);
        }
        loop {
            if desk.end.is_some() {
                self.wake.notify_all();
                return None;
            }
            if let Some(work) = desk.take(thread, self.config.n_words) {
                if desk.n_asleep > 0 && desk.has_surplus() {
                    self.wake.notify_one();
                }
                return Some(work);
            }
            desk.n_asleep += 1;
            desk = self.wake.wait(desk).expect("no thread panicked");
            desk.n_asleep -= 1;
        }
    }

    fn desk(&self) -> MutexGuard<'_, Desk<'t, C>> {
        self.desk.lock().expect("no thread panicked")
    }

    /// What is left when all threads have stopped.
    pub(crate) fn finish(self) -> Finished<'t, C> {
        let mut desk = self.desk.into_inner().expect("no thread panicked");
        // Later jobs first, so that the earliest is the next again. What is at the depth of start states comes from none.
        let underway = desk.jobs.drain(..).rev().filter_map(|it| Arc::into_inner(it.job?));
        let unsettled = underway.map(|job| (job.depth, job.frontier)).chain(desk.torn.take());
        for (depth, taken) in unsettled.filter(|(depth, _)| *depth > 0) {
            desk.frontier.put_back(depth - 1, taken);
        }
        let shards = desk.shards.into_iter().map(|turn| *turn.shard.expect("no thread inserts"));
        Finished {
            ledger: desk.ledger.expect("no thread settles"),
            visited: Visited { set: self.set, shards: shards.collect() },
            frontier: desk.frontier,
            end: desk.end.expect("the search is over"),
        }
    }
}

/// Sends the other threads home if this one panics.
struct Alarm<'p, 't, C: Codec>(&'p Pipeline<'t, C>);

impl<C: Codec> Drop for Alarm<'_, '_, C> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            if let Ok(mut desk) = self.0.desk.lock() {
                desk.end = Some(Err(Halt::Short(Shortfall::Cancelled)));
            }
            self.0.wake.notify_all();
        }
    }
}

/// What threads agree on.
struct Desk<'t, C: Codec> {
    frontier: Frontier,
    /// The depth and the sources of the job that was given up while it was settled.
    torn: Option<(u32, Found)>,
    /// Jobs taken from the frontier and not yet settled, in order.
    jobs: VecDeque<Underway>,
    /// The number of the first of them; they count up from there.
    first_job: u64,
    max_jobs: usize,
    shards: Vec<Turn<C>>,
    /// Away while a job is being settled.
    ledger: Option<Box<Ledger<'t>>>,
    /// Jobs whose memory can be used again.
    spare: Vec<Job>,
    /// Expanded so far, and the steps that gave.
    n_sources: u64,
    n_steps: u64,
    n_asleep: usize,
    end: Option<Result<(), Halt>>,
}

struct Underway {
    /// `None` while it is being expanded.
    job: Option<Arc<Job>>,
    /// How many shards have its states.
    n_inserted: usize,
}

struct Turn<C: Codec> {
    /// Away while states are being inserted.
    shard: Option<Box<Shard<C>>>,
    /// The job whose states come next.
    job: u64,
}

impl<'t, C: Codec> Desk<'t, C> {
    fn hand_in(&mut self, done: Done<'t, C>) {
        match done {
            Done::Expanded(number, job) => {
                self.n_sources += job.sources.len() as u64;
                self.n_steps += job.steps.len() as u64;
                self.underway(number).job = Some(Arc::new(job));
            }
            Done::Inserted(number, shard, job) => {
                drop(job);
                let turn = &mut self.shards[number];
                turn.shard = Some(shard);
                turn.job += 1;
                let inserted = turn.job - 1;
                self.underway(inserted).n_inserted += 1;
            }
            Done::Settled(mut ledger, mut job, result) => {
                let result = result.and(ledger.hand_on(job.depth, &mut self.frontier));
                if ledger.is_torn {
                    self.torn = Some((job.depth, std::mem::take(&mut job.frontier)));
                }
                self.ledger = Some(ledger);
                job.clear();
                self.spare.push(job);
                if result.is_err() || (self.jobs.is_empty() && self.frontier.len() == 0) {
                    self.end.get_or_insert(result);
                }
            }
        }
    }

    fn underway(&mut self, number: u64) -> &mut Underway {
        &mut self.jobs[(number - self.first_job) as usize]
    }

    /// What is best done next. Each thread prefers one shard, whose index then stays in its cache.
    fn take(&mut self, thread: usize, n_words: usize) -> Option<Work<'t, C>> {
        self.settle()
            .or_else(|| self.insert(thread))
            .or_else(|| self.expand(n_words))
            .or_else(|| (0..self.shards.len()).find_map(|number| self.insert(number)))
    }

    fn settle(&mut self) -> Option<Work<'t, C>> {
        if self.jobs.front()?.n_inserted < self.shards.len() {
            return None;
        }
        let ledger = self.ledger.take()?;
        let job = self.jobs.pop_front()?.job.expect("an inserted job was expanded");
        self.first_job += 1;
        Some(Work::Settle(ledger, Arc::into_inner(job).expect("every shard has handed it in")))
    }

    fn insert(&mut self, number: usize) -> Option<Work<'t, C>> {
        let job = Arc::clone(self.ready(number)?);
        Some(Work::Insert(number, self.shards[number].shard.take()?, job))
    }

    /// The job that a shard takes next, if it has been expanded.
    fn ready(&self, number: usize) -> Option<&Arc<Job>> {
        let at = (self.shards[number].job - self.first_job) as usize;
        self.jobs.get(at)?.job.as_ref()
    }

    fn expand(&mut self, n_words: usize) -> Option<Work<'t, C>> {
        if self.jobs.len() >= self.max_jobs {
            return None;
        }
        let n = self.sources_per_job();
        let mut job = self.spare.pop().unwrap_or_else(|| Job::new(n_words, self.shards.len()));
        let Some(depth) = self.frontier.take(n, &mut job.frontier) else {
            self.spare.push(job);
            return None;
        };
        job.depth = depth + 1;
        let number = self.first_job + self.jobs.len() as u64;
        self.jobs.push_back(Underway { job: None, n_inserted: 0 });
        Some(Work::Expand(number, job))
    }

    /// So many that the job has about the wanted number of steps, and that there is something left for other threads.
    fn sources_per_job(&self) -> usize {
        let steps_per_source = (self.n_steps / self.n_sources.max(1)).max(1);
        let wanted = (STEPS_PER_JOB / steps_per_source).clamp(1, SOURCES_PER_JOB) as usize;
        let pending = self.frontier.len();
        let share = if pending < WORTH_WAKING { pending } else { pending.div_ceil(self.shards.len()) };
        wanted.min(share)
    }

    /// Whether there is enough left for one more thread.
    fn has_surplus(&self) -> bool {
        let can_expand = self.frontier.len() >= WORTH_WAKING && self.jobs.len() < self.max_jobs;
        let can_insert = |number: usize| self.shards[number].shard.is_some() && self.ready(number).is_some();
        can_expand || (self.jobs.len() > 1 && (0..self.shards.len()).any(can_insert))
    }
}
