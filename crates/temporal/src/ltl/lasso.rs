//! The meaning of a formula on a lasso, straight from the definition.
//!
//! This is what counterexamples are checked with, so it shares nothing with the normal form or the automata.

use super::NotLinear;
use crate::formula::{Binary, Formula, Unary};

/// A path that goes through its positions once and then repeats those from `loop_start` on for ever.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    n_positions: usize,
    loop_start: usize,
}

impl Shape {
    /// A lasso with so many positions before the loop and in the loop.
    ///
    /// # Panics
    /// If the loop is empty.
    pub fn new(stem: usize, cycle: usize) -> Self {
        assert!(cycle > 0, "a loop has at least one position");
        Shape { n_positions: stem + cycle, loop_start: stem }
    }

    /// The number of different positions.
    pub fn n_positions(self) -> usize {
        self.n_positions
    }

    /// The position after this one.
    pub fn next(self, position: usize) -> usize {
        if position + 1 < self.n_positions { position + 1 } else { self.loop_start }
    }
}

/// Whether a formula holds on a lasso; `value` tells which propositions hold at a position.
///
/// # Errors
/// If there is a quantifier over paths or indices in the formula.
pub fn holds_on_lasso<P, Q>(
    formula: &Formula<P, Q>,
    shape: Shape,
    value: &mut impl FnMut(usize, &P) -> bool,
) -> Result<bool, NotLinear> {
    Ok(values(formula, shape, value)?[0])
}

/// The truth of a formula at every position.
fn values<P, Q>(
    formula: &Formula<P, Q>,
    shape: Shape,
    value: &mut impl FnMut(usize, &P) -> bool,
) -> Result<Vec<bool>, NotLinear> {
    let positions = 0..shape.n_positions;
    Ok(match formula {
        Formula::Constant(constant) => vec![*constant; shape.n_positions],
        Formula::Proposition(p) => positions.map(|position| value(position, p)).collect(),
        Formula::Unary(op, f) => {
            let f = values(f, shape, value)?;
            match op {
                Unary::Not => f.iter().map(|truth| !truth).collect(),
                Unary::Next => positions.map(|position| f[shape.next(position)]).collect(),
                Unary::Always => fixpoint(shape, true, |position, later| f[position] && later),
                Unary::Eventually => fixpoint(shape, false, |position, later| f[position] || later),
                Unary::AllPaths | Unary::SomePath => return Err(NotLinear),
            }
        }
        Formula::Binary(op, f, g) => {
            let (f, g) = (values(f, shape, value)?, values(g, shape, value)?);
            match op {
                Binary::And => positions.map(|at| f[at] && g[at]).collect(),
                Binary::Or => positions.map(|at| f[at] || g[at]).collect(),
                Binary::Implies => positions.map(|at| !f[at] || g[at]).collect(),
                Binary::Iff => positions.map(|at| f[at] == g[at]).collect(),
                Binary::Until => fixpoint(shape, false, |at, later| g[at] || (f[at] && later)),
                Binary::WeakUntil => fixpoint(shape, true, |at, later| g[at] || (f[at] && later)),
                Binary::Release => fixpoint(shape, true, |at, later| g[at] && (f[at] || later)),
            }
        }
        Formula::Quantified(..) => return Err(NotLinear),
    })
}

/// The least or greatest solution of `x[at] = step(at, x[next(at)])`.
fn fixpoint(shape: Shape, greatest: bool, step: impl Fn(usize, bool) -> bool) -> Vec<bool> {
    let mut values = vec![greatest; shape.n_positions];
    // Twice round from the back: the second time every position of the loop knows the whole loop.
    for _ in 0..2 {
        for at in (0..shape.n_positions).rev() {
            values[at] = step(at, values[shape.next(at)]);
        }
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grammar::text::parse_words;

    /// Positions are letters, the loop follows `/`; a proposition holds where its letter stands.
    fn check(text: &str, word: &str, expected: bool) {
        let stem = word.find('/').expect("a loop");
        let letters: Vec<String> = word.replace('/', "").chars().map(String::from).collect();
        let shape = Shape::new(stem, letters.len() - stem);
        let holds = holds_on_lasso(&parse_words(text), shape, &mut |at, p| letters[at] == *p);
        assert_eq!(holds, Ok(expected), "{text} on {word}");
    }

    #[test]
    fn operators_mean_what_they_say() {
        check("F b", "aa/ac", false);
        check("G F c", "aa/ac", true);
        check("F G c", "aa/ac", false);
        check("a U b", "aab/c", true);
        check("a U b", "aa/a", false);
        check("a W b", "aa/a", true);
        check("b R a", "aa/a", true);
        check("c R (a | b)", "ab/c", false);
        check("(a & X b) R (a | b)", "aa/bb", true);
        check("X X b", "a/ab", true);
        check("a <-> X a", "a/b", false);
    }

    #[test]
    fn the_loop_is_seen_from_its_end() {
        check("F a", "b/abbb", true);
        check("G (b -> F a)", "b/abbb", true);
        check("X X X F a", "/abbb", true);
    }

    #[test]
    fn path_quantifiers_have_no_meaning_on_a_path() {
        let holds = holds_on_lasso(&parse_words("EF p"), Shape::new(0, 1), &mut |_, _| true);
        assert_eq!(holds, Err(NotLinear));
    }
}
