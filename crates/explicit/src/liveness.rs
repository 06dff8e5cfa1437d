//! AG EF properties: from every reachable state, one that satisfies the condition can be reached.
//!
//! The states from which such a state can be reached are found by going backward over all steps of the search; the
//! first state (in search order, so nearest to a start state in breadth-first search) outside violates the property.

use std::collections::TryReserveError;

use burnside_engine::{Breach, Shortfall, Task};
use burnside_interp::Interpreter;
use burnside_ir::{PropertyId, PropertyKind, TypeId};
use burnside_store::{Codec, Set, StateId};

/// The stored states in the order in which they were found, and the steps between them.
#[derive(Debug, Default)]
pub(crate) struct Graph {
    states: Vec<StateId>,
    edges: Vec<(StateId, StateId)>,
}

impl Graph {
    pub(crate) fn add(&mut self, from: Option<StateId>, to: StateId, is_new: bool) -> Result<(), TryReserveError> {
        if is_new {
            self.states.try_reserve(1)?;
            self.states.push(to);
        }
        if let Some(from) = from.filter(|&from| from != to) {
            self.edges.try_reserve(1)?;
            self.edges.push((from, to));
        }
        Ok(())
    }

    /// How many steps it has.
    pub(crate) fn n_edges(&self) -> u64 {
        self.edges.len() as u64
    }

    /// The first so many steps.
    pub(crate) fn edges(&self, n: u64) -> &[(StateId, StateId)] {
        &self.edges[..n as usize]
    }

    pub(crate) fn bytes(&self) -> u64 {
        let states = self.states.capacity() * size_of::<StateId>();
        (states + self.edges.capacity() * size_of::<(StateId, StateId)>()) as u64
    }
}

/// The first state that violates a liveness property, if there is one.
///
/// Quantifiers over the `strict` types are evaluated for every value, as they are in the search: otherwise whether one
/// faults would depend on which state stands for its orbit.
pub(crate) fn check<C: Codec>(
    (task, reduces): (&Task<'_>, bool),
    set: &Set<C>,
    graph: &Graph,
    strict: &[TypeId],
) -> Result<Option<(StateId, Breach)>, Shortfall> {
    let mut interpreter = Interpreter::new(task.model, task.layout, task.step_limits).strict(strict);
    let backward = Backward::new(graph).map_err(|_| Shortfall::Memory)?;
    for property in task.properties(PropertyKind::Liveness) {
        // SOUND: under reduction an instance is about one identity, and which one it is changes along steps; `claims` follows
        // it.
        if reduces && !task.model.property(property).binders.is_empty() {
            continue;
        }
        let instances = match satisfying(task, set, (graph, property), &mut interpreter) {
            Ok(instances) => instances,
            Err((state, breach)) => return Ok(Some((state, breach))),
        };
        for (args, mut reaching) in instances {
            backward.close(&mut reaching);
            if let Some(at) = reaching.iter().position(|&reaches| !reaches) {
                return Ok(Some((graph.states[at], Breach::Liveness(property, args))));
            }
        }
    }
    Ok(None)
}

/// Parameters of an instance and, by position of the state in search order, where its condition holds.
type Instance = (Vec<i64>, Vec<bool>);

/// Where each instance of the property holds, or the state in which it faults.
fn satisfying<C: Codec>(
    task: &Task<'_>,
    set: &Set<C>,
    (graph, property): (&Graph, PropertyId),
    interpreter: &mut Interpreter<'_>,
) -> Result<Vec<Instance>, (StateId, Breach)> {
    let mut packed = vec![0; task.layout.n_words()];
    let mut values = vec![0; task.layout.slots().len()];
    let mut instances: Vec<Instance> = Vec::new();
    for (at, &state) in graph.states.iter().enumerate() {
        set.read(state, &mut packed);
        task.layout.unpack(&packed, &mut values);
        let mut number = 0;
        let end = interpreter.instances(&values, property, |args, holds| {
            if number == instances.len() {
                instances.push((args.to_vec(), vec![false; graph.states.len()]));
            }
            instances[number].1[at] = holds;
            number += 1;
        });
        end.map_err(|fault| (state, Breach::PropertyFault(property, fault)))?;
    }
    Ok(instances)
}

/// Predecessors of every state, in one array. States are given by their position in search order.
struct Backward {
    /// The predecessors of state `i` are `sources[starts[i]..starts[i + 1]]`.
    starts: Vec<usize>,
    sources: Vec<u32>,
}

impl Backward {
    fn new(graph: &Graph) -> Result<Self, TryReserveError> {
        let position = positions(&graph.states)?;
        let mut starts: Vec<usize> = zeros(graph.states.len() + 1)?;
        let mut sources: Vec<u32> = zeros(graph.edges.len())?;
        for (_, to) in &graph.edges {
            starts[position[to.index()] as usize] += 1;
        }
        let mut total = 0;
        for start in &mut starts {
            total += *start;
            *start = total;
        }
        for (from, to) in &graph.edges {
            let start = &mut starts[position[to.index()] as usize];
            *start -= 1;
            sources[*start] = position[from.index()];
        }
        Ok(Self { starts, sources })
    }

    /// Adds every state from which a marked one can be reached.
    fn close(&self, marked: &mut [bool]) {
        let mut pending: Vec<usize> = (0..marked.len()).filter(|&state| marked[state]).collect();
        while let Some(state) = pending.pop() {
            for &source in &self.sources[self.starts[state]..self.starts[state + 1]] {
                let source = source as usize;
                if !std::mem::replace(&mut marked[source], true) {
                    pending.push(source);
                }
            }
        }
    }
}

/// The position of each state in the search order, by its number. With several shards, numbers have gaps.
fn positions(states: &[StateId]) -> Result<Vec<u32>, TryReserveError> {
    let bound = states.iter().max().map_or(0, |last| last.index() + 1);
    let mut positions: Vec<u32> = zeros(bound)?;
    for (at, state) in states.iter().enumerate() {
        positions[state.index()] = at as u32;
    }
    Ok(positions)
}

fn zeros<T: Copy + Default>(n: usize) -> Result<Vec<T>, TryReserveError> {
    let mut zeros = Vec::new();
    zeros.try_reserve_exact(n)?;
    zeros.resize(n, T::default());
    Ok(zeros)
}
