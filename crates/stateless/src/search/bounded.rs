//! Bounds on schedules: preemptions, and delays of a scheduler that leaves nothing to chance.
//!
//! Equivalent schedules may differ in what they cost, so what an explorer leaves out because an equivalent run exists
//! may be the only one within the bound. Searches with a bound on preemptions therefore have no sleep sets, and reverse
//! more races than others ([`Search::backtrack`]); with a bound on delays every schedule within it is explored.

use super::{Node, Patience, Search};
use crate::cursor::{Pick, preempts};
use crate::explorer::Bounds;
use crate::op::{Kind, Op, ThreadId};
use crate::relation::{Relation, relation};
use crate::set::ThreadSet;
use crate::trace::Trace;

/// What a schedule has cost up to some place.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Cost {
    pub(crate) n_preemptions: u32,
    pub(crate) n_delays: u32,
}

impl Cost {
    pub(super) fn is_within(self, bounds: &Bounds) -> bool {
        self.n_preemptions <= bounds.max_preemptions && self.n_delays <= bounds.max_delays
    }
}

impl Node {
    /// How many threads that can go on, from the one the scheduler would take in a circle, stand back for `thread`.
    fn n_delays(&self, thread: ThreadId) -> u32 {
        let Some(first) = self.first else { return 0 };
        let is_between = |other: ThreadId| match thread >= first {
            true => (first..thread).contains(&other),
            false => other >= first || other < thread,
        };
        self.enabled.iter().filter(|other| is_between(*other)).count() as u32
    }
}

impl Search {
    /// What the schedule will have cost if `thread` goes on at `place`.
    pub(super) fn cost(&self, place: usize, thread: ThreadId) -> Cost {
        let node = &self.nodes[place];
        let last = place.checked_sub(1).map(|before| self.history.event(before));
        let preemption = preempts(last, thread, &node.enabled);
        Cost {
            n_preemptions: node.cost.n_preemptions + u32::from(preemption),
            n_delays: node.cost.n_delays + node.n_delays(thread),
        }
    }

    /// Sees to it that dependent transitions are seen in every order that the bound on preemptions allows. Says whether it
    /// came to the end.
    ///
    /// SOUND: bounded partial-order reduction (Coons, Musuvathi and McKinley, OOPSLA 2013, section 4). Where a thread is
    /// to go before a transition that it races with, it is also tried at every earlier place of the same block at which
    /// the switch would be free or is made anyway, since there it may cost less. All pairs count, not only races that
    /// are not covered by others: what covers them may lie outside the bound. So do pairs that cannot be reversed, such as
    /// `unlock` and `lock`: who is stopped by a lock goes back for free. (For the end of a thread and its `join` its last
    /// transition is enough: before it the `join` is stopped everywhere.)
    pub(super) fn backtrack(&mut self, trace: &Trace, base: usize, clock: &mut Option<Patience<'_>>) -> bool {
        let pending = trace.pending.iter().enumerate().filter(|(_, op)| **op != Op::NONE);
        let pending: Vec<(ThreadId, Op)> = pending.map(|(thread, op)| (ThreadId::from(thread), *op)).collect();
        for place in 0..trace.events.len() {
            let earlier = trace.events[place];
            let new = trace.events[base.max(place + 1).min(trace.events.len())..].iter();
            let later = new.map(|event| (event.thread, event.op)).chain(pending.iter().copied());
            let is_last = || trace.events[place + 1..].iter().all(|event| event.thread != earlier.thread);
            let matters = |(thread, op): &(ThreadId, Op)| match relation(earlier.thread, &earlier.op, *thread, op) {
                _ if *thread == earlier.thread => false,
                Relation::Independent => false,
                Relation::Ordered => op.kind != Kind::Join || is_last(),
                Relation::Race => true,
            };
            let racing: ThreadSet = later.filter(matters).map(|(thread, _)| thread).collect();
            if !racing.is_empty() {
                for at in self.switches(place) {
                    racing.iter().for_each(|thread| self.try_at(at, thread));
                }
            }
            if Patience::is_over(clock, trace.events.len() - place) {
                return false;
            }
        }
        true
    }

    /// This place, and those before it in the same block at which a switch costs no more than what was done there.
    fn switches(&self, place: usize) -> Vec<usize> {
        let thread = self.history.event(place).thread;
        let mut places = vec![place];
        let mut at = place;
        loop {
            let before = at.checked_sub(1).map(|before| self.history.event(before));
            let is_switch = before.is_none_or(|event| event.thread != thread || event.op.kind.offers_processor());
            if is_switch && at != place {
                places.push(at);
            }
            match before {
                Some(event) if event.thread == thread => at -= 1,
                _ => return places,
            }
        }
    }

    /// Puts `thread` into what is left to explore at `place`; everything that is enabled if it is not.
    fn try_at(&mut self, place: usize, thread: ThreadId) {
        let all = !self.nodes[place].enabled.contains(thread);
        let labels = self.nodes[place].labels.clone();
        for (thread, op) in labels.into_iter().filter(|(other, _)| all || *other == thread) {
            for choice in 0..op.n_choices() {
                self.try_pick(place, Pick { thread, choice }, op);
            }
        }
    }

    /// Puts a pick into what is left to explore, unless it has been explored or costs too much.
    pub(super) fn try_pick(&mut self, place: usize, pick: Pick, op: Op) {
        let is_under_way = self.history.events().get(place).is_some_and(|event| event.pick() == pick);
        let is_done = self.nodes[place].done.iter().any(|sleeper| sleeper.pick == pick);
        if !is_under_way && !is_done && self.cost(place, pick.thread).is_within(&self.bounds) {
            self.nodes[place].todo.add(pick, op);
        }
    }
}
