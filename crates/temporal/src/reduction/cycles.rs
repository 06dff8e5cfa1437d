//! Reduced graphs with the condition on cycles made true afterwards.
//!
//! A reduction may put an instance off for ever by going round a cycle without it. So every cycle needs a node in which
//! everything was fired. Instead of looking at a search's stack, the graph is made without the condition; then, in every
//! component of the rest without such nodes, the node found first is expanded in full; and so on until none is left.

use std::collections::VecDeque;

use crate::scc::components;

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

/// A reduced graph.
#[derive(Clone, Debug, Default)]
pub struct Reduced {
    /// The targets of each node.
    pub targets: Vec<Vec<u32>>,
    is_full: Vec<bool>,
    /// The order in which nodes were first expanded.
    order: Vec<usize>,
}

/// Searches breadth first from the roots; `expand` fires a reduced set in a node or, if asked to, everything.
///
/// Nodes are numbered by the caller from 0 on in the order in which `expand` first gives them, the roots first.
pub fn reduce(roots: &[u32], condition: Condition, mut expand: impl FnMut(u32, bool) -> Expansion) -> Reduced {
    let mut graph = Reduced::default();
    let mut todo: VecDeque<u32> = roots.iter().copied().collect();
    let mut n_known = roots.iter().max().map_or(0, |last| last + 1);
    let mut n_expanded = 0;
    loop {
        while let Some(node) = todo.pop_front() {
            let expansion = expand(node, false);
            graph.store(node, expansion, &mut todo, &mut n_known);
            graph.order[node as usize] = n_expanded;
            n_expanded += 1;
        }
        let chosen = graph.nodes_to_expand(roots, condition);
        if chosen.is_empty() {
            return graph;
        }
        for node in chosen {
            let expansion = expand(node, true);
            graph.store(node, expansion, &mut todo, &mut n_known);
        }
    }
}

impl Reduced {
    fn store(&mut self, node: u32, expansion: Expansion, todo: &mut VecDeque<u32>, n_known: &mut u32) {
        let at = node as usize;
        if self.targets.len() <= at {
            self.targets.resize(at + 1, Vec::new());
            self.is_full.resize(at + 1, false);
            self.order.resize(at + 1, usize::MAX);
        }
        for &target in &expansion.targets {
            if target >= *n_known {
                *n_known = target + 1;
                todo.push_back(target);
            }
        }
        self.is_full[at] = expansion.is_full;
        self.targets[at] = expansion.targets;
    }

    /// One node of each component that breaks the condition: the one found first.
    fn nodes_to_expand(&self, roots: &[u32], condition: Condition) -> Vec<u32> {
        let is_bad = |nodes: &[u32]| match condition {
            Condition::Nothing => false,
            Condition::Cycles => true,
            Condition::BottomComponents => {
                let mut targets = nodes.iter().flat_map(|&node| &self.targets[node as usize]);
                targets.all(|target| nodes.contains(target)) && !nodes.iter().any(|&node| self.is_full[node as usize])
            }
        };
        let is_left = |node: u32| condition != Condition::Cycles || !self.is_full[node as usize];
        let graph = |node: u32, out: &mut Vec<u32>| {
            out.extend(self.targets[node as usize].iter().copied().filter(|&target| is_left(target)));
        };
        let starts: Vec<u32> = match condition {
            Condition::Cycles => (0..self.targets.len() as u32).filter(|&node| is_left(node)).collect(),
            _ => roots.to_vec(),
        };
        let bad = components(&starts, graph).into_iter().filter(|component| component.has_cycle);
        let bad = bad.filter(|component| is_bad(&component.nodes));
        let first = |nodes: &[u32]| nodes.iter().copied().min_by_key(|&node| self.order[node as usize]);
        let mut chosen: Vec<u32> = bad.filter_map(|component| first(&component.nodes)).collect();
        chosen.sort_unstable_by_key(|&node| self.order[node as usize]);
        chosen
    }
}
