//! The mu-calculus with indices: small, and what the rest can be compared with.

use rustc_hash::FxHashMap;

use super::label::Quantifier;
use super::labels::{Labels, Scope};
use super::threaded::for_each_threaded_step;
use crate::formula::{Binary, Quantity};
use crate::graph::{Point, Quotient};
use crate::observer::{Atom, Domain};

/// Which steps a modality is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// All of them.
    Any,
    /// Those of a rule.
    Rule(u32),
    /// Those in which the value of a variable takes part.
    By(usize),
}

/// Whether one step is enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Modality {
    /// Some step leads to where the formula holds.
    Possibly,
    /// Every step does.
    Necessarily,
}

/// Which solution of `x = f(x)` is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fixpoint {
    /// The least one.
    Least,
    /// The greatest one.
    Greatest,
}

/// A formula of the mu-calculus. Conditions alone are negated, so every fixpoint exists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mu {
    /// A condition, or, if `false`, its negation.
    Literal(Atom, bool),
    /// True or false.
    Constant(bool),
    /// Both.
    And(Box<Mu>, Box<Mu>),
    /// At least one.
    Or(Box<Mu>, Box<Mu>),
    /// About the next step.
    Modal(Modality, Action, Box<Mu>),
    /// The solution of an equation for the set with this number.
    Fix(Fixpoint, usize, Box<Mu>),
    /// A set that an outer fixpoint is about.
    Set(usize),
    /// A quantifier over identities.
    Quantified(Quantity, Quantifier, Box<Mu>),
}

/// Evaluates formulas of the mu-calculus on a stored graph, fixpoints by plain iteration.
pub struct MuEvaluator<'a, G> {
    graph: &'a G,
    n_states: usize,
    sets: FxHashMap<usize, Labels>,
}

impl<'a, G: Quotient> MuEvaluator<'a, G> {
    /// For a graph with so many states.
    pub fn new(graph: &'a G, n_states: usize) -> Self {
        MuEvaluator { graph, n_states, sets: FxHashMap::default() }
    }

    /// Whether a formula without free variables holds in every start state.
    ///
    /// # Panics
    /// If a variable or set is not bound.
    pub fn holds(&mut self, formula: &Mu) -> bool {
        let labels = self.evaluate(formula, &[]);
        self.graph.starts().iter().all(|start| labels.holds(start.state, &[]))
    }

    fn evaluate(&mut self, formula: &Mu, variables: &[(usize, Domain)]) -> Labels {
        let scope = Scope::new(variables.to_vec());
        let (graph, n_states) = (self.graph, self.n_states);
        match formula {
            Mu::Constant(value) => Labels::new(scope, n_states, |_, _| *value),
            Mu::Literal(atom, positive) => {
                let position =
                    |variable: &usize| variables.iter().position(|(own, _)| own == variable).expect("it is bound");
                let positions: Vec<usize> = atom.arguments.iter().map(position).collect();
                Labels::new(scope, n_states, |state, values| {
                    let arguments: Vec<Point> = positions.iter().map(|&at| values[at]).collect();
                    graph.holds(state, atom.proposition, &arguments) == *positive
                })
            }
            Mu::And(f, g) => self.connect(Binary::And, f, g, variables),
            Mu::Or(f, g) => self.connect(Binary::Or, f, g, variables),
            Mu::Modal(modality, action, f) => self.modal(*modality, *action, f, variables),
            Mu::Set(set) => {
                let known = &self.sets[set];
                Labels::new(scope.clone(), n_states, known.seen_from(&scope))
            }
            Mu::Fix(fixpoint, set, f) => {
                let start = *fixpoint == Fixpoint::Greatest;
                let mut now = Labels::new(scope, n_states, |_, _| start);
                loop {
                    self.sets.insert(*set, now.clone());
                    let next = self.evaluate(f, variables);
                    if next.truth == now.truth {
                        return now;
                    }
                    now = next;
                }
            }
            Mu::Quantified(quantity, quantifier, f) => {
                let mut inner = variables.to_vec();
                inner.push((quantifier.variable, quantifier.domain.clone()));
                let labels = self.evaluate(f, &inner);
                Labels::new(scope, n_states, |state, values| {
                    let holds = |&value: &Point| {
                        let values: Vec<Point> = values.iter().copied().chain([value]).collect();
                        labels.holds(state, &values)
                    };
                    match quantity {
                        Quantity::Forall => quantifier.domain.iter().all(holds),
                        Quantity::Exists => quantifier.domain.iter().any(holds),
                    }
                })
            }
        }
    }

    fn connect(&mut self, op: Binary, f: &Mu, g: &Mu, variables: &[(usize, Domain)]) -> Labels {
        let mut left = self.evaluate(f, variables);
        let right = self.evaluate(g, variables);
        for (own, other) in left.truth.iter_mut().zip(right.truth) {
            *own = if op == Binary::And { *own && other } else { *own || other };
        }
        left
    }

    fn modal(&mut self, modality: Modality, action: Action, f: &Mu, variables: &[(usize, Domain)]) -> Labels {
        let inner = self.evaluate(f, variables);
        let scope = inner.scope.clone();
        let n_values = scope.tuples.len();
        let mut truth = vec![modality == Modality::Necessarily; inner.truth.len()];
        let actor = match action {
            Action::By(variable) => scope.variables.iter().position(|own| *own == variable),
            _ => None,
        };
        for_each_threaded_step(self.graph, self.n_states, &scope, |step| {
            let is_meant = match action {
                Action::Any => true,
                Action::Rule(rule) => step.rule == Some(rule),
                Action::By(_) => step.actors.contains(&step.values[actor.expect("the variable is bound")]),
            };
            if is_meant {
                let holds = inner.truth[step.target as usize * n_values + step.target_place];
                let own = &mut truth[step.state as usize * n_values + step.place];
                *own = if modality == Modality::Possibly { *own || holds } else { *own && holds };
            }
        });
        Labels { scope, truth }
    }
}
