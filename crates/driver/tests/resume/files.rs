//! Which files are refused, and with which words.

use std::io::Cursor;

use burnside_audit::digest;
use burnside_driver::{
    BugKind, Language, LoadOptions, Prepared, SaveProblem, SavedSearch, Settings, SymmetryChoice, load,
};
use burnside_engine::{Budget, DeadlockMode, Monitor, SearchOrder, StoreMode};

use crate::{MAILER, plan, run, written};

fn prepared(text: &str) -> Prepared {
    load("m.m", text, Language::Murphi, &LoadOptions::default()).prepared.expect("a good model")
}

fn settings() -> Settings {
    Settings { pauses: true, ..Settings::default() }
}

/// A search of the model that was cut short.
fn file(prepared: &Prepared, states: u64) -> Vec<u8> {
    let plan = plan(prepared, &settings());
    written(&plan, &run(&plan, Budget { states: Some(states), ..Budget::default() }))
}

fn problem(file: &[u8]) -> SaveProblem {
    SavedSearch::read(Cursor::new(file.to_vec())).expect_err("it is refused")
}

#[test]
fn other_models_options_and_files_are_refused() {
    let prepared = prepared(MAILER);
    let saved = SavedSearch::read(Cursor::new(file(&prepared, 50))).expect("it is whole");
    assert_eq!(saved.words, ["check"]);
    let resumed = |settings: &Settings, depth| plan(&prepared, settings).resuming(&saved, depth).err();
    assert_eq!(resumed(&settings(), None), None);
    assert_eq!(resumed(&settings(), Some(9)), Some(SaveProblem::Options));
    let others = [
        Settings { symmetry: SymmetryChoice::Off, ..settings() },
        Settings { order: SearchOrder::DepthFirst, ..settings() },
        Settings { store: StoreMode::Compressed, ..settings() },
        Settings { deadlock: DeadlockMode::Off, ..settings() },
    ];
    for other in others {
        assert_eq!(resumed(&other, None), Some(SaveProblem::Options), "{other:?}");
    }
    let changed = self::prepared(&MAILER.replace("n = 2", "n = 1"));
    assert_eq!(plan(&changed, &settings()).resuming(&saved, None).err(), Some(SaveProblem::Model));
    assert_eq!(problem(b""), SaveProblem::NoSearch);
    assert_eq!(problem(MAILER.as_bytes()), SaveProblem::NoSearch);
}

#[test]
fn a_file_of_another_version_is_refused() {
    let prepared = prepared(MAILER);
    let mut file = file(&prepared, 50);
    let version = env!("CARGO_PKG_VERSION").as_bytes();
    let at = file.windows(version.len()).position(|it| it == version).expect("it says which version wrote it");
    file[at] = b'9';
    sign(&mut file);
    let saved = SavedSearch::read(Cursor::new(file)).expect("it is whole");
    let refused = plan(&prepared, &settings()).resuming(&saved, None).err();
    assert!(matches!(refused, Some(SaveProblem::Version(version)) if version.starts_with('9')));
}

#[test]
fn damage_anywhere_is_noticed() {
    let file = file(&prepared(MAILER), 12);
    for at in 0..file.len() {
        let mut damaged = file.clone();
        damaged[at] ^= 1 << (at % 8);
        assert!(matches!(problem(&damaged), SaveProblem::NoSearch | SaveProblem::Damaged), "byte {at}");
        assert!(matches!(problem(&file[..at]), SaveProblem::NoSearch | SaveProblem::Damaged), "{at} bytes");
    }
}

/// Makes the digest of a file right again.
fn sign(file: &mut [u8]) {
    let (content, sum) = file.split_at_mut(file.len() - 32);
    sum.copy_from_slice(&digest(content));
}

/// By the interpreter: native code relies on what is true of every state that can be reached, and what somebody makes up
/// need not be one.
#[test]
fn whatever_somebody_makes_up_is_no_panic() {
    let prepared = prepared(MAILER);
    let file = file(&prepared, 40);
    let mut n_unreadable = 0;
    for seed in 0..600_usize {
        let mut forged = file.clone();
        let at = 120 + seed * 7919 % (forged.len() - 152);
        forged[at] ^= 1 << (seed % 8);
        forged[at / 2 + 60] ^= u8::from(seed % 5 == 0);
        sign(&mut forged);
        let Ok(saved) = SavedSearch::read(Cursor::new(forged)) else { continue };
        let settings = Settings { native: false, ..settings() };
        let Ok(plan) = plan(&prepared, &settings).resuming(&saved, None) else { continue };
        // Such a search means nothing; but it ends.
        let end = plan.run(&Monitor::new(Budget { states: Some(5_000), ..Budget::default() }));
        n_unreadable += usize::from(matches!(end, Err(bug) if matches!(bug.error, BugKind::Unreadable)));
    }
    assert!(n_unreadable > 100, "{n_unreadable} were noticed");
}
