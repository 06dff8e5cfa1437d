//! Facts about the state after a step as facts about the state before: weakest preconditions by substitution.

use burnside_ir::BinaryOp;
use rustc_hash::FxHashMap;

use crate::eval::Renaming;
use crate::products::{Product, Products};
use crate::term::{Node, Root, Term};
use crate::trace::{Stop, Traced, Tracer};

impl Tracer<'_, '_> {
    /// Rephrases facts about the state that the traced step leads to, with names renamed, and relies on them.
    ///
    /// What the step wrote must still be in the log.
    pub(crate) fn pull(&mut self, facts: &[Term], renaming: &Renaming) -> Traced<()> {
        let mut done = FxHashMap::default();
        for &fact in facts {
            let before = self.substitute(fact, renaming, &mut done)?;
            self.rely(before, true)?;
        }
        Ok(())
    }

    pub(crate) fn substitute(
        &mut self,
        term: Term,
        renaming: &Renaming,
        done: &mut FxHashMap<Term, Term>,
    ) -> Traced<Term> {
        if let &Node::Name { class, index } = self.terms.node(term) {
            let index = renaming[class as usize][index as usize];
            return Ok(self.terms.name(&self.setup.names.classes, class, index));
        }
        if let Some(&known) = done.get(&term) {
            return Ok(known);
        }
        let node = self.terms.node(term).clone();
        let new = self.substituted(&node, renaming, done)?;
        if self.terms.is_heavy(new) {
            return Err(Stop::Lost);
        }
        done.insert(term, new);
        Ok(new)
    }

    fn substituted(&mut self, node: &Node, renaming: &Renaming, done: &mut FxHashMap<Term, Term>) -> Traced<Term> {
        let mut go = |tracer: &mut Self, term: Term| tracer.substitute(term, renaming, done);
        Ok(match node {
            Node::Const(value) => self.terms.constant(*value),
            Node::Name { .. } => return Err(Stop::Lost),
            Node::Parameter { at, .. } => {
                let value = *self.fixed.as_ref().ok_or(Stop::Lost)?.get(*at as usize).ok_or(Stop::Lost)?;
                self.terms.constant(value)
            }
            Node::Load(address) => {
                let mut address = self.terms.address(*address).clone();
                debug_assert!(address.root == Root::State, "facts are about the state");
                for index in &mut address.indices {
                    index.term = go(self, index.term)?;
                    let hi = self.setup.model().types.shape(index.ty).hi;
                    index.term = self.terms.within(index.term, index.lo, hi);
                }
                let address = self.terms.intern_address(address);
                self.look_up(address)?
            }
            Node::Sum { products, constant } => {
                let products = self.substitute_all(products, &mut go)?;
                let one = self.terms.constant(1);
                let products: Vec<Product> = products.into_iter().chain([(one, *constant)]).collect();
                self.terms.sum_of(&products).ok_or(Stop::Lost)?
            }
            Node::AtMost { products, bound } => {
                let products = self.substitute_all(products, &mut go)?;
                let linear = self.terms.linear(&products).ok_or(Stop::Lost)?;
                let bound = bound.checked_sub(linear.constant).ok_or(Stop::Lost)?;
                self.terms.make_at_most(linear.products, bound)
            }
            Node::Equals { products, value } => {
                let products = self.substitute_all(products, &mut go)?;
                let linear = self.terms.linear(&products).ok_or(Stop::Lost)?;
                let value = value.checked_sub(linear.constant).ok_or(Stop::Lost)?;
                self.terms.make_equals(linear.products, value)
            }
            Node::Apply(op, left, right) => {
                let (left, right) = (go(self, *left)?, go(self, *right)?);
                match op {
                    BinaryOp::Gt => self.terms.apply(*op, left, right),
                    _ => self.terms.binary(*op, left, right),
                }
            }
            Node::Defined(inner) => {
                let inner = go(self, *inner)?;
                self.terms.defined(inner)
            }
            Node::Within(inner, lo, hi) => {
                let inner = go(self, *inner)?;
                self.terms.within(inner, *lo, *hi)
            }
            Node::Not(inner) => {
                let inner = go(self, *inner)?;
                self.terms.not(inner)
            }
            Node::All { parts, strict } => {
                let parts = parts.iter().map(|&part| go(self, part)).collect::<Traced<_>>()?;
                self.terms.all(parts, *strict)
            }
            Node::Any { parts, strict } => {
                let parts = parts.iter().map(|&part| go(self, part)).collect::<Traced<_>>()?;
                self.terms.any(parts, *strict)
            }
            Node::Choice(condition, yes, no) => {
                let condition = go(self, *condition)?;
                let (yes, no) = (go(self, *yes)?, go(self, *no)?);
                self.terms.choice(condition, yes, no)
            }
            Node::Same(left, right) => {
                let (left, right) = (go(self, *left)?, go(self, *right)?);
                self.terms.same(left, right)
            }
            Node::Among(inner, lo, hi) => {
                let inner = go(self, *inner)?;
                self.terms.among(inner, *lo, *hi)
            }
            Node::Evaluates(inner) => {
                let inner = go(self, *inner)?;
                self.terms.evaluates(inner)
            }
        })
    }

    fn substitute_all(
        &mut self,
        products: &Products,
        go: &mut impl FnMut(&mut Self, Term) -> Traced<Term>,
    ) -> Traced<Vec<Product>> {
        products.iter().map(|(term, factor)| Ok((go(self, term)?, factor))).collect()
    }
}
