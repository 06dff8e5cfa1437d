//! Models written by others, where they are at hand: the verdict is that of the explicit search.
#![allow(clippy::print_stdout, reason = "how much was compared is worth knowing")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use burnside_diag::FileId;
use burnside_engine::{AuditMode, Budget, Engine, Monitor, Task, Verdict, replay};
use burnside_explicit::Explicit;
use burnside_interpolant::{Interpolant, Mode};
use burnside_ir::Layout;
use burnside_testkit::shared_corpus;

/// Larger models are left out.
const MOST_STATES: u64 = 10_000;
/// How many seconds either search may take for one model, unless `BURNSIDE_PATIENCE` says more; then models may be as
/// large as that allows.
const PATIENCE: u64 = 2;

/// What became of all models.
#[derive(Debug, Default)]
struct Tally {
    compared: u64,
    violated: u64,
    covered: u64,
    late: u64,
    /// Decided by explanations alone.
    alone: u64,
    large: u64,
    refused: BTreeMap<String, u64>,
    unread: u64,
}

/// The patience that was asked for.
fn patience() -> Option<u64> {
    std::env::var("BURNSIDE_PATIENCE").ok().and_then(|it| it.parse().ok())
}

/// All Murphi models of the shared corpus, and those of the repository.
fn models() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let ours = ["corpus/murphi", "corpus/regress", "examples"].map(|folder| root.join(folder));
    let others = shared_corpus().into_iter().flat_map(|corpus| {
        ["murphi/models", "soundness-traps", "symmetry-traps", "symbolic-traps"].map(|folder| corpus.join(folder))
    });
    let folders: Vec<PathBuf> = others.chain(ours).collect();
    let files = folders.iter().filter_map(|folder| fs::read_dir(folder).ok()).flatten();
    let mut paths: Vec<PathBuf> = files.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.retain(|path| path.extension().is_some_and(|it| it == "m"));
    paths.sort();
    paths
}

fn compare(path: &Path, tally: &mut Tally) -> Result<(), String> {
    let text = String::from_utf8_lossy(&fs::read(path).map_err(|error| error.to_string())?).into_owned();
    let loaded = burnside_murphi::load(FileId(0), &text, &burnside_murphi::Options::default());
    let Some((model, layout)) = loaded.model.and_then(|model| Layout::new(&model).ok().map(|layout| (model, layout)))
    else {
        tally.unread += 1;
        return Ok(());
    };
    let task = Task { native: false, audit: AuditMode::Off, ..Task::new(&model, &layout) };
    if let Err(unsupported) = Interpolant::default().admit(&task) {
        *tally.refused.entry(unsupported.feature).or_default() += 1;
        return Ok(());
    }
    let deadline = || Some(Instant::now() + Duration::from_secs(patience().unwrap_or(PATIENCE)));
    let states = patience().is_none().then_some(MOST_STATES);
    let budget = || Budget { states, deadline: deadline(), bytes: Some(4 << 30), ..Budget::default() };
    let expected = Explicit::default().check(&task, &Monitor::new(budget())).expect("without reduction it answers");
    if matches!(expected.verdict, Verdict::Unknown(_)) {
        tally.large += 1;
    }
    let report = Interpolant { mode: Mode::All, ..Interpolant::default() }
        .check(&task, &Monitor::new(budget()))
        .expect("it may not decline");
    match (&expected.verdict, &report.verdict) {
        (_, Verdict::Unknown(_)) => tally.late += 1,
        // What only explanations decide has nothing to be compared with, but must replay.
        (Verdict::Unknown(_), Verdict::Holds(_)) => tally.alone += 1,
        (Verdict::Unknown(_), Verdict::Violated(violation)) => {
            replay(&task, violation).map_err(|problem| problem.to_string())?;
            tally.alone += 1;
        }
        (Verdict::Holds(_), Verdict::Holds(_)) => tally.compared += 1,
        (Verdict::Violated(_), Verdict::Violated(violation)) => {
            replay(&task, violation).map_err(|problem| problem.to_string())?;
            tally.compared += 1;
            tally.violated += 1;
        }
        (one, other) => return Err(format!("{one:?}, but with explanations {other:?}")),
    }
    tally.covered += u64::from(report.reasoning.is_some_and(|it| it.covered > 0));
    Ok(())
}

#[test]
fn verdicts_on_models_of_others_are_those_of_the_explicit_search() {
    let mut tallies: BTreeMap<PathBuf, Tally> = BTreeMap::new();
    let mut differences = Vec::new();
    let check = || {
        for path in models() {
            let folder = path.parent().expect("a folder").file_name().expect("a name").into();
            if let Err(difference) = compare(&path, tallies.entry(folder).or_default()) {
                differences.push(format!("{}: {difference}", path.display()));
            }
        }
    };
    // The interpreter recurses as deep as models nest.
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(burnside_interp::STACK_BYTES);
        thread.spawn_scoped(scope, check).expect("a thread").join().expect("no panic");
    });
    for (folder, tally) in &tallies {
        println!("{}: {tally:?}", folder.display());
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
    let total = |count: fn(&Tally) -> u64| tallies.values().map(count).sum::<u64>();
    assert!(total(|it| it.compared) > 10 && total(|it| it.violated) > 0, "{tallies:?}");
}
