//! Random models in Promela, answered by SPIN and by us.
//!
//! SPIN's verifier counts every state without its own reductions, so verdicts, states and transitions must be equal; a random
//! formula is asked with and without weak fairness, and with and without symmetry.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use burnside_driver::{
    ClaimKind, ClaimSource, Labels, Language, LoadOptions, Plan, Prepared, Settings, SymmetryChoice, load,
    on_large_stack,
};
use burnside_engine::{
    Breach, Counts, DeadlockMode, FairUnit, Fairness, Monitor, Report, Strength, Verdict, Violation,
};
use burnside_interp::FaultKind;
use burnside_testkit::{random_promela, random_promela_formula, random_promela_never};

/// Models with more states than this are passed over.
const MOST_STATES: u64 = 20_000;
/// Every so many models are checked in every strategy.
const EVERY: u64 = 8;

/// What was compared.
#[derive(Debug, Default)]
pub struct Compared {
    /// Models that both accept.
    pub models: u64,
    /// Of these, how many have no fault, so that states and transitions were compared too.
    pub counted: u64,
    /// How many were checked in every strategy.
    pub thorough: u64,
    /// Answers to questions about formulas.
    pub formulas: u64,
    /// Answers to questions about `never` claims and labels.
    pub automata: u64,
    /// Of these, violations.
    pub accepted: u64,
    /// Formulas and other claims that hold in fair executions only.
    pub by_fairness: u64,
    /// Violations under weak fairness that SPIN misses because the execution ends, a known fault of SPIN 6.
    pub missed_by_spin: u64,
    /// Models whose promises about channels were compared.
    pub promised: u64,
    /// Of these, how many are broken.
    pub broken: u64,
    /// Models that were too large, or that SPIN or its verifier gave up.
    pub passed_over: u64,
    /// What differs.
    pub differences: Vec<String>,
}

impl fmt::Display for Compared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{} models compared with SPIN ({} also by states and transitions, {} in every strategy), {} passed over; {} answers about formulas \
             and {} about never claims and labels, {} of them violated ({} hold by fairness alone, {} violations at the end of an execution are known to be missed by SPIN); \
             {} of {} models break promises about channels; {} differences",
            self.models,
            self.counted,
            self.thorough,
            self.passed_over,
            self.formulas,
            self.automata,
            self.accepted,
            self.by_fairness,
            self.missed_by_spin,
            self.broken,
            self.promised,
            self.differences.len()
        )?;
        self.differences.iter().try_for_each(|difference| writeln!(f, "{difference}"))
    }
}

/// Compares the models of some seeds; `cc` compiles what SPIN writes into `folder`.
///
/// # Errors
/// If SPIN or the compiler cannot be run.
pub fn compare_with_spin(seeds: std::ops::Range<u64>, folder: &Path, cc: &str) -> Result<Compared, String> {
    fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let spin = Spin { folder: folder.to_owned(), cc: cc.to_owned() };
    let mut compared = Compared::default();
    for seed in seeds {
        let model = random_promela(seed);
        let formula = random_promela_formula(seed);
        let differs = |difference: String, model: String| {
            let text = format!("seed {seed}: {difference}");
            let file = folder.join(format!("different-{seed}.pml"));
            let _ = fs::write(file, format!("/* {text} */\n{model}\n"));
            text
        };
        let difference = compare_promises(&spin, &model, &mut compared)?.err();
        compared.differences.extend(difference.map(|it| differs(it, lasting(&model))));
        let difference = compare(&spin, &model, &formula, &mut compared)?.err();
        let text = difference.map(|it| differs(it, format!("{model}\nltl p {{ {formula} }}")));
        compared.differences.extend(text);
        // Some of the labels that mean nothing become `accept` labels, which would be part of what SPIN takes a formula for.
        let labelled = model.replace("here_", "accept_");
        let question = match seed % 3 {
            0 => Question::Never(random_promela_never(seed)),
            1 => Question::Acceptance,
            _ => Question::NonProgress,
        };
        let difference = compare_automaton(&spin, &labelled, &question, &mut compared)?.err();
        let text = difference.map(|it| differs(it, format!("{labelled}\n{}", question.claim())));
        compared.differences.extend(text);
    }
    Ok(compared)
}

type Difference = Result<(), String>;

fn compare(spin: &Spin, model: &str, formula: &str, compared: &mut Compared) -> Result<Difference, String> {
    let Some(safety) = spin.safety(&format!("{model}\nltl p {{ {formula} }}\n"))? else {
        compared.passed_over += 1;
        return Ok(Ok(()));
    };
    compared.models += 1;
    if let Err(difference) = compare_verdicts(model, &safety, compared) {
        return Ok(Err(difference));
    }
    if let Err(difference) = compare_counts(model, &safety, compared) {
        return Ok(Err(difference));
    }
    compare_formula(spin, model, formula, compared)
}

/// Compares verdicts, with and without `--slim`; of some models in every strategy.
fn compare_verdicts(model: &str, safety: &Safety, compared: &mut Compared) -> Difference {
    let is_thorough = compared.models.is_multiple_of(EVERY);
    compared.thorough += u64::from(is_thorough);
    let usual = [SymmetryChoice::Off, SymmetryChoice::Auto];
    let choices = if is_thorough { &SymmetryChoice::ALL[..] } else { &usual[..] };
    for (&symmetry, slim) in choices.iter().map(|it| (it, false)).chain(usual.iter().map(|it| (it, true))) {
        let settings = Settings { symmetry, deadlock: DeadlockMode::Stuck, ..Settings::default() };
        let report = match answer_with(model, &LoadOptions { slim, ..LoadOptions::default() }, &settings) {
            // A strategy may have nothing to do with a model.
            Err(_) if !usual.contains(&symmetry) => continue,
            answer => answer?,
        };
        let holds = matches!(report.verdict, Verdict::Holds(_));
        if holds != (safety.n_errors == 0) {
            let how = if slim { " slim" } else { "" };
            return Err(format!("{symmetry:?}{how}: SPIN finds {} errors, we: {:?}", safety.n_errors, report.verdict));
        }
    }
    Ok(())
}

/// Compares states and transitions. SPIN goes on after failed assertions and invalid end states, so we pass over them.
fn compare_counts(model: &str, safety: &Safety, compared: &mut Compared) -> Difference {
    let options = LoadOptions { ignore_assertions: true, ..LoadOptions::default() };
    let off = Settings { symmetry: SymmetryChoice::Off, deadlock: DeadlockMode::Off, ..Settings::default() };
    let report = answer_with(model, &options, &off)?;
    if matches!(report.verdict, Verdict::Holds(_)) {
        compared.counted += 1;
        let Counts { states, rules_fired, .. } = report.counts;
        let (ours, spins) = ((states, rules_fired + 1), (safety.n_states, safety.n_transitions));
        if ours != spins {
            return Err(format!("states and transitions: SPIN has {spins:?}, we have {ours:?}"));
        }
    }
    Ok(())
}

fn compare_formula(spin: &Spin, model: &str, formula: &str, compared: &mut Compared) -> Result<Difference, String> {
    // SPIN counts the claim as a process as soon as there is one, so such a model becomes another.
    if model.contains("_nr_pr") {
        return Ok(Ok(()));
    }
    let mut answers = Vec::new();
    spin.build(&["-DNFAIR=5"], "pan-claim")?;
    for (flag, strength) in [("", None), ("-f", Some(Strength::Weak))] {
        // An execution that ends in a fault is no path: such models are compared by their faults alone.
        let Some(expected) = spin.claim(&["-a", flag])? else { return Ok(Ok(())) };
        for symmetry in [SymmetryChoice::Off, SymmetryChoice::Auto] {
            let fairness = Fairness { strength, unit: FairUnit::Process };
            let settings = Settings { symmetry, fairness, deadlock: DeadlockMode::Off, ..Settings::default() };
            let report = match answer(model, Some(formula), &settings) {
                Ok(report) => report,
                Err(problem) => return Ok(Err(problem)),
            };
            // The search comes to a fault before it gets to formulas; SPIN stops at whatever it meets first.
            let claim = report.answers.last().map(|answer| &answer.verdict);
            if matches!(claim, Some(Verdict::Unknown(_))) && matches!(report.verdict, Verdict::Violated(_)) {
                return Ok(Ok(()));
            }
            compared.formulas += 1;
            match (claim, expected) {
                (Some(Verdict::Holds(_)), true) | (Some(Verdict::Violated(_)), false) => {}
                (Some(Verdict::Violated(violation)), true) if strength.is_some() && ends(violation) => {
                    compared.missed_by_spin += 1;
                }
                (ours, _) => {
                    let expected = if expected { "holds" } else { "violated" };
                    return Ok(Err(format!("{formula}, {strength:?}, {symmetry:?}: SPIN {expected}, we {ours:?}")));
                }
            }
        }
        answers.push(expected);
    }
    compared.by_fairness += u64::from(answers == [false, true]);
    Ok(Ok(()))
}

/// A model whose processes stay for ever: SPIN remembers promises of processes that are gone, also of other executions.
fn lasting(model: &str) -> String {
    model.replace("\n}\n", ";\n  end_stay: false\n}\n")
}

fn compare_promises(spin: &Spin, model: &str, compared: &mut Compared) -> Result<Difference, String> {
    // Only where all processes begin at once is what SPIN remembers of other executions true of each.
    let is_comparable = ["xr ", "xs "].iter().any(|it| model.contains(it)) && model.contains("init { atomic");
    let text = lasting(model);
    if !is_comparable || spin.safety(&text)?.is_none() {
        return Ok(Ok(()));
    }
    let Some(expected) = spin.breaks_promises()? else { return Ok(Ok(())) };
    compared.promised += 1;
    compared.broken += u64::from(expected);
    for symmetry in [SymmetryChoice::Off, SymmetryChoice::Auto] {
        let settings = Settings { symmetry, deadlock: DeadlockMode::Off, ..Settings::default() };
        let options = LoadOptions { promises: true, ignore_assertions: true, ..LoadOptions::default() };
        let report = match answer_with(&text, &options, &settings) {
            Ok(report) => report,
            Err(problem) => return Ok(Err(problem)),
        };
        let broken = match &report.verdict {
            Verdict::Violated(violation) => match &violation.breach {
                Breach::Fault(fault) if fault.kind == FaultKind::Assertion => true,
                // An execution ends in another fault before anything is broken.
                _ => return Ok(Ok(())),
            },
            Verdict::Holds(_) => false,
            Verdict::Unknown(_) => return Ok(Ok(())),
        };
        if broken != expected {
            return Ok(Err(format!("{symmetry:?}: promises are broken for SPIN: {expected}, for us: {broken}")));
        }
    }
    Ok(Ok(()))
}

/// What is asked about executions beside formulas.
enum Question {
    Never(String),
    Acceptance,
    NonProgress,
}

impl Question {
    /// What is added to the model.
    fn claim(&self) -> &str {
        match self {
            Self::Never(text) => text,
            Self::Acceptance | Self::NonProgress => "",
        }
    }

    fn options(&self) -> LoadOptions {
        let labels =
            Labels { acceptance: matches!(self, Self::Acceptance), non_progress: matches!(self, Self::NonProgress) };
        LoadOptions { all_claims: true, labels, ..LoadOptions::default() }
    }
}

fn compare_automaton(
    spin: &Spin,
    model: &str,
    question: &Question,
    compared: &mut Compared,
) -> Result<Difference, String> {
    // SPIN refuses a claim that asks for acceptance where there is no label.
    let is_absent = matches!(question, Question::Acceptance) && !model.contains("accept_");
    let text = format!("{model}\n{}", question.claim());
    if model.contains("_nr_pr") || is_absent || spin.safety(&text)?.is_none() {
        return Ok(Ok(()));
    }
    let (flags, search): (&[&str], &str) = match question {
        Question::Never(_) => (&["-DNFAIR=5"], "-a"),
        Question::Acceptance => (&["-DNFAIR=5", "-DNOCLAIM"], "-a"),
        Question::NonProgress => (&["-DNFAIR=5", "-DNP", "-DNOCLAIM"], "-l"),
    };
    spin.build(flags, "pan-claim")?;
    let mut answers = Vec::new();
    for (flag, strength) in [("", None), ("-f", Some(Strength::Weak))] {
        let Some(expected) = spin.claim(&[search, flag])? else { return Ok(Ok(())) };
        for symmetry in [SymmetryChoice::Off, SymmetryChoice::Auto] {
            let fairness = Fairness { strength, unit: FairUnit::Process };
            let settings = Settings { symmetry, fairness, deadlock: DeadlockMode::Off, ..Settings::default() };
            let report = match answer_with(&text, &question.options(), &settings) {
                Ok(report) => report,
                Err(problem) => return Ok(Err(problem)),
            };
            let claim = report.answers.last().map(|answer| &answer.verdict);
            if matches!(claim, Some(Verdict::Unknown(_))) && matches!(report.verdict, Verdict::Violated(_)) {
                return Ok(Ok(()));
            }
            compared.automata += 1;
            compared.accepted += u64::from(!expected);
            match (claim, expected) {
                (Some(Verdict::Holds(_)), true) | (Some(Verdict::Violated(_)), false) => {}
                (Some(Verdict::Violated(violation)), true) if strength.is_some() && ends(violation) => {
                    compared.missed_by_spin += 1;
                }
                (ours, _) => {
                    let expected = if expected { "holds" } else { "violated" };
                    return Ok(Err(format!("{search}, {strength:?}, {symmetry:?}: SPIN {expected}, we {ours:?}")));
                }
            }
        }
        answers.push(expected);
    }
    compared.by_fairness += u64::from(answers == [false, true]);
    Ok(Ok(()))
}

/// Whether the counterexample is an execution that ends.
fn ends(violation: &Violation) -> bool {
    violation.trace.as_ref().is_some_and(|trace| trace.loop_start.is_none_or(|start| start == trace.steps.len()))
}

fn answer(model: &str, formula: Option<&str>, settings: &Settings) -> Result<Report, String> {
    let claims = formula.map(|text| ClaimSource { name: "p".into(), text: text.into(), kind: Some(ClaimKind::Linear) });
    answer_with(model, &LoadOptions { claims: claims.into_iter().collect(), ..LoadOptions::default() }, settings)
}

fn answer_with(model: &str, options: &LoadOptions, settings: &Settings) -> Result<Report, String> {
    on_large_stack(|| {
        let loaded = load("m.pml", model, Language::Promela, options);
        let prepared: Prepared = loaded.prepared.ok_or_else(|| {
            let messages: Vec<&str> = loaded.diagnostics.iter().map(|it| it.message.as_str()).collect();
            format!("we refuse what SPIN accepts: {messages:?}")
        })?;
        let plan = Plan::new(&prepared, settings).map_err(|why| why.message)?;
        plan.run(&Monitor::default()).map(|outcome| outcome.report).map_err(|bug| bug.to_string())
    })
    .map_err(|failure| failure.to_string())?
}

/// SPIN, with a folder to work in.
struct Spin {
    folder: PathBuf,
    cc: String,
}

/// What SPIN says of a model without its claims.
struct Safety {
    n_states: u64,
    n_transitions: u64,
    n_errors: u64,
}

impl Spin {
    fn safety(&self, text: &str) -> Result<Option<Safety>, String> {
        fs::write(self.folder.join("m.pml"), text).map_err(|error| error.to_string())?;
        if self.run("spin", &["-a", "-o1", "-o2", "-o3", "m.pml"])?.0 != Some(0) {
            return Ok(None);
        }
        self.build(&["-DSAFETY", "-DNOCLAIM"], "pan-safety")?;
        let (_, out) = self.run("./pan-safety", &["-c0", "-n", "-m100000", "-w18"])?;
        let number = |before: &str| {
            let line = out.lines().find(|line| line.contains(before))?;
            line.split(before).next()?.split_whitespace().last()?.parse::<u64>().ok()
        };
        let errors = out.split("errors: ").nth(1).and_then(|rest| rest.split_whitespace().next()?.parse().ok());
        let found = (number(" states, stored"), number(" transitions (="), errors);
        let (Some(n_states), Some(n_transitions), Some(n_errors)) = found else { return Ok(None) };
        let complete = n_states <= MOST_STATES && !out.contains("max search depth too small");
        Ok(complete.then_some(Safety { n_states, n_transitions, n_errors }))
    }

    /// Whether promises are broken, which SPIN looks at only where it reduces.
    fn breaks_promises(&self) -> Result<Option<bool>, String> {
        self.compile(&["-DSAFETY", "-DNOCLAIM"], "pan-promises")?;
        let (_, out) = self.run("./pan-promises", &["-A", "-E", "-c0", "-n", "-m100000", "-w18"])?;
        let is_complete = out.contains("errors: ") && !out.contains("max search depth too small");
        let breaches = ["partial order reduction invalid", "violates po reduction", "be used for rv", "x[rs] claim"];
        Ok(is_complete.then(|| breaches.iter().any(|it| out.contains(it))))
    }

    fn build(&self, flags: &[&str], to: &str) -> Result<(), String> {
        self.compile(&[flags, &["-DNOREDUCE"]].concat(), to)
    }

    fn compile(&self, flags: &[&str], to: &str) -> Result<(), String> {
        let mut arguments = vec!["-w", "-DMEMLIM=128", "-DVECTORSZ=4096", "-o", to, "pan.c"];
        arguments.splice(0..0, flags.iter().copied());
        match self.run(&self.cc, &arguments)? {
            (Some(0), _) => Ok(()),
            (_, out) => Err(format!("{} does not compile SPIN's verifier: {out}", self.cc)),
        }
    }

    /// Whether the claim holds; nothing if there is another error, or no answer.
    fn claim(&self, flags: &[&str]) -> Result<Option<bool>, String> {
        let options = flags.iter().copied().chain(["-E", "-c1", "-n", "-m200000", "-w18"]);
        let options: Vec<&str> = options.filter(|it| !it.is_empty()).collect();
        let (_, out) = self.run("./pan-claim", &options)?;
        if out.contains("max search depth too small") || !out.contains("errors: ") {
            return Ok(None);
        }
        let cycle = out.contains("acceptance cycle") || out.contains("non-progress cycle");
        // Our claims assert nothing but `false`, our models never do.
        let asserted = out.contains("assertion violated 0 ");
        let at_end = out.contains("end state in claim") || out.contains("claim violated") || asserted;
        Ok(match out.contains("errors: 0") {
            true => Some(true),
            false if cycle || at_end => Some(false),
            false => None,
        })
    }

    fn run(&self, program: &str, arguments: &[&str]) -> Result<(Option<i32>, String), String> {
        let output = Command::new(program).args(arguments).current_dir(&self.folder).output();
        let output = output.map_err(|error| format!("{program}: {error}"))?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
        Ok((output.status.code(), text))
    }
}
