//! Sizes of types in bits, as the packed layout has them; locals in native frames are laid out the same way.

use burnside_ir::{Type, TypeId, Types};

/// Packed sizes of all types of a model.
pub(crate) struct Bits {
    sizes: Vec<u32>,
}

impl Bits {
    pub(crate) fn new(types: &Types) -> Self {
        let mut bits = Self { sizes: Vec::new() };
        for (id, def) in types.iter() {
            let size = match &def.ty {
                &Type::Array { index, element } => {
                    u32::try_from(types.shape(index).cardinality() * u64::from(bits.of(element))).unwrap_or(u32::MAX)
                }
                Type::Record { fields } => fields.iter().map(|field| bits.of(field.ty)).sum(),
                &Type::Multiset { capacity, element } => capacity * (bits.of(element) + 1),
                Type::Int => u64::BITS,
                _ => u64::BITS - types.shape(id).cardinality().leading_zeros(),
            };
            bits.sizes.push(size);
        }
        bits
    }

    /// Bits of a value of this type. An `Int` takes 64, which only variables outside memory can hold.
    pub(crate) fn of(&self, ty: TypeId) -> u32 {
        self.sizes[ty.index()]
    }

    /// Bit offset of a record's field.
    pub(crate) fn field_offset(&self, types: &Types, record: TypeId, field: u32) -> u32 {
        let Type::Record { fields } = types.get(record) else { panic!("{record:?} is no record") };
        fields[..field as usize].iter().map(|field| self.of(field.ty)).sum()
    }
}

/// The scalars of a type in order, with their bit offsets; the presence bit of a multiset element has no type.
pub(crate) fn scalars(types: &Types, bits: &Bits, ty: TypeId) -> Vec<(u32, Option<TypeId>)> {
    let mut found = Vec::new();
    collect(types, bits, ty, 0, &mut found);
    found
}

fn collect(types: &Types, bits: &Bits, ty: TypeId, at: u32, found: &mut Vec<(u32, Option<TypeId>)>) {
    match types.get(ty) {
        &Type::Array { index, element } => {
            for slot in 0..types.shape(index).cardinality() as u32 {
                collect(types, bits, element, at + slot * bits.of(element), found);
            }
        }
        Type::Record { fields } => {
            let mut at = at;
            for field in fields {
                collect(types, bits, field.ty, at, found);
                at += bits.of(field.ty);
            }
        }
        &Type::Multiset { capacity, element } => {
            for slot in 0..capacity {
                let at = at + slot * (bits.of(element) + 1);
                found.push((at, None));
                collect(types, bits, element, at + 1, found);
            }
        }
        _ => found.push((at, Some(ty))),
    }
}

/// Whether values of both types have the same scalars in the same places, so that one can be copied onto the other.
pub(crate) fn same_layout(types: &Types, bits: &Bits, left: TypeId, right: TypeId) -> bool {
    if left == right {
        return true;
    }
    let (left, right) = (scalars(types, bits, left), scalars(types, bits, right));
    let shape = |ty: Option<TypeId>| ty.map(|ty| (types.shape(ty).lo, types.shape(ty).hi));
    left.len() == right.len() && left.iter().zip(&right).all(|(l, r)| l.0 == r.0 && shape(l.1) == shape(r.1))
}
