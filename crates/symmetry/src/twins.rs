//! Symmetry on transitions: identities that a state does not tell apart need not all act.
//!
//! Two vertices are *twins* in a state if exchanging them leaves the state as it is. Of the instances of a rule that
//! differ only in which of some twins a parameter is, one is fired for all.
//!
// SOUND: let an exchange of twins map state `s` to itself and a rule instance `t` to `u`. The model is symmetric, so if
// `t` leads from `s` to `s'`, then `u` leads from `s` to the image of `s'`, which is in the same orbit. Exchanging maps
// the instances with one twin as a parameter one to one to those with the other, so each instance fired stands for as
// many as there are twins. That two vertices are twins is found by hashes and then checked on the state itself.

use crate::action::{Action, Scratch};
use crate::bits::Field;
use crate::facts::Facts;
use crate::picture::Picture;
use crate::refine::are_twins;

/// Finds twins. Holds scratch memory; one per thread.
#[derive(Debug, Clone)]
pub struct Twins<'a> {
    action: &'a Action,
    facts: &'a Facts,
    /// The vertex of each value a parameter may have, if it has one.
    parameters: &'a [Option<u32>],
    /// Neighbours in a cell, each with the fields that it owns itself, in the same order.
    neighbours: Vec<[Vec<Field>; 2]>,
    picture: Picture,
    /// For each vertex that stands for its twins, how many they are; none for the others.
    n_twins: Vec<u64>,
    leaders: Vec<u32>,
    images: Vec<u32>,
    exchanged: Vec<u64>,
    scratch: Scratch,
    weights: Vec<u64>,
    /// Whether there were no twins in the last state.
    is_plain: bool,
    /// States looked at, and those with twins, since this was last judged.
    n_seen: u32,
    n_fruitful: u32,
    /// How many states not to look at.
    n_skipped: u32,
}

/// After how many states looking is judged.
const TRIAL: u32 = 512;

/// With fewer states with twins among those of a trial, looking does not pay.
const FRUITFUL: u32 = TRIAL / 16;

/// How many states are then left alone. No count depends on it: what is not left out counts for itself.
const PAUSE: u32 = 16 * TRIAL;

impl<'a> Twins<'a> {
    pub(crate) fn new(action: &'a Action, facts: &'a Facts, parameters: &'a [Option<u32>]) -> Self {
        Self {
            action,
            facts,
            parameters,
            neighbours: neighbours(action, facts),
            picture: Picture::new(facts),
            n_twins: vec![1; action.n_vertices()],
            leaders: Vec::new(),
            images: (0..action.n_vertices() as u32).collect(),
            exchanged: Vec::new(),
            scratch: Scratch::default(),
            weights: vec![1; parameters.len()],
            is_plain: true,
            n_seen: 0,
            n_fruitful: 0,
            n_skipped: 0,
        }
    }

    /// Whether twins are common enough to be looked for.
    fn pays(&mut self) -> bool {
        if self.n_skipped > 0 {
            self.n_skipped -= 1;
            return false;
        }
        self.n_fruitful += u32::from(!self.is_plain);
        self.n_seen += 1;
        if self.n_seen == TRIAL {
            self.n_skipped = if self.n_fruitful < FRUITFUL { PAUSE } else { 0 };
            (self.n_seen, self.n_fruitful) = (0, 0);
        }
        true
    }

    /// For each value a parameter may have, for how many values it stands: none if another one stands for it.
    pub fn weigh(&mut self, state: &[u64]) -> &[u64] {
        let pays = self.pays();
        if !self.is_plain {
            self.n_twins.fill(1);
            self.weights.fill(1);
            self.is_plain = true;
        }
        // PERF: representatives have equal vertices side by side, and in most states no two are equal. What is overlooked
        // where a state is none, or twins are apart, counts for itself.
        let is_same = |[one, other]: &[Vec<Field>; 2]| {
            one.iter().zip(other).all(|(one, other)| one.read(state) == other.read(state))
        };
        if !pays || !self.neighbours.iter().any(is_same) {
            return &self.weights;
        }
        self.picture.read(self.facts, self.action, state);
        for cell in self.action.cells().iter() {
            let mut first = 0;
            while first < cell.len() {
                let colours = self.picture.colours();
                let colour = |vertex: u32| colours[vertex as usize];
                let is_alike = |&&vertex: &&u32| colour(vertex) == colour(cell[first]);
                let n_alike = cell[first..].iter().take_while(is_alike).count();
                self.compare(&cell[first..first + n_alike], state);
                first += n_alike;
            }
        }
        if !self.is_plain {
            for (weight, parameter) in self.weights.iter_mut().zip(self.parameters) {
                *weight =
                    parameter.map_or(1, |vertex| self.n_twins[self.action.blocks().member(vertex).leader as usize]);
            }
        }
        &self.weights
    }

    /// Finds the twins among vertices of one colour.
    fn compare(&mut self, alike: &[u32], state: &[u64]) {
        if alike.len() == 1 {
            return;
        }
        let tools = (self.facts, self.action);
        self.picture.draw(self.facts, self.action);
        self.leaders.clear();
        for &vertex in alike {
            let is_twin = |leader: &u32| {
                are_twins(&self.picture, *leader, vertex) && {
                    self.action.blocks().swap(&mut self.images, *leader, vertex);
                    self.picture.rename(tools, &self.images, &mut self.exchanged, &mut self.scratch);
                    self.action.blocks().swap(&mut self.images, *leader, vertex);
                    self.exchanged == state
                }
            };
            match self.leaders.iter().copied().find(is_twin) {
                Some(leader) => {
                    self.n_twins[leader as usize] += 1;
                    self.n_twins[vertex as usize] = 0;
                    self.is_plain = false;
                }
                None => self.leaders.push(vertex),
            }
        }
    }
}

fn neighbours(action: &Action, facts: &Facts) -> Vec<[Vec<Field>; 2]> {
    let owned = facts.fields_of_vertices();
    let fields = |vertex: u32| owned[vertex as usize].clone();
    let pairs = action.cells().iter().flat_map(|cell| cell.windows(2));
    pairs.map(|pair| [fields(pair[0]), fields(pair[1])]).collect()
}
