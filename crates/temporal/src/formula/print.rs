//! Formulas as text that the grammar reads back as the same formula.

use std::fmt::{self, Write};

use super::{Binary, Formula, Quantity, Unary};
use crate::grammar::{Level, level_of};

impl Unary {
    /// The word that the grammar knows it by.
    pub fn word(self) -> &'static str {
        match self {
            Unary::Not => "!",
            Unary::Next => "X",
            Unary::Always => "G",
            Unary::Eventually => "F",
            Unary::AllPaths => "A",
            Unary::SomePath => "E",
        }
    }
}

impl Binary {
    /// The word that the grammar knows it by.
    pub fn word(self) -> &'static str {
        match self {
            Binary::And => "&",
            Binary::Or => "|",
            Binary::Implies => "->",
            Binary::Iff => "<->",
            Binary::Until => "U",
            Binary::WeakUntil => "W",
            Binary::Release => "R",
        }
    }
}

impl Quantity {
    /// The word that the grammar knows it by.
    pub fn word(self) -> &'static str {
        match self {
            Quantity::Forall => "forall",
            Quantity::Exists => "exists",
        }
    }
}

impl<P: fmt::Display, Q: fmt::Display> fmt::Display for Formula<P, Q> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        write_formula(self, Level::Lowest, &mut text)?;
        f.write_str(&text)
    }
}

/// Writes a formula where an operator of level `least` or tighter is expected.
fn write_formula<P: fmt::Display, Q: fmt::Display>(
    formula: &Formula<P, Q>,
    least: Level,
    out: &mut String,
) -> fmt::Result {
    match formula {
        Formula::Constant(value) => write!(out, "{value}"),
        Formula::Proposition(p) => write!(out, "{p}"),
        Formula::Unary(op, f) => {
            out.push_str(op.word());
            if *op != Unary::Not {
                out.push(' ');
            }
            write_formula(f, Level::Unary, out)
        }
        Formula::Binary(op, f, g) => {
            let level = level_of(*op);
            parenthesised(level < least, out, |out| {
                // Every operator groups to the right, so only the left operand must bind tighter.
                write_formula(f, level.tighter(), out)?;
                write!(out, " {} ", op.word())?;
                write_formula(g, level, out)
            })
        }
        // A quantifier reaches as far to the right as it can.
        Formula::Quantified(quantity, q, f) => parenthesised(true, out, |out| {
            write!(out, "{} {q}. ", quantity.word())?;
            write_formula(f, Level::Lowest, out)
        }),
    }
}

fn parenthesised(wanted: bool, out: &mut String, write: impl FnOnce(&mut String) -> fmt::Result) -> fmt::Result {
    if wanted {
        out.push('(');
    }
    write(out)?;
    if wanted {
        out.push(')');
    }
    Ok(())
}
