//! Verbs beside `check`, and what `check` does beyond one verdict.

use std::io::Write as _;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::harness::{Run, burnside, burnside_in, command, finished, models, scratch};
use crate::schema::violations;

/// Walks a model by commands, one for each line.
fn step(model: &str, commands: &str) -> Run {
    let mut child = command()
        .args(["step", model])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    child.stdin.take().expect("piped").write_all(commands.as_bytes()).expect("the commands are read");
    finished(child.wait_with_output().expect("it ends"))
}

#[test]
fn a_model_is_walked_by_hand() {
    let run = step("mutex.m", "1\n1\ns\nb\nt\nq\n").exits(0);
    assert!(run.out.contains("mutex.m: 1 start state"), "{}", run.out);
    assert!(run.out.contains("after 0 steps, 2 rule instances are enabled"), "{}", run.out);
    // What each choice would change stands beside it.
    assert!(run.out.contains("rule \"request\" with p = process_1  [at[process_1]: "), "{}", run.out);
    assert!(run.out.contains("after 1 step, "), "{}", run.out);
    assert_eq!(run.out.matches("after 0 steps, ").count(), 2, "back is where it was before\n{}", run.out);
    let wrong = step("mutex.m", "1\n99\nzzz\nb\nb\n").exits(0);
    assert!(wrong.out.contains("there are 2 choices") && wrong.out.contains("`zzz` is not a command"), "{}", wrong.out);
    assert!(wrong.out.contains("this is the beginning"), "{}", wrong.out);
}

#[test]
fn a_walk_by_hand_finds_states_and_is_recorded() {
    let file = scratch("walked.json");
    let text = format!("f critical\nw {}\nf nowhere at all\n", file.display());
    let run = step("mutex.m", &text).exits(0);
    assert!(run.out.contains("after 2 steps") && run.out.contains("wrote "), "{}", run.out);
    assert!(run.out.contains("no state that can be reached from here says `nowhere at all`"), "{}", run.out);
    let again = burnside(&format!("replay {} mutex.m", file.display())).exits(0);
    assert!(again.out.contains("2 steps, and nothing is violated"), "{}", again.out);
}

#[test]
fn graphs_come_in_three_formats() {
    let json = burnside("graph mutex.m --format json").exits(0).report();
    let states = json["states"].as_array().expect("a list").len() as u64;
    let checked = burnside("check counter.m -D N=2 -D B=3 --symmetry off --json -").report();
    let graph = burnside("graph counter.m -D N=2 -D B=3 --format json").exits(0).report();
    assert_eq!(graph["states"].as_array().map(|it| it.len() as u64), checked["states"].as_u64());
    assert_eq!(graph["steps"].as_array().map(|it| it.len() as u64), checked["rules_fired"].as_u64());
    let quotient = burnside("graph mutex.m --quotient --format json").exits(0).report();
    assert!((quotient["states"].as_array().expect("a list").len() as u64) < states);
    let dot = burnside("graph mutex.m").exits(0).out;
    assert!(dot.starts_with("digraph \"mutex.m\" {") && dot.contains(" -> ") && dot.contains("color=red"), "{dot}");
    let mermaid = burnside("graph mutex.m --format mermaid").exits(0).out;
    assert!(mermaid.starts_with("stateDiagram-v2\n") && mermaid.contains("[*] --> s0"), "{mermaid}");
    let cut = burnside("graph counter.m --states 10").exits(2);
    assert!(cut.err.contains("more than 10 states"), "{}", cut.err);
}

#[test]
fn every_diagnostic_can_be_explained() {
    let run = burnside("explain error[chained-operator]").exits(0);
    assert!(run.out.contains("operators that do not chain") && run.out.contains("is answered by"), "{}", run.out);
    assert!(burnside("explain deadlock").exits(0).out.contains("--deadlock off"));
    let list = burnside("explain").exits(0).out;
    for line in list.lines() {
        let code = line.split_whitespace().next().expect("a code");
        burnside(&format!("explain {code}")).exits(0);
    }
    assert!(burnside("explain unknown-nmae").exits(3).err.contains("`unknown-name`"));
}

#[test]
fn a_new_model_does_what_it_expects() {
    let folder = scratch("new");
    std::fs::create_dir_all(&folder).expect("created");
    let run = |args: &[&str]| finished(command().current_dir(&folder).args(args).output().expect("the binary runs"));
    run(&["new", "mine"]).exits(0);
    run(&["new", "mine", "--language", "promela"]).exits(0);
    let tested = run(&["test"]).exits(0);
    assert!(tested.out.contains("4 passed"), "{}", tested.out);
    assert!(run(&["new", "mine.m"]).exits(4).err.contains("`mine.m` exists and is left as it is"));
}

#[test]
fn several_violations_are_found_in_one_run() {
    let text = "var x: 0..9; startstate x := 0; end; rule \"up\" x < 9 ==> begin x := x + 1; end;
        invariant \"small\" x < 3; invariant \"tiny\" x < 2; invariant \"true\" x < 10; cover \"never\" x = 7 & x = 8;";
    let path = scratch("several.m");
    std::fs::write(&path, text).expect("written");
    let args = format!("check {} --keep-going --json -", path.display());
    let run = burnside(&args).exits(1);
    let report = run.report();
    let found: Vec<(String, Option<u64>)> = report["findings"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|it| (it["property"]["name"].as_str().unwrap_or_default().to_owned(), it["steps"].as_u64()))
        .collect();
    let expected = [("tiny", Some(2)), ("small", Some(3)), ("deadlock", Some(9)), ("never", None)];
    assert_eq!(found, expected.map(|(name, steps)| (name.to_owned(), steps)), "{}", run.err);
    assert_eq!((&report["verdict"], &report["property"]["name"]), (&"violated".into(), &"tiny".into()));
    let schema: Value =
        serde_json::from_str(include_str!("../../../../docs/report.schema.json")).expect("the schema is JSON");
    assert_eq!(violations(&schema, &report), Vec::<String>::new());
    assert!(run.err.contains("violated: 4 properties of") && run.err.contains("everything else holds"), "{}", run.err);
    let verdicts = report["properties"].as_array().expect("a list");
    assert!(verdicts.iter().any(|it| it["name"] == "true" && it["verdict"] == "holds"), "{report:#}");
    // Each by itself has the same shortest counterexample.
    for (name, steps) in [("tiny", 2), ("small", 3)] {
        let alone = burnside(&format!("check {} --property {name} --json -", path.display())).exits(1).report();
        assert_eq!(alone["steps"].as_u64(), Some(steps));
    }
    burnside("check turns.m --keep-going").exits(0);
}

#[test]
fn a_cover_is_shown_by_a_shortest_execution() {
    let file = scratch("witness.json");
    let run = burnside(&format!("check uncovered.m --witness on --trace-file {}", file.display())).exits(0);
    assert!(run.out.contains("1. rule \"toggle\"") && run.out.contains("reached: cover \"on\""), "{}", run.out);
    assert!(run.out.contains("after 1 step"), "{}", run.out);
    burnside(&format!("replay {} uncovered.m", file.display())).exits(0);
    let missed = burnside("check uncovered.m --witness both").exits(1);
    assert!(missed.out.contains("cover \"both\" of uncovered.m is never reached"), "{}", missed.out);
    let report = burnside("check uncovered.m --witness on --json -").exits(0).report();
    assert_eq!((&report["verdict"], &report["covers"][0]["reached"]), (&"holds".into(), &true.into()));
    assert!(burnside("check mutex.m --witness nothing").exits(3).err.contains("no property called"));
    assert!(burnside("check counter.m --witness digits").exits(3).err.contains("error[no-witness]"));
}

#[test]
fn many_walks_are_counted() {
    let report = burnside("simulate mutex.m --walks 200 --steps 30 --json -").exits(1).report();
    let schema = include_str!("../../../../docs/simulate.schema.json");
    let schema: Value = serde_json::from_str(schema).expect("the schema is JSON");
    assert_eq!(violations(&schema, &report), Vec::<String>::new(), "{report:#}");
    let number = |key: &str| report[key].as_u64().expect("a number");
    assert_eq!(number("walks"), 200);
    assert_eq!(number("violated") + number("finished") + number("stopped"), 200);
    assert!(number("violated") > 0);
    // The execution shown has no detours, and is an execution.
    let file = scratch("walk.json");
    std::fs::write(&file, report.to_string()).expect("written");
    let again = burnside(&format!("replay {} mutex.m", file.display())).exits(1);
    assert!(again.out.contains("mutual exclusion"), "{}", again.out);
    let run = burnside("simulate turns.m --walks 10").exits(0);
    assert!(run.out.contains("10 walks: no violation in these executions"), "{}", run.out);
}

#[test]
fn depth_first_counterexamples_have_no_detours() {
    let shortest = burnside_in("examples", "check lost-update.m --json -").exits(1).report()["steps"].as_u64();
    let report = burnside_in("examples", "check lost-update.m --search dfs --json -").exits(1).report();
    let steps = report["steps"].as_u64();
    assert!(steps >= shortest && steps <= Some(12), "{steps:?}");
}

#[test]
fn a_child_ends_with_its_parent() {
    let mut comparison = command();
    let model = scratch("orphan.m");
    std::fs::copy(models().join("counter.m"), &model).expect("copied");
    comparison.args(["compare", "-D", "N=30", "--time", "60s"]).arg(&model).stdout(Stdio::null());
    let mut child = comparison.spawn().expect("the binary runs");
    std::thread::sleep(std::time::Duration::from_millis(1500));
    let sent = Command::new("kill").args(["-KILL", &child.id().to_string()]).status().expect("kill runs");
    assert!(sent.success());
    let _ = child.wait();
    std::thread::sleep(std::time::Duration::from_millis(500));
    let line = model.display().to_string();
    let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let lines = processes.filter_map(|it| std::fs::read(it.path().join("cmdline")).ok());
    assert!(!lines.into_iter().any(|it| String::from_utf8_lossy(&it).contains(&line)), "a search goes on");
}

#[test]
fn findings_are_told_to_other_programs() {
    let file = scratch("log.sarif");
    let run = burnside(&format!("check mutex.m --sarif {} --github", file.display())).exits(1);
    assert!(run.out.contains("::error file=mutex.m,line=23,col=3,title=invariant-violated::"), "{}", run.out);
    let log: Value = serde_json::from_str(&std::fs::read_to_string(&file).expect("written")).expect("JSON");
    let result = &log["runs"][0]["results"][0];
    assert_eq!((&result["ruleId"], &result["level"]), (&"invariant-violated".into(), &"error".into()));
    burnside(&format!("check broken.m --sarif {} -q", file.display())).exits(3);
    let log: Value = serde_json::from_str(&std::fs::read_to_string(&file).expect("written")).expect("JSON");
    assert!(!log["runs"][0]["results"].as_array().expect("a list").is_empty());
}

#[test]
fn manual_pages_are_written_for_every_verb() {
    let folder = scratch("man1");
    burnside(&format!("man {}", folder.display())).exits(0);
    let page = std::fs::read_to_string(folder.join("burnside-check.1")).expect("written");
    assert!(page.starts_with(".TH BURNSIDE\\-CHECK 1") || page.starts_with(".TH BURNSIDE-CHECK 1"), "{page}");
    assert!(page.contains("keep") && page.contains("Exit codes"), "{page}");
}

#[test]
fn models_are_indented_in_place() {
    let path = scratch("ragged.m");
    std::fs::write(&path, "var\nx: boolean;\nstartstate\nbegin\nx := true;\nend;\n").expect("written");
    let check = || burnside(&format!("fmt --check {}", path.display()));
    assert!(check().exits(1).out.contains("would change"));
    burnside(&format!("fmt {}", path.display())).exits(0);
    check().exits(0);
    let text = std::fs::read_to_string(&path).expect("it is there");
    assert_eq!(text, "var\n  x: boolean;\nstartstate\nbegin\n  x := true;\nend;\n");
    assert!(burnside("fmt no-such.m").exits(4).err.contains("there is no such file"));
}
