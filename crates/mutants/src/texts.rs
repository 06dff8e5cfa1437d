//! The models that every mutant is tried on.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use burnside_testkit::torture::{Knobs, torture_text};
use burnside_testkit::{Expect, Header};

use crate::process::{Child, Line};
use crate::scratch::{files, read, write};

/// A model that takes longer without mutants is left out.
const MOST_MILLIS: u64 = 2_500;

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
            Expect::Invalid(_) => "; expect invalid",
        }
}

/// What is said about the models without mutants. Those that are too large, take too long, or get another answer the
/// second time are left out.
pub(crate) fn baseline(torture: &Path, paths: &[PathBuf]) -> Result<Vec<Text>, String> {
    let (first, second) = (answers(torture, paths)?, answers(torture, paths)?);
    let mut texts = Vec::new();
    for path in paths {
        let (Some((millis, answers)), Some((_, again))) = (first.get(path), second.get(path)) else { continue };
        let is_useful = !answers.iter().any(|it| it.starts_with("! ") || it.starts_with("examined TooLarge"));
        // Refused models never reach what is mutated.
        let is_searched = answers.len() > 1;
        if answers == again && is_useful && is_searched && *millis <= MOST_MILLIS {
            texts.push(Text { path: path.clone(), millis: *millis, answers: answers.clone() });
        }
    }
    Ok(texts)
}

type Answers = BTreeMap<PathBuf, (u64, Vec<String>)>;

fn answers(torture: &Path, paths: &[PathBuf]) -> Result<Answers, String> {
    let mut all = BTreeMap::new();
    let mut left: Vec<&Path> = paths.iter().map(PathBuf::as_path).collect();
    while !left.is_empty() {
        let mut child = Child::start(torture, &left, &[("BURNSIDE_MUTANT", "0")], 3600)?;
        let mut n_done = 0;
        while let Some(line) = child.next_line() {
            if let Line::Done(path, millis, answers) = line {
                all.insert(path, (millis, answers));
                n_done += 1;
            }
        }
        child.end();
        // The one it died of is left out.
        left.drain(..(n_done + 1).min(left.len()));
    }
    Ok(all)
}
