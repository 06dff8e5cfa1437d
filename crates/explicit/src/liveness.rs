//! AG EF properties: from every reachable state, one that satisfies the condition can be reached.
//!
//! The states from which such a state can be reached are found by going backward over all steps of the search; the
//! first state (in search order, so nearest to a start state in breadth-first search) outside violates the property.

use std::collections::TryReserveError;

use burnside_engine::{Breach, Shortfall, Task};
use burnside_interp::Interpreter;
use burnside_ir::{PropertyId, PropertyKind};

use crate::visited::{StateId, Visited};

/// Steps between stored states.
#[derive(Debug, Default)]
pub(crate) struct Edges(Vec<(StateId, StateId)>);

impl Edges {
    pub(crate) fn add(&mut self, from: StateId, to: StateId) -> Result<(), TryReserveError> {
        if from != to {
            self.0.try_reserve(1)?;
            self.0.push((from, to));
        }
        Ok(())
    }

    pub(crate) fn bytes(&self) -> u64 {
        (self.0.capacity() * size_of::<(StateId, StateId)>()) as u64
    }
}

/// The first state that violates a liveness property, if there is one.
pub(crate) fn check(task: &Task<'_>, visited: &Visited, edges: &Edges) -> Result<Option<(StateId, Breach)>, Shortfall> {
    let backward = Backward::new(visited.len(), edges).map_err(|_| Shortfall::Memory)?;
    for property in task.properties(PropertyKind::Liveness) {
        let instances = match satisfying(task, visited, property) {
            Ok(instances) => instances,
            Err((state, breach)) => return Ok(Some((state, breach))),
        };
        for (args, mut reaching) in instances {
            backward.close(&mut reaching);
            if let Some(state) = reaching.iter().position(|&reaches| !reaches) {
                return Ok(Some((StateId(state as u32), Breach::Liveness(property, args))));
            }
        }
    }
    Ok(None)
}

/// Parameters of an instance and, by state number, where its condition holds.
type Instance = (Vec<i64>, Vec<bool>);

/// Where each instance of the property holds, or the state in which it faults.
fn satisfying(task: &Task<'_>, visited: &Visited, property: PropertyId) -> Result<Vec<Instance>, (StateId, Breach)> {
    let mut interpreter = Interpreter::new(task.model, task.layout, task.step_limits);
    let mut values = vec![0; task.layout.slots().len()];
    let mut instances: Vec<Instance> = Vec::new();
    for state in visited.ids() {
        task.layout.unpack(visited.get(state), &mut values);
        let mut number = 0;
        let end = interpreter.instances(&values, property, |args, holds| {
            if number == instances.len() {
                instances.push((args.to_vec(), vec![false; visited.len()]));
            }
            instances[number].1[state.0 as usize] = holds;
            number += 1;
        });
        end.map_err(|fault| (state, Breach::PropertyFault(property, fault)))?;
    }
    Ok(instances)
}

/// Predecessors of every state, in one array.
struct Backward {
    /// The predecessors of state `i` are `sources[starts[i]..starts[i + 1]]`.
    starts: Vec<u32>,
    sources: Vec<StateId>,
}

impl Backward {
    fn new(n_states: usize, edges: &Edges) -> Result<Self, TryReserveError> {
        let mut sources = Vec::new();
        sources.try_reserve_exact(edges.0.len())?;
        sources.resize(edges.0.len(), StateId(0));
        let mut starts = Vec::new();
        starts.try_reserve_exact(n_states + 1)?;
        starts.resize(n_states + 1, 0_u32);
        for (_, to) in &edges.0 {
            starts[to.0 as usize] += 1;
        }
        let mut total = 0;
        for start in &mut starts {
            total += *start;
            *start = total;
        }
        for (from, to) in &edges.0 {
            let start = &mut starts[to.0 as usize];
            *start -= 1;
            sources[*start as usize] = *from;
        }
        Ok(Self { starts, sources })
    }

    /// Adds every state from which a marked one can be reached.
    fn close(&self, marked: &mut [bool]) {
        let mut pending: Vec<usize> = (0..marked.len()).filter(|&state| marked[state]).collect();
        while let Some(state) = pending.pop() {
            for source in &self.sources[self.starts[state] as usize..self.starts[state + 1] as usize] {
                let source = source.0 as usize;
                if !std::mem::replace(&mut marked[source], true) {
                    pending.push(source);
                }
            }
        }
    }
}
