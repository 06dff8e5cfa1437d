//! Control configurations: what the control slots of each name hold, and which names hold the same.

use rustc_hash::FxHashMap;

use crate::names::{Class, Names};
use crate::runs::Repeats;

/// The control of a state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Configuration {
    /// By class and name, a number for the contents of its control slots.
    pub(crate) colours: Vec<Vec<u32>>,
    /// By class, the names sorted by colour; names of one colour in their own order.
    pub(crate) order: Vec<Vec<u32>>,
}

/// Numbers for the contents of control slots.
#[derive(Debug, Default)]
pub(crate) struct Palette {
    numbers: FxHashMap<Box<[i64]>, u32>,
    scratch: Vec<i64>,
}

impl Palette {
    pub(crate) fn configuration(&mut self, names: &Names, state: &[i64]) -> Configuration {
        let (mut colours, mut order) = (Vec::new(), Vec::new());
        for (class, control) in names.classes.iter().zip(&names.control) {
            let of_class: Vec<u32> = (0..class.size)
                .map(|name| {
                    let values = control.iter().map(|it| state[(it.first + name * it.stride) as usize]);
                    self.scratch.clear();
                    self.scratch.extend(values);
                    self.colour()
                })
                .collect();
            order.push(sorted(&of_class));
            colours.push(of_class);
        }
        Configuration { colours, order }
    }

    fn colour(&mut self) -> u32 {
        if let Some(&number) = self.numbers.get(&self.scratch[..]) {
            return number;
        }
        let number = self.numbers.len() as u32;
        self.numbers.insert(self.scratch.clone().into(), number);
        number
    }
}

impl Configuration {
    /// The same for all configurations that a renaming makes equal.
    pub(crate) fn multiset(&self) -> Repeats {
        let sorted = self.order.iter().zip(&self.colours);
        Repeats::new(sorted.flat_map(|(order, colours)| order.iter().map(|&name| colours[name as usize])))
    }

    /// The same for equal configurations only. The configuration can be made of it again.
    pub(crate) fn sequence(&self) -> Repeats {
        Repeats::new(self.colours.iter().flatten().copied())
    }

    pub(crate) fn of_sequence(classes: &[Class], sequence: &Repeats) -> Self {
        let mut all = sequence.iter();
        let colours = classes.iter().map(|class| all.by_ref().take(class.size as usize).collect());
        let colours: Vec<Vec<u32>> = colours.collect();
        let order = colours.iter().map(|colours| sorted(colours)).collect();
        Self { colours, order }
    }
}

/// Names sorted by colour.
fn sorted(colours: &[u32]) -> Vec<u32> {
    let mut order: Vec<u32> = (0..colours.len() as u32).collect();
    order.sort_by_key(|&name| colours[name as usize]);
    order
}
