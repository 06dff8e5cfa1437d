//! The experiments of Wahl, *Adaptive symmetry reduction* (CAV 2007), repeated: figures 3 and 4, table 1, and the readers
//! and writers of figure 1. Every number of ours is from a run made here; theirs are those printed in the paper.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use serde_json::Value;

use crate::bench::measure::measure;
use crate::plot::{Plot, Series};
use crate::shell::{cargo, must, root, target};

/// How often each run is made; the least CPU time counts, since others use the machine too.
const REPETITIONS: usize = 3;

/// No run takes longer than this.
const MOST: Duration = Duration::from_secs(600);

/// Sizes of figures 3 and 4.
const SIZES: [u64; 9] = [2, 4, 6, 8, 10, 12, 14, 16, 18];

/// Table 1: classes, then seconds and states for small classes of one, then of two.
const TABLE_1: [(u64, [(u64, u64); 2]); 8] = [
    (2, [(1, 558), (1, 789)]),
    (3, [(2, 792), (4, 1245)]),
    (5, [(4, 1251), (13, 2121)]),
    (7, [(8, 1698), (24, 2949)]),
    (10, [(14, 2346), (45, 4101)]),
    (15, [(28, 3366), (83, 5781)]),
    (20, [(44, 4311), (118, 7161)]),
    (25, [(62, 5181), (151, 8241)]),
];

/// Readers and writers: sizes, and the published number of stored states. Chu and Jaffar print 41 for 4+2; the closed
/// form that gives their other numbers gives 31.
const READERS_WRITERS: [(u64, u64, &str); 5] = [(2, 1, "9"), (4, 2, "41"), (6, 3, "79"), (8, 4, "165"), (10, 5, "–")];

/// The values of a model's constants.
type Constants = [(&'static str, u64); 3];

/// How priorities are given in a figure, and what is printed for 18 processes.
struct Scheme {
    name: &'static str,
    constants: fn(u64) -> Constants,
    printed: [&'static str; 3],
}

/// One configuration's outcome.
struct Run {
    states: u64,
    cpu_seconds: f64,
}

/// Makes all runs and writes the page with its plots.
pub(crate) fn run() -> Result<(), String> {
    must(cargo().args(["build", "--release", "-p", "burnside"]))?;
    let docs = root().join("docs");
    let mut page = String::from(HEAD);
    readers_writers(&mut page)?;
    figures(&mut page, &docs)?;
    table_1(&mut page)?;
    write(&docs.join("near-symmetry.md"), &page)
}

const HEAD: &str = "\
# Nearly symmetric systems: the published numbers, repeated

Written by `cargo xtask near`, which makes all runs; do not edit. \"Theirs\" is what Wahl, *Adaptive symmetry reduction*
(CAV 2007) prints, with the times of a machine of that year; \"ours\" is `burnside check` in `auto` on one thread, with the
least CPU time of three runs of the whole process, in seconds. The models are `examples/shared-reading.m` and
`examples/resource-controller.m`, which say nothing about symmetry; sizes are set by `-D`.
[internals/adaptive.md](internals/adaptive.md) explains how it works.
";

fn readers_writers(page: &mut String) -> Result<(), String> {
    page.push_str("\n## Figure 1: readers and writers\n\n");
    page.push_str(
        "| readers + writers | states | theirs, adaptive | ours, adaptive | ours, s |\n|---|---|---|---|---|\n",
    );
    for (readers, writers, theirs) in READERS_WRITERS {
        let constants = [("Readers", readers), ("Writers", writers)];
        let plain = check("shared-reading.m", &constants, "off")?.states;
        let ours = check("shared-reading.m", &constants, "auto")?;
        let Run { states, cpu_seconds } = ours;
        line(page, format_args!("| {readers} + {writers} | {plain} | {theirs} | {states} | {cpu_seconds:.2} |"));
    }
    page.push_str(
        "\nTheir numbers for more than 2 + 1 are from Chu and Jaffar, who measured the adaptive method for comparison. 41 is \
         taken for a\nmisprint of 31: the closed form 2n + 1 + (w + 1) r (r - 1) / 2 gives all the others.\n",
    );
    Ok(())
}

fn figures(page: &mut String, docs: &Path) -> Result<(), String> {
    let schemes = [
        Scheme {
            name: "n/2 small classes",
            constants: |n| controller(n, n / 2, 2),
            printed: ["1310716", "78729", "505"],
        },
        Scheme {
            name: "two large classes", constants: |n| controller(n, 2, n / 2), printed: ["3808000", "–", "316"]
        },
    ];
    for (number, Scheme { name, constants, printed }) in schemes.into_iter().enumerate() {
        let side = ["left", "right"][number];
        line(page, format_args!("\n## Figures 3 and 4, {side}: {name}\n"));
        line(page, format_args!("![states over processes](near-symmetry-{side}.svg)\n"));
        page.push_str("| n | states | one for each orbit | adaptive | off, s | cells, s | auto, s |\n");
        page.push_str("|---|---|---|---|---|---|---|\n");
        let mut series = ["plain", "standard symmetry", "adaptive"].map(Series::new);
        for n in SIZES {
            let constants = constants(n);
            let [off, cells, auto] = ["off", "cells", "auto"].map(|it| check("resource-controller.m", &constants, it));
            let (off, cells, auto) = (off?, cells?, auto?);
            for (series, run) in series.iter_mut().zip([&off, &cells, &auto]) {
                series.points.push((n as f64, run.states as f64));
            }
            let row = format!(
                "| {n} | {} | {} | {} | {:.2} | {:.2} | {:.2} |",
                off.states, cells.states, auto.states, off.cpu_seconds, cells.cpu_seconds, auto.cpu_seconds
            );
            line(page, format_args!("{row}"));
        }
        let [plain, standard, adaptive] = printed;
        line(page, format_args!("| 18, theirs | {plain} | {standard} | {adaptive} | | | |"));
        let plot = Plot { title: format!("Resource controller, {name}"), series: series.to_vec() };
        write(&docs.join(format!("near-symmetry-{side}.svg")), &plot.svg())?;
    }
    page.push_str("\nThe paper prints numbers for n = 18 only. For n = 2, `auto` visits every state.\n");
    Ok(())
}

fn table_1(page: &mut String) -> Result<(), String> {
    page.push_str("\n## Table 1: more and more classes, n = 80\n\n");
    page.push_str("| k | 1, 1, …, rest: theirs | s | ours | s | 2, 2, …, rest: theirs | s | ours | s |\n");
    page.push_str("|---|---|---|---|---|---|---|---|---|\n");
    for (classes, columns) in TABLE_1 {
        let mut row = format!("| {classes} |");
        for (small, (seconds, states)) in (1..).zip(columns) {
            let ours = check("resource-controller.m", &controller(80, classes, small), "auto")?;
            let _ = write!(row, " {states} | {seconds} | {} | {:.2} |", ours.states, ours.cpu_seconds);
        }
        line(page, format_args!("{row}"));
    }
    Ok(())
}

fn controller(processes: u64, classes: u64, small: u64) -> Constants {
    [("Processes", processes), ("Classes", classes), ("Small", small)]
}

/// Runs the checker on an example, which must hold.
fn check(example: &str, constants: &[(&str, u64)], symmetry: &str) -> Result<Run, String> {
    let mut best: Option<Run> = None;
    for _ in 0..REPETITIONS {
        let mut command = Command::new(target().join("release/burnside"));
        command.current_dir(root().join("examples"));
        command.args(["check", example, "-q", "--json", "-", "--symmetry", symmetry]);
        for (name, value) in constants {
            command.arg("-D").arg(format!("{name}={value}"));
        }
        let (cost, said) = measure(&mut command, MOST)?;
        let report: Value = serde_json::from_str(&said.out).map_err(|error| format!("{example}: {error}"))?;
        if report["verdict"] != "holds" {
            return Err(format!("{example} with {constants:?}: {}", report["verdict"]));
        }
        let states = report["states"].as_u64().unwrap_or(0);
        let cpu_seconds = best.as_ref().map_or(cost.cpu_seconds, |best| best.cpu_seconds.min(cost.cpu_seconds));
        best = Some(Run { states, cpu_seconds });
    }
    best.ok_or_else(|| "no run was made".to_owned())
}

fn line(page: &mut String, text: std::fmt::Arguments<'_>) {
    let _ = writeln!(page, "{text}");
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
}
