//! How a permutation of the members of sorts acts on states, by the definition: positions indexed by a member move,
//! members stored as values are renamed, multisets are put in order again.

use burnside_ir::{Layout, Model, Type, TypeId, UNDEFINED};

/// For each sort, where each of its members goes.
pub type Permutation = Vec<Vec<i64>>;

/// Every exchange of two members of one sort; these generate all permutations.
pub fn transpositions(model: &Model) -> Vec<Permutation> {
    let identity: Permutation = model.types.sorts().map(|(_, sort)| (0..i64::from(sort.size)).collect()).collect();
    let mut all = Vec::new();
    for (sort, members) in identity.iter().enumerate() {
        for first in 0..members.len() {
            for second in 0..first {
                let mut permutation = identity.clone();
                permutation[sort].swap(first, second);
                all.push(permutation);
            }
        }
    }
    all
}

/// The image of a state.
pub fn permute(model: &Model, layout: &Layout, permutation: &Permutation, state: &[i64]) -> Vec<i64> {
    let mut image = Vec::with_capacity(state.len());
    let mut rest = state;
    for global in &model.globals {
        let (slots, others) = rest.split_at(model.types.shape(global.ty).n_slots as usize);
        image.extend(permute_value(model, permutation, global.ty, slots));
        rest = others;
    }
    layout.normalise(&mut image);
    image
}

fn permute_value(model: &Model, permutation: &Permutation, ty: TypeId, slots: &[i64]) -> Vec<i64> {
    let types = &model.types;
    match types.get(ty) {
        &Type::Array { index, element } => {
            let stride = types.shape(element).n_slots as usize;
            let lo = types.shape(index).lo;
            let mut image = vec![UNDEFINED; slots.len()];
            for (at, part) in slots.chunks(stride).enumerate() {
                let to = (permute_scalar(model, permutation, index, lo + at as i64) - lo) as usize;
                image[to * stride..(to + 1) * stride].copy_from_slice(&permute_value(
                    model,
                    permutation,
                    element,
                    part,
                ));
            }
            image
        }
        Type::Record { fields } => {
            let mut image = Vec::new();
            for field in fields {
                let n_slots = types.shape(field.ty).n_slots as usize;
                image.extend(permute_value(model, permutation, field.ty, &slots[image.len()..image.len() + n_slots]));
            }
            image
        }
        &Type::Multiset { element, .. } => {
            let stride = types.shape(element).n_slots as usize + 1;
            let image = slots.chunks(stride).flat_map(|part| {
                std::iter::once(part[0]).chain(permute_value(model, permutation, element, &part[1..]))
            });
            image.collect()
        }
        _ => vec![permute_scalar(model, permutation, ty, slots[0])],
    }
}

fn permute_scalar(model: &Model, permutation: &Permutation, ty: TypeId, value: i64) -> i64 {
    match model.types.get(ty) {
        _ if value == UNDEFINED => UNDEFINED,
        Type::Id(sort) => permutation[sort.index()][value as usize],
        Type::Union { .. } => {
            let (member, inner) = model.types.union_member(ty, value).expect("a value of the union");
            let offset = model.types.union_offset(ty, member).expect("a member of the union");
            offset + permute_scalar(model, permutation, member, inner)
        }
        _ => value,
    }
}
