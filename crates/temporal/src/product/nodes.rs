//! Nodes of the product and their steps.

use std::rc::Rc;

use burnside_group::Permutation;
use rustc_hash::{FxHashMap, FxHashSet};

use super::memory::{Memory, MovesId, ObservedId};
use crate::automaton::Valuation;
use crate::frames::{FrameId, Frames, IDENTITY};
use crate::graph::{Point, Quotient, RenamingId, State, Unit};
use crate::observer::{Observed, Observer, image};

/// A node of a [`Product`].
pub(crate) type Node = u32;

/// Where the product begins.
#[derive(Clone, Debug)]
pub(crate) struct ProductStart {
    pub(crate) node: Node,
    /// The start of the graph that it belongs to.
    pub(crate) start: usize,
    /// From the node's names to concrete names.
    pub(crate) frame: FrameId,
}

/// A step of the product. Its colours and the units that take it are in the names of the source.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ProductStep {
    pub(crate) target: Node,
    /// From names in the source to names in the target.
    pub(crate) renaming: FrameId,
    pub(crate) label: u32,
    /// From names at the graph's step to names in the source: not the identity where a step stands for its images.
    pub(crate) turned: FrameId,
    /// The number of the observer's move.
    moved: u32,
    /// Where the units that take it end in the row; they begin where those of the step before end.
    end_taken: u32,
}

/// The steps of one node, in memory that serves for one node after the other.
#[derive(Clone, Debug, Default)]
pub(crate) struct StepRow {
    steps: Vec<ProductStep>,
    taken: Vec<Unit>,
    own: Vec<OwnStep>,
    own_taken: Vec<Unit>,
}

impl StepRow {
    pub(crate) fn len(&self) -> usize {
        self.steps.len()
    }

    pub(crate) fn get(&self, at: usize) -> ProductStep {
        self.steps[at]
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = ProductStep> + '_ {
        self.steps.iter().copied()
    }

    /// The units that take a step.
    pub(crate) fn taken(&self, at: usize) -> &[Unit] {
        let begin = at.checked_sub(1).map_or(0, |before| self.steps[before].end_taken as usize);
        &self.taken[begin..self.steps[at].end_taken as usize]
    }
}

/// A graph's step without its borrowed parts.
#[derive(Clone, Copy, Debug)]
struct OwnStep {
    target: State,
    renaming: RenamingId,
    label: u32,
    end_taken: u32,
}

/// The images of what is remembered under a group that fixes the state.
struct Orbit {
    members: Vec<ObservedId>,
    /// For each member, a permutation of the group that takes the first member to it.
    transversal: Vec<FrameId>,
    /// Generators of the subgroup that fixes the first member.
    stabiliser: Vec<FrameId>,
}

/// States to a page of an [`Index`].
const PAGE: usize = 256;

/// A number that no node has.
const NONE: Node = Node::MAX;

/// Which node a state and what is remembered there are: for everything remembered, pages of states where there are some.
#[derive(Default)]
struct Index {
    pages: Vec<Vec<Option<Box<[Node; PAGE]>>>>,
}

impl Index {
    /// The place for a node's number.
    fn entry(&mut self, state: State, observed: ObservedId) -> &mut Node {
        let (page, at) = (state as usize / PAGE, state as usize % PAGE);
        if self.pages.len() <= observed as usize {
            self.pages.resize_with(observed as usize + 1, Vec::new);
        }
        let pages = &mut self.pages[observed as usize];
        if pages.len() <= page {
            pages.resize_with(page + 1, || None);
        }
        &mut pages[page].get_or_insert_with(|| Box::new([NONE; PAGE]))[at]
    }
}

/// What a node is made of.
#[derive(Clone, Copy)]
struct NodeParts {
    state: State,
    observed: ObservedId,
    /// The moves of the observer here, once they are known.
    moves: Option<MovesId>,
}

/// The product of a graph with an observer.
pub(crate) struct Product<'a, G> {
    pub(crate) graph: &'a G,
    pub(crate) observer: &'a Observer,
    pub(crate) frames: Frames,
    memory: Memory,
    nodes: Vec<NodeParts>,
    index: Index,
    /// By number of the graph's renaming.
    renamings: Vec<Option<FrameId>>,
    has_symmetries: bool,
    is_pruned: bool,
    symmetries: FxHashMap<State, Rc<[FrameId]>>,
    /// Where states have symmetries, the nodes that were asked for, with the permutations that lead there.
    merged: FxHashMap<(State, ObservedId), (Node, FrameId)>,
    own: Vec<(State, RenamingId)>,
    valuations: Vec<Valuation>,
}

impl<'a, G: Quotient> Product<'a, G> {
    pub(crate) fn new(graph: &'a G, observer: &'a Observer) -> Self {
        Product {
            graph,
            observer,
            frames: Frames::new(graph.degree()),
            memory: Memory::default(),
            nodes: Vec::new(),
            index: Index::default(),
            renamings: Vec::new(),
            has_symmetries: graph.has_symmetries(),
            is_pruned: graph.is_pruned(),
            symmetries: FxHashMap::default(),
            merged: FxHashMap::default(),
            own: Vec::new(),
            valuations: Vec::new(),
        }
    }

    pub(crate) fn n_nodes(&self) -> usize {
        self.nodes.len()
    }

    pub(crate) fn state(&self, node: Node) -> State {
        self.nodes[node as usize].state
    }

    pub(crate) fn observed(&self, node: Node) -> &Observed {
        self.memory.get(self.nodes[node as usize].observed)
    }

    /// The observer's colours that a step sees.
    pub(crate) fn colours(&self, step: &ProductStep) -> &[u32] {
        self.memory.colours(step.moved)
    }

    /// All starts of the graph with all values of the outer variables, each node once.
    pub(crate) fn starts(&mut self) -> Vec<ProductStart> {
        let mut starts: Vec<ProductStart> = Vec::new();
        let mut known: FxHashSet<Node> = FxHashSet::default();
        let beginnings: Vec<Observed> = self.observer.starts().collect();
        for (number, start) in self.graph.starts().into_iter().enumerate() {
            let to_concrete = self.frames.intern(start.frame);
            let to_local = self.frames.inverse(to_concrete);
            for observed in &beginnings {
                let id = self.memory.intern(observed.clone());
                let local = self.memory.image(self.observer, id, to_local, &self.frames);
                let (node, turn) = self.node(start.state, local);
                if known.insert(node) {
                    let back = self.frames.inverse(turn);
                    let frame = self.frames.then(back, to_concrete);
                    starts.push(ProductStart { node, start: number, frame });
                }
            }
        }
        starts
    }

    /// The node for what is remembered in the names of a representative.
    pub(crate) fn node_at(&mut self, state: State, observed: Observed) -> Node {
        let id = self.memory.intern(observed);
        self.node(state, id).0
    }

    /// The node of a state and what is remembered there, and a permutation that fixes the state and takes what is
    /// remembered to what the node has.
    ///
    /// SOUND: the permutation fixes the state, so both are names for the same concrete node; which of them is stored makes
    /// no difference (Lemma 1).
    fn node(&mut self, state: State, observed: ObservedId) -> (Node, FrameId) {
        if !self.has_symmetries {
            return (self.intern(state, observed), IDENTITY);
        }
        if let Some(&known) = self.merged.get(&(state, observed)) {
            return known;
        }
        let merged = self.merged_node(state, observed);
        self.merged.insert((state, observed), merged);
        merged
    }

    fn merged_node(&mut self, state: State, observed: ObservedId) -> (Node, FrameId) {
        if let Some(turn) = self.graph.to_first(state, &self.memory.get(observed).arguments) {
            let turn = self.frames.intern(turn);
            let image = self.memory.image(self.observer, observed, turn, &self.frames);
            return (self.intern(state, image), turn);
        }
        if self.symmetries(state).is_empty() {
            return (self.intern(state, observed), IDENTITY);
        }
        let orbit = self.orbit(state, observed);
        let least = |&at: &usize| self.memory.get(orbit.members[at]);
        let at = (0..orbit.members.len()).min_by_key(least).expect("an orbit has a member");
        (self.intern(state, orbit.members[at]), orbit.transversal[at])
    }

    fn intern(&mut self, state: State, observed: ObservedId) -> Node {
        let node = self.index.entry(state, observed);
        if *node == NONE {
            *node = self.nodes.len() as Node;
            self.nodes.push(NodeParts { state, observed, moves: None });
        }
        *node
    }

    fn symmetries(&mut self, state: State) -> Rc<[FrameId]> {
        if !self.symmetries.contains_key(&state) {
            let generators = self.graph.symmetries(state);
            let ids = generators.into_iter().map(|generator| self.frames.intern(generator)).collect();
            self.symmetries.insert(state, ids);
        }
        self.symmetries[&state].clone()
    }

    /// The orbit of what is remembered under the symmetries of a state, with Schreier's generators of the stabiliser.
    fn orbit(&mut self, state: State, observed: ObservedId) -> Orbit {
        let generators = self.symmetries(state);
        let mut orbit = Orbit { members: vec![observed], transversal: vec![IDENTITY], stabiliser: Vec::new() };
        let mut at = 0;
        while at < orbit.members.len() {
            for &generator in generators.iter() {
                let image = self.memory.image(self.observer, orbit.members[at], generator, &self.frames);
                let way = self.frames.then(orbit.transversal[at], generator);
                match orbit.members.iter().position(|&member| member == image) {
                    None => {
                        orbit.members.push(image);
                        orbit.transversal.push(way);
                    }
                    Some(known) => {
                        let back = self.frames.inverse(orbit.transversal[known]);
                        let closed = self.frames.then(way, back);
                        if closed != IDENTITY && !orbit.stabiliser.contains(&closed) {
                            orbit.stabiliser.push(closed);
                        }
                    }
                }
            }
            at += 1;
        }
        orbit
    }

    /// Generators of the symmetries of a node if steps were left out for them; none otherwise, when nobody needs them.
    pub(crate) fn silent_moves(&mut self, node: Node) -> Vec<FrameId> {
        if !self.is_pruned {
            return Vec::new();
        }
        let NodeParts { state, observed, .. } = self.nodes[node as usize];
        self.orbit(state, observed).stabiliser
    }

    /// All moves of what is remembered at a node.
    fn moves(&mut self, node: Node) -> MovesId {
        let NodeParts { state, observed, moves } = self.nodes[node as usize];
        if let Some(moves) = moves {
            return moves;
        }
        let arguments = &self.memory.get(observed).arguments;
        self.observer.valuations(self.graph, state, arguments, &mut self.valuations);
        let moves = self.memory.moves(self.observer, observed, &self.valuations);
        self.nodes[node as usize].moves = Some(moves);
        moves
    }

    /// The members of the orbit of what is remembered that steps must be given for, by the permutations that lead there.
    fn turns(&mut self, node: Node) -> Vec<FrameId> {
        let NodeParts { state, observed, .. } = self.nodes[node as usize];
        self.orbit(state, observed).transversal
    }

    /// The targets of a node's steps, some perhaps several times.
    pub(crate) fn targets(&mut self, node: Node, out: &mut Vec<Node>) {
        let moves = self.moves(node);
        if self.memory.places(moves).is_empty() {
            return;
        }
        let turns = if self.is_pruned { self.turns(node) } else { Vec::new() };
        let mut own = std::mem::take(&mut self.own);
        own.clear();
        self.graph.for_each_step(self.state(node), |step| own.push((step.target, step.renaming)));
        for &(target, renaming) in &own {
            let renaming = self.renaming(renaming);
            if self.is_pruned {
                for &turn in &turns {
                    let renaming = self.frames.then(turn, renaming);
                    self.targets_along(target, renaming, moves, out);
                }
            } else {
                self.targets_along(target, renaming, moves, out);
            }
        }
        self.own = own;
    }

    fn targets_along(&mut self, target: State, renaming: FrameId, moves: MovesId, out: &mut Vec<Node>) {
        for moved in self.memory.places(moves) {
            let there = self.memory.moved(self.observer, moved, renaming, &self.frames);
            out.push(self.node(target, there).0);
        }
    }

    /// The steps of a node, in a fixed order.
    ///
    /// SOUND: where the graph gives one step for all its images under the symmetries of the state, the node has an image of
    /// it for every member of the orbit of what is remembered: these are representatives of the images under the
    /// symmetries of the node, as Lemma 1 asks for.
    pub(crate) fn steps(&mut self, node: Node, row: &mut StepRow) {
        let StepRow { steps, taken, own, own_taken } = row;
        steps.clear();
        taken.clear();
        own.clear();
        own_taken.clear();
        let moves = self.moves(node);
        if self.memory.places(moves).is_empty() {
            return;
        }
        let turns = if self.is_pruned { self.turns(node) } else { vec![IDENTITY] };
        self.graph.for_each_step(self.state(node), |step| {
            own_taken.extend_from_slice(step.taken);
            let end_taken = own_taken.len() as u32;
            own.push(OwnStep { target: step.target, renaming: step.renaming, label: step.label, end_taken });
        });
        let mut begin = 0;
        for step in own.iter() {
            let units = &own_taken[begin..step.end_taken as usize];
            begin = step.end_taken as usize;
            for &turn in &turns {
                // `turn` takes the node's memory to another; the step as stored is for that one.
                let renaming = self.renaming(step.renaming);
                let renaming = self.frames.then(turn, renaming);
                let back = self.frames.inverse(turn);
                for moved in self.memory.places(moves) {
                    let there = self.memory.moved(self.observer, moved, renaming, &self.frames);
                    let (target, turned) = self.node(step.target, there);
                    if back == IDENTITY {
                        taken.extend_from_slice(units);
                    } else {
                        let by = self.frames.get(back);
                        taken.extend(units.iter().map(|&unit| self.graph.unit_image(unit, by)));
                    }
                    steps.push(ProductStep {
                        target,
                        renaming: self.frames.then(renaming, turned),
                        label: step.label,
                        turned: back,
                        moved,
                        end_taken: taken.len() as u32,
                    });
                }
            }
        }
    }

    fn renaming(&mut self, id: RenamingId) -> FrameId {
        let at = id as usize;
        if let Some(&Some(frame)) = self.renamings.get(at) {
            return frame;
        }
        let frame = self.frames.intern(self.graph.renaming(id));
        if self.renamings.len() <= at {
            self.renamings.resize(at + 1, None);
        }
        self.renamings[at] = Some(frame);
        frame
    }

    /// Whether two frames at a node name the same concrete node.
    pub(crate) fn is_same(&self, node: Node, a: &Permutation, b: &Permutation) -> bool {
        let difference = a.then(&b.inverse());
        let observed = self.observed(node);
        self.graph.fixes(self.state(node), &difference) && self.observer.rename(observed, &difference) == *observed
    }

    /// The concrete values of the outer variables.
    pub(crate) fn arguments(&self, node: Node, frame: &Permutation) -> Vec<Point> {
        self.observed(node).arguments.iter().map(|&point| image(frame, point)).collect()
    }
}
