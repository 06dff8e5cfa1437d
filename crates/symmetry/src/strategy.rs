//! The ways to bring the states of an orbit together.

/// Puts one state of an orbit in place of others. Each thread has its own.
pub trait Canonicaliser: Send {
    /// Replaces a packed state by a member of its orbit; [`Strategy::Marker`] alone may leave the orbit.
    fn canonicalise(&mut self, state: &mut [u64]);
}

/// A way to pick the states that stand for orbits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Strategy {
    /// Colour refinement over who refers to whom, and individualisation.
    Refine,
    /// The least image under every permutation.
    Enumerate,
    /// Members of a class sorted by what they own themselves.
    Sort,
    /// The least image among those that are sorted.
    Segment,
    /// A state that no exchange of two members makes less.
    Local,
    /// The member of the orbit met first, found again by a symmetric hash.
    First,
    /// The member of the orbit met first, found again because all its images are remembered.
    Flood,
    /// The state met first of those with the same symmetric hash.
    Marker,
}

/// What a strategy promises.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exactness {
    /// One state is stored for each orbit.
    Exact,
    /// At least one state is stored for each orbit.
    Redundant,
    /// Some orbits may be left out.
    Approximate,
}

impl Strategy {
    /// All strategies.
    pub const ALL: [Self; 8] =
        [Self::Refine, Self::Enumerate, Self::Sort, Self::Segment, Self::Local, Self::First, Self::Flood, Self::Marker];

    /// What it does, in one sentence for people.
    pub fn about(self) -> &'static str {
        match self {
            Self::Refine => "One state for each orbit, by colour refinement; the fastest",
            Self::Enumerate => "One state for each orbit, by trying all permutations",
            Self::Sort => "At least one state for each orbit, by sorting",
            Self::Segment => "One state for each orbit, by sorting and trying the permutations that keep the order",
            Self::Local => "At least one state for each orbit, by hill climbing",
            Self::First => "One state for each orbit: the one met first. One thread",
            Self::Flood => "One state for each orbit, while all others are remembered. One thread",
            Self::Marker => "Approximate: states that look alike are taken for one, so nothing is proved. One thread",
        }
    }

    /// The name used on the command line and in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Refine => "refine",
            Self::Enumerate => "enumerate",
            Self::Sort => "sort",
            Self::Segment => "segment",
            Self::Local => "local",
            Self::First => "first",
            Self::Flood => "flood",
            Self::Marker => "marker",
        }
    }

    /// What is known about the states stored.
    pub fn exactness(self) -> Exactness {
        match self {
            Self::Refine | Self::Enumerate | Self::Segment | Self::First | Self::Flood => Exactness::Exact,
            Self::Sort | Self::Local => Exactness::Redundant,
            Self::Marker => Exactness::Approximate,
        }
    }

    /// Whether it treats groups other than all permutations of some classes; the others leave those out of account.
    pub fn treats_joints(self) -> bool {
        matches!(self, Self::Refine | Self::Enumerate)
    }

    /// Whether what stands for a state depends on the states met before, so that the search must meet them in one
    /// order: on one thread.
    pub fn has_memory(self) -> bool {
        matches!(self, Self::First | Self::Flood | Self::Marker)
    }
}
