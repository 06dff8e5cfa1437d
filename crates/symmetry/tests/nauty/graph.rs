//! A state as a coloured graph, read from its unpacked values and the model's types alone.
//!
//! There is a vertex for each member of each class, coloured by the class, and one for each scalar of the state,
//! coloured by where it is, with members left out of the path, and by its value unless that is a member. A scalar is
//! joined to the members that index its place and to the one that it refers to, each through a vertex coloured by the
//! part the member plays. Equal elements of a multiset are one vertex, coloured by their number, so nothing but members
//! can be exchanged, and the automorphisms of the graph are the permutations of members that keep the state.

use std::collections::BTreeMap;

use burnside_ir::{Model, Type, TypeId, UNDEFINED};
use burnside_symmetry::Symmetry;

/// An undirected graph with coloured vertices.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Graph {
    colours: Vec<String>,
    edges: Vec<(usize, usize)>,
}

impl Graph {
    /// The graph of an unpacked state.
    pub(crate) fn of_state(model: &Model, symmetry: &Symmetry, state: &[i64]) -> Self {
        let mut reader = Reader { model, symmetry, graph: Self::default() };
        for (number, class) in symmetry.classes.iter().enumerate() {
            for _ in 0..class.size {
                reader.graph.vertex(format!("member of class {number}"));
            }
        }
        let mut rest = state;
        for global in &model.globals {
            let (slots, others) = rest.split_at(model.types.shape(global.ty).n_slots as usize);
            reader.value(global.ty, slots, &global.name, &[]);
            rest = others;
        }
        reader.graph
    }

    fn vertex(&mut self, colour: String) -> usize {
        self.colours.push(colour);
        self.colours.len() - 1
    }

    /// Joins a vertex to another one that plays a part for it.
    fn join(&mut self, vertex: usize, part: &str, other: usize) {
        let between = self.vertex(part.to_owned());
        self.edges.extend([(vertex, between), (between, other)]);
    }

    /// The vertices of each colour, in the order of the colours' names.
    pub(crate) fn cells(&self) -> BTreeMap<&str, Vec<usize>> {
        let mut cells: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (vertex, colour) in self.colours.iter().enumerate() {
            cells.entry(colour).or_default().push(vertex);
        }
        cells
    }

    /// The neighbours of each vertex, every edge once.
    pub(crate) fn neighbours(&self) -> Vec<Vec<usize>> {
        let mut neighbours = vec![Vec::new(); self.colours.len()];
        for &(from, to) in &self.edges {
            neighbours[from].push(to);
        }
        neighbours
    }
}

struct Reader<'m> {
    model: &'m Model,
    symmetry: &'m Symmetry,
    graph: Graph,
}

impl Reader<'_> {
    /// Adds what is at a path; `owners` are the vertices it belongs to, from the outside in.
    fn value(&mut self, ty: TypeId, slots: &[i64], path: &str, owners: &[usize]) {
        let types = &self.model.types;
        match types.get(ty) {
            &Type::Array { index, element } => {
                let stride = types.shape(element).n_slots as usize;
                for (part, value) in slots.chunks(stride.max(1)).zip(types.shape(index).lo..) {
                    let (name, member) = self.scalar(index, value);
                    let owners: Vec<usize> = owners.iter().copied().chain(member).collect();
                    self.value(element, part, &format!("{path}[{name}]"), &owners);
                }
            }
            Type::Record { fields } => {
                let mut rest = slots;
                for field in fields {
                    let (part, others) = rest.split_at(types.shape(field.ty).n_slots as usize);
                    self.value(field.ty, part, &format!("{path}.{}", field.name), owners);
                    rest = others;
                }
            }
            &Type::Multiset { element, .. } => {
                let mut numbers: BTreeMap<&[i64], usize> = BTreeMap::new();
                for part in slots.chunks(types.shape(element).n_slots as usize + 1) {
                    if part[0] != UNDEFINED {
                        *numbers.entry(&part[1..]).or_default() += 1;
                    }
                }
                for (part, number) in numbers {
                    let vertex = self.owned(format!("{path}: {number} times"), owners);
                    self.value(element, part, &format!("{path}{{}}"), &[vertex]);
                }
            }
            _ => {
                let (name, member) = self.scalar(ty, slots[0]);
                let vertex = self.owned(format!("{path} = {name}"), owners);
                if let Some(member) = member {
                    self.graph.join(vertex, "value", member);
                }
            }
        }
    }

    /// A vertex joined to its owners.
    fn owned(&mut self, colour: String, owners: &[usize]) -> usize {
        let vertex = self.graph.vertex(colour);
        for (number, &owner) in owners.iter().enumerate() {
            self.graph.join(vertex, &format!("owner {number}"), owner);
        }
        vertex
    }

    /// What is to be said of a scalar whoever the members are, and the member's vertex if it is one.
    fn scalar(&self, ty: TypeId, value: i64) -> (String, Option<usize>) {
        let types = &self.model.types;
        if value == UNDEFINED {
            return ("undefined".to_owned(), None);
        }
        if matches!(types.get(ty), Type::Union { .. }) {
            let (member, inner) = types.union_member(ty, value).expect("a value of the union");
            return self.scalar(member, inner);
        }
        let mut first = 0;
        for class in &self.symmetry.classes {
            if class.types.contains(&ty) {
                return (format!("some {ty:?}"), Some(first + (value - types.shape(ty).lo) as usize));
            }
            first += class.size as usize;
        }
        (format!("{value} of {ty:?}"), None)
    }
}
