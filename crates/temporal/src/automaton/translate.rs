//! From formulas to automata, after Couvreur, *On-the-fly verification of linear temporal logic* (FM 1999).
//!
//! A state is a set of formulas that must all hold from here on. It is taken apart into alternatives, each with what must
//! hold now, what must hold after one step, and which untils were put off. There is one colour for each until; an edge has
//! it unless it puts the until off. So a run in which an until is put off for ever lacks its colour.

use rustc_hash::FxHashMap;

use super::{Automaton, AutomatonEdge, Colours, Label, MAX_COLOURS, MAX_PROPOSITIONS, Valuation, mask};
use crate::ltl::{Linear, LinearId, Node};

/// How much is done to make an automaton small.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// The construction alone.
    Plain,
    /// Rewriting before, merging and simulation afterwards.
    Reduced,
}

/// A formula whose automaton does not fit: too many propositions, untils or states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLarge;

/// More edges than any useful property needs.
const MAX_EDGES: usize = 1 << 20;

impl Automaton {
    /// The automaton that accepts the paths on which the formula holds.
    ///
    /// # Errors
    /// If it does not fit.
    pub fn new(store: &mut Linear, formula: LinearId, effort: Effort) -> Result<Self, TooLarge> {
        let formula = match effort {
            Effort::Plain => formula,
            Effort::Reduced => store.simplify(formula),
        };
        let mut automaton = Translation::new(store, formula)?.run(formula)?;
        if effort == Effort::Reduced {
            automaton.reduce();
        }
        Ok(automaton)
    }
}

/// One way to satisfy a set of formulas.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Alternative {
    label: Label,
    /// What must hold after one step: ascending.
    next: Vec<LinearId>,
    /// The untils that are put off.
    postponed: Colours,
}

impl Alternative {
    /// Whether it asks for no less than `other` and gives no more.
    fn is_dominated_by(&self, other: &Self) -> bool {
        other.label.includes(self.label) && other.next == self.next && other.postponed & !self.postponed == 0
    }
}

struct Translation<'a> {
    store: &'a Linear,
    /// The colour of each until.
    colours: FxHashMap<LinearId, u32>,
    states: FxHashMap<Vec<LinearId>, u32>,
    /// The sets of formulas that are states.
    sets: Vec<Vec<LinearId>>,
}

impl<'a> Translation<'a> {
    fn new(store: &'a Linear, formula: LinearId) -> Result<Self, TooLarge> {
        let mut colours = FxHashMap::default();
        for part in store.parts(formula) {
            match store.node(part) {
                Node::Until(..) => {
                    colours.insert(part, colours.len() as u32);
                }
                Node::Literal(p, _) if *p >= MAX_PROPOSITIONS => return Err(TooLarge),
                _ => {}
            }
        }
        if colours.len() > MAX_COLOURS as usize {
            return Err(TooLarge);
        }
        Ok(Translation { store, colours, states: FxHashMap::default(), sets: Vec::new() })
    }

    fn run(mut self, formula: LinearId) -> Result<Automaton, TooLarge> {
        let n_colours = self.colours.len() as u32;
        let mut edges = Vec::new();
        let mut n_edges = 0;
        self.state(vec![formula]);
        while edges.len() < self.sets.len() {
            let alternatives = self.alternatives(self.sets[edges.len()].clone())?;
            n_edges += alternatives.len();
            if n_edges > MAX_EDGES {
                return Err(TooLarge);
            }
            let out = alternatives.into_iter().map(|alternative| AutomatonEdge {
                label: alternative.label,
                target: self.state(alternative.next),
                colours: mask(n_colours) & !alternative.postponed,
            });
            edges.push(out.collect());
        }
        Ok(Automaton { edges, n_colours })
    }

    fn state(&mut self, set: Vec<LinearId>) -> u32 {
        if let Some(&state) = self.states.get(&set) {
            return state;
        }
        let state = self.sets.len() as u32;
        self.sets.push(set.clone());
        self.states.insert(set, state);
        state
    }

    /// The ways to satisfy all formulas of a set, without those that another makes superfluous, in a fixed order.
    fn alternatives(&self, set: Vec<LinearId>) -> Result<Vec<Alternative>, TooLarge> {
        let mut found = Vec::new();
        self.take_apart(set, Vec::new(), Alternative::default(), &mut found)?;
        found.sort_unstable();
        found.dedup();
        let is_dominated = |a: &Alternative| found.iter().any(|other| other != a && a.is_dominated_by(other));
        Ok(found.iter().filter(|alternative| !is_dominated(alternative)).cloned().collect())
    }

    fn take_apart(
        &self,
        mut todo: Vec<LinearId>,
        mut done: Vec<LinearId>,
        mut so_far: Alternative,
        found: &mut Vec<Alternative>,
    ) -> Result<(), TooLarge> {
        while let Some(id) = todo.pop() {
            if done.contains(&id) {
                continue;
            }
            done.push(id);
            match self.store.node(id) {
                Node::True => {}
                Node::False => return Ok(()),
                Node::Literal(p, positive) => {
                    let bit: Valuation = 1 << p;
                    let Label { positive: yes, negative: no } = &mut so_far.label;
                    *(if *positive { &mut *yes } else { &mut *no }) |= bit;
                    if *yes & *no != 0 {
                        return Ok(());
                    }
                }
                Node::Next(f) => insert(&mut so_far.next, *f),
                Node::And(parts) => todo.extend_from_slice(parts),
                Node::Or(parts) => {
                    for &part in parts {
                        let todo = todo.iter().copied().chain([part]).collect();
                        self.take_apart(todo, done.clone(), so_far.clone(), found)?;
                    }
                    return Ok(());
                }
                Node::Until(f, g) => {
                    let now = todo.iter().copied().chain([*g]).collect();
                    self.take_apart(now, done.clone(), so_far.clone(), found)?;
                    todo.push(*f);
                    insert(&mut so_far.next, id);
                    so_far.postponed |= 1 << self.colours[&id];
                }
                Node::Release(f, g) => {
                    let now = todo.iter().copied().chain([*g, *f]).collect();
                    self.take_apart(now, done.clone(), so_far.clone(), found)?;
                    todo.push(*g);
                    insert(&mut so_far.next, id);
                }
            }
        }
        if found.len() > MAX_EDGES {
            return Err(TooLarge);
        }
        found.push(so_far);
        Ok(())
    }
}

/// Puts an element in its place in an ascending list.
fn insert(list: &mut Vec<LinearId>, id: LinearId) {
    if let Err(place) = list.binary_search(&id) {
        list.insert(place, id);
    }
}
