//! Nodes of the product and their steps.

use std::rc::Rc;

use burnside_group::Permutation;
use rustc_hash::FxHashMap;

use crate::automaton::Valuation;

use crate::frames::{FrameId, Frames, IDENTITY};
use crate::graph::{Quotient, RenamingId, State, Unit};
use crate::observer::{Move, Observed, Observer, image};

/// A node of a [`Product`].
pub(crate) type Node = u32;

/// What an observer remembers, by number.
type ObservedId = u32;

/// Where the product begins.
#[derive(Clone, Debug)]
pub(crate) struct ProductStart {
    pub(crate) node: Node,
    /// The start of the graph that it belongs to.
    pub(crate) start: usize,
    /// From the node's names to concrete names.
    pub(crate) frame: FrameId,
}

/// A step of the product. Colours and units are in the names of the source.
#[derive(Clone, Debug)]
pub(crate) struct ProductStep {
    pub(crate) target: Node,
    /// From names in the source to names in the target.
    pub(crate) renaming: FrameId,
    /// The observer's colours it sees.
    pub(crate) colours: Rc<[u32]>,
    pub(crate) taken: Vec<Unit>,
    pub(crate) label: u32,
    /// From names at the graph's step to names in the source: not the identity where a step stands for its images.
    pub(crate) turned: FrameId,
}

/// What an observer remembers after a move, and the colours that the move sees.
struct Moved {
    observed: ObservedId,
    colours: Rc<[u32]>,
}

/// What observers remember, with its images under permutations and its moves, each computed once.
#[derive(Default)]
struct Memory {
    observed: Vec<Observed>,
    ids: FxHashMap<Observed, ObservedId>,
    images: FxHashMap<(ObservedId, FrameId), ObservedId>,
    /// By what is remembered, then by the values of the propositions for each copy.
    moves: FxHashMap<ObservedId, FxHashMap<Vec<Valuation>, Rc<[Moved]>>>,
}

impl Memory {
    fn intern(&mut self, observed: Observed) -> ObservedId {
        if let Some(&id) = self.ids.get(&observed) {
            return id;
        }
        let id = self.observed.len() as ObservedId;
        self.observed.push(observed.clone());
        self.ids.insert(observed, id);
        id
    }

    fn image(&mut self, observer: &Observer, id: ObservedId, by: FrameId, frames: &Frames) -> ObservedId {
        if by == IDENTITY {
            return id;
        }
        if let Some(&image) = self.images.get(&(id, by)) {
            return image;
        }
        let image = self.intern(observer.rename(&self.observed[id as usize], frames.get(by)));
        self.images.insert((id, by), image);
        image
    }

    /// All moves where the propositions have these values for each copy.
    fn moves(&mut self, observer: &Observer, id: ObservedId, valuations: Vec<Valuation>) -> Rc<[Moved]> {
        if let Some(moves) = self.moves.get(&id).and_then(|known| known.get(&valuations)) {
            return moves.clone();
        }
        let arguments = self.observed[id as usize].arguments.clone();
        let found = observer.moves(&self.observed[id as usize], &valuations);
        let moved = |Move { copies, colours }: Move| Moved {
            observed: self.intern(Observed { arguments: arguments.clone(), copies: copies.into() }),
            colours: colours.into(),
        };
        let moves: Rc<[Moved]> = found.into_iter().map(moved).collect();
        self.moves.entry(id).or_default().insert(valuations, moves.clone());
        moves
    }
}

/// A graph's step without its borrowed parts.
struct OwnStep {
    target: State,
    renaming: RenamingId,
    taken: Vec<Unit>,
    label: u32,
}

/// The images of what is remembered under a group that fixes the state.
struct Orbit {
    members: Vec<ObservedId>,
    /// For each member, a permutation of the group that takes the first member to it.
    transversal: Vec<FrameId>,
    /// Generators of the subgroup that fixes the first member.
    stabiliser: Vec<FrameId>,
}

/// The product of a graph with an observer.
pub(crate) struct Product<'a, G> {
    pub(crate) graph: &'a G,
    pub(crate) observer: &'a Observer,
    pub(crate) frames: Frames,
    memory: Memory,
    nodes: Vec<(State, ObservedId)>,
    index: FxHashMap<(State, ObservedId), Node>,
    renamings: FxHashMap<RenamingId, FrameId>,
    has_symmetries: bool,
    symmetries: FxHashMap<State, Rc<[FrameId]>>,
}

impl<'a, G: Quotient> Product<'a, G> {
    pub(crate) fn new(graph: &'a G, observer: &'a Observer) -> Self {
        Product {
            graph,
            observer,
            frames: Frames::new(graph.degree()),
            memory: Memory::default(),
            nodes: Vec::new(),
            index: FxHashMap::default(),
            renamings: FxHashMap::default(),
            has_symmetries: graph.has_symmetries(),
            symmetries: FxHashMap::default(),
        }
    }

    pub(crate) fn n_nodes(&self) -> usize {
        self.nodes.len()
    }

    pub(crate) fn state(&self, node: Node) -> State {
        self.nodes[node as usize].0
    }

    pub(crate) fn observed(&self, node: Node) -> &Observed {
        &self.memory.observed[self.nodes[node as usize].1 as usize]
    }

    /// The nodes that executions begin in, each with the first start that leads to it.
    pub(crate) fn starts(&mut self) -> Vec<ProductStart> {
        let mut starts: Vec<ProductStart> = Vec::new();
        let beginnings: Vec<Observed> = self.observer.starts().collect();
        for (number, start) in self.graph.starts().into_iter().enumerate() {
            let to_concrete = self.frames.intern(start.frame);
            let to_local = self.frames.inverse(to_concrete);
            for observed in &beginnings {
                let id = self.memory.intern(observed.clone());
                let local = self.memory.image(self.observer, id, to_local, &self.frames);
                let (node, turn) = self.node(start.state, local);
                if starts.iter().all(|known| known.node != node) {
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
        if !self.has_symmetries || self.symmetries(state).is_empty() {
            return (self.intern(state, observed), IDENTITY);
        }
        let orbit = self.orbit(state, observed);
        let least = |&at: &usize| &self.memory.observed[orbit.members[at] as usize];
        let at = (0..orbit.members.len()).min_by_key(least).expect("an orbit has a member");
        (self.intern(state, orbit.members[at]), orbit.transversal[at])
    }

    fn intern(&mut self, state: State, observed: ObservedId) -> Node {
        let next = self.nodes.len() as Node;
        let node = *self.index.entry((state, observed)).or_insert(next);
        if node == next {
            self.nodes.push((state, observed));
        }
        node
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
        if !self.graph.is_pruned() {
            return Vec::new();
        }
        let (state, observed) = self.nodes[node as usize];
        self.orbit(state, observed).stabiliser
    }

    /// All moves of what is remembered at a node.
    fn moves(&mut self, node: Node) -> Rc<[Moved]> {
        let (state, observed) = self.nodes[node as usize];
        let arguments = &self.memory.observed[observed as usize].arguments;
        let valuations = self.observer.valuations(self.graph, state, arguments);
        self.memory.moves(self.observer, observed, valuations)
    }

    /// The members of the orbit of what is remembered that steps must be given for, by the permutations that lead there.
    fn turns(&mut self, node: Node) -> Vec<FrameId> {
        let (state, observed) = self.nodes[node as usize];
        if self.graph.is_pruned() { self.orbit(state, observed).transversal } else { vec![IDENTITY] }
    }

    /// The targets of a node's steps, some perhaps several times.
    pub(crate) fn targets(&mut self, node: Node, out: &mut Vec<Node>) {
        let moves = self.moves(node);
        if moves.is_empty() {
            return;
        }
        let turns = self.turns(node);
        let mut own = Vec::new();
        self.graph.for_each_step(self.state(node), |step| own.push((step.target, step.renaming)));
        for (target, renaming) in own {
            let renaming = self.renaming(renaming);
            for &turn in &turns {
                let renaming = self.frames.then(turn, renaming);
                for moved in moves.iter() {
                    let there = self.memory.image(self.observer, moved.observed, renaming, &self.frames);
                    out.push(self.node(target, there).0);
                }
            }
        }
    }

    /// The steps of a node, in a fixed order.
    ///
    /// SOUND: where the graph gives one step for all its images under the symmetries of the state, the node has an image of
    /// it for every member of the orbit of what is remembered: these are representatives of the images under the
    /// symmetries of the node, as Lemma 1 asks for.
    pub(crate) fn steps(&mut self, node: Node) -> Vec<ProductStep> {
        let moves = self.moves(node);
        if moves.is_empty() {
            return Vec::new();
        }
        let turns = self.turns(node);
        let mut own = Vec::new();
        self.graph.for_each_step(self.state(node), |step| {
            let taken = step.taken.to_vec();
            own.push(OwnStep { target: step.target, renaming: step.renaming, taken, label: step.label });
        });
        let mut steps = Vec::new();
        for step in &own {
            for &turn in &turns {
                // `turn` takes the node's memory to another; the step as stored is for that one.
                let renaming = self.renaming(step.renaming);
                let renaming = self.frames.then(turn, renaming);
                let back = self.frames.inverse(turn);
                let taken = self.unit_images(&step.taken, back);
                for moved in moves.iter() {
                    let there = self.memory.image(self.observer, moved.observed, renaming, &self.frames);
                    let (target, turned) = self.node(step.target, there);
                    steps.push(ProductStep {
                        target,
                        renaming: self.frames.then(renaming, turned),
                        colours: moved.colours.clone(),
                        taken: taken.clone(),
                        label: step.label,
                        turned: back,
                    });
                }
            }
        }
        steps
    }

    fn renaming(&mut self, id: RenamingId) -> FrameId {
        if let Some(&frame) = self.renamings.get(&id) {
            return frame;
        }
        let frame = self.frames.intern(self.graph.renaming(id));
        self.renamings.insert(id, frame);
        frame
    }

    fn unit_images(&self, units: &[Unit], by: FrameId) -> Vec<Unit> {
        let by = self.frames.get(by);
        units.iter().map(|&unit| self.graph.unit_image(unit, by)).collect()
    }

    /// Whether two frames at a node name the same concrete node.
    pub(crate) fn is_same(&self, node: Node, a: &Permutation, b: &Permutation) -> bool {
        let difference = a.then(&b.inverse());
        let observed = self.observed(node);
        self.graph.fixes(self.state(node), &difference) && self.observer.rename(observed, &difference) == *observed
    }

    /// The concrete values of the outer variables.
    pub(crate) fn arguments(&self, node: Node, frame: &Permutation) -> Vec<crate::graph::Point> {
        self.observed(node).arguments.iter().map(|&point| image(frame, point)).collect()
    }
}
