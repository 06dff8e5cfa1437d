//! Formulas and automata of temporal properties.

use burnside_diag::Span;
use burnside_temporal::formula::{Binary, Formula, Quantity, Unary};

use super::{Parsed, Parser};
use crate::text::lex::Token;
use crate::text::words::Worded;
use crate::{Applied, Automaton, AutomatonEdge, Claim, ClaimFormula, ClaimVariable, Condition, Literal, PropertyId};

impl Parser<'_> {
    pub(super) fn claim(&mut self, _span: Span) -> Parsed<()> {
        let property = self.id('p', PropertyId)?;
        let mut variables = Vec::new();
        let formula = loop {
            if !self.accept(&Token::Open)? {
                break self.atomic_formula()?;
            }
            match self.word()? {
                "variable" => {
                    let span = self.span()?;
                    variables.push(ClaimVariable { name: self.string()?, ty: self.ty()?, span });
                    self.expect(&Token::Close)?;
                }
                head => break self.formula_from(head)?,
            }
        };
        self.model.claims.push(Claim { property, variables, formula });
        Ok(())
    }

    pub(super) fn automaton(&mut self, _span: Span) -> Parsed<()> {
        let property = self.id('p', PropertyId)?;
        let mut states = Vec::new();
        while self.accept(&Token::Open)? {
            match self.word()? {
                "state" => states.push(self.until_close(Self::edge)?),
                head => return self.fail(format!("`{head}` is no part of an automaton")),
            }
        }
        self.model.automata.push(Automaton { property, states });
        Ok(())
    }

    fn edge(&mut self) -> Parsed<AutomatonEdge> {
        self.expect(&Token::Open)?;
        let accepting = match self.word()? {
            "accept" => true,
            "edge" => false,
            head => return self.fail(format!("`{head}` is no edge")),
        };
        let target = self.count()?;
        Ok(AutomatonEdge { when: self.until_close(Self::literal)?, target, accepting })
    }

    fn literal(&mut self) -> Parsed<Literal> {
        self.expect(&Token::Open)?;
        let word = self.word()?;
        let what = match word {
            "holds" | "fails" => Condition::Property(self.id('p', PropertyId)?),
            "ended" | "going-on" => Condition::Ended,
            head => return self.fail(format!("`{head}` is no literal")),
        };
        self.expect(&Token::Close)?;
        Ok(Literal { what, holds: matches!(word, "holds" | "ended") })
    }

    fn formula(&mut self) -> Parsed<ClaimFormula> {
        self.nested(|parser| {
            if !parser.accept(&Token::Open)? {
                return parser.atomic_formula();
            }
            let head = parser.word()?;
            parser.formula_from(head)
        })
    }

    fn atomic_formula(&mut self) -> Parsed<ClaimFormula> {
        let Token::Word(word @ ("true" | "false")) = self.token else { return self.unexpected("a formula") };
        self.advance()?;
        Ok(Formula::Constant(word == "true"))
    }

    /// The rest of a formula of which the opening parenthesis and the head have been read.
    fn formula_from(&mut self, head: &str) -> Parsed<ClaimFormula> {
        if head == "holds" {
            let condition = self.id('p', PropertyId)?;
            return Ok(Formula::Proposition(Applied { condition, arguments: self.until_close(Self::count)? }));
        }
        let formula = if let Some(op) = Unary::from_word(head) {
            Formula::unary(op, self.formula()?)
        } else if let Some(op) = Binary::from_word(head) {
            Formula::binary(op, self.formula()?, self.formula()?)
        } else if let Some(quantity) = Quantity::from_word(head) {
            Formula::Quantified(quantity, self.count()?, Box::new(self.formula()?))
        } else {
            return self.fail(format!("`{head}` is not a formula"));
        };
        self.expect(&Token::Close)?;
        Ok(formula)
    }
}
