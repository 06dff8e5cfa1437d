//! Control configurations: what the control slots of each name hold, and which names hold the same.

use rustc_hash::FxHashMap;

use crate::names::Names;

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
            let mut sorted: Vec<u32> = (0..class.size).collect();
            sorted.sort_by_key(|&name| of_class[name as usize]);
            colours.push(of_class);
            order.push(sorted);
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
    pub(crate) fn multiset(&self) -> Box<[u32]> {
        let sorted = self.order.iter().zip(&self.colours);
        sorted.flat_map(|(order, colours)| order.iter().map(|&name| colours[name as usize])).collect()
    }

    /// The same for equal configurations only.
    pub(crate) fn sequence(&self) -> Box<[u32]> {
        self.colours.concat().into()
    }
}
