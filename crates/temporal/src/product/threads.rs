//! Which colours an execution inside a component can turn into one another, and which it sees.
//!
//! Fix a root and, for every node `u`, a path inside the component from the root to `u`; let `t(u)` be the frame along it,
//! from the names of `u` to those of the root. A step from `u` to `w` with renaming `r` closes a walk: down the path to
//! `u`, over the step, back up from `w`. Its permutation is `h = t(u) r⁻¹ t(w)⁻¹`.
//!
//! SOUND (Theorem 2 in `docs/internals/temporal.md`): the unwinding of the component from the root is one strongly connected
//! set of concrete nodes, and the colours seen in it are exactly the images, under the group that all `h` and the silent
//! moves generate, of the colours seen in the component, each brought to the root's frame. So only the orbits of that
//! group on colours matter: a union-find. Neither the group nor the unwinding is ever computed.

use std::collections::VecDeque;

use burnside_group::DisjointSets;
use rustc_hash::FxHashSet;

use super::nodes::Product;
use super::region::{Places, Region};
use super::sight::Sight;
use crate::colours::{Colour, Palette};
use crate::frames::{FrameId, Frames, IDENTITY};
use crate::graph::Quotient;
use crate::mutant::{self, Mutant};

/// Classes of colours in the frame of a component's first node, and which of them are seen.
pub(crate) struct Threads {
    /// For each node, from its names to those of the first node.
    frames: Vec<FrameId>,
    classes: DisjointSets,
    /// By colour, in the names of the first node; after the walk also by class.
    is_seen: Vec<bool>,
    /// Closed walks whose joins are done.
    joined: FxHashSet<FrameId>,
}

impl Threads {
    /// The classes of a strongly connected region. Every step is looked at once, breadth first: one that leads to a new
    /// node is of the tree that frames are taken along and joins nothing, every other closes a walk.
    pub(crate) fn new<G: Quotient>(
        region: &Region,
        places: &Places,
        palette: &mut Palette<'_, G>,
        product: &mut Product<'_, G>,
    ) -> Self {
        let mut threads = Threads {
            frames: vec![IDENTITY; region.nodes.len()],
            classes: DisjointSets::new(palette.len()),
            is_seen: vec![false; palette.len()],
            joined: FxHashSet::default(),
        };
        let mut is_found = vec![false; region.nodes.len()];
        is_found[0] = true;
        let mut queue = VecDeque::from([0_u32]);
        let mut sight = Sight::default();
        while let Some(place) = queue.pop_front() {
            let node = region.nodes[place as usize];
            let own = threads.frames[place as usize];
            sight.look_inside(node, product, palette, |target| places.place(region, target).is_some());
            for at in 0..sight.row.len() {
                let step = sight.row.get(at);
                let Some(to) = places.place(region, step.target) else { continue };
                threads.see_step(at, &sight, own, (product, palette));
                let there = frame_after(&mut product.frames, own, step.renaming);
                if is_found[to as usize] {
                    let back = product.frames.inverse(threads.frames[to as usize]);
                    let walk = product.frames.then(back, there);
                    threads.join(walk, palette, &product.frames);
                } else {
                    is_found[to as usize] = true;
                    threads.frames[to as usize] = there;
                    queue.push_back(to);
                }
            }
            for symmetry in product.silent_moves(node) {
                let back = product.frames.inverse(own);
                let turned = product.frames.then(back, symmetry);
                let turned = product.frames.then(turned, own);
                if !mutant::is(Mutant::ForgetSilentMoves) {
                    threads.join(turned, palette, &product.frames);
                }
            }
        }
        assert!(is_found.iter().all(|found| *found), "the region is strongly connected");
        for colour in 0..threads.is_seen.len() {
            let class = threads.classes.find(colour);
            threads.is_seen[class] |= threads.is_seen[colour];
        }
        threads
    }

    /// Notes the colours that a step sees.
    fn see_step<G: Quotient>(
        &mut self,
        at: usize,
        sight: &Sight,
        frame: FrameId,
        (product, palette): (&Product<'_, G>, &mut Palette<'_, G>),
    ) {
        if frame == IDENTITY {
            sight.for_each_seen(at, (product, palette), |colour| self.is_seen[colour as usize] = true);
            return;
        }
        let images = palette.images(frame, &product.frames).clone();
        sight.for_each_seen(at, (product, palette), |colour| self.is_seen[images[colour as usize] as usize] = true);
    }

    /// Joins every colour with its image under the permutation of a closed walk.
    fn join<G: Quotient>(&mut self, walk: FrameId, palette: &mut Palette<'_, G>, frames: &Frames) {
        if walk == IDENTITY || mutant::is(Mutant::SkipClosedWalks) || !self.joined.insert(walk) {
            return;
        }
        for (colour, &image) in palette.images(walk, frames).iter().enumerate() {
            self.classes.merge(colour, image as usize);
        }
    }

    /// Whether the class of a colour that is given in the names of the root is seen.
    pub(crate) fn is_seen(&mut self, colour: Colour) -> bool {
        self.is_seen[self.classes.find(colour as usize)]
    }

    /// The same for a colour that is given in the names of a node.
    pub(crate) fn is_seen_at<G: Quotient>(
        &mut self,
        place: u32,
        colour: Colour,
        palette: &mut Palette<'_, G>,
        frames: &Frames,
    ) -> bool {
        let image = palette.image(colour, self.frames[place as usize], frames);
        self.is_seen(image)
    }
}

/// The frame at the target of a step: first back to the names of the source, then by the source's frame.
pub(crate) fn frame_after(frames: &mut Frames, frame: FrameId, renaming: FrameId) -> FrameId {
    if mutant::is(Mutant::ForwardFrames) {
        return frames.then(renaming, frame);
    }
    let back = frames.inverse(renaming);
    frames.then(back, frame)
}
