//! Instances of rules, one for each kind.
//!
// SOUND: exchanging twins within a cell leaves the state as it is and takes an instance to one whose step leads to a
// state of the same orbit. So of twins that no parameter is yet, only the least is tried.

use burnside_analysis::Identities;
use burnside_symmetry::{Arranger, Cells};

use crate::setup::{Instances, Values};

/// The points of a partition's cells, twins together.
pub(crate) fn twin_groups(arranger: &mut Arranger<'_>, state: &[u64], cells: &Cells) -> Vec<Vec<u32>> {
    cells.iter().flat_map(|cell| arranger.twins(state, cell)).collect()
}

/// Gives `emit` the parameters of instances in a group, or of all, such that there is at least one for each kind of
/// instance in a state. Parameters that are no points are left open: they take all their values.
pub(crate) fn bindings(
    identities: &Identities,
    instances: &Instances,
    group: Option<usize>,
    twins: &[Vec<u32>],
    emit: &mut dyn FnMut(&[Option<i64>]),
) {
    let mut args = vec![None; instances.params.len()];
    // PERF: most rules have at most one parameter over points, and this is where they are tried in every state.
    match instances.family.params[..] {
        [] => emit(&args),
        [param] => {
            let class = &identities.classes()[param.class];
            let &Values::Points { first, .. } = &instances.params[param.at] else { panic!("it ranges over points") };
            for group_of_twins in twins {
                let point = group_of_twins[0] as usize;
                let is_member = (class.first..class.first + class.size).contains(&point);
                if is_member && group.is_none_or(|group| instances.single_group[point - class.first] == group as u32) {
                    args[param.at] = Some(first + (point - class.first) as i64);
                    emit(&args);
                }
            }
        }
        _ => {
            args.clear();
            Walk { identities, instances, group, twins, points: Vec::new(), args, emit }.next();
        }
    }
}

struct Walk<'a> {
    identities: &'a Identities,
    instances: &'a Instances,
    group: Option<usize>,
    twins: &'a [Vec<u32>],
    /// The points that parameters are so far.
    points: Vec<usize>,
    args: Vec<Option<i64>>,
    emit: &'a mut dyn FnMut(&[Option<i64>]),
}

impl Walk<'_> {
    fn next(&mut self) {
        let instances = self.instances;
        match instances.params.get(self.args.len()) {
            None => {
                let family = &instances.family;
                if self.group.is_none_or(|group| family.contains(&family.groups[group], &self.points)) {
                    (self.emit)(&self.args);
                }
            }
            Some(Values::Any) => {
                self.args.push(None);
                self.next();
                self.args.pop();
            }
            Some(&Values::Points { number, first }) => {
                let class = instances.family.params[number].class;
                let first_point = self.identities.classes()[class].first;
                for point in self.choices(class) {
                    self.points.push(point);
                    self.args.push(Some(first + (point - first_point) as i64));
                    self.next();
                    self.args.pop();
                    self.points.pop();
                }
            }
        }
    }

    fn choices(&self, class: usize) -> Vec<usize> {
        let class = &self.identities.classes()[class];
        let is_member = |point: usize| (class.first..class.first + class.size).contains(&point);
        let unused = self.twins.iter().filter(|group| is_member(group[0] as usize));
        let unused = unused
            .filter_map(|group| group.iter().map(|&point| point as usize).find(|point| !self.points.contains(point)));
        let mut choices: Vec<usize> = self.points.iter().copied().filter(|&point| is_member(point)).collect();
        choices.extend(unused);
        choices.sort_unstable();
        choices.dedup();
        choices
    }
}
