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
use crate::blocks::Member;
use crate::facts::{Facts, LEADING_BITS, Unit};
use crate::known::Known;
use crate::shuffle::Programs;

const ITSELF: u64 = 0x7365_6c66;
const OWNER: u64 = 0x6f77_6e65;
const TWICE: u64 = 0x7477_6963;
const FROM: u64 = 0x6672_6f6d;
const TO: u64 = 0x746f_0000;

/// What was read in the last state.
#[derive(Debug, Clone)]
pub(crate) struct Picture {
    /// The state, once there is one.
    state: Vec<u64>,
    colours: Vec<u64>,
    /// For each vertex, the sum of what was said, and of the bits that lead.
    hashes: Vec<u64>,
    leading: Vec<u64>,
    /// For each vertex, how many edges contain it.
    degrees: Vec<u32>,
    /// The units that a renaming may change, as bits.
    live: Vec<u64>,
    /// The units that are edges, as bits.
    edges: Vec<u64>,
    /// Whether the edges are listed.
    is_drawn: bool,
    pairs: Vec<Pair>,
    /// For each group its label and where its ends end.
    groups: Vec<(u64, usize)>,
    ends: Vec<End>,
    /// Units looked at for the present state.
    is_done: Vec<bool>,
    done: Vec<u32>,
    /// The ends of the unit at hand.
    present: Vec<End>,
    known: Known,
    is_dirty: Vec<bool>,
    programs: Programs,
}

/// An edge from one vertex to another.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pair {
    pub(crate) label: u64,
    pub(crate) vertices: [u32; 2],
}

/// An edge of any number of vertices.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Group<'p> {
    pub(crate) label: u64,
    pub(crate) ends: &'p [End],
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct End {
    pub(crate) role: u64,
    pub(crate) vertex: u32,
}

/// What a unit says.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Fact {
    Nothing,
    Single {
        vertex: u32,
        hash: u64,
    },
    Pair(Pair),
    /// With the ends at hand.
    Group {
        label: u64,
    },
}

/// What a unit says, and whether a renaming may change it.
#[derive(Debug, Clone, Copy)]
struct Said {
    fact: Fact,
    is_live: bool,
}

impl Said {
    const NOTHING: Self = Self { fact: Fact::Nothing, is_live: false };
}

impl Picture {
    pub(crate) fn new(facts: &Facts) -> Self {
        let n_units = facts.units.len();
        Self {
            state: Vec::new(),
            colours: vec![0; facts.n_vertices],
            hashes: vec![0; facts.n_vertices],
            leading: vec![0; facts.n_vertices],
            degrees: vec![0; facts.n_vertices],
            live: vec![0; n_units.div_ceil(64)],
            edges: vec![0; n_units.div_ceil(64)],
            is_drawn: true,
            pairs: Vec::new(),
            groups: Vec::new(),
            ends: Vec::new(),
            is_done: vec![false; n_units],
            done: Vec::new(),
            present: Vec::new(),
            known: Known::default(),
            is_dirty: vec![false; facts.multisets.len()],
            programs: Programs::default(),
        }
    }

    /// For each vertex, a number for what is about it alone and for the edges that contain it, whoever else they contain;
    /// most of it is a hash.
    pub(crate) fn colours(&self) -> &[u64] {
        &self.colours
    }

    /// Edges of two vertices, once [drawn](Self::draw).
    pub(crate) fn pairs(&self) -> &[Pair] {
        debug_assert!(self.is_drawn);
        &self.pairs
    }

    /// Edges of more, once [drawn](Self::draw).
    pub(crate) fn groups(&self) -> impl Iterator<Item = Group<'_>> {
        debug_assert!(self.is_drawn);
        let mut begin = 0;
        self.groups.iter().map(move |&(label, end)| {
            let ends = &self.ends[begin..end];
            begin = end;
            Group { label, ends }
        })
    }

    /// Whether some edge contains the vertex.
    #[inline]
    pub(crate) fn is_linked(&self, vertex: u32) -> bool {
        self.degrees[vertex as usize] > 0
    }

    /// Reads a state.
    pub(crate) fn read(&mut self, facts: &Facts, action: &Action, state: &[u64]) {
        let is_first = self.state.is_empty();
        let mut last = std::mem::take(&mut self.state);
        if is_first {
            last.resize(state.len(), 0);
        }
        for (word, (&before, &after)) in last.iter().zip(state).enumerate() {
            if before == after && !is_first {
                continue;
            }
            let mut changed = (before ^ after) & facts.owned[word];
            while changed != 0 {
                let number = facts.term_of[word * 64 + changed.trailing_zeros() as usize];
                let term = &facts.terms[number as usize];
                changed &= !term.bits;
                let [hash, leading] = term.change(before, after);
                let vertex = term.vertex as usize;
                self.hashes[vertex] = self.hashes[vertex].wrapping_add(hash);
                self.leading[vertex] = self.leading[vertex].wrapping_add(leading);
            }
            let mut changed = (if is_first { u64::MAX } else { before ^ after }) & facts.relevant[word];
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
                let unit = &facts.units[number as usize];
                if !is_first {
                    self.count::<TAKEN_BACK>((facts, action), (unit, number), &last);
                }
                self.count::<SAID>((facts, action), (unit, number), state);
            }
        }
        for number in self.done.drain(..) {
            self.is_done[number as usize] = false;
        }
        for (colour, (hash, leading)) in self.colours.iter_mut().zip(self.hashes.iter().zip(&self.leading)) {
            *colour = leading << (u64::BITS - LEADING_BITS) | hash >> LEADING_BITS;
        }
        last.copy_from_slice(state);
        self.state = last;
    }

    /// Takes into account what a unit says in a state, other than about one vertex's own things, or takes that back.
    #[inline]
    fn count<const SIGN: bool>(
        &mut self,
        (facts, action): (&Facts, &Action),
        (unit, number): (&Unit, u32),
        state: &[u64],
    ) {
        if let &Unit::Reference { field, says, .. } = unit {
            let said = &facts.says[says as usize + field.read(state) as usize];
            // PERF: what says less says nothing of vertex 0: quicker than to ask how many there are.
            for (&vertex, &hash) in said.vertices.iter().zip(&said.hashes) {
                count_share::<SIGN>(&mut self.hashes, vertex, hash);
            }
            let is_edge = said.n > 1;
            if is_edge {
                said.vertices.iter().for_each(|&vertex| count_degree::<SIGN>(&mut self.degrees, vertex));
            }
            return self.mark::<SIGN>(number, said.is_live, is_edge);
        }
        if let &Unit::Element { multiset, offset } = unit
            && let owner = &facts.multisets[multiset as usize]
            && owner.stride <= MAX_WIDTH_BITS
        {
            let bits = Field { bit: owner.presence.bit + offset, width: owner.stride }.read(state);
            if bits & owner.presence.mask() == 0 {
                return;
            }
            // PERF: most elements have few values, and are the same ones again and again.
            let Self { known, hashes, degrees, .. } = self;
            let Some(known) = known.get(multiset, bits) else {
                let said = self.element((owner, offset), action, state);
                self.known.put(multiset, bits, said.fact, &self.present);
                return self.count_fact::<SIGN>(said, number);
            };
            for &(vertex, hash) in known.shares() {
                count_share::<SIGN>(hashes, vertex, hash);
                if known.is_edge {
                    count_degree::<SIGN>(degrees, vertex);
                }
            }
            let is_edge = known.is_edge;
            return self.mark::<SIGN>(number, true, is_edge);
        }
        let said = self.hear(facts, action, unit, state);
        self.count_fact::<SIGN>(said, number);
    }

    fn count_fact<const SIGN: bool>(&mut self, Said { fact, is_live }: Said, number: u32) {
        let Self { hashes, degrees, present, .. } = self;
        let is_edge = shares(fact, present, |vertex, hash| count_share::<SIGN>(hashes, vertex, hash));
        if is_edge {
            shares(fact, present, |vertex, _| count_degree::<SIGN>(degrees, vertex));
        }
        self.mark::<SIGN>(number, is_live, is_edge);
    }

    /// Notes of what kind a unit is, or that it is no longer.
    #[inline]
    fn mark<const SIGN: bool>(&mut self, number: u32, is_live: bool, is_edge: bool) {
        let (word, bit) = (number as usize / 64, number % 64);
        if SIGN {
            self.live[word] |= u64::from(is_live) << bit;
            self.edges[word] |= u64::from(is_edge) << bit;
        } else {
            self.live[word] &= !(1 << bit);
            self.edges[word] &= !(1 << bit);
        }
        self.is_drawn &= !is_edge;
    }

    /// Lists the edges of the state last read.
    // PERF: colours decide about most states, and nobody asks for edges.
    pub(crate) fn draw(&mut self, facts: &Facts, action: &Action) {
        if std::mem::replace(&mut self.is_drawn, true) {
            return;
        }
        self.pairs.clear();
        self.groups.clear();
        self.ends.clear();
        let state = std::mem::take(&mut self.state);
        for word in 0..self.edges.len() {
            for bit in ones(self.edges[word]) {
                match self.hear(facts, action, &facts.units[word * 64 + bit], &state).fact {
                    Fact::Pair(pair) => self.pairs.push(pair),
                    Fact::Group { label } => {
                        self.ends.extend_from_slice(&self.present);
                        self.groups.push((label, self.ends.len()));
                    }
                    Fact::Nothing | Fact::Single { .. } => {}
                }
            }
        }
        self.state = state;
    }

    /// What a unit says in a state, other than about one vertex's own things.
    fn hear(&mut self, facts: &Facts, action: &Action, unit: &Unit, state: &[u64]) -> Said {
        match *unit {
            Unit::Owned { .. } => Said::NOTHING,
            Unit::Reference { owner, table, field, role, .. } => {
                let code = field.read(state);
                let target = action.referent(table, code);
                Said { fact: reference((owner, target), role, code), is_live: target.is_some() }
            }
            Unit::Entry { vertices: [first, second], field, role } => {
                let fact = match field.read(state) {
                    1 => Fact::Nothing,
                    code if first == second => single(first, mix(role, code)),
                    code => Fact::Pair(Pair { label: mix(role, code), vertices: [first, second] }),
                };
                Said { fact, is_live: false }
            }
            Unit::Crowded(at) => self.crowded(&facts.crowded[at as usize], action, state),
            Unit::Element { multiset, offset } => {
                self.element((&facts.multisets[multiset as usize], offset), action, state)
            }
        }
    }

    fn crowded(&mut self, place: &Place, action: &Action, state: &[u64]) -> Said {
        let code = place.field.read(state);
        let target = place.table.and_then(|table| action.referent(table, code));
        if target.is_none() && code == 1 {
            return Said::NOTHING;
        }
        self.present.clear();
        for (at, &vertex) in place.owners.iter().chain(target.as_ref().map(|it| &it.leader)).enumerate() {
            self.present.push(End { role: mix(OWNER, at as u64), vertex });
        }
        let label = target.map_or_else(|| mix(place.role, code), |target| target.role(place.role));
        Said { fact: group(&self.present, label), is_live: target.is_some() }
    }

    fn element(&mut self, (multiset, offset): (&Multiset, u32), action: &Action, state: &[u64]) -> Said {
        if multiset.presence.moved_by(offset).read(state) == 0 {
            return Said::NOTHING;
        }
        self.present.clear();
        for (at, &vertex) in multiset.owners.iter().enumerate() {
            self.present.push(End { role: mix(OWNER, at as u64), vertex });
        }
        let mut label = multiset.role;
        for place in &multiset.places {
            let code = place.field.moved_by(offset).read(state);
            let target = place.table.and_then(|table| action.referent(table, code));
            match (&place.owners[..], target) {
                ([], None) => label = mix(label, place.role.wrapping_add(code)),
                ([], Some(target)) => self.present.push(End { role: target.role(place.role), vertex: target.leader }),
                (_, None) if code == 1 => {}
                (owners, target) => {
                    let role = target.map_or_else(|| mix(place.role, code), |target| target.role(place.role));
                    for (at, &vertex) in owners.iter().chain(target.as_ref().map(|it| &it.leader)).enumerate() {
                        self.present.push(End { role: mix(role, at as u64), vertex });
                    }
                }
            }
        }
        Said { fact: group(&self.present, label), is_live: true }
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
        for word in 0..self.live.len() {
            for bit in ones(self.live[word]) {
                match facts.units[word * 64 + bit] {
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
                        self.is_dirty[number as usize] |=
                            action.rename_element(multiset, offset, images, state, scratch);
                    }
                    Unit::Owned { .. } | Unit::Entry { .. } => {}
                }
            }
        }
        for (multiset, is_dirty) in facts.multisets.iter().zip(&mut self.is_dirty) {
            if std::mem::take(is_dirty) {
                multiset.sort(state, scratch);
            }
        }
        if !self.programs.apply(action, images, state, scratch) {
            action.move_elements(images, state, scratch);
        }
    }
}

/// Whether what is said is added or taken back.
const SAID: bool = true;
const TAKEN_BACK: bool = false;

#[inline]
fn count_share<const SIGN: bool>(hashes: &mut [u64], vertex: u32, hash: u64) {
    let sum = &mut hashes[vertex as usize];
    *sum = if SIGN { sum.wrapping_add(hash) } else { sum.wrapping_sub(hash) };
}

#[inline]
fn count_degree<const SIGN: bool>(degrees: &mut [u32], vertex: u32) {
    let degree = &mut degrees[vertex as usize];
    *degree = if SIGN { *degree + 1 } else { *degree - 1 };
}

/// The numbers of the bits that are set, ascending.
fn ones(mut bits: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = (bits != 0).then(|| bits.trailing_zeros() as usize)?;
        bits &= bits - 1;
        Some(bit)
    })
}

/// What a reference says.
pub(crate) fn reference(ends: (Option<u32>, Option<Member>), role: u64, code: u64) -> Fact {
    match ends {
        (None, None) => Fact::Nothing,
        (None, Some(target)) => single(target.leader, target.role(role)),
        (Some(owner), None) => single(owner, mix(role, code)),
        (Some(owner), Some(target)) if owner == target.leader => single(owner, mix(target.role(role), ITSELF)),
        (Some(owner), Some(target)) => Fact::Pair(Pair { label: target.role(role), vertices: [owner, target.leader] }),
    }
}

fn single(vertex: u32, hash: u64) -> Fact {
    Fact::Single { vertex, hash }
}

/// An edge of some ends; small ones are something simpler.
fn group(ends: &[End], label: u64) -> Fact {
    match *ends {
        [] => Fact::Nothing,
        [End { role, vertex }] => single(vertex, mix(label, role)),
        [one, other] if one.vertex == other.vertex => {
            // Written so that it does not matter which of the two comes first.
            let roles = one.role.wrapping_add(other.role);
            single(one.vertex, mix(mix(label, roles), TWICE))
        }
        [one, other] if one.role != other.role => {
            let (from, to) = if one.role < other.role { (one, other) } else { (other, one) };
            Fact::Pair(Pair { label: mix(mix(label, from.role), to.role), vertices: [from.vertex, to.vertex] })
        }
        ref ends => {
            let twice = ends.iter().enumerate().flat_map(|(at, one)| {
                ends[at + 1..].iter().filter(|other| other.vertex == one.vertex).map(|other| one.role ^ other.role)
            });
            let coincidences = twice.map(|roles| mix(TWICE, roles)).fold(0, u64::wrapping_add);
            Fact::Group { label: mix(label, coincidences) }
        }
    }
}

/// Visits what a fact adds to the colours of its vertices: whatever it says of one alone, and of an edge the label and the
/// role in it, so that colours tell vertices apart that others are connected to in different ways. Whether it is an edge.
// SOUND: labels and roles name no vertex, so this renames with the state, as all of a colour does.
#[inline]
pub(crate) fn shares(fact: Fact, ends: &[End], mut visit: impl FnMut(u32, u64)) -> bool {
    match fact {
        Fact::Nothing => false,
        Fact::Single { vertex, hash } => {
            visit(vertex, hash);
            false
        }
        Fact::Pair(Pair { label, vertices: [from, to] }) => {
            visit(from, mix(label, FROM));
            visit(to, mix(label, TO));
            true
        }
        Fact::Group { label } => {
            ends.iter().for_each(|end| visit(end.vertex, mix(label, end.role)));
            true
        }
    }
}
