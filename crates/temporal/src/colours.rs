//! The colours that an execution must see again and again: those of the automata and the fair units.

use std::rc::Rc;

use crate::frames::{FrameId, Frames, IDENTITY};
use crate::graph::{Fairness, Quotient, Strength, Unit};
use crate::observer::Observer;

/// A colour: first those of the observer, then the weakly fair units, then the strongly fair ones.
pub(crate) type Colour = u32;

/// The colours of a check and how permutations move them.
pub(crate) struct Palette<'a, G> {
    graph: &'a G,
    observer: &'a Observer,
    n_observer: u32,
    n_weak: u32,
    units: Vec<Unit>,
    /// By unit.
    colour_of: Vec<Option<Colour>>,
    /// By permutation.
    images: Vec<Option<Rc<[Colour]>>>,
}

impl<'a, G: Quotient> Palette<'a, G> {
    pub(crate) fn new(graph: &'a G, observer: &'a Observer, fairness: &Fairness) -> Self {
        let weak: Vec<Unit> = fairness.units(Strength::Weak).collect();
        let n_observer = observer.n_colours();
        let n_weak = weak.len() as u32;
        let units: Vec<Unit> = weak.into_iter().chain(fairness.units(Strength::Strong)).collect();
        let mut colour_of = vec![None; units.iter().max().map_or(0, |&last| last as usize + 1)];
        for (&unit, colour) in units.iter().zip(n_observer..) {
            colour_of[unit as usize] = Some(colour);
        }
        Palette { graph, observer, n_observer, n_weak, units, colour_of, images: Vec::new() }
    }

    /// The number of colours.
    pub(crate) fn len(&self) -> usize {
        self.n_observer as usize + self.units.len()
    }

    /// The colours that must be seen whatever happens: all but those of strongly fair units.
    pub(crate) fn unconditional(&self) -> std::ops::Range<Colour> {
        0..self.n_observer + self.n_weak
    }

    /// The colours of strongly fair units.
    pub(crate) fn strong(&self) -> std::ops::Range<Colour> {
        self.n_observer + self.n_weak..self.len() as Colour
    }

    /// The colours of weakly fair units.
    pub(crate) fn weak(&self) -> std::ops::Range<Colour> {
        self.n_observer..self.n_observer + self.n_weak
    }

    /// The colour of a unit, if executions are fair to it.
    pub(crate) fn of_unit(&self, unit: Unit) -> Option<Colour> {
        self.colour_of.get(unit as usize).copied().flatten()
    }

    /// The unit of a colour, if it is one.
    pub(crate) fn unit(&self, colour: Colour) -> Option<Unit> {
        self.units.get((colour.checked_sub(self.n_observer)?) as usize).copied()
    }

    /// Whether executions are fair to anything.
    pub(crate) fn is_fair(&self) -> bool {
        !self.units.is_empty()
    }

    /// Where a colour goes.
    pub(crate) fn image(&mut self, colour: Colour, by: FrameId, frames: &Frames) -> Colour {
        if by == IDENTITY { colour } else { self.images(by, frames)[colour as usize] }
    }

    /// Where all colours go.
    pub(crate) fn images(&mut self, by: FrameId, frames: &Frames) -> &Rc<[Colour]> {
        let at = by.index();
        if self.images.len() <= at {
            self.images.resize(at + 1, None);
        }
        if self.images[at].is_none() {
            let permutation = frames.get(by);
            let image = |colour: Colour| match self.unit(colour) {
                _ if by == IDENTITY => colour,
                None => self.observer.colour_image(colour, permutation),
                Some(unit) => {
                    let image = self.of_unit(self.graph.unit_image(unit, permutation));
                    image.expect("units that renamings take to one another are treated alike")
                }
            };
            self.images[at] = Some((0..self.len() as Colour).map(image).collect());
        }
        self.images[at].as_ref().expect("just made")
    }
}
