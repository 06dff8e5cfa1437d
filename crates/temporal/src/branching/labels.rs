//! Where a formula with free variables is true.

use rustc_hash::FxHashMap;

use crate::graph::{Point, State};
use crate::observer::{Domain, tuples};

/// Variables with what they range over, and all values they can have together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Scope {
    pub(crate) variables: Vec<usize>,
    pub(crate) domains: Vec<Domain>,
    pub(crate) tuples: Vec<Box<[Point]>>,
    places: FxHashMap<Box<[Point]>, usize>,
}

impl Scope {
    pub(crate) fn new(variables: Vec<(usize, Domain)>) -> Self {
        let (variables, domains): (Vec<_>, Vec<_>) = variables.into_iter().unzip();
        let tuples = tuples(&domains, false);
        let places = tuples.iter().enumerate().map(|(at, tuple)| (tuple.clone(), at)).collect();
        Scope { variables, domains, tuples, places }
    }

    /// The place of values among all that the variables can have.
    pub(crate) fn place(&self, values: &[Point]) -> usize {
        self.places[values]
    }

    /// For each of `inner`'s variables its place among these.
    pub(crate) fn positions_of(&self, inner: &Scope) -> Vec<usize> {
        let position = |variable: &usize| {
            self.variables.iter().position(|own| own == variable).expect("an inner variable is in scope")
        };
        inner.variables.iter().map(position).collect()
    }
}

/// The states and values at which a formula holds.
#[derive(Clone, Debug)]
pub struct Labels {
    pub(crate) scope: Scope,
    /// By state, then by place of the values.
    pub(crate) truth: Vec<bool>,
}

impl Labels {
    pub(crate) fn new(scope: Scope, n_states: usize, mut holds: impl FnMut(State, &[Point]) -> bool) -> Self {
        let mut truth = Vec::with_capacity(n_states * scope.tuples.len());
        for state in 0..n_states as State {
            truth.extend(scope.tuples.iter().map(|tuple| holds(state, tuple)));
        }
        Labels { scope, truth }
    }

    /// The free variables, in the order of values.
    pub fn variables(&self) -> &[usize] {
        &self.scope.variables
    }

    /// Whether the formula holds in a representative with these values.
    ///
    /// # Panics
    /// If the variables cannot have these values.
    pub fn holds(&self, state: State, values: &[Point]) -> bool {
        self.truth[state as usize * self.scope.tuples.len() + self.scope.place(values)]
    }

    /// The same where more variables are in scope: a function of the state and their values.
    pub(crate) fn seen_from<'a>(&'a self, scope: &Scope) -> impl Fn(State, &[Point]) -> bool + 'a {
        let positions = scope.positions_of(&self.scope);
        move |state, values| {
            let own: Vec<Point> = positions.iter().map(|&at| values[at]).collect();
            self.holds(state, &own)
        }
    }
}
