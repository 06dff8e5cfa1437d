//! A guarded quotient whose nodes are told apart by part of the frame.
//!
//! With a partition of the points, a node is a representative and, for each point, the cell that the frame takes it to. All
//! frames with the same such colouring are one node. A step is *possible* if its guard has one of them, *certain* if it
//! has all. If everything possible is certain, the graph is bisimilar to the system for what the group leaves invariant.

use burnside_group::{Partition, Permutation};
use rustc_hash::FxHashMap;

use super::guarded::Guarded;
use crate::graph::{Point, Quotient, RenamingId, Start, State, Step, Unit};

/// The label of the step that repeats a state in which the execution ends.
pub(super) const END: u32 = u32::MAX;

/// Which steps count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Those that are steps in some frame: more than the system does.
    Possible,
    /// Those that are steps in all frames: less than the system does.
    Certain,
}

/// A step between nodes of an [`Unwound`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct UnwoundStep {
    pub(super) target: u32,
    /// The place among the guarded steps of the representative, or `END`.
    pub(super) label: u32,
    /// From names in the target to names in the source, by number.
    pub(super) back: usize,
    is_certain: bool,
}

/// A guarded quotient with nodes told apart by a partition.
#[derive(Clone, Debug)]
pub struct Unwound<'a> {
    pub(super) quotient: &'a Guarded<'a>,
    partition: Partition,
    /// For each permutation the cell of each point's image, by number.
    colourings: Vec<Vec<usize>>,
    nodes: Vec<(u32, Vec<usize>)>,
    numbers: FxHashMap<(u32, Vec<usize>), u32>,
    pub(super) steps: Vec<Vec<UnwoundStep>>,
    starts: Vec<u32>,
}

impl<'a> Unwound<'a> {
    /// The nodes that start states reach by possible steps.
    pub fn new(quotient: &'a Guarded<'a>, partition: Partition) -> Self {
        let system = quotient.system();
        let colouring = |by: usize| system.permutation(by).images().map(|point| partition.cell_of(point)).collect();
        let colourings = (0..system.order()).map(colouring).collect();
        let (nodes, numbers, steps, starts) = (Vec::new(), FxHashMap::default(), Vec::new(), Vec::new());
        let mut graph = Unwound { quotient, partition, colourings, nodes, numbers, steps, starts };
        for &start in system.starts() {
            let (representative, renaming) = system.representative(start);
            let frame = system.inverse(renaming);
            let (node, _) = graph.node(quotient.number(representative), &graph.colourings[frame].clone());
            if !graph.starts.contains(&node) {
                graph.starts.push(node);
            }
        }
        while graph.steps.len() < graph.nodes.len() {
            let steps = graph.expand(graph.steps.len());
            graph.steps.push(steps);
        }
        graph
    }

    /// The node for a colouring, and a symmetry of the representative after which the frame has the node's colouring.
    ///
    /// SOUND: a frame and the same after a symmetry of the representative are names of one concrete state.
    fn node(&mut self, node: u32, colouring: &[usize]) -> (u32, usize) {
        let system = self.quotient.system();
        let turned = |&by: &usize| system.permutation(by).images().map(|point| colouring[point]).collect::<Vec<_>>();
        let stabiliser = system.stabiliser(self.quotient.nodes()[node as usize]);
        let symmetry = stabiliser.into_iter().min_by_key(turned).expect("the identity is there");
        let key = (node, turned(&symmetry));
        let next = self.nodes.len() as u32;
        let number = *self.numbers.entry(key.clone()).or_insert(next);
        if number == next {
            self.nodes.push(key);
        }
        (number, symmetry)
    }

    /// The frames that a node stands for.
    pub(super) fn frames(&self, node: usize) -> impl Iterator<Item = usize> + '_ {
        let colouring = &self.nodes[node].1;
        self.colourings.iter().enumerate().filter(move |(_, own)| *own == colouring).map(|(by, _)| by)
    }

    fn expand(&mut self, node: usize) -> Vec<UnwoundStep> {
        let system = self.quotient.system();
        let (quotient_node, colouring) = self.nodes[node].clone();
        let frames: Vec<usize> = self.frames(node).collect();
        let mut steps = Vec::new();
        let quotient = self.quotient;
        for (label, step) in quotient.steps(quotient_node).iter().enumerate() {
            let n_steps = frames.iter().filter(|&&frame| step.guard[frame]).count();
            if n_steps > 0 {
                let back = system.inverse(step.renaming);
                let after: Vec<usize> = system.permutation(back).images().map(|point| colouring[point]).collect();
                let (target, symmetry) = self.node(step.target, &after);
                let is_certain = n_steps == frames.len();
                steps.push(UnwoundStep { target, label: label as u32, back: system.then(symmetry, back), is_certain });
            }
        }
        let ends = quotient.ends(quotient_node);
        let n_ends = frames.iter().filter(|&&frame| ends[frame]).count();
        if n_ends > 0 {
            let identity = system.number(&Permutation::identity(system.degree())).expect("it is in the group");
            let is_certain = n_ends == frames.len();
            steps.push(UnwoundStep { target: node as u32, label: END, back: identity, is_certain });
        }
        steps
    }

    /// The number of nodes.
    pub fn n_nodes(&self) -> usize {
        self.nodes.len()
    }

    /// The partition that tells nodes apart.
    pub fn partition(&self) -> &Partition {
        &self.partition
    }

    /// Whether every possible step is certain: then it is bisimilar to the system for what the group leaves invariant.
    pub fn is_exact(&self) -> bool {
        self.steps.iter().flatten().all(|step| step.is_certain)
    }

    /// The node of the guarded quotient that a node belongs to.
    pub(super) fn quotient_node(&self, node: u32) -> u32 {
        self.nodes[node as usize].0
    }

    /// A partition by which the guard of a step is decided, as is whether the execution ends.
    ///
    /// Two points may be in one cell if exchanging them after any frame makes no difference to the guard.
    pub(super) fn deciding_partition(&self, node: u32, label: u32) -> Partition {
        let system = self.quotient.system();
        let quotient_node = self.quotient_node(node);
        let guard = match label {
            END => self.quotient.ends(quotient_node),
            _ => self.quotient.steps(quotient_node)[label as usize].guard.clone(),
        };
        let degree = system.degree();
        let makes_no_difference = |a: usize, b: usize| {
            let exchange = Permutation::from_cycles(degree, &[&[a, b]]);
            match system.number(&exchange) {
                Some(exchange) => (0..system.order()).all(|by| guard[by] == guard[system.then(by, exchange)]),
                None => false,
            }
        };
        let cell = |point: usize| (0..point).find(|&other| makes_no_difference(other, point)).unwrap_or(point);
        Partition::from_keys(&(0..degree).map(cell).collect::<Vec<_>>())
    }
}

/// One side of an unwound quotient as a graph, with the conditions that the group leaves invariant.
pub struct View<'a, H> {
    /// The graph.
    pub graph: &'a Unwound<'a>,
    /// Which steps count.
    pub side: Side,
    /// Whether a condition holds in a state of the system.
    pub holds: H,
}

impl<H: Fn(State, u32) -> bool> Quotient for View<'_, H> {
    fn degree(&self) -> usize {
        self.graph.quotient.system().degree()
    }

    fn starts(&self) -> Vec<Start> {
        let frame = Permutation::identity(self.degree());
        self.graph.starts.iter().map(|&state| Start { state, frame: frame.clone() }).collect()
    }

    fn for_each_step(&self, state: State, mut visit: impl FnMut(Step<'_>)) {
        for step in &self.graph.steps[state as usize] {
            if self.side == Side::Possible || step.is_certain {
                let (target, label) = (step.target, step.label);
                visit(Step { target, renaming: 0, rule: None, actors: &[], taken: &[], label });
            }
        }
    }

    fn renaming(&self, _: RenamingId) -> Permutation {
        Permutation::identity(self.degree())
    }

    fn holds(&self, state: State, proposition: u32, _: &[Point]) -> bool {
        let node = self.graph.quotient_node(state);
        (self.holds)(self.graph.quotient.nodes()[node as usize], proposition)
    }

    fn n_units(&self) -> usize {
        0
    }

    fn unit_image(&self, unit: Unit, _: &Permutation) -> Unit {
        unit
    }

    fn enabled(&self, _: State, _: &mut Vec<Unit>) {}

    fn has_symmetries(&self) -> bool {
        false
    }

    fn symmetries(&self, _: State) -> Vec<Permutation> {
        Vec::new()
    }

    fn is_pruned(&self) -> bool {
        false
    }

    fn fixes(&self, _: State, by: &Permutation) -> bool {
        by.is_identity()
    }
}
