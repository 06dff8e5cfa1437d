//! Into which orbits steps lead from an orbit, and whether they do so from each of its members.
//!
// SOUND: let G be all permutations of the classes, A an orbit of G. Steps by a group of instances with partition Q from a
// member u into an orbit B lead from all members of the orbit of u under ⟨R⟩ into B, if R is finer than Q: permutations in
// ⟨R⟩ commute with the steps, and B is closed under them. So A is split for one group after the other; parts from which the
// group leads into B are done with, and B is a follower of every member if nothing is left. What is left has no step into B:
// all groups that have one from some member were tried in it. If every member of every orbit met has steps into the same
// orbits, then lying in the same orbit is a bisimulation on all members of these orbits, and all that can be reached are
// among them.

use burnside_engine::Witness;
use burnside_interp::{StepBuffer, StepEnd};
use burnside_ir::RuleId;
use burnside_step::Stepper;

use crate::bindings::{bindings, twin_groups};
use crate::expand::Steps;
use crate::partitions::PartitionId;
use crate::worker::{Orbit, Worker};

/// An orbit is given up if it is split into more parts.
const MOST_PARTS: usize = 1 << 12;

/// An orbit that steps lead to, from each member of another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Follower {
    /// Its representative.
    pub(crate) state: Vec<u64>,
    /// A rule that leads there from some member.
    pub(crate) rule: RuleId,
}

/// Why an orbit is not known to be like one state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Lack {
    /// Its members differ.
    Differs(Box<Witness>),
    /// A rule faults, or an assumption fails, in some member.
    Exceptional,
    /// It has too many parts.
    TooLarge,
}

/// An orbit that steps of some members lead to.
struct Target {
    follower: Follower,
    /// A member that has such a step, and where it leads.
    from: Vec<u64>,
    to: Vec<u64>,
    /// Whether all members are known to have one.
    is_certain: bool,
    /// The rules and groups that have such steps from some members.
    groups: Vec<(usize, usize)>,
}

impl Worker<'_> {
    /// What follows every member of the orbit of a state under the coarsest partition, `all`.
    pub(crate) fn followers(&mut self, orbit: Orbit<'_>, steps: &mut Steps) -> Result<Vec<Follower>, Lack> {
        let targets = self.targets(orbit, steps)?;
        for target in targets.iter().filter(|target| !target.is_certain) {
            self.follows_all(target, orbit)?;
        }
        Ok(targets.into_iter().map(|target| target.follower).collect())
    }

    /// What follows some member.
    pub(crate) fn possible_followers(&mut self, orbit: Orbit<'_>, steps: &mut Steps) -> Result<Vec<Follower>, Lack> {
        Ok(self.targets(orbit, steps)?.into_iter().map(|target| target.follower).collect())
    }

    fn targets(&mut self, orbit: Orbit<'_>, steps: &mut Steps) -> Result<Vec<Target>, Lack> {
        let Orbit { state, partition: all } = orbit;
        self.expand(orbit, steps);
        let mut targets: Vec<Target> = Vec::new();
        for fired in steps.iter() {
            if fired.step.end != StepEnd::Next {
                return Err(Lack::Exceptional);
            }
            let representative = self.representative(fired.step.state.to_vec(), all);
            let known = targets.iter().position(|it| it.follower.state == representative);
            let at = known.unwrap_or_else(|| {
                targets.push(Target {
                    follower: Follower { state: representative, rule: fired.rule },
                    from: fired.from.unwrap_or(state).to_vec(),
                    to: fired.step.state.to_vec(),
                    is_certain: false,
                    groups: Vec::new(),
                });
                targets.len() - 1
            });
            let target = &mut targets[at];
            target.is_certain |= fired.partition == all;
            let group = (fired.rule.index(), fired.group as usize);
            if !target.groups.contains(&group) {
                target.groups.push(group);
            }
        }
        Ok(targets)
    }

    /// The state that stands for a state's orbit under all permutations.
    pub(crate) fn representative(&mut self, mut state: Vec<u64>, all: PartitionId) -> Vec<u64> {
        let cells = self.partitions.get(all);
        self.arranger.canonicalise(&cells.cells, &mut state);
        state
    }

    /// Whether each member of an orbit has a step to the target.
    // PERF: where those that come first take precedence over others, one order of groups leaves one part at each turn, the
    // other exponentially many; both are tried.
    fn follows_all(&mut self, target: &Target, orbit: Orbit<'_>) -> Result<(), Lack> {
        let backward: Vec<(usize, usize)> = target.groups.iter().rev().copied().collect();
        for groups in [&target.groups, &backward] {
            match self.left_over(groups, target, orbit) {
                None => {}
                Some(None) => return Ok(()),
                Some(Some(member)) => {
                    let (from, to) = (target.from.as_slice().into(), target.to.as_slice().into());
                    let witness = Witness { rule: target.follower.rule, from, to, without: member.into() };
                    return Err(Lack::Differs(Box::new(witness)));
                }
            }
        }
        Err(Lack::TooLarge)
    }

    /// A member that no group leads to the target from, if there is one; nothing if there are too many parts.
    fn left_over(&mut self, groups: &[(usize, usize)], target: &Target, orbit: Orbit<'_>) -> Option<Option<Vec<u64>>> {
        let aim = Orbit { state: &target.follower.state, partition: orbit.partition };
        let mut left = vec![(orbit.state.to_vec(), orbit.partition)];
        for &(rule, group) in groups {
            let own = self.group(rule, group);
            let mut still_left = Vec::new();
            for (state, coarse) in &left {
                let fine = self.partitions.meet(*coarse, own);
                for member in self.members(Orbit { state, partition: *coarse }, fine) {
                    if !self.leads_to((rule, group), Orbit { state: &member, partition: fine }, aim) {
                        still_left.push((member, fine));
                    }
                }
                if still_left.len() > MOST_PARTS {
                    return None;
                }
            }
            left = still_left;
        }
        Some(left.into_iter().next().map(|(state, _)| state))
    }

    /// Whether some instance in a group of a rule leads from all states of a part into an orbit.
    fn leads_to(&mut self, (rule, group): (usize, usize), part: Orbit<'_>, aim: Orbit<'_>) -> bool {
        let Orbit { state, partition } = part;
        let cells = self.partitions.get(partition);
        let twins = twin_groups(&mut self.arranger, state, &cells.cells);
        let setup = self.setup;
        let mut buffer = StepBuffer::new(state.len());
        let mut leads = false;
        bindings(&setup.identities, &setup.rules[rule].instances, Some(group), &twins, &mut |args| {
            if leads {
                return;
            }
            buffer.clear();
            self.stepper.fire_some(state, RuleId(rule as u32), args, &mut buffer);
            for at in 0..buffer.len() {
                let step = buffer.get(at);
                leads |=
                    step.end == StepEnd::Next && self.representative(step.state.to_vec(), aim.partition) == aim.state;
            }
        });
        leads
    }
}
