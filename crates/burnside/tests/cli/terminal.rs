//! Signals and terminals: what needs a living process.

#![cfg(unix)]

use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::harness::{command, finished, models};

fn interrupt(pid: u32) {
    let status = Command::new("kill").args(["-INT", &pid.to_string()]).status().expect("kill runs");
    assert!(status.success());
}

#[test]
fn an_interrupt_ends_the_search_with_statistics() {
    let child = command()
        .args(["check", "counter.m", "-D", "N=9", "--symmetry", "off", "--json", "-"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    sleep(Duration::from_millis(1500));
    interrupt(child.id());
    let begun = Instant::now();
    let run = finished(child.wait_with_output().expect("it ends")).exits(2);
    assert!(begun.elapsed() < Duration::from_secs(20), "it ends soon");
    assert!(run.err.contains("the search was interrupted"), "{}", run.err);
    let report = run.report();
    assert_eq!(report["verdict"], "inconclusive");
    assert_eq!(report["shortfall"], "the search was interrupted");
    assert!(report["states"].as_u64() > Some(0));
}

#[test]
fn a_second_interrupt_ends_the_process() {
    let mut child = command().args(["check", "slow.m"]).stdout(Stdio::null()).spawn().expect("the binary runs");
    sleep(Duration::from_millis(500));
    interrupt(child.id());
    sleep(Duration::from_millis(300));
    interrupt(child.id());
    assert_eq!(child.wait().expect("it ends").code(), Some(130));
}

#[test]
fn a_step_without_end_does_not_stop_the_clock() {
    let begun = Instant::now();
    let run = finished(command().args(["check", "slow.m", "--time", "200ms"]).output().expect("the binary runs"));
    let run = run.exits(2);
    assert!(begun.elapsed() < Duration::from_secs(20), "it ends soon");
    assert!(run.out.contains("the time limit was reached"), "{}", run.out);
}

/// `script` runs a command on a pseudo-terminal; where it is missing there is nothing to look at.
fn on_a_terminal(no_color: bool, args: &str) -> Option<String> {
    let line = format!("{} {args}", env!("CARGO_BIN_EXE_burnside"));
    let mut script = Command::new("script");
    script.args(["-qec", &line, "/dev/null"]).current_dir(models()).env("TERM", "xterm").stdin(Stdio::null());
    script.env_remove("NO_COLOR");
    if no_color {
        script.env("NO_COLOR", "1");
    }
    let output = script.output().ok()?;
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn a_terminal_gets_colours_unless_no_color_is_set() {
    let Some(text) = on_a_terminal(false, "check mutex.m") else { return };
    assert!(text.contains("\x1b[1;31mviolated:\x1b[0m"), "{text:?}");
    let text = on_a_terminal(true, "check mutex.m").expect("it ran before");
    assert!(!text.contains("\x1b["), "{text:?}");
    let text = on_a_terminal(true, "check mutex.m --color always").expect("it ran before");
    assert!(text.contains("\x1b[1;31m"), "{text:?}");
}

#[test]
fn a_terminal_gets_a_progress_line() {
    let Some(text) = on_a_terminal(false, "check counter.m --symmetry off -D N=9 --time 2s") else { return };
    assert!(text.contains(" states (") && text.contains(" frontier "), "{text:?}");
    let text = on_a_terminal(false, "check counter.m --symmetry off -D N=9 --time 1s -q").expect("it ran before");
    assert!(!text.contains(" frontier "), "{text:?}");
}
