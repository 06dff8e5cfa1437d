//! Properties of all members of an orbit.
//!
// SOUND: a property's truth is the same for all states that permutations within its partition exchange, so it is
// evaluated in one member of each part into which that partition splits the orbit. Properties need not be symmetric.

use burnside_engine::Task;
use burnside_interp::Condition;
use burnside_ir::{PropertyId, PropertyKind};

use crate::partitions::PartitionId;
use crate::worker::Worker;

/// The properties that are looked at in every state.
pub(crate) struct Watched {
    assumptions: Vec<PropertyId>,
    invariants: Vec<PropertyId>,
    /// Covers of states, evaluated in all of them: a fault in one must not depend on which states came before.
    covers: Vec<PropertyId>,
    /// Those that no state has met yet.
    pub(crate) unmet: Vec<PropertyId>,
    /// Cover points in rules.
    pub(crate) cover_points: Vec<PropertyId>,
}

/// What assumptions leave of an orbit.
pub(crate) enum Assumed {
    /// All of it.
    Whole,
    /// These parts, with a finer partition.
    Parts(Vec<Vec<u64>>, PartitionId),
    /// An assumption faults in this member.
    Breach(Vec<u64>),
}

/// What there is to say of an orbit met for the first time.
#[derive(Debug, Default)]
pub(crate) struct Inspection {
    /// A member in which an invariant is violated or a property faults.
    pub(crate) breach: Option<Vec<u64>>,
    /// Covers that some member meets.
    pub(crate) covered: Vec<PropertyId>,
}

impl Watched {
    pub(crate) fn new(task: &Task<'_>) -> Self {
        Self {
            assumptions: task.properties(PropertyKind::Assumption),
            invariants: task.properties(PropertyKind::Invariant),
            covers: task.properties(PropertyKind::Cover),
            unmet: task.properties(PropertyKind::Cover),
            cover_points: task.properties(PropertyKind::CoverPoint),
        }
    }

    /// Leaves out what assumptions exclude.
    pub(crate) fn assume(&self, worker: &mut Worker<'_>, (state, partition): (&[u64], PartitionId)) -> Assumed {
        if self.assumptions.is_empty() {
            return Assumed::Whole;
        }
        let (mut left, mut finest) = (vec![state.to_vec()], partition);
        let mut changed = false;
        for &property in &self.assumptions {
            let finer = worker.partitions.meet(finest, worker.properties[property.index()]);
            let mut kept = Vec::new();
            for state in &left {
                for member in worker.members(state, (finest, finer)) {
                    match worker.stepper.condition(property, &member) {
                        Condition::Holds => kept.push(member),
                        Condition::Fails => changed = true,
                        Condition::Faults => return Assumed::Breach(member),
                    }
                }
            }
            (left, finest) = (kept, finer);
        }
        if changed { Assumed::Parts(left, finest) } else { Assumed::Whole }
    }

    /// Checks invariants and looks for covers.
    pub(crate) fn inspect(&self, worker: &mut Worker<'_>, (state, partition): (&[u64], PartitionId)) -> Inspection {
        let mut inspection = Inspection::default();
        for &property in &self.invariants {
            let violated = |truth| truth != Condition::Holds;
            if let Some(member) = worker.find_member(property, (state, partition), violated) {
                inspection.breach = Some(member);
                return inspection;
            }
        }
        for &property in &self.covers {
            let mut is_met = false;
            let faulting = worker.find_member(property, (state, partition), |truth| {
                is_met |= truth == Condition::Fails;
                truth == Condition::Faults
            });
            if is_met {
                inspection.covered.push(property);
            }
            inspection.breach = inspection.breach.or(faulting);
        }
        inspection
    }
}

impl Worker<'_> {
    /// The first member, one of each part, for which the value of a property is as wanted.
    fn find_member(
        &mut self,
        property: PropertyId,
        (state, partition): (&[u64], PartitionId),
        mut wanted: impl FnMut(Condition) -> bool,
    ) -> Option<Vec<u64>> {
        let finer = self.partitions.meet(partition, self.properties[property.index()]);
        if finer == partition {
            let truth = self.stepper.condition(property, state);
            return wanted(truth).then(|| state.to_vec());
        }
        self.members(state, (partition, finer)).into_iter().find(|member| {
            let truth = self.stepper.condition(property, member);
            wanted(truth)
        })
    }
}
