//! `run`, `replay` and `runtime` on a program compiled here. Without a C compiler there is nothing to test.

#![allow(clippy::print_stderr, reason = "the tests say what they leave out")]

use serde_json::Value;

use crate::harness::{Run, command, finished, scratch};
use crate::schema::violations;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Two locks taken in two orders, or `-DORDERED` in one.
fn two_locks(flags: &[&str]) -> Option<PathBuf> {
    compile(
        "two-locks",
        "#include <pthread.h>
        static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
        static void both(pthread_mutex_t *first, pthread_mutex_t *second) {
            pthread_mutex_lock(first);
            pthread_mutex_lock(second);
            pthread_mutex_unlock(second);
            pthread_mutex_unlock(first);
        }
        static void *other(void *unused) {
        #ifdef ORDERED
            both(&a, &b);
        #else
            both(&b, &a);
        #endif
            return unused;
        }
        int main(void) {
            pthread_t thread;
            pthread_create(&thread, 0, other, 0);
            both(&a, &b);
            return pthread_join(thread, 0);
        }",
        flags,
    )
}

/// Four threads with two critical sections each: 2520 executions.
fn lockers() -> Option<PathBuf> {
    compile(
        "lockers",
        "#include <pthread.h>
        static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
        static void *work(void *unused) {
            for (int i = 0; i < 2; i++) {
                pthread_mutex_lock(&mutex);
                pthread_mutex_unlock(&mutex);
            }
            return unused;
        }
        int main(void) {
            pthread_t thread[4];
            for (int i = 0; i < 4; i++)
                pthread_create(&thread[i], 0, work, 0);
            for (int i = 0; i < 4; i++)
                pthread_join(thread[i], 0);
            return 0;
        }",
        &[],
    )
}

fn compile(name: &str, source: &str, flags: &[&str]) -> Option<PathBuf> {
    let (file, program) = (scratch(&format!("{name}.c")), scratch(name));
    std::fs::write(&file, source).expect("scratch");
    let output = Command::new("gcc").args(["-g", "-pthread"]).args(flags).arg(&file).arg("-o").arg(&program).output();
    let Ok(output) = output else {
        eprintln!("no gcc here: {name} is not tested");
        return None;
    };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(program)
}

/// Runs the binary on a program: verb and options separated by spaces, files put in for `%0`, `%1`.
fn run(options: &str, files: &[&Path], program: &Path) -> Run {
    let mut command = command();
    for word in options.split_whitespace() {
        match word.strip_prefix('%').and_then(|number| number.parse::<usize>().ok()) {
            Some(number) => command.arg(files[number]),
            None => command.arg(word),
        };
    }
    finished(command.arg("--").arg(program).output().expect("the binary runs"))
}

#[test]
fn verdicts_of_programs_are_exit_codes() {
    let (Some(bad), Some(good)) = (two_locks(&[]), two_locks(&["-DORDERED"])) else { return };
    assert!(run("run", &[], &bad).exits(1).out.contains("violated under sequential consistency: deadlock"));
    assert!(run("run", &[], &good).exits(0).out.contains("holds under sequential consistency"));
    run("run --executions 1", &[], &good).exits(2);
    run("run --sym ring:nothing:2", &[], &good).exits(3);
    assert!(run("run", &[], Path::new("/nowhere/at/all")).exits(3).err.contains("cannot start"));
}

#[track_caller]
fn follows_the_schema(report: &Value) {
    let schema = include_str!("../../../../docs/run.schema.json");
    let schema: Value = serde_json::from_str(schema).expect("the schema is JSON");
    assert_eq!(violations(&schema, report), Vec::<String>::new(), "{report:#}");
}

#[test]
fn one_execution_is_no_plural() {
    let Some(good) = two_locks(&["-DORDERED"]) else { return };
    let run = run("run --executions 1", &[], &good).exits(2);
    // A rate of 81 executions a second is a plural.
    assert!(run.out.contains("\n1 execution (") && !run.out.contains(" 1 executions"), "{}", run.out);
}

#[test]
fn a_report_of_a_program_is_json() {
    let Some(program) = two_locks(&[]) else { return };
    let report = run("run --json -", &[], &program).exits(1).report();
    follows_the_schema(&report);
    let Some(good) = two_locks(&["-DORDERED"]) else { return };
    follows_the_schema(&run("run --json -", &[], &good).exits(0).report());
    follows_the_schema(&run("run --json - --executions 1", &[], &good).exits(2).report());
    assert_eq!((&report["schema"], &report["verdict"]), (&"burnside.run/1".into(), &"violated".into()));
    assert_eq!(report["memory_model"], "sequential consistency");
    assert_eq!((&report["trace"]["end"], &report["executor"]), (&"deadlock".into(), &"snap".into()));
    assert_eq!(report["trace"]["schedule"], "0,1");
    let steps = report["trace"]["steps"].as_array().expect("a list");
    let ops: Vec<&str> = steps.iter().map(|step| step["op"].as_str().expect("text")).collect();
    assert_eq!(ops, ["lock a", "lock b"]);
    let places: Vec<&str> = steps.iter().map(|step| step["place"].as_str().expect("text")).collect();
    assert!(places.iter().all(|place| place.contains("two-locks.c:4")), "{places:?}");
    assert_eq!(report["trace"]["waiting"].as_array().map(Vec::len), Some(2));
    assert_eq!(report["stacks"].as_array().map(Vec::len), Some(2));
}

#[test]
fn a_page_for_a_browser_needs_nothing_else() {
    let Some(program) = two_locks(&[]) else { return };
    let file = scratch("page.html");
    run("run -q --html %0", &[&file], &program).exits(1);
    let page = std::fs::read_to_string(&file).expect("the page was written");
    assert!(page.starts_with("<!doctype html>") && page.trim_end().ends_with("</html>"), "{page}");
    for text in ["violated under sequential consistency: deadlock", "<code>0,1</code>", "lock a", "two-locks.c:4"] {
        assert!(page.contains(text), "{text} is missing in {page}");
    }
    let outside = ["http:", "https:", "<script src", "<link"];
    assert!(outside.iter().all(|text| !page.contains(text)), "{page}");
}

#[test]
fn a_schedule_in_a_file_replays_and_is_checked() {
    let (Some(bad), Some(good)) = (two_locks(&[]), two_locks(&["-DORDERED"])) else { return };
    let file = scratch("schedule.txt");
    run("run -q --schedule %0", &[&file], &bad).exits(1);
    for executor in ["snap", "fork", "threads"] {
        let again = run(&format!("replay --executor {executor} %0"), &[&file], &bad).exits(1);
        assert!(again.out.contains("deadlock"), "{}", again.out);
    }
    run("replay 0,1", &[], &bad).exits(1);
    // The other program does something else at the second step.
    let other = run("replay %0", &[&file], &good).exits(3);
    assert!(other.err.contains("this schedule is one of") && other.err.contains("at step 1"), "{}", other.err);
    let short = run("replay 0,1", &[], &good).exits(3);
    assert!(short.err.contains("does not follow this schedule at step 1"), "{}", short.err);
    let wrong = run("replay 0,x", &[], &bad).exits(3);
    assert!(wrong.err.contains("`0,x` is neither a file") && wrong.err.contains("`x`"), "{}", wrong.err);
    let other = run("replay %0", &[Path::new("turns.m")], &bad).exits(3);
    assert!(other.err.contains("`turns.m` is not a schedule"), "{}", other.err);
}

#[test]
fn a_search_of_a_program_is_saved_and_resumed() {
    let (Some(program), Some(other)) = (lockers(), two_locks(&[])) else { return };
    let file = scratch("search");
    let cut = run("run --sym off --executions 1000 --save %0", &[&file], &program).exits(2);
    assert!(cut.out.contains("1000 executions"), "{}", cut.out);
    let whole = run("run --sym off --resume %0", &[&file], &program).exits(0);
    assert!(whole.out.contains("2520 executions"), "{}", whole.out);
    assert!(run("run --sym off --resume %0", &[&file], &other).exits(3).err.contains("holds a search of"));
    assert!(run("run --resume %0", &[&program], &program).exits(3).err.contains("holds no search"));
}

#[test]
fn an_interrupt_cuts_a_search_that_can_be_resumed() {
    let Some(program) = lockers() else { return };
    let file = scratch("interrupted");
    let mut search = command();
    // Every execution is a process, so that the search lasts long enough to be interrupted.
    search.args(["run", "--sym", "off", "--executor", "threads", "--save"]).arg(&file).arg("--").arg(&program);
    let child = search.stdout(std::process::Stdio::piped()).spawn().expect("the binary runs");
    std::thread::sleep(std::time::Duration::from_millis(700));
    let interrupt = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(interrupt.expect("there is a shell command to send signals").success());
    let cut = finished(child.wait_with_output().expect("it ends")).exits(2);
    assert!(cut.out.contains("interrupted"), "{}", cut.out);
    let whole = run("run --sym off --executor snap --resume %0", &[&file], &program).exits(0);
    assert!(whole.out.contains("2520 executions"), "{}", whole.out);
}

#[test]
fn the_runtime_is_written_for_linking() {
    let directory = scratch("runtime");
    let output = command().arg("runtime").arg(&directory).output().expect("the binary runs");
    finished(output).exits(0);
    for name in ["libburnside.so", "libtsan.so", "verisoft.h"] {
        assert!(directory.join(name).exists(), "{name}");
    }
}
