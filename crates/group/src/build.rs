//! Ways to make a complete stabiliser chain.
//!
//! [`Chain::deterministic`] checks every Schreier generator. [`Chain::randomised`] sifts random elements until nothing
//! new comes for a while, which nearly always completes the chain (Leon, *On an algorithm for finding a base and a strong
//! generating set for a group given by generating permutations*, 1980), and then proves it. Either the order reaches an
//! upper bound known beforehand; or the chain is made once more with few random generators per level, so that few
//! Schreier generators are left to check. [`Chain::of_known_order`] needs no proof beyond the order itself.
//!
//! Random choices come from a fixed seed: the same generators give the same chain.

use crate::blocks::order_bound;
use crate::chain::Chain;
use crate::{Natural, Permutation};

/// Random elements that add nothing before a chain is taken to be complete and its proof begins.
const N_QUIET: usize = 12;

/// Generators for a level of a chain with few of them: two random elements generate most groups that occur.
const N_PER_LEVEL: usize = 2;

/// Factors of a random product are drawn from at least so many elements, and mixed so often before the first use.
const N_MIXED: usize = 10;
const N_MIXING_STEPS: usize = 50;

const SEED: u64 = 0x0042_7572_6e73_6964;

impl Chain {
    /// By the Schreier–Sims method without random choices.
    pub(crate) fn deterministic(preference: &[usize], generators: &[Permutation]) -> Chain {
        let mut chain = Chain::new(preference);
        for generator in generators {
            chain.absorb(generator.clone());
            chain.complete();
        }
        chain.thin();
        chain.finish();
        chain
    }

    /// By random elements, with proof; the same group and base as [`Chain::deterministic`].
    pub(crate) fn randomised(preference: &[usize], generators: &[Permutation]) -> Chain {
        let mut chain = Chain::new(preference);
        let mut source = RandomProducts::new(preference.len(), generators);
        let bound = order_bound(preference.len(), generators);
        let is_proved = chain.absorb_until_quiet(generators, &bound, || source.next());
        if is_proved {
            chain.thin();
        } else {
            chain = chain.with_few_generators(generators);
            chain.complete();
        }
        chain.finish();
        chain
    }

    /// By elements drawn from a group of known order that the generators generate.
    ///
    /// SOUND: the orbit lengths of any chain of elements of a group multiply to at most its order, so reaching the order
    /// proves the chain complete.
    pub(crate) fn of_known_order(
        preference: &[usize],
        generators: &[Permutation],
        order: &Natural,
        mut draw: impl FnMut(&mut fastrand::Rng) -> Permutation,
    ) -> Chain {
        let mut chain = Chain::new(preference);
        let mut rng = fastrand::Rng::with_seed(SEED);
        while !chain.absorb_until_quiet(generators, order, || draw(&mut rng)) {}
        chain.thin();
        chain.finish();
        chain
    }

    /// The chain of the same group for another preference.
    pub(crate) fn rebased(&self, preference: &[usize]) -> Chain {
        let generators: Vec<Permutation> = self.generators(0).cloned().collect();
        Chain::of_known_order(preference, &generators, &self.order(), |rng| self.random(rng))
    }

    /// A chain of the same orbits, as far as luck goes, whose levels have few generators: the given ones at the top, and
    /// below that random elements of the group of the level above that fix its base point.
    ///
    /// SOUND: each level's group is a subgroup of the one above by construction, so once all Schreier generators sift,
    /// each is the whole stabiliser, by induction from the bottom. Bad luck only leaves more to `complete`.
    fn with_few_generators(&self, generators: &[Permutation]) -> Chain {
        let preference: Vec<usize> = self.base().collect();
        let targets: Vec<usize> = self.orbit_lengths().collect();
        let n_levels = targets.iter().rposition(|&length| length > 1).map_or(0, |last| last + 1);
        let mut chain = Chain::new(&preference);
        for generator in generators.iter().filter(|generator| !generator.is_identity()) {
            chain.add_to_level(0, generator.clone());
        }
        for level in 1..n_levels {
            let above: Vec<Permutation> = chain.generators(level - 1).cloned().collect();
            if chain.tree(level - 1).len() == 1 {
                above.into_iter().for_each(|element| chain.add_to_level(level, element));
                continue;
            }
            let mut source = RandomProducts::new(preference.len(), &above);
            for n_drawn in 0..N_QUIET {
                if n_drawn >= N_PER_LEVEL && chain.tree(level).len() == targets[level] {
                    break;
                }
                let mut element = source.next();
                chain.strip(level - 1, &mut element);
                if !element.is_identity() {
                    chain.add_to_level(level, element);
                }
            }
        }
        chain
    }

    /// Absorbs the generators and then drawn elements until the order reaches `bound`, or gives up when a dozen
    /// elements in a row were absorbed already. Returns whether the bound was reached.
    fn absorb_until_quiet(
        &mut self,
        generators: &[Permutation],
        bound: &Natural,
        mut draw: impl FnMut() -> Permutation,
    ) -> bool {
        for generator in generators {
            self.absorb(generator.clone());
        }
        let mut n_quiet = 0;
        while n_quiet < N_QUIET {
            if self.order() >= *bound {
                return true;
            }
            while n_quiet < N_QUIET && !self.absorb(draw()) {
                n_quiet += 1;
            }
            if n_quiet < N_QUIET {
                n_quiet = 0;
            }
        }
        false
    }
}

/// Nearly uniform random elements of a group that is known by generators only: product replacement with an accumulator
/// (Celler, Leedham-Green, Murray, Niemeyer and O'Brien, *Generating random elements of a finite group*, 1995).
pub(crate) struct RandomProducts {
    elements: Vec<Permutation>,
    accumulator: Permutation,
    rng: fastrand::Rng,
}

impl RandomProducts {
    pub(crate) fn new(degree: usize, generators: &[Permutation]) -> Self {
        let mut elements = generators.to_vec();
        if elements.is_empty() {
            elements.push(Permutation::identity(degree));
        }
        let n_generators = elements.len();
        while elements.len() < N_MIXED {
            elements.push(elements[elements.len() % n_generators].clone());
        }
        let mut products = RandomProducts {
            elements,
            accumulator: Permutation::identity(degree),
            rng: fastrand::Rng::with_seed(SEED),
        };
        for _ in 0..N_MIXING_STEPS {
            products.next();
        }
        products
    }

    pub(crate) fn next(&mut self) -> Permutation {
        let n = self.elements.len();
        let changed = self.rng.usize(..n);
        let factor = (changed + 1 + self.rng.usize(..n - 1)) % n;
        let factor = if self.rng.bool() { self.elements[factor].clone() } else { self.elements[factor].inverse() };
        let element = &mut self.elements[changed];
        *element = if self.rng.bool() { element.then(&factor) } else { factor.then(element) };
        self.accumulator.append(element);
        self.accumulator.clone()
    }
}
