//! What one thread of a search works with.

use burnside_engine::Task;
use burnside_interp::StepBuffer;
use burnside_step::{AnyStepper, Code, Interpreted, Native};
use burnside_symmetry::Arranger;

use crate::audited::Audit;
use crate::partitions::{PartitionId, Partitions};
use crate::setup::{RuleSetup, Setup};
use crate::unwind::{Refinement, Wanted, unwind};

/// All images of a state under the permutations within the cells of a partition.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Orbit<'a> {
    pub(crate) state: &'a [u64],
    pub(crate) partition: PartitionId,
}

pub(crate) struct Worker<'m> {
    pub(crate) setup: &'m Setup,
    pub(crate) stepper: AnyStepper<'m>,
    pub(crate) arranger: Arranger<'m>,
    pub(crate) audit: Option<Audit<'m>>,
    pub(crate) partitions: Partitions,
    /// By rule and group.
    groups: Vec<Vec<PartitionId>>,
    /// By property.
    pub(crate) properties: Vec<PartitionId>,
    /// Steps that are only looked at.
    pub(crate) probed: StepBuffer,
}

impl<'m> Worker<'m> {
    pub(crate) fn new(task: &Task<'m>, setup: &'m Setup, code: Option<&'m Code>, mut partitions: Partitions) -> Self {
        let mut ids = |rule: &RuleSetup| {
            rule.instances.family.groups.iter().map(|group| partitions.id(&group.partition)).collect()
        };
        let groups = setup.rules.iter().map(&mut ids).collect();
        let properties = setup.properties.iter().map(|partition| partitions.id(partition)).collect();
        let interpreted = Interpreted::of(&setup.extended, task.layout, task.step_limits).strict(&setup.strict);
        Self {
            setup,
            stepper: match code {
                Some(code) => AnyStepper::Native(Native::new(code, interpreted)),
                None => AnyStepper::Interpreted(interpreted),
            },
            arranger: setup.orbits.arranger(),
            audit: Audit::new(task, setup, code),
            partitions,
            groups,
            properties,
            probed: StepBuffer::new(task.layout.n_words()),
        }
    }

    /// The partition of a group of a rule.
    pub(crate) fn group(&self, rule: usize, group: usize) -> PartitionId {
        self.groups[rule][group]
    }

    /// Members of an orbit whose orbits under a finer partition cover it.
    pub(crate) fn members(&mut self, orbit: Orbit<'_>, finer: PartitionId) -> Vec<Vec<u64>> {
        if orbit.partition == finer {
            return vec![orbit.state.to_vec()];
        }
        let (coarse, fine) = (self.partitions.get(orbit.partition), self.partitions.get(finer));
        let refinement = Refinement { coarse: &coarse.cells, fine: &fine.cells };
        let mut found = self.unwound(orbit.state, refinement, &Wanted::ALL);
        if !self.setup.orbits.is_simple() {
            for member in &mut found {
                self.arranger.canonicalise(&fine.cells, member);
            }
            found.sort_unstable();
            found.dedup();
        }
        found
    }

    /// Images of a state under permutations within cells, one for each way in which its points can be in the finer cells.
    pub(crate) fn unwound(&mut self, state: &[u64], refinement: Refinement<'_>, wanted: &Wanted<'_>) -> Vec<Vec<u64>> {
        let mut permutations: Vec<Vec<u32>> = Vec::new();
        unwind(&mut self.arranger, state, refinement, wanted, &mut |images| permutations.push(images.to_vec()));
        let rename = |images: Vec<u32>| {
            let mut member = Vec::new();
            self.arranger.rename(&images, state, &mut member);
            member
        };
        permutations.into_iter().map(rename).collect()
    }
}
