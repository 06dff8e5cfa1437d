//! One model in all configurations.

use std::time::Duration;

use burnside_driver::{LoadOptions, Settings};
use burnside_engine::DeadlockMode;

use crate::answer::{Answer, Conclusion, Configuration, Searched, ask, reference, variations};

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

    /// The answer in the reference configuration.
    pub(crate) fn answer(&self, name: &str, text: &str) -> Answer {
        self.put(name, text, &reference())
    }

    fn put(&self, name: &str, text: &str, configuration: &Configuration) -> Answer {
        let mut settings = Settings { deadlock: self.deadlock, ..configuration.settings.clone() };
        if let Some(rounds) = self.loop_limit {
            settings.step_limits.loop_rounds = rounds;
        }
        ask(name, text, &self.load, &settings, self.time)
    }

    /// Asks in every other configuration and returns how the answers deviate from the first.
    pub(crate) fn deviations(&self, name: &str, text: &str, first: &Answer) -> Vec<String> {
        let Some(first) = first.searched() else { return Vec::new() };
        let mut deviations = Vec::new();
        for configuration in variations() {
            let answer = self.put(name, text, &configuration);
            let agrees = answer.searched().is_some_and(|other| agree(&configuration, first, other));
            if !agrees {
                let kind = configuration.name;
                deviations.push(format!("{name}: {first} in the reference configuration, but with {kind} {answer}"));
            }
        }
        deviations
    }
}

/// Whether another configuration's answer is as it should be, given the reference's.
fn agree(configuration: &Configuration, first: &Searched, other: &Searched) -> bool {
    let same_counts = (first.states, first.rules) == (other.states, other.rules);
    match (&first.conclusion, &other.conclusion) {
        (Conclusion::Holds, Conclusion::Holds) => same_counts && !configuration.is_lossy,
        (Conclusion::Holds, Conclusion::Unknown(_)) => configuration.is_lossy,
        // Other orders may meet another violation first, by a longer way; what is claimed of all states is the same.
        (Conclusion::Violated(first), Conclusion::Violated(other)) if configuration.is_breadth_first() => {
            first.violation == other.violation && (same_counts || !first.is_about_all_states())
        }
        (Conclusion::Violated(first), Conclusion::Violated(other)) => {
            first.is_about_all_states() == other.is_about_all_states()
                && (!first.is_about_all_states() || (first.kind == other.kind && same_counts))
        }
        // A lossy search claims nothing about all states.
        (Conclusion::Violated(first), Conclusion::Unknown(_)) => configuration.is_lossy && first.is_about_all_states(),
        // What takes too long in one configuration may do so in another.
        (Conclusion::Late, _) | (_, Conclusion::Late) => true,
        _ => false,
    }
}
