//! Symmetric models of the shared corpus at their own sizes, with symmetry: `docs/symmetric-speed.md`.

use std::fmt::Write as _;
use std::fs;
use std::time::Duration;

use super::Options;
use super::measure::{Run, geometric_mean};
use super::models::{Entry, NO_CORPUS, entries, shared_corpus};
use super::race::{LONG_SECONDS, Limits, PATIENCE, Peer, Race, Ratio, TELLING_SECONDS, mean, race};
use crate::shell::root;

/// Models with more states are compared, one state of each orbit counted.
const LEAST_STATES: u64 = 10_000;

/// CPU time of ours.
const MOST: Duration = Duration::from_secs(600);

/// One model.
struct Row {
    name: String,
    race: Race,
    /// CPU seconds on another machine, as the shared corpus has them: CMurphi as it comes and with one state of each
    /// orbit, and Rumur as it comes.
    cmurphi_elsewhere: [Option<f64>; 2],
    rumur_elsewhere: Option<f64>,
    /// The states that CMurphi stores with one of each orbit, where the shared corpus has that.
    canonical_elsewhere: Option<f64>,
}

/// Makes all runs and writes the page.
pub(super) fn run(options: &Options) -> Result<(), String> {
    let corpus = shared_corpus().ok_or(NO_CORPUS)?;
    let is_taken = |entry: &Entry| {
        let is_named = options.only.as_ref().is_none_or(|only| entry.cell("file").contains(only));
        let states = entry.symmetric_states().unwrap_or(0);
        entry.is_symmetric_and_holds() && states > LEAST_STATES && states <= options.most_states && is_named
    };
    let limits = Limits { theirs: Duration::from_secs(options.cap_seconds), ours: MOST, repeat: options.repeat };
    let mut rows = Vec::new();
    for entry in entries(&corpus)?.into_iter().filter(is_taken) {
        let subject = entry.subject(&corpus)?;
        eprintln!("{}", subject.name);
        let folder = options.out.join("symmetric").join(&subject.name);
        let race = race(&subject, &Peer::ALL, limits, &folder)?;
        for (peer, reason) in &race.absent {
            eprintln!("  without {}: {reason}", peer.name());
        }
        let mut cmurphi_elsewhere = ["cm_run_sym_cpu_s", "cm_run_canon_cpu_s"].map(|column| entry.number(column));
        if !subject.checks_deadlock {
            // The first is the time until a deadlock was found.
            cmurphi_elsewhere[0] = None;
        }
        let rumur_elsewhere = entry.number("ru_run_sym_cpu_s");
        let canonical_elsewhere = entry.number("states_canonical");
        rows.push(Row { name: subject.name, race, cmurphi_elsewhere, rumur_elsewhere, canonical_elsewhere });
    }
    let page = page(&rows, options);
    let path = root().join("docs/symmetric-speed.md");
    fs::write(&path, &page).map_err(|error| format!("{}: {error}", path.display()))?;
    println!("{page}");
    Ok(())
}

impl Row {
    fn rumur(&self) -> Option<&Run> {
        self.race.run(Peer::ALL[0])
    }

    /// The faster of CMurphi's ways there divided by ours here.
    fn versus_cmurphi(&self) -> Option<f64> {
        let fastest = self.cmurphi_elsewhere.iter().flatten().copied().reduce(f64::min)?;
        Some(fastest / self.race.ours.cpu_seconds.max(0.01)).filter(|_| fastest >= TELLING_SECONDS)
    }

    fn cells(&self, peers: &[Peer]) -> String {
        let or_dash = |text: Option<String>| text.unwrap_or_else(|| "–".to_owned());
        let mut cells = vec![
            self.name.clone(),
            self.race.ours.states.to_string(),
            self.race.ours.rules.to_string(),
            Race::seconds(&self.race.ours),
        ];
        cells.extend(peers.iter().map(|peer| or_dash(self.race.run(*peer).map(Race::seconds))));
        cells.push(or_dash(self.race.ratio().map(Ratio::text)));
        cells.extend(self.cmurphi_elsewhere.map(|seconds| or_dash(seconds.map(|seconds| format!("~{seconds:.2}")))));
        cells.push(or_dash(self.versus_cmurphi().map(|times| format!("~{times:.1}"))));
        format!("| {} |\n", cells.join(" | "))
    }
}

fn page(rows: &[Row], options: &Options) -> String {
    let mut page = format!(
        "\
# Speed on symmetric models

Written by `cargo xtask bench --symmetric`, which makes all runs; do not edit. Every model of the shared corpus that declares
sets of identities, holds, and has more than 10,000 states with one for each orbit, at its own size. Ours is `burnside check`
as it comes, on one thread; Rumur is compiled by `gcc -O3 -march=native` for one thread, with its default `heuristic` symmetry
reduction and with `exhaustive`. Checkers take turns. Times are CPU seconds (user and system), the least of {} runs, or of one
if that took more than {LONG_SECONDS} s, on a shared machine with two cores; building the others' checkers is not counted.
Another checker is stopped after {} s, or {PATIENCE} times our own time if that is longer, which gives a lower bound, marked
`>`. A dash means that Rumur does not accept the model.

Columns with `~` are CMurphi's seconds on another machine, from the shared corpus, as it comes and with one state for each
orbit, and the faster of these divided by ours: that compares machines as well as checkers.

",
        options.repeat, options.cap_seconds
    );
    let peers: Vec<Peer> =
        Peer::ALL.into_iter().filter(|peer| rows.iter().any(|row| row.race.run(*peer).is_some())).collect();
    let heading: String = peers.iter().map(|peer| format!(" {} |", peer.name())).collect();
    let _ = writeln!(
        page,
        "| model | states | rules fired | Burnside |{heading} times faster | ~CMurphi, default | ~CMurphi, canonical | \
         ~times faster |\n|---|{}",
        "--:|".repeat(peers.len() + 7)
    );
    rows.iter().for_each(|row| page.push_str(&row.cells(&peers)));
    page.push('\n');
    for line in summary(rows) {
        let _ = writeln!(page, "- {line}");
    }
    page
}

fn summary(rows: &[Row]) -> Vec<String> {
    let mut lines = Vec::new();
    let ratios: Vec<Ratio> = rows.iter().filter_map(|row| row.race.ratio()).collect();
    if let Some(mean) = mean(&ratios) {
        let least = ratios.iter().map(|ratio| ratio.times).fold(f64::INFINITY, f64::min);
        let n = ratios.len();
        lines.push(format!(
            "{} times faster than the fastest other checker here (geometric mean of {n}; least {least:.1})",
            mean.text()
        ));
    }
    let times: Vec<f64> = rows.iter().filter_map(Row::versus_cmurphi).collect();
    if let Some(mean) = geometric_mean(&times) {
        let least = times.iter().copied().fold(f64::INFINITY, f64::min);
        let n = times.len();
        lines.push(format!(
            "CMurphi takes ~{mean:.1} times as long there as ours here (geometric mean of {n}; least ~{least:.1})"
        ));
        if let Some((machine, n_models)) = this_machine(rows) {
            let (mean, least) = (mean * machine, least * machine);
            lines.push(format!(
                "Rumur takes {machine:.2} times as long here as on that other machine (geometric mean of {n_models}); were \
                 CMurphi slower by as much, the mean would be ~{mean:.1} and the least ~{least:.1}"
            ));
        }
    }
    for row in rows {
        if let Some(theirs) = row.canonical_elsewhere.filter(|it| *it < row.race.ours.states as f64) {
            lines.push(format!(
                "on {} we store more than CMurphi's {theirs}: not all declared symmetry is proved; `burnside symmetry` says \
                 where members are told apart",
                row.name
            ));
        }
        let differences = row.race.differences();
        if !differences.is_empty() {
            lines.push(format!("other counts on {}: {}", row.name, differences.join("; ")));
        }
    }
    lines
}

/// How much longer Rumur takes here than on the machine of the shared corpus, and on how many models that was seen.
fn this_machine(rows: &[Row]) -> Option<(f64, usize)> {
    let ratio = |row: &Row| {
        let here = row.rumur().filter(|run| !run.is_cut && run.cpu_seconds >= TELLING_SECONDS)?;
        // A round 15 or 30 seconds there is a run that was stopped.
        row.rumur_elsewhere
            .filter(|there| (TELLING_SECONDS..14.0).contains(there))
            .map(|there| here.cpu_seconds / there)
    };
    let ratios: Vec<f64> = rows.iter().filter_map(ratio).collect();
    geometric_mean(&ratios).map(|mean| (mean, ratios.len()))
}
