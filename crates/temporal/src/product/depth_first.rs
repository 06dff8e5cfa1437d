//! The check while the graph is made, depth first, after Couvreur (FM 1999), with classes of colours.
//!
//! The path from the search's root goes through components that may still grow. Each keeps the colours seen in it, the
//! classes of colours that closed walks have joined, and the colours of the step into it, all in the names of the root. A
//! step back to a live node merges the components above it. As soon as one sees every class, there is an accepting
//! execution; what the automaton cannot follow is never visited.
//!
//! SOUND: a component's classes are those of Theorem 2 for the steps explored so far, since every step inside it either is
//! one of the tree that frames are taken along, which joins nothing, or closed a walk when it was explored. Merging keeps
//! that: frames of all live nodes are in the names of one root.
//!
//! Strongly fair units are no condition here; a component that sees everything else is looked at closely when that happens
//! and once more when it is complete.

use burnside_group::DisjointSets;
use rustc_hash::FxHashSet;

use super::accept::accepting_part;
use super::lasso::{Lasso, extract, stem};
use super::nodes::{Node, Product, ProductStart};
use super::region::{Places, Region};
use super::sight::Sight;
use super::threads::frame_after;
use crate::colours::{Colour, Palette};
use crate::frames::{FrameId, IDENTITY};
use crate::graph::{Fairness, Quotient};
use crate::observer::Observer;

/// What a depth-first check found.
#[derive(Clone, Debug)]
pub struct DepthFirst {
    /// The number of nodes visited.
    pub n_nodes: usize,
    /// The number of steps explored.
    pub n_steps: usize,
    /// A fair execution that the observer accepts, if there is one.
    pub finding: Option<Lasso>,
}

/// Looks for a fair execution that the observer accepts and stops at the first one.
pub fn search_depth_first<G: Quotient>(graph: &G, observer: &Observer, fairness: &Fairness) -> DepthFirst {
    let mut product = Product::new(graph, observer);
    let starts = product.starts();
    let palette = Palette::new(graph, observer, fairness);
    let mut search = Search {
        product,
        palette,
        places: Places::default(),
        spare: Vec::new(),
        numbers: Vec::new(),
        n_visited: 0,
        n_steps: 0,
        live: Vec::new(),
        candidates: Vec::new(),
    };
    for start in &starts {
        if search.number(start.node) == Number::Unknown
            && let Some(region) = search.tree(start.node)
        {
            return search.report(&starts, Some(region));
        }
    }
    search.report(&starts, None)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Number {
    Unknown,
    /// On the path or in a component that is: the order of the first visit, and the frame in the root's names.
    Live(u32, FrameId),
    Dead,
}

/// A component on the path that may still grow.
struct Candidate {
    /// The number of its first node.
    first: u32,
    classes: DisjointSets,
    seen: FxHashSet<Colour>,
    /// The colours of the step that leads into it.
    entering: Vec<Colour>,
    /// Whether it was looked at closely for strong fairness.
    was_examined: bool,
}

struct Search<'a, G> {
    product: Product<'a, G>,
    palette: Palette<'a, G>,
    places: Places,
    /// Memory of nodes that are no longer on the path.
    spare: Vec<Sight>,
    numbers: Vec<Number>,
    n_visited: usize,
    n_steps: usize,
    live: Vec<Node>,
    candidates: Vec<Candidate>,
}

/// A node on the path with its steps and the number of the next one to be explored.
struct OnPath {
    node: Node,
    frame: FrameId,
    sight: Sight,
    next: usize,
}

impl<G: Quotient> Search<'_, G> {
    fn number(&self, node: Node) -> Number {
        self.numbers.get(node as usize).copied().unwrap_or(Number::Unknown)
    }

    /// Searches what a root reaches and nobody has visited. A region with an accepting execution ends it.
    fn tree(&mut self, root: Node) -> Option<Region> {
        let mut path = vec![self.enter(root, IDENTITY, Vec::new())];
        while let Some(top) = path.last_mut() {
            let (node, frame, at) = (top.node, top.frame, top.next);
            if at == top.sight.row.len() {
                self.spare.extend(path.pop().map(|top| top.sight));
                if let Some(region) = self.leave(node) {
                    return Some(region);
                }
                continue;
            }
            top.next += 1;
            let step = top.sight.row.get(at);
            self.n_steps += 1;
            match self.number(step.target) {
                Number::Dead => {}
                Number::Unknown => {
                    let seen = self.colours_of(&top.sight, at, frame);
                    let frame = frame_after(&mut self.product.frames, frame, step.renaming);
                    path.push(self.enter(step.target, frame, seen));
                }
                Number::Live(number, target_frame) => {
                    let seen = self.colours_of(&top.sight, at, frame);
                    let there = frame_after(&mut self.product.frames, frame, step.renaming);
                    let back = self.product.frames.inverse(target_frame);
                    let walk = self.product.frames.then(back, there);
                    self.merge(number, seen, walk);
                    if let Some(region) = self.examine(false) {
                        return Some(region);
                    }
                }
            }
        }
        None
    }

    /// The colours that a step sees, in the names of the root.
    fn colours_of(&mut self, sight: &Sight, at: usize, frame: FrameId) -> Vec<Colour> {
        let images = self.palette.images(frame, &self.product.frames).clone();
        let mut seen = Vec::new();
        sight.for_each_seen(at, (&self.product, &self.palette), |colour| seen.push(images[colour as usize]));
        seen
    }

    fn enter(&mut self, node: Node, frame: FrameId, entering: Vec<Colour>) -> OnPath {
        let number = self.n_visited as u32;
        self.n_visited += 1;
        if self.numbers.len() <= node as usize {
            self.numbers.resize(node as usize + 1, Number::Unknown);
        }
        self.numbers[node as usize] = Number::Live(number, frame);
        self.live.push(node);
        let mut classes = DisjointSets::new(self.palette.len());
        for symmetry in self.product.silent_moves(node) {
            let back = self.product.frames.inverse(frame);
            let turned = self.product.frames.then(back, symmetry);
            let turned = self.product.frames.then(turned, frame);
            self.join(&mut classes, turned);
        }
        let seen = FxHashSet::default();
        self.candidates.push(Candidate { first: number, classes, seen, entering, was_examined: false });
        let mut sight = self.spare.pop().unwrap_or_default();
        sight.look(node, &mut self.product, &self.palette);
        OnPath { node, frame, sight, next: 0 }
    }

    fn join(&mut self, classes: &mut DisjointSets, walk: FrameId) {
        if walk != IDENTITY {
            let images = self.palette.images(walk, &self.product.frames);
            for (colour, &image) in images.iter().enumerate() {
                classes.merge(colour, image as usize);
            }
        }
    }

    /// Makes one component of all down to that of a live node, closed by a walk that sees these colours.
    fn merge(&mut self, number: u32, seen: Vec<Colour>, walk: FrameId) {
        let mut merged = self.candidates.pop().expect("a step leaves a component");
        merged.seen.extend(seen);
        while merged.first > number {
            let mut below = self.candidates.pop().expect("the live node has a component");
            merged.seen.extend(merged.entering.drain(..));
            for colour in 0..self.palette.len() {
                merged.classes.merge(colour, below.classes.find(colour));
            }
            merged.seen.extend(below.seen.iter().copied());
            merged.was_examined |= below.was_examined;
            (merged.first, merged.entering) = (below.first, below.entering);
        }
        let mut classes = merged.classes;
        self.join(&mut classes, walk);
        merged.classes = classes;
        self.candidates.push(merged);
    }

    /// The region of the last component if it has an accepting execution.
    fn examine(&mut self, is_complete: bool) -> Option<Region> {
        let candidate = self.candidates.last_mut().expect("a component is being searched");
        let classes = &mut candidate.classes;
        let hit: FxHashSet<usize> = candidate.seen.iter().map(|&colour| classes.find(colour as usize)).collect();
        let sees_all = self.palette.unconditional().all(|colour| hit.contains(&classes.find(colour as usize)));
        let is_due = is_complete || !candidate.was_examined;
        if !sees_all || !is_due {
            return None;
        }
        candidate.was_examined = true;
        let first = candidate.first;
        let is_member = |&&node: &&Node| matches!(self.number(node), Number::Live(number, _) if number >= first);
        let mut nodes: Vec<Node> = self.live.iter().filter(is_member).copied().collect();
        nodes.sort_unstable();
        let region = self.places.claim(nodes);
        accepting_part(region, &mut self.places, &mut self.palette, &mut self.product)
    }

    /// Ends a node; if it is the first of its component, the component is complete.
    fn leave(&mut self, node: Node) -> Option<Region> {
        let Number::Live(number, _) = self.number(node) else { unreachable!("a node on the path is live") };
        let candidate = self.candidates.last().expect("the node has a component");
        if candidate.first != number {
            return None;
        }
        // Without strongly fair units nothing new can be found: it was examined when it saw everything.
        if !self.palette.strong().is_empty()
            && candidate.was_examined
            && let Some(region) = self.examine(true)
        {
            return Some(region);
        }
        self.candidates.pop();
        while let Some(&last) = self.live.last()
            && matches!(self.number(last), Number::Live(of_last, _) if of_last >= number)
        {
            self.numbers[last as usize] = Number::Dead;
            self.live.pop();
        }
        None
    }

    fn report(mut self, starts: &[ProductStart], region: Option<Region>) -> DepthFirst {
        let finding = region.map(|region| {
            let goals: FxHashSet<Node> = region.nodes.iter().copied().collect();
            let numbers = &self.numbers;
            let was_visited = |node: Node| numbers.get(node as usize).is_some_and(|number| *number != Number::Unknown);
            let visited: Vec<ProductStart> = starts.iter().filter(|start| was_visited(start.node)).cloned().collect();
            let entry = stem(&mut self.product, &visited, was_visited, |_, node| goals.contains(&node));
            let entry = entry.expect("the search came there");
            extract(&mut self.product, &mut self.palette, entry, (&region, &self.places))
        });
        DepthFirst { n_nodes: self.n_visited, n_steps: self.n_steps, finding }
    }
}
