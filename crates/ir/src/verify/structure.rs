//! Checks of sorts and types, and which types go together.

use std::collections::HashMap;

use super::{Defect, DefectKind, Subject};
use crate::{Field, MAX_DEPTH, Type, TypeId, Types};

/// What is wrong with the sorts and types of a model.
pub(super) fn type_defects(types: &Types) -> Vec<Defect> {
    let mut defects = Vec::new();
    for (id, sort) in types.sorts() {
        if sort.size == 0 {
            defects.push(Defect { subject: Subject::Sort(id), kind: DefectKind::NoValues, span: sort.span });
        }
    }
    let mut depths: Vec<usize> = Vec::new();
    for (id, def) in types.iter() {
        let depth = def.ty.parts().map(|part| depths[part.index()] + 1).max().unwrap_or(0);
        depths.push(depth);
        let mut kinds = structure_defects(types, &def.ty);
        if depth == MAX_DEPTH {
            kinds.push(DefectKind::TooDeep);
        }
        defects.extend(kinds.into_iter().map(|kind| Defect { subject: Subject::Type(id), kind, span: def.span }));
    }
    defects
}

fn structure_defects(types: &Types, ty: &Type) -> Vec<DefectKind> {
    match ty {
        &Type::Range { lo, hi } if lo > hi => vec![DefectKind::NoValues],
        &Type::Range { lo: i64::MIN, .. } => vec![DefectKind::ReservedValue],
        Type::Enum { members } if members.is_empty() => vec![DefectKind::NoValues],
        Type::Union { members } => union_defects(types, members),
        &Type::Array { index, .. } if !is_finite_scalar(types, index) => vec![DefectKind::IndexType(index)],
        Type::Record { fields } => duplicate_fields(fields),
        &Type::Multiset { element, .. } if types.shape(element).has_multiset => vec![DefectKind::NestedMultiset],
        _ => Vec::new(),
    }
}

fn union_defects(types: &Types, members: &[TypeId]) -> Vec<DefectKind> {
    if members.is_empty() {
        return vec![DefectKind::NoValues];
    }
    let fits = |member: TypeId| matches!(types.get(member), Type::Enum { .. } | Type::Id(_));
    let wrong = members.iter().enumerate().filter(|&(at, &member)| !fits(member) || members[..at].contains(&member));
    wrong.map(|(_, &member)| DefectKind::UnionMember(member)).collect()
}

fn duplicate_fields(fields: &[Field]) -> Vec<DefectKind> {
    let named_before = |at: usize| fields[..at].iter().any(|before| before.name == fields[at].name);
    let duplicates = (0..fields.len()).filter(|&at| named_before(at));
    duplicates.map(|at| DefectKind::DuplicateField(fields[at].name.clone())).collect()
}

/// Whether a type is scalar and its values can be enumerated.
pub(super) fn is_finite_scalar(types: &Types, ty: TypeId) -> bool {
    types.shape(ty).scalar && *types.get(ty) != Type::Int
}

/// Which types of a model go together. Types are nominal, but booleans, ranges with the same bounds, identities of one
/// sort and aggregates of such parts hold the same values.
pub(super) struct Structures {
    /// For each type the first one that holds the same values.
    alike: Vec<TypeId>,
    /// For each type the first one that differs from it at most in the bounds of integers.
    similar: Vec<TypeId>,
    /// For each type whether an unbounded integer occurs inside.
    holds_int: Vec<bool>,
}

impl Structures {
    pub(super) fn new(types: &Types) -> Self {
        let mut structures = Self { alike: Vec::new(), similar: Vec::new(), holds_int: Vec::new() };
        let mut known: HashMap<Type, TypeId> = HashMap::new();
        let mut known_loosely: HashMap<Type, TypeId> = HashMap::new();
        for (id, def) in types.iter() {
            let holds_int = def.ty == Type::Int || def.ty.parts().any(|part| structures.holds_int(part));
            structures.holds_int.push(holds_int);
            // Enumerations are what they are called.
            let (alike, similar) = if matches!(def.ty, Type::Enum { .. }) {
                (id, id)
            } else {
                let strict = structures.with_first_parts(&def.ty, &structures.alike);
                let loose = structures.with_first_parts(&def.ty, &structures.similar);
                let loose = if matches!(loose, Type::Range { .. }) { Type::Int } else { loose };
                (*known.entry(strict).or_insert(id), *known_loosely.entry(loose).or_insert(id))
            };
            structures.alike.push(alike);
            structures.similar.push(similar);
        }
        structures
    }

    /// The structure with each part replaced by the first type like it; the index type decides how many elements there
    /// are, so it is never taken loosely.
    fn with_first_parts(&self, ty: &Type, firsts: &[TypeId]) -> Type {
        let first = |ty: TypeId| firsts[ty.index()];
        match ty {
            Type::Union { members } => Type::Union { members: members.iter().map(|&member| first(member)).collect() },
            &Type::Array { index, element } => {
                Type::Array { index: self.alike[index.index()], element: first(element) }
            }
            Type::Record { fields } => {
                let field = |field: &Field| Field { name: field.name.clone(), ty: first(field.ty) };
                Type::Record { fields: fields.iter().map(field).collect() }
            }
            &Type::Multiset { capacity, element } => Type::Multiset { capacity, element: first(element) },
            Type::Bool | Type::Int | Type::Range { .. } | Type::Enum { .. } | Type::Id(_) => ty.clone(),
        }
    }

    /// Whether two types hold the same values, so that a place of one may stand for a place of the other.
    pub(super) fn alike(&self, left: TypeId, right: TypeId) -> bool {
        self.alike[left.index()] == self.alike[right.index()]
    }

    /// Whether two types differ at most in the bounds of integers, so that values may be compared, or assigned with a
    /// check at run time.
    pub(super) fn similar(&self, left: TypeId, right: TypeId) -> bool {
        self.similar[left.index()] == self.similar[right.index()]
    }

    /// Whether an unbounded integer occurs in a type.
    pub(super) fn holds_int(&self, ty: TypeId) -> bool {
        self.holds_int[ty.index()]
    }
}
