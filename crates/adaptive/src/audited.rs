//! Nodes some of whose states are looked at twice.

use std::time::Duration;

use burnside_engine::{AuditMode, Auditor, Disagreement, Native, Relied, Task};
use burnside_step::Code;

use crate::setup::Setup;

/// Looks at states for one thread of a search.
pub(crate) struct Audit<'m> {
    auditor: Auditor<'m>,
    code: Option<&'m Code>,
}

impl<'m> Audit<'m> {
    /// An audit, if one is wanted.
    pub(crate) fn new(task: &Task<'m>, setup: &'m Setup, code: Option<&'m Code>) -> Option<Self> {
        if task.audit == AuditMode::Off {
            return None;
        }
        let (model, families) = (task.model, &setup.families);
        let claims = move |number| families.claims_about_some_exchange(model, number);
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
