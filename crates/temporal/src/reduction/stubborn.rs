//! Strong stubborn sets, by closure from every enabled instance.

/// What a stubborn set is computed from: instances of rules by number, in one state. Sets of instances are bits in words.
///
/// *Contract.* Two instances *accord* if, where both are enabled, they commute and neither disables the other; this does not
/// depend on the state.
pub trait Dependencies {
    /// The number of instances.
    fn n_instances(&self) -> usize;
    /// Whether an instance is enabled in the state.
    fn is_enabled(&self, instance: usize) -> bool;
    /// Adds all that do not accord with an instance.
    fn add_conflicting(&mut self, instance: usize, set: &mut [u64]);
    /// Adds instances of which one must fire before this one, which is not enabled, becomes enabled.
    fn add_enabling(&mut self, instance: usize, set: &mut [u64]);
    /// Whether firing the instance may change what a property sees.
    fn is_visible(&self, instance: usize) -> bool;
}

/// The enabled instances of a strong stubborn set with as few of them as any seed gives, in ascending order; all that are
/// enabled, as they are given, if the others have visible ones.
pub fn stubborn_set(state: &mut impl Dependencies, enabled: &[usize]) -> Vec<usize> {
    let mut best = enabled.to_vec();
    let mut closure = Closure::new(state.n_instances());
    for &seed in enabled {
        if best.len() <= 1 {
            break;
        }
        if let Some(fired) = closure.from(state, seed, best.len()) {
            best = fired;
        }
    }
    best
}

struct Closure {
    members: Vec<u64>,
    /// Members whose consequences are members.
    done: Vec<u64>,
}

impl Closure {
    fn new(n: usize) -> Self {
        Self { members: vec![0; n.div_ceil(64)], done: vec![0; n.div_ceil(64)] }
    }

    /// The enabled instances of what must be in a stubborn set with the seed, if they are fewer than `limit` and none is
    /// visible.
    ///
    /// SOUND: an enabled member brings in all that do not accord with it, so nothing outside can interfere; a disabled one
    /// brings in what must come before it, so nothing outside can enable it.
    fn from(&mut self, state: &mut impl Dependencies, seed: usize, limit: usize) -> Option<Vec<usize>> {
        let Self { members, done } = self;
        members.fill(0);
        done.fill(0);
        members[seed / 64] |= 1 << (seed % 64);
        let mut fired = Vec::new();
        while let Some(at) = (0..members.len()).find(|&at| members[at] & !done[at] != 0) {
            let bit = (members[at] & !done[at]).trailing_zeros() as usize;
            done[at] |= 1 << bit;
            let instance = at * 64 + bit;
            if state.is_enabled(instance) {
                fired.push(instance);
                if fired.len() >= limit || state.is_visible(instance) {
                    return None;
                }
                state.add_conflicting(instance, members);
            } else {
                state.add_enabling(instance, members);
            }
        }
        fired.sort_unstable();
        Some(fired)
    }
}
