//! Expressions, places and operands.

use burnside_ir::{
    BinaryOp, Call, Domain, Expr, ExprKind, LocalMode, Operand, Place, PlaceBase, Quantifier, Type, TypeId,
};

use super::Undefined;
use super::frame::Frame;
use crate::typed::{self, Base, Role, Source, VarId};

impl Frame<'_> {
    /// A scalar expression.
    pub(super) fn expr(&mut self, expr: &typed::Expr) -> Expr {
        let kind = match &expr.kind {
            typed::ExprKind::Const(value) => ExprKind::Const(*value),
            typed::ExprKind::Read(place) => match self.slot_named(place) {
                Some(slot) => ExprKind::SlotNumber(slot),
                None => ExprKind::Read(Box::new(self.place(place))),
            },
            typed::ExprKind::Unary(op, operand) => ExprKind::Unary(*op, self.boxed(operand)),
            typed::ExprKind::Binary(op @ (BinaryOp::Eq | BinaryOp::Ne), left, right) => {
                return self.equality(*op, left, right, expr.span);
            }
            typed::ExprKind::Binary(op, left, right) if op.is_logical() && self.has_effects(right) => {
                return self.logical(*op, left, right);
            }
            typed::ExprKind::Binary(op, left, right) => {
                let (left, right) = self.both(left, right);
                ExprKind::Binary(*op, Box::new(left), Box::new(right))
            }
            typed::ExprKind::Same(left, right) => {
                let mut first = self.aggregate(left);
                if self.has_effects(right) {
                    first = self.kept_copy(first);
                }
                ExprKind::SameAggregate(Box::new(first), Box::new(self.aggregate(right)))
            }
            typed::ExprKind::Conditional(condition, then, otherwise)
                if self.has_effects(then) || self.has_effects(otherwise) =>
            {
                return self.conditional([condition, then, otherwise], expr.ty);
            }
            typed::ExprKind::Conditional(condition, then, otherwise) => {
                ExprKind::Conditional(self.boxed(condition), self.boxed(then), self.boxed(otherwise))
            }
            typed::ExprKind::Quantified(quantifier, bound, body) => {
                return Expr { span: expr.span, ..self.quantified(*quantifier, bound, body) };
            }
            typed::ExprKind::Call(call) if self.lowering.effects.of(call.function).is_some() => {
                ExprKind::Read(Box::new(self.called(call)))
            }
            typed::ExprKind::Call(call) => ExprKind::Call(Box::new(self.call(call))),
            typed::ExprKind::IsUndefined(place) => ExprKind::IsUndefined(Box::new(self.place(place))),
            typed::ExprKind::IsMember(place, member) => ExprKind::IsMember(Box::new(self.place(place)), *member),
            typed::ExprKind::Count(var, set, condition) => {
                let set = self.place(set);
                let local = self.bind_slot(*var, &set);
                ExprKind::Count(local, Box::new(set), self.boxed(condition))
            }
            typed::ExprKind::Convert(inner) => ExprKind::Convert(self.boxed(inner)),
        };
        Expr { kind, ty: expr.ty, span: expr.span }
    }

    fn boxed(&mut self, expr: &typed::Expr) -> Box<Expr> {
        Box::new(self.expr(expr))
    }

    /// Several variables of one quantifier are nested quantifiers.
    fn quantified(&mut self, quantifier: Quantifier, bound: &[(VarId, typed::Domain)], body: &typed::Expr) -> Expr {
        let Some(((var, domain), inner)) = bound.split_first() else { return self.expr(body) };
        let domain = self.domain(domain);
        let local = self.bind(*var, LocalMode::Owned);
        let inner = self.quantified(quantifier, inner, body);
        let kind = ExprKind::Quantified(quantifier, local, Box::new(domain), Box::new(inner));
        Expr { kind, ty: TypeId::BOOL, span: body.span }
    }

    pub(super) fn domain(&mut self, domain: &typed::Domain) -> Domain {
        match domain {
            typed::Domain::Type(ty) => Domain::Type(*ty),
            typed::Domain::Steps { from, to, step } => {
                Domain::Range { from: self.expr(from), to: self.expr(to), step: *step }
            }
            typed::Domain::Slots(set) => Domain::Slots(self.place(set)),
        }
    }

    pub(super) fn place(&mut self, place: &typed::Place) -> Place {
        let base = match place.base {
            Base::Global(global) => PlaceBase::Global(global),
            Base::Local(var) => PlaceBase::Local(self.local(var)),
        };
        self.steps(base, place)
    }

    /// Where a record, array or multiset is found: only reads and calls have such a type.
    fn aggregate(&mut self, expr: &typed::Expr) -> Place {
        match &expr.kind {
            typed::ExprKind::Read(place) => self.place(place),
            typed::ExprKind::Call(call) if self.lowering.effects.of(call.function).is_some() => self.called(call),
            typed::ExprKind::Call(call) => {
                let base = PlaceBase::Call(Box::new(self.call(call)));
                Place { base, path: Vec::new(), ty: expr.ty, span: expr.span }
            }
            kind => unreachable!("checking lets only reads and calls be aggregates, not {kind:?}"),
        }
    }

    fn is_scalar(&self, ty: TypeId) -> bool {
        self.lowering.program.types.shape(ty).scalar
    }

    /// A value that must be defined if it is simple: results and snapshots.
    pub(super) fn value_operand(&mut self, expr: &typed::Expr) -> Operand {
        if self.is_scalar(expr.ty) { Operand::Value(self.expr(expr)) } else { Operand::Copy(self.aggregate(expr)) }
    }

    /// A value that may be undefined if it is just read from somewhere: arguments and elements of multisets.
    pub(super) fn lenient_operand(&mut self, expr: &typed::Expr) -> Operand {
        match &expr.kind {
            typed::ExprKind::Read(place) if self.slot_named(place).is_none() => Operand::Copy(self.place(place)),
            _ => self.value_operand(expr),
        }
    }

    /// The right side of an assignment.
    pub(super) fn assigned_operand(&mut self, expr: &typed::Expr) -> Operand {
        match &expr.kind {
            typed::ExprKind::Read(place) if self.copies_undefined(place) => Operand::Copy(self.place(place)),
            _ => self.value_operand(expr),
        }
    }

    /// Whether `x := place` copies an undefined value. As in CMurphi, a plain variable may be copied undefined whatever
    /// its type; a field, an element or an alias only if it is not of a range type, whose values are checked on reading.
    pub(super) fn copies_undefined(&self, place: &typed::Place) -> bool {
        let role = match place.base {
            Base::Local(var) => Some(self.lowering.program.local(var).role),
            Base::Global(_) => None,
        };
        if self.lowering.undefined == Undefined::Refused && self.is_scalar(place.ty)
            || matches!(role, Some(Role::Slot(_)))
        {
            return false;
        }
        let is_alias = matches!(role, Some(Role::PlaceAlias(_) | Role::ValueAlias));
        let is_plain = place.path.is_empty() && !is_alias;
        is_plain || !matches!(self.lowering.program.types.get(place.ty), Type::Range { .. })
    }

    pub(super) fn source(&mut self, source: &Source) -> Operand {
        match source {
            Source::Value(value) => self.assigned_operand(value),
            Source::Undefined => Operand::Undefined,
        }
    }

    pub(super) fn call(&mut self, call: &typed::Call) -> Call {
        Call { function: call.function, args: self.args(&call.args), span: call.span }
    }
}
