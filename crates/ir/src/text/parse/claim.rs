//! Formulas of temporal properties.

use burnside_diag::Span;
use burnside_temporal::formula::{Binary, Formula, Quantity, Unary};

use super::{Parsed, Parser};
use crate::text::lex::Token;
use crate::text::words::Worded;
use crate::{Applied, Claim, ClaimFormula, ClaimVariable, PropertyId};

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
