//! What executions are fair to.

use burnside_interp::Hop;
use burnside_ir::{Binder, Domain, GlobalId, LocalId, Model, Owner, Rule, RuleId, Type, TypeId};

use burnside_step::FairUnit;

/// A set of rule instances to which executions are fair.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum UnitKey {
    /// Instances whose owner is kept in this variable, at this index of this type if it is an array.
    Owner(GlobalId, Option<(TypeId, i64)>),
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
    /// For each rule its owners, if the model names them and they are the units.
    owners: Option<Vec<Vec<OwnedBy>>>,
    /// For each rule its parameters, but for those whose values name nothing that lasts.
    parameters: Vec<Vec<Parameter>>,
}

/// An owner of a rule's steps.
#[derive(Debug, Clone)]
struct OwnedBy {
    global: GlobalId,
    member: Option<Parameter>,
}

/// Who takes a step.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Takers {
    /// The one that can take it by itself; a step that nobody owns has none.
    ///
    /// SOUND: fairness excludes an execution that passes over a unit which is enabled. A process that only joins the step of
    /// another, as the receiver in a handshake or further along an atomic sequence, cannot move by itself; if it counted as
    /// enabled, executions would be excluded that are fair.
    pub mover: Option<UnitKey>,
    /// All that take part in it, ascending.
    pub all: Vec<UnitKey>,
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
        Self {
            unit,
            owners: (unit == FairUnit::Process).then(|| owners(model)).flatten(),
            parameters: parameters.collect(),
        }
    }

    /// The units that take a step: through states that are not stored, then by one more rule instance.
    pub fn of_step(&self, model: &Model, way: &[Hop], last: (RuleId, &[i64])) -> Takers {
        let first = way.first().map_or(last, |hop| (hop.rule, &hop.args[..]));
        let mover = self.of(model, first.0, first.1).next();
        let hops = way.iter().map(|hop| (hop.rule, &hop.args[..]));
        let mut all: Vec<UnitKey> = hops.chain([last]).flat_map(|(rule, args)| self.of(model, rule, args)).collect();
        all.sort_unstable();
        all.dedup();
        Takers { mover, all }
    }

    /// The units of a rule instance, the one that moves by itself first.
    pub fn of(&self, model: &Model, rule: RuleId, args: &[i64]) -> impl Iterator<Item = UnitKey> {
        let owners = self.owners.as_ref().map(|owners| {
            let owner = |owner: &OwnedBy| {
                let member = owner.member.as_ref().map(|it| member(model, it.ty, args[it.at]));
                UnitKey::Owner(owner.global, member)
            };
            owners[rule.index()].iter().map(owner).collect::<Vec<_>>()
        });
        owners.unwrap_or_else(|| vec![self.unowned(model, rule, args)]).into_iter()
    }

    fn unowned(&self, model: &Model, rule: RuleId, args: &[i64]) -> UnitKey {
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
        if let Some(owners) = &self.owners {
            let of_owner = |owner: &OwnedBy| match &owner.member {
                None => vec![UnitKey::Owner(owner.global, None)],
                Some(it) => {
                    let key = |value| UnitKey::Owner(owner.global, Some(member(model, it.ty, value)));
                    values(it.ty).map(key).collect()
                }
            };
            return owners[rule.index()].iter().flat_map(of_owner).collect();
        }
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

/// The owners of each rule, if the model names any.
fn owners(model: &Model) -> Option<Vec<Vec<OwnedBy>>> {
    if model.rules.iter().all(|rule| rule.owners.is_empty()) {
        return None;
    }
    let of_rule = |rule: &Rule| {
        let parameters = || rule.binders.iter().filter(|binder| matches!(binder, Binder::Param { .. }));
        let parameter = |local: LocalId| {
            let at = parameters().position(|binder| binder.local() == local)?;
            Some(Parameter { at, ty: rule.locals[local.index()].ty })
        };
        let owned_by = |owner: &Owner| OwnedBy { global: owner.global, member: owner.member.and_then(parameter) };
        rule.owners.iter().map(owned_by).collect()
    };
    Some(model.rules.iter().map(of_rule).collect())
}

/// A value of a union is one of its member's.
fn member(model: &Model, ty: TypeId, value: i64) -> (TypeId, i64) {
    match model.types.get(ty) {
        Type::Union { .. } => model.types.union_member(ty, value).unwrap_or((ty, value)),
        _ => (ty, value),
    }
}
