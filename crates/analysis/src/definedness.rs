//! Which parts of the state never become undefined.
//!
//! A *region* is a scalar of a global variable with all array indices and multiset slots forgotten: `cache[i].state`
//! is one region for all `i`. A region may be undefined if some start state leaves it so, or if some statement may
//! store an undefined value into it. Statements are taken in no particular order (flow-insensitive), references by the
//! set of regions they may ever stand for; the least solution is found by iteration.
//!
//! An element of a multiset that is reached through its slot is there, or reaching it is a fault; a reference to an
//! element stays when the element is taken out, and then leads to nothing but undefined scalars.

use std::collections::{BTreeMap, BTreeSet};

use burnside_ir::visit::{Visitor, walk_binder, walk_call, walk_stmt};
use burnside_ir::{
    Arg, Binder, Call, FunctionId, GlobalId, Layout, Local, LocalId, LocalMode, Model, Operand, Part, Place, PlaceBase,
    Projection, Stmt, StmtKind, Type, TypeId, Types, UNDEFINED,
};

/// Whose locals are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Owner {
    /// A function.
    Function(u32),
    /// A rule.
    Rule(u32),
    /// A property.
    Property(u32),
}

/// The solution.
#[derive(Debug, Clone)]
pub struct Definedness {
    /// First region of each global.
    firsts: Vec<u32>,
    /// By region.
    may_be_undefined: Vec<bool>,
    /// By region: whether elements of multisets that hold it may be taken out.
    may_be_removed: Vec<bool>,
    targets: BTreeMap<(Owner, LocalId), Targets>,
    /// Parameters by value that may be passed as undefined.
    undefined_params: BTreeSet<(FunctionId, LocalId)>,
}

/// What a reference may stand for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Targets {
    /// The first regions of parts of the state.
    regions: BTreeSet<u32>,
    /// Whether it may stand for something that is no part of the state.
    elsewhere: bool,
    /// Whether it may stand for an element of a multiset or a part of one.
    in_multiset: bool,
}

/// Where a place may lie.
struct Found {
    regions: Vec<u32>,
    elsewhere: bool,
    /// Whether it is reached through a reference to an element of a multiset.
    through_element: bool,
}

impl Definedness {
    /// Solves for a model, given all its start states in unpacked form.
    pub fn new<'s>(model: &Model, layout: &Layout, starts: impl Iterator<Item = &'s [i64]>) -> Self {
        let mut firsts = Vec::new();
        let mut n_regions = 0;
        for global in &model.globals {
            firsts.push(n_regions);
            n_regions += n_regions_of(&model.types, global.ty);
        }
        let mut solution = Self {
            firsts,
            may_be_undefined: vec![false; n_regions as usize],
            may_be_removed: vec![false; n_regions as usize],
            targets: BTreeMap::new(),
            undefined_params: BTreeSet::new(),
        };
        for state in starts {
            solution.note_start(model, layout, state);
        }
        while solution.pass(model) {}
        solution
    }

    /// Whether a scalar place holds a value in every reachable state (and at every point inside a step).
    pub fn always_defined(&self, model: &Model, owner: Owner, locals: &[Local], place: &Place) -> bool {
        let found = self.find(model, owner, locals, place);
        let is_defined = |region: &u32| {
            let removed = found.through_element && self.may_be_removed[*region as usize];
            !self.may_be_undefined[*region as usize] && !removed
        };
        !found.elsewhere && !found.regions.is_empty() && found.regions.iter().all(is_defined)
    }

    fn note_start(&mut self, model: &Model, layout: &Layout, state: &[i64]) {
        for (at, global) in model.globals.iter().enumerate() {
            let first = layout.global(GlobalId(at as u32)) as usize;
            let n_slots = model.types.shape(global.ty).n_slots as usize;
            self.note_value(&model.types, global.ty, self.firsts[at], &state[first..first + n_slots]);
        }
    }

    fn note_value(&mut self, types: &Types, ty: TypeId, region: u32, slots: &[i64]) {
        match types.get(ty) {
            &Type::Array { element, .. } => {
                for slots in slots.chunks(types.shape(element).n_slots.max(1) as usize) {
                    self.note_value(types, element, region, slots);
                }
            }
            Type::Record { fields } => {
                let (mut region, mut at) = (region, 0);
                for field in fields {
                    let n_slots = types.shape(field.ty).n_slots as usize;
                    self.note_value(types, field.ty, region, &slots[at..at + n_slots]);
                    region += n_regions_of(types, field.ty);
                    at += n_slots;
                }
            }
            &Type::Multiset { element, .. } => {
                for slots in slots.chunks(types.shape(element).n_slots as usize + 1) {
                    if slots[0] != UNDEFINED {
                        self.note_value(types, element, region, &slots[1..]);
                    }
                }
            }
            _ => self.may_be_undefined[region as usize] |= slots[0] == UNDEFINED,
        }
    }

    /// One round over all statements; true if anything was learnt.
    fn pass(&mut self, model: &Model) -> bool {
        let before = self.size();
        for (at, function) in model.functions.iter().enumerate() {
            let mut scan = Scan { solution: self, model, owner: Owner::Function(at as u32), locals: &function.locals };
            scan.block(&function.body);
        }
        for (at, rule) in model.rules.iter().enumerate() {
            let mut scan = Scan { solution: self, model, owner: Owner::Rule(at as u32), locals: &rule.locals };
            Part::rule(rule).walk(&mut scan);
        }
        for (at, property) in model.properties.iter().enumerate() {
            let mut scan = Scan { solution: self, model, owner: Owner::Property(at as u32), locals: &property.locals };
            Part::property(property).walk(&mut scan);
        }
        self.size() != before
    }

    fn size(&self) -> usize {
        let regions = self.may_be_undefined.iter().chain(&self.may_be_removed).filter(|&&may| may).count();
        let size = |to: &Targets| to.regions.len() + usize::from(to.elsewhere) + usize::from(to.in_multiset);
        regions + self.targets.values().map(size).sum::<usize>() + self.undefined_params.len()
    }

    fn find(&self, model: &Model, owner: Owner, locals: &[Local], place: &Place) -> Found {
        let elsewhere = Found { regions: Vec::new(), elsewhere: true, through_element: false };
        let (mut found, ty) = match &place.base {
            PlaceBase::Global(global) => {
                let regions = vec![self.firsts[global.index()]];
                (Found { regions, elsewhere: false, through_element: false }, model.global(*global).ty)
            }
            PlaceBase::Local(local) if locals[local.index()].mode == LocalMode::Reference => {
                // What nothing is known of yet stands for nothing: the solution grows from below.
                let Targets { regions, elsewhere, in_multiset } =
                    self.targets.get(&(owner, *local)).cloned().unwrap_or_default();
                let regions = regions.into_iter().collect();
                (Found { regions, elsewhere, through_element: in_multiset }, locals[local.index()].ty)
            }
            PlaceBase::Local(_) | PlaceBase::Call(_) => return elsewhere,
        };
        let offset = region_offset(&model.types, ty, &place.path);
        found.regions.iter_mut().for_each(|region| *region += offset);
        found
    }
}

/// Number of scalars of a type, indices forgotten.
fn n_regions_of(types: &Types, ty: TypeId) -> u32 {
    if types.shape(ty).scalar {
        return 1;
    }
    types.get(ty).contents().map(|part| n_regions_of(types, part)).sum()
}

fn region_offset(types: &Types, mut ty: TypeId, path: &[Projection]) -> u32 {
    let mut offset = 0;
    for projection in path {
        if let Projection::Field(number) = projection {
            let before = types.get(ty).contents().take(*number as usize);
            offset += before.map(|field| n_regions_of(types, field)).sum::<u32>();
        }
        ty = projection.part_type(types, ty).expect("verified: a place projects what its type has");
    }
    offset
}

struct Scan<'a> {
    solution: &'a mut Definedness,
    model: &'a Model,
    owner: Owner,
    locals: &'a [Local],
}

impl Scan<'_> {
    fn refer(&mut self, owner: Owner, local: LocalId, place: &Place) {
        let found = self.find(place);
        let is_element = |step: &Projection| matches!(step, Projection::Element(_) | Projection::Numbered(_));
        let in_multiset = found.through_element || place.path.iter().any(is_element);
        let targets = self.solution.targets.entry((owner, local)).or_default();
        targets.regions.extend(found.regions);
        targets.elsewhere |= found.elsewhere;
        targets.in_multiset |= in_multiset;
        // What a parameter holds may be changed through the reference.
        self.lose_param(place);
    }

    fn find(&self, place: &Place) -> Found {
        self.solution.find(self.model, self.owner, self.locals, place)
    }

    /// A parameter by value that is changed is treated like a variable.
    fn lose_param(&mut self, place: &Place) {
        if let (PlaceBase::Local(local), Owner::Function(function)) = (&place.base, self.owner)
            && self.locals[local.index()].mode == LocalMode::Owned
        {
            self.solution.undefined_params.insert((FunctionId(function), *local));
        }
    }

    /// Elements of multisets in a place of this type may be taken out.
    fn removed(&mut self, place: &Place, ty: TypeId) {
        let n_regions = n_regions_of(&self.model.types, ty);
        for region in self.find(place).regions {
            for at in region..region + n_regions {
                self.solution.may_be_removed[at as usize] = true;
            }
        }
    }

    /// Whether scalar number `at` of an operand may be undefined.
    fn may_be_undefined(&self, operand: &Operand, at: u32) -> bool {
        match operand {
            Operand::Value(_) => false,
            Operand::Undefined => true,
            Operand::Copy(place) => {
                let found = self.find(place);
                let may_be = |region: &u32| {
                    let at = (region + at) as usize;
                    self.solution.may_be_undefined[at] || (found.through_element && self.solution.may_be_removed[at])
                };
                found.regions.iter().any(may_be) || (found.elsewhere && self.local_may_be_undefined(place))
            }
        }
    }

    /// Parameters by value are undefined only if passed so (and never changed, or they are treated like variables).
    fn local_may_be_undefined(&self, place: &Place) -> bool {
        let (PlaceBase::Local(local), Owner::Function(function)) = (&place.base, self.owner) else { return true };
        let function = FunctionId(function);
        self.locals[local.index()].mode != LocalMode::Owned
            || local.0 >= self.model.function(function).n_params
            || self.solution.undefined_params.contains(&(function, *local))
    }

    fn stored(&mut self, target: &Place, ty: TypeId, source: &Operand) {
        let regions = self.find(target).regions;
        for at in 0..n_regions_of(&self.model.types, ty) {
            if self.may_be_undefined(source, at) {
                for &region in &regions {
                    self.solution.may_be_undefined[(region + at) as usize] = true;
                }
            }
        }
        self.lose_param(target);
    }
}

impl Visitor for Scan<'_> {
    fn binder(&mut self, binder: &Binder) {
        walk_binder(self, binder);
        match binder {
            Binder::Reference { local, place } => self.refer(self.owner, *local, place),
            Binder::Param { .. } | Binder::Value { .. } => {}
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Assign { target, source } => {
                // Emptying a multiset leaves no element that is undefined.
                if !(*source == Operand::Undefined && self.model.types.get(target.ty).multiset().is_some()) {
                    self.stored(target, target.ty, source);
                }
                if self.model.types.shape(target.ty).has_multiset {
                    self.removed(target, target.ty);
                }
            }
            StmtKind::Clear(place) => {
                self.lose_param(place);
                if self.model.types.shape(place.ty).has_multiset {
                    self.removed(place, place.ty);
                }
            }
            StmtKind::Insert { multiset, element } => {
                if let Some((_, ty)) = self.model.types.get(multiset.ty).multiset() {
                    self.stored(multiset, ty, element);
                }
            }
            StmtKind::Remove(place) | StmtKind::RemoveWhere { multiset: place, .. } => self.removed(place, place.ty),
            StmtKind::Bind { local, place } => self.refer(self.owner, *local, place),
            StmtKind::Call { result: Some(local), .. } => {
                if let Owner::Function(function) = self.owner {
                    self.solution.undefined_params.insert((FunctionId(function), *local));
                }
            }
            StmtKind::If { .. }
            | StmtKind::While { .. }
            | StmtKind::For { .. }
            | StmtKind::Call { result: None, .. }
            | StmtKind::Assert { .. }
            | StmtKind::Assume(_)
            | StmtKind::Cover { .. }
            | StmtKind::Error(_)
            | StmtKind::Put(_)
            | StmtKind::Return(_) => {}
        }
        walk_stmt(self, stmt);
    }

    fn call(&mut self, call: &Call) {
        let function = self.model.function(call.function);
        for (at, (param, arg)) in function.locals.iter().zip(&call.args).enumerate() {
            let local = LocalId(at as u32);
            match arg {
                Arg::Reference(place) => self.refer(Owner::Function(call.function.0), local, place),
                Arg::Value(operand) => {
                    let n_regions = n_regions_of(&self.model.types, param.ty);
                    if (0..n_regions).any(|at| self.may_be_undefined(operand, at)) {
                        self.solution.undefined_params.insert((call.function, local));
                    }
                }
            }
        }
        walk_call(self, call);
    }
}
