//! Which values go where: agreement of types, and the conversions unions need.

use burnside_diag::{Diagnostic, Span};
use burnside_ir::{Type, TypeId};

use super::Checker;
use crate::ast;
use crate::codes;
use crate::typed::{Expr, ExprKind};

/// How a value of one type is used as another.
enum Agreement {
    /// As it is.
    Same,
    /// A member of a union as the union, or a union value as a member, checked when run.
    Union,
    /// A member of a scalarset as its number.
    Number,
    /// A number as the member of a scalarset that has it, checked when run.
    Member,
}

impl Checker<'_> {
    pub(super) fn is_integer(&self, ty: TypeId) -> bool {
        matches!(self.types().get(ty), Type::Int | Type::Range { .. })
    }

    /// An integer, or something that counts as one by its number.
    pub(super) fn is_number(&self, ty: TypeId) -> bool {
        self.is_integer(ty) || self.is_identity(ty)
    }

    pub(super) fn is_identity(&self, ty: TypeId) -> bool {
        matches!(self.types().get(ty), Type::Id(_))
    }

    pub(super) fn is_scalar(&self, ty: TypeId) -> bool {
        self.types().shape(ty).scalar
    }

    fn is_union_with(&self, union: TypeId, member: TypeId) -> bool {
        self.types().union_offset(union, member).is_some()
    }

    fn agreement(&self, from: TypeId, to: TypeId) -> Option<Agreement> {
        if self.same_structure(from, to) || (self.is_integer(from) && self.is_integer(to)) {
            return Some(Agreement::Same);
        }
        if self.is_identity(from) && self.is_integer(to) {
            return Some(Agreement::Number);
        }
        if self.is_integer(from) && self.is_identity(to) {
            return Some(Agreement::Member);
        }
        let united = self.is_union_with(to, from) || self.is_union_with(from, to);
        united.then_some(Agreement::Union)
    }

    /// Whether two types have the same values. Enumerations and scalarsets are told apart by declaration.
    pub(super) fn same_structure(&self, a: TypeId, b: TypeId) -> bool {
        if a == b {
            return true;
        }
        let types = self.types();
        match (types.get(a), types.get(b)) {
            (Type::Range { lo, hi }, Type::Range { lo: other_lo, hi: other_hi }) => lo == other_lo && hi == other_hi,
            (&Type::Array { index, element }, &Type::Array { index: other_index, element: other_element }) => {
                self.same_structure(index, other_index) && self.same_structure(element, other_element)
            }
            (Type::Record { fields }, Type::Record { fields: others }) => {
                fields.len() == others.len()
                    && fields
                        .iter()
                        .zip(others)
                        .all(|(field, other)| field.name == other.name && self.same_structure(field.ty, other.ty))
            }
            (
                &Type::Multiset { capacity, element },
                &Type::Multiset { capacity: other_capacity, element: other_element },
            ) => capacity == other_capacity && self.same_structure(element, other_element),
            _ => false,
        }
    }

    /// `expr` as a value of type `to`, which `purpose` needs.
    pub(super) fn coerce(&mut self, expr: Expr, to: TypeId, purpose: &Purpose<'_>) -> Option<Expr> {
        match self.agreement(expr.ty, to) {
            Some(Agreement::Same) => {
                self.warn_out_of_range(&expr, to, purpose);
                Some(expr)
            }
            Some(Agreement::Union) => Some(self.convert(expr, to)),
            Some(Agreement::Number) => Some(self.number(expr)),
            Some(Agreement::Member) => self.member(expr, to),
            None => {
                self.report_mismatch(&expr, to, purpose);
                None
            }
        }
    }

    /// A union conversion, done at once for constants.
    pub(super) fn convert(&self, expr: Expr, to: TypeId) -> Expr {
        let span = expr.span;
        if let (Some(value), Some(offset)) = (expr.as_const(), self.types().union_offset(to, expr.ty)) {
            return Expr::constant(to, value + offset, span);
        }
        Expr { kind: ExprKind::Convert(Box::new(expr)), ty: to, span }
    }

    /// The one type in which values of two types can be compared or chosen between.
    pub(super) fn common_type(&self, a: TypeId, b: TypeId) -> Option<TypeId> {
        if self.is_integer(a) && self.is_integer(b) {
            return Some(TypeId::INT);
        }
        if self.same_structure(a, b) || self.is_union_with(a, b) {
            return Some(a);
        }
        self.is_union_with(b, a).then_some(b)
    }

    /// A value brought to the [common type](Self::common_type) with another.
    pub(super) fn brought_to(&self, expr: Expr, common: TypeId) -> Expr {
        if self.is_union_with(common, expr.ty) { self.convert(expr, common) } else { expr }
    }

    /// A constant outside its range is a fault only if it is reached, so it is a warning here.
    fn warn_out_of_range(&mut self, expr: &Expr, to: TypeId, purpose: &Purpose<'_>) {
        let &Type::Range { lo, hi } = self.types().get(to) else { return };
        let Some(value) = expr.as_const().filter(|value| !(lo..=hi).contains(value)) else { return };
        let message = format!("{value} does not fit the range `{lo}..{hi}` of {}", purpose.what);
        let mut finding = Diagnostic::warning(codes::VALUE_OUT_OF_RANGE, message, expr.span)
            .label("a fault if this is reached")
            .help(format!("use a value in `{lo}..{hi}`, or widen the range"));
        if let Some(span) = purpose.declared {
            finding = finding.also(span, "declared here");
        }
        self.report(finding);
    }

    fn report_mismatch(&mut self, expr: &Expr, to: TypeId, purpose: &Purpose<'_>) {
        let (found, needed) = (self.show(expr.ty), self.show(to));
        let message = format!("{} needs a value of type {needed}, not {found}", purpose.what);
        let finding = Diagnostic::error(codes::TYPE_MISMATCH, message, expr.span)
            .label(format!("this is {found}"))
            .help(self.mismatch_help(expr, to));
        let finding = match purpose.declared {
            Some(span) => finding.also(span, format!("declared as {needed}")),
            None => finding,
        };
        self.report(finding);
    }

    fn mismatch_help(&self, expr: &Expr, to: TypeId) -> String {
        match (self.types().get(expr.ty), self.types().get(to)) {
            (Type::Int | Type::Range { .. }, Type::Bool) => match expr.as_const() {
                Some(0) => "write `false`".to_owned(),
                Some(1) => "write `true`".to_owned(),
                _ => "compare it with something: `x = 1`".to_owned(),
            },
            (Type::Bool, Type::Int | Type::Range { .. }) => "choose the numbers: `b ? 1 : 0`".to_owned(),
            _ => "use a value of the right type, or change the declaration".to_owned(),
        }
    }

    /// A truth value for a guard, property or branch.
    pub(super) fn condition(&mut self, expr: &ast::Expr, what: &str) -> Option<Expr> {
        let typed = self.expr(expr)?;
        if typed.ty == TypeId::BOOL {
            return Some(typed);
        }
        let message = format!("{what} must be true or false, not {}", self.show(typed.ty));
        let finding = Diagnostic::error(codes::CONDITION_TYPE, message, expr.span).help("compare it with something");
        self.report(finding);
        None
    }
}

/// What a value is needed for, to explain why it does not do.
pub(super) struct Purpose<'a> {
    /// `` `x` ``, `parameter 2 of `f``, …
    pub(super) what: &'a str,
    /// Where the needed type comes from.
    pub(super) declared: Option<Span>,
}
