//! The listed states, to be found again up to permutations.

use burnside_ir::{Layout, UNDEFINED};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::Certificate;
use crate::action::Action;
use crate::canon::Canon;

/// Listed states by number.
pub(crate) struct Members<'a, 'm> {
    layout: &'m Layout,
    canon: &'a Canon<'a, 'm>,
    states: Vec<Box<[u64]>>,
    /// By representative of the orbit.
    numbers: FxHashMap<Box<[u64]>, u32>,
}

impl<'a, 'm> Members<'a, 'm> {
    /// All listed states; `None` if it is time to stop. Of states annotated with partitions, all that are meant.
    pub(crate) fn new(
        layout: &'m Layout,
        (action, canon): (&Action<'m>, &'a Canon<'a, 'm>),
        certificate: &Certificate,
        is_over: &dyn Fn() -> bool,
    ) -> Option<Self> {
        let mut members = Self { layout, canon, states: Vec::new(), numbers: FxHashMap::default() };
        for (at, state) in certificate.states().enumerate() {
            if is_over() {
                return None;
            }
            members.add(state.into());
            let Some(&partition) = certificate.annotations.get(at) else { continue };
            let exchanges = exchanges(&certificate.partitions[partition as usize]);
            members.add_images(action, (state, &exchanges), is_over)?;
        }
        Some(members)
    }

    /// Adds a state unless one of its orbit is there.
    fn add(&mut self, state: Box<[u64]>) {
        let representative = self.packed(&self.canon.of(&self.unpacked(&state)));
        let number = self.states.len() as u32;
        if *self.numbers.entry(representative).or_insert(number) == number {
            self.states.push(state);
        }
    }

    /// Adds all images of a state under products of exchanges; `None` if it is time to stop.
    fn add_images(
        &mut self,
        action: &Action<'m>,
        (state, exchanges): (&[u64], &[Vec<u32>]),
        is_over: &dyn Fn() -> bool,
    ) -> Option<()> {
        let mut known: FxHashSet<Box<[u64]>> = FxHashSet::from_iter([state.into()]);
        let mut pending = vec![self.unpacked(state)];
        while let Some(state) = pending.pop() {
            if is_over() {
                return None;
            }
            for image in exchanges.iter().map(|images| action.rename(images, &state)) {
                let packed = self.packed(&image);
                if known.insert(packed.clone()) {
                    self.add(packed);
                    pending.push(image);
                }
            }
        }
        Some(())
    }

    /// How many orbits are listed.
    pub(crate) fn len(&self) -> usize {
        self.states.len()
    }

    /// The values of a listed state.
    pub(crate) fn values(&self, number: u32) -> Vec<i64> {
        self.unpacked(&self.states[number as usize])
    }

    /// The listed state that is an image of a state.
    pub(crate) fn find(&self, values: &[i64]) -> Option<u32> {
        self.numbers.get(&self.packed(&self.canon.of(values))).copied()
    }

    pub(crate) fn packed(&self, values: &[i64]) -> Box<[u64]> {
        let mut words = vec![0; self.layout.n_words()];
        self.layout.pack(values, &mut words);
        words.into()
    }

    pub(crate) fn unpacked(&self, state: &[u64]) -> Vec<i64> {
        let mut values = vec![UNDEFINED; self.layout.slots().len()];
        self.layout.unpack(state, &mut values);
        values
    }
}

/// Exchanges of neighbours in the cells of a partition: they generate all permutations within cells.
fn exchanges(cell_of: &[u32]) -> Vec<Vec<u32>> {
    let mut last: FxHashMap<u32, u32> = FxHashMap::default();
    let mut exchanges = Vec::new();
    for (point, &cell) in (0..).zip(cell_of) {
        if let Some(before) = last.insert(cell, point) {
            let mut images: Vec<u32> = (0..cell_of.len() as u32).collect();
            images.swap(before as usize, point as usize);
            exchanges.push(images);
        }
    }
    exchanges
}
