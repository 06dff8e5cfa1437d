//! A state read as a coloured graph: what each vertex owns by itself, and which vertices belong together.
//!
//! Most of a state is about one vertex: a scalar in an array over a class, a variable that holds an identity, a message
//! with only a sender. This goes into the vertex's colour. The rest is kept as edges: two vertices with a label (a
//! reference from one to the other, an entry of a matrix, a message from one to the other), or any number of vertices,
//! each with its role.
//!
//! Labels and roles are hashes. They name no vertex, so renaming a state renames the vertices of its edges and changes
//! nothing else. Colours are sums, so that they can be brought up to date: of two states read one after the other, only
//! those units are looked at again that lie in words where the states differ.

use burnside_group::mix;
use burnside_ir::MAX_WIDTH_BITS;

use crate::action::{Action, Multiset, Place, Scratch};
use crate::bits::Field;

const ITSELF: u64 = 0x7365_6c66;
const OWNER: u64 = 0x6f77_6e65;
const TWICE: u64 = 0x7477_6963;

/// How many bits of a vertex's first own unit lead in its colour, as a number.
// PERF: colours put vertices in order, and a state whose vertices are in order is its own representative. By hashes alone,
// a step would put whatever it changes in a new place.
const LEADING_BITS: u32 = 8;

/// How many bits hashes lose so that a sum of 64 of them, the most of which most colours consist, stays below.
const HASH_SHIFT: u32 = LEADING_BITS + 6;

/// Not in a list.
const NOWHERE: u32 = u32::MAX;

/// What there is to read in states.
#[derive(Debug, Clone)]
pub(crate) struct Facts {
    n_vertices: usize,
    units: Vec<Unit>,
    multisets: Vec<Multiset>,
    /// Slots about three vertices or more.
    crowded: Vec<Place>,
    /// For each word, the bits that belong to units.
    relevant: Vec<u64>,
    /// For each bit that belongs to a unit, what of the unit is in the bit's word.
    touched: Vec<Touch>,
    /// Whether a multiset element has parts about two vertices at once, whose connection is not kept.
    pub(crate) is_coarse: bool,
}

/// Something read at once. It is about at most one edge or one vertex.
#[derive(Debug, Clone, Copy)]
enum Unit {
    /// Belongs to one vertex and refers to none.
    Owned { vertex: u32, field: Field, role: u64, leads: bool },
    /// May refer to a vertex.
    Reference { owner: Option<u32>, table: u32, field: Field, role: u64 },
    /// An entry of a matrix; most often it has its first value, which counts as nothing.
    Entry { vertices: [u32; 2], field: Field, role: u64 },
    /// A slot about more vertices, by its number.
    Crowded(u32),
    /// An element of a multiset, given by its number and the distance from the first element in bits.
    Element { multiset: u32, offset: u32 },
}

/// Bits of a unit in some word.
#[derive(Debug, Clone, Copy, Default)]
struct Touch {
    bits: u64,
    unit: u32,
    /// Whether the unit has bits in other words too.
    is_partial: bool,
}

impl Facts {
    pub(crate) fn new(action: &Action) -> Self {
        let mut facts = Self {
            n_vertices: action.n_vertices(),
            units: Vec::new(),
            multisets: Vec::new(),
            crowded: Vec::new(),
            relevant: vec![0; action.layout().n_words()],
            touched: vec![Touch::default(); action.layout().n_words() * 64],
            is_coarse: false,
        };
        let mut last = None;
        for place in &action.places {
            // What belongs to one vertex can be read at once, but not what others of its block have.
            let is_alone = last == Some(&place.owners);
            facts.place(&of_leaders(place, action), is_alone);
            last = Some(&place.owners);
        }
        for multiset in &action.multisets {
            let mut own = multiset.clone();
            (own.role, own.owners) = leaders(&multiset.owners, multiset.role, action);
            own.places.iter_mut().for_each(|place| *place = of_leaders(place, action));
            facts.multiset(own);
        }
        for number in 0..facts.units.len() {
            let (bit, width) = facts.stretch(facts.units[number]);
            let words = bit / 64..(bit + width).div_ceil(64);
            for word in words.clone() {
                let (begin, end) = (bit.max(word * 64) - word * 64, (bit + width).min((word + 1) * 64) - word * 64);
                let bits = u64::MAX >> (64 - (end - begin)) << begin;
                facts.relevant[word as usize] |= bits;
                let touch = Touch { bits, unit: number as u32, is_partial: words.len() > 1 };
                facts.touched[(word * 64 + begin) as usize..(word * 64 + end) as usize].fill(touch);
            }
        }
        facts
    }

    /// For each vertex, the fields that are about it alone and refer to none, in the same order for all of a class.
    pub(crate) fn fields_of_vertices(&self) -> Vec<Vec<Field>> {
        let mut owned = vec![Vec::new(); self.n_vertices];
        for unit in &self.units {
            if let &Unit::Owned { vertex, field, .. } = unit {
                owned[vertex as usize].push(field);
            }
        }
        owned
    }

    /// Whether every unit is about one vertex alone and refers to none: for each vertex, its fields, in the same order
    /// for all of a class.
    pub(crate) fn owned_fields(&self) -> Option<Vec<Vec<Field>>> {
        let are_owned = self.units.iter().all(|unit| matches!(unit, Unit::Owned { .. }));
        are_owned.then(|| self.fields_of_vertices())
    }

    /// The bits of a word that say nothing about vertices.
    pub(crate) fn shared_bits(&self, word: usize) -> u64 {
        !self.relevant[word]
    }

    /// Notes a slot; `joins` if the one before belongs to the same vertices.
    fn place(&mut self, place: &Place, joins: bool) {
        let &Place { field, role, ref owners, table } = place;
        let unit = match (&owners[..], table) {
            ([], None) => return,
            (&[vertex], None) => match self.units.last_mut() {
                Some(Unit::Owned { vertex: owner, field: last, .. })
                    if joins && *owner == vertex && can_join(*last, field) =>
                {
                    last.width += field.width;
                    return;
                }
                _ => {
                    let is_its = |unit: &Unit| matches!(unit, Unit::Owned { vertex: owner, .. } if *owner == vertex);
                    Unit::Owned { vertex, field, role, leads: !self.units.iter().any(is_its) }
                }
            },
            (&[], Some(table)) => Unit::Reference { owner: None, table, field, role },
            (&[owner], Some(table)) => Unit::Reference { owner: Some(owner), table, field, role },
            (&[first, second], None) => Unit::Entry { vertices: [first, second], field, role },
            _ => {
                self.crowded.push(place.clone());
                Unit::Crowded(self.crowded.len() as u32 - 1)
            }
        };
        self.units.push(unit);
    }

    fn multiset(&mut self, multiset: Multiset) {
        let n_vertices = |place: &Place| place.owners.len() + usize::from(place.table.is_some());
        if multiset.owners.is_empty() && multiset.places.iter().all(|place| n_vertices(place) == 0) {
            return;
        }
        self.is_coarse |= multiset.places.iter().any(|place| n_vertices(place) > 1);
        let offsets = (0..multiset.capacity).map(|number| number * multiset.stride);
        let number = self.multisets.len() as u32;
        self.units.extend(offsets.map(|offset| Unit::Element { multiset: number, offset }));
        self.multisets.push(multiset);
    }

    /// The bits of a unit.
    fn stretch(&self, unit: Unit) -> (u32, u32) {
        let field = match unit {
            Unit::Owned { field, .. } | Unit::Reference { field, .. } | Unit::Entry { field, .. } => field,
            Unit::Crowded(number) => self.crowded[number as usize].field,
            Unit::Element { multiset, offset } => {
                let multiset = &self.multisets[multiset as usize];
                return (multiset.presence.bit + offset, multiset.stride);
            }
        };
        (field.bit, field.width)
    }
}

/// A slot as that of the leaders of the blocks that it belongs to.
fn of_leaders(place: &Place, action: &Action) -> Place {
    let (role, owners) = leaders(&place.owners, place.role, action);
    Place { role, owners, ..place.clone() }
}

/// Whom some vertices follow, and a role that tells which of them do.
fn leaders(owners: &[u32], role: u64, action: &Action) -> (u64, Vec<u32>) {
    let members = owners.iter().map(|&owner| action.blocks().member(owner));
    let role = members.clone().zip(1..).fold(role, |role, (member, at)| match member.place {
        0 => role,
        place => mix(mix(role, at), u64::from(place)),
    });
    (role, members.map(|member| member.leader).collect())
}

/// Whether a field goes on where another ends, and both can be read at once.
fn can_join(field: Field, next: Field) -> bool {
    field.bit + field.width == next.bit && field.width + next.width <= MAX_WIDTH_BITS
}

/// What was read in the last state.
#[derive(Debug, Clone)]
pub(crate) struct Picture {
    /// The state, once there is one.
    state: Vec<u64>,
    colours: Vec<u64>,
    pairs: Vec<Pair>,
    groups: Vec<Group>,
    /// For each vertex, how many edges contain it.
    degrees: Vec<u32>,
    /// The units that a renaming may change.
    live: Vec<u32>,
    /// By unit.
    held: Vec<Held>,
    /// Units looked at for the present state.
    is_done: Vec<bool>,
    done: Vec<u32>,
    ends: Vec<End>,
    is_dirty: Vec<bool>,
}

/// An edge from one vertex to another.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pair {
    pub(crate) label: u64,
    pub(crate) vertices: [u32; 2],
    unit: u32,
}

/// An edge of any number of vertices.
#[derive(Debug, Clone)]
pub(crate) struct Group {
    pub(crate) label: u64,
    pub(crate) ends: Vec<End>,
    unit: u32,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct End {
    pub(crate) role: u64,
    pub(crate) vertex: u32,
}

/// What a unit says.
#[derive(Debug, Clone, Copy)]
enum Fact {
    Nothing,
    Single {
        vertex: u32,
        hash: u64,
    },
    /// The pair at this place.
    Pair(u32),
    /// The group at this place.
    Group(u32),
}

#[derive(Debug, Clone, Copy)]
struct Held {
    fact: Fact,
    /// Its place among those that a renaming may change.
    live_at: u32,
}

impl Picture {
    pub(crate) fn new(facts: &Facts) -> Self {
        Self {
            state: Vec::new(),
            colours: vec![0; facts.n_vertices],
            pairs: Vec::new(),
            groups: Vec::new(),
            degrees: vec![0; facts.n_vertices],
            live: Vec::new(),
            held: vec![Held { fact: Fact::Nothing, live_at: NOWHERE }; facts.units.len()],
            is_done: vec![false; facts.units.len()],
            done: Vec::new(),
            ends: Vec::new(),
            is_dirty: vec![false; facts.multisets.len()],
        }
    }

    /// For each vertex, a number for what is about it alone, most of it a hash.
    pub(crate) fn colours(&self) -> &[u64] {
        &self.colours
    }

    pub(crate) fn pairs(&self) -> &[Pair] {
        &self.pairs
    }

    pub(crate) fn groups(&self) -> &[Group] {
        &self.groups
    }

    /// Whether some edge contains the vertex.
    #[inline]
    pub(crate) fn is_linked(&self, vertex: u32) -> bool {
        self.degrees[vertex as usize] > 0
    }

    /// Reads a state.
    pub(crate) fn read(&mut self, facts: &Facts, action: &Action, state: &[u64]) {
        let is_first = self.state.is_empty();
        if is_first {
            self.state.extend_from_slice(state);
        }
        for word in 0..state.len() {
            let changed = if is_first { u64::MAX } else { self.state[word] ^ state[word] };
            let mut changed = changed & facts.relevant[word];
            while changed != 0 {
                let touch = facts.touched[word * 64 + changed.trailing_zeros() as usize];
                changed &= !touch.bits;
                let number = touch.unit;
                if touch.is_partial {
                    if std::mem::replace(&mut self.is_done[number as usize], true) {
                        continue;
                    }
                    self.done.push(number);
                }
                if let Unit::Owned { vertex, field, role, leads } = facts.units[number as usize] {
                    // By far the most common; what it said can be computed again.
                    let says = |state: &[u64]| {
                        let code = field.read(state);
                        let leading = code >> field.width.saturating_sub(LEADING_BITS) << (u64::BITS - LEADING_BITS);
                        (mix(role, code) >> HASH_SHIFT) + if leads { leading } else { 0 }
                    };
                    let before = if is_first { 0 } else { says(&self.state) };
                    let colour = &mut self.colours[vertex as usize];
                    *colour = colour.wrapping_sub(before).wrapping_add(says(state));
                } else {
                    self.retract(number);
                    self.note(facts, action, number, state);
                }
            }
        }
        for number in self.done.drain(..) {
            self.is_done[number as usize] = false;
        }
        self.state.copy_from_slice(state);
    }

    /// Takes back what a unit said.
    fn retract(&mut self, number: u32) {
        let held = std::mem::replace(&mut self.held[number as usize], Held { fact: Fact::Nothing, live_at: NOWHERE });
        match held.fact {
            Fact::Nothing => {}
            Fact::Single { vertex, hash } => {
                let colour = &mut self.colours[vertex as usize];
                *colour = colour.wrapping_sub(hash);
            }
            Fact::Pair(at) => {
                let pair = self.pairs.swap_remove(at as usize);
                for vertex in pair.vertices {
                    self.degrees[vertex as usize] -= 1;
                }
                if let Some(moved) = self.pairs.get(at as usize) {
                    self.held[moved.unit as usize].fact = Fact::Pair(at);
                }
            }
            Fact::Group(at) => {
                let group = self.groups.swap_remove(at as usize);
                for end in group.ends {
                    self.degrees[end.vertex as usize] -= 1;
                }
                if let Some(moved) = self.groups.get(at as usize) {
                    self.held[moved.unit as usize].fact = Fact::Group(at);
                }
            }
        }
        if held.live_at != NOWHERE {
            self.live.swap_remove(held.live_at as usize);
            if let Some(&moved) = self.live.get(held.live_at as usize) {
                self.held[moved as usize].live_at = held.live_at;
            }
        }
    }

    /// Notes what a unit says in a state, other than about one vertex's own things.
    fn note(&mut self, facts: &Facts, action: &Action, number: u32, state: &[u64]) {
        match facts.units[number as usize] {
            Unit::Owned { .. } => {}
            Unit::Reference { owner, table, field, role } => {
                let code = field.read(state);
                let target = action.referent(table, code);
                match (owner, target) {
                    (None, None) => {}
                    (None, Some(target)) => self.single(number, target.leader, target.role(role)),
                    (Some(owner), None) => self.single(number, owner, mix(role, code)),
                    (Some(owner), Some(target)) if owner == target.leader => {
                        self.single(number, owner, mix(target.role(role), ITSELF));
                    }
                    (Some(owner), Some(target)) => self.pair(number, target.role(role), [owner, target.leader]),
                }
                if target.is_some() {
                    self.enliven(number);
                }
            }
            Unit::Entry { vertices: [first, second], field, role } => match field.read(state) {
                1 => {}
                code if first == second => self.single(number, first, mix(role, code)),
                code => self.pair(number, mix(role, code), [first, second]),
            },
            Unit::Crowded(at) => self.crowded(&facts.crowded[at as usize], action, number, state),
            Unit::Element { multiset, offset } => {
                self.element((&facts.multisets[multiset as usize], offset), action, number, state);
            }
        }
    }

    fn crowded(&mut self, place: &Place, action: &Action, number: u32, state: &[u64]) {
        let code = place.field.read(state);
        let target = place.table.and_then(|table| action.referent(table, code));
        if target.is_none() && code == 1 {
            return;
        }
        self.ends.clear();
        for (at, &vertex) in place.owners.iter().chain(target.as_ref().map(|it| &it.leader)).enumerate() {
            self.ends.push(End { role: mix(OWNER, at as u64), vertex });
        }
        self.group(number, target.map_or_else(|| mix(place.role, code), |target| target.role(place.role)));
        if target.is_some() {
            self.enliven(number);
        }
    }

    fn element(&mut self, (multiset, offset): (&Multiset, u32), action: &Action, number: u32, state: &[u64]) {
        // PERF: what fits into a word is read at once.
        let at = multiset.presence.moved_by(offset);
        let is_narrow = multiset.stride <= MAX_WIDTH_BITS;
        let all = if is_narrow { Field { bit: at.bit, width: multiset.stride }.read(state) } else { at.read(state) };
        if all & at.mask() == 0 {
            return;
        }
        self.ends.clear();
        for (at, &vertex) in multiset.owners.iter().enumerate() {
            self.ends.push(End { role: mix(OWNER, at as u64), vertex });
        }
        let mut label = multiset.role;
        for place in &multiset.places {
            let code = match is_narrow {
                true => all >> (place.field.bit - multiset.presence.bit) & place.field.mask(),
                false => place.field.moved_by(offset).read(state),
            };
            let target = place.table.and_then(|table| action.referent(table, code));
            match (&place.owners[..], target) {
                ([], None) => label = mix(label, place.role.wrapping_add(code)),
                ([], Some(target)) => self.ends.push(End { role: target.role(place.role), vertex: target.leader }),
                (_, None) if code == 1 => {}
                (owners, target) => {
                    let role = target.map_or_else(|| mix(place.role, code), |target| target.role(place.role));
                    for (at, &vertex) in owners.iter().chain(target.as_ref().map(|it| &it.leader)).enumerate() {
                        self.ends.push(End { role: mix(role, at as u64), vertex });
                    }
                }
            }
        }
        self.group(number, label);
        self.enliven(number);
    }

    fn enliven(&mut self, number: u32) {
        self.held[number as usize].live_at = self.live.len() as u32;
        self.live.push(number);
    }

    fn single(&mut self, number: u32, vertex: u32, hash: u64) {
        let hash = hash >> HASH_SHIFT;
        let colour = &mut self.colours[vertex as usize];
        *colour = colour.wrapping_add(hash);
        self.held[number as usize].fact = Fact::Single { vertex, hash };
    }

    fn pair(&mut self, number: u32, label: u64, vertices: [u32; 2]) {
        for vertex in vertices {
            self.degrees[vertex as usize] += 1;
        }
        self.held[number as usize].fact = Fact::Pair(self.pairs.len() as u32);
        self.pairs.push(Pair { label, vertices, unit: number });
    }

    /// Notes an edge of the present ends; small ones become something simpler.
    fn group(&mut self, number: u32, label: u64) {
        match self.ends[..] {
            [] => {}
            [End { role, vertex }] => self.single(number, vertex, mix(label, role)),
            [one, other] if one.vertex == other.vertex => {
                // Written so that it does not matter which of the two comes first.
                let roles = one.role.wrapping_add(other.role);
                self.single(number, one.vertex, mix(mix(label, roles), TWICE));
            }
            [one, other] if one.role != other.role => {
                let (from, to) = if one.role < other.role { (one, other) } else { (other, one) };
                self.pair(number, mix(mix(label, from.role), to.role), [from.vertex, to.vertex]);
            }
            ref ends => {
                let twice = ends.iter().enumerate().flat_map(|(at, one)| {
                    ends[at + 1..].iter().filter(|other| other.vertex == one.vertex).map(|other| one.role ^ other.role)
                });
                let coincidences = twice.map(|roles| mix(TWICE, roles)).fold(0, u64::wrapping_add);
                for end in ends {
                    self.degrees[end.vertex as usize] += 1;
                }
                self.held[number as usize].fact = Fact::Group(self.groups.len() as u32);
                self.groups.push(Group { label: mix(label, coincidences), ends: ends.to_vec(), unit: number });
            }
        }
    }

    /// Applies a renaming to the state last read; `images` tells where each vertex goes.
    pub(crate) fn rename(
        &mut self,
        tools: (&Facts, &Action),
        images: &[u32],
        to: &mut Vec<u64>,
        scratch: &mut Scratch,
    ) {
        to.clone_from(&self.state);
        self.rename_in_place(tools, images, to, scratch);
    }

    /// The same where `state` is the state last read. Only what refers to a vertex is renamed, while it is still in its
    /// place; then array elements move, stretches of bits at a time.
    pub(crate) fn rename_in_place(
        &mut self,
        (facts, action): (&Facts, &Action),
        images: &[u32],
        state: &mut [u64],
        scratch: &mut Scratch,
    ) {
        if !scratch.note_moves(action, images) {
            return;
        }
        for &number in &self.live {
            match facts.units[number as usize] {
                Unit::Reference { table, field, .. } => {
                    action.rename_slot(table, field, images, state);
                }
                Unit::Crowded(at) => {
                    let place = &facts.crowded[at as usize];
                    let table = place.table.expect("it refers to a vertex");
                    action.rename_slot(table, place.field, images, state);
                }
                Unit::Element { multiset: number, offset } => {
                    let multiset = &facts.multisets[number as usize];
                    self.is_dirty[number as usize] |= action.rename_element(multiset, offset, images, state, scratch);
                }
                Unit::Owned { .. } | Unit::Entry { .. } => {}
            }
        }
        for (multiset, is_dirty) in facts.multisets.iter().zip(&mut self.is_dirty) {
            if std::mem::take(is_dirty) {
                multiset.sort(state, scratch);
            }
        }
        action.move_elements(images, state, scratch);
    }
}
