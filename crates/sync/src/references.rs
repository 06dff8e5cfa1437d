//! References that are counted: when their number has to be visible, and what nobody gave up; and whether workers are alike.
//!
//! As long as no program text depends on how many references there are, cloning and dropping them are no visible
//! operations. A search that meets one that does, begins anew with [`Needs`] that say so: asking for a number, or turning
//! the last reference into the value, makes clones and drops visible; a destructor that executes visible operations, or
//! orders plain accesses, makes it matter which drop of that object is the last. The same way a program that tells workers
//! of a pool apart is explored anew without their symmetry.

use burnside_stateless::ObjId;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;
use std::panic::Location;
use std::rc::Rc;

/// What a search has found out about references so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Needs(Rc<RefCell<Known>>);

#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Known {
    counts_matter: bool,
    /// The objects for which it matters who drops the last reference.
    last_matters: FxHashSet<ObjId>,
    /// How workers of pools can be told apart, if they can.
    told_apart: Option<String>,
}

impl Needs {
    /// With clones and drops visible from the start.
    pub(crate) fn counted() -> Self {
        let known = Known { counts_matter: true, ..Known::default() };
        Self(Rc::new(RefCell::new(known)))
    }

    pub(crate) fn counts_matter(&self) -> bool {
        self.0.borrow().counts_matter
    }

    /// Why the symmetry of pools is not used, if so.
    pub(crate) fn told_apart(&self) -> Option<String> {
        self.0.borrow().told_apart.clone()
    }

    /// A copy that later findings do not change.
    pub(crate) fn frozen(&self) -> Self {
        Self(Rc::new(RefCell::new(self.0.borrow().clone())))
    }

    pub(crate) fn is(&self, other: &Self) -> bool {
        *self.0.borrow() == *other.0.borrow()
    }
}

/// The references of one run.
#[derive(Debug, Default)]
pub(crate) struct References {
    /// What the search knew when the run began, and where to note what it learns.
    known: Known,
    needs: Needs,
    live: FxHashMap<ObjId, &'static Location<'static>>,
    /// References that are raw pointers for the time being.
    pub(crate) raw: FxHashMap<usize, Vec<(ObjId, ObjId)>>,
}

impl References {
    pub(crate) fn begin(&mut self, needs: &Needs) {
        self.known = needs.0.borrow().clone();
        self.needs = needs.clone();
    }

    pub(crate) fn clear(&mut self) {
        self.live.clear();
        self.raw.clear();
    }

    pub(crate) fn are_counted(&self) -> bool {
        self.known.counts_matter
    }

    pub(crate) fn last_matters(&self, obj: ObjId) -> bool {
        self.known.last_matters.contains(&obj)
    }

    pub(crate) fn need_counts(&mut self) {
        if !self.known.counts_matter {
            self.needs.0.borrow_mut().counts_matter = true;
        }
    }

    pub(crate) fn need_last(&mut self, obj: ObjId) {
        if !self.last_matters(obj) {
            let mut needs = self.needs.0.borrow_mut();
            needs.counts_matter = true;
            needs.last_matters.insert(obj);
        }
    }

    /// Whether workers of pools pass for alike.
    pub(crate) fn workers_are_alike(&self) -> bool {
        self.known.told_apart.is_none()
    }

    pub(crate) fn tell_apart(&mut self, why: String) {
        if self.workers_are_alike() {
            self.needs.0.borrow_mut().told_apart.get_or_insert(why);
        }
    }

    pub(crate) fn made(&mut self, obj: ObjId, place: &'static Location<'static>) {
        self.live.insert(obj, place);
    }

    pub(crate) fn gone(&mut self, obj: ObjId) {
        self.live.remove(&obj);
    }

    /// What is still there, described.
    pub(crate) fn leak(&self) -> Option<String> {
        let (_, place) = self.live.iter().min_by_key(|(obj, _)| **obj)?;
        let more = match self.live.len() - 1 {
            0 => String::new(),
            n => format!(", and {n} more"),
        };
        Some(format!("leak: references to what was made at {}:{} are never dropped{more}", place.file(), place.line()))
    }
}
