//! Facts that make a truth value what it is: few, and as weak as they come.
//!
//! A fact is a term that is true here. `why(t, v)` gives facts with this promise: wherever they hold, under whatever
//! renaming, `t` evaluates without a fault, and to `v`.

use burnside_ir::UNDEFINED;

use crate::term::{Node, Term};
use crate::trace::{Stop, Traced, Tracer};

/// Parts of a junction that are compared before the first good one is taken.
const MOST_ALTERNATIVES: usize = 16;

impl Tracer<'_, '_> {
    /// Facts for a truth value that is `value` here.
    pub(crate) fn why(&mut self, term: Term, value: bool) -> Traced<Box<[Term]>> {
        if let Some(known) = self.whys.get(&(term, value)) {
            return Ok(known.clone());
        }
        if self.value(term) != Ok(i64::from(value)) {
            return Err(Stop::Lost);
        }
        let mut facts = Vec::new();
        match self.terms.node(term).clone() {
            Node::Const(_) => {}
            Node::Not(inner) => facts = self.why(inner, !value)?.into_vec(),
            Node::All { parts, .. } if value => self.each(&parts, true, &mut facts)?,
            Node::Any { parts, .. } if !value => self.each(&parts, false, &mut facts)?,
            Node::All { parts, strict } => facts = self.one(&parts, strict, false)?,
            Node::Any { parts, strict } => facts = self.one(&parts, strict, true)?,
            Node::Choice(condition, yes, no) => {
                let is_true = self.value(condition).map_err(|_| Stop::Lost)? != 0;
                facts = self.why(condition, is_true)?.into_vec();
                facts.extend_from_slice(&self.why(if is_true { yes } else { no }, value)?);
            }
            Node::Evaluates(inner) if value => self.evaluates(inner, &mut facts)?,
            _ => facts.push(if value { term } else { self.terms.not(term) }),
        }
        facts.sort_unstable();
        facts.dedup();
        let facts = facts.into_boxed_slice();
        self.whys.insert((term, value), facts.clone());
        Ok(facts)
    }

    fn each(&mut self, parts: &[Term], value: bool, facts: &mut Vec<Term>) -> Traced<()> {
        for &part in parts {
            facts.extend_from_slice(&self.why(part, value)?);
        }
        Ok(())
    }

    /// Facts for one part that decides, the one that needs fewest, the first of those.
    // SOUND: parts that are evaluated beside the deciding one may have any value, but must not fault: those before it,
    // or all if the junction is strict.
    fn one(&mut self, parts: &[Term], strict: bool, deciding: bool) -> Traced<Vec<Term>> {
        let mut best: Option<Vec<Term>> = None;
        let mut before: Vec<Term> = Vec::new();
        if strict {
            for &part in parts {
                self.evaluates(part, &mut before)?;
            }
        }
        let mut n_tried = 0;
        for &part in parts {
            match self.value(part) {
                Ok(value) if (value != 0) == deciding => {
                    let mut facts = self.why(part, deciding)?.into_vec();
                    facts.extend_from_slice(&before);
                    facts.sort_unstable();
                    facts.dedup();
                    if best.as_ref().is_none_or(|best| facts.len() < best.len()) {
                        best = Some(facts);
                    }
                    n_tried += 1;
                    if n_tried == MOST_ALTERNATIVES || best.as_ref().is_some_and(Vec::is_empty) {
                        break;
                    }
                }
                Ok(_) => {}
                Err(_) => break,
            }
            if !strict {
                self.evaluates(part, &mut before)?;
            }
        }
        best.ok_or(Stop::Lost)
    }

    /// Facts that keep a term, which does not fault here, from faulting.
    pub(crate) fn evaluates(&mut self, term: Term, facts: &mut Vec<Term>) -> Traced<()> {
        if !self.terms.known(term).may_fault {
            return Ok(());
        }
        match self.terms.node(term).clone() {
            Node::Defined(inner) => {
                self.evaluates(inner, facts)?;
                let undefined = self.terms.constant(UNDEFINED);
                let same = self.terms.same(inner, undefined);
                facts.extend_from_slice(&self.why(same, false)?);
            }
            Node::Within(inner, lo, hi) if !self.terms.known(inner).may_be_undefined => {
                self.evaluates(inner, facts)?;
                let (least, most) = (self.terms.constant(lo), self.terms.constant(hi));
                for (low, high) in [(least, inner), (inner, most)] {
                    let inside = self.terms.binary(burnside_ir::BinaryOp::Le, low, high);
                    facts.extend_from_slice(&self.why(inside, true)?);
                }
            }
            Node::Load(_)
            | Node::Sum { .. }
            | Node::AtMost { .. }
            | Node::Equals { .. }
            | Node::Not(_)
            | Node::Same(..)
            | Node::Among(..) => {
                let mut children = Vec::new();
                self.terms.children(term, &mut |child| children.push(child));
                for child in children {
                    self.evaluates(child, facts)?;
                }
            }
            _ => {
                let fact = self.terms.evaluates(term);
                if self.value(fact) != Ok(1) {
                    return Err(Stop::Lost);
                }
                facts.push(fact);
            }
        }
        Ok(())
    }
}
