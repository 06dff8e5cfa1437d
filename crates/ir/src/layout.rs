//! How a state is stored: one slot per scalar, packed without gaps.
//!
//! The *unpacked* form of a state is one `i64` per slot, in declaration order, [`UNDEFINED`] included; the interpreter
//! works on it. The *packed* form is a bit string in 64-bit words: a slot holds 0 for undefined and otherwise the
//! value's distance from the least one plus 1. Elements of an array lie at a constant distance in both forms, and no
//! slot is wider than [`MAX_WIDTH_BITS`], so that one unaligned 8-byte load reaches any slot.

use burnside_diag::Span;

use crate::{GlobalId, Model, Type, TypeId, Types, UNDEFINED};

/// Widest slot: what remains of an 8-byte load at any bit offset within a byte.
pub const MAX_WIDTH_BITS: u32 = 57;

/// More slots than this are taken for a mistake in the model.
const MAX_SLOTS: u32 = 1 << 24;

/// One scalar of the packed state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slot {
    /// The scalar's type; for the presence slot of a multiset element, the multiset's own type.
    pub ty: TypeId,
    /// First bit in the packed state.
    pub bit: u32,
    /// Number of bits.
    pub width_bits: u32,
    /// The value that is stored as 1.
    pub lo: i64,
}

impl Slot {
    /// The bits that stand for a value.
    pub fn encode(&self, value: i64) -> u64 {
        if value == UNDEFINED { 0 } else { value.wrapping_sub(self.lo).wrapping_add(1) as u64 }
    }

    /// The value that some bits stand for.
    pub fn decode(&self, code: u64) -> i64 {
        if code == 0 { UNDEFINED } else { self.lo.wrapping_add(code as i64).wrapping_sub(1) }
    }
}

/// The slots of one multiset in the state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MultisetRegion {
    /// First slot: the presence slot of element 0.
    pub first: u32,
    /// Number of elements.
    pub capacity: u32,
    /// Distance between elements, the presence slot included.
    pub stride: u32,
}

/// Why a model has no layout.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum LayoutError {
    /// A variable has too many scalars.
    TooManySlots {
        /// The variable.
        name: String,
        /// Where it is declared.
        span: Span,
    },
    /// A scalar has too many values.
    TooWide {
        /// The variable it belongs to.
        name: String,
        /// Where that is declared.
        span: Span,
    },
}

/// Where everything is in a state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    slots: Vec<Slot>,
    /// First slot of each global.
    globals: Vec<u32>,
    /// Every multiset, in slot order.
    multisets: Vec<MultisetRegion>,
    n_bits: u32,
}

impl Layout {
    /// Lays out the globals of a model in declaration order.
    pub fn new(model: &Model) -> Result<Self, LayoutError> {
        let mut layout = Self { slots: Vec::new(), globals: Vec::new(), multisets: Vec::new(), n_bits: 0 };
        for global in &model.globals {
            let (name, span) = (|| global.name.clone(), global.span);
            let n_slots = model.types.shape(global.ty).n_slots;
            if n_slots > MAX_SLOTS || layout.slots.len() as u32 + n_slots > MAX_SLOTS {
                return Err(LayoutError::TooManySlots { name: name(), span });
            }
            layout.globals.push(layout.slots.len() as u32);
            if !layout.place(&model.types, global.ty) {
                return Err(LayoutError::TooWide { name: name(), span });
            }
        }
        Ok(layout)
    }

    /// Appends the slots of a value of type `ty`; false if one is too wide.
    fn place(&mut self, types: &Types, ty: TypeId) -> bool {
        // Empty records take no time either, however many of them an array holds.
        if types.shape(ty).n_slots == 0 {
            return true;
        }
        match types.get(ty) {
            Type::Bool | Type::Int | Type::Range { .. } | Type::Enum { .. } | Type::Id(_) | Type::Union { .. } => {
                let shape = types.shape(ty);
                self.push(ty, shape.lo, shape.cardinality())
            }
            &Type::Array { index, element } => {
                (0..types.shape(index).cardinality()).all(|_| self.place(types, element))
            }
            Type::Record { fields } => fields.iter().all(|field| self.place(types, field.ty)),
            &Type::Multiset { capacity, element } => {
                let stride = types.shape(element).n_slots + 1;
                self.multisets.push(MultisetRegion { first: self.slots.len() as u32, capacity, stride });
                (0..capacity).all(|_| self.push(ty, 0, 1) && self.place(types, element))
            }
        }
    }

    fn push(&mut self, ty: TypeId, lo: i64, cardinality: u64) -> bool {
        let width_bits = u64::BITS - cardinality.leading_zeros();
        if cardinality == 0 || width_bits > MAX_WIDTH_BITS {
            return false;
        }
        self.slots.push(Slot { ty, bit: self.n_bits, width_bits, lo });
        self.n_bits += width_bits;
        true
    }

    /// All slots in order.
    pub fn slots(&self) -> &[Slot] {
        &self.slots
    }

    /// First slot of a global.
    pub fn global(&self, global: GlobalId) -> u32 {
        self.globals[global.index()]
    }

    /// Every multiset of the state.
    pub fn multisets(&self) -> &[MultisetRegion] {
        &self.multisets
    }

    /// Bits of a packed state.
    pub fn n_bits(&self) -> u32 {
        self.n_bits
    }

    /// 64-bit words of a packed state, at least one.
    pub fn n_words(&self) -> usize {
        self.n_bits.div_ceil(u64::BITS).max(1) as usize
    }

    /// Packs one value per slot into `n_words` words. Values must be admitted by their slots.
    pub fn pack(&self, values: &[i64], words: &mut [u64]) {
        words.fill(0);
        for (slot, &value) in self.slots.iter().zip(values) {
            let code = slot.encode(value);
            debug_assert!(code >> slot.width_bits == 0, "value {value} does not fit its slot");
            let (word, shift) = (slot.bit as usize / 64, slot.bit % 64);
            words[word] |= code << shift;
            if shift + slot.width_bits > 64 {
                words[word + 1] |= code >> (64 - shift);
            }
        }
    }

    /// The inverse of [`pack`](Self::pack).
    pub fn unpack(&self, words: &[u64], values: &mut [i64]) {
        for (slot, value) in self.slots.iter().zip(values) {
            let (word, shift) = (slot.bit as usize / 64, slot.bit % 64);
            let mut code = words[word] >> shift;
            if shift + slot.width_bits > 64 {
                code |= words[word + 1] << (64 - shift);
            }
            *value = slot.decode(code & ((1 << slot.width_bits) - 1));
        }
    }

    /// Brings the elements of every multiset into the one order that stands for all: descending, the last slot counting
    /// most, which is the descending order of packed elements as numbers. Absent elements come last; what was written
    /// through a reference to an element that had been taken out is forgotten.
    ///
    /// A state is always stored in this order, so positions of elements mean the same to everybody who evaluates a
    /// step from it.
    pub fn normalise(&self, values: &mut [i64]) {
        let descending = |a: &&[i64], b: &&[i64]| b.iter().rev().cmp(a.iter().rev());
        for region in &self.multisets {
            let stride = region.stride as usize;
            let first = region.first as usize;
            let elements = &mut values[first..first + region.capacity as usize * stride];
            for element in elements.chunks_mut(stride).filter(|element| element[0] == UNDEFINED) {
                element.fill(UNDEFINED);
            }
            let mut sorted: Vec<&[i64]> = elements.chunks(stride).collect();
            if sorted.is_sorted_by(|a, b| descending(a, b).is_le()) {
                continue;
            }
            sorted.sort_by(descending);
            let sorted: Vec<i64> = sorted.concat();
            elements.copy_from_slice(&sorted);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Global;

    fn layout_of(build: impl FnOnce(&mut Types) -> Vec<TypeId>) -> (Model, Result<Layout, LayoutError>) {
        let mut model = Model::default();
        for (at, ty) in build(&mut model.types).into_iter().enumerate() {
            model.globals.push(Global { name: format!("g{at}"), ty, span: Span::NOWHERE });
        }
        let layout = Layout::new(&model);
        (model, layout)
    }

    #[test]
    fn slots_may_straddle_words() {
        let (_, layout) = layout_of(|types| {
            let wide = types.add(None, Type::Range { lo: -5, hi: 1 << 40 }, Span::NOWHERE);
            let index = types.add(None, Type::Range { lo: 1, hi: 7 }, Span::NOWHERE);
            vec![types.add(None, Type::Array { index, element: wide }, Span::NOWHERE), TypeId::BOOL]
        });
        let layout = layout.expect("fits");
        let values = [-5, UNDEFINED, 1 << 40, 0, 77, -1, 12345, 1];
        let mut words = vec![0; layout.n_words()];
        layout.pack(&values, &mut words);
        let mut back = [0; 8];
        layout.unpack(&words, &mut back);
        assert_eq!(values, back);
        assert_eq!(layout.n_bits(), 7 * 41 + 2);
    }

    #[test]
    fn multisets_are_sorted_with_absent_elements_last() {
        let (_, layout) = layout_of(|types| {
            vec![types.add(None, Type::Multiset { capacity: 3, element: TypeId::BOOL }, Span::NOWHERE)]
        });
        let mut values = [UNDEFINED, UNDEFINED, 0, 1, 0, 0];
        layout.expect("fits").normalise(&mut values);
        assert_eq!(values, [0, 1, 0, 0, UNDEFINED, UNDEFINED]);
    }

    #[test]
    fn many_empty_records_take_no_slots() {
        let (_, layout) = layout_of(|types| {
            let index = types.add(None, Type::Range { lo: 0, hi: 1 << 60 }, Span::NOWHERE);
            let element = types.add(None, Type::Record { fields: Vec::new() }, Span::NOWHERE);
            vec![types.add(None, Type::Array { index, element }, Span::NOWHERE)]
        });
        assert_eq!(layout.expect("fits").slots(), []);
    }

    #[test]
    fn a_scalar_of_more_than_57_bits_is_refused() {
        let (_, layout) = layout_of(|types| vec![types.add(None, Type::Range { lo: 0, hi: 1 << 57 }, Span::NOWHERE)]);
        assert!(matches!(layout, Err(LayoutError::TooWide { .. })));
    }
}
