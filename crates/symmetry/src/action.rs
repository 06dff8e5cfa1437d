//! How permutations of identities act on states, derived from the layout alone.
//!
//! The members of all classes that move are numbered through as *vertices*. A slot inside an array over a class
//! belongs to the vertex of its index and moves with it; a slot that holds a member of a class refers to that vertex
//! and is renamed. Multisets are brought back into normal form afterwards.

use burnside_group::mix;
use burnside_ir::{GlobalId, Layout, MAX_WIDTH_BITS, Model, Type, TypeId, Types, UNDEFINED};

use crate::Permutations;
use crate::bits::{Field, fields};
use crate::blocks::{Blocks, Member};
use crate::cells::{self, Cells};
use crate::symmetry::SymmetricClass;

/// No vertex.
const NONE: u32 = u32::MAX;

/// A slot's place under one array over a class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Coordinate {
    vertex: u32,
    /// Distance in slots between consecutive members.
    stride: u32,
}

/// A slot that can matter for symmetry.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    pub(crate) field: Field,
    /// The same for slots that permutations exchange, different otherwise.
    pub(crate) role: u64,
    /// The vertices it belongs to, outermost array first.
    pub(crate) owners: Vec<u32>,
    /// Which of the tables turns its value into a vertex.
    pub(crate) table: Option<u32>,
}

/// A multiset with what is in its first element; the others lie at a constant distance.
#[derive(Debug, Clone)]
pub(crate) struct Multiset {
    pub(crate) role: u64,
    /// The vertices it belongs to.
    pub(crate) owners: Vec<u32>,
    /// The slot that tells whether the first element is there.
    pub(crate) presence: Field,
    /// Distance between elements in bits.
    pub(crate) stride: u32,
    pub(crate) capacity: u32,
    /// The slots of the first element; their owners do not include the multiset's.
    pub(crate) places: Vec<Place>,
    /// Those that may refer to a vertex, each with its table.
    references: Vec<(u32, Field)>,
    /// Arrays over classes in the first element, outer before inner.
    shuffles: Vec<Shuffle>,
}

/// The elements of an array over a class.
#[derive(Debug, Clone, Copy)]
struct Shuffle {
    class: u32,
    /// The first bit of the array.
    bit: u32,
    /// Bits of an element.
    stride: u32,
}

/// Arrays over a class with elements of one size that lie in one word.
// PERF: nested arrays come in dozens, and their elements move all at once.
#[derive(Debug, Clone)]
struct Lane {
    class: u32,
    word: u32,
    /// Bits of an element.
    stride: u32,
    /// For each member of the class, the bits of its elements.
    masks: Vec<u64>,
    /// The bits of all of them.
    all: u64,
}

impl Lane {
    /// Moves the elements of vertex `i` to where `images[i]` says, counted from `first`.
    #[inline]
    fn shuffle(&self, first: u32, images: &[u32], words: &mut [u64]) {
        let word = &mut words[self.word as usize];
        let mut moved = *word & !self.all;
        for ((number, image), mask) in (0..).zip(images).zip(&self.masks) {
            let (elements, image) = (*word & mask, image - first);
            moved |= match image >= number {
                true => elements << ((image - number) * self.stride),
                false => elements >> ((number - image) * self.stride),
            };
        }
        *word = moved;
    }
}

/// Turns values of one type into vertices.
#[derive(Debug, Clone)]
struct VertexTable {
    lo: i64,
    /// By the bits that stand for a value, so that the first is for undefined.
    vertices: Vec<u32>,
}

/// The action of a model's symmetry on its states.
#[derive(Debug, Clone)]
pub struct Action {
    /// First vertex of each class, and one past the last of all.
    firsts: Vec<u32>,
    cells: Cells,
    blocks: Blocks,
    tables: Vec<VertexTable>,
    /// For each type, its place among the tables.
    table_of: Vec<Option<u32>>,
    /// Slots outside multisets.
    pub(crate) places: Vec<Place>,
    pub(crate) multisets: Vec<Multiset>,
    /// Arrays over classes outside multisets: those that lie in one word, and the others, outer before inner.
    lanes: Vec<Lane>,
    shuffles: Vec<Shuffle>,
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
    /// The action of all that is proved.
    pub fn new(model: &Model, layout: &Layout, symmetry: &Permutations) -> Self {
        let mut firsts = vec![0];
        for class in symmetry.moving_classes() {
            firsts.push(firsts.last().expect("not empty") + class.size);
        }
        let mut builder = Builder {
            types: &model.types,
            layout,
            tables: type_tables(&model.types, symmetry, &firsts),
            firsts: &firsts,
            places: Vec::new(),
            multisets: Vec::new(),
            shuffles: Vec::new(),
            moves: Vec::new(),
        };
        for (at, global) in model.globals.iter().enumerate() {
            let slot = layout.global(GlobalId(at as u32));
            let role = mix(0x676c_6f62, at as u64);
            builder.value(global.ty, Context { slot, role, coordinates: Vec::new(), part: Part::Outside });
        }
        let Builder { tables, places, multisets, mut shuffles, mut moves, .. } = builder;
        let lanes = take_lanes(&mut shuffles, &firsts);
        moves.retain(|moving| !moving.coordinates.is_empty() || moving.table.is_some());
        let numbers = tables.iter().scan(0, |n_tables, table| {
            *n_tables += u32::from(table.is_some());
            Some(table.as_ref().map(|_| *n_tables - 1))
        });
        let table_of = numbers.collect();
        let tables = tables.into_iter().flatten().collect();
        let (cells, blocks) = (Cells::of(symmetry), cells::blocks(symmetry));
        Self {
            firsts,
            cells,
            blocks,
            tables,
            table_of,
            places,
            multisets,
            lanes,
            shuffles,
            moves,
            layout: layout.clone(),
        }
    }

    /// Number of vertices.
    pub fn n_vertices(&self) -> usize {
        *self.firsts.last().expect("not empty") as usize
    }

    /// The vertices of each class.
    pub fn classes(&self) -> impl Iterator<Item = std::ops::Range<u32>> {
        self.firsts.windows(2).map(|pair| pair[0]..pair[1])
    }

    /// The first vertex of each class, and one past the last of all.
    pub(crate) fn firsts(&self) -> &[u32] {
        &self.firsts
    }

    /// What all permutations may be applied to.
    pub(crate) fn cells(&self) -> &Cells {
        &self.cells
    }

    /// What moves together within cells.
    #[inline]
    pub(crate) fn blocks(&self) -> &Blocks {
        &self.blocks
    }

    /// The layout of the states acted upon.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The vertices of a type's values, in order.
    pub(crate) fn vertices(&self, ty: TypeId) -> impl Iterator<Item = Option<u32>> {
        let table = self.table_of[ty.index()].map(|number| &self.tables[number as usize]);
        let vertices = table.map_or(&[][..], |table| &table.vertices[1..]);
        vertices.iter().map(|&vertex| (vertex != NONE).then_some(vertex))
    }

    /// How many codes a slot may have whose values a table turns into vertices.
    pub(crate) fn n_codes(&self, table: u32) -> u64 {
        self.tables[table as usize].vertices.len() as u64
    }

    /// The vertex that the bits of a slot refer to.
    #[inline]
    pub(crate) fn target(&self, table: u32, code: u64) -> Option<u32> {
        let vertex = self.tables[table as usize].vertices[code as usize];
        (vertex != NONE).then_some(vertex)
    }

    /// The same as part of a block.
    #[inline]
    pub(crate) fn referent(&self, table: u32, code: u64) -> Option<Member> {
        self.target(table, code).map(|vertex| self.blocks.member(vertex))
    }

    /// Applies a renaming to an unpacked state, slot by slot; `to` gets the result in normal form.
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
            let target = moving.table.and_then(|number| {
                let code = if value == UNDEFINED { 0 } else { value - self.tables[number as usize].lo + 1 };
                self.target(number, code as u64)
            });
            to[slot as usize] = match target {
                Some(vertex) => value + (i64::from(renaming.0[vertex as usize]) - i64::from(vertex)),
                None => value,
            };
        }
        self.layout.normalise(to);
    }

    /// Moves the elements of all arrays over classes outside multisets.
    pub(crate) fn move_elements(&self, images: &[u32], words: &mut [u64], scratch: &mut Scratch) {
        self.shuffle(&self.shuffles, 0, images, words, scratch);
        for lane in self.lanes.iter().filter(|lane| scratch.has_moved[lane.class as usize]) {
            let (first, end) = (self.firsts[lane.class as usize], self.firsts[lane.class as usize + 1]);
            lane.shuffle(first, &images[first as usize..end as usize], words);
        }
    }

    /// Moves the elements of arrays; `offset` is added to their places.
    fn shuffle(&self, shuffles: &[Shuffle], offset: u32, images: &[u32], words: &mut [u64], scratch: &mut Scratch) {
        for shuffle in shuffles {
            if !scratch.has_moved[shuffle.class as usize] {
                continue;
            }
            let (first, end) = (self.firsts[shuffle.class as usize], self.firsts[shuffle.class as usize + 1]);
            let array = Stretch { bit: offset + shuffle.bit, stride: shuffle.stride };
            let images = &images[first as usize..end as usize];
            if images.len() as u32 * shuffle.stride <= MAX_WIDTH_BITS {
                array.shuffle_at_once(first, images, words);
            } else {
                array.shuffle(first, images, words, &mut scratch.bits);
            }
        }
    }

    /// Renames what a slot refers to. Whether that is something else now.
    #[inline]
    pub(crate) fn rename_slot(&self, table: u32, field: Field, images: &[u32], words: &mut [u64]) -> bool {
        let code = field.read(words);
        match self.target(table, code) {
            Some(vertex) if images[vertex as usize] != vertex => {
                field.write(words, code + u64::from(images[vertex as usize]) - u64::from(vertex));
                true
            }
            _ => false,
        }
    }

    /// Renames what is in one element of a multiset. Whether it is something else now.
    pub(crate) fn rename_element(
        &self,
        multiset: &Multiset,
        offset: u32,
        images: &[u32],
        words: &mut [u64],
        scratch: &mut Scratch,
    ) -> bool {
        let mut has_changed = multiset.shuffles.iter().any(|shuffle| scratch.has_moved[shuffle.class as usize]);
        for &(table, field) in &multiset.references {
            has_changed |= self.rename_slot(table, field.moved_by(offset), images, words);
        }
        self.shuffle(&multiset.shuffles, offset, images, words, scratch);
        has_changed
    }
}

/// The elements of an array, in their place.
#[derive(Clone, Copy)]
struct Stretch {
    bit: u32,
    stride: u32,
}

impl Stretch {
    /// Moves element `i` to where `images[i]` says, counted from `first`, if the whole array can be read at once.
    fn shuffle_at_once(self, first: u32, images: &[u32], words: &mut [u64]) {
        let array = Field { bit: self.bit, width: images.len() as u32 * self.stride };
        let element = Field { bit: 0, width: self.stride };
        let mut rest = array.read(words);
        let mut shuffled = 0;
        for image in images {
            shuffled |= (rest & element.mask()) << ((image - first) * self.stride);
            rest >>= self.stride;
        }
        array.write(words, shuffled);
    }

    fn shuffle(self, first: u32, images: &[u32], words: &mut [u64], bits: &mut Vec<u64>) {
        let element = |number: u32| fields(self.bit + number * self.stride, self.stride);
        bits.clear();
        for (number, &image) in (0..).zip(images) {
            if image - first != number {
                for field in element(number) {
                    bits.push(field.read(words));
                }
            }
        }
        let mut bits = bits.iter();
        for (number, &image) in (0..).zip(images) {
            if image - first != number {
                for field in element(image - first) {
                    field.write(words, *bits.next().expect("as many as were read"));
                }
            }
        }
    }
}

impl Multiset {
    /// Puts the present elements in descending order as numbers, as [`Layout::normalise`] does.
    pub(crate) fn sort(&self, words: &mut [u64], scratch: &mut Scratch) {
        if self.stride <= MAX_WIDTH_BITS {
            return self.sort_narrow(words, &mut scratch.bits);
        }
        let element = |number: u32| fields(self.presence.bit + number * self.stride, self.stride);
        let is_present = |number: &u32| self.presence.moved_by(number * self.stride).read(words) != 0;
        // Absent elements come last.
        let n_present = (0..self.capacity).take_while(is_present).count() as u32;
        let bits = &mut scratch.bits;
        bits.clear();
        bits.extend((0..n_present).flat_map(element).map(|field| field.read(words)));
        let n_fields = element(0).count();
        let is_less = |one: &[u64], other: &[u64]| one.iter().rev().lt(other.iter().rev());
        for end in 1..n_present as usize {
            let mut at = end;
            while at > 0 {
                let (before, rest) = bits[..(at + 1) * n_fields].split_at_mut(at * n_fields);
                let before = &mut before[(at - 1) * n_fields..];
                if !is_less(before, rest) {
                    break;
                }
                before.swap_with_slice(rest);
                at -= 1;
            }
        }
        for (field, &bits) in (0..n_present).flat_map(element).zip(bits.iter()) {
            field.write(words, bits);
        }
    }
}

impl Multiset {
    /// The same where each element can be read at once.
    fn sort_narrow(&self, words: &mut [u64], sorted: &mut Vec<u64>) {
        let element = |number: u32| Field { bit: self.presence.bit + number * self.stride, width: self.stride };
        sorted.clear();
        for number in 0..self.capacity {
            let bits = element(number).read(words);
            // Absent elements come last.
            if bits & self.presence.mask() == 0 {
                break;
            }
            let mut at = sorted.len();
            sorted.push(bits);
            while at > 0 && sorted[at - 1] < bits {
                sorted[at] = sorted[at - 1];
                at -= 1;
            }
            sorted[at] = bits;
        }
        for (number, &bits) in (0..).zip(sorted.iter()) {
            element(number).write(words, bits);
        }
    }
}

/// Memory for the work of one thread.
#[derive(Debug, Clone, Default)]
pub(crate) struct Scratch {
    /// By class, whether the renaming at hand moves some vertex.
    has_moved: Vec<bool>,
    bits: Vec<u64>,
}

impl Scratch {
    /// Notes which classes a renaming moves; false if none.
    pub(crate) fn note_moves(&mut self, action: &Action, images: &[u32]) -> bool {
        let moves = |mut class: std::ops::Range<u32>| class.any(|vertex| images[vertex as usize] != vertex);
        self.has_moved.clear();
        self.has_moved.extend(action.classes().map(moves));
        self.has_moved.contains(&true)
    }
}

/// Where a value lies while the layout is walked.
#[derive(Clone)]
struct Context {
    slot: u32,
    role: u64,
    coordinates: Vec<Coordinate>,
    part: Part,
}

/// What a value is part of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Outside,
    /// Of the first element of the last multiset, with so many coordinates outside.
    First(usize),
    /// Of another element, of which only the moves are noted.
    Other,
}

struct Builder<'m> {
    types: &'m Types,
    layout: &'m Layout,
    /// By type.
    tables: Vec<Option<VertexTable>>,
    firsts: &'m [u32],
    places: Vec<Place>,
    multisets: Vec<Multiset>,
    shuffles: Vec<Shuffle>,
    moves: Vec<Move>,
}

impl Builder<'_> {
    fn value(&mut self, ty: TypeId, at: Context) {
        if self.types.shape(ty).n_slots == 0 {
            return;
        }
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
        let n_elements = self.types.shape(index).cardinality() as u32;
        self.shuffle(index, n_elements, stride, &at);
        for number in 0..n_elements {
            let vertex = self.tables[index.index()].as_ref().map_or(NONE, |table| table.vertices[number as usize + 1]);
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

    /// Notes that the elements of an array move, class by class where the index is a union.
    fn shuffle(&mut self, index: TypeId, n_elements: u32, stride: u32, at: &Context) {
        let Some(table) = &self.tables[index.index()] else { return };
        let first_bit = self.layout.slots()[at.slot as usize].bit;
        let stride = bits(self.layout, at.slot, stride);
        let mut number = 0;
        while number < n_elements {
            let vertex = table.vertices[number as usize + 1];
            if vertex == NONE {
                number += 1;
                continue;
            }
            let class = self.firsts.partition_point(|&first| first <= vertex) as u32 - 1;
            let shuffle = Shuffle { class, bit: first_bit + number * stride, stride };
            match at.part {
                Part::Outside => self.shuffles.push(shuffle),
                Part::First(_) => self.multisets.last_mut().expect("in a multiset").shuffles.push(shuffle),
                Part::Other => {}
            }
            number += self.firsts[class as usize + 1] - self.firsts[class as usize];
        }
    }

    fn multiset(&mut self, capacity: u32, element: TypeId, at: Context) {
        let stride = self.types.shape(element).n_slots + 1;
        let n_outside = at.coordinates.len();
        self.multisets.push(Multiset {
            role: at.role,
            owners: vertices(&at.coordinates),
            presence: self.field(at.slot),
            stride: bits(self.layout, at.slot, stride),
            capacity,
            places: Vec::new(),
            references: Vec::new(),
            shuffles: Vec::new(),
        });
        for number in 0..capacity {
            let presence = at.slot + number * stride;
            self.moves.push(Move { slot: presence, coordinates: at.coordinates.clone(), table: None });
            let role = mix(at.role, 0x3_0000);
            let part = if number == 0 { Part::First(n_outside) } else { Part::Other };
            self.value(element, Context { slot: presence + 1, role, part, ..at.clone() });
        }
    }

    fn scalar(&mut self, ty: TypeId, at: Context) {
        let table = self.tables[ty.index()].as_ref().map(|_| self.table_number(ty));
        let place = |coordinates: &[Coordinate]| Place {
            field: self.field(at.slot),
            role: at.role,
            owners: vertices(coordinates),
            table,
        };
        match at.part {
            Part::Outside => self.places.push(place(&at.coordinates)),
            Part::First(n_outside) => {
                let place = place(&at.coordinates[n_outside..]);
                let multiset = self.multisets.last_mut().expect("in a multiset");
                multiset.references.extend(table.map(|table| (table, place.field)));
                multiset.places.push(place);
            }
            Part::Other => {}
        }
        self.moves.push(Move { slot: at.slot, coordinates: at.coordinates, table });
    }

    fn field(&self, slot: u32) -> Field {
        let slot = self.layout.slots()[slot as usize];
        Field { bit: slot.bit, width: slot.width_bits }
    }

    /// The position of a type's table among those that exist.
    fn table_number(&self, ty: TypeId) -> u32 {
        self.tables[..ty.index()].iter().flatten().count() as u32
    }
}

/// Takes out the arrays that lie in one word, those with elements of one size together. In which order nested arrays
/// are permuted does not matter: each permutation does the same in all elements of the others.
fn take_lanes(shuffles: &mut Vec<Shuffle>, firsts: &[u32]) -> Vec<Lane> {
    let mut lanes: Vec<Lane> = Vec::new();
    shuffles.retain(|&Shuffle { class, bit, stride }| {
        let size = firsts[class as usize + 1] - firsts[class as usize];
        let word = bit / u64::BITS;
        if (bit + size * stride - 1) / u64::BITS != word {
            return true;
        }
        let fits = |lane: &Lane| lane.class == class && lane.word == word && lane.stride == stride;
        let at = lanes.iter().position(fits).unwrap_or_else(|| {
            lanes.push(Lane { class, word, stride, masks: vec![0; size as usize], all: 0 });
            lanes.len() - 1
        });
        let element = u64::MAX >> (u64::BITS - stride);
        let Lane { masks, all, .. } = &mut lanes[at];
        for (number, mask) in (0..).zip(masks) {
            *mask |= element << (bit % u64::BITS + number * stride);
            *all |= *mask;
        }
        false
    });
    lanes
}

/// The bits of some consecutive slots.
fn bits(layout: &Layout, first: u32, n_slots: u32) -> u32 {
    layout.slots()[first as usize..][..n_slots as usize].iter().map(|slot| slot.width_bits).sum()
}

fn vertices(coordinates: &[Coordinate]) -> Vec<u32> {
    coordinates.iter().map(|coordinate| coordinate.vertex).collect()
}

/// For each type, its vertices if some of its values are members of a class that moves.
fn type_tables(types: &Types, symmetry: &Permutations, firsts: &[u32]) -> Vec<Option<VertexTable>> {
    let classes: Vec<&SymmetricClass> = symmetry.moving_classes().collect();
    let class_of = |ty: TypeId| classes.iter().position(|class| class.types.contains(&ty));
    let table = |ty: TypeId| match types.get(ty) {
        Type::Union { members } => {
            let of_members = members.iter().flat_map(|&member| {
                let size = types.shape(member).cardinality() as u32;
                let first = class_of(member).map(|class| firsts[class]);
                (0..size).map(move |number| first.map_or(NONE, |first| first + number))
            });
            let vertices: Vec<u32> = std::iter::once(NONE).chain(of_members).collect();
            vertices.iter().any(|&vertex| vertex != NONE).then_some(VertexTable { lo: 0, vertices })
        }
        _ => class_of(ty).map(|class| {
            let first = firsts[class];
            let vertices = first..first + classes[class].size;
            VertexTable { lo: types.shape(ty).lo, vertices: std::iter::once(NONE).chain(vertices).collect() }
        }),
    };
    types.iter().map(|(ty, _)| table(ty)).collect()
}
