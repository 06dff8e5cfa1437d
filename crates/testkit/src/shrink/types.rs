//! Smaller sorts and ranges, and fewer types.

use burnside_ir::{Model, Sort, SortId, Type, TypeId, Types};

use super::Shrinker;
use crate::visit::{Visitor, walk_model};

impl<F: FnMut(&Model) -> bool> Shrinker<F> {
    pub(super) fn narrow_types(&mut self) {
        let (n_sorts, n_types) = (self.best.types.sorts().len() as u32, self.best.types.iter().len() as u32);
        (0..n_sorts).for_each(|at| self.narrow_sort(SortId(at)));
        (0..n_types).for_each(|at| self.narrow_range(TypeId(at)));
        self.remove_unused_types();
    }

    fn narrow_sort(&mut self, at: SortId) {
        while self.best.types.sort(at).size > 1 {
            let mut candidate = self.best.clone();
            let narrow = |id, sort: &mut Sort| sort.size -= u32::from(id == at);
            candidate.types = rebuilt(&self.best.types, narrow, |_, _| {});
            if !self.attempt(candidate) {
                return;
            }
        }
    }

    fn narrow_range(&mut self, at: TypeId) {
        while let &Type::Range { lo, hi } = self.best.types.get(at)
            && lo < hi
        {
            let mut candidate = self.best.clone();
            let narrow = |id, ty: &mut Type| {
                if id == at {
                    *ty = Type::Range { lo, hi: hi - 1 };
                }
            };
            candidate.types = rebuilt(&self.best.types, |_, _| {}, narrow);
            if !self.attempt(candidate) {
                return;
            }
        }
    }

    /// Leaves out types that nothing uses, one at a time from the last to the first, because a type is used by later
    /// ones only.
    fn remove_unused_types(&mut self) {
        let mut at = self.best.types.iter().len() as u32;
        while at > 2 {
            at -= 1;
            let gone = TypeId(at);
            if is_used(&mut self.best.clone(), gone) {
                continue;
            }
            let mut candidate = self.best.clone();
            candidate.types = without_type(&self.best.types, gone);
            walk_model(&mut TypesWithout(gone), &mut candidate);
            self.attempt(candidate);
        }
    }
}

/// The same types with changes that leave all numbers as they are.
fn rebuilt(types: &Types, change_sort: impl Fn(SortId, &mut Sort), change: impl Fn(TypeId, &mut Type)) -> Types {
    let mut new = Types::default();
    for (id, sort) in types.sorts() {
        let mut sort = sort.clone();
        change_sort(id, &mut sort);
        new.add_sort(sort);
    }
    for (id, def) in types.iter().skip(2) {
        let mut ty = def.ty.clone();
        change(id, &mut ty);
        new.add(def.name.clone(), ty, def.span);
    }
    new
}

/// The types without one that no other uses.
fn without_type(types: &Types, gone: TypeId) -> Types {
    let mut new = Types::default();
    for (_, sort) in types.sorts() {
        new.add_sort(sort.clone());
    }
    for (_, def) in types.iter().skip(2).filter(|&(id, _)| id != gone) {
        let mut ty = def.ty.clone();
        for part in parts_mut(&mut ty) {
            part.0 -= u32::from(*part > gone);
        }
        new.add(def.name.clone(), ty, def.span);
    }
    new
}

fn parts_mut(ty: &mut Type) -> Vec<&mut TypeId> {
    match ty {
        Type::Union { members } => members.iter_mut().collect(),
        Type::Array { index, element } => vec![index, element],
        Type::Record { fields } => fields.iter_mut().map(|field| &mut field.ty).collect(),
        Type::Multiset { element, .. } => vec![element],
        Type::Bool | Type::Int | Type::Range { .. } | Type::Enum { .. } | Type::Id(_) => Vec::new(),
    }
}

/// Whether a type or the model uses this type.
fn is_used(model: &mut Model, ty: TypeId) -> bool {
    struct Search(TypeId, bool);
    impl Visitor for Search {
        fn ty(&mut self, ty: &mut TypeId) {
            self.1 |= *ty == self.0;
        }
    }
    let in_types =
        model.types.iter().any(|(_, def)| parts_mut(&mut def.ty.clone()).into_iter().any(|part| *part == ty));
    let mut search = Search(ty, in_types);
    walk_model(&mut search, model);
    search.1
}

struct TypesWithout(TypeId);

impl Visitor for TypesWithout {
    fn ty(&mut self, ty: &mut TypeId) {
        ty.0 -= u32::from(*ty > self.0);
    }
}
