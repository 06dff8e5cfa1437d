//! Which identities there are, and what each rule and property does with them.

use std::ops::RangeInclusive;

use burnside_analysis::{Conjunct, Each, Family, Identities, Invariance, coarsest};
use burnside_diag::Span;
use burnside_group::Partition;
use burnside_ir::{
    BinaryOp, Binder, Domain, Expr, ExprKind, Layout, Model, Property, PropertyId, PropertyKind, Rule, RuleId, StartId,
    StartState, Type, TypeId,
};
use burnside_symmetry::{Symmetry, ordered_in_part};

use crate::action::Action;
use crate::engine::NotAdaptive;

/// Classes with more members are left alone.
const MOST_MEMBERS: u32 = 4096;

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

/// How a rule treats identities, for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RulePartition {
    /// The rule.
    pub rule: RuleId,
    /// The partitions of its groups of instances: cells of members, as `(type, value)`.
    pub partitions: Vec<Vec<Vec<(TypeId, i64)>>>,
    /// What tells members apart, in the order of the text; nothing if the rule is symmetric.
    pub causes: Vec<Span>,
}

/// For each rule, under which partitions its instances are invariant, and which parts of the text cause that.
pub fn rule_partitions(model: &Model) -> Vec<RulePartition> {
    let identities = find_identities(model);
    let mut invariance = Invariance::new(model, &identities);
    let member = |point: usize| {
        let class = &identities.classes()[identities.class_of(point)];
        (class.types[0], model.types.shape(class.types[0]).lo + (point - class.first) as i64)
    };
    let rules = (0..model.rules.len() as u32).map(RuleId);
    rules
        .map(|rule| {
            let family = invariance.rule(rule, &ordered_in_rule(model, rule));
            let cells = |partition: &Partition| {
                let cells = partition.cells();
                cells.iter().map(|cell| cell.iter().map(|&point| member(point)).collect()).collect()
            };
            let partitions = family.groups.iter().map(|group| cells(&group.partition)).collect();
            RulePartition { rule, partitions, causes: family.causes }
        })
        .collect()
}

impl Setup {
    pub(crate) fn new(model: &Model, layout: &Layout) -> Result<Self, NotAdaptive> {
        let identities = find_identities(model);
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
        for (at, rule) in model.rules.iter().enumerate() {
            let id = RuleId(at as u32);
            let ordered = ordered_in_rule(model, id);
            let family = invariance.rule(id, &ordered);
            let conjuncts = invariance.conjuncts(id, &ordered);
            let params = values(model, &rule.binders, &family).ok_or(NotAdaptive::Parameter(rule.span))?;
            let (symmetric_part, each) = probes.add(rule, &conjuncts, &coarsest(&identities));
            rules.push(RuleSetup { instances: Instances { family, params }, symmetric_part, each });
        }
        let mut starts = Vec::new();
        for (at, start) in model.starts.iter().enumerate() {
            let family = invariance.start(StartId(at as u32), &ordered_in_start(model, start));
            let params = values(model, &start.binders, &family).ok_or(NotAdaptive::Parameter(start.span))?;
            starts.push(Instances { family, params });
        }
        let property = |at: usize| {
            let ordered = ordered_in_property(model, &model.properties[at]);
            invariance.property(PropertyId(at as u32), &ordered).whole
        };
        let properties: Vec<Partition> = (0..model.properties.len()).map(property).collect();
        let probes = Model { rules: probes.rules, starts: Vec::new(), properties: Vec::new(), ..model.clone() };
        let strict = strict_types(model, &identities);
        let mut setup = Self { action, strict, starts, rules, properties, probes, coarsens: true };
        if model.has_priorities() {
            setup.share_partition();
        }
        Ok(setup)
    }

    /// Lets everything be invariant only under what everything is invariant under.
    ///
    // SOUND: with priorities, whether a rule may fire depends on the guards of all rules, so this is then needed.
    pub(crate) fn share_partition(&mut self) {
        let wholes = self.rules.iter().map(|rule| &rule.instances.family.whole).chain(&self.properties);
        let all = wholes.fold(coarsest(&self.action.identities), |all, whole| all.meet(whole));
        let rules = self.rules.iter_mut();
        for instances in rules.map(|rule| &mut rule.instances).chain(&mut self.starts) {
            for group in &mut instances.family.groups {
                group.partition = group.partition.meet(&all);
            }
        }
        for property in &mut self.properties {
            property.clone_from(&all);
        }
        for rule in &mut self.rules {
            (rule.symmetric_part, rule.each) = (None, None);
        }
    }

    /// Whether no rule or property tells identities of a class apart.
    pub(crate) fn is_symmetric(&self) -> bool {
        let identities = &self.action.identities;
        let all = coarsest(identities);
        self.rules.iter().all(|rule| rule.instances.family.is_symmetric(identities))
            && self.properties.iter().all(|partition| *partition == all)
    }
}

/// The classes of identities that occur as positions in the state and that most rules leave some freedom.
fn find_identities(model: &Model) -> Identities {
    let symmetry = Symmetry::find_classes(model);
    let proved = symmetry.classes.iter().map(|class| (&class.types, class.size));
    let broken = symmetry.broken.iter().map(|class| (&class.types, class.size));
    let mut index_types = vec![false; model.types.iter().len()];
    for global in &model.globals {
        mark_indices(model, global.ty, &mut index_types);
    }
    let is_position = |types: &Vec<TypeId>| types.iter().any(|ty| index_types[ty.index()]);
    let candidates = proved.chain(broken).filter(|(types, size)| *size <= MOST_MEMBERS && is_position(types));
    let mut classes: Vec<Vec<TypeId>> = candidates.map(|(types, _)| types.clone()).collect();
    classes.sort();
    classes.retain(|class| is_worthwhile(model, class));
    Identities::new(model, &classes)
}

/// Whether at least half of the rules leave some two members of a class alone.
fn is_worthwhile(model: &Model, class: &[TypeId]) -> bool {
    let identities = Identities::new(model, &[class.to_vec()]);
    let mut invariance = Invariance::new(model, &identities);
    let leaves_freedom = |at: &usize| {
        let rule = RuleId(*at as u32);
        !invariance.rule(rule, &ordered_in_rule(model, rule)).whole.is_discrete()
    };
    let n_rules = model.rules.len();
    2 * (0..n_rules).filter(leaves_freedom).count() >= n_rules
}

fn mark_indices(model: &Model, ty: TypeId, found: &mut [bool]) {
    match model.types.get(ty) {
        &Type::Array { index, element } => {
            found[index.index()] = true;
            if let Type::Union { members } = model.types.get(index) {
                members.iter().for_each(|member| found[member.index()] = true);
            }
            mark_indices(model, element, found);
        }
        Type::Record { fields } => fields.iter().for_each(|field| mark_indices(model, field.ty, found)),
        _ => {}
    }
}

fn strict_types(model: &Model, identities: &Identities) -> Vec<TypeId> {
    let types = model.types.iter().map(|(ty, _)| ty);
    types.filter(|&ty| model.types.shape(ty).scalar && identities.acts_on(ty)).collect()
}

fn ordered_in_rule(model: &Model, rule: RuleId) -> Vec<(TypeId, Span)> {
    ordered(model, |part| part.rules = vec![model.rule(rule).clone()])
}

/// A start state does what a rule without guard does.
fn ordered_in_start(model: &Model, start: &StartState) -> Vec<(TypeId, Span)> {
    let guard = Expr::boolean(true, start.span);
    let (binders, locals, action) = (start.binders.clone(), start.locals.clone(), start.action.clone());
    let rule = Rule { name: start.name.clone(), binders, locals, guard, action, priority: 0, span: start.span };
    ordered(model, |part| part.rules = vec![rule])
}

fn ordered_in_property(model: &Model, property: &Property) -> Vec<(TypeId, Span)> {
    ordered(model, |part| part.properties = vec![property.clone()])
}

/// The types over which loops may depend on the order of their rounds, in a part of a model.
fn ordered(model: &Model, choose: impl FnOnce(&mut Model)) -> Vec<(TypeId, Span)> {
    let mut part = Model { types: model.types.clone(), globals: model.globals.clone(), ..Model::default() };
    part.functions = model.functions.clone();
    choose(&mut part);
    let types = |domain: Option<TypeId>| match domain {
        Some(ty) => vec![ty],
        None => model.types.iter().map(|(ty, _)| ty).collect(),
    };
    let all = ordered_in_part(&part).into_iter();
    all.flat_map(|ordered| types(ordered.domain).into_iter().map(move |ty| (ty, ordered.found.span))).collect()
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
