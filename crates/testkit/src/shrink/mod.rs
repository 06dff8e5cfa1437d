//! Making a failing model small.
//!
//! [`shrink`] tries smaller and smaller models, from whole declarations down to single expressions, and keeps each that
//! still fails. It is greedy and tries everything again until nothing helps, so the result is minimal with respect to
//! its edits (1-minimal in the sense of delta debugging: Zeller and Hildebrandt, "Simplifying and Isolating
//! Failure-Inducing Input", IEEE TSE 28(2), 2002, section 3).

mod declarations;
mod nodes;
mod types;

use burnside_ir::{Model, verify};

/// The smallest model found for which `still_fails` is true; it must be for the given one. A model without defects is
/// only ever replaced by models without defects.
pub fn shrink(model: Model, still_fails: impl FnMut(&Model) -> bool) -> Model {
    let sound = verify(&model).is_empty();
    let mut shrinker = Shrinker { best: model, sound, still_fails };
    loop {
        let before = shrinker.best.clone();
        shrinker.remove_declarations();
        shrinker.simplify_statements();
        shrinker.simplify_exprs();
        shrinker.narrow_types();
        if shrinker.best == before {
            return before;
        }
    }
}

struct Shrinker<F> {
    best: Model,
    /// Whether only models without defects are of interest.
    sound: bool,
    still_fails: F,
}

impl<F: FnMut(&Model) -> bool> Shrinker<F> {
    /// Keeps a candidate if it fails.
    fn attempt(&mut self, candidate: Model) -> bool {
        let fails = (!self.sound || verify(&candidate).is_empty()) && (self.still_fails)(&candidate);
        if fails {
            self.best = candidate;
        }
        fails
    }
}

#[cfg(test)]
mod tests;
