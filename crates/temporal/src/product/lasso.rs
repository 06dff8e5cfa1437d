//! Concrete executions: a stem and a loop that really comes back.
//!
//! A closed walk of the product comes back to a node, but in another frame: the names have moved. So it is gone round until
//! the concrete node repeats. Every round sees every colour that is needed, because it sees the images of all of them under
//! one permutation, and all of them is closed under permutations; so the loop is fair wherever it begins.

use std::collections::VecDeque;

use burnside_group::Permutation;
use rustc_hash::FxHashMap;

use super::nodes::{Node, Product, ProductStart, StepRow};
use super::region::{Places, Region};
use super::sight::Sight;
use super::threads::frame_after;
use crate::colours::{Colour, Palette};
use crate::frames::FrameId;
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

/// The stem that ends in a node of the region, and a loop from there. The region is an accepting part.
pub(crate) fn extract<G: Quotient>(
    product: &mut Product<'_, G>,
    palette: &mut Palette<'_, G>,
    entry: Entry,
    (region, places): (&Region, &Places),
) -> Lasso {
    let mut walk = Walk {
        product,
        palette,
        region,
        places,
        sight: Sight::default(),
        hops: Vec::new(),
        at: entry.node,
        frame: entry.frame,
    };
    walk.see_everything(entry.node, entry.frame);
    let hops = walk.hops;
    let (cycle, rounds) = go_round(product, entry.node, entry.frame, &hops);
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

/// How a node was found: not at all, as a start, or from a node by the step with a number.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FoundBy {
    Nothing,
    Start,
    Step(Node, u32),
}

/// A shortest way from a start to a node that is looked for, through nodes that may be used.
pub(crate) fn stem<G: Quotient>(
    product: &mut Product<'_, G>,
    starts: &[ProductStart],
    may_use: impl Fn(Node) -> bool,
    is_goal: impl Fn(&Product<'_, G>, Node) -> bool,
) -> Option<Entry> {
    let mut ways = vec![FoundBy::Nothing; product.n_nodes()];
    starts.iter().for_each(|start| ways[start.node as usize] = FoundBy::Start);
    let mut queue: VecDeque<Node> = starts.iter().map(|start| start.node).collect();
    let mut row = StepRow::default();
    while let Some(node) = queue.pop_front() {
        if is_goal(product, node) {
            return Some(retrace(product, starts, &ways, node));
        }
        product.steps(node, &mut row);
        ways.resize(product.n_nodes(), FoundBy::Nothing);
        for (step, at) in row.iter().zip(0..) {
            let way = &mut ways[step.target as usize];
            if *way == FoundBy::Nothing && may_use(step.target) {
                *way = FoundBy::Step(node, at);
                queue.push_back(step.target);
            }
        }
    }
    None
}

fn retrace<G: Quotient>(product: &mut Product<'_, G>, starts: &[ProductStart], ways: &[FoundBy], goal: Node) -> Entry {
    let mut path = Vec::new();
    let mut first = goal;
    while let FoundBy::Step(before, at) = ways[first as usize] {
        path.push((before, at));
        first = before;
    }
    path.reverse();
    let start = starts.iter().find(|start| start.node == first).expect("a way begins with a start");
    let mut frame = start.frame;
    let mut steps = Vec::new();
    let mut row = StepRow::default();
    for (node, at) in path {
        product.steps(node, &mut row);
        steps.push(concrete(product, node, frame, (&row, at as usize)));
        frame = frame_after(&mut product.frames, frame, row.get(at as usize).renaming);
    }
    Entry { start: start.start, steps, node: goal, frame }
}

fn concrete<G: Quotient>(
    product: &mut Product<'_, G>,
    node: Node,
    frame: FrameId,
    (row, at): (&StepRow, usize),
) -> LassoStep {
    let step = row.get(at);
    let instance = product.frames.then(step.turned, frame);
    let by = product.frames.get(frame);
    LassoStep {
        state: product.state(node),
        frame: by.clone(),
        label: step.label,
        instance: product.frames.get(instance).clone(),
        taken: row.taken(at).iter().map(|&unit| product.graph.unit_image(unit, by)).collect::<Vec<Unit>>(),
    }
}

/// A part of a walk inside a region.
#[derive(Clone, Copy, Debug)]
enum Hop {
    /// The step of a node with a number, and its renaming.
    Step(Node, u32, FrameId),
    /// Other names for the same concrete node, by a symmetry of the node: needed where steps were left out for it.
    Turn(FrameId),
}

impl Hop {
    fn renaming(self) -> FrameId {
        match self {
            Hop::Step(_, _, renaming) | Hop::Turn(renaming) => renaming,
        }
    }
}

/// What a walk looks for.
#[derive(Clone, Copy)]
enum Goal {
    /// A step that sees a colour, given in the names of the node where the walk is.
    Colour(Colour),
    /// A step to a node.
    Node(Node),
}

/// A node, and the colour looked for in its names, if it is a colour.
type Spot = (Node, Option<Colour>);

struct Walk<'w, 'a, 'b, G> {
    product: &'w mut Product<'a, G>,
    palette: &'w mut Palette<'b, G>,
    region: &'w Region,
    places: &'w Places,
    sight: Sight,
    hops: Vec<Hop>,
    at: Node,
    frame: FrameId,
}

impl<G: Quotient> Walk<'_, '_, '_, G> {
    /// Sees every colour that can be seen, then comes back to the node it began with.
    fn see_everything(&mut self, base: Node, base_frame: FrameId) {
        for colour in 0..self.palette.len() as Colour {
            if self.has_seen(colour, base_frame) {
                continue;
            }
            let back = self.product.frames.inverse(self.frame);
            let local = self.palette.image(colour, back, &self.product.frames);
            let way = self.search(Goal::Colour(local));
            // A strongly fair unit that is nowhere enabled here is not seen, and need not be.
            assert!(
                way.is_some() || self.palette.strong().contains(&colour),
                "the classes promise that colour {colour} is seen"
            );
            self.follow(&way.unwrap_or_default());
        }
        if self.hops.is_empty() || self.at != base {
            let way = self.search(Goal::Node(base));
            self.follow(&way.expect("the region is strongly connected"));
        }
    }

    fn look(&mut self, node: Node) {
        let (region, places) = (self.region, self.places);
        let is_inside = |target| places.place(region, target).is_some();
        self.sight.look_inside(node, self.product, self.palette, is_inside);
    }

    fn has_seen(&mut self, colour: Colour, mut frame: FrameId) -> bool {
        for at in 0..self.hops.len() {
            let hop = self.hops[at];
            if let Hop::Step(node, step, _) = hop {
                let back = self.product.frames.inverse(frame);
                let local = self.palette.image(colour, back, &self.product.frames);
                self.look(node);
                if self.sight.sees(step as usize, local, (self.product, self.palette)) {
                    return true;
                }
            }
            frame = frame_after(&mut self.product.frames, frame, hop.renaming());
        }
        false
    }

    fn follow(&mut self, way: &[Hop]) {
        for &hop in way {
            self.frame = frame_after(&mut self.product.frames, self.frame, hop.renaming());
            if let Hop::Step(node, at, _) = hop {
                self.product.steps(node, &mut self.sight.row);
                self.at = self.sight.row.get(at as usize).target;
            }
            self.hops.push(hop);
        }
    }

    /// A shortest way from where the walk is that ends with a step that is looked for, if there is one: breadth first over
    /// nodes together with the colour in their names.
    fn search(&mut self, goal: Goal) -> Option<Vec<Hop>> {
        let colour = match goal {
            Goal::Colour(colour) => Some(colour),
            Goal::Node(_) => None,
        };
        let from: Spot = (self.at, colour);
        let mut ways: FxHashMap<Spot, Option<(Spot, Hop)>> = FxHashMap::default();
        ways.insert(from, None);
        let mut queue = VecDeque::from([from]);
        while let Some(here) = queue.pop_front() {
            let (node, colour) = here;
            for symmetry in self.product.silent_moves(node) {
                let there = (node, self.renamed(colour, symmetry));
                ways.entry(there).or_insert_with(|| {
                    // A turn costs nothing.
                    queue.push_front(there);
                    Some((here, Hop::Turn(symmetry)))
                });
            }
            self.look(node);
            for at in 0..self.sight.row.len() {
                let step = self.sight.row.get(at);
                if self.places.place(self.region, step.target).is_none() {
                    continue;
                }
                let hop = Hop::Step(node, at as u32, step.renaming);
                let is_last = match (goal, colour) {
                    (Goal::Node(node), _) => step.target == node,
                    (Goal::Colour(_), colour) => {
                        let colour = colour.expect("a colour is looked for");
                        self.sight.sees(at, colour, (self.product, self.palette))
                    }
                };
                if is_last {
                    return Some(way_to(&ways, here, hop));
                }
                let there = (step.target, self.renamed(colour, step.renaming));
                ways.entry(there).or_insert_with(|| {
                    queue.push_back(there);
                    Some((here, hop))
                });
            }
        }
        None
    }

    fn renamed(&mut self, colour: Option<Colour>, by: FrameId) -> Option<Colour> {
        colour.map(|colour| self.palette.image(colour, by, &self.product.frames))
    }
}

/// The hops to a spot, then one more.
fn way_to(ways: &FxHashMap<Spot, Option<(Spot, Hop)>>, mut spot: Spot, last: Hop) -> Vec<Hop> {
    let mut way = vec![last];
    while let Some((before, hop)) = ways[&spot] {
        way.push(hop);
        spot = before;
    }
    way.reverse();
    way
}

/// Goes round a closed walk until the concrete node repeats.
fn go_round<G: Quotient>(
    product: &mut Product<'_, G>,
    base: Node,
    base_frame: FrameId,
    walk: &[Hop],
) -> (Vec<LassoStep>, usize) {
    let mut cycle = Vec::new();
    let mut frame = base_frame;
    let mut row = StepRow::default();
    for rounds in 1.. {
        for &hop in walk {
            if let Hop::Step(node, at, _) = hop {
                product.steps(node, &mut row);
                cycle.push(concrete(product, node, frame, (&row, at as usize)));
            }
            frame = frame_after(&mut product.frames, frame, hop.renaming());
        }
        let (now, then) = (product.frames.get(frame), product.frames.get(base_frame));
        // The concrete node after k rounds is the image of the first under the k-th power of one permutation, so the
        // first that repeats is the first one.
        if product.is_same(base, now, then) || mutant::is(Mutant::OneRound) {
            return (cycle, rounds);
        }
    }
    unreachable!("a power of a permutation is the identity")
}
