//! The models that every mutant is tried on.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use burnside_driver::{Expect, Header};
use burnside_testkit::torture::{Knobs, torture_text};

use crate::pool::in_parallel;
use crate::process::{Child, Line};
use crate::scratch::{files, read, write};
use crate::trial::Reached;

/// A model that takes longer without mutants is left out.
const MOST_MILLIS: u64 = 800;

/// A model, with what is said about it where nothing is mutated.
pub(crate) struct Text {
    pub(crate) path: PathBuf,
    pub(crate) millis: u64,
    pub(crate) answers: Vec<String>,
}

/// Copies all models, in their order of use, to a folder: ours, those of the shared corpus, and random ones, in turns.
pub(crate) fn collect(root: &Path, to: &Path, n_random: u64) -> Result<Vec<PathBuf>, String> {
    let mut kept = Vec::new();
    for folder in ["corpus/regress", "corpus/murphi", "examples"] {
        for path in models(&root.join(folder))? {
            let text = read(&path)?;
            let Ok(header) = Header::parse(&text) else { continue };
            if header.define.is_empty() {
                kept.push((name(&path), format!("{text}\n{}\n", marks(&header))));
            }
        }
    }
    let shared = std::env::var_os("BURNSIDE_SHARED").map_or_else(|| root.join("../shared"), PathBuf::from);
    for folder in ["soundness-traps", "symmetry-traps", "murphi-dialect", "murphi"] {
        let folder = shared.join("corpus").join(folder);
        for path in if folder.is_dir() { models(&folder)? } else { Vec::new() } {
            kept.push((name(&path), read(&path)?));
        }
    }
    let mut all = Vec::new();
    let mut seeds = 0..n_random;
    for (name, text) in kept {
        all.push((format!("kept-{name}"), text));
        all.extend(seeds.by_ref().take(1).map(random));
    }
    all.extend(seeds.map(random));
    let mut paths = Vec::new();
    for (name, text) in all {
        paths.push(to.join(name));
        write(&to.join(paths[paths.len() - 1].file_name().unwrap_or_default()), &text)?;
    }
    Ok(paths)
}

fn random(seed: u64) -> (String, String) {
    (format!("random-{seed}.m"), torture_text(seed, &Knobs::default()).text)
}

fn models(folder: &Path) -> Result<Vec<PathBuf>, String> {
    Ok(files(folder)?.into_iter().filter(|path| path.extension().is_some_and(|it| it == "m")).collect())
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// A header in the form that `torture` reads.
fn marks(header: &Header) -> String {
    let mut marks = format!("-- torture: deadlock {}", header.deadlock.as_deref().unwrap_or("stuttering"));
    if header.strict_undefined {
        marks += "; strict-undefined";
    }
    if let Some(limit) = header.loop_limit {
        let _ = write!(marks, "; loop-limit {limit}");
    }
    marks
        + match header.expect {
            Expect::Holds => "; expect holds",
            Expect::Violated { .. } => "; expect violated",
            Expect::Inconclusive => "; expect inconclusive",
            Expect::Invalid(_) => "; expect invalid",
        }
}

/// What is said about the models without mutants, and which places each executes. Models that are too large, take too
/// long, or get another answer the second time are left out.
pub(crate) fn baseline(torture: &Path, paths: &[PathBuf], folder: &Path) -> Result<(Vec<Text>, Reached), String> {
    let (mut texts, mut reached) = (Vec::new(), Reached::new());
    for (path, found) in paths.iter().zip(in_parallel(paths, |path| ask(torture, path, folder))?) {
        let Some((text, places)) = found else { continue };
        for place in places {
            reached.entry(place).or_default().push(texts.len());
        }
        texts.push(Text { path: path.clone(), ..text });
    }
    Ok((texts, reached))
}

/// Asks twice about one model, the second time with a record of what is executed.
fn ask(torture: &Path, path: &Path, folder: &Path) -> Result<Option<(Text, Vec<u32>)>, String> {
    let Some((millis, answers)) = answer(torture, path, ("BURNSIDE_MUTANT", "0"))? else { return Ok(None) };
    let is_useful = !answers.iter().any(|it| it.starts_with("! ") || it.starts_with("examined TooLarge"));
    // Refused models never reach what is mutated.
    if !is_useful || answers.len() < 2 || millis > MOST_MILLIS {
        return Ok(None);
    }
    let record = folder.join(format!("{}.reached", path.file_name().unwrap_or_default().display()));
    // It may not be there.
    let _ = fs::remove_file(&record);
    let again = answer(torture, path, ("BURNSIDE_REACHED", &record.display().to_string()))?;
    let places = read(&record)?.lines().filter_map(|line| line.parse().ok()).collect();
    let is_same = again.is_some_and(|(_, again)| again == answers);
    Ok(is_same.then(|| (Text { path: path.to_owned(), millis, answers }, places)))
}

fn answer(torture: &Path, path: &Path, variable: (&str, &str)) -> Result<Option<(u64, Vec<String>)>, String> {
    let mut child = Child::start(torture, &[path], &[variable], MOST_MILLIS / 250 + 2)?;
    let mut found = None;
    while let Some(line) = child.next_line() {
        if let Line::Done(_, millis, answers) = line {
            found = Some((millis, answers));
        }
    }
    child.end();
    Ok(found)
}
