//! Searches that are cut short and go on in another process.

use serde_json::Value;

use crate::harness::{burnside, scratch};

/// A report without what depends on the clock, the machine, the limits and the threads.
fn essence(mut report: Value) -> Value {
    for key in ["seconds", "setup_seconds", "peak_bytes", "options", "audited", "diagnostics"] {
        report[key] = Value::Null;
    }
    report
}

#[test]
fn reports_of_searches_in_pieces_are_those_of_one() {
    for options in ["readers.m --symmetry off", "readers.m --symmetry off --search dfs", "mutex.m -D N=5", "turns.pml"]
    {
        let file = scratch("piece.search");
        let whole = burnside(&format!("check {options} --json -"));
        let n_states = whole.report()["states"].as_u64().expect("a number");
        let cut = burnside(&format!("check {options} --states {} --save {}", n_states / 2, file.display())).exits(2);
        assert!(cut.out.contains("  saved "), "{}", cut.out);
        let more = burnside(&format!("resume {} --states {}", file.display(), n_states - 1)).exits(2);
        assert!(more.out.contains("  saved "), "{}", more.out);
        let rest = burnside(&format!("resume {} -j 2 --json -", file.display())).exits(whole.code);
        assert_eq!(essence(rest.report()), essence(whole.report()), "{options}");
    }
}

#[test]
fn what_cannot_go_on_is_refused_in_one_sentence() {
    let (model, file) = (scratch("changing.m"), scratch("changing.search"));
    let text = "var x: 0..99; startstate x := 0; end; rule x < 99 ==> begin x := x + 1; end; rule x = 99 ==> begin x := 0; end;";
    std::fs::write(&model, text).expect("written");
    burnside(&format!("check {} --states 50 --save {}", model.display(), file.display())).exits(2);
    std::fs::write(&model, text.replace("x + 1", "x + 3 - 2")).expect("written");
    let run = burnside(&format!("resume {}", file.display())).exits(3);
    assert!(run.err.contains("error[bad-search]") && run.err.contains("the model has changed"), "{}", run.err);
    std::fs::write(&model, text).expect("written");
    let run = burnside(&format!("resume {}", file.display())).exits(0);
    assert!(run.out.contains("states       100"), "{}", run.out);

    let mut bytes = std::fs::read(&file).expect("it is still there");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&file, bytes).expect("written");
    let run = burnside(&format!("resume {}", file.display())).exits(3);
    assert!(run.err.contains("it is damaged"), "{}", run.err);
    assert!(burnside("resume mutex.m").exits(3).err.contains("not a search"));
    assert!(burnside("resume no-such-file").exits(3).err.contains("no such file"));
    let run = burnside("check mutex.m --symmetry flood --save x.search").exits(3);
    assert!(run.err.contains("a search that can go on later with symmetry flood"), "{}", run.err);
    burnside("check mutex.m --keep-going --save x.search").exits(3);
}
