//! The locals of one rule, start state, property or function.

use std::collections::HashMap;

use burnside_diag::Span;
use burnside_ir::{Binder, Local, LocalId, LocalMode, Locals, TypeId};

use super::Lowering;
use crate::typed::{AliasTarget, Binding, Role, VarId};

/// Numbers locals in the order in which they are first bound or used.
pub(super) struct Frame<'p> {
    pub(super) lowering: Lowering<'p>,
    locals: Locals,
    numbers: HashMap<VarId, LocalId>,
}

impl<'p> Frame<'p> {
    pub(super) fn new(lowering: Lowering<'p>) -> Self {
        Self { lowering, locals: Vec::new(), numbers: HashMap::new() }
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

    fn add(&mut self, name: String, ty: TypeId, mode: LocalMode, span: Span) -> LocalId {
        self.locals.push(Local { name, ty, mode, span });
        LocalId(self.locals.len() as u32 - 1)
    }

    /// What rulesets, aliases and `choose` around a rule bind.
    pub(super) fn binders(&mut self, bindings: &[Binding]) -> Vec<Binder> {
        bindings.iter().map(|binding| self.binder(binding)).collect()
    }

    fn binder(&mut self, binding: &Binding) -> Binder {
        match binding {
            Binding::Param(var, domain) => {
                let domain = self.domain(domain);
                Binder::Param { local: self.bind(*var, LocalMode::Owned), domain }
            }
            Binding::Alias(var, AliasTarget::Place(place)) => {
                let place = self.place(place);
                Binder::Reference { local: self.bind(*var, LocalMode::Reference), place }
            }
            Binding::Alias(var, AliasTarget::Value(value)) => {
                let source = self.value_operand(value);
                Binder::Value { local: self.bind(*var, LocalMode::Owned), source }
            }
        }
    }
}
