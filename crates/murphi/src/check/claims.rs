//! Temporal formulas: conditions checked like those of other properties, each with the variables it speaks of.

use std::collections::HashSet;

use burnside_diag::{Diagnostic, Span};
use burnside_ir::{PropertyKind as Kind, TypeId};
use burnside_temporal::formula::{Formula, Quantity};

use super::Checker;
use super::scope::Symbol;
use crate::ast::{self, ClaimKind, Quantifier};
use crate::codes;
use crate::effects::{Visitor, walk_expr};
use crate::typed::{AliasTarget, Applied, Base, Binding, Call, Claim, Domain, Expr, Place, Property, Role, VarId};

type Checked = Formula<Applied, VarId>;

impl Checker<'_> {
    pub(super) fn claim(&mut self, claim: &ast::Claim) {
        let word = claim.kind.word();
        let (kind, title) = match claim.kind {
            ClaimKind::Linear => (Kind::Linear, "Ltl"),
            ClaimKind::Branching => (Kind::Branching, "Ctl"),
        };
        let n_before = self.program.properties.iter().filter(|earlier| earlier.kind == kind).count();
        let name = self.name_or_number(claim.name.as_ref(), title, n_before);
        self.within = format!("{word} `{name}`");
        let n_errors = self.n_errors();
        self.report_paths(claim, &name);
        self.report_domains(&name);
        let condition = Expr::constant(TypeId::BOOL, 1, claim.span);
        let own = Property { name: name.clone(), kind, bindings: Vec::new(), condition, span: claim.span };
        let property = self.program.properties.len();
        self.program.properties.push(own);
        let mut variables = Vec::new();
        let formula = self.formula(&claim.formula, &name, &mut variables);
        let Some(formula) = formula.filter(|_| self.n_errors() == n_errors) else {
            return self.program.properties.truncate(property);
        };
        let (formula, outer) = self.closed(formula);
        let variables = outer.into_iter().chain(variables).collect();
        self.program.claims.push(Claim { property, variables, formula });
    }

    /// `ltl` is about each execution by itself, `ctl` about states.
    fn report_paths(&mut self, claim: &ast::Claim, name: &str) {
        let finding = match claim.kind {
            ClaimKind::Linear if claim.formula.has_path_quantifier() => {
                let message = format!("`{name}` has a quantifier over executions, but `ltl` is about each one");
                Diagnostic::error(codes::PATH_QUANTIFIER, message, claim.span)
                    .help("use `ctl`, or leave out `A` and `E`")
            }
            ClaimKind::Branching if !claim.formula.is_state_formula() => {
                let message = format!("`{name}` has a temporal operator that is under no quantifier over executions");
                Diagnostic::error(codes::PATH_FORMULA, message, claim.span)
                    .help("put `A` (all executions) or `E` (some execution) before it, or use `ltl`")
            }
            _ => return,
        };
        self.report(finding);
    }

    /// What rulesets around a formula bind must go through a type.
    fn report_domains(&mut self, name: &str) {
        let unfit = self.bindings.iter().filter_map(|binding| match binding {
            Binding::Param(var, Domain::Steps { .. } | Domain::Slots(_)) => Some(*var),
            _ => None,
        });
        let unfit: Vec<VarId> = unfit.collect();
        for var in unfit {
            let local = self.program.local(var);
            let finding = unfit_variable(&local.name, local.span).label(format!("around `{name}`"));
            self.report(finding);
        }
    }

    fn formula(
        &mut self,
        formula: &Formula<ast::Expr, Vec<Quantifier>>,
        name: &str,
        variables: &mut Vec<VarId>,
    ) -> Option<Checked> {
        Some(match formula {
            Formula::Constant(value) => Formula::Constant(*value),
            Formula::Proposition(condition) => Formula::Proposition(self.applied(condition, name)?),
            Formula::Unary(op, f) => Formula::unary(*op, self.formula(f, name, variables)?),
            Formula::Binary(op, f, g) => {
                let (f, g) = (self.formula(f, name, variables), self.formula(g, name, variables));
                Formula::binary(*op, f?, g?)
            }
            Formula::Quantified(quantity, quantifiers, f) => {
                let n_outside = self.bindings.len();
                let bound = self.scoped(|checker| {
                    let bound: Vec<Option<VarId>> =
                        quantifiers.iter().map(|quantifier| checker.formula_variable(quantifier)).collect();
                    variables.extend(bound.iter().flatten());
                    let body = checker.formula(f, name, variables);
                    bound.into_iter().collect::<Option<Vec<VarId>>>().zip(body)
                });
                self.bindings.truncate(n_outside);
                let (bound, body) = bound?;
                let around = |body, var| Formula::Quantified(*quantity, var, Box::new(body));
                bound.into_iter().rev().fold(body, around)
            }
        })
    }

    fn formula_variable(&mut self, quantifier: &Quantifier) -> Option<VarId> {
        let name = &quantifier.name;
        let var = match self.domain(&quantifier.domain) {
            Some((domain @ Domain::Type(_), ty)) => {
                let var = self.add_local(&name.text, ty, Role::Loop, name.span);
                self.bindings.push(Binding::Param(var, domain));
                Some(var)
            }
            Some(_) => {
                self.report(unfit_variable(&name.text, quantifier.span));
                None
            }
            None => None,
        };
        self.declare(name, var.map_or(Symbol::Broken, Symbol::Local));
        var
    }

    /// A condition becomes a property with those parameters that it mentions.
    fn applied(&mut self, condition: &ast::Expr, name: &str) -> Option<Applied> {
        let checked = self.condition(condition, "a condition of a formula")?;
        let mut mentioned = Mentioned::default();
        mentioned.expr(&checked);
        let mut kept: Vec<Binding> = Vec::new();
        for binding in self.bindings.iter().rev() {
            let (Binding::Param(var, _) | Binding::Alias(var, _)) = binding;
            if !mentioned.0.contains(var) {
                continue;
            }
            match binding {
                Binding::Alias(_, AliasTarget::Place(place)) => mentioned.place(place),
                Binding::Alias(_, AliasTarget::Value(value)) => mentioned.expr(value),
                Binding::Param(..) => {}
            }
            kept.push(binding.clone());
        }
        kept.reverse();
        let arguments = kept.iter().filter_map(|binding| match binding {
            Binding::Param(var, _) => Some(*var),
            Binding::Alias(..) => None,
        });
        let arguments = arguments.collect();
        let property = self.program.properties.len();
        let own = Property {
            name: name.to_owned(),
            kind: Kind::Proposition,
            bindings: kept,
            condition: checked,
            span: condition.span,
        };
        self.program.properties.push(own);
        Some(Applied { property, arguments })
    }

    /// The formula for all values of those parameters of enclosing rulesets that it mentions.
    fn closed(&self, formula: Checked) -> (Checked, Vec<VarId>) {
        let mut mentioned = HashSet::new();
        formula.for_each_proposition(&mut |applied| mentioned.extend(applied.arguments.iter().copied()));
        let outer = self.bindings.iter().filter_map(|binding| match binding {
            Binding::Param(var, _) if mentioned.contains(var) => Some(*var),
            _ => None,
        });
        let outer: Vec<VarId> = outer.collect();
        let around = |body, &var: &VarId| Formula::Quantified(Quantity::Forall, var, Box::new(body));
        (outer.iter().rev().fold(formula, around), outer)
    }
}

fn unfit_variable(name: &str, span: Span) -> Diagnostic {
    let message = format!("`{name}` must go through a type, because a formula speaks of it");
    Diagnostic::error(codes::FORMULA_VARIABLE, message, span).help("write `forall i: T do … end` with a type `T`")
}

/// The locals that an expression reads.
#[derive(Default)]
struct Mentioned(HashSet<VarId>);

impl<'e> Visitor<'e> for Mentioned {
    fn call(&mut self, _: &'e Call) {}

    fn expr(&mut self, expr: &'e Expr) {
        walk_expr(self, expr);
    }

    fn place(&mut self, place: &'e Place) {
        if let Base::Local(var) = place.base {
            self.0.insert(var);
        }
        for projection in &place.path {
            match projection {
                crate::typed::Projection::Field(_) => {}
                crate::typed::Projection::Index(index) | crate::typed::Projection::Element(index) => self.expr(index),
            }
        }
    }
}
