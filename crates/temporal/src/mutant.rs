//! Deliberate mistakes, for tests that must notice them. Outside tests there are none.

/// A mistake that a test must notice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mutant {
    /// Classes of colours are not joined along closed walks.
    SkipClosedWalks,
    /// Frames go forward by a renaming instead of its inverse.
    ForwardFrames,
    /// Symmetries of nodes with steps left out are forgotten.
    ForgetSilentMoves,
    /// The lasso ends after one round.
    OneRound,
    /// A step that leaves the component counts as taken.
    TakenOutside,
    /// Enabledness is that of the step's target.
    EnabledAtTarget,
}

#[cfg(test)]
thread_local! {
    static ACTIVE: std::cell::Cell<Option<Mutant>> = const { std::cell::Cell::new(None) };
}

/// Whether a check comes out right with a mistake made; a panic does not.
#[cfg(test)]
pub(crate) fn is_survived(mutant: Mutant, check: impl FnOnce() -> bool) -> bool {
    ACTIVE.with(|active| active.set(Some(mutant)));
    let survived = std::panic::catch_unwind(std::panic::AssertUnwindSafe(check));
    ACTIVE.with(|active| active.set(None));
    survived.unwrap_or(false)
}

/// Whether a mistake is to be made.
#[cfg(test)]
pub(crate) fn is(mutant: Mutant) -> bool {
    ACTIVE.with(|active| active.get() == Some(mutant))
}

/// Whether a mistake is to be made: never.
#[cfg(not(test))]
pub(crate) fn is(_: Mutant) -> bool {
    false
}
