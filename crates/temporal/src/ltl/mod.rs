//! Formulas about one path in negation normal form, each stored once.
//!
//! [`Linear`] is the store; [`LinearId`] names a formula in it. Equal formulas have equal names, so sets of formulas are
//! sets of numbers and the translation to automata compares nothing else. `a until b` and its dual `a release b` remain;
//! eventually and always are `true until b` and `false release b`. `rewrite` makes formulas smaller; `holds_on_lasso`
//! evaluates the tree a user wrote, apart from all this, because counterexamples are checked with it.

mod lasso;
mod rewrite;

use rustc_hash::FxHashMap;

pub use lasso::{Shape, holds_on_lasso};

use crate::formula::{Binary, Formula, Unary};

/// A formula of a [`Linear`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LinearId(u32);

/// What a formula is made of.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    /// Every path.
    True,
    /// No path.
    False,
    /// The proposition with this number holds, or, if `false`, does not.
    Literal(u32, bool),
    /// The formula holds after one step.
    Next(LinearId),
    /// All of them: at least two, ascending, none of them a conjunction.
    And(Box<[LinearId]>),
    /// One of them: at least two, ascending, none of them a disjunction.
    Or(Box<[LinearId]>),
    /// The second some time, the first until then.
    Until(LinearId, LinearId),
    /// The second up to and including the moment of the first, or for ever.
    Release(LinearId, LinearId),
}

/// A path quantifier or an index quantifier stands where a formula about one path was expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotLinear;

/// Formulas about one path, each stored once.
#[derive(Clone, Debug, Default)]
pub struct Linear {
    nodes: Vec<Node>,
    ids: FxHashMap<Node, LinearId>,
}

impl Linear {
    /// An empty store.
    pub fn new() -> Self {
        Self::default()
    }

    /// What a formula is made of.
    pub fn node(&self, id: LinearId) -> &Node {
        &self.nodes[id.0 as usize]
    }

    /// The negation normal form of a formula, or of its negation if `positive` is not set.
    ///
    /// # Errors
    /// If there is a quantifier over paths or indices in it.
    pub fn normal_form<P, Q>(
        &mut self,
        formula: &Formula<P, Q>,
        positive: bool,
        number: &mut impl FnMut(&P) -> u32,
    ) -> Result<LinearId, NotLinear> {
        Ok(match formula {
            Formula::Constant(value) => self.constant(*value == positive),
            Formula::Proposition(p) => self.literal(number(p), positive),
            Formula::Unary(Unary::Not, f) => self.normal_form(f, !positive, number)?,
            Formula::Unary(op, f) => {
                let f = self.normal_form(f, positive, number)?;
                match op {
                    Unary::Next => self.next(f),
                    Unary::Always if positive => self.always(f),
                    Unary::Eventually if !positive => self.always(f),
                    Unary::Always | Unary::Eventually => self.eventually(f),
                    Unary::Not | Unary::AllPaths | Unary::SomePath => return Err(NotLinear),
                }
            }
            Formula::Binary(Binary::Iff, f, g) => {
                let (f_yes, f_no) = (self.normal_form(f, true, number)?, self.normal_form(f, false, number)?);
                let (g_yes, g_no) = (self.normal_form(g, positive, number)?, self.normal_form(g, !positive, number)?);
                let (both, none) = (self.and([f_yes, g_yes]), self.and([f_no, g_no]));
                self.or([both, none])
            }
            Formula::Binary(op, f, g) => {
                let left = if *op == Binary::Implies { !positive } else { positive };
                let f = self.normal_form(f, left, number)?;
                let g = self.normal_form(g, positive, number)?;
                self.connect(*op, f, g, positive)
            }
            Formula::Quantified(..) => return Err(NotLinear),
        })
    }

    /// `f op g`, or its negation where `f` and `g` were negated already.
    fn connect(&mut self, op: Binary, f: LinearId, g: LinearId, positive: bool) -> LinearId {
        match (op, positive) {
            (Binary::And, true) | (Binary::Or | Binary::Implies, false) => self.and([f, g]),
            (Binary::And, false) | (Binary::Or | Binary::Implies, true) => self.or([f, g]),
            (Binary::Until, true) | (Binary::Release, false) => self.until(f, g),
            (Binary::Until, false) | (Binary::Release, true) => self.release(f, g),
            // f weakuntil g is g release (f or g).
            (Binary::WeakUntil, true) => {
                let either = self.or([f, g]);
                self.release(g, either)
            }
            (Binary::WeakUntil, false) => {
                let both = self.and([f, g]);
                self.until(g, both)
            }
            (Binary::Iff, _) => unreachable!("treated by the caller"),
        }
    }

    /// True or false.
    pub fn constant(&mut self, value: bool) -> LinearId {
        self.intern(if value { Node::True } else { Node::False })
    }

    /// A proposition or its negation.
    pub fn literal(&mut self, proposition: u32, positive: bool) -> LinearId {
        self.intern(Node::Literal(proposition, positive))
    }

    /// `nexttime f`.
    pub fn next(&mut self, f: LinearId) -> LinearId {
        match self.node(f) {
            Node::True | Node::False => f,
            _ => self.intern(Node::Next(f)),
        }
    }

    /// `f until g`.
    pub fn until(&mut self, f: LinearId, g: LinearId) -> LinearId {
        match self.node(g) {
            Node::True | Node::False => g,
            _ => self.intern(Node::Until(f, g)),
        }
    }

    /// `f release g`.
    pub fn release(&mut self, f: LinearId, g: LinearId) -> LinearId {
        match self.node(g) {
            Node::True | Node::False => g,
            _ => self.intern(Node::Release(f, g)),
        }
    }

    /// `eventually f`.
    pub fn eventually(&mut self, f: LinearId) -> LinearId {
        let yes = self.constant(true);
        self.until(yes, f)
    }

    /// `always f`.
    pub fn always(&mut self, f: LinearId) -> LinearId {
        let no = self.constant(false);
        self.release(no, f)
    }

    /// All of them.
    pub fn and(&mut self, parts: impl IntoIterator<Item = LinearId>) -> LinearId {
        self.join(parts, true)
    }

    /// At least one of them.
    pub fn or(&mut self, parts: impl IntoIterator<Item = LinearId>) -> LinearId {
        self.join(parts, false)
    }

    /// Conjunction or disjunction, flat, without duplicates and without what decides nothing.
    fn join(&mut self, parts: impl IntoIterator<Item = LinearId>, all: bool) -> LinearId {
        let (neutral, absorbing) = (self.constant(all), self.constant(!all));
        let mut flat = Vec::new();
        for part in parts {
            match self.node(part) {
                Node::And(inner) if all => flat.extend_from_slice(inner),
                Node::Or(inner) if !all => flat.extend_from_slice(inner),
                _ => flat.push(part),
            }
        }
        flat.retain(|&part| part != neutral);
        flat.sort_unstable();
        flat.dedup();
        if flat.contains(&absorbing) || self.has_opposite_literals(&flat) {
            return absorbing;
        }
        match *flat {
            [] => neutral,
            [only] => only,
            _ if all => self.intern(Node::And(flat.into())),
            _ => self.intern(Node::Or(flat.into())),
        }
    }

    fn has_opposite_literals(&self, parts: &[LinearId]) -> bool {
        parts.iter().any(|&part| match *self.node(part) {
            Node::Literal(p, positive) => {
                self.ids.get(&Node::Literal(p, !positive)).is_some_and(|opposite| parts.contains(opposite))
            }
            _ => false,
        })
    }

    fn intern(&mut self, node: Node) -> LinearId {
        if let Some(&id) = self.ids.get(&node) {
            return id;
        }
        let id = LinearId(u32::try_from(self.nodes.len()).expect("fewer than 2^32 formulas"));
        self.nodes.push(node.clone());
        self.ids.insert(node, id);
        id
    }

    /// The formulas inside one another, each once, the innermost first.
    pub fn parts(&self, id: LinearId) -> Vec<LinearId> {
        let mut parts = Vec::new();
        self.collect_parts(id, &mut parts);
        parts
    }

    fn collect_parts(&self, id: LinearId, parts: &mut Vec<LinearId>) {
        if parts.contains(&id) {
            return;
        }
        match self.node(id) {
            Node::True | Node::False | Node::Literal(..) => {}
            Node::Next(f) => self.collect_parts(*f, parts),
            Node::And(fs) | Node::Or(fs) => fs.iter().for_each(|&f| self.collect_parts(f, parts)),
            Node::Until(f, g) | Node::Release(f, g) => {
                self.collect_parts(*f, parts);
                self.collect_parts(*g, parts);
            }
        }
        parts.push(id);
    }

    /// Whether no until occurs: a path that violates it has a finite beginning after which nothing can mend it.
    pub fn is_syntactic_safety(&self, id: LinearId) -> bool {
        !self.parts(id).iter().any(|&part| matches!(self.node(part), Node::Until(..)))
    }

    /// Whether no release occurs: a path that satisfies it has a finite beginning after which nothing can spoil it.
    pub fn is_syntactic_guarantee(&self, id: LinearId) -> bool {
        !self.parts(id).iter().any(|&part| matches!(self.node(part), Node::Release(..)))
    }
}
