//! Expressions, places and operands as text.

use super::{Printer, decorated};
use crate::text::sexp::Sexp;
use crate::text::words::Worded;
use crate::{Arg, Call, Domain, Expr, ExprKind, LocalId, Operand, Place, PlaceBase, Projection, Type, TypeId};

impl Printer<'_> {
    pub(super) fn expr(self, expr: &Expr) -> Sexp {
        let place = |place: &Place| Sexp::Atom(self.place(place));
        match &expr.kind {
            ExprKind::Const(value) => Sexp::Atom(self.constant(*value, expr)),
            ExprKind::Read(read) if self.reads_plainly(expr, read) => place(read),
            ExprKind::Read(read) => self.compound("read", expr, vec![place(read)]),
            ExprKind::IsUndefined(read) => self.compound("is-undefined", expr, vec![place(read)]),
            ExprKind::Unary(op, operand) => self.compound(op.word(), expr, vec![self.expr(operand)]),
            ExprKind::Binary(op, left, right) => {
                self.compound(op.word(), expr, vec![self.expr(left), self.expr(right)])
            }
            ExprKind::SameAggregate(left, right) => self.compound("same", expr, vec![place(left), place(right)]),
            ExprKind::Conditional(condition, then, other) => {
                self.compound("select", expr, [condition, then, other].map(|part| self.expr(part)).into())
            }
            ExprKind::Convert(operand) => self.compound("convert", expr, vec![self.expr(operand)]),
            ExprKind::IsMember(read, member) => self.compound("is-member", expr, vec![place(read), self.ty(*member)]),
            ExprKind::Quantified(quantifier, local, domain, body) => {
                let operands = vec![self.local(*local), self.domain(domain), self.expr(body)];
                self.compound(quantifier.word(), expr, operands)
            }
            ExprKind::Count(local, multiset, condition) => {
                let operands = vec![self.local(*local), place(multiset), self.expr(condition)];
                self.compound("count", expr, operands)
            }
            ExprKind::SlotNumber(local) => self.compound("slot-number", expr, vec![self.local(*local)]),
            ExprKind::Call(call) => self.compound("call", expr, self.call(call)),
        }
    }

    /// Whether a read may be written as the place alone.
    fn reads_plainly(self, expr: &Expr, place: &Place) -> bool {
        expr.ty == place.ty && self.span(expr.span) == self.span(place.span)
    }

    fn constant(self, value: i64, expr: &Expr) -> String {
        let span = self.span(expr.span);
        match (expr.ty, value) {
            (TypeId::BOOL, 0) => format!("false{span}"),
            (TypeId::BOOL, 1) => format!("true{span}"),
            (TypeId::INT, _) => format!("{value}{span}"),
            _ => format!("{}:{}{span}", self.value(value, expr.ty), self.type_ref(expr.ty)),
        }
    }

    /// A number, decorated with the name of the value if that has one.
    fn value(self, value: i64, ty: TypeId) -> String {
        match self.model.types.try_def(ty).map(|def| &def.ty) {
            Some(Type::Enum { .. } | Type::Id(_) | Type::Union { .. }) => {
                decorated("", value, Some(&self.model.types.value_name(ty, value)))
            }
            _ => value.to_string(),
        }
    }

    pub(super) fn local(self, local: LocalId) -> Sexp {
        Sexp::Atom(self.local_ref(local))
    }

    pub(super) fn domain(self, domain: &Domain) -> Sexp {
        match domain {
            Domain::Type(ty) => self.ty(*ty),
            Domain::Range { from, to, step } => {
                let step = Sexp::atom(step.to_string());
                Sexp::list(vec![Sexp::atom("range"), self.expr(from), self.expr(to), step])
            }
            Domain::Slots(multiset) => Sexp::list(vec![Sexp::atom("slots"), Sexp::Atom(self.place(multiset))]),
        }
    }

    pub(super) fn place(self, place: &Place) -> String {
        let mut text = match &place.base {
            PlaceBase::Global(global) => self.global_ref(*global),
            PlaceBase::Local(local) => self.local_ref(*local),
            PlaceBase::Call(call) => {
                let mut items = vec![Sexp::atom("result")];
                items.extend(self.call(call));
                Sexp::list(items).flat()
            }
        };
        let scope = self.scope();
        for (at, step) in place.path.iter().enumerate() {
            match step {
                Projection::Field(field) => {
                    let whole = scope.implied_place_type(&place.base, &place.path[..at]);
                    text.push_str(&decorated(".", *field, whole.and_then(|ty| self.field_name(ty, *field))));
                }
                Projection::Index(index) => text.push_str(&format!("[{}]", self.expr(index).flat())),
                Projection::Element(slot) => text.push_str(&format!("{{slot {}}}", self.local_ref(*slot))),
                Projection::Numbered(number) => text.push_str(&format!("{{{}}}", self.expr(number).flat())),
            }
        }
        if scope.implied_place_type(&place.base, &place.path) != Some(place.ty) {
            text.push(':');
            text.push_str(&self.type_ref(place.ty));
        }
        text + &self.span(place.span)
    }

    fn field_name(&self, record: TypeId, field: u32) -> Option<&str> {
        let Type::Record { fields } = &self.model.types.try_def(record)?.ty else { return None };
        fields.get(field as usize).map(|field| field.name.as_str())
    }

    pub(super) fn operand(self, operand: &Operand) -> Sexp {
        match operand {
            Operand::Value(expr) => self.expr(expr),
            Operand::Copy(place) => Sexp::list(vec![Sexp::atom("copy"), Sexp::Atom(self.place(place))]),
            Operand::Undefined => Sexp::atom("undefined"),
        }
    }

    /// The callee, which carries the span of the call, and the arguments.
    pub(super) fn call(self, call: &Call) -> Vec<Sexp> {
        let mut items = vec![Sexp::Atom(self.function_ref(call.function) + &self.span(call.span))];
        items.extend(call.args.iter().map(|arg| match arg {
            Arg::Value(operand) => self.operand(operand),
            Arg::Reference(place) => Sexp::list(vec![Sexp::atom("ref"), Sexp::Atom(self.place(place))]),
        }));
        items
    }
}
