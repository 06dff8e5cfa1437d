//! Places relative to the variable of a loop, and what is done to them.

use burnside_diag::Span;
use burnside_ir::{GlobalId, LocalId};

use super::Argument;

/// What a place is a part of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Whole {
    Global(GlobalId),
    /// A variable of the frame that contains the loop.
    Local(LocalId),
    /// What a reference parameter of that frame stands for: any global, or a variable of a caller.
    Passed(LocalId),
    /// What any other reference that is made outside the loop stands for: anything.
    Unknown(LocalId),
}

/// One step from a whole to a part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Part {
    Field(u32),
    /// Indexed by the loop's variable.
    Own,
    /// The elements of a multiset in which these fields hold the loop's variable.
    Keyed(Vec<u32>),
    /// The room that is left in a multiset. It is no part of any element.
    Room,
    Any,
}

/// A place relative to the loop's variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Spot {
    pub(super) whole: Whole,
    pub(super) parts: Vec<Part>,
}

/// What is done to a spot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Deed {
    Read,
    /// Stores a value that is the same in every round: two equal keys store the same.
    Store(Key),
    /// Adds a constant of this sign.
    Add(i64),
    /// Puts an element into a multiset, or takes up room in one.
    Insert,
    /// Gives back room in a multiset.
    Free,
    /// Undefines everything, multisets included: elements are taken away from under what is done to them, so this is not
    /// like storing "undefined" in their parts.
    Empty,
    Write,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Key {
    Undefined,
    Const(i64),
    /// A value computed by this expression of the loop itself (not of a function, which may be called with several
    /// arguments), the same in every round. Expressions are told apart by where they lie in memory: spans would not do,
    /// since models read from IR text need not have any.
    Site(usize),
}

#[derive(Debug)]
pub(super) struct Touch {
    pub(super) spot: Spot,
    pub(super) deed: Deed,
    pub(super) span: Span,
}

impl Touch {
    /// Why this in one round does not disturb another round.
    pub(super) fn argument(&self) -> Option<Argument> {
        let parts = &self.spot.parts;
        match self.deed {
            Deed::Read => None,
            _ if parts.contains(&Part::Own) => Some(Argument::OwnPlaces),
            _ if parts.iter().any(|part| matches!(part, Part::Keyed(_) | Part::Room)) => Some(Argument::OwnElements),
            Deed::Store(_) | Deed::Empty => Some(Argument::SameValue),
            Deed::Add(_) => Some(Argument::Sums),
            Deed::Insert => Some(Argument::Insertions),
            // Neither is done to what rounds share, in a loop whose rounds commute.
            Deed::Free | Deed::Write => None,
        }
    }
}

impl Deed {
    /// Whether doing both to one spot, in either order, gives the same contents, and the same decision whether there
    /// is a fault.
    ///
    // SOUND: sums of constants of one sign grow steadily, so one of the partial sums leaves the target's range exactly
    // if the last one does. In the same way elements overflow a multiset in every order or in none, as long as none is
    // taken out in between; which slots they get is not seen by anything that `infer` admits.
    pub(super) fn commutes(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Read, Self::Read) | (Self::Insert, Self::Insert) | (Self::Free, Self::Free) => true,
            (Self::Empty, Self::Empty) => true,
            (Self::Store(one), Self::Store(other)) => one == other,
            (Self::Add(one), Self::Add(other)) => one == other,
            _ => false,
        }
    }
}

impl Spot {
    /// Whether every path to the place is the same in all rounds or the round's own, so that equal spots of one round
    /// are the same place.
    pub(super) fn is_exact(&self) -> bool {
        self.parts.iter().all(|part| matches!(part, Part::Field(_) | Part::Own))
    }

    /// Whether the place is the same in every round.
    pub(super) fn is_common(&self) -> bool {
        self.parts.iter().all(|part| matches!(part, Part::Field(_)))
    }

    /// Whether this spot in one round and the other spot in another round cannot overlap.
    pub(super) fn disjoint_in_other_round(&self, other: &Self) -> bool {
        match (self.whole, other.whole) {
            (one, other) if one == other => {}
            (Whole::Unknown(_), _) | (_, Whole::Unknown(_)) => return false,
            (Whole::Passed(_), Whole::Passed(_) | Whole::Global(_)) | (Whole::Global(_), Whole::Passed(_)) => {
                return false;
            }
            _ => return true,
        }
        self.parts.iter().zip(&other.parts).any(|pair| match pair {
            (Part::Field(one), Part::Field(other)) => one != other,
            (Part::Keyed(one), Part::Keyed(other)) => one == other,
            (Part::Own, Part::Own) | (Part::Keyed(_), Part::Room) | (Part::Room, Part::Keyed(_)) => true,
            _ => false,
        })
    }
}
