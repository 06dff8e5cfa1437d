//! The colours that an execution must see again and again: those of the automata and the fair units.

use rustc_hash::FxHashMap;

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
    colour_of: FxHashMap<Unit, Colour>,
    images: FxHashMap<FrameId, std::rc::Rc<[Colour]>>,
}

impl<'a, G: Quotient> Palette<'a, G> {
    pub(crate) fn new(graph: &'a G, observer: &'a Observer, fairness: &Fairness) -> Self {
        let weak: Vec<Unit> = fairness.units(Strength::Weak).collect();
        let n_observer = observer.n_colours();
        let n_weak = weak.len() as u32;
        let units: Vec<Unit> = weak.into_iter().chain(fairness.units(Strength::Strong)).collect();
        let colour_of = units.iter().enumerate().map(|(at, &unit)| (unit, n_observer + at as Colour)).collect();
        Palette { graph, observer, n_observer, n_weak, units, colour_of, images: FxHashMap::default() }
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
        self.colour_of.get(&unit).copied()
    }

    /// The unit of a colour, if it is one.
    pub(crate) fn unit(&self, colour: Colour) -> Option<Unit> {
        self.units.get((colour.checked_sub(self.n_observer)?) as usize).copied()
    }

    /// Where all colours go.
    pub(crate) fn images(&mut self, by: FrameId, frames: &Frames) -> std::rc::Rc<[Colour]> {
        if let Some(images) = self.images.get(&by) {
            return images.clone();
        }
        let permutation = frames.get(by);
        let image = |colour: Colour| match self.unit(colour) {
            _ if by == IDENTITY => colour,
            None => self.observer.colour_image(colour, permutation),
            Some(unit) => self.colour_of[&self.graph.unit_image(unit, permutation)],
        };
        let images: std::rc::Rc<[Colour]> = (0..self.len() as Colour).map(image).collect();
        self.images.insert(by, images.clone());
        images
    }
}
