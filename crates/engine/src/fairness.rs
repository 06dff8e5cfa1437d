//! What executions are fair to.

use burnside_ir::{Binder, Domain, LocalId, Model, RuleId, Type, TypeId};

pub use burnside_temporal::Strength;

/// Which executions temporal properties speak of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Fairness {
    /// How executions are fair to each unit; without, every execution counts.
    pub strength: Option<Strength>,
    /// What the units are.
    pub unit: FairUnit,
}

/// How rule instances are put together to units.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum FairUnit {
    /// Instances with the same first parameter: one process. A rule without parameters is a unit.
    #[default]
    Process,
    /// All instances of a rule.
    Rule,
    /// Every instance by itself.
    Instance,
}

/// A set of rule instances to which executions are fair.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum UnitKey {
    /// Instances whose first parameter is this value of this type.
    Process(TypeId, i64),
    /// All instances of a rule.
    Rule(RuleId),
    /// One instance, by the parameters that go through types or constant ranges.
    Instance(RuleId, Vec<i64>),
}

/// The units of a model.
#[derive(Debug, Clone)]
pub struct Units {
    unit: FairUnit,
    /// For each rule its parameters, but for those whose values name nothing that lasts.
    parameters: Vec<Vec<Parameter>>,
}

/// A parameter of a rule.
#[derive(Debug, Clone)]
struct Parameter {
    /// Its place among the arguments of an instance.
    at: usize,
    ty: TypeId,
}

impl Units {
    /// The units of a model's rules.
    pub fn new(model: &Model, unit: FairUnit) -> Self {
        let parameters = model.rules.iter().map(|rule| {
            let domains = rule.binders.iter().filter_map(|binder| match binder {
                Binder::Param { local, domain } => Some((*local, domain)),
                Binder::Value { .. } | Binder::Reference { .. } => None,
            });
            let parameter = |(at, (local, domain)): (usize, (LocalId, &Domain))| {
                let ty = rule.locals[local.index()].ty;
                let lasts = match domain {
                    Domain::Type(_) => true,
                    Domain::Range { from, to, .. } => from.as_const().is_some() && to.as_const().is_some(),
                    // Elements of multisets have no names of their own.
                    Domain::Slots(_) => false,
                };
                (lasts && ty != TypeId::INT).then_some(Parameter { at, ty })
            };
            domains.enumerate().filter_map(parameter).collect()
        });
        Self { unit, parameters: parameters.collect() }
    }

    /// The unit of a rule instance.
    pub fn of(&self, model: &Model, rule: RuleId, args: &[i64]) -> UnitKey {
        let parameters = &self.parameters[rule.index()];
        match (self.unit, parameters.first()) {
            (FairUnit::Process, Some(first)) => {
                let (ty, value) = member(model, first.ty, args[first.at]);
                UnitKey::Process(ty, value)
            }
            (FairUnit::Process | FairUnit::Rule, _) => UnitKey::Rule(rule),
            (FairUnit::Instance, _) => UnitKey::Instance(rule, parameters.iter().map(|it| args[it.at]).collect()),
        }
    }

    /// The types of the values in an instance's key.
    pub fn types(&self, rule: RuleId) -> impl Iterator<Item = TypeId> + '_ {
        self.parameters[rule.index()].iter().map(|parameter| parameter.ty)
    }

    /// All units there can be.
    pub fn all(&self, model: &Model) -> Vec<UnitKey> {
        let rules = (0..model.rules.len() as u32).map(RuleId);
        let mut all: Vec<UnitKey> = rules.flat_map(|rule| self.of_rule(model, rule)).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    fn of_rule(&self, model: &Model, rule: RuleId) -> Vec<UnitKey> {
        let parameters = &self.parameters[rule.index()];
        let values = |ty: TypeId| model.types.shape(ty).lo..=model.types.shape(ty).hi;
        match (self.unit, parameters.first()) {
            (FairUnit::Process, Some(first)) => {
                let process = |value| member(model, first.ty, value);
                values(first.ty).map(process).map(|(ty, value)| UnitKey::Process(ty, value)).collect()
            }
            (FairUnit::Process | FairUnit::Rule, _) => vec![UnitKey::Rule(rule)],
            (FairUnit::Instance, _) => {
                let mut tuples: Vec<Vec<i64>> = vec![Vec::new()];
                for parameter in parameters {
                    let longer = tuples.iter().flat_map(|tuple| {
                        values(parameter.ty).map(|value| tuple.iter().copied().chain([value]).collect())
                    });
                    tuples = longer.collect();
                }
                tuples.into_iter().map(|tuple| UnitKey::Instance(rule, tuple)).collect()
            }
        }
    }
}

/// A value of a union is one of its member's.
fn member(model: &Model, ty: TypeId, value: i64) -> (TypeId, i64) {
    match model.types.get(ty) {
        Type::Union { .. } => model.types.union_member(ty, value).unwrap_or((ty, value)),
        _ => (ty, value),
    }
}
