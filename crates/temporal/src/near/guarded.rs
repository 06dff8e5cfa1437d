//! Guarded quotients, after Sistla and Godefroid, *Symmetry and reduced symmetry in model checking* (TOPLAS 2004).
//!
//! One state of each orbit that the images of all steps reach; each step of an image, brought back to the representative,
//! with the set of frames in which it is a step of the system itself. Unwinding it with frames, and steps only where the
//! frame is in the guard, gives the system exactly: this is Lemma 1 for the images of all steps, restricted.

use rustc_hash::FxHashMap;

use super::acted::Acted;
use crate::graph::{Point, State};

/// A step of the system or of one of its images, from a representative.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GuardedStep {
    /// Who moves, in the names of the representative.
    pub actor: Point,
    /// Where to, in these names.
    pub to: State,
    /// The node of that state's orbit.
    pub target: u32,
    /// The permutation that takes the state to its representative, by number.
    pub renaming: usize,
    /// For each permutation whether the image of this step under it is a step of the system.
    pub guard: Vec<bool>,
}

impl GuardedStep {
    /// Whether it is not a step everywhere.
    pub fn is_guarded(&self) -> bool {
        self.guard.contains(&false)
    }
}

/// The guarded quotient of a system under a group.
#[derive(Clone, Debug)]
pub struct Guarded<'a> {
    system: &'a Acted,
    /// Representatives.
    nodes: Vec<State>,
    steps: Vec<Vec<GuardedStep>>,
    numbers: FxHashMap<State, u32>,
}

impl<'a> Guarded<'a> {
    /// Everything that the images of all steps reach.
    pub fn new(system: &'a Acted) -> Self {
        let mut quotient = Guarded { system, nodes: Vec::new(), steps: Vec::new(), numbers: FxHashMap::default() };
        for &start in system.starts() {
            quotient.node(system.representative(start).0);
        }
        while quotient.steps.len() < quotient.nodes.len() {
            let steps = quotient.expand(quotient.nodes[quotient.steps.len()]);
            quotient.steps.push(steps);
        }
        quotient
    }

    fn node(&mut self, representative: State) -> u32 {
        let next = self.nodes.len() as u32;
        let node = *self.numbers.entry(representative).or_insert(next);
        if node == next {
            self.nodes.push(representative);
        }
        node
    }

    fn expand(&mut self, representative: State) -> Vec<GuardedStep> {
        let system = self.system;
        let mut steps: Vec<GuardedStep> = Vec::new();
        for by in 0..system.order() {
            let back = system.inverse(by);
            for &(actor, to) in system.steps(system.image(by, representative)) {
                let actor = system.permutation(back).image(actor as usize) as Point;
                let to = system.image(back, to);
                let known = steps.iter().position(|step| step.actor == actor && step.to == to);
                let at = known.unwrap_or_else(|| {
                    let (target, renaming) = system.representative(to);
                    let target = self.node(target);
                    steps.push(GuardedStep { actor, to, target, renaming, guard: vec![false; system.order()] });
                    steps.len() - 1
                });
                steps[at].guard[by] = true;
            }
        }
        steps
    }

    /// The system it was made from.
    pub fn system(&self) -> &'a Acted {
        self.system
    }

    /// The representatives.
    pub fn nodes(&self) -> &[State] {
        &self.nodes
    }

    /// The steps of a node.
    pub fn steps(&self, node: u32) -> &[GuardedStep] {
        &self.steps[node as usize]
    }

    pub(super) fn number(&self, representative: State) -> u32 {
        self.numbers[&representative]
    }

    /// The steps of a node, one of each that the representative's symmetries take to one another.
    pub fn steps_up_to_symmetry(&self, node: u32) -> Vec<&GuardedStep> {
        let stabiliser = self.system.stabiliser(self.nodes[node as usize]);
        let mut covered = Vec::new();
        let mut chosen = Vec::new();
        for step in self.steps(node) {
            if !covered.contains(&(step.actor, step.to)) {
                chosen.push(step);
                covered.extend(stabiliser.iter().map(|&by| {
                    let actor = self.system.permutation(by).image(step.actor as usize) as Point;
                    (actor, self.system.image(by, step.to))
                }));
            }
        }
        chosen
    }

    /// The frames in which a node has no step at all: there the execution ends and its last state repeats.
    pub(super) fn ends(&self, node: u32) -> Vec<bool> {
        let has_step = |by: usize| self.steps(node).iter().any(|step| step.guard[by]);
        (0..self.system.order()).map(|by| !has_step(by)).collect()
    }
}
