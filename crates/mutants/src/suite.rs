//! A crate's own tests, for what no model shows.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Instant;

use crate::process::{End, end_of, limited};
use crate::scratch::{Mutant, read};
use crate::trial::Outcome;

/// Test programs that take longer are left out.
const MOST_SECONDS: u64 = 15;

/// A program of tests.
pub(crate) struct Suite {
    program: PathBuf,
    folder: PathBuf,
    seconds: u64,
    reached: BTreeSet<u32>,
}

impl Suite {
    /// Runs the tests once; nothing if they fail or take too long.
    pub(crate) fn new(program: &Path, folder: &Path, scratch: &Path) -> Result<Option<Self>, String> {
        let file = scratch.join("reached-by-tests");
        // It may not be there.
        let _ = std::fs::remove_file(&file);
        let suite = |seconds, reached| Self { program: program.into(), folder: folder.into(), seconds, reached };
        let recording = suite(MOST_SECONDS * 8, BTreeSet::new());
        let mut command = limited(program, &["--quiet"], MOST_SECONDS * 8);
        command.current_dir(folder).env("BURNSIDE_REACHED", &file).stdout(Stdio::null());
        if !command.status().is_ok_and(|status| status.success()) {
            return Ok(None);
        }
        let begun = Instant::now();
        let end = recording.run(0)?;
        let seconds = begun.elapsed().as_secs();
        let reached = read(&file).unwrap_or_default().lines().filter_map(|line| line.parse().ok()).collect();
        Ok((end == End::Success && seconds < MOST_SECONDS).then(|| suite(seconds, reached)))
    }

    fn run(&self, number: u32) -> Result<End, String> {
        let mut command = limited(&self.program, &["--quiet"], self.seconds * 3 + 10);
        command.current_dir(&self.folder).env("BURNSIDE_MUTANT", number.to_string()).stdout(Stdio::null());
        let status = command.status().map_err(|error| error.to_string())?;
        Ok(end_of(status))
    }

    /// Whether these tests notice a mutant.
    pub(crate) fn try_mutant(&self, mutant: &Mutant) -> Result<Option<Outcome>, String> {
        if !self.reached.contains(&mutant.place) {
            return Ok(None);
        }
        let name = self.program.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Ok(match self.run(mutant.number)? {
            End::Success => None,
            End::Timeout => Some(Outcome::new("timeout in tests", name)),
            End::Failure | End::Crash => Some(Outcome::new("test", name)),
        })
    }
}
