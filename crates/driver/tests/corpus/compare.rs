//! One model in all configurations.

use std::time::Duration;

use burnside_driver::{LoadOptions, Settings};
use burnside_engine::DeadlockMode;

use crate::answer::{Answer, Breached, Conclusion, Configuration, Nature, Searched, ask, usual, variations};

/// How a model is to be read and searched, apart from the configuration.
#[derive(Debug, Clone)]
pub(crate) struct Question {
    pub(crate) load: LoadOptions,
    pub(crate) deadlock: DeadlockMode,
    pub(crate) loop_limit: Option<u32>,
    /// How long one search may take.
    pub(crate) time: Duration,
}

impl Question {
    /// The usual question.
    pub(crate) fn new(time: Duration) -> Self {
        Self { load: LoadOptions::default(), deadlock: DeadlockMode::Stuttering, loop_limit: None, time }
    }

    /// The answer in the usual configuration.
    pub(crate) fn answer(&self, name: &str, text: &str) -> Answer {
        self.put(name, text, &usual())
    }

    fn put(&self, name: &str, text: &str, configuration: &Configuration) -> Answer {
        let mut settings = Settings { deadlock: self.deadlock, ..configuration.settings.clone() };
        if let Some(rounds) = self.loop_limit {
            settings.step_limits.loop_rounds = rounds;
        }
        ask(name, text, &self.load, &settings, self.time)
    }

    /// Asks in every other configuration.
    pub(crate) fn compare(&self, name: &str, text: &str, first: &Answer) -> Comparison {
        let mut comparison = Comparison::default();
        if first.is_late() {
            comparison.late.push(format!("{name}: {}", usual().name));
            return comparison;
        }
        let Some(first) = first.searched() else { return comparison };
        for configuration in variations() {
            let kind = configuration.name;
            match self.put(name, text, &configuration) {
                Answer::Invalid(codes) if codes == ["unsupported"] => {
                    comparison.skips.push(format!("{name}: {kind}"));
                }
                answer if answer.is_late() => comparison.late.push(format!("{name}: {kind} took too long")),
                Answer::Searched(other) if agree(&configuration, first, &other) => comparison.n_agreeing += 1,
                answer => comparison.deviations.push(format!("{name}: {first}, but with {kind} {answer}")),
            }
        }
        comparison
    }
}

/// What the other configurations say of a model.
#[derive(Debug, Default)]
pub(crate) struct Comparison {
    /// Answers that deviate from the usual one.
    pub(crate) deviations: Vec<String>,
    /// Configurations in which the engine does not treat the model.
    pub(crate) skips: Vec<String>,
    /// Configurations in which time was up, which is no agreement.
    pub(crate) late: Vec<String>,
    /// How many others agree.
    pub(crate) n_agreeing: usize,
}

/// Whether another configuration's answer is as it should be, given the usual one's.
fn agree(configuration: &Configuration, first: &Searched, other: &Searched) -> bool {
    let nature = configuration.nature;
    let counts_fit = match nature {
        Nature::Reduced => other.states <= first.states && other.rules <= first.rules,
        Nature::Annotated => true,
        Nature::Exact | Nature::Lossy => (first.states, first.rules) == (other.states, other.rules),
    };
    match (&first.conclusion, &other.conclusion) {
        (Conclusion::Holds, Conclusion::Holds) => counts_fit && nature != Nature::Lossy,
        (Conclusion::Holds, Conclusion::Unknown(_)) => nature == Nature::Lossy,
        (Conclusion::Violated(first), Conclusion::Violated(other)) => {
            agree_on_violation(configuration, first, other) && (counts_fit || !first.is_about_all_states())
        }
        // A lossy search claims nothing about all states.
        (Conclusion::Violated(first), Conclusion::Unknown(_)) => nature == Nature::Lossy && first.is_about_all_states(),
        _ => false,
    }
}

fn agree_on_violation(configuration: &Configuration, first: &Breached, other: &Breached) -> bool {
    let about_all = first.is_about_all_states();
    if about_all || other.is_about_all_states() {
        // What is claimed of all states is met in a fixed order.
        return about_all && (first.kind, &first.name) == (other.kind, &other.name);
    }
    match (configuration.nature, configuration.is_breadth_first()) {
        (Nature::Exact | Nature::Lossy, true) => first.violation == other.violation,
        (Nature::Reduced | Nature::Annotated, true) => first.depth == other.depth,
        // Other orders may meet another violation first, by a longer way.
        (_, false) => other.depth >= first.depth,
    }
}
