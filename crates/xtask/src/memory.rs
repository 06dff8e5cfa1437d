//! What this machine's memory allows: random accesses per second, to judge a search by.
//!
//! A search ends up waiting for memory: whether a state is new takes one access to the index and one to the cell, both at
//! random. Accesses that wait for each other show the latency; those that do not, how many the processor keeps under way.

use std::hint::black_box;
use std::time::Instant;

/// Accesses in one measurement.
const ACCESSES: u64 = 200_000;

/// Each measurement is the best of so many short ones, as other work on the machine can only make it worse.
const REPEAT: usize = 100;

/// Measures tables of several sizes, on one thread and on all.
pub(crate) fn run() -> Result<(), String> {
    let n_threads = std::thread::available_parallelism().map_or(1, usize::from);
    println!("millions of random accesses a second to a table of words, best of {REPEAT}");
    println!("{:>10}  {:>10}  {:>12}  {:>14}", "table", "one by one", "independent", format!("{n_threads} threads"));
    for megabytes in [1, 64, 512] {
        let table = Table::new(megabytes << 20);
        let chained = best(|| rate(1, |seed| table.chase(seed)));
        let independent = best(|| rate(1, |seed| table.sum(seed)));
        let together = best(|| rate(n_threads, |seed| table.sum(seed)));
        println!("{megabytes:>7} MB  {chained:>10.1}  {independent:>12.1}  {together:>14.1}");
    }
    Ok(())
}

fn best(measure: impl Fn() -> f64) -> f64 {
    (0..REPEAT).map(|_| measure()).fold(0.0, f64::max)
}

/// Millions of accesses a second, of all threads together.
fn rate(n_threads: usize, accesses: impl Fn(u64) -> u64 + Sync) -> f64 {
    let begun = Instant::now();
    std::thread::scope(|scope| {
        for seed in 0..n_threads as u64 {
            let accesses = &accesses;
            scope.spawn(move || black_box(accesses(seed)));
        }
    });
    (n_threads as u64 * ACCESSES) as f64 / begun.elapsed().as_secs_f64() / 1e6
}

/// Words, each telling where to go from here.
struct Table {
    words: Vec<u32>,
}

impl Table {
    fn new(n_bytes: usize) -> Self {
        let n_words = n_bytes / size_of::<u32>();
        Self { words: (0..n_words as u64).map(|at| scatter(at) as u32 & (n_words as u32 - 1)).collect() }
    }

    /// Each access waits for the one before.
    fn chase(&self, seed: u64) -> u64 {
        // The number of the access goes into the next place, so that no short cycle is entered.
        let mask = self.words.len() as u64 - 1;
        (0..ACCESSES).fold(seed, |at, number| u64::from(self.words[(at ^ scatter(number) & mask) as usize]))
    }

    /// Accesses to places that are known in advance.
    fn sum(&self, seed: u64) -> u64 {
        let mask = self.words.len() as u64 - 1;
        let place = |number: u64| (scatter(number ^ seed << 40) & mask) as usize;
        (0..ACCESSES).map(|number| u64::from(self.words[place(number)])).sum()
    }
}

/// A number that looks random (the finaliser of Steele, Lea and Flood, "Fast splittable pseudorandom number generators",
/// OOPSLA 2014).
fn scatter(number: u64) -> u64 {
    let mixed = (number ^ number >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ mixed >> 31
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_spread_over_the_table() {
        let mut counts = [0; 64];
        (0..6400).for_each(|number| counts[(scatter(number) % 64) as usize] += 1);
        assert!(counts.iter().all(|&count| (50..150).contains(&count)), "{counts:?}");
    }
}
