//! Smaller automata with the same language.
//!
//! Every step keeps the language for a reason of its own, given there; none depends on names or numbers of propositions.

use rustc_hash::FxHashMap;

use super::{Automaton, AutomatonEdge, Colours};

impl Automaton {
    /// Applies all reductions until none changes anything.
    pub(super) fn reduce(&mut self) {
        loop {
            let before = self.clone();
            self.drop_hopeless_states();
            self.normalise_colours();
            self.drop_colours();
            self.merge_equal_states();
            self.reduce_by_simulation();
            if *self == before {
                return;
            }
        }
    }

    /// Keeps the states that are reachable and reach an accepting component.
    ///
    /// SOUND: an accepting run stays in states from which an accepting component is reachable, since it ends in one.
    fn drop_hopeless_states(&mut self) {
        let mut hopeful = vec![false; self.n_states()];
        let mut is_reachable = vec![false; self.n_states()];
        for component in self.components() {
            let leads_on = |&state: &u32| self.edges(state).iter().any(|edge| hopeful[edge.target as usize]);
            let keep = self.is_accepting(&component) || component.nodes.iter().any(leads_on);
            for &state in &component.nodes {
                hopeful[state as usize] = keep;
                is_reachable[state as usize] = true;
            }
        }
        hopeful[0] = true;
        let keep: Vec<bool> = hopeful.iter().zip(&is_reachable).map(|(hope, reach)| *hope && *reach).collect();
        self.keep_states(&keep);
    }

    /// Removes all other states and the edges to them. State 0 must stay.
    fn keep_states(&mut self, keep: &[bool]) {
        let mut numbers = vec![None; keep.len()];
        let kept = (0..keep.len()).filter(|&state| keep[state]);
        kept.enumerate().for_each(|(number, state)| numbers[state] = Some(number as u32));
        let renumber = |edge: &AutomatonEdge| Some(AutomatonEdge { target: numbers[edge.target as usize]?, ..*edge });
        let kept = self.edges.iter().zip(keep).filter(|(_, keep)| **keep);
        self.edges = kept.map(|(edges, _)| edges.iter().filter_map(renumber).collect()).collect();
    }

    /// Gives colours one form where they do not matter.
    ///
    /// SOUND: a run has infinitely many edges only inside one component, so an edge between components may have any
    /// colours, here none; so may the edges of a component that lacks a colour altogether, where no run is accepted. If
    /// without the edges of a colour a component has no cycle, every run that stays has the colour infinitely often, so
    /// all its edges may have it.
    fn normalise_colours(&mut self) {
        let all = self.all_colours();
        for component in self.components() {
            let is_accepting = self.is_accepting(&component);
            let given = if is_accepting { self.unavoidable_colours(&component.nodes) } else { 0 };
            for &state in &component.nodes {
                for edge in &mut self.edges[state as usize] {
                    let is_inner = component.nodes.contains(&edge.target);
                    edge.colours = if is_inner && is_accepting { (edge.colours | given) & all } else { 0 };
                }
                let edges = &mut self.edges[state as usize];
                edges.sort_unstable();
                edges.dedup();
            }
        }
    }

    /// The colours that every cycle inside a component has.
    fn unavoidable_colours(&self, nodes: &[u32]) -> Colours {
        let is_unavoidable = |colour: &u32| {
            let graph = |state: u32, out: &mut Vec<u32>| {
                let edges = self.edges(state).iter().filter(|edge| edge.colours >> colour & 1 == 0);
                out.extend(edges.map(|edge| edge.target).filter(|target| nodes.contains(target)));
            };
            !crate::scc::components(nodes, graph).iter().any(|component| component.has_cycle)
        };
        (0..self.n_colours).filter(is_unavoidable).fold(0, |set, colour| set | 1 << colour)
    }

    /// Removes colours that others imply.
    ///
    /// SOUND: if inside every accepting component each edge with colour `v` has colour `u` too, whoever has `v`
    /// infinitely often has `u`; and a colour that all edges of accepting components have is had for free. Components
    /// that are not accepting have no colours at all after `normalise_colours`, and lose none of those that stay unless
    /// no colour stays; so one colour is kept where there is such a component with a cycle.
    fn drop_colours(&mut self) {
        let components = self.components();
        let has_rejecting_cycle =
            components.iter().any(|component| component.has_cycle && !self.is_accepting(component));
        let mut keep = self.all_colours();
        for u in 0..self.n_colours {
            let others = keep & !(1 << u);
            if others == 0 && has_rejecting_cycle {
                continue;
            }
            if self.is_implied(&components, u, others) {
                keep = others;
            }
        }
        self.keep_colours(keep);
    }

    /// Whether colour `u` is on every edge of accepting components, or everywhere where one of the others is.
    fn is_implied(&self, components: &[crate::scc::Component], u: u32, others: Colours) -> bool {
        let has = |edge: &AutomatonEdge, colour: u32| edge.colours >> colour & 1 == 1;
        let mut edges = Vec::new();
        for component in components.iter().filter(|component| self.is_accepting(component)) {
            let inner = component.nodes.iter().flat_map(|&state| self.edges(state));
            edges.extend(inner.filter(|edge| component.nodes.contains(&edge.target)));
        }
        let others: Vec<u32> = (0..self.n_colours).filter(|v| others >> v & 1 == 1).collect();
        edges.iter().all(|edge| has(edge, u))
            || others.iter().any(|&v| edges.iter().all(|edge| !has(edge, v) || has(edge, u)))
    }

    fn keep_colours(&mut self, keep: Colours) {
        let kept: Vec<u32> = (0..self.n_colours).filter(|u| keep >> u & 1 == 1).collect();
        for edge in self.edges.iter_mut().flatten() {
            let old = edge.colours;
            edge.colours = kept.iter().enumerate().fold(0, |new, (at, u)| new | (old >> u & 1) << at);
        }
        self.n_colours = kept.len() as u32;
    }

    /// Makes states with the same edges one.
    ///
    /// SOUND: from such states the same runs continue, and the edges into them keep their colours.
    fn merge_equal_states(&mut self) {
        loop {
            let mut representatives: FxHashMap<&[AutomatonEdge], u32> = FxHashMap::default();
            let map: Vec<u32> = (0..self.n_states() as u32)
                .map(|state| *representatives.entry(self.edges(state)).or_insert(state))
                .collect();
            if map.iter().enumerate().all(|(state, to)| state as u32 == *to) {
                return;
            }
            self.redirect(&map);
        }
    }

    /// Sends every edge to the representative of its target and keeps representatives alone. State 0 represents itself.
    pub(super) fn redirect(&mut self, map: &[u32]) {
        for edges in &mut self.edges {
            for edge in edges.iter_mut() {
                edge.target = map[edge.target as usize];
            }
            edges.sort_unstable();
            edges.dedup();
        }
        let keep: Vec<bool> = map.iter().enumerate().map(|(state, to)| state as u32 == *to).collect();
        self.keep_states(&keep);
        self.edges.iter_mut().for_each(|edges| {
            edges.sort_unstable();
            edges.dedup();
        });
    }
}
