//! Deadlocks among the members of an orbit.
//!
// SOUND: a group of instances leads on from all or none of the states that permutations within its partition exchange.
// So the orbit is split by one group's partition after the other, and parts from which the group leads on are done with;
// what is left in the end are the deadlocks.

use burnside_engine::DeadlockMode;
use burnside_ir::RuleId;

use crate::bindings::{bindings, twin_groups};
use crate::expand::{End, Expander, members};
use crate::partitions::{PartitionId, Partitions};

/// A member of the orbit that is a deadlock, if there is one.
pub(crate) fn deadlock(
    expander: &mut Expander<'_>,
    partitions: &mut Partitions,
    mode: DeadlockMode,
    (state, partition): (&[i64], PartitionId),
) -> Option<Vec<i64>> {
    let setup = expander.setup;
    let mut left = vec![(state.to_vec(), partition)];
    for (at, rule) in setup.rules.iter().enumerate() {
        for (number, group) in rule.instances.family.groups.iter().enumerate() {
            let own = expander.partition(at, number);
            let mut still_left = Vec::new();
            for (state, coarse) in &left {
                let fine = partitions.meet(*coarse, own);
                for member in members(setup, partitions, state, (*coarse, fine)) {
                    let twins = twin_groups(&setup.action, &member, partitions.cells(fine));
                    let mut leads_on = false;
                    bindings(&setup.action, &rule.instances, Some(group), &twins, &mut |args| {
                        expander.fire(&member, RuleId(at as u32), args, &mut |end| {
                            leads_on |= is_way_on(mode, &member, end);
                        });
                    });
                    if !leads_on {
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

/// Whether a step keeps a state from being a deadlock.
pub(crate) fn is_way_on(mode: DeadlockMode, from: &[i64], end: End<'_>) -> bool {
    match mode {
        DeadlockMode::Off | DeadlockMode::Stuck => true,
        DeadlockMode::Stuttering => match end {
            End::Next(next) => next != from,
            End::Pruned => false,
            End::Fault => true,
        },
    }
}
