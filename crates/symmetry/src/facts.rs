//! A state read as a coloured graph: what each vertex owns by itself, and which vertices belong together.
//!
//! Most of a state is about one vertex: a scalar in an array over a class, a variable that holds an identity, a message
//! with only a sender. This is hashed into the vertex's colour once. The rest is kept as edges: two vertices with a
//! label (a reference from one to the other, an entry of a matrix, a message from one to the other), or any number of
//! vertices, each with its role.
//!
//! Labels and roles are hashes. They name no vertex, so renaming a state renames the vertices of its edges and changes
//! nothing else.

use burnside_ir::MAX_WIDTH_BITS;

use crate::action::{Action, Multiset, Place, mix};
use crate::bits::Field;

const ITSELF: u64 = 0x7365_6c66;
const REFERS: u64 = 0x7265_6665;
const TWICE: u64 = 0x7477_6963;

/// What to read in a state.
#[derive(Debug, Clone)]
pub(crate) struct Facts {
    /// The colour of each vertex before anything is read: its class.
    blank: Vec<u64>,
    owned: Vec<Owned>,
    references: Vec<Reference>,
    rows: Vec<Row>,
    /// Of all rows.
    entries: Vec<Entry>,
    /// Slots with more than two vertices.
    crowded: Vec<Place>,
    /// Multisets in which something can be about a vertex.
    multisets: Vec<Multiset>,
    /// Whether a multiset element has parts about two vertices at once, whose connection is not kept.
    pub(crate) is_coarse: bool,
}

/// Something that belongs to one vertex and refers to none.
#[derive(Debug, Clone, Copy)]
struct Owned {
    vertex: u32,
    field: Field,
    role: u64,
}

/// A slot that may refer to a vertex.
#[derive(Debug, Clone, Copy)]
struct Reference {
    owner: Option<u32>,
    table: u32,
    field: Field,
    role: u64,
}

/// Neighbouring entries of a matrix over two vertices; most often all are at their first value.
#[derive(Debug, Clone)]
struct Row {
    field: Field,
    /// The bits if every slot has its first value.
    usual: u64,
    /// One past the last of its entries.
    end: usize,
}

#[derive(Debug, Clone, Copy)]
struct Entry {
    vertices: [u32; 2],
    /// Its place within the row.
    shift: u32,
    width: u32,
    role: u64,
}

/// What was read.
#[derive(Debug, Clone, Default)]
pub(crate) struct Picture {
    pub(crate) colours: Vec<u64>,
    pub(crate) pairs: Vec<Pair>,
    pub(crate) groups: Vec<Group>,
    /// The members of all groups.
    pub(crate) ends: Vec<End>,
    /// Whether some edge contains the vertex.
    pub(crate) is_linked: Vec<bool>,
    /// Facts about single vertices that come in no order.
    sums: Vec<u64>,
}

/// An edge from one vertex to another.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pair {
    pub(crate) label: u64,
    pub(crate) vertices: [u32; 2],
}

/// An edge of any number of vertices.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Group {
    pub(crate) label: u64,
    /// One past the last of its ends.
    pub(crate) end: usize,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct End {
    pub(crate) role: u64,
    pub(crate) vertex: u32,
}

impl Facts {
    pub(crate) fn new(action: &Action) -> Self {
        let classes = action.classes().enumerate();
        let mut facts = Self {
            blank: classes.flat_map(|(number, class)| class.map(move |_| mix(0x636c_6173, number as u64))).collect(),
            owned: Vec::new(),
            references: Vec::new(),
            rows: Vec::new(),
            entries: Vec::new(),
            crowded: Vec::new(),
            multisets: Vec::new(),
            is_coarse: false,
        };
        for place in &action.places {
            facts.place(place);
        }
        let has_vertices = |place: &Place| place.table.is_some() || !place.owners.is_empty();
        for multiset in &action.multisets {
            if multiset.owners.is_empty() && !multiset.places.iter().any(has_vertices) {
                continue;
            }
            let is_coarse = |place: &Place| place.owners.len() + usize::from(place.table.is_some()) > 1;
            facts.is_coarse |= multiset.places.iter().any(is_coarse);
            facts.multisets.push(multiset.clone());
        }
        facts
    }

    fn place(&mut self, place: &Place) {
        let &Place { field, role, ref owners, table } = place;
        match (&owners[..], table) {
            ([], None) => {}
            (&[vertex], None) => match self.owned.last_mut() {
                Some(last) if last.vertex == vertex && can_join(last.field, field) => last.field.width += field.width,
                _ => self.owned.push(Owned { vertex, field, role }),
            },
            (&[], Some(table)) => self.references.push(Reference { owner: None, table, field, role }),
            (&[owner], Some(table)) => self.references.push(Reference { owner: Some(owner), table, field, role }),
            (&[first, second], None) => self.entry([first, second], field, role),
            _ => self.crowded.push(place.clone()),
        }
    }

    fn entry(&mut self, vertices: [u32; 2], field: Field, role: u64) {
        let row = match self.rows.last_mut() {
            Some(row) if can_join(row.field, field) => row,
            _ => {
                let end = self.entries.len();
                self.rows.push(Row { field: Field { bit: field.bit, width: 0 }, usual: 0, end });
                self.rows.last_mut().expect("just pushed")
            }
        };
        let shift = row.field.width;
        row.field.width += field.width;
        row.usual |= 1 << shift;
        row.end += 1;
        self.entries.push(Entry { vertices, shift, width: field.width, role });
    }

    /// Reads a state.
    pub(crate) fn read(&self, action: &Action, words: &[u64], picture: &mut Picture) {
        picture.clear(&self.blank);
        for owned in &self.owned {
            picture.colour(owned.vertex, owned.role.wrapping_add(owned.field.read(words)));
        }
        for reference in &self.references {
            let code = reference.field.read(words);
            match (reference.owner, action.target(reference.table, code)) {
                (None, None) => {}
                (None, Some(target)) => picture.colour(target, reference.role),
                (Some(owner), None) => picture.colour(owner, reference.role.wrapping_add(code)),
                (Some(owner), Some(target)) if owner == target => picture.colour(owner, reference.role ^ ITSELF),
                (Some(owner), Some(target)) => picture.pair(reference.role, [owner, target]),
            }
        }
        self.read_rows(words, picture);
        for place in &self.crowded {
            let code = place.field.read(words);
            let target = place.table.and_then(|table| action.target(table, code));
            if target.is_none() && code == 1 {
                continue;
            }
            let label = target.map_or(place.role.wrapping_add(code), |_| place.role);
            picture.begin_group();
            for (at, &vertex) in place.owners.iter().chain(&target).enumerate() {
                picture.end(mix(REFERS, at as u64), vertex);
            }
            picture.group(label);
        }
        for multiset in &self.multisets {
            self.read_multiset(action, multiset, words, picture);
        }
        picture.finish();
    }

    fn read_rows(&self, words: &[u64], picture: &mut Picture) {
        let mut begin = 0;
        for row in &self.rows {
            let bits = row.field.read(words);
            if bits != row.usual {
                for entry in &self.entries[begin..row.end] {
                    let code = bits >> entry.shift & ((1 << entry.width) - 1);
                    let label = entry.role.wrapping_add(code);
                    match entry.vertices {
                        _ if code == 1 => {}
                        [first, second] if first == second => picture.colour(first, label),
                        vertices => picture.pair(label, vertices),
                    }
                }
            }
            begin = row.end;
        }
    }

    fn read_multiset(&self, action: &Action, multiset: &Multiset, words: &[u64], picture: &mut Picture) {
        for number in 0..multiset.capacity {
            let offset = number * multiset.stride;
            if multiset.presence.moved_by(offset).read(words) == 0 {
                // Absent elements come last.
                break;
            }
            picture.begin_group();
            for (at, &owner) in multiset.owners.iter().enumerate() {
                picture.end(mix(ITSELF, at as u64), owner);
            }
            let mut label = multiset.role;
            for place in &multiset.places {
                let code = place.field.moved_by(offset).read(words);
                let target = place.table.and_then(|table| action.target(table, code));
                match (&place.owners[..], target) {
                    ([], None) => label = mix(label, place.role.wrapping_add(code)),
                    ([], Some(target)) => picture.end(place.role, target),
                    (_, None) if code == 1 => {}
                    (owners, target) => {
                        let role = target.map_or(place.role.wrapping_add(code), |_| place.role);
                        for (at, &vertex) in owners.iter().chain(&target).enumerate() {
                            picture.end(mix(role, at as u64), vertex);
                        }
                    }
                }
            }
            picture.group(label);
        }
    }
}

/// Whether a field goes on where another ends, and both can be read at once.
fn can_join(field: Field, next: Field) -> bool {
    field.bit + field.width == next.bit && field.width + next.width <= MAX_WIDTH_BITS
}

impl Picture {
    fn clear(&mut self, blank: &[u64]) {
        self.colours.clear();
        self.colours.extend_from_slice(blank);
        self.sums.clear();
        self.sums.resize(blank.len(), 0);
        self.is_linked.clear();
        self.is_linked.resize(blank.len(), false);
        self.pairs.clear();
        self.groups.clear();
        self.ends.clear();
    }

    /// Notes a fact about one vertex. Those about a class come in the same order for each of its vertices.
    #[inline]
    fn colour(&mut self, vertex: u32, fact: u64) {
        let colour = &mut self.colours[vertex as usize];
        *colour = mix(*colour, fact);
    }

    #[inline]
    fn pair(&mut self, label: u64, vertices: [u32; 2]) {
        self.pairs.push(Pair { label, vertices });
        self.is_linked[vertices[0] as usize] = true;
        self.is_linked[vertices[1] as usize] = true;
    }

    fn begin_group(&mut self) {
        self.ends.truncate(self.groups.last().map_or(0, |group| group.end));
    }

    fn end(&mut self, role: u64, vertex: u32) {
        self.ends.push(End { role, vertex });
    }

    /// Closes the group whose ends were given; small ones become something simpler.
    fn group(&mut self, mut label: u64) {
        let begin = self.groups.last().map_or(0, |group| group.end);
        let ends = &self.ends[begin..];
        match *ends {
            [] => {}
            [End { role, vertex }] => self.sum(vertex, mix(label, role)),
            [one, other] if one.vertex == other.vertex => {
                // Written so that it does not matter which of the two comes first.
                let roles = one.role.wrapping_add(other.role);
                self.sum(one.vertex, mix(mix(label, roles), TWICE));
            }
            [one, other] if one.role != other.role => {
                let (from, to) = if one.role < other.role { (one, other) } else { (other, one) };
                self.pair(mix(mix(label, from.role), to.role), [from.vertex, to.vertex]);
            }
            _ => {
                let twice = ends.iter().enumerate().flat_map(|(at, one)| {
                    ends[at + 1..].iter().filter(|other| other.vertex == one.vertex).map(|other| (one.role, other.role))
                });
                let coincidences: u64 = twice.map(|(one, other)| mix(TWICE, one ^ other)).fold(0, u64::wrapping_add);
                label = mix(label, coincidences);
                for end in &self.ends[begin..] {
                    self.is_linked[end.vertex as usize] = true;
                }
                self.groups.push(Group { label, end: self.ends.len() });
                return;
            }
        }
        self.ends.truncate(begin);
    }

    fn sum(&mut self, vertex: u32, fact: u64) {
        let sum = &mut self.sums[vertex as usize];
        *sum = sum.wrapping_add(fact);
    }

    fn finish(&mut self) {
        for (colour, &sum) in self.colours.iter_mut().zip(&self.sums) {
            if sum != 0 {
                *colour = mix(*colour, sum);
            }
        }
    }

    /// Every group with its ends.
    pub(crate) fn groups(&self) -> impl Iterator<Item = (u64, &[End])> {
        let mut begin = 0;
        self.groups.iter().map(move |group| {
            let ends = &self.ends[begin..group.end];
            begin = group.end;
            (group.label, ends)
        })
    }
}
