//! Answers that can be believed: small programs of ours with the verdict they should get, and the same for the shared
//! corpus where it is there. Each is run by default options and leaves no process behind.
//!
//! The programs are in `tests/c/answers`; lines `// expect FLAGS: VERDICT` say what they are compiled with (`watched`
//! stands for memory accesses announced to our runtime) and what is to be found.

#![allow(clippy::print_stderr, reason = "the tests say what they leave out")]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use burnside_programs::{
    Conclusion, Config, ExecutorChoice, Output, Periodic, SymmetryOption, Target, install_runtime, replay, search,
};
use burnside_stateless::{Bounds, End, Method, Strategy};
use burnside_testkit::{missing, shared_corpus};
use burnside_wire::Executor;

fn scratch() -> PathBuf {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("answers-{}-{number}", std::process::id()));
    std::fs::create_dir_all(&directory).expect("cargo's directory can be written");
    directory
}

/// How a program is compiled.
struct Build<'a> {
    flags: Vec<&'a str>,
    is_watched: bool,
}

/// Compiles `source`; `None` when there is no compiler.
fn compile(source: &Path, build: &Build<'_>) -> Option<PathBuf> {
    let is_cpp = source.extension().is_some_and(|suffix| suffix == "cpp");
    let directory = scratch();
    let program = directory.join("program");
    let mut command = Command::new(if is_cpp { "g++" } else { "gcc" });
    command.args(if is_cpp { &["-std=c++20"][..] } else { &[] });
    command.args(["-g", "-w", "-pthread"]).arg(source).args(&build.flags).arg("-o").arg(&program);
    if build.is_watched {
        install_runtime(&directory).expect("the runtime can be written");
        command.arg("-fsanitize=thread").arg(format!("-L{}", directory.display()));
        command.arg(format!("-Wl,-rpath,{}", directory.display()));
    }
    match command.output() {
        Err(_) => {
            missing("cc", &format!("C compiler for {}", source.display()));
            None
        }
        Ok(output) => {
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            Some(program)
        }
    }
}

/// As the command line has it by default, with a limit of time.
fn config(program: &Path, arguments: &[&str]) -> Config {
    let arguments = arguments.iter().map(Into::into).collect();
    Config {
        target: Target { program: program.into(), arguments, output: Output::Discarded },
        executor: ExecutorChoice::Auto,
        strategy: Strategy::Exhaustive(Method::Optimal),
        symmetry: SymmetryOption::Auto,
        bounds: Bounds::default(),
        max_time: Some(Duration::from_secs(5)),
        max_memory: None,
        periodic: None,
        spurious_wakeups: 0,
        step_timeout: Duration::from_secs(10),
        expected_status: 0,
        finds_leaks: false,
        keep_going: false,
        n_jobs: 1,
        interrupted: || false,
    }
}

fn explore(config: &Config) -> Conclusion {
    search(config).unwrap_or_else(|e| panic!("{:?}: {e}", config.target.program))
}

/// `holds`, `inconclusive`, or the word for the fault.
fn verdict(conclusion: &Conclusion) -> String {
    match &conclusion.details {
        Some(details) => details.trace.end.as_ref().map_or("", End::word).to_owned(),
        None => conclusion.report.verdict.word().to_owned(),
    }
}

/// Processes that run this program.
fn left_behind(program: &Path) -> usize {
    let processes = std::fs::read_dir("/proc").expect("/proc is mounted").flatten();
    let runs_it =
        |entry: &std::fs::DirEntry| std::fs::read_link(entry.path().join("exe")).is_ok_and(|exe| exe == program);
    processes.filter(runs_it).count()
}

#[test]
fn our_programs_have_their_answers() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/c/answers");
    let mut n_answers = 0;
    let mut wrong = Vec::new();
    for entry in std::fs::read_dir(directory).expect("the programs are there").flatten() {
        let source = entry.path();
        let text = std::fs::read_to_string(&source).expect("a program");
        for line in text.lines().filter_map(|line| line.strip_prefix("// expect")) {
            let (flags, expected) = line.split_once(": ").expect("flags, a colon and a verdict");
            let is_watched = flags.split_whitespace().any(|flag| flag == "watched");
            let flags = flags.split_whitespace().filter(|flag| *flag != "watched").collect();
            let Some(program) = compile(&source, &Build { flags, is_watched }) else { return };
            let found = verdict(&explore(&config(&program, &[])));
            n_answers += 1;
            if found != expected {
                wrong.push(format!("{}{line}, found {found}", source.display()));
            }
            assert_eq!(left_behind(&program), 0, "{}{line}", source.display());
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(n_answers > 60, "only {n_answers} answers were looked at");
}

#[test]
fn every_executor_has_the_same_answers() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/c/answers");
    for (source, flags, expected) in [
        ("semaphores.c", vec!["-DTRY", "-DWANT=0"], "assertion"),
        ("alike.c", vec!["-DGETTID"], "assertion"),
        ("alike.c", vec!["-DONE_JOIN"], "deadlock"),
        ("ends.c", vec!["-DCLEANUP"], "holds"),
        ("ends.c", vec!["-DLOST"], "holds"),
        ("clocks.c", vec!["-DCAUSE"], "holds"),
        ("outside.c", vec!["-DPIPE"], "assertion"),
        ("uncaught.cpp", vec!["-DTHROW"], "abort"),
        ("uncaught.cpp", vec!["-DEXIT"], "holds"),
        ("once.cpp", vec![], "holds"),
    ] {
        let Some(program) = compile(&directory.join(source), &Build { flags, is_watched: false }) else { return };
        for executor in Executor::ALL {
            let config = Config { executor: ExecutorChoice::Only(executor), ..config(&program, &[]) };
            assert_eq!(verdict(&explore(&config)), expected, "{source} by {}", executor.word());
        }
    }
}

/// Calls answer as they do without us: the same random calls by two threads in a forced order, call by call.
#[test]
fn calls_answer_as_in_the_c_library() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/c");
    let build = Build { flags: Vec::new(), is_watched: false };
    let Some(program) = compile(&directory.join("calls.c"), &build) else { return };
    let (native, controlled) = (scratch().join("native"), scratch().join("controlled"));
    let mut n_calls = 0;
    for seed in 1..=60 {
        let seed = seed.to_string();
        let status = Command::new(&program).arg(&native).arg(&seed).status().expect("it can be started");
        assert!(status.success(), "seed {seed}: {status}");
        let bounds = Bounds { max_executions: 1, ..Bounds::default() };
        let executor = ExecutorChoice::Only(Executor::ALL[n_calls % 2]);
        let arguments = [controlled.to_str().expect("a name of ours"), &seed];
        explore(&Config { bounds, executor, ..config(&program, &arguments) });
        let read = |file: &Path| std::fs::read_to_string(file).expect("the calls were written down");
        let (expected, found) = (read(&native), read(&controlled));
        for (line, (expected, found)) in expected.lines().zip(found.lines()).enumerate() {
            assert_eq!(found, expected, "seed {seed}, line {line}");
        }
        assert_eq!(found.lines().count(), expected.lines().count(), "seed {seed}");
        n_calls += expected.lines().count();
    }
    assert!(n_calls > 3_000, "only {n_calls} calls were compared");
}

#[test]
fn faults_with_visible_ends_replay() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/c/answers/ends.c");
    for flag in ["-DBUSY", "-DENDED"] {
        let Some(program) = compile(&source, &Build { flags: vec![flag], is_watched: false }) else { return };
        let config = config(&program, &[]);
        let fault = explore(&config).details.expect("a fault");
        for executor in Executor::ALL {
            let again = replay(&config, executor, &fault.schedule).expect("the schedule can be followed");
            assert_eq!(again.trace.end.as_ref().map(End::word), Some("assertion"), "{flag} {}", executor.word());
        }
    }
}

/// Threads that nobody has joined or detached are reported where that is asked for, and only there.
#[test]
fn leaked_threads_are_reported_on_request() {
    let source = scratch().join("leaks.c");
    let text = "#include <pthread.h>\nstatic void *work(void *u) { return 0; }\n\
        static void *alone(void *u) { pthread_detach(pthread_self()); return 0; }\n\
        int main(void) { pthread_t t; pthread_create(&t, 0, ROUTINE, 0); END; return 0; }\n";
    std::fs::write(&source, text).expect("scratch");
    for (routine, end, expected) in [
        ("work", "(void)t", "misuse"),
        ("work", "pthread_exit(0)", "misuse"),
        ("work", "pthread_join(t, 0)", "holds"),
        ("work", "pthread_detach(t)", "holds"),
        ("alone", "(void)t", "holds"),
    ] {
        let flags = [format!("-DROUTINE={routine}"), format!("-DEND={end}")];
        let flags = flags.iter().map(String::as_str).collect();
        let Some(program) = compile(&source, &Build { flags, is_watched: false }) else { return };
        for executor in Executor::ALL {
            let quiet = Config { executor: ExecutorChoice::Only(executor), ..config(&program, &[]) };
            assert_eq!(verdict(&explore(&quiet)), "holds", "{routine} {end} by {}", executor.word());
            let asked = Config { finds_leaks: true, ..quiet };
            assert_eq!(verdict(&explore(&asked)), expected, "{routine} {end} by {}", executor.word());
        }
    }
}

/// Threads of C++ that are given equal values, or none, are interchangeable: of the orders in which `n` of them take a lock,
/// `n!`, one is explored. Where nothing is given, all of a block but its head is padding.
#[test]
fn workers_of_cpp_are_interchangeable() {
    for (name, lambda) in
        [("workers", "[a, b] { Guard guard(m); n += a + b; }"), ("idle", "[] { Guard guard(m); n++; }")]
    {
        let source = scratch().join(format!("{name}.cpp"));
        let text = format!(
            "#include <mutex>\n#include <thread>\n#include <vector>\nstatic std::mutex m; static long n;\n\
            using Guard = std::lock_guard<std::mutex>;\n\
            int main() {{ std::vector<std::thread> all; long a = 1, b = 2; (void)a; (void)b;\n\
            for (int i = 0; i < N; i++) all.emplace_back({lambda});\n\
            for (auto &one : all) one.join(); return 0; }}\n"
        );
        std::fs::write(&source, text).expect("scratch");
        let mut n_orders = 1;
        for n in 2..=6 {
            n_orders *= n;
            let flag = format!("-DN={n}");
            let Some(program) = compile(&source, &Build { flags: vec![&flag], is_watched: false }) else { return };
            let config = Config { max_time: None, ..config(&program, &[]) };
            let found = explore(&config);
            let answer = (verdict(&found), found.report.stats.n_executions);
            assert_eq!(answer, ("holds".to_owned(), 1), "{name} {n}: {:?}", found.notes);
            let all = explore(&Config { symmetry: SymmetryOption::Off, ..config });
            assert_eq!((verdict(&all).as_str(), all.report.stats.n_executions), ("holds", n_orders));
        }
    }
}

/// A data race is shown with both accesses, by the name of the variable, and threads of C++ by what they call.
#[test]
fn races_are_shown_with_both_stacks() {
    let source = scratch().join("race.cpp");
    let text = "#include <thread>\nstatic int before, counter[4];\nstatic void add() { counter[2]++; }\n\
        int main() { std::thread a(add); std::thread b([] { add(); }); a.join(); b.join(); return before; }\n";
    std::fs::write(&source, text).expect("scratch");
    let Some(program) = compile(&source, &Build { flags: Vec::new(), is_watched: true }) else { return };
    let config = config(&program, &[]);
    let details = explore(&config).details.expect("a race");
    let Some(End::Failed(failure)) = &details.trace.end else { panic!("{:?}", details.trace.end) };
    assert!(failure.message.starts_with("data race") && failure.message.contains("counter[2]"), "{failure:?}");
    assert!(details.names.threads[1].contains("add"), "{:?}", details.names.threads);
    assert!(details.names.threads[2].contains("lambda"), "{:?}", details.names.threads);
    let in_add = details.stacks.iter().filter(|(_, frames)| frames.iter().any(|frame| frame.starts_with("add")));
    assert_eq!(in_add.count(), 2, "{:?}", details.stacks);
    // With threads of the kernel blocks of the heap lie elsewhere, and their words have their addresses as names.
    for executor in [Executor::Snap, Executor::Fork] {
        let again = replay(&config, executor, &details.schedule).expect("the schedule can be followed");
        assert_eq!(again.trace.end.as_ref().map(End::word), Some("race"), "{}", executor.word());
    }
}

/// A program that never ends, and one that never comes to a call.
#[test]
fn limits_of_time_are_kept() {
    let directory = scratch();
    let poll = "#include <pthread.h>\nstatic pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; static int done;\n\
        static void *f(void *u) { pthread_mutex_lock(&m); done = 1; pthread_mutex_unlock(&m); return 0; }\n\
        int main(void) { pthread_t t; int d; pthread_create(&t, 0, f, 0); do { pthread_mutex_lock(&m); d = done; \
        pthread_mutex_unlock(&m); } while (!d); pthread_join(t, 0); return 0; }\n";
    let spin = "#include <pthread.h>\nstatic volatile int done;\n\
        static void *f(void *u) { while (!done); return 0; }\n\
        int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); done = 1; pthread_join(t, 0); return 0; }\n";
    for (name, text) in [("poll.c", poll), ("spin.c", spin)] {
        let source = directory.join(name);
        std::fs::write(&source, text).expect("scratch");
        let Some(program) = compile(&source, &Build { flags: Vec::new(), is_watched: false }) else { return };
        let start = Instant::now();
        let conclusion = explore(&Config { max_time: Some(Duration::from_secs(1)), ..config(&program, &[]) });
        assert_eq!(verdict(&conclusion), "inconclusive", "{name}");
        // Three executors are tried one after the other, on a machine that may be busy.
        assert!(start.elapsed() < Duration::from_secs(4), "{name} took {:?}", start.elapsed());
        assert_eq!(left_behind(&program), 0, "{name}");
    }
}

/// A search says when its memory is used up, and writes itself down while it goes on.
#[test]
fn limits_of_memory_are_kept_and_searches_are_saved() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/c");
    let build = Build { flags: Vec::new(), is_watched: false };
    let Some(program) = compile(&directory.join("lockers.c"), &build) else { return };
    let conclusion = explore(&Config { max_memory: Some(1), ..config(&program, &["3"]) });
    assert_eq!(verdict(&conclusion), "inconclusive");
    let headline = burnside_stateless::headline(&conclusion.report);
    assert!(headline.contains("memory"), "{headline}");
    let file = scratch().join("search");
    let periodic = Some(Periodic { file: file.clone(), every: Duration::ZERO });
    explore(&Config { periodic, symmetry: SymmetryOption::Off, ..config(&program, &["3"]) });
    let saved = std::fs::read(&file).expect("the search was written");
    assert!(saved.starts_with(b"burnside search 1\n"));
}

/// Runs as long as this ended the library inside the program.
#[test]
fn long_executions_are_explored() {
    let source = scratch().join("long.c");
    let text = "#include <pthread.h>\nstatic pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n\
        static void *f(void *u) { for (int i = 0; i < 4000; i++) { pthread_mutex_lock(&m); pthread_mutex_unlock(&m); } \
        return 0; }\n\
        int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); f(0); pthread_join(t, 0); return 0; }\n";
    std::fs::write(&source, text).expect("scratch");
    let Some(program) = compile(&source, &Build { flags: Vec::new(), is_watched: false }) else { return };
    let bounds = Bounds { max_executions: 40, ..Bounds::default() };
    let conclusion = explore(&Config { bounds, max_time: None, ..config(&program, &[]) });
    assert_eq!(verdict(&conclusion), "inconclusive");
    assert!(conclusion.report.stats.max_depth >= 16_000, "{:?}", conclusion.report.stats);
}

#[test]
fn what_is_no_program_is_refused() {
    let directory = scratch();
    let script = directory.join("script");
    std::fs::write(&script, "#!/bin/sh\ntrue\n").expect("scratch");
    let e = search(&config(&script, &[])).expect_err("a script is no program");
    assert!(e.to_string().contains("script"), "{e}");
    let source = directory.join("plain.c");
    std::fs::write(&source, "int main(void) { return 0; }\n").expect("scratch");
    let Some(program) = compile(&source, &Build { flags: vec!["-static"], is_watched: false }) else { return };
    let conclusion = explore(&config(&program, &[]));
    assert_eq!(verdict(&conclusion), "inconclusive");
}

/// The rows of the shared corpus whose programs once got a wrong answer, or none.
#[test]
fn every_trap_of_the_corpus_has_its_answer() {
    let Some(corpus) = shared_corpus().map(|corpus| corpus.join("programs-traps")) else { return };
    let table = std::fs::read_to_string(corpus.join("expected.tsv")).expect("the corpus has its table");
    for row in table.lines().skip(1) {
        let columns: Vec<&str> = row.split('\t').collect();
        let [file, build, arguments, expected, _] = columns[..] else { panic!("five columns expected: {row}") };
        for is_watched in [false, true] {
            if !build.contains(if is_watched { "tsan" } else { "plain" }) {
                continue;
            }
            let Some(program) = compile(&corpus.join(file), &Build { flags: Vec::new(), is_watched }) else { return };
            let arguments: Vec<&str> = arguments.split_whitespace().collect();
            // Some of them never end, and say so when their time is over.
            let config = Config { max_time: Some(Duration::from_secs(3)), ..config(&program, &arguments) };
            let found = explore(&config).report.verdict.word();
            assert!(expected.split_whitespace().any(|word| word == found), "{file} {build}: {found}, not {expected}");
            assert_eq!(left_behind(&program), 0, "{file} {build}");
        }
    }
}
