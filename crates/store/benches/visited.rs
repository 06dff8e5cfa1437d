//! How fast states are inserted and how much memory they take, beside what the machine's memory allows at best.
//!
//! `cargo bench -p burnside-store -- [MILLIONS OF STATES] [BYTES OF A STATE] [CODEC]`

#![expect(clippy::print_stdout, reason = "a benchmark prints what it measured")]

use burnside_store::{Codec, Compressed, Config, Exact, Fingerprint, Insertion, Request, Set, Shard, hash, shard_of};
use rustix::time::{ClockId, clock_gettime};

/// Each state is inserted once as new and this often as old, which is common for models.
const REPEATS: u64 = 3;

/// States in one batch.
const BATCH: usize = 512;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let mut numbers = arguments.iter().filter_map(|argument| argument.parse::<u64>().ok());
    let is_wanted = |codec: &&str| arguments.last().is_none_or(|last| last.parse::<u64>().is_ok() || last == codec);
    let n_states = numbers.next().unwrap_or(10) * 1_000_000;
    let n_bytes = numbers.next().unwrap_or(24) as u32;
    println!("{n_states} states of {n_bytes} bytes, each inserted {} times, batches of {BATCH}", REPEATS + 1);
    memory_limit(n_states as usize * 2);
    let workload = Workload { n_states, n_words: n_bytes.div_ceil(8) as usize, n_bits: n_bytes * 8 };
    for n_threads in [1, 2] {
        for codec in ["exact", "compressed", "fingerprint"].into_iter().filter(is_wanted) {
            match codec {
                "exact" => workload.measure::<Exact>(codec, n_threads),
                "compressed" => workload.measure::<Compressed>(codec, n_threads),
                _ => workload.measure::<Fingerprint>(codec, n_threads),
            }
        }
    }
}

/// Processor time of all threads, which other work on the machine does not lengthen much.
fn cpu_seconds() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// Random accesses to a table of words: read, and write if zero; 16 of them under way at any time.
fn memory_limit(n_words: usize) {
    let mut table = vec![0_u64; n_words];
    table.fill(1);
    table.fill(0);
    let at = |code: u64| ((u128::from(hash(&[code])) * n_words as u128) >> 64) as usize;
    let start = cpu_seconds();
    let n_accesses = n_words as u64;
    let mut ring = [0_usize; 16];
    let mut sum = 0;
    for code in 0..n_accesses {
        let slot = &mut ring[code as usize % 16];
        let word = &mut table[*slot];
        sum += *word;
        *word = code;
        *slot = at(code);
        #[cfg(target_arch = "x86_64")]
        // SAFETY: a prefetch has no effect that a program can see.
        unsafe {
            std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>((&raw const table[*slot]).cast());
        }
    }
    let rate = n_accesses as f64 / (cpu_seconds() - start) / 1e6;
    println!(
        "memory:      {rate:6.1} M random accesses a core-second, small pages ({sum:.0e} checked)",
        sum = sum as f64
    );
}

struct Workload {
    n_states: u64,
    n_words: usize,
    n_bits: u32,
}

impl Workload {
    fn measure<C: Codec>(&self, name: &str, n_threads: usize) {
        let config = Config { n_bits: self.n_bits, n_shards: n_threads, limit: None };
        let (set, mut shards) = Set::<C>::open(config).expect("memory");
        let start = cpu_seconds();
        self.generate(0, 1, |words, _| {
            std::hint::black_box(words);
        });
        let generation = cpu_seconds() - start;
        let start = cpu_seconds();
        std::thread::scope(|scope| {
            for (number, shard) in shards.iter_mut().enumerate() {
                scope.spawn(move || self.fill(shard, number, n_threads));
            }
        });
        let seconds = cpu_seconds() - start - generation * n_threads as f64;
        let rate = (self.n_states * (REPEATS + 1)) as f64 / seconds / 1e6;
        let bytes = set.peak_bytes() as f64 / self.n_states as f64;
        println!(
            "{name:12} {rate:6.1} M insertions a core-second, {n_threads} threads; {bytes:5.1} bytes a state at the peak"
        );
    }

    /// Inserts the states of one shard.
    fn fill<C: Codec>(&self, shard: &mut Shard<C>, number: usize, n_shards: usize) {
        let mut n_new = 0;
        self.generate(number, n_shards, |words, hashes| {
            let state = |at: usize| &words[at * self.n_words..(at + 1) * self.n_words];
            let request = |at: usize| Request { state: state(at), hash: hashes[at], parent: None };
            shard.insert_all(hashes, request, |insertion| n_new += u64::from(matches!(insertion, Insertion::New(_))));
        });
        assert!(n_shards > 1 || n_new == self.n_states, "{n_new} new states");
    }

    /// Batches of states of one shard with their hashes: new ones in order, old ones drawn from those before.
    fn generate(&self, number: usize, n_shards: usize, mut batch: impl FnMut(&[u64], &[u64])) {
        let mut random = fastrand::Rng::with_seed(7);
        let (mut words, mut hashes): (Vec<u64>, Vec<u64>) = (Vec::new(), Vec::new());
        for code in 0..self.n_states {
            for repeat in 0..=REPEATS {
                let code = if repeat == 0 { code } else { random.u64(0..=code) };
                let at = words.len();
                words.extend(std::iter::repeat_n(0, self.n_words));
                self.write_state(code, &mut words[at..]);
                let hash = hash(&words[at..]);
                if shard_of(hash, n_shards) == number {
                    hashes.push(hash);
                } else {
                    words.truncate(at);
                }
            }
            if hashes.len() >= BATCH || code + 1 == self.n_states {
                batch(&words, &hashes);
                words.clear();
                hashes.clear();
            }
        }
    }

    /// Words take few values each, as those of models do, but together tell the code.
    fn write_state(&self, code: u64, state: &mut [u64]) {
        let bits_per_word = u64::BITS.div_ceil(self.n_words as u32).min(self.n_bits / self.n_words as u32);
        let mut rest = code;
        for word in &mut *state {
            *word = rest & ((1_u128 << bits_per_word) - 1) as u64;
            rest = rest.checked_shr(bits_per_word).unwrap_or(0);
        }
    }
}
