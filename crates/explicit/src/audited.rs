//! Successors some of which are looked at twice.

use std::time::Instant;

use burnside_engine::{Auditor, Disagreement, Follower, Native, Relied, Task};
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

    fn followers(&mut self) -> Vec<Follower> {
        self.auditor.take_followers()
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

#[cfg(test)]
mod tests {
    use burnside_engine::{AuditMode, Budget, DisagreementKind, Follower, Monitor, SearchOrder, Verdict};
    use burnside_ir::{Layout, Model};
    use burnside_store::{Codec, Compressed, Exact};

    use super::*;
    use crate::search::search;
    use crate::successors::Interpreted;

    /// Steps as the interpreter takes them, but for the last of every state that has more than one.
    struct Forgetful<'m>(Interpreted<'m>);

    impl Successors for Forgetful<'_> {
        fn starts(&mut self, steps: &mut StepBuffer) {
            self.0.starts(steps);
        }

        fn expand(&mut self, state: &[u64], weights: &[u64], steps: &mut StepBuffer) {
            let mut all = StepBuffer::new(state.len());
            self.0.expand(state, weights, &mut all);
            for at in 0..all.len().saturating_sub(1).max(1).min(all.len()) {
                let step = all.get(at);
                steps.push(step.rule, step.end, step.weight, step.state);
            }
        }

        fn canonicalise(&mut self, state: &mut [u64]) {
            self.0.canonicalise(state);
        }

        fn inspect(&mut self, state: &[u64]) -> Inspection {
            self.0.inspect(state)
        }

        fn may_end(&mut self, state: &[u64]) -> bool {
            self.0.may_end(state)
        }

        fn fired_inside(&self) -> &[u64] {
            &[]
        }

        fn stack_bytes(&self) -> usize {
            0
        }

        fn uncovered(&mut self) -> Vec<PropertyId> {
            self.0.uncovered()
        }

        fn audited(&self) -> u64 {
            0
        }

        fn followers(&mut self) -> Vec<Follower> {
            Vec::new()
        }

        fn take_disagreement(&mut self) -> Option<Box<Disagreement>> {
            None
        }
    }

    /// Two counters; each can go up, and an assumption keeps their sum low.
    const MODEL: &str = "
        var a: array [0..1] of 0..3;
        startstate begin for p: 0..1 do a[p] := 0 end end;
        ruleset p: 0..1 do rule a[p] < 3 ==> begin a[p] := a[p] + 1 end end;
        assume a[0] + a[1] < 5;";

    fn model() -> (Model, Layout) {
        let loaded = burnside_murphi::load(burnside_diag::FileId(0), MODEL, &burnside_murphi::Options::default());
        let model = loaded.model.unwrap_or_else(|| panic!("{:?}", loaded.diagnostics));
        let layout = Layout::new(&model).expect("it fits");
        (model, layout)
    }

    fn found<C: Codec, S: Successors>(task: &Task<'_>, inner: impl Fn() -> S + Sync) -> Option<DisagreementKind> {
        let monitor = Monitor::new(Budget::default());
        let report = search::<C, _>((task, &monitor), None, || Audited::new(inner(), task, None, None));
        let report = report.unwrap_or_else(|why| panic!("{why:?}"));
        assert!(matches!(report.verdict, Verdict::Holds(_)));
        report.audit.disagreement.map(|it| it.kind)
    }

    #[test]
    fn a_state_that_the_search_never_met_is_noticed() {
        let (model, layout) = model();
        for order in [SearchOrder::BreadthFirst, SearchOrder::DepthFirst] {
            let task = Task { audit: AuditMode::All, order, ..Task::new(&model, &layout) };
            let forgetful = || Forgetful(Interpreted::new(&task));
            assert_eq!(found::<Exact, _>(&task, forgetful), Some(DisagreementKind::Lost));
            assert_eq!(found::<Compressed, _>(&task, forgetful), Some(DisagreementKind::Lost));
        }
    }

    #[test]
    fn a_search_that_meets_everything_is_left_alone() {
        let (model, layout) = model();
        let task = Task { audit: AuditMode::All, ..Task::new(&model, &layout) };
        assert_eq!(found::<Exact, _>(&task, || Interpreted::new(&task)), None);
    }
}
