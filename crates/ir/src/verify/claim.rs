//! Formulas and automata of temporal properties.

use burnside_diag::Span;
use burnside_temporal::formula::Formula;

use super::slots::Referenced;
use super::{Checker, DefectKind, Subject, Table};
use crate::{
    Applied, Automaton, Binder, Claim, ClaimFormula, Condition, Domain, MAX_DEPTH, Property, PropertyId, PropertyKind,
    TypeId,
};

impl<'a> Checker<'a> {
    /// Every temporal property has one formula, and every formula such a property.
    pub(super) fn claims(&mut self) {
        for claim in &self.model.claims {
            self.claim(claim);
        }
        for automaton in &self.model.automata {
            self.automaton(automaton);
        }
        for (at, property) in self.model.properties.iter().enumerate().filter(|(_, it)| it.kind.is_temporal()) {
            let n_claims = if property.kind.has_formula() {
                self.model.claims.iter().filter(|claim| claim.property.index() == at).count()
            } else {
                self.model.automata.iter().filter(|automaton| automaton.property.index() == at).count()
            };
            self.require(n_claims == 1, property.span, DefectKind::ClaimCount(n_claims));
        }
    }

    fn automaton(&mut self, automaton: &'a Automaton) {
        let Some(property) = self.model.properties.get(automaton.property.index()) else {
            self.enter(Subject::Model, &[], Referenced::default(), Span::NOWHERE);
            return self.report(Span::NOWHERE, DefectKind::NoSuch(Table::Properties, automaton.property.0));
        };
        self.enter(Subject::Property(automaton.property), &[], Referenced::default(), property.span);
        self.require(property.kind.has_automaton(), property.span, DefectKind::NotTemporal(automaton.property));
        let n_states = automaton.states.len();
        self.require(n_states > 0, property.span, DefectKind::NoSuch(Table::AutomatonStates, 0));
        for edge in automaton.states.iter().flatten() {
            let is_state = (edge.target as usize) < n_states;
            self.require(is_state, property.span, DefectKind::NoSuch(Table::AutomatonStates, edge.target));
            for literal in &edge.when {
                if let Condition::Property(condition) = literal.what {
                    self.literal(condition, property.span);
                }
            }
        }
    }

    fn literal(&mut self, id: PropertyId, span: Span) {
        let Some(condition) = self.model.properties.get(id.index()) else {
            return self.report(span, DefectKind::NoSuch(Table::Properties, id.0));
        };
        self.require(condition.kind == PropertyKind::Proposition, span, DefectKind::NotProposition(id));
        let found = parameter_types(condition).len() as u32;
        self.require(found == 0, span, DefectKind::ArgCount { expected: found, found: 0 });
    }

    fn claim(&mut self, claim: &'a Claim) {
        let Some(property) = self.model.properties.get(claim.property.index()) else {
            self.enter(Subject::Model, &[], Referenced::default(), Span::NOWHERE);
            return self.report(Span::NOWHERE, DefectKind::NoSuch(Table::Properties, claim.property.0));
        };
        self.enter(Subject::Property(claim.property), &[], Referenced::default(), property.span);
        self.require(property.kind.has_formula(), property.span, DefectKind::NotTemporal(claim.property));
        for variable in &claim.variables {
            if self.known_type(variable.ty, variable.span) {
                self.scalar(variable.ty, variable.span);
                self.require(
                    !self.structures.holds_int(variable.ty),
                    variable.span,
                    DefectKind::InfiniteDomain(variable.ty),
                );
            }
        }
        let mut bound = vec![false; claim.variables.len()];
        self.formula(claim, property.span, &claim.formula, &mut bound);
        if property.kind == PropertyKind::Linear {
            self.require(!claim.formula.has_path_quantifier(), property.span, DefectKind::PathQuantifier);
        } else {
            self.require(claim.formula.is_state_formula(), property.span, DefectKind::PathFormula);
        }
    }

    /// `bound` has the variables that were ever bound; one that is bound twice has no single meaning.
    fn formula(&mut self, claim: &'a Claim, span: Span, formula: &ClaimFormula, bound: &mut [bool]) {
        if self.depth == MAX_DEPTH {
            return self.report(span, DefectKind::TooDeep);
        }
        self.depth += 1;
        match formula {
            Formula::Constant(_) => {}
            Formula::Proposition(applied) => self.applied(claim, span, applied, bound),
            Formula::Unary(_, f) => self.formula(claim, span, f, bound),
            Formula::Binary(_, f, g) => {
                self.formula(claim, span, f, bound);
                self.formula(claim, span, g, bound);
            }
            Formula::Quantified(_, variable, f) => match bound.get_mut(*variable as usize) {
                None => self.report(span, DefectKind::NoSuch(Table::Variables, *variable)),
                Some(is_bound) => {
                    let was_bound = std::mem::replace(is_bound, true);
                    self.require(!was_bound, span, DefectKind::VariableBoundTwice(*variable));
                    self.formula(claim, span, f, bound);
                }
            },
        }
        self.depth -= 1;
    }

    fn applied(&mut self, claim: &'a Claim, span: Span, applied: &Applied, bound: &[bool]) {
        let Some(condition) = self.model.properties.get(applied.condition.index()) else {
            return self.report(span, DefectKind::NoSuch(Table::Properties, applied.condition.0));
        };
        let is_proposition = condition.kind == PropertyKind::Proposition;
        self.require(is_proposition, span, DefectKind::NotProposition(applied.condition));
        let types = parameter_types(condition);
        let (expected, found) = (types.len() as u32, applied.arguments.len() as u32);
        self.require(expected == found, span, DefectKind::ArgCount { expected, found });
        for (&ty, &variable) in types.iter().zip(&applied.arguments) {
            let is_known = bound.get(variable as usize).is_some_and(|&is_bound| is_bound);
            self.require(is_known, span, DefectKind::NoSuch(Table::Variables, variable));
            if let Some(variable) = claim.variables.get(variable as usize) {
                self.require(variable.ty == ty, span, DefectKind::Mismatch(variable.ty, ty));
            }
        }
    }

    /// The parameters of a condition that formulas speak of go through types, so that its instances are the same in
    /// every state.
    pub(super) fn proposition(&mut self, property: &Property) {
        let goes_through_type =
            |binder: &Binder| !matches!(binder, Binder::Param { domain: Domain::Range { .. } | Domain::Slots(_), .. });
        let fits = property.binders.iter().all(goes_through_type);
        self.require(fits, property.span, DefectKind::PropositionDomain);
    }
}

/// The types that the parameters of a condition go through.
fn parameter_types(property: &Property) -> Vec<TypeId> {
    let domains = property.binders.iter().filter_map(|binder| match binder {
        Binder::Param { domain: Domain::Type(ty), .. } => Some(*ty),
        _ => None,
    });
    domains.collect()
}
