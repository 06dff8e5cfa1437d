//! States stored but not yet expanded, in the order of expansion.

use std::collections::{TryReserveError, VecDeque};

use burnside_engine::SearchOrder;
use burnside_store::StateId;

/// Most states in one piece of a queue.
const SEGMENT_LEN: usize = 4096;

/// States at the same depth.
#[derive(Debug, Default)]
pub(crate) struct Found {
    pub(crate) ids: Vec<StateId>,
    /// The states themselves, one after the other, if the visited set cannot give them back.
    pub(crate) words: Vec<u64>,
}

impl Found {
    pub(crate) fn clear(&mut self) {
        self.ids.clear();
        self.words.clear();
    }

    fn append(&mut self, found: &Self) -> Result<(), TryReserveError> {
        self.ids.try_reserve(found.ids.len())?;
        self.words.try_reserve(found.words.len())?;
        self.ids.extend_from_slice(&found.ids);
        self.words.extend_from_slice(&found.words);
        Ok(())
    }
}

/// Which state is expanded next.
#[derive(Debug)]
pub(crate) enum Frontier {
    /// The one found first: breadth-first search.
    Queue(Queue),
    /// The one found last: depth-first search.
    Stack(Stack),
}

impl Frontier {
    pub(crate) fn new(order: SearchOrder) -> Self {
        match order {
            SearchOrder::BreadthFirst => Self::Queue(Queue::default()),
            SearchOrder::DepthFirst => Self::Stack(Stack::default()),
        }
    }

    /// States with their depths, the first of which is expanded first.
    pub(crate) fn of(order: SearchOrder, states: &[(StateId, u32)]) -> Self {
        let mut frontier = Self::new(order);
        let mut push = |&(state, depth): &(StateId, u32)| {
            let found = Found { ids: vec![state], words: Vec::new() };
            frontier.push(depth, &found).expect("there was room for them before");
        };
        match order {
            SearchOrder::BreadthFirst => states.iter().for_each(&mut push),
            SearchOrder::DepthFirst => states.iter().rev().for_each(&mut push),
        }
        frontier
    }

    pub(crate) fn push(&mut self, depth: u32, found: &Found) -> Result<(), TryReserveError> {
        match self {
            Self::Queue(queue) => queue.push(depth, found),
            Self::Stack(stack) => stack.push(depth, found),
        }
    }

    /// Moves up to `n` states, at least one, to the empty `taken` and returns their depth.
    pub(crate) fn take(&mut self, n: usize, taken: &mut Found) -> Option<u32> {
        match self {
            Self::Queue(queue) => queue.take(n, taken),
            Self::Stack(stack) => stack.take(taken),
        }
    }

    /// Puts states back that were taken last and are the next to be taken again.
    pub(crate) fn put_back(&mut self, depth: u32, taken: Found) {
        match self {
            Self::Queue(queue) => queue.put_back(depth, taken),
            Self::Stack(stack) => stack.push(depth, &taken).expect("there was room before"),
        }
    }

    /// All states, with their depths, in the order in which they would have to be pushed.
    pub(crate) fn pending(&self) -> Vec<(u32, &[StateId])> {
        match self {
            Self::Queue(queue) => queue.segments.iter().map(|it| (it.depth, &it.found.ids[it.n_taken..])).collect(),
            Self::Stack(stack) => {
                let same_depth = |one: &u32, other: &u32| one == other;
                let mut at = 0;
                let runs = stack.depths.chunk_by(same_depth).map(|run| {
                    at += run.len();
                    (run[0], &stack.found.ids[at - run.len()..at])
                });
                runs.collect()
            }
        }
    }

    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Queue(queue) => queue.len,
            Self::Stack(stack) => stack.depths.len(),
        }
    }
}

/// A queue in pieces, so that memory is given back as states leave it.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    segments: VecDeque<Segment>,
    len: usize,
}

#[derive(Debug)]
struct Segment {
    depth: u32,
    found: Found,
    /// How many of `found` were taken.
    n_taken: usize,
}

impl Queue {
    fn push(&mut self, depth: u32, found: &Found) -> Result<(), TryReserveError> {
        if found.ids.is_empty() {
            return Ok(());
        }
        let has_room = |last: &Segment| last.depth == depth && last.found.ids.len() < SEGMENT_LEN;
        if !self.segments.back().is_some_and(has_room) {
            self.segments.try_reserve(1)?;
            self.segments.push_back(Segment { depth, found: Found::default(), n_taken: 0 });
        }
        self.segments.back_mut().expect("just made").found.append(found)?;
        self.len += found.ids.len();
        Ok(())
    }

    fn put_back(&mut self, depth: u32, taken: Found) {
        if !taken.ids.is_empty() {
            self.len += taken.ids.len();
            self.segments.push_front(Segment { depth, found: taken, n_taken: 0 });
        }
    }

    fn take(&mut self, n: usize, taken: &mut Found) -> Option<u32> {
        let segment = self.segments.front_mut()?;
        let Found { ids, words } = &segment.found;
        let (start, end) = (segment.n_taken, ids.len().min(segment.n_taken + n));
        let n_words = words.len() / ids.len();
        taken.ids.extend_from_slice(&ids[start..end]);
        taken.words.extend_from_slice(&words[start * n_words..end * n_words]);
        segment.n_taken = end;
        self.len -= end - start;
        let depth = segment.depth;
        if end == ids.len() {
            self.segments.pop_front();
        }
        Some(depth)
    }
}

/// A stack of states with their depths.
#[derive(Debug, Default)]
pub(crate) struct Stack {
    found: Found,
    depths: Vec<u32>,
}

impl Stack {
    fn push(&mut self, depth: u32, found: &Found) -> Result<(), TryReserveError> {
        self.found.append(found)?;
        self.depths.try_reserve(found.ids.len())?;
        self.depths.resize(self.found.ids.len(), depth);
        Ok(())
    }

    /// Takes one state: the next one must be found by expanding it.
    fn take(&mut self, taken: &mut Found) -> Option<u32> {
        let n_words = self.found.words.len() / self.depths.len().max(1);
        let depth = self.depths.pop()?;
        taken.ids.extend(self.found.ids.pop());
        taken.words.extend(self.found.words.drain(self.found.words.len() - n_words..));
        Some(depth)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(ids: std::ops::Range<u32>) -> Found {
        let words = ids.clone().flat_map(|id| [u64::from(id), 7]).collect();
        Found { ids: ids.map(StateId).collect(), words }
    }

    fn drain(frontier: &mut Frontier, n: usize) -> Vec<(u32, Vec<u32>)> {
        let mut all = Vec::new();
        let mut taken = Found::default();
        while let Some(depth) = frontier.take(n, &mut taken) {
            let ids: Vec<u32> = taken.ids.iter().map(|id| id.0).collect();
            let words: Vec<u64> = ids.iter().flat_map(|&id| [u64::from(id), 7]).collect();
            assert_eq!(taken.words, words);
            all.push((depth, ids));
            taken.clear();
        }
        assert_eq!(frontier.len(), 0);
        all
    }

    #[test]
    fn a_queue_gives_back_in_order_and_never_mixes_depths() {
        let mut queue = Frontier::new(SearchOrder::BreadthFirst);
        for (depth, ids) in [(0, 0..2), (1, 2..3), (1, 3..3), (1, 3..7), (2, 7..8)] {
            queue.push(depth, &found(ids)).expect("memory");
        }
        assert_eq!(queue.len(), 8);
        let expected = vec![(0, vec![0, 1]), (1, vec![2, 3, 4]), (1, vec![5, 6]), (2, vec![7])];
        assert_eq!(drain(&mut queue, 3), expected);
    }

    #[test]
    fn what_is_pending_makes_the_same_frontier_again() {
        for order in [SearchOrder::BreadthFirst, SearchOrder::DepthFirst] {
            let mut frontier = Frontier::new(order);
            for (depth, ids) in [(0, 0..2), (1, 2..6), (2, 6..8), (1, 8..9)] {
                frontier.push(depth, &found(ids)).expect("memory");
            }
            let mut taken = Found::default();
            let depth = frontier.take(1, &mut taken).expect("there are states");
            frontier.put_back(depth, taken);
            let mut again = Frontier::new(order);
            for (depth, ids) in frontier.pending() {
                let words = ids.iter().flat_map(|id| [u64::from(id.0), 7]).collect();
                again.push(depth, &Found { ids: ids.to_vec(), words }).expect("memory");
            }
            assert_eq!(again.len(), frontier.len());
            assert_eq!(drain(&mut again, 1), drain(&mut frontier, 1));
        }
    }

    #[test]
    fn a_stack_gives_back_the_last_one() {
        let mut stack = Frontier::new(SearchOrder::DepthFirst);
        stack.push(0, &found(0..2)).expect("memory");
        stack.push(1, &found(2..4)).expect("memory");
        assert_eq!(stack.len(), 4);
        assert_eq!(drain(&mut stack, 3), vec![(1, vec![3]), (1, vec![2]), (0, vec![1]), (0, vec![0])]);
    }
}
