//! Type expressions to types.

use std::collections::HashMap;

use burnside_diag::{Diagnostic, Span};
use burnside_ir::{Field, Sort, SortKind, Type, TypeId};

use super::Checker;
use super::scope::Symbol;
use crate::ast::{self, Name, TypeExpr, TypeKind};
use crate::codes;

/// More identities than this are taken for a mistake.
const MAX_SCALARSET: i64 = 1 << 16;
/// A larger multiset is taken for a mistake.
const MAX_CAPACITY: i64 = 1 << 16;

/// Types without a name, each stored once: two anonymous `0..1` are one type, as in Rumur.
#[derive(Debug, Default)]
pub(super) struct Interned {
    ranges: HashMap<(i64, i64), TypeId>,
    sets: HashMap<(SortKind, u32), TypeId>,
    /// Also the named ones: a union is its members.
    unions: HashMap<Vec<TypeId>, TypeId>,
}

impl Checker<'_> {
    /// The type written at `ty`; a new one is called `name` if it is being declared.
    pub(super) fn type_expr(&mut self, ty: &TypeExpr, name: Option<&Name>) -> Option<TypeId> {
        let name_text = name.map(|name| name.text.clone());
        let span = name.map_or(ty.span, |name| name.span);
        match &ty.kind {
            TypeKind::Boolean => Some(TypeId::BOOL),
            TypeKind::Named(name) => self.named_type(name),
            TypeKind::Range(low, high) => self.range_type(low, high, name_text, ty.span),
            TypeKind::Enum(members) => self.enum_type(members, name_text, ty.span),
            TypeKind::Scalarset(size) => self.set_type(SortKind::Full, size, name_text, span),
            TypeKind::Ringset(size) => self.set_type(SortKind::Ring, size, name_text, span),
            TypeKind::Union(members) => self.union_type(members, name_text, ty.span),
            TypeKind::Array(index, element) => {
                let index_ty = self.type_expr(index, None);
                let element = self.type_expr(element, None);
                let index = self.array_index(index_ty?, index.span)?;
                Some(self.program.types.add(name_text, Type::Array { index, element: element? }, span))
            }
            TypeKind::Record(fields) => self.record_type(fields, name_text, span),
            TypeKind::Multiset(capacity, element) => {
                let element_ty = self.type_expr(element, None);
                let capacity = self.multiset_capacity(capacity);
                let element = self.multiset_element(element_ty?, element.span)?;
                Some(self.program.types.add(name_text, Type::Multiset { capacity: capacity?, element }, span))
            }
            TypeKind::Real => {
                self.refuse_real(ty.span);
                None
            }
        }
    }

    fn named_type(&mut self, name: &Name) -> Option<TypeId> {
        match self.resolve(&name.text, name.span)? {
            Symbol::Type(ty) => Some(ty),
            symbol => {
                let mut finding = self.wrong_kind(&name.text, name.span, "a type");
                if self.is_multiset_variable(symbol) {
                    finding =
                        finding.help("elements of a multiset are named by `choose` and counted by `multisetcount`");
                }
                self.report(finding);
                None
            }
        }
    }

    fn range_type(&mut self, low: &ast::Expr, high: &ast::Expr, name: Option<String>, span: Span) -> Option<TypeId> {
        let lo = self.range_bound(low);
        let hi = self.range_bound(high);
        let (lo, hi) = (lo?, hi?);
        if hi < lo {
            let message = format!("the range `{lo}..{hi}` is empty");
            let finding = Diagnostic::error(codes::EMPTY_RANGE, message, span)
                .label("upper bound below lower bound")
                .help("exchange the bounds, or check the constants they are made of");
            self.report(finding);
            return None;
        }
        match name {
            Some(name) => Some(self.program.types.add(Some(name), Type::Range { lo, hi }, span)),
            None => Some(self.range(lo, hi, span)),
        }
    }

    fn range_bound(&mut self, bound: &ast::Expr) -> Option<i64> {
        self.constant_integer(bound, "the bound of a range")
    }

    /// The anonymous range `lo..hi`.
    pub(super) fn range(&mut self, lo: i64, hi: i64, span: Span) -> TypeId {
        let types = &mut self.program.types;
        *self.interned.ranges.entry((lo, hi)).or_insert_with(|| types.add(None, Type::Range { lo, hi }, span))
    }

    fn enum_type(&mut self, members: &[Name], name: Option<String>, span: Span) -> Option<TypeId> {
        if members.is_empty() {
            let finding = Diagnostic::error(codes::EMPTY_ENUM, "an enumeration needs at least one member", span)
                .help("add a member");
            self.report(finding);
            return None;
        }
        let names = members.iter().map(|member| member.text.clone()).collect();
        let ty = self.program.types.add(name, Type::Enum { members: names }, span);
        for (value, member) in (0..).zip(members) {
            self.declare(member, Symbol::Const(ty, value));
        }
        Some(ty)
    }

    /// A scalarset or ringset.
    fn set_type(&mut self, kind: SortKind, size: &ast::Expr, name: Option<String>, span: Span) -> Option<TypeId> {
        let word = if kind == SortKind::Ring { "ringset" } else { "scalarset" };
        let n = self.constant_integer(size, &format!("the size of a {word}"))?;
        if !(1..=MAX_SCALARSET).contains(&n) {
            let message = format!("a {word} cannot have {n} members");
            let finding = Diagnostic::error(codes::SCALARSET_SIZE, message, size.span)
                .help(format!("give a size from 1 to {MAX_SCALARSET}"));
            self.report(finding);
            return None;
        }
        let size = n as u32;
        let anonymous = name.is_none();
        if anonymous && let Some(&known) = self.interned.sets.get(&(kind, size)) {
            return Some(known);
        }
        let sort_name = name.clone().unwrap_or_else(|| format!("{word}{size}"));
        let types = &mut self.program.types;
        let sort = types.add_sort(Sort { name: sort_name, size, kind, span });
        let ty = types.add(name, Type::Id(sort), span);
        if anonymous {
            self.interned.sets.insert((kind, size), ty);
        }
        Some(ty)
    }

    fn union_type(&mut self, members: &[TypeExpr], name: Option<String>, span: Span) -> Option<TypeId> {
        let resolved: Vec<_> = members.iter().map(|member| (self.type_expr(member, None), member.span)).collect();
        let mut types = Vec::new();
        for (ty, span) in resolved {
            types.push(self.union_member(ty?, span, &types)?);
        }
        if types.len() < 2 {
            let finding = Diagnostic::error(codes::UNION_MEMBER, "a union needs at least two members", span)
                .help("add a member, or use the only one directly");
            self.report(finding);
            return None;
        }
        if let Some(&known) = self.interned.unions.get(&types) {
            return Some(known);
        }
        let ty = self.program.types.add(name, Type::Union { members: types.clone() }, span);
        self.interned.unions.insert(types, ty);
        Some(ty)
    }

    fn union_member(&mut self, ty: TypeId, span: Span, earlier: &[TypeId]) -> Option<TypeId> {
        let message = match self.types().get(ty) {
            Type::Enum { .. } | Type::Id(_) if !earlier.contains(&ty) => return Some(ty),
            Type::Enum { .. } | Type::Id(_) => format!("{} is in this union already", self.show(ty)),
            _ => format!("{} cannot be a member of a union", self.show(ty)),
        };
        let finding = Diagnostic::error(codes::UNION_MEMBER, message, span)
            .help("unite different enumerations and scalarsets, each once");
        self.report(finding);
        None
    }

    fn array_index(&mut self, index: TypeId, span: Span) -> Option<TypeId> {
        if self.types().shape(index).scalar {
            return Some(index);
        }
        let message = format!("an array cannot be indexed by {}", self.show(index));
        let finding = Diagnostic::error(codes::ARRAY_INDEX, message, span)
            .help("index it by a range, enumeration, scalarset, union or boolean");
        self.report(finding);
        None
    }

    fn record_type(&mut self, fields: &[ast::Field], name: Option<String>, span: Span) -> Option<TypeId> {
        let mut all: Vec<Field> = Vec::new();
        let mut complete = true;
        for group in fields {
            let ty = self.type_expr(&group.ty, None);
            for field in &group.names {
                if all.iter().any(|earlier| earlier.name == field.text) {
                    let message = format!("the record has two fields `{}`", field.text);
                    self.report(
                        Diagnostic::error(codes::DUPLICATE_NAME, message, field.span).help("rename one of them"),
                    );
                    continue;
                }
                match ty {
                    Some(ty) => all.push(Field { name: field.text.clone(), ty }),
                    None => complete = false,
                }
            }
        }
        complete.then(|| self.program.types.add(name, Type::Record { fields: all }, span))
    }

    fn multiset_capacity(&mut self, capacity: &ast::Expr) -> Option<u32> {
        let n = self.constant_integer(capacity, "the capacity of a multiset")?;
        if (1..=MAX_CAPACITY).contains(&n) {
            return Some(n as u32);
        }
        let message = format!("a multiset cannot have room for {n} elements");
        let finding = Diagnostic::error(codes::MULTISET_TYPE, message, capacity.span)
            .help(format!("give a capacity from 1 to {MAX_CAPACITY}"));
        self.report(finding);
        None
    }

    fn multiset_element(&mut self, element: TypeId, span: Span) -> Option<TypeId> {
        if !self.types().shape(element).has_multiset {
            return Some(element);
        }
        let message = "a multiset cannot hold multisets";
        let finding = Diagnostic::error(codes::MULTISET_TYPE, message, span).help("use an array of multisets");
        self.report(finding);
        None
    }

    /// Refuses real numbers, once per model.
    pub(super) fn refuse_real(&mut self, span: Span) {
        if !self.real_reported {
            self.real_reported = true;
            let finding = Diagnostic::error(codes::UNSUPPORTED_REAL, "real numbers are not supported", span)
                .label("the first of them")
                .help("use a range of integers, in small enough units");
            self.report(finding);
        }
    }
}
