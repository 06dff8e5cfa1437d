//! The symmetry of a model: what was found, what is proved, what broke the rest.

use std::collections::BTreeSet;
use std::ops::Deref;

use burnside_group::Natural;
use burnside_ir::{Model, Type, TypeId};

use crate::infer::{self, Break, Class};
use crate::joint::{Candidates, Culprit, Joint};
use crate::opinions;
use crate::order::{self, Ordered};

/// Values that no rule goes through and no array is indexed by count as identities only if there are few of them.
const MOST_UNUSED: u32 = 64;

/// A class all of whose permutations are automorphisms of the model and its properties.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SymmetricClass {
    /// Its name for people.
    pub name: String,
    /// The types whose values are its members.
    pub types: Vec<TypeId>,
    /// Number of members.
    pub size: u32,
}

impl SymmetricClass {
    /// A type of the class that has a name, if one has.
    pub fn named_type(&self, model: &Model) -> TypeId {
        let named = self.types.iter().find(|&&ty| model.types.def(ty).name.is_some());
        *named.unwrap_or(&self.types[0])
    }
}

/// Permutations of identities: all those of some classes, and those of joint groups. Whether they are automorphisms of
/// anything is for others to say; [`Symmetry`] has those that are proved to be.
#[derive(Debug, Clone, Default)]
pub struct Permutations {
    /// Classes all of whose permutations are meant.
    pub classes: Vec<SymmetricClass>,
    /// Groups that move some classes together. No class is in two of them.
    pub joints: Vec<Joint>,
}

/// What is known about the symmetry of a model.
///
/// What it [derefs](Deref) to is proved: only [`find`](Self::find) and what leaves out part of its result make one.
#[derive(Debug, Clone)]
pub struct Symmetry {
    proved: Permutations,
    /// Looked at and not proved symmetric, with what stands in the way. Some of their permutations may be in joints.
    pub broken: Vec<Class>,
}

impl Deref for Symmetry {
    type Target = Permutations;

    fn deref(&self) -> &Permutations {
        &self.proved
    }
}

impl Symmetry {
    /// Finds and proves the symmetry of a verified model.
    pub fn find(model: &Model) -> Self {
        let ordered = order::orders(model).ordered;
        let symmetry = Self::with_classes(model, &ordered);
        let joints = Candidates::new(model, &symmetry.broken, &ordered).joints();
        Self { proved: Permutations { joints, ..symmetry.proved }, ..symmetry }
    }

    /// The same with nothing but symmetric classes, in less time.
    pub fn find_classes(model: &Model) -> Self {
        Self::with_classes(model, &order::orders(model).ordered)
    }

    fn with_classes(model: &Model, ordered: &[Ordered]) -> Self {
        let mut classes = infer::classes(model);
        for ordered in ordered {
            let domain = ordered.domain.map(|ty| members(model, ty));
            let concerns = |class: &Class| match &domain {
                Some(members) => class.types.iter().any(|ty| members.contains(ty)),
                None => true,
            };
            for class in classes.iter_mut().filter(|class| concerns(class)) {
                class.breaks.push(ordered.found.clone());
            }
        }
        let (mut proved, mut broken): (Vec<Class>, Vec<Class>) =
            classes.into_iter().partition(|class| class.breaks.is_empty());
        proved.retain(|class| class.is_used || class.size <= MOST_UNUSED);
        broken.extend(disputed(model, &mut proved));
        let classes = proved.into_iter().map(|class| SymmetricClass {
            name: class.name(model),
            size: class.size,
            types: class.types,
        });
        Self { proved: Permutations { classes: classes.collect(), joints: Vec::new() }, broken }
    }

    /// The places in the text that keep more permutations of the classes that are not symmetric from being
    /// automorphisms. Takes longer than to find those that are.
    pub fn culprits(&self, model: &Model) -> Vec<Culprit> {
        Candidates::new(model, &self.broken, &order::orders(model).ordered).culprits()
    }

    /// The same with nothing but symmetric classes.
    #[must_use]
    pub fn without_joints(&self) -> Self {
        // SOUND: part of a group of automorphisms is one; so is the other part below.
        let Self { proved: Permutations { classes, .. }, broken } = self.clone();
        Self { proved: Permutations { classes, joints: Vec::new() }, broken }
    }

    /// The same with nothing but what is no symmetric class.
    #[must_use]
    pub fn only_joints(&self) -> Self {
        let Self { proved: Permutations { joints, .. }, broken } = self.clone();
        Self { proved: Permutations { classes: Vec::new(), joints }, broken }
    }
}

impl Permutations {
    /// All permutations of some classes.
    pub fn of_classes(classes: Vec<SymmetricClass>) -> Self {
        Self { classes, joints: Vec::new() }
    }

    /// Whether there is nothing but the identity.
    pub fn is_trivial(&self) -> bool {
        self.classes.is_empty() && self.joints.is_empty()
    }

    /// The classes that move: those all of whose permutations are meant first.
    pub fn moving_classes(&self) -> impl Iterator<Item = &SymmetricClass> {
        self.classes.iter().chain(self.joints.iter().flat_map(|joint| &joint.classes))
    }

    /// The types whose quantifiers must be evaluated for every value (see `infer`): those of classes that move and
    /// the unions that contain one.
    pub fn strict_types(&self, model: &Model) -> Vec<TypeId> {
        let moves = |ty: &TypeId| self.moving_classes().any(|class| class.types.contains(ty));
        let types = model.types.iter().map(|(ty, _)| ty);
        types.filter(|&ty| members(model, ty).iter().any(moves)).collect()
    }

    /// The order of the group, as a decimal number.
    pub fn group_order(&self) -> String {
        let symmetric = self.classes.iter().map(|class| Natural::factorial(class.size as usize));
        let joints = self.joints.iter().map(|joint| joint.order().clone());
        symmetric.chain(joints).fold(Natural::one(), |product, order| &product * &order).to_string()
    }
}

/// Takes out the classes that the analysis of rules by partitions does not find symmetric. It shares nothing with
/// `infer` but the proofs about loops and positions, so where the two disagree one of them is wrong.
fn disputed(model: &Model, proved: &mut Vec<Class>) -> Vec<Class> {
    if proved.is_empty() {
        return Vec::new();
    }
    for (class, span) in opinions::split(model, proved) {
        let reason = "tells its members apart, as one of two proofs sees it".to_owned();
        proved[class].breaks.push(Break { span, reason });
        proved[class].is_disputed = true;
    }
    let (agreed, disputed) = std::mem::take(proved).into_iter().partition(|class| class.breaks.is_empty());
    *proved = agreed;
    disputed
}

/// The type itself, or the members of a union.
pub(crate) fn members(model: &Model, ty: TypeId) -> Vec<TypeId> {
    match model.types.get(ty) {
        Type::Union { members } => members.clone(),
        _ => vec![ty],
    }
}

/// The types by which arrays of the state are indexed, members of unions among them.
pub fn index_types(model: &Model) -> BTreeSet<TypeId> {
    let mut found = BTreeSet::new();
    let mut pending: Vec<TypeId> = model.globals.iter().map(|global| global.ty).collect();
    while let Some(ty) = pending.pop() {
        if let &Type::Array { index, .. } = model.types.get(ty) {
            found.insert(index);
            found.extend(members(model, index));
        }
        pending.extend(model.types.get(ty).contents());
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn group_orders_are_exact() {
        let class = |size| SymmetricClass { name: String::new(), types: Vec::new(), size };
        let symmetry = Permutations::of_classes(vec![class(25), class(3)]);
        assert_eq!(symmetry.group_order(), "93067260259985915904000000");
        assert_eq!(Permutations::default().group_order(), "1");
    }
}
