//! A program under control: started once, executed as often as needed.

use std::ffi::OsString;
use std::fmt;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use burnside_stateless::{Plan, Search};
use burnside_wire::{
    Ahead, Behind, CHANNEL_VARIABLE, Further, Order, Reply, Report, Setup, Wire, decode, frame, unframe,
};

use crate::inspect;
use crate::runtime;

/// Where the child finds the two ends it inherits; high, so that the program's
/// own descriptors get the numbers they always get.
const CHANNEL: RawFd = 999;
const LIBRARY: RawFd = 998;

/// What to test.
#[derive(Clone, Debug)]
pub struct Target {
    /// The program.
    pub program: OsString,
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// Does what it prints reach the terminal?
    pub output: Output,
}

/// What becomes of a program's output.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Output {
    /// It is thrown away.
    Discarded,
    /// It goes where Burnside's standard error goes.
    Shown,
}

/// How long an answer is waited for.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Until when, and how long that was from the beginning.
    pub until: Option<(Instant, Duration)>,
    /// How many bytes of memory Burnside itself may use.
    pub max_memory: Option<u64>,
    /// Asked now and then: should the search be cut?
    pub interrupted: fn() -> bool,
}

impl Limits {
    /// Waits as long as it takes.
    pub const NONE: Limits = Limits { until: None, max_memory: None, interrupted: || false };

    /// Why nothing more is to be waited for, if so.
    #[must_use]
    pub fn exceeded(&self) -> Option<String> {
        if (self.interrupted)() {
            return Some("it was interrupted".to_owned());
        }
        if let Some(max) = self.max_memory.filter(|max| resident_bytes().is_some_and(|used| used > *max)) {
            return Some(format!("the memory of {max} bytes is used up"));
        }
        let (until, whole) = self.until?;
        (Instant::now() >= until).then(|| format!("the time of {} s is over", whole.as_secs_f64()))
    }
}

/// The memory this process has in use, as the kernel counts it.
fn resident_bytes() -> Option<u64> {
    const PAGE_BYTES: u64 = 4096;
    let counts = std::fs::read_to_string("/proc/self/statm").ok()?;
    counts.split(' ').nth(1)?.parse::<u64>().ok().map(|pages| pages * PAGE_BYTES)
}

/// How often limits are looked at while an answer is waited for.
const LOOK: Duration = Duration::from_millis(20);
/// How long a program may take to end by itself.
const GRACE: Duration = Duration::from_millis(300);

/// A loaded program that waits for plans.
#[derive(Debug)]
pub struct Process {
    child: Child,
    channel: UnixStream,
    /// Reused for every message.
    buf: Vec<u8>,
    /// Kept open for the child.
    _library: File,
    limits: Limits,
    /// Is it of no use to wait for it to end by itself?
    is_stuck: bool,
}

/// Why a program could not be executed. None of these is the program's verdict.
#[derive(Debug)]
#[non_exhaustive]
pub enum Failed {
    /// It could not be started.
    Start(OsString, io::Error),
    /// It never reached `main` under our control.
    NeverReady(OsString, String),
    /// This executor cannot run it, and why.
    Unsupported(String),
    /// An execution ended the process in a way that left no report.
    Died(u64),
    /// Our own library failed.
    Internal(String),
    /// It was not waited for any longer, and why.
    Cut(String),
}

impl Failed {
    /// What this leaves open, where it is no mistake of the user's or ours.
    #[must_use]
    pub fn inconclusive(&self) -> Option<String> {
        match self {
            Failed::Unsupported(why) | Failed::Cut(why) => Some(why.clone()),
            Failed::Died(_) | Failed::NeverReady(..) => Some(self.to_string()),
            Failed::Start(..) | Failed::Internal(_) => None,
        }
    }
}

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failed::Start(program, e) => write!(f, "cannot start `{}`: {e}", program.display()),
            Failed::NeverReady(program, why) => {
                write!(f, "`{}` did not reach `main` under control: {why}", program.display())
            }
            Failed::Unsupported(why) | Failed::Cut(why) => write!(f, "{why}"),
            Failed::Died(status) => write!(f, "{}", how_it_died(*status as i32)),
            Failed::Internal(what) => write!(f, "the library inside the program failed: {what}"),
        }
    }
}

impl std::error::Error for Failed {}

impl Process {
    /// Starts `target` and brings it to its `main`.
    ///
    /// # Errors
    ///
    /// When it cannot be started, or is no program we can control.
    pub fn start(target: &Target, setup: &Setup, limits: &Limits) -> Result<Process, Failed> {
        let cannot = |e| Failed::Start(target.program.clone(), e);
        inspect::program(target)?;
        adopt_orphans();
        let library = runtime::anonymous_file().map_err(cannot)?;
        let (channel, theirs) = UnixStream::pair().map_err(cannot)?;
        let child = command(target, &library, &theirs).spawn().map_err(cannot)?;
        drop(theirs);
        channel.set_read_timeout(Some(LOOK)).map_err(cannot)?;
        let mut process =
            Process { child, channel, buf: Vec::new(), _library: library, limits: *limits, is_stuck: false };
        match process.receive() {
            Ok(Reply::Ready) => {}
            Ok(Reply::Unsupported(why)) => return Err(Failed::Unsupported(why)),
            Ok(Reply::Internal(what)) => return Err(Failed::Internal(what)),
            Err(cut @ Failed::Cut(_)) => return Err(cut),
            _ => return Err(Failed::NeverReady(target.program.clone(), process.early_end())),
        }
        process.send(setup)?;
        Ok(process)
    }

    /// Executes the program once.
    ///
    /// # Errors
    ///
    /// When that did not produce a report. The process may be used again only
    /// after [`Failed::Died`].
    pub fn execute(&mut self, plan: &Plan) -> Result<Report, Failed> {
        self.send(&Order::Run(plan.clone()))?;
        match self.receive()? {
            Reply::Report(report) => Ok(*report),
            Reply::Ahead(_) => Err(Failed::Internal("it went ahead unasked".to_owned())),
            Reply::Unsupported(why) => Err(Failed::Unsupported(why)),
            Reply::Died(status) => Err(Failed::Died(status)),
            Reply::Internal(what) => Err(Failed::Internal(what)),
            Reply::Ready => Err(Failed::Internal("it is ready twice".to_owned())),
        }
    }

    /// Goes on with a search as `ahead` says. `None` if an execution ended the
    /// process: then nothing has been learnt.
    ///
    /// # Errors
    ///
    /// When the program cannot be executed any more.
    pub(crate) fn go_ahead(&mut self, ahead: Ahead) -> Result<Option<(Search, Further)>, Failed> {
        self.send(&Order::Ahead(ahead))?;
        match self.receive()? {
            Reply::Ahead(further) => {
                let search = Search::resume(&further.search.0);
                let search = search.ok_or_else(|| Failed::Internal("a search makes no sense".to_owned()))?;
                Ok(Some((search, *further)))
            }
            Reply::Report(_) | Reply::Died(_) => Ok(None),
            Reply::Unsupported(why) => Err(Failed::Unsupported(why)),
            Reply::Internal(what) => Err(Failed::Internal(what)),
            Reply::Ready => Err(Failed::Internal("it is ready twice".to_owned())),
        }
    }

    /// The process id, for looking at its memory map.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    fn send<T: Wire>(&mut self, message: &T) -> Result<(), Failed> {
        self.channel.write_all(&frame(message)).map_err(|e| lost(&e))
    }

    fn receive(&mut self) -> Result<Reply, Failed> {
        let Process { channel, buf, limits, is_stuck, .. } = self;
        let mut cut = None;
        let message = unframe(buf, Behind::Nothing, |out| {
            loop {
                match channel.read(out) {
                    Err(e) if e.kind() == io::ErrorKind::Interrupted || is_timeout(&e) => {
                        if let Some(why) = limits.exceeded() {
                            cut = Some(why);
                            return Err(e);
                        }
                    }
                    result => return result,
                }
            }
        });
        match message {
            _ if cut.is_some() => {
                *is_stuck = true;
                Err(Failed::Cut(cut.unwrap_or_default()))
            }
            Ok(Some(words)) => decode(words).ok_or_else(|| Failed::Internal("a message makes no sense".to_owned())),
            Ok(None) => Err(Failed::Unsupported("the processes of the program are gone".to_owned())),
            Err(e) => Err(lost(&e)),
        }
    }

    /// How a program ended that never became ready.
    fn early_end(&mut self) -> String {
        match self.child.wait().ok().map(std::os::unix::process::ExitStatusExt::into_raw) {
            Some(status) => format!("{} before that", how_it_died(status)),
            None => "it does not load our library".to_owned(),
        }
    }

    /// Ends every process of the program and waits until they are gone.
    fn end_all(&mut self) {
        let group = self.child.id() as libc::pid_t;
        // SAFETY: the group was made by `prepare_child` and has processes of the program only.
        unsafe { libc::kill(-group, libc::SIGKILL) };
        // SAFETY: waits for children in this group; nothing is written.
        while unsafe { libc::waitpid(-group, std::ptr::null_mut(), 0) } > 0 {}
        let _ = self.child.wait();
    }
}

fn is_timeout(e: &io::Error) -> bool {
    matches!(e.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut)
}

/// What a status from `waitpid` says.
fn how_it_died(status: i32) -> String {
    if libc::WIFSIGNALED(status) {
        return format!("the process was ended by signal {}", libc::WTERMSIG(status));
    }
    format!("the process ended with status {} without a report", libc::WEXITSTATUS(status))
}

/// Processes of a program whose parent is gone become ours, so that they can be waited for.
fn adopt_orphans() {
    // SAFETY: sets a flag of this process.
    unsafe { libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1) };
}

fn lost(e: &io::Error) -> Failed {
    Failed::Internal(format!("the channel broke: {e}"))
}

impl Drop for Process {
    fn drop(&mut self) {
        // The worker ends when it finds the channel closed, and the nursery after it, unless the program is in the way.
        let _ = self.channel.shutdown(std::net::Shutdown::Both);
        let start = Instant::now();
        while !self.is_stuck && start.elapsed() < GRACE {
            match self.child.try_wait() {
                Ok(None) => std::thread::sleep(Duration::from_millis(1)),
                _ => break,
            }
        }
        self.end_all();
    }
}

/// Has glibc fill blocks of the heap: with zeros when they are given out, with ones when they are given back.
///
/// What nobody initialised, such as the padding of the function that a `std::thread` is given, would else differ from one
/// thread to the next, and threads that differ are not interchangeable. Whatever a program makes of such bytes, it gets the
/// same in every execution.
const HEAP_FILL_VARIABLE: &str = "MALLOC_PERTURB_";
const HEAP_FILL: &str = "255";

fn command(target: &Target, library: &File, channel: &UnixStream) -> Command {
    let mut command = Command::new(&target.program);
    command
        .args(&target.arguments)
        .env("LD_PRELOAD", format!("/proc/self/fd/{LIBRARY}"))
        .env(CHANNEL_VARIABLE, CHANNEL.to_string())
        // PERF: lazily bound calls would be bound again after every restored
        // snapshot; the dynamic linker showed up in profiles.
        .env("LD_BIND_NOW", "1")
        .stdin(Stdio::null());
    if std::env::var_os(HEAP_FILL_VARIABLE).is_none() {
        command.env(HEAP_FILL_VARIABLE, HEAP_FILL);
    }
    match target.output {
        Output::Discarded => command.stdout(Stdio::null()).stderr(Stdio::null()),
        Output::Shown => command.stdout(io::stderr()).stderr(Stdio::inherit()),
    };
    let (library, channel) = (library.as_raw_fd(), channel.as_raw_fd());
    // SAFETY: the closure makes system calls only; it neither allocates nor
    // takes locks between fork and exec.
    unsafe { command.pre_exec(move || prepare_child(library, channel)) };
    command
}

/// Runs in the child: passes two descriptors on, leaves the terminal's group
/// and fixes the address layout, so that the same object has the same address in
/// every process.
fn prepare_child(library: RawFd, channel: RawFd) -> io::Result<()> {
    for (from, to) in [(library, LIBRARY), (channel, CHANNEL)] {
        // SAFETY: duplicates a descriptor; the copy stays open over `exec`.
        if unsafe { libc::dup2(from, to) } < 0 {
            return Err(io::Error::last_os_error());
        }
    }
    // Whatever ends Burnside ends the program, too.
    // SAFETY: sets a flag of this process.
    unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) };
    // An interrupt at the terminal is Burnside's business alone.
    // SAFETY: makes this process the leader of a new group.
    if unsafe { libc::setpgid(0, 0) } < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: sets a flag of this process.
    if unsafe { libc::personality(libc::ADDR_NO_RANDOMIZE as libc::c_ulong) } < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}
