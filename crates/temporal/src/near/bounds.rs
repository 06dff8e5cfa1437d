//! CTL* on guarded quotients: what holds for certain, what fails for certain, and what is open.
//!
//! A path that is certain exists in the system from every state that a node stands for; a path that is not possible exists
//! from none. So `E f` is certainly true where a certain path satisfies a formula of certain parts, and certainly false
//! where no possible path satisfies one of possible parts. Where the two differ, more must be told apart.

use burnside_group::Partition;

use super::guarded::Guarded;
use super::unwound::{Side, Unwound, View};
use crate::branching::{BranchingError, Labeller, StateFormula};
use crate::formula::{Binary, Formula, Unary};
use crate::graph::{Fairness, Quotient, State};
use crate::observer::Atom;

/// What is known of a formula in a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// It holds.
    True,
    /// It fails.
    False,
    /// Nothing, with what is told apart.
    Open,
}

/// A formula without indices, decided on a guarded quotient.
#[derive(Clone, Debug)]
pub struct Bounds {
    /// Whether it holds in all start states.
    pub holds: bool,
    /// The partition that was needed.
    pub partition: Partition,
    /// The number of nodes told apart by it.
    pub n_nodes: usize,
}

impl Bounds {
    /// Decides a formula over conditions that the group leaves invariant; the partition becomes finer until it is decided.
    ///
    /// SOUND: see above; and when every step is decided, certain and possible are the same.
    ///
    /// # Errors
    /// If the formula is not one about states, or an automaton does not fit.
    pub fn decide(
        quotient: &Guarded<'_>,
        formula: &StateFormula,
        holds: &impl Fn(State, u32) -> bool,
    ) -> Result<Self, BranchingError> {
        let mut partition = Partition::unit(quotient.system().degree());
        loop {
            let graph = Unwound::new(quotient, partition.clone());
            match bound(&graph, formula, holds)? {
                Bound::Open => partition = finer(&graph, &partition),
                decided => {
                    let n_nodes = graph.n_nodes();
                    return Ok(Bounds { holds: decided == Bound::True, partition, n_nodes });
                }
            }
        }
    }
}

/// The partition that decides one more step: the first that is possible and not certain.
fn finer(graph: &Unwound<'_>, partition: &Partition) -> Partition {
    for node in 0..graph.n_nodes() as u32 {
        for step in &graph.steps[node as usize] {
            let finer = partition.meet(&graph.deciding_partition(node, step.label));
            if finer != *partition {
                return finer;
            }
        }
    }
    unreachable!("where every step is decided nothing is open")
}

/// What is known of a formula in all start states together.
fn bound(
    graph: &Unwound<'_>,
    formula: &StateFormula,
    holds: &impl Fn(State, u32) -> bool,
) -> Result<Bound, BranchingError> {
    let starts = View { graph, side: Side::Possible, holds }.starts();
    let evaluation = Evaluation { graph, holds };
    let certain = evaluation.truth(formula, Side::Certain)?;
    if starts.iter().all(|start| certain[start.state as usize]) {
        return Ok(Bound::True);
    }
    let possible = evaluation.truth(formula, Side::Possible)?;
    let fails = starts.iter().any(|start| !possible[start.state as usize]);
    Ok(if fails { Bound::False } else { Bound::Open })
}

struct Evaluation<'a, H> {
    graph: &'a Unwound<'a>,
    holds: H,
}

impl<H: Fn(State, u32) -> bool> Evaluation<'_, H> {
    /// Where a formula is certainly or possibly true.
    fn truth(&self, formula: &StateFormula, side: Side) -> Result<Vec<bool>, BranchingError> {
        let nodes = 0..self.graph.n_nodes() as State;
        Ok(match formula {
            Formula::Constant(value) => nodes.map(|_| *value).collect(),
            Formula::Proposition(atom) => {
                let view = View { graph: self.graph, side, holds: &self.holds };
                nodes.map(|node| view.holds(node, atom.proposition, &[])).collect()
            }
            Formula::Unary(Unary::Not, f) => self.truth(f, other(side))?.into_iter().map(|truth| !truth).collect(),
            Formula::Unary(Unary::SomePath, f) => self.some_path(f, side)?,
            Formula::Unary(Unary::AllPaths, f) => {
                let fails = self.some_path(&f.as_ref().clone().negated(), other(side))?;
                fails.into_iter().map(|truth| !truth).collect()
            }
            Formula::Binary(op, f, g) if !op.is_temporal() && *op != Binary::Iff => {
                let left = if *op == Binary::Implies {
                    self.truth(&f.as_ref().clone().negated(), side)
                } else {
                    self.truth(f, side)
                };
                let pairs = left?.into_iter().zip(self.truth(g, side)?);
                if *op == Binary::And {
                    pairs.map(|(f, g)| f && g).collect()
                } else {
                    pairs.map(|(f, g)| f || g).collect()
                }
            }
            Formula::Binary(Binary::Iff, f, g) => self.truth(&without_iff(f, g), side)?,
            Formula::Quantified(..) => return Err(BranchingError::IndexUnderPath),
            Formula::Unary(..) | Formula::Binary(..) => return Err(BranchingError::PathFormula),
        })
    }

    fn some_path(&self, path: &StateFormula, side: Side) -> Result<Vec<bool>, BranchingError> {
        let mut known = Vec::new();
        let formula = self.abstracted(path, true, side, &mut known)?;
        let view = View { graph: self.graph, side, holds: |_: State, _: u32| false };
        let labelled = Known { view: &view, known: &known };
        let n_nodes = self.graph.n_nodes();
        let some = Formula::unary(Unary::SomePath, formula);
        let labels = Labeller::new(&labelled, n_nodes, Fairness::none()).by_automata().label(&some)?;
        Ok((0..n_nodes as State).map(|node| labels.holds(node, &[])).collect())
    }

    /// The path formula in negation normal form over its state formulas, each with its negation evaluated on one side.
    fn abstracted(
        &self,
        path: &StateFormula,
        positive: bool,
        side: Side,
        known: &mut Vec<Vec<bool>>,
    ) -> Result<StateFormula, BranchingError> {
        if path.is_state_formula() {
            let own = if positive { path.clone() } else { path.clone().negated() };
            known.push(self.truth(&own, side)?);
            return Ok(Formula::Proposition(Atom { proposition: known.len() as u32 - 1, arguments: Vec::new() }));
        }
        let mut again = |f: &StateFormula, positive: bool| self.abstracted(f, positive, side, known);
        Ok(match path {
            Formula::Unary(Unary::Not, f) => again(f, !positive)?,
            Formula::Unary(op, f) => {
                let dual = match op {
                    Unary::Always if !positive => Unary::Eventually,
                    Unary::Eventually if !positive => Unary::Always,
                    op => *op,
                };
                Formula::unary(dual, again(f, positive)?)
            }
            Formula::Binary(Binary::Iff, f, g) => again(&without_iff(f, g), positive)?,
            Formula::Binary(Binary::Implies, f, g) => {
                let (f, g) = (again(f, !positive)?, again(g, positive)?);
                Formula::binary(if positive { Binary::Or } else { Binary::And }, f, g)
            }
            // f weakuntil g is g release (f or g).
            Formula::Binary(Binary::WeakUntil, f, g) => {
                let either = Formula::binary(Binary::Or, f.as_ref().clone(), g.as_ref().clone());
                again(&Formula::binary(Binary::Release, g.as_ref().clone(), either), positive)?
            }
            Formula::Binary(op, f, g) => {
                let (f, g) = (again(f, positive)?, again(g, positive)?);
                let dual = match op {
                    Binary::And if !positive => Binary::Or,
                    Binary::Or if !positive => Binary::And,
                    Binary::Until if !positive => Binary::Release,
                    Binary::Release if !positive => Binary::Until,
                    op => *op,
                };
                Formula::binary(dual, f, g)
            }
            _ => return Err(BranchingError::IndexUnderPath),
        })
    }
}

/// `(f and g) or (not f and not g)`.
fn without_iff(f: &StateFormula, g: &StateFormula) -> StateFormula {
    let both = Formula::binary(Binary::And, f.clone(), g.clone());
    let none = Formula::binary(Binary::And, f.clone().negated(), g.clone().negated());
    Formula::binary(Binary::Or, both, none)
}

fn other(side: Side) -> Side {
    match side {
        Side::Possible => Side::Certain,
        Side::Certain => Side::Possible,
    }
}

/// A view whose conditions are known node by node.
struct Known<'a, G> {
    view: &'a G,
    known: &'a [Vec<bool>],
}

impl<G: Quotient> Quotient for Known<'_, G> {
    fn degree(&self) -> usize {
        self.view.degree()
    }

    fn starts(&self) -> Vec<crate::graph::Start> {
        self.view.starts()
    }

    fn for_each_step(&self, state: State, visit: impl FnMut(crate::graph::Step<'_>)) {
        self.view.for_each_step(state, visit);
    }

    fn renaming(&self, id: crate::graph::RenamingId) -> burnside_group::Permutation {
        self.view.renaming(id)
    }

    fn holds(&self, state: State, proposition: u32, _: &[crate::graph::Point]) -> bool {
        self.known[proposition as usize][state as usize]
    }

    fn n_units(&self) -> usize {
        0
    }

    fn unit_image(&self, unit: u32, _: &burnside_group::Permutation) -> u32 {
        unit
    }

    fn enabled(&self, _: State, _: &mut Vec<u32>) {}

    fn has_symmetries(&self) -> bool {
        false
    }

    fn symmetries(&self, _: State) -> Vec<burnside_group::Permutation> {
        Vec::new()
    }

    fn is_pruned(&self) -> bool {
        false
    }

    fn fixes(&self, state: State, by: &burnside_group::Permutation) -> bool {
        self.view.fixes(state, by)
    }
}
