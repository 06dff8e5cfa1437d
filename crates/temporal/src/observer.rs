//! What a property remembers along a path: the points it speaks of and the states of its automata.
//!
//! `forall i, j: A exists k: f(i, j, k)` is violated by a path and values of `i, j` such that `f` fails for every `k`. So
//! there is one copy of the automaton of `not f` for every value of `k`, and each must accept; without inner variables
//! there is one copy. Along a step everything is renamed: the values of outer variables, and which copy belongs to whom.

use burnside_group::Permutation;
use rustc_hash::FxHashMap;

use crate::automaton::{Automaton, Effort, TooLarge, Valuation};
use crate::formula::Formula;
use crate::graph::{Point, Quotient, State};
use crate::ltl::{Linear, NotLinear};

/// The points that a variable ranges over: whole orbits.
pub type Domain = Vec<Point>;

/// A condition applied to variables.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Atom {
    /// The condition, as the graph numbers it.
    pub proposition: u32,
    /// The variables it is about, by number: first the outer ones, then the inner ones.
    pub arguments: Vec<usize>,
}

/// A formula about paths, with its variables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathFormula {
    /// What each outer variable ranges over.
    pub outer: Vec<Domain>,
    /// What each inner variable ranges over.
    pub inner: Vec<Domain>,
    /// Whether the outer variables have different values, and so have the inner ones among themselves.
    pub distinct: bool,
    /// The formula, without quantifiers.
    pub formula: Formula<Atom, ()>,
}

/// Why a formula cannot be observed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObserverError {
    /// There is a quantifier over paths or indices left in it.
    NotLinear,
    /// Its automaton does not fit.
    TooLarge,
}

impl From<NotLinear> for ObserverError {
    fn from(_: NotLinear) -> Self {
        ObserverError::NotLinear
    }
}

impl From<TooLarge> for ObserverError {
    fn from(_: TooLarge) -> Self {
        ObserverError::TooLarge
    }
}

/// What an [`Observer`] remembers.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Observed {
    /// The values of the outer variables.
    pub(crate) arguments: Box<[Point]>,
    /// The state of each copy of the automaton.
    pub(crate) copies: Box<[u32]>,
}

/// One move of all copies at once.
#[derive(Clone, Debug)]
pub(crate) struct Move {
    pub(crate) copies: Vec<u32>,
    /// The colours seen, ascending: those of copy `c` begin at `c` times the number of the automaton's colours.
    pub(crate) colours: Vec<u32>,
}

/// Follows paths and accepts those that it was made for.
#[derive(Clone, Debug)]
pub struct Observer {
    automaton: Automaton,
    atoms: Vec<Atom>,
    /// The values that outer variables can have together.
    starts: Vec<Box<[Point]>>,
    /// The values that inner variables can have together: one copy each.
    copies: Vec<Box<[Point]>>,
    copy_of: FxHashMap<Box<[Point]>, u32>,
}

impl Observer {
    /// Accepts a path and outer values if the formula *fails* for all inner values: the violations of
    /// `forall outer: A exists inner: formula`.
    ///
    /// # Errors
    /// If the formula is not about one path, or its automaton does not fit.
    pub fn of_violations(formula: &PathFormula, effort: Effort) -> Result<Self, ObserverError> {
        Self::new(formula, false, effort)
    }

    /// Accepts a path and outer values if the formula holds for all inner values.
    ///
    /// # Errors
    /// If the formula is not about one path, or its automaton does not fit.
    pub fn of_witnesses(formula: &PathFormula, effort: Effort) -> Result<Self, ObserverError> {
        Self::new(formula, true, effort)
    }

    /// Accepts what an automaton accepts whose propositions are these conditions, by number.
    pub fn of_automaton(automaton: Automaton, conditions: &[u32]) -> Self {
        let atoms = conditions.iter().map(|&proposition| Atom { proposition, arguments: Vec::new() }).collect();
        let copies = tuples(&[], false);
        let copy_of = copies.iter().enumerate().map(|(copy, tuple)| (tuple.clone(), copy as u32)).collect();
        Observer { automaton, atoms, starts: tuples(&[], false), copies, copy_of }
    }

    fn new(formula: &PathFormula, positive: bool, effort: Effort) -> Result<Self, ObserverError> {
        let mut atoms: Vec<Atom> = Vec::new();
        let mut number = |atom: &Atom| match atoms.iter().position(|known| known == atom) {
            Some(number) => number as u32,
            None => {
                atoms.push(atom.clone());
                atoms.len() as u32 - 1
            }
        };
        let mut store = Linear::new();
        let id = store.normal_form(&formula.formula, positive, &mut number)?;
        let automaton = Automaton::new(&mut store, id, effort)?;
        let copies = tuples(&formula.inner, formula.distinct);
        let copy_of = copies.iter().enumerate().map(|(copy, tuple)| (tuple.clone(), copy as u32)).collect();
        Ok(Observer { automaton, atoms, starts: tuples(&formula.outer, formula.distinct), copies, copy_of })
    }

    /// The automaton that each copy is in a state of.
    pub fn automaton(&self) -> &Automaton {
        &self.automaton
    }

    pub(crate) fn starts(&self) -> impl Iterator<Item = Observed> + '_ {
        self.starts.iter().map(|arguments| self.start(arguments))
    }

    /// The beginning with given values of the outer variables.
    pub(crate) fn start(&self, arguments: &[Point]) -> Observed {
        Observed { arguments: arguments.into(), copies: vec![0; self.copies.len()].into() }
    }

    /// The number of colours of all copies together.
    pub(crate) fn n_colours(&self) -> u32 {
        self.copies.len() as u32 * self.automaton.n_colours()
    }

    /// Where a colour goes when points are renamed.
    pub(crate) fn colour_image(&self, colour: u32, by: &Permutation) -> u32 {
        let n = self.automaton.n_colours();
        self.copy_image(colour / n, by) * n + colour % n
    }

    fn copy_image(&self, copy: u32, by: &Permutation) -> u32 {
        let tuple: Box<[Point]> = self.copies[copy as usize].iter().map(|&point| image(by, point)).collect();
        self.copy_of[&tuple]
    }

    pub(crate) fn rename(&self, observed: &Observed, by: &Permutation) -> Observed {
        let mut copies = observed.copies.clone();
        for (copy, &state) in observed.copies.iter().enumerate() {
            copies[self.copy_image(copy as u32, by) as usize] = state;
        }
        Observed { arguments: observed.arguments.iter().map(|&point| image(by, point)).collect(), copies }
    }

    /// Puts the values of the propositions in a state, for each copy, in place of what was there.
    pub(crate) fn valuations<G: Quotient>(
        &self,
        graph: &G,
        state: State,
        arguments: &[Point],
        to: &mut Vec<Valuation>,
    ) {
        to.clear();
        to.extend(self.copies.iter().map(|tuple| self.valuation(graph, state, arguments, tuple)));
    }

    /// All ways to go on where the propositions have these values for each copy.
    pub(crate) fn moves(&self, observed: &Observed, valuations: &[Valuation]) -> Vec<Move> {
        let mut moves = vec![Move { copies: Vec::new(), colours: Vec::new() }];
        let n_colours = self.automaton.n_colours();
        for (copy, &valuation) in valuations.iter().enumerate() {
            let edges = self.automaton.edges(observed.copies[copy]);
            let mut longer = Vec::new();
            for edge in edges.iter().filter(|edge| edge.label.admits(valuation)) {
                let first = copy as u32 * n_colours;
                let colours = (0..n_colours).filter(|u| edge.colours >> u & 1 == 1).map(|u| first + u);
                for shorter in &moves {
                    let mut longer_move = shorter.clone();
                    longer_move.copies.push(edge.target);
                    longer_move.colours.extend(colours.clone());
                    longer.push(longer_move);
                }
            }
            moves = longer;
        }
        moves
    }

    fn valuation<G: Quotient>(&self, graph: &G, state: State, outer: &[Point], inner: &[Point]) -> Valuation {
        let mut arguments = Vec::new();
        self.atoms.iter().enumerate().fold(0, |valuation, (number, atom)| {
            arguments.clear();
            let value = |&variable: &usize| *outer.get(variable).unwrap_or_else(|| &inner[variable - outer.len()]);
            arguments.extend(atom.arguments.iter().map(value));
            let holds = graph.holds(state, atom.proposition, &arguments);
            valuation | Valuation::from(holds) << number
        })
    }

    /// Whether every copy accepts whatever comes.
    pub(crate) fn accepts_everything(&self, observed: &Observed) -> bool {
        observed.copies.iter().all(|&state| self.automaton.accepts_everything(state))
    }
}

pub(crate) fn image(by: &Permutation, point: Point) -> Point {
    by.image(point as usize) as Point
}

/// All tuples of values, the first variable changing last.
pub(crate) fn tuples(domains: &[Domain], distinct: bool) -> Vec<Box<[Point]>> {
    let mut tuples: Vec<Vec<Point>> = vec![Vec::new()];
    for domain in domains {
        let longer = tuples.iter().flat_map(|tuple| {
            let values = domain.iter().filter(|value| !distinct || !tuple.contains(value));
            values.map(|&value| tuple.iter().copied().chain([value]).collect())
        });
        tuples = longer.collect();
    }
    tuples.into_iter().map(Vec::into_boxed_slice).collect()
}
