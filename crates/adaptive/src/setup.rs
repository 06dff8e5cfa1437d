//! Which identities there are, and what each rule and property does with them.

use burnside_analysis::{Conjunct, Identities, InstanceFamily, Invariance, Pointwise, coarsest};
use burnside_group::Partition;
use burnside_ir::{BinaryOp, Binder, Domain, Expr, ExprKind, Layout, Model, PropertyKind, Rule, RuleId, TypeId};
use burnside_symmetry::Orbits;

use crate::engine::NotAdaptive;
use crate::families::Families;

/// What a search needs to know about a model.
#[derive(Debug, Clone)]
pub(crate) struct Setup {
    /// What is known about each rule and property, as it was derived.
    pub(crate) families: Families,
    pub(crate) identities: Identities,
    /// How permutations act on states; its vertices are the points.
    pub(crate) orbits: Orbits,
    /// The types whose quantifiers must be evaluated for every value.
    pub(crate) strict: Vec<TypeId>,
    pub(crate) starts: Vec<InstanceFamily>,
    pub(crate) rules: Vec<RuleSetup>,
    /// By property: what it is invariant under.
    pub(crate) properties: Vec<Partition>,
    /// The model with parts of guards as further rules, which change nothing.
    pub(crate) extended: Model,
    /// Whether partitions are made coarser where that leaves orbits as they are.
    pub(crate) coarsens: bool,
    /// Binary logarithms of factorials.
    pub(crate) log_factorials: Vec<f64>,
}

/// The instances of a rule.
#[derive(Debug, Clone)]
pub(crate) struct Instances {
    pub(crate) family: InstanceFamily,
    /// By parameter.
    pub(crate) params: Vec<Values>,
    /// If there is one parameter over points, the group of each value.
    pub(crate) single_group: Vec<u32>,
}

/// The values of a parameter.
#[derive(Debug, Clone)]
pub(crate) enum Values {
    /// The points of a class: which of the family's parameters this is, and the value of the class's first point.
    Points { number: usize, first: i64 },
    /// Whatever it goes through; no permutation changes that.
    Any,
}

/// A rule.
#[derive(Debug, Clone)]
pub(crate) struct RuleSetup {
    pub(crate) instances: Instances,
    /// The probe for what must hold first and is the same for all members of an orbit.
    pub(crate) symmetric_part: Option<RuleId>,
    /// The probe for what must hold next of each point by itself, and what it must be.
    pub(crate) each: Option<(RuleId, Pointwise)>,
}

impl Setup {
    pub(crate) fn new(model: &Model, layout: &Layout, families: Families) -> Result<Self, NotAdaptive> {
        if families.identities.classes().is_empty() {
            return Err(NotAdaptive::NoIdentities);
        }
        let shapes = [PropertyKind::Passing, PropertyKind::Ending];
        if let Some(property) = shapes.into_iter().flat_map(|kind| model.properties_of(kind)).next() {
            return Err(NotAdaptive::Shaped(model.property(property).span));
        }
        let classes = families.classes(model);
        let (orbits, strict) = (Orbits::new(model, layout, &classes), classes.strict_types(model));
        let Families { identities, rules: rule_families, starts, properties, ordered } = families.clone();
        let mut extended = model.clone();
        let mut invariance = Invariance::new(model, &identities);
        let mut rules = Vec::new();
        for (at, family) in rule_families.into_iter().enumerate() {
            let id = RuleId(at as u32);
            let rule = model.rule(id);
            // With priorities, a guard alone says too little.
            let (symmetric_part, each) = if model.has_priorities() {
                (None, None)
            } else {
                let conjuncts = invariance.conjuncts(id, &ordered[at]);
                let mut probes = Probes { rules: &mut extended.rules, is_simple: orbits.is_simple() };
                probes.add(rule, &conjuncts, &coarsest(&identities))
            };
            let instances = Instances::new(model, &identities, &rule.binders, family);
            rules.push(RuleSetup { instances, symmetric_part, each });
        }
        let properties = properties.into_iter().map(|family| family.whole).collect();
        let logarithms = (1..=identities.n_points()).map(|n| (n as f64).log2());
        let log_factorials = std::iter::once(0.0).chain(logarithms.scan(0.0, |sum, bits| {
            *sum += bits;
            Some(*sum)
        }));
        let log_factorials = log_factorials.collect();
        let coarsens = true;
        Ok(Self { families, identities, orbits, strict, starts, rules, properties, extended, coarsens, log_factorials })
    }

    /// How many members the largest class has.
    pub(crate) fn n_alike(&self) -> usize {
        self.identities.classes().iter().map(|class| class.size).max().unwrap_or(0)
    }

    /// How many rules tell no identities apart.
    pub(crate) fn n_symmetric_rules(&self) -> usize {
        self.rules.iter().filter(|rule| rule.instances.family.is_symmetric(&self.identities)).count()
    }

    /// Whether no rule or property tells identities of a class apart.
    pub(crate) fn is_symmetric(&self) -> bool {
        let all = coarsest(&self.identities);
        self.rules.iter().all(|rule| rule.instances.family.is_symmetric(&self.identities))
            && self.properties.iter().all(|partition| *partition == all)
    }
}

impl Instances {
    fn new(model: &Model, identities: &Identities, binders: &[Binder], family: InstanceFamily) -> Self {
        let n_params = burnside_ir::params(binders).count();
        let values = (0..n_params).map(|at| match family.params.iter().position(|param| param.at == at) {
            Some(number) => Values::Points { number, first: model.types.shape(family.params[number].ty).lo },
            None => Values::Any,
        });
        let group_of = |point: usize| {
            let group = family.groups.iter().position(|group| family.contains(group, &[point]));
            group.expect("every instance is in a group") as u32
        };
        let single_group = match family.params[..] {
            [param] => {
                let class = &identities.classes()[param.class];
                (class.first..class.first + class.size).map(group_of).collect()
            }
            _ => Vec::new(),
        };
        Self { params: values.collect(), single_group, family }
    }
}

/// Parts of guards as rules without action.
struct Probes<'m> {
    rules: &'m mut Vec<Rule>,
    is_simple: bool,
}

impl Probes<'_> {
    fn add(
        &mut self,
        rule: &Rule,
        conjuncts: &[Conjunct],
        all: &Partition,
    ) -> (Option<RuleId>, Option<(RuleId, Pointwise)>) {
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
        let each = behind.first().and_then(|conjunct| conjunct.pointwise.clone()).filter(|_| self.is_simple);
        let each = each.map(|each| {
            let param = Binder::Param { local: each.local, domain: Domain::Type(each.ty) };
            (self.push(rule, each.body.clone(), Some(param)), each)
        });
        (symmetric_part, each)
    }

    fn push(&mut self, rule: &Rule, guard: Expr, param: Option<Binder>) -> RuleId {
        let binders = rule.binders.iter().cloned().chain(param).collect();
        self.rules.push(Rule { guard, binders, action: Vec::new(), ..rule.clone() });
        RuleId(self.rules.len() as u32 - 1)
    }
}
