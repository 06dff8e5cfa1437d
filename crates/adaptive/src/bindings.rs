//! Instances of rules, one for each kind.
//!
// SOUND: exchanging twins within a cell leaves the state as it is and takes an instance to one whose step leads to a
// state of the same orbit. So of twins that no parameter is yet, only the least is tried.

use burnside_analysis::Group;

use crate::action::Action;
use crate::setup::{Instances, Values};

/// The points of a partition's cells, twins together.
pub(crate) fn twin_groups(action: &Action, state: &[i64], cells: &[Vec<usize>]) -> Vec<Vec<usize>> {
    cells.iter().flat_map(|cell| action.twins(state, cell)).collect()
}

/// Gives `emit` the arguments of instances in a group, or of all, at least one for each kind of instance in a state.
pub(crate) fn bindings(
    action: &Action,
    instances: &Instances,
    group: Option<&Group>,
    twins: &[Vec<usize>],
    emit: &mut dyn FnMut(&[i64]),
) {
    let mut walk = Walk { action, instances, group, twins, points: Vec::new(), args: Vec::new(), emit };
    walk.next();
}

struct Walk<'a> {
    action: &'a Action,
    instances: &'a Instances,
    group: Option<&'a Group>,
    twins: &'a [Vec<usize>],
    /// The points that parameters are so far.
    points: Vec<usize>,
    args: Vec<i64>,
    emit: &'a mut dyn FnMut(&[i64]),
}

impl Walk<'_> {
    fn next(&mut self) {
        let instances = self.instances;
        match instances.params.get(self.args.len()) {
            None => {
                if self.group.is_none_or(|group| instances.family.contains(group, &self.points)) {
                    (self.emit)(&self.args);
                }
            }
            Some(Values::Listed(values)) => {
                for &value in values {
                    self.args.push(value);
                    self.next();
                    self.args.pop();
                }
            }
            Some(&Values::Points { number, first }) => {
                let class = instances.family.params[number].class;
                let first_point = self.action.identities.classes()[class].first;
                for point in self.choices(class) {
                    self.points.push(point);
                    self.args.push(first + (point - first_point) as i64);
                    self.next();
                    self.args.pop();
                    self.points.pop();
                }
            }
        }
    }

    fn choices(&self, class: usize) -> Vec<usize> {
        let is_member = |point: usize| self.action.identities.class_of(point) == class;
        let unused = self.twins.iter().filter(|group| is_member(group[0]));
        let unused = unused.filter_map(|group| group.iter().copied().find(|point| !self.points.contains(point)));
        let mut choices: Vec<usize> = self.points.iter().copied().filter(|&point| is_member(point)).collect();
        choices.extend(unused);
        choices.sort_unstable();
        choices.dedup();
        choices
    }
}
