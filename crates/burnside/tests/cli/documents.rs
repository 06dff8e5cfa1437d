//! The console sessions in the documentation, run again.

use std::path::Path;

use crate::harness::{command, finished, models, root, without_measurements};

/// Runs every block that begins with `$ burnside …` in the first of the folders that has the model it names, and
/// compares what follows.
#[track_caller]
fn sessions_are_true(document: &str, folders: &[&Path]) {
    let sessions = document.split("```console\n$ burnside ").skip(1);
    let mut n_sessions = 0;
    for session in sessions {
        let block = session.split("```").next().unwrap_or_default();
        let (args, expected) = block.split_once('\n').expect("a command and its output");
        let has_the_model =
            |folder: &&&Path| args.split(' ').any(|arg| arg.ends_with(".m") && folder.join(arg).exists());
        let folder = folders.iter().find(has_the_model).unwrap_or_else(|| panic!("burnside {args}: no such model"));
        let mut command = command();
        let run =
            finished(command.current_dir(folder).args(args.split_whitespace()).output().expect("the binary runs"));
        assert_eq!(without_measurements(&(run.out + &run.err)), without_measurements(expected), "burnside {args}");
        n_sessions += 1;
    }
    assert!(n_sessions > 0, "there are sessions");
}

#[test]
fn the_user_guide_is_true() {
    let guide = include_str!("../../../../docs/user-guide.md");
    sessions_are_true(guide, &[&models(), &root().join("examples")]);
}

#[test]
fn the_readme_is_true() {
    sessions_are_true(include_str!("../../../../README.md"), &[&root()]);
}
