//! Ours against the others with symmetry, on one model: who takes how long, and who stores how much.

use std::fs;
use std::path::Path;
use std::time::Duration;

use super::measure::{Run, geometric_mean};
use super::models::Subject;
use super::tools::{Symmetry, Tool};

/// Another checker in one of its ways.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Peer {
    tool: Tool,
    symmetry: Symmetry,
}

impl Peer {
    /// All of them: each checker as it comes and with one state for each orbit.
    pub(crate) const ALL: [Self; 4] = [
        Self { tool: Tool::Rumur, symmetry: Symmetry::Default },
        Self { tool: Tool::Rumur, symmetry: Symmetry::Exact },
        Self { tool: Tool::CMurphi, symmetry: Symmetry::Default },
        Self { tool: Tool::CMurphi, symmetry: Symmetry::Exact },
    ];

    pub(crate) fn name(self) -> &'static str {
        match (self.tool, self.symmetry) {
            (Tool::Rumur, Symmetry::Exact) => "Rumur, exhaustive",
            (Tool::Rumur, _) => "Rumur, heuristic",
            (Tool::CMurphi, Symmetry::Exact) => "CMurphi, canonical",
            (Tool::CMurphi, _) => "CMurphi, default",
            (Tool::Burnside, _) => "Burnside",
        }
    }
}

/// How long and how often checkers run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    /// CPU time of another checker, or [`PATIENCE`] times ours if that is longer.
    pub(crate) theirs: Duration,
    /// CPU time of ours.
    pub(crate) ours: Duration,
    /// The least time of so many runs counts, unless a run is long.
    pub(crate) repeat: usize,
}

/// A run that takes longer is made once: there is little noise in it.
pub(crate) const LONG_SECONDS: f64 = 2.0;

/// Who takes so many times as long as ours may be stopped: that we are ten times faster is then plain.
pub(crate) const PATIENCE: u32 = 12;

/// The system counts CPU time in hundredths of a second: what takes less is no ratio's denominator.
const LEAST_SECONDS: f64 = 0.01;

/// Ratios of what takes the others less than this say nothing.
pub(crate) const TELLING_SECONDS: f64 = 0.1;

/// What was measured on one model.
pub(crate) struct Race {
    pub(crate) ours: Run,
    /// Those that were run, to their end or cut.
    pub(crate) theirs: Vec<(Peer, Run)>,
    /// Those that were not, or did not finish, and why.
    pub(crate) absent: Vec<(Peer, String)>,
}

/// Runs ours and some others on a model, taking turns. If ours is cut, the others are not run.
pub(crate) fn race(subject: &Subject, peers: &[Peer], limits: Limits, folder: &Path) -> Result<Race, String> {
    fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let ours = Tool::Burnside.build(subject, Symmetry::Default, folder)?;
    let (mut checkers, mut absent) = (Vec::new(), Vec::new());
    for &peer in peers {
        match peer.tool.build(subject, peer.symmetry, folder) {
            Ok(checker) => checkers.push((peer, checker)),
            Err(reason) => absent.push((peer, reason)),
        }
    }
    let mut own: Option<Run> = None;
    let mut runs: Vec<(Peer, Run)> = Vec::new();
    for _ in 0..limits.repeat {
        if is_worth_repeating(own.as_ref()) {
            own = Some(faster(own, ours.run(limits.ours)?));
        }
        let own = own.as_ref().ok_or("no run was made")?;
        let most = limits.theirs.max(Duration::from_secs_f64(own.cpu_seconds) * PATIENCE);
        for (peer, checker) in &checkers {
            let at = runs.iter().position(|(it, _)| it == peer);
            let is_absent = own.is_cut || absent.iter().any(|(it, _)| it == peer);
            if is_absent || !is_worth_repeating(at.map(|at| &runs[at].1)) {
                continue;
            }
            match (checker.run(most), at) {
                (Ok(run), Some(at)) => runs[at].1 = faster(Some(runs[at].1.clone()), run),
                (Ok(run), None) => runs.push((*peer, run)),
                (Err(reason), _) => absent.push((*peer, reason)),
            }
        }
    }
    Ok(Race { ours: own.ok_or("no run was made")?, theirs: runs, absent })
}

fn is_worth_repeating(run: Option<&Run>) -> bool {
    run.is_none_or(|run| !run.is_cut && run.cpu_seconds < LONG_SECONDS)
}

fn faster(before: Option<Run>, run: Run) -> Run {
    match before {
        Some(before) if before.cpu_seconds <= run.cpu_seconds => before,
        _ => run,
    }
}

/// How many times faster something is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Ratio {
    pub(crate) times: f64,
    /// Whether it is at least that, since the other was cut.
    pub(crate) is_bound: bool,
}

impl Ratio {
    pub(crate) fn text(self) -> String {
        format!("{}{:.1}", if self.is_bound { "> " } else { "" }, self.times)
    }
}

impl Race {
    pub(crate) fn run(&self, peer: Peer) -> Option<&Run> {
        self.theirs.iter().find(|(it, _)| *it == peer).map(|(_, run)| run)
    }

    /// Seconds as they stand in a table.
    pub(crate) fn seconds(run: &Run) -> String {
        format!("{}{:.2}", if run.is_cut { "> " } else { "" }, run.cpu_seconds)
    }

    /// The fastest of the others divided by ours, if that says something.
    pub(crate) fn ratio(&self) -> Option<Ratio> {
        let fastest = self.theirs.iter().map(|(_, run)| run).min_by(|one, other| {
            // A run that was cut is slower than one of the same length that ended.
            (one.cpu_seconds, one.is_cut).partial_cmp(&(other.cpu_seconds, other.is_cut)).expect("times are numbers")
        })?;
        if self.ours.is_cut || fastest.cpu_seconds < TELLING_SECONDS {
            return None;
        }
        let times = fastest.cpu_seconds / self.ours.cpu_seconds.max(LEAST_SECONDS);
        Some(Ratio { times, is_bound: fastest.is_cut })
    }

    /// Counts that are not ours, in words.
    pub(crate) fn differences(&self) -> Vec<String> {
        let ours = (self.ours.states, self.ours.rules);
        let finished = self.theirs.iter().filter(|(_, run)| !run.is_cut && !self.ours.is_cut);
        let different = finished.filter(|(_, run)| (run.states, run.rules) != ours);
        let text = |(peer, run): &(Peer, Run)| {
            let fewer = if run.states < ours.0 { ", **fewer than we do**" } else { "" };
            format!("{} stores {} states and fires {} rules{fewer}", peer.name(), run.states, run.rules)
        };
        different.map(text).collect()
    }
}

/// The geometric mean of some ratios, a bound if one of them is.
pub(crate) fn mean(ratios: &[Ratio]) -> Option<Ratio> {
    let times: Vec<f64> = ratios.iter().map(|ratio| ratio.times).collect();
    geometric_mean(&times).map(|times| Ratio { times, is_bound: ratios.iter().any(|ratio| ratio.is_bound) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(cpu_seconds: f64, is_cut: bool, states: u64) -> Run {
        Run { cpu_seconds, is_cut, states, ..Run::default() }
    }

    fn race(ours: Run, theirs: [Run; 2]) -> Race {
        Race { ours, theirs: Peer::ALL.into_iter().zip(theirs).collect(), absent: Vec::new() }
    }

    #[test]
    fn the_faster_of_the_others_counts() {
        let ratio = race(run(0.5, false, 7), [run(5.0, false, 7), run(60.0, true, 0)]).ratio();
        assert_eq!(ratio, Some(Ratio { times: 10.0, is_bound: false }));
        let ratio = race(run(0.5, false, 7), [run(60.0, true, 0), run(60.0, true, 0)]).ratio();
        assert_eq!(ratio.map(Ratio::text).as_deref(), Some("> 120.0"));
        assert_eq!(race(run(0.0, false, 7), [run(0.05, false, 7), run(1.0, false, 7)]).ratio(), None);
    }

    #[test]
    fn who_counts_otherwise_is_named() {
        let differences = race(run(1.0, false, 7), [run(1.0, false, 9), run(1.0, false, 6)]).differences();
        assert_eq!(differences[0], "Rumur, heuristic stores 9 states and fires 0 rules");
        assert!(differences[1].ends_with("fewer than we do**"));
        assert!(race(run(1.0, false, 7), [run(1.0, false, 7), run(60.0, true, 0)]).differences().is_empty());
    }
}
