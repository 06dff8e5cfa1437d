//! Other ways to check a model that must come to what a plain search comes to.

use burnside_driver::{Expect, Expectation};
use serde_json::Value;

/// Options of `check` that change how a model is searched, but not what is true of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Configuration {
    pub(super) options: Vec<String>,
    pub(super) counts: Counts,
}

/// How many states are stored and rules fired, compared with a plain search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Counts {
    Same,
    /// Not more, as under symmetry.
    Fewer,
    Any,
}

/// What came of a check.
#[derive(Debug, Clone)]
pub(super) struct Answer {
    pub(super) found: Expectation,
    /// The counterexample.
    pub(super) trace: Value,
    /// Why there is no verdict.
    pub(super) shortfall: Option<String>,
}

impl Counts {
    pub(super) fn of_word(word: &str) -> Option<Self> {
        match word {
            "same" => Some(Self::Same),
            "fewer" => Some(Self::Fewer),
            "any" => Some(Self::Any),
            _ => None,
        }
    }

    fn allow(self, plain: &Expectation, other: &Expectation) -> bool {
        match self {
            Self::Same => (plain.states, plain.rules) == (other.states, other.rules),
            Self::Fewer => other.states <= plain.states && other.rules <= plain.rules,
            Self::Any => true,
        }
    }
}

impl Configuration {
    fn has(&self, option: &str, value: &str) -> bool {
        self.options.windows(2).any(|pair| pair == [option, value])
    }

    /// Whether what comes of this configuration is as it should be, given what comes of a plain search.
    pub(super) fn agrees(&self, plain: &Answer, other: &Answer) -> bool {
        // Nothing is known of all states when some may have been taken for others.
        let is_lossy = self.has("--store", "fingerprint");
        let counts = self.counts.allow(&plain.found, &other.found);
        match (&plain.found.expect, &other.found.expect) {
            (Expect::Holds, Expect::Holds) => counts && !is_lossy,
            (Expect::Holds, Expect::Inconclusive) => is_lossy,
            (Expect::Violated { kind, .. }, Expect::Inconclusive) => is_lossy && is_about_all_states(kind),
            (
                Expect::Violated { kind, name, depth },
                Expect::Violated { kind: other_kind, name: named, depth: steps },
            ) => {
                if is_about_all_states(kind) || is_about_all_states(other_kind) {
                    // These are looked at in the order of the text, once all states are known.
                    return (kind, name) == (other_kind, named) && counts;
                }
                let is_detour = self.has("--search", "dfs") || self.has("--partial-order", "on");
                if is_detour || self.has("--engine", "interpolant") {
                    // Depth first, and where steps are put off, another violation may be met, by a longer way.
                    return steps >= depth;
                }
                match self.counts {
                    Counts::Same => (kind, name) == (other_kind, named) && plain.trace == other.trace,
                    Counts::Fewer | Counts::Any => steps == depth,
                }
            }
            (one, other) => one == other,
        }
    }
}

/// Whether only a complete search can tell.
fn is_about_all_states(kind: &str) -> bool {
    ["cover", "liveness", "ltl", "ctl", "never", "acceptance", "nonprogress"].contains(&kind)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn answer(text: &str, trace: Value) -> Answer {
        Answer { found: Expectation::parse(text).expect("an answer"), trace, shortfall: None }
    }

    #[track_caller]
    fn check(options: &str, counts: Counts, plain: &str, other: &str, expected: bool) {
        let options = options.split_whitespace().map(str::to_owned).collect();
        let (plain, other) = (answer(plain, json!(1)), answer(other, json!(1)));
        assert_eq!(Configuration { options, counts }.agrees(&plain, &other), expected, "{plain:?} {other:?}");
    }

    #[test]
    fn verdicts_and_counts_are_compared() {
        let plain = "holds states 10 rules 20";
        check("-j 2", Counts::Same, plain, plain, true);
        check("-j 2", Counts::Same, plain, "holds states 10 rules 19", false);
        check("--symmetry refine", Counts::Fewer, plain, "holds states 3 rules 7", true);
        check("--symmetry refine", Counts::Fewer, plain, "holds states 11 rules 7", false);
        check("--symmetry adaptive", Counts::Any, plain, "holds states 11 rules 7", true);
        for wrong in ["inconclusive", "violated deadlock depth 1", "invalid unsupported"] {
            check("-j 2", Counts::Any, plain, wrong, false);
        }
        check("--store fingerprint", Counts::Same, plain, "inconclusive", true);
        check("--store fingerprint", Counts::Same, plain, plain, false);
    }

    #[test]
    fn violations_are_compared() {
        let plain = "violated invariant \"i\" depth 4";
        check("-j 2", Counts::Same, plain, plain, true);
        check("-j 2", Counts::Same, plain, "violated invariant \"j\" depth 4", false);
        check("--symmetry refine", Counts::Fewer, plain, "violated invariant \"i\" depth 5", false);
        check("--search dfs", Counts::Same, plain, "violated invariant \"j\" depth 5", true);
        check("--search dfs", Counts::Same, plain, "violated invariant \"i\" depth 3", false);
        check("--partial-order on", Counts::Fewer, plain, "violated invariant \"j\" depth 5", true);
        check("--partial-order on", Counts::Fewer, plain, "holds", false);
        check("-j 2", Counts::Any, plain, "holds", false);
        check("--store fingerprint", Counts::Same, plain, "inconclusive", false);
        check("--store fingerprint", Counts::Same, "violated cover \"c\"", "inconclusive", true);
        check("-j 2", Counts::Any, "violated cover \"c\"", "violated cover \"d\"", false);
    }

    #[test]
    fn the_same_search_has_the_same_trace() {
        let (one, other) =
            (answer("violated deadlock depth 2", json!([1])), answer("violated deadlock depth 2", json!([2])));
        let agrees = |counts| Configuration { options: Vec::new(), counts }.agrees(&one, &other);
        assert!(!agrees(Counts::Same) && agrees(Counts::Fewer));
    }
}
