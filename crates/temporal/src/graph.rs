//! The graph that everything is checked on: states up to symmetry, with the renaming that each step brings about.
//!
//! A group acts on finitely many *points*, the identities of all sorts one after the other. Only one state of each orbit
//! (or a few of them) is there. A step leads from a representative `s` by some rule instance to a state `u`; the graph has
//! `u`'s representative `t` instead and a *renaming* `r` with `r(u) = t`. What is called `j` in the frame of `s` is called
//! `r(j)` in the frame of `t`. A *frame* is a permutation from the names in a representative to the names in a concrete
//! execution. So a path of the graph stands for a concrete execution: if its frame at `s` is `F`, then it is in the
//! concrete state `F(s)`, and its frame at `t` is `r⁻¹` followed by `F`.

use burnside_group::Permutation;

/// The number of a representative.
pub type State = u32;

/// An identity on which the group acts.
pub type Point = u32;

/// The number of a fair unit: a set of rule instances to which executions are fair.
pub type Unit = u32;

/// The number of a renaming of a graph.
pub type RenamingId = u32;

/// Where executions begin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Start {
    /// The representative of the start state.
    pub state: State,
    /// From names in the representative to names in the start state.
    pub frame: Permutation,
}

/// One step from a representative.
#[derive(Clone, Copy, Debug)]
pub struct Step<'a> {
    /// The representative it leads to.
    pub target: State,
    /// From names before the step to names in the target.
    pub renaming: RenamingId,
    /// The rule that is fired; none for the step that repeats a state in which nothing is enabled.
    pub rule: Option<u32>,
    /// The points that the rule instance is about, in the names of the source.
    pub actors: &'a [Point],
    /// The fair units that take this step, in the names of the source.
    pub taken: &'a [Unit],
    /// Whatever the caller wants to find again in a lasso.
    pub label: u32,
}

/// States up to symmetry.
///
/// *Contract.* All permutations that occur belong to one group of automorphisms of the system, and conditions, units and
/// enabledness move with it: `holds(s, p, args)` is what `p` says of `args` in the representative itself. A state in which
/// an execution ends has one step, to itself, that nobody takes. A state without steps has no path through it: what was
/// cut off by an assumption. The steps of a state are always given in the same order.
///
/// Methods take `&self`; a graph that is made while it is searched keeps its states behind a cell.
pub trait Quotient {
    /// The number of points.
    fn degree(&self) -> usize;
    /// Where executions begin.
    fn starts(&self) -> Vec<Start>;
    /// Calls `visit` with every step of a state.
    fn for_each_step(&self, state: State, visit: impl FnMut(Step<'_>));
    /// A renaming by its number.
    fn renaming(&self, id: RenamingId) -> Permutation;
    /// Whether a condition holds in a representative, of these points.
    fn holds(&self, state: State, proposition: u32, arguments: &[Point]) -> bool;
    /// The number of fair units.
    fn n_units(&self) -> usize;
    /// What a unit becomes when points are renamed.
    fn unit_image(&self, unit: Unit, by: &Permutation) -> Unit;
    /// Appends the units that are enabled in a representative.
    fn enabled(&self, state: State, out: &mut Vec<Unit>);
    /// Generators of a group that fixes a representative: all of its stabiliser or a part. May be empty.
    fn symmetries(&self, state: State) -> Vec<Permutation>;
    /// Whether `symmetries` gives any, for whatever representative.
    fn has_symmetries(&self) -> bool {
        true
    }
    /// A permutation that fixes a representative and takes points, in their order, to the first ones that they can be taken
    /// to. Where there is one, nodes are brought together by it and not by `symmetries`.
    fn to_first(&self, _state: State, _points: &[Point]) -> Option<Permutation> {
        None
    }
    /// Whether of the steps that `symmetries` take to one another only one is given.
    fn is_pruned(&self) -> bool;
    /// Whether a permutation of the group fixes a representative.
    fn fixes(&self, state: State, by: &Permutation) -> bool;
}

/// What executions must not do for ever with a fair unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Strength {
    /// Leave it untaken while it is always enabled.
    Weak,
    /// Leave it untaken while it is enabled again and again.
    Strong,
}

/// Which units executions are fair to, and how.
///
/// *Invariant:* units that renamings take to one another have the same strength.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fairness {
    strengths: Vec<Option<Strength>>,
}

impl Fairness {
    /// Every execution counts.
    pub fn none() -> Self {
        Fairness { strengths: Vec::new() }
    }

    /// The same for all units.
    pub fn uniform(n_units: usize, strength: Option<Strength>) -> Self {
        Fairness { strengths: vec![strength; n_units] }
    }

    /// As the caller says, by unit; the caller keeps the invariant.
    pub fn new(strengths: Vec<Option<Strength>>) -> Self {
        Fairness { strengths }
    }

    /// How executions are fair to a unit.
    pub fn strength(&self, unit: Unit) -> Option<Strength> {
        self.strengths.get(unit as usize).copied().flatten()
    }

    /// The units of a strength.
    pub(crate) fn units(&self, strength: Strength) -> impl Iterator<Item = Unit> + '_ {
        let all = self.strengths.iter().enumerate();
        all.filter(move |(_, own)| **own == Some(strength)).map(|(unit, _)| unit as Unit)
    }
}
