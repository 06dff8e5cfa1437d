//! Whether a reduction pays: every number by which that is decided, with what is known of it.
//!
//! What was measured is in `docs/internals/symmetry.md` and `adaptive.md`: with the numbers below, `auto` took at most a
//! tenth longer than `off` on 123 of the 124 models of the shared corpus that `off` finishes in two seconds, and 0.88 of
//! its time in the geometric mean. A number that was not varied by itself says so.

/// How many states without reduction are met before it is asked whether some of them are images of others. Measured with
/// the 124 models; fewer were not tried.
pub const FIRST_LOOK: usize = 1024;

/// Up to how many times as many are met if the group is large, for the more an orbit may save, the longer images are
/// waited for. Measured with the 124 models.
pub const MOST_PATIENCE: u128 = 16;

/// With how many stored states the sizes of orbits are looked at first and last. In the shared corpus they are then, on
/// average, close to what they are at the end.
pub const FIRST_TRIAL: u64 = 1 << 10;
/// See [`FIRST_TRIAL`].
pub const LAST_TRIAL: u64 = 1 << 13;

/// How many orbits are looked at for that in all, at least, and of one job, at most. Not varied.
pub const LEAST_SAMPLED: u128 = 16;
/// See [`LEAST_SAMPLED`].
pub const MOST_SAMPLED: usize = 64;

/// How many states are met, at most and at least, to tell whether a group other than all permutations of classes pays,
/// and about how many rule instances are tried for that: start states may tell members apart for good. Not varied.
pub const MOST_STATES: usize = 256;
/// See [`MOST_STATES`].
pub const LEAST_STATES: usize = 16;
/// See [`MOST_STATES`].
pub const MOST_INSTANCES: u64 = 50_000;

/// Of so many of these states one at least must be an image of another. Not varied.
pub const FRUITFUL: usize = 16;

/// How many members some class must have for the adaptive search: pairs alone, even several, promise too little, as the
/// 124 models showed.
pub const LEAST_ALIKE: usize = 3;

/// The adaptive search looks at its yield after so many steps, and whenever their number has doubled. It is counted in
/// steps because a node can take long: a sudoku stored nothing in four seconds, and is now given up within the first.
pub const FIRST_YIELD: u64 = 4096;

/// Binary logarithm of how many states its nodes must stand for on average. Not varied.
pub const LEAST_YIELD_BITS: f64 = 5.0;

/// Up to how many control configurations explanations are given a try. Not varied.
pub const FEW_CONFIGURATIONS: u64 = 10_000;

/// After how many states explanations must have covered half as many others. Not varied.
pub const EXPLAINED_STATES: u64 = 1_000;

/// `flood` keeps all images of a state at once; a group of this order or a greater one has too many. Not measured: a bound
/// on memory.
pub const FLOOD_LIMIT: usize = 1_000_000;

/// Whether so few representatives stand for so many states that it makes up for finding them, which about doubles the
/// cost of a step.
pub fn is_reduced_enough(n_states: u128, n_representatives: u128) -> bool {
    n_states * 2 >= n_representatives * 3
}

/// Whether so few representatives of the first states show that images are met at all.
pub fn has_images(n_states: usize, n_representatives: usize) -> bool {
    n_representatives + n_states / FRUITFUL <= n_states && n_representatives < n_states
}
