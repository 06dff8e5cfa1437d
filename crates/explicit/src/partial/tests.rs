//! Reduced searches against whole ones, and what relations claim against what states show.

use std::collections::HashSet;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;

use burnside_diag::{FileId, Span};
use burnside_engine::{
    Budget, DeadlockMode, Engine as _, Monitor, Question, Report, SearchOrder, Shortfall, Verdict, replay,
};
use burnside_interp::{Limits, Outcome};
use burnside_ir::{Applied, Claim, Layout, Model, Property, PropertyId};
use burnside_symmetry::{Reduction, Strategy, Symmetry};
use burnside_temporal::formula::{Binary, Formula, Unary};
use burnside_testkit::{Config, explore, random_model, random_promela};

use super::*;
use crate::Explicit;

const LIMITS: Limits = Limits { loop_rounds: 50, call_depth: 50, call_slots: 1 << 20 };

/// How many random models each test takes.
fn n_seeds() -> u64 {
    std::env::var("BURNSIDE_SEEDS").ok().and_then(|seeds| seeds.parse().ok()).unwrap_or(300)
}

fn murphi(text: &str) -> (Model, Layout) {
    let loaded = burnside_murphi::load(FileId(0), text, &burnside_murphi::Options::default());
    let model = loaded.model.unwrap_or_else(|| panic!("{:?}\n{text}", loaded.diagnostics));
    let layout = Layout::new(&model).expect("it fits");
    (model, layout)
}

/// One way to search.
#[derive(Debug, Clone, Copy)]
struct Way {
    is_reduced: bool,
    is_symmetric: bool,
    order: SearchOrder,
    threads: usize,
    native: bool,
}

const WHOLE: Way =
    Way { is_reduced: false, is_symmetric: false, order: SearchOrder::BreadthFirst, threads: 1, native: true };

/// The report of a search; none if symmetry or partial order is not for this question.
fn search(question: Question<'_>, way: Way) -> Option<Report> {
    let threads = NonZeroUsize::new(way.threads).expect("at least one");
    let task = Task { order: way.order, threads, native: way.native, ..Task::of(question) };
    let partial_order = way.is_reduced.then(|| PartialOrder::new(&task, way.is_symmetric).ok());
    if partial_order.as_ref().is_some_and(Option::is_none) {
        return None;
    }
    let symmetry = way.is_symmetric.then(|| Symmetry::find(task.model));
    if symmetry.as_ref().is_some_and(|it| it.is_trivial()) {
        return None;
    }
    let reduction = symmetry.map(|it| Reduction::new(task.model, task.layout, &it, Strategy::Refine));
    let engine = Explicit { reduction, partial_order: partial_order.flatten() };
    let monitor = Monitor::new(Budget { states: Some(20_000), ..Budget::default() });
    let report = engine.check(&task, &monitor).ok()?;
    assert!(report.audit.disagreement.is_none());
    if let Verdict::Violated(violation) = &report.verdict {
        replay(&task, violation).expect("every counterexample replays");
    }
    Some(report)
}

fn word(report: &Report) -> &'static str {
    match report.verdict {
        Verdict::Holds(_) => "holds",
        Verdict::Violated(_) => "violated",
        Verdict::Unknown(_) => "unknown",
    }
}

/// All reduced ways against the whole search; how many states the first of them has.
fn agree(question: Question<'_>, what: &str) -> Option<(u64, u64)> {
    let whole = search(question, WHOLE)?;
    if matches!(whole.verdict, Verdict::Unknown(Shortfall::States(_))) {
        return None;
    }
    let mut first = None;
    for is_symmetric in [false, true] {
        let mut same = HashSet::new();
        for (order, threads, native) in [
            (SearchOrder::BreadthFirst, 1, true),
            (SearchOrder::BreadthFirst, 2, false),
            (SearchOrder::DepthFirst, 1, true),
        ] {
            let way = Way { is_reduced: true, is_symmetric, order, threads, native };
            let Some(reduced) = search(question, way) else { continue };
            // Depth first, what is wrong may lie behind more states than are allowed.
            if matches!(
                (&whole.verdict, &reduced.verdict),
                (Verdict::Violated(_), Verdict::Unknown(Shortfall::States(_)))
            ) {
                continue;
            }
            assert_eq!(word(&reduced), word(&whole), "{what}, {way:?}");
            if matches!(whole.verdict, Verdict::Holds(_)) && !is_symmetric {
                assert!(reduced.counts.states <= whole.counts.states, "{what}, {way:?}");
            }
            if order == SearchOrder::BreadthFirst {
                same.insert((reduced.counts.states, reduced.counts.rules_fired, reduced.counts.depth));
            }
            first.get_or_insert((reduced.counts.states, whole.counts.states));
        }
        assert!(same.len() <= 1, "{what}: every number of threads visits the same states, {same:?}");
    }
    first
}

/// Models as random as they come; what switches the reduction off is left out by `search`.
fn config(seed: u64) -> Config {
    Config::random(seed)
}

fn random(seed: u64) -> (Model, Layout) {
    let model = random_model(seed, &config(seed));
    let layout = Layout::new(&model).expect("random models are small");
    (model, layout)
}

fn question<'m>(model: &'m Model, layout: &'m Layout, seed: u64) -> Question<'m> {
    let deadlock = [DeadlockMode::Off, DeadlockMode::Stuck, DeadlockMode::Stuttering][seed as usize % 3];
    Question { deadlock, step_limits: LIMITS, ..Question::new(model, layout) }
}

#[test]
#[allow(clippy::print_stderr, reason = "the test says how much it covered")]
fn random_models_have_the_same_answers() {
    let (mut compared, mut smaller) = (0, 0);
    for seed in 0..n_seeds() {
        let (model, layout) = random(seed);
        let all = question(&model, &layout, seed);
        let sizes = agree(all, &format!("seed {seed}"));
        compared += u64::from(sizes.is_some());
        smaller += u64::from(sizes.is_some_and(|(reduced, whole)| reduced < whole));
        for property in all.properties(PropertyKind::Invariant) {
            let only = [property];
            let one = Question { only: Some(&only), deadlock: DeadlockMode::Off, ..all };
            agree(one, &format!("seed {seed}, {property:?}"));
        }
    }
    eprintln!("{compared} models compared, {smaller} of them reduced");
    assert!(compared > n_seeds() / 4 && smaller > n_seeds() / 50, "{compared} compared, {smaller} reduced");
}

/// A formula without `nexttime` over conditions without parameters.
fn formula(rng: &mut fastrand::Rng, depth: u32, conditions: &[PropertyId]) -> Formula<Applied, u32> {
    if depth == 0 {
        let condition = conditions[rng.usize(..conditions.len())];
        return Formula::Proposition(Applied { condition, arguments: Vec::new() });
    }
    let mut part = || formula(rng, depth - 1, conditions);
    let (one, other) = (part(), part());
    match rng.u32(..8) {
        0 => Formula::unary(Unary::Not, one),
        1 | 2 => Formula::unary(Unary::Always, one),
        3 | 4 => Formula::unary(Unary::Eventually, one),
        5 => Formula::binary(Binary::Until, one, other),
        6 => Formula::binary(Binary::And, one, other),
        _ => Formula::binary(Binary::Or, one, other),
    }
}

/// A random model with a claim about its executions in place of its invariants without parameters.
fn with_claim(seed: u64) -> Option<(Model, Layout)> {
    let (mut model, layout) = random(seed);
    let mut conditions = Vec::new();
    for (id, property) in (0..).map(PropertyId).zip(&mut model.properties) {
        if property.binders.is_empty() && matches!(property.kind, PropertyKind::Invariant | PropertyKind::Cover) {
            property.kind = PropertyKind::Proposition;
            conditions.push(id);
        }
    }
    model.properties.iter().all(|property| property.kind != PropertyKind::Liveness).then_some(())?;
    if conditions.is_empty() {
        return None;
    }
    let mut rng = fastrand::Rng::with_seed(seed);
    let depth = rng.u32(1..4);
    let formula = formula(&mut rng, depth, &conditions);
    let property = PropertyId(model.properties.len() as u32);
    let (name, kind, span) = ("claim".to_owned(), PropertyKind::Linear, Span::NOWHERE);
    let condition = burnside_ir::Expr::boolean(true, span);
    model.properties.push(Property { name, kind, binders: Vec::new(), locals: Vec::new(), condition, span });
    model.claims.push(Claim { property, variables: Vec::new(), formula });
    Some((model, layout))
}

/// Whether some parameter or owner is a number of any size: such instances are not told apart one by one.
fn has_unbounded_parameters(model: &Model) -> bool {
    let is_unbounded = |rule: &burnside_ir::Rule, local: burnside_ir::LocalId| {
        model.types.shape(rule.locals[local.index()].ty).cardinality() > 1 << 16
    };
    let mut rules = model.rules.iter();
    rules.any(|rule| burnside_ir::params(&rule.binders).any(|local| is_unbounded(rule, local)))
}

#[test]
#[allow(clippy::print_stderr, reason = "the test says how much it covered")]
fn random_formulas_have_the_same_answers() {
    let (mut compared, mut smaller) = (0, 0);
    for seed in 0..2 * n_seeds() {
        let Some((model, layout)) = with_claim(seed) else { continue };
        if !burnside_ir::verify(&model).is_empty() || has_unbounded_parameters(&model) {
            continue;
        }
        let asked = Question { deadlock: DeadlockMode::Off, step_limits: LIMITS, ..Question::new(&model, &layout) };
        let sizes = agree(asked, &format!("seed {seed}"));
        compared += u64::from(sizes.is_some());
        smaller += u64::from(sizes.is_some_and(|(reduced, whole)| reduced < whole));
    }
    eprintln!("{compared} formulas compared, {smaller} of them on reduced graphs");
    assert!(compared > n_seeds() / 10 && smaller > 0, "{compared} compared, {smaller} reduced");
}

/// What firing instances in a state gives; `None` for a fault. The instances of a group come one after the other. A fault
/// while parameters are bound makes it none: whose it is is not known.
fn steps(interpreter: &mut Interpreter<'_>, chooser: &Chooser<'_>, state: &[i64]) -> Option<Steps> {
    let (mut found, mut is_complete, model) = (Vec::new(), true, interpreter.model());
    interpreter.successors(state, |rule, args, outcome| {
        if args.len() < burnside_ir::params(&model.rule(rule).binders).count() {
            is_complete = false;
            return ControlFlow::Break(());
        }
        let next = match outcome {
            Outcome::Next(next) => Some(next.to_vec()),
            Outcome::Pruned | Outcome::Fault(..) => None,
        };
        found.push((chooser.instance_of(rule, args), next));
        ControlFlow::Continue(())
    });
    is_complete.then_some(found)
}

/// Instances, and the state that each leads to.
type Steps = Vec<(usize, Option<Vec<i64>>)>;

/// Two enabled instances that accord commute and leave each other enabled, and what is not enabled stays so until one that
/// is said to enable it has fired: in every reachable state of random models.
#[test]
#[allow(clippy::print_stderr, reason = "the test says how much it covered")]
fn relations_are_true_in_every_state() {
    let (mut pairs, mut kept) = (0_u64, 0_u64);
    for seed in 0..n_seeds() {
        let (model, layout) = random(seed);
        if leaves_steps_out(&model) || model.has_priorities() {
            continue;
        }
        let task = Task::of(question(&model, &layout, 0));
        let Ok(independence) = Independence::new(&model, &layout, false) else { continue };
        let n = independence.n_instances();
        let order = PartialOrder {
            independence: Arc::new(independence),
            visible: Slots::new(n),
            waits: Slots::new(n),
            condition: Condition::Nothing,
        };
        let chooser = Chooser::new(&order);
        let mut interpreter = Interpreter::new(task.model, task.layout, LIMITS);
        let mut packed = vec![0; layout.n_words()];
        let mut states: Vec<Vec<i64>> = explore(&model, 100).states.into_iter().collect();
        states.sort_unstable();
        for state in states.into_iter().take(60) {
            let Some(now) = steps(&mut interpreter, &chooser, &state) else { continue };
            layout.pack(&state, &mut packed);
            for (a, after_a) in &now {
                let Some(after_a) = after_a else { continue };
                let Some(then) = steps(&mut interpreter, &chooser, after_a) else { continue };
                for (b, after_b) in &now {
                    let (Some(after_b), false) = (after_b, a == b || order.independence.conflicts(*a).contains(*b))
                    else {
                        continue;
                    };
                    let ends: Vec<_> = then.iter().filter(|(instance, _)| instance == b).map(|(_, end)| end).collect();
                    let Some(other) = steps(&mut interpreter, &chooser, after_b) else { continue };
                    let turned: Vec<_> =
                        other.iter().filter(|(instance, _)| instance == a).map(|(_, end)| end).collect();
                    assert!(!ends.is_empty(), "seed {seed}: {a} disables {b}");
                    let is_same = ends.iter().any(|end| turned.contains(end));
                    assert!(is_same, "seed {seed}: {a} and {b} do not commute in {state:?}");
                    pairs += 1;
                }
                for (b, _) in then.iter().filter(|(b, _)| now.iter().all(|(before, _)| before != b)) {
                    let parts: Vec<_> = order.independence.false_parts(*b, &packed).collect();
                    let sets = parts.iter().map(|&(part, code)| order.independence.enabling(*b, part, code));
                    for set in sets.chain([order.independence.guard_writers(*b).clone()]) {
                        assert!(set.contains(*a), "seed {seed}: {a} enables {b} in {state:?}");
                        kept += 1;
                    }
                }
            }
        }
    }
    eprintln!("{pairs} pairs commute, {kept} times one enabled another");
    assert!(pairs > 10 * n_seeds() && kept > n_seeds());
}

#[test]
#[allow(clippy::print_stderr, reason = "the test says how much it covered")]
fn random_promela_models_have_the_same_answers() {
    let (mut compared, mut smaller) = (0, 0);
    for seed in 0..n_seeds() {
        let text = random_promela(seed);
        let Some(model) = promela(&text) else { continue };
        let layout = Layout::new(&model).expect("random models are small");
        let asked = Question { deadlock: DeadlockMode::Stuck, step_limits: LIMITS, ..Question::new(&model, &layout) };
        let sizes = agree(asked, &format!("seed {seed}\n{text}"));
        compared += u64::from(sizes.is_some());
        smaller += u64::from(sizes.is_some_and(|(reduced, whole)| reduced < whole));
    }
    eprintln!("{compared} models compared, {smaller} of them reduced");
    assert!(compared > 0 && smaller > 0);
}

/// States without reduction, with symmetry, with partial order, with both, deadlocks looked for.
fn count(text: &str, is_live: bool) -> [u64; 4] {
    let (model, layout) = murphi(text);
    let deadlock = DeadlockMode::Off;
    let only: Vec<PropertyId> = if is_live { model.properties_of(PropertyKind::Linear).collect() } else { Vec::new() };
    let asked = Question { deadlock, only: Some(&only), ..Question::new(&model, &layout) };
    let ways = [(false, false), (false, true), (true, false), (true, true)];
    ways.map(|(is_reduced, is_symmetric)| {
        let report = search(asked, Way { is_reduced, is_symmetric, ..WHOLE }).expect("it is reduced");
        assert!(matches!(report.verdict, Verdict::Holds(_)), "{:?}", report.verdict);
        report.counts.states
    })
}

/// Whether a deadlock is found, in the same four ways, breadth first and depth first.
fn deadlocks(text: &str) -> [bool; 8] {
    let (model, layout) = murphi(text);
    let asked = Question { deadlock: DeadlockMode::Stuck, only: Some(&[]), ..Question::new(&model, &layout) };
    let mut found = [false; 8];
    for (number, found) in found.iter_mut().enumerate() {
        let order = if number < 4 { SearchOrder::BreadthFirst } else { SearchOrder::DepthFirst };
        let way = Way { is_reduced: number & 1 == 1, is_symmetric: number & 2 == 2, order, ..WHOLE };
        *found = word(&search(asked, way).expect("it is reduced")) == "violated";
    }
    found
}

fn semaphores(n: u32, again: bool) -> String {
    let end = if again { 0 } else { 4 };
    format!(
        "type Proc: ringset({n}); var sem: array [Proc] of 0..1; pc: array [Proc] of 0..4;
         startstate begin for p: Proc do sem[p] := 1; pc[p] := 0; end; end;
         ruleset p: Proc do
           rule pc[p] = 0 & sem[p] >= 1 ==> begin pc[p] := 1; sem[p] := sem[p] - 1; end;
           rule pc[p] = 1 & sem[next(p)] >= 1 ==> begin pc[p] := 2; sem[next(p)] := sem[next(p)] - 1; end;
           rule pc[p] = 2 ==> begin pc[p] := 3; sem[p] := sem[p] + 1; end;
           rule pc[p] = 3 ==> begin pc[p] := {end}; sem[next(p)] := sem[next(p)] + 1; end;
         end;
         ltl \"seen\" ([]<> exists p: Proc do pc[p] = 2 end) | true;"
    )
}

fn writers(n: u32, k: u32, again: bool) -> String {
    let step =
        |from: u32| format!("rule pc[p] = {from} ==> begin pc[p] := {}; w[p] := {}; end;", from + 1, (from + 1) % 2);
    let steps: String = (0..k).map(step).collect();
    let back = if again { format!("rule pc[p] = {k} ==> begin pc[p] := 0; w[p] := 0; end;") } else { String::new() };
    format!(
        "type Proc: scalarset({n}); var w: array [Proc] of 0..1; pc: array [Proc] of 0..{k};
         startstate begin for p: Proc do w[p] := 0; pc[p] := 0; end; end;
         ruleset p: Proc do {steps} {back} end;
         ltl \"seen\" ([]<> exists p: Proc do pc[p] = 2 end) | true;"
    )
}

fn locks(n: u32) -> String {
    format!(
        "type Proc: scalarset({n}); var w: array [Proc] of 0..1; pc: array [Proc] of 0..3; lock: 0..1;
         startstate begin for p: Proc do w[p] := 0; pc[p] := 0; end; lock := 1; end;
         ruleset p: Proc do
           rule pc[p] = 0 ==> begin pc[p] := 1; w[p] := 1; end;
           rule pc[p] = 1 & lock >= 1 ==> begin pc[p] := 2; lock := lock - 1; end;
           rule pc[p] = 2 ==> begin pc[p] := 3; w[p] := 0; end;
           rule pc[p] = 3 ==> begin pc[p] := 0; lock := lock + 1; end;
         end;
         ltl \"seen\" ([]<> exists p: Proc do pc[p] = 2 end) | true;"
    )
}

#[test]
#[allow(clippy::print_stderr, reason = "the numbers are worth seeing")]
fn the_systems_of_the_experiments() {
    // A model, states and orbits, whether it has a deadlock.
    let rows: [(&str, String, [u64; 2], bool); 17] = [
        ("godefroid 3", semaphores(3, false), [75, 27], true),
        ("godefroid 4", semaphores(4, false), [321, 86], true),
        ("godefroid 5", semaphores(5, false), [1363, 275], true),
        ("philsem 3", semaphores(3, true), [26, 10], true),
        ("philsem 4", semaphores(4, true), [80, 23], true),
        ("philsem 5", semaphores(5, true), [242, 50], true),
        ("philsem 6", semaphores(6, true), [728, 129], true),
        ("writers 2", writers(2, 3, false), [16, 10], true),
        ("writers 3", writers(3, 3, false), [64, 20], true),
        ("writers 4", writers(4, 3, false), [256, 35], true),
        ("writers 5", writers(5, 3, false), [1024, 56], true),
        ("writers-loop 3", writers(3, 2, true), [27, 10], false),
        ("writers-loop 4", writers(4, 2, true), [81, 15], false),
        ("writers-loop 5", writers(5, 2, true), [243, 21], false),
        ("lock 3", locks(3), [32, 10], false),
        ("lock 4", locks(4), [80, 13], false),
        ("lock 5", locks(5), [192, 16], false),
    ];
    let mut reached = Vec::new();
    for (name, text, [states, orbits], is_stuck) in &rows {
        let [whole, symmetric, reduced, both] = count(text, false);
        let live = count(text, true);
        eprintln!("{name}: {whole} {symmetric} {reduced} {both}; live {live:?}");
        assert_eq!([whole, symmetric], [*states, *orbits], "{name}");
        assert!(reduced <= whole && both <= symmetric, "{name}: {reduced} {both}");
        assert!(live[2] <= whole && live[3] <= symmetric, "{name}: {live:?}");
        assert_eq!(deadlocks(text), [*is_stuck; 8], "{name}");
        reached.push((reduced, both));
    }
    // Where nothing but the own variables is touched, one order of all steps is enough.
    assert_eq!(reached[8], (10, 10), "writers 3");
    assert_eq!(reached[10], (16, 16), "writers 5");
}

const FOR_EVER: &str = "
    var w: array [1..2] of 0..1; pc: array [1..2] of 0..2;
    startstate begin for p: 1..2 do w[p] := 0; pc[p] := 0; end; end;
    ruleset p: 1..2 do
      rule pc[p] = 0 ==> begin pc[p] := 1; w[p] := 1; end;
      rule pc[p] = 1 ==> begin pc[p] := 2; w[p] := 0; end;
      rule pc[p] = 2 ==> begin pc[p] := 0; w[p] := 0; end;
    end;";

/// The verdict with a mistake in the reduction.
fn mistaken(text: &str, mistake: impl FnOnce(&mut PartialOrder)) -> &'static str {
    let (model, layout) = murphi(text);
    let question = Question { deadlock: DeadlockMode::Off, ..Question::new(&model, &layout) };
    let task = Task::of(question);
    let mut order = PartialOrder::new(&task, false).expect("it can be reduced");
    mistake(&mut order);
    let engine = Explicit { reduction: None, partial_order: Some(order) };
    word(&engine.check(&task, &Monitor::new(Budget::default())).expect("nothing to decline"))
}

#[test]
fn without_the_condition_on_cycles_a_process_is_put_off_for_ever() {
    for property in ["invariant w[2] = 0;", "ltl \"quiet\" [] w[2] = 0;"] {
        let text = format!("{FOR_EVER}{property}");
        assert_eq!(mistaken(&text, |_| ()), "violated");
        assert_eq!(mistaken(&text, |order| order.condition = Condition::Nothing), "holds", "{property}");
    }
}

#[test]
fn without_visible_instances_an_order_of_steps_is_not_seen() {
    let text = "var a: boolean; b: boolean; startstate begin a := false; b := false; end;
                rule !a ==> begin a := true; end; rule !b ==> begin b := true; end;
                invariant b -> a;";
    assert_eq!(mistaken(text, |_| ()), "violated");
    let forget = |order: &mut PartialOrder| order.visible = Slots::new(order.independence.n_instances());
    assert_eq!(mistaken(text, forget), "holds");
}

#[test]
fn what_must_see_every_step_says_so() {
    let refused = |text: &str| {
        let (model, layout) = murphi(text);
        PartialOrder::new(&Task::new(&model, &layout), false).err()
    };
    let start = "var a: boolean; startstate begin a := false; end; rule begin a := !a; end;";
    assert_eq!(refused(start), None);
    for property in ["assume !a;", "liveness a;", "ltl \"x\" nexttime a;", "ctl \"e\" EF a;"] {
        assert!(refused(&format!("{start}{property}")).is_some(), "{property}");
    }
}

/// A model in Promela; none if its text is refused.
fn promela(text: &str) -> Option<Model> {
    let mut nothing = |_: burnside_promela::Include<'_>| Err("there is no other text".to_owned());
    let options = burnside_promela::Options::default();
    burnside_promela::load(FileId(0), text, &options, &mut nothing).model.map(|model| model.lower())
}
