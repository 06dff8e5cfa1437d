//! Properties of all members of an orbit.
//!
// SOUND: a property's truth is the same for all states that permutations within its partition exchange, so it is
// evaluated in one member of each part into which that partition splits the orbit. Properties need not be symmetric.

use burnside_ir::PropertyId;
use burnside_step::{Judge, Opinion, Stepper, Watched};

use crate::partitions::PartitionId;
use crate::worker::{Orbit, Worker};

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

impl Worker<'_> {
    /// Leaves out what assumptions exclude.
    pub(crate) fn assume(&mut self, judge: &Judge, orbit: Orbit<'_>) -> Assumed {
        if !judge.has_assumptions() {
            return Assumed::Whole;
        }
        let (mut left, mut finest) = (vec![orbit.state.to_vec()], orbit.partition);
        let mut changed = false;
        for watched in judge.assumptions() {
            let finer = self.partitions.meet(finest, self.properties[watched.property.index()]);
            let mut kept = Vec::new();
            for state in &left {
                for member in self.members(Orbit { state, partition: finest }, finer) {
                    match self.opinion(watched, &member) {
                        Opinion::Excluded => changed = true,
                        Opinion::Broken => return Assumed::Breach(member),
                        Opinion::Nothing | Opinion::Covered => kept.push(member),
                    }
                }
            }
            (left, finest) = (kept, finer);
        }
        if changed { Assumed::Parts(left, finest) } else { Assumed::Whole }
    }

    /// Checks invariants and looks for covers.
    pub(crate) fn inspect(&mut self, judge: &Judge, orbit: Orbit<'_>) -> Inspection {
        let mut inspection = Inspection::default();
        for watched in judge.claims() {
            let mut is_covered = false;
            inspection.breach = self.find_member(watched, orbit, |opinion| {
                is_covered |= opinion == Opinion::Covered;
                opinion == Opinion::Broken
            });
            if is_covered {
                inspection.covered.push(watched.property);
            }
            if inspection.breach.is_some() {
                break;
            }
        }
        inspection
    }

    /// What a property says about a state.
    fn opinion(&mut self, watched: Watched, state: &[u64]) -> Opinion {
        self.stepper.look_at(state);
        watched.opinion(self.stepper.condition(watched.property))
    }

    /// The first member, one of each part, of which a property says what is wanted.
    fn find_member(
        &mut self,
        watched: Watched,
        orbit: Orbit<'_>,
        mut wanted: impl FnMut(Opinion) -> bool,
    ) -> Option<Vec<u64>> {
        let finer = self.partitions.meet(orbit.partition, self.properties[watched.property.index()]);
        if finer == orbit.partition {
            return wanted(self.opinion(watched, orbit.state)).then(|| orbit.state.to_vec());
        }
        let mut members = self.members(orbit, finer).into_iter();
        members.find(|member| wanted(self.opinion(watched, member)))
    }
}
