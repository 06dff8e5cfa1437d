//! What somebody meets who uses the tool for the first time, with right and with wrong input.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::harness::{Run, burnside, command, finished, models, root, scratch};
use crate::schema::violations;

/// Checks a model given as text.
fn check_text(text: &str, options: &str) -> Run {
    let path = scratch("model.m");
    std::fs::write(&path, text).expect("written");
    finished(command().arg("check").arg(&path).args(options.split_whitespace()).output().expect("the binary runs"))
}

/// A model that is wrong gets these words.
#[track_caller]
fn refused(text: &str, words: &[&str]) {
    let run = check_text(text, "").exits(3);
    assert!(words.iter().all(|words| run.err.contains(words)), "{words:?}\n{}", run.err);
}

#[test]
fn a_verdict_says_what_was_asked() {
    let run = burnside("check counter.m -D N=2 -D B=3 -q").exits(0);
    assert_eq!(run.out, "holds: every property of counter.m (N = 2, B = 3) holds in every reachable state\n");
    let run = burnside("check counter.m -D N=2 --deadlock off -q").exits(0);
    assert!(run.out.ends_with("; deadlocks were not looked for\n"), "{}", run.out);
    let told = burnside("check turns.m -v").exits(0).out;
    assert!(told.starts_with(&format!("version: burnside {}\n", env!("CARGO_PKG_VERSION"))), "{told}");
    let options = burnside("check counter.m -D N=2 --deadlock stuck --json -").exits(0).report()["options"].clone();
    assert_eq!((&options["overrides"]["N"], &options["deadlock"]), (&2.into(), &"stuck".into()));
}

#[test]
fn several_properties_may_be_selected() {
    let text = "var x: 0..3; startstate x := 0; end; rule x < 3 ==> begin x := x + 1; end;
        invariant \"one\" x < 4; invariant \"two\" x < 9; invariant \"three\" x < 2; cover \"top\" x = 3;";
    let run = check_text(text, "--property one --property top -q").exits(0);
    assert!(
        run.out.contains("invariant \"one\" holds in every reachable state, cover \"top\" is reached"),
        "{}",
        run.out
    );
    let report = check_text(text, "--property one --property three --json -").exits(1).report();
    let names: Vec<&Value> = report["properties"].as_array().expect("a list").iter().map(|it| &it["name"]).collect();
    assert_eq!(names, ["one", "three", "faults and assertions"]);
    assert_eq!(report["options"]["selection"], serde_json::json!(["one", "three"]));
    assert!(check_text(text, "--property one --property four").exits(3).err.contains("no property called `four`"));
}

#[test]
fn outputs_are_looked_at_before_the_search() {
    for option in ["--json", "--trace-file", "--certificate"] {
        let run = burnside(&format!("check counter.m {option} no-such-directory/file")).exits(4);
        assert!(run.out.is_empty() && run.err.contains("cannot write `no-such-directory/file`"), "{}", run.err);
        let run = burnside(&format!("check counter.m {option} .")).exits(4);
        assert!(run.out.is_empty() && run.err.contains("it is a directory"), "{}", run.err);
    }
    let run = burnside("check mutex.m --json - --trace-file -").exits(3);
    assert!(run.err.contains("--json and --trace-file cannot both write to standard output"), "{}", run.err);
    let file = scratch("both");
    let run = burnside(&format!("check mutex.m --json {0} --trace-file {0}", file.display())).exits(3);
    assert!(run.err.contains("cannot both write to"), "{}", run.err);
    assert!(!file.exists(), "trying leaves nothing behind");
}

#[test]
fn no_output_goes_over_the_model() {
    let (model, link) = (scratch("mine.m"), scratch("link.m"));
    std::fs::copy(models().join("mutex.m"), &model).expect("copied");
    std::fs::hard_link(&model, &link).expect("linked");
    for option in ["--json", "--trace-file"] {
        for target in [&model, &link] {
            let run = burnside(&format!("check {} {option} {}", model.display(), target.display())).exits(3);
            assert!(run.err.contains("would overwrite"), "{}", run.err);
        }
    }
    let walk = burnside(&format!("simulate {0} --trace-file {0}", model.display())).exits(3);
    assert!(walk.err.contains("would overwrite"), "{}", walk.err);
    assert_eq!(std::fs::read(&model).ok(), std::fs::read(models().join("mutex.m")).ok());
}

#[test]
fn without_a_counterexample_no_old_one_stays() {
    let file = scratch("trace.json");
    let check = |model: &str| burnside(&format!("check {model} --trace-file {}", file.display()));
    check("mutex.m").exits(1);
    assert!(file.exists());
    let run = check("turns.m").exits(0);
    assert!(run.out.contains("none written: nothing is violated; the old trace was removed"), "{}", run.out);
    assert!(!file.exists());
    std::fs::write(&file, "something else").expect("written");
    assert!(check("turns.m").exits(0).out.contains("the file there is not a trace and stays"));
    assert_eq!(std::fs::read_to_string(&file).ok().as_deref(), Some("something else"));
}

#[test]
fn reports_have_covers_and_firings() {
    let text =
        "var x: 0..1; startstate x := 0; end; rule \"turn\" begin x := 1 - x; end; rule \"never\" x > 1 ==> begin end;
        cover \"one\" x = 1;";
    let report = check_text(text, "--json -").exits(0).report();
    assert_eq!(report["covers"], serde_json::json!([{ "name": "one", "reached": true }]));
    assert_eq!(report["never_fired"], serde_json::json!(["never"]));
    assert_eq!((&report["rules"][0]["name"], &report["rules"][0]["fired"]), (&"turn".into(), &2.into()));
    let report = burnside("check uncovered.m --json -").exits(1).report();
    assert_eq!(report["covers"][1], serde_json::json!({ "name": "both", "reached": false }));
    assert_eq!(report["never_fired"], Value::Null);
}

#[test]
fn symmetry_of_an_invalid_model_is_json_too() {
    let report = burnside("symmetry broken.m --json -").exits(3).report();
    let schema = include_str!("../../../../docs/symmetry.schema.json");
    let schema: Value = serde_json::from_str(schema).expect("the schema is JSON");
    assert_eq!(violations(&schema, &report), Vec::<String>::new());
    assert_eq!(report["valid"], false);
    assert!(!report["diagnostics"].as_array().expect("a list").is_empty());
}

/// A model that takes long to read and to compile.
fn huge() -> String {
    let mut text =
        String::from("const N: 60; type T: 0..N; var x: array [T] of T; startstate for i: T do x[i] := 0; end; end;\n");
    for rule in 0..40_000 {
        text += &format!(
            "ruleset i: T; j: T do rule \"r{rule}\" x[i] = {0} & x[j] > {1} ==> begin x[i] := x[j]; x[j] := {0}; end; end;\n",
            rule % 60,
            rule % 59
        );
    }
    text
}

#[test]
fn the_time_limit_holds_before_the_search_too() {
    let path = scratch("huge.m");
    std::fs::write(&path, huge()).expect("written");
    let begun = Instant::now();
    let run = burnside(&format!("check {} --time 1s --json -", path.display())).exits(2);
    assert!(begun.elapsed() < Duration::from_secs(8), "{:?}", begun.elapsed());
    let report = run.report();
    assert_eq!(
        (&report["verdict"], &report["shortfall"]),
        (&"inconclusive".into(), &"the time limit was reached".into())
    );
}

#[test]
fn one_gigabyte_of_addresses_is_enough() {
    for (args, code) in [("check mutex.m", 1), ("check counter.m -D N=3", 0), ("simulate turns.m", 0)] {
        let program = env!("CARGO_BIN_EXE_burnside");
        let line = format!("ulimit -v 1048576; exec {program} {args}");
        let output = Command::new("sh").arg("-c").arg(line).current_dir(models()).output().expect("there is a shell");
        finished(output).exits(code);
    }
}

#[test]
fn a_full_disk_is_told() {
    if !Path::new("/dev/full").exists() {
        return;
    }
    let full = || std::fs::OpenOptions::new().write(true).open("/dev/full").expect("it can be opened");
    let run = finished(command().args(["check", "turns.m"]).stdout(full()).output().expect("the binary runs")).exits(4);
    assert!(run.err.contains("cannot write to standard output: no space is left on the device"), "{}", run.err);
    let run = finished(command().args(["check", "turns.m", "--json", "/dev/full"]).output().expect("runs")).exits(4);
    assert!(run.err.contains("cannot write `/dev/full`: no space is left on the device"), "{}", run.err);
}

#[test]
fn a_folder_is_no_model() {
    let run = burnside("check .").exits(3);
    assert!(run.err.contains("`.` is a directory, not a model") && run.err.contains("burnside test"), "{}", run.err);
}

#[test]
fn many_diagnostics_are_counted_and_not_all_shown() {
    let mut text = String::from("var x: 0..1; startstate x := 0; end; rule begin\n");
    (0..1669).for_each(|at| text += &format!("  y{at} := 1;\n"));
    let run = check_text(&(text + "end;"), "").exits(3);
    assert_eq!(run.err.matches("error[").count(), 20);
    assert!(run.err.ends_with("and 1,649 more errors\n"), "{}", &run.err[run.err.len() - 200..]);
}

#[test]
fn wrong_values_of_options_are_explained() {
    let words = |args: &str, words: &str| {
        let run = burnside(args).exits(3);
        assert!(run.err.contains(words), "{args}: {}", run.err);
    };
    words("check turns.m -j 0", "at least 1 is needed");
    words("test -j 0", "at least 1 is needed");
    words("check turns.m --time soon", "`soon` is not a duration");
    words("check turns.m --memory much", "`much` is not a size");
    words("check counter.m -D M=1", "help: its constants are `N`, `B`; case matters");
    words("check turns.m -D M=1", "the model has no constant `M`");
    words("check counter.m -D N=2 -D N=3", "`N` is given twice: `-D N=2`, `-D N=3`");
    words("check counter.m -D N=x", "`x` is not an integer");
}

#[test]
fn words_of_other_languages_are_translated() {
    let rule =
        |guard: &str| format!("var a: boolean; b: boolean; startstate a := true; end; rule {guard} ==> begin end;");
    refused(&rule("a and b"), &["\"and\" is written `&`"]);
    refused(&rule("a or b"), &["\"or\" is written `|`"]);
    refused(&rule("not a"), &["\"not\" is written `!`"]);
    refused("type t: { a, b };", &["an enumeration is written `enum { a, b }`"]);
    let switch = "var x: 0..3; startstate x := 0; end; rule begin switch x case 0: x := 1; default: x := 2; end; end;";
    refused(switch, &["the branch for all other values is `else`"]);
    refused("var lock: boolean; startstate lock := 0; end; rule begin end;", &["help: write `false`"]);
    let choose = "type m: record f: 0..3; end; var net: multiset [3] of m; startstate undefine net; end;
        choose i: net do rule i.f = 1 ==> begin end; end;";
    refused(choose, &["`i` is the place of an element in a multiset", "write `net[i].f`"]);
}

#[test]
fn a_long_sum_is_not_called_nested() {
    let sum = vec!["x"; 251].join(" + ");
    let text = format!("var x: 0..1; startstate x := 0; end; rule x < {sum} ==> begin end;");
    let run = check_text(&text, "").exits(3);
    assert!(run.err.contains("too many operators in a row") && !run.err.contains("nested"), "{}", run.err);
    let halves = format!("({}) + ({})", vec!["x"; 126].join(" + "), vec!["x"; 125].join(" + "));
    let text = format!("var x: 0..1; startstate x := 0; end; rule x < {halves} ==> begin end;");
    check_text(&text, "--deadlock off").exits(0);
}

#[test]
fn bounds_are_told_with_the_name_of_a_type() {
    let text = "type Slot: 0..3; var x: Slot; startstate x := 0; end; rule begin x := x + 1; end;";
    let run = check_text(text, "").exits(1);
    assert!(run.out.contains("value `4` is outside `Slot`, which is `0..3`"), "{}", run.out);
}

#[test]
fn a_type_may_be_written_out_in_ismember() {
    let text = |member: &str| {
        format!(
            "type P: scalarset(2); Home: enum {{ H }}; N: union {{ P, Home }}; var x: N;
            startstate x := H; end; rule begin end; invariant \"home\" IsMember(x, {member});"
        )
    };
    check_text(&text("enum { H }"), "--deadlock off").exits(0);
    check_text(&text("Home"), "--deadlock off").exits(0);
    // New names make a type that nothing is of.
    let run = check_text(&text("enum { Other }"), "--deadlock off").exits(1);
    assert!(run.err.contains("no variable is of this type"), "{}", run.err);
    refused(&text("enum { H, Other }"), &["not all the members of one enumeration"]);
    refused(&text("3"), &["must be a type"]);
}

/// The commands in the help of all verbs.
fn examples() -> Vec<String> {
    let verbs = [
        "",
        "check",
        "resume",
        "audit",
        "symmetry",
        "compare",
        "test",
        "simulate",
        "step",
        "graph",
        "new",
        "explain",
        "man",
        "replay",
        "run",
        "completions",
    ];
    let mut lines = Vec::new();
    for verb in verbs {
        let help = burnside(&format!("{verb} --help")).exits(0).out;
        let examples = help.split("Examples:\n").nth(1).unwrap_or_else(|| panic!("`{verb} --help` has no examples"));
        let examples = examples.lines().take_while(|line| line.starts_with("  "));
        // What a command does stands behind two blanks.
        lines.extend(examples.map(|line| line.trim().split("  ").next().unwrap_or_default().to_owned()));
        if verb == "run" || verb == "replay" {
            assert!(help.contains("Exit codes:"), "{help}");
        }
    }
    lines
}

#[test]
fn the_examples_in_the_help_work_as_printed() {
    let folder = scratch("examples");
    for below in [".local/share/bash-completion/completions", ".config/fish/completions"] {
        std::fs::create_dir_all(folder.join(below)).expect("created");
    }
    for entry in std::fs::read_dir(root().join("examples")).expect("the examples are there") {
        let path = entry.expect("an entry").path();
        std::fs::copy(&path, folder.join(path.file_name().expect("a name"))).expect("copied");
    }
    std::fs::copy(root().join("crates/programs/tests/c/philosophers.c"), folder.join("philosophers.c"))
        .expect("copied");
    let has = |tool: &str| Command::new(tool).arg("--version").stdout(Stdio::null()).status().is_ok();
    let bin = Path::new(env!("CARGO_BIN_EXE_burnside")).parent().expect("a folder");
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap_or_default());
    let mut n_tried = 0;
    for line in examples() {
        if line.contains("gdb") || line.contains("philosophers") && !has("cc") {
            continue;
        }
        let line = if has("jq") { line } else { line.split(" | jq").next().unwrap_or_default().to_owned() };
        if line.starts_with("burnside run") || line.contains("-- ./philosophers") {
            let source = folder.join("philosophers.c");
            let mut compiler = Command::new("cc");
            compiler.args(["-g", "-pthread"]).arg(source).arg("-o").arg(folder.join("philosophers"));
            assert!(compiler.status().expect("cc runs").success());
        }
        let mut shell = Command::new("sh");
        shell.args(["-c", &line]).current_dir(&folder).env("HOME", &folder).env("PATH", &path).stdin(Stdio::null());
        let run = finished(shell.output().expect("there is a shell"));
        let is_whole = ["burnside ", "cc ", "cat ", "echo "].iter().any(|word| line.starts_with(word));
        assert!(is_whole && line.matches('\'').count() % 2 == 0, "`{line}` is not a whole command");
        assert!(run.code <= 2, "{line}: {}\n{}\n{}", run.code, run.out, run.err);
        n_tried += 1;
    }
    assert!(n_tried > 25, "{n_tried}");
}

#[test]
fn both_forms_of_replay_are_shown() {
    let help = burnside("replay --help").exits(0).out;
    assert!(help.contains("TRACE MODEL") && help.contains("SCHEDULE -- PROGRAM"), "{help}");
    let help = burnside("replay --help -- x").exits(0).out;
    assert!(help.contains("--gdb") && help.contains("TRACE MODEL"), "{help}");
}

/// Whether a process has a word on its command line.
fn is_running(word: &str) -> bool {
    let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let lines = processes.filter_map(|it| std::fs::read(it.path().join("cmdline")).ok());
    lines.into_iter().any(|line| String::from_utf8_lossy(&line).contains(word))
}

#[test]
fn an_interrupted_comparison_keeps_its_rows_and_leaves_no_process() {
    let (model, json): (PathBuf, PathBuf) = (scratch("slow-counter.m"), scratch("half.json"));
    // Few states for the first strategies would end it too early: the counter has a million.
    std::fs::copy(models().join("counter.m"), &model).expect("copied");
    let mut comparison = command();
    comparison.args(["compare", "-D", "N=30", "--time", "3s", "--json"]).arg(&json).arg(&model);
    let mut child = comparison.stdout(Stdio::piped()).spawn().expect("the binary runs");
    // One row after three seconds, the second is under way.
    std::thread::sleep(Duration::from_millis(4500));
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill runs");
    assert!(sent.success());
    let mut out = String::new();
    std::io::Read::read_to_string(&mut child.stdout.take().expect("piped"), &mut out).expect("text");
    assert_eq!(child.wait().expect("it ends").code(), Some(2), "{out}");
    assert!(out.contains("\n  off ") && out.contains("interrupted:"), "{out}");
    let compared: Value = serde_json::from_str(&std::fs::read_to_string(&json).expect("written")).expect("JSON");
    assert!(compared["strategies"].as_array().is_some_and(|rows| !rows.is_empty() && rows.len() < 5), "{compared}");
    assert!(!is_running(&model.display().to_string()), "a search goes on");
}

#[test]
fn the_ci_script_says_what_to_install() {
    let bin = scratch("bin");
    std::fs::create_dir_all(&bin).expect("created");
    for tool in ["bash", "id", "dirname", "env"] {
        let found = ["/bin", "/usr/bin"].map(|folder| Path::new(folder).join(tool)).into_iter().find(|it| it.exists());
        std::os::unix::fs::symlink(found.expect("every system has it"), bin.join(tool)).expect("linked");
    }
    let output = Command::new("bash").arg(root().join(".ci/run")).env("PATH", &bin).output().expect("bash runs");
    let run = finished(output).exits(4);
    assert!(run.err.contains("missing: gcc libc6-dev g++ git") && run.err.contains("Please install"), "{}", run.err);
}
