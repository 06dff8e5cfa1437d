//! Building and running each checker.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::measure::{Run, Said, measure};
use super::models::Subject;
use crate::shell::{is_there, target, words};

/// CMurphi's table has a fixed size, in megabytes. All of it is cleared, so that a table for millions of states takes
/// seconds that a small model does not need: it gets one that its states fill by half. These are for finding that out.
const CMURPHI_MEGABYTES: [u32; 4] = [64, 512, 2000, 6000];

/// CPU time of a run that only tells how large the table must be.
const CMURPHI_TRIAL: Duration = Duration::from_secs(60);

/// A program that checks models.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tool {
    Burnside,
    /// The package `rumur`, which turns a model into C.
    Rumur,
    /// In the folder `BURNSIDE_CMURPHI`, with `src/mu` and `include/`, which turns a model into C++.
    CMurphi,
}

/// How a checker brings symmetric states together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Symmetry {
    /// Not at all.
    Off,
    /// As it does when nothing is said.
    Default,
    /// One state for each orbit. Ours does so anyway.
    Exact,
}

/// A checker for one model, ready to run.
pub(crate) struct Checker {
    pub(crate) tool: Tool,
    /// From the model's text to this, by generator and compiler.
    pub(crate) build_seconds: f64,
    program: PathBuf,
    args: Vec<String>,
}

impl Tool {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Burnside => "Burnside",
            Self::Rumur => "Rumur",
            Self::CMurphi => "CMurphi",
        }
    }

    /// Makes a checker for a model in a folder, or says why there is none.
    pub(crate) fn build(self, subject: &Subject, symmetry: Symmetry, folder: &Path) -> Result<Checker, String> {
        match self {
            Self::Burnside if symmetry == Symmetry::Off => burnside(subject, folder, &["--symmetry", "off"]),
            Self::Burnside => burnside(subject, folder, &["--symmetry", "auto"]),
            Self::Rumur => rumur(subject, symmetry, folder),
            Self::CMurphi => cmurphi(subject, symmetry, folder),
        }
    }
}

fn write_model(subject: &Subject, folder: &Path) -> Result<PathBuf, String> {
    let path = folder.join("m.m");
    fs::write(&path, &subject.text).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(path)
}

/// Our own checker, with further arguments.
pub(crate) fn burnside(subject: &Subject, folder: &Path, further: &[&str]) -> Result<Checker, String> {
    let model = write_model(subject, folder)?;
    let deadlock = if subject.checks_deadlock { "stuttering" } else { "off" };
    let mut args = vec!["check".to_owned(), model.display().to_string()];
    args.extend(["--verbose", "--json", "-", "--deadlock", deadlock].map(str::to_owned));
    args.extend(further.iter().map(|arg| (*arg).to_owned()));
    let program = target().join("release/burnside");
    Ok(Checker { tool: Tool::Burnside, build_seconds: 0.0, program, args })
}

fn rumur(subject: &Subject, symmetry: Symmetry, folder: &Path) -> Result<Checker, String> {
    if !is_there("rumur", &["--version"]) {
        return Err("the package `rumur` is not installed".to_owned());
    }
    let model = write_model(subject, folder)?;
    let deadlock = if subject.checks_deadlock { "stuttering" } else { "off" };
    let reduction = match symmetry {
        Symmetry::Off => "off",
        Symmetry::Default => "heuristic",
        Symmetry::Exact => "exhaustive",
    };
    let begun = Instant::now();
    let mut generate = Command::new("rumur");
    generate.args(["--symmetry-reduction", reduction, "--threads", "1", "--deadlock-detection", deadlock, "--output"]);
    quietly(generate.arg(folder.join("rumur.c")).arg(model))?;
    let program = folder.join(format!("rumur-checker-{reduction}"));
    let mut compile = Command::new("gcc");
    compile.args(["-std=c11", "-O3", "-march=native", "-mcx16", "-o"]).arg(&program).arg(folder.join("rumur.c"));
    quietly(compile.arg("-lpthread"))?;
    Ok(Checker { tool: Tool::Rumur, build_seconds: begun.elapsed().as_secs_f64(), program, args: Vec::new() })
}

fn cmurphi(subject: &Subject, symmetry: Symmetry, folder: &Path) -> Result<Checker, String> {
    let home = std::env::var_os("BURNSIDE_CMURPHI").map(PathBuf::from).ok_or("BURNSIDE_CMURPHI is not set")?;
    let model = write_model(subject, folder)?;
    let begun = Instant::now();
    quietly(Command::new(home.join("src/mu")).arg(&model))?;
    let program = folder.join("cmurphi-checker");
    let mut compile = Command::new("g++");
    compile
        .args(["-O3", "-march=native", "-w", "-fpermissive", "-o"])
        .arg(&program)
        .arg("-I")
        .arg(home.join("include"))
        .arg(folder.join("m.cpp"));
    quietly(&mut compile)?;
    let mut args = Vec::new();
    match symmetry {
        Symmetry::Off => args.push("-nosym".to_owned()),
        Symmetry::Default => {}
        Symmetry::Exact => args.push("-sym2".to_owned()),
    }
    if !subject.checks_deadlock {
        args.push("-ndl".to_owned());
    }
    args.push(format!("-m{}", cmurphi_megabytes(&program, &args)?));
    Ok(Checker { tool: Tool::CMurphi, build_seconds: begun.elapsed().as_secs_f64(), program, args })
}

/// How large a table must be for the states of a model to fill half of it.
fn cmurphi_megabytes(program: &Path, args: &[String]) -> Result<u32, String> {
    let mut complaint = String::new();
    for megabytes in CMURPHI_MEGABYTES {
        let mut command = Command::new(program);
        let (run, said) = measure(command.args(args).arg(format!("-m{megabytes}")), CMURPHI_TRIAL)?;
        if run.is_cut {
            break;
        }
        if let (Some(run), Some(most)) = (read_summary(&said.out), most_states(&said.out)) {
            return Ok((f64::from(megabytes) * 2.0 * run.states as f64 / most as f64).ceil().max(8.0) as u32);
        }
        complaint = said.out.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default().trim().to_owned();
    }
    // Whoever is cut here is cut when it counts.
    if complaint.is_empty() { Ok(CMURPHI_MEGABYTES[2]) } else { Err(complaint) }
}

/// From the line `  the state space is 734543 states.`
fn most_states(said: &str) -> Option<u64> {
    said.split("the state space is ").nth(1)?.split_whitespace().next()?.parse().ok()
}

/// Runs a step of a build; its complaints become the error.
fn quietly(command: &mut Command) -> Result<(), String> {
    let output = command.stdin(Stdio::null()).output().map_err(|error| format!("{}: {error}", words(command)))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let said = if said.trim().is_empty() { String::from_utf8_lossy(&output.stdout) } else { said };
    let complaint = said.lines().find(|line| line.contains("error")).or(said.lines().next());
    Err(complaint.unwrap_or("no reason given").trim().to_owned())
}

impl Checker {
    /// Runs the checker once, or until it has taken `most` of CPU time.
    pub(crate) fn run(&self, most: Duration) -> Result<Run, String> {
        let mut command = Command::new(&self.program);
        let (run, said) = measure(command.args(&self.args), most)?;
        if run.is_cut {
            return Ok(run);
        }
        let read = match self.tool {
            Tool::Burnside => read_report(&said),
            Tool::Rumur | Tool::CMurphi => read_summary(&said.out),
        };
        let name = self.tool.name();
        let last_line = || said.out.lines().last().unwrap_or_default().to_owned();
        let read = read.ok_or_else(|| format!("{name} did not finish: {}", last_line()))?;
        let Run { wall_seconds, cpu_seconds, user_seconds, peak_bytes, .. } = run;
        Ok(Run { wall_seconds, cpu_seconds, user_seconds, peak_bytes, ..read })
    }
}

/// The counts in our own JSON report, and what else we tell. Our peak of memory is measured like everybody's.
pub(crate) fn read_report(said: &Said) -> Option<Run> {
    let report: serde_json::Value = serde_json::from_str(&said.out).ok()?;
    if report["verdict"] != "holds" {
        return None;
    }
    Some(Run {
        states: report["states"].as_u64()?,
        rules: report["rules_fired"].as_u64()?,
        setup_seconds: report["setup_seconds"].as_f64(),
        store_bytes: store_bytes(&said.err),
        packed_bytes: packed_bytes(&said.err),
        ..Run::default()
    })
}

/// From the line `  memory       12.1 MB at most, 3.4 MB for states`.
fn store_bytes(text: &str) -> Option<f64> {
    let line = text.lines().find(|line| line.starts_with("  memory ") && line.ends_with(" for states"))?;
    let words: Vec<&str> = line.trim_end_matches(" for states").split(", ").nth(1)?.split(' ').collect();
    let [number, unit] = words[..] else { return None };
    let power = ["bytes", "KB", "MB", "GB", "TB"].iter().position(|it| *it == unit)?;
    Some(number.parse::<f64>().ok()? * 1024_f64.powi(power as i32))
}

/// From the line `state: 45 scalars, 104 bits packed into 16 bytes`.
fn packed_bytes(text: &str) -> Option<f64> {
    let words: Vec<&str> = text.lines().find(|line| line.contains(" packed into "))?.split_whitespace().collect();
    let bits = words.iter().position(|word| word.starts_with("bit"))?;
    words[bits - 1].replace(',', "").parse::<f64>().ok().map(|bits| bits / 8.0)
}

/// The counts in `5 states, 7 rules fired in 0.1s`, as both other tools print them, if no error was found.
fn read_summary(said: &str) -> Option<Run> {
    if !said.contains("No error found") {
        return None;
    }
    let line = said.lines().find(|line| line.contains(" states, ") && line.contains(" rules fired"))?;
    let words: Vec<&str> = line.split_whitespace().collect();
    let before = |word: &str| words.iter().position(|it| it.trim_end_matches(',') == word).map(|at| words[at - 1]);
    Some(Run { states: before("states")?.parse().ok()?, rules: before("rules")?.parse().ok()?, ..Run::default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn summaries_are_read() {
        let said = "Status:\n\n\tNo error found.\n\nState Space Explored:\n\n\t5 states, 7 rules fired in 0.10s.\n";
        assert_eq!(read_summary(said).map(|run| (run.states, run.rules)), Some((5, 7)));
        assert!(read_summary("1 states, 2 rules fired").is_none());
        let said = "  With two words of overhead per state, the maximum size of\n  the state space is 734543 states.\n";
        assert_eq!(most_states(said), Some(734_543));
    }

    #[test]
    fn reports_are_read() {
        let out = r#"{"verdict": "holds", "states": 5, "rules_fired": 7, "setup_seconds": 0.01}"#.to_owned();
        let err =
            "state: 45 scalars, 1,040 bits packed into 136 bytes\n  memory       9.5 MB at most, 2.5 KB for states\n";
        let run = read_report(&Said { out, err: err.to_owned() }).expect("it holds");
        assert_eq!((run.states, run.rules), (5, 7));
        assert_eq!((run.store_bytes, run.packed_bytes), (Some(2560.0), Some(130.0)));
        let violated = Said { out: r#"{"verdict": "violated"}"#.to_owned(), err: String::new() };
        assert!(read_report(&violated).is_none());
    }
}
