//! Sorts, types, and the values they admit.
//!
//! Every scalar value is an `i64`: `0` and `1` for booleans, the integer itself for ranges, the ordinal for
//! enumerations and identities, and for a union the ordinal in the concatenation of its members. [`UNDEFINED`] stands
//! for "no value". Types are nominal: two declarations with the same structure are two types, because which identities
//! are interchangeable is a question about declarations.

use burnside_diag::Span;

use crate::{SortId, TypeId};

/// The value of a scalar that has none.
pub const UNDEFINED: i64 = i64::MIN;

/// How the members of a sort may be exchanged, as far as the model's text claims it. A claim is not a proof.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SortKind {
    /// Any permutation.
    Full,
    /// Rotations.
    Ring,
    /// Nothing is claimed.
    Plain,
}

/// A set of identities.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sort {
    /// Its name in the model.
    pub name: String,
    /// Number of identities, at least one.
    pub size: u32,
    /// What is claimed about exchanging them.
    pub kind: SortKind,
    /// Where it is declared.
    pub span: Span,
}

/// A field of a record.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Field {
    /// Its name, unique in the record.
    pub name: String,
    /// Its type.
    pub ty: TypeId,
}

/// The structure of a type.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Type {
    /// Truth values.
    Bool,
    /// Integers of intermediate results; never stored in a state.
    Int,
    /// Integers from `lo` to `hi`, both included.
    Range {
        /// Least value.
        lo: i64,
        /// Greatest value.
        hi: i64,
    },
    /// Named constants, numbered from 0.
    Enum {
        /// Their names.
        members: Vec<String>,
    },
    /// Identities of a sort.
    Id(SortId),
    /// The disjoint union of enumerations and identity types, in order.
    Union {
        /// The united types.
        members: Vec<TypeId>,
    },
    /// One element per value of a scalar type.
    Array {
        /// The scalar index type.
        index: TypeId,
        /// The type of each element.
        element: TypeId,
    },
    /// Named fields.
    Record {
        /// The fields in order.
        fields: Vec<Field>,
    },
    /// At most `capacity` elements without order, held in numbered slots.
    Multiset {
        /// Number of slots.
        capacity: u32,
        /// The type of each element; holds no multiset itself.
        element: TypeId,
    },
}

impl Type {
    /// The types that this one is made of, its index type first: who only looks for something inside a type goes by
    /// this and by [`Types::holds`], and need not know the constructors.
    pub fn parts(&self) -> impl Iterator<Item = TypeId> {
        let index = if let Self::Array { index, .. } = self { Some(*index) } else { None };
        index.into_iter().chain(self.contents())
    }

    /// The types of what a value of this type holds: of its elements, of its fields; for a union, its members.
    pub fn contents(&self) -> impl Iterator<Item = TypeId> {
        let (one, members, fields): (_, &[TypeId], &[Field]) = match self {
            Self::Bool | Self::Int | Self::Range { .. } | Self::Enum { .. } | Self::Id(_) => (None, &[], &[]),
            Self::Union { members } => (None, members, &[]),
            Self::Array { element, .. } | Self::Multiset { element, .. } => (Some(*element), &[], &[]),
            Self::Record { fields } => (None, &[], fields),
        };
        one.into_iter().chain(members.iter().copied()).chain(fields.iter().map(|field| field.ty))
    }

    /// How many elements a multiset has room for, and their type; none for every other type.
    pub fn multiset(&self) -> Option<(u32, TypeId)> {
        if let &Self::Multiset { capacity, element } = self { Some((capacity, element)) } else { None }
    }
}

/// A type with its name, if the model gives it one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TypeDef {
    /// The declared name.
    pub name: Option<String>,
    /// The structure.
    pub ty: Type,
    /// Where it is declared.
    pub span: Span,
}

/// What follows from a type alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// Number of scalar slots a value occupies. A multiset's element has one slot more, in front, that is defined (with
    /// value 0) exactly when the element is present.
    pub n_slots: u32,
    /// For scalars, the least value.
    pub lo: i64,
    /// For scalars, the greatest value.
    pub hi: i64,
    /// Whether this is a single scalar.
    pub scalar: bool,
    /// Whether a multiset occurs inside.
    pub has_multiset: bool,
}

impl Shape {
    fn scalar(lo: i64, hi: i64) -> Self {
        Self { n_slots: 1, lo, hi, scalar: true, has_multiset: false }
    }

    fn aggregate(n_slots: u64, has_multiset: bool) -> Self {
        let n_slots = u32::try_from(n_slots).unwrap_or(u32::MAX);
        Self { n_slots, lo: 0, hi: 0, scalar: false, has_multiset }
    }

    /// Number of values of a scalar.
    pub fn cardinality(&self) -> u64 {
        (self.hi as i128 - self.lo as i128 + 1) as u64
    }

    /// Whether a scalar of this shape admits `value`.
    pub fn admits(&self, value: i64) -> bool {
        (self.lo..=self.hi).contains(&value)
    }
}

/// The sorts and types of a model. A type refers only to types and sorts added before it, so shapes are known at once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Types {
    sorts: Vec<Sort>,
    defs: Vec<TypeDef>,
    /// One per entry of `defs`, computed from it.
    shapes: Vec<Shape>,
}

impl Default for Types {
    fn default() -> Self {
        let mut types = Self { sorts: Vec::new(), defs: Vec::new(), shapes: Vec::new() };
        types.add(None, Type::Bool, Span::NOWHERE);
        types.add(None, Type::Int, Span::NOWHERE);
        types
    }
}

impl Types {
    /// Adds a sort.
    pub fn add_sort(&mut self, sort: Sort) -> SortId {
        self.sorts.push(sort);
        SortId(self.sorts.len() as u32 - 1)
    }

    /// Adds a type; everything it refers to must have been added before.
    ///
    /// # Panics
    /// If it refers to a type or sort that does not exist.
    pub fn add(&mut self, name: Option<String>, ty: Type, span: Span) -> TypeId {
        self.shapes.push(self.shape_of(&ty));
        self.defs.push(TypeDef { name, ty, span });
        TypeId(self.defs.len() as u32 - 1)
    }

    fn shape_of(&self, ty: &Type) -> Shape {
        match ty {
            Type::Bool => Shape::scalar(0, 1),
            Type::Int => Shape::scalar(i64::MIN + 1, i64::MAX),
            &Type::Range { lo, hi } => Shape::scalar(lo, hi),
            Type::Enum { members } => Shape::scalar(0, members.len() as i64 - 1),
            Type::Id(sort) => Shape::scalar(0, i64::from(self.sort(*sort).size) - 1),
            Type::Union { members } => {
                let sizes = members.iter().map(|&member| self.shape(member).cardinality());
                let total = sizes.fold(0, u64::saturating_add);
                Shape::scalar(0, i64::try_from(total).unwrap_or(i64::MAX) - 1)
            }
            &Type::Array { index, element } => {
                let element = self.shape(element);
                let n_slots = self.shape(index).cardinality().saturating_mul(u64::from(element.n_slots));
                Shape::aggregate(n_slots, element.has_multiset)
            }
            Type::Record { fields } => {
                let shapes = || fields.iter().map(|field| self.shape(field.ty));
                let n_slots = shapes().map(|shape| u64::from(shape.n_slots)).sum();
                Shape::aggregate(n_slots, shapes().any(|shape| shape.has_multiset))
            }
            &Type::Multiset { capacity, element } => {
                let per_element = u64::from(self.shape(element).n_slots) + 1;
                Shape::aggregate(u64::from(capacity) * per_element, true)
            }
        }
    }

    /// A sort.
    pub fn sort(&self, sort: SortId) -> &Sort {
        &self.sorts[sort.index()]
    }

    /// The structure of a type.
    pub fn get(&self, ty: TypeId) -> &Type {
        &self.defs[ty.index()].ty
    }

    /// A type with its name and place.
    pub fn def(&self, ty: TypeId) -> &TypeDef {
        &self.defs[ty.index()]
    }

    /// A type with its name and place, unless the id comes from elsewhere.
    pub(crate) fn try_def(&self, ty: TypeId) -> Option<&TypeDef> {
        self.defs.get(ty.index())
    }

    /// What follows from the type alone.
    pub fn shape(&self, ty: TypeId) -> Shape {
        self.shapes[ty.index()]
    }

    /// Whether a value of the type holds, or is, one of a type that `is` is true of.
    pub fn holds(&self, ty: TypeId, is: &dyn Fn(&Type) -> bool) -> bool {
        is(self.get(ty)) || self.get(ty).contents().any(|part| self.holds(part, is))
    }

    /// All sorts with their ids.
    pub fn sorts(&self) -> impl ExactSizeIterator<Item = (SortId, &Sort)> {
        self.sorts.iter().enumerate().map(|(at, sort)| (SortId(at as u32), sort))
    }

    /// All types with their ids, the built-in ones first.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (TypeId, &TypeDef)> {
        self.defs.iter().enumerate().map(|(at, def)| (TypeId(at as u32), def))
    }

    /// Where the values of union member `member` start in the union's numbering.
    pub fn union_offset(&self, union: TypeId, member: TypeId) -> Option<i64> {
        let Type::Union { members } = self.get(union) else { return None };
        let mut offset = 0;
        for &candidate in members {
            if candidate == member {
                return Some(offset);
            }
            offset += self.shape(candidate).cardinality() as i64;
        }
        None
    }

    /// The union member a union value belongs to, and the value in that member's own numbering; none if undefined.
    pub fn union_member(&self, union: TypeId, value: i64) -> Option<(TypeId, i64)> {
        let Type::Union { members } = self.get(union) else { return None };
        if value == UNDEFINED {
            return None;
        }
        let mut rest = value;
        for &member in members {
            let size = self.shape(member).cardinality() as i64;
            if (0..size).contains(&rest) {
                return Some((member, rest));
            }
            rest -= size;
        }
        None
    }

    /// Slot offset of a record's field from the start of the record.
    pub fn field_offset(&self, record: TypeId, field: u32) -> u32 {
        let Type::Record { fields } = self.get(record) else { panic!("{record:?} is no record") };
        fields[..field as usize].iter().map(|field| self.shape(field.ty).n_slots).sum()
    }

    /// How a scalar value is written for people: the member's name, `NODE_2` for the second identity of `NODE`.
    pub fn value_name(&self, ty: TypeId, value: i64) -> String {
        if value == UNDEFINED {
            return "undefined".to_owned();
        }
        match self.get(ty) {
            Type::Bool => if value == 0 { "false" } else { "true" }.to_owned(),
            Type::Enum { members } => match usize::try_from(value).ok().and_then(|at| members.get(at)) {
                Some(name) => name.clone(),
                None => value.to_string(),
            },
            Type::Id(sort) => format!("{}_{}", self.sort(*sort).name, value + 1),
            Type::Union { .. } => match self.union_member(ty, value) {
                Some((member, inner)) => self.value_name(member, inner),
                None => value.to_string(),
            },
            _ => value.to_string(),
        }
    }

    /// The type as people know it: its name, or its structure where it has none.
    pub fn type_name(&self, ty: TypeId) -> String {
        let def = self.def(ty);
        if let Some(name) = &def.name {
            return name.clone();
        }
        match &def.ty {
            Type::Bool => "boolean".to_owned(),
            Type::Int => "integer".to_owned(),
            Type::Range { lo, hi } => format!("{lo}..{hi}"),
            Type::Enum { members } => format!("enum {{{}}}", members.join(", ")),
            Type::Id(sort) => self.sort(*sort).name.clone(),
            Type::Union { members } => {
                let names: Vec<_> = members.iter().map(|&member| self.type_name(member)).collect();
                format!("union {{{}}}", names.join(", "))
            }
            &Type::Array { index, element } => {
                format!("array [{}] of {}", self.type_name(index), self.type_name(element))
            }
            Type::Record { .. } => "record".to_owned(),
            &Type::Multiset { capacity, element } => format!("multiset [{capacity}] of {}", self.type_name(element)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn union_values_number_the_members_in_order() {
        let mut types = Types::default();
        let sort = Sort { name: "P".into(), size: 2, kind: SortKind::Full, span: Span::NOWHERE };
        let sort = types.add_sort(sort);
        let home = types.add(None, Type::Enum { members: vec!["Home".into()] }, Span::NOWHERE);
        let id = types.add(Some("P".into()), Type::Id(sort), Span::NOWHERE);
        let union = types.add(Some("N".into()), Type::Union { members: vec![home, id] }, Span::NOWHERE);
        assert_eq!(types.shape(union).cardinality(), 3);
        assert_eq!(types.union_offset(union, id), Some(1));
        assert_eq!(types.union_member(union, 2), Some((id, 1)));
        assert_eq!(types.union_member(union, UNDEFINED), None);
        let names: Vec<_> = (0..3).map(|value| types.value_name(union, value)).collect();
        assert_eq!(names, ["Home", "P_1", "P_2"]);
    }

    #[test]
    fn a_union_of_too_many_values_has_a_shape() {
        let mut types = Types::default();
        let members = vec![TypeId::INT, TypeId::INT];
        let union = types.add(None, Type::Union { members }, Span::NOWHERE);
        assert_eq!(types.shape(union).hi, i64::MAX - 1);
    }

    #[test]
    fn multiset_elements_carry_a_presence_slot() {
        let mut types = Types::default();
        let multiset = types.add(None, Type::Multiset { capacity: 3, element: TypeId::BOOL }, Span::NOWHERE);
        let shape = types.shape(multiset);
        assert_eq!((shape.n_slots, shape.has_multiset), (6, true));
    }
}
