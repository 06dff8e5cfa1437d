//! The verdict and what it rests on.

use std::time::Duration;

use burnside_diag::{Palette, SourceMap};
use burnside_driver::{Approach, Mode, Outcome, Plan, Statement, Strategy};
use burnside_engine::{AuditMode, DeadlockMode, Reason, SearchOrder, Task, Trace, Verdict, Violation};
use burnside_ir::{PropertyId, PropertyKind, RuleId};
use burnside_symmetry::Exactness;

use crate::quantity::{bytes, count, counted, large, seconds};
use crate::tell::breach::{Named, name};
use crate::tell::instance::kind_word;
use crate::tell::reasoning;
use crate::tell::similarity::contrast;
use crate::tell::temporal::is_kind_name;

/// How many rules that never fired are named unless all are asked for.
const NAMED_RULES: usize = 8;

/// What a run has to say for itself.
pub struct Summary<'a> {
    /// The model with the constants that were given other values.
    pub model: String,
    /// The texts that spans refer to.
    pub sources: &'a SourceMap,
    /// What was to be done.
    pub plan: &'a Plan<'a>,
    /// What came of it.
    pub outcome: &'a Outcome,
    /// How long it took until the search began.
    pub setup: Duration,
    /// Colours, if any.
    pub palette: Palette,
    /// Claims of the model that are not checked.
    pub n_unchecked: u64,
    /// The statements of a Promela model.
    pub statements: &'a [Statement],
}

/// Whether there is anything to be found but faults and failing assertions.
pub fn claims_anything(task: &Task<'_>) -> bool {
    let kinds = [PropertyKind::Invariant, PropertyKind::Cover, PropertyKind::CoverPoint, PropertyKind::Liveness];
    task.checks_deadlocks()
        || !task.temporal_properties().is_empty()
        || kinds.into_iter().any(|kind| !task.properties(kind).is_empty())
}

/// The last line about a model that cannot be checked.
pub fn invalid_line(model: &str, n_errors: usize, palette: Palette) -> String {
    let errors = counted(n_errors as u64, "error", "errors");
    format!("{} {model} cannot be checked: {errors}", palette.red("invalid:"))
}

/// A deadlock mode in words.
fn deadlock_words(mode: DeadlockMode) -> &'static str {
    match mode {
        DeadlockMode::Off => "no deadlock check",
        DeadlockMode::Stuck => "deadlock (no rule enabled)",
        DeadlockMode::Stuttering => "deadlock (no way to another state)",
    }
}

impl Summary<'_> {
    /// The verdict in one line.
    pub fn verdict(&self) -> String {
        let model = &self.model;
        match &self.outcome.report.verdict {
            Verdict::Holds(_) => format!("{} {}", self.palette.green("holds:"), self.holding()),
            Verdict::Violated(violation) => {
                format!("{} {}", self.palette.red("violated:"), self.violation(violation))
            }
            Verdict::Unknown(shortfall) => {
                let heading = self.palette.yellow("inconclusive:");
                format!("{heading} no violation in {model} so far, but {shortfall}")
            }
        }
    }

    /// What holds: exactly what was checked.
    fn holding(&self) -> String {
        let (model, task) = (&self.model, self.plan.task());
        if self.outcome.report.counts.states == 0 {
            return format!("vacuously, since no state of {model} is reachable");
        }
        if let Some(only) = task.only {
            let selected: Vec<String> = only.iter().map(|&id| holds_how(task, id)).collect();
            let selected = selected.join(", ");
            return format!("in {model} {selected}; of the rest only faults and assertions were checked");
        }
        if !claims_anything(task) {
            return format!(
                "no fault and no failed assertion in any reachable state of {model}, which claims nothing else"
            );
        }
        if !task.temporal_properties().is_empty() {
            return format!("every property of {model} holds, for every reachable state and every execution");
        }
        if self.n_unchecked > 0 {
            let claims = counted(self.n_unchecked, "claim of it was", "claims of it were");
            return format!(
                "no fault, failed assertion or deadlock in any reachable state of {model}; {claims} not checked"
            );
        }
        let deadlocks = match task.deadlock {
            DeadlockMode::Off => "; deadlocks were not looked for",
            DeadlockMode::Stuck | DeadlockMode::Stuttering => "",
        };
        format!("every property of {model} holds in every reachable state{deadlocks}")
    }

    /// A violation in one line.
    pub fn violation(&self, violation: &Violation) -> String {
        let Named { kind, name, .. } = name(self.plan.task(), &violation.breach);
        let model = &self.model;
        let when = match violation.trace.as_ref().map(Trace::n_fired) {
            None | Some(0) => "in a start state".to_owned(),
            Some(steps) => format!("after {}", counted(steps as u64, "step", "steps")),
        };
        match kind {
            "invariant" => format!("invariant \"{name}\" of {model} fails {when}"),
            "liveness" => format!("liveness property \"{name}\" of {model} is lost for ever {when}"),
            _ if is_kind_name(kind) => self.temporal(&name, violation),
            "cover" => format!("cover \"{name}\" of {model} is never reached"),
            "deadlock" => format!("{model} is in a deadlock {when}"),
            "assertion" => format!("an assertion of {model} fails {when}: {name}"),
            "error" => format!("{model} reaches an error statement {when}: {name}"),
            _ => format!("{model} faults {when}: {name} ({kind})"),
        }
    }

    fn temporal(&self, name: &str, violation: &Violation) -> String {
        let model = &self.model;
        let steps = |n: usize| counted(n as u64, "step", "steps");
        match violation.trace.as_ref() {
            Some(Trace { steps: all, loop_start: Some(start), .. }) if *start < all.len() => {
                format!("\"{name}\" of {model} fails: {}, then a loop of {}", steps(*start), steps(all.len() - start))
            }
            Some(Trace { steps: all, loop_start: Some(_), .. }) => {
                format!("\"{name}\" of {model} fails: the execution ends after {}", steps(all.len()))
            }
            Some(Trace { steps: all, .. }) if !all.is_empty() => {
                format!("\"{name}\" of {model} fails after {}, whatever follows", steps(all.len()))
            }
            _ => format!("\"{name}\" of {model} fails in a start state"),
        }
    }

    /// Numbers below the verdict, one line each.
    pub fn details(&self, verbose: bool) -> Vec<String> {
        let counts = &self.outcome.report.counts;
        let for_states = if verbose { format!(", {} for states", bytes(counts.bytes)) } else { String::new() };
        let rate = counts.states as f64 / self.outcome.elapsed.as_secs_f64().max(1e-9);
        let per_orbit = match self.way().strategy {
            Strategy::Off => "",
            Strategy::Reduce(strategy) => match strategy.exactness() {
                Exactness::Exact => ", one for each orbit",
                Exactness::Redundant => ", at least one for each orbit",
                Exactness::Approximate => ", at most one for each orbit",
            },
            Strategy::Cells | Strategy::Virtual | Strategy::Guarded => ", one for each orbit",
            Strategy::Adaptive => ", each for all permutations within a partition",
            Strategy::Explained(mode) => match mode {
                Mode::None => "",
                Mode::Rotations => ", one for each orbit",
                Mode::Plain | Mode::One | Mode::All => ", with what explains them for others",
            },
        };
        let mut lines = vec![
            row("checked", &self.checked()),
            row("search", &self.search()),
            row("states", &format!("{}{per_orbit} ({} per second)", count(counts.states), count(rate as u64))),
            row("rules fired", &count(counts.rules_fired)),
            row("depth", &count(counts.depth)),
            row("audited", &self.audited()),
            row("time", &format!("{} and {} to set up", seconds(self.outcome.elapsed), seconds(self.setup))),
            row("memory", &format!("{} at most{for_states}", bytes(self.outcome.peak_bytes))),
        ];
        if let Some(reasoning) = &self.outcome.report.reasoning {
            lines.insert(3, row("visited", &reasoning::counts(reasoning)));
        }
        if let Some(orbits) = self.orbits() {
            lines.push(row("orbits", &orbits));
        }
        if let Some(covers) = self.covers() {
            lines.push(row("covers", &covers));
        }
        lines
    }

    /// How many states were looked at twice.
    fn audited(&self) -> String {
        match (self.plan.task().audit, self.outcome.report.audit.states) {
            (AuditMode::Off, _) => "no states".to_owned(),
            (_, n_states) => format!("{}, no difference", counted(n_states, "state", "states")),
        }
    }

    fn checked(&self) -> String {
        let task = self.plan.task();
        let number = |kind| task.properties(kind).len() as u64;
        let n_covers = number(PropertyKind::Cover) + number(PropertyKind::CoverPoint);
        let mut kinds = vec![
            (number(PropertyKind::Invariant), "invariant", "invariants"),
            (number(PropertyKind::Liveness), "liveness property", "liveness properties"),
            (number(PropertyKind::Linear), "LTL property", "LTL properties"),
            (number(PropertyKind::Branching), "CTL property", "CTL properties"),
            (number(PropertyKind::Never), "never claim", "never claims"),
            (number(PropertyKind::Acceptance), "claim of `accept` labels", "claims of `accept` labels"),
            (number(PropertyKind::NonProgress), "claim of `progress` labels", "claims of `progress` labels"),
            (n_covers, "cover", "covers"),
            (number(PropertyKind::Assumption), "assumption", "assumptions"),
        ];
        kinds.retain(|(number, ..)| *number > 0);
        let mut parts: Vec<String> =
            kinds.into_iter().map(|(number, singular, plural)| counted(number, singular, plural)).collect();
        if task.only.is_none() || task.checks_deadlocks() {
            parts.push(deadlock_words(task.deadlock).to_owned());
        }
        parts.push("faults and assertions".to_owned());
        parts.join(", ")
    }

    fn search(&self) -> String {
        let Approach { engine, strategy, group_order, partial_order } = self.way();
        let order = match (self.plan.task().order, strategy) {
            (SearchOrder::DepthFirst, _) | (_, Strategy::Explained(_)) => "depth first",
            (SearchOrder::BreadthFirst, _) => "breadth first",
        };
        let symmetry = match strategy {
            Strategy::Off => "no symmetry reduction".to_owned(),
            Strategy::Cells | Strategy::Adaptive | Strategy::Virtual | Strategy::Guarded => {
                format!("symmetry {}", strategy.name())
            }
            Strategy::Explained(mode) => format!("mode {}", mode.name()),
            Strategy::Reduce(strategy) => {
                format!("symmetry {} (group of order {})", strategy.name(), large(group_order))
            }
        };
        let given_up = match &self.outcome.declined {
            Some(why) => {
                let detail = match why {
                    Reason::NotVirtual(witness) => {
                        let task = self.plan.task();
                        format!(": {}", contrast(witness, (task.model, task.layout)))
                    }
                    _ => String::new(),
                };
                format!("; symmetry {} was given up: {}{detail}", self.plan.planned().strategy.name(), why.words())
            }
            None => String::new(),
        };
        let put_off = if *partial_order { ", partial-order reduction" } else { "" };
        format!("{engine} engine, {order}, {symmetry}{put_off}{given_up}")
    }

    /// How the answer was found.
    fn way(&self) -> &Approach {
        self.plan.taken(self.outcome)
    }

    /// What the stored states stand for, if that was counted.
    fn orbits(&self) -> Option<String> {
        let census = self.outcome.report.census.as_ref()?;
        let (least, most) = (census.sizes.keys().next()?, census.sizes.keys().next_back()?);
        let all = if self.way().strategy.is_exact() {
            format!(", {} with all images", census.n_states())
        } else {
            String::new()
        };
        Some(format!("of {least} to {most} states{all}"))
    }

    /// Only a complete search without a miss knows about all covers.
    fn covers(&self) -> Option<String> {
        let task = self.plan.task();
        let n_covers = task.properties(PropertyKind::Cover).len() + task.properties(PropertyKind::CoverPoint).len();
        match self.outcome.report.verdict {
            Verdict::Holds(_) if n_covers > 0 => Some(format!("{n_covers} of {n_covers} reached")),
            _ => None,
        }
    }

    /// What was never executed, if the search was complete and there is any: statements where the language has them,
    /// rules otherwise.
    pub fn idle(&self, all: bool) -> Vec<String> {
        if !matches!(self.outcome.report.verdict, Verdict::Holds(_)) {
            return Vec::new();
        }
        if self.statements.is_empty() { self.idle_rules(all).into_iter().collect() } else { self.unreached(all) }
    }

    /// The statements that no process executes, a line for each process type.
    fn unreached(&self, all: bool) -> Vec<String> {
        let fired = &self.outcome.report.fired;
        // Not every engine counts.
        if fired.is_empty() {
            return Vec::new();
        }
        let is_idle = |it: &&Statement| it.rules.iter().all(|rule| fired[rule.index()] == 0);
        let mut units: Vec<(&str, Vec<String>)> = Vec::new();
        for statement in self.statements.iter().filter(is_idle) {
            let line = self.sources.position(statement.span).map(|at| format!("line {}: ", at.line));
            let text = format!("{}{}", line.unwrap_or_default(), statement.text);
            match units.last_mut() {
                Some((unit, texts)) if *unit == statement.unit => texts.push(text),
                _ => units.push((&statement.unit, vec![text])),
            }
        }
        let line = |(unit, texts): (&str, Vec<String>)| {
            let shown = if all { texts.len() } else { texts.len().min(NAMED_RULES) };
            let rest = match texts.len() - shown {
                0 => String::new(),
                rest => format!(" and {rest} more (`-v` names them)"),
            };
            row("unreached", &format!("in {unit}: {}{rest}", texts[..shown].join(", ")))
        };
        units.into_iter().map(line).collect()
    }

    fn idle_rules(&self, all: bool) -> Option<String> {
        let idle: Vec<String> =
            self.fired().filter(|(_, times)| *times == 0).map(|(rule, _)| self.rule(rule)).collect();
        let shown = if all { idle.len() } else { idle.len().min(NAMED_RULES) };
        let rest = match idle.len() - shown {
            0 => String::new(),
            rest => format!(" and {rest} more (`-v` names them)"),
        };
        (!idle.is_empty()).then(|| row("never fired", &format!("{}{rest}", idle[..shown].join(", "))))
    }

    /// How often each rule fired.
    pub fn firings(&self) -> Vec<String> {
        let widest = self.fired().map(|(_, times)| count(times).len()).max().unwrap_or(0);
        self.fired().map(|(rule, times)| format!("  {:>widest$} × {}", count(times), self.rule(rule))).collect()
    }

    fn fired(&self) -> impl Iterator<Item = (RuleId, u64)> {
        (0..).map(RuleId).zip(self.outcome.report.fired.iter().copied())
    }

    fn rule(&self, rule: RuleId) -> String {
        let rule = self.plan.task().model.rule(rule);
        let line = self.sources.position(rule.span).map(|at| format!(" (line {})", at.line)).unwrap_or_default();
        format!("rule \"{}\"{line}", rule.name)
    }
}

/// What holding means for one property: `invariant "mutex" holds in every reachable state`.
fn holds_how(task: &Task<'_>, id: PropertyId) -> String {
    let property = task.model.property(id);
    let how = match property.kind {
        PropertyKind::Cover | PropertyKind::CoverPoint => "is reached",
        PropertyKind::Linear => "holds for every execution that counts",
        PropertyKind::Never | PropertyKind::Acceptance | PropertyKind::NonProgress => {
            "accepts no execution that counts"
        }
        PropertyKind::Branching => "holds in every start state",
        PropertyKind::Invariant | PropertyKind::Liveness => "holds in every reachable state",
        PropertyKind::Assumption | PropertyKind::Passing | PropertyKind::Ending | PropertyKind::Proposition => {
            "is taken for granted"
        }
    };
    format!("{} \"{}\" {how}", kind_word(property.kind), property.name)
}

fn row(label: &str, text: &str) -> String {
    format!("  {label:<12} {text}")
}

/// How large a state is.
pub fn state_size(task: &Task<'_>) -> String {
    let scalars = counted(task.layout.slots().len() as u64, "scalar", "scalars");
    let bits = counted(task.layout.n_bits().into(), "bit", "bits");
    format!("{scalars}, {bits} packed into {} bytes", task.layout.n_words() * 8)
}
