//! The symmetry of a model: what was found, what is proved, what broke the rest.

use burnside_ir::{Model, Type, TypeId};

use crate::infer::{self, Class};
use crate::order;

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

/// What is known about the symmetry of a model.
#[derive(Debug, Clone, Default)]
pub struct Symmetry {
    /// Proved.
    pub classes: Vec<SymmetricClass>,
    /// Looked at and not proved, with what stands in the way.
    pub broken: Vec<Class>,
}

impl Symmetry {
    /// Finds and proves the symmetry of a verified model.
    pub fn find(model: &Model) -> Self {
        let mut classes = infer::classes(model);
        for ordered in order::orders(model).ordered {
            let domain = ordered.domain.map(|ty| members(model, ty));
            let concerns = |class: &Class| match &domain {
                Some(members) => class.types.iter().any(|ty| members.contains(ty)),
                None => true,
            };
            for class in classes.iter_mut().filter(|class| concerns(class)) {
                class.breaks.push(ordered.found.clone());
            }
        }
        let (proved, broken): (Vec<Class>, Vec<Class>) = classes.into_iter().partition(|class| class.breaks.is_empty());
        let classes = proved.into_iter().map(|class| SymmetricClass {
            name: class.name(model),
            size: class.size,
            types: class.types,
        });
        Self { classes: classes.collect(), broken }
    }

    /// The types whose quantifiers must be evaluated for every value (see `infer`): those of symmetric classes and the
    /// unions that contain one.
    pub fn strict_types(&self, model: &Model) -> Vec<TypeId> {
        let is_symmetric = |ty: &TypeId| self.classes.iter().any(|class| class.types.contains(ty));
        let types = model.types.iter().map(|(ty, _)| ty);
        types.filter(|&ty| members(model, ty).iter().any(is_symmetric)).collect()
    }

    /// The order of the group, as a decimal number.
    pub fn group_order(&self) -> String {
        let factors = self.classes.iter().flat_map(|class| 2..=class.size);
        factors.fold(vec![1], times).iter().rev().map(|digit| char::from(b'0' + digit)).collect()
    }
}

/// The type itself, or the members of a union.
pub(crate) fn members(model: &Model, ty: TypeId) -> Vec<TypeId> {
    match model.types.get(ty) {
        Type::Union { members } => members.clone(),
        _ => vec![ty],
    }
}

/// Multiplies a number given by its decimal digits, the least significant first.
fn times(digits: Vec<u8>, factor: u32) -> Vec<u8> {
    let mut product = Vec::with_capacity(digits.len() + 2);
    let mut carry = 0;
    for digit in digits {
        carry += u32::from(digit) * factor;
        product.push((carry % 10) as u8);
        carry /= 10;
    }
    while carry > 0 {
        product.push((carry % 10) as u8);
        carry /= 10;
    }
    product
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn group_orders_are_exact() {
        let class = |size| SymmetricClass { name: String::new(), types: Vec::new(), size };
        let symmetry = Symmetry { classes: vec![class(25), class(3)], broken: Vec::new() };
        assert_eq!(symmetry.group_order(), "93067260259985915904000000");
        assert_eq!(Symmetry::default().group_order(), "1");
    }
}
