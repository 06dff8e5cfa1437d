//! Deadlocks among the members of an orbit.
//!
// SOUND: a group of instances leads on from all or none of the states that permutations within its partition exchange.
// So the orbit is split by one group's partition after the other, and parts from which the group leads on are done with;
// what is left in the end are the deadlocks.

use burnside_ir::RuleId;
use burnside_step::{DeadlockMode, Stepper};

use crate::bindings::{bindings, twin_groups};
use crate::worker::{Orbit, Worker};

impl Worker<'_> {
    /// A member of the orbit that is a deadlock, if there is one.
    pub(crate) fn deadlock(&mut self, mode: DeadlockMode, orbit: Orbit<'_>) -> Option<Vec<u64>> {
        let setup = self.setup;
        let mut left = vec![(orbit.state.to_vec(), orbit.partition)];
        for (at, rule) in setup.rules.iter().enumerate() {
            for group in 0..rule.instances.family.groups.len() {
                let own = self.group(at, group);
                let mut still_left = Vec::new();
                for (state, partition) in &left {
                    let partition = *partition;
                    let fine = self.partitions.meet(partition, own);
                    for member in self.members(Orbit { state, partition }, fine) {
                        let part = Orbit { state: &member, partition: fine };
                        if !self.leads_on(mode, part, at, group) {
                            still_left.push((member, fine));
                        }
                    }
                }
                left = still_left;
                if left.is_empty() {
                    return None;
                }
            }
        }
        left.into_iter().next().map(|(state, _)| state)
    }

    /// Whether some instance in a group of a rule keeps a state from being a deadlock.
    fn leads_on(&mut self, mode: DeadlockMode, part: Orbit<'_>, rule: usize, group: usize) -> bool {
        let Orbit { state, partition } = part;
        let cells = self.partitions.get(partition);
        let twins = twin_groups(&mut self.arranger, state, &cells.cells);
        let instances = &self.setup.rules[rule].instances;
        let Self { setup, stepper, probed, .. } = self;
        let mut leads_on = false;
        bindings(&setup.identities, instances, Some(group), &twins, &mut |args| {
            probed.clear();
            if !leads_on {
                stepper.fire_some(state, RuleId(rule as u32), args, probed);
            }
            leads_on |= (0..probed.len()).any(|at| mode.is_way_on(probed.get(at).stays_in(state)));
        });
        leads_on
    }
}
