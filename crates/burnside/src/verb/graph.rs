//! `burnside graph`: states and steps for drawing programs.

use std::fmt::Write as _;

use burnside_diag::Diagnostic;
use burnside_driver::{Edge, Graph, GraphKind, graph};
use burnside_engine::{Question, Task};
use serde_json::{Value, json};

use crate::args::{ColorWhen, GraphArgs, GraphFormat};
use crate::exit::Exit;
use crate::input::read_model;
use crate::output::{self, is_stdout, write_text};
use crate::terminal::Terminal;
use burnside_view::itf;
use burnside_view::layout;
use burnside_view::quantity::counted;
use burnside_view::tell::{Instance, describe, invalid_line, name, variables};

const SCHEMA: &str = "burnside.graph/1";

pub(crate) fn run(args: &GraphArgs, color: ColorWhen) -> Exit {
    if let Err(exit) = output::admit(&[("--output", Some(args.output.as_path()))], &args.model.inputs()) {
        return exit;
    }
    let mut terminal = if is_stdout(&args.output) { Terminal::beside_report(color) } else { Terminal::new(color) };
    let mut input = read_model(&args.model);
    terminal.complain_all(input.loaded.diagnostics.iter(), &input.loaded.sources);
    let Some(prepared) = input.loaded.prepared.take() else {
        let n_errors = input.loaded.diagnostics.iter().filter(|it| Diagnostic::is_error(it)).count();
        terminal.say(&invalid_line(&input.name, n_errors, terminal.palette()));
        return Exit::Invalid;
    };
    let task = Task::of(Question {
        deadlock: args.model.deadlock_in(input.language).into(),
        step_limits: args.model.step_limits(input.language),
        ..Question::new(&prepared.model, &prepared.layout)
    });
    let kind = if args.quotient { GraphKind::Quotient } else { GraphKind::Full };
    let found = graph(&task, kind, args.states);
    let drawing = Drawing { task: &task, graph: &found };
    let text = match args.format {
        GraphFormat::Dot => drawing.dot(&input.name),
        GraphFormat::Mermaid => drawing.mermaid(),
        GraphFormat::Json => layout::lines(&drawing.json(&input.name, kind)),
    };
    if let Err(problem) = write_text(&args.output, &text) {
        Terminal::alarm(&problem);
        return Exit::Failed;
    }
    let states = counted(found.states.len() as u64, "state", "states");
    let steps = counted(found.edges.len() as u64, "step", "steps");
    if found.is_cut {
        Terminal::alarm(&format!("the graph is not complete: there are more than {states}; `--states` allows more"));
        return Exit::Inconclusive;
    }
    if !is_stdout(&args.output) {
        terminal.say(&format!("{states} and {steps} in {}", args.output.display()));
    }
    Exit::Holds
}

/// A graph and the words for it.
struct Drawing<'a> {
    task: &'a Task<'a>,
    graph: &'a Graph,
}

impl Drawing<'_> {
    fn lines(&self, state: &[u64]) -> Vec<String> {
        let mut values = vec![0; self.task.layout.slots().len()];
        self.task.layout.unpack(state, &mut values);
        describe(&variables(self.task.model, self.task.layout, &values))
    }

    fn label(&self, edge: &Edge) -> String {
        let instance = Instance::rule(self.task.model, edge.rule, &edge.args);
        let values: Vec<String> = instance.parameters().map(|(_, value)| value.to_string()).collect();
        let name = if instance.name.is_empty() { "rule" } else { instance.name };
        if values.is_empty() { name.to_owned() } else { format!("{name} ({})", values.join(", ")) }
    }

    /// What is wrong in a state, by its number.
    fn breach(&self, number: usize) -> Option<String> {
        let (_, breach) = self.graph.breaches.iter().find(|(at, _)| *at == number)?;
        let named = name(self.task, breach);
        Some(if named.kind == named.name { named.name } else { format!("{} \"{}\"", named.kind, named.name) })
    }

    fn dot(&self, model: &str) -> String {
        let mut out = format!("digraph {} {{\n  node [shape=box, fontname=monospace];\n", quoted(model));
        for (number, state) in self.graph.states.iter().enumerate() {
            let mut lines = self.lines(state);
            lines.extend(self.breach(number).map(|breach| format!("! {breach}")));
            let label = lines.iter().map(|line| escaped(line) + "\\l").collect::<String>();
            let style = match (self.graph.starts.contains(&number), self.breach(number).is_some()) {
                (_, true) => ", color=red",
                (true, false) => ", penwidth=2",
                (false, false) => "",
            };
            let _ = writeln!(out, "  s{number} [label=\"{label}\"{style}];");
        }
        for edge in &self.graph.edges {
            let _ = writeln!(out, "  s{} -> s{} [label={}];", edge.from, edge.to, quoted(&self.label(edge)));
        }
        out + "}\n"
    }

    fn mermaid(&self) -> String {
        let text = |text: &str| text.replace('"', "#quot;").replace('<', "#lt;").replace('>', "#gt;");
        let mut out = String::from("stateDiagram-v2\n");
        for (number, state) in self.graph.states.iter().enumerate() {
            let mut lines = self.lines(state);
            lines.extend(self.breach(number).map(|breach| format!("! {breach}")));
            let _ = writeln!(out, "  state \"{}\" as s{number}", text(&lines.join(", ")));
        }
        for start in &self.graph.starts {
            let _ = writeln!(out, "  [*] --> s{start}");
        }
        for edge in &self.graph.edges {
            let _ = writeln!(
                out,
                "  s{} --> s{} : {}",
                edge.from,
                edge.to,
                text(&self.label(edge)).replace(':', "#colon;")
            );
        }
        out
    }

    fn json(&self, model: &str, kind: GraphKind) -> Value {
        let states = self.graph.states.iter().enumerate().map(|(number, state)| {
            json!({
                "number": number,
                "start": self.graph.starts.contains(&number),
                "breach": self.breach(number),
                "state": itf::state(self.task, state),
            })
        });
        let edges = self.graph.edges.iter().map(|edge| {
            let instance = Instance::rule(self.task.model, edge.rule, &edge.args);
            let parameters = instance.parameters().map(|(name, value)| (name.to_owned(), value.to_string().into()));
            let parameters: serde_json::Map<String, Value> = parameters.collect();
            json!({ "from": edge.from, "to": edge.to, "rule": instance.name, "parameters": parameters })
        });
        json!({
            "schema": SCHEMA,
            "model": model,
            "kind": if kind == GraphKind::Full { "full" } else { "quotient" },
            "complete": !self.graph.is_cut,
            "states": states.collect::<Vec<_>>(),
            "steps": edges.collect::<Vec<_>>(),
        })
    }
}

/// A text in a string of DOT.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", escaped(text))
}
