//! What there is to read in states: units, each about at most one vertex or one edge, and where they lie.
//!
//! Everything that does not depend on the state at hand is computed here once: what each bit belongs to, by which factor
//! a vertex's own bits count, and what a reference says for each of its values.

use burnside_group::mix;
use burnside_ir::MAX_WIDTH_BITS;

use crate::action::{Action, Multiset, Place};
use crate::bits::Field;
use crate::picture::{reference, shares};

const PART: u64 = 0x7061_7274_0000;

/// How many bits of a vertex's first own unit lead in its colour, as a number.
// PERF: colours put vertices in order, and a state whose vertices are in order is its own representative. By hashes alone,
// a step would put whatever it changes in a new place.
pub(crate) const LEADING_BITS: u32 = 8;

/// Most bits that are multiplied at once, so that products of the upper ones alone still have many bits that differ.
const MOST_FACTOR_BITS: u32 = 16;

/// What there is to read in states.
#[derive(Debug, Clone)]
pub(crate) struct Facts {
    pub(crate) n_vertices: usize,
    pub(crate) units: Vec<Unit>,
    pub(crate) multisets: Vec<Multiset>,
    /// Slots about three vertices or more.
    pub(crate) crowded: Vec<Place>,
    /// What units say that belong to one vertex and refer to none.
    pub(crate) terms: Vec<Term>,
    /// For each word, the bits that belong to terms.
    pub(crate) owned: Vec<u64>,
    /// For each bit that belongs to a term, its number.
    pub(crate) term_of: Vec<u32>,
    /// For each word, the bits that belong to other units.
    pub(crate) relevant: Vec<u64>,
    /// For each bit that belongs to such a unit, what of the unit is in the bit's word.
    pub(crate) touched: Vec<Touch>,
    /// What references say, for each code of each unit; zero bits first.
    pub(crate) says: Vec<RefSays>,
    /// Whether a multiset element has parts about two vertices at once, whose connection is not kept.
    pub(crate) is_coarse: bool,
}

/// Something read at once. It is about at most one edge or one vertex.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Unit {
    /// Belongs to one vertex and refers to none.
    Owned { vertex: u32, field: Field, role: u64, leads: bool },
    /// May refer to a vertex; `says` is where what its codes say begins.
    Reference { owner: Option<u32>, table: u32, field: Field, role: u64, says: u32 },
    /// An entry of a matrix; most often it has its first value, which counts as nothing.
    Entry { vertices: [u32; 2], field: Field, role: u64 },
    /// A slot about more vertices, by its number.
    Crowded(u32),
    /// An element of a multiset, given by its number and the distance from the first element in bits.
    Element { multiset: u32, offset: u32 },
}

/// Bits of one word that belong to one vertex. They count as a number, times a factor.
// PERF: what a change of the bits changes is then one product, wherever the bits lie and whatever they were.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Term {
    pub(crate) bits: u64,
    factor: u64,
    /// The same for those that lead in the colour.
    leading_bits: u64,
    leading_factor: u64,
    shift: u32,
    leading_shift: u32,
    pub(crate) vertex: u32,
}

impl Term {
    /// What a change adds to the vertex's hash and to what leads.
    #[inline]
    pub(crate) fn change(&self, before: u64, after: u64) -> [u64; 2] {
        let number = |bits: u64, shift: u32| ((after & bits) >> shift).wrapping_sub((before & bits) >> shift);
        let leading = number(self.leading_bits, self.leading_shift).wrapping_mul(self.leading_factor);
        [number(self.bits, self.shift).wrapping_mul(self.factor), leading]
    }
}

/// What a reference says when it has a certain code.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RefSays {
    pub(crate) hashes: [u64; 2],
    /// Whose colours get them; the second only of an edge.
    pub(crate) vertices: [u32; 2],
    /// How many there are.
    pub(crate) n: u8,
    pub(crate) is_live: bool,
}

/// Bits of a unit in some word.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Touch {
    pub(crate) bits: u64,
    pub(crate) unit: u32,
    /// Whether the unit has bits in other words too.
    pub(crate) is_partial: bool,
}

impl Facts {
    pub(crate) fn new(action: &Action) -> Self {
        let mut facts = Self {
            n_vertices: action.n_vertices(),
            units: Vec::new(),
            multisets: Vec::new(),
            crowded: Vec::new(),
            terms: Vec::new(),
            owned: vec![0; action.layout().n_words()],
            term_of: vec![0; action.layout().n_words() * 64],
            relevant: vec![0; action.layout().n_words()],
            touched: vec![Touch::default(); action.layout().n_words() * 64],
            says: Vec::new(),
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
            match facts.units[number] {
                Unit::Owned { vertex, field, role, leads } => facts.add_terms((vertex, leads), field, role),
                unit => facts.touch(number, facts.stretch(unit)),
            }
            facts.tabulate(number, action);
        }
        facts
    }

    /// Notes where a unit lies.
    fn touch(&mut self, number: usize, (bit, width): (u32, u32)) {
        let words = bit / 64..(bit + width).div_ceil(64);
        for word in words.clone() {
            let (begin, end) = (bit.max(word * 64) - word * 64, (bit + width).min((word + 1) * 64) - word * 64);
            let bits = u64::MAX >> (64 - (end - begin)) << begin;
            self.relevant[word as usize] |= bits;
            let touch = Touch { bits, unit: number as u32, is_partial: words.len() > 1 };
            self.touched[(word * 64 + begin) as usize..(word * 64 + end) as usize].fill(touch);
        }
    }

    /// Makes terms of a unit that belongs to one vertex. Where words end makes no difference for what they add up to: the
    /// factor of bits in the next word is the first one times a power of two.
    fn add_terms(&mut self, (vertex, leads): (u32, bool), field: Field, role: u64) {
        let end = field.bit + field.width;
        let leading = if leads { end - LEADING_BITS.min(field.width)..end } else { end..end };
        for (part, first) in (field.bit..end).step_by(MOST_FACTOR_BITS as usize).enumerate() {
            let part_end = end.min(first + MOST_FACTOR_BITS);
            let factor = mix(role, PART + part as u64) | 1;
            let border = (first / 64 + 1) * 64;
            for (from, to) in [(first, part_end.min(border)), (border, part_end)] {
                if from >= to {
                    continue;
                }
                let (lead_from, lead_to) = (leading.start.clamp(from, to), leading.end.clamp(from, to));
                let term = Term {
                    bits: mask(from, to),
                    factor: factor << (from - first),
                    leading_bits: mask(lead_from, lead_to),
                    leading_factor: 1 << lead_from.saturating_sub(leading.start).min(LEADING_BITS),
                    shift: from % 64,
                    leading_shift: lead_from % 64,
                    vertex,
                };
                self.owned[from as usize / 64] |= term.bits;
                self.term_of[from as usize..to as usize].fill(self.terms.len() as u32);
                self.terms.push(term);
            }
        }
    }

    /// Lists what a reference says, for each of its codes.
    fn tabulate(&mut self, number: usize, action: &Action) {
        let begin = self.says.len() as u32;
        let Unit::Reference { owner, table, field, role, says } = &mut self.units[number] else { return };
        *says = begin;
        for code in 0..action.n_codes(*table).min(1 << field.width) {
            let fact = reference((*owner, action.referent(*table, code)), *role, code);
            let mut said =
                RefSays { hashes: [0; 2], vertices: [0; 2], n: 0, is_live: action.target(*table, code).is_some() };
            shares(fact, &[], |vertex, hash| {
                (said.vertices[usize::from(said.n)], said.hashes[usize::from(said.n)]) = (vertex, hash);
                said.n += 1;
            });
            self.says.push(said);
        }
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
        !(self.relevant[word] | self.owned[word])
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
            (&[], Some(table)) => Unit::Reference { owner: None, table, field, role, says: 0 },
            (&[owner], Some(table)) => Unit::Reference { owner: Some(owner), table, field, role, says: 0 },
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

/// The bits of a word from one bit of a state up to another.
fn mask(from: u32, to: u32) -> u64 {
    if from >= to { 0 } else { u64::MAX >> (64 - (to - from)) << (from % 64) }
}
