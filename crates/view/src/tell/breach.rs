//! What is wrong, in words and with its place in the model's text.

use burnside_diag::{Code, Diagnostic, Span};
use burnside_engine::{Breach, DeadlockMode, Task, Trace};
use burnside_interp::{Fault, FaultKind, Site};
use burnside_ir::{PropertyId, PropertyKind};

use crate::tell::instance::Instance;
use crate::tell::temporal;

/// What is violated, as reports name it.
#[derive(Debug, PartialEq, Eq)]
pub struct Named {
    /// `invariant`, `deadlock`, `assertion` and so on.
    pub kind: &'static str,
    /// What the model calls it, or its message.
    pub name: String,
    /// Where it is in the text.
    pub span: Span,
}

/// The name of what is violated.
pub fn name(task: &Task<'_>, breach: &Breach) -> Named {
    let of_property = |kind, property: &PropertyId| {
        let property = task.model.property(*property);
        Named { kind, name: property.name.clone(), span: property.span }
    };
    match breach {
        Breach::Invariant(property, _) => of_property("invariant", property),
        Breach::Liveness(property, _) => of_property("liveness", property),
        Breach::Uncovered(property) => of_property("cover", property),
        Breach::Temporal(property, _) => {
            of_property(temporal::kind_name(task.model.property(*property).kind), property)
        }
        Breach::Deadlock => Named { kind: "deadlock", name: deadlock_name(task).to_owned(), span: Span::NOWHERE },
        Breach::Fault(fault) | Breach::PropertyFault(_, fault) => {
            Named { kind: fault.kind.name(), name: fault.message.clone(), span: fault.span }
        }
    }
}

/// What is violated, why, and where.
pub fn explain(task: &Task<'_>, breach: &Breach, trace: Option<&Trace>) -> Diagnostic {
    match breach {
        Breach::Invariant(property, args) => explain_invariant(task, *property, args),
        Breach::Liveness(property, args) => explain_liveness(task, *property, args),
        Breach::Uncovered(property) => explain_uncovered(task, *property),
        Breach::Temporal(property, args) => temporal::explain(task, *property, args, trace),
        Breach::Deadlock if has_endings(task) => {
            let message = "no process can move, and some process is not where it may end";
            Diagnostic::error(Code("deadlock"), format!("invalid end state: {message}"), Span::NOWHERE)
                .help("put a label that begins with `end` where it may, or use `--deadlock off`")
        }
        Breach::Deadlock => explain_deadlock(task.deadlock),
        Breach::Fault(fault) => explain_fault(fault, trace.map(|trace| site_of_fault(task, trace))),
        Breach::PropertyFault(property, fault) => {
            let instance = Instance::property(task.model, *property, &[]);
            explain_fault(fault, Some(format!("while {} is evaluated in the last state", instance.title())))
        }
    }
}

fn explain_invariant(task: &Task<'_>, property: PropertyId, args: &[i64]) -> Diagnostic {
    let instance = Instance::property(task.model, property, args);
    let message = format!("{} is false in the last state{}", instance.title(), instance.with_parameters());
    let condition = &task.model.property(property).condition;
    Diagnostic::error(Code("invariant-violated"), message, condition.span)
}

fn explain_liveness(task: &Task<'_>, property: PropertyId, args: &[i64]) -> Diagnostic {
    let instance = Instance::property(task.model, property, args);
    let message = format!(
        "from the last state no state can be reached that satisfies {}{}",
        instance.title(),
        instance.with_parameters()
    );
    let condition = &task.model.property(property).condition;
    Diagnostic::error(Code("liveness-violated"), message, condition.span).label("can never become true again")
}

fn explain_uncovered(task: &Task<'_>, property: PropertyId) -> Diagnostic {
    let instance = Instance::property(task.model, property, &[]);
    let definition = task.model.property(property);
    let (message, span) = match definition.kind {
        PropertyKind::CoverPoint => (format!("no step reaches {}", instance.title()), definition.span),
        _ => (format!("no reachable state satisfies {}", instance.title()), definition.condition.span),
    };
    Diagnostic::error(Code("cover-missed"), message, span)
}

/// Whether the model says where its executions may end.
fn has_endings(task: &Task<'_>) -> bool {
    task.model.properties_of(PropertyKind::Ending).next().is_some()
}

fn deadlock_name(task: &Task<'_>) -> &'static str {
    if has_endings(task) { "invalid end state" } else { "deadlock" }
}

fn explain_deadlock(mode: DeadlockMode) -> Diagnostic {
    let (message, help) = match mode {
        DeadlockMode::Stuttering => (
            "no rule leads from the last state to another one",
            "if the model may stop here, use `--deadlock off`; if it may idle here, use `--deadlock stuck`",
        ),
        DeadlockMode::Stuck | DeadlockMode::Off => {
            ("no rule is enabled in the last state", "if the model may stop here, use `--deadlock off`")
        }
    };
    Diagnostic::error(Code("deadlock"), message, Span::NOWHERE).help(help)
}

fn explain_fault(fault: &Fault, site: Option<String>) -> Diagnostic {
    let message = match fault.kind {
        FaultKind::Error => format!("error statement reached: {fault}"),
        FaultKind::Assertion if fault.message != "assertion failed" => format!("assertion failed: {fault}"),
        _ => fault.to_string(),
    };
    let diagnostic = Diagnostic::error(Code(fault.kind.name()), message, fault.span);
    let diagnostic = match site {
        Some(site) => diagnostic.label(site),
        None => diagnostic,
    };
    match fault.kind {
        FaultKind::LoopLimit => diagnostic.help("allow more rounds with `--loop-limit`"),
        _ => diagnostic,
    }
}

fn site_of_fault(task: &Task<'_>, trace: &Trace) -> String {
    match trace.steps.last() {
        None => format!("in {}", Instance::start(task.model, trace.start, &trace.start_args).title()),
        Some(step) => {
            let rule = Instance::rule(task.model, step.rule, &step.args).title();
            match step.end {
                Err(Site::Guard) => format!("in the guard of {rule}"),
                _ => format!("in the action of {rule}"),
            }
        }
    }
}
