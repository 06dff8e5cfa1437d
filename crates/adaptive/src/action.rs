//! How permutations of points act on unpacked states.
//!
//! A slot inside an array over a class belongs to the point of its index and moves with it; a slot that holds a member
//! of a class refers to that point and is renamed. A slot that belongs to one point and refers to none is *local*; one
//! that belongs to none and refers to none is *shared*. All others are *linked*, and models without them are simple:
//! a point is then known by its local slots alone.

use std::cmp::Ordering;

use burnside_analysis::Identities;
use burnside_ir::{GlobalId, Layout, Model, Type, TypeId};

/// The action on the states of one model.
#[derive(Debug, Clone)]
pub(crate) struct Action {
    pub(crate) identities: Identities,
    pub(crate) n_slots: usize,
    /// By point: its local slots, in the same order for all points of a class.
    local: Vec<Vec<u32>>,
    shared: Vec<u32>,
    pub(crate) linked: Vec<Link>,
    /// Local slots with the point they belong to and the distance to the next point's.
    moves: Vec<(u32, u32, i64)>,
}

/// A slot that belongs to several points or refers to one.
#[derive(Debug, Clone)]
pub(crate) struct Link {
    pub(crate) slot: u32,
    /// The same for slots that permutations exchange, different otherwise.
    pub(crate) role: u64,
    /// Points it belongs to, outermost array first, with the distance in slots to the next point.
    pub(crate) owners: Vec<(u32, i64)>,
    /// The type of its value, if that may refer to a point.
    pub(crate) ty: Option<TypeId>,
}

impl Action {
    pub(crate) fn new(model: &Model, layout: &Layout, identities: &Identities) -> Self {
        let n_points = identities.n_points();
        let mut action = Self {
            identities: identities.clone(),
            n_slots: layout.slots().len(),
            local: vec![Vec::new(); n_points],
            shared: Vec::new(),
            linked: Vec::new(),
            moves: Vec::new(),
        };
        for (at, global) in model.globals.iter().enumerate() {
            let slot = layout.global(GlobalId(at as u32));
            action.place(model, global.ty, slot, mix(0x676c_6f62, at as u64), &[]);
        }
        action
    }

    fn place(&mut self, model: &Model, ty: TypeId, slot: u32, role: u64, owners: &[(u32, i64)]) {
        let types = &model.types;
        match types.get(ty) {
            &Type::Array { index, element } => {
                let stride = types.shape(element).n_slots;
                let shape = types.shape(index);
                for (number, value) in (shape.lo..=shape.hi).enumerate() {
                    let at = slot + number as u32 * stride;
                    match self.identities.point(index, value) {
                        Some(point) => {
                            let owners = [owners, &[(point as u32, i64::from(stride))]].concat();
                            // Unions hold members of several classes, so the class is part of the role.
                            let role = mix(role, 0x2_0000 + self.identities.class_of(point) as u64);
                            self.place(model, element, at, role, &owners);
                        }
                        None => self.place(model, element, at, mix(role, 0x1_0000_0000 + number as u64), owners),
                    }
                }
            }
            Type::Record { fields } => {
                let mut at = slot;
                for (number, field) in fields.iter().enumerate() {
                    self.place(model, field.ty, at, mix(role, number as u64 + 1), owners);
                    at += types.shape(field.ty).n_slots;
                }
            }
            _ => self.scalar(ty, slot, role, owners),
        }
    }

    fn scalar(&mut self, ty: TypeId, slot: u32, role: u64, owners: &[(u32, i64)]) {
        match (owners, self.identities.acts_on(ty)) {
            ([], false) => self.shared.push(slot),
            ([(point, stride)], false) => {
                self.local[*point as usize].push(slot);
                self.moves.push((slot, *point, *stride));
            }
            (_, acts) => {
                self.linked.push(Link { slot, role, owners: owners.to_vec(), ty: acts.then_some(ty) });
            }
        }
    }

    /// Whether points are known by their local slots alone.
    pub(crate) fn is_simple(&self) -> bool {
        self.linked.is_empty()
    }

    /// The state after every point moved to its image.
    pub(crate) fn apply(&self, images: &[u32], from: &[i64], to: &mut Vec<i64>) {
        to.clear();
        to.extend_from_slice(from);
        for &(slot, point, stride) in &self.moves {
            let image = images[point as usize];
            if image != point {
                let moved = i64::from(slot) + (i64::from(image) - i64::from(point)) * stride;
                to[moved as usize] = from[slot as usize];
            }
        }
        for link in &self.linked {
            let mut slot = i64::from(link.slot);
            for &(point, stride) in &link.owners {
                slot += (i64::from(images[point as usize]) - i64::from(point)) * stride;
            }
            let value = from[link.slot as usize];
            to[slot as usize] = link.ty.map_or(value, |ty| self.identities.rename(ty, value, images));
        }
    }

    /// The order of two points of a class by their local slots.
    pub(crate) fn compare_local(&self, state: &[i64], one: usize, other: usize) -> Ordering {
        // PERF: one local slot is the usual case, and this is where simple models spend their time.
        if let ([one], [other]) = (&self.local[one][..], &self.local[other][..]) {
            return state[*one as usize].cmp(&state[*other as usize]);
        }
        let values = |point: usize| self.local[point].iter().map(|&slot| state[slot as usize]);
        values(one).cmp(values(other))
    }

    /// Whether exchanging two points leaves the state as it is.
    pub(crate) fn are_twins(&self, state: &[i64], one: usize, other: usize) -> bool {
        if one == other {
            return true;
        }
        if self.compare_local(state, one, other).is_ne() {
            return false;
        }
        let exchanged = |point: usize| match point {
            _ if point == one => other,
            _ if point == other => one,
            _ => point,
        };
        self.linked.iter().all(|link| {
            let mut slot = i64::from(link.slot);
            for &(point, stride) in &link.owners {
                slot += (exchanged(point as usize) as i64 - i64::from(point)) * stride;
            }
            let value = state[link.slot as usize];
            let target = link.ty.and_then(|ty| self.identities.point(ty, value));
            let renamed = target.map_or(value, |point| value + exchanged(point) as i64 - point as i64);
            state[slot as usize] == renamed
        })
    }

    /// The points of a cell, twins together, each group ascending, the groups by their least points.
    pub(crate) fn twins(&self, state: &[i64], cell: &[usize]) -> Vec<Vec<usize>> {
        let mut groups: Vec<Vec<usize>> = Vec::new();
        for &point in cell {
            match groups.iter_mut().find(|group| self.are_twins(state, group[0], point)) {
                Some(group) => group.push(point),
                None => groups.push(vec![point]),
            }
        }
        groups
    }

    /// What a point's local slots hold, as a number.
    pub(crate) fn local_hash(&self, state: &[i64], point: usize) -> u64 {
        let class = self.identities.class_of(point) as u64;
        self.local[point].iter().fold(mix(0x706f_696e, class), |hash, &slot| mix(hash, state[slot as usize] as u64))
    }

    /// A number that no permutation changes.
    pub(crate) fn orbit_hash(&self, state: &[i64]) -> u64 {
        let mut hash = self.shared.iter().fold(0x6f72_6269, |hash, &slot| mix(hash, state[slot as usize] as u64));
        let colours: Vec<u64> = (0..self.local.len()).map(|point| self.local_hash(state, point)).collect();
        for &colour in &colours {
            hash = hash.wrapping_add(mix(colour, 0x6c6f_6361));
        }
        for link in &self.linked {
            hash = hash.wrapping_add(self.link_hash(link, state, &colours));
        }
        hash
    }

    /// What a linked slot says, given how its points look.
    pub(crate) fn link_hash(&self, link: &Link, state: &[i64], colours: &[u64]) -> u64 {
        let mut hash = link.role;
        for &(point, _) in &link.owners {
            hash = mix(hash, colours[point as usize]);
        }
        let value = state[link.slot as usize];
        match link.ty.and_then(|ty| self.identities.point(ty, value)) {
            Some(target) => {
                let own = link.owners.iter().position(|&(point, _)| point as usize == target);
                mix(mix(hash, colours[target]), own.map_or(0, |at| at as u64 + 1))
            }
            None => mix(hash, value as u64),
        }
    }
}

/// Folds a number into a hash.
pub(crate) fn mix(hash: u64, number: u64) -> u64 {
    let product = u128::from(hash ^ 0x9e37_79b9_7f4a_7c15) * u128::from(number ^ 0xd6e8_feb8_6659_fd93);
    (product as u64) ^ (product >> 64) as u64 ^ number.rotate_left(32)
}
