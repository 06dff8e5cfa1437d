//! Values as people and reports see them: trees with names instead of rows of slots.

use std::fmt;

use crate::{Layout, Model, Type, TypeId, Types, UNDEFINED};

/// A value of any type, for showing.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Value {
    /// A scalar without a value.
    Undefined,
    /// A truth value.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// A named constant or an identity.
    Name(String),
    /// Array elements with the names of their indices, in index order.
    Array(Vec<(String, Value)>),
    /// Fields with their names.
    Record(Vec<(String, Value)>),
    /// The present elements of a multiset.
    Multiset(Vec<Value>),
}

impl Value {
    /// Reads a value of type `ty` from its slots.
    pub fn read(types: &Types, ty: TypeId, slots: &[i64]) -> Self {
        match types.get(ty) {
            &Type::Array { index, element } => {
                let stride = types.shape(element).n_slots as usize;
                let shape = types.shape(index);
                let elements = (shape.lo..=shape.hi).enumerate().map(|(at, value)| {
                    let slots = &slots[at * stride..(at + 1) * stride];
                    (types.value_name(index, value), Self::read(types, element, slots))
                });
                Self::Array(elements.collect())
            }
            Type::Record { fields } => {
                let mut at = 0;
                let fields = fields.iter().map(|field| {
                    let from = at;
                    at += types.shape(field.ty).n_slots as usize;
                    (field.name.clone(), Self::read(types, field.ty, &slots[from..at]))
                });
                Self::Record(fields.collect())
            }
            &Type::Multiset { element, .. } => {
                let stride = types.shape(element).n_slots as usize + 1;
                let present = slots.chunks(stride).filter(|slots| slots[0] != UNDEFINED);
                Self::Multiset(present.map(|slots| Self::read(types, element, &slots[1..])).collect())
            }
            _ => Self::scalar(types, ty, slots[0]),
        }
    }

    fn scalar(types: &Types, ty: TypeId, value: i64) -> Self {
        if value == UNDEFINED {
            return Self::Undefined;
        }
        match types.get(ty) {
            Type::Bool => Self::Bool(value != 0),
            Type::Int | Type::Range { .. } => Self::Int(value),
            _ => Self::Name(types.value_name(ty, value)),
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let join = |f: &mut fmt::Formatter<'_>, open, items: &[(String, Self)], close| {
            f.write_str(open)?;
            for (at, (name, value)) in items.iter().enumerate() {
                let comma = if at == 0 { "" } else { ", " };
                write!(f, "{comma}{name}: {value}")?;
            }
            f.write_str(close)
        };
        match self {
            Self::Undefined => f.write_str("undefined"),
            Self::Bool(value) => write!(f, "{value}"),
            Self::Int(value) => write!(f, "{value}"),
            Self::Name(name) => f.write_str(name),
            Self::Array(elements) => join(f, "[", elements, "]"),
            Self::Record(fields) => join(f, "{", fields, "}"),
            Self::Multiset(elements) => {
                f.write_str("{|")?;
                for (at, element) in elements.iter().enumerate() {
                    let comma = if at == 0 { "" } else { ", " };
                    write!(f, "{comma}{element}")?;
                }
                f.write_str("|}")
            }
        }
    }
}

impl Layout {
    /// The name of a slot, such as `cache[NODE_1].state`.
    pub fn slot_name(&self, model: &Model, slot: u32) -> String {
        let starts = (0..).zip(&model.globals).map(|(at, global)| (self.global(crate::GlobalId(at)), global));
        let Some((first, global)) = starts.take_while(|(first, _)| *first <= slot).last() else {
            return format!("slot {slot}");
        };
        let mut name = global.name.clone();
        name_part(&model.types, global.ty, slot - first, &mut name);
        name
    }
}

fn name_part(types: &Types, ty: TypeId, slot: u32, name: &mut String) {
    match types.get(ty) {
        &Type::Array { index, element } => {
            let stride = types.shape(element).n_slots.max(1);
            let value = types.shape(index).lo + i64::from(slot / stride);
            *name += &format!("[{}]", types.value_name(index, value));
            name_part(types, element, slot % stride, name);
        }
        Type::Record { fields } => {
            let mut rest = slot;
            for field in fields {
                let n_slots = types.shape(field.ty).n_slots;
                if rest < n_slots {
                    *name += &format!(".{}", field.name);
                    return name_part(types, field.ty, rest, name);
                }
                rest -= n_slots;
            }
        }
        &Type::Multiset { element, .. } => {
            let stride = types.shape(element).n_slots + 1;
            *name += &format!("{{{}}}", slot / stride);
            if !slot.is_multiple_of(stride) {
                name_part(types, element, slot % stride - 1, name);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use burnside_diag::Span;

    use super::*;
    use crate::{Field, Global};

    #[test]
    fn slots_are_named_by_their_way_from_the_variable() {
        let mut model = Model::default();
        let record = Type::Record { fields: vec![Field { name: "on".into(), ty: TypeId::BOOL }] };
        let element = model.types.add(None, record, Span::NOWHERE);
        let bag = model.types.add(None, Type::Multiset { capacity: 2, element }, Span::NOWHERE);
        let index = model.types.add(None, Type::Range { lo: 3, hi: 4 }, Span::NOWHERE);
        let ty = model.types.add(None, Type::Array { index, element: bag }, Span::NOWHERE);
        model.globals.push(Global { name: "net".into(), ty, span: Span::NOWHERE });
        let layout = Layout::new(&model).expect("fits");
        assert_eq!(layout.slot_name(&model, 7), "net[4]{1}.on");
        let slots = [UNDEFINED, UNDEFINED, 0, 1, UNDEFINED, UNDEFINED, UNDEFINED, UNDEFINED];
        assert_eq!(Value::read(&model.types, ty, &slots).to_string(), "[3: {|{on: true}|}, 4: {||}]");
    }
}
