//! Random formulas.

use fastrand::Rng;

use crate::formula::{Binary, Formula, Unary};

/// A formula about one path, with the usual shapes `G F p` and `F G p` more often than chance would have them.
pub(crate) fn random_linear<P: Clone, Q>(rng: &mut Rng, depth: usize, atoms: &[P], next: bool) -> Formula<P, Q> {
    if depth == 0 || rng.f64() < 0.13 {
        return Formula::Proposition(atoms[rng.usize(..atoms.len())].clone());
    }
    let mut inner = || random_linear(rng, depth - 1, atoms, next);
    let (f, g) = (inner(), inner());
    let unary = |op, f| Formula::unary(op, f);
    match rng.u8(..13) {
        0 => unary(Unary::Not, f),
        1 => Formula::binary(Binary::And, f, g),
        2 => Formula::binary(Binary::Or, f, g),
        3 if next => unary(Unary::Next, f),
        3 | 4 => Formula::binary(Binary::Until, f, g),
        5 => Formula::binary(Binary::Release, f, g),
        6 => unary(Unary::Eventually, f),
        7 => unary(Unary::Always, f),
        8 => unary(Unary::Always, unary(Unary::Eventually, f)),
        9 => unary(Unary::Eventually, unary(Unary::Always, f)),
        10 => Formula::binary(Binary::WeakUntil, f, g),
        11 => Formula::binary(Binary::Iff, f, g),
        _ => unary(Unary::Always, Formula::binary(Binary::Implies, f, unary(Unary::Eventually, g))),
    }
}
