//! Everything in a model that permutations must commute with, and which permutations do.
//!
//! Where exchanges of two points are not automorphisms, others may be: rotations of a ring, permutations of clients
//! together with their servers, automorphisms of a graph that is written down in constants. All of them are permutations
//! that commute with every table of every rule and property, and that is all there is to it.
//!
// SOUND: `scan` derives, for any one permutation of points that keeps classes, that a rule or property commutes with it
// if every constraint found does; nothing in that argument needs the permutation to be an exchange. The permutations
// that commute with all constraints form a group. Start states are not looked at, they need not be symmetric.

use burnside_diag::Span;
use burnside_group::{Group, Permutation};
use burnside_ir::{FunctionId, Model, PropertyId, RuleId, TypeId};

use super::Invariance;
use super::automorphisms::Search;
use super::identities::Identities;
use super::relation::Relation;
use super::scan::{Constraint, ConstraintKind};

/// With more places in question, nobody is blamed.
const MOST_CULPRITS: usize = 200;

/// What permutations of the points of some classes must commute with, in the rules and properties of a model.
#[derive(Debug, Clone)]
pub struct Tables<'m> {
    identities: &'m Identities,
    /// Different ones only.
    relations: Vec<Relation>,
    rules: Vec<Part>,
    properties: Vec<Part>,
    /// By function: what the bodies of functions need that rules or properties call.
    functions: Vec<Option<Vec<Needed>>>,
    /// By class: whether its points may not move for a reason other than those of rules and properties.
    is_fixed: Vec<bool>,
}

/// A rule or property.
#[derive(Debug, Clone)]
struct Part {
    needed: Vec<Needed>,
    /// All functions it calls, directly or not.
    functions: Vec<FunctionId>,
}

/// Something a rule or property needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Needed {
    what: What,
    span: Span,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum What {
    /// That permutations commute with this relation.
    Relation(usize),
    /// That no point of this class moves.
    Fixed(usize),
}

impl<'m> Tables<'m> {
    /// The tables of a verified model. `ordered` are the types over which some loop may depend on the order of rounds.
    pub fn new(model: &'m Model, identities: &'m Identities, ordered: &[TypeId]) -> Self {
        let mut invariance = Invariance::new(model, identities);
        let is_fixed = identities.classes().iter().map(|class| class.types.iter().any(|ty| ordered.contains(ty)));
        let is_fixed = is_fixed.collect();
        let functions = vec![None; model.functions.len()];
        let (relations, rules, properties) = (Vec::new(), Vec::new(), Vec::new());
        let mut tables = Self { identities, relations, rules, properties, functions, is_fixed };
        for rule in &model.rules {
            let part = tables.part(&mut invariance, &burnside_ir::Part::rule(rule));
            tables.rules.push(part);
        }
        for property in &model.properties {
            let part = tables.part(&mut invariance, &burnside_ir::Part::property(property));
            tables.properties.push(part);
        }
        tables
    }

    fn part(&mut self, invariance: &mut Invariance<'m>, source: &burnside_ir::Part<'m>) -> Part {
        let (found, called) = invariance.scanned(source, &[]).into_parts();
        let needed = self.note(found);
        let functions = invariance.context.reached(&called);
        for function in &functions {
            if self.functions[function.index()].is_none() {
                let needed = self.note(invariance.context.body(*function).0.clone());
                self.functions[function.index()] = Some(needed);
            }
        }
        Part { needed, functions }
    }

    fn note(&mut self, constraints: Vec<Constraint>) -> Vec<Needed> {
        let needed = constraints.into_iter().map(|Constraint { kind, span }| {
            let what = match kind {
                ConstraintKind::Fixes(class) => What::Fixed(class),
                ConstraintKind::Commutes(relation) => {
                    let known = self.relations.iter().position(|known| known.says_the_same(&relation));
                    What::Relation(known.unwrap_or_else(|| {
                        self.relations.push(relation);
                        self.relations.len() - 1
                    }))
                }
            };
            Needed { what, span }
        });
        let mut needed: Vec<Needed> = needed.collect();
        needed.sort_by_key(|it| it.span);
        needed.dedup();
        needed
    }

    /// Whether a rule contains anything that some permutations do not commute with.
    pub fn rule_needs_some(&self, rule: RuleId) -> bool {
        self.needs_some(&self.rules[rule.index()])
    }

    /// Whether a property contains anything that some permutations do not commute with.
    pub fn property_needs_some(&self, property: PropertyId) -> bool {
        self.needs_some(&self.properties[property.index()])
    }

    fn needs_some(&self, part: &Part) -> bool {
        let in_functions = part.functions.iter().filter_map(|function| self.functions[function.index()].as_ref());
        !part.needed.is_empty() || in_functions.flatten().next().is_some()
    }

    /// What any rule or property needs.
    fn all_needed(&self) -> impl Iterator<Item = &Needed> {
        let parts = self.rules.iter().chain(&self.properties).flat_map(|part| &part.needed);
        parts.chain(self.functions.iter().flatten().flatten())
    }

    /// Permutations of the points that commute with everything. They generate the group of all such permutations, or, if
    /// the search for more takes too long, a part of it.
    pub fn automorphisms(&self) -> Vec<Permutation> {
        self.automorphisms_but_for(None)
    }

    /// The places in the text that keep permutations from being automorphisms: without any one of them, there would be
    /// more. Each with the permutations there would be.
    pub fn culprits(&self) -> Vec<(Span, Vec<Permutation>)> {
        let mut spans: Vec<Span> = self.all_needed().map(|needed| needed.span).collect();
        spans.sort_unstable();
        spans.dedup();
        if spans.len() > MOST_CULPRITS {
            return Vec::new();
        }
        let present = Group::new(self.identities.n_points(), self.automorphisms());
        let without = spans.into_iter().map(|span| (span, self.automorphisms_but_for(Some(span))));
        without.filter(|(_, more)| more.iter().any(|permutation| !present.contains(permutation))).collect()
    }

    fn automorphisms_but_for(&self, span: Option<Span>) -> Vec<Permutation> {
        let mut is_used = vec![false; self.relations.len()];
        let mut is_fixed = self.is_fixed.clone();
        for needed in self.all_needed().filter(|it| Some(it.span) != span) {
            match needed.what {
                What::Relation(relation) => is_used[relation] = true,
                What::Fixed(class) => is_fixed[class] = true,
            }
        }
        let relations = self.relations.iter().zip(is_used).filter(|(_, is_used)| *is_used).map(|(it, _)| it).collect();
        Search::new(self.identities, relations, &is_fixed).generators()
    }
}
