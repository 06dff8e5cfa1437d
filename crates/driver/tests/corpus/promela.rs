//! Promela models whose numbers of states are published.

use burnside_driver::{Language, LoadOptions, Plan, Settings, SymmetryChoice, load, on_large_stack};
use burnside_engine::{DeadlockMode, Monitor, Verdict};

use crate::files::root;

/// States and rules fired of the example with so many clients.
fn counts(n_clients: usize, symmetry: SymmetryChoice) -> (u64, u64) {
    let text = std::fs::read_to_string(root().join("examples/email.pml")).expect("an example");
    let options = LoadOptions { defines: vec![format!("N={n_clients}")], ..LoadOptions::default() };
    let settings = Settings { symmetry, deadlock: DeadlockMode::Stuck, ..Settings::default() };
    let run = || {
        let loaded = load("email.pml", &text, Language::Promela, &options);
        let prepared = loaded.prepared.unwrap_or_else(|| panic!("{:?}", loaded.diagnostics));
        let plan = Plan::new(&prepared, &settings).unwrap_or_else(|why| panic!("{}", why.message));
        let report = plan.run(&Monitor::default()).unwrap_or_else(|bug| panic!("{bug}")).report;
        assert!(matches!(report.verdict, Verdict::Holds(_)), "{:?}", report.verdict);
        (report.counts.states, report.counts.rules_fired)
    };
    on_large_stack(run).unwrap_or_else(|failure| panic!("{failure}"))
}

#[test]
fn mail_between_clients_has_the_published_numbers_of_states() {
    assert_eq!(counts(3, SymmetryChoice::Off), (23_256, 71_005));
    assert_eq!(counts(4, SymmetryChoice::Off), (852_641, 3_305_633));
    assert_eq!(counts(3, SymmetryChoice::Auto), (3_902, 11_950));
    assert_eq!(counts(4, SymmetryChoice::Auto), (36_255, 141_452));
    assert_eq!(counts(5, SymmetryChoice::Auto), (265_315, 1_271_005));
}
