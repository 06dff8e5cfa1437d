//! From facts about one instance to facts about an interval of them.
//!
// SOUND: a fact that is linear in the large parameters is true in a whole area if it is at the corner where its sum is
// greatest. `narrow` makes the area so small that all facts are true in it, in the state at hand; `project` puts facts
// about that corner in their place, which do not mention the parameters and imply the fact for all values in the area,
// in whatever state they hold. Facts that are not linear make the area one value wide, so that a constant is all there
// is to say about the parameter.

use burnside_ir::RuleId;

use crate::products::Product;
use crate::setup::Author;
use crate::term::{Node, Term, Terms};
use crate::trace::{Traced, Tracer};
use crate::wide::Area;

/// A sum over large parameters and other products that is at most a bound.
struct Linear {
    /// By large parameter.
    factors: Vec<i64>,
    rest: Vec<Product>,
    bound: i64,
}

impl Linear {
    /// The greatest value of the parameters' part but for one of them.
    fn worst(&self, area: &Area, except: Option<usize>) -> i128 {
        let parts = self.factors.iter().zip(area).enumerate().filter(|(at, _)| Some(*at) != except);
        parts.map(|(_, (&factor, &(lo, hi)))| i128::from(factor) * i128::from(if factor > 0 { hi } else { lo })).sum()
    }
}

impl Tracer<'_, '_> {
    /// Makes an area around a point small enough for all facts. Inequalities that the guard implies need no room.
    pub(crate) fn narrow(&mut self, facts: &[Term], point: &[i64], area: &mut Area) -> Traced<()> {
        let mut linears = Vec::new();
        for &fact in facts {
            let mentioned = mentioned(self.terms, fact);
            if mentioned.is_empty() {
                continue;
            }
            match self.linear_fact(fact, point.len()) {
                Some(linear) => linears.push(linear),
                None => {
                    mentioned.into_iter().for_each(|at| area[at as usize] = (point[at as usize], point[at as usize]))
                }
            }
        }
        for linear in linears {
            let mut rest = 0i128;
            for &(term, factor) in &linear.rest {
                rest += i128::from(self.value(term).map_err(|_| crate::trace::Stop::Lost)?) * i128::from(factor);
            }
            for at in 0..point.len() {
                let slack = i128::from(linear.bound) - rest - linear.worst(area, Some(at));
                let (factor, (lo, hi)) = (i128::from(linear.factors[at]), area[at]);
                // The values on the far side of the point that leave room for the others, if any do.
                let most = |limit: i128| limit.clamp(i128::from(lo), i128::from(hi)) as i64;
                match factor.signum() {
                    1 => area[at].1 = most(slack.div_euclid(factor)).max(point[at]),
                    -1 => area[at].0 = most(-slack.div_euclid(-factor)).min(point[at]),
                    _ => {}
                }
            }
        }
        Ok(())
    }

    /// Facts for a whole area in place of facts about a point in it, which must not leave the area.
    pub(crate) fn project(&mut self, facts: Vec<Term>, point: &[i64], area: &Area) -> Traced<Vec<Term>> {
        let mut projected = Vec::with_capacity(facts.len());
        for fact in facts {
            if mentioned(self.terms, fact).is_empty() {
                projected.push(fact);
                continue;
            }
            let fact = match self.linear_fact(fact, point.len()) {
                Some(linear) => {
                    let bound = i128::from(linear.bound) - linear.worst(area, None);
                    let bound = i64::try_from(bound).map_err(|_| crate::trace::Stop::Lost)?;
                    self.terms.make_at_most(linear.rest, bound)
                }
                None => self.fixed(fact, point)?,
            };
            if self.terms.as_const(fact) != Some(1) {
                projected.push(fact);
            }
        }
        Ok(projected)
    }

    /// A term with the large parameters replaced by values.
    pub(crate) fn fixed(&mut self, term: Term, point: &[i64]) -> Traced<Term> {
        let mut fixing = Tracer::new(self.setup, self.terms, self.state, Author::Rule(RuleId(0)));
        fixing.fixed = Some(point.to_vec());
        fixing.substitute(term, &self.setup.identity, &mut rustc_hash::FxHashMap::default())
    }

    /// A fact as an inequality that is linear in the large parameters and does not mention them otherwise.
    fn linear_fact(&mut self, fact: Term, n_params: usize) -> Option<Linear> {
        let (products, bound) = match self.terms.node(fact) {
            Node::AtMost { products, bound } => (products.to_vec(), *bound),
            // What differs is less or greater; which of the two it is here, it is to stay.
            Node::Not(inner) => {
                let Node::Equals { products, value } = self.terms.node(*inner) else { return None };
                let (products, value) = (products.to_vec(), *value);
                let mut total = 0i128;
                for &(term, factor) in &products {
                    total += i128::from(self.value(term).ok()?) * i128::from(factor);
                }
                if total < i128::from(value) {
                    (products, value.checked_sub(1)?)
                } else {
                    let negated = products.into_iter().map(|(term, factor)| (term, -factor)).collect();
                    (negated, value.checked_neg()?.checked_sub(1)?)
                }
            }
            _ => return None,
        };
        let mut linear = Linear { factors: vec![0; n_params], rest: Vec::new(), bound };
        for (term, factor) in products {
            match self.terms.node(term) {
                &Node::Parameter { at, .. } => linear.factors[at as usize] = factor,
                _ if mentioned(self.terms, term).is_empty() => linear.rest.push((term, factor)),
                _ => return None,
            }
        }
        Some(linear)
    }

    /// Drops inequalities that hold wherever the guard does.
    // SOUND: a guard that is a conjunction is true only where all its parts are. Where it is false, the instance leads
    // nowhere and nothing has to be shown of it. That it does not fault is a fact of its own, and stays.
    pub(crate) fn drop_implied(&self, guard: Term, facts: &mut Vec<Term>) {
        let mut parts = Vec::new();
        conjuncts(self.terms, guard, &mut parts);
        let bounds: Vec<(Vec<Product>, i64)> = parts
            .iter()
            .filter_map(|&part| match self.terms.node(part) {
                Node::AtMost { products, bound } => Some((products.to_vec(), *bound)),
                _ => None,
            })
            .collect();
        facts.retain(|fact| {
            let Node::AtMost { products, bound } = self.terms.node(*fact) else { return !parts.contains(fact) };
            if self.terms.known(*fact).may_fault {
                return true;
            }
            !bounds.iter().any(|(theirs, their_bound)| {
                let negated = theirs.iter().map(|&(term, factor)| (term, -factor));
                let difference: Vec<Product> = products.iter().chain(negated).collect();
                // Their sum is at most their bound, so this one is at most that and the greatest difference.
                self.terms.linear(&difference).is_some_and(|difference| {
                    let (_, greatest) = self.terms.bounds(&difference.products);
                    greatest + i128::from(difference.constant) + i128::from(*their_bound) <= i128::from(*bound)
                })
            })
        });
    }
}

fn conjuncts(terms: &Terms, term: Term, parts: &mut Vec<Term>) {
    match terms.node(term) {
        Node::All { parts: inner, .. } => inner.iter().for_each(|&part| conjuncts(terms, part, parts)),
        _ => parts.push(term),
    }
}

/// The large parameters that a term mentions.
fn mentioned(terms: &Terms, term: Term) -> Vec<u32> {
    let mut found = Vec::new();
    let mut pending = vec![term];
    while let Some(term) = pending.pop() {
        match terms.node(term) {
            Node::Parameter { at, .. } => found.push(*at),
            _ => terms.children(term, &mut |child| pending.push(child)),
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}
