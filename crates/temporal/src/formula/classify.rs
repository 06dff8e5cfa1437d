//! Which fragment of CTL* a formula belongs to.

use super::{Binary, Formula, Unary};

/// The smallest of the usual fragments that a formula belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fragment {
    /// No temporal operator and no path quantifier.
    Propositional,
    /// Temporal operators and no path quantifier: about one path.
    Linear,
    /// Every temporal operator directly under a path quantifier, and every path quantifier directly above one.
    Branching,
    /// Temporal operators under path quantifiers, in any nesting: about one state.
    Full,
    /// Temporal operators both under and outside path quantifiers: about one path.
    FullPath,
}

impl<P, Q> Formula<P, Q> {
    /// Whether it has neither temporal operators nor path quantifiers.
    pub fn is_propositional(&self) -> bool {
        !self.any(&|op| op.is_temporal() || op.is_path_quantifier(), &Binary::is_temporal)
    }

    /// Whether `nexttime` occurs. A formula without it does not notice stuttering.
    pub fn uses_next(&self) -> bool {
        self.any(&|op| op == Unary::Next, &|_| false)
    }

    /// Whether a path quantifier occurs.
    pub fn has_path_quantifier(&self) -> bool {
        self.any(&Unary::is_path_quantifier, &|_| false)
    }

    /// Whether its truth depends on the state alone: every temporal operator lies under a path quantifier.
    pub fn is_state_formula(&self) -> bool {
        match self {
            Formula::Constant(_) | Formula::Proposition(_) => true,
            Formula::Unary(op, f) => op.is_path_quantifier() || (!op.is_temporal() && f.is_state_formula()),
            Formula::Binary(op, f, g) => !op.is_temporal() && f.is_state_formula() && g.is_state_formula(),
            Formula::Quantified(_, _, f) => f.is_state_formula(),
        }
    }

    /// The fragment it belongs to.
    pub fn fragment(&self) -> Fragment {
        if self.is_propositional() {
            Fragment::Propositional
        } else if !self.has_path_quantifier() {
            Fragment::Linear
        } else if self.is_branching() {
            Fragment::Branching
        } else if self.is_state_formula() {
            Fragment::Full
        } else {
            Fragment::FullPath
        }
    }

    /// Whether it is a state formula of CTL.
    fn is_branching(&self) -> bool {
        match self {
            Formula::Constant(_) | Formula::Proposition(_) => true,
            Formula::Unary(Unary::Not, f) | Formula::Quantified(_, _, f) => f.is_branching(),
            Formula::Unary(op, f) if op.is_path_quantifier() => match &**f {
                Formula::Unary(op, f) => op.is_temporal() && f.is_branching(),
                Formula::Binary(op, f, g) => op.is_temporal() && f.is_branching() && g.is_branching(),
                _ => false,
            },
            Formula::Unary(..) => false,
            Formula::Binary(op, f, g) => !op.is_temporal() && f.is_branching() && g.is_branching(),
        }
    }

    /// Whether an operator of these kinds occurs.
    fn any(&self, unary: &impl Fn(Unary) -> bool, binary: &impl Fn(Binary) -> bool) -> bool {
        match self {
            Formula::Constant(_) | Formula::Proposition(_) => false,
            Formula::Unary(op, f) => unary(*op) || f.any(unary, binary),
            Formula::Binary(op, f, g) => binary(*op) || f.any(unary, binary) || g.any(unary, binary),
            Formula::Quantified(_, _, f) => f.any(unary, binary),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grammar::text::parse_words;

    fn check(text: &str, fragment: Fragment) {
        assert_eq!(parse_words(text).fragment(), fragment, "{text}");
    }

    #[test]
    fn fragments_are_told_apart() {
        check("p & !q", Fragment::Propositional);
        check("G (p -> F q)", Fragment::Linear);
        check("AG (p -> EF q)", Fragment::Branching);
        check("A (p U E (q W p))", Fragment::Branching);
        check("A G F p", Fragment::Full);
        check("E (F p & F q)", Fragment::Full);
        check("G EF p", Fragment::FullPath);
    }

    #[test]
    fn a_state_formula_has_its_operators_under_path_quantifiers() {
        assert!(parse_words("!p | E X q").is_state_formula());
        assert!(!parse_words("p | F A G q").is_state_formula());
        assert!(parse_words("p U X q").uses_next());
        assert!(!parse_words("p U q").uses_next());
    }
}
