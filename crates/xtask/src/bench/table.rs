//! What was measured, for people and for programs.

use std::fmt::Write as _;
use std::fs;
use std::time::SystemTime;

use serde_json::{Value, json};

use super::measure::{Run, geometric_mean, median};
use super::models::Subject;
use super::tools::Tool;
use super::{Measured, Options};

/// One model.
pub(super) struct Row {
    name: String,
    states: u64,
    rules: u64,
    burnside: Timing,
    rumur: Option<Timing>,
    cmurphi: Option<Timing>,
    /// CMurphi's CPU seconds on another machine.
    cmurphi_elsewhere: Option<f64>,
    /// Wall seconds on several threads.
    parallel_seconds: Option<f64>,
    exact: Footprint,
    compressed: Footprint,
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
    build_seconds: f64,
    /// Whether it was stopped before its end, so that it takes longer than this.
    is_cut: bool,
}

/// Peak memory divided by states.
#[derive(Debug, Clone, Copy)]
struct Footprint {
    /// Of the visited set.
    store: Option<f64>,
    /// Of the whole process.
    process: f64,
}

/// All models.
pub(super) struct Report<'r> {
    rows: &'r [Row],
    threads: usize,
    repeat: usize,
    cap_seconds: u64,
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
        let first = &ours[0];
        let differs = |run: &Run| !run.is_cut && (run.states, run.rules) != (first.states, first.rules);
        let others = measured.runs.iter().filter(|(_, runs)| runs.iter().any(differs)).map(|(tool, _)| tool.name());
        let threaded = measured.parallel.iter().any(differs).then_some("several threads");
        let compressed = differs(&measured.compressed).then_some("compressed");
        Self {
            name: subject.name.clone(),
            states: first.states,
            rules: first.rules,
            burnside: timing(Tool::Burnside).expect("our own checker always runs"),
            rumur: timing(Tool::Rumur),
            cmurphi: timing(Tool::CMurphi),
            cmurphi_elsewhere: subject.cmurphi_elsewhere,
            parallel_seconds: median(measured.parallel.iter().map(|run| run.wall_seconds).collect()),
            exact: Footprint::new(first),
            compressed: Footprint::new(&measured.compressed),
            packed_bytes: first.packed_bytes,
            setup_seconds: median(ours.iter().filter_map(|run| run.setup_seconds).collect()),
            disagree: others.chain(threaded).chain(compressed).collect(),
        }
    }

    fn versus_rumur(&self) -> Option<f64> {
        self.rumur.map(|rumur| rumur.cpu_seconds / self.burnside.cpu_seconds)
    }

    /// CMurphi's CPU seconds, here if it was run, or else on another machine.
    fn cmurphi_seconds(&self) -> Option<f64> {
        self.cmurphi.map(|cmurphi| cmurphi.cpu_seconds).or(self.cmurphi_elsewhere)
    }

    fn versus_cmurphi(&self) -> Option<f64> {
        self.cmurphi_seconds().map(|seconds| seconds / self.burnside.cpu_seconds)
    }

    /// One thread's wall time divided by several threads'.
    fn speedup(&self) -> Option<f64> {
        self.parallel_seconds.map(|parallel| self.burnside.wall_seconds / parallel)
    }
}

impl Timing {
    fn new(runs: &[Run], build_seconds: f64) -> Self {
        let middle = |of: fn(&Run) -> f64| median(runs.iter().map(of).collect()).unwrap_or(0.0);
        Self {
            // The system counts in hundredths; what takes less is no ratio's denominator.
            cpu_seconds: middle(|run| run.cpu_seconds).max(0.01),
            wall_seconds: middle(|run| run.wall_seconds),
            build_seconds,
            is_cut: runs.iter().any(|run| run.is_cut),
        }
    }
}

impl Footprint {
    fn new(run: &Run) -> Self {
        let states = run.states.max(1) as f64;
        Self { store: run.store_bytes.map(|bytes| bytes / states), process: run.peak_bytes as f64 / states }
    }
}

/// The headings of the table, and what each column means.
const COLUMNS: &[(&str, &str)] = &[
    ("model", "`-Name3` is our own example with that constant"),
    ("states", "stored without symmetry"),
    ("rules", "fired without symmetry"),
    ("Burnside s", "CPU seconds of the whole process, one thread, median"),
    ("Rumur s", "CPU seconds of the checker, median; `>` where it was stopped"),
    ("CMurphi s", "likewise; `~` marks a time from another machine, taken from the shared corpus"),
    ("×Rumur", "Rumur's CPU seconds divided by ours"),
    ("×CMurphi", "CMurphi's CPU seconds divided by ours; `~` across machines, so no measurement"),
    ("states/s", "ours, per CPU second"),
    ("rules/s", "ours, per CPU second"),
    ("packed B", "bytes of one packed state"),
    ("exact B", "peak bytes of the visited set per state"),
    ("exact RSS", "peak bytes of the whole process per state"),
    ("compressed B", "the visited set with `--store compressed`"),
    ("compressed RSS", "the whole process with that"),
    ("setup ms", "ours, from start to first state"),
    ("Rumur build s", "generator and C compiler"),
    ("1 thread s", "wall seconds of the whole process, median"),
    ("n threads s", "likewise, on several threads"),
    ("speedup", "one thread's wall time divided by that of several"),
];

impl<'r> Report<'r> {
    pub(super) fn new(rows: &'r [Row], options: &Options) -> Self {
        let cpuinfo = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let model = cpuinfo.lines().find_map(|line| line.strip_prefix("model name")?.split(": ").nth(1));
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let machine = format!("{}, {cores} cores", model.unwrap_or("unknown processor"));
        let when = SystemTime::UNIX_EPOCH.elapsed().map_or(0, |since| since.as_secs());
        let &Options { threads, repeat, cap_seconds, .. } = options;
        Self { rows, threads, repeat, cap_seconds, machine, when }
    }

    fn cells(&self) -> Vec<Vec<String>> {
        self.rows.iter().map(row_cells).collect()
    }

    /// Geometric means and worst cases, in sentences.
    fn summary(&self) -> Vec<String> {
        let ratios = |of: &dyn Fn(&Row) -> Option<f64>| self.rows.iter().filter_map(of).collect::<Vec<f64>>();
        let large = |row: &Row| row.speedup().filter(|_| row.states > 1_000_000);
        let here = |row: &Row| row.versus_cmurphi().filter(|_| row.cmurphi.is_some());
        let elsewhere = |row: &Row| row.versus_cmurphi().filter(|_| row.cmurphi.is_none());
        let mut lines = Vec::new();
        for (ratios, what) in [
            (ratios(&Row::versus_rumur), "times faster than Rumur".to_owned()),
            (ratios(&here), "times faster than CMurphi".to_owned()),
            (
                ratios(&elsewhere),
                "times faster here than CMurphi on another machine, which compares machines too".to_owned(),
            ),
            (ratios(&large), format!("times faster with {} threads, above a million states", self.threads)),
        ] {
            let Some(mean) = geometric_mean(&ratios) else { continue };
            let least = ratios.iter().copied().fold(f64::INFINITY, f64::min);
            lines.push(format!("{mean:.2} {what} (geometric mean of {}; least {least:.2})", ratios.len()));
        }
        let setup = self.rows.iter().filter_map(|row| row.setup_seconds).fold(0.0, f64::max);
        lines.push(format!("setup takes at most {:.1} ms", setup * 1e3));
        lines.push(format!(
            "medians of {} runs; a run of another checker is stopped after {} s of CPU time",
            self.repeat, self.cap_seconds
        ));
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
        let rows: Vec<Value> = self.rows.iter().map(row_json).collect();
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

fn row_cells(row: &Row) -> Vec<String> {
    let or_dash = |value: Option<String>| value.unwrap_or_else(|| "–".to_owned());
    let two = |value: f64| format!("{value:.2}");
    let one = |value: f64| format!("{value:.1}");
    let is_cut = |timing: Option<Timing>| if timing.is_some_and(|timing| timing.is_cut) { ">" } else { "" };
    let (rumur, cmurphi) = (is_cut(row.rumur), if row.cmurphi.is_some() { is_cut(row.cmurphi) } else { "~" });
    let per_second = |count: u64| format!("{:.2}M", count as f64 / row.burnside.cpu_seconds / 1e6);
    vec![
        row.name.clone(),
        row.states.to_string(),
        row.rules.to_string(),
        two(row.burnside.cpu_seconds),
        or_dash(row.rumur.map(|timing| format!("{rumur}{:.2}", timing.cpu_seconds))),
        or_dash(row.cmurphi_seconds().map(|seconds| format!("{cmurphi}{seconds:.2}"))),
        or_dash(row.versus_rumur().map(|ratio| format!("{rumur}{ratio:.2}"))),
        or_dash(row.versus_cmurphi().map(|ratio| format!("{cmurphi}{ratio:.2}"))),
        per_second(row.states),
        per_second(row.rules),
        or_dash(row.packed_bytes.map(one)),
        or_dash(row.exact.store.map(one)),
        one(row.exact.process),
        or_dash(row.compressed.store.map(one)),
        one(row.compressed.process),
        or_dash(row.setup_seconds.map(|seconds| format!("{:.1}", seconds * 1e3))),
        or_dash(row.rumur.map(|rumur| two(rumur.build_seconds))),
        two(row.burnside.wall_seconds),
        or_dash(row.parallel_seconds.map(two)),
        or_dash(row.speedup().map(two)),
    ]
}

fn row_json(row: &Row) -> Value {
    let timing = |timing: &Timing| {
        json!({
            "cpu_seconds": timing.cpu_seconds,
            "wall_seconds": timing.wall_seconds,
            "build_seconds": timing.build_seconds,
            "is_cut": timing.is_cut,
        })
    };
    let bytes = |footprint: &Footprint| json!({ "store": footprint.store, "process": footprint.process });
    json!({
        "model": row.name,
        "states": row.states,
        "rules_fired": row.rules,
        "burnside": timing(&row.burnside),
        "rumur": row.rumur.as_ref().map(timing),
        "cmurphi": row.cmurphi.as_ref().map(timing),
        "cmurphi_cpu_seconds_elsewhere": row.cmurphi_elsewhere,
        "times_rumur": row.versus_rumur(),
        "times_cmurphi": row.versus_cmurphi(),
        "states_per_second": row.states as f64 / row.burnside.cpu_seconds,
        "rules_per_second": row.rules as f64 / row.burnside.cpu_seconds,
        "packed_bytes": row.packed_bytes,
        "exact_bytes_per_state": bytes(&row.exact),
        "compressed_bytes_per_state": bytes(&row.compressed),
        "setup_seconds": row.setup_seconds,
        "parallel_wall_seconds": row.parallel_seconds,
        "thread_speedup": row.speedup(),
        "counts_differ": row.disagree,
    })
}
