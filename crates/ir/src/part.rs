//! What has instances, put together: all that a rule, start state or property consists of.

use crate::visit::Visitor;
use crate::{Binder, Block, Expr, Local, Property, Rule, StartState};

/// A rule, start state or property. Whoever looks through one goes by this, so that binders are not forgotten.
#[derive(Debug, Clone, Copy)]
pub struct Part<'m> {
    /// Its instances.
    pub binders: &'m [Binder],
    /// Its variables.
    pub locals: &'m [Local],
    /// Its guard or condition.
    pub condition: Option<&'m Expr>,
    /// What it does.
    pub action: Option<&'m Block>,
}

impl<'m> Part<'m> {
    /// A rule.
    pub fn rule(rule: &'m Rule) -> Self {
        let Rule { name: _, binders, locals, guard, action, priority: _, owners: _, span: _ } = rule;
        Self { binders, locals, condition: Some(guard), action: Some(action) }
    }

    /// A start state.
    pub fn start(start: &'m StartState) -> Self {
        let StartState { name: _, binders, locals, action, span: _ } = start;
        Self { binders, locals, condition: None, action: Some(action) }
    }

    /// A property.
    pub fn property(property: &'m Property) -> Self {
        let Property { name: _, kind: _, binders, locals, condition, span: _ } = property;
        Self { binders, locals, condition: Some(condition), action: None }
    }

    /// Sends a visitor over everything, in the order of evaluation.
    pub fn walk<V: Visitor + ?Sized>(&self, visitor: &mut V) {
        let Self { binders, locals: _, condition, action } = self;
        binders.iter().for_each(|binder| visitor.binder(binder));
        condition.iter().for_each(|condition| visitor.expr(condition));
        action.iter().for_each(|action| visitor.block(action));
    }
}
