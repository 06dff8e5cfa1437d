//! Sets of facts, kept small: what others imply is dropped.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::products::Product;
use crate::term::{Node, Term, Terms};

/// Explanations with more facts than this are given up.
pub(crate) const MOST_FACTS: usize = 4096;

/// Why everything reachable from a state is safe.
#[derive(Debug, Clone)]
pub(crate) enum Reason {
    /// These facts hold, and control is the same.
    Facts(Rc<[Term]>),
    /// It is this very state.
    Exact,
}

/// Sorts facts and drops those that others imply.
pub(crate) fn reduce(terms: &Terms, mut facts: Vec<Term>) -> Vec<Term> {
    facts.sort_unstable();
    facts.dedup();
    let mut bounds: BTreeMap<Vec<Product>, Vec<Bound>> = BTreeMap::new();
    for &fact in &facts {
        if let Some((slots, bound)) = Bound::new(terms, fact) {
            bounds.entry(slots).or_default().push(bound);
        }
    }
    let mut dropped = Vec::new();
    for group in bounds.values_mut().filter(|group| group.len() > 1) {
        // With the tightest first, most are dropped at the first comparison.
        group.sort_by_key(|bound| std::cmp::Reverse(bound.names.len()));
        let mut kept: Vec<&Bound> = Vec::new();
        for bound in group.iter() {
            if kept.iter().any(|it| it.implies(terms, bound)) {
                dropped.push(bound.fact);
            } else {
                kept.retain(|it| {
                    let stays = !bound.implies(terms, it);
                    if !stays {
                        dropped.push(it.fact);
                    }
                    stays
                });
                kept.push(bound);
            }
        }
    }
    dropped.sort_unstable();
    facts.retain(|fact| dropped.binary_search(fact).is_err());
    facts
}

/// A linear inequality apart from what it says of the state: products of names, and the bound.
struct Bound {
    fact: Term,
    names: Vec<Product>,
    bound: i64,
}

impl Bound {
    fn new(terms: &Terms, fact: Term) -> Option<(Vec<Product>, Self)> {
        let Node::AtMost { products, bound } = terms.node(fact) else { return None };
        let is_name = |product: &Product| matches!(terms.node(product.0), Node::Name { .. });
        let (names, slots) = products.iter().partition(is_name);
        Some((slots, Self { fact, names, bound: *bound }))
    }

    /// Whether this inequality implies another about the same slots, whatever the names stand for.
    // SOUND: with this sum at most `bound`, the other sum is at most `bound` plus the greatest value that the
    // difference of their names can have; names lie between the bounds of their class under every renaming.
    fn implies(&self, terms: &Terms, other: &Self) -> bool {
        let mut difference: Vec<Product> = Vec::new();
        let (mut mine, mut theirs) = (self.names.iter().peekable(), other.names.iter().peekable());
        loop {
            match (mine.peek().copied(), theirs.peek().copied()) {
                (Some(&(one, factor)), Some(&(two, other))) if one == two => {
                    difference.push((one, other - factor));
                    mine.next();
                    theirs.next();
                }
                (Some(&(one, factor)), two) if two.is_none_or(|&(two, _)| one < two) => {
                    difference.push((one, -factor));
                    mine.next();
                }
                (_, Some(&product)) => {
                    difference.push(product);
                    theirs.next();
                }
                (None, None) => break,
                (Some(_), None) => unreachable!("taken above"),
            }
        }
        let (_, greatest) = terms.bounds(&difference);
        i128::from(self.bound) + greatest <= i128::from(other.bound)
    }
}
