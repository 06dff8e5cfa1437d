//! Handing parts of a search to others: disjoint prefixes, nothing shared.
//!
//! A branch that is left to explore becomes a search of its own. To the lender it counts as explored; what the borrower
//! finds out about the prefix they have in common, reversals of races with its events, comes back in the end.

use super::Search;
use crate::cursor::Sleeper;
use crate::explorer::Stats;
use crate::wakeup::Detached;

/// What a borrower gives back.
pub(crate) struct GivenBack {
    place: usize,
    escaped: Vec<(usize, Detached)>,
    stats: Stats,
}

impl Search {
    /// Lends the branches of the shallowest node that has any. To be called between runs.
    ///
    /// SOUND: a borrower starts with the transition under way at that node and the branches lent before it among the
    /// explored ones, as it would if they had been explored one after the other (compare Lang and Sagonas, TACAS 2020).
    pub(crate) fn split(&mut self) -> Vec<Self> {
        let Some(place) = (self.n_frozen..self.history.len()).find(|place| !self.nodes[*place].todo.is_empty()) else {
            return Vec::new();
        };
        let event = *self.history.event(place);
        let mut base = self.clone();
        base.nodes[place].done.push(Sleeper { pick: event.pick(), op: event.op });
        base.cut_back(place);
        base.escaped.clear();
        base.stats = Stats::default();
        let mut lent = Vec::new();
        while let Some(branch) = base.next_branch() {
            let mut part = base.clone();
            part.nodes[place].todo.branches.clear();
            part.n_frozen = place + 1;
            part.started = false;
            base.nodes[place].done.push(Sleeper { pick: branch.pick, op: branch.op });
            part.entry = Some(branch);
            lent.push(part);
        }
        self.stats.n_symmetric += base.stats.n_symmetric;
        let node = &mut self.nodes[place];
        node.todo.branches.clear();
        node.done = base.nodes[place].done.clone();
        // The transition under way is retired when the search comes back to it.
        node.done.retain(|sleeper| sleeper.pick != event.pick());
        node.n_lent += lent.len() as u32;
        lent
    }

    /// Whether everything is explored and nothing lent.
    pub(crate) fn is_over(&self) -> bool {
        self.started && self.nodes.len() <= self.n_frozen
    }

    /// Replaces the counts by those of all parts.
    pub(crate) fn set_stats(&mut self, stats: Stats) {
        self.stats = stats;
    }

    /// What a finished borrower has to give back.
    pub(crate) fn give_back(self) -> GivenBack {
        GivenBack { place: self.n_frozen - 1, stats: self.stats, escaped: self.escaped }
    }

    /// Takes back what was lent.
    pub(crate) fn absorb(&mut self, part: GivenBack) {
        self.nodes[part.place].n_lent -= 1;
        self.stats.merge(&part.stats);
        for (place, detached) in part.escaped {
            self.insert_or_pass_on(place, detached);
        }
    }
}
