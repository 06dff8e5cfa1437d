//! Suspending a search and taking it up again.

use super::{Node, Search};
use crate::explorer::{Bounds, Stats};
use crate::search::{Method, Symmetry};
use crate::set::ThreadSet;
use crate::symmetry::Family;
use crate::trace::{Birth, Event, Trace};
use crate::wire::Wire;

impl Wire for Node {
    fn put(&self, out: &mut Vec<u8>) {
        self.sleep.put(out);
        self.done.put(out);
        self.todo.put(out);
        self.enabled.put(out);
        self.labels.put(out);
        self.cost.put(out);
        self.first.put(out);
    }

    fn get(bytes: &mut &[u8]) -> Option<Self> {
        Some(Self {
            sleep: Wire::get(bytes)?,
            done: Wire::get(bytes)?,
            todo: Wire::get(bytes)?,
            enabled: Wire::get(bytes)?,
            labels: Wire::get(bytes)?,
            cost: Wire::get(bytes)?,
            first: Wire::get(bytes)?,
            n_lent: 0,
        })
    }
}

impl Search {
    /// The search as bytes, between two runs. Clocks and hashes are not written: they follow from the events.
    ///
    /// # Panics
    ///
    /// If a run is under way or parts of the search have been lent out.
    #[must_use]
    pub fn save(&self) -> Vec<u8> {
        assert!(self.under_way.is_none() && self.n_frozen == 0, "only a whole search between runs can be saved");
        assert!(self.nodes.iter().all(|node| node.n_lent == 0), "parts are lent out");
        let mut out = Vec::new();
        self.method.put(&mut out);
        self.symmetry.put(&mut out);
        self.bounds.put(&mut out);
        self.stats.put(&mut out);
        self.started.put(&mut out);
        self.births.put(&mut out);
        self.images.families().to_vec().put(&mut out);
        self.nodes.put(&mut out);
        self.history.births().to_vec().put(&mut out);
        self.history.events().to_vec().put(&mut out);
        (0..self.history.len()).map(|at| self.history.enabled(at).clone()).collect::<Vec<_>>().put(&mut out);
        self.history.surplus().to_vec().put(&mut out);
        out
    }

    /// The search saved in these bytes, if they are whole.
    #[must_use]
    pub fn resume(mut bytes: &[u8]) -> Option<Self> {
        let bytes = &mut bytes;
        let (method, symmetry): (Method, Symmetry) = Wire::get(bytes)?;
        let bounds = Bounds::get(bytes)?;
        let mut search = Self::new(method, symmetry, bounds);
        search.stats = Stats::get(bytes)?;
        search.started = bool::get(bytes)?;
        search.births = Wire::get(bytes)?;
        search.images.learn(&Vec::<Family>::get(bytes)?);
        search.nodes = Wire::get(bytes)?;
        let births: Vec<Birth> = Wire::get(bytes)?;
        let events: Vec<Event> = Wire::get(bytes)?;
        let enabled: Vec<ThreadSet> = Wire::get(bytes)?;
        let surplus: Vec<Option<bool>> = Wire::get(bytes)?;
        if !bytes.is_empty() || enabled.len() != events.len() {
            return None;
        }
        let trace = Trace { events, enabled, surplus, ..Trace::default() };
        search.history.set_births(&births);
        let mut races = Vec::new();
        for _ in &trace.events {
            search.history.push(&trace, &mut races);
        }
        Some(search)
    }
}
