//! Which colours an execution inside a component can turn into one another.
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

use super::region::Region;
use crate::colours::{Colour, Palette};
use crate::frames::{FrameId, Frames, IDENTITY};
use crate::graph::Quotient;
use crate::mutant::{self, Mutant};

/// Classes of colours in the frame of a component's first node.
pub(crate) struct Threads {
    /// For each node, from its names to those of the first node.
    frames: Vec<FrameId>,
    classes: DisjointSets,
}

impl Threads {
    /// The classes of a strongly connected region.
    pub(crate) fn new<G: Quotient>(region: &Region, palette: &mut Palette<'_, G>, frames: &mut Frames) -> Self {
        let mut threads = Threads { frames: tree(region, frames), classes: DisjointSets::new(palette.len()) };
        let mut done = Vec::new();
        for step in &region.steps {
            let (from, to) = (threads.frames[step.from as usize], threads.frames[step.to as usize]);
            let there = frame_after(frames, from, step.renaming);
            let back = frames.inverse(to);
            threads.join(frames.then(back, there), palette, frames, &mut done);
        }
        for (node, silent) in region.silent.iter().enumerate() {
            for &symmetry in silent {
                let own = threads.frames[node];
                let back = frames.inverse(own);
                let turned = frames.then(back, symmetry);
                let turned = frames.then(turned, own);
                if !mutant::is(Mutant::ForgetSilentMoves) {
                    threads.join(turned, palette, frames, &mut done);
                }
            }
        }
        threads
    }

    /// Joins every colour with its image under the permutation of a closed walk.
    fn join<G: Quotient>(
        &mut self,
        walk: FrameId,
        palette: &mut Palette<'_, G>,
        frames: &Frames,
        done: &mut Vec<FrameId>,
    ) {
        if walk == IDENTITY || done.contains(&walk) || mutant::is(Mutant::SkipClosedWalks) {
            return;
        }
        done.push(walk);
        for (colour, &image) in palette.images(walk, frames).iter().enumerate() {
            self.classes.merge(colour, image as usize);
        }
    }

    /// The class of a colour that is given in the names of the root.
    pub(crate) fn class(&mut self, colour: Colour) -> usize {
        self.classes.find(colour as usize)
    }

    /// The class of a colour that is given in the names of a node.
    pub(crate) fn class_at<G: Quotient>(
        &mut self,
        node: u32,
        colour: Colour,
        palette: &mut Palette<'_, G>,
        frames: &Frames,
    ) -> usize {
        let image = palette.images(self.frames[node as usize], frames)[colour as usize];
        self.class(image)
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

/// A frame for every node, along a shortest path from the first node.
fn tree(region: &Region, frames: &mut Frames) -> Vec<FrameId> {
    let mut found = vec![None; region.nodes.len()];
    found[0] = Some(IDENTITY);
    let mut queue = VecDeque::from([0]);
    while let Some(node) = queue.pop_front() {
        let own = found[node as usize].expect("queued nodes have a frame");
        for step in region.steps_of(node) {
            if found[step.to as usize].is_none() {
                found[step.to as usize] = Some(frame_after(frames, own, step.renaming));
                queue.push_back(step.to);
            }
        }
    }
    found.into_iter().map(|frame| frame.expect("the region is strongly connected")).collect()
}
