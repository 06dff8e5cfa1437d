//! What is wrong with an answer, given what the oracle saw.

use std::fmt;

use crate::ask::{Answer, Extent, Wrong};
use crate::configuration::Configuration;
use crate::oracle::Exploration;
use crate::orbits::Orbits;

/// The kind of a difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Trouble {
    /// Something holds in one place and is violated in another.
    Verdict,
    /// The generator knows the answer, and it is another.
    Expected,
    /// A counterexample does not replay.
    Replay,
    /// A panic.
    Panic,
    /// No verdict where there must be one.
    NoVerdict,
    /// Another number of states.
    States,
    /// Another number of rules fired.
    Rules,
    /// A breadth-first search found something later than it could.
    Level,
    /// What was found wrong is not wrong at that place.
    Breach,
    /// The reachable states are not what a claim of symmetry says.
    Orbits,
    /// Two proofs of symmetry disagree.
    Proofs,
    /// The whole process died or did not come back.
    Crash,
}

impl Trouble {
    /// The word for it in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Verdict => "verdict",
            Self::Expected => "expected",
            Self::Replay => "replay",
            Self::Panic => "panic",
            Self::NoVerdict => "no-verdict",
            Self::States => "states",
            Self::Rules => "rules",
            Self::Level => "level",
            Self::Breach => "breach",
            Self::Orbits => "orbits",
            Self::Proofs => "proofs",
            Self::Crash => "crash",
        }
    }
}

/// A configuration that disagrees with the oracle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// The configuration's name.
    pub configuration: String,
    /// In what it disagrees.
    pub trouble: Trouble,
    /// Both sides.
    pub detail: String,
}

impl Difference {
    pub(crate) fn new(configuration: &str, trouble: Trouble, detail: impl Into<String>) -> Self {
        Self { configuration: configuration.to_owned(), trouble, detail: detail.into() }
    }

    /// Whether another difference is likely to have the same cause.
    pub fn is_like(&self, other: &Self) -> bool {
        self.trouble == other.trouble && self.configuration == other.configuration
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}: {}", self.trouble.name(), self.configuration, self.detail)
    }
}

/// What is known of a model without running a configuration.
pub(crate) struct Known<'e> {
    pub(crate) explored: &'e Exploration,
    /// Where nothing faults and symmetry is proved.
    pub(crate) orbits: Option<Orbits>,
}

impl Known<'_> {
    /// What is wrong with an answer, if something is.
    pub(crate) fn judge(&self, configuration: &Configuration, answer: &Answer) -> Option<Difference> {
        let difference = |(trouble, detail): (Trouble, String)| Difference::new(&configuration.name, trouble, detail);
        let may_stay_open = matches!(configuration.name.as_str(), "off-fingerprint" | "marker");
        let found = match answer {
            Answer::Panicked(message) => Some((Trouble::Panic, message.clone())),
            Answer::Bug(message) => Some((Trouble::Replay, message.clone())),
            Answer::Nothing(_) if configuration.may_take_long() => None,
            Answer::Nothing(why) => Some((Trouble::NoVerdict, why.clone())),
            Answer::Open if !may_stay_open => Some((Trouble::NoVerdict, "left open".to_owned())),
            Answer::Open | Answer::Unsupported => None,
            Answer::Holds(extent) => self.judge_holds(extent),
            Answer::Violated(wrong) => self.judge_violated(wrong),
        };
        found.map(difference)
    }

    fn judge_holds(&self, extent: &Extent) -> Option<(Trouble, String)> {
        if let Some((level, keys)) = &self.explored.first {
            return Some((Trouble::Verdict, format!("holds, but {keys:?} at level {level}")));
        }
        if !self.explored.overall.is_empty() {
            return Some((Trouble::Verdict, format!("holds, but {:?}", self.explored.overall)));
        }
        self.judge_extent(extent)
    }

    fn judge_extent(&self, extent: &Extent) -> Option<(Trouble, String)> {
        let plain = Orbits { states: self.explored.states.len() as u64, rules: self.explored.rules };
        let expected = match self.orbits {
            _ if extent.plain => plain,
            Some(orbits) if extent.one_per_orbit => orbits,
            _ => return None,
        };
        if extent.states != expected.states {
            return Some((Trouble::States, format!("{} states, not {}", extent.states, expected.states)));
        }
        (extent.rules != expected.rules)
            .then(|| (Trouble::Rules, format!("{} rules fired, not {}", extent.rules, expected.rules)))
    }

    fn judge_violated(&self, wrong: &Wrong) -> Option<(Trouble, String)> {
        let Some((level, keys)) = &self.explored.first else {
            if self.explored.overall.is_empty() {
                return Some((Trouble::Verdict, format!("violated by {:?}, but everything holds", wrong.breach)));
            }
            let is_right = self.explored.overall.contains(&wrong.breach);
            let problem = || (Trouble::Breach, format!("{:?}, not {:?}", wrong.breach, self.explored.overall));
            return if is_right { self.judge_extent(&wrong.extent) } else { Some(problem()) };
        };
        // Depth-first search may meet anything first.
        let found = wrong.level?;
        if found != *level {
            return Some((Trouble::Level, format!("{:?} at level {found}, not {keys:?} at {level}", wrong.breach)));
        }
        let is_right = keys.contains(&wrong.breach);
        (!is_right).then(|| (Trouble::Breach, format!("{:?}, not one of {keys:?}", wrong.breach)))
    }
}
