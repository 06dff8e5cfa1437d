//! Wakeup trees: what is left to explore below a node.
//!
//! A tree holds sequences of picks, each of which reverses some race. A new sequence is put in only if no sequence in
//! the tree already leads to an equivalent run (Abdulla et al., POPL 2014, section 5). Trees of depth one are the
//! backtrack sets of source-set reduction.

use crate::cursor::{Pick, Sleeper};
use crate::history::{History, Reversal};
use crate::op::Op;
use crate::relation::wakes;
use crate::trace::Event;
use crate::wire::Wire;

/// An ordered tree of picks.
#[derive(PartialEq, Debug, Default)]
pub(crate) struct Tree {
    pub(crate) branches: Vec<Branch>,
}

/// A pick with its label and what follows it.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Branch {
    pub(crate) pick: Pick,
    pub(crate) op: Op,
    pub(crate) below: Tree,
}

/// Trees are as deep as runs are long, so they are taken apart step by step: dropping them by recursion would need as
/// much stack.
impl Drop for Tree {
    // PERF: most trees have nothing below their first branches.
    #[inline]
    fn drop(&mut self) {
        if self.branches.is_empty() || self.branches.iter().all(|branch| branch.below.branches.is_empty()) {
            return;
        }
        let mut rest = std::mem::take(&mut self.branches);
        while let Some(mut branch) = rest.pop() {
            rest.append(&mut branch.below.branches);
        }
    }
}

/// Without recursion too, by way of the written form.
impl Clone for Tree {
    fn clone(&self) -> Self {
        if self.branches.is_empty() {
            return Self::default();
        }
        let mut bytes = Vec::new();
        self.put(&mut bytes);
        Self::get(&mut &bytes[..]).expect("a tree just written can be read")
    }
}

impl Tree {
    pub(crate) fn is_empty(&self) -> bool {
        self.branches.is_empty()
    }

    /// Adds a branch with nothing below, unless there is one with this pick.
    pub(crate) fn add(&mut self, pick: Pick, op: Op) {
        if !self.branches.iter().any(|branch| branch.pick == pick) {
            self.branches.push(Branch { pick, op, below: Self::default() });
        }
    }

    /// Takes out the first branch.
    pub(crate) fn pop_first(&mut self) -> Option<Branch> {
        (!self.branches.is_empty()).then(|| self.branches.remove(0))
    }

    /// The picks along the first branches.
    pub(crate) fn first_path(&self) -> Vec<Pick> {
        let mut path = Vec::new();
        let mut tree = self;
        while let Some(branch) = tree.branches.first() {
            path.push(branch.pick);
            tree = &branch.below;
        }
        path
    }

    /// Puts in a sequence unless the tree has an equivalent one. Says whether the tree grew.
    ///
    /// SOUND: descending along a branch that is a weak initial of the rest keeps "tree sequence and new sequence have a
    /// common extension"; ending in a leaf means everything below that leaf will be explored, the new sequence included.
    pub(crate) fn insert(&mut self, mut sequence: Sequence<'_>) -> bool {
        let mut tree = self;
        loop {
            let found = tree.branches.iter().position(|branch| sequence.starts_weakly(branch.pick, &branch.op));
            let Some(position) = found else {
                return sequence.append_to(tree);
            };
            let branch = &mut tree.branches[position];
            sequence.remove_first_of(branch.pick);
            if branch.below.is_empty() {
                return false;
            }
            tree = &mut branch.below;
        }
    }
}

/// A reversal that stands on its own: events with their numbers and clocks.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Detached {
    pub(crate) items: Vec<(Event, u32, Vec<u32>)>,
}

impl Detached {
    pub(crate) fn new(history: &History, reversal: &Reversal) -> Self {
        let kept =
            reversal.kept.iter().map(|at| (*history.event(*at), history.number(*at), history.clock(*at).to_vec()));
        // Nothing in the sequence comes after the last event, so its own number is never asked for.
        let last = (reversal.last, u32::MAX, reversal.last_clock.clone());
        Self { items: kept.chain([last]).collect() }
    }
}

/// A sequence of events on its way into a tree.
pub(crate) struct Sequence<'a> {
    items: Vec<Item<'a>>,
}

#[derive(Clone, Copy)]
struct Item<'a> {
    event: Event,
    number: u32,
    clock: &'a [u32],
}

impl<'a> Sequence<'a> {
    pub(crate) fn of(history: &'a History, reversal: &'a Reversal) -> Self {
        let item = |at: &usize| {
            let (event, number, clock) = (*history.event(*at), history.number(*at), history.clock(*at));
            Item { event, number, clock }
        };
        let last = Item { event: reversal.last, number: u32::MAX, clock: &reversal.last_clock };
        Self { items: reversal.kept.iter().map(item).chain([last]).collect() }
    }

    pub(crate) fn new(detached: &'a Detached) -> Self {
        let item = |(event, number, clock): &'a (Event, u32, Vec<u32>)| Item { event: *event, number: *number, clock };
        Self { items: detached.items.iter().map(item).collect() }
    }

    /// The first pick.
    pub(crate) fn first(&self) -> Pick {
        self.items[0].event.pick()
    }

    /// The picks that may come first in some equivalent sequence.
    pub(crate) fn initials(&self) -> impl Iterator<Item = &Event> {
        (0..self.items.len()).filter(|at| self.is_initial(*at)).map(|at| &self.items[at].event)
    }

    /// Whether the sequence, perhaps extended, is equivalent to one that starts with `pick` (weak initials, POPL 2014,
    /// Def. 4.1).
    pub(crate) fn starts_weakly(&self, pick: Pick, op: &Op) -> bool {
        match self.items.iter().position(|item| item.event.thread == pick.thread) {
            Some(at) => self.items[at].event.choice == pick.choice && self.is_initial(at),
            None => self.items.iter().all(|item| !wakes(pick.thread, op, item.event.thread, &item.event.op)),
        }
    }

    /// Whether one of the sleepers is a weak initial: then everything the sequence leads to has been seen.
    pub(crate) fn is_asleep(&self, sleepers: &[Sleeper]) -> bool {
        sleepers.iter().any(|sleeper| self.starts_weakly(sleeper.pick, &sleeper.op))
    }

    fn is_initial(&self, at: usize) -> bool {
        let clock = self.items[at].clock;
        self.items[..at].iter().all(|item| clock[item.event.thread.index()] < item.number)
    }

    fn remove_first_of(&mut self, pick: Pick) {
        if let Some(at) = self.items.iter().position(|item| item.event.thread == pick.thread) {
            self.items.remove(at);
        }
    }

    fn append_to(&self, mut tree: &mut Tree) -> bool {
        for item in &self.items {
            tree.branches.push(Branch { pick: item.event.pick(), op: item.event.op, below: Tree::default() });
            tree = &mut tree.branches.last_mut().expect("just pushed").below;
        }
        !self.items.is_empty()
    }
}
