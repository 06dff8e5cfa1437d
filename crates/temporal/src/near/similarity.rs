//! How far a system is from being symmetric.
//!
//! After Emerson and Trefler (near and rough symmetry, 1999) and Emerson, Havlicek and Trefler (virtual symmetry, 2000).

use rustc_hash::FxHashMap;

use super::acted::Acted;
use crate::graph::State;

/// From the strongest to the weakest; each implies the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Similarity {
    /// Every image of a step is a step.
    Symmetric,
    /// Every image of a step is a step, unless the whole group fixes its source.
    Near,
    /// For every image of a source there is a step to the image of what some symmetry of the source makes of the target.
    Rough,
    /// For every image of a source there is a step into the orbit of the target: the quotient is bisimilar.
    Virtual,
}

/// A step and a permutation that show what a system is not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SimilarityWitness {
    /// Where the step begins.
    pub from: State,
    /// Where it ends.
    pub to: State,
    /// The image of its beginning that has no fitting step.
    pub image: State,
}

/// For each kind of similarity nothing, if the system has it, or what shows that it has not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Similarities {
    /// Against symmetry.
    pub symmetric: Option<SimilarityWitness>,
    /// Against near symmetry.
    pub near: Option<SimilarityWitness>,
    /// Against rough symmetry.
    pub rough: Option<SimilarityWitness>,
    /// Against virtual symmetry.
    pub virtual_: Option<SimilarityWitness>,
}

impl Similarities {
    /// By the definitions, on all states.
    pub fn new(system: &Acted) -> Self {
        let mut found = Similarities::default();
        for from in 0..system.n_states() as State {
            let stabiliser = system.stabiliser(from);
            for &(_, to) in system.steps(from) {
                for by in 0..system.order() {
                    found.look(system, &stabiliser, (from, to), by);
                }
            }
        }
        found
    }

    /// Looks at one step and one permutation.
    fn look(&mut self, system: &Acted, stabiliser: &[usize], (from, to): (State, State), by: usize) {
        let image = system.image(by, from);
        if system.has_step(image, system.image(by, to)) {
            return;
        }
        let witness = SimilarityWitness { from, to, image };
        self.symmetric.get_or_insert(witness);
        if stabiliser.len() < system.order() {
            self.near.get_or_insert(witness);
        }
        let is_rough = stabiliser.iter().any(|&s| system.has_step(image, system.image(by, system.image(s, to))));
        if !is_rough {
            self.rough.get_or_insert(witness);
        }
        if !(0..system.order()).any(|other| system.has_step(image, system.image(other, to))) {
            self.virtual_.get_or_insert(witness);
        }
    }

    /// The strongest similarity that the system has, if any.
    pub fn strongest(&self) -> Option<Similarity> {
        let kinds = [
            (self.symmetric, Similarity::Symmetric),
            (self.near, Similarity::Near),
            (self.rough, Similarity::Rough),
            (self.virtual_, Similarity::Virtual),
        ];
        kinds.into_iter().find(|(witness, _)| witness.is_none()).map(|(_, kind)| kind)
    }
}

/// Two members of an orbit of which one has a step into another orbit and the other has not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CountingWitness {
    /// A member with a step.
    pub with: State,
    /// A member without.
    pub without: State,
    /// The orbit that the step leads to.
    pub target_orbit: u32,
}

/// Why a system is not virtually symmetric, by counting; nothing if it is.
///
/// SOUND: the quotient is bisimilar exactly if the members of each orbit have steps into the same orbits, that is, if the
/// number of members of an orbit with a step into another is none or all of them. No permutation is needed, only which
/// states are in one orbit, so an engine can do it node by node.
pub fn virtual_witness(orbit_of: &[u32], successors: &[Vec<State>]) -> Option<CountingWitness> {
    let mut members: FxHashMap<u32, Vec<State>> = FxHashMap::default();
    for (state, &orbit) in orbit_of.iter().enumerate() {
        members.entry(orbit).or_default().push(state as State);
    }
    let reaches =
        |state: State, target: u32| successors[state as usize].iter().any(|&to| orbit_of[to as usize] == target);
    for (state, list) in successors.iter().enumerate() {
        for &to in list {
            let target_orbit = orbit_of[to as usize];
            let without = members[&orbit_of[state]].iter().find(|&&member| !reaches(member, target_orbit));
            if let Some(&without) = without {
                return Some(CountingWitness { with: state as State, without, target_orbit });
            }
        }
    }
    None
}
