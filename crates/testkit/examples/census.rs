//! Counts the states and faults of many random models: `cargo run --release --example census [N_SEEDS] [MAX_STATES]`.
#![allow(clippy::print_stdout, missing_docs)]

use std::collections::BTreeMap;

use burnside_testkit::{Config, Exploration, Symmetry, explore, random_model};

fn main() {
    let mut args = std::env::args().skip(1).map(|arg| arg.parse::<u64>().expect("a number"));
    let n_seeds = args.next().unwrap_or(2000);
    let max_states = args.next().unwrap_or(20_000) as usize;
    let base = Config::default();
    let configs = [
        ("default", base.clone()),
        ("full symmetry", Config { symmetry: Symmetry::Full, ..base.clone() }),
        ("nearly symmetric", Config { symmetry: Symmetry::Nearly, ..base.clone() }),
        ("no faults", Config { faults: false, ..base.clone() }),
        ("all defined", Config { undefined: false, ..base }),
    ];
    for (name, config) in configs {
        let mut census = Census::default();
        for seed in 0..n_seeds {
            census.count(&explore(&random_model(seed, &config), max_states));
        }
        println!("{name}: {census:?}");
    }
}

#[derive(Debug, Default)]
struct Census {
    none: u32,
    below_10: u32,
    below_100: u32,
    below_1000: u32,
    up_to_5000: u32,
    above: u32,
    cut: u32,
    faulty: u32,
    faults: BTreeMap<&'static str, u32>,
}

impl Census {
    fn count(&mut self, exploration: &Exploration) {
        *match exploration.states.len() {
            0 => &mut self.none,
            1..10 => &mut self.below_10,
            10..100 => &mut self.below_100,
            100..1000 => &mut self.below_1000,
            1000..=5000 => &mut self.up_to_5000,
            _ => &mut self.above,
        } += 1;
        self.cut += u32::from(exploration.cut);
        self.faulty += u32::from(!exploration.faults.is_empty());
        let mut kinds: Vec<_> = exploration.faults.iter().map(|fault| fault.kind.name()).collect();
        kinds.sort_unstable();
        kinds.dedup();
        for kind in kinds {
            *self.faults.entry(kind).or_default() += 1;
        }
    }
}
