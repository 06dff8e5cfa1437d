//! How far permutations of the identities are from being automorphisms, for people who want to know.
//!
//! Let s → t be a step, and π a permutation. The classes are *nearly* symmetric if π(s) → π(t), or s is left alone by all
//! permutations; *roughly* if π(s) → π(σ(t)) for some σ that leaves s alone; *virtually* if π(s) leads into the orbit of t.
//! Each follows from the one before (Emerson and Trefler 1999; Emerson, Havlicek and Trefler 2000).

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use burnside_analysis::coarsest;
use burnside_engine::{Budget, Monitor, Reason, Task, Witness};
use burnside_interp::{Interpreter, Outcome};
use burnside_ir::{Layout, Model, PropertyKind};
use burnside_symmetry::Cells;

use super::search::{Guards, Halt, Search};
use crate::bindings::twin_groups;
use crate::engine::NotAdaptive;
use crate::families::Families;
use crate::partitions::PartitionId;
use crate::setup::Setup;
use crate::worker::{Orbit, Worker};

/// Parts of orbits that are compared step by step.
const MOST_PARTS: usize = 1 << 14;

/// What permutations do to steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Similar {
    /// A state that some permutation changes has the renamed steps of its images.
    Near,
    /// The same up to permutations that leave the state alone.
    Rough,
    /// All members of an orbit have steps into the same orbits.
    Virtual,
}

impl Similar {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Near => "near",
            Self::Rough => "rough",
            Self::Virtual => "virtual",
        }
    }
}

/// What is known of a model whose rules tell identities apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Similarity {
    /// Orbits are bisimilar.
    Is {
        /// How.
        kind: Similar,
        /// Whether nothing stronger is true; otherwise that was not decided.
        is_exact: bool,
        /// How many orbits were met.
        n_orbits: usize,
    },
    /// They are not.
    Not(Box<Witness>),
    /// It was not decided.
    Undecided,
}

/// Goes through at most so many orbits; nothing if no rule tells identities apart, or there are none.
pub fn similarity(task: &Task<'_>, families: &Families, most_orbits: usize) -> Option<Similarity> {
    let (model, layout): (&Model, &Layout) = (task.model, task.layout);
    if families.rules.iter().all(|family| family.is_symmetric(&families.identities)) {
        return None;
    }
    // What is left out may be left out of some members only.
    if task.model.properties_of(PropertyKind::Assumption).next().is_some() {
        return Some(Similarity::Undecided);
    }
    let setup: Result<Setup, NotAdaptive> = Setup::new(model, layout, families.clone());
    let setup = setup.ok()?;
    let monitor = Monitor::new(Budget { states: Some(most_orbits as u64 + 1), ..Budget::default() });
    // Properties are of no interest here.
    let mut task = *task;
    task.question.only = Some(&[]);
    task.question.deadlock = burnside_step::DeadlockMode::Off;
    let mut search = Search::new((&task, &monitor), (&setup, Guards::Compared), None);
    Some(match search.go() {
        Err(Halt::Declined(Reason::NotVirtual(witness))) => Similarity::Not(witness),
        Err(_) => Similarity::Undecided,
        Ok(()) => {
            let Search { worker, states, all, .. } = &mut search;
            let mut comparison = Comparison::new(&task, worker, *all);
            let (kind, is_exact) = comparison.kind(states);
            Similarity::Is { kind, is_exact, n_orbits: states.len() }
        }
    })
}

/// Compares the steps of members, renamed.
struct Comparison<'a, 'm> {
    interpreter: Interpreter<'a>,
    layout: &'a Layout,
    worker: &'a mut Worker<'m>,
    all: PartitionId,
    /// What all groups of all rules are invariant under.
    meet: PartitionId,
}

impl<'a, 'm> Comparison<'a, 'm> {
    fn new(task: &'a Task<'_>, worker: &'a mut Worker<'m>, all: PartitionId) -> Self {
        let families = worker.setup.rules.iter().map(|rule| &rule.instances.family);
        let partitions = families.flat_map(|family| family.groups.iter().map(|group| &group.partition));
        let meet = partitions.fold(coarsest(&worker.setup.identities), |meet, own| meet.meet(own));
        let meet = worker.partitions.id(&meet);
        let interpreter = task.interpreter().strict(&worker.setup.strict);
        Self { interpreter, layout: task.layout, worker, all, meet }
    }

    /// The strongest kind that is certain, and whether none is stronger.
    ///
    // SOUND: the orbit is covered by the parts under the meet of all partitions, within which steps are renamed exactly. In
    // simple models exchanges of twins generate all permutations that leave a state alone; in others there may be more, so
    // what is found is certain and something stronger may be true.
    fn kind(&mut self, states: &[Vec<u64>]) -> (Similar, bool) {
        let is_simple = self.worker.setup.orbits.is_simple();
        let mut kind = if is_simple { Similar::Near } else { Similar::Rough };
        let mut n_parts = 0;
        for state in states {
            let members = self.worker.members(Orbit { state, partition: self.all }, self.meet);
            n_parts += members.len();
            if n_parts > MOST_PARTS {
                return (Similar::Virtual, false);
            }
            let mut first: Option<BTreeSet<Vec<u64>>> = None;
            for member in members {
                let steps = self.steps(&member);
                if kind == Similar::Near && !self.is_closed(&member, &steps) {
                    kind = Similar::Rough;
                }
                let renamed = self.renamed(&member, &steps);
                if *first.get_or_insert_with(|| renamed.clone()) != renamed {
                    return (Similar::Virtual, is_simple);
                }
            }
        }
        (kind, is_simple)
    }

    /// Where steps lead from a state.
    fn steps(&mut self, state: &[u64]) -> BTreeSet<Vec<u64>> {
        let mut values = vec![0; self.layout.slots().len()];
        self.layout.unpack(state, &mut values);
        let mut found = BTreeSet::new();
        self.interpreter.successors(&values, |_, _, outcome| {
            if let Outcome::Next(next) = outcome {
                let mut packed = vec![0; state.len()];
                self.layout.pack(next, &mut packed);
                found.insert(packed);
            }
            ControlFlow::Continue(())
        });
        found
    }

    /// Whether permutations that leave a state alone take its steps to its steps; or all permutations leave it alone.
    fn is_closed(&mut self, state: &[u64], steps: &BTreeSet<Vec<u64>>) -> bool {
        let cells = self.worker.partitions.get(self.all);
        let twins = twin_groups(&mut self.worker.arranger, state, &cells.cells);
        if twins.len() == cells.cells.iter().count() {
            return true;
        }
        let n_points = self.worker.setup.identities.n_points() as u32;
        let pairs = twins.iter().flat_map(|group| group.windows(2).map(|pair| (pair[0], pair[1])));
        let mut image = Vec::new();
        pairs.into_iter().all(|(one, other)| {
            let mut images: Vec<u32> = (0..n_points).collect();
            images.swap(one as usize, other as usize);
            steps.iter().all(|step| {
                self.worker.arranger.rename(&images, step, &mut image);
                steps.contains(&image)
            })
        })
    }

    /// The steps of a state by the names of its orbit's representative, up to exchanges that leave that alone.
    fn renamed(&mut self, state: &[u64], steps: &BTreeSet<Vec<u64>>) -> BTreeSet<Vec<u64>> {
        let cells = self.worker.partitions.get(self.all);
        let arranger = &mut self.worker.arranger;
        let images = arranger.images(&cells.cells, state).to_vec();
        let mut representative = Vec::new();
        arranger.rename(&images, state, &mut representative);
        let twins = twin_groups(arranger, &representative, &cells.cells);
        let points = |group: &Vec<u32>| group.iter().map(|&point| point as usize).collect();
        let twins = Cells::new(&twins.iter().map(points).collect::<Vec<Vec<usize>>>());
        let rename = |step: &Vec<u64>| {
            let mut image = Vec::new();
            arranger.rename(&images, step, &mut image);
            arranger.canonicalise(&twins, &mut image);
            image
        };
        steps.iter().map(rename).collect()
    }
}
