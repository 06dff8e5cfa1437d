//! How hard it is to decide whether an automaton accepts something.

use super::{Automaton, Label};
use crate::scc::{Component, components};

/// What the components of an automaton look like, from the easiest kind to the general one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// Acceptance is decided by reaching a state from which every path is accepted: a finite prefix is enough.
    Terminal,
    /// In each component every cycle is accepting or none is.
    Weak,
    /// Anything else.
    General,
}

impl Automaton {
    /// What its components look like.
    pub fn kind(&self) -> Kind {
        let components = self.components();
        let accepting = || components.iter().filter(|component| self.is_accepting(component));
        if accepting().all(|component| component.nodes.iter().all(|&state| self.accepts_everything(state))) {
            Kind::Terminal
        } else if accepting().all(|component| self.has_only_full_edges(component)) {
            Kind::Weak
        } else {
            Kind::General
        }
    }

    /// Whether every path is accepted from a state, as far as one edge without condition shows it.
    pub fn accepts_everything(&self, state: u32) -> bool {
        self.edges(state)
            .iter()
            .any(|edge| edge.target == state && edge.label == Label::default() && edge.colours == self.all_colours())
    }

    /// The strongly connected components of the states that can be reached, each after all that it reaches.
    pub(crate) fn components(&self) -> Vec<Component> {
        components(&[0], |state: u32, out: &mut Vec<u32>| out.extend(self.edges(state).iter().map(|edge| edge.target)))
    }

    /// Whether a run can stay inside and have every colour again and again.
    pub(crate) fn is_accepting(&self, component: &Component) -> bool {
        let seen = self.inner_edges(component).fold(0, |seen, edge| seen | edge.colours);
        component.has_cycle && seen == self.all_colours()
    }

    fn has_only_full_edges(&self, component: &Component) -> bool {
        self.inner_edges(component).all(|edge| edge.colours == self.all_colours())
    }

    fn inner_edges<'a>(&'a self, component: &'a Component) -> impl Iterator<Item = &'a super::AutomatonEdge> {
        let edges = component.nodes.iter().flat_map(|&state| self.edges(state));
        edges.filter(|edge| component.nodes.contains(&edge.target))
    }
}
