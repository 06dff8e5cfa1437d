//! Native code against the interpreter: the same successors, faults and conditions in every state of a search.

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use burnside_diag::FileId;
use burnside_interp::{Interpreter, Limits, Outcome, StepBuffer, StepEnd};
use burnside_ir::{Binder, Domain, Layout, Model, PropertyId, Rule, RuleId, TypeId};
use burnside_jit::Compiled;
use burnside_testkit::{Config, random_model, shared_corpus};

const LIMITS: Limits = Limits { loop_rounds: 1000, call_depth: 200, call_slots: 1 << 20 };

/// Searches breadth first by the interpreter and compares each expansion; returns the number of states compared, or
/// `None` if the model is left to the interpreter.
fn compare(model: &Model, most_states: usize) -> Option<usize> {
    let layout = Layout::new(model).expect("the model fits");
    // Half of the models are evaluated strictly.
    let strict: Vec<TypeId> = if model.rules.len().is_multiple_of(2) {
        model.types.iter().map(|(ty, _)| ty).filter(|&ty| is_small(model, ty)).collect()
    } else {
        Vec::new()
    };
    let compiled = match Compiled::new(model, &layout, LIMITS, &strict) {
        Ok(compiled) => compiled,
        Err(_) => return None,
    };
    let windowed = Compiled::windowed(model, &layout, LIMITS, &strict).expect("what can be expanded can be fired");
    let numbered = Compiled::numbered(model, &layout, LIMITS, &strict).expect("and so can it with numbers");
    let mut comparison = Comparison {
        numbered_context: numbered.context(),
        numbered: &numbered,
        windowed_context: windowed.context(),
        windowed: &windowed,
        rng: fastrand::Rng::with_seed(model.rules.len() as u64),
        model,
        layout: &layout,
        interpreter: Interpreter::new(model, &layout, LIMITS).strict(&strict),
        context: compiled.context(),
        compiled: &compiled,
        values: vec![0; layout.slots().len()],
        weights: vec![1; strict.iter().map(|&ty| model.types.shape(ty).cardinality() as usize).sum()],
    };
    let mut seen: HashSet<Vec<u64>> = HashSet::new();
    let mut pending = comparison.starts();
    let mut compared = 0;
    while let Some(state) = pending.pop() {
        if compared < most_states && seen.insert(state.clone()) {
            compared += 1;
            comparison.conditions(&state);
            comparison.windows(&state);
            comparison.numbers(&state);
            pending.extend(comparison.steps(&state));
        }
    }
    Some(compared)
}

struct Comparison<'m> {
    model: &'m Model,
    layout: &'m Layout,
    interpreter: Interpreter<'m>,
    compiled: &'m Compiled,
    context: burnside_jit::Context,
    windowed: &'m Compiled,
    windowed_context: burnside_jit::Context,
    numbered: &'m Compiled,
    numbered_context: burnside_jit::Context,
    rng: fastrand::Rng,
    values: Vec<i64>,
    /// Every instance stands for itself.
    weights: Vec<u64>,
}

impl Comparison<'_> {
    fn starts(&mut self) -> Vec<Vec<u64>> {
        let mut states = Vec::new();
        let layout = self.layout;
        self.interpreter.starts(|_, _, outcome| {
            if let Outcome::Next(values) = outcome {
                states.push(packed(layout, values));
            }
            ControlFlow::Continue(())
        });
        states
    }

    fn steps(&mut self, state: &[u64]) -> Vec<Vec<u64>> {
        let mut expected: Vec<(RuleId, StepEnd, Vec<u64>)> = Vec::new();
        self.layout.unpack(state, &mut self.values);
        let layout = self.layout;
        self.interpreter.successors(&self.values, |rule, _, outcome| {
            let (end, state) = match outcome {
                Outcome::Next(values) => (StepEnd::Next, packed(layout, values)),
                Outcome::Pruned => (StepEnd::Pruned, Vec::new()),
                Outcome::Fault(..) => (StepEnd::Fault, Vec::new()),
            };
            expected.push((rule, end, state));
            if end == StepEnd::Fault { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        let mut buffer = StepBuffer::new(layout.n_words());
        self.compiled.expand(state, &self.weights, &mut self.context, &mut buffer);
        let native: Vec<(RuleId, StepEnd, Vec<u64>)> = (0..buffer.len())
            .map(|at| {
                let step = buffer.get(at);
                let state = if step.end == StepEnd::Next { step.state.to_vec() } else { Vec::new() };
                (step.rule, step.end, state)
            })
            .collect();
        if native != expected {
            let at = native.iter().zip(&expected).take_while(|(n, e)| n == e).count();
            panic!(
                "step {at} of {} native and {} interpreted differs in state {}:\n native {}\n interp {}\n{}",
                native.len(),
                expected.len(),
                self.describe(state),
                native.get(at).map_or("none".into(), |(rule, end, s)| format!(
                    "{} {end:?} {}",
                    self.model.rule(*rule).name,
                    self.describe(s)
                )),
                expected.get(at).map_or("none".into(), |(rule, end, s)| format!(
                    "{} {end:?} {}",
                    self.model.rule(*rule).name,
                    self.describe(s)
                )),
                if self.model.rules.len() < 12 { burnside_ir::text::print_brief(self.model) } else { String::new() },
            );
        }
        expected.into_iter().filter(|(_, end, _)| *end == StepEnd::Next).map(|(_, _, state)| state).collect()
    }

    /// Fires each rule for a random window of each parameter.
    fn windows(&mut self, state: &[u64]) {
        // Windows are fired whatever the priority, which the interpreter does not do.
        if self.model.has_priorities() {
            return;
        }
        self.layout.unpack(state, &mut self.values);
        let mut buffer = StepBuffer::new(self.layout.n_words());
        for (at, rule) in self.model.rules.iter().enumerate() {
            let id = RuleId(at as u32);
            let windows: Vec<[i64; 2]> = type_params(rule).map(|ty| self.window(ty)).collect();
            let is_wanted = |args: &[i64]| {
                let mut parts = args.iter().zip(&windows).zip(type_params(rule));
                parts.all(|((value, [first, last]), ty)| ty.is_none() || (first..=last).contains(&value))
            };
            let (mut expected, mut native, mut is_cut) = (Vec::new(), Vec::new(), false);
            let (layout, free) = (self.layout, vec![None; windows.len()]);
            self.interpreter.fire_matching(&self.values, id, &free, |args, outcome| {
                let (end, state) = match outcome {
                    Outcome::Next(values) => (StepEnd::Next, packed(layout, values)),
                    Outcome::Pruned => (StepEnd::Pruned, Vec::new()),
                    Outcome::Fault(..) => (StepEnd::Fault, Vec::new()),
                };
                if !is_wanted(args) {
                    // A fault before all parameters are bound leaves out later instances, which may be wanted.
                    is_cut |= args.len() < free.len();
                    return ControlFlow::Continue(());
                }
                expected.push((end, state));
                if end == StepEnd::Fault { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
            if is_cut {
                continue;
            }
            buffer.clear();
            self.windowed.fire_within(id, &windows, state, &mut self.windowed_context, &mut buffer);
            for at in 0..buffer.len() {
                let step = buffer.get(at);
                native.push((step.end, if step.end == StepEnd::Next { step.state.to_vec() } else { Vec::new() }));
            }
            assert_eq!(native, expected, "rule {} within {windows:?} in {}", rule.name, self.describe(state));
        }
    }

    /// Some values of a type: one, all, or a stretch.
    fn window(&mut self, ty: Option<TypeId>) -> [i64; 2] {
        let Some(ty) = ty else { return [0, 0] };
        let shape = self.model.types.shape(ty);
        let (one, other) = (self.rng.i64(shape.lo..=shape.hi), self.rng.i64(shape.lo..=shape.hi));
        match self.rng.u8(0..3) {
            0 => [one, one],
            1 => [shape.lo, shape.hi],
            _ => [one.min(other), one.max(other)],
        }
    }

    /// The number of each step's instance tells the parameters that go through types.
    fn numbers(&mut self, state: &[u64]) {
        self.layout.unpack(state, &mut self.values);
        let model = self.model;
        let wanted = |rule: RuleId, args: &[i64]| -> Vec<i64> {
            let parts = args.iter().zip(type_params(model.rule(rule)));
            parts.filter(|(_, ty)| ty.is_some()).map(|(value, _)| *value).collect()
        };
        let mut expected = Vec::new();
        self.interpreter.successors(&self.values, |rule, args, outcome| {
            let is_fault = matches!(outcome, Outcome::Fault(..));
            if is_fault {
                return ControlFlow::Break(());
            }
            expected.push((rule, wanted(rule, args)));
            ControlFlow::Continue(())
        });
        let mut buffer = StepBuffer::new(self.layout.n_words());
        self.numbered.expand(state, &[], &mut self.numbered_context, &mut buffer);
        let steps = (0..buffer.len()).map(|at| buffer.get(at)).filter(|step| step.end != StepEnd::Fault);
        let native: Vec<(RuleId, Vec<i64>)> =
            steps.map(|step| (step.rule, wanted(step.rule, &self.numbered.args(step.rule, step.weight)))).collect();
        assert_eq!(native, expected, "in {}", self.describe(state));
    }

    fn conditions(&mut self, state: &[u64]) {
        self.layout.unpack(state, &mut self.values);
        self.compiled.look_at(state, &mut self.context);
        for at in 0..self.model.properties.len() as u32 {
            let property = PropertyId(at);
            let Some(native) = self.compiled.condition(property, &mut self.context) else { continue };
            let expected = self.interpreter.condition(&self.values, property);
            assert_eq!(native, expected, "property {}", self.model.property(property).name);
        }
    }

    fn describe(&self, state: &[u64]) -> String {
        if state.is_empty() {
            return String::new();
        }
        let mut values = self.values.clone();
        self.layout.unpack(state, &mut values);
        let names = (0..values.len()).map(|slot| self.layout.slot_name(self.model, slot as u32));
        names.zip(values).map(|(name, value)| format!("{name}={value} ")).collect()
    }
}

/// By parameter, the type it goes through.
fn type_params(rule: &Rule) -> impl Iterator<Item = Option<TypeId>> {
    rule.binders.iter().filter_map(|binder| match binder {
        Binder::Param { domain: Domain::Type(ty), .. } => Some(Some(*ty)),
        Binder::Param { .. } => Some(None),
        Binder::Value { .. } | Binder::Reference { .. } => None,
    })
}

fn packed(layout: &Layout, values: &[i64]) -> Vec<u64> {
    let mut words = vec![0; layout.n_words()];
    layout.pack(values, &mut words);
    words
}

#[test]
#[allow(clippy::print_stderr, reason = "the test says how much it covered")]
fn random_models_step_alike() {
    let seeds = std::env::var("BURNSIDE_SEEDS").ok().and_then(|seeds| seeds.parse().ok()).unwrap_or(400);
    let (mut states, mut left_out) = (0, 0);
    for seed in 0..seeds {
        let model = random_model(seed, &Config::default());
        match std::panic::catch_unwind(|| compare(&model, 60)) {
            Ok(Some(compared)) => states += compared,
            Ok(None) => left_out += 1,
            Err(_) => panic!("seed {seed} differs"),
        }
    }
    eprintln!("{seeds} models, {states} states, {left_out} models left to the interpreter");
    assert!(left_out * 20 <= seeds, "{left_out} of {seeds} models are not compiled");
}

#[test]
#[allow(clippy::print_stderr, reason = "the test says how much it covered")]
fn corpus_models_step_alike() {
    let Some(corpus) = shared_corpus() else { return };
    let folders = ["murphi/models", "murphi-dialect", "symmetry-traps"].map(|folder| corpus.join(folder));
    let (models, left_out) = compare_all(&folders);
    eprintln!("{models} corpus models compared, {left_out} left to the interpreter");
    assert!(models > 100, "only {models} models of the corpus were compared");
}

#[test]
fn our_own_models_step_alike() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    let (models, _) = compare_all(&["murphi", "regress"].map(|folder| corpus.join(folder)));
    assert!(models > 100, "only {models} of our own models were compared");
}

/// Compares on all models in some folders; returns how many were compared and how many left to the interpreter.
fn compare_all(folders: &[PathBuf]) -> (usize, usize) {
    let (mut models, mut left_out) = (0, 0);
    for folder in folders {
        let entries = std::fs::read_dir(folder).expect("the corpus has this folder");
        let mut paths: Vec<_> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
        paths.sort();
        for path in paths.iter().filter(|path| path.extension().is_some_and(|extension| extension == "m")) {
            let text = String::from_utf8_lossy(&std::fs::read(path).expect("readable")).into_owned();
            let Some(model) = burnside_murphi::load(FileId(0), &text, &burnside_murphi::Options::default()).model
            else {
                continue;
            };
            let outcome = std::panic::catch_unwind(|| compare(&model, 40));
            match outcome {
                Ok(Some(_)) => models += 1,
                Ok(None) => left_out += 1,
                Err(_) => panic!("{} differs", path.display()),
            }
        }
    }
    (models, left_out)
}

/// Whether a type is one that symmetry can be about: a scalar of few values.
fn is_small(model: &Model, ty: TypeId) -> bool {
    let shape = model.types.shape(ty);
    shape.scalar && shape.cardinality() < 1000
}
