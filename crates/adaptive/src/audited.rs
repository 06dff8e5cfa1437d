//! Nodes some of whose states are looked at twice.

use std::time::Duration;

use burnside_engine::{AuditMode, Auditor, Disagreement, Native, Relied, Task};
use burnside_interp::{Condition, StepBuffer, StepEnd};
use burnside_ir::{PropertyId, PropertyKind, RuleId};
use burnside_jit::Compiled;

use crate::setup::Setup;

/// Looks at states for one thread of a search.
pub(crate) struct Audit<'m> {
    auditor: Auditor<'m>,
    code: Option<Code<'m>>,
}

/// Native code, all instances of the model's own rules included.
struct Code<'m> {
    compiled: &'m Compiled,
    /// By rule and parameter: all values.
    windows: &'m [Vec<[i64; 2]>],
    n_rules: usize,
    cover_points: Vec<PropertyId>,
}

impl<'m> Audit<'m> {
    /// An audit, if one is wanted.
    pub(crate) fn new(task: &Task<'m>, setup: &'m Setup, compiled: Option<&'m Compiled>) -> Option<Self> {
        if task.audit == AuditMode::Off {
            return None;
        }
        let (model, families) = (task.model, &setup.families);
        let claims = move |number| families.claims_about_some_exchange(model, number);
        let code = compiled.map(|compiled| Code {
            compiled,
            windows: &setup.widest,
            n_rules: model.rules.len(),
            cover_points: model.properties_of(PropertyKind::CoverPoint).collect(),
        });
        Some(Self { auditor: Auditor::new(task, &setup.strict, Relied::Claims(Box::new(claims))), code })
    }

    /// Looks at a state if it is its turn.
    pub(crate) fn visit(&mut self, state: &[u64]) -> Option<Box<Disagreement>> {
        if self.auditor.is_due(state) {
            self.auditor.look(state, Duration::ZERO, self.code.as_mut().map(|code| code as &mut dyn Native));
        }
        self.auditor.take_disagreement()
    }

    /// How many states were looked at.
    pub(crate) fn n_states(&self) -> u64 {
        self.auditor.n_states()
    }
}

impl Native for Code<'_> {
    fn expand(&mut self, state: &[u64], steps: &mut StepBuffer) -> Vec<PropertyId> {
        let mut context = self.compiled.context();
        for (rule, windows) in (0..).map(RuleId).zip(&self.windows[..self.n_rules]) {
            self.compiled.fire_within(rule, windows, state, &mut context, steps);
            if steps.len().checked_sub(1).is_some_and(|last| steps.get(last).end == StepEnd::Fault) {
                break;
            }
        }
        self.cover_points.iter().copied().filter(|&point| context.is_covered(point)).collect()
    }

    fn condition(&mut self, state: &[u64], property: PropertyId) -> Option<Condition> {
        let mut context = self.compiled.context();
        self.compiled.look_at(state, &mut context);
        self.compiled.condition(property, &mut context)
    }
}
