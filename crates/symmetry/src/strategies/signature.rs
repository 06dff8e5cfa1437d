//! Hashes of states that do not depend on names.

use burnside_group::mix;

use super::Renamer;
use crate::action::{Action, Multiset, Place};
use crate::bits::{Field, fields};
use crate::picture::{Group, Pair};

/// Computes for each vertex how it occurs in a state, and for the state what it looks like when each vertex is
/// replaced by that.
#[derive(Debug, Clone)]
pub(super) struct Signature {
    /// Slots that belong to no vertex, with the table that tells whether they refer to one.
    plain: Vec<(Field, Option<u32>)>,
    /// Multisets that belong to no vertex and refer to none, as fields.
    multisets: Vec<Field>,
    /// The first vertex of each class, and one past the last of all.
    firsts: Vec<u32>,
    occurrences: Vec<u64>,
}

impl Signature {
    pub(super) fn new(action: &Action) -> Self {
        let plain = action.places.iter().filter(|place| place.owners.is_empty());
        let is_plain = |multiset: &&Multiset| {
            let names_none = |place: &Place| place.owners.is_empty() && place.table.is_none();
            multiset.owners.is_empty() && multiset.places.iter().all(names_none)
        };
        let multisets = action.multisets.iter().filter(is_plain);
        Self {
            plain: plain.map(|place| (place.field, place.table)).collect(),
            multisets: multisets.flat_map(|it| fields(it.presence.bit, it.stride * it.capacity)).collect(),
            firsts: action.firsts().to_vec(),
            occurrences: vec![0; action.n_vertices()],
        }
    }

    /// The hash of the state that the renamer has read last. Equal for all states of an orbit.
    pub(super) fn of(&mut self, renamer: &Renamer<'_>, state: &[u64]) -> u64 {
        self.count_occurrences(renamer);
        let Self { plain, multisets, firsts, occurrences } = self;
        let mut hash = 0;
        for &(field, table) in plain.iter() {
            let code = field.read(state);
            let is_name = table.is_some_and(|table| renamer.action.target(table, code).is_some());
            hash = mix(hash, if is_name { 0 } else { code + 1 });
        }
        hash = multisets.iter().fold(hash, |hash, field| mix(hash, field.read(state)));
        for class in firsts.windows(2) {
            let members = &occurrences[class[0] as usize..class[1] as usize];
            hash = mix(hash, members.iter().map(|&it| mix(it, 0x6d65_6d62)).fold(0, u64::wrapping_add));
        }
        let at = |vertex: u32| occurrences[vertex as usize];
        let pairs = renamer.picture.pairs().iter();
        let pairs = pairs.map(|&Pair { label, vertices: [from, to] }| mix(mix(label, at(from)), at(to)));
        let groups = renamer.picture.groups().map(|Group { label, ends }| {
            let ends = ends.iter().map(|end| mix(end.role, at(end.vertex)));
            mix(label, ends.fold(0, u64::wrapping_add))
        });
        mix(hash, pairs.chain(groups).fold(0, u64::wrapping_add))
    }

    /// For each vertex, a hash of how it occurs in the state looked at last. Equal for vertices that a permutation
    /// between states of an orbit maps to each other.
    pub(super) fn occurrences(&self) -> &[u64] {
        &self.occurrences
    }

    fn count_occurrences(&mut self, renamer: &Renamer<'_>) {
        let occurrences = &mut self.occurrences;
        occurrences.copy_from_slice(renamer.picture.colours());
        let mut add = |vertex: u32, hash: u64| {
            let occurrence = &mut occurrences[vertex as usize];
            *occurrence = occurrence.wrapping_add(hash);
        };
        for &Pair { label, vertices: [from, to] } in renamer.picture.pairs() {
            add(from, mix(label, 1));
            add(to, mix(label, 2));
        }
        for Group { label, ends } in renamer.picture.groups() {
            for end in ends {
                add(end.vertex, mix(label, end.role));
            }
        }
    }
}
