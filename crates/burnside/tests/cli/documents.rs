//! The console sessions in the documentation, run again. `UPDATE_GOLDEN=1` writes what comes out into the documents.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::harness::{command, finished, models, root, scratch, without_measurements};

const BLOCK: &str = "```console\n$ ";

/// One command of a document and what it prints, with its place in the text.
struct Session<'d> {
    command: &'d str,
    expected: &'d str,
    /// Where the expected text stands.
    at: std::ops::Range<usize>,
}

/// All sessions of a document. A block may have several commands, one after the other.
fn sessions(document: &str) -> Vec<Session<'_>> {
    let mut sessions = Vec::new();
    for (start, _) in document.match_indices(BLOCK) {
        let start = start + BLOCK.len();
        let end = start + document[start..].find("```").expect("a block ends");
        let mut at = start;
        while at < end {
            let line_end = at + document[at..].find('\n').expect("a command ends its line") + 1;
            let next = document[line_end..end].find("\n$ ").map_or(end, |next| line_end + next + 1);
            // A command that prints nothing is followed at once by the next.
            let next = if document[line_end..end].starts_with("$ ") { line_end } else { next };
            let expected = &document[line_end..next];
            sessions.push(Session { command: document[at..line_end].trim_end(), expected, at: line_end..next });
            at = if next == end { end } else { next + 2 };
        }
    }
    assert!(!sessions.is_empty(), "there are sessions");
    sessions
}

/// Compares what each command prints with what the document says.
#[track_caller]
fn sessions_are_true(path: &str, run: impl Fn(&str) -> String) {
    let path = root().join(path);
    let document = std::fs::read_to_string(&path).expect("the document is there");
    let updates = std::env::var_os("UPDATE_GOLDEN").is_some();
    let (mut new, mut copied) = (String::new(), 0);
    for session in sessions(&document) {
        let printed = run(session.command);
        let is_same = without_measurements(&printed) == without_measurements(session.expected);
        if updates && !is_same {
            new += &document[copied..session.at.start];
            new += &printed;
            copied = session.at.end;
        } else {
            let (printed, expected) = (without_measurements(&printed), without_measurements(session.expected));
            assert_eq!(printed, expected, "\n$ {}", session.command);
        }
    }
    if copied > 0 {
        std::fs::write(&path, new + &document[copied..]).expect("the document is written");
    }
}

/// Runs `burnside …` in the first of the folders that has the model it names.
fn with_models(folders: &[PathBuf]) -> impl Fn(&str) -> String {
    move |line| {
        let args = line.strip_prefix("burnside ").unwrap_or_else(|| panic!("`{line}` is a command of ours"));
        let has_the_model =
            |folder: &&PathBuf| args.split(' ').any(|arg| arg.ends_with(".m") && folder.join(arg).exists());
        let folder = folders.iter().find(has_the_model).unwrap_or_else(|| panic!("{line}: no such model"));
        let mut command = command();
        let run =
            finished(command.current_dir(folder).args(args.split_whitespace()).output().expect("the binary runs"));
        run.out + &run.err
    }
}

#[test]
fn the_user_guide_is_true() {
    sessions_are_true("docs/user-guide.md", with_models(&[models(), root().join("examples"), root()]));
}

#[test]
fn the_readme_is_true() {
    sessions_are_true("README.md", with_models(&[root()]));
}

/// The files a document has its reader write: blocks below a line `` `name.m`: ``, in their order.
fn files(document: &str) -> Vec<(usize, String, String)> {
    let mut files = Vec::new();
    for (at, _) in document.match_indices("`:\n\n```murphi\n") {
        let name = document[..at].rsplit('`').next().expect("a name in backticks");
        let text = document[at + "`:\n\n```murphi\n".len()..].split("```").next().expect("a block ends");
        files.push((at, name.to_owned(), text.to_owned()));
    }
    files
}

/// Does what a tutorial says in an empty folder, through a shell, files and commands in the order of the text.
fn does_the_tutorial(path: &str) {
    let folder = scratch("tutorial");
    std::fs::create_dir_all(&folder).expect("created");
    let document = std::fs::read_to_string(root().join(path)).expect("the document is there");
    let files = files(&document);
    let bin = Path::new(env!("CARGO_BIN_EXE_burnside")).parent().expect("a folder");
    let path_of_tools = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap_or_default());
    let places: Vec<(String, usize)> =
        sessions(&document).iter().map(|it| (it.command.to_owned(), it.at.start)).collect();
    let (done, written) = (std::cell::Cell::new(0), std::cell::Cell::new(0));
    sessions_are_true(path, |line| {
        let (_, place) = places[done.get()];
        done.set(done.get() + 1);
        // Each file is written when its text has been read, and then is the reader's.
        while let Some((_, name, text)) = files.get(written.get()).filter(|(at, ..)| *at < place) {
            std::fs::write(folder.join(name), text).expect("written");
            written.set(written.get() + 1);
        }
        let mut shell = Command::new("sh");
        shell.args(["-c", &format!("{line} 2>&1")]).current_dir(&folder).env("PATH", &path_of_tools);
        shell.env_remove("COLUMNS").stdin(Stdio::null());
        let run = finished(shell.output().expect("there is a shell"));
        run.out
    });
}

#[test]
fn the_tutorial_can_be_done() {
    does_the_tutorial("docs/tutorial.md");
}
