//! Certificates as users get them, and audits as users run them.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use burnside_audit::{Certificate, Deadlock, Outcome, Scope, audit, digest};
use burnside_driver::{
    Expect, Header, Language, LoadOptions, Plan, Prepared, Settings, Source, SymmetryChoice, certify, load,
    on_large_stack,
};
use burnside_engine::{Budget, DeadlockMode, Monitor, Verdict};
use burnside_interp::Limits;
use burnside_symmetry::Strategy;

/// A model and the question about it.
pub(crate) struct Subject {
    pub(crate) name: String,
    pub(crate) text: String,
    pub(crate) options: LoadOptions,
    pub(crate) settings: Settings,
}

/// Every way to bring symmetric states together that can lead to `holds`.
pub(crate) fn strategies() -> Vec<(&'static str, SymmetryChoice)> {
    let exact = Strategy::ALL.into_iter().filter(|it| *it != Strategy::Marker);
    let uses = exact.map(|strategy| (strategy.name(), SymmetryChoice::Use(strategy)));
    let others = [
        ("auto", SymmetryChoice::Auto),
        ("off", SymmetryChoice::Off),
        ("cells", SymmetryChoice::Cells),
        ("adaptive", SymmetryChoice::Adaptive),
    ];
    others.into_iter().chain(uses).collect()
}

/// The project's own models that hold, with the options that their headers name.
pub(crate) fn own_models() -> Vec<Subject> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut paths: Vec<PathBuf> = Vec::new();
    for folder in ["corpus/murphi", "corpus/regress", "examples"] {
        let entries = fs::read_dir(root.join(folder)).expect("the folder is there");
        paths.extend(entries.map(|entry| entry.expect("the folder can be read").path()));
    }
    paths.retain(|path| path.extension().is_some_and(|it| it == "m"));
    paths.sort();
    let subject = |path: &PathBuf| {
        let text = fs::read_to_string(path).expect("the model can be read");
        let header = Header::parse(&text).expect("the header is right");
        let deadlock = match header.deadlock.as_deref() {
            Some("off") => DeadlockMode::Off,
            Some("stuck") => DeadlockMode::Stuck,
            _ => DeadlockMode::Stuttering,
        };
        let loop_rounds = header.loop_limit.unwrap_or(Limits::default().loop_rounds);
        let step_limits = Limits { loop_rounds, ..Limits::default() };
        (header.expect == Expect::Holds).then(|| Subject {
            name: path.file_name().expect("it is a file").to_string_lossy().into_owned(),
            text,
            options: LoadOptions {
                overrides: header.define,
                strict_undefined: header.strict_undefined,
                ..LoadOptions::default()
            },
            settings: Settings { deadlock, step_limits, certificate: true, ..Settings::default() },
        })
    };
    // There are no certificates of temporal properties.
    let is_safety = |subject: &Subject| {
        let loaded = load(&subject.name, &subject.text, Language::Murphi, &subject.options);
        loaded.prepared.is_some_and(|prepared| prepared.model.claims.is_empty())
    };
    paths.iter().filter_map(subject).filter(is_safety).collect()
}

/// The certificate of a search, if everything holds.
pub(crate) fn certificate(subject: &Subject, symmetry: SymmetryChoice) -> Option<Certificate> {
    let prepared =
        load(&subject.name, &subject.text, Language::Murphi, &subject.options).prepared.expect("it is right");
    let plan = Plan::new(&prepared, &Settings { symmetry, ..subject.settings.clone() }).ok()?;
    let budget = Budget { deadline: Some(Instant::now() + Duration::from_secs(300)), ..Budget::default() };
    let outcome = plan.run(&Monitor::new(budget)).unwrap_or_else(|bug| panic!("{}: {bug}", subject.name));
    let text = digest(subject.text.as_bytes());
    let source = Source {
        name: &subject.name,
        language: Language::Murphi,
        text,
        options: &subject.options,
        version: env!("CARGO_PKG_VERSION"),
    };
    match certify(&plan, &outcome.report, source) {
        Ok(certificate) => Some(certificate),
        Err(_) => {
            assert!(!matches!(outcome.report.verdict, Verdict::Holds(_)), "{} holds", subject.name);
            None
        }
    }
}

/// The model as a certificate says it is to be read, if it is about this text.
pub(crate) fn as_claimed(certificate: &Certificate, text: &str) -> Option<Prepared> {
    let claim = &certificate.claim;
    let options = LoadOptions {
        overrides: claim.overrides.clone(),
        strict_undefined: claim.strict_undefined,
        ..LoadOptions::default()
    };
    let is_meant = claim.text == digest(text.as_bytes()) && claim.language == "murphi";
    is_meant.then(|| load(&claim.model, text, Language::Murphi, &options).prepared).flatten()
}

/// What an audit says, from the file and the text alone; `None` if it refuses to begin.
pub(crate) fn audited(file: &[u8], text: &str) -> Option<Outcome> {
    let certificate = Certificate::from_bytes(file).ok()?;
    let prepared = as_claimed(&certificate, text)?;
    let scope = Scope { images: usize::MAX / 2, is_over: &|| false };
    audit(&prepared.model, &prepared.layout, &certificate, scope).ok()
}

/// The deadlock mode in the words of the engines.
pub(crate) fn deadlock_mode(mode: Deadlock) -> DeadlockMode {
    match mode {
        Deadlock::Off => DeadlockMode::Off,
        Deadlock::Stuck => DeadlockMode::Stuck,
        Deadlock::Stuttering => DeadlockMode::Stuttering,
    }
}

/// Runs a test with room for the deepest models.
pub(crate) fn with_room(test: impl FnOnce() + Send) {
    on_large_stack(test).unwrap_or_else(|failure| panic!("{failure}"));
}
