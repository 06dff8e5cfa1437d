//! The final table: choices flattened into the steps they choose from, escapes in front.

use std::collections::BTreeMap;

use super::elements::{Builder, El, Element, Kind};
use super::link::{Row, RowStep};
use super::{Action, ActionId, Automaton, Location, Move, Node, Step};
use crate::typed::Label;

/// A step with the escape it belongs to.
#[derive(Debug, Clone)]
struct Entry {
    step: RowStep,
    escape: Option<El>,
}

/// Turns the rows of a body into its automaton.
pub(super) fn automaton(layout: &mut Builder, rows: BTreeMap<El, Row>, labels: &[Label]) -> Automaton {
    let end = layout.seq(layout.body).last.unwrap_or(El(0));
    let mut marks = Marks::new(layout, labels);
    marks.0[end.0 as usize].end = true;
    let rows = flatten(rows, &mut marks);
    let mut table = pull(&rows, &mut marks);
    add_escapes(&mut table);
    let first = layout.seq(layout.body).first.unwrap_or(El(0));
    let start = location(layout.hunt(first, layout.el(first).atomic));
    let node = |(element, mark): (&Element, &Mark)| Node {
        span: element.span,
        valid_end: mark.end,
        accept: mark.accept,
        progress: mark.progress,
        moves: Vec::new(),
    };
    let mut nodes: Vec<Node> = layout.elements.iter().zip(&marks.0).map(node).collect();
    for (el, entries) in &table {
        nodes[el.0 as usize].moves = entries.iter().map(as_move).collect();
    }
    pass_ends_on(&mut nodes, layout);
    let actions = (0..layout.elements.len()).map(|index| action(layout, El(index as u32))).collect();
    let labels = layout.labels.iter().map(|&el| location(el)).collect();
    Automaton { nodes, actions, start, end: location(end), labels }
}

fn location(el: El) -> Location {
    Location(el.0)
}

fn as_move(entry: &Entry) -> Move {
    Move {
        action: ActionId(entry.step.el.0),
        to: entry.step.to.map(location),
        atomic: entry.step.atomic,
        escape: entry.escape.map(location),
    }
}

/// What labels say of a place.
#[derive(Debug, Clone, Copy, Default)]
struct Mark {
    end: bool,
    accept: bool,
    progress: bool,
}

/// What labels say of every place.
///
/// No process ever stands before the first step of an option or block: it stands before the choice, or behind that step. As in
/// SPIN, what a label there says counts behind the step.
struct Marks(Vec<Mark>);

impl Marks {
    fn new(layout: &Builder, labels: &[Label]) -> Self {
        let mut marks = vec![Mark::default(); layout.elements.len()];
        for (label, &el) in labels.iter().zip(&layout.labels) {
            let mark = &mut marks[el.0 as usize];
            mark.end |= label.name.starts_with("end");
            mark.accept |= label.name.starts_with("accept");
            mark.progress |= label.name.starts_with("progress");
        }
        Self(marks)
    }

    fn pass_on(&mut self, from: El, to: El) {
        let passed = self.0[from.0 as usize];
        let mark = &mut self.0[to.0 as usize];
        mark.end |= passed.end;
        mark.accept |= passed.accept;
        mark.progress |= passed.progress;
    }
}

/// Replaces choices within choices by their options, until none is left.
fn flatten(mut rows: BTreeMap<El, Row>, marks: &mut Marks) -> BTreeMap<El, Row> {
    loop {
        let mut changed = false;
        for el in rows.keys().copied().collect::<Vec<_>>() {
            let Some(Row::Choice(options)) = rows.get(&el) else { continue };
            let mut flat = Vec::new();
            for &option in options {
                match rows.get(&option) {
                    Some(Row::Choice(inner)) if option != el => {
                        inner.iter().for_each(|&to| marks.pass_on(option, to));
                        flat.extend(inner.iter().copied());
                        changed = true;
                    }
                    _ => flat.push(option),
                }
            }
            rows.insert(el, Row::Choice(flat));
        }
        if !changed {
            return rows;
        }
    }
}

/// Gives every choice the steps of its options.
fn pull(rows: &BTreeMap<El, Row>, marks: &mut Marks) -> BTreeMap<El, Vec<Entry>> {
    let step_at = |el: El| match rows.get(&el) {
        Some(Row::Step(step)) => Some(Entry { step: step.clone(), escape: None }),
        _ => None,
    };
    let mut table = BTreeMap::new();
    for (&el, row) in rows {
        let Row::Choice(options) = row else {
            table.insert(el, step_at(el).into_iter().collect());
            continue;
        };
        let pulled: Vec<Entry> = options.iter().filter_map(|&option| step_at(option)).collect();
        for entry in &pulled {
            if let Some(to) = entry.step.to {
                marks.pass_on(entry.step.el, to);
            }
        }
        table.insert(el, pulled);
    }
    table
}

/// Puts the steps of escapes in front of what they escape from, the outermost escape first.
fn add_escapes(table: &mut BTreeMap<El, Vec<Entry>>) {
    for el in table.keys().copied().collect::<Vec<_>>() {
        let own = table[&el].clone();
        let mut all = own.clone();
        for entry in &own {
            for escape in entry.step.escapes.iter().rev() {
                let Some(found) = table.get(escape) else { continue };
                for step in found.clone() {
                    if !all.iter().any(|known| known.step.el == step.step.el) {
                        all.insert(0, Entry { escape: Some(*escape), ..step });
                    }
                }
            }
        }
        table.insert(el, all);
    }
}

/// A join that may be rested at passes this on.
fn pass_ends_on(nodes: &mut [Node], layout: &Builder) {
    for index in 1..nodes.len() {
        if let (true, Kind::Join, [only]) =
            (nodes[index].valid_end, &layout.elements[index].kind, nodes[index].moves.as_slice())
            && let Some(to) = only.to
        {
            nodes[to.index()].valid_end = true;
        }
    }
}

fn action(layout: &Builder, el: El) -> Step {
    let element = layout.el(el);
    let action = match &element.kind {
        Kind::Basic(basic) => Action::Basic(basic.clone()),
        Kind::Else => Action::Else,
        Kind::Goto(_) | Kind::Join | Kind::LoopExit => Action::Jump,
        Kind::DStep(seq) => Action::DStep(layout.deterministic(*seq)),
        Kind::End => Action::Terminate,
        Kind::If | Kind::Do | Kind::Unless | Kind::Atomic(_) | Kind::Block(_) => Action::Structure,
    };
    Step { action, span: element.span }
}
