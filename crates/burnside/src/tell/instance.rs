//! Rules, start states and properties with their parameters.

use burnside_ir::{Binder, Local, Model, PropertyId, PropertyKind, RuleId, StartId, Types, UNDEFINED, Value, params};

/// A member of a family of rules, start states or properties.
pub(crate) struct Instance<'m> {
    /// `rule`, `start state`, `invariant`, …
    pub(crate) kind: &'static str,
    pub(crate) name: &'m str,
    types: &'m Types,
    binders: &'m [Binder],
    locals: &'m [Local],
    args: &'m [i64],
}

impl<'m> Instance<'m> {
    pub(crate) fn rule(model: &'m Model, rule: RuleId, args: &'m [i64]) -> Self {
        let rule = model.rule(rule);
        let (name, binders, locals) = (&rule.name, &rule.binders, &rule.locals);
        Self { kind: "rule", name, types: &model.types, binders, locals, args }
    }

    pub(crate) fn start(model: &'m Model, start: StartId, args: &'m [i64]) -> Self {
        let start = model.start(start);
        let (name, binders, locals) = (&start.name, &start.binders, &start.locals);
        Self { kind: "start state", name, types: &model.types, binders, locals, args }
    }

    pub(crate) fn property(model: &'m Model, property: PropertyId, args: &'m [i64]) -> Self {
        let property = model.property(property);
        let (name, binders, locals) = (&property.name, &property.binders, &property.locals);
        Self { kind: kind_word(property.kind), name, types: &model.types, binders, locals, args }
    }

    /// Parameters with their values. A fault while parameters are bound leaves some out.
    pub(crate) fn parameters(&self) -> impl Iterator<Item = (&'m str, Value)> {
        let (types, locals) = (self.types, self.locals);
        params(self.binders).zip(self.args).map(move |(local, &value)| {
            let local = &locals[local.index()];
            let value = if value == UNDEFINED { Value::Undefined } else { Value::read(types, local.ty, &[value]) };
            (&local.name[..], value)
        })
    }

    /// `rule "send"`, or `rule` alone where it has no name.
    pub(crate) fn title(&self) -> String {
        if self.name.is_empty() { self.kind.to_owned() } else { format!("{} \"{}\"", self.kind, self.name) }
    }

    /// ` with n = NODE_1, v = 2`, or nothing.
    pub(crate) fn with_parameters(&self) -> String {
        let values: Vec<String> = self.parameters().map(|(name, value)| format!("{name} = {value}")).collect();
        if values.is_empty() { String::new() } else { format!(" with {}", values.join(", ")) }
    }
}

fn kind_word(kind: PropertyKind) -> &'static str {
    match kind {
        PropertyKind::Invariant => "invariant",
        PropertyKind::Assumption => "assumption",
        PropertyKind::Cover | PropertyKind::CoverPoint => "cover",
        PropertyKind::Liveness => "liveness property",
    }
}
