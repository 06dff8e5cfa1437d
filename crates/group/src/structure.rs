//! Groups written as products of well-known ones.
//!
//! [`Structure::of`] takes a group apart: into factors with disjoint supports, and those into wreath products along
//! block systems, down to symmetric, alternating, cyclic and dihedral groups. What resists stays a general group. A
//! canonicaliser then sorts, rotates or nests instead of searching; [`Canoniser`](crate::Canoniser) is one.
//!
//! Wreath products are meant generally: a block may have points of several orbits, as in clusters that each have a head
//! and some workers, and nothing may move within blocks, as when rows of a table are permuted as wholes.

use std::fmt;

use crate::families::embed;
use crate::{Group, Natural, Permutation, wreath};

/// A permutation group as a product of known ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Structure {
    /// The identity alone.
    Trivial,
    /// All permutations of the points, which ascend.
    Symmetric(Vec<usize>),
    /// All even permutations of the points, which ascend; at least four.
    Alternating(Vec<usize>),
    /// The rotations of a ring of points, at least three, given in its order.
    Cyclic(Vec<usize>),
    /// The rotations and reflections of a ring of points, at least four, given in its order.
    Dihedral(Vec<usize>),
    /// The product of groups that move disjoint sets of points; at least two.
    Disjoint(Vec<Structure>),
    /// Blocks of points, each moved within itself by a copy of `inner`, and moved as wholes by `outer`.
    Wreath {
        /// At least two blocks of equal size. Points of equal places correspond.
        blocks: Vec<Vec<usize>>,
        /// Acts on the places within a block. If it is trivial, blocks only move as wholes.
        inner: Box<Structure>,
        /// Acts on the numbers of the blocks.
        outer: Box<Structure>,
    },
    /// None of these.
    General {
        /// The points that move.
        points: Vec<usize>,
        /// Acts on the places within `points`.
        group: Group,
    },
}

impl Structure {
    /// Takes a group apart.
    pub fn of(group: &Group) -> Structure {
        let factor = |points: &Vec<usize>| Self::of_connected(&group.restrict(points)).relabel(points);
        let mut factors: Vec<Structure> = group.disjoint_factors().iter().map(factor).collect();
        match factors.len() {
            0 => Structure::Trivial,
            1 => factors.remove(0),
            _ => Structure::Disjoint(factors),
        }
    }

    /// The number of permutations.
    pub fn order(&self) -> Natural {
        match self {
            Structure::Trivial => Natural::one(),
            Structure::Symmetric(points) => Natural::factorial(points.len()),
            Structure::Alternating(points) => Group::alternating_order(points.len()),
            Structure::Cyclic(ring) => Natural::from(ring.len() as u128),
            Structure::Dihedral(ring) => Natural::from(2 * ring.len() as u128),
            Structure::Disjoint(factors) => factors.iter().fold(Natural::one(), |order, f| &order * &f.order()),
            Structure::Wreath { blocks, inner, outer } => &inner.order().power(blocks.len()) * &outer.order(),
            Structure::General { group, .. } => group.order().clone(),
        }
    }

    /// Permutations of `0..degree` that generate the group.
    pub fn generators(&self, degree: usize) -> Vec<Permutation> {
        let place = |points: &[usize], group: &Group| embed(degree, points, group.generators());
        match self {
            Structure::Trivial => Vec::new(),
            Structure::Symmetric(points) => place(points, &Group::symmetric(points.len())),
            Structure::Alternating(points) => place(points, &Group::alternating(points.len())),
            Structure::Cyclic(ring) => place(ring, &Group::cyclic(ring.len())),
            Structure::Dihedral(ring) => place(ring, &Group::dihedral(ring.len())),
            Structure::Disjoint(factors) => factors.iter().flat_map(|factor| factor.generators(degree)).collect(),
            Structure::Wreath { blocks, inner, outer } => {
                let size = blocks[0].len();
                let order: Vec<usize> = blocks.iter().flatten().copied().collect();
                let inner = Group::new(size, inner.generators(size));
                let outer = Group::new(blocks.len(), outer.generators(blocks.len()));
                place(&order, &inner.wreath_product(&outer))
            }
            Structure::General { points, group } => place(points, group),
        }
    }

    /// Whether some part of it was not recognised.
    pub fn has_general(&self) -> bool {
        match self {
            Structure::General { .. } => true,
            Structure::Disjoint(factors) => factors.iter().any(Structure::has_general),
            Structure::Wreath { inner, outer, .. } => inner.has_general() || outer.has_general(),
            _ => false,
        }
    }

    /// A group without disjoint factors that moves every point.
    fn of_connected(group: &Group) -> Structure {
        if group.orbits().n_cells() == 1
            && let Some(structure) = Self::of_transitive(group)
        {
            return structure;
        }
        let mut best = Structure::General { points: (0..group.degree()).collect(), group: group.clone() };
        for wreath in wreath::decompositions(group) {
            let inner = Box::new(Self::of(&wreath.inner));
            let outer = Box::new(Self::of(&wreath.outer));
            let structure = Structure::Wreath { blocks: wreath.blocks, inner, outer };
            if !structure.has_general() {
                return structure;
            }
            if matches!(best, Structure::General { .. }) {
                best = structure;
            }
        }
        best
    }

    /// Symmetric, alternating, cyclic and dihedral groups, told by their orders and by the longest cycles.
    fn of_transitive(group: &Group) -> Option<Structure> {
        let n = group.degree();
        let all = || (0..n).collect();
        if *group.order() == Natural::factorial(n) {
            return Some(Structure::Symmetric(all()));
        }
        let n_sides = Natural::from(n as u128);
        if *group.order() == n_sides {
            return longest_cycle(group).map(Structure::Cyclic);
        }
        if *group.order() == &n_sides * &Natural::from(2)
            && let Some(ring) = longest_cycle(group)
            && reflects(group, &ring)
        {
            return Some(Structure::Dihedral(ring));
        }
        (*group.order() == Group::alternating_order(n)).then(|| Structure::Alternating(all()))
    }

    /// The same structure on other points.
    fn relabel(self, points: &[usize]) -> Structure {
        let list = |places: Vec<usize>| places.into_iter().map(|place| points[place]).collect::<Vec<usize>>();
        match self {
            Structure::Trivial => Structure::Trivial,
            Structure::Symmetric(places) => Structure::Symmetric(list(places)),
            Structure::Alternating(places) => Structure::Alternating(list(places)),
            Structure::Cyclic(places) => Structure::Cyclic(list(places)),
            Structure::Dihedral(places) => Structure::Dihedral(list(places)),
            Structure::Disjoint(factors) => {
                Structure::Disjoint(factors.into_iter().map(|factor| factor.relabel(points)).collect())
            }
            Structure::Wreath { blocks, inner, outer } => {
                Structure::Wreath { blocks: blocks.into_iter().map(list).collect(), inner, outer }
            }
            Structure::General { points: places, group } => Structure::General { points: list(places), group },
        }
    }
}

impl fmt::Display for Structure {
    /// For example `S4 x (S3 wr C5)`; a general group shows its degree and order.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Structure::Trivial => f.write_str("1"),
            Structure::Symmetric(points) => write!(f, "S{}", points.len()),
            Structure::Alternating(points) => write!(f, "A{}", points.len()),
            Structure::Cyclic(ring) => write!(f, "C{}", ring.len()),
            Structure::Dihedral(ring) => write!(f, "D{}", ring.len()),
            Structure::Disjoint(factors) => {
                for (i, factor) in factors.iter().enumerate() {
                    f.write_str(if i == 0 { "" } else { " x " })?;
                    factor.fmt_operand(f)?;
                }
                Ok(())
            }
            Structure::Wreath { inner, outer, .. } => {
                inner.fmt_operand(f)?;
                f.write_str(" wr ")?;
                outer.fmt_operand(f)
            }
            Structure::General { group, .. } => write!(f, "G[degree {}, order {}]", group.degree(), group.order()),
        }
    }
}

impl Structure {
    fn fmt_operand(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Structure::Disjoint(_) | Structure::Wreath { .. } => write!(f, "({self})"),
            _ => write!(f, "{self}"),
        }
    }
}

/// The ring of an element that is one cycle through all points; among those the one that takes point 0 to the least.
fn longest_cycle(group: &Group) -> Option<Vec<usize>> {
    group.elements().find_map(|element| element.cycles().into_iter().next().filter(|ring| ring.len() == group.degree()))
}

/// Whether every element keeps the ring or reverses it.
fn reflects(group: &Group, ring: &[usize]) -> bool {
    let rotation = Permutation::from_cycles(ring.len(), &[ring]);
    let back = rotation.inverse();
    let images = group.generators().iter().map(|generator| rotation.conjugate(generator));
    images.into_iter().all(|image| image == rotation || image == back)
}
