//! Finished explanations, found again by control configuration.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::control::Configuration;
use crate::eval::Renaming;
use crate::matching::{Candidate, Effort, MOST_CHOICES_OF_ALL, Pattern};
use crate::runs::Repeats;
use crate::term::Term;

/// What is known of the states that were explored.
#[derive(Debug)]
pub(crate) struct Memo {
    effort: Effort,
    patterns: Vec<(u32, Pattern)>,
    /// By control configuration, the patterns in the order in which they were finished.
    index: FxHashMap<Repeats, Vec<u32>>,
    bytes: u64,
}

impl Memo {
    pub(crate) fn new(effort: Effort) -> Self {
        Self { effort, patterns: Vec::new(), index: FxHashMap::default(), bytes: 0 }
    }

    fn key(&self, configuration: &Configuration) -> Repeats {
        match self.effort {
            Effort::Identity => configuration.sequence(),
            Effort::One | Effort::All => configuration.multiset(),
        }
    }

    /// Keeps the explanation of a node.
    pub(crate) fn add(&mut self, node: u32, facts: Rc<[Term]>, configuration: &Configuration) {
        let key = self.key(configuration);
        let pattern = Pattern::new(facts, configuration);
        self.bytes += pattern.bytes() + key.bytes() as u64;
        self.index.entry(key).or_default().push(self.patterns.len() as u32);
        self.patterns.push((node, pattern));
    }

    /// The first explanation that covers a state, and how.
    pub(crate) fn find(&mut self, candidate: Candidate<'_>) -> Option<(u32, Renaming)> {
        let key = self.key(candidate.configuration);
        let found = self.index.get(&key)?;
        let mut budget = MOST_CHOICES_OF_ALL;
        for &at in found {
            let (node, pattern) = &mut self.patterns[at as usize];
            if let Some(renaming) = pattern.covers(candidate, self.effort, &mut budget) {
                return Some((*node, renaming));
            }
        }
        None
    }

    /// How many control configurations there are explanations for.
    pub(crate) fn n_configurations(&self) -> usize {
        self.index.len()
    }

    /// Memory in use.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }
}
