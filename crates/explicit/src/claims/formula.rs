//! Formulas of the model as formulas about the graph.

use burnside_ir::{Applied, Claim, ClaimFormula, Model, Quantity};
use burnside_temporal::formula::{Binary, Formula, Unary};
use burnside_temporal::{Atom, Domain, PathFormula, Point, Quantifier, StateFormula};

use super::points::Points;

/// Quantifiers in front of what they were taken out of.
struct Prenex {
    prefix: Vec<(Quantity, u32)>,
    body: ClaimFormula,
}

/// A formula about paths as `forall …: A exists …: …`; nothing if its quantifiers cannot be brought to that form.
pub(crate) fn path_formula(
    claim: &Claim,
    points: &Points,
    number: &impl Fn(&Applied) -> u32,
) -> Option<(PathFormula, Vec<u32>)> {
    let Prenex { prefix, body } = prenex(&claim.formula)?;
    let n_outer = prefix.iter().take_while(|(quantity, _)| *quantity == Quantity::Forall).count();
    if prefix[n_outer..].iter().any(|(quantity, _)| *quantity == Quantity::Forall) {
        return None;
    }
    let order: Vec<u32> = prefix.iter().map(|(_, variable)| *variable).collect();
    let domain = |&variable: &u32| points.domain(claim.variables[variable as usize].ty);
    let atom = |applied: &Applied| {
        let place = |variable: &u32| order.iter().position(|own| own == variable).expect("the variable is bound");
        Atom { proposition: number(applied), arguments: applied.arguments.iter().map(place).collect() }
    };
    let formula = PathFormula {
        outer: order[..n_outer].iter().map(domain).collect(),
        inner: order[n_outer..].iter().map(domain).collect(),
        distinct: false,
        formula: map(&body, &atom),
    };
    Some((formula, order[..n_outer].to_vec()))
}

/// A formula about states.
pub(crate) fn state_formula(claim: &Claim, points: &Points, number: &impl Fn(&Applied) -> u32) -> StateFormula {
    let mut atom = |applied: &Applied| {
        let arguments = applied.arguments.iter().map(|&variable| variable as usize).collect();
        Ok::<_, ()>(Atom { proposition: number(applied), arguments })
    };
    let mut quantifier = |&variable: &u32| {
        let domain = points.domain(claim.variables[variable as usize].ty);
        Ok(Quantifier { variable: variable as usize, domain })
    };
    claim.formula.try_map(&mut atom, &mut quantifier).expect("nothing here can fail")
}

/// A formula with a part for each value in place of every quantifier, and for each variable made up for that the one
/// point it stands for. Only where no renaming moves points.
pub(crate) struct WrittenOut<'a> {
    pub(crate) model: &'a Model,
    pub(crate) claim: &'a Claim,
    pub(crate) points: &'a Points,
    /// The points named, each a variable with one value.
    pub(crate) named: Vec<Point>,
}

impl WrittenOut<'_> {
    pub(crate) fn formula(&mut self, number: &impl Fn(&Applied) -> u32) -> Formula<Atom, Quantifier> {
        let formula = self.claim.formula.clone();
        self.part(&formula, number, &mut Vec::new())
    }

    /// The domains of the variables.
    pub(crate) fn domains(&self) -> Vec<Domain> {
        self.named.iter().map(|&point| vec![point]).collect()
    }

    fn part(
        &mut self,
        formula: &ClaimFormula,
        number: &impl Fn(&Applied) -> u32,
        bound: &mut Vec<(u32, i64)>,
    ) -> Formula<Atom, Quantifier> {
        match formula {
            Formula::Constant(value) => Formula::Constant(*value),
            Formula::Proposition(applied) => {
                let arguments = applied.arguments.iter().map(|variable| {
                    let (_, value) =
                        bound.iter().rev().find(|(own, _)| own == variable).expect("the variable is bound");
                    self.name(*variable, *value)
                });
                Formula::Proposition(Atom { proposition: number(applied), arguments: arguments.collect() })
            }
            Formula::Unary(op, f) => Formula::unary(*op, self.part(f, number, bound)),
            Formula::Binary(op, f, g) => {
                let f = self.part(f, number, bound);
                Formula::binary(*op, f, self.part(g, number, bound))
            }
            Formula::Quantified(quantity, variable, f) => {
                let shape = self.model.types.shape(self.claim.variables[*variable as usize].ty);
                let parts: Vec<_> = (shape.lo..=shape.hi)
                    .map(|value| {
                        bound.push((*variable, value));
                        let part = self.part(f, number, bound);
                        bound.pop();
                        part
                    })
                    .collect();
                let op = if *quantity == Quantity::Forall { Binary::And } else { Binary::Or };
                let all = parts.into_iter().reduce(|all, part| Formula::binary(op, all, part));
                all.unwrap_or(Formula::Constant(*quantity == Quantity::Forall))
            }
        }
    }

    /// The variable that has this value and no other.
    fn name(&mut self, variable: u32, value: i64) -> usize {
        let point = self.points.point(self.claim.variables[variable as usize].ty, value);
        let known = self.named.iter().position(|&own| own == point);
        known.unwrap_or_else(|| {
            self.named.push(point);
            self.named.len() - 1
        })
    }
}

/// Brings quantifiers to the front, those for all values before others wherever the order is free.
///
/// SOUND: each rule below is an equivalence about one path, for variables with at least one value that occur nowhere else.
/// `forall` commutes with what is a conjunction over positions (always, the left side of until), `exists` with what is a
/// disjunction over them (eventually, the right side of until), both with `nexttime` and with logical operators. For
/// `(forall x f) until g`: the first position where `g` holds does for every `x`.
fn prenex(formula: &ClaimFormula) -> Option<Prenex> {
    let only = |prenex: Prenex, allowed: Option<Quantity>| {
        let fits = prenex.prefix.iter().all(|(quantity, _)| Some(*quantity) == allowed || allowed.is_none());
        fits.then_some(prenex)
    };
    let both = |op: Binary, f: Prenex, g: Prenex| Prenex {
        prefix: interleaved(f.prefix, g.prefix),
        body: Formula::binary(op, f.body, g.body),
    };
    Some(match formula {
        Formula::Constant(_) | Formula::Proposition(_) => Prenex { prefix: Vec::new(), body: formula.clone() },
        Formula::Quantified(quantity, variable, f) => {
            let Prenex { mut prefix, body } = prenex(f)?;
            prefix.insert(0, (*quantity, *variable));
            Prenex { prefix, body }
        }
        Formula::Unary(op, f) => {
            let inner = prenex(f)?;
            let inner = match op {
                Unary::Not => Prenex { prefix: dual(inner.prefix), body: inner.body },
                Unary::Next => inner,
                Unary::Always => only(inner, Some(Quantity::Forall))?,
                Unary::Eventually => only(inner, Some(Quantity::Exists))?,
                Unary::AllPaths | Unary::SomePath => return None,
            };
            Prenex { prefix: inner.prefix, body: Formula::unary(*op, inner.body) }
        }
        Formula::Binary(op, f, g) => {
            let (f, g) = (prenex(f)?, prenex(g)?);
            match op {
                Binary::And | Binary::Or => both(*op, f, g),
                Binary::Implies => both(*op, Prenex { prefix: dual(f.prefix), body: f.body }, g),
                Binary::Iff if f.prefix.is_empty() && g.prefix.is_empty() => both(*op, f, g),
                Binary::Iff => return None,
                Binary::Until | Binary::WeakUntil => {
                    both(*op, only(f, Some(Quantity::Forall))?, only(g, Some(Quantity::Exists))?)
                }
                Binary::Release => both(*op, only(f, Some(Quantity::Exists))?, only(g, Some(Quantity::Forall))?),
            }
        }
    })
}

fn dual(prefix: Vec<(Quantity, u32)>) -> Vec<(Quantity, u32)> {
    let other = |quantity| match quantity {
        Quantity::Forall => Quantity::Exists,
        Quantity::Exists => Quantity::Forall,
    };
    prefix.into_iter().map(|(quantity, variable)| (other(quantity), variable)).collect()
}

/// Two prefixes that have nothing to do with each other as one with few changes between quantifiers.
fn interleaved(left: Vec<(Quantity, u32)>, right: Vec<(Quantity, u32)>) -> Vec<(Quantity, u32)> {
    let mut sides = [left.into_iter().peekable(), right.into_iter().peekable()];
    let mut prefix = Vec::new();
    while sides.iter_mut().any(|side| side.peek().is_some()) {
        for wanted in [Quantity::Forall, Quantity::Exists] {
            for side in &mut sides {
                while let Some(next) = side.next_if(|(quantity, _)| *quantity == wanted) {
                    prefix.push(next);
                }
            }
        }
    }
    prefix
}

fn map(formula: &ClaimFormula, atom: &impl Fn(&Applied) -> Atom) -> Formula<Atom, ()> {
    let mut proposition = |applied: &Applied| Ok::<_, ()>(atom(applied));
    formula.try_map(&mut proposition, &mut |_| Ok(())).expect("nothing here can fail")
}
