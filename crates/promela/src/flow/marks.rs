//! Which elements lie inside an `atomic` or `d_step`, and which escapes concern them.

use super::elements::{Builder, El, Kind, SeqId};

impl Builder {
    /// Marks a sequence as atomic; its last step gives the exclusive right back.
    pub(super) fn make_atomic(&mut self, seq: SeqId, d_step: bool) {
        let (Some(first), Some(last)) = (self.seq(seq).first, self.seq(seq).last) else { return };
        self.mark(first, last, d_step);
        match self.el(last).kind {
            Kind::Block(inner) | Kind::Atomic(inner) => self.make_atomic(inner, d_step),
            Kind::Unless => {
                let main = self.el(last).subs[0];
                self.make_atomic(main, d_step);
            }
            _ => {
                let last = self.el_mut(last);
                last.atomic = false;
                last.atomic_last = true;
            }
        }
    }

    fn mark(&mut self, first: El, last: El, d_step: bool) {
        let mut at = first;
        loop {
            let element = self.el_mut(at);
            element.atomic = true;
            element.in_d_step |= d_step;
            // An atomic inside is nothing of its own any more, and neither is a d_step inside a d_step.
            let inner = match element.kind {
                Kind::Atomic(inner) | Kind::Block(inner) => Some(inner),
                Kind::DStep(inner) if d_step => Some(inner),
                _ => None,
            };
            if let Some(inner) = inner {
                element.kind = Kind::Block(inner);
                self.mark_sequence(inner, d_step);
            }
            for sub in self.el(at).subs.clone() {
                self.mark_sequence(sub, d_step);
            }
            match self.el(at).next {
                Some(next) if at != last => at = next,
                _ => return,
            }
        }
    }

    fn mark_sequence(&mut self, seq: SeqId, d_step: bool) {
        if let (Some(first), Some(last)) = (self.seq(seq).first, self.seq(seq).last) {
            self.mark(first, last, d_step);
        }
    }

    /// Lets every element of `main` be escaped from by `escape`.
    pub(super) fn attach_escape(&mut self, main: SeqId, escape: SeqId) {
        let mut at = self.seq(main).first;
        while let Some(el) = at {
            self.escape_from(el, escape);
            if Some(el) == self.seq(main).extent {
                return;
            }
            at = self.el(el).next;
        }
    }

    fn escape_from(&mut self, el: El, escape: SeqId) {
        let inner = self.el(el).escapes.clone();
        if inner.contains(&escape) {
            return;
        }
        // What has been escaped to can itself be escaped from.
        for inner in inner {
            self.attach_escape(inner, escape);
        }
        self.el_mut(el).escapes.insert(0, escape);
        match self.el(el).kind {
            Kind::Unless => {
                let main = self.el(el).subs[0];
                self.attach_escape(main, escape);
            }
            Kind::If | Kind::Do => {
                for sub in self.el(el).subs.clone() {
                    self.attach_escape(sub, escape);
                }
            }
            Kind::DStep(seq) => {
                if let Some(first) = self.seq(seq).first {
                    self.escape_from(first, escape);
                }
            }
            Kind::Atomic(seq) | Kind::Block(seq) => self.attach_escape(seq, escape),
            _ => {}
        }
    }

    /// Lets the last element of every block go on behind the block.
    pub(super) fn tie_loose_ends(&mut self) {
        for index in (1..self.elements.len()).rev() {
            let el = El(index as u32);
            let (Kind::Atomic(seq) | Kind::Block(seq) | Kind::DStep(seq)) = self.el(el).kind else { continue };
            let Some(mut behind) = self.el(el).next else { continue };
            let Some(last) = self.seq(seq).last else { continue };
            while let (Kind::Join, Some(next)) = (&self.el(behind).kind, self.el(behind).next) {
                behind = next;
            }
            match self.el(last).next {
                None => self.el_mut(last).next = Some(behind),
                Some(next) if matches!(self.el(next).kind, Kind::Goto(_)) => {
                    self.sequences[seq.0 as usize].last = Some(next);
                }
                Some(_) => {}
            }
        }
    }
}
