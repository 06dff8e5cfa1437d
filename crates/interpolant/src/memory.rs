//! What a step writes, and reading through it. Which write a read meets is a fact about indices.

use burnside_ir::{Type, TypeId, UNDEFINED};
use rustc_hash::FxHashMap;

use crate::term::{Address, AddressId, Index, Root, Term};
use crate::trace::{Stop, Traced, Tracer};

/// A place of any type, with its indices evaluated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Spot {
    pub(crate) root: Root,
    pub(crate) offset: u32,
    pub(crate) indices: Vec<Index>,
    pub(crate) ty: TypeId,
}

/// A write to a scalar.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Write {
    pub(crate) address: AddressId,
    pub(crate) value: Term,
}

/// All writes of a step in order. Addresses that agree in root and offset, and only those, can lead to the same slot.
#[derive(Debug, Clone, Default)]
pub(crate) struct Log {
    writes: FxHashMap<(Root, u32), Vec<Write>>,
    /// The keys of writes to the state, in the order of their first write.
    regions: Vec<u32>,
}

impl Log {
    fn add(&mut self, key: (Root, u32), write: Write) {
        let writes = self.writes.entry(key).or_default();
        if writes.is_empty() && key.0 == Root::State {
            self.regions.push(key.1);
        }
        // What is written again is never seen again.
        writes.retain(|it| it.address != write.address);
        writes.push(write);
    }

    fn get(&self, key: (Root, u32)) -> &[Write] {
        self.writes.get(&key).map_or(&[], Vec::as_slice)
    }

    /// The writes to the state, region by region.
    pub(crate) fn to_state(&self) -> impl Iterator<Item = &Write> {
        self.regions.iter().flat_map(|&offset| self.get((Root::State, offset)))
    }

    /// Forgets the step's own variables.
    pub(crate) fn keep_state(&mut self) {
        self.writes.retain(|key, _| key.0 == Root::State);
    }
}

impl Tracer<'_, '_> {
    pub(crate) fn address(&mut self, spot: Spot) -> AddressId {
        let Spot { root, offset, indices, ty } = spot;
        self.terms.intern_address(Address { root, offset, indices: indices.into(), ty })
    }

    /// Stores a scalar.
    pub(crate) fn write(&mut self, spot: Spot, value: Term) {
        let key = (spot.root, spot.offset);
        let address = self.address(spot);
        self.log.add(key, Write { address, value });
    }

    /// What a scalar holds, possibly undefined.
    pub(crate) fn read(&mut self, spot: Spot) -> Traced<Term> {
        let address = self.address(spot);
        self.look_up(address)
    }

    /// The last write that an address meets, or what is there from the start.
    // SOUND: for each write that is passed over it is a fact that some index differs, for the write that is met that all
    // indices agree. So where the facts hold under a renaming, the renamed read meets the renamed write.
    pub(crate) fn look_up(&mut self, address: AddressId) -> Traced<Term> {
        let key = {
            let address = self.terms.address(address);
            (address.root, address.offset)
        };
        let n_writes = self.log.get(key).len();
        for at in (0..n_writes).rev() {
            let write = self.log.get(key)[at];
            if write.address == address || self.is_same_spot(write.address, address)? {
                return Ok(write.value);
            }
        }
        match key.0 {
            Root::Local(_) => {
                let indices = self.terms.address(address).indices.clone();
                indices.iter().try_for_each(|index| self.demand(index.term))?;
                Ok(self.terms.constant(UNDEFINED))
            }
            Root::State => Ok(self.load(address)),
        }
    }

    /// Whether two addresses of one region are equal here and now, with the facts that make it so.
    fn is_same_spot(&mut self, one: AddressId, other: AddressId) -> Traced<bool> {
        let n_indices = self.terms.address(one).indices.len();
        let mut agreements = Vec::new();
        let mut differing = None;
        for at in 0..n_indices {
            let (left, right) = (self.terms.address(one).indices[at].term, self.terms.address(other).indices[at].term);
            let equal = self.terms.binary(burnside_ir::BinaryOp::Eq, left, right);
            match self.terms.as_const(equal) {
                Some(0) => return Ok(false),
                Some(_) => {}
                None => match self.value(equal).map_err(|_| Stop::Lost)? {
                    0 => differing = differing.or(Some(equal)),
                    _ => agreements.push(equal),
                },
            }
        }
        if let Some(equal) = differing {
            self.rely(equal, false)?;
            return Ok(false);
        }
        for equal in agreements {
            self.rely(equal, true)?;
        }
        Ok(true)
    }

    /// What the state held when the step began. Control is part of every explanation, so it is as good as constant.
    pub(crate) fn load(&mut self, address: AddressId) -> Term {
        if let Some(slot) = self.own_control(address) {
            return self.terms.constant(self.state[slot]);
        }
        let (offset, ty) = {
            let address = self.terms.address(address);
            (address.offset, address.ty)
        };
        let shape = self.setup.model().types.shape(ty);
        let may_be_undefined = !self.setup.defined[offset as usize];
        self.terms.load(address, (shape.lo, shape.hi), may_be_undefined)
    }

    /// The control slot that an address leads to whatever the renaming: the slot of the name that is its index.
    // SOUND: an explanation is only used for states whose control is the renamed control, so what is read under the
    // renamed name is the same value.
    fn own_control(&mut self, address: AddressId) -> Option<usize> {
        let world = self.world();
        let slot = world.slot(address).ok()?;
        self.setup.names.owner[slot]?;
        self.is_plain(address).then_some(slot)
    }

    /// Whether all indices are just names or, for other types, numbers.
    fn is_plain(&mut self, address: AddressId) -> bool {
        let indices = self.terms.address(address).indices.clone();
        indices.iter().all(|index| {
            let Ok(value) = self.value(index.term) else { return false };
            self.word(index.ty, value) == index.term
        })
    }

    /// The address with each index put as a name, or a number where it is none.
    pub(crate) fn plain(&mut self, address: AddressId) -> Traced<AddressId> {
        let mut plain = self.terms.address(address).clone();
        for index in &mut plain.indices {
            let value = self.value(index.term).map_err(|_| Stop::Lost)?;
            index.term = self.word(index.ty, value);
        }
        Ok(self.terms.intern_address(plain))
    }

    /// The scalars of two places of one structure, side by side.
    // SOUND: element is put beside element by number. With names for numbers that stays true under a renaming if both
    // places call the same index by the same name, as they do if their types are the same.
    pub(crate) fn leaf_pairs(&mut self, left: Spot, right: Spot) -> Traced<Vec<(Spot, Spot)>> {
        let by_name = left.ty == right.ty;
        let (mut lefts, mut rights) = (Vec::new(), Vec::new());
        self.leaves(left, by_name, &mut lefts)?;
        self.leaves(right, by_name, &mut rights)?;
        Ok(lefts.into_iter().zip(rights).collect())
    }

    /// The scalars of a place, in the order of their slots. Indices are put as names, or all as numbers.
    pub(crate) fn leaves(&mut self, spot: Spot, by_name: bool, leaves: &mut Vec<Spot>) -> Traced<()> {
        let types = &self.setup.model().types;
        match types.get(spot.ty) {
            &Type::Array { index, element } => {
                let (shape, stride) = (types.shape(index), types.shape(element).n_slots);
                for value in shape.lo..=shape.hi {
                    let term = if by_name { self.word(index, value) } else { self.terms.constant(value) };
                    let mut part = Spot { ty: element, ..spot.clone() };
                    part.indices.push(Index { term, ty: index, lo: shape.lo, stride });
                    self.leaves(part, by_name, leaves)?;
                }
            }
            Type::Record { fields } => {
                let mut offset = spot.offset;
                for field in fields {
                    self.leaves(Spot { offset, ty: field.ty, ..spot.clone() }, by_name, leaves)?;
                    offset += types.shape(field.ty).n_slots;
                }
            }
            Type::Multiset { .. } => return Err(Stop::Lost),
            _ => leaves.push(spot),
        }
        Ok(())
    }
}
