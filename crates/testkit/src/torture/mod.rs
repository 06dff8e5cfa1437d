//! Murphi texts that people avoid writing.
//!
//! [`torture_text`] makes a small model from a seed, always the same from the same seed. Each text is built around one
//! [`Class`] of traps: a construct in a position where evaluation order, definedness, or the number of a multiset's slot
//! could show. Around it stand ordinary rules and properties, so that what goes wrong can be reached. [`mutate_text`]
//! changes a given model by tokens and statements, [`shrink_text`] makes a model small that shows something.
//!
//! A text may begin with a comment `-- torture: …` that says how it is to be run and, where the generator knows, what
//! must come out.

mod assemble;
mod class;
mod condition;
mod expression;
mod mutate;
mod routine;
mod scene;
mod shrink;
mod statement;
#[cfg(test)]
mod tests;
mod token;
mod world;

pub use class::{Class, Knobs};
pub use mutate::mutate_text;
pub use shrink::shrink_text;

use world::World;

/// A text and what it was made for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TortureText {
    /// The class of traps it is built around.
    pub class: Class,
    /// The model.
    pub text: String,
}

/// The text for a seed.
pub fn torture_text(seed: u64, knobs: &Knobs) -> TortureText {
    let mut world = World::new(seed);
    let class = knobs.choose(&mut world.rng);
    world.play(class);
    // A second trap may meet the first one.
    if !world.sealed && world.one_in(3) {
        let other = knobs.choose(&mut world.rng);
        world.play(other);
    }
    TortureText { class, text: world.assemble() }
}
