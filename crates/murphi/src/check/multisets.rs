//! Multisets: adding, removing, counting, and naming elements.

use burnside_diag::{Diagnostic, Span};
use burnside_ir::{Type, TypeId};

use super::Checker;
use super::coerce::Purpose;
use super::scope::Symbol;
use crate::ast::{self, ExprKind as Syntax, Matching, Name};
use crate::codes;
use crate::typed::{Base, Expr, ExprKind, Place, Role, StmtKind, VarId};

impl Checker<'_> {
    /// `multisetadd(element, set)`
    pub(super) fn multiset_add(&mut self, args: &[ast::Expr], span: Span) -> Option<StmtKind> {
        let [element, set] = self.two_arguments(args, "multisetadd(element, set)", span)?;
        let value = self.expr(element);
        let (set, element_ty) = self.changed_multiset(set)?;
        if !matches!(element.kind, Syntax::Name(_) | Syntax::Field(..) | Syntax::Index(..)) {
            let message = "the element to add must be a variable";
            let finding = Diagnostic::error(codes::MULTISET_ARGUMENT, message, element.span)
                .label("this is only a value")
                .help("assign it to a local variable and add that");
            self.report(finding);
            return None;
        }
        let purpose = Purpose { what: "the multiset", declared: None };
        let value = self.coerce(value?, element_ty, &purpose)?;
        Some(StmtKind::MultisetAdd(set, value))
    }

    /// `multisetremove(i, set)` with `i` from a `choose`.
    pub(super) fn multiset_remove(&mut self, args: &[ast::Expr], span: Span) -> Option<StmtKind> {
        let [slot, set] = self.two_arguments(args, "multisetremove(i, set)", span)?;
        let slot = self.expr(slot);
        let (set, _) = self.changed_multiset(set)?;
        let slot = slot?;
        self.check_slot(&slot, set.ty)?;
        Some(StmtKind::MultisetRemove(set, slot))
    }

    /// `multisetremovepred(i: set, condition)`
    pub(super) fn multiset_remove_where(&mut self, matching: &Matching) -> Option<StmtKind> {
        let (set, _) = self.changed_multiset(&matching.set)?;
        let (var, condition) = self.slot_condition(matching, &set);
        Some(StmtKind::MultisetRemoveWhere(set, var, condition?))
    }

    /// `multisetcount(i: set, condition)`
    pub(super) fn count(&mut self, matching: &Matching, span: Span) -> Option<Expr> {
        let set = self.place(&matching.set, "what is counted")?;
        self.element_type(&set)?;
        let (var, condition) = self.slot_condition(matching, &set);
        Some(Expr { kind: ExprKind::Count(var, set, Box::new(condition?)), ty: TypeId::INT, span })
    }

    fn slot_condition(&mut self, matching: &Matching, set: &Place) -> (VarId, Option<Expr>) {
        self.scoped(|checker| {
            let var = checker.declare_slot(&matching.index, set.ty);
            (var, checker.condition(&matching.condition, "the condition on the elements"))
        })
    }

    /// Declares a name for the slots of a multiset.
    pub(super) fn declare_slot(&mut self, name: &Name, multiset: TypeId) -> VarId {
        let var = self.add_local(&name.text, TypeId::INT, Role::Slot(multiset), name.span);
        self.declare(name, Symbol::Local(var));
        var
    }

    /// A multiset that may be changed, and the type of its elements.
    fn changed_multiset(&mut self, set: &ast::Expr) -> Option<(Place, TypeId)> {
        let place = self.writable_place(set, "the multiset")?;
        let element = self.element_type(&place)?;
        Some((place, element))
    }

    /// The type of a multiset's elements; what is no multiset is reported.
    pub(super) fn element_type(&mut self, place: &Place) -> Option<TypeId> {
        if let Type::Multiset { element, .. } = *self.types().get(place.ty) {
            return Some(element);
        }
        let message = format!("a multiset is needed here, not {}", self.show(place.ty));
        let finding = Diagnostic::error(codes::MULTISET_ARGUMENT, message, place.span)
            .help("name a variable declared as `multiset [n] of T`");
        self.report(finding);
        None
    }

    /// Elements have no numbers a model may compute: only `choose` and its relatives name them.
    pub(super) fn check_slot(&mut self, index: &Expr, multiset: TypeId) -> Option<()> {
        if let ExprKind::Read(Place { base: Base::Local(var), path, .. }) = &index.kind
            && path.is_empty()
            && let Role::Slot(bound) = self.program.local(*var).role
            && self.same_structure(bound, multiset)
        {
            return Some(());
        }
        let message = "an element of a multiset is named only by `choose`";
        let finding = Diagnostic::error(codes::MULTISET_INDEX, message, index.span)
            .help("bind it around the rule, `choose i: net do … end`, or in `multisetcount(i: net, …)`");
        self.report(finding);
        None
    }

    fn two_arguments<'e>(&mut self, args: &'e [ast::Expr], form: &str, span: Span) -> Option<&'e [ast::Expr; 2]> {
        if let Ok(args) = args.try_into() {
            return Some(args);
        }
        let message = format!("two arguments are needed, not {}", args.len());
        self.report(Diagnostic::error(codes::MULTISET_ARGUMENT, message, span).help(format!("write `{form}`")));
        None
    }
}
