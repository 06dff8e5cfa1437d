//! Temporal properties in words: what a counterexample shows, and what else is worth knowing.

use std::collections::BTreeSet;

use burnside_diag::{Code, Diagnostic};
use burnside_engine::{Answer, Asked, ClaimNote, FairUnit, Strength, Task, Trace, UnitKey, Units};
use burnside_ir::{PropertyId, PropertyKind};

use crate::quantity::counted;

/// What a claim about executions is called in reports.
pub fn kind_name(kind: PropertyKind) -> &'static str {
    match kind {
        PropertyKind::Linear => "ltl",
        PropertyKind::Never => "never",
        PropertyKind::Acceptance => "acceptance",
        PropertyKind::NonProgress => "nonprogress",
        _ => "ctl",
    }
}

/// Whether a report's word is one for claims about executions.
pub fn is_kind_name(word: &str) -> bool {
    matches!(word, "ltl" | "ctl" | "never" | "acceptance" | "nonprogress")
}

/// Why an execution violates a claim about executions.
pub(crate) fn explain(task: &Task<'_>, property: PropertyId, args: &[(u32, i64)], trace: Option<&Trace>) -> Diagnostic {
    let definition = task.model.property(property);
    let name = &definition.name;
    let (code, subject) = match definition.kind {
        PropertyKind::Never => (Code("never-accepted"), format!("what \"{name}\" rules out can happen")),
        PropertyKind::Acceptance => {
            (Code("acceptance-cycle"), "an `accept` label is passed again and again".to_owned())
        }
        PropertyKind::NonProgress => (Code("non-progress-cycle"), "no `progress` label is passed any more".to_owned()),
        PropertyKind::Linear => {
            (Code("ltl-violated"), format!("\"{name}\" does not hold{}", values(task, property, args)))
        }
        _ => (Code("ctl-violated"), format!("\"{name}\" does not hold{}", values(task, property, args))),
    };
    let steps = |n: usize| counted(n as u64, "step", "steps");
    let error = |message: String| Diagnostic::error(code, message, definition.span);
    let Some(trace) = trace else { return error(subject) };
    let n_steps = trace.steps.len();
    match trace.loop_start {
        Some(start) if start < n_steps => {
            let message =
                format!("{subject}: an execution of {} leads into a loop of {}", steps(start), steps(n_steps - start));
            match fair_words(task, trace, start) {
                Some(words) => error(message).label(words),
                None => error(message),
            }
        }
        Some(_) => {
            let staying = match definition.kind {
                PropertyKind::Linear | PropertyKind::Branching => ", and staying there does not satisfy it",
                _ => "",
            };
            let message = format!("{subject}: after {} the execution ends{staying}", steps(n_steps));
            error(message).label("no rule is enabled in the last state")
        }
        None if n_steps > 0 => error(format!("{subject}: it is violated after {}, whatever follows", steps(n_steps))),
        None => error(format!("{subject} in this start state")),
    }
}

/// ` for p = 1, q = 2`, or nothing.
fn values(task: &Task<'_>, property: PropertyId, args: &[(u32, i64)]) -> String {
    let Some(claim) = task.model.claim(property) else { return String::new() };
    let named = args.iter().map(|&(variable, value)| {
        let variable = &claim.variables[variable as usize];
        format!("{} = {}", variable.name, task.model.types.value_name(variable.ty, value))
    });
    let named: Vec<String> = named.collect();
    if named.is_empty() { String::new() } else { format!(" for {}", named.join(", ")) }
}

/// Why a loop is fair, if executions must be.
fn fair_words(task: &Task<'_>, trace: &Trace, start: usize) -> Option<String> {
    let strength = task.fairness.strength?;
    let units = Units::new(task.model, task.fairness.unit);
    let taken: BTreeSet<UnitKey> =
        trace.steps[start..].iter().flat_map(|step| units.of(task.model, step.rule, &step.args)).collect();
    let names: Vec<String> = taken.iter().map(|unit| unit_name(task, unit)).collect();
    let others = match strength {
        Strength::Weak => "no other is enabled all the time",
        Strength::Strong => "no other is ever enabled",
    };
    let verb = if names.len() == 1 { "takes" } else { "take" };
    Some(format!("the loop is fair: {} {verb} steps, {others}", names.join(", ")))
}

fn unit_name(task: &Task<'_>, unit: &UnitKey) -> String {
    match unit {
        UnitKey::Owner(global, member) => {
            let name = &task.model.global(*global).name;
            let member = member.map(|(ty, value)| format!(" {}", task.model.types.value_name(ty, value)));
            format!("{name}{}", member.unwrap_or_default())
        }
        UnitKey::Process(ty, value) => {
            let (name, value) = (task.model.types.type_name(*ty), task.model.types.value_name(*ty, *value));
            // Members of scalarsets have the type in their names.
            if value.starts_with(&name) { value } else { format!("{name} {value}") }
        }
        UnitKey::Rule(rule) => format!("rule \"{}\"", task.model.rule(*rule).name),
        UnitKey::Instance(rule, args) => {
            let units = Units::new(task.model, FairUnit::Instance);
            let values = units.types(*rule).zip(args).map(|(ty, &value)| task.model.types.value_name(ty, value));
            let values: Vec<String> = values.collect();
            format!("rule \"{}\" ({})", task.model.rule(*rule).name, values.join(", "))
        }
    }
}

/// What is worth knowing about an answer; what it took only if everything is.
pub fn notes(task: &Task<'_>, answer: &Answer, verbose: bool) -> Vec<Diagnostic> {
    let Asked::Property(property) = answer.asked else { return Vec::new() };
    let (name, span) = (&task.model.property(property).name, task.model.property(property).span);
    let note = |note: &ClaimNote| match note {
        ClaimNote::Vacuous(condition) => {
            let message = format!("the left side of `->` is never true, so \"{name}\" says little");
            Diagnostic::warning(Code("vacuous"), message, task.model.property(*condition).span)
                .label("false in every reachable state")
        }
        ClaimNote::HoldsIfFair(strength) => {
            let word = match strength {
                Strength::Weak => "weak",
                Strength::Strong => "strong",
            };
            let message = format!("somebody is passed over for ever: under {word} fairness \"{name}\" holds");
            Diagnostic::note(Code("unfair-execution"), message, span)
                .help(format!("`--fairness {word}` leaves such executions out"))
        }
        ClaimNote::ExecutionsCut => {
            let message = format!("assumptions cut off executions, and \"{name}\" says nothing about those");
            Diagnostic::note(Code("executions-cut"), message, span)
        }
        ClaimNote::SearchCut => {
            let message = format!("\"{name}\" is violated among the first states, and nothing is said of the others");
            Diagnostic::note(Code("search-cut"), message, span)
        }
        ClaimNote::Undecided(why) => {
            Diagnostic::note(Code("undecided"), format!("\"{name}\" was not decided: {why}"), span)
        }
        ClaimNote::Explored(nodes) => {
            let nodes = counted(*nodes, "node", "nodes");
            Diagnostic::note(Code("product"), format!("the product for \"{name}\" has {nodes}"), span)
        }
    };
    let is_told = |note: &&ClaimNote| verbose || !matches!(note, ClaimNote::Explored(_));
    answer.notes.iter().filter(is_told).map(note).collect()
}
