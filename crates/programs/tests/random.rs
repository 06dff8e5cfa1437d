//! Random programs in C: what the explorers see of them is what all interleavings show.
//!
//! `tests/c/random.c` carries out a program that is given as text, and notes what every thread has seen so far after each
//! of its operations, and at the end what there is then. An explorer may leave out executions, but none of these lines,
//! and neither deadlocks nor misuse. `BURNSIDE_FUZZ` asks for more programs, `BURNSIDE_SEED` for others.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use burnside_programs::{Config, ExecutorChoice, Output, SymmetryOption, Target, install_runtime, search};
use burnside_stateless::{Bounds, Method, Strategy, Verdict};
use burnside_testkit::missing;
use burnside_wire::Executor;

const MAX_INTERLEAVINGS: u64 = 3_000;

fn asked(variable: &str, usual: u64) -> u64 {
    std::env::var(variable).ok().and_then(|n| n.parse().ok()).unwrap_or(usual)
}

/// Which of the objects a thread may come to next.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Memory {
    /// Variables are used under a lock only.
    Guarded,
    /// Variables that are atomic, too.
    Watched,
}

/// Writes code for [`random.c`](self).
struct Generator {
    random: u64,
    /// Operations this program may have: a few each, so that threads meet.
    choice: Vec<&'static str>,
}

impl Generator {
    fn new(seed: u64, memory: Memory) -> Generator {
        let mut new = Generator { random: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1, choice: Vec::new() };
        new.below(2);
        let sorts: &[&[&str]] = &[
            &["L", "T", "M"],
            &["L", "T", "D"],
            &["r", "w", "x", "y", "z", "Z"],
            &["W", "t", "S", "B", "S"],
            &["P", "p", "q", "V", "g", "V"],
            &["P", "V", "e", "g"],
            &["A", "a", "C", "c", "d", "G", "C"],
            &["b", "o", "Y", "N"],
            &["K", "j"],
        ];
        let atomics: &[&str] = &["R", "E", "F", "H"];
        let sort = |new: &mut Generator| sorts[new.below(sorts.len())];
        let (first, second) = (sort(&mut new), sort(&mut new));
        let third = if memory == Memory::Watched { atomics } else { sort(&mut new) };
        new.choice = [first, second, third].concat();
        new
    }

    fn below(&mut self, n: usize) -> usize {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        (self.random >> 33) as usize % n
    }

    fn code(&mut self, n_blocks: usize, depth: usize) -> String {
        (0..n_blocks).map(|_| self.block(depth)).collect()
    }

    fn block(&mut self, depth: usize) -> String {
        let which = self.below(self.choice.len());
        let what = self.choice[which];
        let (n, lock) = (self.below(2), self.below(4));
        // What happens while something is held.
        let n_inner = if depth < 2 { self.below(3) } else { 0 };
        match what {
            "L" => format!("L{lock}{}U{lock}", self.guarded(lock, n_inner, depth)),
            "T" | "M" => format!("{what}{lock}{}U{lock}}}.", self.guarded(lock, n_inner, depth)),
            "r" | "w" => format!("{what}{n}{}u{n}", self.code(n_inner, depth + 1)),
            "x" | "y" | "z" | "Z" => format!("{what}{n}{}u{n}}}.", self.code(n_inner, depth + 1)),
            "W" | "t" if depth == 0 => format!("L0{what}{n}{}U0", self.guarded(0, n_inner, 1)),
            "W" | "t" => String::new(),
            "K" => format!("K0{}k0", self.code(n_inner, depth + 1)),
            "j" => format!("j0{}k0}}.", self.code(n_inner, depth + 1)),
            "D" => format!("D{lock}"),
            "b" | "o" | "Y" | "N" => format!("{what}0"),
            what => format!("{what}{n}"),
        }
    }

    /// Code under a lock, often with a use of what it guards.
    fn guarded(&mut self, lock: usize, n_blocks: usize, depth: usize) -> String {
        let use_of_it = if self.below(3) > 0 { format!("v{lock}") } else { String::new() };
        use_of_it + &self.code(n_blocks, depth + 1)
    }

    /// The arguments of the program: are the workers alike, what does the first thread do, and what do the others?
    fn arguments(&mut self) -> Vec<String> {
        let is_alike = self.below(2) == 0;
        let n_workers = 2 + usize::from(self.below(3) == 0);
        let n_blocks = if n_workers == 2 { 3 } else { 2 };
        let mut main = if self.below(3) == 0 { self.code(1, 1) } else { String::new() };
        if self.below(6) == 0 {
            main.push_str(["J0", "J1"][self.below(2)]);
        }
        let first = self.code(1 + n_blocks / 2, 0);
        let mut arguments = vec![u8::from(is_alike).to_string(), main, first.clone()];
        for _ in 1..n_workers {
            let n = 1 + self.below(n_blocks);
            arguments.push(if is_alike { first.clone() } else { self.code(n, 0) });
        }
        arguments
    }
}

fn scratch(name: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("random-{}-{name}", std::process::id()));
    std::fs::create_dir_all(&directory).expect("cargo's directory can be written");
    directory
}

fn compile(directory: &Path, memory: Memory) -> Option<PathBuf> {
    let program = directory.join("random");
    let mut command = Command::new("gcc");
    command.args(["-g", "-w", "-pthread"]);
    command.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/c/random.c")).arg("-o").arg(&program);
    if memory == Memory::Watched {
        install_runtime(directory).expect("the runtime can be written");
        command.arg("-fsanitize=thread").arg(format!("-L{}", directory.display()));
        command.arg(format!("-Wl,-rpath,{}", directory.display()));
    }
    let Ok(output) = command.output() else {
        missing("cc", "C compiler for random programs");
        return None;
    };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(program)
}

/// One way to search.
#[derive(Clone, Debug)]
struct Way {
    method: Method,
    symmetry: SymmetryOption,
    executor: Executor,
    n_jobs: usize,
    preemptions: u32,
    spurious_wakeups: u32,
}

/// What a search has seen.
#[derive(PartialEq, Eq, Debug)]
struct Seen {
    lines: BTreeSet<String>,
    deadlocks: bool,
    failures: bool,
}

struct Comparison {
    program: PathBuf,
    lines: PathBuf,
}

impl Comparison {
    /// Everything seen, and by how many executions; nothing if there are more than `limit`.
    fn explore(&self, arguments: &[String], way: &Way, limit: u64) -> Option<(Seen, u64)> {
        let _ = std::fs::remove_file(&self.lines);
        let mut all = vec![self.lines.clone().into_os_string()];
        all.extend(arguments.iter().map(Into::into));
        let config = Config {
            target: Target { program: self.program.clone().into(), arguments: all, output: Output::Discarded },
            executor: ExecutorChoice::Only(way.executor),
            strategy: Strategy::Exhaustive(way.method.clone()),
            symmetry: way.symmetry.clone(),
            bounds: Bounds { max_executions: limit, max_preemptions: way.preemptions, ..Bounds::default() },
            max_time: None,
            max_memory: None,
            periodic: None,
            spurious_wakeups: way.spurious_wakeups,
            step_timeout: Duration::from_secs(10),
            expected_status: 0,
            finds_leaks: false,
            keep_going: true,
            n_jobs: way.n_jobs,
            interrupted: || false,
        };
        let found = search(&config).unwrap_or_else(|e| panic!("{arguments:?} {way:?}: {e}"));
        let stats = found.report.stats;
        if stats.n_executions >= limit {
            return None;
        }
        // Bounded searches are inconclusive, and so are watched programs for what the C library does.
        if let Verdict::Invalid(why) = &found.report.verdict {
            panic!("{arguments:?} {way:?}: {why:?}");
        }
        let lines = std::fs::read_to_string(&self.lines).unwrap_or_default().lines().map(str::to_owned).collect();
        let seen = Seen { lines, deadlocks: stats.n_deadlocks > 0, failures: stats.n_failed > 0 };
        Some((seen, stats.n_executions))
    }

    /// What is wrong with the answers about one program; `None` if it is too large.
    fn compare(&self, seed: u64, arguments: &[String]) -> Option<String> {
        let is_alike = arguments[0] == "1";
        let executor = [Executor::Snap, Executor::Snap, Executor::Snap, Executor::Fork][(seed % 4) as usize];
        let plain = Way {
            method: Method::Plain,
            symmetry: SymmetryOption::Off,
            executor,
            n_jobs: 1,
            preemptions: u32::MAX,
            spurious_wakeups: u32::from(seed % 16 == 3),
        };
        let (full, n_all) = self.explore(arguments, &plain, MAX_INTERLEAVINGS)?;
        let mut ways =
            vec![Way { method: Method::Optimal, ..plain.clone() }, Way { method: Method::Source, ..plain.clone() }];
        if is_alike {
            ways.push(Way { symmetry: SymmetryOption::Auto, method: Method::Optimal, ..plain.clone() });
            ways.push(Way { symmetry: SymmetryOption::Auto, method: Method::Source, ..plain.clone() });
        }
        if seed % 8 == 5 {
            ways.push(Way { n_jobs: 2, method: Method::Optimal, ..plain.clone() });
        }
        if n_all < 100 {
            ways.push(Way { executor: Executor::Threads, method: Method::Optimal, ..plain.clone() });
        }
        let mut complaint = String::new();
        for way in ways {
            complaint.push_str(&self.difference(arguments, &way, &full));
        }
        if seed % 8 == 6 {
            let bounded = Way { preemptions: (seed / 8 % 3) as u32, ..plain };
            let (full, _) = self.explore(arguments, &bounded, u64::MAX)?;
            let reduced = Way { method: Method::Optimal, ..bounded };
            complaint.push_str(&self.difference(arguments, &reduced, &full));
        }
        Some(complaint)
    }

    fn difference(&self, arguments: &[String], way: &Way, full: &Seen) -> String {
        let (seen, _) = self.explore(arguments, way, u64::MAX).expect("no limit");
        if seen == *full {
            return String::new();
        }
        let missing: Vec<_> = full.lines.difference(&seen.lines).take(3).collect();
        let added: Vec<_> = seen.lines.difference(&full.lines).take(3).collect();
        let (deadlocks, failures) = ((full.deadlocks, seen.deadlocks), (full.failures, seen.failures));
        format!("{way:?}: missing {missing:?}, added {added:?}, deadlocks {deadlocks:?}, failures {failures:?}\n")
    }
}

fn differ(name: &str, memory: Memory, first_seed: u64) {
    let directory = scratch(name);
    let Some(program) = compile(&directory, memory) else { return };
    let comparison = Comparison { program, lines: directory.join("lines") };
    let (mut n_compared, mut n_different) = (0, 0);
    let mut smallest: Option<(usize, String)> = None;
    let n_wanted = asked("BURNSIDE_FUZZ", 15);
    for seed in first_seed + asked("BURNSIDE_SEED", 0).. {
        if n_compared == n_wanted {
            break;
        }
        let arguments = Generator::new(seed, memory).arguments();
        let Some(complaint) = comparison.compare(seed, &arguments) else { continue };
        n_compared += 1;
        let size = arguments.concat().len();
        if !complaint.is_empty() {
            n_different += 1;
            if smallest.as_ref().is_none_or(|(best, _)| size < *best) {
                smallest = Some((size, format!("seed {seed}: {arguments:?}\n{complaint}")));
            }
        }
    }
    if let Some((_, complaint)) = smallest {
        panic!("{n_different} of {n_compared} programs differ, the smallest of them\n{complaint}");
    }
}

#[test]
fn programs_in_c_show_every_explorer_the_same() {
    differ("plain", Memory::Guarded, 1);
}

#[test]
fn watched_programs_in_c_show_every_explorer_the_same() {
    differ("watched", Memory::Watched, 1_000_000);
}
