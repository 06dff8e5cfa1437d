//! The canonicaliser `refine`: exact, and without factorials in practice.
//!
//! A state is read as a coloured graph over its identities ([`crate::picture`]). Vertices are told apart by their
//! colours, then by how they are connected to cells of vertices already told apart, again and again until no cell
//! splits any more (colour refinement). Vertices of a cell that can be exchanged without changing the state (*twins*)
//! may come in any order. What then is still undecided is decided by trying: one vertex of the first undecided cell is
//! singled out and refinement goes on (individualisation, McKay, *Practical graph isomorphism*); the least state over
//! all choices is the canonical one. Two choices that lead to the same state show an automorphism, which saves the
//! choices it maps to each other.
//!
// SOUND: every result is the image of the state under a permutation, whatever hashes collide, so the search visits a
// member of each orbit it meets. That it is always the same member: partitions are computed from the state up to
// renaming, so renaming a state renames its tree of choices, and the least leaf is the same. Choices left out lead, by
// an automorphism of the state that fixes what was singled out before, to leaves that are the same states as others.
// Only here do equal hashes of different things do harm: two members of an orbit would be stored.

use burnside_group::mix;

use crate::action::{Action, Scratch};
use crate::cells::Cells;
use crate::facts::Facts;
use crate::partition::Partition;
use crate::picture::{End, Group, Pair, Picture};
use crate::strategy::Canonicaliser;

/// Canonicalises states under all permutations within an [`Action`]'s cells. Holds scratch memory; one per thread.
#[derive(Debug, Clone)]
pub(crate) struct Refiner<'a> {
    action: &'a Action,
    facts: &'a Facts,
    picture: Picture,
    keys: Vec<u64>,
    /// What was decided so far; the first has nothing singled out.
    nodes: Vec<Node>,
    /// The vertices singled out on the way to the present node.
    path: Vec<u32>,
    /// The best leaf so far.
    best: Leaf,
    /// The leaf at hand.
    leaf: Leaf,
    images: Vec<u32>,
    /// The vertices of a cell in the order of their colours.
    sorted: Vec<u32>,
    /// Where the vertices go, in the order in which they are told apart.
    seats: Vec<u32>,
    /// Nothing told apart but the action's own cells.
    root: Partition,
    scratch: Scratch,
}

#[derive(Debug, Clone, Default)]
struct Node {
    partition: Partition,
    /// The vertices to single out, one of each group of twins.
    choices: Vec<u32>,
    /// For each vertex, another one that some automorphism found maps to it, up to a fixed point for each orbit.
    orbits: Vec<u32>,
}

/// A complete decision and the state it gives.
#[derive(Debug, Clone, Default)]
struct Leaf {
    state: Vec<u64>,
    order: Vec<u32>,
    path: Vec<u32>,
}

impl<'a> Refiner<'a> {
    /// A canonicaliser.
    pub(crate) fn new(action: &'a Action, facts: &'a Facts) -> Self {
        Self {
            action,
            facts,
            picture: Picture::new(facts),
            keys: Vec::new(),
            nodes: vec![Node::default()],
            path: Vec::new(),
            best: Leaf::default(),
            leaf: Leaf::default(),
            images: vec![0; action.n_vertices()],
            sorted: Vec::new(),
            seats: Vec::new(),
            root: Partition::of(action.cells()),
            scratch: Scratch::default(),
        }
    }

    /// The representative of a state under permutations within cells, and where each vertex goes.
    pub(crate) fn arrange(&mut self, cells: &Cells, state: &[u64]) -> (&[u64], &[u32]) {
        self.begin(cells);
        self.look(state);
        self.decide(state);
        for (&vertex, &seat) in self.best.order.iter().zip(&self.seats) {
            self.images[vertex as usize] = seat;
        }
        self.action.blocks().complete(&mut self.images);
        (&self.best.state, &self.images)
    }

    /// Forgets everything but which permutations there are: all those within cells.
    fn begin(&mut self, cells: &Cells) {
        self.seats.clone_from(&cells.seats);
        self.nodes[0].partition.reset_to(cells);
    }

    /// Reads a state and decides what can be decided without a choice.
    fn look(&mut self, state: &[u64]) {
        self.picture.read(self.facts, self.action, state);
        self.tell_apart();
    }

    /// Decides of the state read last what can be decided without a choice.
    fn tell_apart(&mut self) {
        self.picture.draw(self.facts, self.action);
        let partition = &mut self.nodes[0].partition;
        partition.split(self.picture.colours());
        refine(&self.picture, partition, &mut self.keys);
    }

    /// Finds the best leaf.
    fn decide(&mut self, state: &[u64]) {
        self.path.clear();
        self.best.order.clear();
        self.descend(0, state);
    }

    /// Brings what is known of a state up to date, edges included.
    pub(crate) fn read(&mut self, state: &[u64]) -> &Picture {
        self.picture.read(self.facts, self.action, state);
        self.picture.draw(self.facts, self.action);
        &self.picture
    }

    /// Applies a permutation to the state read last.
    pub(crate) fn rename(&mut self, images: &[u32], to: &mut Vec<u64>) {
        self.picture.rename((self.facts, self.action), images, to, &mut self.scratch);
    }

    /// How many permutations leave a state as it is: the product of the orbit lengths along a chain of stabilisers. Two
    /// vertices of a cell are in one orbit if singling out the one or the other leads to the same least state.
    pub(crate) fn n_automorphisms(&mut self, state: &[u64]) -> u128 {
        self.read(state);
        let cells = self.action.cells();
        self.begin(cells);
        let mut partition = Partition::default();
        partition.reset_to(cells);
        partition.split(self.picture.colours());
        refine(&self.picture, &mut partition, &mut self.keys);
        let mut order = 1;
        loop {
            let cell = partition.open_cells().next().unwrap_or_default().to_vec();
            if cell.is_empty() {
                return order;
            }
            let least = self.least_below(&partition, cell[0], state);
            let others = cell[1..].iter().filter(|&&vertex| self.least_below(&partition, vertex, state) == least);
            order *= 1 + others.count() as u128;
            partition.single_out(cell[0]);
            refine(&self.picture, &mut partition, &mut self.keys);
        }
    }

    /// The least state when one more vertex is singled out.
    fn least_below(&mut self, partition: &Partition, vertex: u32, state: &[u64]) -> Vec<u64> {
        let root = &mut self.nodes[0].partition;
        root.copy_from(partition);
        root.single_out(vertex);
        refine(&self.picture, root, &mut self.keys);
        self.decide(state);
        self.best.state.clone()
    }

    /// Follows all choices below a node. If an automorphism was found, tells how far back nothing new can come.
    fn descend(&mut self, depth: usize, state: &[u64]) -> Option<usize> {
        if !self.find_choices(depth, state) {
            return self.leaf(depth);
        }
        let node = &mut self.nodes[depth];
        node.orbits.clear();
        node.orbits.extend(0..self.images.len() as u32);
        if self.nodes.len() == depth + 1 {
            self.nodes.push(Node::default());
        }
        for number in 0..self.nodes[depth].choices.len() {
            let (parents, children) = self.nodes.split_at_mut(depth + 1);
            let (node, child) = (&mut parents[depth], &mut children[0]);
            let vertex = node.choices[number];
            if (0..number).any(|before| node.orbit(node.choices[before]) == node.orbit(vertex)) {
                continue;
            }
            child.partition.copy_from(&node.partition);
            child.partition.single_out(vertex);
            self.path.truncate(depth);
            self.path.push(vertex);
            refine(&self.picture, &mut child.partition, &mut self.keys);
            match self.descend(depth + 1, state) {
                Some(back) if back < depth => return Some(back),
                _ => {}
            }
        }
        None
    }

    /// Finds the first cell that has more than one group of twins; false if there is none.
    fn find_choices(&mut self, depth: usize, state: &[u64]) -> bool {
        let Node { partition, choices, .. } = &mut self.nodes[depth];
        if partition.is_discrete() {
            return false;
        }
        for cell in partition.open_cells() {
            // What no edge contains is all in its colour.
            if !self.facts.is_coarse && !self.picture.is_linked(cell[0]) {
                continue;
            }
            choices.clear();
            for &vertex in cell {
                let mut is_twin = |leader: u32| {
                    if self.facts.is_coarse {
                        let (images, swapped) = (&mut self.images, &mut self.leaf.state);
                        images.iter_mut().zip(0..).for_each(|(image, vertex)| *image = vertex);
                        self.action.blocks().swap(images, leader, vertex);
                        self.picture.rename((self.facts, self.action), images, swapped, &mut self.scratch);
                        swapped == state
                    } else {
                        are_twins(&self.picture, leader, vertex)
                    }
                };
                if !choices.iter().any(|&leader| is_twin(leader)) {
                    choices.push(vertex);
                }
            }
            if choices.len() > 1 {
                return true;
            }
        }
        false
    }

    /// Tells where each vertex goes by the order of a node's partition.
    fn seat(&mut self, depth: usize) {
        for (&to, &vertex) in self.seats.iter().zip(self.nodes[depth].partition.order()) {
            self.images[vertex as usize] = to;
        }
        self.action.blocks().complete(&mut self.images);
    }

    /// Renames the state as decided and keeps the result if it is the least so far.
    fn leaf(&mut self, depth: usize) -> Option<usize> {
        self.path.truncate(depth);
        self.seat(depth);
        let order = self.nodes[depth].partition.order();
        let (facts, action) = (self.facts, self.action);
        self.picture.rename((facts, action), &self.images, &mut self.leaf.state, &mut self.scratch);
        if !self.best.order.is_empty() && self.leaf.state > self.best.state {
            return None;
        }
        if !self.best.order.is_empty() && self.leaf.state == self.best.state {
            return Some(self.automorphism(depth));
        }
        self.leaf.order.clear();
        self.leaf.order.extend_from_slice(order);
        self.leaf.path.clone_from(&self.path);
        std::mem::swap(&mut self.leaf, &mut self.best);
        None
    }

    /// The leaf at `depth` gives the best state again, so the vertices in the two orders correspond by an automorphism.
    /// It fixes what both singled out alike; where they parted, one choice stands for the other.
    fn automorphism(&mut self, depth: usize) -> usize {
        let parted = self.path.iter().zip(&self.best.path).take_while(|(one, other)| one == other).count();
        let (ancestors, leaf) = self.nodes.split_at_mut(depth);
        for node in &mut ancestors[..=parted.min(depth - 1)] {
            for (&from, &to) in self.best.order.iter().zip(leaf[0].partition.order()) {
                node.join(from, to);
            }
        }
        parted
    }
}

impl Canonicaliser for Refiner<'_> {
    fn canonicalise(&mut self, state: &mut [u64]) {
        let action = self.action;
        self.picture.read(self.facts, action, state);
        match self.sort_by_colours() {
            Sorted::InPlace => return,
            Sorted::Moved => {}
            Sorted::Open => {
                self.seats.clone_from(&action.cells().seats);
                self.nodes[0].partition.copy_from(&self.root);
                self.tell_apart();
                if self.find_choices(0, state) {
                    self.decide(state);
                    state.copy_from_slice(&self.best.state);
                    return;
                }
                // PERF: by far the most states need no choice.
                self.seat(0);
            }
        }
        self.picture.rename_in_place((self.facts, action), &self.images, state, &mut self.scratch);
    }
}

/// What colours alone say of a state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sorted {
    /// Every vertex is where it belongs.
    InPlace,
    /// Some vertex belongs elsewhere.
    Moved,
    /// Vertices of equal colour must be told apart by their edges.
    Open,
}

impl Refiner<'_> {
    /// Puts the vertices of each cell in the order of their colours and tells where each goes, unless that leaves open
    /// what a partition would have to decide. The result is the one that refinement gives: it splits by colours first,
    /// and vertices of one colour that no edge contains may stay in the order in which they are.
    // PERF: in most states colours decide, and in many of these everything is in its place already.
    fn sort_by_colours(&mut self) -> Sorted {
        let Self { action, facts, picture, images, sorted, .. } = self;
        let colours = picture.colours();
        let colour = |vertex: u32| colours[vertex as usize];
        let is_open = |vertex: u32| facts.is_coarse || picture.is_linked(vertex);
        let mut result = Sorted::InPlace;
        for cell in action.cells().iter() {
            if cell.windows(2).all(|pair| colour(pair[0]) < colour(pair[1])) {
                cell.iter().for_each(|&vertex| images[vertex as usize] = vertex);
                continue;
            }
            sorted.clear();
            for &vertex in cell {
                let key = colour(vertex);
                let mut at = sorted.len();
                sorted.push(vertex);
                while at > 0 && colour(sorted[at - 1]) > key {
                    sorted[at] = sorted[at - 1];
                    at -= 1;
                }
                sorted[at] = vertex;
            }
            let is_undecided =
                |pair: &[u32]| colour(pair[0]) == colour(pair[1]) && (is_open(pair[0]) || is_open(pair[1]));
            if sorted.windows(2).any(is_undecided) {
                return Sorted::Open;
            }
            for (&vertex, &seat) in sorted.iter().zip(cell) {
                images[vertex as usize] = seat;
                if vertex != seat {
                    result = Sorted::Moved;
                }
            }
        }
        if result == Sorted::Moved {
            action.blocks().complete(images);
        }
        result
    }
}

impl Node {
    fn orbit(&self, mut vertex: u32) -> u32 {
        while self.orbits[vertex as usize] != vertex {
            vertex = self.orbits[vertex as usize];
        }
        vertex
    }

    fn join(&mut self, one: u32, other: u32) {
        let (one, other) = (self.orbit(one), self.orbit(other));
        self.orbits[one.max(other) as usize] = one.min(other);
    }
}

/// Splits cells by their vertices' connections until nothing splits.
fn refine(picture: &Picture, partition: &mut Partition, keys: &mut Vec<u64>) {
    let is_open =
        |partition: &Partition| partition.open_cells().any(|cell| cell.iter().any(|&vertex| picture.is_linked(vertex)));
    while is_open(partition) {
        keys.clear();
        keys.resize(picture.colours().len(), 0);
        for &Pair { label, vertices: [from, to] } in picture.pairs() {
            add(keys, from, mix(label, u64::from(partition.rank(to))));
            add(keys, to, mix(!label, u64::from(partition.rank(from))));
        }
        for Group { label, ends } in picture.groups() {
            let hash = mix(label, sum(ends, |vertex| partition.rank(vertex)));
            for end in ends {
                add(keys, end.vertex, mix(hash, end.role));
            }
        }
        if !partition.split(keys) {
            return;
        }
    }
}

fn add(keys: &mut [u64], vertex: u32, number: u64) {
    let key = &mut keys[vertex as usize];
    *key = key.wrapping_add(number);
}

fn sum(ends: &[End], name: impl Fn(u32) -> u32) -> u64 {
    ends.iter().map(|end| mix(end.role, u64::from(name(end.vertex)))).fold(0, u64::wrapping_add)
}

/// Exchanges two vertices in states, to see whether anything changes.
#[derive(Debug, Clone)]
pub(crate) struct Exchange {
    /// Takes each vertex to itself, between calls.
    identity: Vec<u32>,
    exchanged: Vec<u64>,
}

impl Exchange {
    pub(crate) fn new(n_vertices: usize) -> Self {
        Self { identity: (0..n_vertices as u32).collect(), exchanged: Vec::new() }
    }

    /// Whether exchanging two vertices of a class leaves a state as it is.
    pub(crate) fn fixes(&mut self, refiner: &mut Refiner<'_>, state: &[u64], (one, other): (u32, u32)) -> bool {
        let picture = refiner.read(state);
        may_be_twins(picture, one, other) && self.leaves(refiner, state, (one, other))
    }

    /// The vertices of a cell that can be exchanged with one of them so that a state stays as it is.
    pub(crate) fn twins(&mut self, refiner: &mut Refiner<'_>, state: &[u64], vertex: u32, cell: &[u32]) -> Vec<u32> {
        let picture = refiner.read(state);
        let mut found: Vec<u32> = cell.iter().copied().filter(|&other| may_be_twins(picture, vertex, other)).collect();
        found.retain(|&other| self.leaves(refiner, state, (vertex, other)));
        found
    }

    /// The same by trying it on the state that was read: hashes only tell when not to look.
    fn leaves(&mut self, refiner: &mut Refiner<'_>, state: &[u64], (one, other): (u32, u32)) -> bool {
        self.identity.swap(one as usize, other as usize);
        refiner.rename(&self.identity, &mut self.exchanged);
        self.identity.swap(one as usize, other as usize);
        self.exchanged == state
    }
}

fn may_be_twins(picture: &Picture, one: u32, other: u32) -> bool {
    let colours = picture.colours();
    colours[one as usize] == colours[other as usize] && are_twins(picture, one, other)
}

/// Whether exchanging two vertices of equal colour leaves all edges as they are.
pub(crate) fn are_twins(picture: &Picture, one: u32, other: u32) -> bool {
    let exchanged = |vertex: u32| match vertex {
        _ if vertex == one => other,
        _ if vertex == other => one,
        _ => vertex,
    };
    let concerns = |vertex: u32| vertex == one || vertex == other;
    let hash = |label: u64, from: u32, to: u32| mix(mix(label, u64::from(from)), u64::from(to));
    let mut difference: u64 = 0;
    for &Pair { label, vertices: [from, to] } in picture.pairs() {
        if concerns(from) || concerns(to) {
            difference = difference.wrapping_add(hash(label, from, to));
            difference = difference.wrapping_sub(hash(label, exchanged(from), exchanged(to)));
        }
    }
    for Group { label, ends } in picture.groups() {
        if ends.iter().any(|end| concerns(end.vertex)) {
            difference = difference.wrapping_add(mix(label, sum(ends, |vertex| vertex)));
            difference = difference.wrapping_sub(mix(label, sum(ends, exchanged)));
        }
    }
    difference == 0
}

#[cfg(test)]
mod tests {
    use burnside_ir::{Layout, Type};
    use burnside_testkit::{Config, explore, random_model};

    use super::*;
    use crate::Permutations;
    use crate::symmetry::SymmetricClass;

    /// Fails if colours are trusted where edges decide, or if the short way puts equal vertices in another order.
    #[test]
    fn sorting_by_colours_gives_what_refinement_gives() {
        let mut n_met = [0; 3];
        for seed in 0..300 {
            let model = random_model(seed, &Config::random(seed));
            let ids = model.types.iter().map(|(ty, _)| ty).filter(|&ty| matches!(model.types.get(ty), Type::Id(_)));
            let class = |ty| SymmetricClass {
                name: model.types.type_name(ty),
                types: vec![ty],
                size: model.types.shape(ty).cardinality() as u32,
            };
            let symmetry = Permutations::of_classes(ids.map(class).collect());
            let (Ok(layout), false) = (Layout::new(&model), symmetry.classes.is_empty()) else { continue };
            let action = Action::new(&model, &layout, &symmetry);
            let facts = Facts::new(&action);
            let (mut quick, mut full) = (Refiner::new(&action, &facts), Refiner::new(&action, &facts));
            let mut states: Vec<Vec<i64>> = explore(&model, 40).states.into_iter().collect();
            states.sort_unstable();
            for values in states {
                let mut state = vec![0; layout.n_words()];
                layout.pack(&values, &mut state);
                quick.read(&state);
                n_met[quick.sort_by_colours() as usize] += 1;
                let expected = full.arrange(action.cells(), &state).0.to_vec();
                quick.canonicalise(&mut state);
                assert_eq!(state, expected, "seed {seed}");
            }
        }
        assert!(n_met.iter().all(|&n| n > 100), "each way is taken: {n_met:?}");
    }
}
