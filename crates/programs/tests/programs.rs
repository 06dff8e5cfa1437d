//! Real programs, compiled here and explored: verdicts, counts, replay.
//!
//! The programs are in `tests/c`; those of the shared corpus (`BURNSIDE_SHARED`, or
//! `../shared` beside the repository) are tested too. Without these or a C compiler
//! the tests fail, unless `BURNSIDE_ALLOW_MISSING` allows it.

#![allow(clippy::print_stderr, reason = "the tests say what they leave out")]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use burnside_programs::{
    Conclusion, Config, ExecutorChoice, Output, SymmetryOption, Target, go_on, install_runtime, replay, search,
};
use burnside_stateless::{Bounds, End, Method, Persistent, Schedule, Strategy, headline};
use burnside_testkit::{missing, shared_corpus};
use burnside_wire::Executor;

/// A directory of its own for every test, under cargo's.
fn scratch() -> PathBuf {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{}-{number}", std::process::id()));
    std::fs::create_dir_all(&directory).expect("cargo's directory can be written");
    directory
}

/// Compiles `source`; `None` when there is no compiler.
fn compile(source: &Path, flags: &[&str]) -> Option<PathBuf> {
    let compiler = if source.extension().is_some_and(|suffix| suffix == "cpp") { "g++" } else { "gcc" };
    let program = scratch().join("program");
    let mut command = Command::new(compiler);
    command.args(["-g", "-O1", "-w", "-pthread"]).arg(source).args(flags).arg("-o").arg(&program);
    command.arg("-I").arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("include"));
    match command.output() {
        Err(_) => {
            missing("cc", &format!("`{compiler}` for {}", source.display()));
            None
        }
        Ok(output) => {
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            Some(program)
        }
    }
}

fn own(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/c").join(name)
}

fn config(program: &Path) -> Config {
    Config {
        target: Target { program: program.into(), arguments: Vec::new(), output: Output::Discarded },
        executor: ExecutorChoice::Auto,
        strategy: Strategy::Exhaustive(Method::Optimal),
        symmetry: SymmetryOption::Off,
        bounds: Bounds::default(),
        max_time: None,
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

/// `holds`, or the word for the fault.
fn verdict(conclusion: &Conclusion) -> String {
    match &conclusion.details {
        Some(details) => details.trace.end.as_ref().map_or("", End::word).to_owned(),
        None => conclusion.report.verdict.word().to_owned(),
    }
}

/// Explores a program of ours and compares the verdict.
fn check(source: &str, flags: &[&str], expected: &str) {
    let Some(program) = compile(&own(source), flags) else { return };
    let conclusion = explore(&config(&program));
    assert_eq!(verdict(&conclusion), expected, "{source} {flags:?}");
}

#[test]
fn deadlocks_are_found_and_their_absence_is_proved() {
    check("philosophers.c", &[], "deadlock");
    check("philosophers.c", &["-DORDERED"], "holds");
}

#[test]
fn a_signal_may_wake_any_waiter() {
    check("handover.c", &[], "deadlock");
    check("handover.c", &["-DBROADCAST"], "holds");
}

#[test]
fn the_threads_of_c11_are_controlled() {
    check("c11.c", &[], "assertion");
    check("c11.c", &["-DFIXED"], "holds");
}

#[test]
fn locks_barriers_keys_and_thread_locals_work() {
    check("rwlock.c", &[], "holds");
}

#[test]
fn futex_calls_are_controlled() {
    // Without memory being watched, orders of accesses to the word are not explored.
    check("futex.c", &[], "inconclusive");
    check("futex.c", &["-DLOST"], "deadlock");
}

#[test]
fn crashes_and_aborts_are_found() {
    check("crash.c", &[], "crash");
    check("abort.c", &[], "abort");
}

#[test]
fn semaphores_with_names_are_shared() {
    check("named.c", &[], "holds");
    check("named.c", &["-DOTHER"], "deadlock");
}

#[test]
fn several_semaphores_are_taken_at_once_or_not_at_all() {
    check("semops.c", &[], "holds");
    check("semops.c", &["-DAPART"], "deadlock");
}

#[test]
fn processes_are_waited_for() {
    check("children.c", &[], "holds");
    check("children.c", &["-DNEVER"], "deadlock");
}

#[test]
fn a_thread_that_never_comes_back_is_no_verdict() {
    let Some(program) = compile(&own("spin.c"), &[]) else { return };
    for executor in Executor::ALL {
        let step_timeout = Duration::from_millis(400);
        let only = ExecutorChoice::Only(executor);
        let conclusion = explore(&Config { step_timeout, executor: only, ..config(&program) });
        assert_eq!(verdict(&conclusion), "inconclusive", "{}", executor.word());
        let why = headline(&conclusion.report);
        assert!(why.contains("without a call that is controlled"), "{}: {why}", executor.word());
    }
}

#[test]
fn spurious_wakeups_are_an_option() {
    let Some(program) = compile(&own("spurious.c"), &[]) else { return };
    assert_eq!(verdict(&explore(&config(&program))), "holds");
    let spurious = Config { spurious_wakeups: 1, ..config(&program) };
    assert_eq!(verdict(&explore(&spurious)), "assertion");
}

#[test]
fn every_throw_is_tried() {
    let Some(program) = compile(&own("toss.c"), &[]) else { return };
    let conclusion = explore(&Config { keep_going: true, ..config(&program) });
    assert_eq!(verdict(&conclusion), "assertion");
    let stats = conclusion.report.stats;
    assert_eq!((stats.n_executions, stats.n_failed), (36, 1));
}

#[test]
fn faults_come_with_source_lines_and_every_stack() {
    let Some(program) = compile(&own("philosophers.c"), &[]) else { return };
    for executor in Executor::ALL {
        let conclusion = explore(&Config { executor: ExecutorChoice::Only(executor), ..config(&program) });
        let details = conclusion.details.expect("philosophers deadlock");
        assert_eq!(details.stacks.len(), 3, "{}", executor.word());
        for (thread, frames) in &details.stacks {
            assert!(frames[0].starts_with("dine at philosophers.c:"), "{thread}: {frames:?}");
        }
        assert!(details.names.places.iter().all(|place| place.starts_with("philosophers.c:")));
        let named: Vec<&str> = details.names.objects.iter().map(|(_, name)| name.as_str()).collect();
        assert_eq!(named, ["fork_[0]", "fork_[1]", "fork_[2]"]);
    }
}

#[test]
fn philosophers_have_two_to_the_n_less_one_traces() {
    for n in 2..=6 {
        let Some(program) = compile(&own("philosophers.c"), &[&format!("-DN={n}")]) else { return };
        let stats = explore(&Config { keep_going: true, ..config(&program) }).report.stats;
        assert_eq!((stats.n_traces(), stats.n_deadlocks), ((1 << n) - 1, 1), "{n} philosophers");
    }
}

#[test]
fn interchangeable_threads_are_found_and_leave_one_trace() {
    for (n, k, all, up_to_symmetry) in [(4, 1, 24, 1), (5, 1, 120, 1), (4, 2, 2520, 105)] {
        let flags = [format!("-DN={n}"), format!("-DK={k}")];
        let Some(program) = compile(&own("lockers.c"), &[&flags[0], &flags[1]]) else { return };
        let off = explore(&config(&program));
        assert_eq!((verdict(&off).as_str(), off.report.stats.n_executions), ("holds", all), "{flags:?}");
        let auto = explore(&Config { symmetry: SymmetryOption::Auto, ..config(&program) });
        assert_eq!((verdict(&auto).as_str(), auto.report.stats.n_executions), ("holds", up_to_symmetry), "{flags:?}");
    }
}

/// Who comes last to a barrier is told so; the order of the others makes no difference.
#[test]
fn arrivals_at_a_barrier_commute_but_for_the_last() {
    for (n, all, up_to_symmetry) in [(2, 2 * 2, 2), (3, 3 * 6, 6), (4, 4 * 24, 18)] {
        let Some(program) = compile(&own("pool.c"), &["-DMEET", &format!("-DN={n}")]) else { return };
        let off = explore(&config(&program));
        assert_eq!((verdict(&off).as_str(), off.report.stats.n_executions), ("holds", all), "{n} threads");
        let auto = explore(&Config { symmetry: SymmetryOption::Auto, ..config(&program) });
        assert_eq!((verdict(&auto).as_str(), auto.report.stats.n_executions), ("holds", up_to_symmetry), "{n} threads");
    }
}

/// Of the `n!` orders in which workers take a lock one is left where they are interchangeable; where they are not, a note
/// names the line that creates them.
#[test]
fn workers_are_interchangeable_or_a_line_says_why_not() {
    let source = std::fs::read_to_string(own("given.c")).expect("the program is there");
    let line = source.lines().position(|line| line.contains("the line that a report names")).expect("it is marked") + 1;
    for (flag, why) in [
        ("-DNOTHING", None),
        ("-DBLOCK", None),
        ("-DNUMBER", Some("threads 1 and 2 hold their arguments, 0x0 and 0x1, which may tell them apart")),
        ("-DOBJECT", Some("threads 1 and 2 hold their arguments, 0x")),
    ] {
        for n in 2..=6 {
            let orders: u64 = (1..=n).product();
            let Some(program) = compile(&own("given.c"), &[flag, &format!("-DN={n}")]) else { return };
            let off = explore(&config(&program));
            assert_eq!((verdict(&off).as_str(), off.report.stats.n_executions), ("holds", orders), "{flag} {n}");
            let auto = explore(&Config { symmetry: SymmetryOption::Auto, ..config(&program) });
            let up_to_symmetry = if why.is_some() { orders } else { 1 };
            let found = (verdict(&auto), auto.report.stats.n_executions);
            assert_eq!(found, ("holds".to_owned(), up_to_symmetry), "{flag} {n}: {:?}", auto.notes);
            let note = auto.notes.iter().find(|note| note.contains("symmetry"));
            let Some(why) = why else {
                assert_eq!(note, None, "{flag} {n}");
                continue;
            };
            let note = note.expect("a note says why");
            assert!(note.contains(why), "{flag} {n}: {note}");
            assert!(
                note.contains(&format!("(created at given.c:{line}, to run `work`, given.c:")),
                "{flag} {n}: {note}"
            );
        }
    }
}

/// The allocator knows the end of the last block on the heap, which tells nobody anything. Where the program, or the C
/// library on its behalf, has the same address, the last worker is not like the others.
#[test]
fn workers_whose_blocks_are_known_to_others_are_told_apart() {
    for (flag, holder) in [("-DPUBLISH", "at known"), ("-DSTREAM", "at _IO_2_1_stderr_")] {
        for n in 2..=4 {
            let flags = ["-DBLOCK", flag, &format!("-DN={n}")];
            let Some(program) = compile(&own("given.c"), &flags) else { return };
            let auto = explore(&Config { symmetry: SymmetryOption::Auto, ..config(&program) });
            // The last one among the others, which are alike.
            assert_eq!((verdict(&auto).as_str(), auto.report.stats.n_executions), ("holds", n), "{flags:?}");
            let why = format!("others know what threads 1 and {n} were given, {holder}");
            assert!(auto.notes.iter().any(|note| note.contains(&why)), "{flags:?}: {:?}", auto.notes);
        }
    }
}

fn declared(text: &str) -> SymmetryOption {
    text.parse().expect("a declaration")
}

/// Workers with numbers are not interchangeable unless that is declared; the note says where they begin and how.
#[test]
fn workers_with_numbers_can_be_declared_interchangeable() {
    for n in 2..=6 {
        let orders: u64 = (1..=n).product();
        let Some(program) = compile(&own("pool.c"), &[&format!("-DN={n}")]) else { return };
        let auto = explore(&Config { symmetry: SymmetryOption::Auto, ..config(&program) });
        assert_eq!((verdict(&auto).as_str(), auto.report.stats.n_executions), ("holds", orders), "{n} workers");
        let why = "no symmetry is used: thread 1 writes before its first operation, to slots[0] (created at pool.c:35, to \
                   run `work`, pool.c:13); if it treats its arguments alike, declare that by --sym check:interchange:work";
        assert!(auto.notes.iter().any(|note| note == why), "{:?}", auto.notes);
        let symmetry = declared("check:interchange:work");
        let checked = explore(&Config { symmetry, ..config(&program) });
        assert_eq!((verdict(&checked).as_str(), checked.report.stats.n_executions), ("holds", 1), "{n} workers");
        // Each of 32 random executions and the one explored, by every exchange of two.
        let n_permuted = 33 * n * (n - 1) / 2;
        let says_how_many = format!("{n_permuted} permuted executions agree with the symmetry");
        assert!(checked.notes.contains(&says_how_many), "{:?}", checked.notes);
    }
}

/// Where memory is watched, what belongs to each worker has to be named, too.
#[test]
fn workers_with_slots_of_watched_memory_can_be_declared_interchangeable() {
    let runtime = scratch();
    install_runtime(&runtime).expect("the runtime can be written");
    let (search_path, load_path) = (format!("-L{}", runtime.display()), format!("-Wl,-rpath,{}", runtime.display()));
    for (n, all, up_to_symmetry) in [(2, 2, 2), (3, 6, 5), (4, 24, 14)] {
        let number = format!("-DN={n}");
        let flags = ["-fsanitize=thread", search_path.as_str(), load_path.as_str(), number.as_str()];
        let Some(program) = compile(&own("pool.c"), &flags) else { return };
        for (symmetry, n_executions) in
            [("off", all), ("interchange:work", all), ("check:interchange:work:slots", up_to_symmetry)]
        {
            let explored = explore(&Config { symmetry: declared(symmetry), ..config(&program) });
            let found = (verdict(&explored), explored.report.stats.n_executions);
            assert_eq!(found, ("holds".to_owned(), n_executions), "{n} workers, {symmetry}");
        }
        let error = search(&Config { symmetry: declared("interchange:work:n_done"), ..config(&program) });
        assert!(error.is_err(), "a variable is no array");
    }
}

#[test]
fn threads_that_can_be_told_apart_are_not_interchanged() {
    for (flag, expected, note) in [
        ("-DPLAIN", "holds", ""),
        ("-DSELF", "assertion", "asks which thread it is"),
        ("-DRESULT", "assertion", "results of threads that began alike are taken"),
        ("-DNUMBERED", "assertion", "before their first operation"),
    ] {
        let Some(program) = compile(&own("tickets.c"), &[flag]) else { return };
        let off = explore(&config(&program));
        assert_eq!((verdict(&off).as_str(), off.report.stats.n_symmetric), (expected, 0), "{flag}");
        for n_jobs in [1, 2] {
            let auto = explore(&Config { symmetry: SymmetryOption::Auto, n_jobs, ..config(&program) });
            assert_eq!(verdict(&auto), expected, "{flag}");
            assert_eq!(auto.report.stats.n_symmetric > 0, flag == "-DPLAIN", "{flag}: {:?}", auto.report.stats);
            let said = auto.notes.iter().any(|text| text.contains("symmetry") && text.contains(note));
            assert_eq!(said, !note.is_empty(), "{flag}: {:?}", auto.notes);
        }
    }
}

#[test]
fn all_executors_see_the_same_executions() {
    for source in ["philosophers.c", "handover.c", "lockers.c", "c11.c"] {
        let Some(program) = compile(&own(source), &[]) else { return };
        let counts = Executor::ALL.map(|executor| {
            let executor = ExecutorChoice::Only(executor);
            let stats = explore(&Config { executor, keep_going: true, ..config(&program) }).report.stats;
            (stats.n_executions, stats.n_transitions, stats.n_deadlocks, stats.n_failed)
        });
        assert!(counts.iter().all(|count| *count == counts[0]), "{source}: {counts:?}");
    }
}

#[test]
fn processes_side_by_side_see_the_same_executions() {
    let Some(program) = compile(&own("lockers.c"), &["-DN=4", "-DK=2"]) else { return };
    for n_jobs in [2, 3] {
        let stats = explore(&Config { n_jobs, ..config(&program) }).report.stats;
        assert_eq!(stats.n_traces(), 2520, "{n_jobs} jobs");
    }
}

#[test]
fn failing_schedules_replay_every_time() {
    for source in ["philosophers.c", "handover.c", "c11.c", "crash.c", "abort.c"] {
        let Some(program) = compile(&own(source), &[]) else { return };
        let config = config(&program);
        let conclusion = explore(&config);
        let expected = conclusion.details.expect("a fault");
        for attempt in 0..100 {
            let executor = Executor::ALL[attempt % Executor::ALL.len()];
            let again = replay(&config, executor, &expected.schedule).expect("the schedule can be followed");
            assert_eq!(again.schedule, expected.schedule, "{source}, attempt {attempt}");
        }
    }
}

/// Figure 2 of `symmetry-on-transitions` with another number of philosophers.
fn figure_2(n: usize) -> Option<PathBuf> {
    let printed = std::fs::read_to_string(own("figure2.c")).expect("the program is there");
    assert!(printed.contains("#define N 2\n"), "printed with two philosophers");
    let source = scratch().join("figure2.c");
    std::fs::write(&source, printed.replace("#define N 2\n", &format!("#define N {n}\n"))).expect("scratch");
    compile(&source, &["-include", "verisoft.h"])
}

fn table_1(n: usize, method: Method, symmetry: SymmetryOption) -> Option<u64> {
    let program = figure_2(n)?;
    let strategy = Strategy::Exhaustive(method);
    let executor = ExecutorChoice::Only(Executor::Threads);
    let config = Config { strategy, symmetry, executor, keep_going: true, ..config(&program) };
    Some(explore(&config).report.stats.n_transitions)
}

fn ring_of(n: usize) -> SymmetryOption {
    SymmetryOption::Ring { symbol: "sysv".to_owned(), size: n }
}

/// Processes, transitions with partial order, and with symmetry too.
const TABLE_1: [(usize, u64, u64); 5] = [(2, 17, 9), (3, 75, 37), (4, 275, 133), (5, 959, 461), (6, 3295, 1581)];

#[test]
fn figure_2_has_the_transitions_of_table_1() {
    let paper = || Method::Persistent(Persistent::Releases);
    for (n, with_partial_order, with_symmetry) in TABLE_1 {
        let Some(found) = table_1(n, paper(), SymmetryOption::Off) else { return };
        assert_eq!(found, with_partial_order, "{n} processes, partial order");
        assert_eq!(table_1(n, paper(), ring_of(n)), Some(with_symmetry), "{n} processes, symmetry");
    }
    // With four processes there are 386816; `docs/programs.md` has the command, which takes minutes.
    assert_eq!(table_1(2, Method::Plain, SymmetryOption::Off), Some(18));
    assert_eq!(table_1(3, Method::Plain, SymmetryOption::Off), Some(1680));
}

#[test]
fn figure_2_needs_no_more_by_default() {
    for (n, with_partial_order, with_symmetry) in TABLE_1.into_iter().take(4) {
        let Some(found) = table_1(n, Method::Optimal, SymmetryOption::Off) else { return };
        assert!(found <= with_partial_order, "{n} processes: {found}");
        let found = table_1(n, Method::Optimal, ring_of(n)).expect("compiled before");
        assert!(found <= with_symmetry, "{n} processes with symmetry: {found}");
    }
}

#[test]
fn a_program_that_forks_falls_back_to_kernel_threads() {
    let Some(program) = figure_2(2) else { return };
    let conclusion = explore(&config(&program));
    assert_eq!((verdict(&conclusion).as_str(), conclusion.executor), ("deadlock", Executor::Threads));
    assert_eq!(conclusion.notes.len(), 2, "{:?}", conclusion.notes);
    assert!(conclusion.notes[0].contains("the program forks"), "{:?}", conclusion.notes);
}

#[test]
fn a_wrong_declaration_is_refuted() {
    // Philosophers that take their forks in order are no ring.
    let Some(program) = compile(&own("philosophers.c"), &["-DORDERED"]) else { return };
    let ring = SymmetryOption::Ring { symbol: "fork_".to_owned(), size: 3 };
    let symmetry = SymmetryOption::Check(Box::new(ring));
    let error = search(&Config { symmetry, ..config(&program) }).expect_err("the declaration is wrong");
    assert!(error.to_string().contains("does not have this symmetry"), "{error}");
}

#[test]
fn memory_accesses_become_visible_by_the_sanitizers_interface() {
    let runtime = scratch();
    install_runtime(&runtime).expect("the runtime can be written");
    let search_path = format!("-L{}", runtime.display());
    let load_path = format!("-Wl,-rpath,{}", runtime.display());
    let flags = |more: &'static str| vec![more, "-fsanitize=thread", search_path.as_str(), load_path.as_str()];
    for (source, more, expected) in [
        ("lost_update.c", "-DPLAIN", "assertion"),
        ("atomic_update.cpp", "-DSPLIT", "assertion"),
        ("atomic_update.cpp", "-DWHOLE", "holds"),
    ] {
        let Some(program) = compile(&own(source), &flags(more)) else { return };
        let alone = Command::new(&program).output().expect("the program runs on its own");
        assert!(alone.status.success(), "{source} {more} without Burnside");
        let conclusion = explore(&config(&program));
        assert_eq!(verdict(&conclusion), expected, "{source} {more}");
        assert_eq!(conclusion.executor, Executor::Snap, "{source} {more}: {:?}", conclusion.notes);
    }
    check("lost_update.c", &[], "holds");
}

#[test]
fn races_on_a_stack_that_others_know_are_found() {
    let runtime = scratch();
    install_runtime(&runtime).expect("the runtime can be written");
    let (search_path, load_path) = (format!("-L{}", runtime.display()), format!("-Wl,-rpath,{}", runtime.display()));
    for (more, expected) in [("-DRACE", "assertion"), ("-DJOINED", "holds"), ("-DCOPY", "assertion")] {
        let flags = [more, "-fsanitize=thread", search_path.as_str(), load_path.as_str()];
        let Some(program) = compile(&own("stack_race.c"), &flags) else { return };
        for (executor, n_jobs) in Executor::ALL.into_iter().map(|executor| (executor, 1)).chain([(Executor::Snap, 2)]) {
            let config = Config { executor: ExecutorChoice::Only(executor), n_jobs, ..config(&program) };
            let conclusion = explore(&config);
            assert_eq!(verdict(&conclusion), expected, "{more} {}", executor.word());
            assert!(conclusion.notes.iter().any(|note| note.contains("thread stacks")), "{:?}", conclusion.notes);
            // A schedule says which words were visible, so it means the same to every executor.
            let Some(details) = &conclusion.details else { continue };
            assert!(details.schedule.short().contains('@'), "{}", details.schedule.short());
            let read = Schedule::from_file(&details.schedule.to_file(&[])).expect("we wrote it");
            for other in Executor::ALL {
                let again = replay(&config, other, &read).expect("the schedule can be followed");
                assert_eq!(again.trace.end.as_ref().map(End::word), Some(expected), "{more} {}", other.word());
            }
        }
    }
}

/// Traces that differ from the corpus's table: there signals wake in order of
/// arrival, leaving a barrier excludes the next round, and arrivals are ordered.
const OTHER_COUNTS: [(&str, u64); 3] = [("one_cond_buffer", 80), ("barrier_reuse", 1), ("barrier_reuse_fixed", 9)];

/// A row of the corpus's table: name, program, expected word, complete traces.
type Row = (String, PathBuf, String, u64);

/// The programs of the corpus, compiled as they are.
fn corpus_programs() -> Option<Vec<Row>> {
    let corpus = shared_corpus()?.join("programs");
    let table = std::fs::read_to_string(corpus.join("expected.tsv")).expect("the corpus has a table");
    let mut rows = Vec::new();
    for row in table.lines().skip(1) {
        let [name, source, _, expected, seen_at, n_traces] = row.split('\t').collect::<Vec<_>>()[..] else {
            panic!("six columns expected: {row}");
        };
        let mut words = source.split(' ');
        let file = corpus.join(words.next().expect("a source"));
        let program = compile(&file, &words.collect::<Vec<_>>())?;
        let expected = if seen_at == "sync" { expected } else { "ok" };
        let expected = expected.replace("assert", "assertion").replace("ok", "holds");
        rows.push((name.to_owned(), program, expected, n_traces.parse().expect("a count")));
    }
    Some(rows)
}

#[test]
fn every_program_of_the_corpus_has_its_verdict() {
    for (name, program, expected, n_traces) in corpus_programs().unwrap_or_default() {
        let conclusion = explore(&Config { keep_going: true, ..config(&program) });
        assert_eq!(verdict(&conclusion), expected, "{name}");
        let other = OTHER_COUNTS.iter().find(|(other, _)| *other == name).map(|(_, count)| *count);
        assert_eq!(conclusion.report.stats.n_traces(), other.unwrap_or(n_traces), "{name}");
    }
}

#[test]
fn every_fault_of_the_corpus_replays_a_hundred_times() {
    for (name, program, expected, _) in corpus_programs().unwrap_or_default() {
        if expected == "holds" {
            continue;
        }
        let config = config(&program);
        let fault = explore(&config).details.unwrap_or_else(|| panic!("{name} fails"));
        let file = fault.schedule.to_file(&fault.names.places);
        let schedule = Schedule::from_file(&file).expect("we wrote it");
        for attempt in 0..100 {
            let executor = Executor::ALL[attempt % Executor::ALL.len()];
            let again = replay(&config, executor, &schedule).unwrap_or_else(|e| panic!("{name}, {attempt}: {e}"));
            assert_eq!(again.schedule, fault.schedule, "{name}, attempt {attempt}");
        }
    }
}

/// The last row of the corpus fails where memory accesses are visible.
#[test]
fn the_data_race_of_the_corpus_is_found_and_replays_a_hundred_times() {
    let Some(corpus) = shared_corpus().map(|corpus| corpus.join("programs")) else { return };
    let runtime = scratch();
    install_runtime(&runtime).expect("the runtime can be written");
    let (search_path, load_path) = (format!("-L{}", runtime.display()), format!("-Wl,-rpath,{}", runtime.display()));
    let flags = ["-fsanitize=thread", search_path.as_str(), load_path.as_str()];
    let Some(program) = compile(&corpus.join("c/data_race_lost.c"), &flags) else { return };
    let config = config(&program);
    let conclusion = explore(&config);
    assert_eq!((verdict(&conclusion).as_str(), conclusion.report.stats.n_executions), ("assertion", 2));
    let schedule = conclusion.details.expect("a fault").schedule;
    for attempt in 0..100 {
        let executor = Executor::ALL[attempt % Executor::ALL.len()];
        let again = replay(&config, executor, &schedule).unwrap_or_else(|e| panic!("{attempt}: {e}"));
        assert_eq!(again.schedule, schedule, "attempt {attempt}");
    }
}

#[test]
fn a_search_that_is_cut_can_be_gone_on_with() {
    let Some(program) = compile(&own("lockers.c"), &["-DN=4", "-DK=2"]) else { return };
    for symmetry in [SymmetryOption::Off, SymmetryOption::Auto] {
        let config = Config { symmetry, ..config(&program) };
        let whole = explore(&config).report.stats;
        let mut begun = None;
        let mut n_cuts = 0;
        let stats = loop {
            let bounds = Bounds { max_executions: (n_cuts + 1) * 41, ..Bounds::default() };
            let conclusion = go_on(&Config { bounds, ..config.clone() }, begun).expect("it can be executed");
            match conclusion.begun {
                Some(cut) => begun = Some(*cut),
                None => break conclusion.report.stats,
            }
            n_cuts += 1;
        };
        assert_eq!(stats, whole);
        assert_eq!(n_cuts, (whole.n_executions - 1) / 41, "{n_cuts} cuts");
    }
}
