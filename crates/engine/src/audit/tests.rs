use burnside_ir::{Layout, Model};
use burnside_symmetry::{Permutations, SymmetricClass};

use super::*;

/// Two processes; `first` treats the one of number 0 otherwise, `met` is covered by the other's step only.
const MODEL: &str = "
    type P: 0..1;
    var a: array [P] of 0..2;
    startstate begin for p: P do a[p] := 0 end end;
    ruleset p: P do
      rule \"any\" a[p] < 2 ==> begin a[p] := a[p] + 1 end;
    end;
    rule \"first\" a[0] = 1 ==> begin a[0] := 0 end;
    ruleset p: P do
      rule \"met\" a[p] = 2 ==> begin cover p = 1; a[p] := 2 end;
    end;
    invariant \"low\" a[0] < 2;";

fn with_task(test: impl FnOnce(&Task<'_>)) {
    let loaded = burnside_murphi::load(burnside_diag::FileId(0), MODEL, &burnside_murphi::Options::default());
    let model: Model = loaded.model.unwrap_or_else(|| panic!("{:?}", loaded.diagnostics));
    let layout = Layout::new(&model).expect("it fits");
    test(&Task { audit: AuditMode::All, ..Task::new(&model, &layout) });
}

/// The exchange of both processes, which is no automorphism.
fn exchange(task: &Task<'_>) -> Move {
    let (ty, _) = task.model.types.iter().find(|(_, def)| def.name.as_deref() == Some("P")).expect("it is declared");
    let class = SymmetricClass { name: "P".to_owned(), types: vec![ty], size: 2 };
    Move::all(task.model, &Permutations::of_classes(vec![class])).remove(0)
}

fn packed(task: &Task<'_>, values: &[i64]) -> Vec<u64> {
    let mut words = vec![0; task.layout.n_words()];
    task.layout.pack(values, &mut words);
    words
}

/// What an audit says about a state.
fn found(task: &Task<'_>, relied: Relied<'_>, state: &[i64], native: Option<&mut dyn Native>) -> Option<Disagreement> {
    let mut auditor = Auditor::new(task, &[], relied);
    auditor.look(&packed(task, state), Duration::ZERO, native);
    assert_eq!(auditor.n_states(), 1);
    auditor.take_disagreement().map(|it| *it)
}

/// Pretends to be native code: the interpreter, and something wrong.
struct Wrong<'m> {
    task: Task<'m>,
    drops_last_step: bool,
    forgets_covers: bool,
    turns: Option<PropertyId>,
}

impl Native for Wrong<'_> {
    fn expand(&mut self, state: &[u64], buffer: &mut StepBuffer) -> Vec<PropertyId> {
        let mut values = vec![0; self.task.layout.slots().len()];
        self.task.layout.unpack(state, &mut values);
        let mut interpreter = Interpreter::new(self.task.model, self.task.layout, self.task.step_limits);
        let n_steps = steps(&mut interpreter, &values).len();
        let n_wanted = n_steps - usize::from(self.drops_last_step);
        let mut at = 0;
        let layout = self.task.layout;
        interpreter.take_covered();
        interpreter.successors(&values, |rule, _, outcome| {
            at += 1;
            if at > n_wanted { ControlFlow::Break(()) } else { buffer.record(layout, rule, 1, &outcome) }
        });
        if self.forgets_covers { Vec::new() } else { interpreter.take_covered() }
    }

    fn condition(&mut self, state: &[u64], property: PropertyId) -> Option<Condition> {
        let mut values = vec![0; self.task.layout.slots().len()];
        self.task.layout.unpack(state, &mut values);
        let value =
            Interpreter::new(self.task.model, self.task.layout, self.task.step_limits).condition(&values, property);
        Some(match value {
            Condition::Holds if self.turns == Some(property) => Condition::Fails,
            value => value,
        })
    }
}

fn right<'m>(task: &Task<'m>) -> Wrong<'m> {
    Wrong { task: *task, drops_last_step: false, forgets_covers: false, turns: None }
}

fn nothing() -> Relied<'static> {
    Relied::Automorphisms(Vec::new())
}

#[test]
fn what_agrees_is_left_alone() {
    with_task(|task| {
        for state in [[0, 0], [1, 0], [0, 2], [1, 1], [1, 2]] {
            assert_eq!(found(task, nothing(), &state, Some(&mut right(task))), None);
        }
    });
}

#[test]
fn a_step_that_native_code_lacks_is_noticed() {
    with_task(|task| {
        let mut native = Wrong { drops_last_step: true, ..right(task) };
        let found = found(task, nothing(), &[1, 0], Some(&mut native)).expect("it differs");
        assert_eq!((found.kind, found.part), (DisagreementKind::Native, Part::Rule(RuleId(1))));
        assert_eq!(found.state, [1, 0]);
    });
}

#[test]
fn a_value_and_a_cover_of_native_code_are_compared() {
    with_task(|task| {
        let property = |kind| task.model.properties_of(kind).next().expect("there is one");
        let (low, point) = (property(PropertyKind::Invariant), property(PropertyKind::CoverPoint));
        let mut native = Wrong { turns: Some(low), ..right(task) };
        let differs = found(task, nothing(), &[1, 0], Some(&mut native)).expect("it differs");
        assert_eq!(differs.part, Part::Property(low));
        let mut native = Wrong { forgets_covers: true, ..right(task) };
        let differs = found(task, nothing(), &[0, 2], Some(&mut native)).expect("it differs");
        assert_eq!(differs.part, Part::Property(point));
    });
}

#[test]
fn a_permutation_that_is_no_automorphism_is_noticed() {
    with_task(|task| {
        let wrong = || Relied::Automorphisms(vec![exchange(task)]);
        // The permutation tried may be a product of two exchanges, which is none.
        let states = [[1, 0], [0, 1], [1, 2], [2, 1], [0, 2], [2, 0]];
        let all: Vec<Disagreement> = states.iter().filter_map(|state| found(task, wrong(), state, None)).collect();
        assert!(all.len() >= 2, "{all:?}");
        assert!(all.iter().all(|it| it.kind == DisagreementKind::Symmetry && it.image.is_some()));
    });
}

#[test]
fn only_what_is_claimed_is_compared() {
    with_task(|task| {
        let claims = |part| {
            let moved = exchange(task);
            Relied::Claims(Box::new(move |_| Some((moved.clone(), vec![Claim::about_all(part, Vec::new())]))))
        };
        let part = |rule| Part::Rule(RuleId(rule));
        assert_eq!(found(task, claims(part(0)), &[1, 0], None), None);
        let differs = found(task, claims(part(1)), &[1, 0], None).expect("it differs");
        assert_eq!((differs.kind, differs.part), (DisagreementKind::Symmetry, part(1)));
        let low = Part::Property(PropertyId(0));
        let is_low = |it: &Disagreement| it.part == low;
        let kind = task.model.property(PropertyId(0)).kind;
        assert_eq!(
            found(task, claims(low), &[1, 2], None).is_some_and(|it| is_low(&it)),
            kind == PropertyKind::Invariant
        );
    });
}

#[test]
fn a_sample_leaves_the_time_to_the_search() {
    with_task(|task| {
        let mut auditor = Auditor::new(&Task { audit: AuditMode::Sample, ..*task }, &[], nothing());
        let states: Vec<Vec<u64>> =
            (0..3).flat_map(|x| (0..3).map(move |y| [x, y])).map(|it| packed(task, &it)).collect();
        for _ in 0..20_000 {
            for state in states.iter().filter(|state| auditor.is_due(state)).collect::<Vec<_>>() {
                auditor.look(state, Duration::ZERO, None);
            }
        }
        let (spent, all) = (auditor.spent, auditor.begun.elapsed());
        assert!(spent <= LEAST + all / 20, "{spent:?} of {all:?}");
        assert!(!states.iter().any(|state| hash(state).is_multiple_of(ONE_OF)) || auditor.n_states() > 0);
    });
}
