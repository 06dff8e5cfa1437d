//! Reading and writing bit fields.

use burnside_ir::TypeId;
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, StackSlot, Value, types::I64};
use cranelift_module::{FuncId, Module as _};

use super::Emitter;

/// Longest bit string that is moved by instructions instead of a call.
const INLINE_BITS: u32 = 4 * CHUNK_BITS;
/// Most bits of one 8-byte access at any bit offset within a byte.
pub(super) const CHUNK_BITS: u32 = 56;

/// A bit address in parts.
#[derive(Debug, Clone, Copy)]
pub(super) struct Address {
    /// A byte address, a multiple of 8, or 0 if `moving` is a whole bit address.
    base: Value,
    /// The part of the bit offset that is known only at run time.
    moving: Option<Value>,
    /// The part that is known now.
    fixed: i64,
}

impl Address {
    pub(super) fn state(emitter: &Emitter<'_, '_>, bit: u32) -> Self {
        Self { base: emitter.state, moving: None, fixed: i64::from(bit) }
    }

    pub(super) fn slot(emitter: &mut Emitter<'_, '_>, slot: StackSlot) -> Self {
        let base = emitter.b.ins().stack_addr(I64, slot, 0);
        Self { base, moving: None, fixed: 0 }
    }

    /// From a value made by [`Emitter::bit_address`].
    pub(super) fn pointer(emitter: &mut Emitter<'_, '_>, address: Value) -> Self {
        let base = emitter.int(0);
        Self { base, moving: Some(address), fixed: 0 }
    }

    pub(super) fn plus(self, bits: u32) -> Self {
        Self { fixed: self.fixed + i64::from(bits), ..self }
    }

    /// One bit back, behind a step of at least one bit forward.
    pub(super) fn before(self) -> Self {
        Self { fixed: self.fixed - 1, ..self }
    }

    /// Moves by `index` times `stride` bits.
    pub(super) fn plus_scaled(self, emitter: &mut Emitter<'_, '_>, index: Value, stride: u32) -> Self {
        let by = emitter.b.ins().imul_imm_s(index, i64::from(stride));
        let moving = self.moving.map_or(by, |moving| emitter.b.ins().iadd(moving, by));
        Self { moving: Some(moving), ..self }
    }
}

impl Emitter<'_, '_> {
    /// The whole address as one number.
    pub(super) fn bit_address(&mut self, at: Address) -> Value {
        let mut address = self.b.ins().ishl_imm_s(at.base, 3);
        if let Some(moving) = at.moving {
            address = self.b.ins().iadd(address, moving);
        }
        self.b.ins().iadd_imm_s(address, at.fixed)
    }

    /// Splits an address into a byte address and the bits to shift by: an aligned word if the field is known to lie
    /// in one, otherwise the 8 bytes from the field's first byte.
    fn window(&mut self, at: Address, width_bits: u32) -> (Value, i32, Shift) {
        match at.moving {
            None => {
                let bit = at.fixed % 64;
                if bit + i64::from(width_bits) <= 64 {
                    (at.base, (at.fixed / 64 * 8) as i32, Shift::Known(bit))
                } else {
                    (at.base, (at.fixed / 8) as i32, Shift::Known(at.fixed % 8))
                }
            }
            Some(moving) => {
                let bit = self.b.ins().iadd_imm_s(moving, at.fixed);
                let byte = self.b.ins().ushr_imm_s(bit, 3);
                let base = self.b.ins().iadd(at.base, byte);
                (base, 0, Shift::Computed(self.b.ins().band_imm_s(bit, 7)))
            }
        }
    }

    pub(super) fn load_bits(&mut self, at: Address, width_bits: u32) -> Value {
        let (base, offset, shift) = self.window(at, width_bits);
        let word = self.b.ins().load(I64, flags(), base, offset);
        let word = match shift {
            Shift::Known(0) => word,
            Shift::Known(shift) => self.b.ins().ushr_imm_s(word, shift),
            Shift::Computed(shift) => self.b.ins().ushr(word, shift),
        };
        match shift {
            Shift::Known(shift) if shift + i64::from(width_bits) == 64 => word,
            _ => self.b.ins().band_imm_s(word, mask(width_bits)),
        }
    }

    /// Stores the low bits of `bits`, whose other bits must be zero.
    pub(super) fn store_bits(&mut self, at: Address, width_bits: u32, bits: Value) {
        let (base, offset, shift) = self.window(at, width_bits);
        let word = self.b.ins().load(I64, flags(), base, offset);
        let (kept, bits) = match shift {
            Shift::Known(shift) => {
                let kept = self.b.ins().band_imm_s(word, !(mask(width_bits) << shift));
                (kept, self.b.ins().ishl_imm_s(bits, shift))
            }
            Shift::Computed(shift) => {
                let mask = self.int(mask(width_bits));
                let mask = self.b.ins().ishl(mask, shift);
                (self.b.ins().band_not(word, mask), self.b.ins().ishl(bits, shift))
            }
        };
        let word = self.b.ins().bor(kept, bits);
        self.b.ins().store(flags(), word, base, offset);
    }

    /// Makes a value undefined throughout.
    pub(super) fn zero(&mut self, at: Address, ty: TypeId) {
        self.zero_bits(at, self.shared.bits.of(ty));
    }

    pub(super) fn zero_bits(&mut self, at: Address, n: u32) {
        if n > INLINE_BITS {
            let (to, n) = (self.bit_address(at), self.int(i64::from(n)));
            self.call_runtime(self.shared.runtime.zero_bits, &[to, n]);
            return;
        }
        for (from, width_bits) in chunks(n) {
            let zero = self.int(0);
            self.store_bits(at.plus(from), width_bits, zero);
        }
    }

    pub(super) fn copy_bits(&mut self, to: Address, from: Address, n: u32) {
        if n > INLINE_BITS {
            let (to, from, n) = (self.bit_address(to), self.bit_address(from), self.int(i64::from(n)));
            self.call_runtime(self.shared.runtime.copy_bits, &[to, from, n]);
            return;
        }
        for (at, width_bits) in chunks(n) {
            let bits = self.load_bits(from.plus(at), width_bits);
            self.store_bits(to.plus(at), width_bits, bits);
        }
    }

    /// One if both strings of `n` bits are equal, else zero.
    pub(super) fn equal_bits(&mut self, left: Address, right: Address, n: u32) -> Value {
        let (left, right, n) = (self.bit_address(left), self.bit_address(right), self.int(i64::from(n)));
        self.call_runtime(self.shared.runtime.equal_bits, &[left, right, n]).expect("it has a result")
    }

    pub(super) fn call_runtime(&mut self, function: FuncId, args: &[Value]) -> Option<Value> {
        let function = self.module.declare_func_in_func(function, self.b.func);
        let call = self.b.ins().call(function, args);
        self.b.inst_results(call).first().copied()
    }
}

#[derive(Clone, Copy)]
enum Shift {
    Known(i64),
    Computed(Value),
}

fn chunks(n: u32) -> impl Iterator<Item = (u32, u32)> {
    (0..n).step_by(CHUNK_BITS as usize).map(move |from| (from, CHUNK_BITS.min(n - from)))
}

fn mask(width_bits: u32) -> i64 {
    if width_bits == 64 { -1 } else { (1 << width_bits) - 1 }
}

/// Native code accesses only buffers with padding, so its loads and stores never trap; they may be unaligned.
fn flags() -> MemFlagsData {
    MemFlagsData::new().with_notrap()
}
