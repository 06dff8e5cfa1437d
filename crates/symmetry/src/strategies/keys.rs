//! What members of classes own themselves, other than references: SymmSpin's "control part".

use std::cmp::Ordering;

use crate::action::Action;
use crate::bits::Field;
use crate::partition::Partition;

/// Tells vertices apart by the values of their own slots.
#[derive(Debug, Clone)]
pub(super) struct Keys {
    /// By vertex, the slots that belong to it alone and refer to nobody; in the same order for all of a class.
    fields: Vec<Vec<Field>>,
    order: Vec<u32>,
    /// For each vertex, its place in the order of different keys of its class.
    ranks: Vec<u64>,
}

impl Keys {
    pub(super) fn new(action: &Action) -> Self {
        let mut fields = vec![Vec::new(); action.n_vertices()];
        for place in &action.places {
            if let ([vertex], None) = (&place.owners[..], place.table) {
                fields[*vertex as usize].push((place.role, place.field));
            }
        }
        let sorted = |mut fields: Vec<(u64, Field)>| {
            fields.sort_by_key(|&(role, _)| role);
            fields.into_iter().map(|(_, field)| field).collect()
        };
        let fields: Vec<Vec<Field>> = fields.into_iter().map(sorted).collect();
        Self { ranks: vec![0; fields.len()], order: Vec::new(), fields }
    }

    /// The vertices of each class in the order of their keys, those of equal keys in one cell and in the order of
    /// their names.
    pub(super) fn sort(&mut self, action: &Action, state: &[u64], partition: &mut Partition) {
        let Self { fields, order, ranks } = self;
        let compare = |one: u32, other: u32| -> Ordering {
            let values = |vertex: u32| fields[vertex as usize].iter().map(|field| field.read(state));
            values(one).cmp(values(other))
        };
        for class in action.classes() {
            order.clear();
            order.extend(class);
            order.sort_by(|&one, &other| compare(one, other));
            let mut rank = 0;
            for (at, &vertex) in order.iter().enumerate() {
                rank += u64::from(at > 0 && compare(order[at - 1], vertex).is_lt());
                ranks[vertex as usize] = rank;
            }
        }
        partition.reset(action.firsts());
        partition.split(ranks);
    }
}
