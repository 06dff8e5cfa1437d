//! Which models are compared.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::Options;
use crate::shell::root;

/// Models of the shared corpus are compared if they have more states than this without symmetry.
const LEAST_STATES: u64 = 100_000;

/// Our own models with constants that make them large enough; the first two do for a quick run.
const OWN: &[(&str, &[(&str, u32)])] = &[
    ("email", &[("Clients", 6)]),
    ("readers-writers", &[("Readers", 10), ("Writers", 3)]),
    ("dining-philosophers", &[("N", 15)]),
    ("cache-directory", &[("Clients", 4)]),
    ("email", &[("Clients", 6), ("Length", 3)]),
    ("peterson", &[("N", 5)]),
];

/// How many of [`OWN`] a quick run takes.
const QUICK: usize = 2;

/// A model to be compared.
pub(crate) struct Subject {
    pub(crate) name: String,
    pub(crate) text: String,
    /// Whether deadlocks are looked for.
    pub(crate) checks_deadlock: bool,
    /// CPU seconds of CMurphi's checker without symmetry on another machine.
    pub(crate) cmurphi_elsewhere: Option<f64>,
}

/// The models that fit the options: those of the shared corpus, where it is at hand, and our own.
pub(super) fn subjects(options: &Options) -> Result<Vec<Subject>, String> {
    let mut subjects = own(if options.quick { QUICK } else { OWN.len() })?;
    if !options.quick {
        match shared_corpus() {
            Some(corpus) => {
                let is_taken = |entry: &&Entry| {
                    let states = entry.number("states_nosym").unwrap_or(0.0) as u64;
                    states > LEAST_STATES && states <= options.most_states
                };
                for entry in entries(&corpus)?.iter().filter(is_taken) {
                    subjects.push(entry.subject(&corpus)?);
                }
            }
            None => eprintln!("{NO_CORPUS}"),
        }
    }
    subjects.retain(|subject| options.only.as_ref().is_none_or(|only| subject.name.contains(only)));
    Ok(subjects)
}

pub(crate) const NO_CORPUS: &str = "no shared corpus: only our own models; BURNSIDE_SHARED can name its folder";

/// The folder of the shared corpus, where it is at hand.
pub(crate) fn shared_corpus() -> Option<PathBuf> {
    let shared = std::env::var_os("BURNSIDE_SHARED").map_or_else(|| root().join("../shared"), PathBuf::from);
    Some(shared.join("corpus/murphi")).filter(|folder| folder.is_dir())
}

fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

fn own(n: usize) -> Result<Vec<Subject>, String> {
    OWN[..n].iter().map(|(name, constants)| own_subject(&format!("examples/{name}.m"), constants)).collect()
}

/// A model of ours with other constants.
pub(crate) fn own_subject(path: &str, constants: &[(&str, u32)]) -> Result<Subject, String> {
    let path = root().join(path);
    let mut text = read(&path)?;
    let mut name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    for (constant, value) in constants {
        text = set_constant(&text, constant, *value)?;
        name = format!("{name}-{constant}{value}");
    }
    // Other tools look for liveness in their own way and time.
    let text = without_liveness(&text);
    Ok(Subject { name, text, checks_deadlock: true, cmurphi_elsewhere: None })
}

/// Changes the line `  NAME: OLD;` of a model.
fn set_constant(text: &str, name: &str, value: u32) -> Result<String, String> {
    let start = format!("  {name}: ");
    let line =
        text.lines().find(|line| line.starts_with(&start)).ok_or_else(|| format!("there is no constant {name}"))?;
    Ok(text.replacen(line, &format!("{start}{value};"), 1))
}

fn without_liveness(text: &str) -> String {
    text.lines().filter(|line| !line.trim_start().starts_with("liveness ")).map(|line| format!("{line}\n")).collect()
}

/// What the shared corpus says about one of its models: cells by the names of their columns.
pub(crate) struct Entry {
    cells: BTreeMap<String, String>,
}

/// All models of the shared corpus.
pub(crate) fn entries(corpus: &Path) -> Result<Vec<Entry>, String> {
    let table = read(&corpus.join("expected.tsv"))?;
    let mut lines = table.lines().map(|line| line.split('\t').map(str::to_owned));
    let heading: Vec<String> = lines.next().into_iter().flatten().collect();
    Ok(lines.map(|line| Entry { cells: heading.iter().cloned().zip(line).collect() }).collect())
}

impl Entry {
    pub(crate) fn cell(&self, column: &str) -> &str {
        self.cells.get(column).map_or("", String::as_str)
    }

    pub(crate) fn number(&self, column: &str) -> Option<f64> {
        self.cell(column).parse().ok()
    }

    /// States with one of each orbit, or what CMurphi stores where the former is not known.
    pub(crate) fn symmetric_states(&self) -> Option<u64> {
        let states = self.number("states_canonical").or(self.number("cmurphi_states_default_sym"));
        states.map(|states| states as u64)
    }

    /// Whether sets of identities are declared and no violation is known, except a deadlock that need not count.
    pub(crate) fn is_symmetric_and_holds(&self) -> bool {
        let verdict = [self.cell("verdict(deadlock_check_on)"), self.cell("verdict_if_deadlock_off")];
        self.cell("features").contains("scalarset:") && (verdict[0] == "ok" || verdict == ["deadlock", "ok"])
    }

    pub(crate) fn is_accepted_by_rumur(&self) -> bool {
        self.cell("accepted_by").split('+').any(|tool| tool == "ru")
    }

    pub(crate) fn subject(&self, corpus: &Path) -> Result<Subject, String> {
        let file = self.cell("file");
        Ok(Subject {
            name: file.trim_end_matches(".m").to_owned(),
            text: read(&corpus.join("models").join(file))?.replace('\r', ""),
            checks_deadlock: self.cell("verdict(deadlock_check_on)") != "deadlock",
            cmurphi_elsewhere: self.number("cm_run_nosym_cpu_s"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_are_changed() {
        assert_eq!(set_constant("const\n  N: 3;\n  M: 4;\n", "N", 7).as_deref(), Ok("const\n  N: 7;\n  M: 4;\n"));
        assert!(set_constant("const N: 3;\n", "N", 7).is_err());
    }

    #[test]
    fn our_own_models_have_their_constants() {
        assert_eq!(own(OWN.len()).map(|subjects| subjects.len()), Ok(OWN.len()));
    }
}
