//! Taking out rules, start states, properties, functions, globals, binders and locals.

use burnside_ir::{
    Binder, Block, Call, FunctionId, GlobalId, LocalId, Locals, Model, Place, PlaceBase, PropertyId, Stmt, StmtKind,
};

use super::Shrinker;
use crate::visit::{Visitor, walk_block, walk_call, walk_model, walk_place, walk_stmt};

/// A kind of declaration that can be taken out of a model.
struct Removal {
    count: fn(&Model) -> usize,
    /// Takes out the one with this number. What still refers to it afterwards is a defect, so that the candidate is
    /// turned down.
    remove: fn(&mut Model, usize),
}

const REMOVALS: [Removal; 7] = [
    Removal { count: |model| model.rules.len(), remove: |model, at| _ = model.rules.remove(at) },
    Removal { count: |model| model.properties.len(), remove: remove_property },
    Removal { count: |model| model.starts.len(), remove: |model, at| _ = model.starts.remove(at) },
    Removal { count: |model| model.functions.len(), remove: remove_function },
    Removal { count: |model| model.globals.len(), remove: remove_global },
    Removal { count: n_binders, remove: remove_binder },
    Removal { count: n_locals, remove: remove_local },
];

impl<F: FnMut(&Model) -> bool> Shrinker<F> {
    pub(super) fn remove_declarations(&mut self) {
        // A rule's owners keep globals from being taken out.
        for at in 0..self.best.rules.len() {
            if !self.best.rules[at].owners.is_empty() {
                let mut candidate = self.best.clone();
                candidate.rules[at].owners.clear();
                self.attempt(candidate);
            }
        }
        for removal in &REMOVALS {
            self.remove_chunks(removal);
        }
        for at in 0..self.best.rules.len() {
            if self.best.rules[at].priority != 0 {
                let mut candidate = self.best.clone();
                candidate.rules[at].priority = 0;
                self.attempt(candidate);
            }
        }
    }

    /// Takes out halves, then quarters, down to single declarations, the last ones first because they are referred to
    /// least.
    fn remove_chunks(&mut self, removal: &Removal) {
        let mut size = (removal.count)(&self.best).div_ceil(2);
        while size > 0 {
            let mut end = (removal.count)(&self.best);
            while end > 0 {
                let start = end.saturating_sub(size);
                let mut candidate = self.best.clone();
                for at in (start..end).rev() {
                    (removal.remove)(&mut candidate, at);
                }
                self.attempt(candidate);
                end = start;
            }
            size /= 2;
        }
    }
}

fn remove_property(model: &mut Model, at: usize) {
    model.properties.remove(at);
    walk_model(&mut CoversWithout(PropertyId(at as u32)), model);
}

/// Drops the cover statements of one property and renumbers the others.
struct CoversWithout(PropertyId);

impl Visitor for CoversWithout {
    fn block(&mut self, block: &mut Block) {
        block.retain(|stmt| !matches!(stmt.kind, StmtKind::Cover { property, .. } if property == self.0));
        walk_block(self, block);
    }

    fn stmt(&mut self, stmt: &mut Stmt) {
        if let StmtKind::Cover { property, .. } = &mut stmt.kind
            && *property > self.0
        {
            property.0 -= 1;
        }
        walk_stmt(self, stmt);
    }
}

/// A number after one declaration is gone; the number of that one itself becomes one that nothing has.
fn without(number: u32, gone: u32) -> u32 {
    match number.cmp(&gone) {
        std::cmp::Ordering::Less => number,
        std::cmp::Ordering::Equal => u32::MAX,
        std::cmp::Ordering::Greater => number - 1,
    }
}

fn remove_function(model: &mut Model, at: usize) {
    model.functions.remove(at);
    walk_model(&mut CallsWithout(FunctionId(at as u32)), model);
}

struct CallsWithout(FunctionId);

impl Visitor for CallsWithout {
    fn call(&mut self, call: &mut Call) {
        call.function.0 = without(call.function.0, self.0.0);
        walk_call(self, call);
    }
}

fn remove_global(model: &mut Model, at: usize) {
    model.globals.remove(at);
    walk_model(&mut GlobalsWithout(GlobalId(at as u32)), model);
    for owner in model.rules.iter_mut().flat_map(|rule| &mut rule.owners) {
        owner.global.0 = without(owner.global.0, at as u32);
    }
}

struct GlobalsWithout(GlobalId);

impl Visitor for GlobalsWithout {
    fn place(&mut self, place: &mut Place) {
        if let PlaceBase::Global(global) = &mut place.base {
            global.0 = without(global.0, self.0.0);
        }
        walk_place(self, place);
    }
}

fn binder_lists(model: &mut Model) -> impl Iterator<Item = &mut Vec<Binder>> {
    let starts = model.starts.iter_mut().map(|start| &mut start.binders);
    let rules = model.rules.iter_mut().map(|rule| &mut rule.binders);
    starts.chain(rules).chain(model.properties.iter_mut().map(|property| &mut property.binders))
}

fn n_binders(model: &Model) -> usize {
    let starts = model.starts.iter().map(|start| start.binders.len());
    let rules = model.rules.iter().map(|rule| rule.binders.len());
    starts.chain(rules).chain(model.properties.iter().map(|property| property.binders.len())).sum()
}

fn remove_binder(model: &mut Model, at: usize) {
    let mut at = at;
    for binders in binder_lists(model) {
        if at < binders.len() {
            binders.remove(at);
            return;
        }
        at -= binders.len();
    }
}

fn n_locals(model: &Model) -> usize {
    struct Counter(usize);
    impl Visitor for Counter {
        fn locals(&mut self, locals: &mut Locals) {
            self.0 += locals.len();
        }
    }
    let mut counter = Counter(0);
    walk_model(&mut counter, &mut model.clone());
    counter.0
}

/// Takes out a local. A parameter of a function stays one, so that the candidate has too many parameters or too many
/// arguments and is turned down.
fn remove_local(model: &mut Model, at: usize) {
    walk_model(&mut LocalsWithout { left: at, gone: None }, model);
}

struct LocalsWithout {
    /// How many locals come before the one to take out.
    left: usize,
    /// Its number, inside its declaration.
    gone: Option<LocalId>,
}

impl Visitor for LocalsWithout {
    fn locals(&mut self, locals: &mut Locals) {
        self.gone = None;
        if self.left < locals.len() {
            locals.remove(self.left);
            self.gone = Some(LocalId(self.left as u32));
            self.left = usize::MAX;
        } else if self.left != usize::MAX {
            self.left -= locals.len();
        }
    }

    fn local(&mut self, local: &mut LocalId) {
        if let Some(gone) = self.gone {
            local.0 = without(local.0, gone.0);
        }
    }
}
