//! A `d_step` as a deterministic program: of a selection, the first option that can begin is taken.

use std::collections::HashMap;

use super::elements::{Builder, El, Kind, SeqId};
use super::{ActionId, Blocked, DStep, DetNode, DetTarget, Guard};
use crate::typed::Basic;

/// Longest chain of jumps without a statement.
const MAX_JUMPS: u32 = 500;

impl Builder {
    /// The program of a `d_step`.
    pub(super) fn deterministic(&self, seq: SeqId) -> DStep {
        let mut compiler = Compiler { layout: self, indices: HashMap::new(), pending: Vec::new(), nodes: Vec::new() };
        let first = self.seq(seq).first;
        let start = match first {
            Some(first) => compiler.target(Some(first), Blocked::Statement),
            None => DetTarget::Exit,
        };
        compiler.finish();
        DStep { guards: first.map(|first| self.head_guards(first)).unwrap_or_default(), nodes: compiler.nodes, start }
    }

    /// What must be possible for the whole to begin.
    fn head_guards(&self, first: El) -> Vec<Guard> {
        match &self.el(first).kind {
            Kind::If => self.selection_guards(first),
            Kind::Join => match self.el(first).next {
                Some(next) if matches!(self.el(next).kind, Kind::Do) => self.selection_guards(next),
                _ => Vec::new(),
            },
            Kind::Block(inner) => self.seq(*inner).first.map(|inner| self.head_guards(inner)).unwrap_or_default(),
            Kind::Else => vec![Guard::OuterElse],
            kind if is_guard(kind) => vec![Guard::Statement(ActionId(first.0))],
            _ => Vec::new(),
        }
    }

    /// Guards of the options. Options that begin with anything but a condition or a message do not count, so a selection
    /// with some of each kind can begin only if a guard holds.
    fn selection_guards(&self, selection: El) -> Vec<Guard> {
        let mut guards = Vec::new();
        for &option in &self.el(selection).subs {
            let Some(first) = self.seq(option).first else { continue };
            let first = self.hunt_start(first);
            match &self.el(first).kind {
                Kind::If => guards.extend(self.selection_guards(first)),
                Kind::Block(inner) => {
                    if let Some(inner) = self.seq(*inner).first {
                        guards.extend(self.selection_guards(inner));
                    }
                }
                Kind::Else => guards.push(Guard::Always),
                kind if is_guard(kind) => guards.push(Guard::Statement(ActionId(first.0))),
                _ => {}
            }
        }
        guards
    }
}

fn is_guard(kind: &Kind) -> bool {
    matches!(kind, Kind::Basic(Basic::Condition(_) | Basic::Send { .. } | Basic::Receive { .. }))
}

struct Compiler<'a> {
    layout: &'a Builder,
    indices: HashMap<El, u32>,
    /// Statements whose successor is not known yet.
    pending: Vec<El>,
    nodes: Vec<DetNode>,
}

impl Compiler<'_> {
    /// The statement at which control arrives, made if it is new. `blocked` is what its blocking means.
    fn target(&mut self, from: Option<El>, blocked: Blocked) -> DetTarget {
        let Some(mut at) = from else { return DetTarget::Exit };
        let mut blocked = blocked;
        for _ in 0..MAX_JUMPS {
            let element = self.layout.el(at);
            if !element.in_d_step {
                return DetTarget::Exit;
            }
            let next = match &element.kind {
                Kind::Goto(jump) => {
                    blocked = Blocked::Statement;
                    Some(self.layout.jump_target(*jump))
                }
                Kind::Join | Kind::LoopExit => element.next,
                Kind::Block(inner) | Kind::Atomic(inner) | Kind::DStep(inner) => {
                    blocked = Blocked::Statement;
                    self.layout.seq(*inner).first
                }
                Kind::If | Kind::Do => return self.selection(at),
                Kind::Unless => self.layout.seq(element.subs[0]).first,
                Kind::Basic(_) | Kind::Else | Kind::End => return DetTarget::Node(self.statement(at, blocked)),
            };
            match next {
                Some(next) => at = next,
                None => return DetTarget::Exit,
            }
        }
        DetTarget::Exit
    }

    fn statement(&mut self, el: El, blocked: Blocked) -> u32 {
        if let Some(&index) = self.indices.get(&el) {
            return index;
        }
        let index = self.nodes.len() as u32;
        self.indices.insert(el, index);
        self.nodes.push(DetNode { action: ActionId(el.0), next: DetTarget::Exit, blocked });
        self.pending.push(el);
        index
    }

    /// Links every statement to its successor, which may make more of them.
    fn finish(&mut self) {
        while let Some(el) = self.pending.pop() {
            let next = self.target(self.layout.el(el).next, Blocked::Statement);
            self.nodes[self.indices[&el] as usize].next = next;
        }
    }

    /// The first option; each hands on to the one behind it, which is therefore made before.
    fn selection(&mut self, el: El) -> DetTarget {
        let mut blocked = Blocked::Selection;
        let mut entry = DetTarget::Exit;
        for option in self.layout.el(el).subs.clone().into_iter().rev() {
            let Some(first) = self.layout.seq(option).first else { continue };
            entry = self.option(first, blocked);
            blocked = Blocked::Try(entry);
        }
        entry
    }

    fn option(&mut self, first: El, blocked: Blocked) -> DetTarget {
        // The statement may have been made already, as the target of a jump: the option it opens still decides.
        let entry = self.target(Some(first), blocked);
        if let (DetTarget::Node(index), Kind::Basic(_)) = (entry, &self.layout.el(first).kind) {
            self.nodes[index as usize].blocked = blocked;
        }
        entry
    }
}

#[cfg(test)]
mod tests {
    use crate::flow::{Action, Blocked, DetTarget, Guard};

    fn d_step(body: &str) -> crate::flow::DStep {
        let text = format!("byte x, y; active proctype A() {{ d_step {{ {body} }} }}");
        let loaded =
            crate::load(burnside_diag::FileId(0), &text, &crate::Options::default(), &mut |_| Err(String::new()));
        let model = loaded.model.unwrap_or_else(|| panic!("{:?}", loaded.diagnostics));
        let steps = &model.flow.procs[0].actions;
        let found = steps.iter().find_map(|step| match &step.action {
            Action::DStep(d_step) => Some(d_step.clone()),
            _ => None,
        });
        found.expect("the body is a d_step")
    }

    #[test]
    fn options_are_tried_in_order() {
        let d_step = d_step("if :: x == 1 -> y = 1 :: x == 2 -> y = 2 fi; x = 0");
        assert_eq!(d_step.guards.len(), 2);
        let DetTarget::Node(first) = d_step.start else { panic!("a statement comes first") };
        let Blocked::Try(DetTarget::Node(second)) = d_step.nodes[first as usize].blocked else {
            panic!("a second option")
        };
        assert_eq!(d_step.nodes[second as usize].blocked, Blocked::Selection);
    }

    #[test]
    fn loops_come_back_and_leave() {
        let d_step = d_step("do :: x < 3 -> x++ :: else -> break od; y = x");
        assert_eq!(d_step.guards, [d_step.guards[0], Guard::Always]);
        assert_eq!(d_step.nodes.len(), 4);
        assert_eq!(d_step.nodes.iter().filter(|node| node.next == DetTarget::Exit).count(), 1);
    }
}
