//! Places: where they are, what is in them, and how values get there.

use burnside_ir::{Expr, LocalId, Operand, Place, PlaceBase, Projection, Type, TypeId};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value};

use super::access::Address;
use super::{Emitter, Storage};
use crate::bits;

impl<'a> Emitter<'a, '_> {
    /// The address of a place that lies in memory.
    pub(super) fn locate(&mut self, place: &'a Place) -> Address {
        let (mut at, mut ty) = match &place.base {
            PlaceBase::Global(global) => {
                let slot = self.shared.layout.global(*global) as usize;
                let bit = self.shared.layout.slots().get(slot).map_or(self.shared.layout.n_bits(), |slot| slot.bit);
                (Address::state(self, bit), self.shared.model.global(*global).ty)
            }
            PlaceBase::Local(local) => (self.local_address(*local), self.locals[local.index()].ty),
            PlaceBase::Call(call) => (self.call_for_aggregate(call), self.result_type(call)),
        };
        for projection in &place.path {
            (at, ty) = self.project(at, ty, projection);
        }
        at
    }

    fn local_address(&mut self, local: LocalId) -> Address {
        match self.storage[local.index()] {
            Storage::Memory(slot) => Address::slot(self, slot),
            Storage::Reference(variable) => {
                let address = self.b.use_var(variable);
                Address::pointer(self, address)
            }
            Storage::Variable(_) | Storage::Slot(_) => {
                panic!("a local with parts, or that is referred to, lies in memory")
            }
        }
    }

    /// The position of the element that a slot local names.
    pub(super) fn slot_number(&mut self, slot: LocalId) -> Value {
        let Storage::Slot(variable) = self.storage[slot.index()] else { panic!("verified elements name a slot local") };
        self.b.use_var(variable)
    }

    /// Makes a slot local name the element at a position.
    pub(super) fn set_slot(&mut self, slot: LocalId, number: Value) {
        let Storage::Slot(variable) = self.storage[slot.index()] else { panic!("verified loops bind a slot local") };
        self.b.def_var(variable, number);
    }

    fn project(&mut self, at: Address, ty: TypeId, projection: &'a Projection) -> (Address, TypeId) {
        let shared = self.shared;
        let types = &shared.model.types;
        match (projection, types.get(ty)) {
            (Projection::Field(field), Type::Record { fields }) => {
                (at.plus(shared.bits.field_offset(types, ty, *field)), fields[*field as usize].ty)
            }
            (Projection::Index(index), &Type::Array { index: index_ty, element }) => {
                let shape = types.shape(index_ty);
                let stride = shared.bits.of(element);
                if let Some(value) = index.as_const().filter(|&value| shape.admits(value)) {
                    return (at.plus((value - shape.lo) as u32 * stride), element);
                }
                let value = self.value(index);
                self.check_range(value, index, (shape.lo, shape.hi));
                let distance = self.b.ins().iadd_imm_s(value, -shape.lo);
                (at.plus_scaled(self, distance, stride), element)
            }
            (Projection::Element(slot), &Type::Multiset { element, .. }) => {
                let number = self.slot_number(*slot);
                (self.present_element(at, ty, number).plus(1), element)
            }
            (Projection::Numbered(number), &Type::Multiset { capacity, element }) => {
                let value = self.value(number);
                self.check_range(value, number, (0, i64::from(capacity) - 1));
                (self.present_element(at, ty, value).plus(1), element)
            }
            (projection, ty) => panic!("verified places do not project {ty:?} by {projection:?}"),
        }
    }

    /// Capacity and distance between elements in bits.
    pub(super) fn multiset(&self, ty: TypeId) -> (u32, u32) {
        let (capacity, element) = self.shared.model.types.get(ty).multiset().expect("verified: a multiset");
        (capacity, self.shared.bits.of(element) + 1)
    }

    /// The address of an element's presence bit; a fault if the element is not there.
    fn present_element(&mut self, at: Address, multiset: TypeId, number: Value) -> Address {
        let (_, stride) = self.multiset(multiset);
        let at = at.plus_scaled(self, number, stride);
        let present = self.load_bits(at, 1);
        let absent = self.b.ins().icmp_imm_s(IntCC::Equal, present, 0);
        self.fault_if(absent);
        at
    }

    /// A fault if the value of `expr` is outside the bounds and that is not known now.
    pub(super) fn check_range(&mut self, value: Value, expr: &Expr, (lo, hi): (i64, i64)) {
        let (least, greatest) = self.range(expr);
        let outside = |emitter: &mut Self| {
            let distance = emitter.b.ins().iadd_imm_s(value, lo.wrapping_neg());
            emitter.b.ins().icmp_imm_s(IntCC::UnsignedGreaterThan, distance, hi.wrapping_sub(lo))
        };
        if i128::from(lo) <= least && greatest <= i128::from(hi) {
            return self.relying_on(outside);
        }
        let outside = outside(self);
        self.fault_if(outside);
    }

    /// The code at a scalar place.
    pub(super) fn load_code(&mut self, place: &'a Place) -> Value {
        if place.path.is_empty() {
            match &place.base {
                PlaceBase::Local(local) => {
                    if let Storage::Variable(variable) = self.storage[local.index()] {
                        return self.b.use_var(variable);
                    }
                }
                PlaceBase::Call(call) => return self.call(call, None),
                PlaceBase::Global(_) => {}
            }
        }
        let at = self.locate(place);
        self.load_bits(at, self.shared.bits.of(place.ty))
    }

    /// Stores a code at a scalar place.
    pub(super) fn store_code(&mut self, place: &'a Place, code: Value) {
        if let (PlaceBase::Local(local), true) = (&place.base, place.path.is_empty())
            && let Storage::Variable(variable) = self.storage[local.index()]
        {
            self.b.def_var(variable, code);
            return;
        }
        let at = self.locate(place);
        self.store_bits(at, self.shared.bits.of(place.ty), code);
    }

    /// Whether reading a scalar place never meets an undefined value.
    pub(super) fn always_defined(&self, place: &Place) -> bool {
        if let (PlaceBase::Local(local), true) = (&place.base, place.path.is_empty())
            && self.ranges.iterated.contains_key(local)
        {
            return true;
        }
        self.shared.definedness.always_defined(self.shared.model, self.owner, self.locals, place)
    }

    pub(super) fn decode(&mut self, code: Value, ty: TypeId) -> Value {
        let lo = self.shared.model.types.shape(ty).lo;
        self.b.ins().iadd_imm_s(code, lo.wrapping_sub(1))
    }

    pub(super) fn encode(&mut self, value: Value, ty: TypeId) -> Value {
        let lo = self.shared.model.types.shape(ty).lo;
        self.b.ins().iadd_imm_s(value, 1_i64.wrapping_sub(lo))
    }

    /// The code of a scalar operand as type `ty`; a fault if a value does not fit.
    pub(super) fn operand_code(&mut self, operand: &'a Operand, ty: TypeId) -> Value {
        let shape = self.shared.model.types.shape(ty);
        match operand {
            Operand::Undefined => self.int(0),
            Operand::Value(expr) => {
                let value = self.value(expr);
                self.check_range(value, expr, (shape.lo, shape.hi));
                self.encode(value, ty)
            }
            Operand::Copy(place) => {
                let code = self.load_code(place);
                self.recode(code, place.ty, ty)
            }
        }
    }

    /// Turns a code of type `from`, 0 included, into one of type `to`; a fault if a value does not fit.
    pub(super) fn recode(&mut self, code: Value, from: TypeId, to: TypeId) -> Value {
        let types = &self.shared.model.types;
        let (from_shape, to_shape) = (types.shape(from), types.shape(to));
        if (from_shape.lo, from_shape.hi) == (to_shape.lo, to_shape.hi) {
            return code;
        }
        let value = self.decode(code, from);
        let moved = self.encode(value, to);
        let undefined = self.b.ins().icmp_imm_s(IntCC::Equal, code, 0);
        if from_shape.lo < to_shape.lo || from_shape.hi > to_shape.hi {
            let distance = self.b.ins().iadd_imm_s(value, to_shape.lo.wrapping_neg());
            let width = to_shape.hi.wrapping_sub(to_shape.lo);
            let outside = self.b.ins().icmp_imm_s(IntCC::UnsignedGreaterThan, distance, width);
            let bad = self.b.ins().band_not(outside, undefined);
            self.fault_if(bad);
        }
        let zero = self.int(0);
        self.b.ins().select(undefined, zero, moved)
    }

    /// Stores an operand of any type at an address.
    pub(super) fn store_operand(&mut self, at: Address, ty: TypeId, operand: &'a Operand) {
        if self.shared.model.types.shape(ty).scalar {
            let code = self.operand_code(operand, ty);
            self.store_bits(at, self.shared.bits.of(ty), code);
            return;
        }
        match operand {
            Operand::Undefined => self.zero(at, ty),
            Operand::Copy(place) => {
                let from = self.locate(place);
                self.copy_aggregate(at, ty, from, place.ty);
            }
            Operand::Value(_) => panic!("verified expressions are scalar"),
        }
    }

    pub(super) fn copy_aggregate(&mut self, to: Address, to_ty: TypeId, from: Address, from_ty: TypeId) {
        let shared = self.shared;
        let types = &shared.model.types;
        if bits::same_layout(types, &shared.bits, to_ty, from_ty) {
            self.copy_bits(to, from, shared.bits.of(to_ty));
            return;
        }
        let pairs =
            bits::scalars(types, &shared.bits, to_ty).into_iter().zip(bits::scalars(types, &shared.bits, from_ty));
        // All scalars are read and checked before any is written, as the interpreter does.
        let mut codes = Vec::new();
        for ((to_bit, to_scalar), (from_bit, from_scalar)) in pairs {
            let (code, width) = match (to_scalar, from_scalar) {
                (Some(to_scalar), Some(from_scalar)) => {
                    let code = self.load_bits(from.plus(from_bit), shared.bits.of(from_scalar));
                    (self.recode(code, from_scalar, to_scalar), shared.bits.of(to_scalar))
                }
                _ => (self.load_bits(from.plus(from_bit), 1), 1),
            };
            codes.push((to_bit, width, code));
        }
        for (bit, width, code) in codes {
            self.store_bits(to.plus(bit), width, code);
        }
    }

    /// The number among all values of its type of what [`iterate`](Self::iterate) gave to a local.
    pub(super) fn iterated_number(&mut self, local: LocalId) -> Value {
        let code = match self.storage[local.index()] {
            Storage::Variable(variable) => self.b.use_var(variable),
            Storage::Memory(slot) => {
                let at = Address::slot(self, slot);
                self.load_bits(at, self.shared.bits.of(self.locals[local.index()].ty))
            }
            Storage::Reference(_) | Storage::Slot(_) => panic!("verified loops bind owned locals"),
        };
        self.b.ins().iadd_imm_s(code, -1)
    }

    /// What [`iterate`](Self::iterate) gave to a local.
    pub(super) fn iterated_value(&mut self, local: LocalId) -> Value {
        let number = self.iterated_number(local);
        let lo = self.shared.model.types.shape(self.locals[local.index()].ty).lo;
        self.b.ins().iadd_imm_s(number, lo)
    }

    /// Sets a local to a plain value by iteration; `range` holds all values it may get that way. Whoever iterates
    /// [releases](Self::release) the local where the iteration ends.
    pub(super) fn iterate(&mut self, local: LocalId, value: Value, range: (i128, i128)) {
        let ty = self.locals[local.index()].ty;
        let code = self.encode(value, ty);
        match self.storage[local.index()] {
            Storage::Variable(variable) => self.b.def_var(variable, code),
            Storage::Memory(slot) => {
                let at = Address::slot(self, slot);
                self.store_bits(at, self.shared.bits.of(ty), code);
            }
            Storage::Reference(_) | Storage::Slot(_) => panic!("verified loops bind owned locals"),
        }
        if !self.uses.assigned.contains(&local) {
            self.ranges.iterated.insert(local, range);
        }
    }

    /// Behind an iteration a local may be undefined, or what an outer iteration does not know.
    pub(super) fn release(&mut self, local: LocalId) {
        self.ranges.iterated.remove(&local);
    }
}
