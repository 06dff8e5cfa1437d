//! What was measured, for people and for programs.

use std::fmt::Write as _;
use std::fs;
use std::time::SystemTime;

use serde_json::{Value, json};

use super::Measured;
use super::measure::{Run, geometric_mean, median};
use super::models::{Elsewhere, Subject};
use super::tools::Tool;

/// One model.
pub(super) struct Row {
    name: String,
    states: u64,
    rules: u64,
    burnside: Timing,
    rumur: Option<Timing>,
    cmurphi: Option<Timing>,
    elsewhere: Elsewhere,
    /// One thread's wall time divided by several threads'.
    speedup: Option<f64>,
    bytes_per_state: f64,
    compressed_bytes_per_state: f64,
    packed_bytes: Option<f64>,
    setup_seconds: Option<f64>,
    /// Tools that counted other states or rules.
    disagree: Vec<&'static str>,
}

/// Medians of one checker's runs.
#[derive(Debug, Clone, Copy)]
struct Timing {
    cpu_seconds: f64,
    wall_seconds: f64,
    peak_bytes: f64,
    build_seconds: f64,
}

/// All models.
pub(super) struct Report {
    rows: Vec<Row>,
    threads: usize,
    machine: String,
    when: u64,
}

impl Row {
    pub(super) fn new(subject: &Subject, measured: &Measured) -> Self {
        let of = |tool: Tool| measured.runs.iter().find(|(it, runs)| *it == tool && !runs.is_empty());
        let timing = |tool: Tool| {
            let build = measured.builds.iter().find(|(it, _)| *it == tool).map_or(0.0, |(_, seconds)| *seconds);
            of(tool).map(|(_, runs)| Timing::new(runs, build))
        };
        let ours = &of(Tool::Burnside).expect("our own checker always runs").1;
        let burnside = timing(Tool::Burnside).expect("our own checker always runs");
        let first = &ours[0];
        let differs = |runs: &[Run]| runs.iter().any(|run| (run.states, run.rules) != (first.states, first.rules));
        let others = measured.runs.iter().filter(|(_, runs)| differs(runs)).map(|(tool, _)| tool.name());
        let threaded = differs(&measured.parallel).then_some("several threads");
        let parallel = median(measured.parallel.iter().map(|run| run.wall_seconds).collect());
        let states = first.states.max(1) as f64;
        Self {
            name: subject.name.clone(),
            states: first.states,
            rules: first.rules,
            burnside,
            rumur: timing(Tool::Rumur),
            cmurphi: timing(Tool::CMurphi),
            elsewhere: subject.elsewhere,
            speedup: parallel.map(|parallel| burnside.wall_seconds / parallel),
            bytes_per_state: burnside.peak_bytes / states,
            compressed_bytes_per_state: measured.compressed.peak_bytes as f64 / states,
            packed_bytes: measured.packed_bytes,
            setup_seconds: median(ours.iter().filter_map(|run| run.setup_seconds).collect()),
            disagree: others.chain(threaded).collect(),
        }
    }

    fn versus_rumur(&self) -> Option<f64> {
        self.rumur.map(|rumur| rumur.cpu_seconds / self.burnside.cpu_seconds)
    }

    /// CMurphi's CPU seconds: measured here, or scaled from elsewhere by `pace`, how much slower than there Rumur is here.
    fn cmurphi_seconds(&self, pace: Option<f64>) -> Option<f64> {
        let own_pace = self.rumur.zip(self.elsewhere.rumur_seconds).map(|(here, there)| here.cpu_seconds / there);
        let scaled = || Some(self.elsewhere.cmurphi_seconds? * own_pace.or(pace)?);
        self.cmurphi.map(|cmurphi| cmurphi.cpu_seconds).or_else(scaled)
    }

    fn versus_cmurphi(&self, pace: Option<f64>) -> Option<f64> {
        self.cmurphi_seconds(pace).map(|seconds| seconds / self.burnside.cpu_seconds)
    }
}

impl Timing {
    fn new(runs: &[Run], build_seconds: f64) -> Self {
        let middle = |of: fn(&Run) -> f64| median(runs.iter().map(of).collect()).unwrap_or(0.0);
        Self {
            // The system counts in hundredths; what takes less is no ratio's denominator.
            cpu_seconds: middle(|run| run.cpu_seconds).max(0.01),
            wall_seconds: middle(|run| run.wall_seconds),
            peak_bytes: middle(|run| run.peak_bytes as f64),
            build_seconds,
        }
    }
}

/// The headings of the table, and what each column means.
const COLUMNS: &[(&str, &str)] = &[
    ("model", "`-Name3` is our own example with that constant"),
    ("states", "stored without symmetry"),
    ("rules", "fired without symmetry"),
    ("Burnside s", "CPU seconds of the whole process, one thread, median"),
    ("Rumur s", "CPU seconds of the checker, median"),
    ("CMurphi s", "likewise; `~` marks a time scaled from another machine by Rumur's pace here and there"),
    ("×Rumur", "Rumur's CPU seconds divided by ours"),
    ("×CMurphi", "CMurphi's CPU seconds divided by ours"),
    ("states/s", "ours, per CPU second"),
    ("rules/s", "ours, per CPU second"),
    ("B/state", "our peak memory divided by states"),
    ("compressed", "the same with `--store compressed`"),
    ("packed", "bytes of one packed state"),
    ("setup ms", "ours, from start to first state"),
    ("Rumur build s", "generator and C compiler"),
    ("threads", "one thread's wall time divided by that of several"),
];

impl Report {
    pub(super) fn new(rows: Vec<Row>, threads: usize) -> Self {
        let cpuinfo = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let model = cpuinfo.lines().find_map(|line| line.strip_prefix("model name")?.split(": ").nth(1));
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let machine = format!("{}, {cores} cores", model.unwrap_or("unknown processor"));
        let when = SystemTime::UNIX_EPOCH.elapsed().map_or(0, |since| since.as_secs());
        Self { rows, threads, machine, when }
    }

    /// How much slower Rumur is here than where the scaled times come from.
    fn pace(&self) -> Option<f64> {
        let ratio = |row: &Row| Some(row.rumur?.cpu_seconds / row.elsewhere.rumur_seconds?);
        geometric_mean(&self.rows.iter().filter_map(ratio).collect::<Vec<_>>())
    }

    fn cells(&self) -> Vec<Vec<String>> {
        let pace = self.pace();
        self.rows.iter().map(|row| row_cells(row, pace)).collect()
    }

    /// Geometric means and worst cases, in sentences.
    fn summary(&self) -> Vec<String> {
        let pace = self.pace();
        let rumur: Vec<f64> = self.rows.iter().filter_map(Row::versus_rumur).collect();
        let cmurphi: Vec<f64> = self.rows.iter().filter_map(|row| row.versus_cmurphi(pace)).collect();
        let large = |row: &&Row| row.states > 1_000_000;
        let speedups: Vec<f64> = self.rows.iter().filter(large).filter_map(|row| row.speedup).collect();
        let mut lines = Vec::new();
        for (ratios, what) in [
            (rumur, "times faster than Rumur".to_owned()),
            (cmurphi, "times faster than CMurphi".to_owned()),
            (speedups, format!("times faster with {} threads, above a million states", self.threads)),
        ] {
            let Some(mean) = geometric_mean(&ratios) else { continue };
            let least = ratios.iter().copied().fold(f64::INFINITY, f64::min);
            lines.push(format!("{mean:.2} {what} (geometric mean of {}; least {least:.2})", ratios.len()));
        }
        if self.rows.iter().any(|row| row.cmurphi.is_none() && row.elsewhere.cmurphi_seconds.is_some()) {
            lines.push("CMurphi was not run here: its times are scaled".to_owned());
        }
        for row in self.rows.iter().filter(|row| !row.disagree.is_empty()) {
            lines.push(format!("counts differ on {}: {}", row.name, row.disagree.join(", ")));
        }
        lines
    }

    pub(super) fn text(&self) -> String {
        let heading: Vec<String> = COLUMNS.iter().map(|(name, _)| (*name).to_owned()).collect();
        let rows: Vec<Vec<String>> = std::iter::once(heading).chain(self.cells()).collect();
        let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..COLUMNS.len()).map(width).collect();
        let mut text = String::new();
        for row in &rows {
            for (at, (cell, width)) in row.iter().zip(&widths).enumerate() {
                let gap = " ".repeat(width - cell.chars().count());
                let (left, right) = if at == 0 { ("", gap.as_str()) } else { (gap.as_str(), "") };
                text.push_str(left);
                text.push_str(cell);
                text.push_str(right);
                text.push_str(if at + 1 == widths.len() { "\n" } else { "  " });
            }
        }
        format!("{text}\n{}\n{}\n", self.machine, self.summary().join("\n"))
    }

    pub(super) fn markdown(&self) -> String {
        let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
        let mut text = format!("Measured by `cargo xtask bench` on: {}.\n\n", self.machine);
        text.push_str(&line(COLUMNS.iter().map(|(name, _)| (*name).to_owned()).collect()));
        text.push_str(&line(
            COLUMNS.iter().enumerate().map(|(at, _)| if at == 0 { "---" } else { "--:" }.to_owned()).collect(),
        ));
        self.cells().into_iter().for_each(|cells| text.push_str(&line(cells)));
        text.push('\n');
        for sentence in self.summary() {
            writeln!(text, "- {sentence}").expect("strings grow");
        }
        text.push_str("\nColumns:\n\n");
        for (name, meaning) in COLUMNS {
            writeln!(text, "- **{name}**: {meaning}").expect("strings grow");
        }
        text
    }

    pub(super) fn json(&self) -> String {
        let pace = self.pace();
        let rows: Vec<Value> = self.rows.iter().map(|row| row_json(row, pace)).collect();
        let report = json!({
            "schema": "burnside.bench/1",
            "machine": self.machine,
            "unix_seconds": self.when,
            "threads": self.threads,
            "models": rows,
            "summary": self.summary(),
        });
        format!("{report:#}\n")
    }
}

fn row_cells(row: &Row, pace: Option<f64>) -> Vec<String> {
    let or_dash = |value: Option<String>| value.unwrap_or_else(|| "–".to_owned());
    let two = |value: f64| format!("{value:.2}");
    let mark = if row.cmurphi.is_some() { "" } else { "~" };
    let per_second = |count: u64| format!("{:.2}M", count as f64 / row.burnside.cpu_seconds / 1e6);
    vec![
        row.name.clone(),
        row.states.to_string(),
        row.rules.to_string(),
        two(row.burnside.cpu_seconds),
        or_dash(row.rumur.map(|rumur| two(rumur.cpu_seconds))),
        or_dash(row.cmurphi_seconds(pace).map(|seconds| format!("{mark}{seconds:.2}"))),
        or_dash(row.versus_rumur().map(two)),
        or_dash(row.versus_cmurphi(pace).map(|ratio| format!("{mark}{ratio:.2}"))),
        per_second(row.states),
        per_second(row.rules),
        format!("{:.0}", row.bytes_per_state),
        format!("{:.0}", row.compressed_bytes_per_state),
        or_dash(row.packed_bytes.map(|bytes| format!("{bytes:.1}"))),
        or_dash(row.setup_seconds.map(|seconds| format!("{:.1}", seconds * 1e3))),
        or_dash(row.rumur.map(|rumur| two(rumur.build_seconds))),
        or_dash(row.speedup.map(two)),
    ]
}

fn row_json(row: &Row, pace: Option<f64>) -> Value {
    let timing = |timing: &Timing| {
        json!({
            "cpu_seconds": timing.cpu_seconds,
            "wall_seconds": timing.wall_seconds,
            "peak_bytes": timing.peak_bytes,
            "build_seconds": timing.build_seconds,
        })
    };
    json!({
        "model": row.name,
        "states": row.states,
        "rules_fired": row.rules,
        "burnside": timing(&row.burnside),
        "rumur": row.rumur.as_ref().map(timing),
        "cmurphi": row.cmurphi.as_ref().map(timing),
        "cmurphi_cpu_seconds_scaled": row.cmurphi_seconds(pace).filter(|_| row.cmurphi.is_none()),
        "times_rumur": row.versus_rumur(),
        "times_cmurphi": row.versus_cmurphi(pace),
        "states_per_second": row.states as f64 / row.burnside.cpu_seconds,
        "rules_per_second": row.rules as f64 / row.burnside.cpu_seconds,
        "bytes_per_state": row.bytes_per_state,
        "compressed_bytes_per_state": row.compressed_bytes_per_state,
        "packed_bytes": row.packed_bytes,
        "setup_seconds": row.setup_seconds,
        "thread_speedup": row.speedup,
        "counts_differ": row.disagree,
    })
}
