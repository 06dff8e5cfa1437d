//! How permutations of points act on unpacked states: positions move, values are renamed, multisets are put in order.

use burnside_ir::{Layout, Model, Type, TypeId, UNDEFINED};

use crate::Class;

/// What a permutation does to each slot.
pub(crate) struct Action<'m> {
    layout: &'m Layout,
    pub(crate) slots: Vec<SlotAction>,
    /// By type: the point of each value, if values of the type are identities or some are.
    points: Vec<Option<Vec<Option<u32>>>>,
}

/// One slot of a state.
#[derive(Debug, Clone)]
pub(crate) struct SlotAction {
    /// The points that the indices of the arrays around it name, and how far apart their elements lie. Arrays inside
    /// multiset elements come after those around the multiset.
    pub(crate) indices: Vec<(u32, u32)>,
    /// The slot that has the first point of each class in place of these.
    pub(crate) base: u32,
    pub(crate) ty: TypeId,
    lo: i64,
}

impl<'m> Action<'m> {
    pub(crate) fn new(model: &Model, layout: &'m Layout, classes: &[Class]) -> Self {
        let mut points: Vec<Option<Vec<Option<u32>>>> = vec![None; model.types.iter().len()];
        let mut first = 0;
        for class in classes {
            for ty in &class.types {
                points[ty.index()] = Some((first..first + class.size).map(Some).collect());
            }
            first += class.size;
        }
        for (ty, def) in model.types.iter() {
            if let Type::Union { members } = &def.ty
                && members.iter().any(|member| points[member.index()].is_some())
            {
                let of_member = |member: &TypeId| match &points[member.index()] {
                    Some(points) => points.clone(),
                    None => vec![None; model.types.shape(*member).cardinality() as usize],
                };
                points[ty.index()] = Some(members.iter().flat_map(of_member).collect());
            }
        }
        let mut action = Self { layout, slots: Vec::with_capacity(layout.slots().len()), points };
        for global in &model.globals {
            action.place(model, global.ty, &mut Vec::new(), 0);
        }
        action
    }

    /// Appends the slots of a value of type `ty` that lies at `indices`; `offset` is the sum of their distances from the
    /// first points.
    fn place(&mut self, model: &Model, ty: TypeId, indices: &mut Vec<(u32, u32)>, offset: u32) {
        match model.types.get(ty) {
            Type::Bool | Type::Int | Type::Range { .. } | Type::Enum { .. } | Type::Id(_) | Type::Union { .. } => {
                self.push(ty, model.types.shape(ty).lo, indices, offset);
            }
            &Type::Array { index, element } => {
                let stride = model.types.shape(element).n_slots;
                let cardinality = if stride == 0 { 0 } else { model.types.shape(index).cardinality() as usize };
                let mut firsts: Vec<(i64, usize)> = Vec::new();
                for at in 0..cardinality {
                    let Some(point) = self.points[index.index()].as_ref().and_then(|points| points[at]) else {
                        self.place(model, element, indices, offset);
                        continue;
                    };
                    // The values of a class lie one behind the other, so the first one met names its first point.
                    let gap = at as i64 - i64::from(point);
                    let first = match firsts.iter().find(|(known, _)| *known == gap) {
                        Some(&(_, first)) => first,
                        None => {
                            firsts.push((gap, at));
                            at
                        }
                    };
                    indices.push((point, stride));
                    self.place(model, element, indices, offset + (at - first) as u32 * stride);
                    indices.pop();
                }
            }
            Type::Record { fields } => {
                for field in fields {
                    self.place(model, field.ty, indices, offset);
                }
            }
            &Type::Multiset { capacity, element } => {
                for _ in 0..capacity {
                    self.push(ty, 0, indices, offset);
                    self.place(model, element, indices, offset);
                }
            }
        }
    }

    fn push(&mut self, ty: TypeId, lo: i64, indices: &[(u32, u32)], offset: u32) {
        let base = self.slots.len() as u32 - offset;
        self.slots.push(SlotAction { indices: indices.to_vec(), base, ty, lo });
    }

    /// Whether a slot lies at a point or may name one.
    pub(crate) fn concerns(&self, slot: &SlotAction) -> bool {
        !slot.indices.is_empty() || self.points[slot.ty.index()].is_some()
    }

    /// The point that the value of a slot names.
    pub(crate) fn point(&self, slot: &SlotAction, value: i64) -> Option<u32> {
        if value == UNDEFINED {
            return None;
        }
        self.points[slot.ty.index()].as_ref().and_then(|points| points[(value - slot.lo) as usize])
    }

    /// The image of a state, in normal form.
    pub(crate) fn rename(&self, images: &[u32], state: &[i64]) -> Vec<i64> {
        let mut image = vec![UNDEFINED; state.len()];
        let distance = |point: u32| i64::from(images[point as usize]) - i64::from(point);
        for ((at, slot), &value) in self.slots.iter().enumerate().zip(state) {
            let moves = slot.indices.iter().map(|&(point, stride)| distance(point) * i64::from(stride));
            let to = at as i64 + moves.sum::<i64>();
            image[to as usize] = value + self.point(slot, value).map_or(0, distance);
        }
        self.layout.normalise(&mut image);
        image
    }
}
