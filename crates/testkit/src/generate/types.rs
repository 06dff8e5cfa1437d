//! Sorts, types and globals.

use burnside_ir::{Field, Global, Sort, SortKind, Type, TypeId};

use super::Generator;
use crate::Symmetry;

/// Globals a model has at most.
const MAX_GLOBALS: usize = 6;

impl Generator {
    fn add_type(&mut self, name: Option<String>, ty: Type) -> TypeId {
        let span = self.span();
        self.model.types.add(name, ty, span)
    }

    /// Builds the types of the model: a few of each kind.
    pub(super) fn types(&mut self) {
        let ids = self.id_types();
        let ranges = self.range_types();
        let enums = self.enum_types();
        let unions = self.union_types(&ids, &enums);
        let scalars = [&[TypeId::BOOL], &ranges[..], &enums, &unions, &ids].concat();
        let records = self.record_types(&scalars);
        let parts = [&scalars[..], &records].concat();
        let arrays = self.array_types(&ids, &scalars, &parts);
        if self.config.multisets {
            self.multiset_types(&ids, &parts, &arrays);
        }
    }

    fn id_types(&mut self) -> Vec<TypeId> {
        let n_sorts = self.rng.usize(1..=2);
        (0..n_sorts).map(|at| self.id_type(["NODE", "LOCK"][at])).collect()
    }

    fn id_type(&mut self, name: &str) -> TypeId {
        let kind = match self.config.symmetry {
            Symmetry::Free => self.pick(&[SortKind::Full, SortKind::Ring, SortKind::Plain]),
            Symmetry::Full | Symmetry::Nearly => None,
        };
        let size = if self.chance(60) { 2 } else { 3 };
        let span = self.span();
        let sort = Sort { name: name.to_owned(), size, kind: kind.unwrap_or(SortKind::Full), span };
        let sort = self.model.types.add_sort(sort);
        self.add_type(Some(name.to_owned()), Type::Id(sort))
    }

    fn range_types(&mut self) -> Vec<TypeId> {
        let bounds = [(0, 1), (0, 2), (0, 3), (-1, 1), (1, 3), (-2, -1)];
        (0..2)
            .map(|_| {
                let (lo, hi) = bounds[self.rng.usize(0..bounds.len())];
                self.add_type(None, Type::Range { lo, hi })
            })
            .collect()
    }

    fn enum_types(&mut self) -> Vec<TypeId> {
        let n_enums = self.rng.usize(1..=2);
        (0..n_enums)
            .map(|at| {
                let names = [["Idle", "Busy", "Done"], ["Red", "Green", "Blue"]][at];
                let n_members = self.rng.usize(2..=3);
                let members = names[..n_members].iter().map(|&name| name.to_owned()).collect();
                self.add_type(Some(format!("E{at}")), Type::Enum { members })
            })
            .collect()
    }

    fn union_types(&mut self, ids: &[TypeId], enums: &[TypeId]) -> Vec<TypeId> {
        let mut unions = Vec::new();
        if self.chance(60) {
            let mut members = vec![enums[0], ids[0]];
            self.rng.shuffle(&mut members);
            unions.push(self.add_type(Some("U".to_owned()), Type::Union { members }));
        }
        if ids.len() > 1 && self.chance(40) {
            unions.push(self.add_type(None, Type::Union { members: ids.to_vec() }));
        }
        unions
    }

    fn record_types(&mut self, scalars: &[TypeId]) -> Vec<TypeId> {
        let mut records: Vec<TypeId> = Vec::new();
        for _ in 0..2 {
            let n_fields = self.rng.usize(1..=2);
            let mut types: Vec<TypeId> = (0..n_fields).filter_map(|_| self.pick(scalars)).collect();
            if self.chance(20) {
                types.extend(records.first());
            }
            let fields = (0..).zip(types).map(|(at, ty): (u32, _)| Field { name: format!("f{at}"), ty }).collect();
            records.push(self.add_type(None, Type::Record { fields }));
        }
        if self.chance(30) {
            let twin = self.model.types.get(records[0]).clone();
            records.push(self.add_type(Some("Twin".to_owned()), twin));
        }
        records
    }

    fn array_types(&mut self, ids: &[TypeId], scalars: &[TypeId], parts: &[TypeId]) -> Vec<TypeId> {
        let mut arrays: Vec<TypeId> = Vec::new();
        for &id in ids {
            let element = self.pick(scalars).unwrap_or(TypeId::BOOL);
            arrays.push(self.add_type(None, Type::Array { index: id, element }));
        }
        for _ in 0..2 {
            let index = self.pick(scalars).unwrap_or(TypeId::BOOL);
            let elements = if self.chance(20) { arrays.clone() } else { parts.to_vec() };
            let element = self.pick(&elements).unwrap_or(TypeId::BOOL);
            arrays.push(self.add_type(None, Type::Array { index, element }));
        }
        arrays
    }

    fn multiset_types(&mut self, ids: &[TypeId], parts: &[TypeId], arrays: &[TypeId]) {
        for at in 0..2 {
            let elements = if self.chance(15) { arrays } else { parts };
            let element = self.pick(elements).unwrap_or(TypeId::BOOL);
            let capacity = self.rng.u32(1..=3);
            let multiset = self.add_type(None, Type::Multiset { capacity, element });
            if at == 0 && self.chance(40) {
                let index = self.pick(ids).unwrap_or(TypeId::BOOL);
                self.add_type(None, Type::Array { index, element: multiset });
            }
        }
    }

    /// Adds globals as long as the number of valuations allows it.
    pub(super) fn globals(&mut self) {
        let mut bits_left = f64::from(self.config.state_bits);
        for _ in 0..3 * MAX_GLOBALS {
            let ty = self.global_type();
            let partial = self.config.undefined && self.rng.bool();
            let bits = self.bits(ty, partial);
            if self.model.globals.len() < MAX_GLOBALS && bits <= bits_left {
                bits_left -= bits;
                self.add_global(ty, partial);
            }
        }
        if self.model.globals.is_empty() {
            self.add_global(TypeId::BOOL, false);
        }
    }

    fn add_global(&mut self, ty: TypeId, partial: bool) {
        let span = self.span();
        self.partial.push(partial);
        self.model.globals.push(Global { name: format!("g{}", self.model.globals.len()), ty, span });
    }

    /// A type for a global; aggregates are preferred, or they would hardly ever come before the space is used up.
    fn global_type(&mut self) -> TypeId {
        let all: Vec<TypeId> = self.model.types.iter().map(|(id, _)| id).filter(|&id| id != TypeId::INT).collect();
        let aggregates: Vec<TypeId> = all.iter().copied().filter(|&ty| !self.is_scalar(ty)).collect();
        let types = if self.chance(50) { aggregates } else { all };
        self.pick(&types).unwrap_or(TypeId::BOOL)
    }

    /// Binary logarithm of the number of values of a type, with undefined ones if it is used in a partial way.
    fn bits(&self, ty: TypeId, partial: bool) -> f64 {
        let types = &self.model.types;
        match types.get(ty) {
            &Type::Array { index, element } => types.shape(index).cardinality() as f64 * self.bits(element, partial),
            Type::Record { fields } => fields.iter().map(|field| self.bits(field.ty, partial)).sum(),
            &Type::Multiset { capacity, element } => {
                f64::from(capacity) * (1.0 + self.bits(element, partial).exp2()).log2()
            }
            _ => (types.shape(ty).cardinality() as f64 + f64::from(u8::from(partial))).log2(),
        }
    }

    pub(super) fn is_scalar(&self, ty: TypeId) -> bool {
        self.model.types.shape(ty).scalar
    }

    /// Whether members of a sort occur among the values of a type, its index types left aside.
    pub(super) fn holds_id(&self, ty: TypeId) -> bool {
        self.model.types.holds(ty, &|part| matches!(part, Type::Id(_)))
    }
}
