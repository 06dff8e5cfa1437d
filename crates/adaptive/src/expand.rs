//! The steps from all members of an orbit at once.
//!
// SOUND: a group of instances is invariant under the permutations within its partition Q. The orbit of a node (s, P) is
// covered by orbits (u, R) with R the meet of P and Q. A step of the group from u leads to a state v; permutations
// within R take it to steps of the group from the other members of (u, R), which lead to exactly the members of (v, R).
// So the steps from all u give all steps of the group from the node's orbit, and no others (Wahl, Theorem 6).

use burnside_interp::{RecordedStep, StepBuffer, StepEnd};
use burnside_ir::RuleId;
use burnside_step::Stepper;

use crate::bindings::{bindings, twin_groups};
use crate::partitions::PartitionId;
use crate::setup::{RuleSetup, Values};
use crate::unwind::{Pin, Refinement, Wanted};
use crate::worker::{Orbit, Worker};

/// Steps from members of a node's orbit, in the order in which they are to be looked at; the last one may be a fault.
pub(crate) struct Steps {
    records: StepBuffer,
    calls: Vec<Call>,
    /// Members other than the node's own state, one after another.
    members: Vec<u64>,
    yield_bits: f64,
}

/// Where some steps come from.
struct Call {
    rule: RuleId,
    group: u32,
    partition: PartitionId,
    /// The number of the member, unless it is the node's own state.
    from: Option<u32>,
    /// Where its steps end.
    end: usize,
}

/// A step from a member of a node's orbit.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fired<'a> {
    pub(crate) rule: RuleId,
    pub(crate) group: u32,
    /// The member, unless it is the node's own state.
    pub(crate) from: Option<&'a [u64]>,
    /// The partition under which members and their steps are alike.
    pub(crate) partition: PartitionId,
    pub(crate) step: RecordedStep<'a>,
}

impl Steps {
    pub(crate) fn new(n_words: usize) -> Self {
        Self { records: StepBuffer::new(n_words), calls: Vec::new(), members: Vec::new(), yield_bits: 0.0 }
    }

    /// Binary logarithm of how many states the node stands for, at most.
    pub(crate) fn yield_bits(&self) -> f64 {
        self.yield_bits
    }

    fn clear(&mut self) {
        self.records.clear();
        self.calls.clear();
        self.members.clear();
    }

    /// All steps in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Fired<'_>> {
        let n_words = self.records.stride() - 1;
        let mut begin = 0;
        self.calls.iter().flat_map(move |call| {
            let from = call.from.map(|number| &self.members[number as usize * n_words..][..n_words]);
            let &Call { rule, group, partition, end, .. } = call;
            let range = begin..end;
            begin = end;
            range.map(move |at| Fired { rule, group, from, partition, step: self.records.get(at) })
        })
    }

    /// Adds a member to fire rules in.
    fn add_member(&mut self, member: &[u64]) -> u32 {
        self.members.extend_from_slice(member);
        (self.members.len() / member.len()) as u32 - 1
    }

    fn has_faulted(&self) -> bool {
        self.records.len().checked_sub(1).is_some_and(|last| self.records.get(last).end == StepEnd::Fault)
    }
}

/// What is being expanded, and by which group.
struct Source<'a> {
    rule: usize,
    group: usize,
    orbit: Orbit<'a>,
    /// The partition under which members and their steps are alike.
    fine: PartitionId,
    /// Twins of the state within the orbit's partition.
    twins: &'a [Vec<u32>],
}

/// A member of the orbit in which instances are fired.
#[derive(Clone, Copy)]
struct Member<'a> {
    state: &'a [u64],
    /// Its number among the steps' members, unless it is the node's own state.
    number: Option<u32>,
}

impl Worker<'_> {
    /// Computes steps that stand for all steps from a node's orbit, up to the first that faults.
    pub(crate) fn expand(&mut self, orbit: Orbit<'_>, steps: &mut Steps) {
        steps.clear();
        let setup = self.setup;
        let Orbit { state, partition } = orbit;
        let cells = self.partitions.get(partition);
        let twins = twin_groups(&mut self.arranger, state, &cells.cells);
        let bits = |n: usize| setup.log_factorials[n];
        steps.yield_bits = cells.cells.iter().map(|cell| bits(cell.len())).sum::<f64>()
            - twins.iter().map(|group| bits(group.len())).sum::<f64>();
        for (at, rule) in setup.rules.iter().enumerate() {
            let mut passing: Option<bool> = None;
            for group in 0..rule.instances.family.groups.len() {
                let fine = self.partitions.meet(partition, self.group(at, group));
                let node = Source { rule: at, group, orbit, fine, twins: &twins };
                if fine == partition {
                    self.fire_group(&node, Member { state, number: None }, &twins, steps);
                } else {
                    if !*passing.get_or_insert_with(|| self.may_pass(rule, state, &twins)) {
                        break;
                    }
                    match rule.instances.params[..] {
                        [Values::Points { .. }] => self.fire_pinned(&node, steps),
                        _ => self.fire_unwound(&node, steps),
                    }
                }
                if steps.has_faulted() {
                    return;
                }
            }
        }
    }

    /// Fires all kinds of instances of a group in one state.
    fn fire_group(&mut self, node: &Source<'_>, member: Member<'_>, twins: &[Vec<u32>], steps: &mut Steps) {
        let setup = self.setup;
        let instances = &setup.rules[node.rule].instances;
        bindings(&setup.identities, instances, Some(node.group), twins, &mut |args| {
            if !steps.has_faulted() {
                self.fire_one(node, member, args, steps);
            }
        });
    }

    fn fire_one(&mut self, node: &Source<'_>, member: Member<'_>, args: &[Option<i64>], steps: &mut Steps) {
        let rule = RuleId(node.rule as u32);
        let before = steps.records.len();
        self.stepper.fire_some(member.state, rule, args, &mut steps.records);
        let end = steps.records.len();
        if end > before {
            steps.calls.push(Call { rule, group: node.group as u32, partition: node.fine, from: member.number, end });
        }
    }

    /// Whether the part of a guard that is the same for all members of an orbit holds for some instance whose parameters
    /// are among these points.
    fn may_pass(&mut self, rule: &RuleSetup, state: &[u64], twins: &[Vec<u32>]) -> bool {
        let Some(probe) = rule.symmetric_part else { return true };
        let Self { setup, stepper, probed, .. } = self;
        probed.clear();
        bindings(&setup.identities, &rule.instances, None, twins, &mut |args| {
            if probed.is_empty() {
                stepper.fire_some(state, probe, args, probed);
            }
        });
        !probed.is_empty()
    }

    /// Unwinds the orbit and fires all kinds of instances in each part.
    fn fire_unwound(&mut self, node: &Source<'_>, steps: &mut Steps) {
        let rooms = self.partitions.get(node.fine);
        for state in self.members(node.orbit, node.fine) {
            let twins = twin_groups(&mut self.arranger, &state, &rooms.cells);
            let member = Member { state: &state, number: Some(steps.add_member(&state)) };
            self.fire_group(node, member, &twins, steps);
            if steps.has_faulted() {
                return;
            }
        }
    }

    /// The same for a rule with one parameter: the parameter's place is chosen first, and what the guard says of every
    /// other point by itself then restricts where those may be.
    fn fire_pinned(&mut self, node: &Source<'_>, steps: &mut Steps) {
        let setup = self.setup;
        let rule = &setup.rules[node.rule];
        let &[Values::Points { first, .. }] = &rule.instances.params[..] else { panic!("one parameter over points") };
        let family = &rule.instances.family;
        let class = family.params[0].class;
        let first_point = setup.identities.classes()[class].first;
        let group_cells: Vec<usize> = family.groups[node.group].cells(0).collect();
        let (coarse, fine) = (self.partitions.get(node.orbit.partition), self.partitions.get(node.fine));
        let cell_of = |point: u32| coarse.partition.cell_of(point as usize);
        for twins in node.twins.iter().filter(|twins| setup.identities.class_of(twins[0] as usize) == class) {
            if !self.may_pass(rule, node.orbit.state, std::slice::from_ref(twins)) {
                continue;
            }
            let point = twins[0];
            let own_cell = coarse.cells.iter().find(|cell| cell.contains(&point)).expect("cells cover all points");
            for room in fine.cells.iter().filter(|room| cell_of(room[0]) == cell_of(point)) {
                if !group_cells.contains(&family.whole.cell_of(room[0] as usize)) {
                    continue;
                }
                // A cell that is not split stays as it is.
                let to = if room.len() == own_cell.len() { point } else { room[0] };
                let args = [Some(first + (to as usize - first_point) as i64)];
                let pin = Pin { point, to };
                let Some(table) = self.restrictions(rule, node, pin) else { continue };
                let allows = |point: u32, room: u32| table.allows(point, room);
                let wanted = Wanted { pinned: Some(pin), allows: &allows };
                let refinement = Refinement { coarse: &coarse.cells, fine: &fine.cells };
                for state in self.unwound(node.orbit.state, refinement, &wanted) {
                    let member = Member { state: &state, number: Some(steps.add_member(&state)) };
                    self.fire_one(node, member, &args, steps);
                    if steps.has_faulted() {
                        return;
                    }
                }
            }
        }
    }

    /// Where points may be if the rule is to fire with its parameter where it is pinned; `None` if it cannot.
    ///
    // SOUND: the probe looks at the parameter's and one other point's own slots and at shared ones, so its outcome is the
    // same in every member that has both points in these rooms. If it faults anywhere nothing is left out, so that every
    // fault of the guard is met; else members are left out only where the guard is false.
    fn restrictions(&mut self, rule: &RuleSetup, node: &Source<'_>, pin: Pin) -> Option<Restrictions> {
        let Pin { point, to } = pin;
        let (coarse, fine) = (self.partitions.get(node.orbit.partition), self.partitions.get(node.fine));
        let everything = Some(Restrictions::default());
        let Some((probe, each)) = &rule.each else { return everything };
        let Self { setup, stepper, arranger, probed, .. } = self;
        let identities = &setup.identities;
        let class = identities.class_of_type(each.ty).expect("points are quantified over");
        let &[Values::Points { first, .. }] = &rule.instances.params[..] else { return everything };
        let mut restrictions = Restrictions { leaders: vec![0; identities.n_points()], allowed: Vec::new() };
        for twins in node.twins {
            twins.iter().for_each(|&twin| restrictions.leaders[twin as usize] = twins[0]);
        }
        let class_of = |point: u32| identities.class_of(point as usize);
        let cell_of = |point: u32| coarse.partition.cell_of(point as usize);
        let value = |lo: i64, class: usize, at: u32| lo + (i64::from(at) - identities.classes()[class].first as i64);
        let each_lo = setup.extended.types.shape(each.ty).lo;
        let mut member = Vec::new();
        let mut holds = |other: u32, there: u32| {
            let mut images: Vec<u32> = (0..identities.n_points() as u32).collect();
            bring(&mut images, point, to);
            bring(&mut images, other, there);
            arranger.rename(&images, node.orbit.state, &mut member);
            let args = [Some(value(first, class_of(point), to)), Some(value(each_lo, class, there))];
            probed.clear();
            stepper.fire_some(&member, *probe, &args, probed);
            match probed.is_empty() {
                true => Some(false),
                false if probed.get(0).end == StepEnd::Fault => None,
                false => Some(true),
            }
        };
        if class_of(point) == class && holds(point, to).is_none() {
            return everything;
        }
        for twins in node.twins.iter().filter(|twins| class_of(twins[0]) == class) {
            let Some(&other) = twins.iter().find(|&&other| other != point) else { continue };
            for room in fine.cells.iter().filter(|room| cell_of(room[0]) == cell_of(other)) {
                let Some(&there) = room.iter().find(|&&there| there != to) else { continue };
                match holds(other, there) {
                    None => return everything,
                    Some(holds) if holds == each.wanted => restrictions.allowed.push((twins[0], room[0])),
                    Some(_) => {}
                }
            }
        }
        let is_split =
            |twins: &&Vec<u32>| fine.cells.iter().filter(|room| cell_of(room[0]) == cell_of(twins[0])).count() > 1;
        let others = |twins: &&Vec<u32>| class_of(twins[0]) == class && **twins != [point];
        let mut unsplit = node.twins.iter().filter(others).filter(|twins| !is_split(twins));
        let stuck = unsplit.any(|twins| !restrictions.allowed.iter().any(|&(leader, _)| leader == twins[0]));
        if stuck { None } else { Some(restrictions) }
    }
}

/// Which groups of twins, by their least points, may be in which rooms, by theirs.
#[derive(Debug, Default)]
struct Restrictions {
    /// The least twin of each point; empty if everything is allowed.
    leaders: Vec<u32>,
    allowed: Vec<(u32, u32)>,
}

impl Restrictions {
    fn allows(&self, point: u32, room: u32) -> bool {
        self.leaders.is_empty() || self.allowed.contains(&(self.leaders[point as usize], room))
    }
}

/// Changes a permutation so that it takes `point` to `to`.
fn bring(images: &mut [u32], point: u32, to: u32) {
    let holder = images.iter().position(|&image| image == to).expect("permutations reach every point");
    images.swap(holder, point as usize);
}
