//! Checks of places, operands, calls and bindings.

use burnside_diag::Span;

use super::slots::Scope;
use super::structure::is_finite_scalar;
use super::{Checker, DefectKind, Table};
use crate::{Arg, Call, Domain, GlobalId, LocalId, LocalMode, Operand, Place, PlaceBase, Projection, Type, TypeId};

impl Checker<'_> {
    pub(super) fn place(&mut self, place: &Place) {
        let mut reached = match &place.base {
            PlaceBase::Global(global) => self.global_type(*global, place.span),
            PlaceBase::Local(local) => self.local_type(*local, place.span),
            PlaceBase::Call(call) => self.pure_call_type(call),
        };
        for (at, step) in place.path.iter().enumerate() {
            self.step_operand(step, reached);
            if let Projection::Element(slot) = step {
                self.element_step(*slot, &place.base, &place.path[..at], place.span);
            }
            reached = reached.and_then(|whole| {
                let part = step.part_type(&self.model.types, whole);
                self.require(part.is_some(), place.span, DefectKind::BadStep(whole));
                part
            });
        }
        match reached {
            Some(actual) if actual != place.ty => {
                self.report(place.span, DefectKind::NotedType { actual, noted: place.ty });
            }
            Some(_) => {}
            None => _ = self.known_type(place.ty, place.span),
        }
    }

    fn global_type(&mut self, global: GlobalId, span: Span) -> Option<TypeId> {
        let found = self.model.globals.get(global.index());
        self.require(found.is_some(), span, DefectKind::NoSuch(Table::Globals, global.0));
        found.map(|global| global.ty)
    }

    fn local_type(&mut self, local: LocalId, span: Span) -> Option<TypeId> {
        let found = self.locals.get(local.index());
        self.require(found.is_some(), span, DefectKind::NoSuch(Table::Locals, local.0));
        let is_slot = found.is_some_and(|local| local.mode == LocalMode::Slot);
        self.require(!is_slot, span, DefectKind::MisusedSlot(local));
        let bound = self.bound.get(local.index()) != Some(&false);
        self.require(bound, span, DefectKind::UnboundReference(local));
        found.map(|local| local.ty)
    }

    /// Checks the expression in a step from a whole of type `whole`.
    fn step_operand(&mut self, step: &Projection, whole: Option<TypeId>) {
        match step {
            Projection::Field(_) | Projection::Element(_) => {}
            Projection::Index(index) => {
                self.expr(index);
                if let Some(&Type::Array { index: wanted, .. }) = whole.and_then(|ty| self.known_structure(ty)) {
                    let fits = self.go_together(wanted, index.ty);
                    self.require(fits, index.span, DefectKind::Mismatch(wanted, index.ty));
                }
            }
            Projection::Numbered(number) => {
                self.expr(number);
                self.integer(number.ty, number.span);
            }
        }
    }

    /// The type of the elements of a multiset.
    pub(super) fn element_type(&self, multiset: TypeId) -> Option<TypeId> {
        self.known_structure(multiset)?.multiset().map(|(_, element)| element)
    }

    pub(super) fn multiset_place(&mut self, place: &Place) {
        self.place(place);
        self.multiset(place.ty, place.span);
    }

    /// A place that is written or referred to.
    pub(super) fn writable(&mut self, place: &Place) {
        self.place(place);
        let fits = !matches!(place.base, PlaceBase::Call(_));
        self.require(fits, place.span, DefectKind::CallWritten);
    }

    pub(super) fn operand(&mut self, operand: &Operand) {
        match operand {
            Operand::Value(expr) => self.expr(expr),
            Operand::Copy(place) => self.place(place),
            Operand::Undefined => {}
        }
    }

    /// Checks that a variable of type `target` can take the operand.
    pub(super) fn storable(&mut self, target: TypeId, operand: &Operand, span: Span) {
        let source = match operand {
            Operand::Value(expr) => expr.ty,
            Operand::Copy(place) => place.ty,
            Operand::Undefined => return,
        };
        self.require(self.go_together(target, source), span, DefectKind::Mismatch(target, source));
    }

    pub(super) fn call(&mut self, call: &Call) {
        self.nested(call.span, |checker| checker.call_inside(call));
    }

    fn call_inside(&mut self, call: &Call) {
        let Some(function) = self.model.functions.get(call.function.index()) else {
            self.report(call.span, DefectKind::NoSuch(Table::Functions, call.function.0));
            return call.args.iter().for_each(|arg| self.arg(arg));
        };
        let (expected, found) = (function.n_params, call.args.len() as u32);
        self.require(expected == found, call.span, DefectKind::ArgCount { expected, found });
        let params = function.locals.iter().take(expected as usize).map(Some).chain(std::iter::repeat(None));
        for ((at, arg), param) in (0..).zip(&call.args).zip(params) {
            self.arg(arg);
            match (param.map(|param| (param.mode, param.ty)), arg) {
                (Some((LocalMode::Owned, ty)), Arg::Value(operand)) => self.storable(ty, operand, call.span),
                (Some((LocalMode::Reference, ty)), Arg::Reference(place)) => {
                    self.require(self.alike(ty, place.ty), place.span, DefectKind::Mismatch(ty, place.ty));
                }
                (Some(_), _) => self.report(call.span, DefectKind::ArgMode(LocalId(at))),
                (None, _) => {}
            }
        }
    }

    fn arg(&mut self, arg: &Arg) {
        match arg {
            Arg::Value(operand) => self.operand(operand),
            Arg::Reference(place) => self.writable(place),
        }
    }

    /// Checks a call whose result is used where nothing may be changed, and gives the type of that.
    pub(super) fn pure_call_type(&mut self, call: &Call) -> Option<TypeId> {
        let pure = !self.effects.of(call.function);
        self.require(pure, call.span, DefectKind::EffectInExpression(call.function));
        self.call_type(call)
    }

    /// Checks a call whose result is used, and gives the type of that.
    pub(super) fn call_type(&mut self, call: &Call) -> Option<TypeId> {
        self.call(call);
        let result = self.model.functions.get(call.function.index())?.result;
        self.require(result.is_some(), call.span, DefectKind::NoResult(call.function));
        result
    }

    /// A local that takes the values of a domain one after another.
    pub(super) fn bind_each(&mut self, local: LocalId, domain: &Domain, scope: Scope<'_>, span: Span) {
        self.domain(domain, span);
        if let Domain::Slots(multiset) = domain {
            return self.open_slot(local, multiset, scope, span);
        }
        let Some(ty) = self.bindable(local, LocalMode::Owned, span) else { return };
        match domain {
            Domain::Type(of) => self.require(self.widens(*of, ty), span, DefectKind::Mismatch(ty, *of)),
            Domain::Range { .. } => self.integer(ty, span),
            Domain::Slots(_) => unreachable!("treated above"),
        }
    }

    fn domain(&mut self, domain: &Domain, span: Span) {
        match domain {
            Domain::Type(ty) => {
                if self.known_type(*ty, span) {
                    let finite = is_finite_scalar(&self.model.types, *ty);
                    self.require(finite, span, DefectKind::InfiniteDomain(*ty));
                }
            }
            Domain::Range { from, to, step } => {
                for bound in [from, to] {
                    self.expr(bound);
                    self.integer(bound.ty, bound.span);
                }
                self.require(*step != 0, span, DefectKind::ZeroStep);
            }
            Domain::Slots(multiset) => self.multiset_place(multiset),
        }
    }

    /// A local that is made to refer to a place.
    pub(super) fn bind_reference(&mut self, local: LocalId, place: &Place, span: Span) {
        self.writable(place);
        if let Some(ty) = self.bindable(local, LocalMode::Reference, span) {
            self.require(self.alike(ty, place.ty), span, DefectKind::Mismatch(ty, place.ty));
            self.bound[local.index()] = true;
        }
    }
}
