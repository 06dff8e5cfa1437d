//! Reduced graphs with the condition on cycles made true afterwards.
//!
//! A reduction may put an instance off for ever by going round a cycle without it. So every cycle needs a node in which
//! everything was fired. Instead of looking at a search's stack, the graph is made without the condition; then, in every
//! component of the rest without such nodes, the node found first is expanded in full; and so on until none is left.

use std::collections::VecDeque;

use crate::scc::for_each_component;

/// Which nodes must have everything fired.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Condition {
    /// One on every cycle: for properties of infinite executions.
    Cycles,
    /// One in every component that nothing leaves: for what is reached. What was put off stays enabled on the way there.
    BottomComponents,
    /// None: for deadlocks.
    Nothing,
}

/// What firing in a node gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expansion {
    /// The nodes that were reached, as the caller numbers them: new ones with the next free numbers.
    pub targets: Vec<u32>,
    /// Whether everything that is enabled was fired.
    pub is_full: bool,
}

/// A reduced graph. Nodes are numbered in the order in which they are found.
#[derive(Clone, Debug, Default)]
pub struct Reduced {
    /// The targets of each node.
    pub targets: Vec<Vec<u32>>,
    is_full: Vec<bool>,
    n_edges: usize,
}

/// Searches breadth first from the roots; `expand` fires a reduced set in a node or, if asked to, everything.
///
/// Nodes are numbered by the caller from 0 on in the order in which `expand` first gives them, the roots first.
pub fn reduce(roots: &[u32], condition: Condition, mut expand: impl FnMut(u32, bool) -> Expansion) -> Reduced {
    let mut graph = Reduced::default();
    let mut todo: VecDeque<(u32, bool)> = roots.iter().map(|&root| (root, false)).collect();
    let mut n_known = roots.iter().max().map_or(0, |last| last + 1);
    loop {
        while let Some((node, everything)) = todo.pop_front() {
            let Expansion { targets, is_full } = expand(node, everything);
            for &target in &targets {
                if target >= n_known {
                    n_known = target + 1;
                    todo.push_back((target, false));
                }
            }
            graph.store(node, targets, is_full);
        }
        todo.extend(graph.nodes_to_expand(condition).into_iter().map(|node| (node, true)));
        if todo.is_empty() {
            return graph;
        }
    }
}

impl Reduced {
    /// Adds steps of a node. `is_full`: with those added before, these are all there are.
    pub fn store(&mut self, node: u32, targets: Vec<u32>, is_full: bool) {
        let at = node as usize;
        if self.targets.len() <= at {
            self.targets.resize(at + 1, Vec::new());
            self.is_full.resize(at + 1, false);
        }
        self.is_full[at] = is_full;
        self.n_edges += targets.len();
        if self.targets[at].is_empty() { self.targets[at] = targets } else { self.targets[at].extend(targets) }
    }

    /// Whether everything was fired in a node.
    pub fn is_full(&self, node: u32) -> bool {
        self.is_full.get(node as usize).is_some_and(|&is_full| is_full)
    }

    /// How much memory it takes.
    pub fn bytes(&self) -> u64 {
        (self.targets.capacity() * (size_of::<Vec<u32>>() + 1) + self.n_edges * size_of::<u32>()) as u64
    }

    /// One node of each component that breaks the condition: the one found first. In ascending order.
    pub fn nodes_to_expand(&self, condition: Condition) -> Vec<u32> {
        let is_left = |node: u32| condition != Condition::Cycles || !self.is_full(node);
        let graph = |node: u32, out: &mut Vec<u32>| {
            out.extend(self.targets[node as usize].iter().copied().filter(|&target| is_left(target)));
        };
        let starts: Vec<u32> = (0..self.targets.len() as u32).filter(|&node| is_left(node)).collect();
        // By node, the number of its component: what a component leads to has one before it does.
        let mut component_of = vec![u32::MAX; self.targets.len()];
        let mut number = 0;
        let mut chosen = Vec::new();
        for_each_component(&starts, graph, |nodes, has_cycle| {
            nodes.iter().for_each(|&node| component_of[node as usize] = number);
            let is_bad = has_cycle
                && match condition {
                    Condition::Nothing => false,
                    Condition::Cycles => true,
                    Condition::BottomComponents => {
                        let mut targets = nodes.iter().flat_map(|&node| &self.targets[node as usize]);
                        targets.all(|&target| component_of[target as usize] == number)
                            && !nodes.iter().any(|&node| self.is_full(node))
                    }
                };
            if is_bad {
                chosen.extend(nodes.iter().min());
            }
            number += 1;
        });
        chosen.sort_unstable();
        chosen
    }
}
