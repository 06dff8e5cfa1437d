//! Ways to make a complete stabiliser chain.
//!
//! [`Chain::deterministic`] checks every Schreier generator. [`Chain::randomised`] sifts random elements until nothing
//! new comes for a while, which nearly always completes the chain, and then proves it: either the order reaches an upper
//! bound known beforehand, or every Schreier generator is checked after all, of a chain thinned to few generators. Leon,
//! *On an algorithm for finding a base and a strong generating set for a group given by generating permutations*
//! (1980). [`Chain::of_known_order`] needs no proof beyond the order itself.
//!
//! Random choices come from a fixed seed: the same generators give the same chain.

use crate::blocks::order_bound;
use crate::chain::Chain;
use crate::{Natural, Permutation};

/// Random elements that add nothing before a chain is taken to be complete and its proof begins.
const N_QUIET: usize = 12;

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
        chain.thin();
        if !is_proved {
            // Thinning may drop too much of a chain that is not yet complete, so the generators come in once more.
            chain.complete();
            while generators.iter().any(|generator| chain.absorb(generator.clone())) {
                chain.complete();
            }
            chain.thin();
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
