//! Formulas and automata of temporal properties.

use burnside_temporal::formula::Formula;

use super::{HEADING, Printer, quote};
use crate::text::sexp::{Breaking, Sexp};
use crate::text::words::Worded;
use crate::{Automaton, AutomatonEdge, Claim, ClaimFormula, Condition};

impl Printer<'_> {
    pub(super) fn claim(self, claim: &Claim) -> Sexp {
        let mut items = vec![Sexp::atom("claim"), Sexp::Atom(self.property_ref(claim.property))];
        items.extend(claim.variables.iter().map(|variable| {
            let head = self.head("variable", variable.span);
            Sexp::list(vec![head, Sexp::Atom(quote(&variable.name)), self.ty(variable.ty)])
        }));
        items.push(self.formula(&claim.formula));
        Sexp::broken(items, Breaking::After(HEADING - 1))
    }

    pub(super) fn automaton(self, automaton: &Automaton) -> Sexp {
        let mut items = vec![Sexp::atom("automaton"), Sexp::Atom(self.property_ref(automaton.property))];
        items.extend(automaton.states.iter().map(|edges| {
            let edges = edges.iter().map(|edge| self.edge(edge));
            Sexp::list([Sexp::atom("state")].into_iter().chain(edges).collect())
        }));
        Sexp::broken(items, Breaking::After(HEADING - 1))
    }

    fn edge(self, edge: &AutomatonEdge) -> Sexp {
        let head = if edge.accepting { "accept" } else { "edge" };
        let mut items = vec![Sexp::atom(head), Sexp::atom(edge.target.to_string())];
        items.extend(edge.when.iter().map(|literal| match literal.what {
            Condition::Property(property) => {
                let holds = if literal.holds { "holds" } else { "fails" };
                Sexp::list(vec![Sexp::atom(holds), Sexp::Atom(self.property_ref(property))])
            }
            Condition::Ended => Sexp::list(vec![Sexp::atom(if literal.holds { "ended" } else { "going-on" })]),
        }));
        Sexp::list(items)
    }

    fn formula(self, formula: &ClaimFormula) -> Sexp {
        match formula {
            Formula::Constant(value) => Sexp::atom(value.to_string()),
            Formula::Proposition(applied) => {
                let mut items = vec![Sexp::atom("holds"), Sexp::Atom(self.property_ref(applied.condition))];
                items.extend(applied.arguments.iter().map(|variable| Sexp::atom(variable.to_string())));
                Sexp::list(items)
            }
            Formula::Unary(op, f) => Sexp::list(vec![Sexp::atom(Worded::word(*op)), self.formula(f)]),
            Formula::Binary(op, f, g) => {
                Sexp::list(vec![Sexp::atom(Worded::word(*op)), self.formula(f), self.formula(g)])
            }
            Formula::Quantified(quantity, variable, f) => {
                Sexp::list(vec![Sexp::atom(Worded::word(*quantity)), Sexp::atom(variable.to_string()), self.formula(f)])
            }
        }
    }
}
