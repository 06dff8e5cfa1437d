//! Rules, start states, properties, and the groups around them.

use burnside_diag::Diagnostic;
use burnside_ir::PropertyKind as Kind;

use super::Checker;
use super::scope::Symbol;
use super::stmts::Alias;
use crate::ast::{self, AliasBinding, Block, ExprKind as Syntax, Name, PropertyKind, Quantifier, RuleItem};
use crate::codes;
use crate::typed::{Binding, Domain, Expr, Property, Role, Rule, Start};

impl Checker<'_> {
    pub(super) fn rule_item(&mut self, item: &RuleItem) {
        match item {
            RuleItem::Rule(rule) => self.rule(rule),
            RuleItem::Start(block) => self.start(block),
            RuleItem::Property(property) => self.property(property),
            RuleItem::Claim(claim) => self.claim(claim),
            RuleItem::Ruleset { quantifiers, items } => self.ruleset(quantifiers, items),
            RuleItem::Alias { bindings, items } => self.alias_rules(bindings, items),
            RuleItem::Choose { index, set, items } => self.choose(index, set, items),
        }
    }

    fn rule(&mut self, rule: &ast::Rule) {
        let name = self.name_or_number(rule.block.name.as_ref(), "Rule", self.program.rules.len());
        self.within = format!("rule `{name}`");
        let priority = match &rule.priority {
            Some(priority) => self.constant_integer(priority, "the priority of a rule"),
            None => Some(0),
        };
        let guard = rule.guard.as_ref().map(|guard| self.guard(guard));
        let body = self.scoped(|checker| {
            checker.local_decls(&rule.block.decls);
            checker.block(&rule.block.body)
        });
        let rule = Rule {
            name,
            bindings: self.bindings.clone(),
            guard: guard.flatten(),
            body,
            priority: priority.unwrap_or(0),
            span: rule.block.head,
        };
        self.program.rules.push(rule);
    }

    /// A real number before `==>` is the probability of the rule in CMurphi's probabilistic mode.
    fn guard(&mut self, guard: &ast::Expr) -> Option<Expr> {
        if matches!(guard.kind, Syntax::Real) {
            let message = "rules with probabilities are not supported";
            let finding = Diagnostic::error(codes::UNSUPPORTED_PROBABILITY, message, guard.span)
                .help("give the rule a condition; every enabled rule is then explored");
            self.report(finding);
            return None;
        }
        self.condition(guard, "the guard of a rule")
    }

    fn start(&mut self, block: &Block) {
        let name = self.name_or_number(block.name.as_ref(), "Startstate", self.program.starts.len());
        self.within = format!("start state `{name}`");
        let body = self.scoped(|checker| {
            checker.local_decls(&block.decls);
            checker.block(&block.body)
        });
        let start = Start { name, bindings: self.bindings.clone(), body, span: block.head };
        self.program.starts.push(start);
    }

    fn property(&mut self, property: &ast::Property) {
        let word = property.kind.word();
        let (kind, title) = match property.kind {
            PropertyKind::Invariant => (Kind::Invariant, "Invariant"),
            PropertyKind::Assume => (Kind::Assumption, "Assumption"),
            PropertyKind::Cover => (Kind::Cover, "Cover"),
            PropertyKind::Liveness => (Kind::Liveness, "Liveness"),
        };
        let n_before = self.program.properties.iter().filter(|earlier| earlier.kind == kind).count();
        let name = self.name_or_number(property.name.as_ref(), title, n_before);
        self.within = format!("{word} `{name}`");
        let Some(condition) = self.condition(&property.condition, &format!("the condition of `{word}`")) else {
            return;
        };
        let property = Property { name, kind, bindings: self.bindings.clone(), condition, span: property.span };
        self.program.properties.push(property);
    }

    /// What has no name is known by its number among its kind.
    pub(super) fn name_or_number(&self, name: Option<&String>, title: &str, n_before: usize) -> String {
        name.cloned().unwrap_or_else(|| format!("{title} {}", n_before + 1))
    }

    /// Checks rules inside further bindings, which end with them.
    fn grouped(&mut self, items: &[RuleItem], bind: impl FnOnce(&mut Self)) {
        let n_outside = self.bindings.len();
        self.scoped(|checker| {
            bind(checker);
            for item in items {
                checker.rule_item(item);
            }
        });
        self.bindings.truncate(n_outside);
    }

    fn ruleset(&mut self, quantifiers: &[Quantifier], items: &[RuleItem]) {
        self.grouped(items, |checker| {
            for quantifier in quantifiers {
                checker.rule_param(quantifier);
            }
        });
    }

    fn rule_param(&mut self, quantifier: &Quantifier) {
        let name = &quantifier.name;
        let symbol = match self.domain(&quantifier.domain) {
            Some((domain, ty)) if self.is_constant_domain(&domain, quantifier) => {
                let var = self.add_local(&name.text, ty, Role::RuleParam, name.span);
                self.bindings.push(Binding::Param(var, domain));
                Symbol::Local(var)
            }
            _ => Symbol::Broken,
        };
        self.declare_rule_param(name, symbol);
    }

    /// The instances of a rule are the same in every state.
    fn is_constant_domain(&mut self, domain: &Domain, quantifier: &Quantifier) -> bool {
        let Domain::Steps { from, to, .. } = domain else { return true };
        if from.as_const().is_some() && to.as_const().is_some() {
            return true;
        }
        let message = format!("the values of the ruleset parameter `{}` must be constant", quantifier.name.text);
        let finding = Diagnostic::error(codes::NOT_CONSTANT, message, quantifier.span)
            .help("use the largest range, and exclude values in the guard");
        self.report(finding);
        false
    }

    fn alias_rules(&mut self, bindings: &[AliasBinding], items: &[RuleItem]) {
        self.grouped(items, |checker| {
            for binding in bindings {
                let alias = checker.alias_binding(binding);
                checker.declare_alias(binding, &alias);
                if let Some(Alias::Bound(var, target)) = alias {
                    checker.bindings.push(Binding::Alias(var, target));
                }
            }
        });
    }

    fn choose(&mut self, index: &Name, set: &ast::Expr, items: &[RuleItem]) {
        let place = self.place(set, "what is chosen from");
        let place = place.filter(|place| self.element_type(place).is_some());
        self.grouped(items, |checker| match place {
            Some(place) => {
                let var = checker.declare_slot(index, place.ty);
                checker.bindings.push(Binding::Param(var, Domain::Slots(place)));
            }
            None => checker.declare(index, Symbol::Broken),
        });
    }
}
