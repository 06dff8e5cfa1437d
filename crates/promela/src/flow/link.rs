//! Where control goes after each element: the rows of the table before choices are flattened.

use std::collections::BTreeMap;

use super::elements::{Builder, El, Kind, SeqId};

/// Longest chain of jumps without a step.
const MAX_JUMPS: u32 = 500;

/// What is known of one element.
#[derive(Debug, Clone)]
pub(super) enum Row {
    /// One step.
    Step(RowStep),
    /// A choice between the steps at these elements.
    Choice(Vec<El>),
}

#[derive(Debug, Clone)]
pub(super) struct RowStep {
    /// The element whose step it is.
    pub(super) el: El,
    pub(super) to: Option<El>,
    pub(super) atomic: bool,
    /// First elements of the escapes that come before it, outermost first.
    pub(super) escapes: Vec<El>,
}

/// The rows of all elements that control can stand at.
pub(super) fn rows(layout: &mut Builder) -> BTreeMap<El, Row> {
    let mut linker = Linker { layout, rows: BTreeMap::new() };
    linker.sequence(linker.layout.body);
    linker.rows
}

struct Linker<'a> {
    layout: &'a mut Builder,
    rows: BTreeMap<El, Row>,
}

impl Linker<'_> {
    fn sequence(&mut self, seq: SeqId) {
        let mut at = self.layout.seq(seq).first;
        while let Some(el) = at {
            if !self.layout.el(el).done {
                self.layout.el_mut(el).done = true;
                self.element(el);
            }
            if Some(el) == self.layout.seq(seq).last {
                return;
            }
            at = self.layout.el(el).next;
        }
    }

    fn element(&mut self, el: El) {
        match self.layout.el(el).kind.clone() {
            Kind::Unless => {
                let main = self.layout.el(el).subs[0];
                self.sequence(main);
            }
            Kind::If | Kind::Do => {
                let subs = self.layout.el(el).subs.clone();
                let firsts = subs.iter().filter_map(|&sub| self.layout.seq(sub).first);
                let choice = firsts.map(|first| self.layout.hunt_start(first)).collect();
                self.rows.insert(el, Row::Choice(choice));
                for sub in subs {
                    self.sequence(sub);
                }
            }
            Kind::Atomic(inner) | Kind::Block(inner) => self.block(el, inner),
            Kind::DStep(inner) => self.d_step(el, inner),
            _ => self.step(el),
        }
    }

    fn enter(&mut self, el: El, inner: SeqId) -> Option<El> {
        self.layout.patch_jumps(inner);
        let first = self.layout.seq(inner).first?;
        let first = self.layout.hunt_start(first);
        let next = self.layout.el(el).next;
        if let Some(last) = self.layout.seq(inner).last {
            self.layout.el_mut(last).next = next;
        }
        Some(first)
    }

    fn block(&mut self, el: El, inner: SeqId) {
        if let Some(first) = self.enter(el, inner) {
            self.rows.insert(el, Row::Choice(vec![first]));
            self.sequence(inner);
        }
    }

    fn d_step(&mut self, el: El, inner: SeqId) {
        self.enter(el, inner);
        let to = self.layout.el(el).next.map(|next| self.layout.hunt(next, self.layout.el(el).atomic));
        self.insert_step(el, to);
    }

    fn step(&mut self, el: El) {
        let element = self.layout.el(el);
        let atomic = element.atomic;
        let to = match element.kind {
            Kind::Goto(jump) => Some(self.layout.jump_target(jump)),
            _ => element.next,
        };
        let to = to.map(|to| self.layout.hunt(to, atomic));
        self.insert_step(el, to);
    }

    fn insert_step(&mut self, el: El, to: Option<El>) {
        let element = self.layout.el(el);
        let atomic = element.atomic;
        let escapes = if matches!(element.kind, Kind::Join) { Vec::new() } else { element.escapes.clone() };
        let firsts: Vec<El> = escapes.iter().filter_map(|&escape| self.layout.seq(escape).first).collect();
        let firsts = firsts.into_iter().map(|first| self.layout.hunt(first, atomic)).collect();
        self.rows.insert(el, Row::Step(RowStep { el, to, atomic, escapes: firsts }));
        for escape in escapes {
            self.sequence(escape);
        }
    }
}

impl Builder {
    /// Where control really arrives: jumps and joins cost nothing. From inside an `atomic` they stop where they leave it,
    /// since the last step of an `atomic` is a step of its own.
    pub(super) fn hunt(&mut self, from: El, atomic: bool) -> El {
        let mut at = from;
        for _ in 0..MAX_JUMPS {
            let next = match self.el(at).kind {
                Kind::Goto(jump) => self.jump_target(jump),
                Kind::Join | Kind::LoopExit => match self.el(at).next {
                    Some(next) => next,
                    None => return at,
                },
                Kind::Unless => {
                    let main = self.el(at).subs[0];
                    let Some(first) = self.seq(main).first else { return at };
                    self.hunt(first, atomic)
                }
                _ => return at,
            };
            if next == at || (atomic && !self.el(next).atomic) {
                break;
            }
            at = next;
        }
        if let Kind::Goto(jump) = self.el(at).kind
            && (self.jump_target(jump) == at || !atomic)
        {
            let span = self.el(at).span;
            if !self.jump_cycles.contains(&span) {
                self.jump_cycles.push(span);
            }
        }
        at
    }

    /// The first step of an option or block.
    pub(super) fn hunt_start(&self, from: El) -> El {
        let mut at = from;
        for _ in 0..MAX_JUMPS {
            at = match (&self.el(at).kind, self.el(at).next) {
                (Kind::Join, Some(next)) => next,
                (Kind::Unless, _) => match self.seq(self.el(at).subs[0]).first {
                    Some(first) => first,
                    None => return at,
                },
                _ => return at,
            };
        }
        at
    }

    /// Jumps that leave an `atomic` end it; jumps into one continue it.
    fn patch_jumps(&mut self, seq: SeqId) {
        let mut at = self.seq(seq).first;
        while let Some(el) = at {
            if let Kind::Goto(jump) = self.el(el).kind {
                let target = self.el(self.jump_target(jump));
                let into = target.atomic || target.atomic_last;
                let element = self.el_mut(el);
                if (element.atomic || element.atomic_last) && !into {
                    element.atomic = false;
                    element.atomic_last = true;
                }
                if element.atomic_last && into {
                    element.atomic_last = false;
                    element.atomic = true;
                }
            } else {
                for sub in self.el(el).subs.clone() {
                    self.patch_jumps(sub);
                }
            }
            if Some(el) == self.seq(seq).extent {
                return;
            }
            at = self.el(el).next;
        }
    }
}
