//! The ways to bring the states of an orbit together.

/// Puts one state of an orbit in place of others. Each thread has its own.
pub trait Canonicaliser: Send {
    /// Replaces a packed state by a member of its orbit.
    fn canonicalise(&mut self, state: &mut [u64]);
}
