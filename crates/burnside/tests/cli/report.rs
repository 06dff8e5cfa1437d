//! The JSON report.

use serde_json::Value;

use crate::harness::{burnside, burnside_in, command, finished, scratch};
use crate::schema::violations;

fn schema() -> Value {
    serde_json::from_str(include_str!("../../../../docs/report.schema.json")).expect("the schema is JSON")
}

#[test]
fn every_kind_of_report_follows_the_schema() {
    let schema = schema();
    for (args, code, verdict) in [
        ("check turns.m", 0, "holds"),
        ("check mutex.m", 1, "violated"),
        ("check deadlock.m", 1, "violated"),
        ("check fault.m", 1, "violated"),
        ("check fault.m -D GUARD=1", 1, "violated"),
        ("check start-fault.m", 1, "violated"),
        ("check assertion.m", 1, "violated"),
        ("check lost.m --deadlock off", 1, "violated"),
        ("check uncovered.m", 1, "violated"),
        ("check post.m", 1, "violated"),
        ("check counter.m --depth 1", 2, "inconclusive"),
        ("check broken.m", 3, "invalid"),
        ("check no-such.m", 3, "invalid"),
        ("check no-such.txt", 3, "invalid"),
        ("check turns.m --property none", 3, "invalid"),
    ] {
        let report = burnside(&format!("{args} --json -")).exits(code).report();
        assert_eq!(report["verdict"], verdict, "{args}");
        assert_eq!(violations(&schema, &report), Vec::<String>::new(), "{args}");
    }
}

#[test]
fn findings_about_symmetry_follow_their_schema() {
    let schema = include_str!("../../../../docs/symmetry.schema.json");
    let schema: Value = serde_json::from_str(schema).expect("the schema is JSON");
    for (args, code) in [
        ("symmetry mutex.m", 0),
        ("symmetry turns.m", 0),
        ("symmetry post.m", 0),
        ("symmetry mutex.m --check-certificate", 0),
        ("symmetry mutex.m --check-certificate --states 1", 2),
    ] {
        let report = burnside(&format!("{args} --json -")).exits(code).report();
        assert_eq!(violations(&schema, &report), Vec::<String>::new(), "{args}");
        let mut wrong = report.clone();
        wrong["checked"] = serde_json::json!({ "confirmed": true });
        assert!(!violations(&schema, &wrong).is_empty(), "{args}");
    }
}

#[test]
fn comparisons_follow_their_schema() {
    let schema = include_str!("../../../../docs/compare.schema.json");
    let schema: Value = serde_json::from_str(schema).expect("the schema is JSON");
    for (args, code) in [
        ("compare mutex.m", 1),
        ("compare turns.m", 0),
        // Too many permutations for some strategies, and too little time for others.
        ("compare mutex.m -D N=10 --time 1s", 1),
        ("compare counter.m --states 1", 2),
    ] {
        let report = burnside(&format!("{args} --json -")).exits(code).report();
        assert_eq!(violations(&schema, &report), Vec::<String>::new(), "{args}");
        let mut wrong = report.clone();
        wrong["strategies"][0]["states"] = "many".into();
        assert!(!violations(&schema, &wrong).is_empty(), "{args}");
    }
}

#[test]
fn the_schema_refuses_other_reports() {
    let schema = schema();
    let good = burnside("check mutex.m --json -").report();
    let wrong = |change: fn(&mut Value)| {
        let mut report = good.clone();
        change(&mut report);
        !violations(&schema, &report).is_empty()
    };
    assert!(wrong(|report| report["verdict"] = "maybe".into()));
    assert!(wrong(|report| report["states"] = (-1).into()));
    assert!(wrong(|report| report["extra"] = 1.into()));
    assert!(wrong(|report| report["symmetry"]["group_order"] = 1.into()));
    assert!(wrong(|report| report["trace"]["states"][0]["#meta"]["index"] = "0".into()));
    assert!(wrong(|report| {
        report.as_object_mut().expect("an object").remove("depth");
    }));
}

#[test]
fn fields_come_in_the_documented_order() {
    let report = burnside("check turns.m --json -").report();
    let keys: Vec<&str> = report.as_object().expect("an object").keys().map(String::as_str).collect();
    let expected = [
        "schema",
        "model",
        "language",
        "tool",
        "options",
        "verdict",
        "properties",
        "shortfall",
        "property",
        "engine",
        "symmetry",
        "partial_order",
        "states",
        "rules_fired",
        "depth",
        "steps",
        "audited",
        "covers",
        "rules",
        "never_fired",
        "seconds",
        "setup_seconds",
        "peak_bytes",
        "trace",
        "diagnostics",
    ];
    assert_eq!(keys, expected);
}

#[test]
fn a_violation_names_the_property_and_its_place() {
    let report = burnside("check mutex.m --json -").report();
    let property = &report["property"];
    assert_eq!(property["kind"], "invariant");
    assert_eq!(property["name"], "mutual exclusion");
    assert_eq!(property["line"], 22);
    assert_eq!(property["column"], 1);
    assert_eq!(report["language"], "murphi");
    assert_eq!(report["depth"], 4);
    assert_eq!(burnside("check fault.m --json -").report()["property"]["kind"], "value-out-of-range");
    assert_eq!(burnside("check assertion.m --json -").report()["property"]["kind"], "assertion");
    assert_eq!(burnside("check deadlock.m --json -").report()["property"]["kind"], "deadlock");
    assert_eq!(burnside("check uncovered.m --json -").report()["property"]["kind"], "cover");
    assert_eq!(burnside("check lost.m --deadlock off --json -").report()["property"]["kind"], "liveness");
}

#[test]
fn diagnostics_are_in_the_report() {
    let report = burnside("check broken.m --json -").exits(3).report();
    let diagnostics = report["diagnostics"].as_array().expect("a list");
    let unknown = diagnostics.iter().find(|it| it["code"] == "unknown-name").expect("`y` is not declared");
    assert_eq!((unknown["severity"].as_str(), unknown["line"].as_u64()), (Some("error"), Some(6)));
}

#[test]
fn the_report_goes_to_a_file_or_beside_the_text() {
    let path = scratch("report.json");
    let run = burnside(&format!("check turns.m --json {}", path.display())).exits(0);
    assert!(run.out.starts_with("holds:"), "{}", run.out);
    let report: Value = serde_json::from_str(&std::fs::read_to_string(&path).expect("written")).expect("JSON");
    assert_eq!(report["verdict"], "holds");
    let run = burnside("check turns.m --json -").exits(0);
    assert!(run.err.starts_with("holds:") && run.out.starts_with('{'), "{}", run.err);
}

#[test]
fn equal_runs_give_equal_reports() {
    let run = || {
        let mut report = burnside("check post.m --json -").report();
        for measured in ["seconds", "setup_seconds", "peak_bytes"] {
            report[measured] = Value::Null;
        }
        report
    };
    assert_eq!(run(), run());
}

/// What was not searched to the end is not said to hold.
#[test]
fn a_loop_among_some_states_says_nothing_of_other_properties() {
    let verdicts = |args: &str| -> Vec<(String, String)> {
        let report = burnside_in("examples", args).exits(1).report();
        assert_eq!(report["property"]["kind"], "ltl");
        let of = |property: &Value, key: &str| property[key].as_str().expect("a text").to_owned();
        let properties = report["properties"].as_array().expect("a list").iter();
        properties.map(|property| (of(property, "kind"), of(property, "verdict"))).collect()
    };
    let is_told = |all: &[(String, String)], kind: &str, verdict: &str| {
        all.iter().any(|(own_kind, own_verdict)| own_kind == kind && own_verdict == verdict)
    };
    let all = verdicts("check mutual-exclusion.m --symmetry off --json -");
    assert!(is_told(&all, "ltl", "violated") && is_told(&all, "fault", "holds"), "{all:?}");
    let some = verdicts("check mutual-exclusion.m --symmetry off --depth 3 --json -");
    assert!(is_told(&some, "ltl", "violated") && is_told(&some, "fault", "inconclusive"), "{some:?}");
    assert!(some.iter().all(|(_, verdict)| verdict != "holds"), "{some:?}");
}

#[test]
fn groups_are_reported_with_their_generators() {
    let report = burnside_in("examples", "symmetry token-ring.m --check-certificate --json -").exits(0).report();
    let group = &report["groups"][0];
    assert_eq!((&group["kind"], &group["structure"], &group["order"]), (&"ring".into(), &"D7".into(), &"14".into()));
    assert_eq!(group["generators"].as_array().map(Vec::len), Some(2));
    assert_eq!((&report["checked"]["generators"], &report["checked"]["complete"]), (&2.into(), &true.into()));
    let report = burnside_in("corpus/murphi", "symmetry ring-broken.m --json -").exits(0).report();
    assert_eq!(report["groups"].as_array().map(Vec::len), Some(0));
    assert_eq!(report["in_the_way"][1]["line"], 13);
}

#[test]
fn symmetry_is_reported_with_its_certificate() {
    let report = burnside("symmetry lamps.m --check-certificate --json -").exits(0).report();
    assert_eq!((&report["schema"], &report["group_order"]), (&"burnside.symmetry/1".into(), &"2".into()));
    let sort = &report["sorts"][0];
    assert_eq!((&sort["name"], &sort["declared"]), (&"room".into(), &false.into()));
    assert_eq!(sort["certificate"]["parts"].as_array().map(Vec::len), Some(4));
    assert_eq!(sort["certificate"]["loops"][0]["by"][0], "change nothing");
    assert_eq!(report["broken_by"][0]["line"], 31);
    assert_eq!(report["checked"]["complete"], true);
}

#[test]
fn partitions_are_reported_with_their_causes() {
    let report = burnside("symmetry readers.m --json -").exits(0).report();
    let partitions = report["partitions"].as_array().expect("a list");
    let names: Vec<&str> = partitions.iter().filter_map(|part| part["name"].as_str()).collect();
    assert_eq!(names, ["enter", "write", "overtake", "writers are alone"]);
    let enter = &partitions[0];
    assert_eq!(enter["groups"][0]["cells"][0].as_array().map(Vec::len), Some(4));
    assert_eq!((&enter["broken_by"][0]["line"], &enter["broken_by"][0]["text"]), (&18.into(), &"p <= Readers".into()));
    // The first process overtakes nobody, the last one anybody.
    assert_eq!(partitions[2]["groups"].as_array().map(Vec::len), Some(6));
}

#[test]
fn a_report_says_what_was_asked_and_what_came_of_each_property() {
    let report = burnside("check mutex.m --json -").exits(1).report();
    assert_eq!(report["tool"]["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(report["options"]["deadlock"], "stuttering");
    let verdicts = |report: &Value| {
        let properties = report["properties"].as_array().expect("a list").iter();
        properties.map(|it| format!("{} {}", it["kind"], it["verdict"])).collect::<Vec<String>>()
    };
    assert!(verdicts(&report).contains(&r#""invariant" "violated""#.to_owned()), "{report}");
    let name = report["property"]["name"].as_str().expect("a name").to_owned();
    let one =
        command().args(["check", "mutex.m", "--json", "-", "--property", &name]).output().expect("the binary runs");
    let one = finished(one).exits(1).report();
    assert_eq!(one["options"]["property"], name.as_str());
    assert_eq!(verdicts(&one), [r#""invariant" "violated""#, r#""fault" "inconclusive""#]);
}

#[test]
fn a_verdict_about_nothing_says_so() {
    let model = "var x: boolean; startstate x := true; end; rule begin x := !x; end;";
    let (silent, cut) = (scratch("silent.m"), scratch("cut.m"));
    std::fs::write(&silent, model).expect("a file");
    std::fs::write(&cut, format!("{model} assume \"never\" x & !x; invariant \"i\" x;")).expect("a file");
    let silent = burnside(&format!("check {} --deadlock off", silent.display())).exits(0);
    assert!(silent.out.contains("which claims nothing else") && silent.err.contains("nothing-claimed"));
    let run = burnside(&format!("check {}", cut.display())).exits(0);
    assert!(run.out.contains("holds: vacuously, since no state of") && run.err.contains("nothing-reachable"));
    let report = burnside(&format!("check {} --json -", cut.display())).exits(0).report();
    assert_eq!(report["diagnostics"][0]["code"], "nothing-reachable");
}
