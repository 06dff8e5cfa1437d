//! Loops over identities whose rounds may run in any order.
//!
//! Two rounds commute if neither writes what the other reads or writes, or if both only do things to it that commute:
//! store the same value, add to it, put elements into it. What a round touches is collected by `round`, calls included,
//! with places written relative to the loop's variable (`spot`): an index that *is* the loop's variable makes a place
//! the round's own, and so does a condition that picks the elements of a multiset that hold it (`keyed`).
//!
//! Quantifiers change nothing, so all that counts is whether they meet a fault. A multiset that is gone through element
//! by element is gone through in the order of its slots, which depends on the names of all identities.
//!
// SOUND: if all pairs of rounds commute, every order of rounds gives the same state and the same decision whether
// there is a fault, so the loop commutes with renaming its domain. A loop that is left early hides the faults of
// rounds that are not run, so there must be none to hide (`certain`). An assumption that fails drops the step, faults
// of later rounds included; a loop in which one occurs is not admitted at all. The variable of an inner loop counts as
// private to a round, which it is unless it is read outside of its own loop; then nothing is admitted (`strays`).

mod certain;
mod keyed;
mod round;
mod spot;
mod strays;

use std::collections::BTreeSet;

use burnside_diag::Span;
use burnside_ir::visit::{Visitor, walk_expr, walk_stmt};
use burnside_ir::{
    Binder, Block, Domain, Expr, ExprKind, FunctionId, LocalId, Model, Part, Property, PropertyKind, Stmt, StmtKind,
    TypeId,
};

use crate::Break;
use crate::infer::functions_in_use;
use certain::{Certain, Frame};
use round::{Round, assigned};

/// Something that depends, or may depend, on the order of values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ordered {
    /// The type whose values come in an order, or `None` if the names of all identities matter.
    pub domain: Option<TypeId>,
    /// Where, and why the order may matter.
    pub found: Break,
}

/// A loop or quantifier whose rounds may come in any order.
pub(crate) struct Unordered {
    pub(crate) domain: TypeId,
    pub(crate) span: Span,
    /// What makes that so.
    pub(crate) arguments: BTreeSet<Argument>,
}

/// Why rounds of a loop may come in any order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Argument {
    /// They change nothing.
    ReadsOnly,
    /// They change what is indexed by the loop's variable.
    OwnPlaces,
    /// They change those elements of a multiset that hold the loop's variable.
    OwnElements,
    /// They store the same value.
    SameValue,
    /// They add constants of one sign.
    Sums,
    /// They put elements into a multiset.
    Insertions,
    /// They leave the loop with the same result, past nothing that could fault.
    SameResult,
}

impl Argument {
    /// In words that follow "its rounds".
    pub fn words(self) -> &'static str {
        match self {
            Self::ReadsOnly => "change nothing",
            Self::OwnPlaces => "change places of their own",
            Self::OwnElements => "change multiset elements of their own",
            Self::SameValue => "store the same value",
            Self::Sums => "add to a sum",
            Self::Insertions => "put elements into multisets",
            Self::SameResult => "return the same result and cannot fault",
        }
    }
}

/// What is known about the order of rounds in a model.
#[derive(Default)]
pub(crate) struct Orders {
    /// Everything for which order independence could not be shown.
    pub(crate) ordered: Vec<Ordered>,
    /// Loops, and quantifiers that call functions, for which it was.
    pub(crate) unordered: Vec<Unordered>,
}

/// Looks at every loop and quantifier of a model.
pub(crate) fn orders(model: &Model) -> Orders {
    search(model, Certain::new(model))
}

/// Everything in a part of a model, given as a model with only some of its rules and properties, for which order
/// independence could not be shown.
pub fn ordered_in_part(part: &Model) -> Vec<Ordered> {
    search(part, Certain::of_part(part)).ordered
}

fn search<'m>(model: &'m Model, certain: Certain<'m>) -> Orders {
    let mut search = Search { model, certain, frame: Frame::default(), found: Orders::default() };
    for id in functions_in_use(model) {
        search.function(id);
    }
    for (at, rule) in model.rules.iter().enumerate() {
        search.frame = Frame::of_rule(at, rule);
        search.note_stray(strays::in_rule(rule));
        Part::rule(rule).walk(&mut search);
    }
    for (at, property) in model.properties.iter().enumerate() {
        search.frame = Frame::of_property(at, property);
        search.property(property);
    }
    search.found
}

struct Search<'m> {
    model: &'m Model,
    certain: Certain<'m>,
    frame: Frame<'m>,
    found: Orders,
}

impl Search<'_> {
    fn function(&mut self, id: FunctionId) {
        let function = self.model.function(id);
        self.frame = Frame::of_function(id, function);
        self.note_stray(strays::in_function(function));
        // An assumption that fails ends whatever called the function, which is not looked at here.
        let mut assumptions = Assumptions(None);
        assumptions.block(&function.body);
        if let Some(span) = assumptions.0 {
            self.note(None, span, "makes an assumption inside a function");
        }
        self.block(&function.body);
    }

    /// Instances are evaluated in order until one decides; for invariants a failing and a faulting instance are both
    /// violations, but a cover that is met and an assumption that fails hide the faults of later instances, and what
    /// shapes the model must not depend on their order either.
    fn property(&mut self, property: &Property) {
        Part::property(property).walk(self);
        match property.kind {
            PropertyKind::Cover | PropertyKind::Assumption | PropertyKind::Passing | PropertyKind::Ending => {}
            PropertyKind::Invariant | PropertyKind::CoverPoint | PropertyKind::Liveness => return,
            // All instances are evaluated, and each fault is a violation.
            PropertyKind::Linear | PropertyKind::Branching | PropertyKind::Proposition => return,
            PropertyKind::Never | PropertyKind::Acceptance | PropertyKind::NonProgress => return,
        }
        for binder in &property.binders {
            let Binder::Param { domain, .. } = binder else { continue };
            let bound: Vec<LocalId> = property.binders.iter().map(Binder::local).collect();
            if !self.certain.cannot_fault(&self.frame, &property.condition, &bound) {
                self.note(domain_type(domain), property.span, "stops at the first instance that decides");
            }
        }
    }

    fn note_stray(&mut self, stray: Option<Span>) {
        if let Some(span) = stray {
            self.note(None, span, "reads the variable of a loop outside of that loop");
        }
    }

    fn note(&mut self, domain: Option<TypeId>, span: Span, reason: &str) {
        self.found.ordered.push(Ordered { domain, found: Break { span, reason: reason.to_owned() } });
    }

    fn settle(&mut self, domain: &Domain, span: Span, arguments: BTreeSet<Argument>, found: Option<Break>) {
        let domain = domain_type(domain);
        match (found, domain) {
            (Some(found), domain) => self.found.ordered.push(Ordered { domain, found }),
            (None, Some(domain)) => self.found.unordered.push(Unordered { domain, span, arguments }),
            (None, None) => {}
        }
    }

    fn for_loop(&mut self, local: LocalId, domain: &Domain, body: &Block, span: Span) {
        let mut round = Round::new(self.model, &self.frame, local);
        round.body(body);
        let (early, arguments) = (round.early_return(), round.arguments());
        let found = round.conflict("runs a loop").or_else(|| {
            let span = early.filter(|_| !self.certain.runs_through(&self.frame, body, &[local]))?;
            Some(Break { span, reason: "leaves a loop early, which may hide a fault of another round".to_owned() })
        });
        self.settle(domain, span, arguments, found);
    }

    fn quantifier(&mut self, local: LocalId, domain: &Domain, body: &Expr) {
        let mut round = Round::new(self.model, &self.frame, local);
        round.condition(body);
        let arguments = round.arguments();
        let mut found = round.conflict("evaluates a quantifier");
        // Quantifiers over types are evaluated for every value; those over slots stop when they are decided.
        if matches!(domain, Domain::Slots(_)) && !self.certain.cannot_fault(&self.frame, body, &[local]) {
            let reason = "stops at the first element of a multiset that decides".to_owned();
            found = found.or(Some(Break { span: body.span, reason }));
        }
        self.settle(domain, body.span, arguments, found);
    }
}

/// The type a domain goes through, if it is not the slots of a multiset.
fn domain_type(domain: &Domain) -> Option<TypeId> {
    match domain {
        Domain::Type(ty) => Some(*ty),
        Domain::Range { from, .. } => Some(from.ty),
        Domain::Slots(_) => None,
    }
}

impl Visitor for Search<'_> {
    fn expr(&mut self, expr: &Expr) {
        if let ExprKind::Quantified(_, local, domain, body) = &expr.kind
            && !matches!(**domain, Domain::Range { .. })
        {
            self.quantifier(*local, domain, body);
        }
        walk_expr(self, expr);
    }

    fn stmt(&mut self, stmt: &Stmt) {
        if let StmtKind::For { local, domain, body } = &stmt.kind
            && !matches!(domain, Domain::Range { .. })
        {
            self.for_loop(*local, domain, body, stmt.span);
            if !assigned(body).contains(local) && self.frame.fix(*local) {
                walk_stmt(self, stmt);
                self.frame.release(*local);
                return;
            }
        }
        walk_stmt(self, stmt);
    }
}

/// Finds the first assumption among statements.
struct Assumptions(Option<Span>);

impl Visitor for Assumptions {
    fn stmt(&mut self, stmt: &Stmt) {
        if matches!(stmt.kind, StmtKind::Assume(_)) {
            self.0.get_or_insert(stmt.span);
        }
        walk_stmt(self, stmt);
    }
}

#[cfg(test)]
mod tests;
