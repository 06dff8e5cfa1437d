//! How permutations of identities act on states, derived from the layout alone.
//!
//! The members of all symmetric classes are numbered through as *vertices*. A slot inside an array over a class
//! belongs to the vertex of its index and moves with it; a slot that holds a member of a class refers to that vertex
//! and is renamed. Multisets are brought back into normal form afterwards.

use burnside_ir::{GlobalId, Layout, Model, Type, TypeId, Types, UNDEFINED};

use crate::Symmetry;

/// No vertex.
const NONE: u32 = u32::MAX;

/// A slot's place under one array over a class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Coordinate {
    pub(crate) vertex: u32,
    /// Distance in slots between consecutive members.
    pub(crate) stride: u32,
}

/// Slots that are looked at together: a single one, or all of one multiset element.
#[derive(Debug, Clone)]
pub(crate) struct Item {
    /// The same for items that permutations exchange, different otherwise.
    pub(crate) role: u64,
    /// The vertices it belongs to, outermost array first.
    pub(crate) owners: Vec<u32>,
    /// The slot that tells whether a multiset element is there.
    pub(crate) presence: Option<u32>,
    pub(crate) parts: Vec<Part>,
}

/// One slot of an item.
#[derive(Debug, Clone)]
pub(crate) struct Part {
    pub(crate) slot: u32,
    /// Which part of the item it is; the same for parts that permutations exchange.
    pub(crate) role: u64,
    /// Vertices it belongs to inside the item.
    pub(crate) owners: Vec<u32>,
    /// Which table in `Action::vertices` turns its value into a vertex.
    pub(crate) table: Option<u32>,
}

/// Turns values of one type into vertices.
#[derive(Debug, Clone)]
struct VertexTable {
    lo: i64,
    /// By distance from the least value.
    vertices: Vec<u32>,
}

/// The action of a model's symmetry on its states.
#[derive(Debug, Clone)]
pub struct Action {
    /// First vertex of each class, and one past the last of all.
    firsts: Vec<u32>,
    tables: Vec<VertexTable>,
    pub(crate) items: Vec<Item>,
    /// Slots that move or are renamed.
    moves: Vec<Move>,
    layout: Layout,
}

#[derive(Debug, Clone)]
struct Move {
    slot: u32,
    coordinates: Vec<Coordinate>,
    table: Option<u32>,
}

/// A permutation of vertices that keeps classes: where each goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Renaming(pub(crate) Vec<u32>);

impl Renaming {
    /// The permutation that takes vertex `v` to `images[v]`; it must keep classes.
    pub fn new(images: Vec<u32>) -> Self {
        Self(images)
    }
}

impl Action {
    /// The action of all proved classes.
    pub fn new(model: &Model, layout: &Layout, symmetry: &Symmetry) -> Self {
        let mut firsts = vec![0];
        for class in &symmetry.classes {
            firsts.push(firsts.last().expect("not empty") + class.size);
        }
        let mut builder = Builder {
            types: &model.types,
            tables: type_tables(&model.types, symmetry, &firsts),
            items: Vec::new(),
            moves: Vec::new(),
        };
        for (at, global) in model.globals.iter().enumerate() {
            let slot = layout.global(GlobalId(at as u32));
            let role = mix(0x676c_6f62, at as u64);
            builder.value(global.ty, Context { slot, role, coordinates: Vec::new(), item: None });
        }
        let tables = builder.tables.into_iter().flatten().collect();
        let items = builder.items.into_iter().filter(Item::matters).collect();
        let moves = builder.moves.into_iter().filter(|m| !m.coordinates.is_empty() || m.table.is_some()).collect();
        Self { firsts, tables, items, moves, layout: layout.clone() }
    }

    /// Number of vertices.
    pub fn n_vertices(&self) -> usize {
        *self.firsts.last().expect("not empty") as usize
    }

    /// The vertices of each class.
    pub fn classes(&self) -> impl Iterator<Item = std::ops::Range<u32>> {
        self.firsts.windows(2).map(|pair| pair[0]..pair[1])
    }

    /// The layout of the states acted upon.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The vertex that a value of a part refers to.
    pub(crate) fn target(&self, table: u32, value: i64) -> Option<u32> {
        if value == UNDEFINED {
            return None;
        }
        let table = &self.tables[table as usize];
        let vertex = table.vertices[(value - table.lo) as usize];
        (vertex != NONE).then_some(vertex)
    }

    /// Applies a renaming to an unpacked state; `to` gets the result in normal form.
    pub fn apply(&self, renaming: &Renaming, from: &[i64], to: &mut [i64]) {
        to.copy_from_slice(from);
        for moving in &self.moves {
            let mut slot = i64::from(moving.slot);
            for coordinate in &moving.coordinates {
                let vertex = coordinate.vertex;
                let distance = i64::from(renaming.0[vertex as usize]) - i64::from(vertex);
                slot += distance * i64::from(coordinate.stride);
            }
            let value = from[moving.slot as usize];
            to[slot as usize] = match moving.table {
                Some(table) => match self.target(table, value) {
                    Some(vertex) => value + i64::from(renaming.0[vertex as usize]) - i64::from(vertex),
                    None => value,
                },
                None => value,
            };
        }
        self.layout.normalise(to);
    }
}

impl Item {
    fn matters(&self) -> bool {
        !self.owners.is_empty() || self.parts.iter().any(|part| part.table.is_some() || !part.owners.is_empty())
    }
}

/// Where a value lies while the layout is walked.
#[derive(Clone)]
struct Context {
    slot: u32,
    role: u64,
    coordinates: Vec<Coordinate>,
    /// The multiset element it is part of, with the number of coordinates outside.
    item: Option<(usize, usize)>,
}

struct Builder<'m> {
    types: &'m Types,
    /// By type.
    tables: Vec<Option<VertexTable>>,
    items: Vec<Item>,
    moves: Vec<Move>,
}

impl Builder<'_> {
    fn value(&mut self, ty: TypeId, at: Context) {
        match self.types.get(ty) {
            &Type::Array { index, element } => self.array(index, element, at),
            Type::Record { fields } => {
                let mut slot = at.slot;
                for (number, field) in fields.iter().enumerate() {
                    let role = mix(at.role, number as u64 + 1);
                    self.value(field.ty, Context { slot, role, ..at.clone() });
                    slot += self.types.shape(field.ty).n_slots;
                }
            }
            &Type::Multiset { capacity, element } => self.multiset(capacity, element, at),
            _ => self.scalar(ty, at),
        }
    }

    fn array(&mut self, index: TypeId, element: TypeId, at: Context) {
        let stride = self.types.shape(element).n_slots;
        for number in 0..self.types.shape(index).cardinality() as u32 {
            let vertex = self.tables[index.index()].as_ref().map_or(NONE, |table| table.vertices[number as usize]);
            let mut inner = Context { slot: at.slot + number * stride, ..at.clone() };
            if vertex == NONE {
                inner.role = mix(at.role, 0x1_0000 + u64::from(number));
            } else {
                inner.role = mix(at.role, 0x2_0000);
                inner.coordinates.push(Coordinate { vertex, stride });
            }
            self.value(element, inner);
        }
    }

    fn multiset(&mut self, capacity: u32, element: TypeId, at: Context) {
        let stride = self.types.shape(element).n_slots + 1;
        for number in 0..capacity {
            let presence = at.slot + number * stride;
            let owners = at.coordinates.iter().map(|coordinate| coordinate.vertex).collect();
            let item = (self.items.len(), at.coordinates.len());
            self.items.push(Item { role: at.role, owners, presence: Some(presence), parts: Vec::new() });
            self.moves.push(Move { slot: presence, coordinates: at.coordinates.clone(), table: None });
            let role = mix(at.role, 0x3_0000);
            self.value(element, Context { slot: presence + 1, role, item: Some(item), ..at.clone() });
        }
    }

    fn scalar(&mut self, ty: TypeId, at: Context) {
        let table = self.tables[ty.index()].as_ref().map(|_| self.table_number(ty));
        self.moves.push(Move { slot: at.slot, coordinates: at.coordinates.clone(), table });
        let vertices = |coordinates: &[Coordinate]| coordinates.iter().map(|c| c.vertex).collect::<Vec<u32>>();
        match at.item {
            Some((item, outside)) => {
                let owners = vertices(&at.coordinates[outside..]);
                self.items[item].parts.push(Part { slot: at.slot, role: at.role, owners, table });
            }
            None => {
                let part = Part { slot: at.slot, role: at.role, owners: Vec::new(), table };
                let owners = vertices(&at.coordinates);
                self.items.push(Item { role: at.role, owners, presence: None, parts: vec![part] });
            }
        }
    }

    /// The position of a type's table among those that exist.
    fn table_number(&self, ty: TypeId) -> u32 {
        self.tables[..ty.index()].iter().flatten().count() as u32
    }
}

/// For each type, its vertices if some of its values are members of a symmetric class.
fn type_tables(types: &Types, symmetry: &Symmetry, firsts: &[u32]) -> Vec<Option<VertexTable>> {
    let class_of = |ty: TypeId| symmetry.classes.iter().position(|class| class.types.contains(&ty));
    let table = |ty: TypeId| match types.get(ty) {
        Type::Union { members } => {
            let vertices: Vec<u32> = members
                .iter()
                .flat_map(|&member| {
                    let size = types.shape(member).cardinality() as u32;
                    let first = class_of(member).map(|class| firsts[class]);
                    (0..size).map(move |number| first.map_or(NONE, |first| first + number))
                })
                .collect();
            vertices.iter().any(|&vertex| vertex != NONE).then_some(VertexTable { lo: 0, vertices })
        }
        _ => class_of(ty).map(|class| {
            let first = firsts[class];
            VertexTable { lo: types.shape(ty).lo, vertices: (first..first + symmetry.classes[class].size).collect() }
        }),
    };
    types.iter().map(|(ty, _)| table(ty)).collect()
}

/// Folds a number into a hash.
pub(crate) fn mix(hash: u64, number: u64) -> u64 {
    let product = u128::from(hash ^ 0x9e37_79b9_7f4a_7c15) * u128::from(number ^ 0xd6e8_feb8_6659_fd93);
    (product as u64) ^ (product >> 64) as u64 ^ number.rotate_left(32)
}
