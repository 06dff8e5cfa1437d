//! Concrete executions: a stem and a loop that really comes back.
//!
//! A closed walk of the product comes back to a node, but in another frame: the names have moved. So it is gone round until
//! the concrete node repeats. Every round sees every colour that is needed, because it sees the images of all of them under
//! one permutation, and all of them is closed under permutations; so the loop is fair wherever it begins.

use std::collections::VecDeque;

use burnside_group::Permutation;
use rustc_hash::FxHashMap;

use super::nodes::{Node, Product, ProductStart};
use super::region::{Region, RegionStep};
use super::threads::frame_after;
use crate::colours::{Colour, Palette};
use crate::frames::{FrameId, Frames};
use crate::graph::{Point, Quotient, State, Unit};
use crate::mutant::{self, Mutant};

/// One step of a concrete execution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LassoStep {
    /// The representative it leaves.
    pub state: State,
    /// From names in the representative to concrete names; applied to the representative it gives the concrete state.
    pub frame: Permutation,
    /// The label of the graph's step.
    pub label: u32,
    /// From names at the graph's step to concrete names; applied to the step's rule instance it gives the concrete one.
    pub instance: Permutation,
    /// The fair units that take the step, by concrete names.
    pub taken: Vec<Unit>,
}

/// An infinite execution: a stem, then a loop for ever.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lasso {
    /// The start of the graph that it begins with.
    pub start: usize,
    /// The steps before the loop.
    pub stem: Vec<LassoStep>,
    /// The steps of the loop; the last one leads back to the concrete state of the first.
    pub cycle: Vec<LassoStep>,
    /// The concrete values of the outer variables.
    pub arguments: Vec<Point>,
    /// How often the closed walk of the product was gone round.
    pub rounds: usize,
}

/// Ways to nodes: for each the node before it and the step from there; nothing at the beginning.
type Way<K, H> = FxHashMap<K, Option<(K, H)>>;

/// The stem that ends in a node of the region, and a loop from there. The region is an accepting part.
pub(crate) fn extract<G: Quotient>(
    product: &mut Product<'_, G>,
    palette: &mut Palette<'_, G>,
    entry: Entry,
    region: &Region,
) -> Lasso {
    let base = region.nodes.iter().position(|&node| node == entry.node).expect("the stem leads into it") as u32;
    let mut walk = Walk { region, frames: &mut product.frames, hops: Vec::new(), at: base, frame: entry.frame };
    walk.see_everything(palette, base, entry.frame);
    let hops = walk.hops;
    let (cycle, rounds) = go_round(product, region, base, entry.frame, &hops);
    let arguments = product.arguments(entry.node, product.frames.get(entry.frame));
    Lasso { start: entry.start, stem: entry.steps, cycle, arguments, rounds }
}

/// Where a stem ends.
pub(crate) struct Entry {
    pub(crate) start: usize,
    pub(crate) steps: Vec<LassoStep>,
    pub(crate) node: Node,
    pub(crate) frame: FrameId,
}

/// A shortest way from a start to a node that is looked for, through nodes that may be used.
pub(crate) fn stem<G: Quotient>(
    product: &mut Product<'_, G>,
    starts: &[ProductStart],
    may_use: impl Fn(Node) -> bool,
    is_goal: impl Fn(&Product<'_, G>, Node) -> bool,
) -> Option<Entry> {
    let mut ways: Way<Node, usize> = starts.iter().map(|start| (start.node, None)).collect();
    let mut queue: VecDeque<Node> = starts.iter().map(|start| start.node).collect();
    while let Some(node) = queue.pop_front() {
        if is_goal(product, node) {
            return Some(retrace(product, starts, &ways, node));
        }
        for (at, step) in product.steps(node).into_iter().enumerate().filter(|(_, step)| may_use(step.target)) {
            ways.entry(step.target).or_insert_with(|| {
                queue.push_back(step.target);
                Some((node, at))
            });
        }
    }
    None
}

fn retrace<G: Quotient>(
    product: &mut Product<'_, G>,
    starts: &[ProductStart],
    ways: &Way<Node, usize>,
    goal: Node,
) -> Entry {
    let path = path_to(ways, goal);
    let first = path.first().map_or(goal, |&(node, _)| node);
    let start = starts.iter().find(|start| start.node == first).expect("a way begins with a start");
    let mut frame = start.frame;
    let mut steps = Vec::new();
    for (node, at) in path {
        let step = product.steps(node).swap_remove(at);
        steps.push(concrete(product, node, frame, (step.turned, step.label), &step.taken));
        frame = frame_after(&mut product.frames, frame, step.renaming);
    }
    Entry { start: start.start, steps, node: goal, frame }
}

/// The steps of a way, from its beginning on.
fn path_to<K: Copy + Eq + std::hash::Hash, H: Copy>(ways: &Way<K, H>, goal: K) -> Vec<(K, H)> {
    let mut path = Vec::new();
    let mut at = goal;
    while let Some((before, step)) = ways[&at] {
        path.push((before, step));
        at = before;
    }
    path.reverse();
    path
}

fn concrete<G: Quotient>(
    product: &mut Product<'_, G>,
    node: Node,
    frame: FrameId,
    (turned, label): (FrameId, u32),
    taken: &[Unit],
) -> LassoStep {
    let instance = product.frames.then(turned, frame);
    let by = product.frames.get(frame);
    LassoStep {
        state: product.state(node),
        frame: by.clone(),
        label,
        instance: product.frames.get(instance).clone(),
        taken: taken.iter().map(|&unit| product.graph.unit_image(unit, by)).collect(),
    }
}

/// A part of a walk inside a region.
#[derive(Clone, Copy, Debug)]
enum Hop {
    /// A step, by its place in the region.
    Step(usize),
    /// Other names for the same concrete node, by a symmetry of the node: needed where steps were left out for it.
    Turn(FrameId),
}

impl Hop {
    fn renaming(self, region: &Region) -> FrameId {
        match self {
            Hop::Step(at) => region.steps[at].renaming,
            Hop::Turn(symmetry) => symmetry,
        }
    }
}

struct Walk<'a> {
    region: &'a Region,
    frames: &'a mut Frames,
    hops: Vec<Hop>,
    at: u32,
    frame: FrameId,
}

impl Walk<'_> {
    /// Sees every colour that can be seen, then comes back to the node it began with.
    fn see_everything<G: Quotient>(&mut self, palette: &mut Palette<'_, G>, base: u32, base_frame: FrameId) {
        for colour in 0..palette.len() as Colour {
            if !self.has_seen(colour, palette, base_frame) {
                let found = self.go_and_see(colour, palette);
                // A strongly fair unit that is nowhere enabled here is not seen, and need not be.
                assert!(
                    found || palette.strong().contains(&colour),
                    "the classes promise that colour {colour} is seen"
                );
            }
        }
        if self.hops.is_empty() || self.at != base {
            let way = search(self.region, (self.at, 0), |step, _| step.to == base, |_, _| 0);
            self.follow(&way.expect("the region is strongly connected"));
        }
    }

    fn has_seen<G: Quotient>(&mut self, colour: Colour, palette: &mut Palette<'_, G>, mut frame: FrameId) -> bool {
        for &hop in &self.hops {
            let back = self.frames.inverse(frame);
            let local = palette.images(back, self.frames)[colour as usize];
            if matches!(hop, Hop::Step(at) if self.region.steps[at].seen.contains(&local)) {
                return true;
            }
            frame = frame_after(self.frames, frame, hop.renaming(self.region));
        }
        false
    }

    /// Goes the shortest way to a step that sees a concrete colour, if there is one.
    fn go_and_see<G: Quotient>(&mut self, colour: Colour, palette: &mut Palette<'_, G>) -> bool {
        let back = self.frames.inverse(self.frame);
        let local = palette.images(back, self.frames)[colour as usize];
        let frames: &Frames = self.frames;
        let rename = |by: FrameId, colour: Colour| palette.images(by, frames)[colour as usize];
        let way = search(self.region, (self.at, local), |step, colour| step.seen.contains(&colour), rename);
        if let Some(way) = &way {
            self.follow(way);
        }
        way.is_some()
    }

    fn follow(&mut self, way: &[Hop]) {
        for &hop in way {
            self.frame = frame_after(self.frames, self.frame, hop.renaming(self.region));
            if let Hop::Step(at) = hop {
                self.at = self.region.steps[at].to;
            }
            self.hops.push(hop);
        }
    }
}

/// A shortest way over pairs of a node and a colour in its names that ends with a step that is looked for.
fn search(
    region: &Region,
    from: (u32, Colour),
    is_last: impl Fn(&RegionStep, Colour) -> bool,
    mut rename: impl FnMut(FrameId, Colour) -> Colour,
) -> Option<Vec<Hop>> {
    let mut ways: Way<(u32, Colour), Hop> = FxHashMap::default();
    ways.insert(from, None);
    let mut queue = VecDeque::from([from]);
    while let Some(here) = queue.pop_front() {
        let (node, colour) = here;
        for &symmetry in &region.silent[node as usize] {
            let there = (node, rename(symmetry, colour));
            ways.entry(there).or_insert_with(|| {
                // A turn costs nothing.
                queue.push_front(there);
                Some((here, Hop::Turn(symmetry)))
            });
        }
        let first = region.first_step(node);
        for (offset, step) in region.steps_of(node).iter().enumerate() {
            let hop = Hop::Step(first + offset);
            if is_last(step, colour) {
                let mut way: Vec<Hop> = path_to(&ways, here).into_iter().map(|(_, hop)| hop).collect();
                way.push(hop);
                return Some(way);
            }
            let there = (step.to, rename(step.renaming, colour));
            ways.entry(there).or_insert_with(|| {
                queue.push_back(there);
                Some((here, hop))
            });
        }
    }
    None
}

/// Goes round a closed walk until the concrete node repeats.
fn go_round<G: Quotient>(
    product: &mut Product<'_, G>,
    region: &Region,
    base: u32,
    base_frame: FrameId,
    walk: &[Hop],
) -> (Vec<LassoStep>, usize) {
    let node = region.nodes[base as usize];
    let mut cycle = Vec::new();
    let mut frame = base_frame;
    for rounds in 1.. {
        for &hop in walk {
            if let Hop::Step(at) = hop {
                let step = &region.steps[at];
                let here = region.nodes[step.from as usize];
                cycle.push(concrete(product, here, frame, (step.turned, step.label), &step.taken));
            }
            frame = frame_after(&mut product.frames, frame, hop.renaming(region));
        }
        let (now, then) = (product.frames.get(frame), product.frames.get(base_frame));
        // The concrete node after k rounds is the image of the first under the k-th power of one permutation, so the
        // first that repeats is the first one.
        if product.is_same(node, now, then) || mutant::is(Mutant::OneRound) {
            return (cycle, rounds);
        }
    }
    unreachable!("a power of a permutation is the identity")
}
