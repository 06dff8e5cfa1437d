//! The locals of one rule, start state, property or function.

use std::collections::{BTreeSet, HashMap};

use burnside_diag::Span;
use burnside_ir::{Binder, Block, Local, LocalId, LocalMode, Locals, TypeId};

use super::Lowering;
use super::slots::Homes;
use crate::typed::{AliasTarget, Binding, Domain, Role, VarId};

/// Numbers locals in the order in which they are first bound or used.
pub(super) struct Frame<'p> {
    pub(super) lowering: Lowering<'p>,
    locals: Locals,
    numbers: HashMap<VarId, LocalId>,
    /// Statements that must run before the one that is being lowered.
    pub(super) prelude: Block,
    pub(super) homes: Homes,
    /// Parameters of the rule, which keep their values.
    pub(super) params: BTreeSet<LocalId>,
}

impl<'p> Frame<'p> {
    pub(super) fn new(lowering: Lowering<'p>) -> Self {
        Self {
            lowering,
            locals: Vec::new(),
            numbers: HashMap::new(),
            prelude: Vec::new(),
            homes: Homes::default(),
            params: BTreeSet::new(),
        }
    }

    pub(super) fn into_locals(self) -> Locals {
        self.locals
    }

    pub(super) fn add_param(&mut self, var: VarId) {
        let mode = match self.lowering.program.local(var).role {
            Role::VarParam => LocalMode::Reference,
            _ => LocalMode::Owned,
        };
        self.bind(var, mode);
    }

    /// Gives a local its number at the place where it gets its value.
    pub(super) fn bind(&mut self, var: VarId, mode: LocalMode) -> LocalId {
        let local = self.lowering.program.local(var);
        let id = self.add(local.name.clone(), local.ty, mode, local.span);
        self.numbers.insert(var, id);
        id
    }

    /// The number of a local; one declared with `var` gets it at its first use.
    pub(super) fn local(&mut self, var: VarId) -> LocalId {
        match self.numbers.get(&var) {
            Some(&id) => id,
            None => self.bind(var, LocalMode::Owned),
        }
    }

    /// A local of our own.
    pub(super) fn temporary(&mut self, name: &str, ty: TypeId, mode: LocalMode, span: Span) -> LocalId {
        self.add(format!("${name}{}", self.locals.len()), ty, mode, span)
    }

    /// A local of our own whose name people may see.
    pub(super) fn named_temporary(&mut self, name: String, ty: TypeId, span: Span) -> LocalId {
        self.add(name, ty, LocalMode::Owned, span)
    }

    fn add(&mut self, name: String, ty: TypeId, mode: LocalMode, span: Span) -> LocalId {
        self.locals.push(Local { name, ty, mode, span });
        LocalId(self.locals.len() as u32 - 1)
    }

    /// Another name for a local.
    pub(super) fn rename(&mut self, var: VarId, local: LocalId) {
        self.numbers.insert(var, local);
    }

    pub(super) fn set_type(&mut self, local: LocalId, ty: TypeId) {
        self.locals[local.index()].ty = ty;
    }

    /// What rulesets, aliases and `choose` around a rule bind.
    pub(super) fn binders(&mut self, bindings: &[Binding]) -> Vec<Binder> {
        let mut binders = Vec::with_capacity(bindings.len());
        for binding in bindings {
            self.binder(binding, &mut binders);
        }
        binders
    }

    fn binder(&mut self, binding: &Binding, binders: &mut Vec<Binder>) {
        let binder = match binding {
            Binding::Param(var, Domain::Slots(set)) => {
                let set = self.steady_set(set, binders);
                Binder::Param { local: self.bind_slot(*var, &set), domain: burnside_ir::Domain::Slots(set) }
            }
            Binding::Param(var, domain) => {
                let domain = self.domain(domain);
                let local = self.bind(*var, LocalMode::Owned);
                self.params.insert(local);
                Binder::Param { local, domain }
            }
            Binding::Alias(var, AliasTarget::Place(place)) => {
                if let Some(slot) = self.slot_named(place) {
                    return self.rename(*var, slot);
                }
                let place = self.place(place);
                let local = self.bind(*var, LocalMode::Reference);
                self.note_alias(local, &place);
                Binder::Reference { local, place }
            }
            Binding::Alias(var, AliasTarget::Value(value)) => {
                let source = self.value_operand(value);
                Binder::Value { local: self.bind(*var, LocalMode::Owned), source }
            }
        };
        binders.push(binder);
    }
}
