//! Which values are names, and which parts of the state are control.
//!
//! A *name* is a value of a type that rules have parameters of. Explanations speak of names and not of values, so that
//! they can be told again with other names. That is a choice of words: which types take part changes how much is pruned
//! and never whether it is right.

use std::collections::BTreeMap;

use burnside_ir::{Binder, Domain, Layout, Model, Type, TypeId, Types};

use crate::wide::is_wide;

/// Classes with more names than this are left alone: their values stay what they are.
const MOST_NAMES: u64 = 4096;

/// A set of values that can be renamed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Class {
    /// A type whose values these are, for showing.
    pub(crate) ty: TypeId,
    /// The least value.
    pub(crate) lo: i64,
    pub(crate) size: u32,
}

/// A value as it is said in an explanation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wording {
    /// The value itself.
    Plain(i64),
    /// A name, and what is to be added to it.
    Name { class: u32, index: u32, offset: i64 },
}

/// One array on the way to a control slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Control {
    /// The slot of the first name.
    pub(crate) first: u32,
    pub(crate) stride: u32,
}

/// The names of a model and its control slots.
#[derive(Debug, Clone)]
pub(crate) struct Names {
    pub(crate) classes: Vec<Class>,
    /// By type, its class.
    class_of: Vec<Option<u32>>,
    /// By slot: the class and the name whose control it is.
    pub(crate) owner: Vec<Option<(u32, u32)>>,
    /// By class: the control slots of its first name and the distance to those of the next.
    pub(crate) control: Vec<Vec<Control>>,
}

/// What makes two types the same set of names.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    Range(i64, i64),
    Sort(u32),
    Enum(u32),
}

impl Names {
    pub(crate) fn new(model: &Model, layout: &Layout) -> Self {
        let types = &model.types;
        let mut classes = Vec::new();
        let mut keys = BTreeMap::new();
        let domains = model.rules.iter().flat_map(|rule| &rule.binders).filter_map(|binder| match binder {
            Binder::Param { domain: Domain::Type(ty), .. } => Some(*ty),
            _ => None,
        });
        for ty in domains.flat_map(|ty| members(types, ty)) {
            let Some(key) = key(types, ty) else { continue };
            keys.entry(key).or_insert_with(|| {
                let shape = types.shape(ty);
                classes.push(Class { ty, lo: shape.lo, size: shape.cardinality() as u32 });
                classes.len() as u32 - 1
            });
        }
        let class_of = types.iter().map(|(ty, _)| keys.get(&key(types, ty)?).copied()).collect();
        let owner = vec![None; layout.slots().len()];
        let control = vec![Vec::new(); classes.len()];
        let mut names = Self { classes, class_of, owner, control };
        for (at, global) in model.globals.iter().enumerate() {
            let first = layout.global(burnside_ir::GlobalId(at as u32));
            names.find_control(types, global.ty, Spot { first, array: None });
        }
        names
    }

    /// The class of a type's values.
    pub(crate) fn class(&self, ty: TypeId) -> Option<u32> {
        self.class_of[ty.index()]
    }

    /// How a value of a type is said.
    pub(crate) fn wording(&self, types: &Types, ty: TypeId, value: i64) -> Wording {
        if let Some((member, inner)) = types.union_member(ty, value) {
            return match self.wording(types, member, inner) {
                Wording::Plain(_) => Wording::Plain(value),
                Wording::Name { class, index, offset } => {
                    Wording::Name { class, index, offset: offset + value - inner }
                }
            };
        }
        match self.class(ty) {
            Some(class) => {
                let index = value - self.classes[class as usize].lo;
                Wording::Name { class, index: index as u32, offset: 0 }
            }
            None => Wording::Plain(value),
        }
    }

    /// Notes the control slots of a part of the state: truth values and enumerations with one name on the way to them.
    fn find_control(&mut self, types: &Types, ty: TypeId, spot: Spot) {
        match types.get(ty) {
            Type::Bool | Type::Enum { .. } if self.class(ty).is_none() => {
                let Some((class, stride)) = spot.array else { return };
                self.control[class as usize].push(Control { first: spot.first, stride });
                for index in 0..self.classes[class as usize].size {
                    self.owner[(spot.first + index * stride) as usize] = Some((class, index));
                }
            }
            Type::Record { fields } => {
                let mut first = spot.first;
                for field in fields {
                    self.find_control(types, field.ty, Spot { first, ..spot });
                    first += types.shape(field.ty).n_slots;
                }
            }
            &Type::Array { index, element } => {
                let stride = types.shape(element).n_slots;
                match (self.class(index), spot.array) {
                    (Some(class), None) => {
                        self.find_control(types, element, Spot { array: Some((class, stride)), ..spot });
                    }
                    (Some(_), Some(_)) => {}
                    // A union of names and other values is no place for control: its elements are not all alike.
                    (None, _) if !matches!(types.get(index), Type::Union { .. }) => {
                        let n_elements = types.shape(index).cardinality() as u32;
                        for at in 0..n_elements.min(64) {
                            self.find_control(types, element, Spot { first: spot.first + at * stride, ..spot });
                        }
                    }
                    (None, _) => {}
                }
            }
            _ => {}
        }
    }
}

/// A part of the state, and the array over names that it is in.
#[derive(Clone, Copy)]
struct Spot {
    first: u32,
    array: Option<(u32, u32)>,
}

fn members(types: &Types, ty: TypeId) -> Vec<TypeId> {
    match types.get(ty) {
        Type::Union { members } => members.clone(),
        _ => vec![ty],
    }
}

fn key(types: &Types, ty: TypeId) -> Option<Key> {
    let key = match types.get(ty) {
        Type::Range { lo, hi } => Key::Range(*lo, *hi),
        Type::Id(sort) => Key::Sort(sort.0),
        Type::Enum { .. } => Key::Enum(ty.0),
        _ => return None,
    };
    ((2..=MOST_NAMES).contains(&types.shape(ty).cardinality()) && !is_wide(types, ty)).then_some(key)
}
