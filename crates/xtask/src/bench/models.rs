//! Which models are compared.

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
pub(super) struct Subject {
    pub(super) name: String,
    pub(super) text: String,
    /// Whether deadlocks are looked for.
    pub(super) checks_deadlock: bool,
    /// CPU seconds of CMurphi's checker without symmetry on another machine.
    pub(super) cmurphi_elsewhere: Option<f64>,
}

/// The models that fit the options: those of the shared corpus, where it is at hand, and our own.
pub(super) fn subjects(options: &Options) -> Result<Vec<Subject>, String> {
    let mut subjects = own(if options.quick { QUICK } else { OWN.len() })?;
    if !options.quick {
        match shared_corpus() {
            Some(corpus) => subjects.extend(shared(&corpus, options.most_states)?),
            None => eprintln!("no shared corpus: only our own models; BURNSIDE_SHARED can name its folder"),
        }
    }
    subjects.retain(|subject| options.only.as_ref().is_none_or(|only| subject.name.contains(only)));
    Ok(subjects)
}

fn shared_corpus() -> Option<PathBuf> {
    let shared = std::env::var_os("BURNSIDE_SHARED").map_or_else(|| root().join("../shared"), PathBuf::from);
    Some(shared.join("corpus/murphi")).filter(|folder| folder.is_dir())
}

fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

fn own(n: usize) -> Result<Vec<Subject>, String> {
    let subject = |(name, constants): &(&str, &[(&str, u32)])| {
        let mut text = read(&root().join("examples").join(format!("{name}.m")))?;
        let mut title = (*name).to_owned();
        for (constant, value) in *constants {
            text = set_constant(&text, constant, *value)?;
            title = format!("{title}-{constant}{value}");
        }
        // Other tools look for liveness in their own way and time.
        let text = without_liveness(&text);
        Ok(Subject { name: title, text, checks_deadlock: true, cmurphi_elsewhere: None })
    };
    OWN[..n].iter().map(subject).collect()
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

fn shared(corpus: &Path, most_states: u64) -> Result<Vec<Subject>, String> {
    let table = read(&corpus.join("expected.tsv"))?;
    let mut lines = table.lines().map(|line| line.split('\t').collect::<Vec<_>>());
    let heading = lines.next().unwrap_or_default();
    let mut subjects = Vec::new();
    for row in lines {
        let cell = |column: &str| heading.iter().position(|it| *it == column).and_then(|at| row.get(at).copied());
        let number = |column: &str| cell(column).and_then(|cell| cell.parse::<f64>().ok());
        let (Some(file), Some(states)) = (cell("file"), number("states_nosym")) else { continue };
        if states as u64 <= LEAST_STATES || states as u64 > most_states {
            continue;
        }
        subjects.push(Subject {
            name: file.trim_end_matches(".m").to_owned(),
            text: read(&corpus.join("models").join(file))?.replace('\r', ""),
            checks_deadlock: cell("verdict(deadlock_check_on)") != Some("deadlock"),
            cmurphi_elsewhere: number("cm_run_nosym_cpu_s"),
        });
    }
    Ok(subjects)
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
