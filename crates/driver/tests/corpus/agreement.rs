//! `check`, `simulate` and `replay` say the same about a model: what is wrong in a state is judged in one place.

use std::time::{Duration, Instant};

use burnside_driver::{
    Ending, Header, Language, LoadOptions, Plan, Prepared, Recorded, Retraced, Settings, SymmetryChoice, WalkEnd, load,
    on_large_stack, retrace, walk,
};
use burnside_engine::{Breach, Budget, Monitor, Task, Trace, Verdict, Violation, replay};
use burnside_testkit::{Config, random_model};

use crate::answer::Question;
use crate::files::{language_of, models_in, root};

/// How long a search may take, how many states it may store, and how many random executions of which length follow.
const TIME: Duration = Duration::from_secs(60);
const MOST_STATES: u64 = 50_000;
const WALKS: u64 = 8;
const WALK_STEPS: u64 = 60;

/// What was compared.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Compared {
    models: usize,
    /// Counterexamples of `check` that `replay` followed to the same end.
    replayed: usize,
    /// Executions of `simulate` that ended in a violation.
    violated_walks: usize,
}

impl Compared {
    fn add(&mut self, other: Self) {
        self.models += other.models;
        self.replayed += other.replayed;
        self.violated_walks += other.violated_walks;
    }
}

/// An execution as `replay` reads it.
fn recorded(task: &Task<'_>, trace: &Trace) -> Vec<Recorded> {
    let unpacked = |words: &[u64]| {
        let mut values = vec![0; task.layout.slots().len()];
        task.layout.unpack(words, &mut values);
        values
    };
    let record = |action: &str, state: Option<&[u64]>| Recorded {
        action: Some(action.to_owned()),
        parameters: None,
        state: state.map(unpacked),
    };
    let first = record(&task.model.start(trace.start).name, trace.first.as_deref());
    let steps = trace.steps.iter().map(|step| record(&task.model.rule(step.rule).name, step.end.as_deref().ok()));
    std::iter::once(first).chain(steps).collect()
}

/// Whether a breach shows at the end of one execution.
fn is_seen(breach: &Breach) -> bool {
    match breach {
        Breach::Invariant(..) | Breach::Fault(_) | Breach::PropertyFault(..) | Breach::Deadlock => true,
        Breach::Liveness(..) | Breach::Uncovered(_) | Breach::Temporal(..) => false,
    }
}

/// The distance from the start states at which a search that goes breadth first meets a breach, and it meets the nearest
/// first: a deadlock shows when a state is left, everything else in the step to a state.
fn level(breach: &Breach, trace: &Trace) -> usize {
    trace.steps.len() + usize::from(*breach == Breach::Deadlock)
}

/// Follows an execution that ends in a breach as `replay` does; the first difference is an error.
fn follow(task: &Task<'_>, (breach, trace): (&Breach, &Trace)) -> Result<(), String> {
    let Retraced { trace: followed, end } = retrace(task, &recorded(task, trace), &Ending::default());
    match end {
        Ok(Some(found)) if *found == *breach => {}
        end => return Err(format!("{breach:?}, but `replay` says {end:?}")),
    }
    let n_followed = followed.map(|it| it.steps.len());
    if n_followed != Some(trace.steps.len()) {
        return Err(format!("{} steps, but `replay` took {n_followed:?}", trace.steps.len()));
    }
    let violation = Violation { breach: breach.clone(), trace: Some(trace.clone()) };
    replay(task, &violation).map_err(|error| error.to_string())
}

/// Compares the three on a model. Nothing is said of one that is too large.
fn compare(prepared: &Prepared, settings: &Settings) -> Result<Compared, String> {
    let plan = Plan::new(prepared, settings).map_err(|diagnostic| diagnostic.message)?;
    let budget = Budget { deadline: Some(Instant::now() + TIME), states: Some(MOST_STATES), ..Budget::default() };
    let outcome = plan.run(&Monitor::new(budget)).map_err(|bug| bug.to_string())?;
    let task = plan.task();
    let mut compared = Compared { models: 1, ..Compared::default() };
    let first = match &outcome.report.verdict {
        Verdict::Unknown(_) => return Ok(Compared::default()),
        Verdict::Holds(_) => None,
        Verdict::Violated(violation) => match (&violation.breach, &violation.trace) {
            (breach, Some(trace)) if is_seen(breach) => {
                follow(task, (breach, trace)).map_err(|problem| format!("`check` says {problem}"))?;
                compared.replayed += 1;
                Some(level(breach, trace))
            }
            _ => None,
        },
    };
    for seed in 0..WALKS {
        let walked = walk(task, seed, WALK_STEPS, |_, _| ());
        let (WalkEnd::Violated(breach), Some(trace)) = (walked.end, walked.trace) else { continue };
        follow(task, (&breach, &trace)).map_err(|problem| format!("`simulate` says {problem}"))?;
        compared.violated_walks += 1;
        let level = level(&breach, &trace);
        if first.is_none_or(|first| first > level) {
            return Err(format!("`simulate` finds {breach:?} at distance {level}, `check` something at {first:?}"));
        }
    }
    Ok(compared)
}

/// A search without reduction, whose traces are the shortest.
fn usual() -> Settings {
    Settings { symmetry: SymmetryChoice::Off, ..Settings::default() }
}

#[test]
fn corpus_models_get_one_answer() {
    let (mut compared, mut problems) = (Compared::default(), Vec::new());
    for folder in ["corpus/murphi", "corpus/regress", "corpus/ir", "examples"] {
        for (name, text) in models_in(&root().join(folder)) {
            let header = Header::parse(&text).unwrap_or_else(|problem| panic!("{name}: {problem}"));
            let question = Question::of(&header);
            let settings = question.settings();
            let result = on_large_stack(|| {
                let prepared = load(&name, &text, language_of(&name), &question.load).prepared;
                prepared.map(|prepared| compare(&prepared, &settings))
            });
            match result.expect("there is a stack") {
                None => {}
                Some(Ok(more)) => compared.add(more),
                Some(Err(problem)) => problems.push(format!("{folder}/{name}: {problem}")),
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    // What it takes to fail: fewer models than there are.
    assert!(compared.models >= 60 && compared.replayed >= 30 && compared.violated_walks >= 40, "{compared:?}");
}

#[test]
fn random_models_get_one_answer() {
    let (mut compared, mut problems) = (Compared::default(), Vec::new());
    for seed in 0..400 {
        let model = random_model(seed, &Config::random(seed));
        let text = burnside_ir::text::print(&model);
        let mut settings = usual();
        settings.step_limits.loop_rounds = 50;
        settings.step_limits.call_depth = 50;
        let result = on_large_stack(|| {
            let prepared = load("random.ir", &text, Language::Ir, &LoadOptions::default()).prepared;
            compare(&prepared.expect("random models are well typed"), &settings)
        });
        match result.expect("there is a stack") {
            Ok(more) => compared.add(more),
            Err(problem) => problems.push(format!("seed {seed}: {problem}")),
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    assert!(compared.models >= 300 && compared.replayed >= 100 && compared.violated_walks >= 100, "{compared:?}");
}

/// The answer that all three must give to a model, as `check` gives it.
fn breach(text: &str) -> Breach {
    let prepared = load("m.m", text, Language::Murphi, &LoadOptions::default()).prepared.expect("a good model");
    let compared = compare(&prepared, &usual()).unwrap_or_else(|problem| panic!("{problem}"));
    assert_eq!((compared.replayed, compared.violated_walks), (1, WALKS as usize), "all three see it");
    let plan = Plan::new(&prepared, &usual()).expect("a plan");
    let outcome = plan.run(&Monitor::default()).unwrap_or_else(|bug| panic!("{bug}"));
    match outcome.report.verdict {
        Verdict::Violated(violation) => violation.breach,
        verdict => panic!("{verdict:?}"),
    }
}

#[test]
fn a_state_whose_every_step_is_pruned_is_a_deadlock() {
    let found = breach(
        "var x: 0..3;
         startstate begin x := 0; end;
         rule x < 3 ==> begin x := x + 1; assume x < 2; end;",
    );
    assert_eq!(found, Breach::Deadlock);
}

#[test]
fn a_cover_condition_that_faults_is_a_breach_even_when_it_was_met() {
    let found = breach(
        "var x: 0..3; a: array [0..2] of boolean;
         startstate begin x := 0; for i: 0..2 do a[i] := true; end; end;
         rule x < 3 ==> begin x := x + 1; end;
         cover \"some\" a[x];",
    );
    assert!(matches!(found, Breach::PropertyFault(..)), "{found:?}");
}

#[test]
fn an_assumption_that_faults_comes_before_one_that_excludes() {
    let found = breach(
        "var x: 0..3; a: array [0..2] of boolean;
         startstate begin x := 0; for i: 0..2 do a[i] := true; end; end;
         rule x < 3 ==> begin x := x + 1; end;
         assume \"inside\" a[x];
         assume \"low\" x < 3;",
    );
    assert!(matches!(found, Breach::PropertyFault(..)), "{found:?}");
}
