//! Random well-typed models.
//!
//! [`Generator`] builds a model from types up: types and globals, functions, start states, rules, properties. It keeps
//! track of what is in [`Scope`], so that everything it builds verifies, and of what may go wrong at run time: a
//! construct that may fault is put behind a test that it does not, except that a model that may fault now and then
//! leaves out such a test. The same goes for symmetry: what tells members of a sort apart is built only where
//! [`Generator::may_break_symmetry`] agrees.

mod build;
mod call;
mod expr;
mod function;
mod ints;
mod loops;
mod owner;
mod place;
mod scope;
mod start;
mod stmt;
mod types;

use burnside_ir::{Domain, Model, Type, TypeId};

use self::function::Effect;
use self::scope::Scope;
use crate::{Config, Symmetry};

/// The model of a seed.
pub fn random_model(seed: u64, config: &Config) -> Model {
    let mut generator = Generator {
        rng: fastrand::Rng::with_seed(seed),
        config: config.clone(),
        model: Model::default(),
        scope: Scope::default(),
        partial: Vec::new(),
        effects: Vec::new(),
        n_cover_points: 0,
        offset: 0,
    };
    generator.types();
    generator.globals();
    generator.n_cover_points = generator.rng.u32(0..=1);
    generator.functions();
    generator.starts();
    generator.rules();
    generator.properties();
    generator.model
}

struct Generator {
    rng: fastrand::Rng,
    config: Config,
    model: Model,
    scope: Scope,
    /// For each global whether parts of it may be undefined.
    partial: Vec<bool>,
    /// One per function of the model.
    effects: Vec<Effect>,
    /// The first properties are cover points, so that statements can name them before they are built.
    n_cover_points: u32,
    /// Where the next node stands in the text that the model pretends to come from.
    offset: u32,
}

/// How often a construct that may fault goes unguarded where faults are wanted, in percent.
const RISK: u32 = 6;

/// How often a nearly symmetric model breaks its symmetry where it could, in percent.
const BREAKAGE: u32 = 6;

impl Generator {
    fn chance(&mut self, percent: u32) -> bool {
        self.rng.u32(0..100) < percent
    }

    fn pick<T: Clone>(&mut self, items: &[T]) -> Option<T> {
        if items.is_empty() { None } else { Some(items[self.rng.usize(0..items.len())].clone()) }
    }

    /// Whether to leave out the test that something does not fault.
    fn takes_risk(&mut self) -> bool {
        self.config.faults && !self.scope.tame && self.chance(RISK)
    }

    /// Whether to build something that tells members of a sort apart.
    fn may_break_symmetry(&mut self) -> bool {
        match self.config.symmetry {
            Symmetry::Free => true,
            Symmetry::Full => false,
            Symmetry::Nearly => self.chance(BREAKAGE),
        }
    }

    /// Whether iterations over a domain must give the same result in any order.
    fn must_commute(&mut self, domain: &Domain) -> bool {
        let unordered = match domain {
            Domain::Type(ty) => self.holds_id(*ty),
            Domain::Range { .. } => false,
            Domain::Slots(_) => true,
        };
        unordered && self.config.commuting_loops && !self.may_break_symmetry()
    }

    /// Tries builders in random order of their weights until one has something to offer.
    fn first_of<T>(&mut self, mut choices: Vec<(u32, fn(&mut Self, u32) -> Option<T>)>, depth: u32) -> Option<T> {
        while !choices.is_empty() {
            let total: u32 = choices.iter().map(|(weight, _)| weight).sum();
            let mut at = 0;
            let mut rest = self.rng.u32(0..total);
            while rest >= choices[at].0 {
                rest -= choices[at].0;
                at += 1;
            }
            let (_, build) = choices.swap_remove(at);
            if let Some(built) = build(self, depth) {
                return Some(built);
            }
        }
        None
    }

    /// Builds something in which no function with effects is called.
    fn purely<T>(&mut self, build: impl FnOnce(&mut Self) -> T) -> T {
        let before = std::mem::replace(&mut self.scope.pure, true);
        let built = build(self);
        self.scope.pure = before;
        built
    }

    /// Builds something that is evaluated once for each member of a domain and may stop early, so that in a symmetric
    /// model neither an effect nor a fault may depend on which member comes first.
    fn per_member<T>(&mut self, build: impl FnOnce(&mut Self) -> T) -> T {
        if self.config.symmetry == Symmetry::Free {
            return build(self);
        }
        let before = std::mem::replace(&mut self.scope.tame, true);
        let built = self.purely(build);
        self.scope.tame = before;
        built
    }

    /// Whether a type is an integer type of the state.
    fn is_range(&self, ty: TypeId) -> bool {
        matches!(self.model.types.get(ty), Type::Range { .. })
    }
}
