//! The shared corpus of real models and dialect probes: what at least one existing tool accepts is accepted, what both
//! refuse is refused, apart from the differences listed here with their reasons.
//!
//! The corpus is not part of the repository. It is looked for in `$BURNSIDE_SHARED`, then beside the checkout; without
//! it these tests fail, unless `$BURNSIDE_ALLOW_MISSING` allows it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use burnside_diag::{FileId, Palette, SourceFile, SourceMap, render};
use burnside_murphi::{Options, load};
use burnside_testkit::shared_corpus;

/// Models accepted although no other tool gets through them.
const ACCEPTED: &[(&str, &str)] = &[
    ("TUM-DSE_vCXLGen__COMP_MR_EQ_L2sB_3CC.m", "legal for Rumur, whose generator runs out of memory"),
    ("TUM-DSE_vCXLGen__RMR_MR_LIVE_FullSystem_3CC.m", "legal for Rumur, whose generator runs out of time"),
    ("wang9511_flash_unde_noa__ABS_flash_unde_noaux_checkByMurphi.m", "legal, but too long for CMurphi's parser stack"),
    ("ammubhave_6.823-lab__msi3.m", "legal for CMurphi, whose generated C++ does not compile"),
    ("lex-keywords-as-ident", "each of its names is allowed in one of the dialects"),
    ("ms-anon-elem-type", "equal by structure, which is how all other types agree here"),
    ("ss-arith", "members of scalarsets have numbers, at the price of some symmetry"),
    ("ss-order-compare", "members of scalarsets have numbers, at the price of some symmetry"),
    ("ss-to-range", "members of scalarsets have numbers, at the price of some symmetry"),
];

/// Models refused although another tool accepts them.
const REFUSED: &[(&str, &str)] = &[
    ("melver_cmurphi__turbogas.m", "real numbers"),
    ("real-basic", "real numbers"),
    (
        "syn-sideeffect-guard",
        "a guard that changes variables: when it is evaluated, and how often, is nobody's promise",
    ),
    ("rs-no-startstate", "without a start state every claim would hold"),
];

struct Sample {
    name: String,
    path: PathBuf,
    accepted_elsewhere: bool,
}

/// Rows of a table without its heading.
fn rows(path: &Path) -> Vec<Vec<String>> {
    let table = fs::read_to_string(path).expect("the corpus has its tables");
    table.lines().skip(1).map(|line| line.split('\t').map(str::to_owned).collect()).collect()
}

fn models(corpus: &Path) -> Vec<Sample> {
    let dir = corpus.join("murphi");
    let sample = |row: Vec<String>| Sample {
        path: dir.join("models").join(&row[0]),
        accepted_elsewhere: row[5] != "none",
        name: row[0].clone(),
    };
    rows(&dir.join("expected.tsv")).into_iter().map(sample).collect()
}

fn probes(corpus: &Path) -> Vec<Sample> {
    let dir = corpus.join("murphi-dialect");
    let refused = |outcome: &str| outcome.contains("REJECT") || outcome.contains("COMPILE FAIL");
    let sample = |row: Vec<String>| Sample {
        path: dir.join(format!("{}.m", row[0])),
        accepted_elsewhere: !(refused(&row[1]) && refused(&row[3])),
        name: row[0].clone(),
    };
    rows(&dir.join("expected.tsv")).into_iter().map(sample).collect()
}

fn samples() -> Vec<Sample> {
    let corpus = shared_corpus();
    corpus.map_or_else(Vec::new, |corpus| models(&corpus).into_iter().chain(probes(&corpus)).collect())
}

fn read(path: &Path) -> String {
    let bytes = fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    String::from_utf8_lossy(&bytes).into_owned()
}

#[test]
fn what_some_tool_accepts_is_accepted_and_nothing_else() {
    let accepted: BTreeMap<_, _> = ACCEPTED.iter().copied().collect();
    let refused: BTreeMap<_, _> = REFUSED.iter().copied().collect();
    let mut problems = Vec::new();
    for sample in samples() {
        let text = read(&sample.path);
        let mut sources = SourceMap::default();
        let file = sources.add(SourceFile::new(sample.name.clone(), text.clone()));
        let loaded = load(file, &text, &Options::default());
        let name = sample.name.as_str();
        let expected = (sample.accepted_elsewhere || accepted.contains_key(name)) && !refused.contains_key(name);
        let defects = loaded.model.as_ref().map(burnside_ir::verify).unwrap_or_default();
        if !defects.is_empty() {
            problems.push(format!("{name}: the model is not sound: {defects:?}"));
        }
        if loaded.model.is_some() != expected {
            let errors = loaded.diagnostics.iter().filter(|diagnostic| diagnostic.is_error());
            let shown = errors.map(|error| render(error, &sources, Palette::Plain)).collect::<String>();
            problems.push(format!("{name}: should be {}\n{shown}", if expected { "accepted" } else { "refused" }));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// A text cut anywhere, or with a piece missing, gives diagnostics and no panic.
#[test]
fn damaged_text_never_panics() {
    let samples = samples();
    // Exhaustive over all cuts of all models in a release run; a sample here.
    let n_cuts = std::env::var("CORPUS_CUTS").ok().and_then(|value| value.parse().ok()).unwrap_or(12);
    for (seed, sample) in samples.iter().enumerate() {
        let text = read(&sample.path);
        let stride = (text.len() / n_cuts).max(1);
        for cut in (seed % stride..text.len()).step_by(stride).filter(|&cut| text.is_char_boundary(cut)) {
            load(FileId(0), &text[..cut], &Options::default());
            let resumed = (cut + stride / 3..text.len()).find(|&at| text.is_char_boundary(at)).unwrap_or(text.len());
            let holed = format!("{}{}", &text[..cut], &text[resumed..]);
            load(FileId(0), &holed, &Options::default());
        }
    }
}

/// The text of every model, ours and shared ones.
fn texts() -> Vec<(PathBuf, String)> {
    fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                collect(&path, found);
            } else if path.extension().is_some_and(|extension| extension == "m") {
                found.push(path);
            }
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut paths = Vec::new();
    collect(&root.join("examples"), &mut paths);
    collect(&root.join("corpus"), &mut paths);
    if let Some(shared) = shared_corpus() {
        collect(&shared.join("murphi"), &mut paths);
        collect(&shared.join("murphi-dialect"), &mut paths);
    }
    paths.sort();
    let text = |path: PathBuf| Some((path.clone(), fs::read_to_string(path).ok()?));
    paths.into_iter().filter_map(text).collect()
}

#[test]
fn formatting_twice_is_formatting_once_and_changes_no_model() {
    let mut n_texts = 0;
    for (path, text) in texts() {
        let formatted = burnside_murphi::format(&text).unwrap_or_else(|| panic!("{}: it would change", path.display()));
        let again = burnside_murphi::format(&formatted);
        assert_eq!(again.as_deref(), Some(&formatted[..]), "{}", path.display());
        let model = |text: &str| load(FileId(0), text, &Options::default()).model;
        let (before, after) = (model(&text), model(&formatted));
        // Places differ, and are left out of this form.
        let printed = |model: Option<burnside_ir::Model>| model.map(|model| burnside_ir::text::print_brief(&model));
        assert_eq!(printed(before), printed(after), "{}", path.display());
        n_texts += 1;
    }
    assert!(n_texts > 60, "{n_texts}");
}
