//! One state for each orbit, found by the audit's own method.
//!
//! Points get colours that depend on the state alone and not on names: sums of hashes of what is stored about each
//! point, refined by the colours of the other points involved until nothing splits. Where points of one colour are
//! left, each is singled out in turn, unless exchanging two of them changes nothing; the least image wins.
//!
// SOUND: whatever hashes collide, `Canon::of` returns an image of its argument under a permutation in the group, so
// that two states with the same result are images of each other. Colours are a function of the state that commutes with
// renaming, so the search trees of two images correspond and the least leaf is the same; a failure of this would only
// make the audit miss an image, and reject.

use std::cmp::Ordering;

use burnside_group::{Group, Permutation};
use burnside_ir::UNDEFINED;
use rustc_hash::FxHashMap;

use crate::action::{Action, SlotAction};
use crate::certificate::Unusable;

/// A group with more cosets of its symmetric part is too much for this method.
const MOST_COSETS: usize = 200_000;

/// The way to the representative of each orbit.
pub(crate) struct Canon<'a, 'm> {
    action: &'a Action<'m>,
    /// All permutations within these are in the group.
    cells: Vec<Vec<u32>>,
    /// One element of each coset of those permutations, the identity first.
    cosets: Vec<Vec<u32>>,
    /// By point: the number of its orbit, which no element of the group changes.
    orbits: Vec<u64>,
    /// The order of the group, in decimal.
    pub(crate) order: String,
    /// The slots outside of multisets in which points occur.
    plain: Vec<usize>,
    /// Multisets: first slot, elements, slots of one.
    multisets: Vec<[usize; 3]>,
}

impl<'a, 'm> Canon<'a, 'm> {
    pub(crate) fn new(
        action: &'a Action<'m>,
        n_points: usize,
        generators: &[Vec<u32>],
        multisets: Vec<[usize; 3]>,
    ) -> Result<Self, Unusable> {
        let permutations = generators.iter().map(|images| {
            let images: Vec<usize> = images.iter().map(|&image| image as usize).collect();
            Permutation::from_images(&images).expect("generators were checked to be permutations")
        });
        let group = Group::new_deterministic(n_points, permutations.collect());
        let orbits = group.orbits();
        let cells = cells(&group);
        let cosets = cosets(&cells, generators)
            .ok_or_else(|| Unusable(format!("its group, of order {}, is too large for this audit", group.order())))?;
        let in_multiset =
            |slot: &usize| multisets.iter().any(|[first, n, stride]| (*first..first + n * stride).contains(slot));
        let concerns = |slot: &usize| action.concerns(&action.slots[*slot]);
        let plain = (0..action.slots.len()).filter(concerns).filter(|slot| !in_multiset(slot)).collect();
        let orbits = (0..n_points).map(|point| orbits.cell_of(point) as u64).collect();
        Ok(Self { action, cells, cosets, orbits, order: group.order().to_string(), plain, multisets })
    }

    /// The representative of a state's orbit.
    pub(crate) fn of(&self, state: &[i64]) -> Vec<i64> {
        if self.cosets.len() == 1 {
            return self.within_cells(state);
        }
        let mut colours = self.orbits.clone();
        self.refine(state, &mut colours);
        // Only the elements that bring the least colours to the first cells can lead to the representative.
        let mut least: Option<Vec<u64>> = None;
        let mut chosen: Vec<&Vec<u32>> = Vec::new();
        for images in &self.cosets {
            let key = self.key(images, &colours);
            match least.as_ref().map_or(Ordering::Less, |least| key.cmp(least)) {
                Ordering::Less => {
                    least = Some(key);
                    chosen = vec![images];
                }
                Ordering::Equal => chosen.push(images),
                Ordering::Greater => {}
            }
        }
        let images = chosen.into_iter().map(|images| self.within_cells(&self.action.rename(images, state)));
        images.min().expect("the identity is an element")
    }

    fn key(&self, images: &[u32], colours: &[u64]) -> Vec<u64> {
        let mut moved = vec![0; colours.len()];
        for (&image, &colour) in images.iter().zip(colours) {
            moved[image as usize] = colour;
        }
        for cell in &self.cells {
            let mut sorted: Vec<u64> = cell.iter().map(|&point| moved[point as usize]).collect();
            sorted.sort_unstable();
            cell.iter().zip(sorted).for_each(|(&point, colour)| moved[point as usize] = colour);
        }
        moved
    }

    fn within_cells(&self, state: &[i64]) -> Vec<i64> {
        if self.cells.iter().all(|cell| cell.len() == 1) {
            return state.to_vec();
        }
        let mut colours = vec![0; self.orbits.len()];
        for (number, cell) in self.cells.iter().enumerate() {
            cell.iter().for_each(|&point| colours[point as usize] = number as u64);
        }
        let mut search =
            Search { canon: self, state, best: None, automorphisms: Vec::new(), twins: FxHashMap::default() };
        search.descend(colours, &mut Vec::new());
        search.best.expect("every search has a leaf").0
    }

    /// Splits colours by what is stored about each point until nothing splits.
    fn refine(&self, state: &[i64], colours: &mut [u64]) {
        let mut n_colours = distinct(colours);
        while n_colours < colours.len() {
            let mut sums = vec![0_u64; colours.len()];
            for &at in &self.plain {
                let slot = &self.action.slots[at];
                let fact = self.fact(slot, u64::from(slot.base), &slot.indices, state[at], colours);
                self.note(slot, &slot.indices, state[at], fact, &mut sums);
            }
            for &[first, n, stride] in &self.multisets {
                for element in (0..n).map(|number| first + number * stride) {
                    if state[element] != UNDEFINED {
                        self.note_element(state, element..element + stride, colours, &mut sums);
                    }
                }
            }
            for (colour, sum) in colours.iter_mut().zip(sums) {
                *colour = mix(*colour, sum);
            }
            let n = distinct(colours);
            if n <= n_colours {
                return;
            }
            n_colours = n;
        }
    }

    /// An element of a multiset is one fact about all points in it, whichever its number.
    fn note_element(&self, state: &[i64], slots: std::ops::Range<usize>, colours: &[u64], sums: &mut [u64]) {
        let presence = &self.action.slots[slots.start];
        let n_outer = presence.indices.len();
        let parts: Vec<u64> = slots
            .clone()
            .skip(1)
            .map(|at| {
                let slot = &self.action.slots[at];
                let place = u64::from(slot.base - presence.base);
                self.fact(slot, place, &slot.indices[n_outer..], state[at], colours)
            })
            .collect();
        let first =
            self.multisets.iter().find(|[first, n, stride]| (*first..first + n * stride).contains(&slots.start));
        let place = first.map_or(0, |[first, ..]| u64::from(self.action.slots[*first].base));
        let whole = parts.iter().fold(place, |sum, part| sum.wrapping_add(mix(*part, 5)));
        let whole = presence.indices.iter().fold(whole, |hash, &(point, _)| mix(hash, colours[point as usize]));
        self.note(presence, &presence.indices, UNDEFINED, whole, sums);
        for (at, part) in slots.skip(1).zip(parts) {
            let slot = &self.action.slots[at];
            self.note(slot, &slot.indices[n_outer..], state[at], mix(whole, part), sums);
        }
    }

    fn fact(&self, slot: &SlotAction, place: u64, indices: &[(u32, u32)], value: i64, colours: &[u64]) -> u64 {
        let hash = indices.iter().fold(mix(place, 1), |hash, &(point, _)| mix(hash, colours[point as usize]));
        match self.action.point(slot, value) {
            Some(point) => mix(mix(hash, 2), colours[point as usize]),
            None => mix(mix(hash, 3), value as u64),
        }
    }

    /// Adds a fact to the points it is about, each with its role.
    fn note(&self, slot: &SlotAction, indices: &[(u32, u32)], value: i64, fact: u64, sums: &mut [u64]) {
        let indices = indices.iter().map(|&(point, _)| point).zip(0..);
        let value = self.action.point(slot, value).map(|point| (point, u64::MAX));
        for (point, role) in indices.chain(value) {
            let sum = &mut sums[point as usize];
            *sum = sum.wrapping_add(mix(fact, role));
        }
    }
}

/// A search for the least image under permutations within cells.
struct Search<'s, 'a, 'm> {
    canon: &'s Canon<'a, 'm>,
    state: &'s [i64],
    /// The least image so far and a permutation that leads to it.
    best: Option<(Vec<i64>, Vec<u32>)>,
    /// Permutations that leave the state as it is.
    automorphisms: Vec<Vec<u32>>,
    /// Whether exchanging two points does.
    twins: FxHashMap<(u32, u32), bool>,
}

impl Search<'_, '_, '_> {
    fn descend(&mut self, mut colours: Vec<u64>, singled_out: &mut Vec<u32>) {
        self.canon.refine(self.state, &mut colours);
        let Some(open) = self.open_points(&colours) else { return self.leaf(&colours) };
        let mut tried: Vec<u32> = Vec::new();
        for &point in &open {
            let is_like = |search: &mut Self, other: u32| {
                search.are_twins(other, point) || search.are_conjugate(other, point, singled_out)
            };
            if tried.iter().any(|&other| is_like(self, other)) {
                continue;
            }
            tried.push(point);
            let mut next = colours.clone();
            next[point as usize] = mix(next[point as usize], 7);
            singled_out.push(point);
            self.descend(next, singled_out);
            singled_out.pop();
        }
    }

    /// The points of the first colour whose points are not all twins of each other.
    fn open_points(&mut self, colours: &[u64]) -> Option<Vec<u32>> {
        let canon = self.canon;
        for cell in canon.cells.iter().filter(|cell| cell.len() > 1) {
            let sorted = by_colour(cell, colours);
            for alike in sorted.chunk_by(|&a, &b| colours[a as usize] == colours[b as usize]) {
                if !alike[1..].iter().all(|&point| self.are_twins(alike[0], point)) {
                    return Some(alike.to_vec());
                }
            }
        }
        None
    }

    fn are_twins(&mut self, one: u32, other: u32) -> bool {
        let (canon, state) = (self.canon, self.state);
        *self.twins.entry((one, other)).or_insert_with(|| {
            let mut images: Vec<u32> = (0..canon.orbits.len() as u32).collect();
            images.swap(one as usize, other as usize);
            canon.action.rename(&images, state) == state
        })
    }

    /// Whether automorphisms that leave alone what is singled out take one point to the other.
    fn are_conjugate(&self, one: u32, other: u32, singled_out: &[u32]) -> bool {
        let fixes = |images: &&Vec<u32>| singled_out.iter().all(|&point| images[point as usize] == point);
        let usable: Vec<&Vec<u32>> = self.automorphisms.iter().filter(fixes).collect();
        let mut reached = vec![one];
        let mut at = 0;
        while let Some(&point) = reached.get(at) {
            for image in usable.iter().map(|images| images[point as usize]) {
                if !reached.contains(&image) {
                    reached.push(image);
                }
            }
            at += 1;
        }
        reached.contains(&other)
    }

    /// All points that are left alike are twins, so their order does not matter.
    fn leaf(&mut self, colours: &[u64]) {
        let canon = self.canon;
        let mut images: Vec<u32> = (0..colours.len() as u32).collect();
        for cell in &canon.cells {
            by_colour(cell, colours).into_iter().zip(cell).for_each(|(from, &to)| images[from as usize] = to);
        }
        let image = canon.action.rename(&images, self.state);
        match self.best.as_ref().map_or(Ordering::Less, |(best, _)| image.cmp(best)) {
            Ordering::Less => self.best = Some((image, images)),
            Ordering::Equal => {
                let (_, best) = self.best.as_ref().expect("it is equal to the best");
                let mut back = vec![0; images.len()];
                images.iter().zip(0..).for_each(|(&to, from)| back[to as usize] = from);
                self.automorphisms.push(best.iter().map(|&image| back[image as usize]).collect());
            }
            Ordering::Greater => {}
        }
    }
}

/// The points of a cell in the order of their colours.
fn by_colour(cell: &[u32], colours: &[u64]) -> Vec<u32> {
    let mut sorted = cell.to_vec();
    sorted.sort_by_key(|&point| colours[point as usize]);
    sorted
}

/// Points are in one cell if exchanging them is in the group; exchanges generate all permutations within cells.
fn cells(group: &Group) -> Vec<Vec<u32>> {
    let mut cells: Vec<Vec<u32>> = Vec::new();
    for point in 0..group.degree() {
        let exchanges = |cell: &&mut Vec<u32>| {
            group.contains(&Permutation::from_cycles(group.degree(), &[&[cell[0] as usize, point]]))
        };
        match cells.iter_mut().find(exchanges) {
            Some(cell) => cell.push(point as u32),
            None => cells.push(vec![point as u32]),
        }
    }
    cells
}

/// One product of generators for each way in which they permute the cells.
///
// SOUND: exchanges go to exchanges under conjugation, so the group permutes its cells; what leaves every cell in its
// place permutes within cells. So these are one element of each coset.
fn cosets(cells: &[Vec<u32>], generators: &[Vec<u32>]) -> Option<Vec<Vec<u32>>> {
    let n_points: usize = cells.iter().map(Vec::len).sum();
    let mut cell_of = vec![0; n_points];
    for (number, cell) in cells.iter().enumerate() {
        cell.iter().for_each(|&point| cell_of[point as usize] = number);
    }
    let way =
        |images: &[u32]| -> Vec<usize> { cells.iter().map(|it| cell_of[images[it[0] as usize] as usize]).collect() };
    let identity: Vec<u32> = (0..n_points as u32).collect();
    let mut known = FxHashMap::from_iter([(way(&identity), ())]);
    let mut found = vec![identity];
    let mut at = 0;
    while at < found.len() {
        for generator in generators {
            let product: Vec<u32> = found[at].iter().map(|&point| generator[point as usize]).collect();
            if known.insert(way(&product), ()).is_none() {
                found.push(product);
            }
        }
        if found.len() > MOST_COSETS {
            return None;
        }
        at += 1;
    }
    Some(found)
}

fn distinct(colours: &[u64]) -> usize {
    let mut sorted = colours.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    sorted.len()
}

/// A good mixture of two numbers (the finaliser of SplitMix64).
fn mix(one: u64, other: u64) -> u64 {
    let mut hash = one.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ other.wrapping_add(0x6a09_e667_f3bc_c909);
    hash = (hash ^ hash >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    hash = (hash ^ hash >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    hash ^ hash >> 31
}
