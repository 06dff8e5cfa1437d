//! A search that was cut short, as it is written down, and how it goes on.
//!
//! States are numbered in the order in which they were found, whatever the visited set calls them. Jobs that were under way
//! and not settled have not happened: what they found is left out, and what they expanded is in the frontier again.
//!
// SOUND: what is written is the account of all jobs up to one and of none after it, as of a search with one thread that was
// stopped between two jobs. Every stored state was expanded or is in the frontier. Steps of jobs that are done again lead
// to the same states, which are new again; that a cover was met in one of them is true all the same.

use std::io::{self, Read, Write};

use burnside_engine::{Pause, Task};
use burnside_ir::{PropertyId, Slot, Type, UNDEFINED};
use burnside_store::{Codec, Insertion, Request, Set, StateId, hash, shard_of};

use crate::frontier::{Found, Frontier};
use crate::ledger::{Ledger, Sample, Tally};
use crate::pipeline::{Beginning, Finished};
use crate::visited::Visited;

/// In place of a number.
const NONE: u32 = u32::MAX;

/// What threads know beside the ledger.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Aside {
    /// The properties to be covered that are not.
    pub(crate) uncovered: Vec<PropertyId>,
    /// How many states were looked at twice.
    pub(crate) n_audited: u64,
}

impl Aside {
    /// Adds what others know, if there are any.
    pub(crate) fn add(&mut self, other: Option<Self>) {
        if let Some(other) = other {
            self.uncovered.retain(|property| other.uncovered.contains(property));
            self.n_audited += other.n_audited;
        }
    }
}

/// What is left of a search that was cut short.
pub(crate) struct Cut<C: Codec> {
    set: Set<C>,
    n_words: usize,
    /// All states, in the order in which they were found.
    ids: Vec<StateId>,
    tally: Tally,
    sample: Option<Sample>,
    edges: Option<Vec<(StateId, StateId)>>,
    frontier: Frontier,
    aside: Aside,
}

impl<C: Codec> Cut<C> {
    /// What a search leaves; none if it did not keep the order of states.
    pub(crate) fn new(task: &Task<'_>, finished: Finished<'_, C>, aside: Aside) -> Option<Self> {
        let Finished { ledger, visited: Visited { set, .. }, frontier, .. } = finished;
        let tally = ledger.border().clone();
        let edges = ledger.graph.as_ref().map(|graph| graph.edges(tally.n_edges).to_vec());
        let Ledger { kept, sample, .. } = *ledger;
        let mut ids = kept?;
        ids.truncate(tally.n_states as usize);
        Some(Self { set, n_words: task.layout.n_words(), ids, tally, sample, edges, frontier, aside })
    }

    /// By the number of the visited set, the number in the order of finding.
    fn numbers(&self) -> Vec<u32> {
        let bound = self.ids.iter().max().map_or(0, |last| last.index() + 1);
        let mut numbers = vec![NONE; bound];
        for (number, id) in self.ids.iter().enumerate() {
            numbers[id.index()] = number as u32;
        }
        numbers
    }
}

impl<C: Codec + 'static> Pause for Cut<C> {
    fn n_states(&self) -> u64 {
        self.ids.len() as u64
    }

    fn write(&self, to: &mut dyn Write) -> io::Result<()> {
        let mut out = Writer(to);
        out.tally(&self.tally)?;
        out.sample(self.sample)?;
        out.longs(&[self.aside.n_audited, self.aside.uncovered.len() as u64])?;
        out.ints(self.aside.uncovered.iter().map(|property| property.0))?;
        let numbers = self.numbers();
        let number = |id: StateId| numbers[id.index()];
        let mut state = vec![0; self.n_words];
        for &id in &self.ids {
            self.set.read(id, &mut state);
            out.ints([self.set.parent(id).map_or(NONE, number)])?;
            out.longs(&state)?;
        }
        if let Some(edges) = &self.edges {
            out.ints(edges.iter().flat_map(|&(from, to)| [number(from), number(to)]))?;
        }
        let pending = self.frontier.pending();
        out.longs(&[pending.len() as u64])?;
        for (depth, ids) in pending {
            out.ints([depth, ids.len() as u32])?;
            out.ints(ids.iter().copied().map(number))?;
        }
        Ok(())
    }
}

/// That what was written is no search of this task, or that there is no room for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unusable {
    Damaged,
    Full,
}

impl From<io::Error> for Unusable {
    fn from(_: io::Error) -> Self {
        Self::Damaged
    }
}

/// Puts what was written into an empty visited set and a beginning that has nothing.
pub(crate) fn go_on<C: Codec>(
    task: &Task<'_>,
    from: &mut dyn Read,
    visited: &mut Visited<C>,
    beginning: &mut Beginning<'_>,
) -> Result<Aside, Unusable> {
    let Beginning { ledger, frontier, .. } = beginning;
    let mut from = Reader(from);
    let tally = from.tally(task.model.rules.len())?;
    ledger.sample = from.sample()?;
    let (n_audited, n_uncovered) = (from.long()?, from.long()?);
    let is_property = |&it: &u32| (it as usize) < task.model.properties.len();
    let uncovered = (0..n_uncovered).map(|_| from.int().map_err(Unusable::from).and_then(|it| sane(it, is_property)));
    let uncovered = uncovered.map(|it| it.map(PropertyId)).collect::<Result<Vec<_>, _>>()?;
    let ids = states(task, &mut from, tally.n_states, visited)?;
    let known = |number: u32| ids.get(number as usize).copied().ok_or(Unusable::Damaged);
    if let Some(graph) = &mut ledger.graph {
        let full = |_| Unusable::Full;
        ids.iter().try_for_each(|&id| graph.add(None, id, true)).map_err(full)?;
        for _ in 0..tally.n_edges {
            let (source, target) = (known(from.int()?)?, known(from.int()?)?);
            graph.add(Some(source), target, false).map_err(full)?;
        }
    }
    let mut n_pending = 0;
    for _ in 0..from.long()? {
        let (depth, n_ids) = (sane(from.int()?, |&depth| depth <= tally.depth)?, from.int()?);
        let ids = (0..n_ids).map(|_| known(from.int()?)).collect::<Result<Vec<_>, _>>()?;
        n_pending += ids.len() as u64;
        frontier.push(depth, &Found { ids, words: Vec::new() }).map_err(|_| Unusable::Full)?;
    }
    if tally.n_states.checked_sub(tally.n_expanded) != Some(n_pending) || from.has_more() {
        return Err(Unusable::Damaged);
    }
    ledger.kept = Some(ids);
    ledger.tally = tally;
    Ok(Aside { uncovered, n_audited })
}

fn sane<T>(value: T, is_sane: impl Fn(&T) -> bool) -> Result<T, Unusable> {
    Some(value).filter(is_sane).ok_or(Unusable::Damaged)
}

/// Inserts all states in their order.
fn states<C: Codec>(
    task: &Task<'_>,
    from: &mut Reader<'_>,
    n_states: u64,
    visited: &mut Visited<C>,
) -> Result<Vec<StateId>, Unusable> {
    let mut ids: Vec<StateId> = Vec::new();
    let mut state = vec![0; task.layout.n_words()];
    let mut values = vec![0; task.layout.slots().len()];
    for _ in 0..n_states {
        let parent = match from.int()? {
            NONE => None,
            number => Some(*ids.get(number as usize).ok_or(Unusable::Damaged)?),
        };
        state.iter_mut().try_for_each(|word| from.long().map(|it| *word = it))?;
        if !is_state(task, &state, &mut values) {
            return Err(Unusable::Damaged);
        }
        let hash = hash(&state);
        let shard = shard_of(hash, visited.shards.len());
        match visited.shards[shard].insert(&Request { state: &state, hash, parent }) {
            Insertion::New(id) => ids.push(id),
            Insertion::Old(_) => return Err(Unusable::Damaged),
            Insertion::Full => return Err(Unusable::Full),
        }
    }
    Ok(ids)
}

/// Whether these words are a state: values of the types of all slots, and nothing beside them.
fn is_state(task: &Task<'_>, state: &[u64], values: &mut [i64]) -> bool {
    let layout = task.layout;
    layout.unpack(state, values);
    let slots = layout.slots().iter().zip(values.iter());
    let types = &task.model.types;
    // Whether an element of a multiset is there takes one bit.
    let is_presence = |slot: &Slot| matches!(types.get(slot.ty), Type::Multiset { .. });
    let fits =
        |(slot, &value): (&Slot, &i64)| value == UNDEFINED || is_presence(slot) || types.shape(slot.ty).admits(value);
    let is_clean = state.last().is_none_or(|last| match layout.n_bits() % u64::BITS {
        0 => true,
        n_used => last >> n_used == 0,
    });
    is_clean && slots.clone().all(fits)
}

/// Numbers one after the other, the lowest byte first.
struct Writer<'a>(&'a mut dyn Write);

impl Writer<'_> {
    fn longs(&mut self, numbers: &[u64]) -> io::Result<()> {
        numbers.iter().try_for_each(|number| self.0.write_all(&number.to_le_bytes()))
    }

    fn ints(&mut self, numbers: impl IntoIterator<Item = u32>) -> io::Result<()> {
        numbers.into_iter().try_for_each(|number| self.0.write_all(&number.to_le_bytes()))
    }

    fn tally(&mut self, tally: &Tally) -> io::Result<()> {
        let Tally { fired, fired_inside, rules_fired, n_states, n_expanded, n_edges, depth, cut } = tally;
        self.longs(fired)?;
        self.longs(fired_inside)?;
        self.longs(&[*rules_fired, *n_states, *n_expanded, *n_edges])?;
        self.ints([*depth, u32::from(*cut)])
    }

    fn sample(&mut self, sample: Option<Sample>) -> io::Result<()> {
        let Some(Sample { begins_at, n_sampled, n_meant }) = sample else { return self.ints([0]) };
        self.ints([1])?;
        let halves = [n_sampled, n_meant].map(|it| [it as u64, (it >> 64) as u64]);
        self.longs(&[begins_at])?;
        self.longs(halves.as_flattened())
    }
}

struct Reader<'a>(&'a mut dyn Read);

impl Reader<'_> {
    fn long(&mut self) -> io::Result<u64> {
        let mut bytes = [0; 8];
        self.0.read_exact(&mut bytes)?;
        Ok(u64::from_le_bytes(bytes))
    }

    fn int(&mut self) -> io::Result<u32> {
        let mut bytes = [0; 4];
        self.0.read_exact(&mut bytes)?;
        Ok(u32::from_le_bytes(bytes))
    }

    fn longs(&mut self, n: usize) -> io::Result<Vec<u64>> {
        (0..n).map(|_| self.long()).collect()
    }

    fn tally(&mut self, n_rules: usize) -> io::Result<Tally> {
        let (fired, fired_inside) = (self.longs(n_rules)?, self.longs(n_rules)?);
        let (rules_fired, n_states, n_expanded, n_edges) = (self.long()?, self.long()?, self.long()?, self.long()?);
        let (depth, cut) = (self.int()?, self.int()? != 0);
        Ok(Tally { fired, fired_inside, rules_fired, n_states, n_expanded, n_edges, depth, cut })
    }

    fn sample(&mut self) -> io::Result<Option<Sample>> {
        if self.int()? == 0 {
            return Ok(None);
        }
        let begins_at = self.long()?;
        let mut wide = || Ok::<u128, io::Error>(u128::from(self.long()?) | (u128::from(self.long()?) << 64));
        Ok(Some(Sample { begins_at, n_sampled: wide()?, n_meant: wide()? }))
    }

    fn has_more(&mut self) -> bool {
        self.0.read(&mut [0]).is_ok_and(|n| n > 0)
    }
}
