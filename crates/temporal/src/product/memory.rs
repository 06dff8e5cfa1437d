//! What observers remember, with its images under permutations and its moves, each computed once.

use std::ops::Range;

use rustc_hash::FxHashMap;

use crate::automaton::Valuation;
use crate::frames::{FrameId, Frames, IDENTITY};
use crate::observer::{Observed, Observer};

/// What an observer remembers, by number.
pub(crate) type ObservedId = u32;

/// All moves of what is remembered where propositions have certain values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MovesId(u32);

/// A number that nothing has.
const NONE: u32 = u32::MAX;

/// What observers remember.
#[derive(Default)]
pub(crate) struct Memory {
    observed: Vec<Observed>,
    ids: FxHashMap<Observed, ObservedId>,
    /// By permutation, then by what is remembered.
    images: Vec<Vec<ObservedId>>,
    /// The values of the propositions for each copy.
    valuations: FxHashMap<Box<[Valuation]>, u32>,
    /// By what is remembered and the values of the propositions.
    moves: FxHashMap<(ObservedId, u32), MovesId>,
    /// For each set of moves, where they end in `moved`.
    end_moves: Vec<u32>,
    /// What is remembered after each move.
    moved: Vec<ObservedId>,
    /// For each move, where its colours end.
    end_colours: Vec<u32>,
    colours: Vec<u32>,
}

impl Memory {
    pub(crate) fn get(&self, id: ObservedId) -> &Observed {
        &self.observed[id as usize]
    }

    pub(crate) fn intern(&mut self, observed: Observed) -> ObservedId {
        if let Some(&id) = self.ids.get(&observed) {
            return id;
        }
        let id = self.observed.len() as ObservedId;
        self.observed.push(observed.clone());
        self.ids.insert(observed, id);
        id
    }

    pub(crate) fn image(&mut self, observer: &Observer, id: ObservedId, by: FrameId, frames: &Frames) -> ObservedId {
        if by == IDENTITY {
            return id;
        }
        if let Some(&image) = self.images.get(by.index()).and_then(|images| images.get(id as usize))
            && image != NONE
        {
            return image;
        }
        let image = self.intern(observer.rename(self.get(id), frames.get(by)));
        if self.images.len() <= by.index() {
            self.images.resize_with(by.index() + 1, Vec::new);
        }
        let images = &mut self.images[by.index()];
        if images.len() <= id as usize {
            images.resize(id as usize + 1, NONE);
        }
        images[id as usize] = image;
        image
    }

    /// All moves where the propositions have these values for each copy.
    pub(crate) fn moves(&mut self, observer: &Observer, id: ObservedId, valuations: &[Valuation]) -> MovesId {
        let valuation = match self.valuations.get(valuations) {
            Some(&known) => known,
            None => {
                let next = self.valuations.len() as u32;
                self.valuations.insert(valuations.into(), next);
                next
            }
        };
        if let Some(&moves) = self.moves.get(&(id, valuation)) {
            return moves;
        }
        let arguments = self.get(id).arguments.clone();
        for found in observer.moves(self.get(id), valuations) {
            let after = Observed { arguments: arguments.clone(), copies: found.copies.into() };
            let after = self.intern(after);
            self.moved.push(after);
            self.colours.extend(found.colours);
            self.end_colours.push(self.colours.len() as u32);
        }
        let moves = MovesId(self.end_moves.len() as u32);
        self.end_moves.push(self.moved.len() as u32);
        self.moves.insert((id, valuation), moves);
        moves
    }

    /// The numbers of the moves.
    pub(crate) fn places(&self, moves: MovesId) -> Range<u32> {
        let at = moves.0 as usize;
        at.checked_sub(1).map_or(0, |before| self.end_moves[before])..self.end_moves[at]
    }

    /// What is remembered after a move and a renaming.
    pub(crate) fn moved(&mut self, observer: &Observer, place: u32, by: FrameId, frames: &Frames) -> ObservedId {
        let after = self.moved[place as usize];
        self.image(observer, after, by, frames)
    }

    /// The colours that a move sees, ascending.
    pub(crate) fn colours(&self, place: u32) -> &[u32] {
        let at = place as usize;
        let begin = at.checked_sub(1).map_or(0, |before| self.end_colours[before]);
        &self.colours[begin as usize..self.end_colours[at] as usize]
    }
}
