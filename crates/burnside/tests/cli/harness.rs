//! How the tests run the binary and compare texts.

use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::Value;

/// What a run of the binary came to.
pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Run {
    /// The report on standard output.
    pub(crate) fn report(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("no JSON ({error}): {}", self.out))
    }

    /// Checks the exit code, and shows everything if it is wrong.
    #[track_caller]
    pub(crate) fn exits(self, code: i32) -> Self {
        assert_eq!(self.code, code, "\n-- stdout\n{}\n-- stderr\n{}", self.out, self.err);
        self
    }
}

/// The binary, in the directory of the models, without the environment's colours.
pub(crate) fn command() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_burnside"));
    command.current_dir(models()).env_remove("NO_COLOR").env_remove("COLUMNS").stdin(Stdio::null());
    command
}

/// Runs the binary with arguments separated by spaces.
pub(crate) fn burnside(args: &str) -> Run {
    finished(command().args(args.split_whitespace()).output().expect("the binary runs"))
}

/// The same in a folder of the project.
pub(crate) fn burnside_in(folder: &str, args: &str) -> Run {
    finished(
        command().current_dir(root().join(folder)).args(args.split_whitespace()).output().expect("the binary runs"),
    )
}

pub(crate) fn finished(output: Output) -> Run {
    Run {
        code: output.status.code().expect("not ended by a signal"),
        out: String::from_utf8(output.stdout).expect("standard output is UTF-8"),
        err: String::from_utf8(output.stderr).expect("standard error is UTF-8"),
    }
}

/// The project's folder.
pub(crate) fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

pub(crate) fn models() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/models")
}

/// A file in the build directory that no other test uses.
pub(crate) fn scratch(name: &str) -> PathBuf {
    static FILES: AtomicU32 = AtomicU32::new(0);
    let number = FILES.fetch_add(1, Ordering::Relaxed);
    // Tests run in parallel, as threads of one process or as processes of their own.
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{}-{number}-{name}", std::process::id()))
}

/// Compares a text with a golden file; `UPDATE_GOLDEN=1` writes it.
#[track_caller]
pub(crate) fn assert_golden(name: &str, text: &str) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, text).expect("golden file is written");
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(text, expected, "\n{} differs; UPDATE_GOLDEN=1 rewrites it", path.display());
}

/// Replaces what differs from run to run: times, rates, memory, and how many states there was time to audit.
pub(crate) fn without_measurements(text: &str) -> String {
    let measured = ["  \"audited\": ", "  \"seconds\": ", "  \"setup_seconds\": ", "  \"peak_bytes\": "];
    let line = |line: &str| {
        if let Some(key) = measured.iter().find(|key| line.starts_with(*key)) {
            format!("{key}…")
        } else if line.starts_with("  time ") {
            "  time         …".to_owned()
        } else if line.starts_with("  audited ") {
            "  audited      …".to_owned()
        } else if line.starts_with("memory: ") {
            "memory: …".to_owned()
        } else if line.starts_with("  memory ") {
            "  memory       …".to_owned()
        } else if line.starts_with("  states ") {
            line.split(" (").next().unwrap_or(line).to_owned()
        } else {
            line.to_owned()
        }
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n") + "\n"
}
