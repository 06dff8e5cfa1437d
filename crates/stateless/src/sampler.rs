//! Samplers: random runs, for programs with too many behaviours to see them all.

use crate::cursor::{Cursor, FIRST_BIRTH, Plan, Policy};
use crate::explorer::{Bounds, Explorer, NotDeterministic, Stats};
use crate::search::Search;
use crate::trace::{Birth, Trace};

/// How random runs are drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sampling {
    /// At every transition any enabled thread, with equal chances.
    RandomWalk,
    /// Random priorities with `depth - 1` drops: finds a bug that needs `depth` ordering constraints with probability
    /// at least `1 / (n k^(depth - 1))` for `n` threads and `k` transitions (Burckhardt et al., ASPLOS 2010).
    Pct {
        /// The bug depth aimed at, from 1.
        depth: u32,
    },
}

/// Draws a number of random runs.
#[derive(Clone, Debug)]
pub struct Sampler {
    sampling: Sampling,
    n_runs: u64,
    seed: u64,
    bounds: Bounds,
    births: Vec<Birth>,
    stats: Stats,
}

impl Sampler {
    /// A sampler of `n_runs` runs; the same seed draws the same runs.
    #[must_use]
    pub fn new(sampling: Sampling, n_runs: u64, seed: u64, bounds: Bounds) -> Self {
        Self { sampling, n_runs, seed, bounds, births: vec![FIRST_BIRTH], stats: Stats::default() }
    }

    fn policy(&self, random: &mut fastrand::Rng) -> Policy {
        match self.sampling {
            Sampling::RandomWalk => Policy::Random,
            Sampling::Pct { depth } => {
                let length = self.stats.max_depth.max(1);
                let mut drops: Vec<u32> = (1..depth).map(|_| random.u32(..length)).collect();
                drops.sort_unstable();
                Policy::Priorities { drops }
            }
        }
    }
}

impl Explorer for Sampler {
    fn cursor(&mut self) -> Option<Cursor> {
        if self.stats.n_executions >= self.n_runs {
            return None;
        }
        // Run `i` depends on the seed and `i` alone, so a sample can be continued or drawn in parts.
        let mut random = fastrand::Rng::with_seed(self.seed.wrapping_add(self.stats.n_executions));
        let policy = self.policy(&mut random);
        Some(Cursor::new(Plan {
            policy,
            seed: random.u64(..),
            max_depth: self.bounds.max_depth,
            births: self.births.clone(),
            ..Plan::default()
        }))
    }

    fn done(&mut self, trace: &Trace) -> Result<(), NotDeterministic> {
        self.births.clone_from(&trace.births);
        self.stats.count(trace, 0);
        Ok(())
    }

    fn as_search(&mut self) -> Option<&mut Search> {
        None
    }

    fn stats(&self) -> &Stats {
        &self.stats
    }

    fn omission(&self) -> Option<String> {
        Some(format!("schedules outside a random sample of {}", self.stats.n_executions))
    }
}
