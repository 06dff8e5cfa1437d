//! Properties of all members of an orbit.
//!
// SOUND: a property's truth is the same for all states that permutations within its partition exchange, so it is
// evaluated in one member of each part into which that partition splits the orbit. Properties need not be symmetric.

use burnside_engine::Task;
use burnside_interp::Truth;
use burnside_ir::{PropertyId, PropertyKind};

use crate::expand::{Expander, members};
use crate::partitions::{PartitionId, Partitions};

/// The properties that are looked at in every state.
pub(crate) struct Watched {
    assumptions: Vec<(PropertyId, PartitionId)>,
    invariants: Vec<(PropertyId, PartitionId)>,
    /// Those that no state has met yet.
    covers: Vec<(PropertyId, PartitionId)>,
}

/// What is to be done with a state met for the first time.
pub(crate) enum Inspection {
    Keep,
    /// Assumptions exclude it, or parts of it: these are left, with a finer partition.
    Split(Vec<Vec<i64>>, PartitionId),
    /// A property is violated, or faults, in this member.
    Breach(Vec<i64>),
}

impl Watched {
    pub(crate) fn new(task: &Task<'_>, expander: &Expander<'_>, partitions: &mut Partitions) -> Self {
        let mut of = |kind| {
            let properties = task.properties(kind).into_iter();
            properties.map(|id| (id, partitions.id(&expander.setup.properties[id.index()]))).collect()
        };
        Self {
            assumptions: of(PropertyKind::Assumption),
            invariants: of(PropertyKind::Invariant),
            covers: of(PropertyKind::Cover),
        }
    }

    /// Leaves out what assumptions exclude.
    pub(crate) fn assume(
        &self,
        expander: &mut Expander<'_>,
        partitions: &mut Partitions,
        (state, partition): (&[i64], PartitionId),
    ) -> Inspection {
        let (mut left, mut finest) = (vec![state.to_vec()], partition);
        let mut changed = false;
        for &(property, own) in &self.assumptions {
            let finer = partitions.meet(finest, own);
            let mut kept = Vec::new();
            for state in &left {
                for member in members(expander.setup, partitions, state, (finest, finer)) {
                    match expander.interpreter.holds(&member, property) {
                        Ok(Truth::Everywhere) => kept.push(member),
                        Ok(Truth::FailsFor(_)) => changed = true,
                        Err(_) => return Inspection::Breach(member),
                    }
                }
            }
            (left, finest) = (kept, finer);
        }
        if changed { Inspection::Split(left, finest) } else { Inspection::Keep }
    }

    /// Checks invariants and notes covers.
    pub(crate) fn inspect(
        &mut self,
        expander: &mut Expander<'_>,
        partitions: &mut Partitions,
        (state, partition): (&[i64], PartitionId),
    ) -> Inspection {
        for &(property, own) in &self.invariants {
            let finer = partitions.meet(partition, own);
            for member in members(expander.setup, partitions, state, (partition, finer)) {
                if expander.interpreter.holds(&member, property) != Ok(Truth::Everywhere) {
                    return Inspection::Breach(member);
                }
            }
        }
        let mut breach = None;
        self.covers.retain(|&(property, own)| {
            let finer = partitions.meet(partition, own);
            let mut members = members(expander.setup, partitions, state, (partition, finer)).into_iter();
            !members.any(|member| match expander.interpreter.holds_somewhere(&member, property) {
                Ok(met) => met,
                Err(_) => {
                    breach.get_or_insert(member);
                    false
                }
            })
        });
        breach.map_or(Inspection::Keep, Inspection::Breach)
    }

    /// The covers that no state has met.
    pub(crate) fn uncovered(&self) -> impl Iterator<Item = PropertyId> {
        self.covers.iter().map(|(property, _)| *property)
    }
}
