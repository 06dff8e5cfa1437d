//! CTL and CTL*, labelled inside out.

use burnside_group::Permutation;

use super::labels::{Labels, Scope};
use super::threaded::Threaded;
use crate::automaton::Effort;
use crate::formula::{Binary, Formula, Quantity, Unary};
use crate::graph::{Fairness, Point, Quotient, RenamingId, Start, State, Step, Unit};
use crate::observer::{Atom, Domain, Observer, ObserverError, PathFormula};
use crate::product::{Finding, Outcome, check, states_with_witness};

/// A quantifier over identities.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quantifier {
    /// The variable it binds, by number.
    pub variable: usize,
    /// What it ranges over.
    pub domain: Domain,
}

/// A formula about states, with quantifiers over identities.
pub type StateFormula = Formula<Atom, Quantifier>;

/// Why a formula cannot be labelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BranchingError {
    /// A temporal operator is not under a path quantifier.
    PathFormula,
    /// A quantifier over identities stands under a temporal operator and does not speak of states: it must be written out.
    IndexUnderPath,
    /// An automaton does not fit.
    TooLarge,
}

impl From<ObserverError> for BranchingError {
    fn from(error: ObserverError) -> Self {
        match error {
            ObserverError::NotLinear => BranchingError::IndexUnderPath,
            ObserverError::TooLarge => BranchingError::TooLarge,
        }
    }
}

/// How path quantifiers are decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Method {
    /// Linear algorithms where a formula is one of CTL and there is no fairness.
    Direct,
    /// Always by automata.
    Automata,
}

/// Labels the states of a stored graph.
pub struct Labeller<'a, G> {
    graph: &'a G,
    n_states: usize,
    fairness: Fairness,
    method: Method,
    /// Variables in scope.
    scope: Vec<(usize, Domain)>,
}

impl<'a, G: Quotient> Labeller<'a, G> {
    /// For a graph with so many states; path quantifiers range over fair paths.
    pub fn new(graph: &'a G, n_states: usize, fairness: Fairness) -> Self {
        let is_fair = (0..graph.n_units() as Unit).any(|unit| fairness.strength(unit).is_some());
        let method = if is_fair { Method::Automata } else { Method::Direct };
        Labeller { graph, n_states, fairness, method, scope: Vec::new() }
    }

    /// The same, by automata alone.
    #[must_use]
    pub fn by_automata(self) -> Self {
        Labeller { method: Method::Automata, ..self }
    }

    /// Whether a formula without free variables holds in every start state.
    ///
    /// # Errors
    /// If it cannot be labelled.
    pub fn holds(&mut self, formula: &StateFormula) -> Result<bool, BranchingError> {
        let labels = self.label(formula)?;
        Ok(self.graph.starts().iter().all(|start| labels.holds(start.state, &[])))
    }

    /// Where a formula holds.
    ///
    /// # Errors
    /// If it cannot be labelled.
    pub fn label(&mut self, formula: &StateFormula) -> Result<Labels, BranchingError> {
        let scope = self.scope_of(formula);
        Ok(match formula {
            Formula::Constant(value) => Labels::new(scope, self.n_states, |_, _| *value),
            Formula::Proposition(atom) => {
                let positions = self.positions(&scope, &atom.arguments);
                let graph = self.graph;
                Labels::new(scope, self.n_states, |state, values| {
                    let arguments: Vec<Point> = positions.iter().map(|&at| values[at]).collect();
                    graph.holds(state, atom.proposition, &arguments)
                })
            }
            Formula::Unary(Unary::Not, f) => {
                let mut labels = self.label(f)?;
                labels.truth.iter_mut().for_each(|truth| *truth = !*truth);
                labels
            }
            Formula::Unary(Unary::SomePath, f) => self.some_path(f)?,
            Formula::Unary(Unary::AllPaths, f) => {
                let mut labels = self.some_path(&f.as_ref().clone().negated())?;
                labels.truth.iter_mut().for_each(|truth| *truth = !*truth);
                labels
            }
            Formula::Binary(op, f, g) if !op.is_temporal() => {
                let (f, g) = (self.label(f)?, self.label(g)?);
                let (f, g) = (f.seen_from(&scope), g.seen_from(&scope));
                Labels::new(scope, self.n_states, |state, values| {
                    let (f, g) = (f(state, values), g(state, values));
                    match op {
                        Binary::And => f && g,
                        Binary::Or => f || g,
                        Binary::Implies => !f || g,
                        _ => f == g,
                    }
                })
            }
            Formula::Quantified(quantity, quantifier, f) => self.quantified(scope, *quantity, quantifier, f)?,
            Formula::Unary(..) | Formula::Binary(..) => return Err(BranchingError::PathFormula),
        })
    }

    fn quantified(
        &mut self,
        scope: Scope,
        quantity: Quantity,
        quantifier: &Quantifier,
        f: &StateFormula,
    ) -> Result<Labels, BranchingError> {
        let inner = self.bound(quantifier, |this| this.label(f))?;
        let wide: Vec<(usize, Domain)> =
            pairs(&scope).chain([(quantifier.variable, quantifier.domain.clone())]).collect();
        let inner = inner.seen_from(&Scope::new(wide));
        Ok(Labels::new(scope, self.n_states, |state, values| {
            let holds = |&value: &Point| {
                let values: Vec<Point> = values.iter().copied().chain([value]).collect();
                inner(state, &values)
            };
            match quantity {
                Quantity::Forall => quantifier.domain.iter().all(holds),
                Quantity::Exists => quantifier.domain.iter().any(holds),
            }
        }))
    }

    /// Does something with a variable in scope.
    fn bound<R>(&mut self, quantifier: &Quantifier, run: impl FnOnce(&mut Self) -> R) -> R {
        self.scope.push((quantifier.variable, quantifier.domain.clone()));
        let result = run(self);
        self.scope.pop();
        result
    }

    /// Where some fair path satisfies a formula.
    fn some_path(&mut self, path: &StateFormula) -> Result<Labels, BranchingError> {
        match path {
            Formula::Unary(Unary::Not, f) => match &**f {
                Formula::Quantified(quantity, quantifier, body) if !body.is_state_formula() => {
                    let dual = match quantity {
                        Quantity::Forall => Quantity::Exists,
                        Quantity::Exists => Quantity::Forall,
                    };
                    let body = body.as_ref().clone().negated();
                    self.some_path(&Formula::Quantified(dual, quantifier.clone(), Box::new(body)))
                }
                _ => self.some_path_of(path, None),
            },
            // Some path for some value is some value for which there is a path.
            Formula::Quantified(Quantity::Exists, quantifier, f) if !f.is_state_formula() => {
                let inner = Formula::unary(Unary::SomePath, f.as_ref().clone());
                let scope = self.scope_of(path);
                self.quantified(scope, Quantity::Exists, quantifier, &inner)
            }
            // One path for all values: one copy of the automaton for each.
            Formula::Quantified(Quantity::Forall, quantifier, f) if !f.is_state_formula() => {
                self.bound(quantifier, |this| this.some_path_of(f, Some(quantifier)))
            }
            _ => self.some_path_of(path, None),
        }
    }

    fn some_path_of(&mut self, path: &StateFormula, inner: Option<&Quantifier>) -> Result<Labels, BranchingError> {
        if inner.is_none()
            && self.method == Method::Direct
            && let Some(labels) = self.directly(path)?
        {
            return Ok(labels);
        }
        let free = self.scope_of(path);
        let outer: Vec<(usize, Domain)> =
            pairs(&free).filter(|(variable, _)| inner.is_none_or(|own| own.variable != *variable)).collect();
        let scope = Scope::new(outer);
        let mut order = scope.variables.clone();
        order.extend(inner.map(|own| own.variable));
        let mut known = Vec::new();
        let formula = self.abstracted(path, &order, &mut known)?;
        let property = PathFormula {
            outer: scope.domains.clone(),
            inner: inner.map(|own| own.domain.clone()).into_iter().collect(),
            distinct: false,
            formula,
        };
        let observer = Observer::of_witnesses(&property, Effort::Reduced)?;
        let labelled = Labelled { graph: self.graph, labels: &known };
        let places: Vec<(State, Box<[Point]>)> = (0..self.n_states as State)
            .flat_map(|state| scope.tuples.iter().map(move |tuple| (state, tuple.clone())))
            .collect();
        let truth = states_with_witness(&labelled, &observer, &self.fairness, &places);
        Ok(Labels { scope, truth })
    }

    /// The linear algorithms, for one temporal operator above state formulas.
    fn directly(&mut self, path: &StateFormula) -> Result<Option<Labels>, BranchingError> {
        let yes = || Formula::Constant(true);
        let (f, g, kind) = match path {
            Formula::Unary(op, f) if f.is_state_formula() => match op {
                Unary::Next => (f.as_ref().clone(), yes(), Unary::Next),
                Unary::Always => (f.as_ref().clone(), yes(), Unary::Always),
                Unary::Eventually => (yes(), f.as_ref().clone(), Unary::Eventually),
                _ => return Ok(None),
            },
            Formula::Binary(Binary::Until, f, g) if f.is_state_formula() && g.is_state_formula() => {
                (f.as_ref().clone(), g.as_ref().clone(), Unary::Eventually)
            }
            // The negations that universal quantifiers bring.
            Formula::Unary(Unary::Not, inner) => {
                let negated = |f: &StateFormula| f.clone().negated();
                let dual = match &**inner {
                    Formula::Unary(Unary::Next, f) => Formula::unary(Unary::Next, negated(f)),
                    Formula::Unary(Unary::Always, f) => Formula::unary(Unary::Eventually, negated(f)),
                    Formula::Unary(Unary::Eventually, f) => Formula::unary(Unary::Always, negated(f)),
                    Formula::Binary(Binary::Release, f, g) => Formula::binary(Binary::Until, negated(f), negated(g)),
                    _ => return Ok(None),
                };
                return self.directly(&dual);
            }
            _ => return Ok(None),
        };
        let (f, g) = (self.label(&f)?, self.label(&g)?);
        let scope = self.scope_of(path);
        let threaded = Threaded::new(self.graph, self.n_states, &scope);
        let truth = |labels: &Labels| Labels::new(scope.clone(), self.n_states, labels.seen_from(&scope)).truth;
        let truth = match kind {
            Unary::Next => threaded.next(&truth(&f)),
            Unary::Always => threaded.always(&truth(&f)),
            _ => threaded.until(&truth(&f), &truth(&g)),
        };
        Ok(Some(Labels { scope, truth }))
    }

    /// The path formula with each largest state formula in it made a proposition: one of `known`, applied to variables.
    fn abstracted(
        &mut self,
        path: &StateFormula,
        order: &[usize],
        known: &mut Vec<Labels>,
    ) -> Result<Formula<Atom, ()>, BranchingError> {
        if let Formula::Constant(value) = path {
            return Ok(Formula::Constant(*value));
        }
        if path.is_state_formula() {
            let labels = self.label(path)?;
            let place = |variable: &usize| order.iter().position(|own| own == variable).expect("it is in scope");
            let arguments = labels.variables().iter().map(place).collect();
            known.push(labels);
            return Ok(Formula::Proposition(Atom { proposition: known.len() as u32 - 1, arguments }));
        }
        Ok(match path {
            Formula::Unary(op, f) => Formula::unary(*op, self.abstracted(f, order, known)?),
            Formula::Binary(op, f, g) => {
                let f = self.abstracted(f, order, known)?;
                Formula::binary(*op, f, self.abstracted(g, order, known)?)
            }
            _ => return Err(BranchingError::IndexUnderPath),
        })
    }

    /// An execution that shows why `forall outer: A path` fails in a start state.
    fn counterexample(&mut self, outer: &[Quantifier], path: &StateFormula) -> Result<Outcome, BranchingError> {
        let mut known = Vec::new();
        let order: Vec<usize> = outer.iter().map(|quantifier| quantifier.variable).collect();
        let n_before = self.scope.len();
        self.scope.extend(outer.iter().map(|quantifier| (quantifier.variable, quantifier.domain.clone())));
        let formula = self.abstracted(path, &order, &mut known);
        self.scope.truncate(n_before);
        let domains = outer.iter().map(|quantifier| quantifier.domain.clone()).collect();
        let property = PathFormula { outer: domains, inner: Vec::new(), distinct: false, formula: formula? };
        let observer = Observer::of_violations(&property, Effort::Reduced)?;
        Ok(check(&Labelled { graph: self.graph, labels: &known }, &observer, &self.fairness))
    }

    /// An execution that violates the outermost quantifier over all executions that fails in a start state, with the
    /// variables around it; nothing if no single execution shows what is wrong.
    pub fn refuted_by(&mut self, formula: &StateFormula) -> Option<(Vec<Quantifier>, Finding)> {
        let mut outer = Vec::new();
        let path = self.failing_path(formula, &mut outer)?;
        let finding = self.counterexample(&outer, &path).ok()?.finding?;
        Some((outer, finding))
    }

    /// The path formula of that quantifier.
    fn failing_path(&mut self, formula: &StateFormula, outer: &mut Vec<Quantifier>) -> Option<StateFormula> {
        match formula {
            Formula::Quantified(Quantity::Forall, quantifier, f) => {
                outer.push(quantifier.clone());
                self.failing_path(f, outer)
            }
            Formula::Unary(Unary::AllPaths, path) => Some(path.as_ref().clone()),
            Formula::Binary(Binary::And, f, g) => {
                let around = outer.iter().rev().fold(f.as_ref().clone(), |f, quantifier| {
                    Formula::Quantified(Quantity::Forall, quantifier.clone(), Box::new(f))
                });
                let failing = if self.holds(&around).ok()? { g } else { f };
                self.failing_path(failing, outer)
            }
            _ => None,
        }
    }

    /// The free variables of a formula, ascending, with their domains.
    fn scope_of(&self, formula: &StateFormula) -> Scope {
        let mut free = Vec::new();
        free_variables(formula, &mut Vec::new(), &mut free);
        free.sort_unstable();
        let domain = |variable: usize| {
            let known = self.scope.iter().rev().find(|(own, _)| *own == variable);
            known.unwrap_or_else(|| panic!("variable {variable} is bound")).1.clone()
        };
        Scope::new(free.into_iter().map(|variable| (variable, domain(variable))).collect())
    }

    fn positions(&self, scope: &Scope, variables: &[usize]) -> Vec<usize> {
        let position = |variable: &usize| scope.variables.iter().position(|own| own == variable).expect("it is free");
        variables.iter().map(position).collect()
    }
}

fn pairs(scope: &Scope) -> impl Iterator<Item = (usize, Domain)> + '_ {
    scope.variables.iter().copied().zip(scope.domains.iter().cloned())
}

fn free_variables(formula: &StateFormula, bound: &mut Vec<usize>, free: &mut Vec<usize>) {
    match formula {
        Formula::Constant(_) => {}
        Formula::Proposition(atom) => {
            for variable in &atom.arguments {
                if !bound.contains(variable) && !free.contains(variable) {
                    free.push(*variable);
                }
            }
        }
        Formula::Unary(_, f) => free_variables(f, bound, free),
        Formula::Binary(_, f, g) => {
            free_variables(f, bound, free);
            free_variables(g, bound, free);
        }
        Formula::Quantified(_, quantifier, f) => {
            bound.push(quantifier.variable);
            free_variables(f, bound, free);
            bound.pop();
        }
    }
}

/// A graph whose conditions are labels.
struct Labelled<'a, G> {
    graph: &'a G,
    labels: &'a [Labels],
}

impl<G: Quotient> Quotient for Labelled<'_, G> {
    fn degree(&self) -> usize {
        self.graph.degree()
    }

    fn starts(&self) -> Vec<Start> {
        self.graph.starts()
    }

    fn for_each_step(&self, state: State, visit: impl FnMut(Step<'_>)) {
        self.graph.for_each_step(state, visit);
    }

    fn renaming(&self, id: RenamingId) -> Permutation {
        self.graph.renaming(id)
    }

    fn holds(&self, state: State, proposition: u32, arguments: &[Point]) -> bool {
        self.labels[proposition as usize].holds(state, arguments)
    }

    fn n_units(&self) -> usize {
        self.graph.n_units()
    }

    fn unit_image(&self, unit: Unit, by: &Permutation) -> Unit {
        self.graph.unit_image(unit, by)
    }

    fn enabled(&self, state: State, out: &mut Vec<Unit>) {
        self.graph.enabled(state, out);
    }

    fn has_symmetries(&self) -> bool {
        self.graph.has_symmetries()
    }

    fn symmetries(&self, state: State) -> Vec<Permutation> {
        self.graph.symmetries(state)
    }

    fn is_pruned(&self) -> bool {
        self.graph.is_pruned()
    }

    fn fixes(&self, state: State, by: &Permutation) -> bool {
        self.graph.fixes(state, by)
    }
}
