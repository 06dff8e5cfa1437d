//! What a thread of the search does with a state: its steps, what stands for where they lead, and whether that is
//! acceptable. Some states are looked at twice.

use std::time::Instant;

use burnside_engine::{AuditMode, Auditor, Disagreement, Follower, Native, Relied, Task};
use burnside_interp::StepBuffer;
use burnside_ir::{PropertyId, RuleId, TypeId};
use burnside_step::{Code, Inspection, Stepper, Successors};
use burnside_symmetry::{Canonicaliser, Memory, Reduction, Twins};

use crate::partial::{Partial, Reducer};

/// What stands for the states of an orbit.
pub(crate) trait Representatives {
    /// Whether another state may stand for a state.
    const REDUCE: bool;

    /// For how many values of a parameter each value of each strict type stands; none without reduction.
    fn weigh(&mut self, state: &[u64]) -> &[u64];

    /// Puts what stands for it in place of a state.
    fn canonicalise(&mut self, state: &mut [u64]);
}

/// Every state stands for itself.
pub(crate) struct Themselves;

impl Representatives for Themselves {
    const REDUCE: bool = false;

    #[inline]
    fn weigh(&mut self, _state: &[u64]) -> &[u64] {
        &[]
    }

    #[inline]
    fn canonicalise(&mut self, _state: &mut [u64]) {}
}

/// One state, or a few, stand for the others of their orbit.
pub(crate) struct OfOrbits<'m> {
    twins: Twins<'m>,
    canonicaliser: Box<dyn Canonicaliser + 'm>,
}

impl<'m> OfOrbits<'m> {
    pub(crate) fn new(quotient: Quotient<'m>) -> Self {
        Self { twins: quotient.reduction.twins(), canonicaliser: quotient.canonicaliser() }
    }
}

/// The reduction of one search.
#[derive(Clone, Copy)]
pub(crate) struct Quotient<'m> {
    pub(crate) reduction: &'m Reduction,
    /// What all threads of the search remember together.
    pub(crate) memory: &'m Memory,
}

impl<'m> Quotient<'m> {
    /// A canonicaliser for one thread.
    pub(crate) fn canonicaliser(self) -> Box<dyn Canonicaliser + 'm> {
        self.reduction.canonicaliser(self.memory)
    }
}

impl Representatives for OfOrbits<'_> {
    const REDUCE: bool = true;

    #[inline]
    fn weigh(&mut self, state: &[u64]) -> &[u64] {
        self.twins.weigh(state)
    }

    #[inline]
    fn canonicalise(&mut self, state: &mut [u64]) {
        self.canonicaliser.canonicalise(state);
    }
}

/// What one thread works with.
pub(crate) struct Expander<'m, S, R> {
    successors: Successors<S>,
    representatives: R,
    /// If a part of all steps is enough.
    reducer: Option<Reducer<'m>>,
    audit: Option<Audit<'m>>,
}

/// The second look at some states.
struct Audit<'m> {
    auditor: Auditor<'m>,
    code: Option<&'m Code>,
}

/// What the states of a search are looked at with.
#[derive(Clone, Copy)]
pub(crate) struct Means<'m> {
    pub(crate) task: &'m Task<'m>,
    /// Native code, where there is some.
    pub(crate) code: Option<&'m Code>,
    pub(crate) quotient: Option<Quotient<'m>>,
    pub(crate) partial: Option<Partial<'m>>,
}

impl<'m, S: Stepper, R: Representatives> Expander<'m, S, R> {
    pub(crate) fn new(means: Means<'m>, stepper: S, representatives: R) -> Self {
        let Means { task, code, quotient, partial } = means;
        let reduction = quotient.map(|it| it.reduction);
        let strict: &[TypeId] = reduction.map_or(&[], Reduction::strict_types);
        let audit = (task.audit != AuditMode::Off).then(|| {
            let moves = reduction.map_or(Vec::new(), |reduction| reduction.moves().to_vec());
            Audit { auditor: Auditor::new(task, strict, Relied::Automorphisms(moves)), code }
        });
        let reducer = partial.map(|partial| Reducer::new(task, partial, strict));
        Self { successors: Successors::new(task, stepper), representatives, reducer, audit }
    }

    /// Appends every start state up to the first that faults. The recorded rules mean nothing.
    pub(crate) fn starts(&mut self, steps: &mut StepBuffer) {
        self.successors.starts(steps, |_| true);
    }

    /// Appends a step for every enabled rule instance, twins left out, up to the first that faults; if a part of them is
    /// enough, those, or, if these were fired before, the `others`. Whether these are all that there are.
    #[inline]
    pub(crate) fn expand(&mut self, state: &[u64], others: bool, steps: &mut StepBuffer) -> bool {
        let Self { successors, representatives, reducer, audit } = self;
        let mut expand = || match reducer {
            None => {
                successors.expand(state, representatives.weigh(state), steps);
                true
            }
            Some(reducer) => {
                let begin = steps.len();
                let is_full = reducer.expand(state, others, steps);
                successors.go_on(steps, begin);
                is_full
            }
        };
        match audit.as_mut().filter(|audit| audit.auditor.is_due(state)) {
            None => expand(),
            Some(Audit { auditor, code }) => {
                let begun = Instant::now();
                let is_full = expand();
                auditor.look(state, begun.elapsed(), code.as_mut().map(|code| code as &mut dyn Native));
                is_full
            }
        }
    }

    /// Puts what stands for it in place of a state.
    #[inline]
    pub(crate) fn canonicalise(&mut self, state: &mut [u64]) {
        self.representatives.canonicalise(state);
    }

    /// Judges a state met for the first time.
    #[inline]
    pub(crate) fn inspect(&mut self, state: &[u64]) -> Inspection {
        self.successors.inspect(state)
    }

    /// Whether an execution may end in a state.
    pub(crate) fn may_end(&mut self, state: &[u64]) -> bool {
        self.successors.may_end(state)
    }

    /// The rules that led to states that are not stored, and how often, after the state that was expanded last.
    #[inline]
    pub(crate) fn fired_inside(&self) -> &[(RuleId, u64)] {
        self.successors.fired_inside()
    }

    /// What expanding a state may take of a thread's stack, beyond what every search needs.
    pub(crate) fn stack_bytes(&self) -> usize {
        self.successors.stack_bytes()
    }

    /// The properties to be covered that no state or step has covered, in order.
    pub(crate) fn uncovered(&mut self) -> Vec<PropertyId> {
        let mut uncovered = self.successors.uncovered();
        if let Some(reducer) = &mut self.reducer {
            let met = reducer.met(&uncovered);
            uncovered.retain(|property| !met.contains(property));
        }
        uncovered
    }

    /// How many states were looked at twice.
    pub(crate) fn n_audited(&self) -> u64 {
        self.audit.as_ref().map_or(0, |audit| audit.auditor.n_states())
    }

    /// Where steps of such states lead; a search that has met everything has met these.
    pub(crate) fn followers(&mut self) -> Vec<Follower> {
        self.audit.as_mut().map_or(Vec::new(), |audit| audit.auditor.take_followers())
    }

    /// What differed when a state was looked at twice.
    pub(crate) fn take_disagreement(&mut self) -> Option<Box<Disagreement>> {
        self.audit.as_mut().and_then(|audit| audit.auditor.take_disagreement())
    }
}

#[cfg(test)]
mod tests {
    use burnside_engine::{Budget, DisagreementKind, Monitor, SearchOrder, Verdict};
    use burnside_interp::Condition;
    use burnside_ir::{Layout, Model};
    use burnside_step::Interpreted;
    use burnside_store::{Codec, Compressed, Exact};

    use super::*;
    use crate::search::search;

    /// Steps as the interpreter takes them, but for the last of every state that has more than one.
    struct Forgetful<'m>(Interpreted<'m>);

    impl Stepper for Forgetful<'_> {
        fn starts(&mut self, steps: &mut StepBuffer, goes_on: impl FnMut(&mut StepBuffer) -> bool) {
            self.0.starts(steps, goes_on);
        }

        fn fire_all(&mut self, state: &[u64], weights: &[u64], steps: &mut StepBuffer) {
            let begin = steps.len();
            self.0.fire_all(state, weights, steps);
            steps.truncate(steps.len().saturating_sub(1).max(begin + 1));
        }

        fn fire_some(&mut self, state: &[u64], rule: RuleId, args: &[Option<i64>], steps: &mut StepBuffer) {
            self.0.fire_some(state, rule, args, steps);
        }

        fn look_at(&mut self, state: &[u64]) {
            self.0.look_at(state);
        }

        fn condition(&mut self, property: PropertyId) -> Condition {
            self.0.condition(property)
        }

        fn met(&mut self, points: &[PropertyId]) -> Vec<PropertyId> {
            self.0.met(points)
        }

        fn stack_bytes(&self) -> usize {
            0
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

    fn found<C: Codec + 'static, S: Stepper>(
        task: &Task<'_>,
        stepper: impl Fn() -> S + Sync,
    ) -> Option<DisagreementKind> {
        let monitor = Monitor::new(Budget::default());
        let means = Means { task, code: None, quotient: None, partial: None };
        let report = search::<C, _, _>(means, &monitor, || Expander::new(means, stepper(), Themselves));
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
