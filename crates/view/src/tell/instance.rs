//! Rules, start states and properties with their parameters.

use burnside_engine::Task;
use burnside_ir::{
    Binder, Domain, Expr, ExprKind, Local, LocalId, LocalMode, Model, Place, PlaceBase, Projection, PropertyId,
    PropertyKind, RuleId, StartId, Type, TypeId, Types, Value, params,
};

use crate::tell::state::Brief;

/// How names begin that are whole titles, such as those of Promela's steps.
const TOLD_BY_NAME: &str = "» ";

/// A member of a family of rules, start states or properties.
pub struct Instance<'m> {
    /// `rule`, `start state`, `invariant`, …
    pub kind: &'static str,
    /// Its name in the text; may be empty.
    pub name: &'m str,
    types: &'m Types,
    binders: &'m [Binder],
    locals: &'m [Local],
    args: &'m [i64],
}

impl<'m> Instance<'m> {
    /// A rule with the values of its parameters.
    pub fn rule(model: &'m Model, rule: RuleId, args: &'m [i64]) -> Self {
        let rule = model.rule(rule);
        let (name, binders, locals) = (&rule.name, &rule.binders, &rule.locals);
        Self { kind: "rule", name, types: &model.types, binders, locals, args }
    }

    /// A start state with the values of its parameters.
    pub fn start(model: &'m Model, start: StartId, args: &'m [i64]) -> Self {
        let start = model.start(start);
        let (name, binders, locals) = (&start.name, &start.binders, &start.locals);
        Self { kind: "start state", name, types: &model.types, binders, locals, args }
    }

    /// A property with the values of its parameters.
    pub fn property(model: &'m Model, property: PropertyId, args: &'m [i64]) -> Self {
        let property = model.property(property);
        let (name, binders, locals) = (&property.name, &property.binders, &property.locals);
        Self { kind: kind_word(property.kind), name, types: &model.types, binders, locals, args }
    }

    /// Parameters with their values. A fault while parameters are bound leaves some out.
    pub fn parameters(&self) -> impl Iterator<Item = (&'m str, Value)> {
        let (types, locals) = (self.types, self.locals);
        params(self.binders).zip(self.args).map(move |(local, &value)| {
            let local = &locals[local.index()];
            let ty = if local.mode == LocalMode::Slot { TypeId::INT } else { local.ty };
            (&local.name[..], Value::read(types, ty, &[value]))
        })
    }

    /// `rule "send"`, or `rule` alone where it has no name. A name that speaks of a parameter, as `Client({pid})` does, is
    /// a title by itself.
    pub fn title(&self) -> String {
        if self.name.is_empty() {
            return self.kind.to_owned();
        }
        let named: Vec<_> = self.parameters().filter(|(name, _)| self.speaks_of(name)).collect();
        if named.is_empty() && !self.is_told_by_name() {
            return format!("{} \"{}\"", self.kind, self.name);
        }
        let filled = named.iter().fold(self.name.to_owned(), |title, (name, value)| {
            title.replace(&format!("{{{name}}}"), &Brief(value).to_string())
        });
        filled.trim_start_matches(TOLD_BY_NAME).to_owned()
    }

    fn speaks_of(&self, parameter: &str) -> bool {
        self.name.contains(&format!("{{{parameter}}}"))
    }

    /// Whether the name says it all.
    fn is_told_by_name(&self) -> bool {
        self.name.starts_with(TOLD_BY_NAME)
    }

    /// ` with n = NODE_1, v = 2`, or nothing.
    pub fn with_parameters(&self) -> String {
        list(self.parameters().filter(|(name, _)| !self.speaks_of(name)))
    }

    /// The same for a rule that fires in a state: a chosen element of a multiset is shown itself, not by its slot.
    pub fn with_parameters_in(&self, task: &Task<'_>, state: &[i64]) -> String {
        let domains = self.binders.iter().filter_map(|binder| match binder {
            Binder::Param { domain, .. } => Some(domain),
            Binder::Value { .. } | Binder::Reference { .. } => None,
        });
        let others = self.parameters().zip(domains).filter(|((name, _), _)| !self.speaks_of(name));
        list(others.map(|((name, value), domain)| match (domain, &value) {
            (Domain::Slots(multiset), Value::Int(slot)) => {
                (name, self.element(task, state, multiset, *slot).unwrap_or(value))
            }
            _ => (name, value),
        }))
    }

    /// The element in a slot of a multiset, if the way to the multiset needs no more than parameters and constants.
    fn element(&self, task: &Task<'_>, state: &[i64], multiset: &Place, slot: i64) -> Option<Value> {
        let PlaceBase::Global(global) = multiset.base else { return None };
        let mut at = task.layout.global(global) as usize;
        let mut ty = task.model.global(global).ty;
        for step in &multiset.path {
            let (offset, part) = match (step, self.types.get(ty)) {
                (Projection::Field(field), Type::Record { fields }) => {
                    (self.types.field_offset(ty, *field) as usize, fields.get(*field as usize)?.ty)
                }
                (Projection::Index(expr), &Type::Array { index, element }) => {
                    let distance = self.known(expr)? - self.types.shape(index).lo;
                    (usize::try_from(distance).ok()? * self.types.shape(element).n_slots as usize, element)
                }
                _ => return None,
            };
            at += offset;
            ty = part;
        }
        let &Type::Multiset { element, .. } = self.types.get(ty) else { return None };
        let n_slots = self.types.shape(element).n_slots as usize;
        let first = at + usize::try_from(slot).ok()? * (n_slots + 1) + 1;
        Some(Value::read(self.types, element, state.get(first..first + n_slots)?))
    }

    /// The value of an expression that is a constant or a parameter.
    fn known(&self, expr: &Expr) -> Option<i64> {
        match &expr.kind {
            ExprKind::Const(value) => Some(*value),
            ExprKind::Read(place) => match place.base {
                PlaceBase::Local(local) if place.path.is_empty() => self.argument(local),
                _ => None,
            },
            _ => None,
        }
    }

    fn argument(&self, local: LocalId) -> Option<i64> {
        params(self.binders).zip(self.args).find(|(param, _)| *param == local).map(|(_, &value)| value)
    }
}

fn list<'m>(parameters: impl Iterator<Item = (&'m str, Value)>) -> String {
    let values: Vec<String> = parameters.map(|(name, value)| format!("{name} = {}", Brief(&value))).collect();
    if values.is_empty() { String::new() } else { format!(" with {}", values.join(", ")) }
}

pub(crate) fn kind_word(kind: PropertyKind) -> &'static str {
    match kind {
        PropertyKind::Invariant => "invariant",
        PropertyKind::Assumption => "assumption",
        PropertyKind::Cover | PropertyKind::CoverPoint => "cover",
        PropertyKind::Liveness => "liveness property",
        PropertyKind::Passing => "condition of states inside steps",
        PropertyKind::Ending => "condition of last states",
        PropertyKind::Linear => "LTL property",
        PropertyKind::Branching => "CTL property",
        PropertyKind::Never => "never claim",
        PropertyKind::Acceptance | PropertyKind::NonProgress => "claim of labels",
        PropertyKind::Proposition => "a condition of",
    }
}
