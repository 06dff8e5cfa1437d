//! Which rules can be enabled at all, by a look at a few scalars of the state.
//!
//! Rules of processes wait for a control location first: `p.at = here & …`, and a process with hundreds of locations has
//! hundreds of rules. Where the first condition of a guard compares a scalar with a constant, the scalar's value tells
//! which of these rules are worth a call.

use burnside_ir::{
    BinaryOp, Binder, Domain, Expr, ExprKind, Layout, Model, Place, PlaceBase, Projection, Rule, RuleId, Type,
};

/// Scalars with more bits than this decide about nothing: their tables would be large.
const MOST_BITS: u32 = 12;

/// With fewer rules that something decides about, all are tried.
const LEAST_RULES: usize = 8;

/// What decides about rules, by their places in the order in which they are fired.
pub(crate) struct Gates {
    scalars: Vec<Scalar>,
    /// Rows of `n_words` words: for each code of each scalar, the rules that it leaves open.
    rows: Vec<u64>,
    /// The rules that nothing decides about.
    always: Vec<u64>,
}

/// A scalar of the state.
struct Scalar {
    word: usize,
    shift: u32,
    mask: u64,
    /// Its first row.
    first: usize,
}

impl Gates {
    /// What decides about rules that are fired in this order; nothing if that is not worth the look.
    ///
    /// SOUND: a rule is left out only if the first condition of its guard is false for every binding of its parameters,
    /// which go through types and so cannot fault. The condition reads one scalar: where that is undefined, reading it is
    /// a fault, and the rule is tried.
    pub(crate) fn new(model: &Model, layout: &Layout, order: &[RuleId]) -> Option<Self> {
        let n_words = order.len().div_ceil(64);
        let mut always = vec![0; n_words];
        let mut decided: Vec<(u32, u64, usize)> = Vec::new();
        let mut n_decided = 0;
        for (place, &rule) in order.iter().enumerate() {
            match gate(model, layout, model.rule(rule)) {
                Some((slots, value)) => {
                    n_decided += 1;
                    decided.extend(slots.into_iter().map(|slot| {
                        let code = layout.slots()[slot as usize].encode(value);
                        (slot, code, place)
                    }));
                }
                None => always[place / 64] |= 1 << (place % 64),
            }
        }
        let mut slots: Vec<u32> = decided.iter().map(|&(slot, ..)| slot).collect();
        slots.sort_unstable();
        slots.dedup();
        if n_decided < LEAST_RULES || n_decided < 2 * slots.len() {
            return None;
        }
        let mut gates = Self { scalars: Vec::new(), rows: Vec::new(), always };
        for slot in slots {
            let own = decided.iter().filter(|&&(it, ..)| it == slot).map(|&(_, code, place)| (code, place));
            gates.add(layout, slot, own);
        }
        Some(gates)
    }

    /// Adds a scalar with the rules that it decides about, each with the code that it needs.
    fn add(&mut self, layout: &Layout, slot: u32, decided: impl Iterator<Item = (u64, usize)>) {
        let slot = &layout.slots()[slot as usize];
        let (n_words, n_codes, first) = (self.always.len(), 1_usize << slot.width_bits, self.rows.len());
        self.rows.resize(first + n_codes * n_words, 0);
        let mask = n_codes as u64 - 1;
        for (code, place) in decided {
            // Undefined is code 0.
            for code in [0, code & mask] {
                self.rows[first + code as usize * n_words + place / 64] |= 1 << (place % 64);
            }
        }
        let (word, shift) = (slot.bit as usize / 64, slot.bit % 64);
        self.scalars.push(Scalar { word, shift, mask, first });
    }

    /// Sets the bits of the rules that may be enabled in a state, which has a word more than it needs.
    pub(crate) fn open(&self, state: &[u64], open: &mut Vec<u64>) {
        open.clear();
        open.extend_from_slice(&self.always);
        for scalar in &self.scalars {
            let low = state[scalar.word] >> scalar.shift;
            // Two shifts, since one by 64 is none.
            let high = state[scalar.word + 1] << 1 << (63 - scalar.shift);
            let code = ((low | high) & scalar.mask) as usize;
            let row = scalar.first + code * self.always.len();
            for (open, more) in open.iter_mut().zip(&self.rows[row..]) {
                *open |= more;
            }
        }
    }
}

/// The places in a range whose bits are set, ascending.
pub(crate) fn set_bits(bits: &[u64], range: std::ops::Range<usize>) -> impl Iterator<Item = usize> {
    let words = range.start / 64..range.end.div_ceil(64);
    words.flat_map(move |word| {
        let mut left = bits[word];
        if word == range.start / 64 {
            left &= u64::MAX << (range.start % 64);
        }
        std::iter::from_fn(move || {
            let bit = (left != 0).then(|| left.trailing_zeros() as usize)?;
            left &= left - 1;
            Some(word * 64 + bit)
        })
        .take_while(move |&place| place < range.end)
    })
}

/// The slots one of which must have a value, if the first condition of a guard says so.
fn gate(model: &Model, layout: &Layout, rule: &Rule) -> Option<(Vec<u32>, i64)> {
    let goes_through_type = |binder: &Binder| matches!(binder, Binder::Param { domain: Domain::Type(_), .. });
    if !rule.binders.iter().all(goes_through_type) {
        return None;
    }
    let mut first = &rule.guard;
    while let ExprKind::Binary(BinaryOp::And, left, _) = &first.kind {
        first = left;
    }
    let ExprKind::Binary(BinaryOp::Eq, left, right) = &first.kind else { return None };
    let (ExprKind::Read(place), ExprKind::Const(value)) = (&left.kind, &right.kind) else { return None };
    let slots = slots(model, layout, rule, place)?;
    let fits = |&slot: &u32| {
        let slot = &layout.slots()[slot as usize];
        slot.width_bits <= MOST_BITS && slot.ty == place.ty && model.types.shape(slot.ty).admits(*value)
    };
    slots.iter().all(fits).then_some((slots, *value))
}

/// The slots that a scalar place can be, for all values of the parameters.
fn slots(model: &Model, layout: &Layout, rule: &Rule, place: &Place) -> Option<Vec<u32>> {
    let PlaceBase::Global(global) = place.base else { return None };
    let mut firsts = vec![layout.global(global)];
    let mut ty = model.global(global).ty;
    for projection in &place.path {
        match (projection, model.types.get(ty)) {
            (Projection::Field(field), Type::Record { fields }) => {
                let before = fields[..*field as usize].iter().map(|it| model.types.shape(it.ty).n_slots);
                let offset: u32 = before.sum();
                firsts.iter_mut().for_each(|first| *first += offset);
                ty = fields[*field as usize].ty;
            }
            (Projection::Index(index), &Type::Array { index: index_ty, element }) => {
                let shape = model.types.shape(index_ty);
                let stride = model.types.shape(element).n_slots;
                let values = values(rule, index, index_ty, shape.lo..=shape.hi)?;
                let offsets = values.map(|value| (value - shape.lo) as u32 * stride);
                firsts = offsets
                    .flat_map(|offset| firsts.iter().map(move |first| first + offset).collect::<Vec<_>>())
                    .collect();
                ty = element;
            }
            _ => return None,
        }
    }
    model.types.shape(ty).scalar.then_some(firsts)
}

/// The values of an index: a constant, or a parameter that goes through all of them.
fn values(
    rule: &Rule,
    index: &Expr,
    ty: burnside_ir::TypeId,
    all: std::ops::RangeInclusive<i64>,
) -> Option<std::ops::RangeInclusive<i64>> {
    match &index.kind {
        ExprKind::Const(value) if all.contains(value) => Some(*value..=*value),
        ExprKind::Read(place) if place.path.is_empty() => {
            let PlaceBase::Local(local) = place.base else { return None };
            let is_it = |binder: &Binder| matches!(binder, Binder::Param { local: own, domain: Domain::Type(domain) } if *own == local && *domain == ty);
            rule.binders.iter().any(is_it).then_some(all)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::set_bits;

    #[test]
    fn bits_are_found_in_order_and_within_the_range() {
        let bits = [1 << 3 | 1 << 63, 0, 1 | 1 << 5];
        assert_eq!(set_bits(&bits, 0..192).collect::<Vec<_>>(), [3, 63, 128, 133]);
        assert_eq!(set_bits(&bits, 4..133).collect::<Vec<_>>(), [63, 128]);
        assert_eq!(set_bits(&bits, 63..64).collect::<Vec<_>>(), [63]);
        assert_eq!(set_bits(&bits, 64..64).collect::<Vec<_>>(), [0_usize; 0]);
        assert_eq!(set_bits(&[], 0..0).collect::<Vec<_>>(), [0_usize; 0]);
    }
}
