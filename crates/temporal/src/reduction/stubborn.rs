//! Strong stubborn sets, by closure from every enabled instance.

/// What a stubborn set is computed from: instances of rules by number, in one state.
///
/// *Contract.* Two instances *accord* if, where both are enabled, they commute and neither disables the other; this does not
/// depend on the state. `enabling` of a disabled instance gives instances of which one must fire before it becomes enabled.
pub trait Dependencies {
    /// The number of instances.
    fn n_instances(&self) -> usize;
    /// Whether an instance is enabled in the state.
    fn is_enabled(&self, instance: usize) -> bool;
    /// Whether two different instances accord.
    fn accords(&self, a: usize, b: usize) -> bool;
    /// Appends instances of which one must fire before this one, which is not enabled, becomes enabled.
    fn enabling(&self, instance: usize, out: &mut Vec<usize>);
    /// Whether firing the instance may change what a property sees.
    fn is_visible(&self, instance: usize) -> bool;
}

/// The enabled instances of a strong stubborn set with as few of them as any seed gives; all that are enabled if the
/// others have visible ones.
pub fn stubborn_set(state: &impl Dependencies) -> Vec<usize> {
    let enabled: Vec<usize> = (0..state.n_instances()).filter(|&instance| state.is_enabled(instance)).collect();
    let mut best = enabled.clone();
    for &seed in &enabled {
        let set = closure(state, seed);
        let fired: Vec<usize> = enabled.iter().copied().filter(|&instance| set[instance]).collect();
        let is_visible = fired.iter().any(|&instance| state.is_visible(instance));
        if fired.len() < best.len() && !is_visible {
            best = fired;
        }
    }
    best
}

/// Everything that must be in a stubborn set with the seed.
///
/// SOUND: an enabled member brings in all that do not accord with it, so nothing outside can interfere; a disabled one
/// brings in what must come before it, so nothing outside can enable it.
fn closure(state: &impl Dependencies, seed: usize) -> Vec<bool> {
    let mut set = vec![false; state.n_instances()];
    set[seed] = true;
    let mut todo = vec![seed];
    let mut needed = Vec::new();
    while let Some(instance) = todo.pop() {
        needed.clear();
        if state.is_enabled(instance) {
            let others = (0..state.n_instances()).filter(|&other| other != instance);
            needed.extend(others.filter(|&other| !state.accords(instance, other)));
        } else {
            state.enabling(instance, &mut needed);
        }
        for &other in &needed {
            if !std::mem::replace(&mut set[other], true) {
                todo.push(other);
            }
        }
    }
    set
}
