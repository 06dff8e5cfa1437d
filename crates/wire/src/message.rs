//! The messages.

use burnside_stateless::{ObjId, Plan, ThreadId, Trace};

use crate::words::{Bytes, Reader, Wire, wire_struct};

/// The environment variable with the descriptor of the channel.
pub const CHANNEL_VARIABLE: &str = "BURNSIDE_CHANNEL";

/// The environment variable with a schedule to follow without a channel, for
/// running under a debugger: `0*3,1,2*2`, an alternative as `1/4`.
pub const REPLAY_VARIABLE: &str = "BURNSIDE_REPLAY";

/// How an execution is carried out.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Executor {
    /// User-level threads in one process whose memory is put back afterwards.
    Snap,
    /// User-level threads, a process for each execution.
    Fork,
    /// Threads and processes of the kernel, a process for each execution.
    Threads,
}

impl Executor {
    /// All of them, fastest first.
    pub const ALL: [Executor; 3] = [Executor::Snap, Executor::Fork, Executor::Threads];

    /// The word for it on the command line and in reports.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Executor::Snap => "snap",
            Executor::Fork => "fork",
            Executor::Threads => "threads",
        }
    }
}

/// What holds for a whole search.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Options {
    /// How many times each thread may wake from a condition without a signal.
    pub spurious_wakeups: u32,
    /// Report the stacks of all threads and the call site of every transition.
    pub details: bool,
    /// How long a thread may run without a visible operation.
    pub step_timeout_ms: u64,
    /// Cells of stacks whose accesses by their own thread are visible too; ascending.
    pub watched: Vec<ObjId>,
    /// The status the program is expected to end with.
    pub expected_status: u64,
    /// Is a thread that nobody has joined or detached at the end a fault?
    pub finds_leaks: bool,
    /// Make the end of every thread a visible operation.
    pub visible_ends: bool,
    /// End an execution at its first data race.
    pub stops_at_races: bool,
}

/// Sent once, when the program is ready: how all executions are carried out.
/// After it every [`Order`] asks for executions.
#[derive(Clone, PartialEq, Debug)]
pub struct Setup {
    /// By which means.
    pub executor: Executor,
    /// Under which conditions.
    pub options: Options,
}

/// What a worker is asked for.
#[derive(Clone, PartialEq, Debug)]
pub enum Order {
    /// One execution; the answer is its report.
    Run(Plan),
    /// Some executions of a search, with the `snap` executor only.
    Ahead(Ahead),
}

/// Executions to be carried out without asking back.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Ahead {
    /// The search, as [`burnside_stateless::Search::save`] writes it.
    pub search: Bytes,
    /// How many executions at most.
    pub limit: u64,
    /// Stop before an execution that ends in a fault.
    pub stops_at_faults: bool,
    /// Stop before an execution in which threads that began alike are told apart.
    pub stops_when_told_apart: bool,
    /// Stop before an execution with a data race.
    pub stops_at_races: bool,
}

/// How far a search was gone on with.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Further {
    /// The search.
    pub search: Bytes,
    /// As in [`Report`], of all its executions.
    pub uncontrolled: Vec<String>,
    /// As in [`Report`], of all its executions.
    pub random: Vec<String>,
}

/// How a thread began: threads that began alike may be interchangeable.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Start {
    /// Address of the start routine; 0 for the first thread and for processes.
    pub routine: u64,
    /// Its argument.
    pub argument: u64,
    /// With details: the first two words of the block of the heap that the argument points to, if it does. For a thread
    /// of C++ these are the table of its function's class and, perhaps, the function.
    pub given: [u64; 2],
    /// The first thread that began in the same state but for names (see `run::twins` of the library), if that was
    /// looked into; itself if it was the first.
    pub twin: Option<ThreadId>,
}

/// Two accesses to the same memory that nothing orders, by the transitions that made them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Race {
    /// The earlier one.
    pub first: u64,
    /// The later one.
    pub second: u64,
}

/// What an execution was.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Report {
    /// Its transitions and its end.
    pub trace: Trace,
    /// How each thread began, index = thread.
    pub starts: Vec<Start>,
    /// Cells of stacks that another thread accessed or was about to access and that were not watched: accesses by their
    /// own thread, if there were any, were not seen.
    pub escaped: Vec<ObjId>,
    /// How the program could tell threads apart that began alike; empty if it could not.
    pub told_apart: String,
    /// Why threads that run the same routine did not begin alike; empty if all did.
    pub unlike: String,
    /// An address that belongs to what `unlike` says, or 0.
    pub unlike_at: u64,
    /// The return addresses where the thread was created that `unlike` is about, innermost first.
    pub unlike_from: Vec<u64>,
    /// What the program did that is not controlled, so that not every behaviour has been seen.
    pub uncontrolled: Vec<String>,
    /// Where the program got something from that is different each time, so that nothing can be said about it.
    pub random: Vec<String>,
    /// Does the program announce its memory accesses?
    pub watches_memory: bool,
    /// Somebody asks whether a thread has ended: the ends of threads should have been visible.
    pub asks_for_ends: bool,
    /// The first data race.
    pub race: Option<Race>,
    /// With details: the return addresses of each thread at the end, innermost first.
    pub stacks: Vec<Vec<u64>>,
    /// With details: the return addresses at each transition, innermost first.
    pub sites: Vec<Vec<u64>>,
    /// With details: where each object that is named by its creator lies.
    pub places: Vec<(ObjId, u64)>,
}

/// The answer to a plan.
#[derive(Clone, PartialEq, Debug)]
pub enum Reply {
    /// The program has reached `main`; sent once, before anything else.
    Ready,
    /// The execution took place.
    Report(Box<Report>),
    /// The search after the executions it was gone on with.
    Ahead(Box<Further>),
    /// This executor cannot run this program, and why.
    Unsupported(String),
    /// The process ended without a report, with this status (as from `waitpid`).
    Died(u64),
    /// The library inside the program failed.
    Internal(String),
}

wire_struct! {
    Options { spurious_wakeups, details, step_timeout_ms, watched, expected_status, finds_leaks, visible_ends, stops_at_races }
    Further { search, uncontrolled, random }
    Setup { executor, options }
    Ahead { search, limit, stops_at_faults, stops_when_told_apart, stops_at_races }
    Race { first, second }
    Start { routine, argument, given, twin }
    Report {
        trace, starts, escaped, told_apart, unlike, unlike_at, unlike_from, uncontrolled, random, watches_memory,
        asks_for_ends, race, stacks, sites, places
    }
}

impl Wire for (ObjId, u64) {
    fn write(&self, words: &mut Vec<u64>) {
        self.0.write(words);
        self.1.write(words);
    }

    fn read(words: &mut Reader<'_>) -> Option<(ObjId, u64)> {
        Some((words.value()?, words.value()?))
    }
}

impl Wire for [u64; 2] {
    fn write(&self, words: &mut Vec<u64>) {
        words.extend(self);
    }

    fn read(words: &mut Reader<'_>) -> Option<[u64; 2]> {
        Some([words.word()?, words.word()?])
    }
}

impl Wire for Executor {
    fn write(&self, words: &mut Vec<u64>) {
        words.push(*self as u64);
    }

    fn read(words: &mut Reader<'_>) -> Option<Executor> {
        let index: usize = words.word()?.try_into().ok()?;
        Executor::ALL.get(index).copied()
    }
}

impl Wire for Order {
    fn write(&self, words: &mut Vec<u64>) {
        match self {
            Order::Run(plan) => {
                words.push(0);
                plan.write(words);
            }
            Order::Ahead(ahead) => {
                words.push(1);
                ahead.write(words);
            }
        }
    }

    fn read(words: &mut Reader<'_>) -> Option<Order> {
        match words.word()? {
            0 => Some(Order::Run(words.value()?)),
            1 => Some(Order::Ahead(words.value()?)),
            _ => None,
        }
    }
}

impl Wire for Reply {
    fn write(&self, words: &mut Vec<u64>) {
        match self {
            Reply::Ready => words.push(0),
            Reply::Report(report) => {
                words.push(1);
                report.write(words);
            }
            Reply::Unsupported(why) => {
                words.push(2);
                why.write(words);
            }
            Reply::Died(status) => words.extend([3, *status]),
            Reply::Internal(what) => {
                words.push(4);
                what.write(words);
            }
            Reply::Ahead(search) => {
                words.push(5);
                search.write(words);
            }
        }
    }

    fn read(words: &mut Reader<'_>) -> Option<Reply> {
        Some(match words.word()? {
            0 => Reply::Ready,
            1 => Reply::Report(Box::new(words.value()?)),
            2 => Reply::Unsupported(words.value()?),
            3 => Reply::Died(words.value()?),
            4 => Reply::Internal(words.value()?),
            5 => Reply::Ahead(Box::new(words.value()?)),
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::{decode, frame};

    #[test]
    fn messages_travel() {
        for executor in Executor::ALL {
            let watched = vec![ObjId::on_stack(ThreadId(1), 4)];
            let options = Options {
                spurious_wakeups: 1,
                details: false,
                step_timeout_ms: 500,
                watched,
                expected_status: 3,
                finds_leaks: true,
                visible_ends: true,
                stops_at_races: true,
            };
            let setup = Setup { executor, options };
            assert_eq!(decode(&frame(&setup)[8..]), Some(setup));
        }
        let start = Start { routine: 4096, argument: 1, given: [7, 8], twin: Some(ThreadId(2)) };
        let report = Report {
            starts: vec![start],
            stacks: vec![vec![1, 2]],
            places: vec![(ObjId::at(8), 9)],
            unlike_from: vec![4, 6],
            race: Some(Race { first: 3, second: 5 }),
            ..Report::default()
        };
        for reply in [
            Reply::Ready,
            Reply::Report(Box::new(report)),
            Reply::Unsupported("it forks".to_owned()),
            Reply::Died(139),
            Reply::Internal("no memory".to_owned()),
            Reply::Ahead(Box::new(Further { search: Bytes((0..=20).collect()), ..Further::default() })),
        ] {
            assert_eq!(decode(&frame(&reply)[8..]), Some(reply));
        }
        let search = Bytes(vec![7; 9]);
        let ahead =
            Ahead { search, limit: 5, stops_at_faults: true, stops_when_told_apart: false, stops_at_races: true };
        for order in [Order::Run(Plan::default()), Order::Ahead(ahead)] {
            assert_eq!(decode(&frame(&order)[8..]), Some(order));
        }
    }
}
