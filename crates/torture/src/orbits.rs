//! Whether the reachable states are what a claim of symmetry says: closed under every exchange of two members of a class,
//! with as many steps from each image as from the state itself.
//!
//! Nothing of `burnside_symmetry` but the claim is used: how an exchange acts on a state is written down by its definition.

use std::collections::HashSet;

use burnside_ir::{Layout, Model, Type, TypeId, UNDEFINED};
use burnside_symmetry::{SymmetricClass, Symmetry};

use crate::oracle::{self, Exploration, Subject};

/// The orbits of the reachable states under the proved classes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Orbits {
    pub(crate) states: u64,
    pub(crate) rules: u64,
}

/// Counts the orbits, or says how the claim is wrong; nothing if there are too many states or something faults.
///
/// Start states need not be symmetric for a reduction to be sound, so that what is looked at are the states that can be
/// reached from their images.
pub(crate) fn count(
    subject: &Subject<'_>,
    symmetry: &Symmetry,
    explored: &Exploration,
) -> Result<Option<Orbits>, String> {
    let classes = symmetry.classes.iter();
    let exchanges: Vec<Exchange<'_>> = classes
        .flat_map(|class| (1..i64::from(class.size)).map(move |first| (class, [first - 1, first])))
        .map(|(class, members)| Exchange { model: subject.model, layout: subject.layout, class, members })
        .collect();
    let starts: Vec<Vec<i64>> = explored.starts().map(<[i64]>::to_vec).collect();
    let images = close(&exchanges, starts.clone());
    let larger;
    let explored = if images.len() == starts.len() {
        explored
    } else {
        larger = oracle::explore(subject, &images);
        &larger
    };
    if explored.cut || explored.faulted { Ok(None) } else { count_closed(&exchanges, explored).map(Some) }
}

/// All images of some states.
fn close(exchanges: &[Exchange<'_>], mut states: Vec<Vec<i64>>) -> Vec<Vec<i64>> {
    let mut known: HashSet<Vec<i64>> = states.iter().cloned().collect();
    let mut at = 0;
    while at < states.len() {
        for exchange in exchanges {
            let image = exchange.state(&states[at]);
            if known.insert(image.clone()) {
                states.push(image);
            }
        }
        at += 1;
    }
    states
}

fn count_closed(exchanges: &[Exchange<'_>], explored: &Exploration) -> Result<Orbits, String> {
    let n_states = explored.states.len();
    let mut leader: Vec<usize> = (0..n_states).collect();
    for exchange in exchanges {
        let class = &exchange.class.name;
        for at in 0..n_states {
            let Some(&other) = explored.index.get(&exchange.state(&explored.states[at].values)) else {
                return Err(format!("an image under `{class}` of a reachable state is not reachable"));
            };
            if explored.states[at].fired != explored.states[other].fired {
                return Err(format!("an image under `{class}` has another number of steps"));
            }
            let (one, two) = (find(&mut leader, at), find(&mut leader, other));
            leader[one.max(two)] = one.min(two);
        }
    }
    let mut orbits = Orbits { states: 0, rules: 0 };
    for at in (0..n_states).filter(|&at| leader[at] == at) {
        orbits.states += 1;
        orbits.rules += explored.states[at].fired;
    }
    Ok(orbits)
}

fn find(leader: &mut [usize], mut at: usize) -> usize {
    while leader[at] != at {
        leader[at] = leader[leader[at]];
        at = leader[at];
    }
    at
}

/// The exchange of two members of a class, counted from its first.
struct Exchange<'m> {
    model: &'m Model,
    layout: &'m Layout,
    class: &'m SymmetricClass,
    members: [i64; 2],
}

impl Exchange<'_> {
    fn state(&self, values: &[i64]) -> Vec<i64> {
        let mut image = Vec::with_capacity(values.len());
        for global in &self.model.globals {
            let n_slots = self.model.types.shape(global.ty).n_slots as usize;
            let part = &values[image.len()..image.len() + n_slots];
            image.extend(self.value(global.ty, part));
        }
        self.layout.normalise(&mut image);
        image
    }

    fn value(&self, ty: TypeId, slots: &[i64]) -> Vec<i64> {
        let types = &self.model.types;
        match types.get(ty) {
            &Type::Array { index, element } => {
                let stride = types.shape(element).n_slots as usize;
                let lo = types.shape(index).lo;
                let mut image = vec![UNDEFINED; slots.len()];
                for (at, part) in slots.chunks(stride).enumerate() {
                    let to = (self.scalar(index, lo + at as i64) - lo) as usize;
                    image[to * stride..(to + 1) * stride].copy_from_slice(&self.value(element, part));
                }
                image
            }
            Type::Record { fields } => {
                let mut image = Vec::new();
                for field in fields {
                    let n_slots = types.shape(field.ty).n_slots as usize;
                    image.extend(self.value(field.ty, &slots[image.len()..image.len() + n_slots]));
                }
                image
            }
            &Type::Multiset { element, .. } => {
                let stride = types.shape(element).n_slots as usize + 1;
                let parts = slots.chunks(stride);
                parts.flat_map(|part| std::iter::once(part[0]).chain(self.value(element, &part[1..]))).collect()
            }
            _ => vec![self.scalar(ty, slots[0])],
        }
    }

    fn scalar(&self, ty: TypeId, value: i64) -> i64 {
        let types = &self.model.types;
        if value == UNDEFINED {
            return UNDEFINED;
        }
        if let Type::Union { .. } = types.get(ty) {
            let (member, inner) = types.union_member(ty, value).expect("a value of the union");
            let offset = types.union_offset(ty, member).expect("a member of the union");
            return offset + self.scalar(member, inner);
        }
        if !self.class.types.contains(&ty) {
            return value;
        }
        let lo = types.shape(ty).lo;
        match value - lo {
            number if number == self.members[0] => lo + self.members[1],
            number if number == self.members[1] => lo + self.members[0],
            _ => value,
        }
    }
}
