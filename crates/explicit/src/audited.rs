//! Successors some of which are looked at twice.

use std::time::Instant;

use burnside_engine::{Auditor, Disagreement, Native, Relied, Task};
use burnside_interp::{Condition, StepBuffer};
use burnside_ir::{PropertyId, PropertyKind, TypeId};
use burnside_jit::Compiled;
use burnside_symmetry::Reduction;

use crate::successors::{Inspection, Successors};

/// The successors that a search computes, audited.
pub(crate) struct Audited<'m, S> {
    inner: S,
    auditor: Auditor<'m>,
    code: Option<Code<'m>>,
}

/// Native code, all instances of rules included.
struct Code<'m> {
    compiled: &'m Compiled,
    weights: Vec<u64>,
    cover_points: Vec<PropertyId>,
}

impl<'m, S: Successors> Audited<'m, S> {
    pub(crate) fn new(
        inner: S,
        task: &Task<'m>,
        compiled: Option<&'m Compiled>,
        reduction: Option<&'m Reduction>,
    ) -> Self {
        let strict: &[TypeId] = reduction.map_or(&[], Reduction::strict_types);
        let moves = reduction.map_or(Vec::new(), |reduction| reduction.moves().to_vec());
        let cover_points = task.model.properties_of(PropertyKind::CoverPoint);
        let code = compiled.map(|compiled| Code {
            compiled,
            weights: vec![1; compiled.n_weights()],
            cover_points: cover_points.collect(),
        });
        Self { inner, auditor: Auditor::new(task, strict, Relied::Automorphisms(moves)), code }
    }
}

impl<S: Successors> Successors for Audited<'_, S> {
    fn starts(&mut self, steps: &mut StepBuffer) {
        self.inner.starts(steps);
    }

    fn expand(&mut self, state: &[u64], weights: &[u64], steps: &mut StepBuffer) {
        if !self.auditor.is_due(state) {
            return self.inner.expand(state, weights, steps);
        }
        let begun = Instant::now();
        self.inner.expand(state, weights, steps);
        self.auditor.look(state, begun.elapsed(), self.code.as_mut().map(|code| code as &mut dyn Native));
    }

    fn canonicalise(&mut self, state: &mut [u64]) {
        self.inner.canonicalise(state);
    }

    fn inspect(&mut self, state: &[u64]) -> Inspection {
        self.inner.inspect(state)
    }

    fn may_end(&mut self, state: &[u64]) -> bool {
        self.inner.may_end(state)
    }

    fn fired_inside(&self) -> &[u64] {
        self.inner.fired_inside()
    }

    fn stack_bytes(&self) -> usize {
        self.inner.stack_bytes()
    }

    fn uncovered(&mut self) -> Vec<PropertyId> {
        self.inner.uncovered()
    }

    fn audited(&self) -> u64 {
        self.auditor.n_states()
    }

    fn take_disagreement(&mut self) -> Option<Box<Disagreement>> {
        self.auditor.take_disagreement()
    }
}

impl Native for Code<'_> {
    fn expand(&mut self, state: &[u64], steps: &mut StepBuffer) -> Vec<PropertyId> {
        // A context of its own, so that it is known what this state covers.
        let mut context = self.compiled.context();
        self.compiled.expand(state, &self.weights, &mut context, steps);
        self.cover_points.iter().copied().filter(|&point| context.is_covered(point)).collect()
    }

    fn condition(&mut self, state: &[u64], property: PropertyId) -> Option<Condition> {
        let mut context = self.compiled.context();
        self.compiled.look_at(state, &mut context);
        self.compiled.condition(property, &mut context)
    }
}
