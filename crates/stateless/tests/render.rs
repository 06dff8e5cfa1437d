//! Reports for people, for scripts and for browsers.

use burnside_stateless::{
    Config, Instr, Kind, Model, Names, ObjId, Op, Page, Program, Report, Strategy, Symmetry, Verdict, check, explain,
    html, json, lanes,
};
use serde_json::Value;

/// Two threads that take two mutexes in opposite orders.
fn deadlock() -> Report {
    let code = |first: u64, second: u64| {
        let steps = [
            (Kind::MutexLock, first),
            (Kind::MutexLock, second),
            (Kind::MutexUnlock, second),
            (Kind::MutexUnlock, first),
        ];
        steps.map(|(kind, obj)| Instr::Do(Op::on(kind, ObjId::at(obj))))
    };
    let program = Program { objects: Vec::new(), threads: vec![code(1, 2).to_vec(), code(2, 1).to_vec()] };
    check(&mut Model::new(program), &Config::default(), &mut |_| None)
}

/// Names that need quoting wherever they go.
fn names() -> Names {
    Names {
        threads: vec!["main".to_owned(), "<b>\"x\"".to_owned()],
        objects: vec![(ObjId::at(1), "left & \\right".to_owned())],
        places: vec!["a.c:1".to_owned(), "b\tc.c:2".to_owned()],
    }
}

#[test]
fn json_says_everything_and_quotes_what_needs_it() {
    let report = deadlock();
    let value: Value = serde_json::from_str(&json(&report, &names())).expect("JSON");
    assert_eq!((&value["schema"], &value["verdict"]), (&"burnside.run/1".into(), &"violated".into()));
    assert_eq!((&value["shortfall"], &value["method"]), (&Value::Null, &"optimal".into()));
    assert_eq!(value["stats"]["executions"], report.stats.n_executions);
    assert_eq!(value["stats"]["deadlocks"], 1);
    assert_eq!(value["trace"]["threads"][1], "t1 <b>\"x\"");
    assert_eq!(value["trace"]["steps"][0]["op"], "lock left & \\right");
    assert_eq!(value["trace"]["steps"][1]["place"], "b\tc.c:2");
    assert_eq!(value["trace"]["waiting"].as_array().map(Vec::len), Some(2));
}

#[test]
fn json_says_what_was_left_open() {
    let mut config = Config { symmetry: Symmetry::Off, ..Config::default() };
    config.bounds.max_depth = 1;
    let program = Program { objects: Vec::new(), threads: vec![vec![Instr::Do(Op::on(Kind::Read, ObjId::at(1))); 2]] };
    let report = check(&mut Model::new(program), &config, &mut |_| None);
    assert!(matches!(report.verdict, Verdict::Inconclusive(_)));
    let value: Value = serde_json::from_str(&json(&report, &Names::default())).expect("JSON");
    assert_eq!((&value["verdict"], &value["trace"]), (&"inconclusive".into(), &Value::Null));
    assert_eq!(value["shortfall"], "1 runs were cut at depth 1");
    assert_eq!(config.strategy, Strategy::Exhaustive(burnside_stateless::Method::Optimal));
}

#[test]
fn the_page_escapes_what_the_program_says() {
    let page = Page { subject: "a<b", command: "run \"a<b\"", stacks: "main & others" };
    let page = html(&deadlock(), &names(), page);
    assert!(page.contains("<title>a&lt;b: violated</title>") && page.contains("<h1>a&lt;b: violated"), "{page}");
    assert!(page.contains("<code>run &quot;a&lt;b&quot;</code>") && page.contains("<pre>main &amp; others</pre>"));
    assert!(page.contains("&lt;b&gt;&quot;x&quot;") && page.contains("left &amp; \\right"), "{page}");
    assert!(!page.contains("<b>"), "{page}");
    for tag in ["table", "tr", "td", "th", "pre", "p", "h1", "body", "html"] {
        let opened = page.matches(&format!("<{tag}>")).count() + page.matches(&format!("<{tag} ")).count();
        assert_eq!(opened, page.matches(&format!("</{tag}>")).count(), "<{tag}> in {page}");
    }
}

#[test]
fn lanes_have_a_line_for_every_step_and_one_for_the_end() {
    let report = deadlock();
    let fault = report.fault.clone().expect("a deadlock");
    let text = lanes(&fault, &names());
    assert_eq!(text.lines().count(), fault.events.len() + 2, "{text}");
    assert!(text.lines().last().is_some_and(|line| line.trim_start().starts_with("end")), "{text}");
    assert!(explain(&report, &names()).contains(&text), "{text}");
}
