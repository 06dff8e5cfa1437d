//! Two proofs of one claim: `infer` goes by the types of values, `analysis` by which points each part of the model treats
//! alike. They share nothing but the proofs about loops and positions, so where they disagree one of them is wrong.

use burnside_analysis::{Identities, Invariance};
use burnside_diag::Span;
use burnside_ir::{Model, Part, TypeId};

use crate::infer::{self, Class};

/// Larger classes take the analysis by points too long to be compared for its own sake.
const MOST_MEMBERS: u32 = 64;

/// What each proof says of a class by itself, loops whose rounds depend on their order aside. These may differ: one looks
/// at the flow of values between types, the other at points, and where a class is broken neither has to say all of it. What
/// must not differ is [`Class::is_disputed`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Opinion {
    /// The name of the class.
    pub name: String,
    /// Whether its members are used as identities only.
    pub by_types: bool,
    /// Whether every rule and property treats its points alike.
    pub by_points: bool,
}

/// Both opinions of every class that is not large.
pub fn opinions(model: &Model) -> Vec<Opinion> {
    let mut classes = infer::classes(model);
    classes.retain(|class| class.size <= MOST_MEMBERS);
    let split = split(model, &classes);
    let opinion = |(at, class): (usize, &Class)| Opinion {
        name: class.name(model),
        by_types: class.breaks.is_empty(),
        by_points: split.iter().all(|(it, _)| *it != at),
    };
    classes.iter().enumerate().map(opinion).collect()
}

/// Rules and properties that do not treat all points of a class alike: the number of the class, and where they are.
pub(crate) fn split(model: &Model, classes: &[Class]) -> Vec<(usize, Span)> {
    let types: Vec<Vec<TypeId>> = classes.iter().map(|class| class.types.clone()).collect();
    let identities = Identities::new(model, &types);
    let mut invariance = Invariance::new(model, &identities);
    let rules = model.rules.iter().map(|rule| (Part::rule(rule), rule.span));
    let parts = rules.chain(model.properties.iter().map(|property| (Part::property(property), property.span)));
    let mut found = Vec::new();
    for (part, span) in parts {
        let partition = invariance.whole(&part);
        for (class, points) in identities.classes().iter().enumerate() {
            let first = partition.cell_of(points.first);
            if (points.first..points.first + points.size).any(|point| partition.cell_of(point) != first) {
                found.push((class, span));
            }
        }
    }
    found
}
