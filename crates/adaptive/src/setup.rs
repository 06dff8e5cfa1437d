//! Which identities there are, and what each rule and property does with them.

use std::ops::RangeInclusive;

use burnside_analysis::{Conjunct, Each, Family, Identities, Invariance, coarsest};
use burnside_group::Partition;
use burnside_ir::{BinaryOp, Binder, Domain, Expr, ExprKind, Layout, Model, PropertyKind, Rule, RuleId, TypeId};

use crate::action::Action;
use crate::engine::NotAdaptive;
use crate::families::{Families, ordered_in_rule};

/// What a search needs to know about a model.
#[derive(Debug, Clone)]
pub(crate) struct Setup {
    pub(crate) action: Action,
    /// The types whose quantifiers must be evaluated for every value.
    pub(crate) strict: Vec<TypeId>,
    pub(crate) starts: Vec<Instances>,
    pub(crate) rules: Vec<RuleSetup>,
    /// By property: what it is invariant under.
    pub(crate) properties: Vec<Partition>,
    /// The model with its rules replaced by parts of guards, one after another as `rules` refer to them.
    pub(crate) probes: Model,
    /// Whether partitions are made coarser where that leaves orbits as they are.
    pub(crate) coarsens: bool,
}

/// The instances of a rule or start state.
#[derive(Debug, Clone)]
pub(crate) struct Instances {
    pub(crate) family: Family,
    /// By parameter.
    pub(crate) params: Vec<Values>,
}

/// The values of a parameter.
#[derive(Debug, Clone)]
pub(crate) enum Values {
    /// The points of a class: which of the family's parameters this is, and the value of the class's first point.
    Points {
        number: usize,
        first: i64,
    },
    Listed(Vec<i64>),
}

/// A rule.
#[derive(Debug, Clone)]
pub(crate) struct RuleSetup {
    pub(crate) instances: Instances,
    /// The probe for what must hold first and is the same for all members of an orbit.
    pub(crate) symmetric_part: Option<RuleId>,
    /// The probe for what must hold next of each point by itself, and what it must be.
    pub(crate) each: Option<(RuleId, Each)>,
}

impl Setup {
    pub(crate) fn new(model: &Model, layout: &Layout, families: Families) -> Result<Self, NotAdaptive> {
        let Families { identities, rules: rule_families, starts: start_families, properties } = families;
        if identities.classes().is_empty() {
            return Err(NotAdaptive::NoIdentities);
        }
        if let Some(global) = model.globals.iter().find(|global| model.types.shape(global.ty).has_multiset) {
            return Err(NotAdaptive::Multiset(global.span));
        }
        if let Some(property) = model.properties_of(PropertyKind::Liveness).next() {
            return Err(NotAdaptive::Liveness(model.property(property).span));
        }
        let action = Action::new(model, layout, &identities);
        let mut probes = Probes { rules: Vec::new(), action: &action };
        let mut invariance = Invariance::new(model, &identities);
        let mut rules = Vec::new();
        for (at, family) in rule_families.into_iter().enumerate() {
            let id = RuleId(at as u32);
            let rule = model.rule(id);
            let params = values(model, &rule.binders, &family).ok_or(NotAdaptive::Parameter(rule.span))?;
            // With priorities, a guard alone says too little.
            let (symmetric_part, each) = if model.has_priorities() {
                (None, None)
            } else {
                let conjuncts = invariance.conjuncts(id, &ordered_in_rule(model, id));
                probes.add(rule, &conjuncts, &coarsest(&identities))
            };
            rules.push(RuleSetup { instances: Instances { family, params }, symmetric_part, each });
        }
        let mut starts = Vec::new();
        for (start, family) in model.starts.iter().zip(start_families) {
            let params = values(model, &start.binders, &family).ok_or(NotAdaptive::Parameter(start.span))?;
            starts.push(Instances { family, params });
        }
        let properties = properties.into_iter().map(|family| family.whole).collect();
        let probes = Model { rules: probes.rules, starts: Vec::new(), properties: Vec::new(), ..model.clone() };
        let strict = strict_types(model, &identities);
        Ok(Self { action, strict, starts, rules, properties, probes, coarsens: true })
    }

    /// Whether no rule or property tells identities of a class apart.
    pub(crate) fn is_symmetric(&self) -> bool {
        let identities = &self.action.identities;
        let all = coarsest(identities);
        self.rules.iter().all(|rule| rule.instances.family.is_symmetric(identities))
            && self.properties.iter().all(|partition| *partition == all)
    }
}

fn strict_types(model: &Model, identities: &Identities) -> Vec<TypeId> {
    let types = model.types.iter().map(|(ty, _)| ty);
    types.filter(|&ty| model.types.shape(ty).scalar && identities.acts_on(ty)).collect()
}

/// The values of each parameter; `None` if they are not the same in every state.
fn values(model: &Model, binders: &[Binder], family: &Family) -> Option<Vec<Values>> {
    let domains = binders.iter().filter_map(|binder| match binder {
        Binder::Param { domain, .. } => Some(domain),
        _ => None,
    });
    let values = domains.enumerate().map(|(at, domain)| {
        if let Some(number) = family.params.iter().position(|param| param.at == at) {
            let first = model.types.shape(family.params[number].ty).lo;
            return Some(Values::Points { number, first });
        }
        match domain {
            Domain::Type(ty) => {
                let shape = model.types.shape(*ty);
                Some(Values::Listed(RangeInclusive::new(shape.lo, shape.hi).collect()))
            }
            Domain::Range { from, to, step } => {
                let (from, to) = (from.as_const()?, to.as_const()?);
                let (least, most) = (from.min(to), from.max(to));
                let upward = (least..=most).step_by(step.unsigned_abs() as usize);
                let values: Vec<i64> = match (*step > 0, from <= to) {
                    (true, true) => upward.collect(),
                    (false, false) => upward.map(|value| from - (value - least)).collect(),
                    _ if from == to => vec![from],
                    _ => Vec::new(),
                };
                Some(Values::Listed(values))
            }
            Domain::Slots(_) => None,
        }
    });
    values.collect()
}

/// Parts of guards as rules without action.
struct Probes<'m> {
    rules: Vec<Rule>,
    action: &'m Action,
}

impl Probes<'_> {
    fn add(
        &mut self,
        rule: &Rule,
        conjuncts: &[Conjunct],
        all: &Partition,
    ) -> (Option<RuleId>, Option<(RuleId, Each)>) {
        let is_symmetric = |conjunct: &&Conjunct| conjunct.partition == *all;
        // SOUND: what comes behind a conjunct that may fault is not looked at before it.
        let first = conjuncts.iter().position(|conjunct| !is_symmetric(&conjunct) && !conjunct.harmless);
        let (before, behind) = conjuncts.split_at(first.unwrap_or(conjuncts.len()));
        let both = |left: Expr, right: &Expr| {
            let span = right.span;
            let kind = ExprKind::Binary(BinaryOp::And, Box::new(left), Box::new(right.clone()));
            Expr { kind, ty: TypeId::BOOL, span }
        };
        let symmetric = before.iter().filter(is_symmetric).map(|conjunct| &conjunct.condition);
        let guard = symmetric.fold(None, |all: Option<Expr>, condition| {
            Some(all.map_or_else(|| condition.clone(), |all| both(all, condition)))
        });
        let symmetric_part = guard.map(|guard| self.push(rule, guard, None));
        let each = behind.first().and_then(|conjunct| conjunct.each.clone()).filter(|_| self.action.is_simple());
        let each = each.map(|each| {
            let param = Binder::Param { local: each.local, domain: Domain::Type(each.ty) };
            (self.push(rule, each.body.clone(), Some(param)), each)
        });
        (symmetric_part, each)
    }

    fn push(&mut self, rule: &Rule, guard: Expr, param: Option<Binder>) -> RuleId {
        let binders = rule.binders.iter().cloned().chain(param).collect();
        self.rules.push(Rule { guard, binders, action: Vec::new(), priority: 0, ..rule.clone() });
        RuleId(self.rules.len() as u32 - 1)
    }
}
