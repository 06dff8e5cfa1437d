//! The graph of states and steps, small enough to be looked at.

use std::collections::HashMap;

use burnside_engine::{Breach, Task};
use burnside_ir::RuleId;
use burnside_symmetry::{Reduction, Strategy, Symmetry};

use crate::choices::{Choice, Event, Guide};

/// Which states are nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GraphKind {
    /// Every reachable state.
    Full,
    /// One state for each orbit of the proved symmetry.
    Quotient,
}

/// States and the steps between them, in the order in which a breadth-first search meets them.
#[derive(Debug)]
pub struct Graph {
    /// The states, packed.
    pub states: Vec<Box<[u64]>>,
    /// Numbers of those that are start states.
    pub starts: Vec<usize>,
    /// The steps.
    pub edges: Vec<Edge>,
    /// What is wrong in states, or in steps from them, by the number of the state.
    pub breaches: Vec<(usize, Breach)>,
    /// Whether there are more states than were allowed.
    pub is_cut: bool,
}

/// A step. In a quotient, it leads to the state that stands for where the rule leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edge {
    /// The number of the state it starts from.
    pub from: usize,
    /// The rule.
    pub rule: RuleId,
    /// Its parameters.
    pub args: Vec<i64>,
    /// The number of the state it leads to.
    pub to: usize,
}

/// The graph of a model with at most so many states.
pub fn graph(task: &Task<'_>, kind: GraphKind, most_states: usize) -> Graph {
    let symmetry = (kind == GraphKind::Quotient).then(|| Symmetry::find(task.model));
    let reduction = symmetry
        .filter(|symmetry| !symmetry.is_trivial())
        .map(|symmetry| Reduction::new(task.model, task.layout, &symmetry, Strategy::Refine));
    let mut canonicaliser = reduction.as_ref().map(Reduction::exact);
    let graph =
        Graph { states: Vec::new(), starts: Vec::new(), edges: Vec::new(), breaches: Vec::new(), is_cut: false };
    let mut builder = Builder { graph, numbers: HashMap::new(), most_states };
    let mut stand_in = |mut state: Box<[u64]>| {
        if let Some(canonicaliser) = &mut canonicaliser {
            canonicaliser.canonicalise(&mut state);
        }
        state
    };
    let mut guide = Guide::new(task);
    for Choice { end, breach, .. } in guide.starts() {
        let Ok(state) = end else { continue };
        if let Some(number) = builder.number(stand_in(state), breach)
            && !builder.graph.starts.contains(&number)
        {
            builder.graph.starts.push(number);
        }
    }
    let mut next = 0;
    while next < builder.graph.states.len() {
        let state = builder.graph.states[next].clone();
        if guide.is_deadlock(&state, usize::from(!builder.graph.starts.contains(&next))) {
            builder.graph.breaches.push((next, Breach::Deadlock));
        }
        for Choice { event, end, breach } in guide.choices(&state) {
            let Event::Rule(rule, args) = event else { continue };
            match end {
                Ok(state) => {
                    let to = builder.number(stand_in(state), breach);
                    builder.graph.edges.extend(to.map(|to| Edge { from: next, rule, args, to }));
                }
                Err(_) => builder.graph.breaches.extend(breach.map(|breach| (next, breach))),
            }
        }
        next += 1;
    }
    builder.graph
}

struct Builder {
    graph: Graph,
    numbers: HashMap<Box<[u64]>, usize>,
    most_states: usize,
}

impl Builder {
    /// The number of a state, if there is room for it.
    fn number(&mut self, state: Box<[u64]>, breach: Option<Breach>) -> Option<usize> {
        if let Some(&number) = self.numbers.get(&state) {
            return Some(number);
        }
        let number = self.graph.states.len();
        if number == self.most_states {
            self.graph.is_cut = true;
            return None;
        }
        self.numbers.insert(state.clone(), number);
        self.graph.states.push(state);
        self.graph.breaches.extend(breach.map(|breach| (number, breach)));
        Some(number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Language, LoadOptions, load};

    const TWO: &str = "type P: scalarset(2); var x: array [P] of boolean;
        startstate for p: P do x[p] := false; end; end;
        ruleset p: P do rule \"on\" !x[p] ==> begin x[p] := true; end; end;";

    #[test]
    fn a_quotient_has_one_state_for_each_orbit() {
        let prepared = load("m.m", TWO, Language::Murphi, &LoadOptions::default()).prepared.expect("a good model");
        let task = Task::new(&prepared.model, &prepared.layout);
        let full = graph(&task, GraphKind::Full, 100);
        assert_eq!((full.states.len(), full.edges.len(), full.is_cut), (4, 4, false));
        let quotient = graph(&task, GraphKind::Quotient, 100);
        assert_eq!((quotient.states.len(), quotient.edges.len()), (3, 3));
        // Both end where nothing leads on.
        assert_eq!((full.breaches.len(), quotient.breaches.len()), (1, 1));
        let cut = graph(&task, GraphKind::Full, 2);
        assert_eq!((cut.states.len(), cut.is_cut), (2, true));
    }
}
