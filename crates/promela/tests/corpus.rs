//! The shared corpus of real models and dialect probes: what SPIN accepts is accepted, what it refuses is refused, and the
//! reference explorer counts the states and transitions of SPIN's unoptimised verifier.
//!
//! The corpus is not part of the repository. It is looked for in `$BURNSIDE_SHARED`, then beside the checkout; without it
//! these tests fail, unless `$BURNSIDE_ALLOW_MISSING` allows it. `$CORPUS_STATES` bounds the models that are explored
//! (20000 in the figures that the documentation gives), `$CORPUS_CUTS` the cuts per file of the damage test.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use burnside_diag::{FileId, Palette, SourceFile, SourceMap, render};
use burnside_promela::reference::{Fault, Limits, explore};
use burnside_promela::{Include, Loaded, Options, load};
use burnside_testkit::shared_corpus;

struct Sample {
    name: String,
    path: PathBuf,
    accepted: bool,
    safety: String,
    /// States and transitions of the clean build.
    counts: Option<(u64, u64)>,
}

/// The rows of a table, with the columns of these names.
fn rows(path: &Path, columns: &[&str]) -> Vec<Vec<String>> {
    let table = fs::read_to_string(path).expect("the corpus has its tables");
    let mut lines = table.lines().map(|line| line.split('\t').map(str::to_owned).collect::<Vec<_>>());
    let heading = lines.next().expect("the table has a heading");
    let at: Vec<usize> = columns
        .iter()
        .map(|column| heading.iter().position(|name| name == column).expect("the table has this column"))
        .collect();
    lines.map(|line| at.iter().map(|&at| line.get(at).cloned().unwrap_or_default()).collect()).collect()
}

fn samples_in(table: &Path, folder: &Path) -> Vec<Sample> {
    let columns = ["file", "accepted", "safety", "states_clean", "trans_clean"];
    let sample = |row: Vec<String>| Sample {
        path: folder.join(&row[0]),
        accepted: row[1] == "yes",
        safety: row[2].clone(),
        counts: row[3].parse().ok().zip(row[4].parse().ok()),
        name: row[0].clone(),
    };
    rows(table, &columns).into_iter().map(sample).collect()
}

fn samples() -> Vec<Sample> {
    let Some(corpus) = shared_corpus() else { return Vec::new() };
    let models = corpus.join("promela");
    let probes = corpus.join("promela-dialect");
    let mut samples = samples_in(&models.join("expected.tsv"), &models.join("models"));
    samples.extend(samples_in(&probes.join("expected.tsv"), &probes));
    samples
}

fn read(path: &Path) -> String {
    let bytes = fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    String::from_utf8_lossy(&bytes).into_owned()
}

fn no_includes(_: Include<'_>) -> Result<(FileId, String), String> {
    Err("tests include nothing".to_owned())
}

fn load_text(text: &str, defines: &[&str]) -> Loaded {
    let defines = defines.iter().map(|define| (*define).to_owned()).collect();
    load(FileId(0), text, &Options { defines, ..Options::default() }, &mut no_includes)
}

fn shown(name: &str, text: &str, loaded: &Loaded) -> String {
    let mut sources = SourceMap::default();
    sources.add(SourceFile::new(name, text));
    let errors = loaded.diagnostics.iter().filter(|diagnostic| diagnostic.is_error());
    errors.map(|error| render(error, &sources, Palette::Plain)).collect()
}

/// The kinds of error as the table names them.
fn safety(faults: &BTreeSet<Fault>) -> String {
    let word = |fault: &Fault| match fault {
        Fault::Assertion => "assertion",
        Fault::InvalidEndState => "invalid-end-state",
        Fault::ArrayIndex => "array-index",
        Fault::MessageFields => "message-arity",
        Fault::PollRendezvous => "poll-of-rendezvous-channel",
        Fault::NoChannel => "no-channel",
        Fault::Trace => "trace",
    };
    match faults.is_empty() {
        true => "ok".to_owned(),
        false => faults.iter().map(word).collect::<Vec<_>>().join("+"),
    }
}

fn bound(variable: &str, otherwise: u64) -> u64 {
    std::env::var(variable).ok().and_then(|value| value.parse().ok()).unwrap_or(otherwise)
}

/// Models accepted although SPIN refuses them, with the reason.
const ACCEPTED: &[(&str, &str)] = &[
    ("alanprawira_Promela__2.pml", "`X` in a formula has a meaning"),
    ("andirsun_promela-spin-prob__tiktok.pml", "`X` in a formula has a meaning"),
    ("d68_ltl_next.pml", "`X` in a formula has a meaning"),
];

#[test]
fn what_spin_accepts_is_accepted_and_nothing_else() {
    let mut problems = Vec::new();
    for sample in samples() {
        let text = read(&sample.path);
        let loaded = load_text(&text, &[]);
        let expected = sample.accepted || ACCEPTED.iter().any(|(name, _)| *name == sample.name);
        if loaded.model.is_some() != expected {
            let wanted = if expected { "accepted" } else { "refused" };
            problems.push(format!("{}: should be {wanted}\n{}", sample.name, shown(&sample.name, &text, &loaded)));
        }
    }
    assert!(problems.is_empty(), "{} problems\n{}", problems.len(), problems.join("\n"));
}

/// Models whose counts or faults are otherwise than SPIN's, with the reason.
const COUNTED_OTHERWISE: &[(&str, &str)] = &[(
    "d32_index.pml",
    "equal counts; the assertion behind a store outside an array depends on whose memory SPIN's verifier hits",
)];

#[test]
fn states_and_transitions_are_those_of_spin() {
    let max_states = bound("CORPUS_STATES", 2000);
    let limits = Limits { n_states: max_states as usize + 1000, n_steps: max_states * 1000 };
    let mut problems = Vec::new();
    let mut n_equal = 0;
    for sample in samples() {
        let Some((n_states, n_transitions)) = sample.counts.filter(|(n_states, _)| *n_states <= max_states) else {
            continue;
        };
        if COUNTED_OTHERWISE.iter().any(|(name, _)| *name == sample.name) {
            continue;
        }
        let Some(model) = load_text(&read(&sample.path), &[]).model else { continue };
        let report = explore(&model, limits);
        let found = safety(&report.faults);
        if (report.n_states, report.n_transitions, &found, report.stopped)
            == (n_states, n_transitions, &sample.safety, None)
        {
            n_equal += 1;
        } else {
            problems.push(format!(
                "{}: {} states, {} transitions, {found}, stopped {:?}; SPIN: {n_states}, {n_transitions}, {}",
                sample.name, report.n_states, report.n_transitions, report.stopped, sample.safety
            ));
        }
    }
    assert!(problems.is_empty(), "{n_equal} equal, {} not\n{}", problems.len(), problems.join("\n"));
}

/// The rows of the table of families: file, options, states, transitions.
fn families(corpus: &Path) -> Vec<(PathBuf, Vec<String>, u64, u64)> {
    let text = fs::read_to_string(corpus.join("promela/README.md")).expect("the corpus is described");
    let row = |line: &str| {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let [_, model, n_states, n_transitions, ..] = cells.as_slice() else { return None };
        let mut words = model.strip_prefix('`')?.strip_suffix('`')?.split_whitespace();
        let path = corpus.join("promela/families").join(format!("{}.pml", words.next()?));
        let defines: Vec<String> = words.filter_map(|word| word.strip_prefix("-D")).map(str::to_owned).collect();
        Some((path, defines, n_states.parse().ok()?, n_transitions.parse().ok()?))
    };
    text.lines().filter_map(row).collect()
}

#[test]
fn symmetric_families_have_spins_counts() {
    let Some(corpus) = shared_corpus() else { return };
    let max_states = bound("CORPUS_STATES", 2000);
    let limits = Limits { n_states: max_states as usize + 1000, n_steps: max_states * 1000 };
    let rows = families(&corpus);
    assert!(rows.len() > 50, "the table of families was not understood");
    for (path, defines, n_states, n_transitions) in rows.into_iter().filter(|row| row.2 <= max_states) {
        let defines: Vec<&str> = defines.iter().map(String::as_str).collect();
        let loaded = load_text(&read(&path), &defines);
        let model = loaded.model.unwrap_or_else(|| panic!("{}: {:?}", path.display(), loaded.diagnostics));
        let report = explore(&model, limits);
        assert_eq!(
            (report.n_states, report.n_transitions),
            (n_states, n_transitions),
            "{} {defines:?}",
            path.display()
        );
    }
}

/// What is left of a text may still be a model: then it has a good IR.
fn lower_too(loaded: Loaded) {
    if let Some(model) = loaded.model {
        let defects = burnside_ir::verify(&model.lower());
        assert!(defects.is_empty(), "{defects:?}");
    }
}

/// A text cut anywhere, or with a piece missing, gives diagnostics and no panic.
#[test]
fn damaged_text_never_panics() {
    let n_cuts = bound("CORPUS_CUTS", 12) as usize;
    for (seed, sample) in samples().iter().enumerate() {
        let text = read(&sample.path);
        let stride = (text.len() / n_cuts).max(1);
        for cut in (seed % stride..text.len()).step_by(stride).filter(|&cut| text.is_char_boundary(cut)) {
            lower_too(load_text(&text[..cut], &[]));
            let resumed = (cut + stride / 3..text.len()).find(|&at| text.is_char_boundary(at)).unwrap_or(text.len());
            if resumed > cut {
                lower_too(load_text(&format!("{}{}", &text[..cut], &text[resumed..]), &[]));
            }
        }
    }
}
