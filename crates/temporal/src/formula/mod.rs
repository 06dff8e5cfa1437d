//! Formulas as data: CTL*, of which LTL and CTL are parts, over propositions and index quantifiers that mean nothing here.
//!
//! A [`Formula`] is a plain tree. `P` is whatever a proposition is to the caller: a piece of text with its place, an
//! expression, a number. `Q` is the binder of a quantifier over identities. `classify` tells fragments apart, `print`
//! writes a formula so that the grammar reads it back. Automata are made from the normal form in [`crate::Linear`].

mod classify;
mod print;

pub use classify::Fragment;

/// Operators on one formula.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unary {
    /// It does not hold.
    Not,
    /// It holds after one step.
    Next,
    /// It holds here and for ever after.
    Always,
    /// It holds here or at some later time.
    Eventually,
    /// It holds on every path from here.
    AllPaths,
    /// It holds on some path from here.
    SomePath,
}

/// Operators on two formulas.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Binary {
    /// Both.
    And,
    /// At least one.
    Or,
    /// The second if the first.
    Implies,
    /// Both or none.
    Iff,
    /// The second some time, the first until then.
    Until,
    /// The same, or the first for ever.
    WeakUntil,
    /// The second up to and including the moment at which the first holds, or for ever.
    Release,
}

/// How many identities a quantifier asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Quantity {
    /// Every one.
    Forall,
    /// At least one.
    Exists,
}

/// A formula of CTL* over propositions `P`, with quantifiers `Q` over identities.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Formula<P, Q> {
    /// True or false.
    Constant(bool),
    /// A condition on one state.
    Proposition(P),
    /// An operator on one formula.
    Unary(Unary, Box<Formula<P, Q>>),
    /// An operator on two formulas.
    Binary(Binary, Box<Formula<P, Q>>, Box<Formula<P, Q>>),
    /// A quantifier over identities.
    Quantified(Quantity, Q, Box<Formula<P, Q>>),
}

impl Unary {
    /// Whether it looks along a path.
    pub fn is_temporal(self) -> bool {
        matches!(self, Unary::Next | Unary::Always | Unary::Eventually)
    }

    /// Whether it ranges over the paths from a state.
    pub fn is_path_quantifier(self) -> bool {
        matches!(self, Unary::AllPaths | Unary::SomePath)
    }
}

impl Binary {
    /// Whether it looks along a path.
    pub fn is_temporal(self) -> bool {
        matches!(self, Binary::Until | Binary::WeakUntil | Binary::Release)
    }
}

impl<P, Q> Formula<P, Q> {
    /// `op f`.
    #[must_use]
    pub fn unary(op: Unary, f: Self) -> Self {
        Formula::Unary(op, Box::new(f))
    }

    /// `f op g`.
    #[must_use]
    pub fn binary(op: Binary, f: Self, g: Self) -> Self {
        Formula::Binary(op, Box::new(f), Box::new(g))
    }

    /// The negation, without a double one.
    #[must_use]
    pub fn negated(self) -> Self {
        match self {
            Formula::Constant(value) => Formula::Constant(!value),
            Formula::Unary(Unary::Not, f) => *f,
            f => Formula::unary(Unary::Not, f),
        }
    }

    /// The same formula over other propositions and quantifiers.
    ///
    /// # Errors
    /// The first error of either function, from left to right.
    pub fn try_map<R, S, E>(
        &self,
        proposition: &mut impl FnMut(&P) -> Result<R, E>,
        quantifier: &mut impl FnMut(&Q) -> Result<S, E>,
    ) -> Result<Formula<R, S>, E> {
        Ok(match self {
            Formula::Constant(value) => Formula::Constant(*value),
            Formula::Proposition(p) => Formula::Proposition(proposition(p)?),
            Formula::Unary(op, f) => Formula::unary(*op, f.try_map(proposition, quantifier)?),
            Formula::Binary(op, f, g) => {
                let f = f.try_map(proposition, quantifier)?;
                Formula::binary(*op, f, g.try_map(proposition, quantifier)?)
            }
            Formula::Quantified(quantity, q, f) => {
                let q = quantifier(q)?;
                Formula::Quantified(*quantity, q, Box::new(f.try_map(proposition, quantifier)?))
            }
        })
    }

    /// The formula with each largest part that has no temporal operator and no path quantifier made one proposition.
    ///
    /// Such a part is evaluated as a whole: `!isundefined(x) & x = 3` has a value where `x = 3` alone has none, and
    /// `exists i: T[i]` is invariant where `T[1]` is not. `whole` gets the part as a tree over the old propositions.
    ///
    /// # Errors
    /// The first error of either function, from left to right.
    pub fn try_whole_propositions<R, S, E>(
        &self,
        whole: &mut impl FnMut(&Self) -> Result<R, E>,
        quantifier: &mut impl FnMut(&Q) -> Result<S, E>,
    ) -> Result<Formula<R, S>, E> {
        if let Formula::Constant(value) = self {
            return Ok(Formula::Constant(*value));
        }
        if self.is_propositional() {
            return Ok(Formula::Proposition(whole(self)?));
        }
        Ok(match self {
            Formula::Constant(_) | Formula::Proposition(_) => unreachable!("these are propositional"),
            Formula::Unary(op, f) => Formula::unary(*op, f.try_whole_propositions(whole, quantifier)?),
            Formula::Binary(op, f, g) => {
                let f = f.try_whole_propositions(whole, quantifier)?;
                Formula::binary(*op, f, g.try_whole_propositions(whole, quantifier)?)
            }
            Formula::Quantified(quantity, q, f) => {
                let q = quantifier(q)?;
                Formula::Quantified(*quantity, q, Box::new(f.try_whole_propositions(whole, quantifier)?))
            }
        })
    }

    /// Whether it speaks of the next state anywhere.
    pub fn has_next(&self) -> bool {
        match self {
            Formula::Constant(_) | Formula::Proposition(_) => false,
            Formula::Unary(op, f) => *op == Unary::Next || f.has_next(),
            Formula::Quantified(_, _, f) => f.has_next(),
            Formula::Binary(_, f, g) => f.has_next() || g.has_next(),
        }
    }

    /// Calls `visit` with every proposition from left to right.
    pub fn for_each_proposition<'a>(&'a self, visit: &mut impl FnMut(&'a P)) {
        match self {
            Formula::Constant(_) => {}
            Formula::Proposition(p) => visit(p),
            Formula::Unary(_, f) | Formula::Quantified(_, _, f) => f.for_each_proposition(visit),
            Formula::Binary(_, f, g) => {
                f.for_each_proposition(visit);
                g.for_each_proposition(visit);
            }
        }
    }

    /// Calls `visit` with every proposition that is the left side of an implication.
    pub fn for_each_left_side<'a>(&'a self, visit: &mut impl FnMut(&'a P)) {
        match self {
            Formula::Constant(_) | Formula::Proposition(_) => {}
            Formula::Unary(_, f) | Formula::Quantified(_, _, f) => f.for_each_left_side(visit),
            Formula::Binary(op, f, g) => {
                if let (Binary::Implies, Formula::Proposition(p)) = (op, &**f) {
                    visit(p);
                }
                f.for_each_left_side(visit);
                g.for_each_left_side(visit);
            }
        }
    }
}
