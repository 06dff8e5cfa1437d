//! Which channels are treated alike.

use std::collections::BTreeSet;

use burnside_ir::{Field, Type, TypeId};

use super::paths::Cell;
use super::shapes::{Family, Maker, Store};
use crate::typed::{ChanTypeId, Var};

impl Maker<'_> {
    /// Channels in groups. Kinds of the same form whose channels can be named by one variable are one family.
    pub(super) fn families(&mut self) -> (Vec<Family>, Vec<Option<usize>>) {
        let n_kinds = self.program.chan_types.len();
        let mut numbers: Vec<BTreeSet<i64>> = vec![BTreeSet::new(); n_kinds];
        for (index, kinds) in self.created.chans.iter().enumerate() {
            kinds.iter().for_each(|kind| _ = numbers[kind.index()].insert(index as i64 + 1));
        }
        let mut leader: Vec<usize> = (0..n_kinds).collect();
        for cell in self.of_cell.keys().copied().collect::<Vec<_>>() {
            let kinds: Vec<usize> = self.cells.chans(cell).map(ChanTypeId::index).collect();
            for &one in &kinds {
                for &other in kinds.iter().filter(|&&other| other > one && self.same_form(one, other)) {
                    let (old, new) = (leader[other].max(leader[one]), leader[other].min(leader[one]));
                    leader.iter_mut().filter(|it| **it == old).for_each(|it| *it = new);
                }
            }
        }
        let mut families: Vec<Family> = Vec::new();
        let mut family_of = vec![None; n_kinds];
        for first in 0..n_kinds {
            let kinds: Vec<usize> =
                (0..n_kinds).filter(|&kind| leader[kind] == first && !numbers[kind].is_empty()).collect();
            if kinds.is_empty() {
                continue;
            }
            kinds.iter().for_each(|&kind| family_of[kind] = Some(families.len()));
            let numbers: BTreeSet<i64> = kinds.iter().flat_map(|&kind| numbers[kind].iter().copied()).collect();
            let family = self.family(&kinds, numbers);
            families.push(family);
        }
        for at in 0..families.len() {
            families[at].is_shared = (0..families.len())
                .any(|other| other != at && !families[other].numbers.is_disjoint(&families[at].numbers));
        }
        (families, family_of)
    }

    /// Whether two kinds of channels hold the same messages, field by field of the same type.
    fn same_form(&self, one: usize, other: usize) -> bool {
        let kinds = &self.program.chan_types;
        let types = |kind: usize| -> Vec<TypeId> {
            (0..kinds[kind].fields.len()).map(|at| self.of_cell[&Cell::Message(ChanTypeId(kind as u32), at)]).collect()
        };
        (kinds[one].capacity, &kinds[one].fields) == (kinds[other].capacity, &kinds[other].fields)
            && types(one) == types(other)
    }

    fn family(&mut self, kinds: &[usize], numbers: BTreeSet<i64>) -> Family {
        let kind = &self.program.chan_types[kinds[0]];
        let (capacity, span, scalars) = (i64::from(kind.capacity), kind.span, kind.fields.clone());
        let fields: Vec<TypeId> =
            (0..scalars.len()).map(|at| self.of_cell[&Cell::Message(ChanTypeId(kinds[0] as u32), at)]).collect();
        let (&lo, &hi) = (numbers.first().expect("not empty"), numbers.last().expect("not empty"));
        let index = (lo < hi).then(|| self.types.add(Some("channel".to_owned()), Type::Range { lo, hi }, span));
        let mut family = Family { scalars, fields, capacity, numbers, index, store: None, is_shared: false };
        if capacity == 0 {
            return family;
        }
        let parts = family.fields.iter().enumerate().map(|(at, &ty)| Field { name: format!("_{}", at + 1), ty });
        let parts = parts.collect();
        let message = self.types.add(None, Type::Record { fields: parts }, span);
        let position = self.types.add(None, Type::Range { lo: 0, hi: capacity - 1 }, span);
        let messages = self.types.add(None, Type::Array { index: position, element: message }, span);
        let length = self.types.add(None, Type::Range { lo: 0, hi: capacity }, span);
        let fields =
            vec![Field { name: "length".to_owned(), ty: length }, Field { name: "messages".to_owned(), ty: messages }];
        let record = self.types.add(None, Type::Record { fields }, span);
        let ty = match index {
            Some(index) => self.types.add(None, Type::Array { index, element: record }, span),
            None => record,
        };
        let name = self.channel_name(kinds[0]);
        let global = self.global(name, ty, span);
        family.store = Some(Store { global, index, message, position });
        family
    }

    /// The name of the variable that a kind of channel was declared with.
    fn channel_name(&self, kind: usize) -> String {
        let procs = self.program.procs.iter().map(|proc| &proc.frame);
        for frame in procs.chain([&self.program.globals]) {
            let of_kind = |var: &&Var| var.chan == Some(ChanTypeId(kind as u32));
            if let Some(var) = frame.vars.iter().find(of_kind) {
                let taken = self.globals.iter().any(|global| global.name == var.name);
                return if taken { format!("{}_contents", var.name) } else { var.name.clone() };
            }
        }
        "channel".to_owned()
    }
}
