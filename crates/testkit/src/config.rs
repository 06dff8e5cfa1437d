//! What random models look like.

/// Which models [`random_model`](crate::random_model) makes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    /// Most rules a model has; it has at least one.
    pub n_rules: usize,
    /// Most properties a model has besides cover points.
    pub n_properties: usize,
    /// Binary logarithm of the most valuations the globals have.
    pub state_bits: u32,
    /// How sorts are used.
    pub symmetry: Symmetry,
    /// Whether loops over a sort or over the elements of a multiset give the same result in any order. Without
    /// effect on free models.
    pub commuting_loops: bool,
    /// Whether a model may fault. If not, nothing it does is ever a fault.
    pub faults: bool,
    /// Whether variables may be undefined.
    pub undefined: bool,
    /// Whether there are multisets.
    pub multisets: bool,
    /// Whether there are functions and procedures.
    pub functions: bool,
    /// Whether rules differ in priority.
    pub priorities: bool,
    /// Whether some states may lie inside steps, and executions may end somewhere.
    pub shapes: bool,
}

/// How the members of a sort may be told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Symmetry {
    /// In any way; what sorts claim about themselves may be wrong.
    Free,
    /// Not at all: no constants of a sort, no order on it, no numbers of its members, and multisets are not taken
    /// for lists. With `commuting_loops`, every permutation of a sort is an automorphism of the model.
    Full,
    /// As in a full model, except at a few random places.
    Nearly,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            n_rules: 8,
            n_properties: 3,
            state_bits: 12,
            symmetry: Symmetry::Free,
            commuting_loops: true,
            faults: true,
            undefined: true,
            multisets: true,
            functions: true,
            priorities: true,
            shapes: true,
        }
    }
}

impl Config {
    /// A configuration that itself depends on the seed: every knob in every position.
    pub fn random(seed: u64) -> Self {
        let mut rng = fastrand::Rng::with_seed(seed);
        Self {
            n_rules: rng.usize(1..=8),
            n_properties: rng.usize(0..=4),
            state_bits: rng.u32(6..=14),
            symmetry: [Symmetry::Free, Symmetry::Full, Symmetry::Nearly][rng.usize(0..3)],
            commuting_loops: rng.bool(),
            faults: rng.bool(),
            undefined: rng.bool(),
            multisets: rng.bool(),
            functions: rng.bool(),
            priorities: rng.bool(),
            shapes: rng.bool(),
        }
    }
}
