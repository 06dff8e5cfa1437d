//! The steps from all members of an orbit at once.
//!
// SOUND: a group of instances is invariant under the permutations within its partition Q. The orbit of a node (s, P) is
// covered by orbits (u, R) with R the meet of P and Q. A step of the group from u leads to a state v; permutations
// within R take it to steps of the group from the other members of (u, R), which lead to exactly the members of (v, R).
// So the steps from all u give all steps of the group from the node's orbit, and no others (Wahl, Theorem 6).

use burnside_interp::{Interpreter, Outcome};
use burnside_ir::{Layout, Model, RuleId};

use crate::bindings::{bindings, twin_groups};
use crate::partitions::{PartitionId, Partitions};
use crate::setup::{RuleSetup, Setup, Values};
use crate::unwind::{Wanted, unwind};

/// How a step ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End<'a> {
    Next(&'a [i64]),
    Pruned,
    Fault,
}

/// A step from a member of a node's orbit.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fired<'a> {
    pub(crate) rule: RuleId,
    pub(crate) group: usize,
    pub(crate) args: &'a [i64],
    /// The member.
    pub(crate) from: &'a [i64],
    /// The partition under which members and their steps are alike.
    pub(crate) partition: PartitionId,
    pub(crate) end: End<'a>,
}

/// Computes steps.
pub(crate) struct Expander<'m> {
    pub(crate) setup: &'m Setup,
    pub(crate) interpreter: Interpreter<'m>,
    probe: Interpreter<'m>,
    /// By rule and group.
    partitions: Vec<Vec<PartitionId>>,
}

impl<'m> Expander<'m> {
    pub(crate) fn new(
        (model, layout, limits): (&'m Model, &'m Layout, burnside_interp::Limits),
        setup: &'m Setup,
        partitions: &mut Partitions,
    ) -> Self {
        let ids = |rule: &RuleSetup| {
            rule.instances.family.groups.iter().map(|group| partitions.id(&group.partition)).collect()
        };
        Self {
            setup,
            interpreter: Interpreter::new(model, layout, limits).strict(&setup.strict),
            probe: Interpreter::new(&setup.probes, layout, limits).strict(&setup.strict),
            partitions: setup.rules.iter().map(ids).collect(),
        }
    }

    /// The partition of a group of a rule.
    pub(crate) fn partition(&self, rule: usize, group: usize) -> PartitionId {
        self.partitions[rule][group]
    }

    /// Fires one instance.
    pub(crate) fn fire(&mut self, state: &[i64], rule: RuleId, args: &[i64], then: &mut dyn FnMut(End<'_>)) {
        self.interpreter.fire(state, rule, args, |outcome| {
            then(match outcome {
                Outcome::Next(next) => End::Next(next),
                Outcome::Pruned => End::Pruned,
                Outcome::Fault(..) => End::Fault,
            });
        });
    }

    /// Gives `emit` steps that stand for all steps from a node's orbit.
    pub(crate) fn expand(
        &mut self,
        partitions: &mut Partitions,
        (state, partition): (&[i64], PartitionId),
        emit: &mut dyn FnMut(&mut Partitions, Fired<'_>),
    ) {
        let setup = self.setup;
        let twins = twin_groups(&setup.action, state, partitions.cells(partition));
        for (at, rule) in setup.rules.iter().enumerate() {
            let mut passing: Option<bool> = None;
            for group in 0..rule.instances.family.groups.len() {
                let finer = partitions.meet(partition, self.partitions[at][group]);
                let node = Source { rule: at, group, state, coarse: partition, fine: finer, twins: &twins };
                if finer == partition {
                    self.fire_group(partitions, &node, state, &twins, emit);
                    continue;
                }
                if !*passing.get_or_insert_with(|| self.may_pass(rule, state, &twins)) {
                    break;
                }
                match rule.instances.params[..] {
                    [Values::Points { .. }] => self.fire_pinned(partitions, &node, emit),
                    _ => self.fire_unwound(partitions, &node, emit),
                }
            }
        }
    }

    /// Fires all kinds of instances of a group in one state.
    fn fire_group(
        &mut self,
        partitions: &mut Partitions,
        node: &Source<'_>,
        from: &[i64],
        twins: &[Vec<usize>],
        emit: &mut dyn FnMut(&mut Partitions, Fired<'_>),
    ) {
        let setup = self.setup;
        let instances = &setup.rules[node.rule].instances;
        let group = &instances.family.groups[node.group];
        bindings(&setup.action, instances, Some(group), twins, &mut |args| {
            self.fire_one(partitions, node, from, args, emit);
        });
    }

    fn fire_one(
        &mut self,
        partitions: &mut Partitions,
        node: &Source<'_>,
        from: &[i64],
        args: &[i64],
        emit: &mut dyn FnMut(&mut Partitions, Fired<'_>),
    ) {
        let rule = RuleId(node.rule as u32);
        let (group, partition) = (node.group, node.fine);
        self.fire(from, rule, args, &mut |end| emit(partitions, Fired { rule, group, args, from, partition, end }));
    }

    /// Whether the part of a guard that is the same for all members of an orbit holds for some instance whose parameters
    /// are among these points.
    fn may_pass(&mut self, rule: &RuleSetup, state: &[i64], twins: &[Vec<usize>]) -> bool {
        let Some(probe) = rule.symmetric_part else { return true };
        let mut passes = false;
        bindings(&self.setup.action, &rule.instances, None, twins, &mut |args| {
            passes = passes || self.probe.fire(state, probe, args, |_| ()).is_some();
        });
        passes
    }

    /// Unwinds the orbit and fires all kinds of instances in each part.
    fn fire_unwound(
        &mut self,
        partitions: &mut Partitions,
        node: &Source<'_>,
        emit: &mut dyn FnMut(&mut Partitions, Fired<'_>),
    ) {
        let setup = self.setup;
        for member in members(setup, partitions, node.state, (node.coarse, node.fine)) {
            let twins = twin_groups(&setup.action, &member, partitions.cells(node.fine));
            self.fire_group(partitions, node, &member, &twins, emit);
        }
    }

    /// The same for a rule with one parameter: the parameter's place is chosen first, and what the guard says of every
    /// other point by itself then restricts where those may be.
    fn fire_pinned(
        &mut self,
        partitions: &mut Partitions,
        node: &Source<'_>,
        emit: &mut dyn FnMut(&mut Partitions, Fired<'_>),
    ) {
        let setup = self.setup;
        let rule = &setup.rules[node.rule];
        let &[Values::Points { first, .. }] = &rule.instances.params[..] else { panic!("one parameter over points") };
        let family = &rule.instances.family;
        let class = family.params[0].class;
        let first_point = setup.action.identities.classes()[class].first;
        let group_cells: Vec<usize> = family.groups[node.group].cells(0).collect();
        let (cells, rooms) = (partitions.cells(node.coarse).to_vec(), partitions.cells(node.fine).to_vec());
        let coarse = partitions.get(node.coarse).clone();
        for twins in node.twins.iter().filter(|twins| setup.action.identities.class_of(twins[0]) == class) {
            if !self.may_pass(rule, node.state, std::slice::from_ref(twins)) {
                continue;
            }
            let point = twins[0];
            for room in rooms.iter().filter(|room| coarse.cell_of(room[0]) == coarse.cell_of(point)) {
                if !group_cells.contains(&family.whole.cell_of(room[0])) {
                    continue;
                }
                // A cell that is not split stays as it is.
                let to = if room.len() == cells[coarse.cell_of(point)].len() { point } else { room[0] };
                let args = [first + (to - first_point) as i64];
                let Some(table) = self.restrictions(rule, node, (point, to), (&coarse, &rooms)) else { continue };
                let allows = |point: usize, room: usize| table.allows(point, room);
                let wanted = Wanted { pinned: Some((point, to)), allows: &allows };
                let mut found: Vec<Vec<i64>> = Vec::new();
                unwind(&setup.action, node.state, (&cells, &rooms), &wanted, &mut |images| {
                    let mut member = Vec::new();
                    setup.action.apply(images, node.state, &mut member);
                    found.push(member);
                });
                for member in &found {
                    self.fire_one(partitions, node, member, &args, emit);
                }
            }
        }
    }

    /// Where points may be if the rule is to fire with its parameter at `to`; `None` if it cannot.
    ///
    // SOUND: the probe looks at the parameter's and one other point's own slots and at shared ones, so its outcome is the
    // same in every member that has both points in these rooms. If it faults anywhere nothing is left out, so that every
    // fault of the guard is met; else members are left out only where the guard is false.
    fn restrictions(
        &mut self,
        rule: &RuleSetup,
        node: &Source<'_>,
        (point, to): (usize, usize),
        (coarse, rooms): (&burnside_group::Partition, &[Vec<usize>]),
    ) -> Option<Restrictions> {
        let everything = Some(Restrictions::default());
        let setup = self.setup;
        let Some((probe, each)) = &rule.each else { return everything };
        let identities = &setup.action.identities;
        let class = identities.class_of_type(each.ty).expect("points are quantified over");
        let mut restrictions = Restrictions { leaders: vec![0; identities.n_points()], allowed: Vec::new() };
        for twins in node.twins {
            twins.iter().for_each(|&twin| restrictions.leaders[twin] = twins[0]);
        }
        let &[Values::Points { first, .. }] = &rule.instances.params[..] else { return everything };
        let own_class = identities.class_of(point);
        let value = |lo: i64, class: usize, point: usize| lo + (point - identities.classes()[class].first) as i64;
        let each_lo = setup.probes.types.shape(each.ty).lo;
        let mut member = Vec::new();
        let mut holds = |other: usize, there: usize| {
            let mut images: Vec<u32> = (0..identities.n_points() as u32).collect();
            bring(&mut images, point, to);
            bring(&mut images, other, there);
            setup.action.apply(&images, node.state, &mut member);
            let args = [value(first, own_class, to), value(each_lo, class, there)];
            match self.probe.fire(&member, *probe, &args, |outcome| matches!(outcome, Outcome::Fault(..))) {
                Some(true) => None,
                outcome => Some(outcome.is_some()),
            }
        };
        if own_class == class && holds(point, to).is_none() {
            return everything;
        }
        for twins in node.twins.iter().filter(|twins| identities.class_of(twins[0]) == class) {
            let Some(&other) = twins.iter().find(|&&other| other != point) else { continue };
            for room in rooms.iter().filter(|room| coarse.cell_of(room[0]) == coarse.cell_of(other)) {
                let Some(&there) = room.iter().find(|&&there| there != to) else { continue };
                match holds(other, there) {
                    None => return everything,
                    Some(holds) if holds == each.wanted => restrictions.allowed.push((twins[0], room[0])),
                    Some(_) => {}
                }
            }
        }
        let is_split = |twins: &&Vec<usize>| {
            rooms.iter().filter(|room| coarse.cell_of(room[0]) == coarse.cell_of(twins[0])).count() > 1
        };
        let others = |twins: &&Vec<usize>| identities.class_of(twins[0]) == class && **twins != [point];
        let mut unsplit = node.twins.iter().filter(others).filter(|twins| !is_split(twins));
        let stuck = unsplit.any(|twins| !restrictions.allowed.iter().any(|&(leader, _)| leader == twins[0]));
        if stuck { None } else { Some(restrictions) }
    }
}

/// What is being expanded, and by which group.
struct Source<'a> {
    rule: usize,
    group: usize,
    state: &'a [i64],
    coarse: PartitionId,
    fine: PartitionId,
    /// Twins of the state within the coarse partition.
    twins: &'a [Vec<usize>],
}

/// Which groups of twins, by their least points, may be in which rooms, by theirs.
#[derive(Debug, Default)]
struct Restrictions {
    /// The least twin of each point; empty if everything is allowed.
    leaders: Vec<usize>,
    allowed: Vec<(usize, usize)>,
}

impl Restrictions {
    fn allows(&self, point: usize, room: usize) -> bool {
        self.leaders.is_empty() || self.allowed.contains(&(self.leaders[point], room))
    }
}

/// Changes a permutation so that it takes `point` to `to`.
fn bring(images: &mut [u32], point: usize, to: usize) {
    let holder = images.iter().position(|&image| image as usize == to).expect("permutations reach every point");
    images.swap(holder, point);
}

/// Members of a node's orbit whose orbits under a finer partition cover it.
pub(crate) fn members(
    setup: &Setup,
    partitions: &Partitions,
    state: &[i64],
    (coarse, fine): (PartitionId, PartitionId),
) -> Vec<Vec<i64>> {
    if coarse == fine {
        return vec![state.to_vec()];
    }
    let mut found = Vec::new();
    let (cells, rooms) = (partitions.cells(coarse), partitions.cells(fine));
    unwind(&setup.action, state, (cells, rooms), &Wanted::ALL, &mut |images| {
        let mut member = Vec::new();
        setup.action.apply(images, state, &mut member);
        found.push(member);
    });
    if !setup.action.is_simple() {
        for member in &mut found {
            *member = crate::canon::canonicalise(&setup.action, rooms, member).state;
        }
        found.sort_unstable();
        found.dedup();
    }
    found
}
