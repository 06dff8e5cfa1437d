//! Parameters with large ranges. Their values are not gone through one by one but by the interval: facts that hold for
//! all values of an interval settle all of its instances at once.

use burnside_ir::{Binder, Domain, Model, RuleId, Type, TypeId, Types};

use crate::term::Term;

/// Ranges with more values are large, unless they index an array.
const MOST_SMALL: u64 = 64;

/// An interval for each large parameter of a rule, in order.
pub(crate) type Area = Vec<(i64, i64)>;

/// Whether a type is a large range of plain numbers: no array has an element for each.
pub(crate) fn is_wide(types: &Types, ty: TypeId) -> bool {
    let &Type::Range { lo, hi } = types.get(ty) else { return false };
    let is_index = types.iter().any(|(ty, _)| match types.get(ty) {
        &Type::Array { index, .. } => *types.get(index) == Type::Range { lo, hi },
        _ => false,
    });
    types.shape(ty).cardinality() > MOST_SMALL && !is_index
}

/// Which rules have large parameters.
#[derive(Debug, Default)]
pub(crate) struct WideRules {
    /// By rule: for each parameter, whether it is large. Empty if none is.
    rules: Vec<Vec<bool>>,
}

impl WideRules {
    // Which rules are the urgent ones takes a look at all instances, so with priorities nothing is done by the interval.
    pub(crate) fn new(model: &Model) -> Self {
        let rules = model.rules.iter().map(|rule| {
            let params = rule.binders.iter().filter_map(|binder| match binder {
                Binder::Param { domain, .. } => Some(domain),
                _ => None,
            });
            let types: Option<Vec<TypeId>> = params
                .map(|domain| match domain {
                    Domain::Type(ty) => Some(*ty),
                    _ => None,
                })
                .collect();
            let wide: Vec<bool> =
                types.into_iter().flatten().map(|ty| is_wide(&model.types, ty) && !model.has_priorities()).collect();
            if wide.contains(&true) { wide } else { Vec::new() }
        });
        Self { rules: rules.collect() }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rules.iter().all(Vec::is_empty)
    }

    pub(crate) fn contains(&self, rule: RuleId) -> bool {
        !self.rules[rule.index()].is_empty()
    }

    /// For each parameter of a rule, whether it is large.
    pub(crate) fn params(&self, rule: RuleId) -> &[bool] {
        &self.rules[rule.index()]
    }

    /// All instances of the rules with large parameters: one area for each choice of the other parameters.
    pub(crate) fn families(&self, model: &Model) -> Vec<Family> {
        let mut families = Vec::new();
        for (at, rule) in model.rules.iter().enumerate().filter(|(at, _)| !self.rules[*at].is_empty()) {
            let mut all = vec![Family { rule: RuleId(at as u32), args: Vec::new(), area: Vec::new() }];
            let mut is_wide = self.rules[at].iter();
            for binder in &rule.binders {
                let Binder::Param { domain: Domain::Type(ty), .. } = binder else { continue };
                let shape = model.types.shape(*ty);
                if is_wide.next() == Some(&true) {
                    for family in &mut all {
                        family.args.push(None);
                        family.area.push((shape.lo, shape.hi));
                    }
                } else {
                    let with = |family: &Family, value| {
                        let mut family = family.clone();
                        family.args.push(Some(value));
                        family
                    };
                    all = all
                        .iter()
                        .flat_map(|family| (shape.lo..=shape.hi).map(move |value| with(family, value)))
                        .collect();
                }
            }
            families.extend(all);
        }
        // The next one is taken from the end; one identity after the other.
        families.sort_by_key(|family| (family.args.first().copied().flatten(), family.rule));
        families.reverse();
        families
    }
}

/// Instances of one rule: the large parameters lie in an area, the others have values.
#[derive(Debug, Clone)]
pub(crate) struct Family {
    pub(crate) rule: RuleId,
    pub(crate) args: Vec<Option<i64>>,
    pub(crate) area: Area,
}

impl Family {
    /// The instance with these values of the large parameters.
    pub(crate) fn instance(&self, point: &[i64]) -> Box<[i64]> {
        let mut point = point.iter();
        self.args.iter().map(|arg| arg.unwrap_or_else(|| *point.next().expect("one for each"))).collect()
    }

    /// The values of the large parameters that are all least, and those that are all greatest.
    pub(crate) fn corners(&self) -> [Vec<i64>; 2] {
        [self.area.iter().map(|it| it.0).collect(), self.area.iter().map(|it| it.1).collect()]
    }

    /// What is left without an area inside of this one.
    pub(crate) fn without(&self, inner: &Area) -> Vec<Self> {
        let mut rest = Vec::new();
        let mut area = self.area.clone();
        for at in 0..area.len() {
            let ((lo, hi), (from, to)) = (area[at], inner[at]);
            // Beyond the least and the greatest of all numbers there is none.
            let below = (lo < from).then(|| (lo, from - 1));
            let above = (to < hi).then(|| (to + 1, hi));
            for part in [below, above].into_iter().flatten() {
                let mut outer = area.clone();
                outer[at] = part;
                rest.push(Self { area: outer, ..self.clone() });
            }
            area[at] = (from, to);
        }
        rest
    }
}

/// What is still to be done for a state, and what is known of the rest.
#[derive(Debug, Default)]
pub(crate) struct Wide {
    pub(crate) todo: Vec<Family>,
    /// The instance whose step is being explored, and the state that it led to.
    pub(crate) awaited: Option<(Family, Vec<i64>, u32)>,
    /// Whether some instance keeps the state from being a deadlock.
    pub(crate) leads_on: bool,
}

/// What is known of the steps of a state that were settled by the interval.
#[derive(Debug, Default)]
pub(crate) struct Settled {
    pub(crate) facts: Vec<Term>,
    /// Facts that make some instance enabled.
    pub(crate) witness: Option<Vec<Term>>,
    /// Whether some of them could not be put in facts.
    pub(crate) is_lost: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_left_beyond_the_greatest_number() {
        let left = |area: (i64, i64), inner: (i64, i64)| -> Vec<Area> {
            let family = Family { rule: RuleId(0), args: vec![None], area: vec![area] };
            family.without(&vec![inner]).into_iter().map(|family| family.area).collect()
        };
        let [least, greatest] = [i64::MIN + 1, i64::MAX];
        assert_eq!(left((greatest - 2, greatest), (greatest, greatest)), [vec![(greatest - 2, greatest - 1)]]);
        assert_eq!(left((greatest - 2, greatest), (greatest - 2, greatest)), Vec::<Area>::new());
        assert_eq!(left((least, least + 2), (least, least)), [vec![(least + 1, least + 2)]]);
        assert_eq!(left((0, 9), (3, 4)), [vec![(0, 2)], vec![(5, 9)]]);
    }

    #[test]
    fn what_is_left_and_what_is_taken_make_up_the_whole() {
        let whole = Family { rule: RuleId(0), args: vec![None, Some(3), None], area: vec![(0, 9), (-2, 2)] };
        let inner = vec![(0, 4), (1, 1)];
        let rest = whole.without(&inner);
        let inside =
            |area: &Area, point: [i64; 2]| area.iter().zip(point).all(|(&(lo, hi), value)| (lo..=hi).contains(&value));
        for x in 0..=9 {
            for y in -2..=2 {
                let n_rest = rest.iter().filter(|it| inside(&it.area, [x, y])).count();
                assert_eq!(n_rest + usize::from(inside(&inner, [x, y])), 1, "{x} {y}");
            }
        }
        assert_eq!(*whole.instance(&[7, -1]), [7, 3, -1]);
    }
}
