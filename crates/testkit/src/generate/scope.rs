//! What the piece under construction can refer to.

use burnside_diag::Span;
use burnside_ir::{GlobalId, Local, LocalId, LocalMode, Place, TypeId};

use super::Generator;

/// The surroundings of the piece under construction.
#[derive(Default)]
pub(super) struct Scope {
    /// The locals of the declaration so far.
    pub(super) locals: Vec<Local>,
    /// The locals that may be used here, innermost last.
    pub(super) vars: Vec<Var>,
    /// The result that the function under construction owes.
    pub(super) result: Option<TypeId>,
    /// What may be written.
    pub(super) writes: Writes,
    /// Indices must mean the same wherever their locals are in scope.
    pub(super) steady: bool,
    /// Calls of functions with effects are out of place.
    pub(super) pure: bool,
    /// No risk of a fault may be taken.
    pub(super) tame: bool,
    /// Elements of multisets must stay, because a loop over them goes on.
    pub(super) elements_stay: bool,
    /// Inside a loop whose rounds commute: the part of the state that belongs to this round.
    pub(super) focus: Option<Focus>,
    /// Only functions before this one may be called, so that recursion has an end.
    pub(super) n_callable: usize,
}

/// What statements may write besides their own locals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) enum Writes {
    #[default]
    Nothing,
    /// Scalars of globals and of what references refer to.
    Scalars,
    /// Multisets too.
    Everything,
}

/// A part of one global that a round of a commuting loop may write; the rest of the global may not even be read.
#[derive(Debug, Clone)]
pub(super) struct Focus {
    pub(super) global: GlobalId,
    pub(super) part: Place,
}

/// A local that may be used.
#[derive(Debug, Clone)]
pub(super) struct Var {
    pub(super) local: LocalId,
    pub(super) ty: TypeId,
    pub(super) role: Role,
    /// Whether every scalar in it has a value for sure.
    pub(super) defined: bool,
}

/// What a local is used for.
#[derive(Debug, Clone)]
pub(super) enum Role {
    /// Holds a value and may be assigned.
    Value,
    /// Takes the values of a domain; not assigned, so that it means the same wherever it is in scope.
    Bound,
    /// Counts the rounds of a loop; not assigned, so that the loop has an end.
    Counter,
    /// Takes the slot numbers of a multiset, a place that means the same wherever the local is in scope.
    Slot(Box<Place>),
    /// Refers to a place, perhaps inside an element of a multiset.
    Reference { in_element: bool },
    /// Of no use any more.
    Gone,
}

impl Generator {
    /// A fresh place in the text that the model pretends to come from: no two nodes share one, so that faults can be
    /// told apart by their spans.
    pub(super) fn span(&mut self) -> Span {
        let start = self.offset;
        self.offset += 2;
        Span { file: burnside_diag::FileId(0), start, end: start + 1 }
    }

    /// Declares a local without making it usable yet.
    pub(super) fn declare(&mut self, prefix: &str, ty: TypeId, mode: LocalMode) -> LocalId {
        let local = LocalId(self.scope.locals.len() as u32);
        let span = self.span();
        self.scope.locals.push(Local { name: format!("{prefix}{}", local.0), ty, mode, span });
        local
    }

    /// Makes a local usable until the enclosing [`scoped`](Self::scoped) ends.
    pub(super) fn admit(&mut self, local: LocalId, role: Role, defined: bool) {
        let ty = self.scope.locals[local.index()].ty;
        self.scope.vars.push(Var { local, ty, role, defined });
    }

    /// Builds something whose locals are gone afterwards.
    pub(super) fn scoped<T>(&mut self, build: impl FnOnce(&mut Self) -> T) -> T {
        let n_vars = self.scope.vars.len();
        let built = build(self);
        self.scope.vars.truncate(n_vars);
        built
    }

    /// Gives up everything that relies on elements of multisets being where they were, after some may have gone.
    pub(super) fn forget_elements(&mut self) {
        if self.takes_risk() {
            return;
        }
        for var in &mut self.scope.vars {
            if matches!(var.role, Role::Slot(_) | Role::Reference { in_element: true }) {
                var.role = Role::Gone;
            }
        }
    }

    /// Turns to a new declaration.
    pub(super) fn open_scope(&mut self, writes: Writes) {
        self.scope = Scope { writes, n_callable: self.model.functions.len(), ..Scope::default() };
    }
}
